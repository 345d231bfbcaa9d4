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
