//! The files of a model, as sentence-transformers saves them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use blake3::Hasher;
use candle_transformers::models::bert::Config;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokenizers::{PostProcessor, Tokenizer, TruncationParams};

use crate::embedding::EmbeddingError;

const WEIGHTS: &str = "model.safetensors";

/// How the states of all tokens become one vector.
#[derive(Clone, Copy)]
pub(super) enum Pooling {
    /// The mean of all tokens.
    Mean,
    /// The first token, which BERT calls CLS.
    First,
}

/// A model's folder, read and found to fit together, but for the weights.
pub(super) struct Folder {
    path: PathBuf,
    files: Hasher,
    pub(super) config: Config,
    pub(super) tokenizer: Tokenizer,
    pub(super) pooling: Pooling,
    pub(super) is_lower_case: bool,
    pub(super) pad: u32,
    /// Tokens of a text that the model takes.
    pub(super) max_tokens: usize,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct Limits {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

/// An entry of `modules.json`: what texts go through.
#[derive(Deserialize)]
struct Module {
    r#type: String,
}

/// `1_Pooling/config.json`, which names the way, or has a switch for each.
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

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Self, EmbeddingError> {
        let mut files = Reader { path, hasher: Hasher::new() };
        let config = files.config()?;
        let limits: Limits = files.json("sentence_bert_config.json")?.unwrap_or_default();
        let pooling = files.pooling()?;
        files.check_modules()?;
        let max_tokens = limits.max_seq_length.unwrap_or(usize::MAX).min(config.max_position_embeddings);
        let tokenizer = files.tokenizer(&config, max_tokens)?;
        let pad = u32::try_from(config.pad_token_id).ok().filter(|_| config.pad_token_id < config.vocab_size);
        let pad = pad.ok_or_else(|| files.unusable("config.json", "pad_token_id is none of its tokens"))?;
        Ok(Self {
            path: path.to_owned(),
            files: files.hasher,
            config,
            tokenizer,
            pooling,
            is_lower_case: limits.do_lower_case,
            pad,
            max_tokens,
        })
    }

    /// The bytes of the weights, which [`name`](Self::name) counts from now on.
    pub(super) fn weights(&mut self) -> Result<Vec<u8>, EmbeddingError> {
        let mut files = Reader { path: &self.path, hasher: self.files.clone() };
        let weights = files.needed(WEIGHTS)?;
        self.files = files.hasher;
        Ok(weights)
    }

    pub(super) fn weights_unusable(&self, reason: &str) -> EmbeddingError {
        EmbeddingError::File { file: self.path.join(WEIGHTS), reason: reason.to_owned() }
    }

    /// What the model's vectors are known by: all files that were read, their names and what they hold.
    pub(super) fn name(&self) -> String {
        let hash = self.files.finalize().to_hex();
        format!("local:bert-{}-{}", self.config.hidden_size, &hash[..16])
    }
}

/// Reads files of a folder and remembers by a hash which they were.
struct Reader<'a> {
    path: &'a Path,
    hasher: Hasher,
}

impl Reader<'_> {
    /// A file's bytes; `None` where there is no such file.
    fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, EmbeddingError> {
        let bytes = match std::fs::read(self.path.join(name)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(name, &error.to_string())),
        };
        // With the lengths, no byte of one file can count for another.
        self.hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        self.hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
        Ok(Some(bytes))
    }

    fn needed(&mut self, name: &str) -> Result<Vec<u8>, EmbeddingError> {
        self.read(name)?.ok_or_else(|| EmbeddingError::Missing { file: self.path.join(name) })
    }

    fn json<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, EmbeddingError> {
        let Some(bytes) = self.read(name)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| self.unusable(name, &error.to_string()))
    }

    fn unusable(&self, name: &str, reason: &str) -> EmbeddingError {
        EmbeddingError::File { file: self.path.join(name), reason: reason.to_owned() }
    }

    fn config(&mut self) -> Result<Config, EmbeddingError> {
        #[derive(Deserialize)]
        struct Kind {
            model_type: Option<String>,
        }
        const NAME: &str = "config.json";
        let bytes = self.needed(NAME)?;
        let damaged = |error: serde_json::Error| self.unusable(NAME, &error.to_string());
        // Asked first: the files of another kind lack fields, which would be all that the error tells.
        let kind: Kind = serde_json::from_slice(&bytes).map_err(damaged)?;
        if let Some(kind) = kind.model_type.filter(|kind| kind != "bert") {
            return Err(self.unusable(NAME, &format!("it is of a model of the kind {kind}, and only bert runs here")));
        }
        let config: Config = serde_json::from_slice(&bytes).map_err(damaged)?;
        let heads = config.num_attention_heads;
        if config.hidden_size == 0 || heads == 0 || !config.hidden_size.is_multiple_of(heads) {
            return Err(self.unusable(NAME, "hidden_size is no multiple of num_attention_heads"));
        }
        Ok(config)
    }

    fn pooling(&mut self) -> Result<Pooling, EmbeddingError> {
        const NAME: &str = "1_Pooling/config.json";
        let Some(config) = self.json::<PoolingConfig>(NAME)? else { return Ok(Pooling::Mean) };
        let others = config.pooling_mode_max_tokens
            || config.pooling_mode_mean_sqrt_len_tokens
            || config.pooling_mode_weightedmean_tokens
            || config.pooling_mode_lasttoken;
        match (config.pooling_mode.as_deref(), config.pooling_mode_mean_tokens, config.pooling_mode_cls_token) {
            (Some("mean"), _, _) | (None, true, false) if !others => Ok(Pooling::Mean),
            (Some("cls"), _, _) | (None, false, true) if !others => Ok(Pooling::First),
            _ => Err(self.unusable(NAME, "only the mean of all tokens or the first one (cls) can be had here")),
        }
    }

    /// Whether the folder holds another step than those that are taken here: without it the vectors would be wrong.
    fn check_modules(&mut self) -> Result<(), EmbeddingError> {
        const NAME: &str = "modules.json";
        const KNOWN: [&str; 3] = ["Transformer", "Pooling", "Normalize"];
        let modules: Vec<Module> = self.json(NAME)?.unwrap_or_default();
        let class = |module: &Module| module.r#type.rsplit('.').next().unwrap_or_default().to_owned();
        match modules.iter().map(class).find(|class| !KNOWN.contains(&class.as_str())) {
            Some(class) => Err(self.unusable(NAME, &format!("the model has a step {class}, which is unknown here"))),
            None => Ok(()),
        }
    }

    /// The tokenizer, which cuts at `max_tokens` and pads nothing, whatever its file says.
    fn tokenizer(&mut self, config: &Config, max_tokens: usize) -> Result<Tokenizer, EmbeddingError> {
        const NAME: &str = "tokenizer.json";
        let bytes = self.needed(NAME)?;
        let damaged = |error: tokenizers::Error| self.unusable(NAME, &error.to_string());
        let mut tokenizer = Tokenizer::from_bytes(&bytes).map_err(damaged)?;
        if tokenizer.get_vocab_size(true) > config.vocab_size {
            return Err(self.unusable(NAME, "it has more tokens than config.json says: it is another model's"));
        }
        let around = tokenizer.get_post_processor().map_or(0, |around| around.added_tokens(false));
        if max_tokens <= around {
            return Err(self.unusable(NAME, &format!("no text fits the {max_tokens} tokens that the model takes")));
        }
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(Some(TruncationParams { max_length: max_tokens, ..TruncationParams::default() }))
            .map_err(damaged)?;
        Ok(tokenizer)
    }
}
