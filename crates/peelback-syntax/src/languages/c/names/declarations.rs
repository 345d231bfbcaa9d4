//! Binds the names that C declarations declare: functions, variables, types and their members.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::languages::c::keywords::is_c_keyword;
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

/// What the specifiers of a C declaration say (type, `static`, `extern`), and the declarators after them.
struct DeclarationHead<'t> {
    declared_type: ExprId,
    /// The scope of the members, if the declaration defines an unnamed struct or union.
    unnamed_members: Option<ScopeId>,
    declarators: Vec<Node<'t>>,
    is_static: bool,
    is_extern: bool,
}

impl<'t> Binder<'t> {
    /// Reads the specifiers of a C declaration and collects its declarators.
    fn read_specifiers_and_collect_declarators(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> DeclarationHead<'t> {
        let unknown = builder.unknown_expr();
        let mut head = DeclarationHead {
            declared_type: unknown,
            unnamed_members: None,
            declarators: Vec::new(),
            is_static: false,
            is_extern: false,
        };
        let mut has_type = false;
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                Kind::StorageClassSpecifier => match builder.text_of_node(child) {
                    "static" => head.is_static = true,
                    "extern" => head.is_extern = true,
                    _ => {}
                },
                _ if !has_type && binder.is_type_node(child) => {
                    has_type = true;
                    head.declared_type = binder.type_expr(child, scope, builder);
                    if let Expr::Object { scope } = builder.names.expr_by_id(head.declared_type) {
                        head.unnamed_members = Some(scope);
                    }
                }
                Kind::InitDeclarator => head.declarators.push(child),
                _ if binder.is_declarator_node(child) => head.declarators.push(child),
                Kind::CompoundStatement | Kind::Declaration => {}
                _ => binder.bind_node(child, scope, builder),
            }
        });
        head
    }

    pub(super) fn bind_function(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let head = self.read_specifiers_and_collect_declarators(node, scope, builder);
        let function_scope = builder.add_child_scope(scope, ScopeKind::Function, node);
        if let Some(declarator) = head.declarators.first()
            && let Some(declared) = self.read_declared_name_and_type(*declarator, head.declared_type, scope, builder)
            // If the preprocessor hides a brace, `else if (x) {` parses as a function.
            && !is_c_keyword(builder.text_of_node(declared.name))
        {
            let function = builder.add_binding_with_definition(scope, BindingKind::Function, declared.name);
            builder.link_binding_and_body_scope(function, function_scope);
            let binding = builder.binding_mut(function);
            binding.private = head.is_static;
            binding.annotation = Some(declared.declared_type);
            if let Some(parameters) = declared.parameters {
                self.bind_parameters(parameters, function_scope, scope, builder);
            }
        }
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                // Declarations of parameters in the old style of C (K&R).
                Kind::Declaration => binder.bind_declaration(child, function_scope, BindingKind::Parameter, builder),
                Kind::CompoundStatement => binder.bind_children(child, function_scope, builder),
                _ => {}
            }
        });
    }

    /// Binds the variables and function prototypes of a declaration, or parameters that are declared in the old style
    /// of C (K&R).
    pub(super) fn bind_declaration(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        kind: BindingKind,
        builder: &mut NamesBuilder<'_>,
    ) {
        let head = self.read_specifiers_and_collect_declarators(node, scope, builder);
        for declarator in head.declarators.iter().copied() {
            let has_initialiser = self.grammar.kind_of_node(declarator) == Kind::InitDeclarator;
            let (named, value) = if has_initialiser {
                (
                    self.child_in_field(declarator, self.grammar.declarator),
                    self.child_in_field(declarator, self.grammar.value),
                )
            } else {
                (Some(declarator), None)
            };
            let declared =
                named.and_then(|named| self.read_declared_name_and_type(named, head.declared_type, scope, builder));
            let Some(declared) = declared else {
                if let Some(value) = value {
                    self.bind_node(value, scope, builder);
                }
                continue;
            };
            if let Some(parameters) = declared.parameters {
                self.record_names_in_parameter_types(parameters, scope, builder);
            }
            if is_c_keyword(builder.text_of_node(declared.name)) {
                continue;
            }
            let has_known_type = declared.declared_type != builder.unknown_expr();
            if scope != FILE_SCOPE && (declared.is_function || head.is_extern) {
                // A local `extern` or prototype refers to a top-level name of some file.
                builder.record_name_use(declared.name, FILE_SCOPE, Role::Read);
            } else {
                let kind = if declared.is_function { BindingKind::Function } else { kind };
                let bound = builder.add_binding_with_definition(scope, kind, declared.name);
                let binding = builder.binding_mut(bound);
                binding.private = head.is_static;
                binding.annotation = has_known_type.then_some(declared.declared_type);
                if scope != FILE_SCOPE {
                    binding.visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
                }
                if let Some(value) = value
                    && !has_known_type
                    && self.grammar.kind_of_node(value) != Kind::InitializerList
                {
                    let value = self.bind_names_and_get_value(value, scope, Role::Read, builder);
                    if value != builder.unknown_expr() {
                        builder.binding_mut(bound).values = builder.add_expr_list(&[value]);
                    }
                    continue;
                }
            }
            if let Some(value) = value {
                let declared_value = if has_known_type {
                    builder.add_expr(Expr::Instance { of: declared.declared_type })
                } else {
                    builder.unknown_expr()
                };
                self.record_names_in_initialiser(value, declared_value, declared.is_array, scope, builder);
            }
        }
    }

    pub(super) fn bind_typedef(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut head = self.read_specifiers_and_collect_declarators(node, scope, builder);
        for declarator in head.declarators.clone() {
            let Some(mut declared) = self.read_declared_name_and_type(declarator, head.declared_type, scope, builder)
            else {
                continue;
            };
            if let Some(parameters) = declared.parameters {
                self.record_names_in_parameter_types(parameters, scope, builder);
                declared.declared_type = self.function_type_expr(declarator, declared.declared_type, scope, builder);
            }
            let is_forward_declaration = match builder.names.expr_by_id(declared.declared_type) {
                Expr::Name { name, .. } => name == builder.name_id_of_node(declared.name),
                _ => false,
            };
            let bound = match head.unnamed_members.take() {
                // In `typedef struct { … } point;` the struct has no other name.
                Some(members) if !declared.is_function => {
                    let bound = builder.add_binding_with_definition(scope, BindingKind::Type, declared.name);
                    builder.link_binding_and_body_scope(bound, members);
                    head.declared_type = builder.add_expr(Expr::Bound { binding: bound });
                    bound
                }
                // `typedef struct node node;` is a forward declaration of a type.
                _ if is_forward_declaration => {
                    builder.add_binding_with_definition(scope, BindingKind::Type, declared.name)
                }
                _ => {
                    let bound = builder.add_binding_with_definition(scope, BindingKind::TypeAlias, declared.name);
                    builder.binding_mut(bound).annotation =
                        Some(declared.declared_type).filter(|known| *known != builder.unknown_expr());
                    bound
                }
            };
            if scope != FILE_SCOPE {
                builder.binding_mut(bound).visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
            }
        }
    }

    /// Binds a struct, union or enum without a declarator: a definition, or a forward declaration (`struct node;`).
    pub(super) fn bind_type_without_declarator(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match (self.child_in_field(node, self.grammar.name), self.child_in_field(node, self.grammar.body)) {
            (Some(name), None) => {
                builder.add_binding_with_definition(scope, BindingKind::Type, name);
            }
            _ => {
                self.type_specifier_expr(node, scope, builder);
            }
        }
    }

    /// The expression for the type that a `struct`, `union` or `enum` specifier denotes. A specifier with a body
    /// defines the type.
    pub(super) fn type_specifier_expr(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let name = self.child_in_field(node, self.grammar.name).filter(|name| !name.is_missing());
        let body = self.child_in_field(node, self.grammar.body);
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            if matches!(binder.grammar.kind_of_node(child), Kind::AttributeSpecifier | Kind::Error) {
                binder.bind_node(child, scope, builder);
            }
        });
        let Some(body) = body else {
            return match name {
                Some(name) => builder.record_name_use(name, scope, Role::Type),
                None => builder.unknown_expr(),
            };
        };
        let bound = name.map(|name| builder.add_binding_with_definition(scope, BindingKind::Type, name));
        let members = builder.add_child_scope(scope, ScopeKind::Type, body);
        if let Some(bound) = bound {
            builder.link_binding_and_body_scope(bound, members);
        }
        if self.grammar.kind_of_node(node) == Kind::EnumSpecifier {
            self.bind_enumerators(body, scope, bound, builder);
            return match bound {
                Some(binding) => builder.add_expr(Expr::Bound { binding }),
                None => builder.unknown_expr(),
            };
        }
        self.bind_type_members(body, members, scope, builder);
        match bound {
            Some(binding) => builder.add_expr(Expr::Bound { binding }),
            None => builder.add_expr(Expr::Object { scope: members }),
        }
    }

    /// Binds the constants of an enum in `scope`, the scope that contains the enum.
    fn bind_enumerators(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.for_each_named_non_comment_child(list, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| match binder.grammar.kind_of_node(child) {
                Kind::Enumerator => binder.bind_enumerator(child, scope, owner, builder),
                Kind::Identifier => {
                    builder.record_name_use(child, FILE_SCOPE, Role::Read);
                }
                Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                    binder.bind_node(child, scope, builder);
                }
                Kind::PreprocIf | Kind::PreprocElif => {
                    let condition = binder.child_in_field(child, binder.grammar.condition);
                    if let Some(condition) = condition {
                        binder.bind_node(condition, FILE_SCOPE, builder);
                    }
                    binder.for_each_named_non_comment_child(child, builder, |binder, inner, builder| {
                        if Some(inner) != condition {
                            binder.bind_enumerator_or_preprocessor_group(inner, scope, owner, builder);
                        }
                    });
                }
                _ => binder.bind_enumerators(child, scope, owner, builder),
            });
        });
    }

    fn bind_enumerator_or_preprocessor_group(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        builder.run_with_depth_limit(node, |builder| match self.grammar.kind_of_node(node) {
            Kind::Enumerator => self.bind_enumerator(node, scope, owner, builder),
            Kind::PreprocDef | Kind::PreprocFunctionDef | Kind::PreprocCall | Kind::PreprocInclude => {
                self.bind_node(node, scope, builder);
            }
            _ => self.bind_enumerators(node, scope, owner, builder),
        });
    }

    pub(super) fn bind_enumerator(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        owner: Option<BindingId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        if let Some(name) = self.child_in_field(node, self.grammar.name) {
            let member = builder.add_binding_with_definition(scope, BindingKind::EnumMember, name);
            if let Some(binding) = owner {
                builder.binding_mut(member).annotation = Some(builder.add_expr(Expr::Bound { binding }));
            }
        }
        if let Some(value) = self.child_in_field(node, self.grammar.value) {
            self.bind_node(value, scope, builder);
        }
    }

    /// Binds the members of a struct or union in the scope `members`. Types and values are looked up from `scope`.
    fn bind_type_members(&mut self, list: Node<'t>, members: ScopeId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(list, builder, |binder, child, builder| {
            binder.bind_type_member(child, members, scope, builder)
        });
    }

    fn bind_type_member(&mut self, node: Node<'t>, members: ScopeId, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(node, |builder| match self.grammar.kind_of_node(node) {
            Kind::FieldDeclaration => self.bind_field_declaration(node, members, scope, builder),
            // An `#if` around fields.
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.child_in_field(node, self.grammar.condition);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) == condition {
                        binder.bind_node(child, FILE_SCOPE, builder);
                    } else {
                        binder.bind_type_member(child, members, scope, builder);
                    }
                });
            }
            Kind::Other | Kind::Error | Kind::FieldDeclarationList => {
                self.bind_type_members(node, members, scope, builder)
            }
            _ => self.bind_node(node, scope, builder),
        });
    }

    fn bind_field_declaration(
        &mut self,
        node: Node<'t>,
        members: ScopeId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let written = self.child_in_field(node, self.grammar.r#type);
        let has_declarator = self.child_in_field(node, self.grammar.declarator).is_some();
        if !has_declarator
            && let Some(written) = written
            && self.child_in_field(written, self.grammar.name).is_none()
            && let Some(body) = self.child_in_field(written, self.grammar.body)
            && self.grammar.kind_of_node(written) != Kind::EnumSpecifier
        {
            // The members of an unnamed member are members of the enclosing type.
            self.bind_type_members(body, members, scope, builder);
            return;
        }
        let head = self.read_specifiers_and_collect_declarators(node, scope, builder);
        for declarator in head.declarators {
            let Some(mut declared) = self.read_declared_name_and_type(declarator, head.declared_type, scope, builder)
            else {
                continue;
            };
            if let Some(parameters) = declared.parameters {
                self.record_names_in_parameter_types(parameters, scope, builder);
                declared.declared_type = self.function_type_expr(declarator, declared.declared_type, scope, builder);
            }
            let bound = builder.add_binding_with_definition(members, BindingKind::Field, declared.name);
            builder.binding_mut(bound).annotation =
                Some(declared.declared_type).filter(|known| *known != builder.unknown_expr());
        }
    }
}
