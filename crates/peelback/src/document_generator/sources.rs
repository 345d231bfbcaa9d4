//! The source of the files that a document is about, as a call of the server names it.

use peelback_agent::scope::Origin;
use peelback_agent::source::{self, OpenOptions, Opened, Source, Transport};
use peelback_code::{CodeAccess, DocumentGenerationError, DocumentPurpose, DocumentRequest, ErrorCategory, Project};

use super::folders::DocumentFolders;

/// The files that a document is about. A clone is removed when this is dropped.
pub(super) struct OpenedSource {
    pub access: CodeAccess,
    /// The folder or file inside a clone that its URL named.
    pub within: Option<String>,
    opened: Option<Opened>,
}

impl OpenedSource {
    /// Opens the source of a request, whose root is that of `access`. Without one, the source of a written document is the
    /// one that the document names, and that of a new one is the root.
    ///
    /// # Errors
    /// Where the source is not inside the folders that may be read, is a URL and `can_clone` is `false`, or cannot be cloned.
    pub fn open(
        access: &CodeAccess,
        request: &DocumentRequest<'_>,
        folders: &DocumentFolders,
        can_clone: bool,
    ) -> Result<Self, DocumentGenerationError> {
        let text = match (request.source, request.purpose) {
            (Some(source), _) => source,
            (None, DocumentPurpose::Check(document) | DocumentPurpose::Refresh(document)) => {
                return open_folder_of_document(access, document, folders);
            }
            (None, _) => return Self::of_access(access.clone()),
        };
        let refused = |error: source::SourceError| DocumentGenerationError {
            category: if error.is_usage_error() { ErrorCategory::BadUsage } else { ErrorCategory::Failure },
            message: error.to_string(),
            advice: None,
        };
        match Source::parse(text).map_err(refused)? {
            Source::Folder(_) => open_folder(access, text, folders),
            Source::ContextDocument(path) => {
                if access.project().root().join(path).is_dir() {
                    return open_folder(access, text, folders);
                }
                open_folder_of_document(access, text, folders)
            }
            Source::Git(url) => {
                let shown = url.to_display_url();
                if !can_clone {
                    return Err(DocumentGenerationError::new_bad_usage(
                        format!("this server does not clone repositories: {shown}"),
                        "name a folder below the root; whoever starts the server can allow clones with --clone-sources",
                    ));
                }
                // An SSH URL would use the keys of whoever started the server, and a `file://` URL would read any folder.
                if url.transport != Transport::Https {
                    return Err(DocumentGenerationError::new_bad_usage(
                        format!("a server clones over https alone, and not {shown}"),
                        "name the https address of the repository, or a folder below the root",
                    ));
                }
                let cancellation = access.project().cancellation();
                let default_options = OpenOptions::default();
                let options = OpenOptions {
                    cancel: cancellation.cancellation_flag(),
                    deadline: cancellation
                        .time_left()
                        .map_or(default_options.deadline, |left| left.min(default_options.deadline)),
                    ..default_options
                };
                source::remove_orphaned_scratch_folders(&options.temporary_folder);
                cancellation.set_current_step(format!("cloning {shown}"));
                let opened = source::open_code_source(&Source::Git(url), &options).map_err(refused)?;
                let project = Project::discover(Some(&opened.root), None)
                    .map_err(|error| DocumentGenerationError::new_failure(error.to_string()))?;
                // A clone gets no cache, because a cache for a temporary clone would never be used again.
                let access = CodeAccess::new(project).with_cancellation(cancellation.clone());
                Ok(Self { access, within: opened.within.clone(), opened: Some(opened) })
            }
        }
    }

    fn of_access(access: CodeAccess) -> Result<Self, DocumentGenerationError> {
        // This finds the commit; a root that is in no repository has none.
        let folder = Source::Folder(access.project().root().to_owned());
        let opened = source::open_code_source(&folder, &OpenOptions::default()).ok();
        Ok(Self { access, within: None, opened })
    }

    /// The origin of the files, for the document's front matter.
    pub fn origin(&self) -> Origin {
        match &self.opened {
            Some(opened) => {
                Origin { source: opened.source.clone(), name: opened.name.clone(), commit: opened.commit.clone() }
            }
            None => {
                let root = self.access.project().root();
                let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                Origin { source: root.display().to_string(), name, commit: None }
            }
        }
    }
}

fn open_folder(
    access: &CodeAccess,
    text: &str,
    folders: &DocumentFolders,
) -> Result<OpenedSource, DocumentGenerationError> {
    let folder = folders.existing_folder(access.project().root(), text)?;
    let project = Project::discover(Some(&folder), None)
        .map_err(|error| DocumentGenerationError::new_failure(error.to_string()))?;
    OpenedSource::of_access(access.new_for_other_project(project))
}

/// Opens the folder that a written document names as its source.
fn open_folder_of_document(
    access: &CodeAccess,
    text: &str,
    folders: &DocumentFolders,
) -> Result<OpenedSource, DocumentGenerationError> {
    let (_, document) = folders.read_document(access.project().root(), text)?;
    let named = document.front.source_repo.trim().to_owned();
    // A document may come from anyone, so that the caller has to name what is outside, or on another machine.
    let name_it = |_| {
        DocumentGenerationError::new_bad_usage(
            format!("{text} names {named} as its source, which is not a folder that may be read here"),
            "name the source of the files yourself, in the parameter source",
        )
    };
    match Source::parse(&named) {
        Ok(Source::Folder(_)) => open_folder(access, &named, folders).map_err(name_it),
        _ => Err(name_it(DocumentGenerationError::new_failure(String::new()))),
    }
}
