//! The builder of follow-up calls, implemented with the tools of this folder.

use super::dependencies::Dependencies;
use super::find_files::FindFiles;
use super::find_references::FindReferences;
use super::find_symbols::{FindSymbols, NameMatchMode};
use super::grep::Grep;
use super::outline::Outline;
use super::read_file::ReadFile;
use super::read_lines::ReadLines;
use super::read_symbol::ReadSymbol;
use super::search::Search;
use super::search_tools::SearchTools;
use super::tree::Tree;
use crate::call::Call;
use crate::next_calls::{FollowUpCallBuilder, TextSearchOption};
use crate::parameter::ParameterType;
use crate::tool_call::call;

/// Builds follow-up calls of the tools in this folder.
pub(super) struct Toolset;

impl FollowUpCallBuilder for Toolset {
    fn is_list_parameter(&self, tool: &str, parameter: &str) -> bool {
        let tool = super::all_tools().iter().find(|known| known.name == tool);
        let parameter = tool.and_then(|tool| tool.parameters().iter().find(|own| own.name == parameter));
        parameter.is_some_and(|own| own.value_type == ParameterType::Strings)
    }

    fn project_tree_call(&self) -> Call {
        call!(Tree {})
    }

    fn project_tree_to_depth_call(&self, depth: usize) -> Call {
        call!(Tree { depth: depth })
    }

    fn rank_files_call(&self, query: &str) -> Call {
        call!(FindFiles { query: query })
    }

    fn rank_passages_call(&self, query: &str) -> Call {
        call!(Search { query: query })
    }

    fn text_search_call(&self, pattern: &str, options: &[TextSearchOption<'_>]) -> Call {
        options.iter().fold(call!(Grep { pattern: pattern }), |call, option| match option {
            TextSearchOption::Literal => call!(call => Grep { fixed_strings: true }),
            TextSearchOption::WholeWord => call!(call => Grep { word: true }),
            TextSearchOption::IgnoreCase => call!(call => Grep { ignore_case: true }),
            TextSearchOption::InScope(scope) => call!(call => Grep { scope: *scope }),
        })
    }

    fn project_outline_call(&self) -> Call {
        call!(Outline {})
    }

    fn outline_call(&self, path: &str) -> Call {
        call!(Outline { path: path })
    }

    fn find_symbols_containing_name_call(&self, name: &str) -> Call {
        call!(FindSymbols { name: name })
    }

    fn find_symbols_named_exactly_call(&self, name: &str) -> Call {
        call!(FindSymbols { name: name }).with_argument(FindSymbols::MATCH_PARAMETER, NameMatchMode::Exact.as_str())
    }

    fn read_symbol_body_call(&self, id: &str) -> Call {
        call!(ReadSymbol { name: id })
    }

    fn read_all_lines_call(&self, path: &str) -> Call {
        call!(ReadLines { path: path })
    }

    fn read_lines_call(&self, path: &str, ranges: &str) -> Call {
        call!(ReadLines { path: path, ranges: ranges })
    }

    fn find_references_call(&self, id: &str) -> Call {
        call!(FindReferences { name: id })
    }

    fn dependencies_and_dependents_call(&self, path: &str) -> Call {
        call!(Dependencies { path: path })
    }

    fn dependents_call(&self, path: &str) -> Call {
        call!(Dependencies { path: path, direction: super::dependencies::DependencyDirection::Incoming.as_str() })
    }

    fn file_profile_call(&self, path: &str) -> Call {
        call!(ReadFile { path: path })
    }

    fn raw_file_text_call(&self, path: &str) -> Call {
        call!(ReadFile { path: path, raw: true })
    }

    fn tool_documentation_call(&self, tool: &str) -> Call {
        call!(SearchTools<Toolset> { query: tool })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::CallContext;
    use crate::parsed_question::ParsedQuestion;

    fn fallback_hint(query: &str) -> String {
        let context = CallContext::of_shell(None, &Toolset);
        match ParsedQuestion::new(&context, query, call!(Search {})) {
            Ok(question) => question.no_results_hint().text_with_commands_from_project_root(),
            Err(error) => error
                .guidance
                .map(|guidance| guidance.message().text_with_commands_from_project_root())
                .unwrap_or_default(),
        }
    }

    #[test]
    fn the_text_search_of_a_hint_finds_the_words() {
        // A pattern without a word would match every line.
        assert!(
            fallback_hint("\u{2014}\u{2014}").ends_with(":\npeelback tree"),
            "{}",
            fallback_hint("\u{2014}\u{2014}")
        );
        let parted = fallback_hint("retry\u{a0}policy");
        assert!(parted.contains("retry|policy"), "{parted}");
        let named = fallback_hint("x.c");
        assert!(!named.contains("--pattern ''"), "{named}");
    }
}
