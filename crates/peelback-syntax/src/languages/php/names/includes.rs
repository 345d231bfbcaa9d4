//! The files that PHP code includes by constant paths.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, ModuleImportKind, NamesBuilder, ScopeId};

/// The limit on the number of parts of a path that is put together.
const MAX_PARTS: usize = 16;

/// A path that an expression makes.
struct IncludedPath {
    text: String,
    /// Whether the path begins in the folder of the file itself.
    is_relative_to_file: bool,
}

impl<'t> Binder<'t> {
    /// Records what `include`, `require` and the like name, and returns the value of the expression, which is not known.
    pub(super) fn bind_include(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(named) = self.first_named_child(node) else { return builder.unknown_expr() };
        self.value(named, scope, builder);
        let Some(path) = self.included_path(named, builder).filter(|path| !path.text.is_empty()) else {
            return builder.unknown_expr();
        };
        let text = match path.is_relative_to_file {
            true => format!("./{}", path.text.trim_start_matches('/')),
            false => path.text,
        };
        let source = builder.intern_constructed_text(&text);
        let import = builder.add_import(ModuleImportKind::Include, source, scope, node);
        builder.import_mut(import).special = path.is_relative_to_file;
        builder.add_expr(Expr::Unknown)
    }

    fn included_path(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<IncludedPath> {
        let mut parts = vec![node];
        let mut found = IncludedPath { text: String::new(), is_relative_to_file: false };
        // The parts of the path from left to right; what is not constant at its start is left out.
        for _ in 0..MAX_PARTS {
            let Some(part) = parts.pop() else { return Some(found) };
            match self.kind(part) {
                Kind::ParenthesizedExpression => parts.extend(self.first_named_child(part)),
                Kind::BinaryExpression if self.operator_text(part, builder) == "." => {
                    parts.extend(self.field(part, self.grammar.right));
                    parts.extend(self.field(part, self.grammar.left));
                }
                Kind::String | Kind::EncapsedString => {
                    let content = self.content_of_string(part, builder)?;
                    found.text.push_str(builder.text_of_node(content));
                }
                _ if !found.text.is_empty() => return None,
                Kind::Name => match builder.text_of_node(part) {
                    "__DIR__" => found.is_relative_to_file = true,
                    "DIRECTORY_SEPARATOR" => found.text.push('/'),
                    _ => {}
                },
                Kind::FunctionCallExpression => {
                    found.text.push_str(&self.folder_above(part, builder)?);
                    found.is_relative_to_file = true;
                }
                _ => return None,
            }
        }
        None
    }

    /// The path from the folder of the file to `dirname(__FILE__)`, `dirname(__DIR__)` or `dirname(__DIR__, 2)`.
    fn folder_above(&mut self, mut call: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<String> {
        let mut levels = 0_usize;
        for _ in 0..MAX_PARTS {
            let function = self.field(call, self.grammar.function)?;
            if !builder.text_of_node(function).trim_start_matches('\\').eq_ignore_ascii_case("dirname") {
                return None;
            }
            let list = self.field(call, self.grammar.arguments)?;
            let arguments = self.named_children(list, builder);
            let count = match arguments.get(1) {
                Some(count) => {
                    builder.text_of_node(*count).trim().parse::<usize>().ok().filter(|count| *count < MAX_PARTS)?
                }
                None => 1,
            };
            levels += count;
            let of = self.value_of_argument(*arguments.first()?)?;
            match self.kind(of) {
                Kind::FunctionCallExpression => call = of,
                Kind::Name => {
                    let inner = match builder.text_of_node(of) {
                        "__DIR__" => levels,
                        "__FILE__" => levels.saturating_sub(1),
                        _ => return None,
                    };
                    return Some("../".repeat(inner).trim_end_matches('/').to_owned());
                }
                _ => return None,
            }
        }
        None
    }
}
