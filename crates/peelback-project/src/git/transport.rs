//! The protocol by which git reaches a repository.

/// A protocol by which git reaches a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// `https://`
    Https,
    /// `http://`, unencrypted.
    Http,
    /// `ssh://` and `user@host:path`.
    Ssh,
    /// `file://`
    File,
}

impl Transport {
    /// The protocol's name in git's settings and in URLs: `https`, `http`, `ssh` or `file`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::Http => "http",
            Self::Ssh => "ssh",
            Self::File => "file",
        }
    }
}

/// A remote repository that git may contact during a run.
#[derive(Clone, Copy)]
pub struct Remote<'a> {
    /// The URL of the repository without credentials: git writes it into the clone's configuration.
    pub url: &'a str,
    /// The one protocol that the run may use.
    pub transport: Transport,
    /// `user:password` of the URL, or only `user`. Git receives credentials through the environment: every user of the
    /// machine can see command-line arguments.
    pub credentials: Option<&'a str>,
}

impl std::fmt::Debug for Remote<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let credentials = self.credentials.map(|_| "…");
        f.debug_struct("Remote").field("url", &self.url).field("credentials", &credentials).finish_non_exhaustive()
    }
}

impl Remote<'_> {
    /// A copy of `text` without the remote's credentials, which git repeats in some messages.
    pub(super) fn remove_credentials_from_text(&self, text: &str) -> String {
        let Some(credentials) = self.credentials else { return text.to_owned() };
        let secret = credentials.split_once(':').map_or(credentials, |(_, password)| password);
        let text = text.replace(&format!("{credentials}@"), "").replace(credentials, "…");
        if secret.is_empty() { text } else { text.replace(secret, "…") }
    }
}
