//! Records the names that Rust attributes use.

use tree_sitter::Node;

use super::Binder;
use super::kinds::{FIELDS, Kind, is_comment, kind_of_node};
use crate::names::{NamesBuilder, Role, ScopeId};

/// The names of attributes that the Rust language and its compiler define.
const BUILT_IN_ATTRIBUTES: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "export_name",
    "feature",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "must_use",
    "no_main",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "panic_handler",
    "path",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "recursion_limit",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "unsafe",
    "used",
    "warn",
    "windows_subsystem",
];

impl Binder {
    /// Records the names that an attribute uses: `#[derive(A)]`, `#[a::b]`. Built-in attributes use no names.
    pub fn record_attribute_names(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(attribute) = node.named_child(0) else { return };
        let Some(path) = attribute.named_child(0) else { return };
        match (kind_of_node(path), builder.text_of_node(path)) {
            (Kind::Identifier, "derive") => {
                if let Some(arguments) = FIELDS.arguments.child_of(attribute) {
                    self.record_derive_macro_uses(builder, arguments, scope);
                }
            }
            (Kind::Identifier, "cfg_attr") => {
                let Some(arguments) = FIELDS.arguments.child_of(attribute) else { return };
                let mut cursor = arguments.walk();
                let mut after_derive = false;
                for child in arguments.named_children(&mut cursor) {
                    if after_derive && kind_of_node(child) == Kind::TokenTree {
                        self.record_derive_macro_uses(builder, child, scope);
                    }
                    after_derive = builder.text_of_node(child) == "derive";
                }
            }
            (Kind::Identifier, text) if BUILT_IN_ATTRIBUTES.contains(&text) => {}
            (Kind::Identifier, _) => {
                let module = self.module;
                builder.record_name_use(path, module, Role::Decorator);
            }
            (Kind::ScopedIdentifier, _) => {
                self.path_expr(builder, path, scope, Role::Decorator);
            }
            _ => {}
        }
    }

    /// Records uses of the macros in the attribute `derive(…)`.
    fn record_derive_macro_uses(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        let mut cursor = tree.walk();
        let mut base = None;
        let mut children = tree.children(&mut cursor).peekable();
        while let Some(child) = children.next() {
            match kind_of_node(child) {
                Kind::Identifier => {
                    let goes_on = children.peek().is_some_and(|next| kind_of_node(*next) == Kind::Colons);
                    base = Some(match base {
                        Some(base) => {
                            builder.record_member_use(base, child, if goes_on { Role::Read } else { Role::Decorator })
                        }
                        None if goes_on => {
                            let module = self.module;
                            builder.record_name_use(child, module, Role::Read)
                        }
                        None => builder.record_name_use(child, scope, Role::Decorator),
                    });
                }
                Kind::Colons => {}
                _ if is_comment(child) => {}
                _ => base = None,
            }
        }
    }
}
