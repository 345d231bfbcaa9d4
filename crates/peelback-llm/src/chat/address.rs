//! Where a model's requests go.

use reqwest::Url;

use super::vendors::Vendor;
use crate::web;

/// How users name the base of the address.
pub(super) const BASE_URL: &str = "`--base-url`, or `base_url` in the configuration";

/// The address that requests go to.
pub(super) fn address(vendor: &Vendor, base_url: Option<&str>) -> Result<Url, String> {
    let base_url = base_url.map(str::trim).filter(|url| !url.is_empty()).unwrap_or(vendor.base_url);
    if base_url.is_empty() {
        return Err(format!(
            "{} has no address of its own: give the base URL ({BASE_URL}), as http://localhost:4000 or https://host/v1",
            vendor.name
        ));
    }
    let base = web::base(base_url).map_err(|reason| format!("the base URL ({BASE_URL}): {reason}"))?;
    let path = vendor.wire.path();
    let mut text = base.as_str().trim_end_matches('/');
    // A whole address is fine too.
    text = text.strip_suffix(path).unwrap_or(text).trim_end_matches('/');
    let version = if base.path().trim_matches('/').is_empty() { "/v1" } else { "" };
    Url::parse(&format!("{text}{version}/{path}")).map_err(|error| format!("the address is not one: {error}"))
}

/// The host and port of an address, as errors name them.
pub(super) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::vendors::vendor_of;

    #[test]
    fn addresses_are_completed() {
        let at = |model: &str, base: Option<&str>| {
            address(vendor_of(model).expect("a vendor").0, base).map(|url| url.to_string())
        };
        let ok = |url: &str| Ok(url.to_owned());
        assert_eq!(at("anthropic/x", None), ok("https://api.anthropic.com/v1/messages"));
        assert_eq!(at("openai/x", None), ok("https://api.openai.com/v1/chat/completions"));
        assert_eq!(at("openai-responses/x", None), ok("https://api.openai.com/v1/responses"));
        assert_eq!(at("ollama/x", Some("http://box:11434/")), ok("http://box:11434/v1/chat/completions"));
        assert_eq!(at("openai/x", Some("https://a.b/api/v3/")), ok("https://a.b/api/v3/chat/completions"));
        assert_eq!(at("openai/x", Some("https://a.b/v1/chat/completions")), ok("https://a.b/v1/chat/completions"));
        assert!(at("compatible/x", None).is_err());
        for bad in ["a.b", "localhost:4000", "/v1", "http://", "ftp://a.b"] {
            let words = at("openai/x", Some(bad)).expect_err(bad);
            assert!(words.contains("--base-url") && words.contains("http://localhost:4000"), "{words}");
        }
    }
}
