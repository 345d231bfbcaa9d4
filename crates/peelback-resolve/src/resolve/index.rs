//! An index of one file's names, for look-ups.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::declaration::{DeclarationSpace, MAX_DECLARED};
use super::returned_members::ReturnedMembers;
use peelback_syntax::names::{
    Binding, BindingId, BindingKind, Export, Exported, Expr, ExprId, Extension, FILE_SCOPE, ModuleImportId, NameId,
    Names, ScopeId, ScopeKind, Span,
};

/// The names in a file, with indexes by scope, by text and by import.
#[derive(Debug)]
pub(crate) struct NamesIndex {
    names: Arc<Names>,
    /// The bindings of the file, ordered by scope and name, then by place in the source.
    sorted_bindings: Vec<BindingId>,
    /// The names that are bound more than once in one scope, in the order of scopes and names.
    rebound_names: Vec<ReboundName>,
    /// For each binding of such a name, in the order of bindings, the index in `rebound_names`.
    rebound_by_binding: Vec<(BindingId, u32)>,
    /// The ids of the names in the file, in the order of their text.
    by_text: Vec<NameId>,
    /// The glob imports of the file, each with the scope that it binds names in, in the order of scopes.
    globs: Vec<(ScopeId, ModuleImportId)>,
    /// The bindings of the file, ordered by name, then by id.
    bindings_by_name: Vec<BindingId>,
    /// The name of the type that each extension extends, with the index of the extension among those of the file, in the
    /// order of names.
    extensions_by_type_name: Vec<(NameId, usize)>,
    /// The scope of each extension, with the index of the extension among those of the file, in the order of scopes.
    extensions_by_scope: Vec<(ScopeId, usize)>,
    /// The scopes that contain the scope of an extension directly, in order.
    scopes_around_extensions: Vec<ScopeId>,
    /// Each exported name, with the index of the export among those of the file, in the order of names.
    exports_by_name: Vec<(NameId, usize)>,
    /// The indexes of the exports that have no name of their own: those of all names of a module, and whole modules.
    star_and_whole_module_exports: Vec<usize>,
    /// The offsets at which the innermost scope changes, each with the innermost scope from there on; computed on first
    /// use.
    innermost_scopes: OnceLock<Vec<(u32, ScopeId)>>,
    /// Members of a CommonJS module's exports that only forward to a path of names (`exports.f = f`), each with the
    /// path, in the order of bindings.
    forwarded_members: Vec<(BindingId, ExprId)>,
    /// See [`NamesIndex::members_assigned_by_name`]; computed on first use.
    members_assigned_by_name: OnceLock<Vec<(BindingId, ExprId)>>,
    /// See [`NamesIndex::constants_holding_imported_members`]; computed on first use.
    constants_holding_imported_members: OnceLock<Vec<(BindingId, ExprId)>>,
    /// See [`NamesIndex::members_returned_by_functions`]; computed on first use.
    returned_members: OnceLock<ReturnedMembers>,
    /// Getters of a module's exports, in the order of bindings: see [`NamesIndex::exported_getters`].
    exported_getters: Vec<(BindingId, Option<ExprId>)>,
    /// Each function expression that is the value of a variable or field, with the variable or field, in the order of
    /// functions; computed on first use.
    holders_of_function_exprs: OnceLock<Vec<(BindingId, BindingId)>>,
    /// The names of function expressions that several fields hold; computed on first use.
    further_function_names: OnceLock<FurtherFunctionNames>,
}

/// The fields that hold a function expression which is the only value of an earlier field, too: `set` of
/// `a.set = a.header = () => {}`.
#[derive(Debug)]
struct FurtherFunctionNames {
    /// Each such field with the earlier field, in the order of such fields.
    by_further_name: Vec<(BindingId, BindingId)>,
    /// Each earlier field with such a field, in the order of earlier fields.
    by_first_name: Vec<(BindingId, BindingId)>,
}

/// A name that is bound more than once in one scope. Source code can bind one name tens of thousands of times, so what a
/// look-up needs of all these bindings together is computed once.
#[derive(Debug)]
struct ReboundName {
    scope: ScopeId,
    name: NameId,
    /// The bindings that are visible from a byte of the scope onwards, in the order of those bytes.
    sequential: Box<[BindingId]>,
    /// The bindings that are visible in the whole scope, imports first, which a look-up finds: all of them, or the ones
    /// that represent the others if there are too many.
    everywhere: Box<[BindingId]>,
    /// The bindings that have bodies, in the order of the source.
    with_bodies: Box<[BindingId]>,
    /// The bindings that represent those of the same class that are visible in the whole scope.
    representatives: Vec<(BindingClass, BindingId)>,
    /// Whether the bindings are a type and a value that have only the name in common, such as an interface and a
    /// constant. A class among them, which is both, makes them one definition.
    has_separate_type_and_value: bool,
}

fn is_bodiless_type(binding: &Binding) -> bool {
    binding.kind == BindingKind::Type && binding.body.is_none()
}

fn is_type_with_body(binding: &Binding) -> bool {
    binding.kind == BindingKind::Type && binding.body.is_some()
}

/// The bindings with bodies that are one definition.
pub(crate) enum DefinitionBodies<'a> {
    /// One binding, with or without a body.
    One([BindingId; 1]),
    /// Several bindings of one name.
    Several(&'a [BindingId]),
}

impl DefinitionBodies<'_> {
    /// The bindings, in source order.
    pub fn binding_ids(&self) -> &[BindingId] {
        match self {
            Self::One(ids) => ids,
            Self::Several(ids) => ids,
        }
    }
}

/// The class of a binding among those of one name in one scope. Bindings of one class, such as overloads, count as one
/// definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BindingClass {
    is_import: bool,
    space: DeclarationSpace,
    on_type: bool,
}

impl BindingClass {
    fn of_binding(binding: &Binding) -> Self {
        Self {
            is_import: binding.kind == BindingKind::Import,
            space: DeclarationSpace::from_binding(binding),
            on_type: binding.on_type,
        }
    }
}

/// The limit on the levels of nested destructuring patterns that are followed.
const MAX_NESTED_PATTERNS: usize = 16;

/// The limit on the number of expressions that are followed from a module's exports to the object literals that they
/// mean.
const MAX_EXPORT_EXPRS: usize = 64;

/// The binding that is returned for ids out of range, which a damaged cache entry could contain.
static PLACEHOLDER_BINDING: Binding = Binding {
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
    constant: false,
};

impl NamesIndex {
    pub fn new(names: Arc<Names>) -> Self {
        let key = |id: &BindingId| names.bindings.get(*id as usize).map(|b| (b.scope, b.name, b.at, *id));
        let count = BindingId::try_from(names.bindings.len()).unwrap_or(BindingId::MAX);
        // The binding of an unnamed function is in the function's own scope, where no look-up may find it.
        let anonymous = |id: &BindingId| {
            let binding = names.bindings.get(*id as usize);
            binding.is_none_or(|binding| binding.body == Some(binding.scope))
        };
        let mut order: Vec<BindingId> = (0..count).filter(|id| !anonymous(id)).collect();
        order.sort_unstable_by_key(key);
        let mut by_text: Vec<NameId> = (0..NameId::try_from(names.strings.len()).unwrap_or(NameId::MAX)).collect();
        by_text.sort_unstable_by(|a, b| names.name_text(*a).cmp(names.name_text(*b)));
        let mut globs: Vec<(ScopeId, ModuleImportId)> = (0..)
            .zip(&names.imports)
            .filter(|(_, import)| import.glob)
            .map(|(id, import)| (import.scope, id))
            .collect();
        globs.sort_unstable();
        let mut bindings_by_name: Vec<BindingId> = (0..count).collect();
        bindings_by_name.sort_unstable_by_key(|id| (names.bindings.get(*id as usize).map(|b| b.name), *id));
        let extended = |(index, extension): (usize, &Extension)| Some((extended_type_name(&names, extension)?, index));
        let mut extensions_by_type_name: Vec<(NameId, usize)> =
            names.extensions.iter().enumerate().filter_map(extended).collect();
        extensions_by_type_name.sort_unstable();
        let mut extensions_by_scope: Vec<(ScopeId, usize)> =
            names.extensions.iter().enumerate().map(|(index, extension)| (extension.scope, index)).collect();
        extensions_by_scope.sort_unstable();
        let around = |extension: &Extension| names.scopes.get(extension.scope as usize)?.parent;
        let mut scopes_around_extensions: Vec<ScopeId> = names.extensions.iter().filter_map(around).collect();
        scopes_around_extensions.sort_unstable();
        scopes_around_extensions.dedup();
        let exports = names.exports.as_deref().unwrap_or(&[]);
        let mut exports_by_name: Vec<(NameId, usize)> =
            exports.iter().enumerate().map(|(index, export)| (export.name, index)).collect();
        exports_by_name.sort_unstable();
        let is_unnamed = |export: &Export| matches!(export.what, Exported::AllOf(_) | Exported::Module(_));
        let star_and_whole_module_exports =
            exports.iter().enumerate().filter(|(_, export)| is_unnamed(export)).map(|(index, _)| index).collect();
        let mut made = Self {
            names,
            sorted_bindings: order,
            rebound_names: Vec::new(),
            rebound_by_binding: Vec::new(),
            by_text,
            globs,
            bindings_by_name,
            extensions_by_type_name,
            extensions_by_scope,
            scopes_around_extensions,
            exports_by_name,
            star_and_whole_module_exports,
            innermost_scopes: OnceLock::new(),
            forwarded_members: Vec::new(),
            members_assigned_by_name: OnceLock::new(),
            constants_holding_imported_members: OnceLock::new(),
            returned_members: OnceLock::new(),
            exported_getters: Vec::new(),
            holders_of_function_exprs: OnceLock::new(),
            further_function_names: OnceLock::new(),
        };
        made.index_rebound_names();
        made.index_exported_members();
        made
    }

    fn index_rebound_names(&mut self) {
        let key = |id: &BindingId| {
            let binding = self.binding_or_placeholder(*id);
            (binding.scope, binding.name)
        };
        let (mut rebound, mut by_binding) = (Vec::new(), Vec::new());
        for together in self.sorted_bindings.chunk_by(|a, b| key(a) == key(b)).filter(|together| together.len() > 1) {
            let index = u32::try_from(rebound.len()).unwrap_or(u32::MAX);
            by_binding.extend(together.iter().map(|id| (*id, index)));
            rebound.push(self.group_bindings_of_rebound_name(together));
        }
        by_binding.sort_unstable();
        self.rebound_names = rebound;
        self.rebound_by_binding = by_binding;
    }

    fn group_bindings_of_rebound_name(&self, together: &[BindingId]) -> ReboundName {
        let binding = |id: BindingId| self.binding_or_placeholder(id);
        let (mut sequential, mut everywhere): (Vec<BindingId>, Vec<BindingId>) =
            together.iter().copied().partition(|id| binding(*id).visible_from > 0);
        sequential.sort_by_key(|id| binding(*id).visible_from);
        let mut representatives: Vec<(BindingClass, BindingId)> = Vec::new();
        for id in &everywhere {
            let class = BindingClass::of_binding(binding(*id));
            match representatives.iter_mut().find(|(known, _)| *known == class) {
                // A forward declaration of a type stands for the definition.
                Some((_, first)) if is_bodiless_type(binding(*first)) && is_type_with_body(binding(*id)) => {
                    *first = *id
                }
                Some(_) => {}
                None => representatives.push((class, *id)),
            }
        }
        if everywhere.len() > MAX_DECLARED {
            // Definitions of one class are one, but each import leads elsewhere: one more than a resolution takes, so that it
            // says that there are others.
            let is_import = |id: &BindingId| binding(*id).kind == BindingKind::Import;
            let imports = everywhere.iter().copied().filter(is_import).take(MAX_DECLARED + 1);
            let others = representatives.iter().map(|(_, id)| *id).filter(|id| !is_import(id));
            everywhere = imports.chain(others).collect();
        }
        // A name that is imported and bound again (`try: import x` … `except: x = None`) means the import first.
        everywhere.sort_by_key(|id| binding(*id).kind != BindingKind::Import);
        let first = together.first().map_or(&PLACEHOLDER_BINDING, |id| binding(*id));
        let mut all = together.iter().map(|id| binding(*id));
        ReboundName {
            scope: first.scope,
            name: first.name,
            sequential: sequential.into(),
            everywhere: everywhere.into(),
            with_bodies: together.iter().copied().filter(|id| binding(*id).body.is_some()).collect(),
            representatives,
            has_separate_type_and_value: all.clone().any(|binding| binding.type_only)
                && !all.any(|binding| DeclarationSpace::from_binding(binding) == DeclarationSpace::Both),
        }
    }

    /// Finds the members of a CommonJS module's exports that only stand for other definitions.
    fn index_exported_members(&mut self) {
        let exports = self.names.exports.as_deref().unwrap_or(&[]);
        let (mut of_exports, mut wholes) = (BTreeSet::new(), Vec::new());
        for export in exports {
            match export.what {
                Exported::Module(whole) => wholes.push(whole),
                Exported::Expr(expr) => {
                    if let Expr::Bound { binding } = self.names.expr_by_id(expr) {
                        of_exports.insert(binding);
                    }
                }
                _ => {}
            }
        }
        let mut members = of_exports.clone();
        let objects = self.object_literal_scopes_of_exprs(wholes);
        if !objects.is_empty() {
            let bound = (0..).zip(&self.names.bindings);
            members.extend(bound.filter(|(_, binding)| objects.contains(&binding.scope)).map(|(id, _)| id));
        }
        let single_value = |id: BindingId| {
            let [value] = self.names.expr_ids_in_list_range(self.binding_or_placeholder(id).values) else {
                return None;
            };
            Some((*value, self.names.expr_by_id(*value)))
        };
        let forwarded = |id: BindingId| {
            let is_field = self.binding_or_placeholder(id).kind == BindingKind::Field;
            let (path, expr) = single_value(id).filter(|_| is_field)?;
            matches!(expr, Expr::Name { .. } | Expr::Member { .. } | Expr::Imported { .. }).then_some((id, path))
        };
        let getter = |id: BindingId| {
            let binding = self.binding_or_placeholder(id);
            if binding.kind != BindingKind::Property {
                return None;
            }
            let is_of_exports = of_exports.contains(&id);
            let returned = single_value(id).filter(|(path, expr)| {
                let is_path = matches!(expr, Expr::Name { .. } | Expr::Member { .. } | Expr::Imported { .. });
                // A getter of another object that returns more than a name of another module is a definition by itself.
                is_path && binding.body.is_none() && (is_of_exports || self.does_path_begin_with_import(*path))
            });
            (is_of_exports || returned.is_some()).then_some((id, returned.map(|(path, _)| path)))
        };
        let forwarded_members = members.iter().copied().filter_map(forwarded).collect();
        let exported_getters = members.iter().copied().filter_map(getter).collect();
        self.forwarded_members = forwarded_members;
        self.exported_getters = exported_getters;
    }

    /// Whether the first name of a path of names is that of an import, or the path begins with the module of an import.
    pub(super) fn does_path_begin_with_import(&self, mut path: ExprId) -> bool {
        loop {
            path = match self.names.expr_by_id(path) {
                // An expression comes after its operands.
                Expr::Member { base, .. } if base < path => base,
                Expr::Imported { .. } => return true,
                Expr::Name { name, scope, .. } => {
                    let mut at = Some(scope);
                    while let Some(scope) = at {
                        let bound = self.bindings_of_name_in_scope(scope, name);
                        if !bound.is_empty() {
                            let is_import =
                                |id: &BindingId| self.binding_or_placeholder(*id).kind == BindingKind::Import;
                            return bound.iter().any(is_import);
                        }
                        at = self.parent_scope(scope);
                    }
                    return false;
                }
                _ => return false,
            };
        }
    }

    /// The scopes of the object literals that the expressions `next` are, directly or through the name of a variable.
    pub(super) fn object_literal_scopes_of_exprs(&self, mut next: Vec<ExprId>) -> BTreeSet<ScopeId> {
        let mut objects = BTreeSet::new();
        for _ in 0..MAX_EXPORT_EXPRS {
            match next.pop().map(|expr| self.names.expr_by_id(expr)) {
                Some(Expr::Object { scope }) => {
                    objects.insert(scope);
                }
                Some(Expr::Either(values)) => next.extend(self.names.expr_ids_in_list_range(values)),
                Some(Expr::Name { name, scope, .. }) => {
                    let mut at = Some(scope);
                    while let Some(scope) = at {
                        if let [only] = self.bindings_of_name_in_scope(scope, name) {
                            next.extend(self.names.expr_ids_in_list_range(self.binding_or_placeholder(*only).values));
                            break;
                        }
                        at = self.parent_scope(scope);
                    }
                }
                Some(_) => {}
                None => break,
            }
        }
        objects
    }

    /// Members of a CommonJS module's exports that only forward to a path of names, each with the path.
    pub fn exported_members_forwarding_to_paths(&self) -> &[(BindingId, ExprId)] {
        &self.forwarded_members
    }

    /// Fields that are added to a type outside of its body and have one value, which is a name (`Node.prototype.walk = walk`):
    /// each with the name, in the order of bindings.
    pub fn members_assigned_by_name(&self) -> &[(BindingId, ExprId)] {
        self.members_assigned_by_name.get_or_init(|| {
            let scopes: BTreeSet<ScopeId> = self.names.extensions.iter().map(|extension| extension.scope).collect();
            let name_of = |(id, binding): (BindingId, &Binding)| {
                let is_added =
                    binding.kind == BindingKind::Field && !binding.on_type && scopes.contains(&binding.scope);
                match self.names.expr_ids_in_list_range(binding.values) {
                    [value] if is_added => {
                        matches!(self.names.expr_by_id(*value), Expr::Name { .. }).then_some((id, *value))
                    }
                    _ => None,
                }
            };
            (0..).zip(&self.names.bindings).filter_map(name_of).collect()
        })
    }

    /// Variables that stand for the member of an imported module that they hold (`const f = utils.f`), each with the member, in
    /// the order of bindings.
    pub fn constants_holding_imported_members(&self) -> &[(BindingId, ExprId)] {
        self.constants_holding_imported_members.get_or_init(|| self.find_constants_holding_imported_members())
    }

    /// The objects that functions of the file return, and the constants that may hold a member of such an object.
    pub fn members_returned_by_functions(&self) -> &ReturnedMembers {
        self.returned_members.get_or_init(|| ReturnedMembers::of_file(self))
    }

    /// Getters of a CommonJS module's exports that calls define (`Object.defineProperty(exports, "f", { get() { … } })`),
    /// each with the path of names or the module that it returns and nothing else. `None` where its code does not tell what
    /// it returns.
    pub fn exported_getters(&self) -> &[(BindingId, Option<ExprId>)] {
        &self.exported_getters
    }

    pub fn names(&self) -> &Arc<Names> {
        &self.names
    }

    /// The binding with this id; an empty one, a label without a name, for an id out of range.
    pub fn binding_or_placeholder(&self, id: BindingId) -> &Binding {
        self.names.bindings.get(id as usize).unwrap_or(&PLACEHOLDER_BINDING)
    }

    /// The id of the name with this text, if the file contains the name.
    pub fn name_id_of_text(&self, text: &str) -> Option<NameId> {
        let at = self.by_text.partition_point(|id| self.names.name_text(*id) < text);
        self.by_text.get(at).copied().filter(|id| self.names.name_text(*id) == text)
    }

    /// The bindings of a name in a scope, in source order.
    pub fn bindings_of_name_in_scope(&self, scope: ScopeId, name: NameId) -> &[BindingId] {
        let key = |id: &BindingId| {
            let binding = self.binding_or_placeholder(*id);
            (binding.scope, binding.name)
        };
        let start = self.sorted_bindings.partition_point(|id| key(id) < (scope, name));
        let rest = self.sorted_bindings.get(start..).unwrap_or(&[]);
        let end = match rest.get(1) {
            Some(second) if key(second) == (scope, name) => rest.partition_point(|id| key(id) <= (scope, name)),
            _ => usize::from(rest.first().is_some_and(|first| key(first) == (scope, name))),
        };
        rest.get(..end).unwrap_or(&[])
    }

    /// The bindings of a name in a scope that are visible at byte `at`: the last sequential binding before `at`, else
    /// those that are visible in the whole scope, imports first. Of more than [`MAX_DECLARED`] of the latter, as many
    /// imports as exceed it, and of the definitions those that represent the others.
    pub fn bindings_of_name_visible_at_byte(&self, scope: ScopeId, name: NameId, at: u32) -> &[BindingId] {
        let bound = self.bindings_of_name_in_scope(scope, name);
        let visible_from = |id: &BindingId| self.binding_or_placeholder(*id).visible_from;
        if bound.len() < 2 {
            return if bound.first().is_some_and(|only| visible_from(only) <= at) { bound } else { &[] };
        }
        let found = self.rebound_names.binary_search_by_key(&(scope, name), |rebound| (rebound.scope, rebound.name));
        let Some(rebound) = found.ok().and_then(|index| self.rebound_names.get(index)) else { return bound };
        let before = rebound.sequential.partition_point(|id| visible_from(id) <= at);
        match before.checked_sub(1).and_then(|last| rebound.sequential.get(last..before)) {
            Some(last) => last,
            None => &rebound.everywhere,
        }
    }

    /// The first of the bindings that are one definition with a binding of the file. Where static and instance members
    /// of a type are separate, `is_two_sided` returns `true`.
    pub fn first_binding_of_definition(&self, id: BindingId, is_two_sided: impl FnOnce() -> bool) -> BindingId {
        let binding = self.binding_or_placeholder(id);
        if binding.visible_from > 0 {
            return id;
        }
        let rebound = self.rebound_by_binding.binary_search_by_key(&id, |(id, _)| *id).ok();
        let rebound = rebound.and_then(|at| self.rebound_names.get(self.rebound_by_binding.get(at)?.1 as usize));
        let Some(rebound) = rebound else { return id };
        let own = BindingClass::of_binding(binding);
        let is_two_sided = is_two_sided();
        let first = rebound.representatives.iter().find(|(other, _)| {
            other.is_import == own.is_import
                && (!rebound.has_separate_type_and_value || other.space == own.space)
                && (!is_two_sided || other.on_type == own.on_type)
        });
        first.map_or(id, |(_, first)| *first)
    }

    /// The first of the bindings of one name that the source writes at one place: a field that is a method, too, such as
    /// the component of a record.
    pub fn first_binding_at_same_place(&self, id: BindingId) -> BindingId {
        let binding = self.binding_or_placeholder(id);
        match id.checked_sub(1).map(|before| (before, self.binding_or_placeholder(before))) {
            Some((before, other))
                if (other.at, other.scope, other.name) == (binding.at, binding.scope, binding.name) =>
            {
                before
            }
            _ => id,
        }
    }

    /// The variable or field whose value is a function expression: `f` of `const f = () => {}`. `function` is the binding
    /// of the function expression.
    pub fn holder_of_function_expr(&self, function: BindingId) -> Option<BindingId> {
        let holders = self.holders_of_function_exprs.get_or_init(|| self.find_holders_of_function_exprs());
        let at = holders.binary_search_by_key(&function, |(function, _)| *function).ok()?;
        holders.get(at).map(|(_, holder)| *holder)
    }

    /// The variable or field that holds the function expression whose own name, bound inside of it, is `name`: `exports.f` for
    /// `g` of `exports.f = function g() {}`. `None` where the holder may hold something else.
    pub fn holder_of_function_with_own_name(&self, name: BindingId) -> Option<BindingId> {
        let own = self.binding_or_placeholder(name);
        let single_function = |binding: &Binding| match self.names.expr_ids_in_list_range(binding.values) {
            [value] => match self.names.expr_by_id(*value) {
                Expr::Function { binding: function } => Some(function),
                _ => None,
            },
            _ => None,
        };
        let function = single_function(own)?;
        let is_inside = self.binding_or_placeholder(function).body == Some(own.scope);
        let holder = self.holder_of_function_expr(function).filter(|holder| is_inside && *holder != name)?;
        (single_function(self.binding_or_placeholder(holder)) == Some(function)).then_some(holder)
    }

    fn find_holders_of_function_exprs(&self) -> Vec<(BindingId, BindingId)> {
        let names = self.names();
        let mut found = Vec::new();
        for (holder, binding) in (0..).zip(&names.bindings) {
            if !matches!(binding.kind, BindingKind::Variable | BindingKind::Field) {
                continue;
            }
            for value in names.expr_ids_in_list_range(binding.values) {
                let Expr::Function { binding: function } = names.expr_by_id(*value) else { continue };
                let Some(body) = names.bindings.get(function as usize).and_then(|function| function.body) else {
                    continue;
                };
                // A function expression's own name is bound inside the function. The name outside tells more.
                found.push((function, body == binding.scope, holder));
            }
        }
        found.sort_unstable();
        found.dedup_by_key(|(function, ..)| *function);
        found.into_iter().map(|(function, _, holder)| (function, holder)).collect()
    }

    /// The field whose value a function expression is in the first place, if `field` is a further name of the function:
    /// `header` for `set` of `a.set = a.header = () => {}`.
    pub fn first_name_of_function_with_further_name(&self, field: BindingId) -> Option<BindingId> {
        let names = &self.further_function_names().by_further_name;
        let at = names.binary_search_by_key(&field, |(further, _)| *further).ok()?;
        names.get(at).map(|(_, first)| *first)
    }

    /// The fields that are further names of the function expression that `field` holds in the first place.
    pub fn further_names_of_function_held_by(&self, field: BindingId) -> impl Iterator<Item = BindingId> {
        let names = &self.further_function_names().by_first_name;
        let start = names.partition_point(|(first, _)| *first < field);
        let rest = names.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(first, _)| *first == field).map(|(_, further)| *further)
    }

    fn further_function_names(&self) -> &FurtherFunctionNames {
        self.further_function_names.get_or_init(|| {
            let function_of_field = |id: BindingId| {
                let binding = self.binding_or_placeholder(id);
                // A field with several values may hold another one.
                let [value] = self.names.expr_ids_in_list_range(binding.values) else { return None };
                match self.names.expr_by_id(*value) {
                    Expr::Function { binding: function } if binding.kind == BindingKind::Field => Some(function),
                    _ => None,
                }
            };
            let mut by_further_name = Vec::new();
            for (id, _) in (0..).zip(&self.names.bindings) {
                let Some(function) = function_of_field(id) else { continue };
                let first = self.holder_of_function_expr(function).filter(|first| *first != id);
                let holds_it_alone = |first: &BindingId| function_of_field(*first) == Some(function);
                by_further_name.extend(first.filter(holds_it_alone).map(|first| (id, first)));
            }
            let mut by_first_name: Vec<(BindingId, BindingId)> =
                by_further_name.iter().map(|(further, first)| (*first, *further)).collect();
            by_first_name.sort_unstable();
            FurtherFunctionNames { by_further_name, by_first_name }
        })
    }

    /// The bindings with bodies that are one definition with a binding: those of its name and scope, in source order, if
    /// it is visible everywhere in its scope and has a body; else the binding alone.
    pub fn bindings_with_body_of_definition(&self, id: BindingId) -> DefinitionBodies<'_> {
        let binding = self.binding_or_placeholder(id);
        if binding.visible_from == 0
            && binding.body.is_some()
            && let Ok(at) = self.rebound_by_binding.binary_search_by_key(&id, |(id, _)| *id)
            && let Some((_, rebound)) = self.rebound_by_binding.get(at)
            && let Some(rebound) = self.rebound_names.get(*rebound as usize)
        {
            return DefinitionBodies::Several(&rebound.with_bodies);
        }
        DefinitionBodies::One([id])
    }

    /// The bindings of all names in a scope.
    pub fn bindings_of_scope(&self, scope: ScopeId) -> &[BindingId] {
        let scope_of = |id: &BindingId| self.binding_or_placeholder(*id).scope;
        let start = self.sorted_bindings.partition_point(|id| scope_of(id) < scope);
        let rest = self.sorted_bindings.get(start..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|id| scope_of(id) == scope)).unwrap_or(&[])
    }

    /// The bindings of a name in all scopes of the file, in the order of their ids.
    pub fn bindings_of_name(&self, name: NameId) -> &[BindingId] {
        let name_of = |id: &BindingId| self.binding_or_placeholder(*id).name;
        let start = self.bindings_by_name.partition_point(|id| name_of(id) < name);
        let rest = self.bindings_by_name.get(start..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|id| name_of(id) == name)).unwrap_or(&[])
    }

    /// The indexes of the extensions of types whose last name, without type arguments, has this text, in source order.
    pub fn extensions_of_type_name_text(&self, text: &str) -> impl Iterator<Item = usize> {
        let name = self.name_id_of_text(text);
        let start = self.extensions_by_type_name.partition_point(|(of, _)| Some(*of) < name);
        let rest = self.extensions_by_type_name.get(start..).unwrap_or(&[]).iter();
        rest.take_while(move |(of, _)| Some(*of) == name).map(|(_, index)| *index)
    }

    /// The first extension of the file whose members are in a scope.
    pub fn extension_of_scope(&self, scope: ScopeId) -> Option<&Extension> {
        let at = self.extensions_by_scope.partition_point(|(of, _)| *of < scope);
        let (of, index) = self.extensions_by_scope.get(at)?;
        (*of == scope).then(|| self.names.extensions.get(*index))?
    }

    /// Whether a scope contains the scope of an extension directly.
    pub fn is_scope_around_extension(&self, scope: ScopeId) -> bool {
        self.scopes_around_extensions.binary_search(&scope).is_ok()
    }

    /// The exports of the file under the name with this text, in source order.
    pub fn exports_of_name_text(&self, text: &str) -> impl Iterator<Item = &Export> {
        let name = self.name_id_of_text(text);
        let start = self.exports_by_name.partition_point(|(of, _)| Some(*of) < name);
        let rest = self.exports_by_name.get(start..).unwrap_or(&[]).iter();
        let own = rest.take_while(move |(of, _)| Some(*of) == name);
        own.filter_map(|(_, index)| self.names.exports.as_deref()?.get(*index))
    }

    /// The exports of all names of a module, and of whole modules, in source order.
    pub fn star_and_whole_module_exports(&self) -> impl Iterator<Item = &Export> {
        self.star_and_whole_module_exports.iter().filter_map(|index| self.names.exports.as_deref()?.get(*index))
    }

    /// The innermost scope that contains a byte offset: the result of [`Names::innermost_scope_at_offset`].
    pub fn innermost_scope_at_offset(&self, byte: u32) -> ScopeId {
        let changes = self.innermost_scopes.get_or_init(|| {
            let scopes = self.names.scopes.iter();
            let mut offsets: Vec<u32> = scopes.flat_map(|scope| [scope.bytes.start, scope.bytes.end]).collect();
            offsets.sort_unstable();
            offsets.dedup();
            let innermost = self.names.innermost_scopes_at_sorted_offsets(&offsets);
            offsets.into_iter().zip(innermost).collect()
        });
        let after = changes.partition_point(|(offset, _)| *offset <= byte);
        after.checked_sub(1).and_then(|at| changes.get(at)).map_or(FILE_SCOPE, |(_, scope)| *scope)
    }

    /// Whether the innermost function or type around a byte offset is a function.
    pub fn is_inside_function(&self, byte: u32) -> bool {
        let mut at = Some(self.innermost_scope_at_offset(byte));
        while let Some(scope) = at {
            match self.scope_kind(scope) {
                ScopeKind::Function => return true,
                ScopeKind::Type | ScopeKind::File | ScopeKind::Module => return false,
                ScopeKind::Block | ScopeKind::MacroCall => at = self.parent_scope(scope),
            }
        }
        false
    }

    /// The bindings of the name with this text in a scope, in source order.
    pub fn bindings_of_name_text_in_scope(&self, scope: ScopeId, text: &str) -> &[BindingId] {
        self.name_id_of_text(text).map_or(&[], |name| self.bindings_of_name_in_scope(scope, name))
    }

    /// The type parameters that a scope binds, in source order.
    pub fn type_parameters_of_scope(&self, scope: ScopeId) -> Vec<BindingId> {
        let start = self.sorted_bindings.partition_point(|id| self.binding_or_placeholder(*id).scope < scope);
        let rest = self.sorted_bindings.get(start..).unwrap_or(&[]);
        let own = rest.iter().copied().take_while(|id| self.binding_or_placeholder(*id).scope == scope);
        let mut found: Vec<BindingId> =
            own.filter(|id| self.binding_or_placeholder(*id).kind == BindingKind::TypeParameter).collect();
        found.sort_unstable_by_key(|id| self.binding_or_placeholder(*id).at);
        found
    }

    /// The parameters that a function's scope binds, in source order, without the names that a parameter is
    /// destructured into.
    pub fn parameters_of_scope(&self, scope: ScopeId) -> Vec<BindingId> {
        let start = self.sorted_bindings.partition_point(|id| self.binding_or_placeholder(*id).scope < scope);
        let rest = self.sorted_bindings.get(start..).unwrap_or(&[]);
        let own = rest.iter().copied().take_while(|id| self.binding_or_placeholder(*id).scope == scope);
        let mut found: Vec<BindingId> = own
            .filter(|id| {
                self.binding_or_placeholder(*id).kind == BindingKind::Parameter
                    && !self.is_destructured_from_parameter(*id)
            })
            .collect();
        found.sort_unstable_by_key(|id| self.binding_or_placeholder(*id).at);
        found
    }

    /// Whether a binding is a name that a parameter of the same function is destructured into.
    pub fn is_destructured_from_parameter(&self, id: BindingId) -> bool {
        let binding = self.binding_or_placeholder(id);
        let mut at = self.names.expr_ids_in_list_range(binding.values).first().copied();
        for _ in 0..MAX_NESTED_PATTERNS {
            at = match at.map(|at| self.names.expr_by_id(at)) {
                Some(Expr::Member { base: of, .. } | Expr::Item { of, .. } | Expr::Element { of }) => Some(of),
                Some(Expr::Bound { binding: whole }) => {
                    let whole = self.binding_or_placeholder(whole);
                    return whole.kind == BindingKind::Parameter && whole.scope == binding.scope;
                }
                _ => return false,
            };
        }
        false
    }

    /// The glob imports that bind names in a scope.
    pub fn glob_imports_of_scope(&self, scope: ScopeId) -> impl Iterator<Item = ModuleImportId> + '_ {
        let start = self.globs.partition_point(|(at, _)| *at < scope);
        self.globs.get(start..).unwrap_or(&[]).iter().take_while(move |(at, _)| *at == scope).map(|(_, import)| *import)
    }

    pub fn parent_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        self.names.scopes.get(scope as usize)?.parent
    }

    pub fn scope_kind(&self, scope: ScopeId) -> ScopeKind {
        self.names.scopes.get(scope as usize).map_or(ScopeKind::Block, |scope| scope.kind)
    }

    pub fn scope_owner(&self, scope: ScopeId) -> Option<BindingId> {
        self.names.scopes.get(scope as usize)?.owner
    }

    /// The innermost scope with the members of a type that contains `scope`, or is it.
    pub fn enclosing_type_scope(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if self.scope_kind(scope) == ScopeKind::Type {
                return Some(scope);
            }
            at = self.parent_scope(scope);
        }
        None
    }
}

/// A type expression without its type arguments.
pub(crate) fn type_expr_without_type_arguments(names: &Names, expr: ExprId) -> ExprId {
    match names.expr_by_id(expr) {
        Expr::Generic { base: Some(base), .. } => base,
        Expr::Generic { base: None, args } => names.expr_ids_in_list_range(args).last().copied().unwrap_or(expr),
        _ => expr,
    }
}

/// The last name of the type that an extension extends, without type arguments.
fn extended_type_name(names: &Names, extension: &Extension) -> Option<NameId> {
    match names.expr_by_id(type_expr_without_type_arguments(names, extension.target)) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
        Expr::Bound { binding } => names.bindings.get(binding as usize).map(|binding| binding.name),
        _ => None,
    }
}
