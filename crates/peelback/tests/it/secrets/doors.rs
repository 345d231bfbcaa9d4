//! What comes through a door: of planted secrets and of look-alikes, how many are masked. Every door has the same ones.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::Value;

use super::planted::{self, Case};
use crate::support::{Project, must_run_in_full};

const SEED: u64 = 41;

/// How many planted secrets and how many look-alikes there are.
const COUNT: usize = 310;

/// Planted secrets, of all forms once and of some twice.
pub static PLANTED: LazyLock<Vec<Case>> = LazyLock::new(|| first(planted::planted(SEED, 2)));

/// What looks like a secret and is none.
pub static LOOKALIKES: LazyLock<Vec<Case>> = LazyLock::new(|| first(planted::lookalikes(SEED + 1, 4)));

fn first(mut cases: Vec<Case>) -> Vec<Case> {
    assert!(cases.len() >= COUNT, "{}", cases.len());
    cases.truncate(COUNT);
    cases
}

/// All cases: planted ones, then look-alikes. A case's number is its place here.
pub fn all_cases() -> impl Iterator<Item = &'static Case> {
    PLANTED.iter().chain(LOOKALIKES.iter())
}

/// The cases with their numbers: in a full run all of them, else every third one from `first` on. What differs between the
/// tests that share them is a protocol, and what finds secrets is the same in each.
pub fn all_or_every_third_case(first: usize) -> Vec<(usize, &'static Case)> {
    let (skipped, step) = if must_run_in_full() { (0, 1) } else { (first, 3) };
    all_cases().enumerate().skip(skipped).step_by(step).collect()
}

/// The folder of a case.
pub fn folder_of(number: usize) -> String {
    format!("case_{number}_")
}

/// The path of a case's file.
pub fn path_of(number: usize, case: &Case) -> String {
    format!("{}/{}", folder_of(number), case.path)
}

/// Whether the secret stands in the name of a file.
pub fn is_in_name(case: &Case) -> bool {
    case.parts.iter().any(|part| case.path.contains(part.as_str()))
}

/// Writes the files of all cases into a project.
pub fn write_all(project: &Project) {
    for (number, case) in all_cases().enumerate() {
        project.write(&path_of(number, case), &case.text);
    }
}

/// The name of a case's function.
pub fn function_of(number: usize) -> String {
    format!("zeppelin_{number}_")
}

/// A function that holds the text of a case, since symbols are what is ranked. What stands in a name stands in the text.
pub fn function_with(number: usize, case: &Case) -> String {
    let text = case.text.replace("\"\"\"", "'''");
    let name = if is_in_name(case) { case.path.replace(['.', '-', '/'], " ") } else { String::new() };
    let function = function_of(number);
    format!("def {function}():\n    r\"\"\"zeppelin {name}\n{text}\n    \"\"\"\n    return zeppelin\n")
}

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Nothing of it came.
    Absent,
    /// Its value came.
    Shown,
    /// It came, with a mask in the place of its value.
    Masked,
}

/// What became of a case in a text that is about it alone.
pub fn passage(case: &Case, text: &str) -> Passage {
    match text.contains("[masked]") {
        _ if case.is_shown_in(text) => Passage::Shown,
        true => Passage::Masked,
        false => Passage::Absent,
    }
}

/// What became of each case in a text that is about many: where its folder is named, and up to the next.
pub fn passages_in(text: &str) -> impl Fn(usize, &Case) -> Passage + '_ {
    let mut about: HashMap<usize, String> = HashMap::new();
    for part in text.split("case_").skip(1) {
        let named = part.split_once('_').and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
        if let Some((number, rest)) = named {
            about.entry(number).or_default().push_str(rest);
        }
    }
    move |number, case| match about.get(&number) {
        _ if case.is_shown_in(text) => Passage::Shown,
        // The files of such a case are withheld, and the folder stands in what was asked for.
        Some(_) if is_in_name(case) => Passage::Masked,
        about => passage(case, about.map_or("", String::as_str)),
    }
}

/// A text that came again and again, as the messages of a conversation do, once.
#[derive(Default)]
pub struct DistinctTexts {
    seen: HashSet<String>,
    /// The texts, each behind a newline.
    pub joined: String,
}

impl DistinctTexts {
    pub fn add(&mut self, text: &str) {
        if self.seen.insert(text.to_owned()) {
            self.joined.push_str(text);
            self.joined.push('\n');
        }
    }

    /// Adds the texts of a recording: all that stands in its lines of JSON.
    pub fn add_json_lines(&mut self, recording: &str) {
        for line in recording.lines() {
            self.add_all(&serde_json::from_str(line).expect("JSON"));
        }
    }

    fn add_all(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add(text),
            Value::Array(items) => items.iter().for_each(|item| self.add_all(item)),
            Value::Object(fields) => fields.values().for_each(|value| self.add_all(value)),
            _ => {}
        }
    }
}

/// As [`check_door_for`], for all cases.
#[track_caller]
pub fn check_door(door: &str, least: usize, passage_of: impl Fn(usize, &Case) -> Passage) {
    check_door_for(&all_cases().enumerate().collect::<Vec<_>>(), door, least, passage_of);
}

/// Prints what came through a door of these cases as a row of a table, and fails where fewer than 97 in a hundred of the
/// planted secrets that came were masked, or more than 3 in a hundred of the look-alikes, or fewer came than `least` would
/// be of all cases.
#[track_caller]
pub fn check_door_for(
    cases: &[(usize, &'static Case)],
    door: &str,
    least: usize,
    passage_of: impl Fn(usize, &Case) -> Passage,
) {
    let passages: Vec<(&Case, Passage)> =
        cases.iter().map(|(number, case)| (*case, passage_of(*number, case))).collect();
    let (planted, lookalikes) = passages.split_at(cases.partition_point(|(number, _)| *number < PLANTED.len()));
    let least = least * cases.len() / all_cases().count();
    let row = |cases: &[(&'static Case, Passage)]| {
        let of = |wanted: Passage| cases.iter().filter(|(_, one)| *one == wanted).map(|(case, _)| case.form).collect();
        let (shown, masked): (Vec<&str>, Vec<&str>) = (of(Passage::Shown), of(Passage::Masked));
        (shown.len() + masked.len(), shown, masked)
    };
    let (planted_came, shown, masked) = row(planted);
    let (lookalikes_came, _, wrong) = row(lookalikes);
    println!("| {door} | {planted_came} | {} | {lookalikes_came} | {} |", masked.len(), wrong.len());
    for (what, forms) in [("shown", &shown), ("masked look-alikes", &wrong)] {
        if !forms.is_empty() {
            println!("{door}, {what}: {forms:?}");
        }
    }
    assert!(planted_came >= least && lookalikes_came >= least, "{door}: {planted_came} and {lookalikes_came} came");
    assert!(shown.len() * 100 <= planted_came * 3, "{door}: {} of {planted_came} are shown: {shown:?}", shown.len());
    assert!(
        wrong.len() * 100 <= lookalikes_came * 3,
        "{door}: {} of {lookalikes_came} are masked: {wrong:?}",
        wrong.len()
    );
}
