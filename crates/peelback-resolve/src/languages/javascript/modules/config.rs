//! `tsconfig.json` and `jsconfig.json`: other names for paths.

use super::lookup::{self, Style};
use crate::json::Json;
use crate::modules::{FileId, Files, ProjectIndex, folder_of, join};

/// How many configurations one extends, one after the other.
const MAX_EXTENDS: usize = 12;

/// A configuration, with what it extends. Paths are from the root.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    base: Option<String>,
    /// Patterns and their targets.
    paths: Vec<(String, Vec<String>)>,
    roots: Vec<String>,
    out: Vec<String>,
    root: Option<String>,
    pub references: Vec<String>,
}

impl Config {
    /// Reads the configuration at `path`. `package` finds the folder of a package that one extends.
    pub fn read(
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
            let Some(text) = read(project_index, &path) else { continue };
            let json = Json::parse(&text);
            let folder = folder_of(&path);
            // The last of several wins: it is read first, and what is set already stays.
            for extends in json.get("extends").texts() {
                next.extend(extended(project_index, folder, extends, package));
            }
            chain.push((path.clone(), json));
        }
        let leaf = folder_of(path).to_owned();
        let (_, own) = chain.first()?;
        let mut config = Self::default();
        for reference in match own.get("references") {
            Json::List(references) => references.as_slice(),
            _ => &[],
        } {
            let Some(path) = reference.get("path").text().and_then(|path| join(&leaf, path)) else { continue };
            config.references.push(if path.ends_with(".json") { path } else { format!("{path}/tsconfig.json") });
        }
        for (path, json) in &chain {
            config.take(&leaf, folder_of(path), json.get("compilerOptions"));
        }
        Some(config)
    }

    /// Takes over what is not set yet.
    fn take(&mut self, leaf: &str, folder: &str, options: &Json) {
        let at = |text: &str| match text.strip_prefix("${configDir}") {
            Some(rest) => join(leaf, rest.trim_start_matches('/')),
            None => join(folder, text),
        };
        let base = options.get("baseUrl").text().and_then(at);
        if self.paths.is_empty() {
            let around = base.clone().or_else(|| self.base.clone()).unwrap_or_else(|| folder.to_owned());
            for (pattern, targets) in options.get("paths").entries() {
                let target = |target: &str| match target.strip_prefix("${configDir}") {
                    Some(rest) => join(leaf, rest.trim_start_matches('/')),
                    None => join(&around, target),
                };
                self.paths.push((pattern.clone(), targets.texts().into_iter().filter_map(target).collect()));
            }
        }
        self.base = self.base.take().or(base);
        if self.roots.is_empty() {
            self.roots = options.get("rootDirs").texts().into_iter().filter_map(at).collect();
        }
        if self.out.is_empty() {
            let out = ["outDir", "declarationDir"].iter().filter_map(|key| options.get(key).text());
            self.out = out.filter_map(at).collect();
        }
        self.root = self.root.take().or_else(|| options.get("rootDir").text().and_then(at));
    }

    /// What a build with this configuration writes, with the folder of the sources.
    pub fn outputs(&self) -> Vec<(String, Option<String>)> {
        self.out.iter().map(|out| (out.clone(), self.root.clone())).collect()
    }

    /// What a name that is no relative path means by this configuration.
    pub fn resolve(&self, files: &Files, specifier: &str, style: Style) -> Option<FileId> {
        let seek = |path: &str| lookup::file(files, path, style).or_else(|| lookup::index(files, path, style));
        for (targets, star) in self.matching(specifier) {
            let found = targets.iter().find_map(|target| seek(&target.replacen('*', &star, 1)));
            if found.is_some() {
                return found;
            }
        }
        let base = self.base.as_deref()?;
        seek(&join(base, specifier)?)
    }

    /// The targets of the patterns that a name matches, the closest first, each with what its star stands for.
    fn matching(&self, specifier: &str) -> Vec<(&[String], String)> {
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

    /// Whether a pattern or the base takes names of this form to a path that is meant, though no file is there.
    pub fn claims(&self, specifier: &str) -> bool {
        self.paths.iter().any(|(pattern, _)| pattern != "*") && !self.matching(specifier).is_empty()
    }

    /// The relative path `specifier` from `folder`, in the folders that count as one with it.
    pub fn beside(&self, folder: &str, specifier: &str) -> Vec<String> {
        let inside =
            self.roots.iter().filter_map(|root| if folder == root { Some("") } else { lookup::below(folder, root) });
        let mut found = Vec::new();
        for inside in inside {
            for root in &self.roots {
                found.extend(join(root, inside).and_then(|folder| join(&folder, specifier)));
            }
        }
        found
    }

    /// What every import of `file` through a pattern holds, where that need not be a part of its path.
    pub fn names_of(&self, files: &Files, file: FileId) -> Vec<String> {
        let mut found = Vec::new();
        let style = Style { typescript: true, require: false };
        for (pattern, targets) in &self.paths {
            match pattern.split_once('*') {
                Some((before, _)) => {
                    let ends_in_star = targets.iter().all(|target| target.ends_with('*'));
                    if !ends_in_star && !before.is_empty() {
                        found.push(before.to_owned());
                    }
                }
                None => {
                    if self.resolve(files, pattern, style) == Some(file) {
                        found.push(pattern.clone());
                    }
                }
            }
        }
        found
    }
}

fn read(project_index: &dyn ProjectIndex, path: &str) -> Option<String> {
    let files = project_index.files();
    match files.id(path) {
        Some(file) => files.read(file),
        // Folders of configurations are often hidden.
        None => files.read_any(path),
    }
}

/// The path of a configuration that another one extends.
fn extended(
    project_index: &dyn ProjectIndex,
    folder: &str,
    specifier: &str,
    package: &dyn Fn(&str, &str) -> Option<String>,
) -> Option<String> {
    let with_extension = |path: String| {
        let there = path.ends_with(".json") || project_index.files().id(&path).is_some();
        if there { path } else { format!("{path}.json") }
    };
    if specifier.starts_with('.') {
        return join(folder, specifier).map(with_extension);
    }
    let (name, rest) = super::package_name(specifier)?;
    let folder = package(folder, name)?;
    let rest = if rest.is_empty() { "tsconfig.json" } else { rest };
    join(&folder, rest).map(with_extension)
}
