//! Reads every symbol of every file of some folders, and every file's profile:
//!
//! ```sh
//! cargo run --release -p peelback --example verify_symbols -- [--rows] FOLDER...
//! ```
//!
//! It prints, by language, how many files and symbols there are; how many ids do not mean exactly the symbol that the
//! outline shows under them; and how many bodies do not parse, neither alone nor inside the headers that their context
//! names. `--rows` prints a JSON line for each symbol read instead.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use peelback_code::syntax::{
    Language, Limits, NotParsed, ParseCoverage, SymbolKind, Tier, analyse_source, walk_symbols_with_depth,
};
use peelback_code::{CodeAccess, Project, SymbolBody, SymbolNameQuery, WalkOptions};
use serde_json::{Value, json};

#[derive(Default)]
struct Sums {
    files: usize,
    symbols: usize,
    other: usize,
    bodies: usize,
    unparsed: usize,
    /// Files whose parse passed its deadline, which a loaded machine makes it do.
    late: usize,
    examples: Vec<String>,
}

impl Sums {
    fn other(&mut self, example: String) {
        self.other += 1;
        if self.other < 4 {
            self.examples.push(example);
        }
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = arguments.first().is_some_and(|first| first == "--rows");
    if rows {
        arguments.remove(0);
    }
    let read_symbol = peelback_tools::tool_by_name_or_alias("read_symbol").expect("the tool");
    let read_file = peelback_tools::tool_by_name_or_alias("read_file").expect("the tool");
    let mut sums: BTreeMap<&'static str, Sums> = BTreeMap::new();
    for folder in arguments.iter().map(PathBuf::from) {
        let access = CodeAccess::new(Project::discover(Some(&folder), None).expect("a folder"));
        for place in access.project().files_in_scope(None, &WalkOptions::default()).expect("a walk").entries {
            let Ok(analysed) = access.analyse_file(&place.path) else { continue };
            let Some(language) = analysed.language.filter(|language| language.tier == Tier::Complete) else { continue };
            assert!(
                !read_file.run_call(&access, json!({ "path": place.path })).formatted_output().is_empty(),
                "{}",
                place.path
            );
            let sums = sums.entry(language.name).or_default();
            sums.files += 1;
            let whole = analysed.facts.coverage == ParseCoverage::Whole;
            sums.late += usize::from(analysed.facts.coverage == ParseCoverage::NotParsed(NotParsed::Deadline));
            let mut asked = false;
            for (symbol, _) in walk_symbols_with_depth(&analysed.facts.symbols) {
                sums.symbols += 1;
                let address = symbol.unique_address_in_file();
                // What `read_symbol` does with an id, without reading and parsing the file for each.
                let found = access
                    .find_matching_symbols(&analysed, &SymbolNameQuery::new(&address).requiring_exact_qualified_name());
                let [found] = found.as_slice() else {
                    sums.other(format!("{}:{address}: {} symbols", place.path, found.len()));
                    continue;
                };
                if found.symbol != symbol.without_children() {
                    sums.other(format!("{}:{address}: another symbol", place.path));
                    continue;
                }
                let body = SymbolBody::new(&analysed, found);
                if !asked {
                    // The whole way once for each file: the tool gives that body for that id.
                    asked = true;
                    let id = format!("{}:{address}", place.path);
                    let reply = read_symbol.run_call(&access, json!({ "name": id, "format": "json", "max_tokens": 0 }));
                    let answer: Value = serde_json::from_str(&reply.formatted_output()).expect("JSON");
                    let late = answer["error"].as_str().is_some_and(|error| error.contains("deadline"));
                    if late {
                        sums.late += 1;
                    } else if answer["symbols"][0]["body"] != body.text {
                        sums.other(format!("{id}: the tool gives {}", reply.formatted_output()));
                    }
                }
                if rows {
                    println!(
                        "{}",
                        json!({
                            "repo": folder.file_name().map(|name| name.to_string_lossy()),
                            "path": place.path,
                            "name": symbol.name,
                            "line": found.symbol.lines.first,
                            "line_end": found.symbol.lines.last,
                        })
                    );
                    continue;
                }
                // What stands inside another declaration is no program of its own, whatever stands around it.
                let part = symbol.kind.is_field_property_or_enum_member()
                    || matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable);
                if !whole || part || symbol.local {
                    continue;
                }
                sums.bodies += 1;
                let imports = body.context.imports.iter().map(|import| import.text.as_str());
                let headers: Vec<&str> =
                    imports.chain(body.context.headers.iter().map(|(_, header)| header.as_str())).collect();
                if !parses(language, &body.text, &headers) {
                    sums.unparsed += 1;
                    if sums.examples.len() < 6 {
                        sums.examples.push(format!("{}:{address} does not parse", place.path));
                    }
                }
            }
        }
    }
    if rows {
        return;
    }
    println!("| language | files | symbols | id means another or several | bodies tried | do not parse |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (language, sums) in &sums {
        println!(
            "| {language} | {} | {} | {} | {} | {} |",
            sums.files, sums.symbols, sums.other, sums.bodies, sums.unparsed
        );
    }
    let late: usize = sums.values().map(|sums| sums.late).sum();
    if late > 0 {
        eprintln!("{late} parses passed their deadline: run again on an idle machine");
    }
    for example in sums.values().flat_map(|sums| &sums.examples) {
        eprintln!("{example}");
    }
}

/// Whether a body parses alone, or inside the declarations that hold it.
fn parses(language: &'static Language, body: &str, context: &[&str]) -> bool {
    // A file ends in a newline, which ends a statement in some languages.
    let whole = |text: &str| {
        analyse_source(language, &format!("{text}\n"), &Limits::default()).coverage == ParseCoverage::Whole
    };
    if whole(body) {
        return true;
    }
    let python = language.name == "python";
    let mut wrapped = String::new();
    let mut closing = String::new();
    for (depth, header) in context.iter().enumerate() {
        if python {
            wrapped.push_str(&format!(
                "{}{}\n",
                " ".repeat(depth),
                if header.ends_with(':') { (*header).to_owned() } else { format!("{header}:") }
            ));
        } else {
            wrapped.push_str(&format!("{header} {{\n"));
            closing.push_str("\n}");
        }
    }
    if whole(&format!("{wrapped}{body}{closing}")) {
        return true;
    }
    // Without the imports, which come first in the context.
    (0..context.len()).any(|from| {
        let headers = context.get(from..).unwrap_or(&[]);
        let (open, close): (String, String) = if python {
            (
                headers.iter().enumerate().map(|(depth, h)| format!("{}{h}:\n", " ".repeat(depth))).collect(),
                String::new(),
            )
        } else {
            (headers.iter().map(|h| format!("{h} {{\n")).collect(), "\n}".repeat(headers.len()))
        };
        whole(&format!("{open}{body}{close}"))
    }) || HOLDERS.iter().any(|(open, close)| whole(&format!("{open}\n{body}\n{close}")))
}

/// Declarations that hold parts of their own kind: members, methods of an object, specs of a group.
const HOLDERS: &[(&str, &str)] = &[
    ("class Holder {", "}"),
    ("const holder = {", "}"),
    ("interface Holder {", "}"),
    ("type Holder interface {", "}"),
    ("trait Holder {", "}"),
    ("impl Holder {", "}"),
    ("type (", ")"),
];
