//! The fuzz targets, in one program: linking one for each target would take longer than building them.
//!
//! `PEELBACK_FUZZ_TARGET` names the target; `list` prints them. With `PEELBACK_FUZZ_SEEDS=FOLDER`, the program first writes the target's seeds
//! there, which are made from the fixtures of the other crates: a folder that libFuzzer is given as a corpus.

#![no_main]

mod addresses;
mod binders;
mod config;
mod documents;
mod fixtures;
mod git;
mod ignore_files;
mod input;
mod manifests;
mod messages;
mod outline;
mod patterns;
mod replies;
mod resolver;
mod secrets;
mod tool_calls;

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// One target: what it does with an input, and the inputs that fuzzing begins with.
struct Target {
    name: &'static str,
    /// The length of inputs, in bytes: short ones are quick.
    max_length: usize,
    run: fn(&[u8]),
    seeds: fn() -> Vec<Vec<u8>>,
}

const TARGETS: &[Target] = &[
    Target { name: "outline", max_length: 1024, run: outline::run, seeds: outline::seeds },
    Target { name: "binders", max_length: 1024, run: binders::run, seeds: outline::seeds },
    Target { name: "resolver", max_length: 192, run: resolver::run, seeds: resolver::seeds },
    Target { name: "tool_calls", max_length: 256, run: tool_calls::run, seeds: tool_calls::seeds },
    Target { name: "budgets", max_length: 128, run: tool_calls::run_budget, seeds: tool_calls::budget_seeds },
    Target { name: "messages_stdio", max_length: 1024, run: messages::run_stdio, seeds: messages::stdio_seeds },
    Target { name: "messages_http", max_length: 1024, run: messages::run_http, seeds: messages::http_seeds },
    Target { name: "config", max_length: 512, run: config::run, seeds: config::seeds },
    Target { name: "ignore_files", max_length: 256, run: ignore_files::run, seeds: ignore_files::seeds },
    Target { name: "patterns", max_length: 192, run: patterns::run, seeds: patterns::seeds },
    Target {
        name: "front_matter",
        max_length: 1024,
        run: documents::run_front_matter,
        seeds: documents::front_matter_seeds,
    },
    Target { name: "citations", max_length: 768, run: documents::run_citations, seeds: documents::citation_seeds },
    Target {
        name: "replies_anthropic",
        max_length: 2048,
        run: replies::run_anthropic,
        seeds: replies::anthropic_seeds,
    },
    Target {
        name: "replies_completions",
        max_length: 2048,
        run: replies::run_completions,
        seeds: replies::completions_seeds,
    },
    Target {
        name: "replies_responses",
        max_length: 2048,
        run: replies::run_responses,
        seeds: replies::responses_seeds,
    },
    Target { name: "addresses", max_length: 192, run: addresses::run, seeds: addresses::seeds },
    Target { name: "secrets", max_length: 512, run: secrets::run, seeds: secrets::seeds },
    Target { name: "git", max_length: 1024, run: git::run, seeds: git::seeds },
    Target { name: "manifests", max_length: 768, run: manifests::run, seeds: manifests::seeds },
];

/// The targets that read a whole project for each input: thousands of counters, in which following how often each was
/// reached, and choosing inputs by how rare what they reach is, takes more time than the target itself.
const WHOLE_PROJECT: &[&str] =
    &["resolver", "tool_calls", "budgets", "ignore_files", "patterns", "citations", "manifests"];

/// What libFuzzer is told for a target.
fn options_of(name: &str) -> &'static str {
    if WHOLE_PROJECT.contains(&name) { "-use_counters=0 -entropic=0 -reduce_inputs=0" } else { "-entropic=0" }
}

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = std::env::var("PEELBACK_FUZZ_TARGET").unwrap_or_default();
    if name == "list" {
        TARGETS
            .iter()
            .for_each(|target| println!("{}\t{}\t{}", target.name, target.max_length, options_of(target.name)));
        std::process::exit(0);
    }
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("PEELBACK_FUZZ_TARGET names no target: {}", names.join(" "));
        std::process::exit(2);
    })
});

fn write_seeds(folder: &Path) {
    std::fs::create_dir_all(folder).expect("the folder of the seeds");
    for (number, seed) in (TARGET.seeds)().iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), seed).expect("a seed");
    }
}

fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
        // Work that is parted among threads is done by this one: waking another for each piece takes most of the time.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        pool.build_global().expect("no pool before this one");
        if let Some(folder) = std::env::var_os("PEELBACK_FUZZ_SEEDS") {
            write_seeds(Path::new(&folder));
        }
    },
    |data: &[u8]| (TARGET.run)(data)
);
