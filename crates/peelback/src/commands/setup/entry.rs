//! The entry of the Peelback server in a host's configuration file, and the form of the entry in TOML.

use serde_json::{Map, Value};
use toml_edit::{DocumentMut, InlineTable, Item, Table};

/// The name under which hosts register the Peelback server.
pub(super) const SERVER_NAME: &str = "peelback";

/// The fields of a server's entry in a host's configuration file, in their order.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::commands) struct ServerEntry(pub Map<String, Value>);

impl ServerEntry {
    /// The program that the entry starts and its arguments, in any of the forms in which hosts write them.
    pub fn program_and_arguments(&self) -> Option<(String, Vec<String>)> {
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

    /// The URL of a server that the host does not start, without the parts that can contain secrets: user name,
    /// password, query.
    pub fn url_without_secrets(&self) -> Option<String> {
        let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|name| self.0.get(*name)?.as_str())?;
        let url = url.split(['?', '#']).next().unwrap_or(url);
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit('@').next().unwrap_or(host);
        Some(if scheme.is_empty() { format!("{host}{path}") } else { format!("{scheme}://{host}{path}") })
    }

    /// Whether the entry `other` has all fields of this entry; `other` can have additional fields (a time-out,
    /// variables).
    pub fn is_subset_of_ignoring_defaults(&self, other: &Self) -> bool {
        self.0.iter().all(|(name, value)| match (value, other.0.get(name)) {
            (value, Some(found)) => value == found,
            // A missing field counts as equal where it has the host's default value.
            (Value::Object(fields), None) => fields.is_empty(),
            (Value::Bool(true), None) => name == "enabled",
            (Value::String(word), None) => name == "type" && word == "stdio",
            _ => false,
        })
    }
}

/// The text of a TOML file that contains only the server's entry.
pub(super) fn server_entry_as_toml_file(section: &str, entry: &ServerEntry) -> String {
    let mut document = DocumentMut::new();
    let mut servers = Table::new();
    servers.set_implicit(true);
    servers.insert(SERVER_NAME, Item::Table(server_entry_to_toml_table(entry)));
    document.insert(section, Item::Table(servers));
    document.to_string()
}

/// The fields of a server entry as a TOML table. TOML has no null, so fields with null are left out.
pub(super) fn server_entry_to_toml_table(entry: &ServerEntry) -> Table {
    entry.0.iter().filter_map(|(name, value)| Some((name.as_str(), Item::Value(json_to_toml_value(value)?)))).collect()
}

fn json_to_toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64()?.into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().filter_map(json_to_toml_value).collect::<toml_edit::Array>().into(),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| Some((name.as_str(), json_to_toml_value(value)?)));
            fields.collect::<InlineTable>().into()
        }
    })
}
