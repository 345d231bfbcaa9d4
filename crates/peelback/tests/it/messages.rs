//! The messages of all crates, side by side: whoever changes one sees it among its neighbours, and reads it as a user will.
//!
//! A message is a string of the sources that holds two words or more: what is printed, what an error says, what a model is
//! told. Tests, documentation comments and data files are left out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

#[test]
fn the_messages_of_each_crate_read_side_by_side() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = std::fs::read_dir(&crates).expect("the crates");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort();
    assert!(folders.len() >= 10, "{folders:?}");
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let mut listed = String::new();
        for (file, messages) in messages_by_file(&folder.join("src")) {
            writeln!(listed, "{file}").expect("memory");
            for message in messages {
                writeln!(listed, "  {message}").expect("memory");
            }
        }
        insta::assert_snapshot!(name, listed);
    }
}

/// The messages of each file that has some, by the file's path from `sources`.
fn messages_by_file(sources: &Path) -> BTreeMap<String, Vec<String>> {
    let files = ignore::WalkBuilder::new(sources).build().map(|entry| entry.expect("an entry").into_path());
    let rust = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs") && !is_test(path));
    rust.filter_map(|path| {
        let text = std::fs::read_to_string(&path).expect("a source file");
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut messages = Vec::new();
        collect_messages(tokens, &mut messages);
        messages.dedup();
        let shown = path.strip_prefix(sources).expect("below").to_string_lossy().replace('\\', "/");
        (!messages.is_empty()).then_some((shown, messages))
    })
    .collect()
}

/// Whether a file below `src` holds tests or their data alone.
fn is_test(path: &Path) -> bool {
    let is_test =
        |name: &str| matches!(name, "tests" | "tests.rs" | "testing.rs" | "fixtures") || name.ends_with("_tests.rs");
    path.components().any(|part| part.as_os_str().to_str().is_some_and(is_test))
}

/// Collects the strings of `tokens` that are messages, in their order. Items below `#[cfg(test)]` and attributes are left
/// out, but for those that hold texts that users read.
fn collect_messages(tokens: TokenStream, messages: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_test_item = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!') {
                    tokens.next();
                }
                let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                let text = attribute.stream().to_string();
                is_test_item |= text.starts_with("cfg") && text.contains("test");
                if ["error", "arg", "command", "value", "schemars"].iter().any(|name| text.starts_with(name)) {
                    collect_messages(attribute.stream(), messages);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_test_item = false,
            TokenTree::Group(group) => {
                if !is_test_item {
                    collect_messages(group.stream(), messages);
                } else if group.delimiter() == proc_macro2::Delimiter::Brace {
                    is_test_item = false;
                }
            }
            TokenTree::Literal(literal) if !is_test_item => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    messages.extend(Some(text.value()).filter(|text| is_message(text)).map(|text| on_one_line(&text)));
                }
            }
            _ => {}
        }
    }
}

/// Whether a string holds two words beside each other.
fn is_message(text: &str) -> bool {
    let is_word = |word: &str| {
        let letters = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        letters.len() >= 2 && letters.chars().all(|letter| letter.is_ascii_alphabetic() || "'-_".contains(letter))
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(2).any(|pair| is_word(pair[0]) && is_word(pair[1]))
}

fn on_one_line(text: &str) -> String {
    text.trim_matches('\n').replace('\n', "\\n")
}
