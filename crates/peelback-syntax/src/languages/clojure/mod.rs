//! The Clojure language, with ClojureScript: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(
    if_feature!("lang-clojure", tree_sitter_clojure_orchard::LANGUAGE),
    include_str!("outline.scm"),
)
.with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["clj", "clojurescript"],
    extensions: &["clj", "cljs", "cljc", "cljd", "edn", "bb"],
    interpreters: &["bb", "clojure"],
    keywords: Keywords {
        definitions: &["defn", "defn-", "defmacro", "defmulti", "defmethod", "defprotocol", "defrecord", "deftype"],
        bindings: &["def", "defonce"],
        modifiers: &[],
        statements: &["if", "when", "let", "do", "cond", "case", "for", "loop", "ns"],
    },
    ..Language::new("clojure", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
