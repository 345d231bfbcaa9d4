//! The list of languages. A language is one folder below this one and one word here.

mod c;
mod json;
mod markdown;
mod python;
mod toml;
mod yaml;

use crate::language::Language;

/// Every language. Where two claim an extension, the first wins.
pub(crate) const ALL: &[&Language] =
    &[&c::LANGUAGE, &json::LANGUAGE, &markdown::LANGUAGE, &python::LANGUAGE, &toml::LANGUAGE, &yaml::LANGUAGE];

/// Whether a `.h` file's text uses what only C++ has.
pub(crate) fn looks_like_cpp(_text: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use crate::language::Analysis;

    #[test]
    fn rules_name_only_nodes_that_their_grammar_has() {
        for language in super::ALL {
            let Analysis::Rules { grammar, rules } = &language.analysis else { continue };
            let grammar = tree_sitter::Language::from(*grammar);
            for kind in rules.node_kinds() {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{} has no node {kind}", language.name);
            }
        }
    }

    #[test]
    fn queries_compile_against_their_grammar() {
        for language in super::ALL {
            let Analysis::Tags(tags) = &language.analysis else { continue };
            let grammar = tree_sitter::Language::from(tags.grammar);
            if let Err(error) = tree_sitter::Query::new(&grammar, tags.query) {
                panic!("{}: {error}", language.name);
            }
        }
    }
}
