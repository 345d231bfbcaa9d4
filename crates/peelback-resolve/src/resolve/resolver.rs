//! The resolver and its state: the names of files, and memoized results. Other files of this folder add what it
//! resolves.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_project::CancellationToken;
use peelback_syntax::names::{Binding, BindingKind, Expr, ExprId, NameId, Names, ScopeId};

use super::budget::{CallStopCondition, EvaluationBudget};
use super::definition::{Def, Resolution};
use super::index::NamesIndex;
use super::memo::Memo;
use super::module_members::{GlobImports, GlobsOf, IndexedNames};
use super::namespace_tables::{FileNamespaces, LinkedByOwner, NamespaceNames, UsedNames, VisibleFiles};
use super::parameter_types::DeclaredParameters;
use super::spread_types::{Ancestors, MembersByPath};
use super::structural::{ForeignMember, InterfaceFit};
use super::value::PossibleValues;
use crate::modules::{FileId, Module, ModuleResolver, ProjectIndex};
use crate::semantics::{LanguageSemantics, ModuleResolvers, NoSemantics};

/// The id of an extension, such as a Rust `impl`: its file, and its index among the extensions of that file.
pub(crate) type ExtensionId = (FileId, usize);

/// Resolves names over the files of one state of a project. Results are memoized, and shared between threads.
pub(crate) struct Resolver<'w> {
    project_index: &'w dyn ProjectIndex,
    module_resolvers: &'w ModuleResolvers,
    /// The end of the call that the resolver works for.
    pub call_end: CallStopCondition,
    indexes: Vec<OnceLock<Option<Arc<NamesIndex>>>>,
    semantics: Vec<OnceLock<Option<&'static dyn LanguageSemantics>>>,
    pub(super) values: Memo<Def, PossibleValues>,
    /// Memoized values of calls and member accesses, which form chains.
    pub(super) chain_values: Memo<(FileId, ExprId), PossibleValues>,
    pub(crate) type_members: Memo<(Def, Box<str>), Resolution>,
    pub(super) module_members: Memo<(Module, Box<str>), Resolution>,
    pub(super) glob_imports: Memo<GlobsOf, Arc<GlobImports>>,
    pub(super) indexed_glob_names: IndexedNames,
    /// Memoized lists of the files that can extend the types of a file. Computing one takes a look at all files.
    pub(super) extending_files: Memo<FileId, Arc<[FileId]>>,
    /// Memoized extensions of types, by the first file of a list of extending files and the name of the extended type.
    pub(super) extensions: Memo<(FileId, Box<str>), Arc<[ExtensionId]>>,
    /// Memoized extensions of definitions.
    pub(super) definition_extensions: Memo<Def, Arc<[ExtensionId]>>,
    /// Memoized bases of types, by the first of the bindings with bodies that declare a type, and the definition that
    /// represents the type.
    pub(super) bases: Memo<(Def, Def), Bases>,
    /// Memoized members that traits give to types outside the project, by the first file of a list of extending files
    /// and the member's name.
    pub(crate) foreign_members: Memo<(FileId, Box<str>), Arc<[ForeignMember]>>,
    /// The macros that files of the project define, by name; collected on first use.
    pub(crate) macros_by_name: OnceLock<HashMap<String, Vec<Def>>>,
    /// Memoized results of whether a type (first) fits an interface (second).
    pub(crate) interface_fits: Memo<(Def, Def), InterfaceFit>,
    /// Memoized results of whether some type that embeds the owner of a method (first) satisfies an interface (second)
    /// with that method.
    pub(crate) promotions: Memo<(Def, Def), bool>,
    /// Memoized bases of types, at any depth.
    pub(super) all_bases: Memo<Def, Arc<BTreeSet<Def>>>,
    /// Memoized results of whether it is known of each base of a type what it is, at any depth.
    pub(super) types_with_known_bases: Memo<Def, bool>,
    /// For types of which it was asked whether they derive from themselves: the first type of their cycle, if any.
    pub(super) cycles_of_types: Memo<Def, Option<Def>>,
    pub(super) declared_parameters: Memo<Def, Arc<DeclaredParameters>>,
    pub(super) functions_taking_rest: Memo<Def, bool>,
    /// Memoized parts of types that have several, by each of them.
    pub(super) type_parts: Memo<Def, Arc<[Def]>>,
    /// Memoized results of whether a class is a query set, or a manager of one.
    pub(crate) query_set_types: Memo<Def, bool>,
    /// Memoized members that types derived from a type declare, by the type and the member's name.
    pub(crate) members_of_heirs: Memo<(Def, Box<str>), Resolution>,
    pub(super) overridden_members: Memo<Def, Arc<BTreeSet<Def>>>,
    /// Memoized properties with accessors that assignments to members call, see
    /// [`Resolver::inherited_accessor_called_by_assignment`].
    pub(super) called_accessors: Memo<Def, Option<Def>>,
    /// Memoized lists of the files that each file includes itself, and with those at any depth.
    pub(super) included_files: Memo<FileId, Arc<[FileId]>>,
    pub(super) visible_files: Memo<FileId, Arc<VisibleFiles>>,
    /// Memoized namespaces of the scopes of files.
    pub(super) file_namespaces: Memo<FileId, Arc<FileNamespaces>>,
    /// Memoized members of namespaces, by the file that sees them and their paths.
    pub(super) namespace_members: Memo<(FileId, Box<str>), Resolution>,
    pub(super) namespace_names: NamespaceNames,
    /// Memoized meanings of directives with `using`, and what they bring into a namespace, by the file that sees it.
    pub(super) using_directives: Memo<(FileId, ExprId), Option<UsedNames>>,
    pub(super) used_names: Memo<(FileId, Box<str>), Arc<[UsedNames]>>,
    /// Memoized definitions of types that a file sees only forward declarations of, by the file and the types' paths.
    pub(super) completed_declarations: Memo<(FileId, Box<str>), Resolution>,
    /// Memoized definitions that a search linked with a name: those that a file may mean, and all by their paths.
    pub(super) linked_names_by_file: Memo<(FileId, Box<str>), Resolution>,
    pub(super) linked_by_owner: Memo<(usize, Box<str>), LinkedByOwner>,
    /// Memoized members of types that are opened in several files, by their names; and those without types that are opened by
    /// a path of names.
    pub(crate) members_by_path: Memo<Box<str>, Arc<MembersByPath>>,
    pub(crate) plain_members_by_path: Memo<Box<str>, Arc<MembersByPath>>,
    /// Memoized paths of such types, by the scopes of their members.
    pub(crate) paths_of_type_scopes: Memo<(FileId, ScopeId), Option<Arc<str>>>,
    /// Memoized types that such types derive from, in the order of look-ups.
    pub(crate) ancestors_of_types: Memo<Def, Arc<Ancestors>>,
    /// The number of evaluations inside others that a limit cut short, where the others do not say so.
    pub(crate) evaluations_cut_short: AtomicUsize,
    pub(super) linked_names: Mutex<BTreeMap<String, Vec<Def>>>,
}

/// The bases of a type as they are written: the file and the expression of each.
type Bases = Arc<[(FileId, ExprId)]>;

impl<'w> Resolver<'w> {
    /// A resolver for a call that ends with `cancellation`.
    pub fn new(
        project_index: &'w dyn ProjectIndex,
        module_resolvers: &'w ModuleResolvers,
        cancellation: &CancellationToken,
    ) -> Self {
        let count = project_index.project_file_table().len();
        Self {
            project_index,
            module_resolvers,
            call_end: CallStopCondition::new(cancellation),
            indexes: (0..count).map(|_| OnceLock::new()).collect(),
            semantics: (0..count).map(|_| OnceLock::new()).collect(),
            values: Memo::new(),
            chain_values: Memo::new(),
            type_members: Memo::new(),
            module_members: Memo::new(),
            glob_imports: Memo::new(),
            indexed_glob_names: IndexedNames::default(),
            extending_files: Memo::new(),
            extensions: Memo::new(),
            definition_extensions: Memo::new(),
            bases: Memo::new(),
            foreign_members: Memo::new(),
            macros_by_name: OnceLock::new(),
            interface_fits: Memo::new(),
            promotions: Memo::new(),
            all_bases: Memo::new(),
            types_with_known_bases: Memo::new(),
            cycles_of_types: Memo::new(),
            declared_parameters: Memo::new(),
            functions_taking_rest: Memo::new(),
            type_parts: Memo::new(),
            query_set_types: Memo::new(),
            members_of_heirs: Memo::new(),
            overridden_members: Memo::new(),
            called_accessors: Memo::new(),
            included_files: Memo::new(),
            visible_files: Memo::new(),
            file_namespaces: Memo::new(),
            namespace_members: Memo::new(),
            namespace_names: NamespaceNames::default(),
            using_directives: Memo::new(),
            used_names: Memo::new(),
            completed_declarations: Memo::new(),
            linked_names_by_file: Memo::new(),
            linked_by_owner: Memo::new(),
            members_by_path: Memo::new(),
            plain_members_by_path: Memo::new(),
            paths_of_type_scopes: Memo::new(),
            ancestors_of_types: Memo::new(),
            evaluations_cut_short: AtomicUsize::new(0),
            linked_names: Mutex::default(),
        }
    }

    /// The full budget of a new evaluation.
    pub fn new_budget(&self) -> EvaluationBudget<'_> {
        EvaluationBudget::new(&self.call_end)
    }

    /// Counts an evaluation that a limit cut short. One that ended because the call ended is told apart from these.
    pub fn count_evaluation_if_cut_short(&self, budget: &EvaluationBudget<'_>) {
        if budget.exhausted && !self.call_end.has_cut_work_short() {
            self.evaluations_cut_short.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn project_index(&self) -> &'w dyn ProjectIndex {
        self.project_index
    }

    /// The index of the names in a file; `None` if the file cannot be read or parsed.
    pub fn names_index(&self, file: FileId) -> Option<&Arc<NamesIndex>> {
        let slot = self.indexes.get(file as usize)?;
        slot.get_or_init(|| self.project_index.names_index_of_file(file)).as_ref()
    }

    /// The names in a file; `None` if the file cannot be read or parsed.
    pub fn names_of_file(&self, file: FileId) -> Option<&Arc<Names>> {
        self.names_index(file).map(|index| index.names())
    }

    /// The semantics of a file's language; `None` if the language has none.
    pub fn semantics_of_file_language(&self, file: FileId) -> Option<&'static dyn LanguageSemantics> {
        *self.semantics.get(file as usize)?.get_or_init(|| {
            self.module_resolvers.semantics_of_language(self.project_index.language_of_project_file(file)?.name)
        })
    }

    /// The semantics of a file's language, or the default semantics if the language has none.
    pub fn semantics_of_file_language_or_default(&self, file: FileId) -> &'static dyn LanguageSemantics {
        self.semantics_of_file_language(file).unwrap_or(&NoSemantics)
    }

    /// The module resolver for the imports of a file's language; `None` if the language has none.
    pub fn module_resolver_of_file_language(&self, file: FileId) -> Option<&dyn ModuleResolver> {
        self.module_resolvers.resolver_for_semantics(self.semantics_of_file_language(file)?, self.project_index)
    }

    /// Adds the definitions that the linker connects with names, see [`Resolver::definitions_linked_by_name`].
    pub fn add_linked_definitions_by_name(&self, names: BTreeMap<String, Vec<Def>>) {
        self.linked_names.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    /// The binding that a definition is; `None` if its file cannot be read or parsed.
    pub fn binding_of_definition(&self, def: Def) -> Option<&Binding> {
        self.names_of_file(def.file)?.bindings.get(def.binding as usize)
    }

    /// The expression with this id in a file; unknown if the file cannot be read or parsed.
    pub fn expr_by_id(&self, file: FileId, expr: ExprId) -> Expr {
        self.names_of_file(file).map_or(Expr::Unknown, |names| names.expr_by_id(expr))
    }

    /// The text of the name with this id in a file; empty if the file cannot be read or parsed.
    pub fn name_text(&self, file: FileId, name: NameId) -> &str {
        self.names_of_file(file).map_or("", |names| names.name_text(name))
    }

    /// The definition that represents all bindings of the same name in the same scope as `def`.
    pub fn representative_of_same_name_in_scope(&self, def: Def) -> Def {
        let Some(index) = self.names_index(def.file) else { return def };
        if self.semantics_of_file_language_or_default(def.file).overloads_are_separate_definitions() {
            let first = Def { file: def.file, binding: index.first_binding_at_same_place(def.binding) };
            return self.first_part_of_type(first);
        }
        let semantics = self.semantics_of_file_language_or_default(def.file);
        if semantics.types_have_parts() && index.binding_or_placeholder(def.binding).kind == BindingKind::Type {
            return self.first_part_of_type(def);
        }
        let is_two_sided = || semantics.separates_static_from_instance_members();
        Def { file: def.file, binding: index.first_binding_of_definition(def.binding, is_two_sided) }
    }
}
