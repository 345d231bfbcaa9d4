//! The outline, folds and skeleton of a text in each language. The first byte of an input is the language.

use peelback_syntax::skeleton::{Options, build_skeleton};
use peelback_syntax::{Language, Limits, Lines, ParseCoverage, Symbol, analyse_source, language};

use crate::fixtures;
use crate::input::{Input, is_sampled, joined};

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (index, language) in (0..).zip(language::all_languages()) {
        for (_, text) in fixtures::language_files(language.name) {
            // Whole, and in pieces that fit the length of inputs.
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            for piece in lines.chunks(25) {
                seeds.push(joined(&[&[index], piece.concat().as_bytes()]));
            }
            seeds.push(joined(&[&[index], text.as_bytes()]));
        }
    }
    seeds
}

/// The language and the text of an input.
pub fn language_and_text(data: &[u8]) -> Option<(&'static Language, String)> {
    let mut input = Input(data);
    let index = usize::from(input.byte());
    let language = language::all_languages().get(index % language::all_languages().len())?;
    Some((language, input.rest_as_text()))
}

pub fn run(data: &[u8]) {
    let Some((language, text)) = language_and_text(data) else { return };
    let facts = analyse_source(language, &text, &Limits::default());
    if let ParseCoverage::NotParsed(reason) = facts.coverage {
        assert!(facts.symbols.is_empty(), "{}: {reason:?} with symbols", language.name);
        return;
    }
    let count = u32::try_from(text.split('\n').count()).expect("a small text");
    let is_in_text = |lines: Lines| 1 <= lines.first && lines.first <= lines.last && lines.last <= count;
    for symbol in &facts.symbols {
        check_symbol(symbol, None, &text, language, &is_in_text);
    }
    for import in &facts.imports {
        assert!(is_in_text(import.lines), "{}: {import:?} of {count} lines", language.name);
    }
    for export in &facts.exports {
        assert!((1..=count).contains(&export.line), "{}: {export:?} of {count} lines", language.name);
    }
    if let ParseCoverage::Partial { regions, lines } = &facts.coverage {
        assert!(
            *regions >= lines.len() && lines.iter().all(|lines| is_in_text(*lines)),
            "{}: {lines:?}",
            language.name
        );
    }
    let mut reached = 0;
    for fold in &facts.folds {
        assert!(reached <= fold.bytes.start && fold.bytes.start <= fold.bytes.end, "{}: {fold:?}", language.name);
        assert!(text.get(fold.bytes.clone()).is_some(), "{}: {fold:?}", language.name);
        reached = fold.bytes.end;
    }
    for comments in [true, false] {
        let skeleton = build_skeleton(&text, &facts.folds, 0..text.len(), Options { comments });
        let mut last = 0;
        for line in &skeleton.lines {
            assert!(is_in_text(line.lines), "{}: {line:?} of {count}", language.name);
            assert!(line.lines.first >= last, "{}: {line:?} after {last}", language.name);
            last = line.lines.first;
        }
    }
    if is_sampled(data, 16) {
        assert_eq!(facts, analyse_source(language, &text, &Limits::default()), "{}", language.name);
    }
}

fn check_symbol(
    symbol: &Symbol,
    parent: Option<&Symbol>,
    text: &str,
    language: &Language,
    is_in_text: &dyn Fn(Lines) -> bool,
) {
    let name = language.name;
    assert!(is_in_text(symbol.lines), "{name}: {symbol:?}");
    assert!(1 <= symbol.outer_line && symbol.outer_line <= symbol.lines.first, "{name}: {symbol:?}");
    assert!(text.get(symbol.bytes.clone()).is_some(), "{name}: {symbol:?}");
    assert!(
        symbol.outer_start <= symbol.bytes.start && text.is_char_boundary(symbol.outer_start),
        "{name}: {symbol:?}"
    );
    assert!(!symbol.signature.contains('\n'), "{name}: {symbol:?}");
    if let Some(parent) = parent.filter(|_| symbol.container.is_none()) {
        assert!(
            parent.bytes.start <= symbol.bytes.start && symbol.bytes.end <= parent.bytes.end,
            "{name}: {:?} {:?} in {:?} {:?}",
            symbol.qualified_name,
            symbol.bytes,
            parent.qualified_name,
            parent.bytes
        );
    }
    for child in &symbol.children {
        check_symbol(child, Some(symbol), text, language, is_in_text);
    }
}
