use proptest::prelude::*;

use super::repair_source_for_parser;

#[test]
fn macros_of_compound_literals_are_blanked() {
    for (text, expected) in [
        ("V f(V a) { return LIT( V ){ a.x, FULL }; }", "V f(V a) { return    ( V ){ a.x, FULL }; }"),
        ("void f(void) { V a = LIT(struct V){ 1 }; }", "void f(void) { V a =    (struct V){ 1 }; }"),
        ("void f(void) { use(1, LIT(V*){ ';' }); }", "void f(void) { use(1,    (V*){ ';' }); }"),
        ("void f(void) { use(&LIT(V){ 1 }); }", "void f(void) { use(&   (V){ 1 }); }"),
        ("void f(void) { g = a ? LIT(V){ 1 } : LIT(V){ 2 }; }", "void f(void) { g = a ?    (V){ 1 } :    (V){ 2 }; }"),
        ("V all[] = { LIT(V){ 1 }, LIT(V){ 2 } };", "V all[] = {    (V){ 1 },    (V){ 2 } };"),
    ] {
        assert_eq!(repair_source_for_parser(text).as_deref(), Some(expected), "{text}");
    }
    for text in [
        "void f(void) { int x = LOOP(x) { run(); }; }",
        "void f(void) { FOREACH(x) { run(x) } }",
        "void f(void) { switch (a) { case B: EACH(x) { run(x) } } }",
        "void f(void) { return LIT(V); }",
        "int x = LIT(1){ 2 };",
    ] {
        assert_eq!(repair_source_for_parser(text), None, "{text}");
    }
}

#[test]
fn the_only_enumerator_of_an_enum_stays() {
    for text in ["enum k { ONE };", "typedef enum { /* one */ ONE } k;", "enum { ONE\n};"] {
        assert_eq!(repair_source_for_parser(text), None, "{text}");
    }
}

#[test]
fn the_head_of_a_python_object_is_blanked() {
    let text = "struct s {\n PyObject_HEAD St* dec;\n};";
    assert_eq!(repair_source_for_parser(text).as_deref(), Some("struct s {\n const         St* dec;\n};"));
}

const PIECES: &[&str] = &[
    "#if 0\n",
    "#ifdef A\n",
    "#else\n",
    "#endif\n",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    "=",
    ",",
    "*",
    "\n",
    " ",
    "int ",
    "API ",
    "(API *name)(",
    "__init ",
    "name",
    "else ",
    "\"s\"",
    "\"",
    "'",
    "/* é */",
    "/*",
    "// é\n",
    "\\\n",
    "\r\n",
    "__attribute__((x))",
    "_Thread_local ",
    "_Atomic",
    "_Complex ",
    "auto ",
    "return ",
    "LIT(V){",
    "?",
    ":",
    "enum ",
    "struct ",
    "é",
    "#define X \\\n",
];

proptest! {
    #[test]
    fn a_repair_keeps_the_length_and_the_line_breaks(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let source: String = picks.into_iter().filter_map(|pick| PIECES.get(pick)).copied().collect();
        if let Some(out) = repair_source_for_parser(&source) {
            prop_assert_eq!(out.len(), source.len());
            let newlines = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
            prop_assert_eq!(newlines(&out), newlines(&source));
        }
    }
}
