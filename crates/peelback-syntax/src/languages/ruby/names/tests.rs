//! Tests of the binder of Ruby.

use super::Grammar;

#[test]
fn the_grammar_has_all_kinds_and_fields() {
    assert_eq!(Grammar::unknown(), Vec::<&str>::new());
}
