//! Entry points of libraries: the files that contain what a library exports.

use std::collections::BTreeSet;

use peelback_code::FileKind;
use peelback_code::syntax::manifest::LibraryFiles;
use peelback_code::syntax::{Symbol, SymbolKind, Visibility, walk_symbols_with_depth};

use super::entries::Row;
use super::manifests::Manifest;
use super::survey::Survey;
use crate::markdown::{format_count_with_unit, format_inline_code};

/// The maximum number of listed files of a package whose files are in one folder.
const FOLDER_FILES: usize = 3;

/// The maximum number of listed packages of one manifest.
const PACKAGES: usize = 6;

/// The maximum number of exported names that are listed for a file.
const NAMES: usize = 8;

/// Adds rows for the files that contain the exports of a manifest's package.
pub(super) fn add_library_file_rows(
    survey: &Survey<'_>,
    manifest: &Manifest,
    rows: &mut Vec<Row>,
    files: &mut BTreeSet<String>,
) {
    match manifest.kind.library {
        LibraryFiles::Declared => {}
        LibraryFiles::File { key, default } => {
            add_declared_or_default_library_row(survey, manifest, (key, default), rows, files)
        }
        LibraryFiles::Folder { extension } => add_most_exporting_file_rows(survey, manifest, extension, rows, files),
        LibraryFiles::PackageFiles { file_name, source_folder } => {
            add_package_interface_file_rows(survey, manifest, (file_name, source_folder), rows, files);
        }
    }
}

/// Adds a row for the only file that contains a package's exports: the value of a manifest key, or the default path.
fn add_declared_or_default_library_row(
    survey: &Survey<'_>,
    manifest: &Manifest,
    (key, default): (&str, &str),
    rows: &mut Vec<Row>,
    files: &mut BTreeSet<String>,
) {
    let library = manifest.convert_to_path_from_root(
        manifest.first_existing_key(&[key]).and_then(|key| key.value.as_deref()).unwrap_or(default),
    );
    if survey.files.contains(&library) && survey.may_show_file(&library) {
        let name = manifest.package_name_key().and_then(|key| key.value.as_deref()).unwrap_or("the package");
        rows.push((
            format!("- {} — library of {}\n", format_inline_code(&library), format_inline_code(name)),
            Vec::new(),
        ));
        files.insert(library);
    }
}

/// Adds rows for the files with the most exports in the manifest's folder; the file with the package's name comes
/// first.
fn add_most_exporting_file_rows(
    survey: &Survey<'_>,
    manifest: &Manifest,
    extension: &str,
    rows: &mut Vec<Row>,
    files: &mut BTreeSet<String>,
) {
    let has_extension = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| end == extension);
    let module = manifest.package_name_key().and_then(|key| key.value.as_deref()).unwrap_or("");
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for path in survey.files.iter().filter(|path| survey.is_showable_own_non_test_file(path) && has_extension(path)) {
        if path.rsplit_once('/').map_or("", |(folder, _)| folder) != manifest.folder() {
            continue;
        }
        let Ok(analysed) = survey.access.analyse_file_by_root_path(path) else { continue };
        let symbols: Vec<&Symbol> =
            walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol).collect();
        let is_function = |symbol: &Symbol| symbol.kind == SymbolKind::Function;
        if symbols.iter().any(|symbol| is_function(symbol) && symbol.name == "main") {
            return;
        }
        let is_exported = |symbol: &&&Symbol| {
            !symbol.local && symbol.kind != SymbolKind::Field && symbol.name.starts_with(char::is_uppercase)
        };
        let mut names: Vec<&Symbol> = symbols.iter().filter(is_exported).copied().collect();
        // Types and functions of the package come before methods and constants.
        let rank = |symbol: &Symbol| match symbol.kind {
            SymbolKind::Struct | SymbolKind::Interface => 0,
            SymbolKind::Function => 1,
            SymbolKind::Method => 3,
            _ => 2,
        };
        names.sort_by_key(|symbol| (rank(symbol), symbol.lines.first));
        found.push((path.clone(), names.into_iter().map(|symbol| symbol.name.clone()).collect()));
    }
    let last = module.rsplit('/').find(|part| !is_module_path_major_version(part)).unwrap_or(module);
    let is_named = |path: &str| path.rsplit('/').next() == Some(format!("{last}.{extension}").as_str());
    found.retain(|(_, names)| !names.is_empty());
    found.sort_by_key(|(path, names)| (!is_named(path), std::cmp::Reverse(names.len()), path.clone()));
    for (path, names) in found.into_iter().take(FOLDER_FILES) {
        let what =
            format!("library: {} of {}", format_first_exported_names_with_total(&names), format_inline_code(module));
        rows.push((format!("- {} — {what}\n", format_inline_code(&path)), Vec::new()));
        files.insert(path);
    }
}

/// Whether a part of a module path is a major version such as `v2`.
fn is_module_path_major_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
}

/// Adds a row for the file that stands for each package. This file's imports from inside the package are the package's
/// interface.
fn add_package_interface_file_rows(
    survey: &Survey<'_>,
    manifest: &Manifest,
    (file_name, source_folder): (&str, &str),
    rows: &mut Vec<Row>,
    files: &mut BTreeSet<String>,
) {
    let mut count = 0;
    for path in survey
        .files
        .iter()
        .filter(|path| survey.is_showable_own_non_test_file(path) && FileKind::from_path(path) == FileKind::Source)
    {
        let inside = match manifest.folder() {
            "" => Some(path.as_str()),
            folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(inside) = inside else { continue };
        let parts: Vec<&str> = inside.split('/').collect();
        let package = match parts.as_slice() {
            [folder, package, name] if *folder == source_folder && *name == file_name => package,
            [package, name] if *name == file_name => package,
            _ => continue,
        };
        let Ok(analysed) = survey.access.analyse_file_by_root_path(path) else { continue };
        let is_inside =
            |source: &str| source.starts_with('.') || source == *package || source.starts_with(&format!("{package}."));
        let imported = analysed.facts.imports.iter().filter(|import| is_inside(&import.source));
        let bound = imported.flat_map(|import| &import.names).map(|name| name.rsplit(" as ").next().unwrap_or(name));
        let own =
            analysed.facts.symbols.iter().filter(|symbol| !symbol.local && symbol.visibility != Visibility::Private);
        let own = own.map(|symbol| symbol.name.as_str());
        let mut names: Vec<String> = Vec::new();
        for name in bound.chain(own).filter(|name| !name.starts_with('_')) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if count == PACKAGES || names.is_empty() || !files.insert(path.clone()) {
            continue;
        }
        count += 1;
        let what = format_first_exported_names_with_total(&names);
        rows.push((
            format!("- {} — package {}: {what}\n", format_inline_code(path), format_inline_code(package)),
            Vec::new(),
        ));
    }
}

/// Formats the first exported names of a file as a list, with the total number of names.
fn format_first_exported_names_with_total(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMES).map(|name| format_inline_code(name)).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    format!("{} ({}{more})", format_count_with_unit(names.len(), "exported name", "exported names"), shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::is_module_path_major_version;

    #[test]
    fn versions_are_no_names() {
        assert!(
            is_module_path_major_version("v2")
                && !is_module_path_major_version("vite")
                && !is_module_path_major_version("v")
        );
    }
}
