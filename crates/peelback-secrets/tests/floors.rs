//! What must be masked and what must not, with the floors that the crate promises, and what holds for any text.

#![allow(clippy::pedantic, clippy::restriction, missing_docs, reason = "a test fails by a panic")]

mod planted;

use peelback_secrets::{find_secrets, mask_secrets, mask_secrets_and_count};
use planted::{ANY, Case, Random, lookalikes, planted};
use proptest::prelude::*;

const SEED: u64 = 3;

fn wrong(cases: &[Case], is_shown: bool) -> Vec<&'static str> {
    cases.iter().filter(|case| case.is_shown_in(&mask_secrets(&case.text)) == is_shown).map(|case| case.form).collect()
}

#[test]
fn nearly_all_planted_secrets_are_masked() {
    let cases = planted(SEED, 3);
    let missed = wrong(&cases, true);
    assert!(cases.len() >= 400, "{}", cases.len());
    assert!(missed.len() * 100 <= cases.len() * 3, "{} of {}: {missed:?}", missed.len(), cases.len());
}

#[test]
fn hardly_any_lookalike_is_masked() {
    let cases = lookalikes(SEED, 8);
    let masked = wrong(&cases, false);
    assert!(cases.len() >= 300, "{}", cases.len());
    assert!(masked.len() * 100 <= cases.len() * 3, "{} of {}: {masked:?}", masked.len(), cases.len());
}

/// A message in one line, as errors repeat what they received, and a quoted text, alone and within another.
#[test]
fn escapes_hide_no_secret_and_make_none() {
    type Escape = fn(&str) -> String;
    let escapes: [(&str, Escape); 3] = [
        ("line", |text| format!("not found: {}", text.replace('\n', "\\u{a}").replace('\r', "\\u{d}"))),
        ("quoted", |text| format!("not found: {:?}", format!("a/b\n{text}"))),
        ("quoted in quotes", |text| format!("{{\"said\": {:?}}}", format!("{{\"text\": {text:?}}}"))),
    ];
    for (name, escape) in escapes {
        for (is_shown, floor, cases) in [(true, 400, planted(SEED, 3)), (false, 300, lookalikes(SEED, 8))] {
            let is_wrong = |case: &&Case| {
                let escaped = escape(&case.text);
                // What is written otherwise is shown by no part of it.
                case.is_shown_in(&escaped) && case.is_shown_in(&mask_secrets(&escaped)) == is_shown
            };
            let wrong: Vec<_> = cases.iter().filter(is_wrong).map(|case| case.form).collect();
            println!("{name}: {} of {}: {wrong:?}", wrong.len(), cases.len());
            assert!(cases.len() >= floor && wrong.len() * 100 <= cases.len() * 3, "{name}: {wrong:?}");
        }
    }
}

/// A hint under a message names the last part of what the message repeats.
#[test]
fn what_is_secret_once_is_masked_where_it_is_repeated() {
    let mut random = Random::new(SEED);
    for _ in 0..50 {
        let (value, tail) = (random.text(24, ANY), random.text(24, ANY));
        let text = format!(
            "password={value}/{tail}\nhint: find_files --query '{tail}'\nalso {value}/{tail}, not parcels/{value}\n"
        );
        let masked = "password=[masked]\nhint: find_files --query '[masked]'\nalso [masked], not parcels/".to_owned()
            + &value
            + "\n";
        assert_eq!(mask_secrets(&text), masked, "{text}");
    }
    // A short value, or a word, can be part of something else.
    let short = ["hR7k", "Q!z2"].concat();
    let text = format!("password={short}\n{short} is not told\n");
    assert_eq!(mask_secrets(&text), format!("password=[masked]\n{short} is not told\n"));
}

/// Values of one kind of character, which are short.
#[test]
fn short_random_passwords_of_one_kind_are_masked() {
    let mut random = Random::new(SEED);
    let forms = ["DB_PASSWORD = \"", "password: '", "{\"password\": \"", "url = \"postgres://app:"];
    let mut missed = Vec::new();
    for n in 0..400 {
        let value =
            if n % 4 == 3 { random.text(10, "0123456789") } else { random.text(12, "abcdefghijklmnopqrstuvwxyz") };
        let (open, close) = (forms[n % 3], forms[n % 3].chars().last().unwrap_or('"'));
        let text = match n % 8 {
            7 => format!("{}{value}@db.shop.io/x\"\n", forms[3]),
            _ => format!("{open}{value}{close}\n"),
        };
        if mask_secrets(&text).contains(&value) {
            missed.push(value);
        }
    }
    assert!(missed.len() <= 24, "{} of 400: {missed:?}", missed.len());
    for word in [
        "fakehashedsecret",
        "somepassword",
        "coneofsilence",
        "settingpassword",
        "authentication",
        "testclient",
        "optionpassword",
        "SCRAMAUTHENTICATION",
        "1920x1080",
        "20240131",
        "str0ngPa$$word!",
    ] {
        let text = format!("password = \"{word}\"\n");
        assert_eq!(mask_secrets(&text), text);
    }
    let text = "login(\"user.login.title\", \"Sign-in=1\")\npw = 1920x1080\n";
    assert_eq!(mask_secrets(text), text);
}

/// What stands beside the word for a password may be random: the word alone spares nothing.
#[test]
fn a_disguised_word_spares_no_password_that_has_more() {
    let word = |parts: &[&str]| parts.concat();
    let more = [
        word(&["P@ss", "w0rd!2024"]),
        word(&["P@ss", "w0rd!2024#"]),
        word(&["kX9P@ss", "w0rdQ7z2Lm"]),
        word(&["Pa$$", "w0rd#81Kq"]),
        word(&["MyP4ss", "word!99Zk"]),
        word(&["P455", "w0rD-9xQ2"]),
    ];
    for value in more {
        for text in [format!("DB_PASSWORD = \"{value}\"\n"), format!("[db]\nDB_PASSWORD={value}\n")] {
            assert!(!mask_secrets(&text).contains(&value), "{text}");
        }
    }
    for value in [word(&["str0ngPa$$", "word!"]), word(&["P@ss", "w0rd"]), word(&["MyP4ss", "word"])] {
        let text = format!("DB_PASSWORD = \"{value}\"\n");
        assert_eq!(mask_secrets(&text), text);
    }
}

/// An apostrophe of a comment opens no string, so that what the outer brackets read hides no list within.
#[test]
fn a_list_within_a_map_is_read_where_comments_have_apostrophes() {
    let secret = ["aB3dE5fG", "7hJ9kL2m"].concat();
    let text = format!("tokens = {{ /* it's */ api_keys: [\"off\", \"{secret}\"], /* that's */ }}\n");
    assert!(!mask_secrets(&text).contains(&secret), "{}", mask_secrets(&text));
    let many: String = (0..40).map(|n| format!("x{n}: 'on', ")).collect();
    let text = format!("tokens = {{ {many} api_keys: [{}\"{secret}\"] }}\n", "'off', ".repeat(20));
    assert!(!mask_secrets(&text).contains(&secret), "{}", mask_secrets(&text));
}

#[test]
fn masking_keeps_lines_counts_and_changes_nothing_twice() {
    for case in planted(SEED, 1) {
        let masked = mask_secrets_and_count(&case.text);
        assert_eq!(masked.text.matches('\n').count(), case.text.matches('\n').count(), "{}", case.form);
        assert_eq!(mask_secrets(&masked.text), masked.text, "{}", case.form);
        assert_eq!(masked.count > 0, masked.text.contains("[masked]"), "{}", case.form);
    }
}

/// Time that would show a step that is not linear: a megabyte of each takes well under a second where nothing else runs.
#[test]
fn hostile_texts_take_linear_time() {
    let mut random = Random::new(SEED);
    let line = "password=\"".repeat(100_000);
    let texts = [
        "a".repeat(1 << 20),
        "key=".repeat(1 << 18),
        "ey".repeat(1 << 19),
        "token ".repeat(1 << 17),
        "://".repeat(1 << 18),
        "curl -u ".repeat(1 << 17),
        line,
        random.text(1 << 20, ANY),
        (0..100_000).map(|n| format!("secret_{n}=x\n")).collect::<String>(),
        "kind: Secret\ndata:\n".repeat(40_000),
        "\"\\\"".repeat(1 << 18) + "password: \"",
        "\\n".repeat(1 << 19),
        "\\\\n".repeat(1 << 18),
        "token=\\n\n".repeat(1 << 16),
        format!("{}n", "\\".repeat(1 << 20)),
        // What a name opens and nothing closes, each within the one before.
        "token=\u{201c}".repeat(1 << 16),
        "tokens=[\u{201c}".repeat(1 << 16),
        "tokens=[\"aB3dE5fG7hJ9\" ".repeat(1 << 15),
        "token>".repeat(1 << 17),
        format!("token={}.", ["aB3d", "E5fG7"].concat()).repeat(1 << 15),
        "token><![CDATA[".repeat(1 << 16),
        "<token a=b>x".repeat(1 << 16),
        "tokens:\n  a: aB3dE5fG7hJ9\n".repeat(1 << 15),
        "vault write a ".repeat(1 << 15),
        "curl -x -u ".repeat(1 << 15),
        "--password-stdin echo ".repeat(1 << 14),
        "set password ".repeat(1 << 15),
        " -p mysql ".repeat(1 << 15),
        "login(\"a\", ".repeat(1 << 15),
    ];
    for text in texts {
        let start = std::time::Instant::now();
        let _ = find_secrets(&text);
        let took = start.elapsed();
        println!("{:>8} bytes, {took:?}: {:?}…", text.len(), text.chars().take(20).collect::<String>());
        assert!(took.as_secs() < 8, "{took:?} for {:?}…", text.chars().take(20).collect::<String>());
    }
}

proptest! {
    #[test]
    fn any_text_is_accepted(text in "([ -~\\t]{0,60}\n|(password|api_key|token)[ =:\"'>(,]{1,3}[!-~]{0,40}\n|[a-z]{1,5}://[!-~]{0,20}@h\r\n|\"é世…[masked]\n|(token|key)(=|: )([!-~]{0,20}(\\\\n|\\\\u\\{a\\}|\\\\\"|\\\\)){0,4}\n){0,10}") {
        let masked = mask_secrets(&text).into_owned();
        prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(mask_secrets(&masked), masked.clone());
    }
}
