//! `peelback docs`: what a model would see, and its price by a real tokenizer.

use crate::support::Project;
use serde_json::Value;

fn list(project: &Project, arguments: &str) -> Value {
    let mut command = project.command();
    command.env_remove("XDG_CONFIG_HOME").args(["docs", "--format", "json"]).args(arguments.split_whitespace());
    crate::support::Run::of(&command.output().expect("the program runs")).json()
}

#[test]
fn every_tool_is_declared_with_its_price() {
    let project = Project::empty();
    let mut totals = Vec::new();
    for mode in ["minimal", "progressive", "full"] {
        let list = list(&project, &format!("--mode {mode}"));
        assert_eq!(list["mode"], mode);
        let tools = list["tools"].as_array().expect("tools");
        assert_eq!(tools.len(), peelback_tools::all_tools().len());
        let mut sum = 0;
        for tool in tools {
            let text = |name: &str| tool[name].as_str().expect("text").to_owned();
            let shown = serde_json::json!({
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": tool["input_schema"],
            })
            .to_string();
            let tokens = peelback_tokens::count_tokens(&shown);
            assert_eq!(tool["tokens"], tokens, "{}", text("name"));
            assert_eq!(tool["input_schema"]["type"], "object");
            sum += tokens;
        }
        assert_eq!(list["total_tokens"], sum);
        assert_eq!(list["average_tokens"], sum.div_ceil(tools.len()));
        totals.push(sum);
        assert!(list["percent_of_full"].as_u64().is_some_and(|percent| (1..=100).contains(&percent)));
    }
    assert!(totals.is_sorted(), "{totals:?}");
}

#[test]
fn the_configuration_chooses_the_mode() {
    let project = Project::empty();
    assert_eq!(list(&project, "")["mode"], "progressive");
    project.write("peelback.toml", "[agent]\ntool_documentation_mode = 'minimal'\n");
    assert_eq!(list(&project, "")["mode"], "minimal");
    assert_eq!(list(&project, "--mode full")["mode"], "full");
}

#[test]
fn the_page_shows_the_same() {
    let page = Project::empty().run("docs --mode minimal").answer();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"\b\d+\b", "N");
    let (head, _) = page.split_once("\n## ").expect("a head and the tools");
    settings.bind(|| insta::assert_snapshot!(head));
    for tool in peelback_tools::all_tools() {
        let declaration = tool.tool_declaration(peelback_tools::DocumentationMode::Minimal);
        assert!(page.contains(&format!("\n## {}  (", tool.name)));
        assert!(page.contains(&format!("\n\n{}\n\n```json\n{}\n", declaration.description, declaration.input_schema)));
    }
}

#[test]
fn the_short_help_costs_little_and_names_every_tool_and_option() {
    let project = Project::empty();
    let help = project.run("-h").answer();
    insta::assert_snapshot!("short_help", help);
    assert!(peelback_tokens::count_tokens(&help) <= 270, "{help}");
    let without_arguments = project.run_with(&[] as &[&str]);
    assert_eq!((without_arguments.code, &without_arguments.stderr), (Some(2), &help));
    let mut tokens = Vec::new();
    for tool in peelback_tools::all_tools().iter().filter(|tool| !["scope", "context"].contains(&tool.name)) {
        let command = tool.name.replace('_', "-");
        assert!(help.contains(&format!("\npeelback {command} ")), "{command}: {help}");
        let of_tool = project.run(&format!("{command} -h")).answer();
        for parameter in tool.parameters() {
            assert!(
                of_tool.contains(&format!("--{}", parameter.name.replace('_', "-"))),
                "{}: {of_tool}",
                parameter.name
            );
        }
        tokens.push(peelback_tokens::count_tokens(&of_tool));
    }
    assert!(tokens.iter().sum::<usize>() <= 200 * tokens.len(), "{tokens:?}");
    insta::assert_snapshot!("short_help_of_grep", project.run("grep -h").answer());
    assert!(project.run("serve -h").answer().contains("Usage: "));
}
