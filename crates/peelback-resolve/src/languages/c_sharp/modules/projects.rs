//! The projects of a C# code base: which files are compiled together, and which projects use each other.

use std::collections::{BTreeSet, HashMap};

use crate::modules::{FileId, FileTable, SharedImports, file_name_of_path, folder_of_path, join_and_normalize_path};

/// The limit on the number of steps from a project to those that it refers to.
const MAX_STEPS: usize = 10_000;

/// The projects of a code base, by their files.
#[derive(Default)]
pub(super) struct Projects {
    projects: Vec<Project>,
    /// The project of each folder that has a project file.
    by_folder: HashMap<String, usize>,
}

struct Project {
    /// The projects whose types the project sees, itself among them.
    visible: BTreeSet<usize>,
    /// What all files of the project import.
    usings: SharedImports,
}

impl Projects {
    pub fn new(files: &FileTable) -> Self {
        let mut made = Self::default();
        let mut references: Vec<Vec<String>> = Vec::new();
        let mut by_path: HashMap<String, usize> = HashMap::new();
        let mut shared: Vec<(String, SharedImports)> = Vec::new();
        for (id, entry) in (0..).zip(files.entries()) {
            let is_project = entry.path.ends_with(".csproj");
            let is_shared = file_name_of_path(&entry.path).starts_with("Directory.Build.");
            if !is_project && !is_shared {
                continue;
            }
            let Some(text) = files.read_and_record_text(id) else { continue };
            let folder = folder_of_path(&entry.path).to_owned();
            let usings = usings_of_project_file(&text);
            if is_shared {
                shared.push((folder, usings));
                continue;
            }
            let targets = values_of_attribute(&text, "<ProjectReference ", "Include");
            let targets =
                targets.iter().filter_map(|target| join_and_normalize_path(&folder, &target.replace('\\', "/")));
            let number = made.projects.len();
            by_path.insert(entry.path.clone(), number);
            references.push(targets.collect());
            made.by_folder.entry(folder).or_insert(number);
            made.projects.push(Project { visible: BTreeSet::new(), usings });
        }
        let references: Vec<Vec<usize>> = references
            .into_iter()
            .map(|targets| targets.iter().filter_map(|target| by_path.get(target).copied()).collect())
            .collect();
        for number in 0..made.projects.len() {
            let mut visible = BTreeSet::from([number]);
            let mut next = vec![number];
            while let Some(at) = next.pop().filter(|_| visible.len() < MAX_STEPS) {
                next.extend(references.get(at).into_iter().flatten().copied().filter(|to| visible.insert(*to)));
            }
            if let Some(project) = made.projects.get_mut(number) {
                project.visible = visible;
            }
        }
        for (folder, usings) in shared {
            for (of, number) in &made.by_folder {
                let is_inside = folder.is_empty() || of == &folder || of.starts_with(&format!("{folder}/"));
                if is_inside && let Some(project) = made.projects.get_mut(*number) {
                    project.usings.extend(usings.clone());
                }
            }
        }
        made
    }

    /// The project of a file: that of the nearest folder around it that has a project file.
    pub fn project_of_path(&self, path: &str) -> Option<usize> {
        let mut folder = folder_of_path(path);
        loop {
            if let Some(found) = self.by_folder.get(folder) {
                return Some(*found);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of_path(folder);
        }
    }

    pub fn can_see(&self, from: usize, to: usize) -> bool {
        self.projects.get(from).is_none_or(|project| project.visible.contains(&to))
    }

    pub fn add_usings(&mut self, project: usize, usings: SharedImports) {
        if let Some(project) = self.projects.get_mut(project) {
            project.usings.extend(usings);
        }
    }

    /// What all files of each project import.
    pub fn all_usings(&self) -> impl Iterator<Item = &SharedImports> {
        self.projects.iter().map(|project| &project.usings)
    }

    /// What all files of a project import.
    pub fn usings(&self, project: usize) -> Option<&SharedImports> {
        self.projects.get(project).map(|project| &project.usings)
    }
}

/// The project of each file.
pub(super) type ProjectOfFile = HashMap<FileId, usize>;

/// What the `Using` items of a project file import.
fn usings_of_project_file(text: &str) -> SharedImports {
    let mut found = SharedImports::default();
    for tag in tags_of_element(text, "<Using ") {
        let Some(path) = value_of_attribute(tag, "Include").filter(|path| !path.is_empty()).map(str::to_owned) else {
            continue;
        };
        if let Some(alias) = value_of_attribute(tag, "Alias") {
            found.aliases.push((alias.to_owned(), path));
        } else if value_of_attribute(tag, "Static").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            found.types.push(path);
        } else {
            found.namespaces.push(path);
        }
    }
    found
}

/// The values of an attribute in all elements that begin with a text.
fn values_of_attribute(text: &str, element: &str, attribute: &str) -> Vec<String> {
    tags_of_element(text, element).filter_map(|tag| value_of_attribute(tag, attribute)).map(str::to_owned).collect()
}

/// The texts from behind the name of an element to the end of its tag.
fn tags_of_element<'t>(text: &'t str, element: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(element).skip(1).map(|rest| rest.split_once('>').map_or(rest, |(tag, _)| tag))
}

/// The value of an attribute in the text of a tag.
fn value_of_attribute<'t>(tag: &'t str, attribute: &str) -> Option<&'t str> {
    let (_, value) = tag.split_once(attribute)?;
    let quoted = value.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
    quoted.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_elements_are_read() {
        let text = "<Project>\n<ProjectReference Include=\"..\\A\\A.csproj\" />\n<Using Include = \"N\"/><Using Remove=\"M\"/><Using Include=\"N.T\" Static=\"true\"/><Using Include=\"N.U\" Alias=\"V\"/>";
        assert_eq!(values_of_attribute(text, "<ProjectReference ", "Include"), ["..\\A\\A.csproj"]);
        let usings = usings_of_project_file(text);
        assert_eq!(usings.namespaces, ["N"]);
        assert_eq!(usings.types, ["N.T"]);
        assert_eq!(usings.aliases, [("V".to_owned(), "N.U".to_owned())]);
    }
}
