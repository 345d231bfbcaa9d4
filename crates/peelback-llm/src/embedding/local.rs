//! Models that run on this machine, in the folders that sentence-transformers saves.

mod folder;

use std::path::Path;
use std::time::Instant;

use candle_core::{Device, IndexOp, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, DTYPE};
use tokenizers::Tokenizer;

use self::folder::{Folder, Pooling};
use super::{EmbeddingError, EmbeddingModel, is_past, unit};

/// Texts that one pass takes at most, and their tokens, padding included. A pass is what a deadline waits for, and larger
/// ones are hardly faster on a CPU.
const MAX_TEXTS: usize = 8;
const MAX_TOKENS: usize = 1_024;
/// Bytes of a text for each token that the model takes: what is behind is cut before it is tokenised, which would take
/// longer than the model for a text of megabytes.
const BYTES_FOR_A_TOKEN: usize = 128;

/// A BERT model that runs on this machine's processors.
///
/// Its name is made of the size of its vectors and a hash of every file that they depend on, so that it changes with the
/// weights and stays when the folder moves. Vectors of one name differ between kinds of processors in the last digits.
pub struct LocalModel {
    name: String,
    bert: BertModel,
    tokenizer: Tokenizer,
    pooling: Pooling,
    is_lower_case: bool,
    pad: u32,
    max_bytes: usize,
}

impl LocalModel {
    /// The model in `folder`: `config.json`, `tokenizer.json` and `model.safetensors`, and where they are there
    /// `modules.json`, `sentence_bert_config.json` and `1_Pooling/config.json`. All are read whole; none is kept open.
    ///
    /// # Errors
    ///
    /// Where a file is missing or damaged, and where the model is another than a BERT model with the mean of all tokens
    /// or the first one for the text.
    pub fn open(folder: &Path) -> Result<Self, EmbeddingError> {
        let mut folder = Folder::open(folder)?;
        let weights = folder.weights()?;
        let unusable = |error: candle_core::Error| folder.weights_unusable(&first_line(&error));
        let weights = VarBuilder::from_buffered_safetensors(weights, DTYPE, &Device::Cpu).map_err(unusable)?;
        let bert = BertModel::load(weights, &folder.config).map_err(unusable)?;
        Ok(Self {
            name: folder.name(),
            bert,
            pooling: folder.pooling,
            is_lower_case: folder.is_lower_case,
            pad: folder.pad,
            max_bytes: folder.max_tokens.saturating_mul(BYTES_FOR_A_TOKEN),
            tokenizer: folder.tokenizer,
        })
    }

    /// The tokens of `text`, cut to what the model takes.
    fn tokens(&self, text: &str) -> Result<Vec<u32>, EmbeddingError> {
        let text = &text[..text.floor_char_boundary(self.max_bytes)];
        let encoded = if self.is_lower_case {
            self.tokenizer.encode_fast(text.to_lowercase(), true)
        } else {
            self.tokenizer.encode_fast(text, true)
        };
        let tokens = encoded.map_err(|error| self.failed(&error.to_string()))?.get_ids().to_vec();
        // A tokenizer that puts nothing around a text gives nothing for an empty one.
        Ok(if tokens.is_empty() { vec![self.pad] } else { tokens })
    }

    /// What the model makes of texts that go through it together, each padded to the longest.
    fn pass(&self, batch: &[&[u32]]) -> candle_core::Result<Vec<Vec<f32>>> {
        let longest = batch.iter().map(|tokens| tokens.len()).max().unwrap_or(0);
        let mut ids = Vec::with_capacity(batch.len() * longest);
        let mut mask = Vec::with_capacity(batch.len() * longest);
        for tokens in batch {
            let padding = longest - tokens.len();
            ids.extend(tokens.iter().copied().chain(std::iter::repeat_n(self.pad, padding)));
            mask.extend(std::iter::repeat_n(1_f32, tokens.len()).chain(std::iter::repeat_n(0_f32, padding)));
        }
        let shape = (batch.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
        let states = self.bert.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        match self.pooling {
            Pooling::First => states.i((.., 0))?,
            // The sum stands for the mean: it points the same way, and the length becomes 1.
            Pooling::Mean => states.broadcast_mul(&mask.unsqueeze(2)?)?.sum(1)?,
        }
        .to_vec2()
    }

    fn failed(&self, reason: &str) -> EmbeddingError {
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

    fn batch(&self) -> usize {
        MAX_TEXTS
    }

    fn embed(&self, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let mut tokens = Vec::with_capacity(texts.len());
        for text in texts {
            if is_past(deadline) {
                return Err(EmbeddingError::Deadline);
            }
            tokens.push(self.tokens(text)?);
        }
        // Texts of much the same length go together, so that little is padded.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&at| tokens[at].len());
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            if is_past(deadline) {
                return Err(EmbeddingError::Deadline);
            }
            let fitting = |count: &usize| (count + 1) * tokens[rest[*count]].len() <= MAX_TOKENS;
            let count = (0..rest.len().min(MAX_TEXTS)).take_while(fitting).count().max(1);
            let (batch, behind) = rest.split_at(count);
            rest = behind;
            let inputs: Vec<&[u32]> = batch.iter().map(|&at| tokens[at].as_slice()).collect();
            let made = self.pass(&inputs).map_err(|error| self.failed(&first_line(&error)))?;
            for (&at, vector) in batch.iter().zip(made) {
                vectors[at] = unit(vector).ok_or_else(|| EmbeddingError::NoDirection { model: self.name.clone() })?;
            }
        }
        Ok(vectors)
    }
}

impl std::fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalModel").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What failed, without the backtrace that may stand behind it.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
