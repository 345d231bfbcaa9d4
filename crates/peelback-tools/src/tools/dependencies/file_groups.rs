//! Joins the files of a project into groups, by folder and by kind, so that the dependencies between the groups can be
//! drawn: the deepest partition between whose groups lie at most so many edges.

use std::collections::{BTreeMap, BTreeSet};

use peelback_code::FileKind;
use peelback_code::syntax::language::{ModuleUnit, module_unit_of_file_name_language};

/// The files to be grouped, and the imports between them.
pub(super) struct FileGraph<'a> {
    /// The paths of the files, in order.
    paths: Vec<&'a str>,
    /// Each import from file to file, as two places in `paths`, and whether it only declares a submodule. Of the files of a
    /// package that one import names, only one is its target.
    imports: Vec<FileImport>,
    /// Whether some import names a package of several files.
    pub has_package_imports: bool,
    /// The folder that is drawn, or the root where it is empty. Files outside of it stay joined.
    folder: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct FileImport {
    from: usize,
    to: usize,
    is_declaration: bool,
}

impl<'a> FileGraph<'a> {
    /// The graph of `files` and of the ends of `edges`. `declarations` are those edges that only declare submodules.
    pub fn new(
        files: &'a [String],
        edges: &'a [(String, String)],
        declarations: &'a [(String, String)],
        folder: &'a str,
    ) -> Self {
        let ends = edges.iter().flat_map(|(from, to)| [from.as_str(), to.as_str()]);
        let paths: BTreeSet<&str> = files.iter().map(String::as_str).chain(ends).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let declarations: BTreeSet<&(String, String)> = declarations.iter().collect();
        let mut seen = BTreeSet::new();
        let mut has_package_imports = false;
        let mut imports = Vec::new();
        for edge in edges {
            let (from, to) = (edge.0.as_str(), edge.1.as_str());
            if is_part_of_package(to) {
                let is_first = seen.insert((from, folder_of(to)));
                has_package_imports |= !is_first;
                if !is_first {
                    continue;
                }
            }
            if let (Ok(from), Ok(to)) = (paths.binary_search(&from), paths.binary_search(&to)) {
                imports.push(FileImport { from, to, is_declaration: declarations.contains(edge) });
            }
        }
        Self { paths, imports, has_package_imports, folder }
    }

    fn path(&self, file: usize) -> &'a str {
        self.paths.get(file).copied().unwrap_or_default()
    }

    /// The number of imports from file to file; one that names a package of several files counts once.
    pub fn import_count(&self) -> usize {
        self.imports.len()
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether the file's language imports whole packages, of which the file is a part.
fn is_part_of_package(path: &str) -> bool {
    module_unit_of_file_name_language(path.rsplit('/').next().unwrap_or(path)) == ModuleUnit::Folder
}

/// Of the imports between files of one purpose that are not drawn, at least one in so many lies inside a folder whose files
/// are parted.
const MIN_SHARE_TO_PART_FILES: usize = 5;

/// A file stands out where it shares so many times more imports with others of its folder than the mean.
const MIN_TIMES_MEAN: usize = 2;

/// What files are for, as far as files of another purpose never join their group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Purpose {
    Code,
    Tests,
    Examples,
    Documentation,
}

/// Names of folders with documentation.
const DOCUMENTATION_FOLDERS: [&str; 4] = ["doc", "docs", "documentation", "website"];

impl Purpose {
    fn of_path(path: &str) -> Self {
        match FileKind::from_path(path) {
            FileKind::Test => Self::Tests,
            FileKind::Example => Self::Examples,
            // Texts in other languages and manuals of the product are code here: they are imported.
            FileKind::Document if path.split('/').any(|part| DOCUMENTATION_FOLDERS.contains(&part)) => {
                Self::Documentation
            }
            FileKind::Document | FileKind::Source | FileKind::Auxiliary | FileKind::Data | FileKind::Foreign => {
                Self::Code
            }
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Tests => "tests",
            Self::Examples => "examples",
            Self::Documentation => "documentation",
        }
    }
}

/// Which files below its folder a group has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// All files below the folder.
    Tree,
    /// The files in the folder itself.
    OwnFiles,
    /// The files in the folder itself without those that are drawn alone.
    OtherFiles,
    /// One file; the folder is its path.
    File,
}

/// A group of files with one purpose.
#[derive(Debug, Clone)]
struct Part {
    purpose: Purpose,
    extent: Extent,
    folder: String,
    members: Vec<usize>,
}

impl Part {
    /// A part of the files below `folder`, described as narrowly as its members allow.
    fn new(graph: &FileGraph<'_>, purpose: Purpose, folder: &str, members: Vec<usize>) -> Self {
        let mut part = Self { purpose, extent: Extent::Tree, folder: folder.to_owned(), members };
        loop {
            let mut below: BTreeSet<Option<&str>> = BTreeSet::new();
            for file in &part.members {
                below.insert(subfolder_on_way_to(&part.folder, graph.path(*file)));
                if below.len() > 1 {
                    return part;
                }
            }
            let inner = below.into_iter().next().flatten().map(str::to_owned);
            match inner {
                Some(inner) => part.folder = inner,
                None => return Self::of_own_files(graph, purpose, &part.folder, part.members),
            }
        }
    }

    /// A part of files in `folder` itself.
    fn of_own_files(graph: &FileGraph<'_>, purpose: Purpose, folder: &str, members: Vec<usize>) -> Self {
        match members.as_slice() {
            [file] => {
                Self { purpose, extent: Extent::File, folder: graph.path(*file).to_owned(), members: vec![*file] }
            }
            _ => Self { purpose, extent: Extent::OwnFiles, folder: folder.to_owned(), members },
        }
    }

    /// The parts into which this part can be split; empty where it cannot.
    fn split(&self, graph: &FileGraph<'_>) -> Vec<Self> {
        let files = self.members.iter().map(|file| (graph.path(*file), *file));
        let parts: Vec<Self> = match self.extent {
            Extent::File | Extent::OtherFiles => Vec::new(),
            Extent::Tree => {
                let mut children: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
                for (path, file) in files {
                    children.entry(subfolder_on_way_to(&self.folder, path)).or_default().push(file);
                }
                let part = |(child, members): (Option<&str>, Vec<usize>)| match child {
                    Some(child) => Self::new(graph, self.purpose, child, members),
                    None => Self::of_own_files(graph, self.purpose, &self.folder, members),
                };
                children.into_iter().map(part).collect()
            }
            Extent::OwnFiles => {
                // The files of a package are imported together.
                let (package, modules): (Vec<_>, Vec<_>) = files.partition(|(path, _)| is_part_of_package(path));
                let package: Vec<usize> = package.into_iter().map(|(_, file)| file).collect();
                let package =
                    (!package.is_empty()).then(|| Self::of_own_files(graph, self.purpose, &self.folder, package));
                let modules = modules.into_iter();
                let modules =
                    modules.map(|(_, file)| Self::of_own_files(graph, self.purpose, &self.folder, vec![file]));
                package.into_iter().chain(modules).collect()
            }
        };
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    /// The part split into the files of `alone`, each by itself, and one part with the others.
    fn split_off_files(&self, graph: &FileGraph<'_>, alone: &BTreeSet<usize>) -> Vec<Self> {
        let (alone, others): (Vec<usize>, Vec<usize>) = self.members.iter().partition(|file| alone.contains(file));
        let others = Self { extent: Extent::OtherFiles, members: others, ..self.clone() };
        let alone = alone.into_iter();
        let alone = alone.map(|file| Self::of_own_files(graph, self.purpose, &self.folder, vec![file]));
        std::iter::once(others).chain(alone).collect()
    }
}

/// The folder directly below `folder` that contains `path`; `None` where the file is in `folder` itself.
fn subfolder_on_way_to<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let begin = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let rest = path.get(begin..)?;
    path.get(..begin + rest.find('/')?)
}

/// A group of files in a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileGroup {
    /// The path of the group's folder, or of its only file, with a note where it has only some of the files below it.
    pub name: String,
    /// The path to ask for where one wants to see the files of the group.
    pub path: String,
    pub file_count: usize,
    /// The number of imports between files of the group.
    pub inner_imports: usize,
    /// Whether the group is one file.
    pub is_file: bool,
    /// Whether its files are no code of the product itself: tests, examples, documentation.
    pub is_aside: bool,
}

/// The imports from one group to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupEdge {
    pub from: usize,
    pub to: usize,
    pub weight: usize,
    /// Those of them that do more than declare a submodule.
    pub use_weight: usize,
}

/// A partition of files with the imports between its groups.
pub(super) struct FileGroups {
    /// The groups, in the order of names.
    pub groups: Vec<FileGroup>,
    /// The edges between groups, in the order of their ends: at most as many as were asked for, the heaviest.
    pub edges: Vec<GroupEdge>,
    /// How many lighter edges are left out, and how many imports those are.
    pub omitted_edges: usize,
    pub omitted_imports: usize,
}

/// Joins the files of `graph` into groups: the deepest partition between whose groups lie at most `max_edges` edges. The
/// group with the most imports inside is split first. The first level is always shown, by its heaviest edges where it has
/// more.
pub(super) fn join_files_into_groups(graph: &FileGraph<'_>, max_edges: usize) -> FileGroups {
    let mut partition = Partition::new(graph);
    partition.split_root();
    partition.split_while_edges_fit(max_edges);
    partition.into_groups(max_edges)
}

/// A partition of the files that is being refined.
struct Partition<'a> {
    graph: &'a FileGraph<'a>,
    parts: Vec<Part>,
    /// The place in `parts` of each file.
    part_of_file: Vec<usize>,
    /// The places in the graph's imports of those that leave or reach each file.
    imports_of_file: Vec<Vec<usize>>,
}

impl<'a> Partition<'a> {
    /// The coarsest partition: for each purpose one part of the drawn folder, and outside of it one for each folder and for
    /// the files beside the way to it.
    fn new(graph: &'a FileGraph<'a>) -> Self {
        let mut members: BTreeMap<(Purpose, &str, bool), Vec<usize>> = BTreeMap::new();
        for (file, path) in graph.paths.iter().enumerate() {
            let purpose = Purpose::of_path(path);
            let mut way = "";
            // From the root towards the drawn folder, as far as the file lies below.
            let (folder, is_tree) = loop {
                if way == graph.folder {
                    break (way, true);
                }
                match subfolder_on_way_to(way, path) {
                    None => break (way, false),
                    Some(next) if next == graph.folder || is_below(graph.folder, next) => way = next,
                    Some(next) => break (next, true),
                }
            };
            members.entry((purpose, folder, is_tree)).or_default().push(file);
        }
        let parts: Vec<Part> = members
            .into_iter()
            .map(|((purpose, folder, is_tree), members)| match is_tree {
                true => Part::new(graph, purpose, folder, members),
                false => Part::of_own_files(graph, purpose, folder, members),
            })
            .collect();
        let mut imports_of_file: Vec<Vec<usize>> = vec![Vec::new(); graph.paths.len()];
        for (index, import) in graph.imports.iter().enumerate() {
            for file in [import.from, import.to] {
                if let Some(imports) = imports_of_file.get_mut(file) {
                    imports.push(index);
                }
            }
        }
        let mut partition = Self { graph, parts, part_of_file: vec![0; graph.paths.len()], imports_of_file };
        (0..partition.parts.len()).for_each(|part| partition.assign_members(part));
        partition
    }

    fn assign_members(&mut self, part: usize) {
        let Some(members) = self.parts.get(part).map(|part| part.members.clone()) else { return };
        for file in members {
            if let Some(place) = self.part_of_file.get_mut(file) {
                *place = part;
            }
        }
    }

    fn part_of(&self, file: usize) -> usize {
        self.part_of_file.get(file).copied().unwrap_or_default()
    }

    /// The number of imports between files of a part.
    fn inner_imports(&self, part: &Part, index: usize) -> usize {
        let imports = part.members.iter().filter_map(|file| Some((*file, self.imports_of_file.get(*file)?)));
        let is_inner = |file: usize, import: usize| {
            self.graph.imports.get(import).is_some_and(|import| import.from == file && self.part_of(import.to) == index)
        };
        imports.map(|(file, imports)| imports.iter().filter(|import| is_inner(file, **import)).count()).sum()
    }

    /// Splits the part that is the whole drawn folder, that of code if there are several: a drawing with one box shows
    /// nothing.
    fn split_root(&mut self) {
        let roots = self.parts.iter().enumerate();
        let roots =
            roots.filter(|(_, part)| part.extent == Extent::Tree && is_below_or_equal(&part.folder, self.graph.folder));
        if let Some((index, root)) = roots.min_by_key(|(_, part)| part.purpose) {
            let children = root.split(self.graph);
            self.replace_part(index, children);
        }
    }

    /// Replaces a part by parts of it.
    fn replace_part(&mut self, part: usize, children: Vec<Part>) {
        let mut children = children.into_iter();
        let Some(first) = children.next() else { return };
        if let Some(place) = self.parts.get_mut(part) {
            *place = first;
        }
        for child in children {
            self.parts.push(child);
            self.assign_members(self.parts.len() - 1);
        }
    }

    /// Splits parts as long as at most `max_edges` edges lie between parts. Code is split before tests, examples and
    /// documentation, what is inside the drawn folder before what is outside, and then the part with most imports inside
    /// first. A part without imports inside is split only into folders, and last.
    fn split_while_edges_fit(&mut self, max_edges: usize) {
        let mut edges: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for import in &self.graph.imports {
            let ends = (self.part_of(import.from), self.part_of(import.to));
            if ends.0 != ends.1 {
                *edges.entry(ends).or_default() += 1;
            }
        }
        if edges.len() > max_edges {
            return;
        }
        let rank = |partition: &Self, index: usize, part: &Part| {
            let inner = partition.inner_imports(part, index);
            let is_outside = !is_below_or_equal(&part.folder, partition.graph.folder);
            let order =
                (inner == 0, is_outside, part.purpose, std::cmp::Reverse(inner), part.folder.clone(), part.extent);
            let can_split = part.extent == Extent::Tree || (part.extent == Extent::OwnFiles && inner > 0);
            can_split.then_some((order, index))
        };
        let mut open = BTreeSet::new();
        open.extend(self.parts.iter().enumerate().filter_map(|(index, part)| rank(self, index, part)));
        while let Some((_, index)) = open.pop_first() {
            let Some(part) = self.parts.get(index).cloned() else { continue };
            let first_new = self.parts.len();
            for children in self.ways_to_split(&part, index, max_edges) {
                let count = children.len();
                // Whether the edges fit is known once the split was made.
                let old_edges = self.edges_of_files(&part.members);
                self.replace_part(index, children);
                let mut changed = edges.clone();
                for ends in old_edges {
                    if let Some(count) = changed.get_mut(&ends) {
                        *count -= 1;
                        if *count == 0 {
                            changed.remove(&ends);
                        }
                    }
                }
                for ends in self.edges_of_files(&part.members) {
                    *changed.entry(ends).or_default() += 1;
                }
                if changed.len() <= max_edges {
                    edges = changed;
                    let children = std::iter::once(index).chain(first_new..first_new + count - 1);
                    let ranked = children.filter_map(|child| rank(self, child, self.parts.get(child)?));
                    open.extend(ranked.collect::<Vec<_>>());
                    break;
                }
                self.parts.truncate(first_new);
                if let Some(place) = self.parts.get_mut(index) {
                    *place = part.clone();
                }
                self.assign_members(index);
            }
        }
    }

    /// The ways in which a part can be split, the best first: as a whole, or, of files in one folder, only those that share
    /// most imports with the others.
    fn ways_to_split(&self, part: &Part, index: usize, max_edges: usize) -> Vec<Vec<Part>> {
        let children = part.split(self.graph);
        if children.is_empty() {
            return Vec::new();
        }
        let mut ways = vec![children];
        let alike = self.parts.iter().enumerate().filter(|(_, other)| other.purpose == part.purpose);
        let undrawn: usize = alike.map(|(at, part)| self.inner_imports(part, at)).sum();
        let is_large = self.inner_imports(part, index) * MIN_SHARE_TO_PART_FILES >= undrawn;
        if is_large
            && part.extent == Extent::OwnFiles
            && !part.members.iter().any(|file| is_part_of_package(self.graph.path(*file)))
        {
            let mut files: Vec<(usize, usize)> = part
                .members
                .iter()
                .map(|file| (self.imports_within_part(*file, index), *file))
                .filter(|(count, _)| *count > 0)
                .collect();
            // Elsewhere than in the folder that was asked for, only files that stand out.
            let all: usize = files.iter().map(|(count, _)| count).sum();
            let is_drawn_folder = !self.graph.folder.is_empty() && part.folder == self.graph.folder;
            files.retain(|(count, _)| is_drawn_folder || count * part.members.len() >= all * MIN_TIMES_MEAN);
            files.sort_by_key(|(count, file)| (std::cmp::Reverse(*count), *file));
            // Each of them has an edge of its own, which has two ends.
            let mut alone = files.len().min(part.members.len() - 1).min(max_edges.saturating_mul(2));
            while alone > 0 {
                let best: BTreeSet<usize> = files.iter().take(alone).map(|(_, file)| *file).collect();
                ways.push(part.split_off_files(self.graph, &best));
                alone = alone * 3 / 4;
            }
        }
        ways
    }

    /// The number of imports by which a file uses others of its part or is used by them.
    fn imports_within_part(&self, file: usize, part: usize) -> usize {
        let imports = self.imports_of_file.get(file).map_or(&[][..], Vec::as_slice);
        let imports = imports.iter().filter_map(|import| self.graph.imports.get(*import));
        imports.filter(|import| self.part_of(import.from) == part && self.part_of(import.to) == part).count()
    }

    /// The edges between parts that imports of `files` are, one for each import.
    fn edges_of_files(&self, files: &[usize]) -> Vec<(usize, usize)> {
        let imports: BTreeSet<usize> =
            files.iter().filter_map(|file| self.imports_of_file.get(*file)).flatten().copied().collect();
        let ends = imports.into_iter().filter_map(|import| {
            let import = self.graph.imports.get(import)?;
            Some((self.part_of(import.from), self.part_of(import.to)))
        });
        ends.filter(|(from, to)| from != to).collect()
    }

    fn into_groups(mut self, max_edges: usize) -> FileGroups {
        let inner: Vec<usize> =
            self.parts.iter().enumerate().map(|(index, part)| self.inner_imports(part, index)).collect();
        let mut named: Vec<(FileGroup, usize)> = self
            .parts
            .iter()
            .zip(inner)
            .enumerate()
            .map(|(index, (part, inner))| (self.group(part, inner), index))
            .collect();
        named.sort_by(|a, b| (&a.0.path, &a.0.name).cmp(&(&b.0.path, &b.0.name)));
        let mut place_of_part = vec![0; self.parts.len()];
        for (place, (_, part)) in named.iter().enumerate() {
            if let Some(slot) = place_of_part.get_mut(*part) {
                *slot = place;
            }
        }
        for part in &mut self.part_of_file {
            *part = place_of_part.get(*part).copied().unwrap_or_default();
        }
        let mut weights: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
        for import in &self.graph.imports {
            let ends = (self.part_of(import.from), self.part_of(import.to));
            if ends.0 != ends.1 {
                let (weight, use_weight) = weights.entry(ends).or_default();
                *weight += 1;
                *use_weight += usize::from(!import.is_declaration);
            }
        }
        let mut edges: Vec<GroupEdge> = weights
            .into_iter()
            .map(|((from, to), (weight, use_weight))| GroupEdge { from, to, weight, use_weight })
            .collect();
        edges.sort_by_key(|edge| (std::cmp::Reverse(edge.weight), edge.from, edge.to));
        let omitted = edges.split_off(max_edges.min(edges.len()));
        edges.sort_by_key(|edge| (edge.from, edge.to));
        FileGroups {
            groups: named.into_iter().map(|(group, _)| group).collect(),
            edges,
            omitted_edges: omitted.len(),
            omitted_imports: omitted.iter().map(|edge| edge.weight).sum(),
        }
    }

    /// The group that a part is in the drawing.
    fn group(&self, part: &Part, inner_imports: usize) -> FileGroup {
        let mut name = match (part.extent, part.folder.as_str()) {
            (Extent::File, path) => path.to_owned(),
            (Extent::Tree, "") => "(project)".to_owned(),
            (Extent::Tree, folder) => format!("{folder}/"),
            (Extent::OwnFiles, "") => "./*".to_owned(),
            (Extent::OtherFiles, "") => "./* (others)".to_owned(),
            (Extent::OtherFiles, folder) => format!("{folder}/* (others)"),
            (Extent::OwnFiles, folder) if self.has_files_in_subfolders(folder) => format!("{folder}/*"),
            (Extent::OwnFiles, folder) => format!("{folder}/"),
        };
        let is_named_by_folder = || Purpose::of_path(&format!("{}/file.c", part.folder)) == part.purpose;
        if part.purpose != Purpose::Code
            && part.extent != Extent::File
            && !is_named_by_folder()
            && self.has_files_of_other_purpose(part)
        {
            name = match part.folder.as_str() {
                "" if part.extent == Extent::Tree => part.purpose.as_str().to_owned(),
                _ => format!("{} in {name}", part.purpose.as_str()),
            };
        }
        FileGroup {
            name,
            path: part.folder.clone(),
            file_count: part.members.len(),
            inner_imports,
            is_file: part.extent == Extent::File,
            is_aside: part.purpose != Purpose::Code,
        }
    }

    /// The files below a folder, as places in the order of paths.
    fn files_below(&self, folder: &str) -> impl Iterator<Item = &'a str> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let begin = self.graph.paths.partition_point(|path| *path < prefix.as_str());
        let paths = self.graph.paths.get(begin..).unwrap_or_default().iter().copied();
        paths.take_while(move |path| path.starts_with(&prefix))
    }

    fn has_files_in_subfolders(&self, folder: &str) -> bool {
        self.files_below(folder).any(|path| folder_of(path) != folder)
    }

    /// Whether files of another purpose lie where the part has its files.
    fn has_files_of_other_purpose(&self, part: &Part) -> bool {
        self.files_below(&part.folder)
            .filter(|path| part.extent == Extent::Tree || folder_of(path) == part.folder)
            .any(|path| Purpose::of_path(path) != part.purpose)
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_below_or_equal(path: &str, folder: &str) -> bool {
    path == folder || is_below(path, folder)
}
