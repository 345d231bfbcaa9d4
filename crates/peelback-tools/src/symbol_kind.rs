//! Parsing of the symbol kind in a call.

use peelback_code::find_similar_names;
use peelback_code::syntax::SymbolKind;

use crate::call::Call;
use crate::recoverable_error::RecoverableError;

/// The symbol kind named `name`, or an error that suggests the nearest kind. `parameter` is the parameter of `call`
/// that holds the name.
pub(crate) fn symbol_kind_by_name_or_synonym(
    name: &str,
    call: &Call,
    parameter: &str,
) -> Result<SymbolKind, RecoverableError> {
    let word = name.trim().to_lowercase().replace([' ', '-'], "_");
    let singular = word.strip_suffix('s').filter(|_| !word.ends_with("ss")).unwrap_or(&word);
    let known = match singular {
        "func" | "fn" | "def" => "function",
        "const" => "constant",
        "var" => "variable",
        "mod" | "package" => "module",
        "variant" | "enumerator" => "enum_member",
        "heading" => "section",
        "attribute" => "field",
        other => other,
    };
    SymbolKind::from_name(known).or_else(|| SymbolKind::from_name(&word)).ok_or_else(|| {
        let names: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let near = find_similar_names(&word, names.iter().copied(), 1)
            .into_iter()
            .next()
            .unwrap_or_else(|| "function".to_owned());
        let error = format!("there is no symbol kind {name:?}; the kinds are {}", names.join(", "));
        let retry_call = call.clone().with_argument(parameter, near.as_str());
        RecoverableError::of_invalid_arguments(error).with_hint_and_call(format!("did you mean {near}? "), retry_call)
    })
}
