//! git, run so that neither a URL nor a repository can make it do anything but clone.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::CommandWrap;

use super::address::{GitUrl, Transport};
use super::{OpenOptions, SourceError};

/// How often a running git is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How often the size of what it wrote is taken.
const SIZE_POLL: Duration = Duration::from_millis(500);

/// How long the output is waited for when git has ended: what it left running may hold the pipes for hours.
const GRACE: Duration = Duration::from_millis(800);

/// How long [`end_all`] waits for the runs to end.
const END_WAIT: Duration = Duration::from_secs(2);

/// How often all runs of this process were told to end.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// How many run now.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// git's output beyond this is not kept.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// Variables that would turn git to other repositories, programs or transports, or make it print what it sends.
const REMOVED: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_TEMPLATE_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_SHALLOW_FILE",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_CONFIG",
    "GIT_CLONE_PROTECTION_ACTIVE",
    "GIT_TRACE",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_TRACE_PACKFILE",
    "GIT_TRACE_SETUP",
    "GIT_CURL_VERBOSE",
    "GIT_PROXY_SSL_CERT_PASSWORD_PROTECTED",
];

/// Settings for one run, which come before those of the user and the repository.
const SETTINGS: &[&str] = &[
    "protocol.allow=never",
    "core.fsmonitor=false",
    // A repository's links would lead wherever it likes: as small files they say where.
    "core.symlinks=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "transfer.bundleURI=false",
    "core.autocrlf=false",
    "advice.detachedHead=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // Large files stay the pointers that they are in the repository, whatever the user has installed.
    "filter.lfs.process=",
    "filter.lfs.smudge=",
    "filter.lfs.required=false",
];

/// What a run gave.
#[derive(Debug)]
pub(super) struct Ended {
    pub success: bool,
    pub stdout: String,
    pub stderr: String,
}

/// The runs for one clone.
pub(super) struct Git<'a> {
    pub url: &'a GitUrl,
    pub options: &'a OpenOptions,
    /// The folder whose size is limited.
    folder: &'a Path,
    started: Instant,
    /// What [`ENDED`] was when it began.
    ended_before: u64,
}

/// Ends every git that runs in this process, and waits for it; what they were run for fails as cancelled.
pub(super) fn end_all() {
    ENDED.fetch_add(1, Ordering::SeqCst);
    let start = Instant::now();
    while RUNNING.load(Ordering::SeqCst) > 0 && start.elapsed() < END_WAIT {
        thread::sleep(POLL / 2);
    }
}

/// One that runs, while it is held.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<'a> Git<'a> {
    /// The runs for a clone into `folder`; the deadline counts from here.
    pub fn new(url: &'a GitUrl, options: &'a OpenOptions, folder: &'a Path) -> Self {
        Self { url, options, folder, started: Instant::now(), ended_before: ENDED.load(Ordering::SeqCst) }
    }

    fn is_cancelled(&self) -> bool {
        self.options.cancel.load(Ordering::SeqCst) || ENDED.load(Ordering::SeqCst) != self.ended_before
    }

    /// Runs git with `arguments`, until it ends, or it has to be ended with all that it started.
    pub fn run(&self, arguments: &[&str], inside: Option<&Path>) -> Result<Ended, SourceError> {
        let _running = Running::new();
        if self.is_cancelled() {
            return Err(SourceError::Cancelled);
        }
        let mut command = CommandWrap::from(self.command(arguments, inside));
        // A session of its own: no terminal to ask for a password on, and one group to end.
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessSession);
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        let mut child = command.spawn().map_err(|error| SourceError::NoGit(error.to_string()))?;
        let stdout = child.stdout().take().map(Output::of);
        let stderr = child.stderr().take().map(Output::of);
        let mut sized = Instant::now();
        let ended = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => {}
                Err(error) => {
                    break Err(SourceError::Io { what: "cannot wait for git".to_owned(), reason: error.to_string() });
                }
            }
            if self.is_cancelled() {
                break Err(SourceError::Cancelled);
            }
            if self.started.elapsed() > self.options.deadline {
                let seconds = self.options.deadline.as_secs();
                break Err(SourceError::Late { url: self.url.shown(), seconds });
            }
            if sized.elapsed() > SIZE_POLL {
                if size_of(self.folder, self.options.max_bytes) > self.options.max_bytes {
                    break Err(SourceError::TooLarge { url: self.url.shown(), limit: self.options.max_bytes });
                }
                sized = Instant::now();
            }
            thread::sleep(POLL);
        };
        if ended.is_err() {
            // The whole group: the helpers that git started hold its connection.
            let _ = child.start_kill();
            let _ = child.wait();
        }
        let status = ended?;
        let until = Instant::now() + GRACE;
        let text = |output: Option<Output>| output.map_or_else(String::new, |output| output.text(until));
        let (stdout, stderr) = (text(stdout), self.without_credentials(&text(stderr)));
        // What git left behind in its group is of no use without it.
        let _ = child.start_kill();
        Ok(Ended { success: status.success(), stdout, stderr })
    }

    fn command(&self, arguments: &[&str], inside: Option<&Path>) -> Command {
        let mut command = Command::new(&self.options.git);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let hooks = if cfg!(windows) { "core.hooksPath=NUL" } else { "core.hooksPath=/dev/null" };
        let transport = self.url.transport.as_str();
        command.args(["-c", hooks, "-c", &format!("protocol.{transport}.allow=always")]);
        command.args(arguments).current_dir(inside.unwrap_or(self.folder));
        for name in REMOVED {
            command.env_remove(name);
        }
        command
            // It outweighs the settings of protocols, the user's too.
            .env("GIT_ALLOW_PROTOCOL", transport)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("SSH_ASKPASS_REQUIRE", "never")
            // Messages are read here.
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let has_askpass = std::env::var_os("GIT_ASKPASS").is_some();
        if !has_askpass {
            // A window would ask nobody where no one watches.
            command.env_remove("SSH_ASKPASS");
        }
        self.give_credentials(&mut command);
        command
    }

    /// The credentials of the URL, by the environment: arguments are seen by every user of the machine, and a remote's
    /// URL is written into the clone.
    fn give_credentials(&self, command: &mut Command) {
        let Some(credentials) = &self.url.credentials else { return };
        let Some((scheme, rest)) = self.url.url.split_once("://") else { return };
        let given = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<u32>().ok()).unwrap_or(0);
        command
            .env("GIT_CONFIG_COUNT", (given + 1).to_string())
            .env(format!("GIT_CONFIG_KEY_{given}"), format!("url.{scheme}://{credentials}@{rest}.insteadOf"))
            .env(format!("GIT_CONFIG_VALUE_{given}"), &self.url.url);
    }

    fn without_credentials(&self, text: &str) -> String {
        let Some(credentials) = &self.url.credentials else { return text.to_owned() };
        let secret = credentials.split_once(':').map_or(credentials.as_str(), |(_, password)| password);
        let text = text.replace(&format!("{credentials}@"), "").replace(credentials.as_str(), "…");
        if secret.is_empty() { text } else { text.replace(secret, "…") }
    }

    /// The repository has no `reference`.
    pub fn no_such(&self, reference: &str, message: String) -> SourceError {
        // A branch may be called so, too: it has been looked for.
        let first = reference.split('/').next().unwrap_or(reference);
        let message = if is_short_commit(first) {
            "short commit hashes do not work with a shallow clone: give all 40 digits, or a branch".to_owned()
        } else {
            message
        };
        SourceError::NoSuchReference { url: self.url.url.clone(), reference: reference.to_owned(), message }
    }

    /// What git's words mean.
    pub fn failure(&self, stderr: &str, reference: Option<&str>) -> SourceError {
        let url = self.url.url.clone();
        let message = message(stderr);
        let lower = stderr.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let names_reference = says(&["remote branch", "couldn't find remote ref", "not our ref", "no such remote ref"]);
        match reference {
            Some(reference) if names_reference => self.no_such(reference, message),
            _ if says(&[
                "authentication failed",
                "could not read username",
                "could not read password",
                "permission denied",
                "terminal prompts disabled",
                "error: 401",
                "error: 403",
                "access denied",
                "host key verification failed",
            ]) =>
            {
                SourceError::NoAccess { url, message }
            }
            _ if self.url.transport == Transport::File && says(&["does not appear to be a git repository"]) => {
                SourceError::Git { url, message: "it is no git repository".to_owned() }
            }
            _ => SourceError::Git { url, message },
        }
    }
}

/// What git says is wrong, on one line: its last word, and what a server or ssh said before where that word says little.
fn message(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let begins = |line: &str, words: &[&str]| {
        let lower = line.to_lowercase();
        words.iter().any(|word| lower.starts_with(word))
    };
    let fatal = lines.iter().rev().find_map(|line| line.strip_prefix("fatal:")).map(str::trim);
    let causes = lines.iter().copied().filter(|line| {
        let lower = line.to_lowercase();
        begins(line, &["error:", "remote:", "ssh:"])
            || lower.contains("permission denied")
            || lower.contains("verification failed")
    });
    let is_vague = |fatal: &str| {
        let vague =
            ["could not read from remote", "the remote end hung up", "early eof", "expected ", "index-pack failed"];
        begins(fatal, &vague) || fatal.contains("error in object") || fatal.is_empty()
    };
    let told: Vec<&str> = match fatal {
        Some(fatal) if !is_vague(fatal) => vec![fatal],
        _ => causes.map(|line| line.strip_prefix("error:").unwrap_or(line).trim()).chain(fatal).collect(),
    };
    let told = if told.is_empty() { lines } else { told };
    let text: String = told.join("; ").chars().filter(|c| !c.is_control()).take(400).collect();
    if text.is_empty() { "git ended without a word; it may have been killed".to_owned() } else { text }
}

/// Whether a name looks like the first digits of a commit.
fn is_short_commit(name: &str) -> bool {
    (7..40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_hexdigit())
}

/// What comes out of a pipe, as far as it has come.
struct Output {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: mpsc::Receiver<()>,
}

impl Output {
    fn of(mut reader: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (tell, ended) = mpsc::channel();
        let out = Self { kept: kept.clone(), ended };
        // It may outlive the run: whoever holds the pipe's other end decides.
        thread::spawn(move || {
            let mut part = [0; 8192];
            loop {
                match reader.read(&mut part) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        // What is not kept is read all the same: git would wait for a reader.
                        let room = MAX_OUTPUT_BYTES.saturating_sub(kept.len()).min(count);
                        kept.extend_from_slice(part.get(..room).unwrap_or(&[]));
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            let _ = tell.send(());
        });
        out
    }

    /// What came until its end, or until `until`.
    fn text(self, until: Instant) -> String {
        let _ = self.ended.recv_timeout(until.saturating_duration_since(Instant::now()));
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// The bytes of the files below a folder; counting ends where they pass `limit`.
fn size_of(folder: &Path, limit: u64) -> u64 {
    let mut total: u64 = 0;
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                total = total.saturating_add(metadata.len());
            }
            if total > limit {
                return total;
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_says_it_is_shown() {
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
            ("", "git ended without a word; it may have been killed"),
        ] {
            assert_eq!(message(stderr), shown);
        }
    }
}
