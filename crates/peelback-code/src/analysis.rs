//! `CodeAnalysis`: the trait of the backends that analyse code, such as syntax trees or a language server.

use std::time::Duration;

use peelback_project::{Project, SourceFile};
use peelback_resolve::{ReferenceQuery, References};
use peelback_syntax::{Facts, Limits};

use crate::lookup::{NameMatch, SymbolNameQuery, find_matching_symbols};

/// Why an analysis backend did not answer; the caller then asks the next backend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    /// The backend is still starting or indexing; the text says which.
    #[error("not ready: {0}")]
    NotReady(String),
    /// The backend failed; the text says how.
    #[error("failed: {0}")]
    Failed(String),
    /// The backend did not answer within this time.
    #[error("did not answer within {} ms", .0.as_millis())]
    Late(Duration),
}

/// A backend that analyses code: syntax trees, or a language server behind the same methods.
pub trait CodeAnalysis: Send + Sync {
    /// The name of the backend, as the evidence of answers shows it.
    fn name(&self) -> &'static str;

    /// All symbols, imports and exports of one file.
    ///
    /// # Errors
    /// When the backend cannot answer. Broken source code is no error.
    fn analyse_file(&self, file: &SourceFile) -> Result<Facts, AnalysisError>;

    /// The symbols of a file that match a name, in file order.
    ///
    /// # Errors
    /// When the backend cannot answer.
    fn find_matching_symbols(
        &self,
        file: &SourceFile,
        name: &SymbolNameQuery,
    ) -> Result<Vec<NameMatch>, AnalysisError> {
        let facts = self.analyse_file(file)?;
        Ok(find_matching_symbols(&facts.symbols, name))
    }

    /// The references to symbols of a project.
    ///
    /// # Errors
    /// When the backend cannot answer. The default implementation always returns this error.
    fn find_references(&self, _project: &Project, _query: &ReferenceQuery) -> Result<References, AnalysisError> {
        Err(AnalysisError::NotReady("it does not answer for references".to_owned()))
    }
}

/// The analysis backend that uses tree-sitter's syntax trees. It is always available.
#[derive(Debug, Clone, Default)]
pub struct SyntaxAnalysis {
    limits: Limits,
}

impl SyntaxAnalysis {
    /// The symbols, imports and exports that the syntax tree of the file's text shows. Cannot fail: [`Facts::coverage`]
    /// says which parts were not understood.
    pub fn syntax_facts_of_file(&self, file: &SourceFile) -> Facts {
        file.analyse_syntax(&self.limits)
    }
}

impl CodeAnalysis for SyntaxAnalysis {
    fn name(&self) -> &'static str {
        "syntax"
    }

    fn analyse_file(&self, file: &SourceFile) -> Result<Facts, AnalysisError> {
        Ok(self.syntax_facts_of_file(file))
    }
}
