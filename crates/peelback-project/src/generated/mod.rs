//! Which files a program wrote: the project's `.gitattributes` say so, or a comment at the head of the file does.

mod attributes;
mod head;

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Mutex, PoisonError};

use self::attributes::AttributesOfFolders;
use self::head::{MAX_HEAD_BYTES, has_generated_mark};
use crate::project::Project;

/// Tells which files of a project are generated. What was found out about a file is kept, so one value serves one call.
#[derive(Debug)]
pub struct GeneratedFiles {
    project: Project,
    attributes: AttributesOfFolders,
    known: Mutex<HashMap<String, bool>>,
}

impl GeneratedFiles {
    /// The generated files of `project`.
    pub fn of_project(project: &Project) -> Self {
        Self { project: project.clone(), attributes: AttributesOfFolders::default(), known: Mutex::default() }
    }

    /// Whether the file that a walk found at a path from the root is generated. Reads the beginning of the file where its path does not tell.
    /// A file that cannot be read is not generated.
    pub fn is_generated(&self, path: &str) -> bool {
        self.is_generated_with_head(path, || {
            let (file, _) = self.project.project_entry_for_walked_path(path).open().ok()?;
            let mut head = Vec::new();
            file.take(MAX_HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
            Some(String::from_utf8_lossy(&head).into_owned())
        })
    }

    /// [`GeneratedFiles::is_generated`] for a file whose text is known.
    pub fn is_generated_with_text(&self, path: &str, text: &str) -> bool {
        self.is_generated_with_head(path, || Some(text.get(..text.floor_char_boundary(MAX_HEAD_BYTES))?.to_owned()))
    }

    fn is_generated_with_head(&self, path: &str, head: impl FnOnce() -> Option<String>) -> bool {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            return *known;
        }
        let by_attributes = self.attributes.is_marked_generated(&self.project, path);
        let is_generated = by_attributes.unwrap_or_else(|| head().is_some_and(|head| has_generated_mark(&head)));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), is_generated);
        is_generated
    }
}
