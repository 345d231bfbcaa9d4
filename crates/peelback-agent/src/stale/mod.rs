//! The check of stored documents for stale citations, whose files have changed since, and the renewal of documents with
//! stale citations.

mod citation_edits;
mod incomplete;
mod rewrite;
mod sections;

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatModel as _};

use crate::citations::{self, CitationEntry, Edit, Staleness, Verdict};
use crate::document::{CODE_REFERENCES, Document, FrontMatter};
use crate::markdown::format_count_with_unit;
use crate::scope::{self, ScopeError, ScopeOptions};
use citation_edits::CitationEdits;
use incomplete::{record_citation_gaps, record_unrenewed_sections};
use rewrite::Renewal;
use sections::BodySection;

/// The result of comparing a document's citations with the current files.
#[derive(Debug, Clone)]
pub struct StalenessReport {
    entries: Vec<(CitationEntry, Staleness)>,
    /// The citations of a document whose front matter has no hashes, each with the result of the citation check.
    judged: Vec<(String, Verdict)>,
}

/// An output row for the user: a citation of a document and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The citation as the document contains it, such as `path:a-b`.
    pub citation: String,
    /// The state: `unchanged`, `moved`, `changed` or `gone`; `exists` or `wrong` if the document has no stored hashes.
    pub state: &'static str,
    /// The current place of the cited lines, or the error.
    pub now: Option<String>,
    /// Whether the citation does not match the current files.
    pub is_stale: bool,
}

/// Compares the current files with the content hashes of each citation in a document's front matter. If the document
/// has no stored hashes, its citations are checked like those of a new document.
pub fn check_citation_staleness(document: &Document, access: &CodeAccess) -> StalenessReport {
    if document.front.citations.is_empty() {
        let checked = citations::check_and_repair_citations(&document.body, access);
        let judged = checked.citations.into_iter().map(|one| (one.citation.format_location(), one.verdict)).collect();
        return StalenessReport { entries: Vec::new(), judged };
    }
    let became = citations::staleness_of_stored_citations(document, access);
    StalenessReport { entries: document.front.citations.iter().cloned().zip(became).collect(), judged: Vec::new() }
}

impl StalenessReport {
    /// One output row for each citation, in the order of the document.
    pub fn citation_status_rows(&self) -> Vec<Row> {
        let kept = self.entries.iter().map(|(entry, became)| {
            let (state, now) = match became {
                Staleness::Unchanged => ("unchanged", None),
                Staleness::Moved { .. } => {
                    ("moved", entry_at_moved_lines(entry, became).map(|entry| entry.format_location()))
                }
                Staleness::Changed { symbol_at } => {
                    let at =
                        symbol_at.map(|lines| CitationEntry { lines: Some(lines), ..entry.clone() }.format_location());
                    ("changed", at)
                }
                Staleness::Deleted => ("gone", None),
            };
            Row { citation: entry.format_location(), state, now, is_stale: *became != Staleness::Unchanged }
        });
        let judged = self.judged.iter().map(|(citation, verdict)| {
            let (state, now, is_stale) = match verdict {
                Verdict::True(_) => ("exists", None, false),
                Verdict::Repaired(repair) => ("moved", Some(repair.to.clone()), true),
                Verdict::Marked { reason } => ("wrong", Some(reason.clone()), true),
            };
            Row { citation: citation.clone(), state, now, is_stale }
        });
        kept.chain(judged).collect()
    }

    /// Whether no citation of the document is stale.
    pub fn is_fresh(&self) -> bool {
        self.citation_status_rows().iter().all(|row| !row.is_stale)
    }
}

/// The result of renewing a document.
#[derive(Debug, Clone)]
pub struct Refreshed {
    /// The document after the renewal.
    pub document: Document,
    /// Whether the renewal changed the document.
    pub is_changed: bool,
    /// Messages about the changes, one line for each change.
    pub done: Vec<String>,
    /// The citations that are still stale. Each one is marked in the text, and later checks report it as stale again.
    pub left: Vec<String>,
    /// The reason why the model did not rewrite every stale section, and `None` if no rewriting failed. The document
    /// contains all other changes and states the reason.
    pub failed: Option<String>,
}

/// The beginning of the front matter value `incomplete` of an overview for which the model wrote no summary: see
/// [`scope::write_repository_context_document`].
const NO_SUMMARY: &str = "no summary by a model";

/// The way in which a document is renewed.
enum RenewalMethod {
    /// The whole document is generated again from the files. The value is the document's kind: `evidence` or `context`.
    GenerateAgain(&'static str),
    /// Only the stale parts of the document are changed. If `follow` is `true`, citations of moved lines are updated.
    InPlace { follow: bool },
}

impl RenewalMethod {
    /// Selects the way in which a document is renewed. Evidence documents and overviews are generated again, because
    /// they contain file lists with numbers that no citation covers.
    fn for_document(document: &Document, has_model: bool) -> Self {
        match document.front.mode.as_deref() {
            Some("evidence") if !document.front.scope_question.trim().is_empty() => Self::GenerateAgain("evidence"),
            Some("context") if has_model || document.front.model_used == "none" => Self::GenerateAgain("context"),
            Some("context") => Self::InPlace { follow: false },
            _ => Self::InPlace { follow: true },
        }
    }
}

/// Describes the changes that [`refresh_document`] would make to a document, one line for each change. Nothing is sent
/// to a model, and no file is changed.
pub fn describe_planned_refresh(
    document: &Document,
    stale: &StalenessReport,
    access: &CodeAccess,
    model: Option<&str>,
) -> Vec<String> {
    let bad = stale.citation_status_rows().iter().filter(|row| row.is_stale).count();
    if bad == 0 {
        return Vec::new();
    }
    let cited = format_count_with_unit(bad, "citation is", "citations are");
    if stale.entries.is_empty() {
        return vec![format!("{cited} wrong: repaired where the right place is sure, marked where not")];
    }
    let follow = match RenewalMethod::for_document(document, model.is_some()) {
        RenewalMethod::GenerateAgain(what) => {
            return vec![format!("{cited} stale: the {what} would be rebuilt from the files")];
        }
        RenewalMethod::InPlace { follow } => follow,
    };
    let parts = sections::split_into_sections(&document.body);
    let places = citation_edits::decide_citation_edits(&document.body, &parts, &stale.entries, follow, access);
    let mut lines: Vec<String> = stale
        .entries
        .iter()
        .filter(|_| follow)
        .filter_map(|(entry, became)| entry_at_moved_lines(entry, became).map(|now| (entry, now)))
        .map(|(entry, now)| format!("{} would become {}", entry.format_location(), now.format_location()))
        .collect();
    for part in parts.iter().filter(|part| !part.is_citation_list()) {
        let count = rewrite::outdated_entry_indexes_cited_in_section(part, &places).len();
        if count > 0 {
            let outdated = format_count_with_unit(count, "stale citation", "stale citations");
            lines.push(match model.filter(|_| follow) {
                Some(model) => format!("{}: {model} would rewrite it, for {outdated}", part.name_for_messages()),
                None => format!("{}: {outdated} would be marked", part.name_for_messages()),
            });
        }
    }
    lines
}

/// Renews the stale parts of a document and leaves every other byte unchanged.
///
/// Citations of moved lines are updated. The model rewrites sections that cite changed or deleted lines. If there is no
/// model, or its call fails, these citations are marked, and the front matter keeps their old entries, so that later
/// checks still report them as stale. Documents with file lists are generated again as a whole.
///
/// # Errors
/// [`ScopeError`]. After an error, the document is unchanged and no model call has cost anything.
pub async fn refresh_document(
    document: &Document,
    stale: &StalenessReport,
    access: &CodeAccess,
    model: Option<&Arc<BudgetedModel>>,
    options: &ScopeOptions,
) -> Result<Refreshed, ScopeError> {
    let access = &options.restrict_access_for_model(access);
    let is_fresh = stale.is_fresh();
    let as_it_was = || result_of_renewing_document(document, document.clone(), options, Vec::new());
    if stale.entries.is_empty() {
        return Ok(if is_fresh { as_it_was() } else { repair_citations_without_hashes(document, access, options) });
    }
    let mut done = Vec::new();
    let mut failed = Vec::new();
    let mut way = RenewalMethod::for_document(document, model.is_some());
    if is_fresh && !matches!(way, RenewalMethod::InPlace { follow: true }) {
        return Ok(as_it_was());
    }
    if let RenewalMethod::GenerateAgain(what) = &way {
        let fresh = match *what {
            "evidence" => scope::write_document_without_model(access, &document.front.scope_question, options)?,
            _ => scope::write_repository_context_document(access, model, options).await?,
        };
        // An overview with a summary that a model wrote is never replaced by an overview without a summary.
        let lost = if document.front.model_used == "none" { None } else { missing_summary_reason(&fresh.front) };
        match lost {
            None => {
                let cited = format_count_with_unit(stale.count_stale_citations(), "citation was", "citations were");
                done.push(format!("{cited} stale: the {what} was rebuilt from the files"));
                return Ok(result_of_regenerating_document(document, fresh, options, done));
            }
            Some(reason) => {
                failed.push(reason);
                way = RenewalMethod::InPlace { follow: false };
            }
        }
    }
    let follow = !matches!(way, RenewalMethod::InPlace { follow: false });
    if !follow {
        done.push(
            "this document lists files by their lines, below a summary that a model wrote: with a model (--model) it \
             is rebuilt; until then what is stale is marked"
                .to_owned(),
        );
    }
    let parts = sections::split_into_sections(&document.body);
    let places = citation_edits::decide_citation_edits(&document.body, &parts, &stale.entries, follow, access);
    // All front matter entries are correct, but the text may contain citations without an entry, and marks from earlier
    // renewals.
    if is_fresh && places.moves.is_empty() && places.marks.is_empty() {
        return Ok(as_it_was());
    }
    let writer = model.filter(|_| follow);
    let renewal = match writer {
        Some(model) => {
            rewrite::rewrite_stale_sections(document, &parts, &places, &stale.entries, access, model, options).await?
        }
        None => Renewal::default(),
    };
    let sorted = EntriesByRenewalOutcome::from_renewal(stale, &places, &renewal, follow, writer.is_some(), access);
    done.extend(sorted.done);
    done.extend(renewal.done.iter().cloned());
    failed.extend(renewal.failed.iter().cloned());
    let mut renewed =
        Document { front: document.front.clone(), body: apply_edits_and_rewrites(&document.body, &places, &renewal) };
    if let Some(model) = model {
        add_renewal_model_and_cost(&mut renewed.front, model, !renewal.texts.is_empty());
    }
    update_citation_lists(&mut renewed, &parts, sorted.holding, &sorted.left);
    record_citation_gaps(&mut renewed, access);
    record_unrenewed_sections(&mut renewed.front, &failed, !sorted.left.is_empty());
    if !sorted.left.is_empty() && failed.is_empty() && follow {
        let marked =
            format_count_with_unit(sorted.left.len(), "citation is stale and marked", "citations are stale and marked");
        done.push(format!("{marked}: with a model (--model) their sections are rewritten"));
    }
    let left = sorted.left.iter().map(CitationEntry::format_location).collect();
    let failed = (!failed.is_empty()).then(|| failed.join("; "));
    Ok(Refreshed { left, failed, ..result_of_renewing_document(document, renewed, options, done) })
}

impl StalenessReport {
    /// The number of stale citations, as the output shows them.
    fn count_stale_citations(&self) -> usize {
        self.citation_status_rows().iter().filter(|row| row.is_stale).count()
    }
}

/// The citation entries of a document's front matter, grouped by whether they are correct or still stale after the
/// renewal.
struct EntriesByRenewalOutcome {
    holding: Vec<CitationEntry>,
    /// The entries that stay stale, with the hashes from before the renewal.
    left: Vec<CitationEntry>,
    done: Vec<String>,
}

impl EntriesByRenewalOutcome {
    fn from_renewal(
        stale: &StalenessReport,
        places: &CitationEdits,
        renewal: &Renewal,
        follow: bool,
        has_model: bool,
        access: &CodeAccess,
    ) -> Self {
        let mut sorted = Self { holding: Vec::new(), left: Vec::new(), done: Vec::new() };
        for (number, (entry, became)) in stale.entries.iter().enumerate() {
            if *became == Staleness::Unchanged {
                sorted.holding.push(entry.with_current_hashes(access));
                continue;
            }
            if let Some(now) = entry_at_moved_lines(entry, became).filter(|_| follow) {
                if places.unwritten.contains(&number) {
                    sorted.left.push(entry.clone());
                }
                sorted.done.push(format!("{} moved to {}", entry.format_location(), now.format_location()));
                sorted.holding.push(now.with_current_hashes(access));
                continue;
            }
            let mut cited = places.outdated.iter().filter(|(_, own)| *own == number).peekable();
            let is_cited = cited.peek().is_some();
            if cited.any(|(at, _)| !renewal.is_in_rewritten_section(*at)) || (!is_cited && !has_model) {
                sorted.left.push(entry.clone());
            } else if !is_cited {
                sorted.done.push(format!("{} is left out: no section cites it", entry.format_location()));
            }
        }
        sorted.holding.extend(renewal.entries.iter().cloned());
        sorted.holding = citations::merge_redundant_citation_entries(std::mem::take(&mut sorted.holding));
        sorted
    }
}

/// A document's body with all citation edits and all rewritten sections applied in one pass.
fn apply_edits_and_rewrites(body: &str, places: &CitationEdits, renewal: &Renewal) -> String {
    let mut edits: Vec<Edit> = places.moves.iter().chain(&places.marks).cloned().collect();
    edits.retain(|(at, _)| !renewal.texts.iter().any(|(range, _)| range.start <= at.start && at.end <= range.end));
    edits.extend(renewal.texts.iter().cloned());
    citations::text_range_with_edits_applied(body, 0..body.len(), edits)
}

/// Updates the lists of citations in a document. The section `## Code References` lists only correct entries. The front
/// matter lists the correct entries first, and the stale entries after them.
fn update_citation_lists(
    document: &mut Document,
    parts: &[BodySection],
    mut holding: Vec<CitationEntry>,
    left: &[CitationEntry],
) {
    // What a rewritten section cites can be more than a document keeps. The stale ones stay, so that they stay known.
    let left = left.get(..left.len().min(citations::MAX_CITATIONS)).unwrap_or(left);
    if let Some(left_out) = citations::keep_most_citations(&mut holding, left.len()) {
        let reasons: Vec<String> = document.front.incomplete.take().into_iter().chain([left_out]).collect();
        document.front.incomplete = Some(reasons.join("; "));
    }
    let text = citations::format_code_reference_list(&holding);
    let has_list = parts.iter().any(BodySection::is_citation_list);
    let is_same = document.section_text(CODE_REFERENCES).is_some_and(|before| before == text.trim());
    if !is_same && (has_list || !text.is_empty()) {
        document.set_section(CODE_REFERENCES, text.trim_end());
    }
    document.front.citations = holding;
    document.front.citations.extend(left.iter().cloned());
}

/// Adds the tokens and cost of the model calls for a renewal to the values in the document's front matter.
fn add_renewal_model_and_cost(front: &mut FrontMatter, model: &BudgetedModel, has_written: bool) {
    let spent = model.spending();
    let was_paid = front.input_tokens.is_some() || front.output_tokens.is_some();
    if spent.calls == 0 && spent.failed == 0 {
        return;
    }
    front.cost_usd = match (front.cost_usd, spent.cost) {
        (Some(before), Some(now)) => Some(before + now),
        (None, now) if !was_paid => now,
        _ => None,
    };
    front.input_tokens = Some(front.input_tokens.unwrap_or(0).saturating_add(spent.usage.input));
    front.output_tokens = Some(front.output_tokens.unwrap_or(0).saturating_add(spent.usage.output));
    let perhaps = front.possibly_billed_tokens.unwrap_or(0).saturating_add(spent.possibly_billed);
    front.possibly_billed_tokens = Some(perhaps).filter(|tokens| *tokens > 0);
    // The tokens and the cost are those of all runs now, and no ceiling of one run limited them.
    front.ceiling = if was_paid { None } else { model.ceiling_in_words() };
    if has_written {
        front.model_used = model.name().to_owned();
    }
}

/// Repairs the citations of a document without stored hashes. Only the symbols that the text names can show where cited
/// lines are now.
fn repair_citations_without_hashes(document: &Document, access: &CodeAccess, options: &ScopeOptions) -> Refreshed {
    let checked = citations::check_and_repair_citations(&document.body, access);
    let (_, repaired, marked) = checked.verdict_counts();
    let mut renewed = Document { body: checked.text.clone(), ..document.clone() };
    // Entries are stored only if no citation was marked, because an entry would present a marked citation as correct.
    if marked == 0 {
        let parts = sections::split_into_sections(&renewed.body);
        update_citation_lists(&mut renewed, &parts, checked.citation_entries_for_front_matter(), &[]);
    }
    record_citation_gaps(&mut renewed, access);
    let wrong = checked.citations.iter().filter(|one| matches!(one.verdict, Verdict::Marked { .. }));
    let left = wrong.map(|one| one.citation.format_location()).collect();
    let done = vec![format!("{} repaired, {marked} marked", format_count_with_unit(repaired, "citation", "citations"))];
    Refreshed { left, ..result_of_renewing_document(document, renewed, options, done) }
}

/// The result for a document that was generated again. Front matter keys of the old document are kept where the new
/// document has no value.
fn result_of_regenerating_document(
    before: &Document,
    mut fresh: Document,
    options: &ScopeOptions,
    done: Vec<String>,
) -> Refreshed {
    for (key, value) in &before.front.other {
        if !incomplete::is_key_of_earlier_version(key) && !fresh.front.other.iter().any(|(other, _)| other == key) {
            fresh.front.other.push((key.clone(), value.clone()));
        }
    }
    result_of_renewing_document(before, fresh, options, done)
}

/// The reason why an overview has no summary, if a model should have written one; otherwise `None`.
fn missing_summary_reason(front: &FrontMatter) -> Option<String> {
    let at = front.incomplete.as_deref()?;
    at.starts_with(NO_SUMMARY).then(|| at.to_owned())
}

/// A copy of a citation entry with the current path and lines, if the cited lines have moved; otherwise `None`.
fn entry_at_moved_lines(entry: &CitationEntry, became: &Staleness) -> Option<CitationEntry> {
    let Staleness::Moved { path, lines } = became else { return None };
    Some(CitationEntry { path: path.clone(), lines: *lines, ..entry.clone() })
}

/// Creates the result of renewing a document. The document gets a new date only if its content has changed.
fn result_of_renewing_document(
    before: &Document,
    mut document: Document,
    options: &ScopeOptions,
    done: Vec<String>,
) -> Refreshed {
    let is_changed = document.body.trim() != before.body.trim() || document.front != before.front;
    if is_changed {
        document.front.scan_date = options.now.rfc3339();
        if options.origin.commit.is_some() {
            document.front.commit.clone_from(&options.origin.commit);
        }
    } else {
        document = before.clone();
    }
    Refreshed { document, is_changed, done, left: Vec::new(), failed: None }
}
