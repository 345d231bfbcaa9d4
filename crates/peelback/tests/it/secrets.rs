//! What is secret leaves through no door: planted secrets and look-alikes of all forms through answers with `secrets.mask`,
//! the server, requests to models and to an embedding endpoint, recordings and documents.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::mcp::child;
use crate::scope::desk::{ANSWER, Desk, explored};
use crate::scope::server::{OPENAI, Reply, Server};
use crate::support::embeddings::start_embedding_server;
use crate::support::{Project, Run};

#[path = "../../../peelback-secrets/tests/planted/mod.rs"]
mod planted;

use planted::Case;

const SEED: u64 = 41;
const MASKING: (&str, &str) = ("PEELBACK_MASK_SECRETS", "true");

fn path_of(number: usize, case: &Case) -> String {
    format!("case_{number}/{}", case.path)
}

fn project_of(cases: &[Case]) -> Project {
    let project = Project::empty();
    for (number, case) in cases.iter().enumerate() {
        project.write(&path_of(number, case), &case.text);
    }
    project
}

/// That at most three in a hundred cases are shown.
#[track_caller]
fn assert_masked(door: &str, cases: &[Case], is_shown: impl Fn(usize, &Case) -> bool) {
    let shown: Vec<&str> =
        cases.iter().enumerate().filter(|(number, case)| is_shown(*number, case)).map(|(_, case)| case.form).collect();
    assert!(shown.len() * 100 <= cases.len() * 3, "{door}: {} of {}: {shown:?}", shown.len(), cases.len());
}

/// That at least 97 in a hundred cases are shown.
#[track_caller]
fn assert_shown(door: &str, cases: &[Case], is_shown: impl Fn(usize, &Case) -> bool) {
    let masked: Vec<&str> =
        cases.iter().enumerate().filter(|(number, case)| !is_shown(*number, case)).map(|(_, case)| case.form).collect();
    assert!(masked.len() * 100 <= cases.len() * 3, "{door}: {} of {}: {masked:?}", masked.len(), cases.len());
}

fn read_with(project: &Project, path: &str, format: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = project.command();
    command.args(["read-file", path, "--raw", "--no-cache", "--max-tokens", "20000"]).args(format);
    command.envs(variables.iter().copied());
    Run::of(&command.output().expect("the program runs")).answer()
}

#[test]
fn answers_on_the_command_line_are_masked_where_the_user_says_so() {
    let planted = planted::planted(SEED, 1);
    let project = project_of(&planted);
    for format in [&[][..], &["--json"]] {
        let read = |number: usize, case: &Case| read_with(&project, &path_of(number, case), format, &[MASKING]);
        assert_masked("command line", &planted, |number, case| case.is_shown_in(&read(number, case)));
    }
    let path = path_of(0, &planted[0]);
    let plain = read_with(&project, &path, &[], &[]);
    assert!(planted[0].is_shown_in(&plain), "by default a file is served as it is: {plain}");
    let masked = read_with(&project, &path, &[], &[MASKING]);
    assert!(masked.contains("[masked]") && masked.contains("1 secret value is masked"), "{masked}");
    let json: Value = serde_json::from_str(&read_with(&project, &path, &["--json"], &[MASKING])).expect("JSON");
    assert_eq!(json["masked_values"], 1, "{json}");
    // A project can ask for it, and cannot undo it.
    project.write("peelback.toml", "[secrets]\nmask = true\n");
    assert!(!planted[0].is_shown_in(&read_with(&project, &path, &[], &[])));
    project.write("peelback.toml", "[secrets]\nmask = false\n");
    assert!(!planted[0].is_shown_in(&read_with(&project, &path, &[], &[MASKING])));
    // Where the setting cannot be understood, nothing is shown that it may forbid.
    project.write("peelback.toml", "[secrets]\nmaks = true\n");
    assert!(!planted[0].is_shown_in(&read_with(&project, &path, &[], &[])));

    let lookalikes = planted::lookalikes(SEED, 1);
    let project = project_of(&lookalikes);
    assert_shown("command line", &lookalikes, |number, case| {
        case.is_shown_in(&read_with(&project, &path_of(number, case), &[], &[MASKING]))
    });
}

#[test]
fn answers_of_the_server_are_masked_where_the_user_says_so() {
    for (cases, is_planted) in [(planted::planted(SEED, 2), true), (planted::lookalikes(SEED, 7), false)] {
        let project = project_of(&cases);
        let mut command = project.command();
        command.arg("serve");
        let mut server = child::Server::of_with(command, &[MASKING]);
        server.greet();
        let answers: Vec<String> = cases
            .iter()
            .enumerate()
            .map(|(number, case)| {
                let arguments = json!({ "path": path_of(number, case), "raw": true });
                let result = server.result("tools/call", json!({ "name": "read_file", "arguments": arguments }));
                result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
            })
            .collect();
        if is_planted {
            assert_masked("server", &cases, |number, case| case.is_shown_in(&answers[number]));
        } else {
            assert_shown("server", &cases, |number, case| case.is_shown_in(&answers[number]));
        }
    }
}

/// The address of an endpoint of embeddings, and the texts that reach it.
fn embedding_server() -> (String, Arc<Mutex<String>>) {
    let received: Arc<Mutex<String>> = Arc::default();
    let seen = received.clone();
    let address = start_embedding_server(move |texts| {
        texts.iter().for_each(|text| seen.lock().expect("a lock").push_str(text));
        vec![vec![1.0, 0.5]; texts.len()]
    });
    (format!("http://{address}/v1"), received)
}

#[test]
fn an_embedding_endpoint_receives_no_secret() {
    let (url, texts) = embedding_server();
    let planted = planted::planted(SEED, 1);
    let mut searches = 0;
    for cases in planted.chunks(20) {
        let project = Project::empty();
        for (number, case) in cases.iter().enumerate() {
            // What is ranked are symbols: each text is that of a function.
            let text = format!(
                "def zeppelin_{number}():\n    r\"\"\"zeppelin\n{}\n    \"\"\"\n    return zeppelin\n",
                case.text
            );
            project.write(&format!("case_{number}.py"), text);
        }
        let mut command = project.command();
        command.args(["search", "--json", &format!("zeppelin {}", planted[0].parts[0])]);
        command.envs([
            ("PEELBACK_CACHE", "false"),
            ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
            ("PEELBACK_EMBEDDING_MODEL", "small"),
            ("PEELBACK_EMBEDDING_SEND", "true"),
        ]);
        let run = Run::of(&command.output().expect("the program runs"));
        searches += usize::from(run.stdout.contains("meaning"));
    }
    let texts = texts.lock().expect("a lock").clone();
    assert!(searches > 5 && texts.matches("zeppelin").count() > 100, "{searches} searches: {}", texts.len());
    assert_masked("embedding endpoint", &planted, |_, case| case.is_shown_in(&texts));
}

#[test]
fn models_recordings_and_documents_receive_no_secret() {
    let planted = planted::planted(SEED, 1);
    let desk = Desk::new();
    for (number, case) in planted.iter().enumerate() {
        desk.project.write(&path_of(number, case), &case.text);
    }
    let paths: Vec<String> = planted.iter().enumerate().map(|(number, case)| path_of(number, case)).collect();
    let is_sent = |server: &Server, what: &str, least: usize, cases: &[Case]| {
        let texts: Vec<String> = server.requests().iter().map(|request| request.text()).collect();
        let texts = texts.join("\n");
        assert!(
            texts.matches("[masked]").count() > least,
            "{what}: only {} were seen",
            texts.matches("[masked]").count()
        );
        assert_masked(what, cases, |_, case| case.is_shown_in(&texts));
    };

    // The agent reads every file.
    let mut turns: Vec<Reply> = paths
        .chunks(8)
        .map(|paths| {
            let call = |path: &String| ("read_file", json!({ "path": path, "raw": true }));
            Reply::Call(paths.iter().map(call).collect())
        })
        .collect();
    turns.push(Reply::Say(ANSWER.to_owned()));
    turns.push(Reply::Say(ANSWER.to_owned()));
    let server = Server::of(turns);
    let limits = ["--max-input-tokens", "200000", "--tpm", "100000000", "--turns", "40"];
    let run =
        desk.ask(&server, OPENAI, &[&["--mode", "agent", "--record", "run.jsonl", "-o", "-"][..], &limits].concat());
    is_sent(&server, "agent", 100, &planted);
    assert_masked("agent's document", &planted, |_, case| case.is_shown_in(&run.stdout));
    let recording = desk.work.path().join("run.jsonl");
    let recorded = std::fs::read_to_string(&recording).expect("a recording");
    assert_masked("recording", &planted, |_, case| case.is_shown_in(&recorded));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&recording).expect("a file").permissions().mode() & 0o777, 0o600);
    }

    // The pipeline is asked for the files, some at a time.
    let mut seen = 0;
    for part in paths.chunks(12) {
        let files: Vec<&str> = part.iter().map(String::as_str).collect();
        let server =
            Server::of(vec![explored(&[], &files, false), explored(&[], &files, true), Reply::Say(ANSWER.to_owned())]);
        let run = desk.ask(&server, OPENAI, &["-o", "-"]);
        let texts: String = server.requests().iter().map(|request| request.text()).collect();
        seen += texts.matches("[masked]").count();
        let shown = planted.iter().filter(|case| case.is_shown_in(&texts) || case.is_shown_in(&run.stdout)).count();
        assert!(shown <= 4, "the pipeline sent {shown}");
    }
    assert!(seen > 80, "the pipeline was asked for {seen}");

    // Documents without a model.
    let context = desk.run(&["context", &desk.root(), "-o", "-"]).answer();
    let evidence = desk.evidence(&["-q", "DB_PASSWORD API_KEY token secret password", "-o", "-"]).answer();
    assert_masked("context", &planted, |_, case| case.is_shown_in(&context));
    assert_masked("evidence", &planted, |_, case| case.is_shown_in(&evidence));
    assert!(evidence.contains("[masked]"), "{evidence}");
}

/// A question that holds a secret is masked in all that is made of it, and so are credentials in the remote's address.
#[test]
fn what_the_user_and_git_say_is_masked_too() {
    let token = planted::Random::new(SEED).text(36, planted::ANY);
    let token = format!("ghp_{token}");
    let desk = Desk::new();
    let run = desk.run(&["scope", &desk.root(), "-q", &format!("Where is {token} used by the depot?")]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let path = run.stdout.lines().next().unwrap_or_default().to_owned();
    let text = std::fs::read_to_string(desk.work.path().join(&path)).expect("a document");
    assert!(!text.contains(&token) && text.contains("[masked]"), "{text}");
    assert!(!path.contains(&token.to_lowercase()[4..20]), "{path}");
}

/// A reference of git that is a link to a foreign file gives no commit.
#[cfg(unix)]
#[test]
fn a_linked_head_puts_no_foreign_line_into_a_document() {
    let foreign = tempfile::tempdir().expect("a folder");
    let secret = planted::Random::new(SEED).text(40, planted::HEX);
    std::fs::write(foreign.path().join("foreign"), format!("{secret}\n")).expect("a file");
    let desk = Desk::new();
    let head = desk.project.path().join(".git/HEAD");
    let _ = std::fs::remove_file(&head);
    std::os::unix::fs::symlink(foreign.path().join("foreign"), &head).expect("a link");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(desk.project.path().join(".git").join(folder)).expect("a folder");
    }
    for command in ["scope", "context"] {
        let root = desk.root();
        let question = ["-q", "How are parcels sent again?"];
        let mut arguments = vec![command, root.as_str(), "-o", "-"];
        if command == "scope" {
            arguments.extend(question);
        }
        let run = desk.run(&arguments);
        assert!(!run.stdout.contains(&secret) && !run.stderr.contains(&secret), "{run:?}");
    }
}
