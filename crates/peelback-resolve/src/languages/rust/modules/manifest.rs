//! Reads the Rust package that a `Cargo.toml` describes: its targets, and the crates that it depends on.

use std::collections::{BTreeMap, HashSet};

use toml_edit::{DocumentMut, Item, TableLike};

use crate::modules::{FileId, FileTable, file_name_of_path, folder_of_path, join_and_normalize_path};

/// A Rust package of the project, as its `Cargo.toml` describes it.
#[derive(Debug, Default)]
pub(super) struct CargoPackage {
    /// The folder of the package's manifest.
    pub folder: String,
    /// The name of the package in its manifest.
    pub name: String,
    /// The crate name of the package's library, as code writes it.
    pub library_name: String,
    /// The root file of the package's library crate.
    pub library_root: Option<FileId>,
    /// The root files of all crates of the package: library, binaries, tests and others.
    pub crate_roots: Vec<FileId>,
    /// The dependencies of the package that are inside the project: the crate name as code writes it, with the folder
    /// of the dependency's manifest.
    pub dependencies: BTreeMap<String, String>,
    /// The crate names of all dependencies, as code writes them.
    dependency_names: HashSet<String>,
    /// The names, without `_`, of dependencies that the manifest does not rename. A library's crate name may differ
    /// from the package name, and sometimes omits a part (`md-5` is `md5`).
    loose_dependency_names: HashSet<String>,
    /// Whether `use` paths begin at the crate root, as they did before the 2018 edition.
    pub has_2015_paths: bool,
}

impl CargoPackage {
    /// Whether a name in code can be the crate name of one of the manifest's dependencies.
    pub fn can_be_dependency_name(&self, name: &str) -> bool {
        self.dependency_names.contains(name)
            || self.loose_dependency_names.contains(&name.replace('_', ""))
            || self.library_name == name
    }

    fn add_dependency_names(&mut self, key: &str, value: &Item) {
        let name = key.replace('-', "_");
        if value.as_table_like().is_none_or(|table| table.get("package").is_none()) {
            self.loose_dependency_names.insert(name.replace('_', ""));
            // Some crate names omit a language prefix or suffix: `xml-rs` is `xml`, `rust-crypto` is `crypto`.
            let parts = ["rust_", "rs_"].iter().find_map(|first| name.strip_prefix(first));
            let parts = parts.or_else(|| ["_rs", "_rust"].iter().find_map(|last| name.strip_suffix(last)));
            self.loose_dependency_names.extend(parts.map(|parts| parts.replace('_', "")));
        }
        self.dependency_names.insert(name);
    }
}

/// A parsed `Cargo.toml`, with the folder that contains it.
pub(super) struct CargoManifest {
    folder: String,
    document: DocumentMut,
}

impl CargoManifest {
    /// Reads the `Cargo.toml` in `file`; `None` if it cannot be read or parsed.
    pub fn read(files: &FileTable, file: FileId) -> Option<Self> {
        let document = files.read_and_record_text(file)?.parse::<DocumentMut>().ok()?;
        Some(Self { folder: folder_of_path(files.path_of_file(file)).to_owned(), document })
    }

    fn table_at_key_path(&self, path: &[&str]) -> Option<&dyn TableLike> {
        let mut item = self.document.as_item();
        for key in path {
            item = item.as_table_like()?.get(key)?;
        }
        item.as_table_like()
    }

    fn has_workspace_table(&self) -> bool {
        self.document.get("workspace").is_some()
    }

    /// The package that the manifest describes, if it describes one; `all` contains all manifests of the project.
    pub fn to_package(&self, files: &FileTable, all: &[Self]) -> Option<CargoPackage> {
        let table = self.table_at_key_path(&["package"])?;
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        let workspace = self.nearest_workspace_manifest(all);
        let mut package = CargoPackage { folder: self.folder.clone(), ..CargoPackage::default() };
        package.library_name = self
            .table_at_key_path(&["lib"])
            .and_then(|lib| lib.get("name"))
            .and_then(Item::as_str)
            .unwrap_or(&name)
            .replace('-', "_");
        package.name = name;
        package.has_2015_paths = match table.get("edition") {
            None => true,
            Some(edition) => edition.as_str() == Some("2015"),
        };
        self.find_and_set_crate_roots(files, table, &mut package);
        for table in self.dependency_tables() {
            for (key, value) in table.iter() {
                package.add_dependency_names(key, value);
                if let Some(folder) = self.folder_of_project_dependency(key, value, workspace) {
                    package.dependencies.insert(key.replace('-', "_"), folder);
                }
            }
        }
        Some(package)
    }

    /// The manifest of the Cargo workspace that the package belongs to.
    fn nearest_workspace_manifest<'a>(&self, all: &'a [Self]) -> Option<&'a Self> {
        let holds = |other: &&Self| {
            other.has_workspace_table()
                && (other.folder.is_empty()
                    || self.folder == other.folder
                    || self.folder.strip_prefix(&other.folder).is_some_and(|rest| rest.starts_with('/')))
        };
        all.iter().filter(holds).max_by_key(|other| other.folder.len())
    }

    fn dependency_tables(&self) -> Vec<&dyn TableLike> {
        const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
        let mut tables: Vec<&dyn TableLike> = KINDS.iter().filter_map(|kind| self.table_at_key_path(&[kind])).collect();
        if let Some(targets) = self.table_at_key_path(&["target"]) {
            let of_targets = targets.iter().filter_map(|(_, target)| target.as_table_like());
            for target in of_targets {
                tables.extend(KINDS.iter().filter_map(|kind| target.get(kind)?.as_table_like()));
            }
        }
        tables
    }

    /// The folder of a dependency's manifest, if the dependency is in the project.
    fn folder_of_project_dependency(&self, key: &str, value: &Item, workspace: Option<&Self>) -> Option<String> {
        let of = |from: &Self, value: &Item| {
            let path = value.as_table_like()?.get("path")?.as_str()?;
            join_and_normalize_path(&from.folder, path)
        };
        if let Some(folder) = of(self, value) {
            return Some(folder);
        }
        let workspace = workspace?;
        let table = value.as_table_like();
        let inherits = table.and_then(|table| table.get("workspace")).and_then(Item::as_bool) == Some(true);
        if inherits
            && let Some(folder) = of(workspace, workspace.table_at_key_path(&["workspace", "dependencies"])?.get(key)?)
        {
            return Some(folder);
        }
        // The `[patch]` table of the workspace may replace the dependency with a local package.
        let package = table.and_then(|table| table.get("package")).and_then(Item::as_str).unwrap_or(key);
        let patches = workspace.table_at_key_path(&["patch"])?;
        patches.iter().find_map(|(_, source)| of(workspace, source.as_table_like()?.get(package)?))
    }

    /// Finds the root files of the package's crates.
    fn find_and_set_crate_roots(&self, files: &FileTable, table: &dyn TableLike, package: &mut CargoPackage) {
        let at = |path: &str| files.id_of_path(&join_and_normalize_path(&self.folder, path)?);
        let path_of = |target: &dyn TableLike| target.get("path").and_then(Item::as_str).and_then(at);
        package.library_root = self.table_at_key_path(&["lib"]).and_then(path_of).or_else(|| at("src/lib.rs"));
        let mut roots: Vec<FileId> = package.library_root.into_iter().collect();
        for (kind, folder, auto) in [
            ("bin", "src/bin", "autobins"),
            ("example", "examples", "autoexamples"),
            ("test", "tests", "autotests"),
            ("bench", "benches", "autobenches"),
        ] {
            let named =
                |name: &str| at(&format!("{folder}/{name}.rs")).or_else(|| at(&format!("{folder}/{name}/main.rs")));
            let listed = self.document.get(kind).and_then(Item::as_array_of_tables);
            for target in listed.into_iter().flatten() {
                let name = target.get("name").and_then(Item::as_str);
                roots.extend(path_of(target).or_else(|| named(name?)));
            }
            if table.get(auto).and_then(Item::as_bool) == Some(false) {
                continue;
            }
            if kind == "bin" {
                roots.extend(at("src/main.rs"));
            }
            let Some(folder) = join_and_normalize_path(&self.folder, folder) else { continue };
            for file in files.files_below_folder(&folder) {
                let path = files.path_of_file(file);
                let below = path.get(folder.len() + 1..).unwrap_or("");
                let is_root = match below.split_once('/') {
                    None => std::path::Path::new(below).extension().is_some_and(|extension| extension == "rs"),
                    Some((_, rest)) => rest == "main.rs",
                };
                if is_root {
                    roots.push(file);
                }
            }
        }
        roots.extend(match table.get("build") {
            Some(path) => path.as_str().and_then(at),
            None => at("build.rs"),
        });
        let mut known = Vec::with_capacity(roots.len());
        for root in roots {
            if !known.contains(&root) && file_name_of_path(files.path_of_file(root)).ends_with(".rs") {
                known.push(root);
            }
        }
        package.crate_roots = known;
    }
}
