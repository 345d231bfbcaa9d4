//! Rankings of small projects: files by their paths, passages by their features.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use peelback_project::{Project, ProjectReader};
use peelback_ranking::{PassageFeatures, Question, RankQuery, RankedPassage, Ranker, Weights};

const STORE: &str = "class Store:\n    def remove_entry(self, key):\n        \"\"\"Removes what is kept of a visitor.\"\"\"\n        self._forget(key)\n        return key\n\n    def _forget(self, key):\n        del self.table[key]\n";
const MAIN: &str = "from store import Store\n\ndef main():\n    store = Store()\n    store.remove_entry(1)\n    open_dir(2)\n\ndef open_dir(number):\n    return number\n";

/// Calls `ask` with a project of these files.
fn with_project<T>(files: &[(&str, &str)], ask: impl FnOnce(&ProjectReader) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    ask(&ProjectReader::new(Project::discover(Some(folder.path()), None).expect("a project")))
}

/// Ranks the passages of a project of these files for a question.
fn rank(files: &[(&str, &str)], question: &str, passage_features: f32) -> Vec<RankedPassage> {
    let weights = Weights { passage_features, ..Weights::default() };
    let query = RankQuery { question: Question::new(question), page: 0..200, weights, ..RankQuery::default() };
    with_project(files, |reader| Ranker::new(reader, None).rank_passages(&query).expect("a ranking").page)
}

/// The paths of a project of these files as they are ranked for a question, best first.
fn ranked_paths(paths: &[String], question: &str) -> Vec<String> {
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "fn one() {}\n")).collect();
    let query = RankQuery { question: Question::new(question), page: 0..100, ..RankQuery::default() };
    let ranked = with_project(&files, |reader| Ranker::new(reader, None).rank_files(&query).expect("a ranking"));
    ranked.files.into_iter().map(|file| file.path).collect()
}

fn names(ranked: &[RankedPassage]) -> Vec<&str> {
    ranked.iter().map(|passage| passage.symbol.name.as_str()).collect()
}

fn scores(ranked: &[RankedPassage]) -> Vec<f32> {
    ranked.iter().map(|passage| passage.score).collect()
}

#[test]
fn without_a_single_word_to_compare_by_the_first_order_stays() {
    let chain = "def and_then(first):\n    return first\n\ndef chain(value):\n    return value.and_then(value)\n";
    for question in ["and_then", "or_else and_then", "folder", "folder eraser"] {
        let files = [("chain.py", chain), ("main.py", MAIN)];
        let (first, second) = (rank(&files, question, 0.0), rank(&files, question, 1.0));
        assert!(!first.is_empty(), "{question}");
        assert_eq!(names(&first), names(&second), "{question}");
        let scores = scores(&second);
        assert!(scores.iter().all(|score| score.is_finite() && *score > 0.0), "{question} {scores:?}");
        assert!(scores.is_sorted_by(|a, b| a >= b), "{question} {scores:?}");
    }
    assert_eq!(names(&rank(&[("main.py", MAIN), ("store.py", STORE)], "folder", 1.0))[0], "open_dir");
}

#[test]
fn the_second_order_has_the_scores_of_the_first() {
    let files = [("store.py", STORE), ("main.py", MAIN)];
    let question = "which function forgets the visitor";
    let (first, second) = (rank(&files, question, 0.0), rank(&files, question, 1.0));
    assert_eq!(scores(&first), scores(&second));
    assert!(first.iter().all(|passage| passage.signals.features == PassageFeatures::default()));
    assert!(second.iter().all(|passage| passage.signals.features.first > 0.0));
}

#[test]
fn features_say_where_the_words_are() {
    let files = [("store.py", STORE), ("main.py", MAIN)];
    let ranked = rank(&files, "remove a visitor from the store", 1.0);
    let of = |name: &str| {
        ranked.iter().find(|passage| passage.symbol.name == name).map(|passage| passage.signals.features).expect(name)
    };
    let (remove, main) = (of("remove_entry"), of("main"));
    assert!(remove.covered_by_owner > 0.0 && main.covered_by_owner == 0.0);
    assert!(main.covered_by_all < remove.covered_by_all);
    assert!((remove.covered_by_all - 1.0).abs() < 1e-6, "{remove:?}");
    assert!((remove.name_precision - 0.5).abs() < 1e-6);
    assert_eq!((remove.callable, remove.value, remove.section, remove.private), (1.0, 0.0, 0.0, 0.0));
    assert_eq!((remove.two_words, main.two_words), (1.0, 1.0));
    assert!(remove.called > 0.0 && main.called == 0.0, "{remove:?} {main:?}");
    for (feature, value) in ranked.iter().flat_map(|passage| passage.signals.features.names_and_values()) {
        assert!(value.is_finite(), "{feature}");
    }
}

#[test]
fn related_words_count_less_than_words_of_the_question() {
    let files = [("a.py", "def delete_row(x):\n    return x\n"), ("b.py", "def remove_row(x):\n    return x\n")];
    let ranked = rank(&files, "remove", 1.0);
    assert_eq!(names(&ranked), ["remove_row", "delete_row"]);
    let [own, related] = ranked.as_slice() else { panic!("two passages") };
    assert!((own.signals.features.covered_by_all - 1.0).abs() < 1e-6);
    assert!((related.signals.features.covered_by_all - 0.6).abs() < 1e-6);
}

#[test]
fn a_line_that_the_question_cites_stays_in_front() {
    let many = "def ranking_score_of_signals(words):\n    return ranking, score, signals, passage\n";
    let cited = "def first(x):\n    return x\n\ndef other(x):\n    return x + 1\n";
    let files = [("signals.py", many), ("passages.py", cited), ("ranking/score.py", many)];
    let ranked = rank(&files, "passages.py:5 ranking score of signals", 1.0);
    assert_eq!(names(&ranked)[0], "other");
}

#[test]
fn a_folder_that_most_files_share_does_not_hide_a_file_name() {
    let mut paths: Vec<String> = (0..50).map(|number| format!("src/conf/part{number}.rs")).collect();
    paths.push("src/conf/search.rs".to_owned());
    paths.push("src/conf/configuration.rs".to_owned());
    assert_eq!(ranked_paths(&paths, "search").first().map(String::as_str), Some("src/conf/search.rs"));
    // The folder `conf` is a short form of the word in all paths: they hold it, and hide nothing.
    let found = ranked_paths(&paths, "configuration");
    assert_eq!(found.first().map(String::as_str), Some("src/conf/configuration.rs"));
}
