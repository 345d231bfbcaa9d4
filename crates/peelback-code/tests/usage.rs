//! Who uses a file, told without a cache and in a limited time.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use peelback_code::{CodeAccess, Completeness, Dependencies, Project};

/// Files that use the one that is asked about.
const USERS: usize = 700;

/// A project in which many files, which take long to parse, use `app/lib.py`: four of them beside it.
fn fill(root: &Path) {
    let mut body = String::new();
    for n in 0..400 {
        let _ = writeln!(body, "def f{n}(a, b):\n    return [a.b(c) for c in b if c.d({n})]");
    }
    let write = |path: String, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("app/__init__.py".to_owned(), "");
    write("app/lib.py".to_owned(), "def shared(): pass\n");
    for n in 0..USERS {
        let folder = if n % (USERS / 4) == 9 { "app".to_owned() } else { format!("other/p{}", n % 20) };
        write(format!("{folder}/m{n}.py"), &format!("from app.lib import shared\n{body}"));
    }
}

fn ask(root: &Path, patience: Duration) -> Dependencies {
    let access = CodeAccess::new(Project::discover(Some(root), None).expect("a folder"));
    let file = access.read_file("app/lib.py").expect("a file");
    access.find_direct_dependencies_and_dependents(&file, patience).expect("an answer")
}

#[test]
fn what_time_allows_is_a_lower_bound_and_begins_with_the_nearest() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(folder.path());
    let mut patience = Duration::from_millis(25);
    // Somewhere between the time of the walk and that of everything, which other work on the machine moves about.
    let mut found = None;
    for _ in 0..200 {
        let began = Instant::now();
        let answer = ask(folder.path(), patience);
        let is_whole = answer.evidence.completeness == Completeness::Complete;
        assert_eq!(is_whole, answer.incoming.len() == USERS, "{} {:?}", answer.incoming.len(), answer.evidence);
        if answer.incoming.len() < 20 {
            patience = patience * 6 / 5;
        } else if is_whole {
            patience = patience * 4 / 5;
        } else {
            found = Some((answer, began.elapsed()));
            break;
        }
    }
    let (answer, took) = found.expect("an answer in between");
    assert_eq!(answer.evidence.completeness, Completeness::LowerBound);
    let notes = &answer.evidence.notes;
    assert!(notes.iter().any(|note| note.contains("files were not looked at")), "{notes:?}");
    // It ends with the file that it was at.
    assert!(took < patience + Duration::from_secs(2), "{took:?} instead of {patience:?}");
    let near: BTreeSet<&str> =
        answer.incoming.iter().map(|end| end.path.as_str()).filter(|path| path.starts_with("app/")).collect();
    assert_eq!(near.len(), 4, "{near:?}");
    assert!(answer.incoming[..4].iter().all(|end| near.contains(end.path.as_str())));
    // With time, all.
    let whole = ask(folder.path(), Duration::from_secs(600));
    assert_eq!((whole.incoming.len(), whole.evidence.completeness), (USERS, Completeness::Complete));
    let known: BTreeSet<&str> = whole.incoming.iter().map(|end| end.path.as_str()).collect();
    assert!(answer.incoming.iter().all(|end| known.contains(end.path.as_str())));
}
