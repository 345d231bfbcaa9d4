//! Expressions: what their names mean and what they give.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Cx, Expr, ExprId, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of `node`; `role` is what its name does there.
    pub(super) fn value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::Identifier => {
                if cx.text(node) == "_" {
                    return cx.unknown();
                }
                cx.use_name(node, scope, role)
            }
            Kind::InterpretedStringLiteral
            | Kind::RawStringLiteral
            | Kind::Comment
            | Kind::LabelName
            | Kind::BlankIdentifier => cx.unknown(),
            Kind::FieldIdentifier => {
                let unknown = cx.unknown();
                cx.use_member(unknown, node, role)
            }
            Kind::TypeIdentifier
            | Kind::QualifiedType
            | Kind::GenericType
            | Kind::PointerType
            | Kind::ParenthesizedType
            | Kind::NegatedType
            | Kind::SliceType
            | Kind::ArrayType
            | Kind::ImplicitLengthArrayType
            | Kind::MapType
            | Kind::ChannelType
            | Kind::FunctionType
            | Kind::StructType
            | Kind::InterfaceType
            | Kind::TypeElem
            | Kind::TypeConstraint => self.type_of(node, scope, cx),
            Kind::PackageIdentifier => cx.use_name(node, scope, Role::Read),
            _ => cx.deeper(node, |cx| self.made_value(node, scope, role, cx)),
        }
    }

    /// The value of an expression that is made of others.
    fn made_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, cx: &mut Cx<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::SelectorExpression => {
                let operand = self.field(node, self.g.operand);
                let base = self.optional(operand, scope, cx);
                match self.field(node, self.g.field) {
                    Some(name) => cx.use_member(base, name, if role == Role::Read { Role::Member } else { role }),
                    None => cx.unknown(),
                }
            }
            Kind::CallExpression => self.call(node, scope, cx),
            Kind::ParenthesizedExpression => match self.first_child(node) {
                Some(inner) => self.value(inner, scope, role, cx),
                None => cx.unknown(),
            },
            Kind::UnaryExpression => {
                let operand = self.field(node, self.g.operand);
                let value = self.optional(operand, scope, cx);
                match self.operator(node, cx) {
                    "<-" => cx.expr(Expr::Element { of: value }),
                    "!" => cx.unknown(),
                    _ => value,
                }
            }
            Kind::BinaryExpression => {
                let left = self.field(node, self.g.left);
                let left = self.optional(left, scope, cx);
                let right = self.field(node, self.g.right);
                let right = self.optional(right, scope, cx);
                match self.operator(node, cx) {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => cx.unknown(),
                    _ if left == cx.unknown() => right,
                    _ => left,
                }
            }
            Kind::IndexExpression => {
                let operand = self.field(node, self.g.operand);
                let of = match operand {
                    // A generic function with its type argument is called as the function is.
                    Some(operand) if role == Role::Call => self.value(operand, scope, role, cx),
                    operand => self.optional(operand, scope, cx),
                };
                let index = self.field(node, self.g.index);
                self.optional(index, scope, cx);
                cx.expr(Expr::Element { of })
            }
            Kind::SliceExpression => {
                let operand = self.field(node, self.g.operand);
                let sliced = self.optional(operand, scope, cx);
                self.each(node, cx, |binder, child, cx| {
                    if Some(child) != operand {
                        binder.value(child, scope, Role::Read, cx);
                    }
                });
                sliced
            }
            Kind::TypeAssertionExpression => {
                let operand = self.field(node, self.g.operand);
                self.optional(operand, scope, cx);
                self.instance_of_type(node, scope, cx)
            }
            Kind::TypeConversionExpression => {
                let operand = self.field(node, self.g.operand);
                self.optional(operand, scope, cx);
                // `f[T](x)` looks like a conversion.
                match self.field(node, self.g.r#type).filter(|written| self.g.kind(*written) == Kind::GenericType) {
                    Some(written) => {
                        let callee = self.instantiated(written, scope, cx);
                        cx.expr(Expr::Call { callee })
                    }
                    None => self.instance_of_type(node, scope, cx),
                }
            }
            Kind::TypeInstantiationExpression => {
                let base = self.field(node, self.g.r#type);
                let base_expr = match base {
                    // It looks like a type and may be a function.
                    Some(base) if self.g.kind(base) == Kind::TypeIdentifier => cx.use_name(base, scope, role),
                    Some(base) => self.type_of(base, scope, cx),
                    None => cx.unknown(),
                };
                let mut args = Vec::new();
                self.each(node, cx, |binder, child, cx| {
                    if Some(child) != base {
                        args.push(binder.type_of(child, scope, cx));
                    }
                });
                let args = cx.list(&args);
                cx.expr(Expr::Generic { base: Some(base_expr), args })
            }
            Kind::CompositeLiteral => self.composite(node, scope, cx),
            Kind::FuncLiteral => {
                let inside = cx.scope(scope, ScopeKind::Function, node);
                let function = self.nameless(node, inside, cx);
                self.signature(node, inside, function, cx);
                self.body(node, inside, cx);
                cx.expr(Expr::Function { binding: function })
            }
            Kind::LiteralValue => {
                let unknown = cx.unknown();
                self.literal(node, unknown, None, scope, cx);
                unknown
            }
            // Statements stand among expressions where the source is broken.
            Kind::Block
            | Kind::ShortVarDeclaration
            | Kind::AssignmentStatement
            | Kind::VarDeclaration
            | Kind::ConstDeclaration
            | Kind::TypeDeclaration
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::ForClause
            | Kind::RangeClause
            | Kind::ReceiveStatement
            | Kind::ExpressionSwitchStatement
            | Kind::TypeSwitchStatement
            | Kind::SelectStatement
            | Kind::StatementList
            | Kind::FunctionDeclaration
            | Kind::MethodDeclaration
            | Kind::IncStatement
            | Kind::DecStatement => {
                self.statement(node, scope, cx);
                cx.unknown()
            }
            _ => {
                self.each(node, cx, |binder, child, cx| {
                    binder.value(child, scope, Role::Read, cx);
                });
                cx.unknown()
            }
        }
    }

    fn optional(&mut self, node: Option<Node<'t>>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        match node {
            Some(node) => self.value(node, scope, Role::Read, cx),
            None => cx.unknown(),
        }
    }

    fn operator<'s>(&self, node: Node<'t>, cx: &Cx<'s>) -> &'s str {
        self.field(node, self.g.operator).map_or("", |operator| cx.text(operator))
    }

    /// An instance of the type under the field `type`.
    /// `f[T]` where it is called.
    fn instantiated(&mut self, written: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let base = match self.field(written, self.g.r#type) {
            Some(base) if self.g.kind(base) == Kind::TypeIdentifier => cx.use_name(base, scope, Role::Call),
            Some(base) if self.g.kind(base) == Kind::QualifiedType => {
                let (package, name) = (self.field(base, self.g.package), self.field(base, self.g.name));
                let (Some(package), Some(name)) = (package, name) else { return cx.unknown() };
                let package = cx.use_name(package, scope, Role::Read);
                cx.use_member(package, name, Role::Call)
            }
            Some(base) => self.type_of(base, scope, cx),
            None => cx.unknown(),
        };
        let mut args = Vec::new();
        if let Some(list) = self.field(written, self.g.type_arguments) {
            self.each(list, cx, |binder, argument, cx| args.push(binder.type_of(argument, scope, cx)));
        }
        let args = cx.list(&args);
        cx.expr(Expr::Generic { base: Some(base), args })
    }

    fn instance_of_type(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let Some(written) = self.field(node, self.g.r#type) else { return cx.unknown() };
        let of = self.type_of(written, scope, cx);
        cx.expr(Expr::Instance { of })
    }

    fn call(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let Some(function) = self.field(node, self.g.function) else { return cx.unknown() };
        let name = if self.g.kind(function) == Kind::Identifier { cx.text(function) } else { "" };
        let mut callee = self.value(function, scope, Role::Call, cx);
        if let Some(list) = self.field(node, self.g.type_arguments) {
            let mut args = Vec::new();
            self.each(list, cx, |binder, argument, cx| args.push(binder.type_of(argument, scope, cx)));
            let args = cx.list(&args);
            callee = cx.expr(Expr::Generic { base: Some(callee), args });
        }
        let mut first = None;
        if let Some(arguments) = self.field(node, self.g.arguments) {
            self.each(arguments, cx, |binder, argument, cx| {
                let value = binder.value(argument, scope, Role::Read, cx);
                first.get_or_insert(value);
            });
        }
        match (name, first) {
            ("new" | "make", Some(of)) => cx.expr(Expr::Instance { of }),
            ("append", Some(slice)) => slice,
            _ => cx.expr(Expr::Call { callee }),
        }
    }

    /// `T{…}`.
    fn composite(&mut self, node: Node<'t>, scope: ScopeId, cx: &mut Cx<'_>) -> ExprId {
        let Some(written) = self.field(node, self.g.r#type) else { return cx.unknown() };
        let of = self.type_of(written, scope, cx);
        let value = cx.expr(Expr::Instance { of });
        let fields = match self.g.kind(written) {
            Kind::StructType => Some(true),
            Kind::MapType | Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => Some(false),
            Kind::TypeIdentifier => {
                let name = cx.name(written);
                self.maps.contains(&name).then_some(false)
            }
            _ => None,
        };
        if let Some(body) = self.field(node, self.g.body) {
            self.literal(body, value, fields, scope, cx);
        }
        value
    }

    /// The inside of a composite literal that makes `value`; `fields` tells whether its keys name fields, where that is
    /// known.
    fn literal(&mut self, node: Node<'t>, value: ExprId, fields: Option<bool>, scope: ScopeId, cx: &mut Cx<'_>) {
        let fields = fields.unwrap_or_else(|| self.keys_are_names(node, cx));
        self.each(node, cx, |binder, entry, cx| match binder.g.kind(entry) {
            Kind::KeyedElement => {
                if let Some(key) = binder.field(entry, binder.g.key) {
                    let inner = binder.first_child(key).unwrap_or(key);
                    if fields && binder.g.kind(inner) == Kind::Identifier {
                        cx.use_member(value, inner, Role::Write);
                    } else {
                        let kind = Expr::Item { of: value, index: 0 };
                        binder.element(key, kind, scope, cx);
                    }
                }
                if let Some(held) = binder.field(entry, binder.g.value) {
                    binder.element(held, Expr::Element { of: value }, scope, cx);
                }
            }
            _ => binder.element(entry, Expr::Element { of: value }, scope, cx),
        });
    }

    /// A value inside a literal; where its type is left out, it makes `elided`.
    fn element(&mut self, node: Node<'t>, elided: Expr, scope: ScopeId, cx: &mut Cx<'_>) {
        let inner = match self.g.kind(node) {
            Kind::LiteralElement => self.first_child(node).unwrap_or(node),
            _ => node,
        };
        if self.g.kind(inner) == Kind::LiteralValue {
            cx.deeper(inner, |cx| {
                let value = cx.expr(elided);
                self.literal(inner, value, None, scope, cx);
            });
        } else {
            self.value(inner, scope, Role::Read, cx);
        }
    }

    /// Whether every key of a literal is a bare name, as those of a struct are.
    fn keys_are_names(&mut self, node: Node<'t>, cx: &mut Cx<'_>) -> bool {
        let mut names = true;
        self.each(node, cx, |binder, entry, _| {
            if binder.g.kind(entry) == Kind::KeyedElement
                && let Some(key) = binder.field(entry, binder.g.key)
            {
                let inner = binder.first_child(key).unwrap_or(key);
                names &= binder.g.kind(inner) == Kind::Identifier;
            }
        });
        names
    }
}
