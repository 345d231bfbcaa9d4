//! OpenAI's o200k tokenizer, loaded at its first use.

use tiktoken::{CoreBpe, get_encoding};

/// The o200k tokenizer, loaded at the first call; `None` where the build lacks its vocabulary.
pub(crate) fn o200k_tokenizer() -> Option<&'static CoreBpe> {
    get_encoding("o200k_base")
}
