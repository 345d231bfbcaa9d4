//! The instructions of the server, which hosts show to models. Their text stands in two files with placeholders; what they
//! say of each tool comes from the tools.

use std::sync::LazyLock;

use peelback_tools::{AnyTool, ExplorationStep, all_tools, describe_shared_parameters};

use crate::config::SystemPromptMode;

/// The order of the steps, the costs of the tools, and how to continue.
static INSTRUCTIONS: LazyLock<String> =
    LazyLock::new(|| replace_tool_placeholders(include_str!("instructions.txt"), all_tools()));

/// The order of the steps and how to continue, for hosts where every token counts.
static MINIMAL_INSTRUCTIONS: LazyLock<String> =
    LazyLock::new(|| replace_tool_placeholders(include_str!("instructions_minimal.txt"), all_tools()));

/// The instructions that the server sends to hosts in the given mode.
pub fn mcp_server_instructions(mode: SystemPromptMode) -> &'static str {
    match mode {
        SystemPromptMode::Minimal => &MINIMAL_INSTRUCTIONS,
        SystemPromptMode::Default => &INSTRUCTIONS,
    }
}

/// The steps with their placeholders in the text.
const PLACEHOLDERS_OF_STEPS: [(&str, ExplorationStep); 6] = [
    ("{search}", ExplorationStep::Search),
    ("{outline}", ExplorationStep::Outline),
    ("{drill}", ExplorationStep::Drill),
    ("{connect}", ExplorationStep::Connect),
    ("{ask}", ExplorationStep::Ask),
    ("{documentation}", ExplorationStep::Documentation),
];

/// The text with each placeholder replaced by what the tools say of themselves.
fn replace_tool_placeholders(text: &str, tools: &[AnyTool]) -> String {
    let mut text = text.to_owned();
    for (placeholder, step) in PLACEHOLDERS_OF_STEPS {
        // A tool that answers questions is presented by its result.
        let separator = if step == ExplorationStep::Ask { ": " } else { " " };
        let of_step = tools.iter().filter(|tool| tool.guide.step == step);
        let sentences: Vec<String> = of_step.map(|tool| [tool.name, tool.guide.phrase].join(separator)).collect();
        text = text.replace(placeholder, &sentences.join("; "));
    }
    let calls = tool_calls_cheapest_first(tools);
    let all: Vec<String> = calls.iter().map(|(tool, variant)| format!("{tool}{variant}")).collect();
    let plain: Vec<&str> = calls.iter().filter(|(_, variant)| variant.is_empty()).map(|(tool, _)| *tool).collect();
    text.replace("{calls_by_cost}", &all.join(", "))
        .replace("{tools_by_cost}", &plain.join(", "))
        .replace("{shared_parameters}", &describe_shared_parameters(tools, &[]))
}

/// The calls that have a rank by cost, cheapest first: (tool, words that follow its name).
fn tool_calls_cheapest_first(tools: &[AnyTool]) -> Vec<(&'static str, &'static str)> {
    let mut calls: Vec<(u8, &str, &str)> = tools
        .iter()
        .flat_map(|tool| tool.guide.cost_ranks.iter().map(|(rank, variant)| (*rank, tool.name, *variant)))
        .collect();
    calls.sort_unstable();
    calls.into_iter().map(|(_, tool, variant)| (tool, variant)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use peelback_tools::{all_tools, tool_by_name_or_alias};

    use super::{INSTRUCTIONS, MINIMAL_INSTRUCTIONS, PLACEHOLDERS_OF_STEPS};
    use crate::serve::prompts::tool_names_in_text;

    /// Words with an underscore in the instructions that are not names of tools.
    const OTHER_WORDS: &[&str] = &["max_tokens", "detail_level", "lower_bound", "must_follow"];

    #[test]
    fn hosts_show_the_instructions_whole() {
        let length = INSTRUCTIONS.chars().count();
        assert!(length < 2_000, "{length} characters: shorten the phrase of a tool, or instructions.txt");
        for word in ["Search", "Outline", "Drill", "Connect", "Cost", "hint", "offset"] {
            assert!(INSTRUCTIONS.contains(word), "{word}");
        }
        for (placeholder, _) in PLACEHOLDERS_OF_STEPS {
            assert!(
                !INSTRUCTIONS.contains(placeholder) && !MINIMAL_INSTRUCTIONS.contains(placeholder),
                "{placeholder}"
            );
        }
        assert!(!INSTRUCTIONS.contains("_by_cost}") && !MINIMAL_INSTRUCTIONS.contains("_by_cost}"));
    }

    #[test]
    fn the_instructions_name_every_tool_and_no_other() {
        let named = tool_names_in_text(&INSTRUCTIONS);
        for tool in all_tools() {
            assert!(named.contains(tool.name), "{} is not in the instructions", tool.name);
        }
        for name in named.into_iter().chain(tool_names_in_text(&MINIMAL_INSTRUCTIONS)) {
            assert!(tool_by_name_or_alias(name).is_some() || OTHER_WORDS.contains(&name), "{name} is no tool");
        }
    }

    #[test]
    fn no_two_calls_have_the_same_rank_by_cost() {
        let ranks: Vec<u8> = all_tools().iter().flat_map(|tool| tool.guide.cost_ranks).map(|(rank, _)| *rank).collect();
        assert_eq!(ranks.iter().collect::<BTreeSet<_>>().len(), ranks.len(), "{ranks:?}");
    }

    #[test]
    fn the_example_of_a_hint_is_a_call_that_works() {
        let example = INSTRUCTIONS.lines().find_map(|line| line.strip_prefix("grep ")).expect("the example");
        let arguments: serde_json::Map<String, serde_json::Value> = serde_json::from_str(example).expect("arguments");
        assert!(arguments.len() >= 2, "{example}");
        let grep = tool_by_name_or_alias("grep").expect("a tool");
        for name in arguments.keys() {
            assert!(grep.parameters().iter().any(|parameter| parameter.name == *name), "{name} in {example}");
        }
    }
}
