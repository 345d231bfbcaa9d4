//! Ruby.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "ruby",
    tier: Tier::Basic,
    extensions: &["rb", "rake", "gemspec", "ru", "podspec"],
    file_names: &["Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
    interpreters: &["ruby", "jruby"],
    analysis: Analysis::Tags(Tags::new(tree_sitter_ruby::LANGUAGE, include_str!("outline.scm"))),
};
