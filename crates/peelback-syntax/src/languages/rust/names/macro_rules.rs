//! The rules of `macro_rules!` definitions, as functions of their arguments, and calls of macros.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind_of_node};
use super::token_stream::TokenCursor;
use super::tokens::CalledMacro;
use super::{Binder, saturating_u32};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, ScopeId, ScopeKind};

/// The limit on the number of a macro call's arguments. Macros whose result has a type of the project hardly have more.
const MAX_ARGUMENTS: usize = 8;

/// Macros of the standard library that take expressions and whose result has no type of a project, in byte order.
const MACROS_OF_STANDARD_LIBRARY: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "write",
    "writeln",
];

impl Binder {
    /// Binds the names in the body of a macro rule. Returns the rule as a function without a name, whose parameters are the
    /// rule's metavariables; `None` if the rule takes anything but a fixed number of arguments.
    pub fn bind_macro_rule(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        rule: Node<'_>,
        scope: ScopeId,
    ) -> Option<ExprId> {
        let body = FIELDS.right.child_of(rule)?;
        let metavariables = FIELDS.left.child_of(rule).and_then(metavariables_of_plain_pattern);
        builder.run_with_depth_limit(body, |builder| {
            let inner = builder.add_child_scope(scope, ScopeKind::Block, body);
            let unnamed = builder.intern_source_text("");
            let function = builder.add_binding(inner, BindingKind::Function, unnamed, body.start_byte());
            for (index, metavariable) in metavariables.iter().flatten().enumerate() {
                let name = builder.name_id_of_node(*metavariable);
                builder.add_binding(inner, BindingKind::Parameter, name, metavariable.start_byte());
                self.metavariables.insert(name, (function, saturating_u32(index)));
            }
            let mut tokens = TokenCursor::new(body);
            let values = self.separated_expression_values(builder, &mut tokens, inner);
            self.metavariables.clear();
            let ends_with_value = tokens.previous_token().is_some_and(|(kind, _)| kind != Kind::Semicolon);
            let value = values.last().filter(|value| ends_with_value && **value != builder.unknown_expr());
            let values = builder.add_expr_list(value.map_or(&[], std::slice::from_ref));
            let binding = builder.binding_mut(function);
            binding.body = Some(inner);
            binding.values = values;
            metavariables.map(|_| builder.add_expr(Expr::Function { binding: function }))
        })
    }

    /// The argument that a metavariable stands for, in the macro rule that has it among its parameters.
    pub fn metavariable_expr(&self, builder: &mut NamesBuilder<'_>, node: Node<'_>) -> ExprId {
        let name = builder.name_id_of_node(node);
        match self.metavariables.get(&name) {
            Some((rule, index)) => builder.add_expr(Expr::MacroArgument { rule: *rule, index: *index }),
            None => builder.unknown_expr(),
        }
    }
}

/// The metavariables of a rule's pattern that is a list of them with `,`, `;` or `=>` between them, as `$a:expr, $b:expr`.
fn metavariables_of_plain_pattern(pattern: Node<'_>) -> Option<Vec<Node<'_>>> {
    let mut found = Vec::new();
    let mut cursor = pattern.walk();
    for child in pattern.children(&mut cursor) {
        match kind_of_node(child) {
            Kind::TokenBindingPattern => found.push(FIELDS.name.child_of(child)?),
            // `$(,)?` allows a comma at the end.
            Kind::TokenRepetitionPattern if child.named_child_count() == 0 => {}
            Kind::Comma | Kind::Semicolon | Kind::FatArrow => {}
            Kind::OpenParen | Kind::OpenBracket | Kind::OpenBrace => {}
            Kind::CloseParen | Kind::CloseBracket | Kind::CloseBrace => {}
            _ if is_comment(child) => {}
            _ => return None,
        }
    }
    Some(found)
}

/// The expression for the result of a macro call.
pub(super) fn macro_call_expr(builder: &mut NamesBuilder<'_>, called: CalledMacro<'_>, arguments: &[ExprId]) -> ExprId {
    if arguments.len() > MAX_ARGUMENTS
        || called.expr == builder.unknown_expr()
        || is_macro_of_standard_library(called.name)
    {
        return builder.unknown_expr();
    }
    let args = builder.add_expr_list(arguments);
    builder.add_expr(Expr::MacroCall { callee: called.expr, args })
}

/// Whether a macro is one of the standard library, which reads the names in its tokens as the code around it does.
pub(super) fn is_macro_of_standard_library(name: &str) -> bool {
    matches!(name, "vec" | "dbg" | "try") || MACROS_OF_STANDARD_LIBRARY.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::MACROS_OF_STANDARD_LIBRARY;

    #[test]
    fn names_of_macros_are_in_byte_order() {
        assert!(MACROS_OF_STANDARD_LIBRARY.is_sorted());
    }
}
