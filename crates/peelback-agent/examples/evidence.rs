//! Writes the document that needs no model, for measuring: `evidence FOLDER QUESTION [MAX_TOKENS]`.

use std::error::Error;
use std::path::Path;

use peelback_agent::evidence::{EvidenceOptions, write};
use peelback_code::{CodeAccess, Project};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, question, budget @ ..] = arguments.as_slice() else {
        return Err("evidence FOLDER QUESTION [MAX_TOKENS]".into());
    };
    let access = CodeAccess::new(Project::discover(Some(Path::new(folder)), None)?);
    let max_tokens = budget.first().map(|tokens| tokens.parse()).transpose()?;
    let document = write(&access, question, &EvidenceOptions { max_tokens, ..EvidenceOptions::default() })?;
    print!("{}", document.body);
    Ok(())
}
