//! Rewrites C source that the grammar cannot parse because the preprocessor would change it first.
//!
//! An `#if` may appear anywhere: in the middle of a call or an initialiser, or around one brace of a pair. The grammar
//! accepts it only around whole statements and members; elsewhere one `#ifdef` can hide the rest of a file. The repair
//! flattens such a group: it keeps the first branch and replaces its directives and its other branches by blanks. It
//! also replaces words that the grammar does not know by words that it knows. Every byte keeps its offset, so that the
//! tree matches the original text.

mod blanking;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::annotation;
use super::conditional_group::{BraceKind, ConditionalBranch, ConditionalGroup, Nesting};

/// Limit on the nesting of braces and of `#if` groups. Source that nests deeper is generated or broken, and is not
/// repaired.
const MAX_DEPTH: usize = 200;

/// A call at the start of a top-level statement, which may be a macro without a semicolon.
struct MacroCall {
    start: usize,
    parens: usize,
    /// The last code character (outside white space, comments and directives) before the call.
    previous_code_byte: u8,
}

struct SourceRepairScanner<'s> {
    source: &'s str,
    bytes: &'s [u8],
    position: usize,
    nesting: Nesting,
    /// The last byte before `position` that is outside white space, comments and directives; 0 at the start of the
    /// source.
    previous_code_byte: u8,
    groups: Vec<ConditionalGroup>,
    blanked_ranges: Vec<Range<usize>>,
    replacements: Vec<(usize, &'static str)>,
    possible_macro_call: Option<MacroCall>,
    /// Whether the word `enum` stands before `position` in the same declaration.
    is_enum_declared: bool,
    /// The number of open braces inside the enumerators of an enum.
    braces_in_enum: Option<usize>,
    /// Whether the word `return` is the last code before `position`.
    is_after_return: bool,
    /// The number of `?` in the statement so far whose `:` has not come yet.
    open_conditions: usize,
    /// Byte offset of the brace that opens the last compound literal whose macro was blanked.
    compound_literal_brace: Option<usize>,
    conditional_regions: Vec<ConditionalRegion>,
    /// Whether only conditional code is looked at, because words mean something else in the language of the source.
    reads_conditions_only: bool,
}

/// A region of a C source that may not be compiled: the text after `#if`, `#elif` or `#else`, up to the next directive
/// of the same `#if` group.
pub(super) struct ConditionalRegion {
    /// The byte range of the directive with which the region begins: one whole logical line.
    pub directive: Range<usize>,
    /// Byte offset of the end of the conditional region (exclusive).
    pub end: usize,
}

/// The regions of a C source that were rewritten before the parse, and those that a preprocessor condition can leave
/// out.
#[derive(Default)]
pub(super) struct PreprocessedRegions {
    /// Byte ranges that were replaced by blanks or other words so that the grammar can parse the source, in source
    /// order.
    pub rewritten_ranges: Vec<Range<usize>>,
    /// The regions that a preprocessor condition can leave out. A nested region precedes its enclosing region.
    pub conditional_regions: Vec<ConditionalRegion>,
}

/// Scans a C source and finds what the repair must rewrite; `None` if the source nests too deep to be repaired.
fn scan_source_for_repairs(source: &str) -> Option<SourceRepairScanner<'_>> {
    scan_source(source, false)
}

/// The ranges of a source of C++ that must be blanked so that no `#if` stands where the grammar cannot read it.
pub(in crate::languages) fn conditional_code_to_blank(source: &str) -> Vec<Range<usize>> {
    scan_source(source, true).map(|scan| scan.blanked_ranges).unwrap_or_default()
}

/// The regions of a C++ source that a preprocessor condition can leave out.
pub(super) fn conditional_regions_of_cpp_source(source: &str) -> Vec<ConditionalRegion> {
    scan_source(source, true).map(|scan| scan.conditional_regions).unwrap_or_default()
}

fn scan_source(source: &str, reads_conditions_only: bool) -> Option<SourceRepairScanner<'_>> {
    let mut scan = SourceRepairScanner {
        source,
        bytes: source.as_bytes(),
        position: 0,
        nesting: Nesting::default(),
        previous_code_byte: 0,
        groups: Vec::new(),
        blanked_ranges: Vec::new(),
        replacements: Vec::new(),
        possible_macro_call: None,
        is_enum_declared: false,
        braces_in_enum: None,
        is_after_return: false,
        open_conditions: 0,
        compound_literal_brace: None,
        conditional_regions: Vec::new(),
        reads_conditions_only,
    };
    scan.collect_repairs_in_whole_source()?;
    Some(scan)
}

/// Finds the ranges of a C source that the repair rewrites, and the regions under preprocessor conditions.
pub(super) fn find_rewritten_and_conditional_regions(source: &str) -> PreprocessedRegions {
    let Some(scan) = scan_source_for_repairs(source) else { return PreprocessedRegions::default() };
    let mut parts = scan.blanked_ranges;
    parts.extend(scan.replacements.iter().map(|(start, word)| *start..start + word.len()));
    parts.sort_by_key(|part| part.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut().filter(|last| last.end >= part.start) {
            Some(last) => last.end = last.end.max(part.end),
            None => merged.push(part),
        }
    }
    PreprocessedRegions { rewritten_ranges: merged, conditional_regions: scan.conditional_regions }
}

/// The C text to parse in place of `source`, with the same length and the same lines; `None` if `source` needs no
/// repair.
pub(super) fn repair_source_for_parser(source: &str) -> Option<String> {
    let scan = scan_source_for_repairs(source)
        .filter(|scan| !scan.blanked_ranges.is_empty() || !scan.replacements.is_empty())?;
    let mut bytes = source.as_bytes().to_vec();
    for (start, word) in scan.replacements {
        bytes.get_mut(start..start + word.len())?.copy_from_slice(word.as_bytes());
    }
    for blank in scan.blanked_ranges {
        for byte in bytes.get_mut(blank)? {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    String::from_utf8(bytes).ok()
}

impl SourceRepairScanner<'_> {
    fn collect_repairs_in_whole_source(&mut self) -> Option<()> {
        let mut line_start = true;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' => {
                    line_start = true;
                    self.position += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\\' => {
                    self.position += 1;
                    continue;
                }
                b'/' if self.skip_comment_if_present() => continue,
                b'#' if line_start => {
                    self.scan_preprocessor_directive()?;
                    continue;
                }
                b'"' | b'\'' => {
                    self.record_code_byte(byte);
                    self.skip_string_or_char_literal(byte);
                }
                b'{' => {
                    let kind = match self.previous_code_byte {
                        b'=' => BraceKind::Initialiser,
                        _ if self.compound_literal_brace == Some(self.position) => BraceKind::Initialiser,
                        b'"' if self.is_at_top_level() => BraceKind::Linkage,
                        _ if self.nesting.braces.last() == Some(&BraceKind::Initialiser) => BraceKind::Initialiser,
                        _ => BraceKind::Code,
                    };
                    self.nesting.braces.push(kind);
                    if std::mem::take(&mut self.is_enum_declared) {
                        self.braces_in_enum = Some(self.nesting.braces.len());
                    }
                    if self.nesting.braces.len() > MAX_DEPTH {
                        return None;
                    }
                    self.record_code_byte(byte);
                    self.position += 1;
                }
                b'}' => {
                    self.nesting.braces.pop();
                    self.braces_in_enum = self.braces_in_enum.filter(|open| *open <= self.nesting.braces.len());
                    self.record_code_byte(byte);
                    self.position += 1;
                }
                b'(' | b'[' => {
                    self.nesting.parens += 1;
                    self.record_code_byte(byte);
                    self.position += 1;
                }
                b')' | b']' => {
                    self.nesting.parens = self.nesting.parens.saturating_sub(1);
                    self.is_enum_declared = false;
                    self.record_code_byte(byte);
                    self.position += 1;
                    self.blank_macro_call_on_own_line();
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.record_repairs_of_next_word(),
                b'0'..=b'9' => {
                    // A number may contain letters and underscores (`1000UL`).
                    self.record_code_byte(byte);
                    self.position += 1;
                    while self.bytes.get(self.position).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                        self.position += 1;
                    }
                }
                _ => {
                    self.is_enum_declared &= byte != b';';
                    self.record_code_byte(byte);
                    self.follow_conditional_expression(byte);
                    self.position += 1;
                }
            }
            line_start = false;
        }
        Some(())
    }

    /// Counts the conditions of `a ? b : c`. Where `byte` is the colon of one, a value follows, as behind `?`.
    fn follow_conditional_expression(&mut self, byte: u8) {
        match byte {
            b'?' => self.open_conditions += 1,
            b':' if self.open_conditions > 0 => {
                self.open_conditions -= 1;
                self.previous_code_byte = b'?';
            }
            b';' => self.open_conditions = 0,
            _ => {}
        }
    }

    /// Records that `byte` is the last character so far outside white space, comments and directives.
    fn record_code_byte(&mut self, byte: u8) {
        self.previous_code_byte = byte;
        self.is_after_return = false;
        // The innermost open branch of an `#if` group also records its first and last code character.
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            if branch.first_code_byte == 0 {
                branch.first_code_byte = byte;
            }
            branch.last_code_byte = byte;
        }
    }

    fn is_at_top_level(&self) -> bool {
        self.nesting.parens == 0 && self.nesting.braces.iter().all(|brace| *brace == BraceKind::Linkage)
    }

    fn skip_comment_if_present(&mut self) -> bool {
        let rest = self.bytes.get(self.position..).unwrap_or(&[]);
        let length = match rest.get(1) {
            Some(b'/') => memchr::memchr(b'\n', rest),
            Some(b'*') => memchr::memmem::find(rest.get(2..).unwrap_or(&[]), b"*/").map(|found| found + 4),
            _ => return false,
        };
        self.position += length.unwrap_or(rest.len());
        true
    }

    /// Skips a string or character literal. An unclosed literal ends at the end of its line.
    fn skip_string_or_char_literal(&mut self, quote: u8) {
        self.position += 1;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\\' => self.position += 1,
                b'\n' => return,
                _ if byte == quote => {
                    self.position += 1;
                    return;
                }
                _ => {}
            }
            self.position += 1;
        }
    }

    fn record_repairs_of_next_word(&mut self) {
        let start = self.position;
        while self.bytes.get(self.position).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            self.position += 1;
        }
        let word = self.source.get(start..self.position).unwrap_or("");
        if self.reads_conditions_only {
            self.is_enum_declared |= word == "enum";
            if word == "else"
                && let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut())
                && branch.first_code_byte == 0
            {
                branch.starts_with_else = true;
            }
            self.record_code_byte(b'a');
            return;
        }
        let is_statement_start = self.nesting.parens == 0 && matches!(self.previous_code_byte, 0 | b';' | b'{' | b'}');
        // In an enum, the first word is an enumerator.
        let is_in_enum = self.braces_in_enum.is_some_and(|open| open == self.nesting.braces.len());
        if is_statement_start && !is_in_enum && self.nesting.braces.last() != Some(&BraceKind::Initialiser) {
            if self.blank_macros_before_closing_brace(start) {
                return;
            }
            self.blank_or_replace_annotation_macros(start);
        }
        match word {
            "enum" => self.is_enum_declared = true,
            "_Thread_local" => self.replacements.push((start, "thread_local ")),
            "_Complex" | "_Imaginary" | "__complex__" => self.blanked_ranges.push(start..self.position),
            "_Atomic" if self.next_code_byte(self.position) == Some(b'(') => self.replacements.push((start, "Atomic_")),
            // In C23, `auto` can stand in place of the type. The grammar reads `Auto` as the name of a type.
            "auto" => self.replacements.push((start, "Auto")),
            "__attribute__" | "__attribute"
                if self.is_at_top_level() && self.blank_attribute_before_declarator_end(start) =>
            {
                return;
            }
            "else" => {
                if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut())
                    && branch.first_code_byte == 0
                {
                    branch.starts_with_else = true;
                }
            }
            // The grammar accepts these words after a function's parameters, so they stay as written.
            "__attribute__" | "__attribute" | "__asm__" | "__asm" => {}
            _ if annotation::is_macro_like_name(word) && self.blank_macro_of_compound_literal(start) => return,
            _ if self.previous_code_byte == b'('
                && annotation::is_macro_like_name(word)
                && self.is_followed_by_function_pointer_name(self.position) =>
            {
                self.blanked_ranges.push(start..self.position);
                return;
            }
            _ if matches!(self.previous_code_byte, b')' | b']')
                && self.is_at_top_level()
                && annotation::is_macro_like_name(word)
                && self.blank_trailing_annotation_macros(start) =>
            {
                return;
            }
            _ if matches!(self.previous_code_byte, 0 | b';' | b'}')
                && self.is_at_top_level()
                && self.next_code_byte(self.position) == Some(b'(')
                && word.bytes().all(|b| !b.is_ascii_lowercase()) =>
            {
                self.possible_macro_call =
                    Some(MacroCall { start, parens: self.nesting.parens, previous_code_byte: self.previous_code_byte });
            }
            _ => {}
        }
        self.record_code_byte(b'a');
        self.is_after_return = word == "return";
    }

    /// Scans a preprocessor directive: the whole logical line, including a comment that begins in it.
    fn scan_preprocessor_directive(&mut self) -> Option<()> {
        let start = self.position;
        let mut is_in_string = false;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\\' => {
                    // A backslash at the end of a line continues it, also before CRLF.
                    self.position += if self.bytes.get(self.position + 1) == Some(&b'\r') { 3 } else { 2 };
                    continue;
                }
                b'\n' => break,
                b'"' => is_in_string = !is_in_string,
                b'/' if !is_in_string && self.skip_comment_if_present() => continue,
                _ => {}
            }
            self.position += 1;
        }
        self.position = self.position.min(self.bytes.len());
        let line = start..self.position;
        let text = self.source.get(line.clone())?.trim_start_matches(['#', ' ', '\t']);
        let name = text.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        match name {
            "if" | "ifdef" | "ifndef" => {
                if self.groups.len() > MAX_DEPTH {
                    return None;
                }
                let is_never_compiled = text.strip_prefix("if").is_some_and(|condition| condition.trim() == "0");
                self.groups.push(ConditionalGroup {
                    nesting_before: self.nesting.clone(),
                    previous_code_byte: self.previous_code_byte,
                    branches: Vec::new(),
                });
                self.begin_conditional_branch(line, is_never_compiled);
            }
            "else" | "elif" | "elifdef" | "elifndef" => {
                self.end_conditional_branch(start);
                if let Some(group) = self.groups.last() {
                    self.nesting = group.nesting_before.clone();
                    self.previous_code_byte = group.previous_code_byte;
                }
                self.begin_conditional_branch(line, false);
            }
            "endif" => {
                self.end_conditional_branch(start);
                if let Some(group) = self.groups.pop() {
                    self.end_conditional_group(group, line);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn begin_conditional_branch(&mut self, directive: Range<usize>, never: bool) {
        if let Some(group) = self.groups.last_mut() {
            let after = Nesting::default();
            let end = directive.end;
            group.branches.push(ConditionalBranch {
                directive,
                end,
                is_never_compiled: never,
                nesting_after: after,
                first_code_byte: 0,
                starts_with_else: false,
                last_code_byte: 0,
            });
        }
    }

    fn end_conditional_branch(&mut self, end: usize) {
        if let Some(branch) = self.groups.last_mut().and_then(|group| group.branches.last_mut()) {
            branch.end = end;
            branch.nesting_after = self.nesting.clone();
        }
    }

    /// Whether a group of C++ holds a part of a list without brackets, such as the initialisers of a constructor.
    fn splits_list(&self, group: &ConditionalGroup) -> bool {
        let ends_in_comma = || group.branches.iter().any(|branch| branch.last_code_byte == b',');
        self.reads_conditions_only && self.braces_in_enum.is_none() && ends_in_comma()
    }

    fn end_conditional_group(&mut self, group: ConditionalGroup, endif: Range<usize>) {
        let conditional =
            |branch: &ConditionalBranch| ConditionalRegion { directive: branch.directive.clone(), end: branch.end };
        self.conditional_regions.extend(group.branches.iter().map(conditional));
        let kept_index = group.branches.iter().position(|branch| !branch.is_never_compiled);
        if !group.is_splitting_statement_or_expression(self.bytes, endif.start) && !self.splits_list(&group) {
            self.nesting = group.nesting_before;
            let last = group.branches.iter().map(|branch| branch.last_code_byte).find(|last| *last != 0);
            self.previous_code_byte = group.previous_code_byte;
            if let Some(last) = last {
                self.record_code_byte(last);
            }
            return;
        }
        self.nesting = group.nesting_before;
        self.previous_code_byte = group.previous_code_byte;
        for (index, branch) in group.branches.into_iter().enumerate() {
            if Some(index) != kept_index {
                self.blanked_ranges.push(branch.directive.start..branch.end);
                continue;
            }
            self.blanked_ranges.push(branch.directive);
            self.nesting = branch.nesting_after;
            if branch.first_code_byte != 0 {
                self.record_code_byte(branch.first_code_byte);
                self.record_code_byte(branch.last_code_byte);
            }
        }
        self.blanked_ranges.push(endif);
    }
}
