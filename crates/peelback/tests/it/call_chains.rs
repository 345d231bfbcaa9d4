//! Callers and callees of functions that are written in other ways than as one declaration.

use crate::support::Project;

/// Rows of an answer: the line, the definition that encloses it, and the confidence.
fn rows(project: &Project, arguments: &str) -> Vec<(u64, String, String)> {
    let answer = project.run(&format!("find-references {arguments} --json")).json_of_any_status();
    let text = |row: &serde_json::Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let rows = answer["references"].as_array().expect("rows");
    rows.iter()
        .map(|row| (row["line"].as_u64().expect("a line"), text(row, "enclosing"), text(row, "confidence")))
        .collect()
}

/// The lines and the enclosing definitions of rows.
fn places(rows: &[(u64, String, String)]) -> Vec<(u64, &str)> {
    rows.iter().map(|(line, enclosing, _)| (*line, enclosing.as_str())).collect()
}

fn function_expressions() -> Project {
    Project::new(
        "\
//- helper.ts
export function helper(value: number) {}
//- a.ts
import { helper } from \"./helper\";
export const first = (value: number) => { helper(value); };
export function outer() {
  const patch = (value: number) => {
    helper(value);
    unmount(value);
  };
  const unmount = function own(value: number) { helper(value); };
  patch(1);
}
class Shape {
  draw = () => { first(1); };
}
",
    )
}

#[test]
fn function_expressions_have_callees() {
    let project = function_expressions();
    let callees = |name: &str| rows(&project, &format!("{name} --relation callees"));
    assert_eq!(places(&callees("a.ts:first")), [(2, "first")]);
    assert_eq!(places(&callees("a.ts:outer.patch")), [(5, "outer.patch"), (6, "outer.patch")]);
    assert_eq!(places(&callees("a.ts:Shape.draw")), [(12, "Shape.draw")]);
}

#[test]
fn callers_go_through_function_expressions() {
    let project = function_expressions();
    let callers = rows(&project, "helper.ts:helper --relation callers --depth 3");
    assert_eq!(
        places(&callers),
        [(2, "first"), (5, "outer.patch"), (8, "outer.unmount"), (6, "outer.patch"), (9, "outer"), (12, "Shape.draw"),]
    );
    assert!(callers.iter().all(|(.., confidence)| confidence == "resolved"), "{callers:?}");
}

#[test]
fn an_overloaded_function_has_the_callees_of_its_body() {
    let project = Project::new(
        "\
//- a.ts
function helper(value: any) {}
export function over(value: string): void;
export function over(value: number): void;
export function over(value: any): void { helper(value); }
//- a.py
from typing import overload
def helper(value): pass
class C:
    @overload
    def go(self, value: int) -> int: ...
    @overload
    def go(self, value: str) -> str: ...
    def go(self, value):
        helper(value)
    @property
    def size(self): return helper(1)
    @size.setter
    def size(self, value): helper(value)
",
    );
    assert_eq!(places(&rows(&project, "a.ts:over --relation callees")), [(4, "over")]);
    assert_eq!(places(&rows(&project, "a.py:C.go --relation callees")), [(9, "C.go")]);
    assert_eq!(
        places(&rows(&project, "a.py:helper --relation callers")),
        [(9, "C.go"), (11, "C.size"), (13, "C.size")]
    );
}
