//! Models that run on this machine: a tiny one that the test makes, and a real one where there is one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::requirement::requirement;
use candle_core::{Device, Tensor};
use peelback_llm::{EmbeddingError, EmbeddingModel, LocalModel};
use serde_json::{Value, json};
use tempfile::TempDir;

const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "how", "does", "a", "user", "log", "in", "parse", "tree"];

/// Numbers that look random and are the same every time, between -0.5 and 0.5.
fn numbers(count: usize, seed: &mut u32) -> Vec<f32> {
    let mut next = || {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*seed >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// A folder with a BERT of two layers whose weights are made from `seed`.
fn folder(seed: u32) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (width, inner, positions) = (8, 16, 10);
    write(
        &folder,
        "config.json",
        &json!({
            "vocab_size": WORDS.len(), "hidden_size": width, "num_hidden_layers": 2, "num_attention_heads": 2,
            "intermediate_size": inner, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
            "max_position_embeddings": positions, "type_vocab_size": 2, "initializer_range": 0.02,
            "layer_norm_eps": 1e-12, "pad_token_id": 0, "model_type": "bert",
        }),
    );
    let vocabulary: serde_json::Map<String, Value> =
        WORDS.iter().enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    write(
        &folder,
        "tokenizer.json",
        &json!({
            "version": "1.0",
            // Both are to be overridden.
            "truncation": { "max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right" },
            "padding": { "strategy": { "Fixed": 9 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                         "pad_type_id": 0, "pad_token": "[PAD]" },
            "added_tokens": [],
            "normalizer": null,
            "pre_tokenizer": { "type": "Whitespace" },
            "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] },
            "decoder": null,
            "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
        }),
    );

    let mut seed = seed;
    let mut tensors = HashMap::new();
    let mut add = |name: String, shape: &[usize]| {
        // As in trained models: scales of layers near 1, so that what goes in is seen in what comes out.
        let scale = if name.ends_with("LayerNorm.weight") { 1.0 } else { 0.0 };
        let values = numbers(shape.iter().product(), &mut seed).into_iter().map(|x| x + scale).collect();
        tensors.insert(name, Tensor::from_vec(values, shape, &Device::Cpu).expect("a tensor"));
    };
    for layer in 0..2 {
        let layer = format!("encoder.layer.{layer}");
        for (part, from, to) in [
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("intermediate.dense", width, inner),
            ("output.dense", inner, width),
        ] {
            add(format!("{layer}.{part}.weight"), &[to, from]);
            add(format!("{layer}.{part}.bias"), &[to]);
        }
    }
    for norm in [
        "embeddings.LayerNorm",
        "encoder.layer.0.attention.output.LayerNorm",
        "encoder.layer.0.output.LayerNorm",
        "encoder.layer.1.attention.output.LayerNorm",
        "encoder.layer.1.output.LayerNorm",
    ] {
        add(format!("{norm}.weight"), &[width]);
        add(format!("{norm}.bias"), &[width]);
    }
    for (table, rows) in [("word", WORDS.len()), ("position", positions), ("token_type", 2)] {
        add(format!("embeddings.{table}_embeddings.weight"), &[rows, width]);
    }
    candle_core::safetensors::save(&tensors, folder.path().join("model.safetensors")).expect("weights");
    folder
}

fn write(folder: &TempDir, name: &str, content: &Value) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, content.to_string()).expect("a file");
}

/// `config.json` of `folder` with one field changed.
fn change(folder: &TempDir, key: &str, value: Value) {
    let text = std::fs::read_to_string(folder.path().join("config.json")).expect("config.json");
    let mut config: Value = serde_json::from_str(&text).expect("JSON");
    config[key] = value;
    write(folder, "config.json", &config);
}

fn open(folder: &TempDir) -> LocalModel {
    LocalModel::load_from_folder(folder.path()).expect("a model")
}

fn one(model: &LocalModel, text: &str) -> Vec<f32> {
    model.embed(&[text], None).expect("a vector").remove(0)
}

/// The largest difference between two numbers in the same place.
fn apart(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_have_length_one_and_do_not_depend_on_their_batch() {
    let folder = folder(1);
    let model = open(&folder);
    assert_eq!(model.host(), None);
    // More than a batch, of all lengths, the longest first and some too long.
    let texts: Vec<String> =
        (0..40).rev().map(|n| WORDS[4..].iter().cycle().take(n % 13).copied().collect::<Vec<_>>().join(" ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.embed(&texts, None).expect("vectors");
    assert_eq!(vectors.len(), texts.len());
    for (text, vector) in texts.iter().zip(&vectors) {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
        assert!(apart(vector, &one(&model, text)) < 1e-5, "{text}");
    }
    assert!(apart(&one(&model, "user log in"), &one(&model, "parse a tree")) > 1e-3);
    assert!(model.embed(&[], None).expect("no vectors").is_empty());
}

#[test]
fn texts_are_cut_where_the_model_ends_and_no_earlier() {
    let folder = folder(1);
    let model = open(&folder);
    // 10 positions, two of which are taken by what stands around a text.
    let eight = "how does a user log in how does";
    assert!(apart(&one(&model, eight), &one(&model, &format!("{eight} parse tree"))) < 1e-6);
    assert!(apart(&one(&model, eight), &one(&model, "how does a user log in how parse")) > 1e-3);
    assert!(apart(&one(&model, eight), &one(&model, &format!("{eight} {}", "tree ".repeat(1_000_000)))) < 1e-6);

    write(&folder, "sentence_bert_config.json", &json!({ "max_seq_length": 5, "do_lower_case": true }));
    let model = open(&folder);
    assert!(apart(&one(&model, "how does a user"), &one(&model, "HOW does a tree")) < 1e-6);
    assert!(apart(&one(&model, "how does a"), &one(&model, "how does user")) > 1e-3);
}

#[test]
fn pooling_is_as_the_folder_says() {
    let folder = folder(1);
    let text = "does a user log in";
    let unsaid = one(&open(&folder), text);
    write(
        &folder,
        "1_Pooling/config.json",
        &json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false }),
    );
    assert!(apart(&one(&open(&folder), text), &unsaid) < 1e-6);
    write(&folder, "1_Pooling/config.json", &json!({ "pooling_mode_cls_token": true }));
    let first = one(&open(&folder), text);
    assert!(apart(&first, &unsaid) > 1e-3);
    write(&folder, "1_Pooling/config.json", &json!({ "pooling_mode": "cls" }));
    assert!(apart(&one(&open(&folder), text), &first) < 1e-6);
    for other in [
        json!({ "pooling_mode_max_tokens": true }),
        json!({ "pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true }),
        json!({ "pooling_mode": "lasttoken" }),
        json!({}),
    ] {
        write(&folder, "1_Pooling/config.json", &other);
        refused(&folder, "1_Pooling/config.json", "only pooling by the mean");
    }
}

#[test]
fn the_name_changes_with_what_the_vectors_depend_on() {
    let first = folder(1);
    let name = open(&first).name().to_owned();
    assert!(name.starts_with("local:bert-8-"), "{name}");
    assert_eq!(open(&folder(1)).name(), name, "another folder with the same files");
    assert_ne!(open(&folder(2)).name(), name, "other weights");
    change(&first, "layer_norm_eps", json!(1e-6));
    let changed = open(&first).name().to_owned();
    assert_ne!(changed, name);
    write(&first, "sentence_bert_config.json", &json!({ "max_seq_length": 6 }));
    assert_ne!(open(&first).name(), changed);
}

#[test]
fn the_deadline_is_kept() {
    let folder = folder(1);
    let model = open(&folder);
    let error = model.embed(&["how"], Some(Instant::now())).expect_err("an error");
    assert!(matches!(error, EmbeddingError::Deadline), "{error}");
    // Far more than can be done in that time.
    let begun = Instant::now();
    let error = model.embed(&["how does a user log in"; 1_000_000], Some(begun + Duration::from_millis(200)));
    assert!(matches!(error, Err(EmbeddingError::Deadline)));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_missing_file_is_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder(1);
        std::fs::remove_file(folder.path().join(name)).expect("removed");
        let error = LocalModel::load_from_folder(folder.path()).expect_err(name);
        assert!(matches!(&error, EmbeddingError::Missing { file } if file.ends_with(name)), "{error}");
        assert!(error.to_string().contains(&format!("{name} is missing: ")), "{error}");
    }
    let nowhere = PathBuf::from("/nowhere/at/all");
    assert!(matches!(LocalModel::load_from_folder(&nowhere), Err(EmbeddingError::Missing { .. })));
}

/// That `folder` does not open, for a `reason` in the file `name`.
fn refused(folder: &TempDir, name: &str, reason: &str) {
    let error = LocalModel::load_from_folder(folder.path()).expect_err(reason);
    assert!(matches!(&error, EmbeddingError::File { file, .. } if file.ends_with(name)), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn a_folder_that_does_not_fit_together_is_refused() {
    for (key, value, name, reason) in [
        ("model_type", json!("roberta"), "config.json", "only bert is supported"),
        ("num_attention_heads", json!(0), "config.json", "not a multiple"),
        ("num_attention_heads", json!(3), "config.json", "not a multiple"),
        ("hidden_size", json!(0), "config.json", "not a multiple"),
        ("hidden_size", json!(16), "model.safetensors", "shape"),
        ("hidden_size", json!(-1), "config.json", "invalid value"),
        ("pad_token_id", json!(12), "config.json", "pad_token_id"),
        ("hidden_act", json!("swish"), "config.json", "swish"),
        ("position_embedding_type", json!("relative_key"), "config.json", "relative_key"),
        ("num_hidden_layers", json!(3), "model.safetensors", "layer.2"),
        ("max_position_embeddings", json!(2), "tokenizer.json", "no text fits"),
        ("vocab_size", json!(11), "tokenizer.json", "another model's"),
    ] {
        let folder = folder(1);
        change(&folder, key, value);
        refused(&folder, name, reason);
    }
    let folder = folder(1);
    write(&folder, "modules.json", &json!([{ "type": "sentence_transformers.models.Normalize" }]));
    open(&folder);
    write(&folder, "modules.json", &json!([{ "type": "sentence_transformers.models.Dense" }]));
    refused(&folder, "modules.json", "Dense");
}

#[test]
fn damaged_files_are_refused() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let folder = folder(1);
        let path = folder.path().join(name);
        let whole = std::fs::read(&path).expect("a file");
        for content in [&b""[..], b"{", b"[1, 2]", b"\xff\xff\xff\xff\xff\xff\xff\xff", &whole[..whole.len() / 2]] {
            std::fs::write(&path, content).expect("a file");
            refused(&folder, name, "cannot be used");
        }
    }
}

/// The folder of all-MiniLM-L6-v2, which `bench/fetch-model.sh` fetches.
fn real() -> Option<LocalModel> {
    let folder = requirement("PEELBACK_TEST_MODEL", "bench/fetch-model.sh")?;
    let begun = Instant::now();
    let model = LocalModel::load_from_folder(Path::new(&folder)).expect("all-MiniLM-L6-v2");
    eprintln!("{} was open after {:?}", model.name(), begun.elapsed());
    Some(model)
}

#[test]
fn a_real_model_gives_the_vectors_of_the_reference() {
    let Some(model) = real() else { return };
    let vector = one(&model, "How does authentication work?");
    eprintln!("{:?}", &vector[..4]);
    assert_eq!(vector.len(), 384);
    // By a plain implementation of BERT with numbers of 64 bits.
    assert!(apart(&vector[..4], &[-0.04001, 0.03652, -0.05327, -0.04921]) < 1e-4, "{:?}", &vector[..4]);
}

#[test]
fn a_real_model_knows_what_is_alike() {
    let Some(model) = real() else { return };
    let texts = [
        "How does authentication work?",
        "fn verify_password(user: &User, password: &str) -> Result<Session, LoginError>",
        "The parser builds a syntax tree from tokens.",
        "Users log in with a name and a password.",
    ];
    let vectors = model.embed(&texts, None).expect("vectors");
    for (text, vector) in texts.iter().zip(&vectors) {
        assert!(apart(vector, &one(&model, text)) < 1e-5, "{text}");
    }
    let likeness = |at: usize| cosine(&vectors[0], &vectors[at]);
    eprintln!("{} {} {}", likeness(1), likeness(3), likeness(2));
    assert!(likeness(1) > likeness(2) + 0.1 && likeness(3) > likeness(2) + 0.1);
}

#[test]
fn a_real_model_takes_a_folder_of_chunks() {
    let Some(model) = real() else { return };
    let source = include_str!("endpoint.rs");
    let chunks: Vec<&str> = (0..50)
        .map(|n| {
            let at = source.floor_char_boundary(n * (source.len() - 800) / 50);
            &source[at..source.floor_char_boundary(at + 750)]
        })
        .collect();
    let begun = Instant::now();
    let vectors = model.embed(&chunks, None).expect("vectors");
    eprintln!("50 chunks of 750 bytes took {:?}", begun.elapsed());
    assert_eq!(vectors.len(), 50);
}
