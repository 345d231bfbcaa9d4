//! The section on building and testing: commands that the repository's own files declare.

use std::sync::LazyLock;

use peelback_code::WalkOptions;
use peelback_code::syntax::{SymbolKind, walk_symbols};
use regex::Regex;

use super::manifests::Ecosystem;
use super::section::{Section, list_variants};
use super::survey::Survey;
use crate::citations::Reference;
use crate::markdown::{format_location, inline_code, one_line, truncate_with_ellipsis};
use crate::pattern::constant_patterns;

/// The most scripts of one package, targets of one file, or commands of continuous integration.
const MOST_EACH: usize = 12;

/// The most manifests whose scripts are listed; manifests nearest to the root come first.
const MOST_PACKAGES: usize = 3;

type Row = (String, Vec<Reference>);

pub(super) fn build_and_test_section(survey: &Survey<'_>) -> Option<Section> {
    let mut rows: Vec<Row> = Vec::new();
    add_default_commands(survey, &mut rows);
    add_scripts(survey, &mut rows);
    add_targets(survey, &mut rows);
    add_tox_environments(survey, &mut rows);
    add_ci_commands(survey, &mut rows);
    add_documented_sections(survey, &mut rows);
    Section::new("Build and Test", 9, 4, list_variants("", &rows, &[24, 12, 6, 3], "ways to build and test"))
}

fn list_row_with_citation(path: &str, first: u32, last: u32, what: String) -> Row {
    let reference = Reference {
        path: path.to_owned(),
        line_start: first,
        line_end: last,
        description: one_line(&what).replace('`', "'"),
    };
    (format!("- {what} ({})\n", inline_code(&format_location(path, first, last))), vec![reference])
}

/// Adds the default build and test commands of the tool that a root manifest belongs to, such as `cargo test`.
fn add_default_commands(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    for manifest in survey.manifests.iter().filter(|manifest| manifest.folder().is_empty()) {
        if let Some((language, key)) = manifest.language_version_key() {
            let version = inline_code(key.value.as_deref().unwrap_or(""));
            rows.push(list_row_with_citation(
                &manifest.path,
                key.lines.first,
                key.lines.last,
                format!("needs {language} {version}"),
            ));
        }
        let (names, what): (&[&str], &str) = match manifest.ecosystem {
            Ecosystem::Cargo => (&["workspace", "package"], "usual for Cargo: `cargo build`, `cargo test`"),
            Ecosystem::Go => (&["module"], "usual for Go: `go build ./...`, `go test ./...`"),
            Ecosystem::Python => (&["build-system.build-backend"], "built by "),
            Ecosystem::Npm => continue,
        };
        let Some(key) = manifest.key(names) else { continue };
        let value = key.value.as_deref().map(inline_code);
        let what = if manifest.ecosystem == Ecosystem::Python {
            let Some(value) = value else { continue };
            format!("{what}{value}: `pip install .` builds and installs it")
        } else {
            what.to_owned()
        };
        // A TOML table can be long, so only its first line is cited.
        rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.first, what));
    }
}

/// Adds the scripts of npm packages; scripts that build or test come first.
fn add_scripts(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let packages = survey.manifests.iter().filter(|manifest| manifest.ecosystem == Ecosystem::Npm);
    for manifest in packages.take(MOST_PACKAGES) {
        let mut scripts: Vec<_> = manifest.keys_below_table("scripts").filter(|(_, key)| key.value.is_some()).collect();
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
                format!(" in {}", inline_code(manifest.folder()))
            };
            let what = format!(
                "{}{within} runs {}",
                inline_code(&format!("npm run {name}")),
                inline_code(&truncate_with_ellipsis(value, 140))
            );
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.last, what));
        }
    }
}

type Pattern = LazyLock<Regex>;

constant_patterns! {
    TARGET = r"^([A-Za-z0-9][A-Za-z0-9_.-]*)(?:\s+[^:=]*)?:(?:[^=:]|$)";
    TOX = r"^\[(testenv[^\]]*)\]";
    SESSION = r"^def (\w+)\(session";
    HEADING = r"(?i)\b(build(ing|s)?\b|compil|tests?\b|testing|develop(ing|ment)|contribut|hacking|from source)";
}

/// Adds targets of Makefiles and similar files.
fn add_targets(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let files: [(&[&str], &str, &Pattern); 5] = [
        (&["Makefile", "makefile", "GNUmakefile"], "make", &TARGET),
        (&["justfile", "Justfile", ".justfile"], "just", &TARGET),
        (&["Taskfile.yml", "Taskfile.yaml"], "task", &TARGET),
        (&["tox.ini"], "tox", &TOX),
        (&["noxfile.py"], "nox", &SESSION),
    ];
    for (names, program, pattern) in files {
        let Some(path) = survey.first_existing_file(names) else { continue };
        let Ok(file) = survey.access.read_file_by_root_path(path) else { continue };
        let mut seen: Vec<String> = Vec::new();
        for (line, text) in (1..).zip(file.text.lines()) {
            let Some(name) = pattern.captures(text).and_then(|found| found.get(1)).map(|name| name.as_str()) else {
                continue;
            };
            // A target named like a file produces that file and is not a command.
            if name.contains('.') || seen.iter().any(|known| known == name) || seen.len() >= MOST_EACH {
                continue;
            }
            seen.push(name.to_owned());
            let call = match program {
                "tox" => format!("tox -e {}", name.trim_start_matches("testenv").trim_start_matches(':')),
                "nox" => format!("nox -s {name}"),
                _ => format!("{program} {name}"),
            };
            let call = if call == "tox -e " { "tox".to_owned() } else { call };
            rows.push(list_row_with_citation(path, line, line, inline_code(&call)));
        }
    }
}

/// Adds the tox environments that `pyproject.toml` declares.
fn add_tox_environments(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    for manifest in survey.manifests.iter().filter(|manifest| manifest.ecosystem == Ecosystem::Python) {
        let described = |table: &str| {
            let key = manifest.key(&[format!("{table}.description").as_str()])?;
            Some(format!(": “{}”", truncate_with_ellipsis(&one_line(key.value.as_deref()?).replace('`', "'"), 100)))
        };
        if let Some(key) = manifest.key(&["tool.tox"]) {
            let what = described("tool.tox.env_run_base").unwrap_or_default();
            rows.push(list_row_with_citation(&manifest.path, key.lines.first, key.lines.first, format!("`tox`{what}")));
        }
        let mut environments: Vec<_> =
            manifest.keys_below_table("tool.tox.env").filter(|(name, _)| !name.contains('.')).collect();
        environments.sort_by_key(|(_, key)| key.lines.first);
        for (name, key) in environments.into_iter().take(MOST_EACH) {
            let what = described(&key.name).unwrap_or_default();
            let call = inline_code(&format!("tox -e {name}"));
            rows.push(list_row_with_citation(
                &manifest.path,
                key.lines.first,
                key.lines.first,
                format!("{call}{what}"),
            ));
        }
    }
}

/// Adds the commands that continuous integration runs.
fn add_ci_commands(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let hidden = WalkOptions { hidden: true, ..WalkOptions::default() };
    let workflows = survey.access.project().files(Some(".github/workflows"), &hidden);
    let mut paths: Vec<String> =
        workflows.map(|set| set.entries.into_iter().map(|place| place.path).collect()).unwrap_or_default();
    paths.retain(|path| path.ends_with(".yml") || path.ends_with(".yaml"));
    paths.extend(
        [".gitlab-ci.yml", ".travis.yml", ".circleci/config.yml"]
            .map(str::to_owned)
            .into_iter()
            .filter(|path| survey.access.project().has_file(path)),
    );
    let mut seen: Vec<String> = Vec::new();
    for path in paths.iter().filter(|path| survey.can_show_file(path)) {
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
            let is_telling = [
                "test", "build", "lint", "check", "clippy", "fmt", "tox", "nox", "make", "npm ", "yarn", "pnpm",
                "cargo", "go ",
            ]
            .iter()
            .any(|word| command.contains(word));
            if is_telling && !is_filled_in && !seen.iter().any(|known| known == command) && seen.len() < MOST_EACH {
                seen.push(command.to_owned());
                rows.push(list_row_with_citation(
                    path,
                    line,
                    line,
                    format!("continuous integration runs {}", inline_code(&truncate_with_ellipsis(command, 140))),
                ));
            }
        }
    }
}

/// Adds the sections of the README and the contributor guide that describe building or testing.
fn add_documented_sections(survey: &Survey<'_>, rows: &mut Vec<Row>) {
    let stems = ["contributing", "readme", "building", "build", "install", "development", "hacking"];
    let paths: Vec<&str> = stems.iter().filter_map(|stem| survey.find_root_file(stem, &[".md", ".markdown"])).collect();
    for path in paths {
        let Ok(analysed) = survey.access.analyse_file_by_root_path(path) else { continue };
        let sections = walk_symbols(&analysed.facts.symbols).map(|(symbol, _)| symbol);
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
