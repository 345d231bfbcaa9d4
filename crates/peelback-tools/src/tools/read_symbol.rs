//! `read_symbol`: bodies, with what they need around them.

use std::fmt::Write as _;

use peelback_code::{Analysed, CodeAccess, Evidence, NameMatch, SymbolBody};
use peelback_tokens::LineCosts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Guidance, Payload, Reply, counted};
use crate::call::Call;
use crate::guard::OutputGuard;
use crate::recover::RecoverableError;
use crate::rows::{SymbolRow, range};
use crate::symbol_lookup::{FoundSymbols, SymbolLookup};
use crate::tool::Tool;
use crate::view::{View, is_default};

/// Bodies that an answer gives.
const BODY_CAP: usize = 5;

/// Rows that an answer gives where a name means many symbols.
const ROW_CAP: usize = 50;

/// A body of fewer lines than this is dropped, not shortened, where even it does not fit.
const MIN_BODY_LINES: usize = 8;

/// A symbol's body with imports and headers.
///
/// `name` is a simple name, a qualified one (`Editor.apply`), the end of one, or an id (`src/a.py:Editor.apply`).
/// Where several symbols have the name, all are listed with their ids, and the first five with their bodies.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// The file that defines it; the whole project by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The symbol's name or id.
    pub name: String,
    /// Put its number before each line of a body.
    #[serde(default, skip_serializing_if = "is_default")]
    pub line_numbers: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct ReadSymbol;

impl Tool for ReadSymbol {
    type Parameters = Parameters;

    const NAME: &'static str = "read_symbol";
    const ALIASES: &'static [&'static str] = &["symbol", "get_symbol"];
    const POSITIONAL: &'static [&'static str] = &["path", "name"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("symbol", "name"),
        ("symbol_name", "name"),
        ("name_path", "name"),
        ("id", "name"),
        ("qualified_name", "name"),
        ("scope", "path"),
    ];
    const IGNORED: &'static [&'static str] = &["include_body"];
    const SHORT_FLAGS: &'static [(char, &'static str)] = &[('n', "line_numbers")];
    const EXAMPLES: &'static [&'static str] =
        &["read_symbol --path src/editor.py --name Editor.apply", "read_symbol --name src/editor.py:Editor.apply"];

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::of(Self::NAME, &parameters);
        let bodies = if parameters.view.is_full() { usize::MAX } else { parameters.view.offset + BODY_CAP };
        let path = parameters.path.as_deref();
        let lookup = SymbolLookup { tool: Self::NAME, call: &call, path, name: &parameters.name, code_first: false };
        let FoundSymbols { found, evidence, name, .. } =
            lookup.find(access, |analysed, hits| rows(analysed, hits, bodies))?;
        Ok(answer(found, evidence, &parameters, call, name))
    }
}

fn answer(found: Vec<Row>, evidence: Evidence, parameters: &Parameters, call: Call, name: String) -> Reply {
    let view = &parameters.view;
    let total = found.len();
    let (mut rows, mut plan) = OutputGuard::of(view, ROW_CAP).cap_files(found, |row| &row.path, "symbols");
    let bodies = if view.is_full() { usize::MAX } else { BODY_CAP };
    rows.iter_mut().skip(bodies).for_each(Row::close);
    if let Some(row) = rows.first().filter(|_| total > 1) {
        plan = plan.narrowed(Call::new(ReadSymbol::NAME).with("name", row.symbol.id.as_str()), "1 symbol");
    }
    if let Some((file, count)) = plan.fullest_file().map(|(file, count)| (file.to_owned(), count)) {
        plan = plan.narrowed(call.clone().with("path", file), counted(count, "symbol", "symbols"));
    }
    let plan = plan.paged(call);
    let guidance = rows.first().filter(|_| total > 1).map(|row| {
        let one = Call::new(ReadSymbol::NAME).with("name", row.symbol.id.as_str());
        Guidance::Hint(format!("{total} symbols have this name; one alone by its id: {one}"))
    });
    let head = Head { name, numbered: parameters.line_numbers };
    let payload = Bodies { head, total, body: Body { symbols: rows }, stage: 0 };
    Answer { payload, plan, evidence, guidance, empty: false }.finish(view)
}

fn rows(analysed: &Analysed, hits: &[NameMatch], bodies: usize) -> Vec<Row> {
    let costs = LineCosts::of(&analysed.file.text);
    hits.iter().enumerate().map(|(index, hit)| Row::of(analysed, hit, &costs, index < bodies)).collect()
}

#[derive(Serialize)]
struct Head {
    name: String,
    #[serde(skip)]
    numbered: bool,
}

#[derive(Serialize)]
struct Body {
    symbols: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    #[serde(flatten)]
    symbol: SymbolRow,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    body: Option<BodyText>,
    /// The call that gives a body that did not fit.
    #[serde(rename = "rest", skip_serializing_if = "Option::is_none")]
    elsewhere: Option<String>,
}

/// A body and what it needs.
#[derive(Serialize)]
struct BodyText {
    /// The source from the first decorator or doc comment to the last line.
    body: String,
    /// The first line of `body`.
    body_line: u32,
    /// The last line of `body`: less than the symbol's where it did not fit.
    body_line_end: u32,
    char_count: usize,
    /// The call that gives the lines that did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    context: Vec<ContextLine>,
}

#[derive(Serialize)]
struct ContextLine {
    line: u32,
    text: String,
}

impl Row {
    fn of(analysed: &Analysed, hit: &NameMatch, costs: &LineCosts, open: bool) -> Self {
        let symbol = &hit.symbol;
        let path = analysed.file.path.clone();
        let mut row = SymbolRow::bare(&path, symbol, costs);
        if row.parent.is_none() {
            row.parent = hit.owners.last().map(|owner| owner.name.clone());
        }
        if !open {
            return Self { path, symbol: row, body: None, elsewhere: None };
        }
        let SymbolBody { text: body, context } = SymbolBody::new(analysed, hit);
        let mut lines: Vec<ContextLine> = context
            .imports
            .iter()
            .map(|import| ContextLine { line: import.lines.first, text: import.text.clone() })
            .collect();
        lines.extend(context.headers.into_iter().map(|(line, text)| ContextLine { line, text }));
        let body = BodyText {
            char_count: body.chars().count(),
            body,
            body_line: symbol.outer_line,
            body_line_end: symbol.lines.last,
            rest: None,
            context: lines,
        };
        Self { path, symbol: row, body: Some(body), elsewhere: None }
    }

    fn close(&mut self) {
        self.body = None;
    }

    /// Takes a quarter of the body's lines off its end; the whole body where it is short.
    fn shorten(&mut self) {
        let Some(body) = &mut self.body else { return };
        let lines: Vec<&str> = body.body.split_inclusive('\n').collect();
        let truncate = lines.len() * 3 / 4;
        if truncate < MIN_BODY_LINES {
            let lines = range(self.symbol.outer_line, self.symbol.line_end);
            let call = Call::new("read_lines").with("path", self.path.as_str()).with("ranges", lines);
            self.body = None;
            self.elsewhere = Some(call.to_string());
            return;
        }
        let text: String = lines.into_iter().take(truncate).collect();
        body.body = text;
        body.body_line_end = body.body_line + u32::try_from(truncate).unwrap_or(u32::MAX) - 1;
        let rest = range(body.body_line_end + 1, self.symbol.line_end);
        let call = Call::new("read_lines").with("path", self.path.as_str()).with("ranges", rest);
        body.rest = Some(call.to_string());
    }

    fn write(&self, numbered: bool, out: &mut String) {
        let SymbolRow { kind, qualified_name, id, tokens, .. } = &self.symbol;
        let lines = self.symbol.range();
        let _ = writeln!(out, "{} {qualified_name}  lines {lines}  ~{tokens} tokens  id {id}", kind.as_str());
        let Some(body) = &self.body else {
            if !self.symbol.signature.is_empty() {
                let _ = writeln!(out, "  {}", self.symbol.signature);
            }
            if let Some(call) = &self.elsewhere {
                let _ = writeln!(out, "the body: {call}");
            }
            return;
        };
        if !body.context.is_empty() {
            out.push_str("context, not part of the body:\n");
            for ContextLine { line, text } in &body.context {
                let _ = writeln!(out, "  {line}: {text}");
            }
        }
        let _ = writeln!(out, "body, lines {}:", range(body.body_line, body.body_line_end));
        if numbered {
            for (number, line) in (body.body_line..).zip(body.body.lines()) {
                let _ = writeln!(out, "{number}: {line}");
            }
        } else {
            out.push_str(&body.body);
            if !body.body.ends_with('\n') {
                out.push('\n');
            }
        }
        if let Some(rest) = &body.rest {
            let _ = writeln!(out, "the rest of the body, to line {}: {rest}", self.symbol.line_end);
        }
    }
}

struct Bodies {
    head: Head,
    total: usize,
    body: Body,
    stage: u8,
}

impl Payload for Bodies {
    type Head = Head;
    type Body = Body;

    fn verdict(&self) -> String {
        let rows = &self.body.symbols;
        let open = rows.iter().filter(|row| row.body.is_some()).count();
        let bodies =
            if open < rows.len() { format!("; bodies of {open} of the {} shown", rows.len()) } else { String::new() };
        format!("{} named {}{bodies}", counted(self.total, "symbol", "symbols"), self.head.name)
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self) -> &Body {
        &self.body
    }

    fn write_rows(&self, out: &mut String) {
        for (index, row) in self.body.symbols.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            row.write(self.head.numbered, out);
        }
    }

    fn shown(&self) -> usize {
        self.body.symbols.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.symbols.get(index)?;
        Some(format!("{}:{} {}", row.path, row.symbol.line, row.symbol.qualified_name))
    }

    fn degrade(&mut self) -> Option<&'static str> {
        let open = self.body.symbols.iter().filter(|row| row.body.is_some()).count();
        if open > 1 {
            if let Some(last) = self.body.symbols.iter_mut().rev().find(|row| row.body.is_some()) {
                last.close();
            }
            return Some("bodies of later symbols");
        }
        if let Some(row) = self.body.symbols.iter_mut().find(|row| row.body.is_some()) {
            row.shorten();
            return Some("the end of the body");
        }
        self.stage += 1;
        match self.stage {
            1 => {
                self.body.symbols.iter_mut().for_each(|row| row.symbol.without_docs());
                Some("documentation")
            }
            2 => {
                self.body.symbols.iter_mut().for_each(|row| row.symbol.keep_names());
                Some("signatures")
            }
            _ => None,
        }
    }

    fn truncate(&mut self, rows: usize) {
        self.body.symbols.truncate(rows);
    }
}
