//! Numeric ids for the node kinds and fields of a grammar. A binder looks at every node, and comparing numbers takes a
//! fraction of the time of comparing names.

use tree_sitter::{Node, TreeCursor};

/// Defines an enum `Kind` of the node kinds that a binder distinguishes, and a struct `Grammar` with the ids of kinds
/// and fields.
macro_rules! grammar {
    (
        $language:expr;
        kinds { $($kind:ident = $text:literal),* $(,)? }
        fields { $($field:ident),* $(,)? }
    ) => {
        /// The kinds of syntax nodes that the binder distinguishes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Kind {
            $($kind,)*
            /// A node for a region that the parser did not understand.
            Error,
            /// Any node kind that the binder does not distinguish.
            Other,
        }

        /// The numeric ids of a grammar's node kinds and fields.
        pub(super) struct Grammar {
            kinds: Vec<Kind>,
            $(pub $field: u16,)*
        }

        impl Grammar {
            pub fn shared_instance() -> &'static Self {
                static GRAMMAR: std::sync::OnceLock<Grammar> = std::sync::OnceLock::new();
                GRAMMAR.get_or_init(|| {
                    let language: Option<tree_sitter::Language> = $language.map(tree_sitter::Language::from);
                    let Some(language) = language else {
                        return Grammar { kinds: Vec::new(), $($field: 0,)* };
                    };
                    let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
                    let kind = |id: u16| match language.node_kind_for_id(id) {
                        $(Some($text) => Kind::$kind,)*
                        _ => Kind::Other,
                    };
                    let kinds = (0..count).map(kind).collect();
                    let field = |name: &str| {
                        language.field_id_for_name(name.trim_start_matches("r#")).map_or(0, std::num::NonZeroU16::get)
                    };
                    Grammar { kinds, $($field: field(stringify!($field)),)* }
                })
            }

            /// The kind of a syntax node, as far as the binder distinguishes it.
            pub fn kind_of_node(&self, node: tree_sitter::Node<'_>) -> Kind {
                self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Error)
            }

            /// Names of node kinds and fields that the binder uses and the grammar does not have; a test expects none.
            #[cfg(test)]
            #[allow(dead_code, reason = "a binder's tests are compiled only with its grammar")]
            pub fn unknown() -> Vec<&'static str> {
                let language: Option<tree_sitter::Language> = $language.map(tree_sitter::Language::from);
                let Some(language) = language else { return Vec::new() };
                let known: std::collections::HashSet<&str> =
                    (0..).take(language.node_kind_count()).filter_map(|id| language.node_kind_for_id(id)).collect();
                let kinds = [$($text),*].into_iter().filter(|text| !known.contains(text));
                let fields = [$(stringify!($field).trim_start_matches("r#")),*].into_iter();
                kinds.chain(fields.filter(|name| language.field_id_for_name(name).is_none())).collect()
            }
        }
    };
}

pub(crate) use grammar;

/// A pool of tree cursors for reuse, because a new cursor for each node with children would need an allocation.
pub(crate) struct CursorPool<'t>(Vec<TreeCursor<'t>>);

impl<'t> CursorPool<'t> {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes a tree cursor from the pool, or creates one, and moves it to `node`.
    pub fn take_cursor(&mut self, node: Node<'t>) -> TreeCursor<'t> {
        match self.0.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        }
    }

    /// Returns a tree cursor to the pool of cursors for reuse.
    pub fn return_cursor(&mut self, cursor: TreeCursor<'t>) {
        self.0.push(cursor);
    }
}
