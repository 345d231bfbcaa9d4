//! Documents whose code changed: what is followed, written anew, marked, and what a later check says of it.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use peelback_agent::citations::{self, UNVERIFIED_MARK};
use peelback_agent::document::{Document, FrontMatter, Timestamp};
use peelback_agent::scope::{self, Origin, ScopeError, ScopeOptions};
use peelback_agent::stale::{self, Refreshed};
use peelback_code::{CodeAccess, Project};
use peelback_llm::{
    AssistantMessage, BudgetedModel, ChatError, ChatFuture, ChatModel, ChatReply, ChatRequest, Limits, Message, Prices,
    SkippingClock, StopReason, TextCallback, Usage,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;

/// What a model says, and why it ends; or its error.
type Line = Result<(String, StopReason), ChatError>;

/// A model that says one line after the other, and keeps what it was sent.
#[derive(Clone, Default)]
struct Scripted {
    lines: Arc<Mutex<VecDeque<Line>>>,
    sent: Arc<Mutex<Vec<ChatRequest>>>,
}

impl Scripted {
    fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self { lines: Arc::new(Mutex::new(lines.into_iter().collect())), sent: Arc::default() }
    }

    fn sent(&self) -> Vec<ChatRequest> {
        self.sent.lock().expect("the requests").clone()
    }

    fn budgeted(&self, max_total_tokens: Option<u64>) -> Arc<BudgetedModel> {
        let limits = Limits { max_input_tokens: u64::MAX, max_total_tokens, ..Limits::default() };
        let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
        Arc::new(
            BudgetedModel::new(Box::new(self.clone()), limits, &Prices::built_in(), rate_limiter).expect("a model"),
        )
    }
}

fn says(text: &str) -> Result<(String, StopReason), ChatError> {
    Ok((text.to_owned(), StopReason::End))
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted/model"
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, _: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move {
            self.sent.lock().expect("the requests").push(request.clone());
            let line = self.lines.lock().expect("the script").pop_front().expect("the script goes on");
            line.map(|(text, stop)| ChatReply {
                message: AssistantMessage { text, tool_calls: Vec::new(), opaque: None },
                stop,
                usage: Usage { input: 400, output: 100, ..Usage::default() },
                model: "model".to_owned(),
            })
        })
    }
}

/// A project of one file whose lines are all different.
fn project(lines: &[String]) -> TempDir {
    let folder = tempfile::Builder::new().prefix("peelback-refresh-").tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    write(folder.path(), lines);
    folder
}

fn write(folder: &Path, lines: &[String]) {
    std::fs::write(folder.join("shop.py"), lines.join("\n") + "\n").expect("a file");
}

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("price_{number} = {}", number * 7)).collect()
}

fn access(folder: &Path) -> CodeAccess {
    CodeAccess::new(Project::discover(Some(folder), None).expect("a project"))
}

fn options() -> ScopeOptions {
    let origin = Origin { source: "/shop".to_owned(), name: "shop".to_owned(), commit: None };
    ScopeOptions::new(origin, Timestamp::from_unix_seconds(1_800_000_000))
}

/// The document of a run with a ceiling, in which one section is stale.
fn paid_and_stale(folder: &Path) -> Document {
    let mut before = document("## Flow\n\nThe third is it (`shop.py:3-4`).\n", folder);
    before.front.input_tokens = Some(1_000);
    before.front.output_tokens = Some(200);
    before.front.ceiling = Some("$2.00".to_owned());
    let mut lines = numbered(9);
    lines[2] = "changed = 1".to_owned();
    write(folder, &lines);
    before
}

/// A document as scope leaves it, whose citations all hold.
fn document(body: &str, folder: &Path) -> Document {
    let checked = citations::check_and_repair_citations(body, &access(folder));
    assert!(!checked.text.contains(UNVERIFIED_MARK), "the fixture holds: {}", checked.text);
    let entries = checked.citation_entries_for_front_matter();
    let front = FrontMatter {
        source_repo: "/shop".to_owned(),
        scope_question: "How are prices made?".to_owned(),
        model_used: "scripted/first".to_owned(),
        mode: Some("pipeline".to_owned()),
        citations: entries.clone(),
        ..FrontMatter::default()
    };
    let mut document = Document { front, body: checked.text };
    document.set_section("Code References", &citations::format_code_reference_list(&entries));
    // As it is read back from its file.
    Document::parse(&document.render()).expect("a document")
}

fn run(document: &Document, folder: &Path, model: Option<&Arc<BudgetedModel>>) -> Result<Refreshed, ScopeError> {
    let access = access(folder);
    let stale = stale::check_citation_staleness(document, &access);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(stale::refresh_document(document, &stale, &access, model, &options()))
}

fn refresh(document: &Document, folder: &Path, model: Option<&Arc<BudgetedModel>>) -> Refreshed {
    let refreshed = run(document, folder, model).expect("a refresh");
    let reread = Document::parse(&refreshed.document.render()).expect("a document");
    assert_eq!(reread.front, refreshed.document.front, "it is read back as it was written");
    refreshed
}

fn states(document: &Document, folder: &Path) -> Vec<(String, &'static str)> {
    stale::check_citation_staleness(document, &access(folder))
        .citation_status_rows()
        .into_iter()
        .map(|row| (row.citation, row.state))
        .collect()
}

/// The number of marked citations that a document says it has.
fn noted(document: &Document) -> Option<&str> {
    let parts = document.front.incomplete.as_deref()?.split("; ");
    let said = parts.filter_map(|part| part.strip_suffix(" could not be verified")).next()?;
    said.split(' ').next()
}

/// The lines of `shop.py` with `change` made to them.
fn edited(folder: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let text = std::fs::read_to_string(folder.join("shop.py")).expect("the file");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    write(folder, &lines);
}

fn insert_above(folder: &Path, count: usize) {
    edited(folder, |lines| drop(lines.splice(0..0, (0..count).map(|number| format!("added_{number} = 0")))));
}

const CHAIN: &str = "## Summary\n\nFirst `shop.py:1-4`, then [this](shop.py#L6-L9), shop.py lines 11-14 and \
                     shop.py:16, at last `shop.py:17-18,20`.\n\n```sh\nsed -n 1,4p shop.py:1-4\n```\n";

#[test]
fn lines_that_moved_to_where_others_were_are_told_apart() {
    let folder = project(&numbered(40));
    let before = document(CHAIN, folder.path());
    insert_above(folder.path(), 5);
    let refreshed = refresh(&before, folder.path(), None);
    let summary = refreshed.document.section_text("Summary").expect("a summary");
    assert_eq!(
        summary,
        "First `shop.py:6-9`, then [this](shop.py#L11-L14), shop.py lines 16-19 and shop.py:21, at last \
         `shop.py:22-23,25`.\n\n```sh\nsed -n 1,4p shop.py:1-4\n```"
    );
    assert!(states(&refreshed.document, folder.path()).iter().all(|(_, state)| *state == "unchanged"));
    assert_eq!((refreshed.left.len(), refreshed.failed.as_deref(), noted(&refreshed.document)), (0, None, None));
    let list = refreshed.document.section_text("Code References").expect("the list");
    assert!(list.contains("`shop.py:6-9`") && !list.contains("`shop.py:1-4`"), "{list}");
    assert!(!refresh(&refreshed.document, folder.path(), None).is_changed);
}

#[test]
fn a_renamed_file_is_followed_wherever_it_is_cited() {
    let folder = project(&numbered(20));
    let before = document("## Summary\n\nIn `shop.py:1-4` and `shop.py:6,8`, see [it](shop.py#L9).\n", folder.path());
    std::fs::rename(folder.path().join("shop.py"), folder.path().join("store.py")).expect("a move");
    let refreshed = refresh(&before, folder.path(), None);
    let summary = refreshed.document.section_text("Summary").expect("a summary");
    assert_eq!(summary, "In `store.py:1-4` and `store.py:6,8`, see [it](store.py#L9).");
}

#[test]
fn without_a_model_what_changed_is_marked_once_and_stays_stale() {
    let folder = project(&numbered(30));
    let body = "Before: `shop.py:6-9`.\n\n## Summary\n\nOne `shop.py:1-4`, two `shop.py:6-9`, bare shop.py:6-9, a \
                [link](shop.py#L6-L9), shop.py lines 6-9.\n\n## Key Files\n\n| `shop.py:6-9` | table |\n|---|---|\n";
    let before = document(body, folder.path());
    edited(folder.path(), |lines| lines[6] = "price_7 = free()".to_owned());
    let first = refresh(&before, folder.path(), None);
    let text = &first.document.body;
    assert_eq!(text.matches(UNVERIFIED_MARK).count(), 6, "{text}");
    for marked in ["`shop.py:6-9` (⚠", "bare shop.py:6-9 (⚠", "(shop.py#L6-L9) (⚠", "lines 6-9 (⚠"] {
        assert!(text.contains(marked), "{marked}: {text}");
    }
    assert!(text.contains("`shop.py:1-4`,"), "{text}");
    assert_eq!(noted(&first.document), Some("6"));
    assert_eq!(first.left, ["shop.py:6-9"]);
    assert!(!first.document.section_text("Code References").expect("the list").contains("6-9"));
    assert!(states(&first.document, folder.path()).contains(&("shop.py:6-9".to_owned(), "changed")));
    // Once more: nothing is left to do, and it still says so.
    let second = refresh(&first.document, folder.path(), None);
    assert!(!second.is_changed);
    assert_eq!(second.left, ["shop.py:6-9"]);
    // The old code is back: so is the document.
    write(folder.path(), &numbered(30));
    let third = refresh(&first.document, folder.path(), None);
    assert_eq!((third.document.body.matches(UNVERIFIED_MARK).count(), noted(&third.document)), (0, None));
    assert_eq!(third.document.section_text("Summary"), before.section_text("Summary"));
    std::fs::remove_file(folder.path().join("shop.py")).expect("a file");
    let gone = refresh(&before, folder.path(), None);
    assert!(states(&gone.document, folder.path()).iter().all(|(_, state)| *state == "gone"));
    assert!(gone.document.body.contains(&format!("`shop.py:1-4` ({UNVERIFIED_MARK} gone")), "{}", gone.document.body);
}

#[test]
fn lines_that_moved_to_where_outdated_ones_were_stay_apart_later() {
    let folder = project(&numbered(30));
    let before = document("## Summary\n\nOne `shop.py:1-4`, two `shop.py:6-9`.\n", folder.path());
    edited(folder.path(), |lines| lines[6] = "price_7 = free()".to_owned());
    insert_above(folder.path(), 5);
    let first = refresh(&before, folder.path(), None).document;
    let marked = format!("One `shop.py:6-9`, two `shop.py:6-9` ({UNVERIFIED_MARK} changed since this was written).");
    assert_eq!(first.section_text("Summary"), Some(marked.as_str()));
    insert_above(folder.path(), 2);
    let second = refresh(&first, folder.path(), None).document;
    let marked = format!("One `shop.py:8-11`, two `shop.py:6-9` ({UNVERIFIED_MARK} changed since this was written).");
    assert_eq!(second.section_text("Summary"), Some(marked.as_str()));
}

const TWO: &str = "Intro `shop.py:1-4`.\n\n## Flow\n\nFlow one `shop.py:6-9`.\n\n## Flow\n\nFlow two \
                   `shop.py:11-14` and `shop.py:21-22`.\n\n## Still\n\nAs it is `shop.py:26-27`.\n";

/// Lines 2, 7 and 12 changed, and five lines stand above all.
fn changed() -> (TempDir, Document) {
    let folder = project(&numbered(30));
    let before = document(TWO, folder.path());
    edited(folder.path(), |lines| {
        for at in [1, 6, 11] {
            lines[at] = format!("price_{} = free()", at + 1);
        }
    });
    insert_above(folder.path(), 5);
    (folder, before)
}

#[test]
fn sections_are_written_anew_each_by_itself() {
    let (folder, before) = changed();
    let model = Scripted::new([
        says("```markdown\nIntro anew `shop.py:6-9`.\n```"),
        says("## Flow\n\nOne anew `shop.py:11-14`.\n\n## Besides\n\n```sh\n## kept\n"),
        says("Two anew `shop.py:16-19` and `shop.py:26-27`, nowhere `shop.py:900`."),
    ]);
    let budgeted = model.budgeted(None);
    let refreshed = refresh(&before, folder.path(), Some(&budgeted));
    let body = &refreshed.document.body;
    let until = body.find("## Code References").expect("the list");
    assert_eq!(
        body[..until].trim(),
        format!(
            "Intro anew `shop.py:6-9`.\n\n## Flow\n\nOne anew `shop.py:11-14`.\n\n### Besides\n\n```sh\n## kept\n```\n\n\
             ## Flow\n\nTwo anew `shop.py:16-19` and `shop.py:26-27`, nowhere `shop.py:900` ({UNVERIFIED_MARK} the file has 35 \
             lines).\n\n## Still\n\nAs it is `shop.py:31-32`."
        )
    );
    assert_eq!((refreshed.failed.as_deref(), refreshed.left.len()), (None, 0));
    let front = &refreshed.document.front;
    assert_eq!(front.incomplete.as_deref(), Some("1 citation could not be verified"));
    assert_eq!((front.input_tokens, front.output_tokens), (Some(1200), Some(300)));
    assert!(states(&refreshed.document, folder.path()).iter().all(|(_, state)| *state == "unchanged"));
    let sent = model.sent();
    assert!(sent.iter().all(|request| !request.system.contains("## Summary")));
    let Message::User { text } = &sent[2].messages[0] else { panic!("a user's words") };
    assert!(text.contains("`shop.py:26-27`") && text.contains("price_12 = free()"), "moved, and the code: {text}");
    for part in ["of=\"the question\">\nHow are prices made?", "of=\"the heading\">\nFlow\n", "of=\"the section\">"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// What is left of the two sections after the first one.
fn only_intro_is_new(refreshed: &Refreshed, folder: &Path, reason: &str) {
    let body = &refreshed.document.body;
    assert!(body.contains("Intro anew `shop.py:6-9`."), "{body}");
    assert!(body.contains(&format!("Flow one `shop.py:6-9` ({UNVERIFIED_MARK} changed")), "{body}");
    assert!(
        body.contains(&format!(
            "`shop.py:11-14` ({UNVERIFIED_MARK} changed since this was written) and `shop.py:26-27`."
        ))
    );
    assert_eq!(noted(&refreshed.document), Some("2"));
    let left = ["shop.py:6-9", "shop.py:11-14"];
    assert_eq!(refreshed.left, left);
    let stale: Vec<String> = states(&refreshed.document, folder)
        .into_iter()
        .filter(|(_, state)| *state == "changed")
        .map(|(citation, _)| citation)
        .collect();
    assert_eq!(stale, left);
    let list = refreshed.document.section_text("Code References").expect("the list");
    assert_eq!(list.lines().count(), 3, "{list}");
    let incomplete = refreshed.document.front.incomplete.as_deref().expect("a reason");
    assert!(incomplete.starts_with("2 citations could not be verified; not renewed: Flow: "), "{incomplete}");
    assert!(incomplete.contains(reason), "{incomplete}");
    assert!(refreshed.failed.as_deref().is_some_and(|failed| failed.contains(reason)), "{:?}", refreshed.failed);
}

#[test]
fn what_was_paid_for_is_kept_whatever_comes_next() {
    let intro = || says("Intro anew `shop.py:6-9`.");
    let broken = || Err(ChatError::Connection { host: "here".to_owned(), reason: "it broke".to_owned() });
    let cut = || Ok(("Cut `shop.py:11-1".to_owned(), StopReason::Length));
    let refused = || Ok(("I will not.".to_owned(), StopReason::Refusal));
    let cases = [
        (vec![intro(), broken()], "it broke", 2),
        (vec![intro(), cut(), cut()], "cut at its limit", 3),
        (vec![intro(), refused(), says("  ")], "declined", 3),
    ];
    for (lines, reason, calls) in cases {
        let (folder, before) = changed();
        let model = Scripted::new(lines);
        let refreshed = refresh(&before, folder.path(), Some(&model.budgeted(None)));
        only_intro_is_new(&refreshed, folder.path(), reason);
        assert_eq!(model.sent().len(), calls, "{reason}");
        // The next run writes the rest, and says no more that something is missing.
        let next = Scripted::new([says("One `shop.py:11-14`."), says("Two `shop.py:16-19`.")]);
        let whole = refresh(&refreshed.document, folder.path(), Some(&next.budgeted(None)));
        assert_eq!((whole.document.front.incomplete.as_deref(), whole.left.len()), (None, 0));
        assert_eq!(noted(&whole.document), None, "{}", whole.document.body);
    }
}

#[test]
fn a_budget_leaves_what_it_does_not_allow_and_an_error_at_once_leaves_all() {
    let (folder, before) = changed();
    let model = Scripted::new([]);
    let refreshed = refresh(&before, folder.path(), Some(&model.budgeted(Some(1))));
    assert_eq!(model.sent().len(), 0);
    assert_eq!(refreshed.left.len(), 3);
    assert!(refreshed.failed.is_some() && refreshed.document.front.incomplete.is_some());
    assert!(refreshed.document.body.contains("`shop.py:31-32`"), "what moved is followed all the same");
    assert_eq!(refreshed.document.front.model_used, "scripted/first");
    let model = Scripted::new([Err(ChatError::Options("no key".to_owned()))]);
    let error = run(&before, folder.path(), Some(&model.budgeted(None))).expect_err("nothing was paid for");
    assert!(error.to_string().contains("no key"), "{error}");
}

#[test]
fn documents_with_listings_are_made_again_whole() {
    let folder = project(&numbered(30));
    let evidence =
        scope::write_document_without_model(&access(folder.path()), "price_3", &options()).expect("evidence");
    assert!(!evidence.front.citations.is_empty());
    insert_above(folder.path(), 3);
    let made = refresh(&evidence, folder.path(), None);
    let fresh = scope::write_document_without_model(&access(folder.path()), "price_3", &options()).expect("evidence");
    assert_eq!(made.document, fresh);
    assert!(made.done.iter().any(|line| line.contains("evidence was rebuilt")), "{:?}", made.done);

    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let context = |model: Option<&Arc<BudgetedModel>>| {
        runtime
            .block_on(scope::write_repository_context_document(&access(folder.path()), model, &options()))
            .expect("a document")
    };
    let mut plain = context(None);
    plain.front.other.push(("team".to_owned(), "\"till\"".to_owned()));
    let model =
        Scripted::new([says("Prices are in `shop.py:1-3`."), says("Anew."), Err(ChatError::Options("no".into()))]);
    let told = context(Some(&model.budgeted(None)));
    assert!(!plain.front.citations.is_empty() && told.body.contains("Prices are in"));
    edited(folder.path(), |lines| lines.insert(0, "import math".to_owned()));
    let made = refresh(&plain, folder.path(), None).document;
    assert_eq!(made.body, context(None).body);
    assert!(made.front.other.contains(&("team".to_owned(), "\"till\"".to_owned())), "keys of others stay");
    let made = refresh(&told, folder.path(), Some(&model.budgeted(None)));
    assert!(made.document.body.contains("Anew.") && made.failed.is_none(), "{}", made.document.body);
    // Without a model, or where it fails, the summary is not given up.
    let kept = refresh(&told, folder.path(), None);
    assert!(kept.document.body.contains("Prices are in") && kept.document.body.contains(UNVERIFIED_MARK));
    assert!(!kept.left.is_empty() && kept.done.iter().any(|line| line.contains("with a model")), "{:?}", kept.done);
    let failed = refresh(&told, folder.path(), Some(&model.budgeted(None)));
    assert!(failed.document.body.contains("Prices are in") && failed.failed.is_some());
}

#[test]
fn a_document_that_kept_no_contents_goes_on_to_say_what_is_wrong() {
    let folder = project(&numbered(10));
    let text = "---\nsource_repo: /shop\n---\n\n## Summary\n\nOne `shop.py:1-4`, none `shop.py:90`.\n";
    let before = Document::parse(text).expect("a document");
    let refreshed = refresh(&before, folder.path(), None);
    assert_eq!(noted(&refreshed.document), Some("1"));
    assert!(states(&refreshed.document, folder.path()).contains(&("shop.py:90".to_owned(), "wrong")));
    assert!(!refresh(&refreshed.document, folder.path(), None).is_changed);
}

#[test]
fn an_outlook_says_what_would_be_done() {
    let (folder, before) = changed();
    let code = access(folder.path());
    let stale = stale::check_citation_staleness(&before, &code);
    let with = stale::describe_planned_refresh(&before, &stale, &code, Some("scripted/model"));
    assert!(with.contains(&"shop.py:26-27 would become shop.py:31-32".to_owned()), "{with:?}");
    let anew = with.iter().filter(|line| line.contains("scripted/model would rewrite it, for 1 stale citation"));
    assert_eq!(anew.count(), 3, "{with:?}");
    let without = stale::describe_planned_refresh(&before, &stale, &code, None);
    assert!(without.contains(&"Flow: 1 stale citation would be marked".to_owned()), "{without:?}");
}

const LINES: usize = 40;

/// One citation in one of the forms that a text can have.
fn cited(form: u8, first: usize, last: usize) -> String {
    match form {
        0 => format!("`shop.py:{first}-{last}`"),
        1 => format!("shop.py:{first}-{last}"),
        2 => format!("[there](shop.py#L{first}-L{last})"),
        3 => format!("shop.py lines {first}-{last}"),
        _ => format!("**`shop.py:{first}`**"),
    }
}

/// The lines that each citation of a text leads to, `None` where it is marked.
fn led_to(body: &str, lines: &[String]) -> Vec<Option<Vec<String>>> {
    let list = body.find("## Code References").unwrap_or(body.len());
    let text = &body[..list];
    citations::find_citations(text)
        .into_iter()
        .zip(text.split("; ").map(|piece| piece.contains(UNVERIFIED_MARK)))
        .map(|(citation, is_marked)| {
            let (first, last) = citation.lines.expect("lines");
            (!is_marked).then(|| lines[first as usize - 1..last as usize].to_vec())
        })
        .collect()
}

#[test]
fn the_cost_of_several_runs_is_not_set_against_the_ceiling_of_one() {
    let folder = project(&numbered(9));
    let before = paid_and_stale(folder.path());
    assert!(before.render().contains("the ceiling was $2.00"), "{}", before.render());
    let model = Scripted::new([says("It is the third (`shop.py:3-4`).")]).budgeted(Some(100_000));
    let after = run(&before, folder.path(), Some(&model)).expect("a document").document;
    assert_eq!(after.front.input_tokens, Some(1_400), "of both runs");
    assert!(!after.render().contains("ceiling"), "{}", after.render());
    // The spending of one run alone has its ceiling.
    let folder = project(&numbered(9));
    let mut before = paid_and_stale(folder.path());
    (before.front.input_tokens, before.front.output_tokens, before.front.ceiling) = (None, None, None);
    let model = Scripted::new([says("It is the third (`shop.py:3-4`).")]).budgeted(Some(100_000));
    let after = run(&before, folder.path(), Some(&model)).expect("a document").document;
    assert!(after.render().contains("the ceiling was 100,000 tokens"), "{}", after.render());
}

#[test]
fn a_document_that_was_not_complete_for_no_told_reason_stays_so() {
    let folder = project(&numbered(9));
    let mut before = document("## Flow\n\nThe third is it (`shop.py:3-4`).\n", folder.path());
    before.front.incomplete = Some(String::new());
    let mut lines = numbered(9);
    lines[2] = "changed = 1".to_owned();
    write(folder.path(), &lines);
    // The first renewal adds a reason of its own, which the second takes away.
    let marked = run(&before, folder.path(), None).expect("a document").document;
    assert!(marked.front.incomplete.as_deref().is_some_and(|reason| reason.contains("could not be verified")));
    let marked = Document::parse(&marked.render()).expect("a document");
    let model = Scripted::new([says("It is the third (`shop.py:3-4`).")]).budgeted(None);
    let after = run(&marked, folder.path(), Some(&model)).expect("a document").document;
    assert_eq!(after.front.incomplete.as_deref(), Some("no reason was given"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn after_any_move_each_citation_leads_to_what_it_led_to(
        ranges in prop::collection::vec((0u8..5, 1..=LINES, 0usize..6), 1..12),
        moves in prop::collection::vec((0..LINES, 1usize..12, 0..LINES, any::<bool>()), 1..4),
    ) {
        let old = numbered(LINES);
        let folder = project(&old);
        // Of those that begin at one line, a document keeps the content of the first.
        let mut firsts = std::collections::HashSet::new();
        let ranges: Vec<_> = ranges.into_iter().filter(|(_, first, _)| firsts.insert(*first)).collect();
        let pieces: Vec<String> = ranges
            .iter()
            .map(|(form, first, more)| cited(*form, *first, (first + more).min(LINES)))
            .collect();
        let before = document(&format!("## Summary\n\nSee {}.\n", pieces.join("; ")), folder.path());
        let mut new = old.clone();
        for (at, (from, count, to, adds)) in moves.into_iter().enumerate() {
            let from = from.min(new.len() - 1);
            let block: Vec<String> = new.drain(from..(from + count).min(new.len())).collect();
            let to = to.min(new.len());
            new.splice(to..to, block);
            if adds {
                new.insert(to, format!("added_{at} = 1"));
            }
        }
        write(folder.path(), &new);
        let wanted = led_to(&before.body, &old);
        let refreshed = refresh(&before, folder.path(), None);
        let found = led_to(&refreshed.document.body, &new);
        prop_assert_eq!(wanted.len(), found.len());
        let kept = &before.front.citations;
        for (place, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
            let wanted = wanted.as_ref().expect("the old text has no marks");
            let (form, first, more) = ranges[place];
            let last = if form == 4 { first } else { (first + more).min(LINES) };
            let has_entry = kept.iter().any(|entry| {
                entry.lines.is_some_and(|lines| (lines.first as usize, lines.last as usize) == (first, last))
            });
            match found {
                Some(found) => prop_assert_eq!(wanted, found, "{}", &refreshed.document.body),
                // Only what is nowhere as a whole is given up.
                None => prop_assert!(
                    !has_entry || !new.windows(wanted.len()).any(|window| window == wanted.as_slice()),
                    "{} {:?}", &refreshed.document.body, wanted
                ),
            }
        }
        let count = refreshed.document.body.matches(UNVERIFIED_MARK).count();
        prop_assert_eq!(noted(&refreshed.document).map_or(0, |noted| noted.parse().expect("a number")), count);
        let again = refresh(&refreshed.document, folder.path(), None);
        prop_assert!(!again.is_changed, "{:?}\n{}\n---\n{}", again.done, refreshed.document.render(), again.document.render());
    }
}
