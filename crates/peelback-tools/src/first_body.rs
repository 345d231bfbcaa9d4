//! The symbol whose body a hint offers: one that has a body.

use peelback_code::syntax::{Facts, Symbol, SymbolKind, walk_symbols_with_depth};

/// The first symbol of a file, among those that `is_wanted` accepts, whose body is worth reading: of the functions the first
/// that has a body, or else the first type of several lines. `None` where the file only declares.
pub(crate) fn first_symbol_with_body(facts: &Facts, is_wanted: impl Fn(&Symbol) -> bool) -> Option<&Symbol> {
    let symbols =
        || walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| symbol).filter(|symbol| is_wanted(symbol));
    let is_document_part = |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key);
    let is_type_of_several_lines = |symbol: &&Symbol| {
        !symbol.kind.is_value()
            && !symbol.kind.is_callable()
            && !is_document_part(symbol)
            && symbol.lines.last > symbol.lines.first
    };
    symbols()
        .find(|symbol| symbol.kind.is_callable() && facts.has_body(symbol))
        .or_else(|| symbols().find(is_type_of_several_lines))
}

#[cfg(test)]
mod tests {
    use peelback_code::syntax::{Limits, analyse_source, language};

    use super::first_symbol_with_body;

    fn first(language: &str, source: &str) -> Option<String> {
        let language = language::language_by_exact_name(language).expect("a language");
        let facts = analyse_source(language, source, &Limits::default());
        first_symbol_with_body(&facts, |_| true).map(peelback_code::syntax::Symbol::unique_address_in_file)
    }

    #[test]
    fn what_is_only_declared_has_no_body() {
        let source = "#define A_H\nstatic int make(int x);\nstruct a {\n  int b;\n};\nstatic int make(int x) {\n  return x;\n}\n";
        assert_eq!(first("c", source).as_deref(), Some("make@6"));
        assert_eq!(first("c", "#define A_H\nint make(int x);\nstruct a {\n  int b;\n};\n").as_deref(), Some("a"));
        assert_eq!(first("c", "#define A_H\nint make(int x);\n"), None);
        assert_eq!(first("python", "LIMIT = 1\ndef stub(): ...\ndef real(): return 1\n").as_deref(), Some("real"));
    }
}
