//! The rules of name resolution in C: files that include the text of others, and declarations that a linker unites.

pub(super) mod enums;
mod linkage;
pub(super) mod modules;

use crate::modules::{ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};
use crate::semantics::{LanguageSemantics, Linking};

/// Extensions of files of no known language that can include headers: assembler, parser generators, bindings, resources.
pub(super) const EXTENSIONS_OF_UNKNOWN_FILES_WITH_INCLUDES: &[&str] =
    &["S", "s", "asm", "y", "yy", "l", "ll", "pyx", "pxd", "i", "swg", "rc", "inc", "def", "tcc"];

/// The rules of name resolution in C, as an implementation of [`LanguageSemantics`].
pub(super) struct CSemantics;

impl LanguageSemantics for CSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &["c"]
    }

    fn other_languages_using_served_names(&self) -> &'static [&'static str] {
        &["cpp", "objective_c"]
    }

    fn other_languages_with_resolved_imports(&self) -> &'static [&'static str] {
        &["objective_c"]
    }

    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        &["include", "import"]
    }

    fn extensions_of_unknown_files_with_imports(&self) -> &'static [&'static str] {
        EXTENSIONS_OF_UNKNOWN_FILES_WITH_INCLUDES
    }

    fn entry_points_begin_programs(&self) -> bool {
        true
    }

    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(modules::CModules::new(project_index))
    }

    fn imports_insert_file_text(&self) -> bool {
        true
    }

    fn has_forward_declarations(&self) -> bool {
        true
    }

    fn resolves_unbound_names_by_linkage(&self) -> bool {
        true
    }

    fn collect_definitions_linked_to_target(&self, resolver: &Resolver<'_>, linking: &mut Linking<'_>) {
        linkage::link_definitions_of_search_target(resolver, linking);
    }

    fn value_of_subscripted_instance(
        &self,
        _resolver: &Resolver<'_>,
        def: Def,
        arguments: &Arguments,
        _key: KnownKey,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        // A type of C has no operators, and pointers and arrays of it count as the type: what C++ indexes is one of them.
        PossibleValues::single(Value::Instance(def, arguments.clone()), true)
    }

    fn member_of_type_object(
        &self,
        resolver: &Resolver<'_>,
        def: Def,
        name: &str,
        _budget: &mut EvaluationBudget,
    ) -> Resolution {
        // C++ can write the enum in front of its constant.
        enums::constant_of_unscoped_enum(resolver, def, name)
    }
}
