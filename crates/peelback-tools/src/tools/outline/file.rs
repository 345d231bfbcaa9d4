//! The outline of one file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use peelback_code::AnalysedFile;
use peelback_code::syntax::{SymbolKind, walk_symbols_with_depth};
use peelback_tokens::{LineCosts, estimate_tokens};
use serde::Serialize;

use super::listed_symbols::{is_symbol_listed_in_outline, rows_of_listed_symbols};
use super::parameters::Parameters;
use crate::answer::{Answer, AnswerPayload};
use crate::budget::DefaultBudget;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::first_body::first_symbol_with_body;
use crate::guidance::Guidance;
use crate::import_list::ImportList;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::MarkedText;
use crate::parameter_name::parameter_name;
use crate::place::PlaceRow;
use crate::reply::{Location, ShownDetail};
use crate::rows::{ExportRow, ImportRow, SymbolRow, symbol_id};
use crate::symbol_detail::DetailLadder;
use crate::view::{Format, is_default_value};

/// The maximum number of top-level symbols of one file in an answer at detail level `exploring`. The budget ends most answers
/// before.
const MAX_EXPLORING_SYMBOLS: usize = 300;

/// The outline of one file.
pub(super) fn file_outline_answer(
    context: &CallContext,
    analysed: &AnalysedFile,
    kind: Option<SymbolKind>,
    parameters: &Parameters,
    call: Call,
) -> Answer<FileOutlinePayload> {
    let view = &parameters.view;
    let costs = LineCosts::new(&analysed.file.text);
    let depth = parameters.depth.unwrap_or(usize::MAX);
    let all = rows_of_listed_symbols(
        &analysed.file,
        analysed.facts.symbols.clone(),
        kind,
        depth,
        view.is_full_detail(),
        &costs,
    );
    let shown: usize = all.iter().map(SymbolRow::count_rows_in_tree).sum();
    // With a requested kind, the symbol count covers only the listed symbols. Otherwise it covers all symbols,
    // including those deeper than the requested depth.
    let symbols = if kind.is_some() { shown } else { walk_symbols_with_depth(&analysed.facts.symbols).count() };
    let total = all.len();
    let path = analysed.file.path.as_str();
    let first_body = first_symbol_with_body(&analysed.facts, |symbol| kind.is_none_or(|kind| symbol.kind == kind));
    let guidance = match first_body {
        Some(symbol) => Some(Guidance::hint_with_call(
            "a body: ",
            context.follow_up_call_builder().read_symbol_body_call(&symbol_id(path, symbol)),
        )),
        None if total == 0 => Some(Guidance::hint_with_call(
            "no symbols to show; the file: ",
            context.follow_up_call_builder().file_profile_call(path),
        )),
        None => None,
    };
    let imports: Vec<ImportRow> = analysed.facts.imports.iter().map(ImportRow::from).collect();
    let (page, mut plan) =
        PageLimiter::new(view, MAX_EXPLORING_SYMBOLS).page_rows_and_plan(all, total, "top-level symbols");
    let common = most_common_listed_kind_and_count(analysed, depth, view.is_full_detail()).filter(|_| kind.is_none());
    if let Some((kind, count)) = common {
        plan = plan.with_narrowing_call(
            call.clone().with_argument(parameter_name!(Parameters, kind), kind),
            count,
            ("symbol", "symbols"),
        );
    }
    let plan = plan.with_original_call_for_paging(call);
    let head = ScalarFields {
        path: path.to_owned(),
        language: analysed.language.map(|language| language.name),
        line_count: analysed.file.line_count(),
        size_bytes: analysed.file.size_bytes,
        tokens: costs.estimated_tokens_in_lines(1, analysed.file.line_count()),
        symbol_count: symbols,
        local_symbols_left_out: if depth == usize::MAX && kind.is_none() { symbols - shown } else { 0 },
    };
    let exports = analysed.facts.exports.iter().map(ExportRow::from).collect();
    let import_list = ImportList::new(&imports);
    let body = NestedFields { imports: Some(imports), exports: Some(exports), symbols: page };
    let is_json = view.format == Format::Json;
    let payload = FileOutlinePayload {
        head,
        body,
        import_list,
        is_json,
        ladder: DetailLadder::default(),
        has_members_on_one_line: false,
    };
    Answer { payload, plan, evidence: analysed.evidence.clone(), guidance, is_empty: false }
}

/// The most frequent kind among the symbols that a listing by kind would show, with the number of these symbols.
fn most_common_listed_kind_and_count(
    analysed: &AnalysedFile,
    depth: usize,
    full: bool,
) -> Option<(&'static str, usize)> {
    let mut counts = BTreeMap::new();
    let listed = walk_symbols_with_depth(&analysed.facts.symbols).filter(|(_, level)| *level < depth);
    for (symbol, _) in listed.filter(|(symbol, _)| is_symbol_listed_in_outline(symbol, None, full)) {
        *counts.entry(symbol.kind.as_str()).or_insert(0usize) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
pub(super) struct ScalarFields {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    line_count: u32,
    size_bytes: u64,
    pub tokens: usize,
    symbol_count: usize,
    #[serde(skip_serializing_if = "is_default_value")]
    local_symbols_left_out: usize,
}

#[derive(Serialize)]
pub(super) struct NestedFields {
    /// `None` where the list was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<Vec<ImportRow>>,
    /// `None` where the list was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    exports: Option<Vec<ExportRow>>,
    symbols: Vec<SymbolRow>,
}

/// The list of imports takes at most the reciprocal of this of an answer.
const IMPORTS_SHARE: usize = 10;

/// A list of imports may be so long in any answer, in tokens of four bytes.
const MIN_IMPORT_TOKENS: usize = 20;

pub(super) struct FileOutlinePayload {
    pub head: ScalarFields,
    body: NestedFields,
    import_list: ImportList,
    is_json: bool,
    ladder: DetailLadder,
    /// Whether members stand on the lines of their owners: where names and parameters exceed what details may have.
    has_members_on_one_line: bool,
}

impl AnswerPayload for FileOutlinePayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields { path, language, line_count, tokens, symbol_count, local_symbols_left_out, .. } = &self.head;
        let local = match local_symbols_left_out {
            0 => String::new(),
            local => format!(" ({local} local to functions: detail_level full)"),
        };
        format!(
            "{path}: {}, {}, ~{tokens} tokens whole; {}{local}",
            language.unwrap_or("no known language"),
            format_count_with_noun(*line_count, "line", "lines"),
            format_count_with_noun(*symbol_count, "symbol", "symbols")
        )
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        let mut rows = MarkedText::default();
        for row in &self.body.symbols {
            match self.has_members_on_one_line {
                true => row.write_row_tree_with_members_on_one_line(0, &mut rows),
                false => row.write_row_tree(0, &mut rows),
            }
        }
        let max_tokens = (estimate_tokens(rows.text()) / IMPORTS_SHARE).max(MIN_IMPORT_TOKENS);
        let max_bytes = (rows.text().len() / IMPORTS_SHARE).max(MIN_IMPORT_TOKENS * 4);
        if let Some(imports) = self.import_list.text_within(max_tokens, max_bytes) {
            let _ = writeln!(page, "{imports}");
        }
        page.append(rows);
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        self.body.symbols.iter().flat_map(|row| row.place_rows_of_tree(&self.head.path)).collect()
    }

    fn row_count(&self) -> usize {
        self.body.symbols.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.symbols.get(index)?;
        Some(format!("{} {}", row.line_range_text(), if row.signature.is_empty() { &row.name } else { &row.signature }))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let symbols = &mut self.body.symbols;
        // As text, exports are not listed, and imports are bound to their share.
        if self.is_json {
            if let Some(exports) = self.body.exports.take_if(|exports| !exports.is_empty()) {
                return Some(LeftOut { what: "exports", count: exports.len() });
            }
            if let Some(imports) = self.body.imports.take_if(|imports| !imports.is_empty()) {
                return Some(LeftOut { what: "imports", count: imports.len() });
            }
        }
        self.ladder.remove_next_detail_or_level(symbols)
    }

    fn remove_detail_beyond_names(&mut self) -> Option<LeftOut> {
        self.ladder.remove_next_detail_beyond_parameters(&mut self.body.symbols).or_else(|| {
            let is_new = !self.is_json && !std::mem::replace(&mut self.has_members_on_one_line, true);
            is_new.then_some(LeftOut { what: "last lines of members", count: 0 })
        })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.symbols.truncate(rows);
    }

    fn default_budget(&self) -> DefaultBudget {
        DefaultBudget::of_file_outline(self.head.tokens)
    }

    fn shown_locations(&self) -> Vec<Location> {
        vec![Location::for_whole_file(&self.head.path, ShownDetail::Outlined)]
    }
}
