//! Parsing of the URLs of Git repositories, and the safety checks before git receives a URL.

use std::path::{Path, PathBuf};

use peelback_code::git::{Transport, is_full_object_id};

/// The branch, tag or commit of a repository that the user requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitReference {
    /// The name of a branch or tag.
    Name(String),
    /// The full id of a commit: 40 or 64 hexadecimal digits.
    Commit(String),
    /// The part of a web page's URL after `/tree/`: a branch name, which may contain slashes, optionally followed by a
    /// path.
    NameAndPath(String),
}

/// The URL of a Git repository that passed the safety checks.
#[derive(Clone, PartialEq, Eq)]
pub struct GitUrl {
    /// The URL that git receives, without credentials.
    pub url: String,
    /// The credentials `user:password` from the URL. Only git receives them.
    pub(super) credentials: Option<String>,
    /// The network protocol of the URL.
    pub transport: Transport,
    /// The requested branch, tag or commit; `None` for the default branch.
    pub reference: Option<GitReference>,
    /// Whether the URL's host is this machine (loopback).
    pub(super) is_loopback: bool,
}

impl std::fmt::Debug for GitUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let credentials = self.credentials.as_ref().map(|_| "…");
        f.debug_struct("GitUrl")
            .field("url", &self.url)
            .field("credentials", &credentials)
            .field("reference", &self.reference)
            .finish_non_exhaustive()
    }
}

/// Hosts whose URLs are accepted without the leading `https://`.
const KNOWN_HOSTS: &[&str] = &["github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/"];

impl GitUrl {
    /// Parses the URL of a Git repository. Returns `None` if `text` is a file path.
    ///
    /// # Errors
    /// The reason, as text, why a URL is refused.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, String> {
        // In git, the text before `::` names a transport helper. A URL such as `ext::sh -c …` would run a command.
        if let Some((helper, _)) = text.split_once("::")
            && !helper.is_empty()
            && helper.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.'))
        {
            return Err(format!("transport helpers such as {helper}:: are not allowed: use https, ssh or file"));
        }
        if text.starts_with('-') || text.chars().any(char::is_control) {
            return Err("it begins with a dash or contains control characters".to_owned());
        }
        let (address, fragment) = match text.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment)),
            None => (text, None),
        };
        let known = KNOWN_HOSTS.iter().any(|host| address.starts_with(host)) && !Path::new(text).exists();
        let mut url = match address.split_once("://") {
            Some((scheme, rest)) => parse_git_url_with_scheme(scheme, rest)?,
            None if known => parse_git_url_with_scheme("https", address)?,
            None => match parse_scp_notation(address)? {
                Some(url) => url,
                None => return Ok(None),
            },
        };
        if let Some(fragment) = fragment {
            url.reference = Some(parse_git_reference(fragment)?);
        }
        Ok(Some(url))
    }

    /// The repository's name: the last component of the URL's path.
    pub fn repository_name(&self) -> &str {
        let path = self.url.trim_end_matches('/');
        let path = path.strip_suffix("/.git").unwrap_or(path);
        let last = path.rsplit(['/', ':']).next().unwrap_or(path);
        last.strip_suffix(".git").unwrap_or(last)
    }

    /// The URL with the branch, tag or commit and without credentials, as a document's `source_repo` states it.
    pub fn to_display_url(&self) -> String {
        match &self.reference {
            None => self.url.clone(),
            Some(GitReference::Name(name) | GitReference::Commit(name) | GitReference::NameAndPath(name)) => {
                format!("{}#{name}", self.url)
            }
        }
    }

    /// The folder that a `file://` URL names.
    pub(super) fn file_url_folder(&self) -> Option<PathBuf> {
        let path = self.url.strip_prefix("file://")?;
        // On Windows, a file URL has a slash before the drive letter: `file:///C:/a`.
        let path = if cfg!(windows) { path.trim_start_matches('/') } else { path };
        Some(PathBuf::from(percent_decoded(path)))
    }
}

fn parse_git_url_with_scheme(scheme: &str, rest: &str) -> Result<GitUrl, String> {
    let transport = match scheme.to_ascii_lowercase().as_str() {
        "https" | "git+https" => Transport::Https,
        "http" => Transport::Http,
        "ssh" | "git+ssh" | "ssh+git" => Transport::Ssh,
        "file" => Transport::File,
        "git" => return Err("git:// is neither encrypted nor authenticated: use https or ssh".to_owned()),
        other => return Err(format!("the transport {other}:// is not allowed: use https, ssh or file")),
    };
    if rest.chars().any(|c| c.is_whitespace() || matches!(c, '\\' | '\'' | '"' | '`' | '<' | '>' | '|')) {
        return Err("a URL must not contain spaces, quotes or backslashes: percent-encode them".to_owned());
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if transport == Transport::File {
        if !authority.is_empty() && authority != "localhost" {
            return Err("a file URL has three slashes: file:///folder".to_owned());
        }
        if percent_decoded(path).chars().any(char::is_control) {
            return Err("it contains control characters".to_owned());
        }
        let url = format!("file:///{path}");
        return Ok(GitUrl { url, credentials: None, transport, reference: None, is_loopback: true });
    }
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    let name = check_host_and_strip_port(host)?;
    if path.trim_matches('/').is_empty() {
        return Err("it names a host, but no repository".to_owned());
    }
    let lowercase = percent_decoded(path);
    if lowercase.chars().any(char::is_control) {
        return Err("it contains control characters".to_owned());
    }
    let is_loopback = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    if transport == Transport::Ssh {
        if lowercase.starts_with('-') || lowercase.split('/').any(|part| part.starts_with("--")) {
            return Err("its path begins with a dash, like an option".to_owned());
        }
        let user = match user {
            // The password of an SSH URL is dropped, since SSH ignores it.
            Some(user) => format!("{}@", check_url_user_name(user.split(':').next().unwrap_or(user))?),
            None => String::new(),
        };
        let url = format!("ssh://{user}{host}/{path}");
        return Ok(GitUrl { url, credentials: None, transport, reference: None, is_loopback });
    }
    let (path, reference) = parse_repository_web_page_path(name, path)?;
    if path.trim_matches('/').is_empty() {
        return Err("it names a host, but no repository".to_owned());
    }
    let credentials = user.filter(|user| !user.is_empty()).map(str::to_owned);
    let url = format!("{}://{host}/{path}", transport.as_str());
    Ok(GitUrl { url, credentials, transport, reference, is_loopback })
}

/// Parses the SSH notation `user@host:path`. Returns `None` for a file path such as `C:\a` or `a/b:c`.
fn parse_scp_notation(text: &str) -> Result<Option<GitUrl>, String> {
    let Some((before, path)) = text.split_once(':') else { return Ok(None) };
    if before.contains(['/', '\\']) || before.chars().count() == 1 || path.is_empty() || Path::new(text).exists() {
        return Ok(None);
    }
    let Some((user, host)) = before.split_once('@') else {
        // Text such as `host:path` without a user is treated as a possible file name, not as a URL.
        return Ok(None);
    };
    check_host_and_strip_port(host)?;
    let user = check_url_user_name(user)?;
    if path.starts_with('-') || path.split('/').any(|part| part.starts_with("--")) {
        return Err("its path begins with a dash, like an option".to_owned());
    }
    if path
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '\'' | '"' | '`' | '$' | ';' | '|' | '&'))
    {
        return Err("its path contains characters that have a meaning in a shell".to_owned());
    }
    let url = format!("{user}@{host}:{path}");
    Ok(Some(GitUrl { url, credentials: None, transport: Transport::Ssh, reference: None, is_loopback: false }))
}

/// Checks the host in a URL and returns the host's name without the port. The name may contain letters, digits, dots
/// and dashes, and must begin with a letter or digit.
fn check_host_and_strip_port(host: &str) -> Result<&str, String> {
    let (name, port) = match host.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((inner, rest)) => {
            if inner.is_empty() || !inner.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.')) {
                return Err("its host is not an address".to_owned());
            }
            let port = rest.strip_prefix(':');
            if !rest.is_empty() && port.is_none() {
                return Err("its host is not an address".to_owned());
            }
            (host.get(..inner.len() + 2).unwrap_or(host), port)
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return Err("its port is not a number".to_owned());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.is_empty() || name.starts_with(['-', '.']) || !(name.starts_with('[') || name.chars().all(plain)) {
        return Err("its host is not a host name (write an international name in its xn-- form)".to_owned());
    }
    Ok(name)
}

fn check_url_user_name(user: &str) -> Result<&str, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    if user.is_empty() || user.starts_with('-') || !user.chars().all(plain) {
        return Err("its user name must be letters of English, digits and . - _ +, and not begin with -".to_owned());
    }
    Ok(user)
}

/// Parses the URL path of a repository's web page: returns the repository's path, and the branch, folder or commit that
/// the page shows.
fn parse_repository_web_page_path(host: &str, path: &str) -> Result<(String, Option<GitReference>), String> {
    let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
    let (repository, shown) = if let Some((repository, shown)) = path.split_once("/-/") {
        (repository.to_owned(), Some(shown.to_owned()))
    } else if host == "github.com"
        || host == "www.github.com"
        || host == "gitlab.com"
        || host == "codeberg.org"
        || host == "bitbucket.org"
    {
        let mut parts = path.splitn(3, '/');
        let (owner, name, rest) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next());
        let is_page =
            |rest: &str| ["tree/", "blob/", "commit/", "commits/", "src/"].iter().any(|page| rest.starts_with(page));
        match rest {
            Some(rest) if is_page(rest) => (format!("{owner}/{name}"), Some(rest.to_owned())),
            // The whole URL path names the repository, since GitLab groups can be nested.
            _ => (path.to_owned(), None),
        }
    } else {
        (path.to_owned(), None)
    };
    let Some(shown) = shown else { return Ok((repository, None)) };
    let (page, rest) = shown.split_once('/').unwrap_or((&shown, ""));
    let rest = percent_decoded(rest);
    let rest = match page {
        "tree" | "blob" => rest,
        // In a Bitbucket URL, the branch follows `src` directly. In a Codeberg URL, the kind of reference follows `src`
        // first.
        "src" => {
            ["branch/", "tag/", "commit/"].iter().find_map(|kind| rest.strip_prefix(kind)).unwrap_or(&rest).to_owned()
        }
        "commit" | "commits" => return Ok((repository, Some(parse_git_reference(&rest)?))),
        _ => return Ok((repository, None)),
    };
    if rest.is_empty() {
        return Ok((repository, None));
    }
    if let Some((first, _)) = rest.split_once('/')
        && is_full_object_id(first)
    {
        return Ok((repository, Some(GitReference::NameAndPath(rest))));
    }
    if rest.contains('/') {
        // Only the first path component is checked here. Each part is checked again once the end of the branch name is
        // known.
        check_git_reference_name(rest.split('/').next().unwrap_or(&rest))?;
        if rest.split('/').any(|part| part == ".." || part == "." || part.is_empty())
            || rest.chars().any(char::is_control)
        {
            return Err("its path leads out of the repository".to_owned());
        }
        return Ok((repository, Some(GitReference::NameAndPath(rest))));
    }
    Ok((repository, Some(parse_git_reference(&rest)?)))
}

/// Parses a Git reference: the name of a branch or tag, or a full commit id.
pub(super) fn parse_git_reference(name: &str) -> Result<GitReference, String> {
    if is_full_object_id(name) {
        return Ok(GitReference::Commit(name.to_ascii_lowercase()));
    }
    check_git_reference_name(name)?;
    Ok(GitReference::Name(name.to_owned()))
}

/// Checks the name of a branch or tag by the rules of `git check-ref-format --branch`.
pub(super) fn check_git_reference_name(name: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("{:?} is not a branch name: {why}", to_safe_message_text(name)));
    if name.is_empty() {
        return wrong("it is empty");
    }
    if name.starts_with('-') {
        return wrong("it begins with a dash");
    }
    if name.chars().any(|c| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')) {
        return wrong("it contains a space, a control character or one of ~ ^ : ? * [ \\");
    }
    if name.contains("..") || name.contains("@{") || name.contains("//") || name == "@" {
        return wrong("it contains .., // or @{");
    }
    if name.starts_with('/') || name.ends_with(['/', '.']) {
        return wrong("it begins or ends with a slash, or ends with a dot");
    }
    if name.split('/').any(|part| part.starts_with('.') || part.ends_with(".lock")) {
        return wrong("a part of it begins with a dot or ends in .lock");
    }
    Ok(())
}

/// A copy of a text without control characters and credentials, which is safe to show in a message.
pub(super) fn to_safe_message_text(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).take(300).collect();
    let Some((scheme, rest)) = clean.split_once("://") else { return clean };
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((user, _)) if scheme != "ssh" || user.contains(':') => {
            format!("{scheme}://{}", rest.get(user.len() + 1..).unwrap_or(""))
        }
        _ => clean,
    }
}

/// Decodes percent encoding in a text. Invalid UTF-8 becomes U+FFFD.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match hex {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or(&[]);
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> GitUrl {
        GitUrl::parse(text).expect(text).unwrap_or_else(|| panic!("{text} is no URL"))
    }

    #[test]
    fn urls_are_taken_apart() {
        for (text, url, transport, reference) in [
            ("https://github.com/a/b", "https://github.com/a/b", Transport::Https, None),
            ("github.com/a/b", "https://github.com/a/b", Transport::Https, None),
            ("https://github.com/a/b.git#v1.2", "https://github.com/a/b.git", Transport::Https, Some("v1.2")),
            ("https://github.com/a/b/tree/main", "https://github.com/a/b", Transport::Https, Some("main")),
            (
                "https://github.com/a/b/tree/feature/x/src",
                "https://github.com/a/b",
                Transport::Https,
                Some("feature/x/src"),
            ),
            (
                "https://gitlab.example.org/g/h/p/-/tree/dev",
                "https://gitlab.example.org/g/h/p",
                Transport::Https,
                Some("dev"),
            ),
            ("https://gitlab.com/g/h/p", "https://gitlab.com/g/h/p", Transport::Https, None),
            ("git@github.com:a/b.git", "git@github.com:a/b.git", Transport::Ssh, None),
            ("git@host:a/b#feature/y", "git@host:a/b", Transport::Ssh, Some("feature/y")),
            ("ssh://git@host:2222/a/b.git", "ssh://git@host:2222/a/b.git", Transport::Ssh, None),
            ("file:///srv/git/a.git#main", "file:///srv/git/a.git", Transport::File, Some("main")),
            ("http://127.0.0.1:8080/a.git", "http://127.0.0.1:8080/a.git", Transport::Http, None),
        ] {
            let found = parsed(text);
            assert_eq!((found.url.as_str(), found.transport), (url, transport), "{text}");
            let named = found.reference.map(|found| match found {
                GitReference::Name(name) | GitReference::Commit(name) | GitReference::NameAndPath(name) => name,
            });
            assert_eq!(named.as_deref(), reference, "{text}");
        }
        assert_eq!(parsed("git@github.com:a/b.git").repository_name(), "b");
        assert_eq!(parsed("https://h/x/tool.git/").repository_name(), "tool");
        let commit = "a".repeat(40);
        assert_eq!(parsed(&format!("https://h/x#{commit}")).reference, Some(GitReference::Commit(commit)));
    }

    #[test]
    fn urls_without_a_host_or_a_repository_are_refused() {
        // What follows the brackets would be part of another host.
        for text in ["http://[::1]host/a", "http://[::1].example.org/a/b", "https://host/?a", "https://host/#main"] {
            assert!(GitUrl::parse(text).is_err(), "{text}");
        }
        assert!(GitUrl::parse("http://[::1]:8080/a").is_ok());
    }

    #[test]
    fn paths_are_no_urls() {
        for path in ["src", "./a:b", "C:\\code\\x", "C:/code", "a/b:c", "notes.md", "host:path", "/tmp/a"] {
            assert_eq!(GitUrl::parse(path), Ok(None), "{path}");
        }
    }

    #[test]
    fn credentials_are_kept_apart() {
        let url = parsed("https://ann:s3cr3t@host/a/b#main");
        assert_eq!(url.credentials.as_deref(), Some("ann:s3cr3t"));
        for text in [url.to_display_url(), format!("{url:?}"), to_safe_message_text("https://ann:s3cr3t@host/a b")] {
            assert!(!text.contains("s3cr3t"), "{text}");
        }
    }

    #[test]
    fn references_that_are_options_or_expressions_are_refused() {
        for name in [
            "--upload-pack=x",
            "-b",
            "a..b",
            "a b",
            "a:b",
            "a^",
            "a~1",
            "a@{1}",
            ".a",
            "a/.b",
            "a.lock",
            "a/",
            "/a",
            "",
            "a\nb",
            "@",
        ] {
            assert!(parse_git_reference(name).is_err(), "{name:?}");
        }
        for name in ["main", "v1.0", "feature/x-1", "a@b", "日本"] {
            assert!(parse_git_reference(name).is_ok(), "{name:?}");
        }
    }
}
