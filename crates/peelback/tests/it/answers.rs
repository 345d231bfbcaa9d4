//! What users see: the real program on a small project.

use std::io::Read;
use std::process::Stdio;

use crate::agents::{call_after, calls_in, execute};
use crate::mcp::corpus::small;
use crate::support::tool_calls::calls_in_small_project;
use crate::support::{Project, Run};

const SHOP: &str = r#"
//- .gitignore
build/
//- README.md
# Shop

Sells things.

## Install

Two steps:

1. Copy.
2. Run.

### Linux

Nothing special.

## Usage

See above.
//- pyproject.toml
[project]
name = "shop"
version = "1.0"

[tool.lint]
rules = ["a", "b"]
//- build/generated.py
def ignored(): pass
//- src/shop/__init__.py
from .cart import Cart
//- src/shop/cart.py
"""The cart."""
import json
from decimal import Decimal
from .store import Store, open_store as connect

LIMIT = 10


class Cart(dict):
    """What a customer means to buy.

    Empty at first.
    """

    currency: str = "EUR"

    def __init__(self, store: Store):
        super().__init__()
        self.store = store

    @property
    def total(self) -> Decimal:
        """The sum of all prices."""
        return sum((Decimal(p) for p in self.values()), Decimal(0))

    def add(
        self,
        name: str,
        price: str,
    ) -> None:
        if len(self) >= LIMIT:
            raise ValueError("full")
        self[name] = price

    def save(self):
        def encode(value):
            return json.dumps(value)
        connect(self.store).write(encode(dict(self)))


def empty_cart(store: Store) -> Cart:
    return Cart(store)
//- src/shop/store.py
class Store:
    def write(self, text): ...
    def read(self): ...


class Archive(Store):
    def write(self, text):
        raise NotImplementedError


def open_store(store):
    return store
//- src/shop/auth_handler.py
def login(user, password):
    return user == password
//- web/index.ts
import { Cart } from "./cart";

export const start = async (cart: Cart): Promise<void> => {
  await cart.load();
};
//- notes.xyz
plain notes
about authentication
"#;

fn shop() -> Project {
    Project::new(SHOP)
}

/// A snapshot of one call's answer.
macro_rules! shows {
    ($name:ident, $($argument:expr),+) => {
        #[test]
        fn $name() {
            shown(stringify!($name), &shop().run_with(&[$($argument),+]));
        }
    };
}

fn shown(name: &str, run: &Run) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.add_filter(r"modified \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "modified TIME");
    settings.add_filter(r#""last_modified":"[^"]*""#, r#""last_modified":"TIME""#);
    settings.add_filter(r"\S*peelback-test-\w+", "ROOT");
    settings.bind(|| insta::assert_snapshot!(name, run.shown()));
}

shows!(tree, "tree");
shows!(tree_of_a_folder_as_json, "tree", "src", "--json");
shows!(outline_of_python, "outline", "src/shop/cart.py");
shows!(outline_in_full_detail, "outline", "src/shop/cart.py", "--detail-level", "full");
shows!(outline_of_a_folder, "outline", "src");
shows!(outline_of_a_glob_by_kind, "outline", "src/**/*.py", "--kind", "class");
shows!(outline_of_markdown, "outline", "README.md");
shows!(outline_of_toml, "outline", "pyproject.toml");
shows!(outline_as_json, "outline", "src/shop/store.py", "--json");
shows!(outline_in_an_unknown_language, "outline", "notes.xyz");
shows!(symbol_with_its_context, "read-symbol", "src/shop/cart.py", "Cart.total");
shows!(symbol_by_id, "read-symbol", "src/shop/cart.py:Cart.save");
shows!(symbol_by_another_separator, "read-symbol", "Cart::add");
shows!(symbol_of_several_owners, "read-symbol", "write");
shows!(symbol_of_a_document, "read-symbol", "README.md", "Install/Linux");
shows!(symbol_as_json, "read-symbol", "src/shop/cart.py", "empty_cart", "--json");
shows!(symbol_that_is_not_there, "read-symbol", "src/shop/cart.py", "Cart.totl");
shows!(symbol_that_is_nowhere, "read-symbol", "open_stor");
shows!(symbol_that_is_text_alone, "read-symbol", "Decimal");
shows!(symbols_by_part_of_a_name, "find-symbols", "store");
shows!(symbols_by_glob_and_kind, "find-symbols", "*rit*", "--kind", "method");
shows!(symbols_with_bodies, "find-symbols", "open_store", "--include-body");
shows!(symbols_of_an_unknown_kind, "find-symbols", "x", "--kind", "clas");
shows!(lines, "read-lines", "src/shop/cart.py", "1-2", "8-9");
shows!(lines_by_suffix, "read-lines", "src/shop/cart.py:26-33");
shows!(lines_past_the_end, "read-lines", "src/shop/store.py", "90-99");
shows!(profile, "read-file", "src/shop/cart.py");
shows!(profile_as_json, "read-file", "src/shop/cart.py", "--json", "--max-tokens", "0");
shows!(profile_of_a_small_file, "read-file", "src/shop/auth_handler.py");
shows!(profile_in_an_unknown_language, "read-file", "notes.xyz");
shows!(raw_text, "read-file", "src/shop/store.py", "--raw");
shows!(text_search, "grep", "write");
shows!(text_search_with_context, "grep", "-w", "LIMIT", "src", "-C", "1");
shows!(text_search_without_a_hit, "grep", "nothing_like_it");
shows!(text_search_with_a_bad_pattern, "grep", "(");
shows!(files_for_a_question, "find-files", "How", "does", "authentication", "work?");
shows!(a_path_with_a_typing_error, "outline", "src/shp/cart.py");
shows!(an_ignored_file_named_outright, "outline", "build/generated.py");

#[test]
fn a_path_outside() {
    let other = Project::new("//- accounts.xyz\nroot:0:0\nguest:1:1\n");
    let path = other.path().join("accounts.xyz");
    shown("a_path_outside", &shop().run_with(&["read-file", &path.to_string_lossy()]));
}

#[test]
fn other_names_of_tools_and_parameters_work() {
    let shop = shop();
    let outline = shop.run("outline --path src/shop/cart.py").answer();
    for other in ["get_file_outline src/shop/cart.py", "get-file-outline --path src/shop/cart.py"] {
        assert_eq!(shop.run(other).answer(), outline);
    }
    let symbol = shop.run("symbol src/shop/cart.py Cart.add").answer();
    assert_eq!(
        shop.run("read_symbol --path src/shop/cart.py --name_path Cart#add").answer().lines().nth(2),
        symbol.lines().nth(2)
    );
}

#[test]
fn works_from_a_subfolder_and_on_another_repository() {
    let shop = shop();
    let run = |arguments: &[&str], folder: &str| {
        crate::support::Run::of(
            &shop.command().current_dir(shop.path().join(folder)).args(arguments).output().expect("runs"),
        )
    };
    let whole = shop.run("outline src/shop/cart.py").answer();
    assert_eq!(run(&["outline", "cart.py"], "src/shop").answer(), whole);
    assert_eq!(run(&["outline", "src/shop/cart.py"], "src/shop").answer(), whole);
    let other = Project::empty();
    let file = shop.path().join("src/shop/cart.py");
    let elsewhere = other.run_with(&["outline", file.to_str().expect("UTF-8")]);
    let rows = |answer: &str| answer.split_once("\n\n").map(|(_, rows)| rows.to_owned());
    assert_eq!(rows(&elsewhere.answer()), rows(&whole));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let project = Project::empty();
    for number in 0..300 {
        project.write(&format!("many/file_{number}.py"), "def one(): pass\n".repeat(60));
    }
    let mut child = project
        .command()
        .args(["outline", "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 10]).expect("some output");
    drop(out);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn looking_changes_nothing() {
    let shop = shop();
    let listing = || {
        let mut entries: Vec<_> = ignore_free_walk(shop.path());
        entries.sort();
        entries
    };
    let before = listing();
    for call in ["tree", "outline", "read-file src/shop/cart.py", "grep a", "find-symbols a", "find-files cart"] {
        shop.run(call).answer();
    }
    assert_eq!(listing(), before);
}

fn ignore_free_walk(folder: &std::path::Path) -> Vec<(std::path::PathBuf, std::time::SystemTime)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let modified = path.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        if path.is_dir() {
            found.extend(ignore_free_walk(&path));
        }
        found.push((path, modified));
    }
    found
}

#[test]
fn pages_give_every_row_once() {
    let project = Project::empty();
    for number in 0..37 {
        project.write(&format!("src/file_{number:02}.py"), "def same(): pass\n".repeat(3));
    }
    let mut seen = Vec::new();
    let mut offset = 0;
    loop {
        let page = project.run(&format!("grep same --limit 10 --json --no-owners --offset {offset}")).json();
        assert_eq!(page["total"], 111);
        for row in page["matches"].as_array().expect("rows") {
            seen.push((row["path"].to_string(), row["line"].as_u64()));
        }
        match page["overflow"]["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(seen.len(), 111);
    seen.dedup();
    assert_eq!(seen.len(), 111);
}

#[test]
fn every_next_call_works_as_it_stands() {
    let shop = shop();
    for number in 0..80 {
        shop.write(
            &format!("more/module_{number}.py"),
            format!("def write_{number}(cart): return cart\n\n\nclass Cart{number}: pass\n"),
        );
    }
    let calls = [
        "tree --limit 3",
        "outline",
        "outline src/shop/cart.py",
        "outline more",
        "find-symbols cart",
        "find-files cart",
        "grep cart",
        "grep zzz_not_there",
        "read-symbol write",
        "read-file src/shop/cart.py",
        "read-lines src/shop/cart.py --limit 3",
        "outline src/shp",
        "read-symbol src/shop/cart.py Cart.ad",
        "find-symbols crat",
        "grep (",
        "outline --kind clss",
    ];
    let mut executed = calls.iter().map(|call| run_hints(&shop, call)).sum::<usize>();
    let small = small();
    for (_, _, call) in calls_in_small_project() {
        executed += run_hints(&small, &format!("{call} --limit 1"));
    }
    assert!(executed >= 35, "only {executed} calls were found in the answers");
}

/// Runs a call, and each call that its answer names; returns the number of these.
fn run_hints(project: &Project, call: &str) -> usize {
    let run = project.run(call);
    let hints = calls_in(&format!("{}{}", run.stdout, run.stderr));
    for (hint, _) in &hints {
        let run = execute(project.path(), hint, "");
        let code = run.code.expect("a code");
        assert!(code <= 1, "{call} says {hint}: exit {code}, {}", run.stderr);
    }
    hints.len()
}

#[test]
fn from_a_subfolder_hints_and_owners_mean_the_same_files() {
    let project = Project::empty();
    project.write("src/a.py", "def right():\n    return needle\n\n\n".to_owned() + &"def other(): pass\n".repeat(30));
    project.write("src/src/a.py", "def wrong():\n    pass\n");
    let folder = project.path().join("src");
    let run = |arguments: &[&str]| {
        crate::support::Run::of(&project.command().current_dir(&folder).args(arguments).output().expect("runs"))
    };
    let found = run(&["grep", "needle"]).answer();
    assert!(found.contains("src/a.py") && found.contains("[in right]"), "{found}");
    let outline = run(&["outline", "a.py"]).answer();
    let hint = call_after(&outline, "a body:");
    assert!(execute(&folder, &hint, "").answer().contains("def right()"), "{hint}");
}

#[test]
fn hints_name_the_root_that_the_working_folder_would_not_find() {
    let shop = shop();
    let elsewhere = Project::empty();
    let root = shop.path().to_str().expect("UTF-8").to_owned();
    let outline = elsewhere.run_with(&["outline", "src/shop/cart.py", "--root", &root]).answer();
    let hint = call_after(&outline, "a body:");
    assert!(execute(elsewhere.path(), &hint, "").answer().contains("def __init__"), "{hint}");
}

#[test]
fn every_id_means_one_symbol() {
    let shop = shop();
    shop.write("twice.py", "def w(): pass\n\n\nclass B:\n    def w(self): pass\n\n    def w(self, x): pass\n");
    shop.write("lock.json", "{\n  \"react@18\": {\n    \"version\": 1\n  },\n  \"a.b\": 2\n}\n");
    let mut ids = 0;
    let outline = shop.run("outline --detail-level full --json --max-tokens 0").json();
    for file in outline["files"].as_array().expect("files") {
        let mut stack: Vec<&serde_json::Value> = file["symbols"].as_array().expect("symbols").iter().collect();
        while let Some(symbol) = stack.pop() {
            stack.extend(symbol["children"].as_array().into_iter().flatten());
            let id = symbol["id"].as_str().expect("an id");
            let read = shop.run_with(&["read-symbol", "--name", id, "--json"]).json();
            assert_eq!(read["total"], 1, "{id}: {read}");
            assert_eq!(read["symbols"][0]["line"], symbol["line"], "{id}");
            ids += 1;
        }
    }
    assert!(ids > 30, "only {ids} ids");
}

#[test]
fn small_budgets_hold() {
    let shop = shop();
    for number in 0..60 {
        shop.write(
            &format!("more/module_{number}.py"),
            "def write_it(cart): return cart\n\n\nclass Cart: pass\n".repeat(9),
        );
    }
    for call in [
        "tree",
        "outline",
        "outline src/shop/cart.py",
        "find-symbols cart",
        "find-files cart",
        "grep cart",
        "read-symbol write_it",
        "read-symbol src/shop/cart.py Cart",
        "read-file src/shop/cart.py",
        "read-lines src/shop/cart.py",
    ] {
        for budget in [150, 200, 250, 400, 1_000] {
            let answer = shop.run(&format!("{call} --max-tokens {budget}")).answer();
            let cost = peelback_tokens::count_tokens(&answer);
            assert!(cost <= budget, "{call} --max-tokens {budget} costs {cost}:\n{answer}");
        }
    }
}

#[test]
fn ignored_files_stay_out_of_globs() {
    let shop = shop();
    let found = shop.run_with(&["outline", "**/*.py"]).answer();
    assert!(found.contains("src/shop/cart.py") && !found.contains("build/generated.py"), "{found}");
    let both = shop.run_with(&["grep", "def", "src/**", "-g", "*.ts"]);
    assert_eq!(both.code, Some(1), "{both:?}");
}

#[test]
fn lists_of_choices_take_several_at_once() {
    let shop = shop();
    let both = shop.run("find-references src/shop/cart.py:Cart --role import,call").answer();
    assert_eq!(shop.run("find-references src/shop/cart.py:Cart --role Import --role call").answer(), both);
    assert!(both.contains("2 references"), "{both}");
    let wrong = shop.run("find-references src/shop/cart.py:Cart --role calls");
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(
        wrong.shown().contains("role takes call, ")
            && wrong.shown().contains("peelback find-references --role call --name src/shop/cart.py:Cart\n"),
        "{}",
        wrong.shown()
    );
}

#[test]
fn a_choice_that_names_nothing_is_no_choice() {
    let shop = shop();
    for none in ["", ","] {
        let wrong = shop.run_with(&["find-references", "src/shop/cart.py:Cart", "--role", none]);
        assert_eq!(wrong.code, Some(2), "{wrong:?}");
    }
}

#[test]
fn what_some_builds_compile_is_counted_and_offered() {
    let project = Project::new(
        "//- a.c\nint target(int n) { return n; }\n#ifdef WITH_TRACE\nint traced(void) { return target(2); }\n#endif\n",
    );
    let answer = project.run("find-references a.c:target").shown();
    assert!(answer.contains("0 references to a.c:target") && answer.contains("1 in some builds only"), "{answer}");
    let must = "do not conclude that it is unused; 1 place that only some builds compile:";
    assert!(answer.contains(must), "{answer}");
    let all = project.run("find-references a.c:target --confidence name").answer();
    assert!(
        all.contains("1 reference ") && all.contains("3: int traced(void) { return target(2); }  [some builds"),
        "{all}"
    );
}

#[test]
fn uses_in_tests_that_are_left_out_are_counted() {
    let project = Project::new("//- a.py\ndef target(): pass\n//- tests/test_a.py\nfrom a import target\ntarget()\n");
    let answer = project.run("find-references a.py:target --tests without").shown();
    assert!(answer.contains("2 in tests left out") && answer.contains("2 uses in test files:"), "{answer}");
}

#[test]
fn uses_of_other_roles_that_are_left_out_are_counted() {
    let project = Project::new("//- a.py\ndef target(): pass\n//- b.py\nfrom a import target\nprint(target)\n");
    let answer = project.run("find-references a.py:target --role call").shown();
    assert!(answer.contains("2 of other roles left out") && answer.contains("2 uses of other roles:"), "{answer}");
}

#[test]
fn calls_inside_a_function_are_in_it_and_those_of_unknown_values_by_name_only() {
    let project = Project::new("//- a.py\ndef known(): pass\ndef outer(given):\n    known()\n    given()\n");
    let answer = project.run("find-references a.py:outer --relation callees --confidence name").answer();
    assert!(answer.contains("2 calls in a.py:outer"), "{answer}");
    assert!(answer.contains("1 resolved, 0 likely, 1 by name only"), "{answer}");
}

#[test]
fn a_member_is_found_by_the_prototype_that_holds_it() {
    let project = Project::new(
        "//- lib/node.js\nvar Node = function() {};\nNode.prototype.append = function(child) {};\n\
         Node.prototype.prepend = function(child) {};\nnew Node().append(1);\n",
    );
    for name in ["Node.prototype.append", "lib/node.js:Node.prototype.append"] {
        let body = project.run(&format!("read-symbol {name}")).answer();
        assert!(body.contains("append = function"), "{name}: {body}");
        let uses = project.run(&format!("find-references {name}")).answer();
        assert!(uses.contains("new Node().append(1)"), "{name}: {uses}");
    }
    let found = project.run("find-symbols Node.prototype.append").answer();
    assert!(found.contains("Node.append") || found.contains("append = function"), "{found}");
}

#[test]
fn a_missing_path_by_position_is_no_such_path() {
    let project = Project::new("//- a.py\ndef target(): pass\n");
    for path in ["absent", "absent/", "absent//"] {
        let answer = project.run(&format!("outline {path}")).shown();
        assert!(answer.contains("no such path") && answer.contains("find-files --query absent"), "{path}: {answer}");
    }
}

/// A name that is imported from more modules than a look-up takes: each of those that it takes has the use.
#[test]
fn a_use_of_a_name_that_many_imports_bind_counts_for_each() {
    const MODULES: usize = 80;
    let project = Project::empty();
    let mut library: String = (0..MODULES).map(|number| format!("mod a{number};\n")).collect();
    for number in 0..MODULES {
        project.write(&format!("src/a{number}.rs"), format!("pub fn x() -> u32 {{\n    {number}\n}}\n"));
        library += &format!("#[cfg(feature = \"f{number}\")]\nuse a{number}::x;\n");
    }
    project.write("src/lib.rs", format!("{library}pub fn go() -> u32 {{\n    x()\n}}\n"));
    project.write("Cargo.toml", "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    for number in [0, 5, 60] {
        let answer = project.run(&format!("find-references x --path src/a{number}.rs --no-cache")).answer();
        assert!(
            answer.contains(&format!("use a{number}::x;")) && answer.contains(": x()  [likely"),
            "{number}: {answer}"
        );
    }
    // The others have it by name only, which the answer counts.
    let answer = project.run("find-references x --path src/a79.rs --no-cache").answer();
    assert!(answer.contains("1 by name only"), "{answer}");
}
