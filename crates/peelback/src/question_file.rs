//! Reads a question from a file: a question can be a whole bug report, which no command line holds.

use std::io::Read as _;
use std::path::Path;

use peelback_code::{existing_path_of_text, open_regular_file_following_links};

/// The limit on the bytes of a question that are read from a file or from standard input; the rest is ignored.
const MAX_QUESTION_BYTES: u64 = 1 << 20;

/// The text of a file that contains a question; `-` is standard input.
///
/// # Errors
/// A message that names the file, when it cannot be read.
pub(crate) fn read_question_file(file: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().lock().take(MAX_QUESTION_BYTES).read_to_end(&mut bytes)
    } else {
        open_regular_file_following_links(&existing_path_of_text(Path::new(""), file))
            .and_then(|(file, _)| file.take(MAX_QUESTION_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("the question file {file}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
