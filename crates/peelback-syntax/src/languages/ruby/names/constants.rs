//! Constants: bare ones, and those inside other constants.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeId, Target};

/// The limit on the length, in bytes, of a path of constants that a file is looked up for.
const MAX_PATH_BYTES: usize = 200;

impl<'t> Binder<'t> {
    /// Records the use of a constant (`A`, `A::B`, `::A`), and returns the expression for it.
    pub(super) fn bind_constant_use(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        if matches!(self.kind(node), Kind::Constant | Kind::ScopeResolution) {
            self.record_path_of_constant(node, builder);
        }
        self.bind_constant_without_path(node, role, builder)
    }

    fn bind_constant_without_path(&mut self, node: Node<'t>, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.kind(node) {
            Kind::Constant => builder.record_name_use(node, self.scope, role),
            Kind::ScopeResolution => {
                let Some(name) = self.field(node, self.grammar.name) else { return builder.unknown_expr() };
                match self.field(node, self.grammar.scope) {
                    Some(scope) => {
                        let base = builder.run_with_depth_limit(scope, |builder| {
                            self.bind_constant_without_path(scope, Role::Read, builder)
                        });
                        builder.record_member_use(base, name, role)
                    }
                    None => builder.record_name_use(name, FILE_SCOPE, role),
                }
            }
            _ => self.bind_expression(node, builder),
        }
    }

    /// The expression for a constant whose use is recorded already.
    pub(super) fn constant_expr(&self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut names = Vec::new();
        let mut next = Some(node);
        let mut scope = self.scope;
        while let Some(node) = next {
            let is_path = self.kind(node) == Kind::ScopeResolution;
            let name = if is_path { self.field(node, self.grammar.name) } else { Some(node) };
            names.extend(name);
            next = if is_path { self.field(node, self.grammar.scope) } else { None };
            if is_path && next.is_none() {
                scope = FILE_SCOPE;
            }
        }
        let mut expr = builder.unknown_expr();
        for (index, node) in names.into_iter().rev().enumerate() {
            let name = builder.name_id_of_node(node);
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            expr = match index {
                0 => builder.add_expr(Expr::Name { name, scope, at }),
                _ => builder.add_expr(Expr::Member { base: expr, name, at }),
            };
        }
        expr
    }

    /// Records that the file may depend on the file in which a constant is defined by convention.
    fn record_path_of_constant(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let text = builder.text_of_node(node);
        let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        if text.len() > MAX_PATH_BYTES || !text.chars().all(is_path) {
            return;
        }
        let around = self.frame.members.unwrap_or(FILE_SCOPE);
        if self.mentioned.insert((around, text.to_owned())) {
            let source = builder.intern_source_text(text);
            builder.add_import(ModuleImportKind::Path, source, self.scope, node);
        }
    }

    /// The scope that holds the definition of a constant at `node`, and the node of its last name.
    pub(super) fn scope_of_defined_constant(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> (ScopeId, Node<'t>) {
        let around = match self.frame.members {
            Some(members) => members,
            None => FILE_SCOPE,
        };
        if self.kind(node) != Kind::ScopeResolution {
            return (around, node);
        }
        let Some(name) = self.field(node, self.grammar.name) else { return (around, node) };
        let Some(scope) = self.field(node, self.grammar.scope) else { return (FILE_SCOPE, name) };
        let target = self.bind_constant_without_path(scope, Role::Read, builder);
        (self.add_extension_scope(target, node, builder), name)
    }

    /// Adds the scope of members that the code adds to the class that `target` names.
    pub(super) fn add_extension_scope(
        &mut self,
        target: ExprId,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> ScopeId {
        let scope = builder.add_child_scope(self.scope, crate::names::ScopeKind::Type, node);
        builder.add_member_extension(target, None, scope);
        scope
    }

    /// The variable of an object, class or the program that `node` names: an expression, and a binding that holds its values.
    pub(super) fn bind_variable(&mut self, node: Node<'t>, is_written: bool, builder: &mut NamesBuilder<'_>) -> ExprId {
        let name = builder.name_id_of_node(node);
        let is_global = self.kind(node) == Kind::GlobalVariable;
        let scope = if is_global { FILE_SCOPE } else { self.frame.members.unwrap_or(FILE_SCOPE) };
        let on_type = match self.kind(node) {
            Kind::ClassVariable => true,
            Kind::InstanceVariable => self.frame.self_kind == super::SelfKind::Type,
            _ => false,
        };
        let role = if is_written { Role::Write } else { Role::Read };
        if is_written && !self.known_fields.contains_key(&(scope, name, on_type)) {
            let kind = match is_global {
                true => crate::names::BindingKind::Variable,
                false => crate::names::BindingKind::Field,
            };
            let binding = builder.add_binding_with_definition(scope, kind, node);
            builder.binding_mut(binding).on_type = on_type;
            self.known_fields.insert((scope, name, on_type), binding);
            return builder.add_expr(Expr::Bound { binding });
        }
        let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
        let expr = if is_global || self.frame.members.is_none() {
            builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at })
        } else {
            let base = match on_type {
                true => builder.add_expr(Expr::ThisType { scope: self.scope }),
                false => builder.add_expr(Expr::This { scope: self.scope }),
            };
            builder.add_expr(Expr::Member { base, name, at })
        };
        builder.record_occurrence(node, role, Target::Expr(expr));
        expr
    }

    /// The binding that holds the values of the variable that `node` names, if the code has assigned it.
    pub(super) fn known_variable(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<u32> {
        let name = builder.name_id_of_node(node);
        let is_global = self.kind(node) == Kind::GlobalVariable;
        let scope = if is_global { FILE_SCOPE } else { self.frame.members.unwrap_or(FILE_SCOPE) };
        let on_type = match self.kind(node) {
            Kind::ClassVariable => true,
            Kind::InstanceVariable => self.frame.self_kind == super::SelfKind::Type,
            _ => false,
        };
        self.known_fields.get(&(scope, name, on_type)).copied()
    }
}
