//! Where the calls of an answer lead: to more than it shows, to bodies that there are, and to less where they narrow.

use std::fmt::Write as _;

use crate::agents::{call_after, calls_in, execute};
use crate::support::{Project, Run};

/// Many files of classes, each with methods that have types and documentation: too much for one answer.
fn large() -> Project {
    let project = Project::empty();
    for file in 0..30 {
        let mut text = String::from("import os\n\n\n");
        for class in 0..6 {
            let _ = write!(
                text,
                "class Store{file}_{class}:\n    \"\"\"Keeps the things of shelf {class} in file {file}.\"\"\"\n\n"
            );
            for method in 0..9 {
                let _ = write!(
                    text,
                    "    def method_{method}(self, first: dict[str, int], second: str = \"x\") -> list[str]:\n        \
                     \"\"\"Does what number {method} does, at some length.\"\"\"\n        return [second, os.sep]\n\n"
                );
            }
        }
        project.write(&format!("src/part_{file:02}.py"), text);
    }
    project
}

#[test]
fn what_is_left_out_of_a_folder_is_shown_in_the_end() {
    let project = large();
    let mut call = "peelback outline --path src".to_owned();
    let mut seen = vec![call.clone()];
    // Each call shows more of each file than the one before it, until nothing is left out.
    loop {
        let answer = execute(project.path(), &call, "").answer();
        if !answer.contains("to see them:") {
            assert!(!answer.contains("left out to fit"), "{call}: {answer}");
            assert!(answer.contains("first: dict[str, int], second: str = \"x\""), "{call}: {answer}");
            break;
        }
        call = call_after(&answer, "to see them:");
        assert!(!seen.contains(&call), "{call} leads to itself");
        seen.push(call.clone());
    }
    assert!((2..=4).contains(&seen.len()), "{seen:?}");
}

#[test]
fn a_profile_in_full_detail_never_leads_to_itself() {
    let project = Project::empty();
    let mut text = String::new();
    for index in 0..900 {
        let _ = write!(
            text,
            "def function_{index}(argument: dict[str, int], other: str = \"a value\") -> list[str]:\n    return []\n\n\n"
        );
    }
    text.push_str("def outer():\n    def inner(): pass\n    return inner\n");
    project.write("long.py", text);
    let answer = project.run("read-file long.py --detail-level full").answer();
    let call = call_after(&answer, "to see them:");
    assert!(
        call.starts_with("peelback outline --path long.py --limit ") && call.ends_with(" --detail-level full"),
        "{call}"
    );
    let page = execute(project.path(), &call, "").answer();
    assert!(!page.contains("left out to fit") && page.contains("other: str = \"a value\""), "{page}");
    assert!(!answer.contains("local to functions"), "{answer}");
    // What is local to functions is offered where it is not listed.
    project.write(
        "short.py",
        format!(
            "{}def outer():\n    def inner(): pass\n    return inner\n",
            "def f(a):\n    b = a * a + 1\n    c = b * b + a\n    return c\n\n".repeat(90)
        ),
    );
    let short = project.run("read-file short.py --max-tokens 700").answer();
    assert!(short.contains("1 local to functions: detail_level full"), "{short}");
    let full = project.run("outline short.py --detail-level full").answer();
    assert!(full.contains(" inner()"), "{full}");
}

#[test]
fn names_of_a_profile_have_their_lines_and_the_rest_is_one_call_away() {
    let project = Project::empty();
    let text: String =
        (0..200).map(|index| format!("def a_function_{index}(argument):\n    return argument\n\n")).collect();
    project.write("long.py", text);
    for budget in [300, 700] {
        let answer = project.run(&format!("read-file long.py --max-tokens {budget}")).answer();
        assert!(answer.contains("\n1-2 a_function_0\n4-5 a_function_1\n"), "{budget}: {answer}");
        let all = execute(project.path(), &call_after(&answer, "to see them:"), "").answer();
        assert!(all.contains("a_function_199(argument)"), "{all}");
    }
}

#[test]
fn json_that_shows_nothing_is_not_complete_and_names_a_call() {
    let project = large();
    for (call, array) in [
        ("read-file src/part_00.py --max-tokens 200", "symbols"),
        ("outline src --max-tokens 120", "files"),
        ("find-symbols method --max-tokens 90", "symbols"),
    ] {
        let answer = project.run(&format!("{call} --json")).json();
        assert!(answer.get(array).is_none(), "{call}: {answer}");
        let evidence = &answer["evidence"]["completeness"];
        let completeness = if evidence.is_null() { &answer["completeness"] } else { evidence };
        assert_eq!(completeness, "lower_bound", "{call}: {answer}");
        let hint = answer["overflow"]["hint"].as_str().or(answer["hint"].as_str()).expect("a hint");
        let (offer, _) = calls_in(hint).into_iter().next().unwrap_or_else(|| panic!("{call}: {hint}"));
        let more: Run = execute(project.path(), &offer, "");
        assert!(more.answer().len() > answer.to_string().len(), "{call} offers {offer}");
    }
    // With a little more, files stand without their symbols, as the text has them.
    let files = project.run("outline src --max-tokens 500 --json").json();
    assert!(files["files"].as_array().is_some_and(|rows| rows.len() >= 3), "{files}");
    assert!(files["files"][0]["symbol_count"] == 60 && files["left_out"]["names"].as_u64() > Some(100), "{files}");
}

#[test]
fn a_tree_shows_as_many_whole_levels_as_fit() {
    let project = Project::empty();
    for folder in 0..9 {
        for inner in 0..4 {
            for file in 0..3 {
                project.write(&format!("folder_{folder}/inner_{inner}/file_{file}.py"), "one = 1\n");
            }
        }
    }
    for (budget, level) in [(350, 1), (1_000, 2), (4_000, 3)] {
        let answer = project.run(&format!("tree --max-tokens {budget}")).answer();
        assert!(
            answer.contains(&format!("shown to depth {level}: ")) && !answer.contains("\nshown: "),
            "{budget}: {answer}"
        );
        assert!(answer.contains("folder_8/"), "{answer}");
    }
    // Of a level that does not fit, the folders come first, and the call leads to code.
    for file in 0..30 {
        project.write(&format!("a_setting_{file:02}.toml"), "one = 1\n");
        project.write(&format!("queries/{file}.scm"), "(one)\n");
    }
    let cut = project.run("tree --max-tokens 200").answer();
    assert!(cut.contains("shown to depth 1: ") && cut.contains("\nshown: "), "{cut}");
    assert!(cut.contains("\nfolder_3/") && !cut.contains("a_setting_29"), "{cut}");
    assert!(cut.contains("\npeelback tree --max-tokens 200 --path folder_"), "{cut}");
    // A depth that is asked for is shown as far as it fits.
    let asked = project.run("tree --depth 3 --max-tokens 350").answer();
    assert!(asked.contains("\nshown: ") && asked.contains("\npeelback tree --depth 2 --max-tokens 350\n"), "{asked}");
}

#[test]
fn a_hint_leads_to_a_body() {
    let project = Project::new(
        "\
//- store.h
#ifndef STORE_H
#define STORE_H
struct store {
  int size;
};
int store_open(struct store *store);
#endif
//- limits.h
#define LIMIT 3
#define OTHER 4
//- store.c
#include \"store.h\"
static int helper(int value);
int store_open(struct store *store) {
  return helper(store->size);
}
static int helper(int value) {
  return value;
}
",
    );
    for (call, id) in [("outline store.h", "store.h:store"), ("outline store.c", "store.c:store_open")] {
        let answer = project.run(call).answer();
        assert!(answer.contains(&format!("a body:\npeelback read-symbol --name {id}\n")), "{call}: {answer}");
    }
    let none = project.run("outline limits.h").answer();
    assert!(!none.contains("a body:"), "{none}");
    let text: String = (0..60).map(|index| format!("static int helper_{index}(int value);\n")).collect();
    let body = "  value = value * value + 1;\n".repeat(300);
    project.write("long.c", format!("{text}int last(int value) {{\n{body}  return value;\n}}\n"));
    let profile = project.run("read-file long.c").answer();
    assert!(profile.contains("\npeelback read-symbol --name long.c:last\n"), "{profile}");
}

#[test]
fn the_first_narrowing_leaves_what_fits_or_half() {
    let project = Project::empty();
    // Ninety uses of one role, and ten of another.
    let uses: String = (0..45).map(|index| format!("def use_{index}(value: Store): pass\n\n")).collect();
    project.write("store.py", "class Store:\n    pass\n");
    project.write("a.py", format!("from store import Store\n{uses}"));
    project.write("b.py", format!("from store import Store\n{uses}"));
    let answer = project.run("find-references Store --limit 20").answer();
    let first = call_after(&answer, "\nnext: 46 references\n");
    assert!(first.starts_with("peelback find-references --name Store --limit 20 --scope "), "{first}");
    assert!(call_after(&answer, "\nor: 90 references\n").ends_with(" --role type"), "{answer}");
    // A folder of two files says nothing of thirty.
    let folder = large();
    folder.write("src/inner/one.py", "def one(): pass\n");
    folder.write("src/inner/two.py", "def two(): pass\n");
    let outline = folder.run("outline src --limit 20").answer();
    assert!(!outline.contains("--path src/inner"), "{outline}");
    // The files that are shown are not counted again.
    let by_file = outline.lines().find(|line| line.starts_with("by file: ")).expect("counts");
    assert!(!by_file.contains("src/part_00.py") && by_file.contains("src/part_20.py"), "{by_file}");
}

#[test]
fn a_namespace_at_the_head_of_a_file_is_no_row() {
    let project = Project::new(
        "//- src/Box.php\n<?php\nnamespace App\\Mail;\nclass Box {}\n//- src/Bag.php\n<?php\nnamespace App\\Mail;\nclass Bag {}\n",
    );
    let answer = project.run("outline src").answer();
    assert!(answer.contains("class Box") && !answer.contains("namespace"), "{answer}");
    assert!(!answer.contains("evidence:"), "{answer}");
    assert_eq!(project.run("outline src --json").json()["evidence"]["analysis"], "syntax");
}

#[test]
fn the_root_is_written_as_short_as_it_can_be() {
    let project = large();
    project.write("tools/inner/run.py", "def run():\n    return 1\n");
    let folder = project.path().join("tools");
    let run = |arguments: &[&str]| {
        Run::of(&crate::support::command_in(&folder).args(arguments).output().expect("the program runs"))
    };
    let answer = run(&["outline", "run.py", "--root", "inner"]).answer();
    let call = call_after(&answer, "a body:");
    assert_eq!(call, "peelback read-symbol --root inner --name run.py:run");
    assert!(execute(&folder, &call, "").answer().contains("return 1"));
}

#[test]
fn a_folder_that_is_called_as_the_root_is_named_by_its_path() {
    let project = Project::empty();
    for index in 0..4 {
        project.write(&format!("shop/shop/part_{index}.py"), "one = 1\n");
        project.write(&format!("shop/part_{index}.py"), "one = 1\n");
    }
    let answer = project.run("tree --root shop --limit 3").answer();
    let (call, _) = calls_in(&answer).into_iter().find(|(call, _)| call.contains("--path")).expect("a call");
    assert!(call.contains("--root shop ") && call.contains("--path shop/shop"), "{answer}");
    assert!(execute(project.path(), &call, "").answer().contains("4 files"), "{call}");
}

#[test]
fn a_glob_is_not_lost_in_a_narrower_search() {
    let project = Project::empty();
    project.write("lib/thing.py", "class Thing: pass\n");
    for index in 0..30 {
        project.write(&format!("lib/part_{index}.py"), "from lib.thing import Thing\nThing()\n");
        project.write(&format!("lib/part_{index}.md"), "Thing\n\nThing\n");
        project.write(&format!("other/part_{index}.py"), "from lib.thing import Thing\nThing()\n");
    }
    for call in ["grep Thing --scope **/*.py --limit 20", "grep Thing --scope lib --scope other/part_1.py --limit 20"] {
        let answer = project.run(call).answer();
        let mut narrower = calls_in(&answer).into_iter().filter(|(call, _)| !call.contains("--offset")).peekable();
        assert!(narrower.peek().is_some(), "{answer}");
        for (offer, promised) in narrower {
            let total = execute(project.path(), &offer, "--json").json()["total"].as_u64();
            assert_eq!(total, promised.map(|count| count as u64), "{call} offers {offer}");
        }
    }
}

#[test]
fn calls_about_an_absolute_path_work_from_anywhere() {
    let project = large();
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    let elsewhere = Project::empty();
    elsewhere.write(".git/HEAD", "ref: refs/heads/main\n");
    let inside = project.path().join("src");
    let root = project.path().to_str().expect("UTF-8");
    for folder in [elsewhere.path(), &inside, project.path()] {
        for call in [
            format!("outline {root}"),
            format!("outline {root}/src --limit 2"),
            format!("grep method {root}/src --limit 3"),
        ] {
            let words: Vec<&str> = call.split(' ').collect();
            let answer = Run::of(&crate::support::command_in(folder).args(words).output().expect("it runs")).answer();
            let calls = calls_in(&answer);
            assert!(!calls.is_empty(), "{call}: {answer}");
            for (offer, _) in calls {
                assert_eq!(execute(folder, &offer, "").code, Some(0), "{folder:?}: {call} offers {offer}");
            }
        }
    }
}
