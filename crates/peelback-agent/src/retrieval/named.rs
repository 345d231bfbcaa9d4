//! The names in code form that a question mentions, and the definitions of these names in the project.

use peelback_code::syntax::Symbol;
use peelback_code::{CodeAccess, CodeError, SymbolNameQuery, looks_like_test_path};
use peelback_secrets::pattern::constant_patterns;

/// The maximum number of names in a question whose definitions are searched.
const MOST_NAMES: usize = 6;

/// The maximum number of definitions in the result for one name.
const MOST_OF_NAME: usize = 4;

/// A definition in the project of a name that the question mentions.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The name as the question spells it.
    pub name: String,
    /// The path of the file with the definition, relative to the project's root.
    pub path: String,
    /// The defined symbol, without its children.
    pub symbol: Symbol,
    /// The number of symbols in the project that have this name.
    pub total: usize,
}

impl Definition {
    /// The symbol's id, which every tool accepts: `path:Qualified.name`.
    pub fn symbol_id(&self) -> String {
        format!("{}:{}", self.path, self.symbol.unique_address_in_file())
    }
}

constant_patterns! {
    NAME = r"`?[A-Za-z_$][A-Za-z0-9_$]*(?:(?:\.|::|#)[A-Za-z_$][A-Za-z0-9_$]*)*(?:\(\)|`)?";
}

/// The names in a question that have the form of code, without duplicates, in the order of the question: words in
/// backticks, with an underscore or an inner capital, with a dot or colons between parts, or followed by parentheses.
pub(super) fn code_names_in_question(question: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for found in NAME.find_iter(question) {
        let text = found.as_str();
        let name = text.trim_matches('`').trim_end_matches("()");
        let inner = name.get(1..).unwrap_or("");
        let has_shape = inner.contains('_')
            || inner.contains("::")
            || inner.contains('#')
            || (inner.contains('.') && !is_file_name_of_known_language(name))
            || name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        let is_marked = text.ends_with('`') || text.ends_with("()");
        if (has_shape || is_marked) && name.len() > 1 && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names.truncate(MOST_NAMES);
    names
}

/// Whether a dotted name in a question looks like a file name. The file ranking already searches for file names.
fn is_file_name_of_known_language(name: &str) -> bool {
    peelback_code::syntax::language::language_of_file_name(name).is_some()
}

/// The definitions of the names that the question mentions; for each name, definitions in tests come last.
pub(super) fn definitions_named_in_question(
    access: &CodeAccess,
    question: &str,
    scope: &[String],
    admits: impl Fn(&str) -> bool,
) -> Result<Vec<Definition>, CodeError> {
    let scope = match scope {
        [one] => Some(one.as_str()),
        _ => None,
    };
    let mut all = Vec::new();
    for name in code_names_in_question(question) {
        let (found, _) = access.visit_files_defining_name(scope, &SymbolNameQuery::new(&name), |analysed, hits| {
            let hits = hits.iter().filter(|hit| !hit.symbol.local);
            hits.map(|hit| (analysed.file.path.clone(), hit.symbol.clone())).collect::<Vec<_>>()
        })?;
        let mut found: Vec<(String, Symbol)> = found.into_iter().flatten().collect();
        found.sort_by_key(|(path, _)| looks_like_test_path(path));
        let total = found.len();
        let admitted = found.into_iter().filter(|(path, _)| admits(path)).take(MOST_OF_NAME);
        all.extend(admitted.map(|(path, symbol)| Definition { name: name.clone(), path, symbol, total }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::code_names_in_question;

    #[test]
    fn names_have_a_shape_of_code() {
        assert_eq!(
            code_names_in_question("How does createSlice call `reduce` and Cache.get in main.rs?"),
            ["createSlice", "reduce", "Cache.get"]
        );
        assert_eq!(
            code_names_in_question("Where does Caddy read its config? load_config() does, std::fmt not"),
            ["load_config", "std::fmt"]
        );
        assert!(code_names_in_question("How are HTTP redirects followed?").is_empty());
        assert!(code_names_in_question("").is_empty());
    }
}
