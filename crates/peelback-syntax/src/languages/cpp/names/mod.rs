//! Name binding for C++: scopes, bindings, occurrences and includes of one file.
//!
//! A pointer or an array counts as a container of its elements, so that `->`, `*` and `[]` give what it holds, as those of
//! smart pointers and containers do. A reference counts as what it refers to.
//!
//! What files say of one namespace belongs together. The resolver puts it together by the names of modules; what C++ adds to
//! modules is recorded with three conventions:
//!
//! - A module without an owner is an unnamed namespace, whose names belong to the namespace around it.
//! - [`Binding::wrapped`](crate::names::Binding::wrapped) marks an inline namespace.
//! - A module whose binding has an annotation and a body stands for the code after a macro that opens a namespace; with an
//!   annotation alone, it is an alias.

mod aliases;
mod arguments;
mod declarations;
mod declarators;
mod expressions;
mod functions;
mod macros;
mod namespaces;
mod paths;
mod templates;
#[cfg(all(test, feature = "lang-cpp"))]
mod tests;
mod types;

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::super::c::{
    is_program_start, logical_line_end, record_conditional_regions_of_cpp, record_import_from_include_argument,
    record_names_in_blanked_cpp_ranges, record_names_in_cpp_code,
};
use super::repair;
use crate::names::{
    BindingKind, CursorPool, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, Target,
    first_line_number_of_node, grammar,
};

grammar! {
    super::GRAMMAR;
    kinds {
        AbstractArrayDeclarator = "abstract_array_declarator",
        AbstractFunctionDeclarator = "abstract_function_declarator",
        AbstractPointerDeclarator = "abstract_pointer_declarator",
        AccessSpecifier = "access_specifier",
        AlignasQualifier = "alignas_qualifier",
        AliasDeclaration = "alias_declaration",
        ArgumentList = "argument_list",
        ArrayDeclarator = "array_declarator",
        AssignmentExpression = "assignment_expression",
        Attribute = "attribute",
        AttributeDeclaration = "attribute_declaration",
        AttributeSpecifier = "attribute_specifier",
        AttributedDeclarator = "attributed_declarator",
        BaseClassClause = "base_class_clause",
        BinaryExpression = "binary_expression",
        BreakStatement = "break_statement",
        CallExpression = "call_expression",
        CastExpression = "cast_expression",
        CatchClause = "catch_clause",
        CharLiteral = "char_literal",
        ClassSpecifier = "class_specifier",
        CommaExpression = "comma_expression",
        Comment = "comment",
        CompoundLiteralExpression = "compound_literal_expression",
        CompoundStatement = "compound_statement",
        ConceptDefinition = "concept_definition",
        ConditionClause = "condition_clause",
        ConditionalExpression = "conditional_expression",
        ContinueStatement = "continue_statement",
        Declaration = "declaration",
        DeclarationList = "declaration_list",
        Decltype = "decltype",
        DependentName = "dependent_name",
        DependentType = "dependent_type",
        DestructorName = "destructor_name",
        EnumSpecifier = "enum_specifier",
        Enumerator = "enumerator",
        FieldDeclaration = "field_declaration",
        FieldDesignator = "field_designator",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        FieldInitializer = "field_initializer",
        FieldInitializerList = "field_initializer_list",
        ForRangeLoop = "for_range_loop",
        ForStatement = "for_statement",
        FriendDeclaration = "friend_declaration",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        IfStatement = "if_statement",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        LambdaCaptureInitializer = "lambda_capture_initializer",
        LambdaCaptureSpecifier = "lambda_capture_specifier",
        LambdaExpression = "lambda_expression",
        LinkageSpecification = "linkage_specification",
        MsDeclspecModifier = "ms_declspec_modifier",
        NamespaceAliasDefinition = "namespace_alias_definition",
        NamespaceDefinition = "namespace_definition",
        NamespaceIdentifier = "namespace_identifier",
        NestedNamespaceSpecifier = "nested_namespace_specifier",
        NewExpression = "new_expression",
        NumberLiteral = "number_literal",
        OffsetofExpression = "offsetof_expression",
        OperatorCast = "operator_cast",
        OperatorName = "operator_name",
        OptionalParameterDeclaration = "optional_parameter_declaration",
        OptionalTypeParameterDeclaration = "optional_type_parameter_declaration",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ParenthesizedExpression = "parenthesized_expression",
        PlaceholderTypeSpecifier = "placeholder_type_specifier",
        PointerDeclarator = "pointer_declarator",
        PointerExpression = "pointer_expression",
        PointerTypeDeclarator = "pointer_type_declarator",
        PreprocCall = "preproc_call",
        PreprocDef = "preproc_def",
        PreprocElif = "preproc_elif",
        PreprocElifdef = "preproc_elifdef",
        PreprocFunctionDef = "preproc_function_def",
        PreprocIf = "preproc_if",
        PreprocIfdef = "preproc_ifdef",
        PreprocInclude = "preproc_include",
        PrimitiveType = "primitive_type",
        QualifiedIdentifier = "qualified_identifier",
        RawStringLiteral = "raw_string_literal",
        ReferenceDeclarator = "reference_declarator",
        ReturnStatement = "return_statement",
        SizedTypeSpecifier = "sized_type_specifier",
        StorageClassSpecifier = "storage_class_specifier",
        StringLiteral = "string_literal",
        StructSpecifier = "struct_specifier",
        StructuredBindingDeclarator = "structured_binding_declarator",
        SubscriptExpression = "subscript_expression",
        SwitchStatement = "switch_statement",
        SystemLibString = "system_lib_string",
        TemplateArgumentList = "template_argument_list",
        TemplateDeclaration = "template_declaration",
        TemplateFunction = "template_function",
        TemplateMethod = "template_method",
        TemplateParameterList = "template_parameter_list",
        TemplateTemplateParameterDeclaration = "template_template_parameter_declaration",
        TemplateType = "template_type",
        This = "this",
        TrailingReturnType = "trailing_return_type",
        TryStatement = "try_statement",
        TypeDefinition = "type_definition",
        TypeDescriptor = "type_descriptor",
        TypeIdentifier = "type_identifier",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeQualifier = "type_qualifier",
        UnaryExpression = "unary_expression",
        UnionSpecifier = "union_specifier",
        UpdateExpression = "update_expression",
        UsingDeclaration = "using_declaration",
        VariadicDeclarator = "variadic_declarator",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
        VariadicTypeParameterDeclaration = "variadic_type_parameter_declaration",
        WhileStatement = "while_statement",
    }
    fields {
        alternative, argument, arguments, base, body, captures, condition, consequence, declarator, default_type,
        default_value, directive, field, function, initializer, left, member, name, operator, parameters, path,
        placement, right, scope, template_parameters, r#type, value,
    }
}

/// Binds every name of the C++ file with this syntax tree.
pub(super) fn bind_names_in_file(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        macro_body_end: 0,
        macro_namespaces: Vec::new(),
        macro_calls: Vec::new(),
        types_named_like_words: ["import", "module"]
            .into_iter()
            .filter(|word| is_name_of_written_type(word, builder.source))
            .collect(),
        is_private: false,
        returned: Vec::new(),
    };
    binder.open_macro_namespaces(builder);
    binder.for_each_named_non_comment_child(tree.root_node(), builder, |binder, node, builder| {
        binder.bind_node(node, FILE_SCOPE, builder)
    });
    // The macros that open namespaces were recorded already.
    let mut blanked = repair::blanked_ranges(builder.source);
    blanked.retain(|range| binder.macro_calls.binary_search(&range.start).is_err());
    record_names_in_blanked_cpp_ranges(&blanked, builder);
    record_names_in_broken_code(tree, builder);
    record_conditional_regions_of_cpp(builder);
    builder.names.call_arguments.sort_unstable();
    builder.names.parameter_lists.sort_unstable();
    let names = &builder.names;
    builder.names.begins_program = names.bindings.iter().any(|binding| {
        binding.scope == FILE_SCOPE
            && binding.kind == BindingKind::Function
            && binding.body.is_some()
            && is_program_start(names.name_text(binding.name))
    });
}

/// Records the names in code that the grammar did not understand and of which the binder made nothing.
fn record_names_in_broken_code(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let mut broken = error_ranges(tree).into_iter().peekable();
    if broken.peek().is_none() {
        return;
    }
    let mut known: Vec<u32> = builder.names.occurrences.iter().map(|occurrence| occurrence.at).collect();
    known.sort_unstable();
    let (mut line, mut counted) = (1, 0);
    for (range, is_call) in repair::names_of_source(builder.source) {
        while broken.next_if(|broken| broken.end <= range.start).is_some() {}
        let Some(region) = broken.peek() else { break };
        let at = u32::try_from(range.start).unwrap_or(u32::MAX);
        if !region.contains(&range.start) || known.binary_search(&at).is_ok() {
            continue;
        }
        line += crate::text::count_newlines(builder.source, counted..range.start);
        counted = range.start;
        let role = if is_call { Role::Call } else { Role::Read };
        let name = builder.name_id_of_source_range(range.clone());
        builder.record_occurrence_at_offset(name, range.start, line, role, Target::Unknown);
    }
}

/// The byte ranges of the outermost nodes that the grammar did not understand, in order.
fn error_ranges(tree: &Tree) -> Vec<Range<usize>> {
    let mut cursor = tree.walk();
    let mut found = Vec::new();
    'walk: loop {
        let node = cursor.node();
        if node.is_error() {
            found.push(node.byte_range());
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    found
}

/// Whether a source seems to define a type called `name`.
fn is_name_of_written_type(name: &str, source: &str) -> bool {
    memchr::memmem::find_iter(source.as_bytes(), name).any(|at| {
        let before = source.get(..at).unwrap_or("");
        let word = before.trim_end();
        word.len() < before.len()
            && ["class", "struct", "union", "enum", "using"].iter().any(|keyword| word.ends_with(keyword))
    })
}

/// State of the binder while it binds the names of one C++ file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// Byte offset of the end of the last macro body that was read. The grammar may read the text after a comment in such a
    /// body as ordinary code, which is skipped.
    macro_body_end: usize,
    /// The code between macros that open and close a namespace, with its scope.
    macro_namespaces: Vec<(Range<usize>, ScopeId)>,
    /// Byte offsets of the macros that open and close namespaces, in order.
    macro_calls: Vec<usize>,
    /// The words of module declarations that are names of types in this file.
    types_named_like_words: Vec<&'static str>,
    /// Whether the current code is in an unnamed namespace.
    is_private: bool,
    /// The expressions that the functions around the current code return, the innermost function last.
    returned: Vec<Vec<ExprId>>,
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

    /// Calls `visit` for each named child of `node` that is not a comment, with the field that it is in.
    fn for_each_named_child_with_field<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Option<u16>, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && self.grammar.kind_of_node(child) != Kind::Comment {
                    visit(self, cursor.field_id().map(std::num::NonZero::get), child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    fn child_in_field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_non_comment_child(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.named_child_where(node, |_| true)
    }

    /// The first named child of `node` whose kind `fits`.
    fn named_child_where(&self, node: Node<'t>, fits: impl Fn(Kind) -> bool) -> Option<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find(|child| {
            let kind = self.grammar.kind_of_node(*child);
            kind != Kind::Comment && fits(kind)
        })
    }

    /// Whether a node has a child that is this word of the grammar.
    fn has_word(&self, node: Node<'t>, word: &str) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor).any(|child| !child.is_named() && child.kind() == word)
    }

    /// Binds the names in the children of `node`: declarations, statements, directives or expressions.
    fn bind_children(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            binder.bind_node(child, scope, builder)
        });
    }

    /// Binds the names in a declaration, a statement, a directive or an expression.
    fn bind_node(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if node.start_byte() < self.macro_body_end && node.end_byte() <= self.macro_body_end {
            return;
        }
        let scope = if scope == FILE_SCOPE { self.scope_of_macro_namespace(node).unwrap_or(scope) } else { scope };
        builder.run_with_depth_limit(node, |builder| self.bind_compound_node(node, scope, builder));
    }

    fn bind_compound_node(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.grammar.kind_of_node(node) {
            Kind::NamespaceDefinition => self.bind_namespace(node, scope, builder),
            Kind::NamespaceAliasDefinition => self.bind_namespace_alias(node, scope, builder),
            Kind::UsingDeclaration => self.bind_using(node, scope, builder),
            Kind::LinkageSpecification => self.bind_children(node, scope, builder),
            Kind::TemplateDeclaration => self.bind_template(node, scope, builder),
            Kind::FunctionDefinition => self.bind_function(node, scope, scope, builder),
            Kind::Declaration | Kind::FieldDeclaration => self.bind_declaration(node, scope, scope, builder),
            Kind::FriendDeclaration => self.bind_friend(node, scope, builder),
            Kind::AliasDeclaration => self.bind_alias(node, scope, scope, builder),
            Kind::TypeDefinition => self.bind_typedef(node, scope, builder),
            Kind::ConceptDefinition => self.bind_concept(node, scope, scope, builder),
            Kind::ClassSpecifier | Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
                self.bind_type_without_declarator(node, scope, scope, builder)
            }
            Kind::Enumerator => self.bind_enumerator(node, scope, None, builder),
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.bind_macro(node, builder),
            Kind::PreprocInclude => self.record_include(node, builder),
            Kind::PreprocCall => self.record_names_in_directive(node, builder),
            Kind::PreprocIf | Kind::PreprocElif => {
                let condition = self.child_in_field(node, self.grammar.condition);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    binder.bind_node(child, if Some(child) == condition { FILE_SCOPE } else { scope }, builder);
                });
            }
            Kind::PreprocIfdef | Kind::PreprocElifdef => {
                let name = self.child_in_field(node, self.grammar.name);
                self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
                    if Some(child) == name {
                        builder.record_name_use(child, FILE_SCOPE, Role::Read);
                    } else {
                        binder.bind_node(child, scope, builder);
                    }
                });
            }
            Kind::CompoundStatement
            | Kind::ForStatement
            | Kind::IfStatement
            | Kind::WhileStatement
            | Kind::SwitchStatement => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_children(node, inside, builder);
            }
            Kind::ForRangeLoop => self.bind_range_loop(node, scope, builder),
            Kind::CatchClause => self.bind_catch(node, scope, builder),
            Kind::ReturnStatement => self.bind_return(node, scope, builder),
            // Labels are local to their function and get no occurrence.
            Kind::GotoStatement
            | Kind::BreakStatement
            | Kind::ContinueStatement
            | Kind::AccessSpecifier
            | Kind::StorageClassSpecifier
            | Kind::MsDeclspecModifier => {}
            Kind::AttributeDeclaration | Kind::AttributeSpecifier => self.bind_attributes(node, scope, builder),
            _ => {
                self.bind_names_and_get_value(node, scope, Role::Read, builder);
            }
        }
    }

    /// Records the names in the arguments of attributes; those of the attributes themselves are words of the compiler.
    fn bind_attributes(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            let grammar = binder.grammar;
            let (name, arguments) = match grammar.kind_of_node(child) {
                Kind::Attribute => (grammar.name, binder.named_child_where(child, |kind| kind == Kind::ArgumentList)),
                Kind::CallExpression => (grammar.function, binder.child_in_field(child, grammar.arguments)),
                Kind::ArgumentList => return binder.bind_attributes(child, scope, builder),
                _ => return,
            };
            let name = binder.child_in_field(child, name).map_or("", |name| builder.text_of_node(name));
            // The arguments of these are words, too.
            if !matches!(name.trim_matches('_'), "format" | "mode" | "availability")
                && let Some(arguments) = arguments
            {
                binder.bind_children(arguments, scope, builder);
            }
        });
    }

    /// Binds the macro that a `#define` directive defines, and records the names in its body.
    fn bind_macro(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        let bound = builder.add_binding_with_definition(FILE_SCOPE, BindingKind::Macro, name);
        let mut parameters = Vec::new();
        if let Some(list) = self.child_in_field(node, self.grammar.parameters) {
            self.for_each_named_non_comment_child(list, builder, |_, parameter, builder| {
                parameters.push(builder.text_of_node(parameter))
            });
        }
        if let Some(body) = self.child_in_field(node, self.grammar.value) {
            let end = logical_line_end(builder.source.as_bytes(), body.start_byte());
            let line = first_line_number_of_node(body);
            record_names_in_cpp_code(body.start_byte()..end, line, FILE_SCOPE, Some(&parameters), builder);
            self.record_namespaces_opened_by_macro(bound, body.start_byte()..end, builder);
            self.macro_body_end = end;
        }
    }

    /// Records the file that an `#include` directive includes.
    fn record_include(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.child_in_field(node, self.grammar.path) else { return };
        match self.grammar.kind_of_node(path) {
            Kind::StringLiteral | Kind::SystemLibString => {
                let line = first_line_number_of_node(node);
                record_import_from_include_argument(builder.text_of_node(path), line, builder);
            }
            _ => {
                self.bind_names_and_get_value(path, FILE_SCOPE, Role::Read, builder);
            }
        }
    }

    /// Records the names in a preprocessor directive that has no node kind of its own in the grammar, such as `#undef`.
    fn record_names_in_directive(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(directive) = self.child_in_field(node, self.grammar.directive) else { return };
        let Some(argument) = self.child_in_field(node, self.grammar.argument) else { return };
        let line = first_line_number_of_node(argument);
        match builder.text_of_node(directive).trim_start_matches(['#', ' ', '\t']) {
            "include_next" | "import" => {
                record_import_from_include_argument(builder.text_of_node(argument), line, builder)
            }
            "pragma" | "error" | "warning" | "line" | "ident" => {}
            _ => record_names_in_cpp_code(argument.byte_range(), line, FILE_SCOPE, None, builder),
        }
    }
}
