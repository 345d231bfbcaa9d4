//! Members that types share: those that they inherit, override, or have under several names.

use crate::support::Project;

/// Heirs that do not declare the members that they have, in each language with bases.
const HEIRS: &str = r#"
//- python/scaffold.py
class Scaffold:
    def route(self, rule): ...
class Setup(Scaffold):
    pass
//- python/app.py
from .scaffold import Setup
class Flask(Setup):
    def run(self): ...
def main():
    Flask().route("/")
//- web/model.ts
export class Model {
  save(): void {}
}
export class User extends Model {}
new User().save();
//- engine/engine.go
package engine

type Base struct{}

func (b *Base) Start() {}

type Car struct {
	Base
}

func drive(car Car) { car.Start() }
//- core/Cargo.toml
[package]
name = "core"
version = "0.1.0"
edition = "2021"
//- core/src/lib.rs
pub trait Draw {
    fn draw(&self) {}
}
pub struct Shape;
impl Draw for Shape {}
pub fn show(shape: Shape) {
    shape.draw();
}
"#;

#[test]
fn an_inherited_member_is_found_by_its_heir() {
    let project = Project::new(HEIRS);
    for (heir, member, uses) in [
        ("Flask.route", "python/scaffold.py:Scaffold.route", 1),
        ("python/app.py:Flask.route", "python/scaffold.py:Scaffold.route", 1),
        ("Flask::route", "python/scaffold.py:Scaffold.route", 1),
        ("User.save", "web/model.ts:Model.save", 1),
        ("Car.Start", "engine/engine.go:Base.Start", 1),
        ("Shape::draw", "core/src/lib.rs:Draw.draw", 1),
    ] {
        let asked = heir.rsplit_once(".py:").map_or(heir, |(_, name)| name);
        let note = format!("{asked} is declared as {member}");
        for command in ["find-references", "read-symbol "] {
            let answer = project.run(&format!("{command} {heir} --json")).json();
            let rows = if command == "find-references" { &answer["definitions"] } else { &answer["symbols"] };
            assert_eq!(rows[0]["id"], member, "{command} {heir}: {answer:#}");
            assert_eq!(rows.as_array().map(Vec::len), Some(1), "{command} {heir}");
            assert_eq!(answer["evidence"]["notes"][0], note, "{command} {heir}");
        }
        let answer = project.run(&format!("find-references {heir} --json")).json();
        assert_eq!(answer["references"].as_array().map(Vec::len), Some(uses), "{heir}: {answer:#}");
        let text = project.run(&format!("find-references {heir}")).answer();
        assert!(text.contains(&note), "{text}");
    }
}

#[test]
fn what_no_base_has_is_not_found() {
    let project = Project::new(HEIRS);
    for name in ["Flask.rout", "Flask.nothing", "Scaffold.run", "Model.start", "main.route", "Flask.route@3"] {
        assert_not_found(&project, name);
    }
}

/// Checks that a whole search finds no symbol of this name.
#[track_caller]
fn assert_not_found(project: &Project, name: &str) {
    let run = project.run(&format!("find-references {name} --json"));
    assert_eq!(run.code, Some(1), "{run:?}");
    let answer = run.json_of_any_status();
    let error = answer["error"].as_str().expect("an error");
    assert!(error.starts_with(&format!("no symbol {name} in ")), "{error}");
}

#[test]
fn what_belongs_to_a_type_alone_is_not_inherited() {
    let project = Project::new(
        "\
//- own.py
class Scaffold:
    def route(self): ...
    def __secret(self): ...
    def __enter__(self): ...
class Flask(Scaffold):
    def __init__(self, route):
        self.route = route
//- own.ts
export class Model {
  #hidden() {}
  private kept() {}
  shown() {}
}
export class User extends Model {}
",
    );
    for name in ["Flask.route", "own.py:Flask.route", "Flask.__secret", "User.#hidden", "User.kept"] {
        let run = project.run(&format!("find-references {name} --json"));
        assert_eq!(run.code, Some(1), "{name}: {run:?}");
        assert!(run.json_of_any_status()["error"].is_string(), "{name}");
    }
    for (name, id) in [("Flask.__enter__", "own.py:Scaffold.__enter__"), ("User.shown", "own.ts:Model.shown")] {
        let answer = project.run(&format!("find-references {name} --json")).json_of_any_status();
        assert_eq!(answer["definitions"][0]["id"], id, "{answer:#}");
    }
}

#[test]
fn every_trait_that_has_the_member_is_told() {
    let project = Project::new(
        r#"
//- Cargo.toml
[package]
name = "shapes"
version = "0.1.0"
edition = "2021"
//- src/lib.rs
pub trait Draw {
    fn draw(&self) {}
}
pub trait Print {
    fn draw(&self) {}
}
pub struct Shape;
impl Draw for Shape {}
impl Print for Shape {}
"#,
    );
    let answer = project.run("find-references Shape.draw --json").json_of_any_status();
    let note = "Shape.draw is declared as src/lib.rs:Draw.draw, src/lib.rs:Print.draw";
    assert_eq!(answer["evidence"]["notes"][0], note, "{answer:#}");
    assert_eq!(answer["definitions_total"], 2, "{answer:#}");
}

#[test]
fn a_member_of_an_heir_may_hide_in_a_file_that_is_not_understood() {
    let scaffold = "class Scaffold:\n    def route(self): ...\n    def use(self):\n        self.route()\n";
    let too_large = Project::new("");
    too_large.write("scaffold.py", scaffold);
    too_large.write("heir.py", "from scaffold import Scaffold\nclass Flask(Scaffold): ...\n");
    let answer = too_large.run("find-references Flask.route --json").json();
    assert_eq!(answer["definitions"][0]["id"], "scaffold.py:Scaffold.route", "{answer:#}");
    assert_eq!(completeness(&answer), "complete", "{answer:#}");
    let padding = "# padding\n".repeat(450_000);
    too_large.write("large.py", format!("class Flask:\n    def route(self): ...\n{padding}"));
    let answer = too_large.run("find-references Flask.route --json").json();
    assert_eq!(completeness(&answer), "lower_bound", "{answer:#}");
    assert_eq!(answer["evidence"]["skipped"][0]["path"], "large.py", "{answer:#}");
    let answer = too_large.run("read-symbol Flask.route --json").json();
    assert_eq!(completeness(&answer), "lower_bound", "{answer:#}");

    let broken = Project::new("");
    broken.write("scaffold.py", scaffold);
    let heir = "from scaffold import Scaffold\nclass Flask(Scaffold):\n    def run(self): ...\n((( route $$$ = )\n";
    broken.write("heir.py", heir);
    for command in ["find-references", "read-symbol"] {
        for name in ["Flask.route", "heir.py:Flask.route"] {
            let answer = broken.run(&format!("{command} {name} --json")).json();
            assert!(answer.to_string().contains("\"scaffold.py:Scaffold.route\""), "{command} {name}: {answer:#}");
            assert_eq!(completeness(&answer), "lower_bound", "{command} {name}: {answer:#}");
        }
    }
}

/// The completeness of an answer.
fn completeness(answer: &serde_json::Value) -> &str {
    answer["evidence"]["completeness"].as_str().expect("evidence")
}

#[test]
fn bases_that_lead_too_far_are_told() {
    let project = Project::empty();
    let mut text = "class Type0:\n    def route(self): ...\n".to_owned();
    for number in 1..200 {
        text.push_str(&format!("class Type{number}(Type{}): ...\n", number - 1));
    }
    project.write("types.py", text);
    for name in ["Type199.route", "types.py:Type199.route"] {
        let run = project.run(&format!("find-references {name} --json"));
        assert_eq!(run.code, Some(1), "{run:?}");
        let answer = run.json_of_any_status();
        let error = answer["error"].as_str().expect("an error");
        assert!(error.ends_with("but the bases of its type are too deep to follow"), "{error}");
        assert!(answer["must_follow"].is_string(), "{answer:#}");
    }
    let answer = project.run("find-references Type5.route --json").json_of_any_status();
    assert_eq!(answer["definitions"][0]["id"], "types.py:Type0.route", "{answer:#}");
}

#[test]
fn heirs_of_one_name_are_asked_up_to_a_limit() {
    let project = Project::empty();
    for number in 0..110 {
        let text = format!("class Base{number}:\n    def run(self): ...\nclass Heir(Base{number}): ...\n");
        project.write(&format!("part{}/heir{number:03}.py", number % 2), text);
    }
    let answer = project.run("find-references Heir.run --json").json_of_any_status();
    assert_eq!(answer["definitions_total"], 100, "{answer:#}");
    assert_eq!(completeness(&answer), "lower_bound", "{answer:#}");
    let notes = answer["evidence"]["notes"].as_array().expect("notes");
    let has = |text: &str| notes.iter().any(|note| note.as_str().is_some_and(|note| note.contains(text)));
    assert!(has("inherited members were looked up only for the first 100 of 110"), "{notes:?}");
    assert!(has("Heir.run is declared as part0/heir000.py:Base0.run, "), "{notes:?}");
    assert!(has(" and 97 more"), "{notes:?}");
    let answer = project.run("find-references Heir.run --path part1 --json").json_of_any_status();
    assert_eq!(answer["definitions_total"], 55, "{answer:#}");
    assert_eq!(completeness(&answer), "complete", "{answer:#}");
}

#[test]
fn callers_of_one_name_are_counted_apart() {
    let project = Project::new(
        "\
//- shapes.py
def helper(): ...
class Circle:
    def draw(self):
        helper()
        helper()
def make():
    helper()
def make():
    helper()
helper()
helper()
",
    );
    let answer = project.run("find-references helper --relation callers --json").json();
    assert_eq!((&answer["callers"], &answer["total"]), (&4.into(), &6.into()), "{answer:#}");
}

#[test]
fn a_renaming_re_export_is_one_use_and_a_caller_of_several_calls_one_caller() {
    let project = Project::new(
        r#"
//- a.ts
export function one() {}
export const two = 1;
//- index.ts
export { one } from "./a";
export { two as three } from "./a";
import { one as uno } from "./a";
export { uno as dos };
//- use.ts
import { one, three } from "./index";
function first() { one(); one(); }
const second = () => { one(); };
one();
"#,
    );
    let answer = project.run("find-references a.ts:two --json").json();
    let lines: Vec<_> = answer["references"].as_array().expect("rows").iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [2, 1], "{answer:#}");
    let answer = project.run("find-references a.ts:one --scope index.ts --json").json();
    let lines: Vec<_> = answer["references"].as_array().expect("rows").iter().map(|row| &row["line"]).collect();
    assert_eq!(lines, [1, 3, 4], "{answer:#}");
    let answer = project.run("find-references a.ts:one --relation callers --json").json();
    assert_eq!((&answer["callers"], &answer["total"]), (&3.into(), &4.into()), "{answer:#}");
    let text = project.run("find-references a.ts:one --relation callers").answer();
    assert!(text.starts_with("3 callers (4 calls) of a.ts:one (function) in 1 file: 4 resolved, 0 likely"), "{text}");
}

#[test]
fn an_overridden_member_names_its_family() {
    let project = Project::new(
        r#"
//- providers.py
class Provider:
    def dumps(self, value): ...
    def dump(self, value):
        return self.dumps(value)
class Default(Provider):
    def dumps(self, value): ...
class Last(Default):
    def dumps(self, value): ...
class Alone:
    def dumps(self, value): ...
"#,
    );
    for (name, note) in [
        ("Provider.dumps", "dumps is overridden by 2 members (providers.py:Default.dumps, providers.py:Last.dumps)"),
        (
            "Default.dumps",
            "dumps overrides 1 member (providers.py:Provider.dumps), is overridden by 1 member (providers.py:Last.dumps)",
        ),
        ("Last.dumps", "dumps overrides 2 members (providers.py:Provider.dumps, providers.py:Default.dumps)"),
    ] {
        let answer = project.run(&format!("find-references {name} --json")).json();
        assert_eq!(answer["evidence"]["notes"][0], note, "{answer:#}");
        assert_eq!(answer["total"], 1, "{name}: {answer:#}");
    }
    let answer = project.run("find-references Alone.dumps --json").json_of_any_status();
    assert_eq!((&answer["total"], &answer["error"]), (&0.into(), &serde_json::Value::Null), "{answer:#}");
    assert!(answer["evidence"]["notes"].is_null(), "{answer:#}");
}

#[test]
fn a_trait_and_its_impls_name_their_family() {
    let project = Project::new(
        "\
//- Cargo.toml
[package]
name = \"demo\"
version = \"0.1.0\"
edition = \"2021\"
//- src/lib.rs
pub trait Sink {
    fn end(&mut self);
}
pub struct Tree;
impl Tree {
    fn start(&mut self) {}
}
impl Sink for Tree {
    fn end(&mut self) {}
}
pub struct Tokens<S: Sink> {
    sink: S,
}
impl<S: Sink> Tokens<S> {
    fn run(&mut self) {
        self.sink.end();
    }
}
",
    );
    let answer = project.run("find-references Tree.end --json").json();
    assert_eq!(answer["evidence"]["notes"][0], "end overrides 1 member (src/lib.rs:Sink.end)", "{answer:#}");
    assert_eq!((&answer["total"], &answer["likely"]), (&1.into(), &1.into()), "{answer:#}");
    assert_eq!(answer["references"][0]["line"], 16, "{answer:#}");
    let answer = project.run("find-references Sink.end --json").json();
    assert_eq!(answer["evidence"]["notes"][0], "end is overridden by 1 member (src/lib.rs:Tree.end)", "{answer:#}");
}

#[test]
fn callers_tell_the_family_of_the_symbol_alone() {
    let project = Project::new(
        "\
//- providers.py
def encode(value): ...
class Provider:
    def dump(self, value):
        encode(value)
class Default(Provider):
    def dump(self, value): ...
def use(provider: Provider):
    provider.dump(1)
",
    );
    let answer = project.run("find-references encode --relation callers --depth 3 --json").json();
    assert_eq!(answer["total"], 2, "{answer:#}");
    assert!(answer["evidence"]["notes"].is_null(), "{answer:#}");
    let answer = project.run("find-references Provider.dump --relation callers --depth 3 --json").json();
    let note = "dump is overridden by 1 member (providers.py:Default.dump)";
    assert_eq!(answer["evidence"]["notes"], serde_json::json!([note]), "{answer:#}");
}

#[test]
fn a_large_family_is_counted_as_far_as_it_was_looked_at() {
    let project = Project::empty();
    let many: String = (0..250).map(|number| format!("class Heir{number}(Base):\n    def get(self): ...\n")).collect();
    project
        .write("many.py", format!("class Base:\n    def get(self): ...\n{many}class Alone:\n    def get(self): ...\n"));
    let note = |name: &str| {
        let answer = project.run(&format!("find-references {name} --json")).json_of_any_status();
        assert_eq!(completeness(&answer), "complete", "{answer:#}");
        answer["evidence"]["notes"][0].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        note("Base.get"),
        "get is overridden by at least 199 members (many.py:Heir0.get, many.py:Heir1.get, 197 more); \
         not all members named get were checked"
    );
    assert_eq!(note("Alone.get"), "not all members named get were checked for overrides of it");
}
