//! Finds the packages that a Python project declares as requirements.

use std::collections::HashSet;

use crate::modules::{FileTable, file_name_of_path};

/// The limit on the number of requirement and project files that are read.
const MAX_FILES: usize = 100;

/// A Python package name in normalised form, which is the same for all spellings of the name.
pub(super) fn normalise_package_name(name: &str) -> String {
    name.chars().map(|c| if matches!(c, '_' | '.') { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The packages that requirement and project files name. A package is a name at the start of a line or string, followed
/// by nothing or by a version.
pub(super) fn normalised_names_of_declared_packages(files: &FileTable) -> HashSet<String> {
    let mut found = HashSet::new();
    let declaring = (0..).zip(files.entries()).filter(|(_, entry)| is_requirements_or_project_file(&entry.path));
    for (file, _) in declaring.take(MAX_FILES) {
        for line in files.read_and_record_text(file).unwrap_or_default().lines() {
            add_package_names_in_line(line, &mut found);
        }
    }
    found
}

fn is_requirements_or_project_file(path: &str) -> bool {
    let name = file_name_of_path(path);
    matches!(name, "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile")
        || (name.contains("requirements") && (name.ends_with(".txt") || name.ends_with(".in")))
}

fn add_package_names_in_line(line: &str, found: &mut HashSet<String>) {
    let key = line.trim_start().split(['=', ' ', ':']).next().unwrap_or("");
    // These keys of project files have the project's own name and contents as values, not its requirements.
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
            found.insert(normalise_package_name(name));
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
            add_package_names_in_line(line, &mut found);
        }
        let mut found: Vec<String> = found.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["click", "flask-login", "numpy", "requests"]);
    }
}
