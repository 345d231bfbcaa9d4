//! What else is asked of a receiver whose type is not known: the members that code uses of the same variable tell its type.

use std::collections::{BTreeSet, HashMap};

use peelback_syntax::names::{BindingId, Expr, ExprId, NameId, Names, ScopeId};

/// The limit on the number of members of one variable that are compared.
const MAX_COMPARED_NAMES: usize = 16;

/// A variable as the places name it that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Bound(BindingId),
    /// A name, with the scope in which its look-up begins.
    Named(NameId, ScopeId),
}

/// The names of the members that a file uses, by the variables that they are used of.
#[derive(Debug, Default)]
pub(super) struct MembersUsedOfVariables(HashMap<Variable, BTreeSet<NameId>>);

impl MembersUsedOfVariables {
    pub fn in_file(names: &Names) -> Self {
        let mut used: HashMap<Variable, BTreeSet<NameId>> = HashMap::new();
        for expr in &names.exprs {
            if let Expr::Member { base, name, .. } = expr
                && let Some(variable) = variable(names, *base)
            {
                let known = used.entry(variable).or_default();
                if known.len() < MAX_COMPARED_NAMES {
                    known.insert(*name);
                }
            }
        }
        Self(used)
    }

    /// The names of the other members that are used of the variable whose member `member` is; empty if the receiver is no
    /// variable.
    pub fn used_besides<'n>(&self, names: &'n Names, member: ExprId) -> Vec<&'n str> {
        let Expr::Member { base, name, .. } = names.expr_by_id(member) else { return Vec::new() };
        let used = variable(names, base).and_then(|variable| self.0.get(&variable));
        used.into_iter().flatten().filter(|other| **other != name).map(|other| names.name_text(*other)).collect()
    }
}

fn variable(names: &Names, expr: ExprId) -> Option<Variable> {
    match names.expr_by_id(expr) {
        Expr::Bound { binding } => Some(Variable::Bound(binding)),
        Expr::Name { name, scope, .. } => Some(Variable::Named(name, scope)),
        _ => None,
    }
}
