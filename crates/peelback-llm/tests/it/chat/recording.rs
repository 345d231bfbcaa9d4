//! Exchanges kept, and given again.

use peelback_llm::{ChatError, ChatRequest, RecordingModel, ReplayedModel};

use super::*;

/// A conversation with an error in it; what came of each call.
async fn converse(model: &dyn ChatModel) -> Vec<String> {
    let mut told = Vec::new();
    for question in ["How?", "Why?", "When?"] {
        let asked =
            ChatRequest { messages: vec![Message::new_user_message(question)], tools: vec![outline()], ..request() };
        told.push(match model.complete(&asked, None).await {
            Ok(reply) => serde_json::to_string(&reply).expect("JSON"),
            Err(error) => format!("{error} {error:?}"),
        });
    }
    told
}

#[tokio::test]
async fn a_recording_is_rerun_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ALL {
        let file = |number: u32| folder.path().join(format!("{}.{number}.jsonl", name.replace('/', "-")));
        let (first, second) = (file(1), file(2));
        let setup = setup(name, vec![ok(calls(name)), status(404, "{\"error\":\"no\"}"), ok(says(name, "Now."))]);
        let live = converse(&RecordingModel::new(setup.model, &first).expect("a recorder")).await;
        let recorded = std::fs::read_to_string(&first).expect("a file");
        assert_eq!(recorded.lines().count(), 4);
        assert!(!recorded.contains(KEY) && recorded.contains("Shows a file's symbols."));

        let replay = ReplayedModel::read_recording(&first).expect("a recording");
        assert_eq!((replay.name(), replay.remaining_exchange_count()), (name, 3));
        let again = converse(&RecordingModel::new(Box::new(replay), &second).expect("a recorder")).await;
        assert_eq!(again, live, "{name}");
        assert_eq!(std::fs::read_to_string(&second).expect("a file"), recorded);
    }
}

#[tokio::test]
async fn another_request_is_an_error_that_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    let setup = setup(OPENAI, vec![ok(says(OPENAI, "Now."))]);
    let recorder = RecordingModel::new(setup.model, &path).expect("a recorder");
    recorder.complete(&request(), None).await.expect("a reply");

    let replay = ReplayedModel::read_recording(&path).expect("a recording");
    let other = ChatRequest { messages: vec![Message::new_user_message("How does it fail?")], ..request() };
    let words = replay.complete(&other, None).await.expect_err("an error").to_string();
    let place = "exchange 1, at /messages/0/text (from character 12): \"work?\" was sent, and now \"fail?\" would be";
    assert!(words.contains(place), "{words}");
    // The right one can still be asked; a second is one too many.
    let told = std::sync::Mutex::new(String::new());
    let watch = |piece: &str| told.lock().expect("text").push_str(piece);
    replay.complete(&request(), Some(&watch)).await.expect("a reply");
    assert_eq!(told.into_inner().expect("text"), "Now.");
    let words = replay.complete(&request(), None).await.expect_err("an error").to_string();
    assert!(words.contains("ends after 1 exchanges"), "{words}");
}

#[tokio::test]
async fn no_recording_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    let recorded = |replies| RecordingModel::new(setup(OPENAI, replies).model, &path);
    // One that was never used is not in the way.
    drop(recorded(Vec::new()).expect("a recorder"));
    assert!(!path.exists());
    let recorder = recorded(vec![ok(says(OPENAI, "Now."))]).expect("a recorder");
    assert!(recorded(Vec::new()).is_err(), "another is at it");
    recorder.complete(&request(), None).await.expect("a reply");
    drop(recorder);

    let paid = std::fs::read_to_string(&path).expect("a file");
    let error = recorded(Vec::new()).err().expect("an error");
    let words = error.to_string();
    assert!(matches!(error, ChatError::ReplayedModel(_)) && words.contains("choose another file"), "{words}");
    assert!(words.contains("run.jsonl already exists"), "{words}");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), paid);
    assert_eq!(ReplayedModel::read_recording(&path).expect("a recording").remaining_exchange_count(), 1);
}

#[test]
fn what_is_no_recording_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.jsonl");
    let told = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        ReplayedModel::read_recording(&path).err().expect("an error").to_string()
    };
    assert!(told("").contains("is not a recording") && told("{}\n").contains("is not a recording"));
    assert!(told("{\"peelback_recording\":9,\"model\":\"a/b\"}\n").contains("version 9"));
    assert!(told("{\"peelback_recording\":1,\"model\":\"a/b\"}\n{}\n").contains("in line 2"));
    let error = ReplayedModel::read_recording(&folder.path().join("none")).err().expect("an error");
    assert!(matches!(error, ChatError::ReplayedModel(_)) && error.to_string().contains("cannot be read"));
}
