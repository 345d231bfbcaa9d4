#!/usr/bin/env python3
"""Hostile files for each language: does any of them keep a parse past its deadline, or memory past its ceiling?

    bench/hostile/run.py PEELBACK [--files 100] [--seed 1] [--every 4] [--language NAME ...] [--keep FOLDER] [--processor-time]

Makes files of 1 KB to 1 MB for each language: repeated tokens, nesting that is never closed, strings and comments without
an end, tokens and bytes in random order, and the project's own fixtures with parts removed, repeated and joined to one
line. `PEELBACK outline FILE` reads each in a process of its own; every fourth file (`--every`) is asked by all other tools
that read it, too: for its first symbol and its most frequent word. A call fails where it ends by a signal or a panic, takes longer
than the time limit of its parse (0.25 s and 0.6 microseconds a byte) and two seconds, or holds more than 300 MB and 10
bytes for each byte of the file. On a busy machine, `--processor-time` counts what all threads of the call worked in place of
the time on the wall, of which it may then take two minutes. Prints a row for each language and each failure; ends with 1 where there is one.

Two more parts follow for the languages of DERIVED. Small projects of up to 50 types, modules and files that derive from or
include one another in chains, diamonds and circles are asked for uses, callers, what derives from them, and dependencies:
what multiplies there never ends in larger ones. And where a file of a project holds a NUL, is in UTF-16 without a mark, or is
a cut notebook, no answer that it can have a part in may call itself complete.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[2] / "crates/peelback-syntax/src/languages"
# For each language the extension, and tokens of it; those of COMMON are added.
COMMON = ["a", "b1", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", ".", "=", "+", "-", "*", "/", "%", "!", "?", "|",
          "&", "^", "~", "@", "#", "$", "\\", "'", '"', "`", " ", "\n", "\t", "\r\n", "0", "1.5e9", "'x'", '"x"', "\0", "é", "日", "\ufeff"]
LANGUAGES = {
    "astro": (".astro", ["---\n", "<A b={", "</A>", "<script>", "</script>", "{", "}", "<style>", "`${", "=>", "(", "<!--"]),
    "bash": (".sh", ["if ", "then ", "fi ", "case x in ", "esac ", "$(", "${", "<<E\n", "<<-'E'\n", "[[ ", "]] ", "||", "|&", ";;", "$((", "function f "]),
    "c": (".c", ["int ", "struct s ", "typedef ", "#define X ", "#if X\n", "#else\n", "#endif\n", "/*", "*/", "//", "->", "return ", "(int)", "sizeof ", "static "]),
    "c-sharp": (".cs", ["class C ", "namespace N ", "a<", "=>", "$\"{", "@\"", "\"\"\"", "await ", "from x in y ", "#if X\n", "#region\n", "where T : ", "new ", "is ", "?."]),
    "cpp": (".cpp", ["template<", "class C ", "a<", "::", "R\"x(", "operator", "[&]", "decltype(", "->", "#if X\n", "namespace n ", "requires ", "co_await ", "&&", "<=>"]),
    "go": (".go", ["func ", "type T ", "struct ", "interface ", "chan ", "<-", "map[", ":=", "go ", "`", "...", "package p\n", "import ", "[]", "switch "]),
    "java": (".java", ["class C ", "a<", "? extends ", "@A(", "->", "::", "\"\"\"", "switch (", "case ", "new ", "instanceof ", "int[] ", "throws ", "record R(", "yield "]),
    "javascript": (".js", ["function ", "class ", "=>", "`${", "</a>", "<a ", "async ", "await ", "yield ", "/x/", "...", "?.", "import ", "export ", "{a:"]),
    "json": (".json", ['{"a":', "[", "true", "null", "//", "/*", "1e999", '"\\u0000"', "]", "}"]),
    "kotlin": (".kt", ["fun ", "class ", "a<", "${", '"""', "->", "::", "when (", "is ", "as ", "?.", "!!", "@A ", "object ", "by "]),
    "lua": (".lua", ["function ", "end ", "[[", "[==[", "--[[", "--", "local ", "then ", "..", "do ", "until ", "repeat ", "goto "]),
    "markdown": (".md", ["# ", "> ", "- ", "1. ", "```\n", "~~~", "[a](", "![", "<div>", "**", "__", "|", "---\n", "    ", "[^1]", "&amp;", "<!--"]),
    "php": (".php", ["<?php ", "?>", "$a", "function ", "class ", "<<<E\n", "<<<'E'\n", "->", "::", "{$", "fn(", "match(", "use ", "#[", "??"]),
    "python": (".py", ["def f(", "class C", "lambda ", "f'{", '"""', "'''", "if ", "for x in ", ":\n ", "\n    ", "\n\t", "async ", "await ", "**", "@a\n", "\\\n", "match x:\n"]),
    "ruby": (".rb", ["def ", "end ", "class ", "do |x| ", "<<~E\n", "<<-'E'\n", "#{", "%w(", "%q{", "/x/", "=begin\n", "::", "->", "&.", ":sym", "unless "]),
    "rust": (".rs", ["fn ", "impl ", "a<", "r#\"", "r##\"", "'a ", "|x|", "=>", "::", "macro_rules! m ", "m!(", "/*", "*/", "#[", "dyn ", "where ", "..=", "b'"]),
    "scala": (".scala", ["def ", "class ", "object ", "a[", '"""', "s\"${", "=>", "<-", "match ", "case ", "given ", "<a>", "</a>", "/*", "for ", "extends ", "\n  "]),
    "svelte": (".svelte", ["<script>", "</script>", "{#if ", "{/if}", "{@html ", "<style>", "</style>", "<div ", "on:click={", "`${", "=>"]),
    "swift": (".swift", ["func ", "class ", "a<", "#\"", "##\"", "#", '"""', "\\(", "->", "if #available(", "/*", "*/", "where ", "@a ", "some ", "!", "switch ", "..<"]),
    "toml": (".toml", ["[a]\n", "[[a]]\n", "a = ", "'''", '"""', "{ a = ", "1979-05-27", "a.b.c = ", "# x\n"]),
    "tsx": (".tsx", ["a<b,", "<a>", "</a>", "<a b={", "type T = ", "as ", "=>", "`${", "interface ", "enum ", "keyof ", "?:", "{...", "<></>"]),
    "typescript": (".ts", ["a<b,", "type T = ", "interface ", "as ", "=>", "`${", "enum ", "keyof ", "infer ", "extends ", "?:", "abstract ", "declare ", "@a(", "<T,", "/x/"]),
    "vue": (".vue", ["<template>", "</template>", "<script setup>", "</script>", "{{", "}}", "<div :a=\"", "v-for=\"", "<style>", "`${", "=>"]),
    "yaml": (".yaml", ["a: ", "- ", "? ", "&a ", "*a ", "!!x ", "|\n", ">\n", "---\n", "...\n", "<<: ", "\n  ", "{a: ", "'", "%YAML 1.2\n"]),
    "clojure": (".clj", ["(defn f ", "(ns a ", "#(", "#_", "#\"", "^{", "~@", "@a ", "::k ", "#?(", "(let [", "\\a "]),
    "cmake": (".cmake", ["function(a)\n", "endfunction()\n", "set(", "${", "$<", "[[", "[==[", "]]", "#[[", "if(", "foreach(", "$ENV{"]),
    "css": (".css", [".a ", "#b ", "a:hover{", "@media (", "@keyframes x{", "--v: ", "var(", "url(", "/*", "*/", "!important", "::before ", "calc("]),
    "dart": (".dart", ["class C ", "a<", "=>", "${", "'''", "r'", "async* ", "?.", "..", "@a ", "extension E on ", "switch (", "/*", "*/", "factory "]),
    "dockerfile": (".dockerfile", ["FROM a AS b\n", "RUN ", "RUN <<E\n", "COPY --from=b ", "\\\n", "ENV a=", "${", "ARG ", "CMD [", "HEALTHCHECK ", "# escape=`\n"]),
    "elixir": (".ex", ["defmodule A do\n", "def f(", "do\n", "end\n", "#{", '"""', "~s(", "~r/", "fn x -> ", "|> ", "@doc ", "%{", "<<", "&1", ":a "]),
    "erlang": (".erl", ["f(X) -> ", "-module(a).\n", "-spec ", "fun() -> ", "end.\n", "case X of ", "<<", "|| ", "?M", "#r{", "when ", "$a", "-define(", '"""\n', ".\n"]),
    "fsharp": (".fs", ["let f x =\n", "type T =\n", "  | A of ", "match x with\n", "->", "|>", '$"{', '"""', "(*", "*)", "#if A\n", "#endif\n", "member _.", "[<A>]", "\n    ", "module M =\n"]),
    "graphql": (".graphql", ["type A {", "query Q(", "$a: ", "fragment F on A {", '"""', "@d(", "...", "enum E {", "extend ", "input I {", "union U = "]),
    "groovy": (".groovy", ["def f(", "class C ", "${", '"""', "'''", "/a", "$/", "-> ", "?.", "task a {", "@A ", "[:]", "as ", "<=>"]),
    "haskell": (".hs", ["f x = ", "where\n", "let ", "in ", "do\n", "  ", "{-", "-}", "data A = ", "class C a where\n", "\\x -> ", "[x|", "|]", "::", "=> ", "case x of\n", "#if A\n"]),
    "hcl": (".tf", ['resource "a" "b" {\n', "${", "%{", "<<E\n", "<<-E\n", "for x in y : ", "=>", "a = ", "/*", "*/", "dynamic ", "...", "? "]),
    "html": (".html", ["<div ", "</div>", "<script>", "</script>", "<style>", "<!--", "-->", "<p>", "<a-b>", "<br/>", "&amp;", 'id="a"', "<!DOCTYPE ", "<svg>", "<td>"]),
    "julia": (".jl", ["function f(", "end\n", "struct S\n", "$(", '"""', "#=", "=#", "@m ", "->", "where {", "begin\n", "quote\n", "a'", "`", "::", "for x in "]),
    "make": (".mk", ["a: b\n", "\t", "$(", "${", "$(call ", "define a\n", "endef\n", "ifeq (", "endif\n", "\\\n", "$@", "%.o: ", ":= ", "!= ", "include "]),
    "nix": (".nix", ["{ a = ", "let ", "in ", "${", "''", "x: ", "with a; ", "rec {", "inherit ", "/*", "*/", "if a then ", "@", "./a ", "assert "]),
    "objective_c": (".m", ["@interface A : B\n", "@implementation A\n", "@end\n", "- (void)a:(", "[a ", "@{", "@[", "^{", "@selector(", "#if A\n", "#endif\n", "NS_ENUM(", "@property (", "/*", "*/"]),
    "ocaml": (".ml", ["let f x = ", "let rec ", "in ", "match x with ", "| ", "->", "(*", "*)", "{|", "|}", "{a|", "struct ", "sig ", "end ", "module M = ", "fun ", "~a:", "[%", "begin "]),
    "perl": (".pl", ["sub f {", "my $a = ", "q(", "qq{", "m/", "s{", "tr/", "<<E;\n", "<<~'E';\n", "=pod\n", "=cut\n", "->", "@{", "%$", "__END__\n", "package A;", "format A =\n"]),
    "powershell": (".ps1", ["function F {", "$(", "@(", "@{", '@"\n', '"@\n', "@'\n", "<#", "#>", "param(", "`\n", "[int]", "| ", "-eq ", "class C {", "${a}"]),
    "protobuf": (".proto", ["message A {", "enum E {", "service S {", "rpc R(", "oneof o {", "map<", "option (a) = {", "= 1;", "extend ", "reserved ", "/*", "*/", 'syntax = "proto3";\n', "group G = "]),
    "r": (".R", ["f <- function(x) ", "[[", "]]", "%in%", "|> ", "\\(x) ", 'r"(', "if (a) ", "repeat ", "`a`", "::", "#' ", "-> "]),
    "scss": (".scss", ["$a: ", "@mixin m(", "@include m", "@if ", "@else ", "@each $a in ", "&:hover{", "#{", "%p{", "//", "/*", "*/", "@use 'a' as b;", "math.div(", "@function f("]),
    "solidity": (".sol", ["contract C {", "function f(", "mapping(", "modifier m() ", "=>", "assembly {", "event E(", "unchecked {", "/*", "*/", "/// ", "import {", "pragma ", "emit ", "try ", 'hex"', 'unicode"']),
    "sql": (".sql", ["CREATE TABLE a (", "SELECT ", "FROM a ", "WHERE ", "$$", "$a$", "--", "/*", "*/", "BEGIN ", "END; ", "CREATE FUNCTION f() ", "AS ", "JOIN ", "WITH a AS (", "DELIMITER //\n", "::"]),
    "zig": (".zig", ["fn f(", "const a = ", "struct {", "comptime ", "|x| ", "=> ", ".{", "\\\\", "@import(", "error{", "switch (", "orelse ", "catch ", 'test "a" ', "[*:0]"]),
}


def text_of_kind(kind, tokens, fixtures, size, rng):
    """A text of about `size` characters."""
    def repeat(unit):
        return (unit * (size // max(1, len(unit)) + 1))[:size]

    def soup(some):
        parts, length = [], 0
        while length < size:
            token = rng.choice(some)
            parts.append(token)
            length += len(token)
        return "".join(parts)[:size]

    own = tokens[:-len(COMMON)]
    if kind == "one token":
        return repeat(rng.choice(tokens))
    if kind == "two tokens":
        return repeat(rng.choice(tokens) + rng.choice(tokens))
    if kind == "own tokens":
        return repeat("".join(rng.choice(own) for _ in range(rng.randint(1, 3))))
    if kind == "three tokens":
        return repeat("".join(rng.choice(tokens) for _ in range(3)))
    if kind == "name and token":
        return repeat("a" + rng.choice(tokens))
    if kind == "nested":
        opening = rng.choice(["(", "[", "{", "<", "a(", "a[", "{a:", "a<", "(a,", "if (a) {", "-", "!", "a?", "a ? b : ", "a.", "a+"] + own)
        closing = {"(": ")", "[": "]", "{": "}", "<": ">"}.get(opening[-1:], "")
        half = repeat(opening)[:size // 2]
        return half + closing * (len(half) // max(1, len(opening)) - rng.randint(0, 2))
    if kind == "unclosed":
        return rng.choice(['"', "'", "`", "/*", "<!--", '"""', "'''", "(", "{", "<", "<<E\n", "R\"(", "r#\"", "%q(", "[["] + own) + soup(["a ", "b\n", "1 ", "\\", "\n"])
    if kind == "soup":
        return soup(tokens)
    if kind == "own soup":
        return soup(own + ["a", " ", "\n"])
    if kind == "brackets":
        return soup(list("()[]{}<>,;:"))
    if kind == "bytes":
        return bytes(rng.randrange(1, 256) for _ in range(min(size, 100_000))).decode("latin-1")
    fixture = rng.choice(fixtures) if fixtures else soup(tokens)
    if kind == "fixture on one line":
        return repeat(fixture.replace("\n", " "))
    if kind == "fixture without closings":
        return repeat("".join(c for c in fixture if c not in ")]}>"))
    if kind == "fixture cut":
        parts = []
        while sum(map(len, parts)) < size:
            start = rng.randrange(max(1, len(fixture)))
            parts.append(fixture[start:start + rng.randint(1, 200)])
        return "".join(parts)[:size]
    lines = fixture.split("\n")
    rng.shuffle(lines)
    return repeat("\n".join(lines))


KINDS = ["one token", "two tokens", "three tokens", "own tokens", "name and token", "nested", "nested", "unclosed", "soup", "own soup",
         "brackets", "bytes", "fixture on one line", "fixture without closings", "fixture cut", "fixture shuffled"]


def names_in(peelback, path, folder, text):
    """The first symbol of the file, and its most frequent word."""
    try:
        listed = subprocess.run([peelback, "outline", path.name, "--root", str(folder), "--no-cache", "--json"], cwd=folder,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30).stdout
        found = re.search(rb'"name": ?("(?:[^"\\]|\\.)+")', listed)
        symbol = [json.loads(found.group(1))] if found else []
    except (subprocess.TimeoutExpired, ValueError):
        symbol = []
    words = collections.Counter(re.findall(r"[A-Za-z_]\w*", text)).most_common(1)
    names = symbol + [word for word, _ in words]
    # A process takes no argument with a NUL.
    return [name for name in dict.fromkeys(names) if name and "\0" not in name and not name.startswith("-") and len(name) < 1000]


def calls_about(file, names):
    """The calls of all tools but outline that read the file."""
    calls = [["read-file", file], ["dependencies", file], ["dependencies"], ["tree"], ["read-lines", file, "1-50"]]
    for name in names:
        calls += [["read-symbol", name, "--path", file], ["find-references", name, "--path", file], ["find-symbols", name],
                  ["find-references", name, "--path", file, "--relation", "callees"], ["search", name], ["grep", re.escape(name)]]
    return calls


def has_crashed(status, said):
    """Whether a call ended by a signal, or by a panic."""
    return os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 101 or b"panicked" in said


def run(peelback, call, folder, counts_work):
    """Seconds of the call, its peak memory in bytes, its exit status, and what it wrote to standard error."""
    with tempfile.TemporaryFile() as errors:
        seconds, memory, status = run_with_errors(peelback, call, folder, counts_work, errors)
        errors.seek(0)
        return seconds, memory, status, errors.read(1 << 20)


def run_with_errors(peelback, call, folder, counts_work, errors):
    started = time.monotonic()
    child = subprocess.Popen([peelback, *call, "--root", str(folder), "--no-cache"], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=errors)
    # Beyond this a call has failed in any case, and must not take the machine with it.
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - started > (120 if counts_work else 30):
            child.kill()
        try:
            resident = int(Path(f"/proc/{child.pid}/statm").read_text().split()[1]) * 4096
            if resident > 4 << 30:
                child.kill()
        except (OSError, IndexError, ValueError):
            pass
        time.sleep(0.002)
    child.returncode = status
    seconds = usage.ru_utime + usage.ru_stime if counts_work else time.monotonic() - started
    return seconds, usage.ru_maxrss * 1024, status


# For each language the name of a file, and how its text says that `I{i}` derives from or includes the others, and has the
# method `foo`. Where files include one another, each is a file of its own.
DERIVED = {
    "c": ("a{i}.h", lambda i, of: "".join(f'#include "a{j}.h"\n' for j in of) + f"void foo{i}(void);\nstatic void g{i}(void) {{ foo1(); }}\n"),
    "cpp": ("a.cpp", lambda i, of: f"struct I{i}{' : ' if of else ''}{', '.join(f'virtual I{j}' for j in of)} {{ void foo() {{ this->bar(); }} }};\n"),
    "go": ("a.go", lambda i, of: f"type I{i} struct {{ {'; '.join(f'*I{j}' for j in of)} }}\nfunc (i *I{i}) foo() {{ i.bar() }}\n"),
    "java": ("I{i}.java", lambda i, of: f"interface I{i}{' extends ' if of else ''}{', '.join(f'I{j}' for j in of)} {{ default void foo() {{ bar(); I1.super.foo(); }} }}\n"),
    "java classes": ("A{i}.java", lambda i, of: f"class I{i}{''.join(f' extends I{j}' for j in of[:1])} {{ void foo() {{ super.foo(); bar(); }} }}\n"),
    "kotlin": ("a.kt", lambda i, of: f"interface I{i}{' : ' if of else ''}{', '.join(f'I{j}' for j in of)} {{ fun foo() {{ bar(); super.foo() }} }}\n"),
    "javascript": ("a{i}.js", lambda i, of: "".join(f'export * from "./a{j}.js";\n' for j in of) + f"export class I{i} {{ foo() {{ this.bar(); }} }}\n"),
    "typescript": ("a{i}.ts", lambda i, of: "".join(f'import {{ I{j} }} from "./a{j}";\nexport * from "./a{j}";\n' for j in of) + f"export interface I{i}{' extends ' if of else ''}{', '.join(f'I{j}' for j in of)} {{ foo(): void }}\n"),
    "vue": ("I{i}.vue", lambda i, of: "<script setup>\n" + "".join(f'import I{j} from "./I{j}.vue"\n' for j in of) + "function foo() {}\n</script>\n<template>" + "".join(f'<I{j} @click="foo"/>' for j in of) + "</template>\n"),
    "python": ("a{i}.py", lambda i, of: "".join(f"from a{j} import *\nfrom a{j} import I{j}\n" for j in of) + f"class I{i}({', '.join(f'I{j}' for j in of)}):\n    def foo(self):\n        super().foo()\n        self.bar()\n"),
    "rust": ("a.rs", lambda i, of: f"pub mod m{i} {{ {' '.join(f'pub use super::m{j}::*;' for j in of)} pub trait I{i} {{ fn foo(&self) {{ self.bar() }} }} }}\n"),
    "php": ("a{i}.php", lambda i, of: "<?php\n" + "".join(f'require_once "a{j}.php";\n' for j in of) + f"trait T{i} {{ {' '.join(f'use T{j};' for j in of)} }}\nclass I{i}{''.join(f' extends I{j}' for j in of[:1])} {{ use T{i}; function foo() {{ parent::foo(); $this->bar(); }} }}\n"),
    "ruby": ("a.rb", lambda i, of: f"module I{i}\n" + "".join(f"  include I{j}\n  extend I{j}\n" for j in of) + "  def foo\n    bar\n    super\n  end\nend\n"),
    "ruby classes": ("a{i}.rb", lambda i, of: "".join(f"require_relative 'a{j}'\n" for j in of) + f"class I{i}{''.join(f' < I{j}' for j in of[:1])}\n  def foo\n    super\n  end\nend\n"),
}
SHAPES = {
    "chain": (50, lambda i, n: [i + 1] if i + 1 < n else []),
    "diamond": (50, lambda i, n: [j for j in (i + 1, i + 2) if j < n]),
    "circle": (25, lambda i, n: [(i + 1) % n]),
    "circles": (25, lambda i, n: sorted({(i + 1) % n, (i * 3 + 1) % n} - {i})),
}


def ask_derived_projects(peelback, counts_work, languages):
    """The failures among the calls about small projects whose parts derive from one another."""
    failures = []
    for language, (name, text) in DERIVED.items():
        if languages and language.split(" ")[0] not in languages:
            continue
        for shape, (count, next_of) in SHAPES.items():
            with tempfile.TemporaryDirectory() as folder:
                for i in range(count):
                    with open(Path(folder) / name.format(i=i), "a") as file:
                        file.write(text(i, next_of(i, count)))
                first = name.format(i=0)
                calls = [["outline", first], ["dependencies"], ["dependencies", first], ["find-references", "I0", "--relation", "implementations"]]
                calls += [["find-references", of, *relation] for of in ("foo", "I1", "I0.foo")
                          for relation in ([], ["--relation", "callers", "--depth", "3"], ["--relation", "callees", "--depth", "3"])]
                slowest = 0.0
                for call in calls:
                    seconds, memory, status, said = run(peelback, call, folder, counts_work)
                    slowest = max(slowest, seconds)
                    if has_crashed(status, said) or seconds > 3 or memory > 300e6:
                        failures.append(f"{language}, {shape} of {count}: {' '.join(call)}: {seconds:.2f} s, {memory / 1e6:.0f} MB, status {status}")
                print(f"| {language} | {shape} of {count} | {len(calls)} calls | slowest {slowest:.2f} s |", flush=True)
    return failures


def ask_about_damaged_files(peelback, languages):
    """The failures among the calls whose answer leaves out a damaged file and calls itself complete."""
    failures = []
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": ["foo1()"]}], "nbformat": 4})
    for language, (name, text) in DERIVED.items():
        if languages and language.split(" ")[0] not in languages:
            continue
        whole, broken = text(0, []) + text(1, []), text(2, [1])
        name, suffix = name.format(i=0), Path(name).suffix
        damages = {"NUL": (suffix, broken.encode() + b"\0\n"), "UTF-16": (suffix, broken.encode("utf-16-le"))}
        if language == "python":
            damages["cut notebook"] = (".ipynb", notebook[:-20].replace("foo1", "foo").encode())
            damages["merged notebook"] = (".ipynb", f"<<<<<<< a\n{notebook}\n=======\n{notebook}\n>>>>>>> b\n".replace("foo1", "foo").encode())
        for damage, (suffix, content) in damages.items():
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / name).write_text(whole)
                (Path(folder) / f"damaged{suffix}").write_bytes(content)
                symbol = "foo1" if language == "c" else "foo"
                for call in (["find-references", symbol], ["find-symbols", symbol], ["dependencies", name]):
                    if call[0] == "dependencies" and suffix == ".ipynb":
                        continue
                    said = subprocess.run([peelback, *call, "--root", folder, "--no-cache", "--json"], cwd=folder,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
                    if has_crashed(0, said.stderr) or b'"complete"' in said.stdout or b"damaged" not in said.stdout + said.stderr:
                        failures.append(f"{language}, {damage}: {' '.join(call)}: {said.stdout[:300]!r}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peelback")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=4, help="each so many files are asked by all tools; 0 for none")
    parser.add_argument("--language", action="append")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--processor-time", action="store_true", help="the work of a call counts, not its time on the wall")
    options = parser.parse_args()
    peelback = os.path.abspath(options.peelback)
    failures = 0
    print("| language | files | calls | MB | slowest, s | its excess over the limit, s | peak MB | its share of the ceiling | failures |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for language, (extension, own) in LANGUAGES.items():
        if options.language and language not in options.language:
            continue
        rng = random.Random(f"{options.seed} {language}")
        folder_name = {"c-sharp": "c_sharp"}.get(language, language)
        fixtures = [p.read_text(errors="replace") for p in sorted((FIXTURES / folder_name / "fixtures").glob(f"*{extension}"))]
        total, made, slowest, excess, peak, share, failed = 0, 0, 0.0, -9.0, 0, 0.0, []
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep or Path(temporary)
            folder.mkdir(exist_ok=True, parents=True)
            for index in range(options.files):
                kind = KINDS[index % len(KINDS)]
                size = int(1000 * 1000 ** rng.random())
                text = text_of_kind(kind, own + COMMON, fixtures, size, rng)
                content = text.encode("latin-1", "replace") if kind == "bytes" else text.encode("utf-8", "replace")
                path = folder / f"{folder_name}-{options.seed}-{index}{extension}"
                path.write_bytes(content)
                calls = [["outline", path.name]]
                if options.every and index % options.every == options.seed % options.every:
                    calls += calls_about(path.name, names_in(peelback, path, folder, text))
                limit = 0.25 + 0.6e-6 * len(content)
                ceiling = 300e6 + 10 * len(content)
                total += len(content)
                made += len(calls)
                for call in calls:
                    seconds, memory, status, said = run(peelback, call, folder, options.processor_time)
                    slowest, peak = max(slowest, seconds), max(peak, memory)
                    excess, share = max(excess, seconds - limit), max(share, memory / ceiling)
                    if has_crashed(status, said) or seconds > limit + 2 or memory > ceiling:
                        failed.append(f"{' '.join(call)}: {kind}, {len(content)} bytes, {seconds:.2f} s, {memory / 1e6:.0f} MB, status {status}: {text[:40]!r}")
                if not options.keep:
                    path.unlink()
        print(f"| {language} | {options.files} | {made} | {total / 1e6:.1f} | {slowest:.2f} | {max(excess, 0):.2f} | {peak / 1e6:.0f} | {share:.2f} | {len(failed)} |", flush=True)
        for failure in failed:
            print(f"  {failure}", flush=True)
        failures += len(failed)
    others = ask_derived_projects(peelback, options.processor_time, options.language)
    others += ask_about_damaged_files(peelback, options.language)
    for failure in others:
        print(f"  {failure}", flush=True)
    sys.exit(1 if failures or others else 0)


if __name__ == "__main__":
    main()
