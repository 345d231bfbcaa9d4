//! The tool contract: parameters and answer are types, erased once, here.

use std::sync::OnceLock;

use peelback_code::CodeAccess;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::Reply;
use crate::arguments;
use crate::call;
use crate::recover::RecoverableError;
use crate::view::{Format, View};

/// A tool: one file, one word in the list.
///
/// Its documentation is the doc comment of its parameters: the first line alone is the short form. A parameter's doc
/// comment documents the parameter.
pub trait Tool: Send + Sync + 'static {
    /// The parameters; their fields and comments are the tool's schema and docs.
    type Parameters: DeserializeOwned + JsonSchema;

    /// The name, in snake case.
    const NAME: &'static str;
    /// Other names that it answers to: a short one, and those that agents guess.
    const ALIASES: &'static [&'static str];
    /// The parameters that a command line takes without their flag, in order. Where fewer values are given than
    /// there are names, the last name gets the last value, so that an optional one comes first.
    const POSITIONAL: &'static [&'static str];
    /// Other names of parameters: (what callers write, what the parameter is called).
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Parameters that need a word even in the middle tier of the docs: their names do not say what to give.
    const EXPLAINED: &'static [&'static str] = &[];
    /// Names of arguments that callers give and that change nothing, since what they ask for is done anyway.
    const IGNORED: &'static [&'static str] = &[];
    /// Single-letter flags: (letter, parameter).
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[];
    /// Whether its answer can be drawn: the forms `dot` and `mermaid`.
    const DRAWS: bool = false;
    /// Calls that show what it does, as a command line takes them.
    const EXAMPLES: &'static [&'static str];

    /// The part of the parameters that shapes the answer.
    fn view(parameters: &Self::Parameters) -> &View;

    /// Answers a call.
    ///
    /// # Errors
    /// What the caller can mend.
    fn call(access: &CodeAccess, parameters: Self::Parameters) -> Result<Reply, RecoverableError>;
}

/// A tool without its types.
pub struct AnyTool {
    /// The name, in snake case.
    pub name: &'static str,
    /// Other names that it answers to.
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
    /// Calls that show what it does.
    pub examples: &'static [&'static str],
    schema: fn() -> Value,
    call: fn(&'static AnyTool, &CodeAccess, Value, Option<usize>) -> Reply,
    described: OnceLock<Described>,
}

struct Described {
    schema: Value,
    summary: String,
    description: String,
    parameters: Vec<Parameter>,
}

/// The type of a parameter, as a command line needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// Text.
    String,
    /// A whole number, zero or more.
    Integer,
    /// A flag.
    Boolean,
    /// Texts; the flag may be given several times.
    Strings,
}

impl ParameterType {
    /// The word that docs print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Strings => "strings",
        }
    }
}

/// A parameter, read off the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in snake case.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its type.
    pub kind: ParameterType,
    /// The only values it takes, where it has such.
    pub choices: Vec<String>,
    /// The values that each entry of a list is one of; empty when any will do.
    pub entries: Vec<String>,
    /// Whether a call must give it.
    pub required: bool,
}

impl AnyTool {
    /// Erases a tool's types.
    pub const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            aliases: T::ALIASES,
            positional: T::POSITIONAL,
            parameter_aliases: T::PARAMETER_ALIASES,
            explained: T::EXPLAINED,
            ignored: T::IGNORED,
            short_flags: T::SHORT_FLAGS,
            examples: T::EXAMPLES,
            schema: schema::<T>,
            call: answer::<T>,
            described: OnceLock::new(),
        }
    }

    /// The JSON schema of the parameters.
    pub fn schema(&self) -> &Value {
        &self.described().schema
    }

    /// What it does, in one line.
    pub fn summary(&self) -> &str {
        &self.described().summary
    }

    /// What it does, in full.
    pub fn description(&self) -> &str {
        &self.described().description
    }

    /// The parameters in the order of the schema.
    pub fn parameters(&self) -> &[Parameter] {
        &self.described().parameters
    }

    /// The parameter that an argument called `given` is taken for, by its own name or another.
    pub fn parameter_called(&self, given: &str) -> Option<&Parameter> {
        arguments::parameter(self, given)
    }

    /// Other names of a parameter.
    pub fn other_names(&self, parameter: &Parameter) -> impl Iterator<Item = &'static str> {
        let own = self.parameter_aliases.iter().chain(arguments::SHARED_ALIASES);
        own.filter(|(alias, name)| {
            *name == parameter.name && !self.parameters().iter().any(|other| other.name == *alias)
        })
        .map(|(alias, _)| *alias)
        .filter(|alias| {
            // A name that means another parameter of this tool first.
            let first = self
                .parameter_aliases
                .iter()
                .chain(arguments::SHARED_ALIASES)
                .find(|(own, name)| own == alias && self.parameters().iter().any(|other| other.name == *name));
            first.is_some_and(|(_, name)| *name == parameter.name)
        })
    }

    /// Answers a call whose arguments are a JSON object. Never fails: what is wrong with the call is the answer.
    pub fn call(&'static self, access: &CodeAccess, arguments: Value) -> Reply {
        (self.call)(self, access, arguments, None)
    }

    /// [`AnyTool::call`] for a caller whose answers must stay under `most` o200k tokens, whatever the call asks for.
    pub fn call_within(&'static self, access: &CodeAccess, arguments: Value, most: usize) -> Reply {
        (self.call)(self, access, arguments, Some(most))
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| {
            let schema = (self.schema)();
            let written = schema.get("description").and_then(Value::as_str).unwrap_or("");
            // Lines of one paragraph are one line: whoever shows them wraps them.
            let paragraphs: Vec<String> = written.split("\n\n").map(|lines| lines.replace('\n', " ")).collect();
            let description = paragraphs.join("\n\n");
            let summary = description.lines().next().unwrap_or("").to_owned();
            let parameters = arguments::parameters(&schema);
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

fn answer<T: Tool>(tool: &'static AnyTool, access: &CodeAccess, given: Value, ceiling: Option<usize>) -> Reply {
    let wanted = View::glimpse(tool, &given);
    call::for_project(access.project(), ceiling, || {
        let parameters = match arguments::normalise(tool, given).and_then(arguments::typed::<T::Parameters>) {
            Ok(parameters) => parameters,
            Err(invalid) => return Reply::failed(&invalid.into_error(tool, access), &wanted),
        };
        let view = T::view(&parameters).clone();
        T::call(access, parameters).unwrap_or_else(|failure| Reply::failed(&failure, &view))
    })
}

impl std::fmt::Debug for AnyTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnyTool").field("name", &self.name).finish_non_exhaustive()
    }
}
