//! Go's interfaces: a type satisfies one by having its methods, without saying so.

use std::collections::BTreeSet;

use peelback_syntax::names::{Binding, BindingKind, Expr, ExprId, NameId};

use super::{Def, Referent, Resolver, Walk};
use crate::modules::{Family, FileId};

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
        let name = self.binding(method).map_or("", |binding| self.text(method.file, binding.name));
        let mut files: Vec<FileId> = Vec::new();
        for near in [embedded.file, interface.file] {
            files.extend(self.modules(near).map_or_else(Vec::new, |modules| modules.extenders(self.world(), near)));
        }
        files.sort_unstable();
        files.dedup();
        let is_it = |referent: &Referent| *referent == Referent::Def(method);
        // What is embedded is a field of its own name; what a type is merely defined by is none.
        let embeds = |file: FileId, binding: &Binding| {
            let (Some(indexed), Some(body)) = (self.file(file), binding.body) else { return false };
            indexed.names().list(binding.bases).iter().any(|base| match self.bare_name(file, *base) {
                Some(name) => !indexed.bound(body, name).is_empty(),
                None => false,
            })
        };
        let mut found = false;
        for file in files {
            let Some(names) = self.names(file) else { continue };
            for (id, binding) in (0..).zip(&names.bindings) {
                if found || binding.kind != BindingKind::Type || names.list(binding.bases).is_empty() {
                    continue;
                }
                let outer = Def { file, binding: id };
                found = embeds(file, binding)
                    && self.type_member(outer, name, walk).referents.iter().any(is_it)
                    && self.satisfies(outer, interface, walk);
            }
        }
        self.promotions.put((method, interface), found);
        found
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
