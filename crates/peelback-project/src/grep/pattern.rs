//! Patterns of a text search, and the limits within which lines are searched for them.

use std::convert::Infallible;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use peelback_syntax::stack::run_with_stack_for_bounded_recursion;
use regex_syntax::ast::{self, Ast, ClassSetItem};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::messages::GrepQuery;
use crate::error::CodeError;

/// The limit on a line where one file is searched at a time.
pub(super) const MAX_SEARCHED_LINE_BYTES: usize = 64 << 20;

/// The limit on the memory of a compiled pattern, and on that of the states which each thread keeps for it.
const MAX_PATTERN_BYTES: usize = 10 << 20;

/// The limit on the classes in a pattern, with the ranges in its brackets.
pub const MAX_PATTERN_CLASSES: usize = 1_000;

/// The limit on the bytes of a line times the characters that a pattern compares with each of them in the worst case. A
/// line is searched without a look at the deadline.
const MAX_COMPARISONS_PER_LINE: usize = 100_000_000;

/// The limit on a line for patterns that compare very many characters.
const MIN_LINE_BYTES_LIMIT: usize = 1 << 10;
/// A pattern that is searched for in lines.
pub(super) struct LinePattern {
    pub(super) matcher: RegexMatcher,
    /// The limit on lines that can be searched in a bounded time.
    pub(super) max_line_bytes: usize,
}

impl LinePattern {
    pub(super) fn new(query: &GrepQuery) -> Result<Self, CodeError> {
        if query.fixed_strings {
            return Ok(Self { matcher: build_regex_matcher(query)?, max_line_bytes: MAX_SEARCHED_LINE_BYTES });
        }
        // The parser and the compiler recurse to their limit on nested groups.
        run_with_stack_for_bounded_recursion(|| {
            let syntax = ast::parse::Parser::new().parse(&query.pattern);
            // What the parser refuses, the matcher refuses with a message for people.
            let max_line_bytes = match &syntax {
                Ok(syntax) => {
                    require_few_classes(query, syntax)?;
                    max_line_bytes_for_pattern(&query.pattern, syntax)
                }
                Err(_) => MIN_LINE_BYTES_LIMIT,
            };
            Ok(Self { matcher: build_regex_matcher(query)?, max_line_bytes })
        })
    }
}

/// Refuses a pattern of very many classes: their tables take tens of kilobytes each before any limit on the compiled
/// pattern counts them.
fn require_few_classes(query: &GrepQuery, syntax: &Ast) -> Result<(), CodeError> {
    let count = ast::visit(syntax, ClassCounter(0)).unwrap_or(usize::MAX);
    if count <= MAX_PATTERN_CLASSES {
        return Ok(());
    }
    Err(CodeError::BadPattern {
        what: "regex",
        pattern: query.pattern.clone(),
        reason: format!(
            "it has {count} classes such as \\w and ranges such as a-z; the limit is {MAX_PATTERN_CLASSES}"
        ),
    })
}

/// Counts the classes in a pattern, and the ranges and classes in its brackets.
struct ClassCounter(usize);

impl ast::Visitor for ClassCounter {
    type Output = usize;
    type Err = Infallible;

    fn finish(self) -> Result<usize, Infallible> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, syntax: &Ast) -> Result<(), Infallible> {
        self.0 += usize::from(matches!(syntax, Ast::ClassUnicode(_) | Ast::ClassPerl(_)));
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        use ClassSetItem::{Ascii, Bracketed, Perl, Range, Unicode};
        // A negated class holds nearly all characters, each with its other cases.
        self.0 += usize::from(matches!(item, Ascii(_) | Bracketed(_) | Perl(_) | Range(_) | Unicode(_)));
        Ok(())
    }
}

fn build_regex_matcher(query: &GrepQuery) -> Result<RegexMatcher, CodeError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(query.ignore_case).word(query.word).line_terminator(Some(b'\n'));
    builder.size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES);
    let built = match query.fixed_strings {
        true => builder.fixed_strings(true).build_many(&[&query.pattern]),
        false => builder.build(&query.pattern),
    };
    built.map_err(|error| CodeError::BadPattern {
        what: "regex",
        pattern: query.pattern.clone(),
        reason: error.to_string(),
    })
}

/// The limit on a line that can be searched for a pattern in a bounded time.
fn max_line_bytes_for_pattern(pattern: &str, syntax: &Ast) -> usize {
    // A line may hold any bytes, so a pattern may match such that are no text.
    let translated = TranslatorBuilder::new().utf8(false).build().translate(pattern, syntax);
    let compared = match translated {
        Ok(pattern) if is_plain_text(&pattern) => 1,
        Ok(pattern) => compared_character_count(&pattern).max(1),
        Err(_) => usize::MAX,
    };
    (MAX_COMPARISONS_PER_LINE / compared).clamp(MIN_LINE_BYTES_LIMIT, MAX_SEARCHED_LINE_BYTES)
}

/// Whether a pattern is a text, or one of several. Searching for such takes no more time for longer ones.
fn is_plain_text(pattern: &Hir) -> bool {
    match pattern.kind() {
        HirKind::Literal(_) => true,
        HirKind::Alternation(parts) => parts.iter().all(|part| matches!(part.kind(), HirKind::Literal(_))),
        _ => false,
    }
}

/// The number of characters in a pattern, those of repetitions as often as they may be repeated: each may be compared
/// with each byte of a line.
fn compared_character_count(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(1);
            compared_character_count(&repetition.sub).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => compared_character_count(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(compared_character_count).fold(0, usize::saturating_add)
        }
    }
}
