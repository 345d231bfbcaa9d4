use super::PythonModules;
use crate::modules::testing::ProjectFixture;

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
    assert!(ProjectFixture::new(PythonModules::new, &texts).assert_dependents_contain_texts() >= 12);
}
