//! Name binding of the types that PHP code declares for parameters, results and properties.

use tree_sitter::Node;

use super::docs::DocType;
use super::{Binder, Kind};
use crate::names::{ExprId, NamesBuilder, Role, ScopeId};

/// A declared type.
#[derive(Clone, Copy)]
pub(super) struct DeclaredType {
    pub expr: ExprId,
    /// Whether the type leaves open what a doc comment can tell: `array`, `object`, `mixed`.
    pub is_vague: bool,
}

impl<'t> Binder<'t> {
    /// The type that `node` writes.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> DeclaredType {
        match self.kind(node) {
            Kind::NamedType => {
                let Some(name) = self.first_named_child(node) else {
                    return DeclaredType { expr: builder.unknown_expr(), is_vague: true };
                };
                DeclaredType { expr: self.class_expr(name, scope, Role::Type, builder), is_vague: false }
            }
            Kind::Name | Kind::QualifiedName | Kind::RelativeName => {
                DeclaredType { expr: self.class_expr(node, scope, Role::Type, builder), is_vague: false }
            }
            Kind::PrimitiveType => {
                let name = known_type_of_keyword(builder.text_of_node(node));
                DeclaredType { expr: self.known_type(name, builder), is_vague: name != "?scalar" }
            }
            Kind::OptionalType
            | Kind::UnionType
            | Kind::IntersectionType
            | Kind::DisjunctiveNormalFormType
            | Kind::Error => builder
                .run_with_depth_limit(node, |builder| {
                    let mut parts = Vec::new();
                    let mut is_vague = false;
                    self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                        let part = binder.type_expr(child, scope, builder);
                        is_vague |= part.is_vague;
                        parts.push(part.expr);
                    });
                    Some(DeclaredType { expr: self.union_of_types(parts, builder), is_vague })
                })
                .unwrap_or(DeclaredType { expr: builder.unknown_expr(), is_vague: true }),
            _ => DeclaredType { expr: self.known_type("?scalar", builder), is_vague: false },
        }
    }

    /// One of several types. Those without members of the project are left out if there are others.
    pub(super) fn union_of_types(&mut self, mut parts: Vec<ExprId>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scalar = self.known_type("?scalar", builder);
        if parts.iter().any(|part| *part != scalar) {
            parts.retain(|part| *part != scalar);
        } else {
            parts.truncate(1);
        }
        builder.expr_of_possible_values(parts)
    }

    /// The type of a parameter, result or property, by what is declared and by what the doc comment says.
    pub(super) fn type_of_declaration_and_doc(
        &self,
        declared: Option<DeclaredType>,
        doc: Option<DocType>,
        builder: &NamesBuilder<'_>,
    ) -> Option<ExprId> {
        let unknown = builder.unknown_expr();
        let known = |expr: ExprId| (expr != unknown).then_some(expr);
        match (declared, doc) {
            (_, Some(doc)) if doc.is_informative => known(doc.expr),
            (Some(declared), _) => known(declared.expr),
            (None, Some(doc)) => known(doc.expr),
            (None, None) => None,
        }
    }
}

/// The name in the model for the type of a keyword, such as `int`.
pub(super) fn known_type_of_keyword(keyword: &str) -> &'static str {
    match keyword.to_ascii_lowercase().as_str() {
        "array" | "iterable" => "?array",
        "mixed" | "object" => "?mixed",
        "callable" => "?callable",
        _ => "?scalar",
    }
}
