#!/usr/bin/env bash
# Trains small decoders, each with one change, from the root of the repository:
#     src/logs/today.sh rates DATA       seven minutes of a core
#     src/logs/today.sh changes DATA     five seeds: an hour of a core
#     src/logs/today.sh far DATA         four of them again: a quarter of an hour
# What is in a log already is not trained again, so each goes on if it was
# stopped. DATA has train.en and val.en.
set -euo pipefail

# Cargo runs a bench in another directory.
logs=$PWD/src/logs/today

run() {
    data=$(realpath "$2")
    RAYON_NUM_THREADS=1 cargo bench --quiet --bench today -- \
        "$1" "$data/train.en" "$data/val.en" "${@:3}"
}

case $1 in
    rates) run rates "$2" "$logs-rates.tsv" ;;
    far) run far "$2" "$logs-far.tsv" ;;
    changes) for seed in 1 2 3 4 5; do run changes "$2" $seed "$logs-changes.tsv"; done ;;
esac
