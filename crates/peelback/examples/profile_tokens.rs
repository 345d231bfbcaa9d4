//! What profiles cost, in o200k tokens by the real tokenizer, on every file of some folders:
//!
//! ```sh
//! cargo run --release -p peelback --example profile_tokens -- FOLDER...
//! ```
//!
//! For files of about 100, 500 and 1000 lines it prints how many there are, the median share of the raw file that the
//! default profile costs, and the largest; the same with a token budget; and how many symbols other than members (and
//! locals of functions) are missing from the default profile or stand there without their lines.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use peelback_code::syntax::{Lines, SymbolKind, Tier, walk_symbols_with_depth};
use peelback_code::{CodeAccess, Project, WalkOptions};
use serde_json::json;

/// Lines: the band's name, from, to, the token budget tried, the share aimed at.
const BANDS: [(usize, u32, u32, usize, f64); 3] =
    [(100, 80, 120, 150, 0.38), (500, 400, 600, 200, 0.18), (1000, 800, 1_250, 250, 0.14)];

#[derive(Default)]
struct Band {
    shares: Vec<(f64, String)>,
    over_raw: usize,
    over_budget: usize,
    missing: usize,
    symbols: usize,
    by_language: BTreeMap<&'static str, Vec<f64>>,
}

fn lines_of(lines: Lines) -> usize {
    lines.count() as usize
}

fn main() {
    let count = peelback_tokens::count_tokens;
    let read = peelback_tools::tool_by_name_or_alias("read_file").expect("the tool");
    let mut bands: BTreeMap<usize, Band> = BTreeMap::new();
    for folder in std::env::args().skip(1).map(PathBuf::from) {
        let access = CodeAccess::new(Project::discover(Some(&folder), None).expect("a folder"));
        for place in access.project().files_in_scope(None, &WalkOptions::default()).expect("a walk").entries {
            let Ok(analysed) = access.analyse_file(&place.path) else { continue };
            let Some(language) = analysed.language.filter(|language| language.tier == Tier::Complete) else { continue };
            let lines = analysed.file.line_count();
            let Some(&(name, _, _, budget, _)) = BANDS.iter().find(|band| (band.1..=band.2).contains(&lines)) else {
                continue;
            };
            let band = bands.entry(name).or_default();
            let raw = count(&analysed.file.text);
            let profile = read.run_call(&access, json!({ "path": place.path })).formatted_output();
            let cost = count(&profile);
            let is_raw = profile.contains("whole text, a profile would cost more");
            band.over_raw += usize::from(cost > raw && !is_raw);
            let share = cost as f64 / raw.max(1) as f64;
            band.shares.push((share, place.path.clone()));
            band.by_language.entry(language.name).or_default().push(share);
            let small = read.run_call(&access, json!({ "path": place.path, "max_tokens": budget })).formatted_output();
            band.over_budget += usize::from(count(&small) > budget);
            if is_raw {
                continue;
            }
            for (symbol, _) in walk_symbols_with_depth(&analysed.facts.symbols) {
                if symbol.local || symbol.kind.is_field_property_or_enum_member() {
                    continue;
                }
                band.symbols += 1;
                let lines = symbol.lines;
                let range = if lines.first == lines.last {
                    lines.first.to_string()
                } else {
                    format!("{}-{}", lines.first, lines.last)
                };
                let name: String = symbol.name.chars().take(60).collect();
                let first = format!("{}-", lines.first);
                let labelled =
                    |line: &str| line.split([' ', ':']).any(|word| word == range || word.starts_with(&first));
                let named = |line: &str| line.contains(&name) || symbol.kind == SymbolKind::Impl;
                let together = profile.lines().any(|line| labelled(line) && named(line));
                // A declaration of several lines has its range at its first line and its name at a later one.
                let apart = || {
                    let mut lines = profile.lines().skip_while(|line| !labelled(line));
                    lines.by_ref().take(lines_of(symbol.lines)).any(named)
                };
                let found = together || apart();
                if !found {
                    band.missing += 1;
                    if band.missing < 4 {
                        eprintln!("missing: {}/{}: {range} {}", folder.display(), place.path, symbol.qualified_name);
                    }
                }
            }
        }
    }
    println!("| lines | files | median share | aim | largest | over raw | budget | over budget | symbols | missing |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, mut band) in bands {
        band.shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let median = band.shares[band.shares.len() / 2].0;
        let (largest, path) = band.shares.last().expect("a file");
        let (_, _, _, budget, aim) = BANDS.iter().find(|other| other.0 == name).expect("a band");
        println!(
            "| {name} | {} | {:.1}% | {:.0}% | {:.0}% {path} | {} | {budget} | {} | {} | {} |",
            band.shares.len(),
            median * 100.0,
            aim * 100.0,
            largest * 100.0,
            band.over_raw,
            band.over_budget,
            band.symbols,
            band.missing
        );
        for (language, mut shares) in band.by_language {
            shares.sort_by(f64::total_cmp);
            eprintln!("{name} {language}: {} files, median {:.1}%", shares.len(), shares[shares.len() / 2] * 100.0);
        }
    }
}
