//! Progress of a run that writes a document, on standard error: on a terminal one line for each phase and step, and
//! elsewhere, such as in a log, a line every few seconds while something runs or waits.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use peelback_agent::scope::{Progress, WatchProgress};
use peelback_code::{THREAD_STACK_BYTES, escape_control_characters};
use peelback_llm::{BudgetedModel, RateWait, RetryCallback, Spending};
use peelback_secrets::mask_secrets;

/// The number of characters of a streamed document between two updates of the printed character count.
const COUNT_UPDATE_INTERVAL: usize = 200;

/// The time between two lines of progress off a terminal. A reader of the log is promised a line every five seconds.
const LOG_INTERVAL: Duration = Duration::from_secs(4);

/// The output of a command's progress. It ends when this value is dropped.
pub(crate) enum ProgressOutput {
    /// Standard error is a terminal: each event is printed at once.
    Terminal,
    /// Standard error is a log: a thread prints what runs or waits.
    Log(ProgressLog),
}

impl ProgressOutput {
    /// Starts the output. `step` is what the command does first, in words.
    pub fn start(step: &str) -> Self {
        if io::stderr().is_terminal() { Self::Terminal } else { Self::Log(ProgressLog::start(step)) }
    }

    /// Whether each event is printed at once.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal)
    }

    /// A callback that prints the progress of a run, or keeps it for the next line of the log.
    pub fn progress_callback(&self) -> WatchProgress {
        match self {
            Self::Terminal => terminal_progress_printer(),
            Self::Log(log) => {
                let shared = Arc::clone(&log.shared);
                Arc::new(move |progress: &Progress<'_>| shared.lock().record_progress(progress))
            }
        }
    }

    /// A callback that prints that a model request is tried again, or keeps it for the next line of the log.
    pub fn retry_callback(&self) -> RetryCallback {
        match self {
            Self::Terminal => Arc::new(print_retry_message),
            Self::Log(log) => {
                let shared = Arc::clone(&log.shared);
                Arc::new(move |message| shared.lock().retry = Some((message.to_owned(), Instant::now())))
            }
        }
    }

    /// Lets the lines of the log say what the model's calls used, and what they wait for.
    pub fn follow_model(&self, model: Option<&Arc<BudgetedModel>>) {
        if let Self::Log(log) = self {
            log.shared.lock().model = model.cloned();
        }
    }
}

/// A thread that prints what a command does, every few seconds.
pub(crate) struct ProgressLog {
    shared: Arc<SharedLogState>,
    thread: Option<JoinHandle<()>>,
}

struct SharedLogState {
    state: Mutex<LogState>,
    ended: Condvar,
}

struct LogState {
    begun: Instant,
    phase: String,
    /// The last step of the phase; empty before the first one.
    step: String,
    /// The characters of the document that the model has written so far.
    written_chars: usize,
    /// The last message about a request that is tried again, and when it came.
    retry: Option<(String, Instant)>,
    model: Option<Arc<BudgetedModel>>,
    has_ended: bool,
}

impl ProgressLog {
    fn start(step: &str) -> Self {
        let state = LogState {
            begun: Instant::now(),
            phase: step.to_owned(),
            step: String::new(),
            written_chars: 0,
            retry: None,
            model: None,
            has_ended: false,
        };
        let shared = Arc::new(SharedLogState { state: Mutex::new(state), ended: Condvar::new() });
        let printed = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("progress".to_owned())
            .stack_size(THREAD_STACK_BYTES)
            .spawn(move || printed.print_until_end());
        // Without a thread the command does its work in silence.
        Self { shared, thread: thread.ok() }
    }
}

impl Drop for ProgressLog {
    fn drop(&mut self) {
        self.shared.lock().has_ended = true;
        self.shared.ended.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed, and the command's result does not depend on it.
            let _ = thread.join();
        }
    }
}

impl SharedLogState {
    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print_until_end(&self) {
        let mut state = self.lock();
        loop {
            let waited = self.ended.wait_timeout_while(state, LOG_INTERVAL, |state| !state.has_ended);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.has_ended {
                return;
            }
            let line = state.format_line(Instant::now());
            // A log that cannot be written to must not end the run.
            let _ = writeln!(io::stderr(), "{}", escape_control_characters(&mask_secrets(&line)));
        }
    }
}

impl LogState {
    fn record_progress(&mut self, progress: &Progress<'_>) {
        self.retry = None;
        match progress {
            Progress::Phase { name, detail, .. } => {
                self.phase = format!("{name}: {detail}");
                self.step.clear();
                self.written_chars = 0;
            }
            Progress::Step { what, .. } => (*what).clone_into(&mut self.step),
            Progress::Piece(piece) => self.written_chars += piece.chars().count(),
            _ => {}
        }
    }

    /// The line of the log: for how long the command runs, what it does or waits for, and what was spent.
    fn format_line(&self, now: Instant) -> String {
        let seconds = now.saturating_duration_since(self.begun).as_secs();
        let wait = self.model.as_ref().and_then(|model| model.current_rate_wait());
        let spent = self.model.as_ref().map_or_else(Spending::default, |model| model.spending());
        let what = match (wait, &self.retry) {
            (Some(wait), _) => format_rate_wait(&wait),
            (None, Some((message, at))) => {
                let ago = now.saturating_duration_since(*at).as_secs();
                format!("{}; {message}, {ago} s ago", self.phase)
            }
            (None, None) if self.written_chars > 0 => {
                format!("{}; {} characters are written", self.phase, self.written_chars)
            }
            (None, None) if self.step.is_empty() => self.phase.clone(),
            (None, None) => format!("{}; {}", self.phase, self.step),
        };
        format!("progress: {seconds} s, {what}{}", format_spending_suffix(&spent))
    }
}

/// What a call waits for, why, and for how long.
fn format_rate_wait(wait: &RateWait) -> String {
    let RateWait { left, tokens, used, limit } = wait;
    format!(
        "waiting for {} s more: the limit is {limit} tokens a minute (--tpm), {used} were used when the wait began, and \
         the next call needs up to {tokens}",
        left.as_secs_f64().ceil()
    )
}

/// A callback that prints the progress of a run to a terminal.
fn terminal_progress_printer() -> WatchProgress {
    let printed_counts = Mutex::new((0_usize, 0_usize));
    Arc::new(move |progress: &Progress<'_>| {
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
    })
}

/// A callback that prints a line before a model request is tried again; `None` where standard error is not a terminal.
pub(crate) fn retry_printer() -> Option<RetryCallback> {
    io::stderr().is_terminal().then(|| -> RetryCallback { Arc::new(print_retry_message) })
}

fn print_retry_message(message: &str) {
    // A terminal that was closed meanwhile must not end the run.
    let _ = writeln!(io::stderr(), "  {}", escape_control_characters(&mask_secrets(message)));
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
    fn a_line_of_the_log_says_what_runs_or_waits() {
        let begun = Instant::now();
        let log = ProgressLog::start("cloning");
        let mut state = log.shared.lock();
        state.begun = begun;
        let at = |seconds| begun + Duration::from_secs(seconds);
        assert_eq!(state.format_line(at(4)), "progress: 4 s, cloning");
        let spent = Spending::default();
        state.record_progress(&Progress::Phase { name: "agent", detail: "a model explores".to_owned(), spent });
        state.record_progress(&Progress::Step { what: "outline a.rs", preview: "fn a", spent });
        assert_eq!(state.format_line(at(9)), "progress: 9 s, agent: a model explores; outline a.rs");
        state.retry = Some(("HTTP 429, next try in 12 s (2 of 5)".to_owned(), at(10)));
        assert_eq!(
            state.format_line(at(13)),
            "progress: 13 s, agent: a model explores; HTTP 429, next try in 12 s (2 of 5), 3 s ago"
        );
        state.record_progress(&Progress::Piece("## Summary"));
        assert_eq!(state.format_line(at(14)), "progress: 14 s, agent: a model explores; 10 characters are written");
        drop(state);
        let wait = RateWait { left: Duration::from_millis(41_200), tokens: 6_210, used: 9_000, limit: 11_000 };
        assert_eq!(
            format_rate_wait(&wait),
            "waiting for 42 s more: the limit is 11000 tokens a minute (--tpm), 9000 were used when the wait began, and the \
             next call needs up to 6210"
        );
    }

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
