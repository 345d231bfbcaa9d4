//! Every file that can use a symbol is searched, in whichever way its names are known.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;
use std::path::Path;

use peelback_code::{
    CodeAccess, Completeness, Confidence, DependencyQuery, Project, Reference, ReferenceQuery, Relation,
    SymbolNameQuery, SymbolQuery,
};

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

fn access(folder: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"))
}

fn sought(access: &CodeAccess, path: &str, name: &str) -> Vec<SymbolQuery> {
    let analysed = access.analyse_file(path).expect("an outline");
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    assert!(!found.is_empty(), "{path} defines no {name}");
    found.into_iter().map(|hit| SymbolQuery { path: path.to_owned(), symbol: hit.symbol }).collect()
}

fn entries(references: &[Reference]) -> Vec<String> {
    references.iter().map(|found| format!("{}:{} {}", found.path, found.line, found.confidence.as_str())).collect()
}

fn uses(access: &CodeAccess, path: &str, name: &str) -> Vec<String> {
    let query = ReferenceQuery { symbols: sought(access, path, name), ..ReferenceQuery::default() };
    entries(&access.find_references(&query).expect("an answer").references)
}

#[test]
fn a_default_import_is_found_whether_its_file_was_read_before_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("Foo.ts", "export default class Foo {}\n"),
            ("b.ts", "import Bar from './Foo';\nexport const made = new Bar();\n"),
        ],
    );
    let expected = ["b.ts:1 resolved", "b.ts:2 resolved"];
    assert_eq!(uses(&access(folder.path()), "Foo.ts", "Foo"), expected);
    let moment = access(folder.path()).with_new_shared_snapshot(None).expect("a moment");
    let (found, _) = moment
        .visit_files_defining_name(None, &SymbolNameQuery::new("Foo"), |analysed, hits| {
            hits.iter().map(|hit| SymbolQuery { path: analysed.file.path.clone(), symbol: hit.symbol.clone() }).next()
        })
        .expect("definitions");
    let symbols: Vec<SymbolQuery> = found.into_iter().flatten().collect();
    assert_eq!(symbols.len(), 1);
    let query = ReferenceQuery { symbols, ..ReferenceQuery::default() };
    // The second time all names are remembered.
    for _ in 0..2 {
        assert_eq!(entries(&moment.find_references(&query).expect("an answer").references), expected);
    }
}

#[test]
fn scripts_without_an_extension_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let tool = "#!/usr/bin/env python3\nfrom lib import helper\ndef run():\n    helper()\nrun()\n";
    write(folder.path(), &[("tool", tool), ("lib.py", "def helper(): pass\n")]);
    let access = access(folder.path());
    assert_eq!(uses(&access, "tool", "run"), ["tool:5 resolved"]);
    assert_eq!(uses(&access, "lib.py", "helper"), ["tool:2 resolved", "tool:4 resolved"]);
}

#[test]
fn what_cpp_uses_of_c_is_resolved() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("add.h", "int add_all(int a);\n"),
            ("add.c", "#include \"add.h\"\nint add_all(int a) { return a; }\n"),
            ("main.cpp", "#include \"add.h\"\nclass T {};\nint main() { return add_all(1); }\n"),
        ],
    );
    let found = uses(&access(folder.path()), "add.c", "add_all");
    assert!(found.contains(&"main.cpp:3 resolved".to_owned()), "{found:?}");
}

#[test]
fn a_call_of_a_name_alone_is_a_row_among_the_callers() {
    let folder = tempfile::tempdir().expect("a folder");
    let two = "class A:\n    def run_it(self): pass\n\nclass B:\n    def run_it(self): pass\n";
    write(folder.path(), &[("two.py", two), ("go.py", "def go(x):\n    x.run_it()\n")]);
    let access = access(folder.path());
    let query = ReferenceQuery {
        symbols: sought(&access, "two.py", "A.run_it"),
        relation: Relation::Callers,
        depth: 2,
        ..ReferenceQuery::default()
    };
    let answer = access.find_references(&query).expect("an answer");
    assert_eq!(answer.references.len(), 1, "{:?}", answer.references);
    assert_eq!(answer.references[0].confidence, Confidence::Name);
}

#[test]
fn callees_in_broken_lines_leave_a_lower_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &[("a.py", "def f():\n    g()\n    x = = h(\n    g()\n\ndef g(): pass\n")]);
    let access = access(folder.path());
    let query = ReferenceQuery {
        symbols: sought(&access, "a.py", "f"),
        relation: Relation::Callees,
        ..ReferenceQuery::default()
    };
    let answer = access.find_references(&query).expect("an answer");
    assert_eq!(answer.evidence.completeness, Completeness::LowerBound, "{:?}", answer.evidence);
}

#[test]
fn an_ignored_scope_is_no_proof() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            (".gitignore", "build\n"),
            (".git/HEAD", "ref: refs/heads/main\n"),
            ("lib.py", "def used(): pass\n"),
            ("build/gen.py", "from lib import used\nused()\n"),
        ],
    );
    let access = access(folder.path());
    let query = ReferenceQuery {
        symbols: sought(&access, "lib.py", "used"),
        scope: vec!["build".to_owned()],
        ..ReferenceQuery::default()
    };
    let answer = access.find_references(&query).expect("an answer");
    assert!(answer.references.is_empty());
    assert_eq!(answer.evidence.completeness, Completeness::LowerBound, "{:?}", answer.evidence);
}

#[test]
fn a_file_in_a_hidden_folder_depends_on_what_lies_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("site/.press/config.ts", "import { de } from './config/de';\nexport const all = [de];\n"),
            ("site/.press/config/de.ts", "export const de = 1;\n"),
        ],
    );
    let query = DependencyQuery { path: "site/.press/config.ts".to_owned(), ..DependencyQuery::default() };
    let answer = access(folder.path()).dependencies_and_dependents(&query).expect("an answer");
    let outgoing: Vec<&str> = answer.outgoing.iter().map(|end| end.path.as_str()).collect();
    assert_eq!(outgoing, ["site/.press/config/de.ts"]);
}

#[test]
fn calls_of_what_holds_a_function_are_calls_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("two.js", "function bee() {}\nmodule.exports = { a: 1, b: bee };\nexports.tag = function tag() {};\n"),
            ("use.js", "const { b } = require('./two');\nvar bee = require('./two').b;\nb();\nbee();\n"),
            ("tags.js", "exports.tag = function () {};\n"),
            ("tag.js", "var tag = require('./tags').tag;\nfunction go() {\n  tag();\n}\n"),
        ],
    );
    let access = access(folder.path());
    let callers = |path: &str, name: &str| -> Vec<String> {
        let query = ReferenceQuery {
            symbols: sought(&access, path, name),
            relation: Relation::Callers,
            ..ReferenceQuery::default()
        };
        let found = access.find_references(&query).expect("an answer").references;
        found.iter().map(|row| format!("{}:{} {}", row.path, row.line, row.confidence.as_str())).collect()
    };
    assert_eq!(callers("two.js", "bee"), ["use.js:3 resolved", "use.js:4 resolved"]);
    assert_eq!(callers("tags.js", "exports.tag"), ["tag.js:3 resolved"]);
}
