//! The tool `scope`: a document that answers a question.

use peelback_code::{CodeAccess, DocumentPurpose, DocumentRequest, ErrorCategory, SpendingLimits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::MAX_QUESTION_CHARS;
use crate::call::Call;
use crate::context::CallContext;
use crate::document_answer::{generate_document_reply, max_document_tokens, parse_max_cost};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, RequiredService, Tool, ToolGuide};
use crate::view::{OutputOptions, is_default_value};

/// Who explores the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExplorationMode {
    /// Fixed steps.
    #[default]
    Pipeline,
    /// A model with tools.
    Agent,
}

/// A document that answers a question, citations checked.
///
/// With a model in the server's configuration, that model explores and writes, which takes a while and costs what the
/// budget allows. Without one, it is the evidence to answer from yourself: ranked files, their outlines, the best bodies,
/// sized to `max_tokens`. `check` tells which citations of a document are stale, and `refresh` renews them.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The question, in words. Not with `check` and `refresh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Folders, files or globs to look in.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub scope: Vec<String>,
    /// A folder, a context document, or a git URL, with #BRANCH or #COMMIT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who explores: fixed steps (the default), or a model with tools.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub mode: ExplorationMode,
    /// Writes the evidence though a model is configured.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_model: bool,
    /// Tells what would be sent, and what it would cost at most. Nothing is sent or written.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub dry_run: bool,
    /// The most requests of the agent, 25 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<usize>,
    /// Tokens that one request may send to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_input_tokens: Option<u64>,
    /// Tokens that the run may use in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_total_tokens: Option<u64>,
    /// US dollars that the run may cost, such as 0.50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<String>,
    /// A document whose stale citations are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// A document whose stale parts are renewed, and only those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// A new `.md` file, or a folder, to which the document is written, such as contexts/.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(flatten)]
    pub view: OutputOptions,
}

impl Parameters {
    /// What the call asks for.
    ///
    /// # Errors
    /// Where the call asks for nothing, or for several things at once.
    fn document_purpose(&self) -> Result<DocumentPurpose<'_>, RecoverableError> {
        let bad_usage = |error: &str, hint: &'static str| {
            Err(RecoverableError::new(ErrorCategory::BadUsage, error).with_hint(hint))
        };
        let question = self.question.as_deref().map(str::trim);
        match (question, self.check.as_deref(), self.refresh.as_deref()) {
            (Some(""), None, None) => {
                bad_usage("the question is empty", "ask in words: scope --question 'How does … work?'")
            }
            (Some(question), None, None) => Ok(DocumentPurpose::Question(question)),
            (None, Some(document), None) => Ok(DocumentPurpose::Check(document)),
            (None, None, Some(document)) => Ok(DocumentPurpose::Refresh(document)),
            (None, None, None) => {
                bad_usage("scope needs question: The question, in words.", "scope --question 'How does … work?'")
            }
            _ => bad_usage(
                "question, check and refresh are given together",
                "give one of them: a question for a new document, check or refresh for a written one",
            ),
        }
    }
}

pub struct Scope;

impl Tool for Scope {
    type Parameters = Parameters;

    const NAME: &'static str = "scope";
    const ALIASES: &'static [&'static str] = &["answer", "ask", "explain"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["question"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("query", "question"), ("q", "question"), ("prompt", "question"), ("path", "scope")];
    const LONG_TEXT_PARAMETERS: &'static [(&'static str, usize)] =
        &[(parameter_name!(Parameters, question), MAX_QUESTION_CHARS)];
    const RARE_PARAMETERS: &'static [&'static str] = &[
        parameter_name!(Parameters, no_model),
        parameter_name!(Parameters, dry_run),
        parameter_name!(Parameters, turns),
        parameter_name!(Parameters, max_input_tokens),
        parameter_name!(Parameters, max_total_tokens),
        parameter_name!(Parameters, max_cost),
    ];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('q', "question"), ('o', "output")];
    const EXAMPLES: &'static [&'static str] = &[
        "scope --question 'How are requests retried?' --max_tokens 6000",
        "scope --check contexts/shop/scope-how-are-requests-retried-101500.md",
    ];
    const REQUIRED_SERVICES: &'static [RequiredService] = &[RequiredService::DocumentGenerator];
    const GUIDE: ToolGuide =
        ToolGuide { step: ExplorationStep::Ask, phrase: "a document for a question, or evidence", cost_ranks: &[] };
    const RESULT_KIND: ResultKind = ResultKind::Document;
    const LABEL_PARAMETERS: &'static [&'static str] = &["question", "check", "refresh", "scope"];
    /// Agents may not call this tool: it returns a finished document, whereas an agent must explore the code itself.
    const IS_FOR_AGENTS: bool = false;
    const AGENT_TOKENS: usize = 2_000;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let purpose = parameters.document_purpose()?;
        let request = DocumentRequest {
            purpose,
            source: parameters.source.as_deref(),
            scope: &parameters.scope,
            max_tokens: max_document_tokens(context, &parameters.view),
            mode: match parameters.mode {
                ExplorationMode::Pipeline => peelback_code::ExplorationMode::Pipeline,
                ExplorationMode::Agent => peelback_code::ExplorationMode::Agent,
            },
            max_turns: parameters.turns,
            is_without_model: parameters.no_model,
            is_dry_run: parameters.dry_run,
            spending: SpendingLimits {
                max_input_tokens: parameters.max_input_tokens,
                max_total_tokens: parameters.max_total_tokens,
                max_cost: parse_max_cost(parameters.max_cost.as_deref())?,
            },
            output: parameters.output.as_deref(),
        };
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let next = context.follow_up_call_builder();
        let fallback = match purpose {
            DocumentPurpose::Question(question) => next.rank_passages_call(question),
            _ => next.project_tree_call(),
        };
        generate_document_reply(access, context, &request, (&call, &parameters.view), fallback)
    }
}
