//! The interface between the walk over a syntax tree and a language: a frontend reads the meaning of a grammar's nodes.

use tree_sitter::Node;

use crate::names::NamesBuilder;
use crate::outline::OutlineBuilder;

/// The next step of the walk after a frontend has read a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkStep {
    /// Visit the node's children next.
    Descend,
    /// Visit the node's children next; comments and attributes above the node belong to its first child.
    DescendKeepingAttachments,
    /// Skip the node's children: continue with the next sibling.
    Skip,
}

/// One language's reader of its grammar's nodes.
pub(crate) trait Frontend: Sync {
    /// The text to parse instead of `source`, with the same length and the same lines, or `None` where the grammar can
    /// read `source` as written. The walk always reads names and signatures from `source`.
    fn prepare_source(&self, _source: &str) -> Option<String> {
        None
    }

    /// Reads a named node: adds its definitions, imports and folds to `builder`, and returns the next step of the walk.
    fn enter_node<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep;

    /// The role of nodes of this kind as an attachment (comment or decorator) of the definition below, or `None` for
    /// any other node.
    fn attachment_of_node_kind(&self, kind: &str) -> Option<Attachment>;

    /// The text of a doc comment without its marks, or `None` for an ordinary comment.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str>;

    /// Whether a doc comment must be directly above its definition, without a blank line.
    fn should_doc_touch_definition(&self) -> bool {
        true
    }

    /// Whether [`Frontend::enter`] does nothing at nodes of this kind but visit their children. An optimisation: the
    /// walk does not call the frontend at the most frequent kinds of nodes.
    fn is_transparent_node_kind(&self, _kind: &str) -> bool {
        false
    }

    /// Collects scopes, bindings and identifiers of the tree below `root`. Returns `false` where the language has no
    /// binder; then only the identifiers are recorded.
    fn bind_names(&self, _root: Node<'_>, _builder: &mut NamesBuilder<'_>) -> bool {
        false
    }

    /// Called after the last node of the tree: adds exports that depend on the whole file.
    fn finish_exports(&self, _builder: &mut OutlineBuilder<'_, '_>) {}

    /// The names of all node kinds that the frontend uses; a test compares them with the grammar.
    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str>;
}

/// The role of a node above a definition that belongs to the definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// A comment above a definition; [`Frontend::doc`] decides whether it is documentation.
    Comment,
    /// A decorator or attribute above a definition.
    Decorator,
}
