//! From a text to its facts and names: the parse, and what reads the tree.

use tree_sitter::Tree;
use tree_sitter_language::LanguageFn;

use crate::damage;
use crate::facts::{Coverage, Facts, Lines, NotParsed};
use crate::frontend::Frontend;
use crate::names::{Names, NamesBuilder, identifiers};
use crate::parse::{Limits, included_ranges, parse};
use crate::spec::{Analysis, Embedded, Language};
use crate::tags::{self, Tags};
use crate::walk;

/// A tree, the text that was parsed, and what reads the tree.
struct ParsedText {
    tree: Tree,
    reader: TreeReader,
    /// The text that was parsed in place of the source, where the grammar cannot read the source as written.
    prepared: Option<String>,
}

/// What turns a tree into facts.
enum TreeReader {
    Frontend(&'static dyn Frontend, LanguageFn),
    Tags(&'static Tags),
}

/// The facts of `source`, read as `language`. Never fails; [`Facts::coverage`] says what was not understood.
pub fn analyse(language: &'static Language, source: &str, limits: &Limits) -> Facts {
    if source.len() > limits.max_bytes {
        return Facts::not_parsed(NotParsed::TooLarge);
    }
    if let Analysis::Reader(read) = language.analysis {
        return read.map_or_else(|| Facts::not_parsed(NotParsed::NoGrammar), |read| read(source));
    }
    let ParsedText { tree, reader, prepared } = match parse_text(&language.analysis, source, limits) {
        Ok(Some(parsed)) => parsed,
        Ok(None) => return Facts::empty(),
        Err(reason) => return Facts::not_parsed(reason),
    };
    match reader {
        TreeReader::Frontend(frontend, grammar) => {
            let mut facts = walk::facts(&tree, source, frontend, grammar);
            if let Some(prepared) = prepared {
                facts.coverage.add(blanked_lines(source, &prepared));
            }
            facts
        }
        TreeReader::Tags(tags) => tags::facts(&tree, source, tags),
    }
}

/// What the names of `source` mean, as far as the text alone shows.
///
/// # Errors
/// Why the text was not parsed. A document has no names: [`NotParsed::UnknownLanguage`].
pub fn names(language: &'static Language, source: &str, limits: &Limits) -> Result<Names, NotParsed> {
    if language.is_document() {
        return Err(NotParsed::UnknownLanguage);
    }
    if source.len() > limits.max_bytes {
        return Err(NotParsed::TooLarge);
    }
    let mut builder = NamesBuilder::new(source);
    let Some(ParsedText { tree, reader, .. }) = parse_text(&language.analysis, source, limits)? else {
        return Ok(builder.finish());
    };
    let is_bound = match reader {
        TreeReader::Frontend(frontend, _) => frontend.bind(tree.root_node(), &mut builder),
        TreeReader::Tags(_) => false,
    };
    if !is_bound {
        identifiers(&tree, &mut builder);
    }
    let mut names = builder.finish();
    if tree.root_node().has_error() {
        names.missed.extend(damage::broken_regions(&tree).into_iter().map(|lines| (lines.first, lines.last)));
        names.missed.sort_unstable();
    }
    Ok(names)
}

/// Parses and drops the tree: the least work that benchmarks compare the analysis with. Returns whether the parse
/// finished.
pub fn parse_only(language: &'static Language, source: &str, limits: &Limits) -> bool {
    match language.analysis {
        _ if source.len() > limits.max_bytes => false,
        Analysis::Reader(_) => !matches!(analyse(language, source, limits).coverage, Coverage::NotParsed(_)),
        _ => parse_text(&language.analysis, source, limits).is_ok(),
    }
}

/// Parses `source`. `Ok(None)`: markup without a script, which defines nothing.
fn parse_text(analysis: &Analysis, source: &str, limits: &Limits) -> Result<Option<ParsedText>, NotParsed> {
    match *analysis {
        Analysis::Reader(_) => Err(NotParsed::UnknownLanguage),
        Analysis::Frontend { grammar, frontend } => {
            let grammar = grammar.ok_or(NotParsed::NoGrammar)?;
            let prepared = frontend.prepare(source);
            let text = prepared.as_deref().unwrap_or(source);
            let tree = parse(grammar, text, &[], limits).ok_or(NotParsed::Deadline)?;
            Ok(Some(ParsedText { tree, reader: TreeReader::Frontend(frontend, grammar), prepared }))
        }
        Analysis::Tags(tags) => {
            let grammar = tags.grammar.ok_or(NotParsed::NoGrammar)?;
            let prepared = tags.prepare(source);
            let text = prepared.as_deref().unwrap_or(source);
            let tree = parse(grammar, text, &[], limits).ok_or(NotParsed::Deadline)?;
            let tree = tags.repaired(tree, text, |text| parse(grammar, text, &[], limits));
            Ok(Some(ParsedText { tree, reader: TreeReader::Tags(tags), prepared }))
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
            let included = included_ranges(source, &ranges);
            let tree = parse(grammar, source, &included, limits).ok_or(NotParsed::Deadline)?;
            Ok(Some(ParsedText { tree, reader: TreeReader::Frontend(frontend, grammar), prepared: None }))
        }
    }
}

/// The runs of lines whose code was blanked before the parse: the other branches of an `#if`, say.
fn blanked_lines(source: &str, prepared: &str) -> Vec<Lines> {
    let mut runs: Vec<Lines> = Vec::new();
    for (line, (before, after)) in (1..).zip(source.lines().zip(prepared.lines())) {
        let code = before.trim();
        // A macro alone on its line has no code to miss.
        let holds_code = !code.starts_with('#') && code.contains([';', '{', '}', ':']);
        if !(holds_code && after.trim().is_empty()) {
            continue;
        }
        match runs.last_mut().filter(|run| run.last + 1 == line) {
            Some(run) => run.last = line,
            None => runs.push(Lines { first: line, last: line }),
        }
    }
    runs
}
