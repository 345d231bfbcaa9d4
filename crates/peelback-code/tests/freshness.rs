//! Files change between calls in every way that files change, also with the size and the time of modification kept;
//! every answer of a process that knows the project from before is that of one that sees it for the first time.
//!
//! `FRESHNESS_STEPS=5000` makes it as long as one likes, `FRESHNESS_SEED` another run.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

#[path = "freshness/changes.rs"]
mod changes;
#[path = "freshness/project.rs"]
mod project;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use changes::Changes;
use peelback_code::syntax::Symbol;
use peelback_code::{
    CacheOptions, CodeAccess, DependencyQuery, Direction, FactsStore, Project, ReferenceQuery, Relation, SymbolQuery,
};
use project::Random;

/// How many changes a run makes unless somebody says otherwise.
const STEPS: usize = 1_000;

/// Steps after which the files are left alone for so long that their signatures are believed from then on.
const STEPS_BETWEEN_RESTS: usize = 200;

/// One call, so that two processes can be asked the same.
enum Question {
    Profile(String),
    Dependencies(DependencyQuery),
    Overview,
    References { path: String, pick: usize, relation: Relation, depth: u32, text: bool },
    Outline(String),
}

impl Question {
    fn any(random: &mut Random, paths: &[String]) -> Self {
        let path = random.of(paths).clone();
        match random.below(16) {
            0..=3 => Self::Profile(path),
            4..=7 => {
                let direction = *random.of(&[Direction::Both, Direction::Incoming, Direction::Outgoing]);
                let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
                let path = if random.below(4) == 0 { folder } else { path };
                Self::Dependencies(DependencyQuery { path, direction, depth: random.below(4) })
            }
            8 => Self::Overview,
            9..=13 => {
                let relation = *random.of(&[Relation::Uses, Relation::Uses, Relation::Callers, Relation::Callees, {
                    Relation::Implementations
                }]);
                let (pick, depth) = (random.below(1_000), 1 + u32::from(random.below(3) == 0));
                Self::References { path, pick, relation, depth, text: random.below(4) == 0 }
            }
            _ => Self::Outline(path),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Profile(_) => "profile",
            Self::Dependencies(_) => "dependencies",
            Self::Overview => "overview",
            Self::References { .. } => "references",
            Self::Outline(_) => "outline",
        }
    }

    /// The whole answer, evidence and all.
    fn ask(&self, access: &CodeAccess) -> String {
        match self {
            Self::Profile(path) => match access.read_file(path) {
                Ok(file) => {
                    let analysed = access.analyse_source_file(file.clone());
                    let relations = access.find_direct_dependencies_and_dependents(&file, Duration::from_secs(600));
                    format!("{relations:#?}\n{:#?}", analysed.facts)
                }
                Err(error) => format!("{error:?}"),
            },
            Self::Dependencies(query) => format!("{:#?}", access.dependencies_and_dependents(query)),
            Self::Overview => format!("{:#?}", access.dependency_overview()),
            Self::References { path, pick, relation, depth, text } => {
                let analysed = match access.analyse_file(path) {
                    Ok(analysed) => analysed,
                    Err(error) => return format!("{error:?}"),
                };
                let mut symbols = Vec::new();
                flatten(&analysed.facts.symbols, &mut symbols);
                let Some(symbol) = symbols.get(pick % symbols.len().max(1)) else { return "no symbol".to_owned() };
                let sought = SymbolQuery { path: path.clone(), symbol: (*symbol).clone() };
                let query = ReferenceQuery {
                    symbols: vec![sought],
                    scope: Vec::new(),
                    text: *text,
                    relation: *relation,
                    depth: *depth,
                };
                format!("{} {:#?}", symbol.name, access.find_references(&query))
            }
            Self::Outline(path) => match access.analyse_file(path) {
                Ok(analysed) => format!("{:#?}\n{:#?}", analysed.facts, analysed.evidence),
                Err(error) => format!("{error:?}"),
            },
        }
    }
}

fn flatten<'a>(symbols: &'a [Symbol], into: &mut Vec<&'a Symbol>) {
    for symbol in symbols {
        into.push(symbol);
        flatten(&symbol.children, into);
    }
}

fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn access(root: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover_with_working_folder(root, Some(root), None).expect("a folder"))
}

/// The first lines in which two answers differ.
fn difference(a: &str, b: &str) -> String {
    let at = a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count();
    let show = |text: &str| text.lines().skip(at.saturating_sub(12)).take(30).collect::<Vec<_>>().join("\n");
    format!("with what was known:\n{}\n\nfresh:\n{}", show(a), show(b))
}

#[test]
fn every_answer_is_that_of_a_fresh_process() {
    // Nothing here is changed through mapped memory, so signatures are believed as soon as clocks have advanced.
    peelback_code::set_settling_time(Duration::from_secs(2));
    let steps = number("FRESHNESS_STEPS", STEPS);
    let seed = number("FRESHNESS_SEED", 1);
    let temp = tempfile::tempdir().expect("a folder");
    let (root, cache) = (temp.path().join("project"), temp.path().join("cache"));
    std::fs::create_dir(&root).expect("a folder");
    let mut random = Random::new(seed as u64);
    let mut changes = Changes::begin(&root, &mut random);
    let options = || CacheOptions { folder: cache.clone(), max_bytes: CacheOptions::MAX_BYTES };
    let with_cache = || {
        let options = options();
        FactsStore::with_disk_cache(move || Some(options))
    };
    let long = Arc::new(with_cache().for_long_lived_process());
    let (mut kinds, mut asked): (BTreeMap<&str, usize>, BTreeMap<&str, usize>) = Default::default();
    let mut settled = 0;
    for step in 0..steps {
        if step % STEPS_BETWEEN_RESTS == 0 {
            std::thread::sleep(Duration::from_millis(2_300));
            Question::Overview.ask(&access(&root).with_facts_store(long.clone()));
            long.flush_to_disk();
        }
        let change = changes.make(&root, &mut random);
        *kinds.entry(change.kind).or_default() += 1;
        settled += usize::from(change.was_settled);
        let paths = project::paths(&root);
        let question = match change.path.filter(|_| random.below(3) > 0) {
            Some(path) => Question::any(&mut random, &[path]),
            None => Question::any(&mut random, &paths),
        };
        *asked.entry(question.kind()).or_default() += 1;
        let known = if random.below(3) > 0 {
            // The server.
            let answer = question.ask(&access(&root).with_facts_store(long.clone()));
            if step % 20 == 0 {
                long.flush_to_disk();
            }
            answer
        } else {
            // A process that finds what others left.
            let store = Arc::new(with_cache());
            let answer = question.ask(&access(&root).with_facts_store(store.clone()));
            store.flush_to_disk();
            answer
        };
        let fresh = question.ask(&access(&root));
        let kind = (change.kind, question.kind());
        assert!(known == fresh, "seed {seed}, step {step}, {kind:?}:\n{}", difference(&known, &fresh));
    }
    println!("{steps} steps; {settled} of the files changed were old enough to be believed\n{kinds:?}\n{asked:?}");
    // What the test is for must happen.
    if cfg!(unix) && steps >= STEPS {
        assert!(settled > steps / 20, "{settled} of {steps}");
    }
}
