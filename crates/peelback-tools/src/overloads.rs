//! Functions that are declared in addition to their definition: overloads, and prototypes beside the definition.

use std::collections::HashMap;

use peelback_code::syntax::language::StubStyle;
use peelback_code::syntax::{Facts, Language, Symbol, SymbolKind};

/// Whether a symbol is a function that is only declared, in a language that writes declarations so: without a body, or
/// marked as one of several signatures.
pub(crate) fn is_only_declared(facts: &Facts, language: Option<&Language>, symbol: &Symbol) -> bool {
    let has_stubs = language.is_some_and(|language| language.stub_style == StubStyle::NoBraces);
    is_marked_as_overload(symbol) || has_stubs && facts.is_only_declared(symbol)
}

/// Whether a symbol is a signature that is marked as one of several (`@overload`), which another definition implements.
fn is_marked_as_overload(symbol: &Symbol) -> bool {
    let name = |decorator: &String| decorator.trim_start_matches('@').rsplit('.').next() == Some("overload");
    symbol.kind.is_callable() && symbol.decorators.iter().any(name)
}

/// Whether a symbol of a file with this text is a prototype: a function that is only declared, and whose text has no body of
/// another form, as that of `f = () => 1`.
pub(crate) fn is_prototype(facts: &Facts, language: Option<&Language>, symbol: &Symbol, text: &str) -> bool {
    let has_no_code = || text.get(symbol.bytes.clone()).is_some_and(|text| !text.contains(['{', '=']));
    let has_stubs = language.is_some_and(|language| language.stub_style == StubStyle::NoBraces);
    has_stubs && facts.is_only_declared(symbol) && has_no_code()
}

/// For each of some symbols of one file, in the order of the file, the index of the one that stands for it: a function that
/// is only declared stands with the one definition of that name, and signatures that are marked as overloads, where the file
/// has no definition, with the first of them. `None` for a symbol that stands for itself.
pub(crate) fn indexes_of_definitions(
    facts: &Facts,
    language: Option<&Language>,
    symbols: &[&Symbol],
) -> Vec<Option<usize>> {
    let mut by_name: HashMap<(&str, SymbolKind), Vec<usize>> = HashMap::new();
    for (index, symbol) in symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind.is_callable()) {
        by_name.entry((symbol.qualified_name.as_str(), symbol.kind)).or_default().push(index);
    }
    let mut definitions = vec![None; symbols.len()];
    for indexes in by_name.into_values().filter(|indexes| indexes.len() > 1) {
        let is_declared =
            |index: &usize| symbols.get(*index).is_some_and(|symbol| is_only_declared(facts, language, symbol));
        let (declared, defined): (Vec<usize>, Vec<usize>) = indexes.into_iter().partition(is_declared);
        let is_marked = |index: &usize| symbols.get(*index).is_some_and(|symbol| is_marked_as_overload(symbol));
        let definition = match defined.as_slice() {
            [only] => *only,
            [] if declared.iter().all(is_marked) => declared.first().copied().unwrap_or(0),
            _ => continue,
        };
        for index in declared.into_iter().filter(|index| *index != definition) {
            if let Some(slot) = definitions.get_mut(index) {
                *slot = Some(definition);
            }
        }
    }
    definitions
}

#[cfg(test)]
mod tests {
    use peelback_code::syntax::{Limits, Symbol, analyse_source, language, walk_symbols_with_depth};

    use super::indexes_of_definitions;

    fn definitions(name: &str, source: &str) -> Vec<Option<usize>> {
        let language = language::language_by_exact_name(name).expect("a language");
        let facts = analyse_source(language, source, &Limits::default());
        let symbols: Vec<&Symbol> = walk_symbols_with_depth(&facts.symbols).map(|(symbol, _)| symbol).collect();
        indexes_of_definitions(&facts, Some(language), &symbols)
    }

    #[test]
    fn what_is_only_declared_stands_with_its_definition() {
        let typescript = "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { run(a); }\nfunction g() {}\n";
        assert_eq!(definitions("typescript", typescript), [Some(2), Some(2), None, None]);
        let python = "class A:\n    @overload\n    def f(self, a: int) -> int: ...\n    @typing.overload\n    def f(self, a: str) -> str: ...\n    def f(self, a):\n        return a\n";
        assert_eq!(definitions("python", python), [None, Some(3), Some(3), None]);
        let stub = "@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n";
        assert_eq!(definitions("python", stub), [None, Some(0)]);
        assert_eq!(definitions("c", "int f(int);\nint f(int x) { return x; }\nint g(void);\n"), [Some(1), None, None]);
    }

    #[test]
    fn definitions_that_differ_stand_for_themselves() {
        let cpp = "int f(int);\nint f(int x) { return x; }\nint f(double x) { return 1; }\n";
        assert_eq!(definitions("cpp", cpp), [None, None, None]);
        // An empty body is a body where the language has no declarations.
        assert_eq!(definitions("ruby", "def f; end\ndef f\n  1\nend\n"), [None, None]);
        let java = "interface A {\n  void f(int a);\n  void f(String a);\n}\n";
        assert!(definitions("java", java).iter().all(Option::is_none));
        let python =
            "class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, value): pass\n";
        assert!(definitions("python", python).iter().all(Option::is_none));
    }
}
