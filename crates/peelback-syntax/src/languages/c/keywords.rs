//! Keywords of C that the parser can take for a name in broken source.

/// Whether a name is a keyword of C, so that it cannot be the name of a definition.
pub(in crate::languages) fn is_c_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "goto"
            | "break"
            | "continue"
            | "sizeof"
            | "defined"
            | "typedef"
            | "struct"
            | "union"
            | "enum"
            | "static"
            | "extern"
            | "const"
            | "void"
    )
}
