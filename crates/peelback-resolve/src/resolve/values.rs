//! What an expression's value is: an instance of which type, which type itself, which function.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeId, ScopeKind};

use super::{Def, MAX_VALUES, Meaning, Referent, Resolver, Walk};
use crate::modules::{Family, FileId, Module};

/// The arguments of a generic type, each with its possible values.
pub(super) type Arguments = Option<Arc<[Values]>>;

/// What a value is known to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// An instance of a type, with the type's arguments where they are written.
    Instance(Def, Arguments),
    /// A type itself.
    Type(Def, Arguments),
    /// A function or method.
    Function(Def),
    /// A module.
    Module(Module),
    /// An object with the members of a scope.
    Object(FileId, ScopeId),
    /// An instance of a type parameter.
    Parameter(Def),
    /// Something that holds or wraps these: a container or wrapper whose type is not of the project.
    Bag(Arc<[Value]>),
    /// Several values together.
    Tuple(Arc<[Values]>),
    /// Something from outside of the project.
    External,
}

/// The possible values of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Values {
    /// Nothing, where nothing is known.
    pub list: Vec<Value>,
    /// Whether bindings and declarations alone say so.
    pub sure: bool,
    /// Whether it may be something else as well: an alternative is not known, or there are too many.
    pub partial: bool,
}

impl Values {
    pub fn one(value: Value, sure: bool) -> Self {
        Self { list: vec![value], sure, partial: false }
    }

    pub fn external() -> Self {
        Self::one(Value::External, true)
    }

    pub(super) fn unsure(mut self) -> Self {
        self.sure = false;
        self
    }

    /// Takes in other possible values.
    pub(super) fn add(&mut self, other: Self) {
        self.add_up_to(MAX_VALUES, other);
    }

    /// The same, with `most` values of several sources; those of one are all taken.
    pub(super) fn add_up_to(&mut self, most: usize, other: Self) {
        self.partial |= other.partial;
        if other.list.is_empty() {
            return;
        }
        self.sure = if self.list.is_empty() { other.sure } else { self.sure && other.sure };
        let most = if self.list.is_empty() { most.max(other.list.len()) } else { most };
        for value in other.list {
            if self.list.contains(&value) {
                continue;
            }
            if self.list.len() >= most {
                self.partial = true;
                break;
            }
            self.list.push(value);
        }
    }

    /// The same values as something that holds them.
    pub(super) fn held(self) -> Self {
        if self.list.is_empty() {
            return Self::default();
        }
        Self { list: vec![Value::Bag(self.list.into())], sure: self.sure, partial: self.partial }
    }
}

impl Resolver<'_> {
    /// The value of an expression.
    pub fn value(&self, file: FileId, expr: ExprId, walk: &mut Walk) -> Values {
        // Every import of a chain asks for the one before it more than once.
        if !matches!(self.expr(file, expr), Expr::Call { .. } | Expr::Member { .. }) {
            return self.evaluate(file, expr, walk);
        }
        if let Some(known) = self.chained.get(&(file, expr)) {
            return known;
        }
        self.warm_up(file, expr, walk);
        let before = std::mem::replace(&mut walk.cut, false);
        let found = self.evaluate(file, expr, walk);
        if !walk.cut {
            self.chained.put((file, expr), found.clone());
        }
        walk.cut |= before;
        found
    }

    /// Works out the calls that a long chain begins with, the first of all first: it is no deeper than its imports then.
    fn warm_up(&self, file: FileId, expr: ExprId, walk: &mut Walk) {
        if walk.warming {
            return;
        }
        let mut calls = Vec::new();
        let mut at = expr;
        while calls.len() < MAX_LINKS {
            at = match self.expr(file, at) {
                Expr::Call { callee } => {
                    if at != expr && self.chained.get(&(file, at)).is_some() {
                        break;
                    }
                    calls.push(at);
                    callee
                }
                Expr::Member { base, .. } => base,
                Expr::Element { of } | Expr::Item { of, .. } => of,
                Expr::Either(parts) => match self.names(file).and_then(|names| names.list(parts).first()) {
                    Some(first) => *first,
                    None => break,
                },
                _ => break,
            };
        }
        if calls.len() > LONG_CHAIN {
            walk.warming = true;
            for call in calls.iter().skip(1).rev() {
                self.value(file, *call, walk);
            }
            walk.warming = false;
        }
    }

    fn evaluate(&self, file: FileId, expr: ExprId, walk: &mut Walk) -> Values {
        walk.deeper(|walk| match self.expr(file, expr) {
            Expr::Name { .. } | Expr::Bound { .. } => {
                let meaning = self.define(file, expr, walk);
                self.values_of(&meaning, walk)
            }
            Expr::Member { base, name, .. } => {
                let mut meaning = self.member(file, base, name, walk);
                if self.family(file) == Some(Family::Rust) {
                    meaning = self.of_kind(meaning, false);
                }
                let mut values = self.values_of(&meaning, walk);
                if meaning.is_empty()
                    && let Ok(index) = self.text(file, name).parse::<u32>()
                {
                    let holder = self.value(file, base, walk);
                    values = self.item(holder, index, walk);
                } else if meaning.is_empty() && self.family(file) == Some(Family::JavaScript) {
                    values = self.indexed_by(file, base, walk);
                } else if meaning.is_empty() {
                    // What a container of these gives is likely one of these.
                    let holder = self.value(file, base, walk);
                    let bags = holder.list.into_iter().filter(|value| matches!(value, Value::Bag(_)));
                    values.list.extend(bags);
                    values.sure = false;
                } else {
                    let receiver = self.value(file, base, walk);
                    values = self.substituted(values, &receiver, walk);
                }
                values
            }
            Expr::Call { callee } => self.called(file, callee, walk),
            Expr::Instance { of } => self.instance(file, of, walk),
            Expr::Applied { callee, args } => self.applied(file, callee, args, walk),
            Expr::Argument { of, index } => self.expected(file, of, index, walk),
            Expr::TypeOf { of } => {
                let mut values = self.value(file, of, walk);
                for value in &mut values.list {
                    if let Value::Instance(def, args) = value {
                        *value = Value::Type(*def, args.clone());
                    }
                }
                values
            }
            Expr::Element { of } => {
                let values = self.value(file, of, walk);
                self.elements(values, walk)
            }
            Expr::Given { callee, argument, parameter } => self.given_to(file, callee, argument, parameter, walk),
            Expr::Item { of, index } => {
                if let Expr::Tuple(span) = self.expr(file, of)
                    && let Some(names) = self.names(file)
                    && let Some(item) = names.list(span).get(index as usize)
                {
                    return self.value(file, *item, walk);
                }
                if index == 0
                    && let Some(keys) = self.keys(file, of, walk)
                {
                    return keys;
                }
                let values = self.value(file, of, walk);
                // These languages index arrays and tuples alike.
                let is_array = values.list.iter().all(|value| matches!(value, Value::Bag(_)));
                if is_array && self.is_dynamic(file) {
                    return self.elements(values, walk);
                }
                self.item(values, index, walk)
            }
            Expr::Generic { base: Some(base), args } => {
                let mut values = self.value(file, base, walk);
                let arguments = self.arguments(file, args, walk);
                for value in &mut values.list {
                    if let Value::Type(_, slot) = value {
                        slot.clone_from(&arguments);
                    }
                }
                values
            }
            Expr::Generic { base: None, args } => {
                let Some(names) = self.names(file) else { return Values::default() };
                let Some(last) = names.list(args).last() else { return Values::default() };
                self.value(file, *last, walk).held()
            }
            Expr::Either(span) => {
                let Some(names) = self.names(file) else { return Values::default() };
                if self.family(file) == Some(Family::Rust) {
                    return self.first_known(file, names.list(span), walk);
                }
                let mut all = Values::default();
                let script = self.family(file) == Some(Family::JavaScript);
                for part in names.list(span) {
                    let found = self.alternative(file, *part, &mut all, walk);
                    // What is sure already does not become less so.
                    let known = script && all.sure && found.list.iter().all(|value| all.list.contains(value));
                    if !known {
                        all.add(found);
                    }
                }
                if all.list.len() > 1 { all.unsure() } else { all }
            }
            Expr::Tuple(span) => {
                let Some(names) = self.names(file) else { return Values::default() };
                let items: Vec<Values> = names.list(span).iter().map(|item| self.value(file, *item, walk)).collect();
                let sure = items.iter().all(|item| item.sure);
                Values::one(Value::Tuple(items.into()), sure)
            }
            Expr::This { scope } => self.this_object(file, scope, walk),
            Expr::ThisType { scope } => match self.this_type(file, scope, walk) {
                Some(def) => Values::one(Value::Type(def, self.own_arguments(file, scope, def, walk)), true),
                None => Values::default(),
            },
            Expr::Super { scope } => self.bases_of_this(file, scope, walk),
            Expr::Object { scope } => Values::one(Value::Object(file, scope), true),
            Expr::Function { binding } => Values::one(Value::Function(Def { file, binding }), true),
            Expr::Imported { import } => {
                let meaning = self.imported(file, import, None, walk);
                self.values_of(&meaning, walk)
            }
            Expr::Unknown => Values::default(),
        })
    }

    /// The value of one of several expressions that something may be; `all` is partial where it is not known.
    pub(super) fn alternative(&self, file: FileId, part: ExprId, all: &mut Values, walk: &mut Walk) -> Values {
        let cycles = walk.cycles;
        let found = self.value(file, part, walk);
        // A value that leads back to the same place adds nothing. Neither do `None` and the like, nor what a parameter is
        // expected to be, which is one more way to say the same.
        let silent = matches!(self.expr(file, part), Expr::Unknown | Expr::Argument { .. } | Expr::Given { .. });
        let says = self.is_dynamic(file) && !silent;
        all.partial |= says && found.list.is_empty() && walk.cycles == cycles;
        found
    }

    /// Whether one variable may hold values of several types, that no type unites.
    pub(super) fn is_dynamic(&self, file: FileId) -> bool {
        matches!(self.family(file), Some(Family::JavaScript | Family::Python))
    }

    fn bases_of_this(&self, file: FileId, scope: ScopeId, walk: &mut Walk) -> Values {
        let Some(def) = self.this_type(file, scope, walk) else { return Values::default() };
        let mut all = Values::default();
        for (file, base) in self.bases(def, walk) {
            all.add(self.instance(file, base, walk));
        }
        // The nearest base that has the member counts, and which one has it is not known here.
        all
    }

    pub(super) fn arguments(&self, file: FileId, args: peelback_syntax::names::Span, walk: &mut Walk) -> Arguments {
        let names = self.names(file)?;
        let list = names.list(args);
        (!list.is_empty()).then(|| list.iter().map(|arg| self.instance(file, *arg, walk)).collect())
    }

    /// The values of what a name leads to.
    pub(super) fn values_of(&self, meaning: &Meaning, walk: &mut Walk) -> Values {
        let mut all = Values::default();
        for referent in &meaning.referents {
            all.add(match referent {
                Referent::Def(def) => self.value_of(*def, walk),
                Referent::Module(module) => match self.module_value(module) {
                    Some((file, expr)) => {
                        let mut values = walk.deeper(|walk| self.value(file, expr, walk));
                        // The exports of a module are its members, whatever its value is.
                        values.list.insert(0, Value::Module(module.clone()));
                        values.sure = true;
                        values
                    }
                    None => Values::one(Value::Module(module.clone()), true),
                },
                Referent::Value(file, expr) => walk.deeper(|walk| self.value(*file, *expr, walk)),
                Referent::External => Values::external(),
            });
        }
        all.sure &= meaning.sure;
        all.partial |= meaning.partial;
        all
    }

    /// The value of a definition.
    pub fn value_of(&self, def: Def, walk: &mut Walk) -> Values {
        let def =
            if self.binding(def).is_some_and(|binding| binding.visible_from > 0) { def } else { self.canonical(def) };
        if let Some(known) = self.values.get(&def) {
            return known;
        }
        if walk.open.contains(&def) {
            walk.turn_back();
            return Values::default();
        }
        let before = std::mem::replace(&mut walk.cut, false);
        walk.open.push(def);
        let found = walk.deeper(|walk| self.work_out(def, walk));
        walk.open.pop();
        if !walk.cut {
            self.values.put(def, found.clone());
        }
        walk.cut |= before;
        found
    }

    fn work_out(&self, def: Def, walk: &mut Walk) -> Values {
        let Some(indexed) = self.file(def.file) else { return Values::default() };
        let binding = indexed.binding(def.binding);
        match binding.kind {
            BindingKind::Module => match binding.body {
                Some(body) => Values::one(Value::Module(Module::Scope(def.file, body)), true),
                None => Values::default(),
            },
            BindingKind::Type => Values::one(Value::Type(def, None), true),
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return Values::default() };
                let mut values = self.instance(def.file, meant, walk);
                for value in &mut values.list {
                    if let Value::Instance(def, args) = value {
                        *value = Value::Type(*def, args.clone());
                    }
                }
                values
            }
            BindingKind::Function => Values::one(Value::Function(def), true),
            BindingKind::Property => self.result(def, walk),
            BindingKind::Variable | BindingKind::Parameter | BindingKind::Field => self.held_by(def, walk),
            BindingKind::EnumMember => {
                let holder = indexed.owner(binding.scope);
                let holder = holder.filter(|_| indexed.kind(binding.scope) == ScopeKind::Type);
                match (holder, binding.annotation) {
                    (Some(holder), _) => {
                        Values::one(Value::Instance(Def { file: def.file, binding: holder }, None), true)
                    }
                    (None, Some(annotation)) => self.instance(def.file, annotation, walk),
                    (None, None) => Values::default(),
                }
            }
            BindingKind::TypeParameter => Values::one(Value::Parameter(def), true),
            BindingKind::Import => {
                let meaning = self.follow(def, walk);
                self.values_of(&meaning, walk)
            }
            BindingKind::Macro | BindingKind::Label => Values::default(),
        }
    }

    /// The value of a variable, parameter or field: what it declares, else what is assigned to any binding of it.
    fn held_by(&self, def: Def, walk: &mut Walk) -> Values {
        let Some(indexed) = self.file(def.file) else { return Values::default() };
        let own = indexed.binding(def.binding);
        let together: Vec<u32> =
            if own.visible_from > 0 { vec![def.binding] } else { indexed.bound(own.scope, own.name).to_vec() };
        for part in &together {
            if let Some(annotation) = indexed.binding(*part).annotation {
                let declared = self.instance(def.file, annotation, walk);
                if !declared.list.is_empty() {
                    return declared;
                }
            }
        }
        let mut all = Values::default();
        let mut count = 0;
        if self.family(def.file) == Some(Family::Rust) {
            // Whatever is assigned to a variable is of one type.
            let of = |part: &u32| indexed.names().list(indexed.binding(*part).values);
            let parts: Vec<ExprId> = together.iter().flat_map(of).copied().collect();
            return self.first_known(def.file, &parts, walk);
        }
        for part in &together {
            let binding = indexed.binding(*part);
            if matches!(binding.kind, BindingKind::Type | BindingKind::Function) {
                all.add(self.work_out(Def { file: def.file, binding: *part }, walk));
            }
            for value in indexed.names().list(binding.values) {
                count += 1;
                let found = self.alternative(def.file, *value, &mut all, walk);
                all.add(found);
            }
        }
        if count > 1 && all.list.len() > 1 {
            let known = all.list.iter().any(|value| *value != Value::External);
            if known {
                all.list.retain(|value| *value != Value::External);
            }
            all = all.unsure();
        }
        if own.kind == BindingKind::Parameter && own.annotation.is_none() {
            // What a parameter gets as its default or by a convention.
            let values = indexed.names().list(own.values);
            let conventional = match values.first().map(|first| indexed.names().expr(*first)) {
                Some(Expr::This { .. } | Expr::ThisType { .. }) => true,
                Some(Expr::Argument { .. }) => values.len() == 1,
                _ => indexed.is_part(def.binding),
            };
            all.sure &= conventional;
        }
        all
    }
}

/// A chain with more calls is worked out from its beginning.
const LONG_CHAIN: usize = 4;

/// How far back a chain is followed.
const MAX_LINKS: usize = 1000;
