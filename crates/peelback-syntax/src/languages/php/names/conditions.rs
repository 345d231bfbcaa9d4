//! What conditions tell of the types of variables and properties: `$x instanceof Foo`.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NameId, NamesBuilder};

/// The limit on the number of parts of a condition that are read for tests of types.
const MAX_CONDITION_PARTS: usize = 64;

/// The limit on the number of comments behind the last statement of a block.
const MAX_COMMENTS: usize = 16;

impl<'t> Binder<'t> {
    /// The text that stands for a variable or a property of one, where its type can be tested.
    pub(super) fn key_of_tested_value(&mut self, mut node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<NameId> {
        for _ in 0..MAX_COMMENTS {
            match self.kind(node) {
                Kind::VariableName => return Some(builder.name_id_of_node(node)),
                Kind::MemberAccessExpression | Kind::NullsafeMemberAccessExpression => {
                    let object = self.field(node, self.grammar.object)?;
                    let is_plain = self.kind(object) == Kind::VariableName;
                    return is_plain.then(|| builder.name_id_of_node(node));
                }
                Kind::ParenthesizedExpression => node = self.first_named_child(node)?,
                Kind::AssignmentExpression => node = self.field(node, self.grammar.left)?,
                _ => return None,
            }
        }
        None
    }

    /// The types that tested values have if a condition, whose names are bound, has the result `result`.
    pub(super) fn types_told_by_condition(
        &mut self,
        condition: Node<'t>,
        result: bool,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<(NameId, ExprId)> {
        let mut told = Vec::new();
        if self.instance_tests.is_empty() {
            return told;
        }
        let mut next = vec![(condition, result)];
        for _ in 0..MAX_CONDITION_PARTS {
            let Some((node, result)) = next.pop() else { break };
            match self.kind(node) {
                Kind::ParenthesizedExpression => {
                    next.extend(self.first_named_child(node).map(|inner| (inner, result)));
                }
                Kind::UnaryOpExpression if builder.text_of_node(node).starts_with('!') => {
                    next.extend(self.field(node, self.grammar.argument).map(|inner| (inner, !result)));
                }
                Kind::BinaryExpression => {
                    if let Some(test) = self.instance_tests.get(&node.id()) {
                        told.extend(Some(*test).filter(|_| result));
                        continue;
                    }
                    let operator = self.operator_text(node, builder);
                    let sides = [self.field(node, self.grammar.left), self.field(node, self.grammar.right)];
                    if is_and(operator) && result || is_or(operator) && !result {
                        next.extend(sides.into_iter().flatten().map(|side| (side, result)));
                    } else if is_or(operator) && result {
                        told.extend(self.type_told_by_either_side(sides, builder));
                    }
                }
                _ => {}
            }
        }
        told
    }

    /// The type that is told by `$x instanceof A || $x instanceof B`.
    fn type_told_by_either_side(
        &mut self,
        sides: [Option<Node<'t>>; 2],
        builder: &mut NamesBuilder<'_>,
    ) -> Option<(NameId, ExprId)> {
        let [Some(left), Some(right)] = sides else { return None };
        let mut parts = vec![right];
        let mut first = left;
        while self.kind(first) == Kind::BinaryExpression
            && is_or(self.operator_text(first, builder))
            && parts.len() < MAX_CONDITION_PARTS
        {
            parts.extend(self.field(first, self.grammar.right));
            first = self.field(first, self.grammar.left)?;
        }
        parts.push(first);
        let mut of = None;
        let mut types = Vec::new();
        for mut part in parts {
            while self.kind(part) == Kind::ParenthesizedExpression {
                part = self.first_named_child(part)?;
            }
            let (name, tested) = *self.instance_tests.get(&part.id())?;
            if of.is_some_and(|of| of != name) {
                return None;
            }
            of = Some(name);
            types.push(tested);
        }
        let either = builder.expr_of_possible_values(types);
        of.map(|of| (of, either))
    }

    /// Gives tested values the types that a condition tells, from here on.
    pub(super) fn apply_types_told_by_condition(
        &mut self,
        condition: Node<'t>,
        result: bool,
        builder: &mut NamesBuilder<'_>,
    ) {
        for (name, of) in self.types_told_by_condition(condition, result, builder) {
            let value = builder.add_expr(Expr::Instance { of });
            self.set_current_value(name, value, false);
        }
    }

    /// Whether what follows a statement does not run behind it, as far as its last statement shows.
    pub(super) fn is_left_by_jump(&mut self, mut node: Node<'t>) -> bool {
        loop {
            match self.kind(node) {
                Kind::ReturnStatement | Kind::BreakStatement | Kind::ContinueStatement | Kind::ExitStatement => {
                    return true;
                }
                Kind::ExpressionStatement => {
                    return self.first_named_child(node).is_some_and(|inner| self.kind(inner) == Kind::ThrowExpression);
                }
                Kind::CompoundStatement => {
                    let count = u32::try_from(node.named_child_count()).unwrap_or(0);
                    let last = (0..count)
                        .rev()
                        .take(MAX_COMMENTS)
                        .filter_map(|at| node.named_child(at))
                        .find(|child| !self.is_comment(*child));
                    match last {
                        Some(last) => node = last,
                        None => return false,
                    }
                }
                _ => return false,
            }
        }
    }

    pub(super) fn operator_text<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.field(node, self.grammar.operator).map_or("", |operator| builder.text_of_node(operator))
    }
}

pub(super) fn is_and(operator: &str) -> bool {
    operator == "&&" || operator.eq_ignore_ascii_case("and")
}

pub(super) fn is_or(operator: &str) -> bool {
    operator == "||" || operator.eq_ignore_ascii_case("or")
}
