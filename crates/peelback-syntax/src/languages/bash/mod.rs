//! Shell scripts, read as Bash.

use crate::language::{Analysis, Language, Tier};
use crate::tags::Tags;

pub(crate) static LANGUAGE: Language = Language {
    name: "bash",
    tier: Tier::Basic,
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
    analysis: Analysis::Tags(Tags::new(tree_sitter_bash::LANGUAGE, include_str!("outline.scm"))),
};
