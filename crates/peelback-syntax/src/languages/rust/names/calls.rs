//! Calls, methods and closures.
//!
//! The standard library is not there to be read, so what its best known functions do with what they are given stands
//! here: that `clone` gives what it is called on, `unwrap` what is inside, and `map` what its closure gives.

use tree_sitter::Node;

use super::Binder;
use super::exprs::{first_inside, last_inside};
use super::kinds::{FIELDS, Kind, kind};
use super::types::POINTERS;
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Types of the standard library that hold one value.
const CELLS: &[&str] = &["Cell", "Mutex", "OnceCell", "OnceLock", "RefCell", "RwLock", "UnsafeCell"];

/// Methods of the standard library whose names others give to methods of their own.
const MAY_BE_OWN: &[&str] = &[
    "and_then",
    "as_mut",
    "as_ref",
    "borrow",
    "borrow_mut",
    "chunks",
    "enumerate",
    "flatten",
    "fold",
    "map",
    "map_err",
    "map_or",
    "then",
    "zip",
];

/// What a function is given to.
#[derive(Clone, Copy)]
pub(super) struct Receiver<'n> {
    /// What is called.
    pub method: ExprId,
    /// The name of the method; of no method, nothing.
    pub name: &'n str,
    /// What the method is called on.
    pub value: ExprId,
}

/// Closures with more parameters are not written.
const MOST_PARAMETERS: usize = 8;

/// What a closure's parameters are, given to the method of that name.
enum Takes {
    /// Elements of the receiver.
    Elements,
    /// What was accumulated, then an element.
    Accumulates,
    /// Not known.
    Unknown,
}

fn takes(method: &str) -> Takes {
    match method {
        "all"
        | "and_modify"
        | "and_then"
        | "any"
        | "binary_search_by"
        | "binary_search_by_key"
        | "chunk_by"
        | "dedup_by"
        | "dedup_by_key"
        | "filter"
        | "filter_map"
        | "find"
        | "find_map"
        | "flat_map"
        | "for_each"
        | "inspect"
        | "is_none_or"
        | "is_ok_and"
        | "is_some_and"
        | "map"
        | "map_or"
        | "map_or_else"
        | "map_while"
        | "max_by"
        | "max_by_key"
        | "min_by"
        | "min_by_key"
        | "partition"
        | "partition_point"
        | "position"
        | "reduce"
        | "retain"
        | "retain_mut"
        | "rposition"
        | "skip_while"
        | "sort_by"
        | "sort_by_cached_key"
        | "sort_by_key"
        | "sort_unstable_by"
        | "sort_unstable_by_key"
        | "take_while"
        | "try_for_each" => Takes::Elements,
        "fold" | "rfold" | "scan" | "try_fold" => Takes::Accumulates,
        _ => Takes::Unknown,
    }
}

impl Binder {
    pub fn call(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let Some(function) = FIELDS.function.of(node) else { return builder.unknown() };
        let arguments = FIELDS.arguments.of(node);
        let callee = match kind(function) {
            Kind::GenericFunction => FIELDS.function.of(function).unwrap_or(function),
            _ => function,
        };
        match kind(callee) {
            Kind::FieldAccess => {
                let types = if callee == function { None } else { FIELDS.type_arguments.of(function) };
                self.method_call(builder, callee, types, arguments, scope)
            }
            Kind::Identifier | Kind::ScopedIdentifier => {
                self.function_call(builder, function, callee, arguments, scope)
            }
            _ => {
                let callee = self.expr(builder, function, scope, Role::Call);
                self.arguments(builder, arguments, None, scope);
                called(builder, callee)
            }
        }
    }

    fn function_call(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        function: Node<'_>,
        callee: Node<'_>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let called_expr = self.path(builder, function, scope, Role::Call);
        let values =
            self.arguments(builder, arguments, Some(Receiver { method: called_expr, name: "", value: 0 }), scope);
        let first = values.first().copied().unwrap_or(builder.unknown());
        let text = builder.text(callee);
        match kind(callee) {
            Kind::Identifier => match text {
                "Some" | "Ok" => self.holding(builder, None, first),
                "Err" | "drop" => builder.unknown(),
                _ => called(builder, called_expr),
            },
            _ => {
                let mut segments = text.rsplit("::");
                let (name, of) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
                match (of, name) {
                    ("Some" | "Result" | "Option", "Some" | "Ok") => self.holding(builder, None, first),
                    ("Arc" | "Rc", "clone") | ("mem", "take" | "replace") => first,
                    (of, "new" | "from" | "pin") if POINTERS.contains(&of) => first,
                    (of, "new" | "from") if CELLS.contains(&of) => {
                        let base = match builder.names.expr(called_expr) {
                            Expr::Member { base, .. } => Some(base),
                            _ => None,
                        };
                        self.holding(builder, base, first)
                    }
                    _ => called(builder, called_expr),
                }
            }
        }
    }

    fn method_call(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        callee: Node<'_>,
        types: Option<Node<'_>>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let receiver = self.field(builder, FIELDS.value.of(callee), scope, Role::Read);
        let Some(field) = FIELDS.field.of(callee).filter(|field| kind(*field) != Kind::Integer) else {
            self.arguments(builder, arguments, None, scope);
            return builder.unknown();
        };
        let method = builder.use_member(receiver, field, Role::Call);
        let name = builder.text(field);
        let of = types.and_then(|types| self.types(builder, types, scope).first().copied());
        let given = self.arguments(builder, arguments, Some(Receiver { method, name, value: receiver }), scope);
        if let Some(of) = of.filter(|of| !self.is_open(builder, *of)) {
            match name {
                "collect" | "sum" | "product" | "into" => return self.instance(builder, of),
                "parse" | "try_into" | "downcast" | "downcast_ref" | "downcast_mut" => {
                    let of = self.container(builder, of);
                    return self.instance(builder, of);
                }
                _ => {}
            }
        }
        self.method_value(builder, name, receiver, method, &given)
    }

    /// What a method gives, where that is known of the method's name.
    pub fn method_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        receiver: ExprId,
        method: ExprId,
        given: &[ExprId],
    ) -> ExprId {
        let library = self.library_value(builder, name, receiver, given);
        let own = called(builder, method);
        match library {
            // The project's own types may have a method of the name.
            Some(library) if MAY_BE_OWN.contains(&name) => builder.either(vec![own, library]),
            Some(library) => library,
            None => own,
        }
    }

    /// What the method of the standard library that has this name gives.
    fn library_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        receiver: ExprId,
        given: &[ExprId],
    ) -> Option<ExprId> {
        let function = given.last().copied().filter(|function| *function != builder.unknown());
        Some(match (name, function) {
            (
                "clone" | "cloned" | "copied" | "to_owned" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut"
                | "by_ref" | "ok_or" | "ok_or_else" | "map_err" | "with_context",
                _,
            ) => receiver,
            (
                "borrow" | "borrow_mut" | "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default"
                | "unwrap_unchecked" | "or_insert" | "or_insert_with" | "or_default",
                _,
            ) => self.element(builder, receiver),
            ("map" | "then", Some(function)) if is_function(builder, function) => {
                let value = called(builder, function);
                self.holding(builder, None, value)
            }
            ("and_then" | "filter_map" | "flat_map" | "map_or" | "map_or_else" | "find_map", Some(function))
                if is_function(builder, function) =>
            {
                called(builder, function)
            }
            ("flatten", _) => self.element(builder, receiver),
            ("windows" | "chunks" | "chunks_exact" | "split_at", _) => self.holding(builder, None, receiver),
            ("fold", _) => given.first().copied().unwrap_or(builder.unknown()),
            ("enumerate", _) => {
                let element = self.element(builder, receiver);
                self.pairs(builder, 0, element)
            }
            ("zip", Some(other)) => {
                let (left, right) = (self.element(builder, receiver), self.element(builder, other));
                self.pairs(builder, left, right)
            }
            _ => return None,
        })
    }

    /// A container of pairs.
    fn pairs(&mut self, builder: &mut NamesBuilder<'_>, left: ExprId, right: ExprId) -> ExprId {
        let pair = builder.list(&[left, right]);
        let pair = builder.expr(Expr::Tuple(pair));
        self.holding(builder, None, pair)
    }

    /// The values of arguments; a closure's parameters are what it is known to be called with.
    fn arguments(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        arguments: Option<Node<'_>>,
        receiver: Option<Receiver<'_>>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let Some(arguments) = arguments else { return Vec::new() };
        let mut values = Vec::new();
        let mut cursor = arguments.walk();
        for child in arguments.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.attribute(builder, child, scope),
                _ if let Some(child) = closure_of(child) => {
                    let count = FIELDS.parameters.of(child).map_or(0, |parameters| parameters.named_child_count());
                    let hints = receiver.map_or_else(Vec::new, |of| self.hints(builder, of, &values, count));
                    values.push(builder.deeper(child, |builder| self.closure(builder, child, scope, &hints)));
                }
                _ => values.push(self.expr(builder, child, scope, Role::Read)),
            }
        }
        values
    }

    /// What a closure with so many parameters, given to a method after the arguments `before`, is called with: what
    /// the method declares, else what the one of the standard library does.
    pub fn hints(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        receiver: Receiver<'_>,
        before: &[ExprId],
        parameters: usize,
    ) -> Vec<ExprId> {
        let known = match takes(receiver.name) {
            Takes::Elements => {
                let element = self.element(builder, receiver.value);
                vec![element, element]
            }
            Takes::Accumulates => {
                let element = self.element(builder, receiver.value);
                vec![before.first().copied().unwrap_or(builder.unknown()), element]
            }
            Takes::Unknown => Vec::new(),
        };
        let mut hints = Vec::new();
        for place in 0..parameters.min(MOST_PARAMETERS) {
            let known = known.get(place).copied().unwrap_or(builder.unknown());
            let declared = match receiver.method {
                callee if callee == builder.unknown() => callee,
                callee => {
                    let (argument, parameter) = (super::offset(before.len()), super::offset(place));
                    builder.expr(Expr::Given { callee, argument, parameter })
                }
            };
            hints.push(builder.either(vec![declared, known]));
        }
        hints
    }

    /// A closure; `hints` says what it is called with.
    pub fn closure(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let body = builder.scope(scope, ScopeKind::Function, node);
        let name = builder.intern("");
        let binding = builder.bind_name(body, BindingKind::Function, name, node.start_byte());
        builder.own(binding, body);
        if let Some(parameters) = FIELDS.parameters.of(node) {
            let mut cursor = parameters.walk();
            let children = parameters.named_children(&mut cursor);
            let given = hints.iter().copied().map(Some).chain(std::iter::repeat(None));
            for (child, hint) in children.filter(|child| !super::kinds::is_comment(*child)).zip(given) {
                if kind(child) == Kind::Parameter {
                    self.parameter(builder, child, body, hint);
                } else {
                    let value = hint.unwrap_or(builder.unknown());
                    self.bind_pattern(builder, child, body, BindingKind::Parameter, None, value, 0);
                }
            }
        }
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(builder, gives, body));
        self.returns.push(Vec::new());
        let value = self.field(builder, FIELDS.body.of(node), body, Role::Read);
        let mut values = self.returns.pop().unwrap_or_default();
        values.push(value);
        values.retain(|value| *value != builder.unknown());
        let values = builder.list(&values);
        let wrapped = first_inside(node) != last_inside(node) && builder.text(node).starts_with("async");
        let binding_mut = builder.binding(binding);
        binding_mut.annotation = gives;
        binding_mut.values = values;
        binding_mut.wrapped = wrapped;
        builder.expr(Expr::Function { binding })
    }
}

/// The closure that an argument is, or refers to.
fn closure_of(node: Node<'_>) -> Option<Node<'_>> {
    let inner = if kind(node) == Kind::Reference { FIELDS.value.of(node)? } else { node };
    (kind(inner) == Kind::Closure).then_some(inner)
}

/// What calling `callee` gives.
pub(super) fn called(builder: &mut NamesBuilder<'_>, callee: ExprId) -> ExprId {
    if callee == builder.unknown() { callee } else { builder.expr(Expr::Call { callee }) }
}

/// Whether an expression is a function by the look of it: a closure, or the path of one.
fn is_function(builder: &NamesBuilder<'_>, expr: ExprId) -> bool {
    matches!(builder.names.expr(expr), Expr::Function { .. } | Expr::Name { .. } | Expr::Member { .. })
}
