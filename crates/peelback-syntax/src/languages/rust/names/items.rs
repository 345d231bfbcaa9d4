//! Items and statements.

use tree_sitter::Node;

use super::kinds::{FIELDS, Kind, is_comment, kind};
use super::{Binder, offset};
use crate::languages::rust::calls::{self, MAX_CALLS};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind, Target};

/// Where items stand.
#[derive(Clone, Copy)]
struct ItemContext {
    scope: ScopeId,
    /// Whether they are members of a type or trait.
    member: bool,
    /// The trait that they implement.
    implements: Option<ExprId>,
}

impl Binder {
    /// The statements and items of `node` (a file, a block, a module); the value of the last where it has one.
    pub fn statements(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        self.all(builder, node, ItemContext { scope, member: false, implements: None })
    }

    fn all(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) -> ExprId {
        let mut cursor = node.walk();
        let mut attributes = Vec::new();
        let mut value = builder.unknown();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::LineComment | Kind::BlockComment | Kind::Label => {}
                Kind::Attribute | Kind::InnerAttribute => {
                    self.attribute(builder, child, context.scope);
                    attributes.push(child);
                }
                _ => {
                    value = self.statement(builder, child, context, &attributes);
                    attributes.clear();
                }
            }
        }
        value
    }

    /// A statement that stands where an expression is expected.
    pub fn one_statement(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ExprId {
        self.statement(builder, node, ItemContext { scope, member: false, implements: None }, &[])
    }

    fn statement(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        context: ItemContext,
        attributes: &[Node<'_>],
    ) -> ExprId {
        let scope = context.scope;
        match kind(node) {
            Kind::Statement => {
                let Some(inner) = node.named_child(0) else { return builder.unknown() };
                if kind(inner) == Kind::MacroInvocation && self.items_of_call(builder, inner, context) {
                    return builder.unknown();
                }
                let value = self.expr(builder, inner, scope, Role::Read);
                // Without a semicolon it is the value of the block.
                return if node.child_count() == 1 { value } else { builder.unknown() };
            }
            Kind::Let => builder.deeper(node, |builder| self.let_declaration(builder, node, scope)),
            Kind::Use => self.use_declaration(builder, node, scope),
            Kind::ExternCrate => self.extern_crate(builder, node, scope),
            Kind::Mod => builder.deeper(node, |builder| self.module(builder, node, scope, attributes)),
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
            | Kind::MacroDefinition => builder.deeper(node, |builder| self.item(builder, node, context)),
            Kind::MacroInvocation if self.items_of_call(builder, node, context) => {}
            Kind::MacroInvocation => return self.macro_invocation(builder, node, scope, true),
            Kind::Error | Kind::Declarations => {
                return builder.deeper(node, |builder| self.all(builder, node, context));
            }
            _ => return self.expr(builder, node, scope, Role::Read),
        }
        builder.unknown()
    }

    fn item(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        match kind(node) {
            Kind::Function | Kind::Signature => self.function(builder, node, context),
            Kind::Struct | Kind::Union => self.structure(builder, node, context.scope),
            Kind::Enum => self.enumeration(builder, node, context.scope),
            Kind::Trait => self.trait_item(builder, node, context.scope),
            Kind::Impl => self.implementation(builder, node, context.scope),
            Kind::TypeAlias | Kind::AssociatedType => self.alias(builder, node, context),
            Kind::Const | Kind::Static => self.constant(builder, node, context),
            Kind::MacroDefinition => self.macro_rules(builder, node, context.scope),
            _ => {
                if let Some(body) = FIELDS.body.of(node) {
                    self.all(builder, body, context);
                }
            }
        }
    }

    /// Reads a macro call whose tokens are items; `false` where they are not.
    fn items_of_call(&mut self, builder: &mut NamesBuilder<'_>, call: Node<'_>, context: ItemContext) -> bool {
        let among_items =
            matches!(builder.kind_of(context.scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        if !among_items || self.template || self.calls >= MAX_CALLS {
            return false;
        }
        let Some(tree) = calls::tokens(call) else { return false };
        let items = match calls::items(tree, builder.source) {
            Ok(Some(items)) => items,
            Ok(None) => return false,
            Err(_) => {
                builder.miss(tree);
                return false;
            }
        };
        if let Some(name) = FIELDS.macro_name.of(call) {
            self.macro_name(builder, name, context.scope);
        }
        self.calls += 1;
        builder.deeper(call, |builder| self.all(builder, items.root_node(), context));
        self.calls -= 1;
        true
    }

    /// Remembers that an item of this name stands inside a function.
    pub fn declare(&mut self, builder: &mut NamesBuilder<'_>, name: Node<'_>, scope: ScopeId) {
        if matches!(builder.kind_of(scope), ScopeKind::Block | ScopeKind::Function) {
            let name = builder.name(name);
            self.local_items.insert(name);
        }
    }

    /// Notes that the item called `name` implements that of the trait.
    fn implements(builder: &mut NamesBuilder<'_>, name: Node<'_>, context: ItemContext) {
        if let Some(base) = context.implements {
            let (text, at) = (builder.name(name), offset(name.start_byte()));
            let member = builder.expr(Expr::Member { base, name: text, at });
            builder.occur(name, Role::Definition, Target::Expr(member));
        }
    }

    fn function(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        let name = FIELDS.name.of(node).filter(|name| kind(*name) == Kind::Identifier);
        let body = builder.scope(context.scope, ScopeKind::Function, node);
        let binding = name.map(|name| {
            self.declare(builder, name, context.scope);
            let binding = builder.bind(context.scope, BindingKind::Function, name);
            Self::implements(builder, name, context);
            builder.own(binding, body);
            binding
        });
        let first = builder.names.bindings.len();
        self.generics(builder, node, body);
        let (mut has_self, mut types) = (false, Vec::new());
        if let Some(parameters) = FIELDS.parameters.of(node) {
            (has_self, types) = self.parameters(builder, parameters, body);
        }
        let types = builder.list(&types);
        let gives = FIELDS.return_type.of(node).map(|gives| self.ty(builder, gives, body));
        self.wheres(builder, node, body, first);
        if let Some(binding) = binding {
            let is_async = is_async(builder, node);
            let binding = builder.binding(binding);
            binding.annotation = gives;
            binding.bases = types;
            binding.on_type = context.member && !has_self;
            binding.wrapped = is_async;
        }
        if let Some(block) = FIELDS.body.of(node) {
            let undecided = self.undecided.len();
            self.returns.push(Vec::new());
            self.statements(builder, block, body);
            self.returns.pop();
            self.undecided.truncate(undecided);
        }
    }

    /// Binds parameters; whether `self` is one of them, and the types of the others.
    pub fn parameters(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
    ) -> (bool, Vec<ExprId>) {
        let mut has_self = false;
        let mut types = Vec::new();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match kind(child) {
                Kind::SelfParameter => has_self = true,
                Kind::Parameter | Kind::VariadicParameter => match self.parameter(builder, child, scope, None) {
                    Some(of) => types.push(of),
                    None => has_self = true,
                },
                Kind::Attribute => self.attribute(builder, child, scope),
                Kind::LineComment | Kind::BlockComment => {}
                _ => types.push(self.ty(builder, child, scope)),
            }
        }
        (has_self, types)
    }

    /// Binds one parameter; its type, or `None` where it is `self`. Without a type it is what `value` says.
    pub fn parameter(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        value: Option<ExprId>,
    ) -> Option<ExprId> {
        let of = FIELDS.of_type.of(node).map(|of| self.ty(builder, of, scope));
        let written = of.unwrap_or(builder.unknown());
        let Some(pattern) = FIELDS.pattern.of(node) else { return Some(written) };
        if kind(pattern) == Kind::SelfWord {
            return None;
        }
        let declared = of.filter(|of| value.is_none() || !self.is_open(builder, *of));
        let value = match declared {
            Some(_) => builder.unknown(),
            None => value.unwrap_or(builder.unknown()),
        };
        self.bind_pattern(builder, pattern, scope, BindingKind::Parameter, declared, value, 0);
        Some(written)
    }

    fn let_declaration(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let value_node = FIELDS.value.of(node);
        let value = value_node.map_or(builder.unknown(), |value| self.expr(builder, value, scope, Role::Read));
        let declared = FIELDS.of_type.of(node).map(|of| self.ty(builder, of, scope));
        let declared = declared.filter(|of| value == builder.unknown() || !self.is_open(builder, *of));
        if let Some(otherwise) = FIELDS.alternative.of(node) {
            self.expr(builder, otherwise, scope, Role::Read);
        }
        let Some(pattern) = FIELDS.pattern.of(node) else { return };
        let first = builder.names.bindings.len();
        let from = offset(node.end_byte());
        self.bind_pattern(builder, pattern, scope, BindingKind::Variable, declared, value, from);
        if declared.is_none() && value == builder.unknown() && builder.names.bindings.len() == first + 1 {
            self.undecided.push(offset(first));
        }
    }

    /// The scope in which a type's generic parameters are bound, where it has some.
    fn generic_scope(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) -> ScopeId {
        match FIELDS.type_parameters.of(node) {
            Some(_) => {
                let inner = builder.scope(scope, ScopeKind::Block, node);
                self.generics(builder, node, inner);
                inner
            }
            None => scope,
        }
    }

    fn structure(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, scope);
        let binding = builder.bind(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.generic_scope(builder, node, scope);
        let members = builder.scope(outer, ScopeKind::Type, node);
        builder.own(binding, members);
        if let Some(body) = FIELDS.body.of(node) {
            self.fields(builder, body, members, outer);
        }
        self.wheres(builder, node, outer, first);
    }

    /// Binds the fields of a struct or a variant in `members`; their types are sought from `scope`.
    fn fields(&mut self, builder: &mut NamesBuilder<'_>, body: Node<'_>, members: ScopeId, scope: ScopeId) {
        let mut cursor = body.walk();
        let mut index = 0;
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::Attribute => self.attribute(builder, child, scope),
                Kind::Visibility | Kind::LineComment | Kind::BlockComment => {}
                Kind::Field => {
                    let Some(name) = FIELDS.name.of(child) else { continue };
                    let binding = builder.bind(members, BindingKind::Field, name);
                    builder.binding(binding).annotation =
                        FIELDS.of_type.of(child).map(|of| self.ty(builder, of, members));
                }
                _ if kind(body) == Kind::OrderedFields => {
                    let name = position(builder, index);
                    index += 1;
                    let binding = builder.bind_name(members, BindingKind::Field, name, child.start_byte());
                    builder.binding(binding).annotation = Some(self.ty(builder, child, members));
                }
                _ => {
                    self.expr(builder, child, scope, Role::Read);
                }
            }
        }
    }

    fn enumeration(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, scope);
        let binding = builder.bind(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.generic_scope(builder, node, scope);
        let members = builder.scope(outer, ScopeKind::Type, node);
        builder.own(binding, members);
        self.wheres(builder, node, outer, first);
        let Some(body) = FIELDS.body.of(node) else { return };
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            match kind(child) {
                Kind::EnumVariant => {
                    let Some(name) = FIELDS.name.of(child) else { continue };
                    let variant = builder.bind(members, BindingKind::EnumMember, name);
                    if let Some(body) = FIELDS.body.of(child) {
                        let inside = builder.scope(members, ScopeKind::Type, child);
                        builder.own(variant, inside);
                        self.fields(builder, body, inside, outer);
                    }
                    if let Some(value) = FIELDS.value.of(child) {
                        self.expr(builder, value, outer, Role::Read);
                    }
                }
                Kind::Attribute => self.attribute(builder, child, outer),
                Kind::LineComment | Kind::BlockComment => {}
                _ => {
                    self.expr(builder, child, outer, Role::Read);
                }
            }
        }
    }

    fn trait_item(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, scope);
        let binding = builder.bind(scope, BindingKind::Type, name);
        let first = builder.names.bindings.len();
        let outer = self.generic_scope(builder, node, scope);
        let members = builder.scope(outer, ScopeKind::Type, node);
        builder.own(binding, members);
        if let Some(bounds) = FIELDS.bounds.of(node) {
            let bases = self.types(builder, bounds, outer);
            let bases: Vec<ExprId> = bases.into_iter().filter(|base| *base != builder.unknown()).collect();
            let bases = builder.list(&bases);
            builder.binding(binding).bases = bases;
        }
        self.wheres(builder, node, outer, first);
        if let Some(body) = FIELDS.body.of(node) {
            self.all(builder, body, ItemContext { scope: members, member: true, implements: None });
        }
    }

    fn implementation(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let first = builder.names.bindings.len();
        let outer = self.generic_scope(builder, node, scope);
        let implements = FIELDS.of_trait.of(node).map(|of| self.ty(builder, of, outer));
        let members = builder.scope(outer, ScopeKind::Type, node);
        let target = FIELDS.of_type.of(node).map_or(builder.unknown(), |of| self.ty(builder, of, outer));
        self.wheres(builder, node, outer, first);
        builder.extend(target, implements, members);
        if let Some(body) = FIELDS.body.of(node) {
            self.all(builder, body, ItemContext { scope: members, member: true, implements });
        }
    }

    /// `type A = B;`, and an associated type with or without one.
    fn alias(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, context.scope);
        let binding = builder.bind(context.scope, BindingKind::TypeAlias, name);
        Self::implements(builder, name, context);
        builder.binding(binding).on_type = context.member;
        let first = builder.names.bindings.len();
        let mut outer = self.generic_scope(builder, node, context.scope);
        if context.member && outer == context.scope {
            outer = builder.scope(outer, ScopeKind::Block, node);
        }
        let bounds = FIELDS.bounds.of(node).map(|bounds| self.bounds(builder, bounds, outer));
        let of = FIELDS.of_type.of(node).map(|of| self.ty(builder, of, outer));
        builder.binding(binding).annotation = of.or(bounds);
        self.wheres(builder, node, outer, first);
    }

    fn constant(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, context: ItemContext) {
        // Its type and value do not see the members around it by their bare names.
        let inside = builder.scope(context.scope, ScopeKind::Block, node);
        let of = FIELDS.of_type.of(node).map(|of| self.ty(builder, of, inside));
        let value = FIELDS.value.of(node).map(|value| {
            self.returns.push(Vec::new());
            let value = self.expr(builder, value, inside, Role::Read);
            self.returns.pop();
            value
        });
        let Some(name) = FIELDS.name.of(node).filter(|name| builder.text(*name) != "_") else { return };
        self.declare(builder, name, context.scope);
        let binding = builder.bind(context.scope, BindingKind::Variable, name);
        Self::implements(builder, name, context);
        let open = of.is_none_or(|of| self.is_open(builder, of));
        let values = value.filter(|value| open && *value != builder.unknown()).map(|value| builder.list(&[value]));
        let binding = builder.binding(binding);
        binding.on_type = context.member;
        match values {
            Some(values) => binding.values = values,
            None => binding.annotation = of,
        }
    }

    /// `macro_rules! a { … }`.
    fn macro_rules(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(name) = FIELDS.name.of(node) else { return };
        self.declare(builder, name, scope);
        builder.bind(scope, BindingKind::Macro, name);
        let outer = std::mem::replace(&mut self.template, true);
        let mut cursor = node.walk();
        for rule in node.named_children(&mut cursor).filter(|child| kind(*child) == Kind::MacroRule) {
            if let Some(right) = FIELDS.right.of(rule) {
                self.token_tree(builder, right, scope);
            }
        }
        self.template = outer;
    }

    /// `#[derive(A)]`, `#[a::b]`: what decorates an item. Attributes of the language itself name nothing.
    pub fn attribute(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'_>, scope: ScopeId) {
        let Some(attribute) = node.named_child(0) else { return };
        let Some(path) = attribute.named_child(0) else { return };
        match (kind(path), builder.text(path)) {
            (Kind::Identifier, "derive") => {
                if let Some(arguments) = FIELDS.arguments.of(attribute) {
                    self.derived(builder, arguments, scope);
                }
            }
            (Kind::Identifier, "cfg_attr") => {
                let Some(arguments) = FIELDS.arguments.of(attribute) else { return };
                let mut cursor = arguments.walk();
                let mut after_derive = false;
                for child in arguments.named_children(&mut cursor) {
                    if after_derive && kind(child) == Kind::TokenTree {
                        self.derived(builder, child, scope);
                    }
                    after_derive = builder.text(child) == "derive";
                }
            }
            (Kind::Identifier, text) if BUILT_IN.contains(&text) => {}
            (Kind::Identifier, _) => {
                let module = self.module;
                builder.use_name(path, module, Role::Decorator);
            }
            (Kind::ScopedIdentifier, _) => {
                self.path(builder, path, scope, Role::Decorator);
            }
            _ => {}
        }
    }

    /// The macros of `derive(…)`.
    fn derived(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        let mut cursor = tree.walk();
        let mut base = None;
        for child in tree.children(&mut cursor) {
            match kind(child) {
                Kind::Identifier => {
                    let next = child.next_sibling();
                    let goes_on = next.is_some_and(|next| kind(next) == Kind::Colons);
                    base = Some(match base {
                        Some(base) => {
                            builder.use_member(base, child, if goes_on { Role::Read } else { Role::Decorator })
                        }
                        None if goes_on => {
                            let module = self.module;
                            builder.use_name(child, module, Role::Read)
                        }
                        None => builder.use_name(child, scope, Role::Decorator),
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
pub(super) fn position(builder: &mut NamesBuilder<'_>, index: usize) -> crate::names::NameId {
    const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    match NAMES.get(index) {
        Some(name) => builder.intern(name),
        None => builder.intern_made(&index.to_string()),
    }
}

fn is_async(builder: &NamesBuilder<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let modifiers = node.named_children(&mut cursor).take(2).find(|child| kind(*child) == Kind::FunctionModifiers);
    modifiers.is_some_and(|modifiers| builder.text(modifiers).split_whitespace().any(|word| word == "async"))
}
