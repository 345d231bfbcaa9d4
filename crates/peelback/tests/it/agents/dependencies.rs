//! The graph of dependencies as the program shows it: text, JSON, drawings; and every call that it offers, executed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agents::{calls_in, execute};
use crate::support::Project;

const SHOP: &str = r#"
//- app/__init__.py
//- app/main.py
import requests
from app.store import Store
from app import cart
import app.missing

def main(): cart.Cart(Store())
//- app/store.py
import json
from .cart import Cart

class Store: pass
//- app/cart.py
from .store import Store
from .money import EUR, USD

class Cart: pass
//- app/money.py
EUR = 1
USD = 2
//- tests/test_store.py
from app.store import Store

def test_store(): Store()
//- web/page.ts
import { helper } from "./helper.js";
import React from "react";
export const page = helper();
//- web/helper.ts
export function helper() { return 1; }
//- notes.md
# Notes
"#;

fn rows<'a>(answer: &'a Value, array: &str) -> Vec<&'a str> {
    answer[array].as_array().expect("rows").iter().map(|row| row.as_str().expect("a path")).collect()
}

#[test]
fn a_file_says_what_it_leans_on_and_who_leans_on_it() {
    let project = Project::new(SHOP);
    let answer = project.run("dependencies app/store.py --json").json();
    assert_eq!(rows(&answer, "outgoing"), ["app/cart.py"]);
    assert_eq!(rows(&answer, "incoming"), ["app/cart.py", "app/main.py", "tests/test_store.py"]);
    assert_eq!(rows(&answer, "external"), ["json"]);
    assert_eq!(answer["imports"].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(answer["exports"][0]["name"], "Store", "{answer}");
    assert_eq!(answer["evidence"]["completeness"], "complete", "{answer}");
    let main = project.run("dependencies app/main.py --json").json();
    assert_eq!(rows(&main, "outgoing"), ["app/store.py", "app/cart.py", "app/__init__.py"]);
    assert_eq!(rows(&main, "external"), ["requests"]);
    let missing = &main["unresolved"][0];
    assert_eq!((&missing["source"], &missing["line"]), (&json!("app.missing"), &json!(4)), "{main}");
    let page = project.run("dependencies web/page.ts --json").json();
    assert_eq!((rows(&page, "outgoing"), rows(&page, "external")), (vec!["web/helper.ts"], vec!["react"]));
    let text = project.run("dependencies app/store.py").answer();
    for line in
        ["depends on:", "  app/cart.py  line 2, 1 name", "used by:", "  app/main.py  line 2, 1 name", "packages: json"]
    {
        assert!(text.lines().any(|told| told == line), "{line}: {text}");
    }
}

#[test]
fn one_way_and_further_steps() {
    let project = Project::new(SHOP);
    let run = |arguments: &str| project.run(&format!("dependencies {arguments} --json")).json();
    let incoming = run("app/money.py --direction incoming");
    assert_eq!((rows(&incoming, "incoming"), rows(&incoming, "outgoing")), (vec!["app/cart.py"], vec![]));
    assert_eq!(incoming["total"], 1);
    let far = run("app/money.py --direction incoming --depth 2");
    assert_eq!(rows(&far, "incoming"), ["app/cart.py", "app/main.py", "app/store.py"]);
    let all = run("app/money.py --direction incoming --depth 9 --detail-level full");
    assert_eq!(rows(&all, "incoming").last(), Some(&"tests/test_store.py"));
    let steps: Vec<u64> =
        all["links"].as_array().expect("links").iter().filter_map(|link| link["depth"].as_u64()).collect();
    assert_eq!(steps, [1, 2, 2, 3]);
    let outgoing = run("tests/test_store.py --direction outgoing --depth 3");
    assert_eq!(rows(&outgoing, "outgoing"), ["app/store.py", "app/cart.py", "app/money.py"]);
    let folder = run("app");
    assert_eq!((rows(&folder, "incoming"), rows(&folder, "outgoing")), (vec!["tests/test_store.py"], vec![]));
    assert_eq!((&folder["files"], &folder["external_total"]), (&json!(5), &json!(2)));
}

#[test]
fn the_whole_project() {
    let project = Project::new(SHOP);
    let answer = project.run("dependencies --json").json();
    assert_eq!(answer["cycles"], json!([{ "file_count": 2, "paths": ["app/cart.py", "app/store.py"] }]));
    assert_eq!(rows(&answer, "entry_points"), ["app/main.py", "web/page.ts"]);
    assert_eq!(answer["test_entry_points"], 1);
    assert_eq!(answer["most_depended_on"][0], json!({ "path": "app/store.py", "incoming_count": 3 }));
    assert_eq!(rows(&answer, "external").len(), 3, "{answer}");
    assert_eq!(answer["unresolved"][0]["path"], "app/main.py");
    let text = project.run("dependencies").answer();
    for line in ["most depended on:", "entry points:", "cycles:", "  2 files: app/cart.py, app/store.py", "unresolved:"]
    {
        assert!(text.lines().any(|told| told == line), "{line}: {text}");
    }
}

#[test]
fn cycles_by_use_are_told_from_parents_that_only_declare_their_children() {
    let project = Project::new(
        "//- Cargo.toml\n[package]\nname = \"shop\"\n\
         //- src/lib.rs\nmod cart;\nmod money;\nmod store;\npub struct Limits;\n\
         //- src/cart.rs\nuse crate::store::Store;\npub struct Cart(Store);\n\
         //- src/store.rs\nuse crate::cart::Cart;\npub struct Store(Box<Cart>);\n\
         //- src/money.rs\nuse super::Limits;\npub struct Money(Limits);\n",
    );
    let answer = project.run("dependencies --json").json();
    assert_eq!(answer["cycles"], json!([{ "file_count": 2, "paths": ["src/cart.rs", "src/store.rs"] }]), "{answer}");
    assert_eq!((&answer["cycle_total"], &answer["module_cycle_total"]), (&json!(1), &json!(1)), "{answer}");
    let text = project.run("dependencies").answer();
    for line in [
        "cycles:",
        "  2 files: src/cart.rs, src/store.rs",
        "circular only by a parent module naming its child: 1 group of files",
    ] {
        assert!(text.lines().any(|told| told == line), "{line}: {text}");
    }
}

/// The edges of a drawing in DOT.
fn drawn(dot: &str) -> BTreeSet<(String, String)> {
    let edge = |line: &str| {
        let (from, to) = line.trim().strip_suffix(';')?.split_once(" -> ")?;
        Some((from.trim_matches('"').to_owned(), to.trim_matches('"').to_owned()))
    };
    dot.lines().filter(|line| !line.starts_with("//")).filter_map(edge).collect()
}

#[test]
fn drawings_hold_the_same_edges() {
    let project = Project::new(SHOP);
    let dot = project.run("dependencies --format dot").answer();
    assert!(dot.contains("digraph dependencies {") && dot.trim_end().ends_with('}'), "{dot}");
    let edges = drawn(&dot);
    assert_eq!(
        edges.len(),
        project.run("dependencies --json").json()["dependencies"].as_u64().expect("a number") as usize
    );
    for (from, to) in &edges {
        let file = project.run(&format!("dependencies {from} --direction outgoing --json")).json();
        assert!(rows(&file, "outgoing").contains(&to.as_str()), "{from} -> {to}");
    }
    let mermaid = project.run("dependencies --format mermaid").answer();
    let mut lines = mermaid.lines().filter(|line| !line.starts_with("%%"));
    assert_eq!(lines.next(), Some("graph LR"));
    assert_eq!(lines.clone().filter(|line| line.contains(" --> ")).count(), edges.len());
    assert!(lines.all(|line| line.contains(" --> ") || line.contains("[\"")), "{mermaid}");
    // Of one file: its own edges alone, and as far as one asks.
    let one = drawn(&project.run("dependencies app/money.py --format dot").answer());
    assert_eq!(one, [("app/cart.py".to_owned(), "app/money.py".to_owned())].into());
    let far = drawn(&project.run("dependencies app/money.py --depth 2 --direction incoming --format dot").answer());
    assert!(far.is_superset(&one) && far.len() == 3, "{far:?}");
}

#[test]
fn what_is_no_code_or_not_there_is_said() {
    let project = Project::new(SHOP);
    let notes = project.run("dependencies notes.md --json");
    // As with every answer without rows.
    assert_eq!(notes.code, Some(1), "{notes:?}");
    let notes: Value = serde_json::from_str(&notes.stdout).expect("JSON");
    assert_eq!(notes["evidence"]["completeness"], "unknown", "{notes}");
    let run = project.run("dependencies app/stor.py");
    assert_ne!(run.code, Some(0));
    assert!(run.shown().contains("app/store.py"), "{run:?}");
    let empty = Project::empty();
    let nothing = empty.run("dependencies").shown();
    assert!(nothing.contains("0 files whose imports are known"), "{nothing}");
}

/// A project with more of everything than an answer shows.
fn large() -> Project {
    let project = Project::empty();
    let users = 70;
    let mut lib = String::new();
    for n in 0..users {
        let _ = writeln!(lib, "import outside_{n}\nimport lib.nowhere_{n}");
        project
            .write(&format!("users/m{n}.py"), format!("from lib.core import thing\nimport users.m{}\n", (n + 1) % 9));
    }
    lib.push_str("thing = 1\n");
    project.write("lib/core.py", lib);
    project.write("lib/__init__.py", "");
    project.write("users/__init__.py", "");
    project
}

#[test]
fn every_call_that_an_answer_offers_works() {
    let project = large();
    let mut open: Vec<String> =
        ["lib/core.py", "", "users", "lib/core.py --depth 3", "users/m1.py --direction incoming"]
            .iter()
            .flat_map(|arguments| {
                ["", "--format dot", "--format mermaid"].map(|format| format!("dependencies {arguments} {format}"))
            })
            .collect();
    open.push("read-file lib/core.py".to_owned());
    let mut done = BTreeSet::new();
    let mut paged = 0;
    while let Some(call) = open.pop() {
        if done.len() > 60 || !done.insert(call.clone()) {
            continue;
        }
        let run = execute(project.path(), &call, "");
        assert_eq!(run.code, Some(0), "{call}: {run:?}");
        for (offer, promised) in calls_in(&run.stdout) {
            paged += usize::from(offer.contains("--offset"));
            if let Some(promised) = promised {
                let narrowed: Value =
                    serde_json::from_str(&execute(project.path(), &offer, "--json").stdout).expect("JSON");
                assert_eq!(narrowed["total"].as_u64(), Some(promised as u64), "{call} offers {offer}");
            }
            open.push(offer);
        }
    }
    assert!(done.len() > 20 && paged > 3, "{} calls, {paged} pages", done.len());
}
