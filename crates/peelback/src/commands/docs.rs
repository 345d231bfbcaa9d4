//! `peelback docs`: prints the tool documentation that a model receives, and its cost in tokens.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use peelback_tools::{DocumentationMode, ToolDeclaration, all_tools};
use serde_json::{Value, json};

use crate::arguments::{flag_with_fixed_choices, load_settings_with_flags, root_argument_definition};
use crate::exit::{ExitStatus, print_to_stdout};
use crate::non_tool_command::{CommandRunner, NonToolCommand};

pub(super) const COMMAND: NonToolCommand = NonToolCommand {
    name: "docs",
    build_grammar: docs_command_grammar,
    runner: CommandRunner::WithMatches(run_docs_command),
};

fn docs_command_grammar() -> Command {
    Command::new("docs")
        .about("Prints what a model would see of the tools, and the tokens that it costs")
        .arg(
            flag_with_fixed_choices("tool_documentation_mode", DocumentationMode::ALL.map(DocumentationMode::as_str))
                .long("mode")
                .alias("docs")
                .value_name("MODE")
                .help("How much of the docs; by default what the configuration says"),
        )
        .arg(
            flag_with_fixed_choices("format", ["markdown", "json"])
                .default_value("markdown")
                .value_name("FORMAT")
                .help("The form"),
        )
        .arg(root_argument_definition())
}

fn run_docs_command(matches: &ArgMatches) -> ExitStatus {
    let settings = match load_settings_with_flags(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    let list = ToolList::for_documentation_mode(settings.tool_documentation_mode.value);
    match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => print_to_stdout(format!("{}\n", list.to_json()).as_bytes()),
        _ => print_to_stdout(list.to_markdown().as_bytes()),
    }
}

/// The list of tools as one documentation mode declares it to a model, with its cost in tokens.
pub(super) struct ToolList {
    pub mode: DocumentationMode,
    /// The declaration of each tool, and the number of tokens in it.
    pub tools: Vec<(ToolDeclaration, usize)>,
}

impl ToolList {
    pub fn for_documentation_mode(mode: DocumentationMode) -> Self {
        let declarations = all_tools().iter().map(|tool| tool.tool_declaration(mode));
        let tools = declarations.map(|declaration| {
            let tokens = count_tool_declaration_tokens(&declaration);
            (declaration, tokens)
        });
        let tools = tools.collect();
        Self { mode, tools }
    }

    /// The number of tokens in the declarations of all tools.
    pub fn total_tokens(&self) -> usize {
        self.tools.iter().map(|(_, tokens)| tokens).sum()
    }

    /// The average number of tokens in the declaration of a tool.
    pub fn average_tokens_per_tool(&self) -> usize {
        self.total_tokens().div_ceil(self.tools.len().max(1))
    }

    fn total_tokens_in_full_mode(&self) -> usize {
        match self.mode {
            DocumentationMode::Full => self.total_tokens(),
            _ => Self::for_documentation_mode(DocumentationMode::Full).total_tokens(),
        }
    }

    fn to_json(&self) -> Value {
        let tools: Vec<Value> = self
            .tools
            .iter()
            .map(|(tool, tokens)| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.input_schema,
                    "tokens": tokens,
                })
            })
            .collect();
        let full = self.total_tokens_in_full_mode();
        json!({
            "mode": self.mode.as_str(),
            "tools": tools,
            "total_tokens": self.total_tokens(),
            "average_tokens": self.average_tokens_per_tool(),
            "full_tokens": full,
            "percent_of_full": percent_rounded_up(self.total_tokens(), full),
        })
    }

    fn to_markdown(&self) -> String {
        let full = self.total_tokens_in_full_mode();
        let mut out = format!(
            "# Tools, {} docs\n\n{} tools, {} tokens (o200k), {} each on average; {}% of the full docs ({full}).\n",
            self.mode.as_str(),
            self.tools.len(),
            self.total_tokens(),
            self.average_tokens_per_tool(),
            percent_rounded_up(self.total_tokens(), full),
        );
        for (tool, tokens) in &self.tools {
            let _ = write!(
                out,
                "\n## {}  ({tokens} tokens)\n\n{}\n\n```json\n{}\n```\n",
                tool.name, tool.description, tool.input_schema
            );
        }
        out
    }
}

/// The number of tokens in a tool's name, description and input schema, as a server sends them to its client.
fn count_tool_declaration_tokens(declaration: &ToolDeclaration) -> usize {
    // Serialising a declaration cannot fail, because it contains only text and JSON.
    peelback_tokens::count_tokens(&serde_json::to_string(declaration).unwrap_or_default())
}

fn percent_rounded_up(part: usize, whole: usize) -> usize {
    (part * 100).div_ceil(whole.max(1))
}
