#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use super::CSharpModules;
use crate::modules::testing::ProjectFixture;

#[test]
fn a_file_depends_on_those_that_declare_the_types_it_names() {
    let project = ProjectFixture::new(
        |index| CSharpModules::new(index),
        &[
            ("src/Cart.cs", "namespace Shop.Carts { public partial class Cart { } }"),
            ("src/Cart.Totals.cs", "namespace Shop.Carts;\npartial class Cart { Money total; }"),
            ("src/Money.cs", "namespace Shop;\nstruct Money { }"),
            ("app/Main.cs", "using Shop.Carts;\nusing System.Text;\nclass App { Cart cart; Money none; }"),
        ],
    );
    assert!(project.assert_dependents_contain_texts() > 0);
    assert!(project.module_of_first_path_segment("app/Main.cs", "Shop").is_some());
}
