#!/usr/bin/env bash
# Runs the fuzz targets.
#
#   fuzz/run.sh short [EXECUTIONS] [TARGET…]    each target for some executions (100) from one seed, built quickly
#   fuzz/run.sh long [EXECUTIONS] [TARGET…]     each target for so many executions (2,000,000), built to be fast
#   fuzz/run.sh totals                          the executions of each target so far, and those since its last finding
#   fuzz/run.sh try TARGET FILE…                what one target does with the inputs in files
#   fuzz/run.sh shrink TARGET FILE              the smallest input that fails as the one in a file does
#
# What runs leave stands in PEELBACK_FUZZ_WORK, by default fuzz/work: the corpus of each target, logs, inputs that failed
# (`artifacts`), and `totals.tsv`: target, executions, whether something was found. PEELBACK_FUZZ_JOBS says how many
# targets run at the same time (2). An input that takes PEELBACK_FUZZ_TIMEOUT seconds (10) ends a run, and one that takes
# PEELBACK_FUZZ_SLOW (2) is slow: where other work takes the processors, these have to be larger.
set -euo pipefail
cd "$(dirname "$0")"

work=${PEELBACK_FUZZ_WORK:-$PWD/work}
jobs=${PEELBACK_FUZZ_JOBS:-2}
# The folder of the whole project: the crates of others are compiled there already, or will be needed there.
target_folder=${CARGO_TARGET_DIR:-$PWD/../target}
# The projects that targets write are in memory, where the system has room for files there.
scratch=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/peelback-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$work"

# The program may be built already: PEELBACK_FUZZ_PROGRAM.
build() { # PROFILE
    program=${PEELBACK_FUZZ_PROGRAM:-}
    [ -n "$program" ] && return
    local options=(--locked --quiet --config ../Cargo.toml --config profile.toml)
    [ "$1" = release ] && options+=(--release)
    CARGO_TARGET_DIR=$target_folder RUSTC_WRAPPER=$PWD/instrument.sh cargo build "${options[@]}"
    if [ "$1" = release ]; then program=$target_folder/release/targets; else program=$target_folder/debug/targets; fi
}

targets() { # [TARGET…]
    if [ $# -gt 0 ]; then printf '%s\n' "$@"; else PEELBACK_FUZZ_TARGET=list "$program" | cut -f1; fi
}

# Runs one target; fails where something is found.
run_one() { # TARGET OPTION…
    local target=$1 max_len status=0 folder=$scratch/$1
    shift
    max_len=$(PEELBACK_FUZZ_TARGET=list "$program" | awk -v target="$target" '$1 == target { print $2 }')
    local -a options
    read -ra options < <(PEELBACK_FUZZ_TARGET=list "$program" | awk -F'\t' -v target="$target" '$1 == target { print $3 }')
    mkdir -p "$work/corpus/$target" "$work/artifacts/$target" "$work/logs" "$folder"
    local log=$work/logs/$target.log seeds=$work/seeds/$target
    TMPDIR=$folder PEELBACK_FUZZ_TARGET=$target PEELBACK_FUZZ_SEEDS=$seeds "$program" \
        "$work/corpus/$target" "$seeds" -artifact_prefix="$work/artifacts/$target/" -max_len="$max_len" \
        -timeout="${PEELBACK_FUZZ_TIMEOUT:-10}" -report_slow_units="${PEELBACK_FUZZ_SLOW:-2}" -rss_limit_mb=1500 -print_final_stats=1 "${options[@]}" "$@" >"$log" 2>&1 || status=$?
    rm -rf "$folder"
    # A slow input is a finding, too, but does not end the run. A build without optimisation says nothing of it.
    grep -q '^Slowest unit' "$log" && [ "$status" = 0 ] && [ "$command" = long ] && status=1
    local executions
    executions=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$log")
    printf '%s\t%s\t%s\n' "$target" "${executions:-0}" "$([ "$status" = 0 ] && echo - || echo found)" >>"$work/totals.tsv"
    if [ "$status" != 0 ]; then
        cp "$log" "$work/logs/$target.$(date +%s).found.log"
        echo "FOUND by $target: see $log" >&2
    fi
    return "$status"
}

# Runs all targets, some at the same time.
run_all() { # OPTION… -- [TARGET…]
    local options=() pids=() failed=0
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for target in $(targets "$@"); do
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do sleep 0.2; done
        run_one "$target" "${options[@]}" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
    return "$failed"
}

command=${1:-}
shift || true
case $command in
short)
    executions=${1:-100}
    shift || true
    build debug
    # From one seed, so that a run that ends well does so again.
    run_all -seed=1 "-runs=$executions" -- "$@"
    ;;
long)
    executions=${1:-2000000}
    shift || true
    build release
    run_all "-runs=$executions" -- "$@"
    ;;
totals)
    awk -F'\t' '
        { all[$1] += $2; if ($3 == "found") since[$1] = 0; else since[$1] += $2; sum += $2 }
        END { for (target in all) printf "%-20s %12d %12d since the last finding\n", target, all[target], since[target]
              printf "%-20s %12d\n", "all", sum }' "$work/totals.tsv" | sort
    ;;
try)
    build release
    target=$1
    shift
    TMPDIR=$scratch PEELBACK_FUZZ_TARGET=$target "$program" "$@"
    ;;
shrink)
    build release
    TMPDIR=$scratch PEELBACK_FUZZ_TARGET=$1 "$program" -minimize_crash=1 -runs=20000 -exact_artifact_path="$2.small" "$2" 2>&1 |
        tail -5
    ;;
*)
    sed -n '2,/^set/ s/^# \{0,1\}//p' run.sh
    exit 2
    ;;
esac
