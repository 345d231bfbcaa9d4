//! What names mean across files: look-up by scope, imports followed to the definition, members through the types of
//! their receivers.
//!
//! [`Resolver`] evaluates the expressions of [`Names`] on demand. It loads a file's names only when an expression leads
//! there. Every step is bounded (depth, and the number of values of one expression), so that no source makes it hang.
//!
//! - `scopes.rs` finds what a bare name means;
//! - `modules.rs` finds what a module gives under a name, and follows imports;
//! - `members.rs` finds the members of types, through extensions and bases;
//! - `interfaces.rs` finds which types satisfy which interfaces, where nobody says so;
//! - `maps.rs` knows what the keys of Go's maps are;
//! - `inference.rs` finds what stands for the type parameters of a function that is called;
//! - `signatures.rs` finds what calls give and take where TypeScript's types say it;
//! - `python.rs` knows the protocols and containers that Python itself brings;
//! - `rust.rs` knows what receivers of Rust say of what is called, and the traits of types from outside;
//! - `values.rs` says what an expression's value is; `calls.rs` what calls give, `instances.rs` what types mean where they
//!   are written, `elements.rs` what comes out of containers.

mod calls;
mod common;
mod elements;
mod index;
mod inference;
mod instances;
mod interfaces;
mod maps;
mod members;
mod modules;
mod python;
mod rust;
mod scopes;
mod signatures;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use peelback_syntax::names::{
    Binding, BindingId, BindingKind, Expr, ExprId, ModuleImportId, NameId, Names, Occurrence, Role, Target,
};

use crate::modules::{Families, Family, FileId, Module, Modules, ProjectIndex};
pub(crate) use common::is_common;
pub(crate) use index::Indexed;
pub(crate) use interfaces::Fit;
pub(crate) use values::{Value, Values};

/// A definition: a binding of a file. Definitions of one name in one scope (overloads, redefinitions, a type and a
/// value of one name) are one: the first of them stands for all, see [`Resolver::canonical`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Def {
    pub file: FileId,
    pub binding: BindingId,
}

/// Whether a definition is a type, a value or both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Type,
    Value,
    Both,
}

impl Sort {
    fn of(binding: &Binding) -> Self {
        match binding.kind {
            _ if binding.type_only => Self::Type,
            BindingKind::Variable | BindingKind::Function | BindingKind::Parameter | BindingKind::Field => Self::Value,
            _ => Self::Both,
        }
    }
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Referent {
    /// A definition.
    Def(Def),
    /// A module.
    Module(Module),
    /// A value without a name of its own: a default export of an expression.
    Value(FileId, ExprId),
    /// Something outside of the project: a package, a builtin.
    External,
}

/// What a name leads to, and whether every step on the way there is a binding or a declaration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Meaning {
    /// Nothing, where the name is not understood.
    pub referents: Vec<Referent>,
    /// Whether nothing on the way was inferred.
    pub sure: bool,
    /// Whether it may mean something else as well: not all values of what it stands for are known.
    pub partial: bool,
}

impl Meaning {
    fn of(referents: Vec<Referent>, sure: bool) -> Self {
        Self { sure: sure && !referents.is_empty(), referents, partial: false }
    }

    /// One thing, for sure.
    pub fn one(referent: Referent) -> Self {
        Self::of(vec![referent], true)
    }

    fn external() -> Self {
        Self::of(vec![Referent::External], true)
    }

    pub fn is_empty(&self) -> bool {
        self.referents.is_empty()
    }

    fn add(&mut self, other: Self) {
        self.partial |= other.partial;
        if other.is_empty() {
            return;
        }
        self.sure = if self.referents.is_empty() { other.sure } else { self.sure && other.sure };
        for referent in other.referents {
            if self.referents.contains(&referent) {
                continue;
            }
            if self.referents.len() >= MAX_DECLARED {
                self.partial = true;
                break;
            }
            self.referents.push(referent);
        }
    }
}

/// How many steps an evaluation goes from one expression to the next. Real chains (imports, fields of fields, inferred
/// returns) stay far below it.
const MAX_DEPTH: u32 = 48;

/// The steps of one evaluation in all: a name with many inferred values fans out.
const MAX_STEPS: u32 = 20_000;

/// How many values one expression is followed with.
const MAX_VALUES: usize = 8;

/// How many where one declaration lists them: a union.
const MAX_DECLARED: usize = 64;

/// One evaluation's bounds.
pub(crate) struct Walk {
    depth: u32,
    steps: u32,
    /// Whether a bound or a cycle cut something off: what was found is not remembered then.
    cut: bool,
    /// Whether a bound was reached: what was found may not be all.
    bounded: bool,
    /// How often it came back to something that was being worked out.
    cycles: u32,
    /// Definitions whose value is being worked out.
    open: Vec<Def>,
    /// Names of modules that are being looked up.
    asked: Vec<(Module, Box<str>)>,
    /// Whether the extensions of types from outside are being gathered.
    gathering: bool,
    /// Whether a chain is being worked out from its beginning.
    warming: bool,
}

impl Walk {
    pub fn new() -> Self {
        Self {
            depth: 0,
            steps: 0,
            cut: false,
            bounded: false,
            cycles: 0,
            open: Vec::new(),
            asked: Vec::new(),
            gathering: false,
            warming: false,
        }
    }

    /// Notes that a definition needs itself.
    fn turn_back(&mut self) {
        self.cut = true;
        self.cycles += 1;
    }

    /// Runs one step deeper; the default where a bound is reached.
    fn deeper<R: Default>(&mut self, step: impl FnOnce(&mut Self) -> R) -> R {
        self.steps += 1;
        if self.depth >= MAX_DEPTH || self.steps >= MAX_STEPS {
            self.cut = true;
            self.bounded = true;
            return R::default();
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }
}

/// Results that several threads share.
struct Memo<K, V>(Vec<Mutex<HashMap<K, V, foldhash::fast::RandomState>>>);

impl<K: Hash + Eq, V: Clone> Memo<K, V> {
    fn new() -> Self {
        Self((0..16).map(|_| Mutex::new(HashMap::default())).collect())
    }

    fn shard(&self, key: &K) -> &Mutex<HashMap<K, V, foldhash::fast::RandomState>> {
        use std::hash::BuildHasher as _;
        let hash = foldhash::fast::FixedState::default().hash_one(key);
        &self.0[usize::try_from(hash >> 40).unwrap_or(0) % self.0.len()]
    }

    fn get(&self, key: &K) -> Option<V> {
        self.shard(key).lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, key: K, value: V) {
        self.shard(&key).lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }
}

/// Evaluates names over the files of one state of a project.
pub(crate) struct Resolver<'w> {
    project_index: &'w dyn ProjectIndex,
    families: &'w Families,
    indexed: Vec<OnceLock<Option<Arc<Indexed>>>>,
    values: Memo<Def, Values>,
    /// Calls and members, which stand in chains.
    chained: Memo<(FileId, ExprId), Values>,
    members: Memo<(Def, Box<str>), Meaning>,
    exported: Memo<(Module, Box<str>), Meaning>,
    /// The files that may extend what a file defines: finding them takes a look at all files.
    groups: Memo<FileId, Arc<[FileId]>>,
    /// By the first file of a group and the name of the type.
    extenders: Memo<(FileId, Box<str>), Arc<[members::Extender]>>,
    /// By the first file of a group and the name of the member.
    foreign: Memo<(FileId, Box<str>), Arc<[rust::Given]>>,
    /// How a type stands to an interface.
    fits: Memo<(Def, Def), Fit>,
    /// Whether a method makes a type that embeds its own satisfy an interface.
    promotions: Memo<(Def, Def), bool>,
    lineages: Memo<Def, Arc<BTreeSet<Def>>>,
    /// The modules that declaration files declare by name.
    ambient: OnceLock<BTreeMap<Box<str>, Module>>,
    families_of: Vec<OnceLock<Option<Family>>>,
    linked_names: Mutex<BTreeMap<String, Vec<Def>>>,
}

impl<'w> Resolver<'w> {
    pub fn new(project_index: &'w dyn ProjectIndex, families: &'w Families) -> Self {
        let count = project_index.files().len();
        Self {
            project_index,
            families,
            indexed: (0..count).map(|_| OnceLock::new()).collect(),
            values: Memo::new(),
            chained: Memo::new(),
            foreign: Memo::new(),
            members: Memo::new(),
            exported: Memo::new(),
            groups: Memo::new(),
            extenders: Memo::new(),
            fits: Memo::new(),
            promotions: Memo::new(),
            lineages: Memo::new(),
            ambient: OnceLock::new(),
            families_of: (0..count).map(|_| OnceLock::new()).collect(),
            linked_names: Mutex::default(),
        }
    }

    pub fn project_index(&self) -> &'w dyn ProjectIndex {
        self.project_index
    }

    /// The names of a file with their index; `None` where it cannot be read or parsed.
    pub fn file(&self, file: FileId) -> Option<&Arc<Indexed>> {
        let slot = self.indexed.get(file as usize)?;
        slot.get_or_init(|| self.project_index.indexed(file)).as_ref()
    }

    /// The names of a file.
    pub fn names(&self, file: FileId) -> Option<&Arc<Names>> {
        self.file(file).map(|indexed| indexed.names())
    }

    /// The family of a file's language.
    pub fn family(&self, file: FileId) -> Option<Family> {
        *self.families_of.get(file as usize)?.get_or_init(|| Family::of(self.project_index.language(file)?.name))
    }

    /// What finds the modules of a file's language.
    pub fn modules_of(&self, file: FileId) -> Option<&dyn Modules> {
        self.modules(file)
    }

    /// What an import's local name means.
    pub fn follow_import(&self, def: Def, walk: &mut Walk) -> Meaning {
        self.follow(def, walk)
    }

    /// What a name of an import's source means.
    pub fn linked_name(&self, file: FileId, import: ModuleImportId, name: NameId, walk: &mut Walk) -> Meaning {
        self.imported(file, import, Some(name), walk)
    }

    /// Whether a module is, as a whole, something that `test` holds of (`module.exports = f`).
    pub fn module_is(&self, file: FileId, test: impl Fn(&Referent) -> bool) -> bool {
        let mut seen = BTreeSet::from([file]);
        let mut next = vec![file];
        while let Some(file) = next.pop() {
            let Some((file, expr)) = self.module_value(&Module::File(file)) else { continue };
            for referent in self.define(file, expr, &mut Walk::new()).referents {
                match referent {
                    // It passes on what another one is: `module.exports = require('./lib/x')`.
                    Referent::Module(Module::File(other)) if seen.len() < MAX_VALUES && seen.insert(other) => {
                        next.push(other);
                    }
                    other if test(&other) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// The functions and types that a name has for its value, and whether bindings and declarations alone say so.
    pub fn callees_of(&self, meaning: &Meaning) -> (Vec<Def>, bool) {
        let values = self.values_of(meaning, &mut Walk::new());
        let defs = values.list.iter().filter_map(|value| match value {
            Value::Function(def) | Value::Type(def, _) => Some(self.canonical(*def)),
            _ => None,
        });
        (defs.collect(), values.sure)
    }

    /// The function without a declaration of its own that a definition holds: `exports.f = function () {}`.
    pub fn held_function(&self, def: Def) -> Option<Def> {
        let (held, _) = self.callees_of(&Meaning::one(Referent::Def(def)));
        let [one] = held.as_slice() else { return None };
        let binding = self.binding(*one).filter(|binding| binding.kind == BindingKind::Function)?;
        (*one != def && binding.body == Some(binding.scope)).then_some(*one)
    }

    /// Says what names mean to the linker: see [`Resolver::linkage`].
    pub fn import(&self, names: BTreeMap<String, Vec<Def>>) {
        self.linked_names.lock().unwrap_or_else(PoisonError::into_inner).extend(names);
    }

    fn modules(&self, file: FileId) -> Option<&dyn Modules> {
        Some(self.families.of(self.family(file)?, self.project_index))
    }

    fn binding(&self, def: Def) -> Option<&Binding> {
        self.names(def.file)?.bindings.get(def.binding as usize)
    }

    fn expr(&self, file: FileId, expr: ExprId) -> Expr {
        self.names(file).map_or(Expr::Unknown, |names| names.expr(expr))
    }

    fn text(&self, file: FileId, name: NameId) -> &str {
        self.names(file).map_or("", |names| names.text(name))
    }

    /// The definition that stands for all of one name in one scope.
    pub fn canonical(&self, def: Def) -> Def {
        let Some(indexed) = self.file(def.file) else { return def };
        let Some(binding) = indexed.names().bindings.get(def.binding as usize) else { return def };
        if binding.visible_from > 0 {
            return def;
        }
        let together = indexed.bound(binding.scope, binding.name);
        let apart = together.len() > 1 && Self::is_apart(together.iter().map(|id| indexed.binding(*id)));
        // A class of JavaScript can have a member of its own and one of its instances under one name.
        let two_sided = together.len() > 1 && self.family(def.file) == Some(Family::JavaScript);
        let first = together.iter().copied().find(|id| {
            let other = indexed.binding(*id);
            other.visible_from == 0
                && (other.kind == BindingKind::Import) == (binding.kind == BindingKind::Import)
                && !(apart && Sort::of(other) != Sort::of(binding))
                && !(two_sided && other.on_type != binding.on_type)
        });
        Def { file: def.file, binding: first.unwrap_or(def.binding) }
    }

    /// The definition that a definition stands for: itself, or what it only passes on, as a member of what a CommonJS
    /// module gives (`exports.f = f`, `module.exports = { f }`).
    pub fn original(&self, def: Def) -> Def {
        let mut at = self.canonical(def);
        for _ in 0..MAX_VALUES {
            match self.passed_on(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        at
    }

    fn passed_on(&self, def: Def) -> Option<Def> {
        let passed_on = self.file(def.file)?.passed_on();
        let at = passed_on.binary_search_by_key(&def.binding, |(binding, _)| *binding).ok()?;
        let meaning = self.define(def.file, passed_on.get(at)?.1, &mut Walk::new());
        if !meaning.sure || meaning.partial {
            return None;
        }
        let mut originals = meaning.referents.iter().map(|referent| match referent {
            Referent::Def(def) => Some(self.canonical(*def)),
            _ => None,
        });
        let original = originals.next()??;
        let is_lasting = self.binding(original).is_some_and(|binding| binding.kind != BindingKind::Parameter);
        (is_lasting && original != def && originals.all(|other| other == Some(original))).then_some(original)
    }

    /// What an occurrence means where it stands: in Rust a module or a field may have the name of a function, elsewhere
    /// a type that of a value.
    pub fn use_of(&self, file: FileId, occurrence: &Occurrence) -> Meaning {
        let mut meaning = self.occurrence(file, occurrence.target, occurrence.name);
        match self.family(file) {
            // An import takes all that has the name.
            Some(Family::Rust) if matches!(occurrence.role, Role::Import | Role::Export) => meaning,
            Some(Family::Rust) => {
                let called = occurrence.role == Role::Call;
                meaning = self.of_kind(meaning, called);
                if called && let Target::Expr(expr) = occurrence.target {
                    self.without_fields(file, expr, &mut meaning);
                }
                meaning
            }
            _ => {
                self.in_role(&mut meaning, occurrence.role);
                meaning
            }
        }
    }

    /// Whether bindings of one name are a type and a value that have nothing but the name in common: an interface and a
    /// constant. A class between them makes them one.
    fn is_apart<'a>(bindings: impl Iterator<Item = &'a Binding> + Clone) -> bool {
        bindings.clone().any(|binding| binding.type_only) && !bindings.clone().any(|b| Sort::of(b) == Sort::Both)
    }

    /// Leaves out of what a name in a certain role means what it cannot mean there: a value where a type is named.
    fn in_role(&self, meaning: &mut Meaning, role: Role) {
        let wrong = match role {
            Role::Type => Sort::Value,
            Role::Call | Role::Read | Role::Write | Role::Member | Role::Decorator => Sort::Type,
            Role::Definition | Role::Import | Role::Export => return,
        };
        let fits = |referent: &Referent| match referent {
            Referent::Def(def) => self.binding(*def).is_none_or(|binding| Sort::of(binding) != wrong),
            _ => true,
        };
        if meaning.referents.len() > 1 && meaning.referents.iter().any(fits) {
            meaning.referents.retain(fits);
        }
    }

    /// What an occurrence means. An import's local name means what the import does.
    pub fn occurrence(&self, file: FileId, target: Target, name: NameId) -> Meaning {
        let mut walk = Walk::new();
        let mut meaning = match target {
            Target::Binding(binding) => self.follow(Def { file, binding }, &mut walk),
            Target::Expr(expr) => self.define(file, expr, &mut walk),
            Target::Imported(import, Some(name)) => self.imported(file, import, Some(name), &mut walk),
            Target::Imported(import, None) => self.imported(file, import, None, &mut walk),
            Target::Parameter { callee } => self.parameter(file, callee, name, &mut walk),
            Target::Unknown => Meaning::default(),
        };
        meaning.partial |= walk.bounded;
        meaning
    }

    /// What an expression leads to as a name: the definition, not its value.
    pub fn define(&self, file: FileId, expr: ExprId, walk: &mut Walk) -> Meaning {
        walk.deeper(|walk| match self.expr(file, expr) {
            Expr::Name { name, scope, at } => self.look_up(file, scope, name, at, walk),
            Expr::Member { base, name, .. } => self.member(file, base, name, walk),
            Expr::Bound { binding } => self.follow(Def { file, binding }, walk),
            Expr::Imported { import } => self.imported(file, import, None, walk),
            Expr::Generic { base: Some(base), .. } => self.define(file, base, walk),
            Expr::ThisType { scope } => match self.this_type(file, scope, walk) {
                Some(def) => Meaning::of(vec![Referent::Def(def)], true),
                None => Meaning::default(),
            },
            Expr::Function { binding } => Meaning::of(vec![Referent::Def(Def { file, binding })], true),
            _ => Meaning::default(),
        })
    }

    /// The parameter called `name` of what `callee` calls, or the field where it makes an instance.
    fn parameter(&self, file: FileId, callee: ExprId, name: NameId, walk: &mut Walk) -> Meaning {
        let text = self.text(file, name).to_owned();
        let values = self.value(file, callee, walk);
        let mut meaning = Meaning::default();
        for value in &values.list {
            match value {
                Value::Function(def) => meaning.add(self.own_parameter(*def, &text, values.sure)),
                Value::Type(def, _) => {
                    let maker = ["__init__", "__new__", "constructor"].iter().find_map(|maker| {
                        let found = self.type_member(*def, maker, walk);
                        found.referents.into_iter().find_map(|referent| match referent {
                            Referent::Def(maker) => Some(maker),
                            _ => None,
                        })
                    });
                    match maker {
                        Some(maker) => meaning.add(self.own_parameter(maker, &text, values.sure)),
                        None => {
                            let mut field = self.type_member(*def, &text, walk);
                            field.sure &= values.sure;
                            field.partial |= values.partial;
                            meaning.add(field);
                        }
                    }
                }
                Value::External => meaning.add(Meaning::external()),
                _ => {}
            }
        }
        meaning
    }

    fn own_parameter(&self, function: Def, name: &str, sure: bool) -> Meaning {
        let Some(indexed) = self.file(function.file) else { return Meaning::default() };
        let body = indexed.binding(function.binding).body;
        let found = body.map_or(&[][..], |body| indexed.bound_text(body, name));
        let found = found.iter().filter(|id| indexed.binding(**id).kind == BindingKind::Parameter);
        let defs = found.map(|id| Referent::Def(Def { file: function.file, binding: *id })).collect();
        Meaning::of(defs, sure)
    }
}
