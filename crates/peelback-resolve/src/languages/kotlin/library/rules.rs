//! The rules of functions and properties of Kotlin's standard library.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The rules, a line each; the lines at the top of the file say how they are written.
const RULES: &str = include_str!("rules.txt");

/// What a rule says of a result, or of what a lambda is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spec {
    Receiver,
    TypeArgument(usize),
    Argument(usize),
    ElementOfArgument(usize),
    ElementsOfArguments,
    /// A type argument that the call has, or else the type of its arguments.
    CallTypeArgument(usize),
    Result,
    ElementOfResult,
    Named(&'static str, Vec<Spec>),
}

/// What is known of a function or property.
#[derive(Debug)]
pub(super) struct Rule {
    /// What a lambda is given.
    pub given: Vec<Spec>,
    /// What `this` is in a lambda.
    pub this: Option<Spec>,
    /// What is returned; `None` if nothing is known of it.
    pub result: Option<Spec>,
}

static RULES_BY_TYPE: LazyLock<HashMap<&'static str, HashMap<&'static str, Rule>>> = LazyLock::new(|| {
    let mut by_type: HashMap<&str, HashMap<&str, Rule>> = HashMap::new();
    for line in RULES.lines() {
        let Some((head, result)) = line.split_once(" -> ").filter(|_| !line.starts_with("//")) else { continue };
        let (path, given) = head.split_once(' ').unwrap_or((head, ""));
        let Some((name, methods)) = path.split_once('.') else { continue };
        for method in methods.split(',') {
            let rule = Rule {
                given: given.strip_prefix(':').map_or_else(Vec::new, parse_specs),
                this: given.strip_prefix("this=").and_then(parse_spec),
                result: parse_spec(result),
            };
            by_type.entry(name).or_default().entry(method).or_insert(rule);
        }
    }
    by_type
});

/// Parses specs that commas separate. Commas inside angle brackets belong to one spec.
fn parse_specs(text: &'static str) -> Vec<Spec> {
    let (mut specs, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                specs.extend(text.get(start..at).and_then(parse_spec));
                start = at + 1;
            }
            _ => {}
        }
    }
    specs.extend(text.get(start..).and_then(parse_spec));
    specs
}

fn parse_spec(text: &'static str) -> Option<Spec> {
    let numbered = |mark: &str| text.strip_prefix(mark).and_then(|number| number.parse::<usize>().ok());
    match text {
        "S" => return Some(Spec::Receiver),
        "#" => return Some(Spec::Result),
        "~" => return Some(Spec::ElementOfResult),
        "^" => return Some(Spec::ElementsOfArguments),
        _ if text.starts_with('-') || text.is_empty() => return None,
        _ => {}
    }
    for (mark, make) in [
        ("$", Spec::TypeArgument as fn(usize) -> Spec),
        ("@", Spec::Argument),
        ("^", Spec::ElementOfArgument),
        ("!", Spec::CallTypeArgument),
    ] {
        if let Some(index) = numbered(mark) {
            return Some(make(index));
        }
    }
    match text.split_once('<') {
        Some((name, rest)) => Some(Spec::Named(name, parse_specs(rest.strip_suffix('>')?))),
        None => Some(Spec::Named(text, Vec::new())),
    }
}

/// The rule of a member that a type has or inherits.
pub(super) fn rule_of_type(name: &str, method: &str) -> Option<&'static Rule> {
    if let Some(rule) = RULES_BY_TYPE.get(name).and_then(|methods| methods.get(method)) {
        return Some(rule);
    }
    let bases: &[&str] = match super::types::BASES.get(name) {
        Some(bases) => bases,
        None => crate::languages::jvm::platform::bases_of_type(name).unwrap_or(&[]),
    };
    bases.iter().find_map(|base| rule_of_type(base, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_understood() {
        for line in RULES.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
            assert!(line.contains(" -> ") && line.contains('.'), "{line}");
        }
        let rule = rule_of_type("MutableList", "map").unwrap();
        assert_eq!(rule.given, [Spec::TypeArgument(0)]);
        assert_eq!(rule.result, Some(Spec::Named("List", vec![Spec::Result])));
        assert!(rule_of_type("Mystery", "map").is_none());
    }
}
