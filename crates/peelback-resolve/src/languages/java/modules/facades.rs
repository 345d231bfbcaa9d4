//! The classes that Java knows files of functions by: `FilesKt` for `Files.kt`, or the name that files give themselves.
//!
//! Such a class is a package of its own, whose name is that of the package, a mark and the name of the class.

use super::{JavaModules, stem_of_source};
use crate::modules::{FileId, Module, ProjectIndex};

/// Between the name of a package and that of a class that files of the package are.
pub(super) const CLASS_MARK: char = '#';

/// The limit on the length of the name of such a class.
const MAX_NAME_BYTES: usize = 200;

impl JavaModules {
    /// The module of the class `name` that files of a package are for Java.
    pub(super) fn class_of_files(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Option<Module> {
        let first = *self.files_of_class(project_index, package, name).first()?;
        Some(Module::Package(format!("{package}{CLASS_MARK}{name}").into(), first))
    }

    /// The files of a package that are the class `name` for Java. Results are memoized.
    pub(super) fn files_of_class(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Vec<FileId> {
        if name.len() > MAX_NAME_BYTES || !name.starts_with(char::is_uppercase) {
            return Vec::new();
        }
        let key = (Box::from(package), Box::from(name));
        if let Some(known) = self.class_files.get(&key) {
            return known;
        }
        let found = self.find_files_of_class_uncached(project_index, package, name);
        self.class_files.insert(key, found.clone());
        found
    }

    fn find_files_of_class_uncached(&self, project_index: &dyn ProjectIndex, package: &str, name: &str) -> Vec<FileId> {
        let Some(package) = self.packages.get(package) else { return Vec::new() };
        let table = project_index.project_file_table();
        let is_named_so = |file: &FileId| {
            let stem = stem_of_source(table.path_of_file(*file)).unwrap_or("");
            let own_name = name.strip_suffix("Kt").is_some_and(|own| is_equal_but_for_first_letter(own, stem));
            let may_name_itself = own_name || project_index.may_file_contain_name(*file, name);
            let facade = || {
                let names = project_index.names_of_file(*file)?;
                names.facade.map(|facade| names.name_text(facade).to_owned())
            };
            may_name_itself
                && match facade() {
                    Some(facade) => facade == name,
                    None => own_name,
                }
        };
        package
            .files
            .iter()
            .copied()
            .filter(|file| !table.path_of_file(*file).ends_with(".java"))
            .filter(is_named_so)
            .collect()
    }
}

/// Whether two names are equal, but for a small letter at the beginning of the second.
fn is_equal_but_for_first_letter(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.chars(), other.chars());
    match (one.next(), other.next()) {
        (Some(first), Some(second)) => {
            (first == second || second.to_uppercase().eq([first])) && one.as_str() == other.as_str()
        }
        _ => false,
    }
}

/// The name in the `package` line of a text in which no semicolon ends that line; empty for the package without a name.
pub(super) fn package_without_semicolon(text: &str) -> String {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//").or_else(|| rest.strip_prefix("#!")) {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        } else if rest.starts_with("@file") {
            // An annotation ends with its line, or with the bracket that closes it.
            let line_end = rest.find('\n').unwrap_or(rest.len());
            let open = rest.get(..line_end).and_then(|line| line.find(['(', '[']));
            rest = match open {
                Some(open) => after_bracket(rest.get(open..).unwrap_or("")),
                None => rest.get(line_end..).unwrap_or(""),
            };
        } else {
            break;
        }
    }
    let Some(name) = rest.strip_prefix("package").filter(|name| name.starts_with(char::is_whitespace)) else {
        return String::new();
    };
    let end = name.trim_start().find(['\n', ';', '\r']).unwrap_or(name.trim_start().len());
    let name = name.trim_start().get(..end).unwrap_or("");
    let name = name.split("//").next().unwrap_or("");
    name.chars().filter(|c| !c.is_whitespace() && *c != '`').collect()
}

/// The text behind the bracket that closes the one at the beginning.
fn after_bracket(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + c.len_utf8()..).unwrap_or("");
        }
    }
    ""
}
