//! What the second request of the pipeline promises of the request that writes the document, and whether it is kept.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use peelback_agent::document::Timestamp;
use peelback_agent::scope::{self, Checkpoint, Origin, ScopeOptions};
use peelback_code::{CodeAccess, Project};
use peelback_llm::{
    AssistantMessage, BudgetedModel, ChatFuture, ChatModel, ChatReply, ChatRequest, Limits, Message, Prices,
    SkippingClock, StopReason, TextCallback, Usage, count_request_tokens,
};
use serde_json::{Value, json};

/// A model with a price of 15 and 120 dollars for a million tokens, which says one text after the other.
#[derive(Clone)]
struct Scripted {
    /// The texts, each with the tokens that its reply is said to have.
    lines: Arc<Mutex<VecDeque<(String, u64)>>>,
    sent: Arc<Mutex<Vec<ChatRequest>>>,
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted/model"
    }

    fn complete<'a>(&'a self, request: &'a ChatRequest, _: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        Box::pin(async move {
            self.sent.lock().expect("the requests").push(request.clone());
            let (text, output) = self.lines.lock().expect("the script").pop_front().expect("the script goes on");
            Ok(ChatReply {
                message: AssistantMessage { text, tool_calls: Vec::new(), opaque: None },
                stop: StopReason::End,
                usage: Usage { input: count_request_tokens(request), output, ..Usage::default() },
                model: "model".to_owned(),
            })
        })
    }
}

/// A reply of the exploration with notes and places of some length.
fn explored(symbols: &[String], suffices: bool, insight: &str, places: &[Value]) -> String {
    json!({
        "reasoning": "", "symbols_needed": symbols, "additional_files_needed": [], "sufficient_context": suffices,
        "preliminary_insights": insight, "key_locations": places,
    })
    .to_string()
}

/// The user's message of the second request, and that of the request that writes the document.
fn requests_of_run(
    folder: &Path,
    question: &str,
    limits: Limits,
    replies: [(String, u64); 2],
) -> Option<(String, String)> {
    let model = Scripted {
        lines: Arc::new(Mutex::new(replies.into_iter().chain([("## Summary\n\nDone.\n".to_owned(), 50)]).collect())),
        sent: Arc::default(),
    };
    let file = folder.join("prices.toml");
    std::fs::write(
        &file,
        "date = \"2026-01-01\"\nsource = \"mine\"\n[models]\n\"scripted/model\" = { input = 15.0, output = 120.0 }\n",
    )
    .expect("a file");
    let prices = Prices::with_overrides_from_file(&file).expect("prices");
    let limits = limits.with_reserve_for_run_limit(prices.price_of_model("scripted/model"));
    let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
    let budgeted = BudgetedModel::new(Box::new(model.clone()), limits, &prices, rate_limiter).expect("a model");
    let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a project"));
    let origin = Origin { source: "/shop".to_owned(), name: "shop".to_owned(), commit: None };
    let options = ScopeOptions::new(origin, Timestamp::from_unix_seconds(1_800_000_000));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (budgeted, checkpoint) = (Arc::new(budgeted), Checkpoint::new());
    let run = scope::write_document_with_model(&access, question, &budgeted, &checkpoint, &options);
    runtime.block_on(run).expect("a document");
    let sent = model.sent.lock().expect("the requests").clone();
    let text = |request: &ChatRequest| match request.messages.as_slice() {
        [Message::User { text }] => text.clone(),
        other => panic!("{other:?}"),
    };
    match sent.as_slice() {
        [_, second, writing] => Some((text(second), text(writing))),
        _ => None,
    }
}

fn project(files: &[(String, String)]) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("peelback-promises-").tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join(".git")).expect("a folder");
    for (path, text) in files {
        std::fs::write(folder.path().join(path), text).expect("a file");
    }
    folder
}

/// The numbers of the symbols of which the second request says that the writer gets them whole; in these projects each
/// ends with `marker_NUMBER`.
fn promised(second: &str) -> Vec<String> {
    let notes = second.lines().filter(|line| line.contains("the writer gets it whole"));
    let number = |note: &str| {
        let name: String = note.split(" (").next().expect("a name").to_owned();
        name.rsplit('_').next().expect("a number").to_owned()
    };
    notes.map(number).collect()
}

#[track_caller]
fn check_kept(second: &str, writing: &str, about: &str) -> usize {
    let promised = promised(second);
    for number in &promised {
        assert!(writing.contains(&format!("marker_{number} ends")), "{about}: {number} of {promised:?}: {writing}");
    }
    promised.len()
}

/// Functions of some 700 tokens each.
fn functions() -> tempfile::TempDir {
    let file = |number: usize| {
        let mut text = format!("def send_parcel_{number}(depot, parcel):\n");
        for line in 0..60 {
            text.push_str(&format!("    depot.accept(parcel, {line}, priority={number})\n"));
        }
        text.push_str(&format!("    return \"marker_{number} ends\"\n"));
        (format!("parcel_{number}.py"), text)
    };
    project(&(0..8).map(file).collect::<Vec<_>>())
}

fn names_of_functions() -> Vec<String> {
    (0..8).map(|number| format!("parcel_{number}.py:send_parcel_{number}")).collect()
}

#[test]
fn a_promise_is_kept_whatever_the_exploration_used_of_a_small_ceiling() {
    let (folder, mut runs, mut kept) = (functions(), 0, 0);
    let tokens = Limits { max_total_tokens: Some(30_000), ..Limits::default() };
    let dollars = Limits { max_cost: Some(2.0), ..Limits::default() };
    for limits in [tokens, dollars] {
        for used in (0..20).map(|step| step * 500) {
            let first = explored(&names_of_functions(), false, "They send.", &[]);
            let replies = [(first, 300), (explored(&[], true, "", &[]), used)];
            let question = "How is a parcel sent to the depot?";
            let Some((second, writing)) = requests_of_run(folder.path(), question, limits.clone(), replies) else {
                continue;
            };
            runs += 1;
            kept += check_kept(&second, &writing, &format!("{used} of {limits:?}"));
        }
    }
    assert!(runs >= 30 && kept >= runs, "{runs} runs, {kept} promises");
}

#[test]
fn a_promise_counts_the_tokens_of_the_text_and_of_the_notes() {
    // A character of these texts has about one token, not a third of one.
    let chapter = |number: usize| {
        let line = "仓库在收到包裹之后会先检查标签并且记录重量然后再把包裹送到下一个仓库去等待分拣和发送".repeat(3);
        let lines: String = (0..95).map(|at| format!("{at} {line}\n")).collect();
        (format!("guide_{number}.md"), format!("# parcel_{number}\n\n{lines}\nmarker_{number} ends\n"))
    };
    let folder = project(&(0..5).map(chapter).collect::<Vec<_>>());
    let names: Vec<String> = (0..5).map(|number| format!("guide_{number}.md:parcel_{number}")).collect();
    let place = |at: u32| json!({ "path": "guide_1.md", "line_start": at + 3, "line_end": at + 3, "description": "仓库包裹标签重量".repeat(40) });
    let (mut whole, mut none) = (0, 0);
    for (question, input) in
        [("Wie wird ein parcel gesendet?".to_owned(), 40_000), ("parcel 仓库".repeat(1_000), 40_000)]
    {
        for notes in [0, 20] {
            let places: Vec<Value> = (0..notes).map(place).collect();
            let more: Vec<Value> = (20..20 + notes).map(place).collect();
            let insight = "包裹".repeat(150 * notes as usize);
            let replies = [
                (explored(&names, false, &insight, &places), 300),
                (explored(&[], true, &insight.replace('包', "标"), &more), 300),
            ];
            let limits = Limits { max_input_tokens: input, tokens_per_minute: 80_000, ..Limits::default() };
            let (second, writing) = requests_of_run(folder.path(), &question, limits, replies).expect("three requests");
            let kept = check_kept(&second, &writing, &format!("{notes} notes"));
            whole += kept;
            none += 5 - kept;
        }
    }
    assert!(whole >= 4 && none > 0, "{whole}, {none}");
}
