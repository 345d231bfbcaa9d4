//! Code that only some builds compile: what stands between `#ifdef NAME` and the end of that.

use std::collections::BTreeSet;

use crate::languages::c::repair::Conditional;
use crate::names::{BindingKind, Condition, NameId, NamesBuilder};

/// `#if 0`: no build compiles it, as if it asked for a macro that nobody can define.
const NEVER: &str = "0";

/// A longer condition, in bytes, is nobody's: it asks for nothing.
const LONGEST: usize = 2_000;

/// Notes the parts of the text that are compiled only where macros are defined that the file does not define itself.
/// Names that begin with `_` are not asked for: compilers define those, each for its own machines.
pub(super) fn note(parts: &[Conditional], builder: &mut NamesBuilder<'_>) {
    if parts.is_empty() {
        return;
    }
    let macros = builder.names.bindings.iter().filter(|binding| binding.kind == BindingKind::Macro);
    let own: BTreeSet<NameId> = macros.map(|binding| binding.name).collect();
    let source = builder.source;
    let newlines: Vec<usize> = memchr::memchr_iter(b'\n', source.as_bytes()).collect();
    let line = |at: usize| u32::try_from(newlines.partition_point(|newline| *newline < at) + 1).unwrap_or(u32::MAX);
    let mut found: Vec<Condition> = Vec::new();
    for part in parts {
        let lines = (line(part.directive.end) + 1, line(part.end) - 1);
        if lines.0 > lines.1 {
            continue;
        }
        let directive = plain(source.get(part.directive.clone()).unwrap_or(""));
        for name in required(&directive) {
            let macro_name = builder.intern_made(name);
            if !name.starts_with('_') && !own.contains(&macro_name) {
                found.push(Condition { lines, name: macro_name });
            }
        }
    }
    found.sort_unstable_by_key(|condition| (condition.lines, condition.name));
    builder.names.conditions = found;
}

/// A directive on one line, without its comments.
fn plain(directive: &str) -> String {
    let mut out = String::with_capacity(directive.len());
    let mut rest = directive;
    while let Some(at) = rest.find(['/', '\\', '\r', '\n']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = if from.starts_with("//") {
            from.len()
        } else if from.starts_with("/*") {
            from.find("*/").map_or(from.len(), |end| end + 2)
        } else {
            1
        };
        out.push(if end == 1 && from.starts_with('/') { '/' } else { ' ' });
        rest = from.get(end..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// The macros that must be defined for what stands behind a directive.
fn required(directive: &str) -> Vec<&str> {
    let text = directive.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    let (word, condition) = text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let mut names = Vec::new();
    if condition.len() > LONGEST {
        return names;
    }
    match word {
        "ifdef" | "elifdef" => names.extend(words(condition).next()),
        "if" | "elif" => all_of(condition, &mut names),
        _ => {}
    }
    names
}

/// The macros that every part of `a && b` asks for; of parts with alternatives, negations and comparisons, none.
fn all_of<'s>(condition: &'s str, names: &mut Vec<&'s str>) {
    let mut condition = condition.trim();
    while let Some(inner) = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && is_balanced(inner)
    {
        condition = inner.trim();
    }
    if parts(condition, "||").nth(1).is_some() || parts(condition, "?").nth(1).is_some() {
        return;
    }
    if parts(condition, "&&").nth(1).is_some() {
        parts(condition, "&&").for_each(|part| all_of(part, names));
        return;
    }
    let is_plain = condition.chars().all(|c| c.is_alphanumeric() || "_ \t()".contains(c));
    let mut words = words(condition);
    names.extend(match (is_plain, words.next(), words.next(), words.next()) {
        (true, Some("defined"), Some(name), None) => Some(name),
        (true, Some(name), None, None) => {
            Some(name).filter(|name| *name == NEVER || name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        }
        _ => None,
    });
}

/// The parts of a condition between operators that stand in no brackets.
fn parts<'s>(condition: &'s str, operator: &'static str) -> impl Iterator<Item = &'s str> {
    let mut depth = 0usize;
    let mut ends: Vec<usize> = Vec::new();
    for (at, byte) in condition.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && condition.get(at..).is_some_and(|rest| rest.starts_with(operator)) => ends.push(at),
            _ => {}
        }
    }
    ends.push(condition.len());
    let mut start = 0;
    ends.into_iter().map(move |end| {
        let part = condition.get(start..end).unwrap_or("");
        start = end + operator.len();
        part
    })
}

/// Whether no bracket is closed that was not opened.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0usize;
    text.bytes().all(|byte| match byte {
        b'(' => {
            depth += 1;
            true
        }
        b')' => {
            let open = depth > 0;
            depth = depth.saturating_sub(1);
            open
        }
        _ => true,
    })
}

/// The names and numbers of a condition.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
