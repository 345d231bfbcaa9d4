//! A server's entry in a host's file: found, added and compared, with all else in the file left as it is.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, InlineTable, Item, Table};

use super::SERVER;
use super::hosts::{Host, Syntax};
use crate::exit::Exit;

/// The fields of a server's entry, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::commands) struct Entry(pub Map<String, Value>);

impl Entry {
    /// The program and its arguments, however the host writes them.
    pub fn command(&self) -> Option<(String, Vec<String>)> {
        let texts = |value: Option<&Value>| -> Vec<String> {
            let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        match self.0.get("command")? {
            Value::String(program) => Some((program.clone(), texts(self.0.get("args")))),
            Value::Array(_) => {
                let mut words = texts(self.0.get("command")).into_iter();
                Some((words.next()?, words.collect()))
            }
            _ => None,
        }
    }

    /// Whether `other` says all that this one says; it may say more (a time-out, variables).
    fn is_in(&self, other: &Self) -> bool {
        self.0.iter().all(|(name, value)| match (value, other.0.get(name)) {
            (value, Some(found)) => value == found,
            // What a host takes where the field is missing.
            (Value::Object(fields), None) => fields.is_empty(),
            (Value::Bool(true), None) => name == "enabled",
            (Value::String(word), None) => name == "type" && word == "stdio",
            _ => false,
        })
    }
}

/// What became of a file's text.
#[derive(Debug, PartialEq)]
pub(super) enum Merged {
    /// The entry is there already.
    Same,
    /// The new text.
    Changed(String),
}

/// Why a file is left alone, and how the run ends.
type Refusal = (String, Exit);

/// `text` with the entry in it.
pub(super) fn merged(host: &Host, text: &str, entry: &Entry, force: bool) -> Result<Merged, Refusal> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match host.syntax {
        Syntax::Json => merged_json(host.section, text, entry, force),
        Syntax::Toml => merged_toml(host.section, text, entry, force),
    }
}

/// The entry that a host's file holds; `None` where there is none.
///
/// # Errors
/// A file that the host cannot read.
pub(in crate::commands) fn entry(host: &Host, text: &str) -> Result<Option<Entry>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match host.syntax {
        Syntax::Json => {
            let root = parse_json(text)?;
            let servers = root.object_value().and_then(|root| servers(&root, host.section));
            Ok(servers.and_then(|servers| entry_of(&servers)))
        }
        Syntax::Toml => {
            let document = parse_toml(text)?;
            let servers = document.get(host.section).and_then(Item::as_table_like);
            Ok(servers.and_then(|servers| servers.get(SERVER)).and_then(toml_entry))
        }
    }
}

fn conflict(existing: &str) -> Refusal {
    (format!("another {SERVER} entry is there, which --force replaces:\n{existing}"), Exit::BadUsage)
}

fn parse_json(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| format!("it is not JSON: {error}"))
}

fn merged_json(section: &str, text: &str, entry: &Entry, force: bool) -> Result<Merged, Refusal> {
    let failure = |reason: String| (reason, Exit::Failure);
    let root = parse_json(text).map_err(failure)?;
    let object = match root.value() {
        None => root.object_value_or_set(),
        Some(_) => root.object_value().ok_or_else(|| failure("it holds something other than an object".to_owned()))?,
    };
    let servers = match servers(&object, section) {
        Some(servers) => servers,
        None if object.get(section).is_some() => return Err(failure(format!("its {section:?} is not an object"))),
        None => object.object_value_or_set(section),
    };
    let existing = servers.get(SERVER);
    if let Some(found) = entry_of(&servers) {
        if entry.is_in(&found) {
            return Ok(Merged::Same);
        }
        if !force {
            return Err(conflict(&format!("{:#}", Value::Object(found.0))));
        }
    } else if let Some(other) = &existing
        && !force
    {
        return Err(conflict(&other.to_string()));
    }
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
    Ok(Merged::Changed(text))
}

/// The object that holds the servers; opencode's second version keeps them one level deeper.
fn servers(root: &CstObject, section: &str) -> Option<CstObject> {
    let servers = root.object_value(section)?;
    let deeper = (section == "mcp").then(|| servers.object_value("servers")).flatten();
    Some(deeper.filter(|deeper| deeper.get("type").is_none()).unwrap_or(servers))
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
    if let Some(existing) = servers.get(SERVER) {
        let found = toml_entry(existing);
        if found.as_ref().is_some_and(|found| entry.is_in(found)) {
            return Ok(Merged::Same);
        }
        if !force {
            return Err(conflict(existing.to_string().trim()));
        }
    }
    let table = toml_table(entry);
    let item = if is_inline { Item::Value(table.into_inline_table().into()) } else { Item::Table(table) };
    match servers.get_mut(SERVER) {
        // In its place, with the comments above it.
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
    Ok(Merged::Changed(document.to_string()))
}

/// The lines of a TOML file with nothing else in it.
pub(super) fn toml_snippet(section: &str, entry: &Entry) -> String {
    let mut document = DocumentMut::new();
    let mut servers = Table::new();
    servers.set_implicit(true);
    servers.insert(SERVER, Item::Table(toml_table(entry)));
    document.insert(section, Item::Table(servers));
    document.to_string()
}

fn toml_table(entry: &Entry) -> Table {
    entry.0.iter().filter_map(|(name, value)| Some((name.as_str(), Item::Value(toml_value(value)?)))).collect()
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64()?.into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().filter_map(toml_value).collect::<toml_edit::Array>().into(),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| Some((name.as_str(), toml_value(value)?)));
            fields.collect::<InlineTable>().into()
        }
    })
}

fn toml_entry(item: &Item) -> Option<Entry> {
    let table = item.as_table_like()?;
    let fields = table.iter().filter_map(|(name, item)| Some((name.to_owned(), json_value(item.as_value()?))));
    Some(Entry(fields.collect()))
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
