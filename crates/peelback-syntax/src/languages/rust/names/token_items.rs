//! Statements, items, patterns and types among the tokens of a macro call.

use tree_sitter::Node;

use super::Binder;
use super::items::positional_field_name;
use super::kinds::Kind;
use super::offset;
use super::paths::is_type_name;
use super::tokens::Tokens;
use crate::names::{
    BindingKind, Expr, ExprId, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Target,
};

impl Binder {
    /// Binds the statement or item that the next keyword opens. Returns `false` if there is none.
    pub fn bind_token_item(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> bool {
        let Some((kind, node)) = tokens.get(0) else { return false };
        match kind {
            Kind::LetWord => self.bind_token_let(builder, tokens, scope),
            Kind::ForWord => return self.bind_token_for(builder, tokens, scope),
            Kind::MatchWord => builder.deeper(node, |builder| self.bind_token_match(builder, tokens, scope)),
            Kind::Hash => {
                tokens.at += 1;
                tokens.take(Kind::Bang);
                tokens.take_tree(Kind::OpenBracket);
            }
            Kind::Quote => tokens.at += 2,
            Kind::FnWord if tokens.peek(1) == Kind::Identifier => {
                builder.deeper(node, |builder| self.bind_token_function(builder, tokens, scope));
            }
            Kind::StructWord | Kind::EnumWord | Kind::TraitWord if tokens.peek(1) == Kind::Identifier => {
                tokens.at += 1;
                if let Some((_, name)) = tokens.next() {
                    self.bind_token_definition(builder, scope, BindingKind::Type, name);
                }
            }
            Kind::TypeWord if tokens.peek(1) == Kind::Identifier && tokens.peek(2) == Kind::Equals => {
                tokens.at += 1;
                let Some((_, name)) = tokens.next() else { return true };
                tokens.at += 1;
                let of = self.type_from_tokens(builder, tokens, scope);
                if let Some(binding) = self.bind_token_definition(builder, scope, BindingKind::TypeAlias, name) {
                    builder.binding(binding).annotation = Some(of);
                }
            }
            Kind::StaticWord | Kind::ConstWord => return self.bind_token_constant(builder, tokens, scope),
            Kind::ModWord if tokens.peek(1) == Kind::Identifier => {
                tokens.at += 1;
                let Some((_, name)) = tokens.next() else { return true };
                if tokens.peek(0) == Kind::Semicolon && !self.in_macro_definition {
                    self.bind_module_file(builder, name, scope, &[]);
                }
            }
            Kind::UseWord => {
                tokens.at += 1;
                self.bind_token_use(builder, tokens, scope);
            }
            _ => return false,
        }
        true
    }

    /// Binds a definition in a macro call. A definition in a macro's rules is not bound, because it is defined where
    /// the macro is called.
    fn bind_token_definition(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        scope: ScopeId,
        kind: BindingKind,
        name: Node<'_>,
    ) -> Option<u32> {
        if self.in_macro_definition {
            return None;
        }
        self.note_local_item(builder, name, scope);
        Some(builder.bind(scope, kind, name))
    }

    /// Binds `let a = b`, including `let` in a condition.
    fn bind_token_let(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) {
        tokens.at += 1;
        let ends = tokens.find(Kind::Semicolon).unwrap_or(usize::MAX);
        let Some(end) = tokens.find(Kind::Equals).filter(|end| *end < ends) else { return };
        let mut pattern = tokens.until(end);
        tokens.at += 1;
        while matches!(tokens.peek(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let value = self.token_operand_value(builder, tokens, scope);
        let from =
            tokens.at.checked_sub(1).and_then(|_| tokens.get(0)).map_or(0, |(_, node)| offset(node.start_byte()));
        self.bind_typed_token_pattern(builder, &mut pattern, scope, BindingKind::Variable, value, from);
    }

    /// The value of the next operand, if no operator follows it.
    fn token_operand_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> ExprId {
        let is_operand = matches!(
            tokens.peek(0),
            Kind::Identifier | Kind::SelfWord | Kind::Super | Kind::Crate | Kind::TokenTree | Kind::Metavariable
        );
        if !is_operand {
            return builder.unknown();
        }
        let value = self.postfix_chain_value(builder, tokens, scope);
        match tokens.peek(0) {
            Kind::Semicolon | Kind::TokenTree | Kind::Other | Kind::Identifier | Kind::Comma => value,
            _ => builder.unknown(),
        }
    }

    /// Binds the variables of `for a in b { … }`. Returns `false` if `for` does not open a loop.
    fn bind_token_for(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> bool {
        let from = tokens.at;
        tokens.at += 1;
        let mut end = None;
        for ahead in 0..32 {
            match tokens.get(ahead) {
                Some((Kind::Identifier, node)) if builder.text(node) == "in" => {
                    end = Some(tokens.at + ahead);
                    break;
                }
                Some((Kind::Semicolon, _)) | None => break,
                Some((Kind::TokenTree, _)) if tokens.tree(Kind::OpenBrace).is_some() => break,
                _ => {}
            }
        }
        let Some(end) = end else {
            tokens.at = from;
            return false;
        };
        let mut pattern = tokens.until(end);
        tokens.at += 1;
        while matches!(tokens.peek(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let over = self.token_operand_value(builder, tokens, scope);
        let Some(body) = tokens.take_tree(Kind::OpenBrace) else { return true };
        let inner = builder.scope(scope, ScopeKind::Block, body);
        let element = self.element_of(builder, over);
        self.bind_typed_token_pattern(builder, &mut pattern, inner, BindingKind::Variable, element, 0);
        builder.deeper(body, |builder| self.sequence_values(builder, &mut Tokens::of(body), inner));
        true
    }

    /// Binds the variables of `match a { … }`.
    fn bind_token_match(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) {
        tokens.at += 1;
        while matches!(tokens.peek(0), Kind::And | Kind::Star | Kind::Mutable) {
            tokens.at += 1;
        }
        let matched = self.token_operand_value(builder, tokens, scope);
        let Some(body) = tokens.take_tree(Kind::OpenBrace) else { return };
        let mut arms = Tokens::of(body);
        while let Some(end) = arms.find(Kind::FatArrow) {
            let mut head = arms.until(end);
            arms.at += 1;
            let inner = builder.scope(scope, ScopeKind::Block, body);
            let guard = head.find(Kind::IfWord).unwrap_or(usize::MAX);
            let mut pattern = head.until(guard);
            self.bind_typed_token_pattern(builder, &mut pattern, inner, BindingKind::Variable, matched, 0);
            self.sequence_values(builder, &mut head, inner);
            if let Some(block) = arms.take_tree(Kind::OpenBrace) {
                self.read_token_tree(builder, block, inner);
            } else {
                self.token_expression_value(builder, &mut arms, inner);
            }
            arms.take(Kind::Comma);
        }
        self.sequence_values(builder, &mut arms, scope);
    }

    fn bind_token_function(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) {
        tokens.at += 1;
        let Some((_, name)) = tokens.next() else { return };
        let binding = self.bind_token_definition(builder, scope, BindingKind::Function, name);
        if tokens.peek(0) == Kind::Less {
            self.type_arguments_from_tokens(builder, tokens, scope);
        }
        let Some(tree) = tokens.take_tree(Kind::OpenParen) else { return };
        let body = builder.scope(scope, ScopeKind::Function, tree);
        let mut parameters = Tokens::of(tree);
        let has_self = parameters.find(Kind::SelfWord).is_some();
        while !parameters.done() {
            let unknown = builder.unknown();
            self.bind_token_parameter(builder, &mut parameters, body, unknown);
        }
        let return_type =
            if tokens.take(Kind::Arrow).is_some() { Some(self.type_from_tokens(builder, tokens, body)) } else { None };
        if let Some(binding) = binding {
            builder.own(binding, body);
            let on_type = builder.kind_of(scope) == ScopeKind::Type && !has_self;
            let binding = builder.binding(binding);
            binding.annotation = return_type;
            binding.on_type = on_type;
        }
        if let Some(block) = tokens.take_tree(Kind::OpenBrace) {
            if let Some(scope) = builder.names.scopes.get_mut(body as usize) {
                scope.bytes.end = offset(block.end_byte());
            }
            builder.deeper(block, |builder| self.sequence_values(builder, &mut Tokens::of(block), body));
        }
    }

    /// Binds `static ref NAME: T = …`. Returns `false` if the tokens have another form.
    fn bind_token_constant(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) -> bool {
        let is_ref = tokens.get(1).is_some_and(|(kind, node)| kind == Kind::Identifier && builder.text(node) == "ref");
        let skip = 1 + usize::from(is_ref) + usize::from(tokens.peek(1) == Kind::Mutable);
        let (Some((Kind::Identifier, name)), Kind::Colon) = (tokens.get(skip), tokens.peek(skip + 1)) else {
            return false;
        };
        tokens.at += skip + 2;
        let of = self.type_from_tokens(builder, tokens, scope);
        if let Some(binding) = self.bind_token_definition(builder, scope, BindingKind::Variable, name) {
            builder.binding(binding).annotation = Some(of);
        }
        true
    }

    /// Binds one parameter and skips its comma: `a: T`, `self`, `(a, b)`.
    pub fn bind_token_parameter(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        hint: ExprId,
    ) {
        let mut depth = 0_i32;
        let mut end = tokens.at;
        loop {
            let ahead = end - tokens.at;
            match tokens.peek(ahead) {
                _ if tokens.get(ahead).is_none() => break,
                Kind::Comma if depth <= 0 => break,
                Kind::Less => depth += 1,
                Kind::Greater => depth -= 1,
                Kind::Shift => depth -= 2,
                _ => {}
            }
            end += 1;
        }
        let mut parameter = tokens.until(end);
        tokens.take(Kind::Comma);
        self.bind_typed_token_pattern(builder, &mut parameter, scope, BindingKind::Parameter, hint, 0);
    }

    /// Binds a pattern with an optional type annotation.
    pub fn bind_typed_token_pattern(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        let first = builder.names.bindings.len();
        let typed = tokens.find(Kind::Colon);
        let Some(colon) = typed else {
            return self.bind_token_pattern(builder, tokens, scope, kind_of, value, from);
        };
        let mut pattern = tokens.until(colon);
        tokens.at += 1;
        let of = self.type_from_tokens(builder, tokens, scope);
        let simple = !matches!(pattern.peek(0), Kind::TokenTree) && pattern.find(Kind::TokenTree).is_none();
        let known = !self.has_inferred_part(builder, of) || value == builder.unknown();
        let inside = if simple || !known { value } else { self.instance_of(builder, of) };
        let before = builder.names.bindings.len();
        self.bind_token_pattern(builder, &mut pattern, scope, kind_of, inside, from);
        let bound = builder.names.bindings.get_mut(before.max(first)..).unwrap_or_default();
        if let (true, true, [bound]) = (simple, known, bound) {
            bound.annotation = Some(of);
        }
    }

    pub fn bind_token_pattern(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        while let Some((kind, node)) = tokens.get(0) {
            match kind {
                Kind::Identifier if matches!(builder.text(node), "_" | "ref" | "box") => tokens.at += 1,
                Kind::Identifier
                    if !is_type_name(builder.text(node))
                        && tokens.peek(1) != Kind::Colons
                        && tokens.peek(1) != Kind::TokenTree =>
                {
                    tokens.at += 1;
                    let binding = builder.bind(scope, kind_of, node);
                    if value != builder.unknown() {
                        let values = builder.list(&[value]);
                        builder.binding(binding).values = values;
                    }
                    builder.binding(binding).visible_from = from;
                }
                Kind::Identifier | Kind::Crate | Kind::Super => {
                    builder.deeper(node, |builder| {
                        self.bind_token_variant_pattern(builder, tokens, scope, kind_of, value, from)
                    });
                }
                Kind::SelfWord if tokens.peek(1) == Kind::Colons => {
                    builder.deeper(node, |builder| {
                        self.bind_token_variant_pattern(builder, tokens, scope, kind_of, value, from)
                    });
                }
                Kind::TokenTree => {
                    tokens.at += 1;
                    builder.deeper(node, |builder| {
                        let mut inside = Tokens::of(node);
                        let mut index = 0;
                        while !inside.done() {
                            let part = if value == builder.unknown() {
                                value
                            } else {
                                builder.expr(Expr::Item { of: value, index })
                            };
                            index += 1;
                            let end = inside.find(Kind::Comma);
                            let mut one = match end {
                                Some(end) => inside.until(end),
                                None => inside.until(usize::MAX),
                            };
                            inside.take(Kind::Comma);
                            self.bind_token_pattern(builder, &mut one, scope, kind_of, part, from);
                        }
                    });
                }
                _ => tokens.at += 1,
            }
        }
    }

    /// Binds the fields of a variant or struct pattern: `Some(a)`, `Shape::Circle { x, y: top }`.
    fn bind_token_variant_pattern(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        kind_of: BindingKind,
        value: ExprId,
        from: u32,
    ) {
        let start = tokens.at;
        let path = self.read_path_tokens(builder, tokens, scope);
        tokens.at = tokens.at.max(start + 1);
        let Some(last) = path.last else { return };
        let of = self.use_last_segment(builder, path.base, last, scope, Role::Read);
        if let Some(tree) = tokens.take_tree(Kind::OpenParen) {
            let whole = self.instance_of(builder, of);
            let mut inside = Tokens::of(tree);
            let mut index = 0;
            while !inside.done() {
                let part = match path.text {
                    "Some" | "Ok" => self.element_of(builder, value),
                    "Err" => builder.unknown(),
                    _ => {
                        let (name, at) = (positional_field_name(builder, index), offset(tree.start_byte()));
                        builder.expr(Expr::Member { base: whole, name, at })
                    }
                };
                index += 1;
                let end = inside.find(Kind::Comma).unwrap_or(usize::MAX);
                let mut one = inside.until(end);
                inside.take(Kind::Comma);
                self.bind_token_pattern(builder, &mut one, scope, kind_of, part, from);
            }
        } else if let Some(tree) = tokens.take_tree(Kind::OpenBrace) {
            let whole = self.instance_of(builder, of);
            let mut inside = Tokens::of(tree);
            while !inside.done() {
                let end = inside.find(Kind::Comma).unwrap_or(usize::MAX);
                let mut one = inside.until(end);
                inside.take(Kind::Comma);
                let Some((Kind::Identifier, field)) = one.get(0) else { continue };
                let part = builder.use_member(whole, field, Role::Member);
                if one.peek(1) == Kind::Colon {
                    one.at += 2;
                }
                self.bind_token_pattern(builder, &mut one, scope, kind_of, part, from);
            }
        }
    }

    /// The type at the current token. Reads as many tokens as belong to it.
    pub fn type_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> ExprId {
        loop {
            let Some((kind, node)) = tokens.get(0) else { return builder.unknown() };
            match kind {
                Kind::And | Kind::Star | Kind::Mutable | Kind::ConstWord | Kind::ImplWord => tokens.at += 1,
                Kind::Quote => tokens.at += 2,
                Kind::Identifier if matches!(builder.text(node), "dyn" | "mut") => tokens.at += 1,
                Kind::Identifier | Kind::Crate | Kind::Super | Kind::SelfWord | Kind::Metavariable => break,
                Kind::TokenTree => {
                    tokens.at += 1;
                    return builder.deeper(node, |builder| self.type_from_bracketed_tokens(builder, node, scope));
                }
                Kind::PrimitiveType => {
                    tokens.at += 1;
                    return builder.unknown();
                }
                _ => return builder.unknown(),
            }
        }
        let start = tokens.at;
        let path = self.read_path_tokens(builder, tokens, scope);
        tokens.at = tokens.at.max(start + 1);
        let Some(last) = path.last else { return path.base.unwrap_or(builder.unknown()) };
        let base = match builder.text(last) {
            "_" => builder.unknown(),
            _ => self.use_last_segment(builder, path.base, last, scope, Role::Type),
        };
        if tokens.peek(0) != Kind::Less {
            return base;
        }
        let mut args = self.type_arguments_from_tokens(builder, tokens, scope);
        args.truncate(super::types::element_argument_count(path.text));
        self.generic_type(builder, base, path.text, &args)
    }

    fn type_from_bracketed_tokens(&mut self, builder: &mut NamesBuilder<'_>, tree: Node<'_>, scope: ScopeId) -> ExprId {
        let mut inside = Tokens::of(tree);
        let mut parts = Vec::new();
        while !inside.done() {
            let from = inside.at;
            parts.push(self.type_from_tokens(builder, &mut inside, scope));
            inside.at = inside.find(Kind::Comma).map_or(usize::MAX, |comma| comma + 1).max(from + 1);
        }
        match (tree.child(0).map(super::kinds::kind), parts.as_slice()) {
            (Some(Kind::OpenBracket), [first, ..]) => self.container_type(builder, *first),
            (Some(Kind::OpenParen), [_, ..]) => {
                let parts = builder.list(&parts);
                builder.expr(Expr::Tuple(parts))
            }
            _ => builder.unknown(),
        }
    }

    /// The types in `<A, B>`.
    pub fn type_arguments_from_tokens(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
    ) -> Vec<ExprId> {
        let mut args = Vec::new();
        let Some(open) = tokens.take(Kind::Less) else { return args };
        self.open_angles += 1;
        let level = self.open_angles;
        while let Some((kind, _)) = tokens.get(0) {
            match kind {
                Kind::Greater => {
                    tokens.at += 1;
                    self.open_angles = self.open_angles.saturating_sub(1);
                    break;
                }
                Kind::Shift => {
                    tokens.at += 1;
                    self.open_angles = self.open_angles.saturating_sub(2);
                    break;
                }
                Kind::Semicolon => {
                    self.open_angles = level.saturating_sub(1);
                    break;
                }
                Kind::Quote => tokens.at += 2,
                Kind::Comma => tokens.at += 1,
                Kind::Identifier if matches!(tokens.peek(1), Kind::Equals | Kind::Colon) => tokens.at += 2,
                Kind::Identifier
                | Kind::Crate
                | Kind::Super
                | Kind::SelfWord
                | Kind::Metavariable
                | Kind::And
                | Kind::Star
                | Kind::TokenTree
                | Kind::PrimitiveType
                | Kind::ImplWord => {
                    let from = tokens.at;
                    args.push(builder.deeper(open, |builder| self.type_from_tokens(builder, tokens, scope)));
                    tokens.at = tokens.at.max(from + 1);
                }
                _ => tokens.at += 1,
            }
            // `>>` also closes the enclosing list.
            if self.open_angles < level {
                break;
            }
        }
        if tokens.done() {
            self.open_angles = level.saturating_sub(1);
        }
        args
    }

    /// Binds `use a::{b, c as d};` among tokens.
    fn bind_token_use(&mut self, builder: &mut NamesBuilder<'_>, tokens: &mut Tokens<'_>, scope: ScopeId) {
        let end = tokens.find(Kind::Semicolon).unwrap_or(usize::MAX);
        let mut inside = tokens.until(end);
        self.bind_token_use_tree(builder, &mut inside, scope, String::new(), None);
    }

    fn bind_token_use_tree(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        mut source: String,
        mut base: Option<ExprId>,
    ) {
        while let Some((kind, node)) = tokens.next() {
            match kind {
                Kind::Identifier | Kind::Crate | Kind::Super | Kind::SelfWord => {
                    let text = builder.text(node);
                    if tokens.peek(0) != Kind::Colons {
                        self.bind_token_use_leaf(builder, tokens, scope, &source, node);
                        continue;
                    }
                    base = Some(match base {
                        Some(base) => builder.use_member(base, node, Role::Import),
                        None => self.qualifier_expr(builder, node, scope, Some(Role::Import)),
                    });
                    if !source.is_empty() {
                        source.push_str("::");
                    }
                    source.push_str(text);
                }
                Kind::Star if !self.in_macro_definition => {
                    let source = builder.intern_made(&source);
                    let import = builder.add_import(ModuleImportKind::Import, source, scope, node);
                    builder.import_mut(import).glob = true;
                }
                Kind::TokenTree => builder.deeper(node, |builder| {
                    let mut inside = Tokens::of(node);
                    while !inside.done() {
                        let end = inside.find(Kind::Comma).unwrap_or(usize::MAX);
                        let mut one = inside.until(end);
                        inside.take(Kind::Comma);
                        self.bind_token_use_tree(builder, &mut one, scope, source.clone(), base);
                    }
                }),
                _ => {}
            }
        }
    }

    fn bind_token_use_leaf(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        tokens: &mut Tokens<'_>,
        scope: ScopeId,
        source: &str,
        node: Node<'_>,
    ) {
        if self.in_macro_definition {
            return;
        }
        let text = builder.text(node);
        let (source, taken): (&str, Option<NameId>) = match (source, text) {
            ("", text) => (text, None),
            (source, "self") => (source, None),
            (source, _) => (source, Some(builder.name(node))),
        };
        let source_id = builder.intern_made(source);
        let import = builder.add_import(ModuleImportKind::Import, source_id, scope, node);
        if let Some(taken) = taken {
            builder.import_mut(import).names.push(taken);
        }
        builder.occur(node, Role::Import, Target::Imported(import, taken));
        let mut local = match taken {
            Some(taken) => taken,
            None => builder.intern_made(source.rsplit("::").next().unwrap_or("")),
        };
        let mut place = node;
        if tokens.peek(0) == Kind::AsWord
            && let Some((Kind::Identifier, alias)) = tokens.get(1)
        {
            tokens.at += 2;
            local = builder.name(alias);
            place = alias;
        }
        let binding = builder.bind_name(scope, BindingKind::Import, local, place.start_byte());
        builder.binding(binding).import = Some((import, taken));
    }
}
