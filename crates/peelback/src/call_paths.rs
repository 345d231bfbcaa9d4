//! The paths in the arguments of a tool call, by which the call's project is chosen.

use std::path::Path;

use serde_json::Value;

/// The text of an argument, or its first element where the argument is a list.
pub(crate) fn text_argument<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    let value = arguments.get(name)?;
    let first = value.as_array().and_then(|items| items.first());
    first.unwrap_or(value).as_str().filter(|text| !text.is_empty())
}

/// The file or folder that a call names, if there is one.
pub(crate) fn path_from_arguments(arguments: &Value) -> Option<&Path> {
    let path = text_argument(arguments, "path").or_else(|| text_argument(arguments, "scope")).map(|path| {
        // A path such as `a.rs:10-40` names a file and lines; only the file is used.
        match path.rsplit_once(':') {
            Some((file, _)) if !Path::new(path).exists() && Path::new(file).exists() => file,
            _ => path,
        }
    });
    let id = || {
        let (file, _) = text_argument(arguments, "name")?.split_once(':')?;
        Path::new(file).exists().then_some(file)
    };
    path.or_else(id).map(Path::new)
}
