//! Finds the cause of a failed git run in git's error output.

use super::transport::Transport;

/// The maximum number of characters in a summary of git's error output.
const MAX_SUMMARY_CHARS: usize = 400;

/// The cause of a failed git run, as far as git's error output names one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The repository has no branch, tag or commit of the requested name.
    MissingReference,
    /// The server refused access, or git has no credentials for it.
    AccessDenied,
    /// The folder of a `file://` URL is no git repository.
    NotARepository,
    /// Any other failure.
    Other,
}

/// Phrases of git for a branch, tag or commit that does not exist, in lower case.
const MISSING_REFERENCE: &[&str] = &["remote branch", "couldn't find remote ref", "not our ref", "no such remote ref"];

/// Phrases of git, ssh and HTTP servers for refused or missing credentials, in lower case.
const ACCESS_DENIED: &[&str] = &[
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied",
    "terminal prompts disabled",
    "error: 401",
    "error: 403",
    "access denied",
    "host key verification failed",
];

/// The kind of failure that git's error output describes. `stderr` is the English text that `LC_ALL=C` guarantees;
/// `requested_reference` says whether the run named a branch, tag or commit that can be missing.
pub fn classify_git_failure(stderr: &str, transport: Transport, requested_reference: bool) -> FailureKind {
    let lowercase = stderr.to_lowercase();
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrase| lowercase.contains(phrase));
    if requested_reference && contains_any(MISSING_REFERENCE) {
        FailureKind::MissingReference
    } else if contains_any(ACCESS_DENIED) {
        FailureKind::AccessDenied
    } else if transport == Transport::File && contains_any(&["does not appear to be a git repository"]) {
        FailureKind::NotARepository
    } else {
        FailureKind::Other
    }
}

/// The cause of a failed git run as one line of at most 400 characters: git's last `fatal:` line, and before that line
/// what a server or ssh reported where the `fatal:` line alone says little.
pub fn summarize_git_error_output(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let fatal = lines.iter().rev().find_map(|line| line.strip_prefix("fatal:")).map(str::trim);
    let causes = lines.iter().copied().filter(|line| is_git_error_cause_line(line));
    let cause_or_fatal: Vec<&str> = match fatal {
        Some(fatal) if !is_vague_git_fatal_line(fatal) => vec![fatal],
        _ => causes.map(|line| line.strip_prefix("error:").unwrap_or(line).trim()).chain(fatal).collect(),
    };
    let shown = if cause_or_fatal.is_empty() { lines } else { cause_or_fatal };
    let text: String = shown.join("; ").chars().filter(|c| !c.is_control()).take(MAX_SUMMARY_CHARS).collect();
    if text.is_empty() { "git ended without a message; it may have been killed".to_owned() } else { text }
}

/// Whether a line of git's error output names a cause: a message of git, of the server or of ssh.
fn is_git_error_cause_line(line: &str) -> bool {
    let lowercase = line.to_lowercase();
    starts_with_any_prefix(&lowercase, &["error:", "remote:", "ssh:"])
        || lowercase.contains("permission denied")
        || lowercase.contains("verification failed")
}

/// Whether git's `fatal:` line only says that something before it failed.
fn is_vague_git_fatal_line(fatal: &str) -> bool {
    let vague = ["could not read from remote", "the remote end hung up", "early eof", "expected ", "index-pack failed"];
    starts_with_any_prefix(&fatal.to_lowercase(), &vague) || fatal.contains("error in object") || fatal.is_empty()
}

fn starts_with_any_prefix(text: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::summarize_git_error_output;

    #[test]
    fn the_summary_is_the_line_that_names_the_cause() {
        for (stderr, shown) in [
            (
                "warning: Could not find remote branch x to clone.\nfatal: Remote branch x not found in upstream origin\n",
                "Remote branch x not found in upstream origin",
            ),
            (
                "git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
                "git@host: Permission denied (publickey).; Could not read from remote repository.",
            ),
            ("remote: Not Found\nfatal: repository 'https://h/a/' not found\n", "repository 'https://h/a/' not found"),
            (
                "error: RPC failed; HTTP 500\nfatal: expected flush after ref listing\n",
                "RPC failed; HTTP 500; expected flush after ref listing",
            ),
            ("odd words\n", "odd words"),
            ("", "git ended without a message; it may have been killed"),
        ] {
            assert_eq!(summarize_git_error_output(stderr), shown);
        }
    }
}
