//! Globs from callers and from projects, which the library that compiles them takes at their word.
//!
//! The library recurses into nested braces without a limit, and panics where the regular expression of a single glob is
//! refused. So braces are counted first, and every glob is compiled as a set of one, which returns the refusal.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The limit on the levels of braces in a glob: `{a,{b,c}}` has two.
const MAX_BRACE_LEVELS: usize = 32;

/// The reason, in words, why a glob is not compiled whose braces nest too deep; `None` for any other glob. Braces that
/// stand for themselves are counted, too.
pub fn glob_nesting_error(glob: &str) -> Option<String> {
    let mut levels = 0_usize;
    for byte in glob.bytes() {
        match byte {
            b'{' => levels += 1,
            b'}' => levels = levels.saturating_sub(1),
            _ => {}
        }
        if levels > MAX_BRACE_LEVELS {
            return Some(format!("its braces nest more than {MAX_BRACE_LEVELS} levels deep"));
        }
    }
    None
}

/// The matcher for a glob; with `literal_separator`, wildcards match no `/`.
///
/// # Errors
/// The reason why the glob is not compiled, in words.
pub fn compile_glob(glob: &str, literal_separator: bool) -> Result<GlobSet, String> {
    if let Some(reason) = glob_nesting_error(glob) {
        return Err(reason);
    }
    let parsed = GlobBuilder::new(glob).literal_separator(literal_separator).build();
    let parsed = parsed.map_err(|error| error.kind().to_string())?;
    GlobSetBuilder::new().add(parsed).build().map_err(|_| "it is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_braces_are_compiled_to_a_limit() {
        let nested = |levels: usize| format!("{}a{}", "{".repeat(levels), "}".repeat(levels));
        assert!(compile_glob(&nested(32), true).is_ok_and(|glob| glob.is_match("a")));
        assert!(compile_glob(&nested(33), true).is_err_and(|reason| reason.contains("nest")));
        assert!(compile_glob(&"{a,b}".repeat(1_000), true).is_ok());
        // The library panics where it is asked for a matcher of one glob that is larger than it compiles.
        let large = compile_glob(&"[\u{80}-\u{10FFFF}]".repeat(50_000), true);
        assert!(large.is_ok_and(|glob| !glob.is_match("a")));
    }
}
