//! Repositories that the git program makes, read by [`Repository`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::read_error::GitReadError;
use super::repository::Repository;
use super::tree::GitEntryKind;

/// Runs git and returns its standard output without the newline at the end.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").args(settings).args(arguments).current_dir(folder).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// A repository with two commits on `main`, a branch `feature/x` merged into it, and the annotated tag `v1`.
struct Fixture {
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(format: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let fixture = Self { folder };
        let work = fixture.work();
        fs::create_dir(&work).expect("a folder");
        git(&work, &["init", "--quiet", "--initial-branch=main", &format!("--object-format={format}")]);
        fs::create_dir_all(work.join("src/deep")).expect("a folder");
        fs::write(work.join("src/main.rs"), "fn main() {}\n").expect("a file");
        fs::write(work.join("src/deep/a.txt"), "one\n").expect("a file");
        fs::write(work.join("src.txt"), "sorts between src and src/\n").expect("a file");
        git(&work, &["add", "."]);
        git(&work, &["update-index", "--chmod=+x", "src/main.rs"]);
        git(&work, &["commit", "--quiet", "-m", "one"]);
        git(&work, &["tag", "-a", "v1", "-m", "version 1"]);
        git(&work, &["checkout", "--quiet", "-b", "feature/x"]);
        fs::write(work.join("src/deep/a.txt"), "two\n").expect("a file");
        git(&work, &["commit", "--quiet", "-am", "two"]);
        git(&work, &["checkout", "--quiet", "main"]);
        fs::write(work.join("b.txt"), "b\n").expect("a file");
        git(&work, &["add", "b.txt"]);
        git(&work, &["commit", "--quiet", "-m", "three"]);
        git(&work, &["merge", "--quiet", "--no-ff", "-m", "merge", "feature/x"]);
        git(&work, &["remote", "add", "origin", "https://ann:s3cr3t@example.com/a/b.git"]);
        fixture
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn open(&self) -> Repository {
        Repository::discover(&self.work(), None).expect("readable").expect("a repository")
    }
}

fn is_missing_sha256() -> bool {
    // Git before 2.29 knows SHA-1 alone.
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["init", "--quiet", "--object-format=sha256"];
    !Command::new("git").args(arguments).current_dir(folder.path()).output().is_ok_and(|output| output.status.success())
}

/// Compares everything with the answers of git itself.
fn check_against_git(fixture: &Fixture) {
    let work = fixture.work();
    let repository = fixture.open();
    let head = git(&work, &["rev-parse", "HEAD"]);
    assert_eq!(repository.head_commit(), Ok(Some(head.clone())));
    assert_eq!(repository.head_branch(), Ok(Some("main".to_owned())));
    assert_eq!(repository.remote_url_without_credentials("origin").as_deref(), Some("https://example.com/a/b.git"));
    assert_eq!(repository.remote_url_without_credentials("other"), None);
    let short = head.get(..9).expect("digits");
    for revision in [
        "main",
        "@",
        "HEAD",
        "refs/heads/main",
        "feature/x",
        "heads/feature/x",
        "v1",
        "HEAD~1",
        "HEAD^2",
        "HEAD^2~1",
        "main^^",
        "v1^{commit}",
        short,
        &head,
    ] {
        let expected = git(&work, &["rev-parse", &format!("{revision}^{{commit}}")]);
        assert_eq!(repository.resolve_revision_to_commit_id(revision), Ok(expected), "{revision}");
    }
    for revision in ["nowhere", "HEAD~9", "HEAD^3", "abcd", "a..b", "../HEAD", "-x"] {
        assert!(
            matches!(repository.resolve_revision_to_commit_id(revision), Err(GitReadError::UnknownRevision(_))),
            "{revision}"
        );
    }
    for revision in ["HEAD", "v1"] {
        let commit = repository.resolve_revision_to_commit_id(revision).expect("a commit");
        let entries = repository.list_non_folder_entries_at_commit(&commit, 100).expect("entries");
        let listed: Vec<String> = entries
            .iter()
            .map(|entry| {
                let mode = if entry.kind == GitEntryKind::Executable { "100755" } else { "100644" };
                format!("{mode} blob {}\t{}", entry.id, entry.path)
            })
            .collect();
        assert_eq!(listed.join("\n"), git(&work, &["ls-tree", "-r", &commit]));
        for entry in &entries {
            let text = repository.read_blob(&entry.id, 1000).expect("a blob");
            assert_eq!(String::from_utf8_lossy(&text).trim(), git(&work, &["cat-file", "blob", &entry.id]));
            assert_eq!(repository.find_entry_at_path(&commit, &entry.path), Ok(Some(entry.clone())));
        }
        assert_eq!(repository.find_entry_at_path(&commit, "src/none.rs"), Ok(None));
        assert_eq!(repository.find_entry_at_path(&commit, "src/main.rs/x"), Ok(None));
        assert_eq!(
            repository.find_entry_at_path(&commit, "src").map(|entry| entry.map(|entry| entry.kind)),
            Ok(Some(GitEntryKind::Folder))
        );
    }
}

#[test]
fn loose_objects_and_references_are_read_as_git_reads_them() {
    check_against_git(&Fixture::new("sha1"));
}

#[test]
fn packed_objects_and_references_are_read_as_git_reads_them() {
    let fixture = Fixture::new("sha1");
    git(&fixture.work(), &["gc", "--quiet"]);
    assert!(!fixture.work().join(".git/refs/heads/main").exists(), "packed");
    check_against_git(&fixture);
}

#[test]
fn sha256_repositories_are_read() {
    if is_missing_sha256() {
        return;
    }
    let fixture = Fixture::new("sha256");
    assert_eq!(fixture.open().head_commit().expect("readable").map(|id| id.len()), Some(64));
    check_against_git(&fixture);
}

#[test]
fn a_linked_work_tree_and_a_submodule_have_their_own_head() {
    let fixture = Fixture::new("sha1");
    let work = fixture.work();
    git(&work, &["worktree", "add", "--quiet", "--detach", "../linked", "HEAD~1"]);
    let linked = fixture.folder.path().join("linked");
    let repository = Repository::discover(&linked, None).expect("readable").expect("a repository");
    assert_eq!(repository.head_commit(), Ok(Some(git(&linked, &["rev-parse", "HEAD"]))));
    assert_eq!(repository.head_branch(), Ok(None), "detached");
    assert_eq!(
        repository.resolve_revision_to_commit_id("main"),
        Ok(git(&work, &["rev-parse", "main"])),
        "branches are shared"
    );
    let inside = linked.join("src/deep");
    let from_inside = Repository::discover(&inside, None).expect("readable").expect("a repository");
    assert_eq!(from_inside.head_commit(), repository.head_commit());
    // The git folder of the linked work tree is in the main work tree.
    let outside = Repository::discover(&linked, Some(&linked)).expect_err("outside");
    assert_eq!(outside, GitReadError::OutOfBounds("folder"));
    Repository::discover(&linked, Some(fixture.folder.path())).expect("inside the boundary");
    let url = work.display().to_string();
    let outer = fixture.folder.path().join("outer");
    fs::create_dir(&outer).expect("a folder");
    git(&outer, &["init", "--quiet"]);
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    let submodule = Repository::discover(&outer.join("sub"), Some(&outer)).expect("readable").expect("a repository");
    assert_eq!(submodule.head_commit(), Ok(Some(git(&work, &["rev-parse", "main"]))));
}

#[test]
fn a_folder_without_a_repository_or_a_commit_has_no_head() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(Repository::discover(folder.path(), Some(folder.path())).is_ok_and(|found| found.is_none()));
    git(folder.path(), &["init", "--quiet", "--initial-branch=first"]);
    let repository = Repository::discover(folder.path(), None).expect("readable").expect("a repository");
    assert_eq!(repository.head_commit(), Ok(None));
    assert_eq!(repository.head_branch(), Ok(Some("first".to_owned())));
    assert!(matches!(repository.resolve_revision_to_commit_id("HEAD"), Err(GitReadError::UnknownRevision(_))));
    let bare = folder.path().join("bare.git");
    git(folder.path(), &["init", "--quiet", "--bare", "bare.git"]);
    assert_eq!(Repository::open_git_dir(&bare, None).expect("readable").head_commit(), Ok(None));
}

#[test]
fn limits_end_a_read() {
    let fixture = Fixture::new("sha1");
    let repository = fixture.open();
    let head = repository.resolve_revision_to_commit_id("HEAD").expect("a commit");
    let entry = repository.find_entry_at_path(&head, "src/main.rs").expect("readable").expect("an entry");
    assert!(matches!(repository.read_blob(&entry.id, 5), Err(GitReadError::TooLarge { limit: 5, .. })));
    assert!(matches!(
        repository.list_non_folder_entries_at_commit(&head, 3),
        Err(GitReadError::TooLarge { limit: 3, .. })
    ));
    assert!(matches!(repository.read_blob(&head, 1000), Err(GitReadError::WrongType { expected: "blob", .. })));
    assert!(matches!(
        repository.list_non_folder_entries_at_commit(&entry.id, 9),
        Err(GitReadError::WrongType { expected: "commit", .. })
    ));
    let missing = "0".repeat(40);
    assert_eq!(repository.read_blob(&missing, 1000), Err(GitReadError::MissingObject(missing)));
}

#[test]
fn a_shallow_clone_has_no_older_commits() {
    let fixture = Fixture::new("sha1");
    let url = format!("file://{}", fixture.work().display());
    git(fixture.folder.path(), &["-c", "protocol.file.allow=always", "clone", "--quiet", "--depth=1", &url, "shallow"]);
    let folder = fixture.folder.path().join("shallow");
    let repository = Repository::discover(&folder, None).expect("readable").expect("a repository");
    let head = repository.resolve_revision_to_commit_id("origin/main").expect("a commit");
    assert_eq!(repository.list_non_folder_entries_at_commit(&head, 100).expect("entries").len(), 4);
    assert!(repository.resolve_revision_to_commit_id("HEAD~2").is_err());
}

#[test]
fn damaged_and_hostile_repositories_are_errors() {
    let fixture = Fixture::new("sha1");
    let work = fixture.work();
    let git_dir = work.join(".git");
    let head = git(&work, &["rev-parse", "HEAD"]);
    let read_head = || {
        Repository::discover(&work, Some(fixture.folder.path()))
            .and_then(|found| found.expect("a repository").head_commit())
    };
    assert_eq!(read_head(), Ok(Some(head.clone())));
    for text in ["ref: refs/heads/../../../secret\n", "ref: refs/heads/ma\x01in\n", "nonsense\n", "ref: HEAD\n", ""] {
        fs::write(git_dir.join("HEAD"), text).expect("a file");
        assert!(read_head().is_err() || read_head() == Ok(None), "{text:?}: {:?}", read_head());
    }
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n".repeat(1000)).expect("a file");
    assert_eq!(read_head(), Err(GitReadError::UnexpectedFile("HEAD".to_owned())));
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    // A blob whose file is cut in the middle.
    let blob = git(&work, &["rev-parse", "HEAD:b.txt"]);
    let (folder, name) = blob.split_at(2);
    let path = git_dir.join("objects").join(folder).join(name);
    let bytes = fs::read(&path).expect("a loose object");
    fs::remove_file(&path).expect("removed");
    fs::write(&path, &bytes[..bytes.len() / 2]).expect("a file");
    assert!(matches!(fixture.open().read_blob(&blob, 1000), Err(GitReadError::Damaged(_))));
    // A configuration that names a format which does not exist, or includes a file.
    fs::write(git_dir.join("config"), "[include]\n\tpath = /etc/passwd\n[extensions]\n\tobjectFormat = md5\n")
        .expect("a file");
    assert!(matches!(Repository::discover(&work, None), Err(GitReadError::Unsupported(_))));
}

#[cfg(unix)]
#[test]
fn no_link_or_pipe_leads_out_of_the_repository() {
    let fixture = Fixture::new("sha1");
    let work = fixture.work();
    let git_dir = work.join(".git");
    let secret = fixture.folder.path().join("secret");
    fs::write(&secret, format!("{}\n", "a".repeat(40))).expect("a file");
    let head = fixture.open().head_commit().expect("readable").expect("a commit");
    let branch = git_dir.join("refs/heads/main");
    fs::remove_file(&branch).expect("removed");
    std::os::unix::fs::symlink(&secret, &branch).expect("a link");
    assert_eq!(fixture.open().head_commit(), Err(GitReadError::OutOfBounds("file")));
    fs::remove_file(&branch).expect("removed");
    // Reading a pipe would wait for a writer.
    assert!(Command::new("mkfifo").arg(&branch).status().expect("mkfifo runs").success());
    assert_eq!(fixture.open().head_commit(), Err(GitReadError::UnexpectedFile("refs/heads/main".to_owned())));
    fs::remove_file(&branch).expect("removed");
    fs::write(&branch, format!("{head}\n")).expect("a file");
    let (folder, name) = head.split_at(2);
    let object = git_dir.join("objects").join(folder).join(name);
    fs::remove_file(&object).expect("removed");
    assert!(Command::new("mkfifo").arg(&object).status().expect("mkfifo runs").success());
    assert_eq!(
        fixture.open().resolve_revision_to_commit_id("HEAD"),
        Err(GitReadError::UnexpectedFile("object".to_owned()))
    );
    // Objects of another repository are read only without a boundary.
    let other = Fixture::new("sha1");
    fs::write(git_dir.join("objects/info/alternates"), format!("{}/.git/objects\n", other.work().display()))
        .expect("a file");
    fs::remove_file(&object).expect("removed");
    assert!(other.open().resolve_revision_to_commit_id("HEAD").is_ok());
    let bounded = Repository::discover(&work, Some(fixture.folder.path())).expect("readable").expect("a repository");
    assert_eq!(
        bounded.resolve_revision_to_commit_id("HEAD"),
        Err(GitReadError::OutOfBounds("alternate folder of objects"))
    );
}
