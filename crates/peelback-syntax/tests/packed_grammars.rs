//! The build script packs the parse tables of large grammars without failing where it cannot. This test fails, so that a
//! program of twice the size does not go unseen.

#[test]
#[cfg(all(unix, feature = "all-languages"))]
fn tables_of_large_grammars_are_packed() {
    let packed: Vec<&str> = env!("PEELBACK_PACKED_GRAMMARS").split_whitespace().collect();
    let large = [
        "dekobon-tree-sitter-groovy",
        "tree-sitter-bash",
        "tree-sitter-c",
        "tree-sitter-c-sharp",
        "tree-sitter-cpp",
        "tree-sitter-dart",
        "tree-sitter-elixir",
        "tree-sitter-erlang",
        "tree-sitter-fsharp",
        "tree-sitter-go",
        "tree-sitter-haskell",
        "tree-sitter-java",
        "tree-sitter-javascript",
        "tree-sitter-julia",
        "tree-sitter-kotlin-ng",
        "tree-sitter-make",
        "tree-sitter-objc",
        "tree-sitter-ocaml",
        "tree-sitter-php",
        "tree-sitter-powershell",
        "tree-sitter-python",
        "tree-sitter-r",
        "tree-sitter-ruby",
        "tree-sitter-rust",
        "tree-sitter-scala",
        "tree-sitter-sequel",
        "tree-sitter-solidity",
        "tree-sitter-swift",
        "tree-sitter-typescript",
        "tree-sitter-yaml",
        "tree-sitter-zig",
        "ts-parser-perl",
    ];
    assert_eq!(packed, large);
}
