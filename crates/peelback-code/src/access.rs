//! `CodeAccess`: the entry point for questions about files, symbols and the whole project. Outlines and references come
//! from the preferred analysis backend if one is set and answers, else from syntax trees.

use std::sync::Arc;
use std::time::Duration;

use peelback_project::{
    AnalysedFile, CancellationToken, CodeError, Evidence, FactsStore, FileMatches, GrepAnswer, GrepQuery,
    MatchExistence, Project, ProjectReader, RefusalCallback, SourceFile, WalkOptions, WithholdPathRule,
    WithholdTextRule,
};
use peelback_ranking::{Embedder, KeywordFile, RankQuery, RankedFiles, RankedPassages, Ranker};
use peelback_resolve::{
    Dependencies, DependencyOverview, DependencyQuery, InheritedMembers, ProjectAnalyzer, Reference, ReferenceQuery,
    References, SymbolQuery,
};
use peelback_syntax::component_symbol_of_file;

use crate::analysis::CodeAnalysis;
use crate::backend::{PATIENCE, TimedAnalysisBackend};
use crate::document_generator::DocumentGenerator;
use crate::lookup::{NameMatch, SymbolNameQuery, find_matching_symbols};

/// The entry point to one project's code: reads files, and finds symbols, references, dependencies and relevant files.
#[derive(Clone)]
pub struct CodeAccess {
    reader: ProjectReader,
    better: Option<Arc<TimedAnalysisBackend>>,
    embedder: Option<Arc<dyn Embedder>>,
    document_generator: Option<Arc<dyn DocumentGenerator>>,
}

impl CodeAccess {
    /// Creates an access to the code of `project` that uses syntax analysis only.
    pub fn new(project: Project) -> Self {
        Self { reader: ProjectReader::new(project), better: None, embedder: None, document_generator: None }
    }

    /// Sets the store that caches the facts (such as symbols and imports) of analysed files. All accesses with the same
    /// store share these facts.
    #[must_use]
    pub fn with_facts_store(mut self, store: Arc<FactsStore>) -> Self {
        self.reader = self.reader.with_store(store);
        self
    }

    /// Sets the embedding model that also orders passages by meaning; `None` orders passages by words alone.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.embedder = embedder;
        self
    }

    /// Sets the generator that writes documents which answer questions.
    #[must_use]
    pub fn with_document_generator(mut self, document_generator: Option<Arc<dyn DocumentGenerator>>) -> Self {
        self.document_generator = document_generator;
        self
    }

    /// The generator that writes documents which answer questions, if there is one.
    pub fn document_generator(&self) -> Option<&Arc<dyn DocumentGenerator>> {
        self.document_generator.as_ref()
    }

    /// This access, limited to a single call: all directory walks and file reads stop when `cancellation` is triggered.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        self.with_changed_project(|project| project.with_cancellation(cancellation))
    }

    /// An access to another project, with the same cache and cancellation, and with no service that knows this project.
    #[must_use]
    pub fn new_for_other_project(&self, other: Project) -> Self {
        let other = other.with_cancellation(self.project().cancellation().clone());
        Self::new(other).with_facts_store(Arc::clone(self.reader.store()))
    }

    /// This access for a language model as the caller: paths start from the project root, and files for which
    /// `withhold` returns a reason are not read. See [`Project::without_working_folder`] and
    /// [`Project::with_withheld_path_rule`].
    #[must_use]
    pub fn restricted_for_model(self, withhold: WithholdPathRule) -> Self {
        self.with_changed_project(|project| project.without_working_folder().with_withheld_path_rule(withhold))
    }

    /// This access without the files for which `withhold` returns a reason, because they do not belong to the project:
    /// see [`Project::with_excluded_path_rule`].
    #[must_use]
    pub fn excluding_files_by_path_rule(self, withhold: WithholdPathRule) -> Self {
        self.with_changed_project(|project| project.with_excluded_path_rule(withhold))
    }

    /// This access without the files for whose text `check` returns a reason, such as files with nothing but secrets:
    /// see [`Project::with_withheld_text_rule`].
    #[must_use]
    pub fn withholding_files_by_text_rule(self, check: WithholdTextRule) -> Self {
        self.with_changed_project(|project| project.with_withheld_text_rule(check))
    }

    /// This access with `tell`, a function that is called for each withheld file that a caller requests by name: see
    /// [`Project::with_refusal_callback`].
    #[must_use]
    pub fn with_refusal_callback(self, tell: RefusalCallback) -> Self {
        self.with_changed_project(|project| project.with_refusal_callback(tell))
    }

    fn with_changed_project(mut self, change: impl FnOnce(Project) -> Project) -> Self {
        let project = change(self.reader.project().clone());
        self.reader = self.reader.with_project(project);
        self
    }

    /// An access fixed to one snapshot of the files as they are now, for several questions that belong together: see
    /// [`ProjectReader::with_new_shared_snapshot`].
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn with_new_shared_snapshot(&self, path: Option<&str>) -> Result<Self, CodeError> {
        Ok(Self { reader: self.reader.with_new_shared_snapshot(path)?, ..self.clone() })
    }

    /// Sets `better` as the analysis backend that is asked before syntax analysis. Where `better` cannot answer, syntax
    /// analysis answers, and the evidence says why.
    #[must_use]
    pub fn with_preferred_analysis(self, better: Arc<dyn CodeAnalysis>) -> Self {
        self.with_preferred_analysis_and_timeout(better, PATIENCE)
    }

    /// Like [`CodeAccess::with_preferred_analysis`], with a time limit: `patience` is the longest time that `better`
    /// may take for one question.
    #[must_use]
    pub fn with_preferred_analysis_and_timeout(mut self, better: Arc<dyn CodeAnalysis>, patience: Duration) -> Self {
        let backend = Arc::new(TimedAnalysisBackend::new(better, patience));
        self.reader = self.reader.with_outliner(backend.clone());
        self.better = Some(backend);
        self
    }

    /// The project whose code this access reads.
    pub fn project(&self) -> &Project {
        self.reader.project()
    }

    /// The reader of the project's files and of the cached facts about their contents.
    pub(crate) fn reader(&self) -> &ProjectReader {
        &self.reader
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The errors of [`Project::require_readable_file`] and [`SourceFile::read`].
    pub fn read_file(&self, path: &str) -> Result<SourceFile, CodeError> {
        self.reader.read_file(path)
    }

    /// Reads a file by a path that an earlier answer printed. The path is relative to the project root, whatever the
    /// caller's working folder is.
    ///
    /// # Errors
    /// The errors of [`CodeAccess::read_file`].
    pub fn read_file_by_root_path(&self, path: &str) -> Result<SourceFile, CodeError> {
        self.reader.read_file_by_root_path(path)
    }

    /// Reads a file and its symbols by a path that an earlier answer printed. The path is relative to the project root,
    /// whatever the caller's working folder is.
    ///
    /// # Errors
    /// The errors of [`CodeAccess::analyse_file`].
    pub fn analyse_file_by_root_path(&self, path: &str) -> Result<AnalysedFile, CodeError> {
        Ok(self.analyse_source_file(self.read_file_by_root_path(path)?))
    }

    /// Reads the file at `path` and analyses its symbols.
    ///
    /// # Errors
    /// The errors of [`CodeAccess::read_file`].
    pub fn analyse_file(&self, path: &str) -> Result<AnalysedFile, CodeError> {
        Ok(self.analyse_source_file(self.read_file(path)?))
    }

    /// The symbols, imports and exports of a file that has already been read.
    pub fn analyse_source_file(&self, file: SourceFile) -> AnalysedFile {
        self.reader.analyse_file(file)
    }

    /// The symbols of an analysed file that match `name`, in file order.
    pub fn find_matching_symbols(&self, analysed: &AnalysedFile, name: &SymbolNameQuery) -> Vec<NameMatch> {
        // `analysed.facts` already holds the symbols from the best backend that answered for the file, so no backend is
        // asked again.
        let mut found = find_matching_symbols(&analysed.facts.symbols, name);
        // The symbol that the file is as a whole is no part of its outline.
        let file = &analysed.file;
        let component =
            analysed.language.and_then(|language| component_symbol_of_file(language, &file.path, &file.text));
        if let Some(component) = component
            && analysed.facts.symbols.iter().all(|symbol| symbol.name != component.name)
        {
            found.splice(0..0, find_matching_symbols(&[component], name));
        }
        found
    }

    /// Searches the text of files: see [`ProjectReader::grep`].
    ///
    /// # Errors
    /// [`CodeError::BadPattern`] and the errors of [`Project::files_in_scope`].
    pub fn grep(&self, query: &GrepQuery, offset: usize, limit: usize) -> Result<GrepAnswer, CodeError> {
        self.reader.grep(query, offset, limit)
    }

    /// Whether the text of any file matches: see [`ProjectReader::has_match`].
    ///
    /// # Errors
    /// Those of [`CodeAccess::grep`].
    pub fn has_match(&self, query: &GrepQuery) -> Result<MatchExistence, CodeError> {
        self.reader.has_match(query)
    }

    /// Fills in the symbol around each matching line: see [`ProjectReader::fill_in_enclosing_symbols`].
    pub fn fill_in_enclosing_symbols(&self, files: &mut [FileMatches]) -> usize {
        self.reader.fill_in_enclosing_symbols(files)
    }

    /// The references to symbols in all project files that can contain them. They come from the preferred analysis
    /// backend. If there is none or it does not answer, they come from syntax analysis; in the second case, a note in
    /// the evidence says why.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`] and of reading the symbols' own files.
    pub fn find_references(&self, query: &ReferenceQuery) -> Result<References, CodeError> {
        let mut remark = None;
        if let Some(better) = &self.better {
            let (project, asked) = (self.project().clone(), query.clone());
            match better
                .ask_with_timeout(self.project().cancellation(), move |better| better.find_references(&project, &asked))
            {
                Ok(references) => return Ok(references),
                Err(error) => remark = Some(format!("{} {error}; syntax answered instead", better.name())),
            }
        }
        let mut references = self.analyzer().find_references_calls_or_implementations(query)?;
        references.evidence.notes.extend(remark);
        Ok(references)
    }

    /// The members called `name` that types have from their bases: see [`ProjectAnalyzer::find_inherited_members`].
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`] and of reading the types' own files.
    pub fn find_inherited_members(&self, heirs: &[SymbolQuery], name: &str) -> Result<InheritedMembers, CodeError> {
        self.analyzer().find_inherited_members(heirs, name)
    }

    /// Fills in the columns and the line texts of `references`. This is a separate step because most answers show only
    /// a few of the references found.
    pub fn fill_in_reference_columns_and_texts(&self, references: &mut [Reference]) {
        self.analyzer().fill_columns_and_line_texts(references);
    }

    /// The dependencies of a file or folder, and the files that depend on it.
    ///
    /// # Errors
    /// The errors of [`Project::require_entry`] and [`Project::files_in_scope`].
    pub fn dependencies_and_dependents(&self, query: &DependencyQuery) -> Result<Dependencies, CodeError> {
        self.analyzer().dependencies_and_dependents(query)
    }

    /// The direct dependencies of a file that has already been read, as far as they are found within `patience`.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn find_direct_dependencies_and_dependents(
        &self,
        file: &SourceFile,
        patience: Duration,
    ) -> Result<Dependencies, CodeError> {
        self.analyzer().direct_dependencies_and_dependents(file, patience)
    }

    /// The dependency graph of the whole project.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn dependency_overview(&self) -> Result<DependencyOverview, CodeError> {
        self.analyzer().dependency_overview()
    }

    /// Computes the project's dependency graph in advance, so that later questions find it in the cache.
    pub fn preload_dependency_graph(&self) {
        self.analyzer().preload_dependency_graph();
    }

    /// Ranks the project's files by relevance to a question.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn rank_files(&self, query: &RankQuery) -> Result<RankedFiles, CodeError> {
        self.ranker().rank_files(query)
    }

    /// Ranks passages by relevance to a question: the functions, class headers and sections of the most relevant files.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn rank_passages(&self, query: &RankQuery) -> Result<RankedPassages, CodeError> {
        self.ranker().rank_passages(query)
    }

    /// The files that match at least one keyword, best first, ties by path. This plain keyword count is the baseline
    /// that the real ranking is measured against.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn rank_files_by_keywords(
        &self,
        keywords: &[String],
        scope: Option<&str>,
        walk: &WalkOptions,
    ) -> Result<(Vec<KeywordFile>, Evidence), CodeError> {
        self.ranker().rank_files_by_keywords(keywords, scope, walk)
    }

    fn analyzer(&self) -> ProjectAnalyzer {
        ProjectAnalyzer::new(self.reader.clone())
    }

    fn ranker(&self) -> Ranker<'_> {
        Ranker::new(&self.reader, self.embedder.as_deref())
    }
}
