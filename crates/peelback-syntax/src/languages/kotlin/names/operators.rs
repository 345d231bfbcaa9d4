//! Name binding of what Kotlin's signs call: `a + b` calls `a.plus(b)`. Each such call is an occurrence of the function's
//! name at the sign.

use foldhash::{HashMap, HashSet};
use tree_sitter::Node;

use super::expected::CallOfPossibleValue;
use super::{Binder, Kind};
use crate::names::{
    BindingKind, Expr, ExprId, NameId, Names, NamesBuilder, Role, ScopeId, Span, Target, first_line_number_of_node,
};

/// The names of functions that signs call, apart from `component1` and the like.
const OPERATORS: &[&str] = &[
    "compareTo",
    "contains",
    "dec",
    "div",
    "divAssign",
    "equals",
    "get",
    "getValue",
    "hasNext",
    "inc",
    "invoke",
    "iterator",
    "minus",
    "minusAssign",
    "next",
    "not",
    "plus",
    "plusAssign",
    "provideDelegate",
    "rangeTo",
    "rangeUntil",
    "rem",
    "remAssign",
    "set",
    "setValue",
    "times",
    "timesAssign",
    "unaryMinus",
    "unaryPlus",
];

/// Whether a sign can call a function of this name.
pub(super) fn is_name_of_operator(name: &str) -> bool {
    OPERATORS.binary_search(&name).is_ok()
        || name.strip_prefix("component").is_some_and(|index| index.parse::<u32>().is_ok())
}

/// The function that the sign between two operands calls; `None` if it calls none.
fn function_of_binary_sign(sign: &str) -> Option<&'static str> {
    Some(match sign {
        "+" => "plus",
        "-" => "minus",
        "*" => "times",
        "/" => "div",
        "%" => "rem",
        "==" | "!=" => "equals",
        "<" | "<=" | ">" | ">=" => "compareTo",
        _ => return None,
    })
}

/// The functions that an assignment with a sign can call: one that changes the target, and one whose result is assigned.
fn functions_of_assignment_sign(sign: &str) -> Option<(&'static str, &'static str)> {
    Some(match sign {
        "+=" => ("plusAssign", "plus"),
        "-=" => ("minusAssign", "minus"),
        "*=" => ("timesAssign", "times"),
        "/=" => ("divAssign", "div"),
        "%=" => ("remAssign", "rem"),
        _ => return None,
    })
}

impl<'t> Binder<'t> {
    /// The value of a call that a sign makes, recorded as a use of the function at the sign.
    pub(super) fn operator_call(
        &mut self,
        base: ExprId,
        name: &str,
        arguments: &[ExprId],
        sign: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let name = builder.intern_constructed_text(name);
        let at = sign.start_byte();
        let callee = builder.add_expr(Expr::Member { base, name, at: super::to_u32(at) });
        let arguments = builder.add_expr_list(arguments);
        builder.names.call_arguments.push((callee, arguments));
        let line = first_line_number_of_node(sign);
        builder.record_occurrence_at_offset(name, at, line, Role::Call, Target::Expr(callee));
        builder.add_expr(Expr::Call { callee })
    }

    /// The child that is the sign of an expression; the expression itself if it has none.
    pub(super) fn sign_of(&mut self, node: Node<'t>, signs: &[&str]) -> Node<'t> {
        self.find_child(node, |_, child| signs.contains(&child.kind())).unwrap_or(node)
    }

    /// The value of `left sign right`, where the operands have these values.
    pub(super) fn binary_operator_value(
        &mut self,
        node: Node<'t>,
        sign: &str,
        (left, right): ((Node<'t>, ExprId), (Node<'t>, ExprId)),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let boolean = self.value_of_known_type("Boolean", builder);
        let Some(name) = function_of_binary_sign(sign) else { return boolean };
        let is_comparison = matches!(name, "equals" | "compareTo");
        // What is compared with a literal is no value of a type with such a function.
        let is_plain = |binder: &Self, node: Node<'t>| {
            matches!(
                binder.kind(node),
                Kind::NumberLiteral | Kind::FloatLiteral | Kind::StringLiteral | Kind::CharacterLiteral
            ) || matches!(builder.text_of_node(node), "null" | "true" | "false")
        };
        if is_comparison && (is_plain(self, left.0) || is_plain(self, right.0)) {
            return boolean;
        }
        if name == "plus"
            && self
                .known_types
                .get("String")
                .is_some_and(|of| builder.names.expr_by_id(left.1) == Expr::Instance { of: *of })
        {
            return left.1;
        }
        let operator = self.field(node, self.grammar.operator).unwrap_or(node);
        let result = self.operator_call(left.1, name, &[right.1], operator, builder);
        if is_comparison { boolean } else { result }
    }

    /// Binds `target = value`, and assignments with another sign.
    pub(super) fn bind_assignment(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let right = self.field(node, self.grammar.right);
        let sign = self.field(node, self.grammar.operator);
        let Some(target) = self.field(node, self.grammar.left) else {
            if let Some(right) = right {
                self.value(right, scope, builder);
            }
            return;
        };
        let indexed = self.without_parentheses(target).filter(|target| self.kind(*target) == Kind::IndexExpression);
        let (of, index) = match indexed {
            Some(indexed) => {
                let (base, mut index) = self.base_and_index(indexed, scope, builder);
                let of = match sign.filter(|sign| sign.kind() != "=") {
                    // It is read before it is written.
                    Some(_) => {
                        let bracket = self.sign_of(indexed, &["["]);
                        self.operator_call(base, "get", &index, bracket, builder)
                    }
                    None => builder.unknown_expr(),
                };
                index.insert(0, base);
                (of, Some((indexed, index)))
            }
            None => (self.assigned_target(target, scope, builder), None),
        };
        let mut value = builder.unknown_expr();
        if let Some(right) = right {
            // A lambda is given what the type of the target declares.
            let declared = (of != builder.unknown_expr()).then(|| builder.add_expr(Expr::TypeOf { of }));
            value = self.value_for_type(right, scope, declared, builder);
        }
        if let Some(sign) = sign
            && let Some((changes, makes)) = functions_of_assignment_sign(sign.kind())
        {
            self.operator_call(of, changes, &[value], sign, builder);
            value = self.operator_call(of, makes, &[value], sign, builder);
        }
        if let Some((indexed, mut arguments)) = index {
            let base = arguments.remove(0);
            arguments.push(value);
            let bracket = self.sign_of(indexed, &["["]);
            self.operator_call(base, "set", &arguments, bracket, builder);
        }
    }

    fn without_parentheses(&mut self, mut node: Node<'t>) -> Option<Node<'t>> {
        for _ in 0..MAX_PARENTHESES {
            if self.kind(node) != Kind::ParenthesizedExpression {
                return Some(node);
            }
            node = self.first_named_child(node)?;
        }
        None
    }

    /// The values of what an index expression indexes, and of the index.
    pub(super) fn base_and_index(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> (ExprId, Vec<ExprId>) {
        let children = self.named_children(node);
        let mut values: Vec<ExprId> = children.iter().map(|child| self.value(*child, scope, builder)).collect();
        if values.is_empty() {
            return (builder.unknown_expr(), values);
        }
        let base = values.remove(0);
        (base, values)
    }

    /// The value of `-a`, `!a`, `a++` and the like.
    pub(super) fn unary_value(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let sign = self.field(node, self.grammar.operator).unwrap_or(node);
        let Some(argument) = self.field(node, self.grammar.argument) else { return builder.unknown_expr() };
        let name = match sign.kind() {
            "++" => "inc",
            "--" => "dec",
            "!" => "not",
            "-" => "unaryMinus",
            "+" => "unaryPlus",
            _ => return self.value(argument, scope, builder),
        };
        if matches!(name, "inc" | "dec") {
            let value = match self.without_parentheses(argument) {
                Some(indexed) if self.kind(indexed) == Kind::IndexExpression => {
                    let (base, mut index) = self.base_and_index(indexed, scope, builder);
                    let bracket = self.sign_of(indexed, &["["]);
                    let value = self.operator_call(base, "get", &index, bracket, builder);
                    index.push(value);
                    self.operator_call(base, "set", &index, bracket, builder);
                    value
                }
                _ => self.assigned_target(argument, scope, builder),
            };
            self.operator_call(value, name, &[], sign, builder);
            return value;
        }
        let value = self.value(argument, scope, builder);
        if matches!(self.kind(argument), Kind::NumberLiteral | Kind::FloatLiteral) {
            return value;
        }
        let result = self.operator_call(value, name, &[], sign, builder);
        if name == "not" { self.value_of_known_type("Boolean", builder) } else { result }
    }

    /// The value of an iteration over `of`.
    pub(super) fn iterated_element(&mut self, of: ExprId, sign: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let iterator = self.operator_call(of, "iterator", &[], sign, builder);
        self.operator_call(iterator, "hasNext", &[], sign, builder);
        self.operator_call(iterator, "next", &[], sign, builder);
        builder.add_expr(Expr::Element { of: iterator })
    }

    /// Records that a call may call the function `invoke` of the value that is called.
    pub(super) fn record_call_of_possible_value(
        &mut self,
        callee: ExprId,
        arguments: Option<Node<'t>>,
        builder: &NamesBuilder<'_>,
    ) {
        if let Some(arguments) = arguments.filter(|_| callee != builder.unknown_expr()) {
            let at = super::to_u32(arguments.start_byte());
            self.calls.push(CallOfPossibleValue { callee, at, line: first_line_number_of_node(arguments) });
        }
    }

    /// Records the uses of `invoke` by calls of names that may be those of values: of what this file declares, and of
    /// types, which may be objects.
    pub(super) fn record_uses_of_invoke(&mut self, builder: &mut NamesBuilder<'_>) {
        let calls = std::mem::take(&mut self.calls);
        if calls.is_empty() {
            return;
        }
        let values: HashSet<NameId> =
            builder.names.bindings.iter().filter(|of| is_value(of.kind)).map(|of| of.name).collect();
        let arguments: HashMap<ExprId, Span> = builder.names.call_arguments.iter().copied().collect();
        let mut argument_names: HashMap<ExprId, Vec<(u32, NameId)>> = HashMap::default();
        for (callee, index, name) in &builder.names.argument_names {
            argument_names.entry(*callee).or_default().push((*index, *name));
        }
        let invoke = builder.intern_constructed_text("invoke");
        for CallOfPossibleValue { callee, at, line } in calls {
            if !may_be_value(&builder.names, callee, &values) {
                continue;
            }
            let function = builder.add_expr(Expr::Member { base: callee, name: invoke, at });
            if let Some(list) = arguments.get(&callee) {
                builder.names.call_arguments.push((function, *list));
            }
            let named = argument_names.get(&callee).into_iter().flatten();
            builder.names.argument_names.extend(named.map(|(index, name)| (function, *index, *name)));
            builder.record_occurrence_at_offset(invoke, at as usize, line, Role::Call, Target::Expr(function));
        }
    }
}

/// The limit on the parentheses around the target of an assignment.
const MAX_PARENTHESES: usize = 16;

fn is_value(kind: BindingKind) -> bool {
    matches!(
        kind,
        BindingKind::Variable
            | BindingKind::Parameter
            | BindingKind::Field
            | BindingKind::Property
            | BindingKind::EnumMember
    )
}

/// Whether what a call calls may be a value.
fn may_be_value(names: &Names, callee: ExprId, values: &HashSet<NameId>) -> bool {
    match names.expr_by_id(callee) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => {
            values.contains(&name) || super::is_written_as_type(names.name_text(name))
        }
        _ => true,
    }
}
