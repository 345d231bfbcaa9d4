//! The seam between a project's answers and what reads code.

use std::time::Duration;

use peelback_syntax::{Coverage, Facts, Limits, NotParsed, analyse, language};

use crate::lookup::{NameMatch, SymbolName, find_in};
use crate::project::Project;
use crate::references::{ReferenceQuery, References};
use crate::source::SourceFile;

/// Why a backend did not answer; the next one is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// It is still starting or indexing.
    #[error("not ready: {0}")]
    NotReady(String),
    /// It failed.
    #[error("failed: {0}")]
    Failed(String),
    /// It did not answer in time.
    #[error("did not answer within {} ms", .0.as_millis())]
    Late(Duration),
}

/// What reads code: the syntax trees of this crate, or a language server behind the same calls.
pub trait CodeAnalysis: Send + Sync {
    /// Its name in the evidence.
    fn name(&self) -> &'static str;

    /// All symbols, imports and exports of one file.
    ///
    /// # Errors
    /// When the backend cannot answer; broken source is no error.
    fn outline(&self, file: &SourceFile) -> Result<Facts, AnalysisError>;

    /// The symbols of a file that a name means, in the order of the file.
    ///
    /// # Errors
    /// When the backend cannot answer.
    fn read_symbol(&self, file: &SourceFile, name: &SymbolName) -> Result<Vec<NameMatch>, AnalysisError> {
        let facts = self.outline(file)?;
        Ok(find_in(&facts.symbols, name))
    }

    /// The uses of symbols of a project.
    ///
    /// # Errors
    /// When the backend cannot answer, which is what it says unless it knows better.
    fn find_references(&self, _project: &Project, _query: &ReferenceQuery) -> Result<References, AnalysisError> {
        Err(AnalysisError::NotReady("it does not answer for references".to_owned()))
    }
}

/// The analysis that is always there: tree-sitter's syntax trees.
#[derive(Debug, Clone, Default)]
pub struct SyntaxAnalysis {
    limits: Limits,
}

impl SyntaxAnalysis {
    /// All that the file's text tells. Cannot fail: [`Facts::coverage`] says what was not understood.
    pub fn facts(&self, file: &SourceFile) -> Facts {
        match language::of_file(file.name(), &file.text) {
            Some(language) => analyse(language, &file.text, &self.limits),
            None => Facts::not_parsed(NotParsed::UnknownLanguage),
        }
    }
}

impl CodeAnalysis for SyntaxAnalysis {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn outline(&self, file: &SourceFile) -> Result<Facts, AnalysisError> {
        Ok(self.facts(file))
    }
}

/// The part of the evidence that one file's coverage gives, in words; `None` where all was understood.
pub(crate) fn coverage_gap(coverage: &Coverage) -> Option<String> {
    match coverage {
        Coverage::Whole => None,
        Coverage::Partial { regions, lines } => {
            let shown: Vec<String> = lines.iter().take(5).map(|l| format!("{}-{}", l.first, l.last)).collect();
            let more = regions.saturating_sub(shown.len());
            let more = if more > 0 { format!(", +{more} more") } else { String::new() };
            let s = if *regions == 1 { "" } else { "s" };
            Some(format!("{regions} region{s} not understood (lines {}{more})", shown.join(", ")))
        }
        Coverage::NotParsed(NotParsed::UnknownLanguage) => Some("in no known language: not parsed".to_owned()),
        Coverage::NotParsed(NotParsed::NoGrammar) => {
            Some("this build has no grammar of its language: not parsed".to_owned())
        }
        Coverage::NotParsed(NotParsed::TooLarge) => Some("over the size limit for parsing (4 MB)".to_owned()),
        Coverage::NotParsed(NotParsed::Deadline) => Some("its parse passed the deadline".to_owned()),
    }
}
