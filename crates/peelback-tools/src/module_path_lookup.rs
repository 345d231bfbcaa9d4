//! Finds symbols by names whose first parts are modules, files or packages.

use peelback_code::syntax::{Tier, language};
use peelback_code::{
    AnalysedFile, CodeAccess, CodeError, Evidence, ModulePathName, NameMatch, ProjectEntry, SymbolNameQuery,
    WalkOptions,
};

/// Symbols that were found by a name with modules.
pub(crate) struct SymbolsOfModule<T> {
    /// The results of the `visit` function, in the order of paths and positions.
    pub results: Vec<T>,
    /// The name of the symbols alone.
    pub symbol: SymbolNameQuery,
    /// How the name was read, as a note in the evidence, and what was not searched.
    pub evidence: Evidence,
}

/// The maximum number of files that a remark names.
const MAX_NAMED_FILES: usize = 3;

/// Finds the symbols that `wanted` names if its first parts are read as modules, and passes those of each file to `visit`;
/// `None` where there are none. `scope` is where they are defined; `name` is the name as the caller wrote it.
///
/// # Errors
/// The errors of [`peelback_code::Project::files_in_scope`].
pub(crate) fn find_and_visit_symbols_by_module_path<T: Send>(
    access: &CodeAccess,
    scope: Option<&str>,
    wanted: &SymbolNameQuery,
    name: &str,
    visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
) -> Result<Option<SymbolsOfModule<T>>, CodeError> {
    let ways = ModulePathName::ways_to_read(wanted);
    if ways.is_empty() {
        return Ok(None);
    }
    let set = access.project().files_in_scope(scope, &WalkOptions::default())?;
    for way in ways {
        let entries: Vec<ProjectEntry> =
            set.entries.iter().filter(|entry| unnamed_parts(access, &way, &entry.path).is_some()).cloned().collect();
        let symbol = way.symbol();
        let (mut found, mut evidence) =
            access.visit_analysed_files(&entries, Some(symbol.file_search_needle()), |analysed| {
                let hits = access.find_matching_symbols(&analysed, &symbol);
                let unnamed = unnamed_parts(access, &way, &analysed.file.path)?;
                (!hits.is_empty()).then(|| (unnamed, analysed.file.path.clone(), visit(&analysed, &hits)))
            });
        let Some(fewest) = found.iter().map(|(unnamed, ..)| *unnamed).min() else { continue };
        found.retain(|(unnamed, ..)| *unnamed == fewest);
        found.sort_by(|a, b| a.1.cmp(&b.1));
        let paths: Vec<&str> = found.iter().map(|(_, path, _)| path.as_str()).collect();
        evidence.add_note(describe_reading(name, way.symbol_name(), &paths));
        let results = found.into_iter().flat_map(|(.., made)| made).collect();
        return Ok(Some(SymbolsOfModule { results, symbol, evidence }));
    }
    Ok(None)
}

/// How well a file of code fits the modules of a name; `None` where it does not fit, or is no code.
pub(crate) fn unnamed_parts(access: &CodeAccess, way: &ModulePathName, path: &str) -> Option<usize> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let is_code = language::language_of_file_name(file_name).is_some_and(|language| language.tier != Tier::Document);
    let root_name = access.project().root().file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    is_code.then(|| way.unnamed_parts_of_path(&root_name, path)).flatten()
}

/// What a name was taken for: `auto_pairs::hook is hook in src/auto_pairs.rs`.
fn describe_reading(name: &str, symbol: &str, paths: &[&str]) -> String {
    let more = paths.len().saturating_sub(MAX_NAMED_FILES);
    let named = paths.get(..paths.len() - more).unwrap_or_default().join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{name} is {symbol} in {named}{more}")
}
