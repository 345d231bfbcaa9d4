//! What is peculiar to Rust: what a receiver says of what is called on it, and traits that are implemented for types
//! from outside of the project.

use std::sync::Arc;

use peelback_syntax::names::{Binding, BindingKind, Expr, ExprId, Extension, NameId, ScopeId, ScopeKind};

use super::values::Arguments;
use super::{Def, Meaning, Referent, Resolver, Value, Values, Walk, is_common};
use crate::modules::{Family, FileId};

/// A member that a trait of the project gives to a type from outside of it, or to all types.
#[derive(Clone, Copy)]
pub(super) struct Given {
    def: Def,
    /// What it is given to.
    target: ExprId,
    /// Whether all types that fit have it (`impl<T> Trait for T`).
    to_all: bool,
}

/// Functions that traits of the standard library give to a type, by a derivation too, and that make one of it.
const MAKERS: &[&str] = &["default", "from", "from_iter", "parse", "parse_from"];

/// The same, with the new value in a result.
const TRIERS: &[&str] = &["deserialize", "from_str", "try_from", "try_parse", "try_parse_from"];

/// Whether traits of the standard library have a member of this name.
pub(super) fn is_usual(name: &str) -> bool {
    is_common(Family::Rust, name) || MAKERS.contains(&name) || TRIERS.contains(&name)
}

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
        made.partial |= functions.partial;
        Some(made)
    }

    /// What a function that is argument `argument` of a call gets as its parameter `parameter`, as the called function
    /// declares it.
    pub(super) fn given_to(
        &self,
        file: FileId,
        callee: ExprId,
        argument: u32,
        parameter: u32,
        walk: &mut Walk,
    ) -> Values {
        let functions = self.callee(file, callee, walk);
        let base = match self.expr(file, callee) {
            Expr::Member { base, .. } => Some(base),
            _ => None,
        };
        let receiver = base.map(|base| self.value(file, base, walk)).unwrap_or_default();
        let on_type = receiver.list.iter().any(|value| matches!(value, Value::Type(..)));
        let mut all = Values::default();
        for value in &functions.list {
            let Value::Function(def) = value else { continue };
            let Some(indexed) = self.file(def.file) else { continue };
            let binding = indexed.binding(def.binding);
            // `Type::method(receiver, …)`: the receiver is an argument as well.
            let is_method = indexed.kind(binding.scope) == ScopeKind::Type && !binding.on_type;
            let before = u32::from(on_type && is_method);
            let entry = argument.checked_sub(before).and_then(|entry| usize::try_from(entry).ok());
            let declared = entry.and_then(|entry| indexed.names().list(binding.bases).get(entry));
            if let Some(declared) = declared {
                all.add(self.parameter_of(def.file, *declared, parameter, walk));
            }
        }
        all = self.substituted(all, &receiver, walk);
        all.sure &= functions.sure;
        all.partial |= functions.partial;
        all
    }

    /// The parameter `parameter` of functions of the type that is written.
    fn parameter_of(&self, file: FileId, of: ExprId, parameter: u32, walk: &mut Walk) -> Values {
        walk.deeper(|walk| match self.expr(file, of) {
            Expr::Function { binding } => {
                let Some(indexed) = self.file(file) else { return Values::default() };
                let types = indexed.names().list(indexed.binding(binding).bases);
                let declared = usize::try_from(parameter).ok().and_then(|parameter| types.get(parameter));
                declared.map_or_else(Values::default, |declared| self.instance(file, *declared, walk))
            }
            Expr::Either(parts) => {
                let Some(names) = self.names(file) else { return Values::default() };
                let given = names.list(parts).iter().map(|part| self.parameter_of(file, *part, parameter, walk));
                given.into_iter().find(|given| !given.list.is_empty()).unwrap_or_default()
            }
            // A function that may be missing.
            Expr::Generic { args, .. } => {
                let last = self.names(file).and_then(|names| names.list(args).last().copied());
                last.map_or_else(Values::default, |last| self.parameter_of(file, last, parameter, walk))
            }
            Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } => {
                let mut all = Values::default();
                for referent in self.define(file, of, walk).referents {
                    let Referent::Def(def) = referent else { continue };
                    let Some(binding) = self.binding(def) else { continue };
                    if let (BindingKind::TypeParameter | BindingKind::TypeAlias, Some(meant)) =
                        (binding.kind, binding.annotation)
                    {
                        all.add(self.parameter_of(def.file, meant, parameter, walk));
                    }
                }
                all
            }
            _ => Values::default(),
        })
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
        if self.family(file) != Some(Family::Rust) || values.list.is_empty() || is_common(Family::Rust, text) {
            return None;
        }
        if walk.gathering {
            // They are not known yet: what is found without them is not to be remembered.
            walk.cut = true;
            return None;
        }
        let outside =
            values.list.iter().any(|value| matches!(value, Value::External | Value::Bag(_) | Value::Tuple(_)));
        let members = self.foreign_of(file, text);
        let given: Vec<Given> = members.iter().copied().filter(|given| given.to_all || outside).collect();
        // Those of the very type of the receiver come before those of others that are not told apart.
        let is_own = |given: &Given, walk: &mut Walk| {
            let target = walk.deeper(|walk| self.instance(given.def.file, given.target, walk));
            target.list == values.list && target.list.iter().any(|value| *value != Value::External)
        };
        let own: Vec<Given> = given.iter().copied().filter(|given| is_own(given, walk)).collect();
        let sure = values.sure && (!own.is_empty() || matches!(given.as_slice(), [one] if one.to_all));
        let given = if own.is_empty() { given } else { own };
        let found = given.into_iter().take(super::MAX_VALUES).map(|given| Referent::Def(given.def)).collect();
        let meaning = Meaning::of(found, sure);
        (!meaning.is_empty()).then_some(meaning)
    }

    /// The members called `text` that are given in the files around `file`.
    fn foreign_of(&self, file: FileId, text: &str) -> Arc<[Given]> {
        let files = self.group_of(file);
        let asked = (files.first().copied().unwrap_or(file), text.into());
        if let Some(known) = self.foreign.get(&asked) {
            return known;
        }
        let holders = files.iter().copied().filter(|file| self.project_index().may_hold(*file, text));
        let made: Arc<[Given]> = holders.flat_map(|file| self.given_in(file, text)).collect();
        self.foreign.put(asked, made.clone());
        made
    }

    /// The members called `text` that a file gives to types from outside.
    fn given_in(&self, file: FileId, text: &str) -> Vec<Given> {
        let Some(names) = self.names(file) else { return Vec::new() };
        let Some(name) = names.id_of(text) else { return Vec::new() };
        let given = |(binding, found): (u32, &Binding)| {
            if found.kind != BindingKind::Function || found.name != name {
                return None;
            }
            let of_scope = |extension: &&Extension| extension.implements.is_some() && extension.scope == found.scope;
            let extension = names.extensions.iter().find(of_scope)?;
            // A walk of its own for each: what it gives is the same whoever asks first, even where a bound cuts it.
            let mut walk = Walk::new();
            walk.gathering = true;
            let to_all = self.is_foreign(file, extension.target, &mut walk)?;
            Some(Given { def: Def { file, binding }, target: extension.target, to_all })
        };
        (0..).zip(&names.bindings).filter_map(given).collect()
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
    let list = values.list.into_iter().map(|value| match value {
        Value::Type(def, arguments) => Value::Instance(def, arguments),
        value => value,
    });
    Values { list: list.collect(), ..values }
}
