//! What stands for the type parameters of a function of TypeScript: what is written, else what the arguments are.

use peelback_syntax::names::{Expr, ExprId, Span};

use super::instances::has_parameter;
use super::values::Arguments;
use super::{Def, Referent, Resolver, Value, Values, Walk};
use crate::modules::FileId;

/// How deep declared types are compared with arguments.
const MAX_DEPTH: usize = 6;

/// What stands for type parameters.
type Types = Vec<(Def, Values)>;

impl Resolver<'_> {
    /// What calling with these arguments gives.
    pub(super) fn applied(&self, file: FileId, callee: ExprId, args: Span, walk: &mut Walk) -> Values {
        let (named, _) = self.explicit(file, callee, walk);
        let given = self.called(file, named, walk);
        let extended = self.open_bases(&given, walk);
        if extended.is_empty() && !given.list.iter().any(|value| self.is_open(value)) {
            return given;
        }
        let types = self.types(file, callee, args, walk);
        let mut all = self.with_types(given, &types, MAX_DEPTH);
        for (_, base) in types.into_iter().filter(|(parameter, _)| extended.contains(parameter)) {
            all.add(base);
        }
        all
    }

    /// The type parameters that classes extend which a call gives: `class extends Base` for a parameter `Base: T`.
    fn open_bases(&self, given: &Values, walk: &mut Walk) -> Vec<Def> {
        let mut found = Vec::new();
        for value in &given.list {
            let Value::Type(made, _) = value else { continue };
            for (file, base) in self.bases(*made, walk) {
                let bases = walk.deeper(|walk| self.value(file, base, walk)).list.into_iter();
                found.extend(bases.filter_map(|base| match base {
                    Value::Parameter(parameter) => Some(parameter),
                    _ => None,
                }));
            }
        }
        found
    }

    /// `values` with what the arguments of the call around `of` say of type parameters.
    pub(super) fn inferred(&self, file: FileId, mut of: ExprId, values: Values, walk: &mut Walk) -> Values {
        for _ in 0..MAX_DEPTH {
            match self.expr(file, of) {
                Expr::Argument { of: outer, .. } => of = outer,
                Expr::Applied { callee, args } => {
                    let types = self.types(file, callee, args, walk);
                    return self.with_types(values, &types, MAX_DEPTH);
                }
                _ => break,
            }
        }
        values
    }

    /// What is called, and the type arguments that are written.
    fn explicit(&self, file: FileId, callee: ExprId, walk: &mut Walk) -> (ExprId, Arguments) {
        match self.expr(file, callee) {
            Expr::Generic { base: Some(base), args } => (base, self.arguments(file, args, walk)),
            _ => (callee, None),
        }
    }

    fn is_open(&self, value: &Value) -> bool {
        has_parameter(value) || self.has_argument(value, MAX_DEPTH)
    }

    /// What stands for the type parameters of what is called.
    fn types(&self, file: FileId, callee: ExprId, args: Span, walk: &mut Walk) -> Types {
        let (callee, explicit) = self.explicit(file, callee, walk);
        let mut types = Types::new();
        let Some(names) = self.names(file) else { return types };
        for value in self.value(file, callee, walk).list {
            for function in self.functions(&value, walk) {
                let Some(indexed) = self.file(function.file) else { continue };
                let Some(body) = indexed.binding(function.binding).body else { continue };
                let of_file = |binding| Def { file: function.file, binding };
                let own: Vec<Def> = indexed.type_parameters(body).into_iter().map(of_file).collect();
                if own.is_empty() {
                    continue;
                }
                if let Some(explicit) = &explicit {
                    types.extend(own.into_iter().zip(explicit.iter().cloned()));
                    continue;
                }
                for (parameter, arg) in indexed.parameters(body).into_iter().zip(names.list(args)) {
                    let Some(annotation) = indexed.binding(parameter).annotation else { continue };
                    let given = walk.deeper(|walk| self.value(file, *arg, walk));
                    if !given.list.is_empty() {
                        self.unify(function.file, annotation, given, &own, (&mut types, MAX_DEPTH), walk);
                    }
                }
            }
        }
        types
    }

    /// Notes what stands for type parameters where `values` stand for what `declared` says.
    fn unify(
        &self,
        file: FileId,
        declared: ExprId,
        values: Values,
        own: &[Def],
        (types, deep): (&mut Types, usize),
        walk: &mut Walk,
    ) {
        let (Some(deep), Some(names)) = (deep.checked_sub(1), self.names(file)) else { return };
        match self.expr(file, declared) {
            Expr::Name { .. } => {
                for referent in walk.deeper(|walk| self.define(file, declared, walk)).referents {
                    if let Referent::Def(def) = referent
                        && own.contains(&def)
                        && !types.iter().any(|(known, _)| *known == def)
                    {
                        types.push((def, values.clone()));
                    }
                }
            }
            Expr::Generic { base: None, args } => {
                if let Some(last) = names.list(args).last() {
                    let inside = walk.deeper(|walk| self.elements(values, walk));
                    self.unify(file, *last, inside, own, (types, deep), walk);
                }
            }
            Expr::Generic { base: Some(_), args } => {
                let args = names.list(args);
                let classes = self.instances(&values);
                if let (false, Some(first)) = (classes.list.is_empty(), args.first()) {
                    // A class where a type of classes is declared: `Constructor<T>`.
                    return self.unify(file, *first, classes, own, (types, deep), walk);
                }
                let known = values.list.iter().find_map(|value| match value {
                    Value::Instance(_, Some(known)) if known.len() == args.len() => Some(known.clone()),
                    _ => None,
                });
                match known {
                    Some(known) => {
                        for (arg, known) in args.iter().zip(known.iter()) {
                            self.unify(file, *arg, known.clone(), own, (types, deep), walk);
                        }
                    }
                    None => {
                        let held = values.list.iter().any(|value| matches!(value, Value::Bag(_) | Value::Tuple(_)));
                        if let (true, Some(last)) = (held, args.last()) {
                            let inside = walk.deeper(|walk| self.elements(values, walk));
                            self.unify(file, *last, inside, own, (types, deep), walk);
                        }
                    }
                }
            }
            Expr::Function { binding } => {
                let result = names.bindings.get(binding as usize).and_then(|binding| binding.annotation);
                let Some(result) = result else { return };
                let mut returned = self.instances(&values);
                for value in &values.list {
                    if let Value::Function(def) = value {
                        returned.add(walk.deeper(|walk| self.returned(*def, walk)));
                    }
                }
                if !returned.list.is_empty() {
                    self.unify(file, result, returned, own, (types, deep), walk);
                }
            }
            Expr::Either(parts) => {
                for part in names.list(parts) {
                    self.unify(file, *part, values.clone(), own, (types, deep), walk);
                }
            }
            _ => {}
        }
    }

    /// Instances of the classes among some values.
    fn instances(&self, values: &Values) -> Values {
        let classes = values.list.iter().filter_map(|value| match value {
            Value::Type(def, args) => Some(Value::Instance(*def, args.clone())),
            _ => None,
        });
        Values { list: classes.collect(), ..*values }
    }

    fn with_types(&self, values: Values, types: &[(Def, Values)], deep: usize) -> Values {
        if types.is_empty() || deep == 0 || !values.list.iter().any(|value| self.is_open(value)) {
            return values;
        }
        let mut all = Values { list: Vec::new(), ..values };
        let sure = values.sure;
        for value in values.list {
            all.add(match value {
                Value::Parameter(parameter) => match types.iter().find(|(known, _)| *known == parameter) {
                    Some((_, known)) => known.clone(),
                    None => Values::one(value, sure),
                },
                Value::Bag(held) => {
                    let held = Values { list: held.to_vec(), sure, partial: false };
                    self.with_types(held, types, deep - 1).held()
                }
                Value::Instance(def, Some(arguments)) => {
                    let arguments =
                        arguments.iter().map(|argument| self.with_types(argument.clone(), types, deep - 1)).collect();
                    Values::one(Value::Instance(def, Some(arguments)), sure)
                }
                other => Values::one(other, sure),
            });
        }
        all
    }
}
