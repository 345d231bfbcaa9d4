//! The tool `scope`: a document that answers a question.

use peelback_code::{CodeAccess, DocumentPurpose, DocumentRequest, SpendingLimits};
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
    /// Question about the code, in words. Not with `check` and `refresh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Folders, files or globs to search.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub scope: Vec<String>,
    /// Folder, context document or git URL. A git URL may end with #BRANCH or #COMMIT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How the code is explored. By default in fixed steps; in agent mode the model uses tools.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub mode: ExplorationMode,
    /// Write the evidence without a model. A configured model is not asked.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_model: bool,
    /// Only forecast what would be sent. The forecast includes the maximum cost. Nothing is sent or written.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub dry_run: bool,
    /// Maximum requests of the agent. The default is 25.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<usize>,
    /// Maximum tokens sent in one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_input_tokens: Option<u64>,
    /// Maximum tokens of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_total_tokens: Option<u64>,
    /// Maximum cost in US dollars. For example 0.50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<String>,
    /// Document whose stale citations to list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Document whose stale parts to renew. All else in it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// New file or folder for the document. A file ends with `.md`; a folder may be contexts/.
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
        let ask = || Call::new(Scope::NAME).with_argument(parameter_name!(Parameters, question), "How does … work?");
        let question = self.question.as_deref().map(str::trim);
        match (question, self.check.as_deref(), self.refresh.as_deref()) {
            (Some(""), None, None) => {
                let error = RecoverableError::of_invalid_arguments("the question is empty");
                Err(error.with_hint_and_call("ask in words: ", ask()))
            }
            (Some(question), None, None) => Ok(DocumentPurpose::Question(question)),
            (None, Some(document), None) => Ok(DocumentPurpose::Check(document)),
            (None, None, Some(document)) => Ok(DocumentPurpose::Refresh(document)),
            (None, None, None) => {
                Err(RecoverableError::of_arguments_outside_schema("scope needs question: The question, in words.")
                    .with_hint_and_call("ask in words: ", ask()))
            }
            _ => Err(RecoverableError::of_invalid_arguments("question, check and refresh are given together")
                .with_hint("give one of them: a question for a new document, check or refresh for a written one")),
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
