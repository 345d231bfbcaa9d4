//! Name binding for Go: scopes, bindings, occurrences and imports of one file.
//!
//! Methods are declared outside their types: each method is an extension of its receiver's type. Pointers are ignored:
//! the type `*T` counts as the type `T`.

mod expressions;
mod statements;
#[cfg(all(test, feature = "lang-go"))]
mod tests;
mod types;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use tree_sitter::Node;

use crate::names::{
    BindingId, BindingKind, CursorPool, Expr, ExprId, FILE_SCOPE, ModuleImportKind, NameId, NamesBuilder, Role,
    ScopeId, ScopeKind, Target, grammar,
};
use crate::text;

use super::imports::likely_package_name_from_import_path;

grammar! {
    super::grammar::GRAMMAR;
    kinds {
        ArgumentList = "argument_list",
        ArrayType = "array_type",
        AssignmentStatement = "assignment_statement",
        BinaryExpression = "binary_expression",
        BlankIdentifier = "blank_identifier",
        Block = "block",
        BreakStatement = "break_statement",
        CallExpression = "call_expression",
        ChannelType = "channel_type",
        Comment = "comment",
        CommunicationCase = "communication_case",
        CompositeLiteral = "composite_literal",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        ContinueStatement = "continue_statement",
        DecStatement = "dec_statement",
        DefaultCase = "default_case",
        Dot = "dot",
        ExpressionCase = "expression_case",
        ExpressionList = "expression_list",
        ExpressionSwitchStatement = "expression_switch_statement",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldIdentifier = "field_identifier",
        ForClause = "for_clause",
        ForStatement = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImplicitLengthArrayType = "implicit_length_array_type",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        ImportSpecList = "import_spec_list",
        IncStatement = "inc_statement",
        IndexExpression = "index_expression",
        InterfaceType = "interface_type",
        InterpretedStringLiteral = "interpreted_string_literal",
        KeyedElement = "keyed_element",
        LabelName = "label_name",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        MapType = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        NegatedType = "negated_type",
        PackageClause = "package_clause",
        PackageIdentifier = "package_identifier",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PointerType = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        RawStringLiteral = "raw_string_literal",
        ReceiveStatement = "receive_statement",
        SelectStatement = "select_statement",
        SelectorExpression = "selector_expression",
        ShortVarDeclaration = "short_var_declaration",
        SliceExpression = "slice_expression",
        SliceType = "slice_type",
        StatementList = "statement_list",
        StructType = "struct_type",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeAssertionExpression = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConstraint = "type_constraint",
        TypeConversionExpression = "type_conversion_expression",
        TypeDeclaration = "type_declaration",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiationExpression = "type_instantiation_expression",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeParameterList = "type_parameter_list",
        TypeSpec = "type_spec",
        TypeSwitchStatement = "type_switch_statement",
        UnaryExpression = "unary_expression",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VarSpecList = "var_spec_list",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
    }
    fields {
        alias, arguments, body, element, field, function, index, initializer, key,
        left, length, name, operand, operator, package, parameters, path, receiver, result, right, r#type,
        type_arguments, type_parameters, value,
    }
}

/// Binds every name of the Go file whose syntax tree has the root `root`.
pub(super) fn bind_names_in_file<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let grammar = Grammar::shared_instance();
    let mut binder = Binder {
        grammar,
        cursors: CursorPool::new(),
        locals: HashMap::new(),
        container_types: HashSet::new(),
        receiver_scopes: HashMap::new(),
    };
    binder.record_top_level_container_types(root, builder);
    binder.for_each_named_non_comment_child(root, builder, |binder, node, builder| {
        binder.bind_top_level_node(node, builder)
    });
}

/// State of the binder while it binds the names of one Go file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// Local bindings by their scope and name, because `a, err := f()` assigns to an `err` of the same scope if there
    /// is one.
    locals: HashMap<(ScopeId, NameId), BindingId>,
    /// Types of the file that are maps, slices or arrays: the keys of their literals are values and not field names.
    container_types: HashSet<NameId>,
    /// The scopes of the members that methods add to types, by the name of the receiver's type.
    receiver_scopes: HashMap<NameId, ScopeId>,
}

impl<'t> Binder<'t> {
    /// Calls `visit` for each named child of `node` that is not a comment.
    fn for_each_named_non_comment_child<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && self.grammar.kind_of_node(child) != Kind::Comment {
                    visit(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    /// The named children of `node` that are not comments.
    fn named_non_comment_children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |_, child, _| found.push(child));
        found
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_non_comment_child(&self, node: Node<'t>) -> Option<Node<'t>> {
        let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        (0..count)
            .filter_map(|at| node.named_child(at))
            .find(|child| self.grammar.kind_of_node(*child) != Kind::Comment)
    }

    fn child_in_field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Records the top-level types that are maps, slices or arrays: the keys of their literals are values and not field
    /// names.
    fn record_top_level_container_types<'s>(&mut self, root: Node<'t>, builder: &mut NamesBuilder<'s>) {
        self.for_each_named_non_comment_child(root, builder, |binder, node, builder| {
            if binder.grammar.kind_of_node(node) == Kind::TypeDeclaration {
                binder.for_each_named_non_comment_child(node, builder, |binder, spec, builder| {
                    binder.record_if_container_type(spec, builder)
                });
            }
        });
    }

    fn record_if_container_type(&mut self, spec: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let kind = self.child_in_field(spec, self.grammar.r#type).map(|written| self.grammar.kind_of_node(written));
        if matches!(kind, Some(Kind::MapType | Kind::SliceType | Kind::ArrayType))
            && let Some(name) = self.child_in_field(spec, self.grammar.name)
        {
            let name = builder.name_id_of_node(name);
            self.container_types.insert(name);
        }
    }

    /// Binds the names in a top-level declaration of a Go file, or in a statement in place of one.
    fn bind_top_level_node(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match self.grammar.kind_of_node(node) {
            Kind::PackageClause => {
                if let Some(name) = self.first_named_non_comment_child(node) {
                    builder.names.package = Some(builder.name_id_of_node(name));
                }
            }
            Kind::ImportDeclaration | Kind::ImportSpecList => {
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    match binder.grammar.kind_of_node(child) {
                        Kind::ImportSpec => binder.bind_import(child, builder),
                        _ => binder.bind_top_level_node(child, builder),
                    }
                });
            }
            Kind::FunctionDeclaration => self.bind_function(node, builder),
            Kind::MethodDeclaration => self.bind_method(node, builder),
            Kind::Error => self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_top_level_node(child, builder))
            }),
            _ => self.bind_statement(node, FILE_SCOPE, builder),
        }
    }

    fn bind_import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.child_in_field(node, self.grammar.path) else { return };
        let source = text::without_quotes(builder.text_of_node(path));
        let source_name = builder.intern_source_text(source);
        let import = builder.add_import(ModuleImportKind::Import, source_name, FILE_SCOPE, node);
        let local = match self.child_in_field(node, self.grammar.name) {
            Some(name) => match self.grammar.kind_of_node(name) {
                Kind::Dot => {
                    builder.import_mut(import).glob = true;
                    return;
                }
                Kind::BlankIdentifier => return,
                _ => {
                    let text = builder.name_id_of_node(name);
                    let local = builder.add_binding(FILE_SCOPE, BindingKind::Import, text, name.start_byte());
                    builder.record_occurrence(name, Role::Import, Target::Binding(local));
                    local
                }
            },
            None => {
                let name = builder.intern_source_text(likely_package_name_from_import_path(source));
                builder.add_binding(FILE_SCOPE, BindingKind::Import, name, path.start_byte())
            }
        };
        let local = builder.binding_mut(local);
        local.import = Some((import, None));
        // An import is not visible in the other files of the package.
        local.private = true;
    }

    fn bind_function(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let binding = builder.add_binding_with_definition(FILE_SCOPE, BindingKind::Function, name);
        let scope = builder.add_child_scope(FILE_SCOPE, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(binding, scope);
        self.bind_signature(node, scope, binding, builder);
        self.bind_function_body(node, scope, builder);
    }

    fn bind_method(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let receiver =
            self.child_in_field(node, self.grammar.receiver).and_then(|list| self.first_named_non_comment_child(list));
        let (members, annotation) = match receiver {
            Some(receiver) => self.member_scope_and_type_of_declared_receiver(receiver, node, builder),
            None => (builder.add_child_scope(FILE_SCOPE, ScopeKind::Type, node), None),
        };
        let binding = builder.add_binding_with_definition(members, BindingKind::Function, name);
        let scope = builder.add_child_scope(members, ScopeKind::Function, node);
        builder.link_binding_and_body_scope(binding, scope);
        if let Some(receiver_name) = receiver.and_then(|receiver| self.child_in_field(receiver, self.grammar.name))
            && builder.text_of_node(receiver_name) != "_"
        {
            let local = self.bind_local_name(
                receiver_name,
                BindingKind::Parameter,
                scope,
                self.parameter_visibility_start(node),
                builder,
            );
            builder.binding_mut(local).annotation = annotation;
        }
        self.bind_signature(node, scope, binding, builder);
        self.bind_function_body(node, scope, builder);
    }

    /// The scope of the members that methods add to the receiver's type, and the receiver's type itself.
    fn member_scope_and_type_of_declared_receiver(
        &mut self,
        receiver: Node<'t>,
        method: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> (ScopeId, Option<ExprId>) {
        let mut written = self.child_in_field(receiver, self.grammar.r#type);
        let mut arguments = None;
        while let Some(inner) = written {
            written = match self.grammar.kind_of_node(inner) {
                Kind::PointerType | Kind::ParenthesizedType => self.first_named_non_comment_child(inner),
                Kind::GenericType => {
                    arguments = self.child_in_field(inner, self.grammar.type_arguments);
                    self.child_in_field(inner, self.grammar.r#type)
                }
                _ => break,
            };
        }
        let Some(written) = written else {
            return (builder.add_child_scope(FILE_SCOPE, ScopeKind::Type, method), None);
        };
        let target = self.type_expr(written, FILE_SCOPE, builder);
        let Some(arguments) = arguments else {
            // All methods of a type share one scope of members, which extends the type.
            let name = builder.name_id_of_node(written);
            let members = match self.receiver_scopes.get(&name) {
                Some(members) => *members,
                None => {
                    let start = method.start_byte();
                    let members = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Type, start..start);
                    builder.add_member_extension(target, None, members);
                    self.receiver_scopes.insert(name, members);
                    members
                }
            };
            return (members, Some(target));
        };
        // The receiver's type arguments declare the type parameters again: `(s *Set[T])`.
        let parameter_scope = builder.add_child_scope(FILE_SCOPE, ScopeKind::Block, method);
        let members = builder.add_child_scope(parameter_scope, ScopeKind::Type, method);
        let mut parameters = Vec::new();
        self.for_each_named_non_comment_child(arguments, builder, |binder, argument, builder| {
            if let Some(name) = binder.first_named_non_comment_child(argument) {
                let parameter = builder.add_binding_with_definition(parameter_scope, BindingKind::TypeParameter, name);
                parameters.push(builder.add_expr(Expr::Bound { binding: parameter }));
            }
        });
        builder.add_member_extension(target, None, members);
        let args = builder.add_expr_list(&parameters);
        (members, Some(builder.add_expr(Expr::Generic { base: Some(target), args })))
    }

    /// Byte offset from which a function's parameters are visible: the start of its body, or its own end if it has no
    /// body, because the types of the signature are looked up outside the function.
    fn parameter_visibility_start(&self, node: Node<'t>) -> usize {
        self.child_in_field(node, self.grammar.body).map_or(node.end_byte(), |body| body.start_byte())
    }

    /// Binds the type parameters, parameters and results of the function `binding`, whose scope is `scope`.
    fn bind_signature(&mut self, node: Node<'t>, scope: ScopeId, binding: BindingId, builder: &mut NamesBuilder<'_>) {
        let visible_from = self.parameter_visibility_start(node);
        if let Some(parameters) = self.child_in_field(node, self.grammar.type_parameters) {
            self.bind_type_parameters(parameters, scope, builder);
        }
        if let Some(parameters) = self.child_in_field(node, self.grammar.parameters) {
            let types = self.bind_parameters_or_results(parameters, scope, visible_from, builder);
            builder.binding_mut(binding).bases = builder.add_expr_list(&types);
        }
        if let Some(result) = self.child_in_field(node, self.grammar.result) {
            let annotation = if self.grammar.kind_of_node(result) == Kind::ParameterList {
                let types = self.bind_parameters_or_results(result, scope, visible_from, builder);
                match types.as_slice() {
                    [] => return,
                    [one] => *one,
                    several => {
                        let span = builder.add_expr_list(several);
                        builder.add_expr(Expr::Tuple(span))
                    }
                }
            } else {
                self.type_expr(result, scope, builder)
            };
            builder.binding_mut(binding).annotation = Some(annotation);
        }
    }

    /// Binds the names in a list of parameters or results, and returns the type of each parameter or result.
    fn bind_parameters_or_results(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        visible_from: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.for_each_named_non_comment_child(list, builder, |binder, parameter, builder| {
            let variadic = match binder.grammar.kind_of_node(parameter) {
                Kind::ParameterDeclaration => false,
                Kind::VariadicParameterDeclaration => true,
                _ => {
                    binder.bind_names_and_get_value(parameter, scope, Role::Read, builder);
                    return;
                }
            };
            let Some(written) = binder.child_in_field(parameter, binder.grammar.r#type) else { return };
            let mut annotation = binder.type_expr(written, scope, builder);
            if variadic {
                let args = builder.add_expr_list(&[annotation]);
                annotation = builder.add_expr(Expr::Generic { base: None, args });
            }
            let mut count = 0;
            binder.for_each_named_non_comment_child(parameter, builder, |binder, name, builder| {
                if binder.grammar.kind_of_node(name) != Kind::Identifier {
                    return;
                }
                count += 1;
                if builder.text_of_node(name) != "_" {
                    let local = binder.bind_local_name(name, BindingKind::Parameter, scope, visible_from, builder);
                    builder.binding_mut(local).annotation = Some(annotation);
                }
            });
            types.extend(std::iter::repeat_n(annotation, count.max(1)));
        });
        types
    }

    fn bind_function_body(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(body) = self.child_in_field(node, self.grammar.body) {
            self.bind_statements(body, scope, builder);
        }
    }

    /// Binds a local name that is visible from byte `visible_from` on.
    fn bind_local_name(
        &mut self,
        name: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        visible_from: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let binding = builder.add_binding_with_definition(scope, kind, name);
        builder.binding_mut(binding).visible_from = u32::try_from(visible_from).unwrap_or(u32::MAX);
        let name = builder.name_id_of_node(name);
        self.locals.insert((scope, name), binding);
        binding
    }
}
