//! What is known of the files of JavaScript projects: `package.json`, settings files of tools, and files with a meaning
//! by their names.

use crate::manifest::{EntryKey, PackageManifest, Scripts};
use crate::project_files::{ProjectFiles, ToolSettings};

static MANIFEST: PackageManifest = PackageManifest {
    name_keys: &["name"],
    description_keys: &["description"],
    version_keys: &["engines.node"],
    licence_keys: &["license"],
    scripts: Some(Scripts { table: "scripts", run: "npm run" }),
    entry_keys: &[
        // A program's name in the table `bin` can contain dots.
        EntryKey { name: "bin", has_dotted_names: true },
        EntryKey { name: "main", has_dotted_names: false },
        EntryKey { name: "module", has_dotted_names: false },
        EntryKey { name: "browser", has_dotted_names: false },
        EntryKey { name: "types", has_dotted_names: false },
        EntryKey { name: "exports", has_dotted_names: false },
    ],
    ..PackageManifest::new("package.json", "npm package", "Node")
};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    manifest: Some(&MANIFEST),
    tool_settings: &[
        ToolSettings {
            program: "ESLint",
            file_names: &[
                "eslint.config.js",
                "eslint.config.mjs",
                "eslint.config.ts",
                ".eslintrc",
                ".eslintrc.js",
                ".eslintrc.cjs",
                ".eslintrc.json",
                ".eslintrc.yml",
            ],
        },
        ToolSettings {
            program: "Prettier",
            file_names: &[
                ".prettierrc",
                ".prettierrc.json",
                ".prettierrc.js",
                ".prettierrc.yaml",
                "prettier.config.js",
            ],
        },
        ToolSettings { program: "Biome", file_names: &["biome.json", "biome.jsonc"] },
    ],
    command_marks: &["npm ", "yarn", "pnpm"],
    index_stems: &["index"],
    auxiliary_stems: &[
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
    ],
    foreign_folders: &["node_modules"],
    is_generated: Some(|name| name.ends_with(".min.js")),
    ..ProjectFiles::NONE
};
