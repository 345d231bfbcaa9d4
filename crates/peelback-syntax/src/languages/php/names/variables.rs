//! The local variables of PHP's functions: their bindings, and what they hold where they are used.
//!
//! What is assigned to a variable is its value from there on, as long as the code between the assignment and the use runs
//! from one end to the other. Behind a branch that assigns a variable, it can have each of the values that the function
//! assigns to it. The same holds inside a loop for what is assigned in front of it.

use foldhash::{HashMap, HashMapExt as _, HashSet};
use tree_sitter::Node;

use super::{Binder, Kind};
use crate::names::{BindingId, BindingKind, Expr, ExprId, FILE_SCOPE, NameId, NamesBuilder, Role, ScopeId};

/// The limit on the number of variables that a branch assigns and whose values are forgotten one by one behind it.
const MAX_FORGOTTEN: usize = 64;

/// The limit on the number of different values of one variable.
const MAX_VALUES: usize = 64;

/// A function whose body is being bound.
pub(super) struct OpenFunction {
    pub scope: ScopeId,
    /// Whether the function sees the variables of the one around it.
    is_arrow: bool,
    locals: HashMap<NameId, Local>,
    /// Variables that are used and may not be assigned.
    used: HashSet<NameId>,
    /// Variables that a `global` statement takes from the file.
    globals: HashSet<NameId>,
    pub returned: Vec<ExprId>,
    pub yielded: Vec<ExprId>,
    flow: Flow,
}

struct Local {
    binding: BindingId,
    values: Vec<ExprId>,
}

/// The values that variables have at the current place.
#[derive(Default)]
struct Flow {
    current: HashMap<NameId, Known>,
    /// What [`Flow::current`] had before each change, the latest change last.
    changes: Vec<Change>,
    clock: usize,
    /// Values that were known before this time do not hold: a loop may have assigned others.
    barrier: usize,
}

#[derive(Clone, Copy)]
struct Known {
    value: ExprId,
    time: usize,
}

struct Change {
    name: NameId,
    before: Option<Known>,
    is_assignment: bool,
}

/// The place in the flow at which a branch begins.
#[derive(Clone, Copy)]
pub(super) struct BranchStart {
    changes: usize,
    barrier: usize,
}

impl Flow {
    fn set(&mut self, name: NameId, value: Option<ExprId>, is_assignment: bool) {
        self.clock += 1;
        let known = value.map(|value| Known { value, time: self.clock });
        let before = match known {
            Some(known) => self.current.insert(name, known),
            None => self.current.remove(&name),
        };
        self.changes.push(Change { name, before, is_assignment });
    }

    fn value(&self, name: NameId) -> Option<ExprId> {
        self.current.get(&name).filter(|known| known.time > self.barrier).map(|known| known.value)
    }
}

impl OpenFunction {
    pub fn new(scope: ScopeId, is_arrow: bool) -> Self {
        Self {
            scope,
            is_arrow,
            locals: HashMap::new(),
            used: HashSet::default(),
            globals: HashSet::default(),
            returned: Vec::new(),
            yielded: Vec::new(),
            flow: Flow::default(),
        }
    }
}

impl<'t> Binder<'t> {
    pub(super) fn add_local(&mut self, name: NameId, binding: BindingId) {
        if let Some(function) = self.functions.last_mut() {
            function.locals.entry(name).or_insert(Local { binding, values: Vec::new() });
        }
    }

    pub(super) fn add_local_value(&mut self, name: NameId, value: ExprId) {
        if let Some(local) = self.functions.last_mut().and_then(|function| function.locals.get_mut(&name))
            && local.values.len() < MAX_VALUES
        {
            local.values.push(value);
        }
    }

    /// Sets the value of a variable, or of a property of one, from here on.
    pub(super) fn set_current_value(&mut self, name: NameId, value: ExprId, is_assignment: bool) {
        if let Some(function) = self.functions.last_mut() {
            function.flow.set(name, Some(value), is_assignment);
        }
    }

    pub(super) fn forget_current_value(&mut self, name: NameId) {
        if let Some(function) = self.functions.last_mut() {
            function.flow.set(name, None, true);
        }
    }

    /// The value that a variable is known to have here.
    pub(super) fn current_value(&self, name: NameId) -> Option<ExprId> {
        for function in self.functions.iter().rev() {
            if let Some(value) = function.flow.value(name) {
                return Some(value);
            }
            if !function.is_arrow || function.locals.contains_key(&name) {
                break;
            }
        }
        None
    }

    pub(super) fn begin_branch(&mut self) -> BranchStart {
        let flow = self.functions.last().map(|function| &function.flow);
        BranchStart { changes: flow.map_or(0, |flow| flow.changes.len()), barrier: flow.map_or(0, |flow| flow.barrier) }
    }

    /// Begins a branch that may run several times.
    pub(super) fn begin_loop(&mut self) -> BranchStart {
        let start = self.begin_branch();
        if let Some(function) = self.functions.last_mut() {
            function.flow.barrier = function.flow.clock;
        }
        start
    }

    /// Ends a branch: variables have the values of its start again. Returns those that it assigned.
    pub(super) fn end_branch(&mut self, start: BranchStart) -> Vec<NameId> {
        let mut assigned = Vec::new();
        let Some(function) = self.functions.last_mut() else { return assigned };
        let flow = &mut function.flow;
        flow.barrier = start.barrier;
        while flow.changes.len() > start.changes {
            let Some(change) = flow.changes.pop() else { break };
            match change.before {
                Some(before) => flow.current.insert(change.name, before),
                None => flow.current.remove(&change.name),
            };
            if change.is_assignment {
                assigned.push(change.name);
            }
        }
        assigned.sort_unstable();
        assigned.dedup();
        assigned
    }

    /// Forgets the values of variables that a branch assigned.
    pub(super) fn forget_assigned(&mut self, assigned: Vec<NameId>) {
        if assigned.len() > MAX_FORGOTTEN {
            if let Some(function) = self.functions.last_mut() {
                function.flow.barrier = function.flow.clock;
            }
            return;
        }
        for name in assigned {
            self.forget_current_value(name);
        }
    }

    /// The value of a variable, whose use is recorded.
    pub(super) fn variable_value(
        &mut self,
        node: Node<'t>,
        scope: ScopeId,
        role: Role,
        builder: &mut NamesBuilder<'_>,
    ) -> ExprId {
        if builder.text_of_node(node) == "$this" {
            return builder.add_expr(Expr::This { scope });
        }
        let expr = builder.record_name_use(node, scope, role);
        let name = builder.name_id_of_node(node);
        if let Some(function) = self.functions.last_mut() {
            function.used.insert(name);
        }
        self.current_value(name).unwrap_or(expr)
    }

    /// Binds a variable that is assigned the value `value`.
    pub(super) fn assign_variable(
        &mut self,
        node: Node<'t>,
        value: ExprId,
        scope: ScopeId,
        builder: &mut NamesBuilder<'_>,
    ) {
        let text = builder.text_of_node(node);
        let name = builder.name_id_of_node(node);
        let mut value = value;
        let pending =
            self.pending_variables.iter().position(|said| said.name.as_deref().is_none_or(|known| known == text));
        if let Some(position) = pending {
            let said = self.pending_variables.remove(position);
            value = builder.add_expr(Expr::Instance { of: said.of });
        }
        let is_global = self.functions.last().is_some_and(|function| function.globals.contains(&name));
        let is_known = self.functions.last().is_some_and(|function| function.locals.contains_key(&name));
        if is_known || is_global {
            builder.record_name_use(node, scope, Role::Write);
        } else {
            let around = self.functions.last().map_or(FILE_SCOPE, |function| function.scope);
            let local = builder.add_binding_with_definition(around, BindingKind::Variable, node);
            self.add_local(name, local);
        }
        self.add_local_value(name, value);
        self.set_current_value(name, value, true);
    }

    /// Records the variables that a `global` statement takes from the file.
    pub(super) fn bind_global_declaration(&mut self, node: Node<'t>, scope: ScopeId, builder: &mut NamesBuilder<'_>) {
        self.for_each_named_non_comment_child(node, builder, |binder, variable, builder| {
            if binder.kind(variable) == Kind::VariableName {
                let name = builder.name_id_of_node(variable);
                builder.record_name_use(variable, scope, Role::Read);
                if let Some(function) = binder.functions.last_mut() {
                    function.globals.insert(name);
                }
            } else {
                binder.value(variable, scope, builder);
            }
        });
    }

    /// Closes the innermost function, which is the one with the index `index`: its variables have all values that it assigns,
    /// and those that it only uses are not those of the code around it.
    pub(super) fn close_function(&mut self, index: usize, builder: &mut NamesBuilder<'_>) {
        self.functions.truncate(index + 1);
        let Some(function) = self.functions.pop() else { return };
        let mut locals: Vec<(NameId, Local)> = function.locals.into_iter().collect();
        locals.sort_unstable_by_key(|(_, local)| local.binding);
        let known: HashSet<NameId> = locals.iter().map(|(name, _)| *name).collect();
        for (_, local) in locals {
            self.set_values(local.binding, local.values, builder);
        }
        if function.is_arrow || function.scope == FILE_SCOPE {
            return;
        }
        let mut used: Vec<NameId> = function.used.into_iter().collect();
        used.sort_unstable();
        let start = builder.names.scopes.get(function.scope as usize).map_or(0, |scope| scope.bytes.start as usize);
        for name in used.into_iter().filter(|name| !known.contains(name) && !function.globals.contains(name)) {
            builder.add_binding(function.scope, BindingKind::Variable, name, start);
        }
    }
}

impl OpenFunction {
    pub fn has_local(&self, name: NameId) -> bool {
        self.locals.contains_key(&name)
    }
}
