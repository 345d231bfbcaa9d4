//! The context of a tool call: the project, the token limit and the follow-up calls with which its answer is rendered.

use peelback_code::syntax::language;
use peelback_code::{Project, SourceFile, StopCause};

use crate::call::{Call, CallSyntax, help_command_of_tool};
use crate::file_place::FileKinds;
use crate::next_calls::FollowUpCallBuilder;

/// The context of one tool call: the project, the caller's token ceiling, and the builder of follow-up calls.
#[derive(Clone)]
pub struct CallContext {
    /// The project; `None` for a call that was rejected before its project was known.
    project: Option<Project>,
    /// The maximum number of tokens of the answer, counted with the tokenizer o200k, whatever budget the call requests;
    /// `None` where the caller may lift all limits.
    token_ceiling: Option<usize>,
    /// The number of tokens up to which an answer shows details beyond names and parameters.
    detail_aim: Option<usize>,
    next_calls: &'static dyn FollowUpCallBuilder,
    call_syntax: CallSyntax,
}

impl CallContext {
    /// The context of a call from a shell to `project`.
    pub fn of_shell(project: Option<Project>, next: &'static dyn FollowUpCallBuilder) -> Self {
        Self { project, token_ceiling: None, detail_aim: None, next_calls: next, call_syntax: CallSyntax::ShellCommand }
    }

    /// The context of a call of a model to `project`, whose answer has at most `ceiling` tokens.
    pub fn of_model(project: Option<Project>, ceiling: usize, next: &'static dyn FollowUpCallBuilder) -> Self {
        Self {
            project,
            token_ceiling: Some(ceiling),
            detail_aim: None,
            next_calls: next,
            call_syntax: CallSyntax::ToolCall,
        }
    }

    /// The builder of follow-up calls.
    pub fn follow_up_call_builder(&self) -> &'static dyn FollowUpCallBuilder {
        self.next_calls
    }

    /// The maximum number of tokens of the answer; `None` where the caller may lift every limit.
    pub(crate) fn token_ceiling(&self) -> Option<usize> {
        self.token_ceiling
    }

    /// The context with an aim: an answer gives up details that exceed `tokens`, but not names and parameters, which go on up
    /// to the ceiling.
    pub(crate) fn with_detail_aim(self, tokens: usize) -> Self {
        Self { detail_aim: Some(tokens), ..self }
    }

    /// The number of tokens up to which an answer shows details beyond names and parameters; `None` for no such limit.
    pub(crate) fn detail_aim(&self) -> Option<usize> {
        self.detail_aim
    }

    /// The text of the file at a path from the root; `None` where there is no such file, or it must not be read.
    pub(crate) fn read_project_file(&self, path: &str) -> Option<String> {
        let entry = self.project.as_ref()?.find_readable_file_by_root_path(path)?;
        SourceFile::read(&entry).ok().map(|file| file.text)
    }

    /// The text of the notebook at a path from the root as it stands in the file, with its outputs; `None` for other files.
    pub(crate) fn read_notebook_as_it_stands(&self, path: &str) -> Option<String> {
        if !language::is_notebook_name(path) {
            return None;
        }
        let entry = self.project.as_ref()?.find_readable_file_by_root_path(path)?;
        SourceFile::read_as_it_stands(&entry).ok()
    }

    /// The kinds of the project's files.
    pub(crate) fn file_kinds(&self) -> FileKinds {
        FileKinds::of_project(self.project.as_ref())
    }

    /// Why the call must end; `None` where it need not.
    pub(crate) fn stop_cause(&self) -> Option<StopCause> {
        self.project.as_ref()?.cancellation().stop_cause()
    }

    /// A call as the caller can make it, in this process's working directory.
    pub(crate) fn format_call(&self, call: &Call) -> String {
        let project = self.project.as_ref();
        match self.call_syntax {
            CallSyntax::ShellCommand => call.format_from_working_folder(CallSyntax::ShellCommand, project),
            CallSyntax::ToolCall => {
                let is_list = |parameter: &str| self.next_calls.is_list_parameter(call.tool_name(), parameter);
                call.with_lists(is_list).format_from_working_folder(CallSyntax::ToolCall, project)
            }
        }
    }
}

impl CallContext {
    /// Whether the caller is a model, which learns how a tool is called from the tool's answers.
    pub(crate) fn is_of_model(&self) -> bool {
        self.call_syntax == CallSyntax::ToolCall
    }

    /// The call that gives the documentation of a tool, as the caller can make it. No root stands in it, because the
    /// documentation is of no project.
    pub(crate) fn format_documentation_call(&self, tool: &str) -> String {
        match self.call_syntax {
            CallSyntax::ShellCommand => help_command_of_tool(tool),
            CallSyntax::ToolCall => {
                self.next_calls.tool_documentation_call(tool).format_from_working_folder(CallSyntax::ToolCall, None)
            }
        }
    }
}

impl std::fmt::Debug for CallContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallContext").field("ceiling", &self.token_ceiling).finish_non_exhaustive()
    }
}
