//! Source that nests beyond all reason: names and trees stay bounded, and nothing overflows.

use peelback_syntax::{Limits, analyse, language, walk_symbols};

const DEPTH: usize = 20_000;

fn check(name: &str, source: &str) {
    let language = language::by_name(name).expect("a language of the list");
    let facts = analyse(language, source, &Limits::default());
    let deepest = walk_symbols(&facts.symbols).map(|(_, depth)| depth).max().unwrap_or(0);
    let longest = walk_symbols(&facts.symbols).map(|(symbol, _)| symbol.qualified_name.len()).max().unwrap_or(0);
    let found = walk_symbols(&facts.symbols).count();
    assert!(found >= DEPTH, "{name}: {found} symbols of {DEPTH}");
    assert!(deepest <= 200, "{name}: {deepest} levels");
    assert!(longest <= 4_000, "{name}: a name of {longest} bytes");
}

#[test]
fn definitions_inside_each_other() {
    check("rust", &("mod a {".repeat(DEPTH) + &"}".repeat(DEPTH)));
    check("rust", &("fn a() {".repeat(DEPTH) + &"}".repeat(DEPTH)));
    check("go", &format!("package a\ntype A struct {{{}{}}}\n", "b struct {".repeat(DEPTH), "}".repeat(DEPTH)));
    check("go", &format!("package a\nfunc a() {{{}{}}}\n", "b := func() {\n".repeat(DEPTH), "}\n".repeat(DEPTH)));
}
