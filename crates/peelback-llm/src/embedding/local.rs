//! Embedding models on this machine, loaded from the folders that sentence-transformers saves.

mod folder;

use std::path::Path;
use std::time::Instant;

use candle_core::{Device, IndexOp, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, DTYPE};
use peelback_tokens::text::{first_line, truncate_bytes};
use tokenizers::Tokenizer;

use self::folder::{ModelFolder, Pooling};
use super::error::EmbeddingError;
use super::model::{EmbeddingModel, is_deadline_past, normalize_vector};

/// The limit on the texts in one forward pass of the model. A deadline is checked between passes, and larger passes are
/// hardly faster on a CPU.
const MAX_BATCH_TEXTS: usize = 8;
/// The limit on the tokens in one forward pass of the model, padding included.
const MAX_BATCH_TOKENS: usize = 1_024;
/// The limit on the bytes of a text, per token of the model's limit: the rest is truncated before tokenization, which
/// would take longer than the model for a text of megabytes.
const MAX_BYTES_PER_TOKEN: usize = 128;

/// A BERT model that runs on the CPU of this machine.
///
/// Its name contains the dimensions of its vectors and a hash of every file that they depend on: it changes with the
/// weights, and does not change when the folder moves. Vectors of the same name differ between kinds of processors in
/// the last digits.
pub struct LocalModel {
    name: String,
    bert: BertModel,
    tokenizer: Tokenizer,
    pooling: Pooling,
    is_lower_case: bool,
    padding_token: u32,
    max_bytes: usize,
}

impl LocalModel {
    /// Loads the model in `folder`: `config.json`, `tokenizer.json` and `model.safetensors`, and where they exist
    /// `modules.json`, `sentence_bert_config.json` and `1_Pooling/config.json`. No file stays open.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] where a file is missing or damaged, and where the model is not a BERT model that pools by the
    /// mean of all tokens or by the first one.
    pub fn load_from_folder(folder: &Path) -> Result<Self, EmbeddingError> {
        let mut folder = ModelFolder::read_files_except_weights(folder)?;
        let weights = folder.read_and_hash_weights()?;
        let unusable = |error: candle_core::Error| folder.unusable_weights_error(first_line(&error.to_string()));
        let weights = VarBuilder::from_buffered_safetensors(weights, DTYPE, &Device::Cpu).map_err(unusable)?;
        let bert = BertModel::load(weights, &folder.config).map_err(unusable)?;
        Ok(Self {
            name: folder.model_name_with_file_hash(),
            bert,
            pooling: folder.pooling,
            is_lower_case: folder.is_lower_case,
            padding_token: folder.padding_token,
            max_bytes: folder.max_tokens.saturating_mul(MAX_BYTES_PER_TOKEN),
            tokenizer: folder.tokenizer,
        })
    }

    /// The token ids of `text`, truncated to the model's limit on tokens.
    fn tokenize_and_truncate(&self, text: &str) -> Result<Vec<u32>, EmbeddingError> {
        let text = truncate_bytes(text, self.max_bytes);
        let encoded = if self.is_lower_case {
            self.tokenizer.encode_fast(text.to_lowercase(), true)
        } else {
            self.tokenizer.encode_fast(text, true)
        };
        let tokens = encoded.map_err(|error| self.model_error(&error.to_string()))?.get_ids().to_vec();
        // A tokenizer that adds no special tokens returns no tokens for an empty text.
        Ok(if tokens.is_empty() { vec![self.padding_token] } else { tokens })
    }

    /// Computes the vectors of a batch of tokenized texts, each padded to the length of the longest.
    fn compute_vectors_of_batch(&self, batch: &[&[u32]]) -> candle_core::Result<Vec<Vec<f32>>> {
        let longest = batch.iter().map(|tokens| tokens.len()).max().unwrap_or(0);
        let mut ids = Vec::with_capacity(batch.len() * longest);
        let mut mask = Vec::with_capacity(batch.len() * longest);
        for tokens in batch {
            let padding = longest - tokens.len();
            ids.extend(tokens.iter().copied().chain(std::iter::repeat_n(self.padding_token, padding)));
            mask.extend(std::iter::repeat_n(1_f32, tokens.len()).chain(std::iter::repeat_n(0_f32, padding)));
        }
        let shape = (batch.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
        let states = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        match self.pooling {
            Pooling::FirstToken => states.i((.., 0))?,
            // The sum of the states has the direction of their mean, and the vector is normalized later.
            Pooling::Mean => states.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?,
        }
        .to_vec2()
    }

    /// The error for a failure of the local model on a text.
    fn model_error(&self, reason: &str) -> EmbeddingError {
        EmbeddingError::Model { model: self.name.clone(), reason: reason.to_owned() }
    }
}

impl EmbeddingModel for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn host(&self) -> Option<&str> {
        None
    }

    fn max_batch_size(&self) -> usize {
        MAX_BATCH_TEXTS
    }

    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut tokens = Vec::with_capacity(texts.len());
        for text in texts {
            if is_deadline_past(deadline) {
                return Err(EmbeddingError::Deadline);
            }
            tokens.push(self.tokenize_and_truncate(text)?);
        }
        // Texts of similar length are in the same batch, which keeps the padding short.
        let mut by_length: Vec<(usize, Vec<u32>)> = tokens.into_iter().enumerate().collect();
        by_length.sort_by_key(|(_, tokens)| tokens.len());
        let mut vectors: Vec<(usize, Vec<f32>)> = Vec::with_capacity(texts.len());
        let mut unprocessed = by_length.as_slice();
        while !unprocessed.is_empty() {
            if is_deadline_past(deadline) {
                return Err(EmbeddingError::Deadline);
            }
            let fits =
                |(index, (_, tokens)): &(usize, &(usize, Vec<u32>))| (index + 1) * tokens.len() <= MAX_BATCH_TOKENS;
            let count = unprocessed.iter().take(MAX_BATCH_TEXTS).enumerate().take_while(fits).count().max(1);
            let (batch, remaining) = unprocessed.split_at(count);
            unprocessed = remaining;
            let inputs: Vec<&[u32]> = batch.iter().map(|(_, tokens)| tokens.as_slice()).collect();
            let outputs = self
                .compute_vectors_of_batch(&inputs)
                .map_err(|error| self.model_error(first_line(&error.to_string())))?;
            for ((index, _), vector) in batch.iter().zip(outputs) {
                let no_direction = || EmbeddingError::NoDirection { model: self.name.clone() };
                vectors.push((*index, normalize_vector(vector).ok_or_else(no_direction)?));
            }
        }
        vectors.sort_by_key(|&(index, _)| index);
        Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
    }
}

impl std::fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalModel").field("name", &self.name).finish_non_exhaustive()
    }
}
