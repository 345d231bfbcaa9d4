//! The files that the tools `scope` and `context` of the MCP server write, replace, and leave alone.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp::child::Server as Child;
use crate::scope::desk::{Desk, QUESTION, files_below, good};
use crate::scope::over_mcp::{serving, told};
use crate::scope::server::{OPENAI, Reply, Server};
use crate::scope::stale::change;

/// The text of a call that was not done.
#[track_caller]
fn refused(child: &mut Child, arguments: Value) -> String {
    let (text, _) = child.text("scope", arguments);
    assert!(text.starts_with("error: "), "{text}");
    text
}

#[test]
fn an_output_for_which_nothing_was_found_is_not_written_and_the_answer_says_so() {
    let desk = Desk::new();
    let before = desk.contents();
    let mut child = serving(&desk, None, &[]);
    for output in ["a/b/", "contexts/", "notes.md"] {
        let told = told(&mut child, "scope", json!({ "question": "zzqx vvkk", "output": output }));
        assert_eq!(told.get("path"), None, "{told}");
        let notes = told["evidence"]["notes"].to_string();
        assert!(notes.contains("not written: nothing was found"), "{told}");
    }
    assert_eq!(desk.contents(), before);
    let folders = ["a", "contexts"].map(|folder| desk.project.path().join(folder).exists());
    assert_eq!(folders, [false, false], "no folder is left");
    let written = told(&mut child, "scope", json!({ "question": QUESTION, "output": "a/b/" }));
    assert!(written["path"].as_str().is_some_and(|path| path.starts_with("a/b/scope-")), "{written}");
}

#[test]
fn the_file_of_another_root_keeps_documents_out_of_it() {
    let (own, other) = (Desk::new(), Desk::new());
    let root = other.root();
    let mut writer = serving(&other, None, &[]);
    told(&mut writer, "scope", json!({ "question": QUESTION, "output": "old.md" }));
    drop(writer);
    change(&other, "src/client.py", |text| format!("import time\n{text}"));
    std::fs::create_dir(other.project.path().join("docs")).expect("a folder");
    let forbids = "[server]\nwrite_documents = false\n";
    for (file, outputs) in [("peelback.toml", vec!["contexts/", "docs/new.md"]), ("docs/peelback.toml", vec!["docs/"])]
    {
        other.project.write(file, forbids);
        let before = files_below(other.project.path());
        let mut child = serving(&own, None, &[&format!("--allow-root={root}")]);
        for output in outputs {
            let absolute =
                Path::new(&root).join(output).display().to_string() + if output.ends_with('/') { "/" } else { "" };
            for arguments in [
                json!({ "root": root, "question": QUESTION, "output": output }),
                json!({ "question": QUESTION, "output": absolute }),
            ] {
                let text = refused(&mut child, arguments);
                assert!(text.contains("peelback.toml") && text.contains("write_documents"), "{text}");
            }
        }
        if file == "peelback.toml" {
            for refreshed in
                [json!({ "root": root, "refresh": "old.md" }), json!({ "refresh": format!("{root}/old.md") })]
            {
                assert!(refused(&mut child, refreshed).contains("write_documents"));
            }
        }
        assert_eq!(files_below(other.project.path()), before);
        let written = told(&mut child, "scope", json!({ "question": QUESTION, "output": "contexts/" }));
        assert!(written["path"].is_string(), "the own root has no such file: {written}");
        std::fs::remove_file(other.project.path().join(file)).expect("the file");
    }
    let mut child = serving(&own, None, &[&format!("--allow-root={root}")]);
    let written = told(&mut child, "scope", json!({ "root": root, "question": QUESTION, "output": "docs/" }));
    assert!(written["path"].is_string(), "{written}");
}

#[test]
fn a_renewal_replaces_only_what_an_output_could_name() {
    let desk = Desk::new();
    let mut child = serving(&desk, None, &[]);
    told(&mut child, "scope", json!({ "question": QUESTION, "output": "notes.md" }));
    let document = std::fs::read_to_string(desk.project.path().join("notes.md")).expect("the document");
    for path in [".github/x.md", "docs/.hidden.md", "notes.txt"] {
        desk.project.write(path, &document);
    }
    change(&desk, "src/client.py", |text| format!("import time\n{text}"));
    let before = desk.contents();
    for path in [".github/x.md", "docs/.hidden.md", "notes.txt"] {
        refused(&mut child, json!({ "refresh": path }));
        // What changes nothing is done.
        let (checked, is_error) = child.text("scope", json!({ "check": path }));
        assert!(!is_error && checked.contains("## Stale"), "{checked}");
    }
    assert_eq!(desk.contents(), before);
    let elsewhere = told(&mut child, "scope", json!({ "refresh": "notes.txt", "output": "renewed.md" }));
    assert_eq!(elsewhere["path"], "renewed.md", "{elsewhere}");
    let in_place = told(&mut child, "scope", json!({ "refresh": "notes.md" }));
    assert_eq!(in_place["path"], "notes.md", "{in_place}");
}

#[test]
fn a_document_that_was_edited_during_its_renewal_is_kept() {
    let desk = Desk::new();
    let path = desk.project.path().join("notes.md");
    let edited = path.clone();
    let model = Server::scripted(move |at, _| match at {
        0 | 1 => good().swap_remove(at),
        _ => {
            let text = std::fs::read_to_string(&edited).expect("the document");
            std::fs::write(&edited, format!("{text}\nA line of a person.\n")).expect("the document");
            Reply::Say("The pause doubles: `pause_before` (`src/backoff.py:7-10`).".to_owned())
        }
    });
    let mut child = serving(&desk, Some(&model), &[]);
    let written = told(&mut child, "scope", json!({ "question": QUESTION, "output": "notes.md" }));
    assert_eq!(written["path"], "notes.md", "{written}");
    change(&desk, "src/backoff.py", |text| text.replace("FIRST_PAUSE * 2**attempt", "FIRST_PAUSE * 3**attempt"));
    let text = refused(&mut child, json!({ "refresh": "notes.md" }));
    assert!(model.requests().len() > 2 && text.contains("was changed"), "{text}");
    let kept = std::fs::read_to_string(&path).expect("the document");
    assert!(kept.ends_with("\nA line of a person.\n"), "{kept}");
}

#[test]
fn an_overview_past_its_deadline_is_the_one_that_was_made() {
    let desk = Desk::new();
    let root = desk.project.path().to_owned();
    let model = Server::scripted(move |_, _| {
        std::fs::write(root.join("src/late.py"), "def came_too_late():\n    pass\n").expect("a file");
        Reply::Stall
    });
    let mut child = serving(&desk, Some(&model), &["--scope-seconds=8"]);
    let told = told(&mut child, "context", json!({}));
    assert_eq!((model.requests().len(), &told["model"]), (1, &json!(OPENAI)), "{told}");
    let whole = told.to_string();
    assert!(whole.contains("src/client.py") && !whole.contains("late.py"), "the files were read again: {whole}");
    assert!(told["evidence"]["notes"].to_string().contains("the time of the call was up"), "{told}");
}

#[test]
fn a_question_without_words_is_answered_with_a_call_of_the_caller() {
    let desk = Desk::new();
    let mut child = serving(&desk, None, &[]);
    let text = refused(&mut child, json!({ "question": "   " }));
    let error = text.split("\n\n").next().expect("the error before the docs");
    assert!(error.ends_with("hint: ask in words:\nscope {\"question\":\"How does … work?\"}"), "{text}");
}

/// While a model writes, the folder of the document becomes a link that leads out of the root.
#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_folder_that_became_a_link_meanwhile() {
    for output in [Some("docs/new.md"), Some("docs/deep/er/"), None] {
        let (desk, outside) = (Desk::new(), tempfile::tempdir().expect("a folder"));
        let docs = desk.project.path().join("docs");
        std::fs::create_dir_all(&docs).expect("a folder");
        let (folder, target) = (docs.clone(), outside.path().to_owned());
        let swap_at = if output.is_some() { 1 } else { 2 };
        let model = Server::scripted(move |at, _| {
            if at == swap_at {
                if folder.join("old.md").exists() {
                    std::fs::copy(folder.join("old.md"), target.join("old.md")).expect("copied");
                }
                std::fs::remove_dir_all(&folder).expect("removed");
                std::os::unix::fs::symlink(&target, &folder).expect("a link");
            }
            match at {
                0 | 1 => good().swap_remove(at),
                _ => Reply::Say("The pause doubles: `pause_before` (`src/backoff.py:7-10`).".to_owned()),
            }
        });
        let mut child = serving(&desk, Some(&model), &[]);
        let mut before = None;
        let text = match output {
            Some(output) => told(&mut child, "scope", json!({ "question": QUESTION, "output": output })).to_string(),
            None => {
                told(&mut child, "scope", json!({ "question": QUESTION, "output": "docs/old.md" }));
                before = Some(std::fs::read(docs.join("old.md")).expect("the document"));
                change(&desk, "src/backoff.py", |text| text.replace("FIRST_PAUSE * 2**", "FIRST_PAUSE * 3**"));
                refused(&mut child, json!({ "refresh": "docs/old.md" }))
            }
        };
        assert!(text.contains("symbolic link"), "{text}");
        let made: Vec<Vec<u8>> = files_below(outside.path()).into_values().collect();
        assert_eq!(made, before.into_iter().collect::<Vec<_>>());
        let entries = std::fs::read_dir(outside.path()).expect("a folder").count();
        assert_eq!(entries, made.len(), "a folder was made outside");
    }
}
