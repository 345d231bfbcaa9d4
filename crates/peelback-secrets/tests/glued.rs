//! Tokens that stand beside letters or `_`, as in names of folders and variables.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by a panic")]

use peelback_secrets::mask_secrets;

#[test]
fn tokens_glued_to_a_name_are_masked() {
    let mut state = 7_u64;
    let mut letters = |alphabet: &str, count: usize| -> String {
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(alphabet.as_bytes()[usize::try_from(state >> 33).unwrap_or(0) % alphabet.len()])
            })
            .collect()
    };
    const SMALL: &str = "q7w2e9r4t6y8u3i5opasdfghjklzxcvbnmQWERTYUIOPASDFGHJKLZXCVBNM";
    // In parts, so that this file holds nothing that looks like a token.
    let account = ["AK", "IA", "Q3WZ7TXN", "5KDJ2MVB"].concat();
    let tokens = [
        account.clone(),
        format!("AIza{}", letters(SMALL, 35)),
        format!("hf_{}", letters("qzwxecrvtbynumikolpajshdgf", 34)),
        format!("SG.{}.{}", letters(SMALL, 22), letters(SMALL, 43)),
        format!("eyJ{}.eyJ{}.{}", letters(SMALL, 20), letters(SMALL, 30), letters(SMALL, 43)),
    ];
    for token in &tokens {
        for text in [format!("my_{token}"), format!("see KEY_{token} here"), format!("x \"prod_{token}\"")] {
            let masked = mask_secrets(&text);
            assert!(!masked.contains(token.as_str()), "{text}: {masked}");
        }
    }
    let path = format!("backup_{account}_old/x.txt");
    let masked = mask_secrets(&path);
    assert!(!masked.contains(account.as_str()), "{masked}");
    for plain in ["REGION_ASIAPACIFICSOUTHEAST = 3", "SOUTH_ASIAPACIFICSOUTHEAST_ONE", "self.monkey_eyelid.eyes.none"] {
        assert_eq!(mask_secrets(plain), plain);
    }
}
