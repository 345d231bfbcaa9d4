//! Reads the tags of HTML with their attributes. Expressions in attributes are in quotes here (Vue).

use std::ops::Range;

/// An attribute of a tag.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub name: Range<usize>,
    /// The bytes of the value, without quotes.
    pub value: Option<Range<usize>>,
}

/// The tag with which an element begins.
#[derive(Debug)]
pub(super) struct Tag {
    pub name: Range<usize>,
    pub attributes: Vec<Attribute>,
    pub is_self_closing: bool,
    /// The offset behind the tag.
    pub end: usize,
}

/// Reads the tag whose `<` is at byte `start`. A tag without an end reaches to `limit`.
pub(super) fn read_tag(source: &str, start: usize, limit: usize) -> Tag {
    let bytes = source.as_bytes().get(..limit).unwrap_or(source.as_bytes());
    let name = start + 1..index_of(bytes, start + 1, is_end_of_tag_name);
    let mut tag = Tag { end: name.end, name, attributes: Vec::new(), is_self_closing: false };
    let mut at = tag.end;
    loop {
        at = index_of(bytes, at, |byte| !byte.is_ascii_whitespace());
        match bytes.get(at) {
            None => break,
            Some(b'>') => {
                at += 1;
                break;
            }
            Some(b'/') if bytes.get(at + 1) == Some(&b'>') => {
                tag.is_self_closing = true;
                at += 2;
                break;
            }
            Some(_) => {
                let attribute = read_attribute(bytes, at);
                at =
                    attribute.value.as_ref().map_or(attribute.name.end, |value| end_of_value(bytes, value)).max(at + 1);
                tag.attributes.push(attribute);
            }
        }
    }
    tag.end = at;
    tag
}

fn read_attribute(bytes: &[u8], start: usize) -> Attribute {
    let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>');
    let mut name = start..index_of(bytes, start, is_end);
    // The slash of `<a b/>` is no part of the name.
    if bytes.get(name.end) == Some(&b'>') && name.end > start + 1 && bytes.get(name.end - 1) == Some(&b'/') {
        name.end -= 1;
    }
    let equals = index_of(bytes, name.end, |byte| !byte.is_ascii_whitespace());
    if bytes.get(equals) != Some(&b'=') {
        return Attribute { name, value: None };
    }
    let from = index_of(bytes, equals + 1, |byte| !byte.is_ascii_whitespace());
    let value = match bytes.get(from) {
        Some(quote @ (b'"' | b'\'')) => from + 1..index_of(bytes, from + 1, |byte| byte == *quote),
        _ => from..index_of(bytes, from, |byte| byte.is_ascii_whitespace() || byte == b'>'),
    };
    Attribute { name, value: Some(value) }
}

/// The offset behind a value and its closing quote.
fn end_of_value(bytes: &[u8], value: &Range<usize>) -> usize {
    let quote = value.start.checked_sub(1).and_then(|before| bytes.get(before));
    let is_quoted = quote.is_some_and(|quote| matches!(quote, b'"' | b'\'') && bytes.get(value.end) == Some(quote));
    value.end + usize::from(is_quoted)
}

/// The index of the first byte from `from` on that `is_wanted`; the number of bytes if there is none.
pub(super) fn index_of(bytes: &[u8], from: usize, is_wanted: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    rest.iter().position(|byte| is_wanted(*byte)).map_or(bytes.len(), |found| from + found)
}

/// Whether a byte ends the name of an element.
pub(super) fn is_end_of_tag_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'{')
}

/// A name in kebab case (`my-card`) with capital letters in place of the hyphens: `myCard`.
pub(super) fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut is_upper = false;
    for c in name.chars() {
        match c {
            '-' => is_upper = !out.is_empty(),
            _ if is_upper => {
                out.extend(c.to_uppercase());
                is_upper = false;
            }
            _ => out.push(c),
        }
    }
    out
}

/// [`camel_case`] with a capital letter at the start.
pub(super) fn pascal_case(name: &str) -> String {
    let camel = camel_case(name);
    let mut chars = camel.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
