//! Error responses of providers: their message, what they mean, and the remedy.

use serde_json::Value;

use super::options::KEY_FILE_SETTINGS;
use crate::chat::vendors::Vendor;

/// An error response of a provider, as parsed from its body.
pub(super) struct ErrorResponse {
    /// The HTTP status of the response.
    pub(super) status: u16,
    /// The whole error message of the provider; it may contain the key.
    pub(super) message: String,
    /// The codes and types of the error in the response, in lower case.
    kind: String,
}

impl ErrorResponse {
    /// Parses the body of a response with the HTTP error status `status`.
    pub(super) fn parse(status: u16, body: &[u8]) -> Self {
        let value: Value = serde_json::from_slice(body).unwrap_or_default();
        // Only JSON is put in the message: other text may contain the key in any encoding. A list of details (HTTP 422)
        // is shown whole.
        let message = crate::web::parse_server_error_message(body)
            .or_else(|| value.get("detail").filter(|detail| detail.is_array()).map(Value::to_string))
            .or_else(|| value.pointer("/0/error/message").and_then(Value::as_str).map(str::to_owned))
            .unwrap_or_default();
        let param = value.pointer("/error/param").and_then(Value::as_str).unwrap_or_default();
        let message =
            if param.is_empty() || message.contains(param) { message } else { format!("{message} ({param})") };
        Self { status, message, kind: joined_error_codes_and_types(&value) }
    }

    /// The error message for the user: `message`, which is that of the provider without the key, and the remedy.
    /// `has_key` is whether a key was sent.
    pub(super) fn message_with_remedy(&self, message: &str, vendor: &Vendor, has_key: bool) -> String {
        let variable = vendor.key_variables.first().copied().unwrap_or_default();
        let is_about_key = self.is_api_key_error() || matches!(self.status, 401 | 403);
        let remedy = match self.status {
            _ if self.is_out_of_credit() => {
                "the account has no credit left: see the provider's billing page".to_owned()
            }
            _ if is_about_key && has_key => {
                format!("check the key ({variable}, or the file of {KEY_FILE_SETTINGS}) and what it may use")
            }
            _ if is_about_key => {
                format!("no key was sent: set {variable}, or name a file that holds it with {KEY_FILE_SETTINGS}")
            }
            402 => "the account has no credit left: see the provider's billing page".to_owned(),
            404 | 405 => "check the name of the model, and the address".to_owned(),
            400 | 422 => "check the name of the model, and whether it supports the request".to_owned(),
            413 => "the request is too large: send less".to_owned(),
            408 | 409 | 425 | 429 => "try again later, lower the tokens per minute, or raise the quota".to_owned(),
            500.. => "the provider has trouble: try again later".to_owned(),
            _ => "check the address".to_owned(),
        };
        let remedy = if has_key || is_about_key {
            remedy
        } else {
            // A gateway may answer with any error where the API key is missing.
            format!(
                "{remedy}; no key was sent: where one is needed, set {variable}, or name a file with {KEY_FILE_SETTINGS}"
            )
        };
        if message.is_empty() { remedy } else { format!("{message}; {remedy}") }
    }

    /// Whether the provider refuses the API key, so that another try would fail too. Gateways use other statuses than
    /// 401 too.
    pub(super) fn is_api_key_error(&self) -> bool {
        if !matches!(self.status, 400 | 401 | 403 | 500) {
            return false;
        }
        let message = self.message.to_lowercase();
        let kinds = ["no_db_connection", "authentication", "auth_error", "invalid_api_key", "api_key_invalid"];
        // A gateway without a database of keys reports a key that it does not know as a missing database.
        let phrases = [
            "no connected db",
            "authentication error",
            "authenticationerror",
            "invalid api key",
            "invalid_api_key",
            "incorrect api key",
            "no api key",
            "missing api key",
            "api key not valid",
            "api_key_invalid",
            "invalid x-api-key",
            "invalid proxy server token",
        ];
        kinds.iter().any(|kind| self.kind.contains(kind)) || phrases.iter().any(|phrase| message.contains(phrase))
    }

    /// Whether the user's account has no credit left, so that another try would fail too.
    pub(super) fn is_out_of_credit(&self) -> bool {
        ["insufficient_quota", "billing_error", "credit balance", "exceeded your current quota"]
            .iter()
            .any(|word| self.kind.contains(word) || self.message.to_lowercase().contains(word))
    }
}

/// The error in a response whose HTTP status is a success: streams and some gateways report errors that way.
pub(super) fn find_error_in_response_body(body: &Value) -> Option<ErrorResponse> {
    // OpenAI's Responses API nests the error of a failed reply.
    let failed = body.get("response").filter(|_| body.get("type").is_some_and(|kind| kind == "response.failed"));
    let body = failed.unwrap_or(body);
    let is_error = body.get("type").is_some_and(|kind| kind == "error");
    let error = body.get("error").filter(|error| !error.is_null()).or_else(|| is_error.then_some(body))?;
    let message = match error {
        Value::String(message) => message.clone(),
        error => error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    let kind = joined_error_codes_and_types(body);
    let code = error.get("code").and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let code = code.and_then(|code| u16::try_from(code).ok());
    let status = code.filter(|code| (400..600).contains(code)).unwrap_or(match kind.as_str() {
        kind if kind.contains("rate_limit") => 429,
        kind if kind.contains("overloaded") => 529,
        kind if kind.contains("authentication") || kind.contains("api_key") => 401,
        kind if kind.contains("permission") => 403,
        kind if kind.contains("not_found") => 404,
        kind if kind.contains("invalid") || kind.contains("context_length") => 400,
        _ => 500,
    });
    Some(ErrorResponse { status, message, kind })
}

/// The codes and types of the error in the body of a response, joined and in lower case.
fn joined_error_codes_and_types(body: &Value) -> String {
    let pointers = ["/error/code", "/error/type", "/code", "/type"];
    let words: Vec<&str> = pointers.iter().filter_map(|place| body.pointer(place)?.as_str()).collect();
    words.join(" ").to_lowercase()
}

/// Whether an error response means that the conversation exceeds the context of the model.
pub(super) fn is_context_too_long_error(refusal: &ErrorResponse) -> bool {
    if !matches!(refusal.status, 400 | 413 | 422 | 500) {
        return false;
    }
    if refusal.kind.contains("context_length_exceeded") {
        return true;
    }
    let message = refusal.message.to_lowercase();
    [
        "prompt is too long",
        "maximum context length",
        "context_length_exceeded",
        "context length exceeded",
        "exceeds the context",
        "exceed context limit",
        "exceeds the maximum number of tokens",
        "exceeds the available context",
        "context window",
        "input is too long",
        "maximum prompt length",
        "too large for model with",
    ]
    .iter()
    .any(|phrase| message.contains(phrase))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::vendors::parse_vendor_and_model_name;

    #[test]
    fn errors_about_the_context_length_are_recognised() {
        let of =
            |status, body: Value| is_context_too_long_error(&ErrorResponse::parse(status, body.to_string().as_bytes()));
        let words = |words: &str| json!({ "error": { "message": words } });
        assert!(of(400, words("prompt is too long: 208310 tokens > 200000 maximum")));
        assert!(of(400, json!({ "error": { "message": "Too much.", "code": "context_length_exceeded" } })));
        assert!(of(400, words("This model's maximum context length is 128000 tokens. However, …")));
        assert!(of(
            400,
            words("The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).")
        ));
        assert!(!of(400, words("max_tokens is too large")));
        assert!(!of(429, words("Rate limit reached: context window")));
    }

    #[test]
    fn each_status_has_its_remedy() {
        let vendor = parse_vendor_and_model_name("openai/x").expect("a vendor").0;
        for (status, word) in [
            (400, "the name of the model"),
            (401, "OPENAI_API_KEY"),
            (403, "OPENAI_API_KEY"),
            (404, "the name of the model"),
            (413, "send less"),
            (422, "the name of the model"),
            (429, "try again later"),
            (500, "try again later"),
            (529, "try again later"),
        ] {
            let message = ErrorResponse::parse(status, b"<html>").message_with_remedy("", vendor, true);
            assert!(message.contains(word) && !message.contains("no key"), "{status}: {message}");
            let keyless = ErrorResponse::parse(status, b"<html>").message_with_remedy("", vendor, false);
            for word in ["no key was sent", "OPENAI_API_KEY", "--key-file"] {
                assert!(keyless.contains(word), "{status}: {keyless}");
            }
        }
        let unpaid = json!({ "error": { "message": "You exceeded your current quota", "code": "insufficient_quota" } });
        assert!(
            ErrorResponse::parse(429, unpaid.to_string().as_bytes())
                .message_with_remedy("x", vendor, true)
                .contains("no credit")
        );
    }

    #[test]
    fn refused_keys_are_recognised_whatever_the_status() {
        let said = |words: &str| json!({ "error": { "message": words } });
        let of = |status, body: Value| ErrorResponse::parse(status, body.to_string().as_bytes());
        let vendor = parse_vendor_and_model_name("litellm/x").expect("a vendor").0;
        for (status, body) in [
            (400, json!({ "error": { "message": "No connected db.", "type": "no_db_connection", "code": "400" } })),
            (400, said("No connected db.")),
            (500, said("Authentication Error, No api key passed in.")),
            (400, said("API key not valid. Please pass a valid API key.")),
            (500, said("litellm.AuthenticationError: AnthropicException - invalid x-api-key")),
            (401, json!({ "error": { "message": "x", "type": "auth_error" } })),
            (400, json!({ "type": "error", "error": { "type": "authentication_error", "message": "x" } })),
            (500, said("Invalid API key")),
        ] {
            let refusal = of(status, body.clone());
            assert!(refusal.is_api_key_error(), "{body}");
            let message = refusal.message_with_remedy("", vendor, true);
            assert!(message.contains("check the key (LITELLM_API_KEY") && message.contains("--key-file"), "{message}");
        }
        for (status, body) in [(500, said("Overloaded")), (400, said("bad")), (429, said("Invalid API key rate"))] {
            assert!(!of(status, body.clone()).is_api_key_error(), "{body}");
        }
    }

    #[test]
    fn errors_in_successful_responses_are_found() {
        for (body, status) in [
            (json!({ "error": { "message": "slow down", "code": 429 } }), 429),
            (json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }), 529),
            (
                json!({ "type": "response.failed", "response": { "error": { "code": "rate_limit_exceeded", "message": "x" } } }),
                429,
            ),
            (json!({ "type": "error", "code": "server_error", "message": "x" }), 500),
            (json!({ "error": { "message": "slow down", "code": "429" } }), 429),
            (json!({ "error": "no such model" }), 500),
        ] {
            let refusal = find_error_in_response_body(&body).unwrap_or_else(|| panic!("{body}"));
            assert_eq!(refusal.status, status, "{body}");
            assert!(!refusal.message.is_empty());
        }
        assert!(find_error_in_response_body(&json!({ "choices": [], "error": null })).is_none());
    }
}
