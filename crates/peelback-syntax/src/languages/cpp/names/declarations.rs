//! Binds the names that C++ declarations declare: variables, fields and prototypes.

use tree_sitter::Node;

use super::declarators::DeclaredName;
use super::{Binder, Kind};
use crate::languages::c::is_c_keyword;
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind};

/// What the specifiers of a declaration say, and the declarators after them.
pub(super) struct DeclarationHead<'t> {
    pub declared_type: ExprId,
    /// Each declarator, with the value that is written behind it.
    pub declarators: Vec<(Node<'t>, Option<Node<'t>>)>,
    pub has_type: bool,
    pub is_static: bool,
    pub is_extern: bool,
    pub is_inline: bool,
    pub is_const: bool,
    pub is_constexpr: bool,
}

impl<'t> Binder<'t> {
    /// Reads the specifiers of a declaration and collects its declarators.
    pub(super) fn read_specifiers(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> DeclarationHead<'t> {
        let mut head = DeclarationHead {
            declared_type: builder.unknown_expr(),
            declarators: Vec::new(),
            has_type: false,
            is_static: false,
            is_extern: false,
            is_inline: false,
            is_const: false,
            is_constexpr: false,
        };
        let written = self.child_in_field(node, self.grammar.r#type);
        let body = self.child_in_field(node, self.grammar.body);
        self.for_each_named_child_with_field(node, builder, |binder, field, child, builder| {
            let grammar = binder.grammar;
            match grammar.kind_of_node(child) {
                _ if Some(child) == body => {}
                _ if Some(child) == written => {
                    head.has_type = true;
                    head.declared_type = binder.type_expr(child, scope, builder);
                }
                _ if field == Some(grammar.default_value) => match head.declarators.last_mut() {
                    Some((_, value @ None)) => *value = Some(child),
                    _ => binder.bind_node(child, scope, builder),
                },
                Kind::StorageClassSpecifier => match builder.text_of_node(child) {
                    "static" => head.is_static = true,
                    "extern" => head.is_extern = true,
                    "inline" => head.is_inline = true,
                    _ => {}
                },
                Kind::TypeQualifier => match builder.text_of_node(child) {
                    "const" => head.is_const = true,
                    "constexpr" => head.is_constexpr = true,
                    // The qualifier may hold names: `alignas(SIZE)`.
                    _ => binder.bind_children(child, scope, builder),
                },
                Kind::InitDeclarator => head.declarators.push((child, None)),
                _ if binder.is_declarator_node(child) => head.declarators.push((child, None)),
                Kind::CompoundStatement | Kind::TryStatement | Kind::FieldInitializerList => {}
                Kind::ArgumentList | Kind::InitializerList => {}
                _ => binder.bind_node(child, scope, builder),
            }
        });
        head
    }

    /// Binds what a declaration or a declaration of fields declares. The names are bound in `scope`, and names in them are
    /// looked up from `inner`, which also has template parameters.
    pub(super) fn bind_declaration(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let own_type = self.child_in_field(node, self.grammar.r#type);
        if own_type.is_some_and(|written| self.is_module_declaration(node, written, scope, builder)) {
            return;
        }
        if let Some(written) = own_type
            && matches!(
                self.grammar.kind_of_node(written),
                Kind::ClassSpecifier | Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier
            )
            && self.child_in_field(node, self.grammar.declarator).is_none()
        {
            if self.child_in_field(written, self.grammar.name).is_none() {
                self.bind_members_of_unnamed_type(written, scope, inner, builder);
            } else {
                self.bind_type_without_declarator(written, scope, inner, builder);
            }
            return;
        }
        let head = self.read_specifiers(node, inner, builder);
        let kind = self.scope_kind_of_variables(scope, builder);
        let single_value = self.child_in_field(node, self.grammar.value);
        for (declarator, default_value) in head.declarators.iter().copied() {
            let (named, value) = if self.grammar.kind_of_node(declarator) == Kind::InitDeclarator {
                (
                    self.child_in_field(declarator, self.grammar.declarator),
                    self.child_in_field(declarator, self.grammar.value),
                )
            } else {
                (Some(declarator), default_value.or(single_value))
            };
            let declared =
                named.and_then(|named| self.read_declared_name_and_type(named, head.declared_type, inner, builder));
            match declared {
                Some(declared) if !is_c_keyword(builder.text_of_node(declared.name)) => {
                    self.bind_declared(&declared, value, kind, &head, (node, scope, inner), builder)
                }
                _ => {
                    if let Some(value) = value {
                        self.bind_node(value, inner, builder);
                    }
                }
            }
        }
    }

    /// Whether a declaration is that of a module, or an import of one, which the grammar does not know: `module a;`. A type
    /// of the file may have either name.
    fn is_module_declaration(
        &self,
        node: Node<'t>,
        written: Node<'t>,
        scope: ScopeId,
        builder: &NamesBuilder<'_>,
    ) -> bool {
        let word = builder.text_of_node(written);
        matches!(word, "import" | "module")
            && scope == FILE_SCOPE
            && !self.types_named_like_words.contains(&word)
            && self
                .child_in_field(node, self.grammar.declarator)
                .is_none_or(|declarator| self.grammar.kind_of_node(declarator) == Kind::Identifier)
    }

    /// The kind of the variables that a declaration in a scope declares.
    fn scope_kind_of_variables(&self, scope: ScopeId, builder: &NamesBuilder<'_>) -> BindingKind {
        match builder.scope_kind(scope) {
            ScopeKind::Type => BindingKind::Field,
            _ => BindingKind::Variable,
        }
    }

    fn bind_declared(
        &mut self,
        declared: &DeclaredName<'t>,
        value: Option<Node<'t>>,
        kind: BindingKind,
        head: &DeclarationHead<'t>,
        (node, scope, inner): (Node<'t>, ScopeId, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) {
        let is_local = matches!(builder.scope_kind(scope), ScopeKind::Function | ScopeKind::Block) && scope == inner;
        if self.grammar.kind_of_node(declared.name) == Kind::StructuredBindingDeclarator {
            self.bind_structured(declared.name, value, scope, builder);
            return;
        }
        let function = declared.function.filter(|function| !(is_local && self.is_variable_with_arguments(*function)));
        if is_local && (function.is_some() || head.is_extern) {
            // A local prototype refers to a name of the namespace around it.
            self.path_expr(declared.name, None, scope, Role::Read, builder);
            if let Some(parameters) =
                function.and_then(|function| self.child_in_field(function, self.grammar.parameters))
            {
                self.record_names_in_parameters(parameters, inner, builder);
            }
            return;
        }
        let Some((home, last)) = self.open_qualified_name(declared.name, scope, inner, node, builder) else { return };
        let around = if home == scope { inner } else { home };
        let is_conversion = self.grammar.kind_of_node(last) == Kind::OperatorCast;
        let kind = match (function, builder.scope_kind(home)) {
            _ if is_conversion => BindingKind::Function,
            (Some(_), _) => BindingKind::Function,
            (None, ScopeKind::Type) => BindingKind::Field,
            _ => kind,
        };
        let Some(bound) = self.bind_declared_name(last, kind, home, around, builder) else {
            if let Some(value) = value {
                self.bind_node(value, around, builder);
            }
            return;
        };
        if let Some(function) = function {
            self.complete_function(bound, declared, head, scope, builder);
            // The scope has the parameters, to which types after `->` and `noexcept` can refer.
            let function_scope = builder.add_child_scope(around, ScopeKind::Function, node);
            self.bind_function_head(bound, function, function_scope, around, builder);
            if let Some(value) = value {
                self.bind_node(value, around, builder);
            }
            return;
        }
        if is_conversion {
            return;
        }
        let is_known = declared.declared_type != builder.unknown_expr();
        let is_member = builder.scope_kind(scope) == ScopeKind::Type;
        let is_constant = head.is_constexpr || head.is_const && !declared.is_pointer;
        let is_file_constant = is_constant && !head.is_extern && !head.is_inline;
        let binding = builder.binding_mut(bound);
        binding.private |= (head.is_static || is_file_constant) && !is_member && !is_local;
        binding.on_type = head.is_static && is_member;
        binding.wrapped = head.is_extern && value.is_none();
        binding.annotation = is_known.then_some(declared.declared_type);
        if is_local {
            binding.visible_from = u32::try_from(declared.name.end_byte()).unwrap_or(u32::MAX);
        }
        let parameters = declared.function.and_then(|at| self.child_in_field(at, self.grammar.parameters));
        let written = self.child_in_field(node, self.grammar.r#type);
        if let Some(written) = written
            && !is_member
            && !head.is_extern
            && declared.declared_type == head.declared_type
            && !self.is_reference(node)
        {
            let arguments = parameters.or(value);
            if arguments.is_none_or(|list| {
                matches!(
                    self.grammar.kind_of_node(list),
                    Kind::ArgumentList | Kind::InitializerList | Kind::ParameterList
                )
            }) {
                self.record_constructor_call(head, written, arguments, builder);
            }
        }
        if let Some(parameters) = parameters {
            self.record_arguments_read_as_parameters(parameters, inner, builder);
        }
        if let Some(value) = value {
            self.bind_initialiser(bound, is_known, declared, value, around, builder);
        }
    }

    /// Whether a declaration declares a reference.
    fn is_reference(&self, node: Node<'t>) -> bool {
        let declarator = self.child_in_field(node, self.grammar.declarator);
        let inner = declarator.map(|declarator| match self.grammar.kind_of_node(declarator) {
            Kind::InitDeclarator => self.child_in_field(declarator, self.grammar.declarator).unwrap_or(declarator),
            _ => declarator,
        });
        inner.is_some_and(|inner| self.grammar.kind_of_node(inner) == Kind::ReferenceDeclarator)
    }

    /// Records the names in the value of a variable, which tells its type if that is not written.
    fn bind_initialiser(
        &mut self,
        bound: BindingId,
        is_type_known: bool,
        declared: &DeclaredName<'t>,
        value: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        if self.grammar.kind_of_node(value) == Kind::InitializerList && is_type_known {
            let of = builder.add_expr(Expr::Instance { of: declared.declared_type });
            self.record_names_in_initialiser_list(value, of, scope, builder);
            return;
        }
        let value = self.bind_names_and_get_value(value, scope, Role::Read, builder);
        if !is_type_known && value != builder.unknown_expr() {
            builder.binding_mut(bound).values = builder.add_expr_list(&[value]);
        }
    }

    /// Whether what parses as a local prototype is rather a variable with arguments: `Lock lock(mutex);`. A prototype has no
    /// parameters, or one that can be no argument.
    fn is_variable_with_arguments(&self, function: Node<'t>) -> bool {
        let Some(parameters) = self.child_in_field(function, self.grammar.parameters) else { return false };
        let mut cursor = parameters.walk();
        let mut all = parameters.named_children(&mut cursor);
        parameters.named_child_count() > 0
            && all.all(|parameter| {
                let written = self.child_in_field(parameter, self.grammar.r#type);
                let is_type_only = self.named_child_where(parameter, |kind| kind == Kind::TypeQualifier).is_some()
                    || written.is_some_and(|written| {
                        matches!(
                            self.grammar.kind_of_node(written),
                            Kind::PrimitiveType
                                | Kind::SizedTypeSpecifier
                                | Kind::ClassSpecifier
                                | Kind::StructSpecifier
                                | Kind::UnionSpecifier
                                | Kind::EnumSpecifier
                                | Kind::PlaceholderTypeSpecifier
                        )
                    });
                // `Type name` cannot be an argument, `a * b` and `a & b` can.
                let declarator = self.child_in_field(parameter, self.grammar.declarator);
                let has_name = declarator.is_some_and(|at| self.grammar.kind_of_node(at) == Kind::Identifier);
                !is_type_only && !has_name
            })
    }

    /// Records the arguments of a variable's constructor that the grammar took for parameters.
    fn record_arguments_read_as_parameters(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            builder.run_with_depth_limit(parameter, |builder| {
                let written = binder.child_in_field(parameter, binder.grammar.r#type);
                let declarator = binder.child_in_field(parameter, binder.grammar.declarator);
                if written.is_none() && declarator.is_none() {
                    binder.bind_node(parameter, scope, builder);
                    return;
                }
                // What stands behind the name is the arguments of a call, or a second operand.
                let role = match declarator.map(|at| binder.grammar.kind_of_node(at)) {
                    Some(Kind::AbstractFunctionDeclarator) => Role::Call,
                    _ => Role::Read,
                };
                if let Some(written) = written {
                    binder.path_expr(written, None, scope, role, builder);
                }
                if let Some(declarator) = declarator {
                    binder.record_operands_read_as_declarator(declarator, scope, builder);
                }
            });
        });
    }

    /// Records the names in what the grammar took for a declarator, and is a part of an expression.
    fn record_operands_read_as_declarator(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        builder.run_with_depth_limit(node, |builder| match self.grammar.kind_of_node(node) {
            Kind::ParameterList => self.record_arguments_read_as_parameters(node, scope, builder),
            _ if self.is_path_node(node) => {
                self.path_expr(node, None, scope, Role::Read, builder);
            }
            _ => self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                binder.record_operands_read_as_declarator(child, scope, builder)
            }),
        });
    }

    /// Binds the names of `auto [a, b] = value;`.
    pub(super) fn bind_structured(
        &mut self,
        node: Node<'t>,
        value: Option<Node<'t>>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let of = match value {
            Some(value) => self.bind_names_and_get_value(value, scope, Role::Read, builder),
            None => builder.unknown_expr(),
        };
        self.bind_structured_names(node, of, scope, builder);
    }

    pub(super) fn bind_structured_names(
        &mut self,
        node: Node<'t>,
        of: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let mut index = 0;
        self.for_each_named_non_comment_child(node, builder, |_, name, builder| {
            let bound = builder.add_binding_with_definition(scope, BindingKind::Variable, name);
            builder.binding_mut(bound).visible_from = u32::try_from(name.end_byte()).unwrap_or(u32::MAX);
            if of != builder.unknown_expr() {
                let item = builder.add_expr(Expr::Item { of, index });
                builder.binding_mut(bound).values = builder.add_expr_list(&[item]);
            }
            index += 1;
        });
    }

    /// Binds the members of an unnamed struct or union, or of an unnamed enum, in the scope around it.
    fn bind_members_of_unnamed_type(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        inner: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        match (self.grammar.kind_of_node(node), self.child_in_field(node, self.grammar.body)) {
            (Kind::EnumSpecifier, _) | (_, None) => {
                self.type_specifier_expr(node, scope, inner, builder);
            }
            (_, Some(body)) => self.bind_children(body, scope, builder),
        }
    }

    /// Binds what a `friend` declaration names. A function that is defined there belongs to the namespace around the class.
    pub(super) fn bind_friend(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let mut home = scope;
        while builder.scope_kind(home) == ScopeKind::Type || self.is_template_scope(home, builder) {
            match builder.parent_scope(home) {
                Some(parent) => home = parent,
                None => break,
            }
        }
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            match binder.grammar.kind_of_node(child) {
                Kind::FunctionDefinition => binder.bind_function(child, home, scope, builder),
                Kind::Declaration => {
                    let head = binder.read_specifiers(child, scope, builder);
                    for (declarator, _) in head.declarators {
                        let declared =
                            binder.read_declared_name_and_type(declarator, head.declared_type, scope, builder);
                        let Some(declared) = declared else { continue };
                        binder.path_expr(declared.name, None, scope, Role::Read, builder);
                        if let Some(parameters) =
                            declared.function.and_then(|at| binder.child_in_field(at, binder.grammar.parameters))
                        {
                            binder.record_names_in_parameters(parameters, scope, builder);
                        }
                        let result = declared.function.and_then(|function| {
                            binder.named_child_where(function, |kind| kind == Kind::TrailingReturnType)
                        });
                        if let Some(written) = result.and_then(|at| binder.first_named_non_comment_child(at)) {
                            binder.type_expr(written, scope, builder);
                        }
                    }
                }
                _ if binder.is_type_node(child) => {
                    binder.type_expr(child, scope, builder);
                }
                _ => binder.bind_node(child, scope, builder),
            }
        });
    }

    /// Binds the variable of a loop over a range.
    pub(super) fn bind_range_loop(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        if let Some(initialiser) = self.child_in_field(node, self.grammar.initializer) {
            self.bind_node(initialiser, inside, builder);
        }
        let range = match self.child_in_field(node, self.grammar.right) {
            Some(right) => self.bind_names_and_get_value(right, inside, Role::Read, builder),
            None => builder.unknown_expr(),
        };
        let declared_type = match self.child_in_field(node, self.grammar.r#type) {
            Some(written) => self.type_expr(written, inside, builder),
            None => builder.unknown_expr(),
        };
        if let Some(declarator) = self.child_in_field(node, self.grammar.declarator)
            && let Some(declared) = self.read_declared_name_and_type(declarator, declared_type, inside, builder)
        {
            let element = match range == builder.unknown_expr() {
                true => range,
                false => builder.add_expr(Expr::Element { of: range }),
            };
            if self.grammar.kind_of_node(declared.name) == Kind::StructuredBindingDeclarator {
                self.bind_structured_names(declared.name, element, inside, builder);
            } else if let Some(bound) =
                self.bind_declared_name(declared.name, BindingKind::Variable, inside, inside, builder)
            {
                if declared.declared_type != builder.unknown_expr() {
                    builder.binding_mut(bound).annotation = Some(declared.declared_type);
                } else if element != builder.unknown_expr() {
                    builder.binding_mut(bound).values = builder.add_expr_list(&[element]);
                }
            }
        }
        if let Some(body) = self.child_in_field(node, self.grammar.body) {
            self.bind_node(body, inside, builder);
        }
    }

    pub(super) fn bind_catch(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
        if let Some(parameters) = self.child_in_field(node, self.grammar.parameters) {
            self.bind_parameters(parameters, inside, inside, builder);
        }
        if let Some(body) = self.child_in_field(node, self.grammar.body) {
            self.bind_node(body, inside, builder);
        }
    }
}
