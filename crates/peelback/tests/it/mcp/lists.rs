//! Lists, resources, prompts, completions: what a host shows before a call.

use serde_json::{Value, json};

use crate::mcp::child::Server;
use crate::mcp::corpus::small;

#[test]
fn the_list_never_changes_while_a_server_lives() {
    let project = small();
    for mode in ["minimal", "progressive", "full"] {
        let mut server = Server::greeted(&project, &["--docs", mode]);
        let first = server.result("tools/list", json!({}));
        server.call("tree", json!({}));
        server.call("search_tools", json!({ "query": "grep", "tier": "full" }));
        assert_eq!(server.result("tools/list", json!({})), first);
        let listed = serde_json::to_string(&first["tools"][2]).expect("JSON");
        assert_eq!(listed.contains("Examples:"), mode == "full", "{mode}: {listed}");
        assert_eq!(listed.contains("language"), mode != "minimal", "{mode}: {listed}");
        // What every tool takes is in the instructions.
        assert_eq!(listed.contains("detail_level"), mode == "full", "{mode}: {listed}");
    }
    let refused = project.run("serve --docs all");
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_list_has_one_page() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(server.result(method, json!({})).get("nextCursor"), None, "{method}");
        let answer = server.request(method, json!({ "cursor": "more" }));
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
    }
}

#[test]
fn parameters_that_the_list_leaves_out_work_all_the_same() {
    let project = small();
    let mut server = Server::greeted(&project, &["--docs", "minimal"]);
    let (text, is_error) = server.text("grep", json!({ "pattern": "ITEMS", "ignore_case": true }));
    assert!(!is_error && text.contains("src/cart.py"), "{text}");
}

#[test]
fn the_reference_is_a_resource() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let listed = server.result("resources/list", json!({}));
    let listed = listed["resources"].as_array().expect("resources").clone();
    assert_eq!(listed.len(), peelback_tools::all_tools().len() + 1);
    for resource in &listed {
        let read = server.result("resources/read", json!({ "uri": resource["uri"] }));
        let contents = &read["contents"][0];
        assert_eq!((&contents["uri"], &contents["mimeType"]), (&resource["uri"], &resource["mimeType"]));
        let text = contents["text"].as_str().expect("a text");
        assert!(text.contains("grep") || resource["name"] != "tools", "{text}");
        assert!(text.len() > 200, "{text}");
    }
    let templates = server.result("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "peelback://tools/{name}");
    let by_alias = server.result("resources/read", json!({ "uri": "peelback://tools/get_file_outline" }));
    assert!(by_alias["contents"][0]["text"].as_str().is_some_and(|text| text.starts_with("outline: ")), "{by_alias}");
    let missing = server.request("resources/read", json!({ "uri": "peelback://tools/outlin" }));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    assert!(missing["error"]["message"].as_str().is_some_and(|text| text.contains("peelback://tools/outline")));
}

#[test]
fn prompts_teach_the_flow() {
    let project = small();
    let mut server = Server::greeted(&project, &[]);
    let listed = server.result("prompts/list", json!({}));
    let named = |index: usize| listed["prompts"][index]["name"].clone();
    assert_eq!((named(0), named(1)), (json!("explore"), json!("answer")));
    let mut text = |name: &str, arguments: Value| {
        let prompt = server.result("prompts/get", json!({ "name": name, "arguments": arguments }));
        prompt["messages"][0]["content"]["text"].as_str().expect("a text").to_owned()
    };
    assert!(text("explore", json!({})).contains("tree"));
    assert!(text("explore", json!({ "area": "src/pay" })).contains("src/pay"));
    assert!(text("answer", json!({ "question": "who sells?" })).contains("who sells?"));
    for wrong in [json!({ "name": "answer" }), json!({ "name": "explor" })] {
        let answer = server.request("prompts/get", wrong);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn arguments_are_completed() {
    let project = small();
    project.write("src/pay/card.py", "x = 1\n");
    let mut server = Server::greeted(&project, &[]);
    let mut values = |reference: Value, name: &str, value: &str| {
        let asked = json!({ "ref": reference, "argument": { "name": name, "value": value } });
        server.result("completion/complete", asked)["completion"]["values"].clone()
    };
    let template = json!({ "type": "ref/resource", "uri": "peelback://tools/{name}" });
    assert_eq!(values(template, "name", "read_s"), json!(["read_symbol"]));
    let explore = json!({ "type": "ref/prompt", "name": "explore" });
    assert_eq!(values(explore.clone(), "area", "s"), json!(["src"]));
    assert_eq!(values(explore.clone(), "area", "src/"), json!(["src/pay"]));
    assert_eq!(values(explore.clone(), "area", "../"), json!([]), "nothing outside is told");
    let began = std::time::Instant::now();
    assert_eq!(values(explore, "area", &"a/".repeat(1_500_000)), json!([]));
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    assert_eq!(values(json!({ "type": "ref/prompt", "name": "answer" }), "question", "w"), json!([]));
}

#[test]
fn a_preview_is_for_the_person() {
    let project = small();
    let mut server = Server::greeted(&project, &["--previews"]);
    let result = server.call("grep", json!({ "pattern": "items" }));
    let content = result["content"].as_array().expect("content");
    assert_eq!(content.len(), 2, "{result}");
    assert_eq!(content[0].get("annotations"), None);
    assert_eq!(content[1]["annotations"]["audience"], json!(["user"]));
    assert!(result.get("structuredContent").is_none());
}
