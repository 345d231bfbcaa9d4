//! Runs of the document generator that wait for a model: they end at the deadline of their call, and when it is withdrawn.

use std::future::Future;
use std::task::Poll;
use std::time::Duration;

use peelback_agent::scope::{Progress, WatchProgress};
use peelback_code::{CancellationToken, DocumentGenerationError, StopCause};
use peelback_secrets::mask_secrets;
use tokio::time::MissedTickBehavior;

use crate::async_runtime::build_async_runtime;

/// The time before the deadline of a call that is reserved for writing the document.
const RESERVED_WRITING_TIME: Duration = Duration::from_secs(4);

/// The interval at which a run that waits looks for the cancellation of its call.
const CANCELLATION_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The most characters of a step that are reported.
const MAX_STEP_CHARS: usize = 160;

/// Runs a future on this thread until it ends, a moment before the deadline, or until the call is withdrawn. The inner error
/// says why it was stopped.
///
/// # Errors
/// Where there is no runtime to wait on.
pub(super) fn run_until_stopped<T>(
    cancellation: &CancellationToken,
    future: impl Future<Output = T>,
) -> Result<Result<T, &'static str>, DocumentGenerationError> {
    let runtime = build_async_runtime()
        .map_err(|error| DocumentGenerationError::new_failure(format!("the async runtime cannot start: {error}")))?;
    let remaining_time = cancellation.time_left().map(|left| left.saturating_sub(RESERVED_WRITING_TIME));
    Ok(runtime.block_on(async {
        let deadline_passed = async {
            match remaining_time {
                Some(left) => tokio::time::sleep(left).await,
                None => std::future::pending().await,
            }
        };
        // After a call has been cancelled, no further model requests are paid for: the token is checked each time before
        // the run goes on, and at intervals while it waits.
        let mut checks = tokio::time::interval(CANCELLATION_CHECK_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let call_cancelled = std::future::poll_fn(|context| {
            while checks.poll_tick(context).is_ready() {}
            if cancellation.stop_cause() == Some(StopCause::Cancelled) { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            biased;
            () = call_cancelled => Err("the call was cancelled"),
            output = future => Ok(output),
            () = deadline_passed => Err("the time of the call was up"),
        }
    }))
}

/// A callback that reports the phases and steps of a run to its cancellation token, without secrets.
pub(super) fn step_reporter(cancellation: &CancellationToken) -> WatchProgress {
    let cancellation = cancellation.clone();
    std::sync::Arc::new(move |progress: &Progress<'_>| {
        let (step, spent) = match progress {
            Progress::Phase { name, detail, spent } => (format!("{name}: {detail}"), spent),
            Progress::Step { what, spent, .. } => ((*what).to_owned(), spent),
            _ => return,
        };
        let spent = if spent.calls == 0 && spent.failed == 0 { String::new() } else { format!(" [{spent}]") };
        let step: String = mask_secrets(&step).lines().next().unwrap_or("").chars().take(MAX_STEP_CHARS).collect();
        cancellation.set_current_step(step + &spent);
    })
}
