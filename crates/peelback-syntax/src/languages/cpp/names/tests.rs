#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_uses_of_name};
use crate::names::{BindingKind, FILE_SCOPE, Names, ScopeKind};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).unwrap()
}

/// The bindings of a kind, as `name -> annotation`.
fn format_bindings(names: &Names, kind: BindingKind) -> Vec<String> {
    let all = names.bindings.iter().filter(|binding| binding.kind == kind && binding.body != Some(binding.scope));
    all.map(|binding| {
        let annotation = binding.annotation.map(|annotation| format!(" -> {}", format_expr(names, annotation)));
        format!("{}{}", names.name_text(binding.name), annotation.unwrap_or_default())
    })
    .collect()
}

#[test]
fn every_kind_and_field_exists_in_the_grammar() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn includes_are_imports() {
    let names = bind_source(
        "#include <vector>\n#include \"db/store.h\"\n#if X\n#  include \"x.h\" // why\n#endif\nnamespace a {\n\
         // #include \"no.h\"\n#include \"inside.inc\"\n}\n#include_next <next.h>\n#include MACRO\n\
         const char *text = \"#include \\\"no.h\\\"\";\n",
    );
    let imports: Vec<_> =
        names.imports.iter().map(|import| (import.line, names.name_text(import.source), import.special)).collect();
    assert_eq!(
        imports,
        [
            (1, "vector", true),
            (2, "db/store.h", false),
            (4, "x.h", false),
            (8, "inside.inc", false),
            (10, "next.h", true)
        ]
    );
    assert_eq!(format_uses_of_name(&names, "MACRO"), ["11 read MACRO"]);
}

#[test]
fn a_program_begins_in_a_function_called_main() {
    assert!(bind_source("int helper() { return 0; }\nint main() {\n  return helper();\n}\n").begins_program);
    for text in ["int main(int argc, char **argv);\n", "struct S { int main() { return 0; } };\nint S::main() {}\n"] {
        assert!(!bind_source(text).begins_program, "{text}");
    }
}

#[test]
fn namespaces_are_modules() {
    let names = bind_source(
        "namespace a::b { int x; }\ninline namespace v1 { int y; }\nnamespace { int z; }\nnamespace c = a::b;\nusing namespace c;\nusing a::b::x;\n",
    );
    assert_eq!(format_bindings(&names, BindingKind::Module), ["a", "b", "v1", "c -> a@1.b"]);
    let private = |name: &str| names.bindings.iter().find(|found| names.name_text(found.name) == name).unwrap().private;
    assert!(private("z") && !private("y"));
    assert_eq!(format_bindings(&names, BindingKind::Import), ["using namespace -> c@4", "x -> a@1.b.x"]);
    assert_eq!(format_uses_of_name(&names, "x"), ["6 import a@1.b.x"]);
}

#[test]
fn macros_that_open_namespaces_give_scopes() {
    let names = bind_source(
        "#define API_BEGIN namespace api { inline namespace v1 {\n#define API_BEGIN_NAMESPACE \\\n  namespace api { \\\n  inline namespace v1 {\nAPI_BEGIN_NAMESPACE\nint x;\nAPI_END_NAMESPACE\nint y;\n",
    );
    let scope_of = |name: &str| names.bindings.iter().find(|found| names.name_text(found.name) == name).unwrap().scope;
    assert_eq!(names.scopes[scope_of("x") as usize].kind, ScopeKind::Module);
    assert_eq!(scope_of("y"), FILE_SCOPE);
    let opened = names.bindings.iter().find(|found| names.name_text(found.name) == "API_BEGIN_NAMESPACE").unwrap();
    assert_eq!(opened.bases.len, 1);
    assert_eq!(format_uses_of_name(&names, "API_BEGIN_NAMESPACE"), ["5 call API_BEGIN_NAMESPACE@2"]);
}

#[test]
fn classes_have_members_and_bases() {
    let names = bind_source(
        "class Store : public Base, private api::Other<int> {\n public:\n  Store();\n  ~Store() override;\n  int size() const { return size_; }\n  static Store* open(const std::string& path);\n  bool operator==(const Store& other) const;\n  operator bool() const;\n  friend class Peer;\n private:\n  int size_ = 0;\n  Node *head_, *tail_;\n};\n",
    );
    let members: Vec<&str> = names
        .bindings
        .iter()
        .filter(|binding| names.scopes[binding.scope as usize].kind == ScopeKind::Type)
        .map(|binding| names.name_text(binding.name))
        .collect();
    assert_eq!(members, ["Store", "~Store", "size", "open", "operator==", "operator bool", "size_", "head_", "tail_"]);
    let class = &names.bindings[0];
    let bases: Vec<String> =
        names.expr_ids_in_list_range(class.bases).iter().map(|base| format_expr(&names, *base)).collect();
    assert_eq!(bases, ["Base", "api.Other[int]"]);
    assert_eq!(format_bindings(&names, BindingKind::Field), ["size_ -> int", "head_ -> [Node]", "tail_ -> [Node]"]);
    assert_eq!(format_uses_of_name(&names, "size_"), ["5 read size_"]);
    assert!(names.bindings.iter().any(|binding| names.name_text(binding.name) == "open" && binding.on_type));
    assert_eq!(format_uses_of_name(&names, "Peer"), ["9 type Peer"]);
}

#[test]
fn definitions_outside_of_classes_extend_them() {
    let names = bind_source(
        "Status Store::Open(Options o) { return o.get(); }\ntemplate <class T> void api::List<T>::add(T *item) { item->use(); }\nint Store::count = 0;\nstruct Store::Impl { int x; };\n",
    );
    let targets: Vec<String> = names.extensions.iter().map(|extension| format_expr(&names, extension.target)).collect();
    assert_eq!(targets, ["Store", "api.List[T@2]", "Store", "Store"]);
    assert_eq!(format_uses_of_name(&names, "Store"), ["1 type Store", "3 type Store", "4 type Store"]);
    assert_eq!(format_uses_of_name(&names, "get"), ["1 call o@1.get"]);
    assert_eq!(format_uses_of_name(&names, "use"), ["2 call item@2[].use"]);
}

#[test]
fn values_pass_through_pointers_and_calls() {
    let names = bind_source(
        "void f(Store* s, Store& r) {\n  s->a(); r.b(); (*s).c();\n  auto x = make(1);\n  x.d();\n  auto p = std::make_unique<Store>();\n  p->e();\n  Store local(1);\n  local.g();\n  for (auto& item : list()) item.h();\n  auto fn = [&, n = s](Node m) { m.i(); n->j(); };\n  static_cast<Store*>(raw)->k();\n  new Store(2);\n  Store{3}.l();\n  Lock lock(mutex);\n  auto [one, two] = pair();\n  all[0].o();\n}\n",
    );
    for (name, expected) in [
        ("a", "2 call s@1[].a"),
        ("b", "2 call r@1.b"),
        ("c", "2 call s@1[].c"),
        ("d", "4 call x@3.d"),
        ("e", "6 call p@5[].e"),
        ("g", "8 call local@7.g"),
        ("h", "9 call item@9.h"),
        ("i", "10 call m@10.i"),
        ("j", "10 call n@10[].j"),
        ("k", "11 call <[Store]>[].k"),
        ("l", "13 call <Store>.l"),
        ("o", "16 call all[_].o"),
        ("mutex", "14 read mutex"),
        ("list", "9 call list"),
    ] {
        assert_eq!(format_uses_of_name(&names, name), [expected], "{name}");
    }
    assert_eq!(format_uses_of_name(&names, "Store").len(), 8);
}

#[test]
fn bodies_of_macro_calls_are_code() {
    let names = bind_source("TEST_F(StoreTest, Opens) {\n  open(path_);\n}\nTEST(\"name\") { run(); }\n");
    assert_eq!(format_uses_of_name(&names, "TEST_F"), ["1 call TEST_F"]);
    assert_eq!(format_uses_of_name(&names, "StoreTest"), ["1 type StoreTest"]);
    assert_eq!(format_uses_of_name(&names, "open"), ["2 call open"]);
}

#[test]
fn macro_bodies_hold_paths() {
    let names = bind_source("#define LOG(x, ...) \\\n  api::log(x, api::Level::high)->write(sizeof(T::value))\n");
    assert_eq!(format_uses_of_name(&names, "log"), ["2 call api.log"]);
    assert_eq!(format_uses_of_name(&names, "high"), ["2 read api.Level.high"]);
    assert_eq!(format_uses_of_name(&names, "write"), ["2 call ?.write"]);
    assert_eq!(format_uses_of_name(&names, "x"), Vec::<String>::new());
}

#[test]
fn enums_bind_their_constants_where_they_are_seen() {
    let names = bind_source(
        "enum Color { red, green = red };\nenum class Mode : int { on };\nusing Alias = Color;\ntypedef struct { int w; } Box;\n",
    );
    let kinds: Vec<(&str, ScopeKind)> = names
        .bindings
        .iter()
        .filter(|binding| binding.kind == BindingKind::EnumMember)
        .map(|binding| (names.name_text(binding.name), names.scopes[binding.scope as usize].kind))
        .collect();
    assert_eq!(kinds, [("red", ScopeKind::File), ("green", ScopeKind::File), ("on", ScopeKind::Type)]);
    assert_eq!(format_bindings(&names, BindingKind::TypeAlias), ["Alias -> Color@1"]);
    assert_eq!(format_bindings(&names, BindingKind::Type), ["Color", "Mode", "Box"]);
}

#[test]
fn values_behind_members_are_no_members() {
    let names = bind_source(
        "struct S { int count = kMax; Mode mode = Mode::off; int a = kMax, b = kMin; void (*call)() = run; Box box{kMax}; };\n",
    );
    assert_eq!(format_bindings(&names, BindingKind::Field).len(), 6);
    assert_eq!(format_uses_of_name(&names, "kMax"), ["1 read kMax"; 3]);
    assert_eq!(format_uses_of_name(&names, "off"), ["1 read Mode.off"]);
    assert_eq!(format_uses_of_name(&names, "kMin"), ["1 read kMin"]);
    assert_eq!(format_uses_of_name(&names, "run"), ["1 read run"]);
}

#[test]
fn what_operators_give_is_known_of_pointers_only() {
    let names = bind_source("void f() { (a - b)->c(); (x ? d : e).g(); (x ? nullptr : d)->h(); }\n");
    assert_eq!(format_uses_of_name(&names, "c"), ["1 call a[:][].c"]);
    assert_eq!(format_uses_of_name(&names, "h"), ["1 call d[].h"]);
    assert_eq!(format_uses_of_name(&names, "g"), ["1 call d | e.g"]);
}

#[test]
fn names_in_attributes_are_used() {
    let names = bind_source(
        "[[deprecated(MSG)]] void old();\nvoid f() { __attribute__((cleanup(done))) int x; }\nstruct alignas(SIZE) S {};\nvoid log(const char*) __attribute__((format(printf, 1, 2)));\n",
    );
    for (name, expected) in [("MSG", "1 read MSG"), ("done", "2 read done"), ("SIZE", "3 read SIZE")] {
        assert_eq!(format_uses_of_name(&names, name), [expected], "{name}");
    }
    for name in ["deprecated", "cleanup", "printf"] {
        assert_eq!(format_uses_of_name(&names, name), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn words_of_modules_can_be_types() {
    let names = bind_source(
        "struct module { int size(); };\nint f() { module m; return m.size(); }\nmodule g(int x);\nmodule all;\n",
    );
    assert_eq!(format_uses_of_name(&names, "module").len(), 5);
    assert_eq!(format_uses_of_name(&names, "size"), ["2 call m@2.size"]);
    let names = bind_source("module a;\nimport b;\nvoid c();\n");
    let bound: Vec<&str> = names.bindings.iter().map(|binding| names.name_text(binding.name)).collect();
    assert_eq!(bound, ["c"]);
}

#[test]
fn macro_bodies_hold_all_literals() {
    let names =
        bind_source("#define A(x) ((x) > 1'000 ? one() : two('a'))\n#define B R\"(a \" b)\" three()\nvoid f();\n");
    for (name, expected) in [("one", "1 call one"), ("two", "1 call two"), ("three", "2 call three")] {
        assert_eq!(format_uses_of_name(&names, name), [expected], "{name}");
    }
}

#[test]
fn macros_in_comments_open_no_namespaces() {
    for text in [
        "/* Wrap them so:\nAPI_BEGIN_NAMESPACE\n*/\nint y;\n",
        "auto x = R\"(\nAPI_BEGIN_NAMESPACE\n)\";\nint y;\n",
        "// path/*.h\nint y;\n",
    ] {
        let names = bind_source(text);
        let bound = names.bindings.iter().find(|found| names.name_text(found.name) == "y").unwrap();
        assert_eq!(bound.scope, FILE_SCOPE, "{text}");
    }
}

#[test]
fn constants_under_conditions_belong_to_their_enum() {
    let names =
        bind_source("enum Level { low,\n#ifdef X\n high,\n#endif\n#if Y > 1\n more,\n#else\n less,\n#endif\n top };\n");
    let constants = format_bindings(&names, BindingKind::EnumMember);
    assert_eq!(constants, ["low", "high", "more", "less", "top"].map(|name| format!("{name} -> Level@1")));
    assert_eq!(format_uses_of_name(&names, "X"), ["2 read X"]);
    assert_eq!(format_uses_of_name(&names, "Y"), ["5 read Y"]);
}

#[test]
fn arguments_of_macros_that_make_functions_are_listed() {
    let names = bind_source("CASE(Store, Other) { int x = 1; }\n");
    assert_eq!(format_uses_of_name(&names, "Store"), ["1 type Store"]);
    assert_eq!(format_uses_of_name(&names, "Other"), ["1 read ?"]);
}

#[test]
fn parameters_tell_overloads_apart() {
    let names = bind_source(
        "void f(int a, const std::string& b = \"\");\nvoid f(int x, const string& y) {}\nvoid g(int a, ...);\nvoid h(void);\n\
         template <typename... A> void i(A... a);\nvoid use() { f(1, \"\"); i(a...); Store s(1, 2); Store t; Store& r = s; }\n",
    );
    let lists: Vec<_> = names.parameter_lists.iter().map(|(_, list)| (list.required, list.most)).collect();
    assert_eq!(lists, [(1, 2), (2, 2), (1, u32::MAX), (0, 0), (0, u32::MAX), (0, 0)]);
    let types: Vec<u64> = names.parameter_lists.iter().map(|(_, list)| list.types).collect();
    assert!(types[0] == types[1] && types[0] != types[2]);
    let calls: Vec<(String, u32)> =
        names.call_arguments.iter().map(|(callee, args)| (format_expr(&names, *callee), args.len)).collect();
    assert_eq!(calls, [("f@2".to_owned(), 2), ("Store".to_owned(), 2), ("Store".to_owned(), 0)]);
}

#[test]
fn names_in_broken_code_are_recorded() {
    let names = bind_source("void f();\n) void x( {{{ @@ open_all ( reader ]] ;\n");
    for name in ["open_all", "reader"] {
        assert_eq!(format_uses_of_name(&names, name).len(), 1, "{name}");
    }
}
