//! Words of Kotlin that are keywords in some places only, and the grammar's mistakes about them.

use super::{MAX_NEAR_BYTES, Scanner, is_word_byte};

/// Modifiers that can be names elsewhere.
const MODIFIERS: &[&str] = &[
    "abstract",
    "companion",
    "crossinline",
    "external",
    "final",
    "infix",
    "inline",
    "internal",
    "lateinit",
    "noinline",
    "open",
    "override",
    "private",
    "protected",
    "public",
    "reified",
    "sealed",
    "tailrec",
    "vararg",
];

/// Modifiers that can stand before `constructor`.
const MODIFIERS_OF_CONSTRUCTORS: &[&str] = &["actual", "expect", "internal", "private", "protected", "public"];

/// The limit on the modifiers and annotations before `constructor` that are looked at.
const MAX_MODIFIERS: usize = 8;

impl Scanner<'_> {
    /// Notes what to replace for the word between two offsets.
    pub(super) fn judge_word(&mut self, start: usize, end: usize) {
        let Some(word) = self.source.get(start..end) else { return };
        match word {
            "class" => self.join_class_and_constructor(end),
            "if" => self.replace_guard(start, end),
            "get" | "set" if self.is_first_of_line(start) && !self.begins_accessor(end) => self.rename(end),
            "by" | "where" | "suspend" if self.is_name_before(end, b".=),;]?+") => self.rename(end),
            _ if MODIFIERS.contains(&word) && self.is_modifier_used_as_name(end) => self.rename(end),
            _ => {}
        }
    }

    /// Replaces the last byte of a word, so that it is no keyword.
    fn rename(&mut self, end: usize) {
        self.edits.push((end - 1, b'_'));
    }

    fn is_first_of_line(&self, start: usize) -> bool {
        let line = self.bytes.get(..start).unwrap_or(&[]).iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
        line.is_none_or(|byte| *byte == b'\n')
    }

    /// Whether what follows a word makes it a name.
    fn is_name_before(&self, end: usize, followers: &[u8]) -> bool {
        self.previous != b'.' && followers.contains(&self.byte(self.skip_blanks(end)))
    }

    /// Whether a modifier is a name where it stands: a modifier is followed by another word or by an annotation.
    fn is_modifier_used_as_name(&self, end: usize) -> bool {
        let next = self.skip_blanks(end);
        match self.byte(next) {
            b'@' | b'`' => false,
            // What is computed goes on with the name.
            0 | b'\n' | b'\r' => matches!(self.previous, b'=' | b'+' | b'-' | b'*' | b'%' | b'!' | b'&' | b'|' | b':'),
            b'/' if matches!(self.byte(next + 1), b'/' | b'*') => false,
            byte => !is_word_byte(byte),
        }
    }

    /// Whether `get` or `set` at the beginning of a line begins the accessor of a property.
    fn begins_accessor(&self, end: usize) -> bool {
        let next = self.skip_blanks(end);
        match self.byte(next) {
            b'(' => {
                let Some(close) = self.find_near_byte(next, b')') else { return true };
                let behind = self.skip_space(close + 1);
                match self.byte(behind) {
                    b'{' | b':' => true,
                    b'=' => self.byte(behind + 1) != b'=',
                    _ => false,
                }
            }
            b'.' | b'?' | b'[' | b'+' | b'-' | b'*' | b'%' | b'=' | b'!' | b'<' | b'>' => false,
            byte => !is_word_byte(byte),
        }
    }

    /// Replaces the words before `(` by a comment where a line ends between the name of a class and its constructor: the
    /// grammar ends the class there.
    fn join_class_and_constructor(&mut self, end: usize) {
        let mut name = self.skip_blanks(end);
        let end = match self.byte(name) {
            b'`' => self.find_near_byte(name + 1, b'`').map_or(name, |at| at + 1),
            _ => self.word_end(name),
        };
        if end == name {
            return;
        }
        name = self.skip_blanks(end);
        if self.byte(name) == b'<' {
            // The bounds of type parameters have no parentheses that nest.
            let Some(line_end) = self.find_near_byte(name, b'\n') else { return };
            let list = self.bytes.get(name..line_end).unwrap_or(&[]);
            let Some(close) = list.iter().rposition(|byte| *byte == b'>') else { return };
            name = self.skip_blanks(name + close + 1);
        }
        if !matches!(self.byte(name), b'\n' | b'\r') {
            return;
        }
        let first = self.skip_space(name);
        let mut at = first;
        let mut has_annotation = false;
        for _ in 0..MAX_MODIFIERS {
            if self.byte(at) == b'@' {
                has_annotation = true;
                at = self.word_end(at + 1);
                while self.byte(at) == b'.' || self.byte(at) == b':' {
                    at = self.word_end(at + 1);
                }
                if self.byte(at) == b'(' {
                    let Some(close) = self.find_near_byte(at, b')') else { return };
                    at = close + 1;
                }
            } else {
                let end = self.word_end(at);
                match self.source.get(at..end) {
                    Some("constructor") => {
                        self.comment_out_constructor(first, end, has_annotation);
                        return;
                    }
                    Some(word) if MODIFIERS_OF_CONSTRUCTORS.contains(&word) => at = end,
                    _ => return,
                }
            }
            at = self.skip_space(at);
        }
    }

    /// Makes a comment of the words between two offsets. If annotations are among them, the comment takes the indentation
    /// before them instead.
    fn comment_out_constructor(&mut self, first: usize, end: usize, has_annotation: bool) {
        let (start, end) = if has_annotation {
            let indentation = self.bytes.get(..first).unwrap_or(&[]).iter().rev();
            let width = indentation.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if width < 4 {
                return;
            }
            (first - width, first - width + 4)
        } else {
            (first, end)
        };
        for at in start + 2..end - 2 {
            if !self.byte(at).is_ascii_whitespace() {
                self.edits.push((at, b'-'));
            }
        }
        self.edits.extend([(start, b'/'), (start + 1, b'*'), (end - 2, b'*'), (end - 1, b'/')]);
    }

    /// Makes a second condition of a guard: `is A if b ->` becomes `is A ,  b ->`, and `else if b ->` becomes `b ->`.
    fn replace_guard(&mut self, start: usize, end: usize) {
        let near = self.bytes.get(start.saturating_sub(MAX_NEAR_BYTES)..start).unwrap_or(&[]);
        let Some(line_break) = near.iter().rposition(|byte| *byte == b'\n') else { return };
        let Some(before) = self.source.get(start + line_break + 1 - near.len()..start) else { return };
        let begins = before.trim_start();
        let is_else = begins.trim_end() == "else";
        let is_test = ["is ", "!is ", "in ", "!in "].iter().any(|word| begins.starts_with(word));
        if !is_else && !is_test {
            return;
        }
        let rest = self.bytes.get(end..self.bytes.len().min(end + MAX_NEAR_BYTES)).unwrap_or(&[]);
        let line = rest.split(|byte| matches!(byte, b'\n' | b'{' | b'}')).next().unwrap_or(&[]);
        let has_arrow = line.windows(2).any(|pair| pair == b"->");
        if !has_arrow || before.contains("->") {
            return;
        }
        if is_else {
            let word = start - begins.len();
            let blanks = (word..end).filter(|at| is_word_byte(self.byte(*at)));
            self.edits.extend(blanks.map(|at| (at, b' ')).collect::<Vec<_>>());
        } else {
            self.edits.extend([(start, b','), (start + 1, b' ')]);
        }
    }
}
