//! Go's interfaces: a type satisfies one by having its methods, without saying so.

use std::collections::BTreeSet;

use peelback_syntax::names::BindingKind;

use super::{Def, Referent, Resolver, Walk};
use crate::modules::Family;

/// How deep embedded interfaces are followed.
const MAX_EMBEDDED: usize = 8;

impl Resolver<'_> {
    /// Whether one of two methods of one name belongs to an interface that the other one's type satisfies, so that a
    /// call of the one may be a call of the other.
    pub fn corresponds(&self, one: Def, other: Def, walk: &mut Walk) -> bool {
        if self.family(one.file) != Some(Family::Go) || self.family(other.file) != Some(Family::Go) {
            return false;
        }
        let (Some(first), Some(second)) = (self.holder(one, walk), self.holder(other, walk)) else { return false };
        match (self.is_of_interface(one), self.is_of_interface(other)) {
            (true, false) => self.satisfies(second, first, walk),
            (false, true) => self.satisfies(first, second, walk),
            _ => false,
        }
    }

    /// Whether a method stands in an interface: those of other types stand outside of them.
    fn is_of_interface(&self, method: Def) -> bool {
        let Some(binding) = self.binding(method) else { return false };
        let owner = self.file(method.file).and_then(|indexed| indexed.owner(binding.scope));
        binding.kind == BindingKind::Function && owner.is_some()
    }

    /// Whether a type has all methods of an interface.
    fn satisfies(&self, concrete: Def, interface: Def, walk: &mut Walk) -> bool {
        let key = (concrete, interface);
        if let Some(known) = self.satisfied.get(&key) {
            return known;
        }
        let mut methods = BTreeSet::new();
        self.methods_of(interface, &mut methods, MAX_EMBEDDED, walk);
        let has = |method: &Def, walk: &mut Walk| {
            let Some(binding) = self.binding(*method) else { return false };
            let name = self.text(method.file, binding.name);
            let found = self.type_member(concrete, name, walk);
            found.referents.iter().any(|referent| match referent {
                Referent::Def(found) => self.is_alike(*method, *found),
                _ => false,
            })
        };
        let satisfied = !methods.is_empty() && methods.iter().all(|method| has(method, walk));
        self.satisfied.put(key, satisfied);
        satisfied
    }

    /// The methods of an interface, with those of the interfaces in it.
    fn methods_of(&self, interface: Def, methods: &mut BTreeSet<Def>, deep: usize, walk: &mut Walk) {
        let Some(indexed) = self.file(interface.file) else { return };
        if let Some(body) = indexed.binding(interface.binding).body {
            let bindings = (0..).zip(&indexed.names().bindings);
            let own = bindings.filter(|(_, binding)| binding.scope == body && binding.kind == BindingKind::Function);
            methods.extend(own.map(|(binding, _)| Def { file: interface.file, binding }));
        }
        if deep == 0 {
            return;
        }
        for (file, base) in self.bases(interface, walk) {
            for referent in self.define(file, base, walk).referents {
                if let Referent::Def(base) = referent
                    && base != interface
                {
                    self.methods_of(base, methods, deep - 1, walk);
                }
            }
        }
    }

    /// Whether two methods can have one signature, as far as their results tell.
    fn is_alike(&self, one: Def, other: Def) -> bool {
        let (Some(first), Some(second)) = (self.binding(one), self.binding(other)) else { return false };
        second.kind == BindingKind::Function && first.annotation.is_some() == second.annotation.is_some()
    }
}
