//! Text that the grammar can read, where the preprocessor makes of C what the grammar cannot.
//!
//! A `#if` may stand anywhere: in the middle of a call, of an initialiser, around one brace of a pair. The grammar takes
//! it only around whole statements and members; elsewhere one `#ifdef` can hide the rest of a file. Here such a group is
//! flattened: its first branch stays, its directives and other branches become blanks. Words that the grammar does not
//! know become words that it does. Every byte keeps its place, so that the tree fits the text as written.

use std::ops::Range;

use super::annotation;
use super::group::{Brace, Branch, Group, Nesting};

/// Annotations behind one declarator, at most, and bytes of the arguments of one.
const MAX_BEHIND: usize = 16;
const MAX_ARGUMENTS: usize = 4_000;

/// Deeper nesting than this is not C that someone wrote: the text is left as it is.
const MAX_DEPTH: usize = 200;

/// A call at the start of a top-level statement: it may be a macro that stands alone.
struct Call {
    start: usize,
    parens: usize,
    /// The character before it.
    previous: u8,
}

struct Scan<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    nesting: Nesting,
    /// The last character that is neither space nor comment nor directive; 0 at the start.
    previous: u8,
    groups: Vec<Group>,
    blanks: Vec<Range<usize>>,
    swaps: Vec<(usize, &'static str)>,
    call: Option<Call>,
    conditional: Vec<Conditional>,
}

/// A part of the text behind `#if`, `#elif` or `#else`, up to the next directive of its group.
pub(super) struct Conditional {
    /// The bytes of its directive: the whole logical line.
    pub directive: Range<usize>,
    /// Where it ends.
    pub end: usize,
}

/// What the preprocessor makes of a text.
#[derive(Default)]
pub(super) struct Preprocessed {
    /// The parts that the grammar does not get to see as they are written, in their order.
    pub changed: Vec<Range<usize>>,
    /// The parts that only some builds compile; of two that stand one in the other, the inner comes first.
    pub conditional: Vec<Conditional>,
}

/// Goes through a text; `None` where it is to be left as it is.
fn scanned(source: &str) -> Option<Scan<'_>> {
    let mut scan = Scan {
        source,
        bytes: source.as_bytes(),
        at: 0,
        nesting: Nesting::default(),
        previous: 0,
        groups: Vec::new(),
        blanks: Vec::new(),
        swaps: Vec::new(),
        call: None,
        conditional: Vec::new(),
    };
    scan.run()?;
    Some(scan)
}

/// What the preprocessor makes of `source`.
pub(super) fn preprocessed(source: &str) -> Preprocessed {
    let Some(scan) = scanned(source) else { return Preprocessed::default() };
    let mut parts = scan.blanks;
    parts.extend(scan.swaps.iter().map(|(start, word)| *start..start + word.len()));
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

/// The text to parse in place of `source`, of the same length and with the same lines; `None` where it is fine.
pub(super) fn repaired(source: &str) -> Option<String> {
    let scan = scanned(source).filter(|scan| !scan.blanks.is_empty() || !scan.swaps.is_empty())?;
    let mut bytes = source.as_bytes().to_vec();
    for (start, word) in scan.swaps {
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

impl Scan<'_> {
    fn run(&mut self) -> Option<()> {
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
                    self.directive()?;
                    continue;
                }
                b'"' | b'\'' => {
                    self.mark(byte);
                    self.skip_literal(byte);
                }
                b'{' => {
                    let kind = match self.previous {
                        b'=' => Brace::Initialiser,
                        b'"' if self.is_top() => Brace::Linkage,
                        _ if self.nesting.braces.last() == Some(&Brace::Initialiser) => Brace::Initialiser,
                        _ => Brace::Code,
                    };
                    self.nesting.braces.push(kind);
                    if self.nesting.braces.len() > MAX_DEPTH {
                        return None;
                    }
                    self.mark(byte);
                    self.at += 1;
                }
                b'}' => {
                    self.nesting.braces.pop();
                    self.mark(byte);
                    self.at += 1;
                }
                b'(' | b'[' => {
                    self.nesting.parens += 1;
                    self.mark(byte);
                    self.at += 1;
                }
                b')' | b']' => {
                    self.nesting.parens = self.nesting.parens.saturating_sub(1);
                    self.mark(byte);
                    self.at += 1;
                    self.end_of_call();
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
                b'0'..=b'9' => {
                    // A number goes on over letters and quotes (`1'000UL`).
                    self.mark(byte);
                    self.at += 1;
                    while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                        self.at += 1;
                    }
                }
                _ => {
                    self.mark(byte);
                    self.at += 1;
                }
            }
            line_start = false;
        }
        Some(())
    }

    /// Notes a character that means something.
    fn mark(&mut self, byte: u8) {
        self.previous = byte;
        // Between `#if` and `#endif`, the branch notes how it begins and ends.
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            if branch.first == 0 {
                branch.first = byte;
            }
            branch.last = byte;
        }
    }

    fn is_top(&self) -> bool {
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

    /// Skips a string or character; an open one ends with its line.
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

    fn word(&mut self) {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.at += 1;
        }
        let word = self.source.get(start..self.at).unwrap_or("");
        let begins = self.nesting.parens == 0 && matches!(self.previous, 0 | b';' | b'{' | b'}');
        if begins && self.nesting.braces.last() != Some(&Brace::Initialiser) {
            self.annotations(start);
        }
        match word {
            "_Thread_local" => self.swaps.push((start, "thread_local ")),
            "_Complex" | "_Imaginary" | "__complex__" => self.blanks.push(start..self.at),
            "_Atomic" if self.next_byte(self.at) == Some(b'(') => self.swaps.push((start, "Atomic_")),
            // C23: a type that the value tells.
            "auto" => self.swaps.push((start, "Auto")),
            "__attribute__" | "__attribute" if self.is_top() && self.attribute(start) => return,
            "else" => {
                if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut())
                    && branch.first == 0
                {
                    branch.starts_with_else = true;
                }
            }
            // These the grammar knows behind a function.
            "__attribute__" | "__attribute" | "__asm__" | "__asm" => {}
            _ if self.previous == b'(' && annotation::is_loud(word) && self.points_to_function(self.at) => {
                self.blanks.push(start..self.at);
                return;
            }
            _ if matches!(self.previous, b')' | b']')
                && self.is_top()
                && annotation::is_loud(word)
                && self.annotations_behind(start) =>
            {
                return;
            }
            _ if matches!(self.previous, 0 | b';' | b'}')
                && self.is_top()
                && self.next_byte(self.at) == Some(b'(')
                && word.bytes().all(|b| !b.is_ascii_lowercase()) =>
            {
                self.call = Some(Call { start, parens: self.nesting.parens, previous: self.previous });
            }
            _ => {}
        }
        self.mark(b'a');
    }

    /// Takes annotations out of the declaration that begins at `start`. A qualifier in their place, where there is
    /// room for one, keeps the declaration's beginning where it is.
    fn annotations(&mut self, start: usize) {
        for found in annotation::find(self.source, start, self.is_top()) {
            let word = if found.instead.len() <= found.bytes.len() { found.instead } else { "" };
            self.blanks.push(found.bytes.start + word.len()..found.bytes.end);
            if !word.is_empty() {
                self.swaps.push((found.bytes.start, word));
            }
        }
    }

    /// Blanks annotations behind a declarator, with their arguments, where the declaration ends or a value follows.
    fn annotations_behind(&mut self, start: usize) -> bool {
        let mut end = self.at;
        for _ in 0..MAX_BEHIND {
            end = match self.next_byte(end) {
                Some(b'(') => match self.closing(end) {
                    Some(closed) => closed,
                    None => return false,
                },
                Some(b'_' | b'a'..=b'z' | b'A'..=b'Z') => {
                    let begin = annotation::after_space(self.source, end);
                    let rest = self.source.get(begin..).unwrap_or("");
                    let word = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
                    if !annotation::is_loud(word) {
                        return false;
                    }
                    begin + word.len()
                }
                next => {
                    let ends = next == Some(b';') || (next == Some(b'=') && self.previous == b']');
                    if ends {
                        self.blanks.push(start..end);
                        self.at = end;
                    }
                    return ends;
                }
            };
        }
        false
    }

    /// Whether `*name)(` follows at `at`: `BOOL(WINAPI *open)(HANDLE, DWORD)` reads as a type that a macro makes and
    /// then the parameters' types as names, without `WINAPI` as the pointer to a function that it is.
    fn points_to_function(&self, at: usize) -> bool {
        let mut at = annotation::after_space(self.source, at);
        let star = at;
        while self.bytes.get(at) == Some(&b'*') {
            at = annotation::after_space(self.source, at + 1);
        }
        let name = self.bytes.get(at..).unwrap_or(&[]);
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let close = annotation::after_space(self.source, at + length);
        at > star && length > 0 && self.bytes.get(close) == Some(&b')') && self.next_byte(close + 1) == Some(b'(')
    }

    /// The end of the parentheses that open next after `at`.
    fn closing(&self, at: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (index, &byte) in self.bytes.get(at..)?.iter().take(MAX_ARGUMENTS).enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.checked_sub(1)?,
                _ if depth == 0 && !byte.is_ascii_whitespace() => return None,
                // An attribute's arguments hold no statements: what runs on is no attribute.
                b';' | b'{' | b'}' => return None,
                _ => {}
            }
            if depth == 0 && byte == b')' {
                return Some(at + index + 1);
            }
        }
        None
    }

    /// The next byte from `at` that is neither space nor in a comment.
    fn next_byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(annotation::after_space(self.source, at)).copied()
    }

    /// Blanks an attribute that stands where the grammar takes none: between a variable's name and what ends it.
    fn attribute(&mut self, start: usize) -> bool {
        let Some(end) = self.closing(self.at) else { return false };
        let after_value = matches!(self.previous, b'a' | b']');
        let blank = match self.next_byte(end) {
            Some(b'=') => true,
            Some(b';' | b',') => after_value,
            _ => false,
        };
        if blank {
            self.blanks.push(start..end);
            self.at = end;
        }
        blank
    }

    /// At a closing parenthesis: blanks a macro call that stands alone on its line before another declaration.
    fn end_of_call(&mut self) {
        let Some(call) = self.call.take_if(|call| call.parens == self.nesting.parens) else { return };
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let gap = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if !rest.get(..gap).unwrap_or(&[]).contains(&b'\n') {
            return;
        }
        let next = rest.get(gap..).unwrap_or(&[]);
        if !next.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            return;
        }
        let name = next.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        // `API(int)` above `name(void)` is the type of what follows.
        if self.next_byte(self.at + gap + name) != Some(b'(') {
            self.blanks.push(call.start..self.at);
            self.previous = call.previous;
        }
    }

    /// A directive: the whole logical line, a comment that begins in it included.
    fn directive(&mut self) -> Option<()> {
        let start = self.at;
        let mut quoted = false;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => {
                    // A line goes on after a backslash, also before CRLF.
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
        let conditional = |branch: &Branch| Conditional { directive: branch.directive.clone(), end: branch.end };
        self.conditional.extend(group.branches.iter().map(conditional));
        let kept = group.branches.iter().position(|branch| !branch.never);
        if !group.is_split(self.bytes, endif.start) {
            self.nesting = group.at;
            let last = group.branches.iter().map(|branch| branch.last).find(|last| *last != 0);
            self.previous = group.previous;
            if let Some(last) = last {
                self.mark(last);
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
                self.mark(branch.first);
                self.mark(branch.last);
            }
        }
        self.blanks.push(endif);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::repaired;

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
        fn every_byte_keeps_its_place(picks in prop::collection::vec(0..PIECES.len(), 0..60)) {
            let source: String = picks.into_iter().filter_map(|pick| PIECES.get(pick)).copied().collect();
            if let Some(out) = repaired(&source) {
                prop_assert_eq!(out.len(), source.len());
                let newlines = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
                prop_assert_eq!(newlines(&out), newlines(&source));
            }
        }
    }
}
