//! Several names, ids and paths in one call, and the order of symbols that have a name.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::agents::{call_after, execute};
use crate::support::Project;

/// The values of one field of the rows in an answer.
fn fields<'a>(answer: &'a Value, rows: &str, field: &str) -> Vec<&'a str> {
    let rows = answer[rows].as_array().unwrap_or_else(|| panic!("{rows}: {answer}"));
    rows.iter().map(|row| row[field].as_str().unwrap_or_default()).collect()
}

/// A function with so many lines in its body.
fn function(name: &str, lines: usize) -> String {
    let mut text = format!("def {name}(value):\n");
    for line in 0..lines {
        let _ = writeln!(text, "    value = value + {line} * len(str(value)) + {line}");
    }
    text + "    return value\n\n\n"
}

const SHOP: &str = "\
//- shop/cart.py
class Cart:
    def add(self, name):
        return name

    def close(self):
        return 1
//- shop/store.py
def open_store(path):
    return path


def load_cart(store):
    return store
";

#[test]
fn several_names_and_ids_are_read_at_once() {
    let project = Project::new(SHOP);
    let answer = project.run("read-symbol Cart.add shop/store.py:open_store load_cart").answer();
    assert!(answer.starts_with("3 symbols for 3 names\n"), "{answer}");
    for body in ["return name", "return path", "return store"] {
        assert!(answer.contains(body), "{answer}");
    }
    insta::assert_snapshot!("several_symbols", answer);
    let json = project.run("read-symbol load_cart Cart.close --json").json();
    assert_eq!(fields(&json, "symbols", "id"), ["shop/store.py:load_cart", "shop/cart.py:Cart.close"]);
    // A path in front of names is still the path, and a name that is given twice is read once.
    let json = project.run("read-symbol shop/store.py load_cart open_store load_cart --json").json();
    assert_eq!(fields(&json, "symbols", "id"), ["shop/store.py:load_cart", "shop/store.py:open_store"]);
    // Swapped.
    assert!(project.run("read-symbol Cart.add shop/cart.py").answer().contains("return name"));
}

#[test]
fn a_name_that_is_not_there_is_said_and_the_others_are_answered() {
    let project = Project::new(SHOP);
    let answer = project.run("read-symbol Cart.add shop/store.py:load_carts nowhere_at_all").answer();
    assert!(answer.starts_with("1 symbol for 1 of 3 names\n") && answer.contains("return name"), "{answer}");
    let notes: Vec<&str> = answer.lines().filter(|line| line.starts_with("note: ")).collect();
    assert_eq!(notes.len(), 2, "{answer}");
    assert!(
        notes[0].contains("no symbol load_carts in shop/store.py") && notes[0].contains("did you mean load_cart"),
        "{answer}"
    );
    assert!(notes[1].contains("no symbol nowhere_at_all in the project"), "{answer}");
    let json = project.run("read-symbol Cart.add nowhere_at_all --json").json();
    assert_eq!(fields(&json, "not_found", "asked_for"), ["nowhere_at_all"]);
    // Where none is there, nothing was found.
    let none = project.run("read-symbol nowhere_at_all not_here_either");
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.shown().contains("no symbol nowhere_at_all") && none.shown().contains("not_here_either"), "{none:?}");
    // A slip in a path is no name.
    let slip = project.run("read-symbol shop/stor.py load_cart");
    assert!(slip.code == Some(1) && slip.shown().contains("did you mean shop/store.py"), "{slip:?}");
}

#[test]
fn short_bodies_are_whole_before_long_ones_are_cut() {
    let project = Project::empty();
    let texts =
        [function("long_one", 400), function("short_one", 5), function("long_two", 300), function("short_two", 9)];
    project.write("a.py", texts.concat());
    let names = ["read-symbol", "long_one", "short_one", "long_two", "short_two"];
    let answer = project.run_with(&names).answer();
    assert!(peelback_tokens::count_tokens(&answer) <= 4_000, "{answer}");
    for (name, lines) in [("short_one", 5), ("short_two", 9)] {
        assert!(answer.contains(&function(name, lines).trim_end().replace("\n\n\n", "")), "{name}: {answer}");
    }
    // What was cut is said where it was, with the call to see it, and both have about the same share.
    let rests: Vec<&str> = answer.lines().filter_map(|line| line.strip_prefix("the rest of the body, ")).collect();
    assert_eq!(rests.len(), 2, "{answer}");
    for rest in rests {
        let call = call_after(&answer, rest);
        assert!(execute(project.path(), &call, "").answer().contains("value = value"), "{call}");
    }
    let json = project.run_with(&[&names[..], &["--json", "--max-tokens", "4000"]].concat()).json();
    let lengths: Vec<usize> = fields(&json, "symbols", "body").iter().map(|body| body.len()).collect();
    assert!(lengths[0] * 2 > lengths[2] && lengths[2] * 2 > lengths[0] && lengths[0] > lengths[1], "{lengths:?}");
}

#[test]
fn an_id_fits_its_own_path() {
    let project = Project::new(SHOP);
    for path in ["shop/cart.py", "shop", "."] {
        let answer = project.run(&format!("read-symbol --path {path} shop/cart.py:Cart.add")).answer();
        assert!(answer.contains("return name"), "{path}: {answer}");
        let uses = project.run(&format!("find-references --path {path} shop/cart.py:Cart"));
        assert!(uses.stdout.contains("references to shop/cart.py:Cart "), "{path}: {uses:?}");
    }
    let other = project.run("read-symbol --path shop/store.py shop/cart.py:Cart.add");
    assert_eq!(other.code, Some(1), "{other:?}");
}

#[test]
fn documentation_is_left_out_and_line_numbers_stay_true() {
    let project = Project::new(
        "\
//- a.py
class Cart:
    \"\"\"A cart.

    For goods.
    \"\"\"

    # What it may hold.
    limit = 3

    @property
    def total(self):
        \"\"\"The sum.\"\"\"
        text = \"\"\"kept\"\"\"
        return self.limit  # kept, too

    def close(self):
        return 1
//- b.rs
/// Adds.
///
/// Twice.
#[inline]
pub fn add(a: u8) -> u8 {
    // Why twice.
    a + a
}
//- c.ts
/** A store. */
export class Store {
  /**
   * Opens it.
   */
  open(): void {
    /* kept */
    run();
  }
}
",
    );
    let answer = project.run("read-symbol Cart --no-docs --line-numbers").answer();
    assert!(!answer.contains("For goods") && !answer.contains("The sum") && answer.contains("kept, too"), "{answer}");
    for line in [
        "8:     limit = 3\n",
        "11:     def total(self):\n",
        "13:         text = \"\"\"kept\"\"\"\n",
        "17:         return 1\n",
    ] {
        assert!(answer.contains(line), "{line}: {answer}");
    }
    insta::assert_snapshot!("a_body_without_documentation", answer);
    let answer = project.run("read-symbol add --no-docs --line-numbers").answer();
    assert!(answer.contains("4: #[inline]\n") && answer.contains("6:     // Why twice.\n"), "{answer}");
    assert!(!answer.contains("Adds."), "{answer}");
    let json = project.run("read-symbol Store --no-docs --json").json();
    let row = &json["symbols"][0];
    assert_eq!(row["documentation_left_out"], json!(["1", "3-5"]), "{json}");
    assert!(
        row["body"].as_str().is_some_and(|body| body.contains("/* kept */") && !body.contains("Opens it")),
        "{json}"
    );
}

#[test]
fn overloads_and_prototypes_stand_in_one_row() {
    let project = Project::new(
        "\
//- a.ts
export function parse(text: string): string;
export function parse(text: number): number;
export function parse(text: any): any {
  return text;
}
//- b.py
from typing import overload

class Reader:
    @overload
    def read_all(self, size: int) -> bytes: ...
    @overload
    def read_all(self, size: str) -> str: ...
    def read_all(self, size):
        return size
//- take.h
int take(int x);
//- take.c
#include \"take.h\"
int take(int x) {
  return x;
}
",
    );
    let json = project.run("read-symbol parse --json").json();
    assert_eq!((fields(&json, "symbols", "id").len(), &json["symbols"][0]["overloads"]), (1, &json!(2)), "{json}");
    let answer = project.run("read-symbol parse").answer();
    assert!(
        answer.contains("(+2 overloads)") && answer.contains("  1: export function parse(text: string): string"),
        "{answer}"
    );
    let json = project.run("read-symbol Reader.read_all --json").json();
    assert_eq!((json["symbols"][0]["line"].as_u64(), &json["symbols"][0]["overloads"]), (Some(8), &json!(2)), "{json}");
    let json = project.run("read-symbol take --json").json();
    assert_eq!(fields(&json, "symbols", "id"), ["take.c:take"]);
    assert_eq!(json["symbols"][0]["declared_at"], json!(["take.h:1"]), "{json}");
    let answer = project.run("read-symbol take").answer();
    assert!(answer.starts_with("1 symbol named take\n") && answer.contains("(declared at take.h:1)"), "{answer}");
    for name in ["parse", "read_all", "take"] {
        let found = project.run(&format!("find-symbols {name}")).answer();
        assert!(found.starts_with("1 symbol "), "{found}");
    }
    // Where only the header is looked at, that is the definition.
    assert!(project.run("find-symbols take take.h").answer().contains("take.h\n"));
    // One of several is still there by its line.
    assert!(project.run("read-symbol a.ts:parse@2").answer().contains("parse(text: number): number"));
}

#[test]
fn several_paths_are_outlined_at_once() {
    let project = Project::new(SHOP);
    project
        .write("large.py", (0..300).map(|index| function(&format!("function_number_{index}"), 2)).collect::<String>());
    let answer = project.run("outline shop/cart.py large.py shop nowhere.py").answer();
    assert!(answer.starts_with("3 outlines for 4 paths\n"), "{answer}");
    assert!(answer.contains("note: ") && answer.contains("nowhere.py"), "{answer}");
    // What is short is whole.
    assert!(answer.contains("2-3 def add(self, name)") && answer.contains("function_number_0"), "{answer}");
    assert!(answer.contains("shop/store.py  python"), "{answer}");
    let words = if answer.contains("more of it:") { "more of it:" } else { "details fit:" };
    assert_eq!(call_after(&answer, words), "peelback outline --path large.py", "{answer}");
    let small = project.run("outline shop/cart.py shop/store.py").answer();
    insta::assert_snapshot!("several_outlines", small);
    let json = project.run("outline shop/cart.py shop nowhere.py --json").json();
    assert_eq!(fields(&json, "outlines_by_path", "path"), ["shop/cart.py", "shop"]);
    assert!(
        json["outlines_by_path"][0]["symbols"].is_array() && json["outlines_by_path"][1]["files"].is_array(),
        "{json}"
    );
    assert_eq!(fields(&json, "not_found", "asked_for"), ["nowhere.py"]);
    assert_eq!(project.run("outline nowhere.py not_here.py").code, Some(1));
    for budget in [300, 1_000] {
        let text = project.run(&format!("outline shop/cart.py large.py --max-tokens {budget}")).answer();
        assert!(peelback_tokens::count_tokens(&text) <= budget && text.contains("Cart"), "{text}");
    }
    // What is left out of all outlines is counted, and each of them names the call for its own.
    let text = project.run("outline large.py shop/cart.py --max-tokens 300").answer();
    assert!(
        !text.contains("to see them:") && text.contains("more of it:\npeelback outline --path large.py\n"),
        "{text}"
    );
    let (_, shown) = text.split_once("\nshown: ").expect("a part of the rows");
    let shown: usize = shown.split(' ').next().expect("a number").parse().expect("a number");
    assert!(text.contains(&format!("later rows ({})", 300 - shown)), "{text}");
}

#[test]
fn code_comes_before_documents_and_the_most_used_first() {
    let project = Project::empty();
    for number in 0..40 {
        project.write(&format!("docs/page{number}.md"), "# Api\n\nText.\n\n## The Api of all\n");
    }
    project.write("config.yaml", "Api: 3\n");
    project.write("aaa.py", "class ApiRouter:\n    pass\n\ndef unused_Api():\n    pass\n");
    project.write("tests/test_api.py", "class Api:\n    pass\n");
    project.write("src/api.py", "class Api:\n    pass\n");
    project.write("src/use.py", "from src.api import Api\nfrom aaa import ApiRouter\n");
    let answer = project.run("find-symbols Api").answer();
    assert!(answer.starts_with("4 symbols for \"Api\" in 3 files, and 81 in documents\n"), "{answer}");
    assert!(
        answer.contains("80 sections of this name in 40 documents:\npeelback find-symbols --name Api --kind section\n"),
        "{answer}"
    );
    assert!(
        answer.contains("1 key of this name in 1 document:\npeelback find-symbols --name Api --kind key\n"),
        "{answer}"
    );
    let json = project.run("find-symbols Api --json --max-tokens 2000").json();
    let ids = ["src/api.py:Api", "tests/test_api.py:Api", "aaa.py:ApiRouter", "aaa.py:unused_Api"];
    assert_eq!(fields(&json, "symbols", "id"), ids);
    assert_eq!(json["documents"][1]["symbols"], 80, "{json}");
    // The calls are right: all headings, and with a small budget, code.
    assert!(project.run("find-symbols Api --kind section").answer().starts_with("80 symbols "));
    let short = project.run("find-symbols Api --limit 1").answer();
    let next = crate::agents::call_after(&short, "\nnext: ");
    assert!(!next.contains("section"), "{short}");
    // All of them are there in full detail, code first.
    let json = project.run("find-symbols Api --json --all").json();
    let ids = fields(&json, "symbols", "id");
    assert_eq!((ids[0], ids.len()), ("src/api.py:Api", 85), "{json}");
    // What only documents have is listed.
    let answer = project.run_with(&["find-symbols", "Api of all"]).answer();
    assert!(answer.contains("The Api of all"), "{answer}");
}

#[test]
fn the_most_used_of_names_that_hold_the_words_come_first() {
    let project = Project::empty();
    project.write("a.py", "def render_rare():\n    pass\n\ndef render_often():\n    pass\n");
    for number in 0..5 {
        project.write(&format!("use{number}.py"), "from a import render_often\n");
    }
    let json = project.run("find-symbols render_ --json").json();
    assert_eq!(fields(&json, "symbols", "name"), ["render_often", "render_rare"]);
}

#[test]
fn signatures_have_no_documentation_of_parameters() {
    let project = Project::new(
        "\
//- app.py
class App:
    def get(
        self,
        path: Annotated[str, Doc(\"\"\"The path, as \"/a\" (or not).\"\"\")],
        *,
        limit: Annotated[Optional[int], Query(ge=1), Doc(\"How many.\")] = None,
        old: typing.Annotated[Dict[str, Annotated[int, Doc(\"x\")]], deprecated(\"no more\")] = {},
    ) -> None:
        return None
",
    );
    let json = project.run("find-symbols App.get --json").json();
    let signature = "def get(self, path: str, *, limit: Annotated[Optional[int], Query(ge=1)] = None, old: Dict[str, int] = {}) -> None";
    assert_eq!(json["symbols"][0]["signature"], signature, "{json}");
}

#[test]
fn a_name_of_many_symbols_gives_the_bodies_that_fit() {
    let project = Project::empty();
    for number in 0..200 {
        let parameters: Vec<String> = (0..12).map(|index| format!("parameter_{index}: dict[str, int]")).collect();
        let text = format!(
            "class Part{number}:\n    def run_part(self, {}):\n        return {number}\n",
            parameters.join(", ")
        );
        project.write(&format!("src/part{number:03}.py"), text);
    }
    let answer = project.run("read-symbol run_part").answer();
    assert!(answer.starts_with("200 symbols named run_part; bodies of 5 of the 50 shown\n"), "{answer}");
    assert!(
        answer.contains("return 4\n") && answer.contains("left out to fit the budget: signatures of symbols"),
        "{answer}"
    );
}
