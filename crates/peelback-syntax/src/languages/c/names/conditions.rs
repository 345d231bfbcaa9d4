//! Conditional code: the macros that must be defined for a region between `#ifdef NAME` and `#endif` to be compiled.

use std::collections::BTreeSet;

use crate::languages::c::repair::ConditionalRegion;
use crate::names::{BindingKind, Condition, NameId, NamesBuilder};

/// The condition of `#if 0`. Code under it is never compiled, as if it required a macro `0`, which cannot be defined.
const ALWAYS_FALSE_CONDITION: &str = "0";

/// Limit on the length of a preprocessor condition, in bytes. A longer condition counts as one that requires no macros.
const MAX_CONDITION_LEN: usize = 2_000;

/// Records the regions that are compiled only if macros are defined which the file does not define itself. Macro names
/// that begin with `_` are ignored, because compilers define them for their target.
pub(super) fn record_regions_requiring_macros(parts: &[ConditionalRegion], builder: &mut NamesBuilder<'_>) {
    if parts.is_empty() {
        return;
    }
    let macros = builder.names.bindings.iter().filter(|binding| binding.kind == BindingKind::Macro);
    let macros_of_file: BTreeSet<NameId> = macros.map(|binding| binding.name).collect();
    let source = builder.source;
    let newlines: Vec<usize> = memchr::memchr_iter(b'\n', source.as_bytes()).collect();
    let line = |at: usize| u32::try_from(newlines.partition_point(|newline| *newline < at) + 1).unwrap_or(u32::MAX);
    let mut found: Vec<Condition> = Vec::new();
    for part in parts {
        let lines = (line(part.directive.end) + 1, line(part.end) - 1);
        if lines.0 > lines.1 {
            continue;
        }
        let directive = directive_on_one_line_without_comments(source.get(part.directive.clone()).unwrap_or(""));
        for name in macros_required_by_directive(&directive) {
            let macro_name = builder.intern_constructed_text(name);
            if !name.starts_with('_') && !macros_of_file.contains(&macro_name) {
                found.push(Condition { lines, name: macro_name });
            }
        }
    }
    found.sort_unstable_by_key(|condition| (condition.lines, condition.name));
    builder.names.conditions = found;
}

/// The text of a preprocessor directive on one line, without its comments.
fn directive_on_one_line_without_comments(directive: &str) -> String {
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

/// The macros that must be defined so that the region after a preprocessor directive is compiled.
fn macros_required_by_directive(directive: &str) -> Vec<&str> {
    let text = directive.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    let (word, condition) = text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let mut names = Vec::new();
    if condition.len() > MAX_CONDITION_LEN {
        return names;
    }
    match word {
        "ifdef" | "elifdef" => names.extend(names_and_numbers_in_text(condition).next()),
        "if" | "elif" => collect_macros_required_by_condition(condition, &mut names),
        _ => {}
    }
    names
}

/// Collects the macros that must be defined for a preprocessor condition to hold. `a && b` requires the macros of both
/// operands. Alternatives, negations and comparisons count as requiring none.
fn collect_macros_required_by_condition<'s>(condition: &'s str, names: &mut Vec<&'s str>) {
    let mut waiting = vec![condition];
    while let Some(condition) = waiting.pop() {
        let operands = split_conjunction_or_collect_macro(condition, names);
        waiting.extend(operands.into_iter().rev());
    }
}

/// The operands of the condition `a && b`. Of any other condition, adds the macro that it requires to `names`, and
/// returns nothing.
fn split_conjunction_or_collect_macro<'s>(condition: &'s str, names: &mut Vec<&'s str>) -> Vec<&'s str> {
    let mut condition = condition.trim();
    while let Some(inner) = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))
        && has_no_unopened_parenthesis(inner)
    {
        condition = inner.trim();
    }
    if split_condition_outside_parentheses(condition, "||").nth(1).is_some()
        || split_condition_outside_parentheses(condition, "?").nth(1).is_some()
    {
        return Vec::new();
    }
    if split_condition_outside_parentheses(condition, "&&").nth(1).is_some() {
        return split_condition_outside_parentheses(condition, "&&").collect();
    }
    let is_plain = condition.chars().all(|c| c.is_alphanumeric() || "_ \t()".contains(c));
    let mut words = names_and_numbers_in_text(condition);
    names.extend(match (is_plain, words.next(), words.next(), words.next()) {
        (true, Some("defined"), Some(name), None) => Some(name),
        (true, Some(name), None, None) => Some(name).filter(|name| {
            *name == ALWAYS_FALSE_CONDITION || name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        }),
        _ => None,
    });
    Vec::new()
}

/// Splits a preprocessor condition at each `operator` that is outside parentheses.
fn split_condition_outside_parentheses<'s>(
    condition: &'s str,
    operator: &'static str,
) -> impl Iterator<Item = &'s str> {
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

/// Whether every closing parenthesis in `text` has an opening one before it.
fn has_no_unopened_parenthesis(text: &str) -> bool {
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

/// The names and numbers in a preprocessor condition.
fn names_and_numbers_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
