//! What TypeScript declares besides classes and functions.

use tree_sitter::Node;

use super::functions::Given;
use super::kinds::{Field, Kind};
use super::{Binder, This, Want};
use crate::names::{BindingId, BindingKind, Cx, Expr, ExprId, FILE_SCOPE, LinkKind, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    pub(super) fn interface(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let outer = self.scope;
        let (mut binding, mut bases, mut body) = (None, Vec::new(), None);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name, _) => {
                let id = this.bind(outer, BindingKind::Type, child, cx);
                cx.binding(id).type_only = true;
                binding = Some(id);
            }
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, cx),
            (_, Kind::ExtendsTypeClause) => this.each(child, cx, |this, child, _, cx| {
                if child.is_named() {
                    bases.push(this.ty(child, cx));
                }
            }),
            (Field::Body, _) => body = Some(child),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        if let Some(binding) = binding {
            Self::set_bases(binding, &bases, cx);
        }
        if let Some(body) = body {
            let scope = self.open(ScopeKind::Type, body, cx);
            if let Some(binding) = binding {
                cx.own(binding, scope);
            }
            self.type_members(body, scope, cx);
        }
        self.scope = outer;
    }

    pub(super) fn type_alias(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let outer = self.scope;
        let (mut binding, mut meant) = (None, None);
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name, _) => {
                let id = this.bind(outer, BindingKind::TypeAlias, child, cx);
                cx.binding(id).type_only = true;
                binding = Some(id);
            }
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, cx),
            (Field::Value, _) => meant = Some(this.ty(child, cx)),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
        self.scope = outer;
        if let (Some(binding), Some(meant)) = (binding, meant)
            && meant != cx.unknown()
        {
            cx.binding(binding).annotation = Some(meant);
            if let Expr::Object { scope } = cx.names.expr(meant) {
                cx.own(binding, scope);
            }
        }
    }

    /// The members of an interface or object type.
    pub(super) fn type_members(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::Method => cx.deeper(child, |cx| this.method(child, members, false, cx)),
            Kind::PropertySignature => cx.deeper(child, |cx| this.property_signature(child, members, cx)),
            Kind::CallSignature => this.signature(child, members, "()", cx),
            Kind::ConstructSignature => this.signature(child, members, "new", cx),
            Kind::IndexSignature => this.index_signature(child, members, cx),
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
    }

    fn property_signature(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        let (mut name, mut annotation) = (None, None);
        self.each(node, cx, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            _ => {}
        });
        let name = name.and_then(|name| self.member_name(name, cx));
        let declared = self.with_this(This::Instance(members), |this| {
            annotation.map_or(cx.unknown(), |node| this.annotation(node, cx))
        });
        if let Some(name) = name {
            let binding = self.bind(members, BindingKind::Field, name, cx);
            cx.binding(binding).annotation = (declared != cx.unknown()).then_some(declared);
        }
    }

    /// What calling or constructing a value of the type gives, as a member with a name that no source can write.
    fn signature(&mut self, node: Node<'t>, members: ScopeId, name: &str, cx: &mut Cx<'_>) {
        let name = cx.intern_made(name);
        let parts = self.function_parts(node, cx);
        let scope = cx.scope(members, ScopeKind::Function, node);
        let binding = cx.bind_name(members, BindingKind::Function, name, node.start_byte());
        self.function(&parts, binding, scope, This::Instance(members), Given::default(), cx);
    }

    /// `[key: string]: T`, and `[K in T]: U`. Gives what it declares an element to be.
    pub(super) fn index_signature(&mut self, node: Node<'t>, members: ScopeId, cx: &mut Cx<'_>) {
        let outer = self.scope;
        let scope = self.open(ScopeKind::Block, node, cx);
        self.scope = scope;
        let mut declared = cx.unknown();
        self.each(node, cx, |this, child, field, cx| match (field, this.kind(child)) {
            (Field::Name, _) => {
                this.bind(scope, BindingKind::Parameter, child, cx);
            }
            (_, Kind::MappedType) => this.mapped_type(child, scope, cx),
            (Field::Type, _) => declared = this.annotation(child, cx),
            _ if child.is_named() => {
                this.ty(child, cx);
            }
            _ => {}
        });
        self.scope = outer;
        if declared != cx.unknown() {
            let name = cx.intern_made("[]");
            let binding = cx.bind_name(members, BindingKind::Field, name, node.start_byte());
            cx.binding(binding).annotation = Some(declared);
        }
    }

    pub(super) fn enumeration(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let (name, body) = (self.child(node, Field::Name, cx), self.child(node, Field::Body, cx));
        let binding = name.map(|name| self.bind(self.scope, BindingKind::Type, name, cx));
        let Some(body) = body else { return };
        let members = self.open(ScopeKind::Type, body, cx);
        if let Some(binding) = binding {
            cx.own(binding, members);
        }
        // An initialiser sees the members above it.
        let scope = self.open(ScopeKind::Block, body, cx);
        self.each(body, cx, |this, child, _, cx| {
            let (name, value) = match this.kind(child) {
                Kind::EnumAssignment => (this.child(child, Field::Name, cx), this.child(child, Field::Value, cx)),
                _ => (Some(child), None),
            };
            if let Some(name) = name.and_then(|name| this.member_name(name, cx)) {
                let member = this.bind(members, BindingKind::EnumMember, name, cx);
                cx.binding(member).on_type = true;
                let id = cx.binding(member).name;
                let here = cx.bind_name(scope, BindingKind::Variable, id, name.start_byte());
                let bound = cx.expr(Expr::Bound { binding: member });
                Self::set_values(here, &[bound], cx);
            }
            if let Some(value) = value {
                this.within(scope, |this| this.value(value, Want::READ, cx));
            }
        });
    }

    /// `namespace A.B { … }`, `module "x" { … }`.
    pub(super) fn namespace(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let (name, body) = (self.child(node, Field::Name, cx), self.child(node, Field::Body, cx));
        let Some(name) = name else { return self.children(node, cx) };
        let (outer, hoist) = (self.scope, self.hoist);
        let mut names = Vec::new();
        match self.kind(name) {
            Kind::String => {
                // The mention's scope is the one that says what the module has.
                self.scope = self.open(ScopeKind::Module, body.unwrap_or(node), cx);
                self.mention(name, cx);
            }
            _ => self.name_parts(name, &mut names, cx),
        }
        for name in names {
            let binding = self.bind(self.scope, BindingKind::Module, name, cx);
            let scope = self.open(ScopeKind::Module, body.unwrap_or(node), cx);
            cx.own(binding, scope);
            self.scope = scope;
        }
        self.hoist = self.scope;
        if let Some(body) = body {
            self.children(body, cx);
        }
        (self.scope, self.hoist) = (outer, hoist);
    }

    /// The names in `A.B.C`, from the left.
    fn name_parts(&mut self, node: Node<'t>, names: &mut Vec<Node<'t>>, cx: &mut Cx<'_>) {
        match self.kind(node) {
            Kind::Identifier | Kind::PropertyIdentifier => names.push(node),
            _ => cx.deeper(node, |cx| {
                self.each(node, cx, |this, child, _, cx| {
                    if child.is_named() {
                        this.name_parts(child, names, cx);
                    }
                });
            }),
        }
    }

    /// `declare …`: what `declare global` holds is seen in this file like its own.
    pub(super) fn ambient(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let mut global = false;
        self.each(node, cx, |this, child, _, cx| match this.kind(child) {
            Kind::GlobalToken => global = true,
            Kind::StatementBlock if global => {
                let hoist = std::mem::replace(&mut this.hoist, FILE_SCOPE);
                this.within(FILE_SCOPE, |this| this.children(child, cx));
                this.hoist = hoist;
            }
            _ => {
                this.value(child, Want::READ, cx);
            }
        });
    }

    /// `import A = B.C;`: another name for whatever `B.C` is.
    pub(super) fn import_alias(&mut self, node: Node<'t>, cx: &mut Cx<'_>) {
        let mut binding: Option<BindingId> = None;
        let mut meant: ExprId = cx.unknown();
        self.each(node, cx, |this, child, _, cx| {
            if !child.is_named() || this.is_comment(child) {
            } else if binding.is_none() {
                binding = Some(this.bind(this.scope, BindingKind::TypeAlias, child, cx));
            } else {
                meant = this.value(child, Want::role(Role::Read), cx);
            }
        });
        if let Some(binding) = binding {
            cx.binding(binding).annotation = (meant != cx.unknown()).then_some(meant);
        }
    }

    /// A module named in a string.
    pub(super) fn mention(&mut self, string: Node<'t>, cx: &mut Cx<'_>) -> Option<crate::names::LinkId> {
        let text = self.string_text(string)?;
        let source = cx.name(text);
        Some(cx.link(LinkKind::Mention, source, self.scope, string))
    }
}
