//! A profile as JSON: the forms with less and less content, and the choice of the richest form that fits the budget.

use peelback_code::syntax::stack::run_with_stack_for_bounded_recursion;
use peelback_code::syntax::walk_symbols_with_depth;
use peelback_code::{AnalysedFile, Completeness};
use serde::Serialize;

use super::facts::{FileProfile, MAX_NAMED_DEPENDENTS, incomplete_dependents_reasons};
use crate::budget::AnswerTokenBudget;
use crate::context::CallContext;
use crate::counts::format_line_range;
use crate::rows::{ExportRow, ImportRow, SymbolRow};
use crate::view::{OutputOptions, is_default_value};

/// How much content the JSON of a profile has, from everything to only counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JsonStage {
    Whole,
    NoSkeleton,
    Names,
    Counts,
    /// Only the numbers of lines and symbols.
    Bare,
}

/// The form of a profile as JSON.
#[derive(Clone, Copy)]
pub(super) struct JsonForm {
    pub(super) stage: JsonStage,
    /// Whether symbols that are local to functions are included.
    pub(super) is_full: bool,
    /// Whether the lines of the skeleton have numbers.
    pub(super) is_numbered: bool,
}

impl FileProfile {
    /// The richest form of the profile as JSON that fits the budget of a call. It differs from `most` only in the
    /// stage.
    pub(super) fn richest_fitting_json_form(
        &self,
        most: JsonForm,
        context: &CallContext,
        view: &OutputOptions,
    ) -> JsonForm {
        let budget = AnswerTokenBudget::new(context, view);
        let stages = [JsonStage::Whole, JsonStage::NoSkeleton, JsonStage::Names, JsonStage::Counts];
        let mut forms = stages.into_iter().map(|stage| JsonForm { stage, ..most });
        let fitting = forms.find(|form| budget.can_hold_text(&self.render_json_in_form(*form, context)));
        fitting.unwrap_or(JsonForm { stage: JsonStage::Bare, ..most })
    }

    /// The profile as one line of JSON, in the given form.
    pub(super) fn render_json_in_form(&self, form: JsonForm, context: &CallContext) -> String {
        if form.stage == JsonStage::Bare {
            return self.minimal_json();
        }
        let write = || serde_json::to_string(&self.json_value(form, context)).unwrap_or_default();
        let mut out = run_with_stack_for_bounded_recursion(write);
        out.push('\n');
        out
    }

    /// The JSON with only the numbers of lines and symbols, where nothing else fits the budget.
    fn minimal_json(&self) -> String {
        let bare = serde_json::json!({
            "line_count": self.analysed.file.line_count(),
            "symbol_count": walk_symbols_with_depth(&self.analysed.facts.symbols).count(),
            "completeness": self.analysed.evidence.completeness.as_str(),
            "hint": "raise max_tokens",
        });
        format!("{bare}\n")
    }

    fn json_value(&self, form: JsonForm, context: &CallContext) -> ProfileJson<'_> {
        let JsonForm { stage, is_full, is_numbered } = form;
        let AnalysedFile { file, language, facts, evidence } = &self.analysed;
        let path = file.path.as_str();
        let mut symbols = if stage == JsonStage::Counts {
            Vec::new()
        } else {
            SymbolRow::build_row_trees_of_kept_symbols(
                path,
                facts.symbols.clone(),
                &self.costs,
                usize::MAX,
                &|symbol| is_full || !symbol.local,
            )
        };
        if stage == JsonStage::Names {
            symbols.iter_mut().for_each(SymbolRow::keep_only_names_and_lines);
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
            left_out: match stage {
                JsonStage::Whole => Vec::new(),
                JsonStage::NoSkeleton => vec!["skeleton"],
                JsonStage::Names => vec!["skeleton", "signatures", "imports", "exports"],
                JsonStage::Counts | JsonStage::Bare => vec!["skeleton", "symbols", "imports", "exports"],
            },
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
                skeleton: (stage == JsonStage::Whole)
                    .then(|| if is_numbered { self.skeleton.text_with_line_numbers() } else { self.skeleton.text() }),
                symbols,
            },
            dependencies: DependenciesSection {
                import_count: facts.imports.len(),
                export_count: facts.exports.len(),
                imports: if stage <= JsonStage::NoSkeleton {
                    facts.imports.iter().map(ImportRow::from).collect()
                } else {
                    Vec::new()
                },
                exports: if stage <= JsonStage::NoSkeleton {
                    facts.exports.iter().map(ExportRow::from).collect()
                } else {
                    Vec::new()
                },
                outgoing_count: self.dependencies_if_imports_followed().map(|relations| relations.outgoing.len()),
                outgoing: match self.dependencies_if_imports_followed() {
                    Some(relations) if stage < JsonStage::Counts => {
                        relations.outgoing.iter().map(|end| end.path.as_str()).collect()
                    }
                    _ => Vec::new(),
                },
                unresolved_count: self
                    .dependencies_if_imports_followed()
                    .map_or(0, |relations| relations.unresolved.len()),
            },
            usage: self.dependents_json_section(context),
            guidance: GuidanceSection {
                body_hidden: has_folded_bodies,
                note: has_folded_bodies
                    .then_some("Bodies are collapsed to { ... }: they exist and are hidden, not empty."),
                read_full_hint: context
                    .format_call_as_command(&context.follow_up_call_builder().raw_file_text_call(path)),
                read_fragment_hint: context
                    .format_call_as_command(&context.follow_up_call_builder().read_lines_call(path, &lines)),
            },
        }
    }

    fn dependents_json_section(&self, context: &CallContext) -> UsageSection<'_> {
        let Some(relations) = self.dependencies_if_imports_followed() else {
            return UsageSection { completeness: Completeness::Unknown.as_str(), ..UsageSection::default() };
        };
        let is_whole = relations.evidence.completeness == Completeness::Complete;
        UsageSection {
            incoming_count: Some(relations.incoming.len()),
            incoming_files: relations.incoming.iter().take(MAX_NAMED_DEPENDENTS).map(|end| end.path.as_str()).collect(),
            completeness: relations.evidence.completeness.as_str(),
            reasons: incomplete_dependents_reasons(relations).take(MAX_NAMED_DEPENDENTS).collect(),
            hint: (!is_whole || relations.incoming.len() > MAX_NAMED_DEPENDENTS)
                .then(|| context.format_call_as_command(&self.dependents_call(context))),
        }
    }
}

#[derive(Serialize)]
struct ProfileJson<'a> {
    evidence: serde_json::Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<&'static str>,
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
    symbols: Vec<SymbolRow>,
}

#[derive(Serialize)]
struct DependenciesSection<'a> {
    import_count: usize,
    export_count: usize,
    imports: Vec<ImportRow>,
    exports: Vec<ExportRow>,
    /// Number of project files that the file depends on; absent where imports of its language are not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing_count: Option<usize>,
    outgoing: Vec<&'a str>,
    #[serde(skip_serializing_if = "is_default_value")]
    unresolved_count: usize,
}

#[derive(Serialize, Default)]
struct UsageSection<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    incoming_count: Option<usize>,
    incoming_files: Vec<&'a str>,
    completeness: &'static str,
    /// The reasons why the number of dependents is only a lower bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
struct GuidanceSection {
    body_hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    read_full_hint: String,
    read_fragment_hint: String,
}
