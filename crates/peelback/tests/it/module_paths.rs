//! Symbols by names whose first parts are modules, files, packages or crates.

use crate::support::Project;

/// Modules of four languages, of which each has a second definition of the same name elsewhere.
fn project() -> Project {
    Project::new(
        "\
//- Cargo.toml
[workspace]
members = [\"editor-core\"]
//- editor-core/Cargo.toml
[package]
name = \"editor-core\"
//- editor-core/src/lib.rs
pub mod auto_pairs;
pub mod selection;
//- editor-core/src/auto_pairs.rs
pub fn hook() {}
pub fn other() { hook() }
//- editor-core/src/selection.rs
pub struct Selection;
pub fn hook() {}
//- binding/binding.go
package binding

var JSON = 1
//- render/json.go
package render

type JSON struct{}
//- src/flask/app.py
from .base import Base

class Flask(Base):
    pass
//- src/flask/base.py
class Base:
    def route(self):
        return 1
//- examples/app2.py
class Flask:
    pass
//- web/cart.ts
export function total() { return 1; }
//- web/money.ts
export function total() { return 2; }
",
    )
}

#[test]
fn modules_before_a_symbol_are_parts_of_its_path() {
    let project = project();
    for (name, symbol, path) in [
        ("auto_pairs::hook", "hook", "editor-core/src/auto_pairs.rs"),
        ("crate::auto_pairs::hook", "hook", "editor-core/src/auto_pairs.rs"),
        ("editor_core::auto_pairs::hook", "hook", "editor-core/src/auto_pairs.rs"),
        ("editor_core::Selection", "Selection", "editor-core/src/selection.rs"),
        ("binding.JSON", "JSON", "binding/binding.go"),
        ("flask.app.Flask", "Flask", "src/flask/app.py"),
        ("cart.total", "total", "web/cart.ts"),
    ] {
        let note = format!("{name} is {symbol} in {path}\n");
        for tool in ["read-symbol", "find-references", "find-symbols"] {
            let answer = project.run(&format!("{tool} {name}")).shown();
            assert!(answer.contains(&note), "{tool} {name}: {answer}");
            assert!(answer.contains(path), "{tool} {name}: {answer}");
        }
        let found = project.run(&format!("find-symbols {name} --json")).json();
        assert_eq!(found["symbols"].as_array().map(Vec::len), Some(1), "{name}: {found}");
        assert_eq!(found["symbols"][0]["path"], path, "{name}: {found}");
    }
    let uses = project.run("find-references auto_pairs::hook --json").json();
    assert_eq!(uses["references"].as_array().map(Vec::len), Some(1), "{uses}");
}

#[test]
fn an_inherited_member_is_found_by_the_module_of_its_heir() {
    let answer = project().run("read-symbol app.Flask.route").answer();
    assert!(answer.contains("def route(self)") && answer.contains("src/flask/base.py"), "{answer}");
}

#[test]
fn whole_qualified_names_come_first() {
    let project = project();
    project.write("auto_pairs/mod.py", "class auto_pairs:\n    def hook(self):\n        return 1\n");
    let answer = project.run("read-symbol auto_pairs.hook").answer();
    assert!(answer.contains("auto_pairs/mod.py") && !answer.contains("auto_pairs.rs"), "{answer}");
}

#[test]
fn modules_that_are_no_part_of_the_path_find_nothing() {
    let project = project();
    for name in ["nowhere::hook", "app.flask.Flask", "selection::other"] {
        let run = project.run(&format!("read-symbol {name}"));
        assert_eq!(run.code, Some(1), "{name}: {run:?}");
    }
}
