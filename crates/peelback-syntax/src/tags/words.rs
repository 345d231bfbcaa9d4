//! Interpretation of the text of names, modifiers, comments and imports, for all languages whose analysis uses a tags
//! query.

use tree_sitter::Node;

use crate::facts::{Import, ImportKind, Lines, SymbolKind, Visibility};
use crate::text;

/// The words of a language that its tags query cannot express, so they are looked for in the text: modifiers, and the
/// keywords of imports.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary {
    /// Modifier words, each with the visibility that it gives to a definition.
    pub visibility: &'static [(&'static str, Visibility)],
    /// Keywords at the beginning of an import statement, before the name of the imported module.
    pub imports: &'static [&'static str],
}

/// The modifiers `public`, `protected` and `private`, with their meaning in most languages with classes.
pub(crate) const CLASS_VISIBILITY: &[(&str, Visibility)] =
    &[("public", Visibility::Public), ("protected", Visibility::Protected), ("private", Visibility::Private)];

/// The visibility of a definition, from the first word in its modifiers `text` that is one of `words`.
pub(super) fn visibility_from_modifiers(text: &str, words: &[(&str, Visibility)]) -> Visibility {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        rest = rest.get(start..).unwrap_or("");
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after;
        // Swift's `private(set)` restricts only writing, and `internal::` is a namespace: neither is a modifier of
        // visibility.
        if after.starts_with("(set)") || after.starts_with([':', '.']) && !after.starts_with(": ") {
            continue;
        }
        if let Some((_, visibility)) = words.iter().find(|(known, _)| *known == word) {
            return *visibility;
        }
    }
    Visibility::Unknown
}

/// The import kind that the word of a `#set! import` setting names, or `None` for an unknown word.
pub(super) fn import_kind_by_name(word: &str) -> Option<ImportKind> {
    let kinds = [
        ImportKind::Named,
        ImportKind::Namespace,
        ImportKind::Glob,
        ImportKind::SideEffect,
        ImportKind::Require,
        ImportKind::Include,
    ];
    kinds.into_iter().find(|kind| kind.as_str() == word)
}

/// A definition's name without the punctuation around it: the colon of a Ruby symbol, quotes, the `$` of a variable of
/// PowerShell, or the parentheses around an operator. `kind` is the kind of the name's node.
pub(super) fn bare_name<'s>(kind: &str, text: &'s str) -> &'s str {
    let is_operator = kind.ends_with("operator") && !kind.starts_with("parenthesized") || kind == "operator_identifier";
    // An operator may begin with a colon, as `::` of Scala does, and so may a selector of CSS.
    if is_operator || kind == "selectors" {
        return text;
    }
    if let Some(variable) = text.strip_prefix('$').filter(|_| kind == "variable") {
        let variable = variable.trim_matches(['{', '}']);
        return variable.rsplit(':').next().unwrap_or(variable);
    }
    if kind == "function_name" {
        return text.rsplit(':').next().unwrap_or(text);
    }
    let unquoted = text::without_quotes(text.trim_start_matches(':'));
    // An operator in parentheses, as Haskell, OCaml and F# write it where it is a name.
    let inner = unquoted.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
    inner.filter(|inner| !inner.is_empty() && !inner.contains(char::is_alphanumeric)).unwrap_or(unquoted)
}

/// The first line of a text that documents, without quotation marks around it.
pub(super) fn first_line_of_docstring(text: &str) -> Option<String> {
    text.lines()
        .map(|line| line.trim().trim_matches(['"', '\'']).trim())
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

/// Splits a qualified name into its owners and the simple name: `A::B` and `name` for `A::B::name` (also with `.` and
/// `:`).
pub(super) fn split_qualified_name(text: &str) -> (&str, &str) {
    let operator_keyword_start = text.find("operator").filter(|&at| {
        text.get(..at).is_some_and(|before| before.is_empty() || before.ends_with(':'))
            && text.get(at + 8..).and_then(|rest| rest.chars().next()).is_none_or(|c| !c.is_alphanumeric() && c != '_')
    });
    let end = operator_keyword_start.unwrap_or(text.len());
    let mut depth = 0_i32;
    let mut split = None;
    for (at, byte) in text.bytes().enumerate().take(end) {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth -= 1,
            b':' | b'.' | b'\\' if depth == 0 => split = Some(at),
            _ => {}
        }
    }
    let (owners, simple) = match split {
        Some(at) => {
            let owners = text.get(..at).unwrap_or("").trim_end_matches([':', '.', '\\']);
            (owners, text.get(at + 1..).unwrap_or("").trim_start())
        }
        None => ("", text),
    };
    // A macro that the parser mistakes for a type leaves the real type in the name: `CONSTEXPR Iterator
    // lower_bound(…)`.
    let name_only = operator_keyword_start.is_none() && !simple.contains('<');
    (owners, if name_only { simple.split_whitespace().next_back().unwrap_or(simple) } else { simple })
}

/// The owners of a qualified name, joined by dots, without template arguments.
pub(super) fn dotted_owner_names(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_i32;
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth > 0 || c.is_whitespace() => {}
            ':' | '\\' => {
                if !out.is_empty() && !out.ends_with('.') {
                    out.push('.');
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Removes an empty or incompletely parsed body from the end of a signature.
pub(super) fn remove_trailing_body_from_signature(signature: &mut String, kind: SymbolKind) {
    if let Some(rest) = signature.strip_suffix("end").filter(|rest| rest.ends_with([' ', ';', ')'])) {
        let kept = rest.trim_end_matches([' ', ';']).len();
        signature.truncate(kept);
    } else if kind.is_callable() && kind != SymbolKind::Macro && signature.ends_with('}') {
        let kept = signature.find('{').map_or(signature.len(), |at| signature.get(..at).unwrap_or("").trim_end().len());
        signature.truncate(kept);
    }
}

/// The first line of a comment's text, without comment marks and without documentation tags.
pub(super) fn first_doc_line_of_comment(comment: &str) -> Option<String> {
    if comment.starts_with("#!") || comment.contains("-*-") || comment.contains("frozen_string_literal:") {
        return None;
    }
    // Comment marks of single languages, which begin a line of text in others.
    let (marks, inner): (&[char], &str) = match comment.as_bytes() {
        [b'%', ..] => (&['%'], comment),
        [b';', ..] => (&[';'], comment),
        [b'#', b'\'', ..] => (&['#', '\''], comment),
        [b'-', b'-', ..] => (&['-', ' ', '|', '^'], comment),
        [b'{', b'-', rest @ ..] | [b'(', b'*', rest @ ..] | [b'<', b'#', rest @ ..] => {
            let end = if comment.starts_with('{') {
                "-}"
            } else if comment.starts_with('(') {
                "*)"
            } else {
                "#>"
            };
            let inner = comment.get(comment.len() - rest.len()..).unwrap_or("");
            (&['|', '^', ' '], inner.strip_suffix(end).unwrap_or(inner))
        }
        [b'<', b'!', b'-', b'-', ..] => (&['<', '!', '-'], comment.strip_suffix("-->").unwrap_or(comment)),
        _ => (&[], comment),
    };
    inner.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(marks).trim_start();
        if line.starts_with("=begin") || line.starts_with("=end") {
            return None;
        }
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '*' | '!' | '#' | '-'));
        let line = line.trim_start_matches('[').trim_start_matches('=').trim_start_matches('[');
        let line = line.strip_prefix('<').filter(|rest| rest.starts_with([' ', '!'])).unwrap_or(line);
        let line = line.trim().trim_end_matches("*/").trim_end_matches("]]").trim();
        let line = ["@brief ", "\\brief ", "@doc ", "@title ", "@notice ", "@dev "]
            .iter()
            .find_map(|tag| line.strip_prefix(tag))
            .unwrap_or(line);
        let line = without_doc_tags_if_leading(without_decorative_marks_around_text(line));
        // A heading of PowerShell's help, such as `.SYNOPSIS`, is above its text.
        // Roxygen's tags, such as `@rdname`, name other things than the definition below them.
        let is_tag = comment.starts_with("#'") && line.starts_with('@');
        let is_heading =
            line.strip_prefix('.').is_some_and(|word| word.len() > 2 && word.bytes().all(|c| c.is_ascii_uppercase()));
        (line.chars().any(char::is_alphanumeric) && !is_heading && !is_tag).then_some(line)
    })
}

/// Removes runs of decoration before and after a line's text: `---- Orders ---- //` becomes `Orders`.
fn without_decorative_marks_around_text(mut line: &str) -> &str {
    let is_mark = |c: char| matches!(c, '/' | '*' | '-' | '=' | '#' | '~' | '+' | '_' | '─' | '━' | '═');
    while let Some((first, rest)) = line.split_once(char::is_whitespace)
        && first.chars().nth(1).is_some()
        && first.chars().all(is_mark)
    {
        line = rest.trim_start();
    }
    while let Some((rest, last)) = line.rsplit_once(char::is_whitespace)
        && last.chars().all(is_mark)
        // The right border of a box of comment marks is separated from the text by several spaces.
        && (last.chars().nth(1).is_some() || rest.ends_with(char::is_whitespace))
    {
        line = rest.trim_end();
    }
    line
}

/// Markup tags of documentation comments (`<summary>`) that are removed. Other tags are kept, because they can be the
/// subject of the comment.
const DOC_TAGS: &[&str] =
    &["summary", "remarks", "para", "param", "typeparam", "returns", "inheritdoc", "p", "b", "i", "code", "pre", "br"];

/// Whether a text begins with a documentation tag. The text starts after the `<` of the tag.
fn starts_with_doc_tag_name(text: &str) -> bool {
    let name = text.strip_prefix('/').unwrap_or(text);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let (name, rest) = name.split_at_checked(end).unwrap_or((name, ""));
    rest.starts_with(['>', '/', ' ']) && DOC_TAGS.contains(&name)
}

/// Removes documentation tags from a comment line, where the line begins with one.
fn without_doc_tags_if_leading(line: &str) -> String {
    if !line.strip_prefix('<').is_some_and(starts_with_doc_tag_name) {
        return line.to_owned();
    }
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        if starts_with_doc_tag_name(tag) {
            rest = tag.split_once('>').map_or("", |(_, after)| after);
        } else {
            out.push('<');
            rest = tag;
        }
    }
    out.push_str(rest);
    out.trim().to_owned()
}

/// Builds an import from two syntax nodes: that of the import statement, and that of the imported module's name.
pub(super) fn build_import(
    node: Node<'_>,
    named: Option<Node<'_>>,
    kind: Option<ImportKind>,
    words: &[&str],
    source: &str,
) -> Import {
    let end = text::trimmed_end_offset(source, node.byte_range());
    let written = text::to_one_line(source.get(node.start_byte()..end).unwrap_or(""));
    let bare = written.trim_end_matches(';').trim_end();
    let from = match named {
        Some(named) => text::to_one_line(source.get(named.byte_range()).unwrap_or("")),
        None => {
            let mut rest = bare;
            while let Some((word, after)) = rest.split_once(' ')
                && words.contains(&word)
            {
                rest = after.trim_start();
            }
            rest.to_owned()
        }
    };
    let from = text::without_quotes(&from).trim();
    let from = from.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(from);
    let (from, group) = match from.split_once('{') {
        Some((from, group)) if named.is_none() => (from, Some(group.trim_end_matches(['}', ' ']))),
        _ => (from, None),
    };
    let glob = group.is_none() && (from.ends_with(".*") || from.ends_with("._"));
    let kind = kind.unwrap_or(if glob { ImportKind::Glob } else { ImportKind::Named });
    let from = if glob { from.get(..from.len() - 2).unwrap_or(from) } else { from };
    let from = from.trim_end_matches(['.', '\\', ' ']);
    let mut names = Vec::new();
    let (from, renamed) = match from.split_once(" as ") {
        Some((from, alias)) if named.is_none() => (from, Some(alias)),
        _ => (from, None),
    };
    let (from, bound) = match from.split_once(" = ") {
        Some((alias, from)) if named.is_none() => (from, Some(alias)),
        _ => (from, None),
    };
    if let Some(group) = group {
        names.extend(group.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
    } else if let Some(alias) = bound {
        names.push(alias.to_owned());
    } else if kind == ImportKind::Named {
        let simple = from.rsplit(['.', '\\', ':']).next().unwrap_or(from);
        names.push(renamed.map_or_else(|| simple.to_owned(), |alias| format!("{simple} as {alias}")));
    }
    let first = u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1;
    let lines = Lines { first, last: first + text::count_newlines(source, node.start_byte()..end) };
    Import { text: written, source: from.to_owned(), names, kind, lines }
}

#[cfg(test)]
mod tests {
    use super::{
        CLASS_VISIBILITY, dotted_owner_names, first_doc_line_of_comment, split_qualified_name,
        visibility_from_modifiers,
    };
    use crate::facts::Visibility;

    #[test]
    fn a_qualified_name_parts_from_its_owners() {
        for (text, expected) in [
            ("name", ("", "name")),
            ("A::name", ("A", "name")),
            ("A::B<C::D>::name", ("A::B<C::D>", "name")),
            ("Traits<A::B>", ("", "Traits<A::B>")),
            ("A::operator()", ("A", "operator()")),
            ("A::operator std::string", ("A", "operator std::string")),
            ("A::~A", ("A", "~A")),
            ("Iterator lower_bound", ("", "lower_bound")),
            ("M.deep.run", ("M.deep", "run")),
            ("M:total", ("M", "total")),
            ("Shop\\Orders", ("Shop", "Orders")),
            ("my_operator", ("", "my_operator")),
        ] {
            assert_eq!(split_qualified_name(text), expected, "{text}");
        }
        assert_eq!(dotted_owner_names("A::B<C::D>"), "A.B");
        assert_eq!(dotted_owner_names("M.deep"), "M.deep");
    }

    #[test]
    fn modifiers_tell_who_sees_a_definition() {
        let visibility = |text| visibility_from_modifiers(text, CLASS_VISIBILITY);
        assert_eq!(visibility("public static "), Visibility::Public);
        assert_eq!(visibility("private(set) var "), Visibility::Unknown);
        assert_eq!(visibility("final private let "), Visibility::Private);
        assert_eq!(visibility("private::Foo "), Visibility::Unknown);
        assert_eq!(visibility("publication "), Visibility::Unknown);
    }

    #[test]
    fn a_comment_says_its_first_line_of_text() {
        for (comment, expected) in [
            ("/** Does it. */", Some("Does it.")),
            ("/**\n * Does it.\n */", Some("Does it.")),
            ("/// <summary>", None),
            ("/// <summary>Does it.</summary>", Some("Does it.")),
            ("/// <param name=\"x\">The <b>x</b>.</param>", Some("The x.")),
            ("/// <inheritdoc/>", None),
            ("// <ele>foo</ele>", Some("<ele>foo</ele>")),
            ("// <ele>foo<b>bar</b></ele>", Some("<ele>foo<b>bar</b></ele>")),
            ("// ----- XMLText ----- //", Some("XMLText")),
            ("//==== Orders ====//", Some("Orders")),
            ("//////////\n// Orders //\n//////////", Some("Orders")),
            ("# Orders    #", Some("Orders")),
            ("// Wraps C++", Some("Wraps C++")),
            ("///< Does it.", Some("Does it.")),
            ("/// @brief Does it.", Some("Does it.")),
            ("# Does it.", Some("Does it.")),
            ("#!/bin/sh", None),
            ("# frozen_string_literal: true", None),
            ("--- Does it.", Some("Does it.")),
            ("--[[\n  Does it.\n]]", Some("Does it.")),
            ("=begin\nDoes it.\n=end", Some("Does it.")),
            ("#' @title Does it.", Some("Does it.")),
            ("#' @rdname other", None),
            ("// -----", None),
        ] {
            assert_eq!(first_doc_line_of_comment(comment).as_deref(), expected, "{comment}");
        }
    }
}
