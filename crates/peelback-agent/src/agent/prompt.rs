//! The agent's prompts, rendered from templates in separate files.

use minijinja::{Environment, context};

use super::options::SystemPromptMode;
use crate::fence;

const DEFAULT: &str = include_str!("../../prompts/agent.default.md");
const MINIMAL: &str = include_str!("../../prompts/agent.minimal.md");
const QUESTION: &str = include_str!("../../prompts/agent.question.md");

/// The agent's system prompt for a run of at most `turns` turns, whose conversation is trimmed to `tokens` tokens.
/// `shared_parameters` describes the parameters that all tools have, where the tools' definitions leave them out.
pub(super) fn agent_system_prompt(
    mode: SystemPromptMode,
    turns: usize,
    tokens: usize,
    shared_parameters: Option<&str>,
) -> String {
    let template = match mode {
        SystemPromptMode::Default => DEFAULT,
        SystemPromptMode::Minimal => MINIMAL,
    };
    render_prompt_template(template, context! { turns, tokens, shared_parameters, rule => fence::FENCE_RULE })
}

/// The agent's first user message, with the question and the name of the project.
pub(super) fn question_user_message(question: &str, project: &str) -> String {
    render_prompt_template(QUESTION, context! { question => question.trim(), project })
}

/// Renders a prompt template with `values`. Templates are part of the program, so a template that fails to render is
/// returned unrendered; a test detects this.
fn render_prompt_template(template: &str, values: minijinja::Value) -> String {
    Environment::new().render_str(template, values).unwrap_or_else(|_| template.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{SystemPromptMode, agent_system_prompt, question_user_message};
    use crate::fence;

    #[test]
    fn templates_render_whole() {
        for mode in [SystemPromptMode::Default, SystemPromptMode::Minimal] {
            let text = agent_system_prompt(mode, 25, 20_000, Some("limit (rows)"));
            assert!(text.contains("Every tool also takes: limit (rows)."), "{text}");
            let without = agent_system_prompt(mode, 25, 20_000, None);
            assert!(!without.contains("Every tool") && !without.contains("\n\n\n"), "{without}");
            assert!(!text.contains("{{") && text.contains("25") && text.contains(fence::FENCE_RULE), "{text}");
            assert!(text.contains("generate_scoped_context"), "{text}");
        }
        let length = |mode| agent_system_prompt(mode, 25, 20_000, None).len();
        assert!(length(SystemPromptMode::Minimal) * 2 < length(SystemPromptMode::Default));
        // Braces in a question are literal text, not template syntax.
        assert!(question_user_message(" what is {{ x }}? ", "shop").ends_with("what is {{ x }}?"));
    }
}
