//! Retrieval of the relevant code for a question, without a model: ranked files with reasons, the best functions and
//! sections in those files, the definitions of the names in the question, and files that imports relate to them.
//!
//! Files are ordered as the tool `find_files` orders them, with three more signals: the score of the file's best
//! passage (from `search`), the number of top files that import it or that it imports, and, for files behind the first
//! three, how much of the file those three use (`used.rs`). The weights were tuned on the tuning questions of
//! `bench/scope`.

mod named;
mod used;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use peelback_code::syntax::{Lines, Symbol};

use crate::disclosure::WithholdPathRule;
use peelback_code::{
    CodeAccess, CodeError, Completeness, Evidence, FileKind, Question, RankQuery, RankedFile, RankedPassage,
    looks_like_test_path,
};

pub use named::Definition;

/// The weight of a file's best passage in the file's score; the score from the file ranking has the weight 1.
const PASSAGE_WEIGHT: f32 = 1.0;

/// The weight of import relations in a file's score. A file that is related to all of the top files gets the full
/// weight.
const LINK_WEIGHT: f32 = 0.2;

/// The number of top-ranked files whose import relations count in the scores of other files.
const LINKED_TO: usize = 8;

/// The minimum number of files that are ranked before the best are selected.
const POOL: usize = 40;

/// The maximum number of keywords of the question that the retrieval result lists.
const MOST_KEYWORDS: usize = 8;

/// The limits and filters of a retrieval.
#[derive(Clone)]
pub struct RetrievalOptions {
    /// The maximum number of ranked files in the result.
    pub files: usize,
    /// The maximum number of passages in the result.
    pub passages: usize,
    /// The maximum number of passages from one file.
    pub passages_of_file: usize,
    /// The maximum number of files that are added only because top-ranked files import them or are imported by them.
    pub neighbours: usize,
    /// The files, folders or globs to search; empty for the whole project.
    pub scope: Vec<String>,
    /// The rule for files that the result may name but that are never read.
    pub withhold: Option<WithholdPathRule>,
}

impl Default for RetrievalOptions {
    fn default() -> Self {
        Self { files: 20, passages: 24, passages_of_file: 4, neighbours: 6, scope: Vec::new(), withhold: None }
    }
}

impl fmt::Debug for RetrievalOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetrievalOptions")
            .field("files", &self.files)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// The reason why a file became a candidate for the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// The file ranking found words of the question in the file.
    Ranking,
    /// The file defines a name that the question mentions.
    Name,
    /// Imports relate the file to better candidates. The values are the paths of these candidates.
    Imports(Vec<String>),
}

/// A file that may answer the question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The path of the file, relative to the project's root.
    pub path: String,
    /// The score of the candidate, relative to the best candidate, which has 1.
    pub score: f32,
    /// The purpose of the file: source, test, document and so on.
    pub kind: FileKind,
    /// The reason why the file became a candidate.
    pub via: Via,
    /// The reasons for the candidate's rank in words, the weightiest first.
    pub reasons: Vec<String>,
    /// The estimated number of tokens in the whole file; `None` where the ranking did not estimate it.
    pub tokens: Option<usize>,
}

/// A function, class header, constant or section that may answer the question.
#[derive(Debug, Clone)]
pub struct Passage {
    /// The path of the file, relative to the project's root.
    pub path: String,
    /// The symbol that the passage belongs to, without its children.
    pub symbol: Symbol,
    /// The lines of the symbol that were ranked; for a class, the lines before its first member.
    pub lines: Lines,
    /// The score of the passage, relative to the best passage, which has 1.
    pub score: f32,
    /// The reasons for the passage's rank in words.
    pub reasons: Vec<String>,
}

impl Passage {
    /// The symbol's id, which every tool accepts: `path:Qualified.name`.
    pub fn symbol_id(&self) -> String {
        format!("{}:{}", self.path, self.symbol.unique_address_in_file())
    }

    /// Whether the passage is a whole symbol, and not only a header or the lines between members.
    pub fn is_whole_symbol(&self) -> bool {
        self.lines == self.symbol.lines
    }
}

/// A relevant file that must not be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// The path of the file, relative to the project's root.
    pub path: String,
    /// The reason why the file must not be shown.
    pub reason: String,
}

/// The result of a retrieval: the relevant code for a question.
#[derive(Debug, Clone)]
pub struct Retrieved {
    /// The question as the user wrote it.
    pub question: String,
    /// The significant words of the question, the weightiest first; only words that the question contains whole.
    pub keywords: Vec<String>,
    /// Whether the question contains any word to search for.
    pub searched: bool,
    /// The files, folders or globs that were searched; empty for the whole project.
    pub scope: Vec<String>,
    /// The candidate files, best first; files found only through imports come last.
    pub candidates: Vec<Candidate>,
    /// The passages of the candidate files, best first.
    pub passages: Vec<Passage>,
    /// Definitions of the names that the question mentions, in the order of the question.
    pub definitions: Vec<Definition>,
    /// The import relations between candidate files, as pairs (importing file, imported file).
    pub import_edges: Vec<(String, String)>,
    /// The number of files that match the question in at least one way.
    pub matching_files: usize,
    /// The number of matching files that were parsed in order to find passages.
    pub parsed_files: usize,
    /// The number of passages that were ranked.
    pub matching_passages: usize,
    /// Relevant files that must not be shown, sorted by path.
    pub withheld: Vec<Withheld>,
    /// The evidence of how far the file ranking can be trusted.
    pub evidence: Evidence,
    /// The evidence of how far the import relations can be trusted.
    pub links_evidence: Evidence,
}

impl Retrieved {
    /// The passages of the file at `path`, best first.
    pub fn passages_of_file<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Passage> {
        self.passages.iter().filter(move |passage| passage.path == path)
    }
}

/// Finds files, passages and definitions for a question.
///
/// # Errors
/// Those of [`peelback_code::Project::files_in_scope`]: a folder that cannot be read, or a file or folder to search
/// that does not exist.
pub fn retrieve_for_question(
    access: &CodeAccess,
    question: &str,
    options: &RetrievalOptions,
) -> Result<Retrieved, CodeError> {
    let asked = Question::new(question);
    let whole = lowercase_names_and_words_of_question(question);
    let named = asked.keywords().into_iter().filter(|word| whole.contains(*word));
    let keywords = named.take(MOST_KEYWORDS).map(str::to_owned).collect();
    let mut found = Retrieved {
        question: question.to_owned(),
        keywords,
        searched: !asked.is_empty(),
        scope: options.scope.clone(),
        candidates: Vec::new(),
        passages: Vec::new(),
        definitions: Vec::new(),
        import_edges: Vec::new(),
        matching_files: 0,
        parsed_files: 0,
        matching_passages: 0,
        withheld: Vec::new(),
        evidence: Evidence::new_complete("text"),
        links_evidence: Evidence::new_complete("syntax"),
    };
    if asked.is_empty() {
        found.evidence.add_note("the question has no word to search for");
        return Ok(found);
    }
    let access = access.with_new_shared_snapshot(None)?;
    let query = RankQuery {
        question: asked,
        scope: options.scope.clone(),
        token_counter: Some(peelback_tokens::estimate_tokens),
        page: 0..POOL.max(options.files),
        ..RankQuery::default()
    };
    let files = access.rank_files(&query)?;
    let passages = access.rank_passages(&RankQuery { page: 0..usize::MAX, token_counter: None, ..query.clone() })?;
    found.matching_files = files.files.len();
    found.parsed_files = passages.parsed;
    found.matching_passages = passages.total;
    found.evidence = files.evidence;
    let guard = WithheldFileFilter::new(options.withhold.as_ref());
    let edges = match access.dependency_overview() {
        Ok(overview) => {
            found.links_evidence = overview.evidence;
            overview.edges
        }
        Err(error) => {
            found.links_evidence.lower_completeness_to(Completeness::Unknown);
            found.links_evidence.add_note(error.to_string());
            Vec::new()
        }
    };
    let import_relations = ImportRelations::new(&edges);
    let files: Vec<RankedFile> =
        files.files.into_iter().take(POOL.max(options.files)).filter(|file| guard.may_show_file(&file.path)).collect();
    let passages: Vec<RankedPassage> =
        passages.page.into_iter().filter(|passage| guard.may_show_file(&passage.path)).collect();
    found.definitions =
        named::definitions_named_in_question(&access, question, &options.scope, |path| guard.may_show_file(path))?;
    found.candidates = ordered_candidates_from_ranked_files(files, &passages, &import_relations);
    used::reorder_lower_candidates_by_use(&access, &mut found.candidates, &passages, &edges);
    let most = found.candidates.first().map_or(1.0, |best| best.score).max(f32::MIN_POSITIVE);
    found.candidates.iter_mut().for_each(|candidate| candidate.score /= most);
    found.candidates.truncate(options.files);
    add_files_defining_question_names(&mut found.candidates, &found.definitions);
    add_files_linked_by_imports(&mut found.candidates, &import_relations, options, &guard);
    found.passages = select_best_passages_of_candidates(passages, &found.candidates, options);
    let known: BTreeSet<&str> = found.candidates.iter().map(|candidate| candidate.path.as_str()).collect();
    let inside = edges.iter().filter(|(from, to)| known.contains(from.as_str()) && known.contains(to.as_str()));
    found.import_edges = inside.cloned().collect();
    found.withheld = guard.into_withheld_files();
    Ok(found)
}

/// The words of a question in lower case. A name with underscores is included whole and as its parts.
fn lowercase_names_and_words_of_question(question: &str) -> BTreeSet<String> {
    let lowercase = question.to_lowercase();
    let names = lowercase.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let parts = lowercase.split(|c: char| !c.is_alphanumeric());
    names.chain(parts).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Applies the rule for withheld files, and records the files that the rule withheld.
struct WithheldFileFilter<'a> {
    withhold: Option<&'a WithholdPathRule>,
    known: std::cell::RefCell<BTreeMap<String, Option<String>>>,
}

impl<'a> WithheldFileFilter<'a> {
    fn new(withhold: Option<&'a WithholdPathRule>) -> Self {
        Self { withhold, known: std::cell::RefCell::default() }
    }

    fn may_show_file(&self, path: &str) -> bool {
        let Some(withhold) = self.withhold else { return true };
        let mut known = self.known.borrow_mut();
        known.entry(path.to_owned()).or_insert_with(|| withhold(path)).is_none()
    }

    fn into_withheld_files(self) -> Vec<Withheld> {
        let known = self.known.into_inner().into_iter();
        known.filter_map(|(path, reason)| Some(Withheld { path, reason: reason? })).collect()
    }
}

/// The import relations between the files of a project, in both directions.
struct ImportRelations<'a> {
    related_by_file: HashMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> ImportRelations<'a> {
    fn new(edges: &'a [(String, String)]) -> Self {
        let mut of: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for (from, to) in edges {
            of.entry(from).or_default().insert(to);
            of.entry(to).or_default().insert(from);
        }
        Self { related_by_file: of }
    }

    fn are_linked_by_import(&self, one: &str, other: &str) -> bool {
        self.related_by_file.get(one).is_some_and(|linked| linked.contains(other))
    }

    fn files_linked_by_import(&self, path: &str) -> impl Iterator<Item = &'a str> {
        self.related_by_file.get(path).into_iter().flatten().copied()
    }
}

/// Converts ranked files to candidates, ordered by file rank, best passage and import relations.
fn ordered_candidates_from_ranked_files(
    files: Vec<RankedFile>,
    passages: &[RankedPassage],
    import_relations: &ImportRelations<'_>,
) -> Vec<Candidate> {
    let most_file = files.iter().map(|file| file.score).fold(f32::MIN_POSITIVE, f32::max);
    let most_passage = passages.iter().map(|passage| passage.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut best: HashMap<&str, f32> = HashMap::new();
    for passage in passages {
        let known = best.entry(&passage.path).or_default();
        *known = known.max(passage.score / most_passage);
    }
    let mut candidates: Vec<Candidate> = files
        .into_iter()
        .map(|file| {
            let passage = best.get(file.path.as_str()).copied().unwrap_or(0.0);
            Candidate {
                score: file.score / most_file + PASSAGE_WEIGHT * passage,
                kind: file.kind,
                via: Via::Ranking,
                reasons: file.reasons,
                tokens: file.tokens,
                path: file.path,
            }
        })
        .collect();
    sort_candidates_by_score(&mut candidates);
    let top: Vec<(String, f32)> =
        candidates.iter().take(LINKED_TO).map(|candidate| (candidate.path.clone(), candidate.score)).collect();
    for candidate in &mut candidates {
        let linked = top.iter().filter(|(path, _)| import_relations.are_linked_by_import(&candidate.path, path));
        let sum: f32 = linked.map(|(_, score)| score).sum();
        #[expect(clippy::cast_precision_loss, reason = "a handful of files")]
        let share = sum / top.len().max(1) as f32;
        candidate.score += LINK_WEIGHT * share;
    }
    sort_candidates_by_score(&mut candidates);
    candidates
}

/// Sorts candidates by descending score, ties by path.
fn sort_candidates_by_score(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
}

/// Adds the files that define a name in the question to the candidates, if the ranking did not find them.
fn add_files_defining_question_names(candidates: &mut Vec<Candidate>, definitions: &[Definition]) {
    for definition in definitions {
        let reason = format!("defines {}", definition.symbol.qualified_name);
        if candidates.iter().all(|candidate| candidate.path != definition.path) {
            candidates.push(Candidate {
                path: definition.path.clone(),
                score: 0.0,
                kind: FileKind::from_path(&definition.path),
                via: Via::Name,
                reasons: vec![reason],
                tokens: None,
            });
        }
    }
}

/// Adds the files that the top candidates import or are imported by to the candidates, those with the most such
/// relations first.
fn add_files_linked_by_imports(
    candidates: &mut Vec<Candidate>,
    import_relations: &ImportRelations<'_>,
    options: &RetrievalOptions,
    guard: &WithheldFileFilter<'_>,
) {
    let mut counts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for candidate in candidates.iter().take(LINKED_TO).filter(|candidate| candidate.via == Via::Ranking) {
        for path in import_relations.files_linked_by_import(&candidate.path) {
            counts.entry(path).or_default().push(candidate.path.clone());
        }
    }
    let mut linked: Vec<(&str, Vec<String>)> = counts.into_iter().collect();
    // One import relation is no evidence, and a file that half the project imports is related to every top file by
    // chance.
    linked.retain(|(path, to)| {
        let is_new = candidates.iter().all(|candidate| candidate.path != *path);
        is_new && to.len() > 1 && !looks_like_test_path(path) && guard.may_show_file(path)
    });
    let share = |path: &str, to: usize| to * 1_000 / import_relations.files_linked_by_import(path).count().max(1);
    linked.sort_by(|(a, to_a), (b, to_b)| {
        to_b.len().cmp(&to_a.len()).then_with(|| share(b, to_b.len()).cmp(&share(a, to_a.len()))).then_with(|| a.cmp(b))
    });
    for (path, to) in linked.into_iter().take(options.neighbours) {
        let names: Vec<&str> = to.iter().map(String::as_str).take(3).collect();
        let more = if to.len() > names.len() { format!(" and {} more", to.len() - names.len()) } else { String::new() };
        candidates.push(Candidate {
            path: path.to_owned(),
            score: 0.0,
            kind: FileKind::from_path(path),
            reasons: vec![format!("linked by imports with {}{more}", names.join(", "))],
            via: Via::Imports(to),
            tokens: None,
        });
    }
}

/// Selects the best passages of the candidate files, with a maximum number for each file.
fn select_best_passages_of_candidates(
    passages: Vec<RankedPassage>,
    candidates: &[Candidate],
    options: &RetrievalOptions,
) -> Vec<Passage> {
    let most = passages.iter().map(|passage| passage.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut of_file: HashMap<String, usize> =
        candidates.iter().map(|candidate| (candidate.path.clone(), options.passages_of_file)).collect();
    let mut taken = Vec::new();
    for passage in passages {
        let Some(left) = of_file.get_mut(&passage.path).filter(|left| **left > 0) else { continue };
        *left -= 1;
        taken.push(Passage {
            path: passage.path,
            symbol: passage.symbol,
            lines: passage.lines,
            score: passage.score / most,
            reasons: passage.reasons,
        });
        if taken.len() >= options.passages {
            break;
        }
    }
    taken
}
