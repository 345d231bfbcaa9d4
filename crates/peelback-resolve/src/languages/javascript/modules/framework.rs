//! Aliases that frameworks and bundlers give to folders, in packages that commit no `tsconfig.json` with them: `$lib` of
//! SvelteKit, and the `alias` objects in the settings of Svelte and Vite.

use super::lookup::{self, ImportStyle};
use crate::json::Json;
use crate::modules::{FileId, FileTable, ProjectIndex, join_and_normalize_path};

/// The fields of `package.json` that list dependencies.
pub(super) const DEPENDENCY_FIELDS: &[&str] =
    &["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// The names of the settings files whose `alias` objects are read.
const SETTINGS: &[&str] = &[
    "svelte.config.js",
    "svelte.config.ts",
    "svelte.config.mjs",
    "vite.config.ts",
    "vite.config.js",
    "vite.config.mjs",
];

/// The limit on the number of aliases that are read of one package.
const MAX_ALIASES: usize = 200;

/// The limit on the number of mentions of `alias` in a settings file whose objects are read.
const MAX_MENTIONS: usize = 64;

/// The limit on the length of an object of aliases.
const MAX_OBJECT_BYTES: usize = 20_000;

/// The folder that `$lib` means by default, from the folder of the package.
const LIBRARY_FOLDER: &str = "src/lib";

/// An alias of a package: what import specifiers write, and the path from the project root that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderAlias {
    pub name: String,
    pub path: String,
}

/// The aliases of the package in `folder`, whose `package.json` is `json`; the longest names first.
pub(super) fn folder_aliases_of_package(
    project_index: &dyn ProjectIndex,
    folder: &str,
    json: &Json,
) -> Vec<FolderAlias> {
    let files = project_index.project_file_table();
    let mut found: Vec<FolderAlias> = Vec::new();
    let mut has_library = DEPENDENCY_FIELDS.iter().any(|field| !json.get(field).get("@sveltejs/kit").is_null());
    for name in SETTINGS {
        let settings = join_and_normalize_path(folder, name).and_then(|path| files.id_of_path(&path));
        let Some(text) = settings.and_then(|file| files.read_and_record_text(file)) else { continue };
        has_library |= name.starts_with("svelte");
        for (name, path) in aliases_in_settings(&text) {
            let name = name.trim_end_matches("/*").to_owned();
            let Some(path) = join_and_normalize_path(folder, path.trim_end_matches("/*")) else { continue };
            if !name.is_empty() && found.len() < MAX_ALIASES && found.iter().all(|known| known.name != name) {
                found.push(FolderAlias { name, path });
            }
        }
    }
    if has_library
        && found.iter().all(|known| known.name != "$lib")
        && let Some(path) = join_and_normalize_path(folder, LIBRARY_FOLDER)
    {
        found.push(FolderAlias { name: "$lib".to_owned(), path });
    }
    found.sort_by_key(|alias| std::cmp::Reverse(alias.name.len()));
    found
}

/// The packages of tools that add the imports of names which a project's files use without.
const IMPORT_ADDING_PACKAGES: &[&str] = &["@nuxt/kit", "nuxt", "nuxt3", "unimport", "unplugin-auto-import", "wxt"];

/// The folders of a package of Nuxt whose exports it imports into all files.
const IMPORTED_FOLDERS: &[&str] =
    &["composables", "utils", "app/composables", "app/utils", "src/composables", "src/utils", "shared/utils"];

fn depends_on_any(json: &Json, names: &[&str]) -> bool {
    let fields = DEPENDENCY_FIELDS.iter().map(|field| json.get(field));
    fields.into_iter().any(|declared| names.iter().any(|name| !declared.get(name).is_null()))
}

/// Whether the package uses a tool that adds imports.
pub(super) fn has_tool_adding_imports(json: &Json) -> bool {
    depends_on_any(json, IMPORT_ADDING_PACKAGES)
}

/// The folders of the package in `folder` whose exports are in sight in all of its files.
pub(super) fn folders_imported_by_tool(folder: &str, json: &Json) -> Vec<String> {
    match depends_on_any(json, &["nuxt", "nuxt3"]) {
        true => IMPORTED_FOLDERS.iter().filter_map(|inside| join_and_normalize_path(folder, inside)).collect(),
        false => Vec::new(),
    }
}

impl FolderAlias {
    /// The path that `specifier` means, if it begins with this alias.
    pub fn path_of_specifier(&self, specifier: &str) -> Option<String> {
        let rest = specifier.strip_prefix(self.name.as_str())?;
        match rest.strip_prefix('/') {
            Some(below) => join_and_normalize_path(&self.path, below),
            // The name of an alias can end in a slash itself: `@/`.
            None if !rest.is_empty() && self.name.ends_with('/') => join_and_normalize_path(&self.path, rest),
            None => rest.is_empty().then(|| self.path.clone()),
        }
    }

    /// Whether the alias alone is an import of `file`.
    pub fn means_file(&self, files: &FileTable, file: FileId) -> bool {
        let style = ImportStyle { typescript: true, require: false };
        lookup::find_file_by_import_path(files, &self.path, style)
            .or_else(|| lookup::find_index_file(files, &self.path, style))
            == Some(file)
    }
}

/// The entries of the objects behind `alias:` in the text of a settings file, whose values contain strings alone that tell
/// the path: `"src/a"`, `path.resolve(__dirname, "src", "a")`, `fileURLToPath(new URL("./src", import.meta.url))`.
fn aliases_in_settings(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, word) in text.match_indices("alias").take(MAX_MENTIONS) {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).unwrap_or("").trim_start();
        let inside = after.strip_prefix(':').map(str::trim_start).and_then(|after| after.strip_prefix('{'));
        if let Some(inside) = inside.filter(|_| !before.is_some_and(|c| c.is_alphanumeric() || c == '_')) {
            let end = inside.floor_char_boundary(MAX_OBJECT_BYTES);
            entries_of_object(inside.get(..end).unwrap_or(inside), &mut found);
        }
        if found.len() >= MAX_ALIASES {
            break;
        }
    }
    found
}

/// Reads the entries of an object literal from behind its opening brace.
fn entries_of_object(text: &str, found: &mut Vec<(String, String)>) {
    let (mut key, mut value): (Option<String>, Vec<&str>) = (None, Vec::new());
    let (mut depth, mut word) = (0_usize, String::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        if let Some(behind) = rest.strip_prefix("//") {
            rest = behind.split_once('\n').map_or("", |(_, next)| next);
            continue;
        }
        if let Some(behind) = rest.strip_prefix("/*") {
            rest = behind.split_once("*/").map_or("", |(_, next)| next);
            continue;
        }
        rest = after;
        match c {
            '"' | '\'' | '`' => {
                let Some((string, behind)) = after.split_once(c) else { return };
                rest = behind;
                match key {
                    Some(_) => value.push(string),
                    None => word = string.to_owned(),
                }
            }
            ':' if depth == 0 && key.is_none() => key = Some(std::mem::take(&mut word)),
            ',' | '}' if depth == 0 => {
                // What is no string in the value, such as a variable, leaves the path open.
                if let Some(key) = key.take().filter(|_| !value.is_empty()) {
                    found.push((key, value.join("/")));
                }
                value.clear();
                word.clear();
                if c == '}' || found.len() >= MAX_ALIASES {
                    return;
                }
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            c if key.is_none() && (c.is_alphanumeric() || matches!(c, '_' | '$')) => word.push(c),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::aliases_in_settings;

    #[test]
    fn aliases_are_read_where_strings_tell_them() {
        let text = "export default { kit: { alias: { $utl: 'src/utl', // one\n '$m/*': \"src/m/*\", a: x } }, \
            resolve: { alias: { '@': path.resolve(__dirname, './src'), '~c': fileURLToPath(new URL('./c', import.meta.url)) } } }";
        let pair = |name: &str, path: &str| (name.to_owned(), path.to_owned());
        assert_eq!(
            aliases_in_settings(text),
            [pair("$utl", "src/utl"), pair("$m/*", "src/m/*"), pair("@", "./src"), pair("~c", "./c")]
        );
        assert_eq!(aliases_in_settings("alias: {'a"), []);
        assert_eq!(aliases_in_settings("aliases: { a: 'b' }"), []);
    }
}
