//! `peelback scope` and `peelback context`: the real program, real files, real git, and a model's server on this machine
//! that answers as each test wrote down.

mod agent;
mod budgets;
mod context;
pub(crate) mod desk;
mod evidence;
mod failures;
#[cfg(unix)]
mod interrupt;
mod pipeline;
mod privacy;
mod recording;
pub(crate) mod server;
mod sources;
mod stale;
mod tool;
mod views;
