//! Answers to questions about a code base, written as documents in which every citation has been checked. A document
//! comes from a pipeline of two or three model calls, from an agent with tools, or from the file ranking without a
//! model.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "unit tests fail by a panic"
    )
)]

pub mod agent;
pub mod citations;
pub mod conversation;
pub mod disclosure;
pub mod document;
pub mod evidence;
pub mod excerpt;
mod fair_shares;
pub mod fence;
pub mod limits;
mod markdown;
pub mod overview;
pub mod pipeline;
mod prompt;
pub mod retrieval;
pub mod scope;
pub mod secrets;
pub mod source;
pub mod stale;
