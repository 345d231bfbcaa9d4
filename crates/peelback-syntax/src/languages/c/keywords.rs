//! Keywords of C that broken source can put in place of a name.

/// Whether a name is a keyword, so that it cannot be the name of a definition.
pub(super) fn is_c_keyword(name: &str) -> bool {
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
