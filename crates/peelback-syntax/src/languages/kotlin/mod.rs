//! The Kotlin language: its files, its tags query, and the repair of source that the grammar misreads.

mod names;

use tree_sitter_language::LanguageFn;

use crate::facts::Visibility;
use crate::project_files::ProjectFiles;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, StubStyle, Tier, if_feature};
use crate::tags::{TagsQueryLanguage, Vocabulary};

/// The grammar of Kotlin; `None` where the feature of the language is off.
const GRAMMAR: Option<LanguageFn> = if_feature!("lang-kotlin", tree_sitter_kotlin_ng::LANGUAGE);

static TAGS: TagsQueryLanguage = TagsQueryLanguage::new(GRAMMAR, include_str!("outline.scm"))
    .with_visibility_and_import_words(Vocabulary {
        visibility: &[
            ("public", Visibility::Public),
            ("protected", Visibility::Protected),
            ("internal", Visibility::Internal),
            ("private", Visibility::Private),
        ],
        imports: &["import"],
    })
    .with_source_repair(add_semicolons_in_one_line_bodies)
    .with_names_binder(names::bind_names_in_file);

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "//", has_magics: false }),
    aliases: &["kt"],
    extensions: &["kt", "kts"],
    interpreters: &["kotlin"],
    // The languages of one virtual machine use each other's types.
    family: Some("java"),
    keywords: Keywords {
        definitions: &["class", "enum", "fun", "interface", "object"],
        bindings: &["const", "val", "var"],
        modifiers: &[
            "abstract",
            "const",
            "final",
            "inline",
            "internal",
            "open",
            "override",
            "private",
            "protected",
            "public",
            "sealed",
        ],
        statements: &["if", "else", "for", "while", "catch", "try", "do", "return", "throw"],
    },
    stub_style: StubStyle::NoBraces,
    standard_library: Some(is_standard_library_package),
    project_files: FILES,
    ..Language::new("kotlin", Tier::Complete, Analysis::TagsQueryLanguage(&TAGS))
};

/// The files of Kotlin's projects that have a meaning by their names.
const FILES: ProjectFiles =
    ProjectFiles { command_marks: &["gradle ", "./gradlew"], test_stem_ends: &["Test", "Tests"], ..ProjectFiles::NONE };

/// Whether a package, given by its full name, belongs to the library of Kotlin or to the Java platform.
fn is_standard_library_package(package: &str) -> bool {
    ["kotlin.", "java.", "javax."].iter().any(|prefix| package.starts_with(prefix))
}

/// Inserts a semicolon after the last member of a body on one line: `{ val a = 1 }` becomes `{ val a = 1;}`. Without it
/// the grammar loses the rest of the file.
fn add_semicolons_in_one_line_bodies(source: &str) -> Option<String> {
    let mut bytes = source.as_bytes().to_vec();
    let mut changed = false;
    let mut in_string = false;
    // The last byte on the current line that is not blank, and the byte before the current one.
    let (mut last, mut previous) = (b'\n', b'\n');
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'\n' => in_string = false,
            b'"' if previous != b'\\' => in_string = !in_string,
            b'}' if !in_string && matches!(previous, b' ' | b'\t') && can_byte_end_member(last) => {
                if let Some(blank) = bytes.get_mut(at - 1) {
                    *blank = b';';
                    changed = true;
                }
            }
            _ => {}
        }
        if byte == b'\n' || !byte.is_ascii_whitespace() {
            last = byte;
        }
        previous = byte;
    }
    if changed { String::from_utf8(bytes).ok() } else { None }
}

/// Whether the last member of a body can end with this byte.
fn can_byte_end_member(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b')' | b']' | b'}' | b'>' | b'?' | b'"' | b'\'')
}
