//! The files of Ruby projects.

use crate::project_files::{ProjectFiles, TaskFile, ToolSettings};

pub(super) const FILES: ProjectFiles = ProjectFiles {
    task_files: &[TaskFile { file_name: "Rakefile", program: "rake", option: "", pattern: r"^\s*task[ (]+:?(\w+)" }],
    tool_settings: &[ToolSettings { program: "RuboCop", file_names: &[".rubocop.yml"] }],
    command_marks: &["bundle ", "rake ", "rspec", "bin/rails"],
    run_files: &[("config.ru", "what a Rack server loads")],
    test_stems: &["test_helper", "spec_helper", "rails_helper"],
    ..ProjectFiles::NONE
};
