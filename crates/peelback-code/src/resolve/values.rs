//! What an expression's value is: an instance of which type, which type itself, which function.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeId, ScopeKind};

use super::{Def, MAX_DECLARED, MAX_VALUES, Meaning, Referent, Resolver, Walk};
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
    fn add_up_to(&mut self, most: usize, other: Self) {
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
        // Every link of a chain asks for the one before it more than once.
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

    /// Works out the calls that a long chain begins with, the first of all first: it is no deeper than its links then.
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
                // JavaScript indexes arrays and tuples alike.
                let is_array = values.list.iter().all(|value| matches!(value, Value::Bag(_)));
                if is_array && self.family(file) == Some(Family::JavaScript) {
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
            Expr::Linked { link } => {
                let meaning = self.linked(file, link, None, walk);
                self.values_of(&meaning, walk)
            }
            Expr::Unknown => Values::default(),
        })
    }

    /// The value of one of several expressions that something may be; `all` is partial where it is not known.
    fn alternative(&self, file: FileId, part: ExprId, all: &mut Values, walk: &mut Walk) -> Values {
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
    fn is_dynamic(&self, file: FileId) -> bool {
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

    /// What calling an expression gives.
    pub(super) fn called(&self, file: FileId, callee: ExprId, walk: &mut Walk) -> Values {
        let functions = self.callee(file, callee, walk);
        // What a container gives by a method of the standard library is as sure as the container is.
        if let Expr::Member { base, name, .. } = self.expr(file, callee)
            && self.family(file) == Some(Family::Rust)
            && !functions.list.is_empty()
            && functions.list.iter().all(|value| matches!(value, Value::Bag(_)))
            && KEEPING.binary_search(&self.text(file, name)).is_ok()
        {
            return self.value(file, base, walk);
        }
        if let Expr::Member { base, name, .. } = self.expr(file, callee)
            && self.family(file) == Some(Family::Rust)
            && let Some(given) = self.own_kind(file, base, name, &functions, walk)
        {
            return given;
        }
        let python = match self.expr(file, callee) {
            Expr::Member { base, name, .. } if self.family(file) == Some(Family::Python) => {
                Some((self.value(file, base, walk), self.text(file, name)))
            }
            _ => None,
        };
        if let Some((receiver, name)) = &python
            && let Some(given) = self.protocol(receiver, name, &functions, walk)
        {
            return given;
        }
        let mut all = Values::default();
        for value in &functions.list {
            let cycles = walk.cycles;
            let given = self.call(value, walk);
            all.partial |= matches!(value, Value::Function(def) if self.is_dynamic(def.file))
                && given.list.is_empty()
                && walk.cycles == cycles;
            all.add(given);
        }
        if let Some((receiver, _)) = &python {
            all = self.of_own_type(all, receiver, &functions, walk);
        }
        // A method of a generic type gives what the receiver's arguments say.
        if let Expr::Member { base, .. } = self.expr(file, callee)
            && all.list.iter().any(|value| matches!(value, Value::Parameter(_) | Value::Bag(_)))
        {
            let receiver = self.value(file, base, walk);
            all = self.substituted(all, &receiver, walk);
        }
        all.sure &= functions.sure;
        all.partial |= functions.partial;
        all
    }

    /// The value of what is called. In Rust a module or a field may have the name of a function.
    pub(super) fn callee(&self, file: FileId, callee: ExprId, walk: &mut Walk) -> Values {
        let named = matches!(self.expr(file, callee), Expr::Name { .. } | Expr::Member { .. });
        if named && self.family(file) == Some(Family::Rust) {
            let meaning = self.define(file, callee, walk);
            if meaning.referents.len() > 1 {
                return self.values_of(&self.of_kind(meaning, true), walk);
            }
        }
        self.value(file, callee, walk)
    }

    fn call(&self, value: &Value, walk: &mut Walk) -> Values {
        match value {
            Value::Type(def, args) => Values::one(Value::Instance(*def, args.clone()), true),
            Value::Function(def) => walk.deeper(|walk| self.returned(*def, walk)),
            Value::Bag(values) => {
                // Calling something that holds functions, or a method of a container: what it holds comes out.
                let mut all = Values::default();
                for value in values.iter() {
                    all.add(match value {
                        Value::Function(_) => self.call(value, walk),
                        other => Values::one(Value::Bag(vec![other.clone()].into()), false),
                    });
                }
                all.unsure()
            }
            // `Shape::Circle(1)`: a variant is an instance already.
            Value::Instance(def, _) if self.family(def.file) == Some(Family::Rust) => Values::one(value.clone(), true),
            Value::Instance(def, _) if self.family(def.file) == Some(Family::JavaScript) => {
                walk.deeper(|walk| self.called_as(value, walk))
            }
            Value::Instance(def, _) => {
                let caller = self.type_member(*def, "__call__", walk);
                let values = self.values_of(&caller, walk);
                let mut all = Values::default();
                for value in &values.list {
                    if let Value::Function(def) = value {
                        all.add(self.returned(*def, walk));
                    }
                }
                if all.list.is_empty() {
                    for value in self.underlying(*def, walk).list {
                        all.add(walk.deeper(|walk| self.call(&value, walk)));
                    }
                }
                all
            }
            Value::External => Values::external(),
            // A module's own value is what is called: `require('x')()`.
            Value::Object(..) => walk.deeper(|walk| self.called_as(value, walk)),
            Value::Module(_) | Value::Parameter(_) | Value::Tuple(_) => Values::default(),
        }
    }

    /// What a function returns: what it declares, else what its body returns.
    pub(super) fn returned(&self, def: Def, walk: &mut Walk) -> Values {
        if walk.open.contains(&def) {
            walk.turn_back();
            return Values::default();
        }
        walk.open.push(def);
        let all = self.result(def, walk);
        walk.open.pop();
        all
    }

    /// The same, of a definition that is being worked out.
    fn result(&self, def: Def, walk: &mut Walk) -> Values {
        let Some(indexed) = self.file(def.file) else { return Values::default() };
        let own = indexed.binding(def.binding);
        let together: Vec<u32> = if own.visible_from > 0 || own.body == Some(own.scope) {
            vec![def.binding]
        } else {
            indexed.bound(own.scope, own.name).to_vec()
        };
        let mut all = Values::default();
        for part in &together {
            let binding = indexed.binding(*part);
            if let Some(annotation) = binding.annotation {
                let declared = self.instance(def.file, annotation, walk);
                all.add(if binding.wrapped { declared.held() } else { declared });
            }
        }
        // What several declarations of Rust say holds for one of them each time.
        let overloaded = all.list.len() > 1 && self.family(def.file) != Some(Family::Rust);
        if all.list.is_empty() {
            let mut wrapped = false;
            for part in &together {
                let binding = indexed.binding(*part);
                wrapped |= binding.wrapped;
                for value in indexed.names().list(binding.values) {
                    let found = self.alternative(def.file, *value, &mut all, walk);
                    all.add(found);
                }
            }
            all = all.unsure();
            if wrapped {
                all = all.held();
                all.sure = false;
            }
        }
        if overloaded { all.unsure() } else { all }
    }

    /// An instance of the type that an expression means.
    pub(super) fn instance(&self, file: FileId, of: ExprId, walk: &mut Walk) -> Values {
        walk.deeper(|walk| match self.expr(file, of) {
            Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } | Expr::ThisType { .. } => {
                if let Expr::ThisType { scope } = self.expr(file, of)
                    && let Some(own) = self.extended(file, scope, walk)
                {
                    return own;
                }
                let meaning = self.define(file, of, walk);
                let mut all = Values::default();
                for referent in &meaning.referents {
                    all.add(self.instance_of(referent, None, walk));
                }
                all.sure &= meaning.sure;
                all.partial |= meaning.partial;
                all
            }
            Expr::Generic { base: Some(base), args } => {
                let arguments = self.arguments(file, args, walk);
                let meaning = self.define(file, base, walk);
                let mut all = Values::default();
                for referent in &meaning.referents {
                    match self.instance_of(referent, arguments.clone(), walk) {
                        values if values.list == [Value::External] => all.add(bag(&arguments)),
                        values => all.add(values),
                    }
                }
                if meaning.is_empty() {
                    all.add(bag(&arguments));
                }
                all
            }
            Expr::Generic { base: None, args } => {
                let Some(names) = self.names(file) else { return Values::default() };
                let Some(last) = names.list(args).last() else { return Values::default() };
                self.instance(file, *last, walk).held()
            }
            Expr::Either(span) => {
                let Some(names) = self.names(file) else { return Values::default() };
                let mut all = Values::default();
                for part in names.list(span) {
                    let found = self.instance(file, *part, walk);
                    all.add_up_to(MAX_DECLARED, found);
                }
                let several = all.list.iter().filter(|value| **value != Value::External).count() > 1;
                if !several && all.list.len() > 1 {
                    // `Foo | None`: what is not of the project has no members of ours.
                    all.list.retain(|value| *value != Value::External);
                }
                all
            }
            Expr::Tuple(span) => {
                let Some(names) = self.names(file) else { return Values::default() };
                let items: Vec<Values> = names.list(span).iter().map(|item| self.instance(file, *item, walk)).collect();
                Values::one(Value::Tuple(items.into()), true)
            }
            Expr::This { scope } => self.this_object(file, scope, walk),
            Expr::TypeOf { of } => self.value(file, of, walk),
            Expr::Argument { of, index } => self.expected(file, of, index, walk),
            Expr::Object { scope } => Values::one(Value::Object(file, scope), true),
            Expr::Function { binding } => Values::one(Value::Function(Def { file, binding }), true),
            Expr::Element { of } => {
                let values = self.instance(file, of, walk);
                self.elements(values, walk)
            }
            Expr::Item { of, index } => {
                let values = self.instance(file, of, walk);
                self.item(values, index, walk)
            }
            Expr::Instance { of } => self.instance(file, of, walk),
            Expr::Call { .. } | Expr::Applied { .. } => {
                let values = self.value(file, of, walk);
                let mut all = Values { partial: values.partial, ..Values::default() };
                for value in values.list {
                    all.add(match value {
                        Value::Type(def, args) => Values::one(Value::Instance(def, args), false),
                        Value::External => Values::external(),
                        _ => Values::default(),
                    });
                }
                all
            }
            Expr::Super { .. } | Expr::Linked { .. } | Expr::Given { .. } | Expr::Unknown => Values::default(),
        })
    }

    fn instance_of(&self, referent: &Referent, arguments: Arguments, walk: &mut Walk) -> Values {
        let Referent::Def(def) = referent else {
            return match referent {
                Referent::External => Values::external(),
                Referent::Value(file, expr) => {
                    let values = self.value(*file, *expr, walk);
                    made_of(values)
                }
                // A class that a module is (`module.exports = class`).
                Referent::Module(module) => match self.module_value(module) {
                    Some((file, expr)) => {
                        let values = self.value(file, expr, walk);
                        made_of(values)
                    }
                    None => Values::default(),
                },
                Referent::Def(_) => Values::default(),
            };
        };
        let Some(binding) = self.binding(*def) else { return Values::default() };
        match binding.kind {
            // A function makes instances of itself where its prototype has members.
            BindingKind::Type | BindingKind::Function => Values::one(Value::Instance(*def, arguments), true),
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return Values::default() };
                if walk.open.contains(def) {
                    walk.turn_back();
                    return Values::default();
                }
                walk.open.push(*def);
                let mut values = self.instance(def.file, meant, walk);
                walk.open.pop();
                // An alias of a container with parameters of its own (`type Result<T> = std::Result<T, Error>`).
                if let Some(arguments) = &arguments {
                    values = self.with_arguments(values, *def, arguments, walk);
                }
                values
            }
            BindingKind::TypeParameter => Values::one(Value::Parameter(*def), true),
            // A variant used as a type is the type that holds it.
            BindingKind::EnumMember => self.value_of(*def, walk),
            BindingKind::Variable | BindingKind::Field | BindingKind::Parameter => {
                // A merged declaration of a type and a value: the type.
                let indexed = self.file(def.file);
                let types = indexed.into_iter().flat_map(|indexed| {
                    let together = indexed.bound(binding.scope, binding.name).iter().copied();
                    together.filter(|id| indexed.binding(*id).kind == BindingKind::Type)
                });
                if let Some(first) = types.into_iter().next() {
                    return Values::one(Value::Instance(Def { file: def.file, binding: first }, arguments), true);
                }
                let values = self.value_of(*def, walk);
                let mut made = Values::default();
                if self.family(def.file) == Some(Family::JavaScript) {
                    for value in &values.list {
                        if matches!(value, Value::Instance(..) | Value::Object(..)) {
                            made.add(walk.deeper(|walk| self.constructed_as(value, walk)));
                        }
                    }
                    made.sure &= values.sure;
                    made.partial |= values.partial;
                }
                made.add(made_of(values));
                made
            }
            _ => Values::default(),
        }
    }

    /// `values` with the type parameters of `def` replaced by `arguments`.
    fn with_arguments(&self, mut values: Values, def: Def, arguments: &Arc<[Values]>, walk: &mut Walk) -> Values {
        let Some(indexed) = self.file(def.file) else { return values };
        let Some(body) = indexed.binding(def.binding).body else {
            // Parameters that stand in no scope of their own: what holds anything holds the first argument.
            if values.list.iter().all(|value| matches!(value, Value::Parameter(_))) {
                return arguments.first().cloned().unwrap_or(values);
            }
            for value in &mut values.list {
                if let Value::Bag(held) = value
                    && held.iter().any(|value| matches!(value, Value::Parameter(_)))
                    && let Some(first) = arguments.first()
                {
                    *value = Value::Bag(first.list.clone().into());
                }
            }
            return values;
        };
        let receiver = Values::one(Value::Instance(def, Some(arguments.clone())), true);
        let _ = body;
        self.substituted(values, &receiver, walk)
    }

    /// `values` with type parameters of the receiver's type replaced by the arguments that it has.
    pub(super) fn substituted(&self, values: Values, receiver: &Values, walk: &mut Walk) -> Values {
        if !values.list.iter().any(|value| has_parameter(value) || self.has_argument(value, MAX_NESTED)) {
            return values;
        }
        let mut all = Values { list: Vec::new(), ..values };
        let sure = values.sure;
        for value in values.list {
            all.add(self.substitute(value, receiver, sure, walk));
        }
        all
    }

    /// Whether a type parameter stands among the arguments of a type of JavaScript, at some depth.
    pub(super) fn has_argument(&self, value: &Value, deep: usize) -> bool {
        match value {
            Value::Instance(def, Some(arguments)) if deep > 0 && self.family(def.file) == Some(Family::JavaScript) => {
                let mut all = arguments.iter().flat_map(|argument| &argument.list);
                all.any(|value| has_parameter(value) || self.has_argument(value, deep - 1))
            }
            _ => false,
        }
    }

    fn substitute(&self, value: Value, receiver: &Values, sure: bool, walk: &mut Walk) -> Values {
        match value {
            Value::Parameter(parameter) => {
                for holder in &receiver.list {
                    if let Value::Instance(def, arguments) | Value::Type(def, arguments) = holder
                        && let Some(argument) = self.argument_of(parameter, *def, arguments, 0, walk)
                    {
                        return argument;
                    }
                }
                Values::one(Value::Parameter(parameter), sure)
            }
            Value::Bag(held) if held.iter().any(has_parameter) => {
                let mut inside = Values::default();
                for value in held.iter() {
                    inside.add(walk.deeper(|walk| self.substitute(value.clone(), receiver, sure, walk)));
                }
                inside.held()
            }
            Value::Instance(def, Some(arguments)) if self.family(def.file) == Some(Family::JavaScript) => {
                let of = |argument: &Values, walk: &mut Walk| {
                    walk.deeper(|walk| self.substituted(argument.clone(), receiver, walk))
                };
                let arguments = arguments.iter().map(|argument| of(argument, walk)).collect();
                Values::one(Value::Instance(def, Some(arguments)), sure)
            }
            other => Values::one(other, sure),
        }
    }

    /// What stands for a type parameter of `def`, or of a base that `def` gives arguments to.
    fn argument_of(
        &self,
        parameter: Def,
        def: Def,
        arguments: &Arguments,
        depth: usize,
        walk: &mut Walk,
    ) -> Option<Values> {
        if let Some(arguments) = arguments
            && let Some(argument) = self.argument(parameter, def, arguments)
        {
            return Some(argument.clone());
        }
        if depth >= MAX_VALUES {
            return None;
        }
        for (file, base) in self.bases(def, walk) {
            for value in walk.deeper(|walk| self.instance(file, base, walk)).list {
                let Value::Instance(base, given) = value else { continue };
                if base == def {
                    continue;
                }
                if let Some(found) = self.argument_of(parameter, base, &given, depth + 1, walk) {
                    let own = Values::one(Value::Instance(def, arguments.clone()), true);
                    return Some(if arguments.is_some() { self.substituted(found, &own, walk) } else { found });
                }
            }
        }
        None
    }

    /// The argument that stands for a type parameter of `def`.
    fn argument<'a>(&self, parameter: Def, def: Def, arguments: &'a Arc<[Values]>) -> Option<&'a Values> {
        if parameter.file != def.file {
            return None;
        }
        let indexed = self.file(def.file)?;
        let scope = indexed.binding(parameter.binding).scope;
        let body = indexed.binding(def.binding).body?;
        if indexed.parent(body) != Some(scope) && body != scope {
            // The parameters of an extension (`impl<T> List<T>`) stand for those of the type, in their order.
            let members =
                indexed.names().extensions.iter().any(|extension| indexed.parent(extension.scope) == Some(scope));
            if !members {
                return None;
            }
        }
        let place = indexed.type_parameters(scope).iter().position(|id| *id == parameter.binding)?;
        arguments.get(place)
    }

    /// What comes out of containers and wrappers.
    pub(super) fn elements(&self, values: Values, walk: &mut Walk) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Bag(held) => Values { list: held.to_vec(), sure, partial: false },
                Value::Tuple(items) => {
                    let mut inside = Values::default();
                    for item in items.iter() {
                        inside.add(item.clone());
                    }
                    inside.unsure()
                }
                Value::Instance(def, args) if self.family(def.file) == Some(Family::Rust) => {
                    self.associated(def, args, walk)
                }
                value @ (Value::Instance(..) | Value::Object(..)) if self.is_indexed(&value, walk) => {
                    self.indexed_as(&value, walk)
                }
                Value::Instance(def, args) => {
                    let given = ITERATORS.iter().find_map(|name| {
                        let found = self.type_member(def, name, walk);
                        let values = self.values_of(&found, walk);
                        let mut given = Values::default();
                        for value in &values.list {
                            if let Value::Function(def) = value {
                                given.add(self.returned(*def, walk));
                            }
                        }
                        (!given.list.is_empty()).then_some((*name, given))
                    });
                    let receiver = Values::one(Value::Instance(def, args.clone()), true);
                    let made_of = if given.is_none() { self.underlying(def, walk) } else { Values::default() };
                    match (given, &args) {
                        (None, _) if !made_of.list.is_empty() => {
                            let inside = walk.deeper(|walk| self.elements(made_of, walk));
                            self.substituted(inside, &receiver, walk)
                        }
                        (Some((name, given)), _) => {
                            let given = self.substituted(given, &receiver, walk);
                            if name == "__getitem__" || name == "__enter__" {
                                given
                            } else {
                                walk.deeper(|walk| self.elements(given, walk))
                            }
                        }
                        (None, Some(args)) => args.last().cloned().unwrap_or_default().unsure(),
                        (None, None) => Values::one(Value::Instance(def, args), false),
                    }
                }
                Value::Parameter(def) => Values::one(Value::Parameter(def), false),
                Value::External => Values::external(),
                // A function with type arguments.
                Value::Function(def) => Values::one(Value::Function(def), sure),
                Value::Type(..) | Value::Module(_) | Value::Object(..) => Values::default(),
            });
        }
        all.sure &= sure;
        all
    }

    /// What instances of a type are made of where it is defined by another type: a list, a function.
    fn underlying(&self, def: Def, walk: &mut Walk) -> Values {
        if self.family(def.file) != Some(Family::Go) {
            return Values::default();
        }
        let mut all = Values::default();
        for (file, base) in self.bases(def, walk) {
            all.add(walk.deeper(|walk| self.instance(file, base, walk)));
        }
        all.list.retain(|value| *value != Value::External);
        all
    }

    /// What comes out of a value of Rust that is no container of the standard library: what it iterates over, what it
    /// gives when it is awaited.
    fn associated(&self, def: Def, args: Arguments, walk: &mut Walk) -> Values {
        for name in ASSOCIATED {
            let mut all = Values::default();
            let found = self.type_member(def, name, walk);
            for referent in &found.referents {
                if let Referent::Def(alias) = referent
                    && let Some(meant) = self.binding(*alias).and_then(|binding| binding.annotation)
                {
                    all.add(walk.deeper(|walk| self.instance(alias.file, meant, walk)));
                }
            }
            if !all.list.is_empty() {
                let receiver = Values::one(Value::Instance(def, args), true);
                return self.substituted(all, &receiver, walk);
            }
        }
        match args {
            Some(args) => args.last().cloned().unwrap_or_default().unsure(),
            None => Values::default(),
        }
    }

    fn item(&self, values: Values, index: u32, walk: &mut Walk) -> Values {
        let sure = values.sure;
        let mut all = Values { partial: values.partial, ..Values::default() };
        for value in values.list {
            all.add(match value {
                Value::Tuple(items) => items.get(index as usize).cloned().unwrap_or_default(),
                // A pair of what is held: an error beside a value, a key beside a value.
                Value::Bag(held) => Values { list: held.to_vec(), ..Values::default() },
                Value::External => Values::external(),
                Value::Instance(def, args) if self.family(def.file) == Some(Family::Go) => {
                    let receiver = Values::one(Value::Instance(def, args), true);
                    let made_of = self.underlying(def, walk);
                    let inside = walk.deeper(|walk| self.item(made_of, index, walk));
                    self.substituted(inside, &receiver, walk)
                }
                // The first of several results that are not told apart is the only one that is known.
                Value::Instance(def, args) if index == 0 => Values::one(Value::Instance(def, args), false),
                _ => Values::default(),
            });
        }
        let _ = walk;
        all.sure &= sure;
        all
    }
}

/// A chain with more calls is worked out from its beginning.
const LONG_CHAIN: usize = 4;

/// How far back a chain is followed.
const MAX_LINKS: usize = 1000;

/// How deep type arguments are followed.
const MAX_NESTED: usize = 4;

/// Members that say what iterating, indexing or entering gives, in the order in which they are asked.
const ITERATORS: &[&str] = &["__iter__", "__aiter__", "__getitem__", "__await__", "__enter__", "__aenter__"];

/// Methods of the standard library's containers and wrappers that give what they are called on, or a part of it in a
/// wrapper.
const KEEPING: &[&str] = &[
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

/// Associated types that say what iterating, awaiting or following gives.
const ASSOCIATED: &[&str] = &["Item", "Output", "Target"];

/// Instances of the types among some values.
fn made_of(values: Values) -> Values {
    let sure = values.sure;
    let mut all = Values { partial: values.partial, ..Values::default() };
    for value in values.list {
        all.add(match value {
            Value::Type(def, args) => Values::one(Value::Instance(def, args), sure),
            Value::Function(def) => Values::one(Value::Instance(def, None), false),
            Value::External => Values::external(),
            // A value that makes types of its own shape.
            Value::Instance(..) | Value::Object(..) => Values::default(),
            Value::Bag(_) | Value::Module(_) | Value::Parameter(_) | Value::Tuple(_) => Values::default(),
        });
    }
    all
}

/// A container from outside of the project that holds instances of its arguments.
fn bag(arguments: &Arguments) -> Values {
    let Some(arguments) = arguments else { return Values::external() };
    // The last argument is what a map, a result of a computation or a list is about.
    let mut held = Values::default();
    for argument in arguments.iter().rev() {
        held.add(argument.clone());
    }
    let known: Vec<Value> = held.list.into_iter().filter(|value| *value != Value::External).collect();
    if known.is_empty() { Values::external() } else { Values::one(Value::Bag(known.into()), true) }
}

pub(super) fn has_parameter(value: &Value) -> bool {
    match value {
        Value::Parameter(_) => true,
        Value::Bag(held) => held.iter().any(has_parameter),
        _ => false,
    }
}
