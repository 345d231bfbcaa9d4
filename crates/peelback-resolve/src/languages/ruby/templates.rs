//! What the code in templates (ERB) sees: the methods of helper modules, as frameworks mix them in by convention.

use peelback_syntax::names::BindingKind;

use super::core;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;
use crate::resolve::spread_types::MembersByPath;

/// The end of the names of modules whose methods templates can call.
const END_OF_HELPER_NAMES: &str = "Helper";

/// The ends of the names of Ruby files that are templates.
const ENDS_OF_TEMPLATES: &[&str] = &[".jbuilder", ".builder", ".rabl"];

/// The call that makes methods of a controller or mailer known to its templates.
const HELPER_DECLARATION: &str = "helper_method";

/// The limit on the number of methods of one name that are asked whether they are helpers.
const MAX_COMPARED_METHODS: usize = 1_000;

/// Whether a file is a template.
pub(super) fn is_template(resolver: &Resolver<'_>, file: FileId) -> bool {
    let index = resolver.project_index();
    index.language_of_project_file(file).is_some_and(|language| language.name == core::NAME_OF_TEMPLATES)
        || ENDS_OF_TEMPLATES.iter().any(|end| index.project_file_table().path_of_file(file).ends_with(end))
}

/// Those methods of one name that a template can call by the name alone: of modules called `…Helper`, and of files that
/// declare some of their methods as helpers.
pub(super) fn helpers(resolver: &Resolver<'_>, named: &MembersByPath) -> Vec<Def> {
    let is_helper = |def: &&Def| {
        let Some(index) = resolver.names_index(def.file) else { return false };
        let binding = index.binding_or_placeholder(def.binding);
        if !matches!(binding.kind, BindingKind::Function | BindingKind::Property) || binding.on_type {
            return false;
        }
        let Some(owner) = index.scope_owner(binding.scope) else { return false };
        let owner = index.names().name_text(index.binding_or_placeholder(owner).name);
        owner.ends_with(END_OF_HELPER_NAMES)
            || resolver.project_index().may_text_contain_word(def.file, HELPER_DECLARATION)
    };
    named.all().take(MAX_COMPARED_METHODS).filter(is_helper).copied().collect()
}
