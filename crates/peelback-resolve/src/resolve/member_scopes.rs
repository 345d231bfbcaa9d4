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
    /// Definitions of all kinds, where they hide each other.
    Any,
}

/// A name that is looked up.
#[derive(Clone, Copy)]
struct Wanted {
    name: NameId,
    at: u32,
    /// The number of type parameters that a type of the name must have, where types differ by it.
    type_parameter_count: Option<usize>,
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
        let semantics = self.semantics_of_file_language_or_default(file);
        let spaces: &[NameSpace] = match names.restricted_kind_of_name(expr) {
            Some(RestrictedNameKind::Type) => &[NameSpace::Type],
            Some(RestrictedNameKind::Function) => &[NameSpace::Function],
            None if semantics.names_of_all_kinds_hide_each_other() => &[NameSpace::Any],
            None => &[NameSpace::Variable, NameSpace::Type],
        };
        let type_parameter_count =
            semantics.types_differ_by_type_parameter_count().then(|| names.type_argument_count_of_name(expr) as usize);
        let wanted = Wanted { name, at, type_parameter_count };
        let mut around = Around::default();
        for space in spaces {
            let found = self.look_up_name_in_space(file, scope, wanted, *space, &mut around, budget);
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
        Wanted { name, at, type_parameter_count }: Wanted,
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
            let mut found = self.keep_referents_in_space(found, (space, type_parameter_count), here != FILE_SCOPE);
            if !found.is_empty() {
                if space == NameSpace::Any {
                    found = self.keep_values_beside_types(found);
                }
                // A type inside that one may inherit such a member. Types that derive from others seldom have types of their
                // bases in mind.
                if found.sure && space != NameSpace::Type && !self.are_all_types(&found) {
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
        if matches!(space, NameSpace::Type | NameSpace::Any)
            && let Some(modules) = self.module_resolver_of_file_language(file)
        {
            for module in modules.modules_visible_without_import(self.project_index(), file) {
                let member = self.module_member(&module, text, budget);
                let found = self.keep_referents_in_space(member.clone(), (space, type_parameter_count), true);
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
        let shared =
            self.semantics_of_file_language_or_default(file).resolve_name_of_shared_imports(self, file, text, budget);
        let shared = self.keep_referents_in_space(shared, (space, type_parameter_count), true);
        if !shared.is_empty() {
            return shared;
        }
        self.look_up_name_in_globs(file, text, (space, type_parameter_count), budget)
    }

    /// The definitions of one kind that the glob imports of a file bind under a name.
    fn look_up_name_in_globs(
        &self,
        file: FileId,
        text: &str,
        (space, type_parameter_count): (NameSpace, Option<usize>),
        budget: &mut EvaluationBudget,
    ) -> Resolution {
        let mut all = Resolution::default();
        let (sources, _) = self.referents_of_globs_binding_name(file, FILE_SCOPE, text, budget);
        for referent in sources.iter().flatten() {
            let found = match referent {
                Referent::Module(module)
                    if matches!(space, NameSpace::Type | NameSpace::Any)
                        || self
                            .module_resolver_of_file_language(file)
                            .is_some_and(|modules| modules.is_class_of_files(module)) =>
                {
                    budget.run_nested_within_limits(|budget| self.module_member(module, text, budget))
                }
                Referent::Def(def) => budget.run_nested_within_limits(|budget| self.type_member(*def, text, budget)),
                _ => continue,
            };
            all.add(self.keep_referents_in_space(found, (space, type_parameter_count), true));
        }
        self.nearest_of_same_name(file, all)
    }

    /// Keeps the referents that are definitions of one kind. What is outside the project can be of any kind, but of a type's
    /// members it is only what the type may have.
    /// Of types that differ by the number of their type parameters, keeps those with the number that is wanted.
    fn keep_referents_in_space(
        &self,
        mut found: Resolution,
        (space, type_parameter_count): (NameSpace, Option<usize>),
        drops_outside: bool,
    ) -> Resolution {
        found.referents.retain(|referent| match referent {
            Referent::Def(def) => self.binding_of_definition(*def).is_some_and(|binding| {
                let semantics = self.semantics_of_file_language_or_default(def.file);
                let fits = match space {
                    NameSpace::Any => !semantics.belongs_to_declaring_type_alone(binding),
                    space => NameSpace::of_kind(binding.kind) == space,
                };
                let has_count =
                    |count| binding.kind != BindingKind::Type || self.type_parameter_count_of_type(*def) == count;
                fits && type_parameter_count.is_none_or(has_count)
            }),
            Referent::Module(_) => matches!(space, NameSpace::Type | NameSpace::Any) && !drops_outside,
            Referent::Value(..) => matches!(space, NameSpace::Variable | NameSpace::Any),
            Referent::External => !drops_outside,
        });
        found
    }

    /// Of definitions of several kinds, keeps those that are no types: a property can have the name of its type.
    fn keep_values_beside_types(&self, mut found: Resolution) -> Resolution {
        if found.referents.len() > 1 {
            let is_value = |referent: &Referent| match referent {
                Referent::Def(def) => self
                    .binding_of_definition(*def)
                    .is_some_and(|binding| NameSpace::of_kind(binding.kind) != NameSpace::Type),
                _ => false,
            };
            if found.referents.iter().any(is_value) {
                found.referents.retain(is_value);
            }
        }
        found
    }

    fn are_all_types(&self, found: &Resolution) -> bool {
        found.referents.iter().all(|referent| match referent {
            Referent::Def(def) => self
                .binding_of_definition(*def)
                .is_some_and(|binding| NameSpace::of_kind(binding.kind) == NameSpace::Type),
            _ => false,
        })
    }

    /// Keeps what the file can use, by the units in which files are compiled, unless nothing would be left.
    fn keep_definitions_seen_from_file(&self, file: FileId, found: &mut Resolution) {
        let Some(modules) = self.module_resolver_of_file_language(file) else { return };
        let fits = |can: &dyn Fn(FileId) -> bool, referent: &Referent| match referent {
            Referent::Def(def) => can(def.file),
            _ => true,
        };
        let is_seen = |to: FileId| modules.can_see_definitions_of_file(file, to);
        let is_own = |to: FileId| modules.are_compiled_together(file, to);
        for can in [&is_seen as &dyn Fn(FileId) -> bool, &is_own] {
            if found.referents.len() > 1 && found.referents.iter().any(|referent| fits(can, referent)) {
                found.referents.retain(|referent| fits(can, referent));
            }
        }
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
                let is_outermost = || {
                    let indexed = self.names_index(def.file);
                    indexed.is_some_and(|indexed| indexed.scope_kind(binding.scope) == ScopeKind::Module)
                };
                NameSpace::of_kind(binding.kind) == NameSpace::Type && (binding.scope == FILE_SCOPE || is_outermost())
            }),
            _ => false,
        };
        if found.referents.len() > 1 && found.referents.iter().all(is_type) {
            self.keep_definitions_seen_from_file(file, &mut found);
            let nearest = found.referents.iter().map(shared).max().unwrap_or(0);
            found.referents.retain(|referent| shared(referent) == nearest);
        }
        found
    }
}
