//! The list of the modules that come with Node.js.

/// Whether a module, given by its specifier (`node:fs`, `fs/promises`), is one of Node's own.
pub(crate) fn is_standard_library_module(specifier: &str) -> bool {
    specifier.starts_with("node:") || MODULES.binary_search(&specifier.split('/').next().unwrap_or(specifier)).is_ok()
}

/// The names of Node.js modules up to the first slash, sorted by their bytes.
#[rustfmt::skip]
const MODULES: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "dns",
    "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks",
    "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls",
    "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_matches_by_the_first_part() {
        assert!(MODULES.is_sorted());
        assert!(is_standard_library_module("fs/promises") && !is_standard_library_module("react"));
    }
}
