//! The line at the beginning of a document that says what was used for it, what was left out and why. It is made from
//! the front matter each time the document is written, so that both say the same.

use peelback_secrets::mask_secrets;

use super::front_matter::FrontMatter;
use super::sanitize::{escape_markdown_line, to_clean_truncated_line};
use crate::markdown::{format_count_with_unit, format_with_thousands_commas};

/// The beginning of the line.
const PREFIX: &str = "> **Status:** ";

/// The maximum number of characters of each text in the line that may come from a model or a repository.
const MAX_PART_CHARS: usize = 300;

/// The status line of a document that this program wrote; `None` for documents of others, which have no mode.
pub(super) fn status_line(front: &FrontMatter) -> Option<String> {
    let mode = front.mode.as_deref().filter(|mode| !mode.is_empty())?;
    let clean = |text: &str| to_clean_truncated_line(&mask_secrets(text), MAX_PART_CHARS);
    let mut said = Vec::new();
    match &front.incomplete {
        Some(reason) if reason.trim().is_empty() => said.push("not complete".to_owned()),
        Some(reason) => said.push(format!("not complete: {}", clean(reason).trim_end_matches('.'))),
        None => {
            let checked = format_count_with_unit(front.citations.len(), "citation", "citations");
            said.push(format!("complete, with {checked} checked against the files"));
        }
    }
    if let Some(left_out) = &front.left_out {
        said.push(format!("Left out: {}", clean(left_out).trim_end_matches('.')));
    }
    said.push(model_sentence(front, &to_clean_truncated_line(mode, MAX_PART_CHARS)));
    Some(format!("{PREFIX}{}.", escape_markdown_line(&said.join(". "))))
}

/// The sentence about the model, its tokens and its cost, without its full stop.
fn model_sentence(front: &FrontMatter, mode: &str) -> String {
    let count = |tokens: u64| format_with_thousands_commas(usize::try_from(tokens).unwrap_or(usize::MAX));
    let perhaps = front
        .possibly_billed_tokens
        .filter(|tokens| *tokens > 0)
        .map(|tokens| format!("perhaps {} tokens are billed for requests that failed", count(tokens)));
    let ceiling = front.ceiling.as_deref().map(|ceiling| to_clean_truncated_line(ceiling, MAX_PART_CHARS));
    let ceiling = ceiling.map(|ceiling| format!("the ceiling was {ceiling}"));
    if matches!(front.model_used.as_str(), "" | "none") {
        let replied = match &perhaps {
            Some(_) => "No reply of a model was used",
            None => "No model was used",
        };
        let parts = [Some(replied.to_owned()), perhaps, ceiling.filter(|_| front.incomplete.is_some())];
        return parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    }
    let model = to_clean_truncated_line(&mask_secrets(&front.model_used), MAX_PART_CHARS);
    if front.input_tokens.is_none() && front.output_tokens.is_none() {
        return format!("Model used: {model} ({mode})");
    }
    let (input, output) = (count(front.input_tokens.unwrap_or(0)), count(front.output_tokens.unwrap_or(0)));
    let cost = match front.cost_usd {
        Some(cost) => format!("${cost:.4}"),
        None => "the cost is unknown, because the model's price is not known".to_owned(),
    };
    let used = format!("Model used: {model} ({mode}), {input} tokens in and {output} out; {cost}");
    [Some(used), perhaps, ceiling].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The text below the front matter without the status line of a document that this program wrote.
pub(super) fn without_status_line<'a>(front: &FrontMatter, body: &'a str) -> &'a str {
    let line_end = body.find('\n').map_or(body.len(), |at| at + 1);
    match body.split_at_checked(line_end) {
        Some((line, rest)) if front.mode.is_some() && line.starts_with(PREFIX) => rest.trim_start_matches(['\r', '\n']),
        _ => body,
    }
}
