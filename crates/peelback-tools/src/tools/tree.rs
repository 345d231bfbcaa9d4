//! The tool `tree`: folders and files of the project.

use peelback_code::syntax::{Tier, language};
use peelback_code::{CodeAccess, Evidence, TreeEntry, WalkOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, AnswerPayload};
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::guidance::Guidance;
use crate::left_out::LeftOut;
use crate::output_guard::PageLimiter;
use crate::page::{MarkedText, PartKind};
use crate::parameter_name::parameter_name;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::tool_call::call;
use crate::view::{OutputOptions, is_default_value};

/// The maximum number of entries in an answer at detail level `exploring`.
const MAX_EXPLORING_ROWS: usize = 200;

/// Folders and files.
///
/// With line counts. Follows .gitignore and leaves hidden files out. Without `depth`, shows as many levels as fit; folders below that
/// say how many files and lines they hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Folder to show; default: the whole project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Levels of folders to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
    /// Include hidden files.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub hidden: bool,
    /// Include ignored files. These are the files that .gitignore and .ignore files exclude.
    #[serde(default, skip_serializing_if = "is_default_value")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: OutputOptions,
}

pub struct Tree;

impl Tool for Tree {
    type Parameters = Parameters;

    const NAME: &'static str = "tree";
    const ALIASES: &'static [&'static str] = &["get_tree", "ls", "list_files", "list_dir"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path"];
    const EXAMPLES: &'static [&'static str] = &["tree", "tree --path src --depth 2"];
    const HAS_ALIGNED_COLUMNS: bool = true;
    const GUIDE: ToolGuide =
        ToolGuide { step: ExplorationStep::Search, phrase: "maps a folder", cost_ranks: &[(10, "")] };
    const RESULT_KIND: ResultKind = ResultKind::Tree;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 600;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let view = &parameters.view;
        let walk = WalkOptions { hidden: parameters.hidden, no_ignore: parameters.no_ignore, ..WalkOptions::default() };
        let (entries, evidence) = access
            .project()
            .tree_entries(parameters.path.as_deref(), &walk, peelback_tokens::estimate_tokens)
            .map_err(|error| {
                RecoverableError::from_code_error(context, &error, &call, parameter_name!(Parameters, path))
            })?;
        let files = entries.iter().filter(|entry| !entry.is_folder).count();
        let tree = WalkedTree {
            deepest: entries.iter().map(|entry| entry.depth).max().unwrap_or(0),
            files,
            folders: entries.len() - files,
            lines: entries.iter().filter(|entry| !entry.is_folder).filter_map(|entry| entry.line_count).sum(),
            entries,
            evidence,
        };
        let limit = PageLimiter::new(view, MAX_EXPLORING_ROWS).row_limit();
        let mut depth =
            parameters.depth.unwrap_or_else(|| deepest_tree_depth_within_limit(&tree.entries, tree.deepest, limit));
        loop {
            let (answer, fits) =
                tree.answer_to_depth(depth, &call, &parameters).with_whether_it_fits_whole(context, view);
            // Of whole levels, as many as fit: a level that is cut shows the first folders alone.
            if fits || parameters.depth.is_some() || depth <= 1 {
                return Ok(answer.into_reply(context, view));
            }
            depth -= 1;
        }
    }
}

/// The folders and files of a tree, of all levels.
struct WalkedTree {
    entries: Vec<TreeEntry>,
    deepest: usize,
    files: usize,
    folders: usize,
    lines: u64,
    evidence: Evidence,
}

impl WalkedTree {
    /// The answer with the entries down to `depth`.
    fn answer_to_depth(&self, depth: usize, call: &Call, parameters: &Parameters) -> Answer<TreePayload> {
        let guard = PageLimiter::new(&parameters.view, MAX_EXPLORING_ROWS);
        let mut level: Vec<&TreeEntry> = self.entries.iter().filter(|entry| entry.depth <= depth).collect();
        if depth == 1 {
            // Of a level that is cut, the folders tell more.
            level.sort_by_key(|entry| !entry.is_folder);
        }
        let (rows, plan) = guard.page_rows_and_plan(level.iter().copied().map(EntryRow::new), level.len(), "entries");
        let mut plan =
            plan.with_original_call_for_paging(call.clone().with_argument(parameter_name!(Parameters, depth), depth));
        if depth > 1 {
            let entries_above = self.entries.iter().filter(|entry| entry.depth < depth).count();
            plan = plan.with_narrowing_call(
                call.clone().with_argument(parameter_name!(Parameters, depth), depth - 1),
                entries_above,
                ("entry", "entries"),
            );
        }
        if let Some(folder) = self.folder_with_most_code(1) {
            let inside = call
                .clone()
                .with_argument(parameter_name!(Parameters, path), folder.path.as_str())
                .without_argument(parameter_name!(Parameters, depth));
            plan = plan.with_other_call(inside, format_count_with_noun(folder.file_count, "file", "files"));
        }
        let fullest = self.folder_with_most_code(depth);
        let guidance = fullest.filter(|_| depth < self.deepest).map(|entry| {
            let inside = call!(Tree { path: entry.path.as_str() });
            Guidance::hint_with_call(format!("folders below depth {depth} are not shown; to open one: "), inside)
        });
        let head = ScalarFields {
            path: path_or_dot_if_empty(parameters.path.as_deref()),
            depth,
            folders: self.folders,
            files: self.files,
            lines: self.lines,
            entry_count: level.len(),
        };
        Answer {
            payload: TreePayload { head, body: NestedFields { entries: rows } },
            plan,
            evidence: self.evidence.clone(),
            guidance,
            is_empty: self.files == 0,
        }
    }

    /// The folder of a level below which most files of code lie, or most files where none does.
    fn folder_with_most_code(&self, depth: usize) -> Option<&TreeEntry> {
        let mut folders: Vec<(&TreeEntry, usize)> = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.depth >= depth) {
            if entry.is_folder && entry.depth == depth {
                folders.push((entry, 0));
            } else if !entry.is_folder && entry.depth > depth && is_code(entry) {
                // Each folder is followed by its contents.
                folders.last_mut().into_iter().for_each(|(_, count)| *count += 1);
            }
        }
        folders.into_iter().max_by_key(|(folder, count)| (*count, folder.file_count)).map(|(folder, _)| folder)
    }
}

fn is_code(entry: &TreeEntry) -> bool {
    let language = entry.language.and_then(language::language_by_exact_name);
    language.is_some_and(|language| language.tier != Tier::Document)
}

fn path_or_dot_if_empty(path: Option<&str>) -> String {
    path.filter(|path| !path.is_empty()).unwrap_or(".").to_owned()
}

/// The deepest level (at least 1) down to which the tree of folders and files has at most `limit` entries.
fn deepest_tree_depth_within_limit(entries: &[TreeEntry], deepest: usize, limit: usize) -> usize {
    (1..=deepest.max(1))
        .take_while(|depth| entries.iter().filter(|entry| entry.depth <= *depth).count() <= limit)
        .last()
        .unwrap_or(1)
}

#[derive(Serialize)]
struct ScalarFields {
    path: String,
    depth: usize,
    folders: usize,
    files: usize,
    lines: u64,
    /// The number of entries down to the depth.
    #[serde(skip)]
    entry_count: usize,
}

#[derive(Serialize)]
struct NestedFields {
    entries: Vec<EntryRow>,
}

#[derive(Serialize)]
struct EntryRow {
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
    /// The cost of reading the file, or all files of the folder, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl EntryRow {
    fn new(entry: &TreeEntry) -> Self {
        Self {
            path: entry.path.clone(),
            is_folder: entry.is_folder,
            depth: entry.depth,
            files: entry.is_folder.then_some(entry.file_count),
            language: entry.language,
            line_count: entry.line_count,
            size_bytes: entry.size_bytes,
            tokens: entry.weight,
        }
    }
}

impl EntryRow {
    fn write_to_page(&self, page: &mut MarkedText) {
        for _ in 1..self.depth {
            page.push_str("  ");
        }
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        let slash = if self.is_folder { "/" } else { "" };
        page.write_and_mark_part(PartKind::Cell, |page| {
            page.write_part(PartKind::Subject, format_args!("{name}{slash}"))
        });
        if self.is_folder {
            let files = format_count_with_noun(self.files.unwrap_or(0), "file", "files");
            let lines = format_count_with_noun(self.line_count.unwrap_or(0), "line", "lines");
            page.write_cell(format_args!("{files}, {lines}"));
            page.write_token_cost_cell(self.tokens.unwrap_or(0));
        } else {
            page.write_cell(self.language.unwrap_or("-"));
            match (self.line_count, self.tokens) {
                (Some(lines), Some(tokens)) => {
                    page.write_cell(format_count_with_noun(lines, "line", "lines"));
                    page.write_token_cost_cell(tokens);
                }
                _ => {
                    let bytes = format_count_with_noun(self.size_bytes, "byte", "bytes");
                    page.write_cell(format_args!("{bytes}, not text"));
                }
            }
        }
        page.push('\n');
    }
}

struct TreePayload {
    head: ScalarFields,
    body: NestedFields,
}

impl AnswerPayload for TreePayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields { path, folders, files, lines, depth, entry_count } = &self.head;
        format!(
            "{path}: {} in {}, {}; shown to depth {depth}: {}",
            format_count_with_noun(*files, "file", "files"),
            format_count_with_noun(*folders, "folder", "folders"),
            format_count_with_noun(*lines, "line", "lines"),
            format_count_with_noun(*entry_count, "entry", "entries")
        )
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, _: &CallContext, page: &mut MarkedText) {
        for row in &self.body.entries {
            row.write_to_page(page);
        }
    }

    fn row_count(&self) -> usize {
        self.body.entries.len()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.entries.get(index)?;
        Some(format!("{}{}", row.path, if row.is_folder { "/" } else { "" }))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        None
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.entries.truncate(rows);
    }
}
