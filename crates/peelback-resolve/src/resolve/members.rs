//! The members of types: their own, those of extensions, those of their bases.

use std::collections::BTreeSet;
use std::sync::Arc;

use peelback_syntax::names::{BindingKind, Expr, ExprId, Extension, NameId, ScopeId, ScopeKind, Span};

use super::{Def, MAX_VALUES, Meaning, Referent, Resolver, Value, Values, Walk};
use crate::modules::{Family, FileId};

/// An extension: its file, and its place among the extensions there.
pub(super) type Extender = (FileId, usize);

impl Resolver<'_> {
    /// What `base.name` leads to.
    pub(super) fn member(&self, file: FileId, base: ExprId, name: NameId, walk: &mut Walk) -> Meaning {
        let text = self.text(file, name);
        self.member_of_expr(file, base, text, walk)
    }

    pub(super) fn member_of_expr(&self, file: FileId, base: ExprId, text: &str, walk: &mut Walk) -> Meaning {
        walk.deeper(|walk| {
            // What stands before the dot may be more than its value: an object that members were added to.
            let named = matches!(self.expr(file, base), Expr::Name { .. } | Expr::Member { .. });
            let defined = if named { self.define(file, base, walk) } else { Meaning::default() };
            let mut meaning = Meaning::default();
            if let Expr::Instance { of } = self.expr(file, base) {
                meaning = self.variant_member(file, of, text, walk);
                if !meaning.is_empty() {
                    return meaning;
                }
            }
            for referent in &defined.referents {
                match referent {
                    Referent::Def(def) => {
                        let mut added = self.extension_member(*def, text, walk);
                        added.sure &= defined.sure;
                        added.partial |= defined.partial;
                        meaning.add(added);
                    }
                    Referent::Module(module) => {
                        let mut given = self.given(module, text, walk);
                        given.sure &= defined.sure;
                        given.partial |= defined.partial;
                        meaning.add(given);
                    }
                    Referent::Value(..) | Referent::External => {}
                }
            }
            if !meaning.is_empty() {
                return meaning;
            }
            let values = self.value(file, base, walk);
            meaning.partial |= values.partial;
            let python = self.family(file) == Some(Family::Python);
            for value in &values.list {
                let mut found = match value {
                    // Lists and the like are the language's own, whatever they hold.
                    Value::Bag(_) | Value::Tuple(_) if python => Meaning::external(),
                    _ => self.member_of(value, text, walk),
                };
                found.sure &= values.sure;
                found.partial |= values.partial;
                meaning.add(found);
            }
            if meaning.referents.iter().all(|referent| *referent == Referent::External)
                && !defined.referents.contains(&Referent::External)
                && let Some(found) = self.foreign_member(file, &values, text, walk)
            {
                return found;
            }
            // A member of one of several possible values, and of nothing that is known.
            if values.list.len() > 1 && meaning.referents.contains(&Referent::External) {
                let project = meaning.referents.iter().any(|referent| *referent != Referent::External);
                if project {
                    meaning.referents.retain(|referent| *referent != Referent::External);
                }
            }
            meaning
        })
    }

    /// The field called `text` of a variant of an enum.
    fn variant_member(&self, file: FileId, variant: ExprId, text: &str, walk: &mut Walk) -> Meaning {
        let defined = self.define(file, variant, walk);
        let mut meaning = Meaning::default();
        for referent in &defined.referents {
            let Referent::Def(def) = referent else { continue };
            let Some(indexed) = self.file(def.file) else { continue };
            let binding = indexed.binding(def.binding);
            if let (BindingKind::EnumMember, Some(body)) = (binding.kind, binding.body) {
                let bound = indexed.bound_text(body, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: def.file, binding: *id })).collect();
                meaning.add(Meaning::of(defs, defined.sure));
            }
        }
        meaning
    }

    /// The member called `text` of a value.
    pub(super) fn member_of(&self, value: &Value, text: &str, walk: &mut Walk) -> Meaning {
        match value {
            Value::Instance(def, _) | Value::Type(def, _) => {
                let found = walk.deeper(|walk| self.type_member(*def, text, walk));
                self.of_side(found, matches!(value, Value::Type(..)))
            }
            Value::Object(file, scope) => {
                let Some(indexed) = self.file(*file) else { return Meaning::default() };
                let bound = indexed.bound_text(*scope, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: *file, binding: *id })).collect();
                Meaning::of(defs, true)
            }
            Value::Module(module) => {
                let given = walk.deeper(|walk| self.given(module, text, walk));
                if !given.is_empty() {
                    return given;
                }
                Meaning::default()
            }
            Value::Function(def) => self.extension_member(*def, text, walk),
            Value::Parameter(def) => {
                let bound = self.binding(*def).and_then(|binding| binding.annotation);
                let Some(bound) = bound else { return Meaning::default() };
                let values = walk.deeper(|walk| self.instance(def.file, bound, walk));
                let mut meaning = Meaning::default();
                for value in &values.list {
                    meaning.add(self.member_of(value, text, walk));
                }
                meaning
            }
            Value::Bag(values) => {
                let mut meaning = Meaning::default();
                for value in values.iter() {
                    let mut found = walk.deeper(|walk| self.member_of(value, text, walk));
                    found.referents.retain(|referent| *referent != Referent::External);
                    meaning.add(found);
                }
                meaning.sure = false;
                meaning
            }
            Value::Tuple(_) => Meaning::default(),
            Value::External => Meaning::external(),
        }
    }

    /// The member called `text` of a type: its own, an extension's, or its nearest base's that has one.
    pub fn type_member(&self, def: Def, text: &str, walk: &mut Walk) -> Meaning {
        let key = (def, Box::from(text));
        if let Some(known) = self.members.get(&key) {
            return known;
        }
        let before = std::mem::replace(&mut walk.cut, false);
        let found = walk.deeper(|walk| self.seek_member(def, text, walk));
        if !walk.cut {
            self.members.put(key, found.clone());
        }
        walk.cut |= before;
        found
    }

    fn seek_member(&self, def: Def, text: &str, walk: &mut Walk) -> Meaning {
        let Some(indexed) = self.file(def.file) else { return Meaning::default() };
        let binding = indexed.binding(def.binding);
        match binding.kind {
            BindingKind::TypeAlias => {
                let Some(meant) = binding.annotation else { return Meaning::default() };
                let values = self.instance(def.file, meant, walk);
                let mut meaning = Meaning { partial: values.partial, ..Meaning::default() };
                for value in &values.list {
                    meaning.add(self.member_of(value, text, walk));
                }
                return meaning;
            }
            BindingKind::TypeParameter => return self.member_of(&Value::Parameter(def), text, walk),
            BindingKind::Module => {
                let Some(body) = binding.body else { return Meaning::default() };
                return self.given(&crate::modules::Module::Scope(def.file, body), text, walk);
            }
            _ => {}
        }
        let mut own = self.own_member(def, text, walk);
        let is_rust = self.family(def.file) == Some(Family::Rust);
        if own.is_empty() {
            own = self.inherited(def, text, walk);
        }
        let nothing = own.referents.iter().all(|referent| *referent == Referent::External);
        if is_rust && nothing && text != TARGET {
            let target = self.pointed(def, walk);
            for value in &target.list {
                let found = walk.deeper(|walk| self.member_of(value, text, walk));
                if !found.is_empty() && *value != Value::External {
                    own = found;
                }
            }
        }
        own
    }

    /// The member called `text` of a type, where it is its own or an extension's.
    fn own_member(&self, def: Def, text: &str, walk: &mut Walk) -> Meaning {
        let Some(indexed) = self.file(def.file) else { return Meaning::default() };
        let mut own = Meaning::default();
        for part in self.together(def) {
            // What a function binds inside itself is no member of it.
            let body = indexed.binding(part).body.filter(|body| indexed.kind(*body) != ScopeKind::Function);
            if let Some(body) = body {
                let bound = indexed.bound_text(body, text);
                let defs = bound.iter().map(|id| Referent::Def(Def { file: def.file, binding: *id })).collect();
                own.add(Meaning::of(defs, true));
            }
        }
        // In Rust a field and a method may have one name.
        if own.is_empty() || self.family(def.file) == Some(Family::Rust) {
            own.add(self.extension_member(def, text, walk));
        }
        own
    }

    /// What a type that points to something (`impl Deref`) points to.
    fn pointed(&self, def: Def, walk: &mut Walk) -> Values {
        let found = walk.deeper(|walk| self.extension_member(def, TARGET, walk));
        let mut values = Values::default();
        for referent in &found.referents {
            if let Referent::Def(alias) = referent
                && let Some(meant) = self.binding(*alias).and_then(|binding| binding.annotation)
            {
                let meant = walk.deeper(|walk| self.instance(alias.file, meant, walk));
                values.list.extend(meant.list);
            }
        }
        values
    }

    /// Of several members of one name of JavaScript, those of the type itself, or those of its instances.
    fn of_side(&self, mut found: Meaning, on_type: bool) -> Meaning {
        if found.referents.len() > 1 {
            let fits = |referent: &Referent| match referent {
                Referent::Def(def) if self.family(def.file) == Some(Family::JavaScript) => {
                    self.binding(*def).is_none_or(|binding| binding.on_type == on_type)
                }
                _ => true,
            };
            if found.referents.iter().any(fits) {
                found.referents.retain(fits);
            }
        }
        found
    }

    /// Of several members of one name, those that can be called, or those that can not; all where that parts nothing.
    pub fn of_kind(&self, mut meaning: Meaning, called: bool) -> Meaning {
        if meaning.referents.len() > 1 {
            let fits = |referent: &Referent| {
                let kind = match referent {
                    Referent::Def(def) => self.binding(*def).map(|binding| binding.kind),
                    _ => None,
                };
                (kind == Some(BindingKind::Function)) == called
            };
            if meaning.referents.iter().any(fits) {
                meaning.referents.retain(fits);
            }
        }
        meaning
    }

    /// Whether a member is what a type gives for `of`, a member of a trait.
    pub fn implements(&self, def: Def, of: Def, walk: &mut Walk) -> bool {
        let (Some(binding), Some(wanted)) = (self.binding(def), self.binding(of)) else { return false };
        if self.text(def.file, binding.name) != self.text(of.file, wanted.name) {
            return false;
        }
        let Some(names) = self.names(def.file) else { return false };
        let Some(extension) = names.extensions.iter().find(|extension| extension.scope == binding.scope) else {
            return false;
        };
        let (Some(implements), Some(holder)) = (extension.implements, self.holder(of, walk)) else { return false };
        let meaning = self.define(def.file, implements, walk);
        meaning.referents.iter().any(|referent| match referent {
            Referent::Def(found) => self.canonical(self.as_type(*found, walk)) == holder,
            _ => false,
        })
    }

    /// The member called `text` that a type has from its bases, or from the traits that it implements.
    pub(super) fn inherited(&self, def: Def, text: &str, walk: &mut Walk) -> Meaning {
        let mut external = false;
        for (file, base) in self.bases(def, walk) {
            let mut defined = self.define(file, base, walk);
            if defined.is_empty() && self.family(file) == Some(Family::JavaScript) {
                // A class that a function makes: `extends mixin(Base)`.
                for value in walk.deeper(|walk| self.instance(file, base, walk)).list {
                    if let Value::Instance(made, _) = value {
                        defined.referents.push(Referent::Def(made));
                    }
                }
            }
            for referent in defined.referents {
                match referent {
                    Referent::Def(base) if base != def => {
                        let base = self.as_type(base, walk);
                        let found = walk.deeper(|walk| self.type_member(base, text, walk));
                        if found.referents.iter().any(|referent| *referent != Referent::External) {
                            return found;
                        }
                        external |= !found.is_empty();
                    }
                    Referent::External => external = true,
                    _ => {}
                }
            }
        }
        let mut found = if external { Meaning::external() } else { Meaning::default() };
        // Which members a trait from outside has is not known: a macro may as well have made this one.
        found.partial = external && self.family(def.file) == Some(Family::Rust) && !super::rust::is_usual(text);
        found
    }

    /// The type that a variable stands for (`Base = make_base()`), or a field (`exports.Base = Base`), or the definition
    /// itself.
    fn as_type(&self, def: Def, walk: &mut Walk) -> Def {
        let kind = self.binding(def).map(|binding| binding.kind);
        if !matches!(kind, Some(BindingKind::Variable | BindingKind::Field)) {
            return def;
        }
        let values = self.value_of(def, walk);
        let meant = values.list.iter().find_map(|value| match value {
            Value::Type(meant, _) => Some(*meant),
            _ => None,
        });
        meant.unwrap_or(def)
    }

    /// The types that a type extends or implements, as expressions of the files that say so.
    pub(super) fn bases(&self, def: Def, walk: &mut Walk) -> Vec<(FileId, ExprId)> {
        let Some(indexed) = self.file(def.file) else { return Vec::new() };
        let mut bases = Vec::new();
        // Those of a function are what it is called with.
        let functions = !matches!(self.family(def.file), Some(Family::Go | Family::Rust));
        for part in self.together(def) {
            let binding = indexed.binding(part);
            let span = if functions || binding.kind != BindingKind::Function { binding.bases } else { Span::default() };
            bases.extend(indexed.names().list(span).iter().map(|base| (def.file, *base)));
        }
        for (file, extension) in self.extensions(def, walk) {
            let extension = self.names(file).and_then(|names| names.extensions.get(extension));
            if let Some(implements) = extension.and_then(|extension| extension.implements) {
                bases.push((file, implements));
            }
        }
        bases
    }

    /// The bindings that are one with a definition: of one name in one scope, holding everywhere.
    fn together(&self, def: Def) -> Vec<u32> {
        let Some(indexed) = self.file(def.file) else { return Vec::new() };
        let binding = indexed.binding(def.binding);
        if binding.visible_from > 0 {
            return vec![def.binding];
        }
        let all = indexed.bound(binding.scope, binding.name);
        let all: Vec<u32> = all.iter().copied().filter(|id| indexed.binding(*id).body.is_some()).collect();
        if all.contains(&def.binding) { all } else { vec![def.binding] }
    }

    /// The member called `text` that extensions give to a type or object.
    pub(super) fn extension_member(&self, def: Def, text: &str, walk: &mut Walk) -> Meaning {
        let mut meaning = Meaning::default();
        for (file, extension) in self.extensions(def, walk) {
            let Some(indexed) = self.file(file) else { continue };
            let Some(extension) = indexed.names().extensions.get(extension) else { continue };
            let bound = indexed.bound_text(extension.scope, text);
            let defs: Vec<Referent> = bound.iter().map(|id| Referent::Def(Def { file, binding: *id })).collect();
            // An inherent member hides one of a trait.
            if !defs.is_empty() && extension.implements.is_none() {
                return Meaning::of(defs, true);
            }
            meaning.add(Meaning::of(defs, true));
        }
        meaning
    }

    /// The extensions of a definition: of its own file, and of the files that may extend it.
    pub(super) fn extensions(&self, def: Def, walk: &mut Walk) -> Vec<Extender> {
        let Some(indexed) = self.file(def.file) else { return Vec::new() };
        let name = indexed.names().text(indexed.binding(def.binding).name);
        let canonical = self.canonical(def);
        let mut found = Vec::new();
        for (file, extension) in self.extenders_of(def.file, name).iter() {
            let Some(names) = self.names(*file) else { continue };
            let Some(target) = names.extensions.get(*extension).map(|extension| extension.target) else { continue };
            let meaning = walk.deeper(|walk| self.define(*file, self.bare(*file, target), walk));
            let hits = |referent: &Referent| match referent {
                Referent::Def(target) => self.canonical(*target) == canonical,
                _ => false,
            };
            if meaning.referents.iter().any(hits) {
                found.push((*file, *extension));
            }
        }
        found
    }

    /// The type without its arguments.
    pub(super) fn bare(&self, file: FileId, expr: ExprId) -> ExprId {
        match self.expr(file, expr) {
            Expr::Generic { base: Some(base), .. } => base,
            Expr::Generic { base: None, args } => {
                self.names(file).and_then(|names| names.list(args).last().copied()).unwrap_or(expr)
            }
            _ => expr,
        }
    }

    /// The extensions, in the files that may extend what `file` defines, of types of one simple name.
    fn extenders_of(&self, file: FileId, name: &str) -> Arc<[Extender]> {
        let files = self.group_of(file);
        let asked = (files.first().copied().unwrap_or(file), name.into());
        if let Some(known) = self.extenders.get(&asked) {
            return known;
        }
        let holders = files.iter().filter(|file| self.project_index().may_hold(**file, name));
        let extenders = holders.flat_map(|file| {
            let extensions = self.names(*file).map_or(&[][..], |names| &names.extensions);
            let of_name = |(_, extension): &(usize, &Extension)| self.target_name(*file, extension) == Some(name);
            extensions.iter().enumerate().filter(of_name).map(|(index, _)| (*file, index))
        });
        let made: Arc<[Extender]> = extenders.collect();
        self.extenders.put(asked, made.clone());
        made
    }

    /// The simple name of the type that an extension is about.
    fn target_name(&self, file: FileId, extension: &Extension) -> Option<&str> {
        let names = self.names(file)?;
        match names.expr(self.bare(file, extension.target)) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(names.text(name)),
            Expr::Bound { binding } => names.bindings.get(binding as usize).map(|binding| names.text(binding.name)),
            _ => None,
        }
    }

    /// The files that may extend what a file defines.
    pub(super) fn group_of(&self, file: FileId) -> Arc<[FileId]> {
        if let Some(known) = self.groups.get(&file) {
            return known;
        }
        let files = self.modules(file).map_or_else(Vec::new, |modules| modules.extenders(self.project_index(), file));
        let files = if files.is_empty() { vec![file] } else { files };
        // One list serves all files of a group.
        let first = files.first().copied().unwrap_or(file);
        let made = self.groups.get(&first).unwrap_or_else(|| files.into());
        self.groups.put(first, made.clone());
        self.groups.put(file, made.clone());
        made
    }

    /// The type whose members' scope is the nearest around `scope`.
    pub(super) fn this_type(&self, file: FileId, scope: ScopeId, walk: &mut Walk) -> Option<Def> {
        let indexed = self.file(file)?;
        let members = indexed.type_scope(scope)?;
        if let Some(owner) = indexed.owner(members) {
            return Some(Def { file, binding: owner });
        }
        let extension = indexed.names().extensions.iter().find(|extension| extension.scope == members)?;
        let meaning = self.define(file, self.bare(file, extension.target), walk);
        meaning.referents.into_iter().find_map(|referent| match referent {
            Referent::Def(def) => Some(def),
            _ => None,
        })
    }

    /// `this` where no type is around: the object whose members' scope is the nearest.
    pub(super) fn this_object(&self, file: FileId, scope: ScopeId, walk: &mut Walk) -> Values {
        if let Some(own) = self.extended(file, scope, walk) {
            return own;
        }
        if let Some(def) = self.this_type(file, scope, walk) {
            return Values::one(Value::Instance(def, None), true);
        }
        let members = self.file(file).and_then(|indexed| indexed.type_scope(scope));
        members.map_or_else(Values::default, |members| Values::one(Value::Object(file, members), true))
    }

    /// Whether two definitions are members of one name of types of which one is a base of the other.
    pub fn overrides(&self, one: Def, other: Def, walk: &mut Walk) -> bool {
        let (Some(first), Some(second)) = (self.holder(one, walk), self.holder(other, walk)) else { return false };
        self.derives(first, second, 0, walk) || self.derives(second, first, 0, walk)
    }

    /// A member with those of its name in the types that its own type extends and implements, at any depth: what it
    /// overrides or implements.
    pub fn lineage(&self, member: Def, walk: &mut Walk) -> Arc<BTreeSet<Def>> {
        let member = self.canonical(member);
        if let Some(known) = self.lineages.get(&member) {
            return known;
        }
        let before = std::mem::replace(&mut walk.cut, false);
        let mut found = BTreeSet::from([member]);
        self.ancestors(member, &mut found, walk);
        let found = Arc::new(found);
        if !walk.cut {
            self.lineages.put(member, found.clone());
        }
        walk.cut |= before;
        found
    }

    fn ancestors(&self, member: Def, found: &mut BTreeSet<Def>, walk: &mut Walk) {
        let (Some(binding), Some(holder)) = (self.binding(member), self.holder(member, walk)) else { return };
        let text = self.text(member.file, binding.name);
        if binding.private && text.starts_with('#') || text == "constructor" {
            return;
        }
        let mut seen = BTreeSet::from([holder]);
        let mut next = vec![holder];
        while let Some(def) = next.pop() {
            for (file, base) in self.bases(def, walk) {
                for value in walk.deeper(|walk| self.instance(file, base, walk)).list {
                    let own = match value {
                        Value::Instance(base, _) | Value::Type(base, _) => {
                            let base = self.canonical(base);
                            if seen.len() >= MAX_LINEAGE || !seen.insert(base) {
                                continue;
                            }
                            next.push(base);
                            self.own_member(base, text, walk)
                        }
                        Value::Object(..) => self.member_of(&value, text, walk),
                        _ => continue,
                    };
                    let same_side = |def: &Def| self.binding(*def).is_none_or(|other| other.on_type == binding.on_type);
                    let own = own.referents.into_iter().filter_map(|referent| match referent {
                        Referent::Def(def) => Some(self.canonical(def)),
                        _ => None,
                    });
                    found.extend(own.filter(same_side));
                }
            }
        }
    }

    /// The type that a definition is a member of.
    pub fn holder(&self, def: Def, walk: &mut Walk) -> Option<Def> {
        let scope = self.binding(def)?.scope;
        let indexed = self.file(def.file)?;
        (indexed.kind(scope) == ScopeKind::Type)
            .then(|| self.this_type(def.file, scope, walk))
            .flatten()
            .map(|holder| self.canonical(holder))
    }

    /// Whether a type has another one among its bases, at any depth.
    pub fn derives(&self, def: Def, base: Def, depth: usize, walk: &mut Walk) -> bool {
        if depth > MAX_BASES {
            return false;
        }
        for (file, expr) in self.bases(def, walk) {
            let meaning = self.define(file, expr, walk);
            for referent in meaning.referents {
                if let Referent::Def(found) = referent {
                    let found = self.canonical(self.as_type(found, walk));
                    if found == base || (found != def && self.derives(found, base, depth + 1, walk)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// The associated type that says what a pointer of Rust points to.
const TARGET: &str = "Target";

/// How many types a member's lineage is followed through.
const MAX_LINEAGE: usize = 64;

/// How far up bases are followed.
const MAX_BASES: usize = MAX_VALUES * 2;
