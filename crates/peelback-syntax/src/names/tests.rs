//! Tests of the names model on the fixtures of every language with a binder.

use std::path::Path;

use crate::analysis::bind_names;
use crate::language;
use crate::parse::Limits;

#[test]
fn scopes_of_many_places_are_those_of_each_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    for language in language::all_languages()
        .iter()
        .filter(|language| language.family.is_some() && language.is_available_in_build())
    {
        let mut checked = 0;
        for file in std::fs::read_dir(folder.join(language.name).join("fixtures")).expect("fixtures") {
            let path = file.expect("an entry").path();
            let Some(known) = path.file_name().and_then(|name| language::language_of_file_name(name.to_str()?)) else {
                continue;
            };
            let source = std::fs::read_to_string(&path).expect("UTF-8");
            let Ok(names) = bind_names(known, &source, &Limits::default()) else { continue };
            let mut places: Vec<u32> = names.occurrences.iter().map(|found| found.at).collect();
            places.sort_unstable();
            let each: Vec<u32> = places.iter().map(|at| names.innermost_scope_at_offset(*at)).collect();
            assert_eq!(names.innermost_scopes_at_sorted_offsets(&places), each, "{}", path.display());
            checked += places.len();
        }
        assert!(checked > 10, "{}: {checked}", language.name);
    }
}
