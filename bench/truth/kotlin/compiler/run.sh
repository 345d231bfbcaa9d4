#!/bin/sh
# run.sh JARS CORPORA: builds the generator against the compiler in JARS and writes the data beside it. JARS: a folder of jars with the Kotlin compiler and its library; CORPORA: see README.md.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
javac -nowarn -cp "$1/*" -d "$build" "$here/Generator.java"
for corpus in "$2"/*/; do
  name=$(basename "$corpus")
  java -cp "$build:$1/*" Generator "$name" "$corpus" "${OUT:-$here}/outline.$name.jsonl"
done
