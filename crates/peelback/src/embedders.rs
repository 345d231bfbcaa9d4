//! The embedding model with which `search` orders passages, created from the configuration.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use peelback_code::{Embedder, Project};
use peelback_llm::{EmbeddingError, EmbeddingModel, EndpointOptions, RemoteEmbeddingModel};
use peelback_secrets::KnownSecrets;

use crate::config::{ConfigProblem, LoadedConfig, Settings};

/// The environment variable with the API key of an embedding endpoint.
const KEY_VARIABLE: &str = "PEELBACK_EMBEDDING_KEY";

/// The time limit of one request to an embedding endpoint.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// An embedding model from the configuration, adapted to the trait [`Embedder`] that the ranking uses.
struct ConfiguredEmbedder {
    model: Result<Box<dyn EmbeddingModel>, String>,
    may_send: bool,
}

/// The embedding model that a configuration names, where the configuration can have errors. Where an error may concern
/// the model or the texts that it receives, no model is created, and every answer reports the error.
pub(crate) fn embedder_from_possibly_invalid_configuration(loaded: &LoadedConfig) -> Option<Arc<dyn Embedder>> {
    match first_config_problem_possibly_affecting_embedding(loaded) {
        Some(mistake) => Some(Arc::new(ConfiguredEmbedder { model: Err(mistake.to_string()), may_send: false })),
        None => embedder_from_settings(&loaded.settings),
    }
}

/// The first error in the configuration that may concern the embedding model.
fn first_config_problem_possibly_affecting_embedding(loaded: &LoadedConfig) -> Option<&ConfigProblem> {
    loaded.problems.iter().find(|problem| problem.can_concern_table("embedding"))
}

/// The embedding model for a call about a project whose settings differ from those with which the model was created.
/// The settings in `folders`, which are the project's root and the served folders above it, can forbid what the model's
/// own settings allow.
pub(crate) fn restrict_embedder_by_folder_settings<'a>(
    embedder: &Arc<dyn Embedder>,
    folders: impl Iterator<Item = &'a Path>,
) -> Arc<dyn Embedder> {
    let mut may_send = embedder.is_sending_text_allowed();
    for project in folders.filter_map(|folder| Project::discover(Some(folder), None).ok()) {
        let loaded = LoadedConfig::from_project_file_only(project);
        if let Some(mistake) = first_config_problem_possibly_affecting_embedding(&loaded) {
            return Arc::new(ConfiguredEmbedder { model: Err(mistake.to_string()), may_send: false });
        }
        may_send &= loaded.settings.send.value;
    }
    if may_send == embedder.is_sending_text_allowed() {
        return embedder.clone();
    }
    Arc::new(NonSendingEmbedder(embedder.clone()))
}

/// A wrapper of an embedding model whose host must not receive the project's texts: each of its errors explains the
/// reason.
struct NonSendingEmbedder(Arc<dyn Embedder>);

impl Embedder for NonSendingEmbedder {
    fn model_name(&self) -> &str {
        self.0.model_name()
    }

    fn host(&self) -> Option<&str> {
        self.0.host()
    }

    fn is_sending_text_allowed(&self) -> bool {
        false
    }

    fn max_batch_size(&self) -> usize {
        self.0.max_batch_size()
    }

    fn estimate_token_count(&self, text: &str) -> usize {
        self.0.estimate_token_count(text)
    }

    fn text_as_sent_to_model<'t>(&self, text: &'t str, file_text: &str) -> Cow<'t, str> {
        self.0.text_as_sent_to_model(text, file_text)
    }

    fn may_receive_file(&self, path: &str) -> bool {
        self.0.may_receive_file(path)
    }

    fn embed_texts(&self, texts: &[&str], left: Option<Duration>) -> Result<Vec<Vec<f32>>, String> {
        match self.0.host() {
            Some(host) => Err(format!("texts of this project are not sent to {host}")),
            None => self.0.embed_texts(texts, left),
        }
    }
}

/// The configured embedding model; `None` where none is configured. Where the model cannot be opened, every answer
/// reports the error.
pub(crate) fn embedder_from_settings(settings: &Settings) -> Option<Arc<dyn Embedder>> {
    let model = match (&settings.model_folder.value, &settings.endpoint.value) {
        (Some(folder), _) => open_local_embedding_model(folder),
        (None, Some(url)) => open_endpoint_embedding_model(url, settings),
        (None, None) => return None,
    };
    Some(Arc::new(ConfiguredEmbedder {
        model: model.map_err(|error| error.to_string()),
        may_send: settings.send.value,
    }))
}

fn open_endpoint_embedding_model(url: &str, settings: &Settings) -> Result<Box<dyn EmbeddingModel>, EmbedderError> {
    let Some(model) = settings.endpoint_model.value.clone() else {
        return Err(EmbedderError::Setting("embedding.endpoint is set, and embedding.endpoint_model is not"));
    };
    let options = EndpointOptions {
        url: url.to_owned(),
        form: settings.endpoint_form.value,
        model,
        key: std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty()),
        timeout: REQUEST_TIMEOUT,
    };
    Ok(Box::new(RemoteEmbeddingModel::new(options)?))
}

#[cfg(feature = "local-embeddings")]
fn open_local_embedding_model(folder: &Path) -> Result<Box<dyn EmbeddingModel>, EmbedderError> {
    Ok(Box::new(peelback_llm::LocalModel::load_from_folder(folder)?))
}

#[cfg(not(feature = "local-embeddings"))]
fn open_local_embedding_model(_: &Path) -> Result<Box<dyn EmbeddingModel>, EmbedderError> {
    Err(EmbedderError::Setting(
        "embedding.model_folder is set, but this build has no local models: build with --features local-embeddings",
    ))
}

/// The reason why the embedding model cannot be used.
#[derive(Debug)]
enum EmbedderError {
    Setting(&'static str),
    Model(EmbeddingError),
}

impl From<EmbeddingError> for EmbedderError {
    fn from(error: EmbeddingError) -> Self {
        Self::Model(error)
    }
}

impl std::fmt::Display for EmbedderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Setting(text) => f.write_str(text),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl Embedder for ConfiguredEmbedder {
    fn model_name(&self) -> &str {
        self.model.as_ref().map_or("", |model| model.name())
    }

    fn host(&self) -> Option<&str> {
        self.model.as_ref().ok().and_then(|model| model.host())
    }

    fn is_sending_text_allowed(&self) -> bool {
        self.may_send
    }

    fn max_batch_size(&self) -> usize {
        self.model.as_ref().map_or(1, |model| model.max_batch_size())
    }

    fn estimate_token_count(&self, text: &str) -> usize {
        peelback_tokens::estimate_tokens(text)
    }

    // A model on this machine sees what its user sees.
    fn text_as_sent_to_model<'t>(&self, text: &'t str, file_text: &str) -> Cow<'t, str> {
        match self.host() {
            Some(_) => peelback_secrets::mask_secrets_with(text, &KnownSecrets::of_text(file_text)).text,
            None => Cow::Borrowed(text),
        }
    }

    fn may_receive_file(&self, path: &str) -> bool {
        let is_source = |name: &str| peelback_code::syntax::language::language_of_file_name(name).is_some();
        self.host().is_none() || peelback_secrets::secret_file_kind(path, None, is_source).is_none()
    }

    fn embed_texts(&self, texts: &[&str], left: Option<Duration>) -> Result<Vec<Vec<f32>>, String> {
        let model = self.model.as_ref().map_err(Clone::clone)?;
        let deadline = left.and_then(|left| Instant::now().checked_add(left));
        model.embed(texts, deadline).map_err(|error| error.to_string())
    }
}
