//! The requests of the two exploration rounds.

use peelback_code::CodeAccess;
use peelback_llm::{
    ChatError, ChatRequest, Message, Purpose, ToolChoice, count_request_tokens, request_structured_reply,
};
use serde_json::json;

use super::reply::{ExplorationReply, RequestedNames, exploration_reply_schema};
use crate::disclosure::known_secrets_of_files;
use crate::excerpt::{Excerpt, file_outline_excerpt_with_focus, symbol_excerpt, whole_file_excerpt};
use crate::fence::enclose_in_data_tags;
use crate::limits;
use crate::prompt::{self, FirstRound};
use crate::retrieval::{Retrieved, Via};
use crate::scope::error::ScopeError;
use crate::scope::findings::Findings;
use crate::scope::options::ScopeOptions;
use crate::scope::outcome::Explored;
use crate::scope::session::DocumentRun;

/// The number of characters in the second exploration request that are reserved for the outline of each further file.
const FURTHER_OUTLINE_CHARS: usize = 700;

/// The minimum number of characters for an excerpt in a request: with less room, no excerpt is added.
const LEAST_CHARS: usize = 200;

/// The maximum number of tokens of the file tree in a request.
const TREE_TOKENS: usize = 900;

/// The model request of one exploration round, with a description of its contents.
pub(super) struct Round {
    pub request: ChatRequest,
    /// The files whose outlines the request contains.
    pub outlined: Vec<String>,
    /// The symbols whose bodies the request contains.
    pub bodies: Vec<String>,
    /// A description of the request's contents, for progress output.
    pub what: String,
}

/// The smallest number of characters to which the request of an exploration round is shortened.
const LEAST_ROUND_CHARS: usize = 1_500;

/// The exploration round with the longest request of at most `most` characters that the budget allows. Where the budget
/// allows no request, the round with the shortest request: sending it returns the budget's error.
pub(super) fn round_with_longest_affordable_request(
    session: &DocumentRun<'_>,
    most: usize,
    round: impl Fn(usize) -> Round,
) -> Round {
    let mut chars = most;
    loop {
        let mut made = round(chars);
        let tokens = count_request_tokens(&made.request);
        // The limit of output tokens is lowered before the request is shortened, because few replies reach that limit.
        for output in [limits::EXPLORATION_OUTPUT_TOKENS, limits::EXPLORATION_OUTPUT_TOKENS / 2] {
            if tokens <= session.model.available_input_tokens(Purpose::Ordinary, output) {
                made.request.max_output_tokens = output;
                return made;
            }
        }
        if chars <= LEAST_ROUND_CHARS {
            return made;
        }
        let over = tokens.saturating_sub(
            session.model.available_input_tokens(Purpose::Ordinary, limits::EXPLORATION_OUTPUT_TOKENS / 2),
        );
        let cut = usize::try_from(over).unwrap_or(usize::MAX).saturating_mul(limits::CHARS_PER_TOKEN).max(500);
        chars = chars.saturating_sub(cut).max(LEAST_ROUND_CHARS);
    }
}

/// The first exploration round. Its request contains the file tree, the ranked files, and outlines of the best files in
/// `max_chars` characters.
pub(super) fn build_first_exploration_round(
    access: &CodeAccess,
    question: &str,
    retrieved: &Retrieved,
    options: &ScopeOptions,
    max_chars: usize,
) -> Round {
    let mut room = max_chars.min(limits::EXPLORATION_CHARS);
    let mut outlines = String::new();
    let mut outlined = Vec::new();
    let best = retrieved.candidates.iter().take(limits::OUTLINED_FILES);
    let mut left = best.len();
    for candidate in best {
        // Each outline gets an equal share of the characters. Characters that one outline does not use are available to
        // the next outline.
        let most = (room / left.max(1)).min(limits::EXPLORATION_FILE_CHARS);
        left -= 1;
        let about: Vec<_> = retrieved.passages_of_file(&candidate.path).map(|passage| passage.lines).collect();
        let excerpt = file_outline_excerpt_with_focus(access, &candidate.path, most, &about);
        let Ok(excerpt) = excerpt.or_else(|_| whole_file_excerpt(access, &candidate.path, most)) else { continue };
        room = room.saturating_sub(excerpt.text.chars().count());
        push_redacted_fenced_excerpt(&mut outlines, &excerpt, access, options);
        outlined.push(candidate.path.clone());
    }
    // Files with an outline in the request are not listed again as candidates.
    let candidates: String = retrieved
        .candidates
        .iter()
        .filter(|candidate| !outlined.contains(&candidate.path))
        .map(|candidate| {
            let price = candidate.tokens.map(|tokens| format!(" (~{tokens} tokens)")).unwrap_or_default();
            let why = match &candidate.via {
                Via::Imports(_) => ", linked with the best",
                Via::Name => ", defines a name of the question",
                Via::Ranking => "",
            };
            format!("{}{price}{why}\n", candidate.path)
        })
        .collect();
    let round = FirstRound {
        question,
        tree: &enclose_in_data_tags(
            peelback_tools::follow_up_call_builder().project_tree_call().tool_name(),
            &file_tree_text(access),
        ),
        candidates: &enclose_in_data_tags("candidates", &candidates),
        outlines: &outlines,
    };
    let what = format!("{} outlines", outlined.len());
    Round {
        request: exploration_request(options, prompt::first_exploration_user_message(&round)),
        outlined,
        bodies: Vec::new(),
        what,
    }
}

/// The second exploration round. Its request contains the symbol bodies and outlines that the model requested in the
/// first round, in `max_chars` characters.
pub(super) fn build_second_exploration_round(
    session: &DocumentRun<'_>,
    retrieved: &Retrieved,
    findings: &Findings,
    named: &RequestedNames,
    max_chars: usize,
) -> Round {
    let mut room = max_chars;
    let kept = FURTHER_OUTLINE_CHARS * named.files.len();
    let mut read = String::new();
    let mut outlined = Vec::new();
    let mut missing = named.missing.clone();
    let mut bodies = Vec::new();
    for wanted in &named.symbols {
        let name = format!("{}:{}", wanted.path, wanted.name);
        let most = room.saturating_sub(kept).min(limits::EXPLORATION_FILE_CHARS);
        if most < LEAST_CHARS {
            missing.push(format!("{name} (no room in this round; the writer gets it)"));
            continue;
        }
        match symbol_excerpt(session.access, &wanted.path, &wanted.name, most) {
            Ok(excerpt) => {
                room = room.saturating_sub(excerpt.text.chars().count());
                push_redacted_fenced_excerpt(&mut read, &excerpt, session.access, session.options);
                bodies.push(name);
            }
            Err(error) => missing.push(format!("{name} ({error})")),
        }
    }
    let mut left = named.files.len();
    for path in &named.files {
        let most = (room / left.max(1)).min(limits::EXPLORATION_FILE_CHARS);
        left -= 1;
        let about: Vec<_> = retrieved.passages_of_file(path).map(|passage| passage.lines).collect();
        let excerpt = file_outline_excerpt_with_focus(session.access, path, most, &about);
        match excerpt.or_else(|_| whole_file_excerpt(session.access, path, most)) {
            Ok(excerpt) => {
                room = room.saturating_sub(excerpt.text.chars().count());
                push_redacted_fenced_excerpt(&mut read, &excerpt, session.access, session.options);
                outlined.push(path.clone());
            }
            Err(error) => missing.push(format!("{path} ({error})")),
        }
    }
    let what = format!("{} bodies, {} outlines", bodies.len(), outlined.len());
    let insights = session.options.secrets.redact(&findings.latest_insights_within_limit()).into_owned();
    let words = prompt::second_exploration_user_message(session.question, &insights, &read, &missing);
    Round { request: exploration_request(session.options, words), outlined, bodies, what }
}

/// Sends an exploration request to the model, within the budget for exploration, and returns the structured reply.
pub(super) async fn request_exploration_reply(
    session: &DocumentRun<'_>,
    request: &ChatRequest,
) -> Result<ExplorationReply, ChatError> {
    let reply =
        request_structured_reply::<ExplorationReply>(session.model.as_ref(), request, exploration_reply_schema(), None)
            .await?;
    Ok(reply.value)
}

/// The result of an exploration whose first model request failed.
pub(super) fn result_after_failed_first_request(
    session: &DocumentRun<'_>,
    retrieved: &Retrieved,
    mut findings: Findings,
    error: ChatError,
) -> Result<Explored, ScopeError> {
    add_best_ranked_to_findings(retrieved, &mut findings);
    findings.open_questions.push(session.question.to_owned());
    match error {
        // The ranking has found files, and the budget that is reserved for the document allows writing it.
        ChatError::Budget(_) | ChatError::Form { .. } => {
            findings.unfinished = Some(format!("no exploration by a model: {error}"));
            Ok(Explored { findings, failed: None })
        }
        error if session.may_have_spent_tokens() => Ok(Explored { findings, failed: Some(error) }),
        error => Err(ScopeError::Model { error, spent: Box::new(session.model.spending()) }),
    }
}

/// Adds the best ranked files and passages to the findings of the exploration, in place of a model's selection.
pub(super) fn add_best_ranked_to_findings(retrieved: &Retrieved, findings: &mut Findings) {
    const FILES: usize = 6;
    const PASSAGES: usize = 10;
    for candidate in retrieved.candidates.iter().take(FILES) {
        findings.add_file(&candidate.path);
    }
    for passage in retrieved.passages.iter().filter(|passage| passage.is_whole_symbol()).take(PASSAGES) {
        findings.add_symbol_and_its_file(&passage.path, &passage.symbol.qualified_name);
    }
}

fn exploration_request(options: &ScopeOptions, words: String) -> ChatRequest {
    ChatRequest {
        system: prompt::exploration_system_prompt(&options.origin.name),
        messages: vec![Message::new_user_message(words)],
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        output: Some(exploration_reply_schema()),
        max_output_tokens: limits::EXPLORATION_OUTPUT_TOKENS,
    }
}

fn push_redacted_fenced_excerpt(text: &mut String, excerpt: &Excerpt, access: &CodeAccess, options: &ScopeOptions) {
    let known = known_secrets_of_files(access, [excerpt.path.as_str()]);
    text.push_str(&enclose_in_data_tags(&excerpt.path, &options.secrets.redact_excerpt(&excerpt.text, &known)));
    text.push('\n');
}

/// The file tree of the project, as deep as the token limit [`TREE_TOKENS`] allows.
fn file_tree_text(access: &CodeAccess) -> String {
    let Some(tool) =
        peelback_tools::tool_by_name_or_alias(peelback_tools::follow_up_call_builder().project_tree_call().tool_name())
    else {
        return String::new();
    };
    let reply = tool.run_call_of_model(access, json!({}), TREE_TOKENS);
    let most = limits::TREE_SHOWN_CHARS.min(limits::TREE_CHARS);
    let mut text = String::new();
    for line in reply.formatted_output().lines() {
        if text.chars().count() + line.chars().count() + 1 > most {
            text.push_str("…\n");
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}
