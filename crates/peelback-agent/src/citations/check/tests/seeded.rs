//! Tests of the citation check with generated documents that cite this repository's own sources: some documents have
//! only correct citations, others have planted errors.

use std::fmt::Write as _;
use std::sync::LazyLock;

use peelback_code::syntax::{Lines, Symbol, SymbolKind, walk_symbols_with_depth};
use peelback_code::{SourceFile, WalkOptions};

use super::*;

/// A definition whose name occurs only once in the project.
#[derive(Clone)]
struct Known {
    path: String,
    name: String,
    simple: String,
    lines: Lines,
    is_type: bool,
    total: u32,
}

/// A pseudo-random number generator that returns an equal sequence in every run (a linear congruential generator with
/// Knuth's constants).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    fn of<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Copies some source files of this repository into a temporary project, so that the files do not change while the
/// tests run.
fn repository() -> (tempfile::TempDir, CodeAccess, Vec<Known>) {
    static SOURCES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let from = access(root);
        [
            "crates/peelback-tools/src",
            "crates/peelback-tokens/src",
            "crates/peelback-resolve/src/references",
            "crates/peelback-resolve/src/graph",
        ]
        .iter()
        .flat_map(|folder| from.project().files_in_scope(Some(folder), &WalkOptions::default()).expect("files").entries)
        // Only Rust sources are copied, because the folders also contain binary data tables.
        .filter(|place| place.path.ends_with(".rs"))
        .map(|place| (place.path.clone(), SourceFile::read(&place).expect("a source").text))
        .collect()
    });
    let files: Vec<(&str, &str)> = SOURCES.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (folder, access) = project(&files);
    let mut all: Vec<Known> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (path, _) in &files {
        let analysed = access.analyse_file(path).expect("an outline");
        names.extend(walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol.name.clone()));
        let kinds = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait];
        let fits = |symbol: &Symbol| symbol.has_unique_name && !symbol.local && kinds.contains(&symbol.kind);
        let named = walk_symbols_with_depth(&analysed.facts.symbols).filter(|(symbol, _)| fits(symbol));
        all.extend(named.map(|(symbol, _)| Known {
            path: (*path).to_owned(),
            // The name is written as a person would write it, without the header of an `impl` block.
            name: symbol.qualified_name.clone(),
            simple: symbol.name.clone(),
            lines: symbol.lines,
            is_type: !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method),
            total: analysed.file.line_count(),
        }));
    }
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let count = |name: &str| names.iter().filter(|known| *known == name).count();
    let once: Vec<Known> = all
        .iter()
        .filter(|known| count(&known.simple) == 1 && plain(&known.name) && known.lines.count() >= 4)
        .cloned()
        .collect();
    (folder, access, once)
}

/// Formats a citation in a list item, table or label, in one of six forms that documents use.
fn line(form: usize, path: &str, (first, last): (u32, u32), name: &str) -> String {
    match form % 6 {
        0 => format!("- `{path}:{first}-{last}` — `{name}` does it\n"),
        1 => format!("The work is done by `{name}` (`{path}:{first}-{last}`).\n\n"),
        2 => format!("- [`{name}`]({path}#L{first}-L{last}): as it is\n"),
        3 => format!("\n| what | where |\n| --- | --- |\n| `{name}` | `{path}:{first}-{last}` |\n\n"),
        4 => format!("- {path}:{first}-{last} - `{name}`\n"),
        _ => format!("- **`{path}:{first}-{last}`** — `{name}()`: its work\n"),
    }
}

/// Formats a citation inside a sentence of running text, in one of several forms.
fn sentence(form: usize, path: &str, (first, last): (u32, u32), name: &str) -> String {
    match form % SENTENCES {
        0 => format!("The function `{name}` is defined in `{path}:{first}-{last}` and others call it.\n\n"),
        1 => format!("All of that is left to `{name}` in `{path}:{first}-{last}`, which ends early.\n\n"),
        2 => format!("See `{path}:{first}-{last}` for `{name}`.\n\n"),
        3 => format!("It is cut short. In `{path}:{first}-{last}`, `{name}` does the work.\n\n"),
        4 => format!("The file `{path}` (lines {first}-{last}) defines `{name}`, which does the work.\n\n"),
        5 => format!("First the input is read, then `{name}()` ({path}:{first}-{last}) does the rest.\n\n"),
        6 => format!("It ends at [these lines]({path}#L{first}-L{last}), where `{name}` takes over.\n\n"),
        _ => format!("- `{path}:{first}-{last}` — `{name}` does it, and nothing else\n"),
    }
}

const SENTENCES: usize = 8;

#[test]
fn running_sentences_are_held_to_what_they_name() {
    let (_folder, access, known) = repository();
    let mut numbers = Numbers(5);
    let mut document = String::new();
    for index in 0..80 {
        let Known { path, name, lines, .. } = numbers.of(&known);
        let inner = (lines.first + 1, lines.last - 1);
        document.push_str(&sentence(index, path, *numbers.of(&[(lines.first, lines.last), inner]), name));
    }
    let checked = check_and_repair_citations(&document, &access);
    for citation in &checked.citations {
        assert!(
            matches!(citation.verdict, Verdict::True(Proof::Symbol | Proof::Text)),
            "{:?}: {:?}",
            citation.verdict,
            citation.citation
        );
    }
    assert_eq!(checked.verdict_counts(), (80, 0, 0));
    assert_eq!(checked.text, document);
    // Each wrong citation has the lines of another symbol. These lines neither contain the name that the sentence
    // mentions nor are a part of the mentioned symbol.
    let mut faults = Vec::new();
    for index in 0..80 {
        let it = numbers.of(&known);
        let other = loop {
            let other = numbers.of(&known);
            let text = SourceFile::read(&access.project().require_entry(&other.path).expect("a place"))
                .expect("a source")
                .text;
            let mut lines = text.lines().skip(other.lines.first as usize - 1).take(other.lines.count() as usize);
            if !lines.any(|line| line.contains(&it.simple)) && !other.name.starts_with(&format!("{}.", it.simple)) {
                break other;
            }
        };
        faults.push((sentence(index, &other.path, (other.lines.first, other.lines.last), &it.name), it));
    }
    let document: String = faults.iter().map(|(written, _)| written.as_str()).collect();
    let checked = check_and_repair_citations(&document, &access);
    assert_eq!(checked.citations.len(), 80);
    for (citation, (written, it)) in checked.citations.iter().zip(&faults) {
        match &citation.verdict {
            Verdict::True(proof) => panic!("taken as true ({proof:?}): {written}"),
            Verdict::Repaired(repair) => {
                assert_eq!(repair.to, format!("{}:{}-{}", it.path, it.lines.first, it.lines.last), "{written}");
            }
            Verdict::Marked { .. } => {}
        }
    }
    let (_, repaired, marked) = checked.verdict_counts();
    // Half of the sentences clearly name a definition and can be repaired. The other half may be about a use, so their
    // citations are marked.
    assert_eq!((repaired, marked), (40, 40));
}

#[test]
fn true_citations_are_not_flagged() {
    let (_folder, access, known) = repository();
    let mut numbers = Numbers(7);
    let mut document = String::from("## Key Files\n\n");
    for index in 0..200 {
        let Known { path, name, lines, .. } = numbers.of(&known);
        let inner = (lines.first + 1, lines.last - 1);
        let range = *numbers.of(&[(lines.first, lines.last), (lines.first, lines.first), inner]);
        document.push_str(&line(index, path, range, name));
    }
    let checked = check_and_repair_citations(&document, &access);
    assert_eq!(checked.citations.len(), 200);
    for citation in &checked.citations {
        assert_eq!(citation.verdict, Verdict::True(Proof::Symbol), "{:?}", citation.citation);
    }
    assert_eq!(checked.text, document);
}

#[test]
fn planted_faults_are_all_found_and_no_repair_is_wrong() {
    let (_folder, access, known) = repository();
    let mut numbers = Numbers(11);
    // Each planted error with its expected repair: path and lines, or `None` if the correct place cannot be determined.
    let mut faults: Vec<(String, Option<(String, Lines)>)> = Vec::new();
    for index in 0..200 {
        let it = numbers.of(&known).clone();
        let (first, last) = (it.lines.first, it.lines.last);
        let right = Some((it.path.clone(), it.lines));
        let form = numbers.below(6);
        faults.push(match index % 8 {
            // Kinds 0 to 3 have a wrong path: a missing first folder, a different folder, a typing error, or a path
            // unlike any file.
            0 => {
                let short = it.path.split_once('/').expect("a folder").1.to_owned();
                (line(form, &short, (first, last), &it.name), right)
            }
            1 => (line(form, &it.path.replace("crates/", "packages/"), (first, last), &it.name), right),
            2 => (line(form, &it.path.replace(".rs", "s.rs"), (first, last), &it.name), right),
            3 => (line(form, "src/not/there.rs", (first, last), &format!("{}_unheard_of", it.simple)), None),
            // Kinds 4 and 5 have lines after the end of the file.
            4 => (line(form, &it.path, (it.total + 1, it.total + 1 + last - first), &it.name), right),
            5 => (line(form, &it.path, (it.total + 3, it.total + 9), &format!("Unheard.{}_of", it.simple)), None),
            // Kind 6 has lines that have shifted.
            6 => {
                // The shift of a type's lines is limited: lines outside the type's definition may belong to an `impl`
                // block of the type, which would be correct.
                let most = if it.is_type { (it.lines.count() - 1).min(9) } else { 9 };
                let drift = 1 + u32::try_from(numbers.below(most as usize)).expect("small");
                let drifted = if numbers.below(2) == 0 && first > drift {
                    (first - drift, last - drift)
                } else {
                    (first + drift, last + drift)
                };
                (line(form, &it.path, drifted, &it.name), right)
            }
            // Kind 7 has the lines of another symbol.
            _ => {
                let other = loop {
                    let other = numbers.of(&known);
                    let apart = other.path != it.path || other.lines.last < first || last < other.lines.first;
                    // The lines of a member are no error for its type, because a member belongs to its type.
                    let belongs = other.name.starts_with(&format!("{}.", it.simple));
                    if apart && other.name != it.name && !belongs {
                        break other;
                    }
                };
                // The citation is in a label, not in a sentence, because a sentence may be about a use of the symbol.
                (line(1 + form % 5, &other.path, (other.lines.first, other.lines.last), &it.name), right)
            }
        });
    }
    let document: String = faults.iter().fold(String::new(), |mut text, (line, _)| {
        let _ = write!(text, "{line}");
        text
    });
    let checked = check_and_repair_citations(&document, &access);
    let cited: Vec<&str> = checked.citations.iter().map(|it| it.citation.path.as_str()).collect();
    assert_eq!(cited.len(), 200, "{cited:#?}");
    let (mut repaired, mut wrong) = (0, Vec::new());
    for (citation, (written, right)) in checked.citations.iter().zip(&faults) {
        match (&citation.verdict, right) {
            (Verdict::True(proof), _) => wrong.push(format!("taken as true ({proof:?}): {written}")),
            (Verdict::Repaired(_), Some((path, lines))) => {
                repaired += 1;
                let entry = citation.entry.as_ref().expect("what it cites");
                if (&entry.path, entry.lines) != (path, Some(*lines)) {
                    wrong.push(format!("repaired to {}: {written}", entry.format_location()));
                }
            }
            (Verdict::Repaired(repair), None) => wrong.push(format!("repaired to {}: {written}", repair.to)),
            (Verdict::Marked { reason }, Some(_)) => wrong.push(format!("marked, {reason}: {written}")),
            (Verdict::Marked { .. }, None) => {}
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Six of the eight kinds of errors can be repaired.
    assert_eq!((repaired, checked.verdict_counts()), (150, (0, 150, 50)));
    // After the repairs, all citations of the new text are correct except the marked ones.
    let again = check_and_repair_citations(&checked.text, &access);
    assert_eq!(again.verdict_counts(), (150, 0, 50));
}
