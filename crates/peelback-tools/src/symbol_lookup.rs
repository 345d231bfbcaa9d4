//! Finding the symbols that a call names, and saying what to do where there are none.

use std::sync::atomic::{AtomicUsize, Ordering};

use peelback_code::syntax::{Tier, walk_symbols};
use peelback_code::{
    Analysed, CodeAccess, CodeError, Completeness, Evidence, Fault, NameMatch, SymbolName, WalkOptions, nearest,
};

use crate::answer::counted;
use crate::call::Call;
use crate::recover::RecoverableError;
use crate::tools::find_symbols::nearest_symbols;

/// A name as a call of a tool gives it.
pub(crate) struct SymbolLookup<'a> {
    /// The tool that is called.
    pub tool: &'static str,
    /// The call.
    pub call: &'a Call,
    /// The file or folder that defines the symbol; the whole project where it is `None`.
    pub path: Option<&'a str>,
    /// The name or id.
    pub name: &'a str,
    /// Whether definitions in code come first: a heading has no uses.
    pub code_first: bool,
}

/// What a name means.
pub(crate) struct FoundSymbols<T> {
    /// What the visitor made of the symbols, never empty, in the order of paths and places.
    pub found: Vec<T>,
    pub evidence: Evidence,
    /// The name without the path that an id holds.
    pub name: String,
    /// Whether all code was looked at for it, so that a gap in the evidence may hide a definition.
    pub sought_everywhere: bool,
}

impl SymbolLookup<'_> {
    /// Finds the symbols and gives those of each file to `visit`.
    ///
    /// # Errors
    /// Where there are none, with the nearest names.
    pub fn find<T: Send>(
        &self,
        access: &CodeAccess,
        visit: impl Fn(&Analysed, &[NameMatch]) -> Vec<T> + Sync,
    ) -> Result<FoundSymbols<T>, RecoverableError> {
        let recover = |error: CodeError| RecoverableError::of(&error, self.call, "path");
        let (path, name, is_id) = address(access, self.path, self.name);
        let wanted = if is_id { SymbolName::new(&name).exact() } else { SymbolName::new(&name) };
        if path.is_none() && access.project().is_file(&name) {
            let outline = Call::new("outline").with("path", name.as_str());
            return Err(RecoverableError::new(Fault::BadUsage, format!("{name} is a file: name a symbol of it"))
                .hint(format!("what it defines: {outline}")));
        }
        if wanted.last_part().is_empty() {
            let example = Call::new("find_symbols").with("name", "main");
            return Err(RecoverableError::new(
                Fault::BadUsage,
                format!("{} needs a name that is not empty", self.tool),
            )
            .hint(format!("symbols by part of their name: {example}")));
        }
        match path.as_deref() {
            Some(file) if access.project().is_file(file) => {
                let analysed = access.outline(file).map_err(recover)?;
                let hits = access.read_symbol(&analysed, &wanted);
                if hits.is_empty() {
                    return Err(not_in_file(self.tool, access, &analysed, &wanted, &name));
                }
                let found = visit(&analysed, &hits);
                Ok(FoundSymbols { found, evidence: analysed.evidence, name, sought_everywhere: false })
            }
            scope => {
                if self.code_first {
                    let (found, evidence) = access.definitions(scope, &wanted, &visit).map_err(recover)?;
                    if !found.is_empty() {
                        let found = found.into_iter().flatten().collect();
                        return Ok(FoundSymbols { found, evidence, name, sought_everywhere: true });
                    }
                }
                let set = access.project().files(scope, &WalkOptions::default()).map_err(recover)?;
                let holders = AtomicUsize::new(0);
                let (found, mut evidence) = access.visit(&set.entries, Some(wanted.needle()), |analysed| {
                    let is_code = analysed.language.is_some_and(|language| language.tier != Tier::Document);
                    holders.fetch_add(usize::from(is_code), Ordering::Relaxed);
                    let hits = access.read_symbol(&analysed, &wanted);
                    (!hits.is_empty()).then(|| visit(&analysed, &hits))
                });
                for skipped in set.skipped {
                    evidence.skip(&skipped.path, skipped.reason);
                }
                let found: Vec<T> = found.into_iter().flatten().collect();
                if found.is_empty() {
                    return Err(nowhere(self.tool, access, &wanted, &name, scope, (&evidence, holders.into_inner())));
                }
                Ok(FoundSymbols { found, evidence, name, sought_everywhere: false })
            }
        }
    }
}

/// The file or folder that a call names, by its path or inside an id.
pub(crate) fn path_of(access: &CodeAccess, path: Option<&str>, name: &str) -> Option<String> {
    address(access, path, name).0
}

/// The path and the name of a call, and whether an id held both.
fn address(access: &CodeAccess, path: Option<&str>, name: &str) -> (Option<String>, String, bool) {
    if let Some(path) = path.filter(|path| !path.is_empty()) {
        // The two are easily given the other way round.
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

fn not_in_file(
    tool: &'static str,
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
    let outline = Call::new("outline").with("path", path);
    if analysed.evidence.completeness != Completeness::Complete {
        let gap = analysed.evidence.skipped.first().map_or("", |skipped| skipped.reason.as_str());
        let grep =
            Call::new("grep").with("pattern", wanted.last_part()).with("fixed_strings", true).with("scope", path);
        return RecoverableError::new(Fault::NothingFound, format!("no symbol {name} was found in {path}, but {gap}"))
            .must_follow(format!("do not conclude that {name} does not exist; its text: {grep}"));
    }
    let failure = RecoverableError::new(
        Fault::NothingFound,
        format!("no symbol {name} in {path} ({})", counted(names.len(), "symbol", "symbols")),
    );
    match near.first() {
        Some(first) => {
            let again = Call::new(tool).with("path", path).with("name", first.as_str());
            failure.hint(format!("did you mean {}? {again}", near.join(" or "))).extra("did_you_mean", near.clone())
        }
        None => {
            let elsewhere = nearest_exact(access, wanted);
            match elsewhere {
                Some(call) => failure.hint(format!("other files define it: {call}")),
                None => failure.hint(format!("what it defines: {outline}")),
            }
        }
    }
}

/// A call that finds the name in the whole project, where it is there.
fn nearest_exact(access: &CodeAccess, wanted: &SymbolName) -> Option<Call> {
    let set = access.project().files(None, &WalkOptions::default()).ok()?;
    let (found, _) = access.visit(&set.entries, Some(wanted.needle()), |analysed| {
        (!access.read_symbol(&analysed, wanted).is_empty()).then_some(())
    });
    (!found.is_empty()).then(|| Call::new("find_symbols").with("name", wanted.last_part()).with("match", "exact"))
}

/// Parts of a dotted name that are tried as the name of a symbol.
const MAX_PARTS: usize = 8;

/// The longest end of a dotted name that a symbol has: `Context.fail` for `click.core.Context.fail`.
fn without_modules(access: &CodeAccess, wanted: &SymbolName, name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split(['.', ':', '#', '/']).filter(|part| !part.is_empty()).collect();
    let first = parts.len().saturating_sub(MAX_PARTS).max(1);
    let shorter: Vec<String> = (first..parts.len()).filter_map(|from| Some(parts.get(from..)?.join("."))).collect();
    if shorter.is_empty() {
        return None;
    }
    let names: Vec<SymbolName> = shorter.iter().map(|name| SymbolName::new(name)).collect();
    let set = access.project().files(None, &WalkOptions::default()).ok()?;
    let (found, _) = access.visit(&set.entries, Some(wanted.needle()), |analysed| {
        names.iter().position(|name| !access.read_symbol(&analysed, name).is_empty())
    });
    shorter.into_iter().nth(found.into_iter().min()?)
}

fn nowhere(
    tool: &'static str,
    access: &CodeAccess,
    wanted: &SymbolName,
    name: &str,
    scope: Option<&str>,
    (evidence, holders): (&Evidence, usize),
) -> RecoverableError {
    let wherever = scope.map_or_else(|| "the project".to_owned(), str::to_owned);
    let grep = Call::new("grep").with("pattern", wanted.last_part()).with("fixed_strings", true);
    if evidence.completeness != Completeness::Complete {
        let gap = match (evidence.skipped.len(), evidence.notes.first()) {
            (0, Some(note)) => format!("the search was {note}"),
            (skipped, _) => format!("{} could not be read whole", counted(skipped, "file", "files")),
        };
        return RecoverableError::new(
            Fault::NothingFound,
            format!("no symbol {name} was found in {wherever}, but {gap}"),
        )
        .must_follow(format!("do not conclude that {name} does not exist; its text: {grep}"));
    }
    let text = if holders > 0 {
        let files = counted(holders, "file of code holds", "files of code hold");
        format!(", though {files} the text {}: {}", wanted.needle().text(), grep.clone().with("word", true))
    } else {
        String::new()
    };
    let failure = RecoverableError::new(Fault::NothingFound, format!("no symbol {name} in {wherever}{text}"));
    if let Some(shorter) = without_modules(access, wanted, name) {
        let again = Call::new(tool).with("name", shorter.as_str());
        return failure.hint(format!("did you mean {shorter}? {again}")).extra("did_you_mean", vec![shorter]);
    }
    let near = nearest_symbols(access, wanted, scope);
    match near.first() {
        Some(first) => {
            let again = Call::new("find_symbols").with("name", first.as_str());
            failure.hint(format!("did you mean {}? {again}", near.join(" or "))).extra("did_you_mean", near.clone())
        }
        None => failure.hint(format!("as text: {grep}")),
    }
}
