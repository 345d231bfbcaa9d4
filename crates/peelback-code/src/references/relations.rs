//! Who calls a function and whom it calls, to a depth; what implements or overrides a definition.

use std::collections::{BTreeMap, BTreeSet};

use peelback_syntax::names::{BindingKind, Expr, Role, ScopeKind};

use super::scan::{Scan, Words};
use super::{Aliases, Confidence, Endpoint, Goal, Reference, Search, enclosing, new_walk, qualified};
use crate::evidence::{Completeness, Evidence};
use crate::modules::{Family, FileId, World};
use crate::resolve::{Def, Referent};

/// Functions that one answer follows; more are a question about half the project.
const MAX_FUNCTIONS: usize = 400;

impl Search<'_> {
    /// The calls of the goals, the calls of the functions that they stand in, and so on.
    pub(super) fn callers(&self, mut goals: Vec<Goal>, depth: u32, evidence: &mut Evidence) -> Vec<Reference> {
        let mut seen: BTreeSet<Def> = goals.iter().flat_map(|goal| goal.all.iter().copied()).collect();
        let mut rows = Vec::new();
        for level in 1..=depth {
            let found = self.run(&mut goals, evidence);
            let mut callers: BTreeMap<Def, usize> = BTreeMap::new();
            for (file, mut judged) in found {
                judged.uses.retain(|found| found.role == Role::Call);
                judged.in_text.clear();
                // A call of something of the same name is worth a row, and no step further.
                for found in judged.uses.iter().filter(|found| found.confidence != Confidence::Name) {
                    let origin = goals.get(found.goal).map_or(0, |goal| goal.origin);
                    if let Some(caller) = self.function_around(file, found.at) {
                        callers.entry(caller).or_insert(origin);
                    }
                }
                let mut more = self.rows(file, judged);
                for row in &mut more {
                    row.depth = level;
                    row.other = goals.get(row.symbol).filter(|_| level > 1).and_then(|goal| self.endpoint(goal.def?));
                    row.symbol = goals.get(row.symbol).map_or(0, |goal| goal.origin);
                }
                rows.append(&mut more);
            }
            callers.retain(|def, _| seen.insert(*def));
            goals = self.next_goals(callers, evidence);
            if goals.is_empty() {
                break;
            }
        }
        rows
    }

    /// The calls inside the goals, inside the functions that those call, and so on.
    pub(super) fn callees(&self, goals: Vec<Goal>, depth: u32, evidence: &mut Evidence) -> Vec<Reference> {
        let mut level_defs: Vec<(Def, usize)> = Vec::new();
        for (index, goal) in goals.iter().enumerate() {
            level_defs.extend(goal.def.map(|def| (def, index)));
        }
        let mut seen: BTreeSet<Def> = level_defs.iter().map(|(def, _)| *def).collect();
        let mut rows = Vec::new();
        for level in 1..=depth {
            let mut next: Vec<(Def, usize)> = Vec::new();
            for (def, symbol) in &level_defs {
                for (row, callee) in self.calls_in(*def, level, *symbol, evidence) {
                    rows.push(row);
                    next.extend(callee.filter(|callee| seen.insert(*callee)).map(|callee| (callee, *symbol)));
                }
            }
            if next.len() > MAX_FUNCTIONS {
                evidence.note(format!("{} functions more were not followed", next.len() - MAX_FUNCTIONS));
                evidence.weaken(Completeness::LowerBound);
                next.truncate(MAX_FUNCTIONS);
            }
            level_defs = next;
            if level_defs.is_empty() {
                break;
            }
        }
        rows
    }

    /// The calls that stand inside a definition, each with what it calls where that is of the project.
    fn calls_in(&self, def: Def, level: u32, symbol: usize, evidence: &mut Evidence) -> Vec<(Reference, Option<Def>)> {
        let made = match self.snapshot.file_names(def.file) {
            Ok(made) => made,
            Err(reason) => {
                evidence.skip(self.snapshot.files().path(def.file), reason.gap().unwrap_or_default());
                return Vec::new();
            }
        };
        let names = &made.names;
        let Some(body) = names.bindings.get(def.binding as usize).and_then(|binding| binding.body) else {
            return Vec::new();
        };
        let Some(bytes) = names.scopes.get(body as usize).map(|scope| scope.bytes.clone()) else { return Vec::new() };
        let line = |at: u32| names.occurrences.iter().find(|found| found.at >= at).map_or(u32::MAX, |found| found.line);
        if !names.missed.is_empty() {
            let (first, last) = (line(bytes.start), line(bytes.end));
            if let Some((from, to)) = names.missed.iter().find(|(from, to)| *from <= last && *to >= first) {
                let path = self.snapshot.files().path(def.file);
                evidence.skip(path, format!("lines not understood: {from}-{to}"));
            }
        }
        let mut rows = Vec::new();
        let calls = names.occurrences.iter().filter(|found| found.role == Role::Call && bytes.contains(&found.at));
        for call in calls {
            let meaning = self.resolver.use_of(def.file, call);
            let callee = meaning.referents.iter().find_map(|referent| match referent {
                Referent::Def(def) => Some(self.resolver.canonical(*def)),
                _ => None,
            });
            let external = callee.is_none() && !meaning.is_empty() && !meaning.partial;
            if external {
                continue;
            }
            let confidence = match (callee, meaning.sure) {
                (None, _) => Confidence::Name,
                (Some(_), true) => Confidence::Resolved,
                (Some(_), false) => Confidence::Likely,
            };
            let row = Reference {
                path: self.snapshot.files().path(def.file).to_owned(),
                line: call.line,
                at: call.at,
                column: 0,
                context: String::new(),
                role: Some(Role::Call),
                enclosing: enclosing(names, call.at),
                confidence,
                symbol,
                depth: level,
                other: callee.and_then(|callee| self.endpoint(callee)),
            };
            rows.push((row, callee));
        }
        rows
    }

    /// The types that extend or implement the goals, at any depth, or the members that override or implement them.
    pub(super) fn implementations(&self, goals: Vec<Goal>, evidence: &mut Evidence) -> Vec<Reference> {
        let mut rows = Vec::new();
        for (symbol, goal) in goals.into_iter().enumerate() {
            let Some(own) = goal.def else { continue };
            let (base, member) = match self.resolver.holder(own, &mut new_walk()).filter(|_| goal.is_member) {
                Some(holder) => (holder, Some(goal.name.clone())),
                None => (self.resolver.canonical(own), None),
            };
            for (file, derived, level) in self.derived(base, evidence) {
                let found = match &member {
                    None => Some(derived),
                    Some(name) => self.own_member(derived, name).filter(|found| !goal.all.contains(found)),
                };
                let found = found.and_then(|def| Some((def, self.definition_row(def, level, symbol)?)));
                if let Some((def, row)) = found {
                    debug_assert!(def.file == file || member.is_some());
                    rows.push(row);
                }
            }
        }
        rows.sort_by(|a: &Reference, b| (&a.path, a.at, a.depth).cmp(&(&b.path, b.at, b.depth)));
        rows.dedup_by(|a, b| (&a.path, a.at) == (&b.path, b.at));
        rows
    }

    /// The types that have `base` among their bases, with how many steps up it is.
    fn derived(&self, base: Def, evidence: &mut Evidence) -> Vec<(FileId, Def, u32)> {
        let mut all: Vec<(FileId, Def, u32)> = Vec::new();
        let mut seen = BTreeSet::from([base]);
        let mut level = vec![base];
        for step in 1.. {
            let goals: Vec<Goal> = level.iter().filter_map(|def| self.goal_of_def(*def, 0)).collect();
            if goals.is_empty() || all.len() > MAX_FUNCTIONS {
                break;
            }
            let scan = self.scan_for(&goals, evidence);
            let mut next = Vec::new();
            for file in scan.files() {
                for derived in self.deriving(file, &level) {
                    if seen.insert(derived) {
                        all.push((derived.file, derived, step));
                        next.push(derived);
                    }
                }
            }
            if step == 1 {
                for derived in self.structural(base, evidence) {
                    if seen.insert(derived) {
                        all.push((derived.file, derived, step));
                    }
                }
            }
            level = next;
        }
        all
    }

    fn scan_for(&self, goals: &[Goal], evidence: &mut Evidence) -> Scan {
        let mut words: Words = goals.iter().map(|goal| goal.name.clone()).collect();
        let mut scan = Scan::default();
        let mut aliases = Aliases::default();
        let mut fresh = words.clone();
        while !fresh.is_empty() {
            scan.add(self, &fresh, goals, evidence);
            fresh = aliases.find(self, goals, &scan, &words);
            words.extend(fresh.iter().cloned());
        }
        scan
    }

    /// The types of a file, or those that its extensions are about, that name one of `bases` as their base.
    fn deriving(&self, file: FileId, bases: &[Def]) -> Vec<Def> {
        let Some(names) = self.resolver.names(file) else { return Vec::new() };
        let is_base = |file: FileId, expr: u32| {
            let meaning = self.resolver.define(file, expr, &mut new_walk());
            meaning.referents.iter().any(|referent| match referent {
                Referent::Def(def) => bases.contains(&self.resolver.canonical(*def)),
                _ => false,
            })
        };
        let mut found = Vec::new();
        for (id, binding) in (0..).zip(&names.bindings) {
            if binding.kind == BindingKind::Type && names.list(binding.bases).iter().any(|base| is_base(file, *base)) {
                found.push(self.resolver.canonical(Def { file, binding: id }));
            }
        }
        for extension in &names.extensions {
            if extension.implements.is_some_and(|implements| is_base(file, implements)) {
                let target = match names.expr(extension.target) {
                    Expr::Generic { base: Some(base), .. } => base,
                    _ => extension.target,
                };
                let meaning = self.resolver.define(file, target, &mut new_walk());
                found.extend(meaning.referents.iter().filter_map(|referent| match referent {
                    Referent::Def(def) => Some(self.resolver.canonical(*def)),
                    _ => None,
                }));
            }
        }
        found
    }

    /// The types of Go that have all methods of an interface: nothing says so but their names.
    fn structural(&self, base: Def, evidence: &mut Evidence) -> Vec<Def> {
        if self.resolver.family(base.file) != Some(Family::Go) {
            return Vec::new();
        }
        let Some(names) = self.resolver.names(base.file).cloned() else { return Vec::new() };
        let Some(body) = names.bindings.get(base.binding as usize).and_then(|binding| binding.body) else {
            return Vec::new();
        };
        let methods: BTreeSet<&str> = names
            .bindings
            .iter()
            .filter(|binding| binding.scope == body && binding.kind == BindingKind::Function)
            .map(|binding| names.text(binding.name))
            .collect();
        // The longest name is the rarest, about.
        let Some(rarest) = methods.iter().max_by_key(|name| name.len()) else { return Vec::new() };
        let Some(mut goal) = self.goal_of_def(base, 0) else { return Vec::new() };
        goal.name = (*rarest).to_owned();
        let mut scan = Scan::default();
        scan.add(self, &Words::from([(*rarest).to_owned()]), std::slice::from_ref(&goal), evidence);
        let mut found = BTreeSet::new();
        for file in scan.files() {
            let Some(names) = self.resolver.names(file) else { continue };
            let Some(name) = names.id_of(rarest) else { continue };
            for (id, _) in (0..).zip(&names.bindings).filter(|(_, binding)| binding.name == name) {
                let Some(holder) = self.resolver.holder(Def { file, binding: id }, &mut new_walk()) else { continue };
                let has = |method: &&str| !self.resolver.type_member(holder, method, &mut new_walk()).is_empty();
                if holder != base && methods.iter().all(has) {
                    found.insert(holder);
                }
            }
        }
        found.into_iter().collect()
    }

    /// The member of a type that is called `name`, where the type itself has it and not one of its bases.
    fn own_member(&self, holder: Def, name: &str) -> Option<Def> {
        let meaning = self.resolver.type_member(holder, name, &mut new_walk());
        let def = meaning.referents.iter().find_map(|referent| match referent {
            Referent::Def(def) => Some(self.resolver.canonical(*def)),
            _ => None,
        })?;
        (self.resolver.holder(def, &mut new_walk()) == Some(holder)).then_some(def)
    }

    /// A definition as a row.
    fn definition_row(&self, def: Def, depth: u32, symbol: usize) -> Option<Reference> {
        let made = self.snapshot.file_names(def.file).ok()?;
        let at = made.names.bindings.get(def.binding as usize)?.at;
        let line = made.names.line_of(at)?;
        Some(Reference {
            path: self.snapshot.files().path(def.file).to_owned(),
            line,
            at,
            column: 0,
            context: String::new(),
            role: Some(Role::Definition),
            enclosing: enclosing(&made.names, at),
            confidence: Confidence::Resolved,
            symbol,
            depth,
            other: self.endpoint(def),
        })
    }

    /// The named function around a byte.
    fn function_around(&self, file: FileId, at: u32) -> Option<Def> {
        let names = self.resolver.names(file)?;
        let mut next = Some(names.scope_at(at));
        while let Some(scope) = next.and_then(|id| names.scopes.get(id as usize)) {
            if scope.kind == ScopeKind::Function
                && let Some(owner) = scope.owner
                && let Some(binding) = names.bindings.get(owner as usize)
                && binding.body != Some(binding.scope)
            {
                return Some(self.resolver.canonical(Def { file, binding: owner }));
            }
            next = scope.parent;
        }
        None
    }

    /// Where a definition stands and what it is called.
    fn endpoint(&self, def: Def) -> Option<Endpoint> {
        let made = self.snapshot.file_names(def.file).ok()?;
        let binding = made.names.bindings.get(def.binding as usize)?;
        let around = qualified(&made.names, binding.scope);
        let name = made.names.text(binding.name);
        let qualified_name = if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
        Some(Endpoint { path: self.snapshot.files().path(def.file).to_owned(), qualified_name })
    }

    fn next_goals(&self, defs: BTreeMap<Def, usize>, evidence: &mut Evidence) -> Vec<Goal> {
        if defs.len() > MAX_FUNCTIONS {
            evidence.note(format!("{} functions more were not followed", defs.len() - MAX_FUNCTIONS));
            evidence.weaken(Completeness::LowerBound);
        }
        defs.into_iter().take(MAX_FUNCTIONS).filter_map(|(def, origin)| self.goal_of_def(def, origin)).collect()
    }

    fn goal_of_def(&self, def: Def, origin: usize) -> Option<Goal> {
        let made = self.snapshot.file_names(def.file).ok()?;
        let binding = made.names.bindings.get(def.binding as usize)?;
        let scope = made.names.scopes.get(binding.scope as usize)?;
        Some(Goal {
            name: made.names.text(binding.name).to_owned(),
            file: def.file,
            def: Some(def),
            own: Some(def),
            origin,
            all: BTreeSet::from([def]),
            is_member: scope.kind == ScopeKind::Type,
            family: self.resolver.family(def.file),
            language: made.language.name,
        })
    }
}
