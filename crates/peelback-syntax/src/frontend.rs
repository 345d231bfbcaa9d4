//! The interface between the outline's walk and a language: what a grammar's nodes mean.

use tree_sitter::Node;

use crate::names::NamesBuilder;
use crate::outline::OutlineBuilder;

/// What the walk does after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Visit the node's children.
    Descend,
    /// Visit the children; comments and attributes above this node belong to its first child.
    DescendKeeping,
    /// Skip the node's children.
    Skip,
}

/// One language's knowledge of its grammar.
pub(crate) trait Frontend: Sync {
    /// The text to parse in place of `source`, where the grammar cannot read it as written: of the same length and with
    /// the same lines. The walk reads names and signatures from `source` all the same.
    fn prepare(&self, _source: &str) -> Option<String> {
        None
    }

    /// Reads `node` (always a named one): adds definitions, imports and folds to `builder`.
    fn enter<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Next;

    /// Whether nodes of this kind are comments or decorators, which belong to the definition below.
    fn attachment(&self, kind: &str) -> Option<Attachment>;

    /// What a comment says, without its marks, if it is documentation. `None`: an ordinary comment.
    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str>;

    /// Whether a doc comment must be directly above its definition, without a blank line.
    fn doc_must_touch(&self) -> bool {
        true
    }

    /// Whether [`Frontend::enter`] does nothing at nodes of this kind but visit their children. Naming the commonest such
    /// kinds saves asking at most nodes.
    fn is_transparent(&self, _kind: &str) -> bool {
        false
    }

    /// Reads the tree below `root` for what its names mean; `false` where the language has no binder and its
    /// identifiers alone must do.
    fn bind(&self, _root: Node<'_>, _builder: &mut NamesBuilder<'_>) -> bool {
        false
    }

    /// Called after the last node: adds exports that need the whole file.
    fn finish(&self, _builder: &mut OutlineBuilder<'_, '_>) {}

    /// The kinds of nodes that the frontend names, which a test compares with the grammar.
    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str>;
}

/// A node above a definition that belongs to the definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attachment {
    /// A comment; [`Frontend::doc`] decides whether it is documentation.
    Comment,
    /// A decorator or attribute.
    Decorator,
}
