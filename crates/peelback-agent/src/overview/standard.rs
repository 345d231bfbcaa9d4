//! Standard libraries of languages, which are not dependencies in the reader's sense.

/// Whether a package belongs to the standard library of one of the given languages.
pub(super) fn is_standard(name: &str, languages: &[&str]) -> bool {
    languages.iter().any(|language| match *language {
        "python" => PYTHON.binary_search(&name.split('.').next().unwrap_or(name)).is_ok(),
        "go" => GO.binary_search(&name.split('/').next().unwrap_or(name)).is_ok(),
        "rust" => matches!(name.split("::").next().unwrap_or(name), "std" | "core" | "alloc" | "proc_macro" | "test"),
        "javascript" | "typescript" | "tsx" | "jsx" => {
            name.starts_with("node:") || NODE.binary_search(&name.split('/').next().unwrap_or(name)).is_ok()
        }
        "java" => name.starts_with("java.") || name.starts_with("javax."),
        _ => false,
    })
}

/// Top-level modules of Python's standard library, sorted by bytes.
#[rustfmt::skip]
const PYTHON: &[&str] = &[
    "__future__", "__main__", "_collections_abc", "_thread", "_typeshed", "abc", "aifc",
    "annotationlib", "argparse", "array", "ast", "asynchat", "asyncio", "asyncore", "atexit",
    "audioop", "base64", "bdb", "binascii", "bisect", "builtins", "bz2", "cProfile", "calendar",
    "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs", "codeop", "collections", "colorsys",
    "compileall", "compression", "concurrent", "configparser", "contextlib", "contextvars", "copy",
    "copyreg", "crypt", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal",
    "difflib", "dis", "distutils", "doctest", "email", "encodings", "ensurepip", "enum", "errno",
    "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch", "fractions", "ftplib", "functools",
    "gc", "genericpath", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip",
    "hashlib", "heapq", "hmac", "html", "http", "imaplib", "imghdr", "imp", "importlib", "inspect",
    "io", "ipaddress", "itertools", "json", "keyword", "lib2to3", "linecache", "locale", "logging",
    "lzma", "mailbox", "mailcap", "marshal", "math", "mimetypes", "mmap", "modulefinder", "msilib",
    "msvcrt", "multiprocessing", "netrc", "nis", "nntplib", "nt", "ntpath", "nturl2path", "numbers",
    "opcode", "operator", "optparse", "os", "ossaudiodev", "pathlib", "pdb", "pickle",
    "pickletools", "pipes", "pkgutil", "platform", "plistlib", "poplib", "posix", "posixpath",
    "pprint", "profile", "pstats", "pty", "pwd", "py_compile", "pyclbr", "pydoc", "pydoc_data",
    "pyexpat", "queue", "quopri", "random", "re", "readline", "reprlib", "resource", "rlcompleter",
    "runpy", "sched", "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal",
    "site", "smtpd", "smtplib", "sndhdr", "socket", "socketserver", "spwd", "sqlite3",
    "sre_compile", "sre_constants", "sre_parse", "ssl", "stat", "statistics", "string",
    "stringprep", "struct", "subprocess", "sunau", "symtable", "sys", "sysconfig", "syslog",
    "tabnanny", "tarfile", "telnetlib", "tempfile", "termios", "textwrap", "threading", "time",
    "timeit", "tkinter", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc", "tty",
    "turtle", "turtledemo", "types", "typing", "unicodedata", "unittest", "urllib", "uu", "uuid",
    "venv", "warnings", "wave", "weakref", "webbrowser", "winreg", "winsound", "wsgiref", "xdrlib",
    "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
];

/// First path parts of Go's standard packages, sorted by bytes.
#[rustfmt::skip]
const GO: &[&str] = &[
    "C", "archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
    "debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "io", "iter",
    "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort",
    "strconv", "strings", "structs", "sync", "syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "weak",
];

/// Modules built into Node.js, sorted by bytes.
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
    fn lists_are_in_order_and_languages_apart() {
        for list in [PYTHON, GO, NODE] {
            assert!(list.is_sorted());
        }
        assert!(is_standard("collections", &["python"]) && !is_standard("collections", &["go"]));
        assert!(is_standard("net/http", &["go"]) && !is_standard("github.com/a/b", &["go"]));
        assert!(is_standard("node:fs", &["typescript"]) && is_standard("fs/promises", &["javascript"]));
        assert!(!is_standard("pytest", &["python", "go", "javascript"]));
    }
}
