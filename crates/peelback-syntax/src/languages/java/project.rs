//! The files of Java projects.

use crate::project_files::ProjectFiles;

pub(super) const FILES: ProjectFiles = ProjectFiles {
    command_marks: &["mvn ", "gradle ", "./mvnw", "./gradlew"],
    test_stem_ends: &["Test", "Tests", "TestCase"],
    ..ProjectFiles::NONE
};
