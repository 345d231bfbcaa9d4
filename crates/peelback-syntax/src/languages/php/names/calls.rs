//! Name binding of PHP's calls and object creations.

use tree_sitter::Node;

use super::state::PathKind;
use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, Target, first_line_number_of_node};

/// Functions of the language that return an element of their first argument.
const FUNCTIONS_THAT_RETURN_ELEMENT: &[&str] =
    &["array_pop", "array_shift", "current", "end", "next", "pos", "prev", "reset", "max", "min", "array_reduce"];

/// Functions of the language that return an array with elements of their first argument.
const FUNCTIONS_THAT_RETURN_ARRAY: &[&str] = &[
    "array_diff",
    "array_diff_key",
    "array_filter",
    "array_intersect",
    "array_intersect_key",
    "array_merge",
    "array_merge_recursive",
    "array_pad",
    "array_replace",
    "array_reverse",
    "array_slice",
    "array_splice",
    "array_unique",
    "array_values",
    "iterator_to_array",
];

/// Functions of the language that call a closure with elements of an array: their names, the places of the closure and of
/// the array among the arguments, and the number of elements that the closure is given.
const FUNCTIONS_THAT_CALL_WITH_ELEMENTS: &[(&str, usize, usize, usize)] = &[
    ("array_map", 0, 1, 1),
    ("array_filter", 1, 0, 1),
    ("array_walk", 1, 0, 1),
    ("usort", 1, 0, 2),
    ("uasort", 1, 0, 2),
];

/// The limit on the number of calls between the one that names the class of a double and the one that makes it.
const MAX_CHAIN: usize = 32;

/// The name of constructors.
const CONSTRUCTOR: &str = "__construct";

/// The method of PHPUnit that names the class of a double, and returns the object that makes it.
const MAKER_OF_DOUBLES: &str = "getMockBuilder";

impl<'t> Binder<'t> {
    /// The value of a call of a function by its name, or of a value.
    pub(super) fn function_call_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let function = self.field(node, self.grammar.function);
        let arguments = self.field(node, self.grammar.arguments);
        let Some(function) = function else { return builder.unknown_expr() };
        let is_path = matches!(self.kind(function), Kind::Name | Kind::QualifiedName | Kind::RelativeName);
        if !is_path {
            let callee = self.value(function, scope, builder);
            if let Some(arguments) = arguments {
                self.bind_arguments(arguments, scope, builder);
            }
            return self.call_of(callee, arguments, builder);
        }
        let name = builder.text_of_node(function).trim_start_matches('\\').to_ascii_lowercase();
        let callee = self.path_expr(function, PathKind::Function, Role::Call, builder);
        let Some(arguments) = arguments else { return self.call_of(callee, None, builder) };
        if self.is_placeholder(arguments) {
            return callee;
        }
        match name.as_str() {
            "define" => self.bind_defined_constant(arguments, builder),
            "call_user_func" | "call_user_func_array" => {
                let values = self.bind_arguments(arguments, scope, builder);
                let of = values.first().copied().unwrap_or(builder.unknown_expr());
                return match of == builder.unknown_expr() {
                    true => of,
                    false => builder.add_expr(Expr::Call { callee: of }),
                };
            }
            _ => {}
        }
        let values = match FUNCTIONS_THAT_CALL_WITH_ELEMENTS.iter().find(|(known, ..)| *known == name) {
            Some((_, closure, array, count)) => {
                self.bind_arguments_with_closure(arguments, (*closure, *array, *count), scope, builder)
            }
            None => self.bind_arguments(arguments, scope, builder),
        };
        if name == "assert" {
            self.apply_asserted_condition(arguments, builder);
        }
        self.note_callable_strings(&name, arguments, builder);
        let call = builder.add_expr(Expr::Call { callee });
        let other = self.value_of_language_function(&name, &values, builder);
        let other = other.or_else(|| self.instance_of_class_argument(arguments, &values, builder));
        match other {
            Some(other) if other != builder.unknown_expr() => builder.add_expr(Expr::Fallback { value: call, other }),
            _ => call,
        }
    }

    /// What a function of the language returns, if that depends on its arguments.
    fn value_of_language_function(
        &mut self,
        name: &str,
        values: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let first = values.first().copied().filter(|first| *first != builder.unknown_expr());
        if FUNCTIONS_THAT_RETURN_ELEMENT.contains(&name) {
            return first.map(|of| builder.add_expr(Expr::Element { of }));
        }
        if FUNCTIONS_THAT_RETURN_ARRAY.contains(&name) {
            return Some(match name {
                "array_merge" | "array_replace" => builder.expr_of_possible_values(values.to_vec()),
                _ => first?,
            });
        }
        if name == "array_map" {
            let callee = first?;
            let result = builder.add_expr(Expr::Call { callee });
            return Some(self.array_of_values(vec![result], builder));
        }
        None
    }

    /// An instance of the class that is an argument of a call: `$container->get(Foo::class)`, which most likely returns one
    /// if nothing declares what it returns.
    fn instance_of_class_argument(
        &mut self,
        arguments: Node<'t>,
        values: &[ExprId],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let first = self.first_named_child(arguments)?;
        let inner = self.value_of_argument(first)?;
        let of = match self.kind(inner) {
            Kind::ClassConstantAccessExpression => {
                let name = builder.text_of_node(inner).rsplit("::").next().unwrap_or("");
                let is_class = name.trim().eq_ignore_ascii_case("class");
                values.first().copied().filter(|of| is_class && *of != builder.unknown_expr())?
            }
            _ => self.class_named_by_string(inner, builder)?,
        };
        Some(builder.add_expr(Expr::Instance { of }))
    }

    /// The value of the call of a method of an object.
    pub(super) fn method_call_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let base = self.value_in_field(node, self.grammar.object, scope, builder);
        self.member_call(node, base, scope, builder)
    }

    /// The value of `Foo::bar()`.
    pub(super) fn static_call_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let of = self.field(node, self.grammar.scope);
        let base = of.map_or(builder.unknown_expr(), |of| self.qualifier_expr(of, scope, builder));
        self.member_call(node, base, scope, builder)
    }

    fn member_call(&mut self, node: Node<'t>, base: ExprId, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let arguments = self.field(node, self.grammar.arguments);
        let name = self.field(node, self.grammar.name);
        let callee = match name {
            Some(name) if self.kind(name) == Kind::Name && name.named_child_count() == 0 => {
                builder.record_member_use(base, name, Role::Call)
            }
            Some(name) => {
                self.value(name, scope, builder);
                builder.unknown_expr()
            }
            None => builder.unknown_expr(),
        };
        let Some(arguments) = arguments else { return self.call_of(callee, None, builder) };
        if self.is_placeholder(arguments) {
            return callee;
        }
        let values = self.bind_arguments(arguments, scope, builder);
        let text = name.map_or("", |name| builder.text_of_node(name));
        let named = self.instance_of_class_argument(arguments, &values, builder);
        if let Some(named) = named.filter(|_| text.eq_ignore_ascii_case("assertInstanceOf")) {
            self.apply_asserted_class(arguments, named, builder);
        }
        let call = self.call_of(callee, Some(arguments), builder);
        if text == MAKER_OF_DOUBLES {
            self.instances_of_doubles.extend(named.map(|named| (node.id(), named)));
            return call;
        }
        let named = named.or_else(|| self.instance_of_test_double(node, text));
        match named {
            Some(other) if call != builder.unknown_expr() => builder.add_expr(Expr::Fallback { value: call, other }),
            Some(other) => other,
            None => call,
        }
    }

    /// An instance of the class whose double PHPUnit makes: `$this->getMockBuilder(Foo::class)->…->getMock()`.
    fn instance_of_test_double(&mut self, node: Node<'t>, name: &str) -> Option<ExprId> {
        if !name.starts_with("getMock") {
            return None;
        }
        let mut at = node;
        for _ in 0..MAX_CHAIN {
            at = self.field(at, self.grammar.object)?;
            if let Some(named) = self.instances_of_doubles.get(&at.id()) {
                return Some(*named);
            }
        }
        None
    }

    /// The result of a call, or the function itself in `f(...)`.
    fn call_of(&mut self, callee: ExprId, arguments: Option<Node<'t>>, builder: &mut NamesBuilder<'_>) -> ExprId {
        if callee == builder.unknown_expr() || arguments.is_some_and(|arguments| self.is_placeholder(arguments)) {
            return callee;
        }
        builder.add_expr(Expr::Call { callee })
    }

    fn is_placeholder(&mut self, arguments: Node<'t>) -> bool {
        self.first_named_child(arguments).is_some_and(|only| self.kind(only) == Kind::VariadicPlaceholder)
    }

    /// Binds the names in the arguments of a call, and returns the values of the arguments.
    pub(super) fn bind_arguments(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
            values.push(binder.argument_value(argument, scope, builder));
        });
        values
    }

    /// Binds the arguments of a function that calls a closure with the elements of an array.
    fn bind_arguments_with_closure(
        &mut self,
        list: Node<'t>,
        (closure, array, count): (usize, usize, usize),
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let arguments = self.named_children(list, builder);
        let mut values = vec![builder.unknown_expr(); arguments.len()];
        for (index, argument) in arguments.iter().enumerate().filter(|(index, _)| *index != closure) {
            let value = self.argument_value(*argument, scope, builder);
            values.iter_mut().skip(index).take(1).for_each(|slot| *slot = value);
        }
        if let Some(argument) = arguments.get(closure) {
            let of = values.get(array).copied().filter(|of| *of != builder.unknown_expr());
            if let Some(of) = of {
                let element = builder.add_expr(Expr::Element { of });
                self.expected_parameters = vec![element; count];
            }
            let value = self.argument_value(*argument, scope, builder);
            self.expected_parameters.clear();
            values.iter_mut().skip(closure).take(1).for_each(|slot| *slot = value);
        }
        values
    }

    fn argument_value(&mut self, argument: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if self.kind(argument) != Kind::Argument {
            return match self.kind(argument) {
                Kind::VariadicPlaceholder => builder.unknown_expr(),
                _ => self.value(argument, scope, builder),
            };
        }
        match self.value_of_argument(argument) {
            Some(value) => self.value(value, scope, builder),
            None => builder.unknown_expr(),
        }
    }

    /// The expression of an argument, without its name.
    pub(super) fn value_of_argument(&mut self, argument: Node<'t>) -> Option<Node<'t>> {
        if self.kind(argument) != Kind::Argument {
            return Some(argument);
        }
        let name = self.field(argument, self.grammar.name);
        self.find_named_child(argument, |binder, child| {
            Some(child) != name && binder.kind(child) != Kind::Comment && child.kind() != "reference_modifier"
        })
    }

    /// The value of `new Foo(…)`, `new $class` or `new class { … }`.
    pub(super) fn created_object_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let mut callee = builder.unknown_expr();
        let mut is_class_named = true;
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Arguments => {
                binder.bind_arguments(child, scope, builder);
            }
            Kind::AnonymousClass => callee = binder.bind_anonymous_class(child, scope, builder),
            Kind::Name | Kind::QualifiedName | Kind::RelativeName => {
                callee = binder.class_expr(child, scope, Role::Call, builder);
            }
            _ => {
                is_class_named = false;
                callee = binder.value(child, scope, builder);
            }
        });
        if callee == builder.unknown_expr() {
            return callee;
        }
        if is_class_named {
            // The constructor is called where `new` stands.
            let name = builder.intern_constructed_text(CONSTRUCTOR);
            let at = node.start_byte();
            let constructor =
                builder.add_expr(Expr::Member { base: callee, name, at: u32::try_from(at).unwrap_or(u32::MAX) });
            let line = first_line_number_of_node(node);
            builder.record_occurrence_at_offset(name, at, line, Role::Call, Target::Expr(constructor));
        }
        builder.add_expr(Expr::Call { callee })
    }

    /// `assert($x instanceof Foo)` tells the type from here on.
    fn apply_asserted_condition(&mut self, arguments: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if let Some(first) = self.first_named_child(arguments)
            && let Some(condition) = self.value_of_argument(first)
        {
            self.apply_types_told_by_condition(condition, true, builder);
        }
    }

    /// `assertInstanceOf(Foo::class, $x)` tells the type from here on.
    fn apply_asserted_class(&mut self, arguments: Node<'t>, named: ExprId, builder: &mut NamesBuilder<'_>) {
        let parts = self.named_children(arguments, builder);
        let tested = parts.get(1).and_then(|argument| self.value_of_argument(*argument));
        if let Some(key) = tested.and_then(|tested| self.key_of_tested_value(tested, builder)) {
            self.set_current_value(key, named, false);
        }
    }
}
