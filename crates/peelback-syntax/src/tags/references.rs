//! The uses of names, as a second query of a language finds them (`references.scm`).
//!
//! - `@reference` is a name that is read; `@reference.ROLE` is one that is used as ROLE says: `call`, `type`, `member`,
//!   `write`, `import`, `export`, `decorator`. `@reference.none` is no use, whatever the patterns below it say.
//! - `@to` is the last node of a name that several nodes make up.
//!
//! Where several patterns match the same node, the first one in the query decides. The key `last` of `#set!` takes the
//! part of the name after its last dot, colon, slash or backslash. A name that defines something is no use of it.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::{CaptureRole, TagsQueryLanguage, matching, pattern, words};
use crate::names::Role;
use crate::text;

/// The compiled query for the uses of names.
pub(super) struct CompiledReferences {
    query: pattern::Query,
    /// The meaning of each capture of the query, indexed by the capture's index.
    captures: Vec<Capture>,
    /// Whether a pattern takes only the last part of a name, indexed by the pattern's index.
    takes_last_part: Vec<bool>,
}

#[derive(Clone, Copy)]
enum Capture {
    /// A use with its role; `None` for a name that is no use.
    Reference(Option<Role>),
    To,
    Other,
}

impl CompiledReferences {
    fn new(grammar: &tree_sitter::Language, query: &str) -> Option<Self> {
        let query = pattern::Query::new(grammar, query).ok()?;
        let captures = query.captures.iter().map(|name| match name.as_str() {
            "reference" => Capture::Reference(Some(Role::Read)),
            "to" => Capture::To,
            name => {
                name.strip_prefix("reference.").map_or(Capture::Other, |role| Capture::Reference(role_by_name(role)))
            }
        });
        let captures = captures.collect();
        let is_last = |pattern: &pattern::Pattern| pattern.settings.iter().any(|(key, _)| key == "last");
        let takes_last_part = query.patterns.iter().map(is_last).collect();
        Some(Self { query, captures, takes_last_part })
    }
}

/// The role that the word after `@reference.` names; `None` for `none`.
fn role_by_name(name: &str) -> Option<Role> {
    match name {
        "call" => Some(Role::Call),
        "type" => Some(Role::Type),
        "member" => Some(Role::Member),
        "write" => Some(Role::Write),
        "import" => Some(Role::Import),
        "export" => Some(Role::Export),
        "decorator" => Some(Role::Decorator),
        "none" => None,
        _ => Some(Role::Read),
    }
}

impl TagsQueryLanguage {
    /// The places of names in a text, each with its role, in the order of the text; `None` if the language has no query
    /// for uses, so that every identifier counts as one.
    pub(crate) fn queried_occurrences(&self, tree: &Tree, source: &str) -> Option<Vec<(Range<usize>, Role)>> {
        let text = self.references?;
        let compiled = self.compiled_references.get_or_init(|| CompiledReferences::new(&self.grammar?.into(), text));
        let mut found: BTreeMap<usize, (usize, Range<usize>, Option<Role>)> = BTreeMap::new();
        if let Some(compiled) = compiled {
            matching::for_each_match(&compiled.query, tree, source, &mut |pattern, captures| {
                let capture = |index: usize| compiled.captures.get(index).copied().unwrap_or(Capture::Other);
                let to = captures.iter().find(|(index, _)| matches!(capture(*index), Capture::To));
                for (index, node) in captures {
                    let Capture::Reference(role) = capture(*index) else { continue };
                    let whole = node.start_byte()..to.map_or(node.end_byte(), |(_, to)| to.end_byte());
                    let is_last = compiled.takes_last_part.get(pattern).copied().unwrap_or(false);
                    let bytes = range_of_name(node.kind(), whole, is_last, source);
                    let is_first = found.get(&bytes.start).is_none_or(|(earlier, ..)| pattern < *earlier);
                    if is_first {
                        found.insert(bytes.start, (pattern, bytes, role));
                    }
                }
            });
        }
        for (bytes, role) in self.definition_names(tree, source) {
            found.insert(bytes.start, (0, bytes, Some(role)));
        }
        let uses = found.into_values().filter_map(|(_, bytes, role)| Some((bytes, role?)));
        Some(uses.filter(|(bytes, _)| bytes.len() <= MAX_NAME && !bytes.is_empty()).collect())
    }

    /// The places of the names of definitions; a further assignment, where the first one is the definition, is a write.
    fn definition_names(&self, tree: &Tree, source: &str) -> Vec<(Range<usize>, Role)> {
        let Some(compiled) = self.compiled_tags() else { return Vec::new() };
        let mut named: Vec<(Range<usize>, bool)> = Vec::new();
        matching::for_each_match(&compiled.query, tree, source, &mut |pattern, captures| {
            let role = |capture: usize| compiled.roles.get(capture).copied().unwrap_or(CaptureRole::Other);
            let Some(settings) = compiled.patterns.get(pattern) else { return };
            if settings.name.is_some()
                || settings.borrowed
                || !captures.iter().any(|(at, _)| matches!(role(*at), CaptureRole::Definition(_)))
            {
                return;
            }
            for (capture, node) in captures {
                let is_qualified = role(*capture) == CaptureRole::Qualified;
                if is_qualified || role(*capture) == CaptureRole::Name {
                    named.push((range_of_defined_name(*node, is_qualified, source), settings.once));
                }
            }
        });
        named.sort_unstable_by_key(|(bytes, once)| (bytes.start, bytes.end, *once));
        named.dedup_by_key(|(bytes, _)| bytes.start);
        let mut bound: HashSet<&str> = HashSet::new();
        let role_of = |(bytes, is_repeatable): (Range<usize>, bool)| {
            let is_first = bound.insert(source.get(bytes.clone()).unwrap_or(""));
            (bytes, if is_repeatable && !is_first { Role::Write } else { Role::Definition })
        };
        named.into_iter().map(role_of).collect()
    }
}

/// The limit on the length of a name, in bytes: longer text is no name that a search could be for.
const MAX_NAME: usize = 200;

/// The part of a name's node that a symbol is called by, as the outline writes it.
fn range_of_defined_name(node: Node<'_>, is_qualified: bool, source: &str) -> Range<usize> {
    if is_qualified {
        let name = source.get(node.byte_range()).unwrap_or("");
        let (_, simple) = words::split_qualified_name(name);
        return range_in(node.byte_range(), name, text::without_quotes(simple));
    }
    range_of_name(node.kind(), node.byte_range(), false, source)
}

/// The byte range of a name without quotation marks, parentheses or colons around it, and without the names before it
/// where only the last part is wanted.
fn range_of_name(kind: &str, whole: Range<usize>, is_last: bool, source: &str) -> Range<usize> {
    let written = source.get(whole.clone()).unwrap_or("");
    let mut name = words::bare_name(kind, written);
    if is_last {
        let is_separator = |c: char| matches!(c, '.' | ':' | '/' | '\\' | '=' | '#');
        let parted = name.trim_end_matches(is_separator).rsplit(is_separator).next();
        name = parted.filter(|part| !part.is_empty()).unwrap_or(name);
    }
    range_in(whole, written, name)
}

/// The byte range of `name`, which is a part of the text `written` in the byte range `whole`: its last place there, since
/// quotation marks and further names are before it.
fn range_in(whole: Range<usize>, written: &str, name: &str) -> Range<usize> {
    let start = whole.start + written.rfind(name).unwrap_or(0);
    start..start + name.len()
}
