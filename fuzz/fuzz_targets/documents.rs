//! Documents: their front matter and sections, and their citations.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use peelback_agent::citations::{check_and_repair_citations, find_citations};
use peelback_agent::document::{Document, clean_model_text};
use peelback_code::{CodeAccess, FactsStore, Project};

use crate::fixtures;
use crate::input::{Input, is_sampled, joined};

pub fn front_matter_seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        "---\nsource_repo: /path/to/repo\nscope_question: \"how does authentication work\"\nscan_date: 2025-01-22T10:30:00Z\nmodel_used: anthropic/x\nmode: pipeline\nfiles_analyzed: 8\ncommit: 0123456789abcdef0123456789abcdef01234567\ninput_tokens: 12\noutput_tokens: 3\ncost_usd: 0.0125\ncomplete: false\nincomplete_reason: \"the budget\"\ncitations:\n  - {\"path\": \"src/a.rs\", \"lines\": \"10-40\", \"symbol\": \"A.b\", \"hash\": \"0123456789abcdef\", \"file\": \"fedcba9876543210\", \"description\": \"It \\\"does\\\"\"}\n---\n\n## Summary\n\nText.\n".to_owned(),
        "---\r\nsource_repo: 'it''s here' # yes\r\ntags:\r\n  - a\r\n  - b\r\nmore: [a, b]\r\ncount: 12\r\ntext: |\r\n  lines\r\n  of it\r\n# a remark\r\n---\r\n\r\n## Summary\r\n".to_owned(),
        "---\n\"source\\u005frepo\": a\nnull: ~\ndate: 2020-01-01\nyes: no\n'a b': \"\\x41\\n\"\n...\n".to_owned(),
        "## One\n\n```rust\nfn a() {}\n\n## Two\n\n- `x`\n<!-- a -->\n".to_owned(),
    ];
    seeds.extend(fixtures::documents().into_iter().map(|text| text.chars().take(2_000).collect()));
    seeds.into_iter().map(String::into_bytes).collect()
}

pub fn run_front_matter(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    match Document::parse(&text) {
        Ok(document) => {
            let written = document.render();
            let read = Document::parse(&written).unwrap_or_else(|error| panic!("{text:?} as {written:?}: {error}"));
            assert_eq!(read.render(), written, "{text:?}");
            let (mut front, mut again) = (document.front.clone(), read.front.clone());
            // A price has four digits; values are written before those that are kept as they were.
            (front.cost_usd, again.cost_usd) = (None, None);
            if !is_masked(&written) {
                assert_eq!(front, again, "{text:?} as {written:?}");
                assert_eq!(document.body.trim(), read.body.trim(), "{text:?}");
            }
        }
        Err(error) => assert!(!error.to_string().contains('\n'), "{error:?}"),
    }
    // Any text can be a model's.
    let clean = clean_model_text(&text);
    assert_eq!(clean, clean_model_text(&clean), "{text:?}");
    let (heading, body) = text.split_once('\n').unwrap_or((&text, ""));
    let mut document = Document::from_model_text(peelback_agent::document::FrontMatter::default(), body);
    document.mark_incomplete(heading, &[body.to_owned()]);
    document.set_section("Added", "added");
    assert_eq!(document.section_text("Added"), Some("added"), "{text:?}");
    let written = document.render();
    let read = Document::parse(&written).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert!(is_masked(&written) || read.front == document.front, "{text:?}");
}

/// Whether something in a document was masked when it was written, so that reading it gives other values.
fn is_masked(written: &str) -> bool {
    written.contains("[masked]")
}

/// The project that citations are of. It does not change.
static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("cited");
    for (language, folder) in [("python", "app"), ("rust", "src"), ("typescript", "web"), ("markdown", "docs")] {
        for (path, text) in fixtures::language_files(language) {
            fixtures::write_file(&root, &format!("{folder}/{path}"), text);
        }
    }
    root
});

static ACCESS: LazyLock<CodeAccess> = LazyLock::new(|| {
    let project = Project::discover_with_working_folder(&ROOT, Some(&ROOT), None).expect("a project");
    CodeAccess::new(project).with_facts_store(Arc::new(FactsStore::default().for_long_lived_process()))
});

pub fn citation_seeds() -> Vec<Vec<u8>> {
    [
        "The area is in `src/shapes.rs:10-20`, see `Shape` (src/shapes.rs:3).\n",
        "- [`area`](src/shapes.rs#L10-L40) does it\n- app/modern.py (lines 3-9)\n",
        "| file | what |\n| --- | --- |\n| `web/types.ts:1` | **Shape** |\n",
        "`src/shapes.rs:Shape.area` *(unverified)* and src/nothing.rs:99-98.\n",
        "```\nsrc/shapes.rs:1\n```\n\n## Code References\n\n- `docs/guide.md:1-3`: *the guide*\n",
        "<https://host/src/shapes.rs:10> [a]: app/modern.py#L3 \"title\"\n\n![x](web/types.ts)\n",
        "\\`src/shapes.rs\\_x:1\\` &amp; **`app/shapes.py`:3–5**, lines 7 to 9 of `app/stubs.pyi`\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into_iter()
    .chain(fixtures::documents().into_iter().map(|text| text.into_bytes().into_iter().take(3_000).collect()))
    // The first byte says that the citations are checked.
    .map(|text| joined(&[&[0], text.as_slice()]))
    .collect()
}

pub fn run_citations(data: &[u8]) {
    let mut input = Input(data);
    let is_checked = input.byte().is_multiple_of(4);
    let text = clean_model_text(&input.rest_as_text());
    let found = find_citations(&text);
    for citation in &found {
        assert!(!citation.path.is_empty(), "{citation:?}");
        assert!(!citation.path.chars().any(char::is_control), "{citation:?}");
    }
    if !is_checked {
        return;
    }
    let checked = check_and_repair_citations(&text, &ACCESS);
    // Where markup is glued to a path, a mark changes how the text around it is read.
    if !text.contains(['`', '*', '_', '[', ']', '<', '|', '~', '\\']) {
        let again = check_and_repair_citations(&checked.text, &ACCESS);
        assert_eq!(again.text, checked.text, "checked again: {text:?}");
    }
    for entry in checked.citation_entries_for_front_matter() {
        assert!(ROOT.join(&entry.path).is_file() && !entry.path.starts_with('/'), "{entry:?}");
        if let Some(lines) = entry.lines {
            let count = ACCESS.read_file(&entry.path).expect("a file").line_count();
            assert!(1 <= lines.first && lines.first <= lines.last && lines.last <= count, "{entry:?} of {count}");
        }
    }
    let mut document = Document { body: checked.text.clone(), ..Document::default() };
    document.front.citations = checked.citation_entries_for_front_matter();
    let written = document.render();
    let read = Document::parse(&written).expect("its own text");
    assert!(is_masked(&written) || read.front.citations == document.front.citations, "{text:?}");
    if is_sampled(data, 16) {
        assert_eq!(checked.text, check_and_repair_citations(&text, &ACCESS).text);
    }
}
