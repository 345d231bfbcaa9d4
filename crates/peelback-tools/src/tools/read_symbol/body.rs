//! Symbols with their bodies, as rows of an answer, and the shorter forms of a body.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;

use peelback_code::syntax::skeleton::{FOLDED, Options, Skeleton, build_skeleton};
use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};
use peelback_code::{AnalysedFile, NameMatch, SymbolBody};
use peelback_tokens::LineCosts;
use serde::Serialize;

use super::documentation::lines_of_documentation;
use crate::call::Call;
use crate::context::CallContext;
use crate::counts::{format_count_with_noun, format_line_range};
use crate::left_out::LeftOut;
use crate::overloads::{is_only_declared, is_prototype};
use crate::page::{EscapedToOneLine, MarkedText, PartKind};
use crate::rows::SymbolRow;
use crate::symbol_detail::DetailLadder;
use crate::view::is_default_value;

/// The minimum number of lines of a shortened body. A body that would become shorter is omitted as a whole.
const MIN_BODY_LINES: usize = 8;

/// The maximum number of overloads whose signatures are shown with a body.
const MAX_SHOWN_OVERLOADS: usize = 6;

/// What a symbol tells among others of its name, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SymbolWorth {
    /// A type, or a function with its body.
    Definition,
    /// A value, or a function that is only declared.
    Other,
    /// A part of a document.
    Document,
}

impl SymbolWorth {
    pub fn of(analysed: &AnalysedFile, hit: &NameMatch) -> Self {
        let symbol = &hit.symbol;
        match symbol.kind {
            SymbolKind::Section | SymbolKind::Key => Self::Document,
            kind if kind.is_value() => Self::Other,
            _ if is_only_declared(&analysed.facts, analysed.language, symbol) => Self::Other,
            _ => Self::Definition,
        }
    }
}

/// A symbol with its body, as a row of the answer in JSON.
#[derive(Serialize)]
pub(super) struct SymbolBodyJson<'a> {
    path: &'a str,
    #[serde(flatten)]
    symbol: &'a SymbolRow,
    #[serde(flatten)]
    body: Option<BodyTextJson<'a>>,
    /// The call that returns the omitted lines of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    context: &'a [ContextLine],
}

#[derive(Serialize)]
struct BodyTextJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Cow<'a, str>>,
    /// The members of a symbol of which no more fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<&'a [SymbolRow]>,
    /// Whether the bodies of members are left out of the body.
    #[serde(skip_serializing_if = "is_default_value")]
    is_skeleton: bool,
    body_line: u32,
    body_line_end: u32,
    /// The lines of documentation that the call leaves out of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documentation_left_out: Vec<String>,
    char_count: usize,
}

pub(super) struct SymbolBodyRow {
    pub path: String,
    pub symbol: SymbolRow,
    pub worth: SymbolWorth,
    /// Whether it is a function that is only declared.
    pub is_prototype: bool,
    /// Its place among the symbols of one name that the call gives, from 0.
    pub place_in_name: usize,
    body: Option<BodyText>,
    /// The omitted lines of the symbol: the end of the body, or the whole body.
    omitted_lines: Option<(u32, u32)>,
}

/// A symbol's body, with the imports and headers that the body needs.
struct BodyText {
    content: BodyContent,
    /// Shorter forms of the content for a symbol with members, the richest first, each with what it leaves out.
    shorter_forms: VecDeque<(LeftOut, BodyContent)>,
    /// What the rows of members have left out.
    ladder: DetailLadder,
    /// The number of the first line of the content.
    body_line: u32,
    /// The number of the last line of the content; smaller than the symbol's last line where the body was shortened.
    body_line_end: u32,
    char_count: usize,
    /// The lines of documentation that were left out, as first and last ones.
    documentation: Vec<(u32, u32)>,
    context: Vec<ContextLine>,
}

/// How much of a body is shown.
enum BodyContent {
    /// The source text by lines, from the first decorator or doc comment on.
    Text(Vec<SourceLine>),
    /// The text without the bodies of members.
    Skeleton(Skeleton),
    /// The members.
    Members(Vec<SymbolRow>),
}

/// A line of a body, with its line end.
struct SourceLine {
    number: u32,
    text: String,
}

#[derive(Serialize)]
struct ContextLine {
    line: u32,
    text: String,
}

impl SymbolBodyRow {
    /// The row of a symbol, with its body where `is_body_included`, and that with its documentation where `has_docs`.
    pub fn new(
        analysed: &AnalysedFile,
        hit: &NameMatch,
        costs: &LineCosts,
        is_body_included: bool,
        has_docs: bool,
    ) -> Self {
        let symbol = &hit.symbol;
        let path = analysed.file.path.clone();
        let mut row = SymbolRow::new_without_children(&path, symbol, costs);
        if row.parent.is_none() {
            row.parent = hit.owners.last().map(|owner| owner.name.clone());
        }
        if !has_docs {
            row.docstring = None;
        }
        let worth = SymbolWorth::of(analysed, hit);
        let is_prototype = is_prototype(&analysed.facts, analysed.language, symbol, &analysed.file.text);
        let place_in_name = 0;
        if !is_body_included {
            let body = None;
            return Self { path, symbol: row, worth, is_prototype, place_in_name, body, omitted_lines: None };
        }
        let SymbolBody { text: body, context } = SymbolBody::new(analysed, hit);
        let mut lines: Vec<ContextLine> = context
            .imports
            .iter()
            .map(|import| ContextLine { line: import.lines.first, text: import.text.clone() })
            .collect();
        lines.extend(context.headers.into_iter().map(|(line, text)| ContextLine { line, text }));
        let documentation = if has_docs { Vec::new() } else { lines_of_documentation(analysed, symbol) };
        let is_documentation = |line: u32| documentation.iter().any(|(first, last)| (*first..=*last).contains(&line));
        let source_lines: Vec<SourceLine> = (symbol.outer_line..)
            .zip(body.split_inclusive('\n'))
            .filter(|(number, _)| !is_documentation(*number))
            .map(|(number, text)| SourceLine { number, text: text.to_owned() })
            .collect();
        let body = BodyText {
            char_count: source_lines.iter().map(|line| line.text.chars().count()).sum(),
            shorter_forms: shorter_forms_of_body(analysed, hit, &body, costs, has_docs),
            content: BodyContent::Text(source_lines),
            documentation,
            ladder: DetailLadder::default(),
            body_line: symbol.outer_line,
            body_line_end: symbol.lines.last,
            context: lines,
        };
        Self { path, symbol: row, worth, is_prototype, place_in_name, body: Some(body), omitted_lines: None }
    }

    /// Adds the signatures that stand in this row in addition to the definition's own.
    pub fn add_overloads(&mut self, overloads: &[&Symbol]) {
        self.symbol.overloads = overloads.len();
        if let Some(body) = &mut self.body {
            let signatures = overloads.iter().take(MAX_SHOWN_OVERLOADS);
            body.context.extend(
                signatures.map(|symbol| ContextLine { line: symbol.lines.first, text: symbol.signature.clone() }),
            );
            body.context.sort_by_key(|line| line.line);
        }
    }

    /// Removes the symbol's body from the row.
    pub fn remove_body(&mut self) {
        self.body = None;
    }

    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// Whether a type is shown without the bodies of its members.
    pub fn is_without_bodies_of_members(&self) -> bool {
        self.body.as_ref().is_some_and(|body| !matches!(body.content, BodyContent::Text(_)))
    }

    /// The length of what is shown of the body, in bytes.
    pub fn shown_bytes(&self) -> usize {
        let length = |body: &BodyText| match &body.content {
            BodyContent::Text(lines) => lines.iter().map(|line| line.text.len()).sum(),
            BodyContent::Skeleton(skeleton) => skeleton.lines.iter().map(|line| line.text.len() + 6).sum(),
            BodyContent::Members(rows) => {
                let mut page = MarkedText::default();
                rows.iter().for_each(|row| row.write_row_tree(1, &mut page));
                page.byte_len()
            }
        };
        self.body.as_ref().map_or(0, length)
    }

    pub fn json_value<'a>(&'a self, context: &CallContext) -> SymbolBodyJson<'a> {
        let body = self.body.as_ref();
        SymbolBodyJson {
            path: &self.path,
            symbol: &self.symbol,
            body: body.map(BodyText::json_value),
            rest: self.read_omitted_lines_call(context).map(|call| context.format_call(&call)),
            context: body.map_or(&[], |body| &body.context),
        }
    }

    /// The call that returns the omitted lines of the body.
    fn read_omitted_lines_call(&self, context: &CallContext) -> Option<Call> {
        self.omitted_lines.map(|(first, last)| {
            context.follow_up_call_builder().read_lines_call(&self.path, &format_line_range(first, last))
        })
    }

    /// Shows the body in its next shorter form, or without its last quarter; removes it if it is short. Returns what was
    /// removed.
    pub fn shorten_or_remove_body(&mut self) -> LeftOut {
        const ENDS_OF_BODIES: LeftOut = LeftOut { what: "ends of bodies", count: 1 };
        let whole_lines = (self.symbol.outer_line, self.symbol.line_end);
        let Some(body) = &mut self.body else { return LeftOut { count: 0, ..ENDS_OF_BODIES } };
        if let Some((removed, shorter)) = body.shorter_forms.pop_front() {
            body.content = shorter;
            self.omitted_lines = Some(whole_lines);
            return removed;
        }
        match &mut body.content {
            BodyContent::Members(rows) => {
                if let Some(removed) = body.ladder.remove_next_detail_or_level(rows) {
                    return removed;
                }
                let kept = rows.len() * 3 / 4;
                if kept >= MIN_BODY_LINES {
                    let count = rows.len() - kept;
                    rows.truncate(kept);
                    return LeftOut { what: "later members", count };
                }
            }
            BodyContent::Text(lines) => {
                let kept = lines.len() * 3 / 4;
                if kept >= MIN_BODY_LINES {
                    lines.truncate(kept);
                    body.body_line_end = lines.last().map_or(body.body_line, |line| line.number);
                    self.omitted_lines = Some((body.body_line_end + 1, self.symbol.line_end));
                    return ENDS_OF_BODIES;
                }
            }
            // The members are its shorter form.
            BodyContent::Skeleton(_) => {}
        }
        self.omitted_lines = Some(whole_lines);
        self.body = None;
        ENDS_OF_BODIES
    }

    pub fn write_to_page(&self, numbered: bool, context: &CallContext, page: &mut MarkedText) {
        let SymbolRow { kind, qualified_name, id, tokens, .. } = &self.symbol;
        let lines = self.symbol.line_range_text();
        let _ = write!(page, "{} {}  lines {lines}", kind.as_str(), EscapedToOneLine(qualified_name));
        if let Some(tokens) = tokens {
            page.write_token_cost(*tokens);
        }
        let _ = write!(page, "  id {}", EscapedToOneLine(id));
        let declared = self.symbol.declarations_text();
        if !declared.is_empty() {
            let _ = write!(page, "  ({})", EscapedToOneLine(declared));
        }
        page.push('\n');
        let rest = self.read_omitted_lines_call(context).map(|call| context.format_call(&call));
        let Some(body) = &self.body else {
            if !self.symbol.signature.is_empty() {
                let _ = writeln!(page, "  {}", EscapedToOneLine(&self.symbol.signature));
            }
            if let Some(call) = rest {
                page.push_str("the body:");
                page.write_call_on_own_line(&call);
                page.push('\n');
            }
            return;
        };
        if !body.context.is_empty() {
            page.push_str("context, not part of the body:\n");
            for ContextLine { line, text } in &body.context {
                page.push_str("  ");
                page.write_numbered_source_line(*line, text);
            }
        }
        let lines = format_line_range(body.body_line, body.body_line_end);
        match &body.content {
            BodyContent::Text(source_lines) => {
                let removed = body.documentation.iter().filter(|(first, _)| *first <= body.body_line_end);
                let removed = removed.map(|(first, last)| (last + 1 - first) as usize).sum::<usize>();
                let without = match removed {
                    0 => String::new(),
                    count => {
                        let lines = format_count_with_noun(count, "line", "lines");
                        format!(" without {lines} of documentation")
                    }
                };
                let _ = writeln!(page, "body, lines {lines}{without}:");
                if numbered {
                    for SourceLine { number, text } in source_lines {
                        page.write_numbered_source_line(*number, text.trim_end_matches(['\n', '\r']));
                    }
                } else {
                    let text: String = source_lines.iter().map(|line| line.text.as_str()).collect();
                    page.write_source_with_line_end(&text);
                }
                if let Some(call) = rest {
                    let _ = write!(page, "the rest of the body, to line {}:", self.symbol.line_end);
                    page.write_call_on_own_line(&call);
                    page.push('\n');
                }
                return;
            }
            BodyContent::Skeleton(skeleton) => {
                let _ = writeln!(page, "skeleton, lines {lines}; bodies are collapsed to {FOLDED}, not empty:");
                for line in &skeleton.lines {
                    page.write_part(PartKind::Number, format_line_range(line.lines.first, line.lines.last));
                    page.push_str(": ");
                    page.write_part(PartKind::Source, &line.text);
                    page.push('\n');
                }
            }
            BodyContent::Members(rows) => {
                let _ = writeln!(page, "members, lines {lines}:");
                rows.iter().for_each(|row| row.write_row_tree(1, page));
            }
        }
        if let Some(call) = rest {
            page.push_str("the whole body:");
            page.write_call_on_own_line(&call);
            page.push('\n');
        }
    }
}

impl BodyText {
    fn json_value(&self) -> BodyTextJson<'_> {
        let (body, members) = match &self.content {
            BodyContent::Text(lines) => {
                (Some(Cow::Owned(lines.iter().map(|line| line.text.as_str()).collect::<String>())), None)
            }
            BodyContent::Skeleton(skeleton) => (Some(Cow::Owned(skeleton.text())), None),
            BodyContent::Members(rows) => (None, Some(rows.as_slice())),
        };
        BodyTextJson {
            body,
            members,
            is_skeleton: matches!(self.content, BodyContent::Skeleton(_)),
            body_line: self.body_line,
            body_line_end: self.body_line_end,
            documentation_left_out: self
                .documentation
                .iter()
                .map(|(first, last)| format_line_range(*first, *last))
                .collect(),
            char_count: self.char_count,
        }
    }
}

/// The shorter forms of the body of a symbol with members, the richest first, each with what it leaves out: its skeleton,
/// with the first lines of comments and without them, and its members. None for a function, whose body is its worth.
fn shorter_forms_of_body(
    analysed: &AnalysedFile,
    hit: &NameMatch,
    body: &str,
    costs: &LineCosts,
    has_docs: bool,
) -> VecDeque<(LeftOut, BodyContent)> {
    let mut forms = VecDeque::new();
    let found = &hit.symbol;
    let symbol = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol).find(|symbol| {
        symbol.bytes == found.bytes && symbol.kind == found.kind && symbol.qualified_name == found.qualified_name
    });
    let Some(symbol) = symbol.filter(|symbol| !symbol.kind.is_callable() && !symbol.children.is_empty()) else {
        return forms;
    };
    let bytes = symbol.bytes.end.saturating_sub(body.len())..symbol.bytes.end;
    let skeleton =
        |comments| build_skeleton(&analysed.file.text, &analysed.facts.folds, bytes.clone(), Options { comments });
    let (whole, without_comments) = (skeleton(true), skeleton(false));
    let comment_lines = whole.lines.len().saturating_sub(without_comments.lines.len());
    let cut_lines = body.lines().filter(|line| !line.trim().is_empty()).count().saturating_sub(whole.lines.len());
    if whole.folded > 0 || cut_lines > 0 {
        let removed = match whole.folded {
            0 => LeftOut { what: "lines of comments", count: cut_lines },
            count => LeftOut { what: "bodies of members", count },
        };
        forms.push_back((removed, BodyContent::Skeleton(if has_docs { whole } else { without_comments.clone() })));
    }
    if comment_lines > 0 && has_docs {
        let removed = LeftOut { what: "lines of comments", count: comment_lines };
        forms.push_back((removed, BodyContent::Skeleton(without_comments)));
    }
    let mut members = SymbolRow::build_row_trees_of_kept_symbols(
        &analysed.file.path,
        symbol.children.clone(),
        costs,
        usize::MAX,
        &|symbol| !symbol.local,
    );
    if !has_docs {
        members.iter_mut().for_each(SymbolRow::remove_documentation);
    }
    if !members.is_empty() {
        let removed = LeftOut { what: "texts of members", count: members.len() };
        forms.push_back((removed, BodyContent::Members(members)));
    }
    forms
}
