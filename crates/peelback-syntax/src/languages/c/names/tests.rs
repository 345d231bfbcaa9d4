#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::Grammar;
use crate::analysis::bind_names;
use crate::names::debug_text::{format_expr, format_non_definition_occurrences, format_uses_of_name};
use crate::names::{BindingKind, FILE_SCOPE, Names};
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
fn includes_import_every_name_of_their_file() {
    let names = bind_source("#include <stdio.h>\n#include \"store/store.h\"\n#ifdef X\n# include \"x.h\"\n#endif\n");
    let imports: Vec<_> = names
        .imports
        .iter()
        .map(|import| (names.name_text(import.source), import.special, import.glob, import.line))
        .collect();
    assert_eq!(imports, [("stdio.h", true, true, 1), ("store/store.h", false, true, 2), ("x.h", false, true, 4)]);
    assert_eq!(format_uses_of_name(&names, "X"), ["3 read X"]);
}

#[test]
fn functions_prototypes_and_local_variables_are_bound() {
    let names = bind_source(
        "static int twice(int n);\nnode_t *first(list_t *list) {\n  int n = twice(list->count);\n  {\n    int n = n;\n    use(n);\n  }\n  extern int shared;\n  return list->head + n;\n}\nint (*pick(int which))(void);\n",
    );
    assert_eq!(format_bindings(&names, BindingKind::Function), ["twice", "first -> node_t", "pick"]);
    assert!(names.bindings[0].private);
    assert_eq!(format_uses_of_name(&names, "n"), ["5 read n@5", "6 read n@5", "9 read n@3"]);
    assert_eq!(format_uses_of_name(&names, "head"), ["9 member list@2.head"]);
    assert_eq!(format_uses_of_name(&names, "count"), ["3 member list@2.count"]);
    assert_eq!(format_uses_of_name(&names, "shared"), ["8 read shared"]);
    assert_eq!(format_uses_of_name(&names, "twice"), ["3 call twice@1"]);
    assert_eq!(format_uses_of_name(&names, "list_t"), ["2 type list_t"]);
}

#[test]
fn types_and_their_members_are_bound() {
    let names = bind_source(
        "struct node;\ntypedef struct node node_t;\nstruct node {\n  node_t *next, *all[4];\n  int (*open)(struct file *f, node_t *n);\n  struct file *(*get)(void);\n  union { int a; float b; };\n  struct { int x; } pos;\n  unsigned flag : WIDTH;\n};\ntypedef struct { int w; } box_t, *box_p;\ntypedef enum color { RED, GREEN = BASE } color_t;\ntypedef int (*handler_t)(node_t *);\ntypedef struct same same;\n",
    );
    assert_eq!(format_bindings(&names, BindingKind::Type), ["node", "node", "box_t", "color", "same"]);
    assert_eq!(
        format_bindings(&names, BindingKind::TypeAlias),
        ["node_t -> node@3", "box_p -> box_t@11", "color_t -> color@12", "handler_t"]
    );
    assert_eq!(
        format_bindings(&names, BindingKind::Field),
        [
            "next -> node_t@2",
            "all -> node_t@2",
            "open",
            "get -> func -> file",
            "a",
            "b",
            "x",
            "pos -> {x}",
            "flag",
            "w"
        ]
    );
    assert_eq!(format_bindings(&names, BindingKind::EnumMember), ["RED -> color@12", "GREEN -> color@12"]);
    assert_eq!(format_uses_of_name(&names, "WIDTH"), ["9 read WIDTH"]);
    assert_eq!(format_uses_of_name(&names, "BASE"), ["12 read BASE"]);
}

#[test]
fn members_are_looked_up_in_the_declared_type() {
    let names = bind_source(
        "struct ops { int (*open)(int); struct ops *next; };\nint f(void *p, struct ops table[]) {\n  struct ops *o = (struct ops *)p;\n  ((struct ops *)p)->open(1);\n  table[0].next->next->open(o->open ? 1 : 2);\n  (*o).open = 0;\n  o->next++;\n  return sizeof(*o) + offsetof(struct ops, next);\n}\nstatic struct ops all[] = { { .open = f, .next = &(struct ops){ .open = f } }, [1] = { .open = f } };\n",
    );
    assert_eq!(
        format_uses_of_name(&names, "open"),
        [
            "4 call <ops@1>.open",
            "5 call table@2.next.next.open",
            "5 member o@3.open",
            "6 write o@3.open",
            "10 write <ops@1>.open",
            "10 write <ops@1>.open",
            "10 write <ops@1>.open"
        ]
    );
    assert_eq!(
        format_uses_of_name(&names, "next"),
        [
            "5 member table@2.next",
            "5 member table@2.next.next",
            "7 write o@3.next",
            "8 member <ops@1>.next",
            "10 write <ops@1>.next"
        ]
    );
    assert_eq!(format_uses_of_name(&names, "f"), ["10 read f@2", "10 read f@2", "10 read f@2"]);
}

#[test]
fn names_in_macro_bodies_are_uses() {
    let names = bind_source(
        "#define LIMIT BASE\n#define EACH(list, it) \\\n  for (node_t *it = (list)->head; it; it = NEXT(it)) /* it is no_name */ \\\n    use(\"no_name\", 'x', it ## _end, list->tail)\n#undef LIMIT\n#if defined(LIMIT) && LIMIT > 3\n#elif OTHER(2)\n#endif\nint x = LIMIT;\n",
    );
    assert_eq!(format_uses_of_name(&names, "BASE"), ["1 read BASE"]);
    assert_eq!(format_uses_of_name(&names, "NEXT"), ["3 call NEXT"]);
    assert_eq!(format_uses_of_name(&names, "node_t"), ["3 read node_t"]);
    assert_eq!(format_uses_of_name(&names, "head"), ["3 member ?.head"]);
    assert_eq!(format_uses_of_name(&names, "tail"), ["4 member ?.tail"]);
    assert_eq!(format_uses_of_name(&names, "use"), ["4 call use"]);
    for none in ["no_name", "it", "list", "_end", "x"] {
        assert_eq!(format_uses_of_name(&names, none), Vec::<String>::new(), "{none}");
    }
    assert_eq!(format_uses_of_name(&names, "OTHER").len(), 1);
    let limit = format_uses_of_name(&names, "LIMIT");
    assert_eq!(limit, ["5 read LIMIT@1", "6 read LIMIT@1", "6 read LIMIT@1", "9 read LIMIT@1"]);
}

#[test]
fn names_in_text_that_was_left_out_of_the_parse_are_found() {
    let source = "API int f(int a)\n{\n  if (a\n#ifdef LOUD\n      && is_loud(a)\n#else\n      && is_quiet(a->level) /* never_here */\n#include \"quiet.h\"\n#define QUIET(x) x + VOLUME\n#endif\n  ) {\n    go(a);\n  }\n}\nEXPORT static void g(void);\n";
    let names = bind_source(source);
    let all = format_non_definition_occurrences(&names);
    for (name, line) in
        [("is_loud", 5), ("is_quiet", 7), ("LOUD", 4), ("VOLUME", 9), ("API", 1), ("EXPORT", 15), ("go", 12)]
    {
        assert!(
            format_uses_of_name(&names, name).iter().any(|found| found.starts_with(&format!("{line} "))),
            "{name} in\n{all}"
        );
    }
    assert_eq!(format_uses_of_name(&names, "level"), ["7 member ?.level"]);
    assert!(format_uses_of_name(&names, "never_here").is_empty() && format_uses_of_name(&names, "include").is_empty());
    assert_eq!(names.imports.len(), 1);
    assert!(
        names
            .bindings
            .iter()
            .any(|binding| names.name_text(binding.name) == "QUIET" && binding.kind == BindingKind::Macro)
    );
    // Inside the function, `a` refers to the parameter.
    assert!(format_uses_of_name(&names, "a").iter().all(|found| found.contains("a@1")), "{all}");
}

#[test]
fn old_style_parameters_are_bound_and_labels_have_no_uses() {
    let names = bind_source(
        "int sum(a, b)\n  int a;\n  struct box *b;\n{\n  goto done;\ndone:\n  return a + b->w;\n}\nvoid log_it(const char *, ...) __attribute__((format(printf, 1, 2), cleanup(close_it)));\n__asm__(\"nop\");\n",
    );
    assert_eq!(format_bindings(&names, BindingKind::Parameter), ["a", "b -> box"]);
    assert_eq!(format_uses_of_name(&names, "a"), ["7 read a@2"]);
    assert_eq!(format_uses_of_name(&names, "w"), ["7 member b@3.w"]);
    for none in ["done", "printf", "format", "cleanup"] {
        assert_eq!(format_uses_of_name(&names, none), Vec::<String>::new(), "{none}");
    }
    assert_eq!(format_uses_of_name(&names, "close_it"), ["9 read close_it"]);
}

#[test]
fn only_static_names_are_private() {
    let names = bind_source("static int a;\nint b;\nextern int c;\nstatic void f(void) {}\n");
    let private: Vec<bool> =
        names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE).map(|binding| binding.private).collect();
    assert_eq!(private, [true, false, false, true]);
}

#[test]
fn conditional_code_is_recorded_with_the_macros_that_it_requires() {
    let text = concat!(
        "#ifndef GUARD_H\n#define GUARD_H\n#define OWN\n",
        "#ifdef FEATURE\nint a;\n#else\nint b;\n#endif\n",
        "#if defined(ONE) && ONE > 2 \\\n  && defined TWO // defined(COMMENT)\nint c;\nint d;\n",
        "#elif !defined(THREE)\nint e;\n#endif\n",
        "#if defined(FOUR) || defined(FIVE)\nint f;\n#endif\n",
        "#ifdef OWN\nint g;\n#endif\n# ifdef _WIN32\nint h;\n# endif\n",
        "/*\n#ifdef COMMENTED\n*/\n#if BARE && has_defined(SIX) && !SEVEN && 1\nint k;\n#endif\n",
        "#if !(defined(EIGHT) && defined(NINE)) && (defined(TEN) && (A || B))\nint l;\n#endif\n",
        "#if 0\nint m;\n#endif\n/* c */ #if /* why\n*/ defined(LATE)\nint n;\n#endif\n",
        "#ifdef OUTER\n#ifdef INNER\nint i;\n#endif\n#endif\n#endif\n#ifdef OPEN\nint j;\n",
    );
    let names = bind_source(text);
    let at = |word: &str| 1 + text.lines().position(|line| line.contains(word)).unwrap_or(0) as u32;
    let all: Vec<_> = names.conditions.iter().map(|c| (c.lines, names.name_text(c.name))).collect();
    assert_eq!(
        all,
        [
            ((5, 5), "FEATURE"),
            ((at("int c"), at("int d")), "ONE"),
            ((at("int c"), at("int d")), "TWO"),
            ((at("int k"), at("int k")), "BARE"),
            ((at("int l"), at("int l")), "TEN"),
            ((at("int m"), at("int m")), "0"),
            ((at("int n"), at("int n")), "LATE"),
            ((at("INNER"), at("int i") + 1), "OUTER"),
            ((at("int i"), at("int i")), "INNER"),
        ]
    );
}
