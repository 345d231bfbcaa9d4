//! The document that is written without a model: the ranking for a question, the outlines of the best files and the
//! bodies of the best symbols, with every line read from the files.
//!
//! The document is not an answer and says so: it contains what a careful reader would open first, and names the next
//! calls. Its size is planned from the token budget (`budget.rs`). If it is still too large, outlines and rows are
//! reduced first, then relations, bodies and reasons, because a reader wants code. The document states what was left
//! out.

mod budget;
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
use crate::excerpt::{Excerpt, lines_excerpt, outline_excerpt_about, symbol_excerpt};
use crate::markdown::counted;
use crate::retrieval::{Candidate, Passage, RetrievalOptions, Retrieved, Via, Withhold, retrieve};
use budget::Budget;
use plan::Plan;

/// Default token budget of a document. An MCP answer is limited to 12,000 tokens.
pub const DEFAULT_MAX_TOKENS: usize = 8_000;

/// Smallest token budget: room for the heading, one sentence and the first call.
pub const MIN_TOKENS: usize = 250;

/// The fewest lines of a partial symbol that is shown as code.
const MIN_PART_LINES: u32 = 4;

/// Relative score above which a passage is shown as code.
const WORTH_SHOWING: f32 = 0.5;

/// Relative score below which a passage is never shown as code, even if there is room.
const WORTH_A_LOOK: f32 = 0.25;

/// A function that masks everything in a text that looks like a secret.
pub type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Settings of a document that is written without a model.
#[derive(Clone, Default)]
pub struct EvidenceOptions {
    /// Token budget by estimate: [`DEFAULT_MAX_TOKENS`] if `None`, never less than [`MIN_TOKENS`].
    pub max_tokens: Option<usize>,
    /// Files that may be named but never shown.
    pub withhold: Option<Withhold>,
    /// Masks secrets in the texts that the document shows.
    pub redact: Option<Redact>,
    /// Files, folders or globs to search; empty for the whole project.
    pub scope: Vec<String>,
}

impl fmt::Debug for EvidenceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvidenceOptions").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}

/// A document written without a model.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The Markdown from `## Summary` on, without front matter and title.
    pub body: String,
    /// The cited places in document order, without duplicates by path and first line. All of them exist.
    pub references: Vec<Reference>,
    /// Paths of the key files, best first.
    pub files: Vec<String>,
    /// Whether the ranking covers all files and the document shows everything that was planned.
    pub complete: bool,
    /// Remarks on completeness: what was skipped, withheld or left out.
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

/// Writes the document from an existing retrieval result.
pub fn of_retrieved(access: &CodeAccess, retrieved: &Retrieved, options: &EvidenceOptions) -> Evidence {
    let max_tokens = max_tokens(options);
    let budget = Budget::of(max_tokens);
    let reasons = reasons::short_reasons(&retrieved.candidates);
    let rows = retrieved.candidates.iter().zip(reasons).map(|(candidate, why)| KeyFile::of(candidate, why, retrieved));
    let mut plan = Plan::new(retrieved, rows.collect());
    plan.outlines = outlines(access, retrieved, &budget);
    let mut bodies = bodies(access, retrieved, &budget);
    if let Some(redact) = &options.redact {
        plan.outlines.iter_mut().for_each(|excerpt| excerpt.text = redact(&excerpt.text));
        bodies.iter_mut().for_each(|body| body.excerpt.text = redact(&body.excerpt.text));
    }
    let spare = bodies.split_off(budget.first_bodies(bodies.iter().map(|body| body.excerpt.tokens)));
    plan.bodies = bodies;
    plan.record_planned_sizes();
    let mut body = plan.render();
    let mut is_lowered = false;
    while estimate(&body) > max_tokens && plan.shrink() {
        body = plan.render();
        is_lowered = true;
    }
    // Unused budget is spent on further bodies.
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

/// A row of the key files section.
pub(crate) struct KeyFile {
    pub path: String,
    /// The lines of the file's best passage, and the symbol in them.
    pub best: Option<(Lines, String)>,
    pub why: String,
    pub via: Via,
}

impl KeyFile {
    fn of(candidate: &Candidate, why: String, retrieved: &Retrieved) -> Self {
        let defined = retrieved.definitions.iter().find(|definition| definition.path == candidate.path);
        let best = match (defined, retrieved.passages_of(&candidate.path).next()) {
            (Some(definition), _) => {
                let symbol = &definition.symbol;
                Some((symbol.lines, format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)))
            }
            (None, Some(passage)) => Some((passage.lines, described(passage))),
            (None, None) => None,
        };
        Self { path: candidate.path.clone(), best, why, via: candidate.via.clone() }
    }
}

/// Kind and name of a passage's symbol, with a remark if the passage is only a part of it.
fn described(passage: &Passage) -> String {
    let symbol = &passage.symbol;
    let part = if passage.is_whole() || symbol.kind == SymbolKind::Section { "" } else { "part of " };
    format!("{part}{} {}", symbol.kind.as_str(), symbol.qualified_name)
}

/// The source of a symbol, or of a part of a symbol.
pub(crate) struct Body {
    pub title: String,
    pub language: &'static str,
    pub excerpt: Excerpt,
    /// The id of the whole symbol, which every tool accepts.
    pub id: String,
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

/// Selects the bodies: symbols that the question names first, then the best passage of each top file, then further
/// passages.
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
        // If several symbols share the name, bare declarations carry no information.
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
        // Interleaves files: the second passage of the best file comes before the first passage of the fourth file.
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
        // The header line of a class alone carries no information.
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

/// Whether the lines of a passage are already inside a selected body.
fn is_inside(passage: &Passage, bodies: &[Body]) -> bool {
    bodies.iter().flat_map(|body| &body.excerpt.references).any(|shown| {
        shown.path == passage.path && shown.line_start <= passage.lines.first && passage.lines.last <= shown.line_end
    })
}

/// The language name for a Markdown code fence; empty if the language is unknown.
fn language_of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    language::of_name(name).map_or("", |language| language.name)
}

/// The ranking's evidence as sentences: notes and skipped files.
fn remarks(certainty: &Certainty) -> Vec<String> {
    let mut remarks: Vec<String> = certainty.notes.clone();
    if !certainty.skipped.is_empty() {
        const SHOWN: usize = 3;
        let shown = certainty.skipped.iter().take(SHOWN);
        let shown: Vec<String> = shown.map(|skipped| format!("{} ({})", skipped.path, skipped.reason)).collect();
        let more = certainty.skipped.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = counted(certainty.skipped.len(), "file or folder was", "files or folders were");
        remarks.push(format!("{what} passed over: {}{more}", shown.join(", ")));
    }
    remarks
}

/// The text without line breaks, backticks and pipes, so that Markdown cannot read it as a heading or a table row.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '`', '|']) {
        Cow::Owned(crate::markdown::one_line(text).replace('`', "'").replace('|', "/"))
    } else {
        Cow::Borrowed(text)
    }
}
