//! What names mean in a Go file.
//!
//! Methods stand outside of their types: each is an extension of its receiver's type. Pointers are passed through: `*T`
//! means `T` here, since every use of the one is a use of the other.

mod expressions;
mod statements;
#[cfg(all(test, feature = "lang-go"))]
mod tests;
mod types;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use tree_sitter::Node;

use crate::names::{
    BindingId, BindingKind, Cursors, Expr, ExprId, FILE_SCOPE, ModuleImportKind, NameId, NamesBuilder, Role, ScopeId,
    ScopeKind, Target, grammar,
};
use crate::text;

use super::imports::package_name;

grammar! {
    super::grammar::GRAMMAR;
    kinds {
        ArgumentList = "argument_list",
        ArrayType = "array_type",
        AssignmentStatement = "assignment_statement",
        BinaryExpression = "binary_expression",
        BlankIdentifier = "blank_identifier",
        Block = "block",
        BreakStatement = "break_statement",
        CallExpression = "call_expression",
        ChannelType = "channel_type",
        Comment = "comment",
        CommunicationCase = "communication_case",
        CompositeLiteral = "composite_literal",
        ConstDeclaration = "const_declaration",
        ConstSpec = "const_spec",
        ContinueStatement = "continue_statement",
        DecStatement = "dec_statement",
        DefaultCase = "default_case",
        Dot = "dot",
        ExpressionCase = "expression_case",
        ExpressionList = "expression_list",
        ExpressionSwitchStatement = "expression_switch_statement",
        FieldDeclaration = "field_declaration",
        FieldDeclarationList = "field_declaration_list",
        FieldIdentifier = "field_identifier",
        ForClause = "for_clause",
        ForStatement = "for_statement",
        FuncLiteral = "func_literal",
        FunctionDeclaration = "function_declaration",
        FunctionType = "function_type",
        GenericType = "generic_type",
        GotoStatement = "goto_statement",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImplicitLengthArrayType = "implicit_length_array_type",
        ImportDeclaration = "import_declaration",
        ImportSpec = "import_spec",
        ImportSpecList = "import_spec_list",
        IncStatement = "inc_statement",
        IndexExpression = "index_expression",
        InterfaceType = "interface_type",
        InterpretedStringLiteral = "interpreted_string_literal",
        KeyedElement = "keyed_element",
        LabelName = "label_name",
        LiteralElement = "literal_element",
        LiteralValue = "literal_value",
        MapType = "map_type",
        MethodDeclaration = "method_declaration",
        MethodElem = "method_elem",
        NegatedType = "negated_type",
        PackageClause = "package_clause",
        PackageIdentifier = "package_identifier",
        ParameterDeclaration = "parameter_declaration",
        ParameterList = "parameter_list",
        ParenthesizedExpression = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PointerType = "pointer_type",
        QualifiedType = "qualified_type",
        RangeClause = "range_clause",
        RawStringLiteral = "raw_string_literal",
        ReceiveStatement = "receive_statement",
        SelectStatement = "select_statement",
        SelectorExpression = "selector_expression",
        ShortVarDeclaration = "short_var_declaration",
        SliceExpression = "slice_expression",
        SliceType = "slice_type",
        StatementList = "statement_list",
        StructType = "struct_type",
        TypeAlias = "type_alias",
        TypeArguments = "type_arguments",
        TypeAssertionExpression = "type_assertion_expression",
        TypeCase = "type_case",
        TypeConstraint = "type_constraint",
        TypeConversionExpression = "type_conversion_expression",
        TypeDeclaration = "type_declaration",
        TypeElem = "type_elem",
        TypeIdentifier = "type_identifier",
        TypeInstantiationExpression = "type_instantiation_expression",
        TypeParameterDeclaration = "type_parameter_declaration",
        TypeParameterList = "type_parameter_list",
        TypeSpec = "type_spec",
        TypeSwitchStatement = "type_switch_statement",
        UnaryExpression = "unary_expression",
        VarDeclaration = "var_declaration",
        VarSpec = "var_spec",
        VarSpecList = "var_spec_list",
        VariadicParameterDeclaration = "variadic_parameter_declaration",
    }
    fields {
        alias, arguments, body, element, field, function, index, initializer, key,
        left, length, name, operand, operator, package, parameters, path, receiver, result, right, r#type,
        type_arguments, type_parameters, value,
    }
}

/// Reads the file below `root`.
pub(super) fn bind<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let grammar = Grammar::get();
    let mut binder = Binder {
        g: grammar,
        cursors: Cursors::new(),
        locals: HashMap::new(),
        maps: HashSet::new(),
        extensions: HashMap::new(),
    };
    binder.find_maps(root, builder);
    binder.each(root, builder, |binder, node, builder| binder.top(node, builder));
}

/// Goes through one file.
struct Binder<'t> {
    g: &'static Grammar,
    cursors: Cursors<'t>,
    /// What functions bind, so that `a, err := f()` is known to assign to an `err` that is there already.
    locals: HashMap<(ScopeId, NameId), BindingId>,
    /// The file's types that are maps, slices or arrays: the keys of their literals are values and no fields.
    maps: HashSet<NameId>,
    /// The members that methods add, by the name of their receiver's type.
    extensions: HashMap<NameId, ScopeId>,
}

impl<'t> Binder<'t> {
    /// Does `what` with each named child that is no comment.
    fn each<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut what: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && self.g.kind(child) != Kind::Comment {
                    what(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.give(cursor);
    }

    /// The named children that are no comments.
    fn children(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        self.each(node, builder, |_, child, _| found.push(child));
        found
    }

    /// The first named child that is no comment.
    fn first_child(&self, node: Node<'t>) -> Option<Node<'t>> {
        let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
        (0..count).filter_map(|at| node.named_child(at)).find(|child| self.g.kind(*child) != Kind::Comment)
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Notes the top-level types whose literals have keys that are values.
    fn find_maps<'s>(&mut self, root: Node<'t>, builder: &mut NamesBuilder<'s>) {
        self.each(root, builder, |binder, node, builder| {
            if binder.g.kind(node) == Kind::TypeDeclaration {
                binder.each(node, builder, |binder, spec, builder| binder.note_map(spec, builder));
            }
        });
    }

    fn note_map(&mut self, spec: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let kind = self.field(spec, self.g.r#type).map(|written| self.g.kind(written));
        if matches!(kind, Some(Kind::MapType | Kind::SliceType | Kind::ArrayType))
            && let Some(name) = self.field(spec, self.g.name)
        {
            let name = builder.name(name);
            self.maps.insert(name);
        }
    }

    /// A top-level declaration, or what stands in the place of one.
    fn top(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        match self.g.kind(node) {
            Kind::PackageClause => {
                if let Some(name) = self.first_child(node) {
                    builder.names.package = Some(builder.name(name));
                }
            }
            Kind::ImportDeclaration | Kind::ImportSpecList => {
                self.each(node, builder, |binder, child, builder| match binder.g.kind(child) {
                    Kind::ImportSpec => binder.import(child, builder),
                    _ => binder.top(child, builder),
                });
            }
            Kind::FunctionDeclaration => self.function(node, builder),
            Kind::MethodDeclaration => self.method(node, builder),
            Kind::Error => self.each(node, builder, |binder, child, builder| {
                builder.deeper(child, |builder| binder.top(child, builder))
            }),
            _ => self.statement(node, FILE_SCOPE, builder),
        }
    }

    fn import(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(path) = self.field(node, self.g.path) else { return };
        let source = text::unquote(builder.text(path));
        let source_name = builder.intern(source);
        let import = builder.add_import(ModuleImportKind::Import, source_name, FILE_SCOPE, node);
        let local = match self.field(node, self.g.name) {
            Some(name) => match self.g.kind(name) {
                Kind::Dot => {
                    builder.import_mut(import).glob = true;
                    return;
                }
                Kind::BlankIdentifier => return,
                _ => {
                    let text = builder.name(name);
                    let local = builder.bind_name(FILE_SCOPE, BindingKind::Import, text, name.start_byte());
                    builder.occur(name, Role::Import, Target::Binding(local));
                    local
                }
            },
            None => {
                let name = builder.intern(package_name(source));
                builder.bind_name(FILE_SCOPE, BindingKind::Import, name, path.start_byte())
            }
        };
        let local = builder.binding(local);
        local.import = Some((import, None));
        // The other files of the package do not see it.
        local.private = true;
    }

    fn function(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let binding = builder.bind(FILE_SCOPE, BindingKind::Function, name);
        let scope = builder.scope(FILE_SCOPE, ScopeKind::Function, node);
        builder.own(binding, scope);
        self.signature(node, scope, binding, builder);
        self.body(node, scope, builder);
    }

    fn method(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) {
        let Some(name) = self.field(node, self.g.name) else { return };
        let receiver = self.field(node, self.g.receiver).and_then(|list| self.first_child(list));
        let (members, annotation) = match receiver {
            Some(receiver) => self.extended(receiver, node, builder),
            None => (builder.scope(FILE_SCOPE, ScopeKind::Type, node), None),
        };
        let binding = builder.bind(members, BindingKind::Function, name);
        let scope = builder.scope(members, ScopeKind::Function, node);
        builder.own(binding, scope);
        if let Some(own) = receiver.and_then(|receiver| self.field(receiver, self.g.name))
            && builder.text(own) != "_"
        {
            let local = self.local(own, BindingKind::Parameter, scope, self.inside(node), builder);
            builder.binding(local).annotation = annotation;
        }
        self.signature(node, scope, binding, builder);
        self.body(node, scope, builder);
    }

    /// The scope of the members that a method's receiver extends, and the receiver's type.
    fn extended(
        &mut self,
        receiver: Node<'t>,
        method: Node<'t>,
        builder: &mut NamesBuilder<'_>,
    ) -> (ScopeId, Option<ExprId>) {
        let mut written = self.field(receiver, self.g.r#type);
        let mut arguments = None;
        while let Some(inner) = written {
            written = match self.g.kind(inner) {
                Kind::PointerType | Kind::ParenthesizedType => self.first_child(inner),
                Kind::GenericType => {
                    arguments = self.field(inner, self.g.type_arguments);
                    self.field(inner, self.g.r#type)
                }
                _ => break,
            };
        }
        let Some(written) = written else { return (builder.scope(FILE_SCOPE, ScopeKind::Type, method), None) };
        let target = self.type_of(written, FILE_SCOPE, builder);
        let Some(arguments) = arguments else {
            // One extension holds all methods of a type.
            let name = builder.name(written);
            let members = match self.extensions.get(&name) {
                Some(members) => *members,
                None => {
                    let start = method.start_byte();
                    let members = builder.scope_of_bytes(FILE_SCOPE, ScopeKind::Type, start..start);
                    builder.extend(target, None, members);
                    self.extensions.insert(name, members);
                    members
                }
            };
            return (members, Some(target));
        };
        // The arguments name the type's parameters anew: `(s *Set[T])`.
        let around = builder.scope(FILE_SCOPE, ScopeKind::Block, method);
        let members = builder.scope(around, ScopeKind::Type, method);
        let mut parameters = Vec::new();
        self.each(arguments, builder, |binder, argument, builder| {
            if let Some(name) = binder.first_child(argument) {
                let parameter = builder.bind(around, BindingKind::TypeParameter, name);
                parameters.push(builder.expr(Expr::Bound { binding: parameter }));
            }
        });
        builder.extend(target, None, members);
        let args = builder.list(&parameters);
        (members, Some(builder.expr(Expr::Generic { base: Some(target), args })))
    }

    /// Where a function's parameters begin to be seen: the types of its signature are those from outside.
    fn inside(&self, node: Node<'t>) -> usize {
        self.field(node, self.g.body).map_or(node.end_byte(), |body| body.start_byte())
    }

    /// Type parameters, parameters and results of a function, whose scope is `scope`.
    fn signature(&mut self, node: Node<'t>, scope: ScopeId, binding: BindingId, builder: &mut NamesBuilder<'_>) {
        let begin = self.inside(node);
        if let Some(parameters) = self.field(node, self.g.type_parameters) {
            self.type_parameters(parameters, scope, builder);
        }
        if let Some(parameters) = self.field(node, self.g.parameters) {
            let types = self.parameters(parameters, scope, begin, builder);
            builder.binding(binding).bases = builder.list(&types);
        }
        if let Some(result) = self.field(node, self.g.result) {
            let annotation = if self.g.kind(result) == Kind::ParameterList {
                let types = self.parameters(result, scope, begin, builder);
                match types.as_slice() {
                    [] => return,
                    [one] => *one,
                    several => {
                        let span = builder.list(several);
                        builder.expr(Expr::Tuple(span))
                    }
                }
            } else {
                self.type_of(result, scope, builder)
            };
            builder.binding(binding).annotation = Some(annotation);
        }
    }

    /// Binds a list of parameters or of results; the type of each.
    fn parameters(
        &mut self,
        list: Node<'t>,
        scope: ScopeId,
        begin: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> Vec<ExprId> {
        let mut types = Vec::new();
        self.each(list, builder, |binder, parameter, builder| {
            let variadic = match binder.g.kind(parameter) {
                Kind::ParameterDeclaration => false,
                Kind::VariadicParameterDeclaration => true,
                _ => {
                    binder.value(parameter, scope, Role::Read, builder);
                    return;
                }
            };
            let Some(written) = binder.field(parameter, binder.g.r#type) else { return };
            let mut annotation = binder.type_of(written, scope, builder);
            if variadic {
                let args = builder.list(&[annotation]);
                annotation = builder.expr(Expr::Generic { base: None, args });
            }
            let mut count = 0;
            binder.each(parameter, builder, |binder, name, builder| {
                if binder.g.kind(name) != Kind::Identifier {
                    return;
                }
                count += 1;
                if builder.text(name) != "_" {
                    let local = binder.local(name, BindingKind::Parameter, scope, begin, builder);
                    builder.binding(local).annotation = Some(annotation);
                }
            });
            types.extend(std::iter::repeat_n(annotation, count.max(1)));
        });
        types
    }

    fn body(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        if let Some(body) = self.field(node, self.g.body) {
            self.statements(body, scope, builder);
        }
    }

    /// Binds a name of a function as of byte `from`.
    fn local(
        &mut self,
        name: Node<'t>,
        kind: BindingKind,
        scope: ScopeId,
        from: usize,
        builder: &mut NamesBuilder<'_>,
    ) -> BindingId {
        let binding = builder.bind(scope, kind, name);
        builder.binding(binding).visible_from = u32::try_from(from).unwrap_or(u32::MAX);
        let name = builder.name(name);
        self.locals.insert((scope, name), binding);
        binding
    }
}
