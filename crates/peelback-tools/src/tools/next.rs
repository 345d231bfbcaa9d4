//! The builder of follow-up calls, implemented with the tools of this folder.

use super::dependencies::Dependencies;
use super::find_files::FindFiles;
use super::find_references::FindReferences;
use super::find_symbols::{FindSymbols, Match};
use super::grep::Grep;
use super::outline::Outline;
use super::read_file::ReadFile;
use super::read_lines::ReadLines;
use super::read_symbol::ReadSymbol;
use super::search::Search;
use super::tree::Tree;
use crate::call::Call;
use crate::next::{NextCalls, TextOption};
use crate::tool_call::call;

/// Builds follow-up calls of the tools in this folder.
pub(super) struct Toolset;

impl NextCalls for Toolset {
    fn map(&self) -> Call {
        call!(Tree {})
    }

    fn map_to_depth(&self, depth: usize) -> Call {
        call!(Tree { depth: depth })
    }

    fn files(&self, query: &str) -> Call {
        call!(FindFiles { query: query })
    }

    fn passages(&self, query: &str) -> Call {
        call!(Search { query: query })
    }

    fn text(&self, pattern: &str, options: &[TextOption<'_>]) -> Call {
        options.iter().fold(call!(Grep { pattern: pattern }), |call, option| match option {
            TextOption::Literal => call!(call => Grep { fixed_strings: true }),
            TextOption::WholeWord => call!(call => Grep { word: true }),
            TextOption::IgnoreCase => call!(call => Grep { ignore_case: true }),
            TextOption::In(scope) => call!(call => Grep { scope: *scope }),
        })
    }

    fn project_outline(&self) -> Call {
        call!(Outline {})
    }

    fn outline(&self, path: &str) -> Call {
        call!(Outline { path: path })
    }

    fn symbols(&self, name: &str) -> Call {
        call!(FindSymbols { name: name })
    }

    fn symbols_named(&self, name: &str) -> Call {
        call!(FindSymbols { name: name }).with(FindSymbols::MATCH, Match::Exact.as_str())
    }

    fn body(&self, id: &str) -> Call {
        call!(ReadSymbol { name: id })
    }

    fn all_lines(&self, path: &str) -> Call {
        call!(ReadLines { path: path })
    }

    fn lines(&self, path: &str, ranges: &str) -> Call {
        call!(ReadLines { path: path, ranges: ranges })
    }

    fn references(&self, id: &str) -> Call {
        call!(FindReferences { name: id })
    }

    fn dependencies(&self, path: &str) -> Call {
        call!(Dependencies { path: path })
    }

    fn dependents(&self, path: &str) -> Call {
        call!(Dependencies { path: path, direction: super::dependencies::Way::Incoming.as_str() })
    }

    fn profile(&self, path: &str) -> Call {
        call!(ReadFile { path: path })
    }

    fn raw_text(&self, path: &str) -> Call {
        call!(ReadFile { path: path, raw: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::CallContext;
    use crate::parsed_question::ParsedQuestion;

    fn fallback_hint(query: &str) -> String {
        let context = CallContext::new(None, None, &Toolset);
        match ParsedQuestion::new(&context, query, call!(Search {})) {
            Ok(question) => question.fallback_hint().text(),
            Err(error) => error.guidance.map(|guidance| guidance.message().text()).unwrap_or_default(),
        }
    }

    #[test]
    fn the_text_search_of_a_hint_finds_the_words() {
        // A pattern without a word would match every line.
        assert!(fallback_hint("\u{2014}\u{2014}").ends_with(": tree"), "{}", fallback_hint("\u{2014}\u{2014}"));
        let parted = fallback_hint("retry\u{a0}policy");
        assert!(parted.contains("retry|policy"), "{parted}");
        let named = fallback_hint("x.c");
        assert!(!named.contains("--pattern ''"), "{named}");
    }
}
