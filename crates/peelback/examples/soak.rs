//! Asks the questions that the tools have about the symbols of some projects, on small stacks and with the memory
//! watched:
//!
//! ```sh
//! RUST_MIN_STACK=262144 cargo run --release -p peelback --example soak -- --state STATE_FOLDER FOLDER...
//! ```
//!
//! The questions come from the list of tools: for each tool one call with the parameters that a symbol fills (its name,
//! its file, its lines, words about it), and one more for each value that another parameter can take.
//!
//! - Every symbol is asked one question of each tool that takes the name of a symbol, and `--others N` questions of the
//!   remaining tools (1 by default). Which question of a tool it is goes on from symbol to symbol, so that every question
//!   is asked equally often.
//! - Each Nth symbol (`--all-every N`, 1000 by default) is asked every question.
//! - Each Nth symbol (`--cold-every N`, 200 by default) is asked one question by a process that knows nothing: with an
//!   empty store. All other calls share one store, as those of a server do.
//!
//! Each project has a process of its own, so that the peak of the memory is that project's; the ceiling is the one of the
//! program, 300 MB and 10 bytes for each byte of the largest file. `STATE_FOLDER` holds a file for each project with the
//! counts so far and the place to go on from; a process that ends by a signal is a failure, and the next one goes on
//! behind the call at which it ended.
//!
//! - `--every N`: only each Nth symbol.
//! - `--minutes N`: ends after so long; the next run goes on there.
//!
//! A call fails that panics, or that takes more than five seconds. Where the wall time passes that, the call is repeated
//! at the end, three times, with an empty store, since other programs may have had the processor: the shortest counts.
//! (`RUST_MIN_STACK` is for the threads of the walk, which belong to a library.)

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a bench or example ends by a panic")]

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use peelback_code::syntax::{Symbol, walk_symbols_with_depth};
use peelback_code::{CodeAccess, FactsStore, Project, WalkOptions};
use peelback_tools::{AnyTool, ParameterType, ReplyStatus, RequiredService, all_tools};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The stack of every thread that works on a call: a thirtieth of the one that the program gives its threads.
const STACK_BYTES: usize = 256 * 1024;

/// What a call may take.
const MAX_CALL_SECONDS: f64 = 5.0;

/// After this, a call counts as one that hangs, and the process ends.
const MAX_HANGING_TIME: Duration = Duration::from_secs(300);

/// The ceiling of the program's memory: so many bytes, and so many for each byte of the largest file.
const CEILING: (u64, u64) = (300 << 20, 10);

/// How many of the slowest calls are kept.
const SLOWEST: usize = 30;

/// How often the place to go on from is written.
const SAVE_INTERVAL: Duration = Duration::from_secs(10);

/// One question: a tool, and the values of parameters that no symbol fills.
struct Question {
    tool: &'static AnyTool,
    fixed: Map<String, Value>,
    /// Whether a symbol is named by its name and its path, and not by its id.
    names_path: bool,
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
    state: PathBuf,
    /// Whether this is the process of one project.
    is_child: bool,
    others: usize,
    all_every: usize,
    cold_every: usize,
    every: usize,
    minutes: u64,
}

/// A call, and what it took.
#[derive(Clone, Serialize, Deserialize)]
struct TimedCall {
    wall: f64,
    cpu: f64,
    cold: bool,
    tool: String,
    arguments: Value,
}

#[derive(Default, Clone, Serialize, Deserialize)]
struct Count {
    calls: u64,
    cpu: f64,
    max_cpu: f64,
    max_wall: f64,
    /// Calls whose answer is an error or says that nothing was found.
    failed: u64,
    empty: u64,
}

/// What is known of the soak of one project, and where it goes on.
#[derive(Default, Serialize, Deserialize)]
struct State {
    project: String,
    languages: BTreeMap<String, u64>,
    found_symbols: usize,
    next_symbol: usize,
    /// For each tool, the next of its questions.
    next_question: BTreeMap<String, usize>,
    next_other: usize,
    next_cold: usize,
    asked_symbols: u64,
    asked_everything: u64,
    calls: u64,
    cold_calls: u64,
    by_question: BTreeMap<String, Count>,
    slowest: Vec<TimedCall>,
    /// Calls that took too long by the clock and are repeated at the end.
    suspects: Vec<TimedCall>,
    /// What the repeated ones took.
    repeated: Vec<(TimedCall, Vec<(f64, f64)>)>,
    failures: Vec<String>,
    peak: u64,
    ceiling: u64,
    seconds: f64,
    is_complete: bool,
}

impl State {
    fn load(path: &Path) -> Self {
        std::fs::read(path).map_or_else(|_| Self::default(), |text| serde_json::from_slice(&text).expect("a state"))
    }

    fn save(&self, path: &Path) {
        let beside = path.with_extension("new");
        std::fs::write(&beside, serde_json::to_vec(self).expect("JSON")).expect("a state");
        std::fs::rename(beside, path).expect("a state");
    }
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
    for tool in all_tools().iter().filter(|tool| !tool.requires_service(RequiredService::DocumentGenerator)) {
        if is_parameter_of_tool(tool, "name") && is_parameter_of_tool(tool, "path") {
            all.push(Question { tool, fixed: Map::new(), names_path: true });
        }
        let mut ask = |fixed: Map<String, Value>| all.push(Question { tool, fixed, names_path: false });
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
            Question { fixed, ..*question }
        })
        .collect();
    all.extend(stepped);
    all
}

impl Question {
    fn takes_symbol(&self) -> bool {
        is_parameter_of_tool(self.tool, "name")
    }

    fn label(&self) -> String {
        let by = if self.names_path { " by name and path" } else { "" };
        format!("{} {}{by}", self.tool.name, Value::from(self.fixed.clone()))
    }

    fn arguments(&self, subject: &Subject) -> Value {
        let mut arguments = self.fixed.clone();
        for parameter in self.tool.parameters() {
            // The id of a symbol has its path in it.
            if parameter.name == "path" && self.takes_symbol() && !self.names_path {
                continue;
            }
            if let Some(value) = value_from_subject(&parameter.name, subject) {
                arguments.entry(parameter.name.clone()).or_insert(value);
            }
        }
        // A tool that matches names in several ways takes no id.
        if self.names_path || is_parameter_of_tool(self.tool, "match") {
            arguments.insert("name".to_owned(), subject.name.clone().into());
        }
        arguments.into()
    }
}

fn is_parameter_of_tool(tool: &AnyTool, name: &str) -> bool {
    tool.parameters().iter().any(|parameter| parameter.name == name)
}

/// The symbols of a project in the order of its files, the size of its largest file, and its files by language.
fn subjects_of_project(access: &CodeAccess) -> (Vec<Subject>, u64, BTreeMap<String, u64>) {
    let mut subjects = Vec::new();
    let mut languages = BTreeMap::new();
    let mut largest = 0;
    for file in access.project().files_in_scope(None, &WalkOptions::default()).expect("a walk").entries {
        largest = largest.max(std::fs::metadata(&file.absolute).map_or(0, |metadata| metadata.len()));
        let Ok(analysed) = access.analyse_file(&file.path) else { continue };
        let before = subjects.len();
        for (symbol, _) in walk_symbols_with_depth(&analysed.facts.symbols) {
            subjects.push(subject_of_symbol(&file.path, symbol));
        }
        if let Some(language) = peelback_code::syntax::language::language_of_file_name(file.name()) {
            *languages.entry(language.name.to_owned()).or_default() += (subjects.len() - before) as u64;
        }
    }
    (subjects, largest, languages)
}

fn subject_of_symbol(path: &str, symbol: &Symbol) -> Subject {
    Subject {
        path: path.to_owned(),
        id: format!("{path}:{}", symbol.unique_address_in_file()),
        name: symbol.name.clone(),
        lines: format!("{}-{}", symbol.lines.first, symbol.lines.last),
    }
}

/// The call in progress, for the watcher and for a process that was killed: when it began, the index of the symbol, and
/// its text.
struct InProgress {
    call: Mutex<Option<(Instant, String)>>,
    log: File,
}

/// The width of the call in the log.
const LOG_BYTES: usize = 4096;

impl InProgress {
    fn begin(&self, symbol: usize, call: String) {
        let mut line = format!("{symbol} {call}");
        line.truncate(line.floor_char_boundary(LOG_BYTES));
        self.log.write_all_at(format!("{line:LOG_BYTES$}").as_bytes(), 0).expect("a log");
        *self.call.lock().expect("no panic") = Some((Instant::now(), call));
    }

    fn end(&self) {
        *self.call.lock().expect("no panic") = None;
    }
}

fn new_access(project: &Project, long_lived: bool) -> CodeAccess {
    let store = FactsStore::default();
    let store = if long_lived { store.for_long_lived_process() } else { store };
    CodeAccess::new(project.clone()).with_facts_store(Arc::new(store))
}

/// Runs a call, and returns what it took by the clock and of the processor, and how it ended; `None` for a panic.
fn timed_call(tool: &'static AnyTool, access: &CodeAccess, arguments: Value) -> (f64, f64, Option<ReplyStatus>) {
    let (begun, worked) = (Instant::now(), ProcessTime::now());
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let reply = tool.run_call(access, arguments);
        std::hint::black_box(reply.formatted_output().len());
        reply.status
    }));
    (begun.elapsed().as_secs_f64(), worked.elapsed().as_secs_f64(), answered.ok())
}

/// Asks about the symbols of one project, from where its state says.
fn run_child(options: &Options) {
    let folder = &options.folders[0];
    let (state_path, log_path) = state_and_log_paths(&options.state, folder);
    let in_progress = Arc::new(InProgress {
        call: Mutex::default(),
        log: File::options().create(true).truncate(false).write(true).open(log_path).expect("a log"),
    });
    let watched = in_progress.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some((begun, call)) = &*watched.call.lock().expect("no panic")
                && begun.elapsed() > MAX_HANGING_TIME
            {
                println!("it hangs: {call}");
                std::process::abort();
            }
        }
    });
    let started = Instant::now();
    let mut state = State::load(&state_path);
    let seconds_before = state.seconds;
    let project = Project::discover(Some(folder), None).expect("a folder");
    let access = new_access(&project, true);
    let (subjects, largest, languages) = subjects_of_project(&access);
    state.project = folder.display().to_string();
    state.languages = languages;
    state.found_symbols = subjects.len();
    state.ceiling = CEILING.0 + CEILING.1 * largest;
    let questions = all_questions();
    let mut by_symbol_tool: BTreeMap<&'static str, Vec<&Question>> = BTreeMap::new();
    for question in questions.iter().filter(|question| question.takes_symbol()) {
        by_symbol_tool.entry(question.tool.name).or_default().push(question);
    }
    // The questions of the other tools, one of each tool in turn, so that a tool with many questions is not asked more.
    let others: Vec<&Question> = questions.iter().filter(|question| !question.takes_symbol()).collect();
    let mut saved = Instant::now();
    while state.next_symbol < subjects.len() {
        if started.elapsed() > Duration::from_secs(options.minutes * 60) {
            break;
        }
        let index = state.next_symbol;
        state.next_symbol += 1;
        if !index.is_multiple_of(options.every) {
            continue;
        }
        let subject = &subjects[index];
        state.asked_symbols += 1;
        let asked = usize::try_from(state.asked_symbols).expect("a count");
        if asked.is_multiple_of(options.all_every) {
            state.asked_everything += 1;
            for question in &questions {
                ask(&mut state, &in_progress, index, question, subject, &access, false);
            }
        } else {
            for (tool, questions) in &by_symbol_tool {
                let next = state.next_question.entry((*tool).to_owned()).or_default();
                let question = questions[*next % questions.len()];
                *next += 1;
                ask(&mut state, &in_progress, index, question, subject, &access, false);
            }
            for _ in 0..options.others {
                let question = others[state.next_other % others.len()];
                state.next_other += 1;
                ask(&mut state, &in_progress, index, question, subject, &access, false);
            }
        }
        if asked.is_multiple_of(options.cold_every) {
            let question = &questions[state.next_cold % questions.len()];
            state.next_cold += 1;
            ask(&mut state, &in_progress, index, question, subject, &new_access(&project, false), true);
        }
        if saved.elapsed() > SAVE_INTERVAL {
            saved = Instant::now();
            state.peak = state.peak.max(peak_memory_bytes());
            state.seconds = seconds_before + started.elapsed().as_secs_f64();
            state.save(&state_path);
        }
    }
    state.peak = state.peak.max(peak_memory_bytes());
    if state.next_symbol >= subjects.len() {
        for suspect in std::mem::take(&mut state.suspects) {
            let tool = all_tools().iter().find(|tool| tool.name == suspect.tool).expect("a tool");
            let times: Vec<(f64, f64)> = (0..3)
                .map(|_| {
                    in_progress.begin(subjects.len(), format!("{} {} (again)", suspect.tool, suspect.arguments));
                    let (wall, cpu, _) = timed_call(tool, &new_access(&project, false), suspect.arguments.clone());
                    in_progress.end();
                    (wall, cpu)
                })
                .collect();
            if times.iter().all(|(wall, _)| *wall > MAX_CALL_SECONDS) {
                state.failures.push(format!("too slow, {times:.1?} s: {} {}", suspect.tool, suspect.arguments));
            }
            state.repeated.push((suspect, times));
        }
        state.is_complete = true;
    }
    state.seconds = seconds_before + started.elapsed().as_secs_f64();
    state.save(&state_path);
}

fn ask(
    state: &mut State,
    in_progress: &InProgress,
    index: usize,
    question: &Question,
    subject: &Subject,
    access: &CodeAccess,
    cold: bool,
) {
    let arguments = question.arguments(subject);
    in_progress.begin(index, format!("{} {arguments}", question.tool.name));
    let (wall, cpu, status) = timed_call(question.tool, access, arguments.clone());
    in_progress.end();
    state.calls += 1;
    state.cold_calls += u64::from(cold);
    let count = state.by_question.entry(question.label()).or_default();
    count.calls += 1;
    count.cpu += cpu;
    count.max_cpu = count.max_cpu.max(cpu);
    count.max_wall = count.max_wall.max(wall);
    match status {
        Some(ReplyStatus::Found) => {}
        Some(ReplyStatus::Empty) => count.empty += 1,
        Some(ReplyStatus::Failed(_) | ReplyStatus::InvalidArguments { .. }) => count.failed += 1,
        None => state.failures.push(format!("a panic: {} {arguments}", question.tool.name)),
    }
    let call = TimedCall { wall, cpu, cold, tool: question.tool.name.to_owned(), arguments };
    if wall > MAX_CALL_SECONDS {
        println!("{}: {:.1} s ({:.1} s of the processor): {} {}", state.project, wall, cpu, call.tool, call.arguments);
        state.suspects.push(call.clone());
    }
    if state.slowest.len() < SLOWEST || state.slowest.last().is_some_and(|last| last.cpu < cpu) {
        let at = state.slowest.partition_point(|other| other.cpu >= cpu);
        state.slowest.insert(at, call);
        state.slowest.truncate(SLOWEST);
    }
}

/// The most memory that the process had at once, in bytes; 0 where the system does not tell.
fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

fn state_and_log_paths(states: &Path, folder: &Path) -> (PathBuf, PathBuf) {
    let name = folder.file_name().expect("a folder with a name").to_string_lossy().into_owned();
    (states.join(format!("{name}.json")), states.join(format!("{name}.call")))
}

/// Runs the process of one project until its symbols are asked or the time is over.
fn supervise(options: &Options, folder: &Path, minutes_left: &dyn Fn() -> u64) -> State {
    let (state_path, log_path) = state_and_log_paths(&options.state, folder);
    while !State::load(&state_path).is_complete && minutes_left() > 0 {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("--child").arg("--state").arg(&options.state).arg(folder);
        for (name, value) in [
            ("--others", options.others as u64),
            ("--all-every", options.all_every as u64),
            ("--cold-every", options.cold_every as u64),
            ("--every", options.every as u64),
            ("--minutes", minutes_left()),
        ] {
            command.arg(name).arg(value.to_string());
        }
        let status = command.status().expect("a process");
        if status.success() {
            continue;
        }
        let mut state = State::load(&state_path);
        let log = std::fs::read_to_string(&log_path).unwrap_or_default();
        let (symbol, call) = log.split_once(' ').unwrap_or_default();
        println!("{}: ended with {status}: {}", folder.display(), call.trim_end());
        state.failures.push(format!("ended with {status}: {}", call.trim_end()));
        let symbol: usize = symbol.parse().expect("the index of a symbol");
        state.asked_symbols += (symbol + 1).saturating_sub(state.next_symbol) as u64;
        state.next_symbol = state.next_symbol.max(symbol + 1);
        if symbol >= state.found_symbols {
            state.suspects.clear();
        }
        state.save(&state_path);
    }
    State::load(&state_path)
}

fn print_state(state: &State) {
    let languages: Vec<String> = state
        .languages
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    println!(
        "{}: {} of {} symbols asked, {} of them everything; {} calls ({} cold) in {:.0} s; peak {} of {} MB; {}",
        state.project,
        state.asked_symbols,
        state.found_symbols,
        state.asked_everything,
        state.calls,
        state.cold_calls,
        state.seconds,
        state.peak >> 20,
        state.ceiling >> 20,
        languages.join(", ")
    );
    for call in state.slowest.iter().take(3) {
        let cold = if call.cold { " cold" } else { "" };
        println!("  {:.2} s (processor {:.2} s{cold}) {} {}", call.wall, call.cpu, call.tool, call.arguments);
    }
    for (call, times) in &state.repeated {
        println!("  {:.1} s, repeated {times:.2?}: {} {}", call.wall, call.tool, call.arguments);
    }
}

fn print_totals(states: &[State]) -> bool {
    let mut by_question: BTreeMap<&str, Count> = BTreeMap::new();
    for (name, count) in states.iter().flat_map(|state| &state.by_question) {
        let sum = by_question.entry(name).or_default();
        sum.calls += count.calls;
        sum.cpu += count.cpu;
        sum.max_cpu = sum.max_cpu.max(count.max_cpu);
        sum.max_wall = sum.max_wall.max(count.max_wall);
        sum.failed += count.failed;
        sum.empty += count.empty;
    }
    println!("calls, mean and most milliseconds of the processor, empty and failed answers, by question:");
    for (name, count) in &by_question {
        println!(
            "  {:7} {:8.1} {:8.0} {:7} {:7} {name}",
            count.calls,
            count.cpu * 1e3 / count.calls as f64,
            count.max_cpu * 1e3,
            count.empty,
            count.failed
        );
    }
    let (symbols, calls): (u64, u64) =
        states.iter().fold((0, 0), |sum, state| (sum.0 + state.asked_symbols, sum.1 + state.calls));
    println!("{} projects, {symbols} symbols, {calls} calls", states.len());
    let mut good = true;
    for state in states {
        for failure in &state.failures {
            good = false;
            println!("FAILED {}: {failure}", state.project);
        }
        if state.peak > state.ceiling {
            good = false;
            println!("FAILED {}: {} MB, over {} MB", state.project, state.peak >> 20, state.ceiling >> 20);
        }
        if !state.is_complete {
            println!("not complete: {} ({} of {})", state.project, state.next_symbol, state.found_symbols);
        }
    }
    good
}

fn options_from_arguments() -> Options {
    let mut options = Options {
        folders: Vec::new(),
        state: PathBuf::from("soak"),
        is_child: false,
        others: 1,
        all_every: 1000,
        cold_every: 200,
        every: 1,
        minutes: u64::MAX / 60,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} takes a value"));
        let number = |text: String| text.parse::<usize>().expect("a number").max(1);
        match argument.as_str() {
            "--child" => options.is_child = true,
            "--state" => options.state = value().into(),
            "--others" => options.others = value().parse().expect("a number"),
            "--all-every" => options.all_every = number(value()),
            "--cold-every" => options.cold_every = number(value()),
            "--every" => options.every = number(value()),
            "--minutes" => options.minutes = value().parse().expect("a number"),
            _ => options.folders.push(argument.into()),
        }
    }
    options
}

fn main() {
    let options = options_from_arguments();
    if options.is_child {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK_BYTES);
        pool.build_global().expect("no pool before");
        let asking = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run_child(&options));
        asking.expect("a thread").join().expect("no panic outside calls");
        return;
    }
    std::fs::create_dir_all(&options.state).expect("a folder for the states");
    let started = Instant::now();
    let minutes_left = || options.minutes.saturating_sub(started.elapsed().as_secs() / 60);
    let states: Vec<State> = options
        .folders
        .iter()
        .map(|folder| {
            let state = supervise(&options, folder, &minutes_left);
            print_state(&state);
            state
        })
        .collect();
    std::process::exit(i32::from(!print_totals(&states)));
}
