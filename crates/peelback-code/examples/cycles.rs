//! The cycles of files in a project's dependency graph, one in each line: `cycles FOLDER`.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::error::Error;
use std::path::Path;

use peelback_code::{CodeAccess, Project};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("cycles FOLDER")?;
    let overview = CodeAccess::new(Project::discover(Some(Path::new(&folder)), None)?).dependency_overview()?;
    for cycle in &overview.cycles {
        println!("{} {}", cycle.len(), cycle.join(" "));
    }
    println!("{} groups only by declarations of modules", overview.module_cycles);
    if std::env::args().nth(2).is_some() {
        for (from, to) in &overview.edges {
            println!("{from} -> {to}");
        }
    }
    Ok(())
}
