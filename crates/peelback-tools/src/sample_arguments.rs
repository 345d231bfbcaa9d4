//! Sample arguments from the project that complete an example call, so that a caller can run the example unchanged.

use peelback_code::syntax::{Tier, language, walk_symbols_with_depth};
use peelback_code::{CodeAccess, WalkOptions};
use serde_json::{Map, Value};

use crate::parameter::ParameterType;
use crate::tool::AnyTool;

/// The maximum number of code files that are searched for a sample symbol.
const MAX_SEARCHED_FILES: usize = 50;

/// The minimum number of letters of a sample symbol's name.
const MIN_NAME_CHARS: usize = 3;

/// Fills each missing required parameter of a call with a value from this project.
pub(crate) fn fill_missing_required_arguments_with_samples(
    tool: &AnyTool,
    access: &CodeAccess,
    arguments: &mut Map<String, Value>,
) {
    let missing: Vec<_> =
        tool.parameters().iter().filter(|p| p.is_required && !arguments.contains_key(&p.name)).collect();
    if missing.is_empty() {
        return;
    }
    let first =
        |value: &Value| value.as_array().and_then(|values| values.first()).unwrap_or(value).as_str().map(str::to_owned);
    let path = arguments.get("path").and_then(first);
    let (file, symbol) = find_sample_file_and_symbol_name(access, path.as_deref())
        .unwrap_or_else(|| (".".to_owned(), "main".to_owned()));
    for parameter in missing {
        let value = if parameter.name == "path" { file.as_str() } else { symbol.as_str() };
        let value =
            if parameter.value_type == ParameterType::Strings { Value::from(vec![value]) } else { Value::from(value) };
        arguments.insert(parameter.name.clone(), value);
    }
}

/// A file of the project (below `path` if that exists), and the name of a symbol in the file.
fn find_sample_file_and_symbol_name(access: &CodeAccess, path: Option<&str>) -> Option<(String, String)> {
    let walk = WalkOptions::default();
    let files_below_path = path.and_then(|path| access.project().files_in_scope(Some(path), &walk).ok());
    let set = files_below_path
        .filter(|set| !set.entries.is_empty())
        .or_else(|| access.project().files_in_scope(None, &walk).ok())?;
    let is_code = |name: &str, describes_builds: bool| {
        language::language_of_file_name(name).is_some_and(|language| {
            !matches!(language.tier, Tier::Document) && language.describes_builds == describes_builds
        })
    };
    let code_of_kind = |describes_builds: bool| {
        set.entries.iter().filter(move |entry| is_code(entry.name(), describes_builds)).take(MAX_SEARCHED_FILES)
    };
    let code = code_of_kind(false).chain(code_of_kind(true));
    let first_file = set.entries.first();
    for entry in code.chain(first_file) {
        let Ok(analysed) = access.analyse_file(&entry.path) else { continue };
        let symbols = || walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol);
        let is_usable_name =
            |name: &str| name.len() >= MIN_NAME_CHARS && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let first_callable = symbols().filter(|s| is_usable_name(&s.name)).find(|s| s.kind.is_callable());
        if let Some(symbol) = first_callable.or_else(|| symbols().find(|s| is_usable_name(&s.name))) {
            return Some((entry.path.clone(), symbol.name.clone()));
        }
    }
    first_file.map(|entry| (entry.path.clone(), "main".to_owned()))
}
