//! The Ruby language: its files and its tags query.

use crate::facts::Visibility;
use crate::project_files::{ProjectFiles, ToolSettings};
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-ruby", tree_sitter_ruby::LANGUAGE), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[
                ("public", Visibility::Public),
                ("protected", Visibility::Protected),
                ("private", Visibility::Private),
                ("private_class_method", Visibility::Private),
            ],
            imports: &[],
        });

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: false }),
    aliases: &["rb"],
    extensions: &["rb", "rake", "gemspec", "ru", "podspec"],
    file_names: &["Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"],
    interpreters: &["ruby", "jruby"],
    keywords: Keywords {
        definitions: &["class", "def", "module"],
        bindings: &[],
        modifiers: &["private", "protected", "public"],
        statements: &["if", "else", "for", "while", "case", "return", "until", "unless", "raise", "print", "require"],
    },
    project_files: ProjectFiles {
        tool_settings: &[ToolSettings { program: "RuboCop", file_names: &[".rubocop.yml"] }],
        ..ProjectFiles::NONE
    },
    ..Language::new("ruby", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
