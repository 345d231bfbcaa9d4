//! Enums and numeric ids for the node kinds and fields of the Rust grammar. Comparing kind names at every node would
//! take longer than all other work of the binder.

use std::num::NonZeroU16;
use std::sync::LazyLock;

use tree_sitter::{Language, Node};

macro_rules! kinds {
    ($($kind:ident = $name:literal $named:literal,)*) => {
        /// The kinds of Rust syntax nodes that the binder distinguishes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $(#[doc = $name] $kind,)*
            /// Any node kind that the binder does not distinguish.
            Other,
        }

        #[cfg(test)]
        const ALL: &[(Kind, &str, bool)] = &[$((Kind::$kind, $name, $named),)*];

        fn kind_from_grammar_name(name: &str, is_named: bool) -> Kind {
            match (name, is_named) {
                $(($name, $named) => Kind::$kind,)*
                // Contextual keywords, which are also valid names: inside macros the grammar does not distinguish the
                // two.
                ("default" | "gen" | "union", false) => Kind::Identifier,
                _ => Kind::Other,
            }
        }
    };
}

kinds! {
    LineComment = "line_comment" true,
    BlockComment = "block_comment" true,
    Error = "ERROR" true,
    // Node kinds that are names.
    Identifier = "identifier" true,
    TypeIdentifier = "type_identifier" true,
    FieldIdentifier = "field_identifier" true,
    ShorthandField = "shorthand_field_identifier" true,
    SelfWord = "self" true,
    Super = "super" true,
    Crate = "crate" true,
    Metavariable = "metavariable" true,
    Lifetime = "lifetime" true,
    Label = "label" true,
    ScopedIdentifier = "scoped_identifier" true,
    ScopedType = "scoped_type_identifier" true,
    // Node kinds that are items, or parts of items.
    Attribute = "attribute_item" true,
    InnerAttribute = "inner_attribute_item" true,
    Visibility = "visibility_modifier" true,
    Function = "function_item" true,
    Signature = "function_signature_item" true,
    FunctionModifiers = "function_modifiers" true,
    Parameters = "parameters" true,
    Parameter = "parameter" true,
    SelfParameter = "self_parameter" true,
    VariadicParameter = "variadic_parameter" true,
    Struct = "struct_item" true,
    Union = "union_item" true,
    Enum = "enum_item" true,
    EnumVariants = "enum_variant_list" true,
    EnumVariant = "enum_variant" true,
    Fields = "field_declaration_list" true,
    Field = "field_declaration" true,
    OrderedFields = "ordered_field_declaration_list" true,
    Trait = "trait_item" true,
    Impl = "impl_item" true,
    TypeAlias = "type_item" true,
    AssociatedType = "associated_type" true,
    Const = "const_item" true,
    Static = "static_item" true,
    Mod = "mod_item" true,
    ForeignMod = "foreign_mod_item" true,
    Declarations = "declaration_list" true,
    Use = "use_declaration" true,
    UseList = "use_list" true,
    ScopedUseList = "scoped_use_list" true,
    UseAs = "use_as_clause" true,
    UseWildcard = "use_wildcard" true,
    ExternCrate = "extern_crate_declaration" true,
    MacroDefinition = "macro_definition" true,
    MacroRule = "macro_rule" true,
    TokenBindingPattern = "token_binding_pattern" true,
    TokenRepetitionPattern = "token_repetition_pattern" true,
    MacroInvocation = "macro_invocation" true,
    TokenTree = "token_tree" true,
    TokenRepetition = "token_repetition" true,
    // Node kinds that are generic parameters or types.
    TypeParameters = "type_parameters" true,
    TypeParameter = "type_parameter" true,
    ConstParameter = "const_parameter" true,
    LifetimeParameter = "lifetime_parameter" true,
    Where = "where_clause" true,
    WherePredicate = "where_predicate" true,
    Bounds = "trait_bounds" true,
    HigherRanked = "higher_ranked_trait_bound" true,
    RemovedBound = "removed_trait_bound" true,
    TypeArguments = "type_arguments" true,
    TypeBinding = "type_binding" true,
    PrimitiveType = "primitive_type" true,
    GenericType = "generic_type" true,
    TurbofishType = "generic_type_with_turbofish" true,
    BracketedType = "bracketed_type" true,
    QualifiedType = "qualified_type" true,
    ReferenceType = "reference_type" true,
    PointerType = "pointer_type" true,
    ArrayType = "array_type" true,
    TupleType = "tuple_type" true,
    UnitType = "unit_type" true,
    NeverType = "never_type" true,
    FunctionType = "function_type" true,
    AbstractType = "abstract_type" true,
    DynamicType = "dynamic_type" true,
    BoundedType = "bounded_type" true,
    UseBounds = "use_bounds" true,
    ForLifetimes = "for_lifetimes" true,
    // Node kinds that are statements or expressions.
    Block = "block" true,
    Statement = "expression_statement" true,
    EmptyStatement = "empty_statement" true,
    Let = "let_declaration" true,
    Call = "call_expression" true,
    GenericFunction = "generic_function" true,
    Arguments = "arguments" true,
    FieldAccess = "field_expression" true,
    MethodAwait = "await_expression" true,
    Try = "try_expression" true,
    Index = "index_expression" true,
    Range = "range_expression" true,
    Unary = "unary_expression" true,
    Reference = "reference_expression" true,
    Binary = "binary_expression" true,
    Assignment = "assignment_expression" true,
    CompoundAssignment = "compound_assignment_expr" true,
    Cast = "type_cast_expression" true,
    Return = "return_expression" true,
    Parenthesized = "parenthesized_expression" true,
    Tuple = "tuple_expression" true,
    Array = "array_expression" true,
    StructLiteral = "struct_expression" true,
    FieldInitializers = "field_initializer_list" true,
    FieldInitializer = "field_initializer" true,
    ShorthandInitializer = "shorthand_field_initializer" true,
    BaseInitializer = "base_field_initializer" true,
    If = "if_expression" true,
    Else = "else_clause" true,
    LetCondition = "let_condition" true,
    LetChain = "let_chain" true,
    Match = "match_expression" true,
    MatchArm = "match_arm" true,
    MatchPattern = "match_pattern" true,
    While = "while_expression" true,
    Loop = "loop_expression" true,
    For = "for_expression" true,
    Closure = "closure_expression" true,
    ClosureParameters = "closure_parameters" true,
    UnsafeBlock = "unsafe_block" true,
    ConstBlock = "const_block" true,
    AsyncBlock = "async_block" true,
    GenBlock = "gen_block" true,
    TryBlock = "try_block" true,
    // Node kinds that are literals.
    Integer = "integer_literal" true,
    Float = "float_literal" true,
    String = "string_literal" true,
    RawString = "raw_string_literal" true,
    Char = "char_literal" true,
    Boolean = "boolean_literal" true,
    Negative = "negative_literal" true,
    // Node kinds that are patterns, which destructure a value.
    GenericPattern = "generic_pattern" true,
    TuplePattern = "tuple_pattern" true,
    TupleStructPattern = "tuple_struct_pattern" true,
    StructPattern = "struct_pattern" true,
    FieldPattern = "field_pattern" true,
    RemainingFields = "remaining_field_pattern" true,
    MutPattern = "mut_pattern" true,
    RefPattern = "ref_pattern" true,
    SlicePattern = "slice_pattern" true,
    CapturedPattern = "captured_pattern" true,
    ReferencePattern = "reference_pattern" true,
    RangePattern = "range_pattern" true,
    OrPattern = "or_pattern" true,
    // Keywords and punctuation, which appear as separate tokens inside macros.
    Mutable = "mutable_specifier" true,
    Dot = "." false,
    Colons = "::" false,
    Colon = ":" false,
    Comma = "," false,
    Semicolon = ";" false,
    Bang = "!" false,
    Question = "?" false,
    Hash = "#" false,
    And = "&" false,
    Star = "*" false,
    Bar = "|" false,
    Bars = "||" false,
    Less = "<" false,
    Greater = ">" false,
    Shift = ">>" false,
    Equals = "=" false,
    Arrow = "->" false,
    FatArrow = "=>" false,
    DotDot = ".." false,
    Quote = "'" false,
    Dollar = "$" false,
    OpenParen = "(" false,
    OpenBracket = "[" false,
    OpenBrace = "{" false,
    CloseParen = ")" false,
    CloseBracket = "]" false,
    CloseBrace = "}" false,
    AwaitWord = "await" false,
    LetWord = "let" false,
    ForWord = "for" false,
    MatchWord = "match" false,
    FnWord = "fn" false,
    StructWord = "struct" false,
    EnumWord = "enum" false,
    TraitWord = "trait" false,
    TypeWord = "type" false,
    StaticWord = "static" false,
    ConstWord = "const" false,
    ModWord = "mod" false,
    UseWord = "use" false,
    ImplWord = "impl" false,
    AsyncWord = "async" false,
    AsWord = "as" false,
    PubWord = "pub" false,
    IfWord = "if" false,
    WhileWord = "while" false,
    WhereWord = "where" false,
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let Some(language) = rust_grammar() else { return Vec::new() };
    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    (0..count)
        .map(|id| kind_from_grammar_name(language.node_kind_for_id(id).unwrap_or(""), language.node_kind_is_named(id)))
        .collect()
});

fn rust_grammar() -> Option<Language> {
    super::super::grammar::GRAMMAR.map(Language::new)
}

/// The binder's kind of the syntax node `node`.
pub(super) fn kind_of_node(node: Node<'_>) -> Kind {
    if node.is_error() {
        return Kind::Error;
    }
    KINDS.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
}

macro_rules! fields {
    ($($field:ident = $name:literal,)*) => {
        /// The numeric ids of the grammar's fields that the binder reads.
        pub(super) struct Fields {
            $(#[doc = $name] pub $field: Field,)*
        }

        pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
            let language = rust_grammar();
            Fields { $($field: Field(language.as_ref().and_then(|language| language.field_id_for_name($name))),)* }
        });

        #[cfg(test)]
        const FIELD_NAMES: &[&str] = &[$($name,)*];
    };
}

fields! {
    alias = "alias",
    alternative = "alternative",
    argument = "argument",
    arguments = "arguments",
    body = "body",
    bounds = "bounds",
    condition = "condition",
    consequence = "consequence",
    default_type = "default_type",
    element = "element",
    field = "field",
    function = "function",
    left = "left",
    length = "length",
    list = "list",
    macro_name = "macro",
    name = "name",
    parameters = "parameters",
    path = "path",
    pattern = "pattern",
    return_type = "return_type",
    right = "right",
    of_trait = "trait",
    of_type = "type",
    type_arguments = "type_arguments",
    type_parameters = "type_parameters",
    value = "value",
}

/// The numeric id of one field of the grammar; empty if the grammar has no such field.
#[derive(Clone, Copy)]
pub(super) struct Field(Option<NonZeroU16>);

impl Field {
    /// The child of `node` that the grammar labels with this field.
    pub fn child_of<'t>(self, node: Node<'t>) -> Option<Node<'t>> {
        self.0.and_then(|id| node.child_by_field_id(id.get()))
    }
}

/// Whether a node is a line comment or a block comment.
pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(kind_of_node(node), Kind::LineComment | Kind::BlockComment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_field_exists_in_the_grammar() {
        let Some(language) = rust_grammar() else { return };
        for (_, name, is_named) in ALL.iter().filter(|(kind, ..)| *kind != Kind::Error) {
            assert!(language.id_for_node_kind(name, *is_named) != 0, "{name}");
        }
        for name in FIELD_NAMES {
            assert!(language.field_id_for_name(name).is_some(), "{name}");
        }
    }
}
