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

/// Ranges that hold the same lines again and again.
#[test]
fn ranges_that_repeat() {
    let project = Project::empty();
    project.write("a.py", "def function(): return 1\n".repeat(40_000));
    let mut arguments = vec!["read-lines", "a.py", "--no-cache"];
    arguments.extend(["1-40000"; 900]);
    let run = project.run_with(&arguments);
    assert!(run.stdout.contains("40,000"), "{}", run.shown());
    let peak = peak_of_ended_processes();
    assert!(peak < CEILING, "the peak was {} MB", peak / 1_000_000);
}

/// A page of more lines than an answer can show.
#[test]
fn pages_of_very_many_lines() {
    let project = Project::empty();
    project.write("a.txt", "a\n".repeat(10_000_000));
    for call in [
        "grep a --limit 1000000000",
        "grep a --limit 1 --context 1000000000",
        "grep a --limit 1000000000 --context 1000000000",
        "read-lines a.txt --limit 1000000000",
        "read-file a.txt --raw",
    ] {
        let run = project.run(&format!("{call} --no-cache"));
        assert!(run.stdout.contains("10,000,000"), "{call}: {}", run.shown());
        let peak = peak_of_ended_processes();
        assert!(peak < CEILING, "{call}: the peak was {} MB", peak / 1_000_000);
    }
}

/// A server that is sent what `write` writes to its standard input, and whose answers nobody reads for a while.
fn flood_server(
    project: &Project,
    mut write: impl FnMut(&mut dyn std::io::Write) -> std::io::Result<()> + Send + 'static,
) {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut command = project.command();
    command.args(["serve", "--no-cache", "--deadline", "5"]);
    let mut server =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut input = server.stdin.take().expect("its input");
    let greeting = serde_json::json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "flood", "version": "1" } } });
    writeln!(input, "{greeting}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}")
        .expect("it is read");
    let writer = std::thread::spawn(move || while write(&mut input).is_ok() {});
    std::thread::sleep(Duration::from_secs(8));
    assert_eq!(server.try_wait().expect("its state"), None, "it ended by itself");
    server.kill().expect("it ends");
    server.wait().expect("it ends");
    writer.join().expect("no panic");
    let peak = peak_of_ended_processes();
    assert!(peak < CEILING, "the peak was {} MB", peak / 1_000_000);
}

/// Calls without end, small and large ones, and some whose JSON takes much more memory than text.
#[test]
fn calls_that_wait_hold_no_more_than_the_ceiling() {
    let project = Project::empty();
    project.write("a.py", "def function(): return 1\n".repeat(40_000));
    let long = "x".repeat(900_000);
    let values = vec!["{\"\":0}"; 500_000].join(",");
    let calls = [
        ("grep", "{\"pattern\": \"zz\"}".to_owned()),
        ("grep", format!("{{\"pattern\": \"{long}\"}}")),
        ("grep", format!("{{\"pattern\": \"zz\", \"scope\": [{values}]}}")),
        ("read_file", "{\"path\": \"a.py\", \"raw\": true, \"max_tokens\": 100000}".to_owned()),
    ];
    // A server for each, at the same time: most of the time is waiting.
    std::thread::scope(|scope| {
        for (name, arguments) in calls {
            let project = &project;
            scope.spawn(move || {
                let mut id = 0;
                flood_server(project, move |input| {
                    id += 1;
                    writeln!(
                        input,
                        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}"
                    )
                });
            });
        }
    });
}

/// Large calls on as many connections as the server admits.
#[test]
fn large_calls_over_http_hold_no_more_than_the_ceiling() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::process::Stdio;
    let project = Project::empty();
    project.write("a.py", "def function(): return 1\n".repeat(40_000));
    let mut command = project.command();
    command.args(["serve", "--http", "127.0.0.1:0", "--no-cache", "--deadline", "10"]);
    let mut server = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(server.stderr.take().expect("its errors")).read_line(&mut line).expect("its address");
    let address = line.split_once("http://").and_then(|(_, rest)| rest.split_once("/mcp")).expect("its address").0;
    let long = "x".repeat(1_000_000);
    let values = vec!["{\"\":0}"; 100_000].join(",");
    let bodies = [
        format!("{{\"pattern\": \"{long}\"}}"),
        format!("{{\"pattern\": \"zz\", \"scope\": [{values}]}}"),
        format!("{{\"pattern\": \"zz\", \"glob\": [{}]}}", vec!["[]"; 19_000].join(",")),
    ];
    // Each is held once here: the peak of a process begins with what the one that starts it holds.
    let requests = bodies.map(|arguments| {
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"grep\",\"arguments\":{arguments}}}}}"
        );
        std::sync::Arc::new(format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: application/json, \
             text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    });
    let (sender, receiver) = std::sync::mpsc::channel();
    let clients: Vec<_> = (0..450)
        .map(|index| {
            let (address, sender) = (address.to_owned(), sender.clone());
            let request = requests[index % requests.len()].clone();
            std::thread::spawn(move || {
                let Ok(mut stream) = TcpStream::connect(&address) else { return };
                let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
                let _ = stream.write_all(request.as_bytes());
                let mut status = [0; 12];
                if stream.read_exact(&mut status).is_ok() {
                    let _ = sender.send(String::from_utf8_lossy(&status).into_owned());
                }
            })
        })
        .collect();
    for client in clients {
        client.join().expect("no panic");
    }
    drop(sender);
    let statuses: std::collections::BTreeSet<String> = receiver.into_iter().collect();
    assert_eq!(server.try_wait().expect("its state"), None, "it ended by itself");
    server.kill().expect("it ends");
    server.wait().expect("it ends");
    assert!(statuses.iter().all(|status| ["HTTP/1.1 200", "HTTP/1.1 400", "HTTP/1.1 503"].contains(&status.as_str())));
    assert!(statuses.contains("HTTP/1.1 200"), "{statuses:?}");
    let peak = peak_of_ended_processes();
    assert!(peak < CEILING, "the peak was {} MB", peak / 1_000_000);
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
        assert!(!run.stdout.is_empty(), "{call}");
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
