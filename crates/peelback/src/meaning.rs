//! The model that `search` orders passages with, as the configuration names it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use peelback_code::Embedder;
use peelback_llm::{EmbeddingError, EmbeddingModel, Endpoint, EndpointOptions};

use crate::config::Settings;

/// The variable that holds the key of an endpoint.
const KEY_VARIABLE: &str = "PEELBACK_EMBEDDING_KEY";

/// One call of an endpoint may take this long.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A model behind the seam of the ranking.
struct Configured {
    model: Result<Box<dyn EmbeddingModel>, String>,
    may_send: bool,
}

/// The model that is configured; `None` where none is. One that cannot be opened is told with every answer.
pub(crate) fn embedder(settings: &Settings) -> Option<Arc<dyn Embedder>> {
    let model = match (&settings.model_folder.value, &settings.endpoint.value) {
        (Some(folder), _) => local(folder),
        (None, Some(url)) => endpoint(url, settings),
        (None, None) => return None,
    };
    Some(Arc::new(Configured { model: model.map_err(|error| error.to_string()), may_send: settings.send.value }))
}

fn endpoint(url: &str, settings: &Settings) -> Result<Box<dyn EmbeddingModel>, Trouble> {
    let Some(model) = settings.endpoint_model.value.clone() else {
        return Err(Trouble::Setting("embedding.endpoint is set, and embedding.endpoint_model is not"));
    };
    let options = EndpointOptions {
        url: url.to_owned(),
        form: settings.endpoint_form.value,
        model,
        key: std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty()),
        timeout: TIMEOUT,
    };
    Ok(Box::new(Endpoint::new(options)?))
}

#[cfg(feature = "local-embeddings")]
fn local(folder: &Path) -> Result<Box<dyn EmbeddingModel>, Trouble> {
    Ok(Box::new(peelback_llm::LocalModel::open(folder)?))
}

#[cfg(not(feature = "local-embeddings"))]
fn local(_: &Path) -> Result<Box<dyn EmbeddingModel>, Trouble> {
    Err(Trouble::Setting(
        "embedding.model_folder is set, but this build has no local models: build with --features local-embeddings",
    ))
}

/// Why there is no model.
#[derive(Debug)]
enum Trouble {
    Setting(&'static str),
    Model(EmbeddingError),
}

impl From<EmbeddingError> for Trouble {
    fn from(error: EmbeddingError) -> Self {
        Self::Model(error)
    }
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Setting(text) => f.write_str(text),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl Embedder for Configured {
    fn name(&self) -> &str {
        self.model.as_ref().map_or("", |model| model.name())
    }

    fn host(&self) -> Option<&str> {
        self.model.as_ref().ok().and_then(|model| model.host())
    }

    fn may_send(&self) -> bool {
        self.may_send
    }

    fn batch(&self) -> usize {
        self.model.as_ref().map_or(1, |model| model.batch())
    }

    fn tokens(&self, text: &str) -> usize {
        peelback_tokens::estimate(text)
    }

    fn embed(&self, texts: &[&str], left: Option<Duration>) -> Result<Vec<Vec<f32>>, String> {
        let model = self.model.as_ref().map_err(Clone::clone)?;
        let deadline = left.and_then(|left| Instant::now().checked_add(left));
        model.embed(texts, deadline).map_err(|error| error.to_string())
    }
}
