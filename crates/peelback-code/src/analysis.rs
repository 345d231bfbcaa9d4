//! The seam between a project's answers and what reads code.

use std::time::Duration;

use peelback_project::{Project, SourceFile};
use peelback_resolve::{ReferenceQuery, References};
use peelback_syntax::{Facts, Limits};

use crate::lookup::{NameMatch, SymbolName, find_in};

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
        file.facts(&self.limits)
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
