//! Regular expressions that are constants of a crate, and their compilation. `peelback-agent` defines its own by the same
//! macro.

pub use regex::Regex;

/// Compiles a constant regular expression.
///
/// # Panics
/// If the pattern is invalid. No input can cause this panic, since the patterns are constants, and a test in each
/// module compiles the module's patterns. A panic is safer than a pattern that silently matches nothing, which would
/// let secrets through.
#[expect(clippy::panic, reason = "an error in a constant pattern is an error of the program that tests find")]
pub fn compile_constant_pattern(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("the constant pattern {pattern:?} is invalid: {error}"))
}

/// Defines constant regular expressions of a module, and a test that compiles each of them.
#[macro_export]
macro_rules! constant_patterns {
    ($($(#[$attribute:meta])* $visibility:vis $name:ident = $pattern:expr;)*) => {
        $(
            $(#[$attribute])*
            $visibility static $name: std::sync::LazyLock<$crate::pattern::Regex> =
                std::sync::LazyLock::new(|| $crate::pattern::compile_constant_pattern($pattern));
        )*

        #[cfg(test)]
        #[test]
        fn every_constant_pattern_compiles() {
            $(assert!(!$name.as_str().is_empty());)*
        }
    };
}

pub use constant_patterns;
