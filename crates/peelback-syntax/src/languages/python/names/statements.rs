//! Statements: blocks, branches, loops, `with`, `try`, `del`, `global`.

use tree_sitter::Node;

use super::{Around, Binder, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// The statements below a node that is no block of its own: the file, a broken part.
    pub(super) fn body(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        builder.deeper(node, |builder| {
            self.each(builder, node, |binder, builder, child| binder.visit(builder, child.node))
        });
    }

    /// A block of statements, as a part of the flow.
    pub(super) fn block(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        self.block_of(builder, node, |binder, builder| binder.body(builder, node));
    }

    fn block_of(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        inside: impl FnOnce(&mut Self, &mut NamesBuilder<'_>),
    ) {
        let outer = self.frame.flow.as_mut().map(|flow| flow.open(node.byte_range()));
        inside(self, builder);
        if let (Some(outer), Some(flow)) = (outer, &mut self.frame.flow) {
            let last = node.named_child_count().checked_sub(1).and_then(|last| u32::try_from(last).ok());
            let last = last.and_then(|last| node.named_child(last)).map(|last| self.tables.kind(last));
            flow.close(outer, matches!(last, Some(Kind::ReturnStatement | Kind::RaiseStatement)));
        }
    }

    /// Any statement or expression.
    pub(super) fn visit(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind(node) {
            Kind::ExpressionStatement => self.each(builder, node, |binder, builder, child| {
                // A string alone documents, whatever its text.
                if !matches!(binder.kind(child.node), Kind::String | Kind::ConcatenatedString)
                    || child_has_code(child.node)
                {
                    binder.visit(builder, child.node);
                }
            }),
            Kind::Assignment => {
                builder.deeper(node, |builder| {
                    self.assignment(builder, node);
                });
            }
            Kind::AugmentedAssignment => self.augmented(builder, node),
            Kind::FunctionDefinition => self.function(builder, node, &[]),
            Kind::ClassDefinition => self.class(builder, node),
            Kind::DecoratedDefinition => self.decorated(builder, node),
            Kind::ImportStatement => self.import(builder, node),
            Kind::ImportFromStatement => self.import_from(builder, node),
            Kind::FutureImportStatement | Kind::Comment => {}
            Kind::ReturnStatement => {
                if let Some(child) = self.only_child(node) {
                    let value = self.expression(builder, child, Role::Read);
                    if value != builder.unknown() && self.kind(child) != Kind::None {
                        self.frame.returns.push(value);
                    }
                }
            }
            Kind::IfStatement => self.if_statement(builder, node),
            Kind::ForStatement => self.for_statement(builder, node),
            Kind::WhileStatement => {
                self.repeat(node);
                self.each(builder, node, |binder, builder, child| binder.part(builder, child.node, child.field));
            }
            Kind::WithStatement => {
                let is_async = builder.text(node).starts_with("async");
                self.each(builder, node, |binder, builder, child| match child.field {
                    // It runs at once and whole: no branch.
                    Field::Body => binder.body(builder, child.node),
                    _ => binder.each(builder, child.node, |binder, builder, item| {
                        binder.with_item(builder, item.node, is_async)
                    }),
                });
            }
            Kind::TryStatement => {
                self.each(builder, node, |binder, builder, child| binder.part(builder, child.node, child.field))
            }
            Kind::ExceptClause => self.block_of(builder, node, |binder, builder| binder.except(builder, node)),
            Kind::ElifClause | Kind::ElseClause | Kind::FinallyClause => {
                self.each(builder, node, |binder, builder, child| binder.part(builder, child.node, child.field));
            }
            Kind::MatchStatement => self.match_statement(builder, node),
            Kind::GlobalStatement | Kind::NonlocalStatement => self.elsewhere(builder, node),
            Kind::DeleteStatement => {
                self.each(builder, node, |binder, builder, child| binder.delete(builder, child.node))
            }
            Kind::AssertStatement => self.assert(builder, node),
            Kind::TypeAliasStatement => self.type_alias(builder, node),
            Kind::Block => self.block(builder, node),
            Kind::RaiseStatement => self.body(builder, node),
            _ if node.is_error() => self.body(builder, node),
            _ => {
                self.expression(builder, node, Role::Read);
            }
        }
    }

    /// A part of a compound statement.
    fn part(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, field: Field) {
        match (field, self.kind(node)) {
            (Field::Condition, _) => {
                let mark = self.narrowed.len();
                self.condition(builder, node);
                self.narrowed.truncate(mark);
            }
            (_, Kind::Block) => self.block(builder, node),
            _ => self.visit(builder, node),
        }
    }

    pub(super) fn repeat(&mut self, node: Node<'t>) {
        if let Some(flow) = &mut self.frame.flow {
            flow.repeat(node.byte_range());
        }
    }

    fn if_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        builder.deeper(node, |builder| {
            let kids = self.children(node);
            let mut at = 0;
            let mut mark = self.narrowed.len();
            let outer = mark;
            let types_were_checked = self.type_checking;
            let mut gone = Vec::new();
            while let Some(child) = self.child(kids, at) {
                at += 1;
                match (child.field, self.kind(child.node)) {
                    (Field::Condition, _) => {
                        mark = self.narrowed.len();
                        self.condition(builder, child.node);
                        let text = builder.text(child.node);
                        if text == "TYPE_CHECKING" || text.ends_with(".TYPE_CHECKING") {
                            self.type_checking = true;
                        }
                    }
                    (_, Kind::Block) => {
                        let said: Vec<_> = self.narrowed.drain(mark.min(self.narrowed.len())..).collect();
                        for narrowed in said {
                            if narrowed.negative {
                                gone.push(narrowed);
                            } else {
                                self.narrow(builder, &narrowed, child.node.end_byte());
                            }
                        }
                        self.block(builder, child.node);
                        self.type_checking = types_were_checked;
                        // `if not isinstance(x, T): return`: past it, `x` is one.
                        let leaves = child.node.named_child_count() > 0 && self.leaves(child.node);
                        for narrowed in gone.drain(..) {
                            if leaves && let Some(flow) = &self.frame.flow {
                                let end = flow.block_end();
                                self.narrow_from(builder, &narrowed, child.node.end_byte(), end);
                            }
                        }
                    }
                    _ => self.visit_clause(builder, child.node),
                }
            }
            self.done(kids);
            self.narrowed.truncate(outer);
        });
    }

    /// An `elif` or `else`.
    fn visit_clause(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind(node) {
            Kind::ElifClause => self.if_statement(builder, node),
            _ => self.visit(builder, node),
        }
    }

    /// Whether a block ends by leaving the flow.
    fn leaves(&self, block: Node<'_>) -> bool {
        let last = block.named_child_count().checked_sub(1).and_then(|last| u32::try_from(last).ok());
        let last = last.and_then(|last| block.named_child(last));
        last.is_some_and(|last| {
            matches!(self.kind(last), Kind::ReturnStatement | Kind::RaiseStatement)
                || matches!(last.kind(), "continue_statement" | "break_statement")
        })
    }

    fn for_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right, body] = self.fields(node, [Field::Left, Field::Right, Field::Body]);
        let iterated = right.map_or(builder.unknown(), |right| self.expression(builder, right, Role::Read));
        let element = self.element(builder, iterated);
        self.repeat(node);
        if let Some(body) = body {
            self.block_of(builder, body, |binder, builder| {
                if let Some(left) = left {
                    binder.target(builder, left, element, left.end_byte());
                }
                binder.body(builder, body);
            });
        } else if let Some(left) = left {
            self.target(builder, left, element, left.end_byte());
        }
        self.each(builder, node, |binder, builder, child| {
            if !matches!(child.field, Field::Left | Field::Right | Field::Body) {
                binder.visit(builder, child.node);
            }
        });
    }

    /// `value as target`.
    fn with_item(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, is_async: bool) {
        if self.kind(node) != Kind::WithItem {
            return self.visit(builder, node);
        }
        let Some(value) = self.only_child(node) else { return };
        // `with (a as b, c as d)` in source that the grammar takes for a tuple.
        let items = if self.kind(value) == Kind::Tuple { self.children(value) } else { self.children(node) };
        let mut at = 0;
        while let Some(item) = self.child(items, at) {
            at += 1;
            if self.kind(item.node) != Kind::AsPattern {
                self.expression(builder, item.node, Role::Read);
                continue;
            }
            let (value, alias) = self.as_pattern(item.node);
            let value = value.map_or(builder.unknown(), |value| self.expression(builder, value, Role::Read));
            let Some(alias) = alias else { continue };
            let entered = self.entered(builder, value, is_async);
            self.target(builder, alias, entered, alias.end_byte());
        }
        self.done(items);
    }

    fn entered(&mut self, builder: &mut NamesBuilder<'_>, value: ExprId, is_async: bool) -> ExprId {
        if value == builder.unknown() {
            return value;
        }
        let name = builder.intern(if is_async { "__aenter__" } else { "__enter__" });
        let callee = builder.expr(Expr::Member { base: value, name, at: 0 });
        builder.expr(Expr::Call { callee })
    }

    /// The value and the target of `value as target`.
    pub(super) fn as_pattern(&mut self, node: Node<'t>) -> (Option<Node<'t>>, Option<Node<'t>>) {
        let kids = self.children(node);
        let (mut value, mut alias) = (None, None);
        let mut at = 0;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            if child.field == Field::Alias || (value.is_some() && alias.is_none()) {
                alias = Some(child.node);
            } else if value.is_none() {
                value = Some(child.node);
            }
        }
        self.done(kids);
        (value, alias)
    }

    fn except(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mut caught = builder.unknown();
        self.each(builder, node, |binder, builder, child| match (child.field, binder.kind(child.node)) {
            (_, Kind::AsPattern) => {
                let (value, alias) = binder.as_pattern(child.node);
                let types = value.map_or(builder.unknown(), |value| binder.types_of(builder, value));
                if let Some(alias) = alias {
                    let value = binder.instance(builder, types);
                    binder.target(builder, alias, value, alias.end_byte());
                }
            }
            (Field::Alias, _) => {
                let value = binder.instance(builder, caught);
                binder.target(builder, child.node, value, child.node.end_byte());
            }
            (_, Kind::Block) => binder.body(builder, child.node),
            _ => caught = binder.types_of(builder, child.node),
        });
    }

    /// Types written as values: `A`, `(A, B)`.
    pub(super) fn types_of(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.kind(node) {
            Kind::Tuple => {
                let mut types = Vec::new();
                self.each(builder, node, |binder, builder, child| types.push(binder.types_of(builder, child.node)));
                builder.either(types)
            }
            Kind::ParenthesizedExpression => match self.only_child(node) {
                Some(inner) => builder.deeper(inner, |builder| self.types_of(builder, inner)),
                None => builder.unknown(),
            },
            _ => self.expression(builder, node, Role::Read),
        }
    }

    pub(super) fn instance(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Instance { of }) }
    }

    fn delete(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind(node) {
            Kind::ExpressionList | Kind::Tuple | Kind::List | Kind::ParenthesizedExpression => {
                builder.deeper(node, |builder| {
                    self.each(builder, node, |binder, builder, child| binder.delete(builder, child.node))
                });
            }
            _ => {
                self.expression(builder, node, Role::Write);
            }
        }
    }

    fn elsewhere(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let is_global = self.kind(node) == Kind::GlobalStatement;
        self.each(builder, node, |binder, builder, child| {
            let name = builder.name(child.node);
            let scope = if is_global { FILE_SCOPE } else { binder.outer_home(builder, name) };
            if binder.frame.around == Around::Function {
                binder.frame.elsewhere.push((name, scope));
            }
            binder.within(scope, |binder| binder.use_name(builder, child.node, Role::Read));
        });
    }

    /// The nearest function around this one that binds a name.
    fn outer_home(&self, builder: &NamesBuilder<'_>, name: crate::names::NameId) -> u32 {
        let mut at = builder.parent_of(self.frame.home);
        let mut nearest = None;
        while let Some(scope) = at {
            if builder.kind_of(scope) == ScopeKind::Function {
                nearest = nearest.or(Some(scope));
                if self.bound.contains_key(&(scope, name)) {
                    return scope;
                }
            }
            at = builder.parent_of(scope);
        }
        nearest.unwrap_or(self.frame.home)
    }

    fn assert(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let mark = self.narrowed.len();
        let mut first = true;
        self.each(builder, node, |binder, builder, child| {
            if std::mem::take(&mut first) {
                binder.condition(builder, child.node);
            } else {
                binder.expression(builder, child.node, Role::Read);
            }
        });
        let said: Vec<_> = self.narrowed.drain(mark.min(self.narrowed.len())..).collect();
        for narrowed in said.iter().filter(|narrowed| !narrowed.negative) {
            if let Some(flow) = &self.frame.flow {
                let end = flow.block_end();
                self.narrow(builder, narrowed, end);
            }
        }
    }

    fn type_alias(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        let [left, right] = self.fields(node, [Field::Left, Field::Right]);
        let mut name = left;
        let mut parameters = None;
        // `type A[T] = …` is a type around a generic one around the name.
        while let Some(inner) = name.filter(|name| self.kind(*name) != Kind::Identifier) {
            let kids = self.children(inner);
            name = self.child(kids, 0).map(|child| child.node);
            if self.kind(inner) == Kind::GenericType {
                parameters = self.child(kids, 1).map(|child| child.node);
            }
            self.done(kids);
        }
        let Some(name) = name else { return };
        let binding = self.bind(builder, BindingKind::TypeAlias, name);
        let scope = builder.scope(self.scope, ScopeKind::Block, node);
        let meant = self.within(scope, |binder| {
            if let Some(parameters) = parameters {
                binder.type_parameters(builder, parameters, scope);
            }
            right.map(|right| binder.annotation(builder, right))
        });
        builder.binding(binding).annotation = meant;
        self.flows(builder, binding, node.end_byte(), false);
    }
}

/// Whether a string has code in it.
fn child_has_code(node: Node<'_>) -> bool {
    // A string is its beginning, its text and its end; code makes it more.
    node.named_child_count() > 3 || node.kind() == "concatenated_string"
}
