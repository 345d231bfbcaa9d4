//! Sources: clones from a real git server, over http and from files, and what must never reach git.

#[path = "git/server.rs"]
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use peelback_agent::source::{OpenOptions, Opened, Source, SourceError, SourceKind, open, sweep_orphans};
use server::{GitServer, Manner};

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
struct Place {
    folder: tempfile::TempDir,
    options: OpenOptions,
}

impl Place {
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
        open(&Source::parse(text)?, &self.options)
    }

    fn left(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.path()).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
    }
}

#[test]
fn a_clone_is_there_while_it_is_held() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Open);
    for url in [fixture.file_url(), server.url("tool.git")] {
        let place = Place::new();
        let opened = place.open(&url).expect(&url);
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
        assert_eq!(sweep_orphans(place.folder.path()), Vec::<PathBuf>::new(), "a clone in use stays");
        drop(opened);
        assert_eq!(place.left(), Vec::<PathBuf>::new());
    }
}

/// Hooks and filters that the user has for repositories of his own run for no clone, whichever the repository asks for.
#[cfg(unix)]
#[test]
fn no_hook_and_no_filter_runs() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Open);
    for hooks in ["[init]\n\ttemplateDir = {home}/template\n", "[core]\n\thooksPath = {home}/template/hooks\n"] {
        let mut place = Place::new();
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
        place.options.git = its_git;
        for url in [fixture.file_url(), server.url("tool.git")] {
            for url in [url.clone(), format!("{url}#{}", fixture.last), format!("{url}#feature/x")] {
                let opened = place.open(&url).expect(&url);
                assert_eq!(fs::read_to_string(opened.root.join("src/main.rs")).expect("a file"), "fn main() {}\n");
                assert_eq!(what_ran(), Vec::<String>::new(), "{url}");
            }
        }
        assert_eq!(place.left(), Vec::<PathBuf>::new());
    }
}

/// A folder of the clone's own lies beside it.
#[test]
fn a_repository_may_have_any_name() {
    let fixture = Fixture::new();
    for name in ["lock", ".lock", ".template", "info"] {
        fs::rename(fixture.folder.path().join("tool.git"), fixture.folder.path().join(name)).expect("renamed");
        let place = Place::new();
        let url = format!("file://{}/{name}", fixture.folder.path().display());
        let opened = place.open(&url).expect(name);
        assert!(opened.root.join("src/main.rs").exists(), "{name}");
        fs::rename(fixture.folder.path().join(name), fixture.folder.path().join("tool.git")).expect("renamed");
    }
}

#[test]
fn branches_and_commits_are_cloned() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Open);
    for url in [fixture.file_url(), server.url("tool.git")] {
        let place = Place::new();
        let branch = place.open(&format!("{url}#feature/x")).expect("a branch");
        assert!(branch.root.join("src/extra.rs").exists());
        let commit = place.open(&format!("{url}#{}", fixture.first)).expect("a commit");
        assert_eq!(commit.commit.as_deref(), Some(fixture.first.as_str()));
        assert!(!commit.root.join("data.bin").exists());
    }
    // What a web page's address says of a branch with a slash, and a folder.
    let place = Place::new();
    let page = format!("{}/-/tree/feature/x/src", server.url("tool.git"));
    let opened = place.open(&page).expect("a page");
    assert!(opened.root.join("src/extra.rs").exists());
    assert_eq!(opened.within.as_deref(), Some("src"));
}

#[test]
fn what_is_missing_leaves_nothing_behind() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Open);
    let place = Place::new();
    for url in [fixture.file_url(), server.url("tool.git")] {
        let missing = place.open(&format!("{url}#nowhere"));
        assert!(
            matches!(&missing, Err(SourceError::NoSuchReference { reference, .. }) if reference == "nowhere"),
            "{missing:?}"
        );
        let missing = place.open(&format!("{url}#{}", "0".repeat(40)));
        assert!(matches!(missing, Err(SourceError::NoSuchReference { .. } | SourceError::Git { .. })), "{missing:?}");
        assert_eq!(place.left(), Vec::<PathBuf>::new());
    }
    assert!(matches!(place.open(&server.url("none.git")), Err(SourceError::Git { .. })));
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

#[test]
fn no_access_is_said_without_the_password() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Locked);
    let place = Place::new();
    let refused = place.open(&server.url("tool.git"));
    assert!(matches!(refused, Err(SourceError::NoAccess { .. })), "{refused:?}");
    let wrong = place.open(&server.url("tool.git").replace("//", "//ann:wr0ngpass@")).expect_err("a wrong password");
    assert!(!format!("{wrong} {wrong:?}").contains("wr0ngpass"), "{wrong:?}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
    // The right one opens, and is nowhere in what is shown or written.
    let opened = place.open(&server.url("tool.git").replace("//", "//ann:s3cr3t@")).expect("a clone");
    assert_eq!(opened.source, server.url("tool.git"));
    assert!(!fs::read_to_string(opened.root.join(".git/config")).expect("a file").contains("s3cr3t"));
    assert!(!format!("{opened:?}").contains("s3cr3t"));
}

#[test]
fn a_cancelled_clone_ends_at_once() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Stalling);
    let place = Place::new();
    let (cancel, waits) = (place.options.cancel.clone(), server.waits.clone());
    let canceller = thread::spawn(move || {
        until(|| waits.load(Ordering::SeqCst));
        cancel.store(true, Ordering::SeqCst);
        Instant::now()
    });
    let ended = place.open(&server.url("tool.git"));
    assert!(canceller.join().expect("a thread").elapsed() < Duration::from_secs(3));
    assert!(matches!(ended, Err(SourceError::Cancelled)), "{ended:?}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
    assert_eq!(running(&server), Vec::<u32>::new(), "git's helpers ended with it");
}

#[test]
fn a_clone_that_takes_too_long_is_ended() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Stalling);
    let mut place = Place::new();
    place.options.deadline = Duration::from_millis(700);
    let ended = place.open(&server.url("tool.git"));
    assert!(matches!(ended, Err(SourceError::Late { .. })), "{ended:?}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_git_leaves_nothing_behind() {
    let fixture = Fixture::new();
    let server = GitServer::start(fixture.folder.path(), Manner::Stalling);
    let place = Place::new();
    let ended = thread::scope(|scope| {
        let clone = scope.spawn(|| place.open(&server.url("tool.git")));
        until(|| server.waits.load(Ordering::SeqCst));
        for process in running(&server) {
            Command::new("kill").args(["-KILL", &process.to_string()]).status().expect("kill runs");
        }
        clone.join().expect("a thread")
    });
    assert!(matches!(ended, Err(SourceError::Git { .. })), "{ended:?}");
    assert_eq!(place.left(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_dead_process_left_is_swept() {
    let place = Place::new();
    let orphan = place.folder.path().join("peelback-clone-999999999-abc");
    fs::create_dir_all(orphan.join("tool/.git")).expect("a folder");
    fs::write(orphan.join(".lock"), "").expect("a file");
    let other = place.folder.path().join("another");
    fs::create_dir(&other).expect("a folder");
    // One that is being made has no lock yet.
    let young = place.folder.path().join("peelback-clone-999999999-new");
    fs::create_dir(&young).expect("a folder");
    assert_eq!(sweep_orphans(place.folder.path()), std::slice::from_ref(&orphan));
    assert!(!orphan.exists() && other.exists() && young.exists());
}

#[test]
fn hostile_addresses_never_reach_git() {
    let mut place = Place::new();
    let ran = place.folder.path().join("ran");
    // A git that tells that it ran.
    let program = place.folder.path().join("git");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).expect("a file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    place.options.git = program;
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
        let refused = place.open(address);
        assert!(matches!(refused, Err(SourceError::Refused { .. })), "{address:?}: {refused:?}");
        assert!(!ran.exists(), "{address:?} made git run");
    }
    assert_eq!(place.left(), [place.options.git.clone()]);
}

#[test]
fn folders_and_documents_are_opened() {
    let fixture = Fixture::new();
    let place = Place::new();
    let folder = place.folder.path().join("app");
    git(place.folder.path(), &["clone", "--quiet", &fixture.file_url(), "app"]);
    let opened = place.open("app").expect("a folder");
    assert_eq!(opened.root, fs::canonicalize(&folder).expect("a folder"));
    assert_eq!((opened.name.as_str(), opened.commit.as_deref()), ("app", Some(fixture.last.as_str())));
    let document = place.folder.path().join("context.md");
    let named =
        |source: &str| fs::write(&document, format!("---\nsource_repo: {source}\n---\n\n# A\n")).expect("a file");
    named("app");
    assert_eq!(place.open("context.md").expect("a folder").root, opened.root);
    named(&fixture.file_url());
    assert_eq!(place.open("context.md").expect("a clone").kind, SourceKind::Clone);
    named("ext::sh -c id");
    assert!(matches!(place.open("context.md"), Err(SourceError::Refused { .. })));
    named("context.md");
    assert!(matches!(place.open("context.md"), Err(SourceError::Document { .. })));
    assert!(matches!(place.open("nothing"), Err(SourceError::NotFound(_))));
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
