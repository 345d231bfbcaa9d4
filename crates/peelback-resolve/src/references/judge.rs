//! What each occurrence of a name means: one of the symbols sought, something else, or nothing that is known.

use std::collections::{BTreeSet, HashMap};

use peelback_syntax::names::{BindingKind, NameId, Names, Occurrence, Role, ScopeKind, Target};

use super::aliases::Aliases;
use super::builds::SomeBuilds;
use super::scan::{Hits, Scan, Words};
use super::{Confidence, Goal, Search, new_walk};
use crate::modules::{Family, FileId, Module};
use crate::resolve::{Def, Referent, is_common};

/// One use.
#[derive(Debug, Clone)]
pub(super) struct Use {
    pub at: u32,
    pub line: u32,
    pub role: Role,
    pub confidence: Confidence,
    /// Whether only some builds compile it.
    pub some_builds: bool,
    pub goal: usize,
}

/// What one file holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Judged {
    pub uses: Vec<Use>,
    /// Names in strings and comments: first byte and line.
    pub in_text: Vec<(u32, u32)>,
}

/// What all files together say, before each is judged.
pub(super) struct Judgement<'a> {
    search: &'a Search<'a>,
    goals: &'a [Goal],
    words: &'a Words,
    aliases: &'a Aliases,
    scan: &'a Scan,
    /// Which goal a definition is one with.
    by_def: HashMap<Def, usize>,
    /// For each goal, whether it and what it overrides are the only members of its name.
    only: Vec<bool>,
}

impl<'a> Judgement<'a> {
    pub fn new(
        search: &'a Search<'a>,
        goals: &'a [Goal],
        words: &'a Words,
        aliases: &'a Aliases,
        scan: &'a Scan,
    ) -> Self {
        let only = goals.iter().map(|goal| only_member(search, goal, scan)).collect();
        let mut by_def = HashMap::new();
        for (at, goal) in goals.iter().enumerate() {
            for def in &goal.all {
                by_def.entry(*def).or_insert(at);
            }
        }
        Self { search, goals, words, aliases, scan, by_def, only }
    }

    /// The uses in a file; `None` where it holds none.
    pub fn file(&self, file: FileId) -> Option<Judged> {
        let names = self.search.resolver.names(file)?;
        let hits = self.scan.hits(file)?;
        let mut sought: BTreeSet<NameId> = self.words.iter().filter_map(|word| names.id_of(word)).collect();
        sought.extend(self.aliases.of(file));
        let mut judged = Judged::default();
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let some_builds = SomeBuilds::of(self.search.resolver, file, names);
        for occurrence in names.occurrences.iter().filter(|occurrence| sought.contains(&occurrence.name)) {
            known.insert(occurrence.at);
            if let Some((goal, confidence)) = self.occurrence(file, names, occurrence) {
                let Occurrence { at, line, .. } = *occurrence;
                let some_builds = some_builds.have(line);
                let found = Use { at, line, role: role(names, occurrence), confidence, some_builds, goal };
                match judged.uses.last_mut() {
                    // `a as b` in an import is one use: the other name is the importing file's.
                    Some(last) if renames(occurrence) && renamed(last, &found) => {}
                    // One token that is two occurrences: the surer one.
                    Some(last) if last.at == found.at => {
                        if found.confidence < last.confidence {
                            *last = found;
                        }
                    }
                    _ => judged.uses.push(found),
                }
            }
        }
        if self.search.text {
            judged.in_text = in_text(hits, &known, self.goals);
        }
        (!judged.uses.is_empty() || !judged.in_text.is_empty()).then_some(judged)
    }

    /// Which goal an occurrence means, and how surely; `None` where it means something else, or is the definition.
    fn occurrence(&self, file: FileId, names: &Names, occurrence: &Occurrence) -> Option<(usize, Confidence)> {
        let text = names.text(occurrence.name);
        if let Target::Binding(binding) = occurrence.target {
            let def = Def { file, binding };
            let kind = names.bindings.get(binding as usize).map(|binding| binding.kind);
            if kind != Some(BindingKind::Import) {
                let canonical = self.search.resolver.canonical(def);
                let original = self.search.resolver.original(def);
                if let Some(goal) = self.by_def.get(&original).copied() {
                    // The symbol's own name is no use of it; another declaration of the same thing is worth a row. What
                    // passes it on stands beside a use of it.
                    let declares = original == canonical && self.goals[goal].own != Some(def);
                    return declares.then_some((goal, Confidence::Resolved));
                }
                let goal = self.overridden(canonical)?;
                // To a type checker of structural types all of them declare one member. In Go none of them says which
                // interface it is for.
                let declares = self.goals.get(goal)?.family != Some(Family::Go);
                return declares.then_some((goal, Confidence::Resolved));
            }
        }
        let resolver = self.search.resolver;
        let meaning = resolver.use_of(file, occurrence);
        // What may be something unknown as well is not sure.
        let is_sure = meaning.sure && !meaning.partial;
        let mut best: Option<(usize, Confidence)> = None;
        for referent in &meaning.referents {
            let Some(goal) = self.goal_of(referent) else { continue };
            let confidence =
                if is_sure && meaning.referents.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            let sure =
                is_sure && (self.all_one(&meaning.referents, goal) || self.alternatives(file, &meaning.referents));
            let confidence = if sure { Confidence::Resolved } else { confidence };
            if best.is_none_or(|(_, known)| confidence < known) {
                best = Some((goal, confidence));
            }
        }
        if best.is_some() {
            return best;
        }
        if self.search.calls && occurrence.role == Role::Call && !meaning.is_empty() {
            let (held, sure) = resolver.callees_of(&meaning);
            let confidence = if sure && held.len() == 1 { Confidence::Resolved } else { Confidence::Likely };
            if let Some(goal) = self.search.called_goal(self.goals, &held) {
                return Some((goal, confidence));
            }
        }
        // Something else, and that is known.
        if !meaning.is_empty() && !meaning.partial {
            return None;
        }
        let goal = self.goals.iter().position(|goal| goal.name == text && self.same_language(goal, file))?;
        let is_member = matches!(occurrence.target, Target::Expr(expr)
            if matches!(names.expr(expr), peelback_syntax::names::Expr::Member { .. }));
        let found = self.goals.get(goal)?;
        if meaning.is_empty() && is_member && found.is_member && self.only.get(goal) == Some(&true) {
            return self.can_be(found, occurrence.role).then_some((goal, Confidence::Likely));
        }
        // A bare name never means a member, and a parameter's name is the function's own business.
        let bare = matches!(occurrence.target, Target::Expr(_)) && !is_member;
        if (bare && found.is_member) || matches!(occurrence.target, Target::Parameter { .. }) {
            return None;
        }
        Some((goal, Confidence::Name))
    }

    /// Whether what has this role can be the member that is sought: in Rust a call is never one of a field.
    fn can_be(&self, goal: &Goal, role: Role) -> bool {
        if goal.family != Some(Family::Rust) {
            return true;
        }
        match goal.def.and_then(|def| kind_of(self.search, def)) {
            Some(BindingKind::Function) => matches!(role, Role::Call | Role::Read),
            Some(BindingKind::Field) => matches!(role, Role::Member | Role::Read | Role::Write),
            _ => true,
        }
    }

    fn same_language(&self, goal: &Goal, file: FileId) -> bool {
        match goal.family {
            Some(family) => self.search.snapshot.file_names(file).is_ok_and(|names| family.meets(names.language.name)),
            None => true,
        }
    }

    /// Whether all that a name leads to is one goal.
    fn all_one(&self, referents: &[Referent], goal: usize) -> bool {
        referents.iter().all(|referent| self.goal_of(referent) == Some(goal))
    }

    /// Whether what a name leads to are definitions of which one is compiled: nothing else gives a name of Rust two
    /// meanings, but for the members that several traits give to one type.
    fn alternatives(&self, file: FileId, referents: &[Referent]) -> bool {
        if self.search.resolver.family(file) != Some(Family::Rust) {
            return false;
        }
        let mut holders = BTreeSet::new();
        referents.iter().all(|referent| match referent {
            Referent::Def(def) => {
                let holder = self.search.resolver.holder(*def, &mut new_walk());
                holder.is_none_or(|holder| holders.insert(holder))
            }
            // A module and a function may have one name.
            Referent::Module(_) => true,
            _ => false,
        })
    }

    fn goal_of(&self, referent: &Referent) -> Option<usize> {
        let resolver = self.search.resolver;
        let def = match referent {
            Referent::Def(def) => def,
            // The module is, as a whole, what is sought: `module.exports = f`.
            Referent::Module(Module::File(file)) => {
                let means = |goal: &Goal, referent: &Referent| match referent {
                    Referent::Def(def) => goal.all.contains(&resolver.original(*def)),
                    _ => false,
                };
                return self.goals.iter().position(|goal| {
                    goal.family == Some(Family::JavaScript) && resolver.module_is(*file, |found| means(goal, found))
                });
            }
            _ => return None,
        };
        let canonical = resolver.original(*def);
        let exact = self.by_def.get(&canonical).copied();
        exact
            .or_else(|| {
                // In Rust what implements a member of a trait is a use of it, and so is what uses that.
                self.goals.iter().position(|goal| {
                    goal.is_member
                        && goal.family == Some(Family::Rust)
                        && goal.def.is_some_and(|own| resolver.implements(canonical, own, &mut new_walk()))
                })
            })
            .or_else(|| self.overridden(canonical))
    }

    /// The goal that has something in common with a member: that it overrides, that overrides it, or whose base it has
    /// too. A type checker takes them for one in languages of structural types.
    fn overridden(&self, member: Def) -> Option<usize> {
        self.goals.iter().position(|goal| {
            goal.is_member
                && matches!(goal.family, Some(Family::JavaScript | Family::Go))
                && goal.def.is_some_and(|own| self.same_member(own, member))
        })
    }

    fn same_member(&self, one: Def, other: Def) -> bool {
        let name = |def: Def| {
            let names = self.search.resolver.names(def.file)?;
            Some(names.text(names.bindings.get(def.binding as usize)?.name).to_owned())
        };
        name(one) == name(other) && related(self.search, one, other)
    }

    /// The lines of a file that were not understood and hold a name that is sought, in words.
    pub fn lost(&self, file: FileId, judged: Option<&Judged>) -> Option<String> {
        let names = self.search.resolver.names(file)?;
        if names.missed.is_empty() {
            return None;
        }
        // What the parser made of a broken region may be anything: only what is a use in spite of it counts, and a name
        // alone is none.
        let uses = judged.into_iter().flat_map(|judged| &judged.uses);
        let used: BTreeSet<u32> =
            uses.filter(|found| found.confidence != Confidence::Name).map(|found| found.at).collect();
        let hits = self.scan.hits(file)?;
        let lost = hits.entries.iter().find(|(at, (line, _))| {
            !used.contains(at) && names.missed.iter().any(|(first, last)| (*first..=*last).contains(line))
        });
        lost.map(|(_, (line, _))| format!("not understood where it holds the name (line {line})"))
    }
}

/// Whether an occurrence is the name under which a file knows what it imports.
fn renames(occurrence: &Occurrence) -> bool {
    occurrence.role == Role::Import && matches!(occurrence.target, Target::Binding(_))
}

/// Whether two uses stand beside each other in an import of the same thing.
fn renamed(before: &Use, found: &Use) -> bool {
    before.role == Role::Import && before.line == found.line && before.goal == found.goal
}

/// The role of an occurrence: a variable that is bound again is written.
fn role(names: &Names, occurrence: &Occurrence) -> Role {
    let Target::Binding(binding) = occurrence.target else { return occurrence.role };
    match names.bindings.get(binding as usize).map(|binding| binding.kind) {
        Some(BindingKind::Field | BindingKind::Variable) if occurrence.role == Role::Definition => Role::Write,
        _ => occurrence.role,
    }
}

/// Places of a goal's own name that no occurrence stands at.
fn in_text(hits: &Hits, known: &BTreeSet<u32>, goals: &[Goal]) -> Vec<(u32, u32)> {
    let own = |len: u32| goals.iter().any(|goal| goal.name.len() == len as usize);
    let free = hits.entries.iter().filter(|(at, (_, len))| !known.contains(at) && own(*len));
    free.map(|(at, (line, _))| (*at, *line)).collect()
}

/// Whether a member and those that it overrides, or that override it, are the only ones of their name, so that what has
/// a member of that name likely means it. Names that the types of the language itself have tell nothing.
fn only_member(search: &Search<'_>, goal: &Goal, scan: &Scan) -> bool {
    let (Some(own), true, Some(family)) = (goal.def, goal.is_member, goal.family) else { return false };
    if is_common(family, &goal.name) {
        return false;
    }
    for file in scan.files() {
        let Some(names) = search.resolver.names(file) else { continue };
        let Some(name) = names.id_of(&goal.name) else { continue };
        for (id, binding) in (0..).zip(&names.bindings) {
            let member = names.scopes.get(binding.scope as usize).is_some_and(|scope| scope.kind == ScopeKind::Type);
            if binding.name != name || !member {
                continue;
            }
            let def = search.resolver.original(Def { file, binding: id });
            // In Rust what is called is no field, and what is not is no method.
            let apart = family == Family::Rust && is_function(kind_of(search, own)) != is_function(Some(binding.kind));
            if !apart && !goal.all.contains(&def) && !related(search, own, def) {
                return false;
            }
        }
    }
    true
}

fn kind_of(search: &Search<'_>, def: Def) -> Option<BindingKind> {
    search.resolver.names(def.file)?.bindings.get(def.binding as usize).map(|binding| binding.kind)
}

fn is_function(kind: Option<BindingKind>) -> bool {
    kind == Some(BindingKind::Function)
}

/// Whether a use of one of two members of one name may mean the other.
fn related(search: &Search<'_>, one: Def, other: Def) -> bool {
    let resolver = search.resolver;
    match resolver.family(one.file) {
        // Traits have no fields.
        Some(Family::Rust) if [one, other].iter().any(|def| kind_of(search, *def) == Some(BindingKind::Field)) => false,
        // A method of a type that is embedded is no more overridden than hidden.
        Some(Family::Go) => resolver.corresponds(one, other, &mut new_walk()),
        Some(Family::JavaScript) => {
            let walk = &mut new_walk();
            let (first, second) = (resolver.lineage(one, walk), resolver.lineage(other, walk));
            first.intersection(&second).next().is_some()
        }
        _ => resolver.overrides(one, other, &mut new_walk()),
    }
}
