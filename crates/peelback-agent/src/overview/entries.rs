//! The section of an overview document on entry points of programs and libraries.

use std::collections::BTreeSet;

use peelback_code::syntax::{SymbolKind, language};
use peelback_code::{FileKind, SymbolNameQuery};

use super::library;
use super::manifests::Manifest;
use super::section::{Section, variants_with_fewer_rows};
use super::survey::{Survey, do_imports_name_whole_folder};
use crate::citations::Reference;
use crate::markdown::{
    format_count_with_unit, format_inline_code, format_path_and_lines, one_line, truncate_with_ellipsis,
};

/// The maximum number of listed files on which no other file depends.
const ROOTS: usize = 8;

pub(super) type Row = (String, Vec<Reference>);

pub(super) fn entry_points_section(survey: &Survey<'_>) -> Option<Section> {
    let mut rows: Vec<Row> = Vec::new();
    let mut files: BTreeSet<String> = BTreeSet::new();
    for manifest in &survey.manifests {
        add_declared_entry_point_rows(manifest, &mut rows);
        library::add_library_file_rows(survey, manifest, &mut rows, &mut files);
    }
    add_main_function_rows(survey, &mut rows, &mut files);
    add_known_run_file_rows(survey, &mut rows, &mut files);
    add_container_and_procfile_command_rows(survey, &mut rows);
    if let Some(dependencies) = &survey.dependencies {
        let roots = dependencies.entry_points.iter().filter(|entry| {
            survey.is_showable_own_non_test_file(&entry.path)
                && FileKind::from_path(&entry.path) == FileKind::Source
                && !files.contains(&entry.path)
        });
        for entry in roots.take(ROOTS) {
            let imported: BTreeSet<_> = dependencies
                .edges
                .iter()
                .filter(|(from, _)| *from == entry.path)
                .map(|(_, to)| survey.import_unit_of_file(to))
                .collect();
            let (one, many) =
                if do_imports_name_whole_folder(&entry.path) { ("package", "packages") } else { ("file", "files") };
            let count = format_count_with_unit(imported.len(), one, many);
            rows.push((
                format!("- {} — imports {count}, and no file here imports it\n", format_inline_code(&entry.path)),
                Vec::new(),
            ));
        }
    }
    Section::new("Entry Points", 10, 1, variants_with_fewer_rows("", &rows, &[16, 8, 4, 2], "entry points"))
}

fn list_row_with_citation(path: &str, first: u32, last: u32, what: &str) -> Row {
    let reference = Reference {
        path: path.to_owned(),
        line_start: first,
        line_end: last,
        description: one_line(what).replace('`', "'"),
    };
    (format!("- {} — {what}\n", format_inline_code(&format_path_and_lines(path, first, last))), vec![reference])
}

/// Adds rows for the programs, exports and installed scripts that a package manifest declares.
fn add_declared_entry_point_rows(manifest: &Manifest, rows: &mut Vec<Row>) {
    for entry in manifest.kind.entry_keys {
        let name = entry.name;
        let Some(key) = manifest.first_existing_key(&[name]) else { continue };
        let what = match &key.value {
            Some(value) => format!("{name}: {}", format_inline_code(&truncate_with_ellipsis(value, 120))),
            None => {
                let inside: Vec<String> = manifest
                    .keys_below_table(name)
                    .filter(|(inner, _)| !inner.contains('.') || entry.has_dotted_names)
                    .take(8)
                    .map(|(inner, key)| {
                        let value = key.value.as_deref().map_or(String::new(), |value| format!(" → {value}"));
                        format_inline_code(&truncate_with_ellipsis(&format!("{inner}{value}"), 100))
                    })
                    .collect();
                if inside.is_empty() { name.to_owned() } else { format!("{name}: {}", inside.join(", ")) }
            }
        };
        rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, &what));
    }
    for table in manifest.kind.command_tables {
        for (name, key) in manifest.keys_below_table(table) {
            let value = key.value.as_deref().map_or(String::new(), |value| format!(" → {}", format_inline_code(value)));
            let what = format!("command {}{value}", format_inline_code(name));
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, &what));
        }
    }
    if let Some(program_key) = manifest.kind.program_key {
        for key in manifest.keys.iter().filter(|key| key.name == program_key) {
            let what = format!("program {}", format_inline_code(key.value.as_deref().unwrap_or("?")));
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, &what));
        }
    }
}

/// Adds rows for functions named `main`.
fn add_main_function_rows(survey: &Survey<'_>, rows: &mut Vec<Row>, files: &mut BTreeSet<String>) {
    let found = survey.access.visit_files_defining_name(None, &SymbolNameQuery::new("main"), |analysed, hits| {
        let mains = hits.iter().map(|hit| &hit.symbol);
        // Only in a few languages is a method the entry point of a program.
        let has_methods = can_main_method_be_entry_point(&analysed.file.path);
        let is_main = |kind| kind == SymbolKind::Function || (kind == SymbolKind::Method && has_methods);
        let main = mains.into_iter().find(|symbol| is_main(symbol.kind))?;
        (!main.local).then(|| (analysed.file.path.clone(), main.lines, main.qualified_name.clone()))
    });
    let Ok((found, _)) = found else { return };
    for (path, lines, name) in found.into_iter().flatten() {
        let is_program = matches!(FileKind::from_path(&path), FileKind::Source | FileKind::Auxiliary);
        if is_program && survey.is_showable_own_non_test_file(&path) && !has_build_script_file_name(&path) {
            rows.push(list_row_with_citation(&path, lines.first, lines.last, &format_inline_code(&name)));
            files.insert(path);
        }
    }
}

/// Whether a method called `main` in a file can be a program's entry point, in the language of the file. Only ordinary
/// source files count, since scripts, which have other extensions, run from their first line.
fn can_main_method_be_entry_point(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    language::all_languages()
        .iter()
        .any(|language| language.main_is_method && language.extensions.first().copied() == extension)
}

/// Whether a file runs while a package is built, so that its `main` starts no program of the project.
fn has_build_script_file_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    language::well_known_project_files_of_languages().any(|files| files.build_scripts.contains(&name))
}

/// Adds rows for files that are executed directly, recognised by their names.
fn add_known_run_file_rows(survey: &Survey<'_>, rows: &mut Vec<Row>, files: &mut BTreeSet<String>) {
    for path in survey.files.iter().filter(|path| survey.is_showable_own_non_test_file(path)) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = language::well_known_project_files_of_languages()
            .flat_map(|files| files.run_files)
            .find(|(file, _)| *file == name);
        let Some((_, what)) = known else { continue };
        if files.insert(path.clone()) {
            rows.push((format!("- {} — {what}\n", format_inline_code(path)), Vec::new()));
        }
    }
}

/// Adds rows for the commands that container files run.
fn add_container_and_procfile_command_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    for path in survey.files.iter().filter(|path| survey.is_showable_own_non_test_file(path)) {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name != "Procfile" && name != "Dockerfile" && !name.starts_with("Dockerfile.") {
            continue;
        }
        let Ok(file) = survey.access.read_file_by_root_path(path) else { continue };
        for (line, text) in (1..).zip(file.text.lines()) {
            let is_start = text.starts_with("ENTRYPOINT") || text.starts_with("CMD");
            if is_start || (name == "Procfile" && text.contains(':')) {
                rows.push(list_row_with_citation(
                    path,
                    line,
                    line,
                    &format_inline_code(&truncate_with_ellipsis(text.trim(), 140)),
                ));
            }
        }
    }
}
