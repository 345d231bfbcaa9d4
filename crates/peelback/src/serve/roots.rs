//! The folders that calls of the MCP server can read.

use std::path::{Path, PathBuf};

use peelback_code::{CodeError, ErrorCategory, Project, existing_path_of_text, text_of_path};
use peelback_tools::RecoverableError;
use serde_json::Value;

use crate::call_paths::{path_from_tool_arguments, text_of_tool_argument};

/// The folders that calls of the server can read; all paths are canonical.
#[derive(Debug)]
pub(super) struct ServerRoots {
    /// The folders that calls can read: first the root of calls that name no root, then the others.
    allowed: Vec<PathBuf>,
    /// Whether the root was named explicitly when the server started: then calls with a path outside of the root also
    /// use this root.
    is_root_explicit: bool,
}

impl ServerRoots {
    /// Determines the server's own root (the given one, or the repository around the working folder) and the other
    /// folders that calls can name.
    pub fn new(root: Option<&Path>, others: &[PathBuf]) -> Result<Self, CodeError> {
        let own_project = Project::discover(root, None)?;
        let others = others.iter().map(|folder| Project::discover(Some(folder), None));
        let projects = std::iter::once(Ok(own_project)).chain(others).collect::<Result<Vec<_>, _>>()?;
        let mut allowed: Vec<PathBuf> = Vec::new();
        for project in projects {
            if !allowed.iter().any(|known| known == project.root()) {
                allowed.push(project.root().to_owned());
            }
        }
        Ok(Self { allowed, is_root_explicit: root.is_some() })
    }

    /// Whether the server's own root was not chosen by anyone and is the whole file system or the home folder: a host
    /// that starts the server in an arbitrary folder would give a model access to all files.
    pub fn is_own_root_too_wide(&self) -> bool {
        let own_root = self.own_root();
        let is_home = || {
            let home = etcetera::home_dir().ok().and_then(|home| dunce::canonicalize(home).ok());
            home.is_some_and(|home| home == own_root)
        };
        !self.is_root_explicit && (own_root.parent().is_none() || is_home()) && !own_root.join(".git").exists()
    }

    /// The server's own root: the root of calls that name no root.
    pub fn own_root(&self) -> &Path {
        self.allowed.first().map_or(Path::new("."), PathBuf::as_path)
    }

    /// The project of a call with these arguments, which have the parameters' canonical names: the project that the
    /// command line would choose, where the server may read it.
    pub fn project_of_tool_call(&self, arguments: &Value) -> Result<Project, RecoverableError> {
        if let Some(root) = text_of_tool_argument(arguments, "root") {
            // A relative root is resolved from the working folder first, as on the command line.
            let found = [PathBuf::from(root), self.own_root().join(root)]
                .into_iter()
                .filter_map(|root| Project::discover(Some(&root), None).ok())
                .find(|project| self.is_folder_allowed(project.root()));
            return found.ok_or_else(|| self.folder_not_allowed_error(root));
        }
        let path = path_from_tool_arguments(arguments);
        if !self.is_root_explicit
            && let Ok(project) = Project::discover(None, path)
            && self.is_folder_allowed(project.root())
        {
            return Ok(project);
        }
        // An absolute path inside another allowed root chooses that root.
        let containing_root = path.filter(|path| path.is_absolute()).and_then(|path| {
            let path = dunce::canonicalize(existing_path_of_text(Path::new("/"), path.to_str()?)).ok()?;
            self.allowed.iter().find(|allowed| path.starts_with(allowed))
        });
        let call_root = containing_root.map_or(self.own_root(), PathBuf::as_path);
        Project::discover(Some(call_root), None).map_err(|error| {
            RecoverableError::new(error.category(), error.to_string())
                .with_hint("the root folder of this server no longer exists: name another root, or restart the server")
        })
    }

    /// A folder and those of its ancestors that calls can read.
    pub fn readable_folder_and_ancestors<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = &'a Path> {
        folder.ancestors().take_while(|folder| self.is_folder_allowed(folder))
    }

    fn is_folder_allowed(&self, root: &Path) -> bool {
        self.allowed.iter().any(|allowed| root.starts_with(allowed))
    }

    /// The error for a folder that is not allowed or does not exist. The error is the same in both cases, so that the
    /// server reveals nothing about other folders.
    fn folder_not_allowed_error(&self, root: &str) -> RecoverableError {
        let allowed: Vec<String> = self.allowed.iter().map(|allowed| text_of_path(allowed)).collect();
        let error = format!("{root} is not a folder that this server may read");
        RecoverableError::new(ErrorCategory::BadUsage, error)
            .with_hint(format!(
                "name one of its roots, or a folder below one: {}; whoever starts the server can add another with \
                 --allow-root",
                allowed.join(", ")
            ))
            .with_json_field("allowed_roots", allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::ServerRoots;

    fn folders() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["own/.git", "own/inner", "other/deep", "secret"] {
            fs::create_dir_all(folder.path().join(name)).expect("folders");
        }
        folder
    }

    fn canonical(path: &Path) -> std::path::PathBuf {
        dunce::canonicalize(path).expect("it exists")
    }

    #[test]
    fn a_call_stays_below_the_allowed_roots() {
        let folder = folders();
        let at = |name: &str| folder.path().join(name);
        let roots = ServerRoots::new(Some(&at("own")), &[at("other")]).expect("folders");
        let root_of = |arguments| roots.project_of_tool_call(&arguments).map(|project| project.root().to_owned());
        let own = canonical(&at("own"));
        assert_eq!(root_of(json!({})).expect("the own root"), own);
        assert_eq!(root_of(json!({ "root": at("own/inner") })).expect("below"), canonical(&at("own/inner")));
        assert_eq!(root_of(json!({ "root": "inner" })).expect("below"), canonical(&at("own/inner")));
        assert_eq!(root_of(json!({ "root": at("other") })).expect("allowed"), canonical(&at("other")));
        assert_eq!(root_of(json!({ "path": at("other/deep") })).expect("by its path"), canonical(&at("other")));
        assert_eq!(root_of(json!({ "path": at("secret") })).expect("the own root, which refuses the path"), own);
        for outside in [at("secret"), at("own/../secret"), at("nothing"), folder.path().to_owned()] {
            let refused = root_of(json!({ "root": outside })).expect_err("it is not allowed");
            let hint = refused.guidance.as_ref().expect("a hint").message().text_with_commands_from_project_root();
            assert!(hint.contains(&own.display().to_string()), "{hint}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_nowhere_else() {
        let folder = folders();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(at("secret"), at("own/link")).expect("a link");
        let roots = ServerRoots::new(Some(&at("own")), &[]).expect("folders");
        assert!(roots.project_of_tool_call(&json!({ "root": at("own/link") })).is_err());
    }
}
