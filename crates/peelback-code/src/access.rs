//! The way in: files, symbols and whole-project questions, through the best analysis that is ready.

use std::sync::Arc;
use std::time::Duration;

use peelback_project::{
    Analysed, CancellationToken, CodeError, Evidence, FactsStore, FileMatches, GrepAnswer, GrepQuery, Project,
    ProjectReader, SourceFile, TellRefused, WalkOptions, Withhold, WithholdText,
};
use peelback_ranking::{Embedder, KeywordFile, RankQuery, RankedFiles, RankedPassages, Ranker};
use peelback_resolve::{
    Dependencies, DependencyQuery, Overview, ProjectAnalyzer, Reference, ReferenceQuery, References,
};

use crate::analysis::CodeAnalysis;
use crate::backend::{Backend, PATIENCE};
use crate::document_generator::DocumentGenerator;
use crate::lookup::{NameMatch, SymbolName, find_in};

/// The project and what reads its code.
#[derive(Clone)]
pub struct CodeAccess {
    reader: ProjectReader,
    better: Option<Arc<Backend>>,
    embedder: Option<Arc<dyn Embedder>>,
    document_generator: Option<Arc<dyn DocumentGenerator>>,
}

impl CodeAccess {
    /// Access by syntax alone.
    pub fn new(project: Project) -> Self {
        Self { reader: ProjectReader::new(project), better: None, embedder: None, document_generator: None }
    }

    /// Shares what `store` knows with everyone else who has it.
    #[must_use]
    pub fn with_store(mut self, store: Arc<FactsStore>) -> Self {
        self.reader = self.reader.with_store(store);
        self
    }

    /// Orders passages by their meaning, too, as `embedder` computes it.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.embedder = embedder;
        self
    }

    /// Has documents that answer questions written by `document_generator`.
    #[must_use]
    pub fn with_document_generator(mut self, document_generator: Option<Arc<dyn DocumentGenerator>>) -> Self {
        self.document_generator = document_generator;
        self
    }

    /// The writer of documents that answer questions.
    pub fn document_generator(&self) -> Option<&Arc<dyn DocumentGenerator>> {
        self.document_generator.as_ref()
    }

    /// The same access for one call, whose walks and reads end when `cancellation` does.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        self.map_project(|project| project.with_cancellation(cancellation))
    }

    /// The same access for a model in place of a person: see [`Project::at_root`] and [`Project::withholding`].
    #[must_use]
    pub fn for_model(self, withhold: Withhold) -> Self {
        self.map_project(|project| project.at_root().withholding(withhold))
    }

    /// The same access without files that are no part of the project: see [`Project::passing_over`].
    #[must_use]
    pub fn passing_over(self, withhold: Withhold) -> Self {
        self.map_project(|project| project.passing_over(withhold))
    }

    /// The same access without the files that hold nothing but secrets: see [`Project::withholding_text`].
    #[must_use]
    pub fn withholding_text(self, check: WithholdText) -> Self {
        self.map_project(|project| project.withholding_text(check))
    }

    /// The same access, which reports to `tell` what is refused: see [`Project::telling_refused`].
    #[must_use]
    pub fn telling_refused(self, tell: TellRefused) -> Self {
        self.map_project(|project| project.telling_refused(tell))
    }

    fn map_project(mut self, change: impl FnOnce(Project) -> Project) -> Self {
        let project = change(self.reader.project().clone());
        self.reader = self.reader.with_project(project);
        self
    }

    /// Access to the files as they are now, for several questions that belong together: see
    /// [`ProjectReader::with_snapshot`].
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn with_snapshot(&self, path: Option<&str>) -> Result<Self, CodeError> {
        Ok(Self { reader: self.reader.with_snapshot(path)?, ..self.clone() })
    }

    /// Asks `better` first; where it cannot answer, syntax does, and the evidence says why.
    #[must_use]
    pub fn with_better(self, better: Arc<dyn CodeAnalysis>) -> Self {
        self.with_patience(better, PATIENCE)
    }

    /// [`CodeAccess::with_better`] with the time that `better` may take for one question.
    #[must_use]
    pub fn with_patience(mut self, better: Arc<dyn CodeAnalysis>, patience: Duration) -> Self {
        let backend = Arc::new(Backend::new(better, patience));
        self.reader = self.reader.with_outliner(backend.clone());
        self.better = Some(backend);
        self
    }

    /// The project.
    pub fn project(&self) -> &Project {
        self.reader.project()
    }

    /// The files of the project and what is known of their contents.
    pub(crate) fn reader(&self) -> &ProjectReader {
        &self.reader
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`Project::file`] and [`SourceFile::read`].
    pub fn read(&self, path: &str) -> Result<SourceFile, CodeError> {
        self.reader.read(path)
    }

    /// Reads a file by a path that an answer printed: from the root, whichever folder the call comes from.
    ///
    /// # Errors
    /// Those of [`CodeAccess::read`].
    pub fn read_of_answer(&self, path: &str) -> Result<SourceFile, CodeError> {
        self.reader.read_of_answer(path)
    }

    /// Reads a file and its symbols by a path that an answer printed: from the root, whichever folder the call comes
    /// from.
    ///
    /// # Errors
    /// Those of [`CodeAccess::outline`].
    pub fn outline_of_answer(&self, path: &str) -> Result<Analysed, CodeError> {
        Ok(self.analyse(self.read_of_answer(path)?))
    }

    /// Reads a file and its symbols.
    ///
    /// # Errors
    /// Those of [`CodeAccess::read`].
    pub fn outline(&self, path: &str) -> Result<Analysed, CodeError> {
        Ok(self.analyse(self.read(path)?))
    }

    /// The symbols, imports and exports of a file that was read.
    pub fn analyse(&self, file: SourceFile) -> Analysed {
        self.reader.analyse(file)
    }

    /// The symbols of a file that `name` means, in the order of the file.
    pub fn read_symbol(&self, analysed: &Analysed, name: &SymbolName) -> Vec<NameMatch> {
        // The facts came from the best backend that answered for the file: its symbols are these.
        find_in(&analysed.facts.symbols, name)
    }

    /// Searches text: see [`ProjectReader::grep`].
    ///
    /// # Errors
    /// [`CodeError::BadPattern`] and those of [`Project::files`].
    pub fn grep(&self, query: &GrepQuery, offset: usize, limit: usize) -> Result<GrepAnswer, CodeError> {
        self.reader.grep(query, offset, limit)
    }

    /// Finds the symbol around each matching line: see [`ProjectReader::find_owners`].
    pub fn find_owners(&self, files: &mut [FileMatches]) -> usize {
        self.reader.find_owners(files)
    }

    /// The uses of symbols, in all files of the project that can hold them: from the better backend, or from syntax
    /// with the reason.
    ///
    /// # Errors
    /// Those of [`Project::files`] and of reading the symbols' own files.
    pub fn references(&self, query: &ReferenceQuery) -> Result<References, CodeError> {
        let mut remark = None;
        if let Some(better) = &self.better {
            let (project, asked) = (self.project().clone(), query.clone());
            match better.ask(self.project().cancellation(), move |better| better.find_references(&project, &asked)) {
                Ok(references) => return Ok(references),
                Err(error) => remark = Some(format!("{} {error}; syntax answered instead", better.name())),
            }
        }
        let mut references = self.analyzer().resolved_references(query)?;
        references.evidence.notes.extend(remark);
        Ok(references)
    }

    /// Fills in the columns and the lines of references: most answers show few of those that were found.
    pub fn show(&self, references: &mut [Reference]) {
        self.analyzer().show(references);
    }

    /// The targets of the imports of a file: see [`ProjectAnalyzer::destinations`].
    ///
    /// # Errors
    /// Those of [`Project::files`]; [`CodeError::NotFound`].
    pub fn destinations(&self, path: &str) -> Result<Vec<String>, CodeError> {
        self.analyzer().destinations(path)
    }

    /// What a file or folder depends on, and what depends on it.
    ///
    /// # Errors
    /// Those of [`Project::entry`] and [`Project::files`].
    pub fn dependencies(&self, query: &DependencyQuery) -> Result<Dependencies, CodeError> {
        self.analyzer().dependencies(query)
    }

    /// The direct dependencies of a file that was read, as far as they are found within `patience`.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn relations(&self, file: &SourceFile, patience: Duration) -> Result<Dependencies, CodeError> {
        self.analyzer().relations(file, patience)
    }

    /// The dependency graph of the whole project.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn overview(&self) -> Result<Overview, CodeError> {
        self.analyzer().overview()
    }

    /// Computes the project's dependency graph, so that later questions find it.
    pub fn warm_graph(&self) {
        self.analyzer().warm_graph();
    }

    /// Ranks files for a question.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn rank_files(&self, query: &RankQuery) -> Result<RankedFiles, CodeError> {
        self.ranker().rank_files(query)
    }

    /// Ranks the functions, class headers and sections of the best files for a question.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn rank_passages(&self, query: &RankQuery) -> Result<RankedPassages, CodeError> {
        self.ranker().rank_passages(query)
    }

    /// The files that match at least one keyword, best first, ties by path: the plain count that the ranking is measured
    /// against.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn rank_by_keywords(
        &self,
        keywords: &[String],
        scope: Option<&str>,
        walk: &WalkOptions,
    ) -> Result<(Vec<KeywordFile>, Evidence), CodeError> {
        self.ranker().rank_by_keywords(keywords, scope, walk)
    }

    fn analyzer(&self) -> ProjectAnalyzer {
        ProjectAnalyzer::new(self.reader.clone())
    }

    fn ranker(&self) -> Ranker<'_> {
        Ranker::new(&self.reader, self.embedder.as_deref())
    }
}
