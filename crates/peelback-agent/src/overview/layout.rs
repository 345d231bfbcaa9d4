//! The section of an overview document on layout: the folders with their numbers of files and lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::section::{Section, Variant};
use super::survey::Survey;
use crate::markdown::{format_code_block, format_count_with_unit};

/// The maximum folder depth and number of rows, for each length of the layout section.
const LENGTHS: [(usize, usize); 5] = [(3, 90), (2, 60), (2, 30), (1, 24), (1, 10)];

/// The maximum number of files in the root folder that the layout section names.
const ROOT_FILES: usize = 30;

pub(super) fn layout_section(survey: &Survey<'_>) -> Option<Section> {
    if survey.files.is_empty() {
        return None;
    }
    let languages = main_language_by_folder(survey);
    let folders = survey.tree.iter().filter(|entry| entry.is_folder).count();
    let variants = LENGTHS.iter().enumerate().map(|(index, (depth, most))| {
        let mut rows = String::new();
        let mut shown = 0;
        // If there are too many folders, the upper folder levels are shown, and of the last level the folders with the
        // most lines.
        let mut wanted: Vec<_> = survey.tree.iter().filter(|entry| entry.is_folder && entry.depth <= *depth).collect();
        wanted.sort_by_key(|entry| (entry.depth, std::cmp::Reverse(entry.line_count), entry.path.clone()));
        wanted.truncate(*most);
        let kept: std::collections::BTreeSet<&str> = wanted.iter().map(|entry| entry.path.as_str()).collect();
        for entry in survey.tree.iter().filter(|entry| entry.is_folder && kept.contains(entry.path.as_str())) {
            let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
            let _ = write!(rows, "{}{name}/  ", "  ".repeat(entry.depth - 1));
            let _ = write!(rows, "{}, ", format_count_with_unit(entry.file_count, "file", "files"));
            let lines = usize::try_from(entry.line_count.unwrap_or(0)).unwrap_or(0);
            rows.push_str(&format_count_with_unit(lines, "line", "lines"));
            if let Some(language) = languages.get(entry.path.as_str()) {
                let _ = write!(rows, ", {language}");
            }
            rows.push('\n');
            shown += 1;
        }
        let root: Vec<&str> = survey.files.iter().map(String::as_str).filter(|path| !path.contains('/')).collect();
        let names = root.len().min(ROOT_FILES / (index + 1));
        if names > 0 {
            let more = if root.len() > names { format!(" and {} more", root.len() - names) } else { String::new() };
            let _ = writeln!(rows, "in the root: {}{more}", root.get(..names).unwrap_or(&[]).join(", "));
        }
        Variant {
            text: format_code_block("text", &rows),
            references: Vec::new(),
            left_out: (shown < folders).then(|| format!("{} of {folders} folders", folders - shown)),
        }
    });
    Section::new("Layout", 16, 2, variants.collect())
}

/// The language with the most lines in each folder; documents and data count as languages too.
fn main_language_by_folder<'s>(survey: &'s Survey<'_>) -> BTreeMap<&'s str, &'static str> {
    let mut counts: BTreeMap<&str, BTreeMap<&'static str, u64>> = BTreeMap::new();
    for entry in survey.tree.iter().filter(|entry| !entry.is_folder) {
        let (Some(name), Some(lines)) = (entry.language, entry.line_count) else { continue };
        let mut folder = entry.path.as_str();
        while let Some((above, _)) = folder.rsplit_once('/') {
            folder = above;
            *counts.entry(folder).or_default().entry(name).or_default() += lines;
        }
    }
    let most = |counts: BTreeMap<&'static str, u64>| {
        counts.into_iter().max_by_key(|(name, lines)| (*lines, std::cmp::Reverse(*name)))
    };
    counts.into_iter().filter_map(|(folder, counts)| Some((folder, most(counts)?.0))).collect()
}
