//! What the types of JavaScript and TypeScript say of calls, and what is expected as an argument of one.

use peelback_syntax::names::{BindingKind, Expr, ExprId, ScopeKind};

use super::instances::has_parameter;
use super::{Def, Referent, Resolver, Value, Values, Walk};
use crate::modules::{Family, FileId};

/// The names of members that say what calling, constructing and indexing a value gives: no source can write them.
const CALLED: &str = "()";
const CONSTRUCTED: &str = "new";
const INDEXED: &str = "[]";

/// How far the receiver of a call is sought.
const MAX_ARGUMENTS: usize = 8;

impl Resolver<'_> {
    /// What is expected as argument `index` of a call of `of`.
    pub(super) fn expected(&self, file: FileId, of: ExprId, index: u32, walk: &mut Walk) -> Values {
        let callee = match self.expr(file, of) {
            Expr::Applied { callee, .. } => callee,
            _ => of,
        };
        let callees = self.value(file, callee, walk);
        let mut all = Values::default();
        for callee in &callees.list {
            for function in self.functions(callee, walk) {
                all.add(self.parameter_type(function, index, walk));
            }
        }
        all.sure &= callees.sure;
        all.partial |= callees.partial;
        if all.list.iter().any(has_parameter) {
            if let Some(receiver) = self.receiver(file, of, walk) {
                all = self.substituted(all, &receiver, walk);
            }
            all = self.inferred(file, of, all, walk);
        }
        all
    }

    /// What the call, at whatever depth `of` stands in its arguments, is made on.
    fn receiver(&self, file: FileId, mut of: ExprId, walk: &mut Walk) -> Option<Values> {
        for _ in 0..MAX_ARGUMENTS {
            match self.expr(file, of) {
                Expr::Argument { of: outer, .. } | Expr::Applied { callee: outer, .. } => of = outer,
                Expr::Member { base, .. } => return Some(self.value(file, base, walk)),
                Expr::Generic { base: Some(base), .. } if self.is_member(file, base) => of = base,
                Expr::Generic { .. } | Expr::Name { .. } => return Some(self.value(file, of, walk)),
                _ => return None,
            }
        }
        None
    }

    fn is_member(&self, file: FileId, of: ExprId) -> bool {
        matches!(self.expr(file, of), Expr::Member { .. })
    }

    /// The functions that calling or constructing a value runs.
    pub(super) fn functions(&self, value: &Value, walk: &mut Walk) -> Vec<Def> {
        match value {
            Value::Function(def) => self.overloads(*def),
            Value::Type(def, _) => self.members_called(&Value::Type(*def, None), &["constructor"], walk),
            Value::Instance(..) | Value::Object(..) => self.members_called(value, &[CALLED, CONSTRUCTED], walk),
            _ => Vec::new(),
        }
    }

    /// The functions that a value has as a member under the first of some names that it knows.
    fn members_called(&self, value: &Value, names: &[&str], walk: &mut Walk) -> Vec<Def> {
        for name in names {
            let found = self.member_of(value, name, walk).referents.into_iter();
            let functions: Vec<Def> = found
                .filter_map(|referent| match referent {
                    Referent::Def(def) => Some(def),
                    _ => None,
                })
                .collect();
            if !functions.is_empty() {
                return functions;
            }
        }
        Vec::new()
    }

    /// All declarations of a function.
    fn overloads(&self, def: Def) -> Vec<Def> {
        let Some(indexed) = self.file(def.file) else { return Vec::new() };
        let own = indexed.binding(def.binding);
        if own.body == Some(own.scope) {
            return vec![def];
        }
        let together = indexed.bound(own.scope, own.name).iter().copied();
        together
            .filter(|id| *id == def.binding || indexed.binding(*id).kind == BindingKind::Function)
            .map(|binding| Def { file: def.file, binding })
            .collect()
    }

    /// What a function declares its parameter `index` to be.
    fn parameter_type(&self, function: Def, index: u32, walk: &mut Walk) -> Values {
        let Some(indexed) = self.file(function.file) else { return Values::default() };
        let body = indexed.binding(function.binding).body;
        let Some(body) = body.filter(|body| indexed.kind(*body) == ScopeKind::Function) else {
            return Values::default();
        };
        let parameters = indexed.parameters(body);
        let last = parameters.last().copied().filter(|last| indexed.binding(*last).wrapped);
        let rest = last.filter(|_| index as usize + 1 >= parameters.len());
        let Some(parameter) = rest.or_else(|| parameters.get(index as usize).copied()) else {
            return Values::default();
        };
        let Some(annotation) = indexed.binding(parameter).annotation else { return Values::default() };
        let declared = walk.deeper(|walk| self.instance(function.file, annotation, walk));
        if rest.is_some() { self.elements(declared, walk) } else { declared }
    }

    /// What calling a value gives as its type says: `interface F { (x: string): Foo }`.
    pub(super) fn called_as(&self, value: &Value, walk: &mut Walk) -> Values {
        self.given_by_signature(value, CALLED, walk)
    }

    /// What constructing with a value gives: `interface F { new (x: string): Foo }`.
    pub(super) fn constructed_as(&self, value: &Value, walk: &mut Walk) -> Values {
        self.given_by_signature(value, CONSTRUCTED, walk)
    }

    fn given_by_signature(&self, value: &Value, name: &str, walk: &mut Walk) -> Values {
        let mut all = Values::default();
        for function in self.members_called(value, &[name], walk) {
            all.add(walk.deeper(|walk| self.returned(function, walk)));
        }
        self.substituted(all, &Values::one(value.clone(), true), walk)
    }

    /// What a member of `base` is that no type declares: what indexing gives, or likely what a container holds.
    pub(super) fn indexed_by(&self, file: FileId, base: ExprId, walk: &mut Walk) -> Values {
        let holder = self.value(file, base, walk);
        let mut all = Values::default();
        for value in &holder.list {
            if self.is_indexed(value, walk) {
                all.add(self.indexed_as(value, walk));
            }
        }
        all.sure &= holder.sure;
        all.partial |= holder.partial;
        if all.list.is_empty() {
            all.list.extend(holder.list.into_iter().filter(|value| matches!(value, Value::Bag(_))));
            all.sure = false;
        }
        all
    }

    /// Whether a value's type says what indexing it gives: `interface F { [key: string]: Foo }`.
    pub(super) fn is_indexed(&self, value: &Value, walk: &mut Walk) -> bool {
        match value {
            Value::Instance(def, _) if self.family(def.file) != Some(Family::JavaScript) => false,
            Value::Instance(..) | Value::Object(..) => {
                let found = self.member_of(value, INDEXED, walk).referents;
                found.iter().any(|referent| matches!(referent, Referent::Def(_)))
            }
            _ => false,
        }
    }

    /// What indexing such a value gives.
    pub(super) fn indexed_as(&self, value: &Value, walk: &mut Walk) -> Values {
        let found = self.member_of(value, INDEXED, walk);
        let values = walk.deeper(|walk| self.values_of(&found, walk));
        self.substituted(values, &Values::one(value.clone(), true), walk)
    }
}
