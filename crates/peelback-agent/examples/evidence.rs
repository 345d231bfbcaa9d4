//! Writes the documents that need no model, for measuring: `evidence FOLDER QUESTION [MAX_TOKENS]`, and without a question
//! that of the whole repository.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::error::Error;
use std::path::Path;

use peelback_agent::evidence::{EvidenceOptions, build_evidence_document};
use peelback_agent::overview::{self, OverviewOptions};
use peelback_code::{CodeAccess, Project};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rest @ ..] = arguments.as_slice() else { return Err("evidence FOLDER QUESTION [MAX_TOKENS]".into()) };
    let access = CodeAccess::new(Project::discover(Some(Path::new(folder)), None)?);
    let max_tokens = rest.get(1).map(|tokens| tokens.parse()).transpose()?;
    let body = match rest.first().filter(|question| !question.is_empty()) {
        Some(question) => {
            build_evidence_document(&access, question, &EvidenceOptions { max_tokens, ..EvidenceOptions::default() })?
                .body
        }
        None => {
            overview::build_overview_document(&access, &OverviewOptions { max_tokens, ..OverviewOptions::default() })?
                .body
        }
    };
    print!("{body}");
    Ok(())
}
