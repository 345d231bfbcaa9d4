//! Reads `tsconfig.json` and `jsconfig.json`: path aliases, source roots and output folders.

use super::lookup::{self, ImportStyle};
use crate::json::Json;
use crate::modules::{FileId, FileTable, ProjectIndex, folder_of_path, join_and_normalize_path};

/// The limit on the number of configuration files that are read in a chain of `extends`.
const MAX_EXTENDS: usize = 12;

/// The limit on the number of configurations that one configuration may extend or refer to.
const MAX_NAMED_CONFIGS: usize = 1_000;

/// A `tsconfig.json` or `jsconfig.json`, merged with the configurations that it extends. Paths are relative to the
/// project root.
#[derive(Debug, Clone, Default)]
pub(super) struct TsConfig {
    base_folder: Option<String>,
    /// The patterns of import specifiers in the option `paths`, each with the paths that it maps to.
    paths: Vec<(String, Vec<String>)>,
    root_dirs: Vec<String>,
    output_dirs: Vec<String>,
    root_dir: Option<String>,
    pub references: Vec<String>,
}

impl TsConfig {
    /// Reads the configuration at `path` and those that it extends. `package` returns the folder of a package that the
    /// configuration extends.
    pub fn read_with_extended_configs(
        project_index: &dyn ProjectIndex,
        path: &str,
        package: &dyn Fn(&str, &str) -> Option<String>,
    ) -> Option<Self> {
        let mut chain = Vec::new();
        let mut next = vec![path.to_owned()];
        while let Some(path) = next.pop() {
            if chain.len() >= MAX_EXTENDS || chain.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let Some(text) = read_config_text(project_index, &path) else { continue };
            let json = Json::parse(&text);
            let folder = folder_of_path(&path);
            // Of several configurations in `extends` the last wins. It is read first, and values that are already set
            // stay.
            for extends in json.get("extends").texts_of_list_or_single_text().into_iter().take(MAX_NAMED_CONFIGS) {
                next.extend(extended_config_path(project_index, folder, extends, package));
            }
            chain.push((path.clone(), json));
        }
        let leaf = folder_of_path(path).to_owned();
        let (_, own) = chain.first()?;
        let mut config = Self::default();
        for reference in match own.get("references") {
            Json::List(references) => references.iter().take(MAX_NAMED_CONFIGS),
            _ => [].iter().take(0),
        } {
            let Some(path) = reference.get("path").as_text().and_then(|path| join_and_normalize_path(&leaf, path))
            else {
                continue;
            };
            config.references.push(if path.ends_with(".json") { path } else { format!("{path}/tsconfig.json") });
        }
        for (path, json) in &chain {
            config.fill_missing_compiler_options(&leaf, folder_of_path(path), json.get("compilerOptions"));
        }
        Some(config)
    }

    /// Takes over those compiler options of the configuration in `folder` that are not set yet. `leaf` is the folder
    /// that `${configDir}` means.
    fn fill_missing_compiler_options(&mut self, leaf: &str, folder: &str, options: &Json) {
        let at = |text: &str| match text.strip_prefix("${configDir}") {
            Some(rest) => join_and_normalize_path(leaf, rest.trim_start_matches('/')),
            None => join_and_normalize_path(folder, text),
        };
        let base = options.get("baseUrl").as_text().and_then(at);
        if self.paths.is_empty() {
            let around = base.clone().or_else(|| self.base_folder.clone()).unwrap_or_else(|| folder.to_owned());
            for (pattern, targets) in options.get("paths").map_entries() {
                let target = |target: &str| match target.strip_prefix("${configDir}") {
                    Some(rest) => join_and_normalize_path(leaf, rest.trim_start_matches('/')),
                    None => join_and_normalize_path(&around, target),
                };
                self.paths.push((
                    pattern.clone(),
                    targets.texts_of_list_or_single_text().into_iter().filter_map(target).collect(),
                ));
            }
        }
        self.base_folder = self.base_folder.take().or(base);
        if self.root_dirs.is_empty() {
            self.root_dirs =
                options.get("rootDirs").texts_of_list_or_single_text().into_iter().filter_map(at).collect();
        }
        if self.output_dirs.is_empty() {
            let out = ["outDir", "declarationDir"].iter().filter_map(|key| options.get(key).as_text());
            self.output_dirs = out.filter_map(at).collect();
        }
        self.root_dir = self.root_dir.take().or_else(|| options.get("rootDir").as_text().and_then(at));
    }

    /// The output folders of a build with this configuration, each with the folder of its sources if known.
    pub fn output_and_source_folders(&self) -> Vec<(String, Option<String>)> {
        self.output_dirs.iter().map(|out| (out.clone(), self.root_dir.clone())).collect()
    }

    /// The file that a non-relative import specifier resolves to under this configuration.
    pub fn resolve_non_relative_specifier(
        &self,
        files: &FileTable,
        specifier: &str,
        style: ImportStyle,
    ) -> Option<FileId> {
        let seek = |path: &str| {
            lookup::find_file_by_import_path(files, path, style).or_else(|| lookup::find_index_file(files, path, style))
        };
        for (targets, star) in self.targets_of_matching_path_patterns(specifier) {
            let found = targets.iter().find_map(|target| seek(&target.replacen('*', &star, 1)));
            if found.is_some() {
                return found;
            }
        }
        let base = self.base_folder.as_deref()?;
        seek(&join_and_normalize_path(base, specifier)?)
    }

    /// The targets of the path patterns that an import specifier matches, most specific pattern first, each with the
    /// text that the star of the pattern matched.
    fn targets_of_matching_path_patterns(&self, specifier: &str) -> Vec<(&[String], String)> {
        let mut found: Vec<(usize, &[String], String)> = Vec::new();
        for (pattern, targets) in &self.paths {
            let star = match pattern.split_once('*') {
                None if pattern == specifier => Some((usize::MAX, "")),
                None => None,
                Some((before, after)) => specifier
                    .strip_prefix(before)
                    .and_then(|rest| rest.strip_suffix(after))
                    .map(|star| (before.len(), star)),
            };
            if let Some((rank, star)) = star {
                found.push((rank, targets, star.to_owned()));
            }
        }
        found.sort_by_key(|(rank, ..)| std::cmp::Reverse(*rank));
        found.into_iter().map(|(_, targets, star)| (targets, star)).collect()
    }

    /// Whether a path pattern matches the import specifier, so that it means a project path even if no file exists
    /// there.
    pub fn has_path_pattern_for(&self, specifier: &str) -> bool {
        self.paths.iter().any(|(pattern, _)| pattern != "*")
            && !self.targets_of_matching_path_patterns(specifier).is_empty()
    }

    /// The paths that the relative import `specifier` in a file of `folder` can mean. Folders listed in `rootDirs`
    /// count as one folder.
    pub fn candidate_paths_in_root_dirs(&self, folder: &str, specifier: &str) -> Vec<String> {
        let inside = self
            .root_dirs
            .iter()
            .filter_map(|root| if folder == root { Some("") } else { lookup::relative_path_below(folder, root) });
        let mut found = Vec::new();
        for inside in inside {
            for root in &self.root_dirs {
                found.extend(
                    join_and_normalize_path(root, inside)
                        .and_then(|folder| join_and_normalize_path(&folder, specifier)),
                );
            }
        }
        found
    }

    /// Texts of which every import of `file` through a path pattern contains one, for patterns that need not contain a
    /// part of the file's path.
    pub fn texts_every_import_contains_one_of(&self, files: &FileTable, file: FileId) -> Vec<String> {
        let mut found = Vec::new();
        let style = ImportStyle { typescript: true, require: false };
        for (pattern, targets) in &self.paths {
            match pattern.split_once('*') {
                Some((before, _)) => {
                    let ends_in_star = targets.iter().all(|target| target.ends_with('*'));
                    if !ends_in_star && !before.is_empty() {
                        found.push(before.to_owned());
                    }
                }
                None => {
                    if self.resolve_non_relative_specifier(files, pattern, style) == Some(file) {
                        found.push(pattern.clone());
                    }
                }
            }
        }
        found
    }
}

fn read_config_text(project_index: &dyn ProjectIndex, path: &str) -> Option<String> {
    let files = project_index.project_file_table();
    match files.id_of_path(path) {
        Some(file) => files.read_and_record_text(file),
        // Configurations are often in hidden folders, which the walk skips.
        None => files.read_and_record_text_at_path(path),
    }
}

/// The path of the configuration that `specifier` in the option `extends` names.
fn extended_config_path(
    project_index: &dyn ProjectIndex,
    folder: &str,
    specifier: &str,
    package: &dyn Fn(&str, &str) -> Option<String>,
) -> Option<String> {
    let with_extension = |path: String| {
        let there = path.ends_with(".json") || project_index.project_file_table().id_of_path(&path).is_some();
        if there { path } else { format!("{path}.json") }
    };
    if specifier.starts_with('.') {
        return join_and_normalize_path(folder, specifier).map(with_extension);
    }
    let (name, rest) = super::split_specifier_after_package_name(specifier)?;
    let folder = package(folder, name)?;
    let rest = if rest.is_empty() { "tsconfig.json" } else { rest };
    join_and_normalize_path(&folder, rest).map(with_extension)
}
