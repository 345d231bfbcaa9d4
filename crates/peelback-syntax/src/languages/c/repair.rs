//! Rewrites C source that the grammar cannot parse because the preprocessor would change it first.
//!
//! An `#if` may appear anywhere: in the middle of a call or an initialiser, or around one brace of a pair. The grammar
//! accepts it only around whole statements and members; elsewhere one `#ifdef` can hide the rest of a file. The repair
//! flattens such a group: it keeps the first branch and replaces its directives and its other branches by blanks. It
//! also replaces words that the grammar does not know by words that it knows. Every byte keeps its offset, so that the
//! tree matches the original text.

mod blanking;

use std::ops::Range;

use super::annotation;
use super::group::{Brace, Branch, Group, Nesting};

/// The deepest nesting that is repaired. Deeper text is generated or broken and stays as written.
const MAX_DEPTH: usize = 200;

/// A call at the start of a top-level statement, which may be a macro without a semicolon.
struct MacroCall {
    start: usize,
    parens: usize,
    /// The last code character before the call.
    previous: u8,
}

struct Scanner<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    nesting: Nesting,
    /// The last character outside white space, comments and directives; 0 at the start.
    previous: u8,
    groups: Vec<Group>,
    blanks: Vec<Range<usize>>,
    replacements: Vec<(usize, &'static str)>,
    call: Option<MacroCall>,
    conditional: Vec<ConditionalRegion>,
}

/// The text after `#if`, `#elif` or `#else`, up to the next directive of the same group.
pub(super) struct ConditionalRegion {
    /// The bytes of the directive: one whole logical line.
    pub directive: Range<usize>,
    /// Byte offset of the end of the conditional region.
    pub end: usize,
}

/// The regions of a text that the preprocessor affects.
#[derive(Default)]
pub(super) struct Preprocessed {
    /// The ranges that were rewritten for the grammar, in source order.
    pub changed: Vec<Range<usize>>,
    /// The regions under a condition. A nested region precedes its enclosing region.
    pub conditional: Vec<ConditionalRegion>,
}

/// Scans a text; `None` if the text is to stay as written.
fn scan_source(source: &str) -> Option<Scanner<'_>> {
    let mut scan = Scanner {
        source,
        bytes: source.as_bytes(),
        at: 0,
        nesting: Nesting::default(),
        previous: 0,
        groups: Vec::new(),
        blanks: Vec::new(),
        replacements: Vec::new(),
        call: None,
        conditional: Vec::new(),
    };
    scan.scan()?;
    Some(scan)
}

/// Finds the rewritten ranges and the conditional regions of `source`.
pub(super) fn preprocess(source: &str) -> Preprocessed {
    let Some(scan) = scan_source(source) else { return Preprocessed::default() };
    let mut parts = scan.blanks;
    parts.extend(scan.replacements.iter().map(|(start, word)| *start..start + word.len()));
    parts.sort_by_key(|part| part.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut().filter(|last| last.end >= part.start) {
            Some(last) => last.end = last.end.max(part.end),
            None => merged.push(part),
        }
    }
    Preprocessed { changed: merged, conditional: scan.conditional }
}

/// The text to parse in place of `source`, with the same length and the same lines; `None` if `source` needs no repair.
pub(super) fn repair_source(source: &str) -> Option<String> {
    let scan = scan_source(source).filter(|scan| !scan.blanks.is_empty() || !scan.replacements.is_empty())?;
    let mut bytes = source.as_bytes().to_vec();
    for (start, word) in scan.replacements {
        bytes.get_mut(start..start + word.len())?.copy_from_slice(word.as_bytes());
    }
    for blank in scan.blanks {
        for byte in bytes.get_mut(blank)? {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

impl Scanner<'_> {
    fn scan(&mut self) -> Option<()> {
        let mut line_start = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    line_start = true;
                    self.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\\' => {
                    self.at += 1;
                    continue;
                }
                b'/' if self.skip_comment() => continue,
                b'#' if line_start => {
                    self.scan_directive()?;
                    continue;
                }
                b'"' | b'\'' => {
                    self.record_code_byte(byte);
                    self.skip_literal(byte);
                }
                b'{' => {
                    let kind = match self.previous {
                        b'=' => Brace::Initialiser,
                        b'"' if self.is_top_level() => Brace::Linkage,
                        _ if self.nesting.braces.last() == Some(&Brace::Initialiser) => Brace::Initialiser,
                        _ => Brace::Code,
                    };
                    self.nesting.braces.push(kind);
                    if self.nesting.braces.len() > MAX_DEPTH {
                        return None;
                    }
                    self.record_code_byte(byte);
                    self.at += 1;
                }
                b'}' => {
                    self.nesting.braces.pop();
                    self.record_code_byte(byte);
                    self.at += 1;
                }
                b'(' | b'[' => {
                    self.nesting.parens += 1;
                    self.record_code_byte(byte);
                    self.at += 1;
                }
                b')' | b']' => {
                    self.nesting.parens = self.nesting.parens.saturating_sub(1);
                    self.record_code_byte(byte);
                    self.at += 1;
                    self.blank_lone_macro_call();
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.scan_word(),
                b'0'..=b'9' => {
                    // A number may contain letters and quotes (`1'000UL`).
                    self.record_code_byte(byte);
                    self.at += 1;
                    while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                        self.at += 1;
                    }
                }
                _ => {
                    self.record_code_byte(byte);
                    self.at += 1;
                }
            }
            line_start = false;
        }
        Some(())
    }

    /// Records a code character.
    fn record_code_byte(&mut self, byte: u8) {
        self.previous = byte;
        // The innermost open branch also records its first and last code character.
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            if branch.first == 0 {
                branch.first = byte;
            }
            branch.last = byte;
        }
    }

    fn is_top_level(&self) -> bool {
        self.nesting.parens == 0 && self.nesting.braces.iter().all(|brace| *brace == Brace::Linkage)
    }

    fn skip_comment(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let length = match rest.get(1) {
            Some(b'/') => memchr::memchr(b'\n', rest),
            Some(b'*') => memchr::memmem::find(rest.get(2..).unwrap_or(&[]), b"*/").map(|found| found + 4),
            _ => return false,
        };
        self.at += length.unwrap_or(rest.len());
        true
    }

    /// Skips a string or character literal. An unclosed literal ends at the end of its line.
    fn skip_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'\n' => return,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn scan_word(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        let word = self.source.get(start..self.at).unwrap_or("");
        let begins = self.nesting.parens == 0 && matches!(self.previous, 0 | b';' | b'{' | b'}');
        if begins && self.nesting.braces.last() != Some(&Brace::Initialiser) {
            self.blank_annotations(start);
        }
        match word {
            "_Thread_local" => self.replacements.push((start, "thread_local ")),
            "_Complex" | "_Imaginary" | "__complex__" => self.blanks.push(start..self.at),
            "_Atomic" if self.next_code_byte(self.at) == Some(b'(') => self.replacements.push((start, "Atomic_")),
            // In C23, `auto` infers the type from the value.
            "auto" => self.replacements.push((start, "Auto")),
            "__attribute__" | "__attribute" if self.is_top_level() && self.blank_attribute(start) => return,
            "else" => {
                if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut())
                    && branch.first == 0
                {
                    branch.starts_with_else = true;
                }
            }
            // The grammar accepts these words after a function's parameters.
            "__attribute__" | "__attribute" | "__asm__" | "__asm" => {}
            _ if self.previous == b'(' && annotation::is_macro_like(word) && self.is_function_pointer(self.at) => {
                self.blanks.push(start..self.at);
                return;
            }
            _ if matches!(self.previous, b')' | b']')
                && self.is_top_level()
                && annotation::is_macro_like(word)
                && self.blank_trailing_annotations(start) =>
            {
                return;
            }
            _ if matches!(self.previous, 0 | b';' | b'}')
                && self.is_top_level()
                && self.next_code_byte(self.at) == Some(b'(')
                && word.bytes().all(|b| !b.is_ascii_lowercase()) =>
            {
                self.call = Some(MacroCall { start, parens: self.nesting.parens, previous: self.previous });
            }
            _ => {}
        }
        self.record_code_byte(b'a');
    }

    /// Scans a directive: the whole logical line, including a comment that begins in it.
    fn scan_directive(&mut self) -> Option<()> {
        let start = self.at;
        let mut quoted = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => {
                    // A backslash at the end of a line continues it, also before CRLF.
                    self.at += if self.bytes.get(self.at + 1) == Some(&b'\r') { 3 } else { 2 };
                    continue;
                }
                b'\n' => break,
                b'"' => quoted = !quoted,
                b'/' if !quoted && self.skip_comment() => continue,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.at.min(self.bytes.len());
        let line = start..self.at;
        let text = self.source.get(line.clone())?.trim_start_matches(['#', ' ', '\t']);
        let name = text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        match name {
            "if" | "ifdef" | "ifndef" => {
                if self.groups.len() > MAX_DEPTH {
                    return None;
                }
                let never = text.strip_prefix("if").is_some_and(|condition| condition.trim() == "0");
                self.groups.push(Group { at: self.nesting.clone(), previous: self.previous, branches: Vec::new() });
                self.begin_branch(line, never);
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                self.end_branch(start);
                if let Some(group) = self.groups.last() {
                    self.nesting = group.at.clone();
                    self.previous = group.previous;
                }
                self.begin_branch(line, false);
            }
            "endif" => {
                self.end_branch(start);
                if let Some(group) = self.groups.pop() {
                    self.end_group(group, line);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn begin_branch(&mut self, directive: Range<usize>, never: bool) {
        if let Some(group) = self.groups.last_mut() {
            let after = Nesting::default();
            let end = directive.end;
            group.branches.push(Branch { directive, end, never, after, first: 0, starts_with_else: false, last: 0 });
        }
    }

    fn end_branch(&mut self, end: usize) {
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            branch.end = end;
            branch.after = self.nesting.clone();
        }
    }

    fn end_group(&mut self, group: Group, endif: Range<usize>) {
        let conditional = |branch: &Branch| ConditionalRegion { directive: branch.directive.clone(), end: branch.end };
        self.conditional.extend(group.branches.iter().map(conditional));
        let kept = group.branches.iter().position(|branch| !branch.never);
        if !group.splits_syntax(self.bytes, endif.start) {
            self.nesting = group.at;
            let last = group.branches.iter().map(|branch| branch.last).find(|last| *last != 0);
            self.previous = group.previous;
            if let Some(last) = last {
                self.record_code_byte(last);
            }
            return;
        }
        self.nesting = group.at;
        self.previous = group.previous;
        for (index, branch) in group.branches.into_iter().enumerate() {
            if Some(index) != kept {
                self.blanks.push(branch.directive.start..branch.end);
                continue;
            }
            self.blanks.push(branch.directive);
            self.nesting = branch.after;
            if branch.first != 0 {
                self.record_code_byte(branch.first);
                self.record_code_byte(branch.last);
            }
        }
        self.blanks.push(endif);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::repair_source;

    const PIECES: &[&str] = &[
        "#if 0\n",
        "#ifdef A\n",
        "#else\n",
        "#endif\n",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        "=",
        ",",
        "*",
        "\n",
        " ",
        "int ",
        "API ",
        "(API *name)(",
        "__init ",
        "name",
        "else ",
        "\"s\"",
        "\"",
        "'",
        "/* é */",
        "/*",
        "// é\n",
        "\\\n",
        "\r\n",
        "__attribute__((x))",
        "_Thread_local ",
        "_Atomic",
        "_Complex ",
        "auto ",
        "struct ",
        "é",
        "#define X \\\n",
    ];

    proptest! {
        #[test]
        fn a_repair_keeps_the_length_and_the_line_breaks(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
            let source: String = picks.into_iter().filter_map(|pick| PIECES.get(pick)).copied().collect();
            if let Some(out) = repair_source(&source) {
                prop_assert_eq!(out.len(), source.len());
                let newlines = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
                prop_assert_eq!(newlines(&out), newlines(&source));
            }
        }
    }
}
