//! Go's interfaces: a type satisfies an interface by having its methods, without naming it.

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId};

use crate::modules::{FileId, folder_of_path};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;
use crate::resolve::structural::{InterfaceFit, RequiredMethods};
use crate::semantics::StructuralTyping;

/// The limit on the levels of embedded types, embedded interfaces and nested type expressions that are followed.
const MAX_EMBEDDED: usize = 8;

/// Whether one of two methods of one name belongs to an interface that the other's type satisfies, so that a call of
/// one may call the other.
pub(super) fn is_interface_and_implementing_method_pair(
    resolver: &Resolver<'_>,
    one: Def,
    other: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    let (Some(first), Some(second)) = (resolver.owner_type(one, budget), resolver.owner_type(other, budget)) else {
        return false;
    };
    match (is_interface_method(resolver, one), is_interface_method(resolver, other)) {
        (true, false) => {
            has_all_interface_methods(resolver, second, first, budget)
                || is_method_promoted_into_implementation(resolver, other, second, first, budget)
        }
        (false, true) => {
            has_all_interface_methods(resolver, first, second, budget)
                || is_method_promoted_into_implementation(resolver, one, first, second, budget)
        }
        _ => false,
    }
}

/// Whether some type that embeds the type `embedded` satisfies `interface` by the `method` of that embedded type.
fn is_method_promoted_into_implementation(
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
    let name =
        resolver.binding_of_definition(method).map_or("", |binding| resolver.name_text(method.file, binding.name));
    let mut files: Vec<FileId> = Vec::new();
    for near in [embedded.file, interface.file] {
        files.extend(resolver.module_resolver_of_file_language(near).map_or_else(Vec::new, |modules| {
            modules.files_possibly_extending_types_of(resolver.project_index(), near)
        }));
    }
    files.sort_unstable();
    files.dedup();
    let is_it = |referent: &Referent| *referent == Referent::Def(method);
    let mut found = false;
    for file in files {
        let Some(names) = resolver.names_of_file(file) else { continue };
        for (id, binding) in (0..).zip(&names.bindings) {
            if found || binding.kind != BindingKind::Type || names.expr_ids_in_list_range(binding.bases).is_empty() {
                continue;
            }
            let outer = Def { file, binding: id };
            found = has_embedded_types(resolver, outer)
                && resolver.type_member(outer, name, budget).referents.iter().any(is_it)
                && has_all_interface_methods(resolver, outer, interface, budget);
        }
    }
    if !budget.truncated {
        resolver.promotions.insert((method, interface), found);
    }
    budget.truncated |= before;
    found
}

/// Whether a Go type embeds other types. An embedded type is also a field that is called like the type. The base `B` in
/// `type A B` is no such field.
pub(super) fn has_embedded_types(resolver: &Resolver<'_>, def: Def) -> bool {
    type_exprs_embedded_in_struct(resolver, def).next().is_some()
}

/// The types that a struct embeds.
fn type_exprs_embedded_in_struct<'r>(resolver: &'r Resolver<'_>, def: Def) -> impl Iterator<Item = ExprId> + 'r {
    let of = resolver
        .names_index(def.file)
        .and_then(|indexed| Some((indexed, indexed.binding_or_placeholder(def.binding).body?)));
    of.into_iter().flat_map(move |(indexed, body)| {
        let bases =
            indexed.names().expr_ids_in_list_range(indexed.binding_or_placeholder(def.binding).bases).iter().copied();
        bases.filter(move |base| {
            last_name_in_type_expr(resolver, def.file, *base)
                .is_some_and(|name| !indexed.bindings_of_name_in_scope(body, name).is_empty())
        })
    })
}

/// Whether a Go type embeds, at any depth, a type outside the project, whose methods are not known.
fn may_embed_external_type(resolver: &Resolver<'_>, def: Def, deep: usize, budget: &mut EvaluationBudget) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return true };
    type_exprs_embedded_in_struct(resolver, def).any(|base| {
        resolver.resolve_expr_as_name(def.file, base, budget).referents.iter().any(|referent| match referent {
            Referent::Def(base) => {
                *base != def
                    && may_embed_external_type(
                        resolver,
                        resolver.representative_of_same_name_in_scope(*base),
                        deep,
                        budget,
                    )
            }
            _ => true,
        })
    })
}

/// The last name in a type expression: `B` of `a.B`.
fn last_name_in_type_expr(resolver: &Resolver<'_>, file: FileId, of: ExprId) -> Option<NameId> {
    match resolver.expr_by_id(file, resolver.type_expr_without_type_arguments(file, of)) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(name),
        _ => None,
    }
}

/// Whether a method is declared inside an interface. Go declares the methods of other types outside the type.
fn is_interface_method(resolver: &Resolver<'_>, method: Def) -> bool {
    let Some(binding) = resolver.binding_of_definition(method) else { return false };
    let owner = resolver.names_index(method.file).and_then(|indexed| indexed.scope_owner(binding.scope));
    binding.kind == BindingKind::Function && owner.is_some()
}

/// Whether a type has all methods of an interface.
fn has_all_interface_methods(
    resolver: &Resolver<'_>,
    concrete: Def,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    fit_of_type_to_interface(resolver, concrete, interface, budget) == InterfaceFit::Complete
}

/// How well a type fits an interface: whether it has those methods of the interface that are known.
pub(super) fn fit_of_type_to_interface(
    resolver: &Resolver<'_>,
    concrete: Def,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> InterfaceFit {
    let key = (concrete, interface);
    if let Some(known) = resolver.interface_fits.get(&key) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let required = methods_required_by_interface(resolver, interface, budget);
    let mut fit = if required.methods.is_empty() { InterfaceFit::Missing } else { InterfaceFit::Complete };
    for method in &required.methods {
        fit = fit.combined_with(fit_of_type_to_required_method(resolver, concrete, *method, budget));
        if fit == InterfaceFit::Missing {
            break;
        }
    }
    if !budget.truncated {
        resolver.interface_fits.insert(key, fit);
    }
    budget.truncated |= before;
    fit
}

/// Whether a type has a method that an interface requires.
fn fit_of_type_to_required_method(
    resolver: &Resolver<'_>,
    concrete: Def,
    method: Def,
    budget: &mut EvaluationBudget,
) -> InterfaceFit {
    let Some(binding) = resolver.binding_of_definition(method) else { return InterfaceFit::Missing };
    let name = resolver.name_text(method.file, binding.name);
    // A method that is not exported is a different method in another package.
    let exported = name.chars().next().is_some_and(char::is_uppercase);
    let found = resolver.type_member(concrete, name, budget);
    let is_it = |referent: &Referent| match referent {
        Referent::Def(found) => {
            (exported || are_files_in_same_package(resolver, method.file, found.file))
                && can_implement_method(resolver, method, *found)
        }
        _ => false,
    };
    let is_project = |referent: &Referent| *referent != Referent::External;
    if found.referents.iter().any(is_it) {
        InterfaceFit::Complete
    } else if !found.referents.iter().any(is_project)
        && may_embed_external_type(resolver, concrete, MAX_EMBEDDED, budget)
    {
        InterfaceFit::Unknown
    } else {
        InterfaceFit::Missing
    }
}

fn are_files_in_same_package(resolver: &Resolver<'_>, one: FileId, other: FileId) -> bool {
    let package = |file: FileId| {
        let name = resolver.names_of_file(file).and_then(|names| Some(names.name_text(names.package?)));
        (folder_of_path(resolver.project_index().project_file_table().path_of_file(file)), name)
    };
    one == other || package(one) == package(other)
}

/// The methods that an interface requires of a type, with the methods of the interfaces that it embeds.
pub(super) fn methods_required_by_interface(
    resolver: &Resolver<'_>,
    interface: Def,
    budget: &mut EvaluationBudget,
) -> RequiredMethods {
    let mut required = RequiredMethods::default();
    add_methods_required_by_interface(resolver, interface, &mut required, MAX_EMBEDDED, budget);
    required
}

fn add_methods_required_by_interface(
    resolver: &Resolver<'_>,
    interface: Def,
    required: &mut RequiredMethods,
    deep: usize,
    budget: &mut EvaluationBudget,
) {
    let Some(indexed) = resolver.names_index(interface.file) else { return };
    let binding = indexed.binding_or_placeholder(interface.binding);
    if let Some(body) = binding.body {
        let bindings = (0..).zip(&indexed.names().bindings);
        let own = bindings.filter(|(_, binding)| binding.scope == body && binding.kind == BindingKind::Function);
        required.methods.extend(own.map(|(binding, _)| Def { file: interface.file, binding }));
    }
    let Some(deep) = deep.checked_sub(1) else {
        required.has_other_requirements = true;
        return;
    };
    let mut bases = resolver.bases_of_type(interface, budget).to_vec();
    if binding.kind == BindingKind::TypeAlias {
        bases.extend(binding.annotation.map(|meant| (interface.file, meant)));
    }
    for (file, base) in bases {
        let found = resolver.resolve_expr_as_name(file, base, budget).referents;
        let is_any = found == [Referent::External]
            && last_name_in_type_expr(resolver, file, base).is_some_and(|name| resolver.name_text(file, name) == "any");
        // A base that names no type is a union of types, which requires more than methods.
        required.has_other_requirements |= found.is_empty();
        for referent in found {
            match referent {
                Referent::Def(base) if base != interface => {
                    add_methods_required_by_interface(resolver, base, required, deep, budget)
                }
                Referent::Def(_) => {}
                _ => required.has_other_requirements |= !is_any,
            }
        }
    }
}

/// Whether `other` is a method that can have the signature of the method `one`.
fn can_implement_method(resolver: &Resolver<'_>, one: Def, other: Def) -> bool {
    resolver.binding_of_definition(other).is_some_and(|other| other.kind == BindingKind::Function)
        && can_have_same_signature(resolver, one, other, MAX_EMBEDDED)
}

fn can_have_same_signature(resolver: &Resolver<'_>, one: Def, other: Def, deep: usize) -> bool {
    let (Some(first), Some(second)) = (resolver.binding_of_definition(one), resolver.binding_of_definition(other))
    else {
        return false;
    };
    let (Some(ours), Some(theirs)) = (resolver.names_of_file(one.file), resolver.names_of_file(other.file)) else {
        return false;
    };
    let results = match (first.annotation, second.annotation) {
        (Some(first), Some(second)) => {
            can_exprs_name_same_type(resolver, (one.file, first), (other.file, second), deep)
        }
        (first, second) => first.is_none() && second.is_none(),
    };
    let (ours, theirs) = (ours.expr_ids_in_list_range(first.bases), theirs.expr_ids_in_list_range(second.bases));
    let mut pairs = ours.iter().zip(theirs);
    results
        && ours.len() == theirs.len()
        && pairs
            .all(|(ours, theirs)| can_exprs_name_same_type(resolver, (one.file, *ours), (other.file, *theirs), deep))
}

/// Whether two type expressions can name one type. A type that is not understood can be any type.
fn can_exprs_name_same_type(
    resolver: &Resolver<'_>,
    one: (FileId, ExprId),
    other: (FileId, ExprId),
    deep: usize,
) -> bool {
    let Some(deep) = deep.checked_sub(1) else { return true };
    let all = |ours, theirs| {
        let (Some(first), Some(second)) = (resolver.names_of_file(one.0), resolver.names_of_file(other.0)) else {
            return true;
        };
        let (ours, theirs) = (first.expr_ids_in_list_range(ours), second.expr_ids_in_list_range(theirs));
        let mut pairs = ours.iter().zip(theirs);
        ours.len() == theirs.len()
            && pairs.all(|(a, b)| can_exprs_name_same_type(resolver, (one.0, *a), (other.0, *b), deep))
    };
    match (resolver.expr_by_id(one.0, one.1), resolver.expr_by_id(other.0, other.1)) {
        (Expr::Unknown, _) | (_, Expr::Unknown) | (Expr::Object { .. }, Expr::Object { .. }) => true,
        (Expr::Generic { base: None, args: ours }, Expr::Generic { base: None, args: theirs }) => all(ours, theirs),
        (Expr::Tuple(ours), Expr::Tuple(theirs)) => all(ours, theirs),
        (Expr::Function { binding: ours }, Expr::Function { binding: theirs }) => can_have_same_signature(
            resolver,
            Def { file: one.0, binding: ours },
            Def { file: other.0, binding: theirs },
            deep,
        ),
        (ours, theirs) => {
            match (
                type_named_by_expr(resolver, one.0, ours, one.1),
                type_named_by_expr(resolver, other.0, theirs, other.1),
            ) {
                (NamedType::Unknown, _) | (_, NamedType::Unknown) => true,
                (NamedType::Unnamed, NamedType::Unnamed) => true,
                (NamedType::Type(ours), NamedType::Type(theirs)) => ours == theirs,
                (NamedType::External(ours), NamedType::External(theirs)) => ours == theirs,
                // `any` can also be written `interface{}`.
                (NamedType::External("any"), NamedType::Unnamed) => matches!(theirs, Expr::Object { .. }),
                (NamedType::Unnamed, NamedType::External("any")) => matches!(ours, Expr::Object { .. }),
                _ => false,
            }
        }
    }
}

/// The type that a type expression names, for the comparison of signatures.
fn type_named_by_expr<'r>(resolver: &'r Resolver<'_>, file: FileId, expr: Expr, id: ExprId) -> NamedType<'r> {
    let name = match expr {
        Expr::Name { name, .. } | Expr::Member { name, .. } => name,
        Expr::Generic { base: Some(base), .. } => {
            return match resolver.expr_by_id(file, base) {
                // No type has two lists of type arguments, so this function calls itself once at most.
                Expr::Generic { .. } => NamedType::Unknown,
                inner => type_named_by_expr(resolver, file, inner, base),
            };
        }
        Expr::Generic { base: None, .. } | Expr::Tuple(_) | Expr::Function { .. } | Expr::Object { .. } => {
            return NamedType::Unnamed;
        }
        _ => return NamedType::Unknown,
    };
    match resolver.resolve_expr_as_name(file, id, &mut resolver.new_budget()).referents.as_slice() {
        [Referent::Def(def)] => match resolver.binding_of_definition(*def).map(|binding| binding.kind) {
            Some(BindingKind::Type) => NamedType::Type(resolver.representative_of_same_name_in_scope(*def)),
            // An alias or a type parameter may stand for any type.
            _ => NamedType::Unknown,
        },
        [Referent::External] => NamedType::External(resolver.name_text(file, name)),
        _ => NamedType::Unknown,
    }
}

/// The type that a type expression names, for the comparison of signatures.
enum NamedType<'a> {
    /// A type of the project.
    Type(Def),
    /// A type outside the project, by its name.
    External(&'a str),
    /// A type that is written out without a name, such as a function type.
    Unnamed,
    /// A type that is not known, and so can be any type.
    Unknown,
}

/// How Go's types satisfy interfaces, as an implementation of [`StructuralTyping`].
pub(super) struct GoInterfaces;

impl StructuralTyping for GoInterfaces {
    fn methods_required_by_interface(
        &self,
        resolver: &Resolver<'_>,
        interface: Def,
        budget: &mut EvaluationBudget,
    ) -> RequiredMethods {
        methods_required_by_interface(resolver, interface, budget)
    }

    fn fit_of_type_to_interface(
        &self,
        resolver: &Resolver<'_>,
        concrete: Def,
        interface: Def,
        budget: &mut EvaluationBudget,
    ) -> InterfaceFit {
        fit_of_type_to_interface(resolver, concrete, interface, budget)
    }

    fn has_embedded_types(&self, resolver: &Resolver<'_>, def: Def) -> bool {
        has_embedded_types(resolver, def)
    }
}
