//! What a reply says as values is what its JSON says.

use std::fs;
use std::time::{Duration, Instant};

use peelback_code::{CancellationToken, CodeAccess, Project};
use peelback_tools::{OutputOptions, Reply, ReplyStatus, tool_by_name_or_alias};
use serde_json::{Value, json};

/// The reply of a tool in a project of `count` files.
fn reply(count: usize, tool: &str, arguments: Value) -> Reply {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    for index in 0..count {
        fs::write(folder.path().join(format!("file{index}.py")), "def main():\n    pass\n").expect("a file");
    }
    let access = CodeAccess::new(Project::discover(Some(folder.path()), None).expect("a project"));
    tool_by_name_or_alias(tool).expect("a tool").run_call(&access, arguments)
}

#[test]
fn an_answer_with_more_rows_says_how_to_go_on() {
    let reply = reply(3, "outline", json!({ "limit": 1, "format": "json" }));
    let written: Value = serde_json::from_str(&reply.formatted_output()).expect("JSON");
    let overflow = reply.omitted_rows_summary().expect("more rows");
    assert_eq!((overflow.shown, overflow.total, overflow.next_offset), (1, 3, Some(1)));
    assert_eq!(written["overflow"]["shown"], overflow.shown);
    assert_eq!(written["overflow"]["total"], overflow.total);
    let calls: Vec<String> = overflow
        .alternatives
        .iter()
        .map(|alternative| format!("{}:\n{}", alternative.result_description, reply.format_call(&alternative.call)))
        .collect();
    assert_eq!(written["overflow"]["hint"], calls.join("\n"));
    let next = overflow.alternatives.last().expect("the next page").call.clone();
    assert!(reply.format_call(&next).contains(" --format json"));
    assert!(!reply.format_call(&next.without_argument(OutputOptions::FORMAT)).contains("format"));
    let evidence = reply.completeness_evidence().expect("the evidence");
    assert_eq!(written["evidence"]["completeness"], evidence.completeness.as_str());
}

#[test]
fn an_answer_with_all_rows_has_no_overflow() {
    assert!(reply(3, "outline", json!({})).omitted_rows_summary().is_none());
    let bare = reply(3, "outline", json!({ "limit": 1, "max_tokens": 1 }));
    assert_eq!(
        bare.formatted_output().contains("none fits"),
        bare.omitted_rows_summary().is_none(),
        "{}",
        bare.formatted_output()
    );
}

#[test]
fn errors_have_guidance_and_no_evidence() {
    let reply = reply(1, "outline", json!({ "path": "file.py", "format": "json" }));
    let written: Value = serde_json::from_str(&reply.formatted_output()).expect("JSON");
    let guidance = reply.guidance().expect("guidance");
    let call = guidance.message().calls().next().expect("a call");
    assert_eq!(written[guidance.level_name()], format!("did you mean file0.py?\n{}", reply.format_call(call)));
    assert!(reply.completeness_evidence().is_none() && reply.omitted_rows_summary().is_none());
}

#[test]
fn an_error_fits_the_smallest_budget() {
    for (tool, name) in [("tree", "depth"), ("grep", "limit"), ("find_symbols", "kind")] {
        for value in
            ["é", "漢", "{}", "\u{202e}", "\u{1f600}", "x/y.z "].iter().flat_map(|text| (1..25).map(|n| text.repeat(n)))
        {
            for format in ["text", "json"] {
                let arguments = json!({ name: value, "path": "file0.py", "max_tokens": 50, "format": format });
                let output = reply(1, tool, arguments).formatted_output();
                assert!(peelback_tokens::estimate_tokens(&output) <= 50, "{tool}: {output}");
            }
        }
    }
}

#[test]
fn the_example_of_an_error_holds_no_value_that_is_refused() {
    for entry in [json!(true), json!([true]), json!([null, "*.py"]), json!({ "a": 1 })] {
        // A second argument is wrong, so that the first one is repeated in the example.
        let failed = reply(1, "grep", json!({ "pattern": "main", "glob": entry, "limit": "many" }));
        let example = failed.guidance().expect("an example").message().calls().next().expect("a call").clone();
        let again = reply(1, "grep", Value::Object(example.arguments().clone()));
        assert!(
            !matches!(again.status, peelback_tools::ReplyStatus::InvalidArguments { .. }),
            "{entry}: {}",
            again.formatted_output()
        );
    }
}

#[test]
fn an_answer_whose_secrets_are_not_known_in_time_is_withheld() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let secret = ["hR7kQz", "2mW9xLp4"].concat();
    fs::write(folder.path().join("a.cfg"), format!("password = \"{secret}\"\nplain = 1\n")).expect("a file");
    let reply = |cancellation: &CancellationToken, format: &str| {
        let project = Project::discover(Some(folder.path()), None).expect("a project");
        let access = CodeAccess::new(project.with_cancellation(cancellation.clone()));
        let arguments = json!({ "path": "a.cfg", "ranges": "1-2", "format": format });
        tool_by_name_or_alias("read_lines").expect("a tool").run_call(&access, arguments)
    };
    for format in ["text", "json"] {
        let cancellation = CancellationToken::default();
        let answer = reply(&cancellation, format);
        assert!(answer.formatted_output().contains("plain = 1"), "{}", answer.formatted_output());
        cancellation.cancel();
        let withheld = answer.with_masked_secrets();
        assert!(matches!(withheld.status, ReplyStatus::Failed(_)), "{withheld:?}");
        let text = withheld.formatted_output();
        assert!(!text.contains("plain") && !text.contains(&secret) && text.contains("could not be masked"), "{text}");
    }
    // The deadline leaves time to mask what the call has by then. On a busy machine the call may need more time before it.
    let answered = [1, 4, 16, 60].into_iter().find_map(|seconds| {
        let cancellation = CancellationToken::with_deadline(Instant::now() + Duration::from_secs(seconds));
        let answer = reply(&cancellation, "text");
        cancellation.stop_cause().is_none().then_some((cancellation, answer))
    });
    let (cancellation, answer) = answered.expect("the call ends before its deadline");
    wait_for_deadline(&cancellation);
    let text = answer.with_masked_secrets().formatted_output();
    assert!(text.contains("plain = 1") && !text.contains(&secret), "{text}");
}

fn wait_for_deadline(cancellation: &CancellationToken) {
    while cancellation.stop_cause().is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whatever an answer shows of a file whose secrets take longer to find than a call has after its deadline, it shows no
/// secret of it, and soon.
#[test]
fn a_deadline_ends_a_long_search_for_secrets() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder");
    let secret = |index: u32| {
        let letters =
            (0..40_u32).map(|place| (index.wrapping_mul(2_654_435_761) ^ (place * 40_503)).wrapping_mul(97) >> 9);
        letters.map(|number| char::from(b"aB3dE5fG7hJ9kL2mNpQrStUvWxYz0123"[number as usize % 32])).collect::<String>()
    };
    let lines: String = (0..1_000_000).map(|index| format!("api_token_{index} = \"{}\"\n", secret(index))).collect();
    fs::write(folder.path().join("a.cfg"), lines).expect("a file");
    let cancellation = CancellationToken::with_deadline(Instant::now() + Duration::from_secs(1));
    let project = Project::discover(Some(folder.path()), None).expect("a project");
    let access = CodeAccess::new(project.with_cancellation(cancellation.clone()));
    let lines = json!({ "path": "a.cfg", "ranges": "7-8" });
    let answer = tool_by_name_or_alias("read_lines").expect("a tool").run_call(&access, lines);
    wait_for_deadline(&cancellation);
    let began = Instant::now();
    let text = answer.with_masked_secrets().formatted_output();
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert!(!text.contains(&secret(6)) && !text.contains(&secret(7)), "{text}");
    assert!(text.contains("could not be masked"), "{text}");
}
