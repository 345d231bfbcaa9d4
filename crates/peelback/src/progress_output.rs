//! Progress of a run that writes a document, for a person: one line for each phase and step on standard error, where
//! that is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use peelback_agent::scope::{Progress, WatchProgress};
use peelback_code::escape_control_characters;
use peelback_llm::{RetryCallback, Spending};
use peelback_secrets::mask_secrets;

/// The number of characters of a streamed document between two updates of the printed character count.
const COUNT_UPDATE_INTERVAL: usize = 200;

/// A callback that prints the progress of a run to standard error; `None` where standard error is not a terminal.
pub(crate) fn progress_printer() -> Option<WatchProgress> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let printed_counts = Mutex::new((0_usize, 0_usize));
    Some(Arc::new(move |progress: &Progress<'_>| {
        let mut written = printed_counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut error = io::stderr().lock();
        // Write errors are ignored, so that a closed terminal does not end the run.
        let _ = match progress {
            Progress::Piece(piece) => {
                written.0 += piece.chars().count();
                if written.0 < written.1 + COUNT_UPDATE_INTERVAL {
                    return;
                }
                written.1 = written.0;
                write!(error, "\r  … {} characters", written.0).and_then(|()| error.flush())
            }
            phase_or_step => {
                let end = if written.0 > 0 { "\n" } else { "" };
                *written = (0, 0);
                write!(error, "{end}{}", format_progress(phase_or_step))
            }
        };
    }))
}

/// A callback that prints a line before a model request is tried again; `None` where standard error is not a terminal.
pub(crate) fn retry_printer() -> Option<RetryCallback> {
    io::stderr().is_terminal().then(|| -> RetryCallback {
        Arc::new(|message| {
            // A terminal that was closed meanwhile must not end the run.
            let _ = writeln!(io::stderr(), "  {}", escape_control_characters(&mask_secrets(message)));
        })
    })
}

/// The lines that report a phase or a step of a run on the terminal, without secrets: terminals are recorded.
fn format_progress(progress: &Progress<'_>) -> String {
    match progress {
        Progress::Phase { name, detail, spent } => {
            format!("{name}: {}{}\n", mask_secrets(detail), format_spending_suffix(spent))
        }
        Progress::Step { what, preview, spent } => {
            let (what, preview) = (mask_secrets(what), mask_secrets(preview));
            let mut out = format!("  {}{}\n", escape_control_characters(&what), format_spending_suffix(spent));
            for line in escape_control_characters(&preview).lines() {
                out.push_str(&format!("    {line}\n"));
            }
            out
        }
        _ => String::new(),
    }
}

fn format_spending_suffix(spent: &Spending) -> String {
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
            format_progress(&step),
            "  outline a.rs\\u{1b}[2J [2 calls, 0 tokens in and 0 out, $0.50]\n    fn a\n    fn b\n"
        );
        let phase = Progress::Phase { name: "discovery", detail: "files".to_owned(), spent: Spending::default() };
        assert_eq!(format_progress(&phase), "discovery: files\n");
        let password = ["hR7", "kQz2", "mW9x", "Lp4T"].concat();
        let row = format!("DB_PASSWORD={password}");
        let step = Progress::Step { what: &format!("grep {row}"), preview: &row, spent };
        let written = format_progress(&step);
        assert!(!written.contains(&password) && written.matches("[masked]").count() == 2, "{written}");
    }
}
