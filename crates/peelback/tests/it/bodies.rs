//! Which bodies `read-symbol` gives, and what it gives of one that does not fit.

use std::fmt::Write as _;

use crate::agents::{call_after, execute};
use crate::support::Project;

/// The ids of the symbols that an answer lists, in its order.
fn ids(answer: &serde_json::Value) -> Vec<&str> {
    answer["symbols"].as_array().expect("symbols").iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

#[test]
fn code_comes_before_documents_and_what_is_used_around_comes_first() {
    let project = Project::new(
        "\
//- a/demo.go
package demo

type Command struct{}
//- command.go
package shop

// Command is what users call.
type Command struct {
	Name string
}
//- run.go
package shop

func run(c *Command) {}
//- more.go
package shop

func more(c *Command) {}
//- README.md
# Command

Some words.
//- docs.md
# Completions for the shop.Command

Other words.
//- z_test.go
package shop

type command struct{ Command int }
",
    );
    let answer = project.run("read-symbol Command --json").json();
    assert_eq!(ids(&answer)[..2], ["command.go:Command", "a/demo.go:Command"], "{answer}");
    assert_eq!(ids(&answer).last(), Some(&"README.md:Command"), "{answer}");
    // A title is one name, whatever dots it has.
    assert!(!answer.to_string().contains("docs.md"), "{answer}");
    assert_eq!(project.run_with(&["read-symbol", "docs.md", "Completions for the shop.Command"]).code, Some(0));
    // The hint leads to the first.
    let text = project.run("read-symbol Command").answer();
    assert!(text.contains("to take one, give its id:\npeelback read-symbol --name command.go:Command\n"), "{text}");
}

#[test]
fn a_definition_stands_for_what_only_declares_it() {
    let project =
        Project::new("//- a.h\nint take(int x);\n//- b.c\n#include \"a.h\"\nint take(int x) {\n  return x;\n}\n");
    let answer = project.run("read-symbol take --json").json();
    assert_eq!(ids(&answer), ["b.c:take"]);
    assert_eq!(answer["symbols"][0]["declared_at"], serde_json::json!(["a.h:1"]), "{answer}");
}

/// A class of so many methods.
fn large_class(methods: usize) -> String {
    let mut text =
        String::from("class Store:\n    \"\"\"Keeps things.\n\n    For a long time.\n    \"\"\"\n\n    limit = 3\n\n");
    for index in 0..methods {
        let body = "        value = value + value * len(self.things) - self.limit\n".repeat(8);
        let _ = write!(
            text,
            "    def method_{index}(self, value):\n        # What number {index} does.\n{body}        return value\n\n"
        );
    }
    text
}

#[test]
fn a_class_that_does_not_fit_is_its_skeleton() {
    let project = Project::empty();
    project.write("store.py", large_class(80));
    let answer = project.run("read-symbol Store").answer();
    assert!(answer.starts_with("1 symbol named Store; Store without the bodies of its members\n"), "{answer}");
    assert!(answer.contains("left out to fit the budget: bodies of members (80)"), "{answer}");
    for index in 0..80 {
        assert!(answer.contains(&format!("def method_{index}(self, value):\n")), "{index}: {answer}");
    }
    let call = call_after(&answer, "the whole body:");
    assert!(execute(project.path(), &call, "").answer().contains("def method_0"), "{call}");
    // With less room, as many members as fit.
    let mut earlier = 80;
    for budget in [1_200, 600, 300] {
        let answer = project.run(&format!("read-symbol Store --max-tokens {budget}")).answer();
        assert!(peelback_tokens::count_tokens(&answer) <= budget, "{answer}");
        let shown = (0..80).filter(|index| answer.contains(&format!("method_{index}"))).count();
        assert!(shown <= earlier && shown >= 12, "{budget}: {shown}\n{answer}");
        earlier = shown;
    }
    let json = project.run("read-symbol Store --json --max-tokens 2000").json();
    assert_eq!(json["symbols"][0]["is_skeleton"], true, "{json}");
    // A function is its body, and a class that fits is whole.
    let function = project.run("read-symbol Store.method_1 --max-tokens 160").answer();
    assert!(function.contains("the rest of the body") || function.contains("the body:\n"), "{function}");
    project.write("store.py", large_class(3));
    assert!(project.run("read-symbol Store").answer().contains("return value"), "it fits");
}
