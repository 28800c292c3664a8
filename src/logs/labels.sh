#!/usr/bin/env bash
# Encoders fill gaps in reviews, and then learn to judge reviews from few
# labels, from the root of the repository:
#     src/logs/labels.sh SEED     some minutes of a core
#     src/logs/labels.sh          the seeds 1 to 5
# What is in a log already is not measured again, so each goes on if it was
# stopped.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/labels

for seed in ${1-1 2 3 4 5}; do
    RAYON_NUM_THREADS=1 cargo bench --quiet --bench labels -- "$seed" "$logs-few.tsv" "$logs-gaps.tsv"
done
