//! Name binding for PHP: scopes, bindings, occurrences and imports of one file.
//!
//! A class is named by a path that the namespace and the `use` clauses of the file determine. Each path that is not a
//! name of the file itself becomes an import of kind [`ModuleImportKind::Path`], so that other files are asked for it. The
//! source of an import is the path, behind `function` or `const` if it is not that of a class, as in PHP's own clauses.
//!
//! Variables keep their `$`, which keeps their names apart from those of functions and constants. Properties have none.
//!
//! [`ModuleImportKind::Path`]: crate::names::ModuleImportKind::Path

mod callables;
mod calls;
mod conditions;
mod doc_types;
mod docs;
mod expressions;
mod functions;
mod includes;
mod members;
mod namespaces;
mod paths;
mod state;
mod statements;
#[cfg(all(test, feature = "lang-php"))]
mod tests;
mod type_declarations;
mod types;
mod variables;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, Tree};

use crate::names::{
    BindingId, CursorPool, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, ScopeId, ScopeKind, grammar,
};
use state::{Namespace, OpenType, PathKind, PendingVariable, UnboundName};
use variables::OpenFunction;

grammar! {
    super::GRAMMAR;
    kinds {
        AnonymousClass = "anonymous_class",
        AnonymousFunction = "anonymous_function",
        AnonymousFunctionUseClause = "anonymous_function_use_clause",
        Argument = "argument",
        Arguments = "arguments",
        ArrayCreationExpression = "array_creation_expression",
        ArrayElementInitializer = "array_element_initializer",
        ArrowFunction = "arrow_function",
        AssignmentExpression = "assignment_expression",
        Attribute = "attribute",
        AttributeList = "attribute_list",
        AugmentedAssignmentExpression = "augmented_assignment_expression",
        BaseClause = "base_clause",
        BinaryExpression = "binary_expression",
        Boolean = "boolean",
        BreakStatement = "break_statement",
        ByRef = "by_ref",
        CaseStatement = "case_statement",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        ClassConstantAccessExpression = "class_constant_access_expression",
        ClassDeclaration = "class_declaration",
        ClassInterfaceClause = "class_interface_clause",
        CloneExpression = "clone_expression",
        Comment = "comment",
        CompoundStatement = "compound_statement",
        ConditionalExpression = "conditional_expression",
        ConstDeclaration = "const_declaration",
        ConstElement = "const_element",
        ContinueStatement = "continue_statement",
        DefaultStatement = "default_statement",
        DisjunctiveNormalFormType = "disjunctive_normal_form_type",
        DoStatement = "do_statement",
        EncapsedString = "encapsed_string",
        EnumCase = "enum_case",
        EnumDeclaration = "enum_declaration",
        ErrorSuppressionExpression = "error_suppression_expression",
        ExitStatement = "exit_statement",
        ExpressionStatement = "expression_statement",
        Float = "float",
        ForStatement = "for_statement",
        ForeachStatement = "foreach_statement",
        FormalParameters = "formal_parameters",
        FunctionCallExpression = "function_call_expression",
        FunctionDefinition = "function_definition",
        FunctionStaticDeclaration = "function_static_declaration",
        GlobalDeclaration = "global_declaration",
        GotoStatement = "goto_statement",
        Heredoc = "heredoc",
        IfStatement = "if_statement",
        IncludeExpression = "include_expression",
        IncludeOnceExpression = "include_once_expression",
        Integer = "integer",
        InterfaceDeclaration = "interface_declaration",
        IntersectionType = "intersection_type",
        ListLiteral = "list_literal",
        MatchBlock = "match_block",
        MatchConditionalExpression = "match_conditional_expression",
        MatchConditionList = "match_condition_list",
        MatchDefaultExpression = "match_default_expression",
        MatchExpression = "match_expression",
        MemberAccessExpression = "member_access_expression",
        MemberCallExpression = "member_call_expression",
        MethodDeclaration = "method_declaration",
        Name = "name",
        NamedLabelStatement = "named_label_statement",
        NamedType = "named_type",
        NamespaceDefinition = "namespace_definition",
        NamespaceName = "namespace_name",
        NamespaceUseClause = "namespace_use_clause",
        NamespaceUseDeclaration = "namespace_use_declaration",
        Nowdoc = "nowdoc",
        Null = "null",
        NullsafeMemberAccessExpression = "nullsafe_member_access_expression",
        NullsafeMemberCallExpression = "nullsafe_member_call_expression",
        ObjectCreationExpression = "object_creation_expression",
        OptionalType = "optional_type",
        Pair = "pair",
        ParenthesizedExpression = "parenthesized_expression",
        PrimitiveType = "primitive_type",
        PropertyDeclaration = "property_declaration",
        PropertyElement = "property_element",
        PropertyHook = "property_hook",
        PropertyHookList = "property_hook_list",
        PropertyPromotionParameter = "property_promotion_parameter",
        QualifiedName = "qualified_name",
        ReferenceAssignmentExpression = "reference_assignment_expression",
        RelativeName = "relative_name",
        RelativeScope = "relative_scope",
        RequireExpression = "require_expression",
        RequireOnceExpression = "require_once_expression",
        ReturnStatement = "return_statement",
        ScopedCallExpression = "scoped_call_expression",
        ScopedPropertyAccessExpression = "scoped_property_access_expression",
        SimpleParameter = "simple_parameter",
        StaticModifier = "static_modifier",
        StaticVariableDeclaration = "static_variable_declaration",
        String = "string",
        StringContent = "string_content",
        SubscriptExpression = "subscript_expression",
        SwitchStatement = "switch_statement",
        ThrowExpression = "throw_expression",
        TraitDeclaration = "trait_declaration",
        TryStatement = "try_statement",
        UnaryOpExpression = "unary_op_expression",
        UnionType = "union_type",
        UseAsClause = "use_as_clause",
        UseDeclaration = "use_declaration",
        UseInsteadOfClause = "use_instead_of_clause",
        UseList = "use_list",
        VariableName = "variable_name",
        VariadicParameter = "variadic_parameter",
        VariadicPlaceholder = "variadic_placeholder",
        VariadicUnpacking = "variadic_unpacking",
        VisibilityModifier = "visibility_modifier",
        WhileStatement = "while_statement",
        YieldExpression = "yield_expression",
    }
    fields {
        alias, alternative, argument, arguments, attributes, body, condition, conditional_expressions, default_value,
        function, left, name, object, operator, parameters, return_expression, return_type, right, scope, r#type,
        value,
    }
}

/// Binds every name of the PHP file with the syntax tree `tree`.
pub(super) fn bind_names_in_file(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let hidden = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Block, 0..0);
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        namespace: Namespace::global(),
        hidden,
        known_types: HashMap::new(),
        qualified: HashMap::new(),
        unbound: Vec::new(),
        known_unbound: HashMap::new(),
        open_types: Vec::new(),
        functions: vec![OpenFunction::new(FILE_SCOPE, false)],
        templates: Vec::new(),
        pending_variables: Vec::new(),
        instance_tests: HashMap::new(),
        expected_parameters: Vec::new(),
        instances_of_doubles: HashMap::new(),
    };
    binder.bind_program(tree.root_node(), builder);
    binder.close_function(0, builder);
    binder.bind_names_of_other_files(builder);
}

/// State of the binder while it binds the names of one PHP file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// The namespace of the current node.
    namespace: Namespace,
    /// A scope that encloses nothing: what is bound there is found through its binding alone.
    hidden: ScopeId,
    /// The expressions for types of the language, by the names that they have in the model.
    known_types: HashMap<&'static str, ExprId>,
    /// The bindings for what other files may define, by the kind and the full path.
    qualified: HashMap<(PathKind, String), BindingId>,
    /// Bare names that no `use` clause binds.
    unbound: Vec<UnboundName>,
    known_unbound: HashMap<(PathKind, ScopeId, NameId), ()>,
    /// The types around the current node, the innermost last.
    open_types: Vec<OpenType>,
    /// The functions around the current node, the innermost last. The first one is the code of the file itself.
    functions: Vec<OpenFunction>,
    /// The type parameters that doc comments around the current node declare, the innermost last.
    templates: Vec<(String, ExprId)>,
    /// What the doc comment above the current statement says of variables.
    pending_variables: Vec<PendingVariable>,
    /// The tests for a type in conditions, by the syntax node: what is tested, and for which type.
    instance_tests: HashMap<usize, (NameId, ExprId)>,
    /// What the parameters of the next closure are given.
    expected_parameters: Vec<ExprId>,
    /// Instances of the classes whose doubles calls begin to make, by the syntax node of the call.
    instances_of_doubles: HashMap<usize, ExprId>,
}

impl<'t> Binder<'t> {
    /// Calls `visit` for each named child of `node`, comments included.
    fn for_each_named_child<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() {
                    visit(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    /// Calls `visit` for each named child of `node` that is not a comment.
    fn for_each_named_non_comment_child<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        self.for_each_named_child(node, builder, |binder, child, builder| {
            if binder.kind(child) != Kind::Comment {
                visit(binder, child, builder);
            }
        });
    }

    /// Calls `visit` for each named child of `node` that is not a comment, with the doc comment above it.
    fn for_each_child_with_doc<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, Option<Node<'t>>, &mut NamesBuilder<'s>),
    ) {
        let mut doc = None;
        self.for_each_named_child(node, builder, |binder, child, builder| match binder.kind(child) {
            Kind::Comment => {
                if builder.text_of_node(child).starts_with("/**") {
                    doc = Some(child);
                }
            }
            _ => visit(binder, child, doc.take(), builder),
        });
    }

    /// The named children of `node` that are not comments.
    fn named_children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        self.for_each_named_non_comment_child(node, builder, |_, child, _| found.push(child));
        found
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        self.find_named_child(node, |binder, child| binder.kind(child) != Kind::Comment)
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

    fn set_values(&mut self, binding: BindingId, mut values: Vec<ExprId>, builder: &mut NamesBuilder<'_>) {
        values.retain(|value| *value != builder.unknown_expr());
        values.dedup();
        if !values.is_empty() {
            builder.binding_mut(binding).values = builder.add_expr_list(&values);
        }
    }

    /// The expression for a type of the language: `?array`, `?mixed`, `?scalar` or `?callable`. No source can write these
    /// names.
    fn known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(known) = self.known_types.get(name) {
            return *known;
        }
        let text = builder.intern_constructed_text(name);
        let expr = builder.add_expr(Expr::Name { name: text, scope: self.hidden, at: 0 });
        self.known_types.insert(name, expr);
        expr
    }

    /// The expression for a value of a type of the language.
    fn value_of_known_type(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = self.known_type(name, builder);
        builder.add_expr(Expr::Instance { of })
    }

    /// The expression for an array whose elements are the values `elements`.
    fn array_of_values(&mut self, elements: Vec<ExprId>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = builder.expr_of_possible_values(elements);
        if of == builder.unknown_expr() {
            return self.value_of_known_type("?array", builder);
        }
        let element_type = builder.add_expr(Expr::TypeOf { of });
        let args = builder.add_expr_list(&[element_type]);
        let of = builder.add_expr(Expr::Generic { base: None, args });
        builder.add_expr(Expr::Instance { of })
    }
}
