//! Files that would take all time or all memory: a line of 50 MB, and texts that a parser reads in very many ways.
//!
//! These tests are apart from the others, since they measure the peak of all processes that they start.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]
#![cfg(target_os = "linux")]

#[path = "it/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use support::Project;

const SIZE: usize = 50 * 1024 * 1024;

/// The highest peak of memory, in bytes, of any process that these tests start.
const CEILING: usize = 300_000_000;

/// The highest peak of memory, in bytes, of the processes that have ended.
fn peak_of_ended_processes() -> usize {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage").max_rss() as usize * 1024
}

#[test]
fn a_line_of_fifty_megabytes() {
    let project = Project::empty();
    project.write("good.py", "def good(): pass\n");
    let unit = b"var a=function(b){return b+1};";
    project.write("bundle.js", unit.repeat(SIZE / unit.len()));
    for (call, expected) in [
        ("outline bundle.js", "over the size limit for parsing"),
        ("read-file bundle.js", "over the size limit for parsing"),
        ("read-lines bundle.js 1", "1 line of more than 2000 characters shown in part"),
        ("read-file bundle.js --raw", "1 line of more than 2000 characters shown in part"),
        ("grep return bundle.js", "1 line matching in 1 file"),
        ("tree", "bundle.js  javascript  1 line  ~"),
        ("outline", "def good()"),
        ("find-symbols good", "def good()"),
        ("find-files good", "good.py"),
    ] {
        let start = Instant::now();
        let run = project.run(call);
        let took = start.elapsed();
        assert!(run.stdout.contains(expected), "{call}: {}", run.stdout.get(..2_000).unwrap_or(&run.stdout));
        assert!(run.stdout.len() < 8_192, "{call} printed {} bytes", run.stdout.len());
        // Far from the second or two that it takes alone, so that a busy machine does not fail it, and far from a hang.
        assert!(took < Duration::from_secs(30), "{call} took {took:?}");
    }
    let peak = peak_of_ended_processes();
    assert!(peak < CEILING, "the peak was {} MB", peak / 1_000_000);
}

/// Each of these is read in very many ways at once, or keeps one step of the parser busy: each took gigabytes, or most
/// of a minute.
#[test]
fn texts_that_a_parser_reads_in_very_many_ways() {
    let project = Project::empty();
    let long = |unit: &str, times: usize| unit.repeat(times);
    for (file, text) in [
        ("A.java", long("a<", 50_000)),
        ("a.cs", long("a<", 50_000)),
        ("a.ts", long("a<b,", 8_000)),
        ("a.sh", long("a|", 15_000)),
        ("a.swift", long("#", 200_000)),
    ] {
        project.write(file, &text);
        let start = Instant::now();
        let run = project.run(&format!("outline {file}"));
        let took = start.elapsed();
        // What was not understood is said.
        assert!(run.stdout.contains("\nevidence: "), "{file}: {}", run.stdout);
        let limit = Duration::from_millis(250) + Duration::from_nanos(600) * text.len() as u32;
        // Two seconds, and as much for a busy machine.
        assert!(took < limit + Duration::from_secs(4), "{file} took {took:?}");
        let peak = peak_of_ended_processes();
        assert!(peak < CEILING, "{file}: the peak was {} MB", peak / 1_000_000);
    }
}

/// Many such files at once, on many threads: all parses of the process share one budget.
#[test]
fn many_files_and_threads_hold_no_more_than_the_ceiling() {
    let project = Project::empty();
    for index in 0..12 {
        project.write(&format!("A{index}.java"), "a<".repeat(50_000));
        project.write(&format!("a{index}.cs"), "a<".repeat(50_000));
        project.write(&format!("a{index}.ts"), "a<b,".repeat(8_000));
        // An ordinary one between them is parsed whatever the others hold.
        project.write(&format!("good{index}.py"), format!("def good{index}(): pass\n"));
    }
    for call in ["outline", "find-references good3 --path good3.py", "search good", "dependencies"] {
        let run = project.run(&format!("{call} --threads 16 --no-cache"));
        assert!(matches!(run.code, Some(0 | 1)), "{call}: {run:?}");
        if call == "outline" {
            assert!(run.stdout.contains("its parse passed a limit on memory"), "{}", run.stdout);
            for index in 0..12 {
                assert!(run.stdout.contains(&format!("def good{index}()")), "{index}: {}", run.stdout);
            }
        }
        let peak = peak_of_ended_processes();
        assert!(peak < CEILING, "{call}: the peak was {} MB", peak / 1_000_000);
    }
}

/// A line of which the parser understands no token: what is said of each must not hold the whole line.
#[test]
fn a_long_line_of_which_nothing_is_understood() {
    let project = Project::empty();
    project.write("a.tsx", "</a>".repeat(100_000));
    project.write("a.c", "\u{e9}struct s ".repeat(30_000));
    for call in ["dependencies", "dependencies a.tsx", "dependencies a.c"] {
        let run = project.run(call);
        assert_eq!(run.stderr, "", "{call}");
        assert!(run.stdout.contains("\nevidence: "), "{call}: {}", run.stdout);
        let peak = peak_of_ended_processes();
        assert!(peak < CEILING, "{call}: the peak was {} MB", peak / 1_000_000);
    }
}

/// Manifests of many megabytes: they come with the project, and a parsed one takes up to fifty times its size, or each of
/// its lines is looked up.
#[test]
fn manifests_of_many_megabytes() {
    const MANIFEST: usize = 25_000_000;
    let list = |item: &dyn Fn(usize) -> String, between: &str| {
        let mut text = String::with_capacity(MANIFEST + 100);
        for index in 0.. {
            if text.len() >= MANIFEST {
                break;
            }
            text.push_str(if index == 0 { "" } else { between });
            text.push_str(&item(index));
        }
        text
    };
    let workspaces = |size: usize| {
        let patterns = (0..size).map(|index| format!("\"p{index}/*{{a,b}}/**\"")).collect::<Vec<_>>().join(",");
        format!("{{\"workspaces\":[{patterns}]}}")
    };
    let extends = |size: usize| {
        let names = (0..size).map(|index| format!("\"./t{index}\"")).collect::<Vec<_>>().join(",");
        format!("{{\"extends\":[{names}]}}")
    };
    for (name, text, file, is_too_large) in [
        ("package.json", workspaces(1_000_000), "use.ts", true),
        ("package.json", workspaces(150_000), "use.ts", false),
        ("tsconfig.json", extends(1_500_000), "use.ts", true),
        ("tsconfig.json", extends(300_000), "use.ts", false),
        ("Cargo.toml", format!("[dependencies]\n{}", list(&|i| format!("p{i}=\"1\""), "\n")), "main.rs", true),
        (
            "compile_commands.json",
            format!("[{}]", list(&|i| format!("{{\"file\":\"f{i}.c\",\"command\":\"cc -Ia{i}\"}}"), ",")),
            "main.c",
            true,
        ),
    ] {
        let project = Project::empty();
        project.write("use.ts", "import { a } from 'pkg'\na()\n");
        project.write("main.rs", "mod other;\nuse other::a;\nfn main() { a() }\n");
        project.write("other.rs", "pub fn a() {}\n");
        project.write("main.c", "#include \"x.h\"\n");
        project.write(name, &text);
        for call in ["dependencies", &format!("dependencies {file}"), "find-references a --path other.rs"] {
            let start = Instant::now();
            let run = project.run(call);
            let took = start.elapsed();
            assert!(matches!(run.code, Some(0 | 1)), "{name}: {call}: {run:?}");
            if is_too_large && call.starts_with("dependencies") {
                let said = format!("{name}: over the ");
                assert!(run.stdout.contains(&said), "{name}: {call}: {}", run.stdout);
                assert!(run.stdout.contains("lower_bound") || run.stdout.contains("unknown"), "{}", run.stdout);
            }
            assert!(took < Duration::from_secs(20), "{name} of {} MB: {call} took {took:?}", text.len() / 1_000_000);
            let peak = peak_of_ended_processes();
            assert!(
                peak < CEILING,
                "{name} of {} MB: {call}: the peak was {} MB",
                text.len() / 1_000_000,
                peak / 1_000_000
            );
        }
    }
}
