//! Every language's fixtures against the facts expected of them.
//!
//! A fixture is a file in `src/languages/LANGUAGE/fixtures/`; what is expected of it stands beside it as
//! `FILE.snap`. `cargo insta review`, or `INSTA_UPDATE=always cargo test -p peelback-syntax`, renews them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use peelback_syntax::skeleton::{Options, build_skeleton};
use peelback_syntax::{Facts, Limits, NotParsed, ParseCoverage, analyse_source, language, walk_symbols_with_depth};

fn folders() -> Vec<PathBuf> {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(languages)
        .expect("the languages folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn fixtures(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("fixtures")) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| !path.to_string_lossy().contains(".snap"))
        .collect();
    files.sort();
    files
}

fn render(source: &str, facts: &Facts) -> String {
    let mut out = String::new();
    match &facts.coverage {
        ParseCoverage::Whole => {}
        other => writeln!(out, "coverage: {other:?}").expect("a string"),
    }
    out.push_str("== symbols\n");
    for (symbol, depth) in walk_symbols_with_depth(&facts.symbols) {
        let indent = "  ".repeat(depth);
        let lines = symbol.lines;
        write!(out, "{indent}{} {} {}-{}", symbol.kind.as_str(), symbol.qualified_name, lines.first, lines.last)
            .expect("a string");
        if symbol.outer_line != lines.first {
            write!(out, " (from {})", symbol.outer_line).expect("a string");
        }
        if let Some(visibility) = symbol.visibility.as_str() {
            write!(out, " {visibility}").expect("a string");
        }
        if symbol.local {
            out.push_str(" local");
        }
        if !symbol.has_unique_name {
            out.push_str(" again");
        }
        writeln!(out, "\n{indent}    {}", symbol.signature).expect("a string");
        for decorator in &symbol.decorators {
            writeln!(out, "{indent}    decorator: {decorator}").expect("a string");
        }
        if let Some(docstring) = &symbol.docstring {
            writeln!(out, "{indent}    doc: {docstring}").expect("a string");
        }
        let body = source.get(symbol.bytes.clone()).expect("a symbol's bytes lie at character boundaries");
        assert!(!body.is_empty(), "{} is empty", symbol.qualified_name);
    }
    out.push_str("== imports\n");
    for import in &facts.imports {
        let names = import.names.join(", ");
        writeln!(out, "{} {} <{}> [{names}] {}", import.lines.first, import.kind.as_str(), import.source, import.text)
            .expect("a string");
    }
    out.push_str("== exports\n");
    for export in &facts.exports {
        writeln!(out, "{} {} {}", export.line, export.kind.as_str(), export.name).expect("a string");
    }
    out.push_str("== skeleton\n");
    out.push_str(
        &build_skeleton(source, &facts.folds, 0..source.len(), Options { comments: true }).text_with_line_numbers(),
    );
    out
}

#[test]
fn fixtures_give_the_facts_expected() {
    for folder in folders() {
        for fixture in fixtures(&folder) {
            let source = std::fs::read_to_string(&fixture).expect("a fixture is UTF-8");
            let name = fixture.file_name().expect("a file name").to_string_lossy().into_owned();
            let language = language::language_of_file_name_and_text(&name, &source)
                .unwrap_or_else(|| panic!("no language for {name}"));
            let facts = analyse_source(language, &source, &Limits::default());
            if !language.is_available_in_build() {
                let needs_grammar = facts.coverage == ParseCoverage::NotParsed(NotParsed::NoGrammar);
                // Script blocks may be in a language that this build has, and markup may hold none.
                assert!(needs_grammar || language.family.is_some(), "{name}: {:?}", facts.coverage);
                continue;
            }
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(folder.join("fixtures"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(name.as_str(), render(&source, &facts)));
        }
    }
}

#[test]
fn every_language_has_fixtures() {
    let mut seen = BTreeSet::new();
    for folder in folders() {
        let files = fixtures(&folder);
        assert!(!files.is_empty(), "{} has no fixtures", folder.display());
        for file in files {
            // A run that renews the snapshots writes them at the same time.
            let snapshot = PathBuf::from(format!("{}.snap", file.display()));
            let is_renewing = std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always");
            assert!(is_renewing || snapshot.is_file(), "{} has no expected facts beside it", file.display());
            let source = std::fs::read_to_string(&file).expect("a fixture is UTF-8");
            let name = file.file_name().expect("a file name").to_string_lossy().into_owned();
            seen.extend(language::language_of_file_name_and_text(&name, &source).map(|language| language.name));
        }
    }
    for language in language::all_languages() {
        assert!(seen.contains(language.name), "no fixture is in {}", language.name);
    }
}

/// Grammars are C, which the tests would otherwise run without optimisation, many times slower.
#[test]
fn grammars_are_optimised_in_tests() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest of the workspace");
    let (_, after) = manifest.split_once("[profile.dev.package]\n").expect("the table of packages");
    let packages = after.split("\n\n").next().expect("its rows");
    let grammars = manifest.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    for grammar in grammars.filter(|name| name.starts_with("tree-sitter-") && *name != "tree-sitter-language") {
        assert!(packages.contains(&format!("{grammar} = {{")), "[profile.dev.package] has no row for {grammar}");
    }
}
