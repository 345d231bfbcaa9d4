//! Files that the program opens by itself (ignore files, git's, its cache's, settings) as FIFOs, devices and files of
//! many megabytes: no call waits, none takes much memory, and the answer says what was not read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Project, Run, program};

const GOOD: &str = "def good(): pass\n";

/// The time after which a call is taken to hang. A call takes some milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the program with at most 1.5 GB of address space, and ends it where it hangs.
#[track_caller]
fn run(project: &Project, arguments: &str) -> Run {
    run_with_environment(project, arguments, &[])
}

#[track_caller]
fn run_with_environment(project: &Project, arguments: &str, environment: &[(&str, &Path)]) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\""]).arg(program()).args(arguments.split_whitespace());
    command.current_dir(project.path()).env("HOME", project.path()).env_remove("XDG_CONFIG_HOME");
    command.envs(environment.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let begin = Instant::now();
    while child.try_wait().expect("it is ours").is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().expect("it is ours");
            let run = Run::of(&child.wait_with_output().expect("it has ended"));
            panic!("{arguments} hangs: {run:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Run::of(&child.wait_with_output().expect("it has ended"))
}

fn project() -> Project {
    let project = Project::empty();
    project.write("good.py", GOOD);
    project.write("folder/other.py", "def other(): pass\n");
    project
}

fn fifo(path: &Path) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
}

/// The answer of a search, which finds the good file and says that `path` was not read, and why.
#[track_caller]
fn good_is_found_and_said(project: &Project, path: &str, why: &str) {
    let run = run(project, "grep good");
    assert!(run.stdout.contains("good.py"), "{path}: {run:?}");
    assert!(run.stdout.contains(path) && run.stdout.contains(why), "{path}: {run:?}");
    let symbols = self::run(project, "find-symbols good --match exact");
    assert!(symbols.stdout.contains("def good()"), "{path}: {symbols:?}");
}

#[test]
fn ignore_files_that_are_fifos_or_devices() {
    for name in [".gitignore", ".ignore", ".rgignore", "folder/.gitignore"] {
        let project = project();
        fifo(&project.path().join(name));
        good_is_found_and_said(&project, name, "its rules were not applied: it is not a regular file");
        fs::remove_file(project.path().join(name)).expect("it goes");
        symlink("/dev/zero", project.path().join(name)).expect("a link");
        good_is_found_and_said(&project, name, "its rules were not applied");
    }
    let project = project();
    fifo(&project.path().join(".git/info/exclude"));
    good_is_found_and_said(&project, ".git/info/exclude", "it is not a regular file");
    fs::remove_file(project.path().join(".git/info/exclude")).expect("it goes");
    symlink("/dev/zero", project.path().join(".git/info/exclude")).expect("a link");
    good_is_found_and_said(&project, ".git/info/exclude", "a symbolic link that leads out of the repository");
}

#[test]
fn ignore_files_above_the_root() {
    let project = project();
    fifo(&project.path().join(".gitignore"));
    symlink("/dev/zero", project.path().join(".ignore")).expect("a link");
    let run = run(&project, "grep other --root folder");
    assert!(run.stdout.contains("other.py") && run.stdout.contains("its rules were not applied"), "{run:?}");
    // A folder inside the root, whose parents are inside, too.
    let run = self::run(&project, "grep other folder");
    assert!(run.stdout.contains("other.py") && run.stdout.contains("its rules were not applied"), "{run:?}");
}

#[test]
fn the_global_ignore_file_and_the_configuration_that_names_it() {
    let project = project();
    let home = tempfile::tempdir().expect("a folder");
    fifo(&home.path().join(".gitconfig"));
    let run = run_with_environment(&project, "grep good", &[("HOME", home.path())]);
    assert!(run.stdout.contains("good.py") && run.stdout.contains("not a regular file"), "{run:?}");
    fs::remove_file(home.path().join(".gitconfig")).expect("it goes");
    fs::write(home.path().join(".gitconfig"), "[core]\n\texcludesFile = ~/ignored\n").expect("a file");
    symlink("/dev/zero", home.path().join("ignored")).expect("a link");
    let run = run_with_environment(&project, "grep good", &[("HOME", home.path())]);
    assert!(run.stdout.contains("good.py") && run.stdout.contains("not a regular file"), "{run:?}");
    fs::remove_file(home.path().join("ignored")).expect("it goes");
    fs::write(home.path().join("ignored"), "good.py\n").expect("a file");
    let run = run_with_environment(&project, "grep good", &[("HOME", home.path())]);
    assert_eq!(run.code, Some(1), "the global rules apply: {run:?}");
}

#[test]
fn an_ignore_file_of_many_megabytes() {
    let project = project();
    project.write(".gitignore", "a*b\n".repeat(25 << 18));
    good_is_found_and_said(&project, ".gitignore", "its rules were not applied: it has more than 262144 bytes");
    // Many files that are each small enough: as many as are needed for one folder count together.
    let mut folder = String::new();
    fs::remove_file(project.path().join(".gitignore")).expect("it goes");
    for depth in 0..6 {
        folder = format!("{folder}d{depth}/");
        project.write(&format!("{folder}.gitignore"), format!("name{depth}\n").repeat(8_000));
        project.write(&format!("{folder}deep.py"), format!("def deep_{depth}(): pass\n"));
    }
    let run = run(&project, "grep deep_");
    assert!(run.stdout.contains("deep_5"), "{run:?}");
    assert!(run.stdout.contains("with the ignore files above it"), "{run:?}");
}

/// Braces stand for themselves in ignore files, and cost nothing.
#[test]
fn braces_of_ignore_files_that_nest_deep() {
    let nested = |levels: usize| format!("*.log\n{}a{}\nother.py\n", "{".repeat(levels), "}".repeat(levels));
    for name in [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"] {
        let project = project();
        project.write(name, nested(100_000));
        project.write(".git/HEAD", "");
        let run = run(&project, "grep good");
        assert!(run.stdout.contains("good.py") && !run.stdout.contains("not applied"), "{name}: {run:?}");
        assert_eq!(self::run(&project, "grep other").code, Some(1), "{name}: the other rules apply");
    }
}

/// A link inside the root is followed; one that leads out is not, since a project's rules come with the project.
#[test]
fn an_ignore_file_that_is_a_link() {
    let project = project();
    project.write("rules", "good.py\n");
    symlink("rules", project.path().join(".gitignore")).expect("a link");
    let found = run(&project, "grep pass --files").answer();
    assert!(found.contains("other.py") && !found.contains("good.py"), "{found}");
    let outside = Project::empty();
    outside.write("rules", "good.py\n");
    fs::remove_file(project.path().join(".gitignore")).expect("it goes");
    symlink(outside.path().join("rules"), project.path().join(".gitignore")).expect("a link");
    good_is_found_and_said(&project, ".gitignore", "a symbolic link that leads out of the project");
    // A link that leads nowhere is no file, as for git.
    fs::remove_file(project.path().join(".gitignore")).expect("it goes");
    symlink("nowhere", project.path().join(".gitignore")).expect("a link");
    let run = run(&project, "grep good");
    assert!(run.stdout.contains("good.py") && !run.stdout.contains(".gitignore"), "{run:?}");
}

/// What `.git/info/exclude` says comes with the project where `.git` does: a link out of it is not followed.
#[test]
fn an_exclude_file_that_leads_out_of_the_repository() {
    let project = project();
    let outside = Project::empty();
    outside.write("rules", "good.py\n");
    project.write(".git/HEAD", "");
    std::fs::create_dir_all(project.path().join(".git/info")).expect("folders");
    let exclude = project.path().join(".git/info/exclude");
    symlink(outside.path().join("rules"), &exclude).expect("a link");
    good_is_found_and_said(&project, ".git/info/exclude", "a symbolic link that leads out of the repository");
    // The same for its folder, and for the configuration.
    fs::remove_file(&exclude).expect("it goes");
    fs::remove_dir(project.path().join(".git/info")).expect("it goes");
    fs::rename(outside.path().join("rules"), outside.path().join("exclude")).expect("a rename");
    symlink(outside.path(), project.path().join(".git/info")).expect("a link");
    good_is_found_and_said(&project, ".git/info/exclude", "a symbolic link that leads out of the repository");
    fs::remove_file(project.path().join(".git/info")).expect("it goes");
    outside.write("config", format!("[core]\nexcludesFile = {}/exclude\n", outside.path().display()));
    symlink(outside.path().join("config"), project.path().join(".git/config")).expect("a link");
    good_is_found_and_said(&project, ".git/config", "a symbolic link that leads out of the repository");
    fs::remove_file(project.path().join(".git/config")).expect("it goes");
    // One that stays inside is followed.
    project.write("own rules", "good.py\n");
    std::fs::create_dir_all(project.path().join(".git/info")).expect("folders");
    symlink("../../own rules", &exclude).expect("a link");
    assert_eq!(run(&project, "grep good").code, Some(0), "the rules file has the word");
    assert!(!run(&project, "grep good --files").stdout.contains("good.py"));
}

/// A configuration of git, and what it leaves out of a tree: git itself says whether that is right.
#[test]
fn the_configuration_of_git_names_ignored_files_as_git_reads_it() {
    let rules = "/x.py\nsub/y.py\n*.LOG\n";
    let in_home = |text: &str| vec![(".gitconfig", text.to_owned()), ("ignored", rules.to_owned())];
    let core = "[core]\n\texcludesFile = ~/ignored\n";
    // The files of the home folder, and what is added to the repository's own configuration.
    type Case = (&'static str, Vec<(&'static str, String)>, String);
    let mut cases: Vec<Case> = vec![
        ("plain", in_home(core), String::new()),
        ("quoted", in_home("[CORE] ExcludesFile = \"~/ignored\" ; a note\n"), String::new()),
        ("default", vec![(".config/git/ignore", rules.to_owned())], String::new()),
        (
            "of the user's folder",
            vec![(".config/git/config", core.to_owned()), ("ignored", rules.to_owned())],
            String::new(),
        ),
        ("empty", in_home("[core]\n\texcludesFile =\n"), String::new()),
        ("own", in_home(""), "[core]\n\texcludesFile = ~/ignored\n".to_owned()),
        ("own wins", in_home(core), "[core]\n\texcludesFile = .git/nothing\n".to_owned()),
        ("own, relative", in_home(""), "[core]\n\texcludesFile = rules of mine\n".to_owned()),
        ("case", in_home(core), "[core]\n\tignoreCase\n".to_owned()),
        ("case of the user", in_home("[core]\nignorecase = yes\nexcludesfile = ~/ignored\n"), String::new()),
        (
            "case turned off",
            in_home("[core]\nignorecase = 1\nexcludesfile = ~/ignored\n"),
            "[core]\nignorecase = off\n".to_owned(),
        ),
        ("work tree", in_home(core), "[extensions]\nworktreeConfig = true\n".to_owned()),
        ("damaged is left", in_home(core), "[core]\n\tbare = false\n".to_owned()),
    ];
    let included = |condition: &str| {
        let mut files = in_home(&format!("[{condition}]\n\tpath = more/settings\n"));
        files.push(("more/settings", "[include]\npath = last\n".to_owned()));
        files.push(("more/last", core.to_owned()));
        files
    };
    let remote = "[remote \"origin\"]\n\turl = https://example.org/a/b.git\n";
    for condition in [
        "include",
        "includeIf \"gitdir:**/.git\"",
        "includeIf \"gitdir:.git\"",
        "includeIf \"gitdir:~/\"",
        "includeIf \"gitdir:./\"",
        "includeIf \"gitdir:/nowhere/\"",
        "includeIf \"gitdir/i:**/.GIT\"",
        "includeIf \"gitdir:**/.GIT\"",
        "includeIf \"onbranch:main\"",
        "includeIf \"onbranch:ma*\"",
        "includeIf \"onbranch:other\"",
        "includeIf \"hasconfig:remote.*.url:https://example.org/**\"",
        "includeIf \"hasconfig:remote.*.url:https://example.com/**\"",
        "includeIf \"unknown:x\"",
    ] {
        cases.push((condition, included(condition), remote.to_owned()));
    }
    // The repository stands in the home folder, so that conditions can name it from there.
    for (name, files, own) in cases {
        let home = Project::empty();
        let root = home.path().join("project");
        for path in ["x.py", "sub/x.py", "sub/y.py", "sub/sub/y.py", "a.log", "b.LOG", "rules of mine", "sub/.keep"] {
            home.write(&format!("project/{path}"), if path.starts_with("rules") { rules } else { "needle\n" });
        }
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            command.args(arguments).current_dir(&root).env("HOME", home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
            command.env_remove("XDG_CONFIG_HOME").env_remove("GIT_CONFIG_GLOBAL").env_remove("GIT_DIR");
            command.output().ok().filter(|output| output.status.success())
        };
        if git(&["init", "-q", "-b", "main"]).is_none() {
            println!("skipped: there is no git");
            return;
        }
        for (path, text) in files {
            home.write(path, text);
        }
        let config = fs::read_to_string(root.join(".git/config")).expect("a file") + &own;
        home.write("project/.git/config", config);
        home.write("project/.git/config.worktree", "[core]\nexcludesFile = rules of mine\n");
        let listed = git(&["ls-files", "-o", "--exclude-standard"]).expect("git").stdout;
        let mut by_git: Vec<String> = String::from_utf8(listed).expect("text").lines().map(str::to_owned).collect();
        by_git.retain(|path| !path.starts_with("rules") && !path.ends_with(".keep"));
        by_git.sort();
        for folder in ["", "sub"] {
            let mut command = Command::new(program());
            command.args(["grep", "needle", "--files", "--json", "--root"]).arg(&root).current_dir(root.join(folder));
            command.env("HOME", home.path()).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("XDG_CONFIG_HOME");
            let run = Run::of(&command.output().expect("the program starts"));
            let shown = format!("{run:?}");
            let answer = run.json();
            let mut ours: Vec<String> = answer["files"]
                .as_array()
                .expect("files")
                .iter()
                .map(|file| file["path"].as_str().or(file["file"].as_str()).expect("a path").to_owned())
                .collect();
            ours.sort();
            assert_eq!(ours, by_git, "{name}, from {folder:?}: {shown}");
        }
    }
}

/// Whoever runs git without a configuration names the null device.
#[test]
fn the_null_device_is_an_empty_configuration() {
    let project = project();
    for variable in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        let run = run_with_environment(&project, "grep good", &[(variable, Path::new("/dev/null"))]);
        assert!(run.stdout.contains("good.py") && !run.stdout.contains("lower_bound"), "{variable}: {run:?}");
    }
}

#[test]
fn an_exclamation_mark_alone_readmits_nothing() {
    let project = project();
    project.write(".gitignore", "ignored.py\n!\n! \n");
    project.write("ignored.py", "good = 1\n");
    let run = run(&project, "grep good --files");
    assert!(run.stdout.contains("good.py") && !run.stdout.contains("ignored.py"), "{run:?}");
}

/// The rules that ripgrep has, on a tree with all kinds of ignore files.
#[test]
fn ignore_files_decide_as_ripgrep_does() {
    let project = Project::empty();
    project.write(".gitignore", "\u{feff}*.log\r\n!kept.log\n/only_here\nbuild/\nnot[closed\n");
    project.write(".ignore", "!asked.log\nquiet.py\n");
    project.write(".rgignore", "!quiet.py\n");
    project.write(".git/info/exclude", "excluded.py\n");
    project.write("sub/.gitignore", "!excluded.py\nlocal.py\n");
    project.write("inner/.git/HEAD", "ref: refs/heads/main\n");
    for path in [
        "a.log",
        "kept.log",
        "asked.log",
        "only_here",
        "sub/only_here",
        "build/x.py",
        "sub/build/x.py",
        "quiet.py",
        "excluded.py",
        "sub/excluded.py",
        "sub/local.py",
        "local.py",
        "inner/a.log",
        "inner/excluded.py",
        ".hidden.py",
    ] {
        project.write(path, "needle\n");
    }
    let listed = |arguments: &str| -> Vec<String> {
        let run = run(&project, &format!("grep needle --files --max-tokens 0 --json --root . {arguments}"));
        let answer = run.json();
        let files = answer["files"].as_array().expect("files").iter();
        let mut paths: Vec<String> =
            files.map(|file| file["path"].as_str().or(file["file"].as_str()).expect("a path").to_owned()).collect();
        paths.sort();
        paths
    };
    let by_ignore_crate = |folder: &str| -> Vec<String> {
        let start = project.path().join(folder);
        let mut builder = ignore::WalkBuilder::new(start);
        builder.add_custom_ignore_filename(".rgignore");
        let files =
            builder.build().filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|t| t.is_file()));
        let below = |path: &Path| path.strip_prefix(project.path()).expect("below").to_string_lossy().into_owned();
        let mut paths: Vec<String> = files.map(|entry| below(entry.path())).collect();
        paths.sort();
        paths
    };
    for folder in ["", "sub", "inner"] {
        assert_eq!(listed(folder), by_ignore_crate(folder), "{folder:?}");
    }
    assert_eq!(listed("").len(), 8, "{:?}", listed(""));
}

#[test]
fn files_of_git_and_of_the_cache() {
    let project = project();
    let cache = tempfile::tempdir().expect("a folder");
    for name in ["facts.lock", "facts-2.sqlite", "facts-2.sqlite-wal"] {
        fifo(&cache.path().join(name));
        let run = run_with_environment(&project, "dependencies good.py", &[("PEELBACK_CACHE_DIR", cache.path())]);
        assert!(matches!(run.code, Some(0 | 1)), "{name}: {run:?}");
        assert!(run.stdout.contains("is not a regular file"), "{name}: {run:?}");
        let run = run_with_environment(&project, "cache", &[("PEELBACK_CACHE_DIR", cache.path())]);
        assert!(format!("{run:?}").contains("not a regular file"), "{name}: {run:?}");
        fs::remove_file(cache.path().join(name)).expect("it goes");
    }
    symlink("/dev/zero", cache.path().join("facts-2.sqlite")).expect("a link");
    let run = run_with_environment(&project, "dependencies good.py", &[("PEELBACK_CACHE_DIR", cache.path())]);
    assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
    assert!(run.stdout.contains("is not a regular file"), "{run:?}");
}

#[test]
fn a_document_that_is_a_fifo_or_endless() {
    let project = project();
    fifo(&project.path().join("context.md"));
    symlink("/dev/zero", project.path().join("endless.md")).expect("a link");
    for document in ["context.md", "endless.md"] {
        for arguments in [format!("scope --check {document}"), format!("scope {document} --question what?")] {
            let run = run(&project, &arguments);
            assert!(matches!(run.code, Some(1..=3)), "{arguments}: {run:?}");
            assert!(run.stderr.contains("not a regular file"), "{arguments}: {run:?}");
        }
    }
}

/// Runs the program with a text in its standard input, which is a pipe.
#[track_caller]
fn run_with_input(project: &Project, arguments: &str, input: &str) -> Run {
    use std::io::Write as _;
    let mut command = project.command();
    command.args(arguments.split_whitespace()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that does not read it has closed the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    Run::of(&child.wait_with_output().expect("it has ended"))
}

#[test]
fn a_question_comes_from_the_standard_input_by_any_name() {
    let project = project();
    symlink("/dev/stdin", project.path().join("link")).expect("a link");
    for name in ["-", "/dev/stdin", "/dev/fd/0", "link"] {
        for tool in ["search", "find-files"] {
            let answer = run_with_input(&project, &format!("{tool} --question-file {name}"), "good\n").answer();
            assert!(answer.contains("good.py"), "{tool} {name}: {answer}");
        }
    }
    fifo(&project.path().join("pipe"));
    let run = run(&project, "search --question-file pipe");
    assert!(run.stderr.contains("- reads the standard input"), "{run:?}");
}

#[test]
fn a_link_to_a_pipe_leads_to_a_pipe() {
    let project = project();
    symlink("/dev/stdin", project.path().join("link")).expect("a link");
    for call in ["outline", "read-file", "grep good", "tree", "dependencies", "read-lines"] {
        for path in ["link", "/dev/stdin"] {
            let run = run_with_input(&project, &format!("{call} {path}"), GOOD);
            assert_eq!(run.code, Some(2), "{call} {path}: {run:?}");
            assert!(run.stderr.contains("is a FIFO, not a regular file"), "{call} {path}: {run:?}");
            assert!(run.stderr.contains("hint: write its content to a file"), "{call} {path}: {run:?}");
            assert!(!run.stderr.contains("leads nowhere"), "{call} {path}: {run:?}");
        }
    }
}
