//! Code that only some builds compile: what stands between `#ifdef NAME` and the end of that.

use std::collections::BTreeSet;

use crate::names::{BindingKind, Condition, Cx, NameId};

/// A part of the text that begins with `#if`, `#elif` or `#else`.
struct Part<'s> {
    /// The line after its directive.
    first: u32,
    /// The macros that must be defined for it.
    names: Vec<&'s str>,
}

/// Notes the parts of the text that are compiled only where macros are defined that the file does not define itself.
/// Names that begin with `_` are not asked for: compilers define those, each for its own machines.
pub(super) fn note(cx: &mut Cx<'_>) {
    let macros = cx.names.bindings.iter().filter(|binding| binding.kind == BindingKind::Macro);
    let own: BTreeSet<NameId> = macros.map(|binding| binding.name).collect();
    let mut open: Vec<Part<'_>> = Vec::new();
    let mut found: Vec<(u32, u32, &str)> = Vec::new();
    let source = cx.source;
    let mut lines = (1u32..).zip(source.lines());
    while let Some((line, text)) = lines.next() {
        let Some(directive) = text.trim_start().strip_prefix('#') else { continue };
        let mut last = line;
        let mut logical = vec![code(directive)];
        let mut goes_on = directive.trim_end().ends_with('\\');
        while goes_on && let Some((number, text)) = lines.next() {
            last = number;
            logical.push(code(text));
            goes_on = text.trim_end().ends_with('\\');
        }
        let directive = code(directive).trim_start();
        let word = directive.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        if matches!(word, "elif" | "elifdef" | "elifndef" | "else" | "endif")
            && let Some(part) = open.pop()
            && part.first < line
        {
            found.extend(part.names.iter().map(|name| (part.first, line - 1, *name)));
        }
        let names = match word {
            "ifdef" | "elifdef" => words(directive).nth(1).into_iter().collect(),
            "if" | "elif" => logical.iter().copied().map(required).fold(Some(Vec::new()), joined).unwrap_or_default(),
            "ifndef" | "elifndef" | "else" => Vec::new(),
            _ => continue,
        };
        open.push(Part { first: last + 1, names });
    }
    found.sort_unstable();
    for (first, last, name) in found {
        let macro_name = cx.intern_made(name);
        if !name.starts_with('_') && !own.contains(&macro_name) {
            cx.names.conditions.push(Condition { lines: (first, last), name: macro_name });
        }
    }
}

/// A directive's line up to its comment.
fn code(text: &str) -> &str {
    let end = [text.find("//"), text.find("/*")].into_iter().flatten().min();
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The names and numbers of a directive.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn joined<'s>(all: Option<Vec<&'s str>>, more: Option<Vec<&'s str>>) -> Option<Vec<&'s str>> {
    let (mut all, more) = (all?, more?);
    all.extend(more);
    Some(all)
}

/// The macros that an expression asks to be defined, whatever else; `None` where it has alternatives.
fn required(expression: &str) -> Option<Vec<&str>> {
    if expression.contains("||") || expression.contains('?') {
        return None;
    }
    let mut names = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find("defined") {
        let (before, after) = rest.split_at(at);
        let after = after.strip_prefix("defined").unwrap_or("");
        // `!(defined A && defined B)` asks for nothing either.
        let negated = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(').ends_with('!');
        if !negated {
            names.extend(words(after).next());
        }
        rest = after;
    }
    Some(names)
}
