//! Outlines with one row for each container of symbols, on which its members stand.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use peelback_code::syntax::signature::signature_with_parameter_names;
use peelback_code::syntax::{Symbol, SymbolKind, walk_symbols_with_depth};

use super::{DetailLevel, FileOutline, format_line_range, is_private, is_value, line_of_unnamed_symbols, sort_key};
use crate::markdown::{one_line, truncate_with_ellipsis};

/// The maximum number of characters of a member's name with its parameters.
const MEMBER: usize = 90;

/// The maximum number of characters of a container's declaration.
const CONTAINER: usize = 90;

/// The mark of a symbol that is relevant for the question.
const MARK: &str = "*";

/// The number of characters that are reserved for the line that counts the symbols that are not named.
const COUNTS: usize = 120;

/// The parameters that a method has in any case, which tell nothing about it.
const RECEIVERS: [&str; 7] = ["self", "&self", "&mut self", "mut self", "cls", "this", "&'a self"];

/// The rows of a compact outline, within a limit of characters.
struct CompactRows<'a> {
    text: String,
    named: Vec<&'a Symbol>,
    room: usize,
}

impl<'a> CompactRows<'a> {
    /// Adds a row that names some symbols, where it fits.
    fn push(&mut self, row: &str, named: impl IntoIterator<Item = &'a Symbol>) {
        let chars = row.chars().count();
        if chars <= self.room {
            self.room -= chars;
            self.text.push_str(row);
            self.named.extend(named);
        }
    }
}

impl<'a> FileOutline<'a> {
    /// The rows of the level [`DetailLevel::Parameters`] or a shorter one, and the symbols that they name. At the level
    /// [`DetailLevel::TopLevel`], rows that do not fit `room` characters are left out.
    pub(super) fn compact_rows(&self, level: DetailLevel, room: usize) -> (String, Vec<&'a Symbol>) {
        let room = if level == DetailLevel::TopLevel { room.saturating_sub(COUNTS.min(room / 4)) } else { usize::MAX };
        let mut rows = CompactRows { text: String::new(), named: Vec::new(), room };
        let relevant = self.relevant_symbols();
        let top: Vec<&Symbol> = self.analysed.facts.symbols.iter().filter(|symbol| !symbol.local).collect();
        if level == DetailLevel::TopLevel {
            // Where not all rows fit, the relevant ones come first.
            for symbol in &relevant {
                let name = truncate_with_ellipsis(&one_line(&symbol.qualified_name), MEMBER);
                let lines = format_line_range(symbol.lines.first, symbol.lines.last);
                rows.push(&format!("{lines} {} {name}\n", symbol.kind.as_str()), [*symbol]);
            }
        }
        let members_elsewhere = members_of_containers_elsewhere(&top);
        let mut owners: HashSet<&str> = HashSet::new();
        let mut plain_types: Vec<&Symbol> = Vec::new();
        let has_only_values = self.non_local_symbols().all(|(symbol, _)| is_value(symbol));
        for symbol in top {
            let is_relevant = relevant.iter().any(|other| other.bytes == symbol.bytes);
            if is_relevant && level == DetailLevel::TopLevel {
                continue;
            }
            if symbol.container.as_ref().is_some_and(|owner| members_elsewhere.contains_key(owner.as_str())) {
                continue;
            }
            if is_value(symbol) && !has_only_values && !is_relevant {
                continue;
            }
            // Of several types of one name, the first has the members.
            let owned = members_elsewhere.get(symbol.name.as_str()).filter(|_| owners.insert(&symbol.name));
            let owned = owned.cloned().unwrap_or_default();
            if !is_relevant && level < DetailLevel::TopLevel && owned.is_empty() && is_type_without_functions(symbol) {
                plain_types.push(symbol);
                continue;
            }
            self.push_container(&mut rows, symbol, &owned, 0, level, &relevant);
        }
        if !plain_types.is_empty() {
            let name = |symbol: &&Symbol| {
                format!("{} {}", truncate_with_ellipsis(&one_line(&symbol.name), MEMBER), symbol.lines.first)
            };
            let names: Vec<String> = plain_types.iter().map(name).collect();
            rows.push(&format!("types without functions: {}\n", names.join(", ")), plain_types);
        }
        (rows.text, rows.named)
    }

    /// The rows of one symbol with its members at the level [`DetailLevel::Parameters`] or a shorter one, and the line
    /// that counts what they do not name; empty where they name all.
    pub(super) fn rows_of_container(&self, symbol: &'a Symbol, level: DetailLevel) -> (String, String) {
        let mut rows = CompactRows { text: String::new(), named: Vec::new(), room: usize::MAX };
        self.push_container(&mut rows, symbol, &[], 0, level, &[]);
        let named: HashSet<_> = rows.named.iter().map(|named| sort_key(named)).collect();
        let inside = walk_symbols_with_depth(&symbol.children).map(|(symbol, _)| symbol);
        let unnamed = inside.filter(|symbol| !symbol.local && !named.contains(&sort_key(symbol)));
        (rows.text, line_of_unnamed_symbols(unnamed))
    }

    /// Adds the row of a symbol with its members, and below it the rows of containers inside it. `owned` are members
    /// that stand outside of the symbol in the file, as methods of Go do.
    fn push_container(
        &self,
        rows: &mut CompactRows<'a>,
        symbol: &'a Symbol,
        owned: &[&'a Symbol],
        depth: usize,
        level: DetailLevel,
        relevant: &[&'a Symbol],
    ) {
        let inside = symbol.children.iter().filter(|child| !child.local).chain(owned.iter().copied());
        let inside: Vec<&'a Symbol> = inside.collect();
        let indent = "  ".repeat(depth);
        let lines = format_line_range(symbol.lines.first, symbol.lines.last);
        let is_relevant = |symbol: &Symbol| relevant.iter().any(|other| other.bytes == symbol.bytes);
        let mut row = if is_relevant(symbol) && level == DetailLevel::RelevantRows && owned.is_empty() {
            self.symbol_row(symbol, depth, DetailLevel::Documentation).trim_end().to_owned()
        } else {
            let mark = if is_relevant(symbol) && level == DetailLevel::Parameters { MARK } else { "" };
            format!("{indent}{lines} {mark}{}", declaration(symbol, level))
        };
        if level == DetailLevel::TopLevel {
            if !inside.is_empty() {
                let _ = write!(row, " ({} inside)", inside.len());
            }
            row.push('\n');
            rows.push(&row, [symbol]);
            return;
        }
        let mut named = vec![symbol];
        let mut members: Vec<String> = Vec::new();
        let mut below: Vec<&'a Symbol> = Vec::new();
        let mut left_out = 0;
        for child in inside {
            let has_members = child.children.iter().any(|own| !own.local && !is_value(own));
            // A relevant member has a row of its own with more details.
            if has_members || (is_relevant(child) && level == DetailLevel::RelevantRows) {
                below.push(child);
            } else if is_relevant(child) || !(is_value(child) || (level >= DetailLevel::Public && is_private(child))) {
                if members.len() >= self.max_members && !is_relevant(child) {
                    left_out += 1;
                    continue;
                }
                named.push(child);
                let text = member_text(child, level);
                // Overloads of one form are named once.
                if members.last().is_none_or(|last| !last.trim_start_matches(MARK).starts_with(&format!("{text} "))) {
                    let mark = if is_relevant(child) && level == DetailLevel::Parameters { MARK } else { "" };
                    members.push(format!("{mark}{text} {}", child.lines.first));
                }
            }
        }
        if !members.is_empty() {
            let _ = write!(row, ": {}", members.join(", "));
        }
        if left_out > 0 {
            let _ = write!(row, ", and {left_out} more");
        }
        row.push('\n');
        rows.push(&row, named);
        for child in below {
            self.push_container(rows, child, &[], depth + 1, level, relevant);
        }
    }
}

/// The methods that stand outside of the types that own them, by the names of their types. Only types of the same file
/// count: other methods have rows of their own.
fn members_of_containers_elsewhere<'a>(top: &[&'a Symbol]) -> HashMap<&'a str, Vec<&'a Symbol>> {
    let mut by_owner: HashMap<&str, Vec<&Symbol>> = HashMap::new();
    for symbol in top {
        let owner = symbol.container.as_deref().filter(|_| symbol.kind.is_callable());
        if let Some(owner) = owner.filter(|owner| top.iter().any(|other| other.name == *owner && !is_value(other))) {
            by_owner.entry(owner).or_default().push(symbol);
        }
    }
    by_owner
}

/// The declaration of a symbol on the row that it begins.
fn declaration(symbol: &Symbol, level: DetailLevel) -> String {
    if symbol.kind.is_callable() || symbol.signature.is_empty() || level > DetailLevel::Parameters {
        let keyword = match symbol.kind {
            SymbolKind::Section | SymbolKind::Key | SymbolKind::Impl => String::new(),
            kind => format!("{} ", kind.as_str()),
        };
        return keyword + &member_text(symbol, level);
    }
    truncate_with_ellipsis(&without_type_parameters(&one_line(&symbol.signature)), CONTAINER)
}

/// Whether a symbol is a type of which only fields, members of an enum or other types are known.
fn is_type_without_functions(symbol: &Symbol) -> bool {
    let is_type = matches!(
        symbol.kind,
        SymbolKind::Type | SymbolKind::Interface | SymbolKind::Struct | SymbolKind::Union | SymbolKind::Enum
    );
    is_type && symbol.children.iter().all(|child| child.local || is_value(child))
}

/// A declaration without what stands in angle brackets after a name: `class Cart<T> extends Base<T>` becomes
/// `class Cart extends Base`.
fn without_type_parameters(declaration: &str) -> String {
    let mut out = String::with_capacity(declaration.len());
    let mut depth = 0_u32;
    let mut before = ' ';
    for c in declaration.chars() {
        match c {
            '<' if depth > 0 || before.is_alphanumeric() || before == '_' => depth += 1,
            // The arrows `=>` and `->` close nothing.
            '>' if depth > 0 && !matches!(before, '=' | '-') => depth -= 1,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        before = c;
    }
    out
}

/// The name of a member; of a function or method, the names of its parameters, too, without its receiver.
fn member_text(symbol: &Symbol, level: DetailLevel) -> String {
    if level > DetailLevel::Parameters || !symbol.kind.is_callable() || symbol.signature.is_empty() {
        return truncate_with_ellipsis(&one_line(&symbol.name), MEMBER);
    }
    let short = signature_with_parameter_names(&symbol.signature, &symbol.name);
    // What stands before the name is an owner, a keyword or a decorator; the row names the owner.
    let short = short.rfind(&format!("{}(", symbol.name)).and_then(|at| short.get(at..)).unwrap_or(&short);
    let mut text = one_line(short).to_string();
    for receiver in RECEIVERS {
        let begin = format!("{}({receiver}", symbol.name);
        if let Some(rest) = text.strip_prefix(&begin)
            && rest.starts_with([',', ')'])
        {
            text = format!("{}({}", symbol.name, rest.trim_start_matches([',', ' ']));
            break;
        }
    }
    truncate_with_ellipsis(&text, MEMBER)
}

#[cfg(test)]
mod tests {
    use peelback_code::{CodeAccess, Project};

    use super::without_type_parameters;
    use crate::excerpt::symbol_excerpt;

    #[test]
    fn a_list_of_members_counts_those_that_it_does_not_name() {
        let mut text = "class Depot:\n".to_owned();
        (0..40).for_each(|number| text.push_str(&format!("    room_{number}: int = {number}\n")));
        let body = "        self.accept(parcel)\n".repeat(8);
        for name in ["send", "_keep"] {
            (0..60).for_each(|number| text.push_str(&format!("\n    def {name}_{number}(self, parcel):\n{body}")));
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join(".git")).expect("a folder");
        std::fs::write(folder.path().join("depot.py"), text).expect("a file");
        let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
        for (max_chars, head, unnamed) in [
            (4_000, "its functions and types, without their bodies:\n", "(not named here: field 40)\n"),
            (
                1_500,
                "its public functions and types, without their bodies:\n",
                "(not named here: method 60, field 40)\n",
            ),
            (300, "its declaration, without its members:\n", "(not named here: method 120, field 40)\n"),
        ] {
            let excerpt = symbol_excerpt(&access, "depot.py", "Depot", max_chars).expect("an excerpt");
            assert!(excerpt.is_skeleton && excerpt.text.chars().count() <= max_chars, "{}", excerpt.text);
            assert!(excerpt.text.contains(head) && excerpt.text.ends_with(unnamed), "{max_chars}: {}", excerpt.text);
        }
    }

    #[test]
    fn type_parameters_are_left_out_of_declarations() {
        for (whole, short) in [
            ("class Cart<T extends Item<K>> extends Base<T>", "class Cart extends Base"),
            ("impl<B> Body for Compressed<B>", "impl Body for Compressed"),
            ("type F<A = () => B> = (a: A) => B", "type F = (a: A) => B"),
            ("class Cart(Base)", "class Cart(Base)"),
            ("class Never<closed", "class Never"),
        ] {
            assert_eq!(without_type_parameters(whole), short);
        }
    }
}
