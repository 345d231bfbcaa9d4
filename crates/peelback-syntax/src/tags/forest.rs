//! Builds symbols from the matches of a tags query: nesting, names, signatures and documentation. One sweep over the
//! byte offsets of the file keeps a stack of the definitions that enclose the current offset.

use std::collections::HashSet;

use super::*;

/// An event of the sweep over a file's byte offsets: something begins there that changes the stack of enclosing
/// definitions.
enum SweepEvent<'t> {
    /// The sweep reaches the start of a definition.
    Definition(Box<MatchedDefinition<'t>>),
    /// The sweep reaches the start of an anonymous function's body.
    Body,
    /// The sweep reaches the start of a section inside a definition that has a visibility of its own.
    Scope,
    /// The sweep reaches a visibility label (`private:`); the visibility applies to the definitions that follow.
    Access(Visibility),
}

/// A definition or anonymous function body that encloses the sweep's current offset.
#[derive(Clone)]
struct EnclosingScope {
    bytes: Range<usize>,
    /// The index of the definition's symbol in the list of entries; for an anonymous function body, that of the
    /// enclosing symbol.
    entry_index: Option<usize>,
    kind: Option<SymbolKind>,
    /// The simple name of the definition. A method with the same name inside the definition is a constructor.
    name: String,
    /// The prefix of the qualified names of definitions inside this scope.
    prefix: String,
    /// Byte offset where the body of the definition begins.
    body_start: usize,
    /// Whether this scope or an enclosing one is a body that runs: definitions inside are local.
    is_local: bool,
    member_visibility: Visibility,
}

impl EnclosingScope {
    /// Whether the enclosing scope is a variable or field: definitions inside are parts of its initialiser.
    fn is_variable_constant_field_or_property(&self) -> bool {
        matches!(
            self.kind,
            Some(SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field | SymbolKind::Property)
        )
    }

    /// Whether the enclosing scope is a function, a method or an anonymous function body.
    fn is_function_or_anonymous_body(&self) -> bool {
        self.kind.is_none_or(SymbolKind::is_callable)
    }
}

/// Nests the definitions that a tags query matched in a file. Returns the symbols (parents first), the folds, and the
/// line ranges that were left out because they nest too deep. `root` is the root of the tree that was made of the text
/// `parsed`.
pub(super) fn nested_symbols_folds_and_missed_lines(
    matches: Matches<'_>,
    compiled: &CompiledTags,
    root: Node<'_>,
    (source, parsed): (&str, &str),
) -> (Vec<SymbolEntry>, Vec<Fold>, Vec<Lines>) {
    let mut folds: Vec<Fold> = Vec::new();
    let mut events: Vec<(Range<usize>, SweepEvent<'_>)> = Vec::new();
    for bytes in matches.bodies {
        folds.push(Fold { bytes: bytes.clone(), kind: FoldKind::Body });
        events.push((bytes, SweepEvent::Body));
    }
    for (at, visibility) in matches.visibility_labels {
        events.push((at..at, SweepEvent::Access(visibility)));
    }
    for bytes in matches.scopes {
        events.push((bytes, SweepEvent::Scope));
    }
    let has_keyword =
        |found: &MatchedDefinition<'_>| compiled.patterns.get(found.pattern).is_some_and(|settings| settings.keyword);
    let with_keyword = matches.definitions.iter().filter(|found| has_keyword(found));
    let starts =
        starts_of_tokens_before(root, &with_keyword.map(|found| outermost(&matches.outer, found.node).id()).collect());
    let imports: HashSet<(usize, usize)> = matches.imports.iter().map(|(bytes, _)| (bytes.start, bytes.end)).collect();
    for mut found in matches.definitions {
        // An import can also match as a definition: `local json = require("json")`. The import takes precedence.
        if imports.contains(&(found.node.start_byte(), found.node.end_byte())) {
            continue;
        }
        found.node = outermost(&matches.outer, found.node);
        let mut bytes = found.node.byte_range();
        let settings = compiled.patterns.get(found.pattern);
        if settings.is_some_and(|settings| settings.keyword) {
            bytes.start = starts.get(&found.node.id()).copied().unwrap_or(bytes.start);
        }
        if let Some(end) = found.body.or(found.value).filter(|_| settings.is_some_and(|settings| settings.span)) {
            bytes.end = end.end_byte().max(bytes.end);
        }
        events.push((bytes, SweepEvent::Definition(Box::new(found))));
    }
    extend_to_next_definition(&mut events, compiled, &matches.attachments, source);
    for item in matches.attachments.iter().filter(|item| item.kind != AttachmentKind::Attribute) {
        folds.push(Fold { bytes: item.bytes.clone(), kind: FoldKind::Comment });
    }
    events.sort_by_key(|(bytes, event)| {
        let name = match event {
            SweepEvent::Definition(found) => found.name.map_or(0, |name| name.start_byte()),
            _ => 0,
        };
        (bytes.start, std::cmp::Reverse(bytes.end), name)
    });
    let mut forest = SymbolForest {
        source,
        parsed,
        compiled,
        attachments: &matches.attachments,
        entries: Vec::new(),
        stack: Vec::new(),
        folds,
        long_values: Vec::new(),
        bound_names: HashSet::new(),
        last_children: HashMap::new(),
        missed_lines: Vec::new(),
        missed_until: 0,
    };
    for (bytes, event) in events {
        while forest.stack.last().is_some_and(|frame| frame.bytes.end <= bytes.start) {
            forest.stack.pop();
        }
        match event {
            SweepEvent::Access(visibility) => {
                if let Some(frame) = forest.stack.last_mut() {
                    frame.member_visibility = visibility;
                }
            }
            SweepEvent::Body => {
                let outer = forest.stack.last();
                let frame = EnclosingScope {
                    entry_index: outer.and_then(|frame| frame.entry_index),
                    kind: None,
                    name: String::new(),
                    prefix: outer.map_or_else(String::new, |frame| frame.prefix.clone()),
                    body_start: bytes.start,
                    is_local: true,
                    member_visibility: Visibility::Unknown,
                    bytes,
                };
                forest.stack.push(frame);
            }
            SweepEvent::Scope => {
                if let Some(outer) = forest.stack.last() {
                    let frame = EnclosingScope { bytes, member_visibility: Visibility::Unknown, ..outer.clone() };
                    forest.stack.push(frame);
                }
            }
            SweepEvent::Definition(found) => forest.add_definition(*found, bytes),
        }
    }
    let SymbolForest { entries, mut folds, long_values: values, missed_lines: missed, .. } = forest;
    // A long initialiser is not folded if it contains definitions (a table of functions, an object with methods).
    folds.extend(values.into_iter().filter_map(|bytes| {
        let next = entries.partition_point(|entry| entry.symbol.bytes.start < bytes.start);
        let has_definition = entries.get(next).is_some_and(|entry| entry.symbol.bytes.end <= bytes.end);
        (!has_definition).then_some(Fold { bytes, kind: FoldKind::Body })
    }));
    (entries, folds, missed)
}

/// The outermost of the nodes around a definition that count as the definition.
fn outermost<'t>(outer: &HashMap<usize, Node<'t>>, mut node: Node<'t>) -> Node<'t> {
    while let Some(around) = outer.get(&node.id()) {
        node = *around;
    }
    node
}

/// Lets each definition with the setting `extends` end where the next one begins, without the comments above that one.
fn extend_to_next_definition(
    events: &mut [(Range<usize>, SweepEvent<'_>)],
    compiled: &CompiledTags,
    attachments: &[Attachment],
    source: &str,
) {
    let extends = |event: &SweepEvent<'_>| match event {
        SweepEvent::Definition(found) => compiled.patterns.get(found.pattern).and_then(|pattern| pattern.extends),
        _ => None,
    };
    let limits = events.iter().filter(|(_, event)| extends(event).is_some());
    let mut starts: Vec<usize> = limits.map(|(bytes, _)| bytes.start).collect();
    starts.sort_unstable();
    for (bytes, _) in events.iter_mut().filter(|(_, event)| extends(event) == Some(true)) {
        let next = starts.get(starts.partition_point(|start| *start <= bytes.start));
        let mut end = next.copied().unwrap_or(source.len());
        let mut at = attachments.partition_point(|item| item.bytes.start < end);
        loop {
            end = text::trimmed_end_offset(source, bytes.start..end);
            let above = at.checked_sub(1).and_then(|at| attachments.get(at));
            let Some(item) =
                above.filter(|item| next.is_some() && item.bytes.end == end && item.bytes.start >= bytes.end)
            else {
                break;
            };
            end = item.bytes.start;
            at -= 1;
        }
        bytes.end = end.max(bytes.end);
    }
}

/// For each of the nodes with these ids, the start of the tokens directly before it that have no name in the grammar: of
/// `let rec` before a binding. One walk over the tree finds all: a node itself finds its siblings only from the root.
fn starts_of_tokens_before(root: Node<'_>, wanted: &HashSet<usize>) -> HashMap<usize, usize> {
    let mut found = HashMap::new();
    if wanted.is_empty() {
        return found;
    }
    let mut cursor = root.walk();
    // For each level of the tree, where the tokens directly before the current node begin.
    let mut starts: Vec<Option<usize>> = vec![None];
    loop {
        let node = cursor.node();
        if let Some(start) = starts.last_mut() {
            let first = start.unwrap_or_else(|| node.start_byte());
            if wanted.contains(&node.id()) {
                found.insert(node.id(), first);
            }
            *start = (!node.is_named()).then_some(first);
        }
        if cursor.goto_first_child() {
            starts.push(None);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            starts.pop();
        }
    }
}

/// The length of the first line of a text, in bytes.
fn first_line_length(text: &str) -> usize {
    text.lines().next().unwrap_or(text).len()
}

struct SymbolForest<'s> {
    source: &'s str,
    /// The text that was parsed, of the same length.
    parsed: &'s str,
    compiled: &'s CompiledTags,
    attachments: &'s [Attachment],
    entries: Vec<SymbolEntry>,
    stack: Vec<EnclosingScope>,
    folds: Vec<Fold>,
    /// Byte ranges of initialisers that have enough lines to be folded.
    long_values: Vec<Range<usize>>,
    /// Qualified names that already have a symbol. Patterns with the setting `once` add no second symbol for such a
    /// name.
    bound_names: HashSet<String>,
    /// The last definition inside each definition (`None`: at the top level), with the number of its parameters if
    /// further clauses can join it.
    last_children: HashMap<Option<usize>, (usize, Option<usize>)>,
    /// Line ranges of definitions that nest too deep and were left out.
    missed_lines: Vec<Lines>,
    /// Byte offset where the last region ends that was left out because it nests too deep.
    missed_until: usize,
}

impl SymbolForest<'_> {
    /// Adds the definition that a pattern matched, in the byte range `bytes`: that of its node, or a longer one.
    fn add_definition(&mut self, found: MatchedDefinition<'_>, bytes: Range<usize>) {
        let source = self.source;
        let Some(settings) = self.compiled.patterns.get(found.pattern) else { return };
        let node = found.node;
        let name_end = found.name.map_or(bytes.start, |name| name.end_byte());
        let whole = bytes.start..self.end_without_comments_below(bytes, name_end);
        let body = found.body.map(|body| {
            let end = text::trimmed_end_offset(source, body.byte_range());
            body.start_byte()..if settings.rest { whole.end } else { end.min(whole.end).max(body.start_byte()) }
        });
        if let Some(body) = &body
            && found.kind.is_callable()
        {
            self.folds.push(Fold { bytes: body.clone(), kind: FoldKind::Body });
        }
        let value = found.value.filter(|value| value.end_position().row > value.start_position().row);
        if let Some(value) = value
            && value.end_position().row - value.start_position().row >= LONG_VALUE_LINES
        {
            let bytes = value.start_byte()..text::trimmed_end_offset(source, value.byte_range());
            self.long_values.push(bytes);
        }

        // Several names of one declaration (`int a, b;`) are siblings, not nested.
        while self.stack.last().is_some_and(|frame| frame.kind.is_some() && frame.bytes == whole) {
            self.stack.pop();
        }
        if self.stack.len() > MAX_DEPTH {
            // A region inside a region that was left out is not recorded again.
            if whole.start >= self.missed_until {
                self.missed_until = whole.end;
                self.missed_lines.push(super::lines_of_node(node));
            }
            return;
        }
        let Some(owner) = self.owner_scope_index_of_symbol(&found, settings.outside) else { return };
        let around = owner.and_then(|index| self.stack.get(index));
        let Some((mut name, mut container)) = self.definition_name_and_explicit_owner(&found, settings) else { return };
        if around.is_some_and(|frame| container.as_ref() == Some(&frame.name)) {
            container = None;
        }
        let kind = match settings.container {
            Some(_) => found.kind,
            None => symbol_kind_in_owner(found.kind, &name, container.as_deref(), around),
        };
        let (start, outer_start, decorators, mut docstring) =
            self.definition_starts_decorators_and_doc(&whole, found.name);
        if let Some(inside) = found.documentation {
            docstring = words::first_line_of_docstring(self.text_of_node(inside)).or(docstring);
        }
        let ends = [
            found.end.map(|end| end.start_byte()),
            body.as_ref().map(|body| body.start),
            value.map(|value| value.start_byte()),
            (settings.extends == Some(true) || settings.line)
                .then(|| node.start_byte() + first_line_length(self.text_of_node(node))),
        ];
        let signature_end = ends.into_iter().flatten().min().unwrap_or(whole.end).clamp(start, whole.end);
        let mut signature = match found.documentation.map(|inside| inside.byte_range()) {
            // A docstring is no part of the signature.
            Some(inside) if start <= inside.start && inside.end <= signature_end && !settings.line => {
                let after = self.signature_of_range(inside.end..signature_end, kind);
                format!("{} {after}", self.signature_of_range(start..inside.start, kind)).trim_end().to_owned()
            }
            _ => self.signature_of_range(start..signature_end, kind),
        };
        // The `{}` at the end of `String[] names() default {}` in Java is a default value and not a body.
        if body.is_none() && !(found.kind.is_callable() && found.value.is_some()) {
            words::remove_trailing_body_from_signature(&mut signature, found.kind);
        }
        if found.end.is_some() {
            signature.truncate(signature.trim_end_matches([':', ' ']).len());
        }
        // The name is after the body, as in `typedef struct { … } Name`: append the name to the signature.
        if found.name.is_some_and(|name| name.start_byte() >= signature_end) && settings.name.is_none() {
            signature.push(' ');
            signature.push_str(&name);
        }
        let name_start = found.name.map_or(start, |name| name.start_byte()).max(start);
        let modifiers =
            start..self.char_boundary_at_or_after(name_start.min(start.saturating_add(MAX_MODIFIERS)), name_start);
        let modifiers = match found.visibility {
            Some(node) => self.text_of_node(node),
            None => source.get(modifiers).unwrap_or(""),
        };
        let visibility = match words::visibility_from_modifiers(modifiers, self.compiled.vocabulary.visibility) {
            Visibility::Unknown => around.map_or(Visibility::Unknown, |frame| frame.member_visibility),
            visibility => visibility,
        };
        let mut simple = name.clone();
        if kind == SymbolKind::Impl {
            // The symbol's name is its whole header, as in `extension Order: Named`.
            let header = found.name.map_or("", |name| source.get(name.start_byte()..signature_end).unwrap_or(""));
            simple = found.name.map_or(simple, |name| text::to_one_line(self.text_of_node(name)));
            name = format!("{}{}", settings.prefix.as_deref().unwrap_or(""), text::to_one_line(header));
        }
        let outer_prefix = around.map_or("", |frame| &frame.prefix);
        let owner_prefix =
            container.as_ref().map(|container| symbol_tree::join_qualified_name(outer_prefix, container));
        let outer_prefix = owner_prefix.as_deref().unwrap_or(outer_prefix);
        let qualified_name = symbol_tree::join_qualified_name(outer_prefix, &name);
        if settings.once && !self.bound_names.insert(qualified_name.clone()) {
            return;
        }
        let first = if start < node.start_byte() {
            let above = text::count_newlines(source, start..node.start_byte());
            saturating_row_u32(node.start_position().row).saturating_sub(above) + 1
        } else {
            saturating_row_u32(node.start_position().row) + text::count_newlines(source, node.start_byte()..start) + 1
        };
        let last = if whole.end > node.end_byte() {
            first + text::count_newlines(source, start..whole.end)
        } else {
            saturating_row_u32(node.end_position().row) + 1 - text::count_newlines(source, whole.end..node.end_byte())
        };
        let parent = around.and_then(|frame| frame.entry_index);
        let parameters = settings.joins.then(|| found.parameters.map_or(0, |node| node.named_child_count()));
        let last_child = self.last_children.get(&parent).copied();
        if let Some((joined, count)) = last_child
            && parameters.is_some()
            && (count == parameters || found.parameters.is_none())
            && let Some(SymbolEntry { symbol: earlier, .. }) = self.entries.get_mut(joined)
            && earlier.qualified_name == qualified_name
        {
            // A type signature does not say whether a function follows it.
            if kind.is_callable() && !earlier.kind.is_callable() {
                earlier.kind = kind;
            }
            earlier.lines.last = last.max(earlier.lines.last);
            earlier.bytes.end = whole.end.max(earlier.bytes.end);
            let frame = EnclosingScope {
                bytes: whole.clone(),
                entry_index: Some(joined),
                kind: Some(kind),
                prefix: qualified_name,
                name: simple,
                body_start: body.map_or(whole.end, |body| body.start),
                is_local: earlier.local || kind.is_callable(),
                member_visibility: settings.access,
            };
            self.stack.push(frame);
            return;
        }
        self.last_children.insert(parent, (self.entries.len(), parameters));
        let symbol = Symbol {
            qualified_name,
            name,
            has_unique_name: true,
            ordinal_on_line: None,
            kind,
            lines: Lines { first, last: last.max(first) },
            outer_line: first - text::count_newlines(source, outer_start..start).min(first - 1),
            bytes: start..whole.end,
            outer_start,
            signature,
            decorators,
            docstring,
            visibility,
            container,
            local: around.is_some_and(|frame| frame.is_local),
            children: Vec::new(),
        };
        // A type alias has no children: in `typedef struct Tag { … } Alias`, the struct is a sibling of the alias.
        if kind != SymbolKind::Type {
            let frame = EnclosingScope {
                bytes: whole.clone(),
                entry_index: Some(self.entries.len()),
                kind: Some(kind),
                prefix: symbol_tree::join_qualified_name(outer_prefix, &simple),
                name: simple,
                body_start: body.map_or(whole.end, |body| body.start),
                is_local: symbol.local || kind.is_callable(),
                member_visibility: settings.access,
            };
            self.entries.push(SymbolEntry { symbol, parent });
            self.stack.push(frame);
        } else {
            self.entries.push(SymbolEntry { symbol, parent });
        }
    }

    /// The index of the enclosing scope that owns a definition, `Some(None)` at the top level; `None` where the matched
    /// definition is not a symbol.
    fn owner_scope_index_of_symbol(&self, found: &MatchedDefinition<'_>, outside: bool) -> Option<Option<usize>> {
        let start = found.node.start_byte();
        let is_value = is_variable_or_member_value_kind(found.kind);
        let is_type = matches!(
            found.kind,
            SymbolKind::Class | SymbolKind::Struct | SymbolKind::Union | SymbolKind::Enum | SymbolKind::Interface
        );
        let mut index = self.stack.len();
        while let Some(frame) = index.checked_sub(1).and_then(|index| self.stack.get(index)) {
            let value_owner = frame.is_variable_constant_field_or_property();
            // A constructor parameter that is also a property belongs to the class, not to the constructor.
            let is_constructor_property =
                found.kind == SymbolKind::Property && frame.is_function_or_anonymous_body() && start < frame.body_start;
            // `struct Point { … } origin;` defines a type and a variable: the two are siblings.
            if is_constructor_property || (value_owner && is_type) {
                index -= 1;
            } else {
                break;
            }
        }
        let owner = index.checked_sub(1);
        let frame = owner.and_then(|owner| self.stack.get(owner));
        let in_code = frame.is_some_and(EnclosingScope::is_function_or_anonymous_body);
        let in_value = frame.is_some_and(EnclosingScope::is_variable_constant_field_or_property);
        let is_variable = matches!(found.kind, SymbolKind::Variable | SymbolKind::Constant);
        let is_hidden = in_code && (is_value || outside) || in_value && is_variable;
        if is_hidden { None } else { Some(owner) }
    }

    /// A definition's simple name, and its owner's name where the source text qualifies the name (`Foo::bar`).
    fn definition_name_and_explicit_owner(
        &self,
        found: &MatchedDefinition<'_>,
        settings: &PatternSettings,
    ) -> Option<(String, Option<String>)> {
        let named = found
            .container
            .map(|node| words::dotted_owner_names(words::bare_name(node.kind(), self.text_of_node(node))));
        let mut container = named.or_else(|| settings.container.clone());
        let mut name = match (&settings.name, found.name) {
            (Some(name), _) => name.clone(),
            (None, None) if settings.header => {
                let end = found.body.map_or(found.node.end_byte(), |body| body.start_byte());
                text::to_one_line(self.source.get(found.node.start_byte()..end).unwrap_or(""))
            }
            (None, Some(node)) if found.qualified => {
                let (owners, simple) = words::split_qualified_name(self.text_of_node(node));
                if !owners.is_empty() {
                    container = Some(words::dotted_owner_names(owners));
                }
                text::to_one_line(text::without_quotes(simple))
            }
            // `operator bool() const` of C++: the type is the name.
            (None, Some(node)) if node.kind() == "operator_cast" => {
                let text = self.text_of_node(node);
                text::to_one_line(text.split_once('(').map_or(text, |(name, _)| name))
            }
            (None, Some(node)) => text::to_one_line(words::bare_name(node.kind(), self.text_of_node(node))),
            (None, None) => return None,
        };
        if let Some(prefix) = &settings.prefix {
            name.insert_str(0, prefix);
        }
        (!name.is_empty()).then_some((name, container.filter(|container| !container.is_empty())))
    }

    fn text_of_node(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// What belongs to a definition besides its node: returns the start of the definition after its annotations, its
    /// start including comments and annotations above, the decorators, and the first line of the documentation.
    fn definition_starts_decorators_and_doc(
        &self,
        whole: &Range<usize>,
        name: Option<Node<'_>>,
    ) -> (usize, usize, Vec<String>, Option<String>) {
        let mut decorators = Vec::new();
        let mut start = whole.start;
        let mut at = self.attachments.partition_point(|item| item.bytes.start < whole.start);
        let name_start = name.map_or(whole.end, |name| name.start_byte());
        let mut after = at;
        let mut reached = start;
        let mut inner_documentation = None;
        while let Some(item) = self.attachments.get(after)
            && item.bytes.end <= name_start
            && self.is_blank_range(reached..item.bytes.start)
        {
            reached = item.bytes.end;
            match &item.kind {
                AttachmentKind::Comment => {}
                AttachmentKind::Attribute => {
                    decorators.push(text::to_one_line(self.source.get(item.bytes.clone()).unwrap_or("")));
                    start = reached;
                }
                AttachmentKind::Documentation(_) => {
                    inner_documentation = inner_documentation.or(self.first_line_of_documentation(item));
                    start = reached;
                }
            }
            after += 1;
        }
        if start > whole.start {
            let rest = self.source.get(start..whole.end).unwrap_or("");
            start += rest.len() - rest.trim_start().len();
        }
        let mut outer_start = whole.start;
        let mut above = Vec::new();
        let mut first_comment = None;
        while let Some(item) = at.checked_sub(1).and_then(|at| self.attachments.get(at)) {
            let gap = item.bytes.end..outer_start;
            if !self.is_blank_range(gap.clone()) {
                break;
            }
            if item.kind == AttachmentKind::Attribute {
                above.push(text::to_one_line(self.source.get(item.bytes.clone()).unwrap_or("")));
            } else if self.count_line_breaks_without_blanked_lines(gap) > 1
                || !self.is_preceded_only_by_indentation(item.bytes.start)
            {
                break;
            } else {
                first_comment = Some(at - 1);
            }
            outer_start = item.bytes.start;
            at -= 1;
        }
        above.reverse();
        above.append(&mut decorators);
        let docstring = first_comment.and_then(|_| {
            let items = self.attachments.get(at..).unwrap_or(&[]);
            let comments = items.iter().take_while(|item| item.bytes.start < whole.start);
            // Text that is marked as documentation goes before a comment, which may be about the text around it.
            let marked = |item: &&Attachment| matches!(item.kind, AttachmentKind::Documentation(_));
            let of_marked = comments.clone().filter(marked).find_map(|item| self.first_line_of_documentation(item));
            of_marked.or_else(|| comments.into_iter().find_map(|item| self.first_line_of_documentation(item)))
        });
        let docstring = inner_documentation.or(docstring);
        // A `#!` line or an editor's mode line directly above a definition is not its documentation.
        let outer_start = if docstring.is_none() && above.is_empty() { whole.start } else { outer_start };
        (start, outer_start, above, docstring)
    }

    /// The end of a definition without the comments on lines of their own at its end: where nothing marks the end of a
    /// definition, the grammar counts those among it that are about the next one.
    fn end_without_comments_below(&self, bytes: Range<usize>, name_end: usize) -> usize {
        let mut end = text::trimmed_end_offset(self.source, bytes);
        let mut at = self.attachments.partition_point(|item| item.bytes.start < end);
        while let Some(item) = at.checked_sub(1).and_then(|at| self.attachments.get(at))
            && item.bytes.end == end
            && item.bytes.start > name_end
            && item.kind != AttachmentKind::Attribute
            && self.is_preceded_only_by_indentation(item.bytes.start)
        {
            end = text::trimmed_end_offset(self.source, name_end..item.bytes.start);
            at -= 1;
        }
        end
    }

    /// The first line of a comment's text, or of a text that documents; `None` for an attribute.
    fn first_line_of_documentation(&self, item: &Attachment) -> Option<String> {
        match &item.kind {
            AttachmentKind::Attribute => None,
            AttachmentKind::Comment => words::first_doc_line_of_comment(self.source.get(item.bytes.clone())?),
            AttachmentKind::Documentation(text) => words::first_line_of_docstring(self.source.get(text.clone())?),
        }
    }

    /// The first byte offset between `at` and `end` that is a character boundary.
    fn char_boundary_at_or_after(&self, at: usize, end: usize) -> usize {
        (at..=end).find(|&at| self.source.is_char_boundary(at)).unwrap_or(end)
    }

    fn is_blank_range(&self, bytes: Range<usize>) -> bool {
        self.parsed.get(bytes).is_some_and(|gap| gap.bytes().all(|byte| byte.is_ascii_whitespace()))
    }

    /// The number of line breaks in a gap, without those of lines that the parse did not see.
    fn count_line_breaks_without_blanked_lines(&self, gap: Range<usize>) -> usize {
        let text = self.source.get(gap).unwrap_or("");
        let blanked = text.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
        text.bytes().filter(|byte| *byte == b'\n').count().saturating_sub(blanked).max(usize::from(text.contains('\n')))
    }

    /// Whether only white space precedes byte offset `at` on its line.
    fn is_preceded_only_by_indentation(&self, at: usize) -> bool {
        let before = self.source.as_bytes().get(..at).unwrap_or(&[]);
        before.iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace)
    }

    /// The signature in a byte range of the text: the declaration on one line, without comments.
    fn signature_of_range(&self, bytes: Range<usize>, kind: SymbolKind) -> String {
        let has_same_start = self.entries.last().is_some_and(|last| last.symbol.bytes.start == bytes.start);
        let longest =
            if is_variable_or_member_value_kind(kind) || has_same_start { MAX_VALUE_SIGNATURE } else { MAX_SIGNATURE };
        let end = self.char_boundary_at_or_after(bytes.end.min(bytes.start.saturating_add(longest)), bytes.end);
        let mut text = String::new();
        let mut at = bytes.start;
        let first = self.attachments.partition_point(|item| item.bytes.start < bytes.start);
        for item in self.attachments.get(first..).unwrap_or(&[]) {
            if item.bytes.start >= end {
                break;
            }
            if item.kind != AttachmentKind::Attribute && item.bytes.start >= at {
                text.push_str(self.source.get(at..item.bytes.start).unwrap_or(""));
                text.push(' ');
                at = item.bytes.end;
            }
        }
        text.push_str(self.source.get(at..end).unwrap_or(""));
        text::format_signature(&text)
    }
}

/// The limit on the length of a signature, in bytes; longer declarations are cut.
const MAX_SIGNATURE: usize = 4_000;

/// The limit on the length, in bytes, of the signature of a variable or field, or of a type that begins at the same
/// offset as another: a single declaration can define thousands of such symbols.
const MAX_VALUE_SIGNATURE: usize = 500;

/// The limit on the number of bytes at the start of a definition that are searched for modifiers such as `private`.
const MAX_MODIFIERS: usize = 300;

/// The limit on the nesting of definitions; deeper definitions are left out, because their qualified names alone could
/// fill the memory.
const MAX_DEPTH: usize = 200;

fn is_variable_or_member_value_kind(kind: SymbolKind) -> bool {
    kind.is_field_property_or_enum_member() || matches!(kind, SymbolKind::Variable | SymbolKind::Constant)
}

fn saturating_row_u32(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX - 1)
}

/// The kind of a symbol, once the owner of its definition is known: a function in a type is a method, or a constructor
/// where it has the type's name.
fn symbol_kind_in_owner(
    kind: SymbolKind,
    name: &str,
    container: Option<&str>,
    around: Option<&EnclosingScope>,
) -> SymbolKind {
    let in_type = around.is_some_and(|frame| {
        matches!(
            frame.kind,
            Some(
                SymbolKind::Class
                    | SymbolKind::Struct
                    | SymbolKind::Union
                    | SymbolKind::Enum
                    | SymbolKind::EnumMember
                    | SymbolKind::Interface
                    | SymbolKind::Trait
                    | SymbolKind::Impl
            )
        )
    });
    let owner = match container {
        Some(container) => Some(container.rsplit('.').next().unwrap_or(container)),
        None if in_type => around.map(|frame| frame.name.as_str()),
        None => None,
    };
    match kind {
        SymbolKind::Function | SymbolKind::Method if owner == Some(name) => SymbolKind::Constructor,
        SymbolKind::Function if owner.is_some() => SymbolKind::Method,
        SymbolKind::Variable if in_type || container.is_some() => SymbolKind::Field,
        kind => kind,
    }
}
