//! The tools, called as a program calls them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

mod deep;
mod long_arguments;
mod pages;
mod reply_values;
mod tool_facts;
