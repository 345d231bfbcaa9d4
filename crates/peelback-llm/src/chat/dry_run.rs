//! A model that is never called, for dry runs.

use super::error::ChatError;
use super::model::{ChatFuture, ChatModel, ChatRequest, TextCallback};
use super::vendors::parse_vendor_and_model_name;

/// A model that has a name and refuses every request. Dry runs compute tokens and prices from the name and need no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRunModel {
    name: String,
}

impl DryRunModel {
    /// Creates the model named `name`, in the form `provider/model`.
    ///
    /// # Errors
    /// [`ChatError::Options`] where the name has another form, or the provider is unknown.
    pub fn new(name: &str) -> Result<Self, ChatError> {
        let (vendor, model) = parse_vendor_and_model_name(name)?;
        // The name of the provider is spelled as in the table of providers, like that of a model that can be called.
        Ok(Self { name: format!("{}/{model}", vendor.name) })
    }
}

impl ChatModel for DryRunModel {
    fn name(&self) -> &str {
        &self.name
    }

    /// Returns [`ChatError::Options`] for every request; nothing is sent.
    fn complete<'a>(&'a self, _: &'a ChatRequest, _: Option<TextCallback<'a>>) -> ChatFuture<'a> {
        let error = ChatError::Options(format!("{} is not asked in a dry run", self.name));
        Box::pin(std::future::ready(Err(error)))
    }
}
