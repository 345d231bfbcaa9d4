//! What is secret reaches neither a model nor a document, through whatever reads the project.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

#[path = "support/scripted.rs"]
mod scripted;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use peelback_agent::agent::{AgentOptions, GENERATE, run_agent};
use peelback_agent::document::Timestamp;
use peelback_agent::excerpt::{file_outline_excerpt, lines_excerpt, symbol_excerpt, whole_file_excerpt};
use peelback_agent::scope::{Origin, ScopeOptions, write_document_without_model, write_repository_context_document};
use peelback_agent::secrets::{MASK, SecretFileRules};
use peelback_code::{CodeAccess, CodeError, Project};
use scripted::{Scripted, call};
use serde_json::json;

/// Base64 that observations random and is the same each time.
fn random(seed: u64, length: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = seed;
    let letters = (0..length).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(LETTERS[usize::try_from(state >> 58).expect("six bits")])
    });
    letters.collect()
}

fn key_lines() -> Vec<String> {
    lines(1)
}

fn lines(seed: u64) -> Vec<String> {
    (seed..seed + 9).map(|n| random(n, 64)).chain([random(seed + 9, 30) + "x9=="]).collect()
}

/// Put together here, so that no source of this repository holds one.
fn armour(what: &str) -> String {
    let lines = if what.contains("PRIVATE") { key_lines() } else { lines(100) };
    format!("-----BEGIN {what}-----\n{}\n-----END {what}-----\n", lines.join("\n"))
}

const PASSWORD: &str = concat!("aB3dE6g", "H9jK2mN", "5pQ8rS");

/// A shop that signs its tokens.
fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let key = armour("RSA PRIVATE KEY");
    let helpers: String = (0..8).map(|n| format!("\ndef helper_{n}(item):\n    return item + {n}\n")).collect();
    let signing = format!(
        "import hmac\n\n# The key that signs tokens.\nSIGNING_KEY = \"\"\"\\\n{key}\"\"\"\n\n\ndef sign_token(text):\n    \
         \"\"\"Signs a token with the signing key.\"\"\"\n    return hmac.new(SIGNING_KEY, text)\n{helpers}"
    );
    let account = json!({ "type": "service_account", "private_key": armour("PRIVATE KEY") });
    let deploy =
        format!("#!/bin/sh\nexport SIGNING_KEY={PASSWORD}\nDB_PASSWORD={PASSWORD}\nsign_token() {{\n  echo ok\n}}\n");
    let written = format!("# How are tokens signed?\n\nsign_token signing key {PASSWORD}\n");
    let files = [
        ("shop/signing.py", signing.as_str()),
        ("deploy.sh", &deploy),
        ("tls/server.pem", &armour("CERTIFICATE")),
        ("tls/private.pem", &key),
        ("keys/signing", &key),
        ("keys/account.json", &account.to_string()),
        (".env.bak", &format!("SIGNING_KEY={PASSWORD}\n")),
        ("contexts/shop/scope-how-are-tokens-signed-101500.md", &written),
        ("README.md", "# Shop\n\nTokens are signed by sign_token in shop/signing.py with the signing key.\n"),
    ];
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

fn access(folder: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"))
}

fn options() -> ScopeOptions {
    let origin = Origin { source: "shop".into(), name: "shop".into(), commit: None };
    ScopeOptions::new(origin, Timestamp::from_system_time(SystemTime::UNIX_EPOCH))
}

fn assert_no_secret(text: &str) {
    for line in key_lines() {
        for part in [&line[..12], &line[10..22], &line[line.len() - 14..line.len() - 2]] {
            let at =
                text.find(part).map(|at| text.chars().skip(text[..at].chars().count().saturating_sub(300)).take(400));
            assert_eq!(at.map(String::from_iter), None, "a part of a key: {part}");
        }
    }
    assert!(!text.contains(PASSWORD), "a password\n{text}");
}

#[test]
fn excerpts_show_no_secret() {
    let folder = shop();
    let options = options();
    let access = options.restrict_access_for_model(&access(folder.path()));
    let path = "shop/signing.py";
    let mut seen = 0;
    let mut check = |text: &str| {
        let shown = options.secrets.redact(text);
        assert_no_secret(&shown);
        assert_eq!(shown.lines().count(), text.lines().count());
        seen += usize::from(shown.contains(MASK));
    };
    for most in [300, 600, 900, 9_000] {
        check(&file_outline_excerpt(&access, path, most).expect("an excerpt").text);
        check(&symbol_excerpt(&access, path, "SIGNING_KEY", most).expect("an excerpt").text);
        check(&whole_file_excerpt(&access, path, most).expect("an excerpt").text);
        check(&whole_file_excerpt(&access, "deploy.sh", most).expect("an excerpt").text);
    }
    for first in 1..18 {
        for last in first..18 {
            let excerpt = lines_excerpt(&access, path, first, last, 9_000).expect("an excerpt");
            // A short last line alone is no more than the end of a number.
            if (first, last) != (15, 15) {
                check(&excerpt.text);
            }
        }
    }
    assert!(seen > 100, "{seen} masked");
    let shown = options
        .secrets
        .redact(&symbol_excerpt(&access, path, "sign_token", 900).expect("an excerpt").text)
        .into_owned();
    assert!(shown.contains("return hmac.new(SIGNING_KEY, text)"), "{shown}");
}

#[test]
fn key_files_are_refused_and_certificates_are_not() {
    let folder = shop();
    let options = options();
    let open = access(folder.path());
    let shown = options.restrict_access_for_model(&open);
    assert_eq!(options.refusals.withheld_files_with_reasons(), []);
    for path in ["keys/signing", "keys/account.json", "tls/private.pem", ".env.bak"] {
        assert!(matches!(shown.read_file(path), Err(CodeError::Withheld { .. })), "{path}");
        assert!(
            shown.read_file_by_root_path(path).is_err() && whole_file_excerpt(&shown, path, 900).is_err(),
            "{path}"
        );
        assert!(open.read_file(path).is_ok(), "{path}");
    }
    assert!(shown.read_file("tls/server.pem").is_ok() && shown.read_file("shop/signing.py").is_ok());
    let refused: Vec<String> =
        options.refusals.withheld_files_with_reasons().into_iter().map(|(path, _)| path).collect();
    assert_eq!(refused, [".env.bak", "keys/account.json", "keys/signing", "tls/private.pem"]);

    let written = "contexts/shop/scope-how-are-tokens-signed-101500.md";
    assert!(
        matches!(shown.read_file(written), Err(CodeError::Withheld { reason, .. }) if reason == "written by peelback")
    );
    let secrets = Arc::new(SecretFileRules::new(&[written.to_owned(), "keys/*".to_owned()]));
    let allowing = ScopeOptions { secrets, ..self::options() };
    let shown = allowing.restrict_access_for_model(&open);
    assert!(shown.read_file(written).is_ok() && shown.read_file("keys/signing").is_ok());
    assert!(shown.read_file(".env.bak").is_err());
}

#[test]
fn a_file_that_becomes_a_key_is_refused_from_then_on() {
    let folder = shop();
    let shown = options().restrict_access_for_model(&access(folder.path()));
    let path = folder.path().join("notes");
    fs::write(&path, "What the shop sells, and to whom.\n".repeat(9)).expect("a file");
    assert!(shown.read_file("notes").is_ok());
    fs::write(&path, armour("PRIVATE KEY")).expect("a file");
    assert!(matches!(shown.read_file("notes"), Err(CodeError::Withheld { .. })));
}

#[tokio::test]
async fn documents_without_a_model_hold_no_secret_and_are_complete() {
    let folder = shop();
    let access = access(folder.path());
    let options = options();
    for question in ["How are tokens signed with the signing key?", "SIGNING_KEY", "DB_PASSWORD deploy"] {
        let document = write_document_without_model(&access, question, &options).expect("a document");
        assert_no_secret(&document.body);
        assert!(!document.body.contains("contexts/shop"), "{}", document.body);
        assert!(!document.body.contains("server.pem` (it may"), "{}", document.body);
        assert_eq!(document.front.incomplete, None, "{}", document.body);
    }
    let document = write_repository_context_document(&access, None, &options).await.expect("a document");
    assert_no_secret(&document.body);
    assert_eq!(options.refusals.withheld_files_with_reasons(), [], "nobody asked for one by name");
}

#[tokio::test]
async fn the_agents_tools_show_no_secret() {
    let folder = shop();
    let scope = options();
    let secrets = scope.secrets.clone();
    let careful = AgentOptions {
        withhold: Arc::new({
            let secrets = secrets.clone();
            move |path| secrets.reason_to_withhold_file(path, None)
        }),
        redact: secrets.redactor(),
        ..AgentOptions::default()
    };
    let path = "shop/signing.py";
    let model = Scripted::new([
        call("grep", json!({ "pattern": "[A-Za-z0-9+/]{30}", "limit": 40 }))
            .and("grep", json!({ "pattern": "^[A-Za-z0-9+/]{64}$", "context": 0 }))
            .and("grep", json!({ "pattern": "BEGIN|END", "context": 1 }))
            .and("grep", json!({ "pattern": "KEY|PASSWORD", "hidden": true }))
            .and("search", json!({ "query": "signing key PASSWORD", "hidden": true })),
        call("read_lines", json!({ "path": path, "ranges": ["7-10"] }))
            .and("read_lines", json!({ "path": path, "ranges": ["8", "10"] }))
            .and("read_lines", json!({ "path": path, "ranges": ["12-20"] }))
            .and("read_lines", json!({ "path": "deploy.sh" }))
            .and("read_symbol", json!({ "path": path, "name": "SIGNING_KEY" })),
        call("read_file", json!({ "path": path, "raw": true }))
            .and("read_file", json!({ "path": path }))
            .and("outline", json!({ "path": path, "detail_level": "full" }))
            .and("read_file", json!({ "path": "keys/signing", "raw": true }))
            .and("read_lines", json!({ "path": "keys/account.json" }))
            .and("find_symbols", json!({ "name": "private_key" }))
            .and("find_symbols", json!({ "name": "KEY|PASSWORD", "match": "regex" }))
            .and("outline", json!({ "path": "deploy.sh" }))
            .and("outline", json!({})),
        call(
            GENERATE,
            json!({
                "question": "How?", "relevant_file_paths": [path], "insights": "By sign_token.",
                "code_references": [{ "path": path, "line_start": 19, "line_end": 21, "description": "signs" }],
            }),
        ),
    ]);
    let outcome =
        run_agent(&model, &scope.restrict_access_for_model(&access(folder.path())), "How are tokens signed?", &careful)
            .await;
    assert_eq!(outcome.paths, [path]);
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    let sent: String = requests.iter().map(|request| serde_json::to_string(request).expect("JSON")).collect();
    assert_no_secret(&sent);
    assert!(sent.matches(MASK).count() > 20 && sent.contains("def sign_token"), "{sent}");
    let refused: Vec<String> = scope.refusals.withheld_files_with_reasons().into_iter().map(|(path, _)| path).collect();
    assert_eq!(refused, ["keys/account.json", "keys/signing"]);
}

/// A value whose name stands on a line that the model does not ask for.
#[tokio::test]
async fn a_line_is_masked_by_what_the_whole_file_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (password, key) = (["hR7kQz2", "mW9xLp4T"].concat(), random(7, 40));
    let text = format!(
        "depot:\n  name: north\n  login:\n    password: |\n      {password}\n  signing:\n    privateKey: >-\n      {key}\n  port: 80\n"
    );
    fs::write(folder.path().join("a.yaml"), text).expect("a file");
    let scope = options();
    let access = scope.restrict_access_for_model(&access(folder.path()));
    let options = AgentOptions { redact: scope.secrets.redactor(), ..AgentOptions::default() };
    let script = vec![
        call("read_lines", json!({ "path": "a.yaml", "ranges": "5-5" })),
        call("read_lines", json!({ "path": "a.yaml", "ranges": "8-9", "format": "json" })),
        call("grep", json!({ "pattern": &password[..6] })),
        call(
            GENERATE,
            json!({ "question": "Where?", "relevant_file_paths": ["a.yaml"], "insights": "North.", "code_references": [] }),
        ),
    ];
    let model = Scripted::new(script);
    run_agent(&model, &access, "Where is the depot?", &options).await;
    let sent: String = model.requests().iter().map(|request| serde_json::to_string(request).expect("JSON")).collect();
    assert!(sent.contains("5: ") && sent.contains(MASK), "{sent}");
    assert!(!sent.contains(&password) && !sent.contains(&key), "{sent}");
}

/// A file with so many secrets that they are not told from other text.
#[tokio::test]
async fn an_answer_whose_secrets_are_not_known_is_withheld() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens: String = (0..26_000).map(|n| format!("api_token_{n}={}\n", random(n, 32).replace('/', "x"))).collect();
    fs::write(folder.path().join("tokens.env.txt"), format!("{tokens}def deliver(parcel): pass\n")).expect("a file");
    fs::write(folder.path().join("depot.py"), "def deliver(parcel):\n    return parcel\n").expect("a file");
    let scope = options();
    let access = scope.restrict_access_for_model(&access(folder.path()));
    let options = AgentOptions { redact: scope.secrets.redactor(), ..AgentOptions::default() };
    let script = vec![
        call("read_lines", json!({ "path": "tokens.env.txt", "ranges": "26001-26001" }))
            .and("read_lines", json!({ "path": "depot.py", "ranges": "1-2" })),
        call(
            GENERATE,
            json!({ "question": "How?", "relevant_file_paths": ["depot.py"], "insights": "By hand.", "code_references": [] }),
        ),
    ];
    let model = Scripted::new(script);
    run_agent(&model, &access, "How are parcels delivered?", &options).await;
    let sent: String = model.requests().iter().map(|request| serde_json::to_string(request).expect("JSON")).collect();
    assert!(sent.contains("could not be masked") && sent.contains("return parcel"), "{sent}");
    assert!(!sent.contains("26001: "), "{sent}");
}
