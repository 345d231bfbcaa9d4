//! The agent's prompts, rendered from templates in separate files.

use minijinja::{Environment, context};

use super::options::SystemPromptMode;
use crate::fence;

const DEFAULT: &str = include_str!("../../prompts/agent.default.md");
const MINIMAL: &str = include_str!("../../prompts/agent.minimal.md");
const QUESTION: &str = include_str!("../../prompts/agent.question.md");

/// The agent's system prompt for a run of at most `turns` turns, whose conversation is trimmed to `tokens` tokens.
pub(super) fn agent_system_prompt(mode: SystemPromptMode, turns: usize, tokens: usize) -> String {
    let template = match mode {
        SystemPromptMode::Default => DEFAULT,
        SystemPromptMode::Minimal => MINIMAL,
    };
    render_prompt_template(template, context! { turns, tokens, rule => fence::FENCE_RULE })
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
            let text = agent_system_prompt(mode, 25, 20_000);
            assert!(!text.contains("{{") && text.contains("25") && text.contains(fence::FENCE_RULE), "{text}");
            assert!(text.contains("generate_scoped_context"), "{text}");
        }
        let short = agent_system_prompt(SystemPromptMode::Minimal, 25, 20_000);
        assert!(short.len() * 2 < agent_system_prompt(SystemPromptMode::Default, 25, 20_000).len());
        // Braces in a question are literal text, not template syntax.
        assert!(question_user_message(" what is {{ x }}? ", "shop").ends_with("what is {{ x }}?"));
    }
}
