//! Ranks for a question with other weights, for measuring: `rank FOLDER QUESTION_FILE [--weights JSON] [--without SIGNAL]
//! [--by keywords] [--signals] [--symbols]`. Prints JSON as `find_files` (or `search`) does, as far as a scorer needs it.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use peelback_code::{CodeAccess, Project, Question, RankQuery, WalkOptions, Weights, keywords_of_question};

/// The weights without one signal.
fn without(weights: Weights, signal: &str) -> Result<Weights, Box<dyn Error>> {
    let mut all = serde_json::to_value(weights)?;
    let value = all.get_mut(signal).ok_or_else(|| format!("no signal {signal}"))?;
    *value = 0.0.into();
    Ok(serde_json::from_value(all)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut entries, mut weights) = (Vec::new(), Weights::default());
    let (mut keywords, mut signals, mut symbols) = (false, false, false);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--weights" => weights = serde_json::from_str(&value()?)?,
            "--without" => weights = without(weights, &value()?)?,
            "--by" => keywords = value()? == "keywords",
            "--signals" => signals = true,
            "--symbols" => symbols = true,
            _ => entries.push(argument),
        }
    }
    let [folder, file] = entries.as_slice() else { return Err("rank FOLDER QUESTION_FILE".into()) };
    let text = std::fs::read_to_string(file)?;
    let access = CodeAccess::new(Project::discover(Some(Path::new(folder)), None)?);
    if keywords {
        let (files, _) = access.rank_files_by_keywords(&keywords_of_question(&text), None, &WalkOptions::default())?;
        let files: Vec<_> =
            files.iter().take(20).map(|f| serde_json::json!({"path": f.path, "score": f.score})).collect();
        println!("{}", serde_json::json!({ "files": files }));
        return Ok(());
    }
    let query = RankQuery { question: Question::new(&text), weights, page: 0..100, ..RankQuery::default() };
    if symbols {
        let ranking = access.rank_passages(&query)?;
        let passages = ranking.page.iter().take(if signals { 100 } else { 10 }).map(|passage| {
            serde_json::json!({
                "features": signals.then(|| passage.signals.features.names_and_values().into_iter().collect::<BTreeMap<_, _>>()),
                "path": passage.path, "qualified_name": passage.symbol.qualified_name, "line": passage.lines.first,
                "line_end": passage.lines.last, "score": passage.score, "reasons": passage.reasons,
            })
        });
        println!("{}", serde_json::json!({ "results": passages.collect::<Vec<_>>() }));
        return Ok(());
    }
    let ranking = access.rank_files(&query)?;
    let files = ranking.files.iter().take(if signals { 100 } else { 20 }).map(|file| {
        let signals = signals.then_some(file.signals);
        serde_json::json!({"path": file.path, "score": file.score, "signals": signals, "reasons": file.reasons})
    });
    println!("{}", serde_json::json!({ "files": files.collect::<Vec<_>>() }));
    Ok(())
}
