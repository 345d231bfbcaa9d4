//! `package.json`: what a package gives under which name.

use super::lookup::{self, Style};
use crate::json::Json;
use crate::modules::{FileId, Files, ProjectIndex, join};

/// A package of the project.
#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    /// Its folder, from the root.
    pub folder: String,
    /// What it calls itself.
    pub name: Option<String>,
    /// Its file, read.
    pub json: Json,
    /// What its builds write, each with the folder of its sources where that is said.
    pub outputs: Vec<(String, Option<String>)>,
}

/// The fields that name a package's main file, the nearest to the source first.
const MAIN_FIELDS: &[&str] = &["source", "types", "typings", "module", "main", "browser"];

/// All ways to ask that may lead to different files.
const STYLES: &[Style] = &[
    Style { typescript: true, require: false },
    Style { typescript: false, require: false },
    Style { typescript: false, require: true },
];

impl Package {
    pub fn read(project_index: &dyn ProjectIndex, folder: &str) -> Option<Self> {
        let path = join(folder, "package.json")?;
        let text = project_index.files().id(&path).and_then(|file| project_index.files().read(file))?;
        let json = Json::parse(&text);
        let name = json.get("name").text().map(str::to_owned);
        Some(Self { folder: folder.to_owned(), name, json, outputs: Vec::new() })
    }

    /// The file that `name/subpath` means; the main one for an empty subpath.
    pub fn entry(&self, files: &Files, subpath: &str, style: Style) -> Option<FileId> {
        let exports = self.json.get("exports");
        if !exports.is_null() {
            let asked = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            if let Some(found) = self.first_of(files, &targets(exports, &asked, style), style) {
                return Some(found);
            }
        }
        if !subpath.is_empty() {
            let direct = join(&self.folder, subpath)?;
            let found = lookup::file(files, &direct, style).or_else(|| lookup::index(files, &direct, style));
            return found.or_else(|| self.source_of(files, &direct, true, style));
        }
        self.main(files, style)
    }

    /// The main file by the fields from before `exports`.
    pub fn main(&self, files: &Files, style: Style) -> Option<FileId> {
        let fields = MAIN_FIELDS.iter().filter(|field| style.typescript || !field.starts_with("typ"));
        let named: Vec<String> =
            fields.filter_map(|field| self.json.get(field).text()).map(ToOwned::to_owned).collect();
        let found = self.first_of(files, &named, style);
        let found = found.or_else(|| lookup::index(files, &self.folder, style));
        found.or_else(|| {
            let beside = ["src", "lib"].iter().find_map(|folder| {
                let folder = join(&self.folder, folder)?;
                lookup::index(files, &folder, style)
            });
            beside.filter(|_| !self.json.is_null())
        })
    }

    /// Whether a file is the main one, for whoever asks.
    pub fn is_main(&self, files: &Files, file: FileId) -> bool {
        STYLES.iter().any(|style| self.main(files, *style) == Some(file))
    }

    /// What `#name` means: a file of the package, or the name of another package.
    pub fn import(&self, files: &Files, specifier: &str, style: Style) -> Option<Result<FileId, String>> {
        let targets = targets(self.json.get("imports"), specifier, style);
        if let Some(found) = self.first_of(files, &targets, style) {
            return Some(Ok(found));
        }
        targets.into_iter().find(|target| !target.starts_with('.')).map(Err)
    }

    /// The first of some targets that is a file of the project, else the source of the first that has one.
    fn first_of(&self, files: &Files, targets: &[String], style: Style) -> Option<FileId> {
        let paths = || targets.iter().filter_map(|target| join(&self.folder, target.trim_end_matches('/')));
        let there = paths().find_map(|path| {
            lookup::file(files, &path, style)
                .or_else(|| lookup::index(files, &path, style).filter(|_| !path.is_empty()))
        });
        there.or_else(|| paths().find_map(|path| self.source_of(files, &path, true, style)))
    }

    /// The source of a built file of this package.
    pub fn source_of(&self, files: &Files, path: &str, entry: bool, style: Style) -> Option<FileId> {
        lookup::source_of(files, &self.folder, path, &self.outputs, entry, style)
    }

    /// What every import of `file` from this package holds: the names of the entries that it is.
    pub fn names_of(&self, files: &Files, file: FileId) -> Vec<String> {
        let mut found = Vec::new();
        let is = |entry: Option<FileId>| entry == Some(file);
        if let Some(name) = &self.name {
            if STYLES.iter().any(|style| is(self.entry(files, "", *style))) {
                found.push(name.clone());
            }
            for (key, _) in self.json.get("exports").entries() {
                let Some(sub) = key.strip_prefix("./") else { continue };
                match sub.split_once('*') {
                    // What stands for the star is a part of the path, but not always its last one.
                    Some((before, _)) => found.push(format!("{name}/{before}")),
                    None if STYLES.iter().any(|style| is(self.entry(files, sub, *style))) => {
                        found.push(format!("{name}/{sub}"));
                    }
                    None => {}
                }
            }
        }
        if self.is_main(files, file) {
            // A folder with a `package.json` is imported by the folder's name.
            found.extend(self.folder.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned));
        }
        for (key, _) in self.json.get("imports").entries() {
            let (before, pattern) = key.split_once('*').map_or((key.as_str(), false), |(before, _)| (before, true));
            let same = |style: &Style| matches!(self.import(files, key, *style), Some(Ok(found)) if found == file);
            if pattern || STYLES.iter().any(same) {
                found.push(before.to_owned());
            }
        }
        found
    }
}

/// What `exports` or `imports` maps a name to: all alternatives, the likeliest first.
fn targets(map: &Json, asked: &str, style: Style) -> Vec<String> {
    let mut found = Vec::new();
    let keyed = map.entries().iter().any(|(key, _)| key.starts_with('.') || key.starts_with('#'));
    if !keyed {
        if asked == "." {
            collect(map, "", style, &mut found);
        }
        return found;
    }
    if let Some((_, value)) = map.entries().iter().find(|(key, _)| key == asked) {
        collect(value, "", style, &mut found);
        return found;
    }
    let matched = |key: &str| {
        let (before, after) = key.split_once('*')?;
        let star = asked.strip_prefix(before)?.strip_suffix(after)?;
        (!star.is_empty()).then(|| (before.len(), star.to_owned()))
    };
    let mut best: Option<(usize, String, &Json)> = None;
    for (key, value) in map.entries() {
        if let Some((length, star)) = matched(key)
            && best.as_ref().is_none_or(|(known, ..)| length > *known)
        {
            best = Some((length, star, value));
        }
    }
    if let Some((_, star, value)) = best {
        collect(value, &star, style, &mut found);
        return found;
    }
    // `"./features/": "./src/features/"`, from before patterns.
    for (key, value) in map.entries().iter().filter(|(key, _)| key.ends_with('/')) {
        if let (Some(rest), Some(folder)) = (asked.strip_prefix(key.as_str()), value.text()) {
            found.push(format!("{folder}{rest}"));
        }
    }
    found
}

/// How many alternatives of one name are looked at.
const MAX_TARGETS: usize = 64;

fn collect(value: &Json, star: &str, style: Style, found: &mut Vec<String>) {
    if found.len() >= MAX_TARGETS {
        return;
    }
    match value {
        Json::Text(target) => found.push(target.replace('*', star)),
        Json::List(values) => values.iter().for_each(|value| collect(value, star, style, found)),
        Json::Map(entries) => {
            let late = |condition: &str| match condition {
                "require" => !style.require,
                "import" | "module" => style.require,
                "types" | "typings" => !style.typescript,
                _ => false,
            };
            let (after, first): (Vec<_>, Vec<_>) = entries.iter().partition(|(condition, _)| late(condition));
            for (_, value) in first.into_iter().chain(after) {
                collect(value, star, style, found);
            }
        }
        Json::Null => {}
    }
}
