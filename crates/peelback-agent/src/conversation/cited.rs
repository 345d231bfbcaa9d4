//! Detection of the places that a model's text cites.

use peelback_tools::Location;

/// The minimum number of characters of a symbol's name that counts as a citation: shorter names are common words.
const MIN_NAME: usize = 4;

/// Whether `text` cites a place by its path and a line of it (`src/cart.py:10-40`), or names the symbol of a place.
///
/// A path alone is no citation: it stands in every sentence about the next step. Nor is a word that code and prose share:
/// a name counts where it has the form of a name, with a capital inside, an underscore, a dot or a bracket beside it.
pub(super) fn is_any_place_cited(text: &str, places: &[Location]) -> bool {
    !text.is_empty() && places.iter().any(|place| is_place_cited(text, place))
}

fn is_place_cited(text: &str, place: &Location) -> bool {
    let Some((first, last)) = place.lines else { return false };
    let cites_lines = text.match_indices(place.path.as_str()).any(|(at, path)| {
        let after = text.get(at + path.len()..).unwrap_or("");
        let Some(lines) = after.strip_prefix(':') else { return false };
        let (from, rest) = leading_number(lines);
        let Some(from) = from else { return false };
        let to = rest.strip_prefix('-').and_then(|rest| leading_number(rest).0).unwrap_or(from);
        from <= last && first <= to
    });
    cites_lines || symbol_name(&place.title).is_some_and(|name| has_name(text, name))
}

/// The simple name of the symbol that a title names, such as `method Cart.total`.
fn symbol_name(title: &str) -> Option<&str> {
    let qualified = title.rsplit(' ').next()?;
    let name = qualified.rsplit(['.', ':', '#', '/']).next()?;
    (name.chars().count() >= MIN_NAME).then_some(name)
}

/// Whether a text has `name` as a whole word in the form of code.
fn has_name(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let inner = name.get(1..).unwrap_or("");
    let has_form_of_name = inner.contains('_') || inner.contains(char::is_uppercase);
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        let is_whole = !before.is_some_and(is_word) && !after.is_some_and(is_word);
        let is_marked = matches!(before, Some('`' | '.' | ':' | '#')) || matches!(after, Some('`' | '('));
        is_whole && (has_form_of_name || is_marked)
    })
}

/// The number at the beginning of a text, and the text after it.
fn leading_number(text: &str) -> (Option<u32>, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (digits.parse().ok(), rest)
}

#[cfg(test)]
mod tests {
    use peelback_tools::{Location, ShownDetail};

    use super::is_any_place_cited;

    fn place(path: &str, lines: Option<(u32, u32)>, title: &str) -> Location {
        Location {
            path: path.to_owned(),
            lines,
            title: title.to_owned(),
            shown_detail: ShownDetail::Read,
            is_whole_text: false,
        }
    }

    #[test]
    fn lines_and_names_are_citations_and_paths_are_not() {
        let body = [place("src/cart.py", Some((10, 40)), "method Cart.total")];
        for cites in [
            "It sums up in src/cart.py:12-14.",
            "`total` sums up.",
            "Cart.total sums up",
            "so total() is called",
            "see src/cart.py:40",
        ] {
            assert!(is_any_place_cited(cites, &body), "{cites}");
        }
        for other in ["I look at src/cart.py next.", "the total of all", "src/cart.py:41-50", "subtotal()", ""] {
            assert!(!is_any_place_cited(other, &body), "{other}");
        }
        assert!(!is_any_place_cited("src/cart.py:12", &[place("src/cart.py", None, "")]));
    }
}
