//! Checks and renewals of documents that were written before.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use peelback_agent::document::{Document, DocumentError};
use peelback_agent::scope::ScopeOptions;
use peelback_agent::stale::{self, Refreshed, Row, StalenessReport};
use peelback_code::{CodeAccess, DocumentGenerationError, GeneratedDocument};
use peelback_llm::{BudgetedModel, ChatModel as _};
use peelback_secrets::mask_secrets;

use super::folders::{self, Destination, DocumentFolders};
use super::require_not_withdrawn;
use super::run::run_until_stopped;

/// A document that was written before, with what is known of its citations.
pub(super) struct WrittenDocument<'a> {
    /// The document's canonical path, and its name in answers.
    pub path: &'a Path,
    pub shown_path: &'a str,
    /// The text of its file.
    pub text: &'a str,
    pub document: &'a Document,
    pub stale: StalenessReport,
    pub folders: &'a DocumentFolders,
}

impl WrittenDocument<'_> {
    /// The report of which citations are stale.
    pub fn staleness_report(&self) -> GeneratedDocument {
        let rows = self.stale.citation_status_rows();
        let (stale, fresh): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_stale);
        let mut markdown = String::new();
        for (heading, rows) in [("Stale", &stale), ("As written", &fresh)] {
            if !rows.is_empty() {
                let _ = writeln!(markdown, "## {heading}\n");
            }
            for row in rows {
                let now = row.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
                let _ = writeln!(markdown, "- {}: {}{now}", row.citation, row.state);
            }
        }
        let headline = format!("{}: {}, {} stale", self.shown_path, count(rows.len(), "citation"), stale.len());
        report(headline, markdown, rows.len())
    }

    /// The report of what a renewal would change, with the model of that name.
    pub fn planned_refresh(&self, access: &CodeAccess, model: Option<&str>) -> GeneratedDocument {
        let lines = stale::describe_planned_refresh(self.document, &self.stale, access, model);
        let what = if lines.is_empty() { "nothing is stale" } else { "nothing was sent or written" };
        report(format!("{}: {what}", self.shown_path), list("Would change", &lines), 0)
    }

    /// Renews the document, writes it to `destination` or in its place, and reports what changed.
    ///
    /// # Errors
    /// Where the call was stopped or failed; then the document was not changed.
    pub fn refresh(
        &self,
        access: &CodeAccess,
        model: Option<&Arc<BudgetedModel>>,
        options: &ScopeOptions,
        destination: Option<&Destination>,
        root: &Path,
    ) -> Result<GeneratedDocument, DocumentGenerationError> {
        let renewal = stale::refresh_document(self.document, &self.stale, access, model, options);
        let as_it_was = |reason: &str| {
            DocumentGenerationError::new_failure(format!("{reason}: {} was not changed", self.shown_path))
        };
        let refreshed = run_until_stopped(access.project().cancellation(), renewal)?
            .map_err(as_it_was)?
            .map_err(|error| as_it_was(&error.to_string()))?;
        require_not_withdrawn(access)?;
        let name = self.path.file_name().map_or_else(|| "document.md".into(), |name| name.to_string_lossy());
        let written = match destination {
            Some(destination) => self
                .folders
                .write_document(root, destination, &options.origin.name, &name, &refreshed.document)
                .map(Some),
            None if refreshed.is_changed => {
                let replaced = self.folders.replace_document(root, self.path, self.text, &refreshed.document);
                replaced.map(|()| Some(self.path.to_owned()))
            }
            None => Ok(None),
        };
        let written = written.map_err(|error| match error {
            DocumentError::Changed(_) => {
                let spent = model.map(|model| format!(" (spent: {})", model.spending())).unwrap_or_default();
                let path = DocumentError::Changed(self.shown_path.to_owned());
                DocumentGenerationError::new_failure(format!("{path}{spent}"))
            }
            other => as_it_was(&other.to_string()),
        })?;
        let Refreshed { document, is_changed, done, left, failed } = refreshed;
        let what = match (is_changed, left.is_empty()) {
            (true, _) => count(done.len(), "change"),
            (false, true) => "nothing is stale".to_owned(),
            (false, false) => "nothing else could be renewed".to_owned(),
        };
        let done: Vec<String> = done.iter().map(|line| mask_secrets(line).into_owned()).collect();
        let markdown = list("Changes", &done) + &list("Still stale", &left);
        Ok(GeneratedDocument {
            model: model.map(|model| model.name().to_owned()),
            spent: model.map(|model| model.spending().to_string()),
            incomplete: failed.map(|reason| format!("not all was renewed: {reason}")),
            written_path: written.map(|path| folders::path_for_answer(root, &path)),
            ..report(format!("{}: {what}", self.shown_path), markdown, document.front.citations.len())
        })
    }
}

/// A result that is a report about a document.
fn report(headline: String, markdown: String, citations: usize) -> GeneratedDocument {
    GeneratedDocument { markdown, headline: Some(headline), citations, ..GeneratedDocument::default() }
}

/// A section with a list; empty where there is nothing to list.
fn list(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    format!("## {heading}\n\n{lines}\n")
}

fn count(number: usize, unit: &str) -> String {
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}
