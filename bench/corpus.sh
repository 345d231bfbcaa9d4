#!/usr/bin/env bash
# Fetches a corpus of real code at pinned versions from the package registries: bench/corpus.sh FOLDER
# Nothing in it is run, and nothing of it is committed.
set -euo pipefail
folder=${1:?usage: bench/corpus.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"/{python,typescript,rust-and-c}
cd "$folder"

for package in Django==5.2 sympy==1.13.3; do
    pip download --quiet --no-deps --only-binary :all: --dest wheels "$package"
done
for wheel in wheels/*.whl; do
    python3 -m zipfile -e "$wheel" python
done
for package in rxjs@7.8.1 zod@4.1.12 express@5.1.0; do
    tarball=$(npm pack --silent "$package")
    mkdir -p "typescript/${package%@*}"
    tar -xzf "$tarball" -C "typescript/${package%@*}" --strip-components=1
    rm "$tarball"
done
# The sources of this workspace's own dependencies, as Cargo.lock pins them.
cargo vendor --quiet --locked --manifest-path "$here/Cargo.toml" rust-and-c >/dev/null
# Parse tables of grammars are over the size that is parsed.
find rust-and-c -name parser.c -size +1M -delete
find . -type f | wc -l
