//! Shell scripts of all kinds, which are parsed with the grammar of Bash.

use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-bash", tree_sitter_bash::LANGUAGE), include_str!("outline.scm"));

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: false }),
    aliases: &["sh", "shell", "zsh"],
    extensions: &["sh", "bash", "zsh", "ksh", "bats", "ebuild", "eclass"],
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".kshrc",
        "PKGBUILD",
        "APKBUILD",
    ],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"],
    keywords: Keywords {
        definitions: &["function"],
        bindings: &[],
        modifiers: &["export"],
        statements: &["if", "for", "while", "do", "case", "until", "elif", "select", "return"],
    },
    ..Language::new("bash", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
