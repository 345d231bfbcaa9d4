//! The section of an overview document on conventions: languages, formatters and linters, test locations, licence.

use std::collections::BTreeMap;

use peelback_code::looks_like_test_path;
use peelback_code::syntax::language;
use peelback_code::syntax::project_files::ToolSettings;

use super::section::{Section, variants_with_fewer_rows};
use super::survey::Survey;
use crate::citations::Reference;
use crate::markdown::{
    format_count_with_unit, format_inline_code, format_path_and_lines, one_line, truncate_with_ellipsis,
};

/// The settings files of editors, including hidden files.
const EDITOR_SETTINGS: ToolSettings = ToolSettings { program: "editors", file_names: &[".editorconfig"] };

type Row = (String, Vec<Reference>);

pub(super) fn conventions_section(survey: &Survey<'_>) -> Option<Section> {
    let mut rows: Vec<Row> = Vec::new();
    let languages: Vec<String> = survey
        .line_and_file_counts_by_language()
        .into_iter()
        .take(6)
        .map(|(name, lines, files)| {
            format!(
                "{name} ({} in {})",
                format_count_with_unit(lines, "line", "lines"),
                format_count_with_unit(files, "file", "files")
            )
        })
        .collect();
    if !languages.is_empty() {
        rows.push((format!("- Languages: {}.\n", languages.join(", ")), Vec::new()));
    }
    add_test_folders_row(survey, &mut rows);
    add_licence_rows(survey, &mut rows);
    add_tool_settings_rows(survey, &mut rows);
    Section::new("Conventions", 5, 6, variants_with_fewer_rows("", &rows, &[5, 3, 1], "conventions"))
}

/// Adds a row with the folders that contain tests.
fn add_test_folders_row(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    let mut total = 0;
    for path in survey.files.iter().filter(|path| looks_like_test_path(path)) {
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
        total += 1;
    }
    if total == 0 {
        return;
    }
    let mut folders: Vec<(&str, usize)> = folders.into_iter().collect();
    folders.sort_by_key(|(folder, count)| (std::cmp::Reverse(*count), *folder));
    let shown: Vec<String> =
        folders.iter().take(5).map(|(folder, count)| format!("{} ({count})", format_inline_code(folder))).collect();
    let more = if folders.len() > 5 { format!(" and {} more folders", folders.len() - 5) } else { String::new() };
    rows.push((
        format!(
            "- {}, in {}{more}.\n",
            format_count_with_unit(total, "file of tests", "files of tests"),
            shown.join(", ")
        ),
        Vec::new(),
    ));
}

fn add_licence_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    for manifest in survey.manifests.iter().filter(|manifest| manifest.folder().is_empty()) {
        let licence = manifest.first_existing_key(manifest.kind.licence_keys);
        if let Some((key, value)) = licence.and_then(|key| Some((key, key.value.as_deref()?))) {
            let at = format_inline_code(&format_path_and_lines(&manifest.path, key.lines.first, key.lines.last));
            let row = format!("- Licence: {} ({at}).\n", format_inline_code(&truncate_with_ellipsis(value, 60)));
            rows.push((row, vec![manifest.code_reference_to_key_lines(key)]));
        }
    }
    let is_licence = |path: &&String| {
        let lowercase = path.to_lowercase();
        !path.contains('/')
            && (lowercase.starts_with("license")
                || lowercase.starts_with("licence")
                || lowercase.starts_with("copying"))
    };
    for path in survey.files.iter().filter(is_licence).filter(|path| survey.may_show_file(path)).take(3) {
        let Ok(file) = survey.access.read_file_by_root_path(path) else { continue };
        let first = (1..).zip(file.text.lines()).find(|(_, line): &(u32, &str)| !line.trim().is_empty());
        let Some((line, text)) = first else { continue };
        let reference = Reference {
            path: path.clone(),
            line_start: line,
            line_end: line,
            description: "the first line of the licence".to_owned(),
        };
        let title = truncate_with_ellipsis(&one_line(text).replace('`', "'"), 100);
        rows.push((
            format!("- {}: “{title}”\n", format_inline_code(&format_path_and_lines(path, line, line))),
            vec![reference],
        ));
    }
}

fn add_tool_settings_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let found: Vec<String> = std::iter::once(&EDITOR_SETTINGS)
        .chain(language::tool_settings_files_of_all_languages())
        .filter_map(|tool| {
            Some(format!(
                "{} ({})",
                tool.program,
                format_inline_code(survey.first_existing_showable_file(tool.file_names)?)
            ))
        })
        .collect();
    if !found.is_empty() {
        rows.push((format!("- Set up for {}.\n", found.join(", ")), Vec::new()));
    }
    for manifest in survey.manifests.iter().filter(|manifest| manifest.folder().is_empty()) {
        for name in manifest.kind.settings_tables.iter().copied() {
            let Some(key) = manifest.keys.iter().find(|key| key.name == name) else { continue };
            let at = format_inline_code(&format_path_and_lines(&manifest.path, key.lines.first, key.lines.last));
            rows.push((
                format!("- {} is set up in {at}.\n", format_inline_code(name)),
                vec![manifest.code_reference_to_key_lines(key)],
            ));
        }
    }
}
