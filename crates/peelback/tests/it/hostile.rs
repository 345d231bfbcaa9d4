//! Input that was not made to be read: each gives a clear answer, and the other files' answers stay.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use crate::support::{Project, Run};

const GOOD: &str = "def good(): pass\n";

/// The good file's symbol is found, whatever else lies in the project.
#[track_caller]
fn good_stays(project: &Project) {
    let found = project.run("find-symbols good --match exact").answer();
    assert!(found.contains("def good()"), "{found}");
    let listed = project.run("outline --max-tokens 0").answer();
    assert!(listed.contains("def good()"), "{listed}");
}

fn project() -> Project {
    let project = Project::empty();
    project.write("good.py", GOOD);
    project
}

#[test]
fn an_empty_file() {
    let project = project();
    project.write("empty.py", "");
    assert!(project.run("read-file empty.py").answer().starts_with("empty.py: empty file"));
    let outline = project.run("outline empty.py").answer();
    assert!(outline.starts_with("empty.py: python, 0 lines"), "{outline}");
    good_stays(&project);
}

#[test]
fn bytes_that_are_no_utf8() {
    let project = project();
    project.write("broken.py", b"def first(): return '\xFF\xFE'\ndef second(): pass\n");
    let outline = project.run("outline broken.py").answer();
    assert!(outline.contains("2 symbols") && outline.contains("2 byte sequences are not UTF-8"), "{outline}");
    project.write("all_ff.py", [0xFF; 1000]);
    let profile = project.run("read-file all_ff.py");
    assert!(profile.stdout.contains("not UTF-8"), "{profile:?}");
    good_stays(&project);
}

#[test]
fn a_binary_file() {
    let project = project();
    project.write("image.py", b"\x89PNG\0\0\0");
    let run = project.run("outline image.py");
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(3), "error: image.py is binary (7 bytes): it has no lines to show\n")
    );
    good_stays(&project);
}

#[test]
fn a_hundred_thousand_nested_brackets() {
    let project = project();
    let depth = 100_000;
    for (name, open, close) in [
        ("deep.py", "[", "]"),
        ("deep.js", "[", "]"),
        ("deep.ts", "(", ")"),
        ("deep.json", "[", "]"),
        ("deep.rs", "{", "}"),
        ("deep.go", "(", ")"),
        ("deep.c", "{", "}"),
        ("open.py", "(", ""),
        ("open.rs", "{", ""),
        ("open.c", "{", ""),
        ("open.js", "{", ""),
        ("deep.yaml", "[", "]"),
        ("deep.toml", "[", "]"),
        ("objects.json", "{\"a\":", "}"),
        ("functions.js", "function f(){", "}"),
        ("quotes.md", ">", ""),
    ] {
        project.write(name, format!("{}{}\n", open.repeat(depth), close.repeat(depth)));
        let start = Instant::now();
        let run = project.run(&format!("outline {name}"));
        let took = start.elapsed();
        assert!(matches!(run.code, Some(0 | 1)), "{name}: {run:?}");
        assert!(run.stdout.starts_with(name), "{name}: {run:?}");
        // Far from the second that it takes alone, so that a busy machine does not fail it, and far from a hang.
        assert!(took < Duration::from_secs(30), "{name} took {took:?}");
        std::fs::remove_file(project.path().join(name)).expect("the file goes");
    }
    good_stays(&project);
}

#[test]
fn a_loop_of_symbolic_links() {
    let project = project();
    symlink("b", project.path().join("a")).expect("a link");
    symlink("a", project.path().join("b")).expect("a link");
    std::fs::create_dir(project.path().join("folder")).expect("a folder");
    symlink("..", project.path().join("folder/up")).expect("a link");
    let run = project.run("read-file a");
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.starts_with("error: cannot read a: a broken symbolic link"), "{run:?}");
    good_stays(&project);
}

#[test]
fn a_link_that_leads_outside() {
    let outside = Project::empty();
    outside.write("secret.py", "PASSWORD = 1\n");
    let project = project();
    symlink(outside.path().join("secret.py"), project.path().join("link.py")).expect("a link");
    symlink(outside.path(), project.path().join("away")).expect("a link");
    for call in ["read-file link.py", "outline away", "read-lines away/secret.py", "grep PASSWORD away", "tree away"] {
        let run = project.run(call);
        assert_eq!(run.code, Some(2), "{call}: {run:?}");
        let root = project.path().canonicalize().expect("a path");
        assert!(run.stderr.contains(&format!("outside the project root {}", root.display())), "{call}: {run:?}");
        assert_eq!(run.stdout, "");
    }
    assert_eq!(project.run("grep PASSWORD").code, Some(1));
    let near = project.run("outline away/secrt.py");
    assert!(!near.stderr.contains("secret.py"), "{near:?}");
    good_stays(&project);
}

#[test]
fn paths_that_climb_out() {
    let project = project();
    let deep = "../".repeat(40) + "etc/passwd";
    for path in ["../../etc/passwd", "/etc/passwd", deep.as_str(), "good.py/../../x/etc"] {
        let run = project.run_with(&["read-file", path, "--root", "."]);
        assert_eq!(run.code, Some(2), "{path}: {run:?}");
        assert!(run.stderr.contains("is outside the project root"), "{path}: {run:?}");
    }
    good_stays(&project);
}

#[test]
fn a_fifo_is_never_opened() {
    let project = project();
    nix::unistd::mkfifo(&project.path().join("pipe.py"), nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
    // Opening it would wait for a writer that never comes.
    let run = project.run("read-file pipe.py");
    assert_eq!(run.code, Some(2));
    let (error, hint) = run.stderr.split_once('\n').expect("two lines");
    assert_eq!(error, "error: pipe.py is a FIFO, not a regular file: it was not opened");
    assert_eq!(hint, "hint: write its content to a file below the root, and name that file\n");
    assert!(project.run("grep good").answer().contains("good.py"));
    assert!(project.run("tree").answer().contains("good.py"));
    good_stays(&project);
}

#[test]
fn a_file_without_read_permission() {
    let project = project();
    project.write("shut.py", "def shut(): pass\n");
    let permissions = |path: &str, mode| {
        let path = project.path().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    };
    permissions("shut.py", 0o000);
    permissions("", 0o755);
    let run = |arguments: &[&str]| {
        let mut command = project.command();
        if nix::unistd::geteuid().is_root() {
            // Root reads everything: the program runs as somebody who does not.
            command.uid(65_534).gid(65_534);
        }
        Run::of(&command.args(arguments).output().expect("the program runs"))
    };
    let alone = run(&["read-file", "shut.py"]);
    assert_eq!(alone.code, Some(3), "{alone:?}");
    assert!(alone.stderr.starts_with("error: cannot read shut.py: Permission denied"), "{alone:?}");
    let all = run(&["outline"]);
    assert!(all.stdout.contains("def good()"), "{all:?}");
    assert!(all.stdout.contains("evidence: lower_bound") && all.stdout.contains("shut.py"), "{all:?}");
    let none = run(&["find-symbols", "shutter"]);
    assert!(none.stdout.contains("must_follow: this zero is a lower bound"), "{none:?}");
    assert!(run(&["grep", "good"]).stdout.contains("lower_bound"));
}

#[test]
fn paths_with_spaces_newlines_and_emoji() {
    let project = project();
    for name in ["with space.py", "new\nline.py", "emoji 🦀.py", "quote's \"x\".py", "-dash.py", "semi;colon$.py"] {
        project.write(name, "def odd(): return 1\n\n\ndef even(): return 2\n".repeat(20));
        let run = project.run_with(&["outline", "--path", name]);
        assert_eq!(run.code, Some(0), "{name}: {run:?}");
        if !name.contains('\n') {
            let call = crate::agents::call_after(&run.stdout, "a body:");
            assert_eq!(crate::agents::execute(project.path(), &call, "").code, Some(0), "{call}");
        }
    }
    good_stays(&project);
}

#[test]
fn files_that_change_while_they_are_read() {
    let project = project();
    for number in 0..200 {
        project.write(&format!("many/m{number}.py"), "def here(): pass\n".repeat(50));
    }
    let folder = project.path().join("many");
    let writer = std::thread::spawn(move || {
        for round in 0..20 {
            for number in 0..200 {
                let path = folder.join(format!("m{number}.py"));
                if round % 3 == 0 {
                    let _ = std::fs::remove_file(path);
                } else {
                    let _ = std::fs::write(path, "def there(): pass\n".repeat(round + 1));
                }
            }
        }
    });
    for _ in 0..10 {
        for call in ["outline --all", "grep here", "tree", "find-symbols here"] {
            let run = project.run(call);
            assert!(matches!(run.code, Some(0 | 1)), "{call}: {run:?}");
        }
    }
    writer.join().expect("the writer ends");
    good_stays(&project);
}
