//! Workspaces: groups of project packages that can import each other by name.

use std::collections::BTreeMap;

use globset::{Glob, GlobSet, GlobSetBuilder};
use peelback_project::glob_nesting_error;

use super::lookup::relative_path_below;
use crate::json::Json;
use crate::modules::{ProjectIndex, file_name_of_path, folder_of_path, join_and_normalize_path};

/// The limit on the number of patterns by which a workspace lists its packages: the matcher of one takes some 5 KB.
const MAX_PATTERNS: usize = 10_000;

/// A workspace: a group of packages of the project that can import each other by name.
#[derive(Debug, Default)]
pub(super) struct NpmWorkspace {
    /// The folder of each package, by the package's name.
    pub members: BTreeMap<String, String>,
}

impl NpmWorkspace {
    /// The workspace with the root folder `root`; `None` if that folder is no workspace root. `packages` lists the
    /// folders of all packages of the project with their names.
    pub fn from_root_folder(
        project_index: &dyn ProjectIndex,
        root: &str,
        packages: &[(String, String)],
    ) -> Option<Self> {
        let patterns = read_workspace_package_patterns(project_index, root)?;
        let set = |negative: bool| {
            let mut builder = GlobSetBuilder::new();
            for pattern in patterns.iter().take(MAX_PATTERNS) {
                let (denied, pattern) =
                    pattern.strip_prefix('!').map_or((false, pattern.as_str()), |rest| (true, rest));
                let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
                if denied == negative
                    && glob_nesting_error(pattern).is_none()
                    && let Ok(glob) = build_folder_glob(pattern)
                {
                    builder.add(glob);
                }
            }
            builder.build().unwrap_or_else(|_| GlobSet::empty())
        };
        let (wanted, denied) = (set(false), set(true));
        let mut members = BTreeMap::new();
        for (folder, name) in packages {
            let inside = if folder == root { Some("") } else { relative_path_below(folder, root) };
            let Some(inside) = inside else { continue };
            let member = inside.is_empty() || (wanted.is_match(inside) && !denied.is_match(inside));
            if member {
                members.entry(name.clone()).or_insert_with(|| folder.clone());
            }
        }
        Some(Self { members })
    }
}

/// Builds the matcher for a folder pattern of a workspace, in which `*` matches one folder level.
fn build_folder_glob(pattern: &str) -> Result<Glob, globset::Error> {
    globset::GlobBuilder::new(pattern).literal_separator(true).build()
}

/// The folder patterns by which a workspace root lists its packages; `None` if the folder `root` is no workspace root.
fn read_workspace_package_patterns(project_index: &dyn ProjectIndex, root: &str) -> Option<Vec<String>> {
    let files = project_index.project_file_table();
    let read = |name: &str| {
        let path = join_and_normalize_path(root, name)?;
        files.id_of_path(&path).and_then(|file| files.read_and_record_text(file))
    };
    let mut found: Vec<String> = Vec::new();
    let mut any = false;
    if let Some(text) = read("pnpm-workspace.yaml") {
        any = true;
        found.extend(yaml_list_under_top_level_key(&text, "packages"));
    }
    if let Some(text) = read("package.json") {
        let json = Json::parse(&text);
        let workspaces = json.get("workspaces");
        let nested = workspaces.get("packages");
        let patterns = if nested.is_null() { workspaces } else { nested };
        any |= !patterns.is_null();
        found.extend(patterns.texts_of_list_or_single_text().into_iter().map(str::to_owned));
    }
    if let Some(text) = read("lerna.json") {
        any = true;
        let json = Json::parse(&text);
        found.extend(json.get("packages").texts_of_list_or_single_text().into_iter().map(str::to_owned));
    }
    any.then_some(found)
}

/// The list under a top-level key of a YAML document, which is the only form in which `pnpm-workspace.yaml` lists
/// packages.
fn yaml_list_under_top_level_key(yaml: &str, key: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in yaml.lines() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(item) = text.strip_prefix("- ").filter(|_| inside) {
            let item = item.split(" #").next().unwrap_or(item).trim();
            found.push(item.trim_matches(['"', '\'']).to_owned());
        } else if !line.starts_with([' ', '\t', '-']) {
            let (name, rest) = text.split_once(':').unwrap_or((text, ""));
            inside = name.trim_matches(['"', '\'']) == key;
            // The inline form: `packages: [a, b]`.
            if let Some(items) = rest.trim().strip_prefix('[').filter(|_| inside) {
                let items = items.split(']').next().unwrap_or(items).split(',');
                found.extend(items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned()));
            }
        }
    }
    found.retain(|item| !item.is_empty());
    found
}

/// The folders of all `package.json` files of the project.
pub(super) fn folders_with_package_json(project_index: &dyn ProjectIndex) -> Vec<String> {
    let entries = project_index.project_file_table().entries().iter();
    let packages = entries.filter(|entry| file_name_of_path(&entry.path) == "package.json");
    packages.map(|entry| folder_of_path(&entry.path).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::yaml_list_under_top_level_key;

    #[test]
    fn the_packages_of_a_pnpm_workspace_are_read() {
        let yaml = "# all\ncatalog:\n  - no\npackages:\n  # here\n  - packages/*\n  - '!**/test' # not\n- \"apps/*\"\nonly: 1\n";
        assert_eq!(yaml_list_under_top_level_key(yaml, "packages"), ["packages/*", "!**/test", "apps/*"]);
        assert_eq!(yaml_list_under_top_level_key("packages: ['a', b]", "packages"), ["a", "b"]);
    }
}
