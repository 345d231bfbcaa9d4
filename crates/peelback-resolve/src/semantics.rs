//! What differs between languages when names are resolved: one [`LanguageSemantics`] for each.
//!
//! The resolver, the search for references and the dependency graph ask the semantics of a file and never name a
//! language. The implementations are in `languages/`; [`ModuleResolvers`] is given their list.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use peelback_syntax::language;
use peelback_syntax::names::{
    Binding, BindingKind, ExprId, ModuleImport, ModuleImportId, ModuleImportKind, NameId, Names, Occurrence,
    RestrictedNameKind, ScopeId,
};

use crate::modules::{Destination, FileId, ModuleResolver, ProjectIndex};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Resolution};
use crate::resolve::resolver::Resolver;
use crate::resolve::structural::{InterfaceFit, RequiredMethods};
use crate::resolve::value::{Arguments, KnownKey, PossibleValues, Value};

/// The rules by which names are resolved in one language, or in several languages whose files use each other's names.
///
/// The default of a rule is what most languages do, and what holds for files whose language has no semantics.
pub(crate) trait LanguageSemantics: Send + Sync {
    /// The languages whose files this semantics serves, by their names in `peelback-syntax`. The first one names the
    /// semantics.
    fn served_languages(&self) -> &'static [&'static str];

    /// Further languages whose files can use names of the served languages, though their own names are not resolved.
    fn other_languages_using_served_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Further languages whose imports name files as those of the served languages do. Their imports are resolved, their
    /// names are not.
    fn other_languages_with_resolved_imports(&self) -> &'static [&'static str] {
        &[]
    }

    /// Texts of which every import contains at least one; empty where any text may be an import.
    fn texts_every_import_contains_one_of(&self) -> &'static [&'static str] {
        &[]
    }

    /// Extensions of files of no known language that can import files of the served languages.
    fn extensions_of_unknown_files_with_imports(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether only files in which a program begins (see [`Names::begins_program`]) are entry points. Elsewhere any file is
    /// one that no other file imports.
    fn entry_points_begin_programs(&self) -> bool {
        false
    }

    /// Creates the module resolver of the served languages for one state of the project.
    fn new_module_resolver(&self, project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver>;

    // Rules of scopes and visibility.

    /// Whether code in a nested module sees the names of the scopes around that module.
    fn modules_see_enclosing_scopes(&self) -> bool {
        true
    }

    /// Whether an import inserts the text of the imported file, so that private names are visible to the importer.
    fn imports_insert_file_text(&self) -> bool {
        false
    }

    /// Whether the files that include one another share namespaces, and a bare name can mean a member of the type around
    /// it. Then modules of one path in several files are one.
    fn namespaces_span_files(&self) -> bool {
        false
    }

    /// Whether a type can be opened in several places, so that all of its parts are one type.
    fn types_span_files(&self) -> bool {
        false
    }

    /// Of a type that is opened in several places, the definition that represents all of them.
    fn first_part_of_type(&self, _resolver: &Resolver<'_>, def: Def) -> Def {
        def
    }

    /// The definitions that open one type, in all files.
    fn parts_of_type(&self, _resolver: &Resolver<'_>, def: Def) -> Vec<Def> {
        vec![def]
    }

    /// The members called `name` that a type declares itself, where types can be opened in several places.
    fn own_members_of_type(&self, _resolver: &Resolver<'_>, _def: Def, _name: &str) -> Vec<Def> {
        Vec::new()
    }

    /// Further words that a file can contain in place of the name of a definition: `new` for the name of a constructor.
    fn further_search_words(&self, _resolver: &Resolver<'_>, _def: Option<Def>, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// Members of other names that are one with a member, because one place defines both: the writer of an attribute.
    fn further_names_of_member(&self, _resolver: &Resolver<'_>, _def: Def) -> Vec<Def> {
        Vec::new()
    }

    /// Whether a name is that of a type of the language itself, which no definition can have.
    fn is_builtin_type_name(&self, _name: &str) -> bool {
        false
    }

    /// The outermost namespace of the standard library, to which files of the project may add.
    fn standard_library_namespace(&self) -> Option<&'static str> {
        None
    }

    /// Whether a folder is a package whose files see each other's names.
    fn folder_files_share_package_scope(&self) -> bool {
        false
    }

    /// Whether a file with these names belongs to the package that its folder is, in a language whose folders are
    /// packages.
    fn is_part_of_folder_package(&self, _names: &Names) -> bool {
        true
    }

    /// Whether code inside a type names the members of the type, and those of the types around it, without a receiver, and
    /// types, functions and variables of one name do not hide each other.
    fn members_are_visible_by_bare_names(&self) -> bool {
        false
    }

    /// What the bare name `expr`, which is looked up from `scope` at byte `at`, refers to, in a language with a look-up of its
    /// own; `None` if the general one serves.
    fn resolve_bare_name(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        (_expr, _scope): (ExprId, ScopeId),
        (_name, _at): (NameId, u32),
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        None
    }

    /// What the member `name` of the expression `base` refers to, in a language with a look-up of its own; `None` if the
    /// general one serves. `expr` is the whole expression, if a file has it.
    fn resolve_member_of_expr(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        (_expr, _base): (Option<ExprId>, ExprId),
        _name: &str,
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        None
    }

    /// The definition that a definition only stands for, such as a property for which another language has functions.
    fn definition_behind_stand_in(&self, _resolver: &Resolver<'_>, _def: Def) -> Option<Def> {
        None
    }

    /// Further names by which files of this or another language use a definition.
    fn further_names_of_definition(&self, _resolver: &Resolver<'_>, _def: Def) -> Vec<String> {
        Vec::new()
    }

    /// Whether a glob import of a module with these names imports `name`.
    fn is_included_in_glob_import(&self, _names: &Names, _name: &str) -> bool {
        true
    }

    /// Whether a type without a body is a forward declaration of a type that is defined elsewhere.
    fn has_forward_declarations(&self) -> bool {
        false
    }

    /// Whether a name without a binding in sight can refer to a definition elsewhere that the linker, or the compiler
    /// of macros, finds by its name alone. [`LanguageSemantics::collect_definitions_linked_to_target`] collects those definitions.
    fn resolves_unbound_names_by_linkage(&self) -> bool {
        false
    }

    /// Whether a module also contains the definitions that are linked by name.
    fn modules_contain_definitions_linked_by_name(&self) -> bool {
        false
    }

    /// Collects the definitions that are one with a search target because they are linked by name, see [`Linking`].
    fn collect_definitions_linked_to_target(&self, _resolver: &Resolver<'_>, _linking: &mut Linking<'_>) {}

    /// Resolves the source of an import that is a path of names, not the name of a file or package; `None` where the
    /// module resolver resolves it.
    fn resolve_import_by_path_segments(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _import: (ModuleImportId, ModuleImportKind),
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        None
    }

    /// Whether the value of a whole module can be a definition, as in `module.exports = f`.
    fn whole_module_export_can_be_definition(&self) -> bool {
        false
    }

    // Rules of types and their members.

    /// Whether a member of a type and a member of its instances can share a name.
    fn separates_static_from_instance_members(&self) -> bool {
        false
    }

    /// Whether a field and a method of one type can share a name.
    fn separates_fields_from_methods(&self) -> bool {
        false
    }

    /// Whether a type has no other members than those that it and its bases declare, and those that every object has.
    fn types_declare_all_members(&self) -> bool {
        false
    }

    /// What the member `name` of an instance of the type `def` may be that neither the type nor its bases declare, in a language
    /// whose types declare all members otherwise. `None` if there is no such member in the project.
    fn undeclared_member(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _name: &str,
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        None
    }

    /// The names of the methods that take the arguments when a type is called, in the order in which they are tried.
    fn constructor_method_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether types of the language's own library have a member of this name. Such a name alone does not indicate a
    /// member of the project.
    fn is_builtin_member_name(&self, name: &str) -> bool {
        self.standard_library_member_names().binary_search(&name).is_ok()
    }

    /// Names of the members that types of the language's own library have, in byte order.
    fn standard_library_member_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether containers have only the members of the language's own library. Elsewhere a container of unknown type
    /// may be a wrapper that passes on the members of its element.
    fn containers_have_builtin_members_only(&self) -> bool {
        false
    }

    /// Whether the bases of a function's binding are the types of its parameters, not types that it extends.
    fn function_binding_bases_hold_parameter_types(&self) -> bool {
        false
    }

    /// Whether a base can be an expression that makes a type, as in `class A extends mixin(B)`.
    fn bases_can_be_expressions(&self) -> bool {
        false
    }

    /// Whether it is uncertain that a type inherits a member called `name` from a base outside the project, so that a
    /// use of the name may as well mean another member.
    fn is_inheritance_of_external_member_uncertain(&self, _name: &str) -> bool {
        false
    }

    /// Whether types can declare the results of calling, constructing and indexing their values.
    fn has_call_or_index_signatures(&self) -> bool {
        false
    }

    /// Whether a generic type that nothing declares may have other members than a container of its arguments.
    fn unknown_generic_types_can_be_anything(&self) -> bool {
        false
    }

    /// Whether type parameters are also replaced inside type arguments that are nested in other type arguments.
    fn substitutes_inside_nested_type_arguments(&self) -> bool {
        false
    }

    /// Whether the bounds of a type parameter tell what an argument is of which nothing is known, such as `?` in Java.
    fn type_parameters_stand_for_unknown_arguments(&self) -> bool {
        false
    }

    /// The values that a type passes member look-ups on to, as smart pointers do.
    fn deref_target_instances(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _member: &str,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        PossibleValues::default()
    }

    /// The value of `self` inside an extension whose target is more than a type's name; `None` if it is the type.
    fn self_value_in_extension(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _scope: ScopeId,
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    /// The member called `name` that code in `file` can give to types outside the project, or to all types.
    fn member_added_to_foreign_types(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _receiver: &PossibleValues,
        _name: &str,
        _budget: &mut EvaluationBudget,
    ) -> Option<Resolution> {
        None
    }

    /// How types satisfy interfaces that they do not name; `None` where a type must name them.
    fn structural_typing_rules(&self) -> Option<&dyn StructuralTyping> {
        None
    }

    // Rules of the values of expressions.

    /// Whether one variable can hold values of several types.
    fn is_dynamically_typed(&self) -> bool {
        false
    }

    /// Whether all alternatives of one expression have one type, so that the first known value decides.
    fn expr_alternatives_have_one_type(&self) -> bool {
        false
    }

    /// Whether an alternative of an expression whose values are all known from other alternatives leaves the result as
    /// sure as it was.
    fn redundant_alternatives_keep_result_certain(&self) -> bool {
        false
    }

    /// Whether several declarations of one function are overloads. Otherwise they are alternatives of which one is
    /// compiled.
    fn has_overloads(&self) -> bool {
        true
    }

    /// Whether each of several functions of one name is a definition by itself, and a call means the one that takes its
    /// arguments.
    fn overloads_are_separate_definitions(&self) -> bool {
        false
    }

    /// Whether the functions of one name and scope are one definition, of which a search tells the overloads apart by the
    /// number of arguments that a call has, and a call of a type's name calls a member of the same name.
    fn calls_tell_overloads_apart(&self) -> bool {
        false
    }

    /// Whether a search for implementations of a type inside another type is for what derives from it, and not for types of
    /// its name inside of heirs of the outer type.
    fn nested_types_are_bases(&self) -> bool {
        false
    }

    /// Says which uses of a definition of this name a search by the name does not find; `None` if it finds all.
    fn uses_without_name(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Of the functions that the expression `callee` of a call can mean, those that take the arguments of the call.
    fn functions_chosen_by_arguments(
        &self,
        _resolver: &Resolver<'_>,
        (_file, _callee): (FileId, ExprId),
        functions: Resolution,
        _budget: &mut EvaluationBudget,
    ) -> Resolution {
        functions
    }

    /// Whether a member of a type hides one of the same name in a base, where overloads are separate definitions.
    fn hides_inherited_member(
        &self,
        _resolver: &Resolver<'_>,
        _own: Def,
        _inherited: Def,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        true
    }

    /// Whether a member of a type is no member of the types that derive from it, where overloads are separate definitions.
    fn belongs_to_declaring_type_alone(&self, _binding: &Binding) -> bool {
        false
    }

    /// Whether a type that is around the use of a bare name, and declares nothing of that name, may have a member of the
    /// name from a base that is outside the project or not known.
    fn may_inherit_from_outside(
        &self,
        _resolver: &Resolver<'_>,
        _owner: Def,
        name: &str,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        self.is_builtin_member_name(name)
    }

    /// Whether a bare name that nothing in sight binds is known to be outside the project. `kind` is what the place tells
    /// of the name.
    fn is_unbound_name_outside(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _name: &str,
        _kind: Option<RestrictedNameKind>,
    ) -> bool {
        true
    }

    /// An instance of a type outside the project that `type_expr` names, if its name tells something; with these arguments.
    fn instance_of_named_outside_type(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _type_expr: ExprId,
        _arguments: Arguments,
    ) -> Option<PossibleValues> {
        None
    }

    /// The value of parameter `parameter` of the closure that is argument `argument` of a call of `callee`; `None` where the
    /// types that parameters of functions have tell it.
    fn value_given_to_closure(
        &self,
        _resolver: &Resolver<'_>,
        (_file, _callee): (FileId, ExprId),
        (_argument, _parameter): (u32, u32),
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    /// The possible values of a call of the expression `callee`, whose own values are `functions`.
    fn call_result(
        &self,
        resolver: &Resolver<'_>,
        (file, callee): (FileId, ExprId),
        functions: &PossibleValues,
        budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        let results = resolver.results_of_calling_functions(functions, budget);
        resolver.substitute_receiver_type_arguments_in_results((file, callee), results, functions, budget)
    }

    /// Whether the result of calling `callee`, a function outside the project, can be a value of the project: functions
    /// that return what they are given, or whose result has a type that the caller chooses.
    fn can_outside_call_return_project_value(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _callee: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        false
    }

    /// The macros of the project called `name` that a call can mean where no binding of the name is in sight.
    fn macros_of_project_by_name<'r>(&self, _resolver: &'r Resolver<'_>, _name: &str) -> &'r [Def] {
        &[]
    }

    /// The possible values of a call of an instance of the type `def`.
    fn instance_call_result(
        &self,
        _resolver: &Resolver<'_>,
        _instance: &Value,
        _def: Def,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        PossibleValues::default()
    }

    /// The member called `name` that the type `def` has as an object itself, where neither it nor its bases declare the member.
    fn member_of_type_object(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _name: &str,
        _budget: &mut EvaluationBudget,
    ) -> Resolution {
        Resolution::default()
    }

    /// Whether a call of a type of the project can make an instance of a type that derives from it.
    fn can_call_of_type_make_heir(&self, _resolver: &Resolver<'_>, _def: Def, _budget: &mut EvaluationBudget) -> bool {
        false
    }

    /// What reading the member `name` of the expression `base` gives, where the member has these values.
    fn values_of_read_member(
        &self,
        _resolver: &Resolver<'_>,
        (_file, _base, _name): (FileId, ExprId, NameId),
        values: PossibleValues,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        values
    }

    /// The values that iterating over, indexing or awaiting an instance of a type of the project yields; `None` if the
    /// type does not declare them.
    fn values_yielded_by_instance(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _arguments: &Arguments,
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    /// Whether the index of a subscript, an expression of a file, is declared as a value that is no range.
    fn is_declared_as_item_key(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _key: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        false
    }

    /// Whether reading a member that has this value can give another one, of which the value decides.
    fn is_read_as_other_value(&self, _resolver: &Resolver<'_>, _value: &Value, _budget: &mut EvaluationBudget) -> bool {
        false
    }

    /// What indexing an instance of a type of the project gives, by what is known of the index.
    fn value_of_subscripted_instance(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _arguments: &Arguments,
        _key: KnownKey,
        _budget: &mut EvaluationBudget,
    ) -> PossibleValues {
        PossibleValues::default()
    }

    /// The item at `index` of an instance of a type of the project; `None` if the type does not declare it.
    fn item_of_instance_at_index(
        &self,
        _resolver: &Resolver<'_>,
        _def: Def,
        _arguments: &Arguments,
        _index: u32,
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    /// What is known of an instance of a type outside the project that leaves open what its instances are, or what they
    /// hold: a type of all values (`Any` in Python), a container without the type of its elements (`list`). `type_expr` is
    /// the name or path of the type; `None` for all other types.
    fn instance_of_open_type(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _type_expr: ExprId,
    ) -> Option<PossibleValues> {
        None
    }

    /// The keys of the map that an expression is, if the map's type is written in the source.
    fn key_values_of_declared_map(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _map: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    /// The value of a member of `base` that no type declares, if types can declare what indexing their values gives.
    fn undeclared_member_value_by_index_signature(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _base: ExprId,
        _budget: &mut EvaluationBudget,
    ) -> Option<PossibleValues> {
        None
    }

    // Rules of occurrences and references.

    /// Removes the referents that `occurrence` cannot mean in its role, such as a value where a type is named.
    fn remove_referents_unfit_for_occurrence_role(
        &self,
        resolver: &Resolver<'_>,
        _file: FileId,
        occurrence: &Occurrence,
        resolution: Resolution,
    ) -> Resolution {
        resolver.remove_types_or_values_unfit_for_role(resolution, occurrence.role)
    }

    /// Whether a name that resolves to several definitions means whichever of them is compiled.
    fn multiple_definitions_are_build_alternatives(&self) -> bool {
        false
    }

    /// Whether members that override one another count as one member in a search for references.
    fn reference_search_unites_overriding_members(&self) -> bool {
        false
    }

    /// Whether a use of a member through a receiver whose type is a base of the searched member's type likely means the
    /// searched member, which overrides the one that the receiver's type has.
    fn use_through_base_likely_means_override(&self) -> bool {
        false
    }

    /// Whether a function expression that is the value of a variable or field is a definition of that name, as outlines
    /// show it: `const f = () => {}`.
    fn are_function_exprs_definitions(&self) -> bool {
        false
    }

    /// Whether a variable that only ever holds a member of another module, and has its name, stands for that member:
    /// `const f = utils.f`.
    fn constants_can_stand_for_members(&self) -> bool {
        false
    }

    /// Whether an assignment to a member of an instance calls the setter that its type inherits, instead of adding a field.
    fn assignments_call_inherited_accessors(&self) -> bool {
        false
    }

    /// The name of the member of a class or constructor that has the members of its instances: `prototype`.
    fn prototype_member_name(&self) -> Option<&'static str> {
        None
    }

    /// Whether the definition of an overriding member is a reference to the member that it overrides.
    fn overriding_definition_is_reference(&self) -> bool {
        true
    }

    /// Whether a member that implements the searched member of an interface is a reference to it.
    fn implementing_member_is_reference(&self) -> bool {
        false
    }

    /// Whether members that implement an interface are in extensions of a type, never in the type itself.
    fn implementing_members_live_in_extensions(&self) -> bool {
        false
    }

    /// Whether a type has a member of its base by the member's name: it does not have those that belong to the base alone.
    fn is_member_inherited(&self, binding: &Binding, _name: &str) -> bool {
        !binding.private
    }

    /// Whether a member can override a member of the same name in a base.
    fn can_member_override(&self, _binding: &Binding, _name: &str) -> bool {
        true
    }

    /// Whether a member can override this one of the same name in a base.
    fn can_member_override_other(
        &self,
        _resolver: &Resolver<'_>,
        _member: Def,
        _other: Def,
        _budget: &mut EvaluationBudget,
    ) -> bool {
        true
    }

    /// Whether a use of one of two members that have the same name may mean the other.
    fn are_members_related_by_override(
        &self,
        resolver: &Resolver<'_>,
        one: Def,
        other: Def,
        budget: &mut EvaluationBudget,
    ) -> bool {
        resolver.has_owner_types_related_by_inheritance(one, other, budget)
    }

    // Rules of the symbols of the outline.

    /// Whether a symbol can have a name that the source writes as a string.
    fn strings_can_name_symbols(&self) -> bool {
        false
    }

    /// Whether a binding of this kind can be a symbol of the outline.
    fn can_binding_kind_be_outline_symbol(&self, kind: BindingKind) -> bool {
        !matches!(kind, BindingKind::Import | BindingKind::TypeParameter | BindingKind::Label | BindingKind::Parameter)
    }
}

/// How types of a language satisfy interfaces that they do not name.
pub(crate) trait StructuralTyping: Send + Sync {
    /// The methods that an interface requires.
    fn methods_required_by_interface(
        &self,
        resolver: &Resolver<'_>,
        interface: Def,
        budget: &mut EvaluationBudget,
    ) -> RequiredMethods;

    /// How well a type fits an interface: whether it has those methods of the interface that are known.
    fn fit_of_type_to_interface(
        &self,
        resolver: &Resolver<'_>,
        concrete: Def,
        interface: Def,
        budget: &mut EvaluationBudget,
    ) -> InterfaceFit;

    /// Whether a type embeds others, and so has their methods.
    fn has_embedded_types(&self, resolver: &Resolver<'_>, def: Def) -> bool;
}

/// The semantics of files whose language has no rules of its own: every rule is the default.
pub(crate) struct NoSemantics;

impl LanguageSemantics for NoSemantics {
    fn served_languages(&self) -> &'static [&'static str] {
        &[]
    }

    fn new_module_resolver(&self, _project_index: &dyn ProjectIndex) -> Box<dyn ModuleResolver> {
        Box::new(NoModules)
    }
}

/// The module resolver of [`NoSemantics`]: no import is understood.
struct NoModules;

impl ModuleResolver for NoModules {
    fn import_destination(&self, _: &dyn ProjectIndex, _: FileId, names: &Names, import: &ModuleImport) -> Destination {
        Destination::Unresolved(names.name_text(import.source).to_owned())
    }

    fn texts_every_dependent_contains_one_of(&self, _: &dyn ProjectIndex, _: FileId) -> Vec<String> {
        Vec::new()
    }
}

impl dyn LanguageSemantics + '_ {
    /// The name of the semantics: that of the first language that it serves.
    pub fn name(&self) -> &'static str {
        self.served_languages().first().copied().unwrap_or_default()
    }

    /// Whether this semantics serves files in a language.
    pub fn is_for_language(&self, language: &str) -> bool {
        self.served_languages().contains(&language)
    }

    /// Whether files in a language can use names of the languages that this semantics serves.
    pub fn can_names_be_used_from_language(&self, language: &str) -> bool {
        self.is_for_language(language) || self.other_languages_using_served_names().contains(&language)
    }

    /// Whether this semantics resolves the imports of files in a language.
    pub fn resolves_imports_of_language(&self, language: &str) -> bool {
        self.is_for_language(language) || self.other_languages_with_resolved_imports().contains(&language)
    }

    /// Whether files in a language can import files of the languages that this semantics serves.
    pub fn can_files_be_imported_from_language(&self, language: &str) -> bool {
        self.resolves_imports_of_language(language) || self.can_names_be_used_from_language(language)
    }

    /// Whether a file of this name can import files of the languages that this semantics serves.
    pub fn can_files_be_imported_from_file_named(&self, file_name: &str) -> bool {
        language::possible_languages_of_file_name(file_name)
            .any(|language| self.can_files_be_imported_from_language(language.name))
    }

    /// Whether a text can be an import, or a part of one; `false` is certain.
    pub fn may_text_hold_import(&self, text: &str) -> bool {
        let marks = self.texts_every_import_contains_one_of();
        marks.is_empty() || marks.iter().any(|mark| text.contains(mark))
    }

    /// Whether a file of this name can be in a language that this semantics serves. A header may be in either of two
    /// languages.
    pub fn can_serve_file_named(&self, file_name: &str) -> bool {
        language::possible_languages_of_file_name(file_name).any(|language| self.is_for_language(language.name))
    }
}

impl PartialEq for dyn LanguageSemantics {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn LanguageSemantics {}

impl std::fmt::Debug for dyn LanguageSemantics + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LanguageSemantics").field(&self.name()).finish()
    }
}

/// The question to [`LanguageSemantics::collect_definitions_linked_to_target`]: a search target, and the definitions that are one
/// with it.
pub(crate) struct Linking<'a> {
    /// The definition of the search target.
    pub target: Def,
    /// The name of the search target.
    pub name: &'a str,
    /// Whether the search target is a member of a type.
    pub is_member: bool,
    /// The files that contain the name of the search target.
    pub files: &'a [FileId],
    /// The definitions that are one with the search target: a semantics adds to them.
    pub united_definitions: &'a mut BTreeSet<Def>,
    /// The definitions that each name is linked to by the linker: a semantics adds to them.
    pub linked_names: &'a mut BTreeMap<String, Vec<Def>>,
    /// What a semantics found for the same name already: many search targets may have one name.
    pub visible_definitions: &'a mut BTreeMap<String, VisibleDefinitions>,
}

/// The definitions of a name that other files can see.
#[derive(Clone)]
pub(crate) struct VisibleDefinitions {
    /// The canonical definitions, in order.
    pub all: Vec<Def>,
    /// The number of definitions with a body.
    pub body_count: usize,
}

/// The module resolvers of all languages for one state of the project. Each one is created when it is first needed.
pub(crate) struct ModuleResolvers {
    slots: Vec<(&'static dyn LanguageSemantics, ResolverSlot)>,
}

/// The slot for a module resolver, which is created when it is first needed.
type ResolverSlot = OnceLock<Box<dyn ModuleResolver>>;

impl ModuleResolvers {
    /// Empty slots for the module resolvers of these semantics.
    pub fn new(all: &[&'static dyn LanguageSemantics]) -> Self {
        Self { slots: all.iter().map(|semantics| (*semantics, OnceLock::new())).collect() }
    }

    /// The semantics of a language; `None` if names of the language are not resolved.
    pub fn semantics_of_language(&self, language: &str) -> Option<&'static dyn LanguageSemantics> {
        self.slots.iter().map(|(semantics, _)| *semantics).find(|semantics| semantics.is_for_language(language))
    }

    /// The module resolver of a semantics; `None` if the semantics is not in the list.
    pub fn resolver_for_semantics(
        &self,
        semantics: &dyn LanguageSemantics,
        project_index: &dyn ProjectIndex,
    ) -> Option<&dyn ModuleResolver> {
        let (semantics, slot) = self.slots.iter().find(|(known, _)| known.name() == semantics.name())?;
        Some(&**slot.get_or_init(|| semantics.new_module_resolver(project_index)))
    }
}
