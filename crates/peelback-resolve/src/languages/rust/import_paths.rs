//! Resolves the paths of `use` declarations (`crate::a::B`): each segment is looked up in the one before it.

use peelback_syntax::names::{FILE_SCOPE, ModuleImportId, ModuleImportKind, ScopeKind};

use crate::modules::{FileId, Module};
use crate::resolve::budget::EvaluationBudget;
use crate::resolve::definition::{Def, Referent, Resolution};
use crate::resolve::resolver::Resolver;

/// Resolves the source of an import, a path of names such as `crate::a::B`, segment by segment.
pub(super) fn resolve_import_by_path_segments(
    resolver: &Resolver<'_>,
    file: FileId,
    import: ModuleImportId,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let Some(indexed) = resolver.names_index(file) else { return Resolution::default() };
    let Some(import) = indexed.names().imports.get(import as usize) else { return Resolution::default() };
    let mut segments = indexed.names().name_text(import.source).split("::").filter(|segment| !segment.is_empty());
    let Some(first) = segments.next() else { return Resolution::default() };
    let mut resolution = budget
        .run_nested_within_limits(|budget| resolve_first_path_segment(resolver, file, import.scope, first, budget));
    for segment in segments {
        let mut next = Resolution::default();
        for referent in &resolution.referents {
            next.add(match (segment, referent) {
                ("self", _) => Resolution::new(vec![referent.clone()], true),
                ("super", Referent::Module(Module::File(inside))) => {
                    resolve_first_segment_to_module(resolver, *inside, FILE_SCOPE, "super")
                }
                ("super", Referent::Module(Module::Scope(inside, scope))) => {
                    resolve_first_segment_to_module(resolver, *inside, *scope, "super")
                }
                _ => resolver.referent_member(referent, segment, budget),
            });
        }
        resolution = next;
    }
    resolution
}

fn resolve_first_segment_to_module(resolver: &Resolver<'_>, file: FileId, scope: u32, text: &str) -> Resolution {
    let module = resolver
        .module_resolver_of_file_language(file)
        .and_then(|modules| modules.module_of_unbound_first_segment(resolver.project_index(), file, scope, text));
    module.map_or_else(Resolution::default, |module| Resolution::new(vec![Referent::Module(module)], true))
}

fn resolve_first_path_segment(
    resolver: &Resolver<'_>,
    file: FileId,
    scope: u32,
    text: &str,
    budget: &mut EvaluationBudget,
) -> Resolution {
    let keyword = matches!(text, "crate" | "self" | "super");
    if keyword {
        return resolve_first_segment_to_module(resolver, file, scope, text);
    }
    let Some(indexed) = resolver.names_index(file) else { return Resolution::default() };
    // Code in a module does not see the names around that module.
    let around =
        |scope| if indexed.scope_kind(scope) == ScopeKind::Module { None } else { indexed.parent_scope(scope) };
    let mut next = Some(scope);
    // An item beside the `use` comes first, unless that `use` itself binds it.
    while let Some(here) = next {
        for binding in indexed.bindings_of_name_text_in_scope(here, text) {
            let bound = indexed.binding_or_placeholder(*binding);
            let itself = bound.import.is_some_and(|(import, _)| {
                indexed
                    .names()
                    .imports
                    .get(import as usize)
                    .is_some_and(|import| import.kind != ModuleImportKind::Module)
            });
            if bound.visible_from == 0 && !itself {
                return resolver.resolve_definition_through_import(Def { file, binding: *binding }, budget);
            }
        }
        next = around(here);
    }
    let begun = resolve_first_segment_to_module(resolver, file, scope, text);
    if !begun.is_empty() {
        return begun;
    }
    // A path may also begin with a name that another `use` binds.
    let mut next = Some(scope);
    while let Some(here) = next {
        if let Some(binding) = indexed.bindings_of_name_text_in_scope(here, text).first() {
            return resolver.resolve_definition_through_import(Def { file, binding: *binding }, budget);
        }
        next = around(here);
    }
    Resolution::new_outside_project()
}
