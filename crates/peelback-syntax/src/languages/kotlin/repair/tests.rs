//! Tests of the repair of Kotlin's source.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::super::LANGUAGE;
use super::repair_source;
use crate::analysis::bind_names;
use crate::parse::Limits;

/// Whether the whole source is understood.
fn is_understood(source: &str) -> bool {
    bind_names(&LANGUAGE, source, &Limits::default()).unwrap().missed.is_empty()
}

#[test]
fn misread_source_is_understood() {
    for source in [
        "class A { val a = 1 }\nfun f(a: Int, b: Int, c: Int) = a + b + c\n",
        "class A {\n  private var final = false\n  fun a() { final = true; if (!final) open(1) }\n}\n",
        "fun a() {\n  val by = c()\n  by.foo()\n  val b: Int by lazy { 1 }\n}\n",
        "class A {\n  class Options\n  private constructor(val b: Int) {\n    fun a() {}\n  }\n}\n",
        "actual open class A\ninternal actual constructor(\n  val b: Int,\n) : C {\n  fun a() {}\n}\n",
        "class A {\n    class B<T : C>\n    @Inject internal constructor(val b: Int)\n}\n",
        "val a = $$\"{\\\"$foo\\\": $${b.c} ${d}\"\nval e = $$\"\"\"$foo $${b} ${ {x \"\"\"\n",
        "fun a(b: Any) = when (b) {\n  is C if b.d -> 1\n  else if b == 2 -> 2\n  else -> 3\n}\n",
        "fun a() {\n  val b = 1\n  get(\"c\")\n  val set = d()\n  set += 1\n  set(1, 2)\n}\n",
        "fun a(b: List<Int>) { b.forEach { override -> c(override) } }\n",
    ] {
        assert!(is_understood(source), "{source}");
    }
}

#[test]
fn every_byte_keeps_its_line_and_offset() {
    let source =
        "class A\ninternal constructor(val b: String = $$\"$$x ${y}\") {\n  var open = 1\n  fun f() { open() } }\n";
    let repaired = repair_source(source).unwrap();
    assert_eq!(repaired.len(), source.len());
    let breaks = |text: &str| -> Vec<usize> { text.match_indices('\n').map(|(at, _)| at).collect() };
    assert_eq!(breaks(&repaired), breaks(source));
}

#[test]
fn what_is_understood_stays_as_it_is() {
    for source in [
        "private open class A(private val b: Int, vararg c: Int) : D by e where T : F\n",
        "val a: suspend (Int) -> Unit = suspend {\n  b()\n}\n",
        "class A {\n  var b = 1\n    private set\n  val c: Int\n    get() = 1\n  var d = 1\n    set(value) {\n      field = value\n    }\n}\n",
        "fun f() {\n  if (a) b\n  else if (c) d\n  else e\n}\n",
        "// final = true\n/* by.x /* */ */ val a = 'x' + '\\'' + \"final = $b ${c(\"by.d\")}\"\n",
    ] {
        assert_eq!(repair_source(source), None, "{source}");
    }
}

#[test]
fn long_source_is_read_in_linear_time() {
    for part in ["get(", "class A\n@B(", "`", "is A if ", "$", "\"${", "/*", "class `", "class A<"] {
        repair_source(&part.repeat(50_000));
    }
}
