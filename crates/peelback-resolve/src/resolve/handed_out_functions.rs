//! The functions that members of returned objects hand out.

use peelback_syntax::names::{BindingId, ExprId};

use crate::resolve::definition::{Def, Referent};
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// The function that a member of a returned object hands out, or that a constant takes from such an object; `None` for any
    /// other definition.
    pub(super) fn function_handed_out_as(&self, def: Def) -> Option<Def> {
        let index = self.names_index(def.file)?;
        let returned = index.members_returned_by_functions();
        let path_of = |members: &[(BindingId, ExprId)]| {
            let at = members.binary_search_by_key(&def.binding, |(binding, _)| *binding).ok()?;
            members.get(at).map(|(_, path)| *path)
        };
        if let Some(path) = path_of(&returned.handed_out) {
            return self.only_definition_of_path(def, path).filter(|function| self.is_function(*function));
        }
        let member = self.only_definition_of_path(def, path_of(&returned.constants)?)?;
        let holder = self.names_index(member.file)?;
        let scope = holder.binding_or_placeholder(member.binding).scope;
        let is_returned = holder.members_returned_by_functions().objects.contains(&scope);
        let is_function = is_returned
            && (self.is_function(member)
                || self.function_handed_out_as(member).is_some_and(|function| self.is_function(function)));
        is_function.then_some(member)
    }

    /// The only definition that a path of names can mean. What a function returns is inferred from its body.
    fn only_definition_of_path(&self, def: Def, path: ExprId) -> Option<Def> {
        let mut budget = self.new_budget();
        let resolution = self.resolve_expr_as_name(def.file, path, &mut budget);
        match resolution.referents.as_slice() {
            [Referent::Def(found)] if !resolution.missing.is_any() && *found != def => {
                Some(self.representative_of_same_name_in_scope(*found))
            }
            _ => None,
        }
    }

    fn is_function(&self, def: Def) -> bool {
        self.binding_of_definition(def).is_some_and(|binding| self.is_function_or_holds_one(def, binding))
    }
}
