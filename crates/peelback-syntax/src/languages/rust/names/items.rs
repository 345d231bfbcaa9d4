//! Items and statements.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::{Binder, offset};
use crate::languages::rust::calls::{self, MAX_CALLS};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind, Target};

/// Where items stand.
#[derive(Clone, Copy)]
struct Place {
    scope: ScopeId,
    /// Whether they are members of a type or trait.
    member: bool,
    /// The trait that they implement.
    implements: Option<ExprId>,
}

impl Binder {
    /// The statements and items of `node` (a file, a block, a module); the value of the last where it has one.
    pub fn statements(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        self.all(cx, node, Place { scope, member: false, implements: None })
    }

    fn all(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place) -> ExprId {
        let mut cursor = node.walk();
        let mut attributes = Vec::new();
        let mut value = cx.unknown();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment | Kind::Label => {}
                Kind::Attribute | Kind::InnerAttribute => {
                    self.attribute(cx, child, place.scope);
                    attributes.push(child);
                }
                _ => {
                    value = self.statement(cx, child, place, &attributes);
                    attributes.clear();
                }
            }
        }
        value
    }

    /// A statement that stands where an expression is expected.
    pub fn one_statement(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        self.statement(cx, node, Place { scope, member: false, implements: None }, &[])
    }

    fn statement(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place, attributes: &[Node<'_>]) -> ExprId {
        let scope = place.scope;
        match kind(node) {
            Kind::Statement => {
                let Some(inner) = node.named_child(0) else { return cx.unknown() };
                if kind(inner) == Kind::MacroInvocation && self.items_of_call(cx, inner, place) {
                    return cx.unknown();
                }
                let value = self.expr(cx, inner, scope, Role::Read);
                // Without a semicolon it is the value of the block.
                return if node.child_count() == 1 { value } else { cx.unknown() };
            }
            Kind::Let => cx.deeper(node, |cx| self.let_declaration(cx, node, scope)),
            Kind::Use => self.use_declaration(cx, node, scope),
            Kind::ExternCrate => self.extern_crate(cx, node, scope),
            Kind::Mod => cx.deeper(node, |cx| self.module(cx, node, scope, attributes)),
            Kind::EmptyStatement | Kind::Visibility => {}
            Kind::Function
            | Kind::Signature
            | Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Trait
            | Kind::Impl
            | Kind::TypeAlias
            | Kind::AssociatedType
            | Kind::Const
            | Kind::Static
            | Kind::ForeignMod
            | Kind::MacroDefinition => cx.deeper(node, |cx| self.item(cx, node, place)),
            Kind::MacroInvocation if self.items_of_call(cx, node, place) => {}
            Kind::MacroInvocation => return self.macro_invocation(cx, node, scope, true),
            Kind::Error | Kind::Declarations => return cx.deeper(node, |cx| self.all(cx, node, place)),
            _ => return self.expr(cx, node, scope, Role::Read),
        }
        cx.unknown()
    }

    fn item(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place) {
        match kind(node) {
            Kind::Function | Kind::Signature => self.function(cx, node, place),
            Kind::Struct | Kind::Union => self.structure(cx, node, place.scope),
            Kind::Enum => self.enumeration(cx, node, place.scope),
            Kind::Trait => self.trait_item(cx, node, place.scope),
            Kind::Impl => self.implementation(cx, node, place.scope),
            Kind::TypeAlias | Kind::AssociatedType => self.alias(cx, node, place),
            Kind::Const | Kind::Static => self.constant(cx, node, place),
            Kind::MacroDefinition => self.macro_rules(cx, node, place.scope),
            _ => {
                if let Some(body) = FIELDS.body.of(node) {
                    self.all(cx, body, place);
                }
            }
        }
    }

    /// Reads a macro call whose tokens are items; `false` where they are not.
    fn items_of_call(&mut self, cx: &mut Cx<'_>, call: Node<'_>, place: Place) -> bool {
        let among_items = matches!(cx.kind_of(place.scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        if !among_items || self.template || self.calls >= MAX_CALLS {
            return false;
        }
        let Some(tree) = calls::tokens(call) else { return false };
        let items = match calls::items(tree, cx.source) {
            Ok(Some(items)) => items,
            Ok(None) => return false,
            Err(_) => {
                cx.miss(tree);
                return false;
            }
        };
        if let Some(name) = FIELDS.macro_name.of(call) {
            self.macro_name(cx, name, place.scope);
        }
        self.calls += 1;
        cx.deeper(call, |cx| self.all(cx, items.root_node(), place));
        self.calls -= 1;
        true
    }

    /// Remembers that an item of this name stands inside a function.
    pub fn declare(&mut self, cx: &mut Cx<'_>, name: Node<'_>, scope: ScopeId) {
        if matches!(cx.kind_of(scope), ScopeKind::Block | ScopeKind::Function) {
            let name = cx.name(name);
            self.local_items.insert(name);
        }
    }

    /// Notes that the item called `name` implements that of the trait.
    fn implements(cx: &mut Cx<'_>, name: Node<'_>, place: Place) {
        if let Some(base) = place.implements {
            let (text, at) = (cx.name(name), offset(name.start_byte()));
            let member = cx.expr(Expr::Member { base, name: text, at });
            cx.occur(name, Role::Definition, Target::Expr(member));
        }
    }

    fn function(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place) {
        let name = FIELDS.name.of(node).filter(|name| kind(*name) == Kind::Identifier);
        let body = cx.scope(place.scope, ScopeKind::Function, node);
        let binding = name.map(|name| {
            self.declare(cx, name, place.scope);
            let binding = cx.bind(place.scope, BindingKind::Function, name);
            Self::implements(cx, name, place);
            cx.own(binding, body);
            binding
        });
        let first = cx.names.bindings.len();
        self.generics(cx, node, body);
        let (mut has_self, mut types) = (false, Vec::new());
        if let Some(parameters) = FIELDS.parameters.of(node) {
            (has_self, types) = self.parameters(cx, parameters, body);
        }
        let types = cx.list(&types);
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(cx, gives, body));
        self.wheres(cx, node, body, first);
        if let Some(binding) = binding {
            let is_async = is_async(cx, node);
            let binding = cx.binding(binding);
            binding.annotation = gives;
            binding.bases = types;
            binding.on_type = place.member && !has_self;
            binding.wrapped = is_async;
        }
        if let Some(block) = FIELDS.body.of(node) {
            let undecided = self.undecided.len();
            self.returns.push(Vec::new());
            self.statements(cx, block, body);
            self.returns.pop();
            self.undecided.truncate(undecided);
        }
    }

    /// Binds parameters; whether `self` is one of them, and the types of the others.
    pub fn parameters(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> (bool, Vec<ExprId>) {
        let mut has_self = false;
        let mut types = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::SelfParameter => has_self = true,
                Kind::Parameter | Kind::VariadicParameter => match self.parameter(cx, child, scope, None) {
                    Some(of) => types.push(of),
                    None => has_self = true,
                },
                Kind::Attribute => self.attribute(cx, child, scope),
                Kind::LineComment | Kind::BlockComment => {}
                _ => types.push(self.ty(cx, child, scope)),
            }
        }
        (has_self, types)
    }

    /// Binds one parameter; its type, or `None` where it is `self`. Without a type it is what `value` says.
    pub fn parameter(
        &mut self,
        cx: &mut Cx<'_>,
        node: Node<'_>,
        scope: ScopeId,
        value: Option<ExprId>,
    ) -> Option<ExprId> {
        let of = FIELDS.of_type.of(node).map(|of| self.ty(cx, of, scope));
        let written = of.unwrap_or(cx.unknown());
        let Some(pattern) = FIELDS.pattern.of(node) else { return Some(written) };
        if kind(pattern) == Kind::SelfWord {
            return None;
        }
        let declared = of.filter(|of| value.is_none() || !self.is_open(cx, *of));
        let value = match declared {
            Some(_) => cx.unknown(),
            None => value.unwrap_or(cx.unknown()),
        };
        self.bind_pattern(cx, pattern, scope, BindingKind::Parameter, declared, value, 0);
        Some(written)
    }

    fn let_declaration(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let value_node = FIELDS.value.of(node);
        let value = value_node.map_or(cx.unknown(), |value| self.expr(cx, value, scope, Role::Read));
        let declared = FIELDS.of_type.of(node).map(|of| self.ty(cx, of, scope));
        let declared = declared.filter(|of| value == cx.unknown() || !self.is_open(cx, *of));
        if let Some(otherwise) = FIELDS.alternative.of(node) {
            self.expr(cx, otherwise, scope, Role::Read);
        }
        let Some(pattern) = FIELDS.pattern.of(node) else { return };
        let first = cx.names.bindings.len();
        let from = offset(node.end_byte());
        self.bind_pattern(cx, pattern, scope, BindingKind::Variable, declared, value, from);
        if declared.is_none() && value == cx.unknown() && cx.names.bindings.len() == first + 1 {
            self.undecided.push(offset(first));
        }
    }

    /// The scope in which a type's generic parameters are bound, where it has some.
    fn generic_scope(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) -> ScopeId {
        match FIELDS.type_parameters.of(node) {
            Some(_) => {
                let inner = cx.scope(scope, ScopeKind::Block, node);
                self.generics(cx, node, inner);
                inner
            }
            None => scope,
        }
    }

    fn structure(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, scope);
        let binding = cx.bind(scope, BindingKind::Type, name);
        let first = cx.names.bindings.len();
        let outer = self.generic_scope(cx, node, scope);
        let members = cx.scope(outer, ScopeKind::Type, node);
        cx.own(binding, members);
        if let Some(body) = FIELDS.body.of(node) {
            self.fields(cx, body, members, outer);
        }
        self.wheres(cx, node, outer, first);
    }

    /// Binds the fields of a struct or a variant in `members`; their types are sought from `scope`.
    fn fields(&mut self, cx: &mut Cx<'_>, body: Node<'_>, members: ScopeId, scope: ScopeId) {
        let mut cursor = body.walk();
        let mut index = 0;
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::Attribute => self.attribute(cx, child, scope),
                Kind::Visibility | Kind::LineComment | Kind::BlockComment => {}
                Kind::Field => {
                    let Some(name) = FIELDS.name.of(child) else { continue };
                    let binding = cx.bind(members, BindingKind::Field, name);
                    cx.binding(binding).annotation = FIELDS.of_type.of(child).map(|of| self.ty(cx, of, members));
                }
                _ if kind(body) == Kind::OrderedFields => {
                    let name = position(cx, index);
                    index += 1;
                    let binding = cx.bind_name(members, BindingKind::Field, name, child.start_byte());
                    cx.binding(binding).annotation = Some(self.ty(cx, child, members));
                }
                _ => {
                    self.expr(cx, child, scope, Role::Read);
                }
            }
        }
    }

    fn enumeration(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, scope);
        let binding = cx.bind(scope, BindingKind::Type, name);
        let first = cx.names.bindings.len();
        let outer = self.generic_scope(cx, node, scope);
        let members = cx.scope(outer, ScopeKind::Type, node);
        cx.own(binding, members);
        self.wheres(cx, node, outer, first);
        let Some(body) = FIELDS.body.of(node) else { return };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::EnumVariant => {
                    let Some(name) = FIELDS.name.of(child) else { continue };
                    let variant = cx.bind(members, BindingKind::EnumMember, name);
                    if let Some(body) = FIELDS.body.of(child) {
                        let inside = cx.scope(members, ScopeKind::Type, child);
                        cx.own(variant, inside);
                        self.fields(cx, body, inside, outer);
                    }
                    if let Some(value) = FIELDS.value.of(child) {
                        self.expr(cx, value, outer, Role::Read);
                    }
                }
                Kind::Attribute => self.attribute(cx, child, outer),
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(cx, child, outer, Role::Read);
                }
            }
        }
    }

    fn trait_item(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, scope);
        let binding = cx.bind(scope, BindingKind::Type, name);
        let first = cx.names.bindings.len();
        let outer = self.generic_scope(cx, node, scope);
        let members = cx.scope(outer, ScopeKind::Type, node);
        cx.own(binding, members);
        if let Some(bounds) = FIELDS.bounds.of(node) {
            let bases = self.types(cx, bounds, outer);
            let bases: Vec<ExprId> = bases.into_iter().filter(|base| *base != cx.unknown()).collect();
            let bases = cx.list(&bases);
            cx.binding(binding).bases = bases;
        }
        self.wheres(cx, node, outer, first);
        if let Some(body) = FIELDS.body.of(node) {
            self.all(cx, body, Place { scope: members, member: true, implements: None });
        }
    }

    fn implementation(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let first = cx.names.bindings.len();
        let outer = self.generic_scope(cx, node, scope);
        let implements = FIELDS.of_trait.of(node).map(|of| self.ty(cx, of, outer));
        let members = cx.scope(outer, ScopeKind::Type, node);
        let target = FIELDS.of_type.of(node).map_or(cx.unknown(), |of| self.ty(cx, of, outer));
        self.wheres(cx, node, outer, first);
        cx.extend(target, implements, members);
        if let Some(body) = FIELDS.body.of(node) {
            self.all(cx, body, Place { scope: members, member: true, implements });
        }
    }

    /// `type A = B;`, and an associated type with or without one.
    fn alias(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, place.scope);
        let binding = cx.bind(place.scope, BindingKind::TypeAlias, name);
        Self::implements(cx, name, place);
        cx.binding(binding).on_type = place.member;
        let first = cx.names.bindings.len();
        let mut outer = self.generic_scope(cx, node, place.scope);
        if place.member && outer == place.scope {
            outer = cx.scope(outer, ScopeKind::Block, node);
        }
        let bounds = FIELDS.bounds.of(node).map(|bounds| self.bounds(cx, bounds, outer));
        let of = FIELDS.of_type.of(node).map(|of| self.ty(cx, of, outer));
        cx.binding(binding).annotation = of.or(bounds);
        self.wheres(cx, node, outer, first);
    }

    fn constant(&mut self, cx: &mut Cx<'_>, node: Node<'_>, place: Place) {
        // Its type and value do not see the members around it by their bare names.
        let inside = cx.scope(place.scope, ScopeKind::Block, node);
        let of = FIELDS.of_type.of(node).map(|of| self.ty(cx, of, inside));
        let value = FIELDS.value.of(node).map(|value| {
            self.returns.push(Vec::new());
            let value = self.expr(cx, value, inside, Role::Read);
            self.returns.pop();
            value
        });
        let Some(name) = FIELDS.name.of(node).filter(|name| cx.text(*name) != "_") else { return };
        self.declare(cx, name, place.scope);
        let binding = cx.bind(place.scope, BindingKind::Variable, name);
        Self::implements(cx, name, place);
        let open = of.is_none_or(|of| self.is_open(cx, of));
        let values = value.filter(|value| open && *value != cx.unknown()).map(|value| cx.list(&[value]));
        let binding = cx.binding(binding);
        binding.on_type = place.member;
        match values {
            Some(values) => binding.values = values,
            None => binding.annotation = of,
        }
    }

    /// `macro_rules! a { … }`.
    fn macro_rules(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(cx, name, scope);
        cx.bind(scope, BindingKind::Macro, name);
        let outer = std::mem::replace(&mut self.template, true);
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::MacroRule) {
            if let Some(right) = FIELDS.right.of(rule) {
                self.token_tree(cx, right, scope);
            }
        }
        self.template = outer;
    }

    /// `#[derive(A)]`, `#[a::b]`: what decorates an item. Attributes of the language itself name nothing.
    pub fn attribute(&mut self, cx: &mut Cx<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(attribute) = node.named_child(0) else { return };
        let Some(path) = attribute.named_child(0) else { return };
        match (kind(path), cx.text(path)) {
            (Kind::Identifier, "derive") => {
                if let Some(arguments) = FIELDS.arguments.of(attribute) {
                    self.derived(cx, arguments, scope);
                }
            }
            (Kind::Identifier, "cfg_attr") => {
                let Some(arguments) = FIELDS.arguments.of(attribute) else { return };
                let mut cursor = arguments.walk();
                let mut after_derive = false;
                for child in arguments.named_children(&mut cursor) {
                    if after_derive && kind(child) == Kind::TokenTree {
                        self.derived(cx, child, scope);
                    }
                    after_derive = cx.text(child) == "derive";
                }
            }
            (Kind::Identifier, text) if BUILT_IN.contains(&text) => {}
            (Kind::Identifier, _) => {
                let module = self.module;
                cx.use_name(path, module, Role::Decorator);
            }
            (Kind::ScopedIdentifier, _) => {
                self.path(cx, path, scope, Role::Decorator);
            }
            _ => {}
        }
    }

    /// The macros of `derive(…)`.
    fn derived(&mut self, cx: &mut Cx<'_>, tree: Node<'_>, scope: ScopeId) {
        let mut cursor = tree.walk();
        let mut base = None;
        for child in tree.children(&mut cursor) {
            match kind(child) {
                Kind::Identifier => {
                    let next = child.next_sibling();
                    let goes_on = next.is_some_and(|next| kind(next) == Kind::Colons);
                    base = Some(match base {
                        Some(base) => cx.use_member(base, child, if goes_on { Role::Read } else { Role::Decorator }),
                        None if goes_on => {
                            let module = self.module;
                            cx.use_name(child, module, Role::Read)
                        }
                        None => cx.use_name(child, scope, Role::Decorator),
                    });
                }
                Kind::Colons => {}
                _ if is_comment(child) => {}
                _ => base = None,
            }
        }
    }
}

/// Attributes of the language and of its compiler.
const BUILT_IN: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "export_name",
    "feature",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "link_name",
    "link_section",
    "macro_export",
    "macro_use",
    "must_use",
    "no_main",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "panic_handler",
    "path",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "recursion_limit",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "unsafe",
    "used",
    "warn",
    "windows_subsystem",
];

/// The name of a field without one: its position.
pub(super) fn position(cx: &mut Cx<'_>, index: usize) -> crate::names::NameId {
    const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    match NAMES.get(index) {
        Some(name) => cx.intern(name),
        None => cx.intern_made(&index.to_string()),
    }
}

fn is_async(cx: &Cx<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let modifiers = node.named_children(&mut cursor).take(2).find(|child| kind(*child) == Kind::FunctionModifiers);
    modifiers.is_some_and(|modifiers| cx.text(modifiers).split_whitespace().any(|word| word == "async"))
}
