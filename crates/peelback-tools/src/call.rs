//! Tool calls as values. As text, a call is the tool's name followed by its parameters as flags. With the prefix
//! `peelback `, this text is a shell command; a model reads the parameters from it.

use std::fmt::Write as _;
use std::sync::Arc;

use peelback_code::{Project, escape_to_one_line};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::parameter_name::parameter_name;
use crate::view::OutputOptions;

/// The length of a call as text, in bytes, from which on it is written by its difference from the call that is answered: a
/// call may name thousands of files, and its answer has to show rows.
pub(crate) const MAX_COMMAND_BYTES: usize = 1_000;

/// A call of a tool with concrete arguments. Paths are relative to the project's root.
#[derive(Debug, Clone)]
pub struct Call {
    tool_name: &'static str,
    arguments: Map<String, Value>,
    /// The arguments of the call that is answered, for a call that was made from it.
    answered: Option<Arc<Map<String, Value>>>,
    max_command_bytes: usize,
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.tool_name == other.tool_name && self.arguments == other.arguments
    }
}

impl Call {
    /// Creates a call of the tool named `tool`, without arguments.
    pub fn new(tool: &'static str) -> Self {
        Self { tool_name: tool, arguments: Map::new(), answered: None, max_command_bytes: MAX_COMMAND_BYTES }
    }

    /// Creates a call of the tool named `tool` with the arguments in `parameters`, but without the root and the row
    /// offset. It is the call that is answered.
    pub fn from_parameters_without_root_and_offset(tool: &'static str, parameters: &impl Serialize) -> Self {
        let mut arguments = match serde_json::to_value(parameters) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        for excluded in [parameter_name!(OutputOptions, offset), parameter_name!(OutputOptions, root)] {
            arguments.shift_remove(excluded);
        }
        Self { arguments: arguments.clone(), answered: Some(Arc::new(arguments)), ..Self::new(tool) }
    }

    /// Sets one argument of the call that is answered to a value that means the same.
    #[must_use]
    pub(crate) fn with_rewritten_argument(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if let Some(answered) = &mut self.answered {
            Arc::make_mut(answered).insert(name.to_owned(), value.clone());
        }
        self.with_argument(name, value)
    }

    /// Sets the length of the call as text, in bytes, from which on it is written by its difference from the call that is
    /// answered.
    #[must_use]
    pub(crate) fn with_max_command_bytes(self, bytes: usize) -> Self {
        Self { max_command_bytes: bytes, ..self }
    }

    /// Sets one argument of the call.
    #[must_use]
    pub fn with_argument(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the offset, so that the call returns rows from `offset` on, counted from 0.
    #[must_use]
    pub fn with_row_offset(self, offset: usize) -> Self {
        self.with_argument(parameter_name!(OutputOptions, offset), offset)
    }

    /// Removes one argument of the call.
    #[must_use]
    pub fn without_argument(mut self, name: &str) -> Self {
        self.arguments.shift_remove(name);
        self
    }

    /// The name of the called tool.
    pub fn tool_name(&self) -> &'static str {
        self.tool_name
    }

    /// The arguments of the call, in the order in which they were set.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    /// The call as text for a reader whose working directory is the project's root.
    pub fn to_command_from_project_root(&self) -> String {
        self.to_command_from_working_folder(None)
    }

    /// The call as text for a reader in this process's working directory. Paths are relative to that directory, and the
    /// text names the root where root discovery would not find it from there. A call that is too long is written by its
    /// difference from the call that is answered: `the same call with --offset 40`.
    pub(crate) fn to_command_from_working_folder(&self, project: Option<&Project>) -> String {
        let mut out = self.tool_name.to_owned();
        if let Some(root) = project.and_then(Project::root_path_if_call_must_name_it) {
            let _ = write!(out, " --root {}", shell_quoted_if_needed(&root));
        }
        let max_bytes = if self.answered.is_some() { self.max_command_bytes } else { usize::MAX };
        let is_whole = write_flags_unless_longer(&self.arguments, project, max_bytes, &mut out).is_some();
        match &self.answered {
            Some(answered) if !is_whole => self.to_difference_from(answered, project),
            _ => out,
        }
    }

    fn to_difference_from(&self, answered: &Map<String, Value>, project: Option<&Project>) -> String {
        let is_changed = |name: &str, value: &Value| answered.get(name) != Some(value);
        let (mut flags, mut long_flags) = (String::new(), String::new());
        for (name, value) in self.arguments.iter().filter(|(name, value)| is_changed(name, value)) {
            let flag = Map::from_iter([(name.clone(), value.clone())]);
            let length = flags.len();
            if write_flags_unless_longer(&flag, project, MAX_COMMAND_BYTES, &mut flags).is_none() {
                flags.truncate(length);
                let _ = write!(long_flags, " another --{name}");
            }
        }
        let removed = answered.keys().filter(|name| !self.arguments.contains_key(*name));
        let removed: String = removed.map(|name| format!(" --{name}")).collect();
        let mut out = "the same call".to_owned();
        for (word, flags) in [(" with", flags), (" with", long_flags), (" without", removed)] {
            if !flags.is_empty() {
                let is_first = out.len() == "the same call".len();
                let _ = write!(out, "{}{word}{flags}", if is_first { "" } else { " and" });
            }
        }
        out
    }
}

/// Writes arguments as flags, each after a space, unless the text becomes longer than `max_bytes` bytes. Paths are relative
/// to the working directory of this process, where there is a project.
fn write_flags_unless_longer(
    arguments: &Map<String, Value>,
    project: Option<&Project>,
    max_bytes: usize,
    out: &mut String,
) -> Option<()> {
    let text = |name: &str, value: &Value| {
        let value = json_value_to_unquoted_text(value);
        project.and_then(|project| path_value_relative_to_working_folder(project, name, &value)).unwrap_or(value)
    };
    for (name, value) in arguments {
        let items = match value {
            Value::Bool(true) => {
                let _ = write!(out, " --{name}");
                continue;
            }
            Value::Bool(false) | Value::Null => continue,
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        for item in items {
            let _ = write!(out, " --{name} {}", shell_quoted_if_needed(&text(name, item)));
            if out.len() > max_bytes {
                return None;
            }
        }
    }
    Some(())
}

/// The value of a path or id parameter, rewritten for a call from this process's working directory; `None` where the
/// value is no path or id, or needs no change.
fn path_value_relative_to_working_folder(project: &Project, parameter: &str, value: &str) -> Option<String> {
    match parameter {
        "path" | "scope" if project.absolute_path_of_text(value).exists() => project.path_argument_if_ambiguous(value),
        "name" => {
            let (path, name) =
                value.split_once(':').filter(|(path, _)| project.absolute_path_of_text(path).is_file())?;
            Some(format!("{}:{name}", project.path_argument_if_ambiguous(path)?))
        }
        _ => None,
    }
}

/// A JSON value as text, without the quotes of a string.
fn json_value_to_unquoted_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A word, quoted where a POSIX shell would not parse it as one word.
fn shell_quoted_if_needed(word: &str) -> String {
    let is_safe_char = |c: char| c.is_alphanumeric() || "_-./:,@%+=".contains(c);
    if !word.is_empty() && word.chars().all(is_safe_char) && !word.starts_with('-') {
        return word.to_owned();
    }
    if escape_to_one_line(word) != word {
        return shell_quoted_with_escapes(word);
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A word with control characters or line ends in the quotes in which a shell reads escapes: `$'two\nlines'`. Other
/// characters that are not shown as they are become the escapes of their bytes.
fn shell_quoted_with_escapes(word: &str) -> String {
    let mut out = String::from("$'");
    for c in word.chars() {
        let mut buffer = [0; 4];
        let text: &str = c.encode_utf8(&mut buffer);
        match c {
            '\n' => out.push_str("\\n"),
            '\\' | '\'' => out.extend(['\\', c]),
            _ if escape_to_one_line(text) != text => {
                for byte in text.bytes() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
            _ => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Call;

    #[test]
    fn a_word_with_control_characters_is_one_line_that_a_shell_reads() {
        let call = Call::new("grep").with_argument("pattern", "it's\na \\ \u{1b}[2J\u{202e}");
        assert_eq!(call.to_command_from_project_root(), r"grep --pattern $'it\'s\na \\ \x1b[2J\xe2\x80\xae'");
    }

    #[test]
    fn a_call_reads_as_a_shell_command() {
        let call = Call::new("grep")
            .with_argument("pattern", "it's $x")
            .with_argument("ignore_case", true)
            .with_argument("limit", 5);
        assert_eq!(call.to_command_from_project_root(), r"grep --pattern 'it'\''s $x' --ignore_case --limit 5");
    }

    #[test]
    fn a_long_call_is_written_by_what_differs() {
        let paths: Vec<String> = (0..200).map(|index| format!("src/file{index}.py")).collect();
        let parameters = json!({ "pattern": "a b", "scope": paths, "limit": 5, "offset": 4 });
        let call = Call::from_parameters_without_root_and_offset("grep", &parameters);
        let command = |call: Call| call.to_command_from_project_root();
        assert_eq!(command(call.clone().with_row_offset(9)), "the same call with --offset 9");
        let other = call.clone().without_argument("limit").with_argument("pattern", "b c");
        assert_eq!(command(other), "the same call with --pattern 'b c' and without --limit");
        let other = call.clone().without_argument("limit").with_argument("ignore_case", true);
        assert_eq!(command(other), "the same call with --ignore_case and without --limit");
        let narrowed = call.clone().with_argument("scope", vec!["a.py"]);
        assert_eq!(command(narrowed.clone()), "grep --pattern 'a b' --scope a.py --limit 5");
        assert_eq!(command(narrowed.with_max_command_bytes(20)), "the same call with --scope a.py");
        let other: Vec<&str> = vec!["a.py"; 400];
        let other = call.clone().with_argument("scope", other);
        assert_eq!(command(other.clone()), "the same call with another --scope");
        let other = other.with_row_offset(3).without_argument("limit");
        assert_eq!(command(other), "the same call with --offset 3 and with another --scope and without --limit");
        let rewritten: Vec<String> = (0..300).map(|index| format!("file{index}")).collect();
        let same = call.with_rewritten_argument("scope", rewritten);
        assert_eq!(command(same.with_row_offset(2)), "the same call with --offset 2");
    }
}
