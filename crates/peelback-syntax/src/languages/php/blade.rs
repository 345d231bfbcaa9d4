//! Blade templates: markup with expressions in `{{ … }}` and directives such as `@if (…)`. Their extension is that of PHP,
//! and they have no PHP tags. Their code is parsed as one PHP text, in which each expression is a statement.

/// Directives that are statements of PHP. The arguments of all others are expressions.
const STATEMENTS: &[&str] = &["foreach", "for"];

/// What begins with `@` in style sheets, and is no directive.
const RULES_OF_STYLES: &[&str] =
    &["apply", "charset", "container", "font", "import", "keyframes", "layer", "media", "page", "supports", "tailwind"];

/// The PHP code of a Blade template, with the same length and the same lines; `None` for other texts.
pub(super) fn code_of_template(source: &str) -> Option<String> {
    // The code of PHP stands in tags.
    let may_be_template = (source.contains("{{") || source.contains("{!!") || source.contains('@'))
        && !source.contains("<?php")
        && !source.contains("<?=");
    if !may_be_template {
        return None;
    }
    let mut template = Template {
        source,
        prepared: source.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect(),
        first_code: None,
    };
    template.read();
    template.into_code()
}

struct Template<'s> {
    source: &'s str,
    prepared: Vec<u8>,
    /// The offset of the first code.
    first_code: Option<usize>,
}

impl Template<'_> {
    fn read(&mut self) {
        let mut at = 0;
        while let Some(found) = self.source.get(at..).and_then(|rest| rest.find(['{', '@'])) {
            let start = at + found;
            match self.read_code_at(start) {
                Some(end) => at = end,
                // Code without an end: what follows cannot be told apart.
                None => break,
            }
        }
    }

    /// Reads what begins with a `{` or `@` at `start`, and returns the offset behind it; `None` if it has no end.
    fn read_code_at(&mut self, start: usize) -> Option<usize> {
        let rest = self.source.get(start..)?;
        if rest.starts_with("{{--") {
            return Some(start + rest.find("--}}")? + "--}}".len());
        }
        for (begin, end) in [("{{", "}}"), ("{!!", "!!}")] {
            if rest.starts_with(begin) {
                let length = begin.len() + rest.get(begin.len()..)?.find(end)?;
                self.end_statement_at(start);
                self.put_in(start + begin.len()..start + length);
                self.put_mark(start + length, b';');
                return Some(start + length + end.len());
            }
        }
        let Some(directive) = rest.strip_prefix('@') else { return Some(start + 1) };
        // `@{{ … }}` and `@@if` are text.
        if directive.starts_with("{{") || directive.starts_with("{!!") || directive.starts_with('@') {
            let length = if directive.starts_with('@') { "@@".len() } else { "@{{".len() };
            return Some(start + length.min(rest.len()));
        }
        let name_length = directive.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(directive.len());
        let name = directive.get(..name_length)?;
        let behind = start + 1 + name_length;
        let follows_word = self.source.get(..start)?.ends_with(|c: char| c.is_alphanumeric() || c == '.');
        if name.is_empty() || follows_word || RULES_OF_STYLES.contains(&name) {
            return Some(behind);
        }
        // What stands there is code of the browser.
        if name == "verbatim" {
            let rest = self.source.get(behind..)?;
            return Some(rest.find("@endverbatim").map_or(self.source.len(), |at| behind + at + "@endverbatim".len()));
        }
        self.end_statement_at(start);
        let blanks = self.source.get(behind..)?.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let open = behind + blanks;
        if self.source.as_bytes().get(open) != Some(&b'(') {
            if name == "php" {
                let Some(length) = self.source.get(behind..)?.find("@endphp") else { return Some(behind) };
                self.put_in(behind..behind + length);
                self.put_mark(behind + length, b';');
                return Some(behind + length + "@endphp".len());
            }
            return Some(behind);
        }
        let Some(close) = end_of_parentheses(self.source.as_bytes(), open) else { return Some(behind) };
        self.put_in(open..close + 1);
        let is_loop = name == "forelse" || STATEMENTS.contains(&name);
        if is_loop {
            let keyword = if name == "for" { "for" } else { "foreach" };
            let keyword_start = behind - keyword.len();
            for (offset, byte) in keyword.bytes().enumerate() {
                self.put_mark(keyword_start + offset, byte);
            }
        } else {
            // Several arguments are no expression, but the elements of an array are.
            self.put_mark(open, b'[');
            self.put_mark(close, b']');
        }
        Some(close + 1)
    }

    fn put_in(&mut self, range: std::ops::Range<usize>) {
        let (Some(code), Some(place)) = (self.source.get(range.clone()), self.prepared.get_mut(range.clone())) else {
            return;
        };
        place.copy_from_slice(code.as_bytes());
        self.first_code.get_or_insert(range.start);
    }

    fn put_mark(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.prepared.get_mut(at) {
            *place = byte;
            self.first_code = Some(self.first_code.map_or(at, |first| first.min(at)));
        }
    }

    /// Ends the statement in front of what begins at `at`, if there is one.
    fn end_statement_at(&mut self, at: usize) {
        if self.first_code.is_some() {
            self.put_mark(at, b';');
        }
    }

    /// The code behind a tag of PHP, which stands in front of the first code.
    fn into_code(mut self) -> Option<String> {
        let first = self.first_code?;
        // On a line of its own, or before the code of a line, so that the lines stay.
        let before = self.prepared.get(..first)?;
        // With a blank behind it, a name that begins with `php` is no part of the tag.
        let blanks_at =
            |count: usize| before.windows(count).rposition(|blanks| blanks.iter().all(|byte| *byte == b' '));
        let at = blanks_at(3).or_else(|| blanks_at(2))?;
        self.prepared.get_mut(at..at + 2)?.copy_from_slice(b"<?");
        String::from_utf8(self.prepared).ok()
    }
}

/// The offset of the parenthesis that closes the one at `open`; quoted text has none.
fn end_of_parentheses(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(mark), _) if mark == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::code_of_template;

    #[test]
    fn each_expression_of_a_template_is_a_statement_at_its_place() {
        let template = "@extends('a')\n<p>{{ $x->f() }}ö{!! g(1) !!} {{-- no --}} @{{ no }} a@b.c</p>\n\
            @foreach ($all as $one)\n@if ($one->is(')'))\n@endif\n@endforeach\n@php\n$z = 1;\n@endphp\n@media (no)\n";
        let code = code_of_template(template).unwrap_or_default();
        assert_eq!(code.len(), template.len());
        let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words, "<? ['a'] ; $x->f() ; ; g(1) ; ;foreach ($all as $one) ; [$one->is(')')] ; ; ; $z = 1; ;");
        assert_eq!(code.find("g(1)"), template.find("g(1)"));
        assert_eq!(code.matches('\n').count(), template.matches('\n').count());
    }

    #[test]
    fn other_texts_stay() {
        for text in
            ["<?php echo 1; // {{ x }}", "<p>a@b.c</p>", "", "@", "{{", "{{ x", "@if (", "{!!}", "@php", "@foreach"]
        {
            assert_eq!(code_of_template(text), None, "{text}");
        }
        assert_eq!(code_of_template("{{$x}}").as_deref(), Some("<?$x; "));
    }

    #[test]
    fn code_may_stand_on_any_line() {
        for template in [
            "<div>\n  {{ f() }}\n</div>\n",
            "\n<p>{{ f() }}</p>\n",
            "<!-- @if ( -->\n<b>x</b>\n{{ f() }}\n",
            "a@@é {{ f() }}\n",
        ] {
            let code = code_of_template(template).unwrap_or_default();
            assert_eq!(code.len(), template.len(), "{template}");
            assert!(code.contains("<?") && code.contains("f()"), "{template}: {code}");
        }
        let vue = "<div>\n{{ f() }}\n@verbatim {{ g() }} @endverbatim {{ h() }}\n";
        let code = code_of_template(vue).unwrap_or_default();
        assert!(code.contains("f()") && code.contains("h()") && !code.contains("g()"), "{code}");
    }
}
