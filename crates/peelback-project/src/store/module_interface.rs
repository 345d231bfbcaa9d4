//! The module interface of a file: the names that other files can see, and the imports of the file. The interface is
//! small, and the dependency graph needs nothing else.

use std::collections::HashMap;

use peelback_syntax::names::{
    Binding, BindingId, BindingKind, Export, Exported, Expr, ModuleImport, NameId, Names, Scope, ScopeId, ScopeKind,
    Span,
};

/// The module interface of `names`: imports, exports, modules and the names bound in them, with the enclosing scopes,
/// under new ids. It omits expressions, occurrences, the contents of functions and types, and positions.
pub(super) fn extract_module_interface(names: &Names) -> Names {
    let mut extractor = InterfaceExtractor {
        names,
        new_name_ids: HashMap::new(),
        new_scope_ids: HashMap::new(),
        module_interface: Names::default(),
    };
    extractor.module_interface.exprs.push(Expr::Unknown);
    extractor.copy_scopes_to_interface();
    extractor.copy_bindings_to_interface();
    let imports = names.imports.iter().map(|import| extractor.copy_import_with_new_ids(import)).collect();
    let exports = names
        .exports
        .as_ref()
        .map(|exports| exports.iter().map(|export| extractor.copy_export_with_new_ids(export)).collect());
    let star =
        names.star.as_ref().map(|star| star.iter().map(|name| extractor.copy_name_to_interface(*name)).collect());
    let package = names.package.map(|package| extractor.copy_name_to_interface(package));
    let facade = names.facade.map(|facade| extractor.copy_name_to_interface(facade));
    Names {
        imports,
        exports,
        star,
        package,
        facade,
        missed: names.missed.clone(),
        basic: names.basic,
        begins_program: names.begins_program,
        ..extractor.module_interface
    }
}

/// Whether two module interfaces result in equal dependencies, because they differ at most in line numbers.
pub fn are_module_interfaces_equal_except_lines(a: &Names, b: &Names) -> bool {
    let compared_fields = |names: &'_ Names| (names.star.clone(), names.package, names.basic, names.imports.len());
    let is_same_import = |(a, b): (&ModuleImport, &ModuleImport)| {
        let without_line = |import: &ModuleImport| ModuleImport { line: 0, ..import.clone() };
        without_line(a) == without_line(b)
    };
    compared_fields(a) == compared_fields(b)
        && a.strings == b.strings
        && a.scopes == b.scopes
        && a.bindings == b.bindings
        && a.exports == b.exports
        && a.imports.iter().zip(&b.imports).all(is_same_import)
}

struct InterfaceExtractor<'a> {
    names: &'a Names,
    new_name_ids: HashMap<NameId, NameId>,
    new_scope_ids: HashMap<ScopeId, ScopeId>,
    module_interface: Names,
}

impl InterfaceExtractor<'_> {
    fn copy_name_to_interface(&mut self, name: NameId) -> NameId {
        let strings = &mut self.module_interface.strings;
        *self.new_name_ids.entry(name).or_insert_with(|| {
            strings.push(self.names.name_text(name).into());
            NameId::try_from(strings.len() - 1).unwrap_or(0)
        })
    }

    /// Copies scopes to the interface: those of modules at any depth inside modules, and those around imports.
    fn copy_scopes_to_interface(&mut self) {
        let scopes = &self.names.scopes;
        let mut kept = vec![false; scopes.len()];
        for (at, scope) in scopes.iter().enumerate() {
            // A scope comes after its parent, so the parent is already decided.
            let is_parent_kept = scope.parent.is_none_or(|parent| kept.get(parent as usize) == Some(&true));
            if let Some(kept) = kept.get_mut(at) {
                *kept = is_parent_kept && matches!(scope.kind, ScopeKind::File | ScopeKind::Module);
            }
        }
        for import in &self.names.imports {
            let mut scope = Some(import.scope);
            while let Some(at) = scope {
                match kept.get_mut(at as usize) {
                    Some(kept) if !*kept => *kept = true,
                    _ => break,
                }
                scope = scopes.get(at as usize).and_then(|scope| scope.parent);
            }
        }
        for (at, scope) in (0..).zip(scopes).filter(|(at, _)| kept.get(*at as usize) == Some(&true)) {
            let parent = scope.parent.and_then(|parent| self.new_scope_ids.get(&parent).copied());
            self.new_scope_ids.insert(at, ScopeId::try_from(self.module_interface.scopes.len()).unwrap_or(0));
            self.module_interface.scopes.push(Scope { parent, kind: scope.kind, owner: None, bytes: 0..0 });
        }
    }

    fn copy_bindings_to_interface(&mut self) {
        for binding in &self.names.bindings {
            let Some(scope) = self.new_scope_ids.get(&binding.scope).copied() else { continue };
            let kind = self.module_interface.scopes.get(scope as usize).map(|scope| scope.kind);
            let is_open = matches!(kind, Some(ScopeKind::File | ScopeKind::Module));
            // A binding in a function that contains an import is kept only if the path of another import may begin with
            // its name.
            let begins_paths = matches!(
                binding.kind,
                BindingKind::Import | BindingKind::Module | BindingKind::Type | BindingKind::TypeAlias
            );
            if !is_open && !begins_paths {
                continue;
            }
            let id = BindingId::try_from(self.module_interface.bindings.len()).unwrap_or(0);
            let body = binding.body.and_then(|body| self.new_scope_ids.get(&body).copied());
            if let Some(body) = body.and_then(|body| self.module_interface.scopes.get_mut(body as usize)) {
                body.owner = Some(id);
            }
            let name = self.copy_name_to_interface(binding.name);
            let import =
                binding.import.map(|(import, name)| (import, name.map(|name| self.copy_name_to_interface(name))));
            self.module_interface.bindings.push(Binding {
                name,
                scope,
                at: 0,
                visible_from: 0,
                kind: binding.kind,
                body,
                annotation: None,
                values: Span::default(),
                bases: Span::default(),
                import,
                private: binding.private,
                type_only: binding.type_only,
                on_type: binding.on_type,
                wrapped: binding.wrapped,
                constant: binding.constant,
            });
        }
    }

    fn copy_import_with_new_ids(&mut self, import: &ModuleImport) -> ModuleImport {
        let scope = self.new_scope_ids.get(&import.scope).copied().unwrap_or(0);
        let names = import.names.iter().map(|name| self.copy_name_to_interface(*name)).collect();
        ModuleImport { source: self.copy_name_to_interface(import.source), scope, names, ..import.clone() }
    }

    fn copy_export_with_new_ids(&mut self, export: &Export) -> Export {
        let what = match export.what {
            Exported::Expr(_) => Exported::Expr(0),
            Exported::Module(_) => Exported::Module(0),
            Exported::From(import, name) => Exported::From(import, name.map(|name| self.copy_name_to_interface(name))),
            Exported::AllOf(import) => Exported::AllOf(import),
        };
        Export { name: self.copy_name_to_interface(export.name), at: 0, what }
    }
}

#[cfg(test)]
mod tests {
    use peelback_syntax::names::{
        Binding, BindingKind, FILE_SCOPE, ModuleImport, ModuleImportKind, NameId, Names, Scope, ScopeKind, Span,
    };

    use super::{are_module_interfaces_equal_except_lines, extract_module_interface};

    fn scope(parent: Option<u32>, kind: ScopeKind) -> Scope {
        Scope { parent, kind, owner: None, bytes: 0..9 }
    }

    fn binding(name: NameId, scope: u32, kind: BindingKind) -> Binding {
        Binding {
            name,
            scope,
            at: 7,
            visible_from: 0,
            kind,
            body: None,
            annotation: Some(0),
            values: Span::default(),
            bases: Span::default(),
            import: None,
            private: false,
            type_only: false,
            on_type: false,
            wrapped: false,
            constant: false,
        }
    }

    /// The names of `mod inner { fn f() { use a::b; let x; } }` and of a class with a member.
    fn names() -> Names {
        let scopes = vec![
            scope(None, ScopeKind::File),
            scope(Some(0), ScopeKind::Type),
            scope(Some(0), ScopeKind::Module),
            scope(Some(2), ScopeKind::Function),
            scope(Some(3), ScopeKind::Block),
        ];
        let module_import = ModuleImport {
            kind: ModuleImportKind::Import,
            source: 5,
            special: false,
            names: vec![6],
            glob: false,
            scope: 4,
            line: 3,
        };
        let import = Binding { import: Some((0, Some(6))), ..binding(6, 4, BindingKind::Import) };
        let inner = Binding { body: Some(2), ..binding(2, FILE_SCOPE, BindingKind::Module) };
        Names {
            strings: ["Class", "member", "inner", "f", "x", "a", "b"].map(Into::into).into(),
            scopes,
            bindings: vec![
                binding(0, FILE_SCOPE, BindingKind::Type),
                binding(1, 1, BindingKind::Field),
                inner,
                binding(3, 2, BindingKind::Function),
                binding(4, 4, BindingKind::Variable),
                import,
            ],
            imports: vec![module_import],
            ..Names::default()
        }
    }

    #[test]
    fn what_others_can_see_stays_and_ids_agree() {
        let module_interface = extract_module_interface(&names());
        let kept: Vec<(&str, ScopeKind)> = module_interface
            .bindings
            .iter()
            .map(|binding| {
                (module_interface.name_text(binding.name), module_interface.scopes[binding.scope as usize].kind)
            })
            .collect();
        let expected =
            [("Class", ScopeKind::File), ("inner", ScopeKind::File), ("f", ScopeKind::Module), ("b", ScopeKind::Block)];
        assert_eq!(kept, expected);
        let import = &module_interface.imports[0];
        assert_eq!(
            (module_interface.name_text(import.source), module_interface.name_text(import.names[0])),
            ("a", "b")
        );
        let mut around = Vec::new();
        let mut at = Some(import.scope);
        while let Some(scope) = at {
            around.push(module_interface.scopes[scope as usize].kind);
            at = module_interface.scopes[scope as usize].parent;
        }
        assert_eq!(around, [ScopeKind::Block, ScopeKind::Function, ScopeKind::Module, ScopeKind::File]);
        let inner = module_interface.bindings[1].body.expect("its scope");
        assert_eq!(module_interface.scopes[inner as usize].owner, Some(1));
        assert!(module_interface.strings.iter().all(|text| !matches!(&**text, "member" | "x")));
    }

    #[test]
    fn lines_and_bodies_do_not_change_the_shape() {
        let before = extract_module_interface(&names());
        let mut moved = names();
        moved.imports[0].line = 9;
        moved.bindings[4].name = 1;
        assert!(are_module_interfaces_equal_except_lines(&before, &extract_module_interface(&moved)));
        moved.imports[0].names.clear();
        assert!(!are_module_interfaces_equal_except_lines(&before, &extract_module_interface(&moved)));
    }
}
