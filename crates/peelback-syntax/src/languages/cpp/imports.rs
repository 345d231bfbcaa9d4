//! What the dependency graph asks of a C++ file: which files it includes, and whether a program begins in it.

use tree_sitter::{Node, Tree};

use super::super::c::{is_program_start, record_import_from_include_argument};
use crate::names::{NamesBuilder, first_line_number_of_node};

/// Records the files that the `#include` directives of a syntax tree name, and whether a program begins there.
pub(super) fn bind_includes(tree: &Tree, builder: &mut NamesBuilder<'_>) {
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        match node.kind() {
            "preproc_include" => record_include(node, "path", builder),
            "preproc_call" if is_unusual_include(node, builder) => record_include(node, "argument", builder),
            "function_definition" => {
                builder.names.begins_program |= function_name(node, builder).is_some_and(is_program_start);
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}

fn record_include(node: Node<'_>, field: &str, builder: &mut NamesBuilder<'_>) {
    if let Some(argument) = node.child_by_field_name(field) {
        record_import_from_include_argument(builder.text_of_node(argument), first_line_number_of_node(node), builder);
    }
}

/// Whether a directive that has no node kind of its own includes a file.
fn is_unusual_include(node: Node<'_>, builder: &NamesBuilder<'_>) -> bool {
    let directive = node.child_by_field_name("directive").map_or("", |directive| builder.text_of_node(directive));
    matches!(directive.trim_start_matches(['#', ' ', '\t']), "include_next" | "import")
}

/// The name of a function definition; `None` where it belongs to a class or a namespace.
fn function_name<'s>(node: Node<'_>, builder: &NamesBuilder<'s>) -> Option<&'s str> {
    let declarator = node.child_by_field_name("declarator").filter(|node| node.kind() == "function_declarator")?;
    let name = declarator.child_by_field_name("declarator").filter(|node| node.kind() == "identifier")?;
    Some(builder.text_of_node(name))
}

#[cfg(all(test, feature = "lang-cpp"))]
mod tests {
    use crate::analysis::bind_names;
    use crate::parse::Limits;

    /// The files that a text includes, each with its line, and whether a program begins in it.
    fn includes(source: &str) -> (Vec<(u32, String, bool)>, bool) {
        let names = bind_names(&super::super::LANGUAGE, source, &Limits::default()).expect("names");
        let include = |import: &crate::names::ModuleImport| {
            (import.line, names.name_text(import.source).to_owned(), import.special)
        };
        (names.imports.iter().map(include).collect(), names.begins_program)
    }

    #[test]
    fn includes_are_imports_though_names_are_not_bound() {
        let (found, begins_program) = includes(
            "#include <vector>\n#include \"db/store.h\"\n#if X\n#  include \"x.h\" // why\n#endif\nnamespace a {\n\
             // #include \"no.h\"\n#include \"inside.inc\"\nint main;\nstruct S { void main() {} };\n}\n\
             #include_next <next.h>\n#include MACRO\nconst char *text = \"#include \\\"no.h\\\"\";\n",
        );
        let found: Vec<(u32, &str, bool)> =
            found.iter().map(|(line, source, angled)| (*line, source.as_str(), *angled)).collect();
        assert_eq!(
            found,
            [
                (1, "vector", true),
                (2, "db/store.h", false),
                (4, "x.h", false),
                (8, "inside.inc", false),
                (12, "next.h", true)
            ]
        );
        assert!(!begins_program);
    }

    #[test]
    fn a_program_begins_in_a_function_called_main() {
        assert!(includes("int helper() { return 0; }\nint main(int argc, char **argv) {\n  return helper();\n}\n").1);
        for text in ["int main(int argc, char **argv);\n", "struct S { int main() { return 0; } };\nint S::main() {}\n"]
        {
            // A member function in its class has a field's name.
            assert!(!includes(text).1, "{text}");
        }
    }
}
