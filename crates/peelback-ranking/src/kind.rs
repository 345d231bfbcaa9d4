//! What kind of file a path tells, and how much less it is meant than the source, unless the question asks for it.

use peelback_syntax::{Tier, language};

use crate::question::Question;
use peelback_resolve::is_test;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileKind {
    /// Code of the project itself.
    Source,
    /// Code that runs no part of the project: set-up, builds, tools, continuous integration.
    Auxiliary,
    /// Tests and what helps them.
    Test,
    /// Examples, demonstrations, benchmarks, tutorials.
    Example,
    /// Documentation.
    Document,
    /// Configuration and data.
    Data,
    /// Code of others, or made by a program.
    Foreign,
}

/// Folders, by what is in them.
const FOLDERS: &[(FileKind, &[&str])] = &[
    (
        FileKind::Foreign,
        &[
            "vendor",
            "vendored",
            "third_party",
            "thirdparty",
            "third-party",
            "extern",
            "externals",
            "node_modules",
            "_vendor",
            "site-packages",
            "dist",
            "generated",
            "__generated__",
            "gen",
            "bundled",
        ],
    ),
    (
        FileKind::Example,
        &[
            "example",
            "examples",
            "demo",
            "demos",
            "sample",
            "samples",
            "tutorial",
            "tutorials",
            "bench",
            "benches",
            "benchmark",
            "benchmarks",
            "asv_bench",
            "docs_src",
            "playground",
            "fixtures",
            "testdata",
            "test-data",
            "snapshots",
        ],
    ),
    (
        FileKind::Document,
        &[
            "doc",
            "docs",
            "documentation",
            "website",
            "site",
            "www",
            "book",
            "man",
            "wiki",
            "changelog",
            "changes",
            "locale",
            "locales",
            "i18n",
        ],
    ),
    (
        FileKind::Auxiliary,
        &[
            "script",
            "scripts",
            "tools",
            "tool",
            "ci",
            ".github",
            ".ci",
            "build",
            "bin",
            "release",
            "packaging",
            "migrations",
            "contrib",
            "hack",
            "etc",
        ],
    ),
];

/// Files by their names without the ending.
const AUXILIARY: &[&str] = &[
    "setup",
    "conf",
    "noxfile",
    "tasks",
    "fabfile",
    "build",
    "gulpfile",
    "gruntfile",
    "webpack.config",
    "vite.config",
    "rollup.config",
    "jest.config",
    "babel.config",
    "eslint.config",
    "tsup.config",
    "vitest.config",
    "version",
    "_version",
    "__version__",
    "versioneer",
    "isympy",
    "ez_setup",
    "release",
    "manage",
    "__main__",
];

impl FileKind {
    /// What a path tells.
    pub fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
        let in_folder = FOLDERS.iter().find(|(_, names)| folders.split('/').any(|folder| names.contains(&folder)));
        // A package of Python that carries others within itself.
        if name.ends_with(".py") && folders.split('/').skip(1).any(|folder| folder == "packages") {
            return Self::Foreign;
        }
        // Tests of examples, and examples of tests, are read for neither.
        let is_document = [".md", ".mdx", ".rst", ".txt", ".adoc"].iter().any(|ending| name.ends_with(ending));
        if let Some((kind @ (Self::Foreign | Self::Example), _)) =
            in_folder.filter(|(kind, _)| *kind == Self::Foreign || !is_document)
        {
            return *kind;
        }
        if is_test(&lower) || is_test(path) {
            return Self::Test;
        }
        if name.ends_with(".min.js")
            || name.ends_with(".min.css")
            || name.contains(".pb.")
            || name.contains("_pb2")
            || name.contains(".generated.")
        {
            return Self::Foreign;
        }
        let language = language::of_name(path.rsplit_once('/').map_or(path, |(_, name)| name));
        match language.map(|language| language.tier) {
            Some(Tier::Document) if matches!(language.map(|language| language.name), Some("markdown")) => {
                Self::Document
            }
            None if [".rst", ".txt", ".adoc", ".html", ".tex", ".1", ".po", ".pot", ".mdx"]
                .iter()
                .any(|ending| name.ends_with(ending)) =>
            {
                Self::Document
            }
            None | Some(Tier::Document) => Self::Data,
            Some(_) => match in_folder {
                Some((kind, _)) => *kind,
                None if AUXILIARY.contains(&name.rsplit_once('.').map_or(name, |(stem, _)| stem)) => Self::Auxiliary,
                None => Self::Source,
            },
        }
    }

    /// What a file's score is multiplied with.
    pub(super) fn weight(self, question: &Question) -> f32 {
        let (weight, asked): (f32, &[&str]) = match self {
            Self::Source => return 1.0,
            Self::Auxiliary => (
                0.35,
                &[
                    "setup",
                    "script",
                    "scripts",
                    "build",
                    "ci",
                    "release",
                    "migration",
                    "migrations",
                    "version",
                    "tool",
                    "tools",
                ],
            ),
            Self::Test => (0.2, &["test", "tests", "testing", "spec", "fixture", "fixtures", "conftest", "unittest"]),
            Self::Example => (
                0.2,
                &[
                    "example",
                    "examples",
                    "benchmark",
                    "benchmarks",
                    "bench",
                    "demo",
                    "sample",
                    "tutorial",
                    "fixture",
                    "snapshot",
                ],
            ),
            Self::Document => (
                0.15,
                &["documentation", "docs", "doc", "readme", "changelog", "docstring", "guide", "tutorial", "manual"],
            ),
            Self::Data => (
                0.2,
                &[
                    "config",
                    "configuration",
                    "json",
                    "yaml",
                    "toml",
                    "css",
                    "template",
                    "workflow",
                    "dependency",
                    "dependencies",
                    "manifest",
                ],
            ),
            Self::Foreign => (0.12, &["vendor", "vendored", "generated", "third"]),
        };
        if question.asks_for(asked) { weight.max(0.85) } else { weight }
    }

    /// The word that answers print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Auxiliary => "auxiliary",
            Self::Test => "test",
            Self::Example => "example",
            Self::Document => "document",
            Self::Data => "data",
            Self::Foreign => "foreign",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn paths_tell_the_kind() {
        for (path, kind) in [
            ("src/a.py", FileKind::Source),
            ("pkg/tests/test_a.py", FileKind::Test),
            ("a_test.go", FileKind::Test),
            ("examples/x/main.rs", FileKind::Example),
            ("docs/conf.py", FileKind::Document),
            ("README.md", FileKind::Document),
            ("guide.rst", FileKind::Document),
            ("package.json", FileKind::Data),
            ("vendor/x/y.go", FileKind::Foreign),
            ("setup.py", FileKind::Auxiliary),
            ("scripts/run.sh", FileKind::Auxiliary),
            ("lib/test.js", FileKind::Test),
        ] {
            assert_eq!(FileKind::of(path), kind, "{path}");
        }
    }
}
