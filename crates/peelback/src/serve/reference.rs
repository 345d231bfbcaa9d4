//! The reference of the tools as resources of the MCP server.

use peelback_code::find_similar_names;
use peelback_tools::{AnyTool, DocumentationMode, all_tools, reference, tool_by_name_or_alias};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

/// The URI of the resource that contains the whole tool reference; the URI of a single tool's reference begins with it.
const REFERENCE_URI: &str = "peelback://tools";

/// The URI template of the resource that contains a single tool's docs.
pub(super) const TOOL_URI_TEMPLATE: &str = "peelback://tools/{name}";

/// All resources of the MCP server, the whole tool reference first.
pub(super) fn all_mcp_resources() -> Vec<Resource> {
    let whole = Resource::new(REFERENCE_URI, "tools")
        .with_title("Reference of the tools")
        .with_description("Every tool with its parameters and examples.")
        .with_mime_type("text/markdown");
    std::iter::once(whole).chain(all_tools().iter().map(tool_reference_resource)).collect()
}

fn tool_reference_resource(tool: &AnyTool) -> Resource {
    Resource::new(format!("{REFERENCE_URI}/{}", tool.name), tool.name)
        .with_title(format!("Docs of {}", tool.name))
        .with_description(tool.summary())
        .with_mime_type("text/plain")
}

/// The resource templates of the MCP server: one, for a single tool's docs.
pub(super) fn all_mcp_resource_templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TOOL_URI_TEMPLATE, "tool")
            .with_title("Docs of a tool")
            .with_description("One tool's parameters and examples, by its name or another that it answers to.")
            .with_mime_type("text/plain"),
    ]
}

/// Reads the text of the resource at the address `uri`.
pub(super) fn read_mcp_resource_text(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let contents =
        |text: String, kind| ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]);
    if uri == REFERENCE_URI {
        return Ok(contents(reference::tools_reference_markdown(), "text/markdown"));
    }
    let name = uri.strip_prefix(REFERENCE_URI).and_then(|rest| rest.strip_prefix('/'));
    match name.and_then(tool_by_name_or_alias) {
        Some(tool) => Ok(contents(tool.documentation_text(DocumentationMode::Full), "text/plain")),
        None => {
            let nearest_names = find_similar_names(name.unwrap_or(uri), all_tools().iter().map(|tool| tool.name), 1);
            let advice = match nearest_names.first() {
                Some(near) => format!("did you mean {REFERENCE_URI}/{near}?"),
                None => format!("{REFERENCE_URI} lists every tool"),
            };
            Err(ErrorData::resource_not_found(format!("no such resource: {advice}"), Some(json!({ "uri": uri }))))
        }
    }
}
