//! Walks a tree of folders on all threads, by ripgrep's ignore rules. Every folder is opened from the project's root
//! downward, so that a walk never lists a folder outside it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::Match;
use ignore::overrides::Override;
use ignore::types::Types;

use super::ignore_files::IgnoreFiles;
use super::ignore_rules::{Decision, FolderIgnoreRules};
use crate::entry::ProjectEntry;
use crate::evidence::Skipped;
use crate::open_folder::{EntryKind, OpenFolder};
use crate::path_text::{is_path_same_as_its_text, text_of_path};
use crate::root_folder::RootFolder;
use crate::signature::{FileSignature, are_file_system_signatures_reliable};
use crate::thread_pool::start_thread_pool;

/// The output of a walk: the files with their signatures, and the entries that could not be read.
pub type WalkOutput = (Vec<(ProjectEntry, Option<FileSignature>)>, Vec<Skipped>);

/// What the project's rules say of a file that the walk found.
pub enum FileVerdict {
    /// The file belongs to the output.
    Included,
    /// The file does not belong to the project.
    Excluded,
    /// The file must not be read, for this reason.
    Withheld(String),
}

/// What a walk includes.
pub struct WalkRules<'a> {
    /// Globs that decide before everything else.
    pub overrides: Override,
    /// File types: only files of these types are included.
    pub types: Types,
    /// Whether hidden files and folders are included.
    pub includes_hidden: bool,
    /// Whether ignore files count.
    pub obeys_ignore_files: bool,
    /// Whether the output has the signatures of files.
    pub reads_signatures: bool,
    /// What the project says of a file, by its path from the root and its absolute path.
    pub verdict: &'a (dyn Fn(&str, &Path) -> FileVerdict + Sync),
    /// Whether the walk must end.
    pub must_stop: &'a (dyn Fn() -> bool + Sync),
}

/// Virtual folders of the kernel directly below `/`: they have endless numbers of files, and none is stored.
const KERNEL_FOLDERS: &[&str] = &["proc", "sys", "dev"];

/// The number of entries of a folder between two checks whether the walk must end.
const ENTRIES_BETWEEN_STOP_CHECKS: usize = 32;

/// Walks the folder `start` of a project and all folders below it.
pub fn walk_folders(root: &Arc<RootFolder>, start: PathBuf, rules: &WalkRules<'_>) -> WalkOutput {
    let files = IgnoreFiles::new(root);
    let above = if rules.obeys_ignore_files { files.read_rules_above(&start) } else { FolderIgnoreRules::none() };
    let walk = FolderWalk {
        root,
        rules,
        ignore_files: rules.obeys_ignore_files.then_some(&files),
        stopped: AtomicBool::new(false),
        devices: Mutex::default(),
        output: Mutex::default(),
    };
    let path = text_of_path(root.path_below_root(&start).unwrap_or(Path::new("")));
    let first = FolderToWalk { absolute: start, path, rules: above };
    start_thread_pool();
    rayon::scope(|scope| walk.list_folder_and_spawn_subfolders(scope, first));
    let (found, mut skipped) = walk.output.into_inner().unwrap_or_else(PoisonError::into_inner);
    skipped.extend(files.into_unapplied_files().into_iter().map(|(absolute, reason)| {
        let path = text_of_path(root.path_below_root(&absolute).unwrap_or(&absolute));
        Skipped { path, reason }
    }));
    (found, skipped)
}

/// A walk in progress, shared by its threads.
struct FolderWalk<'a> {
    root: &'a Arc<RootFolder>,
    rules: &'a WalkRules<'a>,
    ignore_files: Option<&'a IgnoreFiles<'a>>,
    stopped: AtomicBool,
    /// The file systems that the walk met, by their device numbers, and whether their signatures are reliable.
    devices: Mutex<Vec<(u64, bool)>>,
    output: Mutex<WalkOutput>,
}

/// A folder that the walk found and has not listed yet.
struct FolderToWalk {
    absolute: PathBuf,
    /// The path from the project's root, with `/` as separator.
    path: String,
    /// The ignore rules of the folders above it.
    rules: Arc<FolderIgnoreRules>,
}

impl FolderWalk<'_> {
    /// Lists a folder, and has the folders in it listed by any thread.
    fn list_folder_and_spawn_subfolders<'scope>(&'scope self, scope: &rayon::Scope<'scope>, folder: FolderToWalk) {
        if self.must_stop() {
            return;
        }
        let mut output = WalkOutput::default();
        let listed = OpenFolder::open(self.root, &folder.absolute)
            .and_then(|opened| opened.entries().map(|entries| (opened, entries)));
        match listed {
            Ok((opened, entries)) => {
                let rules = self.ignore_files.map_or_else(
                    || folder.rules.clone(),
                    |files| files.read_rules_of_open_folder(&folder.rules, &folder.absolute, &opened, &entries),
                );
                let mut listing =
                    FolderListing { walk: self, folder: &folder, opened: &opened, rules, last_device: None };
                // A caller's globs may cost much for each entry.
                let entries_between_checks =
                    if self.rules.overrides.is_empty() { ENTRIES_BETWEEN_STOP_CHECKS } else { 1 };
                for (number, (name, kind)) in entries.iter().enumerate() {
                    if number % entries_between_checks == entries_between_checks - 1 && self.must_stop() {
                        break;
                    }
                    if let Some(below) = listing.add_entry(name, *kind, &mut output) {
                        scope.spawn(move |scope| self.list_folder_and_spawn_subfolders(scope, below));
                    }
                }
            }
            Err(error) => output.1.push(Skipped { path: folder.path, reason: error.to_string() }),
        }
        if !output.0.is_empty() || !output.1.is_empty() {
            let mut all = self.output.lock().unwrap_or_else(PoisonError::into_inner);
            all.0.append(&mut output.0);
            all.1.append(&mut output.1);
        }
    }

    fn must_stop(&self) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stops = (self.rules.must_stop)();
        if stops {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stops
    }

    /// Whether signatures are reliable on the file system with a device number, which has the file `absolute`.
    fn are_device_signatures_reliable(&self, device: u64, absolute: &Path) -> bool {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, is_reliable)) = devices.iter().find(|(known, _)| *known == device) {
            return *is_reliable;
        }
        let is_reliable = are_file_system_signatures_reliable(absolute);
        devices.push((device, is_reliable));
        is_reliable
    }

    /// Whether the rules leave out a file or folder with an absolute path.
    fn is_excluded_by_rules(
        &self,
        folder_rules: &FolderIgnoreRules,
        absolute: &Path,
        name: &OsStr,
        is_folder: bool,
    ) -> bool {
        match self.rules.overrides.matched(absolute, is_folder) {
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
            Match::None => {}
        }
        let by_files = self.ignore_files.and_then(|_| folder_rules.ignore_decision_for_path(absolute, is_folder));
        if by_files == Some(Decision::Ignored) {
            return true;
        }
        let by_types = self.rules.types.matched(absolute, is_folder);
        if by_types.is_ignore() {
            return true;
        }
        let is_asked_for = by_files.is_some() || by_types.is_whitelist();
        !is_asked_for && !self.rules.includes_hidden && is_hidden(name, absolute)
    }
}

/// One folder while its entries are added to the output.
struct FolderListing<'a> {
    walk: &'a FolderWalk<'a>,
    folder: &'a FolderToWalk,
    opened: &'a OpenFolder,
    rules: Arc<FolderIgnoreRules>,
    /// The device number of the last file, and whether signatures of that file system are reliable.
    last_device: Option<(u64, bool)>,
}

impl FolderListing<'_> {
    /// Adds an entry of the folder to the output; returns a folder that is to be walked, too.
    fn add_entry(&mut self, name: &OsStr, kind: EntryKind, output: &mut WalkOutput) -> Option<FolderToWalk> {
        if kind == EntryKind::Other {
            return None;
        }
        let is_folder = kind == EntryKind::Folder;
        let absolute = self.folder.absolute.join(name);
        if self.walk.is_excluded_by_rules(&self.rules, &absolute, name, is_folder) {
            return None;
        }
        let name_text = name
            .to_str()
            .filter(|name| is_path_same_as_its_text(name))
            .map_or_else(|| Cow::Owned(text_of_path(name.as_ref())), Cow::Borrowed);
        let path = match self.folder.path.as_str() {
            "" => name_text.clone().into_owned(),
            folder => [folder, "/", &*name_text].concat(),
        };
        if is_folder {
            let is_of_kernel = self.folder.absolute.parent().is_none() && KERNEL_FOLDERS.contains(&&*name_text);
            return (!is_of_kernel).then(|| FolderToWalk { absolute, path, rules: self.rules.clone() });
        }
        match (self.walk.rules.verdict)(&path, &absolute) {
            FileVerdict::Excluded => {}
            FileVerdict::Withheld(reason) => {
                output.1.push(Skipped { path, reason: format!("{}{reason}", Skipped::WITHHELD_PREFIX) });
            }
            FileVerdict::Included => {
                let signature = self.walk.rules.reads_signatures.then(|| self.signature_if_reliable(name, &absolute));
                let entry = ProjectEntry::new(self.walk.root.clone(), absolute, path, false);
                output.0.push((entry, signature.flatten()));
            }
        }
        None
    }

    /// The signature of a file, if its file system's signatures are reliable.
    fn signature_if_reliable(&mut self, name: &OsStr, absolute: &Path) -> Option<FileSignature> {
        let signature = self.opened.signature_of_file(name, absolute)?;
        let is_reliable = match self.last_device {
            Some((device, is_reliable)) if device == signature.device => is_reliable,
            _ => {
                let is_reliable = self.walk.are_device_signatures_reliable(signature.device, absolute);
                self.last_device = Some((signature.device, is_reliable));
                is_reliable
            }
        };
        is_reliable.then_some(signature)
    }
}

/// Whether a file or folder is hidden: its name begins with a dot, or (on Windows) it has the attribute.
fn is_hidden(name: &OsStr, absolute: &Path) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        const HIDDEN: u32 = 0x2;
        if absolute.symlink_metadata().is_ok_and(|metadata| metadata.file_attributes() & HIDDEN != 0) {
            return true;
        }
    }
    let _ = absolute;
    name.as_encoded_bytes().starts_with(b".")
}
