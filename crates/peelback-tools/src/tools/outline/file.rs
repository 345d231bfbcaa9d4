//! The outline of one file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::Analysed;
use peelback_code::syntax::{SymbolKind, walk_symbols};
use peelback_tokens::LineCosts;
use serde::Serialize;

use super::listed::{is_listed, symbol_rows};
use super::parameters::Parameters;
use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, grouped};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::Page;
use crate::parameter_name::parameter_name;
use crate::reply::{Closeness, Place, Reply};
use crate::rows::{ExportRow, ImportRow, SymbolRow, symbol_id};
use crate::view::is_default;

/// The most top-level symbols of one file at detail level `exploring`.
const SYMBOL_CAP: usize = 100;

/// The reply with the outline of one file.
pub(super) fn file_reply(
    context: &CallContext,
    analysed: &Analysed,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: Call,
) -> Reply {
    let view = &parameters.view;
    let costs = LineCosts::new(&analysed.file.text);
    let depth = parameters.depth.unwrap_or(usize::MAX);
    let all = symbol_rows(&analysed.file.path, analysed.facts.symbols.clone(), kind, depth, view.is_full(), &costs);
    let shown: usize = all.iter().map(SymbolRow::count).sum();
    // With a requested kind, only the listed symbols count. Otherwise all symbols count, including those deeper than
    // the requested depth.
    let symbols = if kind.is_some() { shown } else { walk_symbols(&analysed.facts.symbols).count() };
    let total = all.len();
    let path = analysed.file.path.as_str();
    let first_body = walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol).find(|symbol| match kind {
        Some(kind) => symbol.kind == kind,
        None => symbol.kind.is_callable(),
    });
    let guidance = match first_body {
        Some(symbol) => Some(Guidance::hint("a body: ", context.next().body(&symbol_id(path, symbol)))),
        None if total == 0 => Some(Guidance::hint("no symbols to show; the file: ", context.next().profile(path))),
        None => None,
    };
    let by_kind = most_common_kind(analysed, depth, view.is_full())
        .filter(|_| kind.is_none())
        .map(|(kind, _)| call.clone().with(parameter_name!(Parameters, kind), kind));
    let imports = analysed.facts.imports.iter().map(ImportRow::from).collect();
    let (page, mut plan) = OutputGuard::new(view, SYMBOL_CAP).cap_items(all, total, "top-level symbols");
    let common = most_common_kind(analysed, depth, view.is_full()).filter(|_| kind.is_none());
    if let Some((kind, count)) = common {
        plan = plan
            .narrowed(call.clone().with(parameter_name!(Parameters, kind), kind), counted(count, "symbol", "symbols"));
    }
    let plan = plan.paged(call);
    let head = Head {
        path: path.to_owned(),
        language: analysed.language.map(|language| language.name),
        line_count: analysed.file.line_count(),
        size_bytes: analysed.file.size_bytes,
        tokens: costs.tokens_in_lines(1, analysed.file.line_count()),
        symbol_count: symbols,
        local_symbols_left_out: if depth == usize::MAX && kind.is_none() { symbols - shown } else { 0 },
    };
    let exports = analysed.facts.exports.iter().map(ExportRow::from).collect();
    let body = Body { imports, exports, symbols: page };
    let payload = FileOutline { head, body, stage: Stage::Docs, by_kind };
    Answer { payload, plan, evidence: analysed.evidence.clone(), guidance, empty: false }.finish(context, view)
}

/// The most frequent kind among the symbols that a listing by kind would show.
fn most_common_kind(analysed: &Analysed, depth: usize, full: bool) -> Option<(&'static str, usize)> {
    let mut counts = BTreeMap::new();
    let listed = walk_symbols(&analysed.facts.symbols).filter(|(_, level)| *level < depth);
    for (symbol, _) in listed.filter(|(symbol, _)| is_listed(symbol, None, full)) {
        *counts.entry(symbol.kind.as_str()).or_insert(0usize) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
struct Head {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    size_bytes: u64,
    tokens: usize,
    symbol_count: usize,
    #[serde(skip_serializing_if = "is_default")]
    local_symbols_left_out: usize,
}

#[derive(Serialize)]
struct Body {
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    symbols: Vec<SymbolRow>,
}

/// How far an outline is degraded, from full detail to top-level symbols only.
#[derive(Clone, Copy)]
enum Stage {
    Docs,
    Signatures,
    Names,
    TopLevel,
}

struct FileOutline {
    head: Head,
    body: Body,
    stage: Stage,
    /// A call that lists the nested symbols of the most frequent kind, one per row.
    by_kind: Option<Call>,
}

impl Payload for FileOutline {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { path, language, line_count, tokens, symbol_count, local_symbols_left_out, .. } = &self.head;
        let local = match local_symbols_left_out {
            0 => String::new(),
            local => format!(" ({local} local to functions: detail_level full)"),
        };
        format!(
            "{path}: {}, {} lines, ~{tokens} tokens whole; {}{local}",
            language.unwrap_or("no known language"),
            grouped(*line_count),
            counted(*symbol_count, "symbol", "symbols")
        )
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        if !self.body.imports.is_empty() {
            let _ = writeln!(page, "imports: {}", sources(&self.body.imports));
        }
        for row in &self.body.symbols {
            row.write_tree(0, page);
        }
    }

    fn shown(&self) -> usize {
        self.body.symbols.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.symbols.get(index)?;
        Some(format!("{} {}", row.line_range(), if row.signature.is_empty() { &row.name } else { &row.signature }))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let symbols = &mut self.body.symbols;
        let (next, what) = match self.stage {
            Stage::Docs => {
                symbols.iter_mut().for_each(SymbolRow::without_docs);
                (Stage::Signatures, "documentation")
            }
            Stage::Signatures => {
                symbols.iter_mut().for_each(SymbolRow::keep_names);
                self.body.exports.clear();
                (Stage::Names, "signatures, decorators and exports")
            }
            Stage::Names => {
                symbols.iter_mut().for_each(SymbolRow::without_members);
                self.body.imports.clear();
                (Stage::TopLevel, "members and imports")
            }
            // The deepest level is removed first, so that one large container does not hide all of its children.
            Stage::TopLevel => {
                let depth = symbols.iter().map(SymbolRow::depth).max().unwrap_or(1);
                if depth < 2 {
                    return None;
                }
                symbols.iter_mut().for_each(|row| row.truncate_depth(depth - 1));
                if depth > 2 { (Stage::TopLevel, "deeply nested symbols") } else { (Stage::TopLevel, "nested symbols") }
            }
        };
        self.stage = next;
        Some(what)
    }

    fn truncate(&mut self, rows: usize) {
        self.body.symbols.truncate(rows);
    }

    fn detail_call(&self) -> Option<Call> {
        self.by_kind.clone()
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::file(&self.head.path, Closeness::Outlined)]
    }
}

/// The sources of imports without duplicates, each with the imported names.
fn sources(imports: &[ImportRow]) -> String {
    let mut out: Vec<String> = Vec::new();
    for import in imports {
        let names = if import.names.is_empty() || import.names == [import.source.as_str()] {
            String::new()
        } else {
            format!(" ({})", import.names.join(", "))
        };
        out.push(format!("{}{names}", import.source));
    }
    out.dedup();
    out.join("; ")
}
