//! The table of the providers of chat models: one row for each.

use super::error::ChatError;

/// A protocol of chat models, which several providers can share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The protocol of Anthropic's Messages API.
    AnthropicMessages,
    /// The protocol of OpenAI's Chat Completions API, which most other providers implement too.
    ChatCompletions,
    /// The protocol of OpenAI's Responses API.
    Responses,
}

/// A provider of chat models: its address, its keys and its protocol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vendor {
    /// The name of the provider, as in `provider/model`.
    pub name: &'static str,
    /// The base URL of the provider up to the version, without a slash at its end; empty where the user must give it.
    pub base_url: &'static str,
    /// The environment variables that may contain the API key; the first that is set counts.
    pub key_variables: &'static [&'static str],
    /// Whether the provider can be used without an API key.
    pub key_optional: bool,
    /// The protocol of the requests to the provider.
    pub protocol: Protocol,
    /// The number of tokens that the provider's models may count for one o200k token: the estimate until the first
    /// reply reports its usage. OpenAI's models count as o200k does; newer Claude models count up to 1.5 times as many
    /// tokens on code.
    pub token_ratio: f64,
    /// Another provider of the same models, whose prices apply where there is no price under the provider's own name.
    pub priced_as: Option<&'static str>,
    /// Whether the first request names the limit on the reply `max_completion_tokens` instead of `max_tokens`: OpenAI's
    /// newer models refuse the old name, and most other servers do not know the new one.
    pub uses_max_completion_tokens: bool,
}

/// Creates the row of a provider on the internet, which needs a key.
const fn new_hosted_vendor(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    protocol: Protocol,
    token_ratio: f64,
) -> Vendor {
    Vendor {
        name,
        base_url,
        key_variables,
        key_optional: false,
        protocol,
        token_ratio,
        priced_as: None,
        uses_max_completion_tokens: false,
    }
}

/// Creates the row of a server that users run themselves. The key is optional.
const fn new_self_hosted_vendor(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
) -> Vendor {
    Vendor { key_optional: true, ..new_hosted_vendor(name, base_url, key_variables, Protocol::ChatCompletions, 1.5) }
}

/// All known providers of chat models. Addresses and variables are those of their documentation.
pub const VENDORS: &[Vendor] = &[
    new_hosted_vendor(
        "anthropic",
        "https://api.anthropic.com/v1",
        &["ANTHROPIC_API_KEY"],
        Protocol::AnthropicMessages,
        1.5,
    ),
    Vendor {
        uses_max_completion_tokens: true,
        ..new_hosted_vendor("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"], Protocol::ChatCompletions, 1.0)
    },
    Vendor {
        priced_as: Some("openai"),
        ..new_hosted_vendor(
            "openai-responses",
            "https://api.openai.com/v1",
            &["OPENAI_API_KEY"],
            Protocol::Responses,
            1.0,
        )
    },
    new_hosted_vendor(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        Protocol::ChatCompletions,
        1.3,
    ),
    new_hosted_vendor(
        "openrouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        Protocol::ChatCompletions,
        1.5,
    ),
    new_hosted_vendor("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_hosted_vendor("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_hosted_vendor("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_hosted_vendor("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_hosted_vendor("together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_hosted_vendor(
        "fireworks",
        "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"],
        Protocol::ChatCompletions,
        1.3,
    ),
    new_hosted_vendor("cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], Protocol::ChatCompletions, 1.3),
    new_self_hosted_vendor("litellm", "http://localhost:4000/v1", &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"]),
    // The same proxy (LiteLLM) by two more of its protocols.
    Vendor {
        protocol: Protocol::AnthropicMessages,
        ..new_self_hosted_vendor(
            "litellm-anthropic",
            "http://localhost:4000/v1",
            &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"],
        )
    },
    Vendor {
        protocol: Protocol::Responses,
        ..new_self_hosted_vendor(
            "litellm-responses",
            "http://localhost:4000/v1",
            &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"],
        )
    },
    new_self_hosted_vendor("ollama", "http://localhost:11434/v1", &["OLLAMA_API_KEY"]),
    new_self_hosted_vendor("vllm", "http://localhost:8000/v1", &["VLLM_API_KEY"]),
    new_self_hosted_vendor("lmstudio", "http://localhost:1234/v1", &["LM_API_TOKEN"]),
    new_self_hosted_vendor("llamacpp", "http://localhost:8080/v1", &["LLAMA_API_KEY"]),
    // Any other server that implements Chat Completions; users give its address.
    new_self_hosted_vendor("compatible", "", &["OPENAI_COMPATIBLE_API_KEY"]),
];

/// Splits the name `provider/model` at the first slash into the provider's row and the model. The provider is matched
/// without regard to case.
///
/// # Errors
/// [`ChatError::Options`] where the name has another form, or the provider is unknown.
pub fn parse_vendor_and_model_name(name: &str) -> Result<(&'static Vendor, &str), ChatError> {
    let known_names = || VENDORS.iter().map(|vendor| vendor.name).collect::<Vec<_>>().join(", ");
    let Some((provider, model)) = name.trim().split_once('/').filter(|(_, model)| !model.trim().is_empty()) else {
        return Err(ChatError::Options(format!(
            "{name:?} is not of the form provider/model, as in anthropic/claude-sonnet-4-5; providers: {}",
            known_names()
        )));
    };
    match VENDORS.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(provider)) {
        Some(vendor) => Ok((vendor, model.trim())),
        None => Err(ChatError::Options(format!(
            "the provider {provider:?} is not known; known are {}; for another server that speaks OpenAI's Chat \
             Completions write compatible/{} and give its address",
            known_names(),
            model.trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_at_the_first_slash() {
        let (vendor, model) = parse_vendor_and_model_name("openrouter/anthropic/claude-sonnet-4.5").expect("a vendor");
        assert_eq!((vendor.name, model), ("openrouter", "anthropic/claude-sonnet-4.5"));
        assert_eq!(parse_vendor_and_model_name("OpenAI/gpt-4.1").expect("a vendor").0.name, "openai");
        for bad in ["gpt-4.1", "openai/", "openai/ ", "", "/x"] {
            assert!(parse_vendor_and_model_name(bad).is_err(), "{bad}");
        }
        let words = parse_vendor_and_model_name("acme/gpt").expect_err("an error").to_string();
        assert!(words.contains("anthropic, openai") && words.contains("compatible/gpt"), "{words}");
    }

    #[test]
    fn each_provider_has_a_unique_name_and_a_safe_address() {
        let mut names: Vec<_> = VENDORS.iter().map(|vendor| vendor.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VENDORS.len());
        for vendor in VENDORS {
            assert!(vendor.token_ratio >= 1.0 && !vendor.key_variables.is_empty(), "{vendor:?}");
            // No key is sent over plain HTTP: hosted providers use https, self-hosted servers are on this machine.
            let is_self_hosted = vendor.base_url.starts_with("http://localhost:") || vendor.base_url.is_empty();
            assert!(
                is_self_hosted == vendor.key_optional && (is_self_hosted || vendor.base_url.starts_with("https://")),
                "{vendor:?}"
            );
            assert!(!vendor.base_url.ends_with('/'));
        }
    }
}
