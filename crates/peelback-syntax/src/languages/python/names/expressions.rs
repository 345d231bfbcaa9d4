//! Expressions: what their values are, and the names in them.

use tree_sitter::Node;

use super::flow::unplaced;
use super::{Around, Binder, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeKind, Target};

/// What `isinstance(name, types)` says where it holds.
pub(super) struct Narrowed {
    pub name: NameId,
    pub types: ExprId,
    /// The byte after the call.
    pub from: usize,
    /// It stands behind a `not`.
    pub negative: bool,
}

impl<'t> Binder<'t> {
    /// Reads an expression. `role` is that of the name it ends with.
    pub(super) fn expression(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.use_name(builder, node, role),
            Kind::Integer => self.builtin(builder, "int"),
            Kind::Float => self.builtin(builder, "float"),
            Kind::True | Kind::False => self.builtin(builder, "bool"),
            Kind::None | Kind::Ellipsis => builder.unknown(),
            Kind::String => self.string(builder, node),
            _ => builder.deeper(node, |builder| self.compound(builder, node, role)),
        }
    }

    fn compound(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        match self.kind(node) {
            Kind::Attribute => self.attribute(builder, node, role),
            Kind::Call => self.call(builder, node, role),
            Kind::Subscript => self.subscript(builder, node),
            Kind::ParenthesizedExpression => match self.only_child(node) {
                Some(inner) => self.expression(builder, inner, role),
                None => builder.unknown(),
            },
            Kind::Await => {
                let of = self.inner(builder, node);
                self.element(builder, of)
            }
            Kind::ConcatenatedString => {
                self.each(builder, node, |binder, builder, child| {
                    binder.string(builder, child.node);
                });
                self.builtin(builder, "str")
            }
            Kind::BooleanOperator => {
                let [left, operator, right] = self.fields(node, [Field::Left, Field::Operator, Field::Right]);
                // The operator is no named node: what is not `or` between the two is `and`.
                let _ = operator;
                let between =
                    left.zip(right).and_then(|(left, right)| builder.source.get(left.end_byte()..right.start_byte()));
                if between.is_some_and(|between| between.contains("or")) {
                    let left = left.map_or(builder.unknown(), |left| self.expression(builder, left, Role::Read));
                    let right = right.map_or(builder.unknown(), |right| self.expression(builder, right, Role::Read));
                    return builder.either(vec![left, right]);
                }
                let mark = self.narrowed.len();
                if let Some(left) = left {
                    self.condition(builder, left);
                }
                self.narrow_since(builder, mark, node.end_byte());
                let value = right.map_or(builder.unknown(), |right| self.expression(builder, right, Role::Read));
                self.narrowed.truncate(mark);
                value
            }
            Kind::BinaryOperator => self.binary(builder, node),
            Kind::NotOperator => {
                self.inner(builder, node);
                self.builtin(builder, "bool")
            }
            Kind::ConditionalExpression => self.conditional(builder, node),
            Kind::NamedExpression => {
                let [name, value] = self.fields(node, [Field::Name, Field::Value]);
                let value = value.map_or(builder.unknown(), |value| self.expression(builder, value, Role::Read));
                if let Some(name) = name {
                    self.target(builder, name, value, node.end_byte());
                }
                value
            }
            Kind::Lambda => self.lambda(builder, node),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList => {
                let parts = self.parts(builder, node);
                let span = builder.list(&parts);
                builder.expr(Expr::Tuple(span))
            }
            Kind::List | Kind::Set => {
                let parts = self.parts(builder, node);
                let element = builder.either(parts);
                self.container(builder, &[element])
            }
            Kind::Dictionary => self.dictionary(builder, node),
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::GeneratorExpression
            | Kind::DictionaryComprehension => self.comprehension(builder, node),
            Kind::Yield => self.yields(builder, node),
            Kind::ListSplat | Kind::DictionarySplat | Kind::ListSplatPattern => {
                let of = self.inner(builder, node);
                self.element(builder, of)
            }
            Kind::AsPattern => {
                let (value, alias) = self.as_pattern(node);
                let value = value.map_or(builder.unknown(), |value| self.expression(builder, value, Role::Read));
                if let Some(alias) = alias {
                    self.target(builder, alias, value, node.end_byte());
                }
                value
            }
            Kind::Type | Kind::GenericType | Kind::UnionType | Kind::MemberType => self.annotation(builder, node),
            Kind::KeywordArgument => {
                let [name, value] = self.fields(node, [Field::Name, Field::Value]);
                if let Some(name) = name {
                    builder.occur(name, Role::Write, Target::Unknown);
                }
                value.map_or(builder.unknown(), |value| self.expression(builder, value, Role::Read))
            }
            Kind::Assignment => self.assignment(builder, node),
            Kind::Other | Kind::Slice | Kind::ArgumentList | Kind::Pair | Kind::DottedName => {
                self.each(builder, node, |binder, builder, child| binder.visit(builder, child.node));
                builder.unknown()
            }
            Kind::IfClause | Kind::AsPatternTarget => {
                self.inner(builder, node);
                builder.unknown()
            }
            Kind::LineContinuation | Kind::Comment | Kind::StringContent | Kind::WildcardImport => builder.unknown(),
            // Broken source has anything anywhere.
            _ if is_statement(self.kind(node)) => {
                self.visit(builder, node);
                builder.unknown()
            }
            _ => {
                self.each(builder, node, |binder, builder, child| binder.visit(builder, child.node));
                builder.unknown()
            }
        }
    }

    fn inner(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        match self.only_child(node) {
            Some(inner) => self.expression(builder, inner, Role::Read),
            None => builder.unknown(),
        }
    }

    /// The values of all children.
    fn parts(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut parts = Vec::new();
        self.each(builder, node, |binder, builder, child| {
            parts.push(binder.expression(builder, child.node, Role::Read))
        });
        parts
    }

    pub(super) fn element(&mut self, builder: &mut NamesBuilder<'_>, of: ExprId) -> ExprId {
        if of == builder.unknown() { of } else { builder.expr(Expr::Element { of }) }
    }

    fn attribute(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let [object, attribute] = self.fields(node, [Field::Object, Field::Attribute]);
        let base = object.map_or(builder.unknown(), |object| self.expression(builder, object, Role::Read));
        let Some(attribute) = attribute else { return builder.unknown() };
        let role = if role == Role::Read { Role::Member } else { role };
        let member = builder.use_member(base, attribute, role);
        if builder.text(attribute) == "__class__" && base != builder.unknown() {
            return builder.expr(Expr::TypeOf { of: base });
        }
        member
    }

    /// A literal, with the code that stands in it.
    fn string(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        // The letters before the quote tell a string with code from others, at no cost.
        let begins = builder.source.as_bytes().get(node.start_byte()..).unwrap_or(&[]);
        let letters = begins.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let mut bytes = false;
        let mut code = self.kind(node) != Kind::String;
        for letter in letters {
            bytes |= letter.eq_ignore_ascii_case(&b'b');
            code |= letter.eq_ignore_ascii_case(&b'f') || letter.eq_ignore_ascii_case(&b't');
        }
        if code {
            builder.deeper(node, |builder| {
                self.each(builder, node, |binder, builder, child| {
                    if binder.kind(child.node) == Kind::Other {
                        binder.visit(builder, child.node);
                    }
                });
            });
        }
        self.builtin(builder, if bytes { "bytes" } else { "str" })
    }

    fn binary(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        // `a + b + c + …` nests to the left, as deep as it is long.
        let mut rights = Vec::new();
        let mut at = node;
        loop {
            let [left, right] = self.fields(at, [Field::Left, Field::Right]);
            rights.extend(right);
            match left {
                Some(left) if self.kind(left) == Kind::BinaryOperator => at = left,
                Some(left) => {
                    let mut values = vec![self.expression(builder, left, Role::Read)];
                    while let Some(right) = rights.pop() {
                        values.push(self.expression(builder, right, Role::Read));
                    }
                    return self.united(builder, node, values);
                }
                None => return builder.unknown(),
            }
        }
    }

    /// `A | B` is one of its parts, and a sum is like them.
    fn united(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, values: Vec<ExprId>) -> ExprId {
        let mut cursor = node.walk();
        let operator = node.children_by_field_name("operator", &mut cursor).next().map(|operator| operator.kind());
        if matches!(operator, Some("|" | "+")) && values.len() <= 16 {
            builder.either(values)
        } else {
            builder.unknown()
        }
    }

    fn conditional(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let parts = [self.child(kids, 0), self.child(kids, 1), self.child(kids, 2)];
        self.done(kids);
        let [Some(then), Some(condition), otherwise] = parts else { return builder.unknown() };
        let mark = self.narrowed.len();
        self.condition(builder, condition.node);
        // What the condition says holds before it in the text.
        for narrowed in self.narrowed.drain(mark.min(self.narrowed.len())..).collect::<Vec<_>>() {
            if !narrowed.negative {
                self.narrow_from(builder, &narrowed, then.node.start_byte(), then.node.end_byte());
            }
        }
        let then = self.expression(builder, then.node, Role::Read);
        let otherwise = otherwise.map_or(builder.unknown(), |other| self.expression(builder, other.node, Role::Read));
        builder.either(vec![then, otherwise])
    }

    /// An expression that decides: what `isinstance` says in it is noted in [`Binder::narrowed`].
    pub(super) fn condition(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) {
        match self.kind(node) {
            Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_child(node) {
                    builder.deeper(inner, |builder| self.condition(builder, inner));
                }
            }
            Kind::BooleanOperator => {
                let [left, right] = self.fields(node, [Field::Left, Field::Right]);
                let between =
                    left.zip(right).and_then(|(left, right)| builder.source.get(left.end_byte()..right.start_byte()));
                let (Some(left), Some(right), Some(between)) = (left, right, between) else { return };
                if between.contains("or") {
                    self.expression(builder, node, Role::Read);
                    return;
                }
                builder.deeper(node, |builder| {
                    let mark = self.narrowed.len();
                    self.condition(builder, left);
                    self.narrow_since(builder, mark, node.end_byte());
                    self.condition(builder, right);
                });
            }
            Kind::NotOperator => {
                if let Some(inner) = self.only_child(node) {
                    let mark = self.narrowed.len();
                    builder.deeper(inner, |builder| self.condition(builder, inner));
                    for narrowed in self.narrowed.iter_mut().skip(mark) {
                        narrowed.negative = !narrowed.negative;
                    }
                }
            }
            Kind::Call => {
                let [function, arguments] = self.fields(node, [Field::Function, Field::Arguments]);
                match (function, arguments) {
                    (Some(function), Some(arguments)) if builder.text(function) == "isinstance" => {
                        self.instance_check(builder, node, function, arguments);
                    }
                    _ => {
                        self.expression(builder, node, Role::Read);
                    }
                }
            }
            _ => {
                self.expression(builder, node, Role::Read);
            }
        }
    }

    fn instance_check(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'t>,
        function: Node<'t>,
        arguments: Node<'t>,
    ) {
        self.expression(builder, function, Role::Call);
        let kids = self.children(arguments);
        let (value, types) = (self.child(kids, 0), self.child(kids, 1));
        self.done(kids);
        let Some(value) = value else { return };
        self.expression(builder, value.node, Role::Read);
        let Some(types) = types else { return };
        let types = self.types_of(builder, types.node);
        if self.kind(value.node) == Kind::Identifier && types != builder.unknown() {
            let name = builder.name(value.node);
            self.narrowed.push(Narrowed { name, types, from: node.end_byte(), negative: false });
        }
    }

    /// What was said since `mark` holds until byte `end`.
    fn narrow_since(&mut self, builder: &mut NamesBuilder<'_>, mark: usize, end: usize) {
        for index in mark..self.narrowed.len() {
            let Some(narrowed) = self.narrowed.get(index) else { continue };
            if !narrowed.negative {
                let narrowed = Narrowed { ..*narrowed };
                self.narrow(builder, &narrowed, end);
            }
        }
    }

    pub(super) fn narrow(&mut self, builder: &mut NamesBuilder<'_>, narrowed: &Narrowed, end: usize) {
        self.narrow_from(builder, narrowed, narrowed.from, end);
    }

    pub(super) fn narrow_from(&mut self, builder: &mut NamesBuilder<'_>, narrowed: &Narrowed, from: usize, end: usize) {
        let is_local = self.bound.contains_key(&(self.frame.home, narrowed.name));
        if !is_local || end <= from {
            return;
        }
        if let Some(flow) = &mut self.frame.flow {
            let binding = unplaced(builder, narrowed.name, from);
            builder.binding(binding).annotation = Some(narrowed.types);
            flow.narrow(narrowed.name, from..end, binding);
        }
    }

    fn lambda(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [parameters, body] = self.fields(node, [Field::Parameters, Field::Body]);
        let scope = builder.scope(self.scope, ScopeKind::Function, node);
        let name = builder.intern("lambda");
        let binding = builder.bind_name(scope, BindingKind::Function, name, node.start_byte());
        builder.own(binding, scope);
        if let Some(parameters) = parameters {
            let annotations = self.scope;
            self.parameters(builder, parameters, scope, annotations);
        }
        if let Some(body) = body {
            let value = self.within(scope, |binder| binder.expression(builder, body, Role::Read));
            self.assign(builder, binding, value);
        }
        builder.expr(Expr::Function { binding })
    }

    fn dictionary(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        self.each(builder, node, |binder, builder, child| {
            if binder.kind(child.node) != Kind::Pair {
                let value = binder.expression(builder, child.node, Role::Read);
                return values.push(value);
            }
            let pair = binder.children(child.node);
            let (key, value) = (binder.child(pair, 0), binder.child(pair, 1));
            binder.done(pair);
            keys.extend(key.map(|key| binder.expression(builder, key.node, Role::Read)));
            values.extend(value.map(|value| binder.expression(builder, value.node, Role::Read)));
        });
        keys.truncate(4);
        let (key, value) = (builder.either(keys), builder.either(values));
        self.container(builder, &[key, value])
    }

    fn comprehension(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let scope = builder.scope(self.scope, ScopeKind::Block, node);
        let outer = self.scope;
        let mut at = 0;
        let mut body = None;
        let mut first = true;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            match self.kind(child.node) {
                _ if child.field == Field::Body => body = Some(child.node),
                Kind::ForInClause => {
                    // The first source is looked up outside.
                    let source = if std::mem::take(&mut first) { outer } else { scope };
                    self.clause(builder, child.node, source, scope);
                }
                _ => self.within(scope, |binder| binder.visit(builder, child.node)),
            }
        }
        self.done(kids);
        let Some(body) = body else { return builder.unknown() };
        if self.kind(body) == Kind::Pair {
            let pair = self.children(body);
            let (key, value) = (self.child(pair, 0), self.child(pair, 1));
            self.done(pair);
            let mut read = |part: Option<super::Child<'t>>, builder: &mut NamesBuilder<'_>| {
                part.map_or(0, |part| self.within(scope, |binder| binder.expression(builder, part.node, Role::Read)))
            };
            let parts = [read(key, builder), read(value, builder)];
            return self.container(builder, &parts);
        }
        let value = self.within(scope, |binder| binder.expression(builder, body, Role::Read));
        self.container(builder, &[value])
    }

    fn clause(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, source: u32, scope: u32) {
        let kids = self.children(node);
        let mut at = 0;
        let mut value = builder.unknown();
        let mut left = None;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            if child.field == Field::Left {
                left = Some(child.node);
            } else {
                value = self.within(source, |binder| binder.expression(builder, child.node, Role::Read));
            }
        }
        self.done(kids);
        let element = self.element(builder, value);
        if let Some(left) = left {
            let home = std::mem::replace(&mut self.frame.home, scope);
            let around = std::mem::replace(&mut self.frame.around, Around::Function);
            let flow = self.frame.flow.take();
            self.within(scope, |binder| binder.target(builder, left, element, left.end_byte()));
            self.frame.flow = flow;
            self.frame.around = around;
            self.frame.home = home;
        }
    }

    fn yields(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        self.frame.is_generator = true;
        let Some(inner) = self.only_child(node) else { return builder.unknown() };
        let value = self.expression(builder, inner, Role::Read);
        let after = builder.source.get(node.start_byte() + 5..inner.start_byte()).unwrap_or("");
        let value = if after.contains("from") { self.element(builder, value) } else { value };
        if value != builder.unknown() {
            self.frame.yields.push(value);
        }
        builder.unknown()
    }
}

fn is_statement(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ExpressionStatement
            | Kind::AugmentedAssignment
            | Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::DecoratedDefinition
            | Kind::ImportStatement
            | Kind::ImportFromStatement
            | Kind::FutureImportStatement
            | Kind::ReturnStatement
            | Kind::IfStatement
            | Kind::ForStatement
            | Kind::WhileStatement
            | Kind::WithStatement
            | Kind::TryStatement
            | Kind::ExceptClause
            | Kind::ElifClause
            | Kind::ElseClause
            | Kind::FinallyClause
            | Kind::MatchStatement
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::DeleteStatement
            | Kind::AssertStatement
            | Kind::TypeAliasStatement
            | Kind::RaiseStatement
            | Kind::Block
    )
}
