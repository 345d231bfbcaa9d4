//! The paths in the arguments of a tool call, by which the call's project is chosen.

use std::path::Path;

use peelback_code::existing_path_of_text;
use peelback_tools::MAX_TEXT_CHARS;
use serde_json::Value;

/// The limit on the bytes of a path: those of the longest text that a tool takes.
const MAX_PATH_BYTES: usize = 4 * MAX_TEXT_CHARS;

/// The text of the tool call's argument `name`, or its first text where the argument is a list. A text that is longer
/// than any path is none: the tool refuses it.
pub(crate) fn text_of_tool_argument<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    let value = arguments.get(name)?;
    let first = value.as_array().and_then(|items| items.first());
    first.unwrap_or(value).as_str().filter(|text| !text.is_empty() && text.len() <= MAX_PATH_BYTES)
}

/// The file or folder that a tool call names in its argument `path`, `scope` or `name`, if there is one.
pub(crate) fn path_from_tool_arguments(arguments: &Value) -> Option<&Path> {
    let path =
        text_of_tool_argument(arguments, "path").or_else(|| text_of_tool_argument(arguments, "scope")).map(|path| {
            // A path such as `a.rs:10-40` names a file and lines; only the file is used.
            match path.rsplit_once(':') {
                Some((file, _)) if !is_existing_path(path) && is_existing_path(file) => file,
                _ => path,
            }
        });
    let id = || {
        let (file, _) = text_of_tool_argument(arguments, "name")?.split_once(':')?;
        is_existing_path(file).then_some(file)
    };
    path.or_else(id).map(Path::new)
}

/// Whether a path, as a caller gives it, exists from the working folder.
fn is_existing_path(path: &str) -> bool {
    existing_path_of_text(Path::new("."), path).exists()
}
