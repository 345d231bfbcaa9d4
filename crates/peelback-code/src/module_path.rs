//! Names whose first parts are no symbols: the modules, files, packages and crates around a symbol, as code writes them
//! (`auto_pairs::hook` of `auto_pairs.rs`, `binding.JSON` of a Go package, `flask.app.Flask`).

use crate::lookup::SymbolNameQuery;

/// First parts of a path that name no module of their own.
const ROOT_WORDS: [&str; 3] = ["crate", "self", "super"];

/// The maximum number of parts of a name that is read in this way.
const MAX_PARTS: usize = 12;

/// The shortest folder name that may stand for a longer package name, as `searcher` for `grep_searcher`.
const MIN_SHORTENED_NAME_CHARS: usize = 3;

/// One way to read a name: the first parts as modules, the rest as the whole qualified name of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModulePathName {
    modules: Vec<String>,
    symbol_name: String,
}

impl ModulePathName {
    /// The ways to read a name with several parts, that with the longest name of a symbol first. None for a name with a
    /// line, or one whose whole qualified name is required.
    pub fn ways_to_read(name: &SymbolNameQuery) -> Vec<Self> {
        let Some(dotted) = name.dotted_name_without_line() else { return Vec::new() };
        let parts: Vec<&str> = dotted.split('.').filter(|part| !part.is_empty()).collect();
        let is_root = |part: &&&str| ROOT_WORDS.contains(*part) || part.starts_with('@');
        let roots = parts.iter().take_while(is_root).count();
        let parts = parts.get(roots..).unwrap_or_default();
        if parts.len() > MAX_PARTS || parts.last() != Some(&name.last_part()) {
            return Vec::new();
        }
        let first = usize::from(roots == 0);
        (first..parts.len())
            .filter_map(|at| {
                let (modules, symbol) = parts.split_at_checked(at)?;
                let modules = modules.iter().map(|part| part.replace('-', "_")).collect();
                Some(Self { modules, symbol_name: symbol.join(".") })
            })
            .collect()
    }

    /// The name of the symbol.
    pub fn symbol_name(&self) -> &str {
        &self.symbol_name
    }

    /// The symbol as a query for its whole qualified name.
    pub fn symbol(&self) -> SymbolNameQuery {
        SymbolNameQuery::new(&self.symbol_name).requiring_exact_qualified_name()
    }

    /// How well the modules fit the path of a file: the number of folders and files of the path, from its end, that no
    /// module names. `None` where a module is no part of the path. `root_name` is the name of the project's root.
    pub fn unnamed_parts_of_path(&self, root_name: &str, path: &str) -> Option<usize> {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let folders = folders.split('/').filter(|folder| !folder.is_empty());
        let parts: Vec<String> = std::iter::once(root_name)
            .chain(folders)
            .chain(std::iter::once(if stem.is_empty() { file } else { stem }))
            .map(|part| part.replace('-', "_"))
            .collect();
        let mut parts = parts.iter().rev().enumerate();
        let mut unnamed = 0;
        for (index, module) in self.modules.iter().enumerate().rev() {
            // The folder of a package, never a file.
            let is_shortened = |place: usize, part: &String| {
                index == 0
                    && place > 0
                    && part.len() >= MIN_SHORTENED_NAME_CHARS
                    && module.strip_suffix(part.as_str()).is_some_and(|project| project.ends_with('_'))
            };
            while !parts.next().map(|(place, part)| part == module || is_shortened(place, part))? {
                unnamed += 1;
            }
        }
        Some(unnamed)
    }
}

#[cfg(test)]
mod tests {
    use super::ModulePathName;
    use crate::lookup::SymbolNameQuery;

    /// How well a name, read as modules before `symbol`, fits a path.
    fn fit(name: &str, symbol: &str, path: &str) -> Option<usize> {
        let ways = ModulePathName::ways_to_read(&SymbolNameQuery::new(name));
        ways.iter().find(|way| way.symbol_name() == symbol)?.unnamed_parts_of_path("gin", path)
    }

    #[test]
    fn modules_are_parts_of_a_path() {
        for (name, path, symbol, unnamed) in [
            ("auto_pairs::hook", "helix-core/src/auto_pairs.rs", "hook", 0),
            ("helix_core::auto_pairs::hook", "helix-core/src/auto_pairs.rs", "hook", 1),
            ("crate::auto_pairs::hook", "helix-core/src/auto_pairs.rs", "hook", 0),
            ("helix_core::Selection", "helix-core/src/selection.rs", "Selection", 2),
            ("binding.JSON", "binding/json.go", "JSON", 1),
            ("gin.Context.JSON", "context.go", "Context.JSON", 1),
            ("flask.app.Flask", "src/flask/app.py", "Flask", 0),
            ("com.google.gson.Gson.toJson", "gson/src/main/java/com/google/gson/Gson.java", "Gson.toJson", 1),
            ("grep_searcher::Searcher", "crates/searcher/src/searcher/mod.rs", "Searcher", 1),
            ("@vue/reactivity.ref", "packages/reactivity/src/ref.ts", "ref", 2),
        ] {
            assert_eq!(fit(name, symbol, path), Some(unnamed), "{name}");
        }
        for (name, symbol, path) in [
            ("auto_pairs::hook", "hook", "helix-core/src/pairs.rs"),
            ("app.flask.Flask", "Flask", "src/flask/app.py"),
            ("Flask", "Flask", "src/flask/app.py"),
            ("app.Flask@12", "Flask", "src/flask/app.py"),
        ] {
            assert_eq!(fit(name, symbol, path), None, "{name}");
        }
    }
}
