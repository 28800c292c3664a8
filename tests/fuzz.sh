#!/usr/bin/env bash
# Changes a million saved models at random, or as many as it is told, and looks for a panic, an abort, a change that is not noticed, or
# one that makes them work for long:
#     tests/fuzz.sh [CASES [SEED]]
set -euo pipefail
cd "$(dirname "$0")/.."

FUZZ=${1-1000000} SEED=${2-2} cargo test --release --package all-you-need --test fuzz -- --nocapture
