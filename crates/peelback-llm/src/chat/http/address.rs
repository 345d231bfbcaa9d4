//! The URL to which the requests of a model are sent.

use reqwest::Url;

use super::wire::wire_protocol_for;
use crate::chat::vendors::Vendor;
use crate::web;

/// The names of the settings that give a base URL, for error messages.
pub(super) const BASE_URL_SETTINGS: &str = "`--base-url`, or `base_url` in the configuration";

/// Builds the URL of the requests: `base_url` or that of the provider, with the version and the path of the protocol.
pub(super) fn build_request_url(vendor: &Vendor, base_url: Option<&str>) -> Result<Url, String> {
    let base_url = base_url.map(str::trim).filter(|url| !url.is_empty()).unwrap_or(vendor.base_url);
    if base_url.is_empty() {
        return Err(format!(
            "{} has no address of its own: give the base URL ({BASE_URL_SETTINGS}), as http://localhost:4000 or https://host/v1",
            vendor.name
        ));
    }
    let base = web::parse_and_check_base_url(base_url)
        .map_err(|reason| format!("the base URL ({BASE_URL_SETTINGS}): {reason}"))?;
    let path = wire_protocol_for(vendor.protocol).request_path();
    let mut text = base.as_str().trim_end_matches('/');
    // Users may give the whole URL of the requests, path included.
    text = text.strip_suffix(path).unwrap_or(text).trim_end_matches('/');
    let version = if base.path().trim_matches('/').is_empty() { "/v1" } else { "" };
    Url::parse(&format!("{text}{version}/{path}")).map_err(|error| format!("the address is not valid: {error}"))
}

/// The host and port of a URL, for error messages.
pub(super) fn format_host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::vendors::parse_vendor_and_model_name;

    #[test]
    fn base_urls_are_completed_with_version_and_path() {
        let url_for = |model: &str, base: Option<&str>| {
            build_request_url(parse_vendor_and_model_name(model).expect("a vendor").0, base).map(|url| url.to_string())
        };
        let ok = |url: &str| Ok(url.to_owned());
        assert_eq!(url_for("anthropic/x", None), ok("https://api.anthropic.com/v1/messages"));
        assert_eq!(url_for("openai/x", None), ok("https://api.openai.com/v1/chat/completions"));
        assert_eq!(url_for("openai-responses/x", None), ok("https://api.openai.com/v1/responses"));
        assert_eq!(url_for("ollama/x", Some("http://box:11434/")), ok("http://box:11434/v1/chat/completions"));
        assert_eq!(url_for("openai/x", Some("https://a.b/api/v3/")), ok("https://a.b/api/v3/chat/completions"));
        assert_eq!(url_for("openai/x", Some("https://a.b/v1/chat/completions")), ok("https://a.b/v1/chat/completions"));
        assert!(url_for("compatible/x", None).is_err());
        for bad in ["a.b", "localhost:4000", "/v1", "http://", "ftp://a.b"] {
            let words = url_for("openai/x", Some(bad)).expect_err(bad);
            assert!(words.contains("--base-url") && words.contains("http://localhost:4000"), "{words}");
        }
    }
}
