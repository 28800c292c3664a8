#!/usr/bin/env bash
# Runs the claims and the changed models under AddressSanitizer, which ends a test that reads or writes a byte outside of what it has.
# The crate has no `unsafe`, but its matrices do. Names of tests make it a matter of seconds: tests/asan.sh refused too_large
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-unknown-linux-gnu
# The stable compiler has the sanitizer and does not own up to it. A target of its own leaves build scripts and macros as they are.
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Z sanitizer=address -C target-cpu=x86-64-v3"
cargo test --package all-you-need --test claims --test fuzz --target $target --target-dir target/asan -- "$@"
