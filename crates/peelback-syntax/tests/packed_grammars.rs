//! The build script packs the parse tables of large grammars without failing where it cannot. This test fails, so that a
//! program of twice the size does not go unseen.

#[test]
#[cfg(all(unix, feature = "all-languages"))]
fn tables_of_large_grammars_are_packed() {
    let packed: Vec<&str> = env!("PEELBACK_PACKED_GRAMMARS").split_whitespace().collect();
    let large = [
        "tree-sitter-c-sharp",
        "tree-sitter-cpp",
        "tree-sitter-kotlin-ng",
        "tree-sitter-ruby",
        "tree-sitter-scala",
        "tree-sitter-swift",
    ];
    assert_eq!(packed, large);
}
