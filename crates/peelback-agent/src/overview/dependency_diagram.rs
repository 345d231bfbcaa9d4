//! The section of an overview document on dependencies: a diagram of folders, the files that most other files import,
//! and external packages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use peelback_code::{DependencyOverview, ExternalPackage, looks_like_test_path};

use super::section::{Section, Variant};
use super::survey::Survey;
use crate::markdown::{format_code_block, format_count_with_unit, format_inline_code};

/// The maximum number of boxes in the dependency diagram.
const MOST_NODES: usize = 14;

/// The deepest folder level that a box in the dependency diagram may stand for.
const MOST_LEVELS: usize = 6;

/// The maximum numbers of diagram arrows, listed files and external packages, for each length of the dependency
/// section.
const LENGTHS: [(usize, usize, usize); 4] = [(40, 12, 20), (24, 8, 12), (12, 5, 8), (0, 4, 4)];

pub(super) fn dependencies_section(survey: &Survey<'_>) -> Option<Section> {
    let found = survey.dependencies.as_ref()?;
    let edges: Vec<(&str, &str)> = found
        .edges
        .iter()
        .map(|(from, to)| (from.as_str(), to.as_str()))
        .filter(|(from, to)| {
            !looks_like_test_path(from)
                && !looks_like_test_path(to)
                && survey.is_showable_own_non_test_file(from)
                && survey.is_showable_own_non_test_file(to)
        })
        .collect();
    let arrows = weighted_diagram_arrows(&merge_import_unit_edges_if_many(survey, edges));
    let variants = LENGTHS.iter().map(|(most, files, packages)| {
        let mut text = String::new();
        let shown = arrows.len().min(*most);
        if shown > 0 {
            text.push_str("Numbers of imports, without tests:\n\n");
            text.push_str(&format_code_block("mermaid", &mermaid_graph(arrows.get(..shown).unwrap_or(&[]))));
        }
        write_most_imported_cycles_and_packages(survey, found, *files, *packages, &mut text);
        let text = text.trim_start().to_owned();
        let left_out = (shown < arrows.len())
            .then(|| format!("{} of {} arrows between folders", arrows.len() - shown, arrows.len()));
        Variant { text, references: Vec::new(), left_out }
    });
    Section::new("Dependencies", 12, 5, variants.collect())
}

/// Merges the dependency edges from a file to several files of one import unit into one edge: in Go, an import leads to
/// every file of a package. Projects with few files keep every edge, because the diagram draws each file.
fn merge_import_unit_edges_if_many<'e>(
    survey: &Survey<'_>,
    mut edges: Vec<(&'e str, &'e str)>,
) -> Vec<(&'e str, &'e str)> {
    let paths: BTreeSet<&str> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
    if paths.len() > MOST_NODES {
        let mut seen = BTreeSet::new();
        edges.retain(|(from, to)| seen.insert((*from, survey.import_unit_of_file(to).into_owned())));
    }
    edges
}

/// The arrows of the dependency diagram between folders or files, each with its number of dependencies, the highest
/// number first.
fn weighted_diagram_arrows(edges: &[(&str, &str)]) -> Vec<(String, String, usize)> {
    let paths: BTreeSet<&str> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
    let nodes =
        |level: usize| paths.iter().map(|path| diagram_node_name_of_path(path, level)).collect::<BTreeSet<String>>();
    // The deepest folder level whose folders fit into the diagram. For small projects the diagram draws each file.
    let level = if paths.len() <= MOST_NODES {
        usize::MAX
    } else {
        (1..=MOST_LEVELS).rev().find(|level| nodes(*level).len() <= MOST_NODES).unwrap_or(1)
    };
    let mut weights: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (from, to) in edges {
        let (from, to) = (diagram_node_name_of_path(from, level), diagram_node_name_of_path(to, level));
        if from != to {
            *weights.entry((from, to)).or_default() += 1;
        }
    }
    let mut degree: BTreeMap<String, usize> = BTreeMap::new();
    for ((from, to), weight) in &weights {
        *degree.entry(from.clone()).or_default() += weight;
        *degree.entry(to.clone()).or_default() += weight;
    }
    let mut heaviest: Vec<(String, usize)> = degree.into_iter().collect();
    heaviest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let kept: BTreeSet<String> = heaviest.into_iter().take(MOST_NODES).map(|(name, _)| name).collect();
    let mut arrows: Vec<(String, String, usize)> = weights
        .into_iter()
        .filter(|((from, to), _)| kept.contains(from) && kept.contains(to))
        .map(|((from, to), weight)| (from, to, weight))
        .collect();
    arrows.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
    arrows
}

/// The first `levels` folders of a file's path; all its folders if it has fewer, and the whole path for `usize::MAX`.
fn diagram_node_name_of_path(path: &str, levels: usize) -> String {
    if levels == usize::MAX {
        return path.to_owned();
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).take(levels).collect();
    if parts.is_empty() { "(root)".to_owned() } else { parts.join("/") }
}

fn mermaid_graph(arrows: &[(String, String, usize)]) -> String {
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for name in arrows.iter().flat_map(|(from, to, _)| [from.as_str(), to.as_str()]) {
        let next = ids.len();
        ids.entry(name).or_insert(next);
    }
    let mut named: Vec<(usize, &str)> = ids.iter().map(|(name, id)| (*id, *name)).collect();
    named.sort_unstable();
    let mut out = "graph LR\n".to_owned();
    for (id, name) in named {
        let _ = writeln!(out, "  n{id}[\"{}\"]", name.replace('"', "#quot;"));
    }
    for (from, to, weight) in arrows {
        if let (Some(from), Some(to)) = (ids.get(from.as_str()), ids.get(to.as_str())) {
            let _ = writeln!(out, "  n{from} -->|{weight}| n{to}");
        }
    }
    out
}

fn write_most_imported_cycles_and_packages(
    survey: &Survey<'_>,
    found: &DependencyOverview,
    files: usize,
    packages: usize,
    out: &mut String,
) {
    let mut importers: Vec<(String, usize)> = survey
        .importer_counts_by_import_unit()
        .into_iter()
        .filter(|(path, _)| survey.is_showable_own_non_test_file(path) && !looks_like_test_path(path))
        .collect();
    importers.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let most: Vec<String> =
        importers.iter().take(files).map(|(path, count)| format!("{} ({count})", format_inline_code(path))).collect();
    if !most.is_empty() {
        let _ = writeln!(out, "\nMost imported, with how many files do, without tests: {}.", most.join(", "));
    }
    if let Some(first) = found.cycles.first() {
        let count = format_count_with_unit(found.cycles.len(), "group", "groups");
        let shown: Vec<String> = first.iter().take(4).map(|path| format_inline_code(path)).collect();
        let more = if first.len() > 4 { format!(" and {} more", first.len() - 4) } else { String::new() };
        let _ =
            writeln!(out, "\n{count} of files import each other in a circle; the largest: {}{more}.", shown.join(", "));
    }
    let languages: Vec<&str> = survey.line_and_file_counts_by_language().into_iter().map(|(name, _, _)| name).collect();
    let (standard, external): (Vec<&ExternalPackage>, Vec<&ExternalPackage>) = found
        .external
        .iter()
        .partition(|package| peelback_code::is_standard_library_package(&package.name, &languages));
    let listed = |all: &[&ExternalPackage], most: usize| {
        let shown: Vec<String> = all
            .iter()
            .take(most)
            .map(|package| format!("{} ({})", format_inline_code(&package.name), package.imports))
            .collect();
        let more = all.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    if !external.is_empty() {
        let _ = writeln!(
            out,
            "\nPackages from outside, with the number of imports, those of tests too: {}.",
            listed(&external, packages)
        );
    }
    if !standard.is_empty() {
        let _ = writeln!(out, "\nOf the standard library: {}.", listed(&standard, packages / 2));
    }
}

#[cfg(test)]
mod tests {
    use super::{diagram_node_name_of_path, weighted_diagram_arrows};

    #[test]
    fn folders_are_grouped_as_deep_as_the_picture_allows() {
        assert_eq!(diagram_node_name_of_path("a/b/c.py", 1), "a");
        assert_eq!(diagram_node_name_of_path("a/b/c.py", 5), "a/b");
        assert_eq!(diagram_node_name_of_path("c.py", 2), "(root)");
        let edges: Vec<(String, String)> =
            (0..40).map(|n| (format!("src/m{}/x{n}.py", n % 4), format!("src/core/y{n}.py"))).collect();
        let edges: Vec<(&str, &str)> = edges.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let arrows = weighted_diagram_arrows(&edges);
        assert_eq!(arrows.len(), 4);
        assert!(arrows.iter().all(|(_, to, weight)| to == "src/core" && *weight == 10), "{arrows:?}");
    }
}
