//! The keys of Go's maps: a container's value is what it holds, and says nothing of them.

use peelback_syntax::names::{BindingKind, Expr, ExprId};

use super::{Referent, Resolver, Values, Walk};
use crate::modules::{Family, FileId};

/// Through how many names a map's type is followed.
const MAX_NAMES: usize = 4;

impl Resolver<'_> {
    /// The keys of the map that an expression is, where its type is written.
    pub(super) fn keys(&self, file: FileId, of: ExprId, walk: &mut Walk) -> Option<Values> {
        if self.family(file) != Some(Family::Go) {
            return None;
        }
        let (file, key) = self.key_of(file, of, MAX_NAMES, walk)?;
        Some(walk.deeper(|walk| self.instance(file, key, walk)))
    }

    /// The type of the keys as it is written.
    fn key_of(&self, file: FileId, of: ExprId, names: usize, walk: &mut Walk) -> Option<(FileId, ExprId)> {
        let left = names.checked_sub(1)?;
        match self.expr(file, of) {
            Expr::Instance { of } => self.key_of(file, of, left, walk),
            Expr::Generic { base: None, args } => match self.names(file)?.list(args) {
                [key, _] => Some((file, *key)),
                _ => None,
            },
            Expr::Name { .. } | Expr::Member { .. } | Expr::Bound { .. } => {
                let [Referent::Def(def)] = *self.define(file, of, walk).referents.as_slice() else { return None };
                let binding = self.binding(def)?;
                let list = |span| self.names(def.file)?.list(span).first().copied();
                let meant = match binding.kind {
                    BindingKind::Variable | BindingKind::Parameter | BindingKind::Field => {
                        binding.annotation.or_else(|| list(binding.values))
                    }
                    BindingKind::Type => list(binding.bases),
                    BindingKind::TypeAlias => binding.annotation,
                    _ => None,
                };
                self.key_of(def.file, meant?, left, walk)
            }
            _ => None,
        }
    }
}
