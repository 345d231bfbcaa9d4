//! The tool `search_tools`: the documentation of tools.

use std::fmt::Write as _;
use std::marker::PhantomData;

use peelback_code::{CodeAccess, Evidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::counted;
use crate::docs::DocumentationMode;
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::Page;
use crate::parameter_name::parameter_name;
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{AnyTool, Need, Tool, ToolList};
use crate::view::View;

/// The most tools that an answer documents at detail level `exploring`.
const CAP: usize = 5;

/// Docs of tools.
///
/// A tool's name, or another that it answers to, gives that tool; words give the tools whose docs hold them, best
/// first. Without a query, every tool. Use it before a call whose parameters you are not sure of.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// A tool's name, or words: what you want to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// How much of the docs: full by default.
    #[serde(default = "full", skip_serializing_if = "is_full")]
    pub tier: DocumentationMode,
    #[serde(flatten)]
    pub view: View,
}

fn full() -> DocumentationMode {
    DocumentationMode::Full
}

fn is_full(tier: &DocumentationMode) -> bool {
    *tier == DocumentationMode::Full
}

/// The tool that documents the tools of `L`. The list is a parameter of the type because the tool is in the list itself.
pub struct SearchTools<L>(PhantomData<L>);

impl<L: ToolList> Tool for SearchTools<L> {
    type Parameters = Parameters;

    const NAME: &'static str = "search_tools";
    const ALIASES: &'static [&'static str] = &["tool_docs", "help_tool"];
    const POSITIONAL: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "query"), ("tool", "query"), ("tool_name", "query"), ("keywords", "query"), ("mode", "tier")];
    const EXAMPLES: &'static [&'static str] =
        &["search_tools --query grep", "search_tools --query 'body of a function' --tier progressive"];
    const RESULT: ResultKind = ResultKind::Docs;
    const SUBJECT: &'static [&'static str] = &["query"];
    const AGENT_TOKENS: usize = 600;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        let view = &parameters.view;
        let query = parameters.query.as_deref().unwrap_or("").trim();
        let mut found = matching::<L>(query);
        found.retain(|tool| is_offered(access, tool));
        let total = found.len();
        let guidance = (total == 0).then(|| {
            let every = call
                .clone()
                .without(parameter_name!(Parameters, query))
                .with(parameter_name!(Parameters, tier), DocumentationMode::Minimal.as_str());
            Guidance::hint("every tool in one line: ", every)
        });
        // Without a query, the caller wants the whole list of tools.
        let cap = if query.is_empty() { L::tools().len() } else { CAP };
        let (tools, plan) = OutputGuard::new(view, cap).cap_items(found, total, "tools");
        let shorter = call.clone().with(parameter_name!(Parameters, tier), DocumentationMode::Minimal.as_str());
        let plan = match parameters.tier {
            DocumentationMode::Minimal => plan,
            _ => plan.narrowed(shorter, counted(total, "tool", "tools") + " in a line or two each"),
        };
        let tools = tools.into_iter().map(|tool| Row::new(tool, parameters.tier)).collect();
        let head = Head { query: query.to_owned() };
        let payload = Docs { head, total, body: Body { tools } };
        let evidence = Evidence::complete("tools");
        Ok(Answer { payload, plan: plan.paged(call), evidence, guidance, empty: total == 0 }.finish(context, view))
    }
}

/// Whether the caller can use the tool: a tool that needs a document generator is not listed where none is configured.
fn is_offered(access: &CodeAccess, tool: &AnyTool) -> bool {
    !tool.needs(Need::DocumentGenerator) || access.document_generator().is_some() || !access.project().is_at_root()
}

/// The tools that match a query, the best first: the tool with that name, or else a search for the query's words.
fn matching<L: ToolList>(query: &str) -> Vec<&'static AnyTool> {
    if query.is_empty() {
        return L::tools().iter().collect();
    }
    if let Some(tool) = L::tool_named(&query.to_lowercase()) {
        return vec![tool];
    }
    let words: Vec<String> =
        query.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 2).map(stem).collect();
    let mut scored: Vec<(usize, &'static AnyTool)> = L::tools()
        .iter()
        .map(|tool| (words.iter().map(|word| score(tool, word)).sum(), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    // The sort is stable: tools with equal scores stay in the order in which an exploration typically uses them.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

/// A word without a plural ending, so that `symbols` and `symbol` match.
fn stem(word: &str) -> String {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned()
}

/// The score of one query word for a tool: highest for a match in the tool's name, lower for a match further down in
/// the documentation.
fn score(tool: &AnyTool, word: &str) -> usize {
    let has = |text: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|own| !own.is_empty() && stem(own) == word)
    };
    let in_name = std::iter::once(&tool.name).chain(tool.aliases).any(|name| has(name));
    let in_summary = has(tool.summary());
    let in_description = has(tool.description());
    // Parameters that all tools have are ignored, since they do not distinguish tools.
    let own = tool.parameters().iter().filter(|parameter| !View::NAMES.contains(&parameter.name.as_str()));
    let in_parameters = own.into_iter().any(|parameter| has(&parameter.name) || has(&parameter.description));
    usize::from(in_name) * 8
        + usize::from(in_summary) * 4
        + usize::from(in_description) * 2
        + usize::from(in_parameters)
}

#[derive(Serialize)]
struct Head {
    query: String,
}

#[derive(Serialize)]
struct Body {
    tools: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    summary: &'static str,
    tier: &'static str,
    documentation: String,
    #[serde(skip)]
    mode: DocumentationMode,
    #[serde(skip)]
    tool: &'static AnyTool,
}

impl Row {
    fn new(tool: &'static AnyTool, mode: DocumentationMode) -> Self {
        let documentation = tool.documentation(mode);
        Self { name: tool.name, summary: tool.summary(), tier: mode.as_str(), documentation, mode, tool }
    }
}

struct Docs {
    head: Head,
    total: usize,
    body: Body,
}

impl Payload for Docs {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let meant = if self.head.query.is_empty() { String::new() } else { format!(" for {:?}", self.head.query) };
        format!("{}{meant}", counted(self.total, "tool", "tools"))
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        for (index, row) in self.body.tools.iter().enumerate() {
            if index > 0 && row.mode != DocumentationMode::Minimal {
                page.push('\n');
            }
            let _ = write!(page, "{}", row.documentation);
        }
    }

    fn shown(&self) -> usize {
        self.body.tools.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.tools.get(index)?;
        Some(format!("{}  {}", row.name, row.summary))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let mode = self.body.tools.iter().map(|row| row.mode).max()?;
        let (shorter, what) = match mode {
            DocumentationMode::Full => (DocumentationMode::Progressive, "examples and long descriptions"),
            DocumentationMode::Progressive => (DocumentationMode::Minimal, "optional parameters"),
            DocumentationMode::Minimal => return None,
        };
        self.body.tools.iter_mut().for_each(|row| *row = Row::new(row.tool, shorter));
        Some(what)
    }

    fn truncate(&mut self, rows: usize) {
        self.body.tools.truncate(rows);
    }
}
