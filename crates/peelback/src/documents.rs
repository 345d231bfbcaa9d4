//! Shared parts of the commands that write documents: opening the files to document, and writing the document to its
//! target.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches};
use peelback_agent::document::{self, Document};
use peelback_agent::scope::Origin;
use peelback_agent::secrets::SecretFileRules;
use peelback_agent::source::{self, OpenOptions, Opened, Source, SourceKind};
use peelback_code::{CodeAccess, FactsStore, Project, text_of_path};

use crate::arguments::{
    command_line_path_value_parser, current_working_folder, is_cache_disabled_by_flag, json_output_argument,
};
use crate::config::{ConfigSources, KEYS, Settings};
use crate::exit::{
    ExitStatus, print_cloning_to_stderr, print_document_to_stdout, print_error_and_return_status, print_note_to_stderr,
};
use crate::interrupt::InterruptListener;
use crate::tool_flags::flags_of_own_tool_parameters;

/// The configuration tables whose keys are command-line flags of the commands that write documents.
pub(crate) const CONFIG_FLAG_TABLES: &[&str] = &["agent", "cache", "model", "budget"];

/// The command-line flags of the parameters of the tool with the name of a command that writes documents, but those that
/// [`arguments_of_document_writing_commands`] and the configuration have.
pub(crate) fn flags_of_document_tool(name: &str) -> Vec<Arg> {
    let arguments = arguments_of_document_writing_commands();
    flags_of_own_tool_parameters(name, |flag| {
        arguments.iter().any(|argument| argument.get_id() == flag) || KEYS.iter().any(|key| key.name == flag)
    })
}

/// The command-line arguments that name the source of the files and the document's target.
pub(crate) fn arguments_of_document_writing_commands() -> Vec<Arg> {
    vec![
        Arg::new("source")
            .value_name("SOURCE")
            .value_parser(command_line_path_value_parser())
            .default_value(".")
            .help("A folder, a context document, or a git URL (https, ssh, file), with #BRANCH or #COMMIT"),
        Arg::new("output")
            .short('o')
            .long("output")
            .value_name("PATH")
            .value_parser(clap::value_parser!(PathBuf))
            .help(
                "Where the document goes: a new file, a folder, or - for the standard output; by default \
             contexts/REPOSITORY/ below the working folder",
            ),
        Arg::new("allow_secret")
            .long("allow-secret")
            .value_name("PATH")
            .value_parser(command_line_path_value_parser())
            .action(ArgAction::Append)
            .help("A file that seems to contain secrets but may be shown: its path from the root, or a glob"),
        Arg::new("allow_http")
            .long("allow-http")
            .action(ArgAction::SetTrue)
            .help("Also clones over unencrypted http from other machines"),
        json_output_argument(),
    ]
}

/// What a command does first with a source, in words for its progress.
pub(crate) fn first_step_of_source(source: &Source) -> String {
    match source {
        Source::Git(url) => format!("cloning {}", url.to_display_url()),
        _ => "reading the files".to_owned(),
    }
}

/// The opened source of the files to document (a folder or a clone), with its settings.
pub(crate) struct DocumentSource {
    pub opened: Opened,
    pub access: CodeAccess,
    pub settings: Settings,
    store: Arc<FactsStore>,
}

impl DocumentSource {
    /// Opens the source of the files to document. Ctrl-C ends a running clone and removes its files.
    pub fn open(
        requested_source: &Source,
        interrupt: &InterruptListener,
        matches: &ArgMatches,
    ) -> Result<Self, ExitStatus> {
        let options = OpenOptions {
            allow_http: is_command_line_flag_set(matches, "allow_http"),
            cancel: interrupt.interrupted_flag.clone(),
            ..OpenOptions::default()
        };
        // Removes the temporary clones that killed processes left behind.
        source::remove_orphaned_scratch_folders(&options.temporary_folder);
        if let (Source::Git(url), true) = (requested_source, std::io::stderr().is_terminal()) {
            print_cloning_to_stderr(&url.to_display_url());
        }
        let opened = source::open_code_source(requested_source, &options).map_err(|error| {
            let exit = if error.is_usage_error() { ExitStatus::BadUsage } else { ExitStatus::Failure };
            print_error_and_return_status(&error.to_string(), exit)
        })?;
        let project = Project::discover(Some(&opened.root), None)
            .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?;
        // The configuration file of a clone comes from the repository's authors, and the user has not reviewed it.
        let project_with_trusted_config = (opened.kind == SourceKind::Folder).then(|| project.clone());
        let settings = Settings::load(&ConfigSources::from_process(project_with_trusted_config, matches))
            .map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))?;
        // A clone gets no cache, because a cache for a temporary clone would never be used again.
        let cache = settings
            .cache_options()
            .filter(|_| opened.kind == SourceKind::Folder && !is_cache_disabled_by_flag(matches));
        let store = Arc::new(match cache {
            Some(cache) => FactsStore::with_disk_cache(move || Some(cache)),
            None => FactsStore::default(),
        });
        let access =
            CodeAccess::new(project).with_facts_store(store.clone()).with_cancellation(interrupt.cancellation.clone());
        // A document may come from anyone, so that its reader learns what it has read.
        if let Some(document) = &opened.from_document {
            print_note_to_stderr(&format!("the source is {}, as {} says", opened.source, document.display()));
        }
        Ok(Self { opened, access, settings, store })
    }

    /// The origin of the files (address, name and commit), for the document's front matter.
    pub fn origin(&self) -> Origin {
        Origin {
            source: self.opened.source.clone(),
            name: self.opened.name.clone(),
            commit: self.opened.commit.clone(),
        }
    }

    /// The rules that keep secrets out of documents, with exceptions for the files that the user allows.
    pub fn secret_rules_from_arguments(matches: &ArgMatches) -> Arc<SecretFileRules> {
        Arc::new(SecretFileRules::new(&flag_values(matches, "allow_secret")))
    }

    /// Writes a document to its target and returns the path, or `None` where the document was printed.
    ///
    /// A document that cannot be written is printed, so that paid work is not lost.
    pub fn write_document_to_target(
        &self,
        document: &Document,
        name: &str,
        target: &DocumentTarget,
    ) -> Result<Option<PathBuf>, ExitStatus> {
        self.store.flush_to_disk();
        let written = match target {
            DocumentTarget::StandardOutput => {
                return match print_document_to_stdout(&document.render()) {
                    ExitStatus::Answer => Ok(None),
                    exit => Err(exit),
                };
            }
            DocumentTarget::Folder(folder) => document::create_document_in_folder(folder, name, document),
            DocumentTarget::File(path) => document::create_document_at_path(path, document).map(|()| path.clone()),
            DocumentTarget::ContextsFolder(folder) => {
                document::create_document_in_contexts_folder(folder, &self.opened.name, name, document)
            }
        };
        written.map(Some).map_err(|error| {
            print_document_to_stdout(&document.render());
            print_error_and_return_status(
                &format!("{error}; the document went to the standard output (-o names another place)"),
                ExitStatus::Failure,
            )
        })
    }
}

/// The most bytes of the name of a file or folder that file systems take.
pub(crate) const MAX_FILE_NAME_BYTES: usize = 255;

/// The target to which a command writes a document: standard output, a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DocumentTarget {
    /// The document is written to standard output.
    StandardOutput,
    /// The document is written into an existing folder.
    Folder(PathBuf),
    /// The document is written to a new file.
    File(PathBuf),
    /// The document is written into `contexts/REPOSITORY/` below a folder.
    ContextsFolder(PathBuf),
}

impl DocumentTarget {
    /// The document's target that the command line names, validated before any paid work.
    pub fn from_arguments(matches: &ArgMatches) -> Result<Self, ExitStatus> {
        let Some(path) = matches.get_one::<PathBuf>("output").cloned() else {
            return current_working_folder().map(Self::ContextsFolder);
        };
        let output = text_of_path(&path);
        if output == "-" {
            return Ok(Self::StandardOutput);
        }
        // What no file system takes is told before anything is paid for.
        if let Some(name) = path.components().find(|part| part.as_os_str().len() > MAX_FILE_NAME_BYTES) {
            let shown: String = name.as_os_str().to_string_lossy().chars().take(40).collect();
            let error = format!("the name {shown}… is longer than {MAX_FILE_NAME_BYTES} bytes: choose a shorter one");
            return Err(print_error_and_return_status(&error, ExitStatus::BadUsage));
        }
        if output.ends_with(['/', std::path::MAIN_SEPARATOR]) || path.is_dir() {
            std::fs::create_dir_all(&path).map_err(|error| {
                print_error_and_return_status(
                    &format!("cannot create the folder {output}: {error}"),
                    ExitStatus::Failure,
                )
            })?;
            return Ok(Self::Folder(path));
        }
        if std::fs::symlink_metadata(&path).is_ok() {
            return Err(print_error_and_return_status(
                &format!("{output} already exists: choose another file"),
                ExitStatus::BadUsage,
            ));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        match folder {
            Some(folder) if !folder.is_dir() => Err(print_error_and_return_status(
                &format!("the folder {} does not exist: create it first", folder.display()),
                ExitStatus::BadUsage,
            )),
            _ => Ok(Self::File(path)),
        }
    }
}

/// A path for display: relative to the working folder where the path is inside of it.
pub(crate) fn path_for_display(path: &Path) -> String {
    let current_folder = std::env::current_dir().ok().and_then(|here| dunce::canonicalize(here).ok());
    let relative = current_folder.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    relative.unwrap_or_else(|| path.to_owned()).display().to_string().replace('\\', "/")
}

/// The source of the files to document, which the command line names.
pub(crate) fn code_source_from_arguments(matches: &ArgMatches) -> Result<Source, ExitStatus> {
    let text = matches.get_one::<String>("source").map_or(".", String::as_str);
    Source::parse(text).map_err(|error| print_error_and_return_status(&error.to_string(), ExitStatus::BadUsage))
}

/// Whether the command-line flag `name` is set.
pub(crate) fn is_command_line_flag_set(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one::<bool>(name).ok().flatten().is_some_and(|flag| *flag)
}

/// The values of the repeatable command-line flag `name`.
pub(crate) fn flag_values(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.try_get_many::<String>(name).ok().flatten().map(|texts| texts.cloned().collect()).unwrap_or_default()
}
