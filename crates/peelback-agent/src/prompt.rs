//! The prompts of the pipeline: templates from the folder `prompts/`, filled with values.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use peelback_tokens::count_tokens;
use peelback_tokens::text::{collapse_and_trim_whitespace, first_chars};

use crate::fair_shares::fair_shares;
use crate::fence;
use crate::scope::findings::Findings;
use crate::scope::material::Material;

const EXPLORE: &str = include_str!("../prompts/explore.md");
const FIRST_ROUND: &str = include_str!("../prompts/explore.first.md");
const SECOND_ROUND: &str = include_str!("../prompts/explore.second.md");
const WRITE: &str = include_str!("../prompts/write.md");
const WRITE_FROM: &str = include_str!("../prompts/write.from.md");
const RENEW: &str = include_str!("../prompts/renew.system.md");
const RENEW_FROM: &str = include_str!("../prompts/renew.md");
const SUMMARISE: &str = include_str!("../prompts/summarise.md");

/// The system prompt for exploration requests.
pub(crate) fn exploration_system_prompt(repository: &str) -> String {
    render_prompt_template(EXPLORE, context! { repository, fence_rule => fence::FENCE_RULE })
}

/// The values that fill the prompt template of the first exploration request's user message.
pub(crate) struct FirstRound<'a> {
    pub question: &'a str,
    /// The file tree, enclosed in a fence.
    pub tree: &'a str,
    /// The ranked files that are listed without an outline, enclosed in a fence.
    pub candidates: &'a str,
    /// The outlines of the highest-ranked files, enclosed in a fence.
    pub outlines: &'a str,
}

/// The user message of the first exploration request.
pub(crate) fn first_exploration_user_message(round: &FirstRound<'_>) -> String {
    let FirstRound { question, tree, candidates, outlines } = *round;
    render_prompt_template(FIRST_ROUND, context! { question, tree, candidates, outlines })
}

/// The notes in the second exploration request about what the model requested in the first round.
#[derive(Debug, Default)]
pub(crate) struct RequestNotes {
    /// The requested code that the message shows in part, or not at all.
    pub not_shown: Vec<String>,
    /// The requested code that the message shows whole, and that the writing model may get in part.
    pub perhaps_cut_for_writer: Vec<String>,
}

/// The user message of the second exploration request. `insights` are the model's notes from the first round. `read` is
/// the code that the model requested in the first round, already fenced.
pub(crate) fn second_exploration_user_message(
    question: &str,
    insights: &str,
    read: &str,
    about: &RequestNotes,
) -> String {
    let notes = enclose_notes_in_data_tags(&[
        ("What you found", insights.to_owned()),
        ("Not shown", format_markdown_list(&about.not_shown)),
        ("What the writer will get", format_markdown_list(&about.perhaps_cut_for_writer)),
    ]);
    render_prompt_template(SECOND_ROUND, context! { question, notes, read })
}

/// The system prompt of the model call that writes the document.
pub(crate) fn document_writing_system_prompt(repository: &str) -> String {
    render_prompt_template(WRITE, context! { repository, fence_rule => fence::FENCE_RULE })
}

/// The user message of the model call that writes the document. Its notes have at most `max_notes` tokens.
pub(crate) fn document_writing_user_message(
    question: &str,
    findings: &Findings,
    material: &Material,
    max_notes: Option<usize>,
) -> String {
    let places: Vec<String> = findings
        .references
        .iter()
        .map(|place| format!("{}:{}-{} {}", place.path, place.line_start, place.line_end, place.description))
        .collect();
    let mut parts = [
        ("Notes of the exploration (not checked; the code decides)", findings.latest_insights_within_limit()),
        ("Places that it found worth citing", format_markdown_list(&places)),
        ("What it left open", format_markdown_list(&findings.open_questions)),
        ("Not shown to you, because it does not fit or may contain secrets", format_markdown_list(&material.left_out)),
    ];
    if let Some(max_tokens) = max_notes {
        shorten_notes(&mut parts, max_tokens);
    }
    let notes = enclose_notes_in_data_tags(&parts);
    render_prompt_template(WRITE_FROM, context! { question, notes, material => material.text.as_str() })
}

/// Shortens notes to `max_tokens` tokens, with their headings and the marks around them. Short notes stay whole, and
/// long ones share the rest.
fn shorten_notes(parts: &mut [(&str, String)], max_tokens: usize) {
    /// The number of tokens of the headings and the marks, at most.
    const AROUND: usize = 150;
    let tokens: Vec<usize> = parts.iter().map(|(_, text)| count_tokens(text)).collect();
    let shares = fair_shares(&tokens, max_tokens.saturating_sub(AROUND));
    for (((_, text), tokens), share) in parts.iter_mut().zip(tokens).zip(shares) {
        if tokens > share {
            *text = first_tokens(text, tokens, share);
        }
    }
}

/// The beginning of a text of `tokens` tokens in at most `max_tokens` tokens: whole lines, or a part of the first one.
fn first_tokens(text: &str, tokens: usize, max_tokens: usize) -> String {
    let mut chars = text.chars().count() * max_tokens / tokens.max(1);
    loop {
        let begin = first_chars(text, chars);
        let begin = begin.rfind('\n').and_then(|at| begin.get(..at)).unwrap_or(begin);
        if chars == 0 || count_tokens(begin) <= max_tokens {
            return begin.to_owned();
        }
        chars = chars * 9 / 10;
    }
}

/// Encloses model notes and file names in fences as data, since the authors of the repository may have influenced both.
fn enclose_notes_in_data_tags(parts: &[(&str, String)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(title, text)| format!("{title}:\n{}", text.trim_end()))
        .collect();
    if parts.is_empty() { String::new() } else { fence::enclose_in_data_tags("notes", &parts.join("\n\n")) }
}

/// Formats texts as a Markdown list. Each text becomes one item, on one line of limited length.
fn format_markdown_list(items: &[String]) -> String {
    const MAX_CHARS: usize = 300;
    let row = |item: &String| {
        let line: String = collapse_and_trim_whitespace(item).chars().filter(|c| !c.is_control()).collect();
        format!("- {}\n", first_chars(&line, MAX_CHARS))
    };
    items.iter().map(row).collect()
}

/// The system prompt of the model call that rewrites a stale section.
pub(crate) fn section_rewrite_system_prompt(repository: &str) -> String {
    render_prompt_template(RENEW, context! { repository, fence_rule => fence::FENCE_RULE })
}

/// The user message of the model call that rewrites a stale section. `now` is the current source code that the section
/// cites, already fenced. The question, heading and text come from a document of unknown origin and are fenced here.
pub(crate) fn section_rewrite_user_message(question: &str, heading: &str, text: &str, now: &str) -> String {
    let fenced = |label: &str, text: &str| fence::enclose_in_data_tags(label, text);
    let (question, heading) = (fenced("the question", question), fenced("the heading", heading));
    let text = fenced("the section", text);
    render_prompt_template(RENEW_FROM, context! { question, heading, text, now })
}

/// The system prompt of the model call that summarises a repository.
pub(crate) fn repository_summary_system_prompt(repository: &str) -> String {
    render_prompt_template(SUMMARISE, context! { repository, fence_rule => fence::FENCE_RULE })
}

fn render_prompt_template(template: &str, values: minijinja::Value) -> String {
    let mut environment = Environment::empty();
    if let Ok(lines_of_their_own) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(lines_of_their_own);
    }
    // Rendering a template cannot fail on any input: the templates are part of the program, and a test fills each of
    // them.
    environment.render_str(template, values).unwrap_or_else(|error| format!("{template}\n\n({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_shortened_to_their_tokens() {
        let long = |unit: &str| unit.repeat(6_000);
        let findings = Findings {
            insights: vec![long("\u{4ed3}\u{5e93}")],
            open_questions: vec!["why?".to_owned()],
            ..Findings::default()
        };
        let material = Material { left_out: vec![long("x "); 40], ..Material::default() };
        let bare = document_writing_user_message("how?", &Findings::default(), &Material::default(), None);
        for most in [400, 2_500] {
            let text = document_writing_user_message("how?", &findings, &material, Some(most));
            let notes = count_tokens(&text) - count_tokens(&bare);
            assert!(notes <= most && notes > most * 3 / 5, "{notes} of {most}");
            assert!(text.contains("- why?\n") && text.contains('\u{4ed3}'), "{text}");
        }
    }

    #[test]
    fn each_template_is_filled() {
        let findings = Findings {
            insights: vec!["{{ not a template }}".to_owned()],
            open_questions: vec!["why?".to_owned()],
            ..Findings::default()
        };
        let material =
            Material { text: "MATERIAL".to_owned(), left_out: vec!["a.py".to_owned()], ..Material::default() };
        let round = FirstRound { question: "how?", tree: "TREE", candidates: "LIST", outlines: "OUTLINES" };
        let about =
            RequestNotes { not_shown: vec!["b.py".to_owned()], perhaps_cut_for_writer: vec!["c.py".to_owned()] };
        let texts = [
            exploration_system_prompt("r"),
            first_exploration_user_message(&round),
            second_exploration_user_message("how?", "so far", "READ", &about),
            document_writing_system_prompt("r"),
            document_writing_user_message("how?", &findings, &material, None),
            section_rewrite_user_message("how?", "Flow", "TEXT", "NOW"),
            section_rewrite_system_prompt("r"),
            repository_summary_system_prompt("r"),
        ];
        for text in &texts {
            let filled = text.replace("{{ not a template }}", "");
            assert!(!filled.contains("{{") && !filled.contains("{%"), "{text}");
        }
        assert!(texts[1].contains("TREE") && texts[1].contains("LIST") && texts[1].contains("OUTLINES"));
        assert!(texts[2].contains("Not shown:\n- b.py\n\nWhat the writer will get:\n- c.py\n"), "{}", texts[2]);
        assert!(texts[2].contains("READ") && texts[2].contains("so far"));
        assert!(
            texts[4].contains("MATERIAL") && texts[4].contains("{{ not a template }}") && texts[4].contains("why?")
        );
    }
}
