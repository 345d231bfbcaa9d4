//! The shortest text by which a folder can be named from another one.

use std::path::{Component, Path, PathBuf};

use crate::path_text::text_of_path;

/// The text of a folder's path, absolute or relative to the folder `from`, whichever is shorter. Both paths are absolute and
/// without symbolic links.
pub(crate) fn shortest_text_of_folder(folder: &Path, from: &Path) -> String {
    let absolute = text_of_path(folder);
    let relative = relative_path(folder, from).map(|path| text_of_path(&path));
    relative.filter(|relative| relative.len() < absolute.len()).unwrap_or(absolute)
}

/// The path that leads from one folder to another; `None` where they have no folder in common.
fn relative_path(to: &Path, from: &Path) -> Option<PathBuf> {
    let shared = to.components().zip(from.components()).take_while(|(to, from)| to == from).count();
    if shared == 0 {
        return None;
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    if path.as_os_str().is_empty() {
        return Some(PathBuf::from("."));
    }
    // A word that begins with a dash reads as a flag.
    let is_like_flag = path.to_str().is_some_and(|text| text.starts_with('-'));
    Some(if is_like_flag { Path::new(".").join(path) } else { path })
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use super::shortest_text_of_folder;

    #[test]
    fn the_shorter_way_is_named() {
        for (folder, from, text) in [
            ("/srv/shop/tool", "/srv/shop", "tool"),
            ("/srv/shop", "/srv/other", "../shop"),
            ("/srv/shop", "/srv/shop", "."),
            ("/srv/shop", "/srv/shop/src/a", "../.."),
            ("/a", "/srv/shop/src", "/a"),
            ("/srv/-x", "/srv", "./-x"),
        ] {
            assert_eq!(shortest_text_of_folder(Path::new(folder), Path::new(from)), text, "{folder} from {from}");
        }
    }
}
