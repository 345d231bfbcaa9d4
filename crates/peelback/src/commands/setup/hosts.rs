//! The hosts that `peelback setup` supports: the configuration files that each host reads, and the form of a server's
//! entry there.

use std::env;
use std::path::{Path, PathBuf};

use peelback_code::find_similar_names;
use serde_json::{Map, Value, json};

use super::entry::{SERVER_NAME, ServerEntry, server_entry_as_toml_file};
use crate::config::user_config_folder;

/// The size limit, in bytes, of a host's configuration file.
pub(in crate::commands) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The syntax of a host's configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum ConfigFileSyntax {
    /// The file is plain JSON, without comments.
    Json,
    /// The file is JSON with comments and trailing commas.
    JsonWithComments,
    /// The file is TOML.
    Toml,
}

/// A host: a program that connects to MCP servers, such as an editor.
pub(in crate::commands) struct McpHost {
    /// The host's name in the arguments of `peelback setup`.
    pub name: &'static str,
    /// The host's name in texts for people.
    pub title: &'static str,
    /// The syntax of the host's configuration file.
    pub syntax: ConfigFileSyntax,
    /// The key of the object, in the host's file, that contains the server entries.
    pub section: &'static str,
    /// Paths of the host's file in a project, relative to the project's root: the usual path first, then alternatives.
    project_file_paths: &'static [&'static str],
    find_user_file: fn() -> Option<PathBuf>,
    build_entry: fn(&str) -> Value,
    /// The commands of the host itself that register a server: the first for the project, the second for the user.
    registration_commands: [Option<&'static str>; 2],
    /// The key of the object, in the user's file, that contains servers for single projects, by the project's folder.
    pub projects_key: Option<&'static str>,
    /// A note on the project's file that is printed with the instructions, or an empty text.
    pub project_note: &'static str,
    /// A note on the user's file that is printed with the instructions, or an empty text.
    pub user_note: &'static str,
}

/// All hosts that `peelback setup` supports.
pub(in crate::commands) static HOSTS: &[McpHost] = &[
    McpHost {
        name: "claude-code",
        title: "Claude Code",
        syntax: ConfigFileSyntax::Json,
        section: "mcpServers",
        project_file_paths: &[".mcp.json"],
        find_user_file: || {
            Some(path_from_environment_variable("CLAUDE_CONFIG_DIR").or_else(home_folder)?.join(".claude.json"))
        },
        build_entry: |command| json!({ "type": "stdio", "command": command, "args": ["serve"] }),
        registration_commands: [
            Some("claude mcp add --scope project peelback -- peelback serve"),
            Some("claude mcp add --scope user peelback -- peelback serve"),
        ],
        projects_key: Some("projects"),
        project_note: "Claude Code asks once before it starts a server that a project brings.",
        user_note: "Claude Code writes to this file while it runs: end it first, or use its own command.",
    },
    McpHost {
        name: "codex",
        title: "Codex",
        syntax: ConfigFileSyntax::Toml,
        section: "mcp_servers",
        project_file_paths: &[".codex/config.toml"],
        find_user_file: || {
            Some(
                path_from_environment_variable("CODEX_HOME")
                    .or_else(|| Some(home_folder()?.join(".codex")))?
                    .join("config.toml"),
            )
        },
        build_entry: |command| json!({ "command": command, "args": ["serve"] }),
        registration_commands: [None, Some("codex mcp add peelback -- peelback serve")],
        projects_key: None,
        project_note: "Codex reads a project's file only where the project is trusted.",
        user_note: "",
    },
    McpHost {
        name: "cursor",
        title: "Cursor",
        syntax: ConfigFileSyntax::JsonWithComments,
        section: "mcpServers",
        project_file_paths: &[".cursor/mcp.json"],
        find_user_file: || Some(home_folder()?.join(".cursor").join("mcp.json")),
        // The host Cursor does not start servers in the project's folder, so the entry names the root.
        build_entry: |command| json!({ "type": "stdio", "command": command, "args": ["serve", "--root", "${workspaceFolder}"] }),
        registration_commands: [None, None],
        projects_key: None,
        project_note: "",
        user_note: "",
    },
    McpHost {
        name: "vscode",
        title: "VS Code",
        syntax: ConfigFileSyntax::JsonWithComments,
        section: "servers",
        project_file_paths: &[".vscode/mcp.json"],
        find_user_file: || {
            let folder = if cfg!(target_os = "macos") {
                home_folder()?.join("Library/Application Support")
            } else {
                user_config_folder()?
            };
            Some(folder.join("Code").join("User").join("mcp.json"))
        },
        // The host VS Code does not start servers in the project's folder where the entry is in the user's file, so the
        // entry names the root.
        build_entry: |command| json!({ "type": "stdio", "command": command, "args": ["serve", "--root", "${workspaceFolder}"] }),
        registration_commands: [
            None,
            Some(
                r#"code --add-mcp '{"name":"peelback","type":"stdio","command":"peelback","args":["serve","--root","${workspaceFolder}"]}'"#,
            ),
        ],
        projects_key: None,
        project_note: "",
        user_note: "A profile other than the default one has a file of its own: `MCP: Open User Configuration` opens it.",
    },
    McpHost {
        name: "zed",
        title: "Zed",
        syntax: ConfigFileSyntax::JsonWithComments,
        section: "context_servers",
        project_file_paths: &[".zed/settings.json"],
        find_user_file: || {
            Some(user_config_folder()?.join(if cfg!(windows) { "Zed" } else { "zed" }).join("settings.json"))
        },
        build_entry: |command| json!({ "command": command, "args": ["serve"], "env": {} }),
        registration_commands: [None, None],
        projects_key: None,
        project_note: "",
        user_note: "",
    },
    McpHost {
        name: "opencode",
        title: "opencode",
        syntax: ConfigFileSyntax::JsonWithComments,
        section: "mcp",
        project_file_paths: &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        find_user_file: || {
            let folder = path_from_environment_variable("XDG_CONFIG_HOME")
                .or_else(|| Some(home_folder()?.join(".config")))?
                .join("opencode");
            let other = folder.join("opencode.jsonc");
            Some(if other.is_file() { other } else { folder.join("opencode.json") })
        },
        build_entry: |command| json!({ "type": "local", "command": [command, "serve"], "enabled": true }),
        registration_commands: [None, None],
        projects_key: None,
        project_note: "",
        user_note: "",
    },
];

/// The host named `name`, or an error that suggests known hosts.
pub(in crate::commands) fn mcp_host_by_name(name: &str) -> Result<&'static McpHost, String> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    HOSTS.iter().find(|host| host.name == name).ok_or_else(|| {
        let names: Vec<&str> = HOSTS.iter().map(|host| host.name).collect();
        let nearest_names = find_similar_names(&name, names.iter().copied(), 1);
        let advice = nearest_names
            .first()
            .map(|name| format!("did you mean {name}?"))
            .unwrap_or_else(|| format!("there are {}", names.join(", ")));
        format!("there is no host {name:?}: {advice}")
    })
}

impl McpHost {
    /// The path of the host's file in the project at `folder`: the first file that exists, or else the usual path.
    pub fn project_configuration_file_path(&self, folder: &Path) -> PathBuf {
        let existing_file = self.project_file_paths.iter().find(|file| folder.join(file).exists());
        folder.join(existing_file.or(self.project_file_paths.first()).unwrap_or(&""))
    }

    /// The path of the host's configuration file for the user; `None` where the user has no home folder.
    pub fn user_configuration_file_path(&self) -> Option<PathBuf> {
        (self.find_user_file)()
    }

    /// Builds the entry with which the host starts the server by the program `command`.
    pub fn new_server_entry(&self, command: &str) -> ServerEntry {
        match (self.build_entry)(command) {
            Value::Object(fields) => ServerEntry(fields),
            other => ServerEntry(Map::from_iter([("command".to_owned(), other)])),
        }
    }

    /// The text of a host's configuration file that contains only the server's entry.
    pub fn configuration_snippet(&self, entry: &ServerEntry) -> String {
        match self.syntax {
            ConfigFileSyntax::Json | ConfigFileSyntax::JsonWithComments => {
                let document = json!({ self.section: { SERVER_NAME: entry.0 } });
                format!("{document:#}\n")
            }
            ConfigFileSyntax::Toml => server_entry_as_toml_file(self.section, entry),
        }
    }

    /// The command of the host itself that registers the server, for the user or for the project; `None` where it has
    /// none.
    pub fn server_registration_command(&self, user: bool) -> Option<&'static str> {
        let [for_project, for_user] = self.registration_commands;
        if user { for_user } else { for_project }
    }
}

fn home_folder() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

fn path_from_environment_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
