//! The files of an embedding model in the layout of sentence-transformers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use blake3::Hasher;
use candle_transformers::models::bert::Config;
use peelback_tokens::text::truncate_bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use crate::embedding::error::EmbeddingError;
use crate::regular_file::read_regular_file;

const WEIGHTS_FILE_NAME: &str = "model.safetensors";

/// The maximum size in bytes of one file of a model; the weights are the largest.
const MAX_MODEL_FILE_BYTES: u64 = 4 << 30;

/// The method by which the hidden states of all tokens are combined into one vector.
#[derive(Clone, Copy)]
pub(super) enum Pooling {
    /// The vector is the mean of the states of all tokens.
    Mean,
    /// The vector is the state of the first token, CLS in BERT.
    FirstToken,
}

/// The files of an embedding model except its weights, read and checked against each other.
pub(super) struct ModelFolder {
    path: PathBuf,
    /// The hash of all model files that were read.
    hasher: Hasher,
    pub(super) config: Config,
    pub(super) tokenizer: Tokenizer,
    pub(super) pooling: Pooling,
    pub(super) is_lower_case: bool,
    /// The id of the model's padding token.
    pub(super) padding_token: u32,
    /// The limit of the model on the tokens of a text.
    pub(super) max_tokens: usize,
}

/// The contents of the model's file `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct SentenceBertConfig {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

/// An entry of the model's file `modules.json`: one step from a text to its vector.
#[derive(Deserialize)]
struct Module {
    r#type: String,
}

/// The contents of the model's file `1_Pooling/config.json`, which names the pooling, or has a flag for each kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PoolingConfig {
    pooling_mode: Option<String>,
    pooling_mode_mean_tokens: bool,
    pooling_mode_cls_token: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

impl ModelFolder {
    /// Reads the files of the embedding model in the folder `path`, except its weights.
    pub(super) fn read_files_except_weights(path: &Path) -> Result<Self, EmbeddingError> {
        let mut files = HashingFileReader { path, hasher: Hasher::new() };
        let config = files.read_model_config()?;
        let limits: SentenceBertConfig = files.read_json_file("sentence_bert_config.json")?.unwrap_or_default();
        let pooling = files.read_pooling_method()?;
        files.check_model_steps_are_known()?;
        let max_tokens = limits.max_seq_length.unwrap_or(usize::MAX).min(config.max_position_embeddings);
        let tokenizer = files.read_tokenizer(&config, max_tokens)?;
        let padding_token = u32::try_from(config.pad_token_id).ok().filter(|_| config.pad_token_id < config.vocab_size);
        let padding_token = padding_token
            .ok_or_else(|| files.unusable_file_error("config.json", "pad_token_id is not one of its tokens"))?;
        Ok(Self {
            path: path.to_owned(),
            hasher: files.hasher,
            config,
            tokenizer,
            pooling,
            is_lower_case: limits.do_lower_case,
            padding_token,
            max_tokens,
        })
    }

    /// Reads the weights of the model and adds them to the hash in [`model_name_with_file_hash`](Self::model_name).
    pub(super) fn read_and_hash_weights(&mut self) -> Result<Vec<u8>, EmbeddingError> {
        let mut files = HashingFileReader { path: &self.path, hasher: self.hasher.clone() };
        let weights = files.read_required_file(WEIGHTS_FILE_NAME)?;
        self.hasher = files.hasher;
        Ok(weights)
    }

    /// The error for an unusable file of weights.
    pub(super) fn unusable_weights_error(&self, reason: &str) -> EmbeddingError {
        EmbeddingError::File { file: self.path.join(WEIGHTS_FILE_NAME), reason: reason.to_owned() }
    }

    /// The name of the model: its dimensions and a hash of the names and contents of all files that were read.
    pub(super) fn model_name_with_file_hash(&self) -> String {
        let hash = self.hasher.finalize().to_hex();
        format!("local:bert-{}-{}", self.config.hidden_size, truncate_bytes(&hash, 16))
    }
}

/// Reads files of a model's folder and hashes their names and contents.
struct HashingFileReader<'a> {
    path: &'a Path,
    hasher: Hasher,
}

impl HashingFileReader<'_> {
    /// Reads and hashes the file `name`, and returns its bytes; `None` where it does not exist.
    fn read_optional_file(&mut self, name: &str) -> Result<Option<Vec<u8>>, EmbeddingError> {
        let bytes = match read_regular_file(&self.path.join(name), MAX_MODEL_FILE_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable_file_error(name, &error.to_string())),
        };
        // The lengths separate the files in the hash: no byte can move from one file to another without a change of it.
        self.hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        self.hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        Ok(Some(bytes))
    }

    /// Reads and hashes the file `name`, which must exist, and returns its bytes.
    fn read_required_file(&mut self, name: &str) -> Result<Vec<u8>, EmbeddingError> {
        self.read_optional_file(name)?.ok_or_else(|| EmbeddingError::Missing { file: self.path.join(name) })
    }

    /// Reads and hashes the file `name`, and parses its JSON; `None` where it does not exist.
    fn read_json_file<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, EmbeddingError> {
        let Some(bytes) = self.read_optional_file(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| self.unusable_file_error(name, &error.to_string()))
    }

    /// The error for a file of the model that is unusable.
    fn unusable_file_error(&self, name: &str, reason: &str) -> EmbeddingError {
        EmbeddingError::File { file: self.path.join(name), reason: reason.to_owned() }
    }

    /// Reads the model's `config.json`, and checks that it is of a BERT model.
    fn read_model_config(&mut self) -> Result<Config, EmbeddingError> {
        #[derive(Deserialize)]
        struct Kind {
            model_type: Option<String>,
        }
        const NAME: &str = "config.json";
        let bytes = self.read_required_file(NAME)?;
        let damaged = |error: serde_json::Error| self.unusable_file_error(NAME, &error.to_string());
        // The kind of the model is checked first: the error about another kind would only name a missing field.
        let kind: Kind = serde_json::from_slice(&bytes).map_err(damaged)?;
        if let Some(kind) = kind.model_type.filter(|kind| kind != "bert") {
            return Err(self.unusable_file_error(NAME, &format!("its model type is {kind}; only bert is supported")));
        }
        let config: Config = serde_json::from_slice(&bytes).map_err(damaged)?;
        let heads = config.num_attention_heads;
        if config.hidden_size == 0 || heads == 0 || !config.hidden_size.is_multiple_of(heads) {
            return Err(self.unusable_file_error(NAME, "hidden_size is not a multiple of num_attention_heads"));
        }
        Ok(config)
    }

    /// Reads the pooling method of the model; the mean where its file does not exist.
    fn read_pooling_method(&mut self) -> Result<Pooling, EmbeddingError> {
        const NAME: &str = "1_Pooling/config.json";
        let Some(config) = self.read_json_file::<PoolingConfig>(NAME)? else { return Ok(Pooling::Mean) };
        let others = config.pooling_mode_max_tokens
            || config.pooling_mode_mean_sqrt_len_tokens
            || config.pooling_mode_weightedmean_tokens
            || config.pooling_mode_lasttoken;
        match (config.pooling_mode.as_deref(), config.pooling_mode_mean_tokens, config.pooling_mode_cls_token) {
            (Some("mean"), _, _) | (None, true, false) if !others => Ok(Pooling::Mean),
            (Some("cls"), _, _) | (None, false, true) if !others => Ok(Pooling::FirstToken),
            _ => Err(self.unusable_file_error(
                NAME,
                "only pooling by the mean of all tokens or by the first token (cls) is supported",
            )),
        }
    }

    /// Checks that `modules.json` has no step that is unknown here, without which the model's vectors would be wrong.
    fn check_model_steps_are_known(&mut self) -> Result<(), EmbeddingError> {
        const NAME: &str = "modules.json";
        const KNOWN: [&str; 3] = ["Transformer", "Pooling", "Normalize"];
        let modules: Vec<Module> = self.read_json_file(NAME)?.unwrap_or_default();
        let class = |module: &Module| module.r#type.rsplit('.').next().unwrap_or_default().to_owned();
        match modules.iter().map(class).find(|class| !KNOWN.contains(&class.as_str())) {
            Some(class) => {
                Err(self.unusable_file_error(NAME, &format!("the model has a step {class}, which is not supported")))
            }
            None => Ok(()),
        }
    }

    /// Reads the tokenizer of the model, set to truncate at `max_tokens` and not to pad, whatever its file says.
    fn read_tokenizer(&mut self, config: &Config, max_tokens: usize) -> Result<Tokenizer, EmbeddingError> {
        const NAME: &str = "tokenizer.json";
        let bytes = self.read_required_file(NAME)?;
        let damaged = |error: tokenizers::Error| self.unusable_file_error(NAME, &error.to_string());
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(damaged)?;
        if tokenizer.get_vocab_size(true) > config.vocab_size {
            return Err(
                self.unusable_file_error(NAME, "it has more tokens than config.json says: it is another model's")
            );
        }
        let special_tokens = tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false));
        if max_tokens <= special_tokens {
            return Err(
                self.unusable_file_error(NAME, &format!("no text fits the {max_tokens} tokens that the model takes"))
            );
        }
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length: max_tokens, ..TruncationParams::default() }))
            .map_err(damaged)?;
        Ok(tokenizer)
    }
}
