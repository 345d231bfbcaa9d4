//! The files that matter most, with their outlines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use peelback_code::syntax::{Tier, language};
use peelback_code::{FileKind, is_test};

use super::section::{Section, Variant};
use super::survey::Survey;
use crate::citations::Reference;
use crate::markdown::{code_block, counted, inline_code};
use crate::sheet::outline_sheet;

/// Files and the characters of each outline, in the lengths of the section; 0: only the row.
const LENGTHS: [(usize, usize); 7] = [(16, 900), (12, 700), (9, 600), (6, 500), (4, 400), (10, 0), (4, 0)];

pub(super) fn section(survey: &Survey<'_>) -> Option<Section> {
    let chosen = chosen(survey);
    let most = chosen.len();
    let variants = LENGTHS.iter().map(|(files, chars)| {
        let mut variant = Variant::default();
        for (path, why) in chosen.iter().take(*files) {
            let _ = writeln!(variant.text, "- {} — {why}", inline_code(path));
            if *chars == 0 {
                continue;
            }
            if let Ok(sheet) = outline_sheet(survey.access, path, *chars) {
                let _ = write!(variant.text, "\n{}\n", code_block("text", &sheet.text));
                // Every row of an outline would make a long list of references.
                let lines = survey.entry(path).and_then(|entry| entry.lines).unwrap_or(1).max(1);
                variant.references.push(Reference {
                    path: path.clone(),
                    line_start: 1,
                    line_end: u32::try_from(lines).unwrap_or(u32::MAX),
                    description: why.clone(),
                });
            }
        }
        variant.left_out = match (*files < most, *chars) {
            (_, 0) => Some("the outlines of the main modules".to_owned()),
            (true, _) => Some(format!("{} of the {most} main modules", most - files)),
            (false, _) => None,
        };
        variant
    });
    Section::new("Main Modules", 34, 3, variants.collect())
}

/// Files by how many others depend on them; where none is known, by their size. No folder has more than its part.
fn chosen(survey: &Survey<'_>) -> Vec<(String, String)> {
    let most = LENGTHS.first().map_or(0, |(files, _)| *files);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let edges = survey.dependencies.iter().flat_map(|found| &found.edges);
    // What tests lean on says little about the code.
    for (_, to) in edges.filter(|(from, _)| !is_test(from)) {
        *counts.entry(to.as_str()).or_default() += 1;
    }
    let is_code = |path: &str| {
        let language = survey.entry(path).and_then(|entry| entry.language).and_then(language::by_name);
        language.is_some_and(|language| language.tier != Tier::Document)
    };
    let own = |path: &str| survey.is_own(path) && is_code(path);
    let mut files: Vec<(&str, usize, u64)> = survey
        .tree
        .iter()
        .filter(|entry| !entry.is_folder && own(&entry.path))
        .filter(|entry| matches!(FileKind::of(&entry.path), FileKind::Source | FileKind::Auxiliary))
        .map(|entry| {
            let count = counts.get(entry.path.as_str()).copied().unwrap_or(0);
            (entry.path.as_str(), count, entry.lines.unwrap_or(0))
        })
        .filter(|(_, _, lines)| *lines > 0)
        .collect();
    files.sort_by_key(|(path, count, lines)| {
        let is_source = FileKind::of(path) == FileKind::Source;
        // A large file that little depends on matters, too: it is where things come together.
        let weight = count * 100 + usize::try_from(*lines).unwrap_or(0) / 10;
        (!is_source, std::cmp::Reverse(weight), *path)
    });
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let folders: BTreeSet<String> = files.iter().map(|(path, _, _)| folder(path)).collect();
    let part = (most / folders.len().max(1)).max(3);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for file in files {
        let count = taken.entry(folder(file.0)).or_default();
        *count += 1;
        if *count <= part { first.push(file) } else { rest.push(file) }
    }
    first.extend(rest);
    let why = |count: usize| match count {
        0 => "no file is known to import it".to_owned(),
        _ => format!("imported by {}", counted(count, "file", "files")),
    };
    first.into_iter().take(most).map(|(path, count, _)| (path.to_owned(), why(count))).collect()
}
