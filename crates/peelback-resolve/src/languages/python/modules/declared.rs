//! The packages that a Python project says it needs.

use std::collections::HashSet;

use crate::modules::{Files, name_of};

/// How many files are read for what they declare.
const MAX_FILES: usize = 100;

/// A package's name as all spellings of it have in common.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '_' | '.') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The packages that requirement and project files name: what begins a line or a string and is followed by nothing or a
/// version.
pub(super) fn packages(files: &Files) -> HashSet<String> {
    let mut found = HashSet::new();
    let declaring = (0..).zip(files.entries()).filter(|(_, entry)| declares(&entry.path));
    for (file, _) in declaring.take(MAX_FILES) {
        for line in files.read(file).unwrap_or_default().lines() {
            read_line(line, &mut found);
        }
    }
    found
}

fn declares(path: &str) -> bool {
    let name = name_of(path);
    matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile")
        || (name.contains("requirements") && (name.ends_with(".txt") || name.ends_with(".in")))
}

fn read_line(line: &str, found: &mut HashSet<String>) {
    let key = line.trim_start().split(['=', ' ', ':']).next().unwrap_or("");
    // What the project itself is called and made of.
    if matches!(key, "name" | "packages" | "py_modules" | "include" | "module" | "where" | "from") {
        return;
    }
    for part in std::iter::once(line).chain(line.split(['"', '\'']).skip(1)) {
        let part = part.trim_start();
        let end =
            part.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let version = rest.trim_start().chars().next();
        let versioned = version.is_none_or(|c| matches!(c, '=' | '<' | '>' | '~' | '!' | '[' | ';' | '#' | '@' | '"'));
        if versioned && !name.is_empty() {
            found.insert(plain(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_versions_are_packages() {
        let mut found = HashSet::new();
        let lines = "name = \"app\"\npackages = [\"app\"]\nrequests>=2\n  \"Flask_Login[x] ~= 1\",\nclick = \"^8\"\nnumpy\n\
                     see app for more";
        for line in lines.lines() {
            read_line(line, &mut found);
        }
        let mut found: Vec<String> = found.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["click", "flask-login", "numpy", "requests"]);
    }
}
