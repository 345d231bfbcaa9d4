//! A tool call as answers write it: the tool's name and its parameters as flags. Behind `peelback ` it is a shell
//! command that works as it stands; a model reads the parameters off it.

use std::cell::{Cell, RefCell};
use std::fmt;

use peelback_code::Project;
use serde::Serialize;
use serde_json::{Map, Value};

thread_local! {
    /// The project of the current answer: its calls must lead back to it from the reader's working folder.
    static PROJECT: RefCell<Option<Project>> = const { RefCell::new(None) };
    /// The most tokens of the current answer, whatever its call asks for.
    static CEILING: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Runs `work`, whose calls are written for the working folder of `project` and whose answer stays under `ceiling`.
pub(crate) fn for_project<T>(project: &Project, ceiling: Option<usize>, work: impl FnOnce() -> T) -> T {
    let before = (PROJECT.replace(Some(project.clone())), CEILING.replace(ceiling));
    let result = work();
    PROJECT.set(before.0);
    CEILING.set(before.1);
    result
}

/// The most tokens of the current answer; `None` where its caller may lift every limit.
pub(crate) fn ceiling() -> Option<usize> {
    CEILING.get()
}

/// A value as a call from the working folder must write it: paths and ids that mean another file there are led back.
fn from_working_folder(project: &Project, parameter: &str, value: &str) -> Option<String> {
    match parameter {
        "path" | "scope" if project.root().join(value).exists() => project.path_to_name(value),
        "name" => {
            let (path, name) = value.split_once(':').filter(|(path, _)| project.root().join(path).is_file())?;
            Some(format!("{}:{name}", project.path_to_name(path)?))
        }
        _ => None,
    }
}

/// A call of a tool with real values.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    tool: &'static str,
    arguments: Map<String, Value>,
}

impl Call {
    /// A call without arguments.
    pub fn new(tool: &'static str) -> Self {
        Self { tool, arguments: Map::new() }
    }

    /// The call that `parameters` make, from its first row on.
    pub fn of(tool: &'static str, parameters: &impl Serialize) -> Self {
        let mut arguments = match serde_json::to_value(parameters) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        for own in ["offset", "root"] {
            arguments.shift_remove(own);
        }
        Self { tool, arguments }
    }

    /// The same call with one argument set.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The same call without one argument.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.arguments.shift_remove(name);
        self
    }

    /// The tool's name.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// The arguments.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tool)?;
        let project = PROJECT.with_borrow(Clone::clone);
        if let Some(root) = project.as_ref().and_then(Project::root_to_name) {
            write!(f, " --root {}", quoted(&root))?;
        }
        let plain = |name: &str, value: &Value| {
            let value = plain(value);
            project.as_ref().and_then(|project| from_working_folder(project, name, &value)).unwrap_or(value)
        };
        for (name, value) in &self.arguments {
            match value {
                Value::Bool(true) => write!(f, " --{name}")?,
                Value::Bool(false) | Value::Null => {}
                Value::Array(items) => {
                    for item in items {
                        write!(f, " --{name} {}", quoted(&plain(name, item)))?;
                    }
                }
                other => write!(f, " --{name} {}", quoted(&plain(name, other)))?,
            }
        }
        Ok(())
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "_-./:,@%+=".contains(c);
    if !word.is_empty() && word.chars().all(safe) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::Call;

    #[test]
    fn a_call_reads_as_a_shell_command() {
        let call = Call::new("grep").with("pattern", "it's $x").with("ignore_case", true).with("limit", 5);
        assert_eq!(call.to_string(), r"grep --pattern 'it'\''s $x' --ignore_case --limit 5");
    }
}
