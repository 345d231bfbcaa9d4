//! Parsing of source text into syntax trees, with limits on the size of the text, on processor time and on memory.
//!
//! The limit on memory is in the parser itself, which the build script compiles with it (`build/parser.rs`); it asks
//! [`memory`] for more.

mod memory;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use tree_sitter::{ParseOptions, ParseState, Parser, Point, Range, Tree};
use tree_sitter_language::LanguageFn;

use crate::facts::NotParsed;
use crate::grammar::Grammar;

pub(crate) use memory::AnalysisMemory;
use memory::NoMemory;

/// The position with which the parser asks whether its parse is the first of an analysis: `PEELBACK_IS_FIRST_PARSE` of
/// `build/parser/bounds.h`.
const IS_FIRST_PARSE: usize = MORE_MEMORY - 1;

/// The position with which the parser asks for more memory: `PEELBACK_MORE_MEMORY` of `build/parser/bounds.h`.
const MORE_MEMORY: usize = u32::MAX as usize;

/// The limits on the parse of one text: its size, the processor time, and the end of the work that it belongs to.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The limit on the size, in bytes, of a text that is parsed. Default: 4 MB.
    pub max_bytes: usize,
    /// The fixed part of the time limit of a parse; `per_byte` is added for each byte of the text.
    pub base: Duration,
    /// The part of the time limit of a parse that grows with the text: the time for each byte, in addition to `base`.
    pub per_byte: Duration,
    /// Ends a parse that is running. Default: never.
    pub stop: StopSignal,
}

/// Tells a parse that is running whether it must end because the work that it belongs to does.
#[derive(Clone, Default)]
pub struct StopSignal(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopSignal {
    /// A signal that never comes.
    pub const NEVER: Self = Self(None);

    /// A signal to end as soon as `must_stop` returns true. It is asked many thousand times a second.
    pub fn new(must_stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(must_stop)))
    }

    /// Whether the work must end.
    pub fn must_stop(&self) -> bool {
        self.0.as_ref().is_some_and(|must_stop| must_stop())
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StopSignal").field(&self.0.is_some()).finish()
    }
}

impl Default for Limits {
    /// The default limits. Ordinary source parses at 3 to 6 MB/s on a loaded core, which is 0.3 µs a byte; the time
    /// limit is twice that, plus a quarter of a second.
    fn default() -> Self {
        Self {
            max_bytes: 4_000_000,
            base: Duration::from_millis(250),
            per_byte: Duration::from_nanos(600),
            stop: StopSignal::NEVER,
        }
    }
}

thread_local! {
    /// A cache of parsers, one for each grammar and thread: setting the language of a new parser costs more than
    /// parsing a small file.
    static PARSERS: RefCell<HashMap<usize, Parser>> = RefCell::new(HashMap::new());
}

/// The processor time that the current thread has used since `start`; the longest duration where the system cannot
/// measure processor time.
fn thread_cpu_time_since(start: &ThreadTime) -> Duration {
    ThreadTime::try_now().map_or(Duration::MAX, |now| now.duration_since(*start))
}

/// Parses a text into a syntax tree. With `included` ranges, only the text in the ranges is parsed, and nodes keep their
/// offsets in the whole text.
///
/// # Errors
/// [`NotParsed::Deadline`] where the parse exceeds the time of `limits`, [`NotParsed::Memory`] where it exceeds the
/// memory that the parser may hold.
pub(crate) fn parse_source(
    grammar: impl Into<Grammar>,
    source: &str,
    included: &[Range],
    limits: &Limits,
) -> Result<Tree, NotParsed> {
    parse_until_stopped(grammar.into(), source, included, limits, |_| true)
}

/// Parses a range of a text separately; the result is `Ok(None)` where the range has a syntax error, which ends the
/// parse. Nodes keep their offsets in the whole text.
///
/// The parse belongs to an analysis that is going on: it has its memory, and ends when that must.
pub(crate) fn parse_fragment(grammar: LanguageFn, source: &str, range: Range) -> Result<Option<Tree>, NotParsed> {
    let broken = Cell::new(false);
    let should_continue = |state: &ParseState| {
        broken.set(state.has_error());
        !broken.get()
    };
    match parse_until_stopped(grammar.into(), source, &[range], &Limits::default(), should_continue) {
        Ok(tree) => Ok((!tree.root_node().has_error()).then_some(tree)),
        Err(_) if broken.get() => Ok(None),
        Err(reason) => Err(reason),
    }
}

fn parse_until_stopped(
    grammar: Grammar,
    source: &str,
    included: &[Range],
    limits: &Limits,
    should_continue: impl Fn(&ParseState) -> bool,
) -> Result<Tree, NotParsed> {
    let key = grammar.key();
    let time_limit = limits.base + limits.per_byte * u32::try_from(source.len()).unwrap_or(u32::MAX);
    let started = Instant::now();
    let start_thread_time = ThreadTime::try_now();
    // The limit applies to the processor time of this thread, so that a busy machine does not change an answer. The
    // wall clock is checked first because reading it is cheaper and it never runs behind the processor time.
    let is_late = || {
        started.elapsed() > time_limit
            && start_thread_time.as_ref().map_or(true, |worked| thread_cpu_time_since(worked) > time_limit)
    };
    // What the parse ends with if the callback ends it.
    let stopped = Cell::new(None);
    let _memory = AnalysisMemory::new(&limits.stop);
    let parse = |parser: &mut Parser| {
        if parser.language().is_none() {
            parser.set_language(&grammar.into()).ok()?;
        }
        parser.set_included_ranges(included).ok()?;
        let bytes = source.as_bytes();
        let mut read = |offset: usize, _: Point| bytes.get(offset..).unwrap_or(&[]);
        let mut progress = |state: &ParseState| {
            match state.current_byte_offset() {
                IS_FIRST_PARSE => {
                    return if memory::mark_parse_begun_and_was_first() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    };
                }
                MORE_MEMORY => stopped.set(memory::wait_for_parser_memory_grant().err().map(|reason| match reason {
                    NoMemory::Stopped => NotParsed::Deadline,
                    NoMemory::Hangs => NotParsed::Memory,
                })),
                _ if is_late() || memory::must_stop() || !should_continue(state) => {
                    stopped.set(Some(NotParsed::Deadline));
                }
                _ => {}
            }
            if stopped.get().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        parser.parse_with_options(&mut read, None, Some(options))
    };
    PARSERS.with_borrow_mut(|parsers| {
        let tree = parse(parsers.entry(key).or_default());
        if tree.is_none() || memory::is_unbounded() {
            // A parser that was stopped holds what it had read, and keeps memory for as much.
            parsers.remove(&key);
        }
        // Nothing but the limits on memory and on the state of a scanner ends a parse that was not stopped here.
        tree.ok_or(stopped.get().unwrap_or(NotParsed::Memory))
    })
}

/// Converts byte ranges of a text, in rising order, to the ranges that the parser takes, which also have rows and
/// columns.
pub(crate) fn parser_ranges_from_byte_ranges(source: &str, ranges: &[std::ops::Range<usize>]) -> Vec<Range> {
    // The ranges are in rising order, so one pass over the text counts all rows.
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
    ranges
        .iter()
        .map(|range| {
            let (start_point, end_point) = (point(range.start), point(range.end));
            Range { start_byte: range.start, end_byte: range.end, start_point, end_point }
        })
        .collect()
}
