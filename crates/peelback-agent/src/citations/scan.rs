//! Parsing of the citations in one piece of Markdown text.

use std::ops::Range;

use peelback_code::syntax::language;

use super::naming::Naming;
use peelback_secrets::pattern::constant_patterns;

/// A citation as the document's text contains it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The cited path, with `/` as separator and without Markdown escapes.
    pub path: String,
    /// The numbers of the first and last cited line as the text gives them; `None` if it gives none. The file may have
    /// fewer lines.
    pub lines: Option<(u32, u32)>,
    /// The symbol or quote that the text around the citation names.
    pub naming: Naming,
    /// The description of the citation in the text; empty if the citation is in running text.
    pub description: String,
    /// Whether the cited path may be something other than a file path. Such a citation counts only if the file exists.
    pub(super) tentative: bool,
    /// The byte range of the path in the document; `None` if the path cannot be replaced.
    pub(super) path_at: Option<Range<usize>>,
    /// The byte range of the line numbers in the document, without the separator before them.
    pub(super) lines_at: Option<Range<usize>>,
    /// The byte range in the document of the citation's Markdown element, including backticks and emphasis. A mark is
    /// added after this range.
    pub(super) element: Range<usize>,
    /// The byte range of the `unverified` mark that an earlier check added after the citation.
    pub(super) mark: Option<Range<usize>>,
}

impl Citation {
    /// The citation as text, such as `path:a-b`.
    pub fn format_location(&self) -> String {
        match self.lines {
            Some((first, last)) if first == last => format!("{}:{first}", self.path),
            Some((first, last)) => format!("{}:{first}-{last}", self.path),
            None => self.path.clone(),
        }
    }
}

/// The kind of a piece of Markdown text: plain text, inline code or a link target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Text,
    Code,
    Target,
}

/// A citation in a piece of text. The byte ranges count from the beginning of that piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundCitation {
    pub path: String,
    pub path_at: Range<usize>,
    pub lines: Option<(u32, u32)>,
    pub lines_at: Option<Range<usize>>,
    pub symbol: Option<String>,
    pub tentative: bool,
    pub whole: Range<usize>,
}

/// Extensions of files that documents cite, in addition to the extensions of known programming languages.
const OTHER_EXTENSIONS: &[&str] = &[
    "txt",
    "cfg",
    "ini",
    "conf",
    "lock",
    "sql",
    "css",
    "scss",
    "less",
    "proto",
    "graphql",
    "gql",
    "xml",
    "gradle",
    "cmake",
    "mk",
    "tf",
    "hcl",
    "zig",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "mli",
    "dart",
    "r",
    "jl",
    "pl",
    "pm",
    "ps1",
    "bat",
    "cmd",
    "csv",
    "rst",
    "adoc",
    "tex",
    "html",
    "htm",
    "jinja",
    "j2",
    "ejs",
    "hbs",
    "tmpl",
    "tpl",
    "scm",
    "snap",
    "nix",
    "clj",
    "fs",
    "fsx",
    "vb",
    "m",
    "mm",
    "asm",
    "s",
    "wgsl",
    "glsl",
    "service",
    "properties",
    "plist",
    "mod",
    "sum",
    "bzl",
    "env",
    "example",
    "sample",
    "template",
    "diff",
    "patch",
    "map",
    "svg",
    "editorconfig",
    "dockerfile",
];

/// Names of files without an extension that documents cite.
const OTHER_NAMES: &[&str] = &[
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "Jenkinsfile",
    "Procfile",
    "Justfile",
    "justfile",
    "BUILD",
    "WORKSPACE",
    "LICENSE",
    "README",
    "CHANGELOG",
    "CODEOWNERS",
    "Caddyfile",
    "Tiltfile",
];

/// Top-level domains, by which a web address such as `example.com/a` is distinguished from a path.
const HOST_ENDS: &[&str] = &["com", "org", "net", "io", "dev", "ai", "co", "app", "edu", "gov"];

constant_patterns! {
    WITH_LINES = r"^(?P<path>[^\s:#]+?)(?::|#)(?P<lines>[lL]?(?P<first>\d{1,9})(?:[cC]\d+)?(?:\s?(?:-|–|—|\.\.=?)\s?[lL]?(?P<last>\d{1,9})(?:[cC]\d+)?)?)(?P<more>(?:,[lL]?\d{1,9}(?:[-–][lL]?\d{1,9})?)*)(?::\d{1,5})?$";
    MORE_LINES = r"[lL]?(?P<first>\d{1,9})(?:[-–][lL]?(?P<last>\d{1,9}))?";
    WITH_SYMBOL = r"^(?P<path>[^\s:#]+?)(?:::?|#)(?P<symbol>[\p{Alphabetic}_$][\w$]*(?:(?:\.|::|#)[\p{Alphabetic}_$][\w$]*)*)(?:\(\))?$";
}

/// Parses the citations in a piece of Markdown text, in order.
pub(super) fn scan_citations(text: &str, stretch: TextKind) -> Vec<FoundCitation> {
    let mut found = Vec::new();
    if stretch == TextKind::Target {
        parse_citations_in_word(text, 0..text.len(), stretch, &mut found);
        return found;
    }
    let words: Vec<Range<usize>> = word_byte_ranges(text);
    let alone = words.len() == 1;
    for word in words {
        let word = trim_word_punctuation(text, word);
        let before = found.len();
        parse_citations_in_word(text, word, stretch, &mut found);
        // A path without lines inside a command line is an argument of the command, not a citation.
        if stretch == TextKind::Code
            && !alone
            && found.get(before).is_some_and(|f| f.lines.is_none() && f.symbol.is_none())
        {
            found.truncate(before);
        }
    }
    found
}

fn word_byte_ranges(text: &str) -> Vec<Range<usize>> {
    let mut word_ranges = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                word_ranges.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    word_ranges.extend(start.map(|from| from..text.len()));
    word_ranges
}

/// The byte range of a word without surrounding punctuation. Brackets that are part of a path stay, as in `[id].tsx` or
/// `(group)/page.tsx`.
fn trim_word_punctuation(text: &str, mut word: Range<usize>) -> Range<usize> {
    loop {
        let Some(shown) = text.get(word.clone()) else { return word };
        let count = |c: char| shown.matches(c).count();
        let last_open = |open: char, close: char| count(open) < count(close);
        let (Some(first), Some(last)) = (shown.chars().next(), shown.chars().next_back()) else { return word };
        if matches!(
            last,
            ',' | ';' | '.' | '!' | '?' | ':' | '"' | '\'' | '*' | '~' | '>' | '|' | '”' | '’' | '…' | '—' | '–'
        ) || (last == ')' && (last_open('(', ')') || first == '('))
            || (last == ']' && (last_open('[', ']') || first == '['))
            || (last == '_' && first == '_' && !shown.contains('/'))
        {
            // A pair of brackets that encloses the whole word is removed.
            if (first == '(' && last == ')') || (first == '[' && last == ']') {
                word.start += 1;
            }
            word.end -= last.len_utf8();
        } else if matches!(first, '"' | '\'' | '*' | '~' | '<' | '|' | '“' | '‘' | '—' | '–' | '→' | ',')
            || (first == '(' && !shown.contains(')'))
            || (first == '[' && !shown.contains(']'))
        {
            word.start += first.len_utf8();
        } else {
            return word;
        }
    }
}

fn parse_citations_in_word(text: &str, at: Range<usize>, stretch: TextKind, found: &mut Vec<FoundCitation>) {
    let Some(word) = text.get(at.clone()) else { return };
    if word.contains("://") || word.starts_with("mailto:") || word.len() > 1000 {
        return;
    }
    let place = |range: Range<usize>| at.start + range.start..at.start + range.end;
    if let Some(parts) = WITH_LINES.captures(word) {
        let (Some(path), Some(lines)) = (parts.name("path"), parts.name("lines")) else { return };
        let clean = cited_path_without_markdown_escapes(path.as_str(), stretch);
        if !is_possible_file_path(&clean, true) {
            return;
        }
        let mut push = |lines: Option<(u32, u32)>, lines_at: Range<usize>| {
            found.push(FoundCitation {
                path: clean.clone(),
                path_at: place(path.range()),
                lines,
                lines_at: Some(place(lines_at)),
                symbol: None,
                tentative: false,
                whole: at.clone(),
            });
        };
        push(line_range_from_captures(&parts), lines.range());
        if let Some(more) = parts.name("more") {
            for parts in MORE_LINES.captures_iter(more.as_str()) {
                let Some(whole) = parts.get(0) else { continue };
                push(line_range_from_captures(&parts), more.start() + whole.start()..more.start() + whole.end());
            }
        }
        return;
    }
    // The fragment of a link target (the text after `#`) is the name of a heading unless it contains line numbers.
    let (word, fragment) = match (stretch, word.split_once('#')) {
        (TextKind::Target, Some((path, _))) => (path, true),
        _ => (word, false),
    };
    if !fragment && let Some(parts) = WITH_SYMBOL.captures(word) {
        let (Some(path), Some(symbol)) = (parts.name("path"), parts.name("symbol")) else { return };
        let clean = cited_path_without_markdown_escapes(path.as_str(), stretch);
        if has_known_file_name_or_extension(&clean) && is_possible_file_path(&clean, true) {
            found.push(FoundCitation {
                path: clean,
                path_at: place(path.range()),
                lines: None,
                lines_at: None,
                symbol: Some(symbol.as_str().to_owned()),
                tentative: false,
                whole: at.clone(),
            });
        }
        return;
    }
    let clean = cited_path_without_markdown_escapes(word, stretch);
    if !is_possible_file_path(&clean, false) {
        return;
    }
    let plain =
        clean.contains('/') && has_known_file_name_or_extension(&clean) && !starts_with_likely_host_name(&clean);
    found.push(FoundCitation {
        tentative: !plain,
        path: clean,
        path_at: place(0..word.len()),
        lines: None,
        lines_at: None,
        symbol: None,
        whole: at.clone(),
    });
}

fn line_range_from_captures(parts: &regex::Captures<'_>) -> Option<(u32, u32)> {
    // The pattern allows at most nine digits, which fit into 32 bits.
    let number = |name: &str| parts.name(name).and_then(|found| found.as_str().parse::<u32>().ok());
    let first = number("first")?;
    Some((first, number("last").unwrap_or(first)))
}

/// The cited path without escapes. Plain text has Markdown escapes, link targets have percent encoding, and inline code
/// has backslashes.
fn cited_path_without_markdown_escapes(path: &str, stretch: TextKind) -> String {
    match stretch {
        TextKind::Text => {
            let mut out = String::with_capacity(path.len());
            let mut chars = path.chars().peekable();
            while let Some(c) = chars.next() {
                if c != '\\' || !chars.peek().is_some_and(char::is_ascii_punctuation) {
                    out.push(c);
                }
            }
            out
        }
        TextKind::Code => path.replace('\\', "/"),
        TextKind::Target => {
            path.replace("%20", " ").replace("%28", "(").replace("%29", ")").replace("%5B", "[").replace("%5D", "]")
        }
    }
}

/// Whether a word can be the path of a file.
fn is_possible_file_path(path: &str, has_lines: bool) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.is_empty()
        || path.contains(['*', '?', '<', '>', '|', '"', '\'', '`', '{', '}', '$', '=', ';', '!', '&', ',', '^', '\\'])
    {
        return false;
    }
    if !path.chars().any(char::is_alphabetic) || path.contains("//") && !path.starts_with("//") {
        return false;
    }
    if !path.contains('/') {
        return has_known_file_name_or_extension(path);
    }
    let host = starts_with_likely_host_name(path);
    if has_lines { !host || has_known_file_name_or_extension(path) } else { !host }
}

fn starts_with_likely_host_name(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    let end = first.rsplit_once('.').map(|(before, end)| (before.is_empty(), end));
    path.contains('/') && end.is_some_and(|(hidden, end)| !hidden && HOST_ENDS.contains(&end))
}

/// Whether the last component of a path is a known file name or has a known file extension.
pub(super) fn has_known_file_name_or_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if language::language_of_file_name(name).is_some() || OTHER_NAMES.contains(&name) {
        return true;
    }
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && OTHER_EXTENSIONS.contains(&extension.to_lowercase().as_str())
    })
}
