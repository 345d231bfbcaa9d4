//! The evidence document, which is written without a model: the ranked files for a question, the outlines of the best
//! files and the bodies of the best symbols, with every line read from the files.
//!
//! The document is not an answer and says so: it contains the code that a careful reader would open first, and names
//! the next tool calls. Its size is planned from the token budget (`budget.rs`). If it is still too large, the outlines
//! and the rows of key files are reduced first, then the dependencies between files, the bodies and the reasons,
//! because a reader wants code. The document states what was left out.

mod budget;
mod parts;
mod plan;
mod reasons;
mod stub;

use std::collections::HashSet;
use std::fmt;

use peelback_code::syntax::Lines;
use peelback_code::{CodeAccess, CodeError};
use peelback_tokens::estimate_tokens;

use crate::citations::Reference;
use crate::disclosure::{Redact, WithholdPathRule, known_secrets_of_files};
use crate::excerpt::{Excerpt, file_outline_excerpt_with_focus, lines_excerpt, symbol_excerpt};
use crate::retrieval::{Passage, RetrievalOptions, Retrieved, Via, retrieve_for_question};
use budget::Budget;
use parts::{Body, KeyFile, fence_language_for_file, kind_and_name_of_passage, ranking_completeness_remarks};
use plan::EvidenceDocumentPlan;

/// The default token budget of an evidence document. An MCP answer is limited to 12,000 tokens.
pub const DEFAULT_MAX_TOKENS: usize = 8_000;

/// The minimum token budget of an evidence document: room for the heading, one sentence and the first tool call.
pub const MIN_TOKENS: usize = 250;

/// The minimum number of lines for a part of a symbol that the document shows as code.
const MIN_PART_LINES: u32 = 4;

/// The score, relative to the best passage, from which on a passage is preferred for being shown as code.
const MIN_PREFERRED_SCORE: f32 = 0.5;

/// The score, relative to the best passage, below which a passage is never shown as code, even if there is room.
const MIN_BODY_SCORE: f32 = 0.25;

/// Settings for an evidence document, which is written without a model.
#[derive(Clone, Default)]
pub struct EvidenceOptions {
    /// The token budget of the document, in estimated tokens: [`DEFAULT_MAX_TOKENS`] if `None`, and never less than
    /// [`MIN_TOKENS`].
    pub max_tokens: Option<usize>,
    /// The rule for files that the document may name but never shows.
    pub withhold: Option<WithholdPathRule>,
    /// The function that masks secrets in the code that the document shows.
    pub redact: Option<Redact>,
    /// The files, folders or globs to search; empty for the whole project.
    pub scope: Vec<String>,
}

impl fmt::Debug for EvidenceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvidenceOptions").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}

/// An evidence document, which was written without a model.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// The document's Markdown text from `## Summary` on, without front matter and title.
    pub body: String,
    /// The code references of the document, in its order: at most one for each pair of path and first line. All cited
    /// lines exist.
    pub references: Vec<Reference>,
    /// The paths of the key files that the document lists, the best first.
    pub files: Vec<String>,
    /// Whether the ranking covers all files and the document shows everything that was planned.
    pub complete: bool,
    /// Remarks about files that were skipped or withheld, and about parts that were left out.
    pub notes: Vec<String>,
}

/// Writes the evidence document for a question.
///
/// # Errors
/// Those of [`retrieve_for_question`].
pub fn build_evidence_document(
    access: &CodeAccess,
    question: &str,
    options: &EvidenceOptions,
) -> Result<Evidence, CodeError> {
    let budget = Budget::from_max_tokens(effective_token_budget(options));
    let retrieval = RetrievalOptions {
        withhold: options.withhold.clone(),
        scope: options.scope.clone(),
        passages: budget.passages,
        passages_of_file: budget.passages_of_file,
        ..RetrievalOptions::default()
    };
    let retrieved = retrieve_for_question(access, question, &retrieval)?;
    Ok(build_evidence_from_retrieval_result(access, &retrieved, options))
}

fn effective_token_budget(options: &EvidenceOptions) -> usize {
    options.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).max(MIN_TOKENS)
}

/// Writes the evidence document from an existing retrieval result.
pub fn build_evidence_from_retrieval_result(
    access: &CodeAccess,
    retrieved: &Retrieved,
    options: &EvidenceOptions,
) -> Evidence {
    let max_tokens = effective_token_budget(options);
    let budget = Budget::from_max_tokens(max_tokens);
    let reasons = reasons::short_reasons_per_candidate(&retrieved.candidates);
    let rows = retrieved.candidates.iter().zip(reasons).map(|(candidate, why)| KeyFile::new(candidate, why, retrieved));
    let mut plan = EvidenceDocumentPlan::new(retrieved, rows.collect());
    plan.outlines = top_file_outlines(access, retrieved, &budget);
    let mut bodies = select_symbol_bodies(access, retrieved, &budget);
    if let Some(redact) = &options.redact {
        for excerpt in plan.outlines.iter_mut().chain(bodies.iter_mut().map(|body| &mut body.excerpt)) {
            let known = known_secrets_of_files(access, [excerpt.path.as_str()]);
            excerpt.text = redact(&excerpt.text, &known).into_owned();
        }
    }
    let spare = bodies.split_off(budget.fitting_symbol_body_count(bodies.iter().map(|body| body.excerpt.tokens)));
    plan.bodies = bodies;
    plan.save_part_counts_before_trimming();
    let mut body = plan.render();
    let mut is_lowered = false;
    while estimate_tokens(&body) > max_tokens && plan.remove_least_important_part() {
        body = plan.render();
        is_lowered = true;
    }
    // The unused part of the token budget is spent on further symbol bodies.
    for next in spare.into_iter().filter(|_| !is_lowered) {
        plan.bodies.push(next);
        let longer = plan.render();
        if estimate_tokens(&longer) <= max_tokens {
            body = longer;
        } else {
            plan.bodies.pop();
        }
    }
    let mut notes = ranking_completeness_remarks(&retrieved.evidence);
    notes.extend(retrieved.withheld.iter().map(|held| format!("{} is not shown: {}", held.path, held.reason)));
    notes.extend(plan.describe_removed_parts());
    Evidence {
        references: plan.cited_locations(),
        files: plan.rows.iter().map(|row| row.path.clone()).collect(),
        complete: retrieved.evidence.is_complete_except_withheld() && plan.describe_removed_parts().is_empty(),
        notes,
        body,
    }
}

fn top_file_outlines(access: &CodeAccess, retrieved: &Retrieved, budget: &Budget) -> Vec<Excerpt> {
    let best = retrieved.candidates.iter().filter(|candidate| candidate.via != Via::Imports(Vec::new()));
    best.take(budget.outlines)
        .filter_map(|candidate| {
            let about: Vec<Lines> = retrieved.passages_of_file(&candidate.path).map(|passage| passage.lines).collect();
            file_outline_excerpt_with_focus(access, &candidate.path, budget.outline_chars, &about).ok()
        })
        .collect()
}

/// Selects the symbol bodies that the document shows: first the symbols that the question names, then the best passage
/// of each top file, then further passages.
fn select_symbol_bodies(access: &CodeAccess, retrieved: &Retrieved, budget: &Budget) -> Vec<Body> {
    let mut taken: HashSet<(String, u32)> = HashSet::new();
    let mut bodies: Vec<Body> = Vec::new();
    let is_stub = |path: &str, lines: Lines, kind| stub::is_definition_without_code(access, path, lines, kind);
    for definition in &retrieved.definitions {
        let symbol = &definition.symbol;
        let full = bodies.len() >= (budget.bodies / 2).max(2);
        if full || !taken.insert((definition.path.clone(), symbol.lines.first)) {
            continue;
        }
        // If several symbols have the name, the declarations among them that contain no code carry no information.
        if definition.total > 1 && is_stub(&definition.path, symbol.lines, symbol.kind) {
            continue;
        }
        if let Ok(excerpt) =
            symbol_excerpt(access, &definition.path, &symbol.unique_address_in_file(), budget.body_chars)
        {
            let title = format!("{} {}", symbol.kind.as_str(), symbol.qualified_name);
            bodies.push(Body {
                title,
                language: fence_language_for_file(&definition.path),
                excerpt,
                id: definition.symbol_id(),
            });
        }
    }
    let mut order: Vec<(bool, usize, usize, &Passage)> = Vec::new();
    for (rank, candidate) in retrieved.candidates.iter().enumerate() {
        let worth = retrieved.passages_of_file(&candidate.path).filter(|passage| passage.score >= MIN_BODY_SCORE);
        let own = worth.take(budget.bodies_of_file).enumerate();
        // Interleaves files: the second passage of the best file comes before the first passage of the fourth file.
        order.extend(
            own.map(|(place, passage)| (passage.score < MIN_PREFERRED_SCORE, rank + place * 3, place, passage)),
        );
    }
    order.sort_by_key(|(is_weak, turn, place, _)| (*is_weak, *turn, *place));
    for (_, _, _, passage) in order {
        if bodies.len() >= budget.bodies {
            break;
        }
        if !taken.insert((passage.path.clone(), passage.lines.first)) || is_inside_selected_body(passage, &bodies) {
            continue;
        }
        // The header line of a class alone carries no information.
        if !passage.is_whole_symbol() && passage.lines.count() < MIN_PART_LINES {
            continue;
        }
        if is_stub(&passage.path, passage.lines, passage.symbol.kind) {
            continue;
        }
        let excerpt = if passage.is_whole_symbol() {
            symbol_excerpt(access, &passage.path, &passage.symbol.unique_address_in_file(), budget.body_chars)
        } else {
            lines_excerpt(access, &passage.path, passage.lines.first, passage.lines.last, budget.body_chars)
        };
        if let Ok(excerpt) = excerpt {
            bodies.push(Body {
                title: kind_and_name_of_passage(passage),
                language: fence_language_for_file(&passage.path),
                excerpt,
                id: passage.symbol_id(),
            });
        }
    }
    bodies
}

/// Whether the lines of a passage are already inside the lines of a selected symbol body.
fn is_inside_selected_body(passage: &Passage, bodies: &[Body]) -> bool {
    bodies.iter().flat_map(|body| &body.excerpt.references).any(|shown| {
        shown.path == passage.path && shown.line_start <= passage.lines.first && passage.lines.last <= shown.line_end
    })
}
