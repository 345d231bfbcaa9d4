//! The TypeScript language: the frontend of JavaScript over TypeScript's own grammar. `.tsx` files are a separate
//! language, `tsx`: there `<T>x` is an element, not a type assertion.

use super::javascript::{EcmaScript, KEYWORDS, is_standard_library_module};
use crate::project_files::{ProjectFiles, ToolSettings};
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier, if_feature};

pub(super) static FRONTEND: EcmaScript = EcmaScript { typescript: true };

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["ts"],
    extensions: &["ts", "mts", "cts"],
    interpreters: &["ts-node", "tsx", "deno"],
    family: Some("javascript"),
    keywords: Keywords {
        definitions: &["class", "enum", "function", "interface", "module", "namespace", "type"],
        modifiers: &[
            "abstract",
            "async",
            "const",
            "default",
            "export",
            "override",
            "private",
            "protected",
            "public",
            "static",
        ],
        ..KEYWORDS
    },
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_module),
    project_files: ProjectFiles {
        tool_settings: &[ToolSettings { program: "TypeScript", file_names: &["tsconfig.json", "tsconfig.base.json"] }],
        ..ProjectFiles::NONE
    },
    ..Language::new(
        "typescript",
        Tier::Complete,
        Analysis::Frontend {
            grammar: if_feature!("lang-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
            frontend: &FRONTEND,
        },
    )
};
