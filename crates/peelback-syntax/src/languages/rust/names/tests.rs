#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use std::fmt::Write as _;

use crate::analysis;
use crate::language;
use crate::names::{BindingKind, Expr, ExprId, ModuleImportKind, Names, Role, Target};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    analysis::bind_names(language::language_by_exact_name("rust").unwrap(), source, &Limits::default()).unwrap()
}

/// Formats an expression in a notation close to source code.
fn format_expr(names: &Names, id: ExprId) -> String {
    let list = |span| {
        names.expr_ids_in_list_range(span).iter().map(|id| format_expr(names, *id)).collect::<Vec<_>>().join(", ")
    };
    match names.expr_by_id(id) {
        Expr::Name { name, .. } => names.name_text(name).to_owned(),
        Expr::Member { base, name, .. } => format!("{}.{}", format_expr(names, base), names.name_text(name)),
        Expr::Call { callee } => format!("{}()", format_expr(names, callee)),
        Expr::Instance { of } => format!("a({})", format_expr(names, of)),
        Expr::Matched { value, of } => format!("a({} = {})", format_expr(names, of), format_expr(names, value)),
        Expr::TypeOf { of } => format!("type({})", format_expr(names, of)),
        Expr::Element { of } => format!("{}[]", format_expr(names, of)),
        Expr::Item { of, index } => format!("{}#{index}", format_expr(names, of)),
        Expr::Given { callee, argument, parameter } => {
            format!("{}({argument}: {parameter})", format_expr(names, callee))
        }
        Expr::Generic { base, args } => {
            format!("{}<{}>", base.map(|base| format_expr(names, base)).unwrap_or_default(), list(args))
        }
        Expr::Either(span) => format!("({})", list(span).replace(", ", " | ")),
        Expr::Tuple(span) => format!("({})", list(span)),
        Expr::This { .. } => "this".to_owned(),
        Expr::ThisType { .. } => "This".to_owned(),
        Expr::Function { binding } => {
            let binding = &names.bindings[binding as usize];
            let return_type =
                binding.annotation.map(|id| format_expr(names, id)).unwrap_or_else(|| list(binding.values));
            format!("|| {return_type}")
        }
        Expr::MacroCall { callee, args } => format!("{}!({})", format_expr(names, callee), list(args)),
        Expr::MacroArgument { index, .. } => format!("${index}"),
        Expr::Unknown => "?".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Every occurrence that is not a definition, formatted as `line name role: target`.
fn format_uses(source: &str) -> Vec<String> {
    let names = bind_source(source);
    let mut rows = Vec::new();
    for occurrence in &names.occurrences {
        let mut row = format!("{} {} {}", occurrence.line, names.name_text(occurrence.name), occurrence.role.as_str());
        match occurrence.target {
            Target::Binding(_) if occurrence.role == Role::Definition => continue,
            Target::Expr(expr) => write!(row, ": {}", format_expr(&names, expr)).unwrap(),
            Target::Imported(import, name) => {
                let import = &names.imports[import as usize];
                let name = name.map(|name| names.name_text(name)).unwrap_or("*");
                write!(row, ": <{}> {name}", names.name_text(import.source)).unwrap();
            }
            _ => {}
        }
        rows.push(row);
    }
    rows
}

/// The annotation (`: T`) or the values (`= v`) of the variable, parameter or function called `name`.
fn format_binding(source: &str, name: &str) -> String {
    let names = bind_source(source);
    let binding = names
        .bindings
        .iter()
        .find(|binding| names.name_text(binding.name) == name && binding.kind != BindingKind::Import)
        .unwrap();
    match binding.annotation {
        Some(of) => format!(": {}", format_expr(&names, of)),
        None => names
            .expr_ids_in_list_range(binding.values)
            .iter()
            .map(|id| format!("= {}", format_expr(&names, *id)))
            .collect(),
    }
}

#[track_caller]
fn assert_uses(source: &str, expected: &[&str]) {
    assert_eq!(format_uses(source), expected);
}

#[test]
fn a_path_is_a_chain_of_member_expressions() {
    assert_uses(
        "fn f() { crate::a::B::new(self::c, super::super::d::E); }",
        &[
            "1 a read: crate.a",
            "1 B type: crate.a.B",
            "1 new call: crate.a.B.new",
            "1 c read: self.c",
            "1 d read: super.super.d",
            "1 E read: super.super.d.E",
        ],
    );
}

#[test]
fn a_use_declaration_has_one_import_for_each_source() {
    let source = "pub use crate::{a::{self, B as C, d::*}, e};\nuse f;\nuse ::g::h as _;";
    assert_uses(
        source,
        &[
            "1 a import: crate.a",
            "1 B import: <crate::a> B",
            "1 C import",
            "1 d import: crate.a.d",
            "1 e import: <crate> e",
            "2 f import: <f> *",
            "3 g import: g",
            "3 h import: <g> h",
        ],
    );
    let names = bind_source(source);
    let imports: Vec<String> = names
        .imports
        .iter()
        .map(|import| {
            let taken: Vec<&str> = import.names.iter().map(|name| names.name_text(*name)).collect();
            format!(
                "{} {} {:?}{}",
                import.kind.as_str(),
                names.name_text(import.source),
                taken,
                if import.glob { " *" } else { "" }
            )
        })
        .collect();
    assert_eq!(
        imports,
        [
            "re_export crate::a [\"B\"]",
            "re_export crate::a::d [] *",
            "re_export crate [\"e\"]",
            "import f []",
            "import g [\"h\"]",
        ]
    );
    let imports: Vec<&str> = names
        .bindings
        .iter()
        .filter(|binding| binding.kind == BindingKind::Import)
        .map(|binding| names.name_text(binding.name))
        .collect();
    assert_eq!(imports, ["a", "C", "e", "f"]);
}

#[test]
fn a_module_declaration_imports_its_file() {
    let names = bind_source("mod a;\n#[path = \"x/y.rs\"]\nmod b;\n#[cfg_attr(windows, path = \"w.rs\")]\nmod c;");
    let imports: Vec<_> = names.imports.iter().map(|import| (names.name_text(import.source), import.special)).collect();
    assert_eq!(imports, [("a", false), ("x/y.rs", true), ("w.rs", true)]);
    assert!(names.imports.iter().all(|import| import.kind == ModuleImportKind::Module));
}

#[test]
fn variables_in_patterns_have_the_matching_parts_of_the_value() {
    let source = "fn f(p: Pair) { let (a, Some(b)) = g(); let Pair { x, y: Deep(c, ..) } = p; for d in h() {} }";
    assert_eq!(format_binding(source, "a"), "= g()#0");
    assert_eq!(format_binding(source, "b"), "= g()#1[]");
    assert_eq!(format_binding(source, "x"), "= a(Pair = p).x");
    assert_eq!(format_binding(source, "c"), "= a(Deep = a(Pair = p).y).0");
    assert_eq!(format_binding(source, "d"), "= h()[]");
    assert_eq!(format_binding(source, "p"), ": Pair");
}

#[test]
fn annotations_keep_type_arguments_and_drop_smart_pointers() {
    let source = "fn a() -> io::Result<Vec<Thing>> {}\nfn b(x: &mut dyn Read + Send, y: Option<Box<Thing>>) {}\nfn c<T: Sink>(z: T) where T: Clone {}";
    assert_eq!(format_binding(source, "a"), ": io.Result<Vec<Thing>>");
    assert_eq!(format_binding(source, "x"), ": Read");
    assert_eq!(format_binding(source, "y"), ": Option<Thing>");
    assert_eq!(format_binding(source, "T"), ": (Sink | Clone)");
}

#[test]
fn standard_library_calls_have_known_results() {
    let value = |expression: &str| format_binding(&format!("fn f() {{ let it = {expression}; }}"), "it");
    assert_eq!(value("a.clone()"), "= a");
    assert_eq!(value("b()?.c.unwrap()"), "= b()[].c[]");
    assert_eq!(value("Some(a)"), "= a(<type(a)>)");
    assert_eq!(value("Arc::new(a)"), "= a");
    assert_eq!(value("Mutex::new(a)"), "= a(Mutex<type(a)>)");
    assert_eq!(value("v.iter().map(|x| x.name()).collect::<Vec<Name>>()"), "= a(Vec<Name>)");
    assert_eq!(value("T { a, b: c }"), "= a(T)");
    assert_eq!(value("if a { b } else { return }"), "= b");
    assert_eq!(value("match a { A => b, B { c } => { c } }"), "= (b | c)");
    assert_eq!(value("vec![T::new()]"), "= a(<type(T.new())>)");
}

#[test]
fn closure_parameters_have_the_values_that_the_callee_passes() {
    let source = "fn f() { v.iter().map(|one| one.go()); w.fold(T::new(), |all, each| all.add(each)); }";
    assert_eq!(format_binding(source, "one"), "= (v.iter().map(0: 0) | v.iter()[])");
    assert_eq!(format_binding(source, "all"), "= (w.fold(1: 0) | T.new())");
    assert_eq!(format_binding(source, "each"), "= (w.fold(1: 1) | w[])");
}

#[test]
fn macro_arguments_are_read_as_expressions() {
    assert_uses(
        "fn f() { println!(\"{}\", a.b(c)); assert_eq!(x::Y { z: 1 }, self.w?, \"m\"); }",
        &[
            "1 println call: println",
            "1 a read: a",
            "1 b call: a.b",
            "1 c read: c",
            "1 assert_eq call: assert_eq",
            "1 x read: x",
            "1 Y call: x.Y",
            "1 z write: a(x.Y).z",
            "1 w member: this.w",
        ],
    );
    let source = "run!(name, |dir: Dir, mut cmd: Cmd| { let x = dir.make(); for y in cmd.all() { y.go(); } });";
    assert_eq!(format_binding(source, "dir"), ": Dir");
    assert_eq!(format_binding(source, "cmd"), ": Cmd");
    assert_eq!(format_binding(source, "x"), "= dir.make()");
    assert_eq!(format_binding(source, "y"), "= cmd.all()[]");
}

#[test]
fn an_impl_block_adds_members_to_its_type() {
    let source = "impl<'a, T> fmt::Display for Wrap<'a, T> {\n fn fmt(&self) -> Self { Self::new(self.inner) }\n}";
    assert_uses(
        source,
        &[
            "1 fmt read: fmt",
            "1 Display type: fmt.Display",
            "1 Wrap type: Wrap",
            "1 T type: T",
            "2 fmt definition: fmt.Display.fmt",
            "2 new call: This.new",
            "2 inner member: this.inner",
        ],
    );
    let names = bind_source(source);
    let [extension] = names.extensions.as_slice() else { panic!() };
    assert_eq!(format_expr(&names, extension.target), "Wrap<T>");
    assert_eq!(format_binding(source, "fmt"), ": This");
}

#[test]
fn a_shorthand_initialiser_uses_a_field_and_a_variable() {
    assert_uses(
        "fn f(a: A) -> B { B { a, ..c } }",
        &["1 A type: A", "1 B type: B", "1 B call: B", "1 a write: a(B).a", "1 a read: a", "1 c read: c"],
    );
}

#[test]
fn comments_strings_and_built_in_attributes_have_no_occurrences() {
    assert_uses(
        "/// See a.\n#[derive(Debug, de::Load)]\n#[cfg(test)]\n#[wrap::it(b)]\nstruct S; // c\nconst D: &str = \"e\";",
        &[
            "2 Debug decorator: Debug",
            "2 de read: de",
            "2 Load decorator: de.Load",
            "4 wrap read: wrap",
            "4 it decorator: wrap.it",
        ],
    );
}

#[test]
fn broken_source_keeps_its_occurrences() {
    let rows = format_uses("fn f( { let x = a.b(; c::d() }\nimpl X for { fn g(&self) -> { e } }\nmatch");
    for name in ["1 b", "1 d"] {
        assert!(rows.iter().any(|row| row.starts_with(name)), "{name}: {rows:?}");
    }
}
