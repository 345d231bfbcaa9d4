//! The document that is written without a model: what the ranking finds for a question, the shapes of the best files and
//! the bodies of the best symbols, every line of it read from the files.
//!
//! It is no answer, and says so. It is what a careful reader would open first, and it names the calls that go on from
//! there. Over its budget it steps down: bodies first, then outlines, then reasons, then rows; what is left out is said.

mod plan;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use peelback_code::syntax::{Lines, SymbolKind, language};
use peelback_code::{CodeAccess, CodeError, Evidence as Certainty};
use peelback_tokens::estimate;

use crate::citations::Reference;
use crate::gather::{Candidate, GatherOptions, Gathered, Passage, Via, Withhold, gather};
use crate::markdown::counted;
use crate::sheet::{Sheet, lines_sheet, outline_sheet_about, symbol_sheet};
use plan::Plan;

/// Tokens of a document where nothing else is asked for. An answer over MCP has 12,000 at most.
pub const DEFAULT_MAX_TOKENS: usize = 8_000;

/// Tokens below which no document is made smaller: its heading, one sentence and the first call.
pub const MIN_TOKENS: usize = 250;

/// Files whose outlines are shown.
const OUTLINES: usize = 6;

/// Characters of an outline.
const OUTLINE_CHARS: usize = 1_200;

/// Symbols whose bodies are shown.
const BODIES: usize = 8;

/// Bodies of one file.
const BODIES_OF_FILE: usize = 3;

/// Characters of a body.
const BODY_CHARS: usize = 4_000;

/// Lines of a part of a symbol that is shown as code.
const MIN_PART_LINES: u32 = 4;

/// Passages that rank below this share of the best are not shown as code.
const WORTH_SHOWING: f32 = 0.5;

/// Masks what looks like a key in a text.
pub type Redact = Arc<dyn Fn(&str) -> String + Send + Sync>;

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
/// Those of [`gather`].
pub fn write(access: &CodeAccess, question: &str, options: &EvidenceOptions) -> Result<Evidence, CodeError> {
    let gathering =
        GatherOptions { withhold: options.withhold.clone(), scope: options.scope.clone(), ..GatherOptions::default() };
    let gathered = gather(access, question, &gathering)?;
    Ok(of_gathered(access, &gathered, options))
}

/// Writes the document for what was gathered already.
pub fn of_gathered(access: &CodeAccess, gathered: &Gathered, options: &EvidenceOptions) -> Evidence {
    let max_tokens = options.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).max(MIN_TOKENS);
    let rows: Vec<KeyFile> = gathered.candidates.iter().map(|candidate| KeyFile::of(candidate, gathered)).collect();
    let mut plan = Plan::new(gathered, rows);
    plan.outlines = outlines(access, gathered);
    plan.bodies = bodies(access, gathered);
    if let Some(redact) = &options.redact {
        plan.outlines.iter_mut().for_each(|sheet| sheet.text = redact(&sheet.text));
        plan.bodies.iter_mut().for_each(|body| body.sheet.text = redact(&body.sheet.text));
    }
    plan.meant();
    let mut body = plan.render();
    while estimate(&body) > max_tokens && plan.lower() {
        body = plan.render();
    }
    let mut notes = remarks(&gathered.evidence);
    notes.extend(gathered.withheld.iter().map(|held| format!("{} is not shown: {}", held.path, held.reason)));
    notes.extend(plan.left_out());
    Evidence {
        references: plan.references(),
        files: plan.rows.iter().map(|row| row.path.clone()).collect(),
        complete: gathered.evidence.is_complete_but_for_withheld() && plan.left_out().is_empty(),
        notes,
        body,
    }
}

/// A row of the key files.
pub(crate) struct KeyFile {
    pub path: String,
    /// The lines of its best passage, and what stands there.
    pub best: Option<(Lines, String)>,
    pub why: String,
    pub via: Via,
}

impl KeyFile {
    fn of(candidate: &Candidate, gathered: &Gathered) -> Self {
        let defined = gathered.definitions.iter().find(|definition| definition.path == candidate.path);
        let best = match (defined, gathered.passages_of(&candidate.path).next()) {
            (Some(definition), _) => {
                let symbol = &definition.symbol;
                Some((symbol.lines, format!("{} {}", symbol.kind.as_str(), symbol.qualified_name)))
            }
            (None, Some(passage)) => Some((passage.lines, described(passage))),
            (None, None) => None,
        };
        Self { path: candidate.path.clone(), best, why: candidate.reasons.join("; "), via: candidate.via.clone() }
    }
}

/// What a passage is, in words.
fn described(passage: &Passage) -> String {
    let symbol = &passage.symbol;
    let part = if passage.is_whole() || symbol.kind == SymbolKind::Section { "" } else { "part of " };
    format!("{part}{} {}", symbol.kind.as_str(), symbol.qualified_name)
}

/// The body of a symbol, or the part of one.
pub(crate) struct Body {
    pub title: String,
    pub language: &'static str,
    pub sheet: Sheet,
    /// What opens the whole symbol.
    pub id: String,
}

fn outlines(access: &CodeAccess, gathered: &Gathered) -> Vec<Sheet> {
    let best = gathered.candidates.iter().filter(|candidate| candidate.via != Via::Links(Vec::new()));
    best.take(OUTLINES)
        .filter_map(|candidate| {
            let about: Vec<Lines> = gathered.passages_of(&candidate.path).map(|passage| passage.lines).collect();
            outline_sheet_about(access, &candidate.path, OUTLINE_CHARS, &about).ok()
        })
        .collect()
}

/// The bodies: what the question names first, then the best passage of each of the best files, then the next ones.
fn bodies(access: &CodeAccess, gathered: &Gathered) -> Vec<Body> {
    let mut taken: HashSet<(String, u32)> = HashSet::new();
    let mut bodies: Vec<Body> = Vec::new();
    for definition in &gathered.definitions {
        let symbol = &definition.symbol;
        if bodies.len() >= BODIES / 2 || !taken.insert((definition.path.clone(), symbol.lines.first)) {
            continue;
        }
        if let Ok(sheet) = symbol_sheet(access, &definition.path, &symbol.address(), BODY_CHARS) {
            let title = format!("{} {}", symbol.kind.as_str(), symbol.qualified_name);
            bodies.push(Body { title, language: language_of(&definition.path), sheet, id: definition.id() });
        }
    }
    let worth = |passage: &&Passage| passage.score >= WORTH_SHOWING;
    let mut order: Vec<(usize, usize, &Passage)> = Vec::new();
    for (rank, candidate) in gathered.candidates.iter().enumerate() {
        let own = gathered.passages_of(&candidate.path).filter(worth).take(BODIES_OF_FILE).enumerate();
        // The second of the best file comes before the first of the fourth.
        order.extend(own.map(|(place, passage)| (rank + place * 3, place, passage)));
    }
    order.sort_by_key(|(turn, place, _)| (*turn, *place));
    for (_, _, passage) in order {
        if bodies.len() >= BODIES {
            break;
        }
        if !taken.insert((passage.path.clone(), passage.lines.first)) || is_inside(passage, &bodies) {
            continue;
        }
        // The first line of a class says nothing.
        if !passage.is_whole() && passage.lines.count() < MIN_PART_LINES {
            continue;
        }
        let sheet = if passage.is_whole() {
            symbol_sheet(access, &passage.path, &passage.symbol.address(), BODY_CHARS)
        } else {
            lines_sheet(access, &passage.path, passage.lines.first, passage.lines.last, BODY_CHARS)
        };
        if let Ok(sheet) = sheet {
            bodies.push(Body {
                title: described(passage),
                language: language_of(&passage.path),
                sheet,
                id: passage.id(),
            });
        }
    }
    bodies
}

/// Whether the lines of a passage are shown already.
fn is_inside(passage: &Passage, bodies: &[Body]) -> bool {
    bodies.iter().flat_map(|body| &body.sheet.references).any(|shown| {
        shown.path == passage.path && shown.line_start <= passage.lines.first && passage.lines.last <= shown.line_end
    })
}

/// The word behind a fence.
fn language_of(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    language::of_name(name).map_or("", |language| language.name)
}

/// What the evidence of the ranking says, in sentences.
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

/// Text that no model and no reader takes for a heading or a row.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '`', '|']) {
        Cow::Owned(crate::markdown::one_line(text).replace('`', "'").replace('|', "/"))
    } else {
        Cow::Borrowed(text)
    }
}
