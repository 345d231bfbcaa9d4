//! The visibility of Ruby's methods: `private` as a word of its own, around a definition, and with the names of methods.

use std::collections::HashMap;

use tree_sitter::Node;

use super::literals;
use crate::facts::Visibility;
use crate::outline::OutlineBuilder;

/// What is known of the visibility of definitions while the walk visits them.
#[derive(Default)]
pub(super) struct VisibilityState {
    /// The bodies of classes by their nodes.
    bodies: HashMap<usize, BodyVisibility>,
    /// Calls and definitions that stand as arguments of a word for visibility, by their nodes.
    wrapped: HashMap<usize, Visibility>,
    /// Definitions that were added together with the call around them, by their nodes.
    added: HashMap<usize, ()>,
    /// Whether definitions stand in a class or module, by their nodes.
    in_type: HashMap<usize, bool>,
}

/// The visibility of the definitions in the body of one class or module.
#[derive(Default)]
struct BodyVisibility {
    /// That of the definitions that follow.
    current: Option<Visibility>,
    /// The visibility of names that a call in the body lists, and whether they are names of methods of the class itself.
    named: HashMap<(String, bool), Visibility>,
}

/// The visibility that a word gives to what follows it, and whether it is about methods of the class itself.
fn visibility_of_word(word: &str) -> Option<(Visibility, bool)> {
    match word {
        "public" | "module_function" => Some((Visibility::Public, false)),
        "protected" => Some((Visibility::Protected, false)),
        "private" => Some((Visibility::Private, false)),
        "public_class_method" => Some((Visibility::Public, true)),
        "private_class_method" => Some((Visibility::Private, true)),
        "private_constant" => Some((Visibility::Private, false)),
        _ => None,
    }
}

/// Reads a word without arguments in the body of a class: `private`.
pub(super) fn read_visibility_word(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let Some((visibility, false)) = visibility_of_word(builder.text_of_node(node)) else { return };
    let Some(body) = builder.ancestor_nodes().next().filter(|parent| parent.kind() == "body_statement") else { return };
    let Some(state) = builder.frontend_state::<VisibilityState>() else { return };
    state.bodies.entry(body.id()).or_default().current = Some(visibility);
}

/// Reads the names that calls in the body of a class make private: `private :a, :b`. They can stand behind the
/// definitions.
pub(super) fn read_named_visibilities_in_body(body: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    let mut named = HashMap::new();
    let mut cursor = body.walk();
    for call in body.named_children(&mut cursor).filter(|child| child.kind() == "call") {
        let Some(method) = call.child_by_field_name("method").filter(|method| method.kind() == "identifier") else {
            continue;
        };
        let Some((visibility, on_class)) = visibility_of_word(builder.text_of_node(method)) else { continue };
        if call.child_by_field_name("receiver").is_some() {
            continue;
        }
        for argument in literals::arguments_of_call(call) {
            for range in literals::name_ranges_in_argument(argument) {
                let name = builder.source.get(range).unwrap_or("").to_owned();
                named.insert((name, on_class), visibility);
            }
        }
    }
    if let Some(state) = builder.frontend_state::<VisibilityState>()
        && !named.is_empty()
    {
        state.bodies.entry(body.id()).or_default().named = named;
    }
}

/// Marks what stands as an argument of `private` and the like, and returns the definition of a method among it.
pub(super) fn mark_wrapped_definition<'t>(call: Node<'t>, builder: &mut OutlineBuilder<'t, '_>) -> Option<Node<'t>> {
    let arguments = call.child_by_field_name("arguments")?;
    let argument = arguments.named_child(0)?;
    let method = call.child_by_field_name("method").filter(|method| method.kind() == "identifier")?;
    let own =
        builder.existing_frontend_state::<VisibilityState>().and_then(|state| state.wrapped.get(&call.id()).copied());
    let visibility = visibility_of_word(builder.text_of_node(method)).map(|(visibility, _)| visibility).or(own);
    if let (Some(visibility), Some(state)) = (visibility, builder.frontend_state::<VisibilityState>()) {
        state.wrapped.insert(argument.id(), visibility);
    }
    matches!(argument.kind(), "method" | "singleton_method").then_some(argument)
}

/// Records that the definition `node` was added together with the call around it.
pub(super) fn mark_added(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) {
    if let Some(state) = builder.frontend_state::<VisibilityState>() {
        state.added.insert(node.id(), ());
    }
}

/// Whether the definition `node` was added together with the call around it.
pub(super) fn was_added(node: Node<'_>, builder: &OutlineBuilder<'_, '_>) -> bool {
    builder.existing_frontend_state::<VisibilityState>().is_some_and(|state| state.added.contains_key(&node.id()))
}

/// The visibility of a definition called `name`: `node` is the definition, and the nearest body of statements around it is
/// that of its class.
pub(super) fn visibility_of_definition(
    node: Node<'_>,
    (name, on_class): (&str, bool),
    builder: &mut OutlineBuilder<'_, '_>,
) -> Visibility {
    let in_type = is_in_type(node, builder);
    let default = if in_type { Visibility::Public } else { Visibility::Unknown };
    let Some(state) = builder.existing_frontend_state::<VisibilityState>() else { return default };
    if let Some(visibility) = state.wrapped.get(&node.id()) {
        return *visibility;
    }
    let Some(body) = builder.ancestor_nodes().find(|above| above.kind() == "body_statement") else { return default };
    let Some(body) = state.bodies.get(&body.id()) else { return default };
    let named = body.named.get(&(name.to_owned(), on_class)).copied();
    // A word of its own says nothing of the methods of the class itself.
    named.or(body.current.filter(|_| !on_class)).unwrap_or(default)
}

/// Whether the definition `node` stands in a class or module, at any depth. The definitions around it know it for it.
fn is_in_type(node: Node<'_>, builder: &mut OutlineBuilder<'_, '_>) -> bool {
    let state = builder.existing_frontend_state::<VisibilityState>();
    let known = builder.ancestor_nodes().find_map(|above| match above.kind() {
        "class" | "module" | "singleton_class" => Some(true),
        _ => state.and_then(|state| state.in_type.get(&above.id()).copied()),
    });
    let found = known.unwrap_or(false);
    if let Some(state) = builder.frontend_state::<VisibilityState>() {
        state.in_type.insert(node.id(), found);
    }
    found
}
