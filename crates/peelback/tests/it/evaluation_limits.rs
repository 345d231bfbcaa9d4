//! What an answer says where a limit of the resolver leaves uses out: never `complete`.

use std::fmt::Write as _;

use crate::support::Project;

/// The uses that `find-references` finds, and how complete it says they are.
fn uses_and_completeness(files: &[(&str, String)], name: &str) -> (u64, String) {
    let project = Project::empty();
    for (path, text) in files {
        project.write(path, text);
    }
    let answer = project.run(&format!("find-references {name} --json")).json_of_any_status();
    let completeness = answer["evidence"]["completeness"].as_str().expect("evidence").to_owned();
    (answer["total"].as_u64().expect("a total"), completeness)
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, index| {
        writeln!(text, "{}", line(index)).expect("a text");
        text
    })
}

#[test]
fn a_function_that_returns_many_classes() {
    let with_classes = |count: usize| {
        let classes = lines(count, |index| format!("class A{index}:\n    def run(self): pass"));
        let returns = lines(count, |index| format!("    if kind == {index}: return A{index}()"));
        let text = format!("{classes}\ndef make(kind):\n{returns}\nmake(1).run()\n");
        uses_and_completeness(&[("a.py", text)], &format!("a.py:A{}.run", count - 1))
    };
    assert_eq!(with_classes(6), (1, "complete".to_owned()));
    assert_eq!(with_classes(14), (0, "lower_bound".to_owned()));
}

#[test]
fn a_long_line_of_subclasses() {
    let with_subclasses = |count: usize| {
        let classes = lines(count, |index| format!("class A{}(A{index}): pass", index + 1));
        let text = format!("class A0:\n    def run(self): pass\n{classes}\n");
        // From the last to the first, so that no evaluation finds the values of an earlier one.
        let uses = lines(3, |index| format!("A{}().run()", count - index * count / 4));
        uses_and_completeness(&[("a.py", format!("{text}{uses}"))], "a.py:A0.run")
    };
    assert_eq!(with_subclasses(8), (3, "complete".to_owned()));
    let (found, completeness) = with_subclasses(300);
    assert!(found == 3 || completeness == "lower_bound", "{found} {completeness}");
}

#[test]
fn a_long_line_of_exports() {
    let with_files = |count: usize| {
        let name = |index: usize| format!("g{index}.ts");
        let names: Vec<String> = (0..=count).map(name).collect();
        let mut files = vec![(names[0].as_str(), "export function deep() {}\n".to_owned())];
        files.extend((1..=count).map(|index| {
            let text = format!("export {{ deep }} from \"./g{}\";\n", index - 1);
            (names[index].as_str(), text)
        }));
        files.push(("use.ts", format!("import {{ deep }} from \"./g{count}\";\ndeep();\n")));
        uses_and_completeness(&files, "g0.ts:deep")
    };
    // Each export, the import and the call.
    assert_eq!(with_files(10), (12, "complete".to_owned()));
    assert_eq!(with_files(120).1, "lower_bound");
}

#[test]
fn a_long_line_of_globs() {
    let with_modules = |count: usize| {
        let modules = lines(count, |index| format!("pub mod k{} {{ pub use super::k{index}::*; }}", index + 1));
        let text = format!("pub mod k0 {{ pub fn deep() {{}} }}\n{modules}\npub fn run() {{ k{count}::deep() }}\n");
        let manifest = "[package]\nname = \"globs\"\nversion = \"1.0.0\"\n".to_owned();
        uses_and_completeness(&[("Cargo.toml", manifest), ("src/lib.rs", text)], "src/lib.rs:k0.deep")
    };
    assert_eq!(with_modules(10), (1, "complete".to_owned()));
    assert_eq!(with_modules(60), (0, "lower_bound".to_owned()));
}
