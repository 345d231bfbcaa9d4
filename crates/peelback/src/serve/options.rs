//! What the command line and the environment say about the server.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use peelback_tools::MAX_ANSWER_TOKENS;

use super::calls::Limits;
use super::handler::Settings;
use super::http::{HttpOptions, Token};
use crate::config::{self, Origin};

/// The variable that holds the bearer token.
const TOKEN_VARIABLE: &str = "PEELBACK_HTTP_TOKEN";

/// How the messages travel.
pub(super) enum Transport {
    Stdio,
    Http(HttpOptions),
}

/// All that the server is told at its start.
pub(super) struct Options {
    pub transport: Transport,
    pub settings: Settings,
    pub limits: Limits,
    pub verbosity: u8,
}

const HELP: &str = "\
Standard output carries the protocol and nothing else; what the server has to say goes to standard error.

Environment:
  PEELBACK_HTTP_TOKEN     the bearer token of --http
  PEELBACK_LOG            what is logged, in place of -v: debug, or peelback=debug,rmcp=info
  MAX_MCP_OUTPUT_TOKENS   the host's limit of an answer; answers stay under half of it";

/// The grammar of `peelback serve`.
pub fn command() -> Command {
    Command::new("serve")
        .about("Serves the tools to an agent over MCP")
        .long_about(
            "Serves the tools to an agent over the Model Context Protocol: on standard input and output, or over HTTP.",
        )
        .after_help(HELP)
        .args(config::flags())
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

impl Options {
    /// Reads the command line beside the `settings` that it is a part of.
    pub fn of(matches: &ArgMatches, settings: &config::Settings) -> Result<Self, String> {
        let server = Settings {
            root: matches.get_one::<String>("root").map(PathBuf::from),
            allowed_roots: settings.allow_roots.value.clone(),
            documentation: settings.tool_documentation_mode.value,
            instructions: settings.system_prompt_mode.value,
            previews: settings.previews.value,
            answer_tokens: usize::try_from(settings.max_answer_tokens.value).unwrap_or(MAX_ANSWER_TOKENS),
        };
        let mut limits = Limits { deadline: Duration::from_secs(settings.deadline_seconds.value), ..Limits::default() };
        if let Some(threads) = matches.try_get_one::<u16>("threads").ok().flatten() {
            limits.threads = usize::from(*threads);
        }
        let transport = match &settings.http.value {
            None => {
                let token = matches!(settings.token_file.origin, Origin::Flag(_)).then_some("token-file");
                match token.or_else(|| matches.contains_id("allow-host").then_some("allow-host")) {
                    Some(flag) => return Err(format!("--{flag} is for HTTP: add --http 127.0.0.1:8080")),
                    None => Transport::Stdio,
                }
            }
            Some(address) => Transport::Http(http(address, settings, matches)?),
        };
        Ok(Self { transport, settings: server, limits, verbosity: matches.get_count("verbose") })
    }
}

fn http(address: &str, settings: &config::Settings, matches: &ArgMatches) -> Result<HttpOptions, String> {
    let token = match &settings.token_file.value {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| format!("cannot read the token in {}: {error}", file.display()))?;
            Some((text, format!("the token in {}", file.display())))
        }
        None => std::env::var(TOKEN_VARIABLE).ok().map(|text| (text, format!("the token in {TOKEN_VARIABLE}"))),
    };
    let token = match token {
        Some((text, whose)) => Some(Token::new(text.trim()).map_err(|error| format!("{whose} {error}"))?),
        None => None,
    };
    let hosts = matches.get_many::<String>("allow-host").into_iter().flatten().cloned().collect();
    HttpOptions::new(address, token, hosts)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_grammar_holds() {
        super::command().debug_assert();
    }
}
