//! The document that is written without a model: what the ranking finds for a question, the shapes of the best files and
//! the bodies of the best symbols, every line of it read from the files.
//!
//! It is no answer, and says so. It is what a careful reader would open first, and it names the calls that go on from
//! there. What it holds is planned for its budget (`budget.rs`); where that is still too much it steps down: outlines and
//! rows first, then links, bodies and reasons, since a reader wants code. What is left out is said.

mod budget;
mod parts;
mod plan;
mod reasons;
mod stub;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use peelback_code::syntax::{Lines, SymbolKind, language};
use peelback_code::{CodeAccess, CodeError, Evidence as Certainty};
use peelback_tokens::estimate;

use crate::citations::Reference;
use crate::disclosure::{Redact, Withhold};
use crate::excerpt::{Excerpt, lines_excerpt, outline_excerpt_about, symbol_excerpt};
use crate::markdown::counted;
use crate::retrieval::{Candidate, Passage, RetrievalOptions, Retrieved, Via, retrieve};
use budget::Budget;
use plan::Plan;

/// Tokens of a document where nothing else is asked for. An answer over MCP has 12,000 at most.
pub const DEFAULT_MAX_TOKENS: usize = 8_000;

/// Tokens below which no document is made smaller: its heading, one sentence and the first call.
pub const MIN_TOKENS: usize = 250;

/// Lines of a part of a symbol that is shown as code.
const MIN_PART_LINES: u32 = 4;

/// Passages that rank above this share of the best are shown as code.
const WORTH_SHOWING: f32 = 0.5;

/// Passages that rank below this share are not, whatever room there is.
const WORTH_A_LOOK: f32 = 0.25;

/// How the document is written.
#[derive(Clone, Default)]
pub struct EvidenceOptions {
    /// Tokens at most, by estimate; [`DEFAULT_MAX_TOKENS`] where there is none, and never under [`MIN_TOKENS`].
    pub max_tokens: Option<usize>,
    /// Which files are named at most, and never shown.
    pub withhold: Option<Withhold>,
    /// What is masked in the texts that are shown.
    pub redact: Option<Redact>,
    /// Files, folders or globs to look in; everywhere where it is empty.
    pub scope: Vec<String>,
}

impl fmt::Debug for EvidenceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvidenceOptions").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}

/// A document without a model.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The Markdown from `## Summary` on: no front matter and no title.
    pub body: String,
    /// The places that it cites, in its order, each path and first line once. All exist.
    pub references: Vec<Reference>,
    /// The files that it names as key files, best first.
    pub files: Vec<String>,
    /// Whether the ranking covers all files, and the document shows all that was meant for it.
    pub complete: bool,
    /// What is to be said of how it came about: what was skipped, withheld, left out.
    pub notes: Vec<String>,
}

/// Writes the document for a question.
///
/// # Errors
/// Those of [`retrieve`].
pub fn write(access: &CodeAccess, question: &str, options: &EvidenceOptions) -> Result<Evidence, CodeError> {
    let budget = Budget::of(max_tokens(options));
    let retrieval = RetrievalOptions {
        withhold: options.withhold.clone(),
        scope: options.scope.clone(),
        passages: budget.passages,
        passages_of_file: budget.passages_of_file,
        ..RetrievalOptions::default()
    };
    let retrieved = retrieve(access, question, &retrieval)?;
    Ok(of_retrieved(access, &retrieved, options))
}

fn max_tokens(options: &EvidenceOptions) -> usize {
    options.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).max(MIN_TOKENS)
}

/// Writes the document for what was gathered already.
pub fn of_retrieved(access: &CodeAccess, retrieved: &Retrieved, options: &EvidenceOptions) -> Evidence {
    let max_tokens = max_tokens(options);
    let budget = Budget::of(max_tokens);
    let reasons = reasons::told(&retrieved.candidates);
    let rows = retrieved.candidates.iter().zip(reasons).map(|(candidate, why)| KeyFile::new(candidate, why, retrieved));
    let mut plan = Plan::new(retrieved, rows.collect());
    plan.outlines = outlines(access, retrieved, &budget);
    let mut bodies = bodies(access, retrieved, &budget);
    if let Some(redact) = &options.redact {
        plan.outlines.iter_mut().for_each(|excerpt| excerpt.text = redact(&excerpt.text).into_owned());
        bodies.iter_mut().for_each(|body| body.excerpt.text = redact(&body.excerpt.text).into_owned());
    }
    let spare = bodies.split_off(budget.first_bodies(bodies.iter().map(|body| body.excerpt.tokens)));
    plan.bodies = bodies;
    plan.meant();
    let mut body = plan.render();
    let mut is_lowered = false;
    while estimate(&body) > max_tokens && plan.lower() {
        body = plan.render();
        is_lowered = true;
    }
    // What is left of the budget is for more code.
    for next in spare.into_iter().filter(|_| !is_lowered) {
        plan.bodies.push(next);
        let longer = plan.render();
        if estimate(&longer) <= max_tokens {
            body = longer;
        } else {
            plan.bodies.pop();
        }
    }
    let mut notes = remarks(&retrieved.evidence);
    notes.extend(retrieved.withheld.iter().map(|held| format!("{} is not shown: {}", held.path, held.reason)));
    notes.extend(plan.left_out());
    Evidence {
        references: plan.references(),
        files: plan.rows.iter().map(|row| row.path.clone()).collect(),
        complete: retrieved.evidence.is_complete_but_for_withheld() && plan.left_out().is_empty(),
        notes,
        body,
    }
}

fn outlines(access: &CodeAccess, retrieved: &Retrieved, budget: &Budget) -> Vec<Excerpt> {
    let best = retrieved.candidates.iter().filter(|candidate| candidate.via != Via::Links(Vec::new()));
    best.take(budget.outlines)
        .filter_map(|candidate| {
            let about: Vec<Lines> = retrieved.passages_of(&candidate.path).map(|passage| passage.lines).collect();
            outline_excerpt_about(access, &candidate.path, budget.outline_chars, &about).ok()
        })
        .collect()
}

/// The bodies: what the question names first, then the best passage of each of the best files, then the next ones.
fn bodies(access: &CodeAccess, retrieved: &Retrieved, budget: &Budget) -> Vec<Body> {
    let mut taken: HashSet<(String, u32)> = HashSet::new();
    let mut bodies: Vec<Body> = Vec::new();
    let is_stub = |path: &str, lines: Lines, kind| stub::is_stub(access, path, lines, kind);
    for definition in &retrieved.definitions {
        let symbol = &definition.symbol;
        let full = bodies.len() >= (budget.bodies / 2).max(2);
        if full || !taken.insert((definition.path.clone(), symbol.lines.first)) {
            continue;
        }
        // Of several symbols with the name, those that only declare it say nothing.
        if definition.total > 1 && is_stub(&definition.path, symbol.lines, symbol.kind) {
            continue;
        }
        if let Ok(excerpt) = symbol_excerpt(access, &definition.path, &symbol.address(), budget.body_chars) {
            let title = format!("{} {}", symbol.kind.as_str(), symbol.qualified_name);
            bodies.push(Body { title, language: language_of(&definition.path), excerpt, id: definition.id() });
        }
    }
    let mut order: Vec<(bool, usize, usize, &Passage)> = Vec::new();
    for (rank, candidate) in retrieved.candidates.iter().enumerate() {
        let worth = retrieved.passages_of(&candidate.path).filter(|passage| passage.score >= WORTH_A_LOOK);
        let own = worth.take(budget.bodies_of_file).enumerate();
        // The second of the best file comes before the first of the fourth.
        order.extend(own.map(|(place, passage)| (passage.score < WORTH_SHOWING, rank + place * 3, place, passage)));
    }
    order.sort_by_key(|(is_weak, turn, place, _)| (*is_weak, *turn, *place));
    for (_, _, _, passage) in order {
        if bodies.len() >= budget.bodies {
            break;
        }
        if !taken.insert((passage.path.clone(), passage.lines.first)) || is_inside(passage, &bodies) {
            continue;
        }
        // The first line of a class says nothing.
        if !passage.is_whole() && passage.lines.count() < MIN_PART_LINES {
            continue;
        }
        if is_stub(&passage.path, passage.lines, passage.symbol.kind) {
            continue;
        }
        let excerpt = if passage.is_whole() {
            symbol_excerpt(access, &passage.path, &passage.symbol.address(), budget.body_chars)
        } else {
            lines_excerpt(access, &passage.path, passage.lines.first, passage.lines.last, budget.body_chars)
        };
        if let Ok(excerpt) = excerpt {
            bodies.push(Body {
                title: described(passage),
                language: language_of(&passage.path),
                excerpt,
                id: passage.id(),
            });
        }
    }
    bodies
}

/// Whether the lines of a passage are shown already.
fn is_inside(passage: &Passage, bodies: &[Body]) -> bool {
    bodies.iter().flat_map(|body| &body.excerpt.references).any(|shown| {
        shown.path == passage.path && shown.line_start <= passage.lines.first && passage.lines.last <= shown.line_end
    })
}
