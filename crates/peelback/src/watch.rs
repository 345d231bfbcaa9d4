//! Progress output of a run for a person: one line for each phase and step on standard error, where that is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_agent::scope::{Progress, WatchProgress};
use peelback_llm::{RetryCallback, Spending};

use crate::terminal::printable;

/// The number of characters of the document between two updates of the character count.
const PIECES: usize = 200;

/// A callback that prints progress to standard error; `None` where standard error is not a terminal.
pub(crate) fn watcher() -> Option<WatchProgress> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let written = Mutex::new((0_usize, 0_usize));
    Some(Arc::new(move |progress: &Progress<'_>| {
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        let mut error = io::stderr().lock();
        // Write errors are ignored, so that a closed terminal does not end the run.
        let _ = match progress {
            Progress::Piece(piece) => {
                written.0 += piece.chars().count();
                if written.0 < written.1 + PIECES {
                    return;
                }
                written.1 = written.0;
                write!(error, "\r  … {} characters", written.0).and_then(|()| error.flush())
            }
            told => {
                let end = if written.0 > 0 { "\n" } else { "" };
                *written = (0, 0);
                write!(error, "{end}{}", lines(told))
            }
        };
    }))
}

/// A callback that prints retries of a model request; `None` where standard error is not a terminal.
pub(crate) fn retries() -> Option<RetryCallback> {
    io::stderr().is_terminal().then(|| -> RetryCallback { Arc::new(|told| eprintln!("  {}", printable(told))) })
}

/// The text of a phase or a step, as lines for the terminal.
fn lines(progress: &Progress<'_>) -> String {
    match progress {
        Progress::Phase { name, detail, spent } => format!("{name}: {detail}{}\n", so_far(spent)),
        Progress::Step { what, preview, spent } => {
            let mut out = format!("  {}{}\n", printable(what), so_far(spent));
            for line in printable(preview).lines() {
                out.push_str(&format!("    {line}\n"));
            }
            out
        }
        _ => String::new(),
    }
}

fn so_far(spent: &Spending) -> String {
    if spent.calls == 0 && spent.failed == 0 { String::new() } else { format!(" [{spent}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_show_what_was_spent_and_their_first_rows() {
        let spent = Spending { calls: 2, cost: Some(0.5), ..Spending::default() };
        let step = Progress::Step { what: "outline a.rs\u{1b}[2J", preview: "fn a\nfn b", spent };
        assert_eq!(
            lines(&step),
            "  outline a.rs\\u{1b}[2J [2 calls, 0 tokens in and 0 out, $0.50]\n    fn a\n    fn b\n"
        );
        let phase = Progress::Phase { name: "discovery", detail: "files".to_owned(), spent: Spending::default() };
        assert_eq!(lines(&phase), "discovery: files\n");
    }
}
