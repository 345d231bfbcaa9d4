//! Who serves models: one row for each.

use super::error::ChatError;
use super::wire::Wire;

/// Who serves models, and how they are reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vendor {
    /// What stands before the slash in `provider/model`.
    pub name: &'static str,
    /// The base of the address, up to the version.
    pub base_url: &'static str,
    /// The environment's variables that may hold the key, the first that is set counts. None: it needs no key.
    pub key_variables: &'static [&'static str],
    /// Whether it answers without a key.
    pub key_optional: bool,
    /// The protocol.
    pub wire: Wire,
    /// Tokens that its models may count where o200k counts one: what is assumed until a reply has told. OpenAI's models
    /// count as o200k does; newer Claude models were seen to count half as much again on code.
    pub token_ratio: f64,
}

const fn row(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    wire: Wire,
    token_ratio: f64,
) -> Vendor {
    Vendor { name, base_url, key_variables, key_optional: false, wire, token_ratio }
}

/// A server of one's own: it has a key where its owner gave it one.
const fn own(name: &'static str, base_url: &'static str, key_variables: &'static [&'static str]) -> Vendor {
    Vendor { key_optional: true, ..row(name, base_url, key_variables, Wire::Completions, 1.5) }
}

/// All that are known. Addresses and variables are those of the vendors' own documentation.
pub const VENDORS: &[Vendor] = &[
    row("anthropic", "https://api.anthropic.com/v1", &["ANTHROPIC_API_KEY"], Wire::Anthropic, 1.5),
    row("openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"], Wire::Completions, 1.0),
    row("openai-responses", "https://api.openai.com/v1", &["OPENAI_API_KEY"], Wire::Responses, 1.0),
    row(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        Wire::Completions,
        1.3,
    ),
    row("openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"], Wire::Completions, 1.5),
    row("mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], Wire::Completions, 1.3),
    row("deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], Wire::Completions, 1.3),
    row("groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], Wire::Completions, 1.3),
    row("xai", "https://api.x.ai/v1", &["XAI_API_KEY"], Wire::Completions, 1.3),
    row("together", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], Wire::Completions, 1.3),
    row("fireworks", "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"], Wire::Completions, 1.3),
    row("cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], Wire::Completions, 1.3),
    own("litellm", "http://localhost:4000/v1", &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"]),
    // The same proxy, asked as Anthropic is and as OpenAI's newer interface is.
    Vendor {
        wire: Wire::Anthropic,
        ..own("litellm-anthropic", "http://localhost:4000/v1", &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"])
    },
    Vendor {
        wire: Wire::Responses,
        ..own("litellm-responses", "http://localhost:4000/v1", &["LITELLM_API_KEY", "LITELLM_MASTER_KEY"])
    },
    own("ollama", "http://localhost:11434/v1", &["OLLAMA_API_KEY"]),
    own("vllm", "http://localhost:8000/v1", &["VLLM_API_KEY"]),
    own("lmstudio", "http://localhost:1234/v1", &["LM_API_TOKEN"]),
    own("llamacpp", "http://localhost:8080/v1", &["LLAMA_API_KEY"]),
    // Any other server that speaks Chat Completions: it needs an address.
    own("compatible", "", &["OPENAI_COMPATIBLE_API_KEY"]),
];

/// The vendor and the model of `provider/model`.
///
/// # Errors
/// [`ChatError::Options`] where it is not of this form, or the provider is not known.
pub fn vendor_of(name: &str) -> Result<(&'static Vendor, &str), ChatError> {
    let known = || VENDORS.iter().map(|vendor| vendor.name).collect::<Vec<_>>().join(", ");
    let Some((provider, model)) = name.trim().split_once('/').filter(|(_, model)| !model.trim().is_empty()) else {
        return Err(ChatError::Options(format!(
            "{name:?} is not of the form provider/model, as in anthropic/claude-sonnet-4-5; providers: {}",
            known()
        )));
    };
    match VENDORS.iter().find(|vendor| vendor.name.eq_ignore_ascii_case(provider)) {
        Some(vendor) => Ok((vendor, model.trim())),
        None => Err(ChatError::Options(format!(
            "the provider {provider:?} is not known; known are {}; for another server that speaks OpenAI's Chat \
             Completions write compatible/{} and give its address",
            known(),
            model.trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_at_the_first_slash() {
        let (vendor, model) = vendor_of("openrouter/anthropic/claude-sonnet-4.5").expect("a vendor");
        assert_eq!((vendor.name, model), ("openrouter", "anthropic/claude-sonnet-4.5"));
        assert_eq!(vendor_of("OpenAI/gpt-4.1").expect("a vendor").0.name, "openai");
        for bad in ["gpt-4.1", "openai/", "openai/ ", "", "/x"] {
            assert!(vendor_of(bad).is_err(), "{bad}");
        }
        let words = vendor_of("acme/gpt").expect_err("an error").to_string();
        assert!(words.contains("anthropic, openai") && words.contains("compatible/gpt"), "{words}");
    }

    #[test]
    fn rows_are_sound() {
        let mut names: Vec<_> = VENDORS.iter().map(|vendor| vendor.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VENDORS.len());
        for vendor in VENDORS {
            assert!(vendor.token_ratio >= 1.0 && !vendor.key_variables.is_empty(), "{vendor:?}");
            // A key goes over no plain connection: vendors have https, servers of one's own are on this machine.
            let is_own = vendor.base_url.starts_with("http://localhost:") || vendor.base_url.is_empty();
            assert!(is_own == vendor.key_optional && (is_own || vendor.base_url.starts_with("https://")), "{vendor:?}");
            assert!(!vendor.base_url.ends_with('/'));
        }
    }
}
