//! Which names say that their value is secret.

use crate::judgement::NameStrength;

/// Words that stand in each name of a secret, wherever a name is looked for.
pub(crate) const NAME_WORDS: &[&str] = &[
    "pass",
    "pwd",
    "passcode",
    "secret",
    "token",
    "key",
    "credential",
    "creds",
    "auth",
    "bearer",
    "extraheader",
    "sig",
    "salt",
    "jwt",
    "pat",
    "psw",
    "pw",
    "psk",
    "totp",
    "senha",
    "contrase",
    "kennwort",
    "wachtwoord",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
];

/// Last words of names of passwords.
const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "pass",
    "passcode",
    "psw",
    "passwort",
    "userpass",
    "requirepass",
    "userpassword",
    "masterauth",
    "passwords",
    "pw",
    "psk",
    "storepass",
    "keypass",
    // In other languages.
    "passe",
    "motdepasse",
    "senha",
    "contraseña",
    "contrasena",
    "contraseñas",
    "kennwort",
    "wachtwoord",
    "пароль",
    "密码",
    "密碼",
];

/// Last words of names of secrets that machines make.
const SECRETS: &[&str] = &[
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "creds",
    "auth",
    "authorization",
    "bearer",
    "apikey",
    "apikeys",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "jwt",
    "pat",
    "salt",
    "sig",
    "authtoken",
    "accesstoken",
    "extraheader",
    "sharedaccesskey",
    "accountkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
];

/// Words before `key` that make it a secret one.
const KEY_QUALIFIERS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "auth",
    "encryption",
    "encrypt",
    "encrypting",
    "signing",
    "sign",
    "master",
    "client",
    "account",
    "shared",
    "app",
    "application",
    "service",
    "license",
    "session",
    "webhook",
    "hmac",
    "aes",
    "des",
    "jwt",
    "crypt",
    "crypto",
    "cipher",
    "deploy",
    "integration",
    "write",
    "admin",
    "subscription",
    "functions",
    "function",
    "consumer",
    "bot",
    "server",
    "vault",
    "unseal",
    "root",
    "recovery",
    "token",
    "rest",
    "ssl",
    "tls",
    "wallet",
    "decryption",
    "symmetric",
    "nonce",
    "secure",
    "security",
    "stripe",
    "openai",
    "anthropic",
    "aws",
    "azure",
    "gcp",
    "google",
    "github",
    "gitlab",
    "slack",
    "twilio",
    "sendgrid",
    "mailgun",
    "datadog",
    "sentry",
    "algolia",
    "firebase",
    "storage",
    "instrumentation",
    "shared",
    "ingest",
    "logged",
];

/// Words that make a key or token a public one, or one of a table.
const HARMLESS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "map",
    "index",
    "idempotency",
    "object",
    "row",
    "column",
    "lookup",
    "group",
    "item",
    "react",
    "translation",
    "i18n",
    "registry",
    "dict",
    "json",
    "hot",
    "short",
    "keyboard",
    "unique",
    "composite",
    "natural",
    "hash",
    "routing",
    "message",
    "event",
    "config",
    "feature",
    "flag",
    "query",
    "label",
    "meta",
    "attr",
    "prop",
    "verify",
    "verification",
    "verifying",
    "cert",
    "certificate",
    "fingerprint",
    "checksum",
    "etag",
    "context",
    "state",
    "data",
    "field",
    "host",
    "known",
    "ssh",
    "gpg",
    "pgp",
    "signer",
    "layout",
    "test",
    "node",
    "sha",
    "file",
    "path",
    "anonymous",
    "continuation",
    "page",
    "cancellation",
    "syntax",
];

/// Words behind the noun that change nothing: `PASSWORD_PROD`, `tokenValue`.
const NEUTRAL_ENDS: &[&str] = &[
    "value",
    "val",
    "base64",
    "b64",
    "hex",
    "raw",
    "str",
    "string",
    "plain",
    "text",
    "plaintext",
    "data",
    "default",
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "live",
    "old",
    "new",
    "current",
    "previous",
    "test",
    "bytes",
    "encoded",
    "env",
    "arg",
    "override",
    "primary",
    "secondary",
    "local",
    "main",
    "ro",
    "rw",
    "us",
    "eu",
    "in",
    "enc",
    "literal",
    "const",
    "confirmation",
    "header",
    "base",
    "equals",
];

/// What the name `name` says about its value; `None` where it names no secret.
pub(crate) fn secret_name_strength(name: &str) -> Option<NameStrength> {
    let words = split_into_words(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    while words.len() > 1 && words.last().is_some_and(|word| NEUTRAL_ENDS.contains(word)) {
        words.pop();
    }
    let (last, before) = words.split_last()?;
    // Alone, it is a pattern.
    if before.is_empty() && *last == "pat" {
        return None;
    }
    let is_harmless = before.iter().any(|word| ["public", "pub", "publishable"].contains(word));
    if PASSWORDS.contains(last) || ["password", "passwd", "passphrase"].iter().any(|noun| last.ends_with(noun)) {
        return Some(NameStrength::Password);
    }
    if is_harmless {
        return None;
    }
    if ["seed", "totp"].contains(last) && words.contains(&"totp") {
        return Some(NameStrength::Strong);
    }
    if SECRETS.contains(last)
        || last.len() < 24 && ["secret", "token", "apikey"].iter().any(|noun| last.ends_with(noun))
    {
        return Some(NameStrength::Strong);
    }
    let last = last.strip_suffix('s').unwrap_or(last);
    let compound = last.strip_suffix("key")?;
    let qualifiers = before.last().copied().into_iter().chain((!compound.is_empty()).then_some(compound));
    // `keyData`, `sort_key`: what stands directly before decides.
    if qualifiers.clone().any(|word| {
        KEY_QUALIFIERS.contains(&word) || KEY_QUALIFIERS.iter().any(|known| known.len() > 4 && word.ends_with(known))
    }) {
        return Some(NameStrength::Strong);
    }
    let is_weak = !qualifiers.clone().any(|word| HARMLESS.contains(&word))
        && (before.iter().any(|word| KEY_QUALIFIERS.contains(word))
            || !name.bytes().any(|byte| byte.is_ascii_lowercase()));
    is_weak.then_some(NameStrength::Weak)
}

/// The words of a name in lower case, without its digits: `dbPassword2`, `DB_PASSWORD`, `db.password` and `db-password`
/// have the same ones.
fn split_into_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let begins_word = c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit())
            || c.is_uppercase() && previous.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase());
        if begins_word || !c.is_alphanumeric() {
            words.push(String::new());
        }
        // `base64` keeps its digits, since it is a word of its own.
        let keeps = c.is_alphabetic()
            || c.is_ascii_digit()
                && words.last().is_some_and(|word| word == "base" || word == "base6" || word == "b" || word == "b6");
        if keeps && let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_whether_their_value_is_secret() {
        use NameStrength::{Password, Strong, Weak};
        for (name, expected) in [
            ("password", Some(Password)),
            ("DB_PASSWORD_2", Some(Password)),
            ("spring.datasource.password", Some(Password)),
            ("mysqlPassword", Some(Password)),
            ("apiKey", Some(Strong)),
            ("X-Api-Key", Some(Strong)),
            ("AWS_SECRET_ACCESS_KEY", Some(Strong)),
            ("clientSecret", Some(Strong)),
            ("client-key-data", Some(Strong)),
            ("authToken", Some(Strong)),
            ("apitoken", Some(Strong)),
            ("AccountKey", Some(Strong)),
            ("MAPS_KEY", Some(Weak)),
            ("token_type", None),
            ("password_file", None),
            ("public_key", None),
            ("publishableApiKey", None),
            ("cache_key", None),
            ("primaryKey", None),
            ("access_key_id", None),
            ("monkey", None),
            ("keyboard", None),
            ("author", None),
        ] {
            assert_eq!(secret_name_strength(name), expected, "{name}");
        }
    }
}
