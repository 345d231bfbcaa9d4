//! The directory walk of a project, by ripgrep's ignore rules.

mod git_pattern;
mod git_settings;
mod ignore_files;
mod ignore_rules;
mod parallel;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ignore::overrides::OverrideBuilder;
use ignore::types::{Types, TypesBuilder};
use rayon::prelude::*;

pub(crate) use self::ignore_rules::{Decision, IgnorePatterns};
use self::parallel::{FileVerdict, WalkOutput, WalkRules, walk_folders};
use crate::cancellation::StopCause;
use crate::entry::ProjectEntry;
use crate::error::CodeError;
use crate::evidence::Skipped;
use crate::glob::{compile_glob, glob_nesting_error};
use crate::project::Project;
use crate::signature::FileSignature;
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
    pub signatures: Vec<Option<FileSignature>>,
    /// The files and folders that could not be read.
    pub skipped: Vec<Skipped>,
}

impl WalkedFiles {
    /// Keeps the files for which `is_kept` is true.
    pub fn retain(&mut self, is_kept: impl Fn(&ProjectEntry) -> bool) {
        let kept: Vec<bool> = self.entries.iter().map(is_kept).collect();
        let mut flags = kept.iter();
        self.entries.retain(|_| flags.next().is_some_and(|kept| *kept));
        let mut flags = kept.iter();
        self.signatures.retain(|_| flags.next().is_some_and(|kept| *kept));
    }
}

impl Project {
    /// All files of the project with their signatures. Reading the signatures adds little time, because the threads of
    /// the walk do it.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn files_with_signatures(&self) -> Result<WalkedFiles, CodeError> {
        self.walk_scope(None, &WalkOptions::default(), true)
    }

    /// The files near a file that the directory walk skipped, with their signatures: those in the outermost hidden
    /// folder that contains the file, or, without a hidden folder on its path, those in its own (ignored) folder.
    pub fn files_beside_skipped_file_with_signatures(
        &self,
        file: &ProjectEntry,
    ) -> Vec<(ProjectEntry, Option<FileSignature>)> {
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
        let WalkedFiles { entries, skipped, .. } =
            self.walk_scope(scope, options, false).map_err(|error| self.with_similar_paths(error))?;
        Ok(FileSet { entries, skipped })
    }

    /// [`Project::files_in_scope`], whose error names no similar paths: finding them costs a walk through the project.
    fn files_in_scope_without_similar_paths(
        &self,
        scope: Option<&str>,
        options: &WalkOptions,
    ) -> Result<FileSet, CodeError> {
        let WalkedFiles { entries, skipped, .. } = self.walk_scope(scope, options, false)?;
        Ok(FileSet { entries, skipped })
    }

    /// [`Project::files_in_scope`] with the signatures of the files.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`].
    pub fn files_in_scope_with_signatures(
        &self,
        scope: Option<&str>,
        options: &WalkOptions,
    ) -> Result<WalkedFiles, CodeError> {
        self.walk_scope(scope, options, true).map_err(|error| self.with_similar_paths(error))
    }

    /// The files in a scope. The error for a path that does not exist names no similar paths.
    fn walk_scope(
        &self,
        scope: Option<&str>,
        options: &WalkOptions,
        reads_signatures: bool,
    ) -> Result<WalkedFiles, CodeError> {
        let walk = |start: PathBuf| {
            self.walk_folder_with_signatures(start, options, reads_signatures).map(WalkedFiles::from_walk_output)
        };
        let Some(scope) = scope.filter(|scope| !scope.is_empty()) else { return walk(self.root().to_owned()) };
        let entry = match self.require_entry_without_similar_paths(scope) {
            Err(CodeError::NotFound { .. } | CodeError::OutsideRoot { .. }) if can_be_glob(scope) => {
                return self.files_matching_glob(scope, options, reads_signatures);
            }
            found => found?,
        };
        if entry.is_folder {
            return walk(entry.absolute);
        }
        let file = self.require_readable_file_of_entry(scope, entry)?;
        let signature = reads_signatures.then(|| file.size_and_reliable_signature()).flatten();
        let signature = signature.and_then(|(_, signature)| signature);
        Ok(WalkedFiles { entries: vec![file], signatures: vec![signature], skipped: Vec::new() })
    }

    /// The files that the directory walk includes and the glob `scope` matches. The text before the first wildcard is
    /// an ordinary path; a glob without a folder matches names at any depth.
    fn files_matching_glob(
        &self,
        scope: &str,
        options: &WalkOptions,
        reads_signatures: bool,
    ) -> Result<WalkedFiles, CodeError> {
        let wildcard_start = scope.find(WILDCARDS).unwrap_or(scope.len());
        let folder_length =
            scope.get(..wildcard_start).and_then(|literal| literal.rfind('/')).map_or(0, |slash| slash + 1);
        let (folder, pattern) = scope.split_at(folder_length);
        let start = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
        let start = self.require_entry_without_similar_paths(start)?;
        let any_depth_prefix = if pattern.contains('/') || !folder.is_empty() { "" } else { "**/" };
        let matcher = compile_glob(&format!("{any_depth_prefix}{pattern}"), true)
            .map_err(|reason| CodeError::BadPattern { what: "glob", pattern: scope.to_owned(), reason })?;
        let (mut found, mut skipped) = self.walk_folder_with_signatures(start.absolute, options, reads_signatures)?;
        let prefix = if start.path.is_empty() { String::new() } else { format!("{}/", start.path) };
        let mut stop = None;
        found.retain(|(entry, _)| {
            // A long glob may cost much for each of many paths.
            stop = stop.or_else(|| self.cancellation().stop_cause());
            stop.is_none() && entry.path.strip_prefix(&prefix).is_some_and(|below| matcher.is_match(below))
        });
        if let Some(stop) = stop
            && skipped.first() != Some(&stopped_walk(stop))
        {
            skipped.insert(0, stopped_walk(stop));
        }
        Ok(WalkedFiles::from_walk_output((found, skipped)))
    }

    /// [`Project::files_in_scope`] for several scopes, without duplicates; the whole project if `scopes` is empty. Of several
    /// scopes, one that does not exist is skipped, and the others are walked.
    ///
    /// # Errors
    /// The errors of [`Project::files_in_scope`]; of several scopes that all do not exist, that of the first.
    pub fn files_in_scopes(&self, scopes: &[String], options: &WalkOptions) -> Result<FileSet, CodeError> {
        if let [] | [_] = scopes {
            return self.files_in_scope(scopes.first().map(String::as_str), options);
        }
        let mut all = FileSet::default();
        let mut known = HashSet::new();
        let mut missing = Vec::new();
        let mut distinct_count = 0;
        for scope in scopes.iter().filter(|scope| known.insert(scope.as_str())) {
            if let Some(stop) = self.cancellation().stop_cause() {
                all.skipped.insert(0, stopped_walk(stop));
                break;
            }
            let mut set = match self.files_in_scope_without_similar_paths(Some(scope), options) {
                Err(error @ CodeError::NotFound { .. }) => {
                    missing.push((scope, error));
                    continue;
                }
                found => found?,
            };
            all.entries.append(&mut set.entries);
            all.skipped.append(&mut set.skipped);
            // Scopes that hold the same files must not hold them many times in memory.
            if all.entries.len() > 2 * distinct_count + 1_000 {
                all.sort_and_remove_duplicates();
                distinct_count = all.entries.len();
            }
        }
        if missing.len() == known.len() && !missing.is_empty() {
            let (_, first) = missing.swap_remove(0);
            return Err(self.with_similar_paths(first));
        }
        for (index, (scope, error)) in missing.into_iter().enumerate() {
            let error = if index < MAX_MISSING_WITH_SIMILAR_PATHS { self.with_similar_paths(error) } else { error };
            all.skipped.push(Skipped { path: scope.clone(), reason: reason_of_missing_scope(&error) });
        }
        all.sort_and_remove_duplicates();
        Ok(all)
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
            if let Some(reason) = glob_nesting_error(glob) {
                return Err(CodeError::BadPattern { what: "glob", pattern: glob.clone(), reason });
            }
            overrides.add(glob).map_err(|error| glob_error(glob, &error))?;
        }
        let overrides = overrides.build().map_err(|error| glob_error("", &error))?;
        let verdict = |path: &str, absolute: &Path| {
            if self.is_excluded_path(path) {
                FileVerdict::Excluded
            } else {
                self.withheld_reason(path, absolute).map_or(FileVerdict::Included, FileVerdict::Withheld)
            }
        };
        let rules = WalkRules {
            overrides,
            types: build_file_type_filter(&options.types)?,
            includes_hidden: options.hidden,
            obeys_ignore_files: !options.no_ignore,
            reads_signatures,
            verdict: &verdict,
            must_stop: &|| self.cancellation().stop_cause().is_some(),
        };
        let (mut files, mut skipped) = walk_folders(self.root_folder(), start, &rules);
        files.par_sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
        skipped.sort();
        if let Some(stop) = self.cancellation().stop_cause() {
            skipped.insert(0, stopped_walk(stop));
        }
        Ok((files, skipped))
    }
}

impl WalkedFiles {
    fn from_walk_output((found, skipped): WalkOutput) -> Self {
        let (entries, signatures) = found.into_iter().unzip();
        Self { entries, signatures, skipped }
    }
}

impl FileSet {
    fn sort_and_remove_duplicates(&mut self) {
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
        self.entries.dedup();
        self.skipped.sort();
        self.skipped.dedup();
    }
}

/// The number of missing scopes for which similar paths are sought: each costs a walk through the project.
const MAX_MISSING_WITH_SIMILAR_PATHS: usize = 3;

/// Why a missing scope was skipped.
fn reason_of_missing_scope(error: &CodeError) -> String {
    const MISSING: &str = "no such file or folder";
    match error {
        CodeError::NotFound { nearest, .. } if !nearest.is_empty() => {
            format!("{MISSING} (did you mean {}?)", nearest.join(" or "))
        }
        _ => MISSING.to_owned(),
    }
}

/// What a walk says that ended before it was complete.
fn stopped_walk(stop: StopCause) -> Skipped {
    Skipped { path: ".".to_owned(), reason: format!("the walk was {}", stop.as_str()) }
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

/// The filter for files of these types; for all files without a type.
fn build_file_type_filter(names: &[String]) -> Result<Types, CodeError> {
    if names.is_empty() {
        return Ok(Types::empty());
    }
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
