use std::sync::OnceLock;

use peelback_syntax::{Limits, language};

use super::*;
use crate::{Project, WalkOptions};

/// A project in a temporary folder.
struct TestWorld {
    files: Files,
    names: Vec<OnceLock<Option<Arc<Names>>>>,
    _folder: tempfile::TempDir,
}

impl TestWorld {
    fn new(texts: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in texts {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let project = Project::discover(Some(folder.path()), None).expect("a project");
        let set = project.files(None, &WalkOptions::default()).expect("files");
        let files = Files::new(&project, set);
        let names = (0..files.len()).map(|_| OnceLock::new()).collect();
        Self { files, names, _folder: folder }
    }
}

impl World for TestWorld {
    fn files(&self) -> &Files {
        &self.files
    }

    fn names(&self, file: FileId) -> Option<Arc<Names>> {
        let read = || {
            let language = language::of_name(name_of(self.files.path(file)))?;
            let text = self.files.read(file)?;
            peelback_syntax::names(language, &text, &Limits::default()).ok().map(Arc::new)
        };
        self.names.get(file as usize)?.get_or_init(read).clone()
    }
}

#[test]
fn every_dependent_holds_a_needle() {
    let texts = [
        ("pkg/__init__.py", "from . import a\nfrom .a import *\n"),
        ("pkg/a.py", "from.b import c\nfrom  . import b\n"),
        ("pkg/b.py", "import pkg.sub.c as x\nfrom .. import pkg\nfrom pkg import nothing\n"),
        ("pkg/sub/__init__.py", "from .. import nothing, b\n"),
        ("pkg/sub/c.py", "from ... import pkg\nfrom ..sub import nothing\nfrom\t. import c\n"),
        ("main.py", "import pkg\nimport pkg.a\nfrom pkg import sub\n"),
    ];
    let world = TestWorld::new(&texts);
    let modules = PythonModules::new(&world);
    let mut edges = 0;
    for from in 0..FileId::try_from(world.files.len()).expect("few") {
        let names = world.names(from).expect("names");
        let text = world.files.read(from).expect("text");
        for link in &names.links {
            for to in modules.dependencies(&world, from, &names, link) {
                edges += 1;
                let needles = modules.needles(&world, to);
                let held = needles.iter().any(|needle| text.contains(needle.as_str()));
                assert!(held, "{} -> {}: {needles:?}", world.files.path(from), world.files.path(to));
            }
        }
    }
    assert!(edges >= 12, "{edges}");
}
