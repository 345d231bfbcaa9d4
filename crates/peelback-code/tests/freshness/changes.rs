//! Ways in which files change.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::project::{CONFIGURATIONS, Random, configuration, first_paths, paths, text, write};

/// Where there are fewer files, some come back.
const FEW: usize = 45;

/// The state of the files at one time, as a branch has it.
type State = Vec<(String, Vec<u8>, SystemTime)>;

/// What makes the changes.
pub struct Changes {
    /// Whether there is a repository with branches.
    has_git: bool,
    states: Vec<State>,
}

/// What was changed.
pub struct Change {
    pub kind: &'static str,
    /// The file, where it was one.
    pub path: Option<String>,
    /// Whether that had been left alone for so long that its signature could be believed.
    pub was_settled: bool,
}

fn git(root: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]);
    command.args(["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"]).args(arguments).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

fn set_modified(path: &Path, time: Option<SystemTime>) {
    if let (Some(time), Ok(file)) = (time, File::options().write(true).open(path)) {
        file.set_modified(time).expect("a time");
    }
}

#[cfg(unix)]
fn is_settled(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time").as_secs_f64();
    fs::symlink_metadata(path).is_ok_and(|it| now - it.ctime() as f64 - it.ctime_nsec() as f64 / 1e9 > 2.2)
}

#[cfg(not(unix))]
fn is_settled(_: &Path) -> bool {
    false
}

impl Changes {
    /// Fills an empty folder: three branches, and the same states without git.
    pub fn begin(root: &Path, random: &mut Random) -> Self {
        let mut has_git = git(root, &["init", "-q"]);
        let mut states = Vec::new();
        for branch in 0..3 {
            for path in first_paths() {
                // A branch lacks some files.
                if branch > 0 && random.below(8) == 0 {
                    let _ = fs::remove_file(root.join(&path));
                } else {
                    write(root, &path, text(&path, random));
                }
            }
            CONFIGURATIONS.iter().for_each(|path| write(root, path, configuration(path, random)));
            let name = format!("b{branch}");
            has_git = has_git
                && git(root, &["checkout", "-q", "-b", &name])
                && git(root, &["add", "-f", "."])
                && git(root, &["commit", "-q", "-m", "x"]);
            states.push(state(root));
        }
        Self { has_git, states }
    }

    /// Changes something.
    pub fn make(&mut self, root: &Path, random: &mut Random) -> Change {
        let all = paths(root);
        if all.len() < FEW {
            return self.switch(root, random);
        }
        let path = random.of(&all).clone();
        let was_settled = is_settled(&root.join(&path));
        let at = root.join(&path);
        let time = modified(&at);
        let kind = match random.below(1_000) {
            0..=299 => {
                // In place: the same file, the same size, the same time.
                if !at.is_symlink() && !CONFIGURATIONS.contains(&path.as_str()) {
                    fs::write(&at, text(&path, random)).expect("a file");
                    set_modified(&at, time);
                }
                "rewritten in place, time set back"
            }
            300..=449 => {
                let beside = at.with_extension("new");
                fs::write(&beside, text(&path, random)).expect("a file");
                set_modified(&beside, time);
                fs::rename(&beside, &at).expect("a name");
                "replaced, time set back"
            }
            450..=499 => {
                set_modified(&at, Some(SystemTime::now() - Duration::from_secs(random.below(100_000) as u64)));
                "touched"
            }
            500..=549 => {
                fs::remove_file(&at).expect("a file");
                "deleted"
            }
            550..=619 => {
                let (folder, ending) = (folder_of(&path), path.rsplit_once('.').map_or("", |(_, ending)| ending));
                let to = format!("{folder}m{}.{ending}", random.below(8));
                if !root.join(&to).is_dir() {
                    fs::rename(&at, root.join(to)).expect("a name");
                }
                "renamed"
            }
            620..=679 => {
                let other = root.join(random.of(&all));
                let beside = root.join("beside.tmp");
                if other != at {
                    fs::rename(&at, &beside).expect("a name");
                    fs::rename(&other, &at).expect("a name");
                    fs::rename(&beside, &other).expect("a name");
                }
                "swapped"
            }
            680..=719 => {
                let broken = format!("def (: f{} = = {{[\nfrom m1 import\n", random.below(3));
                let texts: [&[u8]; 4] = [broken.as_bytes(), b"", b"a\0b", b"\xff\xfef\0"];
                write(root, &path, random.of(&texts));
                "broken, empty, binary"
            }
            720..=759 => {
                if !at.is_symlink() {
                    let before = fs::read(&at).expect("a file");
                    fs::write(&at, [before.as_slice(), b"\n# more\n"].concat()).expect("a file");
                }
                "longer"
            }
            #[cfg(unix)]
            760..=779 => {
                let to = root.join(random.of(&all));
                fs::remove_file(&at).expect("a file");
                std::os::unix::fs::symlink(to, &at).expect("a link");
                "a link in its place"
            }
            780..=839 => {
                let configured = random.of(CONFIGURATIONS);
                let time = modified(&root.join(configured));
                write(root, configured, configuration(configured, random));
                set_modified(&root.join(configured), time);
                "configuration"
            }
            840..=869 => {
                let folder = *random.of(&["app", "web", "lib"]);
                let (from, to) = (random.below(3), 3 + random.below(2));
                let at = |p: usize| root.join(format!("{folder}/p{p}"));
                if at(from).is_dir() && !at(to).exists() {
                    fs::rename(at(from), at(to)).expect("a name");
                } else if at(to).is_dir() && !at(from).exists() {
                    fs::rename(at(to), at(from)).expect("a name");
                }
                "folder renamed"
            }
            870..=889 => {
                // A module becomes a package.
                let to = path.strip_suffix(".py").map(|stem| format!("{stem}/__init__.py"));
                if let Some(to) = to.filter(|to| fs::create_dir_all(root.join(folder_of(to))).is_ok()) {
                    fs::rename(&at, root.join(to)).expect("a name");
                }
                "module to package"
            }
            890..=989 => {
                let path = random.of(&first_paths()).clone();
                write(root, &path, text(&path, random));
                "written"
            }
            _ => return self.switch(root, random),
        };
        Change { kind, path: at.is_file().then_some(path), was_settled }
    }

    /// Goes to another branch, with git or in the same way without.
    fn switch(&self, root: &Path, random: &mut Random) -> Change {
        let to = random.below(self.states.len());
        if self.has_git && random.below(2) == 0 {
            let done =
                git(root, &["clean", "-q", "-f", "-d"]) && git(root, &["checkout", "-q", "-f", &format!("b{to}")]);
            if done {
                return Change { kind: "branch", path: None, was_settled: false };
            }
        }
        let there = &self.states[to];
        for path in paths(root) {
            if !there.iter().any(|(known, ..)| *known == path) {
                fs::remove_file(root.join(path)).expect("a file");
            }
        }
        for (path, bytes, time) in there {
            let at = root.join(path);
            if at.is_dir() {
                fs::remove_dir_all(&at).expect("a folder");
            }
            if at.is_symlink() || fs::read(&at).ok().as_ref() != Some(bytes) {
                write(root, path, bytes);
                set_modified(&at, Some(*time));
            }
        }
        Change { kind: "state", path: None, was_settled: false }
    }
}

/// What the files hold now.
fn state(root: &Path) -> State {
    let read = |path: String| {
        let at = root.join(&path);
        let time = modified(&at).expect("a time");
        (path, fs::read(&at).expect("a file"), time)
    };
    paths(root).into_iter().map(read).collect()
}

/// The folder of a path, with `/`.
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..=at])
}
