//! Go's interfaces: a type satisfies an interface by having its methods, without naming it.

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId};

use crate::modules::{FileId, folder_of};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::structural::{Fit, RequiredMethods};
use crate::semantics::StructuralTyping;

/// The most nested embedded interfaces that are followed.
const MAX_EMBEDDED: usize = 8;

/// Whether one of two methods of one name belongs to an interface that the other's type satisfies, so that a call of
/// one may call the other.
pub(super) fn can_correspond(resolver: &Resolver<'_>, one: Def, other: Def, budget: &mut EvaluationBudget) -> bool {
    let (Some(first), Some(second)) = (resolver.owner_type(one, budget), resolver.owner_type(other, budget)) else {
        return false;
    };
    match (is_of_interface(resolver, one), is_of_interface(resolver, other)) {
        (true, false) => {
            satisfies(resolver, second, first, budget) || is_promoted(resolver, other, second, first, budget)
        }
        (false, true) => {
            satisfies(resolver, first, second, budget) || is_promoted(resolver, one, first, second, budget)
        }
        _ => false,
    }
}

/// Whether some type that embeds `embedded`, the type of `method`, satisfies `interface` with that method.
fn is_promoted(
    resolver: &Resolver<'_>,
    method: Def,
    embedded: Def,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    if let Some(known) = resolver.promotions.get(&(method, interface)) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let name = resolver.binding(method).map_or("", |binding| resolver.text(method.file, binding.name));
    let mut files: Vec<FileId> = Vec::new();
    for near in [embedded.file, interface.file] {
        files.extend(
            resolver
                .module_resolver(near)
                .map_or_else(Vec::new, |modules| modules.extending_files(resolver.project_index(), near)),
        );
    }
    files.sort_unstable();
    files.dedup();
    let is_it = |referent: &Referent| *referent == Referent::Def(method);
    let mut found = false;
    for file in files {
        let Some(names) = resolver.names(file) else { continue };
        for (id, binding) in (0..).zip(&names.bindings) {
            if found || binding.kind != BindingKind::Type || names.list(binding.bases).is_empty() {
                continue;
            }
            let outer = Def { file, binding: id };
            found = embeds(resolver, outer)
                && resolver.type_member(outer, name, budget).referents.iter().any(is_it)
                && satisfies(resolver, outer, interface, budget);
        }
    }
    if !budget.truncated {
        resolver.promotions.put((method, interface), found);
    }
    budget.truncated |= before;
    found
}

/// Whether a type embeds others. An embedded type is a field of its own name, which the base in `type A B` is not.
pub(super) fn embeds(resolver: &Resolver<'_>, def: Def) -> bool {
    embedded_types(resolver, def).next().is_some()
}

/// The types that a struct embeds.
fn embedded_types<'r>(resolver: &'r Resolver<'_>, def: Def) -> impl Iterator<Item = ExprId> + 'r {
    let of = resolver.names_index(def.file).and_then(|indexed| Some((indexed, indexed.binding(def.binding).body?)));
    of.into_iter().flat_map(move |(indexed, body)| {
        let bases = indexed.names().list(indexed.binding(def.binding).bases).iter().copied();
        bases.filter(move |base| {
            last_name(resolver, def.file, *base).is_some_and(|name| !indexed.bindings_of(body, name).is_empty())
        })
    })
}

/// Whether a type embeds a type outside the project, whose methods are not known.
fn embeds_outside(resolver: &Resolver<'_>, def: Def, deep: usize, budget: &mut EvaluationBudget) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return true };
    embedded_types(resolver, def).any(|base| {
        resolver.resolve_expr(def.file, base, budget).referents.iter().any(|referent| match referent {
            Referent::Def(base) => *base != def && embeds_outside(resolver, resolver.canonical(*base), deep, budget),
            _ => true,
        })
    })
}

/// The last name of a type expression.
fn last_name(resolver: &Resolver<'_>, file: FileId, of: ExprId) -> Option<NameId> {
    match resolver.expr(file, resolver.without_type_arguments(file, of)) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
        _ => None,
    }
}

/// Whether a method is declared inside an interface. Methods of other types are declared outside the type.
fn is_of_interface(resolver: &Resolver<'_>, method: Def) -> bool {
    let Some(binding) = resolver.binding(method) else { return false };
    let owner = resolver.names_index(method.file).and_then(|indexed| indexed.scope_owner(binding.scope));
    binding.kind == BindingKind::Function && owner.is_some()
}

/// Whether a type has all methods of an interface.
fn satisfies(resolver: &Resolver<'_>, concrete: Def, interface: Def, budget: &mut EvaluationBudget) -> bool {
    fit(resolver, concrete, interface, budget) == Fit::Whole
}

/// How a type fits the methods of an interface that are known.
pub(super) fn fit(resolver: &Resolver<'_>, concrete: Def, interface: Def, budget: &mut EvaluationBudget) -> Fit {
    let key = (concrete, interface);
    if let Some(known) = resolver.fits.get(&key) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let required = required_methods(resolver, interface, budget);
    let mut fit = if required.methods.is_empty() { Fit::Not } else { Fit::Whole };
    for method in &required.methods {
        fit = fit.and(method_fit(resolver, concrete, *method, budget));
        if fit == Fit::Not {
            break;
        }
    }
    if !budget.truncated {
        resolver.fits.put(key, fit);
    }
    budget.truncated |= before;
    fit
}

/// Whether a type has a method that an interface requires.
fn method_fit(resolver: &Resolver<'_>, concrete: Def, method: Def, budget: &mut EvaluationBudget) -> Fit {
    let Some(binding) = resolver.binding(method) else { return Fit::Not };
    let name = resolver.text(method.file, binding.name);
    // A method that is not exported is a different method in another package.
    let exported = name.chars().next().is_some_and(char::is_uppercase);
    let found = resolver.type_member(concrete, name, budget);
    let is_it = |referent: &Referent| match referent {
        Referent::Def(found) => {
            (exported || is_one_package(resolver, method.file, found.file)) && can_implement(resolver, method, *found)
        }
        _ => false,
    };
    let is_project = |referent: &Referent| *referent != Referent::External;
    if found.referents.iter().any(is_it) {
        Fit::Whole
    } else if !found.referents.iter().any(is_project) && embeds_outside(resolver, concrete, MAX_EMBEDDED, budget) {
        Fit::Unknown
    } else {
        Fit::Not
    }
}

fn is_one_package(resolver: &Resolver<'_>, one: FileId, other: FileId) -> bool {
    let package = |file: FileId| {
        let name = resolver.names(file).and_then(|names| Some(names.text(names.package?)));
        (folder_of(resolver.project_index().files().path(file)), name)
    };
    one == other || package(one) == package(other)
}

/// The methods that an interface requires of a type, with the methods of the interfaces that it embeds.
pub(super) fn required_methods(
    resolver: &Resolver<'_>,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> RequiredMethods {
    let mut required = RequiredMethods::default();
    add_required_methods(resolver, interface, &mut required, MAX_EMBEDDED, budget);
    required
}

fn add_required_methods(
    resolver: &Resolver<'_>,
    interface: Def,
    required: &mut RequiredMethods,
    deep: usize,
    budget: &mut EvaluationBudget,
) {
    let Some(indexed) = resolver.names_index(interface.file) else { return };
    let binding = indexed.binding(interface.binding);
    if let Some(body) = binding.body {
        let bindings = (0..).zip(&indexed.names().bindings);
        let own = bindings.filter(|(_, binding)| binding.scope == body && binding.kind == BindingKind::Function);
        required.methods.extend(own.map(|(binding, _)| Def { file: interface.file, binding }));
    }
    let Some(deep) = deep.checked_sub(1) else {
        required.outside = true;
        return;
    };
    let mut bases = resolver.bases(interface, budget);
    if binding.kind == BindingKind::TypeAlias {
        bases.extend(binding.annotation.map(|meant| (interface.file, meant)));
    }
    for (file, base) in bases {
        let found = resolver.resolve_expr(file, base, budget).referents;
        let is_any = found == [Referent::External]
            && last_name(resolver, file, base).is_some_and(|name| resolver.text(file, name) == "any");
        // A union of types requires more than methods.
        required.outside |= found.is_empty();
        for referent in found {
            match referent {
                Referent::Def(base) if base != interface => {
                    add_required_methods(resolver, base, required, deep, budget)
                }
                Referent::Def(_) => {}
                _ => required.outside |= !is_any,
            }
        }
    }
}

/// Whether a definition is a method that can have the signature of another.
fn can_implement(resolver: &Resolver<'_>, one: Def, other: Def) -> bool {
    resolver.binding(other).is_some_and(|other| other.kind == BindingKind::Function)
        && have_same_signature(resolver, one, other, MAX_EMBEDDED)
}

fn have_same_signature(resolver: &Resolver<'_>, one: Def, other: Def, deep: usize) -> bool {
    let (Some(first), Some(second)) = (resolver.binding(one), resolver.binding(other)) else { return false };
    let (Some(ours), Some(theirs)) = (resolver.names(one.file), resolver.names(other.file)) else { return false };
    let results = match (first.annotation, second.annotation) {
        (Some(first), Some(second)) => can_be_same_type(resolver, (one.file, first), (other.file, second), deep),
        (first, second) => first.is_none() && second.is_none(),
    };
    let (ours, theirs) = (ours.list(first.bases), theirs.list(second.bases));
    let mut pairs = ours.iter().zip(theirs);
    results
        && ours.len() == theirs.len()
        && pairs.all(|(ours, theirs)| can_be_same_type(resolver, (one.file, *ours), (other.file, *theirs), deep))
}

/// Whether two type expressions can name one type. A type that is not understood can be any type.
fn can_be_same_type(resolver: &Resolver<'_>, one: (FileId, ExprId), other: (FileId, ExprId), deep: usize) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return true };
    let all = |ours, theirs| {
        let (Some(first), Some(second)) = (resolver.names(one.0), resolver.names(other.0)) else { return true };
        let (ours, theirs) = (first.list(ours), second.list(theirs));
        let mut pairs = ours.iter().zip(theirs);
        ours.len() == theirs.len() && pairs.all(|(a, b)| can_be_same_type(resolver, (one.0, *a), (other.0, *b), deep))
    };
    match (resolver.expr(one.0, one.1), resolver.expr(other.0, other.1)) {
        (Expr::Unknown, _) | (_, Expr::Unknown) | (Expr::Object { .. }, Expr::Object { .. }) => true,
        (Expr::Generic { base: None, args: ours }, Expr::Generic { base: None, args: theirs }) => all(ours, theirs),
        (Expr::Tuple(ours), Expr::Tuple(theirs)) => all(ours, theirs),
        (Expr::Function { binding: ours }, Expr::Function { binding: theirs }) => have_same_signature(
            resolver,
            Def { file: one.0, binding: ours },
            Def { file: other.0, binding: theirs },
            deep,
        ),
        (ours, theirs) => {
            match (named_type(resolver, one.0, ours, one.1), named_type(resolver, other.0, theirs, other.1)) {
                (Named::Anything, _) | (_, Named::Anything) => true,
                (Named::Nothing, Named::Nothing) => true,
                (Named::Type(ours), Named::Type(theirs)) => ours == theirs,
                (Named::Outside(ours), Named::Outside(theirs)) => ours == theirs,
                // `any` can also be written `interface{}`.
                (Named::Outside("any"), Named::Nothing) => matches!(theirs, Expr::Object { .. }),
                (Named::Nothing, Named::Outside("any")) => matches!(ours, Expr::Object { .. }),
                _ => false,
            }
        }
    }
}

/// What a type expression names.
fn named_type<'r>(resolver: &'r Resolver<'_>, file: FileId, expr: Expr, id: ExprId) -> Named<'r> {
    let name = match expr {
        Expr::Name { name, .. } | Expr::Member { name, .. } => name,
        Expr::Generic { base: Some(base), .. } => {
            return match resolver.expr(file, base) {
                Expr::Generic { .. } => Named::Anything,
                inner => named_type(resolver, file, inner, base),
            };
        }
        Expr::Generic { base: None, .. } | Expr::Tuple(_) | Expr::Function { .. } | Expr::Object { .. } => {
            return Named::Nothing;
        }
        _ => return Named::Anything,
    };
    match resolver.resolve_expr(file, id, &mut EvaluationBudget::new()).referents.as_slice() {
        [Referent::Def(def)] => match resolver.binding(*def).map(|binding| binding.kind) {
            Some(BindingKind::Type) => Named::Type(resolver.canonical(*def)),
            // An alias or a type parameter.
            _ => Named::Anything,
        },
        [Referent::External] => Named::Outside(resolver.text(file, name)),
        _ => Named::Anything,
    }
}

/// What a type expression names.
enum Named<'a> {
    /// A type of the project.
    Type(Def),
    /// A type outside the project, by its name.
    Outside(&'a str),
    /// A type without a name.
    Nothing,
    /// A type that is not known.
    Anything,
}

/// Go's structural typing.
pub(super) struct Interfaces;

impl StructuralTyping for Interfaces {
    fn required_methods(
        &self,
        resolver: &Resolver<'_>,
        interface: Def,
        budget: &mut EvaluationBudget,
    ) -> RequiredMethods {
        required_methods(resolver, interface, budget)
    }

    fn fit(&self, resolver: &Resolver<'_>, concrete: Def, interface: Def, budget: &mut EvaluationBudget) -> Fit {
        fit(resolver, concrete, interface, budget)
    }

    fn embeds(&self, resolver: &Resolver<'_>, def: Def) -> bool {
        embeds(resolver, def)
    }
}
