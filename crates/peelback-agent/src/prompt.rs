//! The prompts of the pipeline: templates from the folder `prompts/`, filled with values.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, context};
use peelback_tokens::text::{collapse_whitespace, first_chars};

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
pub(crate) fn explore(repository: &str) -> String {
    filled(EXPLORE, context! { repository, fence_rule => fence::RULE })
}

/// The values of the template for the first exploration request.
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
pub(crate) fn first_round(round: &FirstRound<'_>) -> String {
    let FirstRound { question, tree, candidates, outlines } = *round;
    filled(FIRST_ROUND, context! { question, tree, candidates, outlines })
}

/// The user message of the second exploration request. `insights` are the model's notes from the first round; `read` is
/// the code that the first round requested, already fenced; `missing` lists requested code that is not shown.
pub(crate) fn second_round(question: &str, insights: &str, read: &str, missing: &[String]) -> String {
    let notes = notes(&[("What you found", insights.to_owned()), ("Not shown", listed(missing))]);
    filled(SECOND_ROUND, context! { question, notes, read })
}

/// The system prompt of the model call that writes the document.
pub(crate) fn write(repository: &str) -> String {
    filled(WRITE, context! { repository, fence_rule => fence::RULE })
}

/// The user message of the model call that writes the document.
pub(crate) fn writing(question: &str, findings: &Findings, material: &Material) -> String {
    let places: Vec<String> = findings
        .references
        .iter()
        .map(|place| format!("{}:{}-{} {}", place.path, place.line_start, place.line_end, place.description))
        .collect();
    let notes = notes(&[
        ("Notes of the exploration (not checked; the code decides)", findings.insight_text()),
        ("Places that it found worth citing", listed(&places)),
        ("What it left open", listed(&findings.open_questions)),
        ("Not shown to you, for lack of room or because it must not be", listed(&material.left_out)),
    ]);
    filled(WRITE_FROM, context! { question, notes, material => material.text.as_str() })
}

/// Encloses model notes and file names in fences as data, since the authors of the repository may have influenced both.
fn notes(parts: &[(&str, String)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(title, text)| format!("{title}:\n{}", text.trim_end()))
        .collect();
    if parts.is_empty() { String::new() } else { fence::fenced("notes", &parts.join("\n\n")) }
}

/// Formats the texts as a Markdown list. Each text becomes one item on one line of bounded length.
fn listed(items: &[String]) -> String {
    const MAX_CHARS: usize = 300;
    let row = |item: &String| {
        let line: String = collapse_whitespace(item).chars().filter(|c| !c.is_control()).collect();
        format!("- {}\n", first_chars(&line, MAX_CHARS))
    };
    items.iter().map(row).collect()
}

/// The system prompt of the model call that rewrites a stale section.
pub(crate) fn renew(repository: &str) -> String {
    filled(RENEW, context! { repository, fence_rule => fence::RULE })
}

/// The user message of the model call that rewrites a stale section. `now` is the current source code, which is already
/// fenced. The other parts come from a document of unknown origin and are fenced here.
pub(crate) fn renewing(question: &str, heading: &str, text: &str, now: &str) -> String {
    let fenced = |label: &str, text: &str| fence::fenced(label, text);
    let (question, heading) = (fenced("the question", question), fenced("the heading", heading));
    let text = fenced("the section", text);
    filled(RENEW_FROM, context! { question, heading, text, now })
}

/// The system prompt of the model call that summarises a repository.
pub(crate) fn summarise(repository: &str) -> String {
    filled(SUMMARISE, context! { repository, fence_rule => fence::RULE })
}

fn filled(template: &str, values: minijinja::Value) -> String {
    let mut environment = Environment::empty();
    if let Ok(lines_of_their_own) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(lines_of_their_own);
    }
    // Rendering cannot fail on any input: the templates are compiled into the program, and a test fills each of them.
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
