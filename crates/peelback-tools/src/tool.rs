//! The tool contract, and a tool with its types erased.

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

/// What a tool needs besides the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Vectors of texts, where an embedding model is configured.
    Embedder,
    /// A writer of documents, which may ask a model over the network.
    DocumentGenerator,
}

/// A tool: one file, one word in the list.
///
/// The docs of a tool are the doc comment of its parameters: the first line alone is the short form. A parameter's doc
/// comment documents the parameter.
pub trait Tool: Send + Sync + 'static {
    /// The parameters; their fields and comments are the tool's schema and docs.
    type Parameters: DeserializeOwned + JsonSchema;

    /// The name, in snake case.
    const NAME: &'static str;
    /// Other names that the tool answers to: a short one, and those that agents guess.
    const ALIASES: &'static [&'static str];
    /// The parameters that a command line takes without their flag, in order. Where fewer values are given than
    /// there are names, the last name gets the last value, so that an optional one comes first.
    const POSITIONAL: &'static [&'static str];
    /// Other names of parameters: (what callers write, what the parameter is called).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Parameters that need a word even in the middle tier of the docs: their names do not say what to give.
    const EXPLAINED: &'static [&'static str] = &[];
    /// Names of arguments that callers give and that change nothing, since the tool does anyway what they ask for.
    const IGNORED: &'static [&'static str] = &[];
    /// Single-letter flags: (letter, parameter).
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[];
    /// Hidden flags of the command line that change nothing: (letter, long name).
    const IGNORED_FLAGS: &'static [(char, &'static str)] = &[];
    /// Calls that show what the tool does, as a command line takes them.
    const EXAMPLES: &'static [&'static str];
    /// Whether the answer can be drawn as a graph: the formats `dot` and `mermaid`.
    const DRAWS: bool = false;
    /// Whether the rows are columns that a terminal aligns.
    const COLUMNS: bool = false;
    /// What the tool needs besides the project.
    const NEEDS: &'static [Need] = &[];
    /// The kind of the results, which decides what a conversation keeps of them.
    const RESULT: ResultKind;
    /// The parameters of which the first that is given says what a call is about.
    const SUBJECT: &'static [&'static str];
    /// Whether an agent may call the tool.
    const IS_FOR_AGENTS: bool = true;
    /// The most tokens of an answer to an agent's call that names no budget.
    const AGENT_TOKENS: usize;

    /// The part of the parameters that shapes the answer.
    fn view(parameters: &Self::Parameters) -> &View;

    /// Changes the arguments of an agent's call, which are under the parameters' own names, to what serves an agent best.
    fn adapt_for_agent(_arguments: &mut Map<String, Value>) {}

    /// Answers a call.
    ///
    /// # Errors
    /// What the caller can recover from.
    fn call(
        access: &CodeAccess,
        context: &CallContext,
        parameters: Self::Parameters,
    ) -> Result<Reply, RecoverableError>;
}

/// Answers a call whose arguments are not checked yet.
pub(crate) type Answerer = fn(&'static AnyTool, &CodeAccess, &CallContext, Value) -> Reply;

/// A tool without its types.
pub struct AnyTool {
    /// The name, in snake case.
    pub name: &'static str,
    /// Other names that the tool answers to.
    pub aliases: &'static [&'static str],
    /// The parameters that a command line takes without their flag.
    pub positional: &'static [&'static str],
    /// Other names of parameters.
    pub parameter_aliases: &'static [(&'static str, &'static str)],
    /// Parameters that need a word even in the middle tier of the docs.
    pub explained: &'static [&'static str],
    /// Names of arguments that change nothing.
    pub ignored: &'static [&'static str],
    /// Single-letter flags.
    pub short_flags: &'static [(char, &'static str)],
    /// Hidden flags of the command line that change nothing: (letter, long name).
    pub ignored_flags: &'static [(char, &'static str)],
    /// Calls that show what the tool does.
    pub examples: &'static [&'static str],
    /// Whether the rows are columns that a terminal aligns.
    pub columns: bool,
    /// The kind of the results.
    pub result: ResultKind,
    /// Whether an agent may call the tool.
    pub is_for_agents: bool,
    /// The most tokens of an answer to an agent's call that names no budget.
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
    /// Erases a tool's types. `answer` answers its calls, and `next` builds the calls that its answers offer.
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

    /// What the tool does, in one line.
    pub fn summary(&self) -> &str {
        &self.described().summary
    }

    /// What the tool does, in full.
    pub fn description(&self) -> &str {
        &self.described().description
    }

    /// The parameters in the order of the schema.
    pub fn parameters(&self) -> &[Parameter] {
        &self.described().parameters
    }

    /// The parameter of exactly this name.
    pub(crate) fn parameter_named(&self, name: &str) -> Option<&Parameter> {
        self.parameters().iter().find(|parameter| parameter.name == name)
    }

    /// Whether the tool needs this besides the project.
    pub fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Changes the arguments of an agent's call, which are under the parameters' own names, to what serves an agent best.
    pub fn adapt_for_agent(&self, arguments: &mut Map<String, Value>) {
        (self.adapt_for_agent)(arguments);
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| {
            let schema = (self.schema)();
            let written = schema.get("description").and_then(Value::as_str).unwrap_or("");
            // The lines of one paragraph are joined: the reader's program wraps them.
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
