//! Values of JavaScript calls, and values that well-known methods pass to the parameters of their callbacks.

use tree_sitter::Node;

use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::component::component_name_of_file;
use crate::languages::{astro, svelte, vue};
use crate::names::{
    Expr, ExprId, ModuleImportId, ModuleImportKind, NamesBuilder, Role, ScopeKind, Target, first_line_number_of_node,
};

/// The limit on the number of a call's arguments that are used to infer the result of the call.
const MAX_ARGUMENTS: usize = 8;

/// The child nodes of a call expression, by their part in the call.
#[derive(Default)]
struct CallParts<'t> {
    function: Option<Node<'t>>,
    type_arguments: Option<Node<'t>>,
    arguments: Option<Node<'t>>,
}

/// The method that a call names, and its receiver. Both are known before the arguments of the call are read.
#[derive(Clone, Copy, Default)]
struct CalledMethod<'a> {
    /// The value of the object on which the method is called.
    receiver: ExprId,
    /// Name of the called function or method.
    name: &'a str,
    /// Whether the function copies the members of its further arguments to its first one.
    copies_members: bool,
}

impl<'t> Binder<'t> {
    fn call_parts(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> CallParts<'t> {
        let mut parts = CallParts::default();
        self.for_each_named_or_unnamed_child(node, builder, |_, child, field, _| match field {
            Field::Function | Field::Constructor => parts.function = Some(child),
            Field::TypeArguments => parts.type_arguments = Some(child),
            Field::Arguments => parts.arguments = Some(child),
            _ => {}
        });
        parts
    }

    pub(super) fn call_value(
        &mut self,
        node: Node<'t>,
        context: ExprContext,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let parts = self.call_parts(node, builder);
        let Some(function) = parts.function else {
            self.bind_names_in_children(node, builder);
            return builder.unknown_expr();
        };
        if let Some(linked) = self.value_of_call_naming_module(function, parts.arguments, builder) {
            if let Some(types) = parts.type_arguments {
                self.type_argument_exprs(types, builder);
            }
            return linked;
        }
        if let Some(arguments) = parts.arguments
            && self.kind_of_node(arguments) == Kind::Arguments
            && let Some(definer) = self.property_definer_of_callee(function, builder)
        {
            return self.bind_property_definition_call((function, parts.type_arguments), arguments, definer, builder);
        }
        let role = if context.role == Role::Decorator { Role::Decorator } else { Role::Call };
        let mut callee = self.bind_names_and_get_value(function, ExprContext::for_role(role), builder);
        if let Some(types) = parts.type_arguments {
            let args = self.type_argument_exprs(types, builder);
            if callee != builder.unknown_expr() {
                callee = Self::apply_type_arguments(callee, &args, builder);
            }
        }
        let known = match builder.names.expr_by_id(callee) {
            Expr::Member { base, name, .. } => Some((base, name)),
            _ => None,
        };
        let receiver = known.map_or(builder.unknown_expr(), |(base, _)| base);
        let name = known.map_or(0, |(_, name)| name);
        let name = if known.is_some() { builder.names.name_text(name).to_owned() } else { String::new() };
        let copies_members = self.does_function_copy_members(function, builder);
        let known = CalledMethod { receiver, name: &name, copies_members };
        let args = match parts.arguments {
            Some(arguments) if self.kind_of_node(arguments) == Kind::Arguments => {
                self.argument_values(arguments, callee, known, builder)
            }
            Some(template) => {
                self.bind_names_and_get_value(template, ExprContext::READ, builder);
                Vec::new()
            }
            None => Vec::new(),
        };
        self.record_inheritance_by_call(builder.text_of_node(function), copies_members, &args, builder);
        if callee == builder.unknown_expr() {
            return callee;
        }
        let is_global_object_member = self.is_member_of_known_global_object(function, builder);
        if let Some(value) = self.global_object_method_result(is_global_object_member, node, known, &args, builder) {
            return value;
        }
        if let Some(value) = self.value_of_framework_call(function, callee, &args, builder) {
            return value;
        }
        let call = self.call_result(callee, &args, builder);
        match self.possible_container_method_result(known, &args, builder) {
            Some(value) => builder.expr_of_possible_values(vec![call, value]),
            None => call,
        }
    }

    pub(super) fn new_expression_value(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let parts = self.call_parts(node, builder);
        let mut class = parts.function.map_or(builder.unknown_expr(), |class| {
            self.bind_names_and_get_value(class, ExprContext::for_role(Role::Call), builder)
        });
        if let Some(types) = parts.type_arguments {
            let args = self.type_argument_exprs(types, builder);
            class = Self::apply_type_arguments(class, &args, builder);
        }
        if let Some(arguments) = parts.arguments {
            self.argument_values(arguments, class, CalledMethod::default(), builder);
        }
        Self::instance_expr_of_type(class, builder)
    }

    /// The result of calling `callee` with the values `args`. Only TypeScript has type parameters, so only there the
    /// arguments affect the result.
    fn call_result(&mut self, callee: ExprId, args: &[ExprId], builder: &mut NamesBuilder<'_>) -> ExprId {
        let typed = matches!(builder.names.expr_by_id(callee), Expr::Generic { .. });
        let known = args.len() <= MAX_ARGUMENTS && args.iter().any(|arg| *arg != builder.unknown_expr());
        if self.typescript && (typed || known) {
            let args = builder.add_expr_list(args);
            builder.add_expr(Expr::Applied { callee, args })
        } else {
            builder.add_expr(Expr::Call { callee })
        }
    }

    /// The values of a call's arguments. The parameters of a callback get the values that the called method is known to
    /// pass.
    fn argument_values(
        &mut self,
        node: Node<'t>,
        callee: ExprId,
        known: CalledMethod<'_>,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        let mut spread = false;
        let start = self.start_value_of_fold(node, known, builder);
        self.for_each_named_or_unnamed_child(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
                return;
            }
            if let Some((argument, value)) = start
                && argument.id() == child.id()
            {
                return values.push(value);
            }
            let kind = this.kind_of_node(child);
            spread |= kind == Kind::Spread;
            let expected = match u32::try_from(values.len()) {
                Ok(index)
                    if callee != builder.unknown_expr()
                        && !spread
                        && does_node_kind_pass_expected_value_to_parts(kind) =>
                {
                    let of = if index == 0 { callee } else { this.call_result(callee, &values, builder) };
                    let of = if matches!(builder.names.expr_by_id(of), Expr::Call { .. }) { callee } else { of };
                    builder.add_expr(Expr::Argument { of, index })
                }
                _ => builder.unknown_expr(),
            };
            let value = match kind {
                Kind::Arrow | Kind::FunctionExpression => {
                    let given = if values.is_empty() {
                        let start = start.map_or(builder.unknown_expr(), |(_, value)| value);
                        this.values_passed_to_method_callback(known, start, builder)
                    } else {
                        Vec::new()
                    };
                    let this_meaning = if kind == Kind::Arrow { this.this } else { This::Unknown };
                    builder.run_with_depth_limit(child, |builder| {
                        this.function_expression_value(child, this_meaning, expected, &given, builder)
                    })
                }
                Kind::Object if known.copies_members && !values.is_empty() => {
                    let unknown = builder.unknown_expr();
                    let to = values.first().copied().unwrap_or(unknown);
                    match this.instance_members_of_prototype(to, builder) {
                        Some((scope, of)) => builder.run_with_depth_limit(child, |builder| {
                            this.bind_object_literal_members(child, scope, of, unknown, builder)
                        }),
                        None => {
                            this.bind_names_and_get_value(child, ExprContext::with_expected_value(expected), builder)
                        }
                    }
                }
                _ => this.bind_names_and_get_value(child, ExprContext::with_expected_value(expected), builder),
            };
            values.push(value);
        });
        values
    }

    /// The second argument of `reduce`, and its value, where a function comes before it: that function is given the value, and is
    /// read after it.
    fn start_value_of_fold(
        &mut self,
        arguments: Node<'t>,
        known: CalledMethod<'_>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(Node<'t>, ExprId)> {
        if known.receiver == builder.unknown_expr() || !matches!(known.name, "reduce" | "reduceRight") {
            return None;
        }
        let (mut function, mut start) = (None, None);
        self.for_each_named_or_unnamed_child(arguments, builder, |this, child, _, _| {
            if child.is_named() && !this.is_comment(child) {
                if function.is_none() {
                    function = Some(this.kind_of_node(child));
                } else if start.is_none() {
                    start = Some(child);
                }
            }
        });
        let start = start.filter(|start| {
            matches!(function, Some(Kind::Arrow | Kind::FunctionExpression))
                && self.kind_of_node(*start) != Kind::Spread
        })?;
        Some((start, self.bind_names_and_get_value(start, ExprContext::READ, builder)))
    }

    /// The values that a method of a standard container (such as `map` of an array) passes to its callback. `start` is the value
    /// with which `reduce` begins.
    fn values_passed_to_method_callback(
        &mut self,
        known: CalledMethod<'_>,
        start: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        if known.receiver == builder.unknown_expr() {
            return Vec::new();
        }
        match known.name {
            "map" | "forEach" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some" | "every"
            | "flatMap" => {
                let element = Self::element_or_awaited_expr(known.receiver, builder);
                vec![element, builder.unknown_expr(), known.receiver]
            }
            "sort" | "toSorted" => {
                let element = Self::element_or_awaited_expr(known.receiver, builder);
                vec![element, element]
            }
            "reduce" | "reduceRight" => {
                let element = Self::element_or_awaited_expr(known.receiver, builder);
                vec![start, element]
            }
            "then" => vec![Self::element_or_awaited_expr(known.receiver, builder)],
            _ => Vec::new(),
        }
    }

    /// The result of a standard container's method (such as `filter` of an array), in case the receiver is such a
    /// container.
    fn possible_container_method_result(
        &mut self,
        known: CalledMethod<'_>,
        args: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if known.receiver == builder.unknown_expr() {
            return None;
        }
        let first = args.first().copied().unwrap_or(builder.unknown_expr());
        let value = match known.name {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "toSorted" | "toReversed" | "values" | "splice"
            | "catch" | "finally" => known.receiver,
            "reduce" | "reduceRight" => {
                if self.is_member_defined_in_file(known.receiver, known.name, builder) {
                    return None;
                }
                let start = args.get(1).copied().unwrap_or(builder.unknown_expr());
                let result = match builder.names.expr_by_id(first) {
                    Expr::Function { .. } => builder.add_expr(Expr::Call { callee: first }),
                    _ => builder.unknown_expr(),
                };
                builder.expr_of_possible_values(vec![start, result])
            }
            "find" | "findLast" | "pop" | "shift" | "at" | "get" => {
                Self::element_or_awaited_expr(known.receiver, builder)
            }
            "map" | "flatMap" | "then" if matches!(builder.names.expr_by_id(first), Expr::Function { .. }) => {
                let result = builder.add_expr(Expr::Call { callee: first });
                let result =
                    if known.name == "flatMap" { Self::element_or_awaited_expr(result, builder) } else { result };
                Self::container_type_of_element_value(result, builder)
            }
            _ => return None,
        };
        Some(value)
    }

    /// Whether `node` is a member of a global object with known functions: `Object`, `Promise`, `Array`.
    pub(super) fn is_member_of_known_global_object(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        self.kind_of_node(node) == Kind::Member
            && self.first_child_in_field(node, Field::Object, builder).is_some_and(|object| {
                matches!(builder.text_of_node(object), "Object" | "Promise" | "Array")
                    && self.is_unbound_name(object, builder)
            })
    }

    /// The result of a function that is a member of the global object `Object`, `Promise` or `Array`.
    fn global_object_method_result(
        &mut self,
        is_global: bool,
        node: Node<'t>,
        known: CalledMethod<'_>,
        args: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if !is_global {
            return None;
        }
        let first = args.first().copied().unwrap_or(builder.unknown_expr());
        let value = match known.name {
            "freeze" | "seal" | "resolve" | "from" => first,
            "assign" => builder.expr_of_possible_values(args.to_vec()),
            "create" => {
                let scope = self.add_scope_inside_current(ScopeKind::Type, node, builder);
                let made = builder.add_expr(Expr::Object { scope });
                builder.expr_of_possible_values(vec![made, first])
            }
            "values" => {
                let element = Self::element_or_awaited_expr(first, builder);
                Self::container_type_of_element_value(element, builder)
            }
            "entries" => {
                let element = Self::element_or_awaited_expr(first, builder);
                let pair = builder.add_expr_list(&[builder.unknown_expr(), element]);
                let pair = builder.add_expr(Expr::Tuple(pair));
                let args = builder.add_expr_list(&[pair]);
                builder.add_expr(Expr::Generic { base: None, args })
            }
            "all" => {
                let parts = match builder.names.expr_by_id(first) {
                    Expr::Tuple(parts) => builder.names.expr_ids_in_list_range(parts).to_vec(),
                    _ => {
                        let element = Self::element_or_awaited_expr(first, builder);
                        let element = Self::element_or_awaited_expr(element, builder);
                        let container = Self::container_type_of_element_value(element, builder);
                        let args = builder.add_expr_list(&[container]);
                        return Some(builder.add_expr(Expr::Generic { base: None, args }));
                    }
                };
                let parts: Vec<ExprId> =
                    parts.into_iter().map(|part| Self::element_or_awaited_expr(part, builder)).collect();
                let parts = builder.add_expr_list(&parts);
                let parts = builder.add_expr(Expr::Tuple(parts));
                let args = builder.add_expr_list(&[parts]);
                builder.add_expr(Expr::Generic { base: None, args })
            }
            _ => return None,
        };
        Some(value)
    }

    /// The value of a call that names a module: `require("x")`, `import("x")`, `vi.mock("x")`; also binds the names in
    /// the arguments.
    fn value_of_call_naming_module(
        &mut self,
        function: Node<'t>,
        arguments: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let arguments = arguments?;
        let kind = match self.kind_of_node(function) {
            Kind::Import => ModuleImportKind::Dynamic,
            Kind::Identifier
                if builder.text_of_node(function) == "require" && self.is_unbound_name(function, builder) =>
            {
                ModuleImportKind::Require
            }
            Kind::Member if is_known_function_taking_module_name(builder.text_of_node(function)) => {
                ModuleImportKind::Mention
            }
            _ => return None,
        };
        let string = self
            .first_named_non_comment_child(arguments, builder)
            .filter(|first| self.kind_of_node(*first) == Kind::String);
        let Some(text) = string.and_then(|string| self.escape_free_string_text_node(string)) else {
            if kind == ModuleImportKind::Mention {
                return None;
            }
            self.bind_names_and_get_value(arguments, ExprContext::READ, builder);
            return Some(builder.unknown_expr());
        };
        let source = builder.name_id_of_node(text);
        let import = builder.add_import(kind, source, self.scope, function);
        record_component_of_module(import, text, builder);
        if kind == ModuleImportKind::Mention {
            self.bind_names_and_get_value(function, ExprContext::for_role(Role::Call), builder);
        }
        // The arguments after the module's name are options, or the factory of a mock.
        self.bind_names_and_get_value(arguments, ExprContext::READ, builder);
        Some(builder.add_expr(Expr::Imported { import }))
    }
}

/// Records the name of the component in the module's name of a call: `import("./Card.vue")`. There is no other place that names
/// what the call imports.
fn record_component_of_module(import: ModuleImportId, source: Node<'_>, builder: &mut NamesBuilder<'_>) {
    let path = builder.text_of_node(source);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let Some(language) = [&vue::LANGUAGE, &svelte::LANGUAGE, &astro::LANGUAGE]
        .into_iter()
        .find(|language| language.extensions.contains(&ending))
    else {
        return;
    };
    let Some(name) = component_name_of_file(language, path) else { return };
    let Some(at) = path.rfind(name).map(|at| source.start_byte() + at) else { return };
    let name = builder.name_id_of_source_range(at..at + name.len());
    let default = builder.intern_constructed_text("default");
    let line = first_line_number_of_node(source);
    builder.record_occurrence_at_offset(name, at, line, Role::Import, Target::Imported(import, Some(default)));
}

/// Whether an expected value of an expression of this node kind also says what its parts are expected to be.
pub(super) fn does_node_kind_pass_expected_value_to_parts(kind: Kind) -> bool {
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

/// Whether the function at the dotted path `path` takes a module name as an argument: functions of test runners
/// (`vi.mock`) and of the module system (`require.resolve`).
fn is_known_function_taking_module_name(path: &str) -> bool {
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
