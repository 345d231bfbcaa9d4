//! Without a model: what is found, written down.

use peelback_agent::document::Document;

use crate::scope::desk::{Desk, QUESTION, key_files, parsed};

#[test]
fn the_document_goes_below_the_folder_where_it_runs() {
    let desk = Desk::new();
    let before = desk.contents();
    let run = desk.evidence(&["-q", QUESTION]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let path = run.stdout.lines().next().expect("a path").to_owned();
    let name = desk.project.path().file_name().expect("a name").to_string_lossy().into_owned();
    let slug = "scope-how-are-parcels-sent-again-when-the-depot-is-busy-";
    let rest = path.strip_prefix(&format!("contexts/{name}/{slug}")).unwrap_or_else(|| panic!("{path}"));
    let time = rest.strip_suffix(".md").expect("Markdown");
    assert!(time.len() == 6 && time.bytes().all(|byte| byte.is_ascii_digit()), "{path}");
    let document = desk.document(&run);
    let front = &document.front;
    assert_eq!(front.source_repo, dunce::canonicalize(desk.project.path()).expect("a path").display().to_string());
    assert_eq!((front.scope_question.as_str(), front.model_used.as_str()), (QUESTION, "none"));
    assert_eq!((front.mode.as_deref(), &front.incomplete, front.input_tokens), (Some("evidence"), &None, None));
    let files = key_files(&document);
    let first: Vec<&str> = files.iter().take(5).map(String::as_str).collect();
    for wanted in ["src/client.py", "src/depot.py"] {
        assert!(first.contains(&wanted), "{wanted} in {files:?}");
    }
    assert!(!files.contains(&"src/weigh.py".to_owned()), "{files:?}");
    assert!(document.body.contains("18:     def send(self, parcel):"), "{}", document.body);
    assert_eq!(desk.contents(), before, "looking changes nothing");
}

#[test]
fn it_goes_where_the_command_says() {
    let desk = Desk::new();
    let printed = desk.evidence(&["-q", QUESTION, "-o", "-"]).answer();
    parsed(&printed);
    assert!(desk.documents().is_empty());

    let run = desk.evidence(&["-q", QUESTION, "-o", "answer.md"]);
    assert_eq!(run.stdout.lines().next(), Some("answer.md"), "{run:?}");
    let before = std::fs::read(desk.work.path().join("answer.md")).expect("a document");
    let again = desk.evidence(&["-q", "What does a depot take?", "-o", "answer.md"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""), "{again:?}");
    assert!(again.stderr.contains("answer.md"), "{again:?}");
    assert_eq!(std::fs::read(desk.work.path().join("answer.md")).expect("a document"), before);

    for folder in ["new/folder/", "new/folder"] {
        let run = desk.evidence(&["-q", QUESTION, "-o", folder]);
        let first = run.stdout.lines().next().expect("a path");
        assert!(first.starts_with("new/folder/scope-how-are-parcels"), "{run:?}");
    }
    assert_eq!(desk.documents().len(), 3, "two of one second are told apart");
}

#[test]
fn json_tells_the_same() {
    let desk = Desk::new();
    let told = desk.evidence(&["-q", QUESTION, "--json"]).json();
    let path = desk.work.path().join(told["path"].as_str().expect("a path"));
    let document = parsed(&std::fs::read_to_string(path).expect("a document"));
    assert_eq!(told["citations"], document.front.citations.len());
    assert_eq!(told["files"], document.front.files_analyzed);
    assert_eq!((&told["model"], &told["mode"]), (&"none".into(), &"evidence".into()));
    assert_eq!((told["complete"].as_bool(), told["input_tokens"].is_null()), (Some(true), true));
}

#[test]
fn no_question_is_bad_usage() {
    let desk = Desk::new();
    for arguments in [&[][..], &["-q", ""], &["-q", " \n"]] {
        let run = desk.evidence(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains("-q"), "{run:?}");
    }
    assert!(desk.documents().is_empty());
}

#[test]
fn a_question_may_come_from_a_file() {
    let desk = Desk::new();
    std::fs::write(desk.work.path().join("question.txt"), QUESTION).expect("a file");
    let run = desk.evidence(&["--question-file", "question.txt"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(desk.document(&run).front.scope_question, QUESTION);
}

#[test]
fn nothing_found_is_said() {
    let desk = Desk::new();
    let run = desk.evidence(&["-q", "quokka xylophone zymurgy?", "-o", "-"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("quokka"), "{run:?}");
}

#[test]
fn it_looks_only_where_it_is_told_to() {
    let desk = Desk::new();
    let run = desk.evidence(&["-q", QUESTION, "--scope", "tests", "-o", "-"]);
    let files = key_files(&parsed(&run.answer()));
    assert_eq!(files, ["tests/test_client.py"]);
    let run = desk.evidence(&["-q", QUESTION, "--scope", "no/such/folder"]);
    assert!(run.code.is_some_and(|code| code != 0) && run.stderr.contains("no/such/folder"), "{run:?}");
}

#[test]
fn a_document_keeps_its_budget() {
    let desk = Desk::new();
    for most in [400, 1_000] {
        let text = desk.evidence(&["-q", QUESTION, "--max-tokens", &most.to_string(), "-o", "-"]).answer();
        let body = Document::parse(&text).expect("a document").body;
        assert!(
            peelback_tokens::count_tokens(&body) <= most,
            "{} of {most}: {body}",
            peelback_tokens::count_tokens(&body)
        );
    }
}

/// The calls that a document names, as a shell reads them.
#[cfg(unix)]
#[test]
fn the_calls_that_it_names_work() {
    let desk = Desk::new();
    let text = desk.evidence(&["-q", QUESTION, "-o", "-"]).answer();
    let calls: Vec<&str> = text.split('`').filter(|part| part.starts_with("peelback ")).collect();
    assert!(calls.len() >= 3, "{text}");
    for call in calls {
        let mut command = std::process::Command::new("sh");
        let line = call.replacen("peelback", &crate::support::program().display().to_string(), 1);
        command.args(["-c", &line]).current_dir(desk.project.path()).env("HOME", desk.temporary.path());
        let run = crate::support::Run::of(&command.output().expect("it runs"));
        assert_eq!(run.code, Some(0), "{call}: {run:?}");
    }
}

#[test]
fn a_project_that_is_the_working_folder_gets_nothing_but_the_document() {
    let desk = Desk::new();
    let before = desk.contents();
    let run = desk.project.run_with(&["scope", "-q", QUESTION]);
    let path = desk.project.path().join(run.answer().lines().next().expect("a path"));
    let mut after = desk.contents();
    assert!(after.remove(&path).is_some(), "{path:?}");
    assert_eq!(after, before);
}
