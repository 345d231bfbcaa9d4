//! Package manifests as lists of keys with line numbers.

use peelback_code::syntax::{Lines, walk_symbols};
use peelback_code::{CodeAccess, SourceFile};

use crate::citations::Reference;

/// The package ecosystem of a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ecosystem {
    Cargo,
    Npm,
    Python,
    Go,
}

impl Ecosystem {
    /// The ecosystem of a manifest, by the manifest's file name.
    pub fn from_manifest_path(path: &str) -> Option<Self> {
        match path.rsplit('/').next().unwrap_or(path) {
            "Cargo.toml" => Some(Self::Cargo),
            "package.json" => Some(Self::Npm),
            "pyproject.toml" => Some(Self::Python),
            "go.mod" => Some(Self::Go),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cargo => "Rust package",
            Self::Npm => "npm package",
            Self::Python => "Python package",
            Self::Go => "Go module",
        }
    }
}

/// A key of a manifest.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// The key's name, prefixed with the names of the enclosing tables and joined by dots.
    pub name: String,
    pub lines: Lines,
    /// The key's value if it is a string.
    pub value: Option<String>,
}

/// A package manifest.
pub(super) struct Manifest {
    pub path: String,
    pub ecosystem: Ecosystem,
    pub keys: Vec<Key>,
}

impl Manifest {
    pub fn read(access: &CodeAccess, path: &str, ecosystem: Ecosystem) -> Option<Self> {
        let file = access.read_file_by_root_path(path).ok()?;
        let keys = if ecosystem == Ecosystem::Go {
            ["module", "go"].into_iter().filter_map(|name| go_mod_directive(&file, name)).collect()
        } else {
            let analysed = access.analyse_source_file(file);
            let text = analysed.file.text.as_str();
            walk_symbols(&analysed.facts.symbols)
                .map(|(symbol, _)| Key {
                    name: symbol.qualified_name.clone(),
                    lines: symbol.lines,
                    value: text.get(symbol.bytes.clone()).and_then(string_value),
                })
                .collect()
        };
        Some(Self { path: path.to_owned(), ecosystem, keys })
    }

    /// The folder that contains the manifest; empty for the root.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// A path relative to the manifest's folder, turned into a path from the root.
    pub fn path_from_root(&self, path: &str) -> String {
        let path = path.trim_start_matches("./");
        if self.folder().is_empty() { path.to_owned() } else { format!("{}/{path}", self.folder()) }
    }

    /// The first existing key among `names`.
    pub fn key(&self, names: &[&str]) -> Option<&Key> {
        names.iter().find_map(|name| self.keys.iter().find(|key| key.name == *name))
    }

    /// The keys directly below a table.
    pub fn keys_below_table<'a>(&'a self, table: &'a str) -> impl Iterator<Item = (&'a str, &'a Key)> {
        self.keys.iter().filter_map(move |key| {
            let name = key.name.strip_prefix(table)?.strip_prefix('.')?;
            Some((name, key))
        })
    }

    /// The key with the package's name.
    pub fn name_key(&self) -> Option<&Key> {
        let names: &[&str] = match self.ecosystem {
            Ecosystem::Cargo => &["package.name"],
            Ecosystem::Npm => &["name"],
            Ecosystem::Python => &["project.name", "tool.poetry.name"],
            Ecosystem::Go => &["module"],
        };
        self.key(names)
    }

    /// The key with the package's description.
    pub fn description_key(&self) -> Option<&Key> {
        let names: &[&str] = match self.ecosystem {
            Ecosystem::Cargo => &["package.description"],
            Ecosystem::Npm => &["description"],
            Ecosystem::Python => &["project.description", "tool.poetry.description"],
            Ecosystem::Go => &[],
        };
        self.key(names).filter(|key| key.value.is_some())
    }

    /// The name of a language and the key that declares its required version.
    pub fn language_version_key(&self) -> Option<(&'static str, &Key)> {
        let (what, names): (_, &[&str]) = match self.ecosystem {
            Ecosystem::Cargo => ("Rust", &["package.rust-version", "workspace.package.rust-version"]),
            Ecosystem::Npm => ("Node", &["engines.node"]),
            Ecosystem::Python => ("Python", &["project.requires-python", "tool.poetry.dependencies.python"]),
            Ecosystem::Go => ("Go", &["go"]),
        };
        self.key(names).filter(|key| key.value.is_some()).map(|key| (what, key))
    }

    /// A citable reference to the line of a key.
    pub fn reference(&self, key: &Key) -> Reference {
        Reference {
            path: self.path.clone(),
            line_start: key.lines.first,
            line_end: key.lines.last,
            description: format!("key {}", key.name),
        }
    }
}

/// The value of a one-line directive of `go.mod`: the module path or the Go version.
fn go_mod_directive(file: &SourceFile, name: &str) -> Option<Key> {
    let (line, value) = (1..).zip(file.text.lines()).find_map(|(line, text)| {
        let value = text.strip_prefix(name)?.strip_prefix(char::is_whitespace)?;
        Some((line, value.split("//").next().filter(|_| name != "module").unwrap_or(value)))
    })?;
    let value = Some(value.trim().trim_matches('"').to_owned());
    Some(Key { name: name.to_owned(), lines: Lines { first: line, last: line }, value })
}

/// The string after the colon or equals sign of a key; `None` if the value is not a string.
fn string_value(text: &str) -> Option<String> {
    // A quoted key name can contain a colon or an equals sign.
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
    use super::string_value;

    #[test]
    fn values_are_strings_or_nothing() {
        assert_eq!(string_value(r#""a:b": "tsc -p ."#), None);
        assert_eq!(string_value(r#""a:b": "tsc -p .""#).as_deref(), Some("tsc -p ."));
        assert_eq!(string_value(r#"name = "x" # y"#).as_deref(), Some("x"));
        assert_eq!(string_value("name = 'x'").as_deref(), Some("x"));
        assert_eq!(string_value("members = [\"a\"]"), None);
        assert_eq!(string_value("name"), None);
        assert_eq!(string_value(""), None);
    }
}
