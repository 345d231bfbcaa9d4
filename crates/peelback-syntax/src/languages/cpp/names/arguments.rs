//! The arguments of C++ calls and the parameters of functions, as far as they tell overloads apart.

use std::hash::{DefaultHasher, Hash, Hasher};

use tree_sitter::Node;

use super::declarations::DeclarationHead;
use super::{Binder, Kind};
use crate::names::{
    BindingId, Expr, ExprId, NamesBuilder, ParameterList, Role, ScopeId, Target, first_line_number_of_node,
};

impl<'t> Binder<'t> {
    /// Binds the names in the arguments of a call of `callee`, records the arguments, and gives their values.
    pub(super) fn bind_call_arguments(
        &mut self,
        list: Option<Node<'t>>,
        callee: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut values = Vec::new();
        let mut is_counted = true;
        if let Some(list) = list {
            self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
                is_counted &= is_one_argument(argument);
                values.push(binder.bind_names_and_get_value(argument, scope, Role::Read, builder));
            });
        }
        if is_counted {
            self.record_arguments(callee, &values, builder);
        }
        values
    }

    /// Records how many arguments a call in braces has: `Store{1, 2}`.
    pub(super) fn record_count_of_arguments(&mut self, callee: ExprId, list: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut values = Vec::new();
        let mut is_counted = true;
        self.for_each_named_non_comment_child(list, builder, |binder, argument, builder| {
            is_counted &= is_one_argument(argument) && binder.grammar.kind_of_node(argument) != Kind::InitializerPair;
            values.push(builder.unknown_expr());
        });
        if is_counted {
            self.record_arguments(callee, &values, builder);
        }
    }

    fn record_arguments(&self, callee: ExprId, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let callee = match builder.names.expr_by_id(callee) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => callee,
        };
        if callee != builder.unknown_expr() {
            let arguments = builder.add_expr_list(values);
            builder.names.call_arguments.push((callee, arguments));
        }
    }

    /// Records the constructor call that the declaration of a variable is: `Store store(1);`.
    pub(super) fn record_constructor_call(
        &mut self,
        head: &DeclarationHead<'t>,
        written: Node<'t>,
        value: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some(name) = self.last_name_of_path(written) else { return };
        let of = match builder.names.expr_by_id(head.declared_type) {
            Expr::Generic { base: Some(base), .. } => base,
            _ => head.declared_type,
        };
        let again = match builder.names.expr_by_id(of) {
            expr @ (Expr::Name { .. } | Expr::Member { .. }) => builder.add_expr(expr),
            _ => return,
        };
        let id = builder.name_id_of_node(name);
        let line = first_line_number_of_node(name);
        builder.record_occurrence_at_offset(id, name.start_byte(), line, Role::Call, Target::Expr(again));
        match value {
            Some(list) => self.record_count_of_arguments(again, list, builder),
            None => self.record_arguments(again, &[], builder),
        }
    }

    /// Records what calls can give to a function.
    pub(super) fn record_parameter_list(
        &mut self,
        function: BindingId,
        list: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut made = ParameterList { required: 0, most: 0, types: 0 };
        let mut hasher = DefaultHasher::new();
        let mut takes_any = self.has_word(list, "...");
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            let grammar = binder.grammar;
            let kind = grammar.kind_of_node(parameter);
            let text = builder.text_of_node(parameter);
            if kind == Kind::ParameterDeclaration && text == "void" {
                return;
            }
            let is_pack =
                kind == Kind::VariadicParameterDeclaration || text.ends_with("...") || !is_one_argument(parameter);
            takes_any |= is_pack;
            if text == "..." {
                return;
            }
            made.most += 1;
            let mut end = text.len();
            if kind == Kind::OptionalParameterDeclaration {
                let default = binder.child_in_field(parameter, grammar.default_value);
                end = default.map_or(end, |default| default.start_byte() - parameter.start_byte());
            } else if !is_pack {
                made.required = made.most;
            }
            let name = binder.child_in_field(parameter, grammar.declarator).and_then(|declarator| {
                let mut at = declarator;
                loop {
                    match grammar.kind_of_node(at) {
                        Kind::Identifier => return Some(at),
                        _ => at = binder.inner_declarator(at)?,
                    }
                }
            });
            let name = name.map_or(end..end, |name| {
                name.start_byte() - parameter.start_byte()..name.end_byte() - parameter.start_byte()
            });
            let before = text.get(..name.start.min(end)).unwrap_or("");
            let after = text.get(name.end.min(end)..end).unwrap_or("");
            hash_type_text(before, &mut hasher);
            hash_type_text(after.trim_end().trim_end_matches('='), &mut hasher);
            ','.hash(&mut hasher);
        });
        if takes_any {
            made.most = u32::MAX;
        }
        made.types = hasher.finish();
        builder.names.parameter_lists.push((function, made));
    }
}

/// Whether a node in a list of arguments or parameters is just one of them.
fn is_one_argument(node: Node<'_>) -> bool {
    !matches!(node.kind(), "parameter_pack_expansion" | "ERROR") && !node.kind().starts_with("preproc")
}

/// Hashes a type as it is written, without spaces and without the namespaces in front of names.
fn hash_type_text(text: &str, hasher: &mut DefaultHasher) {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if is_name(first) { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at_checked(len).unwrap_or((rest, ""));
        let is_qualifier = is_name(first) && after.trim_start().starts_with("::");
        if !first.is_whitespace() && first != ':' && !is_qualifier {
            token.hash(hasher);
        }
        rest = after;
    }
}
