//! Faults planted in documents that cite this repository's own sources, and citations that are true.

use std::fmt::Write as _;
use std::sync::LazyLock;

use peelback_code::syntax::{Lines, Symbol, SymbolKind, walk_symbols};
use peelback_code::{SourceFile, WalkOptions};

use super::*;

/// A definition whose qualified name the project has once.
#[derive(Clone)]
struct Known {
    path: String,
    name: String,
    simple: String,
    lines: Lines,
    is_type: bool,
    total: u32,
}

/// Numbers that are the same each time (Knuth's generator).
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

/// A copy of some of this repository's sources: it does not change while tests run.
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
        .flat_map(|folder| from.project().files(Some(folder), &WalkOptions::default()).expect("files").entries)
        // Tables of data among them have no text.
        .filter(|place| place.path.ends_with(".rs"))
        .map(|place| (place.path.clone(), SourceFile::read(&place).expect("a source").text))
        .collect()
    });
    let files: Vec<(&str, &str)> = SOURCES.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (folder, access) = project(&files);
    let mut all: Vec<Known> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (path, _) in &files {
        let analysed = access.outline(path).expect("an outline");
        names.extend(walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol.name.clone()));
        let kinds = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Struct, SymbolKind::Enum, SymbolKind::Trait];
        let fits = |symbol: &Symbol| symbol.unique && !symbol.local && kinds.contains(&symbol.kind);
        let named = walk_symbols(&analysed.facts.symbols).filter(|(symbol, _)| fits(symbol));
        all.extend(named.map(|(symbol, _)| Known {
            path: (*path).to_owned(),
            // As a person writes it: without the header of an `impl`.
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

/// A citation as documents have it, in one of their forms.
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

/// A citation in running text.
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
    let checked = check(&document, &access);
    for citation in &checked.citations {
        assert!(
            matches!(citation.verdict, Verdict::True(Proof::Symbol | Proof::Text)),
            "{:?}: {:?}",
            citation.verdict,
            citation.citation
        );
    }
    assert_eq!(checked.counts(), (80, 0, 0));
    assert_eq!(checked.text, document);
    // The lines of another symbol, which neither name the one of the sentence nor are a part of it.
    let mut faults = Vec::new();
    for index in 0..80 {
        let it = numbers.of(&known);
        let other = loop {
            let other = numbers.of(&known);
            let text = SourceFile::read(&access.project().entry(&other.path).expect("a place")).expect("a source").text;
            let mut lines = text.lines().skip(other.lines.first as usize - 1).take(other.lines.count() as usize);
            if !lines.any(|line| line.contains(&it.simple)) && !other.name.starts_with(&format!("{}.", it.simple)) {
                break other;
            }
        };
        faults.push((sentence(index, &other.path, (other.lines.first, other.lines.last), &it.name), it));
    }
    let document: String = faults.iter().map(|(written, _)| written.as_str()).collect();
    let checked = check(&document, &access);
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
    let (_, repaired, marked) = checked.counts();
    // Half of the sentences name a definition, the others may be about a use.
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
    let checked = check(&document, &access);
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
    // The fault, and what it has to become; `None` where nothing can tell.
    let mut faults: Vec<(String, Option<(String, Lines)>)> = Vec::new();
    for index in 0..200 {
        let it = numbers.of(&known).clone();
        let (first, last) = (it.lines.first, it.lines.last);
        let right = Some((it.path.clone(), it.lines));
        let form = numbers.below(6);
        faults.push(match index % 8 {
            // A wrong path: its beginning is lost, another folder, a typing error, nothing like it.
            0 => {
                let short = it.path.split_once('/').expect("a folder").1.to_owned();
                (line(form, &short, (first, last), &it.name), right)
            }
            1 => (line(form, &it.path.replace("crates/", "packages/"), (first, last), &it.name), right),
            2 => (line(form, &it.path.replace(".rs", "s.rs"), (first, last), &it.name), right),
            3 => (line(form, "src/not/there.rs", (first, last), &format!("{}_unheard_of", it.simple)), None),
            // Out of range.
            4 => (line(form, &it.path, (it.total + 1, it.total + 1 + last - first), &it.name), right),
            5 => (line(form, &it.path, (it.total + 3, it.total + 9), &format!("Unheard.{}_of", it.simple)), None),
            // Drifted lines.
            6 => {
                // Off its definition, a type's lines may be those of its implementation, which belongs to it too.
                let most = if it.is_type { (it.lines.count() - 1).min(9) } else { 9 };
                let drift = 1 + u32::try_from(numbers.below(most as usize)).expect("small");
                let drifted = if numbers.below(2) == 0 && first > drift {
                    (first - drift, last - drift)
                } else {
                    (first + drift, last + drift)
                };
                (line(form, &it.path, drifted, &it.name), right)
            }
            // A wrong symbol: the lines of another one.
            _ => {
                let other = loop {
                    let other = numbers.of(&known);
                    let apart = other.path != it.path || other.lines.last < first || last < other.lines.first;
                    // A member belongs to its type.
                    let belongs = other.name.starts_with(&format!("{}.", it.simple));
                    if apart && other.name != it.name && !belongs {
                        break other;
                    }
                };
                // In a label: a sentence may be about a use.
                (line(1 + form % 5, &other.path, (other.lines.first, other.lines.last), &it.name), right)
            }
        });
    }
    let document: String = faults.iter().fold(String::new(), |mut text, (line, _)| {
        let _ = write!(text, "{line}");
        text
    });
    let checked = check(&document, &access);
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
                    wrong.push(format!("repaired to {}: {written}", entry.address()));
                }
            }
            (Verdict::Repaired(repair), None) => wrong.push(format!("repaired to {}: {written}", repair.to)),
            (Verdict::Marked { reason }, Some(_)) => wrong.push(format!("marked, {reason}: {written}")),
            (Verdict::Marked { .. }, None) => {}
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Six of eight kinds can be repaired.
    assert_eq!((repaired, checked.counts()), (150, (0, 150, 50)));
    // What was written is true now, but for the marks.
    let again = check(&checked.text, &access);
    assert_eq!(again.counts(), (150, 0, 50));
}
