//! Words that programmers use for one another: a question says `folder` where the code says `dir`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::{IdentifierSplitter, Term, hash_word_as_term};

/// Groups of words that name one thing or one action. A word may be in several groups.
#[rustfmt::skip]
const GROUPS: &[&[&str]] = &[
    // Actions on values
    &["delete", "remove", "drop", "erase", "discard", "unlink", "strip", "clear", "purge"],
    &["make", "create", "build", "construct", "generate", "new", "produce"],
    &["change", "modify", "update", "alter", "edit", "mutate"],
    &["convert", "transform", "turn", "translate", "coerce", "cast", "map"],
    &["parse", "read", "decode", "interpret", "understand", "scan"],
    &["write", "save", "store", "persist", "dump", "flush", "put"],
    &["read", "load", "fetch", "retrieve", "get"],
    &["print", "output", "display", "show", "emit", "render", "write"],
    &["check", "validate", "verify", "ensure", "assert", "test"],
    &["combine", "merge", "join", "concat", "concatenate", "union"],
    &["split", "divide", "part", "partition", "separate", "chunk", "slice"],
    &["find", "search", "locate", "lookup", "seek", "discover"],
    &["pick", "choose", "select", "decide", "determine"],
    &["compare", "equal", "equals", "same", "match", "diff"],
    &["copy", "clone", "duplicate"],
    &["count", "number", "size", "length", "total"],
    &["compute", "calculate", "evaluate", "measure"],
    &["add", "append", "insert", "push", "attach", "register"],
    &["start", "begin", "launch", "init", "initialize", "setup", "open", "boot"],
    &["stop", "end", "finish", "close", "shutdown", "terminate", "abort", "quit", "kill", "cancel"],
    &["run", "execute", "call", "invoke", "perform", "dispatch"],
    &["send", "transmit", "post", "submit", "dispatch", "upload"],
    &["receive", "accept", "listen", "incoming"],
    &["wait", "delay", "sleep", "block", "pause", "backoff"],
    &["retry", "attempt", "again", "repeat"],
    &["skip", "ignore", "omit", "exclude", "bypass"],
    &["hide", "mask", "redact", "censor"],
    &["escape", "quote", "sanitize", "encode"],
    &["replace", "substitute", "swap", "rewrite"],
    &["shorten", "truncate", "abbreviate", "trim", "cut", "limit"],
    &["clean", "cleanup", "tidy", "sanitize", "normalize"],
    &["sort", "order", "rank", "arrange"],
    &["shuffle", "random", "randomize"],
    &["guess", "infer", "detect", "recognize", "recognise", "sniff"],
    &["suggest", "propose", "hint", "recommend"],
    &["resolve", "solve", "expand"],
    &["wrap", "decorate", "enclose"],
    &["allow", "permit", "authorize", "enable", "accept"],
    &["deny", "refuse", "reject", "forbid", "block", "disallow"],
    &["follow", "track", "trace"],
    &["compress", "zip", "archive", "pack", "gzip", "deflate"],
    &["decompress", "unzip", "unpack", "extract", "inflate"],
    &["encrypt", "sign", "hash", "digest"],
    &["cache", "memoize", "reuse", "remember", "keep"],
    &["schedule", "defer", "enqueue", "queue"],
    &["walk", "traverse", "visit", "iterate", "recurse"],
    &["inspect", "introspect", "examine", "analyze", "analyse", "reflect"],
    &["flatten", "unnest"],
    &["fail", "raise", "throw", "error", "panic"],
    &["report", "notify", "warn", "log"],
    &["substitute", "interpolate", "format"],
    &["serialize", "serialise", "marshal", "encode", "dump"],
    &["deserialize", "deserialise", "unmarshal", "decode", "load"],
    &["evict", "expire", "prune", "invalidate"],
    &["recover", "restore", "replay", "repair", "rollback"],
    // Things
    &["folder", "directory", "dir"],
    &["file", "document"],
    &["location", "path", "place", "position", "offset", "address"],
    &["address", "url", "uri", "link", "host", "endpoint"],
    &["error", "exception", "failure", "fault", "problem", "throwable"],
    &["setting", "settings", "option", "options", "configuration", "config", "preference"],
    &["default", "fallback"],
    &["argument", "parameter", "arg", "param", "input"],
    &["flag", "option", "switch"],
    &["function", "callable", "callback", "method", "procedure", "handler"],
    &["callback", "hook", "listener", "handler", "middleware"],
    &["endpoint", "route", "view", "handler"],
    &["class", "type", "kind"],
    &["object", "instance"],
    &["member", "field", "attribute", "property"],
    &["text", "string", "str"],
    &["character", "letter", "rune", "char"],
    &["word", "token", "term"],
    &["line", "row"],
    &["newline", "linebreak", "eol"],
    &["blank", "whitespace", "space", "empty"],
    &["column", "field"],
    &["number", "integer", "numeric", "int", "digit"],
    &["list", "array", "sequence", "vector", "collection"],
    &["dictionary", "dict", "map", "hash", "table", "object"],
    &["element", "item", "entry", "node"],
    &["key", "name", "identifier", "id"],
    &["beginning", "prefix", "start", "head", "leading"],
    &["ending", "suffix", "end", "tail", "trailing"],
    &["largest", "greatest", "maximum", "max", "highest", "biggest"],
    &["smallest", "least", "minimum", "min", "lowest"],
    &["first", "initial", "head"],
    &["last", "final", "tail", "latest", "recent"],
    &["outer", "parent", "enclosing", "ancestor"],
    &["inner", "nested", "child", "sub"],
    &["payload", "body", "content", "data"],
        &["answer", "response", "reply", "result"],
    &["request", "query", "call"],
    &["client", "user", "browser", "agent"],
    &["server", "host", "remote", "backend"],
    &["connection", "socket", "channel"],
    &["network", "http", "tcp"],
    &["proxy", "gateway"],
    &["credential", "credentials", "password", "auth", "authentication", "authorization", "secret"],
    &["user", "username", "login", "account"],
    &["login", "signin", "authenticate"],
    &["permission", "access", "privilege", "role"],
    &["certificate", "certificates", "cert", "ca", "tls", "ssl"],
    &["cookie", "session"],
    &["token", "secret", "nonce"],
    &["timestamp", "time", "date", "datetime", "instant"],
    &["timeout", "deadline", "expiry"],
    &["duration", "elapsed", "interval", "period"],
    &["worker", "thread", "process", "pool", "concurrency"],
    &["loop", "async", "event"],
    &["lock", "mutex", "synchronize", "guard"],
    &["journal", "log"],
    &["log", "record", "entry", "message"],
    &["severity", "level", "priority"],
    &["memory", "buffer", "heap", "arena"],
    &["byte", "binary"],
    &["database", "db", "storage", "store"],
    &["batch", "bulk", "group"],
    &["checksum", "crc", "digest", "hash"],
    &["template", "view", "layout"],
    &["picture", "image", "icon"],
    &["color", "colour", "style"],
    &["screen", "terminal", "console", "tty"],
    &["keyboard", "key", "keypress"],
    &["environment", "env", "variable"],
    &["package", "module", "library", "dependency", "crate"],
    &["version", "release", "revision"],
    &["commit", "revision", "changeset"],
    &["branch", "ref"],
    &["repository", "repo"],
    &["test", "spec", "case"],
    &["pattern", "regex", "regexp", "glob", "expression"],
    &["unicode", "utf8", "utf", "encoding", "charset"],
    &["separator", "delimiter"],
    &["document", "documentation", "doc", "docs"],
    &["stack", "trace", "traceback", "frame"],
    &["score", "weight", "points", "rank"],
    &["limit", "maximum", "cap", "threshold", "bound"],
    &["state", "status", "condition"],
    &["plain", "raw", "simple"],
    &["missing", "absent", "lacking", "none"],
    &["empty", "nothing", "blank"],
    &["duplicate", "repeated", "unique", "dedupe"],
    &["obsolete", "stale", "outdated", "expired", "old"],
    &["deep", "recursive", "recursively", "nested"],
    &["upload", "multipart", "form"],
    &["download", "attachment"],
    &["console", "stdout", "stderr"],
];

/// For the term of each word of a group, the other words of its groups with their terms.
type RelatedWords = HashMap<Term, Vec<(Term, &'static str)>>;

static RELATED_WORDS: LazyLock<RelatedWords> = LazyLock::new(|| {
    let splitter = IdentifierSplitter::new();
    let mut related = RelatedWords::new();
    for group in GROUPS {
        let terms: Vec<(Term, &str)> =
            group.iter().map(|word| (hash_word_as_term(&splitter.stem(word)), *word)).collect();
        for (term, _) in &terms {
            let known = related.entry(*term).or_default();
            for other in &terms {
                if other.0 != *term && known.iter().all(|(known, _)| *known != other.0) {
                    known.push(*other);
                }
            }
        }
    }
    related
});

/// The words that are in a group with the word of this term, without that word.
pub(crate) fn related_words(term: Term) -> &'static [(Term, &'static str)] {
    RELATED_WORDS.get(&term).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_group_are_related() {
        let splitter = IdentifierSplitter::new();
        let words = |word: &str| {
            related_words(hash_word_as_term(&splitter.stem(word))).iter().map(|(_, word)| *word).collect::<Vec<_>>()
        };
        assert!(words("folders").contains(&"dir") && !words("folders").contains(&"folder"));
        assert!(words("deleting").contains(&"remove"));
        assert!(words("peelback").is_empty());
    }

    #[test]
    fn groups_hold_each_word_once_in_lower_case() {
        for group in GROUPS {
            assert!(
                group.len() > 1
                    && group
                        .iter()
                        .all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
            );
            assert!(group.iter().all(|word| group.iter().filter(|other| *other == word).count() == 1), "{group:?}");
        }
    }
}
