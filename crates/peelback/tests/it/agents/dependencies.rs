//! The graph of dependencies as the program shows it: text, JSON, drawings; and every call that it offers, executed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agents::{call_after, calls_in, execute};
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
        "circular only because a parent module names its child: 1 group of files",
    ] {
        assert!(text.lines().any(|told| told == line), "{line}: {text}");
    }
}

/// The edges of a drawing in DOT.
fn drawn(dot: &str) -> BTreeSet<(String, String)> {
    let edge = |line: &str| {
        let (from, to) = line.trim().strip_suffix(';')?.split_once(" -> ")?;
        let to = to.split(" [").next()?;
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
    let is_edge = |line: &&str| line.contains(" --> ") || line.contains(" -.-> ");
    assert_eq!(lines.clone().filter(is_edge).count(), edges.len());
    assert!(lines.all(|line| is_edge(&line) || line.contains("[\"") || line.contains("linkStyle ")), "{mermaid}");
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
                ["", "--format dot", "--format mermaid"]
                    .map(|format| format!("peelback dependencies {arguments} {format}"))
            })
            .collect();
    open.push("peelback read-file lib/core.py".to_owned());
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

/// C and C++ in one project: a header without a trait of C++ is read as C, and mostly C++ includes it.
const STORE_OF_TWO_LANGUAGES: &str = r#"
//- port/port.h
#ifndef PORT_H
#define PORT_H
int port_open(const char *name);
#endif
//- db/table.h
#include "port/port.h"
namespace db { class Table { public: int open(); }; }
//- db/table.cc
#include "db/table.h"
#include "port/port.h"
#include <vector>
int db::Table::open() { return port_open("x"); }
//- db/c_api.c
#include "port/port.h"
int api(void) { return port_open("y"); }
//- tools/dump.cc
#include "db/table.h"
int main(int argc, char **argv) { return db::Table().open(); }
//- tools/dump.c
int main(void) { return 0; }
"#;

#[test]
fn files_of_cpp_depend_on_the_headers_that_they_include() {
    let project = Project::new(STORE_OF_TWO_LANGUAGES);
    let header = project.run("dependencies port/port.h --json").json();
    let incoming: BTreeSet<&str> = rows(&header, "incoming").into_iter().collect();
    assert_eq!(incoming, ["db/c_api.c", "db/table.cc", "db/table.h"].into(), "{header}");
    assert_eq!(header["evidence"]["completeness"], "complete", "{header}");
    let source = project.run("dependencies db/table.cc --json").json();
    assert_eq!(
        (rows(&source, "outgoing"), rows(&source, "external")),
        (vec!["db/table.h", "port/port.h"], vec!["vector"])
    );
    let profile = project.run("read-file port/port.h").answer();
    assert!(profile.contains("\nused by 3: "), "{profile}");
    // With a graph the answer is the same.
    let far = project.run("dependencies port/port.h --direction incoming --depth 2 --json").json();
    assert_eq!(rows(&far, "incoming"), ["db/c_api.c", "db/table.cc", "db/table.h", "tools/dump.cc"], "{far}");
    let overview = project.run("dependencies --json").json();
    assert_eq!(overview["most_depended_on"][0], json!({ "path": "port/port.h", "incoming_count": 3 }), "{overview}");
}

#[test]
fn files_of_a_java_package_that_use_each_other_without_an_import_are_listed_apart() {
    let project = Project::new(
        "//- src/main/java/shop/Cart.java\npackage shop;\nimport shop.price.Tax;\npublic class Cart {\n  Item first;\n  Tax tax;\n}\n\
         //- src/main/java/shop/Item.java\npackage shop;\npublic class Item { String name; }\n\
         //- src/main/java/shop/Unused.java\npackage shop;\npublic class Unused {}\n\
         //- src/main/java/shop/price/Tax.java\npackage shop.price;\npublic class Tax {}\n",
    );
    let cart = project.run("dependencies src/main/java/shop/Cart.java --json").json();
    assert_eq!(rows(&cart, "outgoing"), ["src/main/java/shop/price/Tax.java"], "{cart}");
    assert_eq!(rows(&cart, "outgoing_without_import"), ["src/main/java/shop/Item.java"], "{cart}");
    assert_eq!((&cart["outgoing_total"], &cart["outgoing_without_import_total"]), (&json!(2), &json!(1)), "{cart}");
    let item = project.run("dependencies src/main/java/shop/Item.java").answer();
    assert!(item.contains("used by:\n  src/main/java/shop/Cart.java  line 4, 1 name, without an import\n"), "{item}");
    let item = project.run("dependencies src/main/java/shop/Item.java --json").json();
    assert_eq!(rows(&item, "incoming_without_import"), ["src/main/java/shop/Cart.java"], "{item}");
}

#[test]
fn an_include_in_a_language_that_is_not_known_leaves_a_doubt() {
    let project = Project::new("//- view.h\nint view(void);\n//- other.h\nint other(void);\n");
    project.write("App.S", "#include \"view.h\"\n");
    for further in ["", " --depth 2"] {
        let answer =
            project.run(&format!("dependencies view.h --direction incoming --json{further}")).json_of_any_status();
        assert_eq!(answer["evidence"]["completeness"], "lower_bound", "{answer}");
        assert_eq!(answer["evidence"]["skipped"][0]["path"], "App.S", "{answer}");
        let other =
            project.run(&format!("dependencies other.h --direction incoming --json{further}")).json_of_any_status();
        assert_eq!(other["evidence"]["completeness"], "complete", "{other}");
    }
}

#[test]
fn an_entry_point_of_c_is_where_a_program_begins() {
    let project = Project::new(STORE_OF_TWO_LANGUAGES);
    let overview = project.run("dependencies --json").json();
    // No file includes the sources of a library either, and none of them is a program.
    assert_eq!(rows(&overview, "entry_points"), ["tools/dump.cc", "tools/dump.c"], "{overview}");
}

#[test]
fn where_imports_are_not_followed_nothing_is_counted() {
    let project = Project::new(
        "//- src/Mail/Sender.scala\npackage app.Mail\nclass Sender {}\n//- src/Mail/Box.scala\npackage app.Mail\nclass Box {}\n\
         //- src/App.scala\nimport app.Mail.Sender\nval sender = new Sender()\n//- tools/run.py\nimport json\n//- tools/run.sh\necho 1\n",
    );
    for path in ["src/Mail", "src/Mail/Sender.scala"] {
        let run = project.run(&format!("dependencies {path}"));
        assert!(run.stdout.contains("are not known") && !run.stdout.contains("0 files"), "{run:?}");
        let answer = project.run(&format!("dependencies {path} --json")).json_of_any_status();
        assert_eq!(answer["evidence"]["completeness"], "unknown", "{answer}");
        for absent in ["incoming", "incoming_total", "outgoing", "outgoing_total"] {
            assert!(answer.get(absent).is_none(), "{absent}: {answer}");
        }
        // The name by which imports call it, without the extension.
        let call = call_after(&run.stdout, "its name in texts:");
        let found = execute(project.path(), &call, "");
        assert!(found.stdout.contains("import app.Mail.Sender"), "{call}: {found:?}");
    }
    let folder = project.run("dependencies src/Mail").stdout;
    assert!(
        folder.starts_with("src/Mail: 2 scala; ")
            && folder.contains("note: files whose imports are not followed: 2 scala"),
        "{folder}"
    );
    // What is known of the other files is said, and that it is not all.
    let mixed = project.run("dependencies tools --json").json();
    assert_eq!((&mixed["files"], &mixed["evidence"]["completeness"]), (&json!(1), &json!("lower_bound")), "{mixed}");
}

#[test]
fn names_count_for_the_file_that_they_are_taken_from() {
    let project = Project::new(
        "//- Cargo.toml\n[package]\nname = \"shop\"\nversion = \"0.1.0\"\n\
         //- src/lib.rs\npub mod cart;\npub mod store;\npub use cart::Cart;\npub struct A;\npub struct B;\n\
         //- src/cart.rs\npub struct Cart;\n//- src/store.rs\npub struct Store;\n\
         //- src/bin/run.rs\nuse shop::{cart, store, A, B};\nfn main() {}\n",
    );
    let cart = project.run("dependencies src/cart.rs").answer();
    assert!(cart.contains("\n  src/bin/run.rs  line 1, 1 name\n"), "{cart}");
    assert!(cart.contains("src/lib.rs  line 1, 2 names, exported again\n"), "{cart}");
    let library = project.run("dependencies src/lib.rs").answer();
    assert!(library.contains("\n  src/bin/run.rs  line 1, 2 names\n"), "{library}");
    // The users of the file that exports it are one call away.
    let call = call_after(&cart, "exports it; its users:");
    let further = execute(project.path(), &call, "");
    assert!(further.stdout.contains("src/lib.rs") && further.stdout.contains("src/bin/run.rs"), "{further:?}");
}

#[test]
fn users_of_a_file_of_a_package_are_those_of_the_package() {
    let project = Project::new(
        "//- go.mod\nmodule example.com/shop\n//- cart.go\npackage shop\n\ntype Cart struct{}\n\
         //- order.go\npackage shop\n\nfunc Order(c Cart) {}\n\
         //- cmd/main.go\npackage main\n\nimport \"example.com/shop\"\n\nfunc main() { shop.Order(shop.Cart{}) }\n",
    );
    let answer = project.run("dependencies cart.go").answer();
    assert!(
        answer.starts_with(
            "cart.go: go; depends on 0 files beyond its package and 0 packages, 1 file depends on its package\n"
        ),
        "{answer}"
    );
    assert!(
        answer.contains("note: an import names a whole package: files of one package use each other without imports"),
        "{answer}"
    );
    let profile = project.run("read-file cart.go --max-tokens 400").answer();
    assert!(
        profile
            .contains("depends on: no file of the project beyond its package\nits package is used by 1: cmd/main.go\n"),
        "{profile}"
    );
    let json = project.run("read-file cart.go --json").json();
    assert_eq!(json["usage"]["is_per_package"], true, "{json}");
}

#[test]
fn lines_that_hold_no_import_leave_no_doubt() {
    let project = Project::new(
        "//- lib/reply.js\nmodule.exports = function reply () {}\n//- lib/user.js\nconst reply = require('./reply')\nreply()\n",
    );
    // Not understood, and without a string: no import names its module there.
    project.write("lib/broken.js", "const a = 1\n<<< reply >>>\nconst b = 2\n");
    let sure = project.run("dependencies lib/reply.js --direction incoming --json").json();
    assert_eq!((rows(&sure, "incoming"), &sure["evidence"]["completeness"]), (vec!["lib/user.js"], &json!("complete")));
    project.write("lib/broken.js", "const a = 1\n<<< require('./reply' >>>\nconst b = 2\n");
    let unsure = project.run("dependencies lib/reply.js --direction incoming --json").json();
    assert_eq!(unsure["evidence"]["completeness"], "lower_bound", "{unsure}");
    // All files were looked at, so that no call finds more.
    let profile = project.run("read-file lib/reply.js").answer();
    assert!(
        profile.contains("perhaps not all users: lib/broken.js: ") && !profile.contains("to find them"),
        "{profile}"
    );
}

#[test]
fn scope_and_tests_narrow_the_lists_of_a_path() {
    let project = Project::new(
        "//- core.py\nimport json\ndef f(): pass\n//- a/one.py\nfrom core import f\n//- a/two.py\nfrom core import f\n\
         //- b/three.py\nfrom core import f\n//- tests/test_core.py\nfrom core import f\n",
    );
    let of = |words: &str| project.run(&format!("dependencies core.py --json {words}")).json();
    assert_eq!(rows(&of(""), "incoming").len(), 4);
    let inside = of("--scope a");
    assert_eq!(rows(&inside, "incoming"), ["a/one.py", "a/two.py"], "{inside}");
    assert_eq!((&inside["incoming_total"], &inside["omitted_by_filter"]), (&json!(2), &json!(3)), "{inside}");
    // What is no file is neither in a folder nor a test.
    assert!(inside.get("external_total").is_none(), "{inside}");
    assert_eq!(rows(&of("--scope **/*e.py --tests without"), "incoming"), ["a/one.py", "b/three.py"]);
    assert_eq!(rows(&of("--tests only"), "incoming"), ["tests/test_core.py"]);
    assert_eq!(rows(&of("--tests without"), "external"), ["json"]);
    let text = project.run("dependencies core.py --scope a --tests without").answer();
    assert!(
        text.starts_with(
            "core.py: python; depends on 0 files, 2 files depend on it, in a, without tests (3 left out)\n"
        ),
        "{text}"
    );
    // A scope alone is what the call is about.
    assert_eq!(project.run("dependencies --scope a").answer(), project.run("dependencies a").answer());
    for call in [
        "dependencies --tests without",
        "dependencies core.py --scope a --format mermaid",
        "dependencies core.py --tests only --format dot",
    ] {
        let run = project.run(call);
        assert!(run.code == Some(2) && run.stderr.contains("narrows the lists of one path"), "{run:?}");
    }
    // The narrowing of a long list is one of them.
    for index in 0..60 {
        project.write(&format!("c/part_{index}.py"), "from core import f\n");
    }
    let long = project.run("dependencies core.py").answer();
    let (call, promised) = calls_in(&long).into_iter().find(|(call, _)| call.contains(" --scope ")).expect("a call");
    let narrowed = execute(project.path(), &call, "--json").json();
    assert_eq!(narrowed["total"].as_u64(), promised.map(|count| count as u64), "{call}: {narrowed}");
}

#[test]
fn what_a_narrowing_leaves_is_counted_with_packages_and_unresolved_imports() {
    let project = Project::empty();
    let packages: String = (0..12).map(|index| format!("import package_{index}\n")).collect();
    project.write("core.py", format!("{packages}from .missing import nothing\nimport leaf\n"));
    project.write("leaf.py", "import core\n");
    for index in 0..8 {
        project.write(&format!("app/part_{index}.py"), "import core\n");
        project.write(&format!("tests/test_{index}.py"), "import core\n");
        project.write(&format!("far/part_{index}.py"), format!("import app.part_{index}\n"));
    }
    let mut followed = BTreeSet::new();
    for call in ["", "--depth 2", "--depth 3 --direction incoming"] {
        let answer = project.run(&format!("dependencies core.py {call} --limit 3")).answer();
        for (narrower, promised) in calls_in(&answer) {
            let Some(promised) = promised else { continue };
            let narrowed = execute(project.path(), &narrower, "--json").json();
            assert_eq!(narrowed["total"].as_u64(), Some(promised as u64), "{call}: {narrower}: {narrowed}");
            followed
                .extend(["--tests without", "--direction", "--depth"].into_iter().filter(|it| narrower.contains(it)));
        }
    }
    assert_eq!(followed.len(), 3, "{followed:?}");
}
