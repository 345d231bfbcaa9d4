//! Enums for the node kinds and fields of the Python grammar. Comparing kind names at every node would take as long as
//! all other work of the binder.

use std::sync::OnceLock;

use tree_sitter::{Language, Node};

use super::super::grammar::GRAMMAR;

macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $(#[doc = $text] $variant,)*
            /// Any kind or field of the grammar that the binder does not distinguish.
            Other,
        }

        impl $name {
            fn from_grammar_name(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::Other,
                }
            }

            /// Every name of the grammar that the enum covers.
            #[cfg(test)]
            pub fn grammar_names() -> Vec<&'static str> {
                vec![$($text),*]
            }
        }
    };
}

table! {
    /// The kinds of the grammar's named nodes that the binder distinguishes.
    Kind {
        AliasedImport = "aliased_import",
        ArgumentList = "argument_list",
        AsPattern = "as_pattern",
        AsPatternTarget = "as_pattern_target",
        AssertStatement = "assert_statement",
        Assignment = "assignment",
        Attribute = "attribute",
        AugmentedAssignment = "augmented_assignment",
        Await = "await",
        BinaryOperator = "binary_operator",
        Block = "block",
        BooleanOperator = "boolean_operator",
        Call = "call",
        CaseClause = "case_clause",
        CasePattern = "case_pattern",
        ClassDefinition = "class_definition",
        ClassPattern = "class_pattern",
        Comment = "comment",
        ConcatenatedString = "concatenated_string",
        ConditionalExpression = "conditional_expression",
        ConstrainedType = "constrained_type",
        DecoratedDefinition = "decorated_definition",
        Decorator = "decorator",
        DefaultParameter = "default_parameter",
        DeleteStatement = "delete_statement",
        Dictionary = "dictionary",
        DictionaryComprehension = "dictionary_comprehension",
        DictionarySplat = "dictionary_splat",
        DictionarySplatPattern = "dictionary_splat_pattern",
        DictPattern = "dict_pattern",
        DottedName = "dotted_name",
        ElifClause = "elif_clause",
        ElseClause = "else_clause",
        Ellipsis = "ellipsis",
        ExceptClause = "except_clause",
        ExpressionList = "expression_list",
        ExpressionStatement = "expression_statement",
        False = "false",
        FinallyClause = "finally_clause",
        Float = "float",
        ForInClause = "for_in_clause",
        ForStatement = "for_statement",
        FunctionDefinition = "function_definition",
        FutureImportStatement = "future_import_statement",
        GeneratorExpression = "generator_expression",
        GenericType = "generic_type",
        GlobalStatement = "global_statement",
        Identifier = "identifier",
        IfClause = "if_clause",
        IfStatement = "if_statement",
        ImportFromStatement = "import_from_statement",
        ImportStatement = "import_statement",
        Integer = "integer",
        KeywordArgument = "keyword_argument",
        KeywordPattern = "keyword_pattern",
        Lambda = "lambda",
        LineContinuation = "line_continuation",
        List = "list",
        ListComprehension = "list_comprehension",
        ListPattern = "list_pattern",
        ListSplat = "list_splat",
        ListSplatPattern = "list_splat_pattern",
        MatchStatement = "match_statement",
        MemberType = "member_type",
        NamedExpression = "named_expression",
        None = "none",
        NonlocalStatement = "nonlocal_statement",
        NotOperator = "not_operator",
        Pair = "pair",
        ParenthesizedExpression = "parenthesized_expression",
        PatternList = "pattern_list",
        RaiseStatement = "raise_statement",
        ReturnStatement = "return_statement",
        Set = "set",
        SetComprehension = "set_comprehension",
        Slice = "slice",
        SplatPattern = "splat_pattern",
        SplatType = "splat_type",
        String = "string",
        StringContent = "string_content",
        Subscript = "subscript",
        True = "true",
        TryStatement = "try_statement",
        Tuple = "tuple",
        TuplePattern = "tuple_pattern",
        Type = "type",
        TypeAliasStatement = "type_alias_statement",
        TypeParameter = "type_parameter",
        TypedDefaultParameter = "typed_default_parameter",
        TypedParameter = "typed_parameter",
        UnionPattern = "union_pattern",
        UnionType = "union_type",
        WhileStatement = "while_statement",
        WildcardImport = "wildcard_import",
        WithItem = "with_item",
        WithStatement = "with_statement",
        Yield = "yield",
    }
}

table! {
    /// The field by which the grammar labels a child of a node, as far as the binder distinguishes it.
    Field {
        Alias = "alias",
        Arguments = "arguments",
        Attribute = "attribute",
        Body = "body",
        Condition = "condition",
        Definition = "definition",
        Function = "function",
        Left = "left",
        ModuleName = "module_name",
        Name = "name",
        Object = "object",
        Operator = "operator",
        Parameters = "parameters",
        ReturnType = "return_type",
        Right = "right",
        Subject = "subject",
        Subscript = "subscript",
        Superclasses = "superclasses",
        Type = "type",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The binder's kinds and fields for the Python grammar, indexed by the grammar's numeric ids.
pub(super) struct GrammarIdTables {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

impl GrammarIdTables {
    pub fn shared_tables() -> &'static Self {
        static TABLES: OnceLock<GrammarIdTables> = OnceLock::new();
        TABLES.get_or_init(|| {
            let Some(language) = GRAMMAR.map(Language::new) else {
                return Self { kinds: Vec::new(), fields: Vec::new() };
            };
            let kind = |id: u16| match language.node_kind_for_id(id) {
                Some(text) if language.node_kind_is_named(id) => Kind::from_grammar_name(text),
                _ => Kind::Other,
            };
            let field = |id: u16| language.field_name_for_id(id).map_or(Field::Other, Field::from_grammar_name);
            Self {
                kinds: (0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX)).map(kind).collect(),
                fields: (0..=u16::try_from(language.field_count()).unwrap_or(u16::MAX)).map(field).collect(),
            }
        })
    }

    pub fn kind_of_node(&self, node: Node<'_>) -> Kind {
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
    }

    pub fn field_by_id(&self, id: Option<u16>) -> Field {
        id.and_then(|id| self.fields.get(usize::from(id))).copied().unwrap_or(Field::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_field_exists_in_the_grammar() {
        let Some(language) = GRAMMAR.map(Language::new) else { return };
        for kind in Kind::grammar_names() {
            assert_ne!(language.id_for_node_kind(kind, true), 0, "{kind}");
        }
        for field in Field::grammar_names() {
            assert!(language.field_id_for_name(field).is_some(), "{field}");
        }
    }
}
