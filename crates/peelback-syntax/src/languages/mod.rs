//! The list of all languages. To add a language: a folder in this module, its `mod` line, an entry in the list, and a
//! cargo feature in `Cargo.toml`.

mod astro;
mod bash;
mod c;
mod c_sharp;
mod clojure;
mod cmake;
mod cpp;
mod css;
mod dart;
mod dockerfile;
mod elixir;
mod erb;
mod erlang;
mod fsharp;
mod go;
mod graphql;
mod groovy;
mod haskell;
mod hcl;
mod html;
mod java;
mod javascript;
mod json;
mod julia;
mod kotlin;
mod lua;
mod make;
mod markdown;
mod nix;
mod objective_c;
mod ocaml;
mod perl;
mod php;
mod powershell;
mod protobuf;
mod python;
mod r;
mod ruby;
mod rust;
mod scala;
mod scss;
mod solidity;
mod sql;
mod svelte;
mod swift;
mod toml;
mod tsx;
mod typescript;
mod vue;
mod yaml;
mod zig;

use crate::spec::Language;

/// Every language that the crate knows. If two languages claim the same file extension, the first one wins.
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
    &astro::LANGUAGE,
    &markdown::LANGUAGE,
    &json::LANGUAGE,
    &yaml::LANGUAGE,
    &toml::LANGUAGE,
    &java::LANGUAGE,
    // Before C++: both recognise headers by their text.
    &objective_c::LANGUAGE,
    &cpp::LANGUAGE,
    &c_sharp::LANGUAGE,
    &ruby::LANGUAGE,
    &erb::LANGUAGE,
    &php::LANGUAGE,
    &kotlin::LANGUAGE,
    &swift::LANGUAGE,
    &scala::LANGUAGE,
    &bash::LANGUAGE,
    &lua::LANGUAGE,
    &clojure::LANGUAGE,
    &cmake::LANGUAGE,
    &css::LANGUAGE,
    &scss::LANGUAGE,
    &dart::LANGUAGE,
    &dockerfile::LANGUAGE,
    &elixir::LANGUAGE,
    &erlang::LANGUAGE,
    &fsharp::LANGUAGE,
    &graphql::LANGUAGE,
    &groovy::LANGUAGE,
    &haskell::LANGUAGE,
    &hcl::LANGUAGE,
    &html::LANGUAGE,
    &julia::LANGUAGE,
    &make::LANGUAGE,
    &nix::LANGUAGE,
    &ocaml::LANGUAGE,
    &perl::LANGUAGE,
    &powershell::LANGUAGE,
    &protobuf::LANGUAGE,
    &r::LANGUAGE,
    &sql::LANGUAGE,
    &solidity::LANGUAGE,
    &zig::LANGUAGE,
];

/// The languages that know settings files of formatters, linters and type checkers, in the order in which documents
/// list these files.
pub(crate) const WITH_TOOL_SETTINGS: &[&Language] = &[
    &rust::LANGUAGE,
    &python::LANGUAGE,
    &javascript::LANGUAGE,
    &typescript::LANGUAGE,
    &go::LANGUAGE,
    &c::LANGUAGE,
    &ruby::LANGUAGE,
    &php::LANGUAGE,
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
            for kind in frontend.node_kinds_used_by_frontend() {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{} has no node {kind}", language.name);
                assert!(
                    !frontend.is_descend_only_node_kind(kind)
                        || frontend.comment_or_decorator_role_of_kind(kind).is_none(),
                    "{}: {kind} is transparent and an attachment",
                    language.name
                );
            }
        }
    }
}
