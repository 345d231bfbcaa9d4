//! What notebooks of Python hold besides Python: magics (`%matplotlib inline`, `%%bash`), commands of the shell (`!pip …`) and
//! questions for help (`print?`). See <https://ipython.readthedocs.io/en/stable/interactive/magics.html>.

use std::borrow::Cow;

/// Magics of a whole cell that leave its lines Python of this notebook.
const MAGICS_OF_PYTHON: &[&str] =
    &["capture", "debug", "memit", "mprun", "lprun", "prun", "python", "python3", "time", "timeit"];

/// Turns the lines of one cell into Python, in their order.
#[derive(Default)]
pub(super) struct CellMagics {
    has_begun: bool,
    /// The lines of the cell are in another language.
    is_foreign: bool,
    /// The line before was no Python and goes on in the next one.
    goes_on: bool,
}

impl CellMagics {
    /// A line of a cell, as Python: what is none becomes a comment.
    pub fn python_of_line<'l>(&mut self, line: &'l str) -> Cow<'l, str> {
        let code = line.trim_start();
        let begins = !self.has_begun && !code.is_empty();
        self.has_begun |= begins;
        if let Some(magic) = code.strip_prefix("%%").filter(|_| begins) {
            let name = magic.split(|c: char| c.is_whitespace()).next().unwrap_or("");
            self.is_foreign = !MAGICS_OF_PYTHON.contains(&name);
            return commented(line);
        }
        if self.is_foreign {
            return commented(line);
        }
        if self.goes_on || is_magic(code) {
            self.goes_on = line.ends_with('\\');
            return commented(line);
        }
        match start_of_assigned_magic(line) {
            Some(at) => {
                let (before, magic) = line.split_at_checked(at).unwrap_or((line, ""));
                self.goes_on = magic.ends_with('\\');
                format!("{before}None  # {magic}").into()
            }
            None => line.into(),
        }
    }
}

fn commented(line: &str) -> Cow<'_, str> {
    if line.trim().is_empty() { line.into() } else { format!("# {line}").into() }
}

/// Whether a line without its indentation is a magic, a command of the shell or a question for help.
fn is_magic(code: &str) -> bool {
    let begins_magic = |rest: &str| rest.starts_with(|c: char| c.is_alphabetic() || c == '%' || c == '_');
    let is_help = code.ends_with('?')
        && code.trim_end_matches('?').chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '*'));
    code.starts_with(['!', '?']) || code.strip_prefix('%').is_some_and(begins_magic) || is_help
}

/// The offset of a magic or a command of the shell whose result the line assigns: of `!ls` in `files = !ls`.
fn start_of_assigned_magic(line: &str) -> Option<usize> {
    let (target, value) = line.split_once('=')?;
    let is_target = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | ' ');
    let magic = value.trim_start();
    let begins =
        magic.starts_with('!') || magic.strip_prefix('%').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    (begins && !magic.starts_with("!=") && target.chars().all(is_target)).then(|| line.len() - magic.len())
}
