//! What an endpoint of embeddings receives.

use std::sync::{Arc, Mutex};

use super::doors::{all_cases, check_door, function_of, function_with, passage};
use crate::support::embeddings::start_embedding_server;
use crate::support::{Project, Run};

/// The address of an endpoint of embeddings, and the texts that reach it.
fn embedding_server() -> (String, Arc<Mutex<Vec<String>>>) {
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = received.clone();
    let address = start_embedding_server(move |texts| {
        seen.lock().expect("a lock").extend(texts.iter().map(|text| (*text).to_owned()));
        vec![vec![1.0, 0.5]; texts.len()]
    });
    (format!("http://{address}/v1"), received)
}

fn search(project: &Project, url: &str, words: &str) -> Run {
    let mut command = project.command();
    command.args(["search", "--json", words]);
    command.envs([
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ]);
    Run::of(&command.output().expect("the program runs"))
}

#[test]
fn an_embedding_endpoint_receives_no_secret() {
    let (url, received) = embedding_server();
    let cases: Vec<_> = all_cases().enumerate().collect();
    for cases in cases.chunks(20) {
        let project = Project::empty();
        for (number, case) in cases {
            project.write(&format!("case_{number}.py"), function_with(*number, case));
        }
        // A question can hold a secret, too.
        let run = search(&project, &url, &format!("zeppelin {}", cases[0].1.text));
        assert!(run.stdout.contains("meaning"), "{run:?}");
    }
    let texts = received.lock().expect("a lock").clone();
    check_door("embedding endpoint", 300, |number, case| {
        let name = function_of(number);
        let own: String = texts.iter().filter(|text| text.contains(&name)).cloned().collect();
        let anywhere = texts.iter().find(|text| case.is_shown_in(text));
        passage(case, anywhere.unwrap_or(&own))
    });
}

/// A file that consists of secrets is not sent, though its words are asked for and its like is sent under another name.
#[test]
fn a_file_of_secrets_is_not_embedded() {
    let (url, received) = embedding_server();
    let project = Project::empty();
    let text_of = |path: &str, word: &str| match path.rsplit('.').next() {
        Some("yaml") => format!("zeppelin_{word}:\n  zeppelin: of the {word}\n  airship: zeppelin\n"),
        Some("json") => format!("{{ \"zeppelin_{word}\": {{ \"zeppelin\": \"of the {word}\" }} }}\n"),
        Some("toml") => format!("[zeppelin_{word}]\nzeppelin = \"of the {word}\"\n"),
        _ => format!("def zeppelin_{word}():\n    zeppelin = 'of the {word}'\n    return zeppelin\n"),
    };
    let token = format!("ghp_{}", super::planted::Random::new(3).text(36, super::planted::ANY));
    let named = format!("dumps/{token}.py");
    let withheld = [
        "conf/secrets.yaml",
        "conf/secrets.json",
        "conf/secrets.toml",
        "keys/credentials.json",
        "keys/secrets.yaml.bak",
        "keys/server.key",
        "deploy/prod.tfvars",
        "keys/id_rsa",
        named.as_str(),
    ];
    for (number, path) in withheld.iter().enumerate() {
        project.write(path, text_of(path, &format!("hidden{number}")));
    }
    for name in ["open.yaml", "open.json", "open.toml", "open.py"] {
        project.write(&format!("conf/{name}"), text_of(name, &name.replace('.', "_")));
    }
    let run = search(&project, &url, "zeppelin of the hidden airship");
    assert!(run.stdout.contains("meaning"), "{run:?}");
    let texts = received.lock().expect("a lock").join("\n");
    let sent =
        ["yaml", "json", "toml", "py"].iter().filter(|end| texts.contains(&format!("zeppelin_open_{end}"))).count();
    assert!(sent > 0 && texts.contains("zeppelin_open_py"), "{sent} kinds of files are sent: {texts}");
    for (number, path) in withheld.iter().enumerate() {
        assert!(!texts.contains(&format!("hidden{number}")), "{path} was sent: {texts}");
    }
    assert!(!texts.contains(&token), "{texts}");
}
