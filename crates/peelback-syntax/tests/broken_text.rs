//! What holds for the facts and names of any text, however broken, on texts for which it did not.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use peelback_syntax::{
    Facts, Limits, Names, ParseCoverage, analyse_source, bind_names, language, walk_symbols_with_depth,
};

fn facts(name: &str, source: &str) -> Facts {
    analyse_source(language::language_by_exact_name(name).expect("a language"), source, &Limits::default())
}

fn names(name: &str, source: &str) -> Names {
    let language = language::language_by_exact_name(name).expect("a language");
    bind_names(language, source, &Limits::default()).expect("it is parsed")
}

#[track_caller]
fn assert_children_lie_in_their_symbols(facts: &Facts, which: &str) {
    for (symbol, _) in walk_symbols_with_depth(&facts.symbols) {
        for child in &symbol.children {
            assert!(
                symbol.bytes.start <= child.bytes.start && child.bytes.end <= symbol.bytes.end,
                "{which}: {} {:?} in {:?}",
                child.qualified_name,
                child.bytes,
                symbol.bytes
            );
        }
    }
}

#[test]
fn a_signature_is_one_line_where_a_key_is_several() {
    for source in ["{\"one\ntwo\": 1}", "{\"one\ntwo\": {\"three\": 1}}", "{\"one\r\ntwo\": [1, 2]}"] {
        let facts = facts("json", source);
        let signatures: Vec<&str> =
            walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| symbol.signature.as_str()).collect();
        assert!(
            !signatures.is_empty() && signatures.iter().all(|signature| !signature.contains(['\n', '\r'])),
            "{signatures:?}"
        );
    }
}

#[test]
fn a_table_holds_the_keys_of_its_broken_part() {
    let source = "date = 1979-05-27T07:32:00Z\npi = 3.14\n\n[dependencies]\nserde = { version = \"1\", features = [\"deram.\n[[bin]]\nname = \"one\"\n\n[[bin]]\nname = \"two\"\npath = \"src/two.rs\"\n\n[empty]\n\n[a.b]\nc.d.e = 1\ndeep = { x = { y = { z = { w = { v = { u = 1 } } rs\"\n\n[empty]\n\n[a.b]\nc.d.e = 1\ndeep = { x = { y = { z = { w = { v = { u = 1 } } } } } }\nlist = [\n    { a = 1 },\n";
    assert_children_lie_in_their_symbols(&facts("toml", source), "");
}

#[test]
fn names_behind_parameters_of_several_lines_have_their_lines() {
    let source = "    MODE_A,\n#ifdef WIDE\n    MODE_B,\n#else\n    MODE_C,\n#endif\n};\n\nstruct state {\n    int always;\n#ifdef WIDE\n    long sometimes;\n#else\n    int sometimes;\n#endif\n};\n\n#if defined(WIDE)\nstatic inline int helper(void) { return 1; }\n#e\u{1a}\u{0}\u{0}\u{0}defined(NARROW)\nstatic inline int helper(void) { return 2; }\n#else\n#error \"whic \\\n        (a) = (b);      \\\n\n#define FLAG\n#define SQUARE(x) ((x) * (x))\n#define SWAP(a\u{fffd}\u{7dd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}  \\\n    do {                \\\n        int t_ = (a);   \\\n        (a) = (b);      \\\n        (b) = t_;       \\\n    } while (0)\n\n/** A point.\n *  In the plane. */\nstruct point {\n    /* Aill heer. */\nexport function after(x: number): number {\n  return \u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}cross. */\n    int        (b) = t_;       \\\n    } while (0)\n\n/** A point.\n *  In the plane. */\nstruct point {\n    /\u{0}\u{0}\u{0}\u{0}* Across. */\n   \u{0}\u{0}\u{0}\u{0}\u{0}\u{0}h?\"\n#endif\n\n";
    for occurrence in &names("c", source).occurrences {
        let line = 1 + source[..occurrence.at as usize].matches('\n').count();
        assert_eq!(occurrence.line as usize, line, "{occurrence:?} {}", &source[occurrence.at as usize..]);
    }
}

#[test]
fn a_macro_in_a_broken_region_ends_inside_its_symbol() {
    let unfinished = "impl Half {\n    fn good(&self~n { int i; fLoat f; } efore() -> u8 {\n    1\n}\n\n/// A macro.\npub macro twice($x:expr) {pr) {\n    $E\n};\nfter:. u8,\n}\n\npub fn unfinished(x: u32 -> {\n    let y = ;\n}\n\n";
    let source = format!("{unfinished}{unfinished}{unfinished}");
    for cut in (0..=source.len()).filter(|cut| source.is_char_boundary(*cut)) {
        assert_children_lie_in_their_symbols(&facts("rust", &source[..cut]), &cut.to_string());
    }
}

#[test]
fn a_broken_definition_holds_what_its_attributes_hold() {
    for (language, name, source) in [
        ("scala", "outer", "@[e\u{fffd}g[{def inner\np]def outer"),
        ("c", "a", "__attribute(()\u{0})}struct p}struct a{};"),
    ] {
        let facts = facts(language, source);
        assert!(walk_symbols_with_depth(&facts.symbols).any(|(symbol, _)| symbol.name == name), "{facts:?}");
        assert_children_lie_in_their_symbols(&facts, language);
        assert_ne!(facts.coverage, ParseCoverage::Whole);
    }
}
