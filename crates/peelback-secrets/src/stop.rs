//! The end of work that takes too long.

/// How many steps are done between two looks at the clock.
const STEPS_BETWEEN_CHECKS: usize = 256;

/// Says whether the reading of a text is to end before it is complete.
#[derive(Clone, Copy)]
pub struct Stop<'s>(Option<&'s dyn Fn() -> bool>);

/// The reading of a text ended before it was complete: what it holds is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

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
        if step.is_multiple_of(STEPS_BETWEEN_CHECKS) { self.check() } else { Ok(()) }
    }
}
