//! Records the names that markup uses, by what they mean: names local to the markup, names of the scripts, members of a
//! component.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::component::PROPERTIES;
use super::expressions::record_names_in_bytes;
use super::lexer::Dialect;
use super::stores::is_rune_use;
use super::tokens::Token;
use crate::names::{
    BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, ScopeKind, Target,
};

/// The names that are local to the markup at the current place, the innermost last.
#[derive(Default)]
pub(super) struct Locals<'s> {
    list: Vec<(&'s str, BindingId)>,
    /// The positions in the list of each name.
    by_name: HashMap<&'s str, Vec<usize>>,
}

impl<'s> Locals<'s> {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Removes the innermost names until `len` are left.
    pub fn truncate(&mut self, len: usize) {
        while self.list.len() > len {
            if let Some((name, _)) = self.list.pop()
                && let Some(positions) = self.by_name.get_mut(name)
            {
                positions.pop();
            }
        }
    }

    fn push(&mut self, name: &'s str, binding: BindingId) {
        self.by_name.entry(name).or_default().push(self.list.len());
        self.list.push((name, binding));
    }

    fn binding_of_name(&self, name: &str) -> Option<BindingId> {
        let position = self.by_name.get(name)?.last()?;
        self.list.get(*position).map(|(_, binding)| *binding)
    }
}

/// Whether a bare name in the markup can mean a member of the component, and what the scripts do not bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileNames {
    /// The markup sees the names of the scripts and global ones (Svelte, Astro).
    InScope,
    /// A name of the scripts comes first, then a member of the component; other names come from elsewhere (`<script
    /// setup>` in Vue).
    BeforeMembers,
    /// The members of the component alone are visible, except for the names of components (Vue without `<script setup>`).
    Hidden,
}

/// The receiver of the names that a reader of markup finds.
pub(super) struct MarkupNames<'s, 'b> {
    pub source: &'s str,
    pub builder: &'b mut NamesBuilder<'s>,
    pub locals: Locals<'s>,
    /// What the members of the component mean, by their names.
    pub members: HashMap<NameId, ExprId>,
    /// The type that declares the component's properties in another place, whose members are visible.
    pub property_type: Option<ExprId>,
    pub file_names: FileNames,
    /// Whether `$name` is the value of the store `name` (Svelte).
    pub has_stores: bool,
    /// The names that the scripts bind at file level.
    bound_by_scripts: HashSet<NameId>,
    /// The scope of the names that are local to the markup. No place is in it: each use knows its binding.
    local_scope: ScopeId,
    /// The offsets of the line breaks.
    line_breaks: Vec<u32>,
}

impl<'s, 'b> MarkupNames<'s, 'b> {
    pub fn new(builder: &'b mut NamesBuilder<'s>, file_names: FileNames) -> Self {
        let source = builder.source;
        let bound = builder.names.bindings.iter().filter(|binding| binding.scope == FILE_SCOPE);
        let bound_by_scripts = bound.map(|binding| binding.name).collect();
        let end = source.len();
        let local_scope = builder.add_child_scope_for_bytes(FILE_SCOPE, ScopeKind::Block, end..end);
        let breaks = memchr::memchr_iter(b'\n', source.as_bytes());
        Self {
            source,
            locals: Locals::default(),
            members: HashMap::new(),
            property_type: None,
            file_names,
            has_stores: false,
            bound_by_scripts,
            local_scope,
            line_breaks: breaks.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect(),
            builder,
        }
    }

    /// The line at a byte offset, from 1.
    pub fn line_at(&self, at: u32) -> u32 {
        let before = self.line_breaks.partition_point(|line_break| *line_break < at);
        u32::try_from(before).unwrap_or(u32::MAX - 1) + 1
    }

    /// Records that the names between two offsets are not known.
    pub fn record_missed_bytes(&mut self, bytes: Range<usize>) {
        let line = |at: usize| self.line_at(u32::try_from(at).unwrap_or(u32::MAX));
        let lines = (line(bytes.start), line(bytes.end));
        self.builder.names.missed.push(lines);
    }

    fn text_of_token(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    pub fn is_bound_by_scripts(&mut self, name: &str) -> bool {
        let name = self.builder.intern_constructed_text(name);
        self.bound_by_scripts.contains(&name)
    }

    /// Binds the name of a token in the markup. `value` is what the name stands for, if that is known.
    pub fn declare_local(&mut self, token: Token, value: Option<ExprId>) {
        let text = self.text_of_token(token);
        let name = self.builder.intern_source_text(text);
        let binding = self.builder.add_binding(self.local_scope, BindingKind::Parameter, name, token.start as usize);
        if let Some(value) = value.filter(|value| *value != self.builder.unknown_expr()) {
            self.builder.binding_mut(binding).values = self.builder.add_expr_list(&[value]);
        }
        let line = self.line_at(token.start);
        self.builder.record_occurrence_at_offset(
            name,
            token.start as usize,
            line,
            Role::Definition,
            Target::Binding(binding),
        );
        self.locals.push(text, binding);
    }

    /// Records the use of a bare name, and returns the expression for what it means.
    pub fn record_bare(&mut self, token: Token, role: Role) -> ExprId {
        let text = self.text_of_token(token);
        if self.has_stores && self.record_store_use(text, token.start, role) {
            return self.builder.unknown_expr();
        }
        let name = self.builder.intern_source_text(text);
        self.record_name_at(text, name, token.start, role)
    }

    /// Records the use of a name at an offset where the text may spell it in another way.
    pub fn record_name(&mut self, text: &str, at: usize, role: Role) -> ExprId {
        let name = self.builder.intern_constructed_text(text);
        self.record_name_at(text, name, u32::try_from(at).unwrap_or(u32::MAX), role)
    }

    fn record_name_at(&mut self, text: &str, name: NameId, at: u32, role: Role) -> ExprId {
        let expr = self.meaning_of_bare_name(text, name, at);
        self.record_use(name, at, role, expr);
        expr
    }

    /// Records the use of a name at an offset, with its meaning, which may be unknown.
    pub fn record_use(&mut self, name: NameId, at: u32, role: Role, meaning: ExprId) {
        let unknown = self.builder.unknown_expr();
        let target = if meaning == unknown { Target::Unknown } else { Target::Expr(meaning) };
        let line = self.line_at(at);
        self.builder.record_occurrence_at_offset(name, at as usize, line, role, target);
    }

    /// Records the use of a name of the scripts, whatever the members of the component are called.
    pub fn record_name_of_scripts(&mut self, text: &str, at: usize, role: Role) -> ExprId {
        let name = self.builder.intern_constructed_text(text);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let expr = self.builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at });
        self.record_use(name, at, role, expr);
        expr
    }

    /// Records that a tag gives a value to the property `text` of a component.
    pub fn record_property(&mut self, component: ExprId, text: &str, at: usize) {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let (name, properties) =
            (self.builder.intern_constructed_text(text), self.builder.intern_constructed_text(PROPERTIES));
        // Of a component that is not known, only the name of the property is.
        if component == self.builder.unknown_expr() {
            return self.record_use(name, at, Role::Write, component);
        }
        let base = self.builder.add_expr(Expr::Member { base: component, name: properties, at });
        let expr = self.builder.add_expr(Expr::Member { base, name, at });
        self.record_use(name, at, Role::Write, expr);
    }

    fn meaning_of_bare_name(&mut self, text: &str, name: NameId, at: u32) -> ExprId {
        if let Some(binding) = self.locals.binding_of_name(text) {
            return self.builder.add_expr(Expr::Bound { binding });
        }
        let is_bound = self.bound_by_scripts.contains(&name);
        let member = self.members.get(&name).copied();
        match (self.file_names, member) {
            (FileNames::Hidden, Some(member)) => member,
            (FileNames::Hidden, None) if is_bound && !self.members.is_empty() => self.builder.unknown_expr(),
            (FileNames::BeforeMembers, Some(member)) if !is_bound => member,
            (FileNames::InScope, _) => self.builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at }),
            _ if is_bound => self.builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at }),
            _ => match self.property_type {
                Some(base) => self.builder.add_expr(Expr::Member { base, name, at }),
                None => self.builder.unknown_expr(),
            },
        }
    }

    /// Records the use of a store by `$name`, if the script binds `name` and not `$name` (Svelte).
    fn record_store_use(&mut self, text: &'s str, at: u32, role: Role) -> bool {
        let Some(store) = text.strip_prefix('$').filter(|store| !store.is_empty()) else { return false };
        if self.locals.binding_of_name(text).is_some() || self.is_bound_by_scripts(text) {
            return false;
        }
        if !self.is_bound_by_scripts(store) || is_rune_use(self.source, at as usize, text) {
            return false;
        }
        let name = self.builder.intern_source_text(store);
        let expr = self.builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: at + 1 });
        let line = self.line_at(at);
        self.builder.record_occurrence_at_offset(name, at as usize + 1, line, role, Target::Expr(expr));
        true
    }

    /// Records the use of a member of `base`, and returns the expression for the member.
    pub fn record_member(&mut self, base: ExprId, token: Token, role: Role) -> ExprId {
        let name = self.builder.intern_source_text(self.text_of_token(token));
        let expr = self.builder.add_expr(Expr::Member { base, name, at: token.start });
        let line = self.line_at(token.start);
        self.builder.record_occurrence_at_offset(name, token.start as usize, line, role, Target::Expr(expr));
        expr
    }

    /// Records the name of an element in a token, if that names a component: it has a capital letter or a dot.
    pub fn record_tag(&mut self, token: Token, role: Role) {
        self.record_component_tag(token.start as usize..token.end as usize, role);
    }

    /// Records the name of an element, if that names a component: it has a capital letter or a dot.
    pub fn record_component_tag(&mut self, bytes: Range<usize>, role: Role) {
        let text = self.source.get(bytes.clone()).unwrap_or("");
        if text.contains([':', '-']) || !(text.starts_with(char::is_uppercase) || text.contains('.')) {
            return;
        }
        self.record_path(bytes, role);
    }

    /// Records a path of names, of which the last has the role `role`.
    pub fn record_path(&mut self, bytes: Range<usize>, role: Role) -> ExprId {
        record_names_in_bytes(bytes, Dialect::Plain, role, self)
    }

    /// The value that the first parameter of a callback gets from the call of `callee`: an element, where that is a method
    /// of arrays.
    pub fn element_passed_to_callback(&mut self, callee: ExprId) -> Option<ExprId> {
        let Expr::Member { base, name, .. } = self.builder.names.expr_by_id(callee) else { return None };
        let is_of_arrays = matches!(
            self.builder.names.name_text(name),
            "map" | "forEach" | "filter" | "find" | "findIndex" | "findLast" | "some" | "every" | "flatMap" | "sort"
        );
        (is_of_arrays && base != self.builder.unknown_expr()).then(|| self.builder.add_expr(Expr::Element { of: base }))
    }
}
