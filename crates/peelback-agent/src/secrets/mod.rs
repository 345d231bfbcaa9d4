//! What never leaves the machine: files that hold secrets are withheld and named, and values that have the shape of a
//! key are masked where they stand in other files.

mod values;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex::Regex;

/// What stands in the place of a masked value.
pub const MASK: &str = "[masked]";

/// File names (lower case) whose files hold nothing but secrets, and what they are.
const NAMES: &[(&str, &str)] = &[
    (".npmrc", "npm's credentials"),
    (".yarnrc", "yarn's credentials"),
    (".yarnrc.yml", "yarn's credentials"),
    (".pypirc", "PyPI's credentials"),
    (".netrc", "login credentials"),
    ("_netrc", "login credentials"),
    (".git-credentials", "git's credentials"),
    (".pgpass", "database passwords"),
    (".my.cnf", "database passwords"),
    (".htpasswd", "passwords"),
    (".dockercfg", "registry credentials"),
    (".vault-token", "a vault's token"),
    (".vault_pass", "a vault's password"),
    ("id_rsa", "a private key"),
    ("id_dsa", "a private key"),
    ("id_ecdsa", "a private key"),
    ("id_ed25519", "a private key"),
    ("credentials.json", "credentials"),
    ("client_secret.json", "credentials"),
    ("application_default_credentials.json", "credentials"),
    ("service-account.json", "credentials"),
    ("secrets.yml", "secrets"),
    ("secrets.yaml", "secrets"),
    ("secrets.json", "secrets"),
    ("secrets.toml", "secrets"),
    ("master.key", "a private key"),
    ("terraform.tfstate", "Terraform's state, which holds secrets in plain text"),
    ("terraform.tfstate.backup", "Terraform's state, which holds secrets in plain text"),
    (".terraformrc", "Terraform's credentials"),
    ("terraform.rc", "Terraform's credentials"),
    (".s3cfg", "cloud credentials"),
    (".boto", "cloud credentials"),
];

/// Ends of paths (lower case) of files whose own name says too little.
const PATHS: &[(&str, &str)] = &[
    (".aws/credentials", "cloud credentials"),
    (".aws/config", "cloud credentials"),
    (".docker/config.json", "registry credentials"),
    (".kube/config", "a cluster's credentials"),
    (".cargo/credentials", "registry credentials"),
    (".cargo/credentials.toml", "registry credentials"),
    (".gem/credentials", "registry credentials"),
    (".config/gh/hosts.yml", "GitHub's credentials"),
    (".config/hub", "GitHub's credentials"),
    (".streamlit/secrets.toml", "secrets"),
    (".config/gcloud/credentials.db", "cloud credentials"),
];

/// File extensions (lower case) of key stores and of files that hold secrets.
const EXTENSIONS: &[(&str, &str)] = &[
    ("p12", "a key store"),
    ("pfx", "a key store"),
    ("jks", "a key store"),
    ("keystore", "a key store"),
    ("kdbx", "a password store"),
    ("key", "a private key"),
    ("ppk", "a private key"),
    ("tfstate", "Terraform's state, which holds secrets in plain text"),
    ("tfvars", "Terraform's variables, which may hold secrets"),
];

/// Ends of a name that make it an example for others to fill in.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// A private key with at least one line of its content: the header alone stands in sources that read keys.
static PRIVATE_KEY: LazyLock<Regex> = LazyLock::new(|| {
    values::pattern(
        r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\r|\\n)+(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n]*\s+)*[A-Za-z0-9+/=]{32,}",
    )
});

/// A service account's key file of Google's cloud, whatever it is called.
static SERVICE_ACCOUNT: LazyLock<Regex> =
    LazyLock::new(|| values::pattern(r#""type"\s*:\s*"service_account"[\s\S]{0,2000}"private_key"\s*:\s*"-----BEGIN"#));

/// Which files are withheld, and what is masked in the others.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    exact: HashSet<String>,
    globs: GlobSet,
}

impl Secrets {
    /// The rules, with the files that are `allowed` by name: each a path from the root, or a glob over such paths. What
    /// is no glob is taken as a path alone.
    pub fn new(allowed: &[String]) -> Self {
        let mut globs = GlobSetBuilder::new();
        for name in allowed {
            if let Ok(glob) = glob(name) {
                globs.add(glob);
            }
        }
        Self {
            exact: allowed.iter().map(|name| name.trim_start_matches("./").to_owned()).collect(),
            // Each glob has compiled by itself: together they exceed no limit that a command line could reach.
            globs: globs.build().unwrap_or_default(),
        }
    }

    /// Why the file at `path` (from the root, with `/`) is withheld, in words that complete "withheld: "; `None` where
    /// it is not. Without its `text` only the path decides, and a file that may hold a key counts as one that does.
    pub fn withheld(&self, path: &str, text: Option<&str>) -> Option<String> {
        if self.is_allowed(path) {
            return None;
        }
        by_path(path, text).or_else(|| text.and_then(by_content)).map(|what| what.to_owned())
    }

    /// Whether the user allowed the file by its name.
    pub fn is_allowed(&self, path: &str) -> bool {
        self.exact.contains(path) || self.globs.is_match(path)
    }

    /// The text with each value that has the shape of a key replaced by [`MASK`]; line breaks stay where they are.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        values::redact(text)
    }
}

fn glob(name: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(name.trim_start_matches("./")).literal_separator(true).build()
}

fn by_path(path: &str, text: Option<&str>) -> Option<&'static str> {
    let lower = path.replace('\\', "/").to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    if let Some((_, what)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(what);
    }
    let ends_in = |end: &str| lower.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'));
    if let Some((_, what)) = PATHS.iter().find(|(end, _)| ends_in(end)) {
        return Some(what);
    }
    if is_environment(name) {
        return Some("an environment file");
    }
    let (stem, extension) = name.rsplit_once('.')?;
    if EXAMPLES.contains(&extension) || EXAMPLES.iter().any(|word| stem.ends_with(&format!(".{word}"))) {
        return None;
    }
    if matches!(extension, "pem" | "asc" | "gpg") {
        // Certificates and public keys have the same extensions.
        return match text {
            None => Some("it may hold a private key"),
            Some(text) => text.contains("PRIVATE KEY").then_some("a private key"),
        };
    }
    if extension == "key" && text.is_some_and(|text| text.contains("PUBLIC KEY")) {
        return None;
    }
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, what)| *what)
}

/// `.env`, `.env.local`, `production.env`, but not the examples that people copy.
fn is_environment(name: &str) -> bool {
    let kind = match name.strip_prefix(".env") {
        Some("") => return true,
        Some(rest) => rest.strip_prefix(['.', '-', '_']),
        None => name.strip_suffix(".env"),
    };
    kind.is_some_and(|kind| !kind.split(['.', '-', '_']).any(|part| EXAMPLES.contains(&part)))
}

fn by_content(text: &str) -> Option<&'static str> {
    // Most files hold neither word: the patterns are not tried.
    if !text.contains("PRIVATE KEY") {
        return None;
    }
    if SERVICE_ACCOUNT.is_match(text) {
        return Some("a cloud service account's key");
    }
    PRIVATE_KEY.is_match(text).then_some("it holds a private key")
}

#[cfg(test)]
mod tests;
