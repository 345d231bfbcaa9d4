//! The tool `tree`: folders and files of the project.

use peelback_code::{CodeAccess, TreeEntry, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Payload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{counted, grouped};
use crate::guard::OutputGuard;
use crate::guidance::Guidance;
use crate::page::{Page, Part};
use crate::parameter_name::parameter_name;
use crate::recover::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::Tool;
use crate::tool_call::call;
use crate::view::{View, is_default};

/// The most entries at detail level `exploring`.
const CAP: usize = 200;

/// Folders and files.
///
/// With line counts. Follows .gitignore and leaves hidden files out. Without `depth`, shows as many levels as fit; folders below that
/// say how many files and lines they hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The folder to map; the whole project by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Levels to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Hidden files too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Ignored files too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct Tree;

impl Tool for Tree {
    type Parameters = Parameters;

    const NAME: &'static str = "tree";
    const ALIASES: &'static [&'static str] = &["get_tree", "ls", "list_files", "list_dir"];
    const POSITIONAL: &'static [&'static str] = &["path"];
    const EXAMPLES: &'static [&'static str] = &["tree", "tree --path src --depth 2"];
    const COLUMNS: bool = true;
    const RESULT: ResultKind = ResultKind::Tree;
    const SUBJECT: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 600;

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::with_parameters(Self::NAME, &parameters);
        let view = &parameters.view;
        let walk = WalkOptions { hidden: parameters.hidden, no_ignore: parameters.no_ignore, ..WalkOptions::default() };
        let (entries, evidence) = access
            .project()
            .tree(parameters.path.as_deref(), &walk, peelback_tokens::estimate_tokens)
            .map_err(|error| RecoverableError::from_code(context, &error, &call, parameter_name!(Parameters, path)))?;
        let files = entries.iter().filter(|entry| !entry.is_folder).count();
        let folders = entries.len() - files;
        let lines = entries.iter().filter(|entry| !entry.is_folder).filter_map(|entry| entry.lines).sum();
        let deepest = entries.iter().map(|entry| entry.depth).max().unwrap_or(0);
        let guard = OutputGuard::new(view, CAP);
        let depth = parameters.depth.unwrap_or_else(|| fitting_depth(&entries, deepest, guard.limit()));
        let level: Vec<&TreeEntry> = entries.iter().filter(|entry| entry.depth <= depth).collect();
        let (rows, plan) = guard.cap_items(level.iter().copied().map(Row::new), level.len(), "entries");
        let mut plan = plan.paged(call.clone().with(parameter_name!(Parameters, depth), depth));
        if depth > 1 {
            let above = entries.iter().filter(|entry| entry.depth < depth).count();
            plan = plan.narrowed(
                call.clone().with(parameter_name!(Parameters, depth), depth - 1),
                counted(above, "entry", "entries"),
            );
        }
        let largest = level.iter().filter(|entry| entry.is_folder && entry.depth == 1).max_by_key(|entry| entry.files);
        if let Some(folder) = largest {
            let inside = call
                .clone()
                .with(parameter_name!(Parameters, path), folder.path.as_str())
                .without(parameter_name!(Parameters, depth));
            plan = plan.narrowed(inside, counted(folder.files, "file", "files"));
        }
        let fullest =
            level.iter().filter(|entry| entry.is_folder && entry.depth == depth).max_by_key(|entry| entry.files);
        let guidance = fullest.filter(|_| depth < deepest).map(|entry| {
            let inside = call!(Tree { path: entry.path.as_str() });
            Guidance::hint(format!("folders of level {depth} are closed; to open one: "), inside)
        });
        let head = Head { path: shown_path(parameters.path.as_deref()), depth, folders, files, lines };
        let empty = files == 0;
        Ok(Answer { payload: Map { head, body: Body { entries: rows } }, plan, evidence, guidance, empty }
            .finish(context, view))
    }
}

fn shown_path(path: Option<&str>) -> String {
    path.filter(|path| !path.is_empty()).unwrap_or(".").to_owned()
}

/// The deepest level (at least 1) down to which the tree has at most `limit` entries.
fn fitting_depth(entries: &[TreeEntry], deepest: usize, limit: usize) -> usize {
    (1..=deepest.max(1))
        .take_while(|depth| entries.iter().filter(|entry| entry.depth <= *depth).count() <= limit)
        .last()
        .unwrap_or(1)
}

#[derive(Serialize)]
struct Head {
    path: String,
    depth: usize,
    folders: usize,
    files: usize,
    lines: u64,
}

#[derive(Serialize)]
struct Body {
    entries: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    is_folder: bool,
    #[serde(skip)]
    depth: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_count: Option<u64>,
    size_bytes: u64,
    /// The token cost of reading the file, or all files of the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl Row {
    fn new(entry: &TreeEntry) -> Self {
        Self {
            path: entry.path.clone(),
            is_folder: entry.is_folder,
            depth: entry.depth,
            files: entry.is_folder.then_some(entry.files),
            language: entry.language,
            line_count: entry.lines,
            size_bytes: entry.size_bytes,
            tokens: entry.weight,
        }
    }
}

impl Row {
    fn write(&self, page: &mut Page) {
        for _ in 1..self.depth {
            page.push_str("  ");
        }
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let slash = if self.is_folder { "/" } else { "" };
        page.part(Part::Cell, |page| page.put(Part::Subject, format_args!("{name}{slash}")));
        if self.is_folder {
            let files = counted(self.files.unwrap_or(0), "file", "files");
            let lines = grouped(self.line_count.unwrap_or(0));
            page.cell(format_args!("{files}, {lines} lines"));
            page.price_cell(self.tokens.unwrap_or(0));
        } else {
            page.cell(self.language.unwrap_or("-"));
            match (self.line_count, self.tokens) {
                (Some(lines), Some(tokens)) => {
                    page.cell(counted(usize::try_from(lines).unwrap_or(usize::MAX), "line", "lines"));
                    page.price_cell(tokens);
                }
                _ => page.cell(format_args!("{} bytes, not text", grouped(self.size_bytes))),
            }
        }
        page.push('\n');
    }
}

struct Map {
    head: Head,
    body: Body,
}

impl Payload for Map {
    type Head = Head;
    type Body<'a> = &'a Body;

    fn verdict(&self) -> String {
        let Head { path, folders, files, lines, depth } = &self.head;
        format!(
            "{path}: {} in {}, {} lines; shown to depth {depth}",
            counted(*files, "file", "files"),
            counted(*folders, "folder", "folders"),
            grouped(*lines)
        )
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self, _: &CallContext) -> &Body {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut Page) {
        for row in &self.body.entries {
            row.write(page);
        }
    }

    fn shown(&self) -> usize {
        self.body.entries.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.entries.get(index)?;
        Some(format!("{}{}", row.path, if row.is_folder { "/" } else { "" }))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        None
    }

    fn truncate(&mut self, rows: usize) {
        self.body.entries.truncate(rows);
    }
}
