//! The tools `scope` and `context` of the MCP server have what the commands of the same names have.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use peelback::command::full_command_line_grammar;
use peelback_agent::document::Document;
use peelback_tools::tool_by_name_or_alias;
use serde_json::{Value, json};

use crate::mcp::child::Server as Child;
use crate::scope::desk::{Desk, QUESTION, files_below, good};
use crate::scope::server::{OPENAI, Reply, Server};

/// A server over the project, with a model of `model` where there is one.
fn serving(desk: &Desk, model: Option<&Server>, flags: &[&str]) -> Child {
    let mut command = desk.command();
    command.current_dir(desk.project.path()).arg("serve").args(flags);
    if let Some(model) = model {
        command.env("PEELBACK_MODEL", OPENAI).env("PEELBACK_BASE_URL", model.url());
    }
    let mut child = Child::of(command);
    child.greet();
    child
}

/// The text of a call that is no error of the protocol.
#[track_caller]
fn text(child: &mut Child, tool: &str, arguments: Value) -> String {
    let (text, is_error) = child.text(tool, arguments);
    assert!(!is_error, "{text}");
    text
}

/// The JSON of a call.
#[track_caller]
fn told(child: &mut Child, tool: &str, mut arguments: Value) -> Value {
    arguments["format"] = json!("json");
    let text = text(child, tool, arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_tools_have_the_flags_of_the_commands() {
    // What only whoever starts the program may choose, or what only a terminal has.
    let of_command_line = |id: &str| {
        let own = ["question_file", "record", "replay", "allow_secret", "allow_http", "json", "help"];
        let of_tables = ["agent", "cache", "model"];
        let limits = ["exploration_chars", "exploration_aim_chars", "writing_chars", "tokens_per_minute"];
        own.contains(&id)
            || peelback::config::KEYS.iter().any(|key| key.name == id && of_tables.contains(&key.table))
            || limits.contains(&id)
    };
    let grammar = full_command_line_grammar();
    for name in ["scope", "context"] {
        let command = grammar.find_subcommand(name).expect("a command");
        let tool = tool_by_name_or_alias(name).expect("a tool");
        let parameters: BTreeSet<&str> = tool.parameters().iter().map(|parameter| parameter.name.as_str()).collect();
        let missing: Vec<&str> = command
            .get_arguments()
            .map(|argument| argument.get_id().as_str())
            .filter(|id| !of_command_line(id) && !parameters.contains(id))
            .collect();
        assert_eq!(missing, Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn a_document_is_written_checked_and_renewed() {
    let desk = Desk::new();
    let mut child = serving(&desk, None, &[]);
    let written = told(&mut child, "scope", json!({ "question": QUESTION, "output": "contexts/" }));
    let path = written["path"].as_str().unwrap_or_else(|| panic!("a path: {written}")).to_owned();
    assert!(
        path.starts_with("contexts/") && path.contains("/scope-how-are-parcels") && path.ends_with(".md"),
        "{path}"
    );
    let read = || std::fs::read_to_string(desk.project.path().join(&path)).expect("the document");
    let document = Document::parse(&read()).expect("a document");
    assert_eq!(document.front.scope_question, QUESTION);

    let checked = text(&mut child, "scope", json!({ "check": path }));
    assert!(checked.contains(", 0 stale") && checked.contains("## As written"), "{checked}");
    let client = desk.project.path().join("src/client.py");
    let before = std::fs::read_to_string(&client).expect("a file");
    desk.project.write("src/client.py", format!("import time\nimport random\n{before}"));
    let checked = text(&mut child, "scope", json!({ "check": path }));
    assert!(checked.contains("## Stale") && checked.contains("src/client.py:18-27: moved, now"), "{checked}");

    let old = read();
    let planned = text(&mut child, "scope", json!({ "refresh": path, "dry_run": true }));
    assert!(planned.contains("nothing was sent or written") && read() == old, "{planned}");
    let renewed = told(&mut child, "scope", json!({ "refresh": path }));
    assert_eq!(renewed["path"], json!(path), "{renewed}");
    assert!(read() != old && read().contains("src/client.py:20-29"), "{}", read());
    let checked = text(&mut child, "scope", json!({ "check": path }));
    assert!(checked.contains(", 0 stale"), "{checked}");
}

#[test]
fn nothing_is_written_or_read_outside_the_root() {
    let desk = Desk::with(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    let before = desk.contents();
    let outside = files_below(desk.work.path());
    let secret = desk.work.path().display().to_string();
    let mut child = serving(&desk, None, &[]);
    for output in
        ["../out.md", ".git/out.md", "/tmp/peelback-out/", "src/client.py", "out.sh", &format!("{secret}/o.md")]
    {
        let (text, _) = child.text("scope", json!({ "question": QUESTION, "output": output }));
        assert!(text.contains("error: ") && text.contains("contexts/"), "{output}: {text}");
    }
    for source in ["..", &secret, "/", "nowhere"] {
        let (text, _) = child.text("context", json!({ "source": source }));
        assert!(text.contains("is not a folder that may be read here"), "{source}: {text}");
    }
    for document in ["../x.md", "README.md", "nowhere.md", &format!("{secret}/x.md")] {
        for parameter in ["check", "refresh", "source"] {
            let arguments = match parameter {
                "source" => json!({ "question": QUESTION, "source": document }),
                _ => json!({ parameter: document }),
            };
            let (text, _) = child.text("scope", arguments);
            assert!(text.contains("error: "), "{parameter} {document}: {text}");
        }
    }
    assert_eq!(desk.contents(), before);
    assert_eq!(files_below(desk.work.path()), outside);
    assert!(!std::path::Path::new("/tmp/peelback-out").exists());
}

#[test]
fn a_source_below_the_root_is_opened_and_none_is_cloned_unasked() {
    let desk = Desk::new();
    let mut child = serving(&desk, None, &[]);
    let of_folder = told(&mut child, "scope", json!({ "question": QUESTION, "source": "src" }));
    let whole = of_folder.to_string();
    assert!(whole.contains("`client.py:18-27`") && !whole.contains("src/client.py"), "{whole}");
    let written = told(&mut child, "context", json!({ "source": "src", "output": "notes.md" }));
    assert_eq!(written["path"], "notes.md", "{written}");
    // The document names its folder, from which the question is answered.
    let of_document = told(&mut child, "scope", json!({ "question": QUESTION, "source": "notes.md" })).to_string();
    assert!(of_document.contains("`client.py:18-27`"), "{of_document}");
    let url = "https://127.0.0.1:9/none.git";
    let (refused, _) = child.text("scope", json!({ "question": QUESTION, "source": url }));
    assert!(
        refused.contains("this server does not clone repositories") && refused.contains("--clone-sources"),
        "{refused}"
    );

    let mut child = serving(&desk, None, &["--clone-sources"]);
    let (tried, _) = child.text("scope", json!({ "question": QUESTION, "source": url }));
    assert!(tried.contains("127.0.0.1:9") && !tried.contains("clones"), "git tried it: {tried}");
    for other in [format!("file://{}", desk.root()), "ssh://127.0.0.1/x.git".to_owned()] {
        let (refused, _) = child.text("context", json!({ "source": other }));
        assert!(refused.contains("a server clones over https alone"), "{refused}");
    }
    assert!(files_below(desk.temporary.path()).is_empty(), "no clone is left");
}

#[test]
fn mode_model_and_budgets_are_of_the_call() {
    let desk = Desk::new();
    let server = Server::scripted(|_, request| match request.tools().is_empty() {
        true => good().swap_remove(1),
        false => Reply::Say("I have seen enough.".to_owned()),
    });
    let mut child = serving(&desk, Some(&server), &[]);
    let without = text(&mut child, "scope", json!({ "question": QUESTION, "no_model": true }));
    assert!(without.contains("no model wrote this"), "{without}");
    let forecast = text(&mut child, "scope", json!({ "question": QUESTION, "dry_run": true, "output": "dry.md" }));
    assert!(forecast.contains("nothing was sent") && forecast.contains("The first request"), "{forecast}");
    assert!(!desk.project.path().join("dry.md").exists());
    let (wrong, _) = child.text("scope", json!({ "question": QUESTION, "max_cost": "much" }));
    assert!(wrong.contains("max_cost is not an amount of money"), "{wrong}");
    let (wrong, _) = child.text("scope", json!({ "question": QUESTION, "check": "a.md" }));
    assert!(wrong.contains("given together"), "{wrong}");
    assert_eq!(server.requests().len(), 0, "nothing was sent so far");
    // A ceiling below the reserve of a last answer leaves no room for a request.
    let (poor, _) = child.text("scope", json!({ "question": QUESTION, "max_total_tokens": 500 }));
    assert_eq!(server.requests().len(), 0, "{poor}");
    child.text("scope", json!({ "question": QUESTION, "mode": "agent", "turns": 1 }));
    assert!(server.requests()[0].tools().iter().any(|tool| tool == "read_symbol"), "the agent has tools");
    let agent = server.requests().len();
    child.text("scope", json!({ "question": QUESTION }));
    assert!(server.requests()[agent].tools().is_empty(), "the pipeline has none");
}

#[test]
fn context_is_a_tool() {
    let desk = Desk::new();
    let before = desk.contents();
    let mut child = serving(&desk, None, &[]);
    let answer = text(&mut child, "context", json!({}));
    assert!(answer.contains("Sends parcels to depots, with retries") && answer.contains("src/client.py"), "{answer}");
    let small = text(&mut child, "context", json!({ "max_tokens": 700 }));
    assert!(peelback_tokens::count_tokens(&small) <= 700, "{small}");
    assert_eq!(desk.contents(), before, "nothing is written unasked");
    let server = Server::scripted(|_, _| Reply::Say("Parcels go to depots (`src/client.py:18-27`).".to_owned()));
    let mut child = serving(&desk, Some(&server), &[]);
    let told = told(&mut child, "context", json!({}));
    assert_eq!(told["model"], OPENAI, "{told}");
    assert!(told.to_string().contains("Parcels go to depots"), "{told}");
}

#[test]
fn a_server_that_writes_nothing_says_so() {
    let desk = Desk::new();
    let annotations = |child: &mut Child| {
        let listed = child.result("tools/list", json!({}));
        let tools = listed["tools"].as_array().expect("tools").clone();
        let of = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("a tool")["annotations"].clone();
        [of("scope"), of("context"), of("grep")]
    };
    let mut child = serving(&desk, None, &[]);
    let [scope, context, grep] = annotations(&mut child);
    for writer in [scope, context] {
        assert_eq!((&writer["readOnlyHint"], &writer["destructiveHint"]), (&json!(false), &json!(true)), "{writer}");
    }
    assert_eq!(grep["readOnlyHint"], true);
    let mut child = serving(&desk, None, &["--write-documents=false"]);
    for reader in annotations(&mut child) {
        assert_eq!((&reader["readOnlyHint"], &reader["destructiveHint"]), (&json!(true), &json!(false)), "{reader}");
    }
    let before = desk.contents();
    let (refused, _) = child.text("scope", json!({ "question": QUESTION, "output": "contexts/" }));
    assert!(refused.contains("this server writes no files") && refused.contains("--write-documents"), "{refused}");
    assert_eq!(desk.contents(), before);
}

#[test]
fn progress_comes_while_a_model_is_waited_for() {
    let desk = Desk::new();
    let server = Server::scripted(|_, _| {
        std::thread::sleep(Duration::from_secs(5));
        Reply::Say("no reply of that form".to_owned())
    });
    let mut child = serving(&desk, Some(&server), &["--scope-seconds=8"]);
    for (tool, arguments) in [("scope", json!({ "question": QUESTION })), ("context", json!({}))] {
        let began = Instant::now();
        child.others.clear();
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": tool } });
        child.result("tools/call", params);
        let seconds = began.elapsed().as_secs();
        let told: Vec<&Value> = child.others.iter().filter(|one| one["params"]["progressToken"] == tool).collect();
        assert!(seconds >= 4 && told.len() as u64 >= seconds - 3, "{} in {seconds} s", told.len());
        let values: Vec<f64> = told.iter().filter_map(|one| one["params"]["progress"].as_f64()).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
        let messages: BTreeSet<&str> = told.iter().filter_map(|one| one["params"]["message"].as_str()).collect();
        assert!(messages.len() > 1 && messages.iter().all(|message| message.contains(" s)")), "{messages:?}");
    }
}
