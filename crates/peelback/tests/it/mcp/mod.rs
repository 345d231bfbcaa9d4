//! The MCP server: the real program over standard input and output and over HTTP, and the layer below it with a handler
//! that misbehaves.

pub(crate) mod child;
pub mod corpus;
mod http;
mod layer;
mod limits;
mod lists;
mod stdio;
mod tasks;
