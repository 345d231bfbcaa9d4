//! Finds the code in the markup of component files (Vue, Svelte, Astro).

use std::ops::Range;

use crate::languages::{javascript, tsx, typescript};
use crate::spec::{Embedded, Language};

/// The languages of which a script block in markup can be.
pub(crate) const LANGUAGES: &[&Language] = &[&javascript::LANGUAGE, &typescript::LANGUAGE, &tsx::LANGUAGE];

/// Finds the `<script>` blocks of a markup text. All blocks are analysed as one text in one language, because each sees
/// the declarations of the others; the `lang` attribute of any block determines the language.
pub(crate) fn find_script_blocks_and_language(source: &str) -> Embedded {
    let (language, ranges) = find_script_blocks_from(source, 0);
    Embedded { language, ranges }
}

/// The script blocks at or after byte `from`, and their language.
fn find_script_blocks_from(source: &str, from: usize) -> (&'static Language, Vec<Range<usize>>) {
    let mut language: &'static Language = &javascript::LANGUAGE;
    let mut ranges = Vec::new();
    let mut at = from;
    let mut may_style_end = true;
    while let Some(tag) = find_next_script_tag(source, at, &mut may_style_end) {
        if let Some(named) = tag.language.and_then(language_of_lang_attribute)
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
    (language, ranges)
}

/// Finds the code of an Astro file: the block between two lines of `---` at the start, and the `<script>` blocks. All of it
/// can be TypeScript.
pub(crate) fn find_astro_code(source: &str) -> Embedded {
    let (code, markup) = astro_code_and_start_of_markup(source);
    let (_, scripts) = find_script_blocks_from(source, markup);
    let ranges = code.into_iter().chain(scripts).filter(|part| !part.is_empty()).collect();
    Embedded { language: &typescript::LANGUAGE, ranges }
}

/// The byte range of the code between two lines of `---` at the start of an Astro file, and the offset at which the markup
/// begins.
pub(super) fn astro_code_and_start_of_markup(source: &str) -> (Option<Range<usize>>, usize) {
    let text = source.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let Some(code) = text.strip_prefix("---") else { return (None, 0) };
    let start = source.len() - code.len();
    match code.find("\n---") {
        Some(length) => (Some(start..start + length + 1), start + length + "\n---".len()),
        None => (Some(start..source.len()), source.len()),
    }
}

/// Whether a script block of a Vue component is the body of its function `setup`.
pub(super) fn has_setup_script(source: &str) -> bool {
    let (mut at, mut may_style_end) = (0, true);
    while let Some(tag) = find_next_script_tag(source, at, &mut may_style_end) {
        if tag.is_setup {
            return true;
        }
        at = tag.end;
    }
    false
}

fn language_of_lang_attribute(lang: &str) -> Option<&'static Language> {
    let lang = lang.to_ascii_lowercase();
    LANGUAGES.iter().copied().find(|language| language.name == lang || language.aliases.contains(&lang.as_str()))
}

struct ScriptTag<'s> {
    content: Range<usize>,
    language: Option<&'s str>,
    /// Whether the `type` attribute of the script tag marks its content as code, not as data.
    is_code: bool,
    /// Whether the tag has the attribute `setup` (Vue).
    is_setup: bool,
    /// Byte offset at which the search for the next script tag continues.
    end: usize,
}

/// The next `<script …>` tag at or after byte `from` that is not in a comment. `may_style_end` becomes false where no style
/// block ends any more, so that the end is sought once and not for each of many blocks.
fn find_next_script_tag<'s>(source: &'s str, from: usize, may_style_end: &mut bool) -> Option<ScriptTag<'s>> {
    let mut at = from;
    loop {
        let rest = source.get(at..)?;
        let open = rest.find('<')?;
        let tag = rest.get(open..)?;
        if let Some(comment) = tag.strip_prefix("<!--") {
            at += open + 4 + comment.find("-->")? + 3;
            continue;
        }
        if !has_tag_at_start(tag, "<script") {
            // Style blocks may contain `<` in strings and comments, and never contain a script.
            let is_style = *may_style_end && has_tag_at_start(tag, "<style");
            let style_end = if is_style { closing_tag_start(tag, "</style") } else { None };
            *may_style_end &= !is_style || style_end.is_some();
            at += open + style_end.unwrap_or(1);
            continue;
        }
        let attributes = tag.get("<script".len()..)?;
        let (attributes, closed) = tag_attributes_and_is_self_closing(attributes)?;
        let start = at + open + "<script".len() + attributes.len() + 1;
        let language = tag_attribute_value(attributes, "lang");
        let is_setup = tag_attribute_value(attributes, "setup").is_some();
        let is_code = tag_attribute_value(attributes, "type").is_none_or(|kind| {
            let kind = kind.to_ascii_lowercase();
            kind.is_empty() || kind == "module" || kind.contains("script")
        });
        if closed {
            return Some(ScriptTag { content: start..start, language, is_code, is_setup, end: start });
        }
        let inside = source.get(start..)?;
        let length = closing_tag_start(inside, "</script").unwrap_or(inside.len());
        return Some(ScriptTag { content: start..start + length, language, is_code, is_setup, end: start + length });
    }
}

/// Whether `text` begins with the tag `open` (such as `<script`), ignoring case, and the tag's name ends there.
fn has_tag_at_start(text: &str, open: &str) -> bool {
    text.get(..open.len()).is_some_and(|start| start.eq_ignore_ascii_case(open))
        && text
            .get(open.len()..)
            .and_then(|rest| rest.chars().next())
            .is_none_or(|c| c.is_whitespace() || matches!(c, '>' | '/'))
}

/// Byte offset in `text` of the first closing tag of the element `tag` (`</script>`).
pub(super) fn closing_tag_start(text: &str, tag: &str) -> Option<usize> {
    text.match_indices("</")
        .map(|(at, _)| at)
        .find(|&at| text.get(at..).is_some_and(|rest| has_tag_at_start(rest, tag)))
}

/// Splits the attributes off a tag's text: the text up to the `>` that ends the tag, and whether the tag is
/// self-closing. A `>` in quotes does not end the tag.
fn tag_attributes_and_is_self_closing(text: &str) -> Option<(&str, bool)> {
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

/// The value of the attribute `name` in a tag's attributes, written with or without quotes.
fn tag_attribute_value<'s>(attributes: &'s str, name: &str) -> Option<&'s str> {
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
                // A lone `=` is not an attribute and is skipped.
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
    use super::find_script_blocks_and_language;

    fn scripts_of(source: &str) -> (&'static str, Vec<&str>) {
        let found = find_script_blocks_and_language(source);
        let ranges = found.ranges.into_iter().map(|part| source.get(part).unwrap_or("?")).collect();
        (found.language.name, ranges)
    }

    #[test]
    fn many_style_blocks_without_an_end_cost_what_their_length_does() {
        let started = std::time::Instant::now();
        let unclosed = "<style><script></script>".repeat(100_000);
        assert!(find_script_blocks_and_language(&unclosed).ranges.is_empty());
        // Far above what it takes on a busy machine, far below what quadratic work on 2.4 MB takes.
        assert!(started.elapsed() < std::time::Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn script_blocks_are_found_in_any_markup() {
        assert_eq!(scripts_of("<script>a()</script>"), ("javascript", vec!["a()"]));
        assert_eq!(
            scripts_of("<!-- <script>no</script> --><SCRIPT setup lang='ts'>a</SCRIPT>"),
            ("typescript", vec!["a"])
        );
        assert_eq!(
            scripts_of("<script generic=\"T extends A<B>\" lang=\"ts\">a < b</script >"),
            ("typescript", vec!["a < b"])
        );
        assert_eq!(scripts_of("<script>a</script><p/><script lang=tsx>b</script>"), ("tsx", vec!["a", "b"]));
        assert_eq!(scripts_of("<style>a::after { content: '<script>' }</style><script>b"), ("javascript", vec!["b"]));
        assert_eq!(scripts_of("<script src='a.js'/><scripted>no</scripted>"), ("javascript", vec![]));
        assert_eq!(scripts_of("<script type=\"application/ld+json\">{}</script>"), ("javascript", vec![]));
        assert_eq!(scripts_of("<script"), ("javascript", vec![]));
        assert_eq!(scripts_of("<script = lang"), ("javascript", vec![]));
        assert_eq!(scripts_of("<script lang = ts async>é</script>"), ("typescript", vec!["é"]));
    }
}
