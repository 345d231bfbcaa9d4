//! Lookup of the symbols that a call names, and errors with guidance where none exist.

use std::sync::atomic::{AtomicUsize, Ordering};

use peelback_code::syntax::{Tier, walk_symbols};
use peelback_code::{
    Analysed, CodeAccess, CodeError, Completeness, Evidence, Fault, NameMatch, SymbolName, WalkOptions, nearest,
};

use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::message::Message;
use crate::nearest_symbols::nearest_symbols;
use crate::next::TextOption;
use crate::recover::RecoverableError;

/// A lookup of the symbols that a call names, in a file, folder or the whole project.
pub(crate) struct SymbolLookup<'a> {
    pub context: &'a CallContext,
    /// The name of the called tool.
    pub tool: &'static str,
    /// The original call.
    pub call: &'a Call,
    /// Builds a call of the same tool for a symbol name, optionally in a given file.
    pub again: fn(Option<&str>, &str) -> Call,
    /// The file or folder that must contain the definition; the whole project if `None`.
    pub path: Option<&'a str>,
    /// The parameter of the call that holds `path`.
    pub path_parameter: &'static str,
    /// The symbol's name or id.
    pub name: &'a str,
    /// Whether definitions in code come before others such as headings, which have no references.
    pub is_code_first: bool,
}

/// The symbols that match a name, as processed by the visitor.
pub(crate) struct FoundSymbols<T> {
    /// The visitor's results for the symbols, never empty, in the order of paths and positions.
    pub found: Vec<T>,
    pub evidence: Evidence,
    /// The name without the path part of an id.
    pub name: String,
    /// Whether the lookup searched all code, so that a gap in the evidence may hide a definition.
    pub searched_all_code: bool,
}

impl SymbolLookup<'_> {
    /// Finds the symbols and passes those of each file to `visit`.
    ///
    /// # Errors
    /// An error where no symbol matches, with the nearest names.
    pub fn find<T: Send>(
        &self,
        access: &CodeAccess,
        visit: impl Fn(&Analysed, &[NameMatch]) -> Vec<T> + Sync,
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let recover =
            |error: CodeError| RecoverableError::from_code(self.context, &error, self.call, self.path_parameter);
        let (path, name, is_id) = address(access, self.path, self.name);
        let wanted = if is_id { SymbolName::new(&name).with_exact_match() } else { SymbolName::new(&name) };
        if path.is_none() && access.project().is_file(&name) {
            return Err(RecoverableError::new(Fault::BadUsage, format!("{name} is a file: name a symbol of it"))
                .hint_call("what it defines: ", self.context.next().outline(&name)));
        }
        if wanted.last_part().is_empty() {
            let error = format!("{} needs a name that is not empty", self.tool);
            return Err(RecoverableError::new(Fault::BadUsage, error)
                .hint_call("symbols by part of their name: ", self.context.next().symbols("main")));
        }
        match path.as_deref() {
            Some(file) if access.project().is_file(file) => {
                let analysed = access.analyse_file(file).map_err(recover)?;
                let hits = access.find_matching_symbols(&analysed, &wanted);
                if hits.is_empty() {
                    return Err(self.not_in_file(access, &analysed, &wanted, &name));
                }
                let found = visit(&analysed, &hits);
                Ok(FoundSymbols { found, evidence: analysed.evidence, name, searched_all_code: false })
            }
            scope => {
                if self.is_code_first {
                    let (found, evidence) = access.visit_definitions(scope, &wanted, &visit).map_err(recover)?;
                    if !found.is_empty() {
                        let found = found.into_iter().flatten().collect();
                        return Ok(FoundSymbols { found, evidence, name, searched_all_code: true });
                    }
                }
                let set = access.project().files(scope, &WalkOptions::default()).map_err(recover)?;
                let holders = AtomicUsize::new(0);
                let (found, mut evidence) =
                    access.visit_analysed_files(&set.entries, Some(wanted.needle()), |analysed| {
                        let is_code = analysed.language.is_some_and(|language| language.tier != Tier::Document);
                        holders.fetch_add(usize::from(is_code), Ordering::Relaxed);
                        let hits = access.find_matching_symbols(&analysed, &wanted);
                        (!hits.is_empty()).then(|| visit(&analysed, &hits))
                    });
                for skipped in set.skipped {
                    evidence.skip(&skipped.path, skipped.reason);
                }
                let found: Vec<T> = found.into_iter().flatten().collect();
                if found.is_empty() {
                    return Err(self.not_in_scope(access, &wanted, &name, scope, (&evidence, holders.into_inner())));
                }
                Ok(FoundSymbols { found, evidence, name, searched_all_code: false })
            }
        }
    }
}

/// The file or folder that a call names, by its path argument or in an id.
pub(crate) fn file_named(access: &CodeAccess, path: Option<&str>, name: &str) -> Option<String> {
    address(access, path, name).0
}

/// The path and the name that a call gives, and whether both came from an id.
fn address(access: &CodeAccess, path: Option<&str>, name: &str) -> (Option<String>, String, bool) {
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        // Callers easily swap the two arguments.
        let swapped = access.project().find(path).is_none() && access.project().is_file(name);
        let (path, name) = if swapped { (name, path) } else { (path, name) };
        return (Some(path.to_owned()), name.to_owned(), false);
    }
    for (at, _) in name.match_indices(':') {
        let (file, inside) = name.split_at(at);
        let inside = inside.trim_start_matches(':');
        if !inside.is_empty() && access.project().is_file(file) {
            return (Some(file.to_owned()), inside.to_owned(), true);
        }
    }
    (None, name.to_owned(), false)
}

/// The most parts of a dotted name that are tried as the symbol's name.
const MAX_PARTS: usize = 8;

/// The longest suffix of a dotted name that matches a symbol: `Context.fail` for `click.core.Context.fail`.
fn without_modules(access: &CodeAccess, wanted: &SymbolName, name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let first = parts.len().saturating_sub(MAX_PARTS).max(1);
    let shorter: Vec<String> = (first..parts.len()).filter_map(|from| Some(parts.get(from..)?.join("."))).collect();
    if shorter.is_empty() {
        return None;
    }
    let names: Vec<SymbolName> = shorter.iter().map(|name| SymbolName::new(name)).collect();
    let set = access.project().files(None, &WalkOptions::default()).ok()?;
    let (found, _) = access.visit_analysed_files(&set.entries, Some(wanted.needle()), |analysed| {
        names.iter().position(|name| !access.find_matching_symbols(&analysed, name).is_empty())
    });
    shorter.into_iter().nth(found.into_iter().min()?)
}

impl SymbolLookup<'_> {
    /// The error for a file that does not define the name.
    fn not_in_file(
        &self,
        access: &CodeAccess,
        analysed: &Analysed,
        wanted: &SymbolName,
        name: &str,
    ) -> RecoverableError {
        let path = analysed.file.path.as_str();
        let names: Vec<&str> =
            walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol.qualified_name.as_str()).collect();
        let simple = walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol.name.as_str());
        let mut near = nearest(name, names.iter().copied(), 3);
        near.extend(nearest(wanted.last_part(), simple, 3));
        near.dedup();
        near.truncate(3);
        if analysed.evidence.completeness != Completeness::Complete {
            let gap = analysed.evidence.skipped.first().map_or("", |skipped| skipped.reason.as_str());
            let text = self.context.next().text(wanted.last_part(), &[TextOption::Literal, TextOption::In(path)]);
            let error = format!("no symbol {name} was found in {path}, but {gap}");
            return RecoverableError::new(Fault::NothingFound, error)
                .must_follow(format!("do not conclude that {name} does not exist; its text: "), text);
        }
        let failure = RecoverableError::new(
            Fault::NothingFound,
            format!("no symbol {name} in {path} ({})", counted(names.len(), "symbol", "symbols")),
        );
        if let Some(first) = near.first() {
            let again = (self.again)(Some(path), first);
            let meant = format!("did you mean {}? ", near.join(" or "));
            return failure.hint_call(meant, again).extra("did_you_mean", near.clone());
        }
        if is_defined_somewhere(access, wanted) {
            return failure.hint_call("other files define it: ", self.context.next().symbols_named(wanted.last_part()));
        }
        failure.hint_call("what it defines: ", self.context.next().outline(path))
    }

    /// The error for a scope in which no file defines the name. `evidence` describes the search; `holders` is the
    /// number of code files that contain the name as text.
    fn not_in_scope(
        &self,
        access: &CodeAccess,
        wanted: &SymbolName,
        name: &str,
        scope: Option<&str>,
        (evidence, holders): (&Evidence, usize),
    ) -> RecoverableError {
        let next = self.context.next();
        let text = next.text(wanted.last_part(), &[TextOption::Literal]);
        let scope_name = scope.map_or_else(|| "the project".to_owned(), str::to_owned);
        if evidence.completeness != Completeness::Complete {
            let gap = match (evidence.skipped.len(), evidence.notes.first()) {
                (0, Some(note)) => format!("the search was {note}"),
                (skipped, _) => format!("{} could not be read whole", counted(skipped, "file", "files")),
            };
            let error = format!("no symbol {name} was found in {scope_name}, but {gap}");
            return RecoverableError::new(Fault::NothingFound, error)
                .must_follow(format!("do not conclude that {name} does not exist; its text: "), text);
        }
        let mut error = Message::from(format!("no symbol {name} in {scope_name}"));
        if holders > 0 {
            let files = counted(holders, "file of code holds", "files of code hold");
            let word = next.text(wanted.last_part(), &[TextOption::Literal, TextOption::WholeWord]);
            error = error.words(format!(", though {files} the text {}: ", wanted.needle().text())).call(word);
        }
        let failure = RecoverableError::new(Fault::NothingFound, error);
        if let Some(shorter) = without_modules(access, wanted, name) {
            let again = (self.again)(None, &shorter);
            return failure.hint_call(format!("did you mean {shorter}? "), again).extra("did_you_mean", vec![shorter]);
        }
        let near = nearest_symbols(access, wanted, scope);
        match near.first() {
            Some(first) => {
                let meant = format!("did you mean {}? ", near.join(" or "));
                failure.hint_call(meant, next.symbols(first)).extra("did_you_mean", near.clone())
            }
            None => failure.hint_call("as text: ", text),
        }
    }
}

/// Whether any file of the project defines the name.
fn is_defined_somewhere(access: &CodeAccess, wanted: &SymbolName) -> bool {
    let Ok(set) = access.project().files(None, &WalkOptions::default()) else { return false };
    let (found, _) = access.visit_analysed_files(&set.entries, Some(wanted.needle()), |analysed| {
        (!access.find_matching_symbols(&analysed, wanted).is_empty()).then_some(())
    });
    !found.is_empty()
}
