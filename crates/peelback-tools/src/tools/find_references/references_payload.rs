//! The answer of `find_references`: its rows as text and JSON.

use std::fmt::Write as _;

use peelback_code::syntax::language::is_notebook_name;
use peelback_code::syntax::names::Role;
use peelback_code::{CodeAccess, Confidence, Reference, cell_and_line_in_cell};
use peelback_tokens::text::truncate_chars_and_add_ellipsis;
use serde::Serialize;

use crate::answer::AnswerPayload;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::format_count_with_noun;
use crate::left_out::LeftOut;
use crate::message::Message;
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::place::{PlaceRow, byte_column_if_different};
use crate::reply::{Location, ShownDetail};
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;
use crate::view::is_default_value;

/// The maximum length of a line of code in a row of text, in characters.
const MAX_CONTEXT_CHARS: usize = 160;

#[derive(Serialize)]
pub(super) struct ScalarFields {
    #[serde(rename = "definitions_total")]
    pub(super) definition_count: usize,
    /// Number of files with a listed reference.
    pub(super) files: usize,
    pub(super) resolved: usize,
    pub(super) likely: usize,
    /// Number of places where only the name matches, listed or not.
    pub(super) name: usize,
    /// Number of those places that the total counts, because they plausibly mean the symbol or were asked for.
    pub(super) listed_by_name: usize,
    /// Number of places in code that only some builds compile, listed or not. The counts by confidence exclude these
    /// places.
    #[serde(skip_serializing_if = "is_default_value")]
    pub(super) some_builds: usize,
    /// Number of uses of the same name in the scope that mean another function or type for sure; absent where roles or tests
    /// are filtered.
    #[serde(skip_serializing_if = "is_default_value")]
    pub(super) other_meanings: usize,
    /// Number of references in test files that the call excluded, at any confidence.
    #[serde(skip_serializing_if = "is_default_value")]
    pub(super) in_tests: usize,
    /// Number of references with other roles than the call asked for, at any confidence.
    #[serde(skip_serializing_if = "is_default_value")]
    pub(super) in_other_roles: usize,
    /// Number of definitions that contain the calls, where callers were asked for. The total counts the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) callers: Option<usize>,
    #[serde(skip)]
    pub(super) row_nouns: (&'static str, &'static str),
    /// The word between the rows and the symbol.
    #[serde(skip)]
    pub(super) preposition: &'static str,
}

#[derive(Serialize)]
pub(super) struct NestedFields {
    pub(super) definitions: Vec<DefinitionRow>,
    pub(super) references: Vec<ReferenceRow>,
}

#[derive(Serialize)]
pub(super) struct DefinitionRow {
    pub(super) path: String,
    #[serde(flatten)]
    pub(super) symbol: SymbolRow,
    /// The number of references that mean this definition.
    #[serde(skip_serializing_if = "is_default_value")]
    pub(super) uses: usize,
}

#[derive(Serialize)]
pub(super) struct ReferenceRow {
    path: String,
    line: u32,
    column: u32,
    /// The column in bytes, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_column: Option<u32>,
    context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    enclosing: String,
    confidence: &'static str,
    #[serde(skip_serializing_if = "is_default_value")]
    some_builds: bool,
    /// Number of calls between the symbol and this caller or callee, from 1.
    #[serde(skip_serializing_if = "is_depth_one")]
    depth: u32,
    /// The id of the called symbol or of the implementation, where that differs from the requested symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<String>,
    /// The id of the referenced definition, where the name has several definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    /// In a notebook: the cell with the reference, from 1, and the line in the cell.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    cell: Option<CellPlace>,
}

/// A place in the cells of a notebook.
#[derive(Serialize)]
struct CellPlace {
    cell: u32,
    line_in_cell: u32,
}

/// Adds to the rows of notebooks in which cell they are. Rows of one file follow each other.
pub(super) fn add_cells_of_notebooks(access: &CodeAccess, rows: &mut [ReferenceRow]) {
    for rows in rows.chunk_by_mut(|one, other| one.path == other.path) {
        let Some(path) = rows.first().map(|row| &row.path).filter(|path| is_notebook_name(path)) else { continue };
        let Ok(file) = access.read_file_by_root_path(path) else { continue };
        for row in rows {
            let place = cell_and_line_in_cell(&file.text, row.line);
            row.cell = place.map(|(cell, line_in_cell)| CellPlace { cell, line_in_cell });
        }
    }
}

impl ReferenceRow {
    pub(super) fn new(reference: Reference, definitions: Option<&Vec<DefinitionRow>>) -> Self {
        let named = reference.confidence != Confidence::Name;
        let definition = definitions.filter(|_| named).and_then(|rows| rows.get(reference.symbol));
        Self {
            definition: definition.map(|row| row.symbol.id.clone()),
            cell: None,
            path: reference.path,
            line: reference.line,
            column: reference.column,
            byte_column: byte_column_if_different(reference.column, reference.byte_column),
            context: reference.context,
            role: reference.role.map(Role::as_str),
            enclosing: reference.enclosing,
            confidence: reference.confidence.as_str(),
            some_builds: reference.is_conditional,
            depth: reference.depth,
            other: reference.other.map(|other| format!("{}:{}", other.path, other.qualified_name)),
        }
    }
}

fn is_depth_one(depth: &u32) -> bool {
    *depth == 1
}

pub(super) struct ReferencesPayload {
    pub(super) head: ScalarFields,
    pub(super) total: usize,
    /// The file of the definition, if the call names this file, or the heir of an inherited member.
    pub(super) definition_file: Option<String>,
    pub(super) body: NestedFields,
    pub(super) ladder: DetailLadder,
    /// Whether the answer has rows of definitions: as text, only where there are several.
    pub(super) shows_definitions: bool,
    /// The call that lists all definitions of the name.
    pub(super) all_definitions_call: Option<Call>,
}

impl AnswerPayload for ReferencesPayload {
    type ScalarFields = ScalarFields;
    type NestedFields<'a> = &'a NestedFields;

    fn summary_line(&self) -> String {
        let ScalarFields { resolved, likely, name, listed_by_name, some_builds, other_meanings, .. } = self.head;
        let ScalarFields { in_tests, in_other_roles, files, .. } = self.head;
        let subject = match self.body.definitions.as_slice() {
            [one] if self.head.definition_count == 1 => format!("{} ({})", one.symbol.id, one.symbol.kind.as_str()),
            [] => "the symbol".to_owned(),
            [first, ..] => format!("{} symbols named {}", self.head.definition_count, first.symbol.name),
        };
        let rows = format_count_with_noun(self.total, self.head.row_nouns.0, self.head.row_nouns.1);
        let rows = match self.head.callers {
            Some(callers) => format!("{} ({rows})", format_count_with_noun(callers, "caller", "callers")),
            None => rows,
        };
        let mut text = format!(
            "{rows} {} {subject} in {}: {resolved} resolved, {likely} likely",
            self.head.preposition,
            format_count_with_noun(files, "file", "files")
        );
        if name > 0 {
            let _ = write!(text, ", {name} by name only");
            if listed_by_name < name {
                let _ = write!(text, " ({listed_by_name} listed)");
            }
        }
        if some_builds > 0 {
            let _ = write!(text, ", {some_builds} in some builds only");
        }
        if in_tests > 0 {
            let _ = write!(text, "; {in_tests} in tests left out");
        }
        if in_other_roles > 0 {
            let _ = write!(text, "; {in_other_roles} of other roles left out");
        }
        if other_meanings > 0 {
            let (uses, verb) = if other_meanings == 1 { ("use", "means") } else { ("uses", "mean") };
            let _ = write!(text, "; {other_meanings} other {uses} of the name {verb} another definition");
        }
        text
    }

    fn scalar_json_fields(&self) -> &ScalarFields {
        &self.head
    }

    fn nested_json_fields(&self, _: &CallContext) -> &NestedFields {
        &self.body
    }

    fn write_rows(&self, context: &CallContext, page: &mut MarkedText) {
        if self.head.definition_count > 1 {
            for row in &self.body.definitions {
                let _ = write!(page, "defined: {}  ", EscapedToOneLine(&row.symbol.id));
                if row.uses > 0 {
                    let _ = write!(page, "{}  ", format_count_with_noun(row.uses, "use", "uses"));
                }
                row.symbol.write_row_as_rest_of_line(page);
            }
            let more = self.head.definition_count.saturating_sub(self.body.definitions.len());
            if more > 0 {
                let _ = write!(page, "… +{more} more definitions");
                if let Some(call) = &self.all_definitions_call {
                    Message::from(": ").with_call(call.clone()).write_to_page(context, page);
                }
                page.push('\n');
            }
            page.push('\n');
        }
        let mut path = "";
        let mut enclosing: Option<&str> = None;
        let by_name = Confidence::Name.as_str();
        let sure_rows = self.body.references.iter().take_while(|row| row.confidence != by_name).count();
        let are_last_by_name = self.body.references.iter().skip(sure_rows).all(|row| row.confidence == by_name);
        for (index, row) in self.body.references.iter().enumerate() {
            if are_last_by_name && index == sure_rows && index > 0 {
                page.push_str("\nby name only, since the type of the receiver is unknown:\n");
                path = "";
            }
            if row.path != path {
                if !path.is_empty() {
                    page.push('\n');
                }
                path = &row.path;
                enclosing = None;
                page.write_file_heading_line(path);
            }
            let context = row.context.trim();
            page.write_part(PartKind::Number, row.line);
            page.push_str(": ");
            page.write_part(PartKind::Source, truncate_chars_and_add_ellipsis(context, MAX_CONTEXT_CHARS));
            let mut notes: Vec<String> = Vec::new();
            // The role of a call or an import is obvious from the source line.
            match row.role {
                Some("call" | "import") => {}
                Some(role) => notes.push(role.to_owned()),
                None => notes.push("text".to_owned()),
            }
            if row.confidence != "resolved" {
                notes.push(row.confidence.to_owned());
            }
            if row.some_builds {
                notes.push("some builds".to_owned());
            }
            if let Some(definition) = &row.definition {
                notes.push(format!("of {definition}"));
            }
            if row.depth > 1 {
                notes.push(format!("depth {}", row.depth));
            }
            if let Some(other) = &row.other {
                notes.push(other.clone());
            }
            if enclosing != Some(row.enclosing.as_str()) {
                let before = enclosing.replace(&row.enclosing);
                if row.enclosing.is_empty() && row.cell.is_none() {
                    notes.extend(before.map(|_| "at file level".to_owned()));
                } else if !row.enclosing.is_empty() {
                    notes.push(format!("in {}", row.enclosing));
                }
            }
            if let Some(CellPlace { cell, line_in_cell }) = row.cell {
                notes.push(format!("cell {cell}, line {line_in_cell}"));
            }
            if !notes.is_empty() {
                let _ = write!(page, "  [{}]", EscapedToOneLine(notes.join(", ")));
            }
            page.push('\n');
        }
    }

    fn place_rows(&self) -> Vec<PlaceRow<'_>> {
        let rows = self.body.references.iter();
        rows.map(|row| PlaceRow {
            path: &row.path,
            line: row.line,
            byte_column: row.byte_column.unwrap_or(row.column),
            text: row.context.as_str().into(),
        })
        .collect()
    }

    fn row_count(&self) -> usize {
        self.body.references.len()
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.definition_file.iter().map(|path| Location::for_whole_file(path, ShownDetail::Used)).collect()
    }

    fn describe_row_at(&self, index: usize) -> Option<String> {
        let row = self.body.references.get(index)?;
        Some(format!("{}:{}: {}", row.path, row.line, row.context.trim()))
    }

    fn remove_least_valuable_detail(&mut self) -> Option<LeftOut> {
        if !self.shows_definitions {
            return None;
        }
        let mut rows: Vec<&mut SymbolRow> = self.body.definitions.iter_mut().map(|row| &mut row.symbol).collect();
        if let Some(left_out) = self.ladder.remove_next_detail(&mut rows) {
            return Some(left_out);
        }
        let count = self.body.definitions.len().saturating_sub(1);
        self.body.definitions.truncate(1);
        (count > 0).then_some(LeftOut { what: "later definitions", count })
    }

    fn keep_first_rows(&mut self, rows: usize) {
        self.body.references.truncate(rows);
    }
}
