//! Reads `package.json`: which files a package exports under which names.

use super::framework::FolderAlias;
use super::lookup::{self, ImportStyle};
use crate::json::Json;
use crate::modules::{FileId, FileTable, ProjectIndex, join_and_normalize_path};

/// A package of the project: a folder with a `package.json`.
#[derive(Debug, Clone, Default)]
pub(super) struct NpmPackage {
    /// The package's folder, relative to the project root.
    pub folder: String,
    /// The package's name, if its `package.json` has one.
    pub name: Option<String>,
    /// The parsed `package.json`.
    pub json: Json,
    /// The output folders of the package's builds, each with the folder of its sources if known.
    pub outputs: Vec<(String, Option<String>)>,
    /// The aliases of folders and files in the settings of the package's framework.
    pub aliases: Vec<FolderAlias>,
    /// Whether a tool adds the imports of names that the package's files use without.
    pub has_tool_adding_imports: bool,
    /// The folders whose files' exports are in sight in all files of the package.
    pub folders_imported_by_tool: Vec<String>,
}

/// The fields that name a package's main file, in order of closeness to the source.
const MAIN_FIELDS: &[&str] = &["source", "types", "typings", "module", "main", "browser"];

/// The import styles under which one import specifier may resolve to different files.
const IMPORT_STYLES: &[ImportStyle] = &[
    ImportStyle { typescript: true, require: false },
    ImportStyle { typescript: false, require: false },
    ImportStyle { typescript: false, require: true },
];

impl NpmPackage {
    pub fn read(project_index: &dyn ProjectIndex, folder: &str) -> Option<Self> {
        let path = join_and_normalize_path(folder, "package.json")?;
        let text = project_index
            .project_file_table()
            .id_of_path(&path)
            .and_then(|file| project_index.project_file_table().read_and_record_text(file))?;
        let json = Json::parse(&text);
        let name = json.get("name").as_text().map(str::to_owned);
        Some(Self {
            folder: folder.to_owned(),
            name,
            json,
            outputs: Vec::new(),
            aliases: Vec::new(),
            has_tool_adding_imports: false,
            folders_imported_by_tool: Vec::new(),
        })
    }

    /// The file that an import of `name/subpath` resolves to, where `name` is this package; the main file for an empty
    /// subpath.
    pub fn resolve_subpath(&self, files: &FileTable, subpath: &str, style: ImportStyle) -> Option<FileId> {
        let exports = self.json.get("exports");
        if !exports.is_null() {
            let asked = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            if let Some(found) = self.first_file_or_source_of_targets(
                files,
                &target_paths_mapped_from_name(exports, &asked, style),
                style,
            ) {
                return Some(found);
            }
        }
        if !subpath.is_empty() {
            let direct = join_and_normalize_path(&self.folder, subpath)?;
            let found = lookup::find_file_by_import_path(files, &direct, style)
                .or_else(|| lookup::find_index_file(files, &direct, style));
            return found.or_else(|| self.find_source_of_build_output(files, &direct, true, style));
        }
        self.main_file_ignoring_exports(files, style)
    }

    /// The package's main file by the older fields of `package.json` that `exports` replaces, else its index file.
    pub fn main_file_ignoring_exports(&self, files: &FileTable, style: ImportStyle) -> Option<FileId> {
        let fields = MAIN_FIELDS.iter().filter(|field| style.typescript || !field.starts_with("typ"));
        let named: Vec<String> =
            fields.filter_map(|field| self.json.get(field).as_text()).map(ToOwned::to_owned).collect();
        let found = self.first_file_or_source_of_targets(files, &named, style);
        let found = found.or_else(|| lookup::find_index_file(files, &self.folder, style));
        found.or_else(|| {
            let beside = ["src", "lib"].iter().find_map(|folder| {
                let folder = join_and_normalize_path(&self.folder, folder)?;
                lookup::find_index_file(files, &folder, style)
            });
            beside.filter(|_| !self.json.is_null())
        })
    }

    /// Whether a file is the package's main file under any import style.
    pub fn is_main_file(&self, files: &FileTable, file: FileId) -> bool {
        IMPORT_STYLES.iter().any(|style| self.main_file_ignoring_exports(files, *style) == Some(file))
    }

    /// The target of an internal specifier `#name`: a file of the package, or the name of another package.
    pub fn resolve_specifier_in_imports_field(
        &self,
        files: &FileTable,
        specifier: &str,
        style: ImportStyle,
    ) -> Option<Result<FileId, String>> {
        let targets = target_paths_mapped_from_name(self.json.get("imports"), specifier, style);
        if let Some(found) = self.first_file_or_source_of_targets(files, &targets, style) {
            return Some(Ok(found));
        }
        targets.into_iter().find(|target| !target.starts_with('.')).map(Err)
    }

    /// The first path of `targets` that is a file of the project, else the source of the first path that is build
    /// output.
    fn first_file_or_source_of_targets(
        &self,
        files: &FileTable,
        targets: &[String],
        style: ImportStyle,
    ) -> Option<FileId> {
        let paths =
            || targets.iter().filter_map(|target| join_and_normalize_path(&self.folder, target.trim_end_matches('/')));
        let there = paths().find_map(|path| {
            lookup::find_file_by_import_path(files, &path, style)
                .or_else(|| lookup::find_index_file(files, &path, style).filter(|_| !path.is_empty()))
        });
        there.or_else(|| paths().find_map(|path| self.find_source_of_build_output(files, &path, true, style)))
    }

    /// The project's source file for the build output at `path` in this package.
    pub fn find_source_of_build_output(
        &self,
        files: &FileTable,
        path: &str,
        entry: bool,
        style: ImportStyle,
    ) -> Option<FileId> {
        lookup::find_source_of_build_output(files, &self.folder, path, &self.outputs, entry, style)
    }

    /// Texts of which every import of `file` from this package contains one: the names of the entry points that resolve
    /// to the file.
    pub fn texts_every_import_contains_one_of(&self, files: &FileTable, file: FileId) -> Vec<String> {
        let mut found = Vec::new();
        let is = |entry: Option<FileId>| entry == Some(file);
        if let Some(name) = &self.name {
            if IMPORT_STYLES.iter().any(|style| is(self.resolve_subpath(files, "", *style))) {
                found.push(name.clone());
            }
            for (key, _) in self.json.get("exports").map_entries() {
                let Some(sub) = key.strip_prefix("./") else { continue };
                match sub.split_once('*') {
                    // The text that the star of the pattern stands for is a part of the file's path, but not always the
                    // last part.
                    Some((before, _)) => found.push(format!("{name}/{before}")),
                    None if IMPORT_STYLES.iter().any(|style| is(self.resolve_subpath(files, sub, *style))) => {
                        found.push(format!("{name}/{sub}"));
                    }
                    None => {}
                }
            }
        }
        if self.is_main_file(files, file) {
            // A folder with a `package.json` can be imported by the folder's name.
            found.extend(self.folder.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned));
        }
        for (key, _) in self.json.get("imports").map_entries() {
            let (before, pattern) = key.split_once('*').map_or((key.as_str(), false), |(before, _)| (before, true));
            let same = |style: &ImportStyle| matches!(self.resolve_specifier_in_imports_field(files, key, *style), Some(Ok(found)) if found == file);
            if pattern || IMPORT_STYLES.iter().any(same) {
                found.push(before.to_owned());
            }
        }
        found
    }
}

/// The paths that the field `exports` or `imports` of a `package.json` maps a name to: all alternatives, most likely
/// first.
fn target_paths_mapped_from_name(map: &Json, asked: &str, style: ImportStyle) -> Vec<String> {
    let mut found = Vec::new();
    let keyed = map.map_entries().iter().any(|(key, _)| key.starts_with('.') || key.starts_with('#'));
    if !keyed {
        if asked == "." {
            collect_conditional_target_paths(map, "", style, &mut found);
        }
        return found;
    }
    if let Some((_, value)) = map.map_entries().iter().find(|(key, _)| key == asked) {
        collect_conditional_target_paths(value, "", style, &mut found);
        return found;
    }
    let matched = |key: &str| {
        let (before, after) = key.split_once('*')?;
        let star = asked.strip_prefix(before)?.strip_suffix(after)?;
        (!star.is_empty()).then(|| (before.len(), star.to_owned()))
    };
    let mut best: Option<(usize, String, &Json)> = None;
    for (key, value) in map.map_entries() {
        if let Some((length, star)) = matched(key)
            && best.as_ref().is_none_or(|(known, ..)| length > *known)
        {
            best = Some((length, star, value));
        }
    }
    if let Some((_, star, value)) = best {
        collect_conditional_target_paths(value, &star, style, &mut found);
        return found;
    }
    // Old folder mappings without a pattern: `"./features/": "./src/features/"`.
    for (key, value) in map.map_entries().iter().filter(|(key, _)| key.ends_with('/')) {
        if let (Some(rest), Some(folder)) = (asked.strip_prefix(key.as_str()), value.as_text()) {
            found.push(format!("{folder}{rest}"));
        }
    }
    found
}

/// The limit on the number of alternative paths that are tried for one name in `exports` or `imports`.
const MAX_TARGETS: usize = 64;

fn collect_conditional_target_paths(value: &Json, star: &str, style: ImportStyle, found: &mut Vec<String>) {
    if found.len() >= MAX_TARGETS {
        return;
    }
    match value {
        Json::Text(target) => found.push(target.replace('*', star)),
        Json::List(values) => {
            values.iter().for_each(|value| collect_conditional_target_paths(value, star, style, found))
        }
        Json::Map(entries) => {
            let late = |condition: &str| match condition {
                "require" => !style.require,
                "import" | "module" => style.require,
                "types" | "typings" => !style.typescript,
                _ => false,
            };
            let (after, first): (Vec<_>, Vec<_>) = entries.iter().partition(|(condition, _)| late(condition));
            for (_, value) in first.into_iter().chain(after) {
                collect_conditional_target_paths(value, star, style, found);
            }
        }
        Json::Null => {}
    }
}
