//! Excerpts of texts whose secrets are known.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by a panic")]

use std::time::{Duration, Instant};

use peelback_secrets::{KnownSecrets, Stop, Stopped, mask_secrets_with};
use proptest::prelude::*;

/// Text of this length that looks random and is the same each time.
fn random_text(seed: u64, length: usize) -> String {
    const LETTERS: &[u8] = b"aZ3kQ9xB7mW2pL5vT8nR4cY6dF1gH0jSeUuIiOoPqKrEsDtGyJwNzMbVfClXhA";
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(LETTERS[usize::try_from(state >> 33).expect("a small number") % LETTERS.len()])
    };
    (0..length).map(next).collect()
}

/// A key block whose lines are these.
fn key_block(lines: &[&str]) -> String {
    let mark = |word: &str| format!("-----{word} {} KEY-----", "PRIVATE");
    [&[mark("BEGIN").as_str()][..], lines, &[mark("END").as_str(), ""][..]].concat().join("\n")
}

#[test]
fn ordinary_words_beside_secrets_stay_in_excerpts() {
    let key = random_text(1, 64);
    let words = ["subprocess", "shell", "payload", "getUserAccessTokenFromRequest", "InternalFrameTitlePaneMaximize"];
    let block = key_block(&[&[key.as_str()][..], &words].concat());
    let joined = format!(
        "DB_PASSWORD = \"{}\" + \"user\" + \"{}\"\nAPI_TOKEN = \"{}\" + \"lookupOfTheAccount\"\n",
        ["h7K", "q2!mZ"].concat(),
        ["x9Wt4", "4Lp"].concat(),
        random_text(8, 40)
    );
    let known = KnownSecrets::of_text(&format!("{block}\n{joined}"));
    for text in [
        "import subprocess\nsubprocess.Popen(payload, shell=True)\n",
        "def user(name):\n    return lookupOfTheAccount(user=name)\n",
        "InternalFrameTitlePaneMaximize = getUserAccessTokenFromRequest()\n",
    ] {
        assert_eq!(mask_secrets_with(text, &known).text, text);
    }
    assert!(!mask_secrets_with(&joined, &known).text.contains("lookup"), "the word is masked where it is a part");
    let parts = format!("a {key} b {} c\n", ["x9Wt4", "4Lp"].concat());
    assert_eq!(mask_secrets_with(&parts, &known).text, "a [masked] b [masked] c\n");
}

/// Whoever writes a repository can write code as a part of a password: that masks it there, and nowhere else.
#[test]
fn code_beside_a_secret_is_shown_elsewhere() {
    let (first, last) = (["h7K", "q2!mZ"].concat(), ["x9Wt4", "4Lp"].concat());
    for code in [
        "if(p[i]^k[j%4]&&!q){",
        "if(!ok){rm('-rf',h)}",
        "a9=b7c3^d5Xq;e2(f8Zw)",
        "k9Zq7x3Wp2=Lm4Rt8^zX2",
        "curl$IFS$9x9k2.io|sh4Qz",
        "@k9Zq7.x3Wp2Lm4Rt8Zw",
        "x9=Zq7 and k3Wp(2Lm4)",
    ] {
        for named in [
            format!("DB_PASSWORD = \"{first}\" + \"{code}\" + \"{last}\"\n"),
            format!("DB_PASSWORD = \"{code}\"\n"),
            format!("db:\n  password: |\n    {code}\n"),
        ] {
            let known = KnownSecrets::of_text(&named);
            let shown = format!("4:   {code}\n5:   }}\n");
            assert_eq!(mask_secrets_with(&shown, &known).text, shown, "{named}");
            // In the same text, too.
            let whole = format!("{named}def main():\n    {code}\n");
            let masked = mask_secrets_with(&whole, &KnownSecrets::of_text(&whole)).text.into_owned();
            assert!(masked.ends_with(&format!("    {code}\n")), "{masked}");
        }
    }
    // Keys and passwords of letters, digits and the signs of generators are known.
    for secret in [
        ["h7Kq2!mZ", "x9Wt#44Lp"].concat(),
        ["aZ3kQ9xB7mW2", "/pL5vT8nR4cY6+dF1gH0jS=="].concat(),
        ["eyJhbGciOiJIUzI1", "NiJ9.x3Wp2Lm4Rt8-Zw.Qz_7kM"].concat(),
    ] {
        let known = KnownSecrets::of_text(&format!("password: |\n  {secret}\n"));
        assert_eq!(mask_secrets_with(&format!("2:   {secret}\n"), &known).text, "2:   [masked]\n");
    }
}

/// Keys of few bytes that begin alike and end alike, so that each of their pieces stands in many of them.
#[test]
fn each_of_many_keys_that_are_alike_is_known() {
    let middle = random_text(11, 8);
    let key = |i: u64, j: u64| format!("{}{middle}{}", random_text(100 + i, 4), random_text(200 + j, 4));
    let all: Vec<String> = (0..20).flat_map(|i| (0..20).map(move |j| (i, j))).map(|(i, j)| key(i, j)).collect();
    let text: String = all.iter().enumerate().map(|(n, key)| format!("api_token_{n}={key}\n")).collect();
    let known = KnownSecrets::of_text(&text);
    let shown = all.iter().filter(|key| mask_secrets_with(&format!("7: {key}\n"), &known).text != "7: [masked]\n");
    assert_eq!(shown.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// More secrets than a text to be read has: all of it counts as one, which takes no memory.
#[test]
fn a_text_of_very_many_secrets_is_a_secret() {
    let line = |n: u64| format!("api_token_{n}={}\n", random_text(n, 40));
    let known = KnownSecrets::of_text(&(0..60_000).map(line).collect::<String>());
    assert!(known.is_everything());
    // Texts that are each small enough.
    let mut known = KnownSecrets::default();
    for part in 0..20 {
        known.add_secrets_of_text(&(0..3_000).map(|n| line(part * 3_000 + n)).collect::<String>());
    }
    assert!(known.is_everything());
    known.add_secrets_of_text("plain text");
    assert!(known.is_everything());
}

#[test]
fn a_mask_is_never_masked_again() {
    let key = random_text(2, 64);
    let text = key_block(&[&key, "masked", "the end of it"]);
    let known = KnownSecrets::of_text(&text);
    let masked = mask_secrets_with(&text, &known);
    assert!(!masked.text.contains(&key) && !masked.text.contains("[[") && masked.count <= 2, "{masked:?}");
    // A secret that holds the text of a mask.
    let odd = ["[masked]", &random_text(3, 20), "[masked", "ed]"].concat();
    let known = KnownSecrets::of_text(&format!("password=\"{odd}\"\n"));
    for shown in [odd.clone(), format!("a [masked]{} b", &odd[8..20]), odd[3..].to_owned()] {
        let once = mask_secrets_with(&shown, &known).text.into_owned();
        assert_eq!(mask_secrets_with(&once, &known).text, once, "{shown}");
    }
}

#[test]
fn nothing_is_shown_of_a_text_whose_reading_was_stopped() {
    let text = format!("password: {}\nplain words\n", random_text(4, 24)).repeat(300);
    let mut known = KnownSecrets::default();
    let calls = std::cell::Cell::new(0);
    let must_stop = || {
        calls.set(calls.get() + 1);
        calls.get() > 1
    };
    assert_eq!(known.add_secrets_of_text_unless_stopped(&text, Stop::when(&must_stop)), Err(Stopped));
    assert!(known.is_empty() && calls.get() == 2);
    // It is not remembered as a text without secrets.
    assert_eq!(known.add_secrets_of_text_unless_stopped(&text, Stop::when(&|| false)), Ok(()));
    assert!(!known.is_empty());
    let everything = KnownSecrets::everything();
    assert_eq!(mask_secrets_with("plain\n\nwords [masked]\n", &everything).text, "[masked]\n\n[masked]\n");
    assert_eq!(mask_secrets_with("[masked]\n", &everything).count, 0);
}

#[test]
fn many_known_secrets_and_cuts_take_little_time() {
    let secrets: Vec<String> = (0..20_000).map(|n| format!("api_token_{n}={}\n", random_text(n, 40))).collect();
    let all = secrets.concat();
    let known = KnownSecrets::of_text(&all);
    let start = Instant::now();
    for secret in secrets.iter().take(400) {
        assert_eq!(mask_secrets_with("plain line", &known).count, 0);
        let shown = format!("7: {}\n", &secret.trim_end()[16..]);
        // The same whole text again, as for each part of it that is sent somewhere.
        let known = if secret.contains("_1") { KnownSecrets::of_text(&all) } else { known.clone() };
        assert!(mask_secrets_with(&shown, &known).text.ends_with(": [masked]\n"), "{shown}");
    }
    for text in ["\u{2026}".repeat(18_000), format!("{}\u{2026}", &random_text(5, 30)).repeat(2_000)] {
        let _ = mask_secrets_with(&text, &known);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn known_secrets_that_are_alike_take_little_time() {
    let start = random_text(7, 12);
    let alike: String = (0..5_000).map(|n| format!("api_token_{n}={start}{start}{}\n", random_text(n, 12))).collect();
    let known = KnownSecrets::of_text(&alike);
    let began = Instant::now();
    let _ = mask_secrets_with(&start.repeat(5_000), &known);
    let shown = format!("x {start}{start}{} y", random_text(4_000, 12));
    assert_eq!(mask_secrets_with(&shown, &known).text, "x [masked] y");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// The text and its excerpts, masked with what the text shows, stay as they are when they are masked again.
    #[test]
    fn masking_a_masked_text_changes_nothing(
        text in "((password|api_key|token)[ =:\"'>(,]{1,3}([!-~]{0,40}|\\[masked\\]|masked\\]|\\[mask|\u{2026}){1,3}[\"']?\n|[A-Za-z0-9+/]{40,64}\nmasked\n|-----BEGIN PRIVATE KEY-----\n|-----END PRIVATE KEY-----\n|[a-z]{1,5}://[a-z]{3}:[!-~]{0,20}@h\n|\\[masked\\]\u{2026}){0,8}",
        from in 0_usize..200,
        length in 0_usize..200,
    ) {
        let known = KnownSecrets::of_text(&text);
        let excerpt: String = text.chars().skip(from).take(length).collect();
        for shown in [text, excerpt] {
            let once = mask_secrets_with(&shown, &known).text.into_owned();
            prop_assert_eq!(once.matches('\n').count(), shown.matches('\n').count());
            let again = mask_secrets_with(&once, &known);
            prop_assert_eq!(again.text, once.as_str());
        }
    }
}
