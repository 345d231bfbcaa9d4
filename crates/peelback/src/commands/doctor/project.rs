//! Checks of the project whose files the tools would read.

use peelback_code::{Project, WalkOptions};
use serde_json::json;

use super::report::{Finding, Level};

/// The size limit, in bytes, of the files that the tools parse; larger files have no symbols.
const MAX_PARSED_BYTES: u64 = 4_000_000;

/// The limit on the files that one finding lists by name; further files are only counted.
const MAX_LISTED_FILES: usize = 5;

/// Checks the project's root and files, and returns findings on them and on files that were skipped.
pub(super) fn check_project_files(project: &Project) -> Vec<Finding> {
    let root = project.root().display().to_string();
    let set = match project.files_in_scope(None, &WalkOptions::default()) {
        Ok(set) => set,
        Err(error) => return vec![Finding::new(Level::Problem, "project", format!("{root}: {error}"))],
    };
    let count = set.entries.len();
    let data = json!({ "root": root, "files": count });
    let mut findings = vec![if count == 0 {
        Finding::new(Level::Note, "project", format!("{root}: no files"))
            .with_data(data)
            .with_advice("name the project with --root; files that are hidden or ignored (.gitignore) are not read")
    } else {
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        Finding::new(Level::Ok, "project", format!("{root}: {files}")).with_data(data)
    }];
    if !set.skipped.is_empty() {
        let rows = set.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
        let message = format!("{} could not be read: answers are lower bounds there", set.skipped.len());
        let data = json!(
            set.skipped
                .iter()
                .map(|skipped| json!({ "path": skipped.path, "reason": skipped.reason }))
                .collect::<Vec<_>>()
        );
        let finding = Finding::new(Level::Note, "skipped", message)
            .with_detail_rows(limit_rows_of_finding(rows.collect()))
            .with_data(data);
        findings.push(finding.with_advice("make them readable, or put them on an ignore list (.ignore)"));
    }
    let mut large: Vec<(u64, String)> = set
        .entries
        .iter()
        .filter_map(|entry| Some((entry.file_metadata().ok()?.len(), entry.path.clone())))
        .filter(|(size, _)| *size > MAX_PARSED_BYTES)
        .collect();
    if !large.is_empty() {
        large.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let rows = large.iter().map(|(size, path)| format!("{path}: {size} bytes")).collect();
        let message = format!("{} over {MAX_PARSED_BYTES} bytes: text only, no symbols", large.len());
        let data =
            json!(large.iter().map(|(size, path)| json!({ "path": path, "size_bytes": size })).collect::<Vec<_>>());
        let finding = Finding::new(Level::Note, "large files", message)
            .with_detail_rows(limit_rows_of_finding(rows))
            .with_data(data);
        findings.push(finding.with_advice("put generated ones on an ignore list (.ignore)"));
    }
    findings
}

/// Shortens the list of files in a finding: keeps the first [`MAX_LISTED_FILES`] rows, and adds a row with the number
/// of the others.
fn limit_rows_of_finding(mut rows: Vec<String>) -> Vec<String> {
    let more = rows.len().saturating_sub(MAX_LISTED_FILES);
    rows.truncate(MAX_LISTED_FILES);
    if more > 0 {
        rows.push(format!("… +{more} more"));
    }
    rows
}
