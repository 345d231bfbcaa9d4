//! References and imports of small projects, written down in one text each: `references/LANGUAGE/TOPIC.txt`.
//!
//! `=== PATH` begins a file of the project. `??? PATH NAME` asks for the uses of a symbol: the lines after it are all
//! that are expected, as `path:line role confidence`. `--> PATH` asks where the imports of a file lead.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use peelback_code::syntax::names::Role;
use peelback_code::{CodeAccess, Project, ReferenceQuery, Sought, SymbolName};

/// One question of a fixture.
struct Question {
    text: String,
    expected: String,
}

/// What the lines of a fixture belong to.
enum At {
    Nowhere,
    File(String, String),
    Question(Question),
}

/// Writes the files of a fixture below `root` and gives its questions.
fn unfold(fixture: &str, root: &Path) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut at = At::Nowhere;
    let mut close = |at: At| match at {
        At::File(path, text) => {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        At::Question(question) => questions.push(question),
        At::Nowhere => {}
    };
    for line in fixture.lines() {
        if let Some(path) = line.strip_prefix("=== ") {
            close(std::mem::replace(&mut at, At::File(path.trim().to_owned(), String::new())));
        } else if line.starts_with("??? ") || line.starts_with("--> ") {
            let question = Question { text: line.to_owned(), expected: String::new() };
            close(std::mem::replace(&mut at, At::Question(question)));
        } else {
            match &mut at {
                At::File(_, text) => {
                    text.push_str(line);
                    text.push('\n');
                }
                At::Question(question) if !line.trim().is_empty() => {
                    question.expected.push_str(line.trim_end());
                    question.expected.push('\n');
                }
                _ => {}
            }
        }
    }
    close(at);
    questions
}

/// The uses of a symbol, a line each.
fn references(access: &CodeAccess, path: &str, name: &str) -> String {
    let analysed = access.outline(path).expect("a file of the fixture");
    let found = access.read_symbol(&analysed, &SymbolName::new(name));
    assert!(!found.is_empty(), "{path} defines no {name}");
    let symbols = found.into_iter().map(|hit| Sought { path: path.to_owned(), symbol: hit.symbol }).collect();
    let query = ReferenceQuery { symbols, ..ReferenceQuery::default() };
    let mut out = String::new();
    for reference in access.references(&query).expect("an answer").references {
        let role = reference.role.map_or("text", Role::as_str);
        let _ = writeln!(out, "{}:{} {role} {}", reference.path, reference.line, reference.confidence.as_str());
    }
    out
}

/// Where the imports of a file lead, a line each.
fn destinations(access: &CodeAccess, path: &str) -> String {
    let mut out = String::new();
    for destination in access.destinations(path).expect("a file of the fixture") {
        let _ = writeln!(out, "{destination}");
    }
    out
}

#[test]
fn names_are_resolved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/references");
    // One language or topic while working on it.
    let only = std::env::var("ONLY").unwrap_or_default();
    let entries = |folder: &Path| -> Vec<std::path::PathBuf> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut failures = String::new();
    let mut asked = 0;
    for fixture in entries(&folder).iter().flat_map(|language| entries(language)) {
        if !fixture.display().to_string().contains(&only) {
            continue;
        }
        let text = fs::read_to_string(&fixture).expect("a text");
        let root = tempfile::tempdir().expect("a folder");
        let questions = unfold(&text, root.path());
        assert!(!questions.is_empty(), "{} asks nothing", fixture.display());
        let access = CodeAccess::new(Project::discover(Some(root.path()), None).expect("a folder"));
        for Question { text, expected } in questions {
            asked += 1;
            let given = match text.split_once(' ') {
                Some(("???", what)) => {
                    let (path, name) = what.split_once(' ').expect("a path and a name");
                    references(&access, path, name.trim())
                }
                Some((_, path)) => destinations(&access, path.trim()),
                None => continue,
            };
            if given != expected {
                let fixture = fixture.display();
                let _ = writeln!(failures, "{fixture}\n{text}\nexpected:\n{expected}given:\n{given}");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(asked > 0, "no fixture");
}
