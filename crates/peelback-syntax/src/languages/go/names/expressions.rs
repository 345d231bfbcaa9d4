//! Expressions: what their names mean and what they give.

use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{Expr, ExprId, NamesBuilder, Role, ScopeId, ScopeKind};

impl<'t> Binder<'t> {
    /// The value of `node`; `role` is what its name does there.
    pub(super) fn value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        match self.g.kind(node) {
            Kind::Identifier => {
                if builder.text(node) == "_" {
                    return builder.unknown();
                }
                builder.use_name(node, scope, role)
            }
            Kind::InterpretedStringLiteral
            | Kind::RawStringLiteral
            | Kind::Comment
            | Kind::LabelName
            | Kind::BlankIdentifier => builder.unknown(),
            Kind::FieldIdentifier => {
                let unknown = builder.unknown();
                builder.use_member(unknown, node, role)
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
            | Kind::TypeConstraint => self.type_of(node, scope, builder),
            Kind::PackageIdentifier => builder.use_name(node, scope, Role::Read),
            _ => builder.deeper(node, |builder| self.made_value(node, scope, role, builder)),
        }
    }

    /// The value of an expression that is made of others.
    fn made_value(&mut self, node: Node<'t>, scope: ScopeId, role: Role, builder: &mut NamesBuilder<'_>) -> ExprId {
        match self.g.kind(node) {
            Kind::SelectorExpression => {
                let operand = self.field(node, self.g.operand);
                let base = self.optional(operand, scope, builder);
                match self.field(node, self.g.field) {
                    Some(name) => builder.use_member(base, name, if role == Role::Read { Role::Member } else { role }),
                    None => builder.unknown(),
                }
            }
            Kind::CallExpression => self.call(node, scope, builder),
            Kind::ParenthesizedExpression => match self.first_child(node) {
                Some(inner) => self.value(inner, scope, role, builder),
                None => builder.unknown(),
            },
            Kind::UnaryExpression => {
                let operand = self.field(node, self.g.operand);
                let value = self.optional(operand, scope, builder);
                match self.operator(node, builder) {
                    "<-" => builder.expr(Expr::Element { of: value }),
                    "!" => builder.unknown(),
                    _ => value,
                }
            }
            Kind::BinaryExpression => {
                let left = self.field(node, self.g.left);
                let left = self.optional(left, scope, builder);
                let right = self.field(node, self.g.right);
                let right = self.optional(right, scope, builder);
                match self.operator(node, builder) {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" => builder.unknown(),
                    _ if left == builder.unknown() => right,
                    _ => left,
                }
            }
            Kind::IndexExpression => {
                let operand = self.field(node, self.g.operand);
                let of = match operand {
                    // A generic function with its type argument is called as the function is.
                    Some(operand) if role == Role::Call => self.value(operand, scope, role, builder),
                    operand => self.optional(operand, scope, builder),
                };
                let index = self.field(node, self.g.index);
                self.optional(index, scope, builder);
                builder.expr(Expr::Element { of })
            }
            Kind::SliceExpression => {
                let operand = self.field(node, self.g.operand);
                let sliced = self.optional(operand, scope, builder);
                self.each(node, builder, |binder, child, builder| {
                    if Some(child) != operand {
                        binder.value(child, scope, Role::Read, builder);
                    }
                });
                sliced
            }
            Kind::TypeAssertionExpression => {
                let operand = self.field(node, self.g.operand);
                self.optional(operand, scope, builder);
                self.instance_of_type(node, scope, builder)
            }
            Kind::TypeConversionExpression => {
                let operand = self.field(node, self.g.operand);
                self.optional(operand, scope, builder);
                // `f[T](x)` looks like a conversion.
                match self.field(node, self.g.r#type).filter(|written| self.g.kind(*written) == Kind::GenericType) {
                    Some(written) => {
                        let callee = self.instantiated(written, scope, builder);
                        builder.expr(Expr::Call { callee })
                    }
                    None => self.instance_of_type(node, scope, builder),
                }
            }
            Kind::TypeInstantiationExpression => {
                let base = self.field(node, self.g.r#type);
                let base_expr = match base {
                    // It looks like a type and may be a function.
                    Some(base) if self.g.kind(base) == Kind::TypeIdentifier => builder.use_name(base, scope, role),
                    Some(base) => self.type_of(base, scope, builder),
                    None => builder.unknown(),
                };
                let mut args = Vec::new();
                self.each(node, builder, |binder, child, builder| {
                    if Some(child) != base {
                        args.push(binder.type_of(child, scope, builder));
                    }
                });
                let args = builder.list(&args);
                builder.expr(Expr::Generic { base: Some(base_expr), args })
            }
            Kind::CompositeLiteral => self.composite(node, scope, builder),
            Kind::FuncLiteral => {
                let inside = builder.scope(scope, ScopeKind::Function, node);
                let function = self.nameless(node, inside, builder);
                self.signature(node, inside, function, builder);
                self.body(node, inside, builder);
                builder.expr(Expr::Function { binding: function })
            }
            Kind::LiteralValue => {
                let unknown = builder.unknown();
                self.literal(node, unknown, None, scope, builder);
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
                self.statement(node, scope, builder);
                builder.unknown()
            }
            _ => {
                self.each(node, builder, |binder, child, builder| {
                    binder.value(child, scope, Role::Read, builder);
                });
                builder.unknown()
            }
        }
    }

    fn optional(&mut self, node: Option<Node<'t>>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        match node {
            Some(node) => self.value(node, scope, Role::Read, builder),
            None => builder.unknown(),
        }
    }

    fn operator<'s>(&self, node: Node<'t>, builder: &NamesBuilder<'s>) -> &'s str {
        self.field(node, self.g.operator).map_or("", |operator| builder.text(operator))
    }

    /// An instance of the type under the field `type`.
    /// `f[T]` where it is called.
    fn instantiated(&mut self, written: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let base = match self.field(written, self.g.r#type) {
            Some(base) if self.g.kind(base) == Kind::TypeIdentifier => builder.use_name(base, scope, Role::Call),
            Some(base) if self.g.kind(base) == Kind::QualifiedType => {
                let (package, name) = (self.field(base, self.g.package), self.field(base, self.g.name));
                let (Some(package), Some(name)) = (package, name) else { return builder.unknown() };
                let package = builder.use_name(package, scope, Role::Read);
                builder.use_member(package, name, Role::Call)
            }
            Some(base) => self.type_of(base, scope, builder),
            None => builder.unknown(),
        };
        let mut args = Vec::new();
        if let Some(list) = self.field(written, self.g.type_arguments) {
            self.each(list, builder, |binder, argument, builder| args.push(binder.type_of(argument, scope, builder)));
        }
        let args = builder.list(&args);
        builder.expr(Expr::Generic { base: Some(base), args })
    }

    fn instance_of_type(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(written) = self.field(node, self.g.r#type) else { return builder.unknown() };
        let of = self.type_of(written, scope, builder);
        builder.expr(Expr::Instance { of })
    }

    fn call(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(function) = self.field(node, self.g.function) else { return builder.unknown() };
        let name = if self.g.kind(function) == Kind::Identifier { builder.text(function) } else { "" };
        let mut callee = self.value(function, scope, Role::Call, builder);
        if let Some(list) = self.field(node, self.g.type_arguments) {
            let mut args = Vec::new();
            self.each(list, builder, |binder, argument, builder| args.push(binder.type_of(argument, scope, builder)));
            let args = builder.list(&args);
            callee = builder.expr(Expr::Generic { base: Some(callee), args });
        }
        let mut first = None;
        if let Some(arguments) = self.field(node, self.g.arguments) {
            self.each(arguments, builder, |binder, argument, builder| {
                let value = binder.value(argument, scope, Role::Read, builder);
                first.get_or_insert(value);
            });
        }
        match (name, first) {
            ("new" | "make", Some(of)) => builder.expr(Expr::Instance { of }),
            ("append", Some(slice)) => slice,
            _ => builder.expr(Expr::Call { callee }),
        }
    }

    /// `T{…}`.
    fn composite(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) -> ExprId {
        let Some(written) = self.field(node, self.g.r#type) else { return builder.unknown() };
        let of = self.type_of(written, scope, builder);
        let value = builder.expr(Expr::Instance { of });
        let fields = match self.g.kind(written) {
            Kind::StructType => Some(true),
            Kind::MapType | Kind::SliceType | Kind::ArrayType | Kind::ImplicitLengthArrayType => Some(false),
            Kind::TypeIdentifier => {
                let name = builder.name(written);
                self.maps.contains(&name).then_some(false)
            }
            _ => None,
        };
        if let Some(body) = self.field(node, self.g.body) {
            self.literal(body, value, fields, scope, builder);
        }
        value
    }

    /// The inside of a composite literal that makes `value`; `fields` tells whether its keys name fields, where that is
    /// known.
    fn literal(
        &mut self,
        node: Node<'t>,
        value: ExprId,
        fields: Option<bool>,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let fields = fields.unwrap_or_else(|| self.keys_are_names(node, builder));
        self.each(node, builder, |binder, entry, builder| match binder.g.kind(entry) {
            Kind::KeyedElement => {
                if let Some(key) = binder.field(entry, binder.g.key) {
                    let inner = binder.first_child(key).unwrap_or(key);
                    if fields && binder.g.kind(inner) == Kind::Identifier {
                        builder.use_member(value, inner, Role::Write);
                    } else {
                        let kind = Expr::Item { of: value, index: 0 };
                        binder.element(key, kind, scope, builder);
                    }
                }
                if let Some(held) = binder.field(entry, binder.g.value) {
                    binder.element(held, Expr::Element { of: value }, scope, builder);
                }
            }
            _ => binder.element(entry, Expr::Element { of: value }, scope, builder),
        });
    }

    /// A value inside a literal; where its type is left out, it makes `elided`.
    fn element(&mut self, node: Node<'t>, elided: Expr, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        let inner = match self.g.kind(node) {
            Kind::LiteralElement => self.first_child(node).unwrap_or(node),
            _ => node,
        };
        if self.g.kind(inner) == Kind::LiteralValue {
            builder.deeper(inner, |builder| {
                let value = builder.expr(elided);
                self.literal(inner, value, None, scope, builder);
            });
        } else {
            self.value(inner, scope, Role::Read, builder);
        }
    }

    /// Whether every key of a literal is a bare name, as those of a struct are.
    fn keys_are_names(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> bool {
        let mut names = true;
        self.each(node, builder, |binder, entry, _| {
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
