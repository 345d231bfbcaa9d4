//! The type through which callers use this crate: it answers questions about names that span the files of a project.

use std::sync::Arc;

use peelback_project::{AnalysedFile, CodeError, Evidence, FactsStore, Project, ProjectReader, Snapshot, SourceFile};

/// Answers questions about names across the files of one project: references, implementations, dependencies.
#[derive(Clone)]
pub struct ProjectAnalyzer {
    reader: ProjectReader,
}

impl ProjectAnalyzer {
    /// Creates an analyzer of the project whose files `reader` reads.
    pub fn new(reader: ProjectReader) -> Self {
        Self { reader }
    }

    pub(crate) fn with_project(self, project: Project) -> Self {
        Self { reader: self.reader.with_project(project) }
    }

    pub(crate) fn project(&self) -> &Project {
        self.reader.project()
    }

    pub(crate) fn facts_store(&self) -> &Arc<FactsStore> {
        self.reader.store()
    }

    pub(crate) fn snapshot(&self) -> Result<Arc<Snapshot>, CodeError> {
        self.reader.shared_or_new_snapshot()
    }

    pub(crate) fn analyse_file(&self, file: SourceFile) -> AnalysedFile {
        self.reader.analyse_file(file)
    }

    pub(crate) fn read_file_if_unchanged(&self, path: &str) -> Option<SourceFile> {
        self.reader.read_file_if_matching_snapshot(path)
    }

    pub(crate) fn add_cache_notice(&self, evidence: &mut Evidence) {
        self.reader.add_cache_notice_to_evidence(evidence);
    }
}
