//! What is peculiar to Rust: what a receiver says of what is called on it, and traits that are implemented for types
//! from outside of the project.

use std::collections::HashMap;
use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId, NameId, ScopeId};

use super::values::Arguments;
use super::{Def, Meaning, Referent, Resolver, Value, Values, Walk, is_common};
use crate::modules::{Family, FileId};

/// The members that traits of the project give to types from outside of it, or to all types, by their names.
pub(super) struct Foreign(HashMap<Box<str>, Vec<Given>>);

/// A member of an implementation.
#[derive(Clone, Copy)]
struct Given {
    def: Def,
    /// Whether all types that fit have it (`impl<T> Trait for T`).
    to_all: bool,
}

/// Functions that traits of the standard library give to a type, by a derivation too, and that make one of it.
const MAKERS: &[&str] = &["default", "from", "from_iter", "parse", "parse_from"];

/// The same, with the new value in a result.
const TRIERS: &[&str] = &["deserialize", "from_str", "try_from", "try_parse", "try_parse_from"];

impl Resolver<'_> {
    /// The first of several expressions of one type whose value is known. A method of the project comes before what one
    /// of its name in the standard library would give.
    pub(super) fn first_known(&self, file: FileId, parts: &[ExprId], walk: &mut Walk) -> Values {
        let mut all = Values::default();
        for part in parts {
            let values = self.value(file, *part, walk);
            let known = !values.list.is_empty() && !values.list.contains(&Value::External);
            if known && (values.sure || self.is_of_project(file, *part, walk)) {
                return values;
            }
            all.add(values);
        }
        if all.list.len() > 1 {
            all.list.retain(|value| *value != Value::External);
            all.sure = false;
        }
        all
    }

    /// Whether an expression calls a method that the project gives to its receiver.
    fn is_of_project(&self, file: FileId, expr: ExprId, walk: &mut Walk) -> bool {
        let Expr::Call { callee } = self.expr(file, expr) else { return false };
        let Expr::Member { base, .. } = self.expr(file, callee) else { return false };
        let receiver = self.value(file, base, walk);
        let functions = self.value(file, callee, walk);
        receiver.list.iter().any(|value| matches!(value, Value::Instance(..) | Value::Parameter(_)))
            && functions.list.iter().any(|value| matches!(value, Value::Function(_)))
    }

    /// What calling `base.name` gives where that is what the receiver is: of functions that return `Self`, and of those
    /// that traits of the standard library have.
    pub(super) fn own_kind(
        &self,
        file: FileId,
        base: ExprId,
        name: NameId,
        functions: &Values,
        walk: &mut Walk,
    ) -> Option<Values> {
        let outside = functions.list.iter().all(|value| *value == Value::External);
        let text = self.text(file, name);
        if outside {
            let (makes, tries) = (MAKERS.contains(&text), TRIERS.contains(&text));
            if !makes && !tries {
                return None;
            }
            let mut receiver = self.value(file, base, walk);
            receiver.list.retain(|value| matches!(value, Value::Type(..)));
            let made = as_instances(receiver);
            return (!made.list.is_empty()).then(|| if tries { made.held() } else { made });
        }
        if !functions.list.iter().all(|value| matches!(value, Value::Function(def) if self.returns_self(*def))) {
            return None;
        }
        let receiver = self.value(file, base, walk);
        let fits = |value: &Value| match value {
            // What an implementation for certain arguments gives has those.
            Value::Type(_, arguments) => arguments.is_some(),
            Value::Instance(def, _) => functions.list.iter().all(|function| match function {
                Value::Function(function) => self.is_given_to(*function, *def),
                _ => false,
            }),
            Value::Parameter(_) | Value::Bag(_) | Value::External => true,
            _ => false,
        };
        if receiver.list.is_empty() || !receiver.list.iter().all(fits) {
            return None;
        }
        let mut made = as_instances(receiver);
        made.sure &= functions.sure;
        Some(made)
    }

    /// Whether a function declares that it returns `Self`.
    fn returns_self(&self, def: Def) -> bool {
        let Some(binding) = self.binding(def) else { return false };
        let declared = binding.annotation.map(|annotation| self.expr(def.file, annotation));
        !binding.wrapped && matches!(declared, Some(Expr::ThisType { .. }))
    }

    /// Whether `Self` in a function means `holder`, or what implements the trait that the function stands in.
    fn is_given_to(&self, function: Def, holder: Def) -> bool {
        let Some(indexed) = self.file(function.file) else { return false };
        let scope = indexed.binding(function.binding).scope;
        indexed.owner(scope).is_some() || self.holder(function, &mut Walk::new()) == Some(self.canonical(holder))
    }

    /// `self` inside an extension: what the extension is for, with its arguments.
    pub(super) fn extended(&self, file: FileId, scope: ScopeId, walk: &mut Walk) -> Option<Values> {
        if self.family(file) != Some(Family::Rust) {
            return None;
        }
        let indexed = self.file(file)?;
        let members = indexed.type_scope(scope)?;
        if indexed.owner(members).is_some() {
            return None;
        }
        let extension = indexed.names().extensions.iter().find(|extension| extension.scope == members)?;
        if !matches!(indexed.names().expr(extension.target), Expr::Generic { .. } | Expr::Tuple(_)) {
            return None;
        }
        let mut own = walk.deeper(|walk| self.instance(file, extension.target, walk));
        own.list.retain(|value| *value != Value::External);
        if own.list.iter().any(|value| !matches!(value, Value::Instance(..))) {
            // What the extension itself gives to a type from outside is known.
            own.list.insert(0, Value::Object(file, members));
        }
        (!own.list.is_empty()).then_some(own)
    }

    /// The arguments that `Self` has where it is written.
    pub(super) fn own_arguments(&self, file: FileId, scope: ScopeId, own: Def, walk: &mut Walk) -> Arguments {
        let values = self.extended(file, scope, walk)?;
        values.list.into_iter().find_map(|value| match value {
            Value::Instance(def, arguments) if def == own => arguments,
            _ => None,
        })
    }

    /// Leaves the fields out of what a method call means.
    pub(super) fn without_fields(&self, file: FileId, callee: ExprId, meaning: &mut Meaning) {
        if matches!(self.expr(file, callee), Expr::Member { .. }) {
            meaning.referents.retain(|referent| match referent {
                Referent::Def(def) => self.binding(*def).is_none_or(|binding| binding.kind != BindingKind::Field),
                _ => true,
            });
        }
    }

    /// The member called `text` that traits of the project give to values of types that are not of the project, or to
    /// those of all types.
    pub(super) fn foreign_member(&self, file: FileId, values: &Values, text: &str, walk: &mut Walk) -> Option<Meaning> {
        if self.family(file) != Some(Family::Rust) || values.list.is_empty() || walk.gathering {
            return None;
        }
        if is_common(Family::Rust, text) {
            return None;
        }
        let outside =
            values.list.iter().any(|value| matches!(value, Value::External | Value::Bag(_) | Value::Tuple(_)));
        let members = self.foreign_of(file);
        let given: Vec<Given> = members.0.get(text)?.iter().copied().filter(|given| given.to_all || outside).collect();
        let sure = values.sure && matches!(given.as_slice(), [one] if one.to_all);
        let found = given.into_iter().take(super::MAX_VALUES).map(|given| Referent::Def(given.def)).collect();
        let meaning = Meaning::of(found, sure);
        (!meaning.is_empty()).then_some(meaning)
    }

    fn foreign_of(&self, file: FileId) -> Arc<Foreign> {
        let mut files = self.modules(file).map_or_else(Vec::new, |modules| modules.extenders(self.world(), file));
        if files.is_empty() {
            files.push(file);
        }
        let key = files[0];
        if let Some(known) = self.foreign.get(&key) {
            return known;
        }
        let mut by_name: HashMap<Box<str>, Vec<Given>> = HashMap::new();
        let mut walk = Walk::new();
        walk.gathering = true;
        for file in files {
            let Some(names) = self.names(file) else { continue };
            let traits = names.extensions.iter().filter(|extension| extension.implements.is_some());
            let mut scopes: HashMap<ScopeId, bool> = HashMap::new();
            for extension in traits {
                if let Some(to_all) = self.is_foreign(file, extension.target, &mut walk) {
                    scopes.insert(extension.scope, to_all);
                }
                walk.steps = 0;
            }
            if scopes.is_empty() {
                continue;
            }
            for (binding, found) in (0..).zip(&names.bindings) {
                if let (BindingKind::Function, Some(to_all)) = (found.kind, scopes.get(&found.scope)) {
                    let given = Given { def: Def { file, binding }, to_all: *to_all };
                    by_name.entry(names.text(found.name).into()).or_default().push(given);
                }
            }
        }
        let made = Arc::new(Foreign(by_name));
        self.foreign.put(key, made.clone());
        made
    }

    /// Whether an extension is for all types (`Some(true)`), for one from outside (`Some(false)`) or for one of the
    /// project.
    fn is_foreign(&self, file: FileId, target: ExprId, walk: &mut Walk) -> Option<bool> {
        match self.expr(file, target) {
            Expr::Unknown | Expr::Tuple(_) | Expr::Generic { base: None, .. } | Expr::Function { .. } => {
                return Some(false);
            }
            _ => {}
        }
        let meaning = self.define(file, self.bare(file, target), walk);
        let mut foreign = Some(false);
        for referent in &meaning.referents {
            match referent {
                Referent::Def(def) => match self.binding(*def).map(|binding| binding.kind) {
                    Some(BindingKind::TypeParameter) => foreign = Some(true),
                    _ => return None,
                },
                Referent::External => {}
                _ => return None,
            }
        }
        foreign
    }
}

/// Instances of the types among some values.
fn as_instances(values: Values) -> Values {
    let sure = values.sure;
    let list = values.list.into_iter().map(|value| match value {
        Value::Type(def, arguments) => Value::Instance(def, arguments),
        value => value,
    });
    Values { list: list.collect(), sure }
}
