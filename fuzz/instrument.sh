#!/bin/sh
# Compiles the crates of this project with the counters and comparisons that libFuzzer follows, and all others without:
# that is quicker to build and to run, and keeps the fuzzer to our own code. Used as RUSTC_WRAPPER.
coverage="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
case "$CARGO_PKG_NAME:$CARGO_CRATE_NAME" in
*:build_script_*) exec "$@" ;;
# The targets' checks and the count of tokens look at each byte of long answers: no input is found by following them.
peelback-fuzz:targets | peelback-tokens:*) exec "$@" --cfg fuzzing ;;
# Crates that read no format: calls of the comparisons would take half of the time of the targets that run them.
peelback-code:* | peelback-ranking:* | peelback-resolve:* | peelback-tools:*) exec "$@" $coverage ;;
peelback*) exec "$@" $coverage -Cllvm-args=-sanitizer-coverage-trace-compares ;;
*) exec "$@" ;;
esac
