//! The profile of a file, at the richest level of detail that fits its budget.
//!
//! By default, the token limit of a profile is a share of the raw file, and the share decreases with the file's size:
//! larger bodies do not make a skeleton of their signatures more useful.

mod facts;
mod json;
mod relations;
mod structure;
mod text;

use peelback_code::Evidence;

use crate::context::CallContext;
use crate::page::MarkedText;
use crate::reply::{Location, Reply, ReplyContent, ReplyStatus, ShownDetail};
use crate::view::{Format, OutputOptions};

pub(crate) use self::facts::FileProfile;
use self::json::{JsonContent, JsonForm};
use self::text::{MoreDetail, TextForm, TextLayout};

impl FileProfile {
    /// Renders the profile within the budget of a call; `is_numbered` adds line numbers to the skeleton in JSON.
    pub fn into_reply(self, context: &CallContext, view: &OutputOptions, is_numbered: bool) -> Reply {
        let preview = self.render_preview();
        let form = TextForm::Skeleton { has_comments: true };
        let is_full = view.is_full_detail();
        let mut text = TextLayout {
            form,
            relation_tokens: usize::MAX,
            has_short_header: false,
            is_full,
            more: MoreDetail::FullProfile,
        };
        let mut json = JsonForm { content: JsonContent::Sections { removals: 0 }, is_full, is_numbered };
        match view.format {
            Format::Json => json = self.richest_fitting_json_form(json, context, view),
            _ => text = self.richest_fitting_text_layout(context, view),
        }
        Reply::new(ReplyStatus::Found, preview, view.format, context, FittedProfile { profile: self, text, json })
    }
}

/// A profile in the richest form that fits its budget.
struct FittedProfile {
    profile: FileProfile,
    text: TextLayout,
    json: JsonForm,
}

impl ReplyContent for FittedProfile {
    fn render_marked_text(&self, context: &CallContext) -> MarkedText {
        self.profile.render_page_in_layout(self.text, context)
    }

    fn render_json(&self, context: &CallContext) -> String {
        self.profile.render_json_in_form(self.json, context)
    }

    fn shown_locations(&self) -> Vec<Location> {
        vec![Location::for_whole_file(&self.profile.analysed.file.path, ShownDetail::Read)]
    }

    fn completeness_evidence(&self) -> Option<&Evidence> {
        Some(&self.profile.analysed.evidence)
    }
}
