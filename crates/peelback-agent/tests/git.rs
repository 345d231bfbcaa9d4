//! Sources: clones from a real git server, over http and from files, and what must never reach git.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

#[path = "git/server.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use peelback_agent::source::{
    OpenOptions, Opened, Source, SourceError, SourceKind, open_code_source, remove_orphaned_scratch_folders,
};
use server::{GitServer, ServerBehaviour};

fn git(folder: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "protocol.file.allow=always",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git runs");
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

/// A bare repository `tool.git` with two commits on `main`, a branch `feature/x`, and things that want to run.
struct Fixture {
    folder: tempfile::TempDir,
    first: String,
    last: String,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let work = folder.path().join("work");
        let path = work.display().to_string();
        git(folder.path(), &["init", "--quiet", "--initial-branch=main", &path]);
        fs::create_dir(work.join("src")).expect("a folder");
        fs::write(work.join("src/main.rs"), "fn main() {}\n").expect("a file");
        git(&work, &["add", "."]);
        git(&work, &["commit", "--quiet", "-m", "one"]);
        let first = git(&work, &["rev-parse", "HEAD"]);
        git(&work, &["checkout", "--quiet", "-b", "feature/x"]);
        fs::write(work.join("src/extra.rs"), "fn extra() {}\n").expect("a file");
        git(&work, &["add", "."]);
        git(&work, &["commit", "--quiet", "-m", "branch"]);
        git(&work, &["checkout", "--quiet", "main"]);
        // A filter, a submodule and a link, as a hostile repository would have them.
        fs::write(work.join(".gitattributes"), "*.rs filter=evil\n*.bin filter=lfs diff=lfs merge=lfs\n")
            .expect("a file");
        fs::write(work.join(".gitmodules"), format!("[submodule \"sub\"]\n\tpath = sub\n\turl = file://{path}\n"))
            .expect("a file");
        fs::write(work.join("data.bin"), "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
            .expect("a file");
        git(
            &work,
            &["-c", "filter.lfs.clean=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false", "add", "."],
        );
        git(&work, &["update-index", "--add", "--cacheinfo", &format!("160000,{first},sub")]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/etc/passwd", work.join("link")).expect("a link");
            git(&work, &["add", "link"]);
        }
        git(&work, &["commit", "--quiet", "-m", "two"]);
        let last = git(&work, &["rev-parse", "HEAD"]);
        git(folder.path(), &["clone", "--quiet", "--bare", &path, "tool.git"]);
        let bare = folder.path().join("tool.git");
        git(&bare, &["config", "uploadpack.allowReachableSHA1InWant", "true"]);
        git(&bare, &["config", "http.receivepack", "false"]);
        fs::remove_dir_all(&work).expect("removed");
        Self { folder, first, last }
    }

    fn file_url(&self) -> String {
        format!("file://{}/tool.git", self.folder.path().display())
    }
}

/// Options whose clones go to a folder that a test can look at.
struct Environment {
    folder: tempfile::TempDir,
    options: OpenOptions,
}

impl Environment {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = OpenOptions {
            temporary_folder: folder.path().to_owned(),
            working_folder: folder.path().to_owned(),
            deadline: Duration::from_secs(30),
            ..OpenOptions::default()
        };
        Self { folder, options }
    }

    fn open(&self, text: &str) -> Result<Opened, SourceError> {
        open_code_source(&Source::parse(text)?, &self.options)
    }

    fn left(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }
}

#[test]
fn a_clone_is_there_while_it_is_held() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Open);
    for url in [fixture.file_url(), server.url("tool.git")] {
        let environment = Environment::new();
        let opened = environment.open(&url).expect(&url);
        assert_eq!((opened.name.as_str(), opened.kind), ("tool", SourceKind::Clone));
        assert_eq!(opened.commit.as_deref(), Some(fixture.last.as_str()));
        assert_eq!(opened.source, url);
        assert_eq!(fs::read_to_string(opened.root.join("src/main.rs")).expect("a file"), "fn main() {}\n");
        assert_eq!(git(&opened.root, &["rev-list", "--count", "HEAD"]), "1", "shallow");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(opened.root.parent().expect("a folder")).expect("a folder").permissions().mode();
            assert_eq!(mode & 0o077, 0, "only its owner reads it");
            assert!(
                fs::symlink_metadata(opened.root.join("link")).expect("a file").is_file(),
                "a link is a small file"
            );
        }
        // Nothing of what the repository brings along came to run.
        assert_eq!(fs::read_dir(opened.root.join("sub")).map_or(0, Iterator::count), 0, "no submodule");
        assert!(fs::read_to_string(opened.root.join("data.bin")).expect("a file").starts_with("version"), "a pointer");
        assert!(!opened.root.join(".git/hooks").exists(), "no hooks");
        assert_eq!(
            remove_orphaned_scratch_folders(environment.folder.path()),
            Vec::<PathBuf>::new(),
            "a clone in use stays"
        );
        drop(opened);
        assert_eq!(environment.left(), Vec::<PathBuf>::new());
    }
}

/// Hooks and filters that the user has for repositories of his own run for no clone, whichever the repository asks for.
#[cfg(unix)]
#[test]
fn no_hook_and_no_filter_runs() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Open);
    for hooks in ["[init]\n\ttemplateDir = {home}/template\n", "[core]\n\thooksPath = {home}/template/hooks\n"] {
        let mut environment = Environment::new();
        let home = tempfile::tempdir().expect("a folder");
        let ran = home.path().join("ran");
        fs::create_dir(&ran).expect("a folder");
        let at = |name: &str| home.path().join(name).display().to_string();
        let program = |path: &Path, text: &str| {
            fs::write(path, text).expect("a file");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
        };
        fs::create_dir_all(home.path().join("template/hooks")).expect("a folder");
        for hook in ["post-checkout", "reference-transaction", "post-index-change"] {
            let path = home.path().join("template/hooks").join(hook);
            program(&path, &format!("#!/bin/sh\ntouch '{}/{hook}'\n", ran.display()));
        }
        let filter = |name: &str| {
            let command = format!("touch '{}/{name}'; cat", ran.display());
            format!("[filter \"{name}\"]\n\tsmudge = \"{command}\"\n\tclean = \"{command}\"\n\trequired = true\n")
        };
        let settings = format!(
            "{}[core]\n\tattributesFile = {}\n{}{}{}",
            hooks.replace("{home}", &at("")).replace("//", "/"),
            at("attributes"),
            filter("evil"),
            filter("lfs"),
            filter("own"),
        );
        fs::write(home.path().join(".gitconfig"), settings).expect("a file");
        fs::write(home.path().join("attributes"), ".gitmodules filter=own\n").expect("a file");
        let its_git = home.path().join("git");
        let script = "#!/bin/sh\nunset GIT_CONFIG_GLOBAL XDG_CONFIG_HOME\nHOME='{home}' exec git \"$@\"\n";
        program(&its_git, &script.replace("{home}", &home.path().display().to_string()));
        let what_ran = || {
            let mut names: Vec<String> = fs::read_dir(&ran)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        // A clone by hand runs all of them.
        let by_hand = Command::new(&its_git)
            .args(["clone", "--quiet", &server.url("tool.git"), &at("clone")])
            .output()
            .expect("git runs");
        assert!(by_hand.status.success(), "{}", String::from_utf8_lossy(&by_hand.stderr));
        assert_eq!(what_ran(), ["evil", "lfs", "own", "post-checkout", "post-index-change", "reference-transaction"]);
        fs::remove_dir_all(&ran).expect("removed");
        fs::create_dir(&ran).expect("a folder");
        environment.options.git = its_git;
        for url in [fixture.file_url(), server.url("tool.git")] {
            for url in [url.clone(), format!("{url}#{}", fixture.last), format!("{url}#feature/x")] {
                let opened = environment.open(&url).expect(&url);
                assert_eq!(fs::read_to_string(opened.root.join("src/main.rs")).expect("a file"), "fn main() {}\n");
                assert_eq!(what_ran(), Vec::<String>::new(), "{url}");
            }
        }
        assert_eq!(environment.left(), Vec::<PathBuf>::new());
    }
}

/// A folder of the clone's own lies beside it.
#[test]
fn a_repository_may_have_any_name() {
    let fixture = Fixture::new();
    for name in ["lock", ".lock", ".template", "info"] {
        fs::rename(fixture.folder.path().join("tool.git"), fixture.folder.path().join(name)).expect("renamed");
        let environment = Environment::new();
        let url = format!("file://{}/{name}", fixture.folder.path().display());
        let opened = environment.open(&url).expect(name);
        assert!(opened.root.join("src/main.rs").exists(), "{name}");
        fs::rename(fixture.folder.path().join(name), fixture.folder.path().join("tool.git")).expect("renamed");
    }
}

#[test]
fn branches_and_commits_are_cloned() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Open);
    for url in [fixture.file_url(), server.url("tool.git")] {
        let environment = Environment::new();
        let branch = environment.open(&format!("{url}#feature/x")).expect("a branch");
        assert!(branch.root.join("src/extra.rs").exists());
        let commit = environment.open(&format!("{url}#{}", fixture.first)).expect("a commit");
        assert_eq!(commit.commit.as_deref(), Some(fixture.first.as_str()));
        assert!(!commit.root.join("data.bin").exists());
    }
    // What a web page's address says of a branch with a slash, and a folder.
    let environment = Environment::new();
    let page = format!("{}/-/tree/feature/x/src", server.url("tool.git"));
    let opened = environment.open(&page).expect("a page");
    assert!(opened.root.join("src/extra.rs").exists());
    assert_eq!(opened.within.as_deref(), Some("src"));
}

#[test]
fn what_is_missing_leaves_nothing_behind() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Open);
    let environment = Environment::new();
    for url in [fixture.file_url(), server.url("tool.git")] {
        let missing = environment.open(&format!("{url}#nowhere"));
        assert!(
            matches!(&missing, Err(SourceError::NoSuchReference { reference, .. }) if reference == "nowhere"),
            "{missing:?}"
        );
        let missing = environment.open(&format!("{url}#{}", "0".repeat(40)));
        assert!(matches!(missing, Err(SourceError::NoSuchReference { .. } | SourceError::Git { .. })), "{missing:?}");
        assert_eq!(environment.left(), Vec::<PathBuf>::new());
    }
    assert!(matches!(environment.open(&server.url("none.git")), Err(SourceError::Git { .. })));
    assert_eq!(environment.left(), Vec::<PathBuf>::new());
}

#[test]
fn no_access_is_said_without_the_password() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Locked);
    let environment = Environment::new();
    let refused = environment.open(&server.url("tool.git"));
    assert!(matches!(refused, Err(SourceError::NoAccess { .. })), "{refused:?}");
    let wrong =
        environment.open(&server.url("tool.git").replace("//", "//ann:wr0ngpass@")).expect_err("a wrong password");
    assert!(!format!("{wrong} {wrong:?}").contains("wr0ngpass"), "{wrong:?}");
    assert_eq!(environment.left(), Vec::<PathBuf>::new());
    // The right one opens, and is nowhere in what is shown or written.
    let opened = environment.open(&server.url("tool.git").replace("//", "//ann:s3cr3t@")).expect("a clone");
    assert_eq!(opened.source, server.url("tool.git"));
    assert!(!fs::read_to_string(opened.root.join(".git/config")).expect("a file").contains("s3cr3t"));
    assert!(!format!("{opened:?}").contains("s3cr3t"));
}

#[test]
fn a_cancelled_clone_ends_at_once() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Stalling);
    let environment = Environment::new();
    let (cancel, waits) = (environment.options.cancel.clone(), server.waits.clone());
    let canceller = thread::spawn(move || {
        until(|| waits.load(Ordering::SeqCst));
        cancel.store(true, Ordering::SeqCst);
        Instant::now()
    });
    let ended = environment.open(&server.url("tool.git"));
    assert!(canceller.join().expect("a thread").elapsed() < Duration::from_secs(3));
    assert!(matches!(ended, Err(SourceError::Cancelled)), "{ended:?}");
    assert_eq!(environment.left(), Vec::<PathBuf>::new());
    assert_eq!(running(&server), Vec::<u32>::new(), "git's helpers ended with it");
}

#[test]
fn a_clone_that_takes_too_long_is_ended() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Stalling);
    let mut environment = Environment::new();
    environment.options.deadline = Duration::from_millis(700);
    let ended = environment.open(&server.url("tool.git"));
    assert!(matches!(ended, Err(SourceError::Late { .. })), "{ended:?}");
    assert_eq!(environment.left(), Vec::<PathBuf>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_git_leaves_nothing_behind() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Stalling);
    let environment = Environment::new();
    let ended = thread::scope(|scope| {
        let clone = scope.spawn(|| environment.open(&server.url("tool.git")));
        until(|| server.waits.load(Ordering::SeqCst));
        for process in running(&server) {
            Command::new("kill").args(["-KILL", &process.to_string()]).status().expect("kill runs");
        }
        clone.join().expect("a thread")
    });
    assert!(matches!(ended, Err(SourceError::Git { .. })), "{ended:?}");
    assert_eq!(environment.left(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_dead_process_left_is_swept() {
    let environment = Environment::new();
    let orphan = environment.folder.path().join("peelback-clone-999999999-abc");
    fs::create_dir_all(orphan.join("tool/.git")).expect("a folder");
    fs::write(orphan.join(".lock"), "").expect("a file");
    let other = environment.folder.path().join("another");
    fs::create_dir(&other).expect("a folder");
    // One that is being made has no lock yet.
    let young = environment.folder.path().join("peelback-clone-999999999-new");
    fs::create_dir(&young).expect("a folder");
    assert_eq!(remove_orphaned_scratch_folders(environment.folder.path()), std::slice::from_ref(&orphan));
    assert!(!orphan.exists() && other.exists() && young.exists());
}

#[test]
fn hostile_addresses_never_reach_git() {
    let mut environment = Environment::new();
    let ran = environment.folder.path().join("ran");
    // A git that tells that it ran.
    let program = environment.folder.path().join("git");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    environment.options.git = program;
    for address in [
        "--upload-pack=touch /tmp/x",
        "-oProxyCommand=touch /tmp/x",
        "ext::sh -c touch% /tmp/x",
        "EXT::sh -c id",
        "fd::17",
        "ssh://-oProxyCommand=x/y",
        "ssh://git@-oProxyCommand=x/y",
        "ssh://-oProxyCommand=x@host/y",
        "ssh://%2doProxyCommand=x/y",
        "-oProxyCommand=x@host:y",
        "git@-oProxyCommand=x:y",
        "git@host:-oProxyCommand=x",
        "git@host:--upload-pack=x",
        "ssh://host/--upload-pack=x",
        "https://host/a\nb",
        "https://host/a%0ab",
        "https://host/a b",
        "https://ho st/a",
        "https:///a/b",
        "https://host",
        "git://host/a",
        "ftp://host/a",
        "file://other-host/srv/a.git",
        "file:///etc",
        "file:///etc/passwd",
        "file:///nowhere/at/all.git",
        "http://example.com/a/b",
        "https://host/a#--upload-pack=x",
        "https://host/a#-b",
        "https://host/a#a..b",
        "https://host/a#a b",
        "https://host/a#a:b",
        "https://github.com/a/b/tree/--upload-pack=x/y",
        "https://github.com/a/b/tree/main/../../x",
        "git@host:a;touch$IFS/tmp/x",
        "git@host:`id`",
        "",
        "\u{0}",
    ] {
        let refused = environment.open(address);
        assert!(matches!(refused, Err(SourceError::Refused { .. })), "{address:?}: {refused:?}");
        assert!(!ran.exists(), "{address:?} made git run");
    }
    assert_eq!(environment.left(), [environment.options.git.clone()]);
}

#[test]
fn folders_and_documents_are_opened() {
    let fixture = Fixture::new();
    let environment = Environment::new();
    let folder = environment.folder.path().join("app");
    git(environment.folder.path(), &["clone", "--quiet", &fixture.file_url(), "app"]);
    let opened = environment.open("app").expect("a folder");
    assert_eq!(opened.root, fs::canonicalize(&folder).expect("a folder"));
    assert_eq!((opened.name.as_str(), opened.commit.as_deref()), ("app", Some(fixture.last.as_str())));
    let document = environment.folder.path().join("context.md");
    let named =
        |source: &str| fs::write(&document, format!("---\nsource_repo: {source}\n---\n\n# A\n")).expect("a file");
    named("app");
    assert_eq!(environment.open("context.md").expect("a folder").root, opened.root);
    assert_eq!(environment.open("context.md").expect("a folder").from_document, Some(document.clone()));
    named("context.md");
    assert!(matches!(environment.open("context.md"), Err(SourceError::Document { .. })));
    assert!(matches!(environment.open("nothing"), Err(SourceError::NotFound { .. })));
}

/// A git of one's own, which tells with what it ran.
#[cfg(unix)]
fn program(folder: &Path, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("fake-git");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    path
}

/// What a document names decides little: the document may come from anyone.
#[cfg(unix)]
#[test]
fn a_document_does_not_decide_what_is_read() {
    let fixture = Fixture::new();
    let mut environment = Environment::new();
    let elsewhere = tempfile::tempdir().expect("a folder");
    let ran = elsewhere.path().join("ran");
    environment.options.git = program(elsewhere.path(), &format!("echo \"$@\" >> '{}'; exit 1", ran.display()));
    let base = dunce::canonicalize(environment.folder.path()).expect("a folder");
    let (project, outside) = (base.join("project"), base.join("outside"));
    for folder in [project.join("contexts"), project.join("sub"), outside.clone()] {
        fs::create_dir_all(folder).expect("a folder");
    }
    environment.options.working_folder = project.join("sub");
    let document = |at: &Path, source: &str| {
        let path = at.join("context.md");
        fs::write(&path, format!("---\nsource_repo: {source:?}\n---\n\n# A\n")).expect("a file");
        path
    };
    let open_named = |environment: &Environment, at: &Path, source: &str| {
        let path = document(at, source);
        environment.open(path.to_str().expect("a path"))
    };
    let home = std::env::home_dir().expect("a home").display().to_string();
    let missing = base.join("gone").display().to_string();
    for (source, reason) in [
        ("/".to_owned(), "which is your home folder or contains it, not a repository"),
        (home, "which is your home folder or contains it, not a repository"),
        (missing.clone(), "but there is no such folder"),
        ("//host/share".to_owned(), "which is on another machine"),
        (fixture.file_url(), "but only https URLs in documents are followed"),
        ("http://127.0.0.1:1/a/b".to_owned(), "but only https URLs in documents are followed"),
        ("ssh://git@evil.example/x".to_owned(), "but only https URLs in documents are followed"),
        ("git@evil.example:x".to_owned(), "but only https URLs in documents are followed"),
        ("ext::sh -c id".to_owned(), "which was refused"),
    ] {
        let path = document(&project.join("contexts"), &source);
        let refused = environment.open(path.to_str().expect("a path")).expect_err(&source);
        assert!(
            matches!(refused, SourceError::NotOfDocument { .. }) && refused.is_usage_error(),
            "{source}: {refused:?}"
        );
        let text = refused.to_string();
        assert!(
            text.contains(reason) && text.contains(&source) && text.starts_with(&path.display().to_string()),
            "{text}"
        );
        assert!(text.ends_with(&format!("name the source yourself: peelback scope --check {} SOURCE", path.display())));
        assert!(!ran.exists(), "{source} made git run");
    }
    // Others are opened, and told from those that have to do with the document or the working folder.
    for far in [outside.display().to_string(), elsewhere.path().display().to_string(), "../../outside".to_owned()] {
        assert!(!open_named(&environment, &project.join("contexts"), &far).expect("a folder").is_near, "{far}");
    }
    assert!(
        open_named(&environment, &project.join("contexts"), &project.display().to_string()).expect("a folder").is_near
    );
    // A folder that holds the document, one that holds the working folder, and those inside it.
    let opened = open_named(&environment, &project.join("contexts"), &project.display().to_string()).expect("a folder");
    assert_eq!(
        (opened.root.as_path(), opened.from_document),
        (project.as_path(), Some(project.join("contexts/context.md")))
    );
    for (at, source, root) in [
        (&outside, "..", &project),
        (&outside, ".", &project.join("sub")),
        (&outside, outside.to_str().expect("a path"), &outside),
    ] {
        assert_eq!(&open_named(&environment, at, source).expect(source).root, root);
    }
    environment.options.working_folder = base.clone();
    assert_eq!(open_named(&environment, &outside, "project/sub").expect("a folder").root, project.join("sub"));
    // A link is what it leads to.
    std::os::unix::fs::symlink(elsewhere.path(), base.join("link")).expect("a link");
    assert!(!open_named(&environment, &outside, "link").expect("a folder").is_near);
    // https is followed; and what the user names is opened, with no document.
    assert!(!ran.exists());
    assert!(matches!(open_named(&environment, &outside, "https://127.0.0.1:1/a/b#main"), Err(SourceError::Git { .. })));
    assert!(fs::read_to_string(&ran).expect("git ran").contains("-- https://127.0.0.1:1/a/b b"));
    assert_eq!(environment.open(elsewhere.path().to_str().expect("a path")).expect("a folder").from_document, None);
}

#[test]
fn messages_say_what_to_name() {
    let fixture = Fixture::new();
    let environment = Environment::new();
    for (text, said) in [
        ("owner/name.rs", "https://github.com/owner/name.rs"),
        ("how does it work?", "a question goes after -q"),
        ("nothing", "give a folder, a context document or a git URL"),
        ("none.md", "give a folder, a context document or a git URL"),
    ] {
        let error = environment.open(text).expect_err(text);
        assert!(error.is_usage_error() && error.to_string().contains(said), "{error}");
    }
    assert!(!environment.open("a/b/c").expect_err("no folder").to_string().contains("github"));
    let server = GitServer::start(fixture.folder.path(), ServerBehaviour::Open);
    for url in [fixture.file_url(), server.url("tool.git"), server.url("tool.git/-/tree")] {
        let part = if url.ends_with("tree") { '/' } else { '#' };
        let short = &fixture.first[..9];
        let error = environment.open(&format!("{url}{part}{short}")).expect_err("a short hash");
        assert!(matches!(&error, SourceError::NoSuchReference { reference, .. } if reference == short), "{error:?}");
        assert!(error.is_usage_error());
        let said = "a shallow clone needs the full commit hash: give all 40 digits, or a branch";
        assert!(error.to_string().ends_with(said), "{error}");
    }
    let error = environment.open(&format!("{}#nowhere", fixture.file_url())).expect_err("no branch").to_string();
    assert!(
        error.ends_with(
            "tool.git has no branch, tag or commit nowhere: Remote branch nowhere not found in upstream origin"
        ),
        "{error}"
    );
    let error = environment.open(&server.url("none.git")).expect_err("no repository");
    assert!(!error.is_usage_error() && !error.to_string().contains("fatal:"), "{error}");
    let mut environment = Environment::new();
    environment.options.git = environment.folder.path().join("no-git");
    let error = environment.open(&fixture.file_url()).expect_err("no git");
    assert!(matches!(error, SourceError::NoGit(_)) && !error.is_usage_error());
}

/// ssh's shared connections and helpers for credentials outlive git, and hold its pipes.
#[cfg(target_os = "linux")]
#[test]
fn what_git_leaves_behind_is_not_waited_for() {
    let fixture = Fixture::new();
    for (start, ends) in [("", true), ("setsid ", false)] {
        let mut environment = Environment::new();
        let tools = tempfile::tempdir().expect("a folder");
        let child = tools.path().join("child");
        environment.options.git = program(
            tools.path(),
            &format!(
                "{start}sh -c 'echo $$ > {child}; exec sleep 60' &\nwhile ! test -s '{child}'; do sleep 0.01; done\n\
                 echo 'fatal: repository not found' >&2\nexit 128",
                child = child.display()
            ),
        );
        let begun = Instant::now();
        let error = environment.open(&fixture.file_url()).expect_err("no clone");
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        assert!(error.to_string().ends_with(": repository not found"), "{error}");
        let process = fs::read_to_string(&child).expect("a file").trim().to_owned();
        // A process that has ended may wait to be collected.
        let runs = || {
            let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            status.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
        };
        if ends {
            until(|| !runs());
        } else {
            assert!(runs(), "a session of its own is left alone");
            Command::new("kill").args(["-KILL", &process]).status().expect("kill runs");
        }
    }
}

fn until(mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "it took too long");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The processes whose arguments name the server, as git's and its helpers' do.
fn running(server: &GitServer) -> Vec<u32> {
    let needle = format!("127.0.0.1:{}/", server.port);
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|process| *process != std::process::id())
        .filter(|process| {
            let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).contains(&needle)
        })
        .collect()
}
