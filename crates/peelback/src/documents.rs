//! What the commands that write documents share: the source they are about, and where they go.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Arg, ArgAction, ArgMatches};
use peelback_agent::document::{self, Document};
use peelback_agent::scope::Origin;
use peelback_agent::secrets::Secrets;
use peelback_agent::source::{self, OpenOptions, Opened, Source, SourceKind};
use peelback_code::{CodeAccess, FactsStore, Project};

use crate::config::{Settings, Sources};
use crate::exit::{Exit, fail, print};
use crate::run::without_cache;

/// The tables of the configuration whose flags these commands take.
pub(crate) const TABLES: &[&str] = &["agent", "cache", "model", "budget"];

/// The flags that say what is read and where the document goes.
pub(crate) fn arguments() -> Vec<Arg> {
    vec![
        Arg::new("source")
            .value_name("SOURCE")
            .default_value(".")
            .help("A folder, a context document, or a git URL (https, ssh, file), with #BRANCH or #COMMIT"),
        Arg::new("output").short('o').long("output").value_name("PATH").help(
            "Where the document goes: a new file, a folder, or - for the standard output; by default \
             contexts/REPOSITORY/ below the working folder",
        ),
        Arg::new("allow_secret").long("allow-secret").value_name("PATH").action(ArgAction::Append).help(
            "A file that looks like one with secrets and may be shown all the same: its path from the root, or a glob",
        ),
        Arg::new("allow_http")
            .long("allow-http")
            .action(ArgAction::SetTrue)
            .help("Clones over plain http from other machines, too"),
        super::commands::json(),
    ]
}

/// A source that is open, with what is known of it.
pub(crate) struct Subject {
    pub opened: Opened,
    pub access: CodeAccess,
    pub settings: Settings,
    store: Arc<FactsStore>,
}

impl Subject {
    /// Opens a source. Ctrl-C ends a clone on its way, and leaves nothing of it.
    pub fn open(runtime: &tokio::runtime::Runtime, text: &str, matches: &ArgMatches) -> Result<Self, Exit> {
        let named = Source::parse(text).map_err(|error| fail(&error.to_string(), Exit::BadUsage))?;
        Self::open_source(runtime, named, matches)
    }

    /// [`Subject::open`] of a source whose kind is known.
    pub fn open_source(runtime: &tokio::runtime::Runtime, named: Source, matches: &ArgMatches) -> Result<Self, Exit> {
        let cancel = Arc::new(AtomicBool::new(false));
        let options =
            OpenOptions { allow_http: flag(matches, "allow_http"), cancel: cancel.clone(), ..OpenOptions::default() };
        // What a run that was killed left behind.
        source::sweep_orphans(&options.temporary_folder);
        if let (Source::Git(url), true) = (&named, std::io::stderr().is_terminal()) {
            eprintln!("cloning {}", url.shown());
        }
        let opened = runtime.block_on(async {
            let mut opening = tokio::task::spawn_blocking(move || source::open(&named, &options));
            loop {
                tokio::select! {
                    opened = &mut opening => return opened,
                    _ = tokio::signal::ctrl_c() => cancel.store(true, Ordering::Relaxed),
                }
            }
        });
        let opened = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(error)) => return Err(fail(&error.to_string(), Exit::BadUsage)),
            Err(error) => return Err(fail(&format!("the source could not be opened: {error}"), Exit::Failure)),
        };
        let project =
            Project::discover(Some(&opened.root), None).map_err(|error| fail(&error.to_string(), Exit::BadUsage))?;
        // A clone comes from whoever wrote it: nobody here has looked at its configuration.
        let configured = (opened.kind == SourceKind::Folder).then(|| project.clone());
        let settings = Settings::load(&Sources::of_process(configured, matches))
            .map_err(|error| fail(&error.to_string(), Exit::BadUsage))?;
        // What is found out about a clone is of no use once it is gone.
        let cache = settings.cache().filter(|_| opened.kind == SourceKind::Folder && !without_cache(matches));
        let store = Arc::new(match cache {
            Some(cache) => FactsStore::with_cache(move || Some(cache)),
            None => FactsStore::default(),
        });
        let access = CodeAccess::new(project).with_store(store.clone());
        Ok(Self { opened, access, settings, store })
    }

    /// Where its files come from.
    pub fn origin(&self) -> Origin {
        Origin {
            source: self.opened.source.clone(),
            name: self.opened.name.clone(),
            commit: self.opened.commit.clone(),
        }
    }

    /// What is not to be shown.
    pub fn secrets(matches: &ArgMatches) -> Arc<Secrets> {
        Arc::new(Secrets::new(&texts(matches, "allow_secret")))
    }

    /// Writes a document to where the command says; gives its path, or `None` where it was printed.
    pub fn deliver(&self, document: &Document, name: &str, matches: &ArgMatches) -> Result<Option<PathBuf>, Exit> {
        self.store.flush();
        let failed = |error: document::DocumentError| fail(&error.to_string(), Exit::Failure);
        match matches.get_one::<String>("output").map(String::as_str) {
            Some("-") => match print(document.render().as_bytes()) {
                Exit::Answer => Ok(None),
                exit => Err(exit),
            },
            Some(path) if path.ends_with(['/', std::path::MAIN_SEPARATOR]) || Path::new(path).is_dir() => {
                let folder = Path::new(path);
                std::fs::create_dir_all(folder)
                    .map_err(|error| fail(&format!("cannot make the folder {path}: {error}"), Exit::Failure))?;
                document::create_in(folder, name, document).map(Some).map_err(failed)
            }
            Some(path) => {
                let path = PathBuf::from(path);
                document::create_at(&path, document).map(|()| Some(path)).map_err(failed)
            }
            None => {
                let folder = super::commands::working_folder()?;
                document::create_below(&folder, &self.opened.name, name, document).map(Some).map_err(failed)
            }
        }
    }
}

/// The runtime that talks to models: its work is waiting.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| fail(&format!("no runtime: {error}"), Exit::Failure))
}

/// A path as it is printed: from the working folder where it lies below it.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok().and_then(|here| dunce::canonicalize(here).ok());
    let relative = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    relative.unwrap_or_else(|| path.to_owned()).display().to_string().replace('\\', "/")
}

/// Whether a flag is given.
pub(crate) fn flag(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one::<bool>(name).ok().flatten().is_some_and(|flag| *flag)
}

/// The values of a flag that may be given several times.
pub(crate) fn texts(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.try_get_many::<String>(name).ok().flatten().map(|texts| texts.cloned().collect()).unwrap_or_default()
}
