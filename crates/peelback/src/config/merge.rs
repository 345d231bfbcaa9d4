//! Merges the four layers of the configuration (the user's file, the project's file, environment, flags) in order of
//! precedence, and collects the mistakes in them.

use std::fmt;
use std::path::Path;

use peelback_code::{Project, escape_control_characters, find_similar_names};
use toml_edit::{Document, Item, Table};

use super::files::{ConfigSources, FileRole, FileStatus, OTHER_VARIABLES, SearchedFile, USER_FILE_VARIABLE};
use super::keys::{ConfigKey, KEYS, ProjectFileKeyRule, Settings};
use super::setting::Origin;
use super::value::{ConfigValue, ValueKind};

/// A mistake in the program's configuration, such as an unknown key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The place of the mistake: a file with a line, an environment variable or a flag.
    pub place: String,
    /// The configuration key as it was written; empty where the mistake does not concern a key.
    pub key: String,
    /// The description of the mistake, with the correction.
    pub message: String,
    /// The TOML table that the mistake concerns; empty where that is not a table of this program; `None` where it can
    /// be any table, because the whole file could not be parsed.
    pub table: Option<&'static str>,
}

impl ConfigProblem {
    /// Whether the mistake may be the reason that a value of the TOML table `table` is missing.
    pub fn can_concern_table(&self, table: &str) -> bool {
        self.table.is_none_or(|own| own == table)
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.key.is_empty() { "" } else { ": " };
        // The message can contain text of a project's file, which must not send control sequences to the terminal.
        f.write_str(&escape_control_characters(&format!("{}: {}{colon}{}", self.place, self.key, self.message)))
    }
}

/// The merged configuration, with its mistakes and notes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadedConfig {
    /// The merged settings; values that are mistakes are left out.
    pub settings: Settings,
    /// Mistakes in the configuration: a command that needs the settings does not run.
    pub problems: Vec<ConfigProblem>,
    /// Messages about settings that were ignored, with the reasons.
    pub notes: Vec<String>,
    /// The configuration files that were looked for.
    pub files: Vec<SearchedFile>,
}

impl LoadedConfig {
    /// Reads the configuration sources and merges them.
    pub fn from_sources(sources: &ConfigSources) -> Self {
        let mut loaded = Self::default();
        let (user, text) = sources.read_user_file();
        loaded.apply_config_file(user, text, |loaded, key, value, _line, path| {
            loaded.set_key_value(key, value, Origin::UserFile(path.to_owned()));
        });
        if let Some((project, text)) = sources.read_project_file() {
            loaded.apply_config_file(project, text, Self::apply_project_file_key);
        }
        loaded.apply_environment_variables(sources);
        for (key, texts) in &sources.flags {
            match key.kind.parse_variable_or_flag_texts(texts, &sources.working_folder) {
                Ok(value) => loaded.set_key_value(key, value, Origin::Flag(key.flag)),
                Err(message) => {
                    let place = format!("flag --{}", key.flag);
                    loaded.problems.push(ConfigProblem { place, key: String::new(), message, table: Some(key.table) });
                }
            }
        }
        loaded.lower_values_to_mcp_host_limits(sources);
        loaded
    }

    /// The settings of the project's configuration file alone, on top of default settings that allow sending texts to
    /// an endpoint.
    pub fn from_project_file_only(project: Project) -> Self {
        let mut loaded = Self::default();
        loaded.settings.send.value = true;
        let sources = ConfigSources { project: Some(project), ..ConfigSources::default() };
        if let Some((file, text)) = sources.read_project_file() {
            loaded.apply_config_file(file, text, Self::apply_project_file_key);
        }
        loaded
    }

    /// Whether the secrets in answers of tools are masked. Where a mistake may concern the setting, they are.
    pub fn is_masking_answers(&self) -> bool {
        self.settings.mask.value || self.problems.iter().any(|problem| problem.can_concern_table("secrets"))
    }

    fn set_key_value(&mut self, key: &ConfigKey, value: ConfigValue, origin: Origin) {
        let place = origin.to_string();
        if !(key.put)(&mut self.settings, value, origin) {
            let message = format!("must be {}", key.kind.allowed_values_in_words());
            self.problems.push(ConfigProblem { place, key: key.dotted_name(), message, table: Some(key.table) });
        }
    }

    /// Applies a key of the project's file according to the key's rule: the file never extends what the user allows.
    fn apply_project_file_key(&mut self, key: &'static ConfigKey, value: ConfigValue, line: usize, path: &Path) {
        let (current, origin) = (key.get)(&self.settings);
        let origin = Origin::clone(origin);
        let ignored_note = |may: &str| {
            let current = current.as_ref().map_or_else(|| "not set".to_owned(), ConfigValue::to_toml_text);
            let (given, key) = (value.to_toml_text(), key.dotted_name());
            let place = path.display();
            escape_control_characters(&format!(
                "{place}:{line}: {key} = {given} is ignored: {may} ({current} by {origin})"
            ))
            .into_owned()
        };
        let project_origin = Origin::ProjectFile(path.to_owned());
        match (key.in_project, &value, &current) {
            (ProjectFileKeyRule::Free, ..) => self.set_key_value(key, value, project_origin),
            (ProjectFileKeyRule::Lower, ConfigValue::Number(given), Some(ConfigValue::Number(user)))
                if given <= user =>
            {
                if given < user {
                    self.set_key_value(key, value, project_origin);
                }
            }
            (ProjectFileKeyRule::OffOnly, ConfigValue::Switch(false), Some(ConfigValue::Switch(true))) => {
                self.set_key_value(key, value, project_origin)
            }
            (ProjectFileKeyRule::OnOnly, ConfigValue::Switch(true), Some(ConfigValue::Switch(false))) => {
                self.set_key_value(key, value, project_origin)
            }
            (ProjectFileKeyRule::OnOnly, ConfigValue::Switch(given), Some(ConfigValue::Switch(user)))
                if given == user => {}
            (ProjectFileKeyRule::OnOnly, ..) => {
                self.notes.push(ignored_note("a project's file may only switch it on"));
            }
            (ProjectFileKeyRule::OffOnly, ConfigValue::Switch(given), Some(ConfigValue::Switch(user)))
                if given == user => {}
            (ProjectFileKeyRule::Lower, ..) => {
                self.notes.push(ignored_note("a project's file may only lower the user's value"));
            }
            (ProjectFileKeyRule::OffOnly, ..) => {
                self.notes.push(ignored_note("a project's file may only switch it off"));
            }
            (ProjectFileKeyRule::Refused, ..) => {
                let user =
                    self.files.iter().find(|file| file.role == FileRole::User).and_then(|file| file.path.clone());
                let user = user.map_or_else(
                    || format!("a file named by {USER_FILE_VARIABLE}"),
                    |path| format!("the user file {}", path.display()),
                );
                self.problems.push(ConfigProblem {
                    place: format!("{}:{line}", path.display()),
                    key: key.dotted_name(),
                    message: format!(
                        "a project's file may not set this: put it into {user}, or use the variable {} or the flag --{}",
                        key.variable, key.flag
                    ),
                    table: Some(key.table),
                });
            }
        }
    }

    fn apply_config_file(
        &mut self,
        file: SearchedFile,
        text: Option<String>,
        mut apply_key: impl FnMut(&mut Self, &'static ConfigKey, ConfigValue, usize, &Path),
    ) {
        let path = file.path.clone().unwrap_or_default();
        // A user without a home folder and without a file gets the defaults; that is not a mistake.
        if let (FileStatus::Refused(reason), Some(path)) = (&file.status, &file.path) {
            self.problems.push(ConfigProblem {
                place: path.display().to_string(),
                key: String::new(),
                message: format!("cannot be read: {reason}"),
                table: None,
            });
        }
        self.files.push(file);
        let Some(text) = text else { return };
        let (parsed_keys, mut problems) = parse_config_file(&text, &path);
        self.problems.append(&mut problems);
        for (key, value, line) in parsed_keys {
            apply_key(self, key, value, line, &path);
        }
    }

    fn apply_environment_variables(&mut self, sources: &ConfigSources) {
        for (name, value) in &sources.environment {
            let Some(key) = KEYS.iter().find(|key| key.variable == name) else {
                if name.starts_with("PEELBACK_") && !OTHER_VARIABLES.contains(&name.as_str()) {
                    let nearest_variables = find_similar_names(name, KEYS.iter().map(|key| key.variable), 1);
                    let advice =
                        nearest_variables.first().map(|name| format!(": did you mean {name}?")).unwrap_or_default();
                    let note = format!("environment {name}: no key has this variable{advice}");
                    self.notes.push(escape_control_characters(&note).into_owned());
                }
                continue;
            };
            let texts: Vec<String> = if key.kind == ValueKind::Folders {
                std::env::split_paths(value)
                    .filter(|path| !path.as_os_str().is_empty())
                    .map(|path| path.display().to_string())
                    .collect()
            } else {
                vec![value.to_string_lossy().into_owned()]
            };
            match key.kind.parse_variable_or_flag_texts(&texts, &sources.working_folder) {
                Ok(value) => self.set_key_value(key, value, Origin::Environment(key.variable)),
                Err(message) => {
                    let place = format!("environment {name}");
                    self.problems.push(ConfigProblem { place, key: String::new(), message, table: Some(key.table) });
                }
            }
        }
    }

    /// Lowers the values of keys to the limits that a host sets in its environment variables, because the host would
    /// cut longer texts.
    fn lower_values_to_mcp_host_limits(&mut self, sources: &ConfigSources) {
        for key in KEYS {
            let Some((variable, divisor)) = key.lowered_by else { continue };
            let Some(limit_text) = sources.environment.get(variable) else { continue };
            let ValueKind::Number { least, .. } = key.kind else { continue };
            match limit_text.to_str().and_then(|text| text.trim().parse::<u64>().ok()) {
                Some(0) => self.notes.push(format!("environment {variable}: 0 is not a limit, and is ignored")),
                Some(host_limit) => {
                    let ceiling = (host_limit / divisor).max(least);
                    if matches!((key.get)(&self.settings).0, Some(ConfigValue::Number(current)) if current > ceiling) {
                        self.set_key_value(key, ConfigValue::Number(ceiling), Origin::Environment(variable));
                    }
                }
                None => self.notes.push(format!("environment {variable}: not a number, and is ignored")),
            }
        }
    }
}

/// The configuration keys in a file, with their values and line numbers.
type ParsedKeys = Vec<(&'static ConfigKey, ConfigValue, usize)>;

/// Parses a configuration file into its keys and the mistakes in it.
fn parse_config_file(text: &str, path: &Path) -> (ParsedKeys, Vec<ConfigProblem>) {
    let line_at = |offset: usize| text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1;
    let mut parsed_keys = Vec::new();
    let mut problems = Vec::new();
    let mut problem = |line: usize, key: &str, message: String, table: Option<&'static str>| {
        let place = format!("{}:{line}", path.display());
        problems.push(ConfigProblem { place, key: key.to_owned(), message, table });
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let line = line_at(error.span().map_or(0, |span| span.start));
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            problem(line, "", format!("not TOML: {message}"), None);
            return (parsed_keys, problems);
        }
    };
    let line_of = |table: &dyn toml_edit::TableLike, name: &str| {
        let key = table.get_key_value(name).and_then(|(key, item)| key.span().or_else(|| item.span()));
        line_at(key.map_or(0, |span| span.start))
    };
    let file_folder = path.parent().unwrap_or(Path::new("."));
    let root: &Table = document.as_table();
    for (table_name, item) in root.iter() {
        let line = line_of(root, table_name);
        let Some(table) = item.as_table_like() else {
            problem(
                line,
                table_name,
                unknown_key_message(table_name, table_name),
                intended_table_of_unknown_key(table_name, table_name),
            );
            continue;
        };
        if !KEYS.iter().any(|key| key.table == table_name) {
            // The first key inside an unknown table also helps to guess which table was meant.
            let first_key = table.iter().next().map_or_else(String::new, |(name, _)| name.to_owned());
            let table = intended_table_of_unknown_table(table_name, &first_key);
            problem(line, &format!("[{table_name}]"), unknown_table_message(table_name, &first_key), table);
            continue;
        }
        for (name, item) in table.iter() {
            let line = line_of(table, name);
            let written_key = format!("{table_name}.{name}");
            let Some(key) = KEYS.iter().find(|key| key.table == table_name && key.name == name) else {
                problem(
                    line,
                    &written_key,
                    unknown_key_message(name, &written_key),
                    intended_table_of_unknown_key(name, &written_key),
                );
                continue;
            };
            let value = match item {
                Item::Value(value) => key.kind.parse_toml_value(value, file_folder),
                _ => Err(format!("a table is not {}", key.kind.allowed_values_in_words())),
            };
            match value {
                Ok(value) => parsed_keys.push((key, value, line)),
                Err(message) => problem(line, &written_key, message, Some(key.table)),
            }
        }
    }
    (parsed_keys, problems)
}

/// The error message for an unknown key, with a suggestion.
fn unknown_key_message(name: &str, written: &str) -> String {
    if name == "http" {
        return "no such key: only the flag makes the server use HTTP (serve --http)".to_owned();
    }
    if let Some(key) = KEYS.iter().find(|key| key.name == name) {
        return format!("no such key: {name} belongs to [{}]", key.table);
    }
    match most_similar_config_key(name, written) {
        Some(best) => format!("no such key: did you mean {}?", best.dotted_name()),
        None => {
            let paths: Vec<String> = KEYS.iter().map(ConfigKey::dotted_name).collect();
            format!("no such key: there are {}", paths.join(", "))
        }
    }
}

/// The existing configuration key whose spelling is nearest to an unknown key.
fn most_similar_config_key(name: &str, written: &str) -> Option<&'static ConfigKey> {
    let by_name = find_similar_names(name, KEYS.iter().map(|key| key.name), 1);
    if let Some(name) = by_name.first() {
        return KEYS.iter().find(|key| key.name == name);
    }
    let paths: Vec<String> = KEYS.iter().map(ConfigKey::dotted_name).collect();
    let best = find_similar_names(written, paths.iter().map(String::as_str), 1).into_iter().next()?;
    KEYS.iter().find(|key| key.dotted_name() == best)
}

/// The TOML table that the author of an unknown key probably meant: the table of the key with that name, or else the
/// table in which the key was written, or else the table of the nearest key.
fn intended_table_of_unknown_key(name: &str, written: &str) -> Option<&'static str> {
    let key_with_name = KEYS.iter().find(|key| key.name == name).or_else(|| {
        let table = written.split('.').next().unwrap_or("");
        KEYS.iter().find(|key| key.table == table)
    });
    key_with_name.or_else(|| most_similar_config_key(name, written)).map(|key| key.table).or(Some(""))
}

/// The TOML table that the author of an unknown table probably meant, by its name or by the first key inside it.
fn intended_table_of_unknown_table(name: &str, inside: &str) -> Option<&'static str> {
    let mut tables: Vec<&'static str> = KEYS.iter().map(|key| key.table).collect();
    tables.dedup();
    let nearest_tables = find_similar_names(name, tables.iter().copied(), 1);
    let nearest_table = nearest_tables.first().and_then(|close| tables.iter().copied().find(|table| table == close));
    nearest_table.or_else(|| KEYS.iter().find(|key| key.name == inside).map(|key| key.table)).or(Some(""))
}

/// The error message for an unknown table, with a suggestion.
fn unknown_table_message(name: &str, inside: &str) -> String {
    match intended_table_of_unknown_table(name, inside).filter(|table| !table.is_empty()) {
        Some(table) => format!("no such table: did you mean [{table}]?"),
        None => {
            let mut tables: Vec<&str> = KEYS.iter().map(|key| key.table).collect();
            tables.dedup();
            let tables: Vec<String> = tables.iter().map(|table| format!("[{table}]")).collect();
            format!("no such table: there are {}", tables.join(", "))
        }
    }
}
