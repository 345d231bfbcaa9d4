//! Look-up of members in Kotlin: those of types and companions, properties that Java has as functions, then extensions.

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId, ScopeKind};

use super::{extensions, library, parameters, scopes};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// The limit on the number of values whose members are looked up.
const MAX_RECEIVERS: usize = 16;

/// What the member `text` of the expression `base` refers to. `expr` is the whole expression.
pub(super) fn resolve_member(
    resolver: &Resolver<'_>,
    file: FileId,
    (expr, base): (Option<ExprId>, ExprId),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    budget.run_nested_within_limits(|budget| {
        let names_path = matches!(resolver.expr_by_id(file, base), Expr::Name { .. } | Expr::Member { .. });
        if names_path {
            let defined = resolver.resolve_expr_as_name(file, base, budget);
            let mut of_modules = Resolution::default();
            for referent in &defined.referents {
                if let Referent::Module(module) = referent {
                    of_modules
                        .add(budget.run_nested_within_limits(|budget| resolver.module_member(module, text, budget)));
                }
            }
            if !of_modules.is_empty() {
                return of_modules;
            }
        }
        let values = resolver.evaluate_expr(file, base, budget);
        let found = member_of_values(resolver, file, (expr, &values), text, budget);
        let has_definition = |found: &Resolution| found.referents.iter().any(|of| *of != Referent::External);
        // What a test tells of a value adds to what its type tells.
        if !has_definition(&found)
            && let Expr::Matched { value, .. } = resolver.expr_by_id(file, base)
        {
            let values = resolver.evaluate_expr(file, value, budget);
            let other = member_of_values(resolver, file, (expr, &values), text, budget);
            if has_definition(&other) {
                return other;
            }
        }
        found
    })
}

fn member_of_values(
    resolver: &Resolver<'_>,
    file: FileId,
    (expr, values): (Option<ExprId>, &PossibleValues),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let mut found = Resolution { missing: values.missing, ..Resolution::default() };
    let mut is_outside = false;
    for value in values.list.iter().take(MAX_RECEIVERS) {
        let of_value = members_of_value(resolver, value, text, budget);
        is_outside |= of_value.referents.contains(&Referent::External);
        found.missing |= of_value.missing;
        let defs: Vec<Referent> =
            of_value.referents.into_iter().filter(|referent| *referent != Referent::External).collect();
        found.add(Resolution::new(defs, of_value.sure && values.sure));
    }
    // A member of a type that is an extension is none of the type's values.
    let (_, mut own) = extensions::split_extensions(resolver, found, true);
    if let Some(expr) = expr
        && resolver.names_of_file(file).is_some_and(|names| names.arguments_of_call(expr).is_some())
    {
        let takes = |referent: &Referent| match referent {
            Referent::Def(def) => {
                let is_function =
                    resolver.binding_of_definition(*def).is_some_and(|binding| binding.kind == BindingKind::Function);
                !is_function || parameters::takes_arguments(resolver, (file, expr), *def)
            }
            _ => true,
        };
        if own.referents.iter().any(takes) {
            own.referents.retain(takes);
        } else if !own.is_empty() {
            let added = extension_of_values(resolver, (file, expr), values, text, budget);
            if !added.is_empty() {
                return added;
            }
            // What is called is a function or a constructor.
            if text == "invoke" {
                return Resolution::new_outside_project();
            }
            own.sure = false;
        }
    }
    if !own.is_empty() {
        return own;
    }
    let at = expr.unwrap_or(ExprId::MAX);
    let added = extension_of_values(resolver, (file, at), values, text, budget);
    if !added.is_empty() {
        // A type outside may have such a member itself.
        let may_be_own = values.list.iter().any(|value| match value {
            Value::External => true,
            Value::Outside(name, _) => library::has_member(name, text),
            _ => false,
        });
        return if may_be_own { Resolution { sure: false, ..added } } else { added };
    }
    if is_outside {
        return Resolution { missing: own.missing, ..Resolution::new_outside_project() };
    }
    own
}

/// The extensions called `text` that a file sees for a receiver.
fn extension_of_values(
    resolver: &Resolver<'_>,
    (file, expr): (FileId, ExprId),
    values: &PossibleValues,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let mut all = Vec::new();
    // Extensions that the types around the place have.
    if let Expr::Member { base, .. } = resolver.expr_by_id(file, expr) {
        all.extend(extensions_of_types_around(resolver, (file, base), text, budget));
    }
    all.extend(scopes::visible_from_outside_of_types(resolver, file, text, budget));
    let is_called = resolver.names_of_file(file).is_some_and(|names| names.arguments_of_call(expr).is_some());
    let mut possible = Resolution::default();
    for level in all {
        let (mut found, _) = extensions::split_extensions(resolver, level, true);
        if is_called {
            found.referents.retain(|referent| match referent {
                Referent::Def(def) => {
                    parameters::takes_arguments(resolver, (file, expr), *def)
                        || resolver.binding_of_definition(*def).is_some_and(|of| of.kind != BindingKind::Function)
                }
                _ => false,
            });
        }
        let fitting = extensions::extensions_fitting_receiver(resolver, found, values, budget);
        if !fitting.is_empty() && fitting.sure {
            return super::overloads::nearest_of_copies(resolver, file, fitting);
        }
        possible.add(fitting);
    }
    super::overloads::nearest_of_copies(resolver, file, possible)
}

/// The extensions that are members of the types around an expression that begins with a bare name.
fn extensions_of_types_around(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Vec<Resolution> {
    let Some(scope) = scope_of_path(resolver, file, base) else { return Vec::new() };
    let Some(indexed) = resolver.names_index(file) else { return Vec::new() };
    let mut found = Vec::new();
    let mut next = Some(scope);
    while let Some(here) = next {
        if indexed.scope_kind(here) == ScopeKind::Type
            && let Some(owner) = indexed.scope_owner(here)
        {
            let owner = Def { file, binding: owner };
            found.push(budget.run_nested_within_limits(|budget| resolver.type_member(owner, text, budget)));
        } else if indexed.scope_kind(here) != ScopeKind::File {
            let bound = indexed.bindings_of_name_text_in_scope(here, text);
            let defs = bound.iter().map(|id| Referent::Def(Def { file, binding: *id })).collect();
            found.push(Resolution::new(defs, true));
        }
        next = indexed.parent_scope(here);
        if found.len() > MAX_RECEIVERS {
            break;
        }
    }
    found
}

/// The scope in which the first name of an expression is looked up.
fn scope_of_path(resolver: &Resolver<'_>, file: FileId, mut at: ExprId) -> Option<u32> {
    for _ in 0..MAX_RECEIVERS {
        at = match resolver.expr_by_id(file, at) {
            Expr::Name { scope, .. } | Expr::This { scope } | Expr::Super { scope } => return Some(scope),
            Expr::Member { base, .. } => base,
            Expr::Call { callee } => callee,
            Expr::Generic { base: Some(base), .. } => base,
            Expr::Matched { value, .. } => value,
            _ => return None,
        };
    }
    None
}

/// The members called `text` of a value: those that its type declares, and for a property those functions by which Java
/// has it.
pub(super) fn members_of_value(
    resolver: &Resolver<'_>,
    value: &Value,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    // A call of a type calls a constructor, or the `invoke` of its companion.
    if let Value::Type(def, _) = value
        && text == "invoke"
        && !super::types::is_object(resolver, *def)
    {
        let mut found = Resolution::default();
        for companion in super::types::companion_of_type(resolver, *def).list {
            found.add(budget.run_nested_within_limits(|budget| members_of_value(resolver, &companion, text, budget)));
        }
        return if found.is_empty() { Resolution::new_outside_project() } else { found };
    }
    let (Value::Instance(def, _) | Value::Type(def, _)) = value else {
        return match value {
            Value::Module(_) | Value::Parameter(_) => {
                let found = budget.run_nested_within_limits(|budget| resolver.value_member(value, text, budget));
                match found.is_empty() && matches!(value, Value::Parameter(_)) {
                    true => Resolution::new_outside_project(),
                    false => found,
                }
            }
            Value::Object(..) => resolver.value_member(value, text, budget),
            _ => Resolution::new_outside_project(),
        };
    };
    let found = budget.run_nested_within_limits(|budget| resolver.value_member(value, text, budget));
    // A private field behind the functions by which Java has a property is seen by its own class alone.
    let is_visible = |referent: &Referent| match referent {
        Referent::Def(def) => resolver
            .binding_of_definition(*def)
            .is_none_or(|of| !of.private || of.kind == BindingKind::Function || of.kind == BindingKind::Type),
        _ => false,
    };
    if found.referents.iter().any(is_visible) {
        return found;
    }
    let mut accessors = Resolution::default();
    if text.starts_with(char::is_lowercase) {
        for name in library::accessor_names(text) {
            let found = budget.run_nested_within_limits(|budget| resolver.type_member(*def, &name, budget));
            let is_accessor = |referent: &Referent| match referent {
                // The functions for a property of Kotlin are no members in Kotlin.
                Referent::Def(def) => {
                    parameters::definition_behind_accessor(resolver, *def).is_none()
                        && resolver.binding_of_definition(*def).is_some_and(|of| of.kind == BindingKind::Function)
                }
                _ => false,
            };
            let referents: Vec<Referent> = found.referents.into_iter().filter(is_accessor).collect();
            accessors.add(Resolution::new(referents, found.sure));
        }
    }
    if accessors.is_empty() { found } else { accessors }
}

/// What reading a member gives: the result of the function by which Java has a property. What is called is no property.
pub(super) fn values_of_read_member(
    resolver: &Resolver<'_>,
    (file, expr): (FileId, ExprId),
    (base, name): (ExprId, NameId),
    values: PossibleValues,
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    if resolver.names_of_file(file).is_some_and(|names| names.arguments_of_call(expr).is_some()) {
        return values;
    }
    let text = resolver.name_text(file, name);
    if values.list.contains(&Value::External) && values.list.len() == 1 {
        let receiver = resolver.evaluate_expr(file, base, budget);
        return library::value_of_property(resolver, &receiver, text, budget).unwrap_or(values);
    }
    let sure = values.sure;
    let mut read = PossibleValues { missing: values.missing, ..PossibleValues::default() };
    for value in values.list {
        read.add(match value {
            Value::Function(def) if is_getter_for(resolver, def, text) => {
                super::calls::declared_or_returned_values(resolver, def, budget)
            }
            value => PossibleValues::single(value, sure),
        });
    }
    read.sure &= sure;
    read
}

/// Whether a function is the one by which Java has the property `text`.
fn is_getter_for(resolver: &Resolver<'_>, def: Def, text: &str) -> bool {
    let Some(binding) = resolver.binding_of_definition(def) else { return false };
    let name = resolver.name_text(def.file, binding.name);
    name != text && library::accessor_names(text).iter().any(|accessor| accessor == name)
}
