//! Nothing outside the root is read or named, while a folder of the project is exchanged for a symbolic link that leads
//! outside, and back, as fast as the system can. `exchanged_folder.rs` of `peelback-tools` makes the calls of all tools.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crate::support::{Project, Run};

/// What only files outside the root contain, in their text and their names.
const SECRET: &str = "zqsecret";

/// A project whose folder `d` is exchanged for a link to a folder outside, until the value is dropped.
struct ExchangedFolder {
    project: Project,
    _outside: Project,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl ExchangedFolder {
    fn new() -> Self {
        let outside = Project::empty();
        outside.write("f.py", format!("def {SECRET}():\n    return '{SECRET}'\n"));
        outside.write(&format!("{SECRET}.py"), format!("def {SECRET}():\n    pass\n"));
        outside.write(&format!("below/{SECRET}_below.py"), "x = 1\n");
        let project = Project::empty();
        project.write("good.py", "from d.f import inside\ninside()\n");
        project.write("d/f.py", "def inside():\n    return 'inside'\n");
        project.write("d/below/g.py", "def inside_below():\n    return 'inside'\n");
        symlink(outside.path(), project.path().join("link")).expect("a link");
        let done = Arc::new(AtomicBool::new(false));
        let (d, link) = (project.path().join("d"), project.path().join("link"));
        let spare = project.path().join("spare");
        let stop = done.clone();
        let thread = std::thread::spawn(move || {
            let mut exchanges = 0;
            while !stop.load(Ordering::Relaxed) {
                exchange(&d, &link, &spare);
                exchanges += 1;
                // Each state is there for a while, so that a call can meet both.
                if exchanges % 64 == 0 {
                    std::thread::yield_now();
                }
            }
            exchanges
        });
        Self { project, _outside: outside, done, thread: Some(thread) }
    }
}

impl Drop for ExchangedFolder {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let exchanges = self.thread.take().map(|thread| thread.join().expect("the exchange goes on"));
        println!("{} exchanges", exchanges.unwrap_or(0));
    }
}

/// Gives each of two paths what the other has.
#[cfg(target_os = "linux")]
fn exchange(one: &PathBuf, other: &PathBuf, _: &PathBuf) {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE).expect("an exchange");
}

/// Gives each of two paths what the other has.
#[cfg(not(target_os = "linux"))]
fn exchange(one: &PathBuf, other: &PathBuf, spare: &PathBuf) {
    std::fs::rename(one, spare).expect("a rename");
    std::fs::rename(other, one).expect("a rename");
    std::fs::rename(spare, other).expect("a rename");
}

#[test]
fn the_program_does_not_leave_the_root_while_a_folder_is_exchanged() {
    let exchanged = ExchangedFolder::new();
    for call in ["read-lines d/f.py 1-2", "outline d", "grep return|pass d", "tree d"] {
        let mut seen = 0;
        for _ in 0..60 {
            let run = exchanged.project.run(&format!("{call} --root ."));
            seen += usize::from(run.stdout.contains("inside") || run.stdout.contains("f.py"));
            assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{call}: {run:?}");
        }
        println!("{call}: {seen} of 60 saw the folder");
    }
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
