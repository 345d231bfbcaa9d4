//! Regular expressions that are constants of this crate.

use regex::Regex;

/// Compiles a constant pattern.
///
/// # Panics
/// Where the pattern has an error. No input reaches a constant pattern, and a test of each module compiles its patterns: a
/// pattern that silently matched nothing would let secrets through.
#[expect(clippy::panic, reason = "an error in a constant pattern is an error of the program that tests find")]
pub(crate) fn compile_constant(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("the constant pattern {pattern:?} is invalid: {error}"))
}

/// Defines constant patterns, and a test that compiles each of them.
macro_rules! constant_patterns {
    ($($(#[$attribute:meta])* $visibility:vis $name:ident = $pattern:expr;)*) => {
        $(
            $(#[$attribute])*
            $visibility static $name: std::sync::LazyLock<regex::Regex> =
                std::sync::LazyLock::new(|| $crate::pattern::compile_constant($pattern));
        )*

        #[cfg(test)]
        #[test]
        fn every_constant_pattern_compiles() {
            $(assert!(!$name.as_str().is_empty());)*
        }
    };
}

pub(crate) use constant_patterns;
