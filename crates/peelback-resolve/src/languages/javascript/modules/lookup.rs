//! Finds the project file for the path of an import: tries extensions and index files, and maps build output to its
//! source.

use crate::modules::{FileId, FileTable, file_name_of_path, folder_of_path, join_and_normalize_path};

/// Properties of an import that decide between several possible files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ImportStyle {
    /// The import is in a TypeScript file: type declarations and TypeScript sources come first.
    pub typescript: bool,
    /// The import is a `require` call, not an `import`.
    pub require: bool,
}

const TYPESCRIPT_EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "mts", "cts", "d.mts", "d.cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro", "json",
    "node",
];

const JAVASCRIPT_EXTENSIONS: &[&str] = &[
    "js", "jsx", "mjs", "cjs", "json", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "d.ts", "d.mts", "d.cts",
    "node",
];

/// The source extensions for each compiled extension, since an import can name a source file by its compiled name.
const SOURCE_EXTENSIONS: &[(&str, &[&str])] = &[
    ("js", &["ts", "tsx", "d.ts", "jsx"]),
    ("jsx", &["tsx", "d.ts", "js"]),
    ("mjs", &["mts", "d.mts"]),
    ("cjs", &["cts", "d.cts"]),
];

/// Names of folders that builds write to.
const BUILD_FOLDERS: &[&str] =
    &["dist", "build", "lib", "out", "es", "esm", "cjs", "umd", "types", "typings", "module", "output", "target"];

/// Names of subfolders of build folders, one for each module format (ES modules, CommonJS and others).
const FORMAT_FOLDERS: &[&str] =
    &["esm", "es", "cjs", "umd", "mjs", "types", "module", "commonjs", "browser", "node", "import", "require", "dts"];

/// Names of the folders of a package that contain its sources.
const SOURCE_FOLDERS: &[&str] = &["src", "source", "", "lib", "app"];

impl ImportStyle {
    fn candidate_extensions(self) -> &'static [&'static str] {
        if self.typescript { TYPESCRIPT_EXTENSIONS } else { JAVASCRIPT_EXTENSIONS }
    }
}

/// The file of the project at `path`, which an import can write with or without the file's extension.
pub(super) fn find_file_by_import_path(files: &FileTable, path: &str, style: ImportStyle) -> Option<FileId> {
    if path.is_empty() || path.ends_with('/') {
        return None;
    }
    let substituted = || {
        let (stem, extension) = path.rsplit_once('.')?;
        let (_, substitutes) = SOURCE_EXTENSIONS.iter().find(|(from, _)| *from == extension)?;
        substitutes.iter().find_map(|to| files.id_of_path(&format!("{stem}.{to}")))
    };
    let found = match style.typescript {
        true => substituted().or_else(|| files.id_of_path(path)),
        false => files.id_of_path(path).or_else(substituted),
    };
    found.or_else(|| {
        style.candidate_extensions().iter().find_map(|extension| files.id_of_path(&format!("{path}.{extension}")))
    })
}

/// The index file (`index.js`, `index.ts` and others) of a folder.
pub(super) fn find_index_file(files: &FileTable, folder: &str, style: ImportStyle) -> Option<FileId> {
    let folder = folder.trim_end_matches('/');
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    style.candidate_extensions().iter().find_map(|extension| files.id_of_path(&format!("{prefix}index.{extension}")))
}

/// The name of a module file without the extension, which an import may omit.
pub(super) fn module_file_stem(path: &str) -> &str {
    let name = file_name_of_path(path);
    let declared = [".d.ts", ".d.mts", ".d.cts"].iter().find_map(|end| name.strip_suffix(end));
    let plain = || name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    declared.or_else(plain).unwrap_or(name)
}

/// The project's source file for the file at `path`, which is build output outside the project. `outputs` lists the
/// package's output folders with their source folders. `entry` says whether the package declares the path as an entry
/// point; an entry point may be built next to `src` without an output folder.
pub(super) fn find_source_of_build_output(
    files: &FileTable,
    package: &str,
    path: &str,
    outputs: &[(String, Option<String>)],
    entry: bool,
    style: ImportStyle,
) -> Option<FileId> {
    let inside = relative_path_below(path, package)?;
    let bare = match folder_of_path(inside) {
        "" => module_file_stem(inside).to_owned(),
        folder => format!("{folder}/{}", module_file_stem(inside)),
    };
    let style = ImportStyle { typescript: true, ..style };
    let seek = |folder: &str, rest: &str| {
        let at = join_and_normalize_path(package, &format!("{folder}/{rest}"))?;
        // A file cannot be its own source.
        find_file_by_import_path(files, &at, style).or_else(|| find_index_file(files, &at, style))
    };
    for (output, root) in outputs {
        let Some(rest) = relative_path_below(path, output) else { continue };
        let rest = match folder_of_path(rest) {
            "" => module_file_stem(rest).to_owned(),
            folder => format!("{folder}/{}", module_file_stem(rest)),
        };
        let found = match root {
            Some(root) => {
                join_and_normalize_path(root, &rest).and_then(|at| find_file_by_import_path(files, &at, style))
            }
            None => None,
        };
        if let Some(found) = found.or_else(|| SOURCE_FOLDERS.iter().find_map(|folder| seek(folder, &rest))) {
            return Some(found);
        }
    }
    let mut rest = bare.as_str();
    if entry && let Some(found) = seek("src", rest) {
        return Some(found);
    }
    let mut known = BUILD_FOLDERS;
    while let Some((first, after)) = rest.split_once('/') {
        let named = known.contains(&first) || (known == BUILD_FOLDERS && first.starts_with("dist"));
        if !named {
            break;
        }
        if let Some(found) = SOURCE_FOLDERS.iter().find_map(|folder| seek(folder, after)) {
            return Some(found);
        }
        (rest, known) = (after, FORMAT_FOLDERS);
    }
    // A bundle, one file in a build folder, is built from the package's entry point.
    let bundled = known == FORMAT_FOLDERS && !rest.contains('/') && entry;
    if bundled {
        find_index_file(files, &join_and_normalize_path(package, "src")?, style)
            .or_else(|| find_index_file(files, package, style))
    } else {
        None
    }
}

/// The rest of `path` below `folder`; `None` if `path` is not below it.
pub(super) fn relative_path_below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}
