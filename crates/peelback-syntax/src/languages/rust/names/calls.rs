//! Values of Rust calls, method calls and closures.
//!
//! The sources of the standard library are not available, so the results of its best known functions are encoded here:
//! `clone` returns its receiver, `unwrap` returns the element inside, and `map` contains the results of its closure.

use tree_sitter::Node;

use super::Binder;
use super::exprs::{first_named_non_comment_child, last_named_non_comment_child};
use super::kinds::{FIELDS, Kind, kind_of_node};
use super::types::SMART_POINTERS;
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// Names of standard library types that contain one value, such as `Mutex`.
const CELL_TYPES: &[&str] = &["Cell", "Mutex", "OnceCell", "OnceLock", "RefCell", "RwLock", "UnsafeCell"];

/// Names of standard library methods that types of a project often use for methods of their own.
const AMBIGUOUS_METHODS: &[&str] = &[
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

/// The call to which a closure is passed as an argument.
#[derive(Clone, Copy)]
pub(super) struct CalledMethod<'n> {
    /// The expression for the function or method that is called.
    pub method: ExprId,
    /// Name of the called method; empty for a function call.
    pub name: &'n str,
    /// The value of the receiver, on which the method is called.
    pub value: ExprId,
}

/// The limit on the number of closure parameters that get a type hint. Closures with more parameters hardly occur.
const MAX_HINTED_PARAMETERS: usize = 8;

/// What a method of the standard library passes to the closure that it receives.
enum ClosureArguments {
    /// The method passes elements of its receiver.
    Elements,
    /// The method passes an accumulator first, then an element of its receiver.
    Accumulates,
    /// It is not known what the method passes.
    Unknown,
}

fn closure_arguments_by_method_name(method: &str) -> ClosureArguments {
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
        | "try_for_each" => ClosureArguments::Elements,
        "fold" | "rfold" | "scan" | "try_fold" => ClosureArguments::Accumulates,
        _ => ClosureArguments::Unknown,
    }
}

impl Binder {
    pub fn call_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        let Some(function) = FIELDS.function.child_of(node) else { return builder.unknown_expr() };
        let arguments = FIELDS.arguments.child_of(node);
        let callee = match kind_of_node(function) {
            Kind::GenericFunction => FIELDS.function.child_of(function).unwrap_or(function),
            _ => function,
        };
        match kind_of_node(callee) {
            Kind::FieldAccess => {
                let types = if callee == function { None } else { FIELDS.type_arguments.child_of(function) };
                self.method_call_value(builder, callee, types, arguments, scope)
            }
            Kind::Identifier | Kind::ScopedIdentifier => {
                self.function_call_value(builder, function, callee, arguments, scope)
            }
            _ => {
                let callee = self.bind_names_and_get_value(builder, function, scope, Role::Call);
                self.argument_values(builder, arguments, None, scope);
                call_result_expr(builder, callee)
            }
        }
    }

    fn function_call_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        function: Node<'_>,
        callee: Node<'_>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let called_expr = self.path_expr(builder, function, scope, Role::Call);
        let values = self.argument_values(
            builder,
            arguments,
            Some(CalledMethod { method: called_expr, name: "", value: 0 }),
            scope,
        );
        let first = values.first().copied().unwrap_or(builder.unknown_expr());
        let text = builder.text_of_node(callee);
        match kind_of_node(callee) {
            Kind::Identifier => match text {
                "Some" | "Ok" => self.container_instance_with_value(builder, None, first),
                "Err" | "drop" => builder.unknown_expr(),
                _ => call_result_expr(builder, called_expr),
            },
            _ => {
                let mut segments = text.rsplit("::");
                let (name, of) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
                match (of, name) {
                    ("Some" | "Result" | "Option", "Some" | "Ok") => {
                        self.container_instance_with_value(builder, None, first)
                    }
                    ("Arc" | "Rc", "clone") | ("mem", "take" | "replace") => first,
                    (of, "new" | "from" | "pin") if SMART_POINTERS.contains(&of) => first,
                    (of, "new" | "from") if CELL_TYPES.contains(&of) => {
                        let base = match builder.names.expr_by_id(called_expr) {
                            Expr::Member { base, .. } => Some(base),
                            _ => None,
                        };
                        self.container_instance_with_value(builder, base, first)
                    }
                    _ => call_result_expr(builder, called_expr),
                }
            }
        }
    }

    fn method_call_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        callee: Node<'_>,
        types: Option<Node<'_>>,
        arguments: Option<Node<'_>>,
        scope: ScopeId,
    ) -> ExprId {
        let receiver = self.expression_value_if_any(builder, FIELDS.value.child_of(callee), scope, Role::Read);
        let Some(field) = FIELDS.field.child_of(callee).filter(|field| kind_of_node(*field) != Kind::Integer) else {
            self.argument_values(builder, arguments, None, scope);
            return builder.unknown_expr();
        };
        let method = builder.record_member_use(receiver, field, Role::Call);
        let name = builder.text_of_node(field);
        let of = types.and_then(|types| self.child_type_exprs(builder, types, scope).first().copied());
        let given =
            self.argument_values(builder, arguments, Some(CalledMethod { method, name, value: receiver }), scope);
        if let Some(of) = of.filter(|of| !self.has_inferred_type_part(builder, *of)) {
            match name {
                "collect" | "sum" | "product" | "into" => return self.instance_expr_of_type(builder, of),
                "parse" | "try_into" | "downcast" | "downcast_ref" | "downcast_mut" => {
                    let of = self.unnamed_container_type_expr(builder, of);
                    return self.instance_expr_of_type(builder, of);
                }
                _ => {}
            }
        }
        self.method_call_result(builder, name, receiver, method, &given)
    }

    /// The result of a method call: the standard library's result if the method's name is known, and otherwise the
    /// result that the method declares.
    pub fn method_call_result(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        receiver: ExprId,
        method: ExprId,
        given: &[ExprId],
    ) -> ExprId {
        let standard_library_result = self.standard_library_method_result(builder, name, receiver, given);
        let declared_result = call_result_expr(builder, method);
        match standard_library_result {
            // A type of the project may define a method of the same name, so both results are possible.
            Some(library) if AMBIGUOUS_METHODS.contains(&name) => {
                builder.expr_of_possible_values(vec![declared_result, library])
            }
            Some(library) => library,
            None => declared_result,
        }
    }

    /// The result of the standard library's method called `name`, if that method is known.
    fn standard_library_method_result(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        receiver: ExprId,
        given: &[ExprId],
    ) -> Option<ExprId> {
        let function = given.last().copied().filter(|function| *function != builder.unknown_expr());
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
            ) => self.element_or_awaited_expr(builder, receiver),
            ("map" | "then", Some(function)) if may_expr_be_function(builder, function) => {
                let value = call_result_expr(builder, function);
                self.container_instance_with_value(builder, None, value)
            }
            ("and_then" | "filter_map" | "flat_map" | "map_or" | "map_or_else" | "find_map", Some(function))
                if may_expr_be_function(builder, function) =>
            {
                call_result_expr(builder, function)
            }
            ("flatten", _) => self.element_or_awaited_expr(builder, receiver),
            ("windows" | "chunks" | "chunks_exact" | "split_at", _) => {
                self.container_instance_with_value(builder, None, receiver)
            }
            ("fold", _) => given.first().copied().unwrap_or(builder.unknown_expr()),
            ("enumerate", _) => {
                let element = self.element_or_awaited_expr(builder, receiver);
                self.container_of_pairs(builder, 0, element)
            }
            ("zip", Some(other)) => {
                let (left, right) =
                    (self.element_or_awaited_expr(builder, receiver), self.element_or_awaited_expr(builder, other));
                self.container_of_pairs(builder, left, right)
            }
            _ => return None,
        })
    }

    /// The expression for a container whose elements are pairs of `left` and `right`.
    fn container_of_pairs(&mut self, builder: &mut NamesBuilder<'_>, left: ExprId, right: ExprId) -> ExprId {
        let pair = builder.add_expr_list(&[left, right]);
        let pair = builder.add_expr(Expr::Tuple(pair));
        self.container_instance_with_value(builder, None, pair)
    }

    /// The values of a call's arguments. The parameters of a closure among them get type hints from the call.
    fn argument_values(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        arguments: Option<Node<'_>>,
        receiver: Option<CalledMethod<'_>>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let Some(arguments) = arguments else { return Vec::new() };
        let mut values = Vec::new();
        let mut cursor = arguments.walk();
        for child in arguments.named_children(&mut cursor) {
            match kind_of_node(child) {
                Kind::LineComment | Kind::BlockComment => {}
                Kind::Attribute => self.record_attribute_names(builder, child, scope),
                _ if let Some(child) = closure_or_borrowed_closure_argument(child) => {
                    let count =
                        FIELDS.parameters.child_of(child).map_or(0, |parameters| parameters.named_child_count());
                    let hints = receiver
                        .map_or_else(Vec::new, |of| self.closure_parameter_type_hints(builder, of, &values, count));
                    values.push(
                        builder
                            .run_with_depth_limit(child, |builder| self.closure_value(builder, child, scope, &hints)),
                    );
                }
                _ => values.push(self.bind_names_and_get_value(builder, child, scope, Role::Read)),
            }
        }
        values
    }

    /// Type hints for the parameters of a closure that is passed after the arguments `before`. They come from the
    /// declaration of the called function, or else from the standard library's method of the same name.
    pub fn closure_parameter_type_hints(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        receiver: CalledMethod<'_>,
        before: &[ExprId],
        parameters: usize,
    ) -> Vec<ExprId> {
        let known = match closure_arguments_by_method_name(receiver.name) {
            ClosureArguments::Elements => {
                let element = self.element_or_awaited_expr(builder, receiver.value);
                vec![element, element]
            }
            ClosureArguments::Accumulates => {
                let element = self.element_or_awaited_expr(builder, receiver.value);
                vec![before.first().copied().unwrap_or(builder.unknown_expr()), element]
            }
            ClosureArguments::Unknown => Vec::new(),
        };
        let mut hints = Vec::new();
        for place in 0..parameters.min(MAX_HINTED_PARAMETERS) {
            let known = known.get(place).copied().unwrap_or(builder.unknown_expr());
            let declared = match receiver.method {
                callee if callee == builder.unknown_expr() => callee,
                callee => {
                    let (argument, parameter) = (super::saturating_u32(before.len()), super::saturating_u32(place));
                    builder.add_expr(Expr::Given { callee, argument, parameter })
                }
            };
            hints.push(builder.expr_of_possible_values(vec![declared, known]));
        }
        hints
    }

    /// The value of a closure. `hints` are the expected values of its parameters.
    pub fn closure_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let body = builder.add_child_scope(scope, ScopeKind::Function, node);
        let name = builder.intern_source_text("");
        let binding = builder.add_binding(body, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, body);
        if let Some(parameters) = FIELDS.parameters.child_of(node) {
            let mut cursor = parameters.walk();
            let children = parameters.named_children(&mut cursor);
            let given = hints.iter().copied().map(Some).chain(std::iter::repeat(None));
            for (child, hint) in children.filter(|child| !super::kinds::is_comment(*child)).zip(given) {
                if kind_of_node(child) == Kind::Parameter {
                    self.bind_parameter(builder, child, body, hint);
                } else {
                    let value = hint.unwrap_or(builder.unknown_expr());
                    self.bind_pattern(builder, child, body, BindingKind::Parameter, None, value, 0);
                }
            }
        }
        let return_type =
            FIELDS.return_type.child_of(node).map(|return_type| self.type_expr(builder, return_type, body));
        self.return_values.push(Vec::new());
        let value = self.expression_value_if_any(builder, FIELDS.body.child_of(node), body, Role::Read);
        let mut values = self.return_values.pop().unwrap_or_default();
        values.push(value);
        values.retain(|value| *value != builder.unknown_expr());
        let values = builder.add_expr_list(&values);
        let wrapped = first_named_non_comment_child(node) != last_named_non_comment_child(node)
            && builder.text_of_node(node).starts_with("async");
        let binding_mut = builder.binding_mut(binding);
        binding_mut.annotation = return_type;
        binding_mut.values = values;
        binding_mut.wrapped = wrapped;
        builder.add_expr(Expr::Function { binding })
    }
}

/// The closure in an argument of a call: the argument itself, or what it borrows (`&|x| …`).
fn closure_or_borrowed_closure_argument(node: Node<'_>) -> Option<Node<'_>> {
    let inner = if kind_of_node(node) == Kind::Reference { FIELDS.value.child_of(node)? } else { node };
    (kind_of_node(inner) == Kind::Closure).then_some(inner)
}

/// The expression for the result of calling `callee`.
pub(super) fn call_result_expr(builder: &mut NamesBuilder<'_>, callee: ExprId) -> ExprId {
    if callee == builder.unknown_expr() { callee } else { builder.add_expr(Expr::Call { callee }) }
}

/// Whether an expression may be a function: a closure, or a path to one.
fn may_expr_be_function(builder: &NamesBuilder<'_>, expr: ExprId) -> bool {
    matches!(builder.names.expr_by_id(expr), Expr::Function { .. } | Expr::Name { .. } | Expr::Member { .. })
}
