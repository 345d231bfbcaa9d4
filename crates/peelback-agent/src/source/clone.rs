//! Opening the Git repository at a URL as a shallow clone in a temporary scratch folder.

use std::fs;
use std::path::Path;

use peelback_code::git::{
    FailureKind, GitOutput, GitRunner, Remote, Repository, RunError, RunLimits, ScratchFolder, Transport,
    classify_git_failure, is_full_object_id, summarize_git_error_output,
};

use super::address::{self, GitReference, GitUrl};
use super::error::SourceError;
use super::opened::{OpenOptions, Opened, SourceKind};
use crate::document::repository_folder_name;

/// Clones the Git repository at `url` into a new scratch folder, and opens the clone.
pub(super) fn clone_and_open_repository(url: &GitUrl, options: &OpenOptions) -> Result<Opened, SourceError> {
    let refuse = |reason: String| SourceError::Refused { source_shown: url.to_display_url(), reason };
    if url.transport == Transport::Http && !url.is_loopback && !options.allow_http {
        return Err(refuse("http:// sends everything unencrypted: use https".to_owned()));
    }
    if let Some(folder) = url.file_url_folder()
        && !looks_like_git_repository(&folder)
    {
        return Err(refuse("there is no git repository".to_owned()));
    }
    let scratch = ScratchFolder::create_and_lock(&options.temporary_folder).map_err(|error| SourceError::Io {
        what: format!("cannot create a folder in {}", options.temporary_folder.display()),
        reason: error.to_string(),
    })?;
    let name = repository_folder_name(url.repository_name());
    let root = scratch.path().join(&name);
    let limits =
        RunLimits { deadline: options.deadline, max_bytes: options.max_bytes, cancelled: options.cancel.clone() };
    let remote = Remote { url: &url.url, transport: url.transport, credentials: url.credentials.as_deref() };
    let runner = GitRunner::new(&options.git, scratch.path(), Some(remote), &limits);
    let cloner = Cloner { runner, url, limits: &limits };
    let mut within = None;
    match &url.reference {
        None => cloner.clone_branch_or_tag(&name, None)?,
        Some(GitReference::Name(branch)) => cloner.clone_branch_or_tag(&name, Some(branch))?,
        Some(GitReference::Commit(commit)) => cloner.fetch_and_check_out_commit(&root, commit)?,
        Some(GitReference::NameAndPath(name_and_path)) => {
            let (reference, path) = cloner.split_reference_name_and_path(name_and_path)?;
            match address::parse_git_reference(&reference).map_err(refuse)? {
                GitReference::Commit(commit) => cloner.fetch_and_check_out_commit(&root, &commit)?,
                _ => cloner.clone_branch_or_tag(&name, Some(&reference))?,
            }
            within = path;
        }
    }
    let root = dunce::canonicalize(&root)
        .map_err(|error| SourceError::Io { what: "cannot open the clone".to_owned(), reason: error.to_string() })?;
    // The commit is read from the clone's own `.git` folder, so that a repository around the temporary folder is not
    // used by mistake.
    let commit = Repository::open_git_dir(&root.join(".git"), Some(&root))
        .and_then(|repository| repository.head_commit())
        .unwrap_or_default();
    Ok(Opened {
        root,
        name,
        source: url.to_display_url(),
        kind: SourceKind::Clone,
        commit,
        within,
        from_document: None,
        is_near: true,
        guard: Some(scratch),
    })
}

/// Runs git commands for one clone, and reports their errors with the clone's URL.
struct Cloner<'a> {
    runner: GitRunner<'a>,
    url: &'a GitUrl,
    limits: &'a RunLimits,
}

impl Cloner<'_> {
    fn run_git(&self, arguments: &[&str], working_folder: Option<&Path>) -> Result<GitOutput, SourceError> {
        self.runner.run(arguments, working_folder).map_err(|error| match error {
            RunError::NotStarted(reason) => SourceError::NoGit(reason),
            RunError::Cancelled => SourceError::Cancelled,
            RunError::DeadlineExceeded => {
                SourceError::Late { url: self.url.to_display_url(), seconds: self.limits.deadline.as_secs() }
            }
            RunError::TooLarge => {
                SourceError::TooLarge { url: self.url.to_display_url(), limit: self.limits.max_bytes }
            }
            RunError::Wait(reason) => SourceError::Io { what: "cannot wait for git".to_owned(), reason },
        })
    }

    /// Clones one branch or tag into the folder `name` of the scratch folder; without `branch`, clones the default
    /// branch.
    fn clone_branch_or_tag(&self, name: &str, branch: Option<&str>) -> Result<(), SourceError> {
        let template = ScratchFolder::git_template_option(0);
        let mut arguments = vec![
            "clone",
            "--quiet",
            "--depth=1",
            "--single-branch",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-local",
            &template,
        ];
        let option;
        if let Some(branch) = branch {
            option = format!("--branch={branch}");
            arguments.push(&option);
        }
        arguments.extend(["--", &self.url.url, name]);
        let output = self.run_git(&arguments, None)?;
        if output.success { Ok(()) } else { Err(self.error_of_failed_git_command(&output.stderr, branch)) }
    }

    /// Fetches a commit by its full id into the new folder `root`. The command `git clone` does not accept a commit id.
    fn fetch_and_check_out_commit(&self, root: &Path, commit: &str) -> Result<(), SourceError> {
        fs::create_dir(root).map_err(|error| SourceError::Io {
            what: "cannot create the clone's folder".to_owned(),
            reason: error.to_string(),
        })?;
        let options = ["--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"];
        let fetch: Vec<&str> = std::iter::once("fetch").chain(options).chain(["--", &self.url.url, commit]).collect();
        let template = ScratchFolder::git_template_option(1);
        for arguments in
            [&["init", "--quiet", &template][..], &fetch[..], &["checkout", "--quiet", "--detach", "FETCH_HEAD"][..]]
        {
            let output = self.run_git(arguments, Some(root))?;
            if !output.success {
                return Err(self.error_of_failed_git_command(&output.stderr, Some(commit)));
            }
        }
        Ok(())
    }

    /// Splits text such as `branch/with/slashes/and/path` into the name of a branch or tag and the path after the name.
    /// The longest name that exists in the repository wins.
    fn split_reference_name_and_path(&self, name_and_path: &str) -> Result<(String, Option<String>), SourceError> {
        if let Some((first, path)) = name_and_path.split_once('/')
            && is_full_object_id(first)
        {
            return Ok((first.to_owned(), trim_slashes_from_path(path)));
        }
        let output = self.run_git(&["ls-remote", "--quiet", "--heads", "--tags", "--", &self.url.url], None)?;
        if !output.success {
            return Err(self.error_of_failed_git_command(&output.stderr, Some(name_and_path)));
        }
        let names = output.stdout.lines().filter_map(|line| {
            let name = line.split('\t').nth(1)?;
            name.strip_prefix("refs/heads/").or_else(|| name.strip_prefix("refs/tags/"))
        });
        let is_prefix = |name: &&str| {
            name_and_path.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match names.filter(is_prefix).max_by_key(|name| name.len()) {
            Some(name) => Ok((name.to_owned(), trim_slashes_from_path(name_and_path.get(name.len()..).unwrap_or("")))),
            None => Err(self.missing_reference_error(name_and_path, "it has no branch or tag of that name".to_owned())),
        }
    }

    /// The error for a git command that failed with a message on standard error. `reference` is the branch, tag or
    /// commit that the command named.
    fn error_of_failed_git_command(&self, stderr: &str, reference: Option<&str>) -> SourceError {
        let url = self.url.url.clone();
        let message = summarize_git_error_output(stderr);
        match (classify_git_failure(stderr, self.url.transport, reference.is_some()), reference) {
            (FailureKind::MissingReference, Some(reference)) => self.missing_reference_error(reference, message),
            (FailureKind::AccessDenied, _) => SourceError::NoAccess { url, message },
            (FailureKind::NotARepository, _) => {
                SourceError::Git { url, message: "it is not a git repository".to_owned() }
            }
            (FailureKind::MissingReference | FailureKind::Other, _) => SourceError::Git { url, message },
        }
    }

    /// The error for a repository that has no branch, tag or commit named `reference`.
    fn missing_reference_error(&self, reference: &str, message: String) -> SourceError {
        // A text of hexadecimal digits may also be the name of a branch. The search for such a branch is already done
        // at this point.
        let first = reference.split('/').next().unwrap_or(reference);
        let message = if looks_like_abbreviated_commit(first) {
            "a shallow clone needs the full commit hash: give all 40 digits, or a branch".to_owned()
        } else {
            message
        };
        SourceError::NoSuchReference { url: self.url.url.clone(), reference: reference.to_owned(), message }
    }
}

/// Whether a name looks like an abbreviated commit id, which consists of the id's first digits.
fn looks_like_abbreviated_commit(name: &str) -> bool {
    (7..40).contains(&name.len()) && name.chars().all(|c| c.is_ascii_hexdigit())
}

/// Removes slashes from both ends of a path. Returns `None` if nothing is left.
fn trim_slashes_from_path(path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    (!path.is_empty()).then(|| path.to_owned())
}

/// Whether a folder looks like a Git work tree or a bare repository.
fn looks_like_git_repository(folder: &Path) -> bool {
    folder.join(".git").exists() || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}
