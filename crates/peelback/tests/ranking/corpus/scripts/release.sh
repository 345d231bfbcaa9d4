#!/bin/sh
# Tags a release of all parts with one number: scripts/release.sh 4.12.0
set -eu

version=${1:?usage: release.sh <version>}

if ! grep -q "^## $version" CHANGELOG.md; then
    echo "CHANGELOG.md has no entry for $version" >&2
    exit 1
fi

if [ -n "$(git status --porcelain)" ]; then
    echo "there are uncommitted changes" >&2
    exit 1
fi

for part in tracking web barcode agent firmware; do
    git tag -a "$part/v$version" -m "$part $version"
done

attempt=1
until git push --tags; do
    if [ "$attempt" -ge 3 ]; then
        echo "gave up after $attempt attempts" >&2
        exit 1
    fi
    echo "push failed, retrying in 5s" >&2
    attempt=$((attempt + 1))
    sleep 5
done
