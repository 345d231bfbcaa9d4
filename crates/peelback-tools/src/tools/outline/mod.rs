//! The tool `outline`: the symbols of one file or of many files.

mod file;
mod file_kinds;
mod folder;
mod listed_symbols;
mod name_uses;
mod parameters;
mod several;

use std::collections::HashSet;

use peelback_code::syntax::SymbolKind;
use peelback_code::{CodeAccess, CodeError};

use self::file::FileOutlinePayload;
use self::folder::FolderOutlinePayload;
use self::parameters::Parameters;
use crate::answer::Answer;
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
        &["outline --path src/main.rs --path src/lib", "outline --path 'src/**/*.py' --kind class"];
    const HAS_PLACES: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Outline,
        phrase: "gives the symbols of files, folders and globs with signatures and lines, without bodies",
        cost_ranks: &[(80, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Outline;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 350;
    const AGENT_TOKENS_FOR_NAMES: usize = 2_000;

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
        let mut known = HashSet::new();
        let paths: Vec<&str> = parameters.path.iter().map(String::as_str).filter(|path| known.insert(*path)).collect();
        let view = &parameters.view;
        if paths.len() > 1 {
            return several::several_outlines_reply(access, context, kind, &paths, &parameters, call);
        }
        match outline_answer(access, context, kind, paths.first().copied(), &parameters, call)? {
            OutlineAnswer::File(answer) => Ok(answer.into_reply(context, view)),
            OutlineAnswer::Folder(answer) => Ok(answer.into_reply(context, view)),
        }
    }
}

/// The outline of one path.
enum OutlineAnswer {
    File(Box<Answer<FileOutlinePayload>>),
    Folder(Box<Answer<FolderOutlinePayload>>),
}

/// The outline of a file, folder or glob; of the whole project without a path.
fn outline_answer(
    access: &CodeAccess,
    context: &CallContext,
    kind: Option<SymbolKind>,
    path: Option<&str>,
    parameters: &Parameters,
    call: Call,
) -> Result<OutlineAnswer, RecoverableError> {
    let recover =
        |error: CodeError| RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path));
    match access.project().require_entry(path.unwrap_or_default()) {
        Ok(entry) if !entry.is_folder => {
            let analysed = access.analyse_file(path.unwrap_or_default()).map_err(recover)?;
            let answer = file::file_outline_answer(context, &analysed, kind, parameters, call.clone());
            Ok(OutlineAnswer::File(Box::new(answer)))
        }
        Ok(_) | Err(CodeError::NotFound { .. }) => {
            let answer = folder::folder_outline_answer(access, context, kind, path, parameters, &call)?;
            Ok(OutlineAnswer::Folder(Box::new(answer)))
        }
        Err(error) => Err(recover(error)),
    }
}
