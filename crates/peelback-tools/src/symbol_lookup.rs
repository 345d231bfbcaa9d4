//! Lookup of the symbols that a call names, and errors with guidance where none exist.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use peelback_code::syntax::{Tier, language, walk_symbols_with_depth};
use peelback_code::{
    AnalysedFile, CodeAccess, CodeError, Completeness, ErrorCategory, Evidence, InheritedMembers, NameMatch, Skipped,
    SymbolNameQuery, SymbolQuery, WalkOptions, find_similar_names,
};

use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::message::Message;
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
    /// The symbol's name or id.
    pub name: &'a str,
    /// Whether definitions in code come before other symbols such as headings, which have no references.
    pub is_code_first: bool,
}

/// The result of a symbol lookup: what the `visit` function of [`SymbolLookup::find_symbols`] returned for the symbols
/// that match.
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

impl SymbolLookup<'_> {
    /// Finds the symbols that the call names and passes those of each file to `visit`.
    ///
    /// # Errors
    /// An error where no symbol matches, with the nearest names.
    pub fn find_and_visit_named_symbols<T: Send>(
        &self,
        access: &CodeAccess,
        visit: impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T> + Sync,
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let recover =
            |error: CodeError| RecoverableError::from_code_error(self.context, &error, self.call, self.path_parameter);
        let (path, name, is_id) = separate_path_and_symbol_name(access, self.path, self.name);
        let wanted = if is_id {
            SymbolNameQuery::new(&name).requiring_exact_qualified_name()
        } else {
            SymbolNameQuery::new(&name)
        };
        if path.is_none() && access.project().has_regular_file(&name) {
            return Err(RecoverableError::new(
                ErrorCategory::BadUsage,
                format!("{name} is a file: name a symbol of it"),
            )
            .with_hint_and_call("what it defines: ", self.context.follow_up_call_builder().outline_call(&name)));
        }
        if wanted.last_part().is_empty() {
            let error = format!("{} needs a name that is not empty", self.tool_name);
            return Err(RecoverableError::new(ErrorCategory::BadUsage, error).with_hint_and_call(
                "symbols by part of their name: ",
                self.context.follow_up_call_builder().find_symbols_containing_name_call("main"),
            ));
        }
        match path.as_deref() {
            Some(file) if access.project().has_regular_file(file) => {
                let analysed = access.analyse_file(file).map_err(recover)?;
                let hits = access.find_matching_symbols(&analysed, &wanted);
                if hits.is_empty() {
                    let inherited = find_and_visit_inherited_members(access, Some(file), &wanted, &name, &visit)
                        .map_err(recover)?;
                    if inherited.results.is_empty() {
                        let evidence = &inherited.evidence;
                        return Err(self.symbol_not_in_file_error(access, &analysed, &wanted, &name, evidence));
                    }
                    return Ok(inherited.into_found_symbols(analysed.evidence, name));
                }
                let found = visit(&analysed, &hits);
                Ok(FoundSymbols {
                    results: found,
                    evidence: analysed.evidence,
                    name,
                    may_gap_hide_definition: false,
                    are_inherited: false,
                    files_with_name: Vec::new(),
                })
            }
            scope => {
                if self.is_code_first {
                    let (found, evidence) =
                        access.visit_files_defining_name(scope, &wanted, &visit).map_err(recover)?;
                    if !found.is_empty() {
                        return Ok(FoundSymbols {
                            results: found.into_iter().flatten().collect(),
                            evidence,
                            name,
                            may_gap_hide_definition: true,
                            are_inherited: false,
                            files_with_name: Vec::new(),
                        });
                    }
                }
                let set = access.project().files_in_scope(scope, &WalkOptions::default()).map_err(recover)?;
                let files_with_text: Mutex<Vec<String>> = Mutex::default();
                let (found, mut evidence) =
                    access.visit_analysed_files(&set.entries, Some(wanted.file_search_needle()), |analysed| {
                        let is_code = analysed.language.is_some_and(|language| language.tier != Tier::Document);
                        if is_code {
                            let mut files = files_with_text.lock().unwrap_or_else(PoisonError::into_inner);
                            files.push(analysed.file.path.clone());
                        }
                        let hits = access.find_matching_symbols(&analysed, &wanted);
                        (!hits.is_empty()).then(|| visit(&analysed, &hits))
                    });
                for skipped in set.skipped {
                    evidence.add_skipped_and_lower_completeness(&skipped.path, skipped.reason);
                }
                let found: Vec<T> = found.into_iter().flatten().collect();
                let mut files_with_name = files_with_text.into_inner().unwrap_or_else(PoisonError::into_inner);
                files_with_name.sort_unstable();
                // Where code comes first, so does a member that a type inherits.
                if found.is_empty() || self.is_code_first {
                    let inherited =
                        find_and_visit_inherited_members(access, scope, &wanted, &name, &visit).map_err(recover)?;
                    if !inherited.results.is_empty() {
                        return Ok(inherited.into_found_symbols(evidence, name));
                    }
                    if found.is_empty() {
                        let counts = (&evidence, &inherited.evidence, files_with_name.len());
                        return Err(self.symbol_not_in_scope_error(access, &wanted, &name, scope, counts));
                    }
                }
                Ok(FoundSymbols {
                    results: found,
                    evidence,
                    name,
                    may_gap_hide_definition: false,
                    are_inherited: false,
                    files_with_name,
                })
            }
        }
    }
}

/// Finds the members that types of the project inherit, where no symbol is called `wanted`, and passes those of each file
/// to `visit`. `scope` is where the types are defined; `name` is the name as the caller wrote it.
fn find_and_visit_inherited_members<T: Send>(
    access: &CodeAccess,
    scope: Option<&str>,
    wanted: &SymbolNameQuery,
    name: &str,
    visit: &impl Fn(&AnalysedFile, &[NameMatch]) -> Vec<T>,
) -> Result<InheritedSymbols<T>, CodeError> {
    let mut found = InheritedSymbols { results: Vec::new(), evidence: Evidence::new_complete("syntax") };
    let Some((owner, member)) = wanted.owner_and_member() else { return Ok(found) };
    let queries = |analysed: &AnalysedFile, hits: &[NameMatch]| -> Vec<SymbolQuery> {
        let path = &analysed.file.path;
        hits.iter().map(|hit| SymbolQuery { path: path.clone(), symbol: hit.symbol.clone() }).collect()
    };
    let (heirs, evidence) = access.visit_files_defining_name(scope, &owner, queries)?;
    let heirs: Vec<SymbolQuery> = heirs.into_iter().flatten().collect();
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
        found.evidence.add_note(format!("{name} is inherited: {named}"));
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
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        // Callers easily swap the arguments for path and name.
        let swapped = access.project().find_entry(path).is_none() && access.project().has_regular_file(name);
        let (path, name) = if swapped { (name, path) } else { (path, name) };
        return (Some(path.to_owned()), name.to_owned(), false);
    }
    for (at, _) in name.match_indices(':') {
        let (file, inside) = name.split_at(at);
        let inside = inside.trim_start_matches(':');
        if !inside.is_empty() && access.project().has_regular_file(file) {
            return (Some(file.to_owned()), inside.to_owned(), true);
        }
    }
    (None, name.to_owned(), false)
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
        near.extend(find_similar_names(wanted.last_part(), simple_names.take_while(must_go_on), 3));
        near.dedup();
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
                format!("do not conclude that {name} does not exist; its text: "),
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
                format!("do not conclude that {name} does not exist; its text: "),
                text,
            );
        }
        let mut error = Message::from(format!("no symbol {name} in {scope_name}"));
        if files_with_text > 0 {
            let files = format_count_with_noun(files_with_text, "file of code holds", "files of code hold");
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
        (skipped, _) => format!("{} could not be read whole", format_count_with_noun(skipped, "file", "files")),
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
