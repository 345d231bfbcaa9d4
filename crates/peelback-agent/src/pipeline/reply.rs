//! A model's reply to an exploration request, and the search in the project for the files and symbols that it names.

use peelback_code::{CodeAccess, SymbolNameQuery};
use peelback_llm::OutputSchema;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};

use crate::citations::Reference;
use crate::scope::findings::{Findings, RequestedSymbol};

/// The maximum number of symbols that are used from one reply.
const MOST_SYMBOLS: usize = 15;

/// The maximum number of files that are used from one reply.
const MOST_FILES: usize = 6;

/// The maximum number of code references that are used from one reply.
const MOST_LOCATIONS: usize = 20;

/// What a model replies when it has seen outlines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplorationReply {
    /// One or two sentences: why these symbols and files.
    pub reasoning: String,
    /// Symbols whose bodies must be read, as `path:Qualified.name`, the most important first.
    pub symbols_needed: Vec<String>,
    /// Paths of files that were not outlined and that the answer needs.
    pub additional_files_needed: Vec<String>,
    /// Whether the symbols named, once read, are enough to answer.
    pub sufficient_context: bool,
    /// What is known by now.
    pub preliminary_insights: String,
    /// Places that the answer will cite, with line numbers that were shown.
    pub key_locations: Vec<Reference>,
}

/// The JSON schema of the model's reply to an exploration request.
pub(super) fn exploration_reply_schema() -> OutputSchema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<ExplorationReply>().to_value();
    make_schema_strict(&mut schema);
    OutputSchema { name: "exploration".to_owned(), schema }
}

/// Adapts a JSON schema to the strict mode of model providers: no object allows additional properties, all properties
/// are required, and numbers have no ranges.
fn make_schema_strict(schema: &mut serde_json::Value) {
    match schema {
        serde_json::Value::Object(object) => {
            for key in ["title", "format", "minimum", "maximum"] {
                // A property may be named like a schema keyword. The value of a real keyword is not an object.
                if object.get(key).is_some_and(|value| !value.is_object()) {
                    object.remove(key);
                }
            }
            if let Some(properties) = object.get("properties").and_then(|properties| properties.as_object()) {
                let names: Vec<serde_json::Value> = properties.keys().map(|name| name.clone().into()).collect();
                object.insert("required".to_owned(), names.into());
                object.insert("additionalProperties".to_owned(), false.into());
            }
            object.values_mut().for_each(make_schema_strict);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(make_schema_strict),
        _ => {}
    }
}

/// The files and symbols that a model's reply requests, separated into existing and missing ones.
#[derive(Debug, Default)]
pub(super) struct RequestedNames {
    pub symbols: Vec<RequestedSymbol>,
    pub files: Vec<String>,
    /// Names of files and symbols that do not exist in the project, as the model wrote them.
    pub missing: Vec<String>,
}

impl RequestedNames {
    /// Finds the files and symbols that `reply` requests in the project. A symbol without a path is searched in the
    /// files whose outlines the model was shown.
    pub fn resolve_from_reply(reply: &ExplorationReply, access: &CodeAccess, outlined: &[String]) -> Self {
        let mut named = Self::default();
        for name in reply.symbols_needed.iter().take(MOST_SYMBOLS) {
            match find_requested_symbol(name.trim(), access, outlined) {
                Some(wanted) if !named.symbols.contains(&wanted) => named.symbols.push(wanted),
                Some(_) => {}
                // A requested name that is only a path means the file.
                None => match root_path_of_existing_file(name, access) {
                    Some(path) => named.add_file(path),
                    None => named.missing.push(name.trim().to_owned()),
                },
            }
        }
        for path in reply.additional_files_needed.iter().take(MOST_FILES) {
            match root_path_of_existing_file(path, access) {
                Some(path) => named.add_file(path),
                None => named.missing.push(path.trim().to_owned()),
            }
        }
        named
    }

    fn add_file(&mut self, path: String) {
        if !self.files.contains(&path) {
            self.files.push(path);
        }
    }

    /// Adds the existing files and symbols, and the insights of the reply, to the findings of the exploration.
    pub fn add_names_and_reply_to_findings(
        &self,
        findings: &mut Findings,
        reply: &ExplorationReply,
        access: &CodeAccess,
    ) {
        for wanted in &self.symbols {
            findings.add_symbol_and_its_file(&wanted.path, &wanted.name);
        }
        for path in &self.files {
            findings.add_file(path);
        }
        findings.add_insight(&reply.preliminary_insights);
        for place in reply.key_locations.iter().take(MOST_LOCATIONS) {
            // The model that writes the document must see every cited file.
            let Some(path) = root_path_of_existing_file(&place.path, access) else { continue };
            findings.add_file(&path);
            findings.add_code_references([Reference { path, ..place.clone() }]);
        }
    }

    /// The open questions about requested files and symbols that do not exist in the project.
    pub fn missing_names_as_questions(&self) -> impl Iterator<Item = String> + '_ {
        self.missing.iter().map(|name| format!("{name} was requested but does not exist"))
    }

    /// The first requested files and symbols, as a preview for progress output.
    pub fn preview_of_requested_names(&self) -> String {
        const SHOWN: usize = 8;
        let symbols = self.symbols.iter().map(|wanted| format!("{}:{}", wanted.path, wanted.name));
        let all: Vec<String> = symbols.chain(self.files.iter().cloned()).collect();
        let mut shown = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
        if all.len() > SHOWN {
            shown.push_str(&format!("\n… +{} more", all.len() - SHOWN));
        }
        shown
    }
}

/// The path of a file, relative to the project's root; `None` where the file does not exist in the project.
fn root_path_of_existing_file(path: &str, access: &CodeAccess) -> Option<String> {
    let path = path.trim().trim_matches('`').trim_start_matches("./");
    access.read_file(path).ok().map(|file| file.path)
}

/// Finds the symbol that a model requests as `path:Qualified.name`, or by its name alone: the path of its file and its
/// name.
fn find_requested_symbol(name: &str, access: &CodeAccess, outlined: &[String]) -> Option<RequestedSymbol> {
    let name = name.trim_matches('`');
    let is_in = |path: &str, name: &str| {
        let analysed = access.analyse_file(path).ok()?;
        let hits = access.find_matching_symbols(&analysed, &SymbolNameQuery::new(name));
        let best = hits.iter().min_by_key(|hit| hit.closeness)?;
        Some(RequestedSymbol { path: analysed.file.path.clone(), name: best.symbol.qualified_name.clone() })
    };
    // Paths in replies are never Windows paths, and the text before a colon inside a name (`ns::f`) is no path.
    for (at, _) in name.match_indices(':') {
        let (path, rest) = (name.get(..at)?, name.get(at + 1..)?);
        if let Some(path) = root_path_of_existing_file(path, access) {
            return is_in(&path, rest.trim_start_matches(':'));
        }
    }
    outlined.iter().find_map(|path| is_in(path, name))
}
