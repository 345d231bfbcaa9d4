//! What TypeScript declares besides classes and functions.

use tree_sitter::Node;

use super::functions::Given;
use super::kinds::{Field, Kind};
use super::{Binder, ExprContext, This};
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, ModuleImportKind, NamesBuilder, Role, ScopeId, ScopeKind,
};

impl<'t> Binder<'t> {
    pub(super) fn interface(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut binding, mut bases, mut body) = (None, Vec::new(), None);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => {
                let id = this.bind(outer, BindingKind::Type, child, builder);
                builder.binding(id).type_only = true;
                binding = Some(id);
            }
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, builder),
            (_, Kind::ExtendsTypeClause) => this.each(child, builder, |this, child, _, builder| {
                if child.is_named() {
                    bases.push(this.ty(child, builder));
                }
            }),
            (Field::Body, _) => body = Some(child),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        if let Some(binding) = binding {
            Self::set_bases(binding, &bases, builder);
        }
        if let Some(body) = body {
            let scope = self.open(ScopeKind::Type, body, builder);
            if let Some(binding) = binding {
                builder.own(binding, scope);
            }
            self.type_members(body, scope, builder);
        }
        self.scope = outer;
    }

    pub(super) fn type_alias(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let (mut binding, mut meant) = (None, None);
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => {
                let id = this.bind(outer, BindingKind::TypeAlias, child, builder);
                builder.binding(id).type_only = true;
                binding = Some(id);
            }
            (_, Kind::TypeParameters) => this.open_type_parameters(child, node, builder),
            (Field::Value, _) => meant = Some(this.ty(child, builder)),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
        self.scope = outer;
        if let (Some(binding), Some(meant)) = (binding, meant)
            && meant != builder.unknown()
        {
            builder.binding(binding).annotation = Some(meant);
            if let Expr::Object { scope } = builder.names.expr(meant) {
                builder.own(binding, scope);
            }
        }
    }

    /// The members of an interface or object type.
    pub(super) fn type_members(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::Method => {
                builder.deeper(child, |builder| this.method(child, members, false, builder.unknown(), builder))
            }
            Kind::PropertySignature => {
                builder.deeper(child, |builder| this.property_signature(child, members, builder))
            }
            Kind::CallSignature => this.signature(child, members, "()", builder),
            Kind::ConstructSignature => this.signature(child, members, "new", builder),
            Kind::IndexSignature => this.index_signature(child, members, builder),
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
    }

    fn property_signature(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let (mut name, mut annotation) = (None, None);
        self.each(node, builder, |_, child, field, _| match field {
            Field::Name => name = Some(child),
            Field::Type => annotation = Some(child),
            _ => {}
        });
        let name = name.and_then(|name| self.member_name(name, builder));
        let declared = self.with_this(This::Instance(members), |this| {
            annotation.map_or(builder.unknown(), |node| this.annotation(node, builder))
        });
        if let Some(name) = name {
            let binding = self.bind(members, BindingKind::Field, name, builder);
            builder.binding(binding).annotation = (declared != builder.unknown()).then_some(declared);
        }
    }

    /// What calling or constructing a value of the type gives, as a member with a name that no source can write.
    fn signature(&mut self, node: Node<'t>, members: ScopeId, name: &str, builder: &mut NamesBuilder<'_>) {
        let name = builder.intern_made(name);
        let parts = self.function_parts(node, builder);
        let scope = builder.scope(members, ScopeKind::Function, node);
        let binding = builder.bind_name(members, BindingKind::Function, name, node.start_byte());
        self.function(&parts, binding, scope, This::Instance(members), Given::default(), builder);
    }

    /// `[key: string]: T`, and `[K in T]: U`. Gives what it declares an element to be.
    pub(super) fn index_signature(&mut self, node: Node<'t>, members: ScopeId, builder: &mut NamesBuilder<'_>) {
        let outer = self.scope;
        let scope = self.open(ScopeKind::Block, node, builder);
        self.scope = scope;
        let mut declared = builder.unknown();
        self.each(node, builder, |this, child, field, builder| match (field, this.kind(child)) {
            (Field::Name, _) => {
                this.bind(scope, BindingKind::Parameter, child, builder);
            }
            (_, Kind::MappedType) => this.mapped_type(child, scope, builder),
            (Field::Type, _) => declared = this.annotation(child, builder),
            _ if child.is_named() => {
                this.ty(child, builder);
            }
            _ => {}
        });
        self.scope = outer;
        if declared != builder.unknown() {
            let name = builder.intern_made("[]");
            let binding = builder.bind_name(members, BindingKind::Field, name, node.start_byte());
            builder.binding(binding).annotation = Some(declared);
        }
    }

    pub(super) fn enumeration(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, body) = (self.child(node, Field::Name, builder), self.child(node, Field::Body, builder));
        let binding = name.map(|name| self.bind(self.scope, BindingKind::Type, name, builder));
        let Some(body) = body else { return };
        let members = self.open(ScopeKind::Type, body, builder);
        if let Some(binding) = binding {
            builder.own(binding, members);
        }
        self.each(body, builder, |this, child, _, builder| {
            let (name, value) = match this.kind(child) {
                Kind::EnumAssignment => {
                    (this.child(child, Field::Name, builder), this.child(child, Field::Value, builder))
                }
                _ => (Some(child), None),
            };
            if let Some(name) = name.and_then(|name| this.member_name(name, builder)) {
                let member = this.bind(members, BindingKind::EnumMember, name, builder);
                builder.binding(member).on_type = true;
            }
            if let Some(value) = value {
                // An initialiser sees the members.
                this.within(members, |this| this.value(value, ExprContext::READ, builder));
            }
        });
    }

    /// `namespace A.B { … }`, `module "x" { … }`.
    pub(super) fn namespace(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let (name, body) = (self.child(node, Field::Name, builder), self.child(node, Field::Body, builder));
        let Some(name) = name else { return self.children(node, builder) };
        let (outer, hoist) = (self.scope, self.hoist);
        let mut names = Vec::new();
        match self.kind(name) {
            Kind::String => {
                // The mention's scope is the one that says what the module has.
                self.scope = self.open(ScopeKind::Module, body.unwrap_or(node), builder);
                self.mention(name, builder);
            }
            _ => self.name_parts(name, &mut names, builder),
        }
        for name in names {
            let binding = self.bind(self.scope, BindingKind::Module, name, builder);
            let scope = self.open(ScopeKind::Module, body.unwrap_or(node), builder);
            builder.own(binding, scope);
            self.scope = scope;
        }
        self.hoist = self.scope;
        if let Some(body) = body {
            self.children(body, builder);
        }
        (self.scope, self.hoist) = (outer, hoist);
    }

    /// The names in `A.B.C`, from the left.
    fn name_parts(&mut self, node: Node<'t>, names: &mut Vec<Node<'t>>, builder: &mut NamesBuilder<'_>) {
        match self.kind(node) {
            Kind::Identifier | Kind::PropertyIdentifier => names.push(node),
            _ => builder.deeper(node, |builder| {
                self.each(node, builder, |this, child, _, builder| {
                    if child.is_named() {
                        this.name_parts(child, names, builder);
                    }
                });
            }),
        }
    }

    /// `declare …`: what `declare global` holds is seen in this file like its own.
    pub(super) fn ambient(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut global = false;
        self.each(node, builder, |this, child, _, builder| match this.kind(child) {
            Kind::GlobalToken => global = true,
            Kind::StatementBlock if global => {
                let hoist = std::mem::replace(&mut this.hoist, FILE_SCOPE);
                this.within(FILE_SCOPE, |this| this.children(child, builder));
                this.hoist = hoist;
            }
            _ => {
                this.value(child, ExprContext::READ, builder);
            }
        });
    }

    /// `import A = B.C;`: another name for whatever `B.C` is.
    pub(super) fn import_alias(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let mut binding: Option<BindingId> = None;
        let mut meant: ExprId = builder.unknown();
        self.each(node, builder, |this, child, _, builder| {
            if !child.is_named() || this.is_comment(child) {
            } else if binding.is_none() {
                binding = Some(this.bind(this.scope, BindingKind::TypeAlias, child, builder));
            } else {
                meant = this.value(child, ExprContext::role(Role::Read), builder);
            }
        });
        if let Some(binding) = binding {
            builder.binding(binding).annotation = (meant != builder.unknown()).then_some(meant);
        }
    }

    /// A module named in a string.
    pub(super) fn mention(
        &mut self,
        string: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<crate::names::ModuleImportId> {
        let text = self.string_text(string)?;
        let source = builder.name(text);
        Some(builder.add_import(ModuleImportKind::Mention, source, self.scope, string))
    }
}
