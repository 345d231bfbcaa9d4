//! One file's names, ready to be looked up in.

use std::collections::BTreeSet;
use std::sync::Arc;

use peelback_syntax::names::{
    Binding, BindingId, BindingKind, Exported, Expr, ExprId, ModuleImportId, NameId, Names, ScopeId, ScopeKind, Span,
};

/// A file's names, sorted for look-ups.
#[derive(Debug)]
pub(crate) struct Indexed {
    names: Arc<Names>,
    /// Bindings by scope and name, then in the order of the text.
    order: Vec<BindingId>,
    /// Names by their text.
    by_text: Vec<NameId>,
    /// Links of everything, by their scope.
    globs: Vec<(ScopeId, ModuleImportId)>,
    /// The members of what a CommonJS module gives that only pass on what a path of names means (`exports.f = f`), each
    /// with that path; in order.
    passed_on: Vec<(BindingId, ExprId)>,
}

/// How deep patterns are followed.
const MAX_PARTS: usize = 16;

/// How many steps lead from what a module gives to the objects that it is.
const MAX_GIVEN: usize = 64;

/// A binding that is not there, for ids that a damaged cache entry could hold.
static NOTHING: Binding = Binding {
    name: NameId::MAX,
    scope: ScopeId::MAX,
    at: 0,
    visible_from: 0,
    kind: BindingKind::Label,
    body: None,
    annotation: None,
    values: Span { start: 0, len: 0 },
    bases: Span { start: 0, len: 0 },
    import: None,
    private: false,
    type_only: false,
    on_type: false,
    wrapped: false,
};

impl Indexed {
    pub fn new(names: Arc<Names>) -> Self {
        let key = |id: &BindingId| names.bindings.get(*id as usize).map(|b| (b.scope, b.name, b.at, *id));
        let count = BindingId::try_from(names.bindings.len()).unwrap_or(BindingId::MAX);
        // What describes a function without a name is bound nowhere.
        let anonymous = |id: &BindingId| {
            let binding = names.bindings.get(*id as usize);
            binding.is_none_or(|binding| binding.body == Some(binding.scope))
        };
        let mut order: Vec<BindingId> = (0..count).filter(|id| !anonymous(id)).collect();
        order.sort_unstable_by_key(key);
        let mut by_text: Vec<NameId> = (0..NameId::try_from(names.strings.len()).unwrap_or(NameId::MAX)).collect();
        by_text.sort_unstable_by(|a, b| names.text(*a).cmp(names.text(*b)));
        let mut globs: Vec<(ScopeId, ModuleImportId)> = (0..)
            .zip(&names.imports)
            .filter(|(_, import)| import.glob)
            .map(|(id, import)| (import.scope, id))
            .collect();
        globs.sort_unstable();
        let mut made = Self { names, order, by_text, globs, passed_on: Vec::new() };
        made.passed_on = made.find_passed_on();
        made
    }

    fn find_passed_on(&self) -> Vec<(BindingId, ExprId)> {
        let exports = self.names.exports.as_deref().unwrap_or(&[]);
        let (mut members, mut wholes) = (BTreeSet::new(), Vec::new());
        for export in exports {
            match export.what {
                Exported::Module(whole) => wholes.push(whole),
                Exported::Expr(expr) => {
                    if let Expr::Bound { binding } = self.names.expr(expr) {
                        members.insert(binding);
                    }
                }
                _ => {}
            }
        }
        let objects = self.objects(wholes);
        if !objects.is_empty() {
            let bound = (0..).zip(&self.names.bindings);
            members.extend(bound.filter(|(_, binding)| objects.contains(&binding.scope)).map(|(id, _)| id));
        }
        let value = |id: BindingId| {
            let binding = self.binding(id);
            let [value] = self.names.list(binding.values) else { return None };
            let is_path = matches!(self.names.expr(*value), Expr::Name { .. } | Expr::Member { .. });
            (is_path && binding.kind == BindingKind::Field).then_some((id, *value))
        };
        members.into_iter().filter_map(value).collect()
    }

    /// The scopes of the objects written out in this file that some expressions are, themselves or by a variable's name.
    fn objects(&self, mut next: Vec<ExprId>) -> BTreeSet<ScopeId> {
        let mut objects = BTreeSet::new();
        for _ in 0..MAX_GIVEN {
            match next.pop().map(|expr| self.names.expr(expr)) {
                Some(Expr::Object { scope }) => {
                    objects.insert(scope);
                }
                Some(Expr::Either(values)) => next.extend(self.names.list(values)),
                Some(Expr::Name { name, scope, .. }) => {
                    let mut at = Some(scope);
                    while let Some(scope) = at {
                        if let [only] = self.bound(scope, name) {
                            next.extend(self.names.list(self.binding(*only).values));
                            break;
                        }
                        at = self.parent(scope);
                    }
                }
                Some(_) => {}
                None => break,
            }
        }
        objects
    }

    /// The members of what a CommonJS module gives that only pass on what a path of names means, each with that path.
    pub fn passed_on(&self) -> &[(BindingId, ExprId)] {
        &self.passed_on
    }

    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    pub fn binding(&self, id: BindingId) -> &Binding {
        self.names.bindings.get(id as usize).unwrap_or(&NOTHING)
    }

    /// The id of a name that the file holds.
    pub fn id_of(&self, text: &str) -> Option<NameId> {
        let at = self.by_text.partition_point(|id| self.names.text(*id) < text);
        self.by_text.get(at).copied().filter(|id| self.names.text(*id) == text)
    }

    /// What is bound to a name in a scope, in the order of the text.
    pub fn bound(&self, scope: ScopeId, name: NameId) -> &[BindingId] {
        let key = |id: &BindingId| {
            let binding = self.binding(*id);
            (binding.scope, binding.name)
        };
        let start = self.order.partition_point(|id| key(id) < (scope, name));
        let rest = self.order.get(start..).unwrap_or(&[]);
        let count = rest.iter().take_while(|id| key(id) == (scope, name)).count();
        rest.get(..count).unwrap_or(&[])
    }

    /// The same, for a name by its text.
    pub fn bound_text(&self, scope: ScopeId, text: &str) -> &[BindingId] {
        self.id_of(text).map_or(&[], |name| self.bound(scope, name))
    }

    /// The type parameters that are bound in a scope, in the order of the text.
    pub fn type_parameters(&self, scope: ScopeId) -> Vec<BindingId> {
        let start = self.order.partition_point(|id| self.binding(*id).scope < scope);
        let rest = self.order.get(start..).unwrap_or(&[]);
        let own = rest.iter().copied().take_while(|id| self.binding(*id).scope == scope);
        let mut found: Vec<BindingId> = own.filter(|id| self.binding(*id).kind == BindingKind::TypeParameter).collect();
        found.sort_unstable_by_key(|id| self.binding(*id).at);
        found
    }

    /// The parameters that are bound in a function's scope, in the order of the text. What one is taken apart into is
    /// bound there as well, and is none.
    pub fn parameters(&self, scope: ScopeId) -> Vec<BindingId> {
        let start = self.order.partition_point(|id| self.binding(*id).scope < scope);
        let rest = self.order.get(start..).unwrap_or(&[]);
        let own = rest.iter().copied().take_while(|id| self.binding(*id).scope == scope);
        let mut found: Vec<BindingId> =
            own.filter(|id| self.binding(*id).kind == BindingKind::Parameter && !self.is_part(*id)).collect();
        found.sort_unstable_by_key(|id| self.binding(*id).at);
        found
    }

    /// Whether a parameter's binding is a part of what a whole parameter is given.
    pub fn is_part(&self, id: BindingId) -> bool {
        let binding = self.binding(id);
        let mut at = self.names.list(binding.values).first().copied();
        for _ in 0..MAX_PARTS {
            at = match at.map(|at| self.names.expr(at)) {
                Some(Expr::Member { base: of, .. } | Expr::Item { of, .. } | Expr::Element { of }) => Some(of),
                Some(Expr::Bound { binding: whole }) => {
                    let whole = self.binding(whole);
                    return whole.kind == BindingKind::Parameter && whole.scope == binding.scope;
                }
                _ => return false,
            };
        }
        false
    }

    /// The imports that bind every name of their source in a scope.
    pub fn globs(&self, scope: ScopeId) -> impl Iterator<Item = ModuleImportId> + '_ {
        let start = self.globs.partition_point(|(at, _)| *at < scope);
        self.globs.get(start..).unwrap_or(&[]).iter().take_while(move |(at, _)| *at == scope).map(|(_, import)| *import)
    }

    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.names.scopes.get(scope as usize)?.parent
    }

    pub fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.names.scopes.get(scope as usize).map_or(ScopeKind::Block, |scope| scope.kind)
    }

    pub fn owner(&self, scope: ScopeId) -> Option<BindingId> {
        self.names.scopes.get(scope as usize)?.owner
    }

    /// The nearest scope of members around a scope, itself included.
    pub fn type_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if self.kind(scope) == ScopeKind::Type {
                return Some(scope);
            }
            at = self.parent(scope);
        }
        None
    }
}
