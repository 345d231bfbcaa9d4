//! Facts about a repository that several sections use: files, dependencies, manifests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use peelback_code::syntax::Tier;
use peelback_code::syntax::language::{self, ModuleUnit};
use peelback_code::syntax::manifest::PackageManifest;
use peelback_code::{CodeAccess, CodeError, Completeness, FileKind, TreeEntry, WalkOptions, is_test_path};
use peelback_tokens::estimate_tokens;

use super::manifests::Manifest;
use crate::disclosure::WithholdPathRule;
use crate::markdown::format_count_with_unit;

/// The most manifests that are read; manifests nearest to the root come first.
const MOST_MANIFESTS: usize = 60;

/// Facts about a repository.
pub(super) struct Survey<'a> {
    pub access: &'a CodeAccess,
    /// Folders and files in tree order.
    pub tree: Vec<TreeEntry>,
    /// The paths of all files, sorted.
    pub files: Vec<String>,
    pub manifests: Vec<Manifest>,
    pub dependencies: Option<peelback_code::DependencyOverview>,
    withhold: Option<WithholdPathRule>,
    evidence: peelback_code::Evidence,
}

impl<'a> Survey<'a> {
    /// # Errors
    /// Those of [`peelback_code::Project::files`].
    pub fn from_access(access: &'a CodeAccess, withhold: Option<WithholdPathRule>) -> Result<Self, CodeError> {
        let (tree, mut evidence) = access.project().tree_entries(None, &WalkOptions::default(), estimate_tokens)?;
        let files: Vec<String> = tree.iter().filter(|entry| !entry.is_folder).map(|entry| entry.path.clone()).collect();
        let dependencies = match access.dependency_graph() {
            Ok(overview) => Some(overview),
            Err(error) => {
                evidence.add_note(format!("what depends on what is not known: {error}"));
                None
            }
        };
        let mut survey = Self { access, tree, files, manifests: Vec::new(), dependencies, withhold, evidence };
        let mut paths: Vec<(&'static PackageManifest, String)> = survey
            .files
            .iter()
            .filter(|path| survey.is_own_code(path))
            .filter_map(|path| Some((language::manifest_of(file_name(path))?, path.clone())))
            .collect();
        paths.sort_by_key(|(_, path)| (path.split('/').count(), path.clone()));
        paths.truncate(MOST_MANIFESTS);
        survey.manifests = paths.into_iter().filter_map(|(kind, path)| Manifest::read(access, &path, kind)).collect();
        Ok(survey)
    }

    /// Whether a file may be shown.
    pub fn can_show_file(&self, path: &str) -> bool {
        self.withhold.as_ref().is_none_or(|withhold| withhold(path).is_none())
    }

    /// Whether a file may be shown and is the project's own code, neither fixture nor third-party code.
    pub fn is_own_code(&self, path: &str) -> bool {
        !matches!(FileKind::from_path(path), FileKind::Foreign | FileKind::Example)
            && !is_test_path(path)
            && self.can_show_file(path)
    }

    /// The tree entry of a file, with its lines and tokens.
    pub fn entry(&self, path: &str) -> Option<&TreeEntry> {
        self.tree.iter().find(|entry| !entry.is_folder && entry.path == path)
    }

    /// The first of these files that exists and may be shown, including hidden files.
    pub fn first_existing_file<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.access.project().has_file(name) && self.can_show_file(name))
    }

    /// A file in the root folder, by its name without extension in any case, with one of the given extensions.
    pub fn find_root_file(&self, stem: &str, endings: &[String]) -> Option<&str> {
        let fits = |path: &&String| {
            let lower = path.to_lowercase();
            !path.contains('/') && endings.iter().any(|ending| lower == format!("{stem}{ending}"))
        };
        self.files.iter().find(fits).map(String::as_str).filter(|path| self.can_show_file(path))
    }

    /// Lines and files of each programming language, most lines first; documents and data are excluded.
    pub fn lines_and_files_by_language(&self) -> Vec<(&'static str, usize, usize)> {
        let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for entry in self.tree.iter().filter(|entry| !entry.is_folder) {
            let Some(name) = entry.language else { continue };
            if language::language_by_name(name).is_some_and(|language| language.tier == Tier::Document) {
                continue;
            }
            let count = counts.entry(name).or_default();
            count.0 += usize::try_from(entry.line_count.unwrap_or(0)).unwrap_or(0);
            count.1 += 1;
        }
        let mut all: Vec<_> = counts.into_iter().map(|(name, (lines, files))| (name, lines, files)).collect();
        all.sort_by_key(|(name, lines, _)| (std::cmp::Reverse(*lines), *name));
        all
    }

    /// The unit that an import refers to: a file, or the folder that is the file's package, followed by a slash.
    pub fn import_unit<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if !is_part_of_folder(path) {
            return Cow::Borrowed(path);
        }
        match path.rsplit_once('/') {
            Some((folder, _)) => Cow::Owned(format!("{folder}/")),
            None => Cow::Borrowed("./"),
        }
    }

    /// Number of files outside each unit that import the unit; tests are not counted.
    pub fn importer_counts(&self) -> BTreeMap<String, usize> {
        let mut files: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in self.dependencies.iter().flat_map(|found| &found.edges) {
            let unit = self.import_unit(to);
            if !is_test_path(from) && self.import_unit(from) != unit {
                files.entry(unit.into_owned()).or_default().insert(from);
            }
        }
        files.into_iter().map(|(unit, files)| (unit, files.len())).collect()
    }

    pub fn total_lines(&self) -> usize {
        let lines = self.tree.iter().filter(|entry| !entry.is_folder).filter_map(|entry| entry.line_count);
        usize::try_from(lines.sum::<u64>()).unwrap_or(usize::MAX)
    }

    pub fn total_tokens(&self) -> usize {
        self.tree.iter().filter(|entry| !entry.is_folder).filter_map(|entry| entry.weight).sum()
    }

    pub fn completeness(&self) -> Completeness {
        let links = self.dependencies.as_ref().map_or(Completeness::Unknown, |found| found.evidence.completeness);
        self.evidence.completeness.max(links)
    }

    /// The evidence of the survey as sentences.
    pub fn evidence_remarks(&self) -> Vec<String> {
        let mut remarks = self.evidence.notes.clone();
        if let Some(first) = self.evidence.skipped.first() {
            let count =
                format_count_with_unit(self.evidence.skipped.len(), "file or folder was", "files or folders were");
            remarks.push(format!("{count} passed over, first {} ({})", first.path, first.reason));
        }
        if let Some(found) = &self.dependencies {
            // Skipped files are reported already by the first evidence.
            let is_new = |path: &str| self.evidence.skipped.iter().all(|skipped| skipped.path != path);
            let new: Vec<_> = found.evidence.skipped.iter().filter(|skipped| is_new(&skipped.path)).collect();
            if let Some(first) = new.first() {
                let count = format_count_with_unit(new.len(), "file imports", "files import");
                remarks.push(format!("what {count} is not wholly known, first {} ({})", first.path, first.reason));
            }
        }
        remarks
    }
}

/// The last component of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether imports name the folder of a file and not the file itself, as in Go.
pub(super) fn is_part_of_folder(path: &str) -> bool {
    language::module_unit_of(file_name(path)) == ModuleUnit::Folder
}

/// The endings of the names of READMEs whose headings are analysed.
pub(super) fn readme_endings() -> impl Iterator<Item = String> {
    language::project_files().flat_map(|files| files.readme_extensions).map(|extension| format!(".{extension}"))
}
