//! The trait of all tools, and a tool with its types erased.

use std::sync::OnceLock;

use peelback_code::CodeAccess;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::CallContext;
use crate::next::NextCalls;
use crate::parameter::{self, Parameter};
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::view::{Format, View};

/// A service that a tool needs in addition to the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Text embeddings, where an embedding model is configured.
    Embedder,
    /// A generator of documents, which may call a model over the network.
    DocumentGenerator,
}

/// A tool that callers run by name. Each tool is one file, and one entry in the list of tools.
///
/// The doc comment of the parameter type is the tool's documentation; its first line alone is the short form. The doc
/// comment of a field documents that parameter.
pub trait Tool: Send + Sync + 'static {
    /// The parameter type; its fields and doc comments generate the tool's schema and documentation.
    type Parameters: DeserializeOwned + JsonSchema;

    /// The tool's name, in snake case.
    const NAME: &'static str;
    /// Aliases of the tool: a short name, and names that agents guess.
    const ALIASES: &'static [&'static str];
    /// The parameters that the command line accepts without a flag, in order. Where a call has fewer values than this
    /// list has names, the last name gets the last value, so optional parameters come first.
    const POSITIONAL: &'static [&'static str];
    /// Aliases of parameters: (alias, parameter name).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Parameters that need a description even in the middle documentation mode, because their names do not explain the
    /// value.
    const EXPLAINED: &'static [&'static str] = &[];
    /// Names of arguments that are accepted and ignored, because the tool always does what they request.
    const IGNORED: &'static [&'static str] = &[];
    /// Single-letter flags of the command line: (letter, parameter).
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[];
    /// Hidden flags of the command line without effect: (letter, long name).
    const IGNORED_FLAGS: &'static [(char, &'static str)] = &[];
    /// Example calls, in command line syntax.
    const EXAMPLES: &'static [&'static str];
    /// Whether the answer can be rendered as a graph, in the formats `dot` and `mermaid`.
    const DRAWS: bool = false;
    /// Whether rows have columns that a terminal aligns.
    const COLUMNS: bool = false;
    /// The services that the tool needs in addition to the project.
    const NEEDS: &'static [Need] = &[];
    /// The kind of the tool's results, which determines their retention in a conversation.
    const RESULT: ResultKind;
    /// Parameters that describe a call in its label: the first one with a value is used.
    const SUBJECT: &'static [&'static str];
    /// Whether agents may call the tool.
    const IS_FOR_AGENTS: bool = true;
    /// The most tokens of the answer to an agent's call without a budget.
    const AGENT_TOKENS: usize;

    /// The part of the parameters that controls size and format of the answer.
    fn view(parameters: &Self::Parameters) -> &View;

    /// Adapts the arguments of an agent's call, under canonical parameter names, to what serves an agent best.
    fn adapt_for_agent(_arguments: &mut Map<String, Value>) {}

    /// Runs a call of the tool.
    ///
    /// # Errors
    /// An error from which the caller can recover.
    fn call(
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
    fn tool_named(name: &str) -> Option<&'static AnyTool> {
        let name = name.replace('-', "_");
        Self::tools().iter().find(|tool| tool.name == name || tool.aliases.contains(&name.as_str()))
    }
}

/// A function that runs a call whose arguments are not validated yet.
pub(crate) type Answerer = fn(&'static AnyTool, &CodeAccess, &CallContext, Value) -> Reply;

/// A tool with its types erased, for dispatch by name.
pub struct AnyTool {
    /// The tool's name, in snake case.
    pub name: &'static str,
    /// Aliases of the tool.
    pub aliases: &'static [&'static str],
    /// The parameters that the command line accepts without a flag, in order.
    pub positional: &'static [&'static str],
    /// Aliases of parameters: (alias, parameter name).
    pub parameter_aliases: &'static [(&'static str, &'static str)],
    /// Parameters that need a description even in the middle documentation mode.
    pub explained: &'static [&'static str],
    /// Names of arguments that are accepted and ignored.
    pub ignored: &'static [&'static str],
    /// Single-letter flags of the command line: (letter, parameter).
    pub short_flags: &'static [(char, &'static str)],
    /// Hidden flags of the command line without effect: (letter, long name).
    pub ignored_flags: &'static [(char, &'static str)],
    /// Example calls, in command line syntax.
    pub examples: &'static [&'static str],
    /// Whether rows have columns that a terminal aligns.
    pub columns: bool,
    /// The kind of the tool's results.
    pub result: ResultKind,
    /// Whether agents may call the tool.
    pub is_for_agents: bool,
    /// The most tokens of the answer to an agent's call without a budget.
    pub agent_tokens: usize,
    needs: &'static [Need],
    pub(crate) subject: &'static [&'static str],
    adapt_for_agent: fn(&mut Map<String, Value>),
    schema: fn() -> Value,
    pub(crate) answer: Answerer,
    pub(crate) next: &'static dyn NextCalls,
    described: OnceLock<Described>,
}

struct Described {
    schema: Value,
    summary: String,
    description: String,
    parameters: Vec<Parameter>,
}

impl AnyTool {
    /// Erases the types of a tool. `answer` runs its calls, and `next` builds the follow-up calls in its answers.
    pub(crate) const fn erase<T: Tool>(answer: Answerer, next: &'static dyn NextCalls) -> Self {
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            positional: T::POSITIONAL,
            parameter_aliases: T::PARAMETER_ALIASES,
            explained: T::EXPLAINED,
            ignored: T::IGNORED,
            short_flags: T::SHORT_FLAGS,
            ignored_flags: T::IGNORED_FLAGS,
            examples: T::EXAMPLES,
            columns: T::COLUMNS,
            result: T::RESULT,
            is_for_agents: T::IS_FOR_AGENTS,
            agent_tokens: T::AGENT_TOKENS,
            needs: T::NEEDS,
            subject: T::SUBJECT,
            adapt_for_agent: T::adapt_for_agent,
            schema: schema::<T>,
            answer,
            next,
            described: OnceLock::new(),
        }
    }

    /// The JSON schema of the parameters.
    pub fn schema(&self) -> &Value {
        &self.described().schema
    }

    /// The tool's short description, in one line.
    pub fn summary(&self) -> &str {
        &self.described().summary
    }

    /// The tool's full description.
    pub fn description(&self) -> &str {
        &self.described().description
    }

    /// The parameters, in the order of the schema.
    pub fn parameters(&self) -> &[Parameter] {
        &self.described().parameters
    }

    /// The parameter whose name equals `name`; aliases are not considered.
    pub(crate) fn parameter_named(&self, name: &str) -> Option<&Parameter> {
        self.parameters().iter().find(|parameter| parameter.name == name)
    }

    /// Whether the tool needs the given service in addition to the project.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Adapts the arguments of an agent's call, under canonical parameter names, to what serves an agent best.
    pub fn adapt_for_agent(&self, arguments: &mut Map<String, Value>) {
        (self.adapt_for_agent)(arguments);
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| {
            let schema = (self.schema)();
            let written = schema.get("description").and_then(Value::as_str).unwrap_or("");
            // The lines of a paragraph are joined, because the reader's program wraps them.
            let paragraphs: Vec<String> = written.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
            let description = paragraphs.join("\n\n");
            let summary = description.lines().next().unwrap_or("").to_owned();
            let parameters = parameter::from_schema(&schema);
            Described { schema, summary, description, parameters }
        })
    }
}

fn schema<T: Tool>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T::Parameters>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    if !T::DRAWS
        && let Some(forms) = schema.pointer_mut("/properties/format/oneOf").and_then(Value::as_array_mut)
    {
        forms.retain(|form| !Format::DRAWINGS.iter().any(|drawing| form["const"] == *drawing));
    }
    schema
}

impl std::fmt::Debug for AnyTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyTool").field("name", &self.name).finish_non_exhaustive()
    }
}
