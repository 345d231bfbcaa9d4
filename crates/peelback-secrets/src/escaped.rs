//! Lines that hold other lines in escapes: a message that repeats what it received, a string in JSON or in code. A name
//! and its value are known by where a line begins and ends, so what the escapes stand for is read, too.

use std::ops::Range;

use memchr::memmem;

/// The shortest line that is read: a name and its value are longer.
const MIN_LINE_BYTES: usize = 12;

/// A line as its escapes stand for it.
pub(crate) struct UnescapedLine {
    /// What the escapes stand for.
    pub text: String,
    /// Where a byte of the text stands in the escaped text: at the beginning of each part that is as long in both.
    places: Vec<(usize, usize)>,
}

impl UnescapedLine {
    /// The bytes of the escaped text that stand for this range of the text.
    pub fn escaped_range(&self, range: &Range<usize>) -> Range<usize> {
        self.escaped_place(range.start)..self.escaped_place(range.end)
    }

    fn escaped_place(&self, at: usize) -> usize {
        let next = self.places.partition_point(|(place, _)| *place <= at);
        let (place, escaped) = next.checked_sub(1).and_then(|last| self.places.get(last)).copied().unwrap_or_default();
        escaped + (at - place)
    }
}

/// The lines of a text that hold the escape of a line's end, as their escapes stand for them.
pub(crate) fn unescaped_lines(text: &str) -> impl Iterator<Item = UnescapedLine> + '_ {
    let has_escape = memchr::memchr(b'\\', text.as_bytes()).is_some();
    let lines = if has_escape { text } else { "" }.split_inclusive('\n');
    lines
        .scan(0, |start, line| {
            let at = *start;
            *start += line.len();
            Some((at, line))
        })
        .filter(|(_, line)| line.len() >= MIN_LINE_BYTES && has_escaped_line_end(line))
        .map(|(at, line)| unescape_line(line, at))
}

fn has_escaped_line_end(line: &str) -> bool {
    let bytes = line.as_bytes();
    [&b"\\n"[..], b"\\r", b"\\u{a}", b"\\u{d}", b"\\u000a", b"\\u000d"]
        .iter()
        .any(|escape| memmem::find(bytes, escape).is_some())
}

/// The line that begins at `start` in a text, as its escapes stand for it.
fn unescape_line(line: &str, start: usize) -> UnescapedLine {
    let mut unescaped = UnescapedLine { text: String::with_capacity(line.len()), places: vec![(0, start)] };
    let mut copied = 0;
    for at in memchr::memchr_iter(b'\\', line.as_bytes()) {
        if at < copied {
            continue;
        }
        let Some((c, length)) = line.get(at..).and_then(decode_leading_escape) else { continue };
        unescaped.text.push_str(line.get(copied..at).unwrap_or_default());
        unescaped.places.push((unescaped.text.len(), start + at));
        unescaped.text.push(c);
        copied = at + length;
        unescaped.places.push((unescaped.text.len(), start + copied));
    }
    unescaped.text.push_str(line.get(copied..).unwrap_or_default());
    unescaped
}

/// The character that the escape at the beginning of a text stands for, and the length of the escape.
fn decode_leading_escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let c = match bytes.get(1)? {
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'\\' => '\\',
        b'"' => '"',
        b'\'' => '\'',
        b'/' => '/',
        b'u' => {
            let (digits, length) = match bytes.get(2)? {
                b'{' => {
                    let end = bytes.iter().take(10).position(|byte| *byte == b'}')?;
                    (text.get(3..end)?, end + 1)
                }
                _ => (text.get(2..6)?, 6),
            };
            return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, length));
        }
        _ => return None,
    };
    Some((c, 2))
}

#[cfg(test)]
mod tests {
    use super::unescaped_lines;

    fn unescaped(text: &str) -> Vec<String> {
        unescaped_lines(text).map(|line| line.text).collect()
    }

    #[test]
    fn lines_with_escaped_ends_are_read_as_what_they_stand_for() {
        assert_eq!(unescaped(r#"one\u{a}two\u{d}\u{a}three"#), ["one\ntwo\r\nthree"]);
        assert_eq!(unescaped(r#"{"a": "one\n\ttwo \"b\" \\n \u00df"}"#), ["{\"a\": \"one\n\ttwo \"b\" \\n ß\"}"]);
        assert_eq!(unescaped("first line\nsecond\\nand third\n"), ["second\nand third\n"]);
        for text in ["", "no \\\"end\\\" of a line", "short\\n", "plain text\nof two lines\n"] {
            assert!(unescaped(text).is_empty(), "{text}");
        }
        // What is no escape stays.
        assert_eq!(
            unescaped(r"C:\shop\new \u{110000} \u{zz} \uD800 \u12"),
            ["C:\\shop\new \\u{110000} \\u{zz} \\uD800 \\u12"]
        );
        assert_eq!(unescaped(r"a line\n that ends \"), ["a line\n that ends \\"]);
    }

    #[test]
    fn ranges_lead_back_to_the_escaped_text() {
        let text = "begins here\nsaid: \\\"größe\\u{a}value\\\" and more\\n";
        let line = unescaped_lines(text).next().expect("a line");
        for (word, escaped) in
            [("größe", "größe"), ("value", "value"), ("größe\nvalue", "größe\\u{a}value"), ("\"g", "\\\"g")]
        {
            let at = line.text.find(word).expect("the word");
            assert_eq!(&text[line.escaped_range(&(at..at + word.len()))], escaped);
        }
        assert_eq!(&text[line.escaped_range(&(0..line.text.len()))], &text[12..]);
    }
}
