//! The names of a text in each language: scopes, bindings, expressions and occurrences refer to what is there.

use peelback_syntax::names::{Names, Span, Target};
use peelback_syntax::{Limits, bind_names};

use crate::input::is_sampled;
use crate::outline::language_and_text;

pub fn run(data: &[u8]) {
    let Some((language, text)) = language_and_text(data) else { return };
    let Ok(names) = bind_names(language, &text, &Limits::default()) else { return };
    check(&names, &text, language.name);
    if is_sampled(data, 16) {
        assert_eq!(Ok(names), bind_names(language, &text, &Limits::default()), "{}", language.name);
    }
}

fn check(names: &Names, text: &str, language: &str) {
    let is_offset = |at: u32| text.is_char_boundary(usize::try_from(at).expect("64 bits"));
    let is_list = |span: Span| {
        let end = u64::from(span.start) + u64::from(span.len);
        span.len == 0 || end <= u64::try_from(names.lists.len()).expect("64 bits")
    };
    for scope in &names.scopes {
        assert!(
            scope.bytes.start <= scope.bytes.end && is_offset(scope.bytes.start) && is_offset(scope.bytes.end),
            "{language}: {scope:?}"
        );
    }
    for binding in &names.bindings {
        assert!(is_offset(binding.at), "{language}: {binding:?}");
        assert!(is_list(binding.values) && is_list(binding.bases), "{language}: {binding:?}");
    }
    let newlines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    for occurrence in &names.occurrences {
        assert!(is_offset(occurrence.at), "{language}: {occurrence:?}");
        let line = 1 + newlines.partition_point(|newline| *newline < occurrence.at as usize);
        assert_eq!(occurrence.line as usize, line, "{language}: {occurrence:?}");
        let is_known = match occurrence.target {
            Target::Binding(binding) => (binding as usize) < names.bindings.len(),
            Target::Expr(expr) | Target::Parameter { callee: expr } => (expr as usize) < names.exprs.len(),
            Target::Imported(import, _) => (import as usize) < names.imports.len(),
            Target::Unknown => true,
        };
        assert!(is_known && (occurrence.name as usize) < names.strings.len(), "{language}: {occurrence:?}");
    }
    let count = u32::try_from(text.split('\n').count()).expect("a small text");
    for &(first, last) in &names.missed {
        assert!(1 <= first && first <= last && last <= count, "{language}: {first}-{last} of {count}");
    }
}
