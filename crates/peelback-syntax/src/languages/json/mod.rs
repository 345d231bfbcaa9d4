//! JSON, with comments and trailing commas where a file has them. What is a symbol is said in [`crate::keys`].

use tree_sitter::Node;

use crate::keys::{self, Pair, Shape};
use crate::language::{Analysis, Language, Tier};
use crate::text;
use crate::walk::{Cx, Leading, Next, Rules};

pub(crate) static LANGUAGE: Language = Language {
    name: "json",
    tier: Tier::Document,
    extensions: &["json", "jsonc", "json5", "geojson", "topojson", "webmanifest", "code-workspace", "avsc", "ipynb"],
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
    interpreters: &[],
    analysis: Analysis::Rules { grammar: tree_sitter_json::LANGUAGE, rules: &Json },
};

struct Json;

impl Rules for Json {
    fn enter<'t>(&self, node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
        match node.kind() {
            "document" | "ERROR" => Next::Descend,
            "object" => keys::map(node, cx),
            "array" => keys::list(node, cx),
            "pair" => pair(node, cx),
            _ => Next::Skip,
        }
    }

    fn leading(&self, kind: &str) -> Option<Leading> {
        (kind == "comment").then_some(Leading::Comment)
    }

    fn doc<'a>(&self, comment: &'a str) -> Option<&'a str> {
        Some(text::c_comment(comment).trim_end_matches(['*', '/', ' ']))
    }

    #[cfg(test)]
    fn node_kinds(&self) -> Vec<&'static str> {
        vec!["document", "object", "array", "pair", "comment"]
    }
}

fn pair<'t>(node: Node<'t>, cx: &mut Cx<'t, '_>) -> Next {
    let Some(key) = cx.field_text(node, "key") else { return Next::Skip };
    let value = node.child_by_field_name("value");
    let shape = match value.map(|value| value.kind()) {
        Some("object") => Shape::Map,
        Some("array") => Shape::List,
        _ => Shape::Scalar,
    };
    Pair { node, name: text::unquote(key).to_owned(), container: None, joint: ": ", value, shape }.enter(cx)
}
