//! Look-up of methods and attributes by their receivers.

use std::collections::HashSet;

use peelback_syntax::names::{BindingKind, Expr, ExprId, FILE_SCOPE, ScopeId, ScopeKind};

use super::{ancestors, constants, core, parts, templates};
use crate::modules::FileId;
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::missing::Missing;
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{PossibleValues, Value};

/// Resolves the member `text` of the expression `base`.
pub(super) fn resolve_member(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let base_expr = resolver.expr_by_id(file, base);
    if constants::is_constant_name(text) && matches!(base_expr, Expr::Name { .. } | Expr::Member { .. }) {
        return constant_of_path(resolver, (file, base), text, budget);
    }
    if let Expr::Super { scope } = base_expr {
        return member_of_bases(resolver, (file, scope), text, budget);
    }
    let values = resolver.evaluate_expr(file, base, budget);
    let own = self_of_expr(resolver, file, base);
    let mut found = Resolution { missing: values.missing, ..Resolution::default() };
    let mut is_unknown = false;
    for value in &values.list {
        let mut of_value = member_of_value(resolver, file, value, text, own.is_some(), budget);
        is_unknown |= of_value.is_empty();
        of_value.sure &= values.sure;
        found.add(of_value);
    }
    if found.referents.len() > 1 && found.referents.contains(&Referent::External) {
        found.referents.retain(|referent| *referent != Referent::External);
        found.sure = false;
    }
    if is_unknown && !found.is_empty() {
        // One of several possible receivers may have a member that nothing tells of.
        found.sure = false;
        found.missing |= Missing::Unknown;
    }
    let is_found = found.referents.iter().any(|referent| matches!(referent, Referent::Def(_)));
    if is_found {
        return found;
    }
    let Some(own) = own else { return found };
    // Methods that are defined outside of classes belong to all objects.
    let named = parts::members_named(resolver, text);
    if own.is_main && templates::is_template(resolver, file) {
        let helpers = templates::helpers(resolver, &named);
        if !helpers.is_empty() {
            return Resolution::new(referents(resolver, helpers), false);
        }
    }
    let everywhere: Vec<Def> = named.in_type("").iter().filter(|def| is_method(resolver, **def)).copied().collect();
    let in_file: Vec<Def> = everywhere.iter().filter(|def| def.file == file).copied().collect();
    if !everywhere.is_empty() {
        let is_own = !in_file.is_empty();
        let chosen = if is_own { in_file } else { everywhere };
        return Resolution::new(referents(resolver, chosen), is_own && own.is_main);
    }
    if own.is_in_block && found.referents.iter().all(|referent| *referent == Referent::External) {
        // The method that takes the block may run it for another object.
        return Resolution::default();
    }
    if own.is_main && core::is_method_of_every_object(text) {
        return Resolution::new_outside_project();
    }
    found
}

/// What is known of an expression that is `self`.
struct OwnObject {
    /// Whether it is in a block, which may run for another object.
    is_in_block: bool,
    /// Whether it is outside of classes.
    is_main: bool,
}

fn self_of_expr(resolver: &Resolver<'_>, file: FileId, base: ExprId) -> Option<OwnObject> {
    let index = resolver.names_index(file)?;
    let scope = match index.names().expr_by_id(base) {
        Expr::This { scope } | Expr::ThisType { scope } => scope,
        Expr::Either(list) => {
            let first = *index.names().expr_ids_in_list_range(list).first()?;
            match index.names().expr_by_id(first) {
                Expr::This { scope } | Expr::ThisType { scope } => scope,
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(OwnObject {
        is_in_block: index.scope_kind(scope) == ScopeKind::Block,
        is_main: scope == FILE_SCOPE || index.enclosing_type_scope(scope).is_none(),
    })
}

fn constant_of_path(
    resolver: &Resolver<'_>,
    (file, base): (FileId, ExprId),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let owners = resolver.resolve_expr_as_name(file, base, budget);
    let mut found = Resolution { missing: owners.missing, ..Resolution::default() };
    for referent in &owners.referents {
        match referent {
            Referent::Def(def) => {
                if let Some(held) = ancestors::type_held_by(resolver, *def, budget) {
                    let mut of_type = constants::constant_of_type(resolver, file, held, text, budget);
                    of_type.sure &= owners.sure;
                    found.add(of_type);
                }
            }
            _ => found.add(Resolution::new_outside_project()),
        }
    }
    found
}

/// The method called `text` that `super` calls in a scope.
fn member_of_bases(
    resolver: &Resolver<'_>,
    (file, scope): (FileId, ScopeId),
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let Some(def) = resolver.this_type(file, scope, budget) else { return Resolution::default() };
    let on_type = is_in_method_of_type(resolver, file, scope);
    look_up(resolver, Asked { def, text, on_type, skips_own: true, is_self: true }, budget)
}

/// Whether the method around a scope is one of the class itself.
fn is_in_method_of_type(resolver: &Resolver<'_>, file: FileId, scope: ScopeId) -> bool {
    let Some(index) = resolver.names_index(file) else { return false };
    let mut next = Some(scope);
    while let Some(at) = next {
        match index.scope_kind(at) {
            ScopeKind::Function => {
                return index.scope_owner(at).is_some_and(|owner| index.binding_or_placeholder(owner).on_type);
            }
            ScopeKind::Type | ScopeKind::File => return false,
            _ => next = index.parent_scope(at),
        }
    }
    false
}

fn member_of_value(
    resolver: &Resolver<'_>,
    file: FileId,
    value: &Value,
    text: &str,
    is_self: bool,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let found = match value {
        Value::Instance(def, _) => {
            look_up(resolver, Asked { def: *def, text, on_type: false, skips_own: false, is_self }, budget)
        }
        Value::Type(def, _) if constants::is_constant_name(text) => {
            constants::constant_of_type(resolver, file, *def, text, budget)
        }
        Value::Type(def, _) => {
            let asked = Asked { def: *def, text, on_type: true, skips_own: false, is_self };
            let found = look_up(resolver, asked, budget);
            let is_known = found.referents.iter().any(|referent| matches!(referent, Referent::Def(_)));
            if is_known || text != "new" {
                found
            } else {
                let asked = Asked { text: "initialize", on_type: false, ..asked };
                let made = look_up(resolver, asked, budget);
                if made.is_empty() { Resolution::new_outside_project() } else { made }
            }
        }
        Value::Outside(name, _) => member_of_outside_type(resolver, name, text),
        Value::Container(_) | Value::Tuple(_) => member_of_outside_type(resolver, "Array", text),
        Value::Object(file, scope) => {
            let Some(index) = resolver.names_index(*file) else { return Resolution::default() };
            let bound = index.bindings_of_name_text_in_scope(*scope, text);
            Resolution::new(bound.iter().map(|id| Referent::Def(Def { file: *file, binding: *id })).collect(), true)
        }
        Value::External => Resolution::new_outside_project(),
        Value::Function(_) => Resolution::new_outside_project(),
        Value::Module(_) | Value::Parameter(_) => Resolution::default(),
    };
    nearest_definitions(file, found)
}

/// A method that the project adds to a type outside of it; else the method is outside, too.
fn member_of_outside_type(resolver: &Resolver<'_>, type_name: &str, text: &str) -> Resolution {
    let added = constants::members_added_to_core_type(resolver, type_name, text);
    match added.is_empty() {
        true => Resolution::new_outside_project(),
        false => Resolution::new(referents(resolver, added), true),
    }
}

/// Of several definitions of one method in a class that is opened in several files, those in the file itself.
fn nearest_definitions(file: FileId, mut found: Resolution) -> Resolution {
    let is_own = |referent: &Referent| matches!(referent, Referent::Def(def) if def.file == file);
    if found.referents.len() > 1 && found.referents.iter().any(is_own) {
        found.referents.retain(is_own);
    }
    found
}

/// The limit on the number of methods of one name of which is asked whether their types derive from another.
const MAX_COMPARED_MEMBERS: usize = 100;

/// A method that is looked up.
#[derive(Clone, Copy)]
struct Asked<'a> {
    def: Def,
    text: &'a str,
    /// Whether the receiver is the class itself.
    on_type: bool,
    /// Whether the class itself is not asked: `super`.
    skips_own: bool,
    /// Whether the receiver is `self`.
    is_self: bool,
}

/// Looks a method up in a class and in those that it derives from. Results are memoized: many places use one method.
fn look_up(resolver: &Resolver<'_>, asked: Asked<'_>, budget: &mut EvaluationBudget) -> Resolution {
    let def = resolver.representative_of_same_name_in_scope(asked.def);
    // No name begins with such a sign and digits.
    let bits = [asked.on_type, asked.skips_own, asked.is_self].map(u8::from);
    let key = (def, format!("{bits:?}{}", asked.text).into_boxed_str());
    if let Some(known) = resolver.type_members.get(&key) {
        return known;
    }
    let before = std::mem::replace(&mut budget.truncated, false);
    let found = look_up_uncached(resolver, asked, budget);
    if !budget.truncated && budget.open_ancestors.is_empty() {
        resolver.type_members.insert(key, found.clone());
    }
    budget.truncated |= before;
    found
}

fn look_up_uncached(resolver: &Resolver<'_>, asked: Asked<'_>, budget: &mut EvaluationBudget) -> Resolution {
    let all = ancestors::ancestors(resolver, asked.def, budget);
    let own = resolver.representative_of_same_name_in_scope(asked.def);
    let mut has_outside = all.has_outside;
    let mut has_unknown = all.has_unknown;
    let mut seen = HashSet::new();
    for def in &all.list {
        let def = *def;
        let is_module = ancestors::is_module(resolver, def);
        if !asked.on_type {
            if asked.skips_own && def == own {
                continue;
            }
            let found = own_members(resolver, def, asked.text, false);
            if !found.is_empty() {
                return Resolution::new(referents(resolver, found), true);
            }
            continue;
        }
        if !(asked.skips_own && def == own) && (!is_module || def == own) {
            let found = own_members(resolver, def, asked.text, true);
            if !found.is_empty() {
                return Resolution::new(referents(resolver, found), true);
            }
        }
        let mut modules = Vec::new();
        if !is_module || def == own {
            let of_class = ancestors::ancestors(resolver, def, budget);
            has_outside |= !of_class.is_extending_whole;
            modules.extend(of_class.extending.iter().copied());
        }
        if is_module {
            modules.extend(class_methods_of_module(resolver, def, budget));
        }
        for module in modules {
            let of_module = ancestors::ancestors(resolver, module, budget);
            has_outside |= of_module.has_outside;
            has_unknown |= of_module.has_unknown;
            for module in &of_module.list {
                if !seen.insert(*module) {
                    continue;
                }
                let found = own_members(resolver, *module, asked.text, false);
                if !found.is_empty() {
                    return Resolution::new(referents(resolver, found), true);
                }
            }
        }
    }
    // Nothing tells who assigns a variable that the code here never does.
    if asked.text.starts_with('@') {
        return Resolution::default();
    }
    if asked.is_self && !asked.skips_own {
        let of_heirs = members_of_heirs(resolver, own, asked, budget);
        if !of_heirs.is_empty() {
            return Resolution::new(referents(resolver, of_heirs), false);
        }
    }
    // The object behind a module is one of a class that includes it.
    let is_mixin = !asked.on_type && ancestors::is_module(resolver, own);
    let is_core =
        core::is_method_of_every_object(asked.text) || (asked.on_type && core::is_method_of_every_type(asked.text));
    let answers_all = || !own_members_of_ancestors(resolver, &all.list, "method_missing", asked.on_type).is_empty();
    match is_core || !(is_mixin || has_unknown || answers_all()) {
        true => Resolution::new_outside_project(),
        false => Resolution { missing: Missing::unknown_if(has_outside), ..Resolution::default() },
    }
}

/// The members called as asked of the types that derive from a type: a method of a base may rely on them.
fn members_of_heirs(resolver: &Resolver<'_>, own: Def, asked: Asked<'_>, budget: &mut EvaluationBudget) -> Vec<Def> {
    let named = parts::members_named(resolver, asked.text);
    let mut found = Vec::new();
    for def in named.all().take(MAX_COMPARED_MEMBERS) {
        let Some(binding) = resolver.binding_of_definition(*def) else { continue };
        let is_method = matches!(binding.kind, BindingKind::Function | BindingKind::Property);
        if !is_method || binding.on_type != asked.on_type {
            continue;
        }
        let owner = resolver.owner_type(*def, budget);
        if owner.is_some_and(|owner| owner != own && resolver.is_derived_from(owner, own, budget)) {
            found.push(*def);
        }
    }
    found.sort_unstable();
    found
}

fn own_members_of_ancestors(resolver: &Resolver<'_>, list: &[Def], text: &str, on_type: bool) -> Vec<Def> {
    list.iter().flat_map(|def| own_members(resolver, *def, text, on_type)).collect()
}

/// The modules inside a module whose methods become those of the classes that include it.
fn class_methods_of_module(resolver: &Resolver<'_>, module: Def, budget: &mut EvaluationBudget) -> Vec<Def> {
    let Some(path) = parts::path_of_type(resolver, module) else { return Vec::new() };
    let mut found = Vec::new();
    for def in parts::members_named(resolver, parts::CLASS_METHODS).in_type(&path) {
        if let Some(held) = ancestors::type_held_by(resolver, *def, budget)
            && !found.contains(&held)
        {
            found.push(held);
        }
    }
    found
}

/// The members called `text` that a class defines itself, in all of its parts: those of objects, or those of the class.
pub(super) fn own_members(resolver: &Resolver<'_>, def: Def, text: &str, on_type: bool) -> Vec<Def> {
    let fits = |def: &Def| {
        resolver.binding_of_definition(*def).is_some_and(|binding| match binding.kind {
            BindingKind::Function | BindingKind::Property => binding.on_type == on_type,
            BindingKind::Field => binding.on_type == on_type || text.starts_with("@@"),
            _ => false,
        })
    };
    let mut found = all_own_members(resolver, def, text);
    found.retain(fits);
    found
}

/// The members called `text` that a class defines itself, of objects and of the class.
pub(super) fn all_own_members(resolver: &Resolver<'_>, def: Def, text: &str) -> Vec<Def> {
    let is_word = text.contains(|c: char| c.is_alphanumeric() || c == '_');
    if is_word && let Some(path) = parts::path_of_type(resolver, def) {
        return parts::members_named(resolver, text).in_type(&path).to_vec();
    }
    // A name of signs alone selects no files: the parts of the class are asked.
    let mut found = Vec::new();
    for part in resolver.parts_or_type_itself(def).iter().copied() {
        let Some(index) = resolver.names_index(part.file) else { continue };
        let Some(body) = index.binding_or_placeholder(part.binding).body else { continue };
        let bound = index.bindings_of_name_text_in_scope(body, text);
        found.extend(bound.iter().map(|id| Def { file: part.file, binding: *id }));
    }
    found
}

fn is_method(resolver: &Resolver<'_>, def: Def) -> bool {
    resolver.binding_of_definition(def).is_some_and(|binding| binding.kind == BindingKind::Function)
}

fn referents(resolver: &Resolver<'_>, defs: Vec<Def>) -> Vec<Referent> {
    let mut found: Vec<Referent> = Vec::new();
    for def in defs {
        let referent = Referent::Def(resolver.representative_of_same_name_in_scope(def));
        if !found.contains(&referent) {
            found.push(referent);
        }
    }
    found
}

/// The possible values of a call of the expression `callee`.
pub(super) fn call_result(
    resolver: &Resolver<'_>,
    (file, callee): (FileId, ExprId),
    budget: &mut EvaluationBudget,
) -> PossibleValues {
    let resolution = resolver.resolve_expr_as_name(file, callee, budget);
    let mut all = PossibleValues { missing: resolution.missing, ..PossibleValues::default() };
    let (base, text) = match resolver.expr_by_id(file, callee) {
        Expr::Member { base, name, .. } => (Some(base), resolver.name_text(file, name)),
        _ => (None, ""),
    };
    let receiver = base.map(|base| resolver.evaluate_expr(file, base, budget)).unwrap_or_default();
    if text == "new" {
        // Only a method `new` of the project can make something else.
        let is_own = resolution.referents.iter().any(|referent| match referent {
            Referent::Def(def) => resolver
                .binding_of_definition(*def)
                .is_some_and(|binding| binding.on_type && resolver.name_text(def.file, binding.name) == "new"),
            _ => false,
        });
        if !is_own && !receiver.list.is_empty() {
            return objects_of_types(resolver, (file, base), receiver);
        }
    }
    if matches!(text, "class" | "singleton_class") && !receiver.list.is_empty() {
        let mut types = receiver;
        for value in &mut types.list {
            if let Value::Instance(def, arguments) = value {
                *value = Value::Type(*def, arguments.clone());
            }
        }
        return types;
    }
    for referent in &resolution.referents {
        match referent {
            Referent::Def(def) => all.add(values_of_called_definition(resolver, *def, budget)),
            Referent::External => all.add(values_of_outside_method(&receiver, text)),
            _ => all.missing |= Missing::Unknown,
        }
    }
    if resolution.is_empty() {
        all.missing |= Missing::Unknown;
    }
    all.sure &= resolution.sure;
    all
}

fn values_of_called_definition(resolver: &Resolver<'_>, def: Def, budget: &mut EvaluationBudget) -> PossibleValues {
    let Some(binding) = resolver.binding_of_definition(def) else { return PossibleValues::default() };
    let mut values = match binding.kind {
        BindingKind::Function => {
            budget.run_nested_within_limits(|budget| resolver.return_values_of_function(def, budget))
        }
        BindingKind::Property => budget.run_nested_within_limits(|budget| resolver.evaluate_definition(def, budget)),
        _ => PossibleValues::default(),
    };
    values.missing |= Missing::unknown_if(values.list.is_empty());
    values
}

/// The objects that `A.new` makes.
fn objects_of_types(
    resolver: &Resolver<'_>,
    (file, base): (FileId, Option<ExprId>),
    receiver: PossibleValues,
) -> PossibleValues {
    let mut made = PossibleValues { missing: receiver.missing, ..PossibleValues::default() };
    for value in receiver.list {
        let value = match value {
            Value::Type(def, arguments) => Value::Instance(def, arguments),
            Value::External => {
                let name = base.map_or("", |base| resolver.last_name_of_path(file, base));
                if name.is_empty() { Value::External } else { Value::Outside(name.into(), None) }
            }
            _ => {
                made.missing |= Missing::Unknown;
                continue;
            }
        };
        made.add(PossibleValues::single(value, receiver.sure));
    }
    made
}

/// What a method outside the project returns, as far as its receiver tells.
fn values_of_outside_method(receiver: &PossibleValues, text: &str) -> PossibleValues {
    let mut all = PossibleValues::default();
    for value in &receiver.list {
        all.add(match value {
            Value::Outside(name, _) if core::has_methods_that_return_core_values(name) => PossibleValues::external(),
            Value::Type(def, _) if core::is_finder(text) => PossibleValues::single(Value::Instance(*def, None), false),
            _ if core::returns_core_value(text) => PossibleValues::external(),
            _ => PossibleValues::unknown(),
        });
    }
    if receiver.list.is_empty() {
        all.missing |= Missing::Unknown;
    }
    all
}
