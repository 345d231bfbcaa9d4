//! No call is sent over its limit.

use std::sync::Mutex;

use peelback_llm::{
    BudgetedModel, ChatError, ChatRequest, Clock, Limits, Prices, Purpose, Reserve, SystemClock, Usage,
    count_request_tokens,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::scripted::{Scripted, said, used};
use super::*;

const MODEL: &str = "openai/gpt-4.1";

fn budgeted(model: Scripted, limits: Limits, clock: Arc<SkippingClock>) -> BudgetedModel {
    let rate_limiter = limits.new_rate_limiter(clock);
    BudgetedModel::new(Box::new(model), limits, &Prices::built_in(), rate_limiter).expect("a metered model")
}

/// A request of about so many tokens.
fn sized(tokens: u64, max_output_tokens: u32) -> ChatRequest {
    let text = "lock ".repeat(usize::try_from(tokens).expect("a size"));
    ChatRequest { messages: vec![Message::new_user_message(text)], max_output_tokens, ..ChatRequest::default() }
}

/// What happened to one call that was sent.
#[derive(Debug, Clone, Copy)]
struct Sent {
    at: Duration,
    usage: Usage,
    purpose: Purpose,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    tokens: u64,
    output: u32,
    /// The part of the output that the reply uses, of 100.
    uses: u32,
    fails: u8,
    pause: u64,
    purpose: Purpose,
}

fn step() -> impl Strategy<Value = Step> {
    let purpose = prop_oneof![4 => Just(Purpose::Ordinary), 1 => Just(Purpose::LastAnswer)];
    (1..4_000_u64, 1..3_000_u32, 0..=100_u32, 0..10_u8, 0..50_u64, purpose)
        .prop_map(|(tokens, output, uses, fails, pause, purpose)| Step { tokens, output, uses, fails, pause, purpose })
}

fn limits() -> impl Strategy<Value = Limits> {
    (
        500..5_000_u64,
        1_000..9_000_u64,
        prop::option::of(3_000..30_000_u64),
        prop::option::of(0.005..0.08_f64),
        (0..1_500_u64, 0..800_u64),
    )
        .prop_map(|(max_input_tokens, tokens_per_minute, max_total_tokens, max_cost, (input, output))| Limits {
            max_input_tokens,
            tokens_per_minute,
            max_total_tokens,
            max_cost,
            reserve: Reserve { input, output },
        })
}

/// Runs the steps; gives what was sent and what the meter says was spent.
fn run(limits: &Limits, steps: &[Step], ratio: f64) -> (Vec<Sent>, peelback_llm::Spending) {
    let clock = Arc::new(SkippingClock::new());
    let sent: Arc<Mutex<Vec<Sent>>> = Arc::default();
    let current = Arc::new(Mutex::new(steps[0]));
    let (seen, now, step) = (sent.clone(), clock.clone(), current.clone());
    let model = Scripted::new(MODEL, move |request| {
        let step = *step.lock().expect("a step");
        let output = (u64::from(request.max_output_tokens) * u64::from(step.uses) / 100).max(1);
        // The provider's own count, which varies a little.
        let wave = 1.0 - f64::from(step.uses % 3) / 100.0;
        let usage = used((count_request_tokens(request) as f64 * ratio * wave).round().max(1.0) as u64, output);
        let mut sent = seen.lock().expect("calls");
        let push = |sent: &mut Vec<Sent>, usage| {
            sent.push(Sent { at: now.time_since_clock_start(), usage, purpose: step.purpose })
        };
        let host = "h".to_owned();
        match step.fails {
            0 => Err(ChatError::Status { host, status: 400, message: "x".to_owned() }),
            1 => {
                push(&mut sent, Usage { output: 0, ..usage });
                Err(ChatError::Connection { host, reason: "x".to_owned() })
            }
            2 => {
                push(&mut sent, usage);
                Err(ChatError::Malformed { host, reason: "x".to_owned(), usage })
            }
            _ => {
                push(&mut sent, usage);
                Ok(said("x", usage))
            }
        }
    });
    let budgeted = budgeted(model, limits.clone(), clock.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for step in steps {
        *current.lock().expect("a step") = *step;
        clock.advance(Duration::from_secs(step.pause));
        let _ = runtime.block_on(budgeted.complete_for_purpose(step.purpose, &sized(step.tokens, step.output), None));
    }
    let sent = sent.lock().expect("calls").clone();
    (sent, budgeted.spending())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn no_call_is_sent_over_its_limit(
        limits in limits(),
        steps in prop::collection::vec(step(), 1..25),
        ratio in 0.6..1.0_f64,
    ) {
        let (sent, spent) = run(&limits, &steps, ratio);
        let price = Prices::built_in().price_of_model(MODEL).expect("a price");
        let (mut total, mut cost) = (0, 0.0);
        for (at, call) in sent.iter().enumerate() {
            prop_assert!(call.usage.input <= limits.max_input_tokens, "{call:?}");
            let minute: u64 = sent[..=at]
                .iter()
                .filter(|before| call.at - before.at < Duration::from_secs(60))
                .map(|before| before.usage.total_tokens())
                .sum();
            prop_assert!(minute <= limits.tokens_per_minute, "{minute} in a minute: {sent:?}");
            total += call.usage.total_tokens();
            cost += price.cost_of_usage(&call.usage);
            let kept = if call.purpose == Purpose::Ordinary { limits.reserve } else { Reserve { input: 0, output: 0 } };
            if let Some(ceiling) = limits.max_total_tokens {
                prop_assert!(total + kept.total_tokens() <= ceiling, "{total} of {ceiling}: {call:?}");
            }
            if let Some(ceiling) = limits.max_cost {
                let kept = price.cost_of_usage(&used(kept.input, kept.output));
                prop_assert!(cost + kept <= ceiling + 1e-9, "{cost} of {ceiling}: {call:?}");
            }
        }
        prop_assert!(spent.usage.total_tokens() + spent.possibly_billed >= total, "{spent:?}, and {total} were used");
        prop_assert!(spent.cost.expect("a cost") <= cost + 1e-9);
    }

    /// Where the provider counts more than is assumed of it, one call alone can be over.
    #[test]
    fn a_provider_that_counts_more_is_underestimated_once(ratio in 1.0..2.0_f64, tokens in 300..3_000_u64) {
        let limits = Limits { max_input_tokens: 2_000, tokens_per_minute: u64::MAX, ..Limits::default() };
        let step = Step { tokens, output: 10, uses: 100, fails: 9, pause: 1, purpose: Purpose::Ordinary };
        let (sent, _) = run(&limits, &[step; 12], ratio);
        for call in sent.iter().skip(1) {
            prop_assert!(call.usage.input <= 2_000, "{sent:?}");
        }
    }

    /// What there is said to be room for is let through.
    #[test]
    fn there_is_as_much_room_as_is_said(limits in limits(), steps in prop::collection::vec(step(), 0..4), last: bool) {
        let clock = Arc::new(SkippingClock::new());
        let model = Scripted::new(MODEL, |request| {
            Ok(said("x", used(count_request_tokens(request), u64::from(request.max_output_tokens))))
        });
        let budgeted = budgeted(model, limits, clock);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        for step in steps {
            let _ = runtime.block_on(budgeted.complete_for_purpose(step.purpose, &sized(step.tokens, step.output), None));
        }
        let purpose = if last { Purpose::LastAnswer } else { Purpose::Ordinary };
        let room = budgeted.available_input_tokens(purpose, 300);
        let around = count_request_tokens(&sized(1, 300));
        if room > around + 5 {
            let request = sized(room - around - 5, 300);
            prop_assert!(count_request_tokens(&request) <= room);
            let reply = runtime.block_on(budgeted.complete_for_purpose(purpose, &request, None));
            prop_assert_eq!(reply.expect("room").usage.output, 300);
        }
    }
}

#[tokio::test]
async fn refusals_say_what_to_do_and_send_nothing() {
    let limits = Limits { max_total_tokens: Some(10_000), ..Limits::default() };
    let model = Scripted::new(MODEL, |_| Ok(said("x", used(1_500, 100))));
    let budgeted = budgeted(model.clone(), limits, Arc::new(SkippingClock::new()));
    let words = |error: ChatError| {
        assert!(matches!(error, ChatError::Budget(_)), "{error:?}");
        error.to_string()
    };
    let too_long = words(budgeted.complete(&sized(21_000, 500), None).await.expect_err("too long"));
    assert!(too_long.contains("over the limit of 20,000: send less"), "{too_long}");
    budgeted.complete(&sized(1_000, 500), None).await.expect("a reply");
    // 1,600 are used and 8,000 reserved.
    let ceiling = words(budgeted.complete(&sized(1_000, 500), None).await.expect_err("the ceiling"));
    assert!(
        ceiling.contains("the run's ceiling of 10,000 tokens is reached: 1,600 are used, 400 are left"),
        "{ceiling}"
    );
    assert_eq!(model.seen().len(), 1);
    budgeted.model_for_last_answer().complete(&sized(1_000, 500), None).await.expect("the last answer");
    assert_eq!(budgeted.spending().usage, used(3_000, 200));
    assert_eq!(budgeted.spending().to_string(), "2 calls, 3,000 tokens in and 200 out, $0.0076");
}

#[tokio::test]
async fn limits_are_kept_to_the_token() {
    let request = sized(1_000, 300);
    let counted = count_request_tokens(&request);
    let none = Reserve { input: 0, output: 0 };
    let at = |calls: u64, minute: u64, total: u64| Limits {
        max_input_tokens: calls,
        tokens_per_minute: minute,
        max_total_tokens: Some(total),
        max_cost: None,
        reserve: none,
    };
    // A reply of fewer than 256 tokens is not worth its call.
    let (call, least) = (counted, counted + 256);
    for (limits, is_sent) in [
        (at(call, least, least), true),
        (at(call - 1, least, least), false),
        (at(call, least - 1, least), false),
        (at(call, least, least - 1), false),
    ] {
        let model = Scripted::saying(&["x"]);
        let budgeted = budgeted(model.clone(), limits.clone(), Arc::new(SkippingClock::new()));
        assert_eq!(budgeted.complete(&request, None).await.is_ok(), is_sent, "{limits:?}");
        assert_eq!(model.seen().len(), usize::from(is_sent));
    }
}

#[tokio::test]
async fn a_reply_is_allowed_what_there_is_room_for() {
    let limits =
        Limits { max_total_tokens: Some(3_000), reserve: Reserve { input: 500, output: 500 }, ..Limits::default() };
    let model = Scripted::new(MODEL, |_| Ok(said("x", used(1_010, 100))));
    let budgeted = budgeted(model.clone(), limits, Arc::new(SkippingClock::new()));
    let request = sized(1_000, 4_000);
    let counted = count_request_tokens(&request);
    budgeted.complete(&request, None).await.expect("a reply");
    assert_eq!(u64::from(model.seen()[0].max_output_tokens), 2_000 - counted);
    // A reply of a few tokens is not worth its call.
    let error = budgeted.complete(&sized(800, 4_000), None).await.expect_err("an error");
    assert!(matches!(error, ChatError::Budget(_)), "{error}");
}

#[tokio::test]
async fn a_cost_can_be_limited_only_where_prices_are_known() {
    let limits = || Limits { max_cost: Some(0.01), ..Limits::default() };
    let unknown = Scripted::new("compatible/x", |_| Ok(said("x", used(10, 10))));
    let clock = Arc::new(SkippingClock::new());
    let rate_limiter = limits().new_rate_limiter(clock.clone());
    let error = BudgetedModel::new(Box::new(unknown.clone()), limits(), &Prices::built_in(), rate_limiter)
        .expect_err("an error");
    assert!(error.to_string().contains("the price of compatible/x is not known"), "{error}");
    let budgeted = budgeted(unknown, Limits::default(), clock.clone());
    budgeted.complete(&sized(10, 10), None).await.expect("a reply");
    assert_eq!(budgeted.spending().cost, None);
    assert!(budgeted.spending().to_string().ends_with("cost unknown"));

    // 2 dollars a million in, 8 out: half of the cent is kept.
    let reserve = Reserve { input: 500, output: 500 };
    let model = Scripted::new(MODEL, |_| Ok(said("x", used(1_000, 100))));
    let budgeted = super::budget::budgeted(model.clone(), Limits { reserve, ..limits() }, clock);
    budgeted.complete(&sized(1_000, 9_000), None).await.expect("a reply");
    let allowed = model.seen()[0].max_output_tokens;
    assert!((300..=375).contains(&allowed), "{allowed}");
    let error = budgeted.complete(&sized(2_000, 900), None).await.expect_err("an error").to_string();
    assert!(error.contains("the run's ceiling of $0.01 is reached"), "{error}");
}

#[tokio::test]
async fn replies_without_usage_count_as_estimated() {
    let model = Scripted::new(MODEL, |_| Ok(said("x", Usage::default())));
    let budgeted = budgeted(model, Limits::default(), Arc::new(SkippingClock::new()));
    budgeted.complete(&sized(1_000, 500), None).await.expect("a reply");
    let spent = budgeted.spending();
    assert_eq!((spent.estimated, spent.usage.output), (1, 500));
    assert!(spent.usage.input >= 1_000 && spent.to_string().contains("estimated"), "{spent}");
}

#[tokio::test]
async fn a_call_that_is_given_up_may_be_billed() {
    struct Never;
    impl ChatModel for Never {
        fn name(&self) -> &str {
            MODEL
        }
        fn complete<'a>(
            &'a self,
            _: &'a ChatRequest,
            _: Option<peelback_llm::TextCallback<'a>>,
        ) -> peelback_llm::ChatFuture<'a> {
            Box::pin(std::future::pending())
        }
    }
    let limits =
        Limits { max_total_tokens: Some(5_000), reserve: Reserve { input: 0, output: 0 }, ..Limits::default() };
    let rate_limiter = limits.new_rate_limiter(Arc::new(SystemClock::new()));
    let budgeted =
        BudgetedModel::new(Box::new(Never), limits, &Prices::built_in(), rate_limiter).expect("a metered model");
    let before = budgeted.available_input_tokens(Purpose::Ordinary, 500);
    let request = sized(1_000, 500);
    tokio::time::timeout(Duration::from_millis(20), budgeted.complete(&request, None)).await.expect_err("no reply");
    let spent = budgeted.spending();
    assert_eq!((spent.failed, spent.usage), (1, Usage::default()));
    assert_eq!(spent.possibly_billed, count_request_tokens(&request) + 500, "a reply may have been made");
    assert_eq!(budgeted.available_input_tokens(Purpose::Ordinary, 500), before - spent.possibly_billed);
}

#[tokio::test]
async fn calls_at_the_same_time_share_the_ceiling() {
    /// Answers after every call was planned.
    struct Later;
    impl ChatModel for Later {
        fn name(&self) -> &str {
            MODEL
        }
        fn complete<'a>(
            &'a self,
            request: &'a ChatRequest,
            _: Option<peelback_llm::TextCallback<'a>>,
        ) -> peelback_llm::ChatFuture<'a> {
            Box::pin(async move {
                tokio::task::yield_now().await;
                Ok(said("x", used(count_request_tokens(request), 10)))
            })
        }
    }
    let limits =
        Limits { max_total_tokens: Some(5_000), reserve: Reserve { input: 0, output: 0 }, ..Limits::default() };
    let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
    let budgeted =
        BudgetedModel::new(Box::new(Later), limits, &Prices::built_in(), rate_limiter).expect("a metered model");
    let request = sized(1_500, 500);
    let call = || budgeted.complete(&request, None);
    let (first, second, third) = tokio::join!(call(), call(), call());
    assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
    assert!(matches!(third, Err(ChatError::Budget(_))), "what the first two may use is held: {third:?}");
    // They used less, so there is room again.
    call().await.expect("a reply");
}

#[tokio::test]
async fn tries_that_break_count_in_the_ceiling() {
    for max_cost in [None, Some(0.02)] {
        let max_total_tokens = max_cost.is_none().then_some(5_000);
        let limits =
            Limits { max_total_tokens, max_cost, reserve: Reserve { input: 0, output: 0 }, ..Limits::default() };
        let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
        let shared = rate_limiter.clone();
        let setup = setup_with("openai/gpt-4.1", (0..9).map(|_| Reply::Drop).collect(), |options| {
            options.rate_limiter = Some(shared);
        });
        let budgeted =
            BudgetedModel::new(setup.model, limits, &Prices::built_in(), rate_limiter).expect("a metered model");
        let request = sized(1_000, 500);
        let once = count_request_tokens(&request) + 500;
        let error = budgeted.complete(&request, None).await.expect_err("an error");
        assert!(error.to_string().contains("does not allow another try"), "{error}");
        // Each may be billed: three of 1,500 tokens fit into 5,000, and two of 8 dollars a million into two cents.
        let tries = setup.server.requests().len() as u64;
        assert_eq!(tries, if max_cost.is_some() { 2 } else { 3 });
        let spent = budgeted.spending();
        assert_eq!((spent.possibly_billed, spent.failed), (tries * once, 1));
        assert!(matches!(budgeted.complete(&request, None).await, Err(ChatError::Budget(_))));
    }
}

#[tokio::test]
async fn a_try_that_broke_before_an_answer_is_not_forgotten() {
    let limits = Limits { max_total_tokens: Some(20_000), ..Limits::default() };
    let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
    let shared = rate_limiter.clone();
    let setup =
        setup_with(OPENAI, vec![Reply::Drop, ok(says(OPENAI, "x"))], |options| options.rate_limiter = Some(shared));
    let budgeted = BudgetedModel::new(setup.model, limits, &Prices::built_in(), rate_limiter).expect("a metered model");
    let request = sized(1_000, 500);
    budgeted.complete(&request, None).await.expect("a reply");
    let spent = budgeted.spending();
    assert_eq!((spent.calls, spent.possibly_billed), (1, count_request_tokens(&request) + 500));
    assert!(spent.to_string().contains("tokens more for tries that failed"), "{spent}");
}

#[tokio::test]
async fn numbers_that_no_server_should_report_break_nothing() {
    let limits = Limits { max_total_tokens: Some(50_000), ..Limits::default() };
    let model = Scripted::new(MODEL, |_| Ok(said("x", used(u64::MAX - 1, u64::MAX))));
    let budgeted = budgeted(model.clone(), limits, Arc::new(SkippingClock::new()));
    budgeted.complete(&sized(300, 500), None).await.expect("a reply");
    assert!(matches!(budgeted.complete(&sized(300, 500), None).await, Err(ChatError::Budget(_))));
    assert_eq!((budgeted.spending().usage.input, model.seen().len()), (u64::MAX - 1, 1));

    let mut sum = used(u64::MAX, 1);
    sum += used(1, u64::MAX);
    assert_eq!(sum, used(u64::MAX, u64::MAX));

    let half = Scripted::new(MODEL, |_| Ok(said("x", used(300, 0))));
    let budgeted = super::budget::budgeted(half, Limits::default(), Arc::new(SkippingClock::new()));
    budgeted.complete(&sized(300, 500), None).await.expect("a reply");
    assert_eq!((budgeted.spending().usage, budgeted.spending().estimated), (used(300, 500), 1));

    for max_cost in [f64::NAN, -1.0] {
        let limits = Limits { max_cost: Some(max_cost), ..Limits::default() };
        let rate_limiter = limits.new_rate_limiter(Arc::new(SkippingClock::new()));
        let error = BudgetedModel::new(Box::new(Scripted::saying(&[])), limits, &Prices::built_in(), rate_limiter)
            .expect_err("none");
        assert!(error.to_string().contains("not an amount of dollars"), "{error}");
    }
}

#[tokio::test]
async fn further_tries_of_a_call_count_in_the_minute() {
    let limits = Limits { tokens_per_minute: 2_000, ..Limits::default() };
    let clock = Arc::new(SkippingClock::new());
    let rate_limiter = limits.new_rate_limiter(clock.clone());
    let shared = rate_limiter.clone();
    let replies = vec![status(500, "{}"), ok(says(OPENAI, "x"))];
    let setup = setup_with(OPENAI, replies, |options| {
        options.rate_limiter = Some(shared);
        options.clock = clock.clone();
    });
    let budgeted = BudgetedModel::new(setup.model, limits, &Prices::built_in(), rate_limiter).expect("a metered model");
    budgeted.complete(&sized(800, 400), None).await.expect("a reply");
    // Twice 1,200 do not go in one minute.
    assert!(clock.time_since_clock_start() >= Duration::from_secs(60), "{:?}", clock.skipped_pauses());
    assert!(budgeted.spending().waited >= Duration::from_secs(59));
}
