//! The cache on disk, as processes meet it: ended at any moment, damaged, foreign, not to be written.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Project, Run};

/// A project, and a cache that is none of its files.
struct Bench {
    project: Project,
    home: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { project: Project::empty(), home: tempfile::tempdir().expect("a folder") };
        bench.project.write("lib.py", "def shared(): pass\n");
        bench.project.write("main.py", "from lib import shared\nshared()\n");
        bench
    }

    fn cache(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    fn file(&self) -> PathBuf {
        self.cache().join("facts-2.sqlite")
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = self.project.command();
        command.env("PEELBACK_CACHE_DIR", self.cache()).args(arguments.split_whitespace());
        command
    }

    fn run(&self, arguments: &str) -> Run {
        Run::of(&self.command(arguments).output().expect("the program runs"))
    }

    /// What `peelback cache` says.
    fn status(&self) -> serde_json::Value {
        self.run("cache --json").json()
    }
}

const ASK: &str = "dependencies lib.py";

#[test]
fn what_one_process_found_the_next_one_has() {
    let bench = Bench::new();
    let first = bench.run(ASK).answer();
    assert!(first.contains("main.py"), "{first}");
    let status = bench.status();
    assert_eq!((&status["usable"], &status["contents"]), (&true.into(), &2.into()), "{status}");
    assert_eq!(bench.run(ASK).answer(), first);
    assert_eq!(bench.run(&format!("{ASK} --no-cache")).answer(), first);
    let text = bench.run("cache").answer();
    assert!(text.contains("contents  2") && text.contains("facts-2.sqlite"), "{text}");
    let cleared = bench.run("cache clear").answer();
    assert!(cleared.starts_with("cleared: "), "{cleared}");
    assert_eq!(bench.status()["contents"], 0);
    assert_eq!(bench.run(ASK).answer(), first);
}

#[test]
fn no_cache_is_made_where_none_is_wanted() {
    let bench = Bench::new();
    bench.run(&format!("{ASK} --no-cache")).answer();
    let off = bench.command(ASK).env("PEELBACK_CACHE", "false").output().expect("the program runs");
    Run::of(&off).answer();
    assert!(!bench.cache().exists());
}

#[test]
fn a_foreign_file_is_set_aside_with_a_notice() {
    let bench = Bench::new();
    let right = bench.run(&format!("{ASK} --no-cache")).answer();
    fs::create_dir_all(bench.cache()).expect("a folder");
    fs::write(bench.file(), "the notes of somebody else\n".repeat(200)).expect("a file");
    let answer = bench.run(ASK).answer();
    assert!(answer.contains("main.py") && answer.contains("it was moved to"), "{answer}");
    // What was there is there still, and said of in the status.
    let aside = bench.status()["set_aside"][0].as_str().expect("a path").to_owned();
    assert!(fs::read_to_string(aside).expect("a file").starts_with("the notes"));
    assert_eq!(bench.status()["contents"], 2);
    assert_eq!(bench.run(ASK).answer(), right);
}

#[test]
fn a_damaged_file_is_set_aside_with_a_notice() {
    let bench = Bench::new();
    let right = bench.run(ASK).answer();
    // The first page holds the tables; what follows, their rows.
    for from in [100, 4_096] {
        let mut bytes = fs::read(bench.file()).expect("the cache");
        bytes.iter_mut().skip(from).for_each(|byte| *byte = 0x5A);
        fs::write(bench.file(), bytes).expect("a file");
        let answer = bench.run(ASK).answer();
        assert!(answer.contains("main.py") && answer.contains("damaged"), "{from}: {answer}");
        assert_eq!(bench.run(ASK).answer(), right, "{from}");
        assert_eq!(bench.status()["usable"], true);
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_said() {
    let bench = Bench::new();
    let right = bench.run(&format!("{ASK} --no-cache")).answer();
    fs::write(bench.cache(), "a file where the folder should be").expect("a file");
    let answer = bench.run(ASK).answer();
    assert!(answer.contains("main.py") && answer.contains("cannot be used"), "{answer}");
    let kept: Vec<&str> = answer.lines().filter(|line| !line.contains("cannot be used")).collect();
    assert_eq!(kept, right.lines().collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn a_folder_without_the_right_to_write_is_done_without() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let right = bench.run(ASK).answer();
    let set = |mode| fs::set_permissions(bench.cache(), fs::Permissions::from_mode(mode)).expect("a mode");
    set(0o500);
    // Whoever may do everything writes there too.
    let may_write = fs::write(bench.cache().join("probe"), "").is_ok();
    let answer = bench.run(ASK).answer();
    assert_eq!(answer.contains("cannot be used"), !may_write, "{answer}");
    let kept: Vec<&str> = answer.lines().filter(|line| !line.contains("cannot be used")).collect();
    assert_eq!(kept, right.lines().collect::<Vec<_>>());
    set(0o700);
}

#[test]
fn a_cache_inside_the_project_is_not_used_and_that_is_said() {
    let bench = Bench::new();
    let inside = bench.project.path().join("cache");
    let run = |arguments: &str| {
        let output = bench.command(arguments).env("PEELBACK_CACHE_DIR", &inside).output().expect("the program runs");
        Run::of(&output).answer()
    };
    assert_eq!(run(ASK), bench.run(&format!("{ASK} --no-cache")).answer());
    assert!(!inside.exists());
    let status = run("cache");
    assert!(status.contains("not used: it is inside the project"), "{status}");
}

#[cfg(unix)]
mod killed {
    use std::fmt::Write as _;
    use std::fs;
    use std::io::{BufRead, BufReader, Read};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Stdio};
    use std::time::{Duration, Instant};

    use super::{Bench, Run};
    use crate::support::must_run_in_full;

    /// How many processes are killed, and how many in a full run.
    const KILLS: usize = 80;
    const KILLS_OF_FULL_RUN: usize = 200;

    /// How many share the cache at a time.
    const AT_ONCE: usize = 4;

    /// Files of the project.
    const FILES: usize = 60;

    const QUESTIONS: [&str; 2] =
        ["find-references shared --json --limit 1000", "dependencies lib.py --json --limit 1000"];

    /// New contents for a third of the files, so that there is something to write.
    fn change(bench: &Bench, round: usize) {
        for file in (0..FILES).filter(|file| round == 0 || file % 3 == round % 3) {
            let mut text = format!("from lib import shared\nROUND = {round}\n");
            for function in 0..40 {
                let _ = writeln!(text, "def f{file}_{round}_{function}(a, b):\n    return shared() + a.b(b)");
            }
            bench.project.write(&format!("p{file}.py"), text);
        }
    }

    /// Ends a process without warning: some before it answers, most while it writes what it found.
    fn kill(mut child: Child, wait: Duration, at_the_answer: bool) -> (bool, String, Option<i32>) {
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut answer = String::new();
        if at_the_answer {
            out.read_line(&mut answer).expect("an answer");
        }
        std::thread::sleep(wait);
        child.kill().expect("it is ours");
        out.read_to_string(&mut answer).expect("the rest");
        let status = child.wait().expect("it has ended");
        (status.signal() == Some(9), answer, status.code())
    }

    #[test]
    fn at_any_moment_it_does_no_harm() {
        let bench = Bench::new();
        let (mut killed, mut whole, mut round) = (0, 0, 0);
        let began = Instant::now();
        let kills = if must_run_in_full() { KILLS_OF_FULL_RUN } else { KILLS };
        while killed < kills {
            if round % 8 == 7 {
                // The moments when a cache is begun, too.
                fs::remove_dir_all(bench.cache()).expect("the cache");
            }
            change(&bench, round);
            let right = QUESTIONS.map(|question| bench.run(&format!("{question} --no-cache")).answer());
            let children: Vec<(usize, Child)> = (0..AT_ONCE)
                .map(|n| {
                    let question = (n + round) % QUESTIONS.len();
                    let mut command = bench.command(QUESTIONS[question]);
                    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                    (question, command.spawn().expect("the program runs"))
                })
                .collect();
            let ends: Vec<_> = children
                .into_iter()
                .enumerate()
                .map(|(n, (question, child))| {
                    // Other moments in each round, and in each process.
                    let spread = (round * 37 + n * 101) % 64;
                    let at_the_answer = n > 0;
                    let unit = if at_the_answer { 50 } else { 3_000 };
                    let wait = Duration::from_micros(spread as u64 * unit);
                    std::thread::spawn(move || (question, kill(child, wait, at_the_answer)))
                })
                .collect();
            for end in ends {
                let (question, (was_killed, answer, code)) = end.join().expect("it waits");
                killed += usize::from(was_killed);
                assert!(was_killed || code == Some(0), "{code:?}");
                // An answer that was given is right, whatever happened then.
                if answer.ends_with('\n') {
                    whole += 1;
                    assert_eq!(answer, right[question], "round {round}");
                }
            }
            for (question, right) in QUESTIONS.iter().zip(&right) {
                let after = bench.run(question);
                assert_eq!((after.code, after.stderr.as_str()), (Some(0), ""), "round {round}: {after:?}");
                assert_eq!(after.stdout, *right, "round {round}");
            }
            round += 1;
        }
        let status = bench.status();
        println!("{killed} killed in {round} rounds, {whole} after their answer, {:?}: {status}", began.elapsed());
        assert!(whole > killed / 3, "{whole}");
        assert_eq!(status["usable"], true, "{status}");
        assert_eq!(status["set_aside"], serde_json::json!([]), "{status}");
        // It holds what the last processes wrote.
        let held = status["contents"].as_u64().expect("a number");
        assert!(held >= FILES as u64, "{status}");
        let Run { stdout, .. } = bench.run("cache clear");
        assert!(stdout.starts_with("cleared: "), "{stdout}");
    }
}
