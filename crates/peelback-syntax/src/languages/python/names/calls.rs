//! Calls and subscripts, with those of the standard library whose value their arguments tell.

use tree_sitter::Node;

use super::{Around, Binder, Field, Kind};
use crate::names::{Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, Target};

/// What the arguments of a call are, as far as their values matter.
#[derive(Default)]
struct Arguments {
    /// The values of the positional ones.
    values: Vec<ExprId>,
}

impl<'t> Binder<'t> {
    pub(super) fn call(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let [function, arguments] = self.fields(node, [Field::Function, Field::Arguments]);
        let Some(function) = function else {
            self.body(builder, node);
            return builder.unknown();
        };
        let role = if role == Role::Decorator { role } else { Role::Call };
        let text = builder.text(function);
        let callee = self.expression(builder, function, role);
        let Some(arguments) = arguments else { return builder.expr(Expr::Call { callee }) };
        if self.frame.home == FILE_SCOPE
            && self.frame.around == Around::File
            && let Some(method) = text.strip_prefix("__all__.")
        {
            self.all_does(builder, method, arguments);
            return builder.unknown();
        }
        // Names of the standard library, unless the file has one of its own.
        let last = text.rsplit('.').next().unwrap_or(text);
        let special =
            is_special(last) && (self.kind(function) == Kind::Attribute || !self.is_shadowed(builder, function));
        if special && matches!(last, "cast" | "NewType") {
            return self.typed_call(builder, last, callee, arguments);
        }
        let given = self.arguments(builder, callee, arguments);
        if special && let Some(value) = self.known_call(builder, text, last, &given) {
            return value;
        }
        builder.expr(Expr::Call { callee })
    }

    /// Whether a bare name means something of the file's own, other than an import.
    fn is_shadowed(&self, builder: &mut NamesBuilder<'_>, function: Node<'t>) -> bool {
        let name = builder.name(function);
        self.is_bound(builder, name) && !self.is_imported(builder, name)
    }

    fn is_imported(&self, builder: &mut NamesBuilder<'_>, name: crate::names::NameId) -> bool {
        let known = self.bound.get(&(FILE_SCOPE, name)).copied();
        known.is_some_and(|known| builder.binding(known).kind == crate::names::BindingKind::Import)
    }

    fn arguments(&mut self, builder: &mut NamesBuilder<'_>, callee: ExprId, node: Node<'t>) -> Arguments {
        let mut given = Arguments::default();
        if self.kind(node) != Kind::ArgumentList {
            given.values.push(self.expression(builder, node, Role::Read));
            return given;
        }
        self.each(builder, node, |binder, builder, child| match binder.kind(child.node) {
            Kind::KeywordArgument => {
                let [name, value] = binder.fields(child.node, [Field::Name, Field::Value]);
                if let Some(name) = name {
                    binder.keyword(builder, name, callee);
                }
                if let Some(value) = value {
                    binder.expression(builder, value, Role::Read);
                }
            }
            _ => {
                let value = binder.expression(builder, child.node, Role::Read);
                given.values.push(value);
            }
        });
        given
    }

    /// `name=…` in a call.
    pub(super) fn keyword(&mut self, builder: &mut NamesBuilder<'_>, name: Node<'t>, callee: ExprId) {
        builder.occur(name, Role::Write, Target::Parameter { callee });
    }

    /// `cast(T, value)`, `NewType("N", T)`.
    fn typed_call(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        last: &str,
        callee: ExprId,
        arguments: Node<'t>,
    ) -> ExprId {
        let kids = self.children(arguments);
        let mut types = builder.unknown();
        let mut at = 0;
        while let Some(child) = self.child(kids, at) {
            let is_type = at == usize::from(last == "NewType");
            match self.kind(child.node) {
                Kind::KeywordArgument => {
                    let [name, value] = self.fields(child.node, [Field::Name, Field::Value]);
                    if let Some(name) = name {
                        self.keyword(builder, name, callee);
                    }
                    if let Some(value) = value {
                        self.expression(builder, value, Role::Read);
                    }
                }
                _ if is_type => types = self.annotation(builder, child.node),
                _ => {
                    self.expression(builder, child.node, Role::Read);
                }
            }
            at += 1;
        }
        self.done(kids);
        // A new type is called like the one that it is made of.
        if last == "NewType" { types } else { self.instance(builder, types) }
    }

    /// The value of a call of the standard library.
    fn known_call(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        text: &str,
        last: &str,
        given: &Arguments,
    ) -> Option<ExprId> {
        let first = given.values.first().copied();
        let is_bare = text == last;
        match (last, is_bare) {
            ("super", true) => Some(builder.expr(Expr::Super { scope: self.scope })),
            ("type", true) if given.values.len() == 1 => first.map(|of| builder.expr(Expr::TypeOf { of })),
            ("list" | "set" | "tuple" | "frozenset" | "sorted" | "reversed" | "iter" | "dict", true) => {
                first.filter(|first| *first != builder.unknown())
            }
            ("next" | "max" | "min", true) if given.values.len() == 1 || last == "next" => {
                first.map(|of| self.element(builder, of))
            }
            ("enumerate", true) => {
                let element = first.map(|of| self.element(builder, of))?;
                let pair = builder.list(&[builder.unknown(), element]);
                let pair = builder.expr(Expr::Tuple(pair));
                Some(self.container(builder, &[pair]))
            }
            ("zip", true) => {
                let parts: Vec<ExprId> = given.values.iter().map(|of| self.element(builder, *of)).collect();
                let tuple = builder.list(&parts);
                let tuple = builder.expr(Expr::Tuple(tuple));
                Some(self.container(builder, &[tuple]))
            }
            ("map", true) => {
                let callee = first.filter(|first| *first != builder.unknown())?;
                let value = builder.expr(Expr::Call { callee });
                Some(self.container(builder, &[value]))
            }
            ("filter", true) => given.values.get(1).copied(),
            ("copy" | "deepcopy" | "partial", _) => {
                let bare = is_bare || text.starts_with("copy.") || text.starts_with("functools.");
                first.filter(|first| bare && *first != builder.unknown())
            }
            _ => None,
        }
    }

    /// `a[b]`: a part of `a`, or a generic type with its arguments.
    pub(super) fn subscript(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [value] = self.fields(node, [Field::Value]);
        let Some(value) = value else {
            self.body(builder, node);
            return builder.unknown();
        };
        if self.is_generic(builder, node, value) {
            return self.generic_subscript(builder, node);
        }
        let of = self.expression(builder, value, Role::Read);
        let kids = self.children(node);
        let mut at = 0;
        let mut slice = false;
        let mut index = None;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            if child.field == Field::Value {
                continue;
            }
            slice |= self.kind(child.node) == Kind::Slice;
            if self.kind(child.node) == Kind::Integer {
                index = builder.text(child.node).parse::<u32>().ok();
            }
            self.expression(builder, child.node, Role::Read);
        }
        self.done(kids);
        match index {
            _ if of == builder.unknown() || slice => of,
            Some(index) => builder.expr(Expr::Item { of, index }),
            None => builder.expr(Expr::Element { of }),
        }
    }

    /// Whether a subscript in a place for values is a type: `List[int]`, `Response[User]`.
    fn is_generic(&mut self, builder: &NamesBuilder<'_>, node: Node<'t>, value: Node<'t>) -> bool {
        let last = builder.text(value).rsplit('.').next().unwrap_or("");
        let builtin = matches!(last, "list" | "dict" | "set" | "tuple" | "frozenset" | "type");
        let mut letters = last.trim_start_matches('_').chars();
        let is_class_name = letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase);
        if !(builtin || is_class_name) {
            return false;
        }
        let kids = self.children(node);
        let arguments = self.kids.get(kids.start..).unwrap_or(&[]);
        let all = arguments.iter().filter(|child| child.field != Field::Value).all(|child| {
            matches!(
                self.kind(child.node),
                Kind::Identifier
                    | Kind::Attribute
                    | Kind::Subscript
                    | Kind::Tuple
                    | Kind::None
                    | Kind::List
                    | Kind::Ellipsis
                    | Kind::BinaryOperator
            ) || (builtin && self.kind(child.node) == Kind::String)
                || matches!(last, "Optional" | "Union" | "List" | "Dict" | "Type" | "Annotated" | "Literal")
        });
        self.done(kids);
        all
    }
}

/// Names whose calls have a value that their arguments tell.
fn is_special(name: &str) -> bool {
    matches!(
        name,
        "super"
            | "type"
            | "cast"
            | "NewType"
            | "list"
            | "set"
            | "tuple"
            | "frozenset"
            | "sorted"
            | "reversed"
            | "iter"
            | "dict"
            | "next"
            | "max"
            | "min"
            | "enumerate"
            | "zip"
            | "map"
            | "filter"
            | "copy"
            | "deepcopy"
            | "partial"
    )
}
