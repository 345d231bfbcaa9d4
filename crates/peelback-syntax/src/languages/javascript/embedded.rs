//! Script blocks inside the markup of components.

use std::ops::Range;

use crate::languages::{javascript, tsx, typescript};
use crate::spec::{Embedded, Language};

/// The languages that script blocks can be in.
pub(crate) const LANGUAGES: &[&Language] = &[&javascript::LANGUAGE, &typescript::LANGUAGE, &tsx::LANGUAGE];

/// The `<script>` blocks of `source`, as one text: what one declares the others see. The language is the one that any
/// block's `lang` names.
pub(crate) fn scripts(source: &str) -> Embedded {
    let mut language: &'static Language = &javascript::LANGUAGE;
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(tag) = next_script(source, at) {
        if let Some(named) = tag.language.and_then(of_lang)
            && *language != tsx::LANGUAGE
            && *named != javascript::LANGUAGE
        {
            language = named;
        }
        at = tag.end;
        if !tag.content.is_empty() && tag.is_code {
            ranges.push(tag.content);
        }
    }
    Embedded { language, ranges }
}

fn of_lang(lang: &str) -> Option<&'static Language> {
    let lang = lang.to_ascii_lowercase();
    LANGUAGES.iter().copied().find(|language| language.name == lang || language.aliases.contains(&lang.as_str()))
}

struct Script<'s> {
    content: Range<usize>,
    language: Option<&'s str>,
    /// Whether its `type` says that it holds code, and not data.
    is_code: bool,
    /// Where the search goes on.
    end: usize,
}

/// The next `<script …>` at or after `from` that no comment holds.
fn next_script(source: &str, from: usize) -> Option<Script<'_>> {
    let mut at = from;
    loop {
        let rest = source.get(at..)?;
        let open = rest.find('<')?;
        let tag = rest.get(open..)?;
        if let Some(comment) = tag.strip_prefix("<!--") {
            at += open + 4 + comment.find("-->")? + 3;
            continue;
        }
        if !starts_tag(tag, "<script") {
            // Styles hold `<` in strings and comments, and no script.
            at += open + if starts_tag(tag, "<style") { closing(tag, "</style").unwrap_or(1) } else { 1 };
            continue;
        }
        let attributes = tag.get("<script".len()..)?;
        let (attributes, closed) = attributes_end(attributes)?;
        let start = at + open + "<script".len() + attributes.len() + 1;
        let language = attribute(attributes, "lang");
        let is_code = attribute(attributes, "type").is_none_or(|kind| {
            let kind = kind.to_ascii_lowercase();
            kind.is_empty() || kind == "module" || kind.contains("script")
        });
        if closed {
            return Some(Script { content: start..start, language, is_code, end: start });
        }
        let inside = source.get(start..)?;
        let length = closing(inside, "</script").unwrap_or(inside.len());
        return Some(Script { content: start..start + length, language, is_code, end: start + length });
    }
}

/// Whether `text` begins with the tag `open`, in any case, and not with a longer name.
fn starts_tag(text: &str, open: &str) -> bool {
    text.get(..open.len()).is_some_and(|start| start.eq_ignore_ascii_case(open))
        && text
            .get(open.len()..)
            .and_then(|rest| rest.chars().next())
            .is_none_or(|c| c.is_whitespace() || matches!(c, '>' | '/'))
}

/// Where the closing tag begins.
fn closing(text: &str, tag: &str) -> Option<usize> {
    text.match_indices("</").map(|(at, _)| at).find(|&at| text.get(at..).is_some_and(|rest| starts_tag(rest, tag)))
}

/// The attributes up to the `>` that ends the tag, which quotes may hold too, and whether the tag closes itself.
fn attributes_end(text: &str) -> Option<(&str, bool)> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => {
                let attributes = text.get(..at)?;
                return Some((attributes, attributes.ends_with('/')));
            }
            _ => {}
        }
    }
    None
}

/// The value of an attribute, quoted or bare.
fn attribute<'s>(attributes: &'s str, name: &str) -> Option<&'s str> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return None;
        }
        let length = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/')).unwrap_or(rest.len());
        let (found, after) = rest.split_at_checked(length)?;
        let value;
        match after.trim_start().strip_prefix('=') {
            Some(after) => {
                let after = after.trim_start();
                let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
                let (inner, next) = match quote {
                    Some(quote) => {
                        let inner = after.get(1..)?;
                        let end = inner.find(quote)?;
                        (inner.get(..end)?, inner.get(end + 1..)?)
                    }
                    None => {
                        let end = after.find(char::is_whitespace).unwrap_or(after.len());
                        after.split_at_checked(end)?
                    }
                };
                value = inner;
                rest = next;
            }
            None => {
                value = "";
                // A lone `=` is no attribute; anything else was consumed.
                rest = if length == 0 { rest.get(1..)? } else { after };
            }
        }
        if found.eq_ignore_ascii_case(name) {
            return Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::scripts;

    fn read(source: &str) -> (&'static str, Vec<&str>) {
        let found = scripts(source);
        let ranges = found.ranges.into_iter().map(|part| source.get(part).unwrap_or("?")).collect();
        (found.language.name, ranges)
    }

    #[test]
    fn blocks_are_found_whatever_stands_around_them() {
        assert_eq!(read("<script>a()</script>"), ("javascript", vec!["a()"]));
        assert_eq!(read("<!-- <script>no</script> --><SCRIPT setup lang='ts'>a</SCRIPT>"), ("typescript", vec!["a"]));
        assert_eq!(
            read("<script generic=\"T extends A<B>\" lang=\"ts\">a < b</script >"),
            ("typescript", vec!["a < b"])
        );
        assert_eq!(read("<script>a</script><p/><script lang=tsx>b</script>"), ("tsx", vec!["a", "b"]));
        assert_eq!(read("<style>a::after { content: '<script>' }</style><script>b"), ("javascript", vec!["b"]));
        assert_eq!(read("<script src='a.js'/><scripted>no</scripted>"), ("javascript", vec![]));
        assert_eq!(read("<script type=\"application/ld+json\">{}</script>"), ("javascript", vec![]));
        assert_eq!(read("<script"), ("javascript", vec![]));
        assert_eq!(read("<script = lang"), ("javascript", vec![]));
        assert_eq!(read("<script lang = ts async>é</script>"), ("typescript", vec!["é"]));
    }
}
