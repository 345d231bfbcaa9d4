//! Tests that print the bindings and occurrences of small sources.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use std::fmt::Write as _;

use crate::analysis::bind_names;
use crate::language;
use crate::names::{Exported, Expr, ExprId, Names, Target};
use crate::parse::Limits;
use crate::spec::Analysis;

fn bind_source(language: &str, source: &str) -> Names {
    let language = language::all_languages().iter().find(|known| known.name == language).expect("a language");
    bind_names(language, source, &Limits::default()).expect("a parse")
}

/// Formats an expression in a short notation.
fn format_expr(names: &Names, expr: ExprId) -> String {
    let list = |span| {
        let parts: Vec<String> =
            names.expr_ids_in_list_range(span).iter().map(|part| format_expr(names, *part)).collect();
        parts.join(", ")
    };
    match names.expr_by_id(expr) {
        Expr::Name { name, .. } => names.name_text(name).to_owned(),
        Expr::Member { base, name, .. } => format!("{}.{}", format_expr(names, base), names.name_text(name)),
        Expr::Call { callee } => format!("{}()", format_expr(names, callee)),
        Expr::Applied { callee, args } => format!("{}({})", format_expr(names, callee), list(args)),
        Expr::Argument { of, index } => format!("{}(#{index})", format_expr(names, of)),
        Expr::Instance { of } | Expr::Matched { of, .. } => format!("new {}", format_expr(names, of)),
        Expr::TypeOf { of } => format!("typeof {}", format_expr(names, of)),
        Expr::Element { of } | Expr::Subscript { of, .. } | Expr::Fallback { value: of, .. } => {
            format!("{}[]", format_expr(names, of))
        }
        Expr::Item { of, index } => format!("{}[{index}]", format_expr(names, of)),
        Expr::Given { callee, .. } => format!("{}(…)", format_expr(names, callee)),
        Expr::Generic { base: Some(base), args } => format!("{}<{}>", format_expr(names, base), list(args)),
        Expr::Generic { base: None, args } => format!("<{}>", list(args)),
        Expr::Either(span) => format!("({})", list(span).replace(", ", " | ")),
        Expr::Tuple(span) => format!("[{}]", list(span)),
        Expr::This { .. } => "this".to_owned(),
        Expr::ThisType { .. } => "This".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Object { .. } => "{}".to_owned(),
        Expr::Function { .. } => "=>".to_owned(),
        Expr::Bound { binding } => {
            names.bindings.get(binding as usize).map_or("?", |bound| names.name_text(bound.name)).to_owned()
        }
        Expr::Imported { import } => {
            let source = names.imports.get(import as usize).map_or("?", |import| names.name_text(import.source));
            format!("<{source}>")
        }
        Expr::MacroCall { callee, args } => format!("{}!({})", format_expr(names, callee), list(args)),
        Expr::MacroArgument { index, .. } => format!("$(#{index})"),
        Expr::Unknown => "?".to_owned(),
    }
}

/// The kind, declared type and values of every binding called `name`.
fn format_bindings(names: &Names, name: &str) -> String {
    let mut out = String::new();
    for binding in names.bindings.iter().filter(|binding| names.name_text(binding.name) == name) {
        let _ = write!(out, "{:?}", binding.kind);
        if let Some(annotation) = binding.annotation {
            let _ = write!(out, ": {}", format_expr(names, annotation));
        }
        for value in names.expr_ids_in_list_range(binding.values) {
            let _ = write!(out, " = {}", format_expr(names, *value));
        }
        for base in names.expr_ids_in_list_range(binding.bases) {
            let _ = write!(out, " < {}", format_expr(names, *base));
        }
        for (word, flag) in [("static", binding.on_type), ("private", binding.private), ("wrapped", binding.wrapped)] {
            if flag {
                let _ = write!(out, " {word}");
            }
        }
        out.push('\n');
    }
    out.trim_end().to_owned()
}

/// Every occurrence that is not a definition, as `role target`.
fn format_uses(names: &Names) -> Vec<String> {
    let mut found = Vec::new();
    for occurrence in &names.occurrences {
        let meaning = match occurrence.target {
            Target::Expr(expr) => format_expr(names, expr),
            Target::Imported(import, name) => {
                let source = names.imports.get(import as usize).map_or("?", |import| names.name_text(import.source));
                format!("<{source}>{}", name.map_or(String::new(), |name| format!(".{}", names.name_text(name))))
            }
            Target::Parameter { callee } => format!("{}(…)", format_expr(names, callee)),
            Target::Binding(_) if occurrence.role == crate::names::Role::Definition => continue,
            Target::Binding(_) => "local".to_owned(),
            Target::Unknown => "?".to_owned(),
        };
        found.push(format!("{} {}", occurrence.role.as_str(), meaning));
    }
    found
}

fn format_exports(names: &Names) -> Option<Vec<String>> {
    let exports = names.exports.as_deref()?;
    let what = |export: &crate::names::Export| match export.what {
        Exported::Expr(expr) => format_expr(names, expr),
        Exported::From(import, name) => format!("{import}:{}", name.map_or("", |name| names.name_text(name))),
        Exported::AllOf(import) => format!("{import}:*"),
        Exported::Module(expr) => format!("= {}", format_expr(names, expr)),
    };
    Some(exports.iter().map(|export| format!("{} {}", names.name_text(export.name), what(export))).collect())
}

#[test]
fn variables_have_the_values_that_are_assigned_to_them() {
    let names = bind_source(
        "typescript",
        "const a = new A(); let b: B[] = x; var c; c = f(); const { d, e: [g] } = h(); \
         function i() { var j = 1; if (j) { var k = a.l ?? await m(); } } const n = async () => { return o; };",
    );
    assert_eq!(format_bindings(&names, "a"), "Variable = new A");
    assert_eq!(format_bindings(&names, "b"), "Variable: <B> = x");
    assert_eq!(format_bindings(&names, "c"), "Variable = f()");
    assert_eq!(format_bindings(&names, "d"), "Variable = h().d");
    assert_eq!(format_bindings(&names, "g"), "Variable = h().e[0]");
    assert_eq!(format_bindings(&names, "k"), "Variable = (a.l | m()[])");
    assert_eq!(format_bindings(&names, "n"), "Variable = =>");
    assert_eq!(format_bindings(&names, ""), "Function = o wrapped");
    let of = |name: &str| names.bindings.iter().find(|binding| names.name_text(binding.name) == name).map(|b| b.scope);
    assert_eq!(of("j"), of("k"), "var belongs to the function");
}

#[test]
fn class_members_are_bound_with_their_types_and_values() {
    let names = bind_source(
        "typescript",
        "class A<T extends B> extends C<T> implements D { x: T; static y = new E(); #z = 1;\n\
         constructor(private readonly p: P, q: Q) { super(); this.x = q.r; this.w = 1; }\n\
         get v(): V { return this.x; } async m() { return this.n(); } static s(): this { return new this(); }\n\
         n = () => this.m(); ['o']() {} }",
    );
    assert_eq!(format_bindings(&names, "A"), "Type < C<T> < D");
    assert_eq!(format_bindings(&names, "T"), "TypeParameter: B");
    assert_eq!(format_bindings(&names, "x"), "Field: T");
    assert_eq!(format_bindings(&names, "y"), "Field = new E static");
    assert_eq!(format_bindings(&names, "#z"), "Field private");
    assert_eq!(format_bindings(&names, "p"), "Parameter: P\nField: P private");
    assert_eq!(format_bindings(&names, "v"), "Property: V");
    assert_eq!(format_bindings(&names, "m"), "Function = this.n() wrapped");
    assert_eq!(format_bindings(&names, "s"), "Function: This static");
    assert_eq!(format_bindings(&names, "o"), "Function");
    assert_eq!(format_bindings(&names, "w"), "", "TypeScript declares every field");
    let names = bind_source(
        "javascript",
        "class A { m() { this.w = new B(); this.w = 2; const f = () => { this.v = 1; }; } v; }",
    );
    assert_eq!(format_bindings(&names, "w"), "Field = new B");
    assert_eq!(format_bindings(&names, "v"), "Field");
    assert!(format_uses(&names).contains(&"write this.v".to_owned()), "{:?}", format_uses(&names));
}

#[test]
fn type_declarations_have_the_types_that_they_denote() {
    let names = bind_source(
        "typescript",
        "type A = B | C[]; type D<T> = { e: T; f(g: G): H; (i: I): J; [k: string]: K }; type L = typeof m.n; \
         type O = Partial<P>; type Q = S['t']; type U = ReturnType<typeof v>; type W = X extends infer Y ? Y : Z; \
         interface AA extends BB<CC> { dd?: EE.FF } let g2: import('./gg').HH; type II = { [jj in KK]: LL };\
         function mm(x: unknown): x is NN { return true; }",
    );
    assert_eq!(format_bindings(&names, "A"), "TypeAlias: (B | <C>)");
    assert_eq!(format_bindings(&names, "D"), "TypeAlias: {}");
    assert_eq!(format_bindings(&names, "e"), "Field: T");
    assert_eq!(format_bindings(&names, "f"), "Function: H");
    assert_eq!(format_bindings(&names, "()"), "Function: J");
    assert_eq!(format_bindings(&names, "[]"), "Field: K\nField: LL");
    assert_eq!(format_bindings(&names, "L"), "TypeAlias: typeof m.n");
    assert_eq!(format_bindings(&names, "O"), "TypeAlias: P");
    assert_eq!(format_bindings(&names, "Q"), "TypeAlias: typeof new S.t");
    assert_eq!(format_bindings(&names, "U"), "TypeAlias: typeof v()");
    assert_eq!(format_bindings(&names, "W"), "TypeAlias: (Y | Z)");
    assert_eq!(format_bindings(&names, "AA"), "Type < BB<CC>");
    assert_eq!(format_bindings(&names, "dd"), "Field: EE.FF");
    assert_eq!(format_bindings(&names, "g2"), "Variable: <./gg>.HH");
    assert_eq!(format_bindings(&names, "mm"), "Function");
    assert!(format_uses(&names).contains(&"type NN".to_owned()));
}

#[test]
fn es_modules_have_imports_and_exports() {
    let names = bind_source(
        "typescript",
        "import a, { b as c, type d } from './x'; import * as e from './y'; import type { f } from './z';\n\
         import g = require('./w'); import './v'; export { a as default, c }; export * from './u';\n\
         export { h as i } from './t'; export * as j from './s'; export const k = 1, { l } = m;\n\
         export default class { }\n",
    );
    let imports: Vec<String> = names
        .imports
        .iter()
        .map(|import| {
            let taken: Vec<&str> = import.names.iter().map(|name| names.name_text(*name)).collect();
            format!("{} {} {}", import.kind.as_str(), names.name_text(import.source), taken.join(","))
        })
        .collect();
    assert_eq!(
        imports,
        [
            "import ./x default,b,d",
            "import ./y ",
            "type_import ./z f",
            "require ./w ",
            "import ./v ",
            "re_export ./u ",
            "re_export ./t h",
            "re_export ./s "
        ]
    );
    let exports = format_exports(&names).expect("a module");
    assert_eq!(exports, ["default a", "c c", "* 5:*", "i 6:h", "j 7:", "k k", "l l", "default "]);
    assert_eq!(format_bindings(&names, "c"), "Import");
    assert_eq!(
        format_uses(&names),
        [
            "import <./x>.default",
            "import <./x>.b",
            "import local",
            "import <./x>.d",
            "import <./y>",
            "import <./z>.f",
            "import <./w>",
            "export a",
            "export a",
            "export c",
            "export <./t>.h",
            "export <./t>.h",
            "export <./s>",
            "member m.l",
            "read m"
        ]
        .map(str::to_owned)
    );
    assert_eq!(super::tests::format_exports(&bind_source("typescript", "const a = 1;")), None);
    assert_eq!(super::tests::format_exports(&bind_source("typescript", "import './a';")), Some(vec![]));
}

#[test]
fn commonjs_modules_have_imports_and_exports() {
    let names = bind_source(
        "javascript",
        "const a = require('./a'), { b, c: d } = require('./b'), e = require('./e').f; require('./g')();\n\
         exports.h = function i() {}; module.exports.j = a; exports.h = 2; vi.mock('./k', () => ({}));\n\
         const l = await import(`./m`), n = await import('./o');",
    );
    assert_eq!(format_bindings(&names, "d"), "Import");
    assert_eq!(format_bindings(&names, "h"), "Field = =>");
    assert_eq!(format_exports(&names).expect("a module"), ["h h", "j j"]);
    assert_eq!(format_bindings(&names, "n"), "Variable = <./o>");
    let sources: Vec<&str> = names.imports.iter().map(|import| names.name_text(import.source)).collect();
    assert_eq!(sources, ["./a", "./b", "./e", "./g", "./k", "./o"]);
    let whole = bind_source("javascript", "module.exports = A; class A {}");
    assert_eq!(format_exports(&whole).expect("a module"), ["export= = A"]);
    let local = bind_source(
        "javascript",
        "function f(require, module, exports) { require('a'); module.exports = 1; exports.b = 2 }",
    );
    assert_eq!((local.imports.len(), format_exports(&local)), (0, None));
}

#[test]
fn a_value_assigned_to_a_property_is_a_member() {
    let names = bind_source(
        "javascript",
        "function A() { this.b = 1; } A.prototype.c = function () { this.b; }; A.d = 1; A.d = 2;\n\
         var e = exports = module.exports = {}; e.f = function () { this.g(); }; e.g = () => {};\n\
         Other.prototype.h = 1; param.i = 1;",
    );
    assert_eq!(format_bindings(&names, "b"), "Field");
    assert_eq!(format_bindings(&names, "c"), "Field = =>");
    assert_eq!(format_bindings(&names, "d"), "Field static");
    assert_eq!(format_bindings(&names, "f"), "Field = =>");
    assert_eq!(names.extensions.len(), 2);
    let uses = format_uses(&names);
    for expected in ["member this.b", "write A.d", "call {}.g", "write param.i"] {
        assert!(uses.contains(&expected.to_owned()), "{expected} {uses:?}");
    }
}

#[test]
fn a_call_that_defines_a_property_makes_it_a_member() {
    let names = bind_source(
        "typescript",
        "const o = {}; Object.defineProperty<Foo>(o, 'a', { get(): T { return b(); }, set(v) { c(v); } });\n\
         Object.defineProperty(o, 'd', { value: function () { this.a; }, 'enumerable': e });\n\
         defineGetter<Bar>(o, 'f', () => g.h, { ...i }); defineGetter(o, 'j', k); defineGetter(...l, 'm', () => 1);\n\
         Object.defineProperty(o, 'n', { get }); Object.defineProperty(p, 'q', { get() {} });\n\
         export const defineGetter = (object, name, getter) => Object.defineProperty(object, name, { get: getter });",
    );
    assert_eq!(format_bindings(&names, "a"), "Property: T");
    assert_eq!(format_bindings(&names, "d"), "Field = =>");
    assert_eq!(format_bindings(&names, "f"), "Property = g.h");
    assert_eq!(format_bindings(&names, "j"), "Property = k()");
    assert_eq!(format_bindings(&names, "m"), "");
    assert_eq!(format_bindings(&names, "n"), "Property = get()");
    assert_eq!(format_bindings(&names, "q"), "", "another file defines the object");
    let body = |name: &str| {
        let property = names.bindings.iter().find(|binding| names.name_text(binding.name) == name).expect("a property");
        property.body.is_some()
    };
    assert_eq!([body("a"), body("f"), body("j")], [true, false, false]);
    let uses = format_uses(&names);
    for expected in ["type Foo", "type Bar", "type T", "member {}.a", "read e", "read i", "read l", "write p.q"] {
        assert!(uses.contains(&expected.to_owned()), "{expected} {uses:?}");
    }
    let exported = bind_source(
        "javascript",
        "exports.a = void 0; Object.defineProperty(exports, 'a', { get: function () { return b.c; } });\n\
         Object.defineProperty(exports, 'd', { get() { e(); return b.c; } }); exports.f = 1;\n\
         Object.defineProperty(exports, 'f', { get() { return b.c; } });",
    );
    assert_eq!(format_bindings(&exported, "a"), "Property = b.c");
    assert_eq!(format_bindings(&exported, "d"), "Property = b.c");
    assert_eq!(format_exports(&exported).expect("a module"), ["a a", "d d", "f f"]);
}

#[test]
fn instanceof_conditions_narrow_a_name() {
    let names = bind_source(
        "typescript",
        "function f(x) { if (x instanceof A && x.a) { x.b; } x.c; if (!(x instanceof B)) return; x.d; }\n\
         x instanceof C ? x.e : x.f;",
    );
    let uses = format_uses(&names);
    for expected in ["member new A.a", "member new A.b", "member x.c", "member new B.d", "member new C.e", "member x.f"]
    {
        assert!(uses.contains(&expected.to_owned()), "{expected} {uses:?}");
    }
}

#[test]
fn jsx_elements_are_calls_of_their_components() {
    let names = bind_source("tsx", "const a = <A.B c={d} {...e}><F>text {g}</F><div id='x' /></A.B>;");
    assert_eq!(
        format_uses(&names),
        [
            "read A",
            "call A.B",
            "write A.B(…)",
            "write A.B(#0).c",
            "read d",
            "read e",
            "call F",
            "read g",
            "read F",
            "read A",
            "member A.B"
        ]
        .map(str::to_owned)
    );
}

/// Every identifier outside strings and comments has an occurrence, in all fixtures.
#[test]
fn every_identifier_of_the_fixtures_has_an_occurrence() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    let mut checked = 0;
    for entry in ["javascript", "typescript", "tsx", "vue", "svelte", "astro"] {
        for file in std::fs::read_dir(folder.join(entry).join("fixtures")).expect("fixtures") {
            let path = file.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
            let Some(language) = language::language_of_file_name(name) else { continue };
            let source = std::fs::read_to_string(&path).expect("UTF-8");
            let Ok(names) = bind_names(language, &source, &Limits::default()) else { continue };
            checked += 1;
            let known: std::collections::HashSet<u32> = names.occurrences.iter().map(|found| found.at).collect();
            let missed = |line: u32| names.missed.iter().any(|(first, last)| (*first..=*last).contains(&line));
            for (at, word) in identifiers_in(&source, language.name) {
                let line = u32::try_from(source[..at].matches('\n').count()).expect("small") + 1;
                let at = u32::try_from(at).expect("small");
                assert!(known.contains(&at) || missed(line), "{name}:{line} {word}");
            }
        }
    }
    assert!(checked > 10, "{checked}");
}

/// Every kind in the table exists in one of the grammars.
#[test]
fn every_kind_exists_in_a_grammar() {
    let grammars = ["javascript", "typescript", "tsx"].map(grammar);
    for kind in super::kinds::NODE_KINDS {
        assert!(grammars.iter().any(|grammar| grammar.id_for_node_kind(kind, true) != 0), "no grammar has {kind}");
    }
}

fn grammar(language: &str) -> tree_sitter::Language {
    let language = language::language_by_exact_name(language).expect("a language");
    let Analysis::Frontend { grammar: Some(grammar), .. } = language.analysis else { panic!("no grammar") };
    grammar.into()
}

/// The identifiers of a source with their offsets, as its grammar sees them; none for markup.
fn identifiers_in<'s>(source: &'s str, language: &str) -> Vec<(usize, &'s str)> {
    if language::language_by_exact_name(language)
        .is_none_or(|known| !matches!(known.analysis, Analysis::Frontend { .. }))
    {
        return Vec::new();
    }
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar(language)).expect("a grammar");
    let tree = parser.parse(source, None).expect("a tree");
    let mut found = Vec::new();
    let mut stack = vec![tree.root_node()];
    while let Some(node) = stack.pop() {
        let mut cursor = node.walk();
        stack.extend(node.children(&mut cursor));
        let text = source.get(node.byte_range()).unwrap_or("");
        let is_host = node.parent().is_some_and(|parent| parent.kind().starts_with("jsx_"))
            && text.starts_with(|first: char| first.is_lowercase());
        let is_special = matches!(text, "exports" | "module" | "require");
        if node.kind().ends_with("identifier")
            && node.child_count() == 0
            && !matches!(node.kind(), "statement_identifier")
            && !is_host
            && !is_special
        {
            found.push((node.start_byte(), text));
        }
    }
    found
}
