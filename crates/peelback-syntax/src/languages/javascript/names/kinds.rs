//! Enums for the node kinds and fields of the JavaScript and TypeScript grammars that the binder distinguishes. The
//! binder checks the kind of every node, so kinds are compared as numbers.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use tree_sitter::{Node, TreeCursor};

macro_rules! kinds {
    (nodes { $($($text:literal)|+ => $name:ident,)* } tokens { $($word:literal => $token:ident,)* }) => {
        /// The kind of a JavaScript or TypeScript syntax node, as far as the binder distinguishes it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            /// Any other node: it has no meaning of its own, but its children may have one.
            Other,
            /// A bracket or keyword without a meaning for the binder.
            Token,
            $($name,)*
            $($token,)*
        }

        impl Kind {
            fn from_grammar_name(text: &str, named: bool) -> Self {
                if named {
                    match text {
                        $($($text)|+ => Self::$name,)*
                        _ => Self::Other,
                    }
                } else {
                    match text {
                        $($word => Self::$token,)*
                        _ => Self::Token,
                    }
                }
            }
        }

        /// The grammar names of all node kinds above, which a test checks against the grammars.
        #[cfg(test)]
        #[allow(dead_code, reason = "a binder's tests are compiled only with its grammar")]
        pub(super) const NODE_KINDS: &[&str] = &[$($($text),+,)*];
    };
}

kinds! {
    nodes {
        // Node kinds that are names.
        "identifier" => Identifier,
        "property_identifier" | "private_property_identifier" => PropertyIdentifier,
        "shorthand_property_identifier" => ShorthandProperty,
        "shorthand_property_identifier_pattern" => ShorthandPattern,
        "type_identifier" => TypeIdentifier,
        "nested_identifier" => NestedIdentifier,
        "nested_type_identifier" => NestedTypeIdentifier,
        "computed_property_name" => ComputedName,
        "this" => This,
        "super" => Super,
        "import" => Import,
        "string" => String,
        "string_fragment" => StringFragment,
        // Node kinds that never contain a name.
        "number" | "regex" | "true" | "false" | "null" | "undefined" | "comment" | "html_comment" | "escape_sequence"
            | "meta_property" | "statement_identifier" | "jsx_text" | "html_character_reference" | "hash_bang_line"
            | "empty_statement" | "debugger_statement" | "jsx_namespace_name" | "break_statement"
            | "continue_statement" | "existential_type" | "optional_chain" => Leaf,
        // Node kinds that are statements.
        "program" => Program,
        "statement_block" => StatementBlock,
        "variable_declaration" => VarDeclaration,
        "lexical_declaration" | "using_declaration" => LexicalDeclaration,
        "variable_declarator" => Declarator,
        "function_declaration" | "generator_function_declaration" | "function_signature" => FunctionDeclaration,
        "class_declaration" | "abstract_class_declaration" => ClassDeclaration,
        "if_statement" => If,
        "for_statement" => For,
        "for_in_statement" => ForIn,
        "switch_body" => SwitchBody,
        "catch_clause" => Catch,
        "return_statement" => Return,
        "import_statement" => ImportStatement,
        "export_statement" => ExportStatement,
        "import_clause" => ImportClause,
        "import_require_clause" => ImportRequire,
        "named_imports" => NamedImports,
        "import_specifier" => ImportSpecifier,
        "namespace_import" => NamespaceImport,
        "import_attribute" => ImportAttribute,
        "export_clause" => ExportClause,
        "export_specifier" => ExportSpecifier,
        "namespace_export" => NamespaceExport,
        // Node kinds that are expressions.
        "member_expression" => Member,
        "subscript_expression" => Subscript,
        "parenthesized_expression" | "non_null_expression" => Transparent,
        "call_expression" => Call,
        "new_expression" => New,
        "arguments" => Arguments,
        "assignment_expression" => Assignment,
        "augmented_assignment_expression" => AugmentedAssignment,
        "update_expression" => Update,
        "binary_expression" => Binary,
        "ternary_expression" => Ternary,
        "sequence_expression" => Sequence,
        "await_expression" => Await,
        "yield_expression" => Yield,
        "unary_expression" => Unary,
        "spread_element" => Spread,
        "object" => Object,
        "array" => Array,
        "pair" => Pair,
        "template_string" => Template,
        "arrow_function" => Arrow,
        "function_expression" | "generator_function" => FunctionExpression,
        "class" => ClassExpression,
        "as_expression" => As,
        "satisfies_expression" => Satisfies,
        "type_assertion" => TypeAssertion,
        "instantiation_expression" => Instantiation,
        "decorator" => Decorator,
        "jsx_element" => JsxElement,
        "jsx_opening_element" | "jsx_self_closing_element" => JsxOpening,
        "jsx_closing_element" => JsxClosing,
        "jsx_attribute" => JsxAttribute,
        // Node kinds that are patterns, which destructure a value.
        "object_pattern" => ObjectPattern,
        "array_pattern" => ArrayPattern,
        "rest_pattern" => RestPattern,
        "pair_pattern" => PairPattern,
        "assignment_pattern" | "object_assignment_pattern" => AssignmentPattern,
        // Node kinds that are functions, their parameters or class members.
        "formal_parameters" => FormalParameters,
        "required_parameter" | "optional_parameter" => Parameter,
        "class_heritage" => ClassHeritage,
        "extends_clause" => ExtendsClause,
        "implements_clause" => ImplementsClause,
        "extends_type_clause" => ExtendsTypeClause,
        "class_body" => ClassBody,
        "class_static_block" => StaticBlock,
        "method_definition" | "method_signature" | "abstract_method_signature" => Method,
        "field_definition" | "public_field_definition" => ClassField,
        "accessibility_modifier" => Accessibility,
        "override_modifier" => Override,
        // Node kinds that are TypeScript types or declarations of types.
        "interface_declaration" => Interface,
        "type_alias_declaration" => TypeAlias,
        "enum_declaration" => Enum,
        "enum_body" => EnumBody,
        "enum_assignment" => EnumAssignment,
        "module" | "internal_module" => Module,
        "import_alias" => ImportAlias,
        "ambient_declaration" => Ambient,
        "type_parameters" => TypeParameters,
        "type_parameter" => TypeParameter,
        "type_arguments" => TypeArguments,
        "type_annotation" | "omitting_type_annotation" | "adding_type_annotation" | "opting_type_annotation"
            | "constraint" | "default_type" => TypeAnnotation,
        "asserts" | "asserts_annotation" | "type_predicate" | "type_predicate_annotation" => TypePredicate,
        "predefined_type" | "literal_type" => PredefinedType,
        "generic_type" => GenericType,
        "object_type" | "interface_body" => ObjectType,
        "array_type" => ArrayType,
        "tuple_type" => TupleType,
        "union_type" => UnionType,
        "intersection_type" => IntersectionType,
        "function_type" => FunctionType,
        "constructor_type" => ConstructorType,
        "type_query" => TypeQuery,
        "index_type_query" => KeyOf,
        "lookup_type" => LookupType,
        "conditional_type" => ConditionalType,
        "infer_type" => InferType,
        "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" | "flow_maybe_type" => WrappedType,
        "template_literal_type" | "template_type" => TemplateType,
        "this_type" => ThisType,
        "property_signature" => PropertySignature,
        "call_signature" => CallSignature,
        "construct_signature" => ConstructSignature,
        "index_signature" => IndexSignature,
        "mapped_type_clause" => MappedType,
    }
    tokens {
        "async" => AsyncToken,
        "static" => StaticToken,
        "static get" => StaticGetToken,
        "get" => GetToken,
        "set" => SetToken,
        "*" => StarToken,
        "=" => EqualsToken,
        "type" => TypeToken,
        "typeof" => TypeofToken,
        "default" => DefaultToken,
        "as" => AsToken,
        "readonly" => ReadonlyToken,
        "global" => GlobalToken,
        "const" => ConstToken,
        "let" => LetToken,
        "var" => VarToken,
        "using" => UsingToken,
        "of" => OfToken,
        "?." => ChainToken,
        "!" => NotToken,
        "&&" => AndToken,
        "||" => OrToken,
        "??" => NullishToken,
        "instanceof" => InstanceofToken,
    }
}

macro_rules! fields {
    ($($text:literal => $name:ident,)*) => {
        /// The field by which the grammar labels a child of a node, as far as the binder distinguishes it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Field {
            None,
            $($name,)*
        }

        impl Field {
            fn from_grammar_name(text: &str) -> Self {
                match text {
                    $($text => Self::$name,)*
                    _ => Self::None,
                }
            }
        }
    };
}

fields! {
    "alias" => Alias,
    "alternative" => Alternative,
    "arguments" => Arguments,
    "attribute" => Attribute,
    "body" => Body,
    "close_tag" => CloseTag,
    "condition" => Condition,
    "consequence" => Consequence,
    "constraint" => Constraint,
    "constructor" => Constructor,
    "declaration" => Declaration,
    "decorator" => Decorator,
    "function" => Function,
    "index" => Index,
    "key" => Key,
    "kind" => Kind,
    "left" => Left,
    "module" => Module,
    "name" => Name,
    "object" => Object,
    "operator" => Operator,
    "parameter" => Parameter,
    "parameters" => Parameters,
    "pattern" => Pattern,
    "property" => Property,
    "return_type" => ReturnType,
    "right" => Right,
    "source" => Source,
    "type" => Type,
    "type_arguments" => TypeArguments,
    "type_parameters" => TypeParameters,
    "value" => Value,
}

/// The binder's kinds and fields for one grammar, indexed by the grammar's numeric ids.
pub(super) struct GrammarIdTables {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
}

thread_local! {
    static TABLES: RefCell<HashMap<usize, Rc<GrammarIdTables>>> = RefCell::new(HashMap::default());
}

impl GrammarIdTables {
    /// The tables of kinds and fields for the grammar that parsed the tree of `root`.
    pub fn for_grammar_of_node(root: Node<'_>) -> Rc<Self> {
        let language = root.language();
        // A grammar is one static table, so its address identifies it.
        let key = (*language).clone().into_raw().addr();
        TABLES.with_borrow_mut(|known| {
            let make = || {
                let kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
                let fields = u16::try_from(language.field_count()).unwrap_or(u16::MAX - 1);
                let kind = |id| {
                    Kind::from_grammar_name(
                        language.node_kind_for_id(id).unwrap_or(""),
                        language.node_kind_is_named(id),
                    )
                };
                let field = |id| Field::from_grammar_name(language.field_name_for_id(id).unwrap_or(""));
                Rc::new(Self { kinds: (0..kinds).map(kind).collect(), fields: (0..=fields).map(field).collect() })
            };
            Rc::clone(known.entry(key).or_insert_with(make))
        })
    }

    /// The binder's kind of a syntax node. Error nodes have an id outside the grammar's range and get `Kind::Other`.
    pub fn kind_of_node(&self, node: Node<'_>) -> Kind {
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
    }

    /// The field that labels the node at the cursor in its parent.
    pub fn field_at_cursor(&self, cursor: &TreeCursor<'_>) -> Field {
        cursor.field_id().and_then(|id| self.fields.get(usize::from(id.get()))).copied().unwrap_or(Field::None)
    }
}
