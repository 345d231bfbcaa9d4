//! The uses of a symbol, or where a file's imports lead, as one JSON object: for scorers, without the program.
//!
//! `references ROOT PATH NAME` or `references ROOT PATH`.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::fmt::Write as _;

use peelback_code::syntax::names::Role;
use peelback_code::{
    CodeAccess, CodeError, DependencyQuery, Direction, Project, ReferenceQuery, SymbolNameQuery, SymbolQuery,
};

fn main() -> Result<(), CodeError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, path, name @ ..] = arguments.as_slice() else {
        eprintln!("references ROOT PATH [NAME]");
        std::process::exit(2);
    };
    let access = CodeAccess::new(Project::discover(Some(root.as_ref()), None)?);
    let mut rows = String::new();
    let Some(name) = name.first() else {
        let query = DependencyQuery { path: path.clone(), direction: Direction::Outgoing, depth: 1 };
        for destination in access.dependencies_and_dependents(&query)?.outgoing.iter().map(|file| &file.path) {
            let comma = if rows.is_empty() { "" } else { "," };
            let _ = write!(rows, "{comma}{destination:?}");
        }
        println!("{{\"outgoing\":[{rows}]}}");
        return Ok(());
    };
    let analysed = access.analyse_file(path)?;
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    let symbols = found.into_iter().map(|hit| SymbolQuery { path: path.clone(), symbol: hit.symbol }).collect();
    let answer = access.find_references(&ReferenceQuery { symbols, ..ReferenceQuery::default() })?;
    // What a call lists by default, where there is room.
    let listed = answer.references.iter().filter(|reference| reference.is_plausible && !reference.is_conditional);
    let mut total = 0;
    for reference in listed {
        let comma = if rows.is_empty() { "" } else { "," };
        let role = reference.role.map_or("text", Role::as_str);
        let _ = write!(
            rows,
            "{comma}{{\"path\":{:?},\"line\":{},\"role\":\"{role}\",\"confidence\":\"{}\"}}",
            reference.path,
            reference.line,
            reference.confidence.as_str()
        );
        total += 1;
    }
    println!("{{\"references\":[{rows}],\"total\":{total}}}");
    Ok(())
}
