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
