//! The modules that Node.js contains.

/// Whether a module specifier names a module of Node.js: `node:fs`, `fs` or `fs/promises`.
pub(super) fn is_standard(package: &str) -> bool {
    package.starts_with("node:") || STANDARD.binary_search(&package.split('/').next().unwrap_or(package)).is_ok()
}

/// First parts of the names of modules of Node.js, in the order of their bytes.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "dns",
    "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks",
    "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls",
    "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
];

#[cfg(test)]
mod tests {
    use super::{STANDARD, is_standard};

    #[test]
    fn standard_packages_are_sorted_and_found() {
        assert!(STANDARD.is_sorted());
        assert!(is_standard("node:fs") && is_standard("fs/promises") && !is_standard("react"));
    }
}
