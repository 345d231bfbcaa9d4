//! A small project, a folder to work in beside it, and the program run there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use peelback_agent::document::Document;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::scope::server::{KEY, Reply, Server, says};
use crate::support::{Project, Run};

/// The question that all is about.
pub const QUESTION: &str = "How are parcels sent again when the depot is busy?";

/// Sends parcels to depots. Words that begin with `marker_of` stand in bodies alone.
const FILES: &str = r#"//- README.md
# Parcels

Sends parcels to depots, with retries. Start with `src/client.py`.

## Tests

Run `python -m unittest`.
//- src/client.py
"""Sends parcels to the depot."""

from src.backoff import pause_before
from src.ledger import Ledger


class DepotError(Exception):
    """The depot refused a parcel."""


class Client:
    """Talks to one depot."""

    def __init__(self, address, ledger=None):
        self.address = address
        self.ledger = ledger or Ledger()

    def send(self, parcel):
        """Sends a parcel, and again where the depot is busy."""
        for attempt in range(MOST_ATTEMPTS):
            answer = self.deliver_once(parcel)
            if answer == "taken":
                self.ledger.write(parcel)
                return attempt
            marker_of_send = pause_before(attempt)
            self.wait(marker_of_send)
        raise DepotError("the depot stayed busy")

    def deliver_once(self, parcel):
        """One delivery, whatever comes of it."""
        marker_of_delivery = parcel.label
        return self.address.accept(marker_of_delivery)

    def wait(self, seconds):
        self.address.clock.sleep(seconds)


MOST_ATTEMPTS = 5
//- src/backoff.py
"""How long to wait before a parcel is sent again."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0


def pause_before(attempt):
    """Seconds to wait before the attempt; doubles with each retry."""
    marker_of_pause = FIRST_PAUSE * 2**attempt
    return min(marker_of_pause, LONGEST_PAUSE)
//- src/ledger.py
"""What was sent."""


class Ledger:
    """Keeps one line for each parcel."""

    def __init__(self):
        self.lines = []

    def write(self, parcel):
        marker_of_ledger = parcel.label
        self.lines.append(marker_of_ledger)
//- src/depot.py
"""A depot that takes parcels while it is not busy."""


class Depot:
    def __init__(self, room):
        self.room = room

    def accept(self, parcel):
        """Says `taken`, or `busy` where no room is left."""
        marker_of_depot = self.room > 0
        self.room -= 1
        return "taken" if marker_of_depot else "busy"
//- src/weigh.py
"""Weights and prices."""


def price_of(weight):
    marker_of_price = weight * 3
    return marker_of_price + 2
//- tests/test_client.py
import unittest

from src.client import Client
from src.depot import Depot


class Sending(unittest.TestCase):
    def test_a_busy_depot_is_asked_again(self):
        """A parcel is sent again while the depot is busy."""
        marker_of_test = Client(Depot(room=1))
        self.assertEqual(marker_of_test.send("parcel"), 0)
"#;

/// The project and the folder to work in.
pub struct Desk {
    pub project: Project,
    pub work: TempDir,
    /// The folder for temporary files.
    pub temporary: TempDir,
}

impl Desk {
    /// The usual project.
    pub fn new() -> Self {
        Self::of(Project::new(FILES))
    }

    /// The usual project with further files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self::new();
        for (path, text) in files {
            desk.project.write(path, text);
        }
        desk
    }

    /// A project of one's own.
    pub fn of(project: Project) -> Self {
        let folder = || tempfile::Builder::new().prefix("peelback-test-").tempdir().expect("a folder");
        Self { project, work: folder(), temporary: folder() }
    }

    /// The root of the project, as the program prints it.
    pub fn root(&self) -> String {
        self.project.path().display().to_string()
    }

    /// The program, to be run in the folder beside the project.
    pub fn command(&self) -> Command {
        let mut command = self.project.command();
        command.current_dir(self.work.path()).env("HOME", self.temporary.path()).env("TMPDIR", self.temporary.path());
        for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
            command.env(name, KEY);
        }
        command.env("PEELBACK_CACHE", "false").env("NO_COLOR", "1");
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command().args(arguments).output().expect("the program runs"))
    }

    /// `scope` of the project without a model.
    pub fn evidence(&self, arguments: &[&str]) -> Run {
        self.run(&[&["scope", &self.root()], arguments].concat())
    }

    /// `scope` of the project with the usual question and a model of the server, to be run.
    pub fn asking(&self, server: &Server, model: &str, arguments: &[&str]) -> Command {
        let mut command = self.command();
        command.args(["scope", &self.root(), "-q", QUESTION, "--model", model, "--base-url", &server.url()]);
        command.args(arguments);
        command
    }

    /// [`Self::asking`], run.
    pub fn ask(&self, server: &Server, model: &str, arguments: &[&str]) -> Run {
        Run::of(&self.asking(server, model, arguments).output().expect("the program runs"))
    }

    /// The documents in the folder to work in.
    pub fn documents(&self) -> Vec<PathBuf> {
        files_below(self.work.path())
            .into_keys()
            .filter(|path| path.extension().is_some_and(|end| end == "md"))
            .collect()
    }

    /// The one document, after checking that there is one, and that its path is the first line of the answer.
    #[track_caller]
    pub fn document(&self, run: &Run) -> Document {
        let first = run.stdout.lines().next().unwrap_or_default();
        let documents = self.documents();
        assert_eq!(documents, [self.work.path().join(first)], "{run:?}");
        parsed(&std::fs::read_to_string(&documents[0]).expect("a document"))
    }

    /// All files of the project with their contents.
    pub fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(self.project.path())
    }
}

/// All files below a folder with their contents.
pub fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => drop(found.insert(path.clone(), std::fs::read(&path).expect("a file"))),
            }
        }
    }
    found
}

/// A document, after checking its form: front matter and the sections that each has.
#[track_caller]
pub fn parsed(text: &str) -> Document {
    let document = Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    for heading in ["Summary", "Key Files", "Code References"] {
        assert!(document.section_text(heading).is_some(), "no {heading}: {text}");
    }
    assert!(document.front.scan_date.ends_with('Z') && !document.front.source_repo.is_empty(), "{text}");
    document
}

/// The paths of the section `Key Files`, in its order.
pub fn key_files(document: &Document) -> Vec<String> {
    let path = |row: &str| row.split('`').nth(1).map(|address| address.split(':').next().unwrap_or(address).to_owned());
    document.section_text("Key Files").unwrap_or_default().lines().filter_map(path).collect()
}

/// A reply of exploration.
pub fn explored(symbols: &[&str], files: &[&str], suffices: bool) -> Reply {
    says(&json!({
        "reasoning": "The client sends, the backoff waits.",
        "symbols_needed": symbols,
        "additional_files_needed": files,
        "sufficient_context": suffices,
        "preliminary_insights": "Client.send asks pause_before how long to wait.",
        "key_locations": [location("src/client.py", 18, 27)],
    }))
}

fn location(path: &str, first: u32, last: u32) -> Value {
    json!({ "path": path, "line_start": first, "line_end": last, "description": "the loop that sends again" })
}

/// What a model writes, all of it true.
pub const ANSWER: &str = "\
## Summary

`Client.send` (`src/client.py:18-27`) tries a parcel several times and waits `pause_before` (`src/backoff.py:7-10`) seconds
between two attempts.

## Waiting

The pause doubles with each attempt, up to a limit: `pause_before` (`src/backoff.py:7-10`).

## Key Files

- `src/client.py:18-27`: the loop
- `src/backoff.py:7-10`: the pause
";

/// A run of the pipeline that ends well, in two calls.
pub fn good() -> Vec<Reply> {
    vec![
        explored(&["src/client.py:Client.send", "src/backoff.py:pause_before"], &[], true),
        Reply::Say(ANSWER.to_owned()),
    ]
}
