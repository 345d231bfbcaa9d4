//! What `.gitattributes` say of generated and third-party files: the attributes `linguist-generated` and
//! `linguist-vendored`, by which code hosts fold files in reviews.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::file_table::folder_of_path;
use crate::project::Project;
use crate::source::SourceFile;
use crate::walk::{Decision, IgnorePatterns};

/// The attributes that mark a file as not written for this project by a person.
const ATTRIBUTES: [&str; 2] = ["linguist-generated", "linguist-vendored"];

/// The maximum size in bytes of an attributes file. Each path is matched with all patterns that have wildcards.
const MAX_ATTRIBUTES_BYTES: u64 = 256 << 10;

/// The attributes files of folders that were looked at.
#[derive(Debug, Default)]
pub(super) struct AttributesOfFolders(Mutex<HashMap<String, Arc<FolderAttributes>>>);

/// The attributes file of one folder. Its lines for an attribute are the lines of an ignore file: a pattern sets the
/// attribute, and one after a `!` removes it.
#[derive(Debug, Default)]
struct FolderAttributes([IgnorePatterns; ATTRIBUTES.len()]);

impl AttributesOfFolders {
    /// Whether the attributes files say that a file is generated (or third-party) or that it is not; `None` where they
    /// say nothing. The file in the nearest folder decides, and there the last line.
    pub fn is_marked_generated(&self, project: &Project, path: &str) -> Option<bool> {
        let mut said = [None; ATTRIBUTES.len()];
        let mut folder = folder_of_path(path);
        loop {
            let attributes = self.of_folder(project, folder);
            let below = path.get(folder.len()..).unwrap_or(path).trim_start_matches('/');
            for (said, patterns) in said.iter_mut().zip(&attributes.0) {
                if said.is_none() && !patterns.is_empty() {
                    *said = patterns.ignore_decision_for_path(below.as_bytes(), false);
                }
            }
            if folder.is_empty() {
                break;
            }
            folder = folder_of_path(folder);
        }
        let is_marked = said.contains(&Some(Decision::Ignored));
        (is_marked || said.iter().any(Option::is_some)).then_some(is_marked)
    }

    fn of_folder(&self, project: &Project, folder: &str) -> Arc<FolderAttributes> {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let path = if folder.is_empty() { ".gitattributes".to_owned() } else { format!("{folder}/.gitattributes") };
        let file = project
            .find_readable_file_by_root_path(&path)
            .and_then(|entry| SourceFile::read_unless_larger_than(&entry, MAX_ATTRIBUTES_BYTES).ok());
        let attributes = Arc::new(file.map(|file| FolderAttributes::new(&file.text)).unwrap_or_default());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned(), attributes.clone());
        attributes
    }
}

impl FolderAttributes {
    fn new(text: &str) -> Self {
        Self(ATTRIBUTES.map(|attribute| IgnorePatterns::new(patterns_of_attribute(text, attribute).as_bytes(), false)))
    }
}

/// The lines of an attributes file that set or remove `attribute`, as lines of an ignore file.
fn patterns_of_attribute(text: &str, attribute: &str) -> String {
    let mut patterns = String::new();
    let mut macros: HashSet<&str> = HashSet::new();
    for line in text.lines().map(str::trim_start) {
        if let Some(definition) = line.strip_prefix("[attr]") {
            let mut words = definition.split_whitespace();
            if let Some(name) = words.next()
                && words.any(|word| state_of_attribute(word, attribute) == Some(true))
            {
                macros.insert(name);
            }
            continue;
        }
        let Some((pattern, states)) = pattern_and_rest(line) else { continue };
        let state_of_word =
            |word| state_of_attribute(word, attribute).or_else(|| macros.contains(word).then_some(true));
        let Some(is_set) = states.split_whitespace().rev().find_map(state_of_word) else { continue };
        // In an attributes file, a pattern for folders matches no file, and none begins with a `!`.
        if !pattern.ends_with('/') && !pattern.starts_with(['!', '#']) {
            patterns.push_str(if is_set { "" } else { "!" });
            patterns.push_str(pattern);
            patterns.push('\n');
        }
    }
    patterns
}

/// The pattern of a line, without its quotes, and what follows; `None` for a comment.
fn pattern_and_rest(line: &str) -> Option<(&str, &str)> {
    match line.strip_prefix('"') {
        // Escapes in quotes are those of C; a pattern with one is passed over.
        Some(quoted) => quoted.split_once('"').filter(|(pattern, _)| !pattern.contains('\\')),
        None if line.starts_with('#') => None,
        None => line.split_once(char::is_whitespace),
    }
}

/// Whether a word of a line sets `attribute` or removes it; `None` where it is about another attribute.
fn state_of_attribute(word: &str, attribute: &str) -> Option<bool> {
    let (is_positive, rest) = match word.strip_prefix(['-', '!']) {
        Some(rest) => (false, rest),
        None => (true, word),
    };
    let value = rest.strip_prefix(attribute)?;
    match value.strip_prefix('=') {
        Some(value) => Some(is_positive && !value.eq_ignore_ascii_case("false")),
        None => value.is_empty().then_some(is_positive),
    }
}

#[cfg(test)]
mod tests {
    use super::patterns_of_attribute;

    #[test]
    fn lines_for_an_attribute_become_lines_of_an_ignore_file() {
        let text = "# a comment linguist-generated\n*.pb.go linguist-generated\n/api/** linguist-generated=true -diff\n\
                    api/own.go -linguist-generated\napi/other.go linguist-generated=false\n*.md text\n\
                    \"with space.js\" linguist-generated\n[attr]written linguist-generated -diff\nlock.json written\n\
                    out/ linguist-generated\n*.x linguist-generated-not\n";
        let expected = "*.pb.go\n/api/**\n!api/own.go\n!api/other.go\nwith space.js\nlock.json\n";
        assert_eq!(patterns_of_attribute(text, "linguist-generated"), expected);
    }
}
