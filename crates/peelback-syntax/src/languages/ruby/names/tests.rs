//! Tests of the binder of Ruby.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_uses_of_name};
use crate::names::{BindingKind, ModuleImportKind, Names};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

/// The values of the bindings called `name` of this kind.
fn values(names: &Names, kind: BindingKind, name: &str) -> Vec<String> {
    let bound = names.bindings.iter().filter(|binding| binding.kind == kind && names.name_text(binding.name) == name);
    bound
        .flat_map(|binding| names.expr_ids_in_list_range(binding.values))
        .map(|value| format_expr(names, *value))
        .collect()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn a_bare_name_is_a_call_before_it_is_assigned_and_a_variable_behind() {
    let names = bind_source(
        "class A\n  def f(p, q = p)\n    x\n    x = 1\n    x\n    p.map { |y| x + y + z }\n    y\n    x = x\n  end\n  def g\n    x\n    f(x:)\n  end\nend\n",
    );
    assert_eq!(
        format_uses_of_name(&names, "x"),
        ["3 call this.x", "5 read x@4", "6 read x@4", "8 write x@4", "8 read x@4", "11 call this.x", "12 call this.x",]
    );
    assert_eq!(format_uses_of_name(&names, "y"), ["6 read y@6", "7 call this.y"]);
    assert_eq!(format_uses_of_name(&names, "z"), ["6 call this.z"]);
    assert_eq!(format_uses_of_name(&names, "p"), ["2 read p@2", "6 read p@2"]);
}

#[test]
fn assignments_name_writers_and_operators_are_members() {
    let names =
        bind_source("def f(a, b)\n  a.size = 1\n  a.size += 2\n  a[0] = b[1]\n  a&.size\n  a == b\n  a << b\nend\n");
    assert_eq!(format_uses_of_name(&names, "size="), ["2 write a@1.size=", "3 write a@1.size="]);
    assert_eq!(format_uses_of_name(&names, "size"), ["3 call a@1.size", "5 call a@1.size"]);
    assert_eq!(format_uses_of_name(&names, "[]"), ["4 call b@1.[]"]);
    assert_eq!(format_uses_of_name(&names, "[]="), ["4 write a@1.[]="]);
    assert_eq!(format_uses_of_name(&names, "=="), ["6 call a@1.=="]);
    assert_eq!(format_uses_of_name(&names, "<<"), ["7 call a@1.<<"]);
}

#[test]
fn methods_return_their_last_expression_and_what_they_return_early() {
    let names = bind_source(
        "class A\n  def f\n    return B.new if a\n    if b\n      C.new\n    else\n      @d ||= D.new\n    end\n  rescue E => e\n    e\n  end\n  def g = F.new\nend\n",
    );
    assert_eq!(values(&names, BindingKind::Function, "f"), ["B.new()", "C.new() | this.@d | D.new() | e@9"]);
    assert_eq!(values(&names, BindingKind::Function, "g"), ["F.new()"]);
    assert_eq!(values(&names, BindingKind::Variable, "e"), ["<E>"]);
    assert_eq!(values(&names, BindingKind::Field, "@d"), ["D.new()"]);
}

#[test]
fn classes_have_bases_in_the_order_of_look_ups() {
    let names = bind_source(
        "class A < B::C\n  include D, E\n  include F\n  prepend G\n  extend H\n  class << self\n    include I\n  end\nend\n",
    );
    let class = names.bindings.iter().find(|binding| names.name_text(binding.name) == "A").unwrap();
    let bases: Vec<String> =
        names.expr_ids_in_list_range(class.bases).iter().map(|base| format_expr(&names, *base)).collect();
    assert_eq!(bases, ["G", "F", "D", "E", "B.C"]);
    assert_eq!(class.annotation.map(|extended| format_expr(&names, extended)).as_deref(), Some("I | H"));
    assert!(!class.wrapped);
    assert_eq!(format_uses_of_name(&names, "C"), ["1 type B.C"]);
}

#[test]
fn methods_belong_to_objects_or_to_the_class() {
    let names = bind_source(
        "module A\n  def a; end\n  def self.b; end\n  class << self\n    def c; end\n    attr_reader :d\n  end\n  module_function\n  def e; end\nend\n",
    );
    let on_type = |name: &str| {
        let bound = names.bindings.iter().filter(|binding| names.name_text(binding.name) == name);
        bound.map(|binding| binding.on_type).collect::<Vec<bool>>()
    };
    assert_eq!(on_type("a"), [false]);
    assert_eq!(on_type("b"), [true]);
    assert_eq!(on_type("c"), [true]);
    assert_eq!(on_type("d"), [true]);
    assert_eq!(on_type("e"), [false, true]);
}

#[test]
fn symbols_name_methods() {
    let names = bind_source(
        "class A\n  before_action :a, only: [:b]\n  alias_method :c, :d\n  private :e\n  def f(x)\n    send(:g)\n    x.public_send(:h)\n    x.map(&:i)\n    y(:j)\n  end\nend\n",
    );
    assert_eq!(format_uses_of_name(&names, "a"), ["2 read this.a"]);
    assert_eq!(format_uses_of_name(&names, "b"), ["2 read this.b"]);
    assert_eq!(format_uses_of_name(&names, "d"), ["3 member this.d"]);
    assert_eq!(format_uses_of_name(&names, "e"), ["4 read this.e"]);
    assert_eq!(format_uses_of_name(&names, "g"), ["6 member this.g"]);
    assert_eq!(format_uses_of_name(&names, "h"), ["7 member x@5.h"]);
    assert_eq!(format_uses_of_name(&names, "i"), ["8 member ?.i"]);
    assert_eq!(format_uses_of_name(&names, "j"), Vec::<String>::new());
}

#[test]
fn blocks_that_run_for_another_object_have_an_unknown_self() {
    let names = bind_source(
        "class A\n  get { a }\n  x.instance_eval { b }\n  def f\n    g { c }\n    x.class_eval { d }\n  end\nend\nB.class_eval do\n  def h\n    e\n  end\nend\n",
    );
    assert_eq!(format_uses_of_name(&names, "a"), ["2 call this | This.a"]);
    assert_eq!(format_uses_of_name(&names, "b"), ["3 call ?.b"]);
    assert_eq!(format_uses_of_name(&names, "c"), ["5 call this.c"]);
    assert_eq!(format_uses_of_name(&names, "d"), ["6 call This.d"]);
    assert_eq!(format_uses_of_name(&names, "e"), ["11 call this.e"]);
    assert_eq!(names.extensions.len(), 1);
}

#[test]
fn super_calls_the_method_around() {
    let names = bind_source("class A < B\n  def f(x)\n    super\n    super(x)\n  end\nend\n");
    assert_eq!(format_uses_of_name(&names, "f"), ["3 call super.f", "4 call super.f"]);
}

#[test]
fn loaded_files_are_recorded() {
    let names = bind_source(
        "require 'a'\nrequire_relative \"b\"\nautoload :C, 'c'\nload 'd.rb'\nrequire File.expand_path('../e', __FILE__)\nrequire File.join(__dir__, 'f', 'g')\nrequire x\nrequire \"#{y}/h\"\n",
    );
    let imports: Vec<(&str, bool)> = names
        .imports
        .iter()
        .filter(|import| import.kind == ModuleImportKind::Require)
        .map(|import| (names.name_text(import.source), import.special))
        .collect();
    assert_eq!(imports, [("a", false), ("b", true), ("c", false), ("d.rb", false), ("e", true), ("f/g", true)]);
}

#[test]
fn patterns_bind_names() {
    let names = bind_source(
        "case f\nin {a:, b: [c, *d]} if a\n  c\nin A::B => e\n  e\nin [Integer | Float => g, ^h]\n  g\nelse\n  a\nend\n",
    );
    assert_eq!(format_uses_of_name(&names, "a"), ["2 read a@2", "9 read a@2"]);
    assert_eq!(format_uses_of_name(&names, "c"), ["3 read c@2"]);
    assert_eq!(format_uses_of_name(&names, "B"), ["4 type A.B"]);
    assert_eq!(values(&names, BindingKind::Variable, "e"), ["<A.B>"]);
    assert_eq!(format_uses_of_name(&names, "h"), ["6 call this.h"]);
}

#[test]
fn examples_of_rspec_name_values() {
    let names = bind_source(
        "describe A::B do\n  let(:a) { C.new }\n  subject { described_class.new }\n  it { a.run; subject.go }\nend\n",
    );
    assert_eq!(format_uses_of_name(&names, "run"), ["4 call a@.run"]);
    assert_eq!(values(&names, BindingKind::Variable, "subject"), ["A.B.new()"]);
}

#[test]
fn long_and_deep_sources_are_bound_in_time() {
    for source in [
        "a.b".to_owned() + &".c".repeat(20_000),
        "[".repeat(20_000),
        "class A\n".repeat(5_000),
        "f { ".repeat(5_000),
        "x = x + 1\n".repeat(20_000),
        format!("class A\n{}\nend\n", "  attr_accessor :a\n".repeat(20_000)),
        format!("attr_reader {}\n", (0..20_000).map(|n| format!(":a{n}")).collect::<Vec<_>>().join(", ")),
        "if a\n".repeat(5_000),
    ] {
        let begin = std::time::Instant::now();
        bind_source(&source);
        assert!(begin.elapsed().as_secs() < 20, "{}", source.get(..20).unwrap());
    }
}
