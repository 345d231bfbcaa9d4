//! What names mean in a C file.
//!
//! Pointers and arrays are passed through: a use of `T *` or `T[]` is a use of `T`. Tags share the file's names with
//! everything else: a tag and a function of one name in one file are rare, and the place of use tells them apart.

mod conditions;
mod declarations;
mod declarators;
mod expressions;
mod lexed;
#[cfg(all(test, feature = "lang-c"))]
mod tests;

use tree_sitter::Node;

use super::repair;
use crate::names::{
    BindingKind, Cursors, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeId, ScopeKind, grammar,
};
use crate::text;

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

/// Reads the file below `root`.
pub(super) fn bind<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder { g: Grammar::get(), cursors: Cursors::new(), read_until: 0 };
    binder.each(root, builder, |binder, node, builder| binder.item(node, FILE_SCOPE, builder));
    let preprocessed = repair::preprocessed(builder.source);
    lexed::unseen(&preprocessed.changed, builder);
    conditions::note(&preprocessed.conditional, builder);
}

/// Goes through one file.
struct Binder<'t> {
    g: &'static Grammar,
    cursors: Cursors<'t>,
    /// The end of the last macro's body: the grammar takes what follows a comment in one for ordinary code.
    read_until: usize,
}

impl<'t> Binder<'t> {
    /// Does `what` with each named child that is no comment.
    fn each<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut what: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && self.g.kind(child) != Kind::Comment {
                    what(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.give(cursor);
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// The first named child that is no comment.
    fn first_child(&self, node: Node<'t>) -> Option<Node<'t>> {
        let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        (0..count).filter_map(|at| node.named_child(at)).find(|child| self.g.kind(*child) != Kind::Comment)
    }

    /// What stands below `node`, each in the place of a statement or declaration.
    fn items(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |binder, child, builder| binder.item(child, scope, builder));
    }

    /// A declaration, a statement, a directive or an expression.
    fn item(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if node.start_byte() < self.read_until && node.end_byte() <= self.read_until {
            return;
        }
        match self.g.kind(node) {
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
                self.value(node, scope, Role::Read, builder);
            }
            _ => builder.deeper(node, |builder| self.item_inside(node, scope, builder)),
        }
    }

    fn item_inside(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        match self.g.kind(node) {
            Kind::FunctionDefinition => self.function(node, scope, builder),
            Kind::Declaration => self.declaration(node, scope, BindingKind::Variable, builder),
            Kind::TypeDefinition => self.type_definition(node, scope, builder),
            // A field outside of a type: the type around it is broken.
            Kind::FieldDeclaration => self.declaration(node, scope, BindingKind::Field, builder),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => self.lone_type(node, scope, builder),
            Kind::Enumerator => self.enumerator(node, scope, None, builder),
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.define(node, builder),
            Kind::PreprocInclude => self.include(node, builder),
            Kind::PreprocCall => self.directive(node, builder),
            Kind::CompoundStatement | Kind::ForStatement => {
                let inside = builder.scope(scope, ScopeKind::Block, node);
                self.items(node, inside, builder);
            }
            // Labels mean nothing but themselves.
            Kind::GotoStatement | Kind::BreakStatement | Kind::ContinueStatement => {}
            Kind::AttributeSpecifier | Kind::AttributeDeclaration => self.attributes(node, scope, builder),
            Kind::TypeQualifier | Kind::StorageClassSpecifier | Kind::MsDeclspecModifier => {}
            _ => {
                self.value(node, scope, Role::Read, builder);
            }
        }
    }

    /// `#define`.
    fn define(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        builder.bind(FILE_SCOPE, BindingKind::Macro, name);
        let mut parameters = Vec::new();
        if let Some(list) = self.field(node, self.g.parameters) {
            self.each(list, builder, |_, parameter, builder| parameters.push(builder.text(parameter)));
        }
        if let Some(body) = self.field(node, self.g.value) {
            let line = crate::names::line_of(body);
            let end = lexed::logical_line(builder.source.as_bytes(), body.start_byte());
            lexed::code(body.start_byte()..end, line, FILE_SCOPE, &parameters, builder);
            self.read_until = end;
        }
    }

    /// `#include`.
    fn include(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.field(node, self.g.path) else { return };
        match self.g.kind(path) {
            Kind::StringLiteral | Kind::SystemLibString => {
                lexed::include(builder.text(path), crate::names::line_of(node), builder);
            }
            _ => {
                self.value(path, FILE_SCOPE, Role::Read, builder);
            }
        }
    }

    /// A directive without a node of its own.
    fn directive(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(directive) = self.field(node, self.g.directive) else { return };
        let Some(argument) = self.field(node, self.g.argument) else { return };
        let line = crate::names::line_of(argument);
        match builder.text(directive).trim_start_matches(['#', ' ', '\t']) {
            "include_next" | "import" => lexed::include(builder.text(argument), line, builder),
            "pragma" | "error" | "warning" | "line" | "ident" => {}
            // `#undef`, and the conditions that the grammar does not take for such.
            _ => lexed::code(argument.byte_range(), line, FILE_SCOPE, &[], builder),
        }
    }

    /// `__attribute__((cleanup(free_it)))`: only the arguments of attributes can name something.
    fn attributes(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |binder, child, builder| {
            builder.deeper(child, |builder| match binder.g.kind(child) {
                Kind::CallExpression => {
                    let named = binder.field(child, binder.g.function).map_or("", |name| builder.text(name));
                    // `format(printf, 1, 2)` names a style.
                    if let Some(arguments) = binder.field(child, binder.g.arguments)
                        && !named.contains("format")
                    {
                        binder.items(arguments, scope, builder);
                    }
                }
                Kind::Identifier => {}
                _ => binder.attributes(child, scope, builder),
            });
        });
    }
}

/// The source that an include names, and whether it stands in `<…>`.
fn included(written: &str) -> Option<(&str, bool)> {
    let written = written.trim();
    if let Some(rest) = written.strip_prefix('<') {
        return rest.split('>').next().map(|path| (path.trim(), true));
    }
    let path = text::unquote(written.strip_prefix('L').unwrap_or(written));
    (path.len() < written.len()).then_some((path, false))
}

/// Notes an include.
fn link_include(source: &str, angled: bool, line: u32, builder: &mut NamesBuilder<'_>) {
    let source = builder.intern_made(source);
    let import = builder.link_at(ModuleImportKind::Include, source, FILE_SCOPE, line);
    let import = builder.import_mut(import);
    import.special = angled;
    // What is included stands here as if it were written here.
    import.glob = true;
}
