use std::fs;

use peelback_code::syntax::Lines;
use proptest::prelude::*;

use super::*;

fn entry(path: &str) -> Entry {
    Entry {
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
        scan_date: Stamp::from_unix(1_737_541_800).rfc3339(),
        model_used: "none".to_owned(),
        mode: Some("pipeline".to_owned()),
        files_analyzed: 8,
        commit: Some("a".repeat(40)),
        input_tokens: Some(1200),
        output_tokens: Some(300),
        cost_usd: Some(0.0125),
        incomplete: Some("the budget was reached".to_owned()),
        citations: vec![entry("src/a.rs"), Entry { lines: None, hash: None, symbol: None, ..entry("src/b.rs") }],
        other: vec![("tags".to_owned(), "[a, b]".to_owned())],
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
    assert_eq!(document.front.other, [("tags".to_owned(), "\n  - a\n  - b".to_owned())]);
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
        // No string can end the front matter or add a key.
        prop_assert_eq!(text.lines().position(|line| line == "text"), text.lines().count().checked_sub(1));
        prop_assert_eq!(Document::parse(&text).expect("its own text").front, document.front);
    }

    #[test]
    fn a_slug_is_one_safe_name(question in any::<String>()) {
        let name = file_name(&question, Stamp::from_unix(0));
        prop_assert!(name.len() < 200 && name.starts_with("scope-") && name.ends_with("-000000.md"));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.');
        prop_assert!(name.chars().all(plain), "{}", name);
        let folder = folder_name(&question);
        prop_assert!(!folder.is_empty() && folder.len() <= 101 && !folder.starts_with('.') && !folder.contains(['/', '\\', ':']));
    }

    #[test]
    fn a_section_is_what_was_set(text in "[a-z #>`\n-]{0,80}", body in "[a-z #`\n]{0,120}") {
        let mut document = Document { body, ..Document::default() };
        document.set_section("One", "first");
        document.set_section("Two", "second");
        document.set_section("One", "again");
        // An open fence takes in all that follows it, headings too.
        if !document.body.contains("```") && !text.contains('`') {
            prop_assert_eq!(document.section("one"), Some("again"));
            prop_assert_eq!(document.section("Two"), Some("second"));
        }
    }
}

#[test]
fn slugs_keep_every_script() {
    assert_eq!(slug("How does authentication work?"), "how-does-authentication-work");
    assert_eq!(slug("Wie läuft die Übergabe?"), "wie-läuft-die-übergabe");
    assert_eq!(slug("認証はどう動く？"), "認証はどう動く");
    assert_eq!(slug("../../etc/passwd\u{202E}"), "etc-passwd");
    assert_eq!(slug("?!"), "question");
    assert!(slug(&"認".repeat(300)).len() <= 150);
    assert_eq!(slug(&"word ".repeat(40)), ["word"; 12].join("-"));
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
        assert_eq!(clean(text), "## Summary\n\nA.", "{text:?}");
    }
    let own_blocks = "```rust\nlet a = 1;\n```\n\ntext\n\n```\nb\n```";
    assert_eq!(clean(own_blocks), own_blocks);
    assert_eq!(clean("---\n\nA rule above.\n\n---\n\nB"), "---\n\nA rule above.\n\n---\n\nB");
    // What stands in the body cannot become front matter.
    let document = Document::of_model(FrontMatter::default(), "text\n\n---\nsource_repo: /etc\n---\n");
    assert_eq!(Document::parse(&document.render()).expect("a document").front.source_repo, "");
}

#[test]
fn sections_end_at_their_like() {
    let mut document = document();
    document.body =
        "intro\n\n## A\n\n### Inner\n\ntext\n\n```\n## no heading\n```\n\n> ## quoted\n\n## B\nb\n# C\nc\n".to_owned();
    let names: Vec<String> = document.sections().into_iter().map(|section| section.heading).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(document.section("B"), Some("b"));
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
        document.section(OPEN_QUESTIONS),
        Some(
            "- What of caching?\n\nThis document is not complete: the ceiling of 30,000 tokens was reached.\n\n- Where is it stored?"
        )
    );
}

#[test]
fn documents_are_written_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = file_name("How?", Stamp::from_unix(1_737_556_222));
    let first = create_below(folder.path(), "../app", &name, &document()).expect("written");
    let second = create_below(folder.path(), "../app", &name, &document()).expect("written");
    let root = dunce::canonicalize(folder.path()).expect("a folder");
    assert_eq!(first, root.join("contexts/app/scope-how-143022.md"));
    assert_eq!(second, root.join("contexts/app/scope-how-143022-2.md"));
    assert!(matches!(create_at(&first, &document()), Err(DocumentError::Exists(_))));
    let mut next = document();
    next.body = "next".to_owned();
    replace(&first, &next).expect("replaced");
    assert_eq!(fs::read_to_string(&first).expect("a file"), next.render());
    // Nothing half written is left beside them.
    assert_eq!(fs::read_dir(root.join("contexts/app")).expect("a folder").count(), 2);
}

#[cfg(unix)]
#[test]
fn no_link_leads_a_document_out() {
    let (folder, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    std::os::unix::fs::symlink(outside.path(), folder.path().join("contexts")).expect("a link");
    let written = create_below(folder.path(), "app", "scope-a.md", &document());
    assert!(matches!(written, Err(DocumentError::LeadsOut { .. })), "{written:?}");
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    let link = folder.path().join("link.md");
    std::os::unix::fs::symlink(outside.path().join("target.md"), &link).expect("a link");
    assert!(matches!(create_at(&link, &document()), Err(DocumentError::Exists(_))));
    assert!(matches!(replace(&link, &document()), Err(DocumentError::Io { .. })));
    assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
}
