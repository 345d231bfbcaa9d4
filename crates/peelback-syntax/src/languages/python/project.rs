//! What is known of the files of Python projects: `pyproject.toml`, settings files of tools, and files with a meaning
//! by their names.

use crate::manifest::{Environments, LibraryFiles, PackageManifest, UsualCommands};
use crate::project_files::{ProjectFiles, TaskFile, ToolSettings};

static MANIFEST: PackageManifest = PackageManifest {
    name_keys: &["project.name", "tool.poetry.name"],
    description_keys: &["project.description", "tool.poetry.description"],
    version_keys: &["project.requires-python", "tool.poetry.dependencies.python"],
    licence_keys: &["project.license", "project.license.text", "tool.poetry.license"],
    settings_tables: &[
        "tool.ruff",
        "tool.black",
        "tool.isort",
        "tool.mypy",
        "tool.pytest",
        "tool.pytest.ini_options",
        "tool.pyright",
    ],
    usual_commands: Some(UsualCommands {
        keys: &["build-system.build-backend"],
        text: "built by ",
        after_value: Some(": `pip install .` builds and installs it"),
    }),
    environments: Some(Environments {
        table: "tool.tox",
        base: "tool.tox.env_run_base",
        each: "tool.tox.env",
        program: "tox",
        option: "-e",
    }),
    command_tables: &["project.scripts", "project.gui-scripts", "tool.poetry.scripts"],
    library: LibraryFiles::PackageFiles { file_name: "__init__.py", source_folder: "src" },
    ..PackageManifest::new("pyproject.toml", "Python package", "Python")
};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    manifest: Some(&MANIFEST),
    task_files: &[
        TaskFile { file_name: "tox.ini", program: "tox", option: "-e", pattern: r"^\[(?:testenv)+:*([^\]]*)\]" },
        TaskFile { file_name: "noxfile.py", program: "nox", option: "-s", pattern: r"^def (\w+)\(session" },
    ],
    tool_settings: &[
        ToolSettings { program: "Ruff", file_names: &["ruff.toml", ".ruff.toml"] },
        ToolSettings { program: "Flake8", file_names: &[".flake8"] },
        ToolSettings { program: "Pylint", file_names: &[".pylintrc", "pylintrc"] },
        ToolSettings { program: "mypy", file_names: &["mypy.ini", ".mypy.ini"] },
        // The program `pre-commit` checks files of any language, and is a Python package itself.
        ToolSettings { program: "pre-commit", file_names: &[".pre-commit-config.yaml"] },
    ],
    command_marks: &["tox", "nox"],
    run_files: &[
        ("__main__.py", "run by `python -m`"),
        ("manage.py", "the project's commands"),
        ("wsgi.py", "what a server loads"),
        ("asgi.py", "what a server loads"),
    ],
    program_stems: &["__main__"],
    index_stems: &["__init__"],
    test_stems: &["conftest"],
    auxiliary_stems: &[
        "setup",
        "conf",
        "noxfile",
        "tasks",
        "fabfile",
        "_version",
        "__version__",
        "versioneer",
        "isympy",
        "ez_setup",
        "manage",
        "__main__",
    ],
    foreign_folders: &["site-packages"],
    is_vendored: Some(is_python_file_under_packages_folder),
    is_generated: Some(|name| name.contains("_pb2")),
    ..ProjectFiles::NONE
};

/// Whether a path is in a package that contains vendored packages in an inner folder called `packages`.
fn is_python_file_under_packages_folder(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    name.ends_with(".py") && folders.split('/').skip(1).any(|folder| folder == "packages")
}
