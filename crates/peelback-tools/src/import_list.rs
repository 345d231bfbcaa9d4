//! The imports of a file in short: grouped by module, with the imported names.

use std::collections::{HashMap, HashSet};

use peelback_code::escape_to_one_line;
use peelback_tokens::estimate_tokens;

use crate::rows::ImportRow;
use crate::shorten::list_within;

/// The imports of a file, grouped by the module that they name, in the order of the file.
pub(crate) struct ImportList {
    /// Each module with the names that are imported from it.
    modules: Vec<(String, Vec<String>)>,
}

impl ImportList {
    /// Groups the imports of a file.
    pub fn new(imports: &[ImportRow]) -> Self {
        let mut modules: Vec<(String, Vec<String>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(imports.len());
        let mut listed: HashSet<(usize, &str)> = HashSet::new();
        for import in imports {
            let place = *places.entry(import.source.as_str()).or_insert_with(|| {
                modules.push((import.source.clone(), Vec::new()));
                modules.len() - 1
            });
            let Some((source, names)) = modules.get_mut(place) else { continue };
            for name in &import.names {
                if name != source && listed.insert((place, name)) {
                    names.push(name.clone());
                }
            }
        }
        Self { modules }
    }

    /// The richest form of the list that takes at most `max_tokens` tokens and `max_bytes` bytes: the modules with the names;
    /// the modules; as many modules as fit, with the number of those left; their number. `None` where there are no imports.
    pub fn text_within(&self, max_tokens: usize, max_bytes: usize) -> Option<String> {
        if self.modules.is_empty() {
            return None;
        }
        let fits = |text: &String| text.len() <= max_bytes && estimate_tokens(text) <= max_tokens;
        let with_names = self.modules.iter().map(|(source, names)| match names.as_slice() {
            [] => source.clone(),
            names => format!("{source} ({})", names.join(", ")),
        });
        let whole = format!("imports: {}", escape_to_one_line(&with_names.collect::<Vec<_>>().join("; ")));
        if fits(&whole) {
            return Some(whole);
        }
        let sources: Vec<&str> = self.modules.iter().map(|(source, _)| source.as_str()).collect();
        // Names of modules have some bytes more than four for each token, so that the first try often fits in bytes, too.
        let tries =
            std::iter::successors(Some(max_tokens), |tokens| Some(tokens - tokens.div_ceil(8)).filter(|&it| it > 0));
        let as_many_as_fit = tries
            .map(|tokens| {
                escape_to_one_line(&list_within("imports: ", &sources, "; ", " modules", tokens)).into_owned()
            })
            .find(fits);
        Some(as_many_as_fit.unwrap_or_else(|| format!("imports: {} modules", sources.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::ImportList;
    use crate::rows::ImportRow;

    fn import(source: &str, names: &[&str]) -> ImportRow {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        ImportRow { text: String::new(), source: source.to_owned(), names, import_kind: "from", line: 1, line_end: 1 }
    }

    #[test]
    fn imports_of_one_module_stand_together() {
        let list = ImportList::new(&[import("a.b", &["x"]), import("os", &["os"]), import("a.b", &["y", "x"])]);
        assert_eq!(list.text_within(100, 400).as_deref(), Some("imports: a.b (x, y); os"));
    }

    #[test]
    fn a_long_list_names_as_many_modules_as_fit() {
        let imports: Vec<ImportRow> =
            (0..50).map(|index| import(&format!("package.module{index}"), &["name"])).collect();
        let list = ImportList::new(&imports);
        let text = list.text_within(40, 400).expect("imports");
        assert!(
            text.starts_with("imports: package.module0; package.module1;") && text.ends_with(" more modules"),
            "{text}"
        );
        let shorter = list.text_within(40, 90).expect("imports");
        assert!(shorter.len() <= 90 && shorter.starts_with("imports: package.module0; "), "{shorter}");
        assert_eq!(list.text_within(1, 400).as_deref(), Some("imports: 50 modules"));
        assert_eq!(list.text_within(100, 1).as_deref(), Some("imports: 50 modules"));
        assert_eq!(ImportList::new(&[]).text_within(10, 40), None);
    }
}
