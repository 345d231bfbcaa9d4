//! The symbol or quote that the text around a citation names.

use super::scan::has_known_name;
use crate::pattern::constant_patterns;

/// The symbol or quote that the text around a citation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Naming {
    /// The text names nothing that a file could contain.
    Nothing,
    /// Symbols that the cited lines define.
    Symbols {
        /// The names as written, without parentheses and keywords.
        names: Vec<String>,
        /// Whether the names are part of a longer sentence, which may be about a use of the symbol.
        in_sentence: bool,
    },
    /// A name that the cited lines define or use: `` see `src/a.rs:10-40` for `apply` ``.
    Mentioned(String),
    /// A name that the cited lines use and do not define.
    Use(String),
    /// Text that the cited lines contain.
    Quote(String),
}

/// The fewest characters of a quote: a shorter one could match anywhere.
const MIN_QUOTE_CHARS: usize = 4;

/// The most names of a list that are checked.
const MAX_NAMES: usize = 8;

constant_patterns! {
    SEPARATOR = r"^[)\]*_~]*\s*(?:(?:—|–|-{1,2}|:|→|=>|=)\s+|\()[*_]*";
    /// Keywords that may precede the name of a definition.
    FILLER = r"(?i)^(?:(?:the|a|an|main|core|public|private|async|function|fn|func|method|struct|class|enum|trait|interface|type|macro|constant|const|module|helper|test|hook|component|constructor|defines?|definition of|declares?|declaration of|implementation of|implements?|contains|holds|where)\s+){0,4}[*_]*";
    /// Verbs that connect a citation with the name behind it, and whether the verb means a definition.
    SAID_AFTER = r"(?i)^[)\]*_~]*,?\s+(?:(?P<definition>(?:defines|declares|is\s+the\s+(?:definition|declaration)\s+of)\b)|(?:for|implements|contains|holds|has|shows|where|with)\b)\s+[*_]*";
    /// `` In `src/a.rs:10-40`, `apply` … `` at the beginning of a sentence. Inside a sentence, the name belongs to the
    /// text behind it.
    PLACE_BEFORE = r"(?:^|[.;:!?]\s+|\()(?:In|At|From)\s+[*_\[(]*$";
    COMMA = r"^[)\]*_~]*(?:,\s+|\s+)[*_]*";
    LISTED = r"^[*_]*\s*(?:,\s*(?:and\s+)?|and\s+|&\s*|/\s*|\+\s*|or\s+)[*_]*";
    CODE = r"^(?:``\s?(?P<double>[^\n]+?)\s?``|`(?P<single>[^`\n]+)`)";
    WORD = r"^(?P<word>[\p{Alphabetic}_$][\w$]*(?:(?:\.|::|#)[\p{Alphabetic}_$][\w$]*)*(?P<call>\(\))?)";
    USE_AFTER = r"(?i)^[*_]*\s*(?:(?:is|are|was|gets|being)\s+(?:(?:then|also|first|only|never|always)\s+)?\w+(?:ed|t|wn)\b|calls?\b|called\b|used?\b|usages?\b|imports?\b|imported\b|invoked\b|invocations?\b|passed\b|references?\b)";
    BEFORE = r"(?:``\s?(?P<double>[^\n`]+?)\s?``|`(?P<single>[^`\n]+)`|(?:^|[\s(\[*_])(?P<word>[\p{Alphabetic}_$][\w$]*(?:(?:\.|::|#)[\p{Alphabetic}_$][\w$]*)*(?:\(\))?))[*_]*(?P<link>\s*(?:\((?:in |at |see |from |defined (?:in|at) )?|\[|—|–|-|:|→|=>)\s*|,?\s+(?:(?:is|are|lives|live|located|defined|implemented|declared|found|that|which)\s+)*(?P<place>in|at|from)\s+)[*_\[(]*$";
    USE_BEFORE = r"(?i)\b(?:(?P<use>calls?|called|uses?|used|using|invokes?|imports?)|via|through|by|to|of|with)\s+(?:the\s+)?[*_]*$";
    SIGNATURE = r"^(?:(?:pub(?:\([^)]*\))?|export|default|async|unsafe|static|final|abstract|public|private|protected|override|inline|extern|const)\s+)*(?:fn|func|function\*?|def|class|struct|enum|trait|interface|type|const|let|var|val|macro|macro_rules!|mod|module|namespace|union|record|object)\s+(?P<name>[\p{Alphabetic}_$][\w$.:#]*)";
}

/// Words that appear in code marks and are no names of definitions.
const NO_NAMES: &[&str] = &[
    "true",
    "false",
    "null",
    "nil",
    "none",
    "None",
    "True",
    "False",
    "self",
    "Self",
    "this",
    "super",
    "async",
    "await",
    "pub",
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "impl",
    "trait",
    "let",
    "const",
    "var",
    "return",
    "if",
    "else",
    "match",
    "for",
    "while",
    "int",
    "str",
    "string",
    "String",
    "bool",
    "boolean",
    "number",
    "object",
    "void",
    "any",
    "undefined",
    "Option",
    "Result",
    "Vec",
    "Some",
    "Ok",
    "Err",
    "usize",
    "u8",
    "u16",
    "u32",
    "u64",
    "i32",
    "i64",
    "f64",
    "dict",
    "list",
    "map",
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
];

/// The symbol or quote that the text before and after a citation's element names. The text after the citation has
/// priority, unless the text before it ends in a name that belongs to the citation: `` `Editor::apply`
/// (`src/a.rs:10-40`) ``.
pub(super) fn of(before: &str, after: &str) -> Naming {
    match name_before(before) {
        Naming::Nothing => {}
        named => return named,
    }
    match name_after(after) {
        Naming::Nothing => said(before, after),
        named => named,
    }
}

/// The single name that a sentence connects with its citation.
fn said(before: &str, after: &str) -> Naming {
    let (rest, is_definition) = match SAID_AFTER.captures(after) {
        Some(parts) => {
            let end = parts.get(0).map_or(0, |whole| whole.end());
            (after.get(end..).unwrap_or(""), parts.name("definition").is_some())
        }
        None if PLACE_BEFORE.is_match(before) => {
            let Some(comma) = COMMA.find(after) else { return Naming::Nothing };
            (after.get(comma.end()..).unwrap_or(""), false)
        }
        None => return Naming::Nothing,
    };
    let rest = rest.get(FILLER.find(rest).map_or(0, |filler| filler.end())..).unwrap_or("");
    let code = CODE.captures(rest).and_then(|parts| parts.name("double").or_else(|| parts.name("single")));
    let word = || WORD.find(rest).map(|word| word.as_str()).filter(|word| is_clearly_code(word));
    let Some(name) = code.map(|code| code.as_str()).or_else(word).and_then(name_in_code) else {
        return Naming::Nothing;
    };
    if is_definition { Naming::Symbols { names: vec![name], in_sentence: true } } else { Naming::Mentioned(name) }
}

fn name_before(before: &str) -> Naming {
    let Some(parts) = BEFORE.captures(before) else { return Naming::Nothing };
    let code = parts.name("double").or_else(|| parts.name("single"));
    let Some(written) = code.or_else(|| parts.name("word")) else { return Naming::Nothing };
    let name = match code {
        Some(code) => name_in_code(code.as_str()),
        None => name_in_code(written.as_str()).filter(|_| is_clearly_code(written.as_str())),
    };
    let Some(name) = name else { return Naming::Nothing };
    let start = parts.get(0).map_or(0, |whole| whole.start());
    if parts.name("place").is_some()
        && let Some(before) = USE_BEFORE.captures(before.get(..start).unwrap_or(""))
    {
        // The phrase `` the work of `apply` in `src/a.rs:10-40` `` may mean a definition or a use.
        return if before.name("use").is_some() { Naming::Use(name) } else { Naming::Mentioned(name) };
    }
    Naming::Symbols { names: vec![name], in_sentence: false }
}

fn name_after(after: &str) -> Naming {
    let Some(separator) = SEPARATOR.find(after) else { return Naming::Nothing };
    let rest = after.get(separator.end()..).unwrap_or("");
    let mut at = FILLER.find(rest).map_or(0, |filler| filler.end());
    let mut names = Vec::new();
    loop {
        let here = rest.get(at..).unwrap_or("");
        if let Some(parts) = CODE.captures(here) {
            let code = parts.name("double").or_else(|| parts.name("single")).map_or("", |code| code.as_str());
            match name_in_code(code) {
                Some(name) => names.push(name),
                // The text is another path, or a quote.
                None if names.is_empty() => return quote(code),
                None => break,
            }
            at += parts.get(0).map_or(0, |whole| whole.end());
        } else if let Some(parts) =
            WORD.captures(here).filter(|parts| is_clearly_code(parts.get(0).map_or("", |w| w.as_str())))
        {
            let Some(name) = name_in_code(parts.get(0).map_or("", |word| word.as_str())) else { break };
            names.push(name);
            at += parts.get(0).map_or(0, |whole| whole.end());
        } else {
            break;
        }
        let here = rest.get(at..).unwrap_or("");
        match LISTED.find(here) {
            Some(next) if names.len() < MAX_NAMES && starts_with_name(here.get(next.end()..).unwrap_or("")) => {
                at += next.end()
            }
            _ => break,
        }
    }
    let tail = rest.get(at..).unwrap_or("");
    match names.as_slice() {
        [] => Naming::Nothing,
        [only] if USE_AFTER.is_match(tail) => Naming::Use(only.clone()),
        _ => {
            let tail = tail.trim_start_matches(['*', '_', ' ']);
            Naming::Symbols { names, in_sentence: tail.starts_with(char::is_alphabetic) }
        }
    }
}

fn starts_with_name(text: &str) -> bool {
    match CODE.captures(text) {
        Some(parts) => {
            let code = parts.name("double").or_else(|| parts.name("single")).map_or("", |code| code.as_str());
            name_in_code(code).is_some()
        }
        None => false,
    }
}

fn quote(code: &str) -> Naming {
    let code = code.trim();
    // Paths and command-line options are not quotes of source code.
    let is_quote = code.chars().count() >= MIN_QUOTE_CHARS
        && !NO_NAMES.contains(&code)
        && !has_known_name(code.split([':', '#']).next().unwrap_or(code))
        && !code.starts_with('-');
    if is_quote { Naming::Quote(code.to_owned()) } else { Naming::Nothing }
}

/// The name in a piece of code: `apply` for `apply()`, `fn apply(&self) -> T` and `apply<T>`; `None` where the code is
/// more than a name.
pub(super) fn name_in_code(code: &str) -> Option<String> {
    let code = code.trim().trim_start_matches(['&', '*', '@']);
    if code.starts_with("impl ") || code.starts_with("impl<") {
        return Some(code.trim_end_matches(['{', ' ']).to_owned());
    }
    let signature = SIGNATURE.captures(code).and_then(|parts| parts.name("name")).map(|name| name.as_str());
    let name = match signature {
        Some(name) => name,
        None => {
            let end = code.find(['(', '<', '[']).unwrap_or(code.len());
            let (name, rest) = code.split_at(end);
            // The code `f(x)` or `f<T>` names `f`; `a(b) + c` is an expression.
            let closed = rest.is_empty() || rest.ends_with([')', '>', ']']) && !rest.contains([';', '=', '{']);
            if !closed {
                return None;
            }
            name
        }
    };
    let name = name.trim_end_matches(['!', ':', '.']).trim();
    let whole = WORD.find(name).is_some_and(|word| word.end() == name.len());
    (whole && !NO_NAMES.contains(&name) && !is_file_name(name)).then(|| name.to_owned())
}

/// Whether a dotted name looks like a file: `config.toml` does, `Editor.map` does not, since types begin with capitals.
fn is_file_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or("");
    name.matches('.').count() == 1 && !stem.chars().any(char::is_uppercase) && has_known_name(name)
}

/// Whether a word without code marks is clearly a name in code: `apply_edits`, `Editor.apply`, `run()`.
fn is_clearly_code(word: &str) -> bool {
    word.contains('_') && word.chars().any(char::is_alphabetic)
        || word.contains("::")
        || word.contains('#')
        || word.ends_with("()")
        || word.split_once('.').is_some_and(|(owner, member)| !owner.is_empty() && !member.is_empty())
}
