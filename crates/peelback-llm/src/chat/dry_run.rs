//! A model for dry runs.

use super::error::ChatError;
use super::model::{ChatFuture, ChatModel, ChatRequest, Watch};
use super::vendors::vendor_of;

/// A model that only has a name, and refuses to be asked: for dry runs, which count tokens and prices by the name and
/// need no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRunModel {
    name: String,
}

impl DryRunModel {
    /// The model `name`, `provider/model`.
    ///
    /// # Errors
    /// [`ChatError::Options`] where it is not of this form, or the provider is not known.
    pub fn new(name: &str) -> Result<Self, ChatError> {
        let (vendor, model) = vendor_of(name)?;
        // As a model that can be asked is named.
        Ok(Self { name: format!("{}/{model}", vendor.name) })
    }
}

impl ChatModel for DryRunModel {
    fn name(&self) -> &str {
        &self.name
    }

    /// Sends nothing, and gives [`ChatError::Options`].
    fn complete<'a>(&'a self, _: &'a ChatRequest, _: Option<Watch<'a>>) -> ChatFuture<'a> {
        let error = ChatError::Options(format!("{} is not asked in a dry run", self.name));
        Box::pin(std::future::ready(Err(error)))
    }
}
