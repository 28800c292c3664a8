#!/usr/bin/env bash
# Changes a million saved models at random, or as many as it is told, and looks for a panic, an abort, a change that is not noticed, or
# one that makes them slow:
#     tests/fuzz.sh [CASES [SEED]]
set -euo pipefail
cd "$(dirname "$0")/.."

FUZZ=${1-1000000} SEED=${2-2} PATIENCE=20 cargo test --release --package all-you-need --test fuzz -- --nocapture
