//! Name binding for Kotlin: scopes, bindings, occurrences and imports of one file.
//!
//! A scope in which `this` has a type of its own (the body of an extension, a lambda with a receiver) binds the name `this`.
//! The arguments of each call are recorded, because they choose among the functions of one name
//! ([`Names::call_arguments`]), with the names that arguments have ([`Names::argument_names`]).
//!
//! [`Names::call_arguments`]: crate::names::Names::call_arguments
//! [`Names::argument_names`]: crate::names::Names::argument_names

mod calls;
mod classes;
mod expected;
mod expressions;
mod functions;
mod imports;
mod lambdas;
mod modifiers;
mod narrowing;
mod operators;
mod properties;
mod statements;
mod templates;
#[cfg(all(test, feature = "lang-kotlin"))]
mod tests;
mod types;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, Tree};

use crate::names::{
    BindingId, BindingKind, CursorPool, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, RestrictedNameKind, Role,
    ScopeId, grammar,
};
use expected::{CallOfPossibleValue, ExpectedFunction};

grammar! {
    super::GRAMMAR;
    kinds {
        AnnotatedExpression = "annotated_expression",
        AnnotatedLambda = "annotated_lambda",
        Annotation = "annotation",
        AnonymousFunction = "anonymous_function",
        AnonymousInitializer = "anonymous_initializer",
        AsExpression = "as_expression",
        Assignment = "assignment",
        BinaryExpression = "binary_expression",
        Block = "block",
        BlockComment = "block_comment",
        CallExpression = "call_expression",
        CallableReference = "callable_reference",
        CatchBlock = "catch_block",
        CharacterLiteral = "character_literal",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassParameter = "class_parameter",
        ClassParameters = "class_parameters",
        CollectionLiteral = "collection_literal",
        CompanionObject = "companion_object",
        ConstructorDelegationCall = "constructor_delegation_call",
        ConstructorInvocation = "constructor_invocation",
        DelegationSpecifier = "delegation_specifier",
        DelegationSpecifiers = "delegation_specifiers",
        DoWhileStatement = "do_while_statement",
        EnumClassBody = "enum_class_body",
        EnumEntry = "enum_entry",
        ExplicitDelegation = "explicit_delegation",
        FileAnnotation = "file_annotation",
        FinallyBlock = "finally_block",
        FloatLiteral = "float_literal",
        ForStatement = "for_statement",
        FunctionBody = "function_body",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        FunctionTypeParameters = "function_type_parameters",
        FunctionValueParameters = "function_value_parameters",
        Getter = "getter",
        Identifier = "identifier",
        IfExpression = "if_expression",
        Import = "import",
        InExpression = "in_expression",
        IndexExpression = "index_expression",
        InfixExpression = "infix_expression",
        Interpolation = "interpolation",
        IsExpression = "is_expression",
        Label = "label",
        LabeledExpression = "labeled_expression",
        LambdaLiteral = "lambda_literal",
        LambdaParameters = "lambda_parameters",
        LineComment = "line_comment",
        Modifiers = "modifiers",
        MultiVariableDeclaration = "multi_variable_declaration",
        MultilineStringLiteral = "multiline_string_literal",
        NavigationExpression = "navigation_expression",
        NonNullableType = "non_nullable_type",
        NullableType = "nullable_type",
        NumberLiteral = "number_literal",
        ObjectDeclaration = "object_declaration",
        ObjectLiteral = "object_literal",
        PackageHeader = "package_header",
        Parameter = "parameter",
        ParameterModifiers = "parameter_modifiers",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PrimaryConstructor = "primary_constructor",
        PropertyDeclaration = "property_declaration",
        PropertyDelegate = "property_delegate",
        QualifiedIdentifier = "qualified_identifier",
        RangeExpression = "range_expression",
        RangeTest = "range_test",
        ReturnExpression = "return_expression",
        SecondaryConstructor = "secondary_constructor",
        Setter = "setter",
        SpreadExpression = "spread_expression",
        StringLiteral = "string_literal",
        SuperExpression = "super_expression",
        ThisExpression = "this_expression",
        ThrowExpression = "throw_expression",
        TryExpression = "try_expression",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeConstraint = "type_constraint",
        TypeConstraints = "type_constraints",
        TypeModifiers = "type_modifiers",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypeProjection = "type_projection",
        TypeTest = "type_test",
        UnaryExpression = "unary_expression",
        UserType = "user_type",
        ValueArgument = "value_argument",
        ValueArguments = "value_arguments",
        VariableDeclaration = "variable_declaration",
        WhenEntry = "when_entry",
        WhenExpression = "when_expression",
        WhenSubject = "when_subject",
        WhileStatement = "while_statement",
    }
    fields { argument, condition, label, left, name, operator, right, r#type }
}

/// The name that a scope binds in which `this` has a type of its own.
const THIS: &str = "this";

/// Binds every name of a Kotlin file, given its syntax tree.
pub(super) fn bind_names_in_file(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let root = tree.root_node();
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        known_types: HashMap::new(),
        expected_function: None,
        labels: Vec::new(),
        narrowed: Vec::new(),
        tested_types: HashMap::new(),
        returned: Vec::new(),
        calls: Vec::new(),
        annotation_before: None,
    };
    binder.for_each_child(root, builder, |binder, node, builder| binder.bind_top_level_node(node, builder));
    binder.record_uses_of_invoke(builder);
    binder.add_names_of_same_package(builder);
    builder.names.call_arguments.sort_unstable();
    builder.names.argument_names.sort_unstable();
    builder.names.restricted_names.sort_unstable();
}

/// State of the binder while it binds the names of one Kotlin file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// The expressions for types that the source does not write, such as the type of a literal, by the type's name.
    known_types: HashMap<&'static str, ExprId>,
    /// The function that is expected where the next expression stands: a lambda takes its parameters' types from it.
    expected_function: Option<ExpectedFunction>,
    /// The names by which `this@name` and `return@name` mean a scope, the innermost last.
    labels: Vec<(NameId, ScopeId)>,
    /// Paths of names whose values are known to be of a type where the current node stands, the latest last.
    narrowed: Vec<(String, ExprId)>,
    /// The types that tests (`x is T`) name, by the ids of the tests' nodes.
    tested_types: HashMap<usize, ExprId>,
    /// The scopes of the lambdas and functions without a name around the current node, each with what they return so far.
    returned: Vec<(ScopeId, Vec<ExprId>)>,
    /// The calls whose callee may be a value.
    calls: Vec<CallOfPossibleValue>,
    /// The statement before the current one, if it has the form of an annotation: the grammar reads an annotation with
    /// arguments on a line of its own so.
    annotation_before: Option<Node<'t>>,
}

impl<'t> Binder<'t> {
    /// Calls `visit` for each named child of `node` that is not a comment.
    fn for_each_child<'s>(
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

    /// All children of `node` that are not comments, with and without names.
    fn all_children(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if !self.is_comment(child) {
                    found.push(child);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
        found
    }

    /// The named children of `node` that are not comments.
    fn named_children(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut found = self.all_children(node);
        found.retain(Node::is_named);
        found
    }

    /// The first child of `node` that fits. It is found with a cursor: a node finds each child by its index anew.
    fn find_child(&mut self, node: Node<'t>, fits: impl Fn(&Self, Node<'t>) -> bool) -> Option<Node<'t>> {
        let mut cursor = self.cursors.take_cursor(node);
        let mut found = None;
        let mut has_child = cursor.goto_first_child();
        while has_child && found.is_none() {
            let child = cursor.node();
            found = fits(self, child).then_some(child);
            has_child = cursor.goto_next_sibling();
        }
        self.cursors.return_cursor(cursor);
        found
    }

    /// The first child of `node` of this kind.
    fn child_of_kind(&mut self, node: Node<'t>, kind: Kind) -> Option<Node<'t>> {
        self.find_child(node, |binder, child| binder.kind(child) == kind)
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        self.find_child(node, |binder, child| child.is_named() && !binder.is_comment(child))
    }

    /// Whether a keyword or sign is among the children of a node.
    fn has_token(&mut self, node: Node<'t>, token: &str) -> bool {
        self.find_child(node, |_, child| !child.is_named() && child.kind() == token).is_some()
    }

    fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind_of_node(node)
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Binds the names in a declaration at the top of a file, or in a statement of a script.
    fn bind_top_level_node(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::PackageHeader => self.bind_package(node, builder),
            Kind::Import => self.bind_import(node, builder),
            Kind::FileAnnotation => self.bind_file_annotation(node, builder),
            Kind::Error => self.for_each_child(node, builder, |binder, child, builder| {
                builder.run_with_depth_limit(child, |builder| binder.bind_top_level_node(child, builder))
            }),
            Kind::AnnotatedExpression => {
                self.bind_statement(node, FILE_SCOPE, builder);
                self.annotation_before = Some(node);
                return;
            }
            _ => {
                self.bind_statement(node, FILE_SCOPE, builder);
            }
        }
        self.annotation_before = None;
    }

    /// Records the use of a bare name that can only be a type.
    fn record_type_use(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let expr = self.record_name(node, scope, role, builder);
        builder.names.restricted_names.push((expr, RestrictedNameKind::Type));
        expr
    }

    /// Records the use of a bare name. A name in backticks is the name without them.
    fn record_name(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (name, at) = self.name_and_place(node, builder);
        let expr = builder.add_expr(Expr::Name { name, scope, at: to_u32(at) });
        self.record_occurrence(node, role, crate::names::Target::Expr(expr), builder);
        expr
    }

    /// Records the use of a member's name.
    fn record_member(&mut self, base: ExprId, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        let (name, at) = self.name_and_place(node, builder);
        let expr = builder.add_expr(Expr::Member { base, name, at: to_u32(at) });
        self.record_occurrence(node, role, crate::names::Target::Expr(expr), builder);
        expr
    }

    fn record_occurrence(
        &mut self,
        node: Node<'t>,
        role: Role,
        target: crate::names::Target,
        builder: &mut NamesBuilder<'_>,
    ) {
        let (name, at) = self.name_and_place(node, builder);
        let line = crate::names::first_line_number_of_node(node);
        builder.record_occurrence_at_offset(name, at, line, role, target);
    }

    /// Binds the name at `node` and records its definition.
    fn bind_definition(
        &mut self,
        scope: ScopeId,
        kind: BindingKind,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let (name, at) = self.name_and_place(node, builder);
        let binding = builder.add_binding(scope, kind, name, at);
        self.record_occurrence(node, Role::Definition, crate::names::Target::Binding(binding), builder);
        binding
    }

    /// The name at a node without its backticks, and the byte offset at which it begins.
    fn name_and_place(&self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> (NameId, usize) {
        let text = builder.text_of_node(node);
        match text.strip_prefix('`').and_then(|text| text.strip_suffix('`')) {
            Some(inner) => (builder.intern_source_text(inner), node.start_byte() + 1),
            None => (builder.intern_source_text(text), node.start_byte()),
        }
    }

    /// The expression for a type that the source does not write.
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

    /// Gives `this` a type of its own in a scope.
    fn bind_this(
        &mut self,
        (scope, node): (ScopeId, Node<'t>),
        annotation: Option<ExprId>,
        value: ExprId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let name = builder.intern_constructed_text(THIS);
        let this = builder.add_binding(scope, BindingKind::Variable, name, node.start_byte());
        builder.binding_mut(this).annotation = annotation;
        self.set_value(this, value, builder);
    }

    fn set_value(&mut self, binding: BindingId, value: ExprId, builder: &mut NamesBuilder<'_>) {
        if value != builder.unknown_expr() {
            builder.binding_mut(binding).values = builder.add_expr_list(&[value]);
        }
    }
}

/// A byte offset as the model stores it.
fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX - 1)
}

/// Whether a name is written as types are: with a capital letter first.
fn is_written_as_type(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(char::is_uppercase)
}
