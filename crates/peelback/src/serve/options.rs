//! The options of the MCP server from the command line and the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use peelback_tools::MAX_ANSWER_TOKENS;

use super::calls::CallLimits;
use super::handler::ServerSettings;
use super::http::{BearerToken, HttpOptions};
use crate::arguments::is_cache_disabled_by_flag;
use crate::config::{self, Origin};
use crate::text_file;

/// The environment variable that contains the bearer token of the HTTP server.
const TOKEN_VARIABLE: &str = "PEELBACK_HTTP_TOKEN";

/// The limit on the bytes of a token file that are read; every token is shorter.
const MAX_TOKEN_FILE_BYTES: u64 = 4_096;

/// The transport of the protocol's messages: standard input and output, or HTTP.
pub(super) enum Transport {
    Stdio,
    Http(HttpOptions),
}

/// All options with which the server starts.
pub(super) struct ServeOptions {
    pub transport: Transport,
    pub settings: ServerSettings,
    pub limits: CallLimits,
    pub verbosity: u8,
    /// A warning about the options, which is logged once logging has started.
    pub warning: Option<String>,
}

const HELP: &str = "\
Standard output carries the protocol and nothing else; what the server has to say goes to standard error.

Environment:
  PEELBACK_HTTP_TOKEN     the bearer token of --http, where --token-file is not given
  PEELBACK_LOG            what is logged, in place of -v: debug, or peelback=debug,rmcp=info
  MAX_MCP_OUTPUT_TOKENS   the host's limit of an answer; answers stay under half of it";

/// The command-line grammar of `peelback serve`.
pub fn serve_command_grammar() -> Command {
    Command::new("serve")
        .about("Serves the tools to an agent over MCP")
        .long_about(
            "Serves the tools to an agent over the Model Context Protocol: on standard input and output, or over HTTP.",
        )
        .after_help(HELP)
        .args(config::config_flags())
        .arg(
            Arg::new("http").long("http").value_name("[HOST:]PORT").help(
                "The address to serve HTTP on, in place of standard input and output; a port alone is 127.0.0.1's",
            ),
        )
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A host name under which HTTP clients reach the server, beside its address"),
        )
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .help("The project; by default the repository around the working folder"),
        )
        .arg(
            Arg::new("verbose")
                .short('v')
                .long("verbose")
                .action(ArgAction::Count)
                .help("Log more to standard error; -vv logs the messages too"),
        )
}

impl ServeOptions {
    /// Reads the server's options from the command line and the merged `settings`, which already include the flags of
    /// configuration keys.
    pub fn from_arguments(matches: &ArgMatches, settings: &config::Settings) -> Result<Self, String> {
        let server_settings = ServerSettings {
            root: matches.get_one::<String>("root").map(PathBuf::from),
            allowed_roots: settings.allow_roots.value.clone(),
            documentation: settings.tool_documentation_mode.value,
            instructions: settings.system_prompt_mode.value,
            previews: settings.previews.value,
            max_answer_tokens: usize::try_from(settings.max_answer_tokens.value).unwrap_or(MAX_ANSWER_TOKENS),
            cache: settings.cache_options().filter(|_| !is_cache_disabled_by_flag(matches)),
            mask_secrets: settings.mask.value,
            embedder: crate::embedders::embedder_from_settings(settings),
            document_generator: Some(std::sync::Arc::new(crate::document_generator::ConfiguredDocumentGenerator::new(
                settings,
                matches.get_one::<String>("root").map(PathBuf::from).as_ref(),
            ))),
            scope_deadline: settings.model.value.as_ref().map(|_| Duration::from_secs(settings.scope_seconds.value)),
        };
        let mut limits =
            CallLimits { deadline: Duration::from_secs(settings.deadline_seconds.value), ..CallLimits::default() };
        if let Some(threads) = matches.try_get_one::<u16>("threads").ok().flatten() {
            limits.threads_per_call = usize::from(*threads);
        }
        let transport = match matches.get_one::<String>("http") {
            None => {
                let token = matches!(settings.token_file.origin, Origin::Flag(_)).then_some("token-file");
                match token.or_else(|| matches.contains_id("allow-host").then_some("allow-host")) {
                    Some(flag) => return Err(format!("--{flag} is for HTTP: add --http 127.0.0.1:8080")),
                    None => Transport::Stdio,
                }
            }
            Some(address) => Transport::Http(http_options_from_arguments(address, settings, matches)?),
        };
        let warning = match &transport {
            Transport::Http(_) => settings.token_file.value.as_deref().and_then(token_file_permission_warning),
            Transport::Stdio => None,
        };
        Ok(Self { transport, settings: server_settings, limits, verbosity: matches.get_count("verbose"), warning })
    }
}

fn http_options_from_arguments(
    address: &str,
    settings: &config::Settings,
    matches: &ArgMatches,
) -> Result<HttpOptions, String> {
    let token = load_bearer_token(settings, std::env::var_os(TOKEN_VARIABLE))?;
    let hosts = matches.get_many::<String>("allow-host").into_iter().flatten().cloned().collect();
    HttpOptions::new(address, token, hosts)
}

/// The bearer token of the HTTP server: from the file in the flag, or else from the environment variable, or else from
/// the file in the configuration.
fn load_bearer_token(settings: &config::Settings, variable: Option<OsString>) -> Result<Option<BearerToken>, String> {
    let file = settings.token_file.value.as_deref();
    let is_flag = matches!(settings.token_file.origin, Origin::Flag(_));
    let variable = variable.filter(|value| !value.is_empty() && !is_flag);
    let (text, token_description) = match (variable, file) {
        (Some(text), _) => {
            let text = text.into_string().map_err(|_| format!("the token in {TOKEN_VARIABLE} is not UTF-8"))?;
            (text, format!("the token in {TOKEN_VARIABLE}"))
        }
        (None, Some(file)) => {
            let text = text_file::read_text_file(file, MAX_TOKEN_FILE_BYTES)
                .map_err(|error| format!("cannot read the token in {}: {error}", file.display()))?;
            (text, format!("the token in {}", file.display()))
        }
        (None, None) => return Ok(None),
    };
    BearerToken::new(text.trim()).map(Some).map_err(|error| format!("{token_description} {error}"))
}

/// A warning where users other than the owner can read or write the token's file.
#[cfg(unix)]
fn token_file_permission_warning(file: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).ok()?.permissions().mode() & 0o777;
    let file = file.display();
    (mode & 0o077 != 0)
        .then(|| format!("{file} holds the token and is open to others (mode {mode:03o}): chmod 600 {file}"))
}

/// No warning on this platform, whose file modes do not show who can read a file.
#[cfg(not(unix))]
fn token_file_permission_warning(_: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use crate::config::{Origin, Setting, Settings};

    use super::load_bearer_token;

    #[test]
    fn the_grammar_holds() {
        super::serve_command_grammar().debug_assert();
    }

    #[test]
    fn the_nearest_token_wins() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "from-the-file-0123456789\n").expect("a file");
        let settings =
            |origin| Settings { token_file: Setting { value: Some(file.clone()), origin }, ..Settings::default() };
        let of = |settings: &Settings, variable: Option<&str>| {
            load_bearer_token(settings, variable.map(Into::into)).expect("a good one").map(|token| token.0)
        };
        let variable = Some("from-the-variable-0123456789");
        let file_token = Some("from-the-file-0123456789".to_owned());
        let user = settings(Origin::UserFile("config.toml".into()));
        assert_eq!(of(&user, variable).as_deref(), variable);
        assert_eq!(of(&user, Some("")), file_token);
        assert_eq!(of(&user, None), file_token);
        assert_eq!(of(&settings(Origin::Flag("token-file")), variable), file_token);
        assert_eq!(of(&Settings::default(), Some("")), None);
        std::fs::write(&file, "x".repeat(5_000)).expect("a file");
        assert!(load_bearer_token(&user, None).is_err_and(|error| error.contains("4096")));
    }

    #[cfg(unix)]
    #[test]
    fn an_open_token_file_is_said() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        std::fs::write(&file, "secret").expect("a file");
        let said = |mode| {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
            super::token_file_permission_warning(&file)
        };
        assert_eq!(said(0o600), None);
        assert!(said(0o640).is_some_and(|text| text.contains("chmod 600") && !text.contains("secret")));
    }
}
