//! Name binding for Ruby: scopes, bindings, occurrences and loaded files of one file.
//!
//! Classes and modules are types (a module is marked by [`Binding::wrapped`]), and what a class or module extends comes
//! before the classes that it derives from in its bases. A constant is a bare name, or a member of one. A call without a
//! receiver is a call of a member of `self`. A call of a method that assigns has the name with its `=`. Local variables are
//! known by the order of the text, and need no look-up.
//!
//! [`Binding::wrapped`]: crate::names::Binding::wrapped

mod assignments;
mod blocks;
mod calls;
mod constants;
mod definitions;
mod expressions;
mod literals;
mod macros;
mod methods;
mod mixins;
mod patterns;
#[cfg(all(test, feature = "lang-ruby"))]
mod tests;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use tree_sitter::Node;

use crate::names::{
    BindingId, BindingKind, CursorPool, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId, Target, grammar,
};

grammar! {
    super::grammar::GRAMMAR;
    kinds {
        Alias = "alias",
        AlternativePattern = "alternative_pattern",
        Array = "array",
        ArrayPattern = "array_pattern",
        AsPattern = "as_pattern",
        Assignment = "assignment",
        BareString = "bare_string",
        BareSymbol = "bare_symbol",
        Begin = "begin",
        Binary = "binary",
        Block = "block",
        BlockArgument = "block_argument",
        BlockBody = "block_body",
        BlockParameter = "block_parameter",
        BodyStatement = "body_statement",
        Break = "break",
        Call = "call",
        Case = "case",
        CaseMatch = "case_match",
        ChainedString = "chained_string",
        Character = "character",
        Class = "class",
        ClassVariable = "class_variable",
        Comment = "comment",
        Conditional = "conditional",
        Constant = "constant",
        DelimitedSymbol = "delimited_symbol",
        DestructuredLeftAssignment = "destructured_left_assignment",
        DestructuredParameter = "destructured_parameter",
        DoBlock = "do_block",
        ElementReference = "element_reference",
        Else = "else",
        Elsif = "elsif",
        EmptyStatement = "empty_statement",
        Ensure = "ensure",
        ExceptionVariable = "exception_variable",
        Exceptions = "exceptions",
        False = "false",
        FindPattern = "find_pattern",
        Float = "float",
        For = "for",
        GlobalVariable = "global_variable",
        Hash = "hash",
        HashKeySymbol = "hash_key_symbol",
        HashPattern = "hash_pattern",
        HashSplatParameter = "hash_splat_parameter",
        HeredocBeginning = "heredoc_beginning",
        HeredocBody = "heredoc_body",
        Identifier = "identifier",
        If = "if",
        IfModifier = "if_modifier",
        InClause = "in_clause",
        InstanceVariable = "instance_variable",
        Integer = "integer",
        Interpolation = "interpolation",
        KeywordParameter = "keyword_parameter",
        KeywordPattern = "keyword_pattern",
        Lambda = "lambda",
        LeftAssignmentList = "left_assignment_list",
        MatchPattern = "match_pattern",
        Method = "method",
        Module = "module",
        Next = "next",
        Nil = "nil",
        OperatorAssignment = "operator_assignment",
        OptionalParameter = "optional_parameter",
        Pair = "pair",
        ParenthesizedPattern = "parenthesized_pattern",
        ParenthesizedStatements = "parenthesized_statements",
        Program = "program",
        Range = "range",
        Regex = "regex",
        Rescue = "rescue",
        RescueModifier = "rescue_modifier",
        RestAssignment = "rest_assignment",
        Return = "return",
        RightAssignmentList = "right_assignment_list",
        ScopeResolution = "scope_resolution",
        SelfWord = "self",
        SimpleSymbol = "simple_symbol",
        SingletonClass = "singleton_class",
        SingletonMethod = "singleton_method",
        SplatArgument = "splat_argument",
        SplatParameter = "splat_parameter",
        String = "string",
        StringArray = "string_array",
        StringContent = "string_content",
        Subshell = "subshell",
        Super = "super",
        Superclass = "superclass",
        SymbolArray = "symbol_array",
        TestPattern = "test_pattern",
        Then = "then",
        True = "true",
        Unary = "unary",
        Undef = "undef",
        Unless = "unless",
        UnlessModifier = "unless_modifier",
        VariableReferencePattern = "variable_reference_pattern",
        When = "when",
        Yield = "yield",
    }
    fields {
        alternative, arguments, block, body, class, condition, consequence, exceptions, key, left, method, name, object, operator,
        parameters, pattern, receiver, right, scope, superclass, value, variable,
    }
}

/// Binds every name of the Ruby file whose syntax tree has the root `root`.
pub(super) fn bind_names_in_file<'t>(root: Node<'t>, builder: &mut NamesBuilder<'_>) {
    let mut binder = Binder {
        grammar: Grammar::shared_instance(),
        cursors: CursorPool::new(),
        scope: FILE_SCOPE,
        frame: Frame::of_file(),
        locals: HashMap::new(),
        declared: Vec::new(),
        first_visible_local: 0,
        known_fields: HashMap::new(),
        types: HashMap::new(),
        values: Vec::new(),
        bases: Vec::new(),
        known_types: HashMap::new(),
        mentioned: HashSet::new(),
    };
    binder.bind_statements(root, builder);
    binder.store_values_and_bases(builder);
}

/// What `self` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelfKind {
    /// The object that is `self` outside of classes.
    Main,
    /// An object of the class around.
    Instance,
    /// The class around.
    Type,
    /// An object of the class around, or the class: a block in the body of a class.
    InstanceOrType,
    /// Something else: a block that the called method runs for another object.
    Unknown,
}

/// State of the binder for the body of the file, class or method that it is reading.
#[derive(Clone)]
struct Frame {
    self_kind: SelfKind,
    /// The scope of the members of the class around; `None` outside of classes.
    members: Option<ScopeId>,
    /// The binding of the class around, if it has one.
    owner: Option<BindingId>,
    /// Whether methods that are defined here belong to the class itself: `class << self`, `module_function`.
    defines_on_type: bool,
    /// Whether the methods here belong to objects, and to the module itself, too: `module_function`.
    is_module_function: bool,
    /// Whether the code here is the body of a class, and no method and no block is around it.
    is_type_body: bool,
    /// The name of the method around, which `super` calls.
    method_name: Option<NameId>,
    /// The values that the method returns.
    returns: Vec<ExprId>,
    /// The class that `describe` of RSpec names.
    described: Option<ExprId>,
}

impl Frame {
    fn of_file() -> Self {
        Self {
            self_kind: SelfKind::Main,
            members: None,
            owner: None,
            defines_on_type: false,
            is_module_function: false,
            is_type_body: false,
            method_name: None,
            returns: Vec::new(),
            described: None,
        }
    }
}

/// The order of the bases of a class: the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BaseRank {
    Prepended,
    Included,
    Superclass,
    /// A module that extends the class itself.
    Extended,
}

/// State of the binder while it binds the names of one Ruby file.
struct Binder<'t> {
    grammar: &'static Grammar,
    cursors: CursorPool<'t>,
    /// The scope from which names are looked up here.
    scope: ScopeId,
    frame: Frame,
    /// The bindings of each local name, the innermost last, with their indexes in `declared`.
    locals: HashMap<NameId, Vec<(usize, BindingId)>>,
    /// The names of the local variables that are known here, in the order of their declarations.
    declared: Vec<NameId>,
    /// The index in `declared` of the first local variable that the code here sees.
    first_visible_local: usize,
    /// The variables of objects, classes and the program, by the scope that holds them, their name, and whether they belong to
    /// the class itself.
    known_fields: HashMap<(ScopeId, NameId, bool), BindingId>,
    /// The first binding of each class in a scope.
    types: HashMap<(ScopeId, NameId), BindingId>,
    /// The values that are given to bindings, in source order.
    values: Vec<(BindingId, ExprId)>,
    /// The bases of classes: with their order, the nearest first.
    bases: Vec<(BindingId, BaseRank, u32, ExprId)>,
    /// The expressions for objects of core classes, by the class's name.
    known_types: HashMap<&'static str, ExprId>,
    /// Constants that imports of the kind `Path` are recorded for, with the scope of the class around.
    mentioned: HashSet<(ScopeId, String)>,
}

impl<'t> Binder<'t> {
    /// Calls `visit` for each named child of `node` that is not a comment.
    fn for_each_child<'s>(
        &mut self,
        node: Node<'t>,
        builder: &mut NamesBuilder<'s>,
        mut visit: impl FnMut(&mut Self, Node<'t>, &mut NamesBuilder<'s>),
    ) {
        let mut cursor = self.cursors.take_cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.is_named() && self.kind(child) != Kind::Comment {
                    visit(self, child, builder);
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.cursors.return_cursor(cursor);
    }

    /// The named children of `node` that are not comments.
    fn children(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = self.cursors.take_cursor(node);
        let mut found = Vec::new();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            if child.is_named() && self.kind(child) != Kind::Comment {
                found.push(child);
            }
            more = cursor.goto_next_sibling();
        }
        self.cursors.return_cursor(cursor);
        found
    }

    fn kind(&self, node: Node<'t>) -> Kind {
        self.grammar.kind_of_node(node)
    }

    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        node.child_by_field_id(field)
    }

    /// Binds the names of each child of `node`, and returns the value of the last.
    fn bind_statements(&mut self, node: Node<'t>, builder: &mut NamesBuilder<'_>) -> ExprId {
        let mut last = builder.unknown_expr();
        self.for_each_child(node, builder, |binder, child, builder| {
            let value = binder.bind_expression(child, builder);
            // The text of a heredoc stands behind the statement that it belongs to.
            if binder.kind(child) != Kind::HeredocBody {
                last = value;
            }
        });
        last
    }

    /// Runs `inside` in the scope `scope`, and restores the scope and the local variables behind it.
    fn run_in_scope<R>(&mut self, scope: ScopeId, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.scope, scope);
        let known = self.declared.len();
        let result = inside(self);
        while self.declared.len() > known {
            if let Some(name) = self.declared.pop()
                && let Some(bindings) = self.locals.get_mut(&name)
            {
                bindings.pop();
            }
        }
        self.scope = outer;
        result
    }

    /// Runs `inside` as the body of a class or method: it sees no local variable from around it. Returns its frame, too.
    fn run_in_body<R>(&mut self, scope: ScopeId, frame: Frame, inside: impl FnOnce(&mut Self) -> R) -> (R, Frame) {
        let outer_frame = std::mem::replace(&mut self.frame, frame);
        let outer_visible = std::mem::replace(&mut self.first_visible_local, self.declared.len());
        let result = self.run_in_scope(scope, inside);
        self.first_visible_local = outer_visible;
        (result, std::mem::replace(&mut self.frame, outer_frame))
    }

    /// The local variable called `name` that the code here sees.
    fn local(&self, name: NameId) -> Option<BindingId> {
        let (declared, binding) = *self.locals.get(&name)?.last()?;
        (declared >= self.first_visible_local).then_some(binding)
    }

    /// Declares the local variable that the text of `node` names.
    fn declare_local(&mut self, node: Node<'t>, kind: BindingKind, builder: &mut NamesBuilder<'_>) -> BindingId {
        let binding = builder.add_binding_with_definition(self.scope, kind, node);
        let name = builder.binding_mut(binding).name;
        self.remember_local(name, binding);
        binding
    }

    /// Makes `binding` what the local name `name` means from here on.
    fn remember_local(&mut self, name: NameId, binding: BindingId) {
        self.locals.entry(name).or_default().push((self.declared.len(), binding));
        self.declared.push(name);
    }

    fn add_value(&mut self, binding: BindingId, value: ExprId, builder: &NamesBuilder<'_>) {
        if value != builder.unknown_expr() {
            self.values.push((binding, value));
        }
    }

    /// The expression for `self`.
    fn self_expr(&self, builder: &mut NamesBuilder<'_>) -> ExprId {
        let scope = self.scope;
        match self.frame.self_kind {
            SelfKind::Main => builder.add_expr(Expr::This { scope: FILE_SCOPE }),
            SelfKind::Instance => builder.add_expr(Expr::This { scope }),
            SelfKind::Type => builder.add_expr(Expr::ThisType { scope }),
            SelfKind::InstanceOrType => {
                let object = builder.add_expr(Expr::This { scope });
                let class = builder.add_expr(Expr::ThisType { scope });
                builder.expr_of_possible_values(vec![object, class])
            }
            SelfKind::Unknown => builder.unknown_expr(),
        }
    }

    /// Records the use of the member `name` of `base` at the name `node`, and returns the expression for the member.
    fn record_member(
        &mut self,
        base: ExprId,
        name: NameId,
        node: Node<'t>,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let line = crate::names::first_line_number_of_node(node);
        self.record_member_at(base, name, (node.start_byte(), line), role, builder)
    }

    fn record_member_at(
        &mut self,
        base: ExprId,
        name: NameId,
        (at, line): (usize, u32),
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        let expr = builder.add_expr(Expr::Member { base, name, at: u32::try_from(at).unwrap_or(u32::MAX) });
        builder.record_occurrence_at_offset(name, at, line, role, Target::Expr(expr));
        expr
    }

    /// The expression for an object of a core class.
    fn object_of_core_class(&mut self, name: &'static str, builder: &mut NamesBuilder<'_>) -> ExprId {
        if let Some(known) = self.known_types.get(name) {
            return *known;
        }
        let text = builder.intern_constructed_text(name);
        let of = builder.add_expr(Expr::Name { name: text, scope: FILE_SCOPE, at: 0 });
        let expr = builder.add_expr(Expr::Instance { of });
        self.known_types.insert(name, expr);
        expr
    }

    fn store_values_and_bases(mut self, builder: &mut NamesBuilder<'_>) {
        self.values.sort_by_key(|(binding, _)| *binding);
        for group in self.values.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, _)) = group.first() else { continue };
            let values: Vec<ExprId> = group.iter().map(|(_, value)| *value).collect();
            builder.binding_mut(*binding).values = builder.add_expr_list(&values);
        }
        // A module that is included later is asked earlier.
        self.bases.sort_by_key(|(binding, rank, order, _)| (*binding, *rank, std::cmp::Reverse(*order)));
        for group in self.bases.chunk_by(|a, b| a.0 == b.0) {
            let Some((binding, ..)) = group.first() else { continue };
            let of_objects = group.iter().filter(|(_, rank, ..)| *rank != BaseRank::Extended);
            let of_objects: Vec<ExprId> = of_objects.map(|(.., base)| *base).collect();
            let of_class = group.iter().filter(|(_, rank, ..)| *rank == BaseRank::Extended);
            let of_class: Vec<ExprId> = of_class.map(|(.., base)| *base).collect();
            builder.binding_mut(*binding).bases = builder.add_expr_list(&of_objects);
            if !of_class.is_empty() {
                let list = builder.add_expr_list(&of_class);
                builder.binding_mut(*binding).annotation = Some(builder.add_expr(Expr::Either(list)));
            }
        }
    }
}
