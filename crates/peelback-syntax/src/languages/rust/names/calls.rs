//! Calls, methods and closures.
//!
//! The standard library is not there to be read, so what its best known functions do with what they are given stands
//! here: that `clone` gives what it is called on, `unwrap` what is inside, and `map` what its closure gives.

use tree_sitter::Node;

use super::Binder;
use super::exprs::{first_inside, last_inside};
use super::kinds::{FIELDS, Kind, kind};
use super::types::POINTERS;
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

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
    pub fn call(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let Some(function) = FIELDS.function.of(node) else { return cx.unknown() };
        let arguments = FIELDS.arguments.of(node);
        let callee = match kind(function) {
            Kind::GenericFunction => FIELDS.function.of(function).unwrap_or(function),
            _ => function,
        };
        match kind(callee) {
            Kind::FieldAccess => {
                let types = if callee == function { None } else { FIELDS.type_arguments.of(function) };
                self.method_call(cx, callee, types, arguments, scope)
            }
            Kind::Identifier | Kind::ScopedIdentifier => self.function_call(cx, function, callee, arguments, scope),
            _ => {
                let callee = self.expr(cx, function, scope, Role::Call);
                self.arguments(cx, arguments, None, scope);
                called(cx, callee)
            }
        }
    }

    fn function_call(
        &mut self,
        cx: &mut Cx<'_>,
        function: Node<'_>,
        callee: Node<'_>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let called_expr = self.path(cx, function, scope, Role::Call);
        let values = self.arguments(cx, arguments, Some(Receiver { method: called_expr, name: "", value: 0 }), scope);
        let first = values.first().copied().unwrap_or(cx.unknown());
        let text = cx.text(callee);
        match kind(callee) {
            Kind::Identifier => match text {
                "Some" | "Ok" => self.holding(cx, None, first),
                "Err" | "drop" => cx.unknown(),
                _ => called(cx, called_expr),
            },
            _ => {
                let mut segments = text.rsplit("::");
                let (name, of) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
                match (of, name) {
                    ("Some" | "Result" | "Option", "Some" | "Ok") => self.holding(cx, None, first),
                    ("Arc" | "Rc", "clone") | ("mem", "take" | "replace") => first,
                    (of, "new" | "from" | "pin") if POINTERS.contains(&of) => first,
                    (of, "new" | "from") if CELLS.contains(&of) => {
                        let base = match cx.names.expr(called_expr) {
                            Expr::Member { base, .. } => Some(base),
                            _ => None,
                        };
                        self.holding(cx, base, first)
                    }
                    _ => called(cx, called_expr),
                }
            }
        }
    }

    fn method_call(
        &mut self,
        cx: &mut Cx<'_>,
        callee: Node<'_>,
        types: Option<Node<'_>>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let receiver = self.field(cx, FIELDS.value.of(callee), scope, Role::Read);
        let Some(field) = FIELDS.field.of(callee).filter(|field| kind(*field) != Kind::Integer) else {
            self.arguments(cx, arguments, None, scope);
            return cx.unknown();
        };
        let method = cx.use_member(receiver, field, Role::Call);
        let name = cx.text(field);
        let of = types.and_then(|types| self.types(cx, types, scope).first().copied());
        let given = self.arguments(cx, arguments, Some(Receiver { method, name, value: receiver }), scope);
        if let Some(of) = of.filter(|of| !self.is_open(cx, *of)) {
            match name {
                "collect" | "sum" | "product" | "into" => return self.instance(cx, of),
                "parse" | "try_into" | "downcast" | "downcast_ref" | "downcast_mut" => {
                    let of = self.container(cx, of);
                    return self.instance(cx, of);
                }
                _ => {}
            }
        }
        self.method_value(cx, name, receiver, method, &given)
    }

    /// What a method gives, where that is known of the method's name.
    pub fn method_value(
        &mut self,
        cx: &mut Cx<'_>,
        name: &str,
        receiver: ExprId,
        method: ExprId,
        given: &[ExprId],
    ) -> ExprId {
        let library = self.library_value(cx, name, receiver, given);
        let own = called(cx, method);
        match library {
            // The project's own types may have a method of the name.
            Some(library) if MAY_BE_OWN.contains(&name) => cx.either(vec![own, library]),
            Some(library) => library,
            None => own,
        }
    }

    /// What the method of the standard library that has this name gives.
    fn library_value(&mut self, cx: &mut Cx<'_>, name: &str, receiver: ExprId, given: &[ExprId]) -> Option<ExprId> {
        let function = given.last().copied().filter(|function| *function != cx.unknown());
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
            ) => self.element(cx, receiver),
            ("map" | "then", Some(function)) if is_function(cx, function) => {
                let value = called(cx, function);
                self.holding(cx, None, value)
            }
            ("and_then" | "filter_map" | "flat_map" | "map_or" | "map_or_else" | "find_map", Some(function))
                if is_function(cx, function) =>
            {
                called(cx, function)
            }
            ("flatten", _) => self.element(cx, receiver),
            ("windows" | "chunks" | "chunks_exact" | "split_at", _) => self.holding(cx, None, receiver),
            ("fold", _) => given.first().copied().unwrap_or(cx.unknown()),
            ("enumerate", _) => {
                let element = self.element(cx, receiver);
                self.pairs(cx, 0, element)
            }
            ("zip", Some(other)) => {
                let (left, right) = (self.element(cx, receiver), self.element(cx, other));
                self.pairs(cx, left, right)
            }
            _ => return None,
        })
    }

    /// A container of pairs.
    fn pairs(&mut self, cx: &mut Cx<'_>, left: ExprId, right: ExprId) -> ExprId {
        let pair = cx.list(&[left, right]);
        let pair = cx.expr(Expr::Tuple(pair));
        self.holding(cx, None, pair)
    }

    /// The values of arguments; a closure's parameters are what it is known to be called with.
    fn arguments(
        &mut self,
        cx: &mut Cx<'_>,
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
                Kind::Attribute => self.attribute(cx, child, scope),
                _ if let Some(child) = closure_of(child) => {
                    let count = FIELDS.parameters.of(child).map_or(0, |parameters| parameters.named_child_count());
                    let hints = receiver.map_or_else(Vec::new, |of| self.hints(cx, of, &values, count));
                    values.push(cx.deeper(child, |cx| self.closure(cx, child, scope, &hints)));
                }
                _ => values.push(self.expr(cx, child, scope, Role::Read)),
            }
        }
        values
    }

    /// What a closure with so many parameters, given to a method after the arguments `before`, is called with: what
    /// the method declares, else what the one of the standard library does.
    pub fn hints(
        &mut self,
        cx: &mut Cx<'_>,
        receiver: Receiver<'_>,
        before: &[ExprId],
        parameters: usize,
    ) -> Vec<ExprId> {
        let known = match takes(receiver.name) {
            Takes::Elements => {
                let element = self.element(cx, receiver.value);
                vec![element, element]
            }
            Takes::Accumulates => {
                let element = self.element(cx, receiver.value);
                vec![before.first().copied().unwrap_or(cx.unknown()), element]
            }
            Takes::Unknown => Vec::new(),
        };
        let mut hints = Vec::new();
        for place in 0..parameters.min(MOST_PARAMETERS) {
            let known = known.get(place).copied().unwrap_or(cx.unknown());
            let declared = match receiver.method {
                callee if callee == cx.unknown() => callee,
                callee => {
                    let (argument, parameter) = (super::offset(before.len()), super::offset(place));
                    cx.expr(Expr::Given { callee, argument, parameter })
                }
            };
            hints.push(cx.either(vec![declared, known]));
        }
        hints
    }

    /// A closure; `hints` says what it is called with.
    pub fn closure(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId, hints: &[ExprId]) -> ExprId {
        let body = cx.scope(scope, ScopeKind::Function, node);
        let name = cx.intern("");
        let binding = cx.bind_name(body, BindingKind::Function, name, node.start_byte());
        cx.own(binding, body);
        if let Some(parameters) = FIELDS.parameters.of(node) {
            let mut cursor = parameters.walk();
            let children = parameters.named_children(&mut cursor);
            let given = hints.iter().copied().map(Some).chain(std::iter::repeat(None));
            for (child, hint) in children.filter(|child| !super::kinds::is_comment(*child)).zip(given) {
                if kind(child) == Kind::Parameter {
                    self.parameter(cx, child, body, hint);
                } else {
                    let value = hint.unwrap_or(cx.unknown());
                    self.bind_pattern(cx, child, body, BindingKind::Parameter, None, value, 0);
                }
            }
        }
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(cx, gives, body));
        self.returns.push(Vec::new());
        let value = self.field(cx, FIELDS.body.of(node), body, Role::Read);
        let mut values = self.returns.pop().unwrap_or_default();
        values.push(value);
        values.retain(|value| *value != cx.unknown());
        let values = cx.list(&values);
        let wrapped = first_inside(node) != last_inside(node) && cx.text(node).starts_with("async");
        let binding_mut = cx.binding(binding);
        binding_mut.annotation = gives;
        binding_mut.values = values;
        binding_mut.wrapped = wrapped;
        cx.expr(Expr::Function { binding })
    }
}

/// The closure that an argument is, or refers to.
fn closure_of(node: Node<'_>) -> Option<Node<'_>> {
    let inner = if kind(node) == Kind::Reference { FIELDS.value.of(node)? } else { node };
    (kind(inner) == Kind::Closure).then_some(inner)
}

/// What calling `callee` gives.
pub(super) fn called(cx: &mut Cx<'_>, callee: ExprId) -> ExprId {
    if callee == cx.unknown() { callee } else { cx.expr(Expr::Call { callee }) }
}

/// Whether an expression is a function by the look of it: a closure, or the path of one.
fn is_function(cx: &Cx<'_>, expr: ExprId) -> bool {
    matches!(cx.names.expr(expr), Expr::Function { .. } | Expr::Name { .. } | Expr::Member { .. })
}
