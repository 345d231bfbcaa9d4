//! The program as its callers meet it: one test binary, so that everything is linked once. A module is a subject; the
//! modules share the project builder and the runner of `support`.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

mod agents;
mod answers;
mod bodies;
mod by_name;
mod cache;
mod call_chains;
mod config;
#[cfg(unix)]
mod confinement;
mod detail;
mod docs;
#[cfg(unix)]
mod doctor;
mod drawings;
#[cfg(unix)]
mod evaluation_limits;
mod families;
mod generated;
mod hostile;
#[cfg(unix)]
mod hostile_names;
mod leads;
mod mcp;
mod meaning;
mod messages;
mod module_paths;
mod notebooks;
mod plurals;
mod ranking;
#[cfg(unix)]
mod readme;
mod scope;
mod search;
mod searching;
mod secrets;
#[cfg(unix)]
mod setup;
mod several;
#[cfg(unix)]
mod special_files;
mod structure;
mod support;
mod threads;
