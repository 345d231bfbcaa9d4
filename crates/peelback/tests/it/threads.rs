//! The threads of the program: how large their stacks are, and when they are started.

use crate::support::{Project, Run};

const PROJECT: &str = "\
//- src/lib.rs
mod shapes;
pub use shapes::area;
//- src/shapes.rs
/// The area of a rectangle.
pub fn area(width: u32, height: u32) -> u32 { multiply(width, height) }
fn multiply(a: u32, b: u32) -> u32 { a * b }
//- README.md
# Shapes
See `area`.
";

/// Rayon starts its threads with a stack whose size the environment can set. The program starts them first, with a stack
/// of its own, before whatever work of a call is the first to run in parallel.
#[test]
fn the_environment_does_not_set_the_stacks() {
    let project = Project::new(PROJECT);
    for call in [
        "tree",
        "outline",
        "outline src/lib.rs",
        "grep width",
        "grep width src/shapes.rs",
        "find-symbols area",
        "find-references area",
        "find-references area --relation callers",
        "find-files area",
        "search area",
        "dependencies",
        "dependencies src/lib.rs",
        "read-symbol src/shapes.rs area",
        "read-file src/lib.rs",
    ] {
        let run = |stack: Option<&str>| {
            let mut command = project.command();
            command.args(call.split(' ')).arg("--no-cache");
            if let Some(bytes) = stack {
                command.env("RUST_MIN_STACK", bytes);
            }
            Run::of(&command.output().expect("the program runs"))
        };
        let (usual, small) = (run(None), run(Some("20000")));
        assert!(matches!(usual.code, Some(0 | 1)), "{call}: {usual:?}");
        assert_eq!((small.code, small.stdout), (usual.code, usual.stdout), "{call}");
    }
}

/// Starting threads takes as long as an answer about one file.
#[cfg(target_os = "linux")]
#[test]
fn a_call_about_one_file_starts_no_threads() {
    let project = Project::new(PROJECT);
    let started_threads = |call: &str| {
        let mut command = std::process::Command::new("strace");
        let program = project.command();
        command.args(["-f", "-e", "trace=clone,clone3", "--"]).arg(program.get_program());
        command.args(call.split(' ')).arg("--no-cache").current_dir(project.path());
        let output = command.output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stderr).matches("clone").count())
    };
    let Some(many) = started_threads("tree") else {
        println!("skipped: strace is not installed");
        return;
    };
    assert!(many > 0);
    for call in [
        "outline src/shapes.rs",
        "read-lines src/shapes.rs 1-2",
        "read-file README.md",
        "read-symbol src/shapes.rs area",
    ] {
        assert_eq!(started_threads(call), Some(0), "{call}");
    }
}
