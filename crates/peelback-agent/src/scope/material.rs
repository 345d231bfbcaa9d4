//! The code in the request for writing the document: excerpts of the files that the exploration selected, within a
//! character limit.

use peelback_code::{CodeAccess, SymbolNameQuery};

use super::findings::{Findings, RequestedSymbol};
use super::options::ScopeOptions;
use crate::disclosure::known_secrets_of_files;
use crate::excerpt::{
    Excerpt, ExcerptError, file_outline_excerpt, lines_excerpt, symbol_excerpt, symbol_with_members, whole_file_excerpt,
};
use crate::fair_shares::fair_shares;
use crate::fence::enclose_in_data_tags;
use crate::limits;
use crate::secrets::SecretFileRules;

/// The minimum number of characters that must remain for a further excerpt: a shorter excerpt would contain little more
/// than its heading.
const LEAST_CHARS: usize = 200;

/// The maximum number of characters of the outline of a file from which the exploration requested no symbol.
const OUTLINE_CHARS: usize = 2_500;

/// The number of characters that a class keeps for its skeleton beside its requested methods.
const SKELETON_CHARS: usize = 4_000;

/// The code excerpts that the model receives for writing the document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Material {
    /// The excerpts as one text, with one fenced block per file.
    pub text: String,
    /// The paths of the files with an excerpt in `text`.
    pub files: Vec<String>,
    /// Descriptions of the requested excerpts that are left out of `text`.
    pub left_out: Vec<String>,
    /// Whether `text` has the whole body of each symbol that was promised.
    pub has_all_promised: bool,
    /// The number of characters of the excerpts of promised symbols.
    pub promised_chars: usize,
}

/// Selects the code excerpts from which a model writes the document for `findings`: about `max_chars` characters in
/// total, and at most [`limits::WRITING_FILE_CHARS`] characters per file.
///
/// Symbols that were requested by name come first: those that were promised whole are whole, the others share what is
/// left, so that each of them is shown. Next come code references that no symbol covers, then each file that has no
/// excerpt yet: a small file in full, a larger file as its outline.
pub(crate) fn select_writing_material(
    access: &CodeAccess,
    findings: &Findings,
    options: &ScopeOptions,
    max_chars: usize,
) -> Material {
    let mut packer = WritingMaterialPacker {
        access,
        secrets: &options.secrets,
        room: max_chars.min(options.characters.writing),
        files: Vec::new(),
        left_out: Vec::new(),
    };
    for path in findings.files.iter().take(limits::WRITING_FILES) {
        packer.files.push(FileExcerpts { path: path.clone(), used: 0, excerpts: Vec::new() });
    }
    let (promised, others): (Vec<&RequestedSymbol>, Vec<&RequestedSymbol>) =
        findings.symbols.iter().partition(|wanted| findings.promised.contains(wanted));
    let room = packer.room;
    packer.add_symbols(&promised);
    let promised_chars = room - packer.room;
    let is_among_files = |wanted: &&RequestedSymbol| packer.files.iter().any(|part| part.path == wanted.path);
    let has_all_promised = packer.left_out.is_empty() && promised.iter().all(is_among_files);
    for path in findings.files.iter().skip(limits::WRITING_FILES) {
        packer.left_out.push(format!("{path} (more than {} files)", limits::WRITING_FILES));
    }
    packer.add_symbols(&others);
    for place in &findings.references {
        if packer.has_excerpt_of_lines(&place.path, place.line_start, place.line_end) {
            continue;
        }
        let name = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
        let (first, last) = (place.line_start, place.line_end);
        packer.add_excerpt_if_room(&place.path, &name, usize::MAX, |access, most| {
            lines_excerpt(access, &place.path, first, last, most)
        });
    }
    let bare: Vec<String> =
        packer.files.iter().filter(|part| part.excerpts.is_empty()).map(|part| part.path.clone()).collect();
    for path in bare {
        let small = access.read_file(&path).is_ok_and(|file| file.text.chars().count() <= limits::WHOLE_FILE_CHARS);
        let name = if small { path.clone() } else { format!("the outline of {path}") };
        packer.add_excerpt_if_room(&path, &name, usize::MAX, |access, most| match small {
            true => whole_file_excerpt(access, &path, most),
            // Documents and data files also have outlines, but their text is what answers the question.
            false => match file_outline_excerpt(access, &path, most.min(OUTLINE_CHARS)) {
                Ok(excerpt) if excerpt.shown > 0 => Ok(excerpt),
                _ => whole_file_excerpt(access, &path, most.min(limits::WHOLE_FILE_CHARS)),
            },
        });
    }
    Material { has_all_promised, promised_chars, ..packer.into_material() }
}

/// The code excerpts of one file, collected for the request for writing the document.
struct FileExcerpts {
    path: String,
    used: usize,
    excerpts: Vec<Excerpt>,
}

/// A requested symbol with the size of its excerpt.
struct SizedSymbol<'a> {
    symbol: &'a RequestedSymbol,
    /// The number of characters of its excerpt in [`limits::WRITING_FILE_CHARS`] characters: whole, or a skeleton.
    chars: usize,
    is_container: bool,
}

struct WritingMaterialPacker<'a> {
    access: &'a CodeAccess,
    secrets: &'a SecretFileRules,
    room: usize,
    files: Vec<FileExcerpts>,
    left_out: Vec<String>,
}

impl WritingMaterialPacker<'_> {
    /// Adds the excerpts of requested symbols. Where not all have room as a whole, the files share the room, and the
    /// symbols of a file share what the file gets. Functions and methods come before the classes that contain them: a
    /// class that is too long is shown as its skeleton, with the requested methods beside it.
    fn add_symbols(&mut self, symbols: &[&RequestedSymbol]) {
        let mut by_file: Vec<(usize, Vec<SizedSymbol<'_>>)> = Vec::new();
        for symbol in symbols {
            let Some(file) = self.files.iter().position(|part| part.path == symbol.path) else { continue };
            match symbol_excerpt(self.access, &symbol.path, &symbol.name, limits::WRITING_FILE_CHARS) {
                Ok(excerpt) => {
                    let is_container = is_container(self.access, symbol);
                    let sized = SizedSymbol { symbol, chars: excerpt.text.chars().count(), is_container };
                    match by_file.iter_mut().find(|(known, _)| *known == file) {
                        Some((_, own)) => own.push(sized),
                        None => by_file.push((file, vec![sized])),
                    }
                }
                Err(error) => self.left_out.push(format!("{}:{} ({error})", symbol.path, symbol.name)),
            }
        }
        let wanted: Vec<usize> = by_file
            .iter()
            .map(|(file, own)| {
                let used = self.files.get(*file).map_or(0, |part| part.used);
                let all: usize = own.iter().map(|sized| sized.chars).sum();
                all.min(limits::WRITING_FILE_CHARS.saturating_sub(used))
            })
            .collect();
        let shares = fair_shares(&wanted, self.room);
        for ((_, own), share) in by_file.iter().zip(shares) {
            let mut room = share;
            let (containers, inner): (Vec<_>, Vec<_>) = own.iter().partition(|sized| sized.is_container);
            // A container keeps room for its skeleton, however long the requested functions are.
            let kept: usize = containers.iter().map(|sized| sized.chars.min(SKELETON_CHARS)).sum();
            for (group, kept) in [(inner, kept.min(share / 3)), (containers, 0)] {
                let sizes: Vec<usize> = group.iter().map(|sized| sized.chars).collect();
                for (sized, most) in group.iter().zip(fair_shares(&sizes, room.saturating_sub(kept))) {
                    room = room.saturating_sub(self.add_symbol(sized.symbol, most));
                }
            }
        }
    }

    /// Adds the excerpt of a requested symbol in at most `most` characters, and returns its length. The excerpts of symbols
    /// that it contains are removed where it shows their bodies.
    fn add_symbol(&mut self, symbol: &RequestedSymbol, most: usize) -> usize {
        let name = format!("{}:{}", symbol.path, symbol.name);
        let added = self.add_excerpt_if_room(&symbol.path, &name, most, |access, most| {
            symbol_excerpt(access, &symbol.path, &symbol.name, most)
        });
        let Some(part) = self.files.iter_mut().find(|part| part.path == symbol.path) else { return added };
        if added > 0
            && let Some(excerpt) = part.excerpts.pop()
        {
            if !excerpt.is_skeleton && excerpt.left_out == 0 {
                let removed: usize = part
                    .excerpts
                    .extract_if(.., |known| is_excerpt_inside(known, &excerpt))
                    .map(|known| known.text.chars().count())
                    .sum();
                part.used = part.used.saturating_sub(removed);
                self.room += removed;
            }
            part.excerpts.push(excerpt);
        }
        added
    }

    /// Adds an excerpt of a file in at most `wanted` characters if enough characters remain, and returns its length.
    fn add_excerpt_if_room(
        &mut self,
        path: &str,
        name: &str,
        wanted: usize,
        excerpt: impl Fn(&CodeAccess, usize) -> Result<Excerpt, ExcerptError>,
    ) -> usize {
        let Some(part) = self.files.iter_mut().find(|part| part.path == path) else { return 0 };
        let most = self.room.min(limits::WRITING_FILE_CHARS.saturating_sub(part.used));
        let most = most.min(wanted);
        if most < LEAST_CHARS.min(wanted) || most == 0 {
            self.left_out.push(format!("{name} (does not fit)"));
            return 0;
        }
        match excerpt(self.access, most) {
            Ok(excerpt) => {
                if part.excerpts.iter().any(|known| known.text == excerpt.text) {
                    return 0;
                }
                let chars = excerpt.text.chars().count();
                part.used += chars;
                self.room = self.room.saturating_sub(chars);
                if excerpt.is_skeleton {
                    self.left_out.push(format!("the bodies in {name} that were not asked for"));
                } else if excerpt.left_out > 0 {
                    self.left_out.push(format!("a part of {name}"));
                }
                part.excerpts.push(excerpt);
                chars
            }
            Err(error) => {
                self.left_out.push(format!("{name} ({error})"));
                0
            }
        }
    }

    /// Whether an excerpt of the file already contains lines `first` to `last`.
    fn has_excerpt_of_lines(&self, path: &str, first: u32, last: u32) -> bool {
        let part = self.files.iter().find(|part| part.path == path);
        part.is_some_and(|part| {
            // A skeleton has the lines of its container, without the bodies in it.
            let with_bodies = part.excerpts.iter().filter(|excerpt| !excerpt.is_skeleton);
            with_bodies.flat_map(|excerpt| &excerpt.references).any(|shown| {
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

/// Whether a requested symbol contains functions or methods.
fn is_container(access: &CodeAccess, symbol: &RequestedSymbol) -> bool {
    let Ok(analysed) = access.analyse_file_by_root_path(&symbol.path) else { return false };
    let hits = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(&symbol.name));
    let best = hits.iter().min_by_key(|hit| hit.closeness);
    let best = best.filter(|hit| !hit.symbol.kind.is_callable());
    best.and_then(|hit| symbol_with_members(&analysed, &hit.symbol)).is_some_and(|symbol| !symbol.children.is_empty())
}

/// Whether all lines of the excerpt `inner` are among those of the excerpt `outer` of the same file.
fn is_excerpt_inside(inner: &Excerpt, outer: &Excerpt) -> bool {
    !inner.references.is_empty()
        && inner.references.iter().all(|own| {
            outer.references.iter().any(|shown| shown.line_start <= own.line_start && own.line_end <= shown.line_end)
        })
}
