//! Expressions: what their values are, and the names in them.

use tree_sitter::Node;

use super::flow::unplaced;
use super::{Around, Binder, Field, Kind};
use crate::names::{BindingKind, Cx, Expr, ExprId, NameId, Role, ScopeKind, Target};

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
    pub(super) fn expression(&mut self, cx: &mut Cx<'_>, node: Node<'t>, role: Role) -> ExprId {
        match self.kind(node) {
            Kind::Identifier => self.use_name(cx, node, role),
            Kind::Integer => self.builtin(cx, "int"),
            Kind::Float => self.builtin(cx, "float"),
            Kind::True | Kind::False => self.builtin(cx, "bool"),
            Kind::None | Kind::Ellipsis => cx.unknown(),
            Kind::String => self.string(cx, node),
            _ => cx.deeper(node, |cx| self.compound(cx, node, role)),
        }
    }

    fn compound(&mut self, cx: &mut Cx<'_>, node: Node<'t>, role: Role) -> ExprId {
        match self.kind(node) {
            Kind::Attribute => self.attribute(cx, node, role),
            Kind::Call => self.call(cx, node, role),
            Kind::Subscript => self.subscript(cx, node),
            Kind::ParenthesizedExpression => match self.only_child(node) {
                Some(inner) => self.expression(cx, inner, role),
                None => cx.unknown(),
            },
            Kind::Await => {
                let of = self.inner(cx, node);
                self.element(cx, of)
            }
            Kind::ConcatenatedString => {
                self.each(cx, node, |binder, cx, child| {
                    binder.string(cx, child.node);
                });
                self.builtin(cx, "str")
            }
            Kind::BooleanOperator => {
                let [left, operator, right] = self.fields(node, [Field::Left, Field::Operator, Field::Right]);
                // The operator is no named node: what is not `or` between the two is `and`.
                let _ = operator;
                let between =
                    left.zip(right).and_then(|(left, right)| cx.source.get(left.end_byte()..right.start_byte()));
                if between.is_some_and(|between| between.contains("or")) {
                    let left = left.map_or(cx.unknown(), |left| self.expression(cx, left, Role::Read));
                    let right = right.map_or(cx.unknown(), |right| self.expression(cx, right, Role::Read));
                    return cx.either(vec![left, right]);
                }
                let mark = self.narrowed.len();
                if let Some(left) = left {
                    self.condition(cx, left);
                }
                self.narrow_since(cx, mark, node.end_byte());
                let value = right.map_or(cx.unknown(), |right| self.expression(cx, right, Role::Read));
                self.narrowed.truncate(mark);
                value
            }
            Kind::BinaryOperator => self.binary(cx, node),
            Kind::NotOperator => {
                self.inner(cx, node);
                self.builtin(cx, "bool")
            }
            Kind::ConditionalExpression => self.conditional(cx, node),
            Kind::NamedExpression => {
                let [name, value] = self.fields(node, [Field::Name, Field::Value]);
                let value = value.map_or(cx.unknown(), |value| self.expression(cx, value, Role::Read));
                if let Some(name) = name {
                    self.target(cx, name, value, node.end_byte());
                }
                value
            }
            Kind::Lambda => self.lambda(cx, node),
            Kind::Tuple | Kind::ExpressionList | Kind::PatternList => {
                let parts = self.parts(cx, node);
                let span = cx.list(&parts);
                cx.expr(Expr::Tuple(span))
            }
            Kind::List | Kind::Set => {
                let parts = self.parts(cx, node);
                let element = cx.either(parts);
                self.container(cx, &[element])
            }
            Kind::Dictionary => self.dictionary(cx, node),
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::GeneratorExpression
            | Kind::DictionaryComprehension => self.comprehension(cx, node),
            Kind::Yield => self.yields(cx, node),
            Kind::ListSplat | Kind::DictionarySplat | Kind::ListSplatPattern => {
                let of = self.inner(cx, node);
                self.element(cx, of)
            }
            Kind::AsPattern => {
                let (value, alias) = self.as_pattern(node);
                let value = value.map_or(cx.unknown(), |value| self.expression(cx, value, Role::Read));
                if let Some(alias) = alias {
                    self.target(cx, alias, value, node.end_byte());
                }
                value
            }
            Kind::Type | Kind::GenericType | Kind::UnionType | Kind::MemberType => self.annotation(cx, node),
            Kind::KeywordArgument => {
                let [name, value] = self.fields(node, [Field::Name, Field::Value]);
                if let Some(name) = name {
                    cx.occur(name, Role::Write, Target::Unknown);
                }
                value.map_or(cx.unknown(), |value| self.expression(cx, value, Role::Read))
            }
            Kind::Assignment => self.assignment(cx, node),
            Kind::Other | Kind::Slice | Kind::ArgumentList | Kind::Pair | Kind::DottedName => {
                self.each(cx, node, |binder, cx, child| binder.visit(cx, child.node));
                cx.unknown()
            }
            Kind::IfClause | Kind::AsPatternTarget => {
                self.inner(cx, node);
                cx.unknown()
            }
            Kind::LineContinuation | Kind::Comment | Kind::StringContent | Kind::WildcardImport => cx.unknown(),
            // Broken source has anything anywhere.
            _ if is_statement(self.kind(node)) => {
                self.visit(cx, node);
                cx.unknown()
            }
            _ => {
                self.each(cx, node, |binder, cx, child| binder.visit(cx, child.node));
                cx.unknown()
            }
        }
    }

    fn inner(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        match self.only_child(node) {
            Some(inner) => self.expression(cx, inner, Role::Read),
            None => cx.unknown(),
        }
    }

    /// The values of all children.
    fn parts(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> Vec<ExprId> {
        let mut parts = Vec::new();
        self.each(cx, node, |binder, cx, child| parts.push(binder.expression(cx, child.node, Role::Read)));
        parts
    }

    pub(super) fn element(&mut self, cx: &mut Cx<'_>, of: ExprId) -> ExprId {
        if of == cx.unknown() { of } else { cx.expr(Expr::Element { of }) }
    }

    fn attribute(&mut self, cx: &mut Cx<'_>, node: Node<'t>, role: Role) -> ExprId {
        let [object, attribute] = self.fields(node, [Field::Object, Field::Attribute]);
        let base = object.map_or(cx.unknown(), |object| self.expression(cx, object, Role::Read));
        let Some(attribute) = attribute else { return cx.unknown() };
        let role = if role == Role::Read { Role::Member } else { role };
        let member = cx.use_member(base, attribute, role);
        if cx.text(attribute) == "__class__" && base != cx.unknown() {
            return cx.expr(Expr::TypeOf { of: base });
        }
        member
    }

    /// A literal, with the code that stands in it.
    fn string(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        // The letters before the quote tell a string with code from others, at no cost.
        let begins = cx.source.as_bytes().get(node.start_byte()..).unwrap_or(&[]);
        let letters = begins.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let mut bytes = false;
        let mut code = self.kind(node) != Kind::String;
        for letter in letters {
            bytes |= letter.eq_ignore_ascii_case(&b'b');
            code |= letter.eq_ignore_ascii_case(&b'f') || letter.eq_ignore_ascii_case(&b't');
        }
        if code {
            cx.deeper(node, |cx| {
                self.each(cx, node, |binder, cx, child| {
                    if binder.kind(child.node) == Kind::Other {
                        binder.visit(cx, child.node);
                    }
                });
            });
        }
        self.builtin(cx, if bytes { "bytes" } else { "str" })
    }

    fn binary(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        // `a + b + c + …` nests to the left, as deep as it is long.
        let mut rights = Vec::new();
        let mut at = node;
        loop {
            let [left, right] = self.fields(at, [Field::Left, Field::Right]);
            rights.extend(right);
            match left {
                Some(left) if self.kind(left) == Kind::BinaryOperator => at = left,
                Some(left) => {
                    let mut values = vec![self.expression(cx, left, Role::Read)];
                    while let Some(right) = rights.pop() {
                        values.push(self.expression(cx, right, Role::Read));
                    }
                    return self.united(cx, node, values);
                }
                None => return cx.unknown(),
            }
        }
    }

    /// `A | B` is one of its parts, and a sum is like them.
    fn united(&mut self, cx: &mut Cx<'_>, node: Node<'t>, values: Vec<ExprId>) -> ExprId {
        let mut cursor = node.walk();
        let operator = node.children_by_field_name("operator", &mut cursor).next().map(|operator| operator.kind());
        if matches!(operator, Some("|" | "+")) && values.len() <= 16 { cx.either(values) } else { cx.unknown() }
    }

    fn conditional(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let parts = [self.child(kids, 0), self.child(kids, 1), self.child(kids, 2)];
        self.done(kids);
        let [Some(then), Some(condition), otherwise] = parts else { return cx.unknown() };
        let mark = self.narrowed.len();
        self.condition(cx, condition.node);
        // What the condition says holds before it in the text.
        for narrowed in self.narrowed.drain(mark.min(self.narrowed.len())..).collect::<Vec<_>>() {
            if !narrowed.negative {
                self.narrow_from(cx, &narrowed, then.node.start_byte(), then.node.end_byte());
            }
        }
        let then = self.expression(cx, then.node, Role::Read);
        let otherwise = otherwise.map_or(cx.unknown(), |other| self.expression(cx, other.node, Role::Read));
        cx.either(vec![then, otherwise])
    }

    /// An expression that decides: what `isinstance` says in it is noted in [`Binder::narrowed`].
    pub(super) fn condition(&mut self, cx: &mut Cx<'_>, node: Node<'t>) {
        match self.kind(node) {
            Kind::ParenthesizedExpression => {
                if let Some(inner) = self.only_child(node) {
                    cx.deeper(inner, |cx| self.condition(cx, inner));
                }
            }
            Kind::BooleanOperator => {
                let [left, right] = self.fields(node, [Field::Left, Field::Right]);
                let between =
                    left.zip(right).and_then(|(left, right)| cx.source.get(left.end_byte()..right.start_byte()));
                let (Some(left), Some(right), Some(between)) = (left, right, between) else { return };
                if between.contains("or") {
                    self.expression(cx, node, Role::Read);
                    return;
                }
                cx.deeper(node, |cx| {
                    let mark = self.narrowed.len();
                    self.condition(cx, left);
                    self.narrow_since(cx, mark, node.end_byte());
                    self.condition(cx, right);
                });
            }
            Kind::NotOperator => {
                if let Some(inner) = self.only_child(node) {
                    let mark = self.narrowed.len();
                    cx.deeper(inner, |cx| self.condition(cx, inner));
                    for narrowed in self.narrowed.iter_mut().skip(mark) {
                        narrowed.negative = !narrowed.negative;
                    }
                }
            }
            Kind::Call => {
                let [function, arguments] = self.fields(node, [Field::Function, Field::Arguments]);
                match (function, arguments) {
                    (Some(function), Some(arguments)) if cx.text(function) == "isinstance" => {
                        self.instance_check(cx, node, function, arguments);
                    }
                    _ => {
                        self.expression(cx, node, Role::Read);
                    }
                }
            }
            _ => {
                self.expression(cx, node, Role::Read);
            }
        }
    }

    fn instance_check(&mut self, cx: &mut Cx<'_>, node: Node<'t>, function: Node<'t>, arguments: Node<'t>) {
        self.expression(cx, function, Role::Call);
        let kids = self.children(arguments);
        let (value, types) = (self.child(kids, 0), self.child(kids, 1));
        self.done(kids);
        let Some(value) = value else { return };
        self.expression(cx, value.node, Role::Read);
        let Some(types) = types else { return };
        let types = self.types_of(cx, types.node);
        if self.kind(value.node) == Kind::Identifier && types != cx.unknown() {
            let name = cx.name(value.node);
            self.narrowed.push(Narrowed { name, types, from: node.end_byte(), negative: false });
        }
    }

    /// What was said since `mark` holds until byte `end`.
    fn narrow_since(&mut self, cx: &mut Cx<'_>, mark: usize, end: usize) {
        for index in mark..self.narrowed.len() {
            let Some(narrowed) = self.narrowed.get(index) else { continue };
            if !narrowed.negative {
                let narrowed = Narrowed { ..*narrowed };
                self.narrow(cx, &narrowed, end);
            }
        }
    }

    pub(super) fn narrow(&mut self, cx: &mut Cx<'_>, narrowed: &Narrowed, end: usize) {
        self.narrow_from(cx, narrowed, narrowed.from, end);
    }

    pub(super) fn narrow_from(&mut self, cx: &mut Cx<'_>, narrowed: &Narrowed, from: usize, end: usize) {
        let is_local = self.bound.contains_key(&(self.frame.home, narrowed.name));
        if !is_local || end <= from {
            return;
        }
        if let Some(flow) = &mut self.frame.flow {
            let binding = unplaced(cx, narrowed.name, from);
            cx.binding(binding).annotation = Some(narrowed.types);
            flow.narrow(narrowed.name, from..end, binding);
        }
    }

    fn lambda(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let [parameters, body] = self.fields(node, [Field::Parameters, Field::Body]);
        let scope = cx.scope(self.scope, ScopeKind::Function, node);
        let name = cx.intern("lambda");
        let binding = cx.bind_name(scope, BindingKind::Function, name, node.start_byte());
        cx.own(binding, scope);
        if let Some(parameters) = parameters {
            let annotations = self.scope;
            self.parameters(cx, parameters, scope, annotations);
        }
        if let Some(body) = body {
            let value = self.within(scope, |binder| binder.expression(cx, body, Role::Read));
            self.assign(cx, binding, value);
        }
        cx.expr(Expr::Function { binding })
    }

    fn dictionary(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        self.each(cx, node, |binder, cx, child| {
            if binder.kind(child.node) != Kind::Pair {
                let value = binder.expression(cx, child.node, Role::Read);
                return values.push(value);
            }
            let pair = binder.children(child.node);
            let (key, value) = (binder.child(pair, 0), binder.child(pair, 1));
            binder.done(pair);
            keys.extend(key.map(|key| binder.expression(cx, key.node, Role::Read)));
            values.extend(value.map(|value| binder.expression(cx, value.node, Role::Read)));
        });
        keys.truncate(4);
        let (key, value) = (cx.either(keys), cx.either(values));
        self.container(cx, &[key, value])
    }

    fn comprehension(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        let kids = self.children(node);
        let scope = cx.scope(self.scope, ScopeKind::Block, node);
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
                    self.clause(cx, child.node, source, scope);
                }
                _ => self.within(scope, |binder| binder.visit(cx, child.node)),
            }
        }
        self.done(kids);
        let Some(body) = body else { return cx.unknown() };
        if self.kind(body) == Kind::Pair {
            let pair = self.children(body);
            let (key, value) = (self.child(pair, 0), self.child(pair, 1));
            self.done(pair);
            let mut read = |part: Option<super::Child<'t>>, cx: &mut Cx<'_>| {
                part.map_or(0, |part| self.within(scope, |binder| binder.expression(cx, part.node, Role::Read)))
            };
            let parts = [read(key, cx), read(value, cx)];
            return self.container(cx, &parts);
        }
        let value = self.within(scope, |binder| binder.expression(cx, body, Role::Read));
        self.container(cx, &[value])
    }

    fn clause(&mut self, cx: &mut Cx<'_>, node: Node<'t>, source: u32, scope: u32) {
        let kids = self.children(node);
        let mut at = 0;
        let mut value = cx.unknown();
        let mut left = None;
        while let Some(child) = self.child(kids, at) {
            at += 1;
            if child.field == Field::Left {
                left = Some(child.node);
            } else {
                value = self.within(source, |binder| binder.expression(cx, child.node, Role::Read));
            }
        }
        self.done(kids);
        let element = self.element(cx, value);
        if let Some(left) = left {
            let home = std::mem::replace(&mut self.frame.home, scope);
            let around = std::mem::replace(&mut self.frame.around, Around::Function);
            let flow = self.frame.flow.take();
            self.within(scope, |binder| binder.target(cx, left, element, left.end_byte()));
            self.frame.flow = flow;
            self.frame.around = around;
            self.frame.home = home;
        }
    }

    fn yields(&mut self, cx: &mut Cx<'_>, node: Node<'t>) -> ExprId {
        self.frame.is_generator = true;
        let Some(inner) = self.only_child(node) else { return cx.unknown() };
        let value = self.expression(cx, inner, Role::Read);
        let after = cx.source.get(node.start_byte() + 5..inner.start_byte()).unwrap_or("");
        let value = if after.contains("from") { self.element(cx, value) } else { value };
        if value != cx.unknown() {
            self.frame.yields.push(value);
        }
        cx.unknown()
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
