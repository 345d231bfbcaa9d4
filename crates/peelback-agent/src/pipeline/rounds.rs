//! The requests of the two exploration rounds.

use peelback_code::CodeAccess;
use peelback_llm::{
    ChatError, ChatRequest, Message, Purpose, ToolChoice, count_request_tokens, request_structured_reply,
};

use super::candidate_list::CandidateRows;
use super::file_tree::compact_file_tree;
use super::outlines::{CandidateOutlines, outline_with_focus};
use super::reply::{ExplorationReply, RequestedNames, exploration_reply_schema};
use crate::disclosure::known_secrets_of_files;
use crate::excerpt::{Excerpt, symbol_excerpt};
use crate::fair_shares::fair_shares;
use crate::fence::enclose_in_data_tags;
use crate::limits;
use crate::prompt::{self, FirstRound, RequestNotes};
use crate::retrieval::Retrieved;
use crate::scope::error::ScopeError;
use crate::scope::findings::{Findings, RequestedSymbol};
use crate::scope::options::ScopeOptions;
use crate::scope::outcome::Explored;
use crate::scope::promises::Promises;
use crate::scope::session::DocumentRun;

/// The number of characters that the second exploration request aims at for the outline of a file that the model
/// requested.
const FURTHER_OUTLINE_CHARS: usize = 900;

/// The minimum number of characters for an excerpt in a request: with less room, no excerpt is added.
const LEAST_CHARS: usize = 200;

/// The model request of one exploration round, with a description of its contents.
pub(super) struct Round {
    pub request: ChatRequest,
    /// The files whose outlines the request contains.
    pub outlined: Vec<String>,
    /// The symbols whose bodies the request contains.
    pub bodies: Vec<String>,
    /// The symbols of which the request promises that the whole body reaches the model that writes the document.
    pub promised: Vec<RequestedSymbol>,
    /// The number of characters of code in the request.
    pub chars: usize,
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
    round: impl FnMut(usize) -> Round,
) -> Round {
    round_with_longest_request_in(|output| session.model.available_input_tokens(Purpose::Ordinary, output), most, round)
}

/// As [`round_with_longest_affordable_request`], where `available` says how many tokens a request may have whose reply is
/// limited to a number of tokens.
fn round_with_longest_request_in(
    available: impl Fn(u32) -> u64,
    most: usize,
    mut round: impl FnMut(usize) -> Round,
) -> Round {
    let mut chars = most;
    loop {
        let mut made = round(chars);
        let tokens = count_request_tokens(&made.request);
        // The limit of output tokens is lowered before the request is shortened, because few replies reach that limit.
        for output in [limits::EXPLORATION_OUTPUT_TOKENS, limits::EXPLORATION_OUTPUT_TOKENS / 2] {
            if tokens <= available(output) {
                made.request.max_output_tokens = output;
                return made;
            }
        }
        if chars <= LEAST_ROUND_CHARS {
            return made;
        }
        let over = tokens.saturating_sub(available(limits::EXPLORATION_OUTPUT_TOKENS / 2));
        let cut = usize::try_from(over).unwrap_or(usize::MAX).saturating_mul(limits::CHARS_PER_TOKEN).max(500);
        // A round aims at fewer characters than the limit allows: only a limit below its real length shortens it.
        chars = made.chars.min(chars).saturating_sub(cut).max(LEAST_ROUND_CHARS);
    }
}

/// The parts of the first exploration request that do not depend on its length, made once however often it is shortened.
pub(super) struct FirstRoundParts<'a> {
    access: &'a CodeAccess,
    question: &'a str,
    options: &'a ScopeOptions,
    tree: String,
    outlines: CandidateOutlines<'a>,
    rows: CandidateRows<'a>,
}

impl<'a> FirstRoundParts<'a> {
    pub fn new(access: &'a CodeAccess, question: &'a str, retrieved: &'a Retrieved, options: &'a ScopeOptions) -> Self {
        let paths: Vec<&str> = retrieved.candidates.iter().map(|candidate| candidate.path.as_str()).collect();
        let tree = compact_file_tree(access, &paths, &options.secrets, options.characters.tree());
        Self {
            access,
            question,
            options,
            tree: enclose_in_data_tags("file tree", &options.secrets.redact(&tree)),
            outlines: CandidateOutlines::new(access, retrieved, options.characters.exploration),
            rows: CandidateRows::new(access, retrieved, &options.secrets),
        }
    }

    /// The first exploration round. Its request contains the file tree, the ranked files, and outlines of the best files
    /// in `max_chars` characters.
    pub fn round(&mut self, max_chars: usize) -> Round {
        let Self { access, question, options, .. } = *self;
        let room = max_chars.min(options.characters.exploration);
        let excerpts = self.outlines.best(options.characters.first_round_aim(), room);
        let mut outlines = String::new();
        for excerpt in &excerpts {
            push_redacted_fenced_excerpt(&mut outlines, excerpt, access, options);
        }
        let outlined: Vec<String> = excerpts.iter().map(|excerpt| excerpt.path.clone()).collect();
        // Files with an outline in the request are not listed again as candidates.
        let round = FirstRound {
            question,
            tree: &self.tree,
            candidates: &enclose_in_data_tags("candidates", &self.rows.further(&outlined)),
            outlines: &outlines,
        };
        let what = format!("{} outlines", outlined.len());
        Round {
            request: exploration_request(options, prompt::first_exploration_user_message(&round)),
            chars: excerpts.iter().map(|excerpt| excerpt.text.chars().count()).sum(),
            outlined,
            bodies: Vec::new(),
            promised: Vec::new(),
            what,
        }
    }
}

/// What the model requested in the first round, and what it has been shown.
pub(super) struct FirstRoundResult<'a> {
    pub retrieved: &'a Retrieved,
    pub findings: &'a Findings,
    pub named: &'a RequestedNames,
    /// The number of characters of code in the first request.
    pub chars: usize,
}

/// The second exploration round. Its request contains the symbol bodies and outlines that the model requested in the
/// first round, in `max_chars` characters.
///
/// Short bodies are shown whole; long ones share what is left. Where the request shows only a part, and the request that
/// writes the document has room for the whole, the request says so, and the findings keep the promise.
pub(super) fn build_second_exploration_round(
    session: &DocumentRun<'_>,
    first: &FirstRoundResult<'_>,
    max_chars: usize,
) -> Round {
    let FirstRoundResult { retrieved, findings, named, chars } = *first;
    let (access, options) = (session.access, session.options);
    let limit = max_chars.min(options.characters.exploration);
    let aim = options.characters.second_round_aim(chars).min(limit);
    let mut about = RequestNotes { not_shown: named.missing.clone(), ..RequestNotes::default() };
    let whole: Vec<(&RequestedSymbol, Excerpt)> = named
        .symbols
        .iter()
        .filter_map(|wanted| {
            let excerpt = symbol_excerpt(access, &wanted.path, &wanted.name, limits::WRITING_FILE_CHARS);
            match excerpt {
                Ok(excerpt) => Some((wanted, excerpt)),
                Err(error) => {
                    about.not_shown.push(format!("{}:{} ({error})", wanted.path, wanted.name));
                    None
                }
            }
        })
        .collect();
    let outlines: Vec<Excerpt> = named
        .files
        .iter()
        .filter_map(|path| {
            let most = FURTHER_OUTLINE_CHARS.max(aim / 8).min(limits::EXPLORATION_FILE_CHARS).min(limit);
            let names = outline_of_requested_file(access, retrieved, path, most);
            if names.is_none() {
                about.not_shown.push(format!("{path} (it cannot be read)"));
            }
            names
        })
        .collect();
    let outline_chars: Vec<usize> = outlines.iter().map(|excerpt| excerpt.text.chars().count()).collect();
    let shares = shares_of_symbols(&whole, aim.saturating_sub(outline_chars.iter().sum()), limit);
    let mut promises = Promises::for_findings(session, findings);
    let (mut read, mut shown_chars) = (String::new(), 0);
    let (mut bodies, mut outlined) = (Vec::new(), Vec::new());
    for ((wanted, excerpt), share) in whole.iter().zip(shares) {
        let name = format!("{}:{}", wanted.path, wanted.name);
        let is_whole = excerpt.text.chars().count() <= share;
        let shown = match is_whole {
            true => Some(excerpt.clone()),
            false if share < LEAST_CHARS => None,
            false => symbol_excerpt(access, &wanted.path, &wanted.name, share).ok(),
        };
        let is_promised = promises.promise_whole_body(wanted, excerpt, &redacted_text(excerpt, access, options));
        add_note_on_requested_symbol(&mut about, &name, is_whole, shown.is_some(), is_promised);
        if let Some(shown) = shown {
            shown_chars += shown.text.chars().count();
            push_redacted_fenced_excerpt(&mut read, &shown, access, options);
            bodies.push(name);
        }
    }
    let left = limit.saturating_sub(shown_chars);
    for (excerpt, share) in outlines.into_iter().zip(fair_shares(&outline_chars, left)) {
        let is_whole = excerpt.text.chars().count() <= share;
        let path = excerpt.path.clone();
        let shown = if is_whole { Some(excerpt) } else { outline_with_focus(access, retrieved, &path, share) };
        match shown {
            Some(excerpt) if share >= LEAST_CHARS || is_whole => {
                shown_chars += excerpt.text.chars().count();
                push_redacted_fenced_excerpt(&mut read, &excerpt, access, options);
                outlined.push(path);
            }
            _ => about.not_shown.push(format!("the outline of {path} (does not fit in this round)")),
        }
    }
    let what = format!("{} bodies, {} outlines", bodies.len(), outlined.len());
    let insights = options.secrets.redact(&findings.latest_insights_within_limit()).into_owned();
    let words = prompt::second_exploration_user_message(session.question, &insights, &read, &about);
    Round {
        request: exploration_request(options, words),
        chars: shown_chars,
        outlined,
        bodies,
        promised: promises.into_promised_symbols(),
        what,
    }
}

/// Adds the note for the model about a requested symbol that this request or the request that writes the document does
/// not show whole; none where both do.
fn add_note_on_requested_symbol(
    about: &mut RequestNotes,
    name: &str,
    is_whole: bool,
    is_shown: bool,
    is_promised: bool,
) {
    let later = if is_promised { "the writer gets it whole" } else { "the writer gets as much of it as fits" };
    match (is_whole, is_shown) {
        (true, _) if is_promised => {}
        (true, _) => about.perhaps_cut_for_writer.push(format!("{name} ({later})")),
        (false, true) => about.not_shown.push(format!("{name} (cut in this round; {later})")),
        (false, false) => about.not_shown.push(format!("{name} (does not fit in this round; {later})")),
    }
}

/// The number of characters that the second request gives to each requested symbol: all that it needs, or a fair share.
/// The symbols of one file share [`limits::EXPLORATION_FILE_CHARS`]. All share `aim` characters, or `limit` where `aim`
/// would show less than the beginning of each.
fn shares_of_symbols(whole: &[(&RequestedSymbol, Excerpt)], aim: usize, limit: usize) -> Vec<usize> {
    /// The number of characters of each symbol that are shown beyond the aim.
    const BEGINNING: usize = 600;
    let wanted: Vec<usize> = whole.iter().map(|(_, excerpt)| excerpt.text.chars().count()).collect();
    let mut of_file = vec![0; whole.len()];
    for (index, (symbol, _)) in whole.iter().enumerate() {
        let same_file: Vec<usize> = (0..whole.len())
            .filter(|other| whole.get(*other).is_some_and(|(own, _)| own.path == symbol.path))
            .collect();
        let sizes: Vec<usize> = same_file.iter().map(|other| wanted.get(*other).copied().unwrap_or(0)).collect();
        let shares = fair_shares(&sizes, limits::EXPLORATION_FILE_CHARS);
        let own = same_file.iter().position(|other| *other == index).and_then(|at| shares.get(at)).copied();
        if let Some(place) = of_file.get_mut(index) {
            *place = own.unwrap_or(0);
        }
    }
    let least: usize = of_file.iter().map(|chars| BEGINNING.min(*chars)).sum();
    fair_shares(&of_file, aim.max(least).min(limit))
}

/// The outline of a file that the model requested: its names, whatever the aim `most` is, and details within it.
fn outline_of_requested_file(access: &CodeAccess, retrieved: &Retrieved, path: &str, most: usize) -> Option<Excerpt> {
    let detailed = outline_with_focus(access, retrieved, path, most)?;
    if detailed.left_out == 0 {
        return Some(detailed);
    }
    let about: Vec<_> = retrieved.passages_of_file(path).map(|passage| passage.lines).collect();
    let choices = crate::excerpt::file_outline_choices(access, path, limits::EXPLORATION_FILE_CHARS, &about);
    Some(choices.map_or(detailed, |choices| choices.names))
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
    text.push_str(&enclose_in_data_tags(&excerpt.path, &redacted_text(excerpt, access, options)));
    text.push('\n');
}

/// The text of an excerpt as it is sent to a model.
fn redacted_text(excerpt: &Excerpt, access: &CodeAccess, options: &ScopeOptions) -> String {
    let known = known_secrets_of_files(access, [excerpt.path.as_str()]);
    options.secrets.redact_excerpt(&excerpt.text, &known).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shortened_from_the_length_that_it_has() {
        // The request is held to an aim far below the limit, and has some tokens too many.
        let words = |chars: usize| Round {
            request: ChatRequest {
                messages: vec![Message::new_user_message("word ".repeat(chars.min(8_000) / 5))],
                ..ChatRequest::default()
            },
            outlined: Vec::new(),
            bodies: Vec::new(),
            promised: Vec::new(),
            chars: chars.min(8_000),
            what: String::new(),
        };
        let whole = count_request_tokens(&words(80_000).request);
        let mut made = 0;
        let round = round_with_longest_request_in(
            |_| whole - 150,
            80_000,
            |chars| {
                made += 1;
                words(chars)
            },
        );
        let tokens = count_request_tokens(&round.request);
        assert!(tokens <= whole - 150 && tokens > whole * 3 / 4, "{tokens} of {whole}");
        assert!(made <= 4, "it was made {made} times");
    }
}
