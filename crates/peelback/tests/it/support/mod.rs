//! A small project of the tests' own, in a temporary folder, and the real program run on it.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod embeddings;
pub mod tool_calls;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// Whether tests that repeat much run in full, as `.ci/run` has it. Otherwise they take a part, so that the tests of a change
/// end in ten minutes.
pub fn must_run_in_full() -> bool {
    std::env::var_os("PEELBACK_TEST_REQUIRE").is_some_and(|value| !value.is_empty())
}

/// A temporary project.
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// An empty project: a folder that counts as a repository.
    pub fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("peelback-test-").tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        Self { folder }
    }

    /// A project with files: `//- path` lines start a file each.
    pub fn new(files: &str) -> Self {
        let project = Self::empty();
        let mut current: Option<(String, String)> = None;
        for line in files.lines() {
            if let Some(path) = line.strip_prefix("//- ") {
                if let Some((path, text)) = current.take() {
                    project.write(&path, text);
                }
                current = Some((path.to_owned(), String::new()));
            } else if let Some((_, text)) = &mut current {
                text.push_str(line);
                text.push('\n');
            }
        }
        if let Some((path, text)) = current {
            project.write(&path, text);
        }
        project
    }

    /// Writes a file.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, bytes).expect("a file");
    }

    /// The root.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The program, to be run in the root.
    pub fn command(&self) -> Command {
        command_in(self.path())
    }

    /// Runs the program with arguments parted by white space.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the program.
    pub fn run_with(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command().args(arguments).output().expect("the program runs"))
    }
}

/// The program, to be run in a folder.
pub fn command_in(folder: &Path) -> Command {
    let mut command = Command::new(program());
    command.current_dir(folder).env("HOME", folder);
    for name in foreign_variables() {
        command.env_remove(name);
    }
    command
}

/// Variables of whoever runs the tests that would change what the program does.
pub fn foreign_variables() -> impl Iterator<Item = std::ffi::OsString> {
    let known = ["NO_COLOR", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "MAX_MCP_OUTPUT_TOKENS"];
    let own = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("PEELBACK_"));
    known.into_iter().map(Into::into).chain(own)
}

/// The program under test.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_peelback"))
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub struct Run {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

/// Lines of progress come where a run takes a while, as on a machine that has much to do.
fn without_progress(stderr: &str) -> String {
    stderr.split_inclusive('\n').filter(|line| !line.starts_with("progress: ")).collect()
}

impl Run {
    pub fn of(output: &Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: without_progress(&String::from_utf8_lossy(&output.stderr)),
            code: output.status.code(),
        }
    }

    /// The answer, after checking that there was one.
    #[track_caller]
    pub fn answer(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }

    /// The answer as JSON.
    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.answer()).expect("JSON")
    }

    /// The answer as JSON, also where nothing was found.
    #[track_caller]
    pub fn json_of_any_status(self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Exit code and both streams, as snapshots show them.
    pub fn shown(&self) -> String {
        format!("exit {}\n{}{}", self.code.unwrap_or(-1), self.stdout, self.stderr)
    }
}
