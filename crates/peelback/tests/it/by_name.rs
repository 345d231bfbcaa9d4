//! Uses in languages whose names are not resolved: matched by name, listed at once, and no definition among them.

use crate::agents::{call_after, execute};
use crate::support::Project;

/// The lines of a file's uses with their roles.
fn uses(project: &Project, arguments: &[&str]) -> Vec<(u64, String)> {
    let mut all = vec!["find-references"];
    all.extend(arguments);
    all.push("--json");
    let answer = project.run_with(&all).json_of_any_status();
    let rows = answer["references"].as_array().expect("rows").clone();
    rows.iter()
        .map(|row| (row["line"].as_u64().expect("a line"), row["role"].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn expected(rows: &[(u64, &str)]) -> Vec<(u64, String)> {
    rows.iter().map(|(line, role)| (*line, (*role).to_owned())).collect()
}

const SWIFT: &str = "\
//- lib/shop.swift
class Shop {
  static let limit = 3
  func open(door: Shop) {
    if closed() { return }
    door.open(door: door)
    unlock(door)
  }
  func closed() -> Bool {
    unlock
    return unlock(1) != nil
  }
  func shut() -> Bool { closed }
  func unlock(_ door: Int = limit) -> Int? {
    return door
  }
  func idle() {}
}
";

#[test]
fn names_are_found_and_calls_are_calls() {
    let project = Project::new(SWIFT);
    assert_eq!(uses(&project, &["Shop.open"]), expected(&[(5, "call")]));
    assert_eq!(uses(&project, &["closed"]), expected(&[(4, "call"), (12, "read")]));
    assert_eq!(uses(&project, &["unlock"]), expected(&[(6, "call"), (9, "read"), (10, "call")]));
    assert_eq!(uses(&project, &["limit"]), expected(&[(13, "read")]));
    // A name alone is no call.
    assert_eq!(uses(&project, &["unlock", "--relation", "callers"]), expected(&[(6, "call"), (10, "call")]));
}

#[test]
fn what_matches_by_name_is_listed_at_once() {
    let project = Project::new(SWIFT);
    let run = project.run("find-references unlock");
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = run.stdout;
    assert!(
        text.starts_with(
            "3 references to lib/shop.swift:Shop.unlock (method) in 1 file: 0 resolved, 0 likely, 3 by name only\n"
        ),
        "{text}"
    );
    assert!(text.contains("note: names are matched, not resolved, in swift\n"), "{text}");
    assert!(text.contains("\n6: unlock(door)  [name, in Shop.open]\n") && !text.contains("must_follow"), "{text}");
    // Who wants only what is resolved still gets that.
    assert_eq!(project.run("find-references unlock --confidence resolved").code, Some(1));
    // Nothing but its definition: that is no use, and still no proof.
    let none = project.run("find-references idle");
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stdout.contains("do not conclude that it is unused; its text:\npeelback grep "), "{none:?}");
    // Of a language that is resolved, a name alone is offered and not listed.
    let python = Project::new(
        "//- a.py\nclass A:\n    def run(self): pass\n    def stop(self): pass\nclass B:\n    def run(self): pass\ndef go(x):\n    x.run()\n",
    );
    let answer = python.run("find-references a.py:A.run").stdout;
    assert!(answer.starts_with("0 references ") && answer.contains("--confidence name"), "{answer}");
}

#[test]
fn calls_inside_a_function_that_is_not_resolved_are_not_said_to_be_none() {
    let project = Project::new(SWIFT);
    let answer = project.run("find-references closed --relation callees").stdout;
    assert!(answer.contains("do not conclude that it calls nothing; its body:\npeelback read-symbol "), "{answer}");
    let answer = project.run("find-references closed --relation implementations").stdout;
    assert!(answer.contains("do not conclude that nothing implements it"), "{answer}");
}

#[test]
fn operators_have_uses() {
    let project = Project::new(
        "//- Seq.scala\nclass Seq {\n  def ++(other: Seq): Seq = this\n  def twice: Seq = this ++ this\n  def named: Seq = this.++(this)\n}\n",
    );
    assert_eq!(uses(&project, &["++"]), expected(&[(3, "read"), (4, "call")]));
}

#[test]
fn definitions_of_languages_without_resolved_names_are_no_uses() {
    let project = Project::new(
        "\
//- Cart.java
class Cart {
  int total;
  Cart(int total) { this.total = total; }
  int total() { return total; }
  Cart copy() { return new Cart(total()); }
}
//- cart.h
class Basket { public: Basket(); int size() const; };
//- cart.cc
#include \"cart.h\"
Basket::Basket() {}
int Basket::size() const { return 0; }
Basket make() { Basket basket; return basket.size() > 0 ? basket : Basket(); }
//- cart.php
<?php
function cartTotal($cart) { return $cart; }
echo cartTotal(1);
//- cart.sh
cart_total() { echo 1; }
cart_total now
",
    );
    assert!(uses(&project, &["Cart.copy"]).is_empty());
    assert_eq!(uses(&project, &["Cart.java:Cart.total", "--scope", "Cart.java"]).len(), 3);
    let size = uses(&project, &["Basket.size"]);
    // The declaration and the definition are both named as what the uses are of.
    assert_eq!(size, expected(&[(4, "call")]));
    assert_eq!(uses(&project, &["cartTotal"]), expected(&[(3, "call")]));
    assert_eq!(uses(&project, &["cart_total"]), expected(&[(2, "call")]));
}

#[test]
fn the_definitions_that_are_used_most_come_first_and_all_are_one_call_away() {
    let project = Project::empty();
    for number in 0..9 {
        project.write(&format!("a{number}/store.py"), "class Store:\n    pass\n");
    }
    project.write("z/store.py", "class Store:\n    pass\n");
    project.write("z/use.py", "from z.store import Store\nStore()\nStore()\n");
    project.write("a1/use.py", "from a1.store import Store\n");
    let answer = project.run("find-references Store").answer();
    let defined: Vec<&str> = answer.lines().filter(|line| line.starts_with("defined: ")).collect();
    assert_eq!(defined.len(), 10, "{answer}");
    assert!(
        defined[0].starts_with("defined: z/store.py:Store  3 uses  1-2 ") && defined[1].starts_with("defined: a1/"),
        "{answer}"
    );
    let short = project.run("find-references Store --max-tokens 230").answer();
    assert!(
        short.contains("defined: z/store.py:Store  ") && short.contains("more definitions:\npeelback find-symbols "),
        "{short}"
    );
    let call = call_after(&short, "more definitions:");
    let all = execute(project.path(), &call, "").answer();
    assert!(all.starts_with("10 symbols "), "{all}");
}

#[test]
fn no_name_is_suggested_twice() {
    let project =
        Project::new("//- a.py\ndef shelf(): pass\ndef shelve(): pass\n\nclass Store:\n    def shelfs(self): pass\n");
    for call in [
        "read-symbol shel --path a.py",
        "read-symbol shel",
        "find-references shell --path a.py",
        "find-symbols shlf",
        "read-symbol Store.shelf --path a.py",
    ] {
        let run = project.run(call);
        let text = run.shown();
        let Some((_, rest)) = text.split_once("did you mean ") else { panic!("{call}: {text}") };
        let names: Vec<&str> = rest.split('?').next().expect("names").split(" or ").collect();
        let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), unique.len(), "{call}: {text}");
    }
}

#[test]
fn a_receiver_that_is_called_as_the_type_is_listed() {
    let project = Project::new(
        "//- shop.py\nclass Cart:\n    def add(self): pass\nclass Order:\n    def add(self): pass\ndef go(cart, x, order, other_carts):\n    cart.add()\n    x.add()\n    order.add()\n    other_carts[0].add()\n",
    );
    let answer = project.run("find-references Cart.add").answer();
    assert!(
        answer.starts_with(
            "2 references to shop.py:Cart.add (method) in 1 file: 0 resolved, 0 likely, 4 by name only (2 listed)\n"
        ),
        "{answer}"
    );
    assert!(answer.contains("\n6: cart.add()  [name, in go]\n9: other_carts[0].add()  [name]\n"), "{answer}");
    assert!(answer.contains("also 2 places by name only:\n"), "{answer}");
    assert_eq!(project.run("find-references Cart.add --confidence likely").code, Some(1));
    // What is known to be something else is in no list.
    project.write("known.py", "from shop import Order\ncart = Order()\ncart.add()\n");
    let all = project.run("find-references Cart.add --confidence name").answer();
    assert!(!all.contains("known.py"), "{all}");
}

#[test]
fn uses_of_the_name_that_mean_another_definition_are_counted() {
    let project = Project::new(
        "//- a.py\nclass A:\n    def run(self): pass\n\n\nclass B:\n    def run(self): pass\n//- use.py\nfrom a import A, B\n\n\n\
         def go(x, run):\n    A().run()\n    B().run()\n    B().run()\n    x.run()\n    run()\n    unknown(run=1)\n",
    );
    let answer = project.run("find-references a.py:A.run").answer();
    let (first, _) = answer.split_once('\n').expect("a line");
    // What holds a function that is not known, and the name of an argument, are neither.
    assert!(
        first.contains("1 resolved, 0 likely") && first.ends_with("; 2 other uses of the name mean another definition"),
        "{first}"
    );
    assert_eq!(project.run("find-references a.py:A.run --json").json()["other_meanings"], 2);
    let scoped = project.run("find-references a.py:B.run --scope a.py --json").json_of_any_status();
    assert!(scoped.get("other_meanings").is_none(), "{scoped}");
    // Roles and tests do not tell them apart.
    assert!(project.run("find-references a.py:A.run --role call --json").json().get("other_meanings").is_none());
}

#[test]
fn other_uses_of_an_alias_are_no_uses_of_the_name() {
    let project = Project::new(
        "//- shop.py\ndef open_shop():\n    pass\n//- use.py\nfrom shop import open_shop as connect\n\nconnect()\n\
         //- net.py\ndef connect():\n    pass\n\n\nconnect()\nconnect()\n",
    );
    let json = project.run("find-references shop.py:open_shop --json").json();
    assert_eq!(json["total"], 2, "{json}");
    assert!(json.get("other_meanings").is_none(), "{json}");
}

#[test]
fn each_row_says_in_which_function_it_stands() {
    let project = Project::new(
        "//- a.py\nclass A:\n    def can_publish(self): pass\n\n\ndef check(a: A):\n    return a.can_publish()\n\n\n\
         def publish(a: A):\n    return a.can_publish()\n",
    );
    // The name of the function is a part of the name that is used.
    for call in ["find-references A.can_publish", "grep can_publish\\("] {
        let answer = project.run(call).answer();
        assert!(answer.contains("\n6: "), "{answer}");
        let line = answer.lines().find(|line| line.starts_with("10: ")).expect("a row");
        assert!(line.ends_with("[in publish]"), "{call}: {answer}");
    }
}

/// The hint names the definition that is used most. One without a use would lead to an answer without rows.
#[test]
fn no_hint_leads_to_a_definition_without_uses() {
    let project = Project::new(
        "\
//- package.json
{ \"funding\": { \"address\": \"somewhere\" } }
//- test/location.js
var address = require('node:net')
//- lib/pages.js
exports.show = (request) => request.render({ address: request.address })
exports.hide = (request) => request.address
",
    );
    let run = project.run("find-references address");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("by name only") && !run.stdout.contains("to take one"), "{}", run.stdout);
}
