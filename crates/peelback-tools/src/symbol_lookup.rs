//! Lookup of the symbols that a call names, and errors with guidance where none exist.

use std::collections::{BTreeMap, BTreeSet};

use peelback_code::syntax::{Facts, Tier, language, walk_symbols_with_depth};
use peelback_code::{
    AnalysedFile, CodeAccess, CodeError, Completeness, ErrorCategory, Evidence, InheritedMembers, ModulePathName,
    NameMatch, Needle, Skipped, SymbolNameQuery, SymbolQuery, WalkOptions, find_similar_names,
};

use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::message::Message;
use crate::module_path_lookup::{SymbolsOfModule, find_and_visit_symbols_by_module_path, unnamed_parts};
use crate::nearest_symbols::nearest_symbol_names;
use crate::next_calls::TextSearchOption;
use crate::recoverable_error::RecoverableError;

/// A lookup of the symbols that a call names, in a file, folder or the whole project.
pub(crate) struct SymbolLookup<'a> {
    pub context: &'a CallContext,
    /// The name of the called tool.
    pub tool_name: &'static str,
    /// The original call.
    pub call: &'a Call,
    /// Builds a call of the same tool for a symbol name, optionally in a given file, for a hint.
    pub call_for_symbol: fn(Option<&str>, &str) -> Call,
    /// The file or folder that must contain the definition; the whole project if `None`.
    pub path: Option<&'a str>,
    /// The parameter of the call that holds `path`.
    pub path_parameter: &'static str,
    /// Whether definitions in code come before other symbols such as headings, which have no references.
    pub is_code_first: bool,
}

/// The result of a symbol lookup: what the `visit` function of [`SymbolLookup::find_and_visit_symbols_of_each_name`]
/// returned for the symbols that match.
pub(crate) struct FoundSymbols<T> {
    /// The results of `visit` for the symbols, never empty, in the order of paths and positions.
    pub results: Vec<T>,
    pub evidence: Evidence,
    /// The symbol's name that was looked up, without the path part of an id.
    pub name: String,
    /// Whether a gap in the evidence may hide a definition that is meant: where all code was searched, or where a type has
    /// the member from a base only if it does not declare the member itself.
    pub may_gap_hide_definition: bool,
    /// Whether the symbols are members that a type inherits, found by the name of that type.
    pub are_inherited: bool,
    /// The files of code that hold the name, in the order of paths, where all files in the scope were looked at.
    pub files_with_name: Vec<String>,
}

/// What a lookup of inherited members found: the results of `visit`, and the evidence.
struct InheritedSymbols<T> {
    results: Vec<T>,
    evidence: Evidence,
}

impl<T> InheritedSymbols<T> {
    /// The result of a symbol lookup, whose first part found no symbol called `name` itself. `evidence` is that of the first
    /// part: a gap in it may hide such a symbol.
    fn into_found_symbols(mut self, evidence: Evidence, name: String) -> FoundSymbols<T> {
        self.evidence.add_gaps_and_notes(without_gaps_in_documents(evidence));
        FoundSymbols {
            results: self.results,
            evidence: self.evidence,
            name,
            may_gap_hide_definition: true,
            are_inherited: true,
            files_with_name: Vec::new(),
        }
    }
}

/// A name that a call gives, as it is looked up.
struct WantedSymbol {
    /// The file or folder that must contain the definition; the whole project if `None`.
    path: Option<String>,
    /// The name without the path part of an id.
    name: String,
    query: SymbolNameQuery,
}

/// What the search for one name in many files found.
struct SearchedName<T> {
    results: Vec<T>,
    evidence: Evidence,
    files_with_name: Vec<String>,
}

impl SymbolLookup<'_> {
    /// Finds the symbols called `name` and passes those of each file to `visit`.
    ///
    /// # Errors
    /// An error where no symbol matches, with the nearest names.
    pub fn find_and_visit_named_symbols<T: Send>(
        &self,
        access: &CodeAccess,
        name: &str,
        visit: impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync,
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let mut found = self.find_and_visit_symbols_of_each_name(access, &[name.to_owned()], visit);
        found.pop().unwrap_or_else(|| Err(self.empty_name_error()))
    }

    /// Finds the symbols called by each of `names` and passes those of each file to `visit`. Returns a result for each name,
    /// in their order: an error where no symbol matches. Names without a file are looked for in one search.
    pub fn find_and_visit_symbols_of_each_name<T: Send>(
        &self,
        access: &CodeAccess,
        names: &[String],
        visit: impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync,
    ) -> Vec<Result<FoundSymbols<T>, RecoverableError>> {
        let wanted: Vec<Result<WantedSymbol, RecoverableError>> =
            names.iter().map(|name| self.wanted_symbol(access, name)).collect();
        let is_in_one_file =
            |wanted: &WantedSymbol| wanted.path.as_deref().is_some_and(|file| access.project().has_regular_file(file));
        let mut found: Vec<Option<Result<FoundSymbols<T>, RecoverableError>>> = Vec::new();
        let mut searched: Vec<(usize, WantedSymbol)> = Vec::new();
        for (index, wanted) in wanted.into_iter().enumerate() {
            let result = match wanted {
                Err(error) => Some(Err(error)),
                Ok(wanted) if is_in_one_file(&wanted) => Some(self.find_in_file(access, &wanted, &visit)),
                Ok(wanted) if self.is_code_first => Some(self.find_code_first(access, &wanted, &visit)),
                Ok(wanted) => {
                    searched.push((index, wanted));
                    None
                }
            };
            found.push(result);
        }
        let queries: Vec<&SymbolNameQuery> = searched.iter().map(|(_, wanted)| &wanted.query).collect();
        // What has no file of its own is looked for where the call says.
        let scope = searched.first().and_then(|(_, wanted)| wanted.path.clone());
        let results = if queries.is_empty() {
            Ok(Vec::new())
        } else {
            self.search_names(access, scope.as_deref(), &queries, &visit)
        };
        match results {
            Ok(results) => {
                for ((index, wanted), result) in searched.iter().zip(results) {
                    if let Some(slot) = found.get_mut(*index) {
                        *slot = Some(self.found_in_search(access, wanted, result, &visit));
                    }
                }
            }
            Err(error) => {
                for (index, _) in &searched {
                    if let Some(slot) = found.get_mut(*index) {
                        *slot = Some(Err(error.clone()));
                    }
                }
            }
        }
        found.into_iter().map(|found| found.unwrap_or_else(|| Err(self.empty_name_error()))).collect()
    }

    /// A name that the call gives, as it is looked up.
    fn wanted_symbol(&self, access: &CodeAccess, name: &str) -> Result<WantedSymbol, RecoverableError> {
        let (path, name, is_id) = separate_path_and_symbol_name(access, self.path, name);
        let query = SymbolNameQuery::new(&name);
        let query = if is_id { query.requiring_exact_qualified_name() } else { query };
        if path.is_none() && access.project().has_regular_file(&name) {
            return Err(RecoverableError::new(
                ErrorCategory::BadUsage,
                format!("{name} is a file: name a symbol of it"),
            )
            .with_hint_and_call("what it defines: ", self.context.follow_up_call_builder().outline_call(&name)));
        }
        if query.last_part().is_empty() {
            return Err(self.empty_name_error());
        }
        Ok(WantedSymbol { path, name, query })
    }

    /// The error of a call that gives no name.
    pub fn empty_name_error(&self) -> RecoverableError {
        let error = format!("{} needs a name that is not empty", self.tool_name);
        RecoverableError::of_invalid_arguments(error).with_hint_and_call(
            "symbols by part of their name: ",
            self.context.follow_up_call_builder().find_symbols_containing_name_call("main"),
        )
    }

    fn recoverable(&self, error: &CodeError) -> RecoverableError {
        RecoverableError::from_code_error(self.context, error, self.call, self.path_parameter)
    }

    fn find_in_file<T: Send>(
        &self,
        access: &CodeAccess,
        wanted: &WantedSymbol,
        visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let WantedSymbol { path, name, query } = wanted;
        let file = path.as_deref().unwrap_or_default();
        let analysed = access.analyse_file(file).map_err(|error| self.recoverable(&error))?;
        let hits = access.find_matching_symbols(&analysed, query);
        if hits.is_empty() {
            let inherited = find_and_visit_inherited_members(access, Some(file), query, name, |_| true, visit)
                .map_err(|error| self.recoverable(&error))?;
            if inherited.results.is_empty() {
                let evidence = &inherited.evidence;
                if let Some(found) = self.find_symbols_of_module(access, Some(file), query, name, visit, evidence)? {
                    return Ok(found);
                }
                return Err(self.symbol_not_in_file_error(access, &analysed, query, name, evidence));
            }
            return Ok(inherited.into_found_symbols(analysed.evidence, name.clone()));
        }
        Ok(FoundSymbols {
            results: visit(&analysed, &hits),
            evidence: analysed.evidence,
            name: name.clone(),
            may_gap_hide_definition: false,
            are_inherited: false,
            files_with_name: Vec::new(),
        })
    }

    /// Finds a name in code, and only where it is not there, in documents.
    fn find_code_first<T: Send>(
        &self,
        access: &CodeAccess,
        wanted: &WantedSymbol,
        visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let WantedSymbol { path, name, query } = wanted;
        let scope = path.as_deref();
        let (found, evidence) =
            access.visit_files_defining_name(scope, query, visit).map_err(|error| self.recoverable(&error))?;
        if !found.is_empty() {
            return Ok(FoundSymbols {
                results: found.into_iter().flatten().collect(),
                evidence,
                name: name.clone(),
                may_gap_hide_definition: true,
                are_inherited: false,
                files_with_name: Vec::new(),
            });
        }
        let result = self.search_names(access, scope, &[query], visit)?.pop();
        match result {
            Some(result) => self.found_in_search(access, wanted, result, visit),
            None => Err(self.empty_name_error()),
        }
    }

    /// Looks for symbols with each of `names` in all files of `scope`, in one search. Returns a result for each name.
    fn search_names<T: Send>(
        &self,
        access: &CodeAccess,
        scope: Option<&str>,
        names: &[&SymbolNameQuery],
        visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
    ) -> Result<Vec<SearchedName<T>>, RecoverableError> {
        let files = access
            .project()
            .files_in_scope_with_signatures(scope, &WalkOptions::default())
            .map_err(|error| self.recoverable(&error))?;
        let needles: Vec<Needle<'_>> = names.iter().map(|name| name.file_search_needle()).collect();
        let has_match = |facts: &Facts| {
            walk_symbols_with_depth(&facts.symbols)
                .any(|(symbol, _)| names.iter().any(|name| name.can_match_symbol(symbol)))
        };
        let found = access.search_outlines(&files, &needles, true, has_match, |outlined| {
            let analysed = outlined.into_analysed_file().ok()?;
            let results = names.iter().map(|name| {
                let hits = access.find_matching_symbols(&analysed, name);
                if hits.is_empty() { Vec::new() } else { visit(&analysed, &hits) }
            });
            Some(results.collect::<Vec<Vec<T>>>())
        });
        let mut searched: Vec<SearchedName<T>> = Vec::new();
        for needle in &needles {
            let files_with_name = found.vocabularies.iter().filter(|(_, words)| words.contains_word(needle.text()));
            searched.push(SearchedName {
                results: Vec::new(),
                evidence: found.evidence.clone(),
                files_with_name: files_with_name.map(|(path, _)| path.clone()).collect(),
            });
        }
        for results in found.values {
            for (searched, results) in searched.iter_mut().zip(results) {
                searched.results.extend(results);
            }
        }
        Ok(searched)
    }

    /// What a search through many files found of a name, or the members that a type inherits, where no symbol is called so.
    fn found_in_search<T: Send>(
        &self,
        access: &CodeAccess,
        wanted: &WantedSymbol,
        searched: SearchedName<T>,
        visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let WantedSymbol { path, name, query } = wanted;
        let scope = path.as_deref();
        let SearchedName { results, evidence, files_with_name } = searched;
        // Where code comes first, so does a member that a type inherits.
        if results.is_empty() || self.is_code_first {
            let inherited = find_and_visit_inherited_members(access, scope, query, name, |_| true, visit)
                .map_err(|error| self.recoverable(&error))?;
            if !inherited.results.is_empty() {
                return Ok(inherited.into_found_symbols(evidence, name.clone()));
            }
            let gaps = if results.is_empty() { &evidence } else { &inherited.evidence };
            if let Some(found) = self.find_symbols_of_module(access, scope, query, name, visit, gaps)? {
                return Ok(found);
            }
            if results.is_empty() {
                let counts = (&evidence, &inherited.evidence, files_with_name.len());
                return Err(self.symbol_not_in_scope_error(access, query, name, scope, counts));
            }
        }
        Ok(FoundSymbols {
            results,
            evidence,
            name: name.clone(),
            may_gap_hide_definition: false,
            are_inherited: false,
            files_with_name,
        })
    }
}

impl SymbolLookup<'_> {
    /// Finds the symbols that the name means if its first parts are modules. `gaps` is the evidence of the search for
    /// symbols of the whole name.
    fn find_symbols_of_module<T: Send>(
        &self,
        access: &CodeAccess,
        scope: Option<&str>,
        wanted: &SymbolNameQuery,
        name: &str,
        visit: &(impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync),
        gaps: &Evidence,
    ) -> Result<Option<FoundSymbols<T>>, RecoverableError> {
        let recover =
            |error: CodeError| RecoverableError::from_code_error(self.context, &error, self.call, self.path_parameter);
        let found = find_and_visit_symbols_by_module_path(access, scope, wanted, name, visit).map_err(recover)?;
        if let Some(SymbolsOfModule { results, mut evidence, .. }) = found {
            evidence.add_gaps_and_notes(without_gaps_in_documents(gaps.clone()));
            return Ok(Some(FoundSymbols {
                results,
                evidence,
                name: name.to_owned(),
                may_gap_hide_definition: true,
                are_inherited: false,
                files_with_name: Vec::new(),
            }));
        }
        for way in ModulePathName::ways_to_read(wanted) {
            let is_in_module = |path: &str| unnamed_parts(access, &way, path).is_some();
            let inherited = find_and_visit_inherited_members(access, scope, &way.symbol(), name, is_in_module, visit)
                .map_err(recover)?;
            if !inherited.results.is_empty() {
                return Ok(Some(inherited.into_found_symbols(gaps.clone(), name.to_owned())));
            }
        }
        Ok(None)
    }
}

/// Finds the members that types of the project inherit, where no symbol is called `wanted`, and passes those of each file
/// to `visit`. `scope` is where the types are defined, in the files whose path `is_in_module`; `name` is the name as the
/// caller wrote it.
fn find_and_visit_inherited_members<T: Send>(
    access: &CodeAccess,
    scope: Option<&str>,
    wanted: &SymbolNameQuery,
    name: &str,
    is_in_module: impl Fn(&str) -> bool,
    visit: &impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T>,
) -> Result<InheritedSymbols<T>, CodeError> {
    let mut found = InheritedSymbols { results: Vec::new(), evidence: Evidence::new_complete("syntax") };
    let Some((owner, member)) = wanted.owner_and_member() else { return Ok(found) };
    let queries = |analysed: &AnalysedFile, hits: &[NameMatch]| -> Vec<SymbolQuery> {
        let path = &analysed.file.path;
        hits.iter().map(|hit| SymbolQuery { path: path.clone(), symbol: hit.symbol.clone() }).collect()
    };
    let (heirs, evidence) = access.visit_files_defining_name(scope, &owner, queries)?;
    let heirs: Vec<SymbolQuery> = heirs.into_iter().flatten().filter(|heir| is_in_module(&heir.path)).collect();
    found.evidence.add_gaps_and_notes(evidence);
    if heirs.is_empty() {
        return Ok(found);
    }
    let InheritedMembers { members, evidence } = access.find_inherited_members(&heirs, member)?;
    found.evidence.add_gaps_and_notes(evidence);
    let mut by_path: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for inherited in members {
        by_path.entry(inherited.path).or_default().insert(inherited.qualified_name);
    }
    let mut ids = Vec::new();
    for (path, members) in by_path {
        let analysed = match access.analyse_file_by_root_path(&path) {
            Ok(analysed) => analysed,
            Err(error) => {
                found.evidence.add_skipped_and_lower_completeness(&path, error.to_string());
                continue;
            }
        };
        for member in members {
            let exact = SymbolNameQuery::new(&member).requiring_exact_qualified_name();
            found.results.extend(visit(&analysed, &access.find_matching_symbols(&analysed, &exact)));
            ids.push(format!("{path}:{member}"));
        }
    }
    if !found.results.is_empty() {
        let more = ids.len().saturating_sub(MAX_NAMED_MEMBERS);
        let mut named = ids.iter().take(MAX_NAMED_MEMBERS).cloned().collect::<Vec<String>>().join(", ");
        if more > 0 {
            named.push_str(&format!(" and {more} more"));
        }
        found.evidence.add_note(format!("{name} is declared as {named}"));
    }
    Ok(found)
}

/// The maximum number of inherited members that a remark names.
const MAX_NAMED_MEMBERS: usize = 3;

/// The evidence of a search without the gaps in documents, which define no member of a type.
fn without_gaps_in_documents(mut evidence: Evidence) -> Evidence {
    let is_in_code = |skipped: &Skipped| {
        let name = skipped.path.rsplit('/').next().unwrap_or(&skipped.path);
        language::language_of_file_name(name).is_none_or(|language| language.tier != Tier::Document)
    };
    evidence.skipped.retain(is_in_code);
    if evidence.skipped.is_empty() && evidence.notes.is_empty() {
        return Evidence::new_complete(&evidence.analysis);
    }
    evidence
}

/// The file or folder that a call names, by its path argument or in the id of a symbol.
pub(crate) fn path_from_argument_or_symbol_id(access: &CodeAccess, path: Option<&str>, name: &str) -> Option<String> {
    separate_path_and_symbol_name(access, path, name).0
}

/// The path and the symbol name that a call gives, and whether both came from an id.
fn separate_path_and_symbol_name(
    access: &CodeAccess,
    path: Option<&str>,
    name: &str,
) -> (Option<String>, String, bool) {
    let id = separate_path_and_name_of_id(access, name);
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        // An id names the file itself, and that says more than a path which holds it.
        if let Some((file, inside)) = id.filter(|(file, _)| is_file_in_path(access, file, path)) {
            return (Some(file), inside, true);
        }
        // Callers easily swap the arguments for path and name.
        let swapped = access.project().find_entry(path).is_none() && access.project().has_regular_file(name);
        let (path, name) = if swapped { (name, path) } else { (path, name) };
        return (Some(path.to_owned()), name.to_owned(), false);
    }
    match id {
        Some((file, inside)) => (Some(file), inside, true),
        None => (None, name.to_owned(), false),
    }
}

/// The file and the symbol's name of an id; `None` for a text that is no id of a file of the project.
fn separate_path_and_name_of_id(access: &CodeAccess, id: &str) -> Option<(String, String)> {
    id.match_indices(':').find_map(|(at, _)| {
        let (file, inside) = id.split_at(at);
        let inside = inside.trim_start_matches(':');
        (!inside.is_empty() && access.project().has_regular_file(file)).then(|| (file.to_owned(), inside.to_owned()))
    })
}

/// Whether a path names a file, or a folder that holds it.
fn is_file_in_path(access: &CodeAccess, file: &str, path: &str) -> bool {
    let entry = |path: &str| access.project().find_entry(path);
    let (Some(file), Some(path)) = (entry(file), entry(path)) else { return false };
    file.path == path.path
        || path.is_folder
            && (path.path.is_empty() || file.path.strip_prefix(&path.path).is_some_and(|rest| rest.starts_with('/')))
}

/// The maximum number of parts, counted from the end of a dotted name, that are tried as the symbol's name.
const MAX_NAME_PARTS: usize = 8;

/// The longest suffix of a dotted name that matches a symbol: `Context.fail` for `click.core.Context.fail`.
fn longest_suffix_that_names_a_symbol(access: &CodeAccess, wanted: &SymbolNameQuery, name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let first = parts.len().saturating_sub(MAX_NAME_PARTS).max(1);
    let shorter: Vec<String> = (first..parts.len()).filter_map(|from| Some(parts.get(from..)?.join("."))).collect();
    if shorter.is_empty() {
        return None;
    }
    let names: Vec<SymbolNameQuery> = shorter.iter().map(|name| SymbolNameQuery::new(name)).collect();
    let set = access.project().files_in_scope(None, &WalkOptions::default()).ok()?;
    let (found, _) = access.visit_analysed_files(&set.entries, Some(wanted.file_search_needle()), |analysed| {
        names.iter().position(|name| !access.find_matching_symbols(&analysed, name).is_empty())
    });
    shorter.into_iter().nth(found.into_iter().min()?)
}

impl SymbolLookup<'_> {
    /// The error for a file that defines no symbol with the name. `inherited` is the evidence of the lookup of members that
    /// its types inherit.
    fn symbol_not_in_file_error(
        &self,
        access: &CodeAccess,
        analysed: &AnalysedFile,
        wanted: &SymbolNameQuery,
        name: &str,
        inherited: &Evidence,
    ) -> RecoverableError {
        let path = analysed.file.path.as_str();
        let names: Vec<&str> = walk_symbols_with_depth(&analysed.facts.symbols)
            .map(|(symbol, _)| symbol.qualified_name.as_str())
            .collect();
        let simple_names = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol.name.as_str());
        let must_go_on = |_: &&str| access.project().cancellation().stop_cause().is_none();
        let mut near = find_similar_names(name, names.iter().copied().take_while(must_go_on), 3);
        // The names of top-level symbols are in both lists.
        for simple in find_similar_names(wanted.last_part(), simple_names.take_while(must_go_on), 3) {
            if !near.contains(&simple) {
                near.push(simple);
            }
        }
        near.truncate(3);
        let gap = match access.project().cancellation().stop_cause() {
            _ if analysed.evidence.completeness == Completeness::Complete => describe_gap(access, inherited),
            Some(cause) => Some(format!("the search was {}", cause.as_str())),
            None => Some(analysed.evidence.skipped.first().map(|skipped| skipped.reason.clone()).unwrap_or_default()),
        };
        if let Some(gap) = gap {
            let text = self
                .context
                .follow_up_call_builder()
                .text_search_call(wanted.last_part(), &[TextSearchOption::Literal, TextSearchOption::InScope(path)]);
            let error = format!("no symbol {name} was found in {path}, but {gap}");
            return RecoverableError::new(ErrorCategory::NothingFound, error).with_binding_guidance_and_call(
                format!("do not conclude that {name} does not exist; search its text: "),
                text,
            );
        }
        let failure = RecoverableError::new(
            ErrorCategory::NothingFound,
            format!("no symbol {name} in {path} ({})", format_count_with_noun(names.len(), "symbol", "symbols")),
        );
        if let Some(first) = near.first() {
            let retry_call = (self.call_for_symbol)(Some(path), first);
            let meant = format!("did you mean {}? ", near.join(" or "));
            return failure.with_hint_and_call(meant, retry_call).with_json_field("did_you_mean", near.clone());
        }
        if is_symbol_defined_in_project(access, wanted) {
            return failure.with_hint_and_call(
                "other files define it: ",
                self.context.follow_up_call_builder().find_symbols_named_exactly_call(wanted.last_part()),
            );
        }
        failure.with_hint_and_call("what it defines: ", self.context.follow_up_call_builder().outline_call(path))
    }

    /// The error for a scope in which no file defines the name. `evidence` describes the search, and `inherited` that for
    /// members that types inherit; `files_with_text` is the number of code files that contain the name as text.
    fn symbol_not_in_scope_error(
        &self,
        access: &CodeAccess,
        wanted: &SymbolNameQuery,
        name: &str,
        scope: Option<&str>,
        (evidence, inherited, files_with_text): (&Evidence, &Evidence, usize),
    ) -> RecoverableError {
        let next = self.context.follow_up_call_builder();
        let text = next.text_search_call(wanted.last_part(), &[TextSearchOption::Literal]);
        let scope_name = scope.map_or_else(|| "the project".to_owned(), str::to_owned);
        if let Some(gap) = describe_gap(access, evidence).or_else(|| describe_gap(access, inherited)) {
            let error = format!("no symbol {name} was found in {scope_name}, but {gap}");
            return RecoverableError::new(ErrorCategory::NothingFound, error).with_binding_guidance_and_call(
                format!("do not conclude that {name} does not exist; search its text: "),
                text,
            );
        }
        let mut error = Message::from(format!("no symbol {name} in {scope_name}"));
        if files_with_text > 0 {
            let files = format_count_with_noun(files_with_text, "code file contains", "code files contain");
            let word_search_call =
                next.text_search_call(wanted.last_part(), &[TextSearchOption::Literal, TextSearchOption::WholeWord]);
            error = error
                .append_words(format!(", though {files} the text {}: ", wanted.file_search_needle().text()))
                .with_call(word_search_call);
        }
        let failure = RecoverableError::new(ErrorCategory::NothingFound, error);
        if let Some(shorter) = longest_suffix_that_names_a_symbol(access, wanted, name) {
            let retry_call = (self.call_for_symbol)(None, &shorter);
            return failure
                .with_hint_and_call(format!("did you mean {shorter}? "), retry_call)
                .with_json_field("did_you_mean", vec![shorter]);
        }
        let near = nearest_symbol_names(access, wanted, scope);
        match near.first() {
            Some(first) => {
                let meant = format!("did you mean {}? ", near.join(" or "));
                failure
                    .with_hint_and_call(meant, next.find_symbols_containing_name_call(first))
                    .with_json_field("did_you_mean", near.clone())
            }
            None => failure.with_hint_and_call("as text: ", text),
        }
    }
}

/// What a search left out, as the end of a sentence; `None` if it was complete.
fn describe_gap(access: &CodeAccess, evidence: &Evidence) -> Option<String> {
    if evidence.completeness == Completeness::Complete {
        return None;
    }
    let is_stopped = access.project().cancellation().stop_cause().is_some();
    Some(match (evidence.skipped.len(), evidence.notes.first()) {
        (0, Some(note)) if is_stopped => format!("the search was {note}"),
        (0, Some(note)) => note.clone(),
        (skipped, _) => format!("{} could not be read completely", format_count_with_noun(skipped, "file", "files")),
    })
}

/// Whether any file of the project defines a symbol with the name `wanted`.
fn is_symbol_defined_in_project(access: &CodeAccess, wanted: &SymbolNameQuery) -> bool {
    let Ok(set) = access.project().files_in_scope(None, &WalkOptions::default()) else { return false };
    let (found, _) = access.visit_analysed_files(&set.entries, Some(wanted.file_search_needle()), |analysed| {
        (!access.find_matching_symbols(&analysed, wanted).is_empty()).then_some(())
    });
    !found.is_empty()
}
