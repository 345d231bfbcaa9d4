//! Files that cannot be read, or only in part, make answers about the project a lower bound.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;

use peelback_code::syntax::walk_symbols_with_depth;
use peelback_code::{
    CodeAccess, Completeness, DependencyQuery, Direction, Evidence, Project, ReferenceQuery, Relation, SymbolNameQuery,
    SymbolQuery, WalkOptions,
};

fn access(files: &[(&str, &[u8])]) -> (tempfile::TempDir, CodeAccess) {
    let root = tempfile::tempdir().expect("a folder");
    for (path, bytes) in files {
        fs::write(root.path().join(path), bytes).expect("a file");
    }
    let access = CodeAccess::new(Project::discover(Some(root.path()), None).expect("a folder"));
    (root, access)
}

fn references(access: &CodeAccess, path: &str, name: &str, relation: Relation) -> Evidence {
    let analysed = access.analyse_file(path).expect("an outline");
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    let symbols = found.into_iter().map(|hit| SymbolQuery { path: path.to_owned(), symbol: hit.symbol }).collect();
    let query = ReferenceQuery { symbols, relation, ..ReferenceQuery::default() };
    access.find_references(&query).expect("an answer").evidence
}

/// The evidence of a search for the symbols called `name` through all files.
fn symbols(access: &CodeAccess, name: &str) -> Evidence {
    let files = access.project().files_in_scope_with_signatures(None, &WalkOptions::default()).expect("files");
    let query = SymbolNameQuery::new(name);
    let has_match = |facts: &peelback_code::syntax::Facts| {
        walk_symbols_with_depth(&facts.symbols).any(|(symbol, _)| query.can_match_symbol(symbol))
    };
    access.search_outlines(&files, &[query.file_search_needle()], false, has_match, |_| Some(())).evidence
}

#[track_caller]
fn assert_gap(evidence: &Evidence, path: &str, reason: &str) {
    assert_eq!(evidence.completeness, Completeness::LowerBound, "{evidence:?}");
    let gaps: Vec<(&str, &str)> = evidence.skipped.iter().map(|gap| (gap.path.as_str(), gap.reason.as_str())).collect();
    assert!(gaps.len() == 1 && gaps[0].0 == path && gaps[0].1.contains(reason), "{gaps:?}");
}

#[test]
fn a_binary_file_with_the_name_of_code_is_a_gap() {
    let text = "class B { void g() { A.foo(); } }\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_nul = [text.as_bytes(), b"\0\n"].concat();
    for bytes in [utf16, with_nul] {
        let files: [(&str, &[u8]); 4] = [
            ("A.java", b"class A { static void foo() {} }\n"),
            ("B.java", &bytes),
            ("picture.png", b"foo\0"),
            ("page.html", b"foo\0"),
        ];
        let (_root, access) = access(&files);
        // What the first call finds is known to the second.
        for _ in 0..2 {
            for relation in [Relation::Uses, Relation::Callers, Relation::Implementations] {
                assert_gap(&references(&access, "A.java", "foo", relation), "B.java", "not read: binary");
            }
            assert_gap(&symbols(&access, "foo"), "B.java", "not read: binary");
            let (_, evidence) =
                access.visit_files_defining_name(None, &SymbolNameQuery::new("foo"), |_, _| ()).expect("an answer");
            assert_gap(&evidence, "B.java", "not read: binary");
            let query = DependencyQuery { path: "A.java".to_owned(), direction: Direction::Incoming, depth: 1 };
            assert_gap(
                &access.dependencies_and_dependents(&query).expect("an answer").evidence,
                "B.java",
                "not read: binary",
            );
        }
    }
}

#[test]
fn an_error_in_a_document_may_hide_what_the_document_holds() {
    let page = "<html><body>\n<h1 id=\"title\">Title</h1>\n<section id=\"middle\">\n<p>x</p>\n</section>\n<div id=\"last\">\n<p>y\n";
    let (_root, access) = access(&[
        ("page.html", page.as_bytes()),
        ("style.css", b"@media ( { .wide { a: b\n"),
        ("data.yaml", b"a:\n  b: 1\n c: [ 2\nfoo: {\n"),
    ]);
    assert_gap(&symbols(&access, "last"), "page.html", "not understood");
    assert_gap(&symbols(&access, "wide"), "style.css", "not understood");
    assert_gap(&symbols(&access, "foo"), "data.yaml", "not understood");
    assert_eq!(symbols(&access, "elsewhere").completeness, Completeness::Complete);
}

#[test]
fn a_broken_notebook_is_a_gap() {
    let cells = r#"{"cells": [{"cell_type": "code", "source": ["use()"]}], "nbformat": 4}"#;
    let merged = format!("<<<<<<< ours\n{cells}\n=======\n{cells}\n>>>>>>> theirs\n");
    let (_root, access) = access(&[("lib.py", b"def use(): pass\n"), ("a.ipynb", merged.as_bytes())]);
    for _ in 0..2 {
        assert_gap(&references(&access, "lib.py", "use", Relation::Uses), "a.ipynb", "not read as a notebook");
        assert_gap(&symbols(&access, "use"), "a.ipynb", "not read as a notebook");
        let own = access.analyse_file("a.ipynb").expect("an outline").evidence;
        assert_eq!(own.completeness, Completeness::Unknown, "{own:?}");
    }
}
