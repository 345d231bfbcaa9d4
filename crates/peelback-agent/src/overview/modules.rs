//! The section of an overview document on main modules: the most important files with their outlines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use peelback_code::FileKind;
use peelback_code::syntax::{Tier, language, walk_symbols_with_depth};

use super::section::{Section, Variant};
use super::survey::{Survey, do_imports_name_whole_folder};
use crate::citations::Reference;
use crate::excerpt::file_outline_excerpt;
use crate::markdown::{format_code_block, format_count_with_unit, format_inline_code};

/// The maximum number of files, and of characters in each outline, for each length of the section on main modules. With
/// 0 characters, the files have no outlines.
const LENGTHS: [(usize, usize); 7] = [(16, 900), (12, 700), (9, 600), (6, 500), (4, 400), (10, 0), (4, 0)];

pub(super) fn main_modules_section(survey: &Survey<'_>) -> Option<Section> {
    let chosen = select_main_files_with_reasons(survey);
    let most = chosen.len();
    let variants = LENGTHS.iter().map(|(files, chars)| {
        let mut variant = Variant::default();
        for (path, why) in chosen.iter().take(*files) {
            let _ = writeln!(variant.text, "- {} — {why}", format_inline_code(path));
            if *chars == 0 {
                continue;
            }
            if let Ok(excerpt) = file_outline_excerpt(survey.access, path, *chars) {
                let _ = write!(variant.text, "\n{}\n", format_code_block("text", &excerpt.text));
                // Citing every row of an outline would make the list of references too long.
                let lines = survey.file_tree_entry(path).and_then(|entry| entry.line_count).unwrap_or(1).max(1);
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

/// The share of common names, among all names that two files of a folder define, from which on the files count as
/// variants of each other, for example for two platforms.
const MIN_VARIANT_SIMILARITY: f64 = 0.7;

/// The minimum number of names that a file defines if it can count as a variant of another file.
const MIN_VARIANT_NAMES: usize = 4;

/// A file that the section on main modules may list.
struct Module<'a> {
    path: &'a str,
    /// The number of files that import the file or its package.
    importers: usize,
    weight: f64,
}

/// Selects the main files of the repository by the number of files that import them. Files of a folder that is imported
/// as a whole are ordered by size; so are files that no file is known to import. Each folder has a limited share, and
/// only one of several variants of a file is selected.
fn select_main_files_with_reasons(survey: &Survey<'_>) -> Vec<(String, String)> {
    let most = LENGTHS.first().map_or(0, |(files, _)| *files);
    let importers = survey.importer_counts_by_import_unit();
    let is_code = |path: &str| {
        let language =
            survey.file_tree_entry(path).and_then(|entry| entry.language).and_then(language::language_by_exact_name);
        language.is_some_and(|language| language.tier != Tier::Document)
    };
    let own = |path: &str| survey.is_showable_own_non_test_file(path) && is_code(path);
    let mut files: Vec<Module<'_>> = survey
        .tree
        .iter()
        .filter(|entry| !entry.is_folder && own(&entry.path) && entry.line_count.is_some_and(|lines| lines > 0))
        .filter(|entry| matches!(FileKind::from_path(&entry.path), FileKind::Source | FileKind::Auxiliary))
        .map(|entry| {
            let importers = importers.get(survey.import_unit_of_file(&entry.path).as_ref()).copied().unwrap_or(0);
            #[expect(clippy::cast_precision_loss, reason = "lines of a file")]
            let (lines, count) = (entry.line_count.unwrap_or(0) as f64, importers as f64);
            // A large file matters even if few files depend on it, because it combines many parts.
            let weight = if do_imports_name_whole_folder(&entry.path) {
                lines * (1.0 + count.ln_1p())
            } else {
                count * 100.0 + (lines / 10.0).floor()
            };
            Module { path: &entry.path, importers, weight }
        })
        .collect();
    files.sort_by(|a, b| {
        let is_source = |module: &Module<'_>| FileKind::from_path(module.path) == FileKind::Source;
        is_source(b).cmp(&is_source(a)).then_with(|| b.weight.total_cmp(&a.weight)).then_with(|| a.path.cmp(b.path))
    });
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let folders: BTreeSet<String> = files.iter().map(|module| folder(module.path)).collect();
    let part = (most / folders.len().max(1)).max(5);
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for module in files {
        let count = taken.entry(folder(module.path)).or_default();
        *count += 1;
        if *count <= part { first.push(module) } else { rest.push(module) }
    }
    first.extend(rest);
    let mut known: Vec<(String, BTreeSet<String>)> = Vec::new();
    let mut chosen = Vec::new();
    for module in first {
        if chosen.len() >= most {
            break;
        }
        let (folder, names) = (folder(module.path), names_defined_in_file(survey, module.path));
        if known.iter().any(|(other, theirs)| *other == folder && has_mostly_same_names(&names, theirs)) {
            continue;
        }
        known.push((folder, names));
        let in_folder = do_imports_name_whole_folder(module.path);
        let what = if in_folder { "its package is imported" } else { "imported" };
        let why = match module.importers {
            0 if in_folder => "no file is known to import its package".to_owned(),
            0 => "no file is known to import it".to_owned(),
            count => format!("{what} by {}", format_count_with_unit(count, "file", "files")),
        };
        chosen.push((module.path.to_owned(), why));
    }
    chosen
}

/// The names of the symbols that a file defines.
fn names_defined_in_file(survey: &Survey<'_>, path: &str) -> BTreeSet<String> {
    let Ok(analysed) = survey.access.analyse_file_by_root_path(path) else { return BTreeSet::new() };
    let symbols = walk_symbols_with_depth(&analysed.facts.symbols).filter(|(symbol, _)| !symbol.local);
    symbols.map(|(symbol, _)| symbol.name.clone()).collect()
}

fn has_mostly_same_names(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    if one.len().min(other.len()) < MIN_VARIANT_NAMES {
        return false;
    }
    #[expect(clippy::cast_precision_loss, reason = "names of a file")]
    let share = one.intersection(other).count() as f64 / one.union(other).count().max(1) as f64;
    share >= MIN_VARIANT_SIMILARITY
}
