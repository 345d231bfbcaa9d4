//! The relations of a profile's file as lines of text: its imports and exports, and the files around it.

use std::collections::HashSet;
use std::fmt::Write as _;

use peelback_code::syntax::language::ModuleUnit;
use peelback_code::syntax::{ExportKind, Facts, ImportKind, Tier};
use peelback_code::{AnalysedFile, Completeness, Neighbour};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;

use super::facts::{FileProfile, incomplete_dependents_reasons};
use crate::context::CallContext;
use crate::import_list::ImportList;
use crate::message::Message;
use crate::page::{EscapedToOneLine, MarkedText};
use crate::rows::ImportRow;
use crate::shorten::list_within;

/// The fewest tokens that each line of relations may take.
const MIN_LINE_TOKENS: usize = 24;

impl FileProfile {
    /// Writes the imports and exports, each in at most a tenth of `max_tokens` tokens, and the files that the file depends on
    /// and that depend on it, each list in at most an eighth. If the rows of the profile name the exports, a short header
    /// only counts them.
    pub(super) fn write_relations(
        &self,
        max_tokens: usize,
        is_short: bool,
        context: &CallContext,
        page: &mut MarkedText,
    ) {
        self.write_imports_and_exports((max_tokens / 10).max(MIN_LINE_TOKENS), is_short, page);
        self.write_neighbours(max_tokens, context, page);
    }

    fn write_imports_and_exports(&self, max_tokens: usize, is_short: bool, page: &mut MarkedText) {
        let AnalysedFile { facts, evidence, language, .. } = &self.analysed;
        // Of a language without full analysis, an empty list says nothing.
        let none = match (language.map(|language| language.tier), evidence.completeness) {
            (Some(Tier::Complete), Completeness::Complete) => "none",
            (Some(Tier::Complete), _) => "none found",
            _ => "",
        };
        let imports: Vec<ImportRow> = facts.imports.iter().map(ImportRow::from).collect();
        match ImportList::new(&imports).text_within(max_tokens, usize::MAX) {
            Some(imports) => _ = writeln!(page, "{imports}"),
            None if none.is_empty() => {}
            None => _ = writeln!(page, "imports: {none}"),
        }
        let names = exported_names(facts);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names.as_slice() {
            [] if none.is_empty() => {}
            [] => _ = writeln!(page, "exports: {none}"),
            [_, _, _, ..] if is_short && self.are_names_of_all_top_level_symbols(&names) => {
                _ = writeln!(page, "exports: all {} top-level symbols below", names.len());
            }
            names => {
                let _ = writeln!(page, "{}", EscapedToOneLine(list_within("exports: ", names, ", ", "", max_tokens)));
            }
        }
    }

    /// Whether these are the names of the file's top-level symbols, no more and no less.
    fn are_names_of_all_top_level_symbols(&self, names: &[&str]) -> bool {
        let symbols: HashSet<&str> = self.analysed.facts.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
        symbols.len() == names.len() && names.iter().all(|name| symbols.contains(name))
    }

    /// Writes the files that the file depends on and that depend on it, as many of each as fit an eighth of `max_tokens`
    /// tokens.
    pub(super) fn write_neighbours(&self, max_tokens: usize, context: &CallContext, page: &mut MarkedText) {
        let Some(relations) = self.dependencies_if_imports_followed() else {
            if self.analysed.language.is_some_and(|language| language.tier != Tier::Document) {
                page.push_str("imports and usage of this language are not resolved\n");
            }
            return;
        };
        let max_tokens = (max_tokens / 8).max(MIN_LINE_TOKENS);
        let paths = |ends: &[Neighbour]| {
            let paths: Vec<&str> = ends.iter().map(|end| end.path.as_str()).collect();
            list_within("", &paths, ", ", "", max_tokens)
        };
        // An import names a whole package, so that what is said of users holds for each of its files.
        let is_per_package = self.is_in_language_of_packages();
        let (beyond, subject) = match is_per_package {
            true => (" beyond its package", "its package is used by"),
            false => ("", "used by"),
        };
        let _ = match relations.outgoing.len() {
            0 => writeln!(page, "depends on: no file of the project{beyond}"),
            count => writeln!(page, "depends on {count}: {}", EscapedToOneLine(paths(&relations.outgoing))),
        };
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        let at_least = if is_whole { "" } else { "at least " };
        let _ = match relations.incoming.len() {
            0 if is_whole => writeln!(page, "{subject}: no file of the project{beyond}"),
            0 => writeln!(page, "{subject}: none found so far"),
            count => writeln!(page, "{subject} {at_least}{count}: {}", EscapedToOneLine(paths(&relations.incoming))),
        };
        if !is_whole {
            let why = incomplete_dependents_reasons(relations).next();
            let why = why.map_or(String::new(), |why| truncate_chars_and_add_ellipsis(&why, 120).into_owned());
            let message = match relations.is_search_unfinished {
                true => Message::from(format!("not all users: {why}; to find them: "))
                    .with_call(self.dependents_call(context)),
                // Another search would find no more.
                false => Message::from(format!("perhaps not all users: {why}")),
            };
            message.write_to_page(context, page);
            page.push('\n');
        }
    }

    /// Whether imports of the file's language name folders, which are its packages.
    pub(super) fn is_in_language_of_packages(&self) -> bool {
        self.analysed.language.is_some_and(|language| language.module_unit == ModuleUnit::Folder)
    }
}

/// The names that a file exports, each once, then the modules of which it exports everything.
fn exported_names(facts: &Facts) -> Vec<String> {
    let is_star = |kind: ExportKind, name: &str| kind == ExportKind::All && name == "*";
    let mut seen = HashSet::new();
    let named = facts.exports.iter().filter(|export| !is_star(export.kind, &export.name));
    let mut names: Vec<String> =
        named.filter(|export| seen.insert(export.name.as_str())).map(|export| export.name.clone()).collect();
    let stars: Vec<u32> =
        facts.exports.iter().filter(|export| is_star(export.kind, &export.name)).map(|export| export.line).collect();
    let mut modules: Vec<&str> = Vec::new();
    for line in &stars {
        let globs = facts.imports.iter().filter(|import| import.kind == ImportKind::Glob);
        let on_line = globs.filter(|import| (import.lines.first..=import.lines.last).contains(line));
        let source = on_line.map(|import| import.source.as_str()).find(|source| !modules.contains(source));
        modules.extend(source);
    }
    match (stars.len(), modules.as_slice()) {
        (0, _) => {}
        (1, []) => names.push("*".to_owned()),
        (count, []) => names.push(format!("* ({count} times)")),
        (count, modules) => {
            let others = if modules.len() < count { " and others" } else { "" };
            names.push(format!("* of {}{others}", modules.join(" and ")));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use peelback_code::syntax::{Limits, analyse_source, language};

    use super::exported_names;

    fn exported(language: &str, source: &str) -> Vec<String> {
        let language = language::language_by_exact_name(language).expect("a language");
        exported_names(&analyse_source(language, source, &Limits::default()))
    }

    #[test]
    fn what_is_exported_is_named_once() {
        let source = "pub(crate) mod dap;\npub use dap::*;\npub use lsp::*;\npub use a::{b, b as c};\npub fn d() {}\n";
        assert_eq!(exported("rust", source), ["b", "c", "d", "* of dap and lsp"]);
        assert_eq!(exported("javascript", "export * from './a';\nexport const b = 1;\n"), ["b", "* of ./a"]);
        let common = "function Reply () {}\nmodule.exports = Reply\nmodule.exports.build = build\n";
        assert_eq!(exported("javascript", common), ["Reply", "build"]);
        assert_eq!(exported("javascript", "module.exports = function handle () {}\n"), ["handle"]);
        assert_eq!(exported("javascript", "module.exports = make()\n"), ["exports"]);
    }
}
