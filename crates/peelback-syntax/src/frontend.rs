//! The interface between the walk over a syntax tree and a language. The language's frontend reads definitions, imports
//! and exports from the nodes of its grammar.

use tree_sitter::Node;

use crate::names::NamesBuilder;
use crate::outline::OutlineBuilder;

/// The next step of the walk over a syntax tree, after a language's frontend has read a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    /// Visit the node's children next.
    Descend,
    /// Visit the node's children next; comments and attributes above the node belong to its first child.
    DescendKeepingAttachments,
    /// Skip the node's children: continue with the next sibling.
    Skip,
}

/// One language's reader of syntax nodes. During the walk over a file's syntax tree, it adds what each node defines to
/// the file's outline.
pub(crate) trait LanguageFrontend: Sync {
    /// The text to parse instead of `source`, with the same length and the same lines, or `None` where the grammar can
    /// read `source` as written. The walk always reads names and signatures from `source`.
    fn prepare_source(&self, _source: &str) -> Option<String> {
        None
    }

    /// Whether what [`Self::prepare_source`] leaves out of the text is code, which an analysis then lacks, and no markup.
    fn is_left_out_source_code(&self) -> bool {
        true
    }

    /// Reads a named node: adds its definitions, imports and folds to `builder`, and returns the next step of the walk.
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep;

    /// The role of nodes of this kind above a definition, comment or decorator, or `None` for nodes that are neither.
    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment>;

    /// The text of a doc comment without its marks, or `None` for an ordinary comment.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str>;

    /// Whether a doc comment must be directly above its definition, without a blank line.
    fn should_doc_comment_touch_definition(&self) -> bool {
        true
    }

    /// Whether the frontend adds nothing at nodes of this kind, and the walk just visits their children. An
    /// optimisation: the walk does not call the frontend at the most frequent kinds of nodes.
    fn is_descend_only_node_kind(&self, _kind: &str) -> bool {
        false
    }

    /// Collects scopes, bindings and identifiers of the tree below `root`. Returns `false` where the language has no
    /// binder; then only the identifiers are recorded.
    fn bind_names(&self, _root: Node<'_>, _builder: &mut NamesBuilder<'_>) -> bool {
        false
    }

    /// Adds the exports that depend on the whole file. Called after the last node of the tree.
    fn add_exports_known_at_file_end(&self, _builder: &mut OutlineBuilder<'_, '_>) {}

    /// The names of all node kinds of the grammar that the frontend uses. A test checks that the grammar has them.
    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str>;
}

/// The role of a node above a definition that belongs to the definition: comment or decorator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// A comment above a definition; [`LanguageFrontend::doc_comment_text`] decides whether the comment is documentation.
    Comment,
    /// A decorator or attribute above a definition.
    Decorator,
}
