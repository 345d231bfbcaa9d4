//! A call ends with its deadline, inside a file, too, and says what it did not get to.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;
use std::time::{Duration, Instant};

use peelback_code::{
    CancellationToken, CodeAccess, Completeness, Evidence, Project, ReferenceQuery, Relation, SymbolNameQuery,
    SymbolQuery,
};

/// Functions whose results depend on each other in circles, and so many uses of what they return. Each use is evaluated
/// anew, for a thousand steps and more.
fn circles(uses: usize) -> String {
    const FUNCTIONS: usize = 60;
    let functions: String = (0..FUNCTIONS)
        .map(|i| {
            let [one, two, three] = [i * 7 + 1, i * 11 + 3, i * 13 + 5].map(|other| other % FUNCTIONS);
            format!("def f{i}():\n    if a: return f{one}()\n    if b: return f{two}()\n    return f{three}()\n")
        })
        .collect();
    let used: String = (0..uses).map(|i| format!("    f{}().target()\n", i % FUNCTIONS)).collect();
    format!("{functions}class C:\n    def target(self): pass\ndef all_of_them():\n{used}")
}

/// What a call with a deadline answers: the number of references, how far they can be trusted, and the time that it took.
fn answer(symbol: &str, relation: Relation, deadline: Duration) -> (usize, Evidence, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.py"), circles(60_000)).expect("a file");
    let project = Project::discover(Some(folder.path()), None).expect("a folder");
    let analysed = CodeAccess::new(project.clone()).analyse_file("a.py").expect("an outline");
    let started = Instant::now();
    let access = CodeAccess::new(project.with_cancellation(CancellationToken::with_deadline(started + deadline)));
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(symbol));
    let symbols = found.into_iter().map(|hit| SymbolQuery { path: "a.py".to_owned(), symbol: hit.symbol }).collect();
    let query = ReferenceQuery { symbols, relation, ..ReferenceQuery::default() };
    let answer = access.find_references(&query).expect("an answer");
    (answer.references.len(), answer.evidence, started.elapsed())
}

#[test]
fn a_deadline_ends_the_resolution_of_names_in_one_file() {
    for (symbol, relation) in
        [("target", Relation::Uses), ("target", Relation::Callers), ("all_of_them", Relation::Callees)]
    {
        // Alone, the whole answer takes more than a minute, and all but the resolution less than a second.
        let (found, evidence, took) = answer(symbol, relation, Duration::from_secs(4));
        assert!(took < Duration::from_secs(20), "{relation:?}: {took:?}");
        assert_eq!(evidence.completeness, Completeness::LowerBound, "{relation:?}: {evidence:?}");
        let notes = evidence.notes.join("\n");
        assert!(notes.contains("stopped at its deadline: "), "{relation:?}: {evidence:?}");
        assert!(found < 60_000, "{relation:?}: {found}");
    }
}

#[test]
fn a_deadline_ends_a_parse() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.py"), "a = [1, 2]\n".repeat(300_000)).expect("a file");
    let project = Project::discover(Some(folder.path()), None).expect("a folder");
    let cancellation = CancellationToken::default();
    cancellation.cancel();
    let access = CodeAccess::new(project.with_cancellation(cancellation));
    let analysed = access.analyse_file("a.py").expect("an outline");
    assert_eq!(analysed.facts.symbols.len(), 0);
    assert_eq!(analysed.evidence.completeness, Completeness::Unknown, "{:?}", analysed.evidence);
    assert_eq!(analysed.evidence.skipped[0].reason, "its parse passed the deadline");
}
