//! The profile of a file, at the richest level of detail that fits its budget.
//!
//! By default, the token limit of a profile is a share of the raw file, and the share decreases with the file's size:
//! larger bodies do not make a skeleton of their signatures more useful.

mod facts;
mod json;
mod text;

use peelback_code::Evidence;

use crate::context::CallContext;
use crate::page::Page;
use crate::reply::{Closeness, Content, Place, Reply, ReplyStatus};
use crate::view::{Format, View};

pub(crate) use self::facts::Profile;
use self::json::{JsonForm, JsonStage};
use self::text::{Level, TextForm};

impl Profile {
    /// Renders the profile within the budget of a call; `is_numbered` adds line numbers to the skeleton in JSON.
    pub fn into_reply(self, context: &CallContext, view: &View, is_numbered: bool) -> Reply {
        let preview = self.preview();
        let mut text = TextForm::At(Level::Skeleton);
        let mut json = JsonForm { stage: JsonStage::Whole, is_full: view.is_full(), is_numbered };
        match view.format {
            Format::Json => json = self.fitting_json_form(json, context, view),
            _ => text = self.fitting_text_form(context, view),
        }
        Reply::new(ReplyStatus::Found, preview, view.format, context, FittedProfile { profile: self, text, json })
    }
}

/// A profile in the richest form that fits its budget.
struct FittedProfile {
    profile: Profile,
    text: TextForm,
    json: JsonForm,
}

impl Content for FittedProfile {
    fn page(&self, context: &CallContext) -> Page {
        self.profile.page_in(self.text, context)
    }

    fn json(&self, context: &CallContext) -> String {
        self.profile.json_in(self.json, context)
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::file(&self.profile.analysed.file.path, Closeness::Read)]
    }

    fn evidence(&self) -> Option<&Evidence> {
        Some(&self.profile.analysed.evidence)
    }
}
