//! Name binding for Python imports, and reading of `__all__`.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{
    BindingKind, Expr, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, Role, Target,
};

impl<'t> Binder<'t> {
    fn import_kind_in_current_block(&self) -> ModuleImportKind {
        if self.type_checking { ModuleImportKind::TypeImport } else { ModuleImportKind::Import }
    }

    /// Binds the names of the import statement `import a.b, c as d`.
    pub(super) fn bind_plain_import_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            let (module, alias) = binder.imported_name_and_alias_nodes(child.node);
            let Some(module) = module else { return };
            let Some(last) = binder.last_name_of_dotted_name(module) else { return };
            let source = dotted_module_name(builder, module);
            let kind = binder.import_kind_in_current_block();
            match alias {
                Some(alias) => {
                    let import = builder.add_import(kind, source, binder.scope, child.node);
                    builder.record_occurrence(last, Role::Import, Target::Imported(import, None));
                    binder.bind_imported_name(builder, alias, import, None, true);
                }
                // `import a.b` binds only `a`, but also imports `a.b`.
                None => {
                    let first = module.named_child(0).unwrap_or(last);
                    let is_one = first == last;
                    let top = builder.name_id_of_node(first);
                    let import = builder.add_import(kind, top, binder.scope, child.node);
                    binder.bind_imported_name(builder, first, import, None, false);
                    let whole =
                        if is_one { import } else { builder.add_import(kind, source, binder.scope, child.node) };
                    builder.record_occurrence(last, Role::Import, Target::Imported(whole, None));
                }
            }
        });
    }

    /// Binds the names of the import statement `from a import b as c, d` or `from .an import *`.
    pub(super) fn bind_from_import_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let children = self.push_named_non_comment_children(node);
        let mut at = 0;
        let mut import = None;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            if child.field == Field::ModuleName {
                let source = dotted_module_name(builder, child.node);
                import = Some(builder.add_import(self.import_kind_in_current_block(), source, self.scope, node));
                continue;
            }
            let Some(import) = import else { continue };
            if self.kind_of_node(child.node) == Kind::WildcardImport {
                builder.import_mut(import).glob = true;
                continue;
            }
            let (Some(name), alias) = self.imported_name_and_alias_nodes(child.node) else { continue };
            let Some(name) = self.last_name_of_dotted_name(name) else { continue };
            let taken = builder.name_id_of_node(name);
            builder.import_mut(import).names.push(taken);
            builder.record_occurrence(name, Role::Import, Target::Imported(import, Some(taken)));
            self.bind_imported_name(builder, alias.unwrap_or(name), import, Some(taken), alias.is_some());
        }
        self.pop_children(children);
    }

    /// The name node and the alias node of one imported item: `a` or `a as b`.
    fn imported_name_and_alias_nodes(&mut self, node: Node<'t>) -> (Option<Node<'t>>, Option<Node<'t>>) {
        match self.kind_of_node(node) {
            Kind::AliasedImport => {
                let [name, alias] = self.first_children_in_fields(node, [Field::Name, Field::Alias]);
                (name, alias)
            }
            Kind::DottedName => (Some(node), None),
            _ => (None, None),
        }
    }

    fn last_name_of_dotted_name(&self, dotted: Node<'t>) -> Option<Node<'t>> {
        let last = u32::try_from(dotted.named_child_count().checked_sub(1)?).ok()?;
        dotted.named_child(last).filter(|last| self.kind_of_node(*last) == Kind::Identifier)
    }

    fn bind_imported_name(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        import: ModuleImportId,
        name: Option<NameId>,
        alias: bool,
    ) {
        let local = builder.name_id_of_node(node);
        let scope = self.binding_scope_of_name(local);
        let binding = builder.add_binding(scope, BindingKind::Import, local, node.start_byte());
        builder.binding_mut(binding).import = Some((import, name));
        self.bound.insert((scope, local), binding);
        self.record_assignment_for_flow(builder, binding, node.end_byte(), false);
        if alias {
            builder.record_occurrence(node, Role::Import, Target::Binding(binding));
        }
    }

    /// Adds the strings in a value of `__all__` to the names that the module exports. Understands lists, tuples and
    /// their sums.
    pub(super) fn add_dunder_all_names(&mut self, builder: &mut NamesBuilder<'_>, value: Node<'t>) {
        let mut waiting = vec![value];
        self.dunder_all.get_or_insert_default();
        while let Some(node) = waiting.pop() {
            match self.kind_of_node(node) {
                Kind::String => {
                    if let Some((name, content)) = escape_free_string_content(builder, node) {
                        let at = u32::try_from(content.start_byte()).unwrap_or(u32::MAX);
                        let expr = builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at });
                        builder.record_occurrence(content, Role::Export, Target::Expr(expr));
                        self.dunder_all.get_or_insert_default().push(name);
                    }
                }
                Kind::List
                | Kind::Tuple
                | Kind::Set
                | Kind::ExpressionList
                | Kind::ParenthesizedExpression
                | Kind::BinaryOperator
                | Kind::ListSplat => {
                    let children = self.push_named_non_comment_children(node);
                    let start = waiting.len();
                    waiting
                        .extend(self.child_stack.get(children.start..).unwrap_or(&[]).iter().map(|child| child.node));
                    if let Some(added) = waiting.get_mut(start..) {
                        added.reverse();
                    }
                    self.pop_children(children);
                }
                _ => self.is_dunder_all_incomplete = true,
            }
        }
    }

    /// Applies the call `__all__.extend([…])`, `.append("a")` or `.remove("a")` to the names that the module exports.
    pub(super) fn apply_dunder_all_method_call(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        method: &str,
        arguments: Node<'t>,
    ) {
        let before = self.dunder_all.clone().unwrap_or_default();
        match method {
            "extend" | "append" => {
                self.for_each_named_non_comment_child(builder, arguments, |binder, builder, child| {
                    binder.add_dunder_all_names(builder, child.node)
                })
            }
            "remove" => {
                self.for_each_named_non_comment_child(builder, arguments, |binder, builder, child| {
                    binder.add_dunder_all_names(builder, child.node)
                });
                let all = self.dunder_all.take().unwrap_or_default();
                let removed = all.get(before.len()..).unwrap_or(&[]);
                self.dunder_all = Some(before.into_iter().filter(|name| !removed.contains(name)).collect());
            }
            _ => self.is_dunder_all_incomplete = true,
        }
    }
}

/// A module's dotted name without white space, line continuations and comments around its dots.
fn dotted_module_name(builder: &mut NamesBuilder<'_>, node: Node<'_>) -> NameId {
    let text = builder.text_of_node(node);
    if text.contains(|c: char| c.is_whitespace() || matches!(c, '\\' | '#')) {
        let mut joined = String::new();
        for line in text.lines() {
            let code = line.split('#').next().unwrap_or("");
            joined.extend(code.chars().filter(|c| !c.is_whitespace() && *c != '\\'));
        }
        return builder.intern_constructed_text(&joined);
    }
    builder.name_id_of_node(node)
}

/// The content of a string literal without interpolation and escapes, and the node of the content.
pub(super) fn escape_free_string_content<'n>(
    builder: &mut NamesBuilder<'_>,
    node: Node<'n>,
) -> Option<(NameId, Node<'n>)> {
    let content = node.named_child(1).filter(|child| child.kind() == "string_content")?;
    (node.named_child_count() == 3 && content.child_count() == 0).then(|| (builder.name_id_of_node(content), content))
}
