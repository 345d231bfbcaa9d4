//! How much detail answers have within their budget, and what they say of the rest.

use serde_json::Value;

use crate::agents::{call_after, execute};
use crate::support::Project;

/// A class of so many methods, each with types, a default value, and documentation.
fn large_class(methods: usize) -> String {
    let mut text = String::from(
        "import os\nfrom typing import Any\nfrom typing import Mapping\nimport json\n\n\nclass Store(dict):\n",
    );
    text.push_str("    \"\"\"Keeps things.\"\"\"\n\n    limit: int = 10\n\n");
    for index in 0..methods {
        text.push_str(&format!(
            "    def method_{index}(self, first_argument: Mapping[str, Any], second_argument: str = \"x\") -> list[str]:\n        \
             \"\"\"Documentation of the method with number {index}, which says more than fits.\"\"\"\n        \
             return [second_argument, os.sep, json.dumps(first_argument)]\n\n"
        ));
    }
    text
}

/// Many files of functions, one test, one lock file and a document.
fn folder() -> Project {
    let project = Project::empty();
    for index in 0..40 {
        let function = |part| format!("def part_{part}_of_{index}(argument: str, other: int = 1) -> None: pass\n\n\n");
        project.write(&format!("b/part_{index}.py"), (0..6).map(function).collect::<String>());
    }
    project.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n");
    project.write("CHANGES.md", "# Changes\n\n## 1.0\n\n## 0.9\n");
    project
        .write("a/one.py", "def rare(x): return x\n\n\ndef often_used(x): return x\n\n\ndef _private(x): return x\n");
    project.write("a/two.py", "from .one import often_used\n\n\ndef other(y): return often_used(y)\n");
    project.write("tests/test_one.py", "def test_it(): pass\n\n\ndef test_more(): pass\n");
    project
}

#[test]
fn a_long_outline_keeps_the_parameters_of_all_methods() {
    let project = Project::empty();
    project.write("store.py", large_class(100));
    let answer = project.run("outline store.py").answer();
    for index in 0..100 {
        assert!(
            answer.contains(&format!(" method_{index}(self, first_argument, second_argument)")),
            "{index}: {answer}"
        );
    }
    assert!(peelback_tokens::count_tokens(&answer) <= 5_000);
    // What gave way is counted, and the call for it works.
    let left_out = answer.lines().find(|line| line.starts_with("left out")).expect("a line");
    assert!(left_out.contains("documentation (101)") && left_out.contains("types and modifiers (100)"), "{left_out}");
    let call = call_after(&answer, "to see them:");
    assert!(execute(project.path(), &call, "").answer().contains("first_argument: Mapping[str, Any]"), "{call}");
    // Imports stand once for each module, in at most a tenth of the answer.
    let imports = answer.lines().find(|line| line.starts_with("imports: ")).expect("imports");
    assert_eq!(imports.matches("typing").count(), 1, "{imports}");
    assert!(imports.len() * 10 <= answer.len(), "{imports}");
}

#[test]
fn json_on_the_command_line_is_whole_and_says_what_a_budget_took() {
    let project = Project::empty();
    project.write("store.py", large_class(100));
    let whole = project.run("outline store.py --json").json();
    assert_eq!((whole["imports"].as_array().map(Vec::len), &whole["left_out"]), (Some(4), &Value::Null));
    let class = &whole["symbols"][0];
    assert_eq!(class["children"].as_array().map(Vec::len), Some(101));
    assert!(class["children"][1]["signature"].as_str().is_some_and(|text| text.contains("Mapping[str, Any]")));
    let short = project.run("outline store.py --json --max-tokens 1000").json();
    assert!(short.get("imports").is_none() && short["left_out"]["imports"] == 4, "{short}");
    assert!(short["left_out"]["documentation"].as_u64() > Some(50), "{short}");
    assert_eq!(project.run("outline store.py --format JSON").json(), whole);
    for call in ["read-file store.py --json", "read-file store.py --json --max-tokens 12000 --detail-level full"] {
        let profile = project.run(call).json();
        assert!(profile["structure"]["symbols"][0]["children"].as_array().is_some_and(|rows| rows.len() == 101));
        assert_eq!(profile["dependencies"]["imports"].as_array().map(Vec::len), Some(4), "{call}");
    }
}

#[test]
fn more_budget_never_shows_less() {
    let project = Project::empty();
    for (name, methods) in [("small.py", 3), ("middle.py", 40), ("large.py", 150)] {
        project.write(name, large_class(methods));
        for tool in ["outline", "read-file"] {
            let mut earlier: (usize, usize, usize) = (0, 0, 0);
            for budget in [300, 600, 1_200, 2_400, 4_800, 9_600] {
                let answer = project.run(&format!("{tool} {name} --max-tokens {budget}")).answer();
                let shown = (
                    (0..methods).filter(|index| answer.contains(&format!("method_{index}"))).count(),
                    answer.matches("(self, first_argument").count(),
                    answer.matches("Documentation of").count(),
                );
                let is_more = shown.0 >= earlier.0 && shown.1 >= earlier.1 && shown.2 >= earlier.2;
                assert!(is_more, "{tool} {name} --max-tokens {budget}: {shown:?} after {earlier:?}\n{answer}");
                earlier = shown;
            }
        }
    }
}

#[test]
fn a_folder_begins_with_its_source_and_folds_tests_and_lock_files() {
    let answer = folder().run("outline .").answer();
    assert!(answer.contains("tests: 1 file, 4 lines, 2 symbols: not listed"), "{answer}");
    assert!(answer.contains("third-party and generated: 1 file"), "{answer}");
    assert!(!answer.contains("test_it") && !answer.contains("Cargo.lock"), "{answer}");
    // Of a file's names, those that other files use come first.
    assert!(answer.contains("\n  often_used, rare, _private\n"), "{answer}");
    let whole = folder().run("outline . --json").json();
    let paths: Vec<&str> =
        whole["files"].as_array().expect("files").iter().filter_map(|file| file["path"].as_str()).collect();
    assert_eq!((paths[0], &paths[42..]), ("a/one.py", &["CHANGES.md", "tests/test_one.py", "Cargo.lock"][..]));
    // What is folded is one call away.
    let call = call_after(&answer, "; to list:");
    let folded = execute(folder().path(), &call, "").answer();
    assert!(
        folded.contains("test_it") && folded.contains("Cargo.lock") && !folded.contains("CHANGES"),
        "{call}: {folded}"
    );
    // Symbols of folded files are not counted as listed.
    assert!(answer.starts_with(".: 45 files of known languages (45 walked), 245 symbols listed"), "{answer}");
}

#[test]
fn no_folder_stands_in_for_a_glob() {
    let project = folder();
    for index in 0..60 {
        project.write(&format!("b/c/more_{index}.py"), "def more(): pass\n");
    }
    for (call, has_folder) in [("outline . --max-tokens 500", true), ("outline **/*_1?.py --max-tokens 500", false)] {
        let answer = project.run(call).answer();
        // The folder `a` holds next to nothing of the whole.
        assert_eq!(
            answer.contains(": 60 files\npeelback outline --path b/c --max-tokens 500\n"),
            has_folder,
            "{call}: {answer}"
        );
        assert!(!answer.contains("--path a "), "{call}: {answer}");
        assert!(answer.contains(": next page\n"), "{answer}");
    }
}

#[test]
fn the_call_for_what_was_left_out_has_room_for_it() {
    let project = Project::empty();
    project.write("store.py", large_class(10));
    for call in ["outline store.py --max-tokens 200", "outline store.py --max-tokens 300 --detail-level full"] {
        let answer = project.run(call).answer();
        let call = call_after(&answer, "to see them:");
        let more = execute(project.path(), &call, "").answer();
        assert!(!more.contains("left out"), "{call}: {more}");
    }
}

#[test]
fn lists_that_are_empty_stay_empty_lists() {
    let project = Project::empty();
    project.write("values.py", (0..400).map(|index| format!("_value_{index} = {index}\n")).collect::<String>());
    let outline = project.run("outline values.py --json --max-tokens 500").json();
    assert_eq!(outline["imports"], serde_json::json!([]), "{outline}");
    let profile = project.run("read-file values.py --json --max-tokens 500").json();
    assert_eq!(profile["dependencies"]["imports"], serde_json::json!([]), "{profile}");
    // Only a language that is fully analysed has no imports for certain.
    project.write("notes.md", "# Notes\n\nSome words.\n".repeat(400));
    let notes = project.run("read-file notes.md --max-tokens 500").answer();
    assert!(!notes.contains("imports") && !notes.contains("exports"), "{notes}");
    let values = project.run("read-file values.py --max-tokens 500").answer();
    assert!(values.contains("\nimports: none\n"), "{values}");
}

#[test]
fn a_profile_has_all_five_sections() {
    let project = folder();
    project.write("a/store.py", large_class(60));
    project.write("a/user.py", "from .store import Store\nfrom .one import often_used\n");
    let text = project.run("read-file a/store.py").answer();
    for section in [
        "a/store.py: python, ",
        " method_59(self, first",
        "\nimports: ",
        "\nexports: Store",
        "\ndepends on",
        "\nused by 1: a/user.py",
        "\nnext:\n",
    ] {
        assert!(text.contains(section), "{section}: {text}");
    }
    let json = project.run("read-file a/store.py --json").json();
    assert_eq!(json["usage"]["incoming_files"][0], "a/user.py");
    assert_eq!(json["dependencies"]["exports"][0]["name"], "Store");
    assert!(json["structure"]["skeleton"].as_str().is_some_and(|text| text.contains("{ ... }")), "{json}");
    assert!(json["guidance"]["body_hidden"] == true && json["metadata"]["line_count"].as_u64() > Some(200));
}

/// In a small file the header would cost most of the profile's share; it gives up what the profile also says elsewhere.
#[test]
fn a_profile_of_a_small_file_keeps_its_sections_and_parameters_within_its_share() {
    let project = folder();
    let step = |number: usize| {
        let body: String = (0..6).map(|line| format!("    state.add({number}, {line}, reason=\"step\")\n")).collect();
        format!("def step_{number}(state, amount, *, reason=None):\n{body}    return state\n\n\n")
    };
    let text: String = (0..10).map(step).collect();
    project.write("some/package/with/a/long/name/steps.py", format!("import json\n\n\n{text}"));
    let path = "some/package/with/a/long/name/steps.py";
    let profile = project.run(&format!("read-file {path}")).answer();
    for section in [
        "steps.py: python, ",
        "\n10 symbols; 10 bodies ",
        "\nnext:\n",
        "\nimports: json\n",
        "\nexports: all 10 top-level symbols below\n",
        "\ndepends on: no file",
        "\nused by: no file",
    ] {
        assert!(profile.contains(section), "{section}: {profile}");
    }
    assert!((0..10).all(|number| profile.contains(&format!(" step_{number}(state, amount, *, reason)"))), "{profile}");
    let raw = project.run(&format!("read-file {path} --raw")).answer();
    assert!(profile.len() * 100 <= raw.len() * 45, "{} of {}: {profile}", profile.len(), raw.len());
    // Where there is room, the header has all of its calls.
    let larger = project.run(&format!("read-file {path} --max-tokens 2000")).answer();
    assert!(larger.contains(" --raw") && larger.contains("read-lines") && !profile.contains(" --raw"), "{larger}");
}
