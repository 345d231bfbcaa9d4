//! The docs that a model pays for with every request.

use peelback_tools::{DocumentationMode, all_tools};

use crate::agents::tokens;

/// Tokens of name, description and input schema on average for a tool, as the model's host sends them.
fn average(mode: DocumentationMode) -> f64 {
    let each: Vec<usize> = all_tools()
        .iter()
        .map(|tool| {
            let declaration = tool.tool_declaration(mode);
            let tokens = tokens(&serde_json::to_string(&declaration).expect("JSON"));
            println!("{} {} {tokens}", mode.as_str(), tool.name);
            tokens
        })
        .collect();
    each.iter().sum::<usize>() as f64 / each.len() as f64
}

#[test]
fn the_tiers_stay_small() {
    let [minimal, progressive, full] = DocumentationMode::ALL.map(average);
    println!("minimal {minimal:.1}, progressive {progressive:.1}, full {full:.1} tokens a tool");
    assert!(minimal <= 45.0, "minimal: {minimal}");
    assert!(progressive <= 125.0, "progressive: {progressive}");
    assert!(full <= 355.0, "full: {full}");
    assert!(minimal <= 0.27 * full, "minimal is {:.0}% of full", 100.0 * minimal / full);
    assert!(progressive <= 0.40 * full, "progressive is {:.0}% of full", 100.0 * progressive / full);
}

#[test]
fn every_tier_tells_what_it_promises() {
    for tool in all_tools() {
        for mode in DocumentationMode::ALL {
            let declaration = tool.tool_declaration(mode);
            let shown = declaration.input_schema["properties"].as_object().map_or(0, serde_json::Map::len);
            for (name, property) in declaration.input_schema["properties"].as_object().into_iter().flatten() {
                assert!(property["type"] != "array" || property["items"]["type"] == "string", "{}: {name}", tool.name);
                assert!(property.get("type").is_some() || property.get("enum").is_some(), "{}: {name}", tool.name);
            }
            let required = tool.parameters().iter().filter(|parameter| parameter.is_required).count();
            match mode {
                DocumentationMode::Minimal => assert!(shown >= required && shown <= 3, "{}", tool.name),
                DocumentationMode::Progressive => {
                    assert_eq!(shown, tool.parameters().len() - tool.rare_parameters.len(), "{}", tool.name);
                }
                DocumentationMode::Full => assert_eq!(shown, tool.parameters().len(), "{}", tool.name),
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
