//! Values of Python calls and subscripts. Some functions of the standard library have results that follow from their
//! arguments.

use tree_sitter::Node;

use super::{Binder, BodyKind, Field, Kind};
use crate::names::{BindingKind, Expr, ExprId, FILE_SCOPE, NamesBuilder, Role, SubscriptKey, Target};
use crate::text;

/// Classes of fields whose first argument is the model of the object that the field holds: `ForeignKey` and `OneToOneField` of
/// Django, `EmbeddedDocumentField` and `ReferenceField` of mongoengine.
const FIELDS_OF_RELATED_OBJECTS: &[&str] = &["EmbeddedDocumentField", "ForeignKey", "OneToOneField", "ReferenceField"];

/// The arguments of a Python call whose values affect the result of the call.
#[derive(Default)]
struct Arguments<'t> {
    /// The values of the positional arguments, in order.
    values: Vec<ExprId>,
    /// The first positional argument.
    first: Option<Node<'t>>,
    /// The value of the argument `to=…`.
    to: Option<ExprId>,
}

impl<'t> Binder<'t> {
    pub(super) fn call_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>, role: Role) -> ExprId {
        let [function, arguments] = self.first_children_in_fields(node, [Field::Function, Field::Arguments]);
        let Some(function) = function else {
            self.bind_child_statements_without_flow_block(builder, node);
            return builder.unknown_expr();
        };
        let role = if role == Role::Decorator { role } else { Role::Call };
        let text = builder.text_of_node(function);
        let callee = self.bind_names_and_get_value(builder, function, role);
        let Some(arguments) = arguments else { return builder.add_expr(Expr::Call { callee }) };
        if self.frame.binding_scope == FILE_SCOPE
            && self.frame.body_kind == BodyKind::File
            && let Some(method) = text.strip_prefix("__all__.")
        {
            self.apply_dunder_all_method_call(builder, method, arguments);
            return builder.unknown_expr();
        }
        // Names such as `cast` mean the function of the standard library, unless the file defines the same name.
        let last = text.rsplit('.').next().unwrap_or(text);
        let special = is_standard_function_with_known_result(last)
            && (self.kind_of_node(function) == Kind::Attribute
                || !self.is_callee_defined_without_import(builder, function));
        if special && matches!(last, "cast" | "NewType") {
            return self.cast_or_newtype_call_value(builder, last, callee, arguments);
        }
        let arguments_read = self.read_call_arguments(builder, callee, arguments);
        if special
            && let Some(value) = self.standard_library_call_result(builder, (text, last), callee, &arguments_read)
        {
            return value;
        }
        match last {
            "setattr" | "add_to_class" => self.bind_attribute_that_call_sets(builder, function, &arguments_read),
            "from_queryset" | "as_manager" => {
                if let Some(value) = manager_call_value(builder, last, callee, &arguments_read) {
                    return value;
                }
            }
            // A mapping's value, or what is given in its place. A key that is a name tells it from a path: `client.get("/x", y)`.
            "get" | "pop" | "setdefault" => {
                let is_key = arguments_read.first.is_some_and(|key| self.name_in_string(builder, key).is_some());
                if let ([_, default], true) = (arguments_read.values.as_slice(), is_key) {
                    let call = builder.add_expr(Expr::Call { callee });
                    return builder.expr_of_possible_values(vec![call, *default]);
                }
            }
            _ if FIELDS_OF_RELATED_OBJECTS.contains(&last) => {
                let value = builder.add_expr(Expr::Call { callee });
                let related = self.related_object(builder, &arguments_read);
                return related.map_or(value, |other| builder.add_expr(Expr::Fallback { value, other }));
            }
            _ => {}
        }
        builder.add_expr(Expr::Call { callee })
    }

    /// An object of the model that a field of a model refers to: `ForeignKey(Author)`. Read from an object, the field gives one.
    fn related_object(&mut self, builder: &mut NamesBuilder<'_>, arguments_read: &Arguments<'t>) -> Option<ExprId> {
        let of = match arguments_read.first.and_then(|first| self.name_in_string(builder, first)) {
            // The model around the field.
            Some(("self", _)) => builder.add_expr(Expr::ThisType { scope: self.scope }),
            Some((name, _)) => {
                let name = builder.intern_source_text(name);
                builder.add_expr(Expr::Name { name, scope: FILE_SCOPE, at: 0 })
            }
            None => arguments_read.values.first().copied().or(arguments_read.to)?,
        };
        (of != builder.unknown_expr()).then(|| builder.add_expr(Expr::Instance { of }))
    }

    /// Binds the attribute that a call sets on the receiver of the method around it as a field of the class:
    /// `setattr(self, "x", value)`, or `cls.add_to_class("x", value)` as Django writes it.
    fn bind_attribute_that_call_sets(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        function: Node<'t>,
        arguments_read: &Arguments<'t>,
    ) {
        let is_method_call = self.kind_of_node(function) == Kind::Attribute;
        let (object, name_at) = match is_method_call {
            true => (self.first_children_in_fields(function, [Field::Object])[0], 0),
            false => (arguments_read.first, 1),
        };
        let (Some(object), Some(receiver)) = (object, self.frame.receiver) else { return };
        if self.kind_of_node(object) != Kind::Identifier || builder.name_id_of_node(object) != receiver.name {
            return;
        }
        let name_node = match is_method_call {
            true => arguments_read.first,
            false => object.next_named_sibling(),
        };
        let Some(name_node) = name_node else { return };
        let Some((name, name_offset)) = self.name_in_string(builder, name_node) else { return };
        let id = builder.intern_source_text(name);
        let binding = match self.bound.get(&(receiver.members, id)) {
            Some(known) => *known,
            None => {
                let at = name_node.start_byte() + name_offset;
                let binding = builder.add_binding(receiver.members, BindingKind::Field, id, at);
                self.bound.insert((receiver.members, id), binding);
                binding
            }
        };
        if let Some(value) = arguments_read.values.get(name_at + 1)
            && builder.binding_mut(binding).kind == BindingKind::Field
        {
            self.add_known_binding_value(builder, binding, *value);
        }
    }

    /// The name that is the text of a string literal, and the bytes in the literal before it.
    fn name_in_string<'s>(&self, builder: &NamesBuilder<'s>, node: Node<'t>) -> Option<(&'s str, usize)> {
        if self.kind_of_node(node) != Kind::String {
            return None;
        }
        let quoted = builder.text_of_node(node);
        let name = text::without_quotes(quoted);
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_name && name.len() < quoted.len()).then(|| (name, quoted.find(name).unwrap_or(0)))
    }

    /// Whether the file defines the called bare name itself, other than by an import.
    fn is_callee_defined_without_import(&self, builder: &mut NamesBuilder<'_>, function: Node<'t>) -> bool {
        let name = builder.name_id_of_node(function);
        self.is_name_bound_so_far(builder, name) && !self.is_imported_in_file_scope(builder, name)
    }

    fn is_imported_in_file_scope(&self, builder: &mut NamesBuilder<'_>, name: crate::names::NameId) -> bool {
        let known = self.bound.get(&(FILE_SCOPE, name)).copied();
        known.is_some_and(|known| builder.binding_mut(known).kind == BindingKind::Import)
    }

    fn read_call_arguments(&mut self, builder: &mut NamesBuilder<'_>, callee: ExprId, node: Node<'t>) -> Arguments<'t> {
        let mut arguments_read = Arguments::default();
        if self.kind_of_node(node) != Kind::ArgumentList {
            arguments_read.values.push(self.bind_names_and_get_value(builder, node, Role::Read));
            return arguments_read;
        }
        self.for_each_named_non_comment_child(builder, node, |binder, builder, child| {
            match binder.kind_of_node(child.node) {
                Kind::KeywordArgument => {
                    let [name, value] = binder.first_children_in_fields(child.node, [Field::Name, Field::Value]);
                    if let Some(name) = name {
                        binder.record_keyword_argument_name(builder, name, callee);
                    }
                    if let Some(value) = value {
                        let value = binder.bind_names_and_get_value(builder, value, Role::Read);
                        if name.is_some_and(|name| builder.text_of_node(name) == "to") {
                            arguments_read.to = Some(value);
                        }
                    }
                }
                _ => {
                    let value = binder.bind_names_and_get_value(builder, child.node, Role::Read);
                    arguments_read.values.push(value);
                    arguments_read.first.get_or_insert(child.node);
                }
            }
        });
        arguments_read
    }

    /// Records the name of a keyword argument `name=…` as the name of a parameter of `callee`.
    pub(super) fn record_keyword_argument_name(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        name: Node<'t>,
        callee: ExprId,
    ) {
        builder.record_occurrence(name, Role::Write, Target::Parameter { callee });
    }

    /// The value of the call `cast(T, value)` or `NewType("N", T)`.
    fn cast_or_newtype_call_value(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        last: &str,
        callee: ExprId,
        arguments: Node<'t>,
    ) -> ExprId {
        let children = self.push_named_non_comment_children(arguments);
        let mut types = builder.unknown_expr();
        let mut at = 0;
        while let Some(child) = self.child_at_index(children, at) {
            let is_type = at == usize::from(last == "NewType");
            match self.kind_of_node(child.node) {
                Kind::KeywordArgument => {
                    let [name, value] = self.first_children_in_fields(child.node, [Field::Name, Field::Value]);
                    if let Some(name) = name {
                        self.record_keyword_argument_name(builder, name, callee);
                    }
                    if let Some(value) = value {
                        self.bind_names_and_get_value(builder, value, Role::Read);
                    }
                }
                _ if is_type => types = self.type_expr(builder, child.node),
                _ => {
                    self.bind_names_and_get_value(builder, child.node, Role::Read);
                }
            }
            at += 1;
        }
        self.pop_children(children);
        // `NewType("N", T)` is treated as the type `T`, so that a call of `N` has an instance of `T` as its result.
        if last == "NewType" { types } else { self.instance_expr_of_type(builder, types) }
    }

    /// The result of a call of a standard library function that is known by its name; `None` for any other function.
    fn standard_library_call_result(
        &mut self,
        builder: &mut NamesBuilder<'_>,
        (text, last): (&str, &str),
        callee: ExprId,
        arguments_read: &Arguments<'t>,
    ) -> Option<ExprId> {
        let first = arguments_read.values.first().copied();
        let is_bare = text == last;
        match (last, is_bare) {
            ("super", true) => Some(builder.add_expr(Expr::Super { scope: self.scope })),
            ("type", true) if arguments_read.values.len() == 1 => first.map(|of| builder.add_expr(Expr::TypeOf { of })),
            ("list" | "set" | "tuple" | "frozenset" | "sorted" | "reversed" | "iter" | "dict", true) => {
                first.filter(|first| *first != builder.unknown_expr())
            }
            ("next" | "max" | "min", true) if arguments_read.values.len() == 1 || last == "next" => {
                first.map(|of| self.element_or_awaited_expr(builder, of))
            }
            ("enumerate", true) => {
                let element = first.map(|of| self.element_or_awaited_expr(builder, of))?;
                let pair = builder.add_expr_list(&[builder.unknown_expr(), element]);
                let pair = builder.add_expr(Expr::Tuple(pair));
                Some(self.unnamed_container_instance(builder, &[pair]))
            }
            ("zip", true) => {
                let parts: Vec<ExprId> =
                    arguments_read.values.iter().map(|of| self.element_or_awaited_expr(builder, *of)).collect();
                let tuple = builder.add_expr_list(&parts);
                let tuple = builder.add_expr(Expr::Tuple(tuple));
                Some(self.unnamed_container_instance(builder, &[tuple]))
            }
            ("map", true) => {
                let callee = first.filter(|first| *first != builder.unknown_expr())?;
                let value = builder.add_expr(Expr::Call { callee });
                Some(self.unnamed_container_instance(builder, &[value]))
            }
            ("filter", true) => arguments_read.values.get(1).copied(),
            // What was pickled is unpickled; bytes from elsewhere may be anything.
            ("dumps", _) if is_of_pickle(text) => first.map(|of| self.unnamed_container_instance(builder, &[of])),
            ("loads", _) if is_of_pickle(text) => {
                let call = builder.add_expr(Expr::Call { callee });
                let unpickled = first.map(|of| self.element_or_awaited_expr(builder, of));
                Some(builder.expr_of_possible_values(std::iter::once(call).chain(unpickled).collect()))
            }
            ("copy" | "deepcopy" | "partial", _) => {
                let bare = is_bare || text.starts_with("copy.") || text.starts_with("functools.");
                first.filter(|first| bare && *first != builder.unknown_expr())
            }
            _ => None,
        }
    }

    /// The value of `a[b]`: an element or a part of `a`, or a generic type with arguments.
    pub(super) fn subscript_value(&mut self, builder: &mut NamesBuilder<'_>, node: Node<'t>) -> ExprId {
        let [value] = self.first_children_in_fields(node, [Field::Value]);
        let Some(value) = value else {
            self.bind_child_statements_without_flow_block(builder, node);
            return builder.unknown_expr();
        };
        if self.looks_like_generic_type_subscript(builder, node, value) {
            return self.generic_subscript_type(builder, node);
        }
        let of = self.bind_names_and_get_value(builder, value, Role::Read);
        let children = self.push_named_non_comment_children(node);
        let mut at = 0;
        let mut key = None;
        let mut index = None;
        while let Some(child) = self.child_at_index(children, at) {
            at += 1;
            if child.field == Field::Value {
                continue;
            }
            let value = self.bind_names_and_get_value(builder, child.node, Role::Read);
            // Several indexes are a tuple.
            let is_first = key.is_none();
            key = Some(match is_first {
                true => self.subscript_key(builder, child.node, value),
                false => SubscriptKey::Item,
            });
            index = match self.kind_of_node(child.node) {
                Kind::Integer if is_first => builder.text_of_node(child.node).parse::<u32>().ok(),
                _ => None,
            };
        }
        let key = key.unwrap_or(SubscriptKey::Unknown(builder.unknown_expr()));
        self.pop_children(children);
        match index {
            _ if of == builder.unknown_expr() => of,
            Some(index) => builder.add_expr(Expr::Item { of, index }),
            None => builder.add_expr(Expr::Subscript { of, key }),
        }
    }

    /// Whether a subscript in an expression is a type: `List[int]`, `Response[User]`.
    fn looks_like_generic_type_subscript(
        &mut self,
        builder: &NamesBuilder<'_>,
        node: Node<'t>,
        value: Node<'t>,
    ) -> bool {
        if !matches!(self.kind_of_node(value), Kind::Identifier | Kind::Attribute) {
            return false;
        }
        let last = builder.text_of_node(value).rsplit('.').next().unwrap_or("");
        let builtin = matches!(last, "list" | "dict" | "set" | "tuple" | "frozenset" | "type");
        let mut letters = last.trim_start_matches('_').chars();
        let is_class_name = letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase);
        if !(builtin || is_class_name) {
            return false;
        }
        let children = self.push_named_non_comment_children(node);
        let arguments = self.child_stack.get(children.start..).unwrap_or(&[]);
        let all = arguments.iter().filter(|child| child.field != Field::Value).all(|child| {
            matches!(
                self.kind_of_node(child.node),
                Kind::Identifier
                    | Kind::Attribute
                    | Kind::Subscript
                    | Kind::Tuple
                    | Kind::None
                    | Kind::List
                    | Kind::Ellipsis
                    | Kind::BinaryOperator
            ) || (builtin && self.kind_of_node(child.node) == Kind::String)
                || matches!(last, "Optional" | "Union" | "List" | "Dict" | "Type" | "Annotated" | "Literal")
        });
        self.pop_children(children);
        all
    }
}

/// The value of a call of Django's functions that make managers of query sets: `M.from_queryset(Q)` is a class that has the
/// members of both, `Q.as_manager()` an object that has those of `Q`. `None` if the call has another form.
fn manager_call_value(
    builder: &mut NamesBuilder<'_>,
    last: &str,
    callee: ExprId,
    arguments_read: &Arguments<'_>,
) -> Option<ExprId> {
    let Expr::Member { base, .. } = builder.names.expr_by_id(callee) else { return None };
    match (last, arguments_read.values.as_slice()) {
        ("from_queryset", [queries, ..]) => Some(builder.expr_of_possible_values(vec![base, *queries])),
        ("as_manager", []) => Some(builder.add_expr(Expr::Instance { of: base })),
        _ => None,
    }
}

/// Whether a called path is that of a function of the module `pickle`, or of one that takes its place.
fn is_of_pickle(text: &str) -> bool {
    matches!(text.rsplit_once('.'), Some(("pickle" | "cPickle" | "cloudpickle" | "dill", _)))
}

/// Whether the standard library has a function of this name whose result follows from its arguments.
fn is_standard_function_with_known_result(name: &str) -> bool {
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
            | "dumps"
            | "loads"
    )
}
