//! Text forms of a binder's results, which tests compare.

use super::{BindingId, Expr, ExprId, Names, ScopeId, ScopeKind, SubscriptKey, Target};

/// The occurrences of a file's names as text, without definitions. Each occurrence is one line:
/// `line name role target`.
pub(crate) fn format_non_definition_occurrences(names: &Names) -> String {
    let mut out = String::new();
    for occurrence in &names.occurrences {
        let role = occurrence.role.as_str();
        if role == "definition" {
            continue;
        }
        let target_text = match occurrence.target {
            Target::Binding(binding) => format_binding(names, binding),
            Target::Expr(expr) => format_expr(names, expr),
            Target::Imported(import, name) => {
                let source = names.name_text(names.imports[import as usize].source);
                name.map_or(source.to_owned(), |name| format!("{source}:{}", names.name_text(name)))
            }
            Target::Parameter { callee } => format!("parameter of {}", format_expr(names, callee)),
            Target::Unknown => "?".to_owned(),
        };
        out.push_str(&format!("{} {} {role} {target_text}\n", occurrence.line, names.name_text(occurrence.name)));
    }
    out
}

/// The lines of [`format_non_definition_occurrences`] for one name, without the name itself.
pub(crate) fn format_uses_of_name(names: &Names, name: &str) -> Vec<String> {
    format_non_definition_occurrences(names)
        .lines()
        .filter(|line| line.split(' ').nth(1) == Some(name))
        .map(|line| line.replacen(&format!(" {name} "), " ", 1))
        .collect()
}

/// A binding as text, in the form `name@line`.
fn format_binding(names: &Names, id: BindingId) -> String {
    let binding = &names.bindings[id as usize];
    let at = names.occurrences.iter().find(|occurrence| occurrence.at == binding.at);
    match at {
        Some(at) => format!("{}@{}", names.name_text(binding.name), at.line),
        None => format!("{}@", names.name_text(binding.name)),
    }
}

/// An expression as text. Names of the file are shown with the bindings to which they resolve.
pub(crate) fn format_expr(names: &Names, id: ExprId) -> String {
    let list =
        |span| names.expr_ids_in_list_range(span).iter().map(|part| format_expr(names, *part)).collect::<Vec<_>>();
    match names.expr_by_id(id) {
        Expr::Name { name, scope, at } => match look_up_binding_of_name(names, name, scope, at) {
            Some(binding) => format_binding(names, binding),
            None => names.name_text(name).to_owned(),
        },
        Expr::Member { base, name, .. } => format!("{}.{}", format_expr(names, base), names.name_text(name)),
        Expr::Call { callee } => format!("{}()", format_expr(names, callee)),
        Expr::Instance { of } => format!("<{}>", format_expr(names, of)),
        Expr::Matched { value, of } => format!("<{} = {}>", format_expr(names, of), format_expr(names, value)),
        Expr::TypeOf { of } => format!("typeof {}", format_expr(names, of)),
        Expr::Element { of } => format!("{}[]", format_expr(names, of)),
        Expr::Subscript { of, key } => format!("{}[{}]", format_expr(names, of), format_key(key)),
        Expr::Fallback { value, other } => format!("{} ?? {}", format_expr(names, value), format_expr(names, other)),
        Expr::Item { of, index } => format!("{}[{index}]", format_expr(names, of)),
        Expr::Given { callee, argument, parameter } => {
            format!("{}({argument}: {parameter})", format_expr(names, callee))
        }
        Expr::Applied { callee, args } => format!("{}({})", format_expr(names, callee), list(args).join(", ")),
        Expr::MacroCall { callee, args } => format!("{}!({})", format_expr(names, callee), list(args).join(", ")),
        Expr::MacroArgument { index, .. } => format!("${index}"),
        Expr::Argument { of, index } => format!("argument {index} of {}", format_expr(names, of)),
        Expr::Generic { base, args } => {
            format!("{}[{}]", base.map_or(String::new(), |base| format_expr(names, base)), list(args).join(", "))
        }
        Expr::Either(span) => list(span).join(" | "),
        Expr::Tuple(span) => format!("({})", list(span).join(", ")),
        Expr::This { .. } => "this".to_owned(),
        Expr::ThisType { .. } => "This".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Object { scope } => {
            let members = names.bindings.iter().filter(|binding| binding.scope == scope);
            format!("{{{}}}", members.map(|binding| names.name_text(binding.name)).collect::<Vec<_>>().join(", "))
        }
        Expr::Function { binding } => match names.bindings[binding as usize].annotation {
            Some(result) => format!("func -> {}", format_expr(names, result)),
            None => "func".to_owned(),
        },
        Expr::Bound { binding } => format_binding(names, binding),
        Expr::Imported { import } => names.name_text(names.imports[import as usize].source).to_owned(),
        Expr::Unknown => "?".to_owned(),
    }
}

/// The index of a subscript: `:` for a range, `_` for anything else, `?` where it may be either.
pub(crate) fn format_key(key: SubscriptKey) -> &'static str {
    match key {
        SubscriptKey::Slice => ":",
        SubscriptKey::Item => "_",
        SubscriptKey::Unknown(_) => "?",
    }
}

/// The binding to which a bare name resolves, by the look-up rules of [`Names`].
fn look_up_binding_of_name(names: &Names, name: u32, scope: ScopeId, at: u32) -> Option<BindingId> {
    let mut next = Some(scope);
    while let Some(here) = next {
        let current_scope = &names.scopes[here as usize];
        next = current_scope.parent;
        if current_scope.kind == ScopeKind::Type && here != scope {
            continue;
        }
        let all = (0..).zip(&names.bindings).filter(|(_, binding)| binding.scope == here && binding.name == name);
        let seen = all.filter(|(_, binding)| binding.visible_from <= at);
        if let Some((id, _)) = seen.max_by_key(|(_, binding)| binding.visible_from) {
            return Some(id);
        }
    }
    None
}
