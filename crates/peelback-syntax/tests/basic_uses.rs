//! Uses of names in languages of the basic tier that have a query for them (`references.scm`).

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use peelback_syntax::names::Role;
use peelback_syntax::{Limits, bind_names, language};

/// The places of `name` in a source, each as its line and its role, without those that define it.
fn uses(language: &str, source: &str, name: &str) -> Option<Vec<(u32, Role)>> {
    let language = language::language_by_exact_name(language).expect("a language of the list");
    if !language.is_available_in_build() {
        return None;
    }
    let names = bind_names(language, source, &Limits::default()).expect("it is parsed");
    let found = names.occurrences.iter().filter(|found| names.name_text(found.name) == name);
    Some(found.filter(|found| found.role != Role::Definition).map(|found| (found.line, found.role)).collect())
}

#[track_caller]
fn check(language: &str, source: &str, name: &str, expected: &[(u32, Role)]) {
    if let Some(found) = uses(language, source, name) {
        assert_eq!(found, expected, "{name} in {language}");
    }
}

#[test]
fn names_with_punctuation_are_whole() {
    check(
        "clojure",
        "(defn add-all! [x] x)\n(add-all! 1)\n(map add-all! [])\n; add-all!\n\"add-all!\"",
        "add-all!",
        &[(2, Role::Call), (3, Role::Read)],
    );
    check("elixir", "defmodule A do\n  def ok?(x), do: x\n  def b(x), do: ok?(x)\nend\n", "ok?", &[(3, Role::Call)]);
    check("haskell", "a <+> b = a\nc = 1 <+> 2\nd = (<+>)\n", "<+>", &[(2, Role::Call), (3, Role::Read)]);
    check("ocaml", "let ( <+> ) a b = a\nlet c = 1 <+> 2\n", "<+>", &[(2, Role::Call)]);
    check("fsharp", "let (<+>) a b = a\nlet c = 1 <+> 2\n", "<+>", &[(2, Role::Call)]);
    check("r", "`%+%` <- function(a, b) a\nx <- 1 %+% 2\n", "%+%", &[(2, Role::Call)]);
    check("r", "my.mean <- function(a) a\nx <- my.mean(2)\n", "my.mean", &[(2, Role::Call)]);
    check("julia", "add!(x) = x\nadd!(1)\n", "add!", &[(2, Role::Call)]);
    check("nix", "{ my-var = 1; b = my-var; }\n", "my-var", &[(1, Role::Read)]);
}

#[test]
fn the_last_part_of_a_qualified_name_is_the_name() {
    let elixir = "defmodule Shop.Orders do\nend\ndefmodule B do\n  alias Shop.Orders\n  Orders.add(1)\n  Shop.Orders.add(1)\nend\n";
    check("elixir", elixir, "Orders", &[(4, Role::Import), (5, Role::Type), (6, Role::Type)]);
    check(
        "perl",
        "package A::B;\npackage main;\nuse A::B;\nA::B->new;\nA::B::run();\n",
        "B",
        &[(3, Role::Import), (4, Role::Type)],
    );
    check("protobuf", "message A {\n  shop.v1.Item item = 1;\n}\n", "Item", &[(2, Role::Type)]);
}

#[test]
fn keys_and_labels_are_no_uses() {
    let hcl = "variable \"region\" {\n}\nprovider \"aws\" {\n  region = var.region\n}\n# region\n";
    check("hcl", hcl, "region", &[(4, Role::Read)]);
    let hcl = "resource \"aws_vpc\" \"main\" {\n}\noutput \"id\" {\n  value = aws_vpc.main.id\n}\n";
    check("hcl", hcl, "main", &[(4, Role::Read)]);
    check(
        "dockerfile",
        "FROM debian AS base\nRUN base\nFROM base\nCOPY --from=base /a /b\n",
        "base",
        &[(3, Role::Read), (4, Role::Read)],
    );
    check("make", "CC = gcc\nall: shop\nshop:\n\t$(CC) shop\n", "shop", &[(2, Role::Read)]);
    check("make", "CC = gcc\nshop:\n\t$(CC) -o CC\n", "CC", &[(3, Role::Read)]);
}

#[test]
fn roles_tell_calls_types_and_members() {
    check(
        "zig",
        "fn price() u32 { return 1; }\nconst x = price();\nconst y = &price;\n",
        "price",
        &[(2, Role::Call), (3, Role::Read)],
    );
    check(
        "dart",
        "class A {}\nA make() => A();\nvoid f(A a) {}\n",
        "A",
        &[(2, Role::Type), (2, Role::Call), (3, Role::Type)],
    );
    check(
        "erlang",
        "-export([add/1]).\nadd(X) -> X.\nb() -> add(1), m:add(2).\n",
        "add",
        &[(1, Role::Export), (3, Role::Call), (3, Role::Call)],
    );
    check("graphql", "type A { b: Int }\ntype C { a: A! }\nquery Q { b }\n", "A", &[(2, Role::Type)]);
    check(
        "sql",
        "CREATE TABLE a (id int);\nINSERT INTO a (id) VALUES (1);\nSELECT f(id) FROM a;\n",
        "a",
        &[(2, Role::Write), (3, Role::Read)],
    );
    check("solidity", "event E(uint x);\ncontract C { function f() public { emit E(1); } }\n", "E", &[(2, Role::Call)]);
    check("powershell", "function Get-It { 1 }\nGet-It | Write-Output\n\"Get-It\"\n", "Get-It", &[(2, Role::Call)]);
    check(
        "cmake",
        "function(add_it name)\nendfunction()\nadd_it(a)\nset(X 1)\nmessage(\"${X} add_it\")\n",
        "add_it",
        &[(3, Role::Call)],
    );
    check(
        "groovy",
        "def price(x) { return x }\nprice(1)\nitem.price\n",
        "price",
        &[(2, Role::Call), (3, Role::Member)],
    );
    check("objective_c", "@implementation A\n- (void)run { [self run]; }\n@end\n", "run", &[(2, Role::Call)]);
}
