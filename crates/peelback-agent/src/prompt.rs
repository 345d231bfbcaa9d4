//! The words that the pipeline sends: templates of `prompts/`, filled.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};

use crate::fence;
use crate::scope::Findings;
use crate::scope::material::Material;

const EXPLORE: &str = include_str!("../prompts/explore.md");
const FIRST_ROUND: &str = include_str!("../prompts/explore.first.md");
const SECOND_ROUND: &str = include_str!("../prompts/explore.second.md");
const WRITE: &str = include_str!("../prompts/write.md");
const WRITE_FROM: &str = include_str!("../prompts/write.from.md");
const RENEW: &str = include_str!("../prompts/renew.system.md");
const RENEW_FROM: &str = include_str!("../prompts/renew.md");
const SUMMARISE: &str = include_str!("../prompts/summarise.md");

/// The system's words while exploring.
pub(crate) fn explore(repository: &str) -> String {
    filled(EXPLORE, context! { repository, fence_rule => fence::RULE })
}

/// What the first round shows.
pub(crate) struct FirstRound<'a> {
    pub question: &'a str,
    /// Fenced.
    pub tree: &'a str,
    /// Fenced.
    pub candidates: &'a str,
    /// Fenced.
    pub outlines: &'a str,
}

/// The words of the first round.
pub(crate) fn first_round(round: &FirstRound<'_>) -> String {
    let FirstRound { question, tree, candidates, outlines } = *round;
    filled(FIRST_ROUND, context! { question, tree, candidates, outlines })
}

/// The words of the second round: what the first one understood, and what it asked for, fenced.
pub(crate) fn second_round(question: &str, insights: &str, read: &str, missing: &[String]) -> String {
    let notes = notes(&[("What you found", insights.to_owned()), ("Not shown", listed(missing))]);
    filled(SECOND_ROUND, context! { question, notes, read })
}

/// The system's words while writing.
pub(crate) fn write(repository: &str) -> String {
    filled(WRITE, context! { repository, fence_rule => fence::RULE })
}

/// What a document is written from, in words.
pub(crate) fn writing(question: &str, findings: &Findings, material: &Material) -> String {
    let places: Vec<String> = findings
        .references
        .iter()
        .map(|place| format!("{}:{}-{} {}", place.path, place.line_start, place.line_end, place.description))
        .collect();
    let notes = notes(&[
        ("Notes of the exploration (not checked; the code decides)", findings.told()),
        ("Places that it found worth citing", listed(&places)),
        ("What it left open", listed(&findings.open_questions)),
        ("Not shown to you, for lack of room or because it must not be", listed(&material.left_out)),
    ]);
    filled(WRITE_FROM, context! { question, notes, material => material.text.as_str() })
}

/// What models said and what files are called, as data: both may have been written by whoever wrote the repository.
fn notes(parts: &[(&str, String)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(title, text)| format!("{title}:\n{}", text.trim_end()))
        .collect();
    if parts.is_empty() { String::new() } else { fence::fenced("notes", &parts.join("\n\n")) }
}

/// A row for each, as one line of bounded length.
fn listed(items: &[String]) -> String {
    const MOST: usize = 300;
    let row = |item: &String| {
        let line = item.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("- {}\n", line.chars().filter(|c| !c.is_control()).take(MOST).collect::<String>())
    };
    items.iter().map(row).collect()
}

/// The system's words while a section is written anew.
pub(crate) fn renew(repository: &str) -> String {
    filled(RENEW, context! { repository, fence_rule => fence::RULE })
}

/// The words that have a section written anew. `now` is fenced; the rest comes from a document that others may have
/// written, and is fenced here.
pub(crate) fn renewing(question: &str, heading: &str, text: &str, now: &str) -> String {
    let fenced = |label: &str, text: &str| fence::fenced(label, text);
    let (question, heading) = (fenced("the question", question), fenced("the heading", heading));
    let text = fenced("the section", text);
    filled(RENEW_FROM, context! { question, heading, text, now })
}

/// The system's words for the summary of a repository.
pub(crate) fn summarise(repository: &str) -> String {
    filled(SUMMARISE, context! { repository, fence_rule => fence::RULE })
}

fn filled(template: &str, values: minijinja::Value) -> String {
    let mut environment = Environment::empty();
    if let Ok(lines_of_their_own) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(lines_of_their_own);
    }
    // The templates are ours, and a test fills each of them: an error here cannot come from input.
    environment.render_str(template, values).unwrap_or_else(|error| format!("{template}\n\n({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let texts = [
            explore("r"),
            first_round(&round),
            second_round("how?", "so far", "READ", &["b.py".to_owned()]),
            write("r"),
            writing("how?", &findings, &material),
            renewing("how?", "Flow", "TEXT", "NOW"),
            renew("r"),
            summarise("r"),
        ];
        for text in &texts {
            let filled = text.replace("{{ not a template }}", "");
            assert!(!filled.contains("{{") && !filled.contains("{%"), "{text}");
        }
        assert!(texts[1].contains("TREE") && texts[1].contains("LIST") && texts[1].contains("OUTLINES"));
        assert!(texts[2].contains("b.py") && texts[2].contains("READ") && texts[2].contains("so far"));
        assert!(
            texts[4].contains("MATERIAL") && texts[4].contains("{{ not a template }}") && texts[4].contains("why?")
        );
    }
}
