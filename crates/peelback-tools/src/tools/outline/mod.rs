//! The tool `outline`: the symbols of one file or of many files.

mod file;
mod file_kinds;
mod folder;
mod listed_symbols;
mod name_uses;
mod parameters;

use peelback_code::{CodeAccess, CodeError};

use self::parameters::Parameters;
use crate::call::Call;
use crate::context::CallContext;
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::symbol_kind::symbol_kind_by_name_or_synonym;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::view::OutputOptions;

pub struct Outline;

impl Tool for Outline {
    type Parameters = Parameters;

    const NAME: &'static str = "outline";
    const ALIASES: &'static [&'static str] =
        &["get_file_outline", "get_outline", "find_code_definitions", "extract_file_imports", "get_symbols_overview"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("scope", "path"), ("glob", "path")];
    const EXAMPLES: &'static [&'static str] =
        &["outline --path src/main.rs", "outline --path 'src/**/*.py' --kind class"];
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Outline,
        phrase: "gives the symbols of a file, a folder or a glob with signatures and lines, without bodies",
        cost_ranks: &[(80, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Outline;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 300;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let kind = parameters
            .kind
            .as_deref()
            .map(|name| symbol_kind_by_name_or_synonym(name, &call, parameter_name!(Parameters, kind)))
            .transpose()?;
        let path = parameters.path.clone().unwrap_or_default();
        let recover = |error: CodeError| {
            RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path))
        };
        match access.project().require_entry(&path) {
            Ok(entry) if !entry.is_folder => {
                let analysed = access.analyse_file(&path).map_err(recover)?;
                Ok(file::file_outline_reply(context, &analysed, kind, &parameters, call.clone()))
            }
            Ok(_) | Err(CodeError::NotFound { .. }) => {
                folder::folder_outline_reply(access, context, kind, &parameters, &call)
            }
            Err(error) => Err(recover(error)),
        }
    }
}
