//! The files of PHP projects.

use crate::manifest::{PackageManifest, Scripts};
use crate::project_files::{ProjectFiles, ToolSettings};

static MANIFEST: PackageManifest = PackageManifest {
    name_keys: &["name"],
    description_keys: &["description"],
    version_keys: &["require.php"],
    licence_keys: &["license"],
    scripts: Some(Scripts { table: "scripts", run: "composer run" }),
    ..PackageManifest::new("composer.json", "PHP package", "PHP")
};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    manifest: Some(&MANIFEST),
    tool_settings: &[
        ToolSettings { program: "PHPUnit", file_names: &["phpunit.xml", "phpunit.xml.dist"] },
        ToolSettings { program: "PHPStan", file_names: &["phpstan.neon", "phpstan.neon.dist"] },
        ToolSettings { program: "Psalm", file_names: &["psalm.xml", "psalm.xml.dist"] },
        ToolSettings { program: "PHP CS Fixer", file_names: &[".php-cs-fixer.php", ".php-cs-fixer.dist.php"] },
    ],
    command_marks: &["composer ", "phpunit"],
    run_files: &[("index.php", "what a server runs"), ("artisan", "the project's commands")],
    test_stem_ends: &["Test", "TestCase"],
    ..ProjectFiles::NONE
};
