//! Flow analysis for Python functions: which assignments of a local name reach each use of the name.
//!
//! Source positions approximate the control flow. An assignment reaches later uses until another assignment of the same
//! name has certainly run; an assignment has certainly run if its block contains the use. In a loop, later assignments
//! also reach earlier uses. The result is exact for structured code without jumps. Of the jumps, only `return` and
//! `raise` at the end of a block are considered.

use std::ops::Range;

use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, ScopeKind};

/// The assignments and uses of the local names of one Python function, in source positions.
#[derive(Default)]
pub(super) struct AssignmentFlow {
    /// Blocks of statements that run one after another. The function's own block comes first.
    blocks: Vec<Block>,
    /// The index in `blocks` of the block that the binder is reading.
    block: usize,
    loops: Vec<Range<u32>>,
    events: Vec<FlowEvent>,
    uses: Vec<ExprId>,
}

struct Block {
    bytes: Range<u32>,
    /// Whether the block ends with a statement that leaves the function.
    exits: bool,
}

/// An assignment to a local name, or a narrowing of the name's type.
#[derive(Clone, Copy)]
struct FlowEvent {
    name: NameId,
    from: u32,
    block: usize,
    binding: BindingId,
    /// Whether the assigned value is `None`. Such a value is ignored if another assignment reaches the use.
    is_none: bool,
    /// Whether the event only narrows the type of the name's value. A narrowing is valid inside its block only.
    narrows: bool,
}

fn saturating_u32_range(range: Range<usize>) -> Range<u32> {
    saturating_u32(range.start)..saturating_u32(range.end)
}

fn saturating_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl AssignmentFlow {
    /// Creates the empty flow of a function that spans the byte range `range`.
    pub fn new(range: Range<usize>) -> Self {
        let mut flow = Self::default();
        flow.blocks.push(Block { bytes: saturating_u32_range(range), exits: false });
        flow
    }

    /// Opens a block of statements and returns the index of the block around it, which [`AssignmentFlow::close_block`]
    /// takes.
    pub fn open_block(&mut self, range: Range<usize>) -> usize {
        self.blocks.push(Block { bytes: saturating_u32_range(range), exits: false });
        std::mem::replace(&mut self.block, self.blocks.len() - 1)
    }

    pub fn close_block(&mut self, outer: usize, exits: bool) {
        if let Some(block) = self.blocks.get_mut(self.block) {
            block.exits = exits;
        }
        self.block = outer;
    }

    pub fn add_loop(&mut self, range: Range<usize>) {
        self.loops.push(saturating_u32_range(range));
    }

    pub fn add_assignment(&mut self, name: NameId, from: usize, binding: BindingId, is_none: bool) {
        let event = FlowEvent { name, from: saturating_u32(from), block: self.block, binding, is_none, narrows: false };
        self.events.push(event);
    }

    /// Records that `binding` gives a name a narrower type inside the byte range `range`.
    pub fn add_narrowing(&mut self, name: NameId, range: Range<usize>, binding: BindingId) {
        let from = saturating_u32(range.start);
        self.blocks.push(Block { bytes: saturating_u32_range(range), exits: false });
        let block = self.blocks.len() - 1;
        self.events.push(FlowEvent { name, from, block, binding, is_none: false, narrows: true });
    }

    /// Byte offset of the end of the block that the binder is reading.
    pub fn end_offset_of_current_block(&self) -> usize {
        self.blocks.get(self.block).map_or(0, |block| block.bytes.end as usize)
    }

    /// Records a use of a local name, given as an [`Expr::Name`].
    pub fn add_name_use(&mut self, name: ExprId) {
        self.uses.push(name);
    }

    /// Replaces each use of a name that has several assignments by the bindings that reach it. `is_local` returns
    /// whether a name that is looked up from a scope is local to the function.
    pub fn replace_uses_by_reaching_bindings(
        mut self,
        builder: &mut NamesBuilder<'_>,
        mut is_local: impl FnMut(&NamesBuilder<'_>, u32, NameId) -> bool,
    ) {
        self.events.sort_by_key(|event| (event.name, event.from));
        let assignments_of_name = |events: &[FlowEvent], name| {
            let start = events.partition_point(|event| event.name < name);
            let count = events.get(start..).unwrap_or(&[]).iter().take_while(|event| event.name == name).count();
            (count > 1).then_some(start..start + count)
        };
        // Each of several assignments to a name is a separate binding. The first one is visible from the start, because
        // a nested function may use it.
        for group in self.events.chunk_by(|a, b| a.name == b.name) {
            let mut first = true;
            for event in group.iter().filter(|event| group.len() > 1 && !event.narrows) {
                if is_variable_or_parameter(builder, event.binding) {
                    builder.binding_mut(event.binding).visible_from =
                        if std::mem::take(&mut first) { 1 } else { event.from };
                }
            }
        }
        let mut joined: Vec<(Vec<BindingId>, BindingId)> = Vec::new();
        for index in 0..self.uses.len() {
            let Some(used) = self.uses.get(index).copied() else { break };
            let Expr::Name { name, scope, at } = builder.names.expr_by_id(used) else { continue };
            let Some(range) = assignments_of_name(&self.events, name) else { continue };
            if !is_local(builder, scope, name) {
                continue;
            }
            let events = self.events.get(range).unwrap_or(&[]);
            let reaching = self.bindings_reaching_offset(events, at);
            let binding = match reaching.as_slice() {
                [] => continue,
                [one] => *one,
                several if several.iter().all(|id| is_variable_or_parameter(builder, *id)) => {
                    match joined.iter().find(|(parts, _)| parts == several) {
                        Some((_, binding)) => *binding,
                        None => {
                            let binding = create_hidden_variable_of_bindings(builder, name, at, several);
                            joined.push((reaching, binding));
                            binding
                        }
                    }
                }
                _ => continue,
            };
            if let Some(expr) = builder.names.exprs.get_mut(used as usize) {
                *expr = Expr::Bound { binding };
            }
        }
    }

    /// The bindings of one name whose assignments or narrowings can reach byte offset `at`, in source order.
    fn bindings_reaching_offset(&self, events: &[FlowEvent], at: u32) -> Vec<BindingId> {
        let contains_use = |block: usize| self.blocks.get(block).is_some_and(|block| block.bytes.contains(&at));
        let is_exited_before_use =
            |block: usize| self.blocks.get(block).is_some_and(|block| block.exits) && !contains_use(block);
        let mut found: Vec<FlowEvent> = Vec::new();
        let mut certain_from = None;
        for event in events.iter().rev().filter(|event| event.from <= at) {
            let inside = contains_use(event.block);
            if (event.narrows && !inside) || is_exited_before_use(event.block) {
                continue;
            }
            found.push(*event);
            if inside {
                certain_from = Some(event.from);
                break;
            }
        }
        found.reverse();
        // The end of the outermost loop that contains the use and begins after the last assignment that has certainly
        // run.
        let loop_end = self
            .loops
            .iter()
            .filter(|bytes| bytes.contains(&at) && certain_from.is_none_or(|from| from < bytes.start))
            .map(|bytes| bytes.end)
            .max();
        if let Some(end) = loop_end {
            let later = |event: &&FlowEvent| {
                event.from > at && event.from <= end && !event.narrows && !is_exited_before_use(event.block)
            };
            found.extend(events.iter().filter(later));
        }
        if found.iter().any(|event| !event.is_none) {
            found.retain(|event| !event.is_none);
        }
        found.iter().map(|event| event.binding).collect()
    }
}

fn is_variable_or_parameter(builder: &NamesBuilder<'_>, binding: BindingId) -> bool {
    builder
        .names
        .bindings
        .get(binding as usize)
        .is_some_and(|binding| matches!(binding.kind, BindingKind::Variable | BindingKind::Parameter))
}

/// Creates a hidden variable whose possible values are those of several bindings.
fn create_hidden_variable_of_bindings(
    builder: &mut NamesBuilder<'_>,
    name: NameId,
    at: u32,
    parts: &[BindingId],
) -> BindingId {
    let binding = create_hidden_variable(builder, name, at as usize);
    let values: Vec<ExprId> = parts.iter().map(|part| builder.add_expr(Expr::Bound { binding: *part })).collect();
    builder.binding_mut(binding).values = builder.add_expr_list(&values);
    binding
}

/// Creates a variable that no name lookup finds; only an expression that names its binding refers to it.
pub(super) fn create_hidden_variable(builder: &mut NamesBuilder<'_>, name: NameId, at: usize) -> BindingId {
    let scope = builder.add_child_scope_for_bytes(crate::names::FILE_SCOPE, ScopeKind::Block, at..at);
    let binding = builder.add_binding(scope, BindingKind::Variable, name, at);
    let created = builder.binding_mut(binding);
    created.body = Some(scope);
    created.visible_from = 1;
    binding
}
