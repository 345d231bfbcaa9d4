//! The end of work that takes too long.

/// How many steps are done between two looks at the clock.
const STEPS_BETWEEN_CHECKS: usize = 256;

/// Says whether the reading of a text is to end before it is complete.
#[derive(Clone, Copy)]
pub struct Stop<'s>(Option<&'s dyn Fn() -> bool>);

/// The reading of a text ended before it was complete: what it holds is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// What ends the reading of a text before it is complete.
#[derive(Clone, Copy)]
pub(crate) struct ReadingLimits<'s> {
    pub stop: Stop<'s>,
    /// The most secrets that are of use: the reading ends where more were found.
    pub max_secrets: usize,
}

/// Why the reading of a text ended before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingEnd {
    Stopped,
    TooManySecrets,
}

impl From<Stopped> for ReadingEnd {
    fn from(Stopped: Stopped) -> Self {
        Self::Stopped
    }
}

impl<'s> ReadingLimits<'s> {
    /// Only `stop` ends the reading.
    pub fn until(stop: Stop<'s>) -> Self {
        Self { stop, max_secrets: usize::MAX }
    }

    /// Says whether the reading goes on after `count` secrets were found.
    pub fn check(self, count: usize) -> Result<(), ReadingEnd> {
        self.stop.check()?;
        if count > self.max_secrets { Err(ReadingEnd::TooManySecrets) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Stop").field(&self.0.is_some()).finish()
    }
}

impl<'s> Stop<'s> {
    /// Nothing ends the reading.
    pub fn never() -> Self {
        Self(None)
    }

    /// The reading ends when `must_stop` returns `true`. It is called now and then, and should be cheap.
    pub fn when(must_stop: &'s dyn Fn() -> bool) -> Self {
        Self(Some(must_stop))
    }

    pub(crate) fn check(self) -> Result<(), Stopped> {
        if self.0.is_some_and(|must_stop| must_stop()) { Err(Stopped) } else { Ok(()) }
    }

    /// Checks once in many steps.
    pub(crate) fn check_at_step(self, step: usize) -> Result<(), Stopped> {
        if is_step_of_check(step) { self.check() } else { Ok(()) }
    }
}

/// Whether something is checked at this step, of which most are not.
pub(crate) fn is_step_of_check(step: usize) -> bool {
    step.is_multiple_of(STEPS_BETWEEN_CHECKS)
}
