//! Detection of the symbol or quote that the text around a citation names.

use super::scan::has_known_file_name_or_extension;
use peelback_secrets::pattern::constant_patterns;

/// The symbol or quote that the text around a citation names. The citation check compares it with the cited lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Naming {
    /// The text contains no symbol or quote that could be compared with the cited lines.
    Nothing,
    /// The text names symbols that the cited lines should define.
    Symbols {
        /// The symbol names as written in the text, without parentheses and keywords.
        names: Vec<String>,
        /// Whether the names are part of a longer sentence. Such a sentence may be about a use of the symbol instead of
        /// its definition.
        in_sentence: bool,
    },
    /// The text mentions a name that the cited lines should define or use: `` see `src/a.rs:10-40` for `apply` ``.
    Mentioned(String),
    /// The text says that the cited lines use this name, without defining it.
    Use(String),
    /// The text quotes source code that the cited lines should contain.
    Quote(String),
}

/// The minimum number of characters of a code quote that the citation check compares. A shorter quote would match at
/// too many places.
const MIN_QUOTE_CHARS: usize = 4;

/// The maximum number of symbol names that are read from a list after a citation.
const MAX_NAMES: usize = 8;

constant_patterns! {
    SEPARATOR = r"^[)\]*_~]*\s*(?:(?:—|–|-{1,2}|:|→|=>|=)\s+|\()[*_]*";
    /// Keywords and articles that may precede the name of a symbol in a sentence.
    FILLER = r"(?i)^(?:(?:the|a|an|main|core|public|private|async|function|fn|func|method|struct|class|enum|trait|interface|type|macro|constant|const|module|helper|test|hook|component|constructor|defines?|definition of|declares?|declaration of|implementation of|implements?|contains|holds|where)\s+){0,4}[*_]*";
    /// Verbs and prepositions that connect a citation with the symbol name after it. The group `definition` matches if
    /// the verb says that the cited lines define the symbol.
    SAID_AFTER = r"(?i)^[)\]*_~]*,?\s+(?:(?P<definition>(?:defines|declares|is\s+the\s+(?:definition|declaration)\s+of)\b)|(?:for|implements|contains|holds|has|shows|where|with)\b)\s+[*_]*";
    /// A preposition before a citation at the beginning of a sentence, as in `` In `src/a.rs:10-40`, `apply` … ``. In
    /// the middle of a sentence, the name after the citation belongs to the text that follows.
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

/// Words that documents write as inline code and that are not names of symbols.
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

/// Detects the symbol or quote that the text before and after a citation's Markdown element names. The text after the
/// citation has priority, unless the text before the citation ends in a name that belongs to the citation: ``
/// `Editor::apply` (`src/a.rs:10-40`) ``.
pub(super) fn detect_named_symbol_or_quote(before: &str, after: &str) -> Naming {
    match detect_name_before_citation(before) {
        Naming::Nothing => {}
        named => return named,
    }
    match detect_names_after_citation(after) {
        Naming::Nothing => detect_name_in_sentence(before, after),
        named => named,
    }
}

/// Detects the symbol name that a sentence connects with its citation by a verb or preposition.
fn detect_name_in_sentence(before: &str, after: &str) -> Naming {
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
    let word = || WORD.find(rest).map(|word| word.as_str()).filter(|word| is_likely_symbol_name(word));
    let Some(name) = code.map(|code| code.as_str()).or_else(word).and_then(symbol_name_in_code) else {
        return Naming::Nothing;
    };
    if is_definition { Naming::Symbols { names: vec![name], in_sentence: true } } else { Naming::Mentioned(name) }
}

fn detect_name_before_citation(before: &str) -> Naming {
    let Some(parts) = BEFORE.captures(before) else { return Naming::Nothing };
    let code = parts.name("double").or_else(|| parts.name("single"));
    let Some(written) = code.or_else(|| parts.name("word")) else { return Naming::Nothing };
    let name = match code {
        Some(code) => symbol_name_in_code(code.as_str()),
        None => symbol_name_in_code(written.as_str()).filter(|_| is_likely_symbol_name(written.as_str())),
    };
    let Some(name) = name else { return Naming::Nothing };
    let start = parts.get(0).map_or(0, |whole| whole.start());
    if parts.name("place").is_some()
        && let Some(before) = USE_BEFORE.captures(before.get(..start).unwrap_or(""))
    {
        // A phrase such as `` the work of `apply` in `src/a.rs:10-40` `` may mean the definition or a use of the
        // symbol.
        return if before.name("use").is_some() { Naming::Use(name) } else { Naming::Mentioned(name) };
    }
    Naming::Symbols { names: vec![name], in_sentence: false }
}

fn detect_names_after_citation(after: &str) -> Naming {
    let Some(separator) = SEPARATOR.find(after) else { return Naming::Nothing };
    let rest = after.get(separator.end()..).unwrap_or("");
    let mut at = FILLER.find(rest).map_or(0, |filler| filler.end());
    let mut names = Vec::new();
    loop {
        let here = rest.get(at..).unwrap_or("");
        if let Some(parts) = CODE.captures(here) {
            let code = parts.name("double").or_else(|| parts.name("single")).map_or("", |code| code.as_str());
            match symbol_name_in_code(code) {
                Some(name) => names.push(name),
                // Inline code that is not a symbol name is either another path or a quote of source code.
                None if names.is_empty() => return quote_from_inline_code(code),
                None => break,
            }
            at += parts.get(0).map_or(0, |whole| whole.end());
        } else if let Some(parts) =
            WORD.captures(here).filter(|parts| is_likely_symbol_name(parts.get(0).map_or("", |w| w.as_str())))
        {
            let Some(name) = symbol_name_in_code(parts.get(0).map_or("", |word| word.as_str())) else { break };
            names.push(name);
            at += parts.get(0).map_or(0, |whole| whole.end());
        } else {
            break;
        }
        let here = rest.get(at..).unwrap_or("");
        match LISTED.find(here) {
            Some(next)
                if names.len() < MAX_NAMES
                    && starts_with_symbol_name_in_backticks(here.get(next.end()..).unwrap_or("")) =>
            {
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

/// The words of a text outside inline code that are clearly names of symbols.
pub(super) fn likely_symbol_names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '#' | '(' | ')')));
    let likely = |word: &str| {
        let word = word.trim_start_matches(['(', '.', ':', '#']).trim_end_matches(['.', ':', '#']);
        let called = word.ends_with("()");
        let word = if called { word } else { word.trim_end_matches(')') };
        is_likely_symbol_name(word).then(|| symbol_name_in_code(word)).flatten()
    };
    words.filter_map(likely).collect()
}

fn starts_with_symbol_name_in_backticks(text: &str) -> bool {
    match CODE.captures(text) {
        Some(parts) => {
            let code = parts.name("double").or_else(|| parts.name("single")).map_or("", |code| code.as_str());
            symbol_name_in_code(code).is_some()
        }
        None => false,
    }
}

fn quote_from_inline_code(code: &str) -> Naming {
    let code = code.trim();
    // Paths and command-line options do not count as quotes of source code.
    let is_quote = code.chars().count() >= MIN_QUOTE_CHARS
        && !NO_NAMES.contains(&code)
        && !has_known_file_name_or_extension(code.split([':', '#']).next().unwrap_or(code))
        && !code.starts_with('-');
    if is_quote { Naming::Quote(code.to_owned()) } else { Naming::Nothing }
}

/// Extracts the symbol name from a piece of inline code: `apply` from `apply()`, `fn apply(&self) -> T` and `apply<T>`.
/// Returns `None` if the code is more than the name or signature of a symbol.
pub(super) fn symbol_name_in_code(code: &str) -> Option<String> {
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
            // The code `f(x)` or `f<T>` names the symbol `f`. The code `a(b) + c` is an expression and names no symbol.
            let closed = rest.is_empty() || rest.ends_with([')', '>', ']']) && !rest.contains([';', '=', '{']);
            if !closed {
                return None;
            }
            name
        }
    };
    let name = name.trim_end_matches(['!', ':', '.']).trim();
    let whole = WORD.find(name).is_some_and(|word| word.end() == name.len());
    (whole && !NO_NAMES.contains(&name) && !is_likely_file_name(name)).then(|| name.to_owned())
}

/// Whether a dotted name looks like a file name. `config.toml` looks like a file, `Editor.map` does not: names of types
/// begin with a capital letter.
fn is_likely_file_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or("");
    name.matches('.').count() == 1 && !stem.chars().any(char::is_uppercase) && has_known_file_name_or_extension(name)
}

/// Whether a word outside inline code is clearly the name of a symbol: `apply_edits`, `Editor.apply`, `run()`.
fn is_likely_symbol_name(word: &str) -> bool {
    word.contains('_') && word.chars().any(char::is_alphabetic)
        || word.contains("::")
        || word.contains('#')
        || word.ends_with("()")
        || word.split_once('.').is_some_and(|(owner, member)| !owner.is_empty() && !member.is_empty())
}
