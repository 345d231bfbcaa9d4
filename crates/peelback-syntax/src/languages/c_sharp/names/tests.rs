//! Tests of the binder for C#.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::Names;
use crate::names::debug_text::format_uses_of_name;
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn namespaces_are_scopes_and_usings_are_imports() {
    let names = bind_source(
        "using A.B;\nusing static A.C;\nusing D = A.E;\nnamespace X.Y { namespace Z { class F : G { } } }\n",
    );
    assert_eq!(names.package.map(|name| names.name_text(name)), Some("X.Y"));
    let imports: Vec<(&str, bool, bool, usize)> = names
        .imports
        .iter()
        .map(|import| (names.name_text(import.source), import.glob, import.special, import.names.len()))
        .collect();
    // What an alias stands for may begin with a type, so that `A` is looked for among types as well.
    let names_of_types = [("A", false, false, 0), ("G", false, false, 0)];
    assert_eq!(
        imports,
        [&[("A.B", true, false, 0), ("A.C", true, true, 0), ("A", false, false, 1)], &names_of_types[..]].concat()
    );
    let paths: Vec<&str> = names
        .bindings
        .iter()
        .filter(|binding| binding.kind == crate::names::BindingKind::Module)
        .map(|binding| names.name_text(binding.name))
        .collect();
    assert_eq!(paths, ["X.Y", "X.Y.Z"]);
}

#[test]
fn names_of_patterns_and_arguments_are_visible_behind_them() {
    let names = bind_source(
        "class A {\n  void F(object o) {\n    if (o is B b && b.C) { }\n    b.D();\n    G(out var x);\n    x.E();\n    var (y, z) = H();\n    y.I(z);\n  }\n}\n",
    );
    assert_eq!(format_uses_of_name(&names, "b"), ["3 read b@3", "4 read b@3"]);
    assert_eq!(format_uses_of_name(&names, "x"), ["6 read x@5"]);
    assert_eq!(format_uses_of_name(&names, "y"), ["8 read y@7"]);
    assert_eq!(format_uses_of_name(&names, "z"), ["8 read z@7"]);
}

#[test]
fn verbatim_identifiers_are_called_as_without_their_mark() {
    let names = bind_source("class @class {\n  int @int;\n  int F() => @int + this.@int;\n}\n");
    assert_eq!(format_uses_of_name(&names, "int").len(), 2);
}

#[test]
fn broken_source_binds_what_parses() {
    for source in [
        "class A { void F( { x.y(; } int z; }",
        "class",
        "using ;",
        "[",
        "class A { A(",
        "record R(",
        "enum E { A, B = }",
        "namespace",
        "namespace A.",
        "var x = from y in z",
        "switch (x) { case",
        "new { A = , B }",
        "#if A\nclass B {\n#else\n",
    ] {
        bind_source(source);
    }
}

#[test]
fn deep_source_is_bound_to_a_limit() {
    let source = format!("class A {{ int a = {}1{}; }}", "(".repeat(20_000), ")".repeat(20_000));
    assert!(!bind_source(&source).missed.is_empty());
    bind_source(&format!("class A {{ object a = b{}; }}", ".C()".repeat(5_000)));
    bind_source(&"namespace A { class B { ".repeat(5_000));
}
