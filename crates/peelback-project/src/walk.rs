//! The directory walk of a project, by ripgrep's ignore rules.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ignore::overrides::OverrideBuilder;
use ignore::types::TypesBuilder;
use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;

use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Skipped;
use crate::path_text::{is_own_text, text_of_path};
use crate::project::Project;
use crate::signature::{Signature, SignatureReader, are_file_system_signatures_reliable};
use crate::similar_names::find_similar_names;

/// The options of a directory walk: which files it includes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether to include hidden files and folders.
    pub hidden: bool,
    /// Whether to include ignored files and folders.
    pub no_ignore: bool,
    /// Globs as in ripgrep's `-g`: only matching files are included; a leading `!` excludes matching files.
    pub globs: Vec<String>,
    /// Names of ripgrep's file types, such as `py` or `rust`; only files of these types are included.
    pub types: Vec<String>,
}

/// The files that a directory walk found, in path order.
#[derive(Debug, Clone, Default)]
pub struct FileSet {
    /// Regular files. Symbolic links are not followed and not listed.
    pub entries: Vec<ProjectEntry>,
    /// The files and folders that could not be read.
    pub skipped: Vec<Skipped>,
}

/// The files that a directory walk found in a project, with their signatures.
#[derive(Debug, Default)]
pub struct WalkedFiles {
    /// The regular files, in path order.
    pub entries: Vec<ProjectEntry>,
    /// The signature of each file, by its index in `entries`; `None` if the system records too little metadata.
    pub signatures: Vec<Option<Signature>>,
    /// The files and folders that could not be read.
    pub skipped: Vec<Skipped>,
}

impl Project {
    /// All files of the project with their signatures. Reading the signatures adds little time, because the threads of
    /// the walk do it.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn files_with_signatures(&self) -> Result<WalkedFiles, CodeError> {
        let (found, skipped) =
            self.walk_folder_with_signatures(self.root().to_owned(), &WalkOptions::default(), true)?;
        let (entries, signatures) = found.into_iter().unzip();
        Ok(WalkedFiles { entries, signatures, skipped })
    }

    /// The files near a file that the directory walk skipped, with their signatures: those in the outermost hidden
    /// folder that contains the file, or, without a hidden folder on its path, those in its own (ignored) folder.
    pub fn files_beside_skipped_file_with_signatures(
        &self,
        file: &ProjectEntry,
    ) -> Vec<(ProjectEntry, Option<Signature>)> {
        let mut folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut end = 0;
        for part in folder.split('/') {
            end += part.len();
            if part.starts_with('.') {
                folder = folder.get(..end).unwrap_or(folder);
                break;
            }
            end += 1;
        }
        if folder.is_empty() {
            return Vec::new();
        }
        let options = WalkOptions { hidden: true, ..WalkOptions::default() };
        self.walk_folder_with_signatures(self.absolute_path_of_text(folder), &options, true)
            .map_or_else(|_| Vec::new(), |(found, _)| found)
    }

    /// The files below `scope`: a file, a folder, or a glob from the root; the whole project for `None`. A file or
    /// folder that is named explicitly is included even if it is ignored.
    ///
    /// # Errors
    /// The errors of [`Project::require_entry`]; [`CodeError::BadPattern`]; [`CodeError::UnknownType`].
    pub fn files_in_scope(&self, scope: Option<&str>, options: &WalkOptions) -> Result<FileSet, CodeError> {
        let Some(scope) = scope.filter(|scope| !scope.is_empty()) else {
            return self.walk_folder(self.root().to_owned(), options);
        };
        match self.require_entry(scope) {
            Ok(entry) if entry.is_folder => self.walk_folder(entry.absolute, options),
            Ok(_) => Ok(FileSet { entries: vec![self.require_readable_file(scope)?], skipped: Vec::new() }),
            Err(CodeError::NotFound { .. } | CodeError::OutsideRoot { .. }) if can_be_glob(scope) => {
                self.files_matching_glob(scope, options)
            }
            Err(error) => Err(error),
        }
    }

    /// The files that the directory walk includes and the glob `scope` matches. The text before the first wildcard is
    /// an ordinary path; a glob without a folder matches names at any depth.
    fn files_matching_glob(&self, scope: &str, options: &WalkOptions) -> Result<FileSet, CodeError> {
        let wildcard_start = scope.find(WILDCARDS).unwrap_or(scope.len());
        let folder_length =
            scope.get(..wildcard_start).and_then(|literal| literal.rfind('/')).map_or(0, |slash| slash + 1);
        let (folder, pattern) = scope.split_at(folder_length);
        let start = self.require_entry(if folder.is_empty() { "." } else { folder.trim_end_matches('/') })?;
        let any_depth_prefix = if pattern.contains('/') || !folder.is_empty() { "" } else { "**/" };
        let glob = globset::GlobBuilder::new(&format!("{any_depth_prefix}{pattern}")).literal_separator(true).build();
        let matcher = glob.map_err(|error| CodeError::BadPattern {
            what: "glob",
            pattern: scope.to_owned(),
            reason: error.kind().to_string(),
        })?;
        let matcher = matcher.compile_matcher();
        let mut set = self.walk_folder(start.absolute, options)?;
        let prefix = if start.path.is_empty() { String::new() } else { format!("{}/", start.path) };
        set.entries.retain(|entry| entry.path.strip_prefix(&prefix).is_some_and(|below| matcher.is_match(below)));
        Ok(set)
    }

    /// [`Project::files_in_scope`] for several scopes, without duplicates; the whole project if `scopes` is empty.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn files_in_scopes(&self, scopes: &[String], options: &WalkOptions) -> Result<FileSet, CodeError> {
        if let [] | [_] = scopes {
            return self.files_in_scope(scopes.first().map(String::as_str), options);
        }
        let mut all = FileSet::default();
        for scope in scopes {
            let mut set = self.files_in_scope(Some(scope), options)?;
            all.entries.append(&mut set.entries);
            all.skipped.append(&mut set.skipped);
        }
        all.entries.sort_by(|a, b| a.path.cmp(&b.path));
        all.entries.dedup();
        Ok(all)
    }

    fn walk_folder(&self, start: PathBuf, options: &WalkOptions) -> Result<FileSet, CodeError> {
        let (found, skipped) = self.walk_folder_with_signatures(start, options, false)?;
        Ok(FileSet { entries: found.into_iter().map(|(entry, _)| entry).collect(), skipped })
    }

    /// The files that a walk includes, in path order, with their signatures if requested; also the entries that could
    /// not be read.
    fn walk_folder_with_signatures(
        &self,
        start: PathBuf,
        options: &WalkOptions,
        reads_signatures: bool,
    ) -> Result<WalkOutput, CodeError> {
        let mut overrides = OverrideBuilder::new(self.root());
        for glob in &options.globs {
            overrides.add(glob).map_err(|error| glob_error(glob, &error))?;
        }
        let overrides = overrides.build().map_err(|error| glob_error("", &error))?;
        let mut builder = WalkBuilder::new(&start);
        builder
            .hidden(!options.hidden)
            .ignore(!options.no_ignore)
            .git_ignore(!options.no_ignore)
            .git_global(!options.no_ignore)
            .git_exclude(!options.no_ignore)
            .parents(!options.no_ignore)
            .follow_links(false)
            .overrides(overrides)
            // The kernel's virtual folders below `/` contain no code and endless numbers of files.
            .filter_entry(|entry| !KERNEL_FOLDERS.contains(&entry.path().to_str().unwrap_or("")))
            .threads(rayon::current_num_threads());
        if !options.no_ignore {
            builder.add_custom_ignore_filename(".rgignore");
        }
        if !options.types.is_empty() {
            builder.types(build_file_type_filter(&options.types)?);
        }
        let found: Mutex<WalkOutput> = Mutex::default();
        let states = reads_signatures.then(|| SignatureReader::new_for_root(self.root()));
        builder.build_parallel().run(|| {
            let mut thread_files = WalkThreadFiles {
                project: self,
                merged: &found,
                signature_reader: states.as_ref(),
                last_device: None,
                entries_seen: 0,
                files: Vec::new(),
                skipped: Vec::new(),
            };
            Box::new(
                move |entry| {
                    if thread_files.add_entry_unless_stopped(entry) { WalkState::Continue } else { WalkState::Quit }
                },
            )
        });
        let (mut files, mut skipped) = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        files.par_sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
        skipped.sort();
        if let Some(stop) = self.cancellation().stop_cause() {
            skipped.insert(0, Skipped { path: ".".to_owned(), reason: format!("the walk was {}", stop.as_str()) });
        }
        Ok((files, skipped))
    }
}

/// Virtual folders of the kernel, which contain no stored files.
const KERNEL_FOLDERS: &[&str] = &["/proc", "/sys", "/dev"];

/// The output of a directory walk: the files with their signatures, and the entries that could not be read.
type WalkOutput = (Vec<(ProjectEntry, Option<Signature>)>, Vec<Skipped>);

/// The files that one thread of a directory walk found; added to the files of all threads when the thread ends.
struct WalkThreadFiles<'a> {
    project: &'a Project,
    merged: &'a Mutex<WalkOutput>,
    /// The reader of signatures, if they are requested.
    signature_reader: Option<&'a SignatureReader>,
    /// The device number of the last file system seen, and whether its signatures are reliable.
    last_device: Option<(u64, bool)>,
    /// The number of files and folders that the thread has seen so far.
    entries_seen: usize,
    files: Vec<(ProjectEntry, Option<Signature>)>,
    skipped: Vec<Skipped>,
}

/// The number of files and folders between two checks whether a directory walk must end.
const ENTRIES_BETWEEN_STOP_CHECKS: usize = 32;

impl WalkThreadFiles<'_> {
    /// Adds a file that the walk found, unless the call must stop. Returns whether the walk should continue.
    fn add_entry_unless_stopped(&mut self, entry: Result<ignore::DirEntry, ignore::Error>) -> bool {
        if self.entries_seen.is_multiple_of(ENTRIES_BETWEEN_STOP_CHECKS)
            && self.project.cancellation().stop_cause().is_some()
        {
            return false;
        }
        self.entries_seen += 1;
        self.add_entry(entry);
        true
    }

    fn add_entry(&mut self, entry: Result<ignore::DirEntry, ignore::Error>) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.skipped.push(self.skipped_from_error(&error));
                return;
            }
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        if let Some(path) = self.path_from_root(entry.path()) {
            if self.project.is_excluded_path(&path) {
                return;
            }
            if let Some(reason) = self.project.withheld_reason(&path, entry.path()) {
                self.skipped.push(Skipped { path, reason: format!("{}{reason}", Skipped::WITHHELD_PREFIX) });
                return;
            }
            let signature = self.signature_reader.and_then(|states| states.signature_of_entry(&path, &entry));
            let signature = signature.filter(|signature| self.are_device_signatures_reliable(signature, entry.path()));
            self.files.push((ProjectEntry { absolute: entry.into_path(), path, is_folder: false }, signature));
        }
    }

    /// [`Project::path_from_root`] for an entry of the walk. Faster, because a walk produces paths without `.` and
    /// `..`.
    fn path_from_root(&self, entry: &Path) -> Option<String> {
        let below = |entry: &Path| {
            let root = self.project.root().as_os_str().as_encoded_bytes();
            let below = entry.as_os_str().as_encoded_bytes().strip_prefix(root)?.strip_prefix(b"/")?;
            std::str::from_utf8(below).ok().filter(|below| is_own_text(below)).map(str::to_owned)
        };
        let quick = if cfg!(unix) { below(entry) } else { None };
        quick.or_else(|| self.project.path_from_root(entry)).filter(|path| !path.is_empty())
    }

    fn are_device_signatures_reliable(&mut self, signature: &Signature, path: &Path) -> bool {
        match self.last_device {
            Some((device, reliable)) if device == signature.device => reliable,
            _ => self.last_device.insert((signature.device, are_file_system_signatures_reliable(path))).1,
        }
    }

    fn skipped_from_error(&self, error: &ignore::Error) -> Skipped {
        let mut error = error;
        let mut path = String::new();
        loop {
            match error {
                ignore::Error::WithPath { path: at, err } => {
                    path = self.project.path_from_root(at).unwrap_or_else(|| text_of_path(at));
                    error = err;
                }
                ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => error = err,
                other => return Skipped { path, reason: other.to_string() },
            }
        }
    }
}

impl Drop for WalkThreadFiles<'_> {
    fn drop(&mut self) {
        let mut into = self.merged.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        into.0.append(&mut self.files);
        into.1.append(&mut self.skipped);
    }
}

/// Whether a scope that is no existing path can be a glob.
fn can_be_glob(scope: &str) -> bool {
    scope.contains(WILDCARDS)
}

/// The characters that make a path a glob.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

fn glob_error(glob: &str, error: &ignore::Error) -> CodeError {
    CodeError::BadPattern { what: "glob", pattern: glob.to_owned(), reason: error.to_string() }
}

fn build_file_type_filter(names: &[String]) -> Result<ignore::types::Types, CodeError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for name in names {
        builder.select(name);
    }
    builder.build().map_err(|_| {
        let known: Vec<String> = builder.definitions().iter().map(|known| known.name().to_owned()).collect();
        let unknown = names.iter().find(|name| !known.contains(name)).cloned().unwrap_or_default();
        let nearest = find_similar_names(&unknown, known.iter().map(String::as_str), 3);
        CodeError::UnknownType { name: unknown, nearest }
    })
}
