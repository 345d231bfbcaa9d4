//! References and imports of small projects, written down in one text each: `references/LANGUAGE/TOPIC.txt`.
//!
//! `=== PATH` begins a file of the project. `??? PATH NAME` asks for the uses of a symbol: the lines after it are all
//! that are expected, as `path:line role confidence`, with `(some builds)` where only some compile it. `--> PATH` asks
//! where the imports of a file lead. `+++ PATH NAME` asks for what derives from a symbol, as `path:line depth confidence
//! id`, with `evidence: …` where that is not complete. `<<< PATH NAME` asks for the calls of a symbol and of its callers, as
//! `path:line depth confidence in definition around it`, and `>>> PATH NAME` for the calls inside a symbol, as
//! `path:line confidence called id`.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use peelback_code::syntax::names::Role;
use peelback_code::{
    CodeAccess, Completeness, DependencyQuery, Direction, Project, ReferenceQuery, References, Relation,
    SymbolNameQuery, SymbolQuery,
};

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
        } else if ["??? ", "--> ", "+++ ", "<<< ", ">>> "].iter().any(|mark| line.starts_with(mark)) {
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

fn search(access: &CodeAccess, path: &str, name: &str, relation: Relation) -> References {
    let analysed = access.analyse_file(path).expect("a file of the fixture");
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    assert!(!found.is_empty(), "{path} defines no {name}");
    // A field may have the name of a type.
    let exact = |symbol: &str| relation == Relation::Uses || symbol == name;
    let found = found.into_iter().filter(|hit| exact(&hit.symbol.unique_address_in_file()));
    let symbols = found.map(|hit| SymbolQuery { path: path.to_owned(), symbol: hit.symbol }).collect();
    let depth = if relation == Relation::Callers { 2 } else { 1 };
    access
        .find_references(&ReferenceQuery { symbols, relation, depth, ..ReferenceQuery::default() })
        .expect("an answer")
}

/// The uses of a symbol, a line each.
fn references(access: &CodeAccess, path: &str, name: &str) -> String {
    let mut out = String::new();
    for reference in search(access, path, name, Relation::Uses).references {
        let role = reference.role.map_or("text", Role::as_str);
        let builds = if reference.is_conditional { " (some builds)" } else { "" };
        let _ = writeln!(out, "{}:{} {role} {}{builds}", reference.path, reference.line, reference.confidence.as_str());
    }
    out
}

/// What derives from a symbol, a line each.
fn implementations(access: &CodeAccess, path: &str, name: &str) -> String {
    let mut out = String::new();
    let found = search(access, path, name, Relation::Implementations);
    for row in found.references {
        let id = row.other.map_or("-".to_owned(), |other| {
            let outline = access.analyse_file(&other.path).expect("a file of the fixture");
            let known = access.find_matching_symbols(&outline, &SymbolNameQuery::new(&other.qualified_name));
            let is_it = |symbol: &str| symbol == other.qualified_name;
            assert!(
                known.iter().any(|hit| is_it(&hit.symbol.unique_address_in_file())),
                "{} is no id",
                other.qualified_name
            );
            other.qualified_name
        });
        let _ = writeln!(out, "{}:{} {} {} {id}", row.path, row.line, row.depth, row.confidence.as_str());
    }
    if found.evidence.completeness != Completeness::Complete {
        let _ = writeln!(out, "evidence: {}", found.evidence.completeness.as_str());
    }
    out
}

/// The calls of a symbol and of the functions that contain those, a line each.
fn callers(access: &CodeAccess, path: &str, name: &str) -> String {
    let found = search(access, path, name, Relation::Callers).references;
    found.into_iter().fold(String::new(), |text, call| {
        let around = if call.enclosing.is_empty() { "the file" } else { &call.enclosing };
        text + &format!("{}:{} {} {} in {around}\n", call.path, call.line, call.depth, call.confidence.as_str())
    })
}

/// The calls inside a symbol, a line each.
fn callees(access: &CodeAccess, path: &str, name: &str) -> String {
    let found = search(access, path, name, Relation::Callees).references;
    found.into_iter().fold(String::new(), |text, call| {
        let called = call.other.map_or("-".to_owned(), |other| other.qualified_name);
        text + &format!("{}:{} {} {called}\n", call.path, call.line, call.confidence.as_str())
    })
}

/// Where the imports of a file lead, a line each, in the order of the text.
fn destinations(access: &CodeAccess, path: &str) -> String {
    let query = DependencyQuery { path: path.to_owned(), direction: Direction::Outgoing, depth: 1 };
    let found = access.dependencies_and_dependents(&query).expect("a file of the fixture");
    let files = found.outgoing.iter().map(|file| (file.line, file.path.clone()));
    let external = found.external.iter().map(|package| (package.line, format!("external: {}", package.name)));
    let unresolved = found.unresolved.iter().map(|import| {
        let reason = import.reason.as_ref().unwrap_or(&import.source);
        (import.line, format!("unresolved: {reason}"))
    });
    let mut lines: Vec<(u32, String)> = files.chain(external).chain(unresolved).collect();
    lines.sort_by_key(|(line, _)| *line);
    lines.into_iter().fold(String::new(), |text, (_, line)| text + &line + "\n")
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
                Some(("+++", what)) => {
                    let (path, name) = what.split_once(' ').expect("a path and a name");
                    implementations(&access, path, name.trim())
                }
                Some(("<<<", what)) => {
                    let (path, name) = what.split_once(' ').expect("a path and a name");
                    callers(&access, path, name.trim())
                }
                Some((">>>", what)) => {
                    let (path, name) = what.split_once(' ').expect("a path and a name");
                    callees(&access, path, name.trim())
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

#[test]
fn more_types_than_are_followed_are_told() {
    let root = tempfile::tempdir().expect("a folder");
    let mut text = String::from("class Base: ...\n");
    for number in 0..401 {
        let _ = writeln!(text, "class Made{number}(Base): ...");
    }
    text.push_str("class Last(Made7): ...\n");
    fs::write(root.path().join("many.py"), text).expect("a file");
    let access = CodeAccess::new(Project::discover(Some(root.path()), None).expect("a folder"));
    let found = search(&access, "many.py", "Base", Relation::Implementations);
    assert_eq!(found.references.len(), 401);
    assert_eq!(found.evidence.completeness, Completeness::LowerBound);
    assert!(!found.evidence.notes.is_empty());
}

#[test]
fn other_members_of_a_variable_tell_which_type_is_plausible() {
    let root = tempfile::tempdir().expect("a folder");
    let text = "\
class Document:
    _data = {}
    def mark(self): ...
class Basket:
    def mark(self): ...
class Ledger:
    def mark(self): ...
def told(instance):
    instance._data.clear()
    instance.mark()
def untold(instance):
    instance.close()
    instance.mark()
def of_basket():
    found = Basket() or load()
    found.mark()
def of_document(found):
    document = found.document
    document.mark()
";
    fs::write(root.path().join("app.py"), text).expect("a file");
    let access = CodeAccess::new(Project::discover(Some(root.path()), None).expect("a folder"));
    let plausible_lines = |name: &str| -> Vec<u32> {
        let found = search(&access, "app.py", name, Relation::Uses);
        found.references.iter().filter(|found| found.is_plausible).map(|found| found.line).collect()
    };
    assert_eq!(plausible_lines("Document.mark"), [10, 19]);
    assert_eq!(plausible_lines("Basket.mark"), [16]);
    // That it is likely a basket leaves no room for another type.
    assert_eq!(plausible_lines("Ledger.mark"), [] as [u32; 0]);
}
