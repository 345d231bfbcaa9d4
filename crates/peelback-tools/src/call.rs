//! Tool calls as values, and how they are written for the one who makes them: as a command of a shell or as the name of a
//! tool with its arguments as JSON.

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

/// The name of the program in shell commands.
const PROGRAM_NAME: &str = "peelback";

/// How a call that is written by its difference begins.
const SAME_CALL: &str = "the same call";

/// How a call is written for the one who makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallSyntax {
    /// A command of a POSIX shell: `peelback read-symbol --name Cart.add`.
    ShellCommand,
    /// The name of the tool and its arguments as JSON, as a model calls it: `read_symbol {"name":"Cart.add"}`.
    ToolCall,
}

/// A call of a tool with concrete arguments. Paths are relative to the project's root.
#[derive(Debug, Clone)]
pub struct Call {
    tool_name: &'static str,
    arguments: Map<String, Value>,
    /// The arguments of the call that is answered, for a call that was made from it.
    answered: Option<Arc<Map<String, Value>>>,
    max_command_bytes: usize,
}

/// The command of a shell that shows the documentation of a tool.
pub(crate) fn help_command_of_tool(tool: &str) -> String {
    format!("{PROGRAM_NAME} {} --help", tool.replace('_', "-"))
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

    /// The call with a list of one value for each single value of a parameter that is a list, as the schema of the tool has it.
    pub(crate) fn with_lists(&self, is_list: impl Fn(&str) -> bool) -> Self {
        let mut call = self.clone();
        for (name, value) in &mut call.arguments {
            if !value.is_array() && !value.is_null() && is_list(name) {
                *value = Value::Array(vec![value.take()]);
            }
        }
        call
    }

    /// The name of the called tool.
    pub fn tool_name(&self) -> &'static str {
        self.tool_name
    }

    /// The arguments of the call, in the order in which they were set.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    /// The call as a shell command for a reader whose working directory is the project's root.
    pub fn to_command_from_project_root(&self) -> String {
        self.format_from_working_folder(CallSyntax::ShellCommand, None)
    }

    /// The call as text for a reader in this process's working directory. Paths are relative to that directory, and the
    /// text names the root where root discovery would not find it from there. A call that is too long is written by its
    /// difference from the call that is answered: `the same call with --offset 40`.
    pub(crate) fn format_from_working_folder(&self, syntax: CallSyntax, project: Option<&Project>) -> String {
        let mut arguments = Map::new();
        if let Some(root) = project.and_then(Project::root_path_if_call_must_name_it) {
            arguments.insert(parameter_name!(OutputOptions, root).to_owned(), root.into());
        }
        arguments.extend(self.arguments.clone());
        let max_bytes = if self.answered.is_some() { self.max_command_bytes } else { usize::MAX };
        let written = match syntax {
            CallSyntax::ShellCommand => format!("{PROGRAM_NAME} {}", self.tool_name.replace('_', "-")),
            CallSyntax::ToolCall => format!("{} ", self.tool_name),
        };
        match (syntax.write_arguments_unless_longer(&arguments, project, max_bytes, written), &self.answered) {
            (Ok(whole), _) => whole,
            (Err(_), Some(answered)) => self.format_difference_from(answered, syntax, project),
            (Err(cut), None) => cut,
        }
    }

    fn format_difference_from(
        &self,
        answered: &Map<String, Value>,
        syntax: CallSyntax,
        project: Option<&Project>,
    ) -> String {
        let is_changed = |name: &str, value: &Value| answered.get(name) != Some(value);
        let (mut changed, mut long) = (Map::new(), String::new());
        for (name, value) in self.arguments.iter().filter(|(name, value)| is_changed(name, value)) {
            let argument = Map::from_iter([(name.clone(), value.clone())]);
            if syntax.write_arguments_unless_longer(&argument, project, MAX_COMMAND_BYTES, String::new()).is_ok() {
                changed.extend(argument);
            } else {
                let _ = write!(long, " another {}", syntax.parameter(name));
            }
        }
        let changed = match changed.is_empty() {
            true => String::new(),
            false => {
                let space = if syntax == CallSyntax::ToolCall { " " } else { "" };
                match syntax.write_arguments_unless_longer(&changed, project, usize::MAX, space.to_owned()) {
                    Ok(written) | Err(written) => written,
                }
            }
        };
        let removed = answered.keys().filter(|name| !self.arguments.contains_key(*name));
        let removed: String = removed.map(|name| format!(" {}", syntax.parameter(name))).collect();
        let mut out = SAME_CALL.to_owned();
        for (word, parameters) in [(" with", changed), (" with", long), (" without", removed)] {
            if !parameters.is_empty() {
                let is_first = out.len() == SAME_CALL.len();
                let _ = write!(out, "{}{word}{parameters}", if is_first { "" } else { " and" });
            }
        }
        out
    }
}

impl CallSyntax {
    /// The name of a parameter as calls of this syntax have it.
    fn parameter(self, name: &str) -> String {
        match self {
            Self::ShellCommand => format!("--{}", name.replace('_', "-")),
            Self::ToolCall => name.to_owned(),
        }
    }

    /// `written` with arguments after it, or, as an error, with a part of them where the text becomes longer than `max_bytes`
    /// bytes. Paths are relative to the working directory of this process, where there is a project.
    fn write_arguments_unless_longer(
        self,
        arguments: &Map<String, Value>,
        project: Option<&Project>,
        max_bytes: usize,
        mut written: String,
    ) -> Result<String, String> {
        let with_path_from_working_folder = |name: &str, value: &Value| match value {
            Value::String(text) => project
                .and_then(|project| path_value_relative_to_working_folder(project, name, text))
                .map_or_else(|| value.clone(), Value::String),
            other => other.clone(),
        };
        let mut fields = Map::new();
        for (name, value) in arguments {
            let items = match value {
                Value::Bool(false) | Value::Null => continue,
                Value::Bool(true) if self == Self::ShellCommand => {
                    let _ = write!(written, " {}", self.parameter(name));
                    continue;
                }
                Value::Array(items) => items.as_slice(),
                other => std::slice::from_ref(other),
            };
            let mut list = Vec::new();
            let mut list_bytes = 0;
            for item in items {
                let item = with_path_from_working_folder(name, item);
                let text = json_value_to_unquoted_text(&item);
                match self {
                    Self::ShellCommand => {
                        let _ = write!(written, " {} {}", self.parameter(name), shell_quoted_if_needed(&text));
                    }
                    Self::ToolCall => list_bytes += text.len(),
                }
                list.push(item);
                if written.len() + list_bytes > max_bytes {
                    return Err(written);
                }
            }
            let field = match (value, list.pop()) {
                (Value::Array(_), last) => Value::Array(list.into_iter().chain(last).collect()),
                (_, item) => item.unwrap_or_default(),
            };
            fields.insert(name.clone(), field);
        }
        if self == Self::ToolCall {
            written.push_str(&json_in_one_line(&Value::Object(fields)));
        }
        if written.len() > max_bytes { Err(written) } else { Ok(written) }
    }
}

/// A JSON value as text in which each character that is not shown as it is, or that ends a line, is escaped.
fn json_in_one_line(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        let mut buffer = [0; 4];
        let text: &str = c.encode_utf8(&mut buffer);
        if escape_to_one_line(text) == text {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
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

    use super::{Call, CallSyntax};

    fn tool_call(call: &Call) -> String {
        call.format_from_working_folder(CallSyntax::ToolCall, None)
    }

    #[test]
    fn a_word_with_control_characters_is_one_line_that_a_shell_reads() {
        let call = Call::new("grep").with_argument("pattern", "it's\na \\ \u{1b}[2J\u{202e}");
        assert_eq!(call.to_command_from_project_root(), r"peelback grep --pattern $'it\'s\na \\ \x1b[2J\xe2\x80\xae'");
        assert_eq!(tool_call(&call), r#"grep {"pattern":"it's\na \\ \u001b[2J\u202e"}"#);
    }

    #[test]
    fn a_call_is_a_shell_command_or_a_tool_with_its_arguments() {
        let call = Call::new("read_symbol")
            .with_argument("name", "it's $x")
            .with_argument("include_body", true)
            .with_argument("no_docs", false)
            .with_argument("limit", 5);
        assert_eq!(
            call.to_command_from_project_root(),
            r"peelback read-symbol --name 'it'\''s $x' --include-body --limit 5"
        );
        assert_eq!(tool_call(&call), r#"read_symbol {"name":"it's $x","include_body":true,"limit":5}"#);
        assert_eq!(tool_call(&Call::new("tree")), "tree {}");
        let several = Call::new("outline").with_argument("path", vec!["a b.py"]);
        assert_eq!(several.to_command_from_project_root(), "peelback outline --path 'a b.py'");
        assert_eq!(tool_call(&several), r#"outline {"path":["a b.py"]}"#);
    }

    #[test]
    fn a_long_call_is_written_by_what_differs() {
        let paths: Vec<String> = (0..200).map(|index| format!("src/file{index}.py")).collect();
        let parameters = json!({ "pattern": "a b", "scope": paths, "limit": 5, "offset": 4 });
        let call = Call::from_parameters_without_root_and_offset("grep", &parameters);
        let both = |call: &Call| [call.to_command_from_project_root(), tool_call(call)];
        assert_eq!(
            both(&call.clone().with_row_offset(9)),
            ["the same call with --offset 9", r#"the same call with {"offset":9}"#]
        );
        let other = call.clone().without_argument("limit").with_argument("pattern", "b c");
        assert_eq!(
            both(&other),
            [
                "the same call with --pattern 'b c' and without --limit",
                r#"the same call with {"pattern":"b c"} and without limit"#
            ]
        );
        let other = call.clone().without_argument("limit").with_argument("ignore_case", true);
        assert_eq!(
            both(&other),
            [
                "the same call with --ignore-case and without --limit",
                r#"the same call with {"ignore_case":true} and without limit"#
            ]
        );
        let narrowed = call.clone().with_argument("scope", vec!["a.py"]);
        assert_eq!(
            both(&narrowed),
            [
                "peelback grep --pattern 'a b' --scope a.py --limit 5",
                r#"grep {"pattern":"a b","scope":["a.py"],"limit":5}"#
            ]
        );
        assert_eq!(
            both(&narrowed.with_max_command_bytes(20)),
            ["the same call with --scope a.py", r#"the same call with {"scope":["a.py"]}"#]
        );
        let other: Vec<&str> = vec!["a.py"; 400];
        let other = call.clone().with_argument("scope", other);
        assert_eq!(both(&other), ["the same call with another --scope", "the same call with another scope"]);
        let other = other.with_row_offset(3).without_argument("limit");
        assert_eq!(
            both(&other),
            [
                "the same call with --offset 3 and with another --scope and without --limit",
                r#"the same call with {"offset":3} and with another scope and without limit"#
            ]
        );
        let rewritten: Vec<String> = (0..300).map(|index| format!("file{index}")).collect();
        let same = call.with_rewritten_argument("scope", rewritten);
        assert_eq!(both(&same.with_row_offset(2))[0], "the same call with --offset 2");
    }
}
