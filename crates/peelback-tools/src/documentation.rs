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
    /// Every parameter with its type; words only where the name does not say it.
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
            _ => out.push_str(self.summary()),
        }
        out.push('\n');
        if mode == DocumentationMode::Progressive {
            self.write_parameters_in_short(&mut out);
            let _ = writeln!(out, "  and {}", self.shared_parameters_in_short());
            return out;
        }
        for parameter in self.parameters_documented_in_mode(mode) {
            let required = if parameter.is_required { ", required" } else { "" };
            let _ = write!(out, "  {} ({}{required})", parameter.name, parameter.type_name_or_choices());
            match mode {
                DocumentationMode::Full => {
                    let _ = write!(out, ": {}", parameter.description);
                }
                DocumentationMode::Progressive if self.should_describe_parameter(parameter) => {
                    let _ = write!(out, ": {}", parameter.first_description_clause());
                }
                _ => {}
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

    /// The documentation of the progressive tier without the parameters that all tools have.
    pub(crate) fn documentation_text_without_shared_parameters(&self) -> String {
        let mut out = format!("{}: {}\n", self.name, self.summary());
        self.write_parameters_in_short(&mut out);
        out
    }

    /// Writes the tool's own parameters in one line, with their types.
    fn write_parameters_in_short(&self, out: &mut String) {
        let own = self.parameters().iter().filter(|one| !is_shared_parameter(one) && !self.is_rare_parameter(one));
        let in_short = |parameter: &Parameter| {
            let required = if parameter.is_required { ", required" } else { "" };
            let described = match self.should_describe_parameter(parameter) {
                true => format!(": {}", parameter.first_description_clause()),
                false => String::new(),
            };
            format!("{} ({}{required}){described}", parameter.name, parameter.type_name_or_choices())
        };
        let own: Vec<String> = own.map(in_short).collect();
        if !own.is_empty() {
            let _ = writeln!(out, "  {}", own.join(", "));
        }
    }

    /// The parameters that all tools have, in one line. Of those with choices, the choices of this tool.
    pub(crate) fn shared_parameters_in_short(&self) -> String {
        let shared = self.parameters().iter().filter(|parameter| is_shared_parameter(parameter));
        let in_short = |parameter: &Parameter| match parameter.choices.is_empty() {
            true => parameter.name.clone(),
            false => format!("{} ({})", parameter.name, parameter.type_name_or_choices()),
        };
        shared.map(in_short).collect::<Vec<String>>().join(", ")
    }

    /// The parameters that the tool's documentation in one mode lists.
    fn parameters_documented_in_mode(&self, mode: DocumentationMode) -> impl Iterator<Item = &Parameter> {
        self.parameters().iter().filter(move |parameter| match mode {
            DocumentationMode::Minimal => {
                parameter.is_required || self.positional_parameters.contains(&parameter.name.as_str())
            }
            DocumentationMode::Progressive => !self.is_rare_parameter(parameter),
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
                property.insert("items".to_owned(), json!({ "type": "string" }));
            }
            kind => {
                property.insert("type".to_owned(), json!(kind.as_str()));
            }
        }
        match mode {
            DocumentationMode::Minimal => {}
            DocumentationMode::Progressive if !self.should_describe_parameter(parameter) => {}
            DocumentationMode::Progressive => {
                property.insert("description".to_owned(), json!(parameter.first_description_clause()));
            }
            DocumentationMode::Full => {
                property.insert("description".to_owned(), json!(parameter.description));
            }
        }
        Value::Object(property)
    }

    fn is_rare_parameter(&self, parameter: &Parameter) -> bool {
        self.rare_parameters.contains(&parameter.name.as_str())
    }

    /// Whether the parameter needs a description because its name and the tool's summary do not explain the value.
    fn should_describe_parameter(&self, parameter: &Parameter) -> bool {
        self.explained_parameters.contains(&parameter.name.as_str())
    }
}

impl Parameter {
    /// The parameter's type as the documentation names it: the choices where it has any, otherwise the type's name.
    fn type_name_or_choices(&self) -> String {
        if self.choices.is_empty() { self.value_type.as_str().to_owned() } else { self.choices.join("|") }
    }

    /// The first clause of the parameter's description.
    fn first_description_clause(&self) -> &str {
        self.description.split([';', '.']).next().unwrap_or("").trim_end()
    }
}

/// Whether all tools have a parameter.
fn is_shared_parameter(parameter: &Parameter) -> bool {
    parameter.name == "root" || OutputOptions::PARAMETER_NAMES.contains(&parameter.name.as_str())
}
