//! Finds the members that Rust traits of the project give to types outside the project.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use super::rules::RustSemantics;
use crate::modules::FileId;
use crate::resolve::budget::{EvaluationBudget, MAX_VALUES};
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::structural::ForeignMember;
use crate::resolve::value::{PossibleValues, Value};
use crate::semantics::LanguageSemantics as _;

/// The member called `text` that traits of the project give to a receiver of a type outside the project, or to all
/// types.
pub(super) fn member_added_to_foreign_types(
    resolver: &Resolver<'_>,
    file: FileId,
    values: &PossibleValues,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Option<Resolution> {
    if values.list.is_empty() || RustSemantics.is_builtin_member_name(text) {
        return None;
    }
    if budget.collecting_foreign_members {
        // The members that traits give to such types are still being collected: a result without them must not be
        // memoized.
        budget.record_cut();
        return None;
    }
    let outside =
        values.list.iter().any(|value| matches!(value, Value::External | Value::Container(_) | Value::Tuple(_)));
    let members = members_added_to_foreign_types(resolver, file, text, budget);
    let given: Vec<ForeignMember> = members.iter().copied().filter(|given| given.is_for_all_types || outside).collect();
    // Members given to the very type of the receiver come before members given to other types outside the project.
    let is_own = |given: &ForeignMember, budget: &mut EvaluationBudget| {
        let target = budget
            .run_nested_within_limits(|budget| resolver.instances_of_type_expr(given.def.file, given.target, budget));
        target.list == values.list && target.list.iter().any(|value| *value != Value::External)
    };
    let own: Vec<ForeignMember> = given.iter().copied().filter(|given| is_own(given, budget)).collect();
    let sure = values.sure && (!own.is_empty() || matches!(given.as_slice(), [one] if one.is_for_all_types));
    let given = if own.is_empty() { given } else { own };
    let found = given.into_iter().take(MAX_VALUES).map(|given| Referent::Def(given.def)).collect();
    let resolution = Resolution::new(found, sure);
    (!resolution.is_empty()).then_some(resolution)
}

/// The members called `text` that the files of a Rust crate give to types outside the project.
fn members_added_to_foreign_types(
    resolver: &Resolver<'_>,
    file: FileId,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Arc<[ForeignMember]> {
    let files = resolver.files_that_can_extend_types_of(file);
    let asked = (files.first().copied().unwrap_or(file), text.into());
    if let Some(known) = resolver.foreign_members.get(&asked) {
        return known;
    }
    let holders = files.iter().copied().filter(|file| resolver.project_index().may_file_contain_name(*file, text));
    let made: Arc<[ForeignMember]> =
        holders.flat_map(|file| members_added_to_foreign_types_in_file(resolver, file, text, budget)).collect();
    resolver.foreign_members.insert(asked, made.clone());
    made
}

/// The members called `text` that a file gives to types outside the project.
fn members_added_to_foreign_types_in_file(
    resolver: &Resolver<'_>,
    file: FileId,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Vec<ForeignMember> {
    let Some(indexed) = resolver.names_index(file) else { return Vec::new() };
    let Some(name) = indexed.name_id_of_text(text) else { return Vec::new() };
    let given = |binding: u32| {
        let found = indexed.binding_or_placeholder(binding);
        if found.kind != BindingKind::Function {
            return None;
        }
        let extension = indexed.extension_of_scope(found.scope).filter(|extension| extension.implements.is_some())?;
        // The target of each extension is evaluated with its own limits, so that the result does not depend on which
        // evaluation asks first.
        let to_all = budget.run_with_own_limits(|budget| {
            budget.collecting_foreign_members = true;
            is_blanket_if_impl_is_foreign(resolver, file, extension.target, budget)
        })?;
        Some(ForeignMember { def: Def { file, binding }, target: extension.target, is_for_all_types: to_all })
    };
    indexed.bindings_of_name(name).iter().copied().filter_map(given).collect()
}

/// Whether an extension (a Rust `impl`) is for all types (`Some(true)`) or for one outside the project (`Some(false)`);
/// `None` if it is for a type of the project.
fn is_blanket_if_impl_is_foreign(
    resolver: &Resolver<'_>,
    file: FileId,
    target: ExprId,
    budget: &mut EvaluationBudget,
) -> Option<bool> {
    match resolver.expr_by_id(file, target) {
        Expr::Unknown | Expr::Tuple(_) | Expr::Generic { base: None, .. } | Expr::Function { .. } => {
            return Some(false);
        }
        _ => {}
    }
    let resolution =
        resolver.resolve_expr_as_name(file, resolver.type_expr_without_type_arguments(file, target), budget);
    let mut foreign = Some(false);
    for referent in &resolution.referents {
        match referent {
            Referent::Def(def) => match resolver.binding_of_definition(*def).map(|binding| binding.kind) {
                Some(BindingKind::TypeParameter) => foreign = Some(true),
                _ => return None,
            },
            Referent::External => {}
            _ => return None,
        }
    }
    foreign
}
