//! The table of configuration keys. All facts about a key are in its row; parsing, variables, flags, output and docs
//! iterate over the rows.

use std::path::PathBuf;

use peelback_code::CacheOptions;
use peelback_llm::EmbeddingApiFormat;
use peelback_tools::{DocumentationMode, MAX_ANSWER_TOKENS};

use super::setting::{Origin, Setting};
use super::value::{ConfigValue, Dollars, SettingValue, SystemPromptMode, ValueKind};

/// What the project's configuration file may do with a key. The file comes with the project, whose authors can be
/// hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectFileKeyRule {
    /// The project's file can set the key, because the key grants no access.
    Free,
    /// The project's file can only lower the user's number.
    Lower,
    /// The project's file can only switch the key off.
    OffOnly,
    /// The project's file can only switch the key on.
    OnOnly,
    /// The project's file cannot set the key, because the key gives access to files or folders.
    Refused,
}

impl ProjectFileKeyRule {
    /// The rule in words, for the documentation page of the configuration.
    pub(super) fn rule_description_for_docs(self) -> &'static str {
        match self {
            Self::Free => "may set it",
            Self::Lower => "may only lower it",
            Self::OffOnly => "may only switch it off",
            Self::OnOnly => "may only switch it on",
            Self::Refused => "may not set it",
        }
    }
}

/// A configuration key: a row of the table of keys.
#[derive(Debug)]
pub struct ConfigKey {
    /// The TOML table that contains the key.
    pub table: &'static str,
    /// The key's name inside its TOML table; no two keys have the same name.
    pub name: &'static str,
    /// The description of the key in help texts and docs.
    pub about: &'static str,
    /// The values that the key accepts.
    pub kind: ValueKind,
    /// What the project's configuration file may do with the key.
    pub in_project: ProjectFileKeyRule,
    /// The environment variable that sets the key.
    pub variable: &'static str,
    /// The command-line flag that sets the key, without the dashes.
    pub flag: &'static str,
    /// The environment variable of another program that limits the key's value, and the divisor that turns the
    /// variable's number into that limit.
    pub lowered_by: Option<(&'static str, u64)>,
    /// A function that stores a checked value of the key in the settings, and returns `false` where the value has
    /// another type.
    pub(super) put: fn(&mut Settings, ConfigValue, Origin) -> bool,
    /// A function that returns the key's value in the settings (`None` where it is not set) and its origin.
    pub(super) get: fn(&Settings) -> (Option<ConfigValue>, &Origin),
}

impl ConfigKey {
    /// The key's full name, in the form `table.name`.
    pub fn dotted_name(&self) -> String {
        format!("{}.{}", self.table, self.name)
    }
}

/// Defines the settings struct and the table of keys from one list.
macro_rules! settings {
    ($(
        $(#[doc = $doc:literal])+
        [$table:ident] $name:ident: $type:ty = $default:expr,
        $kind:expr, $rule:ident, $variable:literal, $flag:literal, $lowered_by:expr;
    )*) => {
        /// The merged values of all configuration keys, each with its origin.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Settings {
            $( $(#[doc = $doc])+ pub $name: Setting<$type>, )*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $( $name: Setting { value: $default, origin: Origin::Default }, )* }
            }
        }

        /// All configuration keys, in the order of the printed configuration.
        pub static KEYS: &[ConfigKey] = &[ $( ConfigKey {
            table: stringify!($table),
            name: stringify!($name),
            about: concat!($($doc),+),
            kind: $kind,
            in_project: ProjectFileKeyRule::$rule,
            variable: $variable,
            flag: $flag,
            lowered_by: $lowered_by,
            put: |settings, value, origin| match SettingValue::from_config_value(value) {
                Some(value) => {
                    settings.$name = Setting { value, origin };
                    true
                }
                None => false,
            },
            get: |settings| (settings.$name.value.to_config_value(), &settings.$name.origin),
        }, )* ];
    };
}

settings! {
    /// How much of the tools' docs a model gets with the list of tools. What a mode leaves out comes with the error of
    /// a wrong call, or on request through `search_tools`.
    [agent] tool_documentation_mode: DocumentationMode = DocumentationMode::Progressive,
        ValueKind::Choice(&["minimal", "progressive", "full"]), Free,
        "PEELBACK_TOOL_DOCUMENTATION_MODE", "docs", None;
    /// How much the instructions say that a model gets before the first call.
    [agent] system_prompt_mode: SystemPromptMode = SystemPromptMode::Default,
        ValueKind::Choice(&["minimal", "default"]), Free,
        "PEELBACK_SYSTEM_PROMPT_MODE", "system-prompt-mode", None;
    /// Seconds after which a call ends with what it found so far, which its evidence says.
    [server] deadline_seconds: u64 = 45,
        ValueKind::Number { least: 1, most: 3_600 }, Lower,
        "PEELBACK_DEADLINE_SECONDS", "deadline", None;
    /// The same for `scope` where a model writes: it takes several replies. Hosts that give up sooner want to be told so, too.
    [server] scope_seconds: u64 = 240,
        ValueKind::Number { least: 5, most: 3_600 }, Lower,
        "PEELBACK_SCOPE_SECONDS", "scope-seconds", None;
    /// Whether `scope` and `context` write documents below the root where a call of the server names an `output` or has a
    /// document renewed. Off, they are declared read-only.
    [server] write_documents: bool = true,
        ValueKind::Switch, OffOnly,
        "PEELBACK_WRITE_DOCUMENTS", "write-documents", None;
    /// Whether a call of the server may name the https address of a repository as its `source`, which is cloned into a
    /// temporary folder.
    [server] clone_sources: bool = false,
        ValueKind::Switch, OffOnly,
        "PEELBACK_CLONE_SOURCES", "clone-sources", None;
    /// Whether answers carry a short preview for the person who looks on.
    [server] previews: bool = false,
        ValueKind::Switch, OffOnly,
        "PEELBACK_PREVIEWS", "previews", None;
    /// Folders beside the root that a call may name as its root.
    [server] allow_roots: Vec<PathBuf> = Vec::new(),
        ValueKind::Folders, Refused,
        "PEELBACK_ALLOW_ROOTS", "allow-root", None;
    /// A file that holds the bearer token that clients of `serve --http` must send. The variable `PEELBACK_HTTP_TOKEN`,
    /// which holds the token itself, wins over it, and the flag over both. The token itself is never printed.
    [server] token_file: Option<PathBuf> = None,
        ValueKind::File, Refused,
        "PEELBACK_TOKEN_FILE", "token-file", None;
    /// The ceiling of every answer, in o200k tokens.
    [server] max_answer_tokens: u64 = MAX_ANSWER_TOKENS as u64,
        ValueKind::Number { least: MIN_ANSWER_TOKENS, most: MAX_ANSWER_TOKENS as u64 }, Lower,
        "PEELBACK_MAX_ANSWER_TOKENS", "max-answer-tokens", Some(("MAX_MCP_OUTPUT_TOKENS", HOST_TOKENS_PER_TOKEN));
    /// Whether passwords, keys and tokens are masked in the answers of tools, too, on the command line and in the server.
    /// What goes to a model, to an embedding endpoint or into a document is always masked. An answer about a file with
    /// more than 25,000 secrets, or whose secrets are not found in the time of the call, is withheld.
    [secrets] mask: bool = false,
        ValueKind::Switch, OnOnly,
        "PEELBACK_MASK_SECRETS", "mask-secrets", None;
    /// Whether what is found out about the contents of files is kept on disk for the next run. Answers are the same
    /// without it.
    [cache] enabled: bool = true,
        ValueKind::Switch, OffOnly,
        "PEELBACK_CACHE", "cache", None;
    /// The folder of the cache; by default `peelback` in the user's cache folder. A cache that lies inside the project is
    /// not used.
    [cache] folder: Option<PathBuf> = None,
        ValueKind::Folder, Refused,
        "PEELBACK_CACHE_DIR", "cache-dir", None;
    /// Megabytes that the cache may hold; what was not used for longest goes first.
    [cache] max_megabytes: u64 = CacheOptions::MAX_BYTES >> 20,
        ValueKind::Number { least: 16, most: 65_536 }, Lower,
        "PEELBACK_CACHE_MEGABYTES", "cache-megabytes", None;
    /// A model on this machine that `search` orders the best passages with, by their meaning: a folder in the layout of
    /// sentence-transformers (`config.json`, `tokenizer.json`, `model.safetensors`). Builds without the feature
    /// `local-embeddings` say that they cannot. Nothing is ever downloaded.
    [embedding] model_folder: Option<PathBuf> = None,
        ValueKind::Folder, Refused,
        "PEELBACK_EMBEDDING_MODEL_FOLDER", "embedding-model-folder", None;
    /// An endpoint to do the same: the address up to `/v1` (OpenAI and what speaks like it), or of an Ollama server. The
    /// variable `PEELBACK_EMBEDDING_KEY` holds its key, where it wants one.
    [embedding] endpoint: Option<String> = None,
        ValueKind::Text, Refused,
        "PEELBACK_EMBEDDING_ENDPOINT", "embedding-endpoint", None;
    /// What the endpoint speaks.
    [embedding] endpoint_form: EmbeddingApiFormat = EmbeddingApiFormat::OpenAi,
        ValueKind::Choice(EmbeddingApiFormat::NAMES), Refused,
        "PEELBACK_EMBEDDING_FORM", "embedding-form", None;
    /// The name of the endpoint's model.
    [embedding] endpoint_model: Option<String> = None,
        ValueKind::Text, Refused,
        "PEELBACK_EMBEDDING_MODEL", "embedding-model", None;
    /// Whether texts of the project are sent to the endpoint. Until it is set, `search` says how many tokens it would
    /// send and where, and ranks by words alone.
    [embedding] send: bool = false,
        ValueKind::Switch, OffOnly,
        "PEELBACK_EMBEDDING_SEND", "embedding-send", None;
    /// The model that `scope` and `context` write with, as `provider/model`, such as `anthropic/claude-sonnet-4-5` or
    /// `ollama/qwen3`. Without one they write what is found without a model. Its key is read from the provider's own
    /// variable, such as `ANTHROPIC_API_KEY`.
    [model] model: Option<String> = None,
        ValueKind::Text, Refused,
        "PEELBACK_MODEL", "model", None;
    /// Where the model is served, where that is not the provider's own address.
    [model] base_url: Option<String> = None,
        ValueKind::Text, Refused,
        "PEELBACK_BASE_URL", "base-url", None;
    /// A file that holds the model's key; it wins over the provider's variable. The key itself is never printed.
    [model] key_file: Option<PathBuf> = None,
        ValueKind::File, Refused,
        "PEELBACK_KEY_FILE", "key-file", None;
    /// A file of prices that win over those that come with the program, in the form of its `prices.toml`.
    [model] prices_file: Option<PathBuf> = None,
        ValueKind::File, Refused,
        "PEELBACK_PRICES_FILE", "prices-file", None;
    /// Seconds that one reply of the model may take.
    [model] reply_seconds: u64 = 300,
        ValueKind::Number { least: 1, most: 3_600 }, Refused,
        "PEELBACK_REPLY_SECONDS", "reply-seconds", None;
    /// Tokens that one request may send; the agent's conversation is trimmed to fit. The pipeline has limits of its own, in
    /// characters, and this one where it is set.
    [budget] max_input_tokens: u64 = 20_000,
        ValueKind::Number { least: 4_000, most: 2_000_000 }, Lower,
        "PEELBACK_MAX_INPUT_TOKENS", "max-input-tokens", None;
    /// Tokens that may go to and come from the model in any minute; calls wait for it.
    [budget] tokens_per_minute: u64 = 40_000,
        ValueKind::Number { least: 4_000, most: 100_000_000 }, Refused,
        "PEELBACK_TPM", "tpm", None;
    /// Tokens that a run may use in all, 0 for no limit. A part of them is kept for a last answer, so that reaching it
    /// ends in a document that names its open questions. The default holds only where the price of the model is not known
    /// and `max_cost` is not set.
    [budget] max_total_tokens: Option<u64> = Some(1_000_000),
        ValueKind::Number { least: 0, most: 100_000_000 }, Refused,
        "PEELBACK_MAX_TOTAL_TOKENS", "max-total-tokens", None;
    /// US dollars that a run may cost, 0 for no limit, neither by default nor of tokens. The price of the model must be
    /// known for it: where it is not, the default does not hold, and `max_total_tokens` does.
    [budget] max_cost: Option<Dollars> = Some(Dollars::whole(2)),
        ValueKind::Dollars, Refused,
        "PEELBACK_MAX_COST", "max-cost", None;
    /// Characters of code that both exploration requests of the pipeline aim at together. The names of functions and methods
    /// of the files that fit the question are shown beyond it, up to `exploration_chars`; details are not.
    [budget] exploration_aim_chars: u64 = 16_000,
        ValueKind::Number { least: 1_000, most: 160_000 }, Lower,
        "PEELBACK_EXPLORATION_AIM_CHARS", "exploration-aim-chars", None;
    /// Characters of code that one exploration request of the pipeline has at most; of one file, at most 8,000.
    [budget] exploration_chars: u64 = 80_000,
        ValueKind::Number { least: 1_000, most: 80_000 }, Lower,
        "PEELBACK_EXPLORATION_CHARS", "exploration-chars", None;
    /// Characters of code that the request that writes the document has at most; of one file, at most 15,000.
    [budget] writing_chars: u64 = 120_000,
        ValueKind::Number { least: 2_000, most: 120_000 }, Lower,
        "PEELBACK_WRITING_CHARS", "writing-chars", None;
}

/// The lowest value to which the limit on an answer's tokens can be set: enough for an answer that only gives the
/// number of results.
const MIN_ANSWER_TOKENS: u64 = 50;

/// The highest number of tokens that a host's own tokenizer counts for one o200k token.
const HOST_TOKENS_PER_TOKEN: u64 = 2;
