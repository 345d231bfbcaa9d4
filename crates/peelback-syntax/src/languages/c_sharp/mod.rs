//! The language C#: file names, keywords and how its outline is read.

mod names;
mod repair;

use tree_sitter_language::LanguageFn;

use crate::facts::Visibility;
use crate::project_files::ProjectFiles;
use crate::spec::{Analysis, Keywords, Language, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

/// The grammar of C#; `None` where the feature of the language is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-c-sharp", tree_sitter_c_sharp::LANGUAGE);

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(GRAMMAR, include_str!("outline.scm"))
    .with_visibility_and_import_words(Vocabulary {
        visibility: &[
            ("public", Visibility::Public),
            ("protected", Visibility::Protected),
            ("internal", Visibility::Internal),
            ("private", Visibility::Private),
        ],
        imports: &["global", "using", "static"],
    })
    .with_source_preparation(repair::repair_source_for_parser)
    .with_names_binder(names::bind_names_in_file);

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
    stub_style: StubStyle::NoBraces,
    main_is_method: true,
    family: Some("c_sharp"),
    standard_library: Some(is_standard_library_namespace),
    project_files: FILES,
    ..Language::new("c_sharp", Tier::Complete, Analysis::TagsQueryLanguage(&TAGS))
};

/// The files of C# projects.
const FILES: ProjectFiles = ProjectFiles {
    command_marks: &["dotnet ", "msbuild "],
    test_stem_ends: &["Test", "Tests", "Specs", "TestFixture", "Fixture"],
    test_folder_ends: &[".Tests", ".Test", ".UnitTests", ".IntegrationTests", ".Specs"],
    is_generated: Some(is_generated_file),
    ..ProjectFiles::NONE
};

/// Whether a file name, in lower case, is one that tools give to the source that they write.
fn is_generated_file(name: &str) -> bool {
    [".g.cs", ".g.i.cs", ".designer.cs", ".generated.cs", ".assemblyinfo.cs", ".assemblyattributes.cs"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Whether a namespace, given by its full name, belongs to the platform.
fn is_standard_library_namespace(namespace: &str) -> bool {
    let first = namespace.split('.').next().unwrap_or(namespace);
    first == "System" || namespace == "Microsoft.CSharp" || namespace.starts_with("Microsoft.Win32")
}
