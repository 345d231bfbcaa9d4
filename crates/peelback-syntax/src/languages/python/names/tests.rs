//! Tests that print the bindings and occurrences of small sources.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use std::fmt::Write as _;

use crate::analysis::bind_names;
use crate::names::debug_text::format_key;
use crate::names::{Binding, Expr, ExprId, Names, Target};
use crate::parse::Limits;

fn bind_source(source: &str) -> Names {
    bind_names(&super::super::LANGUAGE, source, &Limits::default()).expect("parsed")
}

/// Formats an expression: names as written, `new Foo` for an instance, `x[]` for an element.
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
        Expr::Instance { of } | Expr::Matched { of, .. } => format!("new {}", format_expr(names, of)),
        Expr::TypeOf { of } => format!("type({})", format_expr(names, of)),
        Expr::Element { of } => format!("{}[]", format_expr(names, of)),
        Expr::Subscript { of, key } => format!("{}[{}]", format_expr(names, of), format_key(key)),
        Expr::Fallback { value, other } => format!("{} ?? {}", format_expr(names, value), format_expr(names, other)),
        Expr::Item { of, index } => format!("{}[{index}]", format_expr(names, of)),
        Expr::Given { callee, .. } => format!("{}(…)", format_expr(names, callee)),
        Expr::Generic { base, args } => {
            format!("{}<{}>", base.map_or(String::new(), |base| format_expr(names, base)), list(args))
        }
        Expr::Either(span) => format!("either({})", list(span)),
        Expr::Tuple(span) => format!("({})", list(span)),
        Expr::This { .. } => "this".to_owned(),
        Expr::ThisType { .. } => "This".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Object { .. } => "object".to_owned(),
        Expr::Function { binding } => {
            format!("function {}", format_types_and_values(names, binding_by_id(names, binding)))
        }
        Expr::Bound { binding } => {
            let bound = binding_by_id(names, binding);
            match bound.body {
                Some(body) if body == bound.scope => format!("@({})", format_types_and_values(names, bound)),
                _ => format!("{}@{}", names.name_text(bound.name), bound.at),
            }
        }
        Expr::Imported { import } => format!("import {import}"),
        Expr::Applied { .. }
        | Expr::Argument { .. }
        | Expr::MacroCall { .. }
        | Expr::MacroArgument { .. }
        | Expr::Unknown => "?".to_owned(),
    }
}

fn binding_by_id(names: &Names, id: u32) -> &Binding {
    &names.bindings[id as usize]
}

fn format_types_and_values(names: &Names, binding: &Binding) -> String {
    let mut text = String::new();
    if let Some(annotation) = binding.annotation {
        write!(text, ": {}", format_expr(names, annotation)).expect("text");
    }
    let values: Vec<String> =
        names.expr_ids_in_list_range(binding.values).iter().map(|value| format_expr(names, *value)).collect();
    if !values.is_empty() {
        write!(text, " = {}", values.join(" | ")).expect("text");
    }
    text
}

/// Every binding that name lookup can find, as `kind name[: annotation][ = values]`.
fn format_bindings(source: &str) -> Vec<String> {
    let names = bind_source(source);
    let placed = names.bindings.iter().filter(|binding| binding.body != Some(binding.scope));
    placed
        .map(|binding| {
            let kind = format!("{:?}", binding.kind).to_lowercase();
            format!("{kind} {}{}", names.name_text(binding.name), format_types_and_values(&names, binding))
        })
        .collect()
}

/// The targets of all occurrences of `name`, as `line role target`.
fn format_uses(source: &str, name: &str) -> Vec<String> {
    let names = bind_source(source);
    let of_name = names.occurrences.iter().filter(|occurrence| names.name_text(occurrence.name) == name);
    of_name
        .map(|occurrence| {
            let meaning = match occurrence.target {
                Target::Binding(binding) => format!("is {:?}", binding_by_id(&names, binding).kind).to_lowercase(),
                Target::Expr(expr) => format_expr(&names, expr),
                Target::Imported(import, taken) => {
                    let source = names.name_text(names.imports[import as usize].source);
                    format!("from {source} {}", taken.map_or("", |taken| names.name_text(taken)))
                }
                Target::Parameter { callee } => format!("parameter of {}", format_expr(&names, callee)),
                Target::Unknown => "?".to_owned(),
            };
            format!("{} {} {meaning}", occurrence.line, occurrence.role.as_str())
        })
        .collect()
}

fn format_last_binding(source: &str, name: &str) -> String {
    let names = bind_source(source);
    let binding = names.bindings.iter().rev().find(|binding| names.name_text(binding.name) == name).expect("bound");
    format_types_and_values(&names, binding)
}

#[test]
fn functions_and_classes_bind_their_members_and_parameters() {
    let source = "\
class User(Base, metaclass=Meta):
    name: str = ''
    def __init__(self, age: int, tag=None):
        self.age = age
        self.tag: Tag = tag
    @property
    def parent(self) -> 'User | None': ...
    @parent.setter
    def parent(self, value): self._parent = value
    @classmethod
    async def make(cls): return cls(1)
def f(*args: User, **more): return User(age=2)
";
    assert_eq!(
        format_bindings(source),
        [
            "type User: Meta",
            "field name: str = new str",
            "function __init__",
            "parameter self = this",
            "parameter age: int",
            "parameter tag",
            "field age = age",
            "field tag: Tag = tag",
            "property parent: User",
            "parameter self = this",
            "parameter self = this",
            "parameter value",
            "field _parent = value",
            "function make = cls()",
            "parameter cls = This",
            "function f = User()",
            "parameter args: <User>",
            "parameter more",
        ]
    );
    assert_eq!(format_uses(source, "User"), ["1 definition is type", "7 type User", "12 type User", "12 call User"]);
    assert_eq!(
        format_uses(source, "parent"),
        ["7 definition is property", "8 read parent", "9 definition is property"]
    );
    assert_eq!(
        format_uses(source, "age"),
        ["3 definition is parameter", "4 definition is field", "4 read age", "12 write parameter of User"]
    );
}

#[test]
fn a_use_refers_to_the_assignments_that_reach_it() {
    let source = "\
def f(c):
    x = A()
    x.one
    x = B()
    x.two
    if c:
        x = C()
    x.three
    for i in c:
        x.four
        x = D()
    if isinstance(x, E):
        x.five
    if not isinstance(x, F):
        return
    x.six
";
    let of = |name: &str| format_uses(source, name).remove(0);
    assert_eq!(of("one"), "3 member x@14.one");
    assert_eq!(of("two"), "5 member x@36.two");
    assert!(of("three").contains("x@36 | x@"), "{}", of("three"));
    assert!(of("four").matches('|').count() == 2, "{}", of("four"));
    assert_eq!(of("five"), "13 member @(: E).five");
    assert_eq!(of("six"), "16 member @(: F).six");
}

#[test]
fn imports_and_global_names_bind_in_the_right_scope() {
    let source = "\
import a.b, c as d
from .e import f as g, h
from i import *
if TYPE_CHECKING:
    from .t import T
total = 0
def count():
    global total
    total = 1
    def inner():
        nonlocal seen
        seen = [y for y in total]
    seen = 2
";
    assert_eq!(
        format_bindings(source),
        [
            "import a",
            "import d",
            "import g",
            "import h",
            "import T",
            "variable total = new int | new int",
            "function count",
            "function inner",
            "variable y = total[]",
            "variable seen = new <type(y)>",
            "variable seen = new int",
        ]
    );
    assert_eq!(format_uses(source, "f"), ["2 import from .e f"]);
    assert_eq!(format_uses(source, "g"), ["2 import is import"]);
    assert_eq!(format_uses(source, "T"), ["5 import from .t T"]);
    let names = bind_source(source);
    let imports: Vec<String> = names
        .imports
        .iter()
        .map(|import| {
            format!(
                "{} {} {} {}",
                import.kind.as_str(),
                names.name_text(import.source),
                import.names.len(),
                import.glob
            )
        })
        .collect();
    assert_eq!(
        imports,
        [
            "import a 0 false",
            "import a.b 0 false",
            "import c 0 false",
            "import .e 2 false",
            "import i 0 true",
            "type_import .t 1 false"
        ]
    );
}

#[test]
fn assigned_values_and_annotations_have_the_expected_types() {
    for (source, name, expected) in [
        ("a = b or C()", "a", " = either(b, C())"),
        ("a, *r = f()", "r", " = new <type(f()[])>"),
        ("(a, (b, c)) = f()", "c", " = f()[1][1]"),
        ("a = [B(), D()]", "a", " = new <type(either(B(), D()))>"),
        ("a = {'k': B()}", "a", " = new <type(new str), type(B())>"),
        ("for a in b: pass", "a", " = b[]"),
        ("for i, a in enumerate(b): pass", "a", " = new <type((?, b[]))>[][1]"),
        ("with open(x) as a: pass", "a", " = open().__enter__()"),
        ("try: pass\nexcept (B, C) as a: pass", "a", " = new either(B, C)"),
        ("a = cast('B', c)", "a", " = new B"),
        ("a = type(b)", "a", " = type(b)"),
        ("a = await b()", "a", " = b()[]"),
        ("a: Optional[List['B']] = None", "a", ": List<B>"),
        ("a: typing.Annotated[B, c] = None", "a", ": B"),
        ("a: type[B]", "a", ": type(B)"),
        ("a: Callable[[int], B]", "a", ": type(function : B)"),
        ("a: tuple[B, C]", "a", ": (B, C)"),
        ("a: tuple[B, ...]", "a", ": tuple<B>"),
        ("a: 'dict[str, list[B]] | None'", "a", ": dict<str, list<B>>"),
        ("a = lambda b: b.c", "a", " = function  = b.c"),
        ("if (a := b()): pass", "a", " = b()"),
        ("a = b = C()", "b", " = C()"),
        ("a = List[B]", "a", " = List<B>"),
        ("a = B['c']", "a", " = B[_]"),
        ("a = b['c']", "a", " = b[_]"),
        ("a = b[0]", "a", " = b[0]"),
        ("a = b[-1]", "a", " = b[_]"),
        ("a = b[1:2]", "a", " = b[:]"),
        ("a = Bag()[c]", "a", " = Bag()[?]"),
        ("a = Bag()[-1]", "a", " = Bag()[_]"),
        ("a = Bag()[0, 1:2]", "a", " = Bag()[_]"),
        ("a = Bag()[slice(1)]", "a", " = Bag()[:]"),
        ("a = Bag[c]", "a", " = Bag<c>"),
        ("a = pickle.dumps(b)", "a", " = new <type(b)>"),
        ("a = pickle.loads(b)", "a", " = either(pickle.loads(), b[])"),
        ("a = b.get('c')", "a", " = b.get()"),
        ("T = TypeVar('T', bound='B')", "T", ": B"),
        ("type A[T: B] = list[T]", "A", ": list<T>"),
        ("A: TypeAlias = 'B | C'", "A", ": either(B, C)"),
        ("match a:\n  case B(x=c) as d: pass", "d", " = new B"),
        ("match a:\n  case B(x=c) as d: pass", "c", " = new B.x"),
        ("@fixture\ndef app():\n  yield B()\ndef test_a(app): pass", "app", " = app()[]"),
        ("def f[T: B](a: T) -> T: ...", "f", ": T"),
    ] {
        assert_eq!(format_last_binding(source, name), expected, "{source}");
    }
}

#[test]
fn what_is_returned_for_slices_is_told_from_what_is_returned_for_other_keys() {
    let of_body = |body: &str, name: &str| {
        let source = format!("class A:\n  def __getitem__(self, k):\n{body}");
        format_last_binding(&source, name)
    };
    for (body, of_items, of_slices) in [
        ("    if isinstance(k, slice):\n      return B()\n    return C()", " = C()", " = B()"),
        ("    if isinstance(k, slice):\n      return B()\n    else:\n      return C()", " = C()", " = B()"),
        (
            "    if isinstance(k, int):\n      return C()\n    elif isinstance(k, slice):\n      return B()",
            " = C()",
            " = B()",
        ),
        ("    if not isinstance(k, slice):\n      return C()\n    return B()", " = C()", " = B()"),
        ("    if isinstance(k, (int, slice)):\n      return B()\n    return C()", " = B() | C()", " = B()"),
        ("    if isinstance(k, slice) and x:\n      return B()\n    return C()", " = C()", " = B() | C()"),
        ("    if (isinstance(k, slice) and x):\n      return B()\n    return C()", " = C()", " = B() | C()"),
        ("    if not (isinstance(k, slice) and x):\n      return C()\n    return B()", " = C()", " = C() | B()"),
        ("    if not ((isinstance(k, slice))):\n      return C()\n    return B()", " = C()", " = B()"),
        (
            "    for i in x:\n      if isinstance(k, slice):\n        return B()\n    return C()",
            " = C()",
            " = B() | C()",
        ),
    ] {
        assert_eq!(of_body(body, "[_]"), of_items, "{body}");
        assert_eq!(of_body(body, "[:]"), of_slices, "{body}");
    }
    // A call of the method by its name can mean either.
    let body = "    if isinstance(k, slice):\n      return B()\n    return C()";
    assert_eq!(of_body(body, "__getitem__"), " = B() | C()");
    let untold = bind_source("class A:\n  def __getitem__(self, k):\n    return B()");
    assert!(untold.id_of_name("[:]").is_none());
}

#[test]
fn comments_docstrings_and_plain_strings_have_no_occurrences() {
    let source = "\
# User
'''User'''
x = 'User'
def f(a: Literal['User'], b: 'no User type'): 'User'
";
    assert_eq!(format_uses(source, "User"), [] as [&str; 0]);
    assert_eq!(format_uses("x = f'{User.name:{User}} User'", "User").len(), 2);
    assert_eq!(format_uses("print(f'{a!r}' 'User' f'{User}')", "User").len(), 1);
}

#[test]
fn dunder_all_lists_the_exported_names() {
    let star = |source: &str| {
        let names = bind_source(source);
        let star = names.star.as_ref()?;
        Some(star.iter().map(|name| names.name_text(*name)).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(star("x = 1"), None);
    assert_eq!(star("__all__ = ['a', 'b'] + ['c']\n__all__ += ('d',)").as_deref(), Some("a b c d"));
    assert_eq!(star("__all__ = ['a']\n__all__.extend(['b'])\n__all__.remove('a')").as_deref(), Some("b"));
    assert_eq!(star("__all__ = ['a'] + other.__all__"), None);
    assert_eq!(format_uses("def a(): ...\n__all__ = ['a']", "a"), ["1 definition is function", "2 export a"]);
}

#[test]
fn enum_members_differ_from_private_and_annotated_fields() {
    let source = "class Color(str, Enum):\n    RED = 'r'\n    _x = 1\n    name: str\n";
    let found = format_bindings(source);
    assert_eq!(found, ["type Color", "enummember RED = new str", "field _x = new int", "field name: str"]);
}

#[test]
fn broken_source_keeps_its_occurrences() {
    let found = format_uses("def f(:\n    x = User(\nclass A(User:\n  pass\n", "User");
    assert_eq!(found.len(), 2, "{found:?}");
    for broken in ["@", "match x:\n case", "with a as", "import", "from . import", "lambda", "x: ", "[a for", "f'{'"] {
        bind_source(broken);
    }
}

#[test]
fn a_class_body_uses_the_outer_name_until_it_binds_its_own() {
    let source = "\
class A:
    date: date = 1
    def get(self) -> set[date]: ...
    def set(self): ...
    other = set
    def inner(self) -> Inner: ...
    class Inner: ...
";
    let names = bind_source(source);
    let scopes: Vec<(&str, u32, u32)> = names
        .occurrences
        .iter()
        .filter_map(|occurrence| match occurrence.target {
            Target::Expr(expr) => match names.expr_by_id(expr) {
                Expr::Name { scope, .. } => Some((names.name_text(occurrence.name), occurrence.line, scope)),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert_eq!(scopes, [("date", 2, 0), ("set", 3, 0), ("date", 3, 1), ("set", 5, 1), ("Inner", 6, 1)]);
}
