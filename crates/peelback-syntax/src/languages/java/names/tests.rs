//! Tests of the binder for Java.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_uses_of_name};
use crate::names::{BindingKind, Names, Target};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn imports_name_types_packages_and_static_members() {
    let names = bind_source(
        "package a . b;\nimport c.D;\nimport c.Outer.Inner;\nimport c.*;\nimport static c.D.f;\nimport static c.D.*;\n",
    );
    assert_eq!(names.package.map(|name| names.name_text(name)), Some("a.b"));
    let imports: Vec<(&str, bool, bool, usize)> = names
        .imports
        .iter()
        .map(|import| (names.name_text(import.source), import.glob, import.special, import.names.len()))
        .collect();
    assert_eq!(
        imports,
        [
            ("c.D", false, false, 0),
            ("c.Outer.Inner", false, false, 0),
            ("c", true, false, 0),
            ("c.D", false, true, 1),
            ("c.D", true, true, 0),
        ]
    );
    assert_eq!(format_uses_of_name(&names, "D"), ["2 import c.D", "5 import c.D", "6 import c.D"]);
    assert_eq!(format_uses_of_name(&names, "Outer"), ["3 import c.Outer"]);
    assert_eq!(format_uses_of_name(&names, "f"), ["5 import c.D:f"]);
}

#[test]
fn local_variables_and_patterns_are_visible_from_their_place_on() {
    let names = bind_source(
        "class A {\n  int x = 1;\n  void f(Object o) {\n    g(x);\n    int x = 2;\n    g(x);\n    if (o instanceof B b && b.c > x) {\n      b.d();\n    }\n    for (int x : y) g(x);\n  }\n}\n",
    );
    // The first use names the field, which is not in a scope that a look-up by text alone sees.
    assert_eq!(format_uses_of_name(&names, "x"), ["4 read x", "6 read x@5", "7 read x@5", "10 read x@10"]);
    assert_eq!(format_uses_of_name(&names, "b"), ["7 read b@7", "8 read b@7"]);
}

#[test]
fn calls_record_their_arguments() {
    let names = bind_source("class A { void f() { g(1, \"a\").h(); new A(2); this.<B>i(x -> x); } }\n");
    let calls: Vec<(String, Vec<String>)> = names
        .call_arguments
        .iter()
        .map(|(callee, args)| {
            let args = names.expr_ids_in_list_range(*args).iter().map(|arg| format_expr(&names, *arg)).collect();
            (format_expr(&names, *callee), args)
        })
        .collect();
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(calls.iter().any(|(callee, args)| callee == "g" && *args == ["<int>", "<String>"]), "{calls:?}");
    assert!(calls.iter().any(|(callee, args)| callee == "g().h" && args.is_empty()), "{calls:?}");
    assert!(calls.iter().any(|(callee, args)| callee == "A@1.A" && *args == ["<int>"]), "{calls:?}");
}

#[test]
fn an_object_creation_uses_the_type_and_its_constructor() {
    let names =
        bind_source("class A {\n  A() {\n    this(1);\n  }\n  A(int a) { super(); }\n  Object b = new A(2);\n}\n");
    assert_eq!(format_uses_of_name(&names, "A"), ["3 call A@1.A", "6 call A@1", "6 call A@1.A"]);
}

#[test]
fn a_record_has_fields_methods_and_a_constructor_of_its_components() {
    let names = bind_source("record P(int x, String y) {\n  P { }\n  public int x() { return x; }\n}\n");
    let kinds = |name: &str| -> Vec<BindingKind> {
        let id = names.id_of_name(name).unwrap();
        names.bindings.iter().filter(|binding| binding.name == id).map(|binding| binding.kind).collect()
    };
    assert_eq!(kinds("x"), [BindingKind::Field, BindingKind::Function]);
    assert_eq!(kinds("y"), [BindingKind::Field, BindingKind::Function]);
    assert_eq!(kinds("P"), [BindingKind::Type, BindingKind::Function]);
}

#[test]
fn annotations_use_their_types_and_elements() {
    let names = bind_source("@A(b = @C(D.E))\nclass F {\n  @a.G void f(@H(\"x\") int i) {}\n}\n");
    assert_eq!(format_uses_of_name(&names, "A"), ["1 decorator A"]);
    assert_eq!(format_uses_of_name(&names, "b"), ["1 read A.b"]);
    assert_eq!(format_uses_of_name(&names, "C"), ["1 decorator C"]);
    assert_eq!(format_uses_of_name(&names, "E"), ["1 member D.E"]);
    assert_eq!(format_uses_of_name(&names, "G"), ["3 decorator a.G"]);
    assert_eq!(format_uses_of_name(&names, "H"), ["3 decorator H"]);
}

#[test]
fn names_of_labels_and_members_are_told_apart() {
    let names = bind_source(
        "class A {\n  void f(int k) {\n    k: for (;;) { break k; }\n    switch (k) { case K: k(); default: this.k = k; }\n  }\n}\n",
    );
    assert_eq!(format_uses_of_name(&names, "k").len(), 4, "{:?}", format_uses_of_name(&names, "k"));
    let label = names.occurrences.iter().find(|occurrence| names.name_text(occurrence.name) == "K").unwrap();
    assert!(
        matches!(label.target, Target::Expr(expr) if matches!(names.expr_by_id(expr), crate::names::Expr::Fallback { .. }))
    );
}

#[test]
fn broken_source_binds_what_parses() {
    for source in [
        "class A { void f( { x.y(; } int z; }",
        "class",
        "import ;",
        "@",
        "class A { A(",
        "record R(",
        "enum E { A(, B }",
    ] {
        bind_source(source);
    }
}

#[test]
fn deep_source_is_bound_to_a_limit() {
    let source = format!("class A {{ int a = {}1{}; }}", "(".repeat(20_000), ")".repeat(20_000));
    assert!(!bind_source(&source).missed.is_empty());
    let source = format!("class A {{ Object a = b{}; }}", ".c()".repeat(5_000));
    bind_source(&source);
}
