#!/usr/bin/env bash
# Writers become assistants, from the root of the repository:
#     src/logs/assistant.sh rates       five seeds: fifteen minutes of a core
#     src/logs/assistant.sh runs        five seeds: ten minutes of a core
# What is in a log already is not measured again, so each goes on if it was
# stopped.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/assistant

measure() { RAYON_NUM_THREADS=1 cargo bench --quiet --bench assistant -- "$@" "$logs"; }

case $1 in
    rates) for seed in 1 2 3 4 5; do measure rates $seed; done ;;
    runs) for seed in 1 2 3 4 5; do measure run $seed; done ;;
esac
