//! Edits the server's entry in a host's configuration file: finds, adds and compares the entry, and leaves the rest of
//! the file unchanged.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use super::entry::{Entry, SERVER, toml_table};
use super::hosts::{Host, Syntax};
use crate::exit::Exit;
use crate::terminal::printable;

/// The result of merging the server's entry into a file's text.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// The file already contains the entry.
    Same,
    /// The new text of the file, with the entry in addition to the existing contents.
    Added(String),
    /// The new text of the file, with the entry in place of an existing one.
    Replaced {
        /// The new text of the file.
        text: String,
        /// The names of fields of the old entry that the new entry does not have.
        dropped: Vec<String>,
    },
}

impl Merged {
    fn of(text: String, entry: &Entry, existing: Option<Option<Entry>>) -> Self {
        match existing {
            None => Self::Added(text),
            Some(old) => {
                let names = old.map(|old| old.0.into_iter().map(|(name, _)| name).collect()).unwrap_or_else(Vec::new);
                Self::Replaced { text, dropped: names.into_iter().filter(|name| !entry.0.contains_key(name)).collect() }
            }
        }
    }

    fn map(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Same => Self::Same,
            Self::Added(text) => Self::Added(change(text)),
            Self::Replaced { text, dropped } => Self::Replaced { text: change(text), dropped },
        }
    }
}

/// The byte order mark and the line endings of a file, which an edit has to keep: some editors write a byte order mark
/// at the start, and end lines with CR and LF.
struct Envelope {
    has_mark: bool,
    ends_with_two: bool,
}

impl Envelope {
    /// Splits `text` into its envelope and the lines with LF endings; `None` where the file mixes both line endings.
    fn open(text: &str) -> Option<(Self, String)> {
        let inner = text.strip_prefix(MARK).unwrap_or(text);
        let (twos, ends) = (inner.matches("\r\n").count(), inner.matches('\n').count());
        let envelope = Self { has_mark: inner.len() < text.len(), ends_with_two: twos > 0 };
        (twos == 0 || twos == ends).then(|| (envelope, inner.replace("\r\n", "\n")))
    }

    fn close(&self, lines: &str) -> String {
        let mark = if self.has_mark { MARK } else { "" };
        let lines = if self.ends_with_two { lines.replace('\n', "\r\n") } else { lines.to_owned() };
        format!("{mark}{lines}")
    }
}

/// The UTF-8 byte order mark at the start of a file.
const MARK: &str = "\u{feff}";

/// The reason why a file is not changed, and the exit status of the run.
type Refusal = (String, Exit);

/// Merges the server's entry into the text of a host's file.
pub(super) fn merged(host: &Host, text: &str, entry: &Entry, force: bool) -> Result<Merged, Refusal> {
    let Some((envelope, lines)) = Envelope::open(text) else {
        return Err(("some of its lines end in CR LF and some in LF: add the lines by hand".to_owned(), Exit::Failure));
    };
    let merged = match host.syntax {
        Syntax::Json | Syntax::JsonWithComments => merged_json(host, &lines, entry, force),
        Syntax::Toml => merged_toml(host.section, &lines, entry, force),
    };
    merged.map(|merged| merged.map(|lines| envelope.close(&lines)))
}

/// The server's entry in a host's file; `None` where the file has none.
///
/// # Errors
/// When the file has a syntax that the host cannot read.
pub(in crate::commands) fn entry(host: &Host, text: &str) -> Result<Option<Entry>, String> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    match host.syntax {
        Syntax::Json | Syntax::JsonWithComments => {
            let Some(root) = parse_json(host, text)?.object_value() else { return Ok(None) };
            let Some(servers) = servers(&root, host.section)? else { return Ok(None) };
            once(&servers, SERVER)?;
            Ok(entry_of(&servers))
        }
        Syntax::Toml => {
            let document = parse_toml(text)?;
            let servers = document.get(host.section).and_then(Item::as_table_like);
            Ok(servers.and_then(|servers| servers.get(SERVER)).and_then(toml_entry))
        }
    }
}

/// The server's entry that the user's file of a host has for the project in one of `folders` only; `None` where there
/// is none.
///
/// # Errors
/// When the file has a syntax that the host cannot read.
pub(in crate::commands) fn own_entry(host: &Host, text: &str, folders: &[&Path]) -> Result<Option<Entry>, String> {
    let Some(projects) = host.projects else { return Ok(None) };
    let root = parse_json(host, text.strip_prefix(MARK).unwrap_or(text))?;
    let projects = root.object_value().and_then(|root| root.object_value(projects));
    for folder in folders {
        let project = projects.as_ref().and_then(|projects| projects.object_value(&folder.display().to_string()));
        if let Some(project) = project
            && let Some(servers) = servers(&project, host.section)?
            && let Some(entry) = entry_of(&servers)
        {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// Reports the existing entry that prevents the change. Its other fields (variables, headers) can contain secrets, so
/// only their names are shown.
fn conflict(existing: Option<&Entry>) -> Refusal {
    let mut said = format!("another {SERVER} entry is there, which --force replaces");
    match existing {
        None => said.push_str(", and which is no entry of a server"),
        Some(entry) => {
            if let Some((program, arguments)) = entry.command() {
                let words = std::iter::once(&program).chain(&arguments);
                let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
                said.push_str(&format!("\ncommand: {}", words.join(" ")));
            }
            let others: Vec<String> = entry
                .0
                .keys()
                .filter(|name| !["command", "args"].contains(&name.as_str()))
                .map(|name| printable(name))
                .collect();
            if !others.is_empty() {
                said.push_str(&format!("\nother fields: {}", others.join(", ")));
            }
        }
    }
    (said, Exit::BadUsage)
}

/// Parses exactly the JSON syntax that the host accepts: a file that the host rejects must not be written back.
fn parse_json(host: &Host, text: &str) -> Result<CstRootNode, String> {
    let with_comments = host.syntax == Syntax::JsonWithComments;
    let options = ParseOptions {
        allow_comments: with_comments,
        allow_trailing_commas: with_comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| format!("it is not JSON: {error}"))
}

/// Rejects an object that has the key `name` more than once, because readers disagree on which value counts.
fn once(object: &CstObject, name: &str) -> Result<(), String> {
    let same = object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    if same.count() > 1 { Err(format!("it has {name:?} more than once: leave one of them")) } else { Ok(()) }
}

fn merged_json(host: &Host, text: &str, entry: &Entry, force: bool) -> Result<Merged, Refusal> {
    let section = host.section;
    let failure = |reason: String| (reason, Exit::Failure);
    let root = parse_json(host, text).map_err(failure)?;
    let object = match root.value() {
        None => root.object_value_or_set(),
        Some(_) => root.object_value().ok_or_else(|| failure("it holds something other than an object".to_owned()))?,
    };
    let servers = match servers(&object, section).map_err(failure)? {
        Some(servers) => servers,
        None if object.get(section).is_some() => return Err(failure(format!("its {section:?} is not an object"))),
        None => object.object_value_or_set(section),
    };
    once(&servers, SERVER).map_err(failure)?;
    let existing = servers.get(SERVER);
    let found = entry_of(&servers);
    if found.as_ref().is_some_and(|found| entry.is_in(found)) {
        return Ok(Merged::Same);
    }
    if existing.is_some() && !force {
        return Err(conflict(found.as_ref()));
    }
    let replaced = existing.is_some().then_some(found);
    if has_comment(&root.clone().into()) {
        return Err(failure("it holds comments, which are yours to keep: add the lines by hand".to_owned()));
    }
    let value = input(&Value::Object(entry.0.clone()));
    match existing {
        Some(existing) => existing.set_value(value),
        None => {
            servers.append(SERVER, value);
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Merged::of(text, entry, replaced))
}

/// The object that contains the servers; the second version of opencode nests the object one level deeper.
fn servers(root: &CstObject, section: &str) -> Result<Option<CstObject>, String> {
    once(root, section)?;
    let Some(servers) = root.object_value(section) else { return Ok(None) };
    let deeper = (section == "mcp").then(|| servers.object_value("servers")).flatten();
    Ok(Some(deeper.filter(|deeper| deeper.get("type").is_none()).unwrap_or(servers)))
}

fn entry_of(servers: &CstObject) -> Option<Entry> {
    match servers.get(SERVER)?.value()?.to_serde_value()? {
        Value::Object(fields) => Some(Entry(fields)),
        _ => None,
    }
}

fn has_comment(root: &CstNode) -> bool {
    let mut nodes = vec![root.clone()];
    while let Some(node) = nodes.pop() {
        if node.is_comment() {
            return true;
        }
        nodes.extend(node.children());
    }
    false
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

fn parse_toml(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| format!("it is not TOML: {}", error.message()))
}

fn merged_toml(section: &str, text: &str, entry: &Entry, force: bool) -> Result<Merged, Refusal> {
    let failure = |reason: String| (reason, Exit::Failure);
    let mut document = parse_toml(text).map_err(failure)?;
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let servers = document.entry(section).or_insert_with(implicit);
    let is_inline = servers.is_inline_table();
    let Some(servers) = servers.as_table_like_mut() else {
        return Err(failure(format!("its {section:?} is not a table")));
    };
    let existing = servers.get(SERVER).map(toml_entry);
    if let Some(found) = &existing {
        if found.as_ref().is_some_and(|found| entry.is_in(found)) {
            return Ok(Merged::Same);
        }
        if !force {
            return Err(conflict(found.as_ref()));
        }
    }
    let table = toml_table(entry);
    let item = if is_inline { Item::Value(table.into_inline_table().into()) } else { Item::Table(table) };
    match servers.get_mut(SERVER) {
        // Replaces the table at its position, and keeps the comments above it.
        Some(Item::Table(old)) => {
            old.clear();
            if let Item::Table(new) = item {
                old.extend(new);
            }
        }
        Some(old) => {
            *old = if is_inline || old.is_value() {
                Item::Value(toml_table(entry).into_inline_table().into())
            } else {
                item
            }
        }
        None => {
            servers.insert(SERVER, item);
        }
    }
    Ok(Merged::of(document.to_string(), entry, existing))
}

fn toml_entry(item: &Item) -> Option<Entry> {
    let table = item.as_table_like()?;
    Some(Entry(table.iter().filter_map(|(name, item)| Some((name.to_owned(), json_item(item)?))).collect()))
}

fn json_item(item: &Item) -> Option<Value> {
    match item {
        Item::Value(value) => Some(json_value(value)),
        other => toml_entry(other).map(|fields| Value::Object(fields.0)),
    }
}

fn json_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(json_value).collect(),
        toml_edit::Value::InlineTable(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.to_owned(), json_value(value))).collect())
        }
    }
}
