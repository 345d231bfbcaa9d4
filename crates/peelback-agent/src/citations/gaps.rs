//! The reasons why the citations of a document do not prove all that it says of the code: citations that could not be
//! verified, and statements that name code without a citation.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use peelback_code::{CodeAccess, SourceFile};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::check::{has_whole_word, last_part_of_qualified_name};
use super::find::find_citations;
use super::locate::{Located, locate_cited_file, read_cited_file};
use super::naming;
use super::scan::Citation;
use super::symbols::DefinitionIndex;
use crate::document::{CODE_REFERENCES, KEY_FILES, OPEN_QUESTIONS, find_section};
use crate::markdown::{PARSER_OPTIONS, format_count_with_unit};

/// The reason of a document without a citation.
pub(crate) const NO_CITATION: &str = "it has no citation, so nothing that it says could be checked";

/// The reason of an overview whose summary, which a model wrote, has no citation.
pub(crate) const NO_CITATION_IN_SUMMARY: &str = "its summary has no citation, so nothing that it says could be checked";

/// The end of the reason of a document with marked citations; their number comes before it.
const UNVERIFIED: &str = "could not be verified";

/// The words between the number of statements and the names in the reason of a document with such statements.
const UNCITED: &str = "code without a citation:";

/// The maximum number of names in a reason.
const MAX_NAMES: usize = 5;

/// The reasons why the text `body` is not proven by its citations. No reason means that each statement that names code
/// has a citation, and that all citations hold. A text without a citation has the reason [`NO_CITATION`], whatever else
/// is known to be of use for it: only a citation in the text says which statement it proves.
///
/// A statement is a paragraph, a list item or a row of a table. It names code where it holds the name of a symbol that
/// the project defines. Its citation is in the statement itself, or in the same section and covers that name.
pub(crate) fn citation_gaps(body: &str, access: &CodeAccess) -> Vec<String> {
    let cited = find_citations(body);
    let marks: BTreeSet<usize> =
        cited.iter().filter_map(|one| one.existing_unverified_mark(body)).map(|(at, _)| at.start).collect();
    let mut gaps = Vec::new();
    if !has_holding_citation_outside(body, &cited, access, &[CODE_REFERENCES]) {
        gaps.push(NO_CITATION.to_owned());
    }
    gaps.extend(unverified_gap(marks.len()));
    let uncited = uncited_statements(body, &cited, access);
    if !uncited.is_empty() {
        let mut names: Vec<String> = Vec::new();
        for name in uncited.iter().flatten() {
            let name = format!("`{name}`");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        names.truncate(MAX_NAMES);
        let statements = format_count_with_unit(uncited.len(), "statement names", "statements name");
        gaps.push(format!("{statements} {UNCITED} {}{more}", names.join(", ")));
    }
    gaps
}

/// The reasons as of [`citation_gaps`] of an overview with the text `summary` of a model. The rest of an overview is made
/// from the files and has citations of its own, which prove nothing of the summary.
pub(crate) fn summary_gaps(summary: &str, access: &CodeAccess) -> Vec<String> {
    let mut gaps = citation_gaps(summary, access);
    for gap in gaps.iter_mut().filter(|gap| *gap == NO_CITATION) {
        NO_CITATION_IN_SUMMARY.clone_into(gap);
    }
    gaps
}

/// Whether a document that had no citation when it was written has one now. Citations in the lists that the program adds
/// below the text prove no statement.
pub(crate) fn has_citation_outside_lists(body: &str, access: &CodeAccess) -> bool {
    has_holding_citation_outside(body, &find_citations(body), access, &[CODE_REFERENCES, KEY_FILES])
}

/// Whether a citation of `body` that holds stands outside of the sections with the headings `lists`.
fn has_holding_citation_outside(body: &str, cited: &[Citation], access: &CodeAccess, lists: &[&str]) -> bool {
    let lists: Vec<Range<usize>> =
        lists.iter().filter_map(|heading| find_section(body, heading)).map(|section| section.whole).collect();
    cited.iter().any(|citation| {
        let at = citation.markdown_element_start();
        !lists.iter().any(|list| list.contains(&at)) && is_holding(citation, body, access)
    })
}

/// The reason of a document with `marked` marked citations; `None` if it has none.
pub(crate) fn unverified_gap(marked: usize) -> Option<String> {
    (marked > 0).then(|| format!("{} {UNVERIFIED}", format_count_with_unit(marked, "citation", "citations")))
}

/// Whether a text is one that [`unverified_gap`] gave.
pub(crate) fn is_unverified_gap(reason: &str) -> bool {
    reason.starts_with(|c: char| c.is_ascii_digit()) && reason.ends_with(UNVERIFIED)
}

/// Whether a part of the reason why a document is incomplete is one that [`citation_gaps`] gave.
pub(crate) fn is_citation_gap(reason: &str) -> bool {
    let begins_with_number = reason.starts_with(|c: char| c.is_ascii_digit());
    matches!(reason, NO_CITATION | NO_CITATION_IN_SUMMARY)
        || is_unverified_gap(reason)
        || (begins_with_number && reason.contains(UNCITED))
}

/// A paragraph, a list item or a row of a table.
struct Statement {
    /// The byte range of the block. List items can lie inside of it, which are statements of their own.
    at: Range<usize>,
    /// The number of its section, counted from the beginning of the document.
    section: usize,
    /// Its text outside inline code.
    plain: String,
    /// The pieces of inline code in it that are no citations.
    code: Vec<String>,
}

impl Statement {
    /// The names in it that may be those of symbols.
    fn names(&self) -> BTreeSet<String> {
        let code = self.code.iter().filter_map(|code| naming::symbol_name_in_code(code));
        code.chain(naming::likely_symbol_names(&self.plain)).collect()
    }
}

/// The statements of `body` that name code without a citation, each as the names in it.
fn uncited_statements(body: &str, cited: &[Citation], access: &CodeAccess) -> Vec<Vec<String>> {
    let statements = split_into_statements(body, cited);
    let names: Vec<BTreeSet<String>> = statements.iter().map(Statement::names).collect();
    let all: HashSet<String> = names.iter().flatten().cloned().collect();
    if all.is_empty() {
        return Vec::new();
    }
    let mut index = DefinitionIndex::new(access, all);
    // The citations that hold, by the section of the innermost statement around them.
    let mut holding_of_section: HashMap<usize, Vec<&Citation>> = HashMap::new();
    let mut has_own_citation = HashSet::new();
    let mut holds: HashMap<&str, bool> = HashMap::new();
    // The statements and the citations are in the order of the text, so that the open statements are known.
    let (mut next, mut open): (usize, Vec<usize>) = (0, Vec::new());
    for citation in cited {
        let at = citation.markdown_element_start();
        while statements.get(next).is_some_and(|statement| statement.at.start <= at) {
            open.push(next);
            next += 1;
        }
        while open.last().and_then(|number| statements.get(*number)).is_some_and(|around| around.at.end <= at) {
            open.pop();
        }
        let Some((number, around)) = open.last().and_then(|number| Some((*number, statements.get(*number)?))) else {
            continue;
        };
        let path = citation.path_without_dot_slash();
        if citation.existing_unverified_mark(body).is_none()
            && (citation.lines.is_some() || *holds.entry(path).or_insert_with(|| is_file(path, access)))
        {
            has_own_citation.insert(number);
            holding_of_section.entry(around.section).or_default().push(citation);
        }
    }
    // Many citations give the same lines, and a section needs each of them once.
    for holding in holding_of_section.values_mut() {
        let mut seen = HashSet::new();
        holding.retain(|citation| seen.insert((citation.path_without_dot_slash(), citation.lines)));
    }
    let mut texts: HashMap<&str, Option<SourceFile>> = HashMap::new();
    let mut uncited = Vec::new();
    for (number, names) in names.iter().enumerate() {
        if has_own_citation.contains(&number) || access.project().cancellation().stop_cause().is_some() {
            continue;
        }
        let section = statements.get(number).map(|statement| statement.section);
        let in_section = section.and_then(|section| holding_of_section.get(&section)).map_or(&[][..], Vec::as_slice);
        let mut open = Vec::new();
        for name in names {
            if index.definitions_of(name).iter().all(|definition| definition.is_minor) {
                continue;
            }
            let simple = last_part_of_qualified_name(name);
            let covers = in_section.iter().any(|citation| {
                let path = citation.path_without_dot_slash();
                let file = texts.entry(path).or_insert_with(|| read_cited_file(access, path));
                file.as_ref().is_some_and(|file| match citation.lines {
                    Some((first, last)) => has_whole_word(file.text_of_lines(first, last), simple),
                    None => has_whole_word(&file.text, simple),
                })
            });
            if !covers {
                open.push(name.clone());
            }
        }
        if !open.is_empty() {
            uncited.push(open);
        }
    }
    uncited
}

/// Whether a citation in the checked text `body` holds: it has lines or names a file, and no mark.
fn is_holding(citation: &Citation, body: &str, access: &CodeAccess) -> bool {
    citation.existing_unverified_mark(body).is_none()
        && (citation.lines.is_some() || is_file(citation.path_without_dot_slash(), access))
}

fn is_file(path: &str, access: &CodeAccess) -> bool {
    matches!(locate_cited_file(access, path), Located::File(_) | Located::NoText)
}

/// The statements of a document, except headings, code blocks, and the sections of code references and open questions.
fn split_into_statements(body: &str, cited: &[Citation]) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    // The numbers of the open paragraphs, list items and rows, the outermost first.
    let mut open: Vec<usize> = Vec::new();
    let (mut section, mut is_listing, mut blocks) = (0, false, 0_usize);
    let mut heading: Option<String> = None;
    for (event, range) in Parser::new_ext(body, PARSER_OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => {
                section += 1;
                let text = heading.take().unwrap_or_default();
                let is_named = |name: &str| text.trim().eq_ignore_ascii_case(name);
                // A heading of a lower level stands inside the section.
                if level as usize <= 2 {
                    is_listing = is_named(CODE_REFERENCES) || is_named(OPEN_QUESTIONS);
                }
            }
            Event::Text(text) | Event::Code(text) if heading.is_some() => {
                heading.get_or_insert_default().push_str(&text);
            }
            Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)) => blocks += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_)) => {
                blocks = blocks.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph | Tag::Item | Tag::TableRow | Tag::TableHead) => {
                // A paragraph inside a list item belongs to the item.
                let number = match (&event, open.last()) {
                    (Event::Start(Tag::Paragraph), Some(around)) => *around,
                    _ => statements.len(),
                };
                if number == statements.len() {
                    statements.push(Statement { at: range, section, plain: String::new(), code: Vec::new() });
                }
                open.push(number);
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead) => drop(open.pop()),
            _ if blocks > 0 || is_listing => {}
            Event::Text(text) => {
                if let Some(statement) = open.last().and_then(|number| statements.get_mut(*number)) {
                    // The parser splits words at characters that could be markup.
                    statement.plain.push_str(&text);
                }
            }
            Event::Code(code) => {
                if let Some(statement) = open.last().and_then(|number| statements.get_mut(*number)) {
                    statement.plain.push(' ');
                    let first = cited.partition_point(|citation| citation.markdown_element_start() < range.start);
                    if !cited.get(first).is_some_and(|citation| citation.is_inside(&range)) {
                        statement.code.push(code.into_string());
                    }
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::Start(_) | Event::End(_) => {
                if let Some(statement) = open.last().and_then(|number| statements.get_mut(*number)) {
                    statement.plain.push(' ');
                }
            }
            _ => {}
        }
    }
    statements
}

#[cfg(test)]
mod tests {
    use peelback_code::Project;

    use super::*;

    const CODE: &str = "\
class Shop:
    def open(self):
        return self.till

    def close_shop(self):
        self.till = count_up(1)


def count_up(x):
    return x + 1
";

    fn gaps_of(body: &str) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        std::fs::write(folder.path().join("shop.py"), CODE).expect("a file");
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        let checked = super::super::check_and_repair_citations(body, &access);
        let gaps = citation_gaps(&checked.text, &access);
        assert!(gaps.iter().all(|gap| is_citation_gap(gap)), "{gaps:?}");
        gaps
    }

    #[test]
    fn statements_with_a_citation_leave_no_gap() {
        for body in [
            "## Summary\n\nThe till is counted in `Shop.close_shop` (`shop.py:5-6`). Nothing else is said.\n",
            // Of the same section, and the lines hold the name.
            "## A\n\n`Shop.close_shop` (`shop.py:5-6`) closes it.\n\nIt calls `count_up` once.\n",
            "- [`Shop.open`](shop.py#L2-L3)\n- **`count_up`** in shop.py lines 9-10\n",
            "| name | place |\n|---|---|\n| `count_up` | `shop.py:9-10` |\n",
            "In `shop.py:9-10`, one is added: `x` of `None`.\n\n## Code References\n\n- `Shop.open`\n\n## Open Questions\n\n- `Shop`?\n",
            "Here (`shop.py:2-3`).\n\n```py\ncount_up(2)\n```\n\nAn `unknown_name` of nobody's code, and the word open.\n",
        ] {
            assert_eq!(gaps_of(body), [""; 0], "{body}");
        }
    }

    #[test]
    fn statements_without_one_are_counted_and_named() {
        for (body, gaps) in [
            ("## Summary\n\nAll is well.\n", vec![NO_CITATION]),
            // The list below the text, which the program writes, is no citation of a statement.
            ("## Summary\n\nAll is well.\n\n## Code References\n\n- `shop.py:2-3` — opens\n", vec![NO_CITATION]),
            (
                "Here (`shop.py:2-3`).\n\n## B\n\n`Shop.close_shop` closes it.\n",
                vec!["1 statement names code without a citation: `Shop.close_shop`"],
            ),
            (
                "- `Shop.open` (`shop.py:2-3`)\n- `count_up` adds\n  - and count_up() again\n- `Shop.close_shop` and `count_up`\n",
                vec!["3 statements name code without a citation: `count_up`, `Shop.close_shop`"],
            ),
            (
                "`Shop.open` (`shop.py:2-3`) opens.\n\nAll of it is in `nowhere.py:1-2`. It says `count_up`, too.\n",
                vec!["1 citation could not be verified", "1 statement names code without a citation: `count_up`"],
            ),
            (
                "`Shop.open` (`shop.py:2-3`)\n\n| a | b |\n|---|---|\n| `count_up` | adds |\n",
                vec!["1 statement names code without a citation: `count_up`"],
            ),
        ] {
            assert_eq!(gaps_of(body), gaps, "{body}");
        }
    }
}
