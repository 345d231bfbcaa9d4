//! How many planted secrets are masked, and how many look-alikes, by form; or what is masked in the files of a folder.
//!
//! ```sh
//! cargo run --release -p peelback-secrets --example measure            # planted ones and look-alikes
//! cargo run --release -p peelback-secrets --example measure -- SEED N  # others, N of each form
//! cargo run --release -p peelback-secrets --example measure -- FOLDER  # what is masked in files, and the speed
//! ```

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "an example fails by a panic")]

#[path = "../tests/planted/mod.rs"]
mod planted;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use peelback_secrets::{find_secrets, mask_secrets};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first() {
        Some(first) if Path::new(first).is_dir() => {
            let mut sums = (0_u64, Duration::ZERO);
            arguments.iter().for_each(|folder| show_folder(Path::new(folder), &mut sums));
            eprintln!("{} bytes in {:?}", sums.0, sums.1);
        }
        first => {
            let number = |text: Option<&String>| text.and_then(|text| text.parse::<u64>().ok());
            let (seed, per_form) = (number(first).unwrap_or(17), number(arguments.get(1)).unwrap_or(8) as usize);
            show_table("planted", &planted::planted(seed, per_form), |masked, all| masked < all);
            show_table("look-alikes", &planted::lookalikes(seed, per_form), |masked, _| masked > 0);
        }
    }
}

fn show_table(what: &str, cases: &[planted::Case], is_wrong: fn(usize, usize) -> bool) {
    let mut forms: BTreeMap<&str, (usize, usize, Vec<&str>)> = BTreeMap::new();
    for case in cases {
        let masked = mask_secrets(&case.text);
        assert_eq!(masked.matches('\n').count(), case.text.matches('\n').count(), "{}", case.form);
        assert_eq!(mask_secrets(&masked), masked, "{}", case.form);
        let is_masked = !case.is_shown_in(&masked);
        let row = forms.entry(case.form).or_default();
        row.1 += 1;
        row.0 += usize::from(is_masked);
        if is_masked == (what == "look-alikes") {
            row.2.push(&case.text);
        }
    }
    let (masked, all) = forms.values().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
    println!("{what}: {masked} of {all} masked ({:.1}%), {} forms", masked as f64 * 100.0 / all as f64, forms.len());
    for (form, (masked, all, wrong)) in &forms {
        if is_wrong(*masked, *all) {
            println!("  {form}: {masked} of {all}, such as {:?}", wrong.first().unwrap_or(&""));
        }
    }
}

fn show_folder(folder: &Path, sums: &mut (u64, Duration)) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            show_folder(&path, sums);
        } else if kind.is_file() && entry.metadata().is_ok_and(|data| data.len() < 4 << 20) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let start = Instant::now();
            let found = find_secrets(&text);
            sums.1 += start.elapsed();
            sums.0 += text.len() as u64;
            for one in found {
                let line = text[..one.range.start].matches('\n').count() + 1;
                let start =
                    text[..one.range.start].rfind('\n').map_or(0, |at| at + 1).max(one.range.start.saturating_sub(70));
                let start = (start..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                let value: String = text[one.range.clone()].chars().take(80).collect();
                println!(
                    "{}\t{}:{line}\t{}\u{ab}{value}\u{bb}",
                    one.kind,
                    path.display(),
                    &text[start..one.range.start].replace('\n', "\\n")
                );
            }
        }
    }
}
