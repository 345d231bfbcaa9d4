//! What the command line and the environment say about the server.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use peelback_tools::{DocumentationMode, MAX_ANSWER_TOKENS};

use super::calls::Limits;
use super::handler::Settings;
use super::http::{HttpOptions, Token};

/// The variable that holds the bearer token.
const TOKEN_VARIABLE: &str = "PEELBACK_HTTP_TOKEN";

/// The variable by which a host says how many of its own tokens an answer may have.
const HOST_LIMIT_VARIABLE: &str = "MAX_MCP_OUTPUT_TOKENS";

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
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDRESS")
                .help("Serve Streamable HTTP at http://ADDRESS/mcp: 127.0.0.1:8080; port 0 takes a free one"),
        )
        .arg(
            Arg::new("token-file")
                .long("token-file")
                .value_name("FILE")
                .requires("http")
                .value_parser(value_parser!(PathBuf))
                .help("The bearer token that every HTTP request must carry; wanted where ADDRESS is no loopback"),
        )
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("NAME")
                .requires("http")
                .action(ArgAction::Append)
                .help("A host name under which HTTP clients reach the server, beside its address"),
        )
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The project; by default the repository around the working folder"),
        )
        .arg(
            Arg::new("allow-root")
                .long("allow-root")
                .value_name("DIR")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Another folder that a call's root may name, or a folder below it; may be given several times"),
        )
        .arg(
            Arg::new("docs")
                .long("docs")
                .value_name("MODE")
                .value_parser(PossibleValuesParser::new(DocumentationMode::ALL.map(DocumentationMode::as_str)))
                .help("How much of the tools' docs the list of tools holds; by default progressive"),
        )
        .arg(
            Arg::new("previews")
                .long("previews")
                .action(ArgAction::SetTrue)
                .help("Add to each answer a short preview for the person who watches"),
        )
        .arg(
            Arg::new("deadline")
                .long("deadline")
                .value_name("SECONDS")
                .default_value("45")
                .value_parser(value_parser!(u64).range(1..=3600))
                .help("When a call ends with what it found; keep it under the host's own time-out"),
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
    /// Reads the command line and the environment.
    pub fn of(matches: &ArgMatches) -> Result<Self, String> {
        let paths = |name: &str| matches.get_many::<PathBuf>(name).into_iter().flatten().cloned().collect();
        let docs = matches.get_one::<String>("docs");
        let documentation =
            DocumentationMode::ALL.into_iter().find(|mode| docs.is_some_and(|word| word == mode.as_str()));
        let settings = Settings {
            root: matches.get_one::<PathBuf>("root").cloned(),
            allowed_roots: paths("allow-root"),
            documentation: documentation.unwrap_or_default(),
            previews: matches.get_flag("previews"),
            answer_tokens: answer_tokens(std::env::var(HOST_LIMIT_VARIABLE).ok().as_deref()),
        };
        let mut limits = Limits::default();
        if let Some(seconds) = matches.get_one::<u64>("deadline") {
            limits.deadline = Duration::from_secs(*seconds);
        }
        if let Some(threads) = matches.try_get_one::<u16>("threads").ok().flatten() {
            limits.threads = usize::from(*threads);
        }
        let transport = match matches.get_one::<String>("http") {
            None => Transport::Stdio,
            Some(address) => Transport::Http(http(address, matches)?),
        };
        Ok(Self { transport, settings, limits, verbosity: matches.get_count("verbose") })
    }
}

fn http(address: &str, matches: &ArgMatches) -> Result<HttpOptions, String> {
    let token = match matches.get_one::<PathBuf>("token-file") {
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

/// The most o200k tokens of an answer where the host takes `limit` of its own, which can be half as long.
fn answer_tokens(limit: Option<&str>) -> usize {
    let limit = limit.and_then(|limit| limit.trim().parse::<usize>().ok());
    limit.map_or(MAX_ANSWER_TOKENS, |limit| (limit / 2).clamp(1, MAX_ANSWER_TOKENS))
}

#[cfg(test)]
mod tests {
    use peelback_tools::MAX_ANSWER_TOKENS;

    use super::answer_tokens;

    #[test]
    fn a_host_narrows_answers_and_never_widens_them() {
        assert_eq!(answer_tokens(None), MAX_ANSWER_TOKENS);
        assert_eq!(answer_tokens(Some("25000")), MAX_ANSWER_TOKENS);
        assert_eq!(answer_tokens(Some("9000")), 4_500);
        assert_eq!(answer_tokens(Some("0")), 1);
        assert_eq!(answer_tokens(Some("many")), MAX_ANSWER_TOKENS);
    }

    #[test]
    fn the_grammar_holds() {
        super::command().debug_assert();
    }
}
