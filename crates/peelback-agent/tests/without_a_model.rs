//! The documents that need no model: what they say is true, fits, and goes on.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use peelback_agent::citations::Reference;
use peelback_agent::disclosure::{Redact, WithholdPathRule};
use peelback_agent::evidence::{self, Evidence, EvidenceOptions};
use peelback_agent::excerpt::{ExcerptError, file_outline_excerpt, lines_excerpt, symbol_excerpt, whole_file_excerpt};
use peelback_agent::overview::{self, Overview, OverviewOptions};
use peelback_agent::retrieval::{RetrievalOptions, Via, retrieve_for_question};
use peelback_code::{CodeAccess, Project};
use peelback_tokens::estimate_tokens;
use peelback_tools::ReplyStatus;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use regex::Regex;
use tempfile::TempDir;

/// The booking desk of a ferry line: `//- path` lines start a file each.
const FERRY: &str = include_str!("fixtures/ferry.txt");

fn project(files: &str) -> TempDir {
    let folder = tempfile::Builder::new().prefix("peelback-documents-").tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    let mut texts: Vec<(String, String)> = Vec::new();
    for line in files.lines() {
        if let Some(path) = line.strip_prefix("//- ") {
            texts.push((path.to_owned(), String::new()));
        } else if let Some((_, text)) = texts.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    for (path, text) in texts {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn access(folder: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover(Some(folder), None).expect("a project"))
}

fn ask(folder: &Path, question: &str, max_tokens: Option<usize>) -> Evidence {
    let options = EvidenceOptions { max_tokens, ..EvidenceOptions::default() };
    evidence::build_evidence_document(&access(folder), question, &options).expect("a document")
}

fn context(folder: &Path, max_tokens: Option<usize>) -> Overview {
    let options = OverviewOptions { max_tokens, ..OverviewOptions::default() };
    overview::build_overview_document(&access(folder), &options).expect("a document")
}

/// Every reference is a range of a file that exists, each path and first line once.
fn assert_true(folder: &Path, references: &[Reference]) {
    let mut seen = BTreeSet::new();
    for reference in references {
        let text = std::fs::read_to_string(folder.join(&reference.path)).expect("a cited file");
        assert!(1 <= reference.line_start && reference.line_start <= reference.line_end, "{reference:?}");
        assert!(reference.line_end as usize <= text.lines().count(), "{reference:?}");
        assert!(!reference.description.is_empty(), "{reference:?}");
        assert!(seen.insert((reference.path.clone(), reference.line_start)), "twice: {reference:?}");
    }
}

/// The places that a text cites as `path:a-b` exist.
fn assert_places(folder: &Path, body: &str) {
    let place = Regex::new(r"`([\w./@-]+):(\d+)(?:-(\d+))?`").expect("a pattern");
    for found in place.captures_iter(body) {
        let text = std::fs::read_to_string(folder.join(&found[1])).expect("a cited file");
        let first: usize = found[2].parse().expect("a number");
        let last: usize = found.get(3).map_or(first, |last| last.as_str().parse().expect("a number"));
        assert!(1 <= first && first <= last && last <= text.lines().count(), "{}", &found[0]);
    }
}

/// The words of a command as a shell reads them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = command.chars();
    let mut in_quotes = false;
    while let Some(c) = chars.next() {
        match c {
            '\'' => in_quotes = !in_quotes,
            '\\' if !in_quotes => words.last_mut().expect("a word").extend(chars.next()),
            ' ' if !in_quotes => words.push(String::new()),
            _ => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

/// Runs every call that a document names; gives how many.
fn run_hints(folder: &Path, body: &str) -> usize {
    let access = access(folder);
    let hint = Regex::new(r"`+ ?peelback (.+?) ?`+(?:\n| lists)").expect("a pattern");
    let mut count = 0;
    for found in hint.captures_iter(body) {
        let words = words(&found[1]);
        let tool = peelback_tools::tool_by_name_or_alias(&words[0]).unwrap_or_else(|| panic!("no tool {}", words[0]));
        let mut arguments = serde_json::Map::new();
        for pair in words[1..].chunks(2) {
            arguments.insert(pair[0].trim_start_matches('-').to_owned(), pair[1].clone().into());
        }
        let reply = tool.run_call(&access, serde_json::Value::Object(arguments));
        assert!(
            matches!(reply.status, ReplyStatus::Found | ReplyStatus::Empty),
            "{}\n{}",
            &found[1],
            reply.formatted_output()
        );
        count += 1;
    }
    count
}

#[test]
fn the_evidence_of_a_question() {
    let folder = project(FERRY);
    let document = ask(folder.path(), "How is a cabin reserved, and when does a hold expire?", None);
    insta::assert_snapshot!("evidence", document.body);
    assert!(document.complete, "{:?}", document.notes);
    assert_eq!(document.files[0], "desk/holds.py");
    assert_true(folder.path(), &document.references);
    assert_places(folder.path(), &document.body);
    assert!(run_hints(folder.path(), &document.body) >= 2, "{}", document.body);
}

#[test]
fn the_overview_of_a_repository() {
    let folder = project(FERRY);
    let document = context(folder.path(), None);
    insta::assert_snapshot!("overview", document.body);
    assert!(document.complete, "{:?}", document.notes);
    assert_true(folder.path(), &document.references);
    assert_places(folder.path(), &document.body);
    assert_eq!(run_hints(folder.path(), &document.body), 1, "{}", document.body);
    let prose = Some("# A desk\nIt books cabins.".to_owned());
    let with_prose = OverviewOptions { summary: prose, ..OverviewOptions::default() };
    let body = overview::build_overview_document(&access(folder.path()), &with_prose).expect("a document").body;
    assert!(body.starts_with("## Summary\n\nA desk\nIt books cabins.\n"), "{body}");
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let (one, other) = (project(FERRY), project(FERRY));
    let question = "Where is the fare of a cabin worked out?";
    assert_eq!(ask(one.path(), question, None).body, ask(other.path(), question, None).body);
    assert_eq!(context(one.path(), None).body, context(other.path(), None).body);
}

#[test]
fn what_the_question_names_is_shown_first() {
    let folder = project(FERRY);
    let question = "What does round_to_cents do?";
    let found = retrieve_for_question(&access(folder.path()), question, &RetrievalOptions::default()).expect("files");
    assert_eq!(found.definitions.len(), 1, "{:?}", found.definitions);
    assert_eq!(found.definitions[0].symbol_id(), "desk/money.py:round_to_cents");
    let document = ask(folder.path(), question, None);
    let code = document.body.split("## Code\n").nth(1).expect("code");
    assert!(code.trim_start().starts_with("### `function round_to_cents`"), "{code}");
}

#[test]
fn files_beside_the_best_ones_are_candidates() {
    let folder = project(FERRY);
    let options = RetrievalOptions { files: 2, ..RetrievalOptions::default() };
    let found =
        retrieve_for_question(&access(folder.path()), "When does a hold on a cabin expire?", &options).expect("files");
    let linked = found.candidates.iter().filter(|candidate| matches!(candidate.via, Via::Imports(_)));
    assert!(linked.clone().all(|candidate| !candidate.path.starts_with("tests/")), "{:?}", found.candidates);
    assert!(found.candidates.len() > linked.count());
    let whole =
        retrieve_for_question(&access(folder.path()), "cabin hold", &RetrievalOptions::default()).expect("files");
    assert!(
        whole.import_edges.iter().any(|(from, to)| from == "desk/app.py" && to == "desk/holds.py"),
        "{:?}",
        whole.import_edges
    );
}

#[test]
fn an_empty_project_and_a_question_without_a_match_say_so() {
    let empty = project("");
    let document = ask(empty.path(), "How is a cabin reserved?", None);
    assert!(document.body.contains("No file contains any of the words"), "{}", document.body);
    assert!(!document.body.contains("## Key Files") && !document.body.contains("## Code"), "{}", document.body);
    assert!(document.references.is_empty() && document.files.is_empty());
    run_hints(empty.path(), &document.body);
    let overview = context(empty.path(), None);
    assert!(overview.body.contains("has no files"), "{}", overview.body);

    let folder = project(FERRY);
    for question in ["zyzzyva quokka?", "", "???"] {
        let body = ask(folder.path(), question, None).body;
        assert!(body.contains("No file contains any") || body.contains("no word to search for"), "{question}: {body}");
        assert!(!body.contains("## Key Files"), "{question}: {body}");
        assert_eq!(run_hints(folder.path(), &body), 1, "{body}");
    }
}

#[test]
fn reasons_are_said_once_and_are_sentences() {
    let folder = project(FERRY);
    let body = ask(folder.path(), "???", None).body;
    assert_eq!(body.to_lowercase().matches("no word to search for").count(), 1, "{body}");
    let notes = context(folder.path(), Some(300)).notes;
    let left_out: Vec<&String> =
        notes.iter().filter(|note| note.contains(" of ") || note.contains("section")).collect();
    assert!(!left_out.is_empty(), "{notes:?}");
    assert!(left_out.iter().all(|note| note.starts_with("left out to fit: ") && !note.contains("; ")), "{notes:?}");
}

#[test]
fn the_summary_tells_what_was_looked_at() {
    let folder = project(FERRY);
    let scope = EvidenceOptions { scope: vec!["desk".to_owned()], ..EvidenceOptions::default() };
    let body =
        evidence::build_evidence_document(&access(folder.path()), "cabin hold", &scope).expect("a document").body;
    assert!(body.contains("Every file in `desk` was ranked"), "{body}");
    assert!(!body.contains("of the project was ranked"), "{body}");
    let body = evidence::build_evidence_document(&access(folder.path()), "quokka", &scope).expect("a document").body;
    assert!(body.contains("No file in `desk` contains any of the words: quokka."), "{body}");
    // Runs without spaces are no words that a reader would know again.
    let body = ask(folder.path(), "\u{547d}\u{4ee4}\u{884c}\u{8865}\u{5168}\u{662f}\u{5982}\u{4f55}?", None).body;
    assert!(body.contains("in the language of the code") && !body.contains("\u{547d}\u{4ee4},"), "{body}");
    let options = RetrievalOptions { files: 2, ..RetrievalOptions::default() };
    let found =
        retrieve_for_question(&access(folder.path()), "When does a hold on a cabin expire?", &options).expect("files");
    let body =
        evidence::build_evidence_from_retrieval_result(&access(folder.path()), &found, &EvidenceOptions::default())
            .body;
    let ranked = format!("{} files hold some of its words", found.matching_files);
    assert!(body.contains(&ranked) && body.contains("; 2 are listed, best first"), "{body}");
}

#[test]
fn a_small_document_shows_code_before_outlines() {
    let folder = project(FERRY);
    let question = "How is a cabin reserved, and when does a hold expire?";
    let body = ask(folder.path(), question, Some(900)).body;
    assert!(body.contains("## Code\n") && !body.contains("## Outlines"), "{body}");
    let shown = |tokens| ask(folder.path(), question, Some(tokens)).body.matches("\n### ").count();
    assert!(shown(900) >= 1 && shown(900) < shown(16_000), "{} {}", shown(900), shown(16_000));
}

#[test]
fn declarations_without_code_are_no_bodies() {
    let folder = project(
        "//- a.py\nfrom typing import overload\n\n@overload\ndef berth(deck: int) -> str: ...\n@overload\ndef berth(deck: \
         str) -> str: ...\ndef berth(deck):\n    \"\"\"Finds a berth.\"\"\"\n    return find(deck)\n",
    );
    let body = ask(folder.path(), "What does `berth` do?", None).body;
    let code = body.split("## Code\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("code");
    assert_eq!(code.matches("### ").count(), 1, "{code}");
    assert!(code.contains("return find(deck)"), "{code}");
}

#[test]
fn long_documentation_gives_way_to_code() {
    let doc = "    More is said of it here, at some length.\n".repeat(30);
    let folder = project(&format!(
        "//- a.py\ndef berth(deck):\n    \"\"\"Finds a berth.\n\n{doc}    \"\"\"\n    return find(deck)\n"
    ));
    let access = access(folder.path());
    let excerpt = symbol_excerpt(&access, "a.py", "berth", 600).expect("an excerpt");
    for row in ["2:     \"\"\"Finds a berth.", "3-34: …", "35:     return find(deck)"] {
        assert!(excerpt.text.contains(row), "{row}\n{}", excerpt.text);
    }
    assert_eq!((excerpt.shown, excerpt.left_out), (3, 32), "{}", excerpt.text);
    assert_eq!((excerpt.references[0].line_start, excerpt.references[0].line_end), (1, 35));
    let whole = symbol_excerpt(&access, "a.py", "berth", 4_000).expect("an excerpt");
    assert_eq!(whole.left_out, 0, "{}", whole.text);
}

#[test]
fn a_short_outline_names_members_once_with_their_parameters() {
    let methods: String = (0..12)
        .map(|n| format!("func (d *Desk) Book{n}(name string, days int) error {{\n\treturn nil\n}}\n\n"))
        .collect();
    let types: String =
        (0..20).map(|n| format!("type Berth{n} struct {{\n\tdeck int\n\tside string\n}}\n\n")).collect();
    let folder = project(&format!("//- desk.go\npackage desk\n\ntype Desk struct{{}}\n\n{types}{methods}"));
    let access = access(folder.path());
    let outline = file_outline_excerpt(&access, "desk.go", 1_100).expect("an excerpt");
    for method in 0..12 {
        assert_eq!(outline.text.matches(&format!("Book{method}(name, days)")).count(), 1, "{}", outline.text);
    }
    assert!(
        outline.text.contains("Berth19") && outline.text.contains("(not named here: field 40)"),
        "{}",
        outline.text
    );
    // Where not all members fit, each type keeps some of them, and says how many it has.
    let short = file_outline_excerpt(&access, "desk.go", 440).expect("an excerpt");
    assert!(short.text.contains("Book0 ") && short.text.contains(" more\n"), "{}", short.text);
    assert!(short.left_out > outline.left_out && short.text.chars().count() <= 440, "{}", short.text);
}

#[test]
fn a_class_that_is_too_long_is_shown_as_its_skeleton() {
    let methods: String = (0..9)
        .map(|n| {
            format!(
                "    def book_{n}(self, name):\n        desk = {n}\n        deck = {n}\n        return marker_{n}\n\n"
            )
        })
        .collect();
    let folder = project(&format!("//- desk.py\nclass Desk:\n    \"\"\"Books.\"\"\"\n\n{methods}"));
    let access = access(folder.path());
    let whole = symbol_excerpt(&access, "desk.py", "Desk", 4_000).expect("an excerpt");
    assert!(whole.text.contains("marker_8") && !whole.is_skeleton, "{}", whole.text);
    let skeleton = symbol_excerpt(&access, "desk.py", "Desk", 620).expect("an excerpt");
    assert!(skeleton.is_skeleton && !skeleton.text.contains("marker_"), "{}", skeleton.text);
    for method in 0..9 {
        assert!(skeleton.text.contains(&format!("def book_{method}(self, name):")), "{}", skeleton.text);
    }
    let names = symbol_excerpt(&access, "desk.py", "Desk", 300).expect("an excerpt");
    assert!(names.is_skeleton && names.text.contains("book_8(name) "), "{}", names.text);
}

#[test]
fn libraries_begin_with_what_they_export() {
    let folder = project(
        "//- go.mod\nmodule example.com/gull/v2\n\ngo 1.25.0 // or later\n//- gull.go\npackage gull\n\nimport \"fmt\"\n\n\
         // Desk books.\ntype Desk struct{}\n\nfunc New() *Desk { fmt.Println(); return &Desk{} }\n//- other.go\npackage \
         gull\n\nfunc (d *Desk) Book() {}\nfunc (d *Desk) Pay() {}\nfunc (d *Desk) Board() {}\n//- easy/easy.go\npackage \
         easy\n\nimport \"example.com/gull/v2\"\n\nfunc Desk() *gull.Desk { return gull.New() }\n//- tox.ini\n[testenv:lint]\n",
    );
    let document = context(folder.path(), None);
    let entries = document.body.split("## Entry Points\n").nth(1).expect("entries");
    let first = entries.trim_start().lines().next().expect("a row");
    assert!(first.starts_with("- `gull.go` — library: 2 exported names (`Desk`, `New`)"), "{entries}");
    for said in ["needs Go `1.25.0`", "`tox -e lint`", "its package is imported by 1 file", "`./` (1)"] {
        assert!(document.body.contains(said), "{said}\n{}", document.body);
    }
    assert!(!document.body.contains("1 files") && !document.body.contains("1 packages"), "{}", document.body);
    assert!(document.body.contains("Of the standard library: `fmt` (1)."), "{}", document.body);
    assert_places(folder.path(), &document.body);

    let folder = project(
        "//- pyproject.toml\n[project]\nname = \"gull\"\nrequires-python = \">=3.10\"\n//- src/gull/__init__.py\nfrom .desk \
         import Desk as Desk\n\n//- src/gull/desk.py\nimport os\nimport pytz\n\n\nclass Desk:\n    def main(self):\n        \
         return os.name\n//- docs/index.md\n# Gull\n\nBooks.\n//- docs/conf.py\nA = 1\n",
    );
    let body = context(folder.path(), None).body;
    assert!(body.contains("- `src/gull/__init__.py` — package `gull`: 1 exported name (`Desk`)"), "{body}");
    assert!(!body.contains("`Desk.main`") && body.contains("docs/  2 files, 4 lines, markdown"), "{body}");
    assert!(body.contains("those of tests too: `pytz` (1)."), "{body}");
}

#[test]
fn a_repository_of_one_file_and_one_of_many_packages() {
    let one = project("//- only.go\npackage main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n");
    let document = context(one.path(), None);
    assert!(document.body.contains("`only.go:3-5` — `main`"), "{}", document.body);
    assert_places(one.path(), &document.body);

    let many = project(include_str!("fixtures/packages.txt"));
    let document = context(many.path(), None);
    let library = "`crates/b/src/lib.rs` — library of `b`";
    for said in ["Reads a tide table.", "Writes a tide table.", library, "npm run test"] {
        assert!(document.body.contains(said), "{said}\n{}", document.body);
    }
    assert_places(many.path(), &document.body);
    assert_true(many.path(), &document.references);
}

#[test]
fn what_is_withheld_is_named_and_never_shown() {
    let folder = project(FERRY);
    let reason = |path: &str| (path == "desk/holds.py").then(|| "it holds a key".to_owned());
    let withhold: WithholdPathRule = Arc::new(reason);
    let options = EvidenceOptions { withhold: Some(withhold.clone()), ..EvidenceOptions::default() };
    let question = "When does a hold expire? release_expired";
    let document = evidence::build_evidence_document(&access(folder.path()), question, &options).expect("a document");
    assert!(document.body.contains("`desk/holds.py` (it holds a key)"), "{}", document.body);
    assert!(!document.body.contains("class HoldBook"), "{}", document.body);
    assert!(!document.files.iter().any(|path| path == "desk/holds.py"));
    assert!(document.references.iter().all(|reference| reference.path != "desk/holds.py"));
    let options = OverviewOptions { withhold: Some(withhold), ..OverviewOptions::default() };
    let overview = overview::build_overview_document(&access(folder.path()), &options).expect("a document");
    assert!(!overview.body.contains("class HoldBook"), "{}", overview.body);

    let redact: Redact = Arc::new(|text, _| text.replace("= 20", "= **").into());
    let options = EvidenceOptions { redact: Some(redact), ..EvidenceOptions::default() };
    let document =
        evidence::build_evidence_document(&access(folder.path()), "HOLD_MINUTES", &options).expect("a document");
    assert!(document.body.contains("HOLD_MINUTES = **"), "{}", document.body);
    assert!(!document.body.contains("HOLD_MINUTES = 20"), "{}", document.body);
}

#[test]
fn excerpts_show_the_file_as_it_is() {
    let folder = project(FERRY);
    let access = access(folder.path());
    let source = std::fs::read_to_string(folder.path().join("desk/holds.py")).expect("a file");
    let lines: Vec<&str> = source.lines().collect();
    let row = Regex::new(r"^(\d+): (.*)$").expect("a pattern");
    let excerpt = symbol_excerpt(&access, "desk/holds.py", "HoldBook.place", 4_000).expect("an excerpt");
    let mut shown = 0;
    for found in excerpt.text.lines().filter_map(|line| row.captures(line)) {
        assert_eq!(&found[2], lines[found[1].parse::<usize>().expect("a number") - 1]);
        shown += 1;
    }
    assert_eq!((shown, excerpt.left_out), (excerpt.shown, 0), "{}", excerpt.text);
    assert!(excerpt.text.contains("class HoldBook"), "{}", excerpt.text);
    assert_eq!(excerpt.references[0].description, "method HoldBook.place");
    let missing = symbol_excerpt(&access, "desk/holds.py", "nothing", 4_000);
    assert!(matches!(missing, Err(ExcerptError::NoSymbol { .. })), "{missing:?}");
    let behind = lines_excerpt(&access, "desk/holds.py", 900, 901, 400);
    assert!(matches!(behind, Err(ExcerptError::NoLines { .. })), "{behind:?}");
    let part = lines_excerpt(&access, "desk/holds.py", 3, 9_000, 300).expect("an excerpt");
    assert!(part.left_out > 0 && part.text.contains("(cut: lines "), "{}", part.text);
    assert_eq!(part.references[0].line_end as usize, 2 + part.shown);
    let outline = file_outline_excerpt(&access, "desk/holds.py", 900).expect("an excerpt");
    assert_eq!(outline.left_out, 0, "{}", outline.text);
    assert_true(folder.path(), &outline.references);
    assert_true(folder.path(), &whole_file_excerpt(&access, "README.md", 300).expect("an excerpt").references);
}

#[test]
fn code_with_fences_stays_in_its_block() {
    let folder =
        project("//- a.py\ndef fenced():\n    \"\"\"\n    ```\n## Not a heading\n    ```\n    \"\"\"\n    return 1\n");
    let document = ask(folder.path(), "What does fenced do?", None);
    assert!(document.body.contains("````python\n"), "{}", document.body);
    let mut open: Option<String> = None;
    for line in document.body.lines() {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match &open {
            Some(fence) if line == fence => open = None,
            Some(_) => {}
            None if ticks >= 3 => open = Some("`".repeat(ticks)),
            None => assert_ne!(line, "## Not a heading"),
        }
    }
    assert_eq!(open, None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, rng_seed: RngSeed::Fixed(20), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_budget_holds(tokens in 0_usize..5_000, which in 0_usize..4) {
        let folder = project(FERRY);
        let question = ["How is a cabin reserved?", "fare", "HoldBook.place expire", "Wie wird gebucht? 🚢 `x`"][which];
        let document = ask(folder.path(), question, Some(tokens));
        prop_assert!(estimate_tokens(&document.body) <= tokens.max(evidence::MIN_TOKENS), "{}", document.body);
        prop_assert!(document.body.starts_with("## Summary\n"));
        assert_true(folder.path(), &document.references);
        run_hints(folder.path(), &document.body);
        let overview = context(folder.path(), Some(tokens));
        prop_assert!(estimate_tokens(&overview.body) <= tokens.max(overview::MIN_TOKENS), "{}", overview.body);
        assert_true(folder.path(), &overview.references);
    }

    #[test]
    fn every_excerpt_fits(chars in 0_usize..2_000, which in 0_usize..4) {
        let folder = project(FERRY);
        let access = access(folder.path());
        let path = ["desk/holds.py", "desk/app.py", "web/form.ts", "README.md"][which];
        let outline = file_outline_excerpt(&access, path, chars);
        for excerpt in [outline, whole_file_excerpt(&access, path, chars), lines_excerpt(&access, path, 2, 9, chars)] {
            let excerpt = excerpt.expect("an excerpt");
            prop_assert!(excerpt.text.chars().count() <= chars, "{}", excerpt.text);
            assert_true(folder.path(), &excerpt.references);
        }
    }
}
