//! Stored documents: what became of their citations since, and how they are renewed, only where they must be.

use std::sync::Arc;

use peelback_code::CodeAccess;
use peelback_llm::{ChatModel as _, ChatRequest, Message, Metered, Purpose, StopReason, ToolChoice};

use crate::citations::{self, Entry, MARK, Staleness, Verdict};
use crate::document::{CODE_REFERENCES, Document};
use crate::fence::fenced;
use crate::limits;
use crate::prompt;
use crate::scope::{self, ScopeError, ScopeOptions};
use crate::sheet::{lines_sheet, symbol_sheet};

/// What became of a document's citations.
#[derive(Debug, Clone)]
pub struct Stale {
    entries: Vec<(Entry, Staleness)>,
    /// Citations of a document that kept no contents, each with what is wrong with it.
    judged: Vec<(String, Verdict)>,
}

/// A citation and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// As the document has it: `path:a-b`.
    pub citation: String,
    /// `unchanged`, `moved`, `changed`, `gone`; of documents that kept no contents `exists`, `wrong`.
    pub state: &'static str,
    /// Where it is now, or what is wrong.
    pub now: Option<String>,
    /// Whether the document says something that is not so any more.
    pub is_stale: bool,
}

/// What became of each citation of a document, by the contents that its front matter kept. Of a document without such,
/// each citation is checked as if it were new.
pub fn check(document: &Document, access: &CodeAccess) -> Stale {
    if document.front.citations.is_empty() {
        let checked = citations::check(&document.body, access);
        let judged = checked.citations.into_iter().map(|one| (one.citation.address(), one.verdict)).collect();
        return Stale { entries: Vec::new(), judged };
    }
    let became = citations::recheck(document, access);
    Stale { entries: document.front.citations.iter().cloned().zip(became).collect(), judged: Vec::new() }
}

impl Stale {
    /// A row for each citation, in the document's order.
    pub fn rows(&self) -> Vec<Row> {
        let kept = self.entries.iter().map(|(entry, became)| {
            let (state, now) = match became {
                Staleness::Unchanged => ("unchanged", None),
                Staleness::Moved { .. } => ("moved", moved(entry, became).map(|entry| entry.address())),
                Staleness::Changed { symbol_at } => {
                    let at = symbol_at.map(|lines| Entry { lines: Some(lines), ..entry.clone() }.address());
                    ("changed", at)
                }
                Staleness::Gone => ("gone", None),
            };
            Row { citation: entry.address(), state, now, is_stale: *became != Staleness::Unchanged }
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

    /// Whether every citation still says what it said.
    pub fn is_fresh(&self) -> bool {
        self.rows().iter().all(|row| !row.is_stale)
    }
}

/// A document that was renewed.
#[derive(Debug, Clone)]
pub struct Refreshed {
    /// The document.
    pub document: Document,
    /// Whether it differs from the one before.
    pub is_changed: bool,
    /// What was done, a line for each.
    pub done: Vec<String>,
}

/// Renews what is stale in a document and leaves the rest as it is, to the byte.
///
/// Lines that moved are followed. Sections that cite lines that changed or are gone are written anew by the model; without
/// one, a document of evidence is made again, and in others such citations are marked.
///
/// # Errors
/// [`ScopeError`]; the document is then as it was.
pub async fn refresh(
    document: &Document,
    stale: &Stale,
    access: &CodeAccess,
    model: Option<&Arc<Metered>>,
    options: &ScopeOptions,
) -> Result<Refreshed, ScopeError> {
    let access = &options.shown(access);
    if stale.is_fresh() {
        return Ok(Refreshed { document: document.clone(), is_changed: false, done: Vec::new() });
    }
    let mut renewed = document.clone();
    let mut done = Vec::new();
    // Without what was cited, repairs by name are all there is.
    if stale.entries.is_empty() {
        let checked = citations::check(&renewed.body, access);
        let (_, repaired, marked) = checked.counts();
        renewed.body = checked.text.clone();
        scope::cite(&mut renewed, checked.entries());
        done.push(format!("{repaired} citations repaired, {marked} marked"));
        return Ok(dated(renewed, options, done));
    }
    let mut entries = Vec::new();
    let mut outdated = Vec::new();
    for (entry, became) in &stale.entries {
        match became {
            Staleness::Unchanged => entries.push(entry.clone()),
            Staleness::Moved { .. } => match moved(entry, became) {
                Some(now) => {
                    renewed.body = readdressed(&renewed.body, &entry.address(), &now.address());
                    done.push(format!("{} moved to {}", entry.address(), now.address()));
                    entries.push(now);
                }
                None => outdated.push(entry.clone()),
            },
            Staleness::Changed { .. } | Staleness::Gone => outdated.push(entry.clone()),
        }
    }
    if !outdated.is_empty() {
        match model {
            Some(model) => {
                rewrite(&mut renewed, &outdated, access, model, options, &mut done).await?;
            }
            None if document.front.mode.as_deref() == Some("evidence") => {
                let fresh = scope::without_model(access, &document.front.scope_question, options)?;
                done.push(format!("{} citations changed: the evidence was gathered again", outdated.len()));
                return Ok(dated(fresh, options, done));
            }
            None => {
                for entry in &outdated {
                    renewed.body = marked(&renewed.body, &entry.address());
                }
                let what = format!("{} citations changed and were marked", outdated.len());
                done.push(format!("{what}: with a model (--model) their sections are written anew"));
            }
        }
        let checked = citations::check(&renewed.body, access);
        let gone: Vec<String> = outdated.iter().map(Entry::address).collect();
        renewed.body = checked.text.clone();
        let is_marked = |entry: &Entry| model.is_none() && gone.contains(&entry.address());
        entries.extend(checked.entries().into_iter().filter(|entry| !is_marked(entry)));
    }
    scope::cite(&mut renewed, entries);
    Ok(dated(renewed, options, done))
}

/// Writes the sections anew that cite what is outdated.
async fn rewrite(
    document: &mut Document,
    outdated: &[Entry],
    access: &CodeAccess,
    model: &Arc<Metered>,
    options: &ScopeOptions,
    done: &mut Vec<String>,
) -> Result<(), ScopeError> {
    let sections = document.sections();
    let headings: Vec<String> = sections.iter().map(|section| section.heading.clone()).collect();
    for heading in headings.iter().filter(|heading| !heading.eq_ignore_ascii_case(CODE_REFERENCES)) {
        let Some(text) = document.section(heading).map(str::to_owned) else { continue };
        let about: Vec<&Entry> = outdated.iter().filter(|entry| cites(&text, &entry.address())).collect();
        if about.is_empty() {
            continue;
        }
        let now: String = about.iter().map(|entry| format!("{}\n", current(entry, access, options))).collect();
        let request = ChatRequest {
            system: prompt::write(&options.origin.name),
            messages: vec![Message::user(prompt::renewing(&document.front.scope_question, heading, &text, &now))],
            tool_choice: ToolChoice::None,
            max_output_tokens: limits::WRITING_OUTPUT_TOKENS / 2,
            ..ChatRequest::default()
        };
        let asked = model.complete_for(Purpose::LastAnswer, &request, None).await;
        let reply = asked.map_err(|error| ScopeError::Model { error, spent: Box::new(model.spent()) })?;
        let text = reply.message.text.trim();
        let whole = matches!(reply.stop, StopReason::End | StopReason::Other(_)) && !text.is_empty();
        if !whole {
            for entry in about {
                document.body = marked(&document.body, &entry.address());
            }
            done.push(format!("{heading}: the model gave no whole section, so its citations were marked"));
            continue;
        }
        // The model may repeat the heading, or write more than one.
        let body = text.lines().filter(|line| !line.starts_with("## ")).collect::<Vec<_>>().join("\n");
        document.set_section(heading, options.secrets.redact(body.trim()).as_ref());
        done.push(format!("{heading}: written anew"));
    }
    let spent = model.spent();
    let add = |known: Option<u64>, more: u64| Some(known.unwrap_or(0).saturating_add(more));
    document.front.input_tokens = add(document.front.input_tokens, spent.usage.input);
    document.front.output_tokens = add(document.front.output_tokens, spent.usage.output);
    document.front.cost_usd = match (document.front.cost_usd, spent.cost) {
        (Some(before), Some(now)) => Some(before + now),
        _ => None,
    };
    document.front.model_used = model.name().to_owned();
    Ok(())
}

/// What stands now where an entry pointed, fenced.
fn current(entry: &Entry, access: &CodeAccess, options: &ScopeOptions) -> String {
    let most = limits::EXPLORATION_FILE_CHARS;
    let symbol = entry.symbol.as_deref().and_then(|name| symbol_sheet(access, &entry.path, name, most).ok());
    let lines = || {
        let lines = entry.lines?;
        lines_sheet(access, &entry.path, lines.first, lines.last, most).ok()
    };
    match symbol.or_else(lines) {
        Some(sheet) => {
            let label = format!("{}, which the section cites as {}", sheet.path, entry.address());
            fenced(&label, &options.secrets.redact(&sheet.text))
        }
        None => format!("`{}` is not there any more.", entry.address()),
    }
}

/// Where lines that moved are now.
fn moved(entry: &Entry, became: &Staleness) -> Option<Entry> {
    let Staleness::Moved { path, lines } = became else { return None };
    Some(Entry { path: path.clone(), lines: *lines, ..entry.clone() })
}

fn dated(document: Document, options: &ScopeOptions, done: Vec<String>) -> Refreshed {
    let mut document = document;
    document.front.scan_date = options.now.rfc3339();
    if options.origin.commit.is_some() {
        document.front.commit.clone_from(&options.origin.commit);
    }
    Refreshed { document, is_changed: true, done }
}

/// Where an address stands in a text: not inside a longer path or number.
fn places(text: &str, address: &str) -> Vec<usize> {
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.');
    text.match_indices(address)
        .filter(|(at, _)| {
            let before = text.get(..*at).and_then(|before| before.chars().next_back());
            let after = text.get(at + address.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(is_path) && !after.is_some_and(|c| c.is_ascii_digit() || c == '-')
        })
        .map(|(at, _)| at)
        .collect()
}

fn cites(text: &str, address: &str) -> bool {
    !places(text, address).is_empty()
}

/// The text with each place of an address changed by `change`, which is given what follows it.
fn changed(text: &str, address: &str, change: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in places(text, address) {
        out.push_str(text.get(from..at).unwrap_or(""));
        from = at + address.len();
        out.push_str(&change(text.get(from..).unwrap_or("")));
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

fn readdressed(text: &str, from: &str, to: &str) -> String {
    changed(text, from, |_| to.to_owned())
}

/// The text with a mark behind each place of an address, outside of the code span that it stands in.
fn marked(text: &str, address: &str) -> String {
    let mark = format!(" {MARK} changed since this was written");
    let spanned = format!("`{address}`");
    if text.contains(&spanned) {
        return text.replace(&spanned, &format!("{spanned}{mark}"));
    }
    changed(text, address, |after| {
        // A mark that stands there already is enough.
        if after.starts_with(&mark) { address.to_owned() } else { format!("{address}{mark}") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_and_no_longer_ones() {
        let text = "`a.py:1-2`, lib/a.py:1-2, a.py:1-23 and a.py:1-2.";
        assert_eq!(readdressed(text, "a.py:1-2", "a.py:7-8"), "`a.py:7-8`, lib/a.py:1-2, a.py:1-23 and a.py:7-8.");
        assert!(cites(text, "lib/a.py:1-2") && !cites(text, "py:1-2"));
    }
}
