//! The tool `context`: a document of the whole repository.

use peelback_code::{CodeAccess, DocumentPurpose, DocumentRequest, ExplorationMode, SpendingLimits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::context::CallContext;
use crate::document_answer::{generate_document_reply, max_document_tokens, parse_max_cost};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, RequiredService, Tool, ToolGuide};
use crate::view::{OutputOptions, is_default_value};

/// A document of the whole repository.
///
/// It tells the purpose, the layout, the main modules, what depends on what, and how to build and test. It is sized to
/// `max_tokens`. With a model in the server's configuration, it begins with a summary in prose, which costs what the budget
/// allows. The tool `scope` takes a written one as its source.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Folder, context document or git URL. A git URL may end with #BRANCH or #COMMIT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Write the document without a model. A configured model is not asked.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_model: bool,
    /// Maximum tokens sent in one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_input_tokens: Option<u64>,
    /// Maximum tokens of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_total_tokens: Option<u64>,
    /// Maximum cost in US dollars. For example 0.50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<String>,
    /// New file or folder for the document. A file ends with `.md`; a folder may be contexts/.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct Context;

impl Tool for Context {
    type Parameters = Parameters;

    const NAME: &'static str = "context";
    const ALIASES: &'static [&'static str] = &["overview", "repository_overview"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["source"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("path", "source")];
    const RARE_PARAMETERS: &'static [&'static str] = &[
        parameter_name!(Parameters, no_model),
        parameter_name!(Parameters, max_input_tokens),
        parameter_name!(Parameters, max_total_tokens),
        parameter_name!(Parameters, max_cost),
    ];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('o', "output")];
    const EXAMPLES: &'static [&'static str] = &["context --max_tokens 6000"];
    const REQUIRED_SERVICES: &'static [RequiredService] = &[RequiredService::DocumentGenerator];
    const GUIDE: ToolGuide = ToolGuide { step: ExplorationStep::Ask, phrase: "the whole repository", cost_ranks: &[] };
    const RESULT_KIND: ResultKind = ResultKind::Document;
    const LABEL_PARAMETERS: &'static [&'static str] = &["source"];
    /// Agents may not call this tool: it returns a finished document, whereas an agent must explore the code itself.
    const IS_FOR_AGENTS: bool = false;
    const AGENT_TOKENS: usize = 2_000;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let request = DocumentRequest {
            purpose: DocumentPurpose::Repository,
            source: parameters.source.as_deref(),
            scope: &[],
            max_tokens: max_document_tokens(context, &parameters.view),
            mode: ExplorationMode::Pipeline,
            max_turns: None,
            is_without_model: parameters.no_model,
            is_dry_run: false,
            spending: SpendingLimits {
                max_input_tokens: parameters.max_input_tokens,
                max_total_tokens: parameters.max_total_tokens,
                max_cost: parse_max_cost(parameters.max_cost.as_deref())?,
            },
            output: parameters.output.as_deref(),
        };
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let fallback = context.follow_up_call_builder().project_tree_call();
        generate_document_reply(access, context, &request, (&call, &parameters.view), fallback)
    }
}
