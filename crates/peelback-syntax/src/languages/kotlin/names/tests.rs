//! Tests of the binder for Kotlin.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_uses_of_name};
use crate::names::{BindingKind, Names};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn imports_name_whole_paths() {
    let names = bind_source("package a . b\nimport c.D\nimport c.Outer.Inner as Other\nimport c.*\nimport c.f\n");
    assert_eq!(names.package.map(|name| names.name_text(name)), Some("a.b"));
    let imports: Vec<(&str, bool)> = names
        .imports
        .iter()
        .filter(|import| import.kind == crate::names::ModuleImportKind::Import)
        .map(|import| (names.name_text(import.source), import.glob))
        .collect();
    assert_eq!(imports, [("c.D", false), ("c.Outer.Inner", false), ("c", true), ("c.f", false)]);
    assert_eq!(format_uses_of_name(&names, "D"), ["2 import c.D"]);
    assert_eq!(format_uses_of_name(&names, "Outer").len(), 1);
}

#[test]
fn properties_have_accessors_for_java_at_their_place() {
    let names = bind_source(
        "class P(val x: Int, var isOpen: Boolean, private val z: Int) {\n  @get:JvmName(\"size\") val length = 1\n}\n",
    );
    let kinds = |name: &str| -> Vec<BindingKind> {
        let Some(id) = names.id_of_name(name) else { return Vec::new() };
        names.bindings.iter().filter(|binding| binding.name == id).map(|binding| binding.kind).collect()
    };
    assert_eq!(kinds("getX"), [BindingKind::Function]);
    assert_eq!(kinds("setX"), []);
    assert_eq!(kinds("setOpen"), [BindingKind::Function]);
    assert_eq!(kinds("getZ"), []);
    assert_eq!(kinds("size"), [BindingKind::Function]);
}

#[test]
fn functions_have_the_names_that_annotations_give_them_for_java() {
    let names = bind_source(
        "package p\n\n@JvmName(\"one\")\nfun first() {}\n\n/** A. */\n@JvmName(\"two\")\nfun second() = 1\n// end\n",
    );
    let is_bound = |name: &str| {
        names.id_of_name(name).is_some_and(|id| names.bindings.iter().any(|of| of.name == id && of.scope == 0))
    };
    for name in ["first", "one", "second", "two"] {
        assert!(is_bound(name), "{name}");
    }
}

#[test]
fn calls_record_their_arguments_and_names() {
    let names = bind_source("fun g() { f(1, b = \"a\") { it.h() }; A(2); x foo y }\n");
    let calls: Vec<(String, usize)> =
        names.call_arguments.iter().map(|(callee, args)| (format_expr(&names, *callee), args.len as usize)).collect();
    assert!(calls.contains(&("f".to_owned(), 3)), "{calls:?}");
    assert!(calls.contains(&("A".to_owned(), 1)), "{calls:?}");
    assert!(calls.contains(&("x.foo".to_owned(), 1)), "{calls:?}");
    let named: Vec<(u32, &str)> =
        names.argument_names.iter().map(|(_, index, name)| (*index, names.name_text(*name))).collect();
    assert_eq!(named, [(1, "b"), (2, "{}")]);
}

#[test]
fn tests_narrow_the_values_of_paths() {
    let names = bind_source(
        "fun f(x: Any) {\n  if (x is A && x.b()) x.c()\n  if (x !is B) return\n  x.d()\n  when (x) { is C -> x.e() }\n}\n",
    );
    assert_eq!(format_uses_of_name(&names, "b"), ["2 call <A = x@1>.b"]);
    assert_eq!(format_uses_of_name(&names, "c"), ["2 call <A = x@1>.c"]);
    assert_eq!(format_uses_of_name(&names, "d"), ["4 call <B = x@1>.d"]);
    assert_eq!(format_uses_of_name(&names, "e"), ["5 call <C = x@1>.e"]);
}

#[test]
fn names_in_templates_are_used() {
    let names = bind_source("fun f(a: A) = \"$a and ${a.b()}\"\n");
    assert_eq!(format_uses_of_name(&names, "b"), ["1 call a@1.b"]);
    assert_eq!(format_uses_of_name(&names, "a"), ["1 read a@1", "1 read a@1"]);
    let names = bind_source("fun f(a: A) = \"\"\"${1}\n$a $`a` $this\"\"\" + \"\\$a\" + $$\"$a $$a\"\n");
    assert_eq!(format_uses_of_name(&names, "a"), ["2 read a@1", "2 read a@1", "2 read a@1"]);
}

#[test]
fn signs_call_functions() {
    let names = bind_source(
        "fun f(a: A, b: A) {\n  a + b\n  a[1] = b\n  a += b\n  1 in a\n  a(b)\n  a == null\n  val (c) = a\n  a[2]++\n}\n",
    );
    assert_eq!(format_uses_of_name(&names, "plus"), ["2 call a@1.plus", "4 call a@1.plus"]);
    assert_eq!(format_uses_of_name(&names, "plusAssign"), ["4 call a@1.plusAssign"]);
    assert_eq!(format_uses_of_name(&names, "set"), ["3 call a@1.set", "9 call a@1.set"]);
    assert_eq!(format_uses_of_name(&names, "get"), ["9 call a@1.get"]);
    assert_eq!(format_uses_of_name(&names, "contains"), ["5 call a@1.contains"]);
    assert_eq!(format_uses_of_name(&names, "invoke"), ["6 call a@1.invoke"]);
    assert_eq!(format_uses_of_name(&names, "equals"), Vec::<String>::new());
    assert_eq!(format_uses_of_name(&names, "component1"), ["8 call a@1.component1"]);
    assert_eq!(format_uses_of_name(&names, "inc"), ["9 call a@1.get().inc"]);
}

#[test]
fn broken_source_binds_what_parses() {
    for source in [
        "class A { fun f( { x.y(; } val z",
        "class",
        "import ",
        "@",
        "fun A.(",
        "enum class E { A(, B }",
        "\"${",
        "x?.",
        "fun <",
    ] {
        bind_source(source);
    }
}

#[test]
fn deep_source_is_bound_to_a_limit() {
    let source = format!("val a = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    bind_source(&source);
    let source = format!("val a = b{}", ".c()".repeat(5_000));
    bind_source(&source);
    let source = format!("fun f(x: Any) = {}true", "x is A && ".repeat(3_000));
    bind_source(&source);
}
