//! Walking a tree: as a folder of Peelback's own and by the `ignore` crate alone.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use criterion::{Criterion, criterion_group, criterion_main};
use peelback_project::{Project, WalkOptions};

fn walk(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for number in 0..2_000 {
        let path = folder.path().join(format!("folder_{}/file_{number}.py", number % 50));
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        std::fs::write(path, "x = 1\n").expect("a file");
    }
    let project = Project::discover(Some(folder.path()), None).expect("a project");
    criterion.bench_function("walk of 2,000 files", |b| {
        b.iter(|| project.files_in_scope(None, &WalkOptions::default()).expect("a walk").entries.len());
    });
    criterion.bench_function("the ignore crate on them", |b| {
        b.iter(|| ignore::Walk::new(folder.path()).filter_map(Result::ok).count());
    });
}

criterion_group!(benches, walk);
criterion_main!(benches);
