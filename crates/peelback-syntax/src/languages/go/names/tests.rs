#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_non_definition_occurrences, format_uses_of_name};
use crate::names::{FILE_SCOPE, Names};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn imports_bind_the_name_of_their_package() {
    let names = bind_source(
        "package app\nimport (\n\t\"fmt\"\n\tlog \"example.com/x/logger\"\n\t. \"example.com/x/dsl\"\n\t_ \"embed\"\n\t\"example.com/x/api/v2\"\n)\nfunc f() { fmt.Println(log.New(), api.X) }\n",
    );
    assert_eq!(names.package.map(|name| names.name_text(name)), Some("app"));
    let sources: Vec<&str> = names.imports.iter().map(|import| names.name_text(import.source)).collect();
    assert_eq!(sources, ["fmt", "example.com/x/logger", "example.com/x/dsl", "embed", "example.com/x/api/v2"]);
    assert_eq!(names.imports.iter().map(|import| import.glob).collect::<Vec<_>>(), [false, false, true, false, false]);
    assert_eq!(format_uses_of_name(&names, "Println"), ["9 call fmt@.Println"]);
    assert_eq!(format_uses_of_name(&names, "New"), ["9 call log@4.New"]);
    assert_eq!(format_uses_of_name(&names, "X"), ["9 member api@.X"]);
}

#[test]
fn local_variables_shadow_and_are_not_visible_before_their_declaration() {
    let names = bind_source(
        "package p\nvar x Foo\nfunc f(item item) {\n\tx := x.Next()\n\tif x := x.A; x != nil {\n\t\tx.B()\n\t}\n\tx, err := g(x)\n\tx.C()\n}\n",
    );
    assert_eq!(
        format_uses_of_name(&names, "x"),
        ["4 read x@2", "5 read x@4", "5 read x@5", "6 read x@5", "8 write x@4", "8 read x@4", "9 read x@4"]
    );
    assert_eq!(format_uses_of_name(&names, "item"), ["3 type item"]);
}

#[test]
fn methods_extend_the_type_of_their_receiver() {
    let names = bind_source(
        "package p\ntype Set[T any] struct{ items []T }\nfunc (s *Set[E]) Add(e E) (n int, err error) { s.items = append(s.items, e); return }\nfunc (Set[_]) Len() int { return 0 }\n",
    );
    let targets: Vec<String> = names.extensions.iter().map(|extension| format_expr(&names, extension.target)).collect();
    assert_eq!(targets, ["Set@2", "Set@2"]);
    let names = bind_source("package p\nfunc (a A) F() {}\nfunc (b *A) G() { b.F() }\nfunc (B) H() {}\n");
    assert_eq!(names.extensions.len(), 2);
    assert_eq!(format_uses_of_name(&names, "F"), ["3 call b@3.F"]);
    let names = bind_source(
        "package p\ntype Set[T any] struct{ items []T }\nfunc (s *Set[E]) Add(e E) (n int, err error) { s.items = append(s.items, e); return }\nfunc (Set[_]) Len() int { return 0 }\n",
    );
    assert_eq!(format_uses_of_name(&names, "items"), ["3 write s@3.items", "3 member s@3.items"]);
    assert_eq!(format_uses_of_name(&names, "E"), ["3 type E@3"]);
}

#[test]
fn embedded_types_are_bases_of_structs_and_interfaces() {
    let names = bind_source(
        "package p\ntype A struct {\n\tB\n\t*pkg.C\n\tD[int]\n\tname, title string\n}\ntype R interface {\n\tio.Reader\n\tClose() error\n}\n",
    );
    let of = |name: &str| {
        let id = names.id_of_name(name).unwrap();
        names.bindings.iter().find(|binding| binding.name == id && binding.scope == FILE_SCOPE).unwrap()
    };
    let bases = |name: &str| {
        names.expr_ids_in_list_range(of(name).bases).iter().map(|base| format_expr(&names, *base)).collect::<Vec<_>>()
    };
    assert_eq!(bases("A"), ["B", "pkg.C", "D[int]"]);
    assert_eq!(bases("R"), ["io.Reader"]);
    let members = |name: &str| {
        let scope = of(name).body.unwrap();
        let all = names.bindings.iter().filter(move |binding| binding.scope == scope);
        all.map(|binding| names.name_text(binding.name)).collect::<Vec<_>>()
    };
    assert_eq!(members("A"), ["B", "C", "D", "name", "title"]);
    assert_eq!(members("R"), ["Close"]);
}

#[test]
fn variables_have_the_values_of_their_initialisers() {
    let names = bind_source(
        "package p\nfunc f(m map[string]*Foo, c chan Bar) {\n\ta := &Foo{Name: n}\n\tb, err := New(a)\n\tc1, ok := m[\"k\"]\n\td := <-c\n\te := x.(*Foo)\n\tg := make([]Foo, 3)\n\th := new(Foo)\n\tfor k, v := range m {\n\t\tk.K()\n\t\tv.V()\n\t}\n\ti := []Foo{{Name: \"x\"}}[1:]\n\ta.A(); b.B(); c1.C(); d.D(); e.E(); g[0].G(); h.H(); i.I()\n}\n",
    );
    let value = |name: &str| {
        let id = names.id_of_name(name).unwrap();
        let binding = names.bindings.iter().find(|binding| binding.name == id).unwrap();
        names
            .expr_ids_in_list_range(binding.values)
            .iter()
            .map(|value| format_expr(&names, *value))
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(value("a"), "<Foo>");
    assert_eq!(value("b"), "New()[0]");
    assert_eq!(value("err"), "New()[1]");
    assert_eq!(value("c1"), "m@2[]");
    assert_eq!(value("ok"), "");
    assert_eq!(value("d"), "c@2[]");
    assert_eq!(value("e"), "<Foo>");
    assert_eq!(value("g"), "<[Foo]>");
    assert_eq!(value("h"), "<Foo>");
    assert_eq!(value("k"), "m@2[0]");
    assert_eq!(value("v"), "m@2[]");
    assert_eq!(value("i"), "<[Foo]>");
    assert_eq!(format_uses_of_name(&names, "Name"), ["3 write <Foo>.Name", "14 write <[Foo]>[].Name"]);
    assert_eq!(format_uses_of_name(&names, "G"), ["15 call g@8[].G"]);
}

#[test]
fn literal_keys_are_fields_only_in_struct_literals() {
    let names = bind_source(
        "package p\ntype Sizes map[Kind]int\nvar s = Sizes{Small: 1, Large: 2}\nvar t = map[Kind]Box{Small: {Width: 1}, {X: 1}: {Width: 2}}\nvar u = [...]string{Small: \"s\"}\nvar v = pkg.Box{Width: Small}\nvar w = pkg.Names{\"a\": Small}\n",
    );
    assert_eq!(
        format_uses_of_name(&names, "Small"),
        ["3 read Small", "4 read Small", "5 read Small", "6 read Small", "7 read Small"]
    );
    assert_eq!(
        format_uses_of_name(&names, "Width"),
        ["4 write <[Kind, Box]>[].Width", "4 write <[Kind, Box]>[].Width", "6 write <pkg.Box>.Width"]
    );
    assert_eq!(format_uses_of_name(&names, "X"), ["4 write <[Kind, Box]>[0].X"]);
}

#[test]
fn type_switch_variable_has_the_type_of_its_case() {
    let names = bind_source(
        "package p\nfunc f(x any) {\n\tswitch v := x.(type) {\n\tcase *Foo:\n\t\tv.A()\n\tcase Bar, Baz:\n\t\tv.B()\n\tdefault:\n\t\tv.C()\n\t}\n}\n",
    );
    let annotations: Vec<String> = names
        .bindings
        .iter()
        .filter(|binding| names.name_text(binding.name) == "v")
        .map(|binding| binding.annotation.map_or("-".to_owned(), |annotation| format_expr(&names, annotation)))
        .collect();
    assert_eq!(annotations, ["-", "Foo"]);
}

#[test]
fn constants_without_a_value_repeat_the_previous_spec() {
    let names =
        bind_source("package p\nconst (\n\tA Kind = iota\n\tB\n\tC\n\tD = 3\n)\nconst (\n\tE = Kind(1)\n\tF\n)\n");
    let types: Vec<String> = names
        .bindings
        .iter()
        .map(|binding| {
            let annotation = binding.annotation.map(|annotation| format_expr(&names, annotation));
            let values = names
                .expr_ids_in_list_range(binding.values)
                .iter()
                .map(|value| format_expr(&names, *value))
                .collect::<Vec<_>>();
            format!("{} {} {}", names.name_text(binding.name), annotation.unwrap_or_default(), values.join(";"))
        })
        .collect();
    assert_eq!(types, ["A Kind ", "B Kind ", "C Kind ", "D  ", "E  Kind()", "F  Kind()"]);
}

#[test]
fn calls_of_functions_and_function_values_have_their_result_types() {
    let names = bind_source(
        "package p\ntype Open func(path string) (*File, error)\nfunc f(open Open, g func() Foo) {\n\th := func() Bar { return Bar{} }\n\th().X()\n\tg().Y()\n\tfile, _ := open(\"a\")\n\tfile.Close()\n\tgo func() { h() }()\nloop:\n\tfor {\n\t\tbreak loop\n\t}\n}\nfunc Map[T, U any](list []T, to func(T) U) []U { return Map[T, U](list, to) }\n",
    );
    assert_eq!(format_uses_of_name(&names, "X"), ["5 call h@4().X"]);
    assert_eq!(format_uses_of_name(&names, "Y"), ["6 call g@3().Y"]);
    assert_eq!(format_uses_of_name(&names, "loop"), Vec::<String>::new());
    assert_eq!(format_uses_of_name(&names, "Close"), ["8 call file@7.Close"]);
    assert_eq!(format_uses_of_name(&names, "Map"), ["15 call Map@15"]);
    assert_eq!(format_uses_of_name(&names, "U").len(), 3);
}

#[test]
fn broken_source_keeps_its_occurrences() {
    let names = bind_source("package p\nfunc f() {\n\tx := New(\n\tx.Run(y\n}\nfunc g() { h(z) }\n}}} foo bar(\n");
    let all = format_non_definition_occurrences(&names);
    for name in ["New", "Run", "h", "z"] {
        assert!(all.lines().any(|line| line.split(' ').nth(1) == Some(name)), "{name} is missing in\n{all}");
    }
}
