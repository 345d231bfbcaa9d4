//! Tests of the binder for PHP.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use crate::analysis::bind_names;
use crate::language;
use crate::names::{Names, debug_text};
use crate::parse::Limits;

fn names(source: &str) -> Names {
    let php = language::language_by_exact_name("php").expect("the language");
    bind_names(php, source, &Limits::default()).expect("names")
}

fn uses(source: &str, name: &str) -> Vec<String> {
    debug_text::format_uses_of_name(&names(source), name)
}

fn imports(source: &str) -> Vec<String> {
    let names = names(source);
    let text =
        |import: &crate::names::ModuleImport| format!("{} {}", import.kind.as_str(), names.name_text(import.source));
    names.imports.iter().map(text).collect()
}

#[test]
fn the_grammar_has_all_kinds_and_fields() {
    assert_eq!(super::Grammar::unknown(), Vec::<&str>::new());
}

#[test]
fn paths_follow_namespaces_and_use_clauses() {
    let source = "<?php\nnamespace App\\Web;\nuse Lib\\{Box, Sub\\Item as Thing, function pack};\nuse const Lib\\MAX;\nnew Box; new Thing; new Own; new \\Top; new Thing\\In; new namespace\\Near; pack(); strlen('a'); MAX; PHP_EOL;\n";
    assert_eq!(
        imports(source),
        [
            "import Lib\\Box",
            "import Lib\\Sub\\Item",
            "import function Lib\\pack",
            "import const Lib\\MAX",
            "path Top",
            "path Lib\\Sub\\Item\\In",
            "path App\\Web\\Near",
            "path App\\Web\\Own",
            "path function App\\Web\\strlen",
            "path const App\\Web\\PHP_EOL",
        ]
    );
}

#[test]
fn variables_have_the_values_of_their_places() {
    let source = "<?php\nfunction f(A $a) {\n $b = new B;\n $b->one();\n $b = $a;\n $b->two();\n if ($a) { $b = new C; }\n $b->three();\n foreach ($bs as $b) { $b->four(); }\n}\n";
    assert_eq!(uses(source, "one"), ["4 call B@()"].map(|text| text.replace("B@()", "B@().one")));
    assert_eq!(uses(source, "two"), ["6 call $a@2.two"]);
    assert_eq!(uses(source, "three"), ["8 call $b@3.three"]);
    assert_eq!(uses(source, "four"), ["9 call $bs@[].four"]);
}

#[test]
fn conditions_tell_types() {
    let source = "<?php\nclass A {}\nfunction f($x) {\n if ($x instanceof A && $x->one()) { $x->two(); } else { $x->three(); }\n if (!$x instanceof A) { return; }\n $x->four();\n}\n";
    assert_eq!(uses(source, "one"), ["4 call <A@2>.one"]);
    assert_eq!(uses(source, "two"), ["4 call <A@2>.two"]);
    assert_eq!(uses(source, "three"), ["4 call $x@3.three"]);
    assert_eq!(uses(source, "four"), ["6 call <A@2>.four"]);
}

#[test]
fn doc_comments_name_types() {
    let source = "<?php\nclass A {\n /** @var A[]|null */\n private $all;\n /**\n  * @param array<string, A> $in\n  * @return static\n  */\n function m($in) { foreach ($in as $k => $one) { $one->m(); } $this->all[0]->m(); }\n}\n/** @var A $a */\n$a = make();\n$a->m();\n";
    assert_eq!(uses(source, "m"), ["9 call $in@9[].m", "9 call this.all[0].m", "13 call <A@2>.m"]);
    assert_eq!(uses(source, "A"), ["3 type A@2", "6 type A@2", "11 type A@2"]);
}

#[test]
fn callables_are_inferred() {
    let source = "<?php\nclass A { function m() { usort($x, [$this, 'm']); array_map('A::m', $y); } }\n";
    assert_eq!(uses(source, "m"), ["2 read (this)[].m", "2 read (A@)[].m"]);
}

#[test]
fn included_files_have_constant_paths() {
    let source = "<?php\nrequire __DIR__ . '/a.php';\ninclude 'b.php';\nrequire_once dirname(__DIR__, 2) . '/c.php';\nrequire ROOT . 'd.php';\ninclude $e;\n";
    let found = imports(source);
    assert_eq!(
        found.iter().filter(|import| import.starts_with("include")).collect::<Vec<_>>(),
        ["include ./a.php", "include b.php", "include ./../../c.php", "include d.php"]
    );
}

#[test]
fn deep_and_broken_source_is_bound() {
    let deep = format!("<?php {}1{};", "f(".repeat(20_000), ")".repeat(20_000));
    assert!(!names(&deep).missed.is_empty());
    names("<?php class { function ( $x { if ( ; namespace; use ; } /** @param */ /** @var array< */ $x = ");
    names(&format!("<?php /** @var {} $x */ $x = 1;", "array<".repeat(10_000)));
    names(&format!("<?php $x = {};", vec!["$x"; 20_000].join(" . ")));
}
