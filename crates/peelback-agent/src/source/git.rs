//! git, run so that neither a URL nor a repository can make it do anything but clone.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::CommandWrap;

use super::address::{GitUrl, Transport};
use super::{OpenOptions, SourceError};

/// How often a running git is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How often the size of what it wrote is taken.
const SIZE_POLL: Duration = Duration::from_millis(500);

/// git's output beyond this is not kept.
const MAX_OUTPUT_BYTES: u64 = 256 * 1024;

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
    pub folder: &'a Path,
    pub started: Instant,
}

impl Git<'_> {
    /// Runs git with `arguments`, until it ends, or it has to be ended with all that it started.
    pub fn run(&self, arguments: &[&str], inside: Option<&Path>) -> Result<Ended, SourceError> {
        if self.options.cancel.load(Ordering::SeqCst) {
            return Err(SourceError::Cancelled);
        }
        let mut command = CommandWrap::from(self.command(arguments, inside));
        // A session of its own: no terminal to ask for a password on, and one group to end.
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessSession);
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        let mut child = command.spawn().map_err(|error| SourceError::NoGit(error.to_string()))?;
        let stdout = child.stdout().take().map(collect);
        let stderr = child.stderr().take().map(collect);
        let mut sized = Instant::now();
        let ended = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) => {}
                Err(error) => {
                    break Err(SourceError::Io { what: "cannot wait for git".to_owned(), reason: error.to_string() });
                }
            }
            if self.options.cancel.load(Ordering::SeqCst) {
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
        let text = |reader: Option<thread::JoinHandle<String>>| reader.and_then(|r| r.join().ok()).unwrap_or_default();
        let (stdout, stderr) = (text(stdout), self.without_credentials(&text(stderr)));
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

    /// What git's words mean.
    pub fn failure(&self, stderr: &str, reference: Option<&str>) -> SourceError {
        let url = self.url.url.clone();
        let message = message(stderr);
        let lower = stderr.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let names_reference = says(&["remote branch", "couldn't find remote ref", "not our ref", "no such remote ref"]);
        match reference {
            Some(reference) if names_reference => {
                SourceError::NoSuchReference { url, reference: reference.to_owned(), message }
            }
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

/// The lines of git's words that say what is wrong, on one line.
fn message(stderr: &str) -> String {
    let told = |line: &&str| {
        let lower = line.to_lowercase();
        ["fatal:", "error:", "remote:", "ssh:", "warning: could not find remote branch"]
            .iter()
            .any(|word| lower.starts_with(word))
            || lower.contains("permission denied")
            || lower.contains("verification failed")
    };
    let mut lines: Vec<&str> = stderr.lines().map(str::trim).filter(told).collect();
    if lines.is_empty() {
        lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    }
    let text: String = lines.join("; ").chars().filter(|c| !c.is_control()).take(400).collect();
    if text.is_empty() { "git ended without a word; it may have been killed".to_owned() } else { text }
}

fn collect(mut reader: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let _ = reader.by_ref().take(MAX_OUTPUT_BYTES).read_to_end(&mut kept);
        // What is not kept is read all the same: git would wait for a reader.
        let _ = std::io::copy(&mut reader, &mut std::io::sink());
        String::from_utf8_lossy(&kept).into_owned()
    })
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
