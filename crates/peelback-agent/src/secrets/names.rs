//! Detection of files whose path shows that they contain secrets.

use peelback_code::syntax::language;

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

/// Suffixes that editors and people append to a file's name to name a copy of the file.
const COPIES: &[&str] = &["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".tmp", ".copy"];

/// File extensions (lower case) that private keys, certificates and public keys share. The content of such a file
/// decides whether it is withheld.
const ARMOURED: &[&str] = &["pem", "crt", "cer", "asc", "gpg"];

/// Ends of the names of example files, which users copy and fill in. Example files contain no secrets.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// A description of the secret that a file contains; `None` for other files. The path decides, and the file's `text`
/// decides where the path is ambiguous.
pub(super) fn secret_kind_by_path_and_text(path: &str, text: Option<&str>) -> Option<&'static str> {
    let lowercase = path.replace('\\', "/").to_lowercase();
    // A copy of a file is as secret as the original. An editor's copy may also begin with a dot.
    let copied = COPIES.iter().find_map(|end| lowercase.strip_suffix(end)).filter(|rest| !rest.ends_with('/'));
    let copied = copied.filter(|rest| !rest.is_empty()).and_then(|rest| {
        let (folder, name) = rest.rsplit_once('/').map_or(("", rest), |(folder, name)| (folder, name));
        let plain = name.strip_prefix('.').filter(|plain| !plain.is_empty());
        secret_kind_by_path_and_text(rest, text)
            .or_else(|| secret_kind_by_path_and_text(&format!("{folder}/{}", plain?), text))
    });
    copied.or_else(|| secret_kind_without_copy_suffix(&lowercase, text))
}

fn secret_kind_without_copy_suffix(lowercase: &str, text: Option<&str>) -> Option<&'static str> {
    let name = lowercase.rsplit('/').next().unwrap_or(lowercase);
    if let Some((_, what)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(what);
    }
    let ends_in =
        |end: &str| lowercase.strip_suffix(end).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'));
    if let Some((_, what)) = PATHS.iter().find(|(end, _)| ends_in(end)) {
        return Some(what);
    }
    if is_secret_environment_file_name(name) {
        return Some("an environment file");
    }
    if is_private_ssh_key_file_name(name) {
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

/// Whether a file name is that of an environment file, such as `.env`, `.env.local` or `production.env`. Example files
/// do not count.
fn is_secret_environment_file_name(name: &str) -> bool {
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
    is_one && extension != "pub" && !EXAMPLES.contains(&extension) && language::language_of_file_name(name).is_none()
}

/// Whether a path is that of a document that this program wrote: `contexts/shop/scope-how-does-login-work-101500.md`.
pub(super) fn is_peelback_document_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, repository, folder) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let is_document = name.ends_with(".md") && (name.starts_with("scope-") || name.starts_with("context-"));
    is_document && repository.is_some() && folder == Some("contexts")
}
