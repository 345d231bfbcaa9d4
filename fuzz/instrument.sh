#!/bin/sh
# Compiles the crates of this project with the counters and comparisons that libFuzzer follows, and all others without:
# that is quicker to build and to run, and keeps the fuzzer to our own code. The targets themselves are without, too:
# their checks look at each byte of long answers. Used as RUSTC_WRAPPER.
case "$CARGO_PKG_NAME:$CARGO_CRATE_NAME" in
*:build_script_*) exec "$@" ;;
peelback-fuzz:targets) exec "$@" --cfg fuzzing ;;
peelback*)
    exec "$@" --cfg fuzzing -Cpasses=sancov-module \
        -Cllvm-args=-sanitizer-coverage-level=4 \
        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
        -Cllvm-args=-sanitizer-coverage-pc-table \
        -Cllvm-args=-sanitizer-coverage-trace-compares
    ;;
*) exec "$@" ;;
esac
