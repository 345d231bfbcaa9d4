//! What an answer needs to know of the call that it answers.

use peelback_code::Project;

use crate::call::Call;
use crate::next::NextCalls;

/// The surroundings of one call: the project that its paths are in, the caller's ceiling, and the calls to go on with.
#[derive(Clone)]
pub struct CallContext {
    /// The project; `None` for a call that was refused before its project was known.
    project: Option<Project>,
    /// The most o200k tokens of the answer, whatever the call asks for; `None` where the caller may lift every limit.
    ceiling: Option<usize>,
    next: &'static dyn NextCalls,
}

impl CallContext {
    /// The context of a call to `project`, whose answer stays under `ceiling` tokens.
    pub fn new(project: Option<Project>, ceiling: Option<usize>, next: &'static dyn NextCalls) -> Self {
        Self { project, ceiling, next }
    }

    /// The calls to go on with.
    pub fn next(&self) -> &'static dyn NextCalls {
        self.next
    }

    /// The most tokens of the answer; `None` where the caller may lift every limit.
    pub(crate) fn ceiling(&self) -> Option<usize> {
        self.ceiling
    }

    /// A call as text for a reader in the working folder.
    pub(crate) fn command(&self, call: &Call) -> String {
        call.command_for(self.project.as_ref())
    }
}

impl std::fmt::Debug for CallContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallContext").field("ceiling", &self.ceiling).finish_non_exhaustive()
    }
}
