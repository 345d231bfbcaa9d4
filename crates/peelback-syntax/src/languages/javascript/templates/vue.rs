//! The templates of Vue components.

use std::collections::HashMap;
use std::ops::Range;

use super::component::bind_component_of_file;
use super::component_members::{ComponentMembers, component_members_of_file};
use super::expressions::{declare_patterns, record_names_in_bytes, record_names_in_tokens};
use super::lexer::{Dialect, is_void_element, tokens_of_range};
use super::sink::{FileNames, MarkupNames};
use super::tags::{Attribute, Tag, camel_case, index_of, is_end_of_tag_name, pascal_case, read_tag};
use super::tokens::{Bracket, TokenKind};
use crate::languages::javascript::embedded::closing_tag_start;
use crate::names::{Expr, ExprId, NamesBuilder, Role};

/// Records the names that the templates of a Vue component use, after those of its scripts.
pub(crate) fn record_names_in_vue_markup(builder: &mut NamesBuilder<'_>) {
    let component = component_members_of_file(builder);
    let file_names = if component.has_setup { FileNames::BeforeMembers } else { FileNames::Hidden };
    let mut names = MarkupNames::new(builder, file_names);
    names.members.clone_from(&component.members);
    names.property_type = component.property_type;
    let properties = component.properties;
    let mut reader = TemplateReader { names, component, elements: Vec::new(), open_by_name: HashMap::new() };
    reader.read_blocks();
    bind_component_of_file(properties, builder);
}

/// An element of a template that is open.
struct Element<'s> {
    name: &'s str,
    /// The number of local names outside of the element.
    locals: usize,
    /// Whether the element and what is in it is no template, by `v-pre`.
    is_verbatim: bool,
}

struct TemplateReader<'s, 'b> {
    names: MarkupNames<'s, 'b>,
    component: ComponentMembers,
    elements: Vec<Element<'s>>,
    /// The number of open elements of each name.
    open_by_name: HashMap<&'s str, usize>,
}

/// The parts of the name of a directive.
struct Directive<'s> {
    /// The name without `v-`: `bind` for `:`, `on` for `@`, `slot` for `#`.
    name: &'s str,
    /// The bytes of the argument behind the colon, without modifiers.
    argument: Range<usize>,
    is_dynamic: bool,
}

impl<'s> TemplateReader<'s, '_> {
    fn text(&self, bytes: Range<usize>) -> &'s str {
        self.names.source.get(bytes).unwrap_or("")
    }

    /// Reads the blocks of the file, and the names in those that are templates.
    fn read_blocks(&mut self) {
        let source = self.names.source;
        let mut at = 0;
        while let Some(start) = find(source, at, "<") {
            if self.text(start..source.len()).starts_with("<!--") {
                let Some(end) = find(source, start, "-->") else { return };
                at = end + 3;
                continue;
            }
            if !source.as_bytes().get(start + 1).is_some_and(u8::is_ascii_alphabetic) {
                at = start + 1;
                continue;
            }
            let tag = read_tag(source, start, source.len());
            at = tag.end;
            if tag.is_self_closing {
                continue;
            }
            let name = self.text(tag.name.clone());
            let is_template = name == "template";
            let is_html = tag.attributes.iter().all(|attribute| {
                self.text(attribute.name.clone()) != "lang"
                    || attribute.value.clone().is_none_or(|value| self.text(value) == "html")
            });
            if is_template && is_html {
                at = self.read_template(at);
                continue;
            }
            let rest = self.text(at..source.len());
            let end = at + closing_tag_start(rest, &format!("</{name}")).unwrap_or(rest.len());
            if is_template {
                self.names.record_missed_bytes(start..end);
            }
            at = end;
        }
    }

    /// Reads a template from byte `from`, behind its tag, and returns the offset behind it.
    fn read_template(&mut self, from: usize) -> usize {
        let source = self.names.source;
        let end = source.len();
        self.elements = Vec::new();
        self.open_by_name = HashMap::new();
        self.push_element("template", self.names.locals.len(), false);
        let mut may_interpolation_end = true;
        let mut at = from;
        while at < end {
            let Some(found) = source.as_bytes().get(at..).and_then(|rest| memchr::memchr2(b'<', b'{', rest)) else {
                break;
            };
            at += found;
            let rest = self.text(at..end);
            if let Some(inside) = rest.strip_prefix("{{") {
                match Some(inside).filter(|_| may_interpolation_end).and_then(|inside| inside.find("}}")) {
                    Some(length) => {
                        let bytes = at + 2..at + 2 + length;
                        if !self.is_verbatim() {
                            record_names_in_bytes(bytes, Dialect::Plain, Role::Read, &mut self.names);
                        }
                        at += length + 4;
                    }
                    None => {
                        may_interpolation_end = false;
                        at += 2;
                    }
                }
            } else if rest.starts_with("<!--") {
                at = find(source, at, "-->").map_or(end, |comment_end| comment_end + 3);
            } else if rest.starts_with("</") {
                let name = at + 2..index_of(source.as_bytes(), at + 2, is_end_of_tag_name);
                at = find(source, at, ">").map_or(end, |tag_end| tag_end + 1);
                self.close_element(name);
                if self.elements.is_empty() {
                    break;
                }
            } else if rest.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic) {
                let tag = read_tag(source, at, end);
                at = tag.end;
                at = self.open_element(&tag, at);
            } else {
                at += 1;
            }
        }
        self.names.locals.truncate(0);
        at
    }

    fn is_verbatim(&self) -> bool {
        self.elements.last().is_some_and(|element| element.is_verbatim)
    }

    fn push_element(&mut self, name: &'s str, locals: usize, is_verbatim: bool) {
        *self.open_by_name.entry(name).or_default() += 1;
        self.elements.push(Element { name, locals, is_verbatim });
    }

    /// Records the names of an element's tag, and returns the offset at which the reading goes on.
    fn open_element(&mut self, tag: &Tag, at: usize) -> usize {
        let name = self.text(tag.name.clone());
        let locals = self.names.locals.len();
        let is_verbatim =
            self.is_verbatim() || tag.attributes.iter().any(|attribute| self.text(attribute.name.clone()) == "v-pre");
        if !is_verbatim {
            self.record_names_in_tag(tag);
        }
        if tag.is_self_closing || is_void_element(name) {
            self.names.locals.truncate(locals);
            return at;
        }
        if matches!(name, "script" | "style") {
            self.names.locals.truncate(locals);
            let rest = self.text(at..self.names.source.len());
            return at + closing_tag_start(rest, &format!("</{name}")).unwrap_or(rest.len());
        }
        self.push_element(name, locals, is_verbatim);
        at
    }

    fn close_element(&mut self, name: Range<usize>) {
        let text = self.text(name.clone());
        if self.open_by_name.get(text).is_none_or(|count| *count == 0) {
            return;
        }
        while let Some(element) = self.elements.pop() {
            if let Some(count) = self.open_by_name.get_mut(element.name) {
                *count = count.saturating_sub(1);
            }
            self.names.locals.truncate(element.locals);
            if element.name == text {
                if !element.is_verbatim {
                    self.record_tag_name(name, Role::Read);
                }
                break;
            }
        }
    }

    fn record_names_in_tag(&mut self, tag: &Tag) {
        let directives: Vec<(&Attribute, Option<Directive<'s>>)> =
            tag.attributes.iter().map(|attribute| (attribute, self.directive_of_attribute(attribute))).collect();
        for (attribute, directive) in &directives {
            if directive.as_ref().is_some_and(|directive| directive.name == "for")
                && let Some(value) = attribute.value.clone()
            {
                self.record_loop(value);
            }
        }
        let component = self.record_tag_name(tag.name.clone(), Role::Call);
        if let Some(component) = component {
            self.record_properties_of_tag(component, &directives);
        }
        for (attribute, directive) in &directives {
            match directive {
                Some(directive) if directive.name == "slot" => {
                    self.record_dynamic_argument(directive);
                }
                Some(directive) => self.record_directive(attribute, directive),
                None => self.record_plain_attribute(attribute),
            }
        }
        // The names that a slot gives are those of what is in it.
        for (attribute, directive) in &directives {
            let is_scope = matches!(self.text(attribute.name.clone()), "slot-scope" | "scope");
            if (is_scope || directive.as_ref().is_some_and(|directive| directive.name == "slot"))
                && let Some(value) = attribute.value.clone()
            {
                let mut tokens = tokens_of_range(self.names.source, value, Dialect::Attribute);
                let end = tokens.len();
                declare_patterns(&mut tokens, (0, end), None, &mut self.names);
            }
        }
    }

    /// Records the names in the value of `v-for`: `(item, index) in items`.
    fn record_loop(&mut self, value: Range<usize>) {
        let source = self.names.source;
        let mut tokens = tokens_of_range(source, value, Dialect::Attribute);
        let end = tokens.len();
        let mut at = 0;
        while at < end && !(tokens.is_word(source, at, "in") || tokens.is_word(source, at, "of")) {
            at = tokens.index_after(at);
        }
        let of = record_names_in_tokens(&mut tokens, (at + 1, end), Role::Read, &mut self.names);
        let is_known = of != self.names.builder.unknown_expr();
        let element = is_known.then(|| self.names.builder.add_expr(Expr::Element { of }));
        let is_list = tokens.kind(0) == Some(TokenKind::Open(Bracket::Paren));
        let pattern = if is_list { (1, tokens.closing_bracket_index(0).min(at)) } else { (0, at) };
        declare_patterns(&mut tokens, pattern, element, &mut self.names);
    }

    /// What directive an attribute is, if it is one.
    fn directive_of_attribute(&self, attribute: &Attribute) -> Option<Directive<'s>> {
        let (start, end) = (attribute.name.start, attribute.name.end);
        let text = self.text(start..end);
        let (name, argument) = match text.chars().next()? {
            ':' | '.' => ("bind", start + 1),
            '@' => ("on", start + 1),
            '#' => ("slot", start + 1),
            _ => {
                let rest = text.strip_prefix("v-")?;
                let length = rest.find([':', '.']).unwrap_or(rest.len());
                let has_argument = rest.as_bytes().get(length) == Some(&b':');
                let name_end = start + 2 + length;
                (rest.get(..length)?, if has_argument { name_end + 1 } else { end })
            }
        };
        let rest = self.text(argument..end);
        if let Some(inside) = rest.strip_prefix('[') {
            let length = inside.rfind(']').unwrap_or(inside.len());
            let argument = argument + 1..argument + 1 + length;
            return Some(Directive { name, argument, is_dynamic: true });
        }
        // The name of a slot can contain a point, but no slot has modifiers.
        let length = if name == "slot" { rest.len() } else { rest.find('.').unwrap_or(rest.len()) };
        Some(Directive { name, argument: argument..argument + length, is_dynamic: false })
    }

    fn record_dynamic_argument(&mut self, directive: &Directive<'s>) {
        if directive.is_dynamic {
            record_names_in_bytes(directive.argument.clone(), Dialect::Attribute, Role::Read, &mut self.names);
        }
    }

    fn record_directive(&mut self, attribute: &Attribute, directive: &Directive<'s>) {
        self.record_dynamic_argument(directive);
        let start = attribute.name.start;
        let is_known = matches!(
            directive.name,
            "bind"
                | "on"
                | "if"
                | "else"
                | "else-if"
                | "show"
                | "text"
                | "html"
                | "model"
                | "memo"
                | "once"
                | "cloak"
                | "is"
                | "pre"
        );
        if directive.name == "for" {
            return;
        }
        if !is_known {
            self.record_custom_directive(directive.name, start);
        }
        let role = if directive.name == "model" { Role::Write } else { Role::Read };
        match attribute.value.clone() {
            Some(value) => {
                record_names_in_bytes(value, Dialect::Attribute, role, &mut self.names);
            }
            // `:my-name` is `:my-name="myName"`.
            None if directive.name == "bind" && !directive.is_dynamic && !directive.argument.is_empty() => {
                let name = camel_case(self.text(directive.argument.clone()));
                self.names.record_name(&name, directive.argument.start, Role::Read);
            }
            None => {}
        }
    }

    /// Records the use of a directive of the project: `vFocus` for `v-focus`.
    fn record_custom_directive(&mut self, name: &str, at: usize) {
        let registered = self.names.builder.intern_constructed_text(&camel_case(name));
        if let Some(meaning) = self.component.directives.get(&registered) {
            let at = u32::try_from(at + 2).unwrap_or(u32::MAX);
            return self.names.record_use(registered, at, Role::Read, *meaning);
        }
        let variable = format!("v{}", pascal_case(name));
        if self.names.is_bound_by_scripts(&variable) {
            self.names.record_name_of_scripts(&variable, at, Role::Read);
        }
    }

    fn record_plain_attribute(&mut self, attribute: &Attribute) {
        // `ref="input"` puts the element into the variable of that name.
        let Some(value) = attribute.value.clone() else { return };
        let name = self.text(value.clone());
        if self.text(attribute.name.clone()) == "ref"
            && self.names.file_names == FileNames::BeforeMembers
            && self.names.is_bound_by_scripts(name)
        {
            self.names.record_name_of_scripts(name, value.start, Role::Write);
        }
    }

    /// Records the properties that the tag of a component gives values to: `userName` for `:user-name="a"`.
    fn record_properties_of_tag(&mut self, component: ExprId, directives: &[(&Attribute, Option<Directive<'s>>)]) {
        for (attribute, directive) in directives {
            let bytes = match directive {
                Some(directive) if matches!(directive.name, "bind" | "model") && !directive.is_dynamic => {
                    directive.argument.clone()
                }
                Some(_) => continue,
                None => attribute.name.clone(),
            };
            let text = self.text(bytes.clone());
            let is_of_element = matches!(text, "class" | "id" | "is" | "key" | "ref" | "slot" | "slot-scope" | "style");
            if text.is_empty() || is_of_element || text.starts_with("data-") || text.starts_with("aria-") {
                continue;
            }
            self.names.record_property(component, &camel_case(text), bytes.start);
        }
    }

    /// Records the component that the name of an element means, and returns what that is: `MyCard` for `<MyCard>` and
    /// `<my-card>`.
    fn record_tag_name(&mut self, bytes: Range<usize>, role: Role) -> Option<ExprId> {
        let text = self.text(bytes.clone());
        if text.contains('.') {
            return Some(self.names.record_path(bytes, role));
        }
        if is_html_element(text) {
            return None;
        }
        for name in [text.to_owned(), camel_case(text), pascal_case(text)] {
            let id = self.names.builder.intern_constructed_text(&name);
            if let Some(meaning) = self.component.components.get(&id).copied() {
                let at = u32::try_from(bytes.start).unwrap_or(u32::MAX);
                self.names.record_use(id, at, role, meaning);
                return Some(meaning);
            }
            if self.names.is_bound_by_scripts(&name) {
                return Some(self.names.record_name_of_scripts(&name, bytes.start, role));
            }
        }
        // A component that is registered for the whole application.
        let id = self.names.builder.intern_constructed_text(&pascal_case(text));
        let unknown = self.names.builder.unknown_expr();
        self.names.record_use(id, u32::try_from(bytes.start).unwrap_or(u32::MAX), role, unknown);
        Some(unknown)
    }
}

fn find(source: &str, from: usize, wanted: &str) -> Option<usize> {
    source.get(from..)?.find(wanted).map(|found| from + found)
}

/// Whether an element of this name is one of HTML, or of Vue itself, whatever components there are.
fn is_html_element(name: &str) -> bool {
    const NAMES: &str = " a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption \
        cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure \
        footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main \
        map mark menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby \
        s samp script search section select slot small source span strong style sub summary sup svg table tbody td \
        template textarea tfoot th thead time title tr track u ul var video wbr path g circle rect line text defs use \
        component ";
    !name.starts_with(char::is_uppercase) && !name.contains('-') && NAMES.contains(&format!(" {name} "))
}
