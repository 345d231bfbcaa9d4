//! A backend that errs, hangs, panics or is not ready: syntax answers each time, in time, and says why.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use peelback_code::syntax::Facts;
use peelback_code::{
    AnalysisError, CodeAccess, CodeAnalysis, Completeness, Project, ReferenceQuery, References, SourceFile,
    SymbolNameQuery, SymbolQuery,
};

/// What the backend does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Mood {
    Errs,
    Hangs,
    Panics,
    NotReady,
}

struct Moody(Mood);

impl Moody {
    fn answer<T>(&self) -> Result<T, AnalysisError> {
        match self.0 {
            Mood::Errs => Err(AnalysisError::Failed("the server said no".to_owned())),
            Mood::Hangs => loop {
                std::thread::sleep(Duration::from_secs(60));
            },
            Mood::Panics => panic!("a bug of the backend"),
            Mood::NotReady => Err(AnalysisError::NotReady("indexing 10%".to_owned())),
        }
    }
}

impl CodeAnalysis for Moody {
    fn name(&self) -> &'static str {
        "moody"
    }

    fn analyse_file(&self, _file: &SourceFile) -> Result<Facts, AnalysisError> {
        self.answer()
    }

    fn find_references(&self, _project: &Project, _query: &ReferenceQuery) -> Result<References, AnalysisError> {
        self.answer()
    }
}

/// Long enough for a loaded machine to say why a backend panicked.
const PATIENCE: Duration = Duration::from_secs(2);

fn access(mood: Mood, folder: &std::path::Path) -> CodeAccess {
    let project = Project::discover(Some(folder), None).expect("a folder");
    CodeAccess::new(project).with_preferred_analysis_and_timeout(Arc::new(Moody(mood)), PATIENCE)
}

#[test]
fn syntax_answers_where_a_backend_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.py"), "def f(): pass\nf()\n").expect("a file");
    for (mood, reason) in [
        (Mood::Errs, "moody failed: the server said no; syntax answered instead"),
        (Mood::Hangs, "moody did not answer within 2000 ms; syntax answered instead"),
        (Mood::Panics, "moody failed: it panicked; syntax answered instead"),
        (Mood::NotReady, "moody not ready: indexing 10%; syntax answered instead"),
    ] {
        let access = access(mood, folder.path());
        let started = Instant::now();
        let analysed = access.analyse_file("a.py").expect("an outline");
        assert_eq!(analysed.evidence.analysis, "syntax", "{mood:?}");
        assert_eq!(analysed.evidence.notes, [reason], "{mood:?}");
        let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new("f"));
        let symbols: Vec<SymbolQuery> =
            found.into_iter().map(|hit| SymbolQuery { path: "a.py".to_owned(), symbol: hit.symbol }).collect();
        assert_eq!(symbols.len(), 1, "{mood:?}");
        let answer =
            access.find_references(&ReferenceQuery { symbols, ..ReferenceQuery::default() }).expect("an answer");
        let lines: Vec<u32> = answer.references.iter().map(|reference| reference.line).collect();
        assert_eq!(lines, [2], "{mood:?}");
        assert_eq!(answer.evidence.completeness, Completeness::Complete, "{mood:?}");
        assert_eq!(answer.evidence.notes, [reason], "{mood:?}");
        assert!(started.elapsed() < PATIENCE * 2 + Duration::from_secs(10), "{mood:?}: {:?}", started.elapsed());
    }
}

#[test]
fn a_backend_that_hangs_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.py"), "def f(): pass\n").expect("a file");
    let access = access(Mood::Hangs, folder.path());
    let notes: Vec<String> =
        (0..5).map(|_| access.analyse_file("a.py").expect("an outline").evidence.notes.join("")).collect();
    assert!(notes[0].contains("did not answer"), "{notes:?}");
    assert!(notes[4].contains("not asked"), "{notes:?}");
}
