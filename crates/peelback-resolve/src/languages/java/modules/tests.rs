use super::{JavaModules, package_in_text};
use crate::modules::testing::ProjectFixture;

const FILES: &[(&str, &str)] = &[
    (
        "app/src/main/java/shop/Order.java",
        "package shop;\nimport shop.stock.Item;\nimport shop.stock.Item.Kind;\nimport static shop.stock.Items.count;\nimport shop.stock.*;\nimport java.util.List;\nimport shop.Missing;\nclass Order {}\n",
    ),
    ("app/src/test/java/shop/OrderTest.java", "package shop;\nclass OrderTest {}\n"),
    ("app/src/main/java/shop/stock/Item.java", "package shop.stock;\npublic class Item { enum Kind { A } }\n"),
    ("flat/Items.java", "// Elsewhere.\npackage shop . stock;\nclass Items { static int count; }\n"),
];

#[test]
fn imports_lead_to_files_and_packages() {
    let project = ProjectFixture::new(JavaModules::new, FILES);
    let item = "app/src/main/java/shop/stock/Item.java";
    assert_eq!(
        project.import_targets("app/src/main/java/shop/Order.java"),
        [
            item,
            item,
            "flat/Items.java",
            &format!("{item} flat/Items.java"),
            "external: java.util.List",
            "unresolved: shop.Missing (no such type there)",
        ]
    );
    assert_eq!(project.assert_dependents_contain_texts(), 5);
    assert_eq!(project.texts_that_dependents_contain(item), ["shop.stock"]);
    assert_eq!(project.modules_visible_without_import("app/src/test/java/shop/OrderTest.java"), ["shop"]);
    assert_eq!(project.module_of_first_path_segment("flat/Items.java", "shop").as_deref(), Some("shop"));
    assert_eq!(project.module_of_first_path_segment("flat/Items.java", "sho"), None);
}

#[test]
fn the_package_line_is_found_behind_comments_and_annotations() {
    for (text, expected) in [
        ("package a.b;", "a.b"),
        ("/* c */ // d\npackage a;", "a"),
        ("@X(y = \"(\")\n@Z package a.b ;", ""),
        ("@NonNull\npackage a.b ;", "a.b"),
        ("@Fix(a = 1)\npackage a.b ;", "a.b"),
        ("@NonNull package a.b;", "a.b"),
        ("@x.Fix(a = 1) package a.b;", "a.b"),
        ("package a /* c */ . // d\n b;", "a.b"),
        ("class A {}", ""),
        ("packages x;", ""),
        ("", ""),
    ] {
        assert_eq!(package_in_text(text), expected, "{text}");
    }
}
