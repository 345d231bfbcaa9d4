//! The reply to a tool call: an answer as a value, which each interface renders in its own format.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use peelback_code::{ErrorCategory, Evidence, StopCause, escape_control_characters_of_json};
use peelback_secrets::{KnownSecrets, Stop, Stopped};

use crate::call::Call;
use crate::context::CallContext;
use crate::guidance::Guidance;
use crate::output_guard::OmittedRows;
use crate::page::{MarkedText, PartKind};
use crate::place::PlaceRow;
use crate::recoverable_error::RecoverableError;
use crate::view::Format;

/// The time that a call has after its deadline to look for the secrets of the files that its answer shows.
const TIME_AFTER_DEADLINE_TO_FIND_SECRETS: Duration = Duration::from_secs(2);

const HINT_WHERE_SECRETS_ARE_UNKNOWN: &str = "leave out large files with many secrets: give a path or a scope";

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyStatus {
    /// The call found something.
    Found,
    /// The call was valid but found nothing.
    Empty,
    /// The call failed with an error from which the caller can recover.
    Failed(ErrorCategory),
    /// The arguments are invalid in themselves, whatever the project holds: one is missing, unknown, or has a value that the
    /// tool does not take.
    InvalidArguments {
        /// Whether they fit the tool's schema, as a text does that should be a regular expression and is none.
        fits_schema: bool,
    },
}

/// How much of a file an answer shows, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShownDetail {
    /// The file is one of several whose symbols the answer lists.
    Listed,
    /// The answer shows the file's name.
    Found,
    /// The answer shows the file's symbols without bodies.
    Outlined,
    /// The answer shows references to a symbol of the file.
    Used,
    /// The answer shows source text or a profile of the file.
    Read,
}

/// A place in the project that an answer shows: a file or a range of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's path, relative to the root.
    pub path: String,
    /// How much of the file or lines the answer shows.
    pub shown_detail: ShownDetail,
    /// The first and last shown line, counted from 1, both included; `None` for the whole file.
    pub lines: Option<(u32, u32)>,
    /// A description of the lines, such as `method Cart.total`; may be empty.
    pub title: String,
    /// Whether the call requested the raw text of the whole file.
    pub is_whole_text: bool,
}

impl Location {
    /// The place that is the whole file at `path`.
    pub(crate) fn for_whole_file(path: &str, closeness: ShownDetail) -> Self {
        Self { path: path.to_owned(), shown_detail: closeness, lines: None, title: String::new(), is_whole_text: false }
    }

    /// The place that consists of source lines of a file, with the detail [`ShownDetail::Read`].
    pub(crate) fn for_read_line_range(path: &str, lines: (u32, u32), title: String) -> Self {
        Self { path: path.to_owned(), shown_detail: ShownDetail::Read, lines: Some(lines), title, is_whole_text: false }
    }
}

/// The content of a reply: an answer that fits its budget, ready to be rendered in the context of its call.
pub(crate) trait ReplyContent: Send + Sync {
    /// The answer as text, with marks on its parts.
    fn render_marked_text(&self, context: &CallContext) -> MarkedText;
    /// The answer as one line of JSON.
    fn render_json(&self, context: &CallContext) -> String;
    /// The places in the project that the answer shows, in order.
    fn shown_locations(&self) -> Vec<Location> {
        Vec::new()
    }
    /// The paths of the files of whose text the answer may show a part.
    fn quoted_paths(&self, _: &CallContext) -> BTreeSet<String> {
        self.shown_locations().into_iter().map(|place| place.path).collect()
    }
    /// The rows whose texts are cut out of lines, so that they can show parts of a secret.
    fn rows_cut_from_lines(&self) -> Vec<PlaceRow<'_>> {
        Vec::new()
    }
    /// How complete the answer is; `None` for an answer that does not say it.
    fn completeness_evidence(&self) -> Option<&Evidence> {
        None
    }
    /// The rows that the answer omits; `None` where it shows all of them.
    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        None
    }
    /// The next step that the answer recommends.
    fn guidance(&self) -> Option<&Guidance> {
        None
    }
    /// The same content with the call that gives the documentation of the tool in the place of that documentation; `None`
    /// where the content shows no documentation beside what is asked for.
    fn with_call_in_place_of_documentation(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// The content of a reply that can be rendered without further arguments: a plain text, or a tool's answer together
/// with the context of its call.
trait RenderableContent: Send + Sync {
    fn render_marked_text(&self) -> MarkedText;
    fn render_json(&self) -> String;
    fn shown_locations(&self) -> Vec<Location>;
    /// The secrets of the files of whose text the answer may show a part.
    fn known_secrets(&self) -> KnownSecrets;
    /// The context of the answer's call, where there is one.
    fn call_context(&self) -> Option<&CallContext>;
    fn completeness_evidence(&self) -> Option<&Evidence>;
    fn omitted_rows_summary(&self) -> Option<OmittedRows>;
    fn guidance(&self) -> Option<&Guidance>;
    fn format_call(&self, call: &Call) -> String;
    /// The same content with the call that gives the documentation of the tool in the place of that documentation; `None`
    /// where the content shows none.
    fn with_call_in_place_of_documentation(&self) -> Option<Arc<dyn RenderableContent>> {
        None
    }
}

/// The content of an answer, with the context of its call.
struct ContentWithCallContext<C> {
    content: C,
    context: CallContext,
}

impl<C: ReplyContent + 'static> RenderableContent for ContentWithCallContext<C> {
    fn render_marked_text(&self) -> MarkedText {
        self.content.render_marked_text(&self.context)
    }

    fn render_json(&self) -> String {
        self.content.render_json(&self.context)
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.content.shown_locations()
    }

    fn known_secrets(&self) -> KnownSecrets {
        // The results that a call has at its deadline are still shown, so that the deadline alone ends nothing.
        let deadline = OnceCell::new();
        let must_stop = || match self.context.stop_cause() {
            Some(StopCause::Cancelled) => true,
            Some(StopCause::Deadline) => {
                deadline.get_or_init(Instant::now).elapsed() > TIME_AFTER_DEADLINE_TO_FIND_SECRETS
            }
            None => false,
        };
        let mut known = KnownSecrets::default();
        let mut cut_rows: BTreeMap<&str, Vec<&PlaceRow<'_>>> = BTreeMap::new();
        let rows = self.content.rows_cut_from_lines();
        for row in &rows {
            cut_rows.entry(row.path).or_default().push(row);
        }
        for path in self.content.quoted_paths(&self.context) {
            let Some(text) = self.context.read_project_file(&path) else { continue };
            if known.add_secrets_of_text_unless_stopped(&text, Stop::when(&must_stop)).is_err() {
                return KnownSecrets::everything();
            }
            // `grep` shows what its code leaves out, such as the outputs of cells.
            if let Some(text) = self.context.read_notebook_as_it_stands(&path)
                && known.add_secrets_of_text_unless_stopped(&text, Stop::when(&must_stop)).is_err()
            {
                return KnownSecrets::everything();
            }
            let rows = cut_rows.get(path.as_str()).map_or(&[][..], Vec::as_slice);
            if !rows.is_empty() && add_rows_cut_from_secrets(rows, &text, &mut known, Stop::when(&must_stop)).is_err() {
                return KnownSecrets::everything();
            }
        }
        known
    }

    fn call_context(&self) -> Option<&CallContext> {
        Some(&self.context)
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        self.content.completeness_evidence()
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.content.omitted_rows_summary()
    }

    fn guidance(&self) -> Option<&Guidance> {
        self.content.guidance()
    }

    fn format_call(&self, call: &Call) -> String {
        self.context.format_call(call)
    }

    fn with_call_in_place_of_documentation(&self) -> Option<Arc<dyn RenderableContent>> {
        let content = self.content.with_call_in_place_of_documentation()?;
        Some(Arc::new(Self { content, context: self.context.clone() }))
    }
}

/// Adds to `known` the texts of the rows that are cut out of a secret in the text of their file.
fn add_rows_cut_from_secrets(
    rows: &[&PlaceRow<'_>],
    text: &str,
    known: &mut KnownSecrets,
    stop: Stop<'_>,
) -> Result<(), Stopped> {
    let secrets = peelback_secrets::find_secrets_to_mask(text, known, stop)?;
    if secrets.is_empty() {
        return Ok(());
    }
    let line_starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    for row in rows {
        let line = usize::try_from(row.line).unwrap_or(usize::MAX).saturating_sub(1);
        let column = usize::try_from(row.byte_column).unwrap_or(usize::MAX).saturating_sub(1);
        // A line that is not there any more may have held anything.
        let Some(start) = line_starts.get(line).map(|start| start.saturating_add(column)) else {
            known.add_text_cut_from_secret(&row.text);
            continue;
        };
        let end = start.saturating_add(row.text.len());
        if secrets.iter().any(|secret| secret.range.start < end && start < secret.range.end) {
            known.add_text_cut_from_secret(&row.text);
        }
    }
    Ok(())
}

/// A plain text that is the complete answer.
impl RenderableContent for String {
    fn render_marked_text(&self) -> MarkedText {
        let mut page = MarkedText::default();
        page.push_str(self);
        page
    }

    fn render_json(&self) -> String {
        let mut out = serde_json::Value::from(self.as_str()).to_string();
        out.push('\n');
        out
    }

    fn shown_locations(&self) -> Vec<Location> {
        Vec::new()
    }

    fn known_secrets(&self) -> KnownSecrets {
        KnownSecrets::default()
    }

    fn call_context(&self) -> Option<&CallContext> {
        None
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        None
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        None
    }

    fn guidance(&self) -> Option<&Guidance> {
        None
    }

    fn format_call(&self, call: &Call) -> String {
        call.to_command_from_project_root()
    }
}

/// An answer whose secrets are masked, which says how many were.
struct MaskedContent {
    content: Arc<dyn RenderableContent>,
    known: KnownSecrets,
    format: Format,
}

impl RenderableContent for MaskedContent {
    fn render_marked_text(&self) -> MarkedText {
        let (mut page, count) = self.content.render_marked_text().with_masked_secrets(&self.known);
        let write_note = |page: &mut MarkedText| page.write_completeness_note_line(masked_values_note(count));
        match self.format {
            _ if count == 0 => {}
            Format::Vimgrep => page.write_and_mark_part(PartKind::Remark, write_note),
            _ => write_note(&mut page),
        }
        page
    }

    fn render_json(&self) -> String {
        let rendered = self.content.render_json();
        let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&rendered) else {
            return peelback_secrets::mask_secrets_with(&rendered, &self.known).text.into_owned();
        };
        let count = mask_texts_of_json(&mut value, &self.known);
        if let (true, Some(fields)) = (count > 0, value.as_object_mut()) {
            fields.insert("masked_values".to_owned(), count.into());
        }
        format!("{value}\n")
    }

    fn shown_locations(&self) -> Vec<Location> {
        self.content.shown_locations()
    }

    fn known_secrets(&self) -> KnownSecrets {
        self.known.clone()
    }

    fn call_context(&self) -> Option<&CallContext> {
        self.content.call_context()
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        self.content.completeness_evidence()
    }

    fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.content.omitted_rows_summary()
    }

    fn guidance(&self) -> Option<&Guidance> {
        self.content.guidance()
    }

    fn format_call(&self, call: &Call) -> String {
        peelback_secrets::mask_secrets(&self.content.format_call(call)).into_owned()
    }

    fn with_call_in_place_of_documentation(&self) -> Option<Arc<dyn RenderableContent>> {
        let content = self.content.with_call_in_place_of_documentation()?;
        Some(Arc::new(Self { content, known: self.known.clone(), format: self.format }))
    }
}

fn masked_values_note(count: usize) -> String {
    format!("{count} secret value{} masked (secrets.mask)", if count == 1 { " is" } else { "s are" })
}

/// Masks the secrets in the texts of a JSON value, and returns their number. The rows of a file's lines are read
/// together, since a secret can stand on several lines.
fn mask_texts_of_json(value: &mut serde_json::Value, known: &KnownSecrets) -> usize {
    match value {
        serde_json::Value::String(text) => {
            let peelback_secrets::Masked { text: masked, count } = peelback_secrets::mask_secrets_with(text, known);
            if let std::borrow::Cow::Owned(masked) = masked {
                *text = masked;
            }
            count
        }
        serde_json::Value::Array(items) => {
            mask_secrets_spanning_rows(items, known)
                + items.iter_mut().map(|item| mask_texts_of_json(item, known)).sum::<usize>()
        }
        serde_json::Value::Object(fields) => fields.values_mut().map(|field| mask_texts_of_json(field, known)).sum(),
        _ => 0,
    }
}

/// Masks the secrets that stand on several lines, in rows that are lines of a file: objects with a `text`.
fn mask_secrets_spanning_rows(items: &mut [serde_json::Value], known: &KnownSecrets) -> usize {
    let texts: Option<Vec<&str>> = items.iter().map(|item| item.get("text")?.as_str()).collect();
    let Some(texts) = texts.filter(|texts| texts.len() > 1) else { return 0 };
    if texts.iter().any(|text| text.contains('\n')) {
        return 0;
    }
    let joined = texts.join("\n");
    let masked = peelback_secrets::mask_secrets_with(&joined, known);
    if masked.count > 0 {
        for (item, line) in items.iter_mut().zip(masked.text.split('\n')) {
            if let Some(text) = item.get_mut("text") {
                *text = line.into();
            }
        }
    }
    masked.count
}

/// The reply to a tool call.
#[derive(Clone)]
pub struct Reply {
    /// How the call ended.
    pub status: ReplyStatus,
    /// A preview of the answer for a person: a summary, the first rows, and the number of further rows.
    pub preview: String,
    format: Format,
    content: Arc<dyn RenderableContent>,
}

impl Reply {
    pub(crate) fn new(
        status: ReplyStatus,
        preview: String,
        format: Format,
        context: &CallContext,
        content: impl ReplyContent + 'static,
    ) -> Self {
        let content = Arc::new(ContentWithCallContext { content, context: context.clone() });
        Self { status, preview, format, content }
    }

    /// A reply that consists of `text`, for an answer that comes from no tool.
    pub fn new_plain_text(status: ReplyStatus, text: impl Into<String>) -> Self {
        Self { status, preview: String::new(), format: Format::Text, content: Arc::new(text.into()) }
    }

    /// The reply with the secrets of its texts masked, in each format. Where the secrets of its files are not known, it is an
    /// error.
    pub fn with_masked_secrets(self) -> Self {
        let known = self.known_secrets();
        if known.is_everything() {
            return self.withheld();
        }
        let preview = peelback_secrets::mask_secrets_with(&self.preview, &known).text.into_owned();
        Self { preview, content: Arc::new(MaskedContent { content: self.content, known, format: self.format }), ..self }
    }

    /// The error in the place of an answer about files whose secrets are not known: they are too many to tell them from other
    /// text, or the call's time ended before they were found.
    pub fn withheld(self) -> Self {
        let Some(context) = self.content.call_context() else { return self };
        let error = RecoverableError::new(
            ErrorCategory::Failure,
            "the answer is withheld: the secrets in the files that it shows could not be masked, because there are \
             too many or finding them took too long",
        );
        Self::from_error_without_tool(context, &error.with_hint(HINT_WHERE_SECRETS_ARE_UNKNOWN), self.format)
    }

    /// The secrets of the files of whose text the answer may show a part: what the answer shows of a file is masked by
    /// what the whole file says.
    pub fn known_secrets(&self) -> KnownSecrets {
        self.content.known_secrets()
    }

    /// The answer for a program, in the requested format: text or one JSON object, with a final newline.
    pub fn formatted_output(&self) -> String {
        match self.format {
            Format::Json => escape_control_characters_of_json(&self.content.render_json()).into_owned(),
            Format::Text | Format::Vimgrep | Format::Dot | Format::Mermaid => self.render_marked_text().into_text(),
        }
    }

    /// The answer as text with marks on its parts, for an interface that renders the parts differently.
    pub fn render_marked_text(&self) -> MarkedText {
        self.content.render_marked_text()
    }

    /// The rows of an answer in a format for programs whose remarks are no rows, and its remarks; `None` in any other format.
    pub fn rows_and_remarks(&self) -> Option<(String, String)> {
        (self.format == Format::Vimgrep).then(|| {
            let page = self.render_marked_text();
            (page.text_without_parts_of_kinds(&[PartKind::Remark]), page.text_of_parts_of_kind(PartKind::Remark))
        })
    }

    /// The places in the project that the answer shows, in order.
    pub fn shown_locations(&self) -> Vec<Location> {
        self.content.shown_locations()
    }

    /// How complete the answer is; `None` for an answer that does not say it, such as an error.
    pub fn completeness_evidence(&self) -> Option<&Evidence> {
        self.content.completeness_evidence()
    }

    /// The rows that the answer omits, with the calls that return them; `None` where it shows all rows, or only counts.
    pub fn omitted_rows_summary(&self) -> Option<OmittedRows> {
        self.content.omitted_rows_summary()
    }

    /// The next step that the answer recommends.
    pub fn guidance(&self) -> Option<&Guidance> {
        self.content.guidance()
    }

    /// A call as text for the reader of this answer: paths are relative to the working directory of this process.
    pub fn format_call(&self, call: &Call) -> String {
        self.content.format_call(call)
    }

    /// The answer as text without hints and with only the first follow-up call, for a reader who knows the next steps
    /// from elsewhere.
    pub fn text_without_hints_and_alternatives(&self) -> String {
        let mut out = self.render_marked_text().text_without_parts_of_kinds(&[PartKind::Hint, PartKind::Alternatives]);
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// The reply to a call with invalid arguments for a caller who has the tool's documentation already: the call that
    /// gives the documentation stands in its place. `None` where the reply contains no documentation.
    pub fn with_call_in_place_of_documentation(&self) -> Option<Self> {
        let content = self.content.with_call_in_place_of_documentation()?;
        Some(Self { content, ..self.clone() })
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("status", &self.status).field("preview", &self.preview).finish_non_exhaustive()
    }
}
