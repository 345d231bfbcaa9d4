//! Clones in folders that go again.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::address::{self, GitUrl, Reference, Transport};
use super::git::{self, Git};
use super::{OpenOptions, Opened, SourceError, SourceKind};
use crate::document::folder_name;

/// How the folders of clones are called, before the number of their process.
const PREFIX: &str = "peelback-clone-";

/// The file in such a folder that its process holds locked while it lives.
const LOCK: &str = ".lock";

/// The template of clones, beside them. No clone begins with a dot.
const TEMPLATE: &str = ".template";

/// What a clone's own attributes say before those of the repository: files are written as git stores them. A filter is a
/// program; which ones the user's settings know, the repository would choose among.
const ATTRIBUTES: &str = "* -filter -text -ident -working-tree-encoding\n";

/// A folder without a lock may be one that is being made; older ones are not.
const YOUNG: Duration = Duration::from_secs(600);

/// The folders of the clones of this process.
static CLONES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// How often the removal of a folder is tried where something is still being written into it.
const REMOVALS: usize = 20;

/// The folder of a clone. Dropped, it takes the clone with it; the lock tells other processes that it is in use.
#[derive(Debug)]
pub struct CloneGuard {
    folder: TempDir,
    /// Let go of when the folder is gone.
    lock: Option<File>,
}

fn clones() -> std::sync::MutexGuard<'static, BTreeSet<PathBuf>> {
    CLONES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes a folder, and again where something was written into it meanwhile.
fn remove(folder: &Path) {
    for _ in 0..REMOVALS {
        // Another may remove it at the same time: what counts is that it is gone.
        if fs::remove_dir_all(folder).is_ok() || fs::symlink_metadata(folder).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

impl Drop for CloneGuard {
    fn drop(&mut self) {
        // It is forgotten when it is gone: a signal in between still removes the rest.
        remove(self.folder.path());
        clones().remove(self.folder.path());
        drop(self.lock.take());
    }
}

/// Ends every git that runs for this process and removes the folders of all its clones, also those in use: for the end
/// of the process by a signal, which drops nothing. May be called from any thread and more than once; a clone that is
/// begun later is not touched. Takes two seconds at most where git does not end.
pub fn remove_all_clones() {
    git::end_all();
    let folders: Vec<PathBuf> = clones().iter().cloned().collect();
    for folder in folders {
        remove(&folder);
        clones().remove(&folder);
    }
}

impl CloneGuard {
    fn new(options: &OpenOptions) -> Result<Self, SourceError> {
        let io = |error: std::io::Error| SourceError::Io {
            what: format!("cannot make a folder in {}", options.temporary_folder.display()),
            reason: error.to_string(),
        };
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o700));
        }
        let folder = builder.tempdir_in(&options.temporary_folder).map_err(io)?;
        clones().insert(folder.path().to_owned());
        // From here on the guard removes it, whatever fails below.
        let mut guard = Self { folder, lock: None };
        let folder = &guard.folder;
        let lock = File::create_new(folder.path().join(LOCK)).map_err(io)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => io(error),
            TryLockError::WouldBlock => io(std::io::ErrorKind::WouldBlock.into()),
        })?;
        let information = folder.path().join(TEMPLATE).join("info");
        fs::create_dir_all(&information).map_err(io)?;
        fs::write(information.join("attributes"), ATTRIBUTES).map_err(io)?;
        guard.lock = Some(lock);
        Ok(guard)
    }

    /// The folder that goes when the guard does; the clone lies inside.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the clones in `temporary_folder` whose process has ended without doing so; returns what was removed. Clones
/// that a living process holds, and what cannot be removed, stay.
pub fn sweep_orphans(temporary_folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(temporary_folder) else { return Vec::new() };
    let mut removed: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        // The kind of the entry itself: a link that someone put there is not followed.
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .filter(|folder| remove_orphan(folder))
        .collect();
    removed.sort();
    removed
}

fn remove_orphan(folder: &Path) -> bool {
    match File::options().read(true).write(true).open(folder.join(LOCK)) {
        // The lock is held until the folder is gone: two that sweep do not meet.
        Ok(lock) => lock.try_lock().is_ok() && fs::remove_dir_all(folder).is_ok(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let made = fs::metadata(folder).and_then(|metadata| metadata.modified());
            let age = made.ok().and_then(|made| SystemTime::now().duration_since(made).ok());
            age.is_some_and(|age| age > YOUNG) && fs::remove_dir_all(folder).is_ok()
        }
        Err(_) => false,
    }
}

pub(super) fn open(url: &GitUrl, options: &OpenOptions) -> Result<Opened, SourceError> {
    let refuse = |reason: String| SourceError::Refused { source_shown: url.shown(), reason };
    if url.transport == Transport::Http && !url.is_loopback && !options.allow_http {
        return Err(refuse("http:// sends everything unencrypted: use https".to_owned()));
    }
    if let Some(folder) = url.folder()
        && !is_repository(&folder)
    {
        return Err(refuse("no git repository is there".to_owned()));
    }
    let guard = CloneGuard::new(options)?;
    let name = folder_name(url.name());
    let root = guard.folder().join(&name);
    let git = Git::new(url, options, guard.folder());
    let mut within = None;
    match &url.reference {
        None => clone(&git, &name, None)?,
        Some(Reference::Name(branch)) => clone(&git, &name, Some(branch))?,
        Some(Reference::Commit(commit)) => fetch(&git, &root, commit)?,
        Some(Reference::NameAndPath(shown)) => {
            let (reference, path) = split(&git, shown)?;
            match address::reference(&reference).map_err(refuse)? {
                Reference::Commit(commit) => fetch(&git, &root, &commit)?,
                _ => clone(&git, &name, Some(&reference))?,
            }
            within = path;
        }
    }
    let head = git.run(&["rev-parse", "--verify", "HEAD"], Some(&root))?;
    let commit = head.success.then(|| head.stdout.trim().to_owned()).filter(|commit| address::is_commit(commit));
    let root = dunce::canonicalize(&root)
        .map_err(|error| SourceError::Io { what: "cannot open the clone".to_owned(), reason: error.to_string() })?;
    Ok(Opened {
        root,
        name,
        source: url.shown(),
        kind: SourceKind::Clone,
        commit,
        within,
        from_document: None,
        is_near: true,
        guard: Some(guard),
    })
}

fn clone(git: &Git<'_>, name: &str, branch: Option<&str>) -> Result<(), SourceError> {
    // git runs beside the template, and makes the clone from there.
    let template = format!("--template={TEMPLATE}");
    let mut arguments = vec![
        "clone",
        "--quiet",
        "--depth=1",
        "--single-branch",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-local",
        &template,
    ];
    let option;
    if let Some(branch) = branch {
        option = format!("--branch={branch}");
        arguments.push(&option);
    }
    arguments.extend(["--", &git.url.url, name]);
    let ended = git.run(&arguments, None)?;
    if ended.success { Ok(()) } else { Err(git.failure(&ended.stderr, branch)) }
}

/// A commit by its whole hash, which `clone` cannot name.
fn fetch(git: &Git<'_>, root: &Path, commit: &str) -> Result<(), SourceError> {
    fs::create_dir(root).map_err(|error| SourceError::Io {
        what: "cannot make the clone's folder".to_owned(),
        reason: error.to_string(),
    })?;
    let options = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
    let fetch: Vec<&str> = std::iter::once("fetch").chain(options).chain(["--", &git.url.url, commit]).collect();
    let template = format!("--template=../{TEMPLATE}");
    for arguments in
        [&["init", "--quiet", &template][..], &fetch[..], &["checkout", "--quiet", "--detach", "FETCH_HEAD"][..]]
    {
        let ended = git.run(arguments, Some(root))?;
        if !ended.success {
            return Err(git.failure(&ended.stderr, Some(commit)));
        }
    }
    Ok(())
}

/// Where the branch ends in `branch/with/slashes/and/path`: the longest beginning that the repository has.
fn split(git: &Git<'_>, shown: &str) -> Result<(String, Option<String>), SourceError> {
    if let Some((first, path)) = shown.split_once('/')
        && address::is_commit(first)
    {
        return Ok((first.to_owned(), inside(path)));
    }
    let ended = git.run(&["ls-remote", "--quiet", "--heads", "--tags", "--", &git.url.url], None)?;
    if !ended.success {
        return Err(git.failure(&ended.stderr, Some(shown)));
    }
    let names = ended.stdout.lines().filter_map(|line| {
        let name = line.split('\t').nth(1)?;
        name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"))
    });
    let fits = |name: &&str| shown.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match names.filter(fits).max_by_key(|name| name.len()) {
        Some(name) => Ok((name.to_owned(), inside(shown.get(name.len()..).unwrap_or("")))),
        None => Err(git.no_such(shown, "no branch or tag of it has that name".to_owned())),
    }
}

fn inside(path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    (!path.is_empty()).then(|| path.to_owned())
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}
