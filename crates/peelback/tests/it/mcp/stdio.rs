//! Over standard input and output: a real client, both eras, the ways in which a session ends.

use std::time::{Duration, Instant};

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

use crate::mcp::child::{Server, meta, text_of};
use crate::mcp::corpus::{calls, slow, slow_call, small, tool_calls_in, without_calls};

/// What the command line prints for the same call.
fn printed(project: &crate::support::Project, line: &str) -> String {
    let run = project.run(line);
    format!("{}{}", run.stdout, run.stderr)
}

#[tokio::test]
async fn a_client_lists_the_tools_and_calls_each() {
    let project = small();
    let mut command = tokio::process::Command::new(crate::support::program());
    command.arg("serve").current_dir(project.path()).env("HOME", project.path());
    for name in crate::support::foreign_variables() {
        command.env_remove(name);
    }
    let client = ().serve(TokioChildProcess::new(command).expect("a child")).await.expect("a session");
    let about = client.peer_info().expect("the server tells who it is");
    assert_eq!(about.server_info.as_ref().map(|info| info.name.as_str()), Some("peelback"));
    assert!(about.instructions.as_ref().is_some_and(|text| text.contains("outline")));
    let listed = client.list_all_tools().await.expect("a list");
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, peelback_tools::all_tools().iter().map(|tool| tool.name).collect::<Vec<_>>());
    for tool in &listed {
        let hints = tool.annotations.as_ref().expect("annotations");
        // These write documents where a call asks for it.
        let writes = ["scope", "context"].contains(&tool.name.as_ref());
        assert_eq!((hints.read_only_hint, hints.idempotent_hint), (Some(!writes), Some(!writes)));
        assert_eq!((hints.destructive_hint, hints.open_world_hint), (Some(writes), Some(false)));
        assert!(tool.title.as_ref().is_some_and(|title| title.starts_with(char::is_uppercase)), "{}", tool.name);
    }
    for (tool, arguments, line) in calls() {
        let arguments = arguments.as_object().cloned().expect("an object");
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = client.call_tool(request).await.expect("an answer");
        let text = result.content.first().and_then(|block| block.as_text()).expect("a text").text.clone();
        let printed = printed(&project, line);
        // Where the command line names its help, the first error of a tool has the tool's docs.
        let printed = match printed.split_once("docs of ") {
            Some((error, _)) => {
                let docs = peelback_tools::tool_by_name_or_alias(tool).expect("a tool");
                format!("{error}\n{}", docs.documentation_text(peelback_tools::DocumentationMode::Full))
            }
            None => printed,
        };
        assert_eq!(without_calls(&text), without_calls(&printed), "{line}");
        assert_eq!(result.is_error, Some(false), "all of them fit the schema: {line}");
    }
    let asked = json!({ "question": "how is the total of the cart made" }).as_object().cloned().expect("an object");
    let request = CallToolRequestParams::new("scope").with_arguments(asked);
    let result = client.call_tool(request).await.expect("an answer");
    let text = result.content.first().and_then(|block| block.as_text()).expect("a text").text.clone();
    assert!(text.contains("without a model") && text.contains("## Key Files"), "{text}");
    client.cancel().await.expect("it ends");
}

/// Calls a tool, and each call that its answer names; returns the number of these.
fn call_and_follow(server: &mut Server, tool: &str, arguments: &Value) -> usize {
    let (text, _) = server.text(tool, arguments.clone());
    assert!(!text.contains("\npeelback "), "{tool} {arguments}: {text}");
    let named = tool_calls_in(&text);
    for (named_tool, named_arguments) in &named {
        let (answer, is_error) = server.text(named_tool, named_arguments.clone());
        assert!(
            !is_error && !answer.starts_with("error: "),
            "{tool} {arguments} names {named_tool} {named_arguments}: {answer}"
        );
    }
    named.len()
}

#[test]
fn every_call_that_an_answer_names_works_as_it_stands() {
    let project = small();
    for number in 0..80 {
        project.write(
            &format!("more/module_{number}.py"),
            format!("def write_{number}(cart): return cart\n\n\nclass Cart{number}: pass\n"),
        );
    }
    let mut server = Server::greeted(&project, &[]);
    let mut followed = 0;
    for (tool, arguments, _) in calls() {
        followed += call_and_follow(&mut server, tool, &arguments);
        let mut short = arguments.clone();
        short["limit"] = json!(1);
        followed += call_and_follow(&mut server, tool, &short);
    }
    for (tool, arguments) in [
        ("tree", json!({ "limit": 3 })),
        ("outline", json!({})),
        ("outline", json!({ "path": "more" })),
        ("outline", json!({ "path": "src/crt.py" })),
        ("find_symbols", json!({ "name": "cart" })),
        ("find_symbols", json!({ "name": "crat" })),
        ("find_references", json!({ "name": "Cart", "limit": 1 })),
        ("grep", json!({ "pattern": "cart" })),
        ("read_symbol", json!({ "name": "Cart.totl" })),
        ("read_lines", json!({ "path": "src/cart.py", "ranges": ["900-950"] })),
        ("dependencies", json!({ "format": "mermaid" })),
    ] {
        followed += call_and_follow(&mut server, tool, &arguments);
    }
    assert!(followed >= 50, "only {followed} calls were found in the answers");
    // Arguments are of the types that the list of tools gives.
    let (text, _) = server.text("outline", json!({ "path": "src/cart.py" }));
    assert!(text.contains("read_symbol {\"name\":["), "{text}");
}

#[test]
fn both_eras_are_served() {
    let project = small();
    let mut server = Server::start(&project, &[]);
    let about = server.greet();
    assert_eq!(about["protocolVersion"], "2025-11-25");
    assert_eq!(about["serverInfo"]["name"], "peelback");
    assert_eq!(about["capabilities"].get("logging"), None);
    let listed = server.result("tools/list", json!({}));
    assert_eq!(listed.get("ttlMs"), None, "hints about caching are newer");

    let mut server = Server::start(&project, &[]);
    let found = server.result("server/discover", json!({ "_meta": meta() }));
    assert!(found["supportedVersions"].as_array().is_some_and(|versions| versions.contains(&json!("2026-07-28"))));
    assert_eq!(found["instructions"], about["instructions"]);
    let newer = server.result("tools/list", json!({ "_meta": meta() }));
    assert_eq!(newer["tools"], listed["tools"]);
    assert_eq!(newer["cacheScope"], "public");
    assert!(newer["ttlMs"].as_u64().is_some_and(|ttl| ttl >= 3_600_000), "{}", newer["ttlMs"]);
    let called = json!({ "name": "tree", "arguments": {}, "_meta": meta() });
    let (text, is_error) = text_of(&server.result("tools/call", called));
    assert!(text.contains("src/") && !is_error, "{text}");
}

#[test]
fn arguments_that_do_not_fit_are_the_calls_error() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let (text, is_error) = server.text("grep", json!({ "patern": "items" }));
    assert!(is_error && text.contains("pattern"), "{text}");
    let (text, is_error) = server.text("read_file", json!({ "path": "src/crt.py" }));
    assert!(!is_error && text.contains("src/cart.py"), "{text}");
}

/// Wrong calls of each sort, and whether each is a tool error: a parameter is missing, one is unknown, a value has another
/// type or is none of those that the schema lists; and values that the schema allows and the tool does not take.
const WRONG: [(&str, bool, &str); 7] = [
    ("read_lines", true, "{}"),
    ("read_lines", true, r#"{"path":"src/cart.py","rnge":"1-2"}"#),
    ("read_lines", false, r#"{"path":"src/cart.py","ranges":["x"]}"#),
    ("read_lines", true, r#"{"path":"src/cart.py","plain":"perhaps"}"#),
    ("read_lines", true, r#"{"path":"src/cart.py","format":"xml"}"#),
    ("read_lines", true, r#"{"path":"src/cart.py","max_tokens":-1}"#),
    ("read_lines", true, r#"{"path":["src/cart.py","src/store.py"]}"#),
];

/// Calls that fit the schema and lead to nothing, each of which is an answer.
const ANSWERED: [(&str, &str); 13] = [
    ("grep", r#"{"pattern":"("}"#),
    ("grep", r#"{"pattern":"x","glob":["{a"]}"#),
    ("grep", r#"{"pattern":"x","type":["pyton"]}"#),
    ("grep", r#"{"pattern":"x","files":true,"format":"vimgrep"}"#),
    ("find_symbols", r#"{"name":"(","match":"regex"}"#),
    ("find_symbols", r#"{"name":""}"#),
    ("find_symbols", r#"{"name":"Cart","kind":"clas"}"#),
    ("search", r#"{"query":"?!"}"#),
    ("search", r#"{"query":"cart","language":"pyton"}"#),
    ("scope", r#"{"question":" "}"#),
    ("scope", r#"{"question":"how","max_cost":"much"}"#),
    ("read_file", r#"{"path":"src/crt.py"}"#),
    ("read_symbol", r#"{"name":["Cart.totl"]}"#),
];

fn arguments_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn only_what_does_not_fit_the_schema_is_a_tool_error() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    for (tool, arguments) in ANSWERED {
        let (text, is_error) = server.text(tool, arguments_of(arguments));
        assert!(text.starts_with("error: ") && !is_error, "{tool} {arguments}: {text}");
    }
    let (text, is_error) = server.text("scope", json!({}));
    assert!(text.starts_with("error: scope needs question") && is_error, "{text}");
}

#[test]
fn the_docs_come_once_with_wrong_calls_of_every_sort() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    for (index, (tool, is_tool_error, arguments)) in WRONG.into_iter().enumerate() {
        let (text, is_error) = server.text(tool, arguments_of(arguments));
        assert!(text.starts_with("error: "), "{text}");
        assert_eq!(is_error, is_tool_error, "{arguments}: {text}");
        assert_eq!(text.contains("\nexamples:\n"), index == 0, "{text}");
        assert_eq!(
            text.ends_with("docs of read_lines:\nsearch_tools {\"query\":\"read_lines\"}\n"),
            index > 0,
            "{text}"
        );
    }
    // Another tool has docs of its own, and so has another session.
    let (text, _) = server.text("tree", json!({ "depht": 1, "format": "json" }));
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert!(told["documentation"].as_str().is_some_and(|docs| docs.contains("examples:")), "{told}");
    let (text, _) = server.text("tree", json!({ "depht": 1, "format": "json" }));
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (told.get("documentation"), &told["documentation_call"]),
        (None, &json!("search_tools {\"query\":\"tree\"}"))
    );
    let (text, _) = server.text("search_tools", json!({ "query": "tree" }));
    assert!(text.contains("examples:"), "{text}");
    let mut other = Server::start(&project, &[]);
    let called = json!({ "name": "read_lines", "arguments": {}, "_meta": meta() });
    for is_first in [true, false, false, false, false] {
        let (text, is_error) = text_of(&other.result("tools/call", called.clone()));
        assert!(is_error && text.contains("\nexamples:\n") == is_first, "{text}");
    }
}

#[test]
fn a_call_without_the_protocols_form_is_told_what_is_wrong() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    for (params, wrong) in [
        (json!({ "name": 5, "arguments": {} }), "name must be"),
        (json!({ "arguments": {} }), "name is missing"),
        (json!({ "name": "grp", "arguments": [] }), "did you mean grep?"),
    ] {
        let answer = server.request("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(wrong)), "{answer}");
    }
    server.send(&json!({ "jsonrpc": "2.0", "id": "no params", "method": "tools/call" }));
    let answer = server.next(Duration::from_secs(60)).expect("an answer");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("no params"), &json!(-32602)), "{answer}");
    let other = server.request("tools/cal", json!({}));
    assert_eq!(other["error"]["code"], -32601, "{other}");
    // A string that holds the object is taken for it.
    let expected = server.call("grep", json!({ "pattern": "items" }));
    assert_eq!(server.call("grep", json!("{\"pattern\": \"items\"}")), expected);
    for (arguments, reason) in
        [(json!("{pattern: 'items'}"), "key must be a string"), (json!("{\"pattern\": \"items\""), "EOF")]
    {
        let (text, is_error) = server.text("grep", arguments);
        assert!(is_error && text.contains("must be an object") && text.contains(reason), "{text}");
        assert!(text.contains("\ngrep {\"pattern\":"), "{text}");
    }
    for arguments in [json!([]), json!(["items"]), json!("items"), json!(3)] {
        let (text, is_error) = server.text("grep", arguments);
        assert!(is_error && text.contains("must be an object") && text.contains("pattern"), "{text}");
    }
    let newer = Server::start(&project, &[])
        .request("tools/call", json!({ "name": "grep", "arguments": "{\"pattern\": \"items\"}", "_meta": meta() }));
    assert_eq!(newer["result"]["content"], expected["content"], "{newer}");
}

#[test]
fn what_is_dropped_is_in_the_log() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    server.send_line("this is no JSON");
    server.send_line(&format!("{{\"jsonrpc\": \"2.0\", \"long\": \"{}\"}}", "x".repeat(5 << 20)));
    server.result("tools/list", json!({}));
    let log = server.log();
    assert!(log.contains("not JSON") && log.contains("more than 4194304 bytes"), "{log}");
}

#[test]
fn a_line_that_is_no_message_is_the_protocols_error() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let deep = format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": {}", "[".repeat(1_000_000));
    let long = format!("{{\"jsonrpc\": \"2.0\", \"long\": \"{}\"}}", "x".repeat(5 << 20));
    for (line, code, id) in [
        (&b"{"[..], -32700, Value::Null),
        (b"hello", -32700, Value::Null),
        (b"{\"jsonrpc\": \"2.0\", \"id\": \"\xFF\", \"method\": \"ping\"}", -32700, Value::Null),
        (deep.as_bytes(), -32700, Value::Null),
        (long.as_bytes(), -32600, Value::Null),
        (b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600, Value::Null),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"ping\", \"method\": \"tools/list\"}", -32600, json!(3)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 4}", -32600, json!(4)),
        (b"7", -32600, Value::Null),
    ] {
        server.send_bytes(line);
        let answer = server.next(Duration::from_secs(60)).expect("an answer");
        assert_eq!((&answer["error"]["code"], answer.get("id")), (&json!(code), Some(&id)), "{answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    // Notifications are never answered, and the session goes on.
    server.send_line("{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/didOpen\", \"params\": 7}");
    let (text, _) = server.text("tree", json!({}));
    assert!(text.contains("src/") && server.others.is_empty(), "{text} {:?}", server.others);
    // Before the greeting, too, and without a line end.
    let mut early = Server::start(&project, &[]);
    early.send_line("{");
    assert_eq!(early.next(Duration::from_secs(60)).expect("an answer")["error"]["code"], -32700);
    early.greet();
}

#[test]
fn all_files_are_served_only_where_that_is_asked_for() {
    let home = tempfile::tempdir().expect("a folder");
    let start = |folder: &std::path::Path, flags: &[&str]| {
        let mut command = small().command();
        command.current_dir(folder).env("HOME", home.path()).arg("serve").args(flags);
        command.stdin(std::process::Stdio::null());
        crate::support::Run::of(&command.output().expect("it ends"))
    };
    let mut wide = vec![home.path()];
    if cfg!(unix) {
        wide.push(std::path::Path::new("/"));
    }
    for folder in wide {
        let refused = start(folder, &[]);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{refused:?}");
        assert!(refused.stderr.contains("--root DIR"), "{refused:?}");
        let meant = start(folder, &["--root", "."]);
        assert_eq!(meant.code, Some(0), "{meant:?}");
    }
    std::fs::create_dir(home.path().join(".git")).expect("a folder");
    assert_eq!(start(home.path(), &[]).code, Some(0), "a repository was meant to be one");
}

#[test]
fn an_unknown_tool_is_the_protocols_error() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let answer = server.request("tools/call", json!({ "name": "read_symbl", "arguments": {} }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("read_symbol")), "{answer}");
}

#[test]
fn standard_output_holds_the_protocol_alone() {
    let project = small();
    let mut server = Server::greeted(&project, &["-vv"]);
    let id = server.ask("tools/list", json!({}));
    let mut answers = 1;
    server.answer_to(id);
    for (tool, arguments, _) in calls() {
        server.call(tool, arguments);
        answers += 1;
    }
    server.request("tools/call", json!({ "name": "nothing" }));
    assert!(server.others.is_empty(), "{:?}", server.others);
    // Every line was read as JSON, and there was one for each request.
    assert_eq!(server.next(Duration::from_millis(200)), None);
    let log = server.log();
    assert!(log.contains("list of tools sent") && log.contains("tier=\"progressive\""), "{log}");
    assert!(log.matches("answered").count() >= answers - 1, "{log}");
}

#[test]
fn the_environment_says_what_is_logged() {
    let project = small();
    let run = |level: &str| {
        let mut command = project.command();
        command.arg("serve");
        let mut server = Server::of_with(command, &[("PEELBACK_LOG", level)]);
        server.greet();
        server.result("tools/list", json!({}));
        server.log()
    };
    assert!(run("peelback=debug").contains("list of tools sent"));
    assert_eq!(run("off"), "");
    assert!(run("peelback=loud").contains("PEELBACK_LOG"));
}

#[test]
fn files_are_read_ahead_until_a_call_arrives() {
    let project = small();
    let mut server = Server::greeted(&project, &["-vv"]);
    server.result("tools/list", json!({}));
    server.wait_for_log("warmed up files=3");
}

#[test]
fn the_end_of_the_input_ends_the_process() {
    let project = small();
    let mut idle = Server::start(&project, &[]);
    idle.hang_up();
    assert_eq!(idle.end(Duration::from_secs(10)).expect("it ends").code(), Some(0));
    let mut greeted = Server::greeted(&project, &[]);
    greeted.hang_up();
    assert_eq!(greeted.end(Duration::from_secs(10)).expect("it ends").code(), Some(0));
}

/// The output is a pipe that stays open, as where another process has it, too.
#[cfg(unix)]
#[test]
fn a_client_that_reads_nothing_does_not_keep_the_process_after_its_end() {
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::process::Stdio;

    let project = small();
    project.write("long.txt", "a line of some words\n".repeat(2_500));
    let line = |id: usize, method: &str, params: Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    let greeting = line(
        0,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } }),
    ) + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    let read = |id| {
        let arguments = json!({ "path": "long.txt", "raw": true, "detail_level": "full" });
        line(id, "tools/call", json!({ "name": "read_file", "arguments": arguments }))
    };
    let many: String = (1..3_000).map(|id| line(id, "tools/list", json!({}))).collect();
    for (what, input) in [
        (
            "answers that fill the pipe, then a line that is no message",
            format!("{greeting}{}{}hello\n", read(1), read(2)),
        ),
        ("more requests than the server takes at once", format!("{greeting}{many}")),
        ("lines that are no messages", "hello\n".repeat(10_000)),
    ] {
        let mut command = project.command();
        command.args(["serve", "--no-cache"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("its input");
        // The server reads a part of it. Who writes gives up after a while, and closes the input.
        let (sender, written) = std::sync::mpsc::channel();
        let fd = stdin.as_fd().try_clone_to_owned().expect("a descriptor");
        nix::fcntl::fcntl(&fd, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK)).expect("a pipe");
        drop(fd);
        std::thread::spawn(move || {
            let (mut rest, end) = (input.as_bytes(), Instant::now() + Duration::from_secs(3));
            while !rest.is_empty() && Instant::now() < end {
                match stdin.write(rest) {
                    Ok(written) => rest = &rest[written..],
                    Err(_) => std::thread::sleep(Duration::from_millis(20)),
                }
            }
            drop(stdin);
            let _ = sender.send(());
        });
        written.recv_timeout(Duration::from_secs(30)).expect("it is written, or given up");
        let closed = Instant::now();
        let ended = loop {
            match child.try_wait().expect("a child") {
                Some(status) => break Some(status),
                None if closed.elapsed() > Duration::from_secs(20) => break None,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let _ = child.kill();
        let took = closed.elapsed();
        assert_eq!(ended.unwrap_or_else(|| panic!("it goes on: {what}")).code(), Some(0), "{what}");
        assert!(took < Duration::from_secs(10), "{what}: {took:?}");
    }
}

#[test]
fn answers_to_what_was_asked_before_the_end_still_come() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let id = server.ask("tools/call", json!({ "name": "tree", "arguments": {} }));
    server.hang_up();
    let (text, _) = text_of(&server.answer_to(id)["result"]);
    assert!(text.contains("src/"), "{text}");
}

/// Starts a call that takes long, and gives it time to be at work.
fn busy(project: &crate::support::Project) -> (Server, i64) {
    let mut server = Server::greeted(project, &[]);
    let (tool, arguments) = slow_call();
    let id = server.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
    assert_eq!(server.next(Duration::from_secs(1)), None, "the call takes longer");
    (server, id)
}

#[test]
fn a_call_at_work_does_not_keep_the_process() {
    let project = slow();
    let (mut server, _) = busy(&project);
    let before = Instant::now();
    server.hang_up();
    assert_eq!(server.end(Duration::from_secs(15)).expect("it ends").code(), Some(0));
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    #[cfg(unix)]
    for signal in ["-TERM", "-INT"] {
        let (mut server, _) = busy(&project);
        let before = Instant::now();
        let sent = std::process::Command::new("kill").args([signal, &server.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        assert_eq!(server.end(Duration::from_secs(15)).expect("it ends").code(), Some(0));
        assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    }
}

#[test]
fn a_call_that_was_cancelled_has_no_answer_and_holds_nobody() {
    let project = slow();
    let mut server = Server::greeted(&project, &["-vv"]);
    let (tool, arguments) = slow_call();
    let ids: Vec<i64> =
        (0..20).map(|_| server.ask("tools/call", json!({ "name": tool, "arguments": arguments }))).collect();
    assert_eq!(server.next(Duration::from_millis(500)), None, "the calls take longer");
    for id in &ids {
        server.notify("notifications/cancelled", json!({ "requestId": id, "reason": "changed my mind" }));
    }
    let began = Instant::now();
    let (text, _) = server.text("read_lines", json!({ "path": "part3.py", "ranges": ["1-2"] }));
    assert!(text.contains("function_0"), "{text}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let answered = |message: &Value| ids.iter().any(|id| message["id"] == json!(id));
    assert!(!server.others.iter().any(answered), "{:?}", server.others);
    assert_eq!(server.log().matches("handler: withdrawn").count(), ids.len());
}
