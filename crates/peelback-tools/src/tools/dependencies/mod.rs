//! The tool `dependencies`: the dependencies of a file or folder, and the files that depend on it.

mod drawing;
mod file_groups;
mod graph;
mod parameters;
mod path;
mod project;
mod rows;

use peelback_code::{CodeAccess, DependencyQuery};

use self::graph::{DependencyGraph, DrawnFolder};
pub use self::parameters::DependencyDirection;
use self::parameters::Parameters;
use crate::call::Call;
use crate::context::CallContext;
use crate::parameter_name::parameter_name;
use crate::parsed_question::TestFilter;
use crate::recoverable_error::RecoverableError;
use crate::reply::Reply;
use crate::retention::ResultKind;
use crate::tool::{ExplorationStep, Tool, ToolGuide};
use crate::view::{Format, OutputOptions};

pub struct Dependencies;

impl Tool for Dependencies {
    type Parameters = Parameters;

    const NAME: &'static str = "dependencies";
    const ALIASES: &'static [&'static str] = &["deps", "get_dependencies", "find_dependents", "dependency_graph"];
    const POSITIONAL_PARAMETERS: &'static [&'static str] = &["path"];
    const EXAMPLES: &'static [&'static str] = &[
        "dependencies --path src/main.rs",
        "dependencies --path src/store --direction incoming --depth 2",
        "dependencies --format mermaid",
    ];
    const HAS_GRAPH_FORMATS: bool = true;
    const GUIDE: ToolGuide = ToolGuide {
        step: ExplorationStep::Connect,
        phrase: "gives what a file depends on and what depends on it",
        cost_ranks: &[(60, "")],
    };
    const RESULT_KIND: ResultKind = ResultKind::Dependencies;
    const LABEL_PARAMETERS: &'static [&'static str] = &["path"];
    const AGENT_TOKENS: usize = 500;

    fn size_and_format_parameters(parameters: &Parameters) -> &OutputOptions {
        &parameters.view
    }

    fn run_call(access: &CodeAccess, context: &CallContext, parameters: Parameters) -> Result<Reply, RecoverableError> {
        let call = Call::from_parameters_without_root_and_offset(Self::NAME, &parameters);
        let is_drawing = matches!(parameters.view.format, Format::Dot | Format::Mermaid);
        let named = |path: &Option<String>| path.clone().filter(|path| !matches!(path.as_str(), "" | "." | "./"));
        // A scope alone is what the call is about.
        let (path, scope, path_parameter) = match (named(&parameters.path), named(&parameters.scope)) {
            (None, Some(scope)) => (Some(scope), None, parameter_name!(Parameters, scope)),
            (path, scope) => (path, scope, parameter_name!(Parameters, path)),
        };
        let recover = |error, parameter| RecoverableError::from_code_error(context, &error, &call, parameter);
        if (parameters.tests != TestFilter::With || scope.is_some()) && (path.is_none() || is_drawing) {
            let narrowed =
                if scope.is_some() { parameter_name!(Parameters, scope) } else { parameter_name!(Parameters, tests) };
            let error = format!("{narrowed} narrows the lists of one path, not an overview or a drawing");
            let without = call.clone().without_argument(narrowed);
            return Err(RecoverableError::of_invalid_arguments(error).with_hint_and_call("without it: ", without));
        }
        let Some(path) = path else {
            let found = access.dependency_overview().map_err(|error| recover(error, path_parameter))?;
            return Ok(project::project_dependencies_reply(context, found, &parameters.view, call));
        };
        let query =
            DependencyQuery { path, direction: parameters.direction.into(), depth: parameters.depth.unwrap_or(1) };
        let found = access.dependencies_and_dependents(&query).map_err(|error| recover(error, path_parameter))?;
        if is_drawing {
            let drawn = DependencyGraph {
                title: &format!("dependencies of {}", found.path),
                edges: &found.edges,
                submodule_declarations: &found.submodule_declarations,
                folder: found.files.map(|_| DrawnFolder { path: &found.path, known_files: &found.known_files }),
                evidence: &found.evidence,
            };
            return Ok(graph::dependency_graph_reply(context, &drawn, &parameters.view, call));
        }
        let filter = path::NeighbourFilter::new(access, scope, parameters.tests)
            .map_err(|error| recover(error, parameter_name!(Parameters, scope)))?;
        Ok(path::path_dependencies_reply(access, context, found, &parameters, &filter, call))
    }
}
