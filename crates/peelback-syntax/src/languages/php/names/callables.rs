//! Names in PHP's strings and arrays that stand for functions and methods: `[$this, 'run']`, `'Foo::run'`, and the names of
//! constants that `define` makes. What such a callable means is inferred, never certain.

use tree_sitter::Node;

use super::paths::Place;
use super::state::PathKind;
use super::{Binder, Kind};
use crate::names::{
    BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, ScopeId, Target, first_line_number_of_node,
};

/// Functions of the language that take a function, with its place among the arguments.
const FUNCTIONS_THAT_TAKE_FUNCTION: &[(&str, usize)] = &[
    ("array_filter", 1),
    ("array_map", 0),
    ("array_reduce", 1),
    ("array_walk", 1),
    ("call_user_func", 0),
    ("call_user_func_array", 0),
    ("is_callable", 0),
    ("ob_start", 0),
    ("preg_replace_callback", 1),
    ("register_shutdown_function", 0),
    ("set_error_handler", 0),
    ("set_exception_handler", 0),
    ("spl_autoload_register", 0),
    ("uasort", 1),
    ("uksort", 1),
    ("usort", 1),
];

impl<'t> Binder<'t> {
    /// The value of an array that stands for a method: `[$this, 'run']`, `[Foo::class, 'run']`; `None` for other arrays.
    pub(super) fn callable_array_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if node.named_child_count() != 2 {
            return None;
        }
        let elements = self.named_children(node, builder);
        let [first, second] = elements.as_slice() else { return None };
        let (first, second) = (self.only_part(*first, builder)?, self.only_part(*second, builder)?);
        let content = self.content_of_string(second, builder)?;
        let name = builder.text_of_node(content);
        if !is_identifier(name) {
            return None;
        }
        let is_object = match self.kind(first) {
            Kind::VariableName => builder.text_of_node(first) == "$this" || self.holds_new_object(first, builder),
            Kind::ClassConstantAccessExpression => builder.text_of_node(first).ends_with("::class"),
            Kind::ObjectCreationExpression | Kind::MemberAccessExpression => true,
            _ => false,
        };
        if !is_object {
            return None;
        }
        let object = self.value(first, scope, builder);
        let base = inferred(object, builder);
        Some(builder.record_member_use(base, content, Role::Read))
    }

    /// Whether a variable is known to hold an object that was made here.
    fn holds_new_object(&mut self, variable: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let name = builder.name_id_of_node(variable);
        let value = self.current_value(name).map(|value| builder.names.expr_by_id(value));
        matches!(value, Some(Expr::Call { .. } | Expr::Instance { .. }))
    }

    /// The only expression in an element of an array, if it has no key.
    fn only_part(&mut self, element: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        if self.kind(element) != Kind::ArrayElementInitializer {
            return Some(element);
        }
        match self.named_children(element, builder).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The text of a string without quotes, if it has no escapes.
    pub(super) fn content_of_string(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<Node<'t>> {
        if !matches!(self.kind(node), Kind::String | Kind::EncapsedString) {
            return None;
        }
        match self.named_children(node, builder).as_slice() {
            [only] if self.kind(*only) == Kind::StringContent => Some(*only),
            _ => None,
        }
    }

    /// The class that a string names by its full path, whose use is recorded; `None` for strings that are no paths.
    pub(super) fn class_named_by_string(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        let content = self.content_of_string(node, builder)?;
        let text = builder.text_of_node(content);
        let path = text.replace("\\\\", "\\");
        if !path.contains('\\') || !path.trim_start_matches('\\').split('\\').all(is_identifier) {
            return None;
        }
        let last = text.rsplit('\\').next().unwrap_or(text);
        let at = content.start_byte() + text.len() - last.len();
        let line = first_line_number_of_node(content);
        let of = self.qualified_expr(&absolute(&path), PathKind::Class, Place { at, line }, builder);
        let name = builder.name_id_of_source_range(at..at + last.len());
        builder.record_occurrence_at_offset(name, at, line, Role::Type, Target::Expr(of));
        Some(of)
    }

    /// Records functions and methods that strings among the arguments of a function of the language name.
    pub(super) fn note_callable_strings(
        &mut self,
        function: &str,
        arguments: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let Some((_, place)) = FUNCTIONS_THAT_TAKE_FUNCTION.iter().find(|(known, _)| *known == function) else {
            return;
        };
        let parts = self.named_children(arguments, builder);
        let Some(argument) = parts.get(*place).and_then(|argument| self.value_of_argument(*argument)) else { return };
        let Some(content) = self.content_of_string(argument, builder) else { return };
        let text = builder.text_of_node(content);
        let line = first_line_number_of_node(content);
        let start = content.start_byte();
        // A backslash is written twice in most strings.
        let path = |text: &str| text.replace("\\\\", "\\");
        if let Some((class, method)) = text.split_once("::") {
            let last = class.rsplit('\\').next().unwrap_or(class);
            if !is_identifier(last) || !is_identifier(method) {
                return;
            }
            let at = start + class.len() - last.len();
            let of = self.qualified_expr(&absolute(&path(class)), PathKind::Class, Place { at, line }, builder);
            let name = builder.name_id_of_source_range(at..at + last.len());
            let target = inferred(of, builder);
            builder.record_occurrence_at_offset(name, at, line, Role::Type, Target::Expr(of));
            let method_at = start + class.len() + "::".len();
            let name = builder.name_id_of_source_range(method_at..method_at + method.len());
            let at = u32::try_from(method_at).unwrap_or(u32::MAX);
            let member = builder.add_expr(Expr::Member { base: target, name, at });
            builder.record_occurrence_at_offset(name, method_at, line, Role::Read, Target::Expr(member));
            return;
        }
        let last = text.rsplit('\\').next().unwrap_or(text);
        if is_identifier(last) {
            let at = start + text.len() - last.len();
            let of = self.qualified_expr(&absolute(&path(text)), PathKind::Function, Place { at, line }, builder);
            let name = builder.name_id_of_source_range(at..at + last.len());
            builder.record_occurrence_at_offset(name, at, line, Role::Read, Target::Expr(of));
        }
    }

    /// Binds the constant that `define('NAME', …)` makes.
    pub(super) fn bind_defined_constant(&mut self, arguments: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let first = self.first_named_child(arguments).and_then(|first| self.value_of_argument(first));
        let Some(content) = first.and_then(|first| self.content_of_string(first, builder)) else { return };
        if is_identifier(builder.text_of_node(content)) {
            let constant = builder.add_binding_with_definition(FILE_SCOPE, BindingKind::Variable, content);
            builder.binding_mut(constant).constant = true;
        }
    }
}

/// The value `of`, as one that is inferred.
fn inferred(of: ExprId, builder: &mut NamesBuilder<'_>) -> ExprId {
    if of == builder.unknown_expr() {
        return of;
    }
    let items = builder.add_expr_list(&[of]);
    let held = builder.add_expr(Expr::Tuple(items));
    builder.add_expr(Expr::Element { of: held })
}

/// A path from the global namespace, where a string names it.
fn absolute(path: &str) -> String {
    match path.starts_with('\\') {
        true => path.to_owned(),
        false => format!("\\{path}"),
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}
