//! Questions about a code base answered into documents whose every citation has been checked: by a pipeline of two or
//! three calls of a model, by an agent with tools, or without a model from what the ranking finds.

#![forbid(unsafe_code)]

pub mod agent;
pub mod citations;
pub mod conversation;
pub mod disclosure;
pub mod document;
pub mod evidence;
pub mod excerpt;
pub mod fence;
pub mod limits;
mod markdown;
pub mod overview;
mod pattern;
pub mod pipeline;
mod prompt;
pub mod retrieval;
pub mod scope;
pub mod secrets;
pub mod source;
pub mod stale;
