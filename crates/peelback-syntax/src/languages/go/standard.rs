//! The list of the packages of Go's standard library.

/// Whether the package with the import path `path` belongs to Go's standard library.
pub(crate) fn is_standard_library_package(path: &str) -> bool {
    STANDARD_PATH_STARTS.binary_search(&path.split('/').next().unwrap_or(path)).is_ok()
}

/// The first parts of the import paths of the standard library's packages, sorted by their bytes for binary search.
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
