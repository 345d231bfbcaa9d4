//! Declarators: what a declaration names, and of which type.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

/// What one declarator names.
pub(super) struct Declared<'t> {
    /// The identifier.
    pub name: Node<'t>,
    /// The type that is declared: of a function what it returns.
    pub declares: ExprId,
    /// The parameters, where it names a function.
    pub parameters: Option<Node<'t>>,
    /// Whether it names a function, not a value.
    pub is_function: bool,
    /// Whether it names an array.
    pub is_array: bool,
}

impl<'t> Binder<'t> {
    /// Reads a declarator from outside in; `declares` is the type before it. What stands in it besides is noted.
    pub(super) fn declarator(
        &mut self,
        node: Node<'t>,
        mut declares: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<Declared<'t>> {
        let mut at = node;
        let mut is_array = false;
        loop {
            match self.g.kind(at) {
                Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier | Kind::PrimitiveType => {
                    // The parser puts an empty name where it misses one.
                    let found = Declared { name: at, declares, parameters: None, is_function: false, is_array };
                    return (!at.is_missing()).then_some(found);
                }
                Kind::FunctionDeclarator => {
                    let parameters = self.field(at, self.g.parameters);
                    let inner = self.inner(at)?;
                    self.beside(at, inner, scope, builder);
                    if let Some(name) = self.plain_name(inner) {
                        return Some(Declared { name, declares, parameters, is_function: true, is_array: false });
                    }
                    if let Some(parameters) = parameters {
                        self.parameter_types(parameters, scope, builder);
                    }
                    declares = self.function_type(at, declares, scope, builder);
                    at = inner;
                    is_array = false;
                }
                Kind::ArrayDeclarator => {
                    is_array = true;
                    let inner = self.inner(at)?;
                    self.beside(at, inner, scope, builder);
                    at = inner;
                }
                Kind::PointerDeclarator | Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => {
                    let inner = self.inner(at)?;
                    self.beside(at, inner, scope, builder);
                    at = inner;
                }
                _ => {
                    self.item(at, scope, builder);
                    return None;
                }
            }
        }
    }

    /// The declarator inside another one.
    fn inner(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.field(node, self.g.declarator).or_else(|| {
            let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
            (0..count).filter_map(|at| node.named_child(at)).find(|child| self.is_declarator(*child))
        })
    }

    pub(super) fn is_declarator(&self, node: Node<'t>) -> bool {
        matches!(
            self.g.kind(node),
            Kind::Identifier
                | Kind::FieldIdentifier
                | Kind::TypeIdentifier
                | Kind::PrimitiveType
                | Kind::FunctionDeclarator
                | Kind::ArrayDeclarator
                | Kind::PointerDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::AttributedDeclarator
        )
    }

    /// The name that a declarator comes down to without pointers or arrays in between.
    fn plain_name(&self, mut node: Node<'t>) -> Option<Node<'t>> {
        loop {
            match self.g.kind(node) {
                Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier => {
                    return (!node.is_missing()).then_some(node);
                }
                Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => node = self.inner(node)?,
                _ => return None,
            }
        }
    }

    /// What stands in a declarator besides the one inside it: sizes, attributes, macros.
    fn beside(&mut self, node: Node<'t>, inner: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if node.named_child_count() < 2 {
            return;
        }
        self.each(node, builder, |binder, child, builder| {
            if child != inner && !matches!(binder.g.kind(child), Kind::ParameterList | Kind::TypeQualifier) {
                binder.item(child, scope, builder);
            }
        });
    }

    /// A function without a name that gives `returns`.
    pub(super) fn function_type(
        &mut self,
        node: Node<'t>,
        returns: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if returns == builder.unknown() {
            return returns;
        }
        let inside = builder.scope(scope, ScopeKind::Function, node);
        let name = builder.intern_made("function");
        let binding = builder.bind_name(inside, BindingKind::Function, name, node.start_byte());
        builder.own(binding, inside);
        builder.binding(binding).annotation = Some(returns);
        builder.expr(Expr::Function { binding })
    }

    /// The types of parameters whose names nobody uses.
    pub(super) fn parameter_types(&mut self, list: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.each(list, builder, |binder, parameter, builder| {
            builder.deeper(parameter, |builder| match binder.g.kind(parameter) {
                Kind::ParameterDeclaration => {
                    let mut specified = false;
                    binder.each(parameter, builder, |binder, child, builder| {
                        if binder.is_declarator(child) && (specified || !binder.is_type(child)) {
                            let unknown = builder.unknown();
                            if let Some(declared) = binder.declarator(child, unknown, scope, builder)
                                && let Some(parameters) = declared.parameters
                            {
                                binder.parameter_types(parameters, scope, builder);
                            }
                        } else {
                            specified |= binder.is_type(child);
                            binder.item_or_type(child, scope, builder);
                        }
                    });
                }
                Kind::Identifier => {}
                _ => binder.item(parameter, scope, builder),
            });
        });
    }

    /// Binds the parameters of a function in its scope `inside`; their types are looked up from `scope`.
    pub(super) fn parameters(
        &mut self,
        list: Node<'t>,
        inside: ScopeId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        self.each(list, builder, |binder, parameter, builder| {
            if binder.g.kind(parameter) != Kind::ParameterDeclaration {
                // A name alone is declared below, in the style of old.
                if binder.g.kind(parameter) != Kind::Identifier {
                    binder.item(parameter, scope, builder);
                }
                return;
            }
            let mut declares = None;
            binder.each(parameter, builder, |binder, child, builder| {
                if declares.is_none() && binder.is_type(child) {
                    declares = Some(binder.type_of(child, scope, builder));
                } else if binder.is_declarator(child) {
                    let known = declares.unwrap_or(builder.unknown());
                    if let Some(mut declared) = binder.declarator(child, known, scope, builder) {
                        if let Some(parameters) = declared.parameters {
                            binder.parameter_types(parameters, scope, builder);
                            declared.declares = binder.function_type(child, declared.declares, scope, builder);
                        }
                        let bound = builder.bind(inside, BindingKind::Parameter, declared.name);
                        builder.binding(bound).annotation =
                            Some(declared.declares).filter(|declares| *declares != builder.unknown());
                    }
                } else {
                    binder.item(child, scope, builder);
                }
            });
        });
    }

    /// A part of a declaration's head.
    pub(super) fn item_or_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if self.is_type(node) {
            self.type_of(node, scope, builder);
        } else {
            self.item(node, scope, builder);
        }
    }

    pub(super) fn is_type(&self, node: Node<'t>) -> bool {
        matches!(
            self.g.kind(node),
            Kind::StructSpecifier
                | Kind::UnionSpecifier
                | Kind::EnumSpecifier
                | Kind::MacroTypeSpecifier
                | Kind::SizedTypeSpecifier
                | Kind::PrimitiveType
                | Kind::TypeIdentifier
        )
    }

    /// The type that is written at `node`.
    pub(super) fn type_of(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                // C23's `auto` is no type that anyone declares.
                if matches!(builder.text(node), "auto" | "") {
                    return builder.unknown();
                }
                builder.use_name(node, scope, Role::Type)
            }
            Kind::PrimitiveType => builder.unknown(),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
                builder.deeper(node, |builder| Some(self.specifier(node, scope, builder))).unwrap_or(builder.unknown())
            }
            Kind::SizedTypeSpecifier => match self.field(node, self.g.r#type) {
                Some(inner) => self.type_of(inner, scope, builder),
                None => builder.unknown(),
            },
            Kind::MacroTypeSpecifier => {
                if let Some(name) = self.field(node, self.g.name)
                    && !matches!(builder.text(name), "typeof" | "__typeof__" | "Atomic_" | "_Atomic")
                {
                    builder.use_name(name, scope, Role::Call);
                }
                match self.field(node, self.g.r#type) {
                    Some(inner) => self.type_of(inner, scope, builder),
                    None => builder.unknown(),
                }
            }
            Kind::TypeDescriptor => builder.deeper(node, |builder| self.descriptor(node, scope, builder)),
            _ => {
                self.item(node, scope, builder);
                builder.unknown()
            }
        }
    }

    /// A type without a name: in a cast, in `sizeof`.
    fn descriptor(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut meant = builder.unknown();
        if let Some(written) = self.field(node, self.g.r#type) {
            meant = self.type_of(written, scope, builder);
        }
        let mut next = self.field(node, self.g.declarator);
        while let Some(declarator) = next {
            if self.g.kind(declarator) == Kind::AbstractFunctionDeclarator {
                if let Some(parameters) = self.field(declarator, self.g.parameters) {
                    self.parameter_types(parameters, scope, builder);
                }
                meant = self.function_type(declarator, meant, scope, builder);
            }
            let inner = self.field(declarator, self.g.declarator).or_else(|| self.first_child(declarator));
            next = inner.filter(|inner| inner.kind().starts_with("abstract_"));
        }
        meant
    }
}
