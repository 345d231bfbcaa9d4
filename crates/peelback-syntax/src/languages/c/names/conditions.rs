//! Code that only some builds compile: what stands between `#ifdef NAME` and the end of that.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::names::{BindingKind, Condition, Cx, NameId};

/// A part of the text that begins with `#if`, `#elif` or `#else`.
struct Part {
    /// The line after its directive.
    first: u32,
    /// The macros that must be defined for it.
    names: Vec<String>,
}

/// Notes the parts of the text below `root` that are compiled only where macros are defined that the file does not
/// define itself. Names that begin with `_` are not asked for: compilers define those, each for its own machines.
pub(super) fn note(root: Node<'_>, cx: &mut Cx<'_>) {
    let macros = cx.names.bindings.iter().filter(|binding| binding.kind == BindingKind::Macro);
    let own: BTreeSet<NameId> = macros.map(|binding| binding.name).collect();
    let mut open: Vec<Part> = Vec::new();
    let mut found: Vec<(u32, u32, String)> = Vec::new();
    let source = cx.source;
    let mut at = 0;
    let mut lines = (1u32..).zip(source.split_inclusive('\n'));
    while let Some((line, text)) = lines.next() {
        let first_byte = at + text.len() - text.trim_start().len();
        at += text.len();
        let Some(directive) = text.trim_start().strip_prefix('#') else { continue };
        if in_comment(root, first_byte) {
            continue;
        }
        let mut last = line;
        let mut logical = code(directive).to_owned();
        let mut goes_on = directive.trim_end().ends_with('\\');
        while goes_on && let Some((number, text)) = lines.next() {
            last = number;
            at += text.len();
            logical.push(' ');
            logical.push_str(code(text));
            goes_on = text.trim_end().ends_with('\\');
        }
        let directive = code(directive).trim_start();
        let word = directive.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        if matches!(word, "elif" | "elifdef" | "elifndef" | "else" | "endif")
            && let Some(part) = open.pop()
            && part.first < line
        {
            found.extend(part.names.into_iter().map(|name| (part.first, line - 1, name)));
        }
        let names = match word {
            "ifdef" | "elifdef" => words(directive).nth(1).into_iter().map(str::to_owned).collect(),
            "if" | "elif" => required(logical.trim_start().strip_prefix(word).unwrap_or("")),
            "ifndef" | "elifndef" | "else" => Vec::new(),
            _ => continue,
        };
        open.push(Part { first: last + 1, names });
    }
    found.sort_unstable();
    for (first, last, name) in found {
        let macro_name = cx.intern_made(&name);
        if !name.starts_with('_') && !own.contains(&macro_name) {
            cx.names.conditions.push(Condition { lines: (first, last), name: macro_name });
        }
    }
}

/// Whether what stands at a byte is commented out.
fn in_comment(root: Node<'_>, at: usize) -> bool {
    root.descendant_for_byte_range(at, at + 1).is_some_and(|node| node.kind() == "comment")
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

/// The macros that an expression asks to be defined, whatever else; none where it has alternatives.
fn required(expression: &str) -> Vec<String> {
    // `!(defined A && defined B)` asks for nothing either.
    let squeezed: String = expression.split_whitespace().collect();
    if squeezed.contains("||") || squeezed.contains('?') || squeezed.contains("!(") {
        return Vec::new();
    }
    expression.split("&&").filter_map(asked).map(str::to_owned).collect()
}

/// The macro that one condition asks for: `defined NAME`, `defined(NAME)`, or its name alone.
fn asked(condition: &str) -> Option<&str> {
    let is_plain =
        condition.chars().all(|c| c.is_alphanumeric() || c == '_' || c.is_whitespace() || "()\\".contains(c));
    let mut words = words(condition);
    let name = match (is_plain, words.next()?, words.next()) {
        (true, "defined", Some(name)) | (true, name, None) => name,
        _ => return None,
    };
    name.starts_with(|c: char| c.is_alphabetic() || c == '_').then_some(name)
}
