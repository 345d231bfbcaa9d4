//! Tests of the binder for Java.

use super::Grammar;

#[test]
fn the_grammar_has_every_node_kind_and_field() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}
