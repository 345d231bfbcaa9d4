//! What the names of JavaScript and TypeScript mean: one pass over the tree, recursive, since a name's scope is where
//! the visit stands.
//!
//! - `statements`, `patterns`, `functions`, `classes`, `types`: what declares.
//! - `expressions`, `calls`, `objects`, `assignments`, `jsx`: what has a value.
//! - `modules`: imports, exports, `require`.
//! - `owners`: which members' scope a value written in this file has, for what is put on it from outside.

mod assignments;
mod calls;
mod classes;
mod declarations;
mod expressions;
mod functions;
mod jsx;
pub(super) mod kinds;
mod modules;
mod objects;
mod owners;
mod patterns;
mod statements;
#[cfg(all(test, feature = "lang-javascript", feature = "lang-typescript"))]
mod tests;
mod types;

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, TreeCursor};

use crate::names::{
    BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Span,
};
use kinds::{Field, Kind, Tables};

/// How many of the values that a name is given, or of those that a function returns, are kept.
const MAX_VALUES: usize = 8;

/// Reads the tree below `root`, which is one of TypeScript if `typescript` is set.
pub(super) fn bind<'t>(root: Node<'t>, typescript: bool, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        typescript,
        tables: Tables::of(root),
        cursors: Vec::new(),
        scope: FILE_SCOPE,
        hoist: FILE_SCOPE,
        this: This::Unknown,
        members: None,
        body: Body::default(),
        bound: HashMap::new(),
        extensions: HashMap::new(),
        extended: HashMap::new(),
        fields: Vec::new(),
        assigned: Vec::new(),
        narrowed: Vec::new(),
        exports: None,
    };
    binder.value(root, ExprContext::READ, builder);
    binder.finish(builder);
}

/// The context in which an expression is read: the role of its name, and the type that is expected of it.
#[derive(Clone, Copy)]
struct ExprContext {
    /// The role of the last name in the expression.
    role: Role,
    /// The declared type that the surrounding code expects of the expression, as an expression id; 0 where unknown.
    expected: ExprId,
}

impl ExprContext {
    const READ: Self = Self { role: Role::Read, expected: 0 };

    fn role(role: Role) -> Self {
        Self { role, ..Self::READ }
    }

    fn expected(expected: ExprId) -> Self {
        Self { expected, ..Self::READ }
    }
}

/// What `this` is.
#[derive(Clone, Copy)]
enum This {
    Unknown,
    /// An instance of the type whose members this scope holds.
    Instance(ScopeId),
    /// That type itself.
    Type(ScopeId),
    /// The object with these members.
    Object(ScopeId),
    /// What `new` makes of this function, which has no scope for members until one is put on it.
    Constructed(BindingId),
    /// What a parameter called `this` declares.
    Declared(ExprId),
}

/// The function that is read.
#[derive(Default)]
struct Body {
    returns: Vec<ExprId>,
    /// What it declares to return, as a value.
    expected: ExprId,
    generator: bool,
}

/// `this.name = value` in a class, kept until all that the class declares is known.
struct MadeField<'t> {
    scope: ScopeId,
    on_type: bool,
    name: Node<'t>,
    value: ExprId,
}

struct Binder<'t> {
    typescript: bool,
    tables: Rc<Tables>,
    /// Cursors that are not in use.
    cursors: Vec<TreeCursor<'t>>,
    /// Where names are looked up.
    scope: ScopeId,
    /// Where `var` binds.
    hoist: ScopeId,
    this: This,
    /// The members' scope of the class whose constructor is read: its parameters may be fields.
    members: Option<ScopeId>,
    body: Body,
    /// The first binding of each name in each scope.
    bound: HashMap<(ScopeId, NameId), BindingId>,
    /// The scopes for what is put on functions and variables from outside.
    extensions: HashMap<BindingId, ScopeId>,
    /// The same for prototypes of what other files define, by the name that it has here.
    extended: HashMap<(ScopeId, NameId), ScopeId>,
    fields: Vec<MadeField<'t>>,
    /// What variables and fields are given after their declaration.
    assigned: Vec<(BindingId, ExprId)>,
    /// Names that a condition tells more about, innermost last.
    narrowed: Vec<(NameId, ExprId)>,
    /// The members of `exports`.
    exports: Option<ScopeId>,
}

impl<'t> Binder<'t> {
    fn kind(&self, node: Node<'_>) -> Kind {
        self.tables.kind(node)
    }

    /// Visits the children of a node.
    fn each(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'_>,
        mut visit: impl FnMut(&mut Self, Node<'t>, Field, &mut NamesBuilder<'_>),
    ) {
        let mut cursor = match self.cursors.pop() {
            Some(mut cursor) => {
                cursor.reset(node);
                cursor
            }
            None => node.walk(),
        };
        if cursor.goto_first_child() {
            loop {
                let field = self.tables.field(&cursor);
                visit(self, cursor.node(), field, builder);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.push(cursor);
    }

    /// The first child under a field.
    fn child(&mut self, node: Node<'t>, wanted: Field, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let mut found = None;
        self.each(node, builder, |_, child, field, _| {
            if field == wanted && found.is_none() {
                found = Some(child);
            }
        });
        found
    }

    /// The first child that is neither a token nor a comment.
    fn inner(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        let mut found = None;
        self.each(node, builder, |this, child, _, _| {
            if found.is_none() && child.is_named() && !this.is_comment(child) {
                found = Some(child);
            }
        });
        found
    }

    fn is_comment(&self, node: Node<'_>) -> bool {
        self.kind(node) == Kind::Leaf && node.is_extra()
    }

    /// Visits all children as expressions and statements.
    fn children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, _, builder| {
            this.value(child, ExprContext::READ, builder);
        });
    }

    /// Visits with `scope` as the place of look-up.
    fn within<R>(&mut self, scope: ScopeId, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = visit(self);
        self.scope = outer;
        result
    }

    fn with_this<R>(&mut self, this: This, visit: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.this, this);
        let result = visit(self);
        self.this = outer;
        result
    }

    /// A new scope below the current one.
    fn open(&mut self, kind: ScopeKind, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ScopeId {
        builder.scope(self.scope, kind, node)
    }

    /// Binds the name that `node` spells.
    fn bind(&mut self, scope: ScopeId, kind: BindingKind, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> BindingId {
        let binding = builder.bind(scope, kind, node);
        let name = builder.binding(binding).name;
        self.bound.entry((scope, name)).or_insert(binding);
        binding
    }

    /// What a name means here, as far as this file's bindings before this place tell.
    fn find(&self, scope: ScopeId, name: NameId, builder: &NamesBuilder<'_>) -> Option<BindingId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(binding) = self.bound.get(&(scope, name))
                && builder.kind_of(scope) != ScopeKind::Type
            {
                return Some(*binding);
            }
            at = builder.parent_of(scope);
        }
        None
    }

    /// Says what a binding is given.
    fn set_values(binding: BindingId, values: &[ExprId], builder: &mut NamesBuilder<'_>) {
        let mut known: Vec<ExprId> = Vec::new();
        for value in values {
            if *value != builder.unknown() && !known.contains(value) && known.len() < MAX_VALUES {
                known.push(*value);
            }
        }
        if !known.is_empty() {
            builder.binding(binding).values = builder.list(&known);
        }
    }

    /// What `this` is here.
    fn this(&mut self, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.this {
            This::Unknown => builder.unknown(),
            This::Instance(scope) => builder.expr(Expr::This { scope }),
            This::Type(scope) => builder.expr(Expr::ThisType { scope }),
            This::Object(scope) => builder.expr(Expr::Object { scope }),
            This::Constructed(binding) => {
                let scope = self.extension(binding, builder);
                builder.expr(Expr::This { scope })
            }
            This::Declared(expr) => expr,
        }
    }

    /// An instance of a type; unknown of one that is unknown.
    fn instance(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Instance { of }) }
    }

    /// What a container holds. A module that is waited for is that module.
    fn element(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match builder.names.expr(of) {
            Expr::Unknown | Expr::Imported { .. } => of,
            _ => builder.expr(Expr::Element { of }),
        }
    }

    /// The type of a value.
    fn type_of(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match builder.names.expr(of) {
            Expr::Unknown => of,
            Expr::Instance { of } => of,
            _ => builder.expr(Expr::TypeOf { of }),
        }
    }

    /// A container of values such as `element`.
    fn container(element: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let of = Self::type_of(element, builder);
        if of == builder.unknown() {
            return of;
        }
        let args = builder.list(&[of]);
        builder.expr(Expr::Generic { base: None, args })
    }

    /// What holds for the whole file, once it is read.
    fn finish(&mut self, builder: &mut NamesBuilder<'_>) {
        let mut assigned = std::mem::take(&mut self.assigned);
        assigned.sort_by_key(|(binding, _)| *binding);
        for group in assigned.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, _)) = group.first() else { continue };
            let before = builder.binding(*binding).values;
            if before.len as usize >= MAX_VALUES {
                continue;
            }
            let mut values = builder.names.list(before).to_vec();
            values.extend(group.iter().map(|(_, value)| *value));
            builder.binding(*binding).values = Span::default();
            Self::set_values(*binding, &values, builder);
        }
    }
}
