use proptest::prelude::*;

use super::*;

/// Generates text that looks random and is equal in every test run.
fn random(length: usize, alphabet: &str) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..length)
        .filter_map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            letters.get(usize::try_from(state >> 33).unwrap_or(0) % letters.len()).copied()
        })
        .collect()
}

const ANY: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";

/// Builds the text of a private key block. The test assembles the block at run time, so that no source file of this
/// repository contains a key.
fn key_block(kind: &str) -> String {
    let line = random(64, ANY);
    format!("-----BEGIN {kind}PRIVATE KEY-----\n{line}\n{line}\n-----END {kind}PRIVATE KEY-----\n")
}

#[test]
fn files_that_hold_secrets_are_withheld() {
    let secrets = SecretFileRules::default();
    for path in [
        ".env",
        "app/.env",
        ".env.local",
        ".ENV",
        ".env.production",
        "deploy/production.env",
        "id_rsa",
        "keys/id_ed25519",
        "server.p12",
        "a/b.PFX",
        "tls.key",
        "store.jks",
        "x.keystore",
        "passwords.kdbx",
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".git-credentials",
        "home/.aws/credentials",
        ".docker/config.json",
        ".kube/config",
        "credentials.json",
        "config/secrets.yml",
        "secrets.yaml",
        "terraform.tfstate",
        "prod.tfvars",
        "x.auto.tfvars",
        ".envrc",
        ".env~",
        ".env.bak",
        "app/.env.local.old",
        ".env.swp",
        "app/..env.swp",
        ".npmrc.bak",
        ".netrc~",
        "id_rsa.bak",
        "id_rsa_work",
        ".ssh/id_ed25519_sk",
        "id_ed25519-2024",
        "ssh_host_rsa_key",
        "office.ovpn",
        ".htpasswd",
        ".pgpass",
        ".my.cnf",
        "tls.key.orig",
    ] {
        assert!(secrets.reason_to_withhold_file(path, None).is_some(), "{path}");
    }
}

#[test]
fn other_files_are_not() {
    let secrets = SecretFileRules::default();
    for path in [
        ".env.example",
        ".env.sample",
        ".env.template",
        "example.env",
        ".envrc.md",
        "env.rs",
        "environment.ts",
        "src/credentials.rs",
        "secrets.py",
        "src/secrets/mod.rs",
        "docker/config.json",
        "kube/config",
        "keys.rs",
        "id_rsa.pub",
        "id_rsa_work.pub",
        "id_rsa_reader.rs",
        "src/id_ed25519.py",
        "id_card",
        "~",
        "src/main.rs.bak",
        "src/.bak",
        "environment.bak",
        "server.pem",
        "server.crt",
        "release.asc",
        "key",
        "monkey",
        "terraform.tfvars.example",
        "package.json",
        "README.md",
        "src/key.ts",
        "tokens.json",
        "config.toml",
        ".gitignore",
    ] {
        assert_eq!(secrets.reason_to_withhold_file(path, Some("let token = next();\n")), None, "{path}");
        assert_eq!(secrets.reason_to_withhold_file(path, None), None, "{path}");
    }
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    for path in ["server.pem", "ca.crt", "key.asc"] {
        assert_eq!(secrets.reason_to_withhold_file(path, Some(certificate)), None);
        let both = format!("{certificate}{}", key_block("RSA "));
        assert!(secrets.reason_to_withhold_file(path, Some(&both)).is_some(), "{path}");
    }
}

#[test]
fn documents_of_this_program_are_not_source() {
    let secrets = SecretFileRules::new(&["contexts/shop/scope-kept-101500.md".to_owned()]);
    for path in ["contexts/shop/scope-how-does-login-work-101500.md", "a/contexts/shop/context-101500-2.md"] {
        assert_eq!(secrets.peelback_document_exclusion_reason(path).as_deref(), Some("written by peelback"), "{path}");
    }
    for path in [
        "contexts/shop/scope-kept-101500.md",
        "contexts/shop/notes.md",
        "contexts/scope-a.md",
        "src/contexts/shop/scope-a.rs",
        "scope-a.md",
        "docs/shop/context-a.md",
    ] {
        assert_eq!(secrets.peelback_document_exclusion_reason(path), None, "{path}");
    }
}

#[test]
fn content_tells_what_a_name_does_not() {
    let secrets = SecretFileRules::default();
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let text = format!("# notes\n{}", key_block(kind));
        assert!(secrets.reason_to_withhold_file("docs/notes.txt", Some(&text)).is_some(), "{kind}");
    }
    let escaped = key_block("").replace('\n', "\\n");
    let account =
        format!("{{\"type\": \"service_account\", \"private_key_id\": \"1\", \"private_key\": \"{escaped}\"}}");
    assert!(secrets.reason_to_withhold_file("gcp.json", Some(&account)).is_some());
    // A file that contains a private key among much other text is not withheld: the key is masked, and the other text
    // is shown.
    let among =
        format!("{}{}", "Each service signs with its own key, which the operator replaces.\n".repeat(9), key_block(""));
    assert_eq!(secrets.reason_to_withhold_file("docs/keys.md", Some(&among)), None);
    // A source file that parses keys contains the `BEGIN` header but no key, so the file is not withheld.
    let reader = "if text.contains(\"-----BEGIN PRIVATE KEY-----\") { parse(text) } // -----END PRIVATE KEY-----\n";
    assert_eq!(secrets.reason_to_withhold_file("src/pem.rs", Some(reader)), None);
}

#[test]
fn what_the_user_names_is_allowed() {
    let secrets = SecretFileRules::new(&["config/.env".to_owned(), "fixtures/**/*.pem".to_owned(), "a[".to_owned()]);
    assert_eq!(secrets.reason_to_withhold_file("config/.env", Some("A=1")), None);
    assert!(secrets.reason_to_withhold_file(".env", None).is_some(), "another of the same name");
    assert_eq!(secrets.reason_to_withhold_file("fixtures/tls/a.pem", Some(&key_block("RSA "))), None);
    assert!(secrets.reason_to_withhold_file("a.pem", Some(&key_block("RSA "))).is_some());
}

#[test]
fn keys_are_masked() {
    let secrets = SecretFileRules::default();
    let (r20, r36, r48) = (random(20, ANY), random(36, ANY), random(48, ANY));
    let jwt = format!("eyJ{}.eyJ{}.{}", random(20, ANY), random(40, ANY), random(43, ANY));
    for value in [
        format!("AKIA{}", random(16, CAPITALS)),
        format!("ghp_{r36}"),
        format!("github_pat_{}_{}", random(22, ANY), random(59, ANY)),
        format!("xoxb-{}-{r20}", random(12, "0123456789")),
        format!("sk_live_{}", random(24, ANY)),
        format!("sk-ant-api03-{r48}"),
        format!("sk-proj-{r48}"),
        format!("sk-{r48}"),
        format!("AIza{}", random(35, ANY)),
        format!("glpat-{r20}"),
        jwt,
    ] {
        let text = format!("let client = Client::new(\"{value}\");\nnext();\n");
        let masked = secrets.redact(&text);
        assert!(!masked.contains(&value), "{masked}");
        assert_eq!(masked, format!("let client = Client::new(\"{MASK}\");\nnext();\n"));
    }
    for (before, value, after) in [
        ("password = \"", format!("{}!x", random(16, ANY)), "\""),
        ("\"apiKey\": '", random(32, HEX), "'"),
        ("DB_PASSWORD=", format!("{}9a", random(18, ANY)), ""),
        ("client_secret: \"", format!("{}-7", random(30, ANY)), "\""),
        ("postgres://ann:", "h7!kQ2z9".to_owned(), "@db.internal/app"),
        ("postgres://ann:", "h7!kQ2z9".to_owned(), "@db/app"),
        ("https://ann:", "h7!kQ2z9".to_owned(), "@notexample.com/app"),
        ("https://ann:", "h7!kQ2z9".to_owned(), "@example.com.evil.io/app"),
        ("https://ann:", "h7!kQ2z9".to_owned(), "@[::1]/app"),
    ] {
        let text = format!("# a\n{before}{value}{after}\n");
        assert_eq!(secrets.redact(&text), format!("# a\n{before}{MASK}{after}\n"));
    }
    let block = format!("a\n{}b\n", key_block("RSA "));
    let masked = secrets.redact(&block);
    assert!(!masked.contains(&random(64, ANY)), "{masked}");
    assert_eq!(masked.lines().count(), block.lines().count(), "line numbers stay true");
}

/// Generates a private key whose lines all differ and whose last line is short. Returns the PEM text and the key's
/// base64 lines.
fn long_key() -> (String, Vec<String>) {
    let all = random(64 * 6 + 29, &format!("{ANY}+/"));
    let mut lines: Vec<String> =
        all.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    if let Some(last) = lines.last_mut() {
        last.push_str("a9==");
    }
    let text = format!("-----BEGIN EC PRIVATE KEY-----\n{}\n-----END EC PRIVATE KEY-----\n", lines.join("\n"));
    (text, lines)
}

/// A function that formats a line, given the line's number and text.
type Dressing = fn(usize, &str) -> String;

/// The formats in which tool answers and source files present lines: plain, numbered, quoted, commented and others.
fn dressings() -> Vec<(&'static str, Dressing)> {
    vec![
        ("plain", |_, line| line.to_owned()),
        ("carriage returns", |_, line| format!("{line}\r")),
        ("indented", |_, line| format!("        {line}")),
        ("numbered", |number, line| format!("{number}: {line}")),
        ("padded", |number, line| format!("  {number:>5}: {line}")),
        ("spaced", |number, line| format!("{number:>4} {line}")),
        ("context", |number, line| format!("{number}-     {line}")),
        ("grep", |number, line| format!("src/a-b/keys.py:{number}:{line}")),
        ("owned", |number, line| format!("{number}: {line}  [in Keys.private (2)]")),
        ("table", |number, line| format!("{number} | {line}")),
        ("added", |_, line| format!("+{line}")),
        ("removed", |number, line| format!("{number}: -{line}")),
        ("commented", |_, line| format!("# {line}")),
        ("slashes", |number, line| format!("{number}: // {line}")),
        ("quoted", |number, line| format!("{number}:     \"{line}\\n\" +")),
        ("listed", |number, line| format!("{number}:   '{line}',")),
        ("rust", |_, line| format!("    {line}\\n\\")),
    ]
}

#[test]
fn keys_are_masked_however_their_lines_are_written() {
    let secrets = SecretFileRules::default();
    let (text, lines) = long_key();
    let all: Vec<&str> = std::iter::once("def sign():").chain(text.lines()).chain(["    return 1"]).collect();
    let wanted: Vec<(&str, Vec<&str>)> = vec![
        ("whole", all.clone()),
        ("without the first line", all[3..].to_vec()),
        ("without the last line", all[..6].to_vec()),
        ("the middle", all[3..6].to_vec()),
        ("the end", all[7..].to_vec()),
        ("one line", all[4..5].to_vec()),
        ("two lines", all[4..6].to_vec()),
        ("the first two", all[1..3].to_vec()),
        ("the last two", all[8..10].to_vec()),
    ];
    for (way, dress) in dressings() {
        for (part, shown) in &wanted {
            let text: String = shown.iter().zip(7..).map(|(line, number)| dress(number, line) + "\n").collect();
            let masked = secrets.redact(&text);
            assert_eq!(masked.lines().count(), text.lines().count(), "{way}, {part}: {masked}");
            for line in &lines {
                assert!(!masked.contains(&line[4..line.len() - 4]), "{way}, {part}: {masked}");
            }
            let marks = |text: &str| text.matches("-----").count() + text.matches("return").count();
            assert_eq!(marks(&masked), marks(&text), "{way}, {part}: {masked}");
        }
    }
    let one_line = format!("3: KEY = \"{}\"  [in KEY]\n", text.replace('\n', "\\n"));
    let masked = secrets.redact(&one_line);
    assert!(lines.iter().all(|line| !masked.contains(line.as_str())), "{masked}");
}

#[test]
fn settings_are_masked_behind_numbers() {
    let secrets = SecretFileRules::default();
    let value = format!("{}9a", random(18, ANY));
    for before in
        ["", "12: ", "12 ", "  DB_KEY  9-12 ", "12- ", "  12: ", "deploy.sh:12:", "+", "12: + ", "    - ", "3:\t"]
    {
        for name in ["DB_PASSWORD=", "export STRIPE_KEY=", "API_TOKEN = ", "ENV APP_SECRET="] {
            for after in ["", "  [in run]", "  ~14 tokens", "\r"] {
                let text = format!("1: a\n{before}{name}{value}{after}\nb\n");
                assert_eq!(secrets.redact(&text), format!("1: a\n{before}{name}{MASK}{after}\nb\n"), "{text}");
            }
        }
    }
}

#[test]
fn what_is_public_or_no_key_is_not_masked() {
    let secrets = SecretFileRules::default();
    let (text, _) = long_key();
    let certificate = text.replace("EC PRIVATE KEY", "CERTIFICATE");
    let ruler = format!("{}\n", "/".repeat(70)).repeat(4);
    let words = "thisIsTheNameOfATestThatSaysWhatItChecksInOneVeryLongName2\n".repeat(3);
    let digests: String = (0..4).map(|n| format!("{n}{}\n", random(63, HEX))).collect();
    let reader = "if (text.includes('-----BEGIN PRIVATE KEY-----'))\n    return\nthrow\n'-----END PRIVATE KEY-----'\n";
    for text in [certificate.as_str(), &ruler, &words, &digests, reader] {
        assert_eq!(secrets.redact(text), text);
    }
}

proptest! {
    #[test]
    fn masks_keep_lines_and_masking_twice_changes_nothing(text in "([ -~]{0,90}\n|[A-Za-z0-9+/=]{38,72}\n|[0-9]{1,3}: [A-Za-z0-9+/]{64}\n|-----(BEGIN|END) PRIVATE KEY-----\n|é世\n){0,12}") {
        let secrets = SecretFileRules::default();
        let masked = secrets.redact(&text);
        prop_assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(secrets.redact(&masked), masked.clone());
    }
}

#[test]
fn placeholders_and_code_are_not() {
    let secrets = SecretFileRules::default();
    for text in [
        "api_key = \"your-key-here\"",
        "API_KEY=${API_KEY}",
        "API_KEY=your_api_key_goes_here_123",
        "token: \"xxxxxxxxxxxxxxxxxxxx\"",
        "password = \"changeme-123456\"",
        "let token = parser.next_token(stream).expect(\"a token\");",
        "password: string;",
        "const token = request.headers['x-api-token'];",
        "secret = os.environ[\"MY_SERVICE_SECRET_1\"]",
        "sk-your-openai-key-here-your-openai-key",
        "AKIAIOSFODNN7EXAMPLE",
        "postgres://user:password@localhost/app",
        "postgres://postgres:${PASSWORD}@db/app",
        "https://ann:h7kQ2z9x@example.com/app",
        "https://ann:h7kQ2z9x@git.example.org:8443/app",
        "ssh://ann:h7kQ2z9x@host/app",
        "redis://ann:h7kQ2z9x@cache.test",
        "https://github.com/a/b",
        "key = \"editor.action.formatDocument2\"",
        "token = \"access-token-of-session-v2\"",
        "checksum = \"e5e76742e5294153d4dde1207dbec5bdd81eef6fabdc0d2118babadabfd858aa\"",
        "sk-learn-contrib-imbalanced-ensemble-forest",
        "git checkout 59807616e0c1a9f1d2b3c4d5e6f708192a3b4c5d",
    ] {
        assert!(matches!(secrets.redact(text), Cow::Borrowed(_)), "{text} became {}", secrets.redact(text));
    }
}

/// Tests that no source file of this repository is withheld, and that no text in one is masked.
#[test]
fn this_repository_has_no_false_alarm() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let project = peelback_code::Project::discover_with_working_folder(
        std::path::Path::new(root),
        Some(std::path::Path::new(root)),
        None,
    )
    .expect("a project");
    let access = peelback_code::CodeAccess::new(project);
    let set = access.project().files_in_scope(None, &peelback_code::WalkOptions::default()).expect("its files");
    let secrets = SecretFileRules::default();
    let (mut files, mut alarms) = (0, Vec::new());
    for place in &set.entries {
        let Ok(file) = peelback_code::SourceFile::read(place) else { continue };
        files += 1;
        // The sample file consists only of random base64, so masking it is correct.
        // So do the rules, since some are the beginnings of tokens, and the forms of planted secrets look like some.
        if [
            "crates/peelback-tokens/tests/samples/base64.txt",
            "crates/peelback-secrets/rules/gitleaks.tsv",
            "crates/peelback-secrets/tests/planted/mod.rs",
        ]
        .contains(&place.path.as_str())
        {
            continue;
        }
        alarms.extend(
            secrets.reason_to_withhold_file(&place.path, Some(&file.text)).map(|why| format!("{}: {why}", place.path)),
        );
        if let Cow::Owned(masked) = secrets.redact(&file.text) {
            let changed = file.text.lines().zip(masked.lines()).find(|(a, b)| a != b);
            alarms.push(format!("{}: {changed:?}", place.path));
        }
    }
    assert!(files > 300, "{files} files");
    assert_eq!(alarms, Vec::<String>::new());
}
