//! What a call may see and spend: roots, budgets, deadlines.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::mcp::child::{Server, text_of};
use crate::mcp::corpus::{slow, slow_call, small, without_calls};
use crate::support::Project;

#[test]
fn a_call_may_name_an_allowed_root_and_no_other() {
    let (own, other, secret) = (small(), Project::empty(), Project::empty());
    other.write("lib/other.py", "def elsewhere(): pass\n");
    secret.write("secret.py", "KEY = 'hidden'\n");
    let allowed = other.path().display().to_string();
    let mut server = Server::greeted(&own, &["--allow-root", &allowed]);
    let mut look = |arguments| server.text("grep", arguments).0;
    assert!(look(json!({ "pattern": "elsewhere", "root": allowed })).contains("lib/other.py"));
    assert!(look(json!({ "pattern": "elsewhere", "root": other.path().join("lib") })).contains("other.py"));
    assert!(look(json!({ "pattern": "elsewhere", "scope": other.path().join("lib") })).contains("lib/other.py"));
    assert!(look(json!({ "pattern": "items", "root": "src" })).contains("cart.py"));
    let outside = secret.path();
    let escapes = [outside.to_owned(), own.path().join("..").join(outside.file_name().expect("a name"))];
    for root in escapes {
        for name in ["root", "projectRoot", "root_path"] {
            let text = look(json!({ "pattern": "KEY", name: root }));
            assert!(text.starts_with("error: ") && text.contains(&allowed) && !text.contains("hidden"), "{text}");
        }
        let text = look(json!({ "pattern": "KEY", "scope": root }));
        assert!(text.starts_with("error: ") && !text.contains("hidden"), "{text}");
    }
    let refused = server.call("grep", json!({ "pattern": "KEY", "root": outside, "format": "json" }));
    let (text, is_error) = text_of(&refused);
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON as it was asked for");
    assert_eq!(answer["allowed_roots"].as_array().map(Vec::len), Some(2), "{text}");
    assert!(!is_error, "sibling calls go on");
}

/// The project of a call is found before its arguments are checked.
#[test]
fn a_path_of_very_many_folders_is_refused_at_once() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let long = "a/".repeat(1_500_000);
    for (tool, parameter) in
        [("read_file", "path"), ("find_symbols", "scope"), ("read_symbol", "name"), ("tree", "root")]
    {
        let began = std::time::Instant::now();
        let (text, is_error) = server.text(tool, json!({ parameter: long }));
        assert!(is_error && text.contains("has 3,000,000 characters; the limit is 4,096"), "{tool}: {text}");
        assert!(began.elapsed().as_secs() < 5, "{tool}: {:?}", began.elapsed());
    }
}

#[test]
fn the_root_is_the_one_of_the_command_line() {
    let (own, elsewhere) = (small(), Project::empty());
    let mut command = elsewhere.command();
    command.arg("serve").arg("--root").arg(own.path());
    let mut server = Server::of(command);
    server.greet();
    let (text, _) = server.text("outline", json!({ "path": "src/store.py" }));
    let printed = elsewhere.run_with(&["outline", "src/store.py", "--root", &own.path().display().to_string()]);
    assert_eq!(without_calls(&text), without_calls(&printed.answer()));
    let missing = own.run("serve --root nowhere");
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(2), ""), "{missing:?}");
}

#[test]
fn no_answer_passes_what_the_host_takes() {
    let project = Project::empty();
    let body: String = (0..6_000).map(|index| format!("def function_{index}(): return 'value {index}'\n")).collect();
    project.write("long.py", body);
    for (limit, most) in [(None, 12_000), (Some("3000"), 1_500), (Some("1000"), 500)] {
        let mut command = project.command();
        command.arg("serve");
        let variables: Vec<(&str, &str)> = limit.map(|limit| ("MAX_MCP_OUTPUT_TOKENS", limit)).into_iter().collect();
        let mut server = Server::of_with(command, &variables);
        server.greet();
        for arguments in [
            json!({ "pattern": "value", "max_tokens": 0, "limit": 100_000 }),
            json!({ "pattern": "value", "maxTokens": "0", "limit": 100_000 }),
            json!({ "pattern": "value", "detail_level": "full", "limit": 100_000 }),
            json!({ "pattern": "value", "max_tokens": 50_000, "limit": 100_000 }),
            json!({ "pattern": "value", "limit": 100_000 }),
        ] {
            let (text, _) = server.text("grep", arguments.clone());
            let tokens = peelback_tokens::count_tokens(&text);
            assert!(tokens <= most, "{tokens} tokens for {arguments} with {limit:?}");
            assert!(text.contains("6,000"), "the total stays: {text}");
        }
    }
}

#[test]
fn a_deadline_gives_what_was_found_by_then() {
    let project = slow();
    let mut server = Server::greeted(&project, &["--deadline", "3"]);
    let (tool, arguments) = slow_call();
    let began = Instant::now();
    let (text, is_error) = server.text(tool, arguments);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(!is_error && text.contains("lower_bound") && text.contains("deadline"), "{text}");
    let (text, _) = server.text("read_lines", json!({ "path": "part3.py", "ranges": ["1-2"] }));
    assert!(text.contains("function_0"), "{text}");
}

#[test]
fn a_long_call_tells_how_far_it_is() {
    let project = slow();
    let mut server = Server::greeted(&project, &["--deadline", "6"]);
    let (tool, arguments) = slow_call();
    let asked = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "mine" } });
    let began = Instant::now();
    let id = server.ask("tools/call", asked);
    let first = server.next(Duration::from_secs(5)).expect("progress");
    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
    server.others.push(first);
    server.answer_to(id);
    let told: Vec<f64> = server
        .others
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| {
            assert_eq!(message["params"]["progressToken"], "mine");
            message["params"]["progress"].as_f64().expect("a number")
        })
        .collect();
    assert!(told.len() >= 3, "{told:?}");
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
    let last = server.others.last().expect("progress");
    assert_eq!(last["params"]["total"], json!(4000.0), "{last}");
    assert!(last["params"]["message"].as_str().is_some_and(|text| text.ends_with("of 4000 steps")), "{last}");
}
