//! Which overload of a search target's name a use means, where the overloads of a scope are one definition: calls tell them
//! apart by the number of arguments.

use std::collections::HashMap;
use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Names, Occurrence, ParameterList, Role, Target};

use super::reference::Confidence;
use super::search::ReferenceSearch;
use super::target::SearchTarget;
use crate::modules::FileId;
use crate::resolve::definition::Def;

/// The overloads of search targets.
#[derive(Default)]
pub(super) struct Overloads {
    /// For each search target with overloads, all of them.
    by_target: HashMap<usize, Arc<OverloadSet>>,
    /// For each type, the search targets that construct it.
    constructors: HashMap<Def, Vec<usize>>,
}

/// The functions that are one definition.
#[derive(Default)]
struct OverloadSet {
    lists: Vec<ParameterList>,
    /// The indexes of the lists by the number and the types of parameters, and by the number alone.
    by_types: HashMap<(u32, u64), usize>,
    by_count: HashMap<u32, Vec<usize>>,
    /// For each declaration the index of its list.
    by_declaration: HashMap<Def, usize>,
    /// For each list the search target that has it, if one has.
    targets: Vec<Option<usize>>,
}

/// What a use of an overloaded name means.
pub(super) enum OverloadMeaning {
    /// The search target of this index, and how surely.
    Target(usize, Confidence),
    /// An overload that is not searched.
    Other,
}

/// Whether a name with this role may be called: an initialiser of a base looks like one of a field.
pub(super) fn may_call(role: Role) -> bool {
    matches!(role, Role::Call | Role::Write | Role::Decorator)
}

impl OverloadSet {
    /// The overloads among the declarations with these definitions, or `None` if there is just one function.
    fn new(search: &ReferenceSearch<'_>, target: &SearchTarget) -> Option<Self> {
        let resolver = search.resolver;
        let mut by_scope: Vec<Vec<(Def, ParameterList)>> = Vec::new();
        for def in &target.definitions {
            let Some(index) = resolver.names_index(def.file) else { continue };
            let own = index.binding_or_placeholder(def.binding);
            let together = index.bindings_of_name_in_scope(own.scope, own.name).iter();
            let lists = together.filter_map(|id| {
                let list = index.names().parameter_list_of_function(*id)?;
                Some((Def { file: def.file, binding: *id }, list))
            });
            by_scope.push(lists.collect());
        }
        // The scope with the most declarations tells best what the overloads are.
        by_scope.sort_by_key(|lists| std::cmp::Reverse(lists.len()));
        let mut made = Self::default();
        for (index, scope) in by_scope.into_iter().enumerate() {
            for (def, list) in scope {
                made.add(def, list, index == 0);
            }
        }
        made.targets = vec![None; made.lists.len()];
        (made.lists.len() > 1).then_some(made)
    }

    fn add(&mut self, def: Def, list: ParameterList, is_first_scope: bool) {
        let next = self.lists.len();
        let exact = self.by_types.get(&(list.most, list.types)).copied();
        let alike = self.by_count.get(&list.most).map_or(&[][..], Vec::as_slice);
        // Types can be written in two ways, so that the number of parameters alone tells of a definition elsewhere.
        let only = match alike {
            [only] if !is_first_scope => Some(*only),
            _ => None,
        };
        let at = exact.or(only).unwrap_or(next);
        if at == next {
            self.by_types.insert((list.most, list.types), at);
            self.by_count.entry(list.most).or_default().push(at);
        }
        match self.lists.get_mut(at) {
            Some(known) => known.required = known.required.min(list.required),
            None => self.lists.push(list),
        }
        self.by_declaration.insert(def, at);
    }
}

impl Overloads {
    pub fn new(search: &ReferenceSearch<'_>, targets: &[SearchTarget]) -> Self {
        let mut made = Self::default();
        // Targets of one definition have the same overloads.
        let mut sets: HashMap<Def, Option<OverloadSet>> = HashMap::new();
        let mut members: HashMap<Def, Vec<usize>> = HashMap::new();
        for (index, target) in targets.iter().enumerate() {
            let (Some(def), true) = (target.def, target.is_tellable_overload()) else {
                continue;
            };
            let is_function = |def| {
                search.resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Function)
            };
            if !is_function(def) || search.resolver.call_end.must_stop_now() {
                continue;
            }
            if target.is_member
                && let Some(owner) = search.evaluate_and_count_if_cut(|budget| search.resolver.owner_type(def, budget))
                && search
                    .resolver
                    .binding_of_definition(owner)
                    .is_some_and(|binding| search.resolver.name_text(owner.file, binding.name) == target.name)
            {
                made.constructors.entry(owner).or_default().push(index);
            }
            let key = target.definitions.first().copied().unwrap_or(def);
            let set = sets.entry(key).or_insert_with(|| OverloadSet::new(search, target));
            if let Some(set) = set
                && let Some(list) = target.outlined_def.and_then(|own| set.by_declaration.get(&own))
            {
                if let Some(slot @ None) = set.targets.get_mut(*list) {
                    *slot = Some(index);
                }
                members.entry(key).or_default().push(index);
            }
        }
        for (key, set) in sets {
            let Some(set) = set.map(Arc::new) else { continue };
            for index in members.remove(&key).unwrap_or_default() {
                made.by_target.insert(index, set.clone());
            }
        }
        made
    }

    /// The search targets that construct a type.
    pub fn constructor_target_of_type(&self, def: Def) -> Option<usize> {
        self.constructors.get(&def)?.first().copied()
    }

    /// Which overload a use of a search target means; `None` if the target has no overloads.
    pub fn meaning_of_use(
        &self,
        (target, confidence): (usize, Confidence),
        (file, names): (FileId, &Names),
        occurrence: &Occurrence,
    ) -> Option<OverloadMeaning> {
        let set = self.by_target.get(&target)?;
        let of_list = |list: usize| set.targets.get(list).copied().flatten();
        if let Target::Binding(binding) = occurrence.target {
            let list = *set.by_declaration.get(&Def { file, binding })?;
            return Some(match of_list(list) {
                Some(target) => OverloadMeaning::Target(target, confidence),
                None => OverloadMeaning::Other,
            });
        }
        let unsure = confidence.max(Confidence::Likely);
        let count = match occurrence.target {
            Target::Expr(expr) if may_call(occurrence.role) => names.arguments_of_call(expr).map(<[_]>::len),
            _ => None,
        };
        let Some(count) = count.and_then(|count| u32::try_from(count).ok()) else {
            // A declaration with `using` brings in all of them.
            let confidence = if occurrence.role == Role::Import { confidence } else { unsure };
            return Some(OverloadMeaning::Target(target, confidence));
        };
        let takes = |list: &ParameterList| (list.required..=list.most).contains(&count);
        let fitting: Vec<usize> =
            set.lists.iter().enumerate().filter(|(_, list)| takes(list)).map(|(at, _)| at).collect();
        let searched = fitting.iter().find_map(|list| of_list(*list));
        Some(match (fitting.as_slice(), searched) {
            ([], _) => OverloadMeaning::Target(target, unsure),
            ([_], Some(target)) => OverloadMeaning::Target(target, confidence),
            (_, Some(target)) => OverloadMeaning::Target(target, unsure),
            (_, None) => OverloadMeaning::Other,
        })
    }
}
