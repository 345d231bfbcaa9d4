//! The walk over a syntax tree that builds a file's outline.
//!
//! The walk visits each node once, without recursion (source can nest arbitrarily deep), and calls the language's
//! [`LanguageFrontend`] at named nodes. The frontend knows what a node defines; the [`OutlineBuilder`] stores nesting,
//! qualified names, comments and attributes above definitions, and folds.

use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use tree_sitter::{Node, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Facts, ParseCoverage};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::syntax_errors;

/// What the walk over a syntax tree does at nodes of one kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeRole {
    /// A bracket or a keyword: the walk goes on with the node's children.
    Token,
    /// A comment or decorator, which belongs to the definition below it.
    Attachment(Attachment),
    /// A named node that has no meaning for the frontend: the walk goes on with its children.
    Transparent,
    /// A node that the walk passes to the frontend.
    PassedToFrontend,
}

/// The role of each node kind of a grammar in the walk, indexed by the kind's id. The names of kinds are compared once
/// for each grammar, not at every node.
#[derive(Clone)]
struct NodeRoles(Rc<[NodeRole]>);

thread_local! {
    /// A cache of the node roles for each grammar, by the address of the function that returns the grammar.
    static ROLES: RefCell<HashMap<usize, NodeRoles>> = RefCell::new(HashMap::default());
}

impl NodeRoles {
    fn for_grammar(tree: &Tree, frontend: &dyn LanguageFrontend, grammar: LanguageFn) -> Self {
        ROLES.with_borrow_mut(|known| {
            let key = grammar.into_raw() as usize;
            let make = || {
                let language = tree.language();
                let kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
                let role = |id: u16| match language.node_kind_for_id(id) {
                    Some(_) if !language.node_kind_is_named(id) => NodeRole::Token,
                    Some(kind) => match frontend.comment_or_decorator_role_of_kind(kind) {
                        Some(attachment) => NodeRole::Attachment(attachment),
                        None if frontend.is_descend_only_node_kind(kind) => NodeRole::Transparent,
                        None => NodeRole::PassedToFrontend,
                    },
                    None => NodeRole::PassedToFrontend,
                };
                Self((0..kinds).map(role).collect())
            };
            known.entry(key).or_insert_with(make).clone()
        })
    }

    fn role_of_node(&self, node: Node<'_>) -> NodeRole {
        // Error nodes have an id beyond the ids of the grammar; they are passed to the frontend.
        self.0.get(usize::from(node.kind_id())).copied().unwrap_or(NodeRole::PassedToFrontend)
    }
}

/// Returns the facts of a file, read from the syntax tree that `grammar` parsed.
pub(crate) fn read_facts_from_tree(
    tree: &Tree,
    source: &str,
    frontend: &dyn LanguageFrontend,
    grammar: LanguageFn,
) -> Facts {
    let mut builder = OutlineBuilder::new(source, frontend, grammar);
    visit_tree(tree, &mut builder);
    frontend.add_exports_known_at_file_end(&mut builder);
    builder.into_facts(if tree.root_node().has_error() {
        syntax_errors::parse_coverage_of_tree(tree)
    } else {
        ParseCoverage::Whole
    })
}

/// Visits every node of a syntax tree, parents before children, and lets the frontend add what it finds to the outline.
pub(crate) fn visit_tree<'t>(tree: &'t Tree, builder: &mut OutlineBuilder<'t, '_>) {
    let frontend = builder.frontend();
    let mut cursor = tree.walk();
    let roles = NodeRoles::for_grammar(tree, frontend, builder.grammar());
    'walk: loop {
        let node = cursor.node();
        let next = match roles.role_of_node(node) {
            NodeRole::Token => WalkStep::Descend,
            NodeRole::Attachment(role) => {
                builder.store_comment_or_decorator(node, role);
                WalkStep::Skip
            }
            NodeRole::Transparent => {
                builder.discard_stored_comments_and_decorators();
                WalkStep::Descend
            }
            NodeRole::PassedToFrontend => {
                let next = frontend.add_node_to_outline(node, builder);
                if next != WalkStep::DescendKeepingAttachments {
                    builder.discard_stored_comments_and_decorators();
                }
                next
            }
        };
        if next != WalkStep::Skip && cursor.goto_first_child() {
            builder.move_to_first_child(node, next == WalkStep::DescendKeepingAttachments);
            continue;
        }
        loop {
            builder.close_finished_scopes();
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'walk;
            }
            builder.move_to_parent_node();
        }
    }
}
