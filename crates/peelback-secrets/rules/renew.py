#!/usr/bin/env python3
"""Writes gitleaks.tsv anew from gitleaks' configuration, as a published crate carries it unchanged.

Usage: renew.py (needs cargo and Python 3.11). To follow a later release of gitleaks, name a later version of the crate and the
sum of the configuration in it, and read the difference.
"""
import hashlib
import pathlib
import re
import subprocess
import tempfile
import tomllib

CRATE, VERSION = "secrets_scanner", "0.2.3"
# Of config/gitleaks.toml in gitleaks v8.30.1.
GITLEAKS, SHA256 = "v8.30.1", "e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf"


def download():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").write_text("")
        (folder / "Cargo.toml").write_text(
            f'[package]\nname = "rules"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n'
            f'[dependencies]\n{CRATE} = {{ version = "={VERSION}", default-features = false }}\n'
        )
        subprocess.run(["cargo", "vendor", "--quiet", "vendor"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return (folder / "vendor" / CRATE / "assets" / "gitleaks.toml").read_bytes()


def pattern(text):
    # Go takes a brace that begins no repetition as itself.
    return re.sub(r"(?<!\\)(?<!\\[pPx])\{(?!\d+(?:,\d*)?\})", r"\\{", text)


def main():
    data = download()
    assert hashlib.sha256(data).hexdigest() == SHA256, "another configuration than the one that is named here"
    rules = tomllib.loads(data.decode())
    lines = [
        f"# The rules of gitleaks {GITLEAKS} (MIT, see NOTICE), out of {CRATE} {VERSION}; renew.py writes this file.",
        "# rule: id, least entropy, group of the secret, keywords, pattern. allow: rule or *, target, pattern. words: usual words.",
    ]
    words = set()

    def allow(rule, lists):
        for one in lists:
            words.update(one.get("stopwords", []))
            if "paths" in one and one.get("condition") == "AND":
                continue
            for regex in one.get("regexes", []):
                # A sample key that everybody knows would make scanners report this file.
                if not re.fullmatch(r"[A-Za-z0-9_-]{30,}", regex):
                    lines.append("\t".join(["allow", rule, one.get("regexTarget", "secret"), pattern(regex)]))

    allow("*", [rules["allowlist"]])
    for rule in rules["rules"]:
        if "regex" not in rule:
            continue
        entropy, group = str(rule.get("entropy", 0)), str(rule.get("secretGroup", 0))
        lines.append("\t".join(["rule", rule["id"], entropy, group, " ".join(rule["keywords"]), pattern(rule["regex"])]))
        allow(rule["id"], rule.get("allowlists", []))
    lines.append("words\t" + " ".join(sorted(word for word in words if word.isalpha() and word.islower())))
    assert all("\n" not in line and "\r" not in line for line in lines)
    (pathlib.Path(__file__).parent / "gitleaks.tsv").write_text("\n".join(lines) + "\n")


main()
