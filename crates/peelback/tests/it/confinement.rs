//! Nothing outside the root is read or named, while a folder of the project is exchanged for a symbolic link that leads
//! outside, and back, as fast as the system can. `exchanged_folder.rs` of `peelback-tools` makes the calls of all tools.

#[path = "../../../peelback-tools/tests/exchange/mod.rs"]
mod exchange;

use std::os::unix::fs::symlink;

use exchange::{ExchangedFolder, SECRET};

use crate::support::{Project, Run, command_in};

#[test]
fn the_program_does_not_leave_the_root_while_a_folder_is_exchanged() {
    let exchanged = ExchangedFolder::new();
    let mut seen = 0;
    for call in ["read-lines d/f.py 1-2", "outline d", "grep return|pass d", "tree d"] {
        for _ in 0..60 {
            let mut command = command_in(exchanged.path());
            let run = Run::of(&command.args(call.split(' ')).args(["--root", "."]).output().expect("the program runs"));
            seen += usize::from(run.stdout.contains("inside") || run.stdout.contains("f.py"));
            assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{call}: {run:?}");
        }
    }
    assert!(seen > 0, "no call saw the folder");
}

/// Links that stay inside the root are followed as ever.
#[test]
fn links_inside_the_root_are_followed() {
    let project = Project::empty();
    project.write("real/f.py", "def inside():\n    return 'inside'\n");
    symlink("real", project.path().join("relative")).expect("a link");
    symlink(project.path().join("real"), project.path().join("absolute")).expect("a link");
    symlink("relative/f.py", project.path().join("file.py")).expect("a link");
    let answer = |call: &str| -> String { project.run(call).answer() };
    for path in ["relative/f.py", "absolute/f.py", "file.py", "real/../relative/f.py"] {
        assert!(answer(&format!("read-lines {path} 1-2")).contains("return 'inside'"), "{path}");
        assert!(answer(&format!("grep return {path}")).contains("return 'inside'"), "{path}");
        assert!(answer(&format!("outline {path}")).contains("def inside"), "{path}");
    }
    for folder in ["relative", "absolute"] {
        assert!(answer(&format!("outline {folder}")).contains("def inside"), "{folder}");
        assert!(answer(&format!("grep return {folder}")).contains("real/f.py"), "{folder}");
    }
    // The root itself may be named by a link, too.
    let home = Project::empty();
    symlink(project.path(), home.path().join("root")).expect("a link");
    let run = Run::of(&home.command().args(["grep", "return", "--root", "root"]).output().expect("the program runs"));
    assert!(run.answer().contains("real/f.py"));
}
