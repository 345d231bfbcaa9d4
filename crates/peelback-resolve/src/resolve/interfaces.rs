//! Go's interfaces: a type satisfies one by having its methods, without saying so.

use std::collections::BTreeSet;

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId};

use super::{Def, Referent, Resolver, Walk};
use crate::modules::{Family, FileId, folder_of};

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
            (true, false) => self.satisfies(second, first, walk) || self.promoted(other, second, first, walk),
            (false, true) => self.satisfies(first, second, walk) || self.promoted(one, first, second, walk),
            _ => false,
        }
    }

    /// Whether a type that embeds the one of a method satisfies an interface by it.
    fn promoted(&self, method: Def, embedded: Def, interface: Def, walk: &mut Walk) -> bool {
        if let Some(known) = self.promotions.get(&(method, interface)) {
            return known;
        }
        let before = std::mem::replace(&mut walk.cut, false);
        let name = self.binding(method).map_or("", |binding| self.text(method.file, binding.name));
        let mut files: Vec<FileId> = Vec::new();
        for near in [embedded.file, interface.file] {
            files.extend(
                self.modules(near).map_or_else(Vec::new, |modules| modules.extenders(self.project_index(), near)),
            );
        }
        files.sort_unstable();
        files.dedup();
        let is_it = |referent: &Referent| *referent == Referent::Def(method);
        let mut found = false;
        for file in files {
            let Some(names) = self.names(file) else { continue };
            for (id, binding) in (0..).zip(&names.bindings) {
                if found || binding.kind != BindingKind::Type || names.list(binding.bases).is_empty() {
                    continue;
                }
                let outer = Def { file, binding: id };
                found = self.embeds(outer)
                    && self.type_member(outer, name, walk).referents.iter().any(is_it)
                    && self.satisfies(outer, interface, walk);
            }
        }
        if !walk.cut {
            self.promotions.put((method, interface), found);
        }
        walk.cut |= before;
        found
    }

    /// Whether a type embeds others: they are fields of their own names; what a type is merely defined by is none.
    pub fn embeds(&self, def: Def) -> bool {
        self.embedded(def).next().is_some()
    }

    /// The types that a struct embeds.
    fn embedded(&self, def: Def) -> impl Iterator<Item = ExprId> + '_ {
        let of = self.file(def.file).and_then(|indexed| Some((indexed, indexed.binding(def.binding).body?)));
        of.into_iter().flat_map(move |(indexed, body)| {
            let bases = indexed.names().list(indexed.binding(def.binding).bases).iter().copied();
            bases.filter(move |base| {
                self.bare_name(def.file, *base).is_some_and(|name| !indexed.bound(body, name).is_empty())
            })
        })
    }

    /// Whether a type embeds one from outside, whose methods are not known.
    fn embeds_outside(&self, def: Def, deep: usize, walk: &mut Walk) -> bool {
        let Some(deep) = deep.checked_sub(1) else { return true };
        self.embedded(def).any(|base| {
            self.define(def.file, base, walk).referents.iter().any(|referent| match referent {
                Referent::Def(base) => *base != def && self.embeds_outside(self.canonical(*base), deep, walk),
                _ => true,
            })
        })
    }

    /// The last name of a type that is written.
    fn bare_name(&self, file: FileId, of: ExprId) -> Option<NameId> {
        match self.expr(file, self.bare(file, of)) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
            _ => None,
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
        self.fit(concrete, interface, walk) == Fit::Whole
    }

    /// How a type stands to the methods of an interface that are known.
    pub fn fit(&self, concrete: Def, interface: Def, walk: &mut Walk) -> Fit {
        let key = (concrete, interface);
        if let Some(known) = self.fits.get(&key) {
            return known;
        }
        let before = std::mem::replace(&mut walk.cut, false);
        let demand = self.demand(interface, walk);
        let mut fit = if demand.methods.is_empty() { Fit::Not } else { Fit::Whole };
        for method in &demand.methods {
            fit = fit.and(self.gives(concrete, *method, walk));
            if fit == Fit::Not {
                break;
            }
        }
        if !walk.cut {
            self.fits.put(key, fit);
        }
        walk.cut |= before;
        fit
    }

    /// Whether a type has a method that an interface wants.
    fn gives(&self, concrete: Def, method: Def, walk: &mut Walk) -> Fit {
        let Some(binding) = self.binding(method) else { return Fit::Not };
        let name = self.text(method.file, binding.name);
        // What is not exported is another name in another package.
        let exported = name.chars().next().is_some_and(char::is_uppercase);
        let found = self.type_member(concrete, name, walk);
        let is_it = |referent: &Referent| match referent {
            Referent::Def(found) => {
                (exported || self.is_one_package(method.file, found.file)) && self.is_alike(method, *found)
            }
            _ => false,
        };
        let is_project = |referent: &Referent| *referent != Referent::External;
        if found.referents.iter().any(is_it) {
            Fit::Whole
        } else if !found.referents.iter().any(is_project) && self.embeds_outside(concrete, MAX_EMBEDDED, walk) {
            Fit::Unknown
        } else {
            Fit::Not
        }
    }

    fn is_one_package(&self, one: FileId, other: FileId) -> bool {
        let package = |file: FileId| {
            let name = self.names(file).and_then(|names| Some(names.text(names.package?)));
            (folder_of(self.project_index().files().path(file)), name)
        };
        one == other || package(one) == package(other)
    }

    /// What an interface wants of a type, with what the interfaces in it want.
    pub fn demand(&self, interface: Def, walk: &mut Walk) -> Demand {
        let mut demand = Demand::default();
        self.add_demand(interface, &mut demand, MAX_EMBEDDED, walk);
        demand
    }

    fn add_demand(&self, interface: Def, demand: &mut Demand, deep: usize, walk: &mut Walk) {
        let Some(indexed) = self.file(interface.file) else { return };
        let binding = indexed.binding(interface.binding);
        if let Some(body) = binding.body {
            let bindings = (0..).zip(&indexed.names().bindings);
            let own = bindings.filter(|(_, binding)| binding.scope == body && binding.kind == BindingKind::Function);
            demand.methods.extend(own.map(|(binding, _)| Def { file: interface.file, binding }));
        }
        let Some(deep) = deep.checked_sub(1) else {
            demand.outside = true;
            return;
        };
        let mut bases = self.bases(interface, walk);
        if binding.kind == BindingKind::TypeAlias {
            bases.extend(binding.annotation.map(|meant| (interface.file, meant)));
        }
        for (file, base) in bases {
            let found = self.define(file, base, walk).referents;
            let is_any = found == [Referent::External]
                && self.bare_name(file, base).is_some_and(|name| self.text(file, name) == "any");
            // A union of types, too, is not known by methods.
            demand.outside |= found.is_empty();
            for referent in found {
                match referent {
                    Referent::Def(base) if base != interface => self.add_demand(base, demand, deep, walk),
                    Referent::Def(_) => {}
                    _ => demand.outside |= !is_any,
                }
            }
        }
    }

    /// Whether two methods can have one signature.
    fn is_alike(&self, one: Def, other: Def) -> bool {
        self.binding(other).is_some_and(|other| other.kind == BindingKind::Function)
            && self.same_signature(one, other, MAX_EMBEDDED)
    }

    fn same_signature(&self, one: Def, other: Def, deep: usize) -> bool {
        let (Some(first), Some(second)) = (self.binding(one), self.binding(other)) else { return false };
        let (Some(ours), Some(theirs)) = (self.names(one.file), self.names(other.file)) else { return false };
        let results = match (first.annotation, second.annotation) {
            (Some(first), Some(second)) => self.same_type((one.file, first), (other.file, second), deep),
            (first, second) => first.is_none() && second.is_none(),
        };
        let (ours, theirs) = (ours.list(first.bases), theirs.list(second.bases));
        let mut pairs = ours.iter().zip(theirs);
        results
            && ours.len() == theirs.len()
            && pairs.all(|(ours, theirs)| self.same_type((one.file, *ours), (other.file, *theirs), deep))
    }

    /// Whether two types that are written may be one: what is not understood may be anything.
    fn same_type(&self, one: (FileId, ExprId), other: (FileId, ExprId), deep: usize) -> bool {
        let Some(deep) = deep.checked_sub(1) else { return true };
        let all = |ours, theirs| {
            let (Some(first), Some(second)) = (self.names(one.0), self.names(other.0)) else { return true };
            let (ours, theirs) = (first.list(ours), second.list(theirs));
            let mut pairs = ours.iter().zip(theirs);
            ours.len() == theirs.len() && pairs.all(|(a, b)| self.same_type((one.0, *a), (other.0, *b), deep))
        };
        match (self.expr(one.0, one.1), self.expr(other.0, other.1)) {
            (Expr::Unknown, _) | (_, Expr::Unknown) | (Expr::Object { .. }, Expr::Object { .. }) => true,
            (Expr::Generic { base: None, args: ours }, Expr::Generic { base: None, args: theirs }) => all(ours, theirs),
            (Expr::Tuple(ours), Expr::Tuple(theirs)) => all(ours, theirs),
            (Expr::Function { binding: ours }, Expr::Function { binding: theirs }) => {
                self.same_signature(Def { file: one.0, binding: ours }, Def { file: other.0, binding: theirs }, deep)
            }
            (ours, theirs) => match (self.type_named(one.0, ours, one.1), self.type_named(other.0, theirs, other.1)) {
                (Named::Anything, _) | (_, Named::Anything) => true,
                (Named::Nothing, Named::Nothing) => true,
                (Named::Type(ours), Named::Type(theirs)) => ours == theirs,
                (Named::Outside(ours), Named::Outside(theirs)) => ours == theirs,
                // `interface{}` is written without a name, too.
                (Named::Outside("any"), Named::Nothing) => matches!(theirs, Expr::Object { .. }),
                (Named::Nothing, Named::Outside("any")) => matches!(ours, Expr::Object { .. }),
                _ => false,
            },
        }
    }

    /// What the name of a type means.
    fn type_named(&self, file: FileId, expr: Expr, id: ExprId) -> Named<'_> {
        let name = match expr {
            Expr::Name { name, .. } | Expr::Member { name, .. } => name,
            Expr::Generic { base: Some(base), .. } => {
                return match self.expr(file, base) {
                    Expr::Generic { .. } => Named::Anything,
                    inner => self.type_named(file, inner, base),
                };
            }
            Expr::Generic { base: None, .. } | Expr::Tuple(_) | Expr::Function { .. } | Expr::Object { .. } => {
                return Named::Nothing;
            }
            _ => return Named::Anything,
        };
        match self.define(file, id, &mut Walk::new()).referents.as_slice() {
            [Referent::Def(def)] => match self.binding(*def).map(|binding| binding.kind) {
                Some(BindingKind::Type) => Named::Type(self.canonical(*def)),
                // An alias, or a parameter of the type.
                _ => Named::Anything,
            },
            [Referent::External] => Named::Outside(self.text(file, name)),
            _ => Named::Anything,
        }
    }
}

/// What an interface wants of a type.
#[derive(Default)]
pub(crate) struct Demand {
    /// Methods, by their declarations.
    pub methods: BTreeSet<Def>,
    /// Whether it wants more: what an interface from outside has, or to be one of certain types.
    pub outside: bool,
}

/// How a type stands to an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It has all methods.
    Whole,
    /// Those that it lacks may come from what it embeds, which is not of the project.
    Unknown,
    /// It lacks one.
    Not,
}

impl Fit {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Not, _) | (_, Self::Not) => Self::Not,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Whole, Self::Whole) => Self::Whole,
        }
    }
}

/// What stands where a type is written.
enum Named<'a> {
    /// A type of the project.
    Type(Def),
    /// One from outside, by its name.
    Outside(&'a str),
    /// A type without a name.
    Nothing,
    /// What may be any type.
    Anything,
}
