//! What is secret leaves through no door: planted secrets and look-alikes of all forms through answers with `secrets.mask`,
//! the server, requests to models in each protocol and to an endpoint of embeddings, recordings, documents, and what is
//! printed of them.
//!
//! ```sh
//! cargo test -p peelback --test it secrets -- --nocapture | grep '^|'
//! ```
//! prints for each door how many planted secrets came and were masked, and how many look-alikes.

mod answers;
mod doors;
mod embedding;
mod excerpts;
mod models;
mod output;
#[path = "../../../../peelback-secrets/tests/planted/mod.rs"]
mod planted;

use crate::scope::desk::Desk;

const SEED: u64 = 41;
const MASKING: (&str, &str) = ("PEELBACK_MASK_SECRETS", "true");

/// A question that holds a secret is masked in all that is made of it, and so are credentials in the remote's address.
#[test]
fn what_the_user_and_git_say_is_masked_too() {
    let token = planted::Random::new(SEED).text(36, planted::ANY);
    let token = format!("ghp_{token}");
    let desk = Desk::new();
    let run = desk.run(&["scope", &desk.root(), "-q", &format!("Where is {token} used by the depot?")]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let path = run.stdout.lines().next().unwrap_or_default().to_owned();
    let text = std::fs::read_to_string(desk.work.path().join(&path)).expect("a document");
    assert!(!text.contains(&token) && text.contains("[masked]"), "{text}");
    assert!(!path.contains(&token.to_lowercase()[4..20]), "{path}");
}

/// A reference of git that is a link to a foreign file gives no commit.
#[cfg(unix)]
#[test]
fn a_linked_head_puts_no_foreign_line_into_a_document() {
    let foreign = tempfile::tempdir().expect("a folder");
    let secret = planted::Random::new(SEED).text(40, planted::HEX);
    std::fs::write(foreign.path().join("foreign"), format!("{secret}\n")).expect("a file");
    let desk = Desk::new();
    let head = desk.project.path().join(".git/HEAD");
    let _ = std::fs::remove_file(&head);
    std::os::unix::fs::symlink(foreign.path().join("foreign"), &head).expect("a link");
    for folder in ["objects", "refs"] {
        std::fs::create_dir_all(desk.project.path().join(".git").join(folder)).expect("a folder");
    }
    for command in ["scope", "context"] {
        let root = desk.root();
        let question = ["-q", "How are parcels sent again?"];
        let mut arguments = vec![command, root.as_str(), "-o", "-"];
        if command == "scope" {
            arguments.extend(question);
        }
        let run = desk.run(&arguments);
        assert!(!run.stdout.contains(&secret) && !run.stderr.contains(&secret), "{run:?}");
    }
}
