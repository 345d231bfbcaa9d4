//! Reads a question from a file: a question can be a whole bug report, which no command line holds.

use std::fs::File;
use std::io::{Error, Read, Result as IoResult};
use std::path::Path;

use peelback_code::{existing_path_of_text, open_regular_file_following_links};

/// The limit on the bytes of a question that are read from a file or from standard input; the rest is ignored.
const MAX_QUESTION_BYTES: u64 = 1 << 20;

/// The text of a file that contains a question; `-` is standard input. A path of an open file of this process, such as
/// `/dev/stdin` or what a shell makes of `<(…)`, is read to its end, whatever it is.
///
/// # Errors
/// A message that names the file, when it cannot be read.
pub(crate) fn read_question_file(file: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    open_question_file(file)
        .and_then(|reader| reader.take(MAX_QUESTION_BYTES).read_to_end(&mut bytes))
        .map_err(|error| format!("the question file {file}: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn open_question_file(file: &str) -> IoResult<Box<dyn Read>> {
    if file == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let path = existing_path_of_text(Path::new(""), file);
    if is_open_file_of_this_process(&path) {
        return Ok(Box::new(File::open(&path)?));
    }
    match open_regular_file_following_links(&path) {
        Ok((file, _)) => Ok(Box::new(file)),
        Err(error) if path.exists() && !path.is_file() => {
            Err(Error::other(format!("{error}; - reads the standard input")))
        }
        Err(error) => Err(error),
    }
}

/// The folders whose entries are the open files of the process that looks.
const OPEN_FILE_FOLDERS: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Whether a path names an open file of this process, or a link to one.
fn is_open_file_of_this_process(path: &Path) -> bool {
    let is_named = |path: &Path| {
        path == Path::new("/dev/stdin")
            || path.parent().is_some_and(|folder| OPEN_FILE_FOLDERS.iter().any(|open| folder == Path::new(open)))
    };
    is_named(path) || std::fs::read_link(path).is_ok_and(|target| is_named(&target))
}
