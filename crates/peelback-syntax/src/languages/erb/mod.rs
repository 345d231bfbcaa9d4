//! ERB: templates with Ruby code between `<%` and `%>`. All code of a template is analysed as one Ruby text, because a
//! block that one tag opens is closed by another; the markup around it is not read.

use tree_sitter::Node;

use super::ruby;
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::names::NamesBuilder;
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Language, Tier};

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["rhtml"],
    extensions: &["erb", "rhtml"],
    family: Some("ruby"),
    keywords: ruby::KEYWORDS,
    ..Language::new("erb", Tier::Complete, Analysis::Frontend { grammar: ruby::GRAMMAR, frontend: &Erb })
};

struct Erb;

impl LanguageFrontend for Erb {
    fn prepare_source(&self, source: &str) -> Option<String> {
        Some(code_of_template(source))
    }

    fn is_left_out_source_code(&self) -> bool {
        false
    }

    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        ruby::Ruby.add_node_to_outline(node, builder)
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        ruby::Ruby.comment_or_decorator_role_of_kind(kind)
    }

    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        ruby::Ruby.doc_comment_text(comment)
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        ruby::Ruby.is_descend_only_node_kind(kind)
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut NamesBuilder<'_>) -> bool {
        ruby::Ruby.bind_names(root, builder)
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        ruby::Ruby.node_kinds_used_by_frontend()
    }
}

/// The text of a template with spaces in place of all that is no code. A `;` behind the code of each tag ends its statement.
fn code_of_template(source: &str) -> String {
    let mut prepared: Vec<u8> = source.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    let mut at = 0;
    while let Some(open) = position_of(source, at, "<%") {
        let inside = open + 2;
        let sign = source.as_bytes().get(inside).copied();
        if sign == Some(b'%') {
            // `<%%` stands for the text `<%`.
            at = inside + 1;
            continue;
        }
        let Some(end) = position_of(source, inside, "%>") else { break };
        at = end + 2;
        if sign == Some(b'#') {
            continue;
        }
        let code = source.get(inside..end).unwrap_or_default();
        let without_signs = code.strip_prefix(['-', '=']).map_or(code, |rest| rest.strip_prefix('=').unwrap_or(rest));
        let start = end - without_signs.len();
        let code = without_signs.strip_suffix('-').unwrap_or(without_signs);
        if code.trim_start().starts_with('#') && !code.contains('\n') {
            continue;
        }
        if let Some(place) = prepared.get_mut(start..start + code.len()) {
            place.copy_from_slice(code.as_bytes());
        }
        if let Some(place) = prepared.get_mut(end) {
            *place = b';';
        }
    }
    // Only whole characters were put in.
    String::from_utf8(prepared).unwrap_or_default()
}

/// The offset of the first `text` at or after byte `from`.
fn position_of(source: &str, from: usize, text: &str) -> Option<usize> {
    source.get(from..)?.find(text).map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::code_of_template;

    #[test]
    fn code_keeps_its_place_and_each_tag_ends_a_statement() {
        let template =
            "<p class=\"ö\"><%= a -%> <%== b(1) %>\n<%# no %><%% no %><% # no %>\n<%- if c\n  d -%>x<% end %>";
        let code = code_of_template(template);
        assert_eq!(code.len(), template.len());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", ";", "b(1)", ";", "if", "c", "d", ";", "end", ";"]);
        assert_eq!(code.find("b(1)"), template.find("b(1)"));
        assert_eq!(code.matches('\n').count(), template.matches('\n').count());
    }

    #[test]
    fn a_tag_without_an_end_is_no_code() {
        assert_eq!(code_of_template("a <% b").trim(), "");
        assert_eq!(code_of_template("<%").trim(), "");
        assert_eq!(code_of_template("<%=%><%-%>").trim(), ";    ;");
    }
}
