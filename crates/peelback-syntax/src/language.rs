//! The list of supported languages, and the detection of a file's language.

use crate::languages;
use crate::manifest::PackageManifest;
use crate::project_files::{ProjectFiles, ToolSettings};

pub use crate::spec::{Keywords, Language, ModuleUnit, NotebookSyntax, StubStyle, Tier};

/// All languages, in a fixed order. Languages whose grammar is not compiled into this build are included.
pub fn all_languages() -> &'static [&'static Language] {
    languages::ALL
}

/// The language whose name is exactly `name`.
pub fn language_by_exact_name(name: &str) -> Option<&'static Language> {
    all_languages().iter().copied().find(|language| language.name == name)
}

/// The language whose name or alias is `word`, ignoring case. Code fences in Markdown, for example, name languages in
/// this way.
pub fn language_by_name_or_alias(word: &str) -> Option<&'static Language> {
    let word = word.to_ascii_lowercase();
    language_by_exact_name(&word)
        .or_else(|| all_languages().iter().copied().find(|language| language.aliases.contains(&word.as_str())))
}

/// The language of a file by its name alone. Where two languages share an extension, the result is the language that
/// owns the extension: `.h` is C. [`language_of_file_name_and_text`] also looks at the text.
pub fn language_of_file_name(file_name: &str) -> Option<&'static Language> {
    if let Some(language) = all_languages().iter().find(|l| l.file_names.contains(&file_name)) {
        return Some(language);
    }
    let extension = lowercase_extension(file_name)?;
    let by_extension = all_languages().iter().find(|language| language.extensions.contains(&extension.as_str()));
    let by_first_part = || {
        let (name, _) = file_name.split_once('.')?;
        all_languages().iter().find(|language| language.variant_file_names.contains(&name))
    };
    by_extension.or_else(by_first_part).copied()
}

/// The possible languages of a file with this name: the language from [`language_of_file_name`], and the languages that
/// share the file's extension and are recognised by the text.
pub fn possible_languages_of_file_name(file_name: &str) -> impl Iterator<Item = &'static Language> {
    let is_notebook = is_notebook_name(file_name);
    language_of_file_name(file_name)
        .into_iter()
        .chain(languages_with_text_rule_for_extension(file_name).map(|(language, _)| language))
        .chain(all_languages().iter().copied().filter(move |language| is_notebook && language.notebook.is_some()))
}

/// The language of a file: by its name; by its text where two languages share the extension; and by the `#!` line where
/// the name determines no language.
pub fn language_of_file_name_and_text(file_name: &str, text: &str) -> Option<&'static Language> {
    let Some(owner) = language_of_file_name(file_name) else { return language_of_shebang(text) };
    if is_notebook_name(file_name)
        && let Some(named) = text.lines().next().and_then(|first| first.split_once(NOTEBOOK_MARK))
    {
        return language_by_exact_name(named.1);
    }
    let by_text = languages_with_text_rule_for_extension(file_name).find(|(_, matches)| matches(text));
    Some(by_text.map_or(owner, |(language, _)| language))
}

/// What stands between the start of a comment and the name of the language, in the first line of a text that was made from
/// a notebook.
const NOTEBOOK_MARK: &str = " notebook: ";

/// Whether a file is a Jupyter notebook, by its name.
pub fn is_notebook_name(file_name: &str) -> bool {
    lowercase_extension(file_name).is_some_and(|extension| extension == "ipynb")
}

/// How code looks in a notebook, and the line with which its text begins. `kernel_language` is what the notebook calls its
/// language; without it, it is in the language that has the extension. `None` where such notebooks are not read.
pub fn syntax_and_first_line_of_notebook(kernel_language: Option<&str>) -> Option<(NotebookSyntax, String)> {
    let language = match kernel_language {
        Some(name) => language_by_name_or_alias(name),
        None => language_of_file_name("a.ipynb"),
    }?;
    let syntax = language.notebook?;
    Some((syntax, format!("{}{NOTEBOOK_MARK}{}", syntax.comment, language.name)))
}

/// Whether the cells of notebooks can be in the language with this name.
pub fn is_language_of_notebooks(name: &str) -> bool {
    language_by_exact_name(name).is_some_and(|language| language.notebook.is_some())
}

/// Whether a text is what was made from a notebook, by its first line.
pub fn is_text_of_notebook(text: &str) -> bool {
    text.lines().next().is_some_and(|first| first.contains(NOTEBOOK_MARK))
}

/// For each language, the files and folders that have a meaning by their names in its projects, such as package
/// manifests.
pub fn well_known_project_files_of_languages() -> impl Iterator<Item = &'static ProjectFiles> {
    all_languages().iter().map(|language| &language.project_files)
}

/// The settings files of formatters, linters and type checkers of all languages, in the order in which documents list
/// them.
pub fn tool_settings_files_of_all_languages() -> impl Iterator<Item = &'static ToolSettings> {
    languages::WITH_TOOL_SETTINGS.iter().flat_map(|language| language.project_files.tool_settings)
}

/// The kind of package manifest that has this file name, or `None` where the file is not a manifest.
pub fn package_manifest_kind_by_file_name(file_name: &str) -> Option<&'static PackageManifest> {
    well_known_project_files_of_languages()
        .filter_map(|files| files.manifest)
        .find(|manifest| manifest.file_name == file_name)
}

/// The unit that imports name in the language of the file with this name: a single file or a folder. A single file
/// where the language is not known.
pub fn module_unit_of_file_name_language(file_name: &str) -> ModuleUnit {
    language_of_file_name(file_name).map_or(ModuleUnit::File, |language| language.module_unit)
}

/// The languages that share a file's extension with the owner of the extension, each with the function that recognises
/// the language by the file's text.
fn languages_with_text_rule_for_extension(
    file_name: &str,
) -> impl Iterator<Item = (&'static Language, fn(&str) -> bool)> {
    let extension = lowercase_extension(file_name).unwrap_or_default();
    all_languages().iter().filter_map(move |language| {
        let rule = language.content_rule.filter(|rule| rule.extensions.contains(&extension.as_str()))?;
        Some((*language, rule.matches))
    })
}

/// A file name's extension in lower case. A name whose only dot is its first character has no extension.
fn lowercase_extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
}

fn language_of_shebang(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    all_languages().iter().copied().find(|language| language.interpreters.contains(&program))
}
