//! The standard libraries of languages: packages that are no dependency of a project.

use crate::modules::is_python_standard;

/// For each group of languages with one standard library: their names, and whether an imported package is a part of it.
const LIBRARIES: &[(&[&str], fn(&str) -> bool)] = &[
    (&["python"], |name| is_python_standard(first_part(name, "."))),
    (&["go"], |name| GO.binary_search(&first_part(name, "/")).is_ok()),
    (&["rust"], |name| matches!(first_part(name, "::"), "std" | "core" | "alloc" | "proc_macro" | "test")),
    (&["javascript", "typescript", "tsx", "jsx"], |name| {
        name.starts_with("node:") || NODE.binary_search(&first_part(name, "/")).is_ok()
    }),
    (&["java"], |name| name.starts_with("java.") || name.starts_with("javax.")),
];

/// Whether the standard library of one of the `languages` contains a package. Languages have the names of
/// [`peelback_syntax::Language::name`].
pub fn is_standard_library(package: &str, languages: &[&str]) -> bool {
    let is_one_of = |names: &[&str]| names.iter().any(|name| languages.contains(name));
    LIBRARIES.iter().any(|(names, contains)| is_one_of(names) && contains(package))
}

/// The part of a package's name before the first separator.
fn first_part<'a>(name: &'a str, separator: &str) -> &'a str {
    name.split(separator).next().unwrap_or(name)
}

/// First parts of the packages of Go, in the order of their bytes.
#[rustfmt::skip]
const GO: &[&str] = &[
    "C", "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
    "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter",
    "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
    "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "weak",
];

/// Modules of Node, in the order of their bytes.
#[rustfmt::skip]
const NODE: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "dns",
    "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks",
    "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls",
    "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_own_standard_library() {
        for list in [GO, NODE] {
            assert!(list.is_sorted());
        }
        assert!(is_standard_library("collections", &["python"]) && !is_standard_library("collections", &["go"]));
        assert!(is_standard_library("net/http", &["go"]) && !is_standard_library("github.com/a/b", &["go"]));
        assert!(is_standard_library("node:fs", &["typescript"]) && is_standard_library("fs/promises", &["javascript"]));
        assert!(!is_standard_library("pytest", &["python", "go", "javascript"]));
    }
}
