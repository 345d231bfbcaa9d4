//! Wrong calls: what is wrong, a call that works, and the docs of that one tool.

use peelback_tools::{DocumentationMode, ReplyStatus, tool_by_name_or_alias};
use serde_json::{Value, json};

use crate::agents::{call, call_of_model, calls_in, execute, tokens};
use crate::support::Project;

const FILES: &str = r"
//- src/cart.py
import json


class Cart:
    def total(self):
        return 0

    def add(self, name):
        return name


def empty_cart():
    return Cart()
//- src/store.py
class Store:
    def write(self, text): ...
//- docs/notes.md
# Notes

## Install
";

/// The error text of a wrong call from a shell, after running every call that it names.
fn shown(tool: &str, arguments: Value) -> String {
    let project = Project::new(FILES);
    let reply = call(project.path(), tool, arguments.clone());
    assert!(
        matches!(reply.status, ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments),
        "{}",
        reply.formatted_output()
    );
    let output = reply.formatted_output();
    let head = output.split("\n\n").next().unwrap_or("");
    let named = calls_in(head);
    assert!(!named.is_empty(), "no call in {}", reply.formatted_output());
    for (named, _) in named {
        let run = execute(project.path(), &named, "");
        assert!(run.code.is_some_and(|code| code <= 1), "{tool} {arguments} says {named}: {run:?}");
    }
    // The same as JSON: the fields of the guidance and the docs.
    let mut arguments = arguments;
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.insert("format".to_owned(), "json".into());
        let reply = call(project.path(), tool, Value::Object(arguments.clone()));
        let object: Value = serde_json::from_str(&reply.formatted_output()).expect("JSON");
        assert!(object["error"].is_string(), "{object}");
        let levels = ["hint", "warning", "must_follow"].iter().filter(|level| object.get(**level).is_some()).count();
        assert_eq!(levels, 1, "{object}");
        let help = format!("peelback {} --help", tool.replace('_', "-"));
        let is_wrong = reply.status == ReplyStatus::InvalidArguments;
        assert_eq!(object.get("documentation_call"), is_wrong.then(|| json!(help)).as_ref(), "{object}");
        assert!(object.get("documentation").is_none(), "{object}");
    }
    reply.formatted_output().replace(&project.path().display().to_string(), "ROOT")
}

macro_rules! error {
    ($name:ident, $tool:literal, $arguments:tt) => {
        #[test]
        fn $name() {
            insta::with_settings!({omit_expression => true}, { insta::assert_snapshot!(shown($tool, json!($arguments))) });
        }
    };
}

error!(an_unknown_parameter, "grep", { "pattern": "total", "contxt": 2 });
error!(an_unknown_parameter_like_none, "tree", { "zzzzzz": 2 });
error!(a_missing_parameter, "read_lines", {});
error!(a_missing_name, "read_symbol", { "path": "src/cart.py" });
error!(a_wrong_type, "outline", { "path": "src/cart.py", "depth": "deep" });
error!(a_wrong_choice, "find_symbols", { "name": "Cart", "match": "exct" });
error!(a_wrong_choice_of_several, "find_references", { "name": "Cart", "role": ["calls"] });
error!(a_bad_regex, "grep", { "pattern": "total(" });
error!(a_bad_kind, "find_symbols", { "name": "Cart", "kind": "clas" });
error!(a_bad_kind_of_outline, "outline", { "path": "src", "kind": "methd" });
error!(a_path_with_a_slip, "outline", { "path": "src/crat.py" });
error!(a_folder_with_a_slip, "tree", { "path": "scr" });
error!(a_symbol_with_a_slip, "read_symbol", { "path": "src/cart.py", "name": "Cart.totl" });
error!(a_type_with_a_slip, "grep", { "pattern": "x", "type": ["pyton"] });
error!(lines_past_the_end, "read_lines", { "path": "src/store.py", "ranges": ["90-99"] });
error!(no_keyword, "find_files", { "query": "?!" });
error!(a_language_with_a_slip, "search", { "query": "cart", "language": "pyton" });

/// Calls that are wrong whatever the project holds: without a parameter, with an unknown one, and with values that no tool
/// takes. Each has a part of the error, which names what is allowed.
fn wrong_in_themselves() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("grep", json!({}), "grep needs pattern: Regular expression to search for"),
        ("grep", json!({ "pattern": "x", "contxt": 1 }), "it has pattern, scope,"),
        ("grep", json!({ "pattern": "x", "context": "some" }), "context takes a whole number, zero or more"),
        ("grep", json!({ "pattern": "x", "tests": "no" }), "tests takes with, without, only"),
        ("grep", json!({ "pattern": "total(" }), "unclosed group"),
        ("grep", json!({ "pattern": "x", "glob": ["{a"] }), "bad glob"),
        ("grep", json!({ "pattern": "x", "type": ["pyton"] }), "the types are those of ripgrep: c, cpp"),
        ("grep", json!({ "pattern": "x", "limit": 0 }), "limit takes a number of rows, 1 or more"),
        ("find_references", json!({ "name": "Cart", "depth": 1u64 << 40 }), "a whole number from 0 to 4,294,967,295"),
        ("find_references", json!({ "name": "Cart", "role": ["caller"] }), "role takes call, type, read,"),
        ("find_symbols", json!({ "name": "Cart", "kind": "clas" }), "kinds are module, namespace, class,"),
        ("find_symbols", json!({ "name": "" }), "needs a name that is not empty"),
        ("search", json!({ "query": "cart", "language": "pyton" }), "the languages are python, javascript,"),
        ("search", json!({ "query": "?!" }), "has no word to search for"),
        ("read_lines", json!({ "path": "src/cart.py", "ranges": ["x"] }), "write 10-40 or 10; lines count from 1"),
        ("dependencies", json!({ "tests": "only" }), "narrows the lists of one path"),
        ("scope", json!({ "question": " " }), "the question is empty"),
    ]
}

#[test]
fn wrong_arguments_of_every_sort_are_treated_alike() {
    let project = Project::new(FILES);
    for (tool, arguments, allowed) in wrong_in_themselves() {
        let reply = call_of_model(project.path(), tool, arguments.clone());
        let output = reply.formatted_output();
        assert_eq!(reply.status, ReplyStatus::InvalidArguments, "{tool} {arguments}: {output}");
        assert!(output.contains(allowed), "{tool} {arguments}: {output}");
        let docs = tool_by_name_or_alias(tool).expect("a tool").documentation_text(DocumentationMode::Full);
        assert!(output.ends_with(&format!("\n\n{docs}")), "{tool} {arguments}: {output}");
        // For a caller who has the docs, the call that gives them.
        let short = reply.with_call_in_place_of_documentation().expect("it has docs").formatted_output();
        assert_eq!(
            short,
            output.replace(&format!("\n{docs}"), &format!("docs of {tool}:\nsearch_tools {{\"query\":\"{tool}\"}}\n"))
        );
        assert!(tokens(&short) <= 220, "{tool} {arguments}: {short}");
        // From a shell the error is short each time.
        let from_shell = call(project.path(), tool, arguments.clone());
        assert!(from_shell.with_call_in_place_of_documentation().is_none());
        let help = format!("docs of {tool}:\npeelback {} --help\n", tool.replace('_', "-"));
        assert!(from_shell.formatted_output().ends_with(&help), "{}", from_shell.formatted_output());
    }
    // What the project does not hold is an answer.
    for (tool, arguments) in [
        ("outline", json!({ "path": ["src/crat.py"] })),
        ("read_file", json!({ "path": "src" })),
        ("read_file", json!({ "path": "../outside" })),
        ("read_symbol", json!({ "name": ["Cart.totl"] })),
        ("read_symbol", json!({ "name": ["src/cart.py"] })),
        ("read_lines", json!({ "path": "src/store.py", "ranges": ["90-99"] })),
    ] {
        let reply = call_of_model(project.path(), tool, arguments.clone());
        assert!(matches!(reply.status, ReplyStatus::Failed(_)), "{tool} {arguments}: {}", reply.formatted_output());
        assert!(reply.with_call_in_place_of_documentation().is_none(), "{tool} {arguments}");
        assert!(!reply.formatted_output().contains("docs of"), "{tool} {arguments}: {}", reply.formatted_output());
    }
}

#[test]
fn what_a_model_is_told_of_a_wrong_call() {
    let project = Project::new(FILES);
    let reply =
        call_of_model(project.path(), "read_lines", json!({ "path": "src/cart.py", "range": 4, "plain": "perhaps" }));
    insta::assert_snapshot!("a_wrong_call_of_a_model", reply.formatted_output());
    let short = reply.with_call_in_place_of_documentation().expect("it has docs");
    insta::assert_snapshot!("the_same_wrong_call_again", short.formatted_output());
    let budget = json!({ "path": "src/cart.py", "range": 4, "format": "json", "max_tokens": 60 });
    let reply = call_of_model(project.path(), "read_lines", budget);
    assert!(tokens(&reply.formatted_output()) <= 60, "{}", reply.formatted_output());
}

#[test]
fn arguments_that_are_no_object() {
    let project = Project::new(FILES);
    let reply = call(project.path(), "grep", json!(["total"]));
    assert_eq!(reply.status, ReplyStatus::InvalidArguments);
    assert!(
        reply.formatted_output().starts_with("error: arguments must be an object, not [\"total\"]"),
        "{}",
        reply.formatted_output()
    );
}

#[test]
fn errors_fit_whatever_was_sent() {
    let project = Project::new(FILES);
    let long = "x".repeat(200_000);
    let calls = [
        ("grep", json!({ "pattern": format!("({long}") })),
        ("outline", json!({ "path": long })),
        ("read_symbol", json!({ "name": long })),
        ("find_symbols", json!({ "name": "a", "kind": long })),
        ("tree", json!({ long.clone(): 1 })),
        ("find_symbols", json!({ "name": "a", "match": long })),
    ];
    for (tool, arguments) in calls {
        let reply = call(project.path(), tool, arguments.clone());
        assert!(
            reply.formatted_output().starts_with("error: ") && reply.formatted_output().len() < 8_000,
            "{tool}: {}",
            reply.formatted_output().len()
        );
        for format in ["text", "json"] {
            let mut arguments = arguments.clone();
            arguments["max_tokens"] = 50.into();
            arguments["format"] = format.into();
            let output = call(project.path(), tool, arguments).formatted_output();
            assert!(tokens(&output) <= 50, "{tool} {format}: {output}");
        }
    }
}

#[test]
fn must_follow_is_rare() {
    let project = Project::new(FILES);
    project.write("src/broken.py", "def (((:\n  class\n".repeat(30));
    project.write("src/huge.json", format!("[{}]", "1,".repeat(2_500_000)));
    let calls = [
        ("grep", json!({ "pattern": "(" })),
        ("grep", json!({ "pattern": "x", "contxt": 1 })),
        ("grep", json!({ "pattern": "x", "scope": ["scr"] })),
        ("grep", json!({ "pattern": "x", "type": ["nope"] })),
        ("outline", json!({ "path": "src/crat.py" })),
        ("outline", json!({ "path": "../outside" })),
        ("outline", json!({ "kind": "clas" })),
        ("tree", json!({ "path": "nowhere" })),
        ("tree", json!({ "depth": "x" })),
        ("read_lines", json!({ "path": "src/cart.py", "ranges": ["x"] })),
        ("read_lines", json!({ "path": "src/cart.py", "ranges": ["900"] })),
        ("read_lines", json!({ "path": "src" })),
        ("read_file", json!({ "path": "src" })),
        ("read_file", json!({ "path": "src/store.pyy" })),
        ("read_file", json!({})),
        ("find_files", json!({ "query": "" })),
        ("find_files", json!({})),
        ("find_files", json!({ "query": "x y", "language": "pyton" })),
        ("search", json!({ "query": "" })),
        ("search", json!({ "query": "cart", "kind": "clss" })),
        ("search", json!({ "query": "cart", "scope": "scr" })),
        ("find_symbols", json!({ "name": "" })),
        ("find_symbols", json!({ "name": "(", "match": "regex" })),
        ("find_symbols", json!({ "name": "x", "kind": "clss" })),
        ("read_symbol", json!({ "path": "src/cart.py", "name": "Cart.nothing" })),
        ("read_symbol", json!({ "path": "src/cart.py", "name": "" })),
        ("read_symbol", json!({ "name": "src/cart.py" })),
        ("read_symbol", json!({ "name": "nothing_of_that_name" })),
        ("search_tools", json!({ "tier": "ful" })),
    ];
    let mut errors = 0;
    let mut binding = 0;
    for (tool, arguments) in calls {
        let reply = call(project.path(), tool, arguments.clone());
        if matches!(reply.status, ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments) {
            errors += 1;
            binding += usize::from(reply.formatted_output().contains("\nmust_follow: "));
        }
    }
    println!("{binding} of {errors} recoverable errors carry must_follow");
    assert!(errors >= 20, "{errors}");
    assert!(binding >= 1, "a lower bound must bind");
    assert!(binding * 10 < errors, "{binding} of {errors}");
}

/// Calls as models make them for other tools: understood, not refused.
#[test]
fn right_guesses_work() {
    let project = Project::new(FILES);
    let calls = [
        ("read_lines", json!({ "path": "src/cart.py", "start_line": 4, "end_line": 6 }), "4: class Cart:"),
        ("read_lines", json!({ "path": "src/cart.py", "start": 4, "end": 6 }), "4: class Cart:"),
        ("read_lines", json!({ "path": "src/cart.py", "ranges": [[4, 6]] }), "4: class Cart:"),
        ("read_file", json!({ "path": "src/cart.py", "start_line": 4, "end_line": 6 }), "class Cart:"),
        ("grep", json!({ "pattern": "TOTAL", "-i": true, "-n": true, "path": "src" }), "def total"),
        ("grep", json!({ "pattern": "total", "file": "src/cart.py" }), "1 line"),
        ("grep", json!({ "pattern": "total", "file_pattern": "*.py", "head_limit": 5.0 }), "def total"),
        ("find_symbols", json!({ "name": ["Cart"], "folder": "src" }), "Cart"),
        ("read_symbol", json!({ "name": "Cart.total", "include_body": true }), "return 0"),
        ("tree", json!({ "directory": "src", "max_depth": 1 }), "cart.py"),
        ("outline", json!({ "paths": ["src/cart.py"] }), "class Cart"),
    ];
    for (tool, arguments, expected) in calls {
        let reply = call(project.path(), tool, arguments.clone());
        assert_eq!(reply.status, ReplyStatus::Found, "{tool} {arguments}: {}", reply.formatted_output());
        assert!(reply.formatted_output().contains(expected), "{tool} {arguments}: {}", reply.formatted_output());
    }
    let several = call(project.path(), "read_symbol", json!({ "names": ["Cart", "Store"] }));
    assert!(several.formatted_output().starts_with("2 symbols for 2 names"), "{}", several.formatted_output());
}
