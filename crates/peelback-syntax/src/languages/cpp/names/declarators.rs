//! Declarators of C++ for name binding: the declared names and their types.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, ExprId, NameId, NamesBuilder, Role, ScopeId, Target};

/// The name that one declarator declares, with its type.
pub(super) struct DeclaredName<'t> {
    /// The syntax node of the declared name, which may be qualified.
    pub name: Node<'t>,
    /// The type of the declared name; for a function its return type.
    pub declared_type: ExprId,
    /// Whether a `const` in front of the declarator is that of what the name points to.
    pub is_pointer: bool,
    /// The declarator of the function, if the declarator declares one.
    pub function: Option<Node<'t>>,
}

impl<'t> Binder<'t> {
    /// Reads a declarator from the outside in, and records the names in its other parts, such as array sizes.
    /// `declared_type` is the type in front of the declarator.
    pub(super) fn read_declared_name_and_type(
        &mut self,
        node: Node<'t>,
        mut declared_type: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<DeclaredName<'t>> {
        let mut at = node;
        let mut is_pointer = false;
        loop {
            match self.grammar.kind_of_node(at) {
                Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::PrimitiveType
                | Kind::QualifiedIdentifier
                | Kind::DestructorName
                | Kind::OperatorName
                | Kind::OperatorCast
                | Kind::StructuredBindingDeclarator
                | Kind::TemplateFunction => {
                    return (!at.is_missing()).then_some(DeclaredName {
                        name: at,
                        declared_type,
                        is_pointer,
                        function: None,
                    });
                }
                Kind::FunctionDeclarator => {
                    let inner = self.inner_declarator(at)?;
                    if let Some(name) = self.name_of_plain_declarator(inner) {
                        return Some(DeclaredName { name, declared_type, is_pointer, function: Some(at) });
                    }
                    if let Some(parameters) = self.child_in_field(at, self.grammar.parameters) {
                        self.record_names_in_parameters(parameters, scope, builder);
                    }
                    declared_type = self.function_type(at, declared_type, scope, builder);
                    // A pointer to a function is used like the function.
                    at = inner;
                    while matches!(
                        self.grammar.kind_of_node(at),
                        Kind::ParenthesizedDeclarator | Kind::PointerDeclarator | Kind::ReferenceDeclarator
                    ) {
                        at = self.inner_declarator(at)?;
                    }
                }
                Kind::PointerDeclarator | Kind::PointerTypeDeclarator => {
                    is_pointer = true;
                    declared_type = self.pointer_to(declared_type, builder);
                    at = self.inner_declarator(at)?;
                }
                Kind::ArrayDeclarator => {
                    declared_type = self.pointer_to(declared_type, builder);
                    let inner = self.inner_declarator(at)?;
                    self.for_each_named_non_comment_child(at, builder, |binder, child, builder| {
                        if child != inner {
                            binder.bind_node(child, scope, builder);
                        }
                    });
                    at = inner;
                }
                Kind::ReferenceDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::AttributedDeclarator
                | Kind::VariadicDeclarator => at = self.inner_declarator(at)?,
                _ => {
                    self.bind_node(at, scope, builder);
                    return None;
                }
            }
        }
    }

    /// The declarator inside the declarator `node`, such as `name` inside `*name`.
    pub(super) fn inner_declarator(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.child_in_field(node, self.grammar.declarator).or_else(|| {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find(|child| self.is_declarator_node(*child))
        })
    }

    pub(super) fn is_declarator_node(&self, node: Node<'t>) -> bool {
        matches!(
            self.grammar.kind_of_node(node),
            Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::PrimitiveType
                | Kind::QualifiedIdentifier
                | Kind::DestructorName
                | Kind::OperatorName
                | Kind::OperatorCast
                | Kind::StructuredBindingDeclarator
                | Kind::TemplateFunction
                | Kind::FunctionDeclarator
                | Kind::ArrayDeclarator
                | Kind::PointerDeclarator
                | Kind::PointerTypeDeclarator
                | Kind::ReferenceDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::AttributedDeclarator
                | Kind::VariadicDeclarator
        )
    }

    /// The node of the name in a declarator without pointers, arrays and parameter lists.
    fn name_of_plain_declarator(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            match self.grammar.kind_of_node(node) {
                Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::QualifiedIdentifier
                | Kind::DestructorName
                | Kind::OperatorName
                | Kind::OperatorCast
                | Kind::TemplateFunction => return (!node.is_missing()).then_some(node),
                Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => node = self.inner_declarator(node)?,
                _ => return None,
            }
        }
    }

    /// Binds a declared name in `scope`, and records its occurrence. `inner` is the scope in which the types of a conversion
    /// operator or the arguments of a specialisation are looked up.
    pub(super) fn bind_declared_name(
        &mut self,
        name: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<BindingId> {
        let bound = match self.grammar.kind_of_node(name) {
            Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier | Kind::PrimitiveType => {
                builder.add_binding_with_definition(scope, kind, name)
            }
            Kind::TemplateFunction => {
                if let Some(arguments) = self.child_in_field(name, self.grammar.arguments) {
                    self.type_arguments(arguments, inner, builder);
                }
                let name = self.child_in_field(name, self.grammar.name)?;
                builder.add_binding_with_definition(scope, kind, name)
            }
            Kind::OperatorName | Kind::DestructorName => {
                let id = self.normalized_name(name, builder);
                self.add_binding_of_constructed_name(name, id, kind, scope, builder)
            }
            Kind::OperatorCast => {
                let written = self.child_in_field(name, self.grammar.r#type)?;
                let text = builder.text_of_node(name);
                let text = text.split_once('(').map_or(text, |(name, _)| name);
                let id = builder.intern_constructed_text(&crate::text::to_one_line(text));
                let bound = self.add_binding_of_constructed_name(name, id, kind, scope, builder);
                let mut result = self.type_expr(written, inner, builder);
                if let Some(declarator) = self.child_in_field(name, self.grammar.declarator) {
                    // Only the pointers in front of the empty parameter list belong to the type.
                    let mut next = Some(declarator);
                    while let Some(at) = next {
                        if self.grammar.kind_of_node(at) == Kind::AbstractPointerDeclarator {
                            result = self.pointer_to(result, builder);
                        }
                        next = self.child_in_field(at, self.grammar.declarator);
                    }
                }
                builder.binding_mut(bound).annotation = Some(result);
                bound
            }
            _ => return None,
        };
        builder.binding_mut(bound).private = self.is_private;
        Some(bound)
    }

    fn add_binding_of_constructed_name(
        &self,
        node: Node<'t>,
        name: NameId,
        kind: BindingKind,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let bound = builder.add_binding(scope, kind, name, node.start_byte());
        let line = crate::names::first_line_number_of_node(node);
        builder.record_occurrence_at_offset(name, node.start_byte(), line, Role::Definition, Target::Binding(bound));
        bound
    }
}
