//! Analyses a source text: parses the text, then reads facts and names from the syntax tree.

use std::collections::HashMap;

use tree_sitter::Tree;
use tree_sitter_language::LanguageFn;

use crate::facts::{Facts, Lines, NotParsed, ParseCoverage};
use crate::frontend::LanguageFrontend;
use crate::names::{Names, NamesBuilder, record_identifiers_outside_comments_and_strings, record_queried_occurrences};
use crate::parse::{AnalysisMemory, Limits, parse_source, parser_ranges_from_byte_ranges};
use crate::spec::{Analysis, Embedded, Language};
use crate::syntax_errors;
use crate::tags::{self, TagsQueryLanguage};
use crate::walk;

/// A parsed source text: its syntax tree, the rewritten text if there is one, and the reader that turns the tree into
/// facts.
struct ParsedText {
    tree: Tree,
    reader: TreeReader,
    /// The rewritten text that was parsed instead of the source, or `None` where the grammar can read the source as
    /// written.
    prepared: Option<String>,
}

/// The code that turns a syntax tree into facts: a language's frontend, or the language's tags query.
enum TreeReader {
    Frontend(&'static dyn LanguageFrontend, LanguageFn),
    TagsQueryLanguage(&'static TagsQueryLanguage),
}

/// Returns the facts of `source`, read as `language`: its symbols, imports, exports and folds. Never fails:
/// [`Facts::coverage`] reports the regions that were not understood.
pub fn analyse_source(language: &'static Language, source: &str, limits: &Limits) -> Facts {
    if source.len() > limits.max_bytes {
        return Facts::new_unparsed(NotParsed::TooLarge);
    }
    if let Analysis::Reader(read) = language.analysis {
        return read.map_or_else(|| Facts::new_unparsed(NotParsed::NoGrammar), |read| read(source));
    }
    // Dropped after the tree.
    let _memory = AnalysisMemory::new(&limits.stop);
    let ParsedText { tree, reader, prepared } = match parse_with_grammar(&language.analysis, source, limits) {
        Ok(Some(parsed)) => parsed,
        Ok(None) => return Facts::empty(),
        Err(reason) => return Facts::new_unparsed(reason),
    };
    match reader {
        TreeReader::Frontend(frontend, grammar) => {
            let mut facts = walk::read_facts_from_tree(&tree, source, frontend, grammar);
            if let Some(prepared) = prepared.filter(|_| frontend.is_left_out_source_code()) {
                facts.coverage.add_uncovered_lines(code_lines_blanked_before_parse(source, &prepared));
            }
            facts
        }
        TreeReader::TagsQueryLanguage(tags) => {
            tags::read_facts_with_tags_query(&tree, source, prepared.as_deref().unwrap_or(source), tags)
        }
    }
}

/// Resolves the names of `source` as far as one file allows: its scopes, bindings, imports and identifiers.
///
/// # Errors
/// The reason why the text was not parsed. A document (Markdown, JSON) has no names: [`NotParsed::UnknownLanguage`].
pub fn bind_names(language: &'static Language, source: &str, limits: &Limits) -> Result<Names, NotParsed> {
    if language.is_document_format() {
        return Err(NotParsed::UnknownLanguage);
    }
    if source.len() > limits.max_bytes {
        return Err(NotParsed::TooLarge);
    }
    let mut builder = NamesBuilder::new(source);
    // Dropped after the tree.
    let _memory = AnalysisMemory::new(&limits.stop);
    let record_names_in_markup = match language.analysis {
        Analysis::Embedded { record_names_in_markup, .. } => record_names_in_markup,
        _ => |_: &mut NamesBuilder<'_>| {},
    };
    let Some(ParsedText { tree, reader, .. }) = parse_with_grammar(&language.analysis, source, limits)? else {
        record_names_in_markup(&mut builder);
        return Ok(builder.into_names());
    };
    let (is_bound, defining_identifiers) = match reader {
        TreeReader::Frontend(frontend, _) => (frontend.bind_names(tree.root_node(), &mut builder), HashMap::new()),
        TreeReader::TagsQueryLanguage(tags) => {
            tags.bind_imports(&tree, &mut builder);
            if tags.bind_names(&tree, &mut builder) {
                (true, HashMap::new())
            } else if let Some(occurrences) = tags.queried_occurrences(&tree, source) {
                record_queried_occurrences(occurrences, &mut builder);
                (true, HashMap::new())
            } else {
                (false, tags.roles_of_defining_identifiers(&tree, source))
            }
        }
    };
    if !is_bound {
        record_identifiers_outside_comments_and_strings(&tree, &defining_identifiers, &mut builder);
    }
    record_names_in_markup(&mut builder);
    let mut names = builder.into_names();
    if tree.root_node().has_error() {
        names.missed.extend(
            syntax_errors::line_ranges_with_syntax_errors(&tree).into_iter().map(|lines| (lines.first, lines.last)),
        );
    }
    names.missed.sort_unstable();
    Ok(names)
}

/// Parses a text, drops the syntax tree and returns whether the parse finished: the baseline with which benchmarks
/// compare the whole analysis.
pub fn does_parse_finish(language: &'static Language, source: &str, limits: &Limits) -> bool {
    match language.analysis {
        _ if source.len() > limits.max_bytes => false,
        Analysis::Reader(_) => {
            !matches!(analyse_source(language, source, limits).coverage, ParseCoverage::NotParsed(_))
        }
        _ => parse_with_grammar(&language.analysis, source, limits).is_ok(),
    }
}

/// Parses `source` with the grammar of `analysis`. Returns `Ok(None)` for markup without a script block, which defines
/// nothing.
fn parse_with_grammar(analysis: &Analysis, source: &str, limits: &Limits) -> Result<Option<ParsedText>, NotParsed> {
    match *analysis {
        Analysis::Reader(_) => Err(NotParsed::UnknownLanguage),
        Analysis::Frontend { grammar, frontend } => {
            let grammar = grammar.ok_or(NotParsed::NoGrammar)?;
            let prepared = frontend.prepare_source(source);
            let text = prepared.as_deref().unwrap_or(source);
            let tree = parse_source(grammar, text, &[], limits)?;
            Ok(Some(ParsedText { tree, reader: TreeReader::Frontend(frontend, grammar), prepared }))
        }
        Analysis::TagsQueryLanguage(tags) => {
            let grammar = tags.grammar.ok_or(NotParsed::NoGrammar)?;
            let prepared = tags.prepare_source(source);
            let text = prepared.as_deref().unwrap_or(source);
            let tree = parse_source(grammar, text, &[], limits)?;
            let tree = tags
                .better_of_original_and_repaired_tree(tree, text, |text| parse_source(grammar, text, &[], limits).ok());
            Ok(Some(ParsedText { tree, reader: TreeReader::TagsQueryLanguage(tags), prepared }))
        }
        Analysis::Embedded { find, .. } => {
            let Embedded { language, ranges } = find(source);
            let Analysis::Frontend { grammar, frontend } = language.analysis else {
                return Err(NotParsed::UnknownLanguage);
            };
            if ranges.is_empty() {
                return Ok(None);
            }
            let grammar = grammar.ok_or(NotParsed::NoGrammar)?;
            let included = parser_ranges_from_byte_ranges(source, &ranges);
            let tree = parse_source(grammar, source, &included, limits)?;
            Ok(Some(ParsedText { tree, reader: TreeReader::Frontend(frontend, grammar), prepared: None }))
        }
    }
}

/// Line ranges whose code was replaced by spaces before the parse, such as the branches of an `#if` that the parser
/// does not read.
fn code_lines_blanked_before_parse(source: &str, prepared: &str) -> Vec<Lines> {
    let mut ranges: Vec<Lines> = Vec::new();
    for (line, (before, after)) in (1..).zip(source.lines().zip(prepared.lines())) {
        let code = before.trim();
        // A macro call alone on its line contains no code that the facts could miss.
        let has_code = !code.starts_with('#') && code.contains([';', '{', '}', ':']);
        if !(has_code && after.trim().is_empty()) {
            continue;
        }
        match ranges.last_mut().filter(|run| run.last + 1 == line) {
            Some(run) => run.last = line,
            None => ranges.push(Lines { first: line, last: line }),
        }
    }
    ranges
}
