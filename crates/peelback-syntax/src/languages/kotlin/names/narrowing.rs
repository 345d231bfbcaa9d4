//! What tests tell of the types of values: `x is T`, `x !is T`, `x as T`.
//!
//! A narrowed path of names keeps its own occurrence; what is read from it is read from a value of the narrower type.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder};

/// The limit on the number of parts of a condition that are looked at.
const MAX_PARTS: usize = 64;

/// The limit on the number of names in a path that is narrowed.
const MAX_PATH: usize = 4;

/// The limit on the number of narrowings that are in effect at one place.
const MAX_NARROWED: usize = 64;

impl<'t> Binder<'t> {
    /// The value of the path of names `path`, whose own expression is `of`.
    pub(super) fn narrowed_value(&mut self, path: &str, of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.narrowed.iter().rev().find(|(narrowed, _)| narrowed == path) {
            Some((_, narrower)) => {
                let narrower = *narrower;
                builder.add_expr(Expr::Matched { value: of, of: narrower })
            }
            None => of,
        }
    }

    /// The text of a path of names: `a.b` also for `a?.b`.
    pub(super) fn path_of_names(&mut self, node: Node<'t>, builder: &NamesBuilder<'_>) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = node;
        for _ in 0..MAX_PATH {
            match self.kind(at) {
                Kind::Identifier => {
                    parts.push(builder.text_of_node(at));
                    parts.reverse();
                    return Some(parts.join("."));
                }
                Kind::ThisExpression if at.child_count() < 2 => {
                    parts.push("this");
                    parts.reverse();
                    return Some(parts.join("."));
                }
                Kind::NavigationExpression => {
                    let children = self.named_children(at);
                    let [base, name] = children.as_slice() else { return None };
                    parts.push(builder.text_of_node(*name));
                    at = *base;
                }
                Kind::ParenthesizedExpression => at = self.first_named_child(at)?,
                _ => return None,
            }
        }
        None
    }

    /// Narrows the paths of which a condition tells something where it `holds`, or does not.
    pub(super) fn narrow_by_condition(&mut self, condition: Node<'t>, holds: bool, builder: &NamesBuilder<'_>) {
        let mut next = vec![(condition, holds)];
        let mut found = Vec::new();
        for _ in 0..MAX_PARTS {
            let Some((node, holds)) = next.pop() else { break };
            match self.kind(node) {
                Kind::ParenthesizedExpression => next.extend(self.first_named_child(node).map(|inner| (inner, holds))),
                Kind::UnaryExpression if self.has_token(node, "!") => {
                    next.extend(self.field(node, self.grammar.argument).map(|inner| (inner, !holds)));
                }
                Kind::BinaryExpression => {
                    let joins = if holds { "&&" } else { "||" };
                    if self.has_token(node, joins) {
                        next.extend(self.field(node, self.grammar.right).map(|part| (part, holds)));
                        next.extend(self.field(node, self.grammar.left).map(|part| (part, holds)));
                    } else if holds && self.has_token(node, "!=") {
                        // `(x as? T) != null`
                        next.extend(self.field(node, self.grammar.left).map(|part| (part, holds)));
                    }
                }
                Kind::AsExpression if holds => found.extend(self.narrowing_by_test(node, builder)),
                Kind::IsExpression if holds != self.has_token(node, "!is") => {
                    found.extend(self.narrowing_by_test(node, builder));
                }
                _ => {}
            }
        }
        let room = MAX_NARROWED.saturating_sub(self.narrowed.len());
        self.narrowed.extend(found.into_iter().take(room));
    }

    /// The path that a test is about, with the type that it names.
    fn narrowing_by_test(&mut self, test: Node<'t>, builder: &NamesBuilder<'_>) -> Option<(String, ExprId)> {
        let of = *self.tested_types.get(&test.id())?;
        let tested = self.field(test, self.grammar.left)?;
        Some((self.path_of_names(tested, builder)?, of))
    }

    /// Narrows the paths of which a statement tells something for those after it: `if (x !is T) return`, `x as T`.
    pub(super) fn narrow_after_statement(&mut self, statement: Node<'t>, builder: &NamesBuilder<'_>) {
        match self.kind(statement) {
            Kind::AsExpression => self.narrow_by_condition(statement, true, builder),
            Kind::IfExpression => {
                let Some(condition) = self.field(statement, self.grammar.condition) else { return };
                if self.has_token(statement, "else") {
                    return;
                }
                let branch = self.named_children(statement).into_iter().rfind(|child| *child != condition);
                if branch.is_some_and(|branch| self.is_left_by_jump(branch, builder)) {
                    self.narrow_by_condition(condition, false, builder);
                }
            }
            _ => {}
        }
    }

    /// Whether what follows a branch does not run after it.
    fn is_left_by_jump(&mut self, branch: Node<'t>, builder: &NamesBuilder<'_>) -> bool {
        let last = match self.kind(branch) {
            Kind::Block => self.named_children(branch).last().copied(),
            _ => Some(branch),
        };
        last.is_some_and(|last| match self.kind(last) {
            Kind::ReturnExpression | Kind::ThrowExpression => true,
            Kind::Identifier => matches!(builder.text_of_node(last), "break" | "continue"),
            Kind::CallExpression => {
                let text = builder.text_of_node(last);
                text.starts_with("error(") || text.starts_with("TODO(")
            }
            _ => false,
        })
    }

    /// What a call tells of its argument: `require(x is T)`, `check(…)`.
    pub(super) fn narrowing_by_call(
        &mut self,
        called: Node<'t>,
        arguments: Option<Node<'t>>,
        builder: &NamesBuilder<'_>,
    ) -> Vec<(String, ExprId)> {
        let Some(arguments) = arguments else { return Vec::new() };
        if !matches!(builder.text_of_node(called), "require" | "check" | "assertTrue" | "assert") {
            return Vec::new();
        }
        let Some(first) = self.child_of_kind(arguments, Kind::ValueArgument) else { return Vec::new() };
        let Some(condition) = self.first_named_child(first) else { return Vec::new() };
        let mark = self.narrowed.len();
        self.narrow_by_condition(condition, true, builder);
        self.narrowed.split_off(mark)
    }
}
