//! Names inside of macro calls, which the grammar leaves as tokens.
//!
//! Most macros are given ordinary Rust, so their tokens are read as such as far as they go: expressions, closures,
//! `let`, arms of a `match`, items. What is read is what a reader would guess; nothing depends on it being complete.

use tree_sitter::Node;

use super::calls::{Receiver, called};
use super::exprs::is_around;
use super::kinds::{FIELDS, Kind, kind};
use super::paths::is_type_name;
use super::types::POINTERS;
use super::{Binder, offset};
use crate::names::{BindingKind, Expr, ExprId, NameId, NamesBuilder, Role, ScopeId, ScopeKind};

/// The tokens of one tree, without its brackets and comments.
pub(super) struct Tokens<'t> {
    tokens: Vec<(Kind, Node<'t>)>,
    pub at: usize,
}

impl<'t> Tokens<'t> {
    pub fn of(tree: Node<'t>) -> Self {
        let mut cursor = tree.walk();
        let all = tree.children(&mut cursor).map(|node| (kind(node), node));
        let tokens = all.filter(|(kind, _)| {
            !matches!(
                kind,
                Kind::LineComment
                    | Kind::BlockComment
                    | Kind::OpenParen
                    | Kind::OpenBracket
                    | Kind::OpenBrace
                    | Kind::CloseParen
                    | Kind::CloseBracket
                    | Kind::CloseBrace
            )
        });
        Self { tokens: tokens.collect(), at: 0 }
    }

    pub fn get(&self, ahead: usize) -> Option<(Kind, Node<'t>)> {
        self.tokens.get(self.at.saturating_add(ahead)).copied()
    }

    pub fn peek(&self, ahead: usize) -> Kind {
        self.get(ahead).map_or(Kind::Other, |(kind, _)| kind)
    }

    pub fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub fn next(&mut self) -> Option<(Kind, Node<'t>)> {
        let token = self.get(0)?;
        self.at += 1;
        Some(token)
    }

    pub fn take(&mut self, kind: Kind) -> Option<Node<'t>> {
        let (found, node) = self.get(0)?;
        if found != kind {
            return None;
        }
        self.at += 1;
        Some(node)
    }

    /// The next token if it is a tree in brackets of this kind.
    pub fn tree(&self, open: Kind) -> Option<Node<'t>> {
        let (Kind::TokenTree, node) = self.get(0)? else { return None };
        (node.child(0).map(kind) == Some(open)).then_some(node)
    }

    pub fn take_tree(&mut self, open: Kind) -> Option<Node<'t>> {
        let tree = self.tree(open)?;
        self.at += 1;
        Some(tree)
    }

    /// The place of the next token of this kind.
    pub fn find(&self, kind: Kind) -> Option<usize> {
        let ahead = self.tokens.get(self.at..)?.iter().position(|(found, _)| *found == kind)?;
        Some(self.at + ahead)
    }

    /// How many commas stand before the next but one token of this kind.
    pub fn commas_between(&self, kind: Kind) -> usize {
        let rest = self.tokens.get(self.at.saturating_add(1)..).unwrap_or(&[]);
        rest.iter().take_while(|(found, _)| *found != kind).filter(|(found, _)| *found == Kind::Comma).count()
    }

    /// The tokens up to the one at `end`, taken off.
    pub fn until(&mut self, end: usize) -> Self {
        let end = end.min(self.tokens.len()).max(self.at);
        let part = self.tokens.get(self.at..end).unwrap_or(&[]).to_vec();
        self.at = end;
        Self { tokens: part, at: 0 }
    }
}

/// Words that the parser takes for names inside macros.
const WORDS: &[&str] = &["box", "do", "dyn", "else", "extern", "in", "move", "ref", "yield"];

impl Binder {
    /// A macro call. As an item it may bind names in `scope`.
    pub fn macro_invocation(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        node: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        let mut name = "";
        if let Some(named) = FIELDS.macro_name.of(node) {
            name = self.macro_name(builder, named, scope);
        }
        let mut cursor = node.walk();
        let Some(tree) = node.children(&mut cursor).find(|child| kind(*child) == Kind::TokenTree) else {
            return builder.unknown();
        };
        let item = item && matches!(builder.kind_of(scope), ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
        self.macro_value(builder, name, tree, scope, item)
    }

    pub fn macro_name<'s>(&mut self, builder: &mut NamesBuilder<'s>, named: Node<'_>, scope: ScopeId) -> &'s str {
        if kind(named) == Kind::ScopedIdentifier {
            self.path(builder, named, scope, Role::Call);
            return FIELDS.name.of(named).map_or("", |name| builder.text(name));
        }
        // A variable of the same name is no macro.
        let name = builder.name(named);
        let from = self.item_scope(name, scope);
        builder.use_name(named, from, Role::Call);
        builder.text(named)
    }

    fn macro_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: &str,
        tree: Node<'_>,
        scope: ScopeId,
        item: bool,
    ) -> ExprId {
        if matches!(name, "matches" | "assert_matches" | "debug_assert_matches") {
            builder.deeper(tree, |builder| self.matched_tokens(builder, tree, scope));
            return builder.unknown();
        }
        let values = builder.deeper(tree, |builder| {
            let scope = if item { scope } else { builder.scope(scope, ScopeKind::Block, tree) };
            self.sequence(builder, &mut Tokens::of(tree), scope)
        });
        let first = values.first().copied().unwrap_or(builder.unknown());
        match name {
            "vec" => self.holding(builder, None, first),
            "dbg" => first,
            "try" | "ready" => self.element(builder, first),
            _ => builder.unknown(),
        }
    }

    /// `value, pattern if condition`.
    fn matched_tokens(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        let scope = builder.scope(scope, ScopeKind::Block, tree);
        let mut tokens = Tokens::of(tree);
        let value = self.token_expression(builder, &mut tokens, scope);
        tokens.take(Kind::Comma);
        let end = tokens.find(Kind::IfWord).or_else(|| tokens.find(Kind::Comma)).unwrap_or(usize::MAX);
        let mut pattern = tokens.until(end);
        self.token_parts(builder, &mut pattern, scope, BindingKind::Variable, value, 0);
        self.sequence(builder, &mut tokens, scope);
    }

    /// The body of a macro's rule, or a tree of which nothing is known.
    pub fn token_tree(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) {
        builder.deeper(tree, |builder| {
            let inner = builder.scope(scope, ScopeKind::Block, tree);
            self.sequence(builder, &mut Tokens::of(tree), inner);
        });
    }

    /// Expressions between commas or semicolons, with the items and statements among them.
    pub fn sequence(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> Vec<ExprId> {
        let mut values = Vec::new();
        while !tokens.done() {
            let value = self.token_expression(builder, tokens, scope);
            values.push(value);
            while matches!(tokens.peek(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                tokens.at += 1;
            }
        }
        values
    }

    /// One expression, up to the mark that ends it.
    pub fn token_expression(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let mut value = builder.unknown();
        let mut operands = 0;
        let mut after_operand = false;
        while let Some((kind, node)) = tokens.get(0) {
            match kind {
                Kind::Comma | Kind::Semicolon | Kind::FatArrow => break,
                Kind::Bar | Kind::Bars if !after_operand => {
                    value = self.token_closure(builder, tokens, scope, &[]);
                    operands += 1;
                    after_operand = true;
                }
                Kind::And | Kind::Star | Kind::Mutable if !after_operand => tokens.at += 1,
                Kind::Identifier
                | Kind::SelfWord
                | Kind::Super
                | Kind::Crate
                | Kind::Metavariable
                | Kind::PrimitiveType
                | Kind::TokenTree
                | Kind::TokenRepetition
                | Kind::String
                | Kind::RawString
                | Kind::Integer
                | Kind::Float
                | Kind::Char
                | Kind::Boolean => {
                    if kind == Kind::Identifier && WORDS.contains(&builder.text(node)) {
                        tokens.at += 1;
                        after_operand = false;
                        continue;
                    }
                    value = self.chain(builder, tokens, scope);
                    operands += 1;
                    after_operand = true;
                }
                _ => {
                    let from = tokens.at;
                    if !self.token_item(builder, tokens, scope) {
                        tokens.at = from + 1;
                        // An operator makes something new of what stands around it.
                        operands += usize::from(after_operand);
                    }
                    after_operand = false;
                }
            }
        }
        if operands == 1 { value } else { builder.unknown() }
    }

    /// An operand with all that is done to it: `a::b(c).d?[0]`.
    pub fn chain(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> ExprId {
        let Some((kind, node)) = tokens.get(0) else { return builder.unknown() };
        let mut value = match kind {
            Kind::TokenTree | Kind::TokenRepetition => {
                tokens.at += 1;
                builder.deeper(node, |builder| self.tree_value(builder, node, scope))
            }
            Kind::SelfWord if tokens.peek(1) != Kind::Colons => {
                tokens.at += 1;
                builder.expr(Expr::This { scope })
            }
            Kind::Identifier
            | Kind::SelfWord
            | Kind::Super
            | Kind::Crate
            | Kind::Metavariable
            | Kind::PrimitiveType => builder.deeper(node, |builder| self.token_path(builder, tokens, scope)),
            _ => {
                tokens.at += 1;
                builder.unknown()
            }
        };
        while let Some((kind, node)) = tokens.get(0) {
            match kind {
                Kind::Dot => {
                    let Some((kind, field)) = tokens.get(1) else { break };
                    match kind {
                        Kind::Identifier => {
                            tokens.at += 2;
                            value = self.token_member(builder, tokens, scope, value, field);
                        }
                        Kind::AwaitWord => {
                            tokens.at += 2;
                            value = self.element(builder, value);
                        }
                        Kind::Integer => {
                            tokens.at += 2;
                            let (name, at) = (builder.name(field), offset(field.start_byte()));
                            value = builder.expr(Expr::Member { base: value, name, at });
                        }
                        _ => break,
                    }
                }
                Kind::Question => {
                    tokens.at += 1;
                    value = self.element(builder, value);
                }
                Kind::TokenTree => match node.child(0).map(super::kinds::kind) {
                    Some(Kind::OpenBracket) => {
                        tokens.at += 1;
                        self.token_tree(builder, node, scope);
                        value = self.element(builder, value);
                    }
                    Some(Kind::OpenParen) => {
                        tokens.at += 1;
                        self.token_tree(builder, node, scope);
                        value = called(builder, value);
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        value
    }

    /// `(…)`, `[…]` or `{…}` as an operand.
    fn tree_value(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) -> ExprId {
        let inner = builder.scope(scope, ScopeKind::Block, tree);
        let values = self.sequence(builder, &mut Tokens::of(tree), inner);
        let last = values.last().copied().unwrap_or(builder.unknown());
        match (tree.child(0).map(kind), values.as_slice()) {
            (Some(Kind::OpenBrace), _) | (Some(Kind::OpenParen), [_]) => last,
            (Some(Kind::OpenParen), [_, ..]) => {
                let parts = builder.list(&values);
                builder.expr(Expr::Tuple(parts))
            }
            (Some(Kind::OpenBracket), [first, ..]) => self.holding(builder, None, *first),
            _ => builder.unknown(),
        }
    }

    /// `.name`, `.name(…)` after `base`.
    fn token_member(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        base: ExprId,
        field: Node<'_>,
    ) -> ExprId {
        let of = if tokens.peek(0) == Kind::Colons && tokens.peek(1) == Kind::Less {
            tokens.at += 1;
            self.token_arguments(builder, tokens, scope).first().copied()
        } else {
            None
        };
        let Some(tree) = tokens.take_tree(Kind::OpenParen) else {
            return builder.use_member(base, field, Role::Member);
        };
        let method = builder.use_member(base, field, Role::Call);
        let name = builder.text(field);
        let given = builder.deeper(tree, |builder| {
            let mut inside = Tokens::of(tree);
            let mut values = Vec::new();
            while !inside.done() {
                let word =
                    inside.peek(0) == Kind::Identifier && inside.get(0).is_some_and(|(_, n)| builder.text(n) == "move");
                inside.at += usize::from(word);
                values.push(if matches!(inside.peek(0), Kind::Bar | Kind::Bars) {
                    let count = inside.commas_between(Kind::Bar) + 1;
                    let hints = self.hints(builder, Receiver { method, name, value: base }, &values, count);
                    self.token_closure(builder, &mut inside, scope, &hints)
                } else {
                    self.token_expression(builder, &mut inside, scope)
                });
                while matches!(inside.peek(0), Kind::Comma | Kind::Semicolon | Kind::FatArrow) {
                    inside.at += 1;
                }
            }
            values
        });
        if let Some(of) = of.filter(|of| !self.is_open(builder, *of)) {
            match name {
                "collect" | "into" | "sum" => return self.instance(builder, of),
                "parse" | "try_into" => {
                    let of = self.container(builder, of);
                    return self.instance(builder, of);
                }
                _ => {}
            }
        }
        self.method_value(builder, name, base, method, &given)
    }

    /// A path, with what makes it a call, a macro call or a literal.
    fn token_path(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> ExprId {
        let Some((_, first)) = tokens.get(0) else { return builder.unknown() };
        // `name = value` and `name: value` give something a name that is bound elsewhere.
        if tokens.peek(0) == Kind::Identifier {
            match tokens.peek(1) {
                Kind::Colon => {
                    tokens.at += 2;
                    return self.token_type(builder, tokens, scope);
                }
                Kind::Equals if !is_type_name(builder.text(first)) => {
                    let known = builder.name(first);
                    let role = if self.is_bound(builder, known, scope) { Some(Role::Write) } else { None };
                    tokens.at += 1;
                    return role.map_or(builder.unknown(), |role| builder.use_name(first, scope, role));
                }
                _ => {}
            }
        }
        let path = self.token_names(builder, tokens, scope);
        let Path { base, last, text, of } = path;
        if tokens.peek(0) == Kind::Bang
            && tokens.peek(1) == Kind::TokenTree
            && let Some(last) = last
            && let Some((_, tree)) = tokens.get(1)
        {
            tokens.at += 2;
            let module = self.module;
            let from = if base.is_none() { module } else { scope };
            self.finish_path(builder, base, last, from, Role::Call);
            return self.macro_value(builder, text, tree, scope, false);
        }
        let Some(last) = last else { return base.unwrap_or(builder.unknown()) };
        if let Some(tree) = tokens.take_tree(Kind::OpenParen) {
            let callee = self.finish_path(builder, base, last, scope, Role::Call);
            let inner = builder.scope(scope, ScopeKind::Block, tree);
            let values = builder.deeper(tree, |builder| self.sequence(builder, &mut Tokens::of(tree), inner));
            let first = values.first().copied().unwrap_or(builder.unknown());
            return match (text, of) {
                ("Some" | "Ok", _) => self.holding(builder, None, first),
                ("Err", _) => builder.unknown(),
                ("new" | "pin", Some(of)) if POINTERS.contains(&of) => first,
                ("new", Some("Mutex" | "RefCell" | "RwLock" | "Cell")) => self.holding(builder, None, first),
                _ => called(builder, callee),
            };
        }
        if is_type_name(text)
            && let Some(tree) = tokens.take_tree(Kind::OpenBrace)
        {
            let of = self.finish_path(builder, base, last, scope, Role::Call);
            let value = self.instance(builder, of);
            builder.deeper(tree, |builder| self.token_fields(builder, &mut Tokens::of(tree), scope, value));
            return value;
        }
        self.finish_path(builder, base, last, scope, Role::Read)
    }

    /// Whether a variable of this name was bound nearby.
    fn is_bound(&self, builder: &NamesBuilder<'_>, name: NameId, scope: ScopeId) -> bool {
        let nearby = builder.names.bindings.iter().rev().take(200).filter(|binding| binding.name == name);
        nearby.into_iter().any(|binding| is_around(builder, binding.scope, scope))
    }

    pub fn finish_path(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        base: Option<ExprId>,
        last: Node<'_>,
        scope: ScopeId,
        role: Role,
    ) -> ExprId {
        match base {
            Some(base) => builder.use_member(base, last, role),
            None if builder.text(last) == "Self" => builder.expr(Expr::ThisType { scope }),
            None => builder.use_name(last, scope, role),
        }
    }

    /// The names of a path. The last is not used yet: its role is told by what follows.
    pub fn token_names<'s, 't>(
        &mut self,
        builder: &mut NamesBuilder<'s>,
        tokens: &mut Tokens<'t>,
        scope: ScopeId,
    ) -> Path<'s, 't> {
        let mut base = None;
        let start = tokens.get(0).map_or(0, |(_, node)| node.start_byte());
        let (mut of, mut before) = (None, 0);
        while let Some((kind, node)) = tokens.next() {
            let goes_on = tokens.peek(0) == Kind::Colons;
            let text = builder.text(node);
            if !goes_on && kind == Kind::Identifier {
                if let Some(source) = builder.source.get(start..before) {
                    self.token_link(builder, source.trim_start_matches('$'), node, scope);
                }
                return Path { base, last: Some(node), text, of };
            }
            let at = offset(node.start_byte());
            base = Some(match (kind, base) {
                (Kind::Identifier, Some(base)) => {
                    builder.use_member(base, node, if is_type_name(text) { Role::Type } else { Role::Read })
                }
                (Kind::Identifier, None) => self.qualifier(builder, node, scope, None),
                (Kind::SelfWord | Kind::Crate | Kind::Super, Some(base)) => {
                    let name = builder.name(node);
                    builder.expr(Expr::Member { base, name, at })
                }
                (Kind::SelfWord | Kind::Crate | Kind::Super, None) => {
                    let name = builder.name(node);
                    builder.expr(Expr::Name { name, scope, at })
                }
                (Kind::Metavariable, None) if text == "$crate" => {
                    let name = builder.intern("crate");
                    builder.expr(Expr::Name { name, scope, at })
                }
                _ => builder.unknown(),
            });
            of = Some(text);
            before = node.end_byte();
            if !goes_on {
                break;
            }
            tokens.at += 1;
            if tokens.peek(0) == Kind::Less {
                self.token_arguments(builder, tokens, scope);
                if tokens.take(Kind::Colons).is_none() {
                    break;
                }
            }
            if !matches!(tokens.peek(0), Kind::Identifier | Kind::SelfWord | Kind::Super | Kind::Crate) {
                break;
            }
        }
        Path { base, last: None, text: "", of }
    }

    fn token_link<'s>(&mut self, builder: &mut NamesBuilder<'s>, source: &'s str, name: Node<'_>, scope: ScopeId) {
        let plain = source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'));
        if plain && source.starts_with(|first: char| first.is_lowercase() || first == '_') {
            let text = builder.name(name);
            self.note_path(builder, source, text, scope, name);
        }
    }

    /// The fields of a struct literal.
    fn token_fields(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId, value: ExprId) {
        while let Some((kind, node)) = tokens.get(0) {
            match (kind, tokens.peek(1)) {
                (Kind::Identifier, Kind::Colon) => {
                    tokens.at += 2;
                    builder.use_member(value, node, Role::Write);
                    self.token_expression(builder, tokens, scope);
                }
                (Kind::Identifier, Kind::Comma | Kind::Other) => {
                    tokens.at += 1;
                    builder.use_member(value, node, Role::Write);
                    builder.use_name(node, scope, Role::Read);
                }
                (Kind::Comma | Kind::DotDot, _) => tokens.at += 1,
                _ => {
                    let from = tokens.at;
                    self.token_expression(builder, tokens, scope);
                    tokens.at = tokens.at.max(from + 1);
                }
            }
        }
    }

    /// `|a, b: T| …`.
    fn token_closure(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        hints: &[ExprId],
    ) -> ExprId {
        let Some((opening, start)) = tokens.next() else { return builder.unknown() };
        let end = match opening {
            Kind::Bar => tokens.find(Kind::Bar),
            _ => None,
        };
        // Without its second bar it is something else.
        if opening == Kind::Bar && end.is_none() {
            return builder.unknown();
        }
        let last = tokens.get(0).map_or(start, |(_, node)| node);
        let body = builder.scope_of_bytes(scope, ScopeKind::Function, start.start_byte()..last.end_byte());
        let name = builder.intern("");
        let binding = builder.bind_name(body, BindingKind::Function, name, start.start_byte());
        builder.own(binding, body);
        if let Some(end) = end {
            let mut parameters = tokens.until(end);
            tokens.at += 1;
            let mut hints = hints.iter().copied();
            while !parameters.done() {
                let hint = hints.next().unwrap_or(builder.unknown());
                self.token_parameter(builder, &mut parameters, body, hint);
            }
        }
        let gives =
            if tokens.take(Kind::Arrow).is_some() { Some(self.token_type(builder, tokens, body)) } else { None };
        let value = self.token_expression(builder, tokens, body);
        if value != builder.unknown() {
            let values = builder.list(&[value]);
            builder.binding(binding).values = values;
        }
        builder.binding(binding).annotation = gives;
        if let Some((_, last)) = tokens.at.checked_sub(1).and_then(|at| tokens.tokens.get(at).copied())
            && let Some(scope) = builder.names.scopes.get_mut(body as usize)
        {
            scope.bytes.end = offset(last.end_byte());
        }
        builder.expr(Expr::Function { binding })
    }
}

/// A path among tokens.
pub(super) struct Path<'s, 't> {
    /// What stands before the last name.
    pub base: Option<ExprId>,
    /// The last name.
    pub last: Option<Node<'t>>,
    /// Its text.
    pub text: &'s str,
    /// The text of the name before it.
    pub of: Option<&'s str>,
}
