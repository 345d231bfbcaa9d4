//! Calls, and what functions given to well-known ones are given in turn.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{Cx, Expr, ExprId, LinkKind, Role, ScopeKind};

/// More arguments than this say nothing of what a call gives.
const MAX_ARGUMENTS: usize = 8;

/// The parts of a call.
#[derive(Default)]
struct Parts<'t> {
    function: Option<Node<'t>>,
    type_arguments: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
}

/// What is known of a call before its arguments are read.
#[derive(Clone, Copy, Default)]
struct Known<'a> {
    /// What the method is called on.
    receiver: ExprId,
    /// The name of the function or method.
    name: &'a str,
}

impl<'t> Binder<'t> {
    fn call_parts(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> Parts<'t> {
        let mut parts = Parts::default();
        self.each(node, cx, |_, child, field, _| match field {
            Field::Function | Field::Constructor => parts.function = Some(child),
            Field::TypeArguments => parts.type_arguments = Some(child),
            Field::Arguments => parts.arguments = Some(child),
            _ => {}
        });
        parts
    }

    pub(super) fn call(&mut self, node: Node<'t>, want: Want, cx: &mut Cx<'_>) -> ExprId {
        let parts = self.call_parts(node, cx);
        let Some(function) = parts.function else {
            self.children(node, cx);
            return cx.unknown();
        };
        if let Some(linked) = self.linking_call(function, parts.arguments, cx) {
            if let Some(types) = parts.type_arguments {
                self.type_arguments(types, cx);
            }
            return linked;
        }
        let role = if want.role == Role::Decorator { Role::Decorator } else { Role::Call };
        let mut callee = self.value(function, Want::role(role), cx);
        if let Some(types) = parts.type_arguments {
            let args = self.type_arguments(types, cx);
            if callee != cx.unknown() {
                callee = Self::generic(callee, &args, cx);
            }
        }
        let known = match cx.names.expr(callee) {
            Expr::Member { base, name, .. } => Some((base, name)),
            _ => None,
        };
        let receiver = known.map_or(cx.unknown(), |(base, _)| base);
        let name = known.map_or(0, |(_, name)| name);
        let name = if known.is_some() { cx.names.text(name).to_owned() } else { String::new() };
        let known = Known { receiver, name: &name };
        let args = match parts.arguments {
            Some(arguments) if self.kind(arguments) == Kind::Arguments => self.arguments(arguments, callee, known, cx),
            Some(template) => {
                self.value(template, Want::READ, cx);
                Vec::new()
            }
            None => Vec::new(),
        };
        if callee == cx.unknown() {
            return callee;
        }
        let on_object = self.is_global_object(function, cx);
        if let Some(value) = self.standard(on_object, node, known, &args, cx) {
            return value;
        }
        let call = self.applied(callee, &args, cx);
        match self.of_container(known, &args, cx) {
            Some(value) => cx.either(vec![call, value]),
            None => call,
        }
    }

    pub(super) fn new_instance(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> ExprId {
        let parts = self.call_parts(node, cx);
        let mut class = parts.function.map_or(cx.unknown(), |class| self.value(class, Want::role(Role::Call), cx));
        if let Some(types) = parts.type_arguments {
            let args = self.type_arguments(types, cx);
            class = Self::generic(class, &args, cx);
        }
        if let Some(arguments) = parts.arguments {
            self.arguments(arguments, class, Known::default(), cx);
        }
        Self::instance(class, cx)
    }

    /// A call. Only TypeScript has type parameters, for which the arguments count.
    fn applied(&mut self, callee: ExprId, args: &[ExprId], cx: &mut Cx<'_>) -> ExprId {
        let typed = matches!(cx.names.expr(callee), Expr::Generic { .. });
        let known = args.len() <= MAX_ARGUMENTS && args.iter().any(|arg| *arg != cx.unknown());
        if self.typescript && (typed || known) {
            let args = cx.list(args);
            cx.expr(Expr::Applied { callee, args })
        } else {
            cx.expr(Expr::Call { callee })
        }
    }

    /// Reads the arguments of a call; a function among them is given what is known.
    fn arguments(&mut self, node: Node<'t>, callee: ExprId, known: Known<'_>, cx: &mut Cx<'_>) -> Vec<ExprId> {
        let mut values = Vec::new();
        let mut spread = false;
        self.each(node, cx, |this, child, _, cx| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let kind = this.kind(child);
            spread |= kind == Kind::Spread;
            let expected = match u32::try_from(values.len()) {
                Ok(index) if callee != cx.unknown() && !spread && is_shaped_by_context(kind) => {
                    let of = if index == 0 { callee } else { this.applied(callee, &values, cx) };
                    let of = if matches!(cx.names.expr(of), Expr::Call { .. }) { callee } else { of };
                    cx.expr(Expr::Argument { of, index })
                }
                _ => cx.unknown(),
            };
            let value = match kind {
                Kind::Arrow | Kind::FunctionExpression => {
                    let given = if values.is_empty() { this.given(known, cx) } else { Vec::new() };
                    let own = if kind == Kind::Arrow { this.this } else { This::Unknown };
                    cx.deeper(child, |cx| this.function_expression(child, own, expected, &given, cx))
                }
                _ => this.value(child, Want::expected(expected), cx),
            };
            values.push(value);
        });
        values
    }

    /// What a method of a container gives the function that it is called with.
    fn given(&mut self, known: Known<'_>, cx: &mut Cx<'_>) -> Vec<ExprId> {
        if known.receiver == cx.unknown() {
            return Vec::new();
        }
        match known.name {
            "map" | "forEach" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some" | "every"
            | "flatMap" => {
                let element = Self::element(known.receiver, cx);
                vec![element, cx.unknown(), known.receiver]
            }
            "sort" | "toSorted" => {
                let element = Self::element(known.receiver, cx);
                vec![element, element]
            }
            "reduce" | "reduceRight" => {
                let element = Self::element(known.receiver, cx);
                vec![cx.unknown(), element]
            }
            "then" => vec![Self::element(known.receiver, cx)],
            _ => Vec::new(),
        }
    }

    /// What a method of a standard container gives, in case that the receiver is one.
    fn of_container(&mut self, known: Known<'_>, args: &[ExprId], cx: &mut Cx<'_>) -> Option<ExprId> {
        if known.receiver == cx.unknown() {
            return None;
        }
        let first = args.first().copied().unwrap_or(cx.unknown());
        let value = match known.name {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "toSorted" | "toReversed" | "values" | "splice"
            | "catch" | "finally" => known.receiver,
            "find" | "findLast" | "pop" | "shift" | "at" | "get" => Self::element(known.receiver, cx),
            "map" | "flatMap" | "then" if matches!(cx.names.expr(first), Expr::Function { .. }) => {
                let result = cx.expr(Expr::Call { callee: first });
                let result = if known.name == "flatMap" { Self::element(result, cx) } else { result };
                Self::container(result, cx)
            }
            _ => return None,
        };
        Some(value)
    }

    /// Whether `node` is a member of one of the global objects that `standard` knows.
    fn is_global_object(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> bool {
        self.kind(node) == Kind::Member
            && self.child(node, Field::Object, cx).is_some_and(|object| {
                matches!(cx.text(object), "Object" | "Promise" | "Array") && self.is_free(object, cx)
            })
    }

    /// What functions of `Object`, `Promise` and `Array` give.
    fn standard(
        &mut self,
        is_global: bool,
        node: Node<'t>,
        known: Known<'_>,
        args: &[ExprId],
        cx: &mut Cx<'_>,
    ) -> Option<ExprId> {
        if !is_global {
            return None;
        }
        let first = args.first().copied().unwrap_or(cx.unknown());
        let value = match known.name {
            "freeze" | "seal" | "resolve" | "from" => first,
            "assign" => cx.either(args.to_vec()),
            "create" => {
                let scope = self.open(ScopeKind::Type, node, cx);
                let made = cx.expr(Expr::Object { scope });
                cx.either(vec![made, first])
            }
            "values" => {
                let element = Self::element(first, cx);
                Self::container(element, cx)
            }
            "entries" => {
                let element = Self::element(first, cx);
                let pair = cx.list(&[cx.unknown(), element]);
                let pair = cx.expr(Expr::Tuple(pair));
                let args = cx.list(&[pair]);
                cx.expr(Expr::Generic { base: None, args })
            }
            "all" => {
                let parts = match cx.names.expr(first) {
                    Expr::Tuple(parts) => cx.names.list(parts).to_vec(),
                    _ => {
                        let element = Self::element(first, cx);
                        let element = Self::element(element, cx);
                        let held = Self::container(element, cx);
                        let args = cx.list(&[held]);
                        return Some(cx.expr(Expr::Generic { base: None, args }));
                    }
                };
                let parts: Vec<ExprId> = parts.into_iter().map(|part| Self::element(part, cx)).collect();
                let parts = cx.list(&parts);
                let parts = cx.expr(Expr::Tuple(parts));
                let args = cx.list(&[parts]);
                cx.expr(Expr::Generic { base: None, args })
            }
            _ => return None,
        };
        Some(value)
    }

    /// `require("x")`, `import("x")`, `vi.mock("x")`: a call that names a module. Reads its arguments.
    fn linking_call(&mut self, function: Node<'t>, arguments: Option<Node<'t>>, cx: &mut Cx<'_>) -> Option<ExprId> {
        let arguments = arguments?;
        let kind = match self.kind(function) {
            Kind::Import => LinkKind::Dynamic,
            Kind::Identifier if cx.text(function) == "require" && self.is_free(function, cx) => LinkKind::Require,
            Kind::Member if names_module(cx.text(function)) => LinkKind::Mention,
            _ => return None,
        };
        let string = self.inner(arguments, cx).filter(|first| self.kind(*first) == Kind::String);
        let Some(text) = string.and_then(|string| self.string_text(string)) else {
            if kind == LinkKind::Mention {
                return None;
            }
            self.value(arguments, Want::READ, cx);
            return Some(cx.unknown());
        };
        let source = cx.name(text);
        let link = cx.link(kind, source, self.scope, function);
        if kind == LinkKind::Mention {
            self.value(function, Want::role(Role::Call), cx);
        }
        // What else is given: options, the factory of a mock.
        self.value(arguments, Want::READ, cx);
        Some(cx.expr(Expr::Linked { link }))
    }
}

/// Whether what is expected of a value says something of its parts.
pub(super) fn is_shaped_by_context(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Arrow
            | Kind::FunctionExpression
            | Kind::Object
            | Kind::Array
            | Kind::Ternary
            | Kind::Binary
            | Kind::Transparent
    )
}

/// Functions of test runners, and of the module system, that are given a module's name.
fn names_module(path: &str) -> bool {
    let Some((object, name)) = path.rsplit_once('.') else { return false };
    match object {
        "vi" | "vitest" | "jest" => matches!(
            name,
            "mock"
                | "doMock"
                | "unmock"
                | "doUnmock"
                | "dontMock"
                | "setMock"
                | "importActual"
                | "importMock"
                | "requireActual"
                | "requireMock"
                | "unstable_mockModule"
                | "createMockFromModule"
        ),
        "require" => name == "resolve",
        _ => false,
    }
}
