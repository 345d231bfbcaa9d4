//! Finds the macros of a project that Rust files call without naming the crate or module that defines them.

use std::collections::HashMap;

use peelback_syntax::names::BindingKind;

use super::rules::RustSemantics;
use crate::modules::FileId;
use crate::resolve::definition::Def;
use crate::resolve::resolver::Resolver;

/// The word with which macros are defined.
const DEFINING_WORD: &str = "macro_rules";

/// The macros called `name` that files of the project define: `#[macro_use]` and the order of modules bring a macro into
/// sight without an import.
pub(super) fn macros_of_project_by_name<'r>(resolver: &'r Resolver<'_>, name: &str) -> &'r [Def] {
    resolver.macros_by_name.get_or_init(|| collect_macros(resolver)).get(name).map_or(&[], Vec::as_slice)
}

fn collect_macros(resolver: &Resolver<'_>) -> HashMap<String, Vec<Def>> {
    let index = resolver.project_index();
    let files = index.project_file_table();
    let semantics: &dyn crate::semantics::LanguageSemantics = &RustSemantics;
    let all = 0..u32::try_from(files.len()).unwrap_or(u32::MAX);
    let may_define = |file: &FileId| {
        semantics.can_serve_file_named(files.entry(*file).name())
            && !resolver.call_end.must_stop_now()
            && index.may_text_contain_word(*file, DEFINING_WORD)
    };
    // Not in parallel: other evaluations wait for this one, and a thread that takes up one of them would wait for itself.
    let mut found: HashMap<String, Vec<Def>> = HashMap::new();
    for file in all.filter(may_define) {
        let Some(names) = resolver.names_of_file(file) else { continue };
        for (binding, macro_binding) in (0..).zip(&names.bindings) {
            if macro_binding.kind == BindingKind::Macro {
                let name = names.name_text(macro_binding.name).to_owned();
                found.entry(name).or_default().push(Def { file, binding });
            }
        }
    }
    found
}
