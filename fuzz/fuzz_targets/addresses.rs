//! The addresses of repositories that people and documents name.

use peelback_agent::source::{GitReference, Source, Transport};

pub fn seeds() -> Vec<Vec<u8>> {
    [
        "https://github.com/a/b",
        "github.com/a/b",
        "https://github.com/a/b.git#v1.2",
        "https://github.com/a/b/tree/feature/x/src",
        "https://gitlab.example.org/g/h/p/-/tree/dev",
        "https://bitbucket.org/a/b/src/main/",
        "https://codeberg.org/a/b/src/branch/main",
        "https://github.com/a/b/commit/0123456789abcdef0123456789abcdef01234567",
        "git@github.com:a/b.git",
        "git@host:a/b#feature/y",
        "ssh://git@host:2222/a/b.git",
        "file:///srv/git/a%20b.git#main",
        "http://127.0.0.1:8080/a.git",
        "http://[::1]:8080/a.git",
        "https://ann:s3cr3t@host/a/b#main",
        "ext::sh -c id",
        "--upload-pack=x",
        "C:\\code\\x",
        "notes.md",
        "./a:b",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into()
}

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parsed = match Source::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => {
            assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
            return;
        }
    };
    let Source::Git(url) = &parsed else { return };
    // What git receives is no option, no transport that runs a program, and holds no password.
    let helper = url.url.split_once("::").map(|(helper, _)| helper);
    let is_helper = helper.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)));
    assert!(!url.url.starts_with('-') && !is_helper, "{url:?}");
    assert!(!url.url.chars().any(char::is_control), "{url:?}");
    match url.transport {
        Transport::Https => assert!(url.url.starts_with("https://"), "{url:?}"),
        Transport::Http => assert!(url.url.starts_with("http://"), "{url:?}"),
        Transport::File => assert!(url.url.starts_with("file://"), "{url:?}"),
        Transport::Ssh => assert!(!url.url.starts_with("http") || url.url.contains('@'), "{url:?}"),
    }
    if let Some((_, rest)) = url.url.split_once("://") {
        let authority = rest.split('/').next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@') {
            assert!(url.transport == Transport::Ssh && !user.contains(':') && !user.starts_with('-'), "{url:?}");
        }
    }
    match &url.reference {
        Some(GitReference::Name(name) | GitReference::Commit(name)) => {
            assert!(!name.starts_with('-') && !name.contains("..") && !name.chars().any(char::is_control), "{url:?}");
        }
        Some(GitReference::NameAndPath(path)) => {
            let is_safe = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
            assert!(!path.starts_with('-') && is_safe && !path.chars().any(char::is_control), "{url:?}");
        }
        None => {}
    }
    assert!(!url.repository_name().contains('/'), "{url:?}");
    // A document that names the repository leads to it again. Which part of a page's address is the branch is known only
    // once the repository was asked.
    // And the name of a repository in nested groups may look like a page of another one.
    let is_like_page = ["/tree/", "/blob/", "/commit/", "/commits/", "/src/"].iter().any(|page| url.url.contains(page));
    if is_like_page || matches!(url.reference, Some(GitReference::NameAndPath(_))) {
        return;
    }
    let shown = url.to_display_url();
    match Source::parse(&shown) {
        Ok(Source::Git(again)) => assert_eq!(again.transport, url.transport, "{shown}"),
        other => panic!("{url:?} is shown as {shown}, which is {other:?}"),
    }
}
