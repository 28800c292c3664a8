#!/usr/bin/env bash
# Changes a million checkpoints at random, or as many as it is told, and looks for a panic, an abort, or a change that is not noticed:
#     tests/fuzz.sh [CASES [SEED]]
set -euo pipefail
cd "$(dirname "$0")/.."

FUZZ=${1-1000000} SEED=${2-2} cargo test --release --package all-you-need --test fuzz -- --nocapture
