//! Calls that define something, or that change what names mean: `include`, `attr_reader`, `require`, `alias_method`.

use tree_sitter::Node;

use super::super::literals::{self, DefiningCall};
use super::literals::WrittenName;
use super::{Binder, Frame, Kind, SelfKind};
use crate::names::{BindingKind, Expr, ExprId, ModuleImportKind, NamesBuilder, Role, ScopeKind};

impl<'t> Binder<'t> {
    /// Binds a call without a receiver whose method is known; `None` if it is none.
    pub(super) fn bind_known_call(
        &mut self,
        node: Node<'t>,
        (method, name): (Node<'t>, &str),
        block: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        if self.kind(method) != Kind::Identifier {
            return None;
        }
        match name {
            "require" | "require_relative" | "load" | "autoload" => {
                self.bind_loading_call(node, name, builder);
                self.bind_arguments(node, builder);
            }
            "include" | "prepend" | "extend" if self.frame.is_type_body => {
                self.bind_mixins(node, name, builder);
            }
            "private"
            | "public"
            | "protected"
            | "private_class_method"
            | "public_class_method"
            | "module_function"
            | "private_constant"
            | "ruby2_keywords"
            | "memoize"
                if self.frame.is_type_body =>
            {
                self.bind_modified_methods(node, name, builder);
            }
            "refine" => {
                let target = literals::arguments_of_call(node).first().copied()?;
                let target = self.bind_constant_use(target, Role::Read, builder);
                let members = self.add_extension_scope(target, node, builder);
                self.bind_block_as_type_body(block?, members, None, builder);
            }
            "let" | "let!" | "subject" | "subject!" if block.is_some() && self.frame.members.is_none() => {
                self.bind_value_of_examples(node, name, block?, builder);
            }
            "class_methods" if self.frame.is_type_body && block.is_some() => {
                self.bind_class_methods(node, method, block?, builder);
            }
            "included" | "prepended" | "extended" if self.frame.is_type_body && block.is_some() => {
                let block = block?;
                let frame = Frame { self_kind: SelfKind::InstanceOrType, ..self.frame.clone() };
                let outer = std::mem::replace(&mut self.frame, frame);
                let scope = builder.add_child_scope(self.scope, ScopeKind::Block, node);
                self.run_in_scope(scope, |binder| binder.bind_block_contents(block, builder));
                self.frame = outer;
            }
            _ => {
                let defining = literals::defining_call(name)?;
                return self.bind_defining_call(node, defining, block, builder);
            }
        }
        Some(builder.unknown_expr())
    }

    /// Binds a call with a receiver that defines or loads something; `None` if it does not.
    pub(super) fn bind_known_call_of_member(
        &mut self,
        node: Node<'t>,
        (base, is_constant): (ExprId, bool),
        name: &str,
        block: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        match name {
            // These blocks are further bodies of the class.
            "class_eval" | "class_exec" | "module_eval" | "module_exec" if block.is_some() => {
                self.bind_arguments(node, builder);
                let members = match is_constant {
                    true => self.add_extension_scope(base, node, builder),
                    false => builder.add_child_scope(self.scope, ScopeKind::Type, node),
                };
                self.bind_block_as_type_body(block?, members, None, builder);
            }
            "include" | "prepend" | "extend" | "send" if !is_constant => {
                self.bind_mixins_of_hook(node, base, name, builder);
                return None;
            }
            "include" | "prepend" | "extend" => {
                for argument in literals::arguments_of_call(node) {
                    let mixin = self.bind_constant_use(argument, Role::Type, builder);
                    if name != "extend" {
                        let scope = builder.add_child_scope(self.scope, ScopeKind::Type, node);
                        builder.add_member_extension(base, Some(mixin), scope);
                    }
                }
            }
            _ => return None,
        }
        Some(builder.unknown_expr())
    }

    fn bind_loading_call(&mut self, node: Node<'t>, name: &str, builder: &mut NamesBuilder<'_>) {
        let arguments = literals::arguments_of_call(node);
        if let Some(constant) = arguments.first().copied().filter(|_| name == "autoload") {
            for written in self.names_in_literal(constant) {
                let name = builder.name_id_of_source_range(written.range.clone());
                let at = u32::try_from(written.range.start).unwrap_or(u32::MAX);
                let expr = builder.add_expr(Expr::Name { name, scope: self.scope, at });
                let target = crate::names::Target::Expr(expr);
                builder.record_occurrence_at_offset(name, written.range.start, written.line, Role::Import, target);
            }
        }
        let Some(path) = arguments.get(usize::from(name == "autoload")).copied() else { return };
        let (text, is_relative) = match self.kind(path) {
            Kind::String => {
                let Some(range) = literals::name_range_of_literal(path) else {
                    return self.bind_path_below_own_folder(path, node, builder);
                };
                (builder.source.get(range).unwrap_or("").to_owned(), name == "require_relative")
            }
            Kind::Call => match path_of_expansion(path, builder.source) {
                Some(path) => (path, true),
                None => return,
            },
            _ => return,
        };
        let source = builder.intern_constructed_text(&text);
        let import = builder.add_import(ModuleImportKind::Require, source, self.scope, node);
        builder.import_mut(import).special = is_relative;
    }

    /// `require "#{__dir__}/a"`.
    fn bind_path_below_own_folder(&mut self, path: Node<'t>, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let text = builder.text_of_node(path);
        let Some(rest) = text.strip_prefix("\"#{__dir__}/").and_then(|rest| rest.strip_suffix('"')) else { return };
        if rest.contains('#') {
            return;
        }
        let source = builder.intern_constructed_text(rest);
        let import = builder.add_import(ModuleImportKind::Require, source, self.scope, node);
        builder.import_mut(import).special = true;
    }

    /// Binds the arguments of `private`, `module_function` and the like: definitions, or names of methods.
    fn bind_modified_methods(&mut self, node: Node<'t>, name: &str, builder: &mut NamesBuilder<'_>) {
        let is_function = name == "module_function";
        let outer = self.frame.is_module_function;
        for argument in literals::arguments_of_call(node) {
            let written = self.names_in_literal(argument);
            if written.is_empty() {
                self.frame.is_module_function |= is_function;
                self.bind_expression(argument, builder);
                self.frame.is_module_function = outer;
                continue;
            }
            for written in written {
                let base = match name {
                    "private_class_method" | "public_class_method" | "private_constant" => {
                        builder.add_expr(Expr::ThisType { scope: self.scope })
                    }
                    _ => self.object_expr_in_type_body(builder),
                };
                let called = self.record_method_named_by_literal(base, &written, Role::Read, builder);
                if let Some(members) = self.frame.members.filter(|_| is_function) {
                    let name = builder.name_id_of_source_range(written.range.clone());
                    let copy = builder.add_binding(members, BindingKind::Function, name, written.range.start);
                    builder.binding_mut(copy).on_type = true;
                    let value = builder.add_expr(Expr::Call { callee: called });
                    self.add_value(copy, value, builder);
                }
            }
        }
    }

    /// Binds `let(:a) { … }`: code behind it in the block around it has the value by the name.
    fn bind_value_of_examples(&mut self, node: Node<'t>, name: &str, block: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let self_kind = self.frame.self_kind;
        let value = self.bind_block(block, self_kind, builder);
        let arguments = literals::arguments_of_call(node);
        let written = arguments.first().copied().and_then(|first| self.names_in_literal(first).into_iter().next());
        let (name, at) = match written {
            Some(written) => {
                let id = builder.name_id_of_source_range(written.range.clone());
                (id, written.range.start)
            }
            None if name.starts_with("subject") => (builder.intern_constructed_text("subject"), node.start_byte()),
            None => return,
        };
        let binding = builder.add_binding(self.scope, BindingKind::Variable, name, at);
        self.remember_local(name, binding);
        self.add_value(binding, value, builder);
    }

    fn bind_defining_call(
        &mut self,
        node: Node<'t>,
        defining: DefiningCall,
        block: Option<Node<'t>>,
        builder: &mut NamesBuilder<'_>,
    ) -> Option<ExprId> {
        self.frame.members?;
        let arguments = literals::arguments_of_call(node);
        let literal_at = |binder: &Self, index: usize| {
            let argument = arguments.get(index).copied()?;
            binder.names_in_literal(argument).into_iter().next()
        };
        let on_type = self.frame.defines_on_type;
        match defining {
            DefiningCall::Attributes { writer, on_class } => {
                for argument in &arguments {
                    for written in self.names_in_literal(*argument) {
                        self.bind_attribute(&written, (writer, on_type), builder);
                        if on_class && !on_type {
                            self.bind_copy_of_attribute(&written, writer, builder);
                        }
                    }
                    self.bind_values_of_pairs(*argument, builder);
                }
            }
            DefiningCall::MethodWithBlock => {
                let written = literal_at(self, 0)?;
                for argument in arguments.iter().skip(1) {
                    self.bind_expression(*argument, builder);
                }
                let on_type = on_type
                    || builder.source.get(node.byte_range()).is_some_and(|text| text.starts_with("define_singleton"));
                self.bind_method_with_block(&written, on_type, block, builder);
                return Some(builder.unknown_expr());
            }
            DefiningCall::Alias => {
                let (new, old) = (literal_at(self, 0)?, literal_at(self, 1)?);
                let base = self.object_expr_in_type_body(builder);
                let called = self.record_method_named_by_literal(base, &old, Role::Member, builder);
                self.bind_forwarding_method(&new, Some(called), builder);
            }
            DefiningCall::Delegates => {
                let target = self.target_of_delegation(&arguments, builder);
                for argument in &arguments {
                    for written in self.names_in_literal(*argument) {
                        self.bind_delegate(&written, &written, target, builder);
                    }
                    self.bind_values_of_pairs(*argument, builder);
                }
            }
            DefiningCall::DelegatesBehindTarget => {
                let target = literal_at(self, 0).map(|target| self.object_named_by_literal(&target, builder));
                for argument in arguments.iter().skip(1) {
                    for written in self.names_in_literal(*argument) {
                        self.bind_delegate(&written, &written, target, builder);
                    }
                }
            }
            DefiningCall::DelegateBehindTarget => {
                let target = literal_at(self, 0).map(|target| self.object_named_by_literal(&target, builder));
                let called = literal_at(self, 1)?;
                match literal_at(self, 2) {
                    Some(own) => {
                        if let Some(target) = target {
                            self.record_method_named_by_literal(target, &called, Role::Member, builder);
                        }
                        self.bind_delegate(&own, &called, target, builder);
                    }
                    None => self.bind_delegate(&called, &called, target, builder),
                }
            }
            DefiningCall::Association => {
                let written = literal_at(self, 0)?;
                self.bind_association(node, &written, builder);
                for argument in arguments.iter().skip(1) {
                    self.bind_expression(*argument, builder);
                }
                self.bind_block_of_call(block, "has_many", builder);
            }
            DefiningCall::Scope => {
                let written = literal_at(self, 0).filter(|_| self.frame.is_type_body)?;
                self.bind_written_name(&written, BindingKind::Function, true, builder);
                for argument in arguments.iter().skip(1) {
                    self.bind_expression(*argument, builder);
                }
            }
        }
        Some(builder.unknown_expr())
    }

    fn bind_copy_of_attribute(&mut self, written: &WrittenName, writer: bool, builder: &mut NamesBuilder<'_>) {
        let Some(members) = self.frame.members else { return };
        let name = builder.name_id_of_source_range(written.range.clone());
        let copy = builder.add_binding(members, BindingKind::Property, name, written.range.start);
        builder.binding_mut(copy).on_type = true;
        if writer {
            let text = builder.source.get(written.range.clone()).unwrap_or("").to_owned();
            let name = builder.intern_constructed_text(&format!("{text}="));
            let copy = builder.add_binding(members, BindingKind::Function, name, written.range.start);
            builder.binding_mut(copy).on_type = true;
        }
    }

    /// Binds the values in `a: b`, if an argument is a pair.
    fn bind_values_of_pairs(&mut self, argument: Node<'t>, builder: &mut NamesBuilder<'_>) {
        if self.kind(argument) == Kind::Pair {
            self.bind_expression(argument, builder);
        }
    }

    /// The object that `delegate …, to: :a` names.
    fn target_of_delegation(&mut self, arguments: &[Node<'t>], builder: &mut NamesBuilder<'_>) -> Option<ExprId> {
        let pair = arguments.iter().copied().find(|argument| {
            self.kind(*argument) == Kind::Pair
                && self.field(*argument, self.grammar.key).is_some_and(|key| builder.text_of_node(key) == "to")
        })?;
        let value = self.field(pair, self.grammar.value)?;
        let written = self.names_in_literal(value).into_iter().next()?;
        Some(self.object_named_by_literal(&written, builder))
    }

    /// The object that a literal names: a variable, a method without arguments.
    fn object_named_by_literal(&mut self, written: &WrittenName, builder: &mut NamesBuilder<'_>) -> ExprId {
        let base = self.object_expr_in_type_body(builder);
        let text = builder.source.get(written.range.clone()).unwrap_or("");
        if text == "self" || text == "class" {
            return builder.add_expr(Expr::ThisType { scope: self.scope });
        }
        let member = self.record_method_named_by_literal(base, written, Role::Read, builder);
        if text.starts_with('@') { member } else { builder.add_expr(Expr::Call { callee: member }) }
    }

    fn bind_delegate(
        &mut self,
        own: &WrittenName,
        called: &WrittenName,
        target: Option<ExprId>,
        builder: &mut NamesBuilder<'_>,
    ) {
        let callee = target.map(|base| {
            let name = builder.name_id_of_source_range(called.range.clone());
            let at = u32::try_from(called.range.start).unwrap_or(u32::MAX);
            builder.add_expr(Expr::Member { base, name, at })
        });
        self.bind_forwarding_method(own, callee, builder);
    }

    /// Binds `belongs_to :author`: an attribute whose value is of the class of that name.
    fn bind_association(&mut self, node: Node<'t>, written: &WrittenName, builder: &mut NamesBuilder<'_>) {
        let Some(members) = self.frame.members else { return };
        let binding = self.bind_written_name(written, BindingKind::Property, false, builder);
        let text = builder.source.get(written.range.clone()).unwrap_or("").to_owned();
        let name = builder.intern_constructed_text(&format!("{text}="));
        builder.add_binding(members, BindingKind::Function, name, written.range.start);
        let is_one = builder
            .source
            .get(node.byte_range())
            .is_some_and(|text| text.starts_with("belongs_to") || text.starts_with("has_one"));
        if is_one {
            let class: String = text.split('_').map(capitalized).collect();
            let name = builder.intern_constructed_text(&class);
            builder.add_import(ModuleImportKind::Path, name, self.scope, node);
            let of = builder.add_expr(Expr::Name { name, scope: self.scope, at: 0 });
            let value = builder.add_expr(Expr::Instance { of });
            self.add_value(binding, value, builder);
        }
    }

    /// Records the methods that a call in the body of a class names by symbols: `before_action :a`.
    pub(super) fn bind_callbacks(&mut self, node: Node<'t>, name: &str, builder: &mut NamesBuilder<'_>) {
        let is_callback =
            ["before_", "after_", "around_", "skip_", "validate", "helper_method", "rescue_from", "set_callback"]
                .iter()
                .any(|begin| name.starts_with(begin));
        if !is_callback || !self.frame.is_type_body {
            return;
        }
        let base = builder.add_expr(Expr::This { scope: self.scope });
        for argument in literals::arguments_of_call(node) {
            let argument = match self.kind(argument) {
                Kind::Pair => match self.field(argument, self.grammar.value) {
                    Some(value) => value,
                    None => continue,
                },
                _ => argument,
            };
            for written in self.names_in_literal(argument) {
                self.record_method_named_by_literal(base, &written, Role::Read, builder);
            }
        }
    }
}

/// A word with its first letter as a capital one.
fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The path that `File.expand_path("../a", __FILE__)` and `File.join(__dir__, "a")` give, from the folder of the file.
fn path_of_expansion(call: Node<'_>, source: &str) -> Option<String> {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or("");
    let receiver = call.child_by_field_name("receiver")?;
    let method = call.child_by_field_name("method")?;
    if text(receiver) != "File" {
        return None;
    }
    let arguments = literals::arguments_of_call(call);
    let literal = |index: usize| {
        let range = literals::name_range_of_literal(arguments.get(index).copied()?)?;
        source.get(range)
    };
    let other = |index: usize| arguments.get(index).map(|argument| text(*argument));
    match text(method) {
        "expand_path" => {
            let path = literal(0)?;
            match other(1)? {
                // The path of the file itself counts as that of a folder.
                "__FILE__" => Some(path.strip_prefix("../")?.to_owned()),
                "__dir__" | "File.dirname(__FILE__)" => Some(path.to_owned()),
                _ => None,
            }
        }
        "join" => match other(0)? {
            "__dir__" | "File.dirname(__FILE__)" => {
                let parts: Option<Vec<&str>> = (1..arguments.len()).map(literal).collect();
                Some(parts?.join("/"))
            }
            _ => None,
        },
        _ => None,
    }
}
