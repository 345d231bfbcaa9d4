//! The agent's main loop: it sends a request, runs the tool calls of the reply, and adds their results to the
//! conversation, until the model submits its result or a limit ends the run.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use peelback_code::{CancellationToken, CodeAccess, StopCause};
use peelback_llm::{ChatError, ChatModel, ChatReply, ChatRequest, StopReason, ToolCall, ToolChoice, Usage};
use peelback_tools::{Location, ReplyStatus, RetentionPriority, follow_up_call_builder};

use super::generate::{self, GENERATE, ScopedContext};
use super::guards::{CallDecision, LoopGuards};
use super::observations::{
    code_references_to_read_lines, observed_paths_by_descending_weight, paths_outlined_or_used_but_unread,
};
use super::options::{AgentOptions, Event};
use super::outcome::{ForcedFinish, Outcome, RequestSize, RunEnd};
use super::prompt;
use super::toolbox::{RawRead, ToolOutcome, Toolbox};
use crate::citations::Reference;
use crate::conversation::{Conversation, Kind, NewToolResult};

/// The maximum number of tool calls that the agent runs in one turn.
const MOST_CALLS: usize = 8;

/// The number of remaining turns at which a note tells the model how many turns are left.
const WARNED_BEFORE: usize = 5;

/// The safety factor for the token calibration, which is the ratio of the model provider's token counts to o200k token
/// counts. The ratio of the next request may be higher than the ratio of earlier requests.
const MARGIN: f64 = 1.05;

/// The time between two checks of a waiting run for its cancellation and its deadline.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The maximum number of characters of the model's last texts, which replace the insights where the model submitted no
/// result.
const MAX_LAST_TEXT_CHARS: usize = 6_000;

/// The state of one run of the agent.
pub(super) struct AgentRun<'a> {
    options: &'a AgentOptions,
    toolbox: Arc<Toolbox>,
    conversation: Conversation,
    guards: LoopGuards,
    turns: usize,
    usage: Usage,
    /// The ratio of the model provider's token counts to o200k token counts: the largest ratio observed so far.
    calibration: f64,
    requests: Vec<RequestSize>,
    force_finish: Option<ForcedFinish>,
    observations: Vec<Location>,
    /// The paths of the files whose outline or profile the model has seen.
    outlined: HashSet<String>,
    /// The paths of the files for which the model was warned against reading the raw text.
    warned: HashSet<String>,
    /// The names of the tools whose documentation the model has received.
    documented: HashSet<String>,
    question: String,
    /// All texts that the model wrote, including those trimmed from the conversation.
    model_texts: Vec<String>,
    result: Option<ScopedContext>,
    open_questions: Vec<String>,
}

/// The next step of the agent's main loop: another turn, or the end of the run.
enum NextStep {
    Turn,
    End(RunEnd),
}

impl<'a> AgentRun<'a> {
    pub fn new(access: &CodeAccess, question: &str, options: &'a AgentOptions) -> Self {
        let limits = options.limits.clone();
        let shared_parameters = Toolbox::parameters_described_in_prompt(options.documentation);
        let system = prompt::agent_system_prompt(
            options.system_prompt,
            options.max_turns,
            limits.max_input_tokens,
            shared_parameters.as_deref(),
        );
        let tools = Toolbox::tool_definitions(options.documentation);
        let mut conversation = Conversation::new(system).with_tools(tools).with_limits(limits);
        let name = access.project().root().file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
        conversation.set_provider_token_ratio(options.calibration);
        conversation.push_user_message(&prompt::question_user_message(question, &name));
        Self {
            options,
            toolbox: Arc::new(Toolbox::new(access, options)),
            conversation,
            guards: LoopGuards::default(),
            turns: 0,
            usage: Usage::default(),
            // The calibration starts at 0 and is learned from the token counts that the provider reports, since the
            // assumed ratio may be too high.
            calibration: 0.0,
            requests: Vec::new(),
            force_finish: None,
            observations: Vec::new(),
            outlined: HashSet::new(),
            warned: HashSet::new(),
            documented: HashSet::new(),
            question: question.trim().to_owned(),
            model_texts: Vec::new(),
            result: None,
            open_questions: Vec::new(),
        }
    }

    /// The first request that the run would send to the model.
    pub fn into_first_request(mut self) -> ChatRequest {
        self.conversation.trim_and_build_request(ToolChoice::Auto, self.options.max_output_tokens)
    }

    pub async fn run(mut self, model: &dyn ChatModel) -> Outcome {
        let end = loop {
            match self.run_turn(model).await {
                NextStep::Turn => {}
                NextStep::End(end) => break end,
            }
        };
        self.into_outcome(end)
    }

    /// Runs one turn: sends a request and runs the tool calls of the reply.
    async fn run_turn(&mut self, model: &dyn ChatModel) -> NextStep {
        if let Some(stop) = self.options.cancellation.stop_cause() {
            return NextStep::End(RunEnd::Stopped(stop));
        }
        if self.turns >= self.options.max_turns {
            return NextStep::End(RunEnd::Forced(self.force_finish.unwrap_or(ForcedFinish::TurnLimit)));
        }
        if self.turns + 1 == self.options.max_turns {
            self.require_model_to_finish(ForcedFinish::TurnLimit);
        }
        let choice = match self.force_finish {
            Some(_) => ToolChoice::Named(GENERATE.to_owned()),
            None => ToolChoice::Auto,
        };
        let request = self.conversation.trim_and_build_request(choice, self.options.max_output_tokens);
        let size = RequestSize::from_request(&request, self.conversation.token_count());
        let (turn, of, tokens) = (self.turns + 1, self.options.max_turns, size.tokens);
        self.report_event(&Event::Turn { turn, max_turns: of, tokens });
        let reply = match self.send_request(model, &request).await {
            Ok(reply) => reply,
            Err(end) => return NextStep::End(end),
        };
        self.turns += 1;
        self.requests.push(size);
        self.usage += reply.usage;
        if reply.usage.input > 0 && tokens > 0 {
            let ratio = reply.usage.input as f64 / tokens as f64;
            self.calibration = self.calibration.max(ratio * MARGIN);
            self.conversation.set_provider_token_ratio(self.calibration);
        }
        self.report_event(&Event::Replied { text: &reply.message.text, usage: self.usage });
        self.process_reply(reply).await
    }

    /// Sends a request to the model and returns the reply, or the reason why the run must end.
    async fn send_request(&self, model: &dyn ChatModel, request: &ChatRequest) -> Result<ChatReply, RunEnd> {
        let watch = self.options.watch.clone().filter(|_| self.options.stream);
        let piece = watch.map(|watch| move |text: &str| watch(&Event::Piece(text)));
        let watch = piece.as_ref().map(|piece| piece as &(dyn Fn(&str) + Send + Sync));
        tokio::select! {
            biased;
            reply = model.complete(request, watch) => reply.map_err(|error| match error {
                ChatError::Budget(reason) => RunEnd::Budget(reason),
                other => RunEnd::ModelError(other),
            }),
            stop = wait_for_cancellation_or_deadline(&self.options.cancellation) => Err(RunEnd::Stopped(stop)),
        }
    }

    /// Processes a model's reply: stores it in the conversation and runs its tool calls.
    async fn process_reply(&mut self, reply: ChatReply) -> NextStep {
        let ChatReply { message, stop, .. } = reply;
        if !message.text.trim().is_empty() {
            self.model_texts.push(message.text.trim().to_owned());
        }
        if stop == StopReason::Refusal {
            let text = message.text.clone();
            self.conversation.push_model_message(message);
            return NextStep::End(RunEnd::Refused(text));
        }
        let calls = self.conversation.push_model_message(message);
        if calls.is_empty() {
            return self.handle_reply_without_calls(&stop);
        }
        if let Some(call) = calls.iter().find(|call| call.name == GENERATE) {
            return self.process_result_submission_call(call, &stop);
        }
        if let Some(force_finish) = self.force_finish {
            // The model was told to finish but called other tools.
            for call in &calls {
                self.push_tool_result(
                    call,
                    NewToolResult::new(Kind::Other, "not run: the session is over").marked_as_error(),
                );
            }
            return NextStep::End(RunEnd::Forced(force_finish));
        }
        self.run_calls_and_store_results(&calls).await;
        NextStep::Turn
    }

    /// Handles a model's reply without tool calls: asks the model once to submit its result.
    fn handle_reply_without_calls(&mut self, stop: &StopReason) -> NextStep {
        if let Some(force_finish) = self.force_finish {
            return NextStep::End(RunEnd::Forced(force_finish));
        }
        let cut = if *stop == StopReason::Length { "Your reply was cut off: be brief. " } else { "" };
        self.conversation.push_user_message(&format!("{cut}Hand in what you found: call {GENERATE} now."));
        self.require_model_to_finish(ForcedFinish::NoCall);
        NextStep::Turn
    }

    /// Processes a call of the tool [`GENERATE`]: ends the run with the model's result where the arguments are valid.
    fn process_result_submission_call(&mut self, call: &ToolCall, stop: &StopReason) -> NextStep {
        let read = generate::parse_result_submission_arguments(&call.arguments)
            .and_then(|result| self.keep_existing_paths_and_record_missing(result));
        match read {
            Ok(result) => {
                self.push_tool_result(call, NewToolResult::new(Kind::Other, "accepted"));
                self.result = Some(result);
                NextStep::End(RunEnd::Generated)
            }
            Err(problem) => {
                let cut = if *stop == StopReason::Length { " Your reply was cut off: write less." } else { "" };
                self.push_tool_result(
                    call,
                    NewToolResult::new(Kind::Other, format!("error: {problem}.{cut}"))
                        .marked_as_failure(None)
                        .marked_as_error(),
                );
                let tries = matches!(
                    self.guards.decide_whether_call_may_run(call, self.turns, &self.conversation),
                    CallDecision::Run
                );
                match self.force_finish {
                    Some(force_finish) if self.turns >= self.options.max_turns || !tries => {
                        NextStep::End(RunEnd::Forced(force_finish))
                    }
                    _ => NextStep::Turn,
                }
            }
        }
    }

    /// Removes the file paths that do not exist from the model's result, and records them as open questions. Returns an
    /// error where none of the paths exists.
    fn keep_existing_paths_and_record_missing(&mut self, mut result: ScopedContext) -> Result<ScopedContext, String> {
        let mut known: Vec<String> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        for path in &result.relevant_file_paths {
            match self.toolbox.readable_file_path(path) {
                Some(path) if known.contains(&path) => {}
                Some(path) => known.push(path),
                None => unknown.push(path.clone()),
            }
        }
        if known.is_empty() {
            let near = unknown.iter().find_map(|path| self.toolbox.similar_existing_path(path));
            let near = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            return Err(format!("none of the paths is a file in the project: {}{near}", unknown.join(", ")));
        }
        for path in unknown {
            self.open_questions.push(format!("The model named {path}, which is not a file in the project."));
        }
        result.relevant_file_paths = known;
        Ok(result)
    }

    /// Runs tool calls, concurrently where possible, and stores their results in the conversation, in the order of the
    /// calls.
    async fn run_calls_and_store_results(&mut self, calls: &[ToolCall]) {
        let mut verdicts: Vec<CallDecision> = Vec::with_capacity(calls.len());
        let mut runs: Vec<ToolCall> = Vec::new();
        for call in calls {
            let verdict = if runs.len() >= MOST_CALLS {
                CallDecision::Refuse(format!(
                    "not run: a turn may make at most {MOST_CALLS} calls; make this call in the next turn"
                ))
            } else {
                self.guards.decide_whether_call_may_run(call, self.turns, &self.conversation)
            };
            if verdict == CallDecision::Run {
                runs.push(call.clone());
            }
            verdicts.push(verdict);
        }
        let toolbox = self.toolbox.clone();
        let count = runs.len();
        // Tools are blocking code. They run on a blocking thread so that the runtime can end the run meanwhile.
        let outcome = tokio::task::spawn_blocking(move || toolbox.run_tool_calls(&runs)).await.unwrap_or_default();
        let missing = count.saturating_sub(outcome.len());
        let refused =
            std::iter::repeat_with(|| ToolOutcome::for_refused_call("tool", "the tool failed; try another way"))
                .take(missing);
        let mut outcome = outcome.into_iter().chain(refused).collect::<Vec<_>>().into_iter();
        for (index, (call, verdict)) in calls.iter().zip(verdicts).enumerate() {
            let is_last = index + 1 == calls.len();
            match verdict {
                CallDecision::Run => {
                    let Some(outcome) = outcome.next() else { continue };
                    self.store_tool_outcome(call, outcome, is_last);
                }
                CallDecision::Refuse(text) => {
                    let text = self.prepend_notes_to_tool_result(text, None, is_last);
                    self.push_tool_result(call, NewToolResult::new(Kind::Other, text).marked_as_failure(None));
                }
                CallDecision::RefuseAndFinish(text) => {
                    self.require_model_to_finish(ForcedFinish::Repeats);
                    let text = self.prepend_notes_to_tool_result(text, None, is_last);
                    self.push_tool_result(call, NewToolResult::new(Kind::Other, text).marked_as_failure(None));
                }
            }
        }
        for id in self.guards.take_ids_of_repeated_calls() {
            self.conversation.mark_result_as_needed(&id);
        }
        if self.guards.has_too_many_empty_answers() {
            self.require_model_to_finish(ForcedFinish::NothingFound);
        }
    }

    /// Stores the outcome of a tool call in the conversation. Outcomes must be passed in the order of the calls.
    fn store_tool_outcome(&mut self, call: &ToolCall, outcome: ToolOutcome, is_last: bool) {
        let about = outcome.tool.map_or_else(|| call.name.clone(), |tool| tool.describe_call_briefly(&call.arguments));
        self.report_event(&Event::Called { call: &about, preview: &outcome.preview });
        let warning = outcome
            .raw
            .as_ref()
            .filter(|raw| !self.outlined.contains(&raw.path) && self.warned.insert(raw.path.clone()));
        let warning = warning.map(warning_about_raw_text_read);
        let advice = self.guards.record_call_status_and_get_advice(outcome.status).map(str::to_owned);
        // The documentation of a tool is sent once. Later errors name the call that gives it.
        let docs_of = outcome.tool.map_or(call.name.as_str(), |tool| tool.name).to_owned();
        let content = match &outcome.brief {
            Some(brief) if !self.documented.insert(docs_of) => brief.clone(),
            _ => outcome.content,
        };
        let places = outcome.observations.clone();
        if outcome.status == ReplyStatus::Found {
            self.outlined.extend(outcome.outlined);
        }
        self.observations.extend(outcome.observations);
        let notes: Vec<String> = [warning, advice].into_iter().flatten().collect();
        let notes = (!notes.is_empty()).then(|| notes.join("\n"));
        let text = self.prepend_notes_to_tool_result(content, notes, is_last);
        let given = NewToolResult::new(outcome.kind, text).with_outline(outcome.outline).with_places(places);
        let given = match outcome.status {
            ReplyStatus::Found | ReplyStatus::Empty => given,
            _ => given.marked_as_failure(outcome.brief),
        };
        let failed = matches!(outcome.status, ReplyStatus::InvalidArguments) || outcome.tool.is_none();
        // What was wrong with a call is of no use once a later call is right.
        let given = if failed { given.with_priority(RetentionPriority::Low).marked_as_error() } else { given };
        self.push_tool_result(call, given);
    }

    /// Prepends the agent's notes to the text of a tool result. Notes after the text would be cut together with it, or
    /// would be inside its fence.
    fn prepend_notes_to_tool_result(&self, text: String, notes: Option<String>, is_last: bool) -> String {
        let left = self.options.max_turns.saturating_sub(self.turns);
        let turns = match left {
            _ if !is_last => None,
            1 => Some(format!("note: the next turn is the last: call {GENERATE} with what you have.")),
            WARNED_BEFORE => Some(format!("note: {left} turns are left, the last one for {GENERATE}.")),
            _ => None,
        };
        let notes: Vec<String> = notes.into_iter().chain(turns).collect();
        if notes.is_empty() { text } else { format!("{}\n{text}", notes.join("\n")) }
    }

    fn push_tool_result(&mut self, call: &ToolCall, given: NewToolResult) {
        // The call belongs to the model's message that was pushed last. A second result for the call would be ignored.
        let _ = self.conversation.push_tool_result(&call.id, given);
    }

    fn require_model_to_finish(&mut self, force_finish: ForcedFinish) {
        if self.force_finish.is_none() {
            self.force_finish = Some(force_finish);
            self.report_event(&Event::Forced(force_finish.as_str()));
        }
    }

    fn report_event(&self, event: &Event<'_>) {
        if let Some(watch) = &self.options.watch {
            watch(event);
        }
    }

    fn into_outcome(mut self, end: RunEnd) -> Outcome {
        let result = self.result.take();
        let mut open_questions = std::mem::take(&mut self.open_questions);
        let (question, paths, insights, references): (String, Vec<String>, String, Vec<Reference>) = match result {
            Some(result) => {
                let question = if result.question.is_empty() { self.question.clone() } else { result.question };
                (question, result.relevant_file_paths, result.insights, result.code_references)
            }
            None => {
                if let Some(reason) = end.early_end_reason() {
                    open_questions.push(format!("The search ended before the model summed it up: {reason}."));
                }
                for path in paths_outlined_or_used_but_unread(&self.observations) {
                    open_questions.push(format!("How {path} works inside: only its outline was read."));
                }
                (
                    self.question.clone(),
                    observed_paths_by_descending_weight(&self.observations),
                    last_model_texts(&self.model_texts),
                    code_references_to_read_lines(&self.observations),
                )
            }
        };
        Outcome {
            question,
            paths,
            insights,
            references,
            open_questions,
            end,
            force_finish: self.force_finish,
            turns: self.turns,
            withheld: self.toolbox.withheld_files(),
            conversation: self.conversation,
            usage: self.usage,
            requests: self.requests,
        }
    }
}

/// The warning to the model about a code file whose whole raw text it read before its outline.
fn warning_about_raw_text_read(raw: &RawRead) -> String {
    let next = follow_up_call_builder();
    format!(
        "warning: this is the whole text of code that was not outlined first. Its outline costs ~{} tokens: \
         {} {{\"path\": {:?}}}; {} gives one function of it.",
        raw.outline_tokens,
        next.outline_call(&raw.path).tool_name(),
        raw.path,
        next.read_symbol_body_call(&raw.path).tool_name()
    )
}

/// The last texts that the model wrote, together at most [`MAX_LAST_TEXT_CHARS`] characters long. If the last text
/// alone is longer, its beginning.
fn last_model_texts(said: &[String]) -> String {
    let mut room = MAX_LAST_TEXT_CHARS;
    let fitting = said.iter().rev().take_while(|text| {
        let length = text.chars().count();
        let fits = length <= room;
        room = room.saturating_sub(length);
        fits
    });
    let mut kept: Vec<&str> = fitting.map(String::as_str).collect();
    kept.reverse();
    if kept.is_empty() {
        let last = said.last().map_or("", String::as_str);
        let end = last.char_indices().nth(MAX_LAST_TEXT_CHARS).map_or(last.len(), |(at, _)| at);
        return last.get(..end).unwrap_or("").to_owned();
    }
    kept.join("\n\n")
}

/// Waits until the run is cancelled or its deadline passes.
async fn wait_for_cancellation_or_deadline(work: &CancellationToken) -> StopCause {
    loop {
        if let Some(stop) = work.stop_cause() {
            return stop;
        }
        tokio::time::sleep(STOP_POLL_INTERVAL).await;
    }
}
