//! Where the files come from: repositories that are cloned, and addresses that are not what they seem.

use std::path::Path;
use std::process::Command;

use crate::scope::desk::{ANSWER, Desk, QUESTION, explored, files_below, parsed};
use crate::scope::server::{OPENAI, Reply, Server};

/// Runs git in a folder, as nobody in particular.
#[track_caller]
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=T", "-c", "user.email=t@example.com"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The usual project as a repository with a branch `side`, where the pause is another; the commit of that branch.
fn repository() -> (Desk, String) {
    let desk = Desk::new();
    let root = desk.project.path();
    std::fs::remove_dir_all(root.join(".git")).expect("a folder");
    git(root, &["init", "--quiet", "--initial-branch=main"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "All of it"]);
    git(root, &["checkout", "--quiet", "-b", "side"]);
    let text = std::fs::read_to_string(root.join("src/client.py")).expect("a file");
    desk.project.write("src/client.py", text.replace("marker_of_send", "marker_of_side"));
    git(root, &["commit", "--quiet", "-am", "Another name"]);
    let commit = git(root, &["rev-parse", "HEAD"]);
    git(root, &["checkout", "--quiet", "main"]);
    (desk, commit)
}

/// The clones that are left.
fn clones(desk: &Desk) -> Vec<String> {
    let names = std::fs::read_dir(desk.temporary.path()).expect("a folder").flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("peelback-clone-")).collect()
}

#[test]
fn a_branch_of_a_repository_is_cloned_and_the_clone_goes_again() {
    let (desk, commit) = repository();
    let before = desk.contents();
    let url = format!("file://{}#side", desk.root());
    let run = desk.run(&["scope", &url, "-q", QUESTION]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let document = desk.document(&run);
    assert_eq!(document.front.commit.as_deref(), Some(commit.as_str()));
    assert!(document.front.source_repo.starts_with("file://"), "{}", document.front.source_repo);
    assert!(document.body.contains("marker_of_side") && !document.body.contains("marker_of_send"), "{}", document.body);
    assert!(document.section_text("Code References").is_some_and(|list| list.contains("src/client.py:18-27")));
    assert!(!document.body.contains(&desk.temporary.path().display().to_string()), "{}", document.body);
    assert_eq!(clones(&desk), [""; 0]);
    assert_eq!(desk.contents(), before);

    let run = desk.run(&["scope", &format!("file://{}#{commit}", desk.root()), "-q", QUESTION, "-o", "-"]);
    assert!(parsed(&run.answer()).body.contains("marker_of_side"));
    assert_eq!(clones(&desk), [""; 0]);
}

#[test]
fn a_clone_goes_when_the_run_fails_too() {
    let (desk, _) = repository();
    let url = format!("file://{}", desk.root());
    for replies in [vec![crate::scope::server::status(401, "no")], vec![explored(&[], &[], true), Reply::Garbage("{}")]]
    {
        let server = Server::of(replies);
        let run = desk.run(&["scope", &url, "-q", QUESTION, "--model", OPENAI, "--base-url", &server.url()]);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert_eq!(clones(&desk), [""; 0]);
    }
    let run = desk.run(&["scope", &format!("{url}#no-such-branch"), "-q", QUESTION]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.contains("no-such-branch") && run.stderr.lines().count() == 1, "{run:?}");
    assert_eq!(clones(&desk), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_clone_goes_when_the_run_is_interrupted() {
    let (desk, _) = repository();
    let server = Server::scripted(|_, _| Reply::Stall);
    let mut command = desk.command();
    let url = format!("file://{}", desk.root());
    command.args(["scope", &url, "-q", QUESTION, "--model", OPENAI, "--base-url", &server.url()]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("it runs");
    server.wait_for(1);
    assert_eq!(clones(&desk).len(), 1);
    crate::scope::interrupt::interrupt(&child);
    let run = crate::support::Run::of(&child.wait_with_output().expect("it ends"));
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(desk.document(&run).front.incomplete.is_some());
    assert_eq!(clones(&desk), [""; 0]);
}

#[test]
fn a_model_writes_about_a_clone() {
    let (desk, commit) = repository();
    let server = Server::of(vec![explored(&["Client.send"], &[], true), Reply::Say(ANSWER.to_owned())]);
    let url = format!("file://{}#side", desk.root());
    let run = desk.run(&["scope", &url, "-q", QUESTION, "--model", OPENAI, "--base-url", &server.url()]);
    let document = desk.document(&run);
    assert_eq!(document.front.commit, Some(commit));
    assert!(server.requests()[1].text().contains("marker_of_side"));
    // What was written can be checked against the repository later.
    let path = desk.documents()[0].display().to_string();
    let check = desk.run(&["scope", &url, "--check", &path]);
    assert!(check.stdout.contains("src/client.py:18-27: "), "{check:?}");
    // What a document names may be anyone's choice: a file URL there is not followed.
    let alone = desk.run(&["scope", "--check", &path]);
    assert!(alone.code == Some(2) && alone.stderr.contains("name the source yourself"), "{alone:?}");
    assert_eq!(clones(&desk), [""; 0]);
}

#[test]
fn hostile_addresses_are_refused_and_do_nothing() {
    let (desk, _) = repository();
    let root = desk.root();
    let trap = desk.work.path().join("sprung").display().to_string();
    for url in [
        format!("ext::sh -c touch% {trap}"),
        format!("ext::touch {trap}"),
        "fd::17/foo".to_owned(),
        format!("--upload-pack=touch {trap}"),
        format!("-u touch {trap}"),
        format!("file://{root}#--upload-pack=touch {trap}"),
        format!("file://{root}#-x"),
        format!("ssh://-oProxyCommand=touch%20{trap}/x"),
        format!("ssh://host/x#;touch {trap}"),
        "http://example.com/plain.git".to_owned(),
        "ftp://example.com/x.git".to_owned(),
        format!("file://{}", desk.work.path().display()),
        "no/such/folder".to_owned(),
    ] {
        let run = desk.run(&["scope", "-q", QUESTION, "--", &url]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{url}: {run:?}");
        assert!(run.stderr.starts_with("error: "), "{url}: {run:?}");
        assert!(files_below(desk.work.path()).is_empty(), "{url}");
        assert_eq!(clones(&desk), [""; 0], "{url}");
    }
}

#[test]
fn hooks_of_a_repository_are_not_run() {
    let (desk, _) = repository();
    let trap = desk.work.path().join("sprung");
    let hook = desk.project.path().join(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("a folder");
    std::fs::write(&hook, format!("#!/bin/sh\ntouch {}\n", trap.display())).expect("a hook");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let run = desk.run(&["scope", &format!("file://{}", desk.root()), "-q", QUESTION, "-o", "-"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!trap.exists());
}

#[test]
fn what_a_clone_configures_does_not_count() {
    let (desk, _) = repository();
    let root = desk.project.path();
    desk.project.write(".peelback.toml", "[model]\nmodel = \"openai/gpt-test\"\nbase_url = \"http://127.0.0.1:9\"\n");
    desk.project.write("peelback.toml", "[model]\nmodel = \"openai/gpt-test\"\nbase_url = \"http://127.0.0.1:9\"\n");
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "Configured"]);
    let run = desk.run(&["scope", &format!("file://{}", desk.root()), "-q", QUESTION, "-o", "-"]);
    assert_eq!(parsed(&run.answer()).front.model_used, "none");
}

#[test]
fn a_source_that_a_document_names_is_told() {
    let (desk, elsewhere) = (Desk::new(), Desk::new());
    let text = format!("---\nsource_repo: {}\n---\n\n# Notes\n", elsewhere.root());
    let document = desk.work.path().join("notes.md");
    std::fs::write(&document, text).expect("a file");
    for arguments in [
        &["scope", "notes.md", "-q", QUESTION, "-o", "-"][..],
        &["scope", "--check", "notes.md"],
        &["context", "notes.md", "-o", "-"],
    ] {
        let run = desk.run(arguments);
        let note = format!("note: the source is {}, as ", elsewhere.root());
        assert_eq!(run.stderr.matches(&note).count(), 1, "{arguments:?}: {run:?}");
        assert!(run.stderr.contains("notes.md says\n"), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_name_that_no_file_system_takes_is_refused_before_the_work() {
    let desk = Desk::new();
    let name = format!("{}.md", "n".repeat(253));
    let server = Server::of(Vec::new());
    let run = desk.ask(&server, OPENAI, &["-o", &name]);
    assert!(run.stderr.contains("longer than 255 bytes") && server.requests().is_empty(), "{run:?}");
}
