//! The JSON language, including comments and trailing commas. [`crate::key_value_documents`] defines which nodes are
//! symbols.

use tree_sitter::Node;
use tree_sitter_language::LanguageFn;

use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::key_value_documents::{self, KeyValuePair, ValueShape};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, ContentRule, Language, Tier, if_feature};
use crate::text;

/// The grammar of JSON; `None` where the cargo feature `lang-json` is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-json", tree_sitter_json::LANGUAGE);

pub(crate) static LANGUAGE: Language = Language {
    extensions: &["json", "jsonc", "json5", "geojson", "topojson", "webmanifest", "code-workspace", "avsc"],
    file_names: &[
        ".prettierrc",
        ".babelrc",
        ".eslintrc",
        ".stylelintrc",
        ".swcrc",
        ".jshintrc",
        ".watchmanconfig",
        "composer.lock",
        "Pipfile.lock",
        "flake.lock",
        "bun.lock",
        "deno.lock",
    ],
    // A notebook whose code is not read.
    content_rule: Some(ContentRule { extensions: &["ipynb"], matches: |text| text.trim_start().starts_with('{') }),
    ..Language::new("json", Tier::Document, Analysis::Frontend { grammar: GRAMMAR, frontend: &Json })
};

struct Json;

impl LanguageFrontend for Json {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "document" | "ERROR" => WalkStep::Descend,
            "object" => key_value_documents::outline_map_value(node, builder),
            "array" => key_value_documents::visit_list_without_key_symbols(node, builder),
            "pair" => outline_json_pair(node, builder),
            _ => WalkStep::Skip,
        }
    }

    fn prepare_source(&self, source: &str) -> Option<String> {
        blank_trailing_commas(source)
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        Some(text::c_comment_text(comment).trim_end_matches(['*', '/', ' ']))
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec!["document", "object", "array", "pair", "comment"]
    }
}

fn outline_json_pair<'t>(node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let Some(key) = builder.field_text(node, "key") else { return WalkStep::Skip };
    let value = node.child_by_field_name("value");
    let shape = match value.map(|value| value.kind()) {
        Some("object") => ValueShape::Map,
        Some("array") => ValueShape::List,
        _ => ValueShape::Scalar,
    };
    KeyValuePair { node, name: text::without_quotes(key).to_owned(), container: None, separator: ": ", value, shape }
        .add_key_symbol(builder)
}

/// The JSON text with a blank in place of each comma before a closing bracket, which the grammar does not accept;
/// `None` if there is no such comma. Files with comments often have such commas.
fn blank_trailing_commas(source: &str) -> Option<String> {
    let bytes = source.as_bytes();
    let mut commas = Vec::new();
    // Byte offset of the last comma, as long as only white space and comments follow it.
    let mut last = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let length = match (byte, rest.get(1)) {
            (b'"', _) => {
                last = None;
                leading_string_literal_len(rest)
            }
            (b'/', Some(b'/')) => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            (b'/', Some(b'*')) => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |found| found + 2),
            (b',', _) => {
                last = Some(at);
                1
            }
            (b'}' | b']', _) => {
                commas.extend(last.take());
                1
            }
            (b' ' | b'\t' | b'\r' | b'\n', _) => 1,
            _ => {
                last = None;
                1
            }
        };
        at += length;
    }
    if commas.is_empty() {
        return None;
    }
    let mut out = bytes.to_vec();
    for comma in commas {
        *out.get_mut(comma)? = b' ';
    }
    String::from_utf8(out).ok()
}

/// Length, in bytes, of the string literal at the start of `text`. An unclosed literal ends at the end of its line.
fn leading_string_literal_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr3(b'"', b'\\', b'\n', rest)) {
        at += found;
        match text.get(at) {
            Some(b'\\') => at += 2,
            _ => return at + 1,
        }
    }
    text.len()
}
