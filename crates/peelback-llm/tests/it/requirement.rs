//! Servers and models that some tests need and that are not part of this repository.

/// The value of an environment variable that names a server or a folder which a test needs; `script` prepares one.
///
/// Without the variable the test is skipped and prints so, and fails where `PEELBACK_TEST_REQUIRE` is set.
pub fn requirement(variable: &str, script: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        let is_required = std::env::var_os("PEELBACK_TEST_REQUIRE").is_some_and(|value| !value.is_empty());
        assert!(!is_required, "PEELBACK_TEST_REQUIRE is set and {variable} is not: see {script}");
        eprintln!("skipped: {variable} is not set; see {script}");
    }
    value
}
