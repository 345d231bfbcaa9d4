//! Name binding for C: scopes, bindings, occurrences and includes of one file.
//!
//! Pointers and arrays are ignored: the type `T *` or `T[]` counts as the type `T`. TagsQueryLanguage share one namespace with all
//! other names: a tag and a function with the same name in one file are rare, and the role of a use distinguishes them.

mod conditions;
mod declarations;
mod declarators;
mod expressions;
#[cfg(all(test, feature = "lang-c"))]
mod tests;
mod unparsed_names;

use tree_sitter::Node;

use super::repair;
use crate::names::{BindingKind, CursorPool, FILE_SCOPE, NamesBuilder, Role, ScopeId, ScopeKind, grammar};
pub(in crate::languages) use unparsed_names::{
    is_cpp_keyword, logical_line_end, raw_string_end, record_import_from_include_argument,
    record_names_in_blanked_cpp_ranges, record_names_in_cpp_code,
};

grammar! {
    super::grammar::GRAMMAR;
    kinds {
        AbstractFunctionDeclarator = "abstract_function_declarator",
        AlignofExpression = "alignof_expression",
        ArgumentList = "argument_list",
        ArrayDeclarator = "array_declarator",
        AssignmentExpression = "assignment_expression",
        AttributeDeclaration = "attribute_declaration",
        AttributeSpecifier = "attribute_specifier",
        AttributedDeclarator = "attributed_declarator",
        BinaryExpression = "binary_expression",
        BitfieldClause = "bitfield_clause",
        BreakStatement = "break_statement",
        CallExpression = "call_expression",
        CastExpression = "cast_expression",
        CharLiteral = "char_literal",
        CommaExpression = "comma_expression",
        Comment = "comment",
        CompoundLiteralExpression = "compound_literal_expression",
        CompoundStatement = "compound_statement",
        ConditionalExpression = "conditional_expression",
        ContinueStatement = "continue_statement",
        Declaration = "declaration",
        EnumSpecifier = "enum_specifier",
        Enumerator = "enumerator",
        ExtensionExpression = "extension_expression",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldDesignator = "field_designator",
        FieldExpression = "field_expression",
        FieldIdentifier = "field_identifier",
        ForStatement = "for_statement",
        FunctionDeclarator = "function_declarator",
        FunctionDefinition = "function_definition",
        GenericExpression = "generic_expression",
        GnuAsmGotoList = "gnu_asm_goto_list",
        GnuAsmInputOperand = "gnu_asm_input_operand",
        GnuAsmOutputOperand = "gnu_asm_output_operand",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        InitDeclarator = "init_declarator",
        InitializerList = "initializer_list",
        InitializerPair = "initializer_pair",
        MacroTypeSpecifier = "macro_type_specifier",
        MsDeclspecModifier = "ms_declspec_modifier",
        NumberLiteral = "number_literal",
        OffsetofExpression = "offsetof_expression",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedDeclarator = "parenthesized_declarator",
        ParenthesizedExpression = "parenthesized_expression",
        PointerDeclarator = "pointer_declarator",
        PointerExpression = "pointer_expression",
        PreprocCall = "preproc_call",
        PreprocDef = "preproc_def",
        PreprocElif = "preproc_elif",
        PreprocFunctionDef = "preproc_function_def",
        PreprocIf = "preproc_if",
        PreprocInclude = "preproc_include",
        PrimitiveType = "primitive_type",
        SizedTypeSpecifier = "sized_type_specifier",
        SizeofExpression = "sizeof_expression",
        StorageClassSpecifier = "storage_class_specifier",
        StringLiteral = "string_literal",
        StructSpecifier = "struct_specifier",
        SubscriptExpression = "subscript_expression",
        SystemLibString = "system_lib_string",
        TypeDefinition = "type_definition",
        TypeDescriptor = "type_descriptor",
        TypeIdentifier = "type_identifier",
        TypeQualifier = "type_qualifier",
        UnaryExpression = "unary_expression",
        UnionSpecifier = "union_specifier",
        UpdateExpression = "update_expression",
    }
    fields {
        alternative, argument, arguments, body, condition, consequence, declarator, directive, field,
        function, left, member, name, operator, parameters, path, right, r#type, value,
    }
}

/// Binds every name of the C file whose syntax tree has the root `root`.
pub(super) fn bind_names_in_file<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder { grammar: Grammar::shared_instance(), cursors: CursorPool::new(), macro_body_end: 0 };
    binder.for_each_named_non_comment_child(root, builder, |binder, node, builder| {
        binder.bind_node(node, FILE_SCOPE, builder)
    });
    let preprocessed = repair::find_rewritten_and_conditional_regions(builder.source);
    unparsed_names::record_names_in_unparsed_ranges(&preprocessed.rewritten_ranges, builder);
    conditions::record_regions_requiring_macros(&preprocessed.conditional_regions, builder);
    builder.names.begins_program = defines_program_start(builder);
}

/// Records the regions of a C++ file that are compiled only if macros are defined which the file does not define itself.
pub(in crate::languages) fn record_conditional_regions_of_cpp(builder: &mut NamesBuilder<'_>) {
    let regions = repair::conditional_regions_of_cpp_source(builder.source);
    conditions::record_regions_requiring_macros(&regions, builder);
}

/// Whether a function of this name begins a program: that of the standard, or one of Windows.
pub(in crate::languages) fn is_program_start(name: &str) -> bool {
    matches!(name, "main" | "wmain" | "WinMain" | "wWinMain" | "_tmain")
}

/// Whether the file defines, and does not only declare, a function at which a program begins.
fn defines_program_start(builder: &NamesBuilder<'_>) -> bool {
    builder.names.bindings.iter().any(|binding| {
        binding.scope == FILE_SCOPE
            && binding.kind == BindingKind::Function
            && binding.body.is_some()
            && is_program_start(builder.names.name_text(binding.name))
    })
}

/// State of the binder while it binds the names of one C file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// Byte offset of the end of the last macro body that was read. The grammar reads the text after a comment in such
    /// a body as ordinary code, which is skipped.
    macro_body_end: usize,
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

    fn child_in_field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// The first named child of `node` that is not a comment.
    fn first_named_non_comment_child(&self, node: Node<'t>) -> Option<Node<'t>> {
        let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        (0..count)
            .filter_map(|at| node.named_child(at))
            .find(|child| self.grammar.kind_of_node(*child) != Kind::Comment)
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
        match self.grammar.kind_of_node(node) {
            Kind::Identifier
            | Kind::TypeIdentifier
            | Kind::FieldIdentifier
            | Kind::NumberLiteral
            | Kind::StringLiteral
            | Kind::CharLiteral
            | Kind::PrimitiveType
            | Kind::CallExpression
            | Kind::BinaryExpression
            | Kind::FieldExpression
            | Kind::AssignmentExpression
            | Kind::ParenthesizedExpression => {
                self.bind_names_and_get_value(node, scope, Role::Read, builder);
            }
            _ => builder.run_with_depth_limit(node, |builder| self.bind_compound_node(node, scope, builder)),
        }
    }

    fn bind_compound_node(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.grammar.kind_of_node(node) {
            Kind::FunctionDefinition => self.bind_function(node, scope, builder),
            Kind::Declaration => self.bind_declaration(node, scope, BindingKind::Variable, builder),
            Kind::TypeDefinition => self.bind_typedef(node, scope, builder),
            // A field outside a type occurs only in broken source.
            Kind::FieldDeclaration => self.bind_declaration(node, scope, BindingKind::Field, builder),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
                self.bind_type_without_declarator(node, scope, builder)
            }
            Kind::Enumerator => self.bind_enumerator(node, scope, None, builder),
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.bind_macro(node, builder),
            Kind::PreprocInclude => self.record_include(node, builder),
            Kind::PreprocCall => self.record_names_in_directive(node, builder),
            Kind::CompoundStatement | Kind::ForStatement => {
                let inside = builder.add_child_scope(scope, ScopeKind::Block, node);
                self.bind_children(node, inside, builder);
            }
            // Labels are local to their function and get no occurrence.
            Kind::GotoStatement | Kind::BreakStatement | Kind::ContinueStatement => {}
            Kind::AttributeSpecifier | Kind::AttributeDeclaration => {
                self.record_names_in_attribute_arguments(node, scope, builder)
            }
            Kind::TypeQualifier | Kind::StorageClassSpecifier | Kind::MsDeclspecModifier => {}
            _ => {
                self.bind_names_and_get_value(node, scope, Role::Read, builder);
            }
        }
    }

    /// Binds the macro that a `#define` directive defines, and records the names in its body.
    fn bind_macro(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.child_in_field(node, self.grammar.name) else { return };
        builder.add_binding_with_definition(FILE_SCOPE, BindingKind::Macro, name);
        let mut parameters = Vec::new();
        if let Some(list) = self.child_in_field(node, self.grammar.parameters) {
            self.for_each_named_non_comment_child(list, builder, |_, parameter, builder| {
                parameters.push(builder.text_of_node(parameter))
            });
        }
        if let Some(body) = self.child_in_field(node, self.grammar.value) {
            let line = crate::names::first_line_number_of_node(body);
            let end = unparsed_names::logical_line_end(builder.source.as_bytes(), body.start_byte());
            unparsed_names::record_names_in_macro_body(body.start_byte()..end, line, &parameters, builder);
            self.macro_body_end = end;
        }
    }

    /// Records the file that an `#include` directive includes.
    fn record_include(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.child_in_field(node, self.grammar.path) else { return };
        match self.grammar.kind_of_node(path) {
            Kind::StringLiteral | Kind::SystemLibString => {
                unparsed_names::record_import_from_include_argument(
                    builder.text_of_node(path),
                    crate::names::first_line_number_of_node(node),
                    builder,
                );
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
        let line = crate::names::first_line_number_of_node(argument);
        match builder.text_of_node(directive).trim_start_matches(['#', ' ', '\t']) {
            "include_next" | "import" => {
                unparsed_names::record_import_from_include_argument(builder.text_of_node(argument), line, builder)
            }
            "pragma" | "error" | "warning" | "line" | "ident" => {}
            // `#undef`, and conditions that the grammar does not recognise.
            _ => unparsed_names::record_names_in_unparsed_code(argument.byte_range(), line, FILE_SCOPE, builder),
        }
    }

    /// Records the names in attributes of declarations: only the arguments of an attribute can be names, as in
    /// `__attribute__((cleanup(free_it)))`.
    fn record_names_in_attribute_arguments(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, child, builder| {
            builder.run_with_depth_limit(child, |builder| match binder.grammar.kind_of_node(child) {
                Kind::CallExpression => {
                    let attribute_name = binder
                        .child_in_field(child, binder.grammar.function)
                        .map_or("", |name| builder.text_of_node(name));
                    // In `format(printf, 1, 2)` the argument `printf` is a format style and not a name.
                    if let Some(arguments) = binder.child_in_field(child, binder.grammar.arguments)
                        && !attribute_name.contains("format")
                    {
                        binder.bind_children(arguments, scope, builder);
                    }
                }
                Kind::Identifier => {}
                _ => binder.record_names_in_attribute_arguments(child, scope, builder),
            });
        });
    }
}
