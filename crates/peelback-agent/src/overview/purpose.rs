//! The section of an overview document on purpose: the repository's own descriptions of itself.

use std::fmt::Write as _;

use super::section::{Section, Variant, variants_with_fewer_rows};
use super::survey::{Survey, analysable_readme_extensions};
use crate::citations::Reference;
use crate::markdown::{
    format_block_quotation, format_inline_code, format_path_and_lines, one_line, truncate_with_ellipsis,
};
use peelback_secrets::pattern::constant_patterns;

/// The maximum number of characters quoted from the README, for each length of the purpose section.
const QUOTED: [usize; 3] = [1_200, 500, 200];

/// The maximum number of README paragraphs that are searched for the paragraph that describes the project.
const MOST_PARAGRAPHS: usize = 6;

/// The maximum number of listed packages, for each length of the purpose section.
const PACKAGES: [usize; 3] = [24, 10, 4];

pub(super) fn purpose_section(survey: &Survey<'_>) -> Option<Section> {
    let readme = first_readme_prose_paragraphs(survey);
    let packages = package_description_rows(survey);
    let variants = (0..QUOTED.len()).map(|length| {
        let mut variant = Variant::default();
        if let Some((path, paragraphs)) = &readme {
            let most = QUOTED.get(length).copied().unwrap_or(0);
            if let Some((first, text)) = find_descriptive_or_first_paragraph(paragraphs) {
                let quote = leading_sentences(text, most);
                let last = first + u32::try_from(quote.lines().count().saturating_sub(1)).unwrap_or(0);
                let _ = writeln!(
                    variant.text,
                    "{}{}\n",
                    format_block_quotation(&quote),
                    format_args!("\n{}", format_inline_code(&format_path_and_lines(path, first, last)))
                );
                variant.references.push(Reference {
                    path: path.clone(),
                    line_start: first,
                    line_end: last,
                    description: "what the README says first".to_owned(),
                });
            }
        }
        let most = PACKAGES.get(length).copied().unwrap_or(0);
        let rows = variants_with_fewer_rows("", &packages, &[most], "packages");
        if let Some(rows) = rows.into_iter().rfind(|rows| rows.left_out.is_none() || packages.len() > most) {
            variant.text.push_str(&rows.text);
            variant.references.extend(rows.references);
            variant.left_out = rows.left_out;
        }
        variant
    });
    Section::new("Purpose", 14, 0, variants.collect())
}

/// A paragraph of the README: the numbers of its first and last line, and its text.
type Paragraph = (u32, u32, String);

constant_patterns! {
    IS_A = r"(?i)^\W*\S+(\s\S+){0,5}?\s(is|are|provides|lets|helps)\s(an?|the|one|you)\b";
}

/// The first line number and the text of the README paragraph that describes the project; otherwise those of the first
/// paragraph.
fn find_descriptive_or_first_paragraph(paragraphs: &[Paragraph]) -> Option<(u32, &str)> {
    let says = |text: &str| IS_A.is_match(text);
    let found = paragraphs.iter().find(|(_, _, text)| says(text)).or_else(|| paragraphs.first());
    found.map(|(first, _, text)| (*first, text.as_str()))
}

/// The beginning of a text: as many whole sentences as fit into `most` characters. If no sentence fits, the beginning
/// of the first sentence.
fn leading_sentences(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    if end == text.len() {
        return text.to_owned();
    }
    let kept = text.get(..end).unwrap_or(text);
    let ends = kept.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?'));
    let ends = ends.filter(|(at, _)| kept.get(at + 1..).is_some_and(|rest| rest.starts_with(char::is_whitespace)));
    match ends.max_by_key(|(at, _)| *at) {
        Some((at, _)) => kept.get(..=at).unwrap_or(kept).to_owned(),
        None => truncate_with_ellipsis(text, most),
    }
}

/// The packages of the repository, each with the description in its manifest.
fn package_description_rows(survey: &Survey<'_>) -> Vec<(String, Vec<Reference>)> {
    survey
        .manifests
        .iter()
        .filter_map(|manifest| {
            let name = manifest.package_name_key()?;
            let key = manifest.description_key().unwrap_or(name);
            let shown = format_inline_code(name.value.as_deref().unwrap_or(&manifest.path));
            let description = manifest.description_key().and_then(|key| key.value.as_deref());
            let description = description
                .map_or(String::new(), |text| format!(": “{}”", truncate_with_ellipsis(&one_line(text), 240)));
            let at = format_inline_code(&format_path_and_lines(&manifest.path, key.lines.first, key.lines.last));
            Some((
                format!("- {} {shown}{description} ({at})\n", manifest.kind.package),
                vec![manifest.code_reference_to_key_lines(key)],
            ))
        })
        .collect()
}

/// The first prose paragraphs of the README with their line numbers.
fn first_readme_prose_paragraphs(survey: &Survey<'_>) -> Option<(String, Vec<Paragraph>)> {
    let others = [".rst", ".txt", ".adoc", ""].map(str::to_owned);
    let endings: Vec<String> = analysable_readme_extensions().chain(others).collect();
    let path = survey.find_showable_root_file("readme", &endings)?;
    let file = survey.access.read_file_by_root_path(path).ok()?;
    let mut paragraphs: Vec<(u32, u32, String)> = Vec::new();
    let mut current: Option<(u32, u32, String)> = None;
    let mut in_code = false;
    let mut in_comment = false;
    for (number, line) in (1..).zip(file.text.lines()) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
        }
        in_comment |= trimmed.starts_with("<!--");
        let ends_comment = in_comment && trimmed.contains("-->");
        let is_prose = !in_code && !in_comment && is_readme_prose_line(line);
        in_comment &= !ends_comment;
        match (&mut current, is_prose) {
            (Some((_, last, text)), true) => {
                *last = number;
                text.push('\n');
                text.push_str(trimmed);
            }
            (None, true) => current = Some((number, number, trimmed.to_owned())),
            (_, false) => paragraphs.extend(current.take()),
        }
        if paragraphs.len() >= MOST_PARAGRAPHS {
            break;
        }
    }
    paragraphs.extend(current);
    // A README paragraph of a few words is a title or the remains of a row of badges.
    paragraphs.retain(|(_, _, text)| text.split_whitespace().count() >= 5);
    Some((path.to_owned(), paragraphs))
}

/// Whether a README line is prose, and not a heading, badge, rule, table, list of links, tag or directive.
fn is_readme_prose_line(line: &str) -> bool {
    let text = line.trim();
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    let marks = ["#", "[!", "!", "<", "|", ".. ", ":", "---", "===", "***", "```", "~~~", "[[", "- [", "* ["];
    let is_rule = !text.is_empty() && text.chars().all(|c| "=-~^*_#\"'`+.".contains(c));
    // A line such as `[x]: https://…`, or a line that is only a link, is not prose.
    let is_link = text.starts_with('[') && (text.contains("]: ") || text.ends_with(')'));
    !text.is_empty() && !is_indented && !is_rule && !is_link && !marks.iter().any(|mark| text.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::{find_descriptive_or_first_paragraph, is_readme_prose_line, leading_sentences};

    #[test]
    fn the_sentence_that_says_what_it_is_is_quoted_whole() {
        let news = (1, 1, "We are glad to tell of a new release.".to_owned());
        let purpose = (3, 4, "Gull is a desk for ferries. It books\ncabins. It is quick.".to_owned());
        let all = [news.clone(), purpose];
        assert_eq!(find_descriptive_or_first_paragraph(&all).map(|(first, _)| first), Some(3));
        assert_eq!(find_descriptive_or_first_paragraph(&[news]).map(|(first, _)| first), Some(1));
        let text = &all[1].2;
        assert_eq!(leading_sentences(text, 500), *text);
        assert_eq!(leading_sentences(text, 50), "Gull is a desk for ferries. It books\ncabins.");
        assert_eq!(leading_sentences("no end of it here", 8), "no end…");
    }

    #[test]
    fn badges_and_headings_are_no_prose() {
        for line in ["# A", "[![x](y)](z)", "<p align=center>", "=====", ".. image:: x", "| a | b |", "    code", ""] {
            assert!(!is_readme_prose_line(line), "{line:?}");
        }
        assert!(is_readme_prose_line("Peelback looks at code in steps."));
        assert!(is_readme_prose_line("**Bold** is a tool."));
    }
}
