//! Function types for two decisions: which files may leave the machine, and which parts of a text are masked before the
//! text leaves the machine. The decisions apply to everything that a model or a document receives.

use std::borrow::Cow;
use std::sync::Arc;

use peelback_code::CodeAccess;
pub use peelback_code::WithholdPathRule;
pub use peelback_secrets::KnownSecrets;

/// A function that masks the secrets in a text: those that the text shows itself, and those that are known from the files
/// of which it is an excerpt. The function returns a text that contains no secrets as a borrow.
pub type Redact = Arc<dyn for<'a> Fn(&'a str, &KnownSecrets) -> Cow<'a, str> + Send + Sync>;

/// The secrets of whole files, for the masking of texts that show parts of the files.
pub(crate) fn known_secrets_of_files<'p>(
    access: &CodeAccess,
    paths: impl IntoIterator<Item = &'p str>,
) -> KnownSecrets {
    let mut known = KnownSecrets::default();
    for file in paths.into_iter().filter_map(|path| access.read_file_by_root_path(path).ok()) {
        known.add_secrets_of_text(&file.text);
    }
    known
}
