//! Asks every question that the tools have about the symbols of some projects, on small stacks:
//!
//! ```sh
//! RUST_MIN_STACK=262144 cargo run --release -p peelback --example soak -- FOLDER...
//! ```
//!
//! The questions come from the list of tools: for each tool one call with the parameters that a symbol fills (its name,
//! its file, its lines, words about it), and one more for each value that another parameter can take. A symbol that is
//! not asked everything is asked the next questions in turn, so that all are asked in the end.
//!
//! - `--questions N`: how many questions each symbol is asked; all by default.
//! - `--every N`: only each Nth symbol, from `--start N`.
//! - `--minutes N`: ends after so long, and says where to go on.
//! - `--log FILE`: a file that holds the call in progress, for the case that the process is killed.
//! - `--max-mb N`: the limit on the peak of the memory, without which it is the ceiling of the program.
//!
//! It prints the counts, the slowest calls and the peak of the memory, and fails where a call panicked or took more than
//! five seconds, or the memory passed the limit. (`RUST_MIN_STACK` is for the threads of the walk, which belong to a
//! library.)

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use peelback_code::syntax::{Symbol, walk_symbols_with_depth};
use peelback_code::{CodeAccess, Project, WalkOptions};
use peelback_tools::{AnyTool, ParameterType, RequiredService, all_tools};
use serde_json::{Map, Value, json};

/// The stack of every thread that works on a call: a thirtieth of the one that the program gives its threads.
const STACK_BYTES: usize = 256 * 1024;

/// What a call may take.
const MAX_CALL_TIME: Duration = Duration::from_secs(5);

/// After this, a call counts as one that hangs, and the program ends.
const MAX_HANGING_TIME: Duration = Duration::from_secs(120);

/// The ceiling of the program's memory: so many bytes, and so many for each byte of the largest file.
const CEILING: (u64, u64) = (300 << 20, 10);

/// One question: a tool, and the values of parameters that no symbol fills.
struct Question {
    tool: &'static AnyTool,
    fixed: Map<String, Value>,
}

/// A symbol, as the parameters of tools need it.
struct Subject {
    path: String,
    id: String,
    name: String,
    lines: String,
}

struct Options {
    folders: Vec<PathBuf>,
    questions: usize,
    every: usize,
    start: usize,
    minutes: u64,
    log: Option<PathBuf>,
    max_mb: Option<u64>,
}

#[derive(Default)]
struct Totals {
    symbols: usize,
    calls: usize,
    by_tool: BTreeMap<&'static str, (usize, Duration)>,
    slowest: Vec<(Duration, String)>,
    failures: Vec<String>,
}

/// The value that a symbol gives to a parameter, by the parameter's name; `None` for a parameter that it does not fill.
fn value_from_subject(parameter: &str, subject: &Subject) -> Option<Value> {
    Some(match parameter {
        "name" => subject.id.clone().into(),
        "path" => subject.path.clone().into(),
        "pattern" => subject.name.clone().into(),
        "query" | "question" => format!("How is {} used, and what does it depend on?", subject.name).into(),
        "ranges" => json!([subject.lines]),
        _ => return None,
    })
}

/// Every question that the tools have: the plain call of each tool, and a call for each value of its other parameters.
fn all_questions() -> Vec<Question> {
    let mut all = Vec::new();
    for tool in all_tools().iter().filter(|tool| !tool.is_service_required(RequiredService::DocumentGenerator)) {
        let mut ask = |fixed: Map<String, Value>| all.push(Question { tool, fixed });
        ask(Map::new());
        for parameter in tool.parameters() {
            let mut with = |value: Value| ask(Map::from_iter([(parameter.name.clone(), value)]));
            match parameter.value_type {
                ParameterType::Boolean => with(true.into()),
                ParameterType::Integer => with(3.into()),
                _ => {
                    parameter.choices.iter().for_each(|choice| with(choice.clone().into()));
                    parameter.entry_choices.iter().for_each(|choice| with(json!([choice])));
                }
            }
        }
    }
    // A step from call to call is a question only where calls are asked for.
    let is_stepped = |question: &&Question| question.fixed.contains_key("relation");
    let stepped: Vec<Question> = all
        .iter()
        .filter(is_stepped)
        .map(|question| {
            let mut fixed = question.fixed.clone();
            fixed.insert("depth".to_owned(), 3.into());
            Question { tool: question.tool, fixed }
        })
        .collect();
    all.extend(stepped);
    all
}

impl Question {
    fn arguments(&self, subject: &Subject) -> Value {
        let mut arguments = self.fixed.clone();
        for parameter in self.tool.parameters() {
            // The id of a symbol has its path in it.
            let has_id = self.tool.parameters().iter().any(|other| other.name == "name");
            if parameter.name == "path" && has_id {
                continue;
            }
            if let Some(value) = value_from_subject(&parameter.name, subject) {
                arguments.entry(parameter.name.clone()).or_insert(value);
            }
        }
        // A name that is matched in some other way is no id.
        if arguments.contains_key("match") {
            arguments.insert("name".to_owned(), subject.name.clone().into());
        }
        arguments.into()
    }
}

fn subjects_of_project(access: &CodeAccess) -> (Vec<Subject>, u64) {
    let mut subjects = Vec::new();
    let mut largest = 0;
    for file in access.project().files_in_scope(None, &WalkOptions::default()).expect("a walk").entries {
        largest = largest.max(std::fs::metadata(&file.absolute).map_or(0, |metadata| metadata.len()));
        let Ok(analysed) = access.analyse_file(&file.path) else { continue };
        for (symbol, _) in walk_symbols_with_depth(&analysed.facts.symbols) {
            subjects.push(subject_of_symbol(&file.path, symbol));
        }
    }
    (subjects, largest)
}

fn subject_of_symbol(path: &str, symbol: &Symbol) -> Subject {
    Subject {
        path: path.to_owned(),
        id: format!("{path}:{}", symbol.unique_address_in_file()),
        name: symbol.name.clone(),
        lines: format!("{}-{}", symbol.lines.first, symbol.lines.last),
    }
}

/// The call in progress, for the watcher and for the log.
type InProgress = Arc<Mutex<Option<(Instant, String)>>>;

fn run(options: &Options, in_progress: &InProgress) -> Totals {
    let questions = all_questions();
    let mut log = options.log.as_ref().map(|path| std::fs::File::create(path).expect("a log file"));
    let mut totals = Totals::default();
    let started = Instant::now();
    let mut next_question = options.start;
    let mut index = 0;
    'projects: for folder in &options.folders {
        let project_started = (Instant::now(), totals.symbols, totals.calls);
        let access = CodeAccess::new(Project::discover(Some(folder), None).expect("a folder"));
        let (subjects, largest) = subjects_of_project(&access);
        let found = subjects.len();
        for subject in subjects {
            index += 1;
            if index <= options.start || index % options.every != 0 {
                continue;
            }
            if started.elapsed() > Duration::from_secs(options.minutes * 60) {
                println!("the time is over: go on with --start {}", index - 1);
                break 'projects;
            }
            totals.symbols += 1;
            for _ in 0..options.questions.min(questions.len()) {
                let question = &questions[next_question % questions.len()];
                next_question += 1;
                let arguments = question.arguments(&subject);
                let call = format!("{}: {} {arguments}", folder.display(), question.tool.name);
                if let Some(log) = &mut log {
                    log.seek(SeekFrom::Start(0)).and_then(|_| log.set_len(0)).expect("a log");
                    log.write_all(call.as_bytes()).expect("a log");
                }
                let begun = Instant::now();
                *in_progress.lock().expect("no panic") = Some((begun, call.clone()));
                let answered = std::panic::catch_unwind(AssertUnwindSafe(|| {
                    question.tool.run_call(&access, arguments).formatted_output().len()
                }));
                let took = begun.elapsed();
                *in_progress.lock().expect("no panic") = None;
                totals.calls += 1;
                let of_tool = totals.by_tool.entry(question.tool.name).or_default();
                of_tool.0 += 1;
                of_tool.1 += took;
                if answered.is_err() {
                    totals.failures.push(format!("a panic: {call}"));
                }
                if took > MAX_CALL_TIME {
                    totals.failures.push(format!("{:.1} s: {call}", took.as_secs_f64()));
                }
                totals.slowest.push((took, call));
                if totals.slowest.len() > 1_000 {
                    keep_slowest(&mut totals.slowest);
                }
            }
        }
        let (since, symbols, calls) = project_started;
        let peak = peak_memory_bytes();
        println!(
            "{}: {found} symbols, of which asked {}, {} calls in {:.0} s; peak so far {} MB",
            folder.display(),
            totals.symbols - symbols,
            totals.calls - calls,
            since.elapsed().as_secs_f64(),
            peak >> 20
        );
        let ceiling = options.max_mb.map_or(CEILING.0 + CEILING.1 * largest, |mb| mb << 20);
        if peak > ceiling {
            totals.failures.push(format!("{}: {} MB, over {} MB", folder.display(), peak >> 20, ceiling >> 20));
        }
    }
    keep_slowest(&mut totals.slowest);
    totals
}

fn keep_slowest(calls: &mut Vec<(Duration, String)>) {
    calls.sort_by_key(|call| std::cmp::Reverse(call.0));
    calls.truncate(20);
}

/// The most memory that the process had at once, in bytes; 0 where the system does not tell.
fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

fn options_from_arguments() -> Options {
    let mut options = Options {
        folders: Vec::new(),
        questions: usize::MAX,
        every: 1,
        start: 0,
        minutes: u64::MAX / 60,
        log: None,
        max_mb: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} takes a value"));
        match argument.as_str() {
            "--questions" => options.questions = value().parse().expect("a number"),
            "--every" => options.every = value().parse::<usize>().expect("a number").max(1),
            "--start" => options.start = value().parse().expect("a number"),
            "--minutes" => options.minutes = value().parse().expect("a number"),
            "--log" => options.log = Some(value().into()),
            "--max-mb" => options.max_mb = Some(value().parse().expect("a number")),
            _ => options.folders.push(argument.into()),
        }
    }
    options
}

fn main() {
    let options = options_from_arguments();
    rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build_global().expect("no pool before");
    let in_progress = InProgress::default();
    let watched = in_progress.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some((begun, call)) = &*watched.lock().expect("no panic")
                && begun.elapsed() > MAX_HANGING_TIME
            {
                println!("it hangs: {call}");
                std::process::exit(1);
            }
        }
    });
    let asking = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run(&options, &in_progress));
    let totals = asking.expect("a thread").join().expect("no panic outside calls");
    println!("{} symbols, {} calls; peak {} MB", totals.symbols, totals.calls, peak_memory_bytes() >> 20);
    for (tool, (calls, time)) in &totals.by_tool {
        let mean = time.as_secs_f64() * 1e3 / *calls as f64;
        println!("  {tool}: {calls} calls, {mean:.1} ms each");
    }
    println!("the slowest calls:");
    for (took, call) in totals.slowest.iter().take(10) {
        println!("  {:.2} s {call}", took.as_secs_f64());
    }
    for failure in &totals.failures {
        println!("FAILED {failure}");
    }
    std::process::exit(i32::from(!totals.failures.is_empty()));
}
