//! Declarators of C for name binding: the declared names and their types.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// The name that one C declarator declares, with its type.
pub(super) struct DeclaredName<'t> {
    /// The syntax node of the declared name.
    pub name: Node<'t>,
    /// The type of the declared name; for a function its return type.
    pub declared_type: ExprId,
    /// The node of the parameter list, if the declarator declares a function.
    pub parameters: Option<Node<'t>>,
    /// Whether the declarator declares a function and not a variable.
    pub is_function: bool,
    /// Whether the declarator declares an array.
    pub is_array: bool,
}

impl<'t> Binder<'t> {
    /// Reads a declarator from the outside in, and records the names in its other parts, such as array sizes and
    /// attributes. `declared_type` is the type in front of the declarator.
    pub(super) fn read_declared_name_and_type(
        &mut self,
        node: Node<'t>,
        mut declared_type: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<DeclaredName<'t>> {
        let mut at = node;
        let mut is_array = false;
        loop {
            match self.grammar.kind_of_node(at) {
                Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier | Kind::PrimitiveType => {
                    // The parser inserts an empty name if the name is missing.
                    let found =
                        DeclaredName { name: at, declared_type, parameters: None, is_function: false, is_array };
                    return (!at.is_missing()).then_some(found);
                }
                Kind::FunctionDeclarator => {
                    let parameters = self.child_in_field(at, self.grammar.parameters);
                    let inner = self.inner_declarator(at)?;
                    self.record_names_outside_inner_declarator(at, inner, scope, builder);
                    if let Some(name) = self.name_of_plain_declarator(inner) {
                        return Some(DeclaredName {
                            name,
                            declared_type,
                            parameters,
                            is_function: true,
                            is_array: false,
                        });
                    }
                    if let Some(parameters) = parameters {
                        self.record_names_in_parameter_types(parameters, scope, builder);
                    }
                    declared_type = self.function_type_expr(at, declared_type, scope, builder);
                    at = inner;
                    is_array = false;
                }
                Kind::ArrayDeclarator => {
                    is_array = true;
                    let inner = self.inner_declarator(at)?;
                    self.record_names_outside_inner_declarator(at, inner, scope, builder);
                    at = inner;
                }
                Kind::PointerDeclarator | Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => {
                    let inner = self.inner_declarator(at)?;
                    self.record_names_outside_inner_declarator(at, inner, scope, builder);
                    at = inner;
                }
                _ => {
                    self.bind_node(at, scope, builder);
                    return None;
                }
            }
        }
    }

    /// The declarator inside the declarator `node`, such as `name` inside `*name`.
    fn inner_declarator(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.child_in_field(node, self.grammar.declarator).or_else(|| {
            let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
            (0..count).filter_map(|at| node.named_child(at)).find(|child| self.is_declarator_node(*child))
        })
    }

    pub(super) fn is_declarator_node(&self, node: Node<'t>) -> bool {
        matches!(
            self.grammar.kind_of_node(node),
            Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::PrimitiveType
                | Kind::FunctionDeclarator
                | Kind::ArrayDeclarator
                | Kind::PointerDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::AttributedDeclarator
        )
    }

    /// The node of the name in a declarator without pointers, arrays and parameter lists; `None` for any other
    /// declarator.
    fn name_of_plain_declarator(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            match self.grammar.kind_of_node(node) {
                Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier => {
                    return (!node.is_missing()).then_some(node);
                }
                Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => node = self.inner_declarator(node)?,
                _ => return None,
            }
        }
    }

    /// Records the names in the parts of a declarator other than the inner declarator: array sizes, attributes, macros.
    fn record_names_outside_inner_declarator(
        &mut self,
        node: Node<'t>,
        inner: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if node.named_child_count() < 2 {
            return;
        }
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if child != inner
                && !matches!(binder.grammar.kind_of_node(child), Kind::ParameterList | Kind::TypeQualifier)
            {
                binder.bind_node(child, scope, builder);
            }
        });
    }

    /// An expression for an unnamed function type with the return type `return_type`; unknown if that type is unknown.
    pub(super) fn function_type_expr(
        &mut self,
        node: Node<'t>,
        return_type: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if return_type == builder.unknown_expr() {
            return return_type;
        }
        let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
        let name = builder.intern_constructed_text("function");
        let binding = builder.add_binding(function_scope, BindingKind::Function, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, function_scope);
        builder.binding_mut(binding).annotation = Some(return_type);
        builder.add_expr(Expr::Function { binding })
    }

    /// Records the names in the types of parameters. The parameters' own names are not bound, because no function body
    /// uses them.
    pub(super) fn record_names_in_parameter_types(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            builder.run_with_depth_limit(parameter, |builder| match binder.grammar.kind_of_node(parameter) {
                Kind::ParameterDeclaration => {
                    let mut has_type = false;
                    binder.for_each_named_non_comment_child(parameter, builder, |binder, child, builder| {
                        if binder.is_declarator_node(child) && (has_type || !binder.is_type_node(child)) {
                            let unknown = builder.unknown_expr();
                            if let Some(declared) = binder.read_declared_name_and_type(child, unknown, scope, builder)
                                && let Some(parameters) = declared.parameters
                            {
                                binder.record_names_in_parameter_types(parameters, scope, builder);
                            }
                        } else {
                            has_type |= binder.is_type_node(child);
                            binder.record_names_in_declaration_specifier(child, scope, builder);
                        }
                    });
                }
                Kind::Identifier => {}
                _ => binder.bind_node(parameter, scope, builder),
            });
        });
    }

    /// Binds the parameters of a function in the function's scope `function_scope`. The types of the parameters are
    /// looked up from `scope`.
    pub(super) fn bind_parameters(
        &mut self,
        list: Node<'t>,
        function_scope: ScopeId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            if binder.grammar.kind_of_node(parameter) != Kind::ParameterDeclaration {
                // In the old style of C (K&R) a bare parameter name is declared after the parameter list.
                if binder.grammar.kind_of_node(parameter) != Kind::Identifier {
                    binder.bind_node(parameter, scope, builder);
                }
                return;
            }
            let mut declared_type = None;
            binder.for_each_named_non_comment_child(parameter, builder, |binder, child, builder| {
                if declared_type.is_none() && binder.is_type_node(child) {
                    declared_type = Some(binder.type_expr(child, scope, builder));
                } else if binder.is_declarator_node(child) {
                    let known = declared_type.unwrap_or(builder.unknown_expr());
                    if let Some(mut declared) = binder.read_declared_name_and_type(child, known, scope, builder) {
                        if let Some(parameters) = declared.parameters {
                            binder.record_names_in_parameter_types(parameters, scope, builder);
                            declared.declared_type =
                                binder.function_type_expr(child, declared.declared_type, scope, builder);
                        }
                        let bound =
                            builder.add_binding_with_definition(function_scope, BindingKind::Parameter, declared.name);
                        builder.binding_mut(bound).annotation = Some(declared.declared_type)
                            .filter(|declared_type| *declared_type != builder.unknown_expr());
                    }
                } else {
                    binder.bind_node(child, scope, builder);
                }
            });
        });
    }

    /// Records the names in one specifier of a declaration: a type or another node.
    pub(super) fn record_names_in_declaration_specifier(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if self.is_type_node(node) {
            self.type_expr(node, scope, builder);
        } else {
            self.bind_node(node, scope, builder);
        }
    }

    pub(super) fn is_type_node(&self, node: Node<'t>) -> bool {
        matches!(
            self.grammar.kind_of_node(node),
            Kind::StructSpecifier
                | Kind::UnionSpecifier
                | Kind::EnumSpecifier
                | Kind::MacroTypeSpecifier
                | Kind::SizedTypeSpecifier
                | Kind::PrimitiveType
                | Kind::TypeIdentifier
        )
    }

    /// The expression for the type that the syntax node `node` denotes. Its names are looked up from `scope`.
    pub(super) fn type_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.grammar.kind_of_node(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                // In C23, `auto` infers the type and has no declaration.
                if matches!(builder.text_of_node(node), "auto" | "") {
                    return builder.unknown_expr();
                }
                builder.record_name_use(node, scope, Role::Type)
            }
            Kind::PrimitiveType => builder.unknown_expr(),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => builder
                .run_with_depth_limit(node, |builder| Some(self.type_specifier_expr(node, scope, builder)))
                .unwrap_or(builder.unknown_expr()),
            Kind::SizedTypeSpecifier => match self.child_in_field(node, self.grammar.r#type) {
                Some(inner) => self.type_expr(inner, scope, builder),
                None => builder.unknown_expr(),
            },
            Kind::MacroTypeSpecifier => {
                if let Some(name) = self.child_in_field(node, self.grammar.name)
                    && !matches!(builder.text_of_node(name), "typeof" | "__typeof__" | "Atomic_" | "_Atomic")
                {
                    builder.record_name_use(name, scope, Role::Call);
                }
                match self.child_in_field(node, self.grammar.r#type) {
                    Some(inner) => self.type_expr(inner, scope, builder),
                    None => builder.unknown_expr(),
                }
            }
            Kind::TypeDescriptor => {
                builder.run_with_depth_limit(node, |builder| self.type_descriptor_expr(node, scope, builder))
            }
            _ => {
                self.bind_node(node, scope, builder);
                builder.unknown_expr()
            }
        }
    }

    /// The expression for the type in a type descriptor, as in a cast or in `sizeof`.
    fn type_descriptor_expr(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut described_type = builder.unknown_expr();
        if let Some(written) = self.child_in_field(node, self.grammar.r#type) {
            described_type = self.type_expr(written, scope, builder);
        }
        let mut next = self.child_in_field(node, self.grammar.declarator);
        while let Some(declarator) = next {
            if self.grammar.kind_of_node(declarator) == Kind::AbstractFunctionDeclarator {
                if let Some(parameters) = self.child_in_field(declarator, self.grammar.parameters) {
                    self.record_names_in_parameter_types(parameters, scope, builder);
                }
                described_type = self.function_type_expr(declarator, described_type, scope, builder);
            }
            let inner = self
                .child_in_field(declarator, self.grammar.declarator)
                .or_else(|| self.first_named_non_comment_child(declarator));
            next = inner.filter(|inner| inner.kind().starts_with("abstract_"));
        }
        described_type
    }
}
