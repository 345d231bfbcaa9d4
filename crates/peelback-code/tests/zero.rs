//! "Nobody uses it" is said only where all that could use it was understood.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use peelback_code::{
    CodeAccess, Completeness, Confidence, Evidence, Project, ReferenceQuery, SymbolNameQuery, SymbolQuery,
};

/// The number of uses of `unused` in `lib.py`, and how far that can be trusted.
fn uses(folder: &Path) -> (usize, Evidence) {
    fs::write(folder.join("lib.py"), "def unused(): pass\n").expect("a file");
    let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"));
    let analysed = access.analyse_file("lib.py").expect("an outline");
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new("unused"));
    let symbols = found.into_iter().map(|hit| SymbolQuery { path: "lib.py".to_owned(), symbol: hit.symbol }).collect();
    let answer = access.find_references(&ReferenceQuery { symbols, ..ReferenceQuery::default() }).expect("an answer");
    // A name alone is no use.
    let uses = answer.references.iter().filter(|found| found.confidence != Confidence::Name);
    (uses.count(), answer.evidence)
}

#[test]
fn a_project_that_is_understood_has_no_uses() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.py"), "# unused\nprint('unused')\n").expect("a file");
    // Broken, but without the name.
    fs::write(folder.path().join("broken.py"), "def (:\n  x = = 1\n").expect("a file");
    let (count, evidence) = uses(folder.path());
    assert_eq!((count, evidence.completeness), (0, Completeness::Complete), "{evidence:?}");
}

#[test]
fn a_broken_file_that_holds_the_name_leaves_a_lower_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("broken.py"), "x = 1\ndef (: unused ) = = {[\n").expect("a file");
    let (count, evidence) = uses(folder.path());
    assert_eq!((count, evidence.completeness), (0, Completeness::LowerBound), "{evidence:?}");
    assert!(evidence.skipped.iter().any(|skipped| skipped.path == "broken.py"), "{evidence:?}");
}

#[test]
fn a_file_too_large_to_parse_that_holds_the_name_leaves_a_lower_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "from lib import unused\n".to_owned();
    while text.len() < 4_100_000 {
        let _ = writeln!(text, "x{} = 1", text.len());
    }
    fs::write(folder.path().join("large.py"), &text).expect("a file");
    let (count, evidence) = uses(folder.path());
    assert_eq!((count, evidence.completeness), (0, Completeness::LowerBound), "{evidence:?}");
    assert_eq!(evidence.skipped[0].path, "large.py");
    assert!(evidence.skipped[0].reason.contains("4 MB"), "{evidence:?}");
    // The same file without the name says nothing.
    fs::write(folder.path().join("large.py"), text.replace("unused", "other")).expect("a file");
    let (count, evidence) = uses(folder.path());
    assert_eq!((count, evidence.completeness), (0, Completeness::Complete), "{evidence:?}");
}

/// The users of `lib.py` that its profile counts, and how far that can be trusted; asked once without a graph and once
/// with it.
fn users(folder: &Path) -> (Vec<String>, Evidence) {
    fs::write(folder.join("lib.py"), "def unused(): pass\n").expect("a file");
    let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"));
    let ask = || {
        let file = access.read_file("lib.py").expect("a file");
        let answer = access.find_direct_dependencies_and_dependents(&file, Duration::from_secs(60)).expect("an answer");
        (answer.incoming.into_iter().map(|end| end.path).collect::<Vec<_>>(), answer.evidence)
    };
    let alone = ask();
    access.preload_dependency_graph();
    assert_eq!(ask(), alone);
    alone
}

#[test]
fn a_file_that_nobody_uses_is_said_to_have_no_users_only_where_all_was_understood() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("main.py"), "# lib\nprint('import lib')\n").expect("a file");
    fs::write(path.join("broken.py"), "def (:\n  x = = 1\n").expect("a file");
    let (users_of, evidence) = users(path);
    assert_eq!((users_of.len(), evidence.completeness), (0, Completeness::Complete), "{evidence:?}");
    // The same file broken where it names the module.
    fs::write(path.join("broken.py"), "def (:\n  import lib = = 1\n").expect("a file");
    let (_, evidence) = users(path);
    assert_eq!(evidence.completeness, Completeness::LowerBound, "{evidence:?}");
    assert!(evidence.skipped.iter().any(|skipped| skipped.path == "broken.py"), "{evidence:?}");
    fs::remove_file(path.join("broken.py")).expect("a file");
    let mut text = "import lib\n".to_owned();
    while text.len() < 4_100_000 {
        let _ = writeln!(text, "x{} = 1", text.len());
    }
    fs::write(path.join("large.py"), &text).expect("a file");
    let (users_of, evidence) = users(path);
    assert_eq!((users_of.len(), evidence.completeness), (0, Completeness::LowerBound), "{evidence:?}");
    assert_eq!(evidence.skipped[0].path, "large.py");
    // The same file without the name says nothing.
    fs::write(path.join("large.py"), text.replace("import lib", "import other")).expect("a file");
    let (users_of, evidence) = users(path);
    assert_eq!((users_of.len(), evidence.completeness), (0, Completeness::Complete), "{evidence:?}");
    // A language whose links are not followed has no count at all.
    fs::write(path.join("a.lua"), "print(1)\n").expect("a file");
    let access = CodeAccess::new(Project::discover(Some(path), None).expect("a folder"));
    let file = access.read_file("a.lua").expect("a file");
    let answer = access.find_direct_dependencies_and_dependents(&file, Duration::from_secs(60)).expect("an answer");
    assert_eq!((answer.are_imports_resolved, answer.evidence.completeness), (false, Completeness::Unknown));
}

#[test]
fn time_that_is_up_leaves_a_lower_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("main.py"), "import other\n").expect("a file");
    fs::write(path.join("lib.py"), "def unused(): pass\n").expect("a file");
    // Time that is up is a folder that was not read.
    let project = Project::discover(Some(path), None).expect("a folder");
    let access = CodeAccess::new(
        project.with_cancellation(peelback_code::CancellationToken::with_deadline(std::time::Instant::now())),
    );
    let file = access.read_file("lib.py").expect("a file");
    let answer = access.find_direct_dependencies_and_dependents(&file, Duration::from_secs(60)).expect("an answer");
    assert!(answer.incoming.is_empty());
    assert_ne!(answer.evidence.completeness, Completeness::Complete, "{:?}", answer.evidence);
}
