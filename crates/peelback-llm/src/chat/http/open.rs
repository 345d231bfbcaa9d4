//! Opening a chat model by its name, with its address and API key.

use std::path::Path;

use super::options::{KEY_FILE_SETTINGS, ModelOptions};
use super::remote::RemoteModel;
use crate::chat::error::ChatError;
use crate::chat::model::ChatModel;
use crate::chat::vendors::{Vendor, parse_vendor_and_model_name};
use crate::regular_file::read_text_file;

/// The limit on the bytes that are read of a key file. Keys have a few hundred.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// Opens the model that `options` name. Nothing is sent yet. The key is from the key file, or else from the
/// environment.
///
/// # Errors
/// [`ChatError::Options`] with a remedy where the name, the address or the key is invalid.
pub fn open_model(options: ModelOptions) -> Result<Box<dyn ChatModel>, ChatError> {
    open_model_with_environment(options, &|variable| std::env::var(variable).ok())
}

/// Opens a model as [`open_model`] does, with another environment: `environment` returns the value of a variable.
///
/// # Errors
/// As [`open_model`].
pub fn open_model_with_environment(
    options: ModelOptions,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Box<dyn ChatModel>, ChatError> {
    let (vendor, model) = parse_vendor_and_model_name(&options.model)?;
    let key = find_api_key(vendor, &options, environment)?;
    let model = model.to_owned();
    Ok(Box::new(RemoteModel::new(vendor, model, key, options)?))
}

/// The API key in the key file or the environment; `None` where the provider needs none or the user gave an address.
fn find_api_key(
    vendor: &Vendor,
    options: &ModelOptions,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>, ChatError> {
    let trimmed = |key: String| Some(key.trim().to_owned()).filter(|key| !key.is_empty());
    if let Some(file) = &options.key_file {
        let failed = |reason: String| {
            let named = format!("the key file {} ({KEY_FILE_SETTINGS})", file.display());
            ChatError::Options(format!("{named} {reason}"))
        };
        let key = read_key_file(file).map_err(failed)?;
        return match trimmed(key) {
            Some(key) => Ok(Some(key)),
            None => Err(failed("is empty: it must contain the key and nothing else".to_owned())),
        };
    }
    let key = vendor.key_variables.iter().find_map(|variable| environment(variable).and_then(trimmed));
    if key.is_none() && !vendor.key_optional && options.base_url.is_none() {
        let variable = vendor.key_variables.first().copied().unwrap_or_default();
        return Err(ChatError::Options(format!(
            "{} needs a key: set the environment's variable {variable}, or name a file that holds it with {KEY_FILE_SETTINGS}",
            vendor.name
        )));
    }
    Ok(key)
}

/// Reads the text of a key file, or returns the reason why it is unusable.
fn read_key_file(file: &Path) -> Result<String, String> {
    read_text_file(file, MAX_KEY_BYTES)
        .map_err(|error| format!("cannot be read: {error}; it must be a file with the key and nothing else"))
}
