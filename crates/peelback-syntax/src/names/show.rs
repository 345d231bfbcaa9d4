//! A text form of a binder's results, for tests.

use super::{BindingId, Expr, ExprId, Names, ScopeId, ScopeKind, Target};

/// All occurrences except definitions, one on a line: `line name role target`.
pub(crate) fn occurrences(names: &Names) -> String {
    let mut out = String::new();
    for occurrence in &names.occurrences {
        let role = occurrence.role.as_str();
        if role == "definition" {
            continue;
        }
        let means = match occurrence.target {
            Target::Binding(binding) => binding_text(names, binding),
            Target::Expr(expr) => text(names, expr),
            Target::Imported(import, name) => {
                let source = names.text(names.imports[import as usize].source);
                name.map_or(source.to_owned(), |name| format!("{source}:{}", names.text(name)))
            }
            Target::Parameter { callee } => format!("parameter of {}", text(names, callee)),
            Target::Unknown => "?".to_owned(),
        };
        out.push_str(&format!("{} {} {role} {means}\n", occurrence.line, names.text(occurrence.name)));
    }
    out
}

/// The lines of [`occurrences`] for one name, without the name itself.
pub(crate) fn uses(names: &Names, name: &str) -> Vec<String> {
    occurrences(names)
        .lines()
        .filter(|line| line.split(' ').nth(1) == Some(name))
        .map(|line| line.replacen(&format!(" {name} "), " ", 1))
        .collect()
}

/// The position of a binding in the form `name@line`.
fn binding_text(names: &Names, id: BindingId) -> String {
    let binding = &names.bindings[id as usize];
    let at = names.occurrences.iter().find(|occurrence| occurrence.at == binding.at);
    match at {
        Some(at) => format!("{}@{}", names.text(binding.name), at.line),
        None => format!("{}@", names.text(binding.name)),
    }
}

/// An expression as text; names of the file are resolved by the rules of the model.
pub(crate) fn text(names: &Names, id: ExprId) -> String {
    let list = |span| names.list(span).iter().map(|part| text(names, *part)).collect::<Vec<_>>();
    match names.expr(id) {
        Expr::Name { name, scope, at } => match look_up(names, name, scope, at) {
            Some(binding) => binding_text(names, binding),
            None => names.text(name).to_owned(),
        },
        Expr::Member { base, name, .. } => format!("{}.{}", text(names, base), names.text(name)),
        Expr::Call { callee } => format!("{}()", text(names, callee)),
        Expr::Instance { of } => format!("<{}>", text(names, of)),
        Expr::TypeOf { of } => format!("typeof {}", text(names, of)),
        Expr::Element { of } => format!("{}[]", text(names, of)),
        Expr::Item { of, index } => format!("{}[{index}]", text(names, of)),
        Expr::Given { callee, argument, parameter } => format!("{}({argument}: {parameter})", text(names, callee)),
        Expr::Applied { callee, args } => format!("{}({})", text(names, callee), list(args).join(", ")),
        Expr::Argument { of, index } => format!("argument {index} of {}", text(names, of)),
        Expr::Generic { base, args } => {
            format!("{}[{}]", base.map_or(String::new(), |base| text(names, base)), list(args).join(", "))
        }
        Expr::Either(span) => list(span).join(" | "),
        Expr::Tuple(span) => format!("({})", list(span).join(", ")),
        Expr::This { .. } => "this".to_owned(),
        Expr::ThisType { .. } => "This".to_owned(),
        Expr::Super { .. } => "super".to_owned(),
        Expr::Object { scope } => {
            let members = names.bindings.iter().filter(|binding| binding.scope == scope);
            format!("{{{}}}", members.map(|binding| names.text(binding.name)).collect::<Vec<_>>().join(", "))
        }
        Expr::Function { binding } => match names.bindings[binding as usize].annotation {
            Some(result) => format!("func -> {}", text(names, result)),
            None => "func".to_owned(),
        },
        Expr::Bound { binding } => binding_text(names, binding),
        Expr::Imported { import } => names.text(names.imports[import as usize].source).to_owned(),
        Expr::Unknown => "?".to_owned(),
    }
}

/// The binding to which a bare name resolves by the rules of the model.
fn look_up(names: &Names, name: u32, scope: ScopeId, at: u32) -> Option<BindingId> {
    let mut next = Some(scope);
    while let Some(here) = next {
        let held = &names.scopes[here as usize];
        next = held.parent;
        if held.kind == ScopeKind::Type && here != scope {
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
