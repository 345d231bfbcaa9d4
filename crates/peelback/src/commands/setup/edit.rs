//! Edits the entry of the Peelback server in a host's configuration file: finds, adds and compares the entry, and
//! leaves the rest of the file unchanged.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use peelback_code::escape_control_characters;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

use super::entry::{SERVER_NAME, ServerEntry, server_entry_to_toml_table};
use super::hosts::{ConfigFileSyntax, McpHost};
use crate::exit::ExitStatus;

/// The result of merging the server's entry into the text of a host's configuration file.
#[derive(Debug, PartialEq)]
pub(super) enum EntryMergeOutcome {
    /// The file already contains the server's entry.
    Unchanged,
    /// The new text of the file, with the server's entry in addition to the existing contents.
    Added(String),
    /// The new text of the file, with the server's entry in place of an existing one.
    Replaced {
        /// The new text of the host's configuration file.
        text: String,
        /// The names of the old server entry's fields that the new entry does not have.
        dropped: Vec<String>,
    },
}

impl EntryMergeOutcome {
    fn from_merged_text(text: String, entry: &ServerEntry, existing: Option<Option<ServerEntry>>) -> Self {
        match existing {
            None => Self::Added(text),
            Some(old) => {
                let names = old.map(|old| old.0.into_iter().map(|(name, _)| name).collect()).unwrap_or_else(Vec::new);
                Self::Replaced { text, dropped: names.into_iter().filter(|name| !entry.0.contains_key(name)).collect() }
            }
        }
    }

    fn map_text(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Unchanged => Self::Unchanged,
            Self::Added(text) => Self::Added(change(text)),
            Self::Replaced { text, dropped } => Self::Replaced { text: change(text), dropped },
        }
    }
}

/// The byte order mark and the line endings of a file, which an edit has to keep: some editors write a byte order mark
/// at the start, and end lines with CR and LF.
struct TextFileFormat {
    has_byte_order_mark: bool,
    has_crlf_line_endings: bool,
}

impl TextFileFormat {
    /// Splits the text of a file into its format and its lines with LF endings; `None` where the file mixes LF and CR
    /// LF endings.
    fn detect_and_strip_from_text(text: &str) -> Option<(Self, String)> {
        let inner = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let (crlf_count, line_end_count) = (inner.matches("\r\n").count(), inner.matches('\n').count());
        let envelope = Self { has_byte_order_mark: inner.len() < text.len(), has_crlf_line_endings: crlf_count > 0 };
        (crlf_count == 0 || crlf_count == line_end_count).then(|| (envelope, inner.replace("\r\n", "\n")))
    }

    fn apply_to_lines(&self, lines: &str) -> String {
        let mark = if self.has_byte_order_mark { BYTE_ORDER_MARK } else { "" };
        let lines = if self.has_crlf_line_endings { lines.replace('\n', "\r\n") } else { lines.to_owned() };
        format!("{mark}{lines}")
    }
}

/// The UTF-8 byte order mark at the start of a file.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The reason why a host's file is not changed, and the exit status of the program.
type MergeError = (String, ExitStatus);

/// Merges the server's entry into the text of a host's configuration file.
pub(super) fn merge_server_entry_into_config_text(
    host: &McpHost,
    text: &str,
    entry: &ServerEntry,
    force: bool,
) -> Result<EntryMergeOutcome, MergeError> {
    let Some((envelope, lines)) = TextFileFormat::detect_and_strip_from_text(text) else {
        return Err((
            "some of its lines end in CR LF and some in LF: add the lines by hand".to_owned(),
            ExitStatus::Failure,
        ));
    };
    let merged = match host.syntax {
        ConfigFileSyntax::Json | ConfigFileSyntax::JsonWithComments => {
            merge_server_entry_into_json(host, &lines, entry, force)
        }
        ConfigFileSyntax::Toml => merge_server_entry_into_toml(host.section, &lines, entry, force),
    };
    merged.map(|merged| merged.map_text(|lines| envelope.apply_to_lines(&lines)))
}

/// The server's entry in the text of a host's configuration file; `None` where the file has none.
///
/// # Errors
/// When the file has a syntax that the host cannot read.
pub(in crate::commands) fn find_server_entry_in_config_text(
    host: &McpHost,
    text: &str,
) -> Result<Option<ServerEntry>, String> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    match host.syntax {
        ConfigFileSyntax::Json | ConfigFileSyntax::JsonWithComments => {
            let Some(root) = parse_mcp_host_json(host, text)?.object_value() else { return Ok(None) };
            let Some(servers) = find_json_object_of_servers(&root, host.section)? else { return Ok(None) };
            check_json_key_is_unique(&servers, SERVER_NAME)?;
            Ok(find_server_entry_in_servers_object(&servers))
        }
        ConfigFileSyntax::Toml => {
            let document = parse_toml(text)?;
            let servers = document.get(host.section).and_then(Item::as_table_like);
            Ok(servers.and_then(|servers| servers.get(SERVER_NAME)).and_then(server_entry_from_toml))
        }
    }
}

/// The server's entry that a host's file of the user contains only for the project in one of `folders`; `None` where
/// there is none.
///
/// # Errors
/// When the file has a syntax that the host cannot read.
pub(in crate::commands) fn project_server_entry_in_host_file(
    host: &McpHost,
    text: &str,
    folders: &[&Path],
) -> Result<Option<ServerEntry>, String> {
    let Some(projects) = host.projects_key else { return Ok(None) };
    let root = parse_mcp_host_json(host, text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))?;
    let projects = root.object_value().and_then(|root| root.object_value(projects));
    for folder in folders {
        let project = projects.as_ref().and_then(|projects| projects.object_value(&folder.display().to_string()));
        if let Some(project) = project
            && let Some(servers) = find_json_object_of_servers(&project, host.section)?
            && let Some(entry) = find_server_entry_in_servers_object(&servers)
        {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The error for an existing server entry, which is replaced only with `--force`. The entry's other fields (variables,
/// headers) can contain secrets, so only their names are shown.
fn existing_server_entry_error(existing: Option<&ServerEntry>) -> MergeError {
    let mut message = format!("there is another {SERVER_NAME} entry: --force replaces it");
    match existing {
        None => message.push_str(", and it is not a server entry"),
        Some(entry) => {
            if let Some((program, arguments)) = entry.program_and_arguments() {
                let words = std::iter::once(&program).chain(&arguments);
                let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
                message.push_str(&format!("\ncommand: {}", words.join(" ")));
            }
            let others: Vec<String> = entry
                .0
                .keys()
                .filter(|name| !["command", "args"].contains(&name.as_str()))
                .map(|name| escape_control_characters(name).into_owned())
                .collect();
            if !others.is_empty() {
                message.push_str(&format!("\nother fields: {}", others.join(", ")));
            }
        }
    }
    (message, ExitStatus::BadUsage)
}

/// Parses the text of a host's file as exactly the JSON syntax that the host accepts: a file that the host rejects must
/// not be written back.
fn parse_mcp_host_json(host: &McpHost, text: &str) -> Result<CstRootNode, String> {
    let with_comments = host.syntax == ConfigFileSyntax::JsonWithComments;
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

/// Rejects a JSON object that has the key `name` more than once, because readers disagree on which value counts.
fn check_json_key_is_unique(object: &CstObject, name: &str) -> Result<(), String> {
    let properties_with_name =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    if properties_with_name.count() > 1 {
        Err(format!("it has {name:?} more than once: keep one of them"))
    } else {
        Ok(())
    }
}

fn merge_server_entry_into_json(
    host: &McpHost,
    text: &str,
    entry: &ServerEntry,
    force: bool,
) -> Result<EntryMergeOutcome, MergeError> {
    let section = host.section;
    let failure = |reason: String| (reason, ExitStatus::Failure);
    let root = parse_mcp_host_json(host, text).map_err(failure)?;
    let object = match root.value() {
        None => root.object_value_or_set(),
        Some(_) => {
            root.object_value().ok_or_else(|| failure("it contains something other than an object".to_owned()))?
        }
    };
    let servers = match find_json_object_of_servers(&object, section).map_err(failure)? {
        Some(servers) => servers,
        None if object.get(section).is_some() => return Err(failure(format!("its {section:?} is not an object"))),
        None => object.object_value_or_set(section),
    };
    check_json_key_is_unique(&servers, SERVER_NAME).map_err(failure)?;
    let existing = servers.get(SERVER_NAME);
    let found = find_server_entry_in_servers_object(&servers);
    if found.as_ref().is_some_and(|found| entry.is_subset_of_ignoring_defaults(found)) {
        return Ok(EntryMergeOutcome::Unchanged);
    }
    if existing.is_some() && !force {
        return Err(existing_server_entry_error(found.as_ref()));
    }
    let replaced_entry = existing.is_some().then_some(found);
    if has_json_comment(&root.clone().into()) {
        return Err(failure("it has comments, which would be lost: add the lines by hand".to_owned()));
    }
    let value = json_to_syntax_tree_value(&Value::Object(entry.0.clone()));
    match existing {
        Some(existing) => existing.set_value(value),
        None => {
            servers.append(SERVER_NAME, value);
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(EntryMergeOutcome::from_merged_text(text, entry, replaced_entry))
}

/// The JSON object in a host's file that contains the server entries; the second version of the host opencode nests the
/// object one level deeper.
fn find_json_object_of_servers(root: &CstObject, section: &str) -> Result<Option<CstObject>, String> {
    check_json_key_is_unique(root, section)?;
    let Some(servers) = root.object_value(section) else { return Ok(None) };
    let nested_servers = (section == "mcp").then(|| servers.object_value("servers")).flatten();
    Ok(Some(nested_servers.filter(|deeper| deeper.get("type").is_none()).unwrap_or(servers)))
}

fn find_server_entry_in_servers_object(servers: &CstObject) -> Option<ServerEntry> {
    match servers.get(SERVER_NAME)?.value()?.to_serde_value()? {
        Value::Object(fields) => Some(ServerEntry(fields)),
        _ => None,
    }
}

fn has_json_comment(root: &CstNode) -> bool {
    let mut nodes = vec![root.clone()];
    while let Some(node) = nodes.pop() {
        if node.is_comment() {
            return true;
        }
        nodes.extend(node.children());
    }
    false
}

fn json_to_syntax_tree_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(json_to_syntax_tree_value).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(name, value)| (name.clone(), json_to_syntax_tree_value(value))).collect(),
        ),
    }
}

fn parse_toml(text: &str) -> Result<DocumentMut, String> {
    text.parse::<DocumentMut>().map_err(|error| format!("it is not TOML: {}", error.message()))
}

fn merge_server_entry_into_toml(
    section: &str,
    text: &str,
    entry: &ServerEntry,
    force: bool,
) -> Result<EntryMergeOutcome, MergeError> {
    let failure = |reason: String| (reason, ExitStatus::Failure);
    let mut document = parse_toml(text).map_err(failure)?;
    let new_implicit_table = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let servers = document.entry(section).or_insert_with(new_implicit_table);
    let is_inline = servers.is_inline_table();
    let Some(servers) = servers.as_table_like_mut() else {
        return Err(failure(format!("its {section:?} is not a table")));
    };
    let existing = servers.get(SERVER_NAME).map(server_entry_from_toml);
    if let Some(found) = &existing {
        if found.as_ref().is_some_and(|found| entry.is_subset_of_ignoring_defaults(found)) {
            return Ok(EntryMergeOutcome::Unchanged);
        }
        if !force {
            return Err(existing_server_entry_error(found.as_ref()));
        }
    }
    let table = server_entry_to_toml_table(entry);
    let item = if is_inline { Item::Value(table.into_inline_table().into()) } else { Item::Table(table) };
    match servers.get_mut(SERVER_NAME) {
        // Replaces the server's TOML table at its position, and keeps the comments above it.
        Some(Item::Table(old)) => {
            old.clear();
            if let Item::Table(new) = item {
                old.extend(new);
            }
        }
        Some(old) => {
            *old = if is_inline || old.is_value() {
                Item::Value(server_entry_to_toml_table(entry).into_inline_table().into())
            } else {
                item
            }
        }
        None => {
            servers.insert(SERVER_NAME, item);
        }
    }
    Ok(EntryMergeOutcome::from_merged_text(document.to_string(), entry, existing))
}

fn server_entry_from_toml(item: &Item) -> Option<ServerEntry> {
    let table = item.as_table_like()?;
    Some(ServerEntry(
        table.iter().filter_map(|(name, item)| Some((name.to_owned(), toml_item_to_json(item)?))).collect(),
    ))
}

fn toml_item_to_json(item: &Item) -> Option<Value> {
    match item {
        Item::Value(value) => Some(toml_value_to_json(value)),
        other => server_entry_from_toml(other).map(|fields| Value::Object(fields.0)),
    }
}

fn toml_value_to_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(items) => items.iter().map(toml_value_to_json).collect(),
        toml_edit::Value::InlineTable(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.to_owned(), toml_value_to_json(value))).collect())
        }
    }
}
