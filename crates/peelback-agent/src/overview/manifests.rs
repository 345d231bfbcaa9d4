//! Package manifests, such as `Cargo.toml`, as lists of keys with line numbers.

use peelback_code::syntax::manifest::{Directive, PackageManifest};
use peelback_code::syntax::{Lines, walk_symbols_with_depth};
use peelback_code::{CodeAccess, SourceFile};

use crate::citations::Reference;

/// A key of a package manifest.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The key's name after the names of the tables that enclose it, joined by dots.
    pub name: String,
    pub lines: Lines,
    /// The key's value if it is a string; otherwise `None`.
    pub value: Option<String>,
}

/// A package manifest.
pub(super) struct Manifest {
    pub path: String,
    pub kind: &'static PackageManifest,
    pub keys: Vec<Key>,
}

impl Manifest {
    pub fn read(access: &CodeAccess, path: &str, kind: &'static PackageManifest) -> Option<Self> {
        let file = access.read_file_by_root_path(path).ok()?;
        let keys = if !kind.directives.is_empty() {
            kind.directives.iter().filter_map(|directive| find_directive_as_key(&file, directive)).collect()
        } else {
            let analysed = access.analyse_source_file(file);
            let text = analysed.file.text.as_str();
            walk_symbols_with_depth(&analysed.facts.symbols)
                .map(|(symbol, _)| Key {
                    name: symbol.qualified_name.clone(),
                    lines: symbol.lines,
                    value: text.get(symbol.bytes.clone()).and_then(string_value_of_key_text),
                })
                .collect()
        };
        Some(Self { path: path.to_owned(), kind, keys })
    }

    /// The folder that contains the manifest; empty for the project's root.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Converts a path relative to the manifest's folder to a path from the project's root.
    pub fn convert_to_path_from_root(&self, path: &str) -> String {
        let path = path.trim_start_matches("./");
        if self.folder().is_empty() { path.to_owned() } else { format!("{}/{path}", self.folder()) }
    }

    /// The first of the keys `names` that the manifest contains.
    pub fn first_existing_key(&self, names: &[&str]) -> Option<&Key> {
        names.iter().find_map(|name| self.keys.iter().find(|key| key.name == *name))
    }

    /// The keys directly below a table.
    pub fn keys_below_table<'a>(&'a self, table: &'a str) -> impl Iterator<Item = (&'a str, &'a Key)> {
        self.keys.iter().filter_map(move |key| {
            let name = key.name.strip_prefix(table)?.strip_prefix('.')?;
            Some((name, key))
        })
    }

    /// The key whose value is the package's name.
    pub fn package_name_key(&self) -> Option<&Key> {
        self.first_existing_key(self.kind.name_keys)
    }

    /// The key whose value is the package's description.
    pub fn description_key(&self) -> Option<&Key> {
        self.first_existing_key(self.kind.description_keys).filter(|key| key.value.is_some())
    }

    /// The key that declares the required version of the manifest's language or runtime.
    pub fn language_version_key(&self) -> Option<&Key> {
        self.first_existing_key(self.kind.version_keys).filter(|key| key.value.is_some())
    }

    /// A code reference to the lines of a key in the manifest.
    pub fn code_reference_to_key_lines(&self, key: &Key) -> Reference {
        Reference {
            path: self.path.clone(),
            line_start: key.lines.first,
            line_end: key.lines.last,
            description: format!("key {}", key.name),
        }
    }
}

/// The first line of a manifest that begins with this directive, as a key.
fn find_directive_as_key(file: &SourceFile, directive: &Directive) -> Option<Key> {
    let (line, value) = (1..).zip(file.text.lines()).find_map(|(line, text)| {
        let value = text.strip_prefix(directive.name)?.strip_prefix(char::is_whitespace)?;
        Some((line, value.split("//").next().filter(|_| directive.has_comment).unwrap_or(value)))
    })?;
    let value = Some(value.trim().trim_matches('"').to_owned());
    Some(Key { name: directive.name.to_owned(), lines: Lines { first: line, last: line }, value })
}

/// The string after the colon or equals sign in the text of a manifest key; `None` if the key's value is not a string.
fn string_value_of_key_text(text: &str) -> Option<String> {
    // The quoted name of a manifest key can contain a colon or an equals sign.
    let after_name = match text.trim_start().strip_prefix('"') {
        Some(rest) => rest.split_once('"')?.1,
        None => text,
    };
    let at = after_name.find([':', '='])?;
    let value = after_name.get(at + 1..)?.trim().trim_end_matches(',').trim_end();
    if let Ok(serde_json::Value::String(value)) = serde_json::from_str(value) {
        return Some(value);
    }
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = value.strip_prefix(quote)?;
    let end = inner.find(quote)?;
    let inner = inner.get(..end)?;
    (!inner.contains('\n') && !inner.is_empty()).then(|| inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::string_value_of_key_text;

    #[test]
    fn values_are_strings_or_nothing() {
        assert_eq!(string_value_of_key_text(r#""a:b": "tsc -p ."#), None);
        assert_eq!(string_value_of_key_text(r#""a:b": "tsc -p .""#).as_deref(), Some("tsc -p ."));
        assert_eq!(string_value_of_key_text(r#"name = "x" # y"#).as_deref(), Some("x"));
        assert_eq!(string_value_of_key_text("name = 'x'").as_deref(), Some("x"));
        assert_eq!(string_value_of_key_text("members = [\"a\"]"), None);
        assert_eq!(string_value_of_key_text("name"), None);
        assert_eq!(string_value_of_key_text(""), None);
    }
}
