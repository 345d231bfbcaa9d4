//! Tests of the store with its disk cache, as used by one process after another.

#![allow(clippy::pedantic, clippy::restriction, reason = "a test fails by a panic")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use super::{CacheOptions, CacheStatus, FactsStore, NamesError, clear_cache};
use crate::project::Project;
use crate::snapshot::Snapshot;

/// A project, and a separate folder for the cache.
struct Bench {
    _temp: tempfile::TempDir,
    project: Project,
    cache: std::path::PathBuf,
}

impl Bench {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let (root, cache) = (temp.path().join("project"), temp.path().join("cache"));
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("a.py"), "import b\n\ndef f():\n    return b.g()\n").expect("a file");
        fs::write(root.join("b.py"), "def g(): pass\n").expect("a file");
        fs::write(root.join("notes.md"), "# Notes\n").expect("a file");
        let project = Project::discover(Some(&root), None).expect("a folder");
        Self { _temp: temp, project, cache }
    }

    /// Creates the store of a new process.
    fn store(&self) -> Arc<FactsStore> {
        let options = CacheOptions { folder: self.cache.clone(), max_bytes: CacheOptions::MAX_BYTES };
        Arc::new(FactsStore::with_disk_cache(move || Some(options)))
    }

    /// Computes the names of all files and writes them to the cache.
    fn fill(&self) {
        let store = self.store();
        assert_eq!(names(&self.snapshot(&store)), 2);
        store.flush_to_disk();
        assert_eq!(store.take_cache_notice(), None);
    }

    fn snapshot(&self, store: &Arc<FactsStore>) -> Snapshot {
        Snapshot::of_project(&self.project, store).expect("a walk")
    }

    fn file(&self) -> std::path::PathBuf {
        self.cache.join("facts-2.sqlite")
    }
}

/// Computes the names of all files and returns the number of files that have names.
fn names(snapshot: &Snapshot) -> usize {
    let ids = 0..u32::try_from(snapshot.file_table().len()).expect("few");
    let missing = |id: &u32| snapshot.names_in_file(*id).err().and_then(NamesError::describe_for_evidence);
    let gaps: Vec<String> = ids.clone().filter_map(|id| missing(&id)).collect();
    assert_eq!(gaps, Vec::<String>::new());
    ids.filter(|id| snapshot.names_if_parsable(*id).is_some()).count()
}

/// The number of files whose module interface is known without reading the file.
fn known(snapshot: &Snapshot) -> usize {
    let ids = 0..u32::try_from(snapshot.file_table().len()).expect("few");
    ids.filter(|id| snapshot.module_interface_without_reading(*id).is_some()).count()
}

#[cfg(unix)]
#[test]
fn a_new_process_knows_what_the_last_one_found() {
    let bench = Bench::new();
    crate::signature::set_settling_time(Duration::from_secs(2));
    std::thread::sleep(Duration::from_millis(2_100));
    let store = bench.store();
    assert_eq!(known(&bench.snapshot(&store)), 0);
    bench.fill();
    let store = bench.store();
    let snapshot = bench.snapshot(&store);
    assert_eq!(known(&snapshot), 2);
    let a = snapshot.file_table().id_of_path("a.py").expect("the file");
    let fresh = bench.snapshot(&Arc::default());
    assert_eq!(snapshot.names_if_parsable(a), fresh.names_if_parsable(a));
    fs::write(bench.project.root().join("a.py"), "import c\n").expect("a file");
    let store = bench.store();
    assert_eq!(known(&bench.snapshot(&store)), 1);
    let status = CacheStatus::read_from_folder(&bench.cache);
    assert_eq!(
        (status.usable.clone(), status.contents, status.files, status.projects),
        (Ok(()), 2, 2, 1),
        "{status:?}"
    );
    clear_cache(&bench.cache).expect("it is ours");
    let status = CacheStatus::read_from_folder(&bench.cache);
    assert_eq!((status.usable, status.contents, status.files, status.projects), (Ok(()), 0, 0, 0));
    assert_eq!(known(&bench.snapshot(&bench.store())), 0);
    bench.fill();
}

#[test]
fn a_foreign_file_is_set_aside_once() {
    let bench = Bench::new();
    let foreign: &[&dyn Fn(&Path)] = &[
        &|path| fs::write(path, "no database at all, but a text of some length".repeat(100)).expect("a file"),
        &|path| {
            let other = Connection::open(path).expect("a database");
            other.execute_batch("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1);").expect("a table");
        },
        &|path| {
            let other = Connection::open(path).expect("a database");
            let ours = "PRAGMA application_id = 1885693292; PRAGMA user_version = 2; CREATE TABLE facts (a);";
            other.execute_batch(ours).expect("a table");
        },
    ];
    for make in foreign {
        let _ = fs::remove_dir_all(&bench.cache);
        fs::create_dir(&bench.cache).expect("a folder");
        make(&bench.file());
        let store = bench.store();
        assert_eq!(names(&bench.snapshot(&store)), 2);
        store.flush_to_disk();
        let notice = store.take_cache_notice().expect("a notice");
        assert!(notice.contains("it was moved to"), "{notice}");
        assert_eq!(store.take_cache_notice(), None);
        assert_eq!(CacheStatus::read_from_folder(&bench.cache).damaged_files.len(), 1);
        assert_eq!(CacheStatus::read_from_folder(&bench.cache).contents, 2);
        bench.fill();
    }
}

#[test]
fn damage_anywhere_is_noticed() {
    let bench = Bench::new();
    bench.fill();
    let whole = fs::read(bench.file()).expect("the cache");
    let expected: Vec<_> = {
        let fresh = bench.snapshot(&Arc::default());
        (0..2).map(|id| fresh.names_if_parsable(id)).collect()
    };
    // Damages the file with pages of garbage, single wrong bytes, and missing ends.
    for at in (0..whole.len()).step_by(1_021) {
        for damage in 0..3 {
            let mut damaged = whole.clone();
            match damage {
                0 => damaged.iter_mut().skip(at).take(4_096).for_each(|byte| *byte = 0xA5),
                1 => damaged[at] ^= 0x10,
                _ => damaged.truncate(at),
            }
            fs::write(bench.file(), &damaged).expect("a file");
            for end in ["-wal", "-shm"] {
                let _ = fs::remove_file(bench.cache.join(format!("facts-2.sqlite{end}")));
            }
            for _ in 0..2 {
                let store = bench.store();
                let snapshot = bench.snapshot(&store);
                let found: Vec<_> = (0..2).map(|id| snapshot.names_if_parsable(id)).collect();
                assert_eq!(found, expected, "damage {damage} at {at}");
                store.flush_to_disk();
            }
            assert!(CacheStatus::read_from_folder(&bench.cache).damaged_files.len() <= 1);
        }
    }
    bench.fill();
    assert_eq!(CacheStatus::read_from_folder(&bench.cache).usable, Ok(()));
}

#[test]
fn a_locked_cache_delays_nobody() {
    let bench = Bench::new();
    bench.fill();
    let other = Connection::open(bench.file()).expect("the cache");
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").expect("a lock");
    other.execute("DELETE FROM facts", []).expect("a write");
    let began = std::time::Instant::now();
    let store = bench.store();
    assert_eq!(names(&bench.snapshot(&store)), 2);
    store.flush_to_disk();
    assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
    assert_eq!(store.take_cache_notice(), None);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_done_without() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.fill();
    let set = |mode| fs::set_permissions(&bench.cache, fs::Permissions::from_mode(mode)).expect("a mode");
    set(0o500);
    // A user with all rights can write even to a read-only folder.
    let may_write = fs::write(bench.cache.join("probe"), "").is_ok();
    let store = bench.store();
    assert_eq!(names(&bench.snapshot(&store)), 2);
    store.flush_to_disk();
    assert_eq!(store.take_cache_notice().is_none(), may_write);
    set(0o700);
    // A file in the place of the cache folder.
    fs::remove_dir_all(&bench.cache).expect("the cache");
    fs::write(&bench.cache, "in the way").expect("a file");
    let store = bench.store();
    for round in 0..2 {
        assert_eq!(names(&bench.snapshot(&store)), 2);
        store.flush_to_disk();
        let notice = store.take_cache_notice();
        assert_eq!(notice.is_some_and(|notice| notice.contains("cannot be used")), round == 0);
    }
}

#[test]
fn a_cache_inside_the_project_is_not_used() {
    let bench = Bench::new();
    let inside = bench.project.root().join("deep/cache");
    let options = CacheOptions { folder: inside.clone(), max_bytes: CacheOptions::MAX_BYTES };
    let store = Arc::new(FactsStore::with_disk_cache(move || Some(options)));
    assert_eq!(names(&bench.snapshot(&store)), 2);
    store.flush_to_disk();
    assert!(!inside.exists() && !bench.project.root().join("deep").exists());
}

/// A text with so many functions of so long names, none of which is in the text of another round.
fn functions(round: usize, count: usize) -> String {
    (0..count).map(|n| format!("def function_{round}_{n}(a, b): return a.b.c(b)\n")).collect()
}

#[test]
fn the_cache_stays_inside_its_size() {
    let bench = Bench::new();
    let max_bytes = 1 << 20;
    for round in 0..40 {
        fs::write(bench.project.root().join("a.py"), functions(round, 400)).expect("a file");
        let options = CacheOptions { folder: bench.cache.clone(), max_bytes };
        let store = Arc::new(FactsStore::with_disk_cache(move || Some(options)));
        assert_eq!(names(&bench.snapshot(&store)), 2);
        store.flush_to_disk();
        drop(store);
        let status = CacheStatus::read_from_folder(&bench.cache);
        assert!(status.size_bytes <= max_bytes, "round {round}: {status:?}");
    }
    let status = CacheStatus::read_from_folder(&bench.cache);
    let held = fs::metadata(bench.file()).expect("the cache").len();
    assert!(status.contents > 3 && held > max_bytes / 2, "{held} {status:?}");
}

#[test]
fn a_long_write_stays_inside_the_size_of_the_cache_too() {
    let bench = Bench::new();
    let max_bytes = 1 << 20;
    // One call that finds out more than the cache holds.
    for file in 0..60 {
        fs::write(bench.project.root().join(format!("m{file}.py")), functions(file, 400)).expect("a file");
    }
    let options = CacheOptions { folder: bench.cache.clone(), max_bytes };
    let store = Arc::new(FactsStore::with_disk_cache(move || Some(options)));
    assert_eq!(names(&bench.snapshot(&store)), 62);
    store.flush_to_disk();
    drop(store);
    let status = CacheStatus::read_from_folder(&bench.cache);
    assert!(status.contents > 3 && status.size_bytes <= max_bytes, "{status:?}");
}

#[test]
fn a_cache_over_its_limit_is_begun_anew() {
    let bench = Bench::new();
    for file in 0..40 {
        fs::write(bench.project.root().join(format!("m{file}.py")), functions(file, 400)).expect("a file");
    }
    let store = bench.store();
    names(&bench.snapshot(&store));
    store.flush_to_disk();
    drop(store);
    let large = CacheStatus::read_from_folder(&bench.cache);
    assert!(large.size_bytes > 1 << 20 && large.contents == 42, "{large:?}");
    let options = CacheOptions { folder: bench.cache.clone(), max_bytes: 1 << 20 };
    let store = Arc::new(FactsStore::with_disk_cache(move || Some(options)));
    fs::write(bench.project.root().join("a.py"), "def other(): pass\n").expect("a file");
    names(&bench.snapshot(&store));
    store.flush_to_disk();
    assert_eq!(store.take_cache_notice(), None);
    drop(store);
    let small = CacheStatus::read_from_folder(&bench.cache);
    assert!(small.size_bytes <= 1 << 20 && small.contents > 0 && small.usable.is_ok(), "{small:?}");
    assert_eq!(small.damaged_files.len(), 0);
}
