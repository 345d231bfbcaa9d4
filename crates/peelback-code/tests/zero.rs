//! "Nobody uses it" is said only where all that could use it was understood.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use peelback_code::{CodeAccess, Completeness, Evidence, Project, ReferenceQuery, Sought, SymbolName};

/// The number of uses of `unused` in `lib.py`, and how far that can be trusted.
fn uses(folder: &Path) -> (usize, Evidence) {
    fs::write(folder.join("lib.py"), "def unused(): pass\n").expect("a file");
    let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"));
    let analysed = access.outline("lib.py").expect("an outline");
    let found = access.read_symbol(&analysed, &SymbolName::new("unused"));
    let symbols = found.into_iter().map(|hit| Sought { path: "lib.py".to_owned(), symbol: hit.symbol }).collect();
    let answer = access.references(&ReferenceQuery { symbols, ..ReferenceQuery::default() }).expect("an answer");
    (answer.references.len(), answer.evidence)
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
    fs::write(folder.path().join("broken.py"), "from lib import\ndef (: unused ) = = {[\n").expect("a file");
    let (_, evidence) = uses(folder.path());
    assert_eq!(evidence.completeness, Completeness::LowerBound, "{evidence:?}");
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
