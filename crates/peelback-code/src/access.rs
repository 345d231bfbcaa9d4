//! The way in: files, symbols and whole-project questions, through the best analysis that is ready.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memmem;
use peelback_syntax::{Facts, Language, Tier, language};
use rayon::prelude::*;

use crate::analysis::{CodeAnalysis, SyntaxAnalysis, coverage_gap};
use crate::backend::{Backend, PATIENCE};
use crate::cancellation::CancellationToken;
use crate::document_generator::DocumentGenerator;
use crate::error::CodeError;
use crate::evidence::{Completeness, Evidence, Skipped};
use crate::lookup::{NameMatch, Needle, SymbolName, find_in};
use crate::modules::ProjectIndex;
use crate::project::{Project, ProjectEntry};
use crate::ranking::Embedder;
use crate::references::{ReferenceQuery, References};
use crate::snapshot::Snapshot;
use crate::source::SourceFile;
use crate::store::{FactsStore, NoNames, stands_alone};
use crate::withheld::{TellRefused, Withhold, WithholdText};

/// One file, read and analysed.
#[derive(Debug, Clone)]
pub struct Analysed {
    /// The file's text and metadata.
    pub file: SourceFile,
    /// Its language, where one is known.
    pub language: Option<&'static Language>,
    /// What its text tells.
    pub facts: Arc<Facts>,
    /// How far that can be trusted.
    pub evidence: Evidence,
}

/// What one file of many gave.
#[derive(Debug)]
pub struct FileResult<T> {
    /// What the file's visitor made of it.
    pub value: T,
    /// The gap in the file's evidence, if it has one.
    pub gap: Option<Skipped>,
    /// Whether a language's generic tier read it.
    pub basic: bool,
}

/// The project and what reads its code.
#[derive(Clone)]
pub struct CodeAccess {
    project: Project,
    syntax: SyntaxAnalysis,
    better: Option<Arc<Backend>>,
    store: Arc<FactsStore>,
    /// The project at one time, where several questions are asked of that.
    snapshot: Option<Arc<Snapshot>>,
    embedder: Option<Arc<dyn Embedder>>,
    document_generator: Option<Arc<dyn DocumentGenerator>>,
}

impl CodeAccess {
    /// Access by syntax alone.
    pub fn new(project: Project) -> Self {
        Self {
            project,
            syntax: SyntaxAnalysis::default(),
            better: None,
            store: Arc::default(),
            snapshot: None,
            embedder: None,
            document_generator: None,
        }
    }

    /// Shares what `store` knows with everyone else who has it.
    #[must_use]
    pub fn with_store(mut self, store: Arc<FactsStore>) -> Self {
        self.store = store;
        self
    }

    /// Orders passages by their meaning, too, as `embedder` tells it.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        self.embedder = embedder;
        self
    }

    pub(crate) fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// Has documents that answer questions written by `document_generator`.
    #[must_use]
    pub fn with_document_generator(mut self, document_generator: Option<Arc<dyn DocumentGenerator>>) -> Self {
        self.document_generator = document_generator;
        self
    }

    /// Who writes documents that answer questions.
    pub fn document_generator(&self) -> Option<&Arc<dyn DocumentGenerator>> {
        self.document_generator.as_ref()
    }

    /// The same for one call, whose walks and reads end when `cancellation` does.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        let project = self.project.clone().with_cancellation(cancellation);
        self.with_project(project)
    }

    /// The same for a model in place of a person: see [`Project::at_root`] and [`Project::withholding`].
    #[must_use]
    pub fn for_model(self, withhold: Withhold) -> Self {
        let project = self.project.clone().at_root().withholding(withhold);
        self.with_project(project)
    }

    /// The same without files that are no part of the project: see [`Project::passing_over`].
    #[must_use]
    pub fn passing_over(self, withhold: Withhold) -> Self {
        let project = self.project.clone().passing_over(withhold);
        self.with_project(project)
    }

    /// The same without the files that hold nothing but secrets: see [`Project::withholding_text`].
    #[must_use]
    pub fn withholding_text(self, check: WithholdText) -> Self {
        let project = self.project.clone().withholding_text(check);
        self.with_project(project)
    }

    /// The same with `tell` told of what is refused: see [`Project::telling_refused`].
    #[must_use]
    pub fn telling_refused(self, tell: TellRefused) -> Self {
        let project = self.project.clone().telling_refused(tell);
        self.with_project(project)
    }

    /// The same for the same project with other work.
    pub(crate) fn with_project(mut self, project: Project) -> Self {
        self.project = project;
        self.snapshot = None;
        self
    }

    pub(crate) fn store(&self) -> &Arc<FactsStore> {
        &self.store
    }

    /// The project's files as they are now, and what their names mean.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>, CodeError> {
        match &self.snapshot {
            Some(snapshot) => Ok(snapshot.clone()),
            None => Ok(Arc::new(Snapshot::of(&self.project, &self.store)?)),
        }
    }

    /// Access to the files as they are now, for several questions that belong together: a file that changes meanwhile
    /// is the same in the answers about definitions and references. `path` counts even where the walk passes it over.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn with_snapshot(&self, path: Option<&str>) -> Result<Self, CodeError> {
        let named = path.and_then(|path| self.project.file(path).ok());
        let snapshot = Snapshot::with(&self.project, &self.store, named.as_ref())?;
        Ok(Self { snapshot: Some(Arc::new(snapshot)), ..self.clone() })
    }

    /// Asks `better` first; where it cannot answer, syntax does, and the evidence says why.
    #[must_use]
    pub fn with_better(self, better: Arc<dyn CodeAnalysis>) -> Self {
        self.with_patience(better, PATIENCE)
    }

    /// [`CodeAccess::with_better`] with the time that `better` may take for one question.
    #[must_use]
    pub fn with_patience(mut self, better: Arc<dyn CodeAnalysis>, patience: Duration) -> Self {
        self.better = Some(Arc::new(Backend::new(better, patience)));
        self
    }

    /// The uses of symbols, in all files of the project that can hold them: from the better backend, or from syntax
    /// with the reason.
    ///
    /// # Errors
    /// Those of [`Project::files`] and of reading the symbols' own files.
    pub fn references(&self, query: &ReferenceQuery) -> Result<References, CodeError> {
        let mut remark = None;
        if let Some(better) = &self.better {
            let (project, asked) = (self.project.clone(), query.clone());
            match better.ask(self.project.cancellation(), move |better| better.find_references(&project, &asked)) {
                Ok(references) => return Ok(references),
                Err(error) => remark = Some(format!("{} {error}; syntax answered instead", better.name())),
            }
        }
        let mut references = self.resolved_references(query)?;
        references.evidence.notes.extend(remark);
        Ok(references)
    }

    /// The project.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`Project::file`] and [`SourceFile::read`].
    pub fn read(&self, path: &str) -> Result<SourceFile, CodeError> {
        SourceFile::read(&self.project.file(path)?)
    }

    /// A file at a path from the root; `None` where it cannot be read, or is not any more what was looked at.
    pub(crate) fn read_as_searched(&self, path: &str) -> Option<SourceFile> {
        let text = SourceFile::read(&self.project.file_below(path)?).ok()?;
        let changed = self.snapshot.as_ref().is_some_and(|snapshot| {
            let file = snapshot.files().id(path);
            file.is_some_and(|file| matches!(snapshot.names_of(file, &text), Err(NoNames::Changed)))
        });
        (!changed).then_some(text)
    }

    /// [`CodeAccess::read`] of a path that an answer prints: it is one from the root, wherever the call comes from.
    ///
    /// # Errors
    /// Those of [`CodeAccess::read`].
    pub fn read_of_answer(&self, path: &str) -> Result<SourceFile, CodeError> {
        match self.project.file_below(path) {
            Some(entry) => SourceFile::read(&entry),
            None => self.read(path),
        }
    }

    /// [`CodeAccess::outline`] of a path that an answer printed: it is one from the root, wherever the call comes from.
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
        let (facts, mut evidence) = self.facts_of(&file);
        let language = language::of_file(file.name(), &file.text);
        if language.is_some_and(|language| language.tier == Tier::Basic) {
            evidence.analysis.push_str(" (basic)");
        }
        if let Some(gap) = coverage_gap(&facts.coverage) {
            let nothing = matches!(facts.coverage, peelback_syntax::Coverage::NotParsed(_));
            evidence.skip(&file.path, gap);
            if nothing {
                evidence.weaken(Completeness::Unknown);
            }
        }
        evidence.notes.extend(file.decoding.clone());
        Analysed { file, language, facts, evidence }
    }

    /// The symbols of a file that `name` means, in the order of the file.
    pub fn read_symbol(&self, analysed: &Analysed, name: &SymbolName) -> Vec<NameMatch> {
        // The facts came from the best backend that answered for the file: its symbols are these.
        find_in(&analysed.facts.symbols, name)
    }

    /// Reads and analyses many files on all cores and gives each to `visit`; the results come in the order of
    /// `entries`. A file whose text lacks `needle` is not parsed and not visited.
    /// What cannot be read goes to the evidence; binary files are no part of a project's code and are passed over.
    pub fn visit<T: Send>(
        &self,
        entries: &[ProjectEntry],
        needle: Option<Needle<'_>>,
        visit: impl Fn(Analysed) -> Option<T> + Sync,
    ) -> (Vec<T>, Evidence) {
        let finder = needle.map(Finder::new);
        let cancellation = self.project.cancellation();
        let (results, left) = largest_first(entries, cancellation, |entry| {
            let named = language::of_name(entry.name());
            if needle.is_some() && named.is_none() && !entry.may_be_script() {
                return None;
            }
            let file = match SourceFile::read(entry) {
                Ok(file) => file,
                Err(CodeError::Binary { .. }) => return None,
                Err(error) => return Some(Err(Skipped { path: entry.path.clone(), reason: error.to_string() })),
            };
            // A document writes its names with marks and escapes: its text need not hold them as they are.
            let is_document = named.is_some_and(|language| language.tier == Tier::Document);
            if !is_document && finder.as_ref().is_some_and(|finder| !finder.is_in(&file.text)) {
                return None;
            }
            let analysed = self.analyse(file);
            let gap = match analysed.facts.coverage {
                peelback_syntax::Coverage::NotParsed(peelback_syntax::NotParsed::UnknownLanguage) => None,
                _ => analysed.evidence.skipped.first().cloned(),
            };
            let basic = analysed.language.is_some_and(|language| language.tier == Tier::Basic);
            Some(Ok(FileResult { value: visit(analysed), gap, basic }))
        });
        let mut evidence = Evidence::complete(self.syntax.name());
        cancellation.cut_short(left, entries.len(), &mut evidence);
        let mut values = Vec::with_capacity(results.len());
        let mut basic = false;
        for result in results {
            match result {
                Ok(FileResult { value, gap, basic: is_basic }) => {
                    if let Some(gap) = gap {
                        evidence.skip(&gap.path, gap.reason);
                    }
                    basic |= is_basic && value.is_some();
                    values.extend(value);
                }
                Err(skipped) => evidence.skip(&skipped.path, skipped.reason),
            }
        }
        if basic {
            evidence.mark_basic();
        }
        (values, evidence)
    }

    /// The facts from the better backend, or from syntax with the reason.
    fn facts_of(&self, file: &SourceFile) -> (Arc<Facts>, Evidence) {
        let mut evidence = Evidence::complete(self.syntax.name());
        if let Some(better) = &self.better {
            let asked = file.clone();
            match better.ask(self.project.cancellation(), move |better| better.outline(&asked)) {
                Ok(facts) => return (Arc::new(facts), Evidence::complete(better.name())),
                Err(error) => evidence.note(format!("{} {error}; syntax answered instead", better.name())),
            }
        }
        (self.store.facts(file, |file| self.syntax.facts(file)), evidence)
    }
}

/// Does `cancellation` for each place on all cores, the largest file first: the last to finish should be a small one. The
/// results come in the order of the places, with the number of places that were left when `cancellation` had to end.
pub(crate) fn largest_first<R: Send>(
    entries: &[ProjectEntry],
    cancellation: &CancellationToken,
    look: impl Fn(&ProjectEntry) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    let size = |entry: &ProjectEntry| std::fs::metadata(&entry.absolute).map_or(0, |metadata| metadata.len());
    let sizes: Vec<u64> = entries.par_iter().map(size).collect();
    in_order_of(&sizes, cancellation, |index| entries.get(index).and_then(&look))
}

/// [`largest_first`] for whatever has these sizes.
pub(crate) fn in_order_of<R: Send>(
    sizes: &[u64],
    cancellation: &CancellationToken,
    look: impl Fn(usize) -> Option<R> + Sync,
) -> (Vec<R>, usize) {
    cancellation.expect(sizes.len());
    let mut order: Vec<(u64, usize)> = sizes.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let next = AtomicUsize::new(0);
    let left = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    rayon::broadcast(|_| {
        let mut mine = Vec::new();
        while let Some(&(_, index)) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !cancellation.step() {
                left.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            if let Some(result) = look(index) {
                mine.push((index, result));
            }
        }
        done.lock().unwrap_or_else(PoisonError::into_inner).append(&mut mine);
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    (done.into_iter().map(|(_, result)| result).collect(), left.into_inner())
}

/// A text to look for before a file is parsed.
pub(crate) enum Finder {
    Word(Box<memmem::Finder<'static>>),
    Part(Box<memmem::Finder<'static>>),
    AnyCase(regex::Regex),
    Everything,
}

impl Finder {
    pub fn new(needle: Needle<'_>) -> Self {
        let plain = |text: &str| Box::new(memmem::Finder::new(text.as_bytes()).into_owned());
        match needle {
            needle if needle.text().is_empty() => Self::Everything,
            Needle::Word(text) => Self::Word(plain(text)),
            Needle::Part(text) => Self::Part(plain(text)),
            Needle::AnyCase(text) => {
                let regex = regex::RegexBuilder::new(&regex::escape(text)).case_insensitive(true).build();
                regex.map_or(Self::Everything, Self::AnyCase)
            }
        }
    }

    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Word(finder) => {
                let len = finder.needle().len();
                finder.find_iter(text.as_bytes()).any(|at| stands_alone(text, at..at + len))
            }
            Self::Part(finder) => finder.find(text.as_bytes()).is_some(),
            Self::AnyCase(regex) => regex.is_match(text),
            Self::Everything => true,
        }
    }
}
