//! Tests of the languages' tags queries, and a comparison of the query engine with tree-sitter's own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tree_sitter::{Parser, QueryCursor, QueryPredicateArg, StreamingIterator as _, Tree};

use super::{TagsQueryLanguage, matching, pattern};
use crate::analysis::analyse_source;
use crate::facts::walk_symbols_with_depth;
use crate::language;
use crate::parse::Limits;
use crate::spec::{Analysis, Language};

/// A match of a query: the index of the pattern, and each capture's name with the start and end bytes of its node.
type Match = (usize, Vec<(String, usize, usize)>);

/// The languages of this build whose analysis uses a tags query.
fn query_languages() -> impl Iterator<Item = (&'static Language, &'static TagsQueryLanguage, tree_sitter::Language)> {
    language::all_languages().iter().filter_map(|language| match language.analysis {
        Analysis::TagsQueryLanguage(tags) => Some((*language, tags, tags.grammar?.into())),
        _ => None,
    })
}

fn fixtures(language: &Language) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages").join(language.name).join("fixtures");
    let entries = std::fs::read_dir(folder).expect("fixtures");
    let files = entries.map(|entry| entry.expect("an entry").path());
    files.filter(|path| path.extension().is_none_or(|extension| extension != "snap")).collect()
}

#[test]
fn many_names_of_one_declaration_cost_what_many_declarations_do() {
    const NAMES: usize = 20_000;
    let names = (0..NAMES).map(|index| format!("n{index}")).collect::<Vec<_>>().join(", ");
    for (language, source) in [
        ("cpp", format!("int {names};\n")),
        ("cpp", format!("typedef int {names};\n")),
        ("java", format!("class A {{ int {names}; }}\n")),
        ("swift", format!("var {names} = 1\n")),
    ] {
        let language = language::language_by_exact_name(language).expect("a language");
        if !language.is_available_in_build() {
            continue;
        }
        let started = Instant::now();
        // A longer time limit than a tool call has, because the parse is slow on a loaded machine.
        let limits = Limits { base: Duration::from_secs(60), ..Limits::default() };
        let facts = analyse_source(language, &source, &limits);
        assert!(walk_symbols_with_depth(&facts.symbols).count() >= NAMES, "{}", language.name);
        // The analysis takes a second at most; with a comparison of every name with every other, it would take half a
        // minute.
        assert!(started.elapsed().as_secs() < 10, "{}", language.name);
    }
}

#[test]
fn every_query_compiles_in_both_engines_and_matches_the_same_nodes() {
    let queries = query_languages().flat_map(|(language, tags, grammar)| {
        let queries = [Some((tags.query, 6)), tags.references.map(|query| (query, 1))].into_iter().flatten();
        queries.map(move |(query, least)| (language, query, least, grammar.clone()))
    });
    for (language, query, least, grammar) in queries {
        let own = pattern::Query::new(&grammar, query).unwrap_or_else(|error| panic!("{}: {error}", language.name));
        let reference =
            tree_sitter::Query::new(&grammar, query).unwrap_or_else(|error| panic!("{}: {error}", language.name));
        let mut parser = Parser::new();
        parser.set_language(&grammar).expect("a grammar of this version");
        let mut matches = 0;
        for path in fixtures(language) {
            let source = std::fs::read_to_string(&path).expect("UTF-8");
            let tree = parser.parse(&source, None).expect("a tree");
            let found = own_matches(&own, &tree, &source);
            let expected = complete_matches(reference_matches(&reference, &tree, &source));
            assert_eq!(complete_matches(found.clone()), expected, "{}", path.display());
            matches += found.len();
        }
        assert!(matches >= least, "{}: {matches}", language.name);
    }
}

/// Keeps each definition once, with as many optional captures as possible. Tree-sitter's engine reports a definition
/// both with and without its optional part, and once for every node that can be the part (`a = 1` of `var a = 1, b = 2`
/// also with the value `2`).
fn complete_matches(matches: BTreeSet<Match>) -> BTreeSet<Match> {
    let is_part = |part: &Match, whole: &Match| {
        part.0 == whole.0 && part.1.len() < whole.1.len() && part.1.iter().all(|capture| whole.1.contains(capture))
    };
    let complete = matches.iter().filter(|part| !matches.iter().any(|whole| is_part(part, whole)));
    let mut seen = BTreeSet::new();
    let first = complete.filter(|(pattern, captures)| {
        let is_optional = |name: &str| matches!(name, "body" | "end" | "value");
        let required: Vec<_> = captures.iter().filter(|(name, ..)| !is_optional(name)).cloned().collect();
        required.is_empty() || seen.insert((*pattern, required))
    });
    first.cloned().collect()
}

fn own_matches(query: &pattern::Query, tree: &Tree, source: &str) -> BTreeSet<Match> {
    let mut matches = BTreeSet::new();
    matching::for_each_match(query, tree, source, &mut |pattern, captures| {
        let captures = captures.iter().map(|(capture, node)| {
            let name = query.captures.get(*capture).cloned().unwrap_or_default();
            (name, node.start_byte(), node.end_byte())
        });
        let mut captures: Vec<_> = captures.collect();
        captures.sort();
        matches.insert((pattern, captures));
    });
    matches
}

fn reference_matches(query: &tree_sitter::Query, tree: &Tree, source: &str) -> BTreeSet<Match> {
    let names = query.capture_names();
    let mut matches = BTreeSet::new();
    let mut cursor = QueryCursor::new();
    let mut found = cursor.matches(query, tree.root_node(), source.as_bytes());
    while let Some(found) = found.next() {
        let mut captures = Vec::new();
        for capture in found.captures() {
            let name = names.get(capture.index as usize).copied().unwrap_or_default().to_owned();
            captures.push((name, capture.node.start_byte(), capture.node.end_byte()));
        }
        // Tree-sitter leaves the predicates `#not-ends-with?`, `#starts-with?` and `#not-starts-with?` to its callers, so
        // the test evaluates them here.
        let excluded = query.general_predicates(found.pattern_index).iter().any(|predicate| {
            let texts = predicate.args.iter().filter_map(|arg| match arg {
                QueryPredicateArg::String(end) => Some(end),
                QueryPredicateArg::Capture(_) => None,
            });
            let subject = predicate.args.iter().find_map(|arg| match arg {
                QueryPredicateArg::Capture(index) => names.get(*index as usize),
                QueryPredicateArg::String(_) => None,
            });
            let text = captures.iter().find(|(name, ..)| subject == Some(&name.as_str()));
            let text = text.and_then(|(_, start, end)| source.get(*start..*end));
            let mut texts = texts.into_iter();
            match &*predicate.operator {
                "starts-with?" => !text.is_some_and(|text| texts.any(|start| text.starts_with(&**start))),
                "not-starts-with?" => text.is_some_and(|text| texts.any(|start| text.starts_with(&**start))),
                _ => text.is_some_and(|text| texts.any(|end| text.ends_with(&**end))),
            }
        });
        if !excluded {
            captures.sort();
            matches.insert((found.pattern_index, captures));
        }
    }
    matches
}
