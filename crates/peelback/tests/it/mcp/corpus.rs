//! Projects that the tests look at, and calls of the tools.

use serde_json::{Value, json};

use crate::support::Project;
use crate::support::tool_calls::calls_in_small_project;

/// A small project.
pub fn small() -> Project {
    Project::new(
        "\
//- src/cart.py
import store

class Cart:
    \"\"\"What a customer wants to buy.\"\"\"

    def add(self, item, count=1):
        \"\"\"Puts items in.\"\"\"
        for _ in range(count):
            self.items.append(store.find(item))
        return self

    def total(self):
        return sum(item.price for item in self.items)
//- src/store.py
def find(name):
    return SHELF[name]

SHELF = {}
//- README.md
# Shop

Sells things.
",
    )
}

/// How the small project is asked: tool, arguments of the protocol, the same on the command line.
pub fn calls() -> Vec<(&'static str, Value, &'static str)> {
    let mut calls = calls_in_small_project();
    calls.extend([
        ("outline", json!({ "filePath": "src/store.py", "format": "json" }), "outline src/store.py --format json"),
        ("get_file_outline", json!({ "relative_path": "src/store.py" }), "outline src/store.py"),
        ("read-lines", json!({ "path": "src/cart.py", "ranges": "1-2" }), "read-lines src/cart.py 1-2"),
        // What went wrong is an answer too.
        ("grep", json!({ "pattern": "nowhere_at_all" }), "grep nowhere_at_all"),
        ("read_file", json!({ "path": "src/crt.py" }), "read-file src/crt.py"),
        ("grep", json!({ "pattern": "(" }), "grep ("),
    ]);
    calls
}

/// The tool and the arguments of a line that is a call as a model makes it.
fn tool_call_of_line(line: &str) -> Option<(&str, Value)> {
    let (tool, arguments) = line.split_once(' ')?;
    let tool = peelback_tools::all_tools().iter().find(|known| known.name == tool)?.name;
    Some((tool, serde_json::from_str(arguments).ok().filter(Value::is_object)?))
}

/// The calls that an answer to a model names, each alone on its line.
pub fn tool_calls_in(answer: &str) -> Vec<(&str, Value)> {
    answer.lines().filter_map(tool_call_of_line).collect()
}

/// An answer with a mark in the place of each call: all that is written for the caller.
pub fn without_calls(answer: &str) -> String {
    if let Ok(mut value @ Value::Object(_)) = serde_json::from_str::<Value>(answer) {
        mark_calls_of_json(&mut value);
        return value.to_string();
    }
    let is_call = |line: &str| line.starts_with("peelback ") || tool_call_of_line(line).is_some();
    answer.split('\n').map(|line| if is_call(line) { "CALL" } else { line }).collect::<Vec<_>>().join("\n")
}

fn mark_calls_of_json(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_calls(text),
        Value::Array(items) => items.iter_mut().for_each(mark_calls_of_json),
        Value::Object(fields) => fields.values_mut().for_each(mark_calls_of_json),
        _ => {}
    }
}

/// A project whose outline takes minutes, on the fastest machine too: one long file under many names.
pub fn slow() -> Project {
    let project = Project::empty();
    let body: String = (0..12_000)
        .map(|index| {
            format!("def function_{index}(first, second):\n    return [first + {index} for _ in range(second)]\n\n")
        })
        .collect();
    project.write("part0.py", body);
    for index in 1..4_000 {
        let link = project.path().join(format!("part{index}.py"));
        std::fs::hard_link(project.path().join("part0.py"), link).expect("a link");
    }
    project
}

/// A call that takes minutes in the slow project; tests end it.
pub fn slow_call() -> (&'static str, Value) {
    ("find_symbols", json!({ "name": "function_7" }))
}
