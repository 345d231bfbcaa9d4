//! Runs of the git program in which neither a URL, a repository nor a setting can start another program.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap};

use super::output::PipeReader;
use super::transport::Remote;

/// The time between two checks whether a running git has ended or must be ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The time between two measurements of the size of the folder that git writes to.
const SIZE_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The maximum time to wait for the rest of the output once git has ended: a process that git left running may hold the
/// pipes for hours.
const OUTPUT_GRACE: Duration = Duration::from_millis(800);

/// The maximum time that [`terminate_all_git_processes`] waits for the runs of git to end.
const TERMINATION_WAIT: Duration = Duration::from_secs(2);

/// The number of calls of [`terminate_all_git_processes`]. A runner that was created before the last call is cancelled.
static TERMINATIONS: AtomicU64 = AtomicU64::new(0);

/// The number of runs of git in progress in this process.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The environment variables that git does not inherit: they would point git at other repositories, programs or
/// transports, or make git print what it sends.
const REMOVED_VARIABLES: &[&str] = &[
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

/// The git settings of each run. Settings on the command line override those of the user and of the repository.
const SETTINGS: &[&str] = &[
    "protocol.allow=never",
    "core.fsmonitor=false",
    // A symbolic link of an untrusted repository could point anywhere. Without links, git writes a small file that
    // contains the link's target.
    "core.symlinks=false",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "transfer.bundleURI=false",
    "core.autocrlf=false",
    "advice.detachedHead=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // Files of Git LFS stay the small pointer files of the repository, even where the user has installed the filter.
    "filter.lfs.process=",
    "filter.lfs.smudge=",
    "filter.lfs.required=false",
];

/// The result of a finished run of git.
#[derive(Debug)]
pub struct GitOutput {
    /// Whether git exited with status 0.
    pub success: bool,
    /// The first 256 KiB of standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// The first 256 KiB of standard error, with invalid UTF-8 replaced and without the credentials of the remote.
    pub stderr: String,
}

/// The limits of all runs of one [`GitRunner`] together.
#[derive(Debug, Clone)]
pub struct RunLimits {
    /// The maximum time from the creation of the runner to the end of its last run.
    pub deadline: Duration,
    /// The maximum size in bytes of the files in the runner's folder.
    pub max_bytes: u64,
    /// A flag that ends the current run as soon as it is `true`, for example on Ctrl-C.
    pub cancelled: Arc<AtomicBool>,
}

/// Why a run of git has no result.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The program could not be started; the text is the system's message.
    #[error("git could not be started ({0})")]
    NotStarted(String),
    /// The run was cancelled, or ended by [`terminate_all_git_processes`].
    #[error("git was cancelled")]
    Cancelled,
    /// The deadline of [`RunLimits`] passed.
    #[error("git was ended at its deadline")]
    DeadlineExceeded,
    /// The folder passed [`RunLimits::max_bytes`].
    #[error("git was ended at its size limit")]
    TooLarge,
    /// The system could not say whether git has ended; the text is its message.
    #[error("cannot wait for git: {0}")]
    Wait(String),
}

/// Runs git for one purpose, in one folder and with at most one remote.
pub struct GitRunner<'a> {
    program: &'a Path,
    /// The folder that the runs write to; its size is limited.
    folder: &'a Path,
    remote: Option<Remote<'a>>,
    limits: &'a RunLimits,
    started: Instant,
    /// The value of [`TERMINATIONS`] when the runner was created.
    terminations_before: u64,
}

/// Ends every git that runs in this process and waits up to two seconds for the runs, which fail as
/// [`RunError::Cancelled`]. Runners created later are not affected.
pub fn terminate_all_git_processes() {
    TERMINATIONS.fetch_add(1, Ordering::SeqCst);
    let start = Instant::now();
    while RUNNING.load(Ordering::SeqCst) > 0 && start.elapsed() < TERMINATION_WAIT {
        thread::sleep(POLL_INTERVAL / 2);
    }
}

/// A guard that counts one run in [`RUNNING`] until the guard is dropped.
struct RunningGuard;

impl RunningGuard {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<'a> GitRunner<'a> {
    /// A runner of the git at `program` that writes to `folder` and may contact `remote` alone. The deadline counts
    /// from this call.
    pub fn new(program: &'a Path, folder: &'a Path, remote: Option<Remote<'a>>, limits: &'a RunLimits) -> Self {
        let terminations_before = TERMINATIONS.load(Ordering::SeqCst);
        Self { program, folder, remote, limits, started: Instant::now(), terminations_before }
    }

    /// Runs git with `arguments` in `current_working_folder`, by default the runner's folder. A run that has to end is killed
    /// with all processes that it started.
    ///
    /// # Errors
    /// [`RunError`]. An exit status other than 0 is no error: see [`GitOutput::success`].
    pub fn run(&self, arguments: &[&str], working_folder: Option<&Path>) -> Result<GitOutput, RunError> {
        let _running = RunningGuard::new();
        if self.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        let mut command = CommandWrap::from(self.build_command(arguments, working_folder));
        // A session of its own has no terminal to ask for a password on, and is one process group to kill.
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessSession);
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        let mut child = command.spawn().map_err(|error| RunError::NotStarted(error.to_string()))?;
        let stdout = child.stdout().take().map(PipeReader::start_reading).transpose();
        let stderr = child.stderr().take().map(PipeReader::start_reading).transpose();
        let (stdout, stderr) = match (stdout, stderr) {
            (Ok(stdout), Ok(stderr)) => (stdout, stderr),
            (Err(error), _) | (_, Err(error)) => {
                let _ = child.start_kill();
                let _ = child.wait();
                return Err(RunError::NotStarted(error.to_string()));
            }
        };
        let status = match self.wait_for_exit_within_limits(child.as_mut()) {
            Ok(status) => status,
            Err(error) => {
                // The whole group is killed: the helpers that git started hold the connection.
                let _ = child.start_kill();
                let _ = child.wait();
                return Err(error);
            }
        };
        let deadline = Instant::now() + OUTPUT_GRACE;
        let text = |pipe: Option<PipeReader>| {
            pipe.map_or_else(String::new, |pipe| pipe.text_until_close_or_deadline(deadline))
        };
        let (stdout, stderr) = (text(stdout), text(stderr));
        let stderr = match self.remote {
            Some(remote) => remote.remove_credentials_from_text(&stderr),
            None => stderr,
        };
        // Processes that git left running in its group serve no purpose any more.
        let _ = child.start_kill();
        Ok(GitOutput { success: status.success(), stdout, stderr })
    }

    fn is_cancelled(&self) -> bool {
        self.limits.cancelled.load(Ordering::SeqCst) || TERMINATIONS.load(Ordering::SeqCst) != self.terminations_before
    }

    /// Waits until git ends by itself, or fails where a limit is reached first; git still runs after a failure.
    fn wait_for_exit_within_limits(&self, child: &mut dyn ChildWrapper) -> Result<ExitStatus, RunError> {
        let mut last_measured = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => return Err(RunError::Wait(error.to_string())),
            }
            if self.is_cancelled() {
                return Err(RunError::Cancelled);
            }
            if self.started.elapsed() > self.limits.deadline {
                return Err(RunError::DeadlineExceeded);
            }
            if last_measured.elapsed() > SIZE_CHECK_INTERVAL {
                if folder_size_up_to_limit(self.folder, self.limits.max_bytes) > self.limits.max_bytes {
                    return Err(RunError::TooLarge);
                }
                last_measured = Instant::now();
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// The command for one run of git, with its arguments and environment.
    fn build_command(&self, arguments: &[&str], working_folder: Option<&Path>) -> Command {
        let mut command = Command::new(self.program);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        let hooks = if cfg!(windows) { "core.hooksPath=NUL" } else { "core.hooksPath=/dev/null" };
        command.args(["-c", hooks]);
        let transport = self.remote.map(|remote| remote.transport.as_str());
        if let Some(transport) = transport {
            command.args(["-c", &format!("protocol.{transport}.allow=always")]);
        }
        command.args(arguments).current_dir(working_folder.unwrap_or(self.folder));
        for name in REMOVED_VARIABLES {
            command.env_remove(name);
        }
        command
            // `GIT_ALLOW_PROTOCOL` overrides the settings of protocols, those of the user too. An empty list allows no
            // protocol.
            .env("GIT_ALLOW_PROTOCOL", transport.unwrap_or(""))
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("SSH_ASKPASS_REQUIRE", "never")
            // Error messages are classified by their English text.
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if std::env::var_os("GIT_ASKPASS").is_none() {
            // A password dialog would wait for a person where nobody is present.
            command.env_remove("SSH_ASKPASS");
        }
        self.set_credentials_through_environment(&mut command);
        command
    }

    /// Adds a setting that puts the remote's credentials into its URL, through the environment: arguments are visible
    /// to every user of the machine, and git writes a remote's URL into the clone.
    fn set_credentials_through_environment(&self, command: &mut Command) {
        let Some(Remote { url, credentials: Some(credentials), .. }) = self.remote else { return };
        let Some((scheme, rest)) = url.split_once("://") else { return };
        let count = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<u32>().ok()).unwrap_or(0);
        command
            .env("GIT_CONFIG_COUNT", (count + 1).to_string())
            .env(format!("GIT_CONFIG_KEY_{count}"), format!("url.{scheme}://{credentials}@{rest}.insteadOf"))
            .env(format!("GIT_CONFIG_VALUE_{count}"), url);
    }
}

/// The total size in bytes of all files below `folder`; counting stops once the total passes `limit`.
fn folder_size_up_to_limit(folder: &Path, limit: u64) -> u64 {
    let mut total: u64 = 0;
    let mut pending: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                pending.push(entry.path());
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
