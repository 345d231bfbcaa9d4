//! One project as a call reads it: its files, what is known of their contents, and the outlines of files.

use std::sync::Arc;

use peelback_syntax::{Coverage, Facts, Language, NotParsed, Tier, language};

use crate::cancellation::CancellationToken;
use crate::coverage::coverage_gap;
use crate::error::CodeError;
use crate::evidence::{Completeness, Evidence};
use crate::project::Project;
use crate::snapshot::Snapshot;
use crate::source::SourceFile;
use crate::store::{FactsStore, NoNames};

/// One file, read and analysed.
#[derive(Debug, Clone)]
pub struct Analysed {
    /// The file's text and metadata.
    pub file: SourceFile,
    /// The file's language, where one is known.
    pub language: Option<&'static Language>,
    /// The symbols, imports, exports and folds of the text.
    pub facts: Arc<Facts>,
    /// How far the facts can be trusted.
    pub evidence: Evidence,
}

/// A source of outlines that is preferred to syntax trees, and that may fail.
pub trait Outliner: Send + Sync {
    /// The name of the analysis in the evidence.
    fn name(&self) -> &'static str;

    /// The symbols, imports and exports of a file, before `cancellation` ends the call.
    ///
    /// # Errors
    /// Why there is no outline, as the end of a sentence that begins with the name of the analysis.
    fn outline(&self, file: &SourceFile, cancellation: &CancellationToken) -> Result<Facts, String>;
}

/// A project, the store of what is known of contents, and the source of outlines.
#[derive(Clone)]
pub struct ProjectReader {
    project: Project,
    store: Arc<FactsStore>,
    outliner: Option<Arc<dyn Outliner>>,
    /// The snapshot that several questions share; without one, each question takes its own.
    snapshot: Option<Arc<Snapshot>>,
}

/// The name of the analysis by syntax trees in the evidence.
pub const SYNTAX: &str = "syntax";

impl ProjectReader {
    /// A reader whose outlines come from syntax trees, with a store that ends with the process.
    pub fn new(project: Project) -> Self {
        Self { project, store: Arc::default(), outliner: None, snapshot: None }
    }

    /// The same reader with a store that others share.
    #[must_use]
    pub fn with_store(mut self, store: Arc<FactsStore>) -> Self {
        self.store = store;
        self
    }

    /// The same reader, which asks `outliner` first; where that fails, syntax answers, and the evidence says why.
    #[must_use]
    pub fn with_outliner(mut self, outliner: Arc<dyn Outliner>) -> Self {
        self.outliner = Some(outliner);
        self
    }

    /// The same reader for the same root with another cancellation token or other rules of what is withheld. A shared
    /// snapshot is dropped: the walk may find other files.
    #[must_use]
    pub fn with_project(mut self, project: Project) -> Self {
        self.project = project;
        self.snapshot = None;
        self
    }

    /// The same reader with one snapshot for several questions that belong together: a file that changes meanwhile is
    /// the same in the answers about definitions and references. The file at `path` is part of the snapshot even where
    /// the walk ignores it.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn with_snapshot(&self, path: Option<&str>) -> Result<Self, CodeError> {
        let named = path.and_then(|path| self.project.file(path).ok());
        let snapshot = Snapshot::with(&self.project, &self.store, named.as_ref())?;
        Ok(Self { snapshot: Some(Arc::new(snapshot)), ..self.clone() })
    }

    /// The project.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The store of what is known of contents.
    pub fn store(&self) -> &Arc<FactsStore> {
        &self.store
    }

    /// The shared snapshot, or else one of the files as they are now.
    ///
    /// # Errors
    /// Those of [`Project::files`].
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, CodeError> {
        match &self.snapshot {
            Some(snapshot) => Ok(snapshot.clone()),
            None => Ok(Arc::new(Snapshot::of(&self.project, &self.store)?)),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`Project::file`] and [`SourceFile::read`].
    pub fn read(&self, path: &str) -> Result<SourceFile, CodeError> {
        SourceFile::read(&self.project.file(path)?)
    }

    /// The file at a path from the root; `None` where it cannot be read, or where its text is not the one that the shared
    /// snapshot has seen.
    pub fn read_as_searched(&self, path: &str) -> Option<SourceFile> {
        let text = SourceFile::read(&self.project.file_below(path)?).ok()?;
        let changed = self.snapshot.as_ref().is_some_and(|snapshot| {
            let file = snapshot.files().id(path);
            file.is_some_and(|file| matches!(snapshot.names_of(file, &text), Err(NoNames::Changed)))
        });
        (!changed).then_some(text)
    }

    /// Reads a file by a path that an answer printed: from the root, whichever folder the call comes from.
    ///
    /// # Errors
    /// Those of [`ProjectReader::read`].
    pub fn read_of_answer(&self, path: &str) -> Result<SourceFile, CodeError> {
        SourceFile::read(&self.project.file_of_answer(path)?)
    }

    /// The symbols, imports and exports of a file that was read.
    pub fn analyse(&self, file: SourceFile) -> Analysed {
        let (facts, mut evidence) = self.facts_of(&file);
        let language = language::of_file(file.name(), &file.text);
        if language.is_some_and(|language| language.tier == Tier::Basic) {
            evidence.analysis.push_str(" (basic)");
        }
        if let Some(gap) = coverage_gap(&facts.coverage) {
            evidence.skip(&file.path, gap);
            if matches!(facts.coverage, Coverage::NotParsed(_)) {
                evidence.weaken(Completeness::Unknown);
            }
        }
        evidence.notes.extend(file.decoding.clone());
        Analysed { file, language, facts, evidence }
    }

    /// The facts from the preferred outliner, or from syntax with the reason.
    fn facts_of(&self, file: &SourceFile) -> (Arc<Facts>, Evidence) {
        let mut evidence = Evidence::complete(SYNTAX);
        if let Some(outliner) = &self.outliner {
            match outliner.outline(file, self.project.cancellation()) {
                Ok(facts) => return (Arc::new(facts), Evidence::complete(outliner.name())),
                Err(error) => evidence.note(format!("{} {error}; syntax answered instead", outliner.name())),
            }
        }
        (self.store.facts(file), evidence)
    }

    /// Adds to the evidence what happened to the cache, once for each event.
    pub fn note_cache(&self, evidence: &mut Evidence) {
        if let Some(notice) = self.store.take_notice() {
            evidence.note(notice);
        }
    }
}

impl Analysed {
    /// Whether the file is in no known language: not a gap in an answer about code.
    pub fn is_in_unknown_language(&self) -> bool {
        self.facts.coverage == Coverage::NotParsed(NotParsed::UnknownLanguage)
    }
}
