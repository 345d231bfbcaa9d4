//! What Python's protocols and its own containers give.

use std::sync::Arc;

use peelback_syntax::names::Expr;

use super::{Def, Referent, Resolver, Value, Values, Walk};

impl Resolver<'_> {
    /// What calling the method `name` of `receiver` gives where the language says it: entering a context, or a method
    /// of a container. `functions` is what the method is found to be.
    pub(super) fn protocol(
        &self,
        receiver: &Values,
        name: &str,
        functions: &Values,
        walk: &mut Walk,
    ) -> Option<Values> {
        if matches!(name, "__enter__" | "__aenter__") {
            return Some(self.entered(receiver, name, walk));
        }
        let holds = |value: &Value| matches!(value, Value::Bag(_) | Value::Tuple(_));
        if !receiver.list.iter().any(holds) || functions.list.iter().any(|value| *value != Value::External) {
            return None;
        }
        let held = Values { list: receiver.list.iter().filter(|value| holds(value)).cloned().collect(), ..*receiver };
        match name {
            "get" | "pop" | "popleft" | "setdefault" | "__getitem__" => Some(self.elements(held, walk)),
            "copy" | "values" => Some(held),
            "items" => {
                let elements = self.elements(held, walk);
                let sure = elements.sure;
                let pair: Arc<[Values]> = Arc::from([Values::default(), elements]);
                Some(Values::one(Value::Tuple(pair), sure).held())
            }
            _ => None,
        }
    }

    /// What `with receiver as …` binds: what its method `name` gives, or the thing itself.
    fn entered(&self, receiver: &Values, name: &str, walk: &mut Walk) -> Values {
        let mut all = Values::default();
        for value in &receiver.list {
            let one = Values::one(value.clone(), receiver.sure);
            all.add(match value {
                Value::Instance(def, _) => {
                    let found = self.type_member(*def, name, walk);
                    let methods = found.referents.iter().filter_map(|referent| match referent {
                        Referent::Def(method) => Some(*method),
                        _ => None,
                    });
                    let mut given = Values::default();
                    for method in methods {
                        given.add(walk.deeper(|walk| self.returned(method, walk)));
                        let wrapped = self.binding(method).is_some_and(|binding| binding.wrapped);
                        if wrapped {
                            given = self.elements(given, walk);
                        }
                        let method = Values::one(Value::Function(method), true);
                        given = self.of_own_type(given, &one, &method, walk);
                    }
                    given.list.retain(|value| *value != Value::External);
                    if given.list.is_empty() { one } else { given }
                }
                // What `@contextmanager` makes of a function that yields.
                Value::Bag(held) => Values { list: held.to_vec(), ..*receiver },
                _ => one,
            });
        }
        all
    }

    /// `given` where methods of a base that return their own object or type were called on `receiver`: those of the
    /// receiver's type.
    pub(super) fn of_own_type(&self, given: Values, receiver: &Values, functions: &Values, walk: &mut Walk) -> Values {
        let own = functions.list.iter().find_map(|function| match function {
            Value::Function(def) if self.gives_itself(*def) => self.holder(*def, walk),
            _ => None,
        });
        let Some(own) = own else { return given };
        let actual: Option<Def> = receiver.list.iter().find_map(|value| match value {
            Value::Instance(def, _) | Value::Type(def, _) if *def != own && self.derives(*def, own, 0, walk) => {
                Some(*def)
            }
            _ => None,
        });
        let Some(actual) = actual else { return given };
        let put = |value: Value| match value {
            Value::Instance(def, args) if def == own => Value::Instance(actual, args),
            Value::Type(def, args) if def == own => Value::Type(actual, args),
            other => other,
        };
        Values { list: given.list.into_iter().map(put).collect(), ..given }
    }

    /// Whether a method that gives an instance of its class gives one of the class that it is called on.
    fn gives_itself(&self, def: Def) -> bool {
        let annotation = self.binding(def).map(|binding| binding.annotation);
        match annotation {
            Some(Some(annotation)) => matches!(self.expr(def.file, annotation), Expr::ThisType { .. }),
            Some(None) => true,
            None => false,
        }
    }
}
