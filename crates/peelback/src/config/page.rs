//! The settings as printed by `peelback config`, and the documentation page of the configuration keys.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::files::{FileRole, FileStatus};
use super::keys::{KEYS, Settings};
use super::merge::LoadedConfig;
use super::setting::Origin;
use super::value::ValueKind;

/// The settings as the text of a TOML file, with the origin of each value in a comment.
pub(crate) fn config_as_toml(loaded: &LoadedConfig) -> String {
    let rows: Vec<(&str, String, String)> = KEYS
        .iter()
        .map(|key| {
            let (value, origin) = (key.get)(&loaded.settings);
            let line = match value {
                Some(value) => format!("{} = {}", key.name, value.to_toml_text()),
                None => format!("# {} is not set", key.name),
            };
            (key.table, line, origin.to_string())
        })
        .collect();
    // A long line, such as one with a list, is not counted, so that it does not move the column of origins to the
    // right.
    let width = rows.iter().map(|(_, line, _)| line.chars().count()).filter(|width| *width <= 48).max().unwrap_or(0);
    let mut out = String::new();
    for block in rows.chunk_by(|a, b| a.0 == b.0) {
        let lead = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{lead}[{}]", block.first().map_or("", |row| row.0));
        for (_, line, origin) in block {
            let _ = writeln!(out, "{line:width$}  # {origin}");
        }
    }
    for note in &loaded.notes {
        let _ = write!(out, "\n# note: {note}");
    }
    if !loaded.notes.is_empty() {
        out.push('\n');
    }
    out
}

/// The settings, with the origin of each value, as one JSON object.
pub(crate) fn config_as_json(loaded: &LoadedConfig) -> Json {
    let settings: Vec<Json> = KEYS
        .iter()
        .map(|key| {
            let (value, origin) = (key.get)(&loaded.settings);
            json!({ "key": key.dotted_name(), "value": value.map(|value| value.to_json()), "origin": setting_origin_as_json(origin) })
        })
        .collect();
    json!({ "settings": settings, "notes": loaded.notes, "files": searched_config_files_as_json(loaded) })
}

fn setting_origin_as_json(origin: &Origin) -> Json {
    match origin {
        Origin::Default => json!({ "kind": "default" }),
        Origin::UserFile(path) => json!({ "kind": "user_file", "path": path.display().to_string() }),
        Origin::ProjectFile(path) => json!({ "kind": "project_file", "path": path.display().to_string() }),
        Origin::Environment(variable) => json!({ "kind": "environment", "variable": variable }),
        Origin::Flag(flag) => json!({ "kind": "flag", "flag": format!("--{flag}") }),
    }
}

/// The configuration files that were looked for, as JSON.
pub(crate) fn searched_config_files_as_json(loaded: &LoadedConfig) -> Json {
    let files = loaded.files.iter().map(|file| {
        let (status, reason) = match &file.status {
            FileStatus::Read => ("read", None),
            FileStatus::Absent => ("absent", None),
            FileStatus::Refused(reason) => ("refused", Some(reason.clone())),
        };
        let mut object = json!({
            "role": match file.role { FileRole::User => "user", FileRole::Project => "project" },
            "path": file.path.as_ref().map(|path| path.display().to_string()),
            "status": status,
        });
        if let (Some(reason), Some(object)) = (reason, object.as_object_mut()) {
            object.insert("reason".to_owned(), reason.into());
        }
        object
    });
    files.collect()
}

/// The configuration files that were looked for, one on a line.
pub(crate) fn searched_config_files_as_text(loaded: &LoadedConfig) -> String {
    let mut out = String::new();
    for file in &loaded.files {
        let role = match file.role {
            FileRole::User => "user file   ",
            FileRole::Project => "project file",
        };
        let path = file.path.as_ref().map_or_else(|| "nowhere".to_owned(), |path| path.display().to_string());
        let status = match &file.status {
            FileStatus::Read => "read".to_owned(),
            FileStatus::Absent => "not there".to_owned(),
            FileStatus::Refused(reason) => format!("cannot be read: {reason}"),
        };
        let _ = writeln!(out, "{role}  {path}  {status}");
    }
    out
}

/// The Markdown page of the configuration keys, generated from the table of keys.
pub(crate) fn config_keys_as_markdown() -> String {
    let mut out = String::from(INTRODUCTION);
    let defaults = Settings::default();
    let mut table = "";
    for key in KEYS {
        if key.table != table {
            table = key.table;
            let _ = writeln!(out, "\n## [{table}]");
        }
        let default = match (key.get)(&defaults).0 {
            Some(value) => format!("`{}`", value.to_toml_text()),
            None => "not set".to_owned(),
        };
        let flag = match key.kind {
            ValueKind::Folders => format!("`--{}`, which may be given several times", key.flag),
            _ => format!("`--{}`", key.flag),
        };
        let variable = match key.kind {
            ValueKind::Folders => format!("`{}`, separated as in `PATH`", key.variable),
            _ => format!("`{}`", key.variable),
        };
        let about = key.about.trim().lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "\n### {}\n\n{about}\n", key.name);
        let _ = writeln!(out, "- Value: {}. Default: {default}.", key.kind.allowed_values_in_words().replace('"', "`"));
        let _ = writeln!(out, "- Variable: {variable}. Flag: {flag}.");
        let _ = writeln!(out, "- A project's file {}.", key.in_project.rule_description_for_docs());
        if let Some((variable, divisor)) = key.lowered_by {
            let _ = writeln!(
                out,
                "- The host's own limit `{variable}`, divided by {divisor}, lowers it: a host's tokenizer may count \
                 {divisor} tokens for one of o200k's."
            );
        }
    }
    out
}

const INTRODUCTION: &str = "\
# Configuration

Made from the program's own table of keys; a test fails where this page is stale.

Later sources win over earlier ones:

1. the defaults below;
2. the user's file: `peelback/config.toml` in `$XDG_CONFIG_HOME` (`~/.config` where that is not set; `%APPDATA%` on
   Windows), or the file that `PEELBACK_CONFIG` names;
3. `peelback.toml` in the project's root;
4. environment variables;
5. flags of the command.

`peelback config` prints the result and where each value came from; `peelback config --path` the files that were looked
for. An unknown key or a value that is not allowed is an error of the commands that need the configuration (`serve`,
`config`, `docs`, `doctor`, `cache`). Of the tools on the command line `search` reads `[embedding]`: where a mistake may
be about that table, it sends nothing, goes by words alone, and says why. The others read `[cache]` alone, and pass over
mistakes.

A project's file comes with the project, whoever wrote it: it can narrow what the program may do and never widens it. It
must be a regular file below the root, of at most 64 KB. A value that would widen is ignored with a note; a key that
opens folders or files is refused there. Relative paths in a file are taken from the file's folder, those in variables
and flags from the working folder. Where a server is asked about another root than its own, the files of that root and
of the allowed folders above it may forbid that texts are sent; all else is as the server was started.

Whether the server speaks over HTTP is a flag alone (`serve --http`): in a file or a variable it would take the server
away from every host that starts it and speaks over standard input and output.

```toml
[agent]
tool_documentation_mode = \"minimal\"

[server]
deadline_seconds = 20
```
";
