//! `peelback scope` and `peelback context`: the real program, real files, real git, and a model's server on this machine
//! that answers as each test wrote down.

mod agent;
mod budgets;
mod context;
pub(crate) mod desk;
mod earlier;
mod evidence;
mod failures;
#[cfg(unix)]
mod interrupt;
mod over_mcp;
mod over_mcp_files;
mod pipeline;
mod privacy;
#[cfg(unix)]
mod progress;
mod recording;
pub(crate) mod server;
mod sources;
mod stale;
mod tool;
mod truth;
mod views;
