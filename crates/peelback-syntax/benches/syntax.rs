//! Parse, facts and skeleton of a text of about a thousand lines in each complete language.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use peelback_syntax::skeleton::{Options, build_skeleton};
use peelback_syntax::{Limits, Tier, analyse_source, does_parse_finish, language};

/// The fixtures of a language, one after the other, until a thousand lines are there.
fn sample(folder: &str, extension: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages").join(folder).join("fixtures");
    let mut files: Vec<_> = std::fs::read_dir(fixtures)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .filter(|path| !path.to_string_lossy().contains("broken"))
        .collect();
    files.sort();
    let once: String = files.iter().map(|path| std::fs::read_to_string(path).expect("UTF-8")).collect();
    let mut text = String::new();
    while text.lines().count() < 1_000 {
        text.push_str(&once);
    }
    text
}

fn syntax(criterion: &mut Criterion) {
    let limits = Limits::default();
    for language in language::all_languages().iter().filter(|language| language.tier == Tier::Complete) {
        let Some(extension) = language.extensions.first() else { continue };
        let text = sample(language.name, extension);
        let mut group = criterion.benchmark_group(language.name);
        group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
        group.bench_function(BenchmarkId::from_parameter("parse"), |b| {
            b.iter(|| does_parse_finish(language, &text, &limits))
        });
        group.bench_function(BenchmarkId::from_parameter("facts"), |b| {
            b.iter(|| analyse_source(language, &text, &limits))
        });
        let facts = analyse_source(language, &text, &limits);
        group.bench_function(BenchmarkId::from_parameter("skeleton"), |b| {
            b.iter(|| build_skeleton(&text, &facts.folds, 0..text.len(), Options { comments: true }));
        });
        group.finish();
    }
}

criterion_group!(benches, syntax);
criterion_main!(benches);
