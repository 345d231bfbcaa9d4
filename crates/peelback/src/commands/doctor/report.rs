//! The findings of `peelback doctor`, and their report as text and as JSON.

use std::fmt::Write as _;

use peelback_code::escape_control_characters;
use serde_json::{Value, json};

/// The severity of a finding of `peelback doctor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// The check passed.
    Ok,
    /// The finding is a note that needs no action.
    Note,
    /// The finding is an error: some function of the program will not work.
    Problem,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// The result of one check of `peelback doctor`.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    level: Level,
    /// The name of the check that made the finding.
    check: &'static str,
    /// The result of the check in words, for the report as text.
    message: String,
    /// The action that the user is advised to take, if there is one.
    advice: Option<String>,
    /// Detail rows that the report prints below the message.
    details: Vec<String>,
    /// The result of the check as data, for the report as JSON.
    data: Value,
}

impl Finding {
    pub fn new(level: Level, check: &'static str, message: impl Into<String>) -> Self {
        Self { level, check, message: message.into(), advice: None, details: Vec::new(), data: Value::Null }
    }

    /// Adds a recommended action to the finding.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Adds detail rows below the finding's message.
    #[must_use]
    pub fn with_detail_rows(mut self, rows: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(rows);
        self
    }

    /// Adds the result of the check as JSON data to the finding.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    fn to_json(&self) -> Value {
        let mut object = json!({ "level": self.level.as_str(), "check": self.check, "message": self.message });
        if let Some(object) = object.as_object_mut() {
            if let Some(advice) = &self.advice {
                object.insert("advice".to_owned(), advice.as_str().into());
            }
            if !self.data.is_null() {
                object.insert("data".to_owned(), self.data.clone());
            }
        }
        object
    }
}

/// All findings of one run of `peelback doctor`, in the order of the checks.
#[derive(Debug, Default)]
pub(super) struct DoctorReport {
    findings: Vec<Finding>,
}

impl DoctorReport {
    pub fn add_finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub fn add_findings(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// Whether no finding of the report is an error ([`Level::Problem`]).
    pub fn has_no_problems(&self) -> bool {
        self.findings.iter().all(|finding| finding.level < Level::Problem)
    }

    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            let _ = writeln!(out, "{:8} {:13} {}", finding.level.as_str(), finding.check, finding.message);
            for row in &finding.details {
                let _ = writeln!(out, "{:22} {row}", "");
            }
            if let Some(advice) = &finding.advice {
                let _ = writeln!(out, "{:22} do: {advice}", "");
            }
        }
        let count = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        let (problems, notes) = (count(Level::Problem), count(Level::Note));
        let problems = if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") };
        let notes = if notes == 1 { "1 note".to_owned() } else { format!("{notes} notes") };
        let _ = writeln!(out, "\n{problems}, {notes}");
        // Removes control sequences from the report, because file names and configuration lines come from untrusted
        // authors.
        escape_control_characters(&out).into_owned()
    }

    pub fn to_json(&self) -> Value {
        let findings: Vec<Value> = self.findings.iter().map(Finding::to_json).collect();
        json!({ "fine": self.has_no_problems(), "version": env!("CARGO_PKG_VERSION"), "findings": findings })
    }
}
