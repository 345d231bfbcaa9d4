//! Search by meaning, with a real server that speaks the protocol of embeddings, and with a real model where one is there.

use std::net::TcpListener;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::support::Project;
use crate::support::embeddings::start_embedding_server;
use serde_json::{Value, json};

const FILES: &str = "\
//- src/store.py
def load_records(path):
    \"\"\"Reads records of a car park from a file.\"\"\"
    return open(path).read()


def save_records(path, records):
    \"\"\"Writes records of a car park into a file.\"\"\"
    open(path, 'w').write(records)


def vehicle_fee(hours):
    \"\"\"What a vehicle pays for its stay in the records.\"\"\"
    return hours * 2
";

/// A server of embeddings that knows two things: texts about money, and others.
struct Server {
    address: String,
    /// How many texts came with each request.
    requests: Arc<Mutex<Vec<usize>>>,
    /// How long its vectors are.
    length: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let length = Arc::new(AtomicUsize::new(2));
        let now = length.clone();
        let address = start_embedding_server(move |texts| {
            seen.lock().expect("a lock").push(texts.len());
            let vector = |text: &&str| {
                let is_money = ["cost", "pays", "fee"].iter().any(|word| text.contains(word));
                let mut vector = if is_money { vec![1.0, 0.1] } else { vec![0.1, 1.0] };
                vector.resize(now.load(Ordering::Relaxed), 0.0);
                vector
            };
            texts.iter().map(vector).collect()
        });
        Self { address, requests, length }
    }

    /// The settings that name it.
    fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn texts(&self) -> usize {
        self.requests.lock().expect("a lock").iter().sum()
    }
}

const QUESTION: &str = "what does it cost to leave records of a car";

fn search(project: &Project, settings: &[(&str, &str)]) -> Value {
    search_for(project, settings, &[QUESTION])
}

fn search_for(project: &Project, settings: &[(&str, &str)], arguments: &[&str]) -> Value {
    let mut command: Command = project.command();
    command.args(["search", "--json", "--explain"]).args(arguments);
    command.envs(settings.iter().copied());
    let output = command.output().expect("the program runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn names(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().expect("rows").iter().filter_map(|row| row["name"].as_str()).collect()
}

fn notes(answer: &Value) -> String {
    answer["evidence"].to_string()
}

#[test]
fn an_endpoint_is_asked_only_where_the_user_agreed_and_only_once() {
    let project = Project::new(FILES);
    let cache = tempfile::tempdir().expect("a folder");
    let cache = cache.path().to_string_lossy().into_owned();
    let server = Server::start();
    let url = format!("http://{}/v1", server.address);
    let off = search(&project, &[("PEELBACK_CACHE_DIR", &cache)]);
    assert!(names(&off)[0] != "vehicle_fee" && !notes(&off).contains("meaning"), "{off}");
    let endpoint = [
        ("PEELBACK_CACHE_DIR", cache.as_str()),
        ("PEELBACK_EMBEDDING_ENDPOINT", &url),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
    ];
    let asked = search(&project, &endpoint);
    assert_eq!(names(&asked), names(&off));
    let forecast = notes(&asked);
    let sent = "would be sent 3 texts of this project and the question, ~";
    assert!(forecast.contains(sent) && forecast.contains("tokens; to allow that"), "{forecast}");
    assert_eq!(server.texts(), 0);
    let agreed: Vec<(&str, &str)> = endpoint.into_iter().chain([("PEELBACK_EMBEDDING_SEND", "true")]).collect();
    let on = search(&project, &agreed);
    assert_eq!(names(&on)[0], "vehicle_fee", "{on}");
    assert_eq!(on["results"][0]["signals"]["meaning"], 1.0, "{on}");
    assert_eq!(server.texts(), 4);
    // All that it knows is kept; an edit costs what was edited.
    assert_eq!(names(&search(&project, &agreed)), names(&on));
    assert_eq!(server.texts(), 4);
    project.write("src/more.py", "def record_fee(car):\n    return car.records\n");
    let _ = search(&project, &agreed);
    assert_eq!(server.texts(), 5);
}

#[test]
fn without_its_model_the_answer_is_that_of_the_words_and_says_so() {
    let project = Project::new(FILES);
    let off = search(&project, &[("PEELBACK_CACHE", "false")]);
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let url = format!("http://{gone}/v1");
    let settings: [(&str, &[(&str, &str)]); 3] = [
        (
            "connect",
            &[
                ("PEELBACK_EMBEDDING_ENDPOINT", &url),
                ("PEELBACK_EMBEDDING_MODEL", "small"),
                ("PEELBACK_EMBEDDING_SEND", "true"),
            ],
        ),
        ("embedding.endpoint_model is not", &[("PEELBACK_EMBEDDING_ENDPOINT", &url)]),
        ("model", &[("PEELBACK_EMBEDDING_MODEL_FOLDER", "/nowhere/at/all")]),
    ];
    for (why, settings) in settings {
        let settings: Vec<(&str, &str)> = settings.iter().copied().chain([("PEELBACK_CACHE", "false")]).collect();
        let answer = search(&project, &settings);
        assert_eq!(names(&answer), names(&off));
        let notes = notes(&answer);
        assert!(notes.contains("by words alone, not by meaning") && notes.contains(why), "{why}: {notes}");
    }
}

#[test]
fn a_mistake_about_sending_sends_nothing_and_is_told() {
    let server = Server::start();
    let url = server.url();
    let agreed = [
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    let mistakes = [
        ("[embedding]\nsned = false\n", "embedding.sned"),
        ("[embeding]\nsend = false\n", "[embedding]"),
        ("send = false\n", "send belongs to [embedding]"),
        ("[embedding\nsend = false\n", "not TOML"),
        ("[embedding]\nendpoint = 'http://elsewhere/v1'\n", "may not set this"),
    ];
    for (file, why) in mistakes {
        let project = Project::new(FILES);
        project.write("peelback.toml", file);
        let notes = notes(&search(&project, &agreed));
        assert!(notes.contains("by words alone") && notes.contains(why), "{file}: {notes}");
        assert_eq!(server.texts(), 0, "{file}");
    }
    // A model that is not there because its key is misspelt is missed.
    let project = Project::new(FILES);
    project.write("user.toml", format!("[embedding]\nendpont = '{url}'\n"));
    let user = project.path().join("user.toml").display().to_string();
    let notes = notes(&search(&project, &[("PEELBACK_CACHE", "false"), ("PEELBACK_CONFIG", &user)]));
    assert!(notes.contains("by words alone") && notes.contains("embedding.endpont"), "{notes}");
}

#[test]
fn mistakes_about_other_things_keep_nobody_from_asking() {
    let server = Server::start();
    let url = server.url();
    let project = Project::new(FILES);
    project.write("peelback.toml", "[server]\ndedline_seconds = 3\n");
    let settings = [
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    assert_eq!(names(&search(&project, &settings))[0], "vehicle_fee");
}

#[test]
fn a_root_that_forbids_it_is_sent_nowhere_by_a_server_of_another() {
    let embeddings = Server::start();
    let (own, other) = (Project::new("//- a.py\ndef nothing(): pass\n"), Project::new(FILES));
    other.write("peelback.toml", "[embedding]\nsend = false\n");
    other.write("inner/car.py", "def leave(car):\n    return car.records\n");
    let root = other.path().display().to_string();
    let mut command = own.command();
    command.args(["serve", "--allow-root", &root]);
    let url = embeddings.url();
    let settings = [
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    let mut server = crate::mcp::child::Server::of_with(command, &settings);
    server.greet();
    let mut ask = |root: &str| server.text("search", json!({ "query": QUESTION, "root": root, "format": "json" })).0;
    // A folder below a root that forbids it is part of that.
    for root in [root.clone(), other.path().join("inner").display().to_string()] {
        let answer = ask(&root);
        assert!(answer.contains("would be sent"), "{answer}");
        assert_eq!(embeddings.texts(), 0, "{answer}");
    }
    other.write("peelback.toml", "[embedding]\nsedn = false\n");
    let answer = ask(&root);
    assert!(answer.contains("by words alone") && answer.contains("embedding.sedn"), "{answer}");
    assert_eq!(embeddings.texts(), 0);
    std::fs::remove_file(other.path().join("peelback.toml")).expect("removed");
    let answer = ask(&root);
    assert!(answer.contains(", meaning") && embeddings.texts() > 0, "{answer}");
}

#[test]
fn a_model_that_was_changed_under_its_name_is_asked_anew() {
    let project = Project::new(FILES);
    let cache = tempfile::tempdir().expect("a folder");
    let cache = cache.path().to_string_lossy().into_owned();
    let server = Server::start();
    let url = server.url();
    let settings = [
        ("PEELBACK_CACHE_DIR", cache.as_str()),
        ("PEELBACK_EMBEDDING_ENDPOINT", &url),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    assert_eq!(names(&search(&project, &settings))[0], "vehicle_fee");
    server.length.store(3, Ordering::Relaxed);
    // A new question is of the new length, and so is then what it is compared with; the old question follows.
    for question in ["how much does a car cost that leaves records", QUESTION] {
        let answer = search_for(&project, &settings, &[question]);
        assert!(!notes(&answer).contains("by words alone"), "{answer}");
        assert_eq!(names(&answer)[0], "vehicle_fee", "{answer}");
    }
    let asked = server.texts();
    let _ = search(&project, &settings);
    assert_eq!(server.texts(), asked, "all is kept");
}

#[test]
fn what_was_not_compared_stands_below_what_was() {
    let project = Project::empty();
    let functions: String =
        (0..60).map(|index| format!("def part_{index}(car):\n    return car.records[{index}]\n\n\n")).collect();
    project.write("cars.py", "def fee(car):\n    return car.records\n\n\n".to_owned() + &functions);
    let server = Server::start();
    let url = server.url();
    let settings = [
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    let answer = search_for(&project, &settings, &["car records", "--limit", "100", "--max-tokens", "0"]);
    assert!(notes(&answer).contains("the best 50 of 61"), "{answer}");
    let scores: Vec<f64> =
        answer["results"].as_array().expect("rows").iter().filter_map(|row| row["score"].as_f64()).collect();
    assert_eq!(scores.len(), 61);
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn one_passage_is_not_counted_down() {
    let project = Project::new("//- src/a.py\ndef leave_records(car):\n    return car\n");
    let server = Server::start();
    let url = server.url();
    let settings = [
        ("PEELBACK_CACHE", "false"),
        ("PEELBACK_EMBEDDING_ENDPOINT", url.as_str()),
        ("PEELBACK_EMBEDDING_MODEL", "small"),
        ("PEELBACK_EMBEDDING_SEND", "true"),
    ];
    let off = search(&project, &[("PEELBACK_CACHE", "false")]);
    let on = search(&project, &settings);
    assert_eq!(on["results"][0]["signals"]["meaning"], 1.0, "{on}");
    assert_eq!(on["results"][0]["score"], off["results"][0]["score"]);
}

#[cfg(feature = "local-embeddings")]
#[path = "../../../peelback-llm/tests/it/requirement.rs"]
mod requirement;

/// `PEELBACK_TEST_MODEL` names the folder of a model in the layout of sentence-transformers.
#[cfg(feature = "local-embeddings")]
#[test]
fn a_model_on_this_machine_orders_passages() {
    let Some(folder) = requirement::requirement("PEELBACK_TEST_MODEL", "bench/fetch-model.sh") else { return };
    // The word that they share stands most often where it is not meant.
    let project = Project::new(
        "//- src/garage.py
def load(path):
    \"\"\"Reads parking rows of the parking table from a file.\"\"\"
    return open(path).read()


def save(path, rows):
    \"\"\"Writes the rows of parking into a file.\"\"\"
    open(path, 'w').write(rows)


def due(hours):
    \"\"\"What a driver owes for the hours of parking.\"\"\"
    return hours * 2
",
    );
    let question = ["how much money must a motorist hand over after parking"];
    let off = search_for(&project, &[("PEELBACK_CACHE", "false")], &question);
    let on =
        search_for(&project, &[("PEELBACK_CACHE", "false"), ("PEELBACK_EMBEDDING_MODEL_FOLDER", &folder)], &question);
    assert_ne!(names(&off)[0], "due");
    assert_eq!(names(&on)[0], "due", "{on}");
    assert!(on["results"][0]["signals"]["meaning"] == 1.0, "{on}");
}
