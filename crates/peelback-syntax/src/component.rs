//! The symbol of a file that defines one thing as a whole: a component.

use crate::facts::{Lines, Symbol, SymbolKind, Visibility};
use crate::spec::Language;

/// What the signature of a file's symbol begins with. No declaration of a script does.
const SIGNATURE: &str = "component ";

impl Symbol {
    /// Whether the symbol is what its file defines as a whole ([`component_symbol_of_file`]).
    pub fn is_whole_file(&self) -> bool {
        self.bytes.start == 0 && self.signature.strip_prefix(SIGNATURE) == Some(self.name.as_str())
    }
}

/// The name of what the file at `path` defines as a whole, if files of its language do so: that of the file without the ending,
/// or that of the folder for `index.vue`.
pub fn component_name_of_file<'p>(language: &Language, path: &'p str) -> Option<&'p str> {
    if !language.files_are_components() {
        return None;
    }
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name = if stem == "index" { folder.rsplit('/').next().unwrap_or("") } else { stem };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-');
    (name.starts_with(char::is_alphabetic) && name.chars().all(is_name)).then_some(name)
}

/// The symbol for what the file at `path` defines as a whole, if files of its language do so. It is the file's text from the
/// first byte to the last.
pub fn component_symbol_of_file(language: &Language, path: &str, text: &str) -> Option<Symbol> {
    let name = component_name_of_file(language, path)?;
    let line_count = memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() + 1;
    Some(Symbol {
        name: name.to_owned(),
        qualified_name: name.to_owned(),
        has_unique_name: true,
        ordinal_on_line: None,
        kind: SymbolKind::Class,
        lines: Lines { first: 1, last: u32::try_from(line_count).unwrap_or(u32::MAX) },
        outer_line: 1,
        bytes: 0..text.len(),
        outer_start: 0,
        signature: format!("{SIGNATURE}{name}"),
        decorators: Vec::new(),
        docstring: None,
        visibility: Visibility::Public,
        container: None,
        local: false,
        children: Vec::new(),
    })
}
