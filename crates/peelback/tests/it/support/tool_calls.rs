//! How tests call each tool: the one list of tools in the tests of this crate.

use peelback_tools::{AnyTool, all_tools};
use serde_json::{Value, json};

/// A call whose answer has rows.
pub struct CallWithRows {
    pub tool: &'static str,
    pub arguments: Value,
    /// The array of the JSON answer that holds the rows.
    pub array: &'static str,
    /// The fields that tell one row from another; none where a row is a path.
    pub fields: &'static [&'static str],
}

/// How tests call one tool.
#[derive(Default)]
pub struct ToolCalls {
    /// A call in the small project of `mcp::corpus`, as arguments and as a command line. `None` where the command line
    /// does not print what the protocol answers.
    pub small: Option<(Value, &'static str)>,
    /// Calls in the large project of `agents::properties`, each far over a budget of some hundred tokens.
    pub large: Vec<Value>,
    /// Calls in this repository; `None` where the tool's answers have no pages.
    pub pages: Option<CallsWithPages>,
    /// Calls with rows in each random project of `agents::properties`, in whose root the file `PATH` stands. A random
    /// project may have no file there; the calls that name it are left out then.
    pub random: Vec<CallWithRows>,
}

/// Calls in this repository.
pub struct CallsWithPages {
    /// A call that overflows by a few pages.
    pub overflow: CallWithRows,
    /// A call whose answer is below its limits.
    pub whole: Value,
}

/// Stands for the path of a file in the calls of random projects.
pub const PATH: &str = "PATH";

/// How tests call a tool.
///
/// # Panics
/// Where the list lacks the tool.
pub fn calls_of(tool: &AnyTool) -> ToolCalls {
    let name = tool.name;
    let rows = |arguments: Value, array: &'static str, fields: &'static [&'static str]| CallWithRows {
        tool: name,
        arguments,
        array,
        fields,
    };
    let pages = |overflow: CallWithRows, whole: Value| Some(CallsWithPages { overflow, whole });
    match name {
        "tree" => ToolCalls {
            small: Some((json!({}), "tree")),
            large: vec![json!({})],
            pages: pages(
                rows(json!({ "path": "crates/peelback-syntax", "limit": 40, "depth": 4 }), "entries", &["path"]),
                json!({ "path": ".ci" }),
            ),
            random: vec![rows(json!({ "depth": 3 }), "entries", &["path"])],
        },
        "find_files" => ToolCalls {
            small: Some((json!({ "query": "cart total" }), "find-files cart total")),
            large: vec![json!({ "query": "cart method", "detail_level": "full" })],
            pages: pages(
                rows(
                    json!({ "query": "symbol outline of a language", "scope": "crates/peelback-tools", "limit": 15 }),
                    "files",
                    &["path"],
                ),
                json!({ "query": "bloom" }),
            ),
            random: vec![rows(json!({ "query": "item value" }), "files", &["path"])],
        },
        "search" => ToolCalls {
            small: Some((json!({ "query": "cart total" }), "search cart total")),
            large: vec![json!({ "query": "cart method", "detail_level": "full" })],
            pages: pages(
                rows(
                    json!({ "query": "symbol outline of a language", "scope": "crates/peelback-tools/src/tools/profile" }),
                    "results",
                    &["path", "line"],
                ),
                json!({ "query": "main", "scope": "crates/peelback/src/main.rs" }),
            ),
            random: vec![rows(json!({ "query": "item value" }), "results", &["id"])],
        },
        "grep" => ToolCalls {
            small: Some((json!({ "pattern": "items", "context": 1 }), "grep items --context 1")),
            large: vec![json!({ "pattern": "item", "context": 1 })],
            pages: pages(
                rows(
                    json!({ "pattern": "symbol", "scope": "crates/peelback-tools/src/tools", "limit": 150, "no_owners": true }),
                    "matches",
                    &["path", "line"],
                ),
                json!({ "pattern": "smooth_sort_of_nothing_else", "scope": ["crates/peelback/tests/it/agents"] }),
            ),
            random: vec![rows(json!({ "pattern": "value", "no_owners": true }), "matches", &["path", "line"])],
        },
        "outline" => ToolCalls {
            small: Some((json!({ "path": "src" }), "outline src")),
            large: vec![json!({})],
            pages: pages(
                rows(json!({ "path": "crates/peelback-tools/src", "limit": 30 }), "files", &["path"]),
                json!({ "path": "crates/peelback/src/main.rs" }),
            ),
            random: vec![rows(json!({}), "files", &["path"]), rows(json!({ "path": PATH }), "symbols", &["id"])],
        },
        "find_symbols" => ToolCalls {
            small: Some((json!({ "name": "total", "include_body": true }), "find-symbols total --include-body")),
            large: vec![json!({ "name": "method", "include_body": true })],
            pages: pages(
                rows(json!({ "name": "outline" }), "symbols", &["id"]),
                json!({ "name": "PageLimiter", "match": "exact" }),
            ),
            random: vec![rows(json!({ "name": "item" }), "symbols", &["id"])],
        },
        "read_symbol" => ToolCalls {
            small: Some((json!({ "path": "src/cart.py", "name": "Cart.add" }), "read-symbol src/cart.py Cart.add")),
            large: vec![json!({ "name": "method_3" })],
            pages: pages(
                rows(json!({ "name": "drop", "limit": 3 }), "symbols", &["id"]),
                json!({ "name": "PageLimiter" }),
            ),
            random: Vec::new(),
        },
        "read_lines" => ToolCalls {
            small: Some((json!({ "path": "src/cart.py", "ranges": ["3-5"] }), "read-lines src/cart.py 3-5")),
            large: vec![json!({ "path": "shop/part_1/module_1.py" })],
            pages: pages(
                rows(
                    json!({ "path": "crates/peelback-syntax/src/walk.rs", "limit": 100 }),
                    "ranges",
                    &["line", "line_end"],
                ),
                json!({ "path": "crates/peelback/src/main.rs" }),
            ),
            random: vec![rows(json!({ "path": PATH }), "ranges", &["line", "line_end"])],
        },
        "find_references" => ToolCalls {
            small: Some((json!({ "name": "Cart" }), "find-references Cart")),
            large: vec![json!({ "name": "method_3", "confidence": "name" })],
            pages: pages(
                rows(json!({ "name": "Lines", "limit": 20 }), "references", &["path", "line", "column"]),
                json!({ "path": "crates/peelback-resolve/src/graph/query.rs", "name": "is_program" }),
            ),
            random: Vec::new(),
        },
        "dependencies" => ToolCalls {
            small: Some((json!({ "path": "src/cart.py" }), "dependencies src/cart.py")),
            large: vec![json!({ "path": "shop/part_1/module_1.py" }), json!({ "path": "shop", "depth": 2 }), json!({})],
            pages: pages(
                rows(
                    json!({ "path": "crates/peelback-tools/src/call.rs", "direction": "incoming", "limit": 8 }),
                    "incoming",
                    &[],
                ),
                json!({ "path": "crates/peelback/src/main.rs" }),
            ),
            random: vec![rows(json!({ "path": PATH, "direction": "incoming" }), "incoming", &[])],
        },
        "read_file" => ToolCalls {
            small: Some((json!({ "path": "src/cart.py" }), "read-file src/cart.py")),
            large: vec![json!({ "path": "shop/part_1/module_1.py" })],
            pages: pages(
                rows(
                    json!({ "path": "crates/peelback-syntax/src/walk.rs", "raw": true, "limit": 100 }),
                    "ranges",
                    &["line", "line_end"],
                ),
                json!({ "path": "crates/peelback/src/main.rs" }),
            ),
            random: Vec::new(),
        },
        // The document is made for its budget. On the command line it is written into a file.
        "scope" => {
            ToolCalls { large: vec![json!({ "question": "how does the cart method work" })], ..ToolCalls::default() }
        }
        "context" => ToolCalls { large: vec![json!({})], ..ToolCalls::default() },
        "search_tools" => ToolCalls {
            small: Some((json!({ "query": "grep" }), "search-tools grep")),
            large: vec![json!({})],
            pages: pages(rows(json!({ "limit": 2 }), "tools", &["name"]), json!({ "query": "grep" })),
            random: Vec::new(),
        },
        other => panic!("add the calls of {other} to {}", file!()),
    }
}

/// The calls in the small project of `mcp::corpus`: tool, arguments, the same as a command line.
pub fn calls_in_small_project() -> Vec<(&'static str, Value, &'static str)> {
    let with_call = all_tools().iter().filter_map(|tool| Some((tool.name, calls_of(tool).small?)));
    with_call.map(|(tool, (arguments, line))| (tool, arguments, line)).collect()
}

/// The tools whose answers have pages, with their calls in this repository.
pub fn calls_with_pages() -> Vec<(&'static AnyTool, CallsWithPages)> {
    all_tools().iter().filter_map(|tool| Some((tool, calls_of(tool).pages?))).collect()
}

/// The keys of an answer's rows; a range of lines counts as that many rows.
pub fn keys_of_rows(answer: &Value, array: &str, fields: &[&str]) -> Vec<String> {
    let rows = answer[array].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter()
        .filter(|row| row["is_context"] != true)
        .flat_map(|row| match fields {
            ["line", "line_end"] => {
                let lines = row["line"].as_u64().expect("a line")..=row["line_end"].as_u64().expect("a line");
                lines.map(|line| line.to_string()).collect::<Vec<_>>()
            }
            [] => vec![row.to_string()],
            _ => vec![fields.iter().map(|field| row[*field].to_string()).collect::<Vec<_>>().join(":")],
        })
        .collect()
}
