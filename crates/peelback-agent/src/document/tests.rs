use std::fs;

use peelback_code::syntax::Lines;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::citations::CitationEntry;

fn entry(path: &str) -> CitationEntry {
    CitationEntry {
        path: path.to_owned(),
        lines: Some(Lines { first: 10, last: 40 }),
        symbol: Some("Editor.apply_edits".to_owned()),
        description: "Applies \"edits\"".to_owned(),
        hash: Some("0123456789abcdef".to_owned()),
        file_hash: "fedcba9876543210".to_owned(),
    }
}

fn document() -> Document {
    let front = FrontMatter {
        source_repo: "/srv/app".to_owned(),
        scope_question: "How: does \"it\" work? # really".to_owned(),
        scan_date: Timestamp::from_unix_seconds(1_737_541_800).rfc3339(),
        model_used: "none".to_owned(),
        mode: Some("pipeline".to_owned()),
        files_analyzed: 8,
        commit: Some("a".repeat(40)),
        input_tokens: Some(1200),
        output_tokens: Some(300),
        cost_usd: Some(0.0125),
        possibly_billed_tokens: Some(700),
        ceiling: Some("$2.00".to_owned()),
        incomplete: Some("the budget was reached".to_owned()),
        left_out: Some("withheld: .env (its name)".to_owned()),
        citations: vec![
            entry("src/a.rs"),
            CitationEntry { lines: None, hash: None, symbol: None, ..entry("src/b.rs") },
        ],
        other: vec![("tags".to_owned(), "[a, b]".to_owned()), ("count".to_owned(), "12".to_owned())],
        kept: Vec::new(),
    };
    Document { front, body: "## Summary\n\nText.\n\n## Key Files\n\n- one\n".to_owned() }
}

#[test]
fn a_document_is_read_back_as_it_was_written() {
    let document = document();
    let text = document.render();
    let read = Document::parse(&text).expect("its own text");
    assert_eq!(read.front, document.front);
    assert_eq!(read.body.trim(), document.body.trim());
    assert_eq!(read.render(), text);
    // So is one whose lines end as on Windows.
    let read = Document::parse(&text.replace('\n', "\r\n")).expect("its own text");
    assert_eq!(read.front, document.front);
    assert!(!read.body.contains("peelback citations") && !read.body.contains("Status"), "{}", read.body);
}

#[test]
fn the_first_lines_say_what_was_used_and_what_was_cut() {
    let text = document().render();
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().skip(1).position(|line| *line == "---").expect("an end") + 2;
    // Two keys of this document are of others.
    assert_eq!(end - 2, 14, "{text}");
    assert_eq!(
        lines[end + 1],
        "> **Status:** not complete: the budget was reached. Left out: withheld: .env (its name). No reply of a model was \
         used; perhaps 700 tokens are billed for requests that failed; the ceiling was $2.00."
    );
    let mut whole = document();
    whole.front = FrontMatter { incomplete: None, left_out: None, possibly_billed_tokens: None, ..whole.front };
    whole.front.model_used = "openai/gpt-test".to_owned();
    let status = |document: &Document| document.render().lines().find(|line| line.starts_with("> ")).map(str::to_owned);
    assert_eq!(
        status(&whole).as_deref(),
        Some(
            "> **Status:** complete, with 2 citations checked against the files. Model used: openai/gpt-test (pipeline), \
             1,200 tokens in and 300 out; $0.0125; the ceiling was $2.00."
        )
    );
    whole.front.cost_usd = None;
    assert!(status(&whole).is_some_and(|line| line.contains("the cost is unknown, because the model's price")));
    assert!(whole.render().contains("\"cost_usd\": null"));
    whole.front = FrontMatter { model_used: "none".to_owned(), input_tokens: None, output_tokens: None, ..whole.front };
    assert!(status(&whole).is_some_and(|line| line.ends_with(" files. No model was used.")));
    // A document of others has no such line, and keeps what looks like one.
    let other = "---\nsource_repo: /a\n---\n\n> **Status:** fine\n";
    assert_eq!(
        Document::parse(other).expect("a document").render(),
        format!(
            "{}",
            other.replace("/a", "\"/a\"").replace(
                "---\n\n",
                "scope_question: \"\"\nscan_date: \"\"\nmodel_used: \"\"\nfiles_analyzed: 0\ncomplete: true\n---\n\n"
            )
        )
    );
}

#[test]
fn damage_to_the_stored_citations_is_noticed() {
    let text = document().render();
    let damaged = [
        text.replace("0123456789abcdef", "0123456789abcdee"),
        text.replace("10-40", "10-41"),
        text.replace("\n-->\n", "\n"),
        text.replace("<!-- peelback citations 1", "<!-- peelback citations 9"),
        text.replace("<!-- peelback citations 1", "<!-- peelback citation 1"),
        text[..text.len() - 20].to_owned(),
        text[..text.find("<!--").expect("the comment")].to_owned(),
        text.replace("\ncitations: 2\n", "\ncitations: 3\n"),
    ];
    for (number, damaged) in damaged.iter().enumerate() {
        assert_ne!(*damaged, text, "{number}");
        let error = Document::parse(damaged).expect_err("damage");
        assert!(matches!(error, DocumentError::StoredCitations(_)), "{number}: {error}");
        assert!(error.to_string().contains("remove it and the key `citations`"), "{error}");
        // Who needs the front matter alone reads it.
        assert_eq!(Document::parse_front_matter(damaged).expect("its front matter").source_repo, "/srv/app");
    }
    let start = text.find("<!--").expect("the comment");
    let without = text[..start].replace("\ncitations: 2\n", "\n");
    assert_eq!(Document::parse(&without).expect("a document").front.citations, []);
    // What somebody writes below the comment stays.
    let longer = Document::parse(&format!("{text}\nA note.\n")).expect("a document");
    assert_eq!((longer.front.citations.len(), longer.body.ends_with("- one\n\nA note.\n")), (2, true));
}

#[test]
fn a_record_of_more_citations_than_any_document_has_is_not_read() {
    let mut document = document();
    let one = document.front.citations[0].clone();
    for (count, is_read) in [(10_000, true), (10_001, false)] {
        document.front.citations = vec![one.clone(); count];
        match Document::parse(&document.render()) {
            Ok(read) => assert!(is_read && read.front.citations.len() == count),
            Err(error) => assert!(!is_read && error.to_string().contains("more than 10000 citations"), "{error}"),
        }
    }
    let entry = r#"  - {"path": "a.py", "file": "0123456789abcdef"}"#;
    let text = format!("---\nsource_repo: a\ncitations:\n{}---\n", format!("{entry}\n").repeat(10_001));
    let error = Document::parse(&text).expect_err("too many").to_string();
    assert!(error.contains("more than 10000 citations"), "{error}");
}

#[test]
fn no_content_ends_or_shows_the_comment() {
    let hostile = "--> <script>alert(1)</script> <!-- --!> ```\n---\n<!-- peelback citations 1 sum=0\n-->";
    let mut document = document();
    for entry in &mut document.front.citations {
        entry.description = hostile.to_owned();
        entry.symbol = Some(hostile.to_owned());
        entry.path = format!("a/{hostile}.rs");
    }
    // The body leaves a block open, and has a comment that looks like ours.
    document.body = "## Summary\n\n<!-- peelback citations 1 sum=0\n[]\n-->\n\n```text\nopen".to_owned();
    let text = document.render();
    let events: Vec<_> = pulldown_cmark::Parser::new_ext(&text, crate::markdown::PARSER_OPTIONS).collect();
    let shown: String = events
        .iter()
        .filter_map(|event| match event {
            pulldown_cmark::Event::Text(text) | pulldown_cmark::Event::Code(text) => Some(text.to_string()),
            _ => None,
        })
        .collect();
    assert!(!shown.contains("script") && !shown.contains("sum="), "{shown}");
    let html: String = events
        .iter()
        .filter_map(|event| match event {
            pulldown_cmark::Event::Html(html) => Some(html.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!((html.matches("-->").count(), html.matches("<!--").count()), (2, 2), "{html}");
    let read = Document::parse(&text).expect("its own text");
    assert_eq!(read.front, document.front);
    assert_eq!(read.render(), text);
    // Without citations, that of the body is not taken for ours.
    document.front.citations.clear();
    let read = Document::parse(&document.render()).expect("its own text");
    assert!(read.front.citations.is_empty() && read.body.contains("sum=0\n[]"), "{}", read.body);
}

#[test]
fn documents_of_others_are_understood() {
    let text = "---\r\nsource_repo: /path/to/repo\r\nscope_question: \"how does authentication work\"\r\nscan_date: 2025-01-22T10:30:00Z\r\nmodel_used: anthropic/claude-sonnet-4-5-20250929\r\nfiles_analyzed: 8\r\ntags:\r\n  - a\r\n  - b\r\n# a remark\r\n---\r\n\r\n## Summary\r\n";
    let document = Document::parse(text).expect("a document");
    assert_eq!(document.front.source_repo, "/path/to/repo");
    assert_eq!(document.front.scope_question, "how does authentication work");
    assert_eq!(document.front.model_used, "anthropic/claude-sonnet-4-5-20250929");
    assert_eq!(document.front.files_analyzed, 8);
    assert_eq!(document.front.incomplete, None);
    assert_eq!(document.front.other, []);
    let kept: Vec<(&str, &str)> =
        document.front.kept.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(kept, [("tags", "\n  - a\n  - b")]);
    assert!(document.render().contains("\ntags:\n  - a\n  - b\n"));
    let single = Document::parse("---\nsource_repo: 'it''s here' # yes\n---\n").expect("a document");
    assert_eq!(single.front.source_repo, "it's here");
}

#[test]
fn what_is_not_understood_is_named_with_its_line() {
    for (text, line) in [
        ("---\nsource_repo: \"a\n---\n", 2),
        ("---\na: b\nno key\n---\n", 3),
        ("---\ncomplete: maybe\n---\n", 2),
        ("---\nsource_repo: a\ncitations:\n  - {path: a}\n---\n", 4),
        ("---\nsource_repo: !!python/object a\n---\n", 2),
        ("---\nsource_repo: a\nsource_repo: b\n---\n", 3),
        ("---\nsource_repo: a\n\"source\\u005frepo\": b\n---\n", 3),
        ("---\nsource_repo: a\n'source_repo': b\n---\n", 3),
        ("---\ntags: a\nmore: b\ntags: c\n---\n", 4),
        ("---\nsource_repo:\n  - a\n---\n", 2),
        ("---\na: b\n--- c: d\n---\n", 3),
        ("---\na: b\n... c: d\n---\n", 3),
        ("---\na: b\u{2028}source_repo: c\n---\n", 2),
        ("---\na: b\u{85}source_repo: c\n---\n", 2),
        ("---\na: b\rsource_repo: c\n---\n", 2),
        ("---\n? a\n: b\n---\n", 2),
    ] {
        match Document::parse(text) {
            Err(DocumentError::Malformed { line: found, .. }) => assert_eq!(found, line, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(matches!(Document::parse("# a\n"), Err(DocumentError::NoFrontMatter)));
    assert!(matches!(Document::parse("---\na: b\n"), Err(DocumentError::Unclosed)));
}

proptest! {
    #[test]
    fn any_string_comes_back(question in any::<String>(), source in any::<String>(), reason in any::<Option<String>>()) {
        let front = FrontMatter { scope_question: question, source_repo: source, incomplete: reason, ..FrontMatter::default() };
        let document = Document { front, body: "text".to_owned() };
        let text = document.render();
        // No generated string ends the front matter early or adds a key to it.
        prop_assert_eq!(text.lines().position(|line| line == "text"), text.lines().count().checked_sub(1));
        prop_assert_eq!(Document::parse(&text).expect("its own text").front, document.front);
    }

    #[test]
    fn a_slug_is_one_safe_name(question in any::<String>()) {
        let name = document_file_name(&question, Timestamp::from_unix_seconds(0));
        prop_assert!(name.len() < 200 && name.starts_with("scope-") && name.ends_with("-000000.md"));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
        prop_assert!(name.chars().all(plain), "{}", name);
        let folder = repository_folder_name(&question);
        prop_assert!(!folder.is_empty() && folder.len() <= 101 && !folder.starts_with('.') && !folder.contains(['/', '\\', ':']));
    }

    #[test]
    fn a_section_is_what_was_set(text in "[a-z #>`\n-]{0,80}", body in "[a-z #`\n]{0,120}") {
        let mut document = Document { body, ..Document::default() };
        document.set_section("One", "first");
        document.set_section("Two", "second");
        document.set_section("One", "again");
        prop_assert_eq!(document.section_text("one"), Some("again"));
        prop_assert_eq!(document.section_text("Two"), Some("second"));
        // The heading after a section starts a new section, even if the section's text leaves a Markdown block open.
        document.set_section("One", &text);
        document.set_section("Three", "third");
        prop_assert_eq!(document.section_text("Three"), Some("third"), "{:?}", document.body);
    }
}

#[test]
fn slugs_keep_every_script() {
    assert_eq!(file_name_slug_of_question("How does authentication work?"), "how-does-authentication-work");
    assert_eq!(file_name_slug_of_question("Wie läuft die Übergabe?"), "wie-läuft-die-übergabe");
    assert_eq!(file_name_slug_of_question("認証はどう動く？"), "認証はどう動く");
    assert_eq!(file_name_slug_of_question("../../etc/passwd\u{202E}"), "etc-passwd");
    assert_eq!(file_name_slug_of_question("?!"), "question");
    assert!(file_name_slug_of_question(&"認".repeat(300)).len() <= 150);
    assert_eq!(file_name_slug_of_question(&"word ".repeat(40)), ["word"; 12].join("-"));
}

#[test]
fn cleaning_a_clean_text_changes_nothing() {
    for (text, clean) in [
        ("```\n\nA test", "A test"),
        ("---\nsource_repo: /etc\n---\n\0```\n\nA test", "A test"),
        ("a\n\n```\nb", "a\n\n```\nb\n```"),
    ] {
        assert_eq!(clean_model_text(text), clean, "{text:?}");
        assert_eq!(clean_model_text(clean), clean, "{text:?}");
    }
}

#[test]
fn a_model_s_text_loses_what_is_not_its_to_say() {
    for text in [
        "---\nsource_repo: /etc\ncomplete: true\n---\n\n## Summary\n\nA.\n",
        "```markdown\n---\nsource_repo: /etc\n---\n## Summary\n\nA.\n```\n",
        "```\n## Summary\n\nA.\n```",
        "## Summary\n\nA. ⚠ unverified: nothing at all\n",
        "\u{FEFF}## Summary\n\nA.\u{7}\u{1b}\n",
    ] {
        assert_eq!(clean_model_text(text), "## Summary\n\nA.", "{text:?}");
    }
    let own_blocks = "```rust\nlet a = 1;\n```\n\ntext\n\n```\nb\n```";
    assert_eq!(clean_model_text(own_blocks), own_blocks);
    assert_eq!(clean_model_text("---\n\nA rule above.\n\n---\n\nB"), "---\n\nA rule above.\n\n---\n\nB");
    // A front matter block inside the body stays part of the body.
    let document = Document::from_model_text(FrontMatter::default(), "text\n\n---\nsource_repo: /etc\n---\n");
    assert_eq!(Document::parse(&document.render()).expect("a document").front.source_repo, "");
}

#[test]
fn sections_end_at_their_like() {
    let mut document = document();
    document.body =
        "intro\n\n## A\n\n### Inner\n\ntext\n\n```\n## no heading\n```\n\n> ## quoted\n\n## B\nb\n# C\nc\n".to_owned();
    let names: Vec<String> = document.sections().into_iter().map(|section| section.heading).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(document.section_text("B"), Some("b"));
    document.set_section("A", "new");
    document.set_section("D", "d");
    document.set_section("B", "");
    assert_eq!(document.body, "intro\n\n## A\n\nnew\n\n# C\nc\n\n## D\n\nd\n");
}

#[test]
fn a_partial_document_says_so() {
    let mut document = document();
    document.front.incomplete = None;
    document.set_section(OPEN_QUESTIONS, "- What of caching?");
    document.mark_incomplete("the ceiling of 30,000 tokens was reached", &["Where is\nit  stored?".to_owned()]);
    let text = document.render();
    assert!(
        text.contains("complete: false\nincomplete_reason: \"the ceiling of 30,000 tokens was reached\"\n"),
        "{text}"
    );
    assert_eq!(
        document.section_text(OPEN_QUESTIONS),
        Some(
            "- What of caching?\n\nThis document is not complete: the ceiling of 30,000 tokens was reached.\n\n- Where is it stored?"
        )
    );
}

#[test]
fn documents_are_written_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = document_file_name("How?", Timestamp::from_unix_seconds(1_737_556_222));
    let first = create_document_in_contexts_folder(folder.path(), "../app", &name, &document()).expect("written");
    let second = create_document_in_contexts_folder(folder.path(), "../app", &name, &document()).expect("written");
    let root = dunce::canonicalize(folder.path()).expect("a folder");
    assert_eq!(first, root.join("contexts/app/scope-how-143022.md"));
    assert_eq!(second, root.join("contexts/app/scope-how-143022-2.md"));
    assert!(matches!(create_document_at_path(&first, &document()), Err(DocumentError::Exists(_))));
    let mut next = document();
    next.body = "next".to_owned();
    replace_document_file(&first, &document().render(), &next).expect("replaced");
    assert_eq!(fs::read_to_string(&first).expect("a file"), next.render());
    // The text from which a new version was made is not there any more.
    let edited = replace_document_file(&first, &document().render(), &document());
    assert!(matches!(edited, Err(DocumentError::Changed(_))), "{edited:?}");
    assert_eq!(fs::read_to_string(&first).expect("a file"), next.render());
    // No temporary file is left in the folder of the written documents.
    assert_eq!(fs::read_dir(root.join("contexts/app")).expect("a folder").count(), 2);
}

#[cfg(unix)]
#[test]
fn no_link_leads_a_document_out() {
    let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    std::os::unix::fs::symlink(outside.path(), folder.path().join("contexts")).expect("a link");
    let written = create_document_in_contexts_folder(folder.path(), "app", "scope-a.md", &document());
    assert!(matches!(written, Err(DocumentError::LeadsOut { .. })), "{written:?}");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    let link = folder.path().join("link.md");
    std::os::unix::fs::symlink(outside.path().join("target.md"), &link).expect("a link");
    assert!(matches!(create_document_at_path(&link, &document()), Err(DocumentError::Exists(_))));
    assert!(matches!(replace_document_file(&link, "", &document()), Err(DocumentError::Io { .. })));
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
}

/// Generates strings that could break out of a YAML value: line breaks of all YAML readers, quotes, keys, horizontal
/// rules and comments.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "\nsource_repo: \"git@evil.example:x\"\n",
            "\n---\n",
            "\n...\n",
            "\u{2028}",
            "\u{2029}",
            "\u{85}",
            "\r",
            "\r\n",
            "\u{0}",
            "\u{1b}[31m",
            "\u{7f}",
            "\u{FEFF}",
            "\u{FFFE}",
            "\u{1F600}",
            ": ",
            " #",
            "\"",
            "'",
            "\\",
            "{",
            "}",
            "- ",
            "&a",
            "*a",
            "!!int",
            "~",
            "true",
            "012",
            "12",
            "1e3",
            "source_repo",
            "notes.md",
            "-->",
            "--!>",
            "<!--",
            "\n<!-- peelback citations 1 sum=0\n",
            " ",
            "",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..4).prop_map(|parts| parts.concat())
}

fn any_entry() -> impl Strategy<Value = CitationEntry> {
    let texts = (hostile(), prop::option::of(hostile()), hostile(), prop::option::of(hostile()), hostile());
    (texts, prop::option::of((1..9u32, 0..9u32))).prop_map(|((path, symbol, description, hash, file_hash), lines)| {
        CitationEntry {
            path,
            lines: lines.map(|(first, more)| Lines { first, last: first + more }),
            symbol,
            description,
            hash,
            file_hash,
        }
    })
}

fn any_front() -> impl Strategy<Value = FrontMatter> {
    let filled = |text: String| Some(text).filter(|text| !text.is_empty());
    (
        (hostile(), hostile(), hostile(), hostile(), hostile(), hostile(), prop::option::of(hostile())),
        (any::<u32>(), prop::option::of(any::<u64>()), prop::option::of(any::<u64>()), prop::option::of(0..90_000u32)),
        prop::option::of(hostile()),
        prop::collection::vec(any_entry(), 0..3),
        prop::collection::vec((hostile(), hostile()), 0..5),
    )
        .prop_map(move |(texts, numbers, left_out, citations, other)| {
            let (source_repo, scope_question, scan_date, model_used, mode, commit, incomplete) = texts;
            let (files_analyzed, input_tokens, output_tokens, cost) = numbers;
            FrontMatter {
                source_repo,
                scope_question,
                scan_date,
                model_used,
                mode: filled(mode),
                files_analyzed,
                commit: filled(commit),
                input_tokens,
                output_tokens,
                cost_usd: cost.map(|cost| f64::from(cost) / 10_000.0),
                possibly_billed_tokens: input_tokens,
                ceiling: left_out.clone(),
                incomplete,
                left_out,
                citations,
                other,
                kept: Vec::new(),
            }
        })
}

/// Parses a document's front matter with an independent YAML reader. Returns the keys in order, each with its value if
/// the value is a string.
fn read_by_another(text: &str) -> Vec<(String, Option<String>)> {
    use yaml_rust2::{Yaml, YamlLoader};
    let end = text.find("\n---\n").expect("an end");
    let read = YamlLoader::load_from_str(&text[..=end]).unwrap_or_else(|error| panic!("{error}: {text}"));
    let [Yaml::Hash(map)] = read.as_slice() else { panic!("no mapping: {text}") };
    map.iter()
        .map(|(key, value)| {
            let value = match value {
                Yaml::Integer(number) => Some(number.to_string()),
                value => value.as_str().map(str::to_owned),
            };
            (key.as_str().unwrap_or_else(|| panic!("the key {key:?} is no text: {text}")).to_owned(), value)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn front_matter_is_yaml_whatever_it_holds(front in any_front()) {
        let document = Document { front, body: "text".to_owned() };
        let text = document.render();
        let mut expected = document.front;
        let own = ["source_repo"];
        let mut last: Vec<(String, String)> = Vec::new();
        for (index, (key, value)) in expected.other.iter().enumerate() {
            let again = expected.other.iter().skip(index + 1).any(|(later, _)| later == key);
            if !own.contains(&key.as_str()) && !again {
                last.push((key.clone(), value.clone()));
            }
        }
        expected.other = last;
        let read = Document::parse(&text).expect("its own text");
        prop_assert_eq!(&read.front, &expected, "{}", text);
        prop_assert_eq!(read.render(), text.clone());
        let found = read_by_another(&text);
        let value = |key: &str| found.iter().find(|(found, _)| found == key).and_then(|(_, value)| value.clone());
        prop_assert_eq!(value("source_repo"), Some(expected.source_repo));
        prop_assert_eq!(value("scope_question"), Some(expected.scope_question));
        prop_assert_eq!(value("incomplete_reason"), expected.incomplete);
        prop_assert_eq!(value("left_out"), expected.left_out);
        for (key, text) in expected.other {
            prop_assert_eq!(value(&key), Some(text));
        }
    }
}

/// Regression test: a file name with line breaks became a key of the front matter, and thus determined which repository
/// was cloned.
#[test]
fn no_value_becomes_a_key() {
    let mut document = document();
    let name = "notes\nsource_repo: \"git@evil.example:x\"\nz: .md".to_owned();
    document.front.other.push(("not_shown_to_model".to_owned(), name.clone()));
    document.front.other.push(("source_repo".to_owned(), "/elsewhere".to_owned()));
    let text = document.render();
    let front = &text[..text.find("\n---\n").expect("an end")];
    assert_eq!(front.lines().filter(|line| line.contains("source_repo")).count(), 2, "{text}");
    let read = Document::parse(&text).expect("its own text");
    assert_eq!(read.front.source_repo, "/srv/app");
    assert!(read.front.other.contains(&("not_shown_to_model".to_owned(), name)));
    // If a key is pushed twice, as when a document is refreshed, the front matter contains the key once, with the last
    // value.
    let mut again = read;
    again.front.other.push(("count".to_owned(), "13".to_owned()));
    let text = again.render();
    assert_eq!(text.matches("\ncount: 13\n").count(), 1, "{text}");
    assert_eq!(text.matches("\ncount:").count(), 1, "{text}");
}

#[test]
fn why_it_is_not_complete_is_one_plain_line() {
    let mut document = Document { body: "## Summary\n\ntext\n\n```rust\nlet a".to_owned(), ..Document::default() };
    let reason =
        "HTTP 500: <html>\r\n## Summary\n\n```\n\u{1b}[31mred\nsource_repo: /etc".to_owned() + &"x".repeat(900);
    let open = ["# Really?\n\n## Code References\n- `a.rs:1`".to_owned(), "```".to_owned(), " \n ".to_owned()];
    document.mark_incomplete(&reason, &open);
    let said = document.front.incomplete.clone().expect("a reason");
    assert!(said.starts_with("HTTP 500: <html> ## Summary ``` red source_repo: /etcx"), "{said}");
    assert!(said.chars().count() <= MAX_REASON_CHARS && !said.contains(['\n', '\u{1b}']));
    let names: Vec<String> = document.sections().into_iter().map(|section| section.heading).collect();
    assert_eq!(names, ["Summary", "Open Questions"], "{}", document.body);
    assert_eq!(document.section_text("Summary"), Some("text\n\n```rust\nlet a\n```"));
    let open = document.section_text(OPEN_QUESTIONS).expect("a section");
    assert!(open.starts_with("This document is not complete: HTTP 500: \\<html> ## Summary \\`\\`\\` red"), "{open}");
    assert!(open.ends_with("\n\n- \\# Really? ## Code References - `a.rs:1`\n- \\`\\`\\`"), "{open}");
    assert_eq!(Document::parse(&document.render()).expect("its own text").front.incomplete, Some(said));
}

#[test]
fn a_reply_that_was_cut_takes_in_nothing() {
    for (text, cleaned) in [
        ("## Summary\n\n```rust\nfn a() {", "## Summary\n\n```rust\nfn a() {\n```"),
        ("## Summary\n\n~~~~\n```\n~~~", "## Summary\n\n~~~~\n```\n~~~\n~~~~"),
        ("## Summary\n\n`````\n````", "## Summary\n\n`````\n````\n`````"),
        ("```markdown\n## Summary\n\n```rust\nlet a;\n```\n\ntext", "## Summary\n\n```rust\nlet a;\n```\n\ntext"),
        ("## Summary\n\n<!-- a", "## Summary\n\n<!-- a\n-->"),
        ("## Summary\n\n\u{1b}[1mbold\u{1b}[0m \u{9b}2Jx\r\n", "## Summary\n\nbold x"),
    ] {
        let mut document = Document::from_model_text(FrontMatter::default(), text);
        assert_eq!(document.body, cleaned);
        document.set_section("Key Files", "- a\n\n```\nb");
        document.set_section(CODE_REFERENCES, "- \u{1b}[31mc");
        let names: Vec<String> = document.sections().into_iter().map(|section| section.heading).collect();
        assert_eq!(names, ["Summary", "Key Files", "Code References"], "{}", document.body);
        assert_eq!(document.section_text(CODE_REFERENCES), Some("- c"));
    }
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing");
    let error = create_document_at_path(&missing.join("a.md"), &document()).expect_err("no folder");
    assert_eq!(
        error.to_string(),
        format!("the folder {} does not exist: create it, or choose another", missing.display())
    );
    assert!(matches!(create_document_in_folder(&missing, "a.md", &document()), Err(DocumentError::NoFolder(_))));
}

#[test]
fn a_comment_of_a_model_is_shown_as_text() {
    let stored = "<!-- peelback citations 1 sum=0000\nx\n-->";
    let text = format!("## Summary\n\nA <!-- peelback citations --> word, and `<!-- peelback -->`.\n\n{stored}");
    let document = Document::from_model_text(FrontMatter::default(), &text);
    assert!(
        document.body.contains("A &lt;!-- peelback citations --> word, and `<!-- peelback -->`."),
        "{}",
        document.body
    );
    assert!(document.body.contains("\n&lt;!-- peelback citations 1 sum=0000\n"), "{}", document.body);
    assert!(!stored_citations::has_comment_beginning(&document.body));
    assert_eq!(clean_model_text(&document.body), document.body.trim());
}

#[test]
fn a_secret_that_the_text_shows_is_masked_in_the_stored_citations() {
    let secret = ["aB3dE6g", "H9jK2mN", "5pQ8rS"].concat();
    let mut document = document();
    document.front.citations[0].path = format!("src/{secret}.py");
    document.body = format!("## Summary\n\npassword = \"{secret}\"\n");
    let text = document.render();
    assert!(!text.contains(&secret) && text.contains("<!-- peelback citations "), "{text}");
}
