//! The tool reference as resources of the protocol.

use peelback_code::nearest;
use peelback_tools::{AnyTool, DocumentationMode, all, by_name, reference};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

/// The address of the whole tool reference; the reference of a single tool is below this address.
const REFERENCE: &str = "peelback://tools";

/// The address template of a single tool's docs.
pub(super) const TEMPLATE: &str = "peelback://tools/{name}";

/// All resources of the server, the whole tool reference first.
pub(super) fn resources() -> Vec<Resource> {
    let whole = Resource::new(REFERENCE, "tools")
        .with_title("Reference of the tools")
        .with_description("Every tool with its parameters and examples.")
        .with_mime_type("text/markdown");
    std::iter::once(whole).chain(all().iter().map(resource)).collect()
}

fn resource(tool: &AnyTool) -> Resource {
    Resource::new(format!("{REFERENCE}/{}", tool.name), tool.name)
        .with_title(format!("Docs of {}", tool.name))
        .with_description(tool.summary())
        .with_mime_type("text/plain")
}

/// The resource templates of the server: one, for a single tool's docs.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TEMPLATE, "tool")
            .with_title("Docs of a tool")
            .with_description("One tool's parameters and examples, by its name or another that it answers to.")
            .with_mime_type("text/plain"),
    ]
}

/// The text of the resource at `uri`.
pub(super) fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents =
        |text: String, kind| ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]);
    if uri == REFERENCE {
        return Ok(contents(reference::markdown(), "text/markdown"));
    }
    let name = uri.strip_prefix(REFERENCE).and_then(|rest| rest.strip_prefix('/'));
    match name.and_then(by_name) {
        Some(tool) => Ok(contents(tool.documentation(DocumentationMode::Full), "text/plain")),
        None => {
            let near = nearest(name.unwrap_or(uri), all().iter().map(|tool| tool.name), 1);
            let advice = match near.first() {
                Some(near) => format!("did you mean {REFERENCE}/{near}?"),
                None => format!("{REFERENCE} lists every tool"),
            };
            Err(ErrorData::resource_not_found(format!("no such resource: {advice}"), Some(json!({ "uri": uri }))))
        }
    }
}
