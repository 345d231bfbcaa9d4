//! What the names of a Python file mean.
//!
//! One walk over the tree. [`Binder`] holds what is known where the walk stands: the scope in which names are looked
//! up, the one in which they are bound, and the function or class around ([`Frame`]). Inside a function, `flow.rs` then
//! says which of several assignments reach a use.

mod assignments;
mod calls;
mod definitions;
mod expressions;
mod flow;
mod imports;
mod kinds;
mod patterns;
mod statements;
mod strings;
#[cfg(all(test, feature = "lang-python"))]
mod tests;
mod types;

use foldhash::{HashMap, HashMapExt as _};
use tree_sitter::{Node, TreeCursor};

use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, Target};
use flow::Flow;
use kinds::{Field, Kind, Tables};

/// Reads the tree below `root`.
pub(super) fn bind(root: Node<'_>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder::new(root);
    binder.body(builder, root);
    binder.finish(builder);
}

/// A child and which part of its parent it is.
#[derive(Clone, Copy)]
struct Child<'t> {
    node: Node<'t>,
    field: Field,
}

/// Children of one node, in [`Binder::kids`].
#[derive(Clone, Copy)]
struct Kids {
    start: usize,
    end: usize,
}

/// What a body belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    File,
    Class { is_enum: bool },
    Function,
}

/// The name of a method's first parameter.
#[derive(Clone, Copy)]
struct Receiver {
    name: NameId,
    /// The members of its class.
    members: ScopeId,
}

/// The file, a class or a function, while its body is read.
struct Frame {
    around: Around,
    /// Where its names are bound.
    home: ScopeId,
    /// Names that `global` and `nonlocal` bind elsewhere.
    elsewhere: Vec<(NameId, ScopeId)>,
    receiver: Option<Receiver>,
    returns: Vec<ExprId>,
    yields: Vec<ExprId>,
    is_generator: bool,
    /// Of a function.
    flow: Option<Flow>,
    /// Names that the body of a class or the file looks up in itself, and those that it binds, with the byte after.
    uses: Vec<ExprId>,
    bound: Vec<(NameId, u32)>,
}

/// A parameter of a test that may be given by a fixture of the same file.
struct Wanted {
    name: NameId,
    parameter: BindingId,
}

struct Binder<'t> {
    tables: &'static Tables,
    cursor: TreeCursor<'t>,
    /// The children of all nodes that the walk is inside of: one list for all saves one for each.
    kids: Vec<Child<'t>>,
    /// Where names are looked up.
    scope: ScopeId,
    frame: Frame,
    /// The last binding of a name in a scope.
    bound: HashMap<(ScopeId, NameId), BindingId>,
    /// What is assigned to bindings, in the order of the text.
    values: Vec<(BindingId, ExprId)>,
    /// Inside `if TYPE_CHECKING:`.
    type_checking: bool,
    /// The strings of `__all__` so far, and whether it also has parts that are not strings.
    all: Option<Vec<NameId>>,
    all_is_open: bool,
    /// Functions that `@fixture` decorates, and whether they yield what they give.
    fixtures: Vec<(NameId, bool)>,
    wanted: Vec<Wanted>,
    /// Values of builtin types: see [`Binder::builtin`].
    builtins: Vec<(&'static str, ExprId)>,
    /// What `isinstance` says in the condition that is being read.
    narrowed: Vec<expressions::Narrowed>,
}

impl<'t> Binder<'t> {
    fn new(root: Node<'t>) -> Self {
        Self {
            tables: Tables::get(),
            cursor: root.walk(),
            kids: Vec::new(),
            scope: FILE_SCOPE,
            frame: Frame::new(Around::File, FILE_SCOPE),
            bound: HashMap::new(),
            values: Vec::new(),
            type_checking: false,
            all: None,
            all_is_open: false,
            fixtures: Vec::new(),
            wanted: Vec::new(),
            builtins: Vec::new(),
            narrowed: Vec::new(),
        }
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        self.tables.kind(node)
    }

    /// The named children of a node, comments left out. They are there until [`Binder::done`] is called with them.
    fn children(&mut self, node: Node<'t>) -> Kids {
        let start = self.kids.len();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let child = self.cursor.node();
            if child.is_named() && !matches!(self.kind(child), Kind::Comment | Kind::LineContinuation) {
                let field = self.tables.field(self.cursor.field_id().map(Into::into));
                self.kids.push(Child { node: child, field });
            }
            more = self.cursor.goto_next_sibling();
        }
        Kids { start, end: self.kids.len() }
    }

    fn child(&self, kids: Kids, at: usize) -> Option<Child<'t>> {
        self.kids.get(kids.start..kids.end)?.get(at).copied()
    }

    fn done(&mut self, kids: Kids) {
        self.kids.truncate(kids.start);
    }

    /// The first children that stand in the fields asked for.
    fn fields<const N: usize>(&mut self, node: Node<'t>, wanted: [Field; N]) -> [Option<Node<'t>>; N] {
        let mut found = [None; N];
        let kids = self.children(node);
        for child in self.kids.get(kids.start..).unwrap_or(&[]) {
            for (slot, wanted) in found.iter_mut().zip(&wanted) {
                if slot.is_none() && child.field == *wanted {
                    *slot = Some(child.node);
                }
            }
        }
        self.done(kids);
        found
    }

    /// Reads each named child of a node with `read`.
    fn each<'s>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        node: Node<'t>,
        mut read: impl FnMut(&mut Self, &mut NamesBuilder<'s>, Child<'t>),
    ) {
        let kids = self.children(node);
        let mut at = 0;
        while let Some(child) = self.child(kids, at) {
            read(self, builder, child);
            at += 1;
        }
        self.done(kids);
    }

    /// The only named child, of `(x)`, `await x`, `*x`.
    fn only_child(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let kids = self.children(node);
        let child = self.child(kids, 0);
        self.done(kids);
        child.map(|child| child.node)
    }

    /// Runs `inside` with names looked up from `scope`.
    fn within<R>(&mut self, scope: ScopeId, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = inside(self);
        self.scope = outer;
        result
    }

    /// Binds a name where the language binds it in the body that is being read, and notes its occurrence.
    fn bind(&mut self, builder: &mut NamesBuilder<'_>, kind: BindingKind, node: Node<'t>) -> BindingId {
        let name = builder.name(node);
        let scope = self.home_of(name);
        self.bind_in(builder, scope, kind, node)
    }

    fn bind_in(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        scope: ScopeId,
        kind: BindingKind,
        node: Node<'t>,
    ) -> BindingId {
        let binding = builder.bind(scope, kind, node);
        let name = builder.binding(binding).name;
        self.bound.insert((scope, name), binding);
        binding
    }

    /// The scope in which the body that is being read binds a name.
    fn home_of(&self, name: NameId) -> ScopeId {
        let elsewhere = self.frame.elsewhere.iter().find(|(other, _)| *other == name);
        elsewhere.map_or(self.frame.home, |(_, scope)| *scope)
    }

    /// Says of a binding that the flow of its function must know: it holds from byte `from` on.
    fn flows(&mut self, builder: &mut NamesBuilder<'_>, binding: BindingId, from: usize, nothing: bool) {
        let (name, scope) = (builder.binding(binding).name, builder.binding(binding).scope);
        if scope == self.frame.home {
            match &mut self.frame.flow {
                Some(flow) => flow.assign(name, from, binding, nothing),
                None => self.frame.bound.push((name, u32::try_from(from).unwrap_or(u32::MAX))),
            }
        }
    }

    /// A bare name, looked up from here.
    fn use_name(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let expr = builder.use_name(node, self.scope, role);
        self.used(expr);
        expr
    }

    /// Notes an [`Expr::Name`] that is looked up from here.
    fn used(&mut self, expr: ExprId) {
        match &mut self.frame.flow {
            Some(flow) => flow.used(expr),
            None if self.scope == self.frame.home => self.frame.uses.push(expr),
            None => {}
        }
    }

    /// Whether a name is bound so far in a scope around, that of the file included.
    fn is_bound(&self, builder: &NamesBuilder<'_>, name: NameId) -> bool {
        let mut at = Some(self.scope);
        while let Some(scope) = at {
            if self.bound.contains_key(&(scope, name)) {
                return true;
            }
            at = builder.parent_of(scope);
        }
        false
    }

    fn assign(&mut self, builder: &NamesBuilder<'_>, binding: BindingId, value: ExprId) {
        if value != builder.unknown() {
            self.values.push((binding, value));
        }
    }

    /// An instance of a type that every file can name.
    fn builtin(&mut self, builder: &mut NamesBuilder<'_>, text: &'static str) -> ExprId {
        if let Some((_, expr)) = self.builtins.iter().find(|(known, _)| *known == text) {
            return *expr;
        }
        let name = builder.intern(text);
        let of = builder.expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
        let expr = builder.expr(Expr::Instance { of });
        self.builtins.push((text, expr));
        expr
    }

    /// An instance of a builtin container of values like `element`.
    fn container(&mut self, builder: &mut NamesBuilder<'_>, elements: &[ExprId]) -> ExprId {
        let types: Vec<ExprId> = elements.iter().map(|element| builder.expr(Expr::TypeOf { of: *element })).collect();
        let args = builder.list(&types);
        let of = builder.expr(Expr::Generic { base: None, args });
        builder.expr(Expr::Instance { of })
    }

    fn finish(mut self, builder: &mut NamesBuilder<'_>) {
        for wanted in std::mem::take(&mut self.wanted) {
            let Some((name, yields)) = self.fixtures.iter().find(|(name, _)| *name == wanted.name).copied() else {
                continue;
            };
            let callee = builder.expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 });
            let call = builder.expr(Expr::Call { callee });
            let value = if yields { builder.expr(Expr::Element { of: call }) } else { call };
            self.assign(builder, wanted.parameter, value);
        }
        // Values were noted as the text gives them; each binding wants its own together.
        self.values.sort_by_key(|(binding, _)| *binding);
        for group in self.values.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, _)) = group.first() else { continue };
            let values: Vec<ExprId> = group.iter().map(|(_, value)| *value).collect();
            builder.binding(*binding).values = builder.list(&values);
        }
        if !self.all_is_open {
            builder.names.star = self.all;
        }
    }
}

impl Frame {
    fn new(around: Around, home: ScopeId) -> Self {
        Self {
            around,
            home,
            elsewhere: Vec::new(),
            receiver: None,
            returns: Vec::new(),
            yields: Vec::new(),
            is_generator: false,
            flow: None,
            uses: Vec::new(),
            bound: Vec::new(),
        }
    }
}

/// Notes an occurrence of a part of the source that is no node of its own.
fn occur_at(builder: &mut NamesBuilder<'_>, name: NameId, at: usize, line: u32, role: Role, target: Target) {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    builder.names.occurrences.push(crate::names::Occurrence { name, at, line, role, target });
}
