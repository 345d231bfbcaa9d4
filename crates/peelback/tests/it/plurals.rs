//! One of anything is no plural, in any answer.

use crate::support::Project;

/// Whether a text has `1` before a word in the plural, such as `1 lines`.
fn plural_of_one(text: &str) -> Option<String> {
    text.lines().find_map(plural_of_one_in_line)
}

fn plural_of_one_in_line(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split([' ', '(', ')', '"', '~']).chain(["", ""]).collect();
    let is_plural = |word: &str| {
        let word = word.trim_end_matches([',', ';', ':', '.']);
        word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    words.windows(3).find_map(|three| match three {
        ["1", "more", what] | ["1", what, _] | ["+1", "more", what] if is_plural(what) => Some(three.join(" ")),
        _ => None,
    })
}

#[test]
fn one_of_anything_is_no_plural() {
    assert_eq!(plural_of_one("a.py: 1 lines, 3 symbols").as_deref(), Some("1 lines, 3"));
    let project = Project::new(
        "\
//- a.py
x = 1
//- b/use.py
from a import x
def f(): return x
//- README.md
# One
//- c/d.json
{\"a\": 1}
",
    );
    project.write("binary.dat", [0]);
    for call in [
        "tree",
        "tree --depth 1",
        "tree b",
        "outline a.py",
        "outline .",
        "outline . --max-tokens 80",
        "outline . --limit 1",
        "outline README.md",
        "read-file a.py",
        "read-file a.py --max-tokens 50",
        "read-file b/use.py --max-tokens 50",
        "read-file binary.dat",
        "read-lines a.py:1-9",
        "read-symbol x",
        "find-symbols x",
        "find-references x",
        "find-files x",
        "search x",
        "grep x",
        "grep x --limit 1",
        "dependencies",
        "dependencies a.py",
        "dependencies --format mermaid",
        "cache",
        "context -o -",
        "scope --no-model -q x -o -",
    ] {
        let run = project.run(call);
        assert_eq!(plural_of_one(&run.shown()), None, "{call}: {}", run.shown());
    }
}
