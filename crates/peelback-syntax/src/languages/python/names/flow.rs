//! Which assignments of a local name reach a use of it.
//!
//! Positions in the text stand for the flow of control: an assignment reaches what follows it until another one of the
//! same name is certain to have run in between, which it is where its block holds the use. Inside a loop, assignments
//! further down reach what stands before them. That is exact for structured code but for jumps, of which a block that
//! ends with `return` or `raise` is seen.

use std::ops::Range;

use crate::names::{BindingId, BindingKind, Expr, ExprId, NameId, NamesBuilder, ScopeKind};

/// What a function's body does with its local names.
#[derive(Default)]
pub(super) struct Flow {
    /// Runs of statements that run together, the function's own first.
    blocks: Vec<Block>,
    /// The block that is being read.
    block: usize,
    loops: Vec<Range<u32>>,
    events: Vec<Event>,
    uses: Vec<ExprId>,
}

struct Block {
    bytes: Range<u32>,
    /// Whether nothing after it runs once it has run.
    exits: bool,
}

/// A name gets a value.
#[derive(Clone, Copy)]
struct Event {
    name: NameId,
    from: u32,
    block: usize,
    binding: BindingId,
    /// The value is `None`: of no use where there is another one.
    nothing: bool,
    /// It says more of a value that is there already, inside its block only.
    narrows: bool,
}

fn bytes(range: Range<usize>) -> Range<u32> {
    byte(range.start)..byte(range.end)
}

fn byte(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Flow {
    /// For a function that spans `range`.
    pub fn new(range: Range<usize>) -> Self {
        let mut flow = Self::default();
        flow.blocks.push(Block { bytes: bytes(range), exits: false });
        flow
    }

    /// Opens a block; what was open is given back, for [`Flow::close`].
    pub fn open(&mut self, range: Range<usize>) -> usize {
        self.blocks.push(Block { bytes: bytes(range), exits: false });
        std::mem::replace(&mut self.block, self.blocks.len() - 1)
    }

    pub fn close(&mut self, outer: usize, exits: bool) {
        if let Some(block) = self.blocks.get_mut(self.block) {
            block.exits = exits;
        }
        self.block = outer;
    }

    pub fn repeat(&mut self, range: Range<usize>) {
        self.loops.push(bytes(range));
    }

    pub fn assign(&mut self, name: NameId, from: usize, binding: BindingId, nothing: bool) {
        let event = Event { name, from: byte(from), block: self.block, binding, nothing, narrows: false };
        self.events.push(event);
    }

    /// Notes that `binding` says more of a name inside `range`.
    pub fn narrow(&mut self, name: NameId, range: Range<usize>, binding: BindingId) {
        let from = byte(range.start);
        self.blocks.push(Block { bytes: bytes(range), exits: false });
        let block = self.blocks.len() - 1;
        self.events.push(Event { name, from, block, binding, nothing: false, narrows: true });
    }

    /// The bytes of the block that is being read.
    pub fn block_end(&self) -> usize {
        self.blocks.get(self.block).map_or(0, |block| block.bytes.end as usize)
    }

    /// Notes an [`Expr::Name`].
    pub fn used(&mut self, name: ExprId) {
        self.uses.push(name);
    }

    /// Says of each use of a name with several values which of them it can be. `is_local` tells whether a name that is
    /// looked up from a scope is one of the function's own.
    pub fn settle(
        mut self,
        builder: &mut NamesBuilder<'_>,
        mut is_local: impl FnMut(&NamesBuilder<'_>, u32, NameId) -> bool,
    ) {
        self.events.sort_by_key(|event| (event.name, event.from));
        let several = |events: &[Event], name| {
            let start = events.partition_point(|event| event.name < name);
            let count = events.get(start..).unwrap_or(&[]).iter().take_while(|event| event.name == name).count();
            (count > 1).then_some(start..start + count)
        };
        // Each of several assignments is for itself. The first holds from the start: a function inside may name it.
        for group in self.events.chunk_by(|a, b| a.name == b.name) {
            let mut first = true;
            for event in group.iter().filter(|event| group.len() > 1 && !event.narrows) {
                if holds_value(builder, event.binding) {
                    builder.binding(event.binding).visible_from =
                        if std::mem::take(&mut first) { 1 } else { event.from };
                }
            }
        }
        let mut joined: Vec<(Vec<BindingId>, BindingId)> = Vec::new();
        for index in 0..self.uses.len() {
            let Some(used) = self.uses.get(index).copied() else { break };
            let Expr::Name { name, scope, at } = builder.names.expr(used) else { continue };
            let Some(range) = several(&self.events, name) else { continue };
            if !is_local(builder, scope, name) {
                continue;
            }
            let events = self.events.get(range).unwrap_or(&[]);
            let reaching = self.reaching(events, at);
            let binding = match reaching.as_slice() {
                [] => continue,
                [one] => *one,
                several if several.iter().all(|id| holds_value(builder, *id)) => {
                    match joined.iter().find(|(parts, _)| parts == several) {
                        Some((_, binding)) => *binding,
                        None => {
                            let binding = join(builder, name, at, several);
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

    /// Which of one name's events reach byte `at`, in the order of the text.
    fn reaching(&self, events: &[Event], at: u32) -> Vec<BindingId> {
        let holds = |block: usize| self.blocks.get(block).is_some_and(|block| block.bytes.contains(&at));
        let left = |block: usize| self.blocks.get(block).is_some_and(|block| block.exits) && !holds(block);
        let mut found: Vec<Event> = Vec::new();
        let mut certain_from = None;
        for event in events.iter().rev().filter(|event| event.from <= at) {
            let inside = holds(event.block);
            if (event.narrows && !inside) || left(event.block) {
                continue;
            }
            found.push(*event);
            if inside {
                certain_from = Some(event.from);
                break;
            }
        }
        found.reverse();
        // The outermost loop around the use that begins after the last certain assignment.
        let again = self
            .loops
            .iter()
            .filter(|bytes| bytes.contains(&at) && certain_from.is_none_or(|from| from < bytes.start))
            .map(|bytes| bytes.end)
            .max();
        if let Some(end) = again {
            let later = |event: &&Event| event.from > at && event.from <= end && !event.narrows && !left(event.block);
            found.extend(events.iter().filter(later));
        }
        if found.iter().any(|event| !event.nothing) {
            found.retain(|event| !event.nothing);
        }
        found.iter().map(|event| event.binding).collect()
    }
}

fn holds_value(builder: &NamesBuilder<'_>, binding: BindingId) -> bool {
    builder
        .names
        .bindings
        .get(binding as usize)
        .is_some_and(|binding| matches!(binding.kind, BindingKind::Variable | BindingKind::Parameter))
}

/// A variable without a place that has one of several values.
fn join(builder: &mut NamesBuilder<'_>, name: NameId, at: u32, parts: &[BindingId]) -> BindingId {
    let binding = unplaced(builder, name, at as usize);
    let values: Vec<ExprId> = parts.iter().map(|part| builder.expr(Expr::Bound { binding: *part })).collect();
    builder.binding(binding).values = builder.list(&values);
    binding
}

/// A variable that no look-up finds.
pub(super) fn unplaced(builder: &mut NamesBuilder<'_>, name: NameId, at: usize) -> BindingId {
    let scope = builder.scope_of_bytes(crate::names::FILE_SCOPE, ScopeKind::Block, at..at);
    let binding = builder.bind_name(scope, BindingKind::Variable, name, at);
    let made = builder.binding(binding);
    made.body = Some(scope);
    made.visible_from = 1;
    binding
}
