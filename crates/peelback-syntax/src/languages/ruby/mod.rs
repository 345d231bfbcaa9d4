//! The outline of Ruby files: classes, modules, methods, attributes, constants, and what files they load.

mod declarations;
mod grammar;
mod imports;
mod literals;
mod names;
mod project;
mod visibility;

use tree_sitter::Node;

use crate::facts::{Export, ExportKind, SymbolKind, Visibility};
use crate::frontend::{Attachment, LanguageFrontend, WalkStep};
use crate::outline::OutlineBuilder;
use crate::spec::{Analysis, Keywords, Language, NotebookSyntax, Tier};

pub(super) use grammar::GRAMMAR;

/// The keywords of Ruby.
pub(super) const KEYWORDS: Keywords = Keywords {
    definitions: &["class", "def", "module"],
    bindings: &[],
    modifiers: &["private", "protected", "public"],
    statements: &["if", "else", "for", "while", "case", "return", "until", "unless", "raise", "print", "require"],
};

pub(crate) static LANGUAGE: Language = Language {
    notebook: Some(NotebookSyntax { comment: "#", has_magics: false }),
    aliases: &["rb"],
    extensions: &["rb", "rake", "gemspec", "ru", "podspec", "jbuilder", "builder", "thor", "rabl", "ruby"],
    file_names: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Capfile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
        "Appfile",
        "Brewfile",
        "Thorfile",
        "Dangerfile",
    ],
    interpreters: &["ruby", "jruby"],
    family: Some("ruby"),
    keywords: KEYWORDS,
    standard_library: Some(is_standard_library_file),
    project_files: project::FILES,
    ..Language::new("ruby", Tier::Complete, Analysis::Frontend { grammar: GRAMMAR, frontend: &Ruby })
};

/// Whether a path that `require` is given belongs to the standard library of Ruby.
fn is_standard_library_file(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    matches!(
        first,
        "abbrev"
            | "base64"
            | "benchmark"
            | "bigdecimal"
            | "bundler"
            | "cgi"
            | "coverage"
            | "csv"
            | "date"
            | "delegate"
            | "digest"
            | "English"
            | "erb"
            | "etc"
            | "fcntl"
            | "fiber"
            | "fiddle"
            | "fileutils"
            | "find"
            | "forwardable"
            | "getoptlong"
            | "io"
            | "ipaddr"
            | "irb"
            | "json"
            | "logger"
            | "matrix"
            | "monitor"
            | "mutex_m"
            | "net"
            | "objspace"
            | "observer"
            | "open3"
            | "open-uri"
            | "openssl"
            | "optparse"
            | "ostruct"
            | "pathname"
            | "pp"
            | "prettyprint"
            | "prime"
            | "pstore"
            | "psych"
            | "pty"
            | "racc"
            | "rbconfig"
            | "readline"
            | "reline"
            | "resolv"
            | "ripper"
            | "rubygems"
            | "securerandom"
            | "set"
            | "shellwords"
            | "singleton"
            | "socket"
            | "stringio"
            | "strscan"
            | "syslog"
            | "tempfile"
            | "time"
            | "timeout"
            | "tmpdir"
            | "tsort"
            | "un"
            | "uri"
            | "weakref"
            | "win32ole"
            | "yaml"
            | "zlib"
    )
}

/// The reader of Ruby's syntax, which templates with Ruby code share.
pub(super) struct Ruby;

impl LanguageFrontend for Ruby {
    fn add_node_to_outline<'t>(&self, node: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
        match node.kind() {
            "class" => declarations::outline_type(SymbolKind::Class, node, builder),
            "module" => declarations::outline_type(SymbolKind::Module, node, builder),
            "singleton_class" => {
                if let Some(body) = node.child_by_field_name("body") {
                    visibility::read_named_visibilities_in_body(body, builder);
                }
                WalkStep::Descend
            }
            "method" | "singleton_method" => {
                if visibility::was_added(node, builder) {
                    return WalkStep::Descend;
                }
                declarations::outline_method(node, node, builder)
            }
            "alias" => declarations::outline_alias(node, builder),
            "assignment" | "operator_assignment" => declarations::outline_assignment(node, builder),
            "call" => outline_call(node, builder),
            // The comments above the first statement of a body stand before the body.
            "body_statement" | "block_body" | "then" => WalkStep::DescendKeepingAttachments,
            "identifier" => {
                visibility::read_visibility_word(node, builder);
                WalkStep::Skip
            }
            "lambda" => {
                let block = node.child_by_field_name("body").filter(|block| block.kind() == "do_block");
                if let Some(body) = block.and_then(|block| block.child_by_field_name("body")) {
                    builder.fold_node_as_body(body);
                }
                builder.open_local_scope_without_symbol();
                WalkStep::Descend
            }
            // Nodes of these kinds contain no definitions.
            "string" | "symbol_array" | "string_array" | "simple_symbol" | "hash" | "superclass" | "regex"
            | "method_parameters" | "heredoc_body" | "scope_resolution" => WalkStep::Skip,
            _ => WalkStep::Descend,
        }
    }

    fn is_descend_only_node_kind(&self, kind: &str) -> bool {
        matches!(
            kind,
            "program"
                | "do_block"
                | "block"
                | "argument_list"
                | "constant"
                | "instance_variable"
                | "if"
                | "unless"
                | "else"
                | "begin"
                | "binary"
                | "pair"
                | "array"
                | "integer"
                | "self"
                | "nil"
                | "true"
                | "false"
        )
    }

    fn comment_or_decorator_role_of_kind(&self, kind: &str) -> Option<Attachment> {
        (kind == "comment").then_some(Attachment::Comment)
    }

    /// The text of a comment without its marks. Comments that are directives for programs document nothing.
    fn doc_comment_text<'a>(&self, comment: &'a str) -> Option<&'a str> {
        if let Some(block) = comment.strip_prefix("=begin") {
            let end = block.rfind("=end").unwrap_or(block.len());
            return block.get(..end).map(str::trim);
        }
        let text = comment.trim_start_matches('#');
        if comment.starts_with("#!") || is_magic_comment(text) {
            return None;
        }
        let is_directive = ["rubocop:", "standard:", ":nodoc:", ":startdoc:", ":stopdoc:", "steep:", "frozen-"]
            .iter()
            .any(|mark| text.trim_start().starts_with(mark));
        Some(if is_directive { "" } else { text.trim_start_matches(['-', '=', '~', '*', '+']) })
    }

    fn bind_names(&self, root: Node<'_>, builder: &mut crate::names::NamesBuilder<'_>) -> bool {
        names::bind_names_in_file(root, builder);
        true
    }

    fn add_exports_known_at_file_end(&self, builder: &mut OutlineBuilder<'_, '_>) {
        let exports: Vec<Export> = builder
            .top_level_symbols()
            .filter(|symbol| {
                symbol.visibility != Visibility::Private
                    && !symbol.local
                    && matches!(
                        symbol.kind,
                        SymbolKind::Class | SymbolKind::Module | SymbolKind::Constant | SymbolKind::Function
                    )
            })
            .map(|symbol| Export { name: symbol.name.clone(), kind: ExportKind::Named, line: symbol.lines.first })
            .collect();
        builder.exports = exports;
    }

    #[cfg(test)]
    fn node_kinds_used_by_frontend(&self) -> Vec<&'static str> {
        vec![
            "class",
            "module",
            "singleton_class",
            "method",
            "singleton_method",
            "alias",
            "assignment",
            "operator_assignment",
            "call",
            "identifier",
            "lambda",
            "string",
            "symbol_array",
            "string_array",
            "simple_symbol",
            "delimited_symbol",
            "bare_symbol",
            "bare_string",
            "string_content",
            "hash_key_symbol",
            "hash",
            "superclass",
            "regex",
            "method_parameters",
            "heredoc_body",
            "scope_resolution",
            "comment",
            "body_statement",
            "block_body",
            "then",
            "do_block",
            "constant",
            "class_variable",
            "global_variable",
            "program",
            "array",
        ]
    }
}

/// Whether the text of a comment is a setting of the file: `frozen_string_literal: true`.
fn is_magic_comment(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("-*-").trim_start();
    ["frozen_string_literal:", "encoding:", "coding:", "warn_indent:", "shareable_constant_value:", "typed:"]
        .iter()
        .any(|mark| text.starts_with(mark))
}

/// Methods whose blocks are code without a name; a skeleton folds them.
fn runs_block_later(method: &str) -> bool {
    matches!(
        method,
        "it" | "specify"
            | "example"
            | "scenario"
            | "test"
            | "should"
            | "before"
            | "after"
            | "around"
            | "let"
            | "let!"
            | "subject"
            | "setup"
            | "teardown"
            | "task"
            | "lambda"
            | "proc"
            | "get"
            | "post"
            | "put"
            | "patch"
            | "delete"
            | "head"
            | "options"
    )
}

fn outline_call<'t>(call: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> WalkStep {
    let block = call.child_by_field_name("block");
    let method = call.child_by_field_name("method").filter(|method| method.kind() == "identifier");
    let name = method.map_or("", |method| builder.text_of_node(method));
    let has_receiver = call.child_by_field_name("receiver").is_some();
    if !has_receiver {
        if imports::LOADING_WORDS.contains(&name) {
            imports::add_import(call, name, builder);
            return WalkStep::Skip;
        }
        if let Some(definition) = visibility::mark_wrapped_definition(call, builder) {
            return declarations::outline_method(definition, call, builder);
        }
        if let Some(defining) = literals::defining_call(name) {
            return declarations::outline_defining_call(call, defining, builder);
        }
    }
    let Some(block) = block else { return WalkStep::Descend };
    // The blocks of these calls are the bodies of classes.
    let is_type_body = literals::maker_of_type(call, builder.source).is_some()
        || matches!(
            name,
            "class_methods" | "included" | "prepended" | "refine" | "class_eval" | "module_eval" | "class_exec"
        );
    if runs_block_later(name)
        && block.kind() == "do_block"
        && let Some(body) = block.child_by_field_name("body")
    {
        builder.fold_node_as_body(body);
    }
    if !is_type_body {
        builder.open_local_scope_without_symbol();
    }
    WalkStep::Descend
}
