//! What a caller gets: an answer as a value, which each face renders in its own way.

use std::sync::Arc;

use peelback_code::Fault;

use crate::context::CallContext;
use crate::page::{Page, Part};
use crate::view::Format;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyStatus {
    /// With an answer.
    Found,
    /// With an answer that is empty.
    Empty,
    /// With an error from which the caller can recover.
    Failed(Fault),
    /// With arguments that do not fit the tool's schema.
    InvalidArguments,
}

/// How closely an answer shows a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// The file is one of several whose symbols are listed.
    Listed,
    /// The file was found: its name is shown.
    Found,
    /// The file's symbols are shown without bodies.
    Outlined,
    /// The uses of one of the file's symbols are shown.
    Used,
    /// Source text or a profile of the file is shown.
    Read,
}

/// A place of the project that an answer shows something of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, from the root.
    pub path: String,
    /// How closely it is shown.
    pub closeness: Closeness,
    /// First and last line that are shown, from 1, both included; `None` for the file as a whole.
    pub lines: Option<(u32, u32)>,
    /// What the lines are, such as `method Cart.total`; may be empty.
    pub title: String,
    /// Whether the call asked for the raw text of the whole file.
    pub is_whole_text: bool,
}

impl Place {
    /// A file as a whole.
    pub(crate) fn file(path: &str, closeness: Closeness) -> Self {
        Self { path: path.to_owned(), closeness, lines: None, title: String::new(), is_whole_text: false }
    }

    /// Lines of a file that were read.
    pub(crate) fn lines(path: &str, lines: (u32, u32), title: String) -> Self {
        Self { path: path.to_owned(), closeness: Closeness::Read, lines: Some(lines), title, is_whole_text: false }
    }
}

/// An answer that fits its budget, before it is rendered.
pub(crate) trait Content: Send + Sync {
    /// The answer as text with marks on its parts.
    fn page(&self, context: &CallContext) -> Page;
    /// The answer as one line of JSON.
    fn json(&self, context: &CallContext) -> String;
    /// The places that the answer shows, in its order.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// An answer with all that rendering needs.
trait Render: Send + Sync {
    fn page(&self) -> Page;
    fn json(&self) -> String;
    fn places(&self) -> Vec<Place>;
}

/// The content of an answer, and the context of the call that it answers.
struct InContext<C> {
    content: C,
    context: CallContext,
}

impl<C: Content> Render for InContext<C> {
    fn page(&self) -> Page {
        self.content.page(&self.context)
    }

    fn json(&self) -> String {
        self.content.json(&self.context)
    }

    fn places(&self) -> Vec<Place> {
        self.content.places()
    }
}

/// A text that is the whole answer.
impl Render for String {
    fn page(&self) -> Page {
        let mut page = Page::default();
        page.push_str(self);
        page
    }

    fn json(&self) -> String {
        let mut out = serde_json::Value::from(self.as_str()).to_string();
        out.push('\n');
        out
    }

    fn places(&self) -> Vec<Place> {
        Vec::new()
    }
}

/// What a caller gets.
#[derive(Clone)]
pub struct Reply {
    /// How the call ended.
    pub status: ReplyStatus,
    /// The answer for a person who looks on: what was found, its first rows, and how many more there are.
    pub preview: String,
    format: Format,
    content: Arc<dyn Render>,
}

impl Reply {
    pub(crate) fn new(
        status: ReplyStatus,
        preview: String,
        format: Format,
        context: &CallContext,
        content: impl Content + 'static,
    ) -> Self {
        let content = Arc::new(InContext { content, context: context.clone() });
        Self { status, preview, format, content }
    }

    /// A reply that is this text, for answers that no tool gives.
    pub fn plain(status: ReplyStatus, text: impl Into<String>) -> Self {
        Self { status, preview: String::new(), format: Format::Text, content: Arc::new(text.into()) }
    }

    /// The answer for a program, in the format that the call asked for: text or one JSON object, ending in a newline.
    pub fn output(&self) -> String {
        match self.format {
            Format::Json => self.content.json(),
            Format::Text | Format::Dot | Format::Mermaid => self.page().into_text(),
        }
    }

    /// The answer as text with marks on its parts, for a face that renders them differently.
    pub fn page(&self) -> Page {
        self.content.page()
    }

    /// The places that the answer shows, in its order.
    pub fn places(&self) -> Vec<Place> {
        self.content.places()
    }

    /// The answer as text for a reader who has the next steps from elsewhere: without hints, and of the calls to go on
    /// with only the first.
    pub fn text_without_hints(&self) -> String {
        let mut out = self.page().text_without(&[Part::Hint, Part::Alternatives]);
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }

    /// The error of a call whose arguments did not fit, without the tool's docs; `None` where the answer has no docs.
    pub fn text_without_documentation(&self) -> Option<String> {
        let page = self.page();
        let text = page.has(Part::Documentation).then(|| page.text_without(&[Part::Documentation]));
        text.map(|text| text.trim_end_matches('\n').to_owned())
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("status", &self.status).field("preview", &self.preview).finish_non_exhaustive()
    }
}
