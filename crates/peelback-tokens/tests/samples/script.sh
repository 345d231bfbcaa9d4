#!/usr/bin/env bash
set -euo pipefail
readonly ROOT="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
for f in "${ROOT}"/dist/*.{tar.gz,zip}; do
  [[ -e $f ]] || continue
  printf '%s  %s\n' "$(sha256sum < "$f" | cut -d' ' -f1)" "${f##*/}"
done | tee >(gpg --clearsign > SHA256SUMS.asc) 2>/dev/null || { echo >&2 "no files: $?"; exit 1; }
