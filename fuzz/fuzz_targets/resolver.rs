//! Questions about symbols of small projects, whose files are the fixtures with lines cut, copied and spliced.
//!
//! An input is a list of instructions: the project, edits of it, and the question. What was answered by a reader that has
//! seen earlier states of the project is compared with the answer of a new one.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use peelback_code::syntax::{language, walk_symbols_with_depth};
use peelback_code::{
    CodeAccess, DependencyQuery, Direction, FactsStore, Project, ReferenceQuery, Relation, SymbolQuery,
};

use crate::fixtures::{self, File};
use crate::input::{Input, is_sampled, joined};

/// A project on disk, with what stands in its files now.
struct Playground {
    root: PathBuf,
    project: Project,
    store: Arc<FactsStore>,
    files: Vec<File>,
    written: HashMap<String, String>,
    /// How many questions the store has seen.
    questions: usize,
}

/// How many questions a store sees: it keeps what it learned of each text.
const MAX_QUESTIONS: usize = 500;

/// Files that are beside the fixtures of each language, so that edits have something to splice.
static PROJECTS: LazyLock<Vec<Vec<File>>> = LazyLock::new(|| {
    let outlines = language::all_languages().iter().map(|language| fixtures::language_files(language.name));
    fixtures::projects().into_iter().chain(outlines).filter(|files| !files.is_empty()).collect()
});

static PLAYGROUNDS: LazyLock<Mutex<HashMap<usize, Playground>>> = LazyLock::new(Mutex::default);

pub fn seeds() -> Vec<Vec<u8>> {
    let projects = u8::try_from(PROJECTS.len()).expect("fewer projects than a byte has values");
    let edits: &[&[u8]] =
        &[&[], &[1, 0, 0, 3, 0, 9], &[2, 0, 0, 1, 0, 4, 1, 0, 2], &[3, 0, 0, 5, 4, b'x', b'.', b'y', b'(']];
    let questions = (0..8).map(|number: u8| vec![0, number, number.wrapping_mul(37), number]);
    (0..projects)
        .flat_map(|project| {
            questions.clone().zip(edits.iter().cycle()).map(move |(question, edit)| {
                let edits = u8::from(!edit.is_empty());
                joined(&[&[project, edits], *edit, question.as_slice()])
            })
        })
        .collect()
}

/// Changes one file by an instruction.
fn edit(files: &mut [File], input: &mut Input<'_>) {
    let what = input.byte() % 6;
    let count = files.len();
    let file = input.index(count);
    let lines_of = |files: &[File], file: usize| -> Vec<String> {
        files.get(file).map(|(_, text)| text.split_inclusive('\n').map(str::to_owned).collect()).unwrap_or_default()
    };
    let mut lines = lines_of(files, file);
    let from = input.index(lines.len().max(1));
    match what {
        // Lines are left out.
        0 | 1 => {
            let number = usize::from(input.byte() % 16);
            let end = (from + number).min(lines.len());
            lines.drain(from.min(end)..end);
        }
        // Lines of any file are put in.
        2 => {
            let other = lines_of(files, input.index(count));
            let start = input.index(other.len().max(1));
            let number = usize::from(input.byte() % 32);
            let copied = other.into_iter().skip(start).take(number);
            let at = from.min(lines.len());
            lines.splice(at..at, copied);
        }
        // Text is put into a line.
        3 => {
            let text = input.short_text();
            if let Some(line) = lines.get_mut(from) {
                let at = input.index(line.len().max(1));
                if line.is_char_boundary(at) {
                    line.insert_str(at, &text);
                }
            }
        }
        // A word of a line becomes another word of the file.
        4 => {
            let words: Vec<String> = lines.iter().flat_map(|line| words_of(line)).map(str::to_owned).collect();
            let (word, line) = (input.choose(&words).cloned().unwrap_or_default(), lines.get_mut(from));
            if let Some(line) = line {
                let own: Vec<String> = words_of(line).map(str::to_owned).collect();
                if let Some(old) = input.choose(&own) {
                    *line = line.replacen(old.as_str(), &word, 1);
                }
            }
        }
        // The end of a line is cut off.
        _ => {
            if let Some(line) = lines.get_mut(from) {
                let mut at = input.index(line.len().max(1));
                while !line.is_char_boundary(at) {
                    at -= 1;
                }
                line.truncate(at);
            }
        }
    }
    if let Some((_, text)) = files.get_mut(file) {
        *text = lines.concat();
        let mut end = text.len().min(16_000);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

impl Playground {
    fn new(files: &[File]) -> Self {
        let root = fixtures::new_folder("project");
        let project = Project::discover_with_working_folder(&root, Some(&root), None).expect("a project");
        let store = Arc::new(FactsStore::default().for_long_lived_process());
        Self { root, project, store, files: files.to_vec(), written: HashMap::new(), questions: 0 }
    }

    fn write(&mut self, files: &[File]) {
        for (path, text) in files {
            if self.written.get(path).is_none_or(|written| written != text) {
                fixtures::write_file(&self.root, path, text);
                self.written.insert(path.clone(), text.clone());
            }
        }
    }
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let number = input.index(PROJECTS.len());
    let Some(originals) = PROJECTS.get(number) else { return };
    let mut playgrounds = PLAYGROUNDS.lock().expect("one thread");
    let playground = playgrounds.entry(number).or_insert_with(|| Playground::new(originals));
    let mut files = playground.files.clone();
    for _ in 0..input.byte() % 8 {
        edit(&mut files, &mut input);
    }
    playground.write(&files);
    playground.questions += 1;
    if playground.questions > MAX_QUESTIONS {
        playground.questions = 0;
        playground.store = Arc::new(FactsStore::default().for_long_lived_process());
    }
    let access = CodeAccess::new(playground.project.clone()).with_facts_store(playground.store.clone());
    let question = input.0;
    let answer = ask(&access, &files, question);
    if is_sampled(data, 32) {
        let fresh = CodeAccess::new(playground.project.clone());
        assert_eq!(answer, ask(&fresh, &files, question), "another answer than a new reader gives");
    }
}

/// Asks a question and returns the answer as text.
fn ask(access: &CodeAccess, files: &[File], question: &[u8]) -> String {
    let mut input = Input(question);
    let Some((path, _)) = input.choose(files) else { return String::new() };
    let kind = input.byte() % 8;
    if kind == 7 {
        let direction = if input.byte().is_multiple_of(2) { Direction::Incoming } else { Direction::Outgoing };
        let query = DependencyQuery { path: path.clone(), direction, depth: usize::from(input.byte() % 4) };
        let answer = access.dependencies_and_dependents(&query);
        return format!("{answer:?}");
    }
    let Ok(analysed) = access.analyse_file(path) else { return String::new() };
    let symbols: Vec<_> = walk_symbols_with_depth(&analysed.facts.symbols).map(|(symbol, _)| symbol).collect();
    let Some(symbol) = input.choose(&symbols) else { return String::new() };
    let relation = match kind % 4 {
        0 => Relation::Uses,
        1 => Relation::Callers,
        2 => Relation::Callees,
        _ => Relation::Implementations,
    };
    let symbols = vec![SymbolQuery { path: path.clone(), symbol: (*symbol).clone() }];
    let query =
        ReferenceQuery { symbols, text: kind >= 4, relation, depth: u32::from(input.byte() % 4), scope: Vec::new() };
    // A hidden file is none of the project.
    let Ok(mut answer) = access.find_references(&query) else { return String::new() };
    access.fill_in_reference_columns_and_texts(&mut answer.references);
    for reference in &answer.references {
        let (_, text) = files.iter().find(|(path, _)| *path == reference.path).expect("a file of the project");
        let lines = text.split('\n').count();
        assert!((1..=lines).contains(&(reference.line as usize)), "{reference:?} of {lines}");
        assert!(text.is_char_boundary(reference.at as usize), "{reference:?}");
        let line = 1 + text.as_bytes().iter().take(reference.at as usize).filter(|byte| **byte == b'\n').count();
        assert_eq!(line, reference.line as usize, "{reference:?}");
        assert!(reference.column >= 1 && reference.symbol < query.symbols.len(), "{reference:?}");
    }
    format!("{answer:?}")
}
