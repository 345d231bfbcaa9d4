//! Imports, and `__all__`.

use tree_sitter::Node;

use super::{Binder, Field, Kind};
use crate::names::{
    BindingKind, Expr, FILE_SCOPE, ModuleImportId, ModuleImportKind, NameId, NamesBuilder, Role, Target,
};

impl<'t> Binder<'t> {
    fn import_kind(&self) -> ModuleImportKind {
        if self.type_checking { ModuleImportKind::TypeImport } else { ModuleImportKind::Import }
    }

    /// `import a.b, c as d`.
    pub(super) fn import(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        self.each(builder, node, |binder, builder, child| {
            let (module, alias) = binder.imported(child.node);
            let Some(module) = module else { return };
            let Some(last) = binder.last_part(module) else { return };
            let source = dotted(builder, module);
            let kind = binder.import_kind();
            match alias {
                Some(alias) => {
                    let import = builder.add_import(kind, source, binder.scope, child.node);
                    builder.occur(last, Role::Import, Target::Imported(import, None));
                    binder.bind_import(builder, alias, import, None, true);
                }
                // `import a.b` binds `a`, and takes in `a.b` besides.
                None => {
                    let first = module.named_child(0).unwrap_or(last);
                    let is_one = first == last;
                    let top = builder.name(first);
                    let import = builder.add_import(kind, top, binder.scope, child.node);
                    binder.bind_import(builder, first, import, None, false);
                    let whole =
                        if is_one { import } else { builder.add_import(kind, source, binder.scope, child.node) };
                    builder.occur(last, Role::Import, Target::Imported(whole, None));
                }
            }
        });
    }

    /// `from a import b as c, d`, `from .an import *`.
    pub(super) fn import_from(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let kids = self.children(node);
        let mut at = 0;
        let mut import = None;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            if child.field == Field::ModuleName {
                let source = dotted(builder, child.node);
                import = Some(builder.add_import(self.import_kind(), source, self.scope, node));
                continue;
            }
            let Some(import) = import else { continue };
            if self.kind(child.node) == Kind::WildcardImport {
                builder.import_mut(import).glob = true;
                continue;
            }
            let (Some(name), alias) = self.imported(child.node) else { continue };
            let Some(name) = self.last_part(name) else { continue };
            let taken = builder.name(name);
            builder.import_mut(import).names.push(taken);
            builder.occur(name, Role::Import, Target::Imported(import, Some(taken)));
            self.bind_import(builder, alias.unwrap_or(name), import, Some(taken), alias.is_some());
        }
        self.done(kids);
    }

    /// The name and the alias of what is imported.
    fn imported(&mut self, node: Node<'t>) -> (Option<Node<'t>>, Option<Node<'t>>) {
        match self.kind(node) {
            Kind::AliasedImport => {
                let [name, alias] = self.fields(node, [Field::Name, Field::Alias]);
                (name, alias)
            }
            Kind::DottedName => (Some(node), None),
            _ => (None, None),
        }
    }

    fn last_part(&self, dotted: Node<'t>) -> Option<Node<'t>> {
        let last = u32::try_from(dotted.named_child_count().checked_sub(1)?).ok()?;
        dotted.named_child(last).filter(|last| self.kind(*last) == Kind::Identifier)
    }

    fn bind_import(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        import: ModuleImportId,
        name: Option<NameId>,
        alias: bool,
    ) {
        let local = builder.name(node);
        let scope = self.home_of(local);
        let binding = builder.bind_name(scope, BindingKind::Import, local, node.start_byte());
        builder.binding(binding).import = Some((import, name));
        self.bound.insert((scope, local), binding);
        self.flows(builder, binding, node.end_byte(), false);
        if alias {
            builder.occur(node, Role::Import, Target::Binding(binding));
        }
    }

    /// Takes the strings of a value of `__all__`: lists and tuples, and their sums.
    pub(super) fn all_is(&mut self, builder: &mut NamesBuilder<'_>, value: Node<'t>) {
        let mut waiting = vec![value];
        self.all.get_or_insert_default();
        while let Some(node) = waiting.pop() {
            match self.kind(node) {
                Kind::String => {
                    if let Some((name, content)) = plain_string(builder, node) {
                        let at = u32::try_from(content.start_byte()).unwrap_or(u32::MAX);
                        let expr = builder.expr(Expr::Name { name, scope: FILE_SCOPE, at });
                        builder.occur(content, Role::Export, Target::Expr(expr));
                        self.all.get_or_insert_default().push(name);
                    }
                }
                Kind::List
                | Kind::Tuple
                | Kind::Set
                | Kind::ExpressionList
                | Kind::ParenthesizedExpression
                | Kind::BinaryOperator
                | Kind::ListSplat => {
                    let kids = self.children(node);
                    let start = waiting.len();
                    waiting.extend(self.kids.get(kids.start..).unwrap_or(&[]).iter().map(|child| child.node));
                    if let Some(added) = waiting.get_mut(start..) {
                        added.reverse();
                    }
                    self.done(kids);
                }
                _ => self.all_is_open = true,
            }
        }
    }

    /// `__all__.extend([…])`, `.append("a")`, `.remove("a")`.
    pub(super) fn all_does(&mut self, builder: &mut NamesBuilder<'_>, method: &str, arguments: Node<'t>) {
        let before = self.all.clone().unwrap_or_default();
        match method {
            "extend" | "append" => {
                self.each(builder, arguments, |binder, builder, child| binder.all_is(builder, child.node))
            }
            "remove" => {
                self.each(builder, arguments, |binder, builder, child| binder.all_is(builder, child.node));
                let all = self.all.take().unwrap_or_default();
                let removed = all.get(before.len()..).unwrap_or(&[]);
                self.all = Some(before.into_iter().filter(|name| !removed.contains(name)).collect());
            }
            _ => self.all_is_open = true,
        }
    }
}

/// A module's name as one word, though blanks may stand around its dots.
fn dotted(builder: &mut NamesBuilder<'_>, node: Node<'_>) -> NameId {
    let text = builder.text(node);
    if text.contains(|c: char| c.is_whitespace() || matches!(c, '\\' | '#')) {
        let mut joined = String::new();
        for line in text.lines() {
            let code = line.split('#').next().unwrap_or("");
            joined.extend(code.chars().filter(|c| !c.is_whitespace() && *c != '\\'));
        }
        return builder.intern_made(&joined);
    }
    builder.name(node)
}

/// The text of a string without code and escapes, and the node that is it.
pub(super) fn plain_string<'n>(builder: &mut NamesBuilder<'_>, node: Node<'n>) -> Option<(NameId, Node<'n>)> {
    let content = node.named_child(1).filter(|child| child.kind() == "string_content")?;
    (node.named_child_count() == 3 && content.child_count() == 0).then(|| (builder.name(content), content))
}
