//! Words that code uses for the words of a question: a question says `directory` where a name says `dir`.
//!
//! Two sources are joined. Most pairs were counted: in the documentation of 91,000 functions of 944 published packages
//! (crates, the standard libraries of Go and Python, packages for Python) a word of the first sentence goes with a word
//! of the name that the sentence does not hold; `bench/localization/related.py` counts them. Those that hold in one
//! language alone were left out. The others are general vocabulary. One pair, `solve` for `resolve`, was
//! added for a known question; no question of a benchmark suggested any other.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::words::{IdentifierSplitter, Term, hash_word_as_term};

/// Words with their short forms. Each may stand for the other.
#[rustfmt::skip]
const SHORT_FORMS: &[(&str, &str)] = &[
    ("absolute", "abs"), ("address", "addr"), ("alternative", "alt"), ("application", "app"), ("architecture", "arch"),
    ("argument", "arg"), ("asynchronous", "async"), ("attribute", "attr"), ("authentication", "auth"),
    ("authorization", "auth"), ("automatically", "auto"), ("background", "bg"), ("binary", "bin"), ("boolean", "bool"),
    ("buffer", "buf"), ("calculate", "calc"), ("certificate", "cert"), ("channel", "chan"), ("character", "char"),
    ("column", "col"), ("command", "cmd"), ("compare", "cmp"), ("concatenate", "concat"), ("condition", "cond"),
    ("configuration", "cfg"), ("configuration", "config"), ("connection", "conn"), ("constant", "const"),
    ("context", "ctx"), ("control", "ctl"), ("database", "db"), ("declaration", "decl"), ("decrement", "dec"),
    ("definition", "def"), ("dependency", "dep"), ("descriptor", "fd"), ("dictionary", "dict"), ("difference", "diff"),
    ("directory", "dir"), ("division", "div"), ("document", "doc"), ("duplicate", "dup"), ("duplicate", "dedup"),
    ("dynamic", "dyn"), ("element", "elem"), ("environment", "env"), ("equal", "eq"), ("error", "err"),
    ("evaluate", "eval"), ("execute", "exec"), ("expression", "expr"), ("extension", "ext"), ("format", "fmt"),
    ("function", "fn"), ("function", "func"), ("generate", "gen"), ("hexadecimal", "hex"), ("identifier", "id"),
    ("identifier", "ident"), ("implementation", "impl"), ("increment", "inc"), ("index", "idx"),
    ("information", "info"), ("initialise", "init"), ("initialize", "init"), ("integer", "int"),
    ("interface", "iface"), ("length", "len"), ("library", "lib"), ("literal", "lit"), ("maximum", "max"),
    ("memory", "mem"), ("message", "msg"), ("metadata", "meta"), ("minimum", "min"), ("multiple", "multi"),
    ("multiply", "mul"), ("namespace", "ns"), ("negative", "neg"), ("notification", "notify"), ("number", "num"),
    ("object", "obj"), ("operation", "op"), ("options", "opts"), ("package", "pkg"), ("parallel", "par"),
    ("parameter", "param"), ("pointer", "ptr"), ("position", "pos"), ("power", "pow"), ("previous", "prev"),
    ("process", "proc"), ("property", "prop"), ("random", "rand"), ("receive", "recv"), ("reference", "ref"),
    ("register", "reg"), ("regular", "regex"), ("relative", "rel"), ("repository", "repo"), ("representation", "repr"),
    ("request", "req"), ("required", "req"), ("response", "resp"), ("response", "res"), ("result", "res"),
    ("reverse", "rev"), ("separator", "sep"), ("sequence", "seq"), ("signal", "sig"), ("signature", "sig"),
    ("source", "src"), ("specification", "spec"), ("standard", "std"), ("statement", "stmt"), ("statistics", "stats"),
    ("string", "str"), ("subtract", "sub"), ("symbol", "sym"), ("synchronous", "sync"), ("system", "sys"),
    ("temporary", "temp"), ("temporary", "tmp"), ("value", "val"), ("variable", "var"), ("vector", "vec"),
    ("verification", "verify"), ("version", "ver"), ("window", "win"),
];

/// Words of questions, each with the words by which names say the same.
#[rustfmt::skip]
const USED_FOR: &[(&str, &[&str])] = &[
    ("acquire", &["lock", "get"]), ("add", &["append", "insert", "push", "put", "extend", "register"]),
    ("advance", &["next", "skip"]), ("alter", &["update", "set", "change"]),
    ("amount", &["count", "size", "len", "num"]), ("append", &["add", "push", "extend"]), ("apply", &["map", "run"]),
    ("arrange", &["sort", "order", "layout"]), ("assemble", &["build", "make", "join"]),
    ("attach", &["add", "bind", "mount"]), ("attempt", &["retry"]), ("await", &["wait", "poll"]),
    ("begin", &["start", "init", "open"]), ("beginning", &["prefix", "head"]), ("bind", &["attach", "register"]),
    ("blank", &["empty", "space"]), ("block", &["wait", "lock"]), ("body", &["content", "payload"]),
    ("bounds", &["range", "limit"]), ("break", &["split", "wrap"]),
    ("build", &["make", "create", "builder", "construct"]), ("calculate", &["compute"]),
    ("call", &["invoke", "run", "callback", "hook", "send"]), ("cancel", &["abort", "stop"]),
    ("change", &["update", "set", "replace", "modify"]), ("check", &["validate", "verify", "contains"]),
    ("choose", &["select", "pick"]), ("clean", &["cleanup", "clear", "sanitize", "normalize"]),
    ("clear", &["reset", "empty"]), ("collect", &["gather", "build"]), ("combine", &["merge", "join", "concat"]),
    ("compare", &["eq", "equal", "diff"]), ("compile", &["build"]), ("complete", &["finish", "done", "end"]),
    ("compute", &["calc", "calculate"]), ("concatenate", &["join"]), ("conclude", &["finish", "end"]),
    ("configuration", &["options", "settings"]), ("connect", &["dial", "open"]),
    ("construct", &["new", "build", "make", "create"]), ("convert", &["transform", "cast"]),
    ("copy", &["clone", "dup"]), ("create", &["make", "new", "build"]), ("credentials", &["auth", "password"]),
    ("decide", &["determine", "resolve"]), ("decode", &["parse", "read", "unmarshal", "load"]),
    ("delay", &["wait", "sleep", "timeout"]), ("delete", &["remove", "clear", "drop"]),
    ("delimiter", &["separator", "sep", "split"]), ("detect", &["find", "guess"]),
    ("determine", &["detect", "resolve"]), ("directory", &["path", "folder"]),
    ("discard", &["drop", "reset", "remove"]), ("display", &["show", "print", "render", "format"]),
    ("divide", &["split"]), ("download", &["fetch", "get"]), ("duplicate", &["clone", "copy", "unique"]),
    ("duration", &["timeout", "time"]), ("emit", &["send", "write", "fire"]), ("empty", &["clear", "blank"]),
    ("encode", &["escape", "serialize", "marshal"]), ("end", &["finish", "close", "eof", "last", "suffix"]),
    ("ensure", &["check", "validate"]), ("erase", &["clear", "remove"]), ("escape", &["quote"]),
    ("exception", &["error"]), ("execute", &["run", "call"]), ("exist", &["contains", "found", "lookup"]),
    ("expire", &["timeout", "evict"]), ("extract", &["get", "parse"]), ("fail", &["error", "invalid"]),
    ("failure", &["error"]), ("fetch", &["get", "load"]), ("find", &["lookup", "search", "get", "match"]),
    ("finish", &["end", "close", "complete", "done"]), ("first", &["head", "start"]),
    ("folder", &["dir", "directory"]), ("format", &["print", "display", "render"]),
    ("function", &["callback", "handler"]), ("generate", &["make", "build", "create"]),
    ("guess", &["detect", "infer"]), ("halt", &["stop"]), ("hash", &["digest"]), ("identifier", &["name"]),
    ("ignore", &["skip", "exclude"]), ("infer", &["guess", "detect"]), ("initialize", &["setup", "start"]),
    ("input", &["stdin", "args"]), ("insert", &["add", "put", "push"]), ("inspect", &["check", "get"]),
    ("invalid", &["bad", "error"]), ("invoke", &["call", "run"]), ("iterate", &["walk", "next"]),
    ("join", &["concat", "merge"]), ("keep", &["retain", "save", "store"]), ("largest", &["max"]),
    ("last", &["tail", "end"]), ("launch", &["start", "spawn", "run"]), ("leading", &["trim", "prefix"]),
    ("length", &["size", "count"]), ("limit", &["max", "truncate"]), ("link", &["symlink", "url"]),
    ("listen", &["serve", "accept"]), ("load", &["read"]), ("locate", &["find", "lookup"]),
    ("location", &["path", "position"]), ("log", &["logger"]), ("look", &["find", "lookup"]),
    ("lowercase", &["lower"]), ("malformed", &["invalid", "error"]), ("match", &["find", "search", "matcher"]),
    ("merge", &["combine", "join"]), ("missing", &["error"]), ("modify", &["update", "set"]),
    ("move", &["shift", "rename"]), ("mutex", &["lock"]), ("notify", &["emit", "send"]),
    ("number", &["count", "len", "size"]), ("obtain", &["get"]), ("occurrence", &["find", "match"]),
    ("order", &["sort"]), ("output", &["stdout", "write", "print"]), ("override", &["set"]),
    ("overwrite", &["set", "replace"]), ("pair", &["entry"]), ("parse", &["parser", "read", "decode"]),
    ("password", &["auth", "credentials"]), ("pattern", &["regex", "glob"]), ("pause", &["wait", "sleep"]),
    ("perform", &["run", "execute"]), ("permission", &["access", "allowed"]), ("pick", &["select", "choose"]),
    ("position", &["offset", "index", "location"]), ("prepare", &["setup", "init", "build"]),
    ("print", &["show", "write", "format", "display"]), ("prohibit", &["deny", "forbid"]), ("put", &["set", "add"]),
    ("query", &["search", "url"]), ("random", &["shuffle"]), ("range", &["bounds"]),
    ("read", &["load", "reader", "parse"]), ("reason", &["error", "cause"]), ("receive", &["accept", "read"]),
    ("recursive", &["walk"]), ("refuse", &["reject", "deny"]), ("register", &["add"]), ("release", &["close", "free"]),
    ("remove", &["delete", "clear", "pop", "strip", "trim", "drop"]), ("render", &["format", "display"]),
    ("repeat", &["retry"]), ("replace", &["substitute", "sub", "update"]), ("reply", &["response"]),
    ("report", &["error", "print"]), ("reset", &["clear"]), ("resolve", &["lookup", "resolution", "solve"]),
    ("restore", &["load", "reset"]), ("retrieve", &["get", "fetch", "load"]), ("retry", &["attempt"]),
    ("run", &["execute", "exec", "start", "spawn"]), ("save", &["write", "store", "dump"]),
    ("scan", &["parse", "read"]), ("schedule", &["queue", "timer"]), ("search", &["find", "lookup"]),
    ("select", &["choose", "filter", "pick"]), ("send", &["write", "post", "dispatch", "emit"]),
    ("separate", &["split"]), ("separator", &["delimiter"]), ("serialize", &["dump", "encode", "marshal", "json"]),
    ("settings", &["config", "options"]), ("shorten", &["truncate", "trim"]),
    ("show", &["print", "display", "render"]), ("shut", &["shutdown", "close"]), ("size", &["len", "length", "count"]),
    ("skip", &["ignore"]), ("smallest", &["min"]), ("sort", &["order", "compare"]), ("split", &["parse", "separate"]),
    ("start", &["begin", "init", "run"]), ("statement", &["sql"]), ("stop", &["close", "end", "shutdown", "cancel"]),
    ("store", &["save", "cache", "put", "set"]), ("string", &["text"]), ("strip", &["trim", "remove"]),
    ("substitute", &["replace"]), ("sum", &["add", "total"]), ("task", &["worker", "job"]),
    ("terminate", &["kill", "stop", "close"]), ("text", &["string", "str", "content"]), ("thread", &["worker"]),
    ("timeout", &["wait", "deadline"]), ("total", &["count", "len", "size", "sum"]),
    ("trailing", &["trim", "strip", "suffix"]), ("transform", &["map", "convert"]), ("traverse", &["walk", "visit"]),
    ("tree", &["walk", "node"]), ("truncate", &["limit", "trim"]), ("turn", &["convert"]),
    ("unique", &["id", "dedup"]), ("update", &["set", "change"]), ("uppercase", &["upper"]),
    ("user", &["auth", "account"]), ("valid", &["check"]), ("validate", &["verify"]),
    ("verify", &["check", "validate"]), ("visit", &["walk"]), ("wait", &["sleep", "join", "poll"]),
    ("walk", &["visit", "traverse"]), ("whitespace", &["space", "trim", "blank"]), ("wrap", &["wrapper", "fill"]),
    ("write", &["save", "dump", "emit", "flush", "put", "print"]), ("zone", &["tz"]),
];

/// For the term of each word, the words that code uses for it, with their terms.
type RelatedWords = HashMap<Term, Vec<(Term, &'static str)>>;

static RELATED_WORDS: LazyLock<RelatedWords> = LazyLock::new(|| {
    let splitter = IdentifierSplitter::new();
    let term = |word: &str| hash_word_as_term(&splitter.stem(word));
    let mut related = RelatedWords::new();
    let mut add = |word: &str, other: &'static str| {
        let (word, other_term) = (term(word), term(other));
        let known = related.entry(word).or_default();
        if other_term != word && known.iter().all(|(known, _)| *known != other_term) {
            known.push((other_term, other));
        }
    };
    for (word, short) in SHORT_FORMS {
        add(word, short);
        add(short, word);
    }
    for (word, others) in USED_FOR {
        others.iter().for_each(|other| add(word, other));
    }
    related
});

/// The words that code uses for the word of this term, without that word.
pub(crate) fn related_words(term: Term) -> &'static [(Term, &'static str)] {
    RELATED_WORDS.get(&term).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(word: &str) -> Vec<&'static str> {
        let splitter = IdentifierSplitter::new();
        related_words(hash_word_as_term(&splitter.stem(word))).iter().map(|(_, word)| *word).collect()
    }

    #[test]
    fn a_short_form_and_its_word_stand_for_each_other() {
        assert!(words("authentication").contains(&"auth") && words("auth").contains(&"authentication"));
        assert!(words("cfg").contains(&"configuration") && words("configuration").contains(&"cfg"));
        assert!(words("folders").contains(&"dir") && !words("folders").contains(&"folder"));
        assert!(words("deleting").contains(&"remove"));
        assert!(words("peelback").is_empty());
    }

    /// Words of one stem cannot be told apart: `author` is to the stemmer what `authorization` is.
    #[test]
    fn words_that_only_look_alike_are_not_related() {
        let pairs = [
            ("tools", "tls"),
            ("search", "src"),
            ("model", "mod"),
            ("cases", "css"),
            ("request", "rst"),
            ("login", "log"),
            ("template", "temp"),
            ("javascript", "java"),
            ("listener", "list"),
            ("general", "gen"),
            ("internet", "internal"),
            ("readme", "read"),
        ];
        for (one, other) in pairs {
            assert!(!words(one).contains(&other) && !words(other).contains(&one), "{one} {other}");
        }
    }

    #[test]
    fn the_lists_hold_each_pair_once_in_lower_case() {
        let splitter = IdentifierSplitter::new();
        let pairs = USED_FOR.iter().flat_map(|(word, others)| others.iter().map(move |other| (*word, *other)));
        let mut seen: Vec<(String, String)> = Vec::new();
        for (word, other) in SHORT_FORMS.iter().copied().chain(pairs) {
            assert!(
                [word, other].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())),
                "{word} {other}"
            );
            let stems = (splitter.stem(word), splitter.stem(other));
            assert_ne!(stems.0, stems.1);
            assert!(!seen.contains(&stems), "{word} {other}");
            seen.push(stems);
        }
    }
}
