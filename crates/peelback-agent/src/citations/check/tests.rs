use std::fs;
use std::path::Path;

use peelback_code::Project;

use super::*;
use crate::citations::{Staleness, UNVERIFIED_MARK, format_code_reference_list, staleness_of_stored_citations};
use crate::document::{Document, FrontMatter};

mod seeded;

const EDITOR: &str = "\
/// Edits.
pub struct Editor {
    text: String,
}

impl Editor {
    /// Applies all.
    pub fn apply_edits(&mut self, edits: &[String]) {
        for edit in edits {
            self.text.push_str(edit);
        }
    }

    pub fn undo(&mut self) {
        self.text.clear();
    }
}

pub fn open(path: &str) -> Editor {
    let mut editor = Editor { text: String::new() };
    editor.apply_edits(&[path.to_owned()]);
    editor
}

impl Editor { pub fn md(&self) {} }
";

const SESSION: &str = "\
from editor import Editor


class Session:
    def __init__(self):
        self.user = None

    def login(self, name):
        self.user = name
        return check_password(name)


def check_password(name):
    return len(name) > 3
";

pub(super) fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, CodeAccess) {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let access = access(folder.path());
    (folder, access)
}

pub(super) fn access(folder: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover_with_working_folder(folder, Some(folder), None).expect("a project"))
}

fn sample() -> (tempfile::TempDir, CodeAccess) {
    project(&[
        ("src/editor.rs", EDITOR),
        ("app/session.py", SESSION),
        ("docs/guide.md", "# Guide\n\nText.\n"),
        ("Cargo.toml", "[package]\n"),
    ])
}

fn text_of(markdown: &str) -> String {
    let (_folder, access) = sample();
    let checked = check_and_repair_citations(markdown, &access);
    // Checking the checked text a second time must change nothing.
    assert_eq!(check_and_repair_citations(&checked.text, &access).text, checked.text);
    checked.text
}

#[test]
fn citations_that_hold_stay() {
    for line in [
        "- `src/editor.rs:8-12` — `Editor.apply_edits` applies every edit",
        "- `src/editor.rs:7-12` — `Editor::apply_edits`",
        "- `src/editor.rs:8` — `apply_edits()`",
        "`Editor::apply_edits` (`src/editor.rs:8-12`) pushes.",
        "See [`Editor::apply_edits`](src/editor.rs#L8-L12).",
        "- `src/editor.rs:6-17` — `Editor` and what it does",
        "- `src/editor.rs:2-4` — struct `Editor`",
        "| `Editor` | `src/editor.rs:2-4` | the text |",
        "- `src/editor.rs:21` — `apply_edits` is called here",
        "calls `apply_edits` in `src/editor.rs:21`",
        "- app/session.py:8-10 - Session.login checks the name",
        "- `app/session.py:5-6` — `self.user = None`",
        "- `src/editor.rs` (lines 8-12) — `Editor.apply_edits`",
        "- `src/editor.rs:1-4,8-12` - the type and its work",
        "- `src/editor.rs` - the editor",
        "- `./src/editor.rs:1` - the first line",
        "- **`src/editor.rs:19-23`** — `open`",
        "- `src/editor.rs:Editor.undo`",
        "See docs/guide.md#L1.",
        // Sentences that may be about a use of the symbol, or that mention several places.
        "See `src/editor.rs:19-23` for `apply_edits`.",
        "In `src/editor.rs:21`, `apply_edits()` is called.",
        "`app/session.py:8-10`, where `check_password` is asked",
        "See `src/editor.rs` for `check_password`.",
        "The type lives in `src/editor.rs:2-4`, `check_password` in `app/session.py:13-14`.",
        // The text of a link to a file is the file's name, not a symbol.
        "See [`editor.rs`](src/editor.rs#L2-L4).",
        "| `Session.login` | `app/session.py:8-10` |",
        "| `Editor.md` | a name of the project | `src/editor.rs:25` |",
        "Settings are in `Cargo.toml`.",
    ] {
        assert_eq!(text_of(line), line);
    }
}

#[test]
fn what_is_no_citation_stays() {
    let (_folder, access) = sample();
    for text in [
        "```\nsrc/nothing.rs:1-2\n```\n",
        "    src/nothing.rs:1-2\n",
        "https://example.com/src/nothing.rs#L1 and <https://example.com/a.rs:1>",
        "[site](https://example.com/src/a.rs#L3)",
        "It listens at localhost:8080 and 127.0.0.1:3000, since 12:30.",
        "Client/server and/or both; `application/json`, `origin/main`, `node:18`.",
        "Write a `config.toml` of your own; run `cargo run -- src/nothing.rs`.",
        "`std::fs::read`, `a::b`, `src/*.rs`, `x.y.z`, `{name}.rs:1`",
        "![picture](docs/none.png)",
        "[`area`](src/nothing&#19;.rs)",
    ] {
        let checked = check_and_repair_citations(text, &access);
        assert_eq!(checked.citations, Vec::new(), "{text}");
        assert_eq!(checked.text, text);
    }
}

#[test]
fn citations_are_repaired() {
    for (wrong, right) in [
        // Cited line ranges that are shifted, exceed the file's end, or have the first and last line swapped.
        (
            "- `src/editor.rs:10-14` — `Editor.apply_edits` applies",
            "- `src/editor.rs:8-12` — `Editor.apply_edits` applies",
        ),
        ("- `src/editor.rs:8-900` — `Editor.apply_edits`", "- `src/editor.rs:8-12` — `Editor.apply_edits`"),
        // The range contains the whole `impl` block but only a part of the type's definition, so the range has shifted.
        ("- `src/editor.rs:3-17` — `Editor`", "- `src/editor.rs:2-4` — `Editor`"),
        ("`Editor::undo` (`src/editor.rs:40-44`)", "`Editor::undo` (`src/editor.rs:14-16`)"),
        ("[`Editor::undo`](src/editor.rs#L1-L3)", "[`Editor::undo`](src/editor.rs#L14-L16)"),
        ("| `check_password` | `app/session.py:3-4` |", "| `check_password` | `app/session.py:13-14` |"),
        ("- `src/editor.rs` (lines 1 to 3) — `Editor.undo`", "- `src/editor.rs` (lines 14-16) — `Editor.undo`"),
        ("- `app/session.py:13` — `self.user = name`", "- `app/session.py:9` — `self.user = name`"),
        // Citations with a wrong path.
        ("- `editor.rs:8-12` — `Editor.apply_edits`", "- `src/editor.rs:8-12` — `Editor.apply_edits`"),
        ("- `/srv/app/src/editor.rs:2-4` — the type", "- `src/editor.rs:2-4` — the type"),
        ("- `../app/session.py:4` — a class", "- `app/session.py:4` — a class"),
        ("- `src/edtior.rs:2-4` — `Editor`", "- `src/editor.rs:2-4` — `Editor`"),
        ("- `src/session.rs:1-9` — `Session.login`", "- `app/session.py:8-10` — `Session.login`"),
        ("- `src/editor.rs:1-3` — `check_password`", "- `app/session.py:13-14` — `check_password`"),
        ("- `editor.rs` — the editor", "- `src/editor.rs` — the editor"),
    ] {
        assert_eq!(text_of(wrong), right);
    }
}

#[test]
fn what_cannot_be_repaired_is_marked() {
    for (text, reason) in [
        ("- `src/nothing.rs:1-2` — what is not there", "no such file"),
        // A file with the same name exists in another folder, but nothing in the text confirms that the citation means
        // that file.
        ("- `lib/editor.rs:2-4` — the type", "no such file; there is src/editor.rs"),
        ("- `src/editor.rs:90-95` — the end", "the file has 25 lines"),
        ("- `src/editor.rs:9-3` — turned round", "lines 9 to 3 are not a range"),
        ("- `src/editor.rs:0` — before the first", "lines 0 to 0 are not a range"),
        ("- `src/editor.rs:1-3` — `vanish_now`", "vanish_now does not occur in the file"),
        ("- `src:3` — no file", ""),
        ("In `src/editor.rs:14-16`, `check_password` is asked.", "check_password is in app/session.py:13-14"),
        ("See `src/editor.rs:2-4` for `vanish_now()`.", "vanish_now is not in these lines"),
        ("- `Missing.md`", "no such file"),
        ("- `../../etc/passwd.txt:1` — outside", "the path leads upward"),
        ("- `src/editor.rs:19-23` — `Editor`, `undo`", "undo is not in these lines"),
    ] {
        let marked = text_of(text);
        if reason.is_empty() {
            assert_eq!(marked, text);
            continue;
        }
        assert!(marked.contains(&format!("` ({UNVERIFIED_MARK} {reason})")), "{marked}");
        assert_eq!(marked.replace(&format!(" ({UNVERIFIED_MARK} {reason})"), ""), text);
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_are_not_followed() {
    let (folder, access) = sample();
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("secret.rs"), "fn secret() {}\n").expect("a file");
    std::os::unix::fs::symlink(outside.path(), folder.path().join("src/out")).expect("a link");
    let checked = check_and_repair_citations("- `src/out/secret.rs:1` — `secret`\n", &access);
    assert!(
        matches!(&checked.citations[0].verdict, Verdict::Marked { reason } if reason.contains("leads out")),
        "{checked:?}"
    );
}

#[test]
fn a_mark_parts_no_word() {
    let (_folder, access) = sample();
    for text in ["- src/nothing.rs (lines 3-9y (lines 3-9)\n", "src/nothing.rs, line 3rd\n"] {
        let marked = check_and_repair_citations(text, &access).text;
        assert!(marked.contains("src/nothing.rs (") && (marked.contains("3-9y") || marked.contains("3rd")), "{marked}");
        assert_eq!(check_and_repair_citations(&marked, &access).text, marked);
    }
}

#[test]
fn a_mark_goes_when_its_citation_is_put_right() {
    let (_folder, access) = sample();
    let marked = check_and_repair_citations("- `src/nothing.rs:1-2` — the type\n", &access).text;
    let right = marked.replace("nothing.rs", "editor.rs");
    assert!(right.contains(UNVERIFIED_MARK));
    assert_eq!(check_and_repair_citations(&right, &access).text, "- `src/editor.rs:1-2` — the type\n");
}

#[test]
fn references_of_a_model_are_checked() {
    let (_folder, access) = sample();
    let reference = |path: &str, first, last, description: &str| Reference {
        path: path.to_owned(),
        line_start: first,
        line_end: last,
        description: description.to_owned(),
    };
    let checked = check_and_repair_model_references(
        &[
            reference("src/editor.rs", 8, 12, "`Editor.apply_edits` applies"),
            reference("editor.rs", 1, 3, "`Editor.undo`\nclears"),
            reference("none.rs", 1, 2, ""),
            reference("a b`c", 1, 2, "no path"),
        ],
        &access,
    );
    assert_eq!(checked[0].1, Verdict::True(Proof::Symbol));
    assert_eq!(checked[1].0, reference("src/editor.rs", 14, 16, "`Editor.undo` clears"));
    assert!(matches!(checked[2].1, Verdict::Marked { .. }));
    assert!(matches!(checked[3].1, Verdict::Marked { .. }));
}

#[test]
fn entries_tell_what_became_of_what_was_cited() {
    let (folder, access) = sample();
    let markdown = "- `src/editor.rs:8-12` — `Editor.apply_edits`\n- `src/editor.rs:8-12` — again\n- `src/editor.rs:14-16` — `Editor.undo`\n- `app/session.py:13-14` — `check_password`\n- `docs/guide.md` — how to begin\n- `Cargo.toml` — the manifest\n";
    let entries = check_and_repair_citations(markdown, &access).citation_entries_for_front_matter();
    assert_eq!(
        format_code_reference_list(&entries),
        "- `src/editor.rs:8-12` — `Editor.apply_edits`\n- `src/editor.rs:14-16` — `Editor.undo`\n- `app/session.py:13-14` — `check_password`\n- `docs/guide.md` — how to begin\n- `Cargo.toml` — the manifest\n"
    );
    let document =
        Document { front: FrontMatter { citations: entries, ..FrontMatter::default() }, body: String::new() };
    let document = Document::parse(&document.render()).expect("its own text");
    assert_eq!(staleness_of_stored_citations(&document, &access), vec![Staleness::Unchanged; 5]);
    // The edited project: two lines were inserted before the first citation, one cited line was changed, one file was
    // renamed, and one file was deleted.
    let edited = format!("// a\n// b\n{}", EDITOR.replace("self.text.clear();", "self.text = String::new();"));
    fs::write(folder.path().join("src/editor.rs"), edited).expect("a file");
    fs::rename(folder.path().join("app/session.py"), folder.path().join("app/login.py")).expect("renamed");
    fs::remove_file(folder.path().join("docs/guide.md")).expect("removed");
    fs::write(folder.path().join("Cargo.toml"), "[package]\r\n").expect("a file");
    let lines = |first, last| Some(Lines { first, last });
    assert_eq!(
        staleness_of_stored_citations(&document, &access_again(folder.path())),
        [
            Staleness::Moved { path: "src/editor.rs".to_owned(), lines: lines(10, 14) },
            Staleness::Changed { symbol_at: lines(16, 18) },
            Staleness::Moved { path: "app/login.py".to_owned(), lines: lines(13, 14) },
            Staleness::Deleted,
            Staleness::Unchanged,
        ]
    );
}

fn access_again(folder: &Path) -> CodeAccess {
    access(folder)
}

proptest::proptest! {
    #[test]
    fn any_text_is_checked_once_for_all(text in "[a-z./:#`()|*_\\[\\]\n 0-9-]{0,80}") {
        let (_folder, access) = project(&[("a.rs", "fn a() {}\nfn b() {}\n")]);
        let once = check_and_repair_citations(&text, &access).text;
        proptest::prop_assert_eq!(&check_and_repair_citations(&once, &access).text, &once);
    }
}

/// A reply that repeats two citations without a line break, as a model that loops writes it.
#[test]
fn a_long_reply_is_checked_in_time_that_grows_with_its_length() {
    let (_keep, access) = project(&[("src/session.py", SESSION)]);
    let reply =
        |times: usize| format!("## Summary\n\n{}", "`src/session.py:1-5` word `../../etc/passwd:1-3` ".repeat(times));
    let started = std::time::Instant::now();
    let checked = check_and_repair_citations(&reply(20_000), &access);
    let gaps = crate::citations::citation_gaps(&checked.text, &access);
    let seconds = started.elapsed().as_secs_f64();
    assert!(seconds < 12.0, "{seconds} s");
    assert_eq!(checked.citations.len(), 40_000);
    assert_eq!(
        checked.unchecked.as_deref(),
        Some("30,000 citations were not checked: a document has at most 10000 citations")
    );
    assert!(checked.text.ends_with("(⚠ unverified: not checked; a document has at most 10000 citations) "));
    let (correct, _, marked) = checked.verdict_counts();
    assert_eq!((correct, marked), (5_000, 35_000));
    assert!(gaps.iter().any(|gap| gap.starts_with("35,000 citations could not be verified")), "{gaps:?}");
}

#[test]
fn a_stopped_check_marks_what_it_did_not_check() {
    let (_keep, access) = project(&[("src/session.py", SESSION)]);
    let stopped = peelback_code::CancellationToken::default();
    stopped.cancel();
    let checked = check_and_repair_citations("See `src/session.py:1-5`.\n", &access.with_cancellation(stopped));
    assert!(checked.text.contains("(⚠ unverified: not checked; "), "{}", checked.text);
    assert!(checked.unchecked.is_some_and(|reason| reason.starts_with("1 citation was not checked: ")));
}
