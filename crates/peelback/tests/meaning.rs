//! Search by meaning, with a real server that speaks the protocol of embeddings, and with a real model where one is there.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::Project;

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
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().filter_map(Result::ok) {
                let mut reader = BufReader::new(stream);
                let (mut line, mut length) = (String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().expect("a number");
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("a body");
                let request: Value = serde_json::from_slice(&body).expect("JSON");
                assert_eq!(request["model"], "small");
                let texts = request["input"].as_array().expect("texts");
                seen.lock().expect("a lock").push(texts.len());
                let vector = |text: &Value| {
                    let is_money =
                        ["cost", "pays", "fee"].iter().any(|word| text.as_str().unwrap_or("").contains(word));
                    if is_money { [1.0, 0.1] } else { [0.1, 1.0] }
                };
                let data: Vec<Value> = texts
                    .iter()
                    .enumerate()
                    .map(|(index, text)| json!({ "index": index, "embedding": vector(text) }))
                    .collect();
                let answer = json!({ "object": "list", "data": data, "model": "small" }).to_string();
                let _ = write!(
                    reader.get_mut(),
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                    answer.len()
                );
            }
        });
        Self { address, requests }
    }

    fn texts(&self) -> usize {
        self.requests.lock().expect("a lock").iter().sum()
    }
}

fn search(project: &Project, settings: &[(&str, &str)]) -> Value {
    let mut command: Command = project.command();
    command.args(["search", "--json", "--explain", "what does it cost to leave records of a car"]);
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
    assert!(forecast.contains("would be sent 4 texts") && forecast.contains("tokens; to allow that"), "{forecast}");
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

/// `PEELBACK_TEST_MODEL` names the folder of a model in the layout of sentence-transformers.
#[cfg(feature = "local-embeddings")]
#[test]
fn a_model_on_this_machine_orders_passages() {
    let Ok(folder) = std::env::var("PEELBACK_TEST_MODEL") else {
        println!("PEELBACK_TEST_MODEL is not set: skipped");
        return;
    };
    let project = Project::new(FILES);
    let off = search(&project, &[("PEELBACK_CACHE", "false")]);
    let on = search(&project, &[("PEELBACK_CACHE", "false"), ("PEELBACK_EMBEDDING_MODEL_FOLDER", &folder)]);
    assert_ne!(names(&off)[0], "vehicle_fee");
    assert_eq!(names(&on)[0], "vehicle_fee", "{on}");
    assert!(on["results"][0]["signals"]["meaning"] == 1.0, "{on}");
}
