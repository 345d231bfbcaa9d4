//! Names and text that would control a terminal, forge a row, or are no UTF-8: they are shown escaped, to people and
//! agents alike, and what is shown can be passed back.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::json;

use crate::mcp::child::Server;
use crate::support::{Project, Run};

/// Writes to the clipboard, clears the screen, and turns the direction of writing.
const HOSTILE: &str = "\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}2J\u{202e}\u{2066}\u{2028}9999: forged\u{2029}";

fn project() -> Project {
    let project = Project::empty();
    let body = format!("# {HOSTILE}\r\ndef shop():\n\tx = 1\r  # lone\n\u{c}\n    return '{HOSTILE}'\n");
    project.write("plain.py", &body);
    project.write(&format!("esc{HOSTILE}.py"), &body);
    project.write("row\n9999: forged.py", &body);
    project.write(
        "names.js",
        format!("class A {{ '{HOSTILE}'() {{ return 1 }} }}\nexport const a = {{ 'b{HOSTILE}': 1 }}\n"),
    );
    project.write("imports.ts", format!("import x from './{HOSTILE}'\nimport y from 'pkg{HOSTILE}'\nx(y)\n"));
    project.write("key.json", format!("{{ \"k{HOSTILE}\": 1, \"two\nlines: forged\": {{}} }}\n"));
    project.write("head.md", format!("# Title {HOSTILE}\n\ntext\n"));
    project.write("keys.yaml", "\"first\n  second: forged\": 1\nb: 2\n");
    project
}

/// What a terminal would obey in a text, beside tabs and line ends.
fn controls(text: &str) -> Vec<char> {
    let turns = |c: char| matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let text = text.replace("\r\n", "\n");
    text.chars().filter(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || turns(*c)).collect()
}

const CALLS: &[&[&str]] = &[
    &["tree"],
    &["outline"],
    &["outline", "names.js"],
    &["outline", "imports.ts", "--detail-level", "full"],
    &["outline", "key.json"],
    &["outline", "head.md"],
    &["outline", "keys.yaml"],
    &["read-file", "plain.py"],
    &["read-file", "plain.py", "--raw"],
    &["read-file", "names.js"],
    &["read-file", "imports.ts"],
    &["read-lines", "plain.py", "1-5"],
    &["read-symbol", "shop", "--path", "plain.py"],
    &["grep", "lone"],
    &["grep", "return", "--context", "2"],
    &["grep", "a\u{1b}[2J(("],
    &["find-files", "shop"],
    &["find-symbols", "shop"],
    &["find-symbols", "forged\u{1b}[2J"],
    &["find-references", "shop"],
    &["search", "shop"],
    &["dependencies"],
    &["dependencies", "imports.ts"],
    &["dependencies", "--format", "mermaid"],
    &["outline", "nothing\u{1b}[2J\nhere.py"],
];

#[test]
fn nothing_that_is_printed_controls_a_terminal() {
    let project = project();
    for call in CALLS {
        for more in [&[][..], &["--format", "json"], &["--color", "always"]] {
            if more.contains(&"--format") && call.contains(&"--format") {
                continue;
            }
            let run = project.run_with(&[call, more].concat());
            let printed = format!("{}{}", run.stdout, run.stderr);
            let printed = if more.contains(&"--color") { without_colours(&printed) } else { printed };
            assert_eq!(controls(&printed), [] as [char; 0], "{call:?} {more:?}: {printed:?}");
            // A name in two lines would begin a row.
            assert!(!printed.lines().any(|line| line.starts_with("9999: forged")), "{call:?}: {printed}");
        }
    }
}

#[test]
fn a_folder_s_name_does_not_control_a_terminal() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join(format!("project{HOSTILE}"));
    std::fs::create_dir_all(folder.join(".git")).expect("a folder");
    std::fs::write(folder.join("a.py"), "def f(): pass\n").expect("a file");
    std::fs::write(folder.join("peelback.toml"), "").expect("a file");
    for call in [
        &["config", "--path"][..],
        &["config", "--path", "--json"],
        &["config"],
        &["config", "--json"],
        &["cache"],
        &["cache", "--json"],
        &["cache", "clear"],
        &["doctor"],
        &["doctor", "--json"],
        &["setup", "claude-code"],
        &["setup", "claude-code", "--write"],
        &["docs"],
        &["tree"],
        &["read-file", "nothing.py"],
        &["scope", "f", "--no-model"],
        &["context"],
        &["serve", "--root", "nothing"],
        &["serve", "--http", "1", "--token-file", "nothing"],
    ] {
        let mut command = crate::support::command_in(&folder);
        command.env("PEELBACK_CACHE_DIR", folder.join(format!("cache{HOSTILE}")));
        let output = command.args(call).stdin(std::process::Stdio::null()).output().expect("it runs");
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        assert_eq!(controls(&printed), [] as [char; 0], "{call:?}: {printed:?}");
        assert!(!printed.is_empty(), "{call:?}");
    }
}

/// A text without the sequences that set colours.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        match after[end..].strip_prefix('m') {
            Some(next) => rest = next,
            None => {
                out.push('\u{1b}');
                rest = &rest[at + 1..];
            }
        }
    }
    out + rest
}

#[test]
fn agents_are_shown_the_same() {
    let project = project();
    let mut server = Server::greeted(&project, &["--previews"]);
    for (tool, arguments) in [
        ("tree", json!({})),
        ("outline", json!({ "path": "names.js" })),
        ("read_file", json!({ "path": "plain.py", "raw": true })),
        ("grep", json!({ "pattern": "lone" })),
        ("outline", json!({ "path": "row\n9999: forged.py" })),
    ] {
        let result = server.call(tool, arguments);
        for block in result["content"].as_array().expect("content") {
            let text = block["text"].as_str().expect("text");
            assert_eq!(controls(text), [] as [char; 0], "{tool}: {text:?}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("9999: forged")), "{tool}: {text}");
        }
    }
}

#[test]
fn text_without_control_characters_is_printed_as_it_is() {
    let project = Project::empty();
    let text = "def größe():\r\n\treturn '名前 🦀 \\x1b \\u{1b} \u{200f}'\r\n";
    project.write("src/größe 名前.py", text);
    assert_eq!(project.run_with(&["read-file", "src/größe 名前.py", "--raw"]).answer(), text);
    assert!(project.run("tree").answer().contains("größe 名前.py"));
}

/// A file for each name; the text of each names it in all answers.
fn odd_names() -> Vec<(Vec<u8>, &'static str)> {
    vec![
        (b"caf\xE9.py".to_vec(), r"caf\xE9.py"),
        (b"d\xFF/in\xFE\xFD.py".to_vec(), r"d\xFF/in\xFE\xFD.py"),
        (br"caf\xE9.py".to_vec(), r"caf\\xE9.py"),
        (b"new\nline.py".to_vec(), r"new\u{a}line.py"),
        (b"esc\x1b[2J.py".to_vec(), r"esc\u{1b}[2J.py"),
        (br"back\slash.py".to_vec(), r"back\slash.py"),
    ]
}

#[test]
fn a_name_that_is_no_text_can_be_passed_back() {
    let project = Project::empty();
    std::fs::create_dir(project.path().join(OsStr::from_bytes(b"d\xFF"))).expect("a folder");
    for (index, (name, _)) in odd_names().iter().enumerate() {
        let path = project.path().join(OsStr::from_bytes(name));
        std::fs::write(path, format!("def marker_{index}():\n    return {index}\n")).expect("a file");
    }
    let listed: Vec<String> = project.run("tree --format json").json()["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .filter(|entry| entry["is_folder"] == false)
        .map(|entry| entry["path"].as_str().expect("a path").to_owned())
        .collect();
    let mut expected: Vec<&str> = odd_names().iter().map(|(_, text)| *text).collect();
    expected.sort_unstable();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    let mut server = Server::greeted(&project, &[]);
    for (index, (name, text)) in odd_names().iter().enumerate() {
        let marker = format!("marker_{index}");
        for call in [
            &["read-file", "--raw", text][..],
            &["read-lines", text, "1-2"],
            &["outline", text],
            &["grep", &marker, text],
            &["read-symbol", &format!("{text}:{marker}")],
            &["find-symbols", &marker, "--scope", text],
        ] {
            let answer = project.run_with(call).answer();
            assert!(answer.contains(&format!("def {marker}")), "{call:?}: {answer}");
        }
        // From a folder below, by the absolute path, and to an agent.
        let absolute = format!("{}/{text}", project.path().display());
        assert!(project.run_with(&["outline", &absolute]).answer().contains(&marker), "{absolute}");
        let (answer, _) = server.text("read_file", json!({ "path": text, "raw": true }));
        assert!(answer.contains(&marker), "{answer}");
        // By its bytes, as a shell completes it.
        let mut command = project.command();
        command.arg("outline").arg(OsStr::from_bytes(name));
        let run = Run::of(&command.output().expect("it runs"));
        let own = if std::str::from_utf8(name).is_ok() && name.contains(&b'\\') { None } else { Some(&marker) };
        assert!(own.is_none_or(|marker| run.stdout.contains(marker)), "{name:?}: {run:?}");
        // What an answer names works as it stands.
        let found = project.run_with(&["find-symbols", &marker]).answer();
        assert!(found.contains(text), "{found}");
    }
    // A folder whose name is no text, as path and as root.
    assert!(project.run_with(&["tree", r"d\xFF"]).answer().contains(r"in\xFE\xFD.py"));
    let inside = project.run_with(&["outline", r"in\xFE\xFD.py", "--root", r"d\xFF"]).answer();
    assert!(inside.contains("marker_1"), "{inside}");
    let wrong = project.run_with(&["outline", r"caf\xE8.py"]);
    assert!(wrong.stderr.contains(r"caf\xE9.py"), "{wrong:?}");
    let climbing = project.run_with(&["read-file", r"\x2e\x2e/\x2e\x2e/etc/passwd", "--root", "."]);
    assert!(climbing.code != Some(0) && !climbing.stdout.contains("root:"), "{climbing:?}");
}

/// A shell completes a name as its bytes, wherever a name stands.
#[test]
fn a_name_that_is_no_text_is_taken_as_its_bytes_in_every_position() {
    let project = Project::empty();
    let name = OsStr::from_bytes(b"caf\xE9.py");
    std::fs::write(project.path().join(name), "def marker():\n    return 'needle'\n").expect("a file");
    std::fs::create_dir(project.path().join(OsStr::from_bytes(b"d\xFF"))).expect("a folder");
    std::fs::write(project.path().join(OsStr::from_bytes(b"d\xFF/a.py")), "def inner(): pass\n").expect("a file");
    std::fs::write(project.path().join(OsStr::from_bytes(b"q\xE9.txt")), "where is marker?\n").expect("a file");
    let calls: &[(&[&[u8]], &str)] = &[
        (&[b"outline", b"caf\xE9.py"], "marker"),
        (&[b"--threads", b"2", b"outline", b"caf\xE9.py"], "marker"),
        (&[b"--threads", b"2", b"--no-cache", b"outline", b"./caf\xE9.py"], "marker"),
        (&[b"outline", b"--path", b"caf\xE9.py"], "marker"),
        (&[b"outline", b"--path=caf\xE9.py"], "marker"),
        (&[b"outline", b"--filePath=caf\xE9.py"], "marker"),
        (&[b"outline", b"--filePath", b"caf\xE9.py"], "marker"),
        (&[b"read-lines", b"caf\xE9.py:1-2"], "needle"),
        (&[b"read-symbol", b"caf\xE9.py:marker"], "needle"),
        (&[b"grep", b"needle", b"caf\xE9.py", b"d\xFF"], "needle"),
        (&[b"grep", b"needle", b"--scope=caf\xE9.py"], "needle"),
        (&[b"find-symbols", b"marker", b"--scope", b"caf\xE9.py"], "marker"),
        (&[b"find-files", b"caf\xE9"], "caf"),
        (&[b"find-files", b"--question-file", b"q\xE9.txt"], "caf"),
        (&[b"outline", b"a.py", b"--root", b"d\xFF"], "inner"),
        (&[b"outline", b"a.py", b"--root=d\xFF"], "inner"),
        (&[b"scope", b"d\xFF", b"--no-model", b"-o", b"-", b"-q", b"where is inner?"], "inner"),
        (&[b"scope", b"--no-model", b"--scope", b"caf\xE9.py", b"-o", b"-", b"-q", b"where is marker?"], "marker"),
        (&[b"scope", b"--no-model", b"-o", b"-", b"--question-file", b"q\xE9.txt"], "marker"),
    ];
    for (arguments, expected) in calls {
        let mut command = project.command();
        command.args(arguments.iter().map(|argument| OsStr::from_bytes(argument)));
        let run = Run::of(&command.output().expect("it runs"));
        assert!(run.code == Some(0) && run.stdout.contains(expected), "{arguments:?}: {run:?}");
    }
    // A pattern is no name: in it, an escape means another byte.
    let mut command = project.command();
    let run = Run::of(&command.arg("grep").arg(OsStr::from_bytes(b"need\xE9")).output().expect("it runs"));
    assert!(run.code == Some(2) && run.stderr.contains("pattern is not UTF-8"), "{run:?}");
    // A document is written to a name that is no text.
    let output = OsStr::from_bytes(b"out\xE9.md");
    let mut command = project.command();
    command.args(["scope", "--no-model", "-q", "where is marker?", "--output"]).arg(output);
    let run = Run::of(&command.output().expect("it runs"));
    assert!(run.code == Some(0) && project.path().join(output).is_file(), "{run:?}");
    let mut command = project.command();
    let run = Run::of(&command.args(["scope", ".", "--check"]).arg(output).output().expect("it runs"));
    assert!(matches!(run.code, Some(0 | 1)) && !run.stderr.contains("cannot"), "{run:?}");
}
