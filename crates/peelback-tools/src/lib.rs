//! The tools, and everything of them that a model or a person sees: parameters, documentation, answers, budgets,
//! guidance, text and JSON. The command line and the servers iterate over [`all`]; none of them depends on the name of
//! a tool.
//!
//! ```no_run
//! use peelback_code::{CodeAccess, Project};
//!
//! let access = CodeAccess::new(Project::discover(None, None)?);
//! let outline = peelback_tools::by_name("outline").expect("a tool of the list");
//! let reply = outline.call(&access, serde_json::json!({ "path": "src/lib.rs" }));
//! print!("{}", reply.output());
//! # Ok::<(), peelback_code::CodeError>(())
//! ```

mod answer;
mod arguments;
mod budget;
mod call;
mod context;
mod counts;
mod dispatch;
mod docs;
mod failure;
mod guard;
mod guidance;
mod message;
mod nearest_symbols;
mod next;
mod page;
mod parameter;
mod parameter_name;
mod parsed_question;
mod recover;
pub mod reference;
mod reply;
mod retention;
mod rows;
mod sample;
mod shorten;
mod symbol_kind;
mod symbol_lookup;
mod tool;
mod tool_call;
mod tools;
mod view;

pub use budget::{MAX_ANSWER_CHARS, MAX_ANSWER_TOKENS};
pub use call::Call;
pub use context::CallContext;
pub use docs::{Declaration, DocumentationMode};
pub use guard::{Alternative, FileCount, Overflow};
pub use guidance::Guidance;
pub use message::Message;
pub use next::{NextCalls, TextOption};
pub use page::{Mark, Page, Part};
pub use parameter::{Parameter, ParameterType};
pub use recover::RecoverableError;
pub use reply::{Closeness, Place, Reply, ReplyStatus};
pub use retention::{Priority, ResultKind};
pub use tool::{AnyTool, Need, Tool};
pub use tools::{all, by_name, next_calls};
pub use view::{DetailLevel, Format, View};
