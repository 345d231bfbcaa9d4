//! The tool `search_tools`: the documentation of tools.

use std::fmt::Write as _;
use std::marker::PhantomData;

use peelback_code::{CodeAccess, Evidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::documentation::{DocumentationMode, describe_shared_parameters};
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::MarkedText;
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{AnyTool, ExplorationStep, RequiredService, Tool, ToolGuide, ToolList};
use crate::view::OutputOptions;

/// The maximum number of tools that an answer documents at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 5;

/// Docs of tools.
///
/// A tool's name, or another that it answers to, gives that tool; words give the tools whose docs hold them, best
/// first. Without a query, every tool. Use it before a call whose parameters you are not sure of.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Tool name, or words describing a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Length of the docs; default: full.
    #[serde(default = "default_documentation_tier", skip_serializing_if = "is_default_documentation_tier")]
    pub tier: DocumentationMode,
    #[serde(flatten)]
    pub view: OutputOptions,
}

fn default_documentation_tier() -> DocumentationMode {
    DocumentationMode::Full
}

fn is_default_documentation_tier(tier: &DocumentationMode) -> bool {
    *tier == DocumentationMode::Full
}

/// The tool that documents the tools of the list `L`. The list is a parameter of the type because the tool is in the
/// list itself.
pub struct SearchTools<L>(PhantomData<L>);

impl<L: ToolList> Tool for SearchTools<L> {
    type Parameters = Parameters;

    const NAME: &'static str = "search_tools";
    const ALIASES: &'static [&'static str] = &["tool_docs", "help_tool"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "query"), ("tool", "query"), ("tool_name", "query"), ("keywords", "query"), ("mode", "tier")];
    const EXAMPLES: &'static [&'static str] =
        &["search_tools --query grep", "search_tools --query 'body of a function' --tier progressive"];
    const GUIDE: ToolGuide =
        ToolGuide { step: ExplorationStep::Documentation, phrase: "gives the full docs of a tool", cost_ranks: &[] };
    const RESULT_KIND: ResultKind = ResultKind::Docs;
    const LABEL_PARAMETERS: &'static [&'static str] = &["query"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        let query = parameters.query.as_deref().unwrap_or("").trim();
        let mut found = tools_matching_query::<L>(query);
        found.retain(|tool| is_tool_available(access, tool));
        let total = found.len();
        let guidance = (total == 0).then(|| {
            let all_tools_call = call
                .clone()
                .without_argument(parameter_name!(Parameters, query))
                .with_argument(parameter_name!(Parameters, tier), DocumentationMode::Minimal.as_str());
            Guidance::hint_with_call("every tool in one line: ", all_tools_call)
        });
        // Without a query, the caller wants the whole list of tools.
        let cap = if query.is_empty() { L::tools().len() } else { MAX_EXPLORING_ROWS };
        let (tools, plan) = PageLimiter::new(view, cap).page_rows_and_plan(found, total, "tools");
        let shorter =
            call.clone().with_argument(parameter_name!(Parameters, tier), DocumentationMode::Minimal.as_str());
        let plan = match parameters.tier {
            DocumentationMode::Minimal => plan,
            _ => {
                plan.with_other_call(shorter, format_count_with_noun(total, "tool", "tools") + " in a line or two each")
            }
        };
        let tools = tools.into_iter().map(|tool| ToolRow::new(tool, parameters.tier)).collect();
        let head = ScalarFields { query: query.to_owned() };
        let shared_parameters = describe_shared_parameters(L::tools(), &[]);
        let payload = ToolDocsPayload { head, total, body: NestedFields { tools }, shared_parameters };
        let evidence = Evidence::new_complete("tools");
        Ok(Answer { payload, plan: plan.with_original_call_for_paging(call), evidence, guidance, is_empty: total == 0 }
            .into_reply(context, view))
    }
}

/// Whether the caller can use the tool: a tool that needs a document generator is not listed where none is configured.
fn is_tool_available(access: &CodeAccess, tool: &AnyTool) -> bool {
    !tool.requires_service(RequiredService::DocumentGenerator)
        || access.document_generator().is_some()
        || !access.project().has_no_working_folder()
}

/// The tools that match a query, the best first: the tool with that name, or else a search for the query's words.
fn tools_matching_query<L: ToolList>(query: &str) -> Vec<&'static AnyTool> {
    if query.is_empty() {
        return L::tools().iter().collect();
    }
    if let Some(tool) = L::tool_by_name_or_alias(&query.to_lowercase()) {
        return vec![tool];
    }
    let words: Vec<String> = query
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| w.len() > 2)
        .map(strip_plural_ending)
        .collect();
    let mut scored: Vec<(usize, &'static AnyTool)> = L::tools()
        .iter()
        .map(|tool| (words.iter().map(|word| score_tool_for_word(tool, word)).sum(), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    // The sort is stable: tools with equal scores stay in the order in which an exploration typically uses them.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

/// A lower-case word without the plural ending `s`, so that `symbols` and `symbol` match.
fn strip_plural_ending(word: &str) -> String {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned()
}

/// The score of one query word for a tool: highest for a match in the tool's name, lower for a match further down in
/// the documentation.
fn score_tool_for_word(tool: &AnyTool, word: &str) -> usize {
    let has_word = |text: &str| {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .any(|own| !own.is_empty() && strip_plural_ending(own) == word)
    };
    let in_name = std::iter::once(&tool.name).chain(tool.aliases).any(|name| has_word(name));
    let in_summary = has_word(tool.summary());
    let in_description = has_word(tool.description());
    // Parameters that all tools have are ignored, since they do not distinguish tools.
    let own_parameters = tool.parameters().iter().filter(|parameter| !parameter.is_shared_by_all_tools());
    let in_parameters =
        own_parameters.into_iter().any(|parameter| has_word(&parameter.name) || has_word(&parameter.description));
    usize::from(in_name) * 8
        + usize::from(in_summary) * 4
        + usize::from(in_description) * 2
        + usize::from(in_parameters)
}

#[derive(Serialize)]
struct ScalarFields {
    query: String,
}

#[derive(Serialize)]
struct NestedFields {
    tools: Vec<ToolRow>,
}

#[derive(Serialize)]
struct ToolRow {
    name: &'static str,
    summary: &'static str,
    tier: &'static str,
    documentation: String,
    #[serde(skip)]
    mode: DocumentationMode,
    #[serde(skip)]
    tool: &'static AnyTool,
}

impl ToolRow {
    fn new(tool: &'static AnyTool, mode: DocumentationMode) -> Self {
        let documentation = tool.documentation_text(mode);
        Self { name: tool.name, summary: tool.summary(), tier: mode.as_str(), documentation, mode, tool }
    }
}

struct ToolDocsPayload {
    head: ScalarFields,
    total: usize,
    body: NestedFields,
    /// The parameters that all tools have, which the docs of the progressive tier leave out.
    shared_parameters: String,
}

impl AnswerPayload for ToolDocsPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let meant = if self.head.query.is_empty() { String::new() } else { format!(" for {:?}", self.head.query) };
        format!("{}{meant}", format_count_with_noun(self.total, "tool", "tools"))
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for (index, row) in self.body.tools.iter().enumerate() {
            if index > 0 && row.mode != DocumentationMode::Minimal {
                page.push('\n');
            }
            let _ = write!(page, "{}", row.documentation);
        }
        if self.body.tools.iter().any(|row| row.mode == DocumentationMode::Progressive) {
            let _ = writeln!(page, "\nEvery tool also takes: {}.", self.shared_parameters);
        }
    }

    fn row_count(&self) -> usize {
        self.body.tools.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.tools.get(index)?;
        Some(format!("{}  {}", row.name, row.summary))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        let mode = self.body.tools.iter().map(|row| row.mode).max()?;
        let (shorter, what) = match mode {
            DocumentationMode::Full => (DocumentationMode::Progressive, "examples and long descriptions"),
            DocumentationMode::Progressive => (DocumentationMode::Minimal, "optional parameters"),
            DocumentationMode::Minimal => return None,
        };
        self.body.tools.iter_mut().for_each(|row| *row = ToolRow::new(row.tool, shorter));
        Some(LeftOut { what, count: self.body.tools.len() })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.tools.truncate(rows);
    }
}
