//! The list of languages. A language is one folder in this module with its `mod` line, one entry in the list and one
//! feature in `Cargo.toml`.

mod bash;
mod c;
mod c_sharp;
mod cpp;
mod go;
mod java;
mod javascript;
mod json;
mod kotlin;
mod lua;
mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod svelte;
mod swift;
mod toml;
mod tsx;
mod typescript;
mod vue;
mod yaml;

use crate::spec::Language;

/// Every language. If two languages claim the same extension, the first one wins.
pub(crate) const ALL: &[&Language] = &[
    &python::LANGUAGE,
    &javascript::LANGUAGE,
    &typescript::LANGUAGE,
    &tsx::LANGUAGE,
    &rust::LANGUAGE,
    &go::LANGUAGE,
    &c::LANGUAGE,
    &vue::LANGUAGE,
    &svelte::LANGUAGE,
    &markdown::LANGUAGE,
    &json::LANGUAGE,
    &yaml::LANGUAGE,
    &toml::LANGUAGE,
    &java::LANGUAGE,
    &cpp::LANGUAGE,
    &c_sharp::LANGUAGE,
    &ruby::LANGUAGE,
    &php::LANGUAGE,
    &kotlin::LANGUAGE,
    &swift::LANGUAGE,
    &scala::LANGUAGE,
    &bash::LANGUAGE,
    &lua::LANGUAGE,
];

/// The languages with settings files of tools, in the order in which documents list these files.
pub(crate) const WITH_TOOL_SETTINGS: &[&Language] = &[
    &rust::LANGUAGE,
    &python::LANGUAGE,
    &javascript::LANGUAGE,
    &typescript::LANGUAGE,
    &go::LANGUAGE,
    &c::LANGUAGE,
    &ruby::LANGUAGE,
];

#[cfg(test)]
mod tests {
    use crate::spec::Analysis;

    #[test]
    fn every_language_with_tool_settings_has_its_place() {
        for language in super::ALL {
            let has_settings = !language.project_files.tool_settings.is_empty();
            assert_eq!(super::WITH_TOOL_SETTINGS.contains(language), has_settings, "{}", language.name);
        }
    }

    #[test]
    fn frontends_name_only_node_kinds_of_their_grammar() {
        for language in super::ALL {
            let Analysis::Frontend { grammar: Some(grammar), frontend } = language.analysis else { continue };
            let grammar = tree_sitter::Language::from(grammar);
            for kind in frontend.node_kinds() {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{} has no node {kind}", language.name);
                assert!(
                    !frontend.is_transparent_node_kind(kind) || frontend.attachment_of_node_kind(kind).is_none(),
                    "{}: {kind} is transparent and an attachment",
                    language.name
                );
            }
        }
    }
}
