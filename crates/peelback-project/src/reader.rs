//! `ProjectReader`: reads and analyses the files of one project, with a cache of the facts about their contents.

use std::sync::Arc;

use peelback_syntax::{Facts, Language, NotParsed, ParseCoverage, Tier, language};

use crate::cancellation::CancellationToken;
use crate::coverage::describe_parse_coverage_gap;
use crate::error::CodeError;
use crate::evidence::{Completeness, Evidence};
use crate::project::Project;
use crate::snapshot::Snapshot;
use crate::source::SourceFile;
use crate::store::{FactsStore, NamesError, ProjectFactsStore};

/// One file, read and analysed.
#[derive(Debug, Clone)]
pub struct AnalysedFile {
    /// The file's text and metadata.
    pub file: SourceFile,
    /// The file's language, where one is known.
    pub language: Option<&'static Language>,
    /// The symbols, imports, exports and folds of the text.
    pub facts: Arc<Facts>,
    /// How far the facts can be trusted.
    pub evidence: Evidence,
}

/// An analysis that is preferred to syntax trees for the outlines of files (symbols, imports and exports), and that may
/// fail.
pub trait Outliner: Send + Sync {
    /// The name of the analysis, as the evidence of answers shows it.
    fn name(&self) -> &'static str;

    /// The symbols, imports and exports of a file, returned before `cancellation` ends the call.
    ///
    /// # Errors
    /// The reason why there is no outline, written as the end of a sentence that begins with the name of the analysis.
    fn outline_file(&self, file: &SourceFile, cancellation: &CancellationToken) -> Result<Facts, String>;
}

/// Reads and analyses the files of one project, with the facts store as cache and a preferred analysis for outlines.
#[derive(Clone)]
pub struct ProjectReader {
    project: Project,
    store: Arc<FactsStore>,
    outliner: Option<Arc<dyn Outliner>>,
    /// The snapshot of the project's files that several questions share; without one, each question takes its own.
    snapshot: Option<Arc<Snapshot>>,
}

/// The name of the analysis by syntax trees, as the evidence of answers shows it.
pub const SYNTAX_ANALYSIS: &str = "syntax";

impl ProjectReader {
    /// Creates a reader of `project` with outlines from syntax trees and a new facts store in memory.
    pub fn new(project: Project) -> Self {
        Self { project, store: Arc::default(), outliner: None, snapshot: None }
    }

    /// This reader with a facts store that other readers may share.
    #[must_use]
    pub fn with_store(mut self, store: Arc<FactsStore>) -> Self {
        self.store = store;
        self
    }

    /// This reader with a preferred analysis for outlines. If `outliner` fails, syntax analysis answers, and the
    /// evidence says why.
    #[must_use]
    pub fn with_outliner(mut self, outliner: Arc<dyn Outliner>) -> Self {
        self.outliner = Some(outliner);
        self
    }

    /// This reader for another project value with the same root, which may have another cancellation token or other
    /// withholding rules. The shared snapshot is dropped, because the directory walk may find other files.
    #[must_use]
    pub fn with_project(mut self, project: Project) -> Self {
        self.project = project;
        self.snapshot = None;
        self
    }

    /// This reader with one snapshot for several related questions, so that all answers, such as those about
    /// definitions and references, see the same text of a file that changes meanwhile. The file at `path` is part of
    /// the snapshot even if the walk ignores it.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn with_new_shared_snapshot(&self, path: Option<&str>) -> Result<Self, CodeError> {
        let named_file = path.and_then(|path| self.project.require_readable_file(path).ok());
        let snapshot = Snapshot::of_project_with_file(&self.project, &self.store, named_file.as_ref())?;
        Ok(Self { snapshot: Some(Arc::new(snapshot)), ..self.clone() })
    }

    /// The project whose files this reader reads.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The store of facts about file contents.
    pub fn store(&self) -> &Arc<FactsStore> {
        &self.store
    }

    /// The part of the facts store for the project of this reader.
    pub fn project_facts(&self) -> ProjectFactsStore {
        self.store.store_for_project(self.project.root(), self.project.cancellation())
    }

    /// Whether outlines come from a preferred analysis, which is asked for each file in each call.
    pub fn has_preferred_outliner(&self) -> bool {
        self.outliner.is_some()
    }

    /// The snapshot that several questions share (see [`ProjectReader::with_new_shared_snapshot`]), or else a new
    /// snapshot of the project's current files.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn shared_or_new_snapshot(&self) -> Result<Arc<Snapshot>, CodeError> {
        match &self.snapshot {
            Some(snapshot) => Ok(snapshot.clone()),
            None => Ok(Arc::new(Snapshot::of_project(&self.project, &self.store)?)),
        }
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The errors of [`Project::require_readable_file`] and [`SourceFile::read`].
    pub fn read_file(&self, path: &str) -> Result<SourceFile, CodeError> {
        SourceFile::read(&self.project.require_readable_file(path)?)
    }

    /// The file at a path from the root; `None` if it cannot be read, or if its text differs from the one in the shared
    /// snapshot.
    pub fn read_file_if_matching_snapshot(&self, path: &str) -> Option<SourceFile> {
        let text = SourceFile::read(&self.project.find_readable_file_by_root_path(path)?).ok()?;
        let changed = self.snapshot.as_ref().is_some_and(|snapshot| {
            let file = snapshot.file_table().id_of_path(path);
            file.is_some_and(|file| matches!(snapshot.names_in_file_given_text(file, &text), Err(NamesError::Changed)))
        });
        (!changed).then_some(text)
    }

    /// Reads a file by a path that an answer printed. The path starts from the root, whatever the working folder is.
    ///
    /// # Errors
    /// The errors of [`ProjectReader::read_file`].
    pub fn read_file_by_root_path(&self, path: &str) -> Result<SourceFile, CodeError> {
        SourceFile::read(&self.project.require_readable_file_by_root_path(path)?)
    }

    /// The symbols, imports and exports of a file that has already been read.
    pub fn analyse_file(&self, file: SourceFile) -> AnalysedFile {
        let (facts, mut evidence) = self.file_facts_with_evidence(&file);
        let language = language::language_of_file_name_and_text(file.file_name(), &file.text);
        if language.is_some_and(|language| language.tier == Tier::Basic) {
            evidence.analysis.push_str(" (basic)");
        }
        if let Some(gap) = describe_parse_coverage_gap(&facts.coverage) {
            evidence.add_skipped_and_lower_completeness(&file.path, gap);
            if matches!(facts.coverage, ParseCoverage::NotParsed(_)) {
                evidence.lower_completeness_to(Completeness::Unknown);
            }
        }
        evidence.notes.extend(file.decoding_note.clone());
        AnalysedFile { file, language, facts, evidence }
    }

    /// The facts about a file with their evidence: from the preferred analysis, or from the syntax tree, with a note if
    /// the preferred analysis failed.
    fn file_facts_with_evidence(&self, file: &SourceFile) -> (Arc<Facts>, Evidence) {
        let mut evidence = Evidence::new_complete(SYNTAX_ANALYSIS);
        if let Some(outliner) = &self.outliner {
            match outliner.outline_file(file, self.project.cancellation()) {
                Ok(facts) => return (Arc::new(facts), Evidence::new_complete(outliner.name())),
                Err(error) => evidence.add_note(format!("{} {error}; syntax answered instead", outliner.name())),
            }
        }
        (self.store.load_or_parse_facts(file, self.project.cancellation()), evidence)
    }

    /// Adds a pending message about the disk cache to an answer's evidence. Each message appears in one answer only.
    pub fn add_cache_notice_to_evidence(&self, evidence: &mut Evidence) {
        if let Some(notice) = self.store.take_cache_notice() {
            evidence.add_note(notice);
        }
    }
}

impl AnalysedFile {
    /// Whether the file is in no known language. An answer about code is complete without such a file.
    pub fn is_in_unknown_language(&self) -> bool {
        self.facts.coverage == ParseCoverage::NotParsed(NotParsed::UnknownLanguage)
    }
}
