//! Calls, and what functions given to well-known ones are given in turn.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{Expr, ExprId, ModuleImportKind, NamesBuilder, Role, ScopeKind};

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
    fn call_parts(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Parts<'t> {
        let mut parts = Parts::default();
        self.each(node, builder, |_, child, field, _| match field {
            Field::Function | Field::Constructor => parts.function = Some(child),
            Field::TypeArguments => parts.type_arguments = Some(child),
            Field::Arguments => parts.arguments = Some(child),
            _ => {}
        });
        parts
    }

    pub(super) fn call(&mut self, node: Node<'t>, context: ExprContext, builder: &mut NamesBuilder<'_>) -> ExprId {
        let parts = self.call_parts(node, builder);
        let Some(function) = parts.function else {
            self.children(node, builder);
            return builder.unknown();
        };
        if let Some(linked) = self.linking_call(function, parts.arguments, builder) {
            if let Some(types) = parts.type_arguments {
                self.type_arguments(types, builder);
            }
            return linked;
        }
        let role = if context.role == Role::Decorator { Role::Decorator } else { Role::Call };
        let mut callee = self.value(function, ExprContext::role(role), builder);
        if let Some(types) = parts.type_arguments {
            let args = self.type_arguments(types, builder);
            if callee != builder.unknown() {
                callee = Self::generic(callee, &args, builder);
            }
        }
        let known = match builder.names.expr(callee) {
            Expr::Member { base, name, .. } => Some((base, name)),
            _ => None,
        };
        let receiver = known.map_or(builder.unknown(), |(base, _)| base);
        let name = known.map_or(0, |(_, name)| name);
        let name = if known.is_some() { builder.names.text(name).to_owned() } else { String::new() };
        let known = Known { receiver, name: &name };
        let args = match parts.arguments {
            Some(arguments) if self.kind(arguments) == Kind::Arguments => {
                self.arguments(arguments, callee, known, builder)
            }
            Some(template) => {
                self.value(template, ExprContext::READ, builder);
                Vec::new()
            }
            None => Vec::new(),
        };
        if callee == builder.unknown() {
            return callee;
        }
        let on_object = self.is_global_object(function, builder);
        if let Some(value) = self.standard(on_object, node, known, &args, builder) {
            return value;
        }
        let call = self.applied(callee, &args, builder);
        match self.of_container(known, &args, builder) {
            Some(value) => builder.either(vec![call, value]),
            None => call,
        }
    }

    pub(super) fn new_instance(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let parts = self.call_parts(node, builder);
        let mut class =
            parts.function.map_or(builder.unknown(), |class| self.value(class, ExprContext::role(Role::Call), builder));
        if let Some(types) = parts.type_arguments {
            let args = self.type_arguments(types, builder);
            class = Self::generic(class, &args, builder);
        }
        if let Some(arguments) = parts.arguments {
            self.arguments(arguments, class, Known::default(), builder);
        }
        Self::instance(class, builder)
    }

    /// A call. Only TypeScript has type parameters, for which the arguments count.
    fn applied(&mut self, callee: ExprId, args: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        let typed = matches!(builder.names.expr(callee), Expr::Generic { .. });
        let known = args.len() <= MAX_ARGUMENTS && args.iter().any(|arg| *arg != builder.unknown());
        if self.typescript && (typed || known) {
            let args = builder.list(args);
            builder.expr(Expr::Applied { callee, args })
        } else {
            builder.expr(Expr::Call { callee })
        }
    }

    /// Reads the arguments of a call; a function among them is given what is known.
    fn arguments(
        &mut self,
        node: Node<'t>,
        callee: ExprId,
        known: Known<'_>,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        let mut spread = false;
        self.each(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            let kind = this.kind(child);
            spread |= kind == Kind::Spread;
            let expected = match u32::try_from(values.len()) {
                Ok(index) if callee != builder.unknown() && !spread && is_shaped_by_context(kind) => {
                    let of = if index == 0 { callee } else { this.applied(callee, &values, builder) };
                    let of = if matches!(builder.names.expr(of), Expr::Call { .. }) { callee } else { of };
                    builder.expr(Expr::Argument { of, index })
                }
                _ => builder.unknown(),
            };
            let value = match kind {
                Kind::Arrow | Kind::FunctionExpression => {
                    let given = if values.is_empty() { this.given(known, builder) } else { Vec::new() };
                    let own = if kind == Kind::Arrow { this.this } else { This::Unknown };
                    builder.deeper(child, |builder| this.function_expression(child, own, expected, &given, builder))
                }
                _ => this.value(child, ExprContext::expected(expected), builder),
            };
            values.push(value);
        });
        values
    }

    /// What a method of a container gives the function that it is called with.
    fn given(&mut self, known: Known<'_>, builder: &mut NamesBuilder<'_>) -> Vec<ExprId> {
        if known.receiver == builder.unknown() {
            return Vec::new();
        }
        match known.name {
            "map" | "forEach" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some" | "every"
            | "flatMap" => {
                let element = Self::element(known.receiver, builder);
                vec![element, builder.unknown(), known.receiver]
            }
            "sort" | "toSorted" => {
                let element = Self::element(known.receiver, builder);
                vec![element, element]
            }
            "reduce" | "reduceRight" => {
                let element = Self::element(known.receiver, builder);
                vec![builder.unknown(), element]
            }
            "then" => vec![Self::element(known.receiver, builder)],
            _ => Vec::new(),
        }
    }

    /// What a method of a standard container gives, in case that the receiver is one.
    fn of_container(&mut self, known: Known<'_>, args: &[ExprId], builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        if known.receiver == builder.unknown() {
            return None;
        }
        let first = args.first().copied().unwrap_or(builder.unknown());
        let value = match known.name {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "toSorted" | "toReversed" | "values" | "splice"
            | "catch" | "finally" => known.receiver,
            "find" | "findLast" | "pop" | "shift" | "at" | "get" => Self::element(known.receiver, builder),
            "map" | "flatMap" | "then" if matches!(builder.names.expr(first), Expr::Function { .. }) => {
                let result = builder.expr(Expr::Call { callee: first });
                let result = if known.name == "flatMap" { Self::element(result, builder) } else { result };
                Self::container(result, builder)
            }
            _ => return None,
        };
        Some(value)
    }

    /// Whether `node` is a member of one of the global objects that `standard` knows.
    fn is_global_object(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        self.kind(node) == Kind::Member
            && self.child(node, Field::Object, builder).is_some_and(|object| {
                matches!(builder.text(object), "Object" | "Promise" | "Array") && self.is_free(object, builder)
            })
    }

    /// What functions of `Object`, `Promise` and `Array` give.
    fn standard(
        &mut self,
        is_global: bool,
        node: Node<'t>,
        known: Known<'_>,
        args: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if !is_global {
            return None;
        }
        let first = args.first().copied().unwrap_or(builder.unknown());
        let value = match known.name {
            "freeze" | "seal" | "resolve" | "from" => first,
            "assign" => builder.either(args.to_vec()),
            "create" => {
                let scope = self.open(ScopeKind::Type, node, builder);
                let made = builder.expr(Expr::Object { scope });
                builder.either(vec![made, first])
            }
            "values" => {
                let element = Self::element(first, builder);
                Self::container(element, builder)
            }
            "entries" => {
                let element = Self::element(first, builder);
                let pair = builder.list(&[builder.unknown(), element]);
                let pair = builder.expr(Expr::Tuple(pair));
                let args = builder.list(&[pair]);
                builder.expr(Expr::Generic { base: None, args })
            }
            "all" => {
                let parts = match builder.names.expr(first) {
                    Expr::Tuple(parts) => builder.names.list(parts).to_vec(),
                    _ => {
                        let element = Self::element(first, builder);
                        let element = Self::element(element, builder);
                        let held = Self::container(element, builder);
                        let args = builder.list(&[held]);
                        return Some(builder.expr(Expr::Generic { base: None, args }));
                    }
                };
                let parts: Vec<ExprId> = parts.into_iter().map(|part| Self::element(part, builder)).collect();
                let parts = builder.list(&parts);
                let parts = builder.expr(Expr::Tuple(parts));
                let args = builder.list(&[parts]);
                builder.expr(Expr::Generic { base: None, args })
            }
            _ => return None,
        };
        Some(value)
    }

    /// `require("x")`, `import("x")`, `vi.mock("x")`: a call that names a module. Reads its arguments.
    fn linking_call(
        &mut self,
        function: Node<'t>,
        arguments: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let arguments = arguments?;
        let kind = match self.kind(function) {
            Kind::Import => ModuleImportKind::Dynamic,
            Kind::Identifier if builder.text(function) == "require" && self.is_free(function, builder) => {
                ModuleImportKind::Require
            }
            Kind::Member if names_module(builder.text(function)) => ModuleImportKind::Mention,
            _ => return None,
        };
        let string = self.inner(arguments, builder).filter(|first| self.kind(*first) == Kind::String);
        let Some(text) = string.and_then(|string| self.string_text(string)) else {
            if kind == ModuleImportKind::Mention {
                return None;
            }
            self.value(arguments, ExprContext::READ, builder);
            return Some(builder.unknown());
        };
        let source = builder.name(text);
        let import = builder.add_import(kind, source, self.scope, function);
        if kind == ModuleImportKind::Mention {
            self.value(function, ExprContext::role(Role::Call), builder);
        }
        // What else is given: options, the factory of a mock.
        self.value(arguments, ExprContext::READ, builder);
        Some(builder.expr(Expr::Imported { import }))
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
