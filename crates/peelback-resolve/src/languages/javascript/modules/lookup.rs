//! Finds the project file for the path of an import: tries extensions and index files, and maps build output to its
//! source.

use crate::modules::{FileId, Files, folder_of, join, name_of};

/// Properties of an import that decide between several possible files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Style {
    /// The import is in a TypeScript file: type declarations and TypeScript sources come first.
    pub typescript: bool,
    /// The import is a `require` call, not an `import`.
    pub require: bool,
}

const OF_TYPESCRIPT: &[&str] =
    &["ts", "tsx", "d.ts", "mts", "cts", "d.mts", "d.cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "json", "node"];

const OF_JAVASCRIPT: &[&str] =
    &["js", "jsx", "mjs", "cjs", "json", "ts", "tsx", "mts", "cts", "vue", "svelte", "d.ts", "d.mts", "d.cts", "node"];

/// The source extensions for each compiled extension, since imports name a source file by its compiled name.
const SUBSTITUTES: &[(&str, &[&str])] = &[
    ("js", &["ts", "tsx", "d.ts", "jsx"]),
    ("jsx", &["tsx", "d.ts", "js"]),
    ("mjs", &["mts", "d.mts"]),
    ("cjs", &["cts", "d.cts"]),
];

/// Names of folders that builds write to.
const BUILD_FOLDERS: &[&str] =
    &["dist", "build", "lib", "out", "es", "esm", "cjs", "umd", "types", "typings", "module", "output", "target"];

/// Names of subfolders of build folders, one for each module format.
const FORMATS: &[&str] =
    &["esm", "es", "cjs", "umd", "mjs", "types", "module", "commonjs", "browser", "node", "import", "require", "dts"];

/// Folders of a package that contain its sources.
const SOURCE_FOLDERS: &[&str] = &["src", "source", "", "lib", "app"];

impl Style {
    fn extensions(self) -> &'static [&'static str] {
        if self.typescript { OF_TYPESCRIPT } else { OF_JAVASCRIPT }
    }
}

/// The file at `path`, given with or without its extension.
pub(super) fn file(files: &Files, path: &str, style: Style) -> Option<FileId> {
    if path.is_empty() || path.ends_with('/') {
        return None;
    }
    let substituted = || {
        let (stem, extension) = path.rsplit_once('.')?;
        let (_, substitutes) = SUBSTITUTES.iter().find(|(from, _)| *from == extension)?;
        substitutes.iter().find_map(|to| files.id(&format!("{stem}.{to}")))
    };
    let found = match style.typescript {
        true => substituted().or_else(|| files.id(path)),
        false => files.id(path).or_else(substituted),
    };
    found.or_else(|| style.extensions().iter().find_map(|extension| files.id(&format!("{path}.{extension}"))))
}

/// The index file of a folder.
pub(super) fn index(files: &Files, folder: &str, style: Style) -> Option<FileId> {
    let folder = folder.trim_end_matches('/');
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    style.extensions().iter().find_map(|extension| files.id(&format!("{prefix}index.{extension}")))
}

/// The path of a module file without the parts that an import may omit.
pub(super) fn stem(path: &str) -> &str {
    let name = name_of(path);
    let declared = [".d.ts", ".d.mts", ".d.cts"].iter().find_map(|end| name.strip_suffix(end));
    let plain = || name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    declared.or_else(plain).unwrap_or(name)
}

/// The project's source file for the file at `path`, which is build output outside the project. `outputs` lists the
/// package's output folders with their source folders. `entry` says whether the package declares the path as an entry
/// point; an entry point may be built next to `src` without an output folder.
pub(super) fn source_of(
    files: &Files,
    package: &str,
    path: &str,
    outputs: &[(String, Option<String>)],
    entry: bool,
    style: Style,
) -> Option<FileId> {
    let inside = below(path, package)?;
    let bare = match folder_of(inside) {
        "" => stem(inside).to_owned(),
        folder => format!("{folder}/{}", stem(inside)),
    };
    let style = Style { typescript: true, ..style };
    let seek = |folder: &str, rest: &str| {
        let at = join(package, &format!("{folder}/{rest}"))?;
        // A file cannot be its own source.
        file(files, &at, style).or_else(|| index(files, &at, style))
    };
    for (output, root) in outputs {
        let Some(rest) = below(path, output) else { continue };
        let rest = match folder_of(rest) {
            "" => stem(rest).to_owned(),
            folder => format!("{folder}/{}", stem(rest)),
        };
        let found = match root {
            Some(root) => join(root, &rest).and_then(|at| file(files, &at, style)),
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
        (rest, known) = (after, FORMATS);
    }
    // A bundle is built from the package's entry point.
    let bundled = known == FORMATS && !rest.contains('/') && entry;
    if bundled { index(files, &join(package, "src")?, style).or_else(|| index(files, package, style)) } else { None }
}

/// The rest of `path` below `folder`.
pub(super) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}
