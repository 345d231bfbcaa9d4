use super::PhpModules;
use crate::modules::testing::ProjectFixture;

const FILES: &[(&str, &str)] = &[
    (
        "src/Cart.php",
        "<?php\nnamespace Shop;\nuse Shop\\Stock\\Item;\nuse function Shop\\Stock\\count_items;\nuse Vendor\\Thing;\nuse Shop\\Stock\\Missing;\nuse Shop\\Stock;\nclass Cart extends Base { function m() { pack(); return new Stock\\Item(LIMIT); } }\nrequire __DIR__ . '/../lib/functions.php';\nrequire 'vendor/autoload.php';\nrequire 'nowhere.php';\n",
    ),
    ("src/Base.php", "<?php\nnamespace Shop;\nabstract class Base {}\n"),
    ("src/Stock/Item.php", "<?php\nnamespace Shop\\Stock;\nclass Item {}\n"),
    ("other/Item.php", "<?php\nnamespace Shop\\Stock { if (true) { class Item {} } }\n"),
    (
        "lib/functions.php",
        "<?php\nnamespace Shop\\Stock { function count_items() {} }\nnamespace { function pack() {} const LIMIT = 1; }\n",
    ),
];

#[test]
fn paths_lead_to_the_files_that_declare_them() {
    let project = ProjectFixture::new(PhpModules::new, FILES);
    let item = "src/Stock/Item.php";
    assert_eq!(
        project.import_targets("src/Cart.php"),
        [
            item,
            "lib/functions.php",
            "external: Vendor\\Thing",
            "unresolved: Shop\\Stock\\Missing (no such type there)",
            "src/Cart.php",
            item,
            "lib/functions.php",
            "external: vendor/autoload.php",
            "unresolved: nowhere.php",
            "src/Base.php",
            "lib/functions.php",
            "lib/functions.php",
        ]
    );
    project.assert_dependents_contain_texts();
    assert_eq!(project.texts_that_dependents_contain(item), ["Item", "Item.php"]);
}
