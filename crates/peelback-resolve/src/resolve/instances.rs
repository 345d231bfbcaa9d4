//! The instances that types mean where they are written, and what stands for their parameters.

use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use super::values::{Arguments, Value, Values};
use super::{Def, MAX_DECLARED, MAX_VALUES, Referent, Resolver, Walk};
use crate::modules::{Family, FileId};

/// How deep type arguments are followed.
const MAX_NESTED: usize = 4;

impl Resolver<'_> {
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
            Expr::Super { .. } | Expr::Imported { .. } | Expr::Given { .. } | Expr::Unknown => Values::default(),
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
        let entry = indexed.type_parameters(scope).iter().position(|id| *id == parameter.binding)?;
        arguments.get(entry)
    }
}

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
