//! The language C#: file names, keywords and how its outline is read.

use crate::facts::Visibility;
use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-c-sharp", tree_sitter_c_sharp::LANGUAGE), include_str!("outline.scm"))
        .with_visibility_and_import_words(Vocabulary {
            visibility: &[
                ("public", Visibility::Public),
                ("protected", Visibility::Protected),
                ("internal", Visibility::Internal),
                ("private", Visibility::Private),
            ],
            imports: &["global", "using", "static"],
        });

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["csharp", "cs", "c#"],
    extensions: &["cs", "csx"],
    interpreters: &["dotnet-script"],
    keywords: Keywords {
        definitions: &["class", "enum", "interface", "namespace", "record", "struct"],
        bindings: &["const", "static", "var"],
        modifiers: &[
            "abstract",
            "async",
            "const",
            "extern",
            "internal",
            "override",
            "private",
            "protected",
            "public",
            "sealed",
            "static",
            "unsafe",
            "virtual",
        ],
        statements: &[
            "if", "else", "for", "while", "switch", "catch", "try", "do", "return", "case", "throw", "foreach", "await",
        ],
    },
    main_is_method: true,
    ..Language::new("c_sharp", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
