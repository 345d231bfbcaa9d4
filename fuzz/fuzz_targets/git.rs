//! Git repositories that are read without git: configuration, references and objects of any contents.

use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};

use peelback_project::git::{GitReadError, Repository};

use crate::fixtures::{self, Contents};
use crate::input::{Input, joined};

/// An id of 40 digits for the object number `number`.
fn id(number: u8) -> String {
    format!("{number:02x}").repeat(20)
}

static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
    let root = fixtures::new_folder("git");
    for folder in [".git/objects", ".git/refs/heads", "linked"] {
        std::fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for number in 1..=OBJECTS {
        std::fs::create_dir_all(root.join(format!(".git/objects/{number:02x}"))).expect("a folder");
    }
    root
});

static FILES: LazyLock<Mutex<Contents>> = LazyLock::new(Mutex::default);

/// How many loose objects an input has at most.
const OBJECTS: u8 = 4;

/// A file of a loose object: its header and contents as zlib without compression.
fn loose_object(contents: &[u8]) -> Vec<u8> {
    let contents = contents.get(..contents.len().min(60_000)).unwrap_or_default();
    let length = u16::try_from(contents.len()).expect("it was cut");
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in contents {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    let mut file = vec![0x78, 0x01, 0x01];
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(contents);
    file.extend((high << 16 | low).to_be_bytes());
    file
}

/// Takes a part whose length stands in front of it, in two bytes.
fn part<'a>(input: &mut Input<'a>) -> &'a [u8] {
    let length = usize::from(input.byte()) << 8 | usize::from(input.byte());
    input.bytes(length)
}

fn parts_as_input(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        out.extend(u16::try_from(part.len()).expect("a short part").to_be_bytes());
        out.extend(*part);
    }
    out
}

fn object(kind: &str, body: &[u8]) -> Vec<u8> {
    joined(&[format!("{kind} {}\0", body.len()).as_bytes(), body])
}

pub fn seeds() -> Vec<Vec<u8>> {
    let commit = format!(
        "tree {}\nparent {}\nauthor A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\n\nmessage\n",
        id(2),
        id(1)
    );
    let raw_id = |number: u8| [number; 20];
    let tree =
        joined(&[b"100644 a.rs\0".as_slice(), &raw_id(3), b"40000 src\0", &raw_id(2), b"120000 link\0", &raw_id(3)]);
    let tag = format!("object {}\ntype commit\ntag v1\ntagger A <a@b> 1700000000 +0000\n\nx\n", id(1));
    let objects = [
        object("commit", commit.as_bytes()),
        object("tree", &tree),
        object("blob", b"text\n"),
        object("tag", tag.as_bytes()),
    ];
    let config = b"[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://ann:secret@host/a.git\n";
    let packed = format!(
        "# pack-refs with: peeled fully-peeled sorted \n{} refs/heads/main\n{} refs/tags/v1\n^{}\n",
        id(1),
        id(4),
        id(1)
    );
    let mut seeds = Vec::new();
    for (head, revision) in [
        ("ref: refs/heads/main\n".to_owned(), "HEAD~2^1"),
        (id(1), "v1^{commit}"),
        ("ref: HEAD\n".to_owned(), "0101"),
        ("ref: ../../x\n".to_owned(), "main"),
    ] {
        let loose = format!("{}\n", id(1));
        seeds.push(parts_as_input(&[
            config,
            head.as_bytes(),
            packed.as_bytes(),
            loose.as_bytes(),
            b"gitdir: ../.git\n",
            revision.as_bytes(),
            &objects[0],
            &objects[1],
            &objects[2],
            &objects[3],
        ]));
    }
    seeds
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let git = ROOT.join(".git");
    let mut files = FILES.lock().expect("one thread");
    for file in ["config", "HEAD", "packed-refs", "refs/heads/topic"] {
        files.write(git.join(file), part(&mut input));
    }
    files.write(ROOT.join("linked/.git"), part(&mut input));
    let revision = String::from_utf8_lossy(part(&mut input)).into_owned();
    for number in 1..=OBJECTS {
        let path = git.join(format!("objects/{number:02x}/{}", id(number).get(2..).expect("ASCII")));
        let contents = part(&mut input);
        if contents.is_empty() {
            files.remove(&path);
        } else {
            files.write(path, &loose_object(contents));
        }
    }
    if let Ok(repository) = Repository::open_git_dir(&git, Some(&ROOT)) {
        check(&repository, &revision);
    }
    match Repository::discover(&ROOT.join("linked"), Some(&ROOT)) {
        Ok(Some(repository)) => drop(repository.head_commit()),
        Ok(None) => panic!("there is a repository"),
        Err(error) => check_error(&error),
    }
}

fn check(repository: &Repository, revision: &str) {
    if let Err(error) = repository.head_commit() {
        check_error(&error);
    }
    let _ = repository.head_branch();
    if let Some(url) = repository.remote_url_without_credentials("origin") {
        let authority = url.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
        assert!(!(url.starts_with("http") && authority.contains('@')), "{url}");
    }
    for revision in [revision, "HEAD", "topic", &id(1)] {
        let commit = match repository.resolve_revision_to_commit_id(revision) {
            Ok(commit) => commit,
            Err(error) => {
                check_error(&error);
                continue;
            }
        };
        if let Ok(entries) = repository.list_non_folder_entries_at_commit(&commit, 200) {
            for entry in entries {
                let is_safe = entry.path.split('/').all(|part| !matches!(part, "" | "." | ".."));
                assert!(is_safe && !entry.path.contains('\0'), "{entry:?}");
            }
        }
        let _ = repository.find_entry_at_path(&commit, "src/a.rs");
    }
    let _ = repository.read_blob(&id(3), 1_000);
}

fn check_error(error: &GitReadError) {
    assert!(!error.to_string().chars().any(char::is_control), "{error:?}");
}
