#!/usr/bin/env bash
# Encoders learn to fill gaps, from the root of the repository:
#     src/logs/gaps.sh
# Everything measured goes to src/logs/gaps-*.
set -euo pipefail

measure() {
    cargo bench --quiet --bench gaps -- "$@"
}

for seed in 1 2 3 4 5; do
    measure learn $seed > src/logs/gaps-run-$seed.tsv
    measure rivals $seed > src/logs/gaps-rivals-$seed.tsv
done
for other in causal everywhere copy look; do
    measure $other 1 > src/logs/gaps-$other.tsv
done
