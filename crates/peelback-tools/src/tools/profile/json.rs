//! A profile as JSON: what it gives up step by step, and the choice of the richest form that fits the budget.

use peelback_code::syntax::stack::run_with_stack_for_bounded_recursion;
use peelback_code::syntax::walk_symbols_with_depth;
use peelback_code::{AnalysedFile, Completeness};
use serde::Serialize;

use super::facts::{FileProfile, incomplete_dependents_reasons};
use super::structure::ProfileRows;
use crate::budget::{AnswerTokenBudget, DefaultBudget};
use crate::context::CallContext;
use crate::counts::format_line_range;
use crate::left_out::{LeftOut, add_removal, left_out_json};
use crate::rows::{ExportRow, ImportRow, SymbolRow};
use crate::symbol_detail::DetailLadder;
use crate::view::{Format, OutputOptions, is_default_value};

/// How much content the JSON of a profile has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonContent {
    /// All sections; what is removed is the number of steps in [`REMOVALS`], and then of removals of detail of the symbols.
    Sections { removals: usize },
    /// Only the numbers of lines and symbols, with the call for the rest where it fits.
    Bare { has_call: bool },
}

/// What a profile as JSON gives up, in this order; the details of its symbols in between.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonRemoval {
    Skeleton,
    ImportTexts,
    SymbolDetail(usize),
    Exports,
    Imports,
    Neighbours,
    Symbols,
}

/// The maximum number of reasons why a list of dependents is incomplete.
const MAX_NAMED_REASONS: usize = 5;

/// The most removals of detail of the symbols.
const MAX_DETAIL_REMOVALS: usize = 64;

/// The number of files around the file that remain where not all fit.
const FEW_NEIGHBOURS: usize = 8;

impl JsonRemoval {
    /// All removals, in order.
    fn all() -> Vec<Self> {
        let details = (1..=DetailLadder::REMOVALS_THAT_KEEP_PARAMETERS).map(Self::SymbolDetail);
        let names = (DetailLadder::REMOVALS_THAT_KEEP_PARAMETERS + 1..=MAX_DETAIL_REMOVALS).map(Self::SymbolDetail);
        [Self::Skeleton, Self::ImportTexts]
            .into_iter()
            .chain(details)
            .chain([Self::Exports, Self::Neighbours, Self::Imports])
            .chain(names)
            .chain([Self::Symbols])
            .collect()
    }
}

/// The form of a profile as JSON.
#[derive(Clone, Copy)]
pub(super) struct JsonForm {
    pub(super) content: JsonContent,
    /// Whether symbols that are local to functions are included.
    pub(super) is_full: bool,
    /// Whether the lines of the skeleton have numbers.
    pub(super) is_numbered: bool,
}

impl FileProfile {
    /// The richest form of the profile as JSON that fits the budget of a call. It differs from `most` only in the
    /// content.
    pub(super) fn richest_fitting_json_form(
        &self,
        most: JsonForm,
        context: &CallContext,
        view: &OutputOptions,
    ) -> JsonForm {
        let budget = AnswerTokenBudget::with_default(context, view, DefaultBudget::OF_PROFILE);
        let form = |removals| JsonForm { content: JsonContent::Sections { removals }, ..most };
        let last = JsonRemoval::all().len();
        // Each removal makes the text no longer.
        let (mut low, mut high) = (0, last + 1);
        while low < high {
            let middle = low.midpoint(high);
            if budget.can_hold_text(&self.render_json_in_form(form(middle), context)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if low <= last {
            return form(low);
        }
        let bare = |has_call| JsonForm { content: JsonContent::Bare { has_call }, ..most };
        let fits_with_call = budget.can_hold_text(&self.render_json_in_form(bare(true), context));
        bare(fits_with_call)
    }

    /// The profile as one line of JSON, in the given form.
    pub(super) fn render_json_in_form(&self, form: JsonForm, context: &CallContext) -> String {
        let removals = match form.content {
            JsonContent::Sections { removals } => removals,
            JsonContent::Bare { has_call } => return self.minimal_json(has_call, context),
        };
        let write = || serde_json::to_string(&self.json_value(removals, form, context)).unwrap_or_default();
        let mut out = run_with_stack_for_bounded_recursion(write);
        out.push('\n');
        out
    }

    /// The JSON with only the numbers of lines and symbols, where nothing else fits the budget.
    fn minimal_json(&self, has_call: bool, context: &CallContext) -> String {
        let next = context.follow_up_call_builder();
        let whole_call = next
            .file_profile_call(&self.analysed.file.path)
            .with_argument(OutputOptions::FORMAT, Format::Json.as_str());
        let hint = if has_call { context.format_call(&whole_call) } else { "raise max_tokens".to_owned() };
        let bare = serde_json::json!({
            "line_count": self.analysed.file.line_count(),
            "symbol_count": walk_symbols_with_depth(&self.analysed.facts.symbols).count(),
            "shown": 0,
            // What is shown is not all that there is.
            "completeness": self.analysed.evidence.completeness.max(Completeness::LowerBound).as_str(),
            "hint": hint,
        });
        format!("{bare}\n")
    }

    fn json_value(&self, removals: usize, form: JsonForm, context: &CallContext) -> ProfileJson<'_> {
        let JsonForm { is_full, is_numbered, .. } = form;
        let all_removals = JsonRemoval::all();
        let removed = all_removals.get(..removals).unwrap_or(&all_removals);
        let has = |removal: JsonRemoval| !removed.contains(&removal);
        let detail_removals = removed.iter().filter(|removal| matches!(removal, JsonRemoval::SymbolDetail(_))).count();
        let AnalysedFile { file, language, facts, evidence } = &self.analysed;
        let path = file.path.as_str();
        let mut left_out = Vec::new();
        let mut note = |what, count| add_removal(&mut left_out, LeftOut { what, count });
        if !has(JsonRemoval::Skeleton) {
            note("skeleton", 1);
        }
        // An empty list stays: it costs nothing, and without it a reader would ask for it.
        let symbols = (has(JsonRemoval::Symbols) || facts.symbols.is_empty()).then(|| {
            let ProfileRows { rows, left_out } = self.rows_after_removals(detail_removals, is_full);
            left_out.into_iter().for_each(|LeftOut { what, count }| note(what, count));
            rows
        });
        if symbols.is_none() {
            note("symbols", walk_symbols_with_depth(&facts.symbols).count());
        }
        let mut imports: Option<Vec<ImportRow>> = (has(JsonRemoval::Imports) || facts.imports.is_empty())
            .then(|| facts.imports.iter().map(ImportRow::from).collect());
        match &mut imports {
            None => note("imports", facts.imports.len()),
            Some(imports) if !has(JsonRemoval::ImportTexts) => {
                imports.iter_mut().for_each(|import| import.text.clear());
                note("texts of imports", imports.len());
            }
            Some(_) => {}
        }
        let exports = (has(JsonRemoval::Exports) || facts.exports.is_empty())
            .then(|| facts.exports.iter().map(ExportRow::from).collect());
        if exports.is_none() {
            note("exports", facts.exports.len());
        }
        let relations = self.dependencies_if_imports_followed();
        let max_neighbours = if has(JsonRemoval::Neighbours) { usize::MAX } else { FEW_NEIGHBOURS };
        let outgoing: Option<Vec<&str>> = relations
            .map(|relations| relations.outgoing.iter().map(|end| end.path.as_str()).take(max_neighbours).collect());
        if let Some(relations) = relations {
            note("outgoing", relations.outgoing.len().saturating_sub(max_neighbours));
            note("incoming files", relations.incoming.len().saturating_sub(max_neighbours));
        }
        let has_folded_bodies = self.skeleton.folded > 0;
        let first = facts.symbols.first();
        let lines =
            first.map_or_else(|| "1-40".to_owned(), |symbol| format_line_range(symbol.outer_line, symbol.lines.last));
        ProfileJson {
            evidence: serde_json::json!({
                "completeness": evidence.completeness.as_str(),
                "analysis": evidence.analysis,
                "skipped": evidence.skipped.iter().map(|s| serde_json::json!({"path": s.path, "reason": s.reason})).collect::<Vec<_>>(),
                "notes": evidence.notes,
            }),
            left_out: left_out_json(&left_out),
            metadata: MetadataSection {
                path,
                size_bytes: file.size_bytes,
                line_count: file.line_count(),
                language: language.map(|language| language.name),
                last_modified: self.last_modified_timestamp(),
                tokens: self.raw_tokens,
            },
            structure: StructureSection {
                symbol_count: walk_symbols_with_depth(&facts.symbols).count(),
                skeleton: has(JsonRemoval::Skeleton)
                    .then(|| if is_numbered { self.skeleton.text_with_line_numbers() } else { self.skeleton.text() }),
                symbols,
            },
            dependencies: DependenciesSection {
                import_count: facts.imports.len(),
                export_count: facts.exports.len(),
                imports,
                exports,
                outgoing_count: relations.map(|relations| relations.outgoing.len()),
                outgoing,
                unresolved_count: relations.map_or(0, |relations| relations.unresolved.len()),
            },
            usage: self.dependents_json_section(max_neighbours, context),
            guidance: GuidanceSection {
                body_hidden: has_folded_bodies,
                note: has_folded_bodies
                    .then_some("Bodies are collapsed to { ... }: they exist and are hidden, not empty."),
                read_full_hint: context.format_call(&context.follow_up_call_builder().raw_file_text_call(path)),
                read_fragment_hint: context
                    .format_call(&context.follow_up_call_builder().read_lines_call(path, &lines)),
            },
        }
    }

    fn dependents_json_section(&self, max_files: usize, context: &CallContext) -> UsageSection<'_> {
        let Some(relations) = self.dependencies_if_imports_followed() else {
            return UsageSection { completeness: Completeness::Unknown.as_str(), ..UsageSection::default() };
        };
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        UsageSection {
            incoming_count: Some(relations.incoming.len()),
            incoming_files: Some(relations.incoming.iter().take(max_files).map(|end| end.path.as_str()).collect()),
            completeness: relations.evidence.completeness.as_str(),
            reasons: incomplete_dependents_reasons(relations).take(MAX_NAMED_REASONS).collect(),
            hint: (relations.is_search_unfinished && !is_whole || relations.incoming.len() > max_files)
                .then(|| context.format_call(&self.dependents_call(context))),
            is_per_package: self.is_in_language_of_packages(),
        }
    }
}

#[derive(Serialize)]
struct ProfileJson<'a> {
    evidence: serde_json::Value,
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    left_out: serde_json::Map<String, serde_json::Value>,
    metadata: MetadataSection<'a>,
    structure: StructureSection,
    dependencies: DependenciesSection<'a>,
    usage: UsageSection<'a>,
    guidance: GuidanceSection,
}

#[derive(Serialize)]
struct MetadataSection<'a> {
    path: &'a str,
    size_bytes: u64,
    line_count: u32,
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
    tokens: usize,
}

#[derive(Serialize)]
struct StructureSection {
    symbol_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    skeleton: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<Vec<SymbolRow>>,
}

#[derive(Serialize)]
struct DependenciesSection<'a> {
    import_count: usize,
    export_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    imports: Option<Vec<ImportRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exports: Option<Vec<ExportRow>>,
    /// Number of project files that the file depends on; absent where imports of its language are not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "is_default_value")]
    unresolved_count: usize,
}

#[derive(Serialize, Default)]
struct UsageSection<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    incoming_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incoming_files: Option<Vec<&'a str>>,
    completeness: &'static str,
    /// The reasons why the number of dependents is only a lower bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Whether the files use the whole package of the file.
    #[serde(skip_serializing_if = "is_default_value")]
    is_per_package: bool,
}

#[derive(Serialize)]
struct GuidanceSection {
    body_hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    read_full_hint: String,
    read_fragment_hint: String,
}
