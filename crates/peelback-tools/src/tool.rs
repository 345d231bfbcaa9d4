//! The trait of all tools, and a tool with its types erased.

use std::sync::OnceLock;

use peelback_code::CodeAccess;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::CallContext;
use crate::next_calls::FollowUpCallBuilder;
use crate::parameter::{self, Parameter};
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::view::{Format, OutputOptions};

/// A service that a tool needs in addition to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredService {
    /// Text embeddings, where an embedding model is configured.
    Embedder,
    /// A generator of documents, which may call a model over the network.
    DocumentGenerator,
}

/// The step of an exploration to which a tool belongs; cheap steps come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplorationStep {
    /// Find the files and symbols that matter.
    Search,
    /// See the shape of files.
    Outline,
    /// Read exact parts.
    Drill,
    /// Follow uses and imports.
    Connect,
    /// Have a question answered.
    Ask,
    /// Read how a tool is called.
    Documentation,
}

/// How the server's instructions present a tool to models.
#[derive(Debug, Clone, Copy)]
pub struct ToolGuide {
    /// The step under which the instructions name the tool.
    pub step: ExplorationStep,
    /// What the tool does, as words that follow the tool's name in a sentence; for a tool of the step `Ask`, its result.
    pub phrase: &'static str,
    /// The tool's calls in the order of cost over all tools: (rank, words that follow the tool's name). The lowest rank is
    /// the cheapest, and no two calls have the same rank. Ranks go by tens, so that a new tool fits between.
    pub cost_ranks: &'static [(u8, &'static str)],
}

/// A tool that callers run by name. Each tool is one file, and one entry in the list of tools.
///
/// The doc comment of the parameter type is the tool's documentation; its first line alone is the short form. The doc
/// comment of a field documents that parameter. Its first sentence is the short form and says in three to eight words what
/// the value means, for a reader who knows the parameter's name and type; further sentences say what else there is to know.
pub trait Tool: Send + Sync + 'static {
    /// The parameter type; its fields and doc comments generate the tool's schema and documentation.
    type Parameters: DeserializeOwned + JsonSchema;

    /// The tool's name, in snake case.
    const NAME: &'static str;
    /// Aliases of the tool: a short name, and names that agents guess.
    const ALIASES: &'static [&'static str];
    /// The parameters that the command line accepts without a flag, in order. Where a call has fewer values than this
    /// list has names, the last name gets the last value, so optional parameters come first.
    const POSITIONAL_PARAMETERS: &'static [&'static str];
    /// Aliases of parameters: (alias, parameter name).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Parameters that few calls need, which only the full documentation mode names. They work in every mode.
    const RARE_PARAMETERS: &'static [&'static str] = &[];
    /// Parameters whose text may be longer than [`MAX_TEXT_CHARS`](crate::arguments::MAX_TEXT_CHARS), each with the limit
    /// on its characters.
    const LONG_TEXT_PARAMETERS: &'static [(&'static str, usize)] = &[];
    /// Names of arguments that are accepted and ignored, because the tool always does what they request.
    const IGNORED_ARGUMENTS: &'static [&'static str] = &[];
    /// Single-letter flags of the command line: (letter, parameter).
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[];
    /// Hidden flags of the command line without effect: (letter, long name).
    const IGNORED_FLAGS: &'static [(char, &'static str)] = &[];
    /// Example calls, in command line syntax.
    const EXAMPLES: &'static [&'static str];
    /// Whether the answer can be rendered as a graph, in the formats `dot` and `mermaid`.
    const HAS_GRAPH_FORMATS: bool = false;
    /// Whether rows are places in files, which the format `vimgrep` lists.
    const HAS_PLACES: bool = false;
    /// Whether rows have columns that a terminal aligns.
    const HAS_ALIGNED_COLUMNS: bool = false;
    /// The services that the tool needs in addition to the project.
    const REQUIRED_SERVICES: &'static [RequiredService] = &[];
    /// How the server's instructions present the tool.
    const GUIDE: ToolGuide;
    /// The kind of the tool's results, which determines their retention in a conversation.
    const RESULT_KIND: ResultKind;
    /// Parameters that describe a call in its label: the first one with a value is used.
    const LABEL_PARAMETERS: &'static [&'static str];
    /// Whether agents may call the tool.
    const IS_FOR_AGENTS: bool = true;
    /// The token limit of the answer to an agent's call that requests no budget.
    const AGENT_TOKENS: usize;
    /// The token limit of such an answer where the names of files, symbols and parameters take more than
    /// [`Tool::AGENT_TOKENS`]; details are shown only up to that.
    const AGENT_TOKENS_FOR_NAMES: usize = Self::AGENT_TOKENS;

    /// The parameters, common to all tools, that control size and format of the answer.
    fn size_and_format_parameters(parameters: &Self::Parameters) -> &OutputOptions;

    /// Adapts the arguments of an agent's call, under canonical parameter names, to what serves an agent best.
    fn adapt_arguments_for_agent(_arguments: &mut Map<String, Value>) {}

    /// Runs a call of the tool.
    ///
    /// # Errors
    /// An error from which the caller can recover.
    fn run_call(
        access: &CodeAccess,
        context: &CallContext,
        parameters: Self::Parameters,
    ) -> Result<Reply, RecoverableError>;
}

/// A list of tools. Code below the list receives it as a type parameter.
pub(crate) trait ToolList: Send + Sync + 'static {
    /// The tools, in the order in which an exploration typically uses them.
    fn tools() -> &'static [AnyTool];

    /// The tool with this name or alias; dashes are equal to underscores.
    fn tool_by_name_or_alias(name: &str) -> Option<&'static AnyTool> {
        let name = name.replace('-', "_");
        Self::tools().iter().find(|tool| tool.name == name || tool.aliases.contains(&name.as_str()))
    }
}

/// A function that runs a call whose arguments are not validated yet.
pub(crate) type CallRunner = fn(&'static AnyTool, &CodeAccess, &CallContext, Value) -> Reply;

/// A tool with its types erased, so that it can be called by name.
pub struct AnyTool {
    /// The tool's name, in snake case.
    pub name: &'static str,
    /// Aliases of the tool.
    pub aliases: &'static [&'static str],
    /// The parameters that the command line accepts without a flag, in order.
    pub positional_parameters: &'static [&'static str],
    /// Aliases of parameters: (alias, parameter name).
    pub parameter_aliases: &'static [(&'static str, &'static str)],
    /// Parameters that only the full documentation mode names.
    pub rare_parameters: &'static [&'static str],
    /// Parameters whose text may be long, each with the limit on its characters.
    pub(crate) long_text_parameters: &'static [(&'static str, usize)],
    /// Names of arguments that are accepted and ignored.
    pub ignored_arguments: &'static [&'static str],
    /// Single-letter flags of the command line: (letter, parameter).
    pub short_flags: &'static [(char, &'static str)],
    /// Hidden flags of the command line without effect: (letter, long name).
    pub ignored_flags: &'static [(char, &'static str)],
    /// Example calls, in command line syntax.
    pub examples: &'static [&'static str],
    /// Whether rows have columns that a terminal aligns.
    pub has_aligned_columns: bool,
    /// How the server's instructions present the tool.
    pub guide: ToolGuide,
    /// The kind of the tool's results.
    pub result_kind: ResultKind,
    /// Whether agents may call the tool.
    pub is_for_agents: bool,
    /// The token limit of the answer to an agent's call that requests no budget.
    pub agent_tokens: usize,
    /// The token limit of such an answer where names alone take more than [`AnyTool::agent_tokens`].
    pub agent_tokens_for_names: usize,
    required_services: &'static [RequiredService],
    pub(crate) label_parameters: &'static [&'static str],
    argument_adapter: fn(&mut Map<String, Value>),
    schema_builder: fn() -> Value,
    pub(crate) call_runner: CallRunner,
    pub(crate) next_calls: &'static dyn FollowUpCallBuilder,
    tool_description: OnceLock<ToolDescription>,
}

struct ToolDescription {
    schema: Value,
    summary: String,
    description: String,
    parameters: Vec<Parameter>,
}

impl AnyTool {
    /// Erases the types of a tool. `answer` runs its calls, and `next` builds the follow-up calls in its answers.
    pub(crate) const fn new_with_call_runner<T: Tool>(
        answer: CallRunner,
        next: &'static dyn FollowUpCallBuilder,
    ) -> Self {
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            positional_parameters: T::POSITIONAL_PARAMETERS,
            parameter_aliases: T::PARAMETER_ALIASES,
            rare_parameters: T::RARE_PARAMETERS,
            long_text_parameters: T::LONG_TEXT_PARAMETERS,
            ignored_arguments: T::IGNORED_ARGUMENTS,
            short_flags: T::SHORT_FLAGS,
            ignored_flags: T::IGNORED_FLAGS,
            examples: T::EXAMPLES,
            has_aligned_columns: T::HAS_ALIGNED_COLUMNS,
            guide: T::GUIDE,
            result_kind: T::RESULT_KIND,
            is_for_agents: T::IS_FOR_AGENTS,
            agent_tokens: T::AGENT_TOKENS,
            agent_tokens_for_names: T::AGENT_TOKENS_FOR_NAMES,
            required_services: T::REQUIRED_SERVICES,
            label_parameters: T::LABEL_PARAMETERS,
            argument_adapter: T::adapt_arguments_for_agent,
            schema_builder: build_parameters_schema::<T>,
            call_runner: answer,
            next_calls: next,
            tool_description: OnceLock::new(),
        }
    }

    /// The JSON schema of the tool's parameters.
    pub fn parameters_schema(&self) -> &Value {
        &self.tool_description().schema
    }

    /// The tool's short description, in one line.
    pub fn summary(&self) -> &str {
        &self.tool_description().summary
    }

    /// The tool's full description.
    pub fn description(&self) -> &str {
        &self.tool_description().description
    }

    /// The tool's parameters, in the order of the schema.
    pub fn parameters(&self) -> &[Parameter] {
        &self.tool_description().parameters
    }

    /// The parameter of the tool whose name equals `name`; aliases are not considered.
    pub(crate) fn parameter_by_exact_name(&self, name: &str) -> Option<&Parameter> {
        self.parameters().iter().find(|parameter| parameter.name == name)
    }

    /// Whether the tool needs the given service in addition to the project.
    pub fn requires_service(&self, need: RequiredService) -> bool {
        self.required_services.contains(&need)
    }

    /// Adapts the arguments of an agent's call, under canonical parameter names, to what serves an agent best.
    pub fn adapt_arguments_for_agent(&self, arguments: &mut Map<String, Value>) {
        (self.argument_adapter)(arguments);
    }

    fn tool_description(&self) -> &ToolDescription {
        self.tool_description.get_or_init(|| {
            let schema = (self.schema_builder)();
            let written = schema.get("description").and_then(Value::as_str).unwrap_or("");
            // The lines of a paragraph are joined, because the reader's program wraps them.
            let paragraphs: Vec<String> = written.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
            let description = paragraphs.join("\n\n");
            let summary = description.lines().next().unwrap_or("").to_owned();
            let parameters = parameter::parameters_from_schema(&schema);
            ToolDescription { schema, summary, description, parameters }
        })
    }
}

fn build_parameters_schema<T: Tool>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T::Parameters>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    if let Some(forms) = schema.pointer_mut("/properties/format/oneOf").and_then(Value::as_array_mut) {
        forms.retain(|form| {
            let is_drawing = Format::GRAPH_FORMATS.iter().any(|drawing| form["const"] == *drawing);
            let is_list_of_places = form["const"] == Format::Vimgrep.as_str();
            (T::HAS_GRAPH_FORMATS || !is_drawing) && (T::HAS_PLACES || !is_list_of_places)
        });
    }
    schema
}

impl std::fmt::Debug for AnyTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyTool").field("name", &self.name).finish_non_exhaustive()
    }
}
