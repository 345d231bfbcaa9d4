//! The section of an overview document on building and testing: the commands that the repository's own files declare.

use peelback_code::WalkOptions;
use peelback_code::syntax::{SymbolKind, language, walk_symbols_with_depth};
use regex::Regex;

use super::section::{Section, variants_with_fewer_rows};
use super::survey::{Survey, analysable_readme_extensions};
use crate::citations::Reference;
use crate::markdown::{format_inline_code, format_path_and_lines, one_line, truncate_with_ellipsis};
use peelback_secrets::pattern::constant_patterns;

/// The maximum number of listed scripts of one package, targets of one build file, or commands of continuous
/// integration.
const MOST_EACH: usize = 12;

/// The maximum number of package manifests whose scripts are listed; manifests nearest to the root come first.
const MOST_PACKAGES: usize = 3;

/// Texts that mark a shell command as one that builds or checks code of any language.
const TELLING: &[&str] = &["test", "build", "lint", "check", "make"];

type Row = (String, Vec<Reference>);

pub(super) fn build_and_test_section(survey: &Survey<'_>) -> Option<Section> {
    let mut rows: Vec<Row> = Vec::new();
    add_build_tool_rows(survey, &mut rows);
    add_manifest_script_rows(survey, &mut rows);
    add_build_target_and_task_rows(survey, &mut rows);
    add_test_environment_rows(survey, &mut rows);
    add_ci_command_rows(survey, &mut rows);
    add_build_documentation_section_rows(survey, &mut rows);
    Section::new("Build and Test", 9, 4, variants_with_fewer_rows("", &rows, &[24, 12, 6, 3], "ways to build and test"))
}

fn list_row_with_citation(path: &str, first: u32, last: u32, what: String) -> Row {
    let reference = Reference {
        path: path.to_owned(),
        line_start: first,
        line_end: last,
        description: one_line(&what).replace('`', "'"),
    };
    (format!("- {what} ({})\n", format_inline_code(&format_path_and_lines(path, first, last))), vec![reference])
}

/// Adds rows for the default build and test commands of the tool that a root manifest belongs to, such as `cargo test`.
fn add_build_tool_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    for manifest in survey.manifests.iter().filter(|manifest| manifest.folder().is_empty()) {
        if let Some(key) = manifest.language_version_key() {
            let version = format_inline_code(key.value.as_deref().unwrap_or(""));
            let what = format!("needs {} {version}", manifest.kind.runtime);
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, what));
        }
        let Some(usual) = &manifest.kind.usual_commands else { continue };
        let Some(key) = manifest.first_existing_key(usual.keys) else { continue };
        let what = match usual.after_value {
            None => usual.text.to_owned(),
            Some(after) => {
                let Some(value) = key.value.as_deref().map(format_inline_code) else { continue };
                format!("{}{value}{after}", usual.text)
            }
        };
        // A manifest key can be a long TOML table, so only its first line is cited.
        rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.first, what));
    }
}

/// Adds rows for the scripts that package manifests declare; scripts that build or test come first.
fn add_manifest_script_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let packages = survey.manifests.iter().filter_map(|manifest| Some((manifest, manifest.kind.scripts.as_ref()?)));
    for (manifest, declared) in packages.take(MOST_PACKAGES) {
        let mut scripts: Vec<_> =
            manifest.keys_below_table(declared.table).filter(|(_, key)| key.value.is_some()).collect();
        let rank = |name: &str| {
            ["build", "test", "lint", "check", "dev", "start", "format"]
                .iter()
                .position(|word| name.starts_with(word))
                .unwrap_or(99)
        };
        scripts.sort_by_key(|(name, key)| (rank(name), key.lines.first));
        for (name, key) in scripts.into_iter().take(MOST_EACH) {
            let value = key.value.as_deref().unwrap_or("");
            let within = if manifest.folder().is_empty() {
                String::new()
            } else {
                format!(" in {}", format_inline_code(manifest.folder()))
            };
            let what = format!(
                "{}{within} runs {}",
                format_inline_code(&format!("{} {name}", declared.run)),
                format_inline_code(&truncate_with_ellipsis(value, 140))
            );
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, what));
        }
    }
}

constant_patterns! {
    TARGET = r"^([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+[^:=]*)?:(?:[^=:]|$)";
    HEADING = r"(?i)\b(build(ing|s)?\b|compil|tests?\b|testing|develop(ing|ment)|contribut|hacking|from source)";
}

/// Adds rows for the targets of Makefiles and similar files, and for the tasks in the task files of languages' tools.
fn add_build_target_and_task_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let files: [(&[&str], &str); 3] = [
        (&["Makefile", "makefile", "GNUmakefile"], "make"),
        (&["justfile", "Justfile", ".justfile"], "just"),
        (&["Taskfile.yml", "Taskfile.yaml"], "task"),
    ];
    for (names, program) in files {
        add_task_rows_of_existing_file(survey, names, &TARGET, |name| format!("{program} {name}"), rows);
    }
    for tasks in language::well_known_project_files_of_languages().flat_map(|files| files.task_files) {
        let Ok(pattern) = Regex::new(tasks.pattern) else { continue };
        let call = |name: &str| match name {
            "" => tasks.program.to_owned(),
            name => format!("{} {} {name}", tasks.program, tasks.option),
        };
        add_task_rows_of_existing_file(survey, &[tasks.file_name], &pattern, call, rows);
    }
}

/// Adds rows for the tasks in the first existing file of the names `names`. Group 1 of `pattern` matches a task's name,
/// and `call` gives the command that runs the task.
fn add_task_rows_of_existing_file(
    survey: &Survey<'_>,
    names: &[&str],
    pattern: &Regex,
    call: impl Fn(&str) -> String,
    rows: &mut Vec<Row>,
) {
    let Some(path) = survey.first_existing_showable_file(names) else { return };
    let Ok(file) = survey.access.read_file_by_root_path(path) else { return };
    let mut seen: Vec<String> = Vec::new();
    for (line, text) in (1..).zip(file.text.lines()) {
        let Some(name) = pattern.captures(text).and_then(|found| found.get(1)).map(|name| name.as_str()) else {
            continue;
        };
        // A build target that is named like a file produces that file and is not a command.
        if name.contains('.') || seen.iter().any(|known| known == name) || seen.len() >= MOST_EACH {
            continue;
        }
        seen.push(name.to_owned());
        rows.push(list_row_with_citation(path, line, line, format_inline_code(&call(name))));
    }
}

/// Adds rows for the test environments that package manifests declare.
fn add_test_environment_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let declaring = survey.manifests.iter().filter_map(|manifest| {
        let declared = manifest.kind.environments.as_ref()?;
        Some((manifest, declared))
    });
    for (manifest, declared) in declaring {
        let described = |table: &str| {
            let key = manifest.first_existing_key(&[format!("{table}.description").as_str()])?;
            Some(format!(": “{}”", truncate_with_ellipsis(&one_line(key.value.as_deref()?).replace('`', "'"), 100)))
        };
        if let Some(key) = manifest.first_existing_key(&[declared.table]) {
            let what = described(declared.base).unwrap_or_default();
            let call = format_inline_code(declared.program);
            rows.push(list_row_with_citation(
                &manifest.path,
                key.lines.first,
                key.lines.first,
                format!("{call}{what}"),
            ));
        }
        let mut environments: Vec<_> =
            manifest.keys_below_table(declared.each).filter(|(name, _)| !name.contains('.')).collect();
        environments.sort_by_key(|(_, key)| key.lines.first);
        for (name, key) in environments.into_iter().take(MOST_EACH) {
            let what = described(&key.name).unwrap_or_default();
            let call = format_inline_code(&format!("{} {} {name}", declared.program, declared.option));
            rows.push(list_row_with_citation(
                &manifest.path,
                key.lines.first,
                key.lines.first,
                format!("{call}{what}"),
            ));
        }
    }
}

/// Adds rows for the commands that continuous integration runs.
fn add_ci_command_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let hidden = WalkOptions { hidden: true, ..WalkOptions::default() };
    let workflows = survey.access.project().files_in_scope(Some(".github/workflows"), &hidden);
    let mut paths: Vec<String> =
        workflows.map(|set| set.entries.into_iter().map(|place| place.path).collect()).unwrap_or_default();
    paths.retain(|path| path.ends_with(".yml") || path.ends_with(".yaml"));
    paths.extend(
        [".gitlab-ci.yml", ".travis.yml", ".circleci/config.yml"]
            .map(str::to_owned)
            .into_iter()
            .filter(|path| survey.access.project().has_regular_file(path)),
    );
    let mut seen: Vec<String> = Vec::new();
    for path in paths.iter().filter(|path| survey.may_show_file(path)) {
        let Ok(file) = survey.access.read_file_by_root_path(path) else { continue };
        let mut is_block = false;
        for (line, text) in (1..).zip(file.text.lines()) {
            let trimmed = text.trim().trim_start_matches("- ");
            let command = match trimmed.strip_prefix("run:").map(str::trim) {
                Some("|" | ">" | "|-" | ">-") => {
                    is_block = true;
                    continue;
                }
                Some(command) => command,
                None if is_block && !trimmed.is_empty() => trimmed,
                None => continue,
            };
            is_block = false;
            // A command with placeholders cannot be run as written.
            let is_filled_in = command.contains("${") || command.contains("$(");
            let mut marks = TELLING
                .iter()
                .chain(language::well_known_project_files_of_languages().flat_map(|files| files.command_marks));
            let is_telling = marks.any(|mark| command.contains(mark));
            if is_telling && !is_filled_in && !seen.iter().any(|known| known == command) && seen.len() < MOST_EACH {
                seen.push(command.to_owned());
                rows.push(list_row_with_citation(
                    path,
                    line,
                    line,
                    format!(
                        "continuous integration runs {}",
                        format_inline_code(&truncate_with_ellipsis(command, 140))
                    ),
                ));
            }
        }
    }
}

/// Adds rows for the sections of the README and the contributor guide that describe building or testing.
fn add_build_documentation_section_rows(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let stems = ["contributing", "readme", "building", "build", "install", "development", "hacking"];
    let endings: Vec<String> = analysable_readme_extensions().collect();
    let paths: Vec<&str> = stems.iter().filter_map(|stem| survey.find_showable_root_file(stem, &endings)).collect();
    for path in paths {
        let Ok(analysed) = survey.access.analyse_file_by_root_path(path) else { continue };
        let sections = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol);
        let telling = sections.filter(|symbol| symbol.kind == SymbolKind::Section && HEADING.is_match(&symbol.name));
        let mut last = 0;
        for symbol in telling.take(6) {
            // A nested section is covered by the section that contains it.
            if symbol.lines.last <= last {
                continue;
            }
            last = symbol.lines.last;
            let what = format!("section “{}”", truncate_with_ellipsis(&one_line(&symbol.name).replace('`', "'"), 80));
            rows.push(list_row_with_citation(path, symbol.lines.first, symbol.lines.last, what));
        }
    }
}

#[cfg(test)]
mod tests {
    use peelback_code::syntax::language;
    use regex::Regex;

    #[test]
    fn patterns_of_task_files_compile() {
        for tasks in language::well_known_project_files_of_languages().flat_map(|files| files.task_files) {
            let pattern = Regex::new(tasks.pattern).expect(tasks.file_name);
            assert_eq!(pattern.captures_len(), 2, "{}", tasks.file_name);
        }
    }
}
