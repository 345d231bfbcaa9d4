//! The packages of Go's standard library.

/// Whether an import path belongs to the standard library: its first part names one of the top folders.
pub(super) fn is_standard(package: &str) -> bool {
    STANDARD.binary_search(&package.split('/').next().unwrap_or(package)).is_ok()
}

/// First parts of the import paths of Go's standard library, in the order of their bytes.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "C", "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
    "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter",
    "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
    "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "weak",
];

#[cfg(test)]
mod tests {
    use super::{STANDARD, is_standard};

    #[test]
    fn standard_packages_are_sorted_and_found() {
        assert!(STANDARD.is_sorted());
        assert!(is_standard("net/http") && !is_standard("github.com/a/b"));
    }
}
