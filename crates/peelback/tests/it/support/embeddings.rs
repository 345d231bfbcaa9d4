//! A server that answers as an endpoint of embeddings does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};

/// Starts a server that gives for each request what `vectors_of_texts` makes of its texts, one vector for each, until the
/// test ends. Returns its address: host and port.
pub fn start_embedding_server(vectors_of_texts: impl Fn(&[&str]) -> Vec<Vec<f64>> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let mut reader = BufReader::new(stream);
            let (mut line, mut bytes) = (String::new(), 0);
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    bytes = value.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; bytes];
            reader.read_exact(&mut body).expect("a body");
            let request: Value = serde_json::from_slice(&body).expect("JSON");
            assert_eq!(request["model"], "small");
            let texts = request["input"].as_array().expect("texts").iter();
            let texts: Vec<&str> = texts.map(|text| text.as_str().expect("a text")).collect();
            let vectors = vectors_of_texts(&texts).into_iter().enumerate();
            let data: Vec<Value> =
                vectors.map(|(index, vector)| json!({ "index": index, "embedding": vector })).collect();
            let answer = json!({ "object": "list", "data": data, "model": "small" }).to_string();
            let _ = write!(
                reader.get_mut(),
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
                answer.len()
            );
        }
    });
    address
}
