//! The rules of the house, as tests: which crate may use which, and what is generated from what.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};
use peelback_code::{CodeAccess, Project};

/// What each crate may use of the others.
const ARROWS: &[(&str, &[&str])] = &[
    ("peelback-syntax", &[]),
    ("peelback-tokens", &[]),
    ("peelback-secrets", &[]),
    ("peelback-project", &["peelback-syntax"]),
    ("peelback-resolve", &["peelback-project", "peelback-syntax"]),
    ("peelback-ranking", &["peelback-project", "peelback-resolve", "peelback-syntax"]),
    ("peelback-code", &["peelback-project", "peelback-ranking", "peelback-resolve", "peelback-syntax"]),
    ("peelback-tools", &["peelback-code", "peelback-secrets", "peelback-tokens"]),
    ("peelback-llm", &["peelback-secrets", "peelback-tokens"]),
    ("peelback-agent", &["peelback-code", "peelback-llm", "peelback-secrets", "peelback-tokens", "peelback-tools"]),
    (
        "peelback",
        &[
            "peelback-syntax",
            "peelback-tokens",
            "peelback-secrets",
            "peelback-code",
            "peelback-tools",
            "peelback-llm",
            "peelback-agent",
        ],
    ),
];

/// Libraries that belong to some crates alone.
const CONFINED: &[(&str, &[&str])] = &[
    ("clap", &["peelback"]),
    ("rmcp", &["peelback"]),
    ("tokio", &["peelback", "peelback-lsp", "peelback-llm", "peelback-agent"]),
    ("async-trait", &["peelback", "peelback-lsp", "peelback-llm", "peelback-agent"]),
    ("futures", &["peelback", "peelback-lsp", "peelback-llm", "peelback-agent"]),
    // Only one crate speaks to others over the network.
    ("reqwest", &["peelback-llm"]),
    ("rustls", &["peelback-llm"]),
    ("candle-core", &["peelback-llm"]),
    ("tokenizers", &["peelback-llm"]),
    ("hyper", &["peelback", "peelback-llm"]),
    ("lsp-types", &["peelback-lsp"]),
    ("tree-sitter", &["peelback-syntax"]),
    // The cache and the search of text belong to the crate that owns the files.
    ("rusqlite", &["peelback-project"]),
    ("postcard", &["peelback-project"]),
    ("grep-searcher", &["peelback-project"]),
    ("rust-stemmers", &["peelback-ranking"]),
    // Notebooks are JSON.
    ("serde_json", &["peelback-project", "peelback-tools", "peelback-llm", "peelback-agent", "peelback"]),
];

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    metadata
        .workspace_packages()
        .into_iter()
        .map(|package| {
            let uses = package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
            (package.name.to_string(), uses.map(|dependency| dependency.name.clone()).collect())
        })
        .collect()
}

/// What breaks the rules in `dependencies`, in words.
fn broken(dependencies: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut broken = Vec::new();
    for (package, uses) in dependencies {
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| name == package) else {
            broken.push(format!("{package} is not in the list of arrows"));
            continue;
        };
        for used in uses {
            if used.starts_with("peelback") && !allowed.contains(&used.as_str()) {
                broken.push(format!("{package} must not use {used}"));
            }
            let confined = CONFINED.iter().find(|(library, _)| library == used);
            if confined.is_some_and(|(_, homes)| !homes.contains(&package.as_str())) {
                broken.push(format!("{package} must not use {used}"));
            }
        }
    }
    broken
}

#[test]
fn arrows_between_crates_point_downward() {
    assert_eq!(broken(&dependencies()), Vec::<String>::new());
}

#[test]
fn a_broken_arrow_is_noticed() {
    let mut dependencies = dependencies();
    dependencies.get_mut("peelback-syntax").expect("the crate").insert("peelback-code".to_owned());
    dependencies.get_mut("peelback-code").expect("the crate").insert("tokio".to_owned());
    dependencies.get_mut("peelback-project").expect("the crate").insert("peelback-resolve".to_owned());
    dependencies.get_mut("peelback-tools").expect("the crate").insert("peelback-project".to_owned());
    assert_eq!(
        broken(&dependencies),
        [
            "peelback-code must not use tokio",
            "peelback-project must not use peelback-resolve",
            "peelback-syntax must not use peelback-code",
            "peelback-tools must not use peelback-project"
        ]
    );
}

/// The most source files that may depend on each other in a circle.
const MOST_IN_A_CYCLE: usize = 3;

/// The cycles of more than [`MOST_IN_A_CYCLE`] source files inside a crate, by the crate: cycles by `use` declarations and
/// by paths in code. A parent module that only declares its child does not depend on it.
fn large_cycles() -> BTreeMap<String, Vec<Vec<String>>> {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let project = Project::discover(Some(root), None).expect("the workspace");
    let overview = CodeAccess::new(project).dependency_overview().expect("the dependency graph");
    assert!(overview.files > 100 && overview.module_cycles > 0, "the sources were not read: {:?}", overview.evidence);
    let mut large: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for cycle in overview.cycles.into_iter().filter(|cycle| cycle.len() > MOST_IN_A_CYCLE) {
        let source = |path: &str| {
            let (name, _) = path.strip_prefix("crates/")?.split_once("/src/")?;
            // Deeper folders are projects that tests look at.
            (!name.contains('/')).then(|| name.to_owned())
        };
        if let Some(name) = cycle.first().and_then(|path| source(path)) {
            large.entry(name).or_default().push(cycle);
        }
    }
    large
}

#[test]
fn no_crate_has_a_cycle_of_more_than_three_files() {
    let large = large_cycles();
    assert!(large.is_empty(), "{large:#?}");
}

#[test]
fn the_reference_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tools.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let made = peelback_tools::reference::tools_reference_markdown();
    assert!(
        committed.replace("\r\n", "\n") == made,
        "docs/tools.md is stale: run `cargo run -p peelback -- reference > docs/tools.md`"
    );
}

/// What starts threads, and what states the size of their stacks in the same expression.
const STARTS: &[(&str, &str)] = &[
    ("thread::Builder::new()", ".stack_size(THREAD_STACK_BYTES)"),
    ("ThreadPoolBuilder::new()", ".stack_size(THREAD_STACK_BYTES)"),
    ("runtime::Builder::new_current_thread()", ".thread_stack_size(THREAD_STACK_BYTES)"),
    // These take no size.
    ("thread::spawn(", "nothing"),
    (SPAWN_IN_SCOPE, "nothing"),
    ("Builder::new_multi_thread()", "nothing"),
];

const SPAWN_IN_SCOPE: &str = "scope.spawn(";

/// How many threads a source starts, and the expressions of those whose stacks are not stated.
fn starts_of_threads(text: &str) -> (usize, Vec<String>) {
    let text = text.split("\n#[cfg(test)]\n").next().unwrap_or("");
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("");
    let code: String = code.split_whitespace().collect();
    // The scopes of rayon start no threads: their work runs on those of the pool.
    let has_scopes_of_rayon_only = code.contains("rayon::scope(") && !code.contains("thread::scope(");
    let (mut seen, mut unstated) = (0, Vec::new());
    for (start, states) in STARTS.iter().filter(|(start, _)| !(has_scopes_of_rayon_only && *start == SPAWN_IN_SCOPE)) {
        for (at, _) in code.match_indices(start) {
            seen += 1;
            let end = code[at..].find(';').map_or(code.len(), |end| at + end);
            let expression: String = code[at..end].chars().take(200).collect();
            if !expression.contains(states) {
                unstated.push(expression);
            }
        }
    }
    (seen, unstated)
}

/// Every thread has a stated stack: where a library starts threads with a size of its own choice, a recursion that is
/// bounded on our threads may not be bounded there.
#[test]
fn every_thread_states_its_stack() {
    let crates = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut seen = 0;
    let mut unstated = Vec::new();
    for entry in ignore::WalkBuilder::new(crates).build().map(|entry| entry.expect("a file")) {
        let path = entry.path();
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let is_library = path.components().any(|part| part.as_os_str() == "src");
        if !is_source || !is_library || path.components().any(|part| part.as_os_str() == "fixtures") {
            continue;
        }
        let (starts, without) = starts_of_threads(&std::fs::read_to_string(path).expect("a source"));
        seen += starts;
        unstated.extend(without.into_iter().map(|expression| format!("{}: {expression}", path.display())));
    }
    assert!(seen > 8, "only {seen} starts of threads were found");
    assert_eq!(unstated, Vec::<String>::new());
}

#[test]
fn only_the_scopes_of_rayon_start_no_threads() {
    let of_rayon = "rayon::scope(|scope| scope.spawn(|_| work()));\n";
    let pool = "rayon::ThreadPoolBuilder::new().num_threads(2).build();\n";
    let of_threads = "std::thread::scope(|scope| scope.spawn(work));\n";
    assert_eq!(starts_of_threads(of_rayon), (0, Vec::new()));
    assert_eq!(starts_of_threads(&format!("{of_rayon}{pool}")).1.len(), 1);
    assert_eq!(starts_of_threads(of_threads).1.len(), 1);
    assert_eq!(starts_of_threads(&format!("{of_rayon}{of_threads}")).1.len(), 2);
    assert_eq!(starts_of_threads(&format!("{of_rayon}thread::spawn(work);")).1.len(), 1);
}
