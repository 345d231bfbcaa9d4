//! What calls give: by what functions declare, by what their bodies return, by what makes instances.

use peelback_syntax::names::{Expr, ExprId};

use super::elements::keeps;
use super::values::{Value, Values};
use super::{Def, Resolver, Walk};
use crate::modules::{Family, FileId};

impl Resolver<'_> {
    /// What calling an expression gives.
    pub(super) fn called(&self, file: FileId, callee: ExprId, walk: &mut Walk) -> Values {
        let functions = self.callee(file, callee, walk);
        // What a container gives by a method of the standard library is as sure as the container is.
        if let Expr::Member { base, name, .. } = self.expr(file, callee)
            && self.family(file) == Some(Family::Rust)
            && !functions.list.is_empty()
            && functions.list.iter().all(|value| matches!(value, Value::Bag(_)))
            && keeps(self.text(file, name))
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
    pub(super) fn result(&self, def: Def, walk: &mut Walk) -> Values {
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
}
