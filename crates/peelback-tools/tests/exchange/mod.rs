//! A project one of whose folders is exchanged for a link that leads outside. The tests of `peelback` use it, too.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tempfile::TempDir;

/// What only files outside the root contain, in their text and their names.
pub const SECRET: &str = "zqsecret";

/// A project whose folder `d` is exchanged for a link to a folder outside, and back, as fast as the system can, until the
/// value is dropped.
pub struct ExchangedFolder {
    project: TempDir,
    _outside: TempDir,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<u64>>,
}

impl ExchangedFolder {
    pub fn new() -> Self {
        let (outside, project) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        write(&outside, "f.py", &format!("def {SECRET}():\n    return '{SECRET}'\n"));
        write(&outside, &format!("{SECRET}.py"), &format!("def {SECRET}():\n    pass\n"));
        write(&outside, &format!("below/{SECRET}_below.py"), "x = 1\n");
        write(&project, ".git/HEAD", "ref: refs/heads/main\n");
        write(&project, "good.py", "from d.f import inside\ninside()\n");
        write(&project, "d/f.py", "def inside():\n    return 'inside'\n");
        write(&project, "d/below/g.py", "def inside_below():\n    return 'inside'\n");
        symlink(outside.path(), project.path().join("link")).expect("a link");
        let done = Arc::new(AtomicBool::new(false));
        let (folder, stop) = (project.path().to_owned(), done.clone());
        let thread = std::thread::spawn(move || {
            let mut exchanges = 0;
            while !stop.load(Ordering::Relaxed) {
                exchange_folder_and_link(&folder);
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

    pub fn path(&self) -> &Path {
        self.project.path()
    }
}

impl Drop for ExchangedFolder {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        let exchanges = self.thread.take().map(|thread| thread.join().expect("the exchange goes on"));
        println!("{} exchanges", exchanges.unwrap_or(0));
    }
}

fn write(folder: &TempDir, path: &str, text: &str) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, text).expect("a file");
}

/// Gives `d` and `link` of a folder what the other has.
#[cfg(target_os = "linux")]
fn exchange_folder_and_link(folder: &Path) {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    let (d, link) = (folder.join("d"), folder.join("link"));
    renameat2(AT_FDCWD, &d, AT_FDCWD, &link, RenameFlags::RENAME_EXCHANGE).expect("an exchange");
}

/// Gives `d` and `link` of a folder what the other has.
#[cfg(not(target_os = "linux"))]
fn exchange_folder_and_link(folder: &Path) {
    let (d, link, spare) = (folder.join("d"), folder.join("link"), folder.join("spare"));
    fs::rename(&d, &spare).expect("a rename");
    fs::rename(&link, &d).expect("a rename");
    fs::rename(&spare, &link).expect("a rename");
}
