//! The tools, and all that a model or a person sees of them: parameters, docs, answers, budgets, guidance, text and
//! JSON. The command line and every server walk [`all`]; none of them knows a tool by name.
//!
//! ```no_run
//! use peelback_code::{CodeAccess, Project};
//!
//! let access = CodeAccess::new(Project::discover(None, None)?);
//! let outline = peelback_tools::by_name("outline").expect("a tool of the list");
//! let reply = outline.call(&access, serde_json::json!({ "path": "src/lib.rs" }));
//! print!("{}", reply.output);
//! # Ok::<(), peelback_code::CodeError>(())
//! ```

mod answer;
mod arguments;
mod call;
mod docs;
mod guard;
mod parsed_question;
mod recover;
pub mod reference;
mod rows;
mod sample;
mod symbol_lookup;
mod tool;
mod tools;
mod view;

pub use answer::{Guidance, Reply, ReplyStatus};
pub use call::Call;
pub use docs::{Declaration, DocumentationMode};
pub use guard::{MAX_ANSWER_CHARS, MAX_ANSWER_TOKENS};
pub use recover::RecoverableError;
pub use tool::{AnyTool, Parameter, ParameterType, Tool};
pub use tools::{all, by_name};
pub use view::{DetailLevel, Format, View};
