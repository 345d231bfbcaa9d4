//! Files that contain nothing but secrets, by their path and their content.

use crate::blocks::private_key_byte_count;
use crate::mask::mask_secrets;
use crate::pattern::constant_patterns;

constant_patterns! {
    /// The content of a key file of a Google Cloud service account. Such a file is recognized whatever its name is.
    SERVICE_ACCOUNT = r#""type"\s*:\s*"service_account"[\s\S]{0,2000}"private_key"\s*:\s*"-----BEGIN"#;
}

/// What a file that contains nothing but secrets is, in words; `None` for other files. The path (with `/`) decides, and
/// the `text`, where it is given, decides where the path is ambiguous, and finds keys under other names.
/// `is_source_file` says whether a file name is that of source code, which is no key whatever else its name says.
///
/// A path that holds a token itself could not be shown or opened by a text in which it is masked: it counts, too.
pub fn secret_file_kind(path: &str, text: Option<&str>, is_source_file: fn(&str) -> bool) -> Option<&'static str> {
    secret_kind_by_path_and_text(path, text, is_source_file)
        .or_else(|| text.and_then(private_key_file_kind_by_content))
        .or_else(|| matches!(mask_secrets(path), std::borrow::Cow::Owned(_)).then_some("its name holds a secret"))
}

fn private_key_file_kind_by_content(text: &str) -> Option<&'static str> {
    // Most files do not contain these words, so a cheap search avoids the regular expressions.
    if !text.contains("PRIVATE KEY") {
        return None;
    }
    if SERVICE_ACCOUNT.is_match(text) {
        return Some("a cloud service account's key");
    }
    // Only a file that is mostly a private key is withheld. A key inside other text is masked instead, and the rest of
    // the file is shown.
    let marks = text.lines().filter(|line| line.contains("-----BEGIN ") || line.contains("-----END ")).map(str::len);
    let all = text.chars().filter(|c| !c.is_whitespace()).count().saturating_sub(marks.sum());
    let key = private_key_byte_count(text);
    (key > 0 && key * 2 >= all).then_some("it holds a private key")
}

/// File names (lower case) of files that contain only secrets, each with a description.
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
    (".mylogin.cnf", "database passwords"),
    (".htpasswd", "passwords"),
    (".dockercfg", "registry credentials"),
    (".vault-token", "a vault's token"),
    (".vault_pass", "a vault's password"),
    (".vault-pass", "a vault's password"),
    (".vault_password", "a vault's password"),
    (".vault-password", "a vault's password"),
    ("vault.yml", "a vault's secrets"),
    ("vault.yaml", "a vault's secrets"),
    ("shadow", "passwords"),
    ("gshadow", "passwords"),
    ("pgpass.conf", "database passwords"),
    (".envrc", "an environment file"),
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

/// Ends of the paths (lower case) of files that contain secrets but have a general file name, each with a description.
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
    (".composer/auth.json", "Composer's credentials"),
    ("composer/auth.json", "Composer's credentials"),
    (".streamlit/secrets.toml", "secrets"),
    (".config/gcloud/credentials.db", "cloud credentials"),
];

/// File extensions (lower case) of key stores and other files that contain secrets, each with a description.
const EXTENSIONS: &[(&str, &str)] = &[
    ("p12", "a key store"),
    ("pfx", "a key store"),
    ("jks", "a key store"),
    ("keystore", "a key store"),
    ("kdbx", "a password store"),
    ("key", "a private key"),
    ("ppk", "a private key"),
    ("ovpn", "a key of a private network"),
    ("tfstate", "Terraform's state, which holds secrets in plain text"),
    ("tfvars", "Terraform's variables, which may hold secrets"),
];

/// File names (lower case) of private SSH keys. The name of a public key ends in `.pub`.
const SSH_KEYS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// File names (lower case, without extension) of files that hold one secret or a list of them.
const SECRET_STEMS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "secrets",
    "credentials",
    "apikey",
    "api_key",
    "api-key",
    "vault-password",
    "vault_password",
    "vault-pass",
    "vault_pass",
];

/// File extensions (lower case) with which [`SECRET_STEMS`] name secrets, and no code or page about them.
const SECRET_STEM_EXTENSIONS: &[&str] = &["txt", "csv", "properties"];

/// Names of folders that hold nothing but secrets, one in each file.
const SECRET_FOLDERS: &[&str] = &["secrets", ".secrets"];

/// File extensions (lower case) of files in [`SECRET_FOLDERS`] that are no code and no page. Files without one count, too.
const SECRET_FOLDER_EXTENSIONS: &[&str] =
    &["txt", "yml", "yaml", "json", "toml", "properties", "ini", "cfg", "conf", "env", "csv"];

/// What the last part of `env.KIND` says of an environment file: other files have such a name, too, as `env.py`.
const ENVIRONMENT_KINDS: &[&str] =
    &["prod", "production", "local", "staging", "stage", "dev", "development", "ci", "live", "secret", "secrets"];

/// Keys of the credentials of Composer, of which one stands in an `auth.json` that holds some.
const AUTH_JSON_KEYS: &[&str] =
    &["\"http-basic\"", "\"github-oauth\"", "\"gitlab-token\"", "\"access_token\"", "\"refresh_token\""];

/// Suffixes that editors and people append to a file's name to name a copy of the file.
const COPIES: &[&str] = &["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp", ".copy"];

/// File extensions (lower case) that private keys, certificates and public keys share. The content of such a file
/// decides whether it is withheld.
const ARMOURED: &[&str] = &["pem", "crt", "cer", "asc", "gpg"];

/// Ends of the names of example files, which users copy and fill in. Example files contain no secrets.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// A description of the secret that a file contains; `None` for other files. The path decides, and the file's `text`
/// decides where the path is ambiguous.
fn secret_kind_by_path_and_text(
    path: &str,
    text: Option<&str>,
    is_source_file: fn(&str) -> bool,
) -> Option<&'static str> {
    let lowercase = path.replace('\\', "/").to_lowercase();
    // A copy of a file is as secret as the original, and so is a copy of the copy.
    let originals: Vec<&str> = std::iter::successors(Some(lowercase.as_str()), |path| original_path(path)).collect();
    originals.iter().enumerate().rev().find_map(|(copies, path)| {
        let kind = secret_kind_without_copy_suffix(path, text, is_source_file);
        // An editor's copy may also begin with a dot.
        kind.or_else(|| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let plain = name.strip_prefix('.').filter(|plain| copies > 0 && !plain.is_empty())?;
            secret_kind_without_copy_suffix(&format!("{folder}/{plain}"), text, is_source_file)
        })
    })
}

/// The path of the file of which a file is a copy by its name.
fn original_path(path: &str) -> Option<&str> {
    let rest = COPIES.iter().find_map(|end| path.strip_suffix(end))?;
    (!rest.is_empty() && !rest.ends_with('/')).then_some(rest)
}

fn secret_kind_without_copy_suffix(
    lowercase: &str,
    text: Option<&str>,
    is_source_file: fn(&str) -> bool,
) -> Option<&'static str> {
    let name = lowercase.rsplit('/').next().unwrap_or(lowercase);
    if let Some((_, what)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(what);
    }
    let ends_in =
        |end: &str| lowercase.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'));
    if let Some((_, what)) = PATHS.iter().find(|(end, _)| ends_in(end)) {
        return Some(what);
    }
    if is_secret_environment_file_name(name) || is_in_folder(lowercase, &[".envs"]) && !is_example(name) {
        return Some("an environment file");
    }
    if name == "auth.json" && text.is_some_and(|text| AUTH_JSON_KEYS.iter().any(|key| text.contains(key))) {
        return Some("credentials");
    }
    if is_secret_list(lowercase, name) && !is_source_file_of_code(name, is_source_file) {
        return Some("secrets");
    }
    if is_private_ssh_key_file_name(name) && !is_source_file(name) {
        return Some("a private key");
    }
    let (stem, extension) = name.rsplit_once('.')?;
    if EXAMPLES.contains(&extension) || EXAMPLES.iter().any(|word| stem.ends_with(&format!(".{word}"))) {
        return None;
    }
    if ARMOURED.contains(&extension) {
        return text.is_some_and(|text| text.contains("PRIVATE KEY")).then_some("a private key");
    }
    if extension == "key" && text.is_some_and(|text| text.contains("PUBLIC KEY")) {
        return None;
    }
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, what)| *what)
}

/// Whether a file is one of secrets by its stem or its folder: `password.txt`, `secrets/db`.
fn is_secret_list(path: &str, name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_named = SECRET_STEMS.contains(&stem) && SECRET_STEM_EXTENSIONS.contains(&extension);
    let is_kept = is_in_folder(path, SECRET_FOLDERS)
        && !is_in_folder(path, &["templates"])
        && (SECRET_FOLDER_EXTENSIONS.contains(&extension) || !name.contains('.') && !PAGES.contains(&name));
    (is_named || is_kept) && !is_example(name)
}

/// Names of files that stand in every folder.
const PAGES: &[&str] = &["readme", "license", "makefile", "dockerfile", "owners", "codeowners"];

fn is_in_folder(path: &str, folders: &[&str]) -> bool {
    let mut parts = path.split('/');
    parts.next_back();
    parts.any(|part| folders.contains(&part))
}

fn is_example(name: &str) -> bool {
    name.split(['.', '-', '_']).any(|part| EXAMPLES.contains(&part))
}

/// Whether a file is one of code. A document or data, such as YAML, has a language, too.
fn is_source_file_of_code(name: &str, is_source_file: fn(&str) -> bool) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_source_file(name) && !SECRET_FOLDER_EXTENSIONS.contains(&extension)
}

/// Whether a file name is that of an environment file, such as `.env`, `.env.local` or `production.env`. Example files
/// do not count.
fn is_secret_environment_file_name(name: &str) -> bool {
    if name
        .strip_prefix("env.")
        .is_some_and(|kind| kind.split(['.', '-', '_']).all(|part| ENVIRONMENT_KINDS.contains(&part)))
    {
        return true;
    }
    let kind = match name.strip_prefix(".env") {
        Some("") => return true,
        Some(rest) => rest.strip_prefix(['.', '-', '_']),
        None => name.strip_suffix(".env"),
    };
    kind.is_some_and(|kind| !kind.split(['.', '-', '_']).any(|part| EXAMPLES.contains(&part)))
}

/// Whether a file name is that of a private SSH key, such as `id_rsa`, `id_ed25519_work`, `id_rsa.old` or
/// `ssh_host_rsa_key`. Public keys and source code do not count.
fn is_private_ssh_key_file_name(name: &str) -> bool {
    let rest = SSH_KEYS.iter().find_map(|key| name.strip_prefix(key));
    let is_one = match rest {
        Some(rest) => rest.is_empty() || rest.starts_with(['_', '-', '.']),
        None => name.starts_with("ssh_host_") && name.ends_with("_key"),
    };
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_one && extension != "pub" && !EXAMPLES.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::secret_file_kind;

    #[test]
    fn files_of_secrets_are_told_by_their_names() {
        let is_source = |name: &str| name.ends_with(".rs") || name.ends_with(".py") || name.ends_with(".yml");
        let is_withheld = |path: &str, text: &str| secret_file_kind(path, Some(text), is_source).is_some();
        for path in [
            "env.prod",
            "deploy/env.production.local",
            ".envs/.production/.postgres",
            ".vault-password",
            "group_vars/vault.yml",
            "password.txt",
            "token.txt",
            "conf/secrets.properties",
            "secrets/db",
            "deploy/secrets/smtp.yml",
            "etc/shadow",
            ".composer/auth.json",
            "passwords.csv",
            "pgpass.conf",
        ] {
            assert!(is_withheld(path, ""), "{path}");
            assert!(is_withheld(&format!("{path}.bak"), ""), "{path}");
            assert!(is_withheld(&format!("{path}.bak~"), ""), "{path}");
        }
        for path in [
            "env.py",
            "env.rs",
            "src/secrets/mod.rs",
            "src/secrets/store.py",
            "secrets/README.md",
            "secrets/Dockerfile",
            "chart/templates/secrets/db.yaml",
            "secrets/db.example.yml",
            "docs/password.md",
            "tokens.txt",
            "locales/en/auth.json",
            ".envs/.example",
        ] {
            assert!(!is_withheld(path, "{ \"title\": \"Log in\" }"), "{path}");
        }
        assert!(is_withheld("etc/.id_rsa.swp", "") && is_withheld("etc/.id_rsa.swp~", ""));
        // The number of copies of copies in a name does not multiply the time.
        let copies = ["~"; 100].concat();
        assert!(!is_withheld(&format!("{}x{copies}", ["."; 100].concat()), ""));
        assert!(is_withheld(&format!(".id_rsa{copies}"), ""));
        let composer = "{ \"http-basic\": { \"repo.shop.io\": { \"username\": \"ann\", \"password\": \"\" } } }";
        assert!(is_withheld("auth.json", composer));
    }
}
