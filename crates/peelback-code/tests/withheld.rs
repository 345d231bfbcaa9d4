//! Files that are withheld are in no answer, whichever way they are asked for, and the evidence names them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use peelback_code::{
    CodeAccess, CodeError, Completeness, FactsStore, GrepQuery, Project, Question, RankQuery, WalkOptions,
};

fn project(folder: &Path) -> Project {
    for (path, text) in [
        ("app.py", "from keys import secret_key\n\ndef sign(text):\n    return secret_key + text\n"),
        ("keys.py", "secret_key = 'hunter2'\n"),
        (".env", "PASSWORD=hunter2\n"),
    ] {
        fs::write(folder.join(path), text).expect("a file");
    }
    Project::discover(Some(folder), None).expect("a folder")
}

fn careful(access: CodeAccess) -> CodeAccess {
    access
        .restricted_for_model(Arc::new(|path| ["keys.py", ".env"].contains(&path).then(|| "it holds keys".to_owned())))
}

#[test]
fn no_way_leads_to_a_withheld_file() {
    let folder = tempfile::tempdir().expect("a folder");
    // What others found out about the same files is shared.
    let open = CodeAccess::new(project(folder.path()))
        .with_facts_store(Arc::new(FactsStore::default().for_long_lived_process()));
    let grep = GrepQuery {
        pattern: "hunter2".into(),
        walk_options: WalkOptions { hidden: true, ..WalkOptions::default() },
        ..GrepQuery::default()
    };
    assert_eq!(open.grep(&grep, 0, 10).expect("an answer").counts.total, 2);
    let access = careful(open.clone());
    let found = access.grep(&grep, 0, 10).expect("an answer");
    assert_eq!((found.counts.total, found.evidence.completeness), (0, Completeness::LowerBound));
    let skipped: Vec<&str> = found.evidence.skipped.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(skipped, [".env", "keys.py"]);
    assert!(found.evidence.skipped[0].reason.contains("it holds keys"));
    let named = GrepQuery { scopes: vec![".env".into()], ..grep.clone() };
    assert!(matches!(access.grep(&named, 0, 10), Err(CodeError::Withheld { .. })));
    let absolute = folder.path().join("keys.py").display().to_string();
    for path in ["keys.py", "./keys.py", ".env", absolute.as_str()] {
        assert!(matches!(access.read_file(path), Err(CodeError::Withheld { .. })), "{path}");
        assert!(access.read_file_by_root_path(path).is_err() && access.analyse_file(path).is_err(), "{path}");
    }
    let query = RankQuery { question: Question::new("hunter2 secret key"), ..RankQuery::default() };
    let ranked = access.rank_files(&query).expect("an answer");
    assert_eq!(ranked.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), ["app.py"]);
    assert!(open.read_file("keys.py").is_ok(), "others read on");
}

#[cfg(unix)]
#[test]
fn a_link_hides_nothing_and_shows_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let access = careful(CodeAccess::new(project(folder.path())));
    std::os::unix::fs::symlink("keys.py", folder.path().join("plain.py")).expect("a link");
    assert!(matches!(access.read_file("plain.py"), Err(CodeError::Withheld { .. })));
    fs::remove_file(folder.path().join(".env")).expect("no file");
    std::os::unix::fs::symlink("app.py", folder.path().join(".env")).expect("a link");
    assert!(matches!(access.read_file(".env"), Err(CodeError::Withheld { .. })), "named like a secret");
}

#[test]
fn what_a_file_holds_decides_for_all_but_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let (noted, told) = (asked.clone(), Arc::new(Mutex::new(Vec::new())));
    let telling = told.clone();
    let access = CodeAccess::new(project(folder.path()))
        .withholding_files_by_text_rule(Arc::new(move |path, text| {
            noted.lock().expect("a list").push(path.to_owned());
            text.contains("hunter2").then(|| "it holds keys".to_owned())
        }))
        .with_refusal_callback(Arc::new(move |path, reason| {
            telling.lock().expect("a list").push(format!("{path}: {reason}"));
        }));
    let long = "hunter2 ".repeat(30);
    fs::write(folder.path().join("notes.txt"), &long).expect("a file");
    fs::write(folder.path().join("small"), "hunter2").expect("a file");
    fs::write(folder.path().join("code.rs"), format!("// {long}\n")).expect("a file");
    fs::write(folder.path().join("late.json"), format!("\"{}{long}\"", "a".repeat(64 * 1024))).expect("a file");
    fs::write(folder.path().join("photo"), format!("\0{long}")).expect("a file");
    let grep = GrepQuery { pattern: "hunter2".into(), ..GrepQuery::default() };
    for _ in 0..2 {
        let found = access.grep(&grep, 0, 100).expect("an answer");
        let files: Vec<&str> = found.files.iter().map(|file| file.entry.path.as_str()).collect();
        assert_eq!(files, ["code.rs", "keys.py", "late.json", "small"]);
        assert!(found.evidence.is_complete_except_withheld(), "{:?}", found.evidence);
    }
    let mut seen = asked.lock().expect("a list").clone();
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["late.json", "notes.txt"]);
    assert_eq!(told.lock().expect("a list").len(), 0, "a walk asks for no file by name");
    assert!(matches!(access.read_file("notes.txt"), Err(CodeError::Withheld { .. })));
    assert!(access.read_file("code.rs").is_ok());
    assert_eq!(*told.lock().expect("a list"), ["notes.txt: it holds keys"]);
}

#[test]
fn for_a_model_the_root_is_all_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let project = project(folder.path());
    assert!(project.root_path_if_call_must_name_it().is_some());
    assert_eq!(project.without_working_folder().root_path_if_call_must_name_it(), None);
}
