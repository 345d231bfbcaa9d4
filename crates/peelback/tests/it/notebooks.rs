//! Notebooks: the code of their cells, with the lines of the file and of the cell.

use serde_json::{Value, json};

use crate::support::Project;

fn cell(kind: &str, source: &str) -> Value {
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    json!({ "cell_type": kind, "metadata": {}, "source": lines, "outputs": [{ "text": ["train(no)\n"] }] })
}

fn notebook(language: &str, cells: &[Value]) -> Value {
    json!({ "cells": cells, "metadata": { "language_info": { "name": language } }, "nbformat": 4 })
}

fn project() -> Project {
    let project = Project::new("//- model.py\nclass Net:\n    def step(self):\n        pass\n");
    let cells = [
        cell("markdown", "# Training"),
        cell("code", "%matplotlib inline\nfrom model import Net"),
        cell("code", "def train(net: Net, name=\"\\n\"):\n    \"\"\"Trains.\"\"\"\n    net.step()\n    return net"),
        cell("code", "!ls\nbest = train(Net())"),
    ];
    let text = serde_json::to_string_pretty(&notebook("python", &cells)).expect("text");
    project.write("work/run.ipynb", &text);
    project
}

/// The line of the file that holds a text, from 1.
fn line_of(project: &Project, path: &str, text: &str) -> usize {
    let whole = std::fs::read_to_string(project.path().join(path)).expect("the file");
    whole.lines().position(|line| line.contains(text)).expect("the text") + 1
}

#[test]
fn uses_in_cells_have_the_line_of_the_file_and_of_the_cell() {
    let project = project();
    let file = "work/run.ipynb";
    let answer = project.run("find-references Net").answer();
    let import = line_of(&project, file, "from model import Net");
    assert!(answer.contains(&format!("\n{import}: from model import Net  [cell 2, line 2]\n")), "{answer}");
    let call = line_of(&project, file, "best = train");
    assert!(answer.contains(&format!("\n{call}: best = train(Net())  [cell 4, line 2]\n")), "{answer}");
    let step = project.run("find-references Net.step --json").json();
    let row = &step["references"][0];
    assert_eq!(row["line"], line_of(&project, file, "net.step()"), "{step}");
    assert_eq!((&row["cell"], &row["line_in_cell"], &row["confidence"]), (&json!(3), &json!(3), &json!("resolved")));
    // What a cell printed is no use.
    assert_eq!(project.run("find-references train --json").json()["references"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_notebook_is_outlined_and_read_as_code() {
    let project = project();
    let line = line_of(&project, "work/run.ipynb", "def train");
    let outline = project.run("outline work/run.ipynb").answer();
    assert!(outline.contains(&format!("\n{line}-{} def train(net: Net, name=\"\\n\")", line + 3)), "{outline}");
    assert!(outline.contains("# Trains.") && outline.contains("a notebook: the code of its cells"), "{outline}");
    let body = project.run("read-symbol train").answer();
    assert!(body.contains("\n    \"\"\"Trains.\"\"\"\n    net.step()\n"), "{body}");
    let dependencies = project.run("dependencies work/run.ipynb --json").json();
    assert_eq!(dependencies["outgoing"], json!(["model.py"]), "{dependencies}");
}

#[test]
fn kernels_decide_the_language_and_what_is_not_read_stays_json() {
    let project = Project::new("//- tax.js\nexport function tax(n) { return n; }\n");
    let script = notebook("javascript", &[cell("code", "import { tax } from './tax.js';\nconst total = tax(3);")]);
    project.write("a.ipynb", serde_json::to_string_pretty(&script).expect("text"));
    project.write("b.ipynb", "{ \"cells\": 3 }\n");
    let uses = project.run("find-references tax").answer();
    assert!(uses.contains("const total = tax(3);  [cell 1, line 2]"), "{uses}");
    let other = project.run("outline b.ipynb").answer();
    assert!(other.starts_with("b.ipynb: json"), "{other}");
}

#[test]
fn a_notebook_that_cannot_be_read_says_so() {
    let project = Project::new("//- lib.py\ndef use(): pass\n");
    project.write("a.ipynb", "{\"cells\": [\n<<<<<<< ours\n{\"cell_type\": \"code\", \"source\": [\"use()\"]}\n");
    let outline = project.run("outline a.ipynb").answer();
    assert!(outline.contains("not read as a notebook"), "{outline}");
    let run = project.run("find-references use");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("lower_bound") && run.stdout.contains("not read as a notebook"), "{run:?}");
}
