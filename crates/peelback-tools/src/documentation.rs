//! The documentation of tools that a model receives before any call, in three modes. All modes are generated from the
//! parameters and their doc comments.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::parameter::{Parameter, ParameterType};
use crate::tool::AnyTool;
use crate::view::OutputOptions;

/// How much of the tools' docs a model gets with the list of tools.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DocumentationMode {
    /// The name, one line, and the parameters that most calls need.
    Minimal,
    /// The name, one line, and each parameter of the tool's own with its type and what it means in a few words.
    #[default]
    Progressive,
    /// Everything, with examples.
    Full,
}

impl DocumentationMode {
    /// All modes, from the shortest to the longest documentation.
    pub const ALL: [Self; 3] = [Self::Minimal, Self::Progressive, Self::Full];

    /// The mode's name in configurations and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Progressive => "progressive",
            Self::Full => "full",
        }
    }
}

/// A tool's declaration, as a list of tools sends it to a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolDeclaration {
    /// The name under which the tool is called.
    pub name: &'static str,
    /// The description of the tool.
    pub description: String,
    /// The JSON schema of the arguments. Parameters that a mode leaves out are accepted nevertheless.
    pub input_schema: Value,
}

impl AnyTool {
    /// The tool's declaration with its documentation in one mode.
    pub fn tool_declaration(&self, mode: DocumentationMode) -> ToolDeclaration {
        let mut properties = Map::new();
        for parameter in self.parameters_documented_in_mode(mode) {
            properties.insert(parameter.name.clone(), self.schema_of_one_parameter(parameter, mode));
        }
        let mut schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        let required: Vec<&str> = self.parameters().iter().filter(|p| p.is_required).map(|p| p.name.as_str()).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        let description = match mode {
            DocumentationMode::Minimal | DocumentationMode::Progressive => self.summary().to_owned(),
            DocumentationMode::Full => {
                format!("{}\n\nExamples:\n{}", self.description(), self.examples.join("\n"))
            }
        };
        ToolDeclaration { name: self.name, description, input_schema: Value::Object(schema) }
    }

    /// The tool's documentation in one mode as text, for errors and for `search_tools`.
    pub fn documentation_text(&self, mode: DocumentationMode) -> String {
        let mut out = format!("{}: ", self.name);
        match mode {
            DocumentationMode::Full => out.push_str(self.description()),
            DocumentationMode::Minimal | DocumentationMode::Progressive => out.push_str(self.summary()),
        }
        out.push('\n');
        for parameter in self.parameters_documented_in_mode(mode) {
            let required = if parameter.is_required { ", required" } else { "" };
            let _ = write!(out, "  {} ({}{required})", parameter.name, parameter.type_name_or_choices());
            match mode {
                DocumentationMode::Minimal => {}
                DocumentationMode::Progressive => {
                    let _ = write!(out, ": {}", parameter.brief);
                }
                DocumentationMode::Full => {
                    let _ = write!(out, ": {}", parameter.full_description());
                }
            }
            out.push('\n');
        }
        if mode == DocumentationMode::Full {
            out.push_str("examples:\n");
            for example in self.examples {
                let _ = writeln!(out, "  {example}");
            }
        }
        out
    }

    /// The parameters that the tool's documentation in one mode lists. Those that all tools have are described once, by
    /// [`describe_shared_parameters`], and not with each tool.
    fn parameters_documented_in_mode(&self, mode: DocumentationMode) -> impl Iterator<Item = &Parameter> {
        let is_needed = |parameter: &Parameter| {
            parameter.is_required || self.positional_parameters.contains(&parameter.name.as_str())
        };
        self.parameters().iter().filter(move |parameter| match mode {
            DocumentationMode::Minimal => is_needed(parameter),
            DocumentationMode::Progressive => !parameter.is_shared_by_all_tools() && !self.is_rare_parameter(parameter),
            DocumentationMode::Full => true,
        })
    }

    fn schema_of_one_parameter(&self, parameter: &Parameter, mode: DocumentationMode) -> Value {
        let mut property = Map::new();
        match parameter.value_type {
            // The list of choices already implies the type.
            _ if !parameter.choices.is_empty() => {
                property.insert("enum".to_owned(), json!(parameter.choices));
            }
            ParameterType::Strings => {
                property.insert("type".to_owned(), json!("array"));
                // Some hosts reject an array schema without an item type.
                let mut items = Map::from_iter([("type".to_owned(), json!("string"))]);
                if !parameter.entry_choices.is_empty() && mode != DocumentationMode::Minimal {
                    items.insert("enum".to_owned(), json!(parameter.entry_choices));
                }
                property.insert("items".to_owned(), Value::Object(items));
            }
            kind => {
                property.insert("type".to_owned(), json!(kind.as_str()));
            }
        }
        match mode {
            DocumentationMode::Minimal => {}
            DocumentationMode::Progressive => {
                property.insert("description".to_owned(), json!(parameter.brief));
            }
            DocumentationMode::Full => {
                property.insert("description".to_owned(), json!(parameter.full_description()));
            }
        }
        Value::Object(property)
    }

    fn is_rare_parameter(&self, parameter: &Parameter) -> bool {
        self.rare_parameters.contains(&parameter.name.as_str())
    }
}

impl Parameter {
    /// Whether all tools have the parameter.
    pub fn is_shared_by_all_tools(&self) -> bool {
        OutputOptions::PARAMETER_NAMES.contains(&self.name.as_str())
    }

    /// The parameter's type as the documentation names it: the choices where it has any, otherwise the type's name.
    fn type_name_or_choices(&self) -> String {
        match (self.choices.is_empty(), self.entry_choices.is_empty()) {
            (false, _) => self.choices.join("|"),
            (true, false) => format!("{} of {}", self.value_type.as_str(), self.entry_choices.join("|")),
            (true, true) => self.value_type.as_str().to_owned(),
        }
    }
}

/// The parameters that all of `tools` have, in one line, with the values that all of them take and what each parameter
/// means; those named in `left_out` are left out.
pub fn describe_shared_parameters(tools: &[AnyTool], left_out: &[&str]) -> String {
    let Some(first) = tools.first() else { return String::new() };
    let shared = first.parameters().iter().filter(|parameter| parameter.is_shared_by_all_tools());
    let described = shared.filter(|parameter| !left_out.contains(&parameter.name.as_str())).map(|parameter| {
        let is_accepted_by = |tool: &AnyTool, choice: &String| {
            tool.parameter_by_exact_name(&parameter.name).is_some_and(|own| own.choices.contains(choice))
        };
        let choices = parameter.choices.iter().filter(|choice| tools.iter().all(|tool| is_accepted_by(tool, choice)));
        let choices: Vec<&str> = choices.map(String::as_str).collect();
        // Inside a sentence.
        let mut letters = parameter.brief.chars();
        let brief: String = letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect();
        match choices.is_empty() {
            true => format!("{} ({brief})", parameter.name),
            false => format!("{} {} ({brief})", parameter.name, choices.join("|")),
        }
    });
    described.collect::<Vec<String>>().join(", ")
}
