//! `find_files`: files for keywords or a question.

use std::fmt::Write as _;

use peelback_code::{CodeAccess, Fault, RankedFile, WalkOptions, keywords_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Guidance, Payload, Reply, counted};
use crate::call::Call;
use crate::guard::OutputGuard;
use crate::recover::RecoverableError;
use crate::tool::Tool;
use crate::view::{View, is_default};

/// Files that an exploring answer shows.
const CAP: usize = 20;

/// Files ranked for keywords or a question.
///
/// For each keyword a file gets 2 points for its name, else 1 for its folders, and 1 for its content. Words match by
/// stem, so "authentication" finds `auth_handler.py`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Parameters {
    /// Keywords or a question in words.
    pub query: String,
    /// A folder or glob to look in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Hidden files and folders too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hidden: bool,
    /// Ignored files and folders too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub no_ignore: bool,
    #[serde(flatten)]
    pub view: View,
}

pub struct FindFiles;

impl Tool for FindFiles {
    type Parameters = Parameters;

    const NAME: &'static str = "find_files";
    const ALIASES: &'static [&'static str] = &["find", "search_for_files", "search_files"];
    const POSITIONAL: &'static [&'static str] = &["query"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "scope"),
        ("keywords", "query"),
        ("question", "query"),
        ("pattern", "query"),
        ("directory", "scope"),
    ];
    const EXAMPLES: &'static [&'static str] =
        &["find_files --query 'How does authentication work?'", "find_files --query 'rate limit' --scope src"];

    fn view(parameters: &Parameters) -> &View {
        &parameters.view
    }

    fn call(access: &CodeAccess, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::of(Self::NAME, &parameters);
        let view = &parameters.view;
        let keywords = keywords_of(&parameters.query);
        if keywords.is_empty() {
            let error =
                format!("{:?} holds no keyword: words under 3 letters and stop words do not count", parameters.query);
            let tree = Call::new("tree");
            return Err(RecoverableError::new(Fault::BadUsage, error)
                .hint(format!("name what you look for, or see what is there: {tree}")));
        }
        let walk = WalkOptions { hidden: parameters.hidden, no_ignore: parameters.no_ignore, ..WalkOptions::default() };
        let (ranked, evidence) = access
            .rank_files(&keywords, parameters.scope.as_deref(), &walk)
            .map_err(|error| RecoverableError::of(&error, &call, "scope"))?;
        let total = ranked.len();
        let inside = fullest_folder(&ranked, parameters.scope.as_deref());
        let guidance = if ranked.is_empty() {
            let grep = Call::new("grep").with("pattern", keywords.join("|")).with("ignore_case", true);
            Some(Guidance::Hint(format!("search the text for parts of the words: {grep}")))
        } else {
            ranked.get(view.offset).map(|best| {
                Guidance::Hint(format!(
                    "the shape of the first: {}",
                    Call::new("outline").with("path", best.path.as_str())
                ))
            })
        };
        let empty = ranked.is_empty();
        let (files, mut plan) = OutputGuard::of(view, CAP).cap_items(ranked, total, "files");
        if let Some((folder, files)) = inside {
            plan = plan.narrowed(call.clone().with("scope", folder), counted(files, "file", "files"));
        }
        let plan = plan.paged(call);
        let files = files.into_iter().map(|file| Row::of(access, file)).collect();
        let payload = Ranking {
            head: Head { query: parameters.query.clone(), keywords: keywords.join(" ") },
            total,
            body: Body { files },
        };
        Ok(Answer { payload, plan, evidence, guidance, empty }.finish(view))
    }
}

/// The top folder below `scope` that holds the most of the files, where it does not hold all.
fn fullest_folder(ranked: &[RankedFile], scope: Option<&str>) -> Option<(String, usize)> {
    let base = scope.map_or(0, |scope| scope.split('/').filter(|part| !part.is_empty() && *part != ".").count());
    let mut counts = std::collections::BTreeMap::new();
    for file in ranked {
        let parts: Vec<&str> = file.path.split('/').collect();
        if parts.len() > base + 1 {
            *counts.entry(parts.get(..=base).unwrap_or(&[]).join("/")).or_insert(0usize) += 1;
        }
    }
    counts.into_iter().filter(|(_, count)| *count < ranked.len()).max_by_key(|(_, count)| *count)
}

#[derive(Serialize)]
struct Head {
    query: String,
    keywords: String,
}

#[derive(Serialize)]
struct Body {
    files: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    score: u32,
    reasons: Vec<String>,
    /// What reading it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl Row {
    fn of(access: &CodeAccess, file: RankedFile) -> Self {
        // A price is worth a read only while there is time.
        let read = access.project().work().stopped().is_none().then(|| access.read(&file.path).ok()).flatten();
        let tokens = read.map(|file| peelback_tokens::estimate(&file.text));
        Self { path: file.path, score: file.score, reasons: file.reasons, tokens }
    }
}

struct Ranking {
    head: Head,
    total: usize,
    body: Body,
}

impl Payload for Ranking {
    type Head = Head;
    type Body = Body;

    fn verdict(&self) -> String {
        format!("{} for the keywords: {}", counted(self.total, "file", "files"), self.head.keywords)
    }

    fn head(&self) -> &Head {
        &self.head
    }

    fn body(&self) -> &Body {
        &self.body
    }

    fn write_rows(&self, out: &mut String) {
        for row in &self.body.files {
            let _ = write!(out, "{}  score {}", row.path, row.score);
            if let Some(tokens) = row.tokens {
                let _ = write!(out, "  ~{tokens} tokens");
            }
            let _ = writeln!(out, "  {}", row.reasons.join("; "));
        }
    }

    fn shown(&self) -> usize {
        self.body.files.len()
    }

    fn title(&self, index: usize) -> Option<String> {
        let row = self.body.files.get(index)?;
        Some(format!("{}  score {}", row.path, row.score))
    }

    fn lower(&mut self) -> Option<&'static str> {
        if self.body.files.iter().all(|row| row.reasons.is_empty()) {
            return None;
        }
        self.body.files.iter_mut().for_each(|row| row.reasons.clear());
        Some("reasons")
    }

    fn keep(&mut self, rows: usize) {
        self.body.files.truncate(rows);
    }
}
