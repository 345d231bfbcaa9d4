//! Finds the results of those Rust method calls whose receiver determines the result.

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId, ScopeId};

use super::rules::RustSemantics;
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, PossibleValues, Value};
use crate::semantics::LanguageSemantics as _;

/// Names of the functions of standard traits that construct the type they are called on, also where the implementation
/// is derived.
const SELF_CONSTRUCTORS: &[&str] = &["default", "from", "from_iter", "parse", "parse_from"];

/// Names of the functions of standard traits that construct the type they are called on and return it in a `Result`.
const FALLIBLE_SELF_CONSTRUCTORS: &[&str] = &["deserialize", "from_str", "try_from", "try_parse", "try_parse_from"];

/// Whether traits of the standard library have a member of this name.
pub(super) fn is_standard_trait_member_name(name: &str) -> bool {
    RustSemantics.is_builtin_member_name(name)
        || SELF_CONSTRUCTORS.contains(&name)
        || FALLIBLE_SELF_CONSTRUCTORS.contains(&name)
}

/// The result of a method call if the receiver determines it; `None` if it is the result that the method declares.
pub(super) fn call_result_determined_by_receiver(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let Expr::Member { base, name, .. } = resolver.expr_by_id(file, callee) else { return None };
    let in_container =
        !functions.list.is_empty() && functions.list.iter().all(|value| matches!(value, Value::Container(_)));
    // A method of a standard container returns a value that is as sure as the container.
    if in_container && returns_receiver_or_element(resolver.name_text(file, name)) {
        return Some(resolver.evaluate_expr(file, base, budget));
    }
    call_result_of_self_type(resolver, file, base, name, functions, budget)
}

/// Names of the methods of standard containers and wrappers that return their receiver, or an element of it in a
/// wrapper.
const RECEIVER_RETURNING_METHODS: &[&str] = &[
    "as_deref",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "back",
    "back_mut",
    "by_ref",
    "chain",
    "choose",
    "clone",
    "cloned",
    "collect",
    "copied",
    "cycle",
    "dedup",
    "downgrade",
    "drain",
    "entry",
    "filter",
    "find",
    "first",
    "first_mut",
    "front",
    "front_mut",
    "fuse",
    "get",
    "get_mut",
    "get_or_init",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "inspect",
    "into_boxed_slice",
    "into_iter",
    "into_sorted_vec",
    "into_values",
    "iter",
    "iter_mut",
    "join",
    "last",
    "last_mut",
    "load",
    "lock",
    "max",
    "max_by",
    "max_by_key",
    "min",
    "min_by",
    "min_by_key",
    "next",
    "next_back",
    "nth",
    "ok",
    "or",
    "or_else",
    "peek",
    "peek_mut",
    "peekable",
    "pop",
    "pop_back",
    "pop_front",
    "read",
    "recv",
    "reduce",
    "remove",
    "replace",
    "rev",
    "set",
    "skip",
    "skip_while",
    "split_off",
    "step_by",
    "swap",
    "swap_remove",
    "take",
    "take_while",
    "to_vec",
    "try_lock",
    "try_read",
    "try_recv",
    "try_write",
    "upgrade",
    "values",
    "values_mut",
    "write",
    "xor",
];

/// The associated type of a pointer type that says what the pointer points to.
const DEREF_TARGET_TYPE: &str = "Target";

/// Names of the associated types that are the result of iterating, awaiting or dereferencing.
const ELEMENT_TYPES: &[&str] = &["Item", "Output", "Target"];

/// Whether a method of a standard container or wrapper returns its receiver, or an element of it in a wrapper.
pub(super) fn returns_receiver_or_element(method: &str) -> bool {
    RECEIVER_RETURNING_METHODS.binary_search(&method).is_ok()
}

/// The result of the call `base.name(…)` if it has the receiver's type: for functions that return `Self`, and for
/// constructors of standard traits.
pub(super) fn call_result_of_self_type(
    resolver: &Resolver<'_>,
    file: FileId,
    base: ExprId,
    name: NameId,
    functions: &PossibleValues,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let outside = functions.list.iter().all(|value| *value == Value::External);
    let text = resolver.name_text(file, name);
    if outside {
        let (makes, tries) = (SELF_CONSTRUCTORS.contains(&text), FALLIBLE_SELF_CONSTRUCTORS.contains(&text));
        if !makes && !tries {
            return None;
        }
        let mut receiver = resolver.evaluate_expr(file, base, budget);
        receiver.list.retain(|value| matches!(value, Value::Type(..)));
        let made = receiver.into_instances();
        return (!made.list.is_empty()).then(|| if tries { made.into_container() } else { made });
    }
    if !functions.list.iter().all(|value| matches!(value, Value::Function(def) if returns_self_type(resolver, *def))) {
        return None;
    }
    let receiver = resolver.evaluate_expr(file, base, budget);
    let fits = |value: &Value| match value {
        // An implementation for certain type arguments returns its type with those arguments.
        Value::Type(_, arguments) => arguments.is_some(),
        Value::Instance(def, _) => functions.list.iter().all(|function| match function {
            Value::Function(function) => may_self_in_function_mean_type(resolver, *function, *def, budget),
            _ => false,
        }),
        Value::Parameter(_) | Value::Container(_) | Value::External => true,
        _ => false,
    };
    if receiver.list.is_empty() || !receiver.list.iter().all(fits) {
        return None;
    }
    let mut made = receiver.into_instances();
    made.sure &= functions.sure;
    made.missing |= functions.missing;
    Some(made)
}

/// Whether a function declares that it returns `Self`.
fn returns_self_type(resolver: &Resolver<'_>, def: Def) -> bool {
    let Some(binding) = resolver.binding_of_definition(def) else { return false };
    let declared = binding.annotation.map(|annotation| resolver.expr_by_id(def.file, annotation));
    !binding.wrapped && matches!(declared, Some(Expr::ThisType { .. }))
}

/// Whether `Self` in a function means `holder`: the type that the function's extension is for, or an implementor of its
/// trait.
fn may_self_in_function_mean_type(
    resolver: &Resolver<'_>,
    function: Def,
    holder: Def,
    budget: &mut EvaluationBudget,
) -> bool {
    let Some(indexed) = resolver.names_index(function.file) else { return false };
    let scope = indexed.binding_or_placeholder(function.binding).scope;
    indexed.scope_owner(scope).is_some()
        || budget.run_with_own_limits(|budget| resolver.owner_type(function, budget))
            == Some(resolver.representative_of_same_name_in_scope(holder))
}

/// The value of `self` inside an extension (a Rust `impl`) whose target has type arguments, or is no single type: the
/// target.
pub(super) fn self_value_in_extension(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: ScopeId,
    budget: &mut EvaluationBudget,
) -> Option<PossibleValues> {
    let indexed = resolver.names_index(file)?;
    let members = indexed.enclosing_type_scope(scope)?;
    if indexed.scope_owner(members).is_some() {
        return None;
    }
    let extension = indexed.extension_of_scope(members)?;
    if !matches!(indexed.names().expr_by_id(extension.target), Expr::Generic { .. } | Expr::Tuple(_)) {
        return None;
    }
    let mut own =
        budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(file, extension.target, budget));
    own.list.retain(|value| *value != Value::External);
    if own.list.iter().any(|value| !matches!(value, Value::Instance(..))) {
        // The members of the extension itself are known, even if its target is outside the project.
        own.list.insert(0, Value::Object(file, members));
    }
    (!own.list.is_empty()).then_some(own)
}

/// Removes fields from the definitions that the callee of a method call was resolved to.
pub(super) fn remove_fields_from_callee_referents(
    resolver: &Resolver<'_>,
    file: FileId,
    callee: ExprId,
    resolution: &mut Resolution,
) {
    if matches!(resolver.expr_by_id(file, callee), Expr::Member { .. }) {
        resolution.referents.retain(|referent| match referent {
            Referent::Def(def) => {
                resolver.binding_of_definition(*def).is_none_or(|binding| binding.kind != BindingKind::Field)
            }
            _ => true,
        });
    }
}

/// Instances of the types that a smart pointer dereferences to, by `impl Deref`.
pub(super) fn deref_target_instances(
    resolver: &Resolver<'_>,
    def: Def,
    member: &str,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if member == DEREF_TARGET_TYPE {
        return PossibleValues::default();
    }
    let found = budget.run_nested_within_limits(|budget| resolver.extension_member(def, DEREF_TARGET_TYPE, budget));
    let mut values = PossibleValues::default();
    for referent in &found.referents {
        if let Referent::Def(alias) = referent
            && let Some(meant) = resolver.binding_of_definition(*alias).and_then(|binding| binding.annotation)
        {
            let meant =
                budget.run_nested_within_limits(|budget| resolver.instances_of_type_expr(alias.file, meant, budget));
            values.list.extend(meant.list);
        }
    }
    values
}

/// The value that iterating over or awaiting an instance yields, by its associated types, else its last type argument.
pub(super) fn values_yielded_by_associated_types(
    resolver: &Resolver<'_>,
    def: Def,
    args: &Arguments,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    for name in ELEMENT_TYPES {
        let mut all = PossibleValues::default();
        let found = resolver.type_member(def, name, budget);
        for referent in &found.referents {
            if let Referent::Def(alias) = referent
                && let Some(meant) = resolver.binding_of_definition(*alias).and_then(|binding| binding.annotation)
            {
                all.add(
                    budget
                        .run_nested_within_limits(|budget| resolver.instances_of_type_expr(alias.file, meant, budget)),
                );
            }
        }
        if !all.list.is_empty() {
            let receiver = PossibleValues::single(Value::Instance(def, args.clone()), true);
            return resolver.substitute_receiver_type_arguments(all, &receiver, budget);
        }
    }
    match args {
        Some(args) => args.last().cloned().unwrap_or_default().marked_as_inferred(),
        None => PossibleValues::default(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn methods_that_keep_their_receiver_are_sorted_for_the_search() {
        assert!(super::RECEIVER_RETURNING_METHODS.is_sorted());
    }
}
