//! Facts of tools are on the tools: no other file compares with a tool's name, and what callers need is data.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use peelback_code::{CodeAccess, Project};
use peelback_tools::{Location, ResultKind, ShownDetail, all_tools, tool_by_name_or_alias};
use serde_json::{Value, json};

/// The crates that know tools.
const CRATES: [&str; 3] = ["peelback-tools", "peelback-agent", "peelback"];

/// Literals that equal a tool's name and mean something else: (end of the file's path, literal).
const OTHER_MEANINGS: [(&str, &str); 1] = [
    // A part of the addresses of a forge.
    ("source/address.rs", "tree"),
];

/// Every Rust source file below a folder, but files of tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The code of a file without comments and without its tests, which name tools as input.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]").next().unwrap_or("");
    let lines: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    lines.join("\n")
}

/// Uses of tools' names as literals: (file, name).
fn names_in(path: &Path, code: &str, parameters: &BTreeSet<&str>) -> Vec<String> {
    let shown = path.display().to_string().replace('\\', "/");
    let mut found = Vec::new();
    for name in all_tools().iter().map(|tool| tool.name) {
        let literal = format!("\"{name}\"");
        let own = format!("const NAME: &'static str = {literal};");
        let folder = path.parent().map(|folder| folder.join("mod.rs")).filter(|file| file.is_file());
        let is_own = code.contains(&own)
            || folder.is_some_and(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&own)));
        let is_other = OTHER_MEANINGS.iter().any(|(end, other)| shown.ends_with(end) && *other == name);
        if is_own || is_other {
            continue;
        }
        // A name that is a parameter's name too counts only where a tool is meant.
        let uses = if parameters.contains(name) {
            [format!("by_name({literal})"), format!("Call::new({literal})"), format!("name == {literal}")].to_vec()
        } else {
            vec![literal]
        };
        if uses.iter().any(|text| code.contains(text.as_str())) {
            found.push(format!("{shown}: {name}"));
        }
    }
    found
}

#[test]
fn no_file_names_a_tool_but_its_own() {
    let parameters: BTreeSet<&str> =
        all_tools().iter().flat_map(|tool| tool.parameters()).map(|parameter| parameter.name.as_str()).collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut files = Vec::new();
    CRATES.iter().for_each(|name| sources(&crates.join(name).join("src"), &mut files));
    assert!(files.len() > 100, "{} files", files.len());
    let named: Vec<String> = files.iter().flat_map(|path| names_in(path, &code(path), &parameters)).collect();
    assert!(named.is_empty(), "use the tool's own constant or a call of FollowUpCallBuilder:\n{}", named.join("\n"));
}

#[test]
fn a_literal_of_a_tool_is_found() {
    let parameters = BTreeSet::from(["scope"]);
    let found = |code: &str| names_in(Path::new("elsewhere.rs"), code, &parameters).len();
    assert_eq!(found(r#"by_name("grep"); name == "scope""#), 2);
    assert_eq!(found(r#"[("path", "scope"), ("x", "grep_files")]"#), 0);
}

#[test]
fn the_kind_of_its_results_gives_every_tool_its_priority() {
    let mut rows = String::new();
    for tool in all_tools() {
        let kind = tool.result_kind;
        assert_ne!(kind, ResultKind::Other, "{}", tool.name);
        let outline = if kind.can_be_replaced_by_outline() { ", an outline can replace it" } else { "" };
        let _ = writeln!(rows, "{}: {kind:?}, {:?}{outline}", tool.name, kind.retention_priority());
    }
    insta::assert_snapshot!(rows);
}

fn places(tool: &str, arguments: Value) -> Vec<Location> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let source = "class Cart:\n    def total(self):\n        return 1\n\n\ndef main():\n    return Cart().total()\n";
    fs::write(folder.path().join("cart.py"), source).expect("a file");
    let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
    tool_by_name_or_alias(tool).expect("a tool").run_call(&access, arguments).shown_locations()
}

#[test]
fn answers_carry_the_places_that_they_show() {
    let shown = |tool: &str, arguments: Value| {
        let [place] = places(tool, arguments).try_into().expect("one place");
        (place.shown_detail, place.lines, place.title, place.is_whole_text)
    };
    let cart = json!({ "path": "cart.py" });
    assert_eq!(shown("outline", cart.clone()), (ShownDetail::Outlined, None, String::new(), false));
    assert_eq!(shown("outline", json!({})), (ShownDetail::Listed, None, String::new(), false));
    assert_eq!(shown("find_files", json!({ "query": "total" })), (ShownDetail::Found, None, String::new(), false));
    assert_eq!(shown("read_file", cart.clone()), (ShownDetail::Read, None, String::new(), false));
    assert_eq!(
        shown("read_file", json!({ "path": "cart.py", "raw": true })),
        (ShownDetail::Read, None, String::new(), true)
    );
    assert_eq!(shown("read_lines", cart.clone()), (ShownDetail::Read, Some((1, 7)), String::new(), true));
    assert_eq!(
        shown("read_lines", json!({ "path": "cart.py", "ranges": ["1-7"] })),
        (ShownDetail::Read, Some((1, 7)), String::new(), true)
    );
    assert_eq!(
        shown("read_lines", json!({ "path": "cart.py", "ranges": ["2-3"] })),
        (ShownDetail::Read, Some((2, 3)), String::new(), false)
    );
    assert_eq!(
        shown("read_symbol", json!({ "name": "Cart.total" })),
        (ShownDetail::Read, Some((2, 3)), "method Cart.total".to_owned(), false)
    );
    assert_eq!(
        shown("find_references", json!({ "name": "cart.py:Cart.total" })),
        (ShownDetail::Used, None, String::new(), false)
    );
    assert!(places("find_references", json!({ "name": "total" })).is_empty());
    assert!(places("grep", json!({ "pattern": "total" })).is_empty());
}

#[test]
fn an_inherited_member_shows_the_file_that_declares_it() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    fs::write(folder.path().join("base.py"), "class Cart:\n    def total(self): ...\n").expect("a file");
    fs::write(folder.path().join("heir.py"), "from base import Cart\nclass Basket(Cart): ...\n").expect("a file");
    let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
    let tool = tool_by_name_or_alias("find_references").expect("a tool");
    let reply = tool.run_call(&access, json!({ "name": "heir.py:Basket.total" }));
    let paths: Vec<String> = reply.shown_locations().into_iter().map(|place| place.path).collect();
    assert_eq!(paths, ["base.py"]);
}
