//! The packages of Go's standard library.

/// Whether a package, given by its import path, is of the standard library.
pub(crate) fn is_standard_library_package(path: &str) -> bool {
    STANDARD_PATH_STARTS.binary_search(&path.split('/').next().unwrap_or(path)).is_ok()
}

/// The first parts of import paths, sorted by their bytes.
#[rustfmt::skip]
const STANDARD_PATH_STARTS: &[&str] = &[
    "C", "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
    "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter",
    "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
    "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "weak",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_matches_by_the_first_part() {
        assert!(STANDARD_PATH_STARTS.is_sorted());
        assert!(is_standard_library_package("net/http") && !is_standard_library_package("github.com/a/b"));
    }
}
