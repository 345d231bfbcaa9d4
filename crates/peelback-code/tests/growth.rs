//! Small projects whose types and modules derive from one another in long chains, in diamonds and in circles: the time of
//! an answer must not grow with the number of ways through them.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use peelback_code::{
    CancellationToken, CodeAccess, Project, ReferenceQuery, References, Relation, SymbolNameQuery, SymbolQuery,
};

/// After this, an answer counts as one whose work multiplies: the answers take less than a second.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The uses of the symbol `name` of the file at `path`.
#[track_caller]
fn uses(files: &[(String, String)], path: &str, name: &str) -> References {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        fs::write(root.path().join(path), text).expect("a file");
    }
    let started = Instant::now();
    let project = Project::discover(Some(root.path()), None).expect("a folder");
    let cancellation = CancellationToken::with_deadline(started + MAX_TIME);
    let access = CodeAccess::new(project.with_cancellation(cancellation));
    let analysed = access.analyse_file(path).expect("an outline");
    let found = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
    let symbols = found.into_iter().map(|hit| SymbolQuery { path: path.to_owned(), symbol: hit.symbol }).collect();
    let query = ReferenceQuery { symbols, relation: Relation::Uses, ..ReferenceQuery::default() };
    let answer = access.find_references(&query).expect("an answer");
    assert!(started.elapsed() < MAX_TIME, "{name}: {:?}", answer.evidence);
    answer
}

/// Ruby modules `I0` to `I{count}`, of which each runs `words` with each of the modules that `next` gives; a class that
/// includes the first, and a method of the last that an instance of the class is asked for.
fn ruby_modules(count: usize, words: &[&str], next: impl Fn(usize) -> Vec<usize>) -> Vec<(String, String)> {
    let mut text = String::new();
    for i in 0..count {
        let _ = writeln!(text, "module I{i}");
        for next in next(i) {
            words.iter().for_each(|word| writeln!(text, "  {word} I{next}").expect("text"));
        }
        text.push_str("end\n");
    }
    let _ = writeln!(
        text,
        "module I{count}\n  def foo; end\nend\nclass C\n  include I0\n  def g\n    foo\n    bar\n  end\nend\nC.new.foo\nC.new.bar"
    );
    vec![("a.rb".to_owned(), text)]
}

#[test]
fn ruby_modules_that_include_modules_are_searched_once() {
    type Next = Box<dyn Fn(usize) -> Vec<usize>>;
    let cases: [(usize, &[&str], bool, Next); 4] = [
        (40, &["include"], true, Box::new(|i| vec![i + 1])),
        (50, &["include"], true, Box::new(|i| vec![i + 1, (i + 2).min(50)])),
        (25, &["include"], false, Box::new(|i| vec![(i + 1) % 25])),
        (25, &["include", "extend"], true, Box::new(|i| vec![i + 1])),
    ];
    for (count, words, reaches, next) in cases {
        let found = uses(&ruby_modules(count, words, next), "a.rb", "foo");
        let lines = found.references.iter().filter(|found| found.confidence == peelback_code::Confidence::Resolved);
        assert_eq!(lines.count(), if reaches { 2 } else { 0 }, "{count} {words:?}: {:?}", found.references);
    }
}

#[test]
fn java_classes_in_a_circle_are_searched_once() {
    for count in [3, 10, 100, 200] {
        let files: Vec<(String, String)> = (0..count)
            .map(|i| {
                let text = format!("class A{i} extends A{} {{ void foo() {{ super.foo(); }} }}\n", (i + 1) % count);
                (format!("A{i}.java"), text)
            })
            .collect();
        assert!(!uses(&files, "A1.java", "foo").references.is_empty());
    }
}

#[test]
fn classes_and_traits_of_php_in_circles_are_searched_once() {
    let count = 500;
    let mut text = "<?php\n".to_owned();
    for i in 0..count {
        let next = (i + 1) % count;
        let _ = writeln!(
            text,
            "class A{i} extends A{next} {{ use T{i}; function m{i}() {{ $this->foo(); parent::foo(); static::bar(); }} }}\ntrait T{i} {{ use T{next}; }}"
        );
    }
    text.push_str("function g(A0 $a) { $a->foo(); $a->m5(); }\n");
    let found = uses(&[("a.php".to_owned(), text)], "a.php", "m5");
    assert!(!found.references.is_empty());
}

#[test]
fn kotlin_functions_of_one_name_are_not_compared_in_pairs() {
    let count = 1000;
    let text: String = (0..count).map(|i| format!("fun name(a{i}: Int): Int {{ return name(a{i}) }}\n")).collect();
    assert_eq!(uses(&[("x.kt".to_owned(), text)], "x.kt", "name").references.len(), count);
}
