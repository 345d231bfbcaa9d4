//! Reading the parse tables of a generated `parser.c`, and writing the file again with the tables packed.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::SMALLEST_PACKED;
use super::pack::{pack, unpack};

const DENSE: &str = "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
const SMALL: &str = "static const uint16_t ts_small_parse_table[] = {\n";
const TABLE_END: &str = "\n};\n";

/// The text of `parser.c` with both parse tables packed; `None` where the tables are small, or the text has another
/// form than the generator of tree-sitter writes.
pub fn with_packed_tables(parser: &str) -> Option<String> {
    let rows: usize = defined(parser, "LARGE_STATE_COUNT")?;
    let width: usize = defined(parser, "SYMBOL_COUNT")?;
    // A grammar's text is many times as long as its tables are large.
    if parser.len() < SMALLEST_PACKED {
        return None;
    }
    let (head, dense, rest) = parted(parser, DENSE)?;
    let (between, small, rest) = parted(rest, SMALL)?;
    let symbols = symbol_numbers(head)?;
    let dense = dense_table(dense, rows, width, &symbols)?;
    let small = small_table(small, &symbols)?;
    if (dense.len() + small.len()) * size_of::<u16>() < SMALLEST_PACKED {
        return None;
    }
    let (before, after) = rest.split_once("static const TSLanguage language = {")?;
    let name = before.rsplit_once("const TSLanguage *")?.1.split_once('(')?.0;
    before.ends_with(&format!("{name}(void) {{\n  ")).then_some(())?;
    let function =
        before.rfind("TS_PUBLIC const TSLanguage *").or_else(|| before.rfind("extern const TSLanguage *"))?;
    let mut text = String::with_capacity(parser.len() / 4);
    text.push_str(head);
    push_table(&mut text, "ts_parse_table", "[LARGE_STATE_COUNT][SYMBOL_COUNT]", &dense)?;
    text.push_str(between);
    push_table(&mut text, "ts_small_parse_table", &format!("[{}]", small.len()), &small)?;
    text.push_str(before.get(..function)?);
    text.push_str(UNPACK);
    text.push_str(before.get(function..)?);
    text.push_str(UNPACK_ONCE);
    text.push_str("static const TSLanguage language = {");
    text.push_str(after);
    Some(text)
}

/// C code that defines a function that unpacks both parse tables.
const UNPACK: &str = "
#include <pthread.h>

void peelback_unpack_table(const uint8_t *packed, uint16_t *table, size_t length);

static void unpack_tables(void) {
  peelback_unpack_table(packed_ts_parse_table, &ts_parse_table[0][0], sizeof(ts_parse_table) / sizeof(uint16_t));
  peelback_unpack_table(packed_ts_small_parse_table, ts_small_parse_table, sizeof(ts_small_parse_table) / sizeof(uint16_t));
}

";

/// C code at the start of the function that returns the language: it unpacks the parse tables at the first call.
/// Several threads may call the function at the same time.
const UNPACK_ONCE: &str = "static pthread_once_t is_unpacked = PTHREAD_ONCE_INIT;
  pthread_once(&is_unpacked, unpack_tables);
  ";

/// The number that `#define name` gives to a macro in the text of `parser.c`.
fn defined(parser: &str, name: &str) -> Option<usize> {
    let after = parser.split_once(&format!("#define {name} "))?.1;
    after.lines().next()?.trim().parse().ok()
}

/// The text of `parser.c` in three parts: before the table that `declaration` begins, the table's initialiser, and
/// after it.
fn parted<'t>(text: &'t str, declaration: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (before, after) = text.split_once(declaration)?;
    let (table, rest) = after.split_once(TABLE_END)?;
    Some((before, table, rest))
}

/// The number of each grammar symbol by its name, read from the enumeration in `parser.c`.
fn symbol_numbers(head: &str) -> Option<HashMap<&str, u16>> {
    let after = head.split_once("\nenum ts_symbol_identifiers {\n").or_else(|| head.split_once("\nenum {\n"))?.1;
    let lines = after.split_once("};")?.0.lines();
    let numbers = lines.map(|line| {
        let (name, number) = line.trim().trim_end_matches(',').split_once(" = ")?;
        Some((name, number.parse().ok()?))
    });
    let mut numbers: HashMap<&str, u16> = numbers.collect::<Option<_>>()?;
    numbers.insert("ts_builtin_sym_end", 0);
    Some(numbers)
}

/// The dense parse table, read from its C initialiser: one row for each parser state, one number for each grammar
/// symbol. It covers the states with many entries.
fn dense_table(text: &str, rows: usize, width: usize, symbols: &HashMap<&str, u16>) -> Option<Vec<u16>> {
    let mut table = vec![0; rows * width];
    let mut row: Option<usize> = None;
    for line in text.lines().map(str::trim) {
        if line == "}," {
            row = None;
            continue;
        }
        let (place, value) = line.strip_prefix('[')?.split_once("] = ")?;
        if value == "{" {
            row = Some(usize::from(number(place)?));
            continue;
        }
        let column = usize::from(*symbols.get(place)?);
        *table.get_mut(row? * width + column)? = number(value.strip_suffix(',')?)?;
    }
    Some(table)
}

/// The small parse table, read from its C initialiser: a list of numbers and of symbols' numbers. It covers the states
/// with few entries.
fn small_table(text: &str, symbols: &HashMap<&str, u16>) -> Option<Vec<u16>> {
    let mut table = Vec::new();
    for line in text.lines().map(str::trim) {
        let values = match line.strip_prefix('[') {
            Some(line) => {
                let (place, values) = line.split_once("] = ")?;
                (place.parse() == Ok(table.len())).then_some(values)?
            }
            None => line,
        };
        for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            table.push(symbols.get(value).copied().or_else(|| number(value))?);
        }
    }
    Some(table)
}

/// The number in a table entry of `parser.c`: written bare, or as the argument of the macro `STATE` or `ACTIONS`, which
/// stands for its argument.
fn number(text: &str) -> Option<u16> {
    let inner = text.strip_prefix("STATE(").or_else(|| text.strip_prefix("ACTIONS("));
    match inner {
        Some(inner) => inner.strip_suffix(')')?.parse().ok(),
        None => text.parse().ok(),
    }
}

/// Writes the C declarations of one parse table: the table itself, which is empty until it is unpacked, and its packed
/// form. Returns `None` if packing loses a number.
fn push_table(text: &mut String, name: &str, size: &str, table: &[u16]) -> Option<()> {
    let packed = pack(table);
    (unpack(&packed, table.len())? == table).then_some(())?;
    writeln!(text, "static uint16_t {name}{size};\nstatic const uint8_t packed_{name}[] = {{").ok()?;
    for line in packed.chunks(64) {
        for value in line {
            write!(text, "{value},").ok()?;
        }
        text.push('\n');
    }
    text.push_str("};\n");
    Some(())
}
