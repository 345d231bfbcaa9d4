//! Parsing inside limits, and the way from a text to its facts.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Range, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::{Facts, Lines, NotParsed};
use crate::language::{Analysis, Embedded, Language, Tier};
use crate::names::{Names, NamesBuilder, identifiers};
use crate::{tags, walk};

/// Bounds on one parse.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Texts over this many bytes are not parsed. Default: 4 MB.
    pub max_bytes: usize,
    /// The parse may take this long, and `per_byte` for each byte.
    pub base: Duration,
    /// Time granted for each byte on top of `base`.
    pub per_byte: Duration,
}

impl Default for Limits {
    /// Ordinary source parses at 3 to 6 MB/s on a loaded core, 0.3 µs a byte: twice that is granted, on top of
    /// a quarter of a second.
    fn default() -> Self {
        Self { max_bytes: 4_000_000, base: Duration::from_millis(250), per_byte: Duration::from_nanos(600) }
    }
}

thread_local! {
    /// One parser for each grammar and thread: setting a language up costs more than parsing a small file.
    static PARSERS: RefCell<HashMap<usize, Parser>> = RefCell::new(HashMap::new());
}

/// The facts of `source`, read as `language`. Never fails; [`Facts::coverage`] says what was not understood.
pub fn analyse(language: &'static Language, source: &str, limits: &Limits) -> Facts {
    if source.len() > limits.max_bytes {
        return Facts::not_parsed(NotParsed::TooLarge);
    }
    match &language.analysis {
        Analysis::Reader(read) => read(source),
        Analysis::Frontend { grammar, frontend } => {
            let prepared = frontend.prepare(source);
            match parse(*grammar, prepared.as_deref().unwrap_or(source), &[], limits) {
                Some(tree) => {
                    let mut facts = walk::facts(&tree, source, *frontend, *grammar);
                    if let Some(prepared) = prepared {
                        facts.coverage.add(unread(source, &prepared));
                    }
                    facts
                }
                None => Facts::not_parsed(NotParsed::Deadline),
            }
        }
        Analysis::Tags(tags) => {
            let prepared = tags.prepare(source);
            let text = prepared.as_deref().unwrap_or(source);
            match parse(tags.grammar, text, &[], limits) {
                Some(tree) => {
                    let tree = tags.repaired(tree, text, |text| parse(tags.grammar, text, &[], limits));
                    tags::facts(&tree, source, tags)
                }
                None => Facts::not_parsed(NotParsed::Deadline),
            }
        }
        Analysis::Embedded(find) => {
            let Embedded { language, ranges: scripts } = find(source);
            let Analysis::Frontend { grammar, frontend } = &language.analysis else {
                return Facts::not_parsed(NotParsed::UnknownLanguage);
            };
            if scripts.is_empty() {
                return walk_nothing();
            }
            match parse(*grammar, source, &ranges(source, &scripts), limits) {
                Some(tree) => walk::facts(&tree, source, *frontend, *grammar),
                None => Facts::not_parsed(NotParsed::Deadline),
            }
        }
    }
}

/// What the names of `source` mean, as far as its own text tells.
///
/// # Errors
/// Why the text was not parsed. A document has no names: [`NotParsed::UnknownLanguage`].
pub fn names(language: &'static Language, source: &str, limits: &Limits) -> Result<Names, NotParsed> {
    if language.tier == Tier::Document {
        return Err(NotParsed::UnknownLanguage);
    }
    if source.len() > limits.max_bytes {
        return Err(NotParsed::TooLarge);
    }
    let (tree, frontend) = match &language.analysis {
        Analysis::Reader(_) => return Err(NotParsed::UnknownLanguage),
        Analysis::Frontend { grammar, frontend } => {
            let prepared = frontend.prepare(source);
            (parse(*grammar, prepared.as_deref().unwrap_or(source), &[], limits), Some(*frontend))
        }
        Analysis::Tags(tags) => {
            let prepared = tags.prepare(source);
            let text = prepared.as_deref().unwrap_or(source);
            let tree = parse(tags.grammar, text, &[], limits);
            (tree.map(|tree| tags.repaired(tree, text, |text| parse(tags.grammar, text, &[], limits))), None)
        }
        Analysis::Embedded(find) => {
            let Embedded { language, ranges: scripts } = find(source);
            let Analysis::Frontend { grammar, frontend } = &language.analysis else {
                return Err(NotParsed::UnknownLanguage);
            };
            if scripts.is_empty() {
                return Ok(NamesBuilder::new(source).finish());
            }
            (parse(*grammar, source, &ranges(source, &scripts), limits), Some(*frontend))
        }
    };
    let tree = tree.ok_or(NotParsed::Deadline)?;
    let mut builder = NamesBuilder::new(source);
    if !frontend.is_some_and(|frontend| frontend.bind(tree.root_node(), &mut builder)) {
        identifiers(&tree, &mut builder);
    }
    let mut names = builder.finish();
    if tree.root_node().has_error() {
        names.missed.extend(walk::broken_regions(&tree).into_iter().map(|lines| (lines.first, lines.last)));
        names.missed.sort_unstable();
    }
    Ok(names)
}

/// The runs of lines whose code was blanked before the parse: the other branches of an `#if`, say.
fn unread(source: &str, prepared: &str) -> Vec<Lines> {
    let mut runs: Vec<Lines> = Vec::new();
    for (line, (before, after)) in (1..).zip(source.lines().zip(prepared.lines())) {
        let code = before.trim();
        // A macro alone on its line says nothing that is missed.
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

/// Parses and drops the tree: the floor that benchmarks hold the rest against. Says whether a tree came of it.
pub fn parse_only(language: &'static Language, source: &str, limits: &Limits) -> bool {
    if source.len() > limits.max_bytes {
        return false;
    }
    match &language.analysis {
        Analysis::Frontend { grammar, frontend } => {
            let prepared = frontend.prepare(source);
            parse(*grammar, prepared.as_deref().unwrap_or(source), &[], limits).is_some()
        }
        Analysis::Tags(tags) => {
            let prepared = tags.prepare(source);
            parse(tags.grammar, prepared.as_deref().unwrap_or(source), &[], limits).is_some()
        }
        Analysis::Reader(_) | Analysis::Embedded(_) => {
            analyse(language, source, limits);
            true
        }
    }
}

/// Markup without a script: read whole, and nothing defined.
fn walk_nothing() -> Facts {
    Facts {
        symbols: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
        folds: Vec::new(),
        coverage: crate::facts::Coverage::Whole,
    }
}

/// The time that this thread has worked since `start`; for ever where the system does not tell any more.
fn spent(start: &ThreadTime) -> Duration {
    ThreadTime::try_now().map_or(Duration::MAX, |now| now.duration_since(*start))
}

fn parse(grammar: LanguageFn, source: &str, included: &[Range], limits: &Limits) -> Option<Tree> {
    parse_while(grammar, source, included, limits, |_| true)
}

/// The tree of a part of a text by itself; `None` where it has an error, which ends the parse. The nodes stand where they
/// stand in the whole text.
pub(crate) fn parse_fragment(grammar: LanguageFn, source: &str, range: Range) -> Result<Option<Tree>, NotParsed> {
    let broken = Cell::new(false);
    let goes_on = |state: &ParseState| {
        broken.set(state.has_error());
        !broken.get()
    };
    match parse_while(grammar, source, &[range], &Limits::default(), goes_on) {
        Some(tree) => Ok((!tree.root_node().has_error()).then_some(tree)),
        None if broken.get() => Ok(None),
        None => Err(NotParsed::Deadline),
    }
}

fn parse_while(
    grammar: LanguageFn,
    source: &str,
    included: &[Range],
    limits: &Limits,
    goes_on: impl Fn(&ParseState) -> bool,
) -> Option<Tree> {
    let key = grammar.into_raw() as usize;
    let allowed = limits.base + limits.per_byte * u32::try_from(source.len()).unwrap_or(u32::MAX);
    let started = Instant::now();
    let worked = ThreadTime::try_now();
    // What counts is the time that this thread had: a busy machine must not change an answer. The clock on the wall is
    // the cheaper one to ask, and the first to run out.
    let late = || started.elapsed() > allowed && worked.as_ref().map_or(true, |worked| spent(worked) > allowed);
    PARSERS.with_borrow_mut(|parsers| {
        let parser = parsers.entry(key).or_default();
        if parser.language().is_none() {
            parser.set_language(&grammar.into()).ok()?;
        }
        parser.set_included_ranges(included).ok()?;
        let bytes = source.as_bytes();
        let mut read = |offset: usize, _: Point| bytes.get(offset..).unwrap_or(&[]);
        let mut progress = |state: &ParseState| match late() || !goes_on(state) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

fn ranges(source: &str, parts: &[std::ops::Range<usize>]) -> Vec<Range> {
    // Parts come in rising order: the text is counted through once.
    let (mut reached, mut row, mut line_start) = (0, 0, 0);
    let mut point = |byte: usize| {
        let between = source.as_bytes().get(reached..byte).unwrap_or(&[]);
        row += memchr::memchr_iter(b'\n', between).count();
        if let Some(newline) = memchr::memrchr(b'\n', between) {
            line_start = reached + newline + 1;
        }
        reached = byte;
        Point::new(row, byte.saturating_sub(line_start))
    };
    parts
        .iter()
        .map(|part| {
            let (start_point, end_point) = (point(part.start), point(part.end));
            Range { start_byte: part.start, end_byte: part.end, start_point, end_point }
        })
        .collect()
}
