//! Name binding for Java: scopes, bindings, occurrences and imports of one file.
//!
//! Methods, types and variables have names apart: names that can only be one of the first two say so
//! ([`Names::restricted_names`]). The arguments of each call are recorded, because they choose among the methods of one
//! name ([`Names::call_arguments`]).
//!
//! [`Names::restricted_names`]: crate::names::Names::restricted_names
//! [`Names::call_arguments`]: crate::names::Names::call_arguments

mod annotations;
mod calls;
mod expressions;
mod functions;
mod imports;
mod lambdas;
mod members;
mod patterns;
mod statements;
#[cfg(all(test, feature = "lang-java"))]
mod tests;
mod type_declarations;
mod types;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::Node;

use crate::names::{
    BindingId, BindingKind, CursorPool, Expr, ExprId, FILE_SCOPE, NamesBuilder, RestrictedNameKind, Role, ScopeId,
    Target, grammar,
};
use lambdas::{ExpectedFunction, OpenFunction};

grammar! {
    super::grammar::GRAMMAR;
    kinds {
        AnnotatedType = "annotated_type",
        Annotation = "annotation",
        AnnotationArgumentList = "annotation_argument_list",
        AnnotationTypeDeclaration = "annotation_type_declaration",
        AnnotationTypeElementDeclaration = "annotation_type_element_declaration",
        ArgumentList = "argument_list",
        ArrayAccess = "array_access",
        ArrayCreationExpression = "array_creation_expression",
        ArrayInitializer = "array_initializer",
        ArrayType = "array_type",
        AssignmentExpression = "assignment_expression",
        Asterisk = "asterisk",
        BinaryExpression = "binary_expression",
        BinaryIntegerLiteral = "binary_integer_literal",
        Block = "block",
        BlockComment = "block_comment",
        BooleanType = "boolean_type",
        BreakStatement = "break_statement",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        CatchFormalParameter = "catch_formal_parameter",
        CatchType = "catch_type",
        CharacterLiteral = "character_literal",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassLiteral = "class_literal",
        CompactConstructorDeclaration = "compact_constructor_declaration",
        ConstantDeclaration = "constant_declaration",
        ConstructorBody = "constructor_body",
        ConstructorDeclaration = "constructor_declaration",
        ContinueStatement = "continue_statement",
        DecimalFloatingPointLiteral = "decimal_floating_point_literal",
        DecimalIntegerLiteral = "decimal_integer_literal",
        Dimensions = "dimensions",
        DoStatement = "do_statement",
        DimensionsExpr = "dimensions_expr",
        ElementValueArrayInitializer = "element_value_array_initializer",
        ElementValuePair = "element_value_pair",
        EnhancedForStatement = "enhanced_for_statement",
        EnumBodyDeclarations = "enum_body_declarations",
        EnumConstant = "enum_constant",
        EnumDeclaration = "enum_declaration",
        ExplicitConstructorInvocation = "explicit_constructor_invocation",
        ExtendsInterfaces = "extends_interfaces",
        False = "false",
        FieldAccess = "field_access",
        FieldDeclaration = "field_declaration",
        FloatingPointType = "floating_point_type",
        ForStatement = "for_statement",
        FormalParameter = "formal_parameter",
        FormalParameters = "formal_parameters",
        GenericType = "generic_type",
        Guard = "guard",
        HexFloatingPointLiteral = "hex_floating_point_literal",
        HexIntegerLiteral = "hex_integer_literal",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImportDeclaration = "import_declaration",
        InferredParameters = "inferred_parameters",
        InstanceofExpression = "instanceof_expression",
        IntegralType = "integral_type",
        InterfaceDeclaration = "interface_declaration",
        LabeledStatement = "labeled_statement",
        LambdaExpression = "lambda_expression",
        LineComment = "line_comment",
        LocalVariableDeclaration = "local_variable_declaration",
        MarkerAnnotation = "marker_annotation",
        MethodDeclaration = "method_declaration",
        MethodInvocation = "method_invocation",
        MethodReference = "method_reference",
        Modifiers = "modifiers",
        ModuleDeclaration = "module_declaration",
        NullLiteral = "null_literal",
        ObjectCreationExpression = "object_creation_expression",
        OctalIntegerLiteral = "octal_integer_literal",
        PackageDeclaration = "package_declaration",
        ParenthesizedExpression = "parenthesized_expression",
        Pattern = "pattern",
        Permits = "permits",
        ReceiverParameter = "receiver_parameter",
        RecordDeclaration = "record_declaration",
        RecordPattern = "record_pattern",
        RecordPatternBody = "record_pattern_body",
        RecordPatternComponent = "record_pattern_component",
        Resource = "resource",
        ReturnStatement = "return_statement",
        ScopedIdentifier = "scoped_identifier",
        ScopedTypeIdentifier = "scoped_type_identifier",
        SpreadParameter = "spread_parameter",
        StaticInitializer = "static_initializer",
        StringLiteral = "string_literal",
        Super = "super",
        SuperInterfaces = "super_interfaces",
        Superclass = "superclass",
        SwitchBlock = "switch_block",
        SwitchBlockStatementGroup = "switch_block_statement_group",
        SwitchExpression = "switch_expression",
        SwitchLabel = "switch_label",
        SwitchRule = "switch_rule",
        ExpressionStatement = "expression_statement",
        TernaryExpression = "ternary_expression",
        This = "this",
        ThrowStatement = "throw_statement",
        Throws = "throws",
        True = "true",
        TryStatement = "try_statement",
        TryWithResourcesStatement = "try_with_resources_statement",
        TypeArguments = "type_arguments",
        TypeBound = "type_bound",
        TypeIdentifier = "type_identifier",
        TypeList = "type_list",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypePattern = "type_pattern",
        UnaryExpression = "unary_expression",
        UnderscorePattern = "underscore_pattern",
        UpdateExpression = "update_expression",
        VariableDeclarator = "variable_declarator",
        VoidType = "void_type",
        WhileStatement = "while_statement",
        Wildcard = "wildcard",
        YieldStatement = "yield_statement",
    }
    fields {
        alternative, arguments, array, body, condition, consequence, constructor, dimensions, element,
        field, index, key, left, name, object, operand, operator, parameters, pattern, right, scope,
        r#type, type_arguments, type_parameters, value,
    }
}

/// Binds every name of the Java file whose syntax tree has the root `root`.
pub(super) fn bind_names_in_file<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        known_types: HashMap::new(),
        expected_function: None,
        open_functions: Vec::new(),
    };
    binder.for_each_named_non_comment_child(root, builder, |binder, node, builder| {
        binder.bind_top_level_node(node, builder)
    });
    binder.add_types_of_same_package(builder);
    builder.names.call_arguments.sort_unstable();
    builder.names.restricted_names.sort_unstable();
}

/// State of the binder while it binds the names of one Java file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// The expressions for types that the source does not write, such as the type of a literal, by the type's name.
    known_types: HashMap<&'static str, ExprId>,
    /// The function that is expected where the next expression stands: a lambda takes its parameters' types from it.
    expected_function: Option<ExpectedFunction>,
    /// The functions around the current node, the innermost last.
    open_functions: Vec<OpenFunction>,
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
                if child.is_named() && !self.is_comment(child) {
                    visit(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    fn is_comment(&self, node: Node<'t>) -> bool {
        matches!(self.kind(node), Kind::LineComment | Kind::BlockComment)
    }

    /// The named children of `node` that are not comments.
    fn named_children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |_, child, _| found.push(child));
        found
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        self.find_named_child(node, |binder, child| !binder.is_comment(child))
    }

    /// The first child of `node` of this kind.
    fn child_of_kind(&mut self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        self.find_named_child(node, |binder, child| binder.kind(child) == kind)
    }

    /// The first named child that fits. It is found with a cursor: a node finds each child by its index anew.
    fn find_named_child(&mut self, node: Node<'t>, fits: impl Fn(&Self, Node<'t>) -> bool) -> Option<Node<'t>> {
        let mut cursor = self.cursors.take_cursor(node);
        let mut found = None;
        let mut has_child = cursor.goto_first_child();
        while has_child && found.is_none() {
            let child = cursor.node();
            found = (child.is_named() && fits(self, child)).then_some(child);
            has_child = cursor.goto_next_sibling();
        }
        self.cursors.return_cursor(cursor);
        found
    }

    fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind_of_node(node)
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Binds the names in a declaration at the top of a file, or in a statement in place of one.
    fn bind_top_level_node(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::PackageDeclaration => self.bind_package(node, builder),
            Kind::ImportDeclaration => self.bind_import(node, builder),
            Kind::ModuleDeclaration => self.bind_module_declaration(node, builder),
            Kind::Error => self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_top_level_node(child, builder))
            }),
            _ => self.bind_statement(node, FILE_SCOPE, builder),
        }
    }

    /// Records the use of a bare name that can only be a type or a function, and returns the expression for it.
    fn record_restricted_name_use(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        (kind, role): (RestrictedNameKind, Role),
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let expr = builder.record_name_use(node, scope, role);
        builder.names.restricted_names.push((expr, kind));
        expr
    }

    /// The expression for a type that the source does not write: a primitive type, or a type of the platform.
    fn known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(known) = self.known_types.get(name) {
            return *known;
        }
        let text = builder.intern_constructed_text(name);
        let expr = builder.add_expr(Expr::Name { name: text, scope: FILE_SCOPE, at: 0 });
        builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
        self.known_types.insert(name, expr);
        expr
    }

    /// The expression for a value of a type that the source does not write.
    fn value_of_known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = self.known_type(name, builder);
        builder.add_expr(Expr::Instance { of })
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
        binding
    }

    /// Creates the binding of something without a name, which no look-up finds: it is in its own scope `scope`.
    fn add_unnamed_binding(
        &mut self,
        kind: BindingKind,
        (node, scope): (Node<'t>, ScopeId),
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let name = builder.intern_constructed_text(match kind {
            BindingKind::Function => "->",
            _ => "{}",
        });
        let binding = builder.add_binding(scope, kind, name, node.start_byte());
        builder.link_binding_and_body_scope(binding, scope);
        binding
    }

    fn set_value(&mut self, binding: BindingId, value: ExprId, builder: &mut NamesBuilder<'_>) {
        if value != builder.unknown_expr() {
            builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
        }
    }

    /// Records that the name at `node` is used as the expression `expr`.
    fn record_use_of_expr(&mut self, node: Node<'t>, expr: ExprId, role: Role, builder: &mut NamesBuilder<'_>) {
        builder.record_occurrence(node, role, Target::Expr(expr));
    }
}
