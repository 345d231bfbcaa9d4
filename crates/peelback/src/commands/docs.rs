//! `peelback docs`: prints the tool documentation that a model receives, and its cost in tokens.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use peelback_tools::{Declaration, DocumentationMode, all};
use serde_json::{Value, json};

use crate::arguments::{choice_argument, root_argument, settings_of};
use crate::exit::{Exit, print};
use crate::own_command::{OwnCommand, Run};

pub(super) const COMMAND: OwnCommand = OwnCommand { name: "docs", command: grammar, run: Run::Alone(run) };

fn grammar() -> Command {
    Command::new("docs")
        .about("Prints what a model would see of the tools, and the tokens that it costs")
        .arg(
            choice_argument("tool_documentation_mode", DocumentationMode::ALL.map(DocumentationMode::as_str))
                .long("mode")
                .alias("docs")
                .value_name("MODE")
                .help("How much of the docs; by default what the configuration says"),
        )
        .arg(
            choice_argument("format", ["markdown", "json"])
                .default_value("markdown")
                .value_name("FORMAT")
                .help("The form"),
        )
        .arg(root_argument())
}

fn run(matches: &ArgMatches) -> Exit {
    let settings = match settings_of(matches) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    let list = ToolList::of(settings.tool_documentation_mode.value);
    match matches.get_one::<String>("format").map(String::as_str) {
        Some("json") => print(format!("{}\n", list.json()).as_bytes()),
        _ => print(list.markdown().as_bytes()),
    }
}

/// The list of tools as one documentation mode declares it, with its cost in tokens.
pub(super) struct ToolList {
    pub mode: DocumentationMode,
    /// Each tool's declaration and the number of its tokens.
    pub tools: Vec<(Declaration, usize)>,
}

impl ToolList {
    pub fn of(mode: DocumentationMode) -> Self {
        let declarations = all().iter().map(|tool| tool.declaration(mode));
        let tools = declarations.map(|declaration| {
            let tokens = tokens(&declaration);
            (declaration, tokens)
        });
        let tools = tools.collect();
        Self { mode, tools }
    }

    /// The number of tokens of the whole list of tools.
    pub fn total(&self) -> usize {
        self.tools.iter().map(|(_, tokens)| tokens).sum()
    }

    /// The average number of tokens of a tool's declaration.
    pub fn average(&self) -> usize {
        self.total().div_ceil(self.tools.len().max(1))
    }

    fn full_tokens(&self) -> usize {
        match self.mode {
            DocumentationMode::Full => self.total(),
            _ => Self::of(DocumentationMode::Full).total(),
        }
    }

    fn json(&self) -> Value {
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
        let full = self.full_tokens();
        json!({
            "mode": self.mode.as_str(),
            "tools": tools,
            "total_tokens": self.total(),
            "average_tokens": self.average(),
            "full_tokens": full,
            "percent_of_full": percent(self.total(), full),
        })
    }

    fn markdown(&self) -> String {
        let full = self.full_tokens();
        let mut out = format!(
            "# Tools, {} docs\n\n{} tools, {} tokens (o200k), {} each on average; {}% of the full docs ({full}).\n",
            self.mode.as_str(),
            self.tools.len(),
            self.total(),
            self.average(),
            percent(self.total(), full),
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

/// The number of tokens of a tool's name, description and input schema, as a server sends them to its client.
fn tokens(declaration: &Declaration) -> usize {
    // Serialising a declaration cannot fail, because it contains only text and JSON.
    peelback_tokens::count_tokens(&serde_json::to_string(declaration).unwrap_or_default())
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).div_ceil(whole.max(1))
}
