//! The tools of Peelback, with all that a model or a person sees of them: parameters, documentation, answers, budgets,
//! guidance, text and JSON. The command line and the servers iterate over [`all_tools`]; none of them depends on the
//! name of a tool.
//!
//! ```no_run
//! use peelback_code::{CodeAccess, Project};
//!
//! let access = CodeAccess::new(Project::discover(None, None)?);
//! let outline = peelback_tools::tool_by_name_or_alias("outline").expect("a tool of the list");
//! let reply = outline.run_call(&access, serde_json::json!({ "path": "src/lib.rs" }));
//! print!("{}", reply.formatted_output());
//! # Ok::<(), peelback_code::CodeError>(())
//! ```

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

mod answer;
mod arguments;
mod budget;
mod call;
mod context;
mod counts;
mod dispatch;
mod document_answer;
mod documentation;
mod evidence_text;
mod failure;
mod file_place;
mod first_body;
mod guidance;
mod import_list;
mod left_out;
mod message;
mod module_path_lookup;
mod narrower_place;
mod near_uses;
mod nearest_symbols;
mod next_calls;
mod not_found;
mod output_guard;
mod overloads;
mod page;
mod parameter;
mod parameter_name;
mod parsed_question;
mod place;
mod recoverable_error;
pub mod reference;
mod reply;
mod retention;
mod rows;
mod sample_arguments;
mod shorten;
mod symbol_detail;
mod symbol_kind;
mod symbol_lookup;
mod tool;
mod tool_call;
mod tools;
mod view;

pub use arguments::MAX_TEXT_CHARS;
pub use budget::{MAX_ANSWER_BYTES, MAX_ANSWER_TOKENS};
pub use call::{Call, CallSyntax};
pub use context::CallContext;
pub use documentation::{DocumentationMode, ToolDeclaration, describe_shared_parameters};
pub use guidance::Guidance;
pub use message::Message;
pub use next_calls::{FollowUpCallBuilder, TextSearchOption};
pub use output_guard::{AlternativeCall, FileCount, OmittedRows};
pub use page::{MarkedText, PartKind, PartMark};
pub use parameter::{Parameter, ParameterType};
pub use recoverable_error::RecoverableError;
pub use reply::{Location, Reply, ReplyStatus, ShownDetail};
pub use retention::{ResultKind, RetentionPriority};
pub use tool::{AnyTool, ExplorationStep, RequiredService, Tool, ToolGuide};
pub use tools::{all_tools, follow_up_call_builder, tool_by_name_or_alias};
pub use view::{DetailLevel, Format, OutputOptions};
