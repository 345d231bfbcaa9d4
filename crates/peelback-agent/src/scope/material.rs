//! The code in the request for writing the document: excerpts of the files that the exploration selected, within a
//! character limit.

use peelback_code::CodeAccess;

use super::findings::Findings;
use super::options::ScopeOptions;
use crate::disclosure::known_secrets_of_files;
use crate::excerpt::{Excerpt, ExcerptError, file_outline_excerpt, lines_excerpt, symbol_excerpt, whole_file_excerpt};
use crate::fence::enclose_in_data_tags;
use crate::limits;
use crate::secrets::SecretFileRules;

/// The minimum number of characters that must remain for a further excerpt: a shorter excerpt would contain little more
/// than its heading.
const LEAST_CHARS: usize = 200;

/// The maximum number of characters of the outline of a file from which the exploration requested no symbol.
const OUTLINE_CHARS: usize = 2_500;

/// The code excerpts that the model receives for writing the document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Material {
    /// The excerpts as one text, with one fenced block per file.
    pub text: String,
    /// The paths of the files with an excerpt in `text`.
    pub files: Vec<String>,
    /// Descriptions of the requested excerpts that are left out of `text`.
    pub left_out: Vec<String>,
}

/// Selects the code excerpts from which a model writes the document for `findings`: about `max_chars` characters in
/// total, and at most [`limits::WRITING_FILE_CHARS`] characters per file.
///
/// Symbols that were requested by name come first, in their order. Next come code references that no symbol covers,
/// then each file that has no excerpt yet: a small file in full, a larger file as its outline.
pub(crate) fn select_writing_material(
    access: &CodeAccess,
    findings: &Findings,
    options: &ScopeOptions,
    max_chars: usize,
) -> Material {
    let mut packer = WritingMaterialPacker {
        access,
        secrets: &options.secrets,
        room: max_chars.min(limits::WRITING_CHARS),
        files: Vec::new(),
        left_out: Vec::new(),
    };
    for path in findings.files.iter().take(limits::WRITING_FILES) {
        packer.files.push(FileExcerpts { path: path.clone(), used: 0, excerpts: Vec::new() });
    }
    for path in findings.files.iter().skip(limits::WRITING_FILES) {
        packer.left_out.push(format!("{path} (more than {} files)", limits::WRITING_FILES));
    }
    for wanted in &findings.symbols {
        let name = format!("{}:{}", wanted.path, wanted.name);
        packer.add_excerpt_if_room(&wanted.path, &name, |access, most| {
            symbol_excerpt(access, &wanted.path, &wanted.name, most)
        });
    }
    for place in &findings.references {
        if packer.has_excerpt_of_lines(&place.path, place.line_start, place.line_end) {
            continue;
        }
        let name = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
        let (first, last) = (place.line_start, place.line_end);
        packer.add_excerpt_if_room(&place.path, &name, |access, most| {
            lines_excerpt(access, &place.path, first, last, most)
        });
    }
    let bare: Vec<String> =
        packer.files.iter().filter(|part| part.excerpts.is_empty()).map(|part| part.path.clone()).collect();
    for path in bare {
        let small = access.read_file(&path).is_ok_and(|file| file.text.chars().count() <= limits::WHOLE_FILE_CHARS);
        let name = if small { path.clone() } else { format!("the outline of {path}") };
        packer.add_excerpt_if_room(&path, &name, |access, most| match small {
            true => whole_file_excerpt(access, &path, most),
            // Documents and data files also have outlines, but their text is what answers the question.
            false => match file_outline_excerpt(access, &path, most.min(OUTLINE_CHARS)) {
                Ok(excerpt) if excerpt.shown > 0 => Ok(excerpt),
                _ => whole_file_excerpt(access, &path, most.min(limits::WHOLE_FILE_CHARS)),
            },
        });
    }
    packer.into_material()
}

/// The code excerpts of one file, collected for the request for writing the document.
struct FileExcerpts {
    path: String,
    used: usize,
    excerpts: Vec<Excerpt>,
}

struct WritingMaterialPacker<'a> {
    access: &'a CodeAccess,
    secrets: &'a SecretFileRules,
    room: usize,
    files: Vec<FileExcerpts>,
    left_out: Vec<String>,
}

impl WritingMaterialPacker<'_> {
    /// Adds an excerpt of a file if enough characters remain.
    fn add_excerpt_if_room(
        &mut self,
        path: &str,
        name: &str,
        excerpt: impl Fn(&CodeAccess, usize) -> Result<Excerpt, ExcerptError>,
    ) {
        let Some(part) = self.files.iter_mut().find(|part| part.path == path) else { return };
        let most = self.room.min(limits::WRITING_FILE_CHARS.saturating_sub(part.used));
        if most < LEAST_CHARS {
            self.left_out.push(format!("{name} (no room)"));
            return;
        }
        match excerpt(self.access, most) {
            Ok(excerpt) => {
                if part.excerpts.iter().any(|known| known.text == excerpt.text) {
                    return;
                }
                let chars = excerpt.text.chars().count();
                part.used += chars;
                self.room = self.room.saturating_sub(chars);
                if excerpt.left_out > 0 {
                    self.left_out.push(format!("a part of {name}"));
                }
                part.excerpts.push(excerpt);
            }
            Err(error) => self.left_out.push(format!("{name} ({error})")),
        }
    }

    /// Whether an excerpt of the file already contains lines `first` to `last`.
    fn has_excerpt_of_lines(&self, path: &str, first: u32, last: u32) -> bool {
        let part = self.files.iter().find(|part| part.path == path);
        part.is_some_and(|part| {
            part.excerpts.iter().flat_map(|excerpt| &excerpt.references).any(|shown| {
                // The reference of an outline covers only the shown rows, so that the body of a symbol is still added.
                shown.line_start <= first && last <= shown.line_end
            })
        })
    }

    fn into_material(self) -> Material {
        let mut made = Material { left_out: self.left_out, ..Material::default() };
        for part in self.files.into_iter().filter(|part| !part.excerpts.is_empty()) {
            let texts: Vec<&str> = part.excerpts.iter().map(|excerpt| excerpt.text.trim_end()).collect();
            let text = texts.join("\n\n");
            let known = known_secrets_of_files(self.access, [part.path.as_str()]);
            made.text.push_str(&enclose_in_data_tags(&part.path, &self.secrets.redact_excerpt(&text, &known)));
            made.text.push('\n');
            made.files.push(part.path);
        }
        made
    }
}
