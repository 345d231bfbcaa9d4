//! Lookup of the symbols that a call names, and errors with guidance where none exist.

use std::sync::{Mutex, PoisonError};

use peelback_code::syntax::{Tier, walk_symbols_with_depth};
use peelback_code::{
    AnalysedFile, CodeAccess, CodeError, Completeness, ErrorCategory, Evidence, NameMatch, SymbolNameQuery,
    WalkOptions, find_similar_names,
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
    /// Whether the lookup searched all code, so that a gap in the evidence may hide a definition.
    pub searched_all_code: bool,
    /// The files of code that hold the name, in the order of paths, where all files in the scope were looked at.
    pub files_with_name: Vec<String>,
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
                    return Err(self.symbol_not_in_file_error(access, &analysed, &wanted, &name));
                }
                let found = visit(&analysed, &hits);
                Ok(FoundSymbols {
                    results: found,
                    evidence: analysed.evidence,
                    name,
                    searched_all_code: false,
                    files_with_name: Vec::new(),
                })
            }
            scope => {
                if self.is_code_first {
                    let (found, evidence) =
                        access.visit_files_defining_name(scope, &wanted, &visit).map_err(recover)?;
                    if !found.is_empty() {
                        let found = found.into_iter().flatten().collect();
                        return Ok(FoundSymbols {
                            results: found,
                            evidence,
                            name,
                            searched_all_code: true,
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
                if found.is_empty() {
                    return Err(self.symbol_not_in_scope_error(
                        access,
                        &wanted,
                        &name,
                        scope,
                        (&evidence, files_with_name.len()),
                    ));
                }
                Ok(FoundSymbols { results: found, evidence, name, searched_all_code: false, files_with_name })
            }
        }
    }
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
    /// The error for a file that defines no symbol with the name.
    fn symbol_not_in_file_error(
        &self,
        access: &CodeAccess,
        analysed: &AnalysedFile,
        wanted: &SymbolNameQuery,
        name: &str,
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
        if analysed.evidence.completeness != Completeness::Complete {
            let gap = match access.project().cancellation().stop_cause() {
                Some(cause) => format!("the search was {}", cause.as_str()),
                None => analysed.evidence.skipped.first().map(|skipped| skipped.reason.clone()).unwrap_or_default(),
            };
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

    /// The error for a scope in which no file defines the name. `evidence` describes the search; `files_with_text` is
    /// the number of code files that contain the name as text.
    fn symbol_not_in_scope_error(
        &self,
        access: &CodeAccess,
        wanted: &SymbolNameQuery,
        name: &str,
        scope: Option<&str>,
        (evidence, files_with_text): (&Evidence, usize),
    ) -> RecoverableError {
        let next = self.context.follow_up_call_builder();
        let text = next.text_search_call(wanted.last_part(), &[TextSearchOption::Literal]);
        let scope_name = scope.map_or_else(|| "the project".to_owned(), str::to_owned);
        if evidence.completeness != Completeness::Complete {
            let gap = match (evidence.skipped.len(), evidence.notes.first()) {
                (0, Some(note)) => format!("the search was {note}"),
                (skipped, _) => format!("{} could not be read whole", format_count_with_noun(skipped, "file", "files")),
            };
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

/// Whether any file of the project defines a symbol with the name `wanted`.
fn is_symbol_defined_in_project(access: &CodeAccess, wanted: &SymbolNameQuery) -> bool {
    let Ok(set) = access.project().files_in_scope(None, &WalkOptions::default()) else { return false };
    let (found, _) = access.visit_analysed_files(&set.entries, Some(wanted.file_search_needle()), |analysed| {
        (!access.find_matching_symbols(&analysed, wanted).is_empty()).then_some(())
    });
    !found.is_empty()
}
