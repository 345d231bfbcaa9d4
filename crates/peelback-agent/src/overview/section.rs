//! The sections of an overview document in several lengths, and the choice of lengths that fits the token budget.

use std::collections::HashSet;
use std::fmt::Write as _;

use peelback_tokens::estimate_tokens;

use crate::citations::Reference;

/// A variant of a section: its text in one of several lengths.
#[derive(Debug, Clone, Default)]
pub(super) struct Variant {
    /// The text below the section's heading.
    pub text: String,
    /// The code references that the text cites.
    pub references: Vec<Reference>,
    /// A description of the parts that this variant leaves out, compared to the longest variant; `None` for the longest
    /// variant.
    pub left_out: Option<String>,
}

/// A section of an overview document.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub title: &'static str,
    /// The variants of the section, from the longest to the shortest; at least one.
    pub variants: Vec<Variant>,
    /// The percentage of the token budget that the section is entitled to.
    pub share: usize,
    /// The priority of the section: sections with a smaller number receive unused tokens first and are dropped last.
    pub rank: usize,
}

impl Section {
    /// Creates a section with these variants; `None` if all variants are empty.
    pub fn new(title: &'static str, share: usize, rank: usize, mut variants: Vec<Variant>) -> Option<Self> {
        variants.retain(|variant| !variant.text.trim().is_empty());
        let mut seen = HashSet::new();
        variants.retain(|variant| seen.insert(variant.text.clone()));
        (!variants.is_empty()).then_some(Self { title, variants, share, rank })
    }

    fn text_of_variant_with_heading(&self, variant: usize) -> String {
        let text = self.variants.get(variant).map_or("", |variant| variant.text.trim_end());
        format!("\n## {}\n\n{text}\n", self.title)
    }
}

/// An overview document that fits its token budget.
pub(super) struct Fitted {
    pub text: String,
    pub references: Vec<Reference>,
    pub left_out: Vec<String>,
}

/// Chooses a variant of each section so that the document's head and its sections together fit into `max_tokens`.
pub(super) fn fit_sections_to_budget(head: &str, sections: Vec<Section>, max_tokens: usize) -> Fitted {
    let costs: Vec<Vec<usize>> = sections
        .iter()
        .map(|section| {
            (0..section.variants.len())
                .map(|variant| estimate_tokens(&section.text_of_variant_with_heading(variant)))
                .collect()
        })
        .collect();
    let cost = |section: usize, variant: usize| costs.get(section).and_then(|costs| costs.get(variant)).copied();
    // Sections are dropped if even the shortest variants of all sections do not fit together.
    let mut chosen: Vec<Option<usize>> = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let share = max_tokens * section.share / 100;
        let within =
            (0..section.variants.len()).find(|variant| cost(index, *variant).is_some_and(|cost| cost <= share));
        chosen.push(Some(within.unwrap_or(section.variants.len() - 1)));
    }
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|index| sections.get(*index).map_or(usize::MAX, |section| section.rank));
    let room = max_tokens.saturating_sub(estimate_tokens(head) + NOTES);
    let sum = |chosen: &[Option<usize>]| {
        chosen.iter().enumerate().filter_map(|(index, variant)| cost(index, (*variant)?)).sum::<usize>()
    };
    // Excess tokens are removed from the sections with the lowest priority.
    for index in order.iter().rev() {
        while sum(&chosen) > room {
            let Some(slot) = chosen.get_mut(*index) else { break };
            let Some(variant) = *slot else { break };
            let last = sections.get(*index).map_or(0, |section| section.variants.len() - 1);
            *slot = (variant < last).then_some(variant + 1);
        }
    }
    // Unused tokens are given to the sections with the highest priority.
    for index in &order {
        while let Some(Some(variant @ 1..)) = chosen.get(*index).copied() {
            let mut next = chosen.clone();
            if let Some(slot) = next.get_mut(*index) {
                *slot = Some(variant - 1);
            }
            if sum(&next) > room {
                break;
            }
            chosen = next;
        }
    }
    let mut fitted = assemble_document(head, &sections, &chosen);
    // The sum of the token estimates for the sections only approximates the estimate for the whole document.
    for index in order.iter().rev() {
        while estimate_tokens(&fitted.text) > max_tokens {
            let Some(slot) = chosen.get_mut(*index) else { break };
            let Some(variant) = *slot else { break };
            let last = sections.get(*index).map_or(0, |section| section.variants.len() - 1);
            *slot = (variant < last).then_some(variant + 1);
            fitted = assemble_document(head, &sections, &chosen);
        }
    }
    fitted
}

/// The number of tokens reserved for the remarks about parts that were left out.
const NOTES: usize = 120;

fn assemble_document(head: &str, sections: &[Section], chosen: &[Option<usize>]) -> Fitted {
    let mut fitted = Fitted { text: head.to_owned(), references: Vec::new(), left_out: Vec::new() };
    let mut seen = HashSet::new();
    for (section, variant) in sections.iter().zip(chosen) {
        let Some(variant) = variant else {
            fitted.left_out.push(format!("the section {}", section.title));
            continue;
        };
        fitted.text.push_str(&section.text_of_variant_with_heading(*variant));
        if let Some(variant) = section.variants.get(*variant) {
            let new = variant.references.iter().filter(|found| seen.insert((found.path.clone(), found.line_start)));
            fitted.references.extend(new.cloned());
            fitted.left_out.extend(variant.left_out.clone());
        }
    }
    if !fitted.left_out.is_empty() {
        let _ = write!(fitted.text, "\n## Left Out\n\nTo fit the budget: {}.\n", fitted.left_out.join("; "));
    }
    fitted
}

/// The variants of a section that is a list: first all rows, then fewer rows for each number in `lengths`. Each of the
/// `rows` has its own code references.
pub(super) fn variants_with_fewer_rows(
    intro: &str,
    rows: &[(String, Vec<Reference>)],
    lengths: &[usize],
    what: &str,
) -> Vec<Variant> {
    let mut variants = Vec::new();
    for length in std::iter::once(rows.len()).chain(lengths.iter().copied().filter(|length| *length < rows.len())) {
        let mut variant = Variant { text: intro.to_owned(), ..Variant::default() };
        for (row, references) in rows.iter().take(length) {
            variant.text.push_str(row);
            variant.references.extend(references.iter().cloned());
        }
        variant.left_out = (length < rows.len()).then(|| format!("{} of {} {what}", rows.len() - length, rows.len()));
        variants.push(variant);
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(title: &'static str, share: usize, rank: usize, words: &[usize]) -> Section {
        let variant = |words: &usize| Variant {
            text: "word ".repeat(*words),
            left_out: Some(format!("some of {title}")).filter(|_| Some(words) != words_first(words)),
            ..Variant::default()
        };
        Section { title, share, rank, variants: words.iter().map(variant).collect() }
    }

    fn words_first(words: &usize) -> Option<&usize> {
        (*words >= 400).then_some(words)
    }

    #[test]
    fn what_one_does_not_need_the_others_get() {
        let sections = vec![section("A", 50, 1, &[20]), section("B", 50, 0, &[400, 200, 20])];
        let fitted = fit_sections_to_budget("head\n", sections.clone(), 900);
        assert!(fitted.left_out.is_empty() || fitted.left_out == ["some of A"], "{:?}", fitted.left_out);
        assert!(estimate_tokens(&fitted.text) <= 900);
        let tight = fit_sections_to_budget("head\n", sections, 250);
        assert!(estimate_tokens(&tight.text) <= 250, "{}", tight.text);
        assert!(tight.text.contains("## Left Out"), "{}", tight.text);
    }
}
