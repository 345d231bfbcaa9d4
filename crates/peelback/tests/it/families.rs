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
        let (_, own) = member.split_once(':').expect("an id");
        let asked = heir.rsplit_once(".py:").map_or(heir, |(_, name)| name);
        let note = format!("{asked} is inherited: {own}");
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
        let answer = project.run(&format!("find-references {name} --json")).json_of_any_status();
        assert!(answer["error"].is_string(), "{name}: {answer:#}");
    }
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
    assert!(answer["evidence"]["notes"].is_null(), "{answer:#}");
}
