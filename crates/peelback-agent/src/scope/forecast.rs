//! A forecast of the model requests and the cost of a run, computed before any request is sent.

use peelback_code::CodeAccess;
use peelback_llm::{BudgetedModel, ChatModel as _, ChatRequest, Forecast, Prices, mask_request};

use super::error::ScopeError;
use super::findings::Findings;
use super::options::{Mode, ScopeOptions};
use super::session::agent_options_for_model;
use super::writing;
use crate::agent;
use crate::{limits, pipeline};

/// The forecast of a run that answers a question.
#[derive(Debug)]
pub struct DryRun {
    /// The first model request, exactly as the run would send it.
    pub first: ChatRequest,
    /// The maximum tokens and cost of all model calls together.
    pub forecast: Forecast,
    /// The assumptions of the forecast, as text for people.
    pub basis: String,
}

/// Forecasts a run that answers a question: its first model request, and the maximum tokens and cost of the whole run.
/// Nothing is sent.
///
/// # Errors
/// [`ScopeError::Code`] where the project cannot be read, [`ScopeError::NoQuestion`] where the question is empty.
pub fn forecast_run_cost(
    access: &CodeAccess,
    question: &str,
    model: &BudgetedModel,
    prices: &Prices,
    options: &ScopeOptions,
) -> Result<DryRun, ScopeError> {
    if question.trim().is_empty() {
        return Err(ScopeError::NoQuestion);
    }
    let access = &options.restrict_access_for_model(access);
    let mut forecast = Forecast::new(model.name(), prices);
    let (first, basis) = match options.mode {
        Mode::Pipeline => {
            let (first, findings) = pipeline::first_pipeline_request_and_findings(access, question, options)?;
            forecast.add_request(&first);
            let code = options.characters.second_round_aim(options.characters.first_round_aim());
            let second = (code + limits::INSIGHT_CHARS) / limits::CHARS_PER_TOKEN;
            forecast.add_call_with_token_counts(second as u64, limits::EXPLORATION_OUTPUT_TOKENS);
            add_writing_request_to_forecast(&mut forecast, access, question, &findings, model, options);
            let basis = "two rounds of exploration and the call that writes, estimated from what the ranking finds; a \
                         reply in the wrong form is requested once more, which is not counted";
            (first, basis.to_owned())
        }
        Mode::Agent => {
            let agent_options = agent_options_for_model(options, model);
            let first = agent::first_agent_request(access, question, &agent_options);
            let turns = options.max_turns as u64;
            forecast.add_request(&first);
            for _ in 1..turns {
                forecast.add_call_with_token_counts(
                    agent_options.limits.max_input_tokens as u64,
                    agent_options.max_output_tokens,
                );
            }
            let most = agent_options.limits.max_input_tokens as u64;
            forecast.add_call_with_token_counts(most, limits::WRITING_OUTPUT_TOKENS);
            let basis =
                format!("{turns} turns and the call that writes, each of the greatest length; most runs end sooner");
            (first, basis)
        }
    };
    let basis = match (model.limits().max_total_tokens, model.limits().max_cost) {
        (None, None) => basis,
        (tokens, cost) => {
            let tokens = tokens.map(|tokens| format!("{tokens} tokens"));
            let cost = cost.map(|cost| format!("${cost:.2}"));
            let ceiling: Vec<String> = tokens.into_iter().chain(cost).collect();
            format!("{basis}. The ceiling is {}: no call is sent that could exceed it", ceiling.join(" and "))
        }
    };
    Ok(DryRun { first: mask_request(&first), forecast, basis })
}

fn add_writing_request_to_forecast(
    forecast: &mut Forecast,
    access: &CodeAccess,
    question: &str,
    findings: &Findings,
    model: &BudgetedModel,
    options: &ScopeOptions,
) {
    if let Ok(made) = writing::longest_fitting_writing_request(access, question, findings, options, model) {
        forecast.add_request(&made.request);
    }
}
