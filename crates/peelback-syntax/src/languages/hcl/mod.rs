//! HCL, the language of Terraform: its files and its queries.

use crate::spec::{Analysis, Keywords, Language, Tier, if_feature};
use crate::tags::TagsQueryLanguage;

static TAGS: TagsQueryLanguage =
    TagsQueryLanguage::new(if_feature!("lang-hcl", tree_sitter_hcl::LANGUAGE), include_str!("outline.scm"))
        .with_references(include_str!("references.scm"));

pub(crate) static LANGUAGE: Language = Language {
    aliases: &["terraform", "tf", "opentofu"],
    extensions: &["tf", "hcl", "tfvars", "tofu", "nomad"],
    file_names: &[".terraform.lock.hcl"],
    keywords: Keywords {
        definitions: &["data", "module", "output", "provider", "resource", "variable"],
        bindings: &[],
        modifiers: &[],
        statements: &[],
    },
    ..Language::new("hcl", Tier::Basic, Analysis::TagsQueryLanguage(&TAGS))
};
