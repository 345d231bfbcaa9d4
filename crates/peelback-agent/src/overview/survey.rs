//! Facts about a repository that several sections of an overview document use: files, dependencies, package manifests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use peelback_code::syntax::Tier;
use peelback_code::syntax::language::{self, ModuleUnit};
use peelback_code::syntax::manifest::PackageManifest;
use peelback_code::{CodeAccess, CodeError, Completeness, FileKind, TreeEntry, WalkOptions, looks_like_test_path};
use peelback_tokens::estimate_tokens;

use super::manifests::Manifest;
use crate::disclosure::WithholdPathRule;
use crate::markdown::format_count_with_unit;

/// The maximum number of package manifests that are read; manifests nearest to the root come first.
const MOST_MANIFESTS: usize = 60;

/// Facts about a repository for its overview document.
pub(super) struct Survey<'a> {
    pub access: &'a CodeAccess,
    /// The folders and files of the repository, in the order of the file tree.
    pub tree: Vec<TreeEntry>,
    /// The paths of all files, sorted.
    pub files: Vec<String>,
    pub manifests: Vec<Manifest>,
    pub dependencies: Option<peelback_code::DependencyOverview>,
    withhold: Option<WithholdPathRule>,
    evidence: peelback_code::Evidence,
}

impl<'a> Survey<'a> {
    /// Surveys the project of `access`.
    ///
    /// # Errors
    /// Those of [`peelback_code::Project::files`].
    pub fn from_access(access: &'a CodeAccess, withhold: Option<WithholdPathRule>) -> Result<Self, CodeError> {
        let (tree, mut evidence) = access.project().tree_entries(None, &WalkOptions::default(), estimate_tokens)?;
        let files: Vec<String> = tree.iter().filter(|entry| !entry.is_folder).map(|entry| entry.path.clone()).collect();
        let dependencies = match access.dependency_overview() {
            Ok(overview) => Some(overview),
            Err(error) => {
                evidence.add_note(format!("dependencies are not known: {error}"));
                None
            }
        };
        let mut survey = Self { access, tree, files, manifests: Vec::new(), dependencies, withhold, evidence };
        let mut paths: Vec<(&'static PackageManifest, String)> = survey
            .files
            .iter()
            .filter(|path| survey.is_showable_own_non_test_file(path))
            .filter_map(|path| Some((language::package_manifest_kind_by_file_name(file_name(path))?, path.clone())))
            .collect();
        paths.sort_by_key(|(_, path)| (path.split('/').count(), path.clone()));
        paths.truncate(MOST_MANIFESTS);
        survey.manifests = paths.into_iter().filter_map(|(kind, path)| Manifest::read(access, &path, kind)).collect();
        Ok(survey)
    }

    /// Whether the document may show a file.
    pub fn may_show_file(&self, path: &str) -> bool {
        self.withhold.as_ref().is_none_or(|withhold| withhold(path).is_none())
    }

    /// Whether the document may show a file, and the file is the project's own code: no test, example or third-party
    /// code.
    pub fn is_showable_own_non_test_file(&self, path: &str) -> bool {
        !matches!(FileKind::from_path(path), FileKind::Foreign | FileKind::Example)
            && !looks_like_test_path(path)
            && self.may_show_file(path)
    }

    /// The entry of a file in the file tree, with its numbers of lines and tokens.
    pub fn file_tree_entry(&self, path: &str) -> Option<&TreeEntry> {
        self.tree.iter().find(|entry| !entry.is_folder && entry.path == path)
    }

    /// The first of the named files that exists and that the document may show, including hidden files.
    pub fn first_existing_showable_file<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        names.iter().copied().find(|name| self.access.project().has_regular_file(name) && self.may_show_file(name))
    }

    /// The file in the root folder whose name is `stem` and one of the `endings`, in upper or lower case.
    pub fn find_showable_root_file(&self, stem: &str, endings: &[String]) -> Option<&str> {
        let fits = |path: &&String| {
            let lowercase = path.to_lowercase();
            !path.contains('/') && endings.iter().any(|ending| lowercase == format!("{stem}{ending}"))
        };
        self.files.iter().find(fits).map(String::as_str).filter(|path| self.may_show_file(path))
    }

    /// The name, number of lines and number of files of each programming language, most lines first; documents and data
    /// are excluded.
    pub fn line_and_file_counts_by_language(&self) -> Vec<(&'static str, usize, usize)> {
        let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for entry in self.tree.iter().filter(|entry| !entry.is_folder) {
            let Some(name) = entry.language else { continue };
            if language::language_by_exact_name(name).is_some_and(|language| language.tier == Tier::Document) {
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

    /// The import unit of the file at `path`, which is what an import names: the file, or the folder that is the file's
    /// package, followed by a slash.
    pub fn import_unit_of_file<'p>(&self, path: &'p str) -> Cow<'p, str> {
        if !do_imports_name_whole_folder(path) {
            return Cow::Borrowed(path);
        }
        match path.rsplit_once('/') {
            Some((folder, _)) => Cow::Owned(format!("{folder}/")),
            None => Cow::Borrowed("./"),
        }
    }

    /// The number of files that import each import unit (a file or a package folder) from outside; tests are not
    /// counted.
    pub fn importer_counts_by_import_unit(&self) -> BTreeMap<String, usize> {
        let mut files: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in self.dependencies.iter().flat_map(|found| &found.edges) {
            let unit = self.import_unit_of_file(to);
            if !looks_like_test_path(from) && self.import_unit_of_file(from) != unit {
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
        let dependency_completeness =
            self.dependencies.as_ref().map_or(Completeness::Unknown, |found| found.evidence.completeness);
        self.evidence.completeness.max(dependency_completeness)
    }

    /// Sentences about how complete the survey is: notes, skipped files, and imports that are not known.
    pub fn completeness_remarks(&self) -> Vec<String> {
        let mut remarks = self.evidence.notes.clone();
        if let Some(first) = self.evidence.skipped.first() {
            let count =
                format_count_with_unit(self.evidence.skipped.len(), "file or folder was", "files or folders were");
            remarks.push(format!("{count} skipped, first {} ({})", first.path, first.reason));
        }
        if let Some(found) = &self.dependencies {
            // The remark above already reports the files that the file tree skipped.
            let is_new = |path: &str| self.evidence.skipped.iter().all(|skipped| skipped.path != path);
            let new: Vec<_> = found.evidence.skipped.iter().filter(|skipped| is_new(&skipped.path)).collect();
            if let Some(first) = new.first() {
                let count = format_count_with_unit(new.len(), "file imports", "files import");
                remarks.push(format!("what {count} is only partly known, first {} ({})", first.path, first.reason));
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
pub(super) fn do_imports_name_whole_folder(path: &str) -> bool {
    language::module_unit_of_file_name_language(file_name(path)) == ModuleUnit::Folder
}

/// The file extensions, with their dot, of READMEs whose headings can be analysed.
pub(super) fn analysable_readme_extensions() -> impl Iterator<Item = String> {
    language::well_known_project_files_of_languages()
        .flat_map(|files| files.readme_extensions)
        .map(|extension| format!(".{extension}"))
}
