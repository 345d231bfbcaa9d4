//! The overview document of a whole repository, written without a model: purpose, layout, entry points, main modules
//! with outlines, dependencies, build and test commands, conventions.
//!
//! Every section exists in several lengths (`section.rs`) and has a share of the token budget; sections that need less
//! leave the rest of their share to the other sections. Every statement is read from files and cites its source.

mod build;
mod conventions;
mod dependency_diagram;
mod entries;
mod layout;
mod library;
mod manifests;
mod modules;
mod purpose;
mod section;
mod survey;

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

use peelback_code::{CodeAccess, CodeError, Completeness};

use crate::citations::Reference;
use crate::disclosure::{Redact, WithholdPathRule, known_secrets_of_files};
use crate::markdown::{format_count_with_unit, format_inline_code, format_with_thousands_commas, one_line};
use section::{Section, fit_sections_to_budget};
use survey::Survey;

/// The default token budget of an overview document.
pub const DEFAULT_MAX_TOKENS: usize = 12_000;

/// The minimum token budget of an overview document.
pub const MIN_TOKENS: usize = 400;

/// Settings for the overview document of a repository.
#[derive(Clone, Default)]
pub struct OverviewOptions {
    /// The token budget of the document, in estimated tokens: [`DEFAULT_MAX_TOKENS`] if `None`, and never less than
    /// [`MIN_TOKENS`].
    pub max_tokens: Option<usize>,
    /// A prose summary that a model wrote, placed at the top of the document. The summary counts in the token budget
    /// and is cut to a quarter of it.
    pub summary: Option<String>,
    /// The rule for files that the document may name but never shows.
    pub withhold: Option<WithholdPathRule>,
    /// The function that masks secrets in the texts that the document shows.
    pub redact: Option<Redact>,
}

impl fmt::Debug for OverviewOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverviewOptions").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}

/// The overview document of a whole repository.
#[derive(Debug, Clone)]
pub struct Overview {
    /// The document's Markdown text from `## Summary` on, without front matter and title.
    pub body: String,
    /// The code references of the document, in its order: at most one for each pair of path and first line. All cited
    /// lines exist.
    pub references: Vec<Reference>,
    /// The paths of the files that the document cites, in its order.
    pub files: Vec<String>,
    /// Whether all files were read and nothing was left out to fit the budget.
    pub complete: bool,
    /// Remarks about files that were skipped and parts that were left out.
    pub notes: Vec<String>,
}

/// Writes the overview document of a repository.
///
/// # Errors
/// Those of [`peelback_code::Project::files_in_scope`].
pub fn build_overview_document(access: &CodeAccess, options: &OverviewOptions) -> Result<Overview, CodeError> {
    let access = access.with_new_shared_snapshot(None)?;
    let max_tokens = options.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).max(MIN_TOKENS);
    let survey = Survey::from_access(&access, options.withhold.clone())?;
    let mut sections: Vec<Section> = [
        purpose::purpose_section(&survey),
        layout::layout_section(&survey),
        entries::entry_points_section(&survey),
        modules::main_modules_section(&survey),
        dependency_diagram::dependencies_section(&survey),
        build::build_and_test_section(&survey),
        conventions::conventions_section(&survey),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(redact) = &options.redact {
        let variants = sections.iter_mut().flat_map(|section| &mut section.variants);
        for variant in variants {
            let paths = variant.references.iter().map(|reference| reference.path.as_str());
            let known = known_secrets_of_files(&access, paths.collect::<BTreeSet<_>>());
            variant.text = redact(&variant.text, &known).into_owned();
        }
    }
    let head = summary_section(&survey, options.summary.as_deref(), max_tokens);
    let fitted = fit_sections_to_budget(&head, sections, max_tokens);
    let mut notes = survey.completeness_remarks();
    if !fitted.left_out.is_empty() {
        notes.push(format!("left out to fit: {}", fitted.left_out.join(", ")));
    }
    let mut files: Vec<String> = Vec::new();
    for reference in &fitted.references {
        if !files.contains(&reference.path) {
            files.push(reference.path.clone());
        }
    }
    Ok(Overview {
        complete: survey.completeness() == Completeness::Complete && fitted.left_out.is_empty(),
        body: fitted.text,
        references: fitted.references,
        files,
        notes,
    })
}

/// The summary section, which every overview document contains, whatever its token budget.
fn summary_section(survey: &Survey<'_>, prose: Option<&str>, max_tokens: usize) -> String {
    let mut out = "## Summary\n\n".to_owned();
    if let Some(prose) = prose.map(str::trim).filter(|prose| !prose.is_empty()) {
        // A heading inside the model's summary would end the section.
        let mut kept = String::new();
        for line in crate::document::escape_comment_openings(prose).lines() {
            let line = if line.starts_with('#') { line.trim_start_matches('#').trim_start() } else { line };
            if peelback_tokens::estimate_tokens(&kept) + peelback_tokens::estimate_tokens(line) > max_tokens / 4 {
                break;
            }
            kept.push_str(line);
            kept.push('\n');
        }
        let _ = writeln!(out, "{}\n", kept.trim_end());
    }
    if survey.files.is_empty() {
        out.push_str("The repository has no files, or all are ignored.\n");
        return out;
    }
    let languages: Vec<String> =
        survey.line_and_file_counts_by_language().into_iter().take(3).map(|(name, _, _)| name.to_owned()).collect();
    let mostly = if languages.is_empty() { String::new() } else { format!(", mostly {}", languages.join(", ")) };
    let _ = writeln!(
        out,
        "{}, {}{mostly}; about {} tokens to read whole. {}",
        format_count_with_unit(survey.files.len(), "file", "files"),
        format_count_with_unit(survey.total_lines(), "line", "lines"),
        format_with_thousands_commas(survey.total_tokens()),
        if prose.is_some() {
            "All below was read from the files, without a model."
        } else {
            "All of this was read from the files, without a model."
        }
    );
    for remark in survey.completeness_remarks().into_iter().take(4) {
        let _ = writeln!(out, "- {}", crate::markdown::truncate_with_ellipsis(&one_line(&remark), 300));
    }
    let call = peelback_tools::follow_up_call_builder().project_tree_call().to_command_from_project_root();
    let _ = writeln!(out, "\nIn the folder of the repository, {} lists all files.", format_inline_code(&call));
    out
}
