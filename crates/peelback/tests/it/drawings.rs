//! Drawings of dependencies: few enough edges to look at, whose labels and notes add up to all dependencies.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::support::Project;

/// A drawing as its text says it.
#[derive(Debug, Default)]
struct Drawn {
    comments: Vec<String>,
    /// The lines of each box.
    nodes: Vec<Vec<String>>,
    /// Places in `nodes`, the label, and whether the edge is dashed.
    edges: Vec<(usize, usize, Option<usize>, bool)>,
}

impl Drawn {
    fn of_mermaid(text: &str) -> Self {
        let mut drawn = Self::default();
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix("%% ") {
                drawn.comments.push(comment.to_owned());
            } else if let Some((id, label)) = line.split_once("[\"") {
                assert_eq!(id, format!("  f{}", drawn.nodes.len()), "{text}");
                let label = label.strip_suffix("\"]").expect("a label");
                drawn.nodes.push(label.split("<br/>").map(str::to_owned).collect());
            } else if line.contains("> ") || line.contains(">|") {
                let words: Vec<&str> = line.split_whitespace().collect();
                let [from, arrow, to] = words.as_slice() else { panic!("{line}") };
                let number = |id: &str| id.strip_prefix('f').and_then(|id| id.parse().ok()).expect("an id");
                let label = arrow.split('|').nth(1).map(|label| label.parse().expect("a number"));
                drawn.edges.push((number(from), number(to), label, arrow.starts_with("-.->")));
            }
        }
        drawn
    }

    fn comment(&self, part: &str) -> &str {
        self.comments.iter().find(|comment| comment.contains(part)).unwrap_or_else(|| panic!("no {part:?}: {self:?}"))
    }

    fn node(&self, name: &str) -> usize {
        let found = self.nodes.iter().position(|lines| lines[0] == name);
        found.unwrap_or_else(|| panic!("no {name:?}: {self:?}"))
    }

    fn weight(&self, from: &str, to: &str) -> Option<usize> {
        let ends = (self.node(from), self.node(to));
        self.edges.iter().find(|edge| (edge.0, edge.1) == ends).and_then(|edge| edge.2)
    }

    fn labels(&self) -> usize {
        self.edges.iter().map(|edge| edge.2.expect("a label")).sum()
    }

    /// The first number behind `before` in the comments; 0 where they have no such words.
    fn number_after(&self, before: &str) -> usize {
        let Some(rest) = self.comments.iter().find_map(|comment| Some(comment.split_once(before)?.1)) else { return 0 };
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse().unwrap_or_else(|_| panic!("no number after {before:?}: {self:?}"))
    }
}

/// Three packages of which each file imports others of its own and of the next package; tests import all of them.
fn shop() -> Project {
    let project = Project::empty();
    for package in ["store", "cart", "money"] {
        project.write(&format!("shop/{package}/__init__.py"), "");
        for file in 0..20 {
            let mut text = format!(
                "from shop.{package}.m{} import x\nfrom shop.{package}.m{} import x\n",
                (file + 1) % 20,
                (file + 7) % 20
            );
            let next = match package {
                "store" => Some("cart"),
                "cart" => Some("money"),
                _ => None,
            };
            if let Some(next) = next {
                let _ = writeln!(text, "from shop.{next}.m{file} import x");
            }
            text.push_str("x = 1\n");
            project.write(&format!("shop/{package}/m{file}.py"), text);
            let test = format!("from shop.{package}.m{file} import x\n");
            project.write(&format!("shop/{package}/test_m{file}.py"), &test);
            project.write(&format!("tests/{package}/test_m{file}.py"), test);
        }
    }
    project.write("shop/__init__.py", "");
    // One import against the direction of the others.
    project.write("shop/money/back.py", "from shop.store.m3 import x\nx = 1\n");
    project
}

#[test]
fn labels_and_notes_add_up() {
    let project = shop();
    let all = project.run("dependencies --json").json()["dependencies"].as_u64().expect("a number") as usize;
    for budget in ["", "--max-tokens 0", "--max-tokens 900"] {
        let text = project.run(&format!("dependencies --format mermaid {budget}")).answer();
        let drawn = Drawn::of_mermaid(&text);
        assert!((2..=60).contains(&drawn.edges.len()), "{budget}: {text}");
        let left_out = drawn.number_after(" between groups, ");
        assert_eq!(drawn.labels() + drawn.number_after("from file to file; ") + left_out, all, "{budget}: {text}");
        // Tests never join the code that they lie beside.
        let own = drawn.nodes.iter().filter(|lines| lines[0].contains("tests")).count();
        assert!(own > 0, "{budget}: {text}");
        assert_eq!(text, project.run(&format!("dependencies --format mermaid {budget}")).answer());
    }
}

#[test]
fn folders_are_joined_and_their_files_counted() {
    let drawn = Drawn::of_mermaid(&shop().run("dependencies --format mermaid").answer());
    let store = drawn.node("shop/store/");
    assert_eq!(drawn.nodes[store][1], "21 files, 40 imports inside", "{drawn:?}");
    assert_eq!(drawn.weight("shop/store/", "shop/cart/"), Some(20));
    assert_eq!(drawn.weight("tests in shop/store/", "shop/store/"), Some(20));
    assert_eq!(drawn.weight("tests/store/", "shop/store/"), Some(20));
    // Of the cycle, the edge that is against the others.
    let closing: Vec<_> = drawn.edges.iter().filter(|edge| edge.3).collect();
    assert!(!closing.is_empty(), "{drawn:?}");
    let total: usize = closing.iter().map(|edge| edge.2.expect("a label")).sum();
    assert_eq!(total, 1, "{drawn:?}");
    drawn.comment("close");
    drawn.comment("next: what is in this folder");
    drawn.comment("peelback dependencies --format mermaid --path shop/cart");
}

#[test]
fn each_file_is_drawn_where_it_is_asked_for_or_there_are_few() {
    let project = shop();
    let all = project.run("dependencies --json").json()["dependencies"].as_u64().expect("a number") as usize;
    let full = Drawn::of_mermaid(&project.run("dependencies --format mermaid --detail-level full").answer());
    assert_eq!(full.edges.len(), all);
    assert!(full.edges.iter().all(|edge| edge.2.is_none()) && full.nodes.iter().all(|node| node.len() == 1));
    let page = Drawn::of_mermaid(&project.run("dependencies --format mermaid --limit 5").answer());
    assert_eq!(page.edges.len(), 5);
    let next = Drawn::of_mermaid(&project.run("dependencies --format mermaid --limit 5 --offset 5").answer());
    assert_eq!(next.edges.len(), 5);
    let file = Drawn::of_mermaid(&project.run("dependencies shop/store/m3.py --format mermaid").answer());
    assert!(file.nodes.iter().all(|node| node[0].ends_with(".py")), "{file:?}");
    assert!(file.nodes.iter().any(|node| node[0] == "shop/money/back.py"), "{file:?}");

    let few = Project::new("//- a.py\nimport b\n//- b.py\nimport c\n//- c.py\nimport a\nimport d\n//- d.py\n");
    let drawn = Drawn::of_mermaid(&few.run("dependencies --format mermaid").answer());
    assert_eq!((drawn.nodes.len(), drawn.edges.len()), (4, 4), "{drawn:?}");
    assert_eq!(drawn.edges.iter().filter(|edge| edge.3).count(), 1, "{drawn:?}");
    let dot = few.run("dependencies --format dot").answer();
    assert_eq!(dot.matches("style=dashed").count(), 1, "{dot}");
}

#[test]
fn a_submodule_that_uses_its_parent_closes_no_cycle() {
    let project = Project::new(
        "\
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
mod cart;
pub struct Money;
//- src/cart.rs
use crate::Money;
pub struct Cart(Money);
",
    );
    let drawn = Drawn::of_mermaid(&project.run("dependencies --format mermaid").answer());
    assert_eq!(drawn.edges.len(), 2, "{drawn:?}");
    assert!(drawn.edges.iter().all(|edge| !edge.3), "{drawn:?}");
}

#[test]
fn a_folder_is_drawn_by_its_files_and_what_is_around_it_by_folders() {
    let project = shop();
    let text = project.run("dependencies --path shop/money --format mermaid").answer();
    let drawn = Drawn::of_mermaid(&text);
    assert!(drawn.edges.len() <= 60, "{text}");
    // Outside of it nothing is opened.
    for name in ["shop/cart/", "shop/store/m3.py", "tests/money/"] {
        drawn.node(name);
    }
    assert!(drawn.nodes.iter().any(|node| node[0].starts_with("shop/money/m")), "{text}");
    assert!(!drawn.comments.iter().any(|comment| comment.contains("what is in this folder")), "{text}");
}

#[test]
fn the_lightest_edges_are_left_out_where_one_level_has_too_many() {
    let project = Project::empty();
    // Each of thirty folders uses each other one; the first two use each other most.
    for folder in 0..30 {
        let mut text = String::new();
        for other in (0..30).filter(|other| *other != folder) {
            let _ = writeln!(text, "from p{other:02}.m0 import x");
        }
        for file in 0..4 {
            let more = if folder == 7 { "from p23.m1 import x\nfrom p23.m2 import x\n" } else { "" };
            let text = if file == 0 || folder == 7 { format!("{text}{more}x = 1\n") } else { "x = 1\n".to_owned() };
            project.write(&format!("p{folder:02}/m{file}.py"), text);
        }
    }
    let all = project.run("dependencies --json").json()["dependencies"].as_u64().expect("a number") as usize;
    let text = project.run("dependencies --format mermaid").answer();
    let drawn = Drawn::of_mermaid(&text);
    assert!((40..=60).contains(&drawn.edges.len()), "{text}");
    assert_eq!(drawn.weight("p07/", "p23/"), Some(12), "{text}");
    let left_out = drawn.number_after(" between groups, ");
    assert!(left_out > 0, "{text}");
    assert_eq!(drawn.labels() + drawn.number_after("from file to file; ") + left_out, all, "{text}");
}

#[test]
fn of_a_flat_folder_the_files_that_share_most_stand_alone() {
    let project = Project::empty();
    for file in 0..80 {
        let hub = if file < 40 { "one" } else { "two" };
        project.write(
            &format!("src/m{file}.py"),
            format!("from src.{hub} import x\nfrom src.m{} import y\n", (file + 3) % 80),
        );
    }
    project.write("src/one.py", "x = 1\n");
    project.write("src/two.py", "from src.one import x\n");
    project.write("src/__init__.py", "");
    let text = project.run("dependencies --format mermaid").answer();
    let drawn = Drawn::of_mermaid(&text);
    assert!((3..=60).contains(&drawn.edges.len()), "{text}");
    drawn.node("src/one.py");
    drawn.node("src/two.py");
    let others = drawn.nodes.iter().find(|node| node[0] == "src/* (others)").unwrap_or_else(|| panic!("{text}"));
    assert!(others[1].contains(" files, "), "{text}");
}

#[test]
fn a_package_is_imported_once_and_never_parted() {
    let project = Project::empty();
    project.write("go.mod", "module example.com/shop\n\ngo 1.22\n");
    for package in ["cart", "money", "store"] {
        for file in 0..12 {
            let uses = if package == "money" {
                String::new()
            } else {
                "import \"example.com/shop/money\"\n\nvar _ = money.X0\n".to_owned()
            };
            project.write(&format!("{package}/f{file}.go"), format!("package {package}\n\n{uses}\nvar X{file} = 1\n"));
        }
    }
    let text = project.run("dependencies --format mermaid").answer();
    let drawn = Drawn::of_mermaid(&text);
    assert_eq!(drawn.nodes.len(), 3, "{text}");
    assert_eq!(drawn.weight("cart/", "money/"), Some(12), "{text}");
    drawn.comment("an import of a whole package counts once");
}

#[test]
fn the_overview_names_the_call_that_draws() {
    let project = shop();
    let text = project.run("dependencies").answer();
    assert!(text.contains("dependencies --format mermaid"), "{text}");
    let json = project.run("dependencies --json --limit 3").answer();
    assert!(!json.contains("mermaid"), "{json}");
}

#[test]
fn graphviz_gets_the_same_graph() {
    let project = shop();
    let mermaid = Drawn::of_mermaid(&project.run("dependencies --format mermaid").answer());
    let dot = project.run("dependencies --format dot").answer();
    let edges: Vec<&str> = dot.lines().filter(|line| line.contains(" -> ")).collect();
    assert_eq!(edges.len(), mermaid.edges.len(), "{dot}");
    assert!(edges.iter().all(|edge| edge.contains("[label=")), "{dot}");
    let names: BTreeSet<&str> = edges.iter().filter_map(|edge| edge.split('"').nth(1)).collect();
    let expected: BTreeSet<&str> = mermaid.edges.iter().map(|edge| mermaid.nodes[edge.0][0].as_str()).collect();
    assert_eq!(names, expected);
}
