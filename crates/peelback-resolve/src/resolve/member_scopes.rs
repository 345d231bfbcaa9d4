//! Look-up of bare names in languages whose code names the members of the enclosing types without a receiver, and in
//! which types, functions and variables of one name do not hide each other.

use peelback_syntax::names::{BindingKind, ExprId, FILE_SCOPE, NameId, RestrictedNameKind, ScopeId, ScopeKind};

use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;

/// A kind of definitions whose names are apart from those of other kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameSpace {
    Variable,
    Type,
    Function,
}

/// What is known of the types around a place.
#[derive(Default)]
struct Around {
    /// Whether one of them may inherit such a member from outside the project.
    has_outside_base: bool,
}

impl NameSpace {
    fn of_kind(kind: BindingKind) -> Self {
        match kind {
            BindingKind::Type | BindingKind::TypeAlias | BindingKind::TypeParameter | BindingKind::Module => Self::Type,
            BindingKind::Function | BindingKind::Macro => Self::Function,
            _ => Self::Variable,
        }
    }
}

impl Resolver<'_> {
    /// Resolves the bare name `name`, which is the expression `expr` and is looked up from `scope`. A name that can mean
    /// definitions of any kind means a variable, else a type, else a package.
    pub(crate) fn look_up_name_among_scopes_and_members(
        &self,
        file: FileId,
        (expr, scope): (ExprId, ScopeId),
        (name, at): (NameId, u32),
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(names) = self.names_of_file(file) else { return Resolution::default() };
        let text = names.name_text(name);
        let spaces: &[NameSpace] = match names.restricted_kind_of_name(expr) {
            Some(RestrictedNameKind::Type) => &[NameSpace::Type],
            Some(RestrictedNameKind::Function) => &[NameSpace::Function],
            None => &[NameSpace::Variable, NameSpace::Type],
        };
        let mut around = Around::default();
        for space in spaces {
            let found = self.look_up_name_in_space(file, scope, (name, at), *space, &mut around, budget);
            if !found.is_empty() || found.missing.is_any() {
                return found;
            }
        }
        if !spaces.contains(&NameSpace::Function)
            && let Some(modules) = self.module_resolver_of_file_language(file)
            && let Some(module) = modules.module_of_unbound_first_segment(self.project_index(), file, scope, text)
        {
            return Resolution::new(vec![Referent::Module(module)], true);
        }
        let semantics = self.semantics_of_file_language_or_default(file);
        if around.has_outside_base
            || semantics.is_unbound_name_outside(self, file, text, names.restricted_kind_of_name(expr))
        {
            return Resolution::new_outside_project();
        }
        // It may be in source that is generated.
        Resolution { missing: Missing::Unknown, ..Resolution::default() }
    }

    /// Looks a name up among the definitions of one kind, and records what is `around` the place.
    fn look_up_name_in_space(
        &self,
        file: FileId,
        scope: ScopeId,
        (name, at): (NameId, u32),
        space: NameSpace,
        around: &mut Around,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let Some(indexed) = self.names_index(file) else { return Resolution::default() };
        let text = indexed.names().name_text(name);
        let mut next = Some(scope);
        let mut passed = Vec::new();
        while let Some(here) = next {
            let found = match indexed.scope_kind(here) {
                ScopeKind::Type => {
                    let owner = indexed.scope_owner(here);
                    let found = owner.map_or_else(Resolution::default, |owner| {
                        let owner = Def { file, binding: owner };
                        budget.run_nested_within_limits(|budget| self.type_member(owner, text, budget))
                    });
                    around.has_outside_base |= found.referents.contains(&Referent::External);
                    passed.extend(owner);
                    found
                }
                _ => {
                    let mut found = Resolution::default();
                    for binding in indexed.bindings_of_name_visible_at_byte(here, name, at) {
                        let meant = self.resolve_definition_through_import(Def { file, binding: *binding }, budget);
                        // An import takes something that nothing declares: it hides what has the name elsewhere.
                        let is_import = indexed.binding_or_placeholder(*binding).kind == BindingKind::Import;
                        if meant.is_empty() && is_import {
                            found.missing |= Missing::Unknown;
                        }
                        found.add(meant);
                    }
                    found
                }
            };
            let mut found = self.keep_referents_in_space(found, space, here != FILE_SCOPE);
            if !found.is_empty() {
                // A type inside that one may inherit such a member. Types that derive from others seldom have types of their
                // bases in mind.
                if found.sure && space != NameSpace::Type {
                    let semantics = self.semantics_of_file_language_or_default(file);
                    let inside =
                        passed.iter().filter(|owner| indexed.binding_or_placeholder(**owner).body != Some(here));
                    found.sure = !inside
                        .copied()
                        .any(|binding| semantics.may_inherit_from_outside(self, Def { file, binding }, text, budget));
                }
                return found;
            }
            if found.missing.is_any() {
                return found;
            }
            next = self.enclosing_scope_visible_from(file, here);
        }
        if space == NameSpace::Type
            && let Some(modules) = self.module_resolver_of_file_language(file)
        {
            for module in modules.modules_visible_without_import(self.project_index(), file) {
                let member = self.module_member(&module, text, budget);
                let found = self.keep_referents_in_space(member.clone(), space, true);
                if !found.is_empty() {
                    return self.nearest_of_same_name(file, found);
                }
                // Functions of a file are members of a class that no type declares.
                let is_class = |referent: &Referent| match referent {
                    Referent::Module(module) => modules.is_class_of_files(module),
                    _ => false,
                };
                let classes: Vec<Referent> = member.referents.into_iter().filter(is_class).collect();
                if !classes.is_empty() {
                    return Resolution::new(classes, member.sure);
                }
            }
        }
        self.look_up_name_in_globs(file, text, space, budget)
    }

    /// The definitions of one kind that the glob imports of a file bind under a name.
    fn look_up_name_in_globs(
        &self,
        file: FileId,
        text: &str,
        space: NameSpace,
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut all = Resolution::default();
        let (sources, _) = self.referents_of_globs_binding_name(file, FILE_SCOPE, text, budget);
        for referent in sources.iter().flatten() {
            let found = match referent {
                Referent::Module(module)
                    if space == NameSpace::Type
                        || self
                            .module_resolver_of_file_language(file)
                            .is_some_and(|modules| modules.is_class_of_files(module)) =>
                {
                    budget.run_nested_within_limits(|budget| self.module_member(module, text, budget))
                }
                Referent::Def(def) => budget.run_nested_within_limits(|budget| self.type_member(*def, text, budget)),
                _ => continue,
            };
            all.add(self.keep_referents_in_space(found, space, true));
        }
        self.nearest_of_same_name(file, all)
    }

    /// Keeps the referents that are definitions of one kind. What is outside the project can be of any kind, but of a type's
    /// members it is only what the type may have.
    fn keep_referents_in_space(&self, mut found: Resolution, space: NameSpace, drops_outside: bool) -> Resolution {
        found.referents.retain(|referent| match referent {
            Referent::Def(def) => {
                self.binding_of_definition(*def).is_some_and(|binding| NameSpace::of_kind(binding.kind) == space)
            }
            Referent::Module(_) => space == NameSpace::Type && !drops_outside,
            Referent::Value(..) => space == NameSpace::Variable,
            Referent::External => !drops_outside,
        });
        found
    }

    /// Of several types that have one name in copies of one package, keeps those that are nearest to a file.
    pub(crate) fn nearest_of_same_name(&self, file: FileId, mut found: Resolution) -> Resolution {
        let paths = self.project_index().project_file_table();
        let own = paths.path_of_file(file);
        let shared = |referent: &Referent| match referent {
            Referent::Def(def) => {
                let other = paths.path_of_file(def.file);
                own.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
            }
            Referent::Module(Module::File(other)) => {
                let other = paths.path_of_file(*other);
                own.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
            }
            _ => 0,
        };
        let is_type = |referent: &Referent| match referent {
            Referent::Def(def) => self.binding_of_definition(*def).is_some_and(|binding| {
                NameSpace::of_kind(binding.kind) == NameSpace::Type && binding.scope == FILE_SCOPE
            }),
            _ => false,
        };
        if found.referents.len() > 1 && found.referents.iter().all(is_type) {
            let nearest = found.referents.iter().map(shared).max().unwrap_or(0);
            found.referents.retain(|referent| shared(referent) == nearest);
        }
        found
    }
}
