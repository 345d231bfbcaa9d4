//! Declarators: what a declaration names, and of which type.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingKind, Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

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
        cx: &mut Cx<'_>,
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
                    self.beside(at, inner, scope, cx);
                    if let Some(name) = self.plain_name(inner) {
                        return Some(Declared { name, declares, parameters, is_function: true, is_array: false });
                    }
                    if let Some(parameters) = parameters {
                        self.parameter_types(parameters, scope, cx);
                    }
                    declares = self.function_type(at, declares, scope, cx);
                    at = inner;
                    is_array = false;
                }
                Kind::ArrayDeclarator => {
                    is_array = true;
                    let inner = self.inner(at)?;
                    self.beside(at, inner, scope, cx);
                    at = inner;
                }
                Kind::PointerDeclarator | Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => {
                    let inner = self.inner(at)?;
                    self.beside(at, inner, scope, cx);
                    at = inner;
                }
                _ => {
                    self.item(at, scope, cx);
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
    fn beside(&mut self, node: Node<'t>, inner: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        if node.named_child_count() < 2 {
            return;
        }
        self.each(node, cx, |binder, child, cx| {
            if child != inner && !matches!(binder.g.kind(child), Kind::ParameterList | Kind::TypeQualifier) {
                binder.item(child, scope, cx);
            }
        });
    }

    /// A function without a name that gives `returns`.
    pub(super) fn function_type(&mut self, node: Node<'t>, returns: ExprId, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        if returns == cx.unknown() {
            return returns;
        }
        let inside = cx.scope(scope, ScopeKind::Function, node);
        let name = cx.intern_made("function");
        let binding = cx.bind_name(inside, BindingKind::Function, name, node.start_byte());
        cx.own(binding, inside);
        cx.binding(binding).annotation = Some(returns);
        cx.expr(Expr::Function { binding })
    }

    /// The types of parameters whose names nobody uses.
    pub(super) fn parameter_types(&mut self, list: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(list, cx, |binder, parameter, cx| {
            cx.deeper(parameter, |cx| match binder.g.kind(parameter) {
                Kind::ParameterDeclaration => {
                    let mut specified = false;
                    binder.each(parameter, cx, |binder, child, cx| {
                        if binder.is_declarator(child) && (specified || !binder.is_type(child)) {
                            let unknown = cx.unknown();
                            if let Some(declared) = binder.declarator(child, unknown, scope, cx)
                                && let Some(parameters) = declared.parameters
                            {
                                binder.parameter_types(parameters, scope, cx);
                            }
                        } else {
                            specified |= binder.is_type(child);
                            binder.item_or_type(child, scope, cx);
                        }
                    });
                }
                Kind::Identifier => {}
                _ => binder.item(parameter, scope, cx),
            });
        });
    }

    /// Binds the parameters of a function in its scope `inside`; their types are looked up from `scope`.
    pub(super) fn parameters(&mut self, list: Node<'t>, inside: ScopeId, scope: ScopeId, cx: &mut Cx<'_>) {
        self.each(list, cx, |binder, parameter, cx| {
            if binder.g.kind(parameter) != Kind::ParameterDeclaration {
                // A name alone is declared below, in the style of old.
                if binder.g.kind(parameter) != Kind::Identifier {
                    binder.item(parameter, scope, cx);
                }
                return;
            }
            let mut declares = None;
            binder.each(parameter, cx, |binder, child, cx| {
                if declares.is_none() && binder.is_type(child) {
                    declares = Some(binder.type_of(child, scope, cx));
                } else if binder.is_declarator(child) {
                    let known = declares.unwrap_or(cx.unknown());
                    if let Some(mut declared) = binder.declarator(child, known, scope, cx) {
                        if let Some(parameters) = declared.parameters {
                            binder.parameter_types(parameters, scope, cx);
                            declared.declares = binder.function_type(child, declared.declares, scope, cx);
                        }
                        let bound = cx.bind(inside, BindingKind::Parameter, declared.name);
                        cx.binding(bound).annotation =
                            Some(declared.declares).filter(|declares| *declares != cx.unknown());
                    }
                } else {
                    binder.item(child, scope, cx);
                }
            });
        });
    }

    /// A part of a declaration's head.
    pub(super) fn item_or_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) {
        if self.is_type(node) {
            self.type_of(node, scope, cx);
        } else {
            self.item(node, scope, cx);
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
    pub(super) fn type_of(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::TypeIdentifier | Kind::Identifier => {
                // C23's `auto` is no type that anyone declares.
                if matches!(cx.text(node), "auto" | "") {
                    return cx.unknown();
                }
                cx.use_name(node, scope, Role::Type)
            }
            Kind::PrimitiveType => cx.unknown(),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier => {
                cx.deeper(node, |cx| Some(self.specifier(node, scope, cx))).unwrap_or(cx.unknown())
            }
            Kind::SizedTypeSpecifier => match self.field(node, self.g.r#type) {
                Some(inner) => self.type_of(inner, scope, cx),
                None => cx.unknown(),
            },
            Kind::MacroTypeSpecifier => {
                if let Some(name) = self.field(node, self.g.name)
                    && !matches!(cx.text(name), "typeof" | "__typeof__" | "Atomic_" | "_Atomic")
                {
                    cx.use_name(name, scope, Role::Call);
                }
                match self.field(node, self.g.r#type) {
                    Some(inner) => self.type_of(inner, scope, cx),
                    None => cx.unknown(),
                }
            }
            Kind::TypeDescriptor => cx.deeper(node, |cx| self.descriptor(node, scope, cx)),
            _ => {
                self.item(node, scope, cx);
                cx.unknown()
            }
        }
    }

    /// A type without a name: in a cast, in `sizeof`.
    fn descriptor(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let mut meant = cx.unknown();
        if let Some(written) = self.field(node, self.g.r#type) {
            meant = self.type_of(written, scope, cx);
        }
        let mut next = self.field(node, self.g.declarator);
        while let Some(declarator) = next {
            if self.g.kind(declarator) == Kind::AbstractFunctionDeclarator {
                if let Some(parameters) = self.field(declarator, self.g.parameters) {
                    self.parameter_types(parameters, scope, cx);
                }
                meant = self.function_type(declarator, meant, scope, cx);
            }
            let inner = self.field(declarator, self.g.declarator).or_else(|| self.first_child(declarator));
            next = inner.filter(|inner| inner.kind().starts_with("abstract_"));
        }
        meant
    }
}
