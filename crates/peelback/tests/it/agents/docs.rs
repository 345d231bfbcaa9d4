//! The docs that a model pays for with every request.

use std::fmt::Write as _;

use peelback_tools::{AnyTool, DocumentationMode, Parameter, all_tools, tool_by_name_or_alias};

use crate::agents::{repository, tokens};

/// Tokens of a tool's name, description and input schema, as the model's host sends them.
fn declaration_tokens(tool: &AnyTool, mode: DocumentationMode) -> usize {
    tokens(&serde_json::to_string(&tool.tool_declaration(mode)).expect("JSON"))
}

/// Tokens of all tools together.
fn total(mode: DocumentationMode) -> usize {
    all_tools().iter().map(|tool| declaration_tokens(tool, mode)).sum()
}

#[test]
fn the_tiers_stay_small() {
    let average = |mode| total(mode) as f64 / all_tools().len() as f64;
    let [minimal, progressive, full] = DocumentationMode::ALL.map(average);
    println!("minimal {minimal:.1}, progressive {progressive:.1}, full {full:.1} tokens a tool\n{}", table());
    assert!(minimal <= 45.0, "minimal: {minimal}");
    assert!(progressive <= 125.0, "progressive: {progressive}");
    // The mean was 394 when this was written. The full docs of one tool are sent with an error, so that a tool may say what
    // it needs to; the bound keeps all of them from growing unnoticed.
    assert!(full <= 400.0, "full: {full}");
    assert!(minimal <= 0.27 * full, "minimal is {:.0}% of full", 100.0 * minimal / full);
    assert!(progressive <= 0.40 * full, "progressive is {:.0}% of full", 100.0 * progressive / full);
}

/// The table of the page of benchmarks: the tokens of each tool's docs in each mode.
fn table() -> String {
    let mut out = "| tool | minimal | progressive | full |\n| --- | --- | --- | --- |\n".to_owned();
    for tool in all_tools() {
        let [minimal, progressive, full] = DocumentationMode::ALL.map(|mode| declaration_tokens(tool, mode));
        let _ = writeln!(out, "| `{}` | {minimal} | {progressive} | {full} |", tool.name);
    }
    let totals = DocumentationMode::ALL.map(total);
    let count = all_tools().len();
    let [minimal, progressive, full] = totals;
    let _ = writeln!(out, "| all {count} | {minimal} | {progressive} | {full} |");
    let [minimal, progressive, full] = totals.map(|tokens| tokens.div_ceil(count));
    let _ = writeln!(out, "| a tool, mean | {minimal} | {progressive} | {full} |");
    out
}

#[test]
fn the_published_counts_are_those_of_this_build() {
    let page = std::fs::read_to_string(repository().join("docs/benchmarks.md")).expect("the page");
    let table = table();
    assert!(page.contains(&table), "docs/benchmarks.md has other counts; the table is\n{table}");
}

/// Words of a text that say something: without those that any sentence may have, in the singular.
fn telling_words(text: &str) -> Vec<String> {
    const EMPTY: [&str; 14] =
        ["the", "a", "an", "of", "for", "to", "in", "with", "this", "these", "or", "and", "only", "show"];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(|word| word.trim_end_matches('s').to_owned())
        .collect()
}

#[test]
fn each_parameter_says_in_a_few_words_what_it_means() {
    let wrong = |parameter: &Parameter| {
        let words = parameter.brief.split_whitespace().count();
        let name = telling_words(&parameter.name);
        let says_more = telling_words(&parameter.brief).iter().any(|word| !name.contains(word));
        !((3..=8).contains(&words) && says_more && parameter.description.starts_with(&parameter.brief))
    };
    let all = all_tools().iter().flat_map(|tool| tool.parameters().iter().map(move |parameter| (tool.name, parameter)));
    let wrong: Vec<String> = all
        .filter(|(_, parameter)| wrong(parameter))
        .map(|(tool, parameter)| format!("{tool}: {}: {:?}", parameter.name, parameter.brief))
        .collect();
    assert!(wrong.is_empty(), "three to eight words that say more than the name:\n{}", wrong.join("\n"));
}

#[test]
fn every_tier_tells_what_it_promises() {
    for tool in all_tools() {
        let own: Vec<&Parameter> = tool
            .parameters()
            .iter()
            .filter(|own| !own.is_shared_by_all_tools() && !tool.rare_parameters.contains(&own.name.as_str()))
            .collect();
        for mode in DocumentationMode::ALL {
            let declaration = tool.tool_declaration(mode);
            let properties = declaration.input_schema["properties"].as_object().cloned().unwrap_or_default();
            for (name, property) in &properties {
                assert!(property["type"] != "array" || property["items"]["type"] == "string", "{}: {name}", tool.name);
                assert!(property.get("type").is_some() || property.get("enum").is_some(), "{}: {name}", tool.name);
            }
            let required = tool.parameters().iter().filter(|parameter| parameter.is_required).count();
            match mode {
                DocumentationMode::Minimal => {
                    assert!(properties.len() >= required && properties.len() <= 3, "{}", tool.name);
                }
                // What all tools have is described once, in the instructions.
                DocumentationMode::Progressive => {
                    assert_eq!(properties.len(), own.len(), "{}", tool.name);
                    for parameter in &own {
                        let property = &properties[&parameter.name];
                        assert_eq!(property["description"], parameter.brief, "{}", tool.name);
                        let values =
                            if parameter.choices.is_empty() { &property["items"]["enum"] } else { &property["enum"] };
                        let values = values.as_array().map_or(0, Vec::len);
                        assert_eq!(values, parameter.choices.len() + parameter.entry_choices.len(), "{}", tool.name);
                    }
                }
                DocumentationMode::Full => {
                    assert_eq!(properties.len(), tool.parameters().len(), "{}", tool.name);
                    for parameter in tool.parameters() {
                        let description = properties[&parameter.name]["description"].as_str().expect("a text");
                        assert!(description.starts_with(&parameter.description), "{}", tool.name);
                    }
                }
            }
            assert!(declaration.description.chars().count() < 2_000, "{}", tool.name);
            assert_eq!(tool.tool_declaration(mode), declaration, "the same each time");
        }
        let full = tool.documentation_text(DocumentationMode::Full);
        for parameter in tool.parameters() {
            assert!(full.contains(&parameter.description), "{}: {}", tool.name, parameter.name);
            assert!(!parameter.description.is_empty(), "{}: {}", tool.name, parameter.name);
        }
        for example in tool.examples {
            assert!(full.contains(example), "{}", tool.name);
        }
    }
}

/// What the shorter tiers leave out works in calls.
#[test]
fn parameters_that_are_left_out_of_a_schema_still_work() {
    let shared: Vec<&str> = peelback_tools::OutputOptions::PARAMETER_NAMES.to_vec();
    let instructions = peelback::serve::mcp_server_instructions(peelback::config::SystemPromptMode::Default);
    for name in shared {
        for tool in all_tools() {
            let progressive = tool.tool_declaration(DocumentationMode::Progressive).input_schema;
            assert!(progressive["properties"].get(name).is_none(), "{}: {name}", tool.name);
        }
        assert!(instructions.contains(&format!("{name} ")), "{name}: {instructions}");
    }
    let project = crate::support::Project::new("//- a.py\ndef one(): ...\ndef two(): ...\ndef three(): ...\n");
    let arguments =
        serde_json::json!({ "path": ["a.py"], "limit": 1, "offset": 1, "format": "json", "max_tokens": 900 });
    let reply = crate::agents::call(project.path(), "outline", arguments).formatted_output();
    let told: serde_json::Value = serde_json::from_str(&reply).expect("JSON");
    assert_eq!((&told["overflow"]["total"], told["symbols"].as_array().map(Vec::len)), (&3.into(), Some(1)), "{reply}");
    assert_eq!(told["symbols"][0]["name"], "two", "{reply}");
    assert!(tool_by_name_or_alias("outline").is_some_and(|tool| tool.parameters().len() == 9));
}
